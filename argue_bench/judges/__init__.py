"""Whoever gives verdicts, by name: ``lexical``, ``recorded:FILE``, ``panel:lexical+recorded:FILE``.

A spec names a judge on the command line, in Python and in column heads.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from argue_bench.errors import UnknownName, UsageError
from argue_bench.judges.base import Counts, Judge, Reply

__all__ = ["JUDGES", "Counts", "Judge", "Reply", "create", "known"]


@dataclass(frozen=True)
class Known:
    """One line of the list of judges. ``create`` is given what stands after the colon."""

    summary: str
    spec: str
    create: Callable[[str], Judge]
    paid: bool = False


def _lexical(rest: str) -> Judge:
    from argue_bench.judges.lexical import Lexical

    if rest:
        raise UsageError(f"the judge 'lexical' takes nothing after a colon, here: {rest!r}")
    return Lexical()


def _recorded(rest: str) -> Judge:
    from argue_bench.judges.recorded import Recorded

    return Recorded.from_file(rest)


def _panel(rest: str) -> Judge:
    from argue_bench.judges.panel import Panel

    return Panel([create(spec) for spec in rest.split("+")])


def _nli(rest: str) -> Judge:
    from argue_bench.judges.nli import nli

    return nli(rest)


def _qa(rest: str) -> Judge:
    from argue_bench.judges.extractive import qa

    return qa(rest)


def _bleurt(rest: str) -> Judge:
    from argue_bench.judges.bleurt import bleurt

    return bleurt(rest)


JUDGES: dict[str, Known] = {
    "lexical": Known(
        "compares words, numbers, names and negation; offline, deterministic, the default",
        "lexical",
        _lexical,
    ),
    "recorded": Known(
        "verdicts from a file: people's labels, replays of other judges; anything else fails",
        "recorded:FILE",
        _recorded,
    ),
    "nli": Known(
        "entailment by a model on disk: DeBERTa-style classifiers, T5 as in ALCE",
        "nli:MODEL",
        _nli,
    ),
    "qa": Known(
        "the words that answer a question, by a model on disk trained on SQuAD",
        "qa:MODEL",
        _qa,
    ),
    "bleurt": Known(
        "how alike two texts are, by BLEURT on disk",
        "bleurt:MODEL",
        _bleurt,
    ),
    "panel": Known(
        "the majority of several judges; the median of numbers",
        "panel:A+B+C",
        _panel,
    ),
}


def known(spec: str) -> Known:
    """The line of the list that a spec means. Raises UnknownName."""
    name = spec.partition(":")[0]
    if name not in JUDGES:
        raise UnknownName("judge", name, tuple(JUDGES), see="argue-bench judges")
    return JUDGES[name]


def create(spec: str) -> Judge:
    """The judge that a spec names. Raises UnknownName, UsageError, MissingExtra or DataError."""
    return known(spec).create(spec.partition(":")[2])
