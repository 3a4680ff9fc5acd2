"""Verdicts from files: label files with all their faults at once, stores, mappings."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from argue_bench.errors import DataError
from argue_bench.judges import Judge, create_judge
from argue_bench.judges.recorded import Recorded
from argue_bench.records import (
    Answers,
    Entails,
    Failed,
    JudgeRequest,
    Similar,
    Source,
    Span,
    SupportLevel,
    Verdict,
    request_to_json,
)
from argue_bench.store import Author, Store

ENTAILS = Entails((Source("d1", "The wall was built in 1931."),), "The wall is of 1931.")
ANSWERS = Answers("It was built in 1931.", "When?", "1931")


def ask_all(judge: Judge, requests: Sequence[JudgeRequest]) -> list[Verdict | Failed]:
    async def collect() -> dict[str, Verdict | Failed]:
        return {request.key: reply async for request, reply in judge.judge(requests)}

    replies = asyncio.run(collect())
    return [replies[request.key] for request in requests]


def write(path: Path, *rows: object) -> Path:
    lines = [row if isinstance(row, str) else json.dumps(row) for row in rows]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def label(request: JudgeRequest, verdict: object, **more: object) -> dict[str, object]:
    return {"ask": request_to_json(request), "verdict": verdict, **more}


def test_fields_that_may_be_empty_may_be_left_out(tmp_path: Path) -> None:
    ask = {"kind": "SupportLevel", "premise": [{"id": "d", "text": "t"}], "sentence": "s"}
    file = write(tmp_path / "labels.jsonl", {"ask": ask, "verdict": "partial"})
    request = SupportLevel((Source("d", "t"),), "s")
    assert ask_all(create_judge(f"recorded:{file}"), [request]) == [Verdict("partial")]


def test_gives_what_was_recorded_and_fails_on_the_rest(tmp_path: Path) -> None:
    file = write(
        tmp_path / "labels.jsonl",
        label(ENTAILS, "no", note="the year is of the tower"),
        "",
        label(Similar("a", "b"), 1),
        label(Span("q", "c"), ""),
        label(ENTAILS, "no"),
    )
    judge = create_judge(f"recorded:{file}")
    assert judge.name == "recorded:labels.jsonl"
    assert ask_all(judge, [ENTAILS, Similar("a", "b"), Span("q", "c"), ANSWERS]) == [
        Verdict("no", "the year is of the tower"),
        Verdict(1.0),
        Verdict(""),
        Failed("not recorded"),
    ]
    assert (judge.counts.requests, judge.counts.failed) == (4, 1)


def test_the_id_of_a_source_is_part_of_what_was_asked(tmp_path: Path) -> None:
    judge = create_judge(f"recorded:{write(tmp_path / 'l', label(ENTAILS, 'yes'))}")
    other = Entails((Source("d2", ENTAILS.premise[0].text),), ENTAILS.hypothesis)
    assert ask_all(judge, [other]) == [Failed("not recorded")]


def test_identity_is_of_the_verdicts_not_of_the_file(tmp_path: Path) -> None:
    one = create_judge(
        f"recorded:{write(tmp_path / 'a', label(ENTAILS, 'no'), label(ANSWERS, 'yes'))}"
    )
    two = create_judge(
        f"recorded:{write(tmp_path / 'b', label(ANSWERS, 'yes'), label(ENTAILS, 'no'))}"
    )
    three = create_judge(
        f"recorded:{write(tmp_path / 'c', label(ANSWERS, 'yes'), label(ENTAILS, 'yes'))}"
    )
    assert one.identity() == two.identity() != three.identity()
    assert Recorded({ENTAILS.key: Verdict("no"), ANSWERS.key: Verdict("yes")}).identity() == (
        one.identity()
    )


def test_all_findings_of_a_bad_file_at_once(tmp_path: Path) -> None:
    good = request_to_json(ENTAILS)
    file = write(
        tmp_path / "bad.jsonl",
        label(ENTAILS, "no", by="Ann"),
        "{not json",
        {"verdict": "yes"},
        {"ask": {"kind": "Entailment"}, "verdict": "yes"},
        {"ask": {"kind": ["x"]}, "verdict": "yes"},
        {"ask": {"kind": "Answers", "sentence": "s", "answer": 7, "extra": 1}, "verdict": "yes"},
        {"ask": {**good, "premise": "text"}, "verdict": "yes"},
        {"ask": {**good, "premise": [{"id": "d"}]}, "verdict": "yes"},
        label(ANSWERS, "maybe"),
        label(ANSWERS, True),
        label(Similar("a", "b"), "high"),
        {"ask": request_to_json(ANSWERS)},
        [1, 2],
        label(ENTAILS, "yes", by="Ann"),
    )
    with pytest.raises(DataError) as caught:
        create_judge(f"recorded:{file}")
    found = {(f.line, f.code, f.path) for f in caught.value.findings}
    assert found == {
        (2, "not-json", ""),
        (3, "wrong-shape", ""),
        (4, "wrong-value", "ask.kind"),
        (5, "wrong-value", "ask.kind"),
        (6, "wrong-value", "$.ask"),
        (6, "wrong-value", "$.ask.answer"),
        (6, "wrong-value", "$.ask.extra"),
        (7, "wrong-value", "$.ask.premise"),
        (8, "wrong-value", "$.ask.premise[0]"),
        (9, "wrong-value", "$.verdict"),
        (10, "wrong-value", "$.verdict"),
        (11, "wrong-value", "$.verdict"),
        (12, "wrong-value", "$"),
        (13, "wrong-shape", ""),
        (14, "duplicate-id", ""),
    }
    assert all(f.file == str(file) for f in caught.value.findings)


def test_replays_a_verdict_store(tmp_path: Path) -> None:
    path = tmp_path / "run.verdicts"
    with Store(path) as store:
        store.add(Author.of("lexical", {}), ENTAILS, Verdict("yes", "seen"))
        store.add(Author.of("lexical", {}), ANSWERS, Failed("no idea"))
    judge = create_judge(f"recorded:{path}")
    assert ask_all(judge, [ENTAILS, ANSWERS]) == [Verdict("yes", "seen"), Failed("not recorded")]


def test_a_store_of_several_judges_asks_which(tmp_path: Path) -> None:
    path = tmp_path / "run.verdicts"
    with Store(path) as store:
        store.add(Author.of("lexical", {}), ENTAILS, Verdict("yes"))
        store.add(Author.of("nli:M", {}), ENTAILS, Verdict("no"))
    with pytest.raises(DataError, match=r"2 judges.*#lexical or .*#nli:M"):
        create_judge(f"recorded:{path}")
    with pytest.raises(DataError, match="0 of them called 'x'"):
        create_judge(f"recorded:{path}#x")
    judge = create_judge(f"recorded:{path}#nli:M")
    assert judge.name == "recorded:run.verdicts#nli:M"
    assert ask_all(judge, [ENTAILS]) == [Verdict("no")]
