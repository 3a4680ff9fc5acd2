"""A judge's card: how often it agrees with people, set by set, what a verdict takes, and how easily it is steered."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from statistics import fmean
from typing import Annotated, Any

from pydantic import Field

from argue_bench.errors import DataError
from argue_bench.judges.base import Judge
from argue_bench.lab.injections import Count, InjectionReport, Text, is_day
from argue_bench.lab.label_agreement import KindAgreement, check_judge
from argue_bench.lab.label_sets import GROUPS, find_labels, published_on, sets_of
from argue_bench.records.validation import Expect, strict
from argue_bench.version import __version__

# Cards of another number are refused: a board shows what it can read whole.
SCHEMA = 1
# Cards come from strangers, so every number, text and list has a bound far above any honest one.
Number = Annotated[float, Field(ge=-1, le=1_000_000)]
_STEERED = ("rate", "low", "high", "attempts")
ABOUT: Mapping[str, str] = {
    "Entails": "RAG citations",
    "Answers": "short answers",
    "Supports": "nuggets in summaries",
    "Refuses": "refusals",
}
"""What the public sets of a kind are about."""


@strict
@dataclass(frozen=True)
class CardFigure:
    """A measured value with the ends of its 95 % interval; None where there is none."""

    value: Number | None
    low: Number | None = None
    high: Number | None = None


Figures = Annotated[dict[str, CardFigure], Field(max_length=50)]


@strict
@dataclass(frozen=True, kw_only=True)
class CardSet:
    """Agreement on one kind of request of one set, beside what needs no judge on the same labels."""

    set: Text
    kind: Text
    n: Count
    failed: Count
    measures: Figures
    """``balanced_accuracy``, ``f1``, ``accuracy``, and the ``share`` of the first verdict."""
    kappa: CardFigure
    floors: Annotated[dict[Text, Figures], Field(max_length=20)]
    each: Annotated[dict[Text, Number | None], Field(max_length=20)]
    """``seconds`` and ``dollars`` a verdict, of the run that made the card."""
    published: Annotated[dict[Text, Number], Field(max_length=50)] = field(default_factory=dict)
    """Balanced accuracy of other judges on the same rows, as ``source`` published it."""
    source: Text = ""


@strict
@dataclass(frozen=True, kw_only=True)
class JudgeCard:
    """The file of ``judge card JUDGE --out FILE``, which a board shows beside the judge that it names."""

    schema: Annotated[int, Expect("1, the format that this version reads", lambda n: n == 1)]
    judge: Annotated[str, Field(max_length=2_000), Expect("the name of a judge", str.strip)]
    identity: Annotated[dict[Text, Text], Field(max_length=200), Expect("an object of texts")]
    """Everything that changes the judge's verdicts, as in the signatures of scores."""
    summary: Text
    sets: Annotated[tuple[CardSet, ...], Field(max_length=500)]
    left_out: Annotated[dict[Text, Text], Field(max_length=500)] = field(default_factory=dict)
    """Sets that could not be fetched, with the reason."""
    injections: Annotated[dict[Text, Number | None], Field(max_length=20)] | None = None
    """``rate``, ``low``, ``high`` and ``attempts`` of a report on planted instructions."""
    argue_bench: Text
    made: Annotated[str, Expect("a day of the form YYYY-MM-DD", is_day)]


def named_sets(judge: Judge, named: Iterable[str]) -> list[str]:
    """The label sets of these names; the name of a group means its sets of kinds that the
    judge answers."""
    kinds = {kind.__name__ for kind in judge.kinds}
    names: list[str] = []
    for name in named:
        names += sets_of(name, kinds) if name.partition("=")[0] in GROUPS else (name,)
    return names


def judge_card(
    judge: Judge, named: Iterable[str], injections: InjectionReport | None = None
) -> JudgeCard:
    """The card of a judge on label sets or files.

    A set that cannot be fetched stands under ``left_out`` with the reason. ``injections`` is the report of
    ``judge injections --out``. Seconds and US dollars a verdict are of this run: none for verdicts
    that a store gave, nor dollars where a price is not known.
    """
    rows: list[CardSet] = []
    left_out: dict[str, str] = {}
    for name in named_sets(judge, named):
        try:
            rows += _measured(judge, name)
        except DataError as error:
            left_out[name.partition("=")[0]] = str(error)
    return JudgeCard(
        schema=SCHEMA,
        judge=judge.name,
        identity={**judge.identity(), **judge.observed()},
        summary=agreement_line(rows),
        sets=tuple(rows),
        left_out=left_out,
        injections={name: getattr(injections, name) for name in _STEERED} if injections else None,
        argue_bench=__version__,
        made=datetime.now(UTC).date().isoformat(),
    )


def _measured(judge: Judge, name: str) -> Iterator[CardSet]:
    """The rows of one set or file. Raises DataError."""
    labels = find_labels(Path(name))
    found = check_judge(judge, labels)
    for kind, one in found.kinds.items():
        yield _row(Path(name.partition("=")[0]).stem, kind, one, found.each)


def _row(name: str, kind: str, one: KindAgreement, each: Mapping[str, float | None]) -> CardSet:
    """Agreement on one kind, each figure with its interval, beside what needs no judge."""

    def figures(measures: Mapping[str, Any]) -> dict[str, CardFigure]:
        return {key: CardFigure(**asdict(value)) for key, value in measures.items()}

    models, source = published_on(name)
    return CardSet(
        set=name,
        kind=kind,
        n=one.n,
        failed=one.failed,
        measures=figures(one.measures),
        kappa=CardFigure(one.kappa, *(one.kappa_interval or ())),
        floors={floor: figures(measures) for floor, measures in one.floors.items()},
        each=dict(each),
        published=models,
        source=source,
    )


def agreement_line(rows: Iterable[CardSet]) -> str:
    """The mean balanced accuracy by kind in one line, as a board shows it; empty without a figure.

    A number of labels does not weigh: each set is one study.
    """
    found: dict[str, list[float]] = {}
    for row in rows:
        balanced = row.measures.get("balanced_accuracy")
        if balanced is not None and balanced.value is not None:
            found.setdefault(row.kind, []).append(balanced.value)
    if not found:
        return ""
    parts = []
    for number, (kind, values) in enumerate(found.items()):
        mean = f"{fmean(values):.2f}".removeprefix("0")
        sets = f"{len(values)} set{'s'[: len(values) > 1]} of {ABOUT.get(kind, kind)}"
        parts.append(f"{mean} on {sets}" if number else f"{mean} balanced accuracy on {sets}")
    return f"agrees with people: {', '.join(parts)}"
