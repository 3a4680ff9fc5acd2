"""Own rows of several systems, paired by question: ids, order and contexts differ from system to
system.

Two runs of rows belong together where they answer the same questions, with the same references. What each
system retrieved is part of the system.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from argue_bench.eval.report import Report

T = TypeVar("T")
Asked = tuple[str, int]
"""The digest of what was asked, and how many rows before asked the same."""


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
