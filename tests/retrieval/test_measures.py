"""Retrieval measures: worked by hand, and equal to ir-measures over trec_eval."""

from __future__ import annotations

import math
import random
from pathlib import Path

import ir_measures
import pytest
from ir_measures import RR, R, nDCG

from argue_bench.errors import DataError, UnknownName, UsageError
from argue_bench.loaders import load
from argue_bench.loaders.banks import write_qrels
from argue_bench.published.trec.topic_files import read_qrels
from argue_bench.records import Gold, Nugget, NuggetAnswer, Question
from argue_bench.retrieval import Passage, document_scores, measure, qrels_of, write_trec_run

THEIRS = {
    "recall@3": R @ 3,
    "recall@10": R @ 10,
    "mrr": RR,
    "mrr@3": RR @ 3,
    "ndcg": nDCG,
    "ndcg@3": nDCG @ 3,
    "ndcg@10": nDCG @ 10,
}


def read_run(path: Path) -> dict[str, dict[str, float]]:
    """The scores of a TREC run by topic and document."""
    run: dict[str, dict[str, float]] = {}
    for line in path.read_text().splitlines():
        topic, _, document, _, score, _ = line.split()
        run.setdefault(topic, {})[document] = float(score)
    return run


def test_by_hand() -> None:
    run = {"q": {"a": 3.0, "b": 2.0, "c": 1.0}}
    qrels = {"q": {"b": 2, "c": 1, "z": 1, "a": 0}}
    found = {name: values["q"] for name, values in measure(run, qrels, list(THEIRS)).items()}
    assert found["recall@3"] == pytest.approx(2 / 3)
    assert found["mrr"] == 0.5
    best = 2 + 1 / math.log2(3) + 0.5
    assert found["ndcg@3"] == pytest.approx((2 / math.log2(3) + 0.5) / best)


@pytest.mark.parametrize("seed", range(8))
def test_equal_to_ir_measures(seed: int, tmp_path: Path) -> None:
    """Ties (but not for RR@3, which ir-measures leaves to MS MARCO's script, of another order of ties),
    graded and negative labels, topics that only one of the two knows.
    """
    draw = random.Random(seed)
    ties = seed % 2 == 0
    theirs = {name: one for name, one in THEIRS.items() if name != "mrr@3" or not ties}
    ids = [f"d{i}" for i in range(30)]
    topics = [f"t{i}" for i in range(12)]
    run = {
        t: {
            d: float(draw.randint(0, 6)) if ties else draw.random()
            for d in draw.sample(ids, draw.randint(1, 25))
        }
        for t in topics[:10]
    }
    qrels = {
        t: {"d0": 1, **{d: draw.choice([-1, 0, 0, 1, 2, 3]) for d in draw.sample(ids[1:], 12)}}
        for t in topics[2:-1]
    }
    # Of one topic that was ranked and one that was not nothing is relevant.
    qrels |= {t: dict.fromkeys(ids[:5], 0) for t in (topics[2], topics[-1])}
    write_trec_run(tmp_path / "run", run, "ours")
    write_qrels(tmp_path / "qrels", ((t, d, g) for t, one in qrels.items() for d, g in one.items()))
    written = read_run(tmp_path / "run")
    assert written.keys() == run.keys()
    assert read_qrels(tmp_path / "qrels") == qrels
    ours = measure(written, qrels, list(theirs))
    names = {str(measure): name for name, measure in theirs.items()}
    compared = 0
    for value in ir_measures.iter_calc(
        list(theirs.values()),
        ir_measures.read_trec_qrels(str(tmp_path / "qrels")),
        ir_measures.read_trec_run(str(tmp_path / "run")),
    ):
        mine = ours[names[str(value.measure)]][value.query_id]
        assert mine == pytest.approx(value.value, abs=1e-9), (value, mine)
        compared += 1
    assert compared >= len(theirs) * 8
    assert set(ours["mrr"]) == set(topics[2:])


def test_qrels_are_what_supports_and_what_nuggets_name() -> None:
    nugget = Nugget("n", "?", (NuggetAnswer("x", ("d2", "d3")),))
    questions = [
        Question("a", "?", gold=Gold(supporting=("d1",), nuggets=(nugget,))),
        Question("b", "?", gold=Gold(supporting=("d1",), relevance={"d1": 0, "d9": 3})),
        Question("c", "?", gold=Gold()),
        Question("d", "?"),
    ]
    assert qrels_of(questions) == {"a": {"d1": 1, "d2": 1, "d3": 1}, "b": {"d1": 0, "d9": 3}}


def test_every_question_of_core_has_qrels() -> None:
    dev = load("core", "dev")
    qrels = qrels_of(dev)
    assert len(qrels) > 0.8 * len(dev)
    assert all(id in dev.documents for labels in qrels.values() for id in labels)


def test_a_document_counts_once_at_its_best_passage() -> None:
    passages = [
        Passage("a", "", "", 0, 1.0),
        Passage("b", "", "", 0, 3.0),
        Passage("a", "", "", 9, 2.0),
    ]
    assert list(document_scores(passages).items()) == [("b", 3.0), ("a", 2.0)]


def test_bad_input_is_told(tmp_path: Path) -> None:
    with pytest.raises(UnknownName, match="ndcg@10"):
        measure({}, {}, ["ndgc@10"])
    with pytest.raises(UsageError, match="depth"):
        measure({}, {}, ["recall"])
    with pytest.raises(DataError, match="has a blank"):
        write_trec_run(tmp_path / "run", {"q": {"Pat Burrell": 1.0}}, "x")
