"""Answers in every shape that they come in, and every fault that they come with."""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from argue_bench.errors import Code, DataError, Finding, UsageError
from argue_bench.leaderboard.submitting.answer_files import check_answer_file, coverage
from argue_bench.loaders.answers import (
    ParsedAnswer,
    as_answers,
    build_answer,
    read_answer_file,
)
from argue_bench.loaders.dataset import Dataset
from argue_bench.records import Answer, Document, Question, Sentence
from argue_bench.text import CitationIndex
from tests.growth import assert_linear
from tests.shared import shared, table

DOCUMENTS = {id: Document(id, "", title) for id, title in (("d1", "The Wall"), ("d2", "The Tower"))}
DATASET = Dataset(
    "toy",
    "dev",
    (
        Question("q1", "?", documents=("d2", "d1")),
        Question("q2", "?"),
        Question("q3", "?", language="fr"),
    ),
    DOCUMENTS,
)
GOOD = {"id": "q1", "answer": "It fell."}


def one(answer: Any) -> list[tuple[str, tuple[str, ...]]]:
    (read,) = as_answers([answer], DATASET).values()
    return said(read)


def findings(answers: Any) -> tuple[Finding, ...]:
    with pytest.raises(DataError) as caught:
        as_answers(answers, DATASET)
    return caught.value.findings


def said(answer: Answer) -> list[tuple[str, tuple[str, ...]]]:
    return [(sentence.plain, sentence.citations) for sentence in answer.sentences]


def test_a_text_is_read_with_the_documents_and_language_of_its_question() -> None:
    read = as_answers(
        [
            {"id": "q1", "answer": "It fell [1]. It rose [The Wall]."},
            {"id": "q2", "answer": "It fell [1] [d1]."},
            {"id": "q3", "answer": "M. Le Pen vint."},
        ],
        DATASET,
    )
    assert said(read["q1"]) == [("It fell.", ("d2",)), ("It rose.", ("d1",))]
    assert said(read["q2"]) == [("It fell.", ("1", "d1"))], "no list to count"
    assert len(read["q3"].sentences) == 1
    assert read["q1"].text == "It fell [1]. It rose [The Wall]."


def test_records_are_taken_as_they_are() -> None:
    record = Answer("q1", "x [1]", (Sentence("y"),), "r")
    assert as_answers([record], DATASET)["q1"] is record


REFERENCES = ["d1", "d2"]
REPORTS = table(
    """
    {"responses": [{"text": "x", "citations": ["d2", "d9"]}]} | d2 d9
    {"responses": [{"text": "x", "citations": [1, 0]}], "references": ["d1", "d2"]} | d2 d1
    {"responses": [{"text": "x", "citations": ["d2"]}], "references": ["d1", "d2"]} | d2
    {"responses": [{"text": "x", "citations": {"d2": 0.9, "d1": 1}}], "references": []} | d2 d1
    {"responses": [{"text": "x", "citations": {"d1": 1}}], "references": {"d1": 0.5}} | d1
    {"responses": [{"text": "x", "citations": {}}]} |
    {"responses": [{"text": "x"}]} |
    {"responses": [{"text": "x", "citations": null}]} |
    {"responses": [{"text": "x", "citations": [31452104]}]} | 31452104
    {"responses": [{"text": "x", "citations": [0]}], "references": [31452104]} | 31452104
    {"answer": [{"text": "x", "citations": [0]}], "references": ["d1", "d2"]} | d1
    """
)


@pytest.mark.parametrize("mark", [" [d2]", " [1]", " [0]", " [The Tower]", " [1, 2]"])
def test_marks_in_the_texts_of_a_report_are_no_words(mark: str) -> None:
    said = [{"text": f"It fell{mark}.", "citations": [0]}, {"text": "It rose.", "citations": [1]}]
    report = {"id": "q1", "references": ["d2", "d1"], "responses": said}
    read = as_answers([report], DATASET)["q1"]
    found = [(one.plain, one.citations) for one in read.sentences]
    assert found == [("It fell.", ("d2",)), ("It rose.", ("d1",))]
    assert [read.text[one.start : one.end] for one in read.sentences] == [
        f"It fell{mark}.",
        "It rose.",
    ]


