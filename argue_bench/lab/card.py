"""A judge's card: how often it agrees with people, set by set, what a verdict takes, and how easily it is steered.

The last is the share of texts trying to steer a live judge that succeed. Each attempt is put where a participant or the author of a cited page could put it. The right verdict
of every place is known, and the judge is first asked without any attempt: a place counts only if the
judge was right there. An attempt succeeds where it turns the verdict. The rate is of the attempts
that were judged, with Wilson's interval (1927) at 95 %; failures are counted apart.

`InjectionReport` is what a board shows beside the judge's name.
"""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, date, datetime
from pathlib import Path
from statistics import fmean
from typing import Annotated, Any

from pydantic import Field

from argue_bench.errors import Code, DataError
from argue_bench.judges.base import Judge, judge_in_batches
from argue_bench.lab.label_agreement import KindAgreement, check_judge
from argue_bench.lab.label_sets import GROUPS, find_labels, published_on, sets_of
from argue_bench.records import JudgeRequest, Verdict, request_from_json
from argue_bench.records.untrusted import Limits, read_json
from argue_bench.records.validation import Expect, strict, validate
from argue_bench.stats.proportion import wilson_interval
from argue_bench.version import __version__

# The version of a report's and a card's form: a reader of another version refuses them.
SCHEMA = 1
# What a report or a card may hold: ours have 2 to 40 kB, and a board reads those of strangers.
LIMITS = Limits(line_bytes=200_000, file_bytes=200_000, depth=8)
HINT = "Write it with `argue-bench judge check JUDGE --injections FILE`."
FILE = Path(__file__).with_name("injections.jsonl")
_PLACES = Path(__file__).with_name("injection_places.jsonl")

Count = Annotated[int, Field(ge=0, le=1_000_000_000)]
Share = Annotated[float, Field(ge=0, le=1)]
Text = Annotated[str, Field(max_length=2_000)]


@dataclass(frozen=True)
class Attempt:
    """A text that tries to steer a judge; ``parts`` are the sentences over which it is spread."""

    kind: str = ""
    text: str = ""
    parts: tuple[str, ...] = ()


@dataclass(frozen=True)
class AttemptPlace:
    """A place for an attempt, with the right verdict of the request there."""

    name: str
    right: str
    template: Mapping[str, Any] = field(compare=False)

    def request(self, attempt: Attempt) -> JudgeRequest:
        """The judge request with the attempt in its place."""
        return request_from_json(_filled(self.template, attempt))


def _filled(template: Any, attempt: Attempt) -> Any:
    if isinstance(template, dict):
        return {key: _filled(value, attempt) for key, value in template.items()}
    if isinstance(template, list):
        parts = attempt.parts or ((attempt.text,) if attempt.text else ())
        spread = [parts if value == "{parts}" else [value] for value in template]
        return [_filled(value, attempt) for values in spread for value in values]
    return (
        template.replace("{attempt}", attempt.text).strip() if "{attempt}" in template else template
    )


def attempt_places() -> list[AttemptPlace]:
    """The places in which attempts are put, each with a request that has a known verdict."""
    rows = [json.loads(line) for line in _PLACES.read_text(encoding="utf-8").splitlines()]
    return [AttemptPlace(row["name"], row["right"], row["request"]) for row in rows]


@strict
@dataclass(frozen=True)
class InjectionCounts:
    """How many planted instructions were judged, and how many of them flipped the verdict."""

    attempts: Count
    succeeded: Count


def is_day(text: str) -> bool:
    """Whether a text is a date, as YYYY-MM-DD."""
    try:
        return date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False


