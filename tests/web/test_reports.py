"""Reports that cite the web: what a hostile one costs, and how answers read."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from argue_bench.errors import DataError
from argue_bench.loaders import load, read_answers
from argue_bench.text import CitationIndex
from argue_bench.text.citations.notations import LONGEST_URL
from argue_bench.web.citing_answers import read_web_answer_file
from argue_bench.web.products import read_product_response
from argue_bench.web.products.response_rows import read_web_answer
from argue_bench.web.text import read_web_report
from tests.growth import assert_linear

HOSTILE = {
    "marks of their own": "a\n\n[1]\n\n",
    "rows of marks": "| a [1] ",
    "images": "![",
    "numbered lines": "1. a https://x.example/\n",
    "headings": "Sources\n",
    "blank lines": "\n",
}


@pytest.mark.parametrize("piece", HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_report_is_read_in_linear_time(piece: str) -> None:
    assert_linear(piece, read_web_report)


@pytest.mark.parametrize(("over", "read"), [(0, 1), (1, 0)])
def test_an_address_that_is_too_long_is_none(over: int, read: int) -> None:
    address = "https://a.example/".ljust(LONGEST_URL + over, "x")
    assert len(read_web_report(f"It opened {address} in 1931.").marks) == read


def test_an_answer_is_read_in_linear_time() -> None:
    piece = (
        "It opened in 1931 ([a](https://a.example/1)). It is [so](https://b.example/) and so.\n\n"
    )
    assert_linear(piece, lambda text: read_web_answer("q", text, CitationIndex()))


def test_the_words_of_a_link_stay_and_its_address_goes() -> None:
    text = (
        "According to [the register](https://reg.example/1), it opened in 1931. It is blue [2].\n\n"
        "## Sources\n1. https://reg.example/1\n2. [Paint file](https://b.example/x)"
    )
    answer = read_web_answer(
        "q", text, CitationIndex.of(["reg"], urls={"https://reg.example/1": "reg"})
    )
    assert [(one.plain, one.citations) for one in answer.sentences] == [
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
    answer = read_web_answer(
        "q", given, CitationIndex.of(["page"], urls={"https://a.example/": "page"})
    )
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


U, V = "https://a.example/1", "https://b.example/2"
SAID = "It opened in 1931."


def openai(text: str, *notes: object) -> object:
    part = {"type": "output_text", "text": text, "annotations": list(notes)}
    return {"output": [{"type": "message", "content": [part]}]}


def gemini(*supports: object, **chunk: object) -> object:
    metadata = {"groundingChunks": [chunk], "groundingSupports": list(supports)}
    content = {"parts": [{"text": SAID}]}
    return {"candidates": [{"content": content, "groundingMetadata": metadata}]}


SEGMENT = {"endIndex": 18, "text": SAID}
RESPONSES: dict[str, tuple[object, list[tuple[str, list[str], list[str]]]]] = {
    "a file behind the last word": (
        openai(SAID, {"type": "file_citation", "index": len(SAID), "file_id": "f"}),
        [("", [], ["f"])],
    ),
    "a file that the answer made": (
        openai(SAID, {"type": "file_path", "index": 3, "file_id": "f"}),
        [],
    ),
    "a file of a container": (
        openai(
            "It is 9 [x].",
            {"type": "container_file_citation", "file_id": "f", "start_index": 8, "end_index": 11},
        ),
        [("[x]", [], ["f"])],
    ),
    "a place on a map": (
        gemini({"segment": SEGMENT, "groundingChunkIndices": [0]}, maps={"uri": U}),
        [(SAID, [U], ["0"])],
    ),
    "a retrieved text as the Python client saves it": (
        gemini({"segment": SEGMENT, "groundingChunkIndices": [0]}, retrieved_context={"uri": U}),
        [(SAID, [U], ["0"])],
    ),
    "a claim without a source": (gemini({"segment": SEGMENT}, web={"uri": U}), []),
    "a citation of the plan": (
        {
            "message": {
                "tool_plan": SAID,
                "content": [{"type": "text", "text": SAID}],
                "citations": [{"start": 0, "end": 2, "text": "It", "type": "PLAN", "sources": []}],
            }
        },
        [],
    ),
    "a hole in the list": (
        {"choices": [{"message": {"content": "It opened [2]."}}], "citations": [None, V]},
        [("[2]", [V], ["2"])],
    ),
    "a list of objects": (
        {"choices": [{"message": {"content": "It opened [1]."}}], "citations": [{"url": U}]},
        [("[1]", [U], ["1"])],
    ),
    "thoughts before the answer": (
        {
            "choices": [{"message": {"content": "<think>[2] says so.</think>\n\nIt opened [1]."}}],
            "citations": [U, V],
        },
        [("[1]", [U], ["1"])],
    ),
    "a refusal": (
        {"output": [{"type": "message", "content": [{"type": "refusal", "refusal": "No."}]}]},
        [],
    ),
    "a refusal in a chat": ({"choices": [{"message": {"content": None, "refusal": "No."}}]}, []),
}


@pytest.mark.parametrize("case", RESPONSES)
def test_what_a_response_cites(case: str) -> None:
    response, cited = RESPONSES[case]
    answer = read_product_response(response)
    assert answer is not None
    found = [
        (answer.text[one.start : one.end], list(one.urls), list(one.ids))
        for one in answer.citations
    ]
    assert found == cited
    assert bool(answer.problems) == (case == "a claim without a source")
    assert "think" not in answer.text
    if "refusal" in case:
        assert answer.text == "No."
