"""One answer beside its contexts: the verdicts of `evaluate`, where each stands, and which context it rests on."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Mapping
from typing import Any

import pytest

import argue_bench as ab
from argue_bench.loaders.rows import read_rows
from argue_bench.records import Failed, NotJudged, Refuses, Verdict
from tests.shared import shared

CONTEXTS = ["It opened in 1931.", "", {"id": "span", "text": "The bridge is 412 m long."}]
ANSWER = (
    "The bridge is 412 m long. It was painted red in 1990. Yes. It opened in 1931! Hope this helps!"
)


@pytest.mark.parametrize(
    "name",
    [
        "ragtruth/people-qa.jsonl",
        "ragtruth/people-summary.jsonl",
        "ragtruth/people-data2txt.jsonl",
        "mtrag/mtrag_eval.json",
    ],
)
def test_it_gives_the_verdicts_of_evaluate_on_real_rows(name: str) -> None:
    read = read_rows(shared("data", *name.split("/")))
    documents = read.dataset.documents
    # Without the reference, by which evaluate knows that declining was wrong, and which check does not take.
    rows: list[dict[str, Any]] = [
        {
            "id": one.id,
            "question": one.text,
            "contexts": [{"id": id, "text": documents[id].text} for id in one.documents],
            "answer": read.answers[one.id].text,
        }
        for one in read.dataset[::11]
    ]
    report = ab.evaluate(*ab.from_rows(rows), ["faithfulness"])
    failed = defaultdict(list)
    for one in report.failed_sentences():
        failed[one.question].append(
            (one.start, one.end, one.text, one.lack, one.probability, one.reason)
        )
    for row in rows:
        found = ab.check(row["answer"], row["contexts"], row["question"])
        tallies = report.per_question[row["id"]]["faithfulness"]
        assert isinstance(tallies, Mapping)
        counted = tallies["supported"]
        judged = [one for one in found.statements if one.supported is not None]
        assert (found.score, len(judged)) == (counted.value, counted.denominator), row
        assert failed[row["id"]] == [
            (one.start, one.end, one.text, one.kind, one.probability, one.reason)
            for one in judged
            if not one.supported
        ]


def test_each_statement_has_its_place_its_class_and_the_context_nearest_to_it() -> None:
    found = ab.check(ANSWER, CONTEXTS)
    assert [(one.text, one.supported, one.kind, one.source) for one in found.statements] == [
        ("The bridge is 412 m long.", True, "supported", 2),
        ("It was painted red in 1990.", False, "nothing", None),
        ("Yes.", None, "not judged", None),
        ("It opened in 1931!", True, "supported", 0),
        ("Hope this helps!", None, "not judged", None),
    ]
    assert all(one.text == ANSWER[one.start : one.end] for one in found.statements)
    assert found.score == pytest.approx(2 / 3)
    wrong, bare = found.statements[1:3]
    assert wrong.probability is not None
    assert "1990 is not there" in wrong.reason
    assert bare.reason == "it states nothing by itself"


def unable(request: object) -> Verdict | NotJudged:
    return Verdict("no") if isinstance(request, Refuses) else NotJudged("it reads no English")


@pytest.mark.parametrize(
    ("answer", "contexts", "judge", "why"),
    [
        ("It is red.", [], "lexical", "no contexts to support it"),
        ("The documents do not say who built it.", CONTEXTS, "lexical", "declines"),
        ("It is red.", CONTEXTS, unable, "it reads no English"),
    ],
)
def test_what_nobody_judged_is_neither_true_nor_false_and_says_why(
    answer: str, contexts: list[Any], judge: Any, why: str
) -> None:
    found = ab.check(answer, contexts, "Who built it?", judge)
    (one,) = found.statements
    assert (one.supported, one.kind, one.reason, found.score) == (None, "not judged", why, None)


def test_a_judge_that_fails_is_an_error_and_no_verdict() -> None:
    with pytest.raises(ab.JudgeError, match="the line is dead"):
        ab.check("It is red.", CONTEXTS, judge=lambda request: Failed("the line is dead"))
    with pytest.raises(ab.DataError, match="found int in the list"):
        ab.check("It is red.", [3])


def test_it_works_inside_a_running_loop_and_many_at_once() -> None:
    async def serve() -> list[ab.Check]:
        together = (ab.acheck(ANSWER, CONTEXTS) for _ in range(3))
        return [ab.check(ANSWER, CONTEXTS), *await asyncio.gather(*together)]

    first, *others = asyncio.run(serve())
    assert [one.statements for one in others] == [first.statements] * 3


def test_it_shows_every_sentence_and_lets_no_markup_through() -> None:
    found = ab.check("It opened in 1931. It is <b>red.", CONTEXTS)
    lines = str(found).splitlines()
    assert lines[:3] == [
        "1 of 2 statements are supported",
        "+ It opened in 1931.",
        "- It is <b>red.",
    ]
    assert "- It is &lt;b&gt;red." in found._repr_html_()
