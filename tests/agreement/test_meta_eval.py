"""Do we rank a judge's agreement as autojudge-evaluate and scipy do? One test per (vector, entry,
pair, method), and per number beyond the reference, in any folder of this shape."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from argue_bench.errors import ArgueBenchError
from argue_bench.lab.agreement import pair_verdicts
from argue_bench.lab.score_table import Aggregates, AgreementStudy, ScoreTable, read_scores
from argue_bench.stats.correlation import METHODS
from tests.agreement.vectors import parameters, read

NEAR = 1e-9
LEAVING = re.compile(r"(?P<method>[a-z_@0-9]+)_leaving_one_(?P<what>topic|run)_out")


class Case(NamedTuple):
    folder: Path
    vector: dict[str, Any]
    args: dict[str, Any]
    pair: str
    method: str
    topic: str | None
    expected: Any


def entries(path: Path) -> Iterator[tuple[str, Case]]:
    for name, vector in read(path)["vectors"].items():
        for entry, expected in vector.get("expected", {}).items():
            args = vector.get("args", {}).get(entry, {})
            if "raises" in expected:
                yield f"{name}-{entry}-raises", Case(path.parent, vector, args, "", "", None, None)
                continue
            for pair, found in expected.items():
                if "raises" in found:
                    case = Case(path.parent, vector, args, pair, "", None, None)
                    yield f"{name}-{entry}-{pair}-raises", case
                    continue
                of_topic = any(isinstance(value, dict) for value in found.values())
                per_topic = found if of_topic else {None: found}
                # every method of the entry is asked for at once, as it was recorded
                methods = list(dict.fromkeys(m for values in per_topic.values() for m in values))
                for topic, values in per_topic.items():
                    for method, value in values.items():
                        id = "-".join(filter(None, [name, entry, pair, topic, method]))
                        given = {"methods": methods, **args}
                        yield id, Case(path.parent, vector, given, pair, method, topic, value)


def beyond(path: Path) -> Iterator[tuple[str, Case]]:
    for name, vector in read(path)["vectors"].items():
        for what, expected in vector.get("beyond_the_reference", {}).items():
            case = Case(path.parent, vector, {}, "", what, None, expected)
            if what == "pairwise_wilcoxon":
                for alpha, found in expected.items():
                    yield f"{name}-{what}-{alpha}", case._replace(topic=alpha, expected=found)
            elif LEAVING.fullmatch(what):
                for left, value in expected.items():
                    yield f"{name}-{what}-{left}", case._replace(topic=left, expected=value)


def tables(case: Case) -> tuple[ScoreTable, ScoreTable]:
    sides = [case.vector[side] for side in ("truth", "judge")]
    truth, judge = (read_scores(case.folder / file, format) for file, format in sides)
    return truth, judge


def study(args: dict[str, Any], truth: ScoreTable, judge: ScoreTable) -> AgreementStudy:
    """What an entry was called with, in our words."""
    given = truth.given or judge.given
    aggregates: Aggregates = args.get("aggregates", "as-given" if given else "recompute")
    return AgreementStudy(
        truth,
        judge,
        topics=chosen(args.get("topics")),
        runs=chosen(args.get("runs")),
        truth_measures=chosen(args.get("truth_measure", args.get("truth_measures"))),
        judge_measures=chosen(
            args.get("judge_measure", args.get("eval_measure", args.get("judge_measures")))
        ),
        on_missing=args.get("on_missing", "error"),
        aggregates=aggregates,
        only_shared_runs=args.get("only_shared_runs", False),
        only_shared_topics=args.get("only_shared_topics", False),
        like=args.get("like", ""),
    )


def chosen(value: Any) -> tuple[str, ...] | None:
    if value is None:
        return None
    return (value,) if isinstance(value, str) else tuple(value)


def computed(case: Case) -> dict[str, Any]:
    truth, judge = tables(case)
    agreement = study(case.args, truth, judge)
    compute = agreement.correlate_topics if case.args.get("per_topic") else agreement.correlate
    found = compute(case.args.get("methods", METHODS))
    return {f"{x} vs {y}": values for (x, y), values in found.items()}


@pytest.mark.parametrize("case", parameters("meta_eval", "expected.json", entries))
def test_correlation(case: Case) -> None:
    if case.expected is None and not case.method:
        with pytest.raises(ArgueBenchError):
            computed(case)
        return
    found = computed(case)[case.pair]
    value = found[case.method] if case.topic is None else found[case.topic][case.method]
    if case.expected is None:
        assert math.isnan(value)
    else:
        assert value == pytest.approx(case.expected, abs=NEAR)


@pytest.mark.parametrize("case", parameters("meta_eval", "expected.json", beyond))
def test_beyond_the_reference(case: Case) -> None:
    truth, judge = tables(case)
    extra = case.vector["beyond_the_reference"]
    args = {key: extra[key] for key in ("truth_measure", "judge_measure") if key in extra}
    agreement = study({"aggregates": "recompute", "on_missing": "skip", **args}, truth, judge)
    assert case.topic is not None
    if case.method == "pairwise_wilcoxon":
        [found] = pair_verdicts(agreement, float(case.topic)).values()
        assert len(found) == case.expected["pairs"]
        assert sum(one.outcome == "agree" for one in found) == case.expected["agree"]
        share = sum(one.outcome == "agree" for one in found) / len(found)
        assert share == pytest.approx(case.expected["accuracy"], abs=NEAR)
        by_pair = {(one.first, one.second): one for one in found}
        for expected in case.expected["by_pair"]:
            first, second = expected["pair"]
            sign = 1 if (first, second) in by_pair else -1
            one = by_pair[(first, second)[::sign]]
            assert (sign * one.truth, sign * one.judge) == (expected["truth"], expected["judge"])
            assert one.truth_p == pytest.approx(expected["truth_p"], abs=NEAR)
            assert one.judge_p == pytest.approx(expected["judge_p"], abs=NEAR)
        return
    leaving = LEAVING.fullmatch(case.method)
    assert leaving is not None
    topics = leaving["what"] == "topic"
    leave_out = agreement.leave_out_topics if topics else agreement.leave_out_runs
    [left] = leave_out(leaving["method"]).values()
    assert left[case.topic] == pytest.approx(case.expected, abs=NEAR)
