"""Submissions, honest and hostile: each fault has its code, and never hides another's."""

from __future__ import annotations

import json
import os
import shutil
import time
import tracemalloc
from collections.abc import Callable
from dataclasses import replace
from itertools import cycle
from pathlib import Path
from typing import Any

import pytest

from argue_bench.errors import UnknownName, UsageError
from argue_bench.leaderboard.formats.names import skeleton
from argue_bench.leaderboard.formats.season import Season, SetEntry, reading_limits
from argue_bench.leaderboard.screening.answers import read_submitted
from argue_bench.leaderboard.submitting.checking import (
    CheckedFolder,
    check_submissions,
    write_metadata,
)
from argue_bench.loaders.dataset import Dataset
from argue_bench.loaders.limits import LONG_WORDS, AnswerLimits
from argue_bench.records import Document, Question
from tests.leaderboard.boards import GENERATIONS, SET, add, answers, metadata

BAD = "bad-one"
OPEN = Path("openbook-generations", f"{BAD}.jsonl")
META = Path("metadata", f"{BAD}.json")

Spoil = Callable[[Path], Any]


def codes(checked: CheckedFolder, level: str = "error") -> list[str]:
    return [finding.code for finding in checked.all_findings if finding.level == level]


def wrote(text: str | bytes) -> Spoil:
    """The answers of the bad system."""
    return lambda board: add(board, BAD, text)


def said(**changes: Any) -> Spoil:
    """The metadata of the bad system."""
    return lambda board: add(board, BAD, **changes)


def raw(content: str | bytes) -> Spoil:
    """The metadata file of the bad system, byte by byte."""

    def spoil(board: Path) -> None:
        add(board, BAD).write_bytes(content if isinstance(content, bytes) else content.encode())

    return spoil


def without(key: str) -> Spoil:
    values = metadata(BAD)
    del values[key]
    return raw(json.dumps(values))


def linked(inside: Path, target: str) -> Spoil:
    """A symbolic link in place of a file or folder."""

    def spoil(board: Path) -> None:
        add(board, BAD)
        path = board / inside
        if path.is_file():
            path.unlink()
        path.symlink_to(target)

    return spoil


def sparse(inside: Path, size: int) -> Spoil:
    def spoil(board: Path) -> None:
        add(board, BAD)
        os.truncate(board / inside, size)

    return spoil


def put(inside: str, content: str = "x") -> Spoil:
    def spoil(board: Path) -> None:
        path = board / inside
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)

    return spoil


def fifo(board: Path) -> None:
    add(board, BAD)
    (board / OPEN).unlink()
    os.mkfifo(board / OPEN)


def folder(inside: Path) -> Spoil:
    def spoil(board: Path) -> None:
        add(board, BAD)
        (board / inside).unlink()
        (board / inside).mkdir()

    return spoil


def only(inside: Path) -> Spoil:
    def spoil(board: Path) -> None:
        add(board, BAD)
        (board / (OPEN if inside == META else META)).unlink()

    return spoil


GOOD = json.dumps(metadata(BAD))
LINE = '{"id": "q1", "answer": "a"}\n'
REST = answers(("q2", "q3"))
UP = "../evidenceprovided-generations/honest.jsonl"

