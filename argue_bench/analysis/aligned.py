"""Reports of several systems aligned score by score; only scores made in the same way are compared.

Every score becomes columns of shape (questions, systems), the questions in the order of the first report.
Scores with different signatures are refused, and so are different questions under one signature; a data
set is known by its digest, whatever its name. Own rows are paired by what was asked (`paired_rows`). A score
that one system lacks is left out, with the reason.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TypeVar

import numpy as np

from argue_bench.errors import UnlikeSignatures
from argue_bench.eval.report import Report, Score
from argue_bench.eval.signature import Signature
from argue_bench.stats.averages import (
    Average,
    Better,
    Column,
    Columns,
    Unit,
    columns_of,
    stack,
    take,
)
from argue_bench.stats.bootstrap import (
    TOLERANCE,
    Groups,
    applies_to,
    bounds,
    estimate,
    jackknife,
    number_groups,
    replicates,
    resampled_level,
    spread,
    widened_constant,
)
from argue_bench.stats.permutation import ALPHA, per_question, permutation_test, resolvable
from argue_bench.stats.proportion import difference_interval, share_tests, wilson_interval

# Paired differences of systems on one score: values, intervals, tests.
#
# `argue_bench.analysis.compare` states the methods and their sources, and corrects the p values over
# the whole table.


@dataclass(frozen=True)
class Difference:
    """One score of two systems.

    ``value`` is the first system's score minus the second's, over the questions that both have;
    ``scores`` are each system's own; ``n`` counts the questions that the scarcer one applies to.
    """

    score: str
    first: str
    second: str
    scores: tuple[float, float]
    value: float
    low: float | None
    high: float | None
    p: float
    p_holm: float
    resolvable: float | None
    # Questions on which the first scores higher; None where nobody published them.
    won: int | None
    tied: int | None
    lost: int | None
    n: int
    unit: Unit
    better: Better
    # How many groups the ``n`` questions form; 0 where each stands alone.
    groups: int = 0
    # The interval of each system, where they are known by their shares alone.
    ends: tuple[tuple[float, float], ...] = ()

    @property
    def winner(self) -> str | None:
        """The better system where the corrected test says so."""
        if not self.better or not self.p_holm < ALPHA or not self.value:
            return None
        return self.first if (self.value > 0) == (self.better == "higher") else self.second


@dataclass(frozen=True)
class Resampling:
    """How the intervals and tests of one comparison are drawn."""

    resamples: int
    permutations: int
    seed: int


def pair_differences(
    one: ComparedScore, systems: Sequence[str], sampling: Resampling
) -> Iterator[Difference]:
    """All pairs on one score; `compare` fills in Holm's p when the table is complete."""
    average, columns, groups = one.average, one.columns, one.groups
    first, second = np.triu_indices(len(systems), 1)
    # One call for all pairs, which share the random swaps.
    p_values = permutation_test(
        average,
        take(columns, np.s_[:, first]),
        take(columns, np.s_[:, second]),
        groups=groups,
        permutations=sampling.permutations,
        seed=sampling.seed,
    )
    # All systems on the same resamples: what makes a question hard for all of them cancels out.
    drawn = replicates(
        {"": average}, columns, groups=groups, resamples=sampling.resamples, seed=sampling.seed
    )[""]
    left = jackknife({"": average}, columns, groups)[""]
    whole, applies = estimate(average, columns), applies_to(average, columns)
    units = applies_to(average, columns, groups)
    level = resampled_level(1 - ALPHA, int(units.min()), groups)
    alone = per_question(average, columns)
    for a, b, p in zip(first.tolist(), second.tolist(), p_values.tolist(), strict=True):
        gaps = alone[:, a] - alone[:, b]
        scored = gaps[~np.isnan(gaps)]
        apart, value = int(min(units[a], units[b])), whole[a] - whole[b]
        resampled = drawn[:, a] - drawn[:, b]
        ends = bounds(resampled, value, left[:, a] - left[:, b], level=level)
        low, high = widened_constant(*ends, value, apart, average.unit, lowest=-1.0)
        yield Difference(
            one.key,
            systems[a],
            systems[b],
            (one.values[a], one.values[b]),
            float(value),
            end_of(float(low), apart),
            end_of(float(high), apart),
            p,
            float("nan"),  # Holm's p, known once the table is complete
            resolvable(float(spread(resampled, apart)), apart),
            int(np.count_nonzero(scored > TOLERANCE)),
            int(np.count_nonzero(np.abs(scored) <= TOLERANCE)),
            int(np.count_nonzero(scored < -TOLERANCE)),
            int(min(applies[a], applies[b])),
            average.unit,
            average.better,
            apart if groups is not None else 0,
        )


