"""Do we say of a run file what two public validators say of it, wherever we claim the same rule?

One test a (file, validator) of ``trec_runs/expected.json``. Where we differ on purpose the tables
below say so by rule, with the reason; there the tests assert our verdict and skip nothing.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from argue_bench.errors import Finding
from argue_bench.published.trec.check import CheckedRun, check_run
from argue_bench.published.trec.tracks import TRACKS
from tests.agreement.vectors import parameters

NOTICED = {
    "blank-line": "a blank line holds nothing; the validator ends with a traceback",
    "byte-order-mark": "an editor's mark, not part of any line; the validator ends with a traceback",
}
"""Lines that end the validator and are a notice for us."""
STRICTER = {
    "duplicate-topics": "two reports on one topic can't both count; not looked for there",
    "duplicate-key": "a parser keeps one of the two and no one knows which was meant",
    "wrong-value": "NaN and Infinity are not JSON; Python's parser takes them",
    "lone-surrogate": "no file can hold half a character",
    "too-deep": "no report is nested that deep",
    "line-too-long": "no report is that long",
}
"""Errors of ours on files that the plain validator passes."""
CODES = {
    "empty_answer": "empty-answer",
    "blank_sentence": "blank-sentence",
    "citation_format": "citation-format",
    "citation_count": "citation-count",
    "reference_index": "reference-index",
    "citation_score": "citation-score",
    "docid_pattern": "docid-pattern",
    "references_present": "references-present",
    "references_missing": "references-missing",
    "references_duplicate": "references-duplicate",
    "references_undeclared": "references-undeclared",
    "references_uncited": "references-uncited",
    "references_max": "references-max",
    "metadata": "metadata",
    "length": "length",
    "metadata_recommended": "metadata-recommended",
    "run_id_length": "run-id-length",
    "duplicate_topics": "duplicate-topics",
    "missing_topics": "missing-topics",
    "new_topics": "new-topics",
    "narrative": "narrative",
}
"""The rules that we claim to share with the track specs, and what we call them."""
OF_ALL_REPORTS = {"duplicate-topics", "missing-topics", "new-topics", "narrative"}
"""The specs look for these only where a file of requests is given."""
STRICTER_THAN_SPECS = STRICTER | {
    "citation-score": "their loader makes 0.3 of '0.3' and 1 of true; the track's validator refuses",
    "null-citations": "the track's validator refuses null; a warning here, as their loader takes it",
    "topic-key": "their loader takes the topic from any key; the track's own readers do not",
    "sentences-key": "their loader reads 'responses' and 'answer' alike; the track has one of them",
    "topics-differ": "their loader overwrites request_id; a report is on one topic",
    "two-answers": "their loader takes 'responses' without a word",
    "metadata-value": "guidelines list what type, task and use_starter_kit may hold",
    "metadata-extra": "DRAGUN's own checker refuses other keys; a warning here",
    "docid-ending": "they look at the beginning of an id only; a warning here",
    "control-characters": "nobody means them; a warning here",
    "run-changed": "one run a file; a warning here",
    "wrong-shape": "their loader turns some types into others without a word",
}


@dataclass(frozen=True)
class Case:
    folder: Path
    file: str
    said: dict[str, Any]
    """What the validator said of the file."""
    track: str = "plain"

    def check(self) -> CheckedRun:
        path = self.folder / self.file
        if self.track != "plain":
            topics = self.said.get("requests")
            return check_run(path, self.track, topics=self.folder / topics if topics else None)
        options = arguments(self.said["args"])
        topics = options.get("topics")
        limit = options.get("limit")
        return check_run(
            path,
            "plain",
            topics=self.folder / topics if topics else None,
            limit=int(limit) if limit else None,
            unit="words" if "words" in options.values() else None,
            strict={"length"} if "strict_on_length" in options else False,
        )


def arguments(args: list[str]) -> dict[str, str]:
    """``["--limit", "23", "--strict"]`` as ``{"limit": "23", "strict": ""}``."""
    options: dict[str, str] = {}
    for place, arg in enumerate(args):
        if arg.startswith("--"):
            name, _, value = arg[2:].partition("=")
            follows = args[place + 1] if place + 1 < len(args) else "--"
            options[name.replace("-", "_")] = value or ("" if follows.startswith("--") else follows)
    return options


def plain(path: Path) -> Iterator[tuple[str, Case]]:
    for name, file in json.loads(path.read_text("utf-8"))["files"].items():
        if "rag_run_validator" in file:
            yield name, Case(path.parent, name, file["rag_run_validator"])


def specs(path: Path) -> Iterator[tuple[str, Case]]:
    for name, file in json.loads(path.read_text("utf-8"))["files"].items():
        for spec, said in file.get("track_specs", {}).items():
            yield f"{name}-{spec}", Case(path.parent, name, said, spec)


def errors(checked: CheckedRun) -> list[Finding]:
    return [finding for finding in checked.findings if finding.level == "error"]


def beneath(path: str) -> str:
    """The place that the validator's schema reports: it does not look inside citations."""
    return re.sub(r"(\.citations)\W.*$", r"\1", path)