HOSTILE: dict[str, tuple[Spoil, list[str]]] = {
    # links, weaknesses 8 to 10
    "answers of another setting": (said(openbook_generations=UP), ["metadata-value"]),
    "answers of another system": (said(openbook_generations="honest.jsonl"), ["metadata-value"]),
    "absolute path": (said(openbook_generations="/etc/passwd"), ["metadata-value"]),
    "path of git": (said(openbook_generations="../../.git/config"), ["metadata-value"]),
    "windows path": (said(openbook_generations="..\\honest.jsonl"), ["metadata-value"]),
    "link with NUL": (said(openbook_generations="a\0.jsonl"), ["metadata-value"]),
    "link of a number": (said(openbook_generations=7), ["metadata-value"]),
    "link to nothing": (said(closedbook_generations=f"{BAD}.jsonl"), ["no-such-file"]),
    "no link": (said(openbook_generations=None), ["no-such-file"]),
    # symbolic links and other things that are no files, 11 to 13
    "metadata is a link": (linked(META, "/etc/passwd"), ["symlink"]),
    "metadata link to metadata": (linked(META, "honest.json"), ["symlink"]),
    "answers are a link": (linked(OPEN, "honest.jsonl"), ["symlink"]),
    "answers are a dangling link": (linked(OPEN, "nowhere"), ["symlink"]),
    "answers are endless": (linked(OPEN, "/dev/zero"), ["symlink"]),
    "answers are a pipe": (fifo, ["unreadable"]),
    "answers are a folder": (folder(OPEN), ["unreadable"]),
    "metadata are a folder": (folder(META), ["unreadable"]),
    "answers too large": (sparse(OPEN, 200_000_001), ["mass-empty", "too-large"]),
    "metadata too large": (sparse(META, 100_001), ["too-large"]),
    # what is printed, 14 and 15
    "command in a name": (said(name="x\n::add-mask::a\n::stop-commands::z"), ["bad-name"]),
    "command in a file name": (put("metadata/x\n::add-mask::a.json"), ["bad-name"]),
    "command as a file name": (put("::add-mask::a"), ["unexpected-file"]),
    "escape in a name": (said(name="\x1b[31mred"), ["bad-name"]),
    "image in a name": (said(name="![a](https://example.org/a.png)"), ["bad-name"]),
    "alert in a name": (said(name="> [!IMPORTANT]"), ["bad-name"]),
    "tag in a name": (said(name="<b>x</b>"), ["bad-name"]),
    "reversed name": (said(name="x\u202egnp"), ["bad-name"]),
    "zero width in a name": (said(name="GPT\u200b-4o"), ["bad-name"]),
    "line separator in authors": (said(authors="a\u2028b"), ["bad-name"]),
    # look-alikes, 16
    "cyrillic file name": (put("metadata/\u0441laude.json", GOOD), ["bad-name"]),
    "two spellings": (lambda board: add(add(board, BAD).parents[1], "Bad-One"), ["bad-name"]),
    "reserved file name": (put("metadata/con.json", GOOD), ["bad-name"]),
    "option as file name": (put("metadata/-rf.json", GOOD), ["bad-name"]),
    "one letter": (put("metadata/x.json", GOOD), ["bad-name"]),
    # types, 17 and 18
    "context NaN": (said(context=float("nan")), ["wrong-value"]),
    "context infinite": (said(context=float("inf")), ["wrong-value"]),
    "context 1e999": (raw(GOOD.replace("8192", "1e999")), ["wrong-value"]),
    "context in words": (said(context="lots"), ["metadata-value"]),
    "context negative": (said(context=-5), ["metadata-value"]),
    "context true": (said(context=True), ["metadata-value"]),
    "context a half": (said(context=5.5), ["metadata-value"]),
    "type unknown": (said(type="BEST"), ["metadata-value"]),
    "type an object": (said(type={}), ["metadata-value"]),
    "flag in words": (said(is_trained_for_function_calling="yes"), ["metadata-value"]),
    "flag a number": (said(is_trained_for_function_calling=1), ["metadata-value"]),
    "url script": (said(url="javascript:alert(document.cookie)"), ["metadata-value"]),
    "url plain": (said(url="http://example.org"), ["metadata-value"]),
    "url data": (said(url="data:text/html,x"), ["metadata-value"]),
    "url with user": (said(url="https://github.com@evil.example/"), ["metadata-value"]),
    "url with quote": (said(url='https://example.org/"onclick="x'), ["metadata-value"]),
    "url without host": (said(url="https:///x"), ["metadata-value"]),
    "url of a broken host": (said(url="https://[::1"), ["metadata-value"]),
    "name empty": (said(name="  "), ["metadata-value"]),
    "name endless": (said(name="a" * 10_000), ["metadata-value"]),
    "name null": (said(name=None), ["metadata-value"]),
    "cost negative": (said(cost=-1), ["metadata-value"]),
    "judges no list": (said(judges_used="gpt"), ["metadata-value"]),
    "no such day": (said(anonymous_until="2026-02-31"), ["metadata-value"]),
    "key unknown": (said(contexts=5), ["metadata-value"]),
    "key missing": (without("type"), ["key-missing"]),
    # JSON, 20, 22, 23
    "key twice": (raw('{"name": "Innocent", "name": "x"}'), ["duplicate-key"]),
    "metadata cut": (raw("{"), ["not-json"]),
    "metadata a list": (raw("[]"), ["wrong-shape"]),
    "metadata empty": (raw(""), ["not-json"]),
    "metadata deep": (raw("[" * 50_000), ["too-deep"]),
    "metadata latin-1": (raw(b'{"name": "\xe9"}'), ["not-utf-8"]),
    "metadata half a pair": (raw('{"name": "\\ud800"}'), ["lone-surrogate"]),
    "answer twice": (
        wrote('{"id": "q1", "answer": "a", "answer": "b"}\n' + REST),
        ["duplicate-key"],
    ),
    # coverage, 21
    "id twice": (wrote(LINE + LINE + REST), ["duplicate-id"]),
    "one answer": (wrote(LINE), ["mass-empty"]),
    "no answers": (wrote(b"\n"), ["mass-empty", "empty"]),
    # format traps, 22
    "id a list": (wrote('{"id": ["q1"], "answer": "a"}\n' + REST), ["id-not-text"]),
    "answer null": (wrote('{"id": "q1", "answer": null}\n' + REST), ["answer-not-text"]),
    "answer missing": (wrote('{"id": "q1"}\n' + REST), ["key-missing"]),
    "line cut": (wrote('{"id": "q1", "ans\n' + REST), ["not-json"]),
    "line a text": (wrote('"q1"\n' + REST), ["wrong-shape"]),
    "line deep": (wrote("[" * 200_000 + "\n" + REST), ["too-deep"]),
    "digits endless": (
        wrote('{"id": "q1", "answer": "a", "n": ' + "9" * 5_000 + "}\n" + REST),
        ["wrong-value"],
    ),
    "line not UTF-8": (wrote(b'{"id": "q1", "answer": "\xff"}\n' + REST.encode()), ["not-utf-8"]),
    "half a pair": (wrote('{"id": "q1", "answer": "\\ud800"}\n' + REST), ["lone-surrogate"]),
    # files without their other half, or without a place
    "metadata alone": (only(META), ["no-such-file"]),
    "answers alone": (only(OPEN), ["no-such-file"]),
    "nothing answered": (
        put("metadata/bad-one.json", json.dumps(metadata(BAD, openbook_generations=None))),
        ["no-such-file"],
    ),
    "a program": (put("run.py"), ["unexpected-file"]),
    "a file of another kind": (put("openbook-generations/bad-one.txt"), ["unexpected-file"]),
}


