"""Saved responses of OpenAI's and Anthropic's APIs, scored as they stand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from argue_bench.cli import main
from argue_bench.loaders.rows import looks_like_rows, read_rows

TEXT = "The bridge opened in 1931. It was painted red in 1990."
OPENAI = {
    "id": "resp_1",
    "object": "response",
    "output": [
        {
            "type": "file_search_call",
            "results": [
                {"file_id": "f1", "filename": "a.txt", "text": "The bridge opened in 1931."},
                {"file_id": "f1", "filename": "a.txt", "text": "It is 412 m long."},
            ],
        },
        {
            "type": "message",
            "role": "assistant",
            "content": [
                {
                    "type": "output_text",
                    "text": TEXT,
                    "annotations": [
                        {"type": "file_citation", "index": 26, "file_id": "f1", "filename": "a.txt"}
                    ],
                }
            ],
        },
    ],
}
CITED = {
    "type": "char_location",
    "cited_text": "The bridge opened in 1931.",
    "document_index": 0,
    "document_title": "a",
    "start_char_index": 0,
    "end_char_index": 26,
}
ANTHROPIC = {
    "id": "msg_1",
    "type": "message",
    "role": "assistant",
    "content": [
        {"type": "text", "text": "The bridge opened in 1931.", "citations": [CITED]},
        {"type": "text", "text": " It was painted red in 1990."},
    ],
}
ASKED = [
    {
        "role": "user",
        "content": [
            {
                "type": "document",
                "source": {"type": "text", "data": "The bridge opened in 1931. It is long."},
                "title": "a",
            },
            {"type": "text", "text": "When did it open?"},
        ],
    }
]
CHAT = {
    "object": "chat.completion",
    "choices": [{"message": {"role": "assistant", "content": TEXT}}],
}


@pytest.mark.parametrize(
    ("value", "question", "contexts", "cited"),
    [
        (OPENAI, "", ["The bridge opened in 1931.\nIt is 412 m long."], ("f1",)),
        (ANTHROPIC, "", ["The bridge opened in 1931."], ("doc-0",)),
        (
            {"request": {"messages": ASKED}, "response": ANTHROPIC},
            "When did it open?",
            ["The bridge opened in 1931. It is long."],
            ("doc-0",),
        ),
        (
            {
                "custom_id": "one",
                "request": {"input": "When did it open?"},
                "response": {"status_code": 200, "body": OPENAI},
            },
            "When did it open?",
            ["The bridge opened in 1931.\nIt is 412 m long."],
            ("f1",),
        ),
        (
            {
                "request": {
                    "messages": [
                        {"role": "user", "content": "When did it open?"},
                        {"role": "tool", "content": "The bridge opened in 1931."},
                    ]
                },
                "response": CHAT,
            },
            "When did it open?",
            ["The bridge opened in 1931."],
            (),
        ),
    ],
    ids=["openai", "anthropic", "with its request", "a batch", "a chat"],
)
def test_the_first_unsupported_sentence_comes_straight_from_the_file(
    value: Any, question: str, contexts: list[str], cited: tuple[str, ...], tmp_path: Path
) -> None:
    path = tmp_path / "response.json"
    path.write_text(json.dumps(value))
    assert looks_like_rows(path)
    read = read_rows(path)
    (one,) = read.dataset
    assert [document.text for document in read.dataset.documents.values()] == contexts
    assert one.text == (question or "(the response does not hold its question)")
    (answer,) = read.answers.values()
    assert answer.sentences[0].citations == cited
    assert set(cited) <= set(read.dataset.documents)
    done = CliRunner().invoke(main, ["evaluate", str(path)])
    assert done.exit_code == 0, done.output
    assert "sentence 2: It was painted red in 1990." in done.stdout
    assert "sentence 1" not in done.stdout


def test_a_file_of_batch_output_is_a_row_a_line(tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    lines = [{"custom_id": f"c{n}", "response": {"body": OPENAI}} for n in range(3)]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert list(read_rows(path).answers) == ["c0", "c1", "c2"]
