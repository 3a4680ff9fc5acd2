"""What must not move a score of own rows: how contexts are listed and named, and which rows stand beside."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import argue_bench as ab

FACTS = (
    "The bridge opened in 1931.",
    "The bridge is 412 metres long.",
    "The bridge is painted red.",
    "Trains are booked by the office in Leeds.",
    "Staff get 25 days of leave.",
)
CLAIMS = (*FACTS, "The bridge opened in 1950.", "Trains are green.", "Staff get a car.")
NAMES = ("manual", "guide", "file-x", "handbook")
METRICS = ("faithfulness", "citations", "support(citations=all)")


@st.composite
def a_row(draw: st.DrawFn) -> dict[str, Any]:
    """A row whose answer cites contexts by their ids, which are those of other rows too."""
    texts = draw(st.lists(st.sampled_from(FACTS), min_size=1, max_size=4, unique=True))
    ids = draw(st.permutations(NAMES))
    contexts = [{"id": id, "text": text} for id, text in zip(ids, texts, strict=False)]
    named = [one["id"] for one in contexts]
    claims = draw(st.lists(st.sampled_from(CLAIMS), min_size=1, max_size=3))
    answer = [
        f"{claim.removesuffix('.')} [{draw(st.sampled_from([*named, 'nothing-9']))}]."
        for claim in claims
    ]
    asked = f"What about {draw(st.integers(0, 999))}?"
    return {"question": asked, "answer": " ".join(answer), "contexts": contexts}


def tallies(rows: list[dict[str, Any]]) -> list[str]:
    """The tallies of each row, without what is said of them."""
    report = ab.evaluate(*ab.from_rows(rows), metrics=list(METRICS))
    found = []
    for metrics in report.per_question.values():
        counted = {
            text: {name: (tally.numerator, tally.denominator) for name, tally in one.items()}
            for text, one in metrics.items()
            if isinstance(one, dict)
        }
        assert set(counted) == set(METRICS)
        found.append(json.dumps(counted, sort_keys=True))
    return found


def halves_score_as_the_whole(rows: list[dict[str, Any]], at: int) -> None:
    at = min(at, len(rows) - 1)
    assert tallies(rows[:at]) + tallies(rows[at:]) == tallies(rows)


def contexts_may_be_listed_otherwise(row: dict[str, Any], draw: st.DataObject) -> None:
    plain = tallies([row])
    contexts = row["contexts"]
    again = draw.draw(st.lists(st.sampled_from(contexts), max_size=3))
    renamed = [{**one, "id": f"again-{n}"} for n, one in enumerate(again)]
    listed = draw.draw(st.permutations([*contexts, *again, *renamed, {"text": " "}]))
    assert tallies([{**row, "contexts": listed}]) == plain
    # Another id, in the contexts and in the answer.
    ids = draw.draw(st.permutations([f"new-{n}" for n in range(len(contexts))]))
    answer = row["answer"]
    for id, one in zip(ids, contexts, strict=True):
        answer = answer.replace(f"[{one['id']}]", f"[{id}]")
    others = [{**one, "id": id} for id, one in zip(ids, contexts, strict=True)]
    assert tallies([{**row, "contexts": others, "answer": answer}]) == plain


ROWS = st.lists(a_row(), min_size=2, max_size=5)


@settings(max_examples=25)
@given(ROWS, st.integers(1, 4))
def test_two_halves_of_a_file_have_the_tallies_of_the_whole(
    rows: list[dict[str, Any]], at: int
) -> None:
    halves_score_as_the_whole(rows, at)


@settings(max_examples=25)
@given(a_row(), st.data())
def test_a_context_repeated_reordered_or_renamed_moves_no_score(
    row: dict[str, Any], data: st.DataObject
) -> None:
    contexts_may_be_listed_otherwise(row, data)


@pytest.mark.release
@settings(max_examples=1000)
@given(ROWS, st.integers(1, 4), st.data())
def test_a_thousand_files(rows: list[dict[str, Any]], at: int, data: st.DataObject) -> None:
    halves_score_as_the_whole(rows, at)
    contexts_may_be_listed_otherwise(rows[0], data)