def share_differences(one: ComparedScore, systems: Sequence[str]) -> Iterator[Difference]:
    """All pairs on one score of which shares are known, and not who answered which question."""
    told = zip(systems, one.values, one.cases, strict=True)
    p_values = share_tests(one.values, one.cases).tolist()
    for ((first, x, n), (second, y, m)), p in zip(combinations(told, 2), p_values, strict=True):
        ends = wilson_interval(x, n), wilson_interval(y, m)
        error = (x * (1 - x) / n + y * (1 - y) / m) ** 0.5
        yield Difference(
            one.key,
            first,
            second,
            (x, y),
            x - y,
            *difference_interval((x, *ends[0]), (y, *ends[1])),
            p,
            float("nan"),
            resolvable(error, min(n, m)),
            None,
            None,
            None,
            min(n, m),
            one.average.unit,
            one.average.better,
            ends=ends,
        )


def end_of(end: float, units: int) -> float | None:
    """An end of an interval; None for fewer than two questions, or counts without any spread."""
    return float(end) if units >= 2 and np.isfinite(end) else None


def scores_by_question(one: ComparedScore) -> dict[str, tuple[float | None, ...]]:
    alone = per_question(one.average, one.columns)
    return {
        question: tuple(None if np.isnan(value) else float(value) for value in row)
        for question, row in zip(one.questions, alone, strict=True)
    }


# Own rows of several systems, paired by question: ids, order and contexts differ from system to
# system.
#
# Two runs of rows belong together where they answer the same questions, with the same references. What each
# system retrieved is part of the system.

T = TypeVar("T")
# The digest of what was asked, and how many rows before asked the same.
Asked = tuple[str, int]


def all_rows(reports: Sequence[Report]) -> bool:
    """Whether all reports are of own rows, each with the question that it is paired by."""
    return all(
        report.per_question and report.pairing.keys() == report.per_question.keys()
        for report in reports
    )


def asked_only_once(first: Report, other: Report) -> list[str]:
    """Ids of rows whose question, with its reference, only one of the two systems answered."""
    one, two = _ids(first), _ids(other)
    return [one[key] for key in one if key not in two] + [two[key] for key in two if key not in one]


def paired(first: Report, other: Report) -> Report:
    """The other report with the first one's ids. Raises KeyError where it answers other questions."""
    named = ids_in(first, other)
    return replace(
        other,
        per_question=_renamed(other.per_question, named),
        groups=_renamed(other.groups, named),
        pairing=_renamed(other.pairing, named),
    )


def ids_in(first: Report, other: Report) -> dict[str, str]:
    """The ids of the other report, with those of the first for the same questions.

    Raises KeyError where the other lacks a question.
    """
    own = _ids(other)
    return {own[key]: id for key, id in _ids(first).items()}


def unlike_contexts(reports: Sequence[Report]) -> int:
    """The number of questions of paired reports for which the systems were given different
    contexts."""
    return sum(len({report.pairing[id][-1] for report in reports}) > 1 for id in reports[0].pairing)


def _ids(report: Report) -> dict[Asked, str]:
    """Ids by what was asked, rows that ask the same in the order of their ids."""
    seen: Counter[str] = Counter()
    found: dict[Asked, str] = {}
    # Rows that ask the same thing are told apart by their number, in the order of their ids.
    for id in sorted(report.pairing):
        digest = report.pairing[id][0]
        found[digest, seen[digest]] = id
        seen[digest] += 1
    return found