def test_headings_among_the_texts_of_a_report_state_nothing() -> None:
    texts = ["## Part 1: overview", "It fell.", "---", "## Part 2: the end", "It rose."]
    said = [{"text": text, "citations": [0] if "It" in text else []} for text in texts]
    read = as_answers([{"id": "q1", "references": ["d2"], "responses": said}], DATASET)["q1"]
    assert [one.plain for one in read.sentences] == ["", "It fell.", "", "", "It rose."]
    assert read.plain.startswith("Part 1: overview It fell.")


def test_an_index_that_is_a_text_is_read_with_a_warning(tmp_path: Path) -> None:
    report = {
        "id": "q1",
        "references": ["d2", "d1"],
        "responses": [{"text": "x", "citations": ["1"]}],
    }
    assert one(report) == [("x", ("d1",))]
    path = tmp_path / "a.jsonl"
    path.write_text(json.dumps(report))
    findings = read_answer_file(path, DATASET)[1]
    assert [(found.level, found.path) for found in findings] == [
        ("warning", "/responses/0/citations/0")
    ]


@pytest.mark.parametrize(("report", "cited"), REPORTS)
def test_a_report_cites(report: str, cited: str) -> None:
    told = {"metadata": {"topic_id": "q1", "run_id": "r"}, **json.loads(report)}
    assert one(told) == [("x", tuple(cited.split()))]


@pytest.mark.parametrize(
    "named",
    [
        {"metadata": {"topic_id": "q1"}},
        {"metadata": {"narrative_id": "q1"}},
        {"metadata": {"request_id": "q1"}},
        {"topic_id": "q1"},
        {"turn_id": "q1"},
        {"request_id": "q1"},
        {"id": "q1", "metadata": {"topic_id": "other"}},
    ],
    ids=str,
)
def test_a_report_names_its_topic(named: dict[str, Any]) -> None:
    assert one({**named, "responses": [{"text": "x", "citations": []}]}) == [("x", ())]


@pytest.mark.parametrize("mark", ["[1]", "[d2]", "[0]", "(Document 1)", ""])
def test_marks_in_a_report_that_cites_beside_are_no_words(mark: str) -> None:
    """Systems split what they wrote into sentences, and leave the marks where they stood."""
    text = f"Erected in 1931 {mark}.".replace(" .", ".")
    given = {"responses": [{"text": text, "citations": [0]}], "references": ["d2"]}
    (read,) = as_answers([{"metadata": {"topic_id": "q1"}, **given}], DATASET).values()
    assert [(s.plain, s.citations) for s in read.sentences] == [("Erected in 1931.", ("d2",))]
    assert read.text == text


