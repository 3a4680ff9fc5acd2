"""ALCE's figures of content under ``rules=alce``: every case of its vectors that has figures."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from argue_bench.metrics.compat import alce
from tests.agreement.vectors import parameters, read

LISTS = {
    "qampari_prec": "precision",
    "qampari_rec": "recall",
    "qampari_rec_top5": "recall_top5",
    "qampari_f1": "f1",
    "qampari_f1_top5": "f1_top5",
}


def _cases(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Entries that the reference raises on have no figures: refusing them is the loaders' work."""
    for case in read(path)["cases"]:
        if "error" not in case["expected"]:
            yield case["id"], case


def _mean(shares: Sequence[float]) -> float:
    return sum(shares) / len(shares) if shares else math.nan


def _agrees(case: dict[str, Any], key: str, ours: float) -> None:
    theirs = case["expected"].get(key)
    if theirs is not None:
        assert math.isclose(ours, theirs, rel_tol=0, abs_tol=1e-6), key


@pytest.mark.parametrize("case", parameters("alce", "cases.json", _cases))
def test_figures(case: dict[str, Any]) -> None:
    items = case["items"]
    outputs = [item["output"] for item in items]
    assert [alce.output(text) for text in outputs] == case["processed_outputs"]
    assert [alce.plain(text) for text in outputs] == case["normalized_outputs"]
    _agrees(case, "length", _mean([alce.length(text) for text in outputs]))
    pairs = [item.get("qa_pairs") or [] for item in items]
    if pairs[0]:  # ALCE: an item without pairs is NaN, and the first one decides for all
        found = [
            alce.str_em([pair["short_answers"] for pair in asked], alce.plain(text))
            for asked, text in zip(pairs, outputs, strict=True)
        ]
        _agrees(case, "str_em", 100 * _mean([_mean(one) for one in found]))
        _agrees(case, "str_hit", 100 * _mean([all(one) for one in found]))
    if "qampari_prec" in case["expected"]:
        cot = case["options"].get("cot", False)
        lists = [alce.qampari(item["answers"], item["output"], cot) for item in items]
        for key, name in LISTS.items():
            _agrees(case, key, 100 * _mean([getattr(one, name) for one in lists]))
        _agrees(case, "num_preds", _mean([one.predictions for one in lists]))
    if "qa_predictions" in case:
        scored = [
            [
                alce.span_scores(span, pair["short_answers"])
                for span, pair in zip(spans, asked, strict=True)
            ]
            for spans, asked in zip(case["qa_predictions"], pairs, strict=True)
        ]
        _agrees(case, "QA-EM", 100 * _mean([_mean([em for em, _ in one]) for one in scored]))
        _agrees(case, "QA-F1", 100 * _mean([_mean([f1 for _, f1 in one]) for one in scored]))
        _agrees(case, "QA-Hit", 100 * _mean([all(em for em, _ in one) for one in scored]))


@pytest.mark.parametrize("case", parameters("alce", "cases.json", _cases))
def test_rouge(case: dict[str, Any]) -> None:
    theirs = case.get("rougeLsum_exact_mean", case["expected"].get("rougeLsum"))
    if theirs is None:
        assert "rougeLsum" not in case["expected"] or case["expected"]["rougeLsum"] is None
        return
    table = (
        {row["text"]: row["sentences"] for row in case["sentence_table"]}
        if isinstance(case["sentence_table"], list)
        else case["sentence_table"]
    )
    fscores = []
    for item in case["items"]:
        notes = item.get("annotations")
        references = [note["long_answer"] for note in notes] if notes else [item["answer"]]
        text = alce.plain(item["output"])
        fscores.append(alce.rouge_lsum(references, text, lambda one: table.get(one, [])).fscore)
    assert math.isclose(100 * _mean(fscores), theirs, rel_tol=0, abs_tol=1e-6)