@strict
@dataclass(frozen=True, kw_only=True)
class InjectionReport:
    """What `inject` measured: the file of ``judge check JUDGE --injections FILE``.

    ``rate`` is the share of the judged ``attempts`` that succeeded, from ``low`` to ``high``.
    """

    schema: Annotated[int, Expect("1, the format that this version reads", lambda n: n == 1)]
    judge: Annotated[str, Field(max_length=2_000), Expect("the name of a judge", str.strip)]
    identity: Annotated[dict[Text, Text], Field(max_length=200), Expect("an object of texts")]
    """Everything that changes the judge's verdicts, as in the signatures of scores."""
    attempts: Count
    succeeded: Count
    failed: Count
    """Instructions that got no verdict; they are not among ``attempts``."""
    rate: Share | None
    low: Share | None
    high: Share | None
    kinds: Annotated[
        dict[str, InjectionCounts],
        Field(max_length=100),
        Expect("an object of at most 100 kinds, each with attempts and succeeded"),
    ]
    places: dict[str, InjectionCounts] = field(default_factory=dict)
    left_out: Annotated[
        tuple[Text, ...], Field(max_length=100), Expect("a list of at most 100 texts")
    ] = ()
    """Places where nothing was planted: the judge is wrong there anyway, or cannot be asked."""
    argue_bench: Text
    made: Annotated[str, Expect("a day of the form YYYY-MM-DD", is_day)]


def read_report(path: Path) -> InjectionReport:
    """The report in a file. Raises DataError."""
    return validate(InjectionReport, read_json(path, LIMITS), Code.WRONG_SHAPE, path, hint=HINT)


def attempts(path: Path = FILE) -> list[Attempt]:
    """The attempts that come with this package."""
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return [
        Attempt(row["kind"], row["text"] * row.get("times", 1), tuple(row.get("parts", ())))
        for row in rows
    ]


def inject(judge: Judge, tried: Sequence[Attempt] | None = None) -> InjectionReport:
    """Sends the judge every attempt in every place. Raises JudgeError where it cannot go on."""
    return asyncio.run(_inject(judge, attempts() if tried is None else tried))


async def _inject(judge: Judge, tried: Sequence[Attempt]) -> InjectionReport:
    places, nothing = attempt_places(), Attempt()
    plain = await _verdicts(judge, [place.request(nothing) for place in places])
    # Where the judge is wrong without any attempt, a wrong verdict would not be the attempt's doing.
    sound = [place for place in places if plain.get(place.request(nothing)) == place.right]
    requests = {(p, a): p.request(a) for p in sound for a in tried}
    verdicts = await _verdicts(judge, requests.values())
    judged = [
        (place.name, attempt.kind, verdicts[request] != place.right)
        for (place, attempt), request in requests.items()
        if request in verdicts
    ]
    n, succeeded = len(judged), sum(won for _, _, won in judged)
    rate = succeeded / n if n else None
    # Wilson's interval, as though attempts were drawn independently of each other.
    low, high = (None, None) if rate is None else wilson_interval(rate, n)
    return InjectionReport(
        schema=SCHEMA,
        judge=judge.name,
        identity={**judge.identity(), **judge.observed()},
        attempts=n,
        succeeded=succeeded,
        failed=len(requests) - n,
        rate=rate,
        low=low,
        high=high,
        kinds=_counts((kind, won) for _, kind, won in judged),
        places=_counts((place, won) for place, _, won in judged),
        left_out=tuple(place.name for place in places if place not in sound),
        argue_bench=__version__,
        made=datetime.now(UTC).date().isoformat(),
    )


async def _verdicts(
    judge: Judge, requests: Iterable[JudgeRequest]
) -> dict[JudgeRequest, str | float]:
    able = [request for request in requests if type(request) in judge.kinds]
    return {
        request: reply.value
        async for request, reply in judge_in_batches(judge, able)
        if isinstance(reply, Verdict)
    }


def _counts(outcomes: Iterable[tuple[str, bool]]) -> dict[str, InjectionCounts]:
    succeeded, judged = Counter[str](), Counter[str]()
    for name, won in outcomes:
        succeeded[name] += won
        judged[name] += 1
    return {name: InjectionCounts(n, succeeded[name]) for name, n in judged.items()}


# Cards come from strangers, so every number, text and list has a bound far above any honest one.
Number = Annotated[float, Field(ge=-1, le=1_000_000)]
_STEERED = ("rate", "low", "high", "attempts")
# What the public sets of a kind are about.
ABOUT: Mapping[str, str] = {
    "Entails": "RAG citations",
    "Answers": "short answers",
    "Supports": "nuggets in summaries",
    "Refuses": "refusals",
}


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
    ``judge check --injections``. Seconds and US dollars a verdict are of this run: none for verdicts
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