@pytest.mark.parametrize("case", parameters("trec_runs", "expected.json", plain))
def test_as_rag_run_validator(case: Case) -> None:
    checked = case.check()
    stops = "stop_at_error" in arguments(case.said["args"])
    refused = lines_refused(case, checked)
    ours = errors(checked)
    # Line by line: the same places are wrong. With --stop_at_error we go on, they don't.
    theirs: dict[int | None, set[str]] = {
        number: {beneath(place["path"]) for place in places} for number, places in refused.items()
    }
    shapes = [one for one in ours if one.line is not None and one.code not in STRICTER]
    shapes = [one for one in shapes if one.code != "length"]
    # Under another key than 'responses' we read the sentences all the same; a schema can't.
    shapes = [one for one in shapes if not one.path.startswith("$.answer")]
    found: dict[int | None, set[str]] = {}
    for one in shapes:
        found.setdefault(one.line, set()).add(beneath(one.path) or "$")
    assert found == theirs
    # The whole: their verdict, but for the rules of the tables.
    others = [one for one in ours if one not in shapes and not one.path.startswith("$.answer")]
    assert {one.code for one in others} <= {*STRICTER, "missing-topics", "length"}
    missing = [one for one in others if one.code == "missing-topics"]
    if case.said["valid"]:
        assert {one.code for one in others} <= set(STRICTER)
        assert checked.ok == (not others)
    elif case.said["crash"] is None:
        assert not checked.ok
        said = [re.search(r"Missing topics: (.*)", error) for error in case.said["errors"]]
        topics = {topic for match in said if match for topic in match[1].split(", ")}
        # A refused line is also a missing topic there; for us its topic is there. And we count runs
        # one by one where a file holds several.
        there = {topic for answered in checked.runs.values() for topic in answered}
        if not stops and len(checked.runs) < 2:
            assert {id for one in missing for id in ids_of(one.message)} == topics - there
    else:
        assert checked.ok == (not refused and not others)
    if case.said["crash"] is None:
        assert {one for one in long(checked) if one[0] not in refused} == {
            (int(number), int(count), int(limit))
            for text in case.said["warnings"] + case.said["errors"]
            for number, count, limit in re.findall(r":(\d+)\] .* -- (\d+) > (\d+)$", text)
        }


def lines_refused(case: Case, checked: CheckedRun) -> dict[int, list[dict[str, str]]]:
    """What the schema says of each line, without the lines that are a notice for us."""
    noticed = {one.line for one in checked.findings if one.code in NOTICED}
    return {
        row["line"]: row.get("all", [{"path": "$"}])
        for row in case.said["schema_by_line"]
        if not ("json" in row and row["line"] in noticed)
    }


def ids_of(message: str) -> set[str]:
    return set(message.partition(": ")[2].split(", "))


def long(checked: CheckedRun) -> set[tuple[int, int, int]]:
    """(line, length, limit) of each report that is too long."""
    numbers = [
        (one.line or 0, *map(int, re.findall(r"\d+", one.message)))
        for one in checked.findings
        if one.code == "length"
    ]
    return {(line, count, limit) for line, count, limit in numbers}


@pytest.mark.parametrize("case", parameters("trec_runs", "expected.json", specs))
def test_as_the_track_specs(case: Case) -> None:
    if case.track not in TRACKS:
        pytest.skip(f"we have no rules for {case.track}")
    checked = case.check()
    ours = errors(checked)
    if not case.said["loads"]:
        # Their loader knows RAGTIME's tasks only; RAG lets participants add keys of their own.
        free = "task" not in TRACKS[case.track].values and other_task(case.folder / case.file)
        if not (free and checked.ok):
            assert_refused(checked)
        return
    if {"wrong-shape", "citations-mixed", "two-answers"} & {one.code for one in ours}:
        assert_refused(checked)  # their loader made another value of it, or chose, and went on
        return
    alone = len(checked.runs) < 2  # where a file holds several runs we count topics by run
    said = {
        (CODES[one["category"]], one["severity"])
        for one in case.said["findings"]
        if alone or CODES[one["category"]] not in OF_ALL_REPORTS
    }
    stopped = "empty-answer" in {code for code, _ in said}  # they look no further then
    claimed = {
        ("metadata" if one.code == "metadata-blank" else one.code, one.level)
        for one in checked.findings
        if one.code in {*CODES.values(), "metadata-blank"}
        and not (one.code in OF_ALL_REPORTS and ("requests" not in case.said or not alone))
    }
    unread = "citation-format" in {code for code, _ in said}  # they leave such a sentence unread
    claimed -= {("blank-sentence", "warning"), ("blank-sentence", "error")} if unread else set()
    added = {pair for pair in claimed if pair[0] in STRICTER_THAN_SPECS and pair not in said}
    assert claimed - added == said or (stopped and said <= claimed)
    more = {one.code for one in ours} - {code for code, level in said if level == "error"}
    if "error" not in {level for _, level in said}:
        assert stopped or more <= set(STRICTER_THAN_SPECS) | OF_ALL_REPORTS
        assert checked.ok == (not more)
    else:
        assert_refused(checked)


def other_task(path: Path) -> bool:
    return re.search(rb'"task": "(?!multilingual"|english"|rag")', path.read_bytes()) is not None


def assert_refused(checked: CheckedRun) -> None:
    assert not checked.ok