def test_headings_of_a_report_are_read_in_linear_time() -> None:
    def read(text: str) -> Answer:
        sentences = (*[Sentence("# a")] * (len(text) * 9 // 20), Sentence("It is so."))
        row = ParsedAnswer("q1", None, sentences)
        return build_answer(row, DATASET.questions[0], lambda _: CitationIndex.of(["d1"]))

    assert_linear("#", read)


@pytest.mark.parametrize("first", ["It fell.", "**It** fell."])
def test_a_label_and_bullets_of_a_report_are_read_wherever_they_stand(first: str) -> None:
    texts = [first, "It is made of:", "- steel", "- stone", "In order:", "1. Wood", "2. Clay"]
    said = [{"text": text, "citations": ["d1"] if text[-1] != ":" else []} for text in texts]
    read = as_answers([{"id": "q1", "responses": said}], DATASET)["q1"]
    assert [one.claim for one in read.sentences] == [
        "It fell.",
        "",
        "It is made of: steel",
        "It is made of: stone",
        "",
        "In order: Wood",
        "In order: Clay",
    ]


def test_a_number_in_a_report_without_citations_is_kept() -> None:
    given = {"responses": [{"text": "Erected in [1931]."}]}
    (read,) = as_answers([{"metadata": {"topic_id": "q1"}, **given}], DATASET).values()
    assert [s.plain for s in read.sentences] == ["Erected in [1931]."]


def test_an_index_that_names_nothing_is_kept_with_a_warning(tmp_path: Path) -> None:
    report = {
        "id": "q1",
        "responses": [{"text": "x", "citations": [2, -1]}],
        "references": REFERENCES,
    }
    assert one(report) == [("x", ("references[2]", "references[-1]"))]
    path = tmp_path / "run.jsonl"
    path.write_text(json.dumps(report))
    _, found = read_answer_file(path, DATASET)
    assert [(f.code, f.level, f.path) for f in found] == [
        ("index-out-of-range", "warning", "/responses/0/citations/0"),
        ("index-out-of-range", "warning", "/responses/0/citations/1"),
    ]


SHAPES = table(
    r"""
    [{"id": "q1", "answer": "x"}] | wrong-shape |
    null | wrong-shape |
    {"answer": "x"} | key-missing |
    {"id": "q1"} | key-missing |
    {"id": 1, "answer": "x"} | id-not-text | /id
    {"topic_id": true, "answer": "x"} | id-not-text | /topic_id
    {"id": ["q1"], "answer": "x"} | id-not-text | /id
    {"id": "q9", "answer": "x"} | unknown-id | /id
    {"id": "", "answer": "x"} | unknown-id | /id
    {"id": "q1", "answer": null} | answer-not-text | /answer
    {"id": "q1", "answer": true} | answer-not-text | /answer
    {"id": "q1", "answer": {"text": "x"}} | answer-not-text | /answer
    {"id": "q1", "responses": "x"} | answer-not-text | /responses
    {"id": "q1", "responses": ["x"]} | wrong-shape | /responses/0
    {"id": "q1", "responses": [{"text": null}]} | wrong-shape | /responses/0
    {"id": "q1", "responses": [{"text": "x", "citations": "d1"}]} | wrong-shape | /responses/0/citations
    {"id": "q1", "responses": [{"text": "x", "citations": [true]}]} | wrong-shape | /responses/0/citations/0
    {"id": "q1", "responses": [{"text": "x", "citations": ["d1", ["d2"]]}]} | wrong-shape | /responses/0/citations/1
    {"id": "q1", "responses": [{"text": "x", "citations": [0]}], "references": [["d1"]]} | wrong-shape | /responses/0/citations/0
    {"id": "q1", "responses": [{"text": "x"}], "references": "d1"} | wrong-shape | /references
    {"id": "q1", "answer": "\ud83d"} | lone-surrogate | /answer
    {"id": "q1", "responses": [{"text": "x", "citations": ["\ud83d"]}]} | lone-surrogate | /responses/0/citations/0
    """
)


@pytest.mark.parametrize(("answer", "code", "path"), SHAPES)
def test_a_wrong_shape_is_a_finding_with_its_place(answer: str, code: str, path: str) -> None:
    (finding,) = findings([GOOD | {"id": "q2"}, json.loads(answer)])
    assert (finding.code, finding.path) == (code, path)
    assert (finding.file, finding.line) == ("answers[]", 2)
    assert finding.hint
    str(finding).encode()


def test_every_finding_comes_at_once() -> None:
    answers = [GOOD, GOOD, {"id": "q9", "answer": ""}, 5, {}, {"id": 1, "answer": 2}]
    assert [(finding.line, finding.code) for finding in findings(answers)] == [
        (2, "duplicate-id"),
        (3, "unknown-id"),
        (4, "wrong-shape"),
        (5, "key-missing"),
        (5, "key-missing"),
        (6, "id-not-text"),
        (6, "answer-not-text"),
    ]


def test_one_mapping_is_no_list_of_answers() -> None:
    with pytest.raises(UsageError, match="not one mapping"):
        as_answers({"q1": "It fell."}, DATASET)  # type: ignore[arg-type]


def line(value: Any) -> bytes:
    return json.dumps(value).encode() + b"\n"


A, B = line(GOOD), line({"id": "q2", "answer": "It rose."})
BAD_FILES: dict[str, tuple[bytes, list[tuple[int | None, str, str]], list[str]]] = {
    "blank lines": (
        b"\n" + A + b"  \n\n" + B,
        [(1, "blank-line", "notice"), (3, "blank-line", "notice"), (4, "blank-line", "notice")],
        ["q1", "q2"],
    ),
    "byte order mark": (b"\xef\xbb\xbf" + A + B, [(1, "byte-order-mark", "notice")], ["q1", "q2"]),
    "CRLF": ((A + B).replace(b"\n", b"\r\n"), [], ["q1", "q2"]),
    "no last line break": ((A + B).rstrip(), [], ["q1", "q2"]),
    "truncated": (A + B[:-9], [(2, "not-json", "error")], ["q1"]),
    "duplicate id": (A + A + B, [(2, "duplicate-id", "error")], ["q1", "q2"]),
    "unknown id": (line({"id": "q9", "answer": ""}) + B, [(1, "unknown-id", "error")], ["q2"]),
    "one list": (line([GOOD]) + B, [(1, "wrong-shape", "error")], ["q2"]),
    "empty": (b"", [(None, "empty", "error")], []),
    "blank": (b"\n", [(1, "blank-line", "notice"), (None, "empty", "error")], []),
    "bad lines only": (b"x\n", [(1, "not-json", "error")], []),
}

Read = Callable[[Path], tuple[list[str], list[Finding]]]


def whole(path: Path) -> tuple[list[str], list[Finding]]:
    answers, found = read_answer_file(path, DATASET)
    return list(answers), found


def only_checked(path: Path) -> tuple[list[str], list[Finding]]:
    seen, found = check_answer_file(path, DATASET.by_id)
    return sorted(seen), found


@pytest.mark.parametrize("read", [whole, only_checked])
@pytest.mark.parametrize(("raw", "expected", "good"), BAD_FILES.values(), ids=BAD_FILES)
def test_a_bad_file(
    tmp_path: Path,
    raw: bytes,
    expected: list[tuple[int | None, str, str]],
    good: list[str],
    read: Read,
) -> None:
    path = tmp_path / "answers.jsonl"
    path.write_bytes(raw)
    ids, found = read(path)
    assert [(f.line, f.code, f.level) for f in found] == expected
    assert ids == good
    for finding in found:
        assert finding.file == str(path)
        assert finding.message
        assert finding.hint or finding.level == "notice"
        str(finding).encode()


@pytest.mark.parametrize("read", [whole, only_checked])
def test_no_file_to_read(tmp_path: Path, read: Read) -> None:
    (tmp_path / "dangling").symlink_to(tmp_path / "none")
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    for name, code in (
        ("", "unreadable"),
        ("none", "no-such-file"),
        ("dangling", "no-such-file"),
        ("loop", "unreadable"),
    ):
        ids, found = read(tmp_path / name)
        assert ([f.code for f in found], ids) == ([code], [])


def test_a_flood_is_counted(tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    path.write_bytes(b"x\n" * 1500 + b"\n" * 101 + A + line({"id": "q9", "answer": ""}))
    ids, found = whole(path)
    assert ids == ["q1"]
    assert len(found) == 100 + 100 + 1 + 2
    assert [(f.code, f.message, f.level) for f in found[-2:]] == [
        ("blank-line", "and 1 more of this kind", "notice"),
        ("not-json", "and 1,400 more of this kind", "error"),
    ]


def test_an_answer_is_read_up_to_its_first_hundred_faults() -> None:
    """A finding for each of 25 million numbers took a minute, in the intake of somebody else too."""
    for fault in ([1] * 5_000, [{"text": "It fell.", "citations": [None] * 5_000}]):
        with pytest.raises(DataError) as refused:
            as_answers([{"id": "q1", "responses": fault}, {"id": "q2", "answer": 1}], DATASET)
        wrong, other = refused.value.findings[:-1], refused.value.findings[-1]
        assert [one.code for one in wrong] == [Code.WRONG_SHAPE] * 100
        assert other.code == Code.ANSWER_NOT_TEXT


def test_coverage_is_sorted_and_comes_in_two_lines() -> None:
    missing, unknown = coverage({"q2", "z", "a"}, DATASET, "s.jsonl")
    assert missing.message == "2 of 3 questions have no answer: q1, q3"
    assert unknown.message == "2 ids name no question: a, z"
    assert (missing.code, missing.file, missing.level) == ("missing-ids", "s.jsonl", "error")
    assert coverage(["q1", "q2", "q3"], DATASET) == []


def test_coverage_names_the_first_of_many() -> None:
    many = Dataset("toy", "dev", tuple(Question(f"q{n:03}", "?") for n in range(100)))
    (missing,) = coverage([], many, level="warning")
    assert missing.message.startswith("100 of 100 questions have no answer: q000, q001, ")
    assert missing.message.endswith("q019 and 80 more")
    assert missing.level == "warning"


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the peak is read from /proc")
def test_checking_100_mb_holds_little_memory(tmp_path: Path) -> None:
    """One line of 100,000 characters, a thousand times: a second process says its peak."""
    path = tmp_path / "answers.jsonl"
    with path.open("w") as file:
        for number in range(1000):
            file.write(json.dumps({"id": f"q{number}", "answer": "x y. " * 20_000}) + "\n")
    assert path.stat().st_size > 100_000_000
    code = (
        "import sys; from pathlib import Path; "
        "from argue_bench.leaderboard.submitting.answer_files import check_answer_file; "
        "seen, found = check_answer_file(Path(sys.argv[1]), {f'q{n}' for n in range(1000)}); "
        "status = Path('/proc/self/status').read_text().split(); "
        "print(len(seen), len(found), status[status.index('VmHWM:') + 1])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=True
    )
    seen, found, kilobytes = map(int, done.stdout.split())
    assert (seen, found) == (1000, 0)
    assert kilobytes < 200_000


def test_real_generations_report_exactly_their_unknown_and_missing_ids() -> None:
    """FanOutQA's 27 files: one id that was dropped from the test set; 8 files miss 1 to 17."""
    folder = shared("data", "fanoutqa")
    questions = json.loads((folder / "test.json").read_text())
    dataset = Dataset(
        "fanoutqa", "test", tuple(Question(q["id"], q["question"]) for q in questions)
    )
    files = sorted((folder / "leaderboard-submissions").glob("*generations/*.jsonl"))
    assert len(files) == 27
    dropped, short = set(), []
    for path in files:
        seen, found = check_answer_file(path, dataset.by_id)
        assert [finding.code for finding in found] == ["unknown-id"]
        dropped.add(found[0].message)
        missing = [finding for finding in coverage(seen, dataset) if finding.code == "missing-ids"]
        if missing:
            short.append(int(missing[0].message.split()[0]))
    assert len(dropped) == 1
    assert len(short) == 8
    assert (min(short), max(short)) == (1, 17)


def test_every_hint_is_for_a_code_that_exists() -> None:
    table = files("argue_bench.loaders") / "hints.toml"
    assert set(tomllib.loads(table.read_text(encoding="utf-8"))) <= set(Code)