@pytest.fixture
def board(tmp_path: Path) -> Path:
    add(tmp_path / "board", "honest")
    return tmp_path / "board"


def test_an_honest_board_is_ready(board: Path) -> None:
    checked = check_submissions(board, SET)
    assert checked.all_findings == []
    assert checked.ok
    one = checked.entries["honest"].answered["openbook"]
    assert (one.answered, one.of, one.missing) == (3, 3, ())


@pytest.mark.parametrize("name", HOSTILE)
def test_each_fault_has_its_code_and_spoils_nobody_else(board: Path, name: str) -> None:
    spoil, expected = HOSTILE[name]
    spoil(board)
    checked = check_submissions(board, SET)
    assert codes(checked) == expected
    assert not checked.ok
    assert checked.entries["honest"].ok
    assert checked.entries["honest"].answered["openbook"].answered == 3
    for line in "\n".join(map(str, checked.all_findings)).splitlines():
        assert line.startswith(str(board)), line
        assert line.isprintable(), line


@pytest.mark.parametrize(
    ("text", "code"), [(answers() + "\n", "blank-line"), ("\ufeff" + answers(), "byte-order-mark")]
)
def test_what_does_no_harm_is_a_notice(board: Path, text: str, code: str) -> None:
    add(board, BAD, text)
    checked = check_submissions(board, SET)
    assert checked.ok
    assert codes(checked, "notice") == [code]


def test_windows_line_ends_do_no_harm(board: Path) -> None:
    add(board, BAD, answers().replace("\n", "\r\n"))
    assert check_submissions(board, SET).all_findings == []


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("Honest", "bad-name"),
        ("H\u043enest", "bad-name"),
        ("H0NEST", "bad-name"),
        ("Ho\u0301nest!", "bad-name"),
    ],
)
def test_names_that_look_alike_are_a_warning(board: Path, name: str, code: str) -> None:
    add(board, "newer", name=name)
    checked = check_submissions(board, SET)
    assert checked.ok
    assert code in codes(checked, "warning")


@pytest.mark.parametrize(
    "name", ["\u03f9ohere", "\u0421ohere", "\uff23ohere", "co\u04bbere", "Cohe\u0301re"]
)
def test_letters_of_another_script_look_as_they_are_drawn(name: str) -> None:
    """Of a lunate sigma the usual one was taken, which looks like "o": "\u03f9ohere" was no "Cohere"."""
    assert skeleton(name) == skeleton("Cohere")


