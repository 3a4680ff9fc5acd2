"""ROUGE over gold as text, and ROUGE-Lsum over several long answers. Worked by hand."""

from __future__ import annotations

import pytest

from argue_bench.records import Answer, Gold, Sentence
from tests.metrics.correctness.counted import counted, values


def test_shares_of_words() -> None:
    # gold "oslo - 1 / bergen - 2": oslo 1 bergen 2; said: oslo has 1
    found = values(counted("rouge", Gold(answer={"Oslo": 1, "Bergen": 2}), "Oslo has 1."))
    assert found["rouge1_precision"] == 2 / 3
    assert found["rouge1_recall"] == 2 / 4
    assert found["rouge1_fscore"] == pytest.approx(4 / 7)
    assert found["rouge2_fscore"] == 0.0
    assert found["rougeL_recall"] == 2 / 4


def test_marks_count_as_they_do_for_fanoutqa() -> None:
    answer = Answer("q", "Oslo [7]", (Sentence("Oslo", ("7",)),))
    assert counted("rouge", Gold(answer="Oslo"), answer)["rouge1_precision"].value == 1 / 2


def test_no_gold_does_not_apply_and_no_answer_is_0() -> None:
    assert set(values(counted("rouge", Gold(), "x")).values()) == {None}
    assert set(values(counted("rouge", Gold(answer="x"), "")).values()) == {0.0}
    assert values(counted("rouge_lsum", Gold(), "x"))["fscore"] is None


@pytest.mark.parametrize("metric", ["rouge_lsum", "rouge_lsum(rules=alce)"])
def test_the_better_reference_counts(metric: str) -> None:
    gold = Gold(long_answers=("Nothing alike here.", "The cat sat. The dog ran."))
    # "the dog ran the cat sat": every word of both sentences, whichever comes first
    found = values(counted(metric, gold, "The dog ran. The cat sat."))
    assert found == {"fscore": 1.0, "precision": 1.0, "recall": 1.0}