def _renamed(values: Mapping[str, T], named: Mapping[str, str]) -> dict[str, T]:
    return {named[id]: value for id, value in values.items()}


@dataclass(frozen=True)
class ComparedScore:
    """One score of all systems."""

    key: str
    average: Average
    # (questions, systems).
    columns: Columns
    # Without questions on which any system's judge failed.
    questions: tuple[str, ...]
    # The score of each system, over all of its own questions.
    values: tuple[float, ...]
    groups: Groups | None = None
    # Of how many questions each value is a share, where some system has no tallies; then there are no columns.
    cases: tuple[int, ...] = ()


@dataclass(frozen=True)
class Alignment:
    """The scores that can be compared, and the reasons why others cannot."""

    systems: tuple[str, ...]
    scores: tuple[ComparedScore, ...]
    signatures: Mapping[str, Signature]
    # Score key to the reason.
    left_out: Mapping[str, str]
    # Own rows: on how many questions the systems were given unlike contexts.
    unlike_contexts: int = 0


def score_columns(report: Report) -> Iterator[tuple[str, Average, dict[str, Column]]]:
    """Every score of a report that has tallies: key, average, columns (n,)."""
    rows = list(report.per_question.values())
    for text in dict.fromkeys(text for row in rows for text in row):
        columns = columns_of(row.get(text) for row in rows)
        for name, average in report.averages(text).items():
            if all(column in columns for column in average.columns_read):
                yield f"{text}.{name}", average, columns


def align_reports(systems: Sequence[str], reports: Sequence[Report]) -> Alignment:
    """Raises UnlikeSignatures with what differs and what is alike."""
    every = dict.fromkeys(text for report in reports for text in report.signature)
    shared = [text for text in every if all(text in report.signature for report in reports)]
    if not shared:
        metrics = (f"{n}: {', '.join(r.signature)}" for n, r in zip(systems, reports, strict=True))
        raise UnlikeSignatures(f"no metric was run on all of them. {'; '.join(metrics)}")
    # Own rows of two systems have ids of their own; they are paired by what was asked.
    rows = all_rows(reports)
    _refuse_unlike(systems, reports, shared, rows)
    if rows:
        reports = [reports[0], *(paired(reports[0], other) for other in reports[1:])]
    scores: list[ComparedScore] = []
    left_out = {text: "not run on all systems" for text in every if text not in shared}
    if not (whole := all(report.per_question for report in reports)):
        left_out["graded scores"] = "of published results only shares of n have a known spread"
    for text in shared:
        for found in (_compared if whole else _published)(text, reports, systems):
            if isinstance(found, ComparedScore):
                scores.append(found)
            else:
                left_out[found[0]] = found[1]
    signatures = {
        text: Signature(
            part
            for part in reports[0].signature[text].items()
            if whole or all(part in report.signature[text].items() for report in reports)
        )
        for text in shared
    }
    return Alignment(
        tuple(systems),
        tuple(scores),
        signatures,
        left_out,
        unlike_contexts(reports) if rows else 0,
    )