def test_systems_that_look_alike_are_a_warning(board: Path) -> None:
    add(board, "h0ne-st", name="Another")
    (finding,) = check_submissions(board, SET).all_findings
    assert (finding.code, finding.level) == ("bad-name", "warning")
    assert "h0ne-st" in str(finding)
    assert "honest" in str(finding)


@pytest.mark.parametrize("name", [*GENERATIONS, "metadata"])
def test_a_folder_that_is_a_link_is_not_looked_into(tmp_path: Path, name: str) -> None:
    board, outside = tmp_path / "board", tmp_path / "outside"
    add(board, "honest")
    (board / name).rename(outside)
    (outside / "secret.json").write_text('{"key": "planted"}')
    (board / name).symlink_to(outside)
    checked = check_submissions(board, SET)
    assert "symlink" in codes(checked)
    assert "secret" not in str(checked.all_findings)
    assert "planted" not in str(checked.all_findings)


def test_nothing_is_told_about_files_outside(board: Path) -> None:
    """Whether a path exists, is a folder or what it holds must not show (weakness 10)."""
    said_of = []
    for target in ("/root/nope", "/etc", "/etc/passwd", "/bin/sh"):
        add(board, BAD, openbook_generations=target)
        (finding,) = check_submissions(board, SET).all_findings
        said_of.append(str(finding).replace(target, "TARGET"))
    assert len(set(said_of)) == 1


def test_everything_is_said_at_once_and_coverage_first(board: Path) -> None:
    add(
        board, BAD, LINE + LINE + '{"id": "q7", "answer": 1}\n', url="ftp://x", type="?", context=-1
    )
    add(board, "third", b"{\n", name="")
    checked = check_submissions(board, SET)
    assert codes(checked) == [
        "mass-empty",
        "duplicate-id",
        "answer-not-text",
        "metadata-value",
        "metadata-value",
        "metadata-value",
        "mass-empty",
        "not-json",
        "metadata-value",
    ]
    first = checked.entries[BAD].findings[0]
    assert "2 of 3" in first.message
    assert "q2, q3" in first.message
    assert checked.entries[BAD].answered["openbook"].missing == ("q2", "q3")


def test_findings_name_the_line(board: Path) -> None:
    add(board, BAD, answers(("q1", "q2")) + "{\n" + answers(("q3",)), context="lots")
    found = {finding.code: finding for finding in check_submissions(board, SET).all_findings}
    assert found["not-json"].line == 3
    assert found["metadata-value"].line == 7  # {, name, authors, url, citation, type, context
    assert str(found["metadata-value"]).startswith(f"{board}/metadata/{BAD}.json:7: context is")


def test_unknown_keys_get_a_suggestion(board: Path) -> None:
    add(board, BAD, lisence="MIT")
    (finding,) = check_submissions(board, SET).all_findings
    assert finding.hint == "Did you mean 'licence'?"


def test_a_season_may_have_fewer_settings(board: Path) -> None:
    assert codes(check_submissions(board, SET, ["closedbook"])) == ["wrong-value"]


@pytest.mark.parametrize("name", ["published/other/season.json", "archive/2027-03-01/index.json"])
def test_folders_of_the_board_itself_are_left_alone(board: Path, name: str) -> None:
    put(name, "{}")(board)
    assert not codes(check_submissions(board, SET))


def test_ids_that_the_set_dropped_and_missing_ones_spoil_nothing(board: Path) -> None:
    add(board, BAD, answers(("q1", "q2")) + '{"id": "q9", "answer": "a"}\n')
    checked = check_submissions(board, SET)
    assert not codes(checked)
    assert codes(checked, "warning") == ["missing-ids"]
    assert codes(checked, "notice") == ["unknown-id"]


LIMITED = Season("toy", SetEntry("tiny"), limit=500)


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("[d1] " * 30_000, "the answer has 150,000 characters, at most 7,000 are read"),
        ("[d1] " * 20_000_000, "the line has more than 184,000 bytes"),
    ],
)
def test_an_answer_far_over_the_limit_costs_little_and_itself_alone(
    board: Path, text: str, what: str
) -> None:
    """It is named with its line and counts as unanswered; the others are scored."""
    add(board, BAD, json.dumps({"id": "q2", "answer": text}) + "\n" + answers(("q1", "q3")))
    tracemalloc.start()
    began = time.process_time()
    checked = check_submissions(board, SET, system=BAD, limits=LIMITED.limits)
    read, _ = read_submitted(board / OPEN, LIMITED, SET)
    spent, (_, peak) = time.process_time() - began, tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert checked.ok, checked.all_findings
    (far,) = (one for one in checked.all_findings if one.code == "line-too-long")
    assert (far.level, far.line, far.message) == ("warning", 1, what)
    assert far.file == f"{board}/{OPEN}"
    assert "unanswered" in far.hint
    assert [one.id for one in read] == ["q1", "q3"]
    assert spent < 5
    assert peak < 20_000_000


