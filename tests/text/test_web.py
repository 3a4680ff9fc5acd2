"""Reports that cite the web: what a hostile one costs, and how answers read."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from argue_bench.errors import DataError
from argue_bench.loaders import load, read_answers
from argue_bench.loaders.web import read_web_answer_file
from argue_bench.text.products import read_product_response
from argue_bench.text.products.web_answer import read_web_answer
from argue_bench.text.web import read_web_report
from argue_bench.text.web.references import LONGEST_URL
from tests.growth import assert_linear

HOSTILE = {
    "open brackets": "[",
    "open links": "[a](",
    "links without end": "](http://",
    "addresses without blanks": "http://a",
    "raised": "<sup>",
    "lenses": "【",
    "marks in one block": "[1] ",
    "marks of their own": "a\n\n[1]\n\n",
    "rows of marks": "| a [1] ",
    "ticks": "`",
    "formulas": "$_",
    "images": "![",
    "notes": "[^",
    "numbered lines": "1. a https://x.example/\n",
    "definitions": "[1]: ",
    "headings": "Sources\n",
    "blank lines": "\n",
    "sentences": "It is so. ",
}


@pytest.mark.parametrize("piece", HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_report_is_read_in_linear_time(piece: str) -> None:
    assert_linear(piece, read_web_report)


@pytest.mark.parametrize("over", [-1, 0, 1, 19])
def test_an_address_that_is_too_long_is_none_and_a_later_one_in_it_is_read(over: int) -> None:
    short = "https://b.example/"
    address = f"https://a.example/?{short}"
    address += "x" * (LONGEST_URL + len("https://") - len(address) + over)
    (mark,) = read_web_report(f"It opened {address} in 1931.").marks
    assert mark.urls == (address[address.index(short) :] if over > 0 else address,)


def test_an_answer_is_read_in_linear_time() -> None:
    piece = (
        "It opened in 1931 ([a](https://a.example/1)). It is [so](https://b.example/) and so.\n\n"
    )
    assert_linear(piece, lambda text: read_web_answer("q", text, {}))


def test_the_words_of_a_link_stay_and_its_address_goes() -> None:
    text = (
        "According to [the register](https://reg.example/1), it opened in 1931. It is blue [2].\n\n"
        "## Sources\n1. https://reg.example/1\n2. [Paint file](https://b.example/x)"
    )
    answer = read_web_answer("q", text, {"https://reg.example/1": "reg"})
    assert [(one.text, one.citations) for one in answer.sentences] == [
        ("According to the register, it opened in 1931.", ("reg",)),
        ("It is blue.", ("https://b.example/x",)),
    ]


def test_a_span_of_a_product_cites_for_every_sentence_that_it_touches() -> None:
    payload = {
        "text": "It opened in 1931. It is blue. It stands.",
        "citations": [{"start": 3, "end": 29, "document_ids": ["d1"], "text": None}],
        "documents": [{"id": "d1", "url": "https://a.example"}],
    }
    given = read_product_response(payload)
    assert given is not None
    answer = read_web_answer("q", given, {"https://a.example/": "page"})
    assert [one.citations for one in answer.sentences] == [("page",), ("page",), ()]


@pytest.mark.parametrize(
    "payload",
    [
        None,
        7,
        [],
        {},
        {"content": "words"},
        {"choices": []},
        {"candidates": [{}]},
        {"output": [{"type": "message", "content": [{"type": "output_text"}]}]},
    ],
)
def test_a_payload_of_no_known_form_is_none_or_empty(payload: object) -> None:
    answer = read_product_response(payload)
    assert answer is None or (answer.text, answer.citations) == ("", [])


def test_an_offset_that_cuts_a_character_is_told() -> None:
    payload = {
        "candidates": [
            {
                "content": {"parts": [{"text": "Two men 🚂 died."}]},
                "groundingMetadata": {
                    "groundingChunks": [{"web": {"uri": "https://a.example/"}}],
                    "groundingSupports": [
                        {"segment": {"startIndex": 9, "endIndex": 14}, "groundingChunkIndices": [0]}
                    ],
                },
            }
        ]
    }
    answer = read_product_response(payload)
    assert answer is not None
    assert [one.kind for one in answer.citations] == ["unplaced"]
    assert "cut a character" in answer.problems[0]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    rows = {
        "questions.jsonl": [{"id": "q1", "text": "When?"}, {"id": "q2", "text": "How much?"}],
        "documents.jsonl": [
            {
                "id": "reg",
                "title": "Register",
                "text": "Opened in 1931.",
                "url": "https://reg.example/1",
            }
        ],
    }
    description = {"name": "bridges", "version": "1", "split": "dev", "language": "en"}
    (tmp_path / "set.json").write_text(json.dumps(description))
    for name, lines in rows.items():
        (tmp_path / name).write_text("".join(json.dumps(line) + "\n" for line in lines))
    return tmp_path


def write(path: Path, *rows: object) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_addresses_name_the_documents_that_were_read_there(folder: Path) -> None:
    answer = "It opened in 1931 ([r](https://reg.example/1?utm_source=chat#top))."
    path = write(folder / "answers.jsonl", {"id": "q1", "answer": answer})
    read = read_answers(path, load(folder), "web")
    assert [one.citations for one in read["q1"].sentences] == [("reg",)]


def test_bad_lines_are_found_all_at_once_and_a_bad_place_is_a_warning(folder: Path) -> None:
    block = {"type": "text", "text": "It is blue."}
    cited = [{"type": "url", "url": "https://reg.example/1", "cited_text": [3, 99]}]
    path = write(
        folder / "answers.jsonl",
        {"id": "q1", "response": {"content": [block | {"citations": cited}]}},
        {"id": "q1", "answer": "again"},
        {"id": "q9", "answer": "unknown"},
        {"id": "q2", "response": {"what": 1}},
        7,
    )
    read, findings = read_web_answer_file(path, load(folder))
    assert [(one.line, str(one.code), one.level) for one in findings] == [
        (1, "citation-place", "warning"),
        (2, "duplicate-id", "error"),
        (3, "unknown-id", "error"),
        (4, "answer-not-text", "error"),
        (5, "wrong-shape", "error"),
    ]
    assert read["q1"].sentences[0].citations == ()
    with pytest.raises(DataError, match="unknown-id"):
        read_answers(path, load(folder), "web")
