"""Saved responses of OpenAI's and Anthropic's APIs, scored as they stand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from argue_bench.cli import main
from argue_bench.loaders.rows import looks_like_rows, read_rows
from argue_bench.web.citing_answers import read_cited

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
    done = CliRunner().invoke(main, ["evaluate", str(path), "--all-flags"])
    assert done.exit_code == 0, done.output
    assert "sentence 2: It was painted red in 1990." in done.stdout
    assert "sentence 1" not in done.stdout


PAGE = "https://a.example/bridge"
CHAT = {
    "object": "chat.completion",
    "id": "c-1",
    "choices": [{"message": {"role": "assistant", "content": f"It opened in 1931 ([a]({PAGE}))."}}],
}
GEMINI = {
    "candidates": [
        {
            "content": {"parts": [{"text": "It opened in 1931."}]},
            "groundingMetadata": {
                "groundingChunks": [{"web": {"uri": PAGE, "title": "a"}}],
                "groundingSupports": [{"segment": {"endIndex": 18}, "groundingChunkIndices": [0]}],
            },
        }
    ]
}
QUOTING = {
    "id": "m-1",
    "type": "message",
    "content": [
        {
            "type": "text",
            "text": "It opened in 1931.",
            "citations": [
                {
                    "type": "web_search_result_location",
                    "url": PAGE,
                    "title": "a",
                    "cited_text": "in 1931",
                }
            ],
        }
    ],
}


def test_what_stands_beside_a_response_names_its_row(tmp_path: Path) -> None:
    """Id and question of lines that hold responses, also where a response has an id of its own."""
    path = tmp_path / "all.jsonl"
    lines = [
        {"id": "one", "question": "When did it open?", "response": CHAT},
        {"id": "two", "prompt": "And when?", "response": GEMINI},
        {"custom_id": "three", "response": {"status_code": 200, "body": CHAT}},
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    rows = read_rows(path)
    assert [(q.id, q.text) for q in rows.dataset] == [
        ("one", "When did it open?"),
        ("two", "And when?"),
        ("three", "(the response does not hold its question)"),
    ]
    cited = read_cited(path)
    assert (cited.urls, cited.answers, cited.findings) == ((PAGE,), 3, ())


def test_with_pages_at_hand_what_a_response_quotes_of_them_is_no_context(tmp_path: Path) -> None:
    path = tmp_path / "m.json"
    path.write_text(json.dumps(QUOTING))
    assert [one.text for one in read_rows(path).dataset.documents.values()] == ["in 1931"]
    rows = read_rows(path, web=True)
    assert not rows.dataset.documents
    assert not rows.findings
    assert rows.answers["m-1"].sentences[0].citations == (PAGE,)


def test_a_response_that_cites_the_web_is_told_how_to_get_its_pages(tmp_path: Path) -> None:
    path = tmp_path / "chat.json"
    path.write_text(json.dumps(CHAT))
    said = CliRunner().invoke(main, ["evaluate", str(path)])
    assert "The answers cite 1 page of the web, and none is here" in said.stderr
    assert f"argue-bench sources fetch {path} --out pages" in said.stderr
    assert "'contexts' is empty" not in said.stderr


def test_evaluate_says_which_citations_have_no_place_and_which_addresses_are_none(
    tmp_path: Path,
) -> None:
    annotation = {"type": "url_citation", "start_index": -5, "end_index": 999, "url": "x"}
    content = [{"type": "output_text", "text": TEXT, "annotations": [annotation]}]
    saved = {"object": "response", "output": [{"type": "message", "content": content}]}
    (tmp_path / "r.json").write_text(json.dumps(saved))
    (finding,) = read_rows(tmp_path / "r.json").findings
    assert (finding.code, finding.line, finding.level) == ("citation-place", 1, "warning")
    assert "Citation 1 of the response names no place in the text: -5-999" in finding.message
    report = (
        "It opened [3], see [x](javascript:alert).\n\n[3] https://a.example\n[3] https://b.example"
    )
    (tmp_path / "w.jsonl").write_text(json.dumps({"question": "When?", "answer": report}))
    assert read_rows(tmp_path / "w.jsonl").findings == ()  # without web pages these are words
    found = read_rows(tmp_path / "w.jsonl", web=True).findings
    assert [one.message for one in found] == [
        "the reference list gives [3] twice; the first is read",
        "'javascript:alert' is not an address of the web, so it cites nothing",
    ]


SAID = "The bridge opened in 1931. Two men 🚂 died."
CHUNKS = [
    {"web": {"uri": "https://a.example/1"}},
    {"retrievedContext": {"title": "Y", "text": "Opened."}},
]
RETURNED: dict[str, tuple[Any, tuple[str, ...], list[tuple[str, ...]]]] = {
    "Gemini": (
        {
            "candidates": [
                {
                    "content": {"parts": [{"text": SAID}]},
                    "groundingMetadata": {
                        "groundingChunks": CHUNKS,
                        "groundingSupports": [
                            {"segment": {"endIndex": 26}, "groundingChunkIndices": [1]}
                        ],
                    },
                }
            ]
        },
        ("Opened.",),
        [("doc-1",), ()],
    ),
    "Cohere": (
        {
            "message": {
                "content": [{"type": "text", "text": SAID}],
                "citations": [
                    {
                        "start": 27,
                        "end": 42,
                        "text": "Two men 🚂 died.",
                        "sources": [
                            {"type": "document", "id": "d:0", "document": {"snippet": "Died."}}
                        ],
                    }
                ],
            }
        },
        ("Died.",),
        [(), ("d:0",)],
    ),
    "Cohere's first": (
        {
            "text": SAID,
            "citations": [{"start": 0, "end": 10, "text": "The bridge", "document_ids": ["d1"]}],
            "documents": [{"id": "d0", "snippet": "No."}, {"id": "d1", "text": "Opened."}],
        },
        ("No.", "Opened."),
        [("d1",), ()],
    ),
    "Perplexity": (
        {
            "choices": [{"message": {"content": "It opened in 1931 [2]. It is red [3]."}}],
            "citations": ["https://a.example/1", "https://b.example/2"],
            "search_results": [
                {"url": "https://a.example/1", "snippet": "No."},
                {"url": "https://b.example/2", "snippet": "Opened."},
            ],
        },
        ("No.", "Opened."),
        [("https://b.example/2",), ("3",)],
    ),
    "a chat whose printed numbers count from 1": (
        {
            "request": {
                "messages": [{"role": "tool", "content": one} for one in ("No.", "Opened.")]
            },
            "response": {
                "object": "chat.completion",
                "choices": [{"message": {"content": "It opened in 1931 [2]."}}],
            },
        },
        ("No.", "Opened."),
        [("Opened.",)],
    ),
}


@pytest.mark.parametrize("case", RETURNED)
def test_what_a_response_notes_names_the_documents_of_its_row(case: str, tmp_path: Path) -> None:
    response, contexts, cited = RETURNED[case]
    path = tmp_path / "responses.jsonl"
    path.write_text("".join(json.dumps({**response, "id": id}) + "\n" for id in ("a", "b")))
    read = read_rows(path)
    for answer in read.answers.values():
        documents = read.dataset.documents_of(read.dataset.by_id[answer.id])
        assert tuple(one.text for one in documents.values()) == contexts
        named = [
            tuple(
                documents[id].text if id.startswith("c") and id in documents else id
                for id in one.citations
            )
            for one in answer.sentences
        ]
        assert named == cited
        (counted,) = answer.marks
        assert counted.unknown == (case == "Perplexity")


OWN = [
    {
        "id": "doc-1",
        "title": "b",
        "url": PAGE,
        "text": "It opened in 1931. A ticket costs 2 euros.",
    },
    {"id": "doc-2", "title": "a", "url": f"{PAGE}/2", "text": "It was painted red in 1990."},
]
SPANS = [
    {"type": "text", "text": "It was painted red in 1990. "},
    {"type": "text", "text": "A ticket costs 2 euros."},
]


def message(title: str | None, index: int) -> dict[str, Any]:
    """A message whose first sentence cites a document by this title, at this place from 0."""
    note: dict[str, Any] = {**CITED, "document_index": index, "document_title": title}
    return {"type": "message", "content": [{**SPANS[0], "citations": [note]}, SPANS[1]]}


@pytest.mark.parametrize(
    ("response", "cited"),
    [
        (
            {
                "object": "chat.completion",
                "choices": [{"message": {"content": "Red [2]. It opened [1]."}}],
            },
            [("doc-2",), ("doc-1",)],
        ),
        (CHAT, [("doc-1",)]),
        (GEMINI, [("doc-1",)]),
        (message("a", 0), [("doc-2",), ()]),
        (message(None, 1), [("doc-2",), ()]),
        ({"status_code": 200, "body": CHAT}, [("doc-1",)]),
    ],
    ids=["numbers", "OpenAI", "Gemini", "Anthropic by title", "Anthropic by place", "a batch"],
)
@pytest.mark.parametrize("column", ["Contexts", "mine"])
def test_a_row_s_own_columns_go_before_what_its_response_says(
    response: dict[str, Any], cited: list[tuple[str, ...]], column: str
) -> None:
    row = {
        "question_id": 7,
        "Question": "When?",
        column: OWN,
        "ground_truth": "In 1931.",
        "session_id": "s",
        "response": response,
    }
    rows = read_rows([row], {"contexts": "mine"} if column == "mine" else None)
    (one,) = rows.dataset
    assert (one.id, one.text, one.cluster) == ("7", "When?", "s")
    assert one.gold is not None
    assert one.gold.answer == "In 1931."
    assert one.documents == ("doc-1", "doc-2")
    assert [said.citations for said in rows.answers["7"].sentences] == cited
    assert (rows.columns["contexts"], rows.columns["answer"]) == (column, "response")
    # Their own contexts are none of what a response quotes, so they stay where pages are at hand.
    assert read_rows([row], {"contexts": column}, web=True).dataset.documents.keys() == {
        "doc-1",
        "doc-2",
    }


def test_an_empty_column_leaves_the_contexts_to_the_response() -> None:
    row = {"question": "When?", "retrieved_contexts": [], "response": QUOTING}
    (document,) = read_rows([row]).dataset.documents.values()
    assert document.text == "in 1931"


def test_a_sentence_that_the_row_s_contexts_support_needs_no_quote(tmp_path: Path) -> None:
    row = {"question": "What is known?", "contexts": OWN, "response": message("a", 0)}
    (tmp_path / "row.jsonl").write_text(json.dumps(row))
    done = CliRunner().invoke(main, ["evaluate", str(tmp_path / "row.jsonl"), "--format", "json"])
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["scores"]["faithfulness.supported"]["value"] == 1