def test_an_answer_within_the_limit_may_cite_and_escape_as_much_as_people_do() -> None:
    """600 citations do not count, and JSON may write six bytes for each letter."""
    limits = LIMITED.limits
    bounds = reading_limits(limits, SET)
    text = "\u0644" * 500 + "[d1]" * 600
    assert len(text) < bounds.answer
    assert len(json.dumps({"id": "q1", "answer": text})) < bounds.line_bytes
    words = replace(limits, length=250, unit="words")
    assert reading_limits(words, SET).answer > 250 * LONG_WORDS


def test_one_system_alone(board: Path) -> None:
    add(board, BAD, LINE)
    add(board, "copycat", name="Honest")
    (board / "stray").touch()
    assert codes(check_submissions(board, SET, system="honest")) == []
    assert codes(check_submissions(board, SET, system=BAD)) == ["mass-empty"]
    only_one = check_submissions(board, SET, system="honest")
    assert list(only_one.entries) == ["honest"]
    assert codes(check_submissions(board, SET, system="copycat")) == []
    with pytest.raises(UnknownName, match="Did you mean 'honest'"):
        check_submissions(board, SET, system="honets")


def test_metadata_of_published_results_are_a_notice(board: Path) -> None:
    put("metadata/older.json", json.dumps(metadata("older", openbook_generations=None)))(board)
    put("results/past/older.json", "{}")(board)
    checked = check_submissions(board, SET)
    assert checked.ok
    assert codes(checked, "notice") == ["no-such-file"]