def _refuse_unlike(
    systems: Sequence[str], reports: Sequence[Report], shared: Sequence[str], rows: bool
) -> None:
    first, whole = reports[0], all(report.per_question for report in reports)
    lines, differing, alike = [], set[str](), set[str]()
    for name, report in zip(systems[1:], reports[1:], strict=True):
        unlike = []
        for text in shared:
            ours, theirs = first.signature[text], report.signature[text]
            one, other = (_compared_parts(signed, rows, whole) for signed in (ours, theirs))
            alike |= one.keys()
            # What others published may not say all.
            stated = one.keys() | other.keys() if whole else one.keys() & other.keys()
            apart = [p for p in {**one, **other} if p in stated and one.get(p) != other.get(p)]
            differing.update(apart)
            unlike += [
                f"{text}: {part}: {ours.get(part, 'not given')} against {theirs.get(part, 'not given')}"
                for part in apart
            ]
        # Sets that differ say so already; only under one signature the questions themselves are looked at.
        lone: Sequence[str] = ()
        if rows:
            lone = asked_only_once(first, report)
        elif whole and not unlike:
            lone = sorted(set(first.per_question) ^ set(report.per_question))
        if lone:
            differing.add("questions")
            some = ", ".join(dict.fromkeys(lone[:_SHOWN]))
            unlike += [f"they answer different questions: {len(lone)} are in one only ({some})"]
        lines += [f"  {systems[0]} against {name}: {difference}" for difference in unlike]
    if lines:
        same = ", ".join(name for name in _PARTS if name in alike - differing)
        raise UnlikeSignatures(
            "these were scored differently, so neither is above the other:\n"
            + "\n".join([*lines, f"  The same: {same}." if same else "", _advice(differing, rows)])
        )


_PARTS = ("metric", "data", "n", "answers", "judge", "sentences", "version")
# Questions that an error names: enough to find them.
_SHOWN = 5


def _advice(differing: set[str], rows: bool) -> str:
    """The advice for a difference in these parts of the signatures."""
    if rows and "questions" in differing:
        return (
            "  Score the same questions with the same references for both; ids, order and contexts "
            "may differ."
        )
    if differing & {"data", "questions"}:
        return "  Score both on one data set, and compare the new run files."
    return f"  Evaluate one again with the same {' and '.join(sorted(differing))} as the other."


def _compared_parts(signature: Signature, rows: bool, whole: bool) -> dict[str, str]:
    """The parts of a signature that must be equal. A data set is known by its digest, not its name, which is
    all that published results say; own
    rows are told apart by their questions, and what both were judged on is compared."""
    parts = {name: part for name, part in signature.items() if name != "not-judged"}
    name, _, digest = parts.pop("data", "").partition("@")
    return parts if rows else {**parts, "data": digest if whole else name}


def _compared(
    text: str, reports: Sequence[Report], systems: Sequence[str]
) -> Iterator[ComparedScore | tuple[str, str]]:
    """The scores of one metric; where one is unset, its key and why."""
    questions = tuple(reports[0].per_question)
    rows = [[report.per_question[q].get(text) for q in questions] for report in reports]
    # Pairs need both sides: a question that one judge failed on is left out for all.
    judged = [i for i in range(len(questions)) if all(row[i] is not None for row in rows)]
    columns = [columns_of(row[i] for i in judged) for row in rows]
    failed = sum(row.count(None) for row in rows)
    for name, average in reports[0].averages(text).items():
        key = f"{text}.{name}"
        # Each system's score is over its own questions, the difference over those of both.
        values = [report.scores[key].value if key in report.scores else None for report in reports]
        unset = [system for system, value in zip(systems, values, strict=True) if value is None]
        if unset:
            why = f"{failed} judgements failed" if failed else "it applies to no question"
            yield key, f"unset for {', '.join(unset)}: {why}"
        elif not average.resampled:
            yield key, "an order statistic, which is not tested"
        else:
            yield ComparedScore(
                key,
                average,
                stack(columns, average.columns_read),
                tuple(questions[i] for i in judged),
                tuple(value for value in values if value is not None),
                number_groups(reports[0].groups.get(questions[i], "") for i in judged),
            )


def _published(
    text: str, reports: Sequence[Report], systems: Sequence[str]
) -> Iterator[ComparedScore]:
    """The shares of one metric that all reports have, where some have nothing else."""
    for name, average in reports[0].averages(text).items():
        told = [report.scores.data.get(f"{text}.{name}", Score(None)) for report in reports]
        values = tuple(one.value for one in told if one.value is not None)
        # Wilson's interval is wide enough for graded values of one's own run, too.
        if (
            len(values) == len(systems)
            and average.unit == "share"
            and not any(one.groups for one in told)
        ):
            counts = tuple(one.n for one in told)
            yield ComparedScore(f"{text}.{name}", average, {}, (), values, cases=counts)
