"""A judge's card: how often it agrees with people, set by set, what a verdict takes, and how easily it is steered."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from statistics import fmean
from typing import Any

from argue_bench import __version__
from argue_bench.errors import DataError
from argue_bench.judges.base import Judge
from argue_bench.judges.checks.agreement import KindAgreement, check_judge
from argue_bench.judges.label_sets import find_labels, set_names

SCHEMA = 1


def sets_for(judge: Judge) -> list[str]:
    """The names of the public sets of kinds that a judge answers."""
    kinds = {kind.__name__ for kind in judge.kinds}
    return [name for name, kind in set_names().items() if kind in kinds]


def judge_card(
    judge: Judge, named: Iterable[str], injections: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """The card of a judge on label sets or files, as plain data.

    A set that cannot be fetched stands under ``left_out`` with the reason. ``injections`` is the report of
    ``judge check --injections --out``. Seconds and US dollars a verdict are of this run: none for verdicts
    that a store gave.
    """
    rows: list[dict[str, Any]] = []
    left_out: dict[str, str] = {}
    for name in named:
        try:
            labels = find_labels(Path(name))
            began, before = time.perf_counter(), _spent(judge)
            found = check_judge(judge, labels)
        except DataError as error:
            left_out[name] = str(error)
            continue
        seconds, after = time.perf_counter() - began, _spent(judge)
        asked = found.labels - int(after["stored"] - before["stored"])
        each = {
            "seconds": round(seconds / asked, 6) if asked else None,
            "dollars": round((after["price"] - before["price"]) / asked, 8) if asked else None,
        }
        for kind, one in found.kinds.items():
            rows.append({"set": Path(name).stem, "kind": kind, **_figures(one), "each": each})
    return {
        "schema": SCHEMA,
        "judge": judge.name,
        "identity": dict(judge.identity()),
        "summary": _summary(rows),
        "sets": rows,
        "left_out": left_out,
        "injections": dict(injections) if injections else None,
        "argue_bench": __version__,
        "made": datetime.now(UTC).date().isoformat(),
    }


def _spent(judge: Judge) -> dict[str, float]:
    counts = judge.counts
    return {"price": counts.price, "stored": counts.stored}


def _figures(one: KindAgreement) -> dict[str, Any]:
    """Agreement on one kind, each figure with its interval, beside what needs no judge."""
    low, high = one.kappa_interval or (None, None)
    return {
        "n": one.n,
        "failed": one.failed,
        "measures": {name: asdict(value) for name, value in one.measures.items()},
        "kappa": {"value": one.kappa, "low": low, "high": high},
        "floors": {
            name: {measure: asdict(value) for measure, value in floor.items()}
            for name, floor in one.floors.items()
        },
    }


def _summary(rows: Iterable[Mapping[str, Any]]) -> str:
    """The agreement in one line, as a board shows it; empty without a figure."""
    found = [
        float(row["measures"]["balanced_accuracy"]["value"])
        for row in rows
        if "balanced_accuracy" in row["measures"]
    ]
    if not found:
        return ""
    mean = f"{fmean(found):.2f}".removeprefix("0")
    return (
        f"agrees with people: {mean} balanced accuracy on {len(found)} set{'s'[: len(found) > 1]}"
    )
