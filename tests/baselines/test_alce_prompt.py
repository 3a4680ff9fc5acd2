"""ALCE's prompt files: each prompt is worked out by hand from the format's rules, byte for byte."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from argue_bench.baselines.forms import Prompter, PromptOptions
from argue_bench.cli import main
from argue_bench.errors import DataError, UsageError
from argue_bench.loaders import load
from argue_bench.published.alce.prompts import alce_prompt
from argue_bench.records import Document, Question
from tests.models.server import ChatServer

DEMOS = [
    {
        "question": f"What is {name}?",
        "answer": f"It is {name} [1].",
        "docs": [
            {"title": name.upper(), "text": f"About {name}.", "summary": f"Short {name}."},
            {"title": "Other", "text": "Nothing.", "summary": "irrelevant"},
        ],
    }
    for name in ("ash", "birch", "cedar", "date")
]
FILE: dict[str, Any] = {
    "instruction": "Do it.",
    "demo_sep": "\n\n\n",
    "demo_prompt": "{INST}\n\nQuestion: {Q}\n\n{D}\nAnswer: {A}",
    "doc_prompt": "Document [{ID}](Title: {T}): {P}\n",
    "demos": DEMOS,
}
DOCUMENTS = [
    {
        "id": "1",
        "title": "Bridge",
        "text": " Opened 1931. ",
        "summary": "1931.",
        "extraction": "Irrelevant.",
    },
    {
        "id": "2",
        "title": "{P}",
        "text": "{ID}",
        "summary": "Irrelevant here.",
        "extraction": "Opened.",
    },
    {"id": "3", "title": "Toll", "text": "It is 23.", "summary": "23.", "extraction": "23"},
    {"id": "4", "title": "Last", "text": "Whole text."},
    {"id": "5", "title": "After", "text": "More.", "summary": "More."},
]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    entry = {
        "sample_id": "7",
        "question": "When was it built?",
        "answer": "In 1931.",
        "qa_pairs": [{"question": "q", "short_answers": ["1931"]}],
        "docs": DOCUMENTS,
    }
    path = tmp_path / "asqa.json"
    path.write_text(json.dumps([entry]))
    return path


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "mine.json"
    path.write_text(json.dumps(FILE))
    return path


def prompt(file: Path, data: Path, **turned: Any) -> str:
    form = alce_prompt(file, **turned)
    ndoc = turned.get("ndoc")
    dataset = load("alce-asqa", "gtr", data)
    prompter = Prompter(dataset, "evidenceprovided", form, PromptOptions(ndoc=ndoc))
    (message,) = prompter.prompt(dataset[0]).request.messages
    return message.text


def test_without_demonstrations(file: Path, data: Path) -> None:
    """Texts as they are; a mark in a title is filled by what comes after it, as in ALCE."""
    assert prompt(file, data, ndoc=2) == (
        "Do it.\n\nQuestion: When was it built?\n\n"
        "Document [1](Title: Bridge):  Opened 1931. \n"
        "Document [2](Title: 2): 2\n"
        "\nAnswer:"
    )


def test_no_documents_take_their_line_with_them(file: Path, data: Path) -> None:
    assert prompt(file, data, ndoc=0) == "Do it.\n\nQuestion: When was it built?\n\nAnswer:"


@pytest.mark.parametrize("seed", [42, 0, 7])
def test_demonstrations_are_those_that_numpy_draws(file: Path, data: Path, seed: int) -> None:
    np.random.seed(seed)
    expected = ""
    for n in np.random.choice(4, 2, replace=False):
        name = ("ash", "birch", "cedar", "date")[n]
        expected += (
            f"Do it.\n\nQuestion: What is {name}?\n\nDocument [1](Title: {name.upper()}): About {name}.\n"
            f"\nAnswer:It is {name} [1].\n\n\n"
        )
    expected += "Do it.\n\nQuestion: When was it built?\n\nDocument [1](Title: Bridge):  Opened 1931. \n\nAnswer:"
    assert prompt(file, data, ndoc=1, shot=2, seed=seed) == expected


def test_summaries_pass_over_what_is_irrelevant_and_stop_where_there_is_none(
    file: Path, data: Path
) -> None:
    head = "Do it.\n\nQuestion: When was it built?\n\n"
    assert prompt(file, data, ndoc=5, reads="summary") == (
        f"{head}Document [1](Title: Bridge): 1931.\nDocument [2](Title: Toll): 23.\n\nAnswer:"
    )
    assert prompt(file, data, ndoc=1, reads="extraction") == (
        f"{head}Document [1](Title: Opened.): Opened.\n\nAnswer:"
    )
    whole = alce_prompt(file, "summary").select_documents([Document("d", "All of it.")])
    assert [text for _, text in whole] == ["All of it."]
    (demonstration,) = alce_prompt(file, "summary", shot=1).demonstrations
    shown = alce_prompt(file, "summary").select_documents(demonstration.documents)
    assert [text.split()[0] for _, text in shown] == ["Short"]


def test_rageval_takes_the_first_demonstrations_and_shows_what_is_irrelevant(file: Path) -> None:
    form = alce_prompt(file, shot=2, rules="rageval")
    (message,) = form.messages(Question("q", "When was it built?"), (), "closedbook")
    asked = re.findall(r"Question: (.+)", message.text)
    assert asked == ["What is ash?", "What is birch?", "When was it built?"]
    documents = [
        Document("1", "a", summary="Irrelevant."),
        Document("2", "b", summary="It opened."),
    ]
    shown = {
        rules: [text for _, text in form.select_documents(documents)]
        for rules in ("alce", "rageval")
        for form in [alce_prompt(file, "summary", rules=rules)]
    }
    assert shown == {"alce": ["It opened."], "rageval": ["Irrelevant.", "It opened."]}
    assert alce_prompt(file, shot=1).digest != alce_prompt(file, shot=1, rules="rageval").digest


def test_demonstrations_without_a_file_are_told_where_they_are(data: Path) -> None:
    words = ["generate", "--dataset", "alce-asqa", "--data", str(data), "--shot", "2", "--dry-run"]
    words += ["--setting", "evidenceprovided", "--model", "server/m", "--out", "out.jsonl"]
    result = CliRunner().invoke(main, [*words, "--prompt", "alce-vanilla"])
    assert result.exit_code == 2
    assert "--shot goes with ALCE's prompt files" in result.output


def test_a_closed_book_file_shows_no_document(file: Path, data: Path) -> None:
    file.write_text(json.dumps(FILE | {"demo_prompt": "{INST}\n\nQuestion: {Q}\n\nAnswer: {A}"}))
    assert prompt(file, data, ndoc=3) == "Do it.\n\nQuestion: When was it built?\n\nAnswer:"


def test_a_demonstration_never_asks_the_question_itself(file: Path) -> None:
    form = alce_prompt(file, shot=4)
    (message,) = form.messages(Question("q", "what is  Ash?"), (), "closedbook")
    assert "What is ash?" not in message.text
    assert message.text.count("Answer:") == 4


def test_all_that_is_wrong_with_a_file_is_told(tmp_path: Path, file: Path) -> None:
    bad = tmp_path / "bad.json"
    turns = {"question": "Q", "answer": ["Check: Document [1]"], "docs": []}
    bad.write_text(json.dumps(FILE | {"demo_sep": 3, "demo_prompt": "{Q}", "demos": [turns, 1]}))
    with pytest.raises(DataError) as caught:
        alce_prompt(bad)
    found = sorted(finding.path for finding in caught.value.findings)
    assert found == ["$.demo_prompt", "$.demo_sep", "$.demos[0].answer", "$.demos[1]"]
    for text in ("[]", "{", '{"demos": {}}'):
        bad.write_text(text)
        with pytest.raises(DataError):
            alce_prompt(bad)
    with pytest.raises(UsageError, match="4 demonstrations"):
        alce_prompt(file, shot=5)


def test_generate_takes_one(
    file: Path, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = "It opened in 1931 [1], with a toll [2]."
    with ChatServer(model=lambda body: said) as server:
        monkeypatch.setenv("ARGUE_BENCH_BASE_URL", server.url)
        out = tmp_path / "out.jsonl"
        words = f"--dataset alce-asqa --data {data} --setting evidenceprovided --model server/m"
        more = f"--prompt {file} --reads summary --ndoc 2 --shot 2 --out {out}"
        done = CliRunner().invoke(main, ["generate", *words.split(), *more.split()])
        assert done.exit_code == 0, done.output
        (body,) = server.requests
    assert [message["role"] for message in body["messages"]] == ["user"]
    row = json.loads(out.read_text())
    # The second document that was shown is the third of the data.
    assert row == {"id": "7", "answer": "It opened in 1931 [7/1], with a toll [7/3]."}
    assert json.loads((tmp_path / "out.about.json").read_text())["prompt"].startswith("mine@")