def test_no_folder_and_an_empty_one(tmp_path: Path) -> None:
    assert codes(check_submissions(tmp_path / "none", SET)) == ["no-such-file"]
    assert codes(check_submissions(tmp_path / "none", SET, system="x1")) == ["no-such-file"]
    (tmp_path / "board").mkdir()
    checked = check_submissions(tmp_path / "board", SET)
    assert checked.ok
    assert codes(checked, "notice") == ["empty"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads every file")
def test_an_unreadable_file(board: Path) -> None:
    add(board, BAD)
    (board / OPEN).chmod(0)
    assert codes(check_submissions(board, SET)) == ["mass-empty", "unreadable"]


def test_a_file_of_a_setting_that_the_season_lacks_costs_the_others_nothing(tmp_path: Path) -> None:
    """It may be merged since a season that had the setting, and nobody may take it away."""
    add(tmp_path, "good-one", closedbook_generations="good-one.jsonl")
    (tmp_path / "closedbook-generations" / "good-one.jsonl").write_text(answers())
    for settings, level in ((("openbook",), "warning"), (("evidenceprovided",), "error")):
        found = check_submissions(tmp_path, SET, settings).all_findings
        assert {(one.code, one.level) for one in found} == {("wrong-value", level)}


def test_a_citation_of_no_document_is_noticed(tmp_path: Path) -> None:
    texts = ("One [D1].", "Two [D7], and [D8].", "Three (https://example.org).")
    lines = [
        json.dumps({"id": id, "answer": text}) for id, text in zip(SET.by_id, texts, strict=False)
    ]
    lines += [json.dumps({"id": id, "answer": "Four."}) for id in list(SET.by_id)[3:]]
    add(tmp_path, "good-one", "\n".join(lines) + "\n")
    documents = {id: Document(id, "Some words.") for id in ("D1", "D2")}
    checked = check_submissions(tmp_path, replace(SET, documents=documents))
    (found,) = checked.all_findings
    assert (found.code, found.level, found.line) == ("unknown-citation", "warning", 2)
    assert found.message == "2 citations name no document of the set, the first D7"
    assert checked.ok
    assert not check_submissions(tmp_path, SET).all_findings  # its documents are not at hand


def test_metadata_that_are_there_stay_and_better_answers_need_none(tmp_path: Path) -> None:
    before = add(tmp_path, "good-one").read_bytes()
    with pytest.raises(UsageError, match="Better answers need nothing here"):
        write_metadata(tmp_path, "good-one", metadata("good-one", name="Other"))
    assert (tmp_path / "metadata" / "good-one.json").read_bytes() == before


def test_the_check_at_home_says_which_answers_the_board_cannot_score_and_why(
    tmp_path: Path,
) -> None:
    """The board refuses such a file when it is sent; what stands for an answer is read alike in both places."""
    code = "```\nx\n```\n" * 2
    forms = [
        code,
        f"{code}Thanks!",
        " ",
        "Much too long, by far longer than it may be.",
        "It fell.",
    ]
    asked = replace(SET, questions=tuple(Question(f"q{n}", "Did it fall?") for n in range(7)))
    rows = (
        json.dumps({"id": id, "answer": text}) + "\n"
        for id, text in zip(asked.by_id, cycle(forms), strict=False)
    )
    add(tmp_path, "good-one", "".join(rows))
    checked = check_submissions(tmp_path, asked, limits=AnswerLimits(40))
    assert [one.message for one in checked.all_findings if one.level == "error"] == [
        "6 of 7 questions have no answer that could be scored: 2 nothing but code, the first to 'q0'; "
        "2 nothing but code and courtesies, the first to 'q1'; 1 blank, the first to 'q2'; "
        "1 too long, the first to 'q3'"
    ]


@pytest.mark.parametrize(("silent", "warned"), [(1, False), (5, True)])
def test_answers_without_a_citation_that_can_be_read_are_counted(
    tmp_path: Path, silent: int, warned: bool
) -> None:
    """A few cite nothing in many an honest file, and who declines has nothing to cite."""
    questions = tuple(Question(f"q{n}", "Did it fall?", documents=("D1",)) for n in range(30))
    cited = replace(
        SET, questions=questions, documents={"D1": Document("D1", "It fell.")}, metrics=("argue",)
    )
    texts = ["It fell [D1]."] * (20 - silent) + ["It fell, D1."] * silent
    texts += ["The documents do not say whether it fell."] * 10
    rows = (
        json.dumps({"id": one.id, "answer": text}) + "\n"
        for one, text in zip(questions, texts, strict=True)
    )
    add(tmp_path, "good-one", "".join(rows))
    found = check_submissions(tmp_path, cited).all_findings
    why = (
        "5 of 20 answers cite nothing that the board can read, the first on line 16: 'It fell, D1.'"
    )
    assert [(one.code, one.level, one.message) for one in found] == [
        ("no-citation", "warning", why)
    ] * warned


@pytest.mark.parametrize(
    ("text", "metric", "found"),
    [
        ("It fell, D1.", "argue", ["no-citation"]),
        ("It fell [D1].", "argue", []),
        ("It fell, D1.", "accuracy", []),
        ("The documents do not say.", "argue", []),
    ],
)
def test_a_file_in_which_no_citation_can_be_read_is_noticed(
    tmp_path: Path, text: str, metric: str, found: list[str]
) -> None:
    """Where a metric counts them, and not in closed book, where there is nothing to cite."""
    rows = "".join(json.dumps({"id": id, "answer": text}) + "\n" for id in SET.by_id)
    add(tmp_path, "good-one", rows, closedbook_generations="good-one.jsonl")
    shutil.copytree(
        tmp_path / "openbook-generations", tmp_path / "closedbook-generations", dirs_exist_ok=True
    )
    cited = replace(SET, documents={"D1": Document("D1", "It fell.")}, metrics=(metric,))
    there = check_submissions(tmp_path, cited).all_findings
    assert [(one.code, one.file.split("/")[-2]) for one in there] == [
        (code, "openbook-generations") for code in found
    ]


def test_citations_of_no_document_are_counted_and_not_kept(tmp_path: Path) -> None:
    """A file of 200 MB may have thirty million of them."""
    text = f"One {' '.join(f'[D{n}]' for n in range(700))}."
    most = []
    for many in (1, 4, 24):
        questions = tuple(Question(f"q{n}", "What?") for n in range(many))
        dataset = Dataset("d", "dev", questions, {"A": Document("A", "Some words.")})
        rows = [json.dumps({"id": one.id, "answer": text}) for one in questions]
        add(folder := tmp_path / str(many), "good-one", "\n".join(rows) + "\n")
        tracemalloc.start()
        (found,) = check_submissions(folder, dataset).all_findings
        most.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
        assert found.message.startswith(f"{700 * many:,} citations name no document")
    assert most[2] < 1.4 * most[1], most
