"""Reports of several systems aligned score by score; only scores made in the same way are compared.

Every score becomes columns of shape (questions, systems), the questions in the order of the first report.
Scores with different signatures are refused, and so are different questions under one signature; a data
set is known by its digest, whatever its name. Own rows are paired by what was asked (`paired_rows`). A score
that one system lacks is left out, with the reason.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from argue_bench.errors import UnlikeSignatures
from argue_bench.eval.paired_rows import all_rows, asked_only_once, paired, unlike_contexts
from argue_bench.eval.report import Report
from argue_bench.eval.signature import Signature
from argue_bench.stats.averages import Average, Column, Columns, columns_of, stack
from argue_bench.stats.groups import Groups, number_groups


@dataclass(frozen=True)
class ComparedScore:
    """One score of all systems."""

    key: str
    average: Average
    columns: Columns
    """(questions, systems)."""
    questions: tuple[str, ...]
    """Without questions on which any system's judge failed."""
    values: tuple[float, ...]
    """The score of each system, over all of its own questions."""
    groups: Groups | None = None


@dataclass(frozen=True)
class Alignment:
    """The scores that can be compared, and the reasons why others cannot."""

    systems: tuple[str, ...]
    scores: tuple[ComparedScore, ...]
    signatures: Mapping[str, Signature]
    left_out: Mapping[str, str]
    """Score key to the reason."""
    reports: Mapping[str, Report]
    """By system, with the same questions under the same ids."""
    unlike_contexts: int = 0
    """Own rows: on how many questions the systems were given unlike contexts."""


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
    for text in shared:
        for found in _compared(text, reports, systems):
            if isinstance(found, ComparedScore):
                scores.append(found)
            else:
                left_out[found[0]] = found[1]
    signatures = {text: reports[0].signature[text] for text in shared}
    return Alignment(
        tuple(systems),
        tuple(scores),
        signatures,
        left_out,
        dict(zip(systems, reports, strict=True)),
        unlike_contexts(reports) if rows else 0,
    )


def _refuse_unlike(
    systems: Sequence[str], reports: Sequence[Report], shared: Sequence[str], rows: bool
) -> None:
    first = reports[0]
    lines, differing, alike = [], set[str](), set[str]()
    for name, report in zip(systems[1:], reports[1:], strict=True):
        unlike = []
        for text in shared:
            ours, theirs = first.signature[text], report.signature[text]
            one, other = _compared_parts(ours, rows), _compared_parts(theirs, rows)
            alike |= one.keys()
            apart = [part for part in {**one, **other} if one.get(part) != other.get(part)]
            differing.update(apart)
            unlike += [
                f"{text}: {part}: {ours.get(part, 'not given')} against {theirs.get(part, 'not given')}"
                for part in apart
            ]
        # Sets that differ say so already; only under one signature the questions themselves are looked at.
        lone: Sequence[str] = ()
        if rows:
            lone = asked_only_once(first, report)
        elif not unlike:
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
_SHOWN = 5
"""Questions that an error names: enough to find them."""


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


def _compared_parts(signature: Signature, rows: bool) -> dict[str, str]:
    """The parts of a signature that must be equal. A data set is known by its digest, not its name; own
    rows are told apart by their questions, and what both were judged on is compared."""
    parts = {name: part for name, part in signature.items() if name != "not-judged"}
    data = parts.pop("data", "").rpartition("@")[2]
    return parts if rows else {**parts, "data": data}


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
