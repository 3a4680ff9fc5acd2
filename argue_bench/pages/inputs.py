"""The input of a build of the site: plain values that were read and verified before."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Annotated, Any, Literal

from pydantic import Field

from argue_bench.records.validation import Expect, strict

Count = Annotated[int, Field(ge=0, le=1_000_000_000)]
Share = Annotated[float, Field(ge=0, le=1)]
Text = Annotated[str, Field(max_length=2_000)]

Seal = Literal["verified", "unsigned", "unchecked"]
"""Whether a result's signature was verified; "unchecked" where the keys could not be read.

A result whose signature is wrong never reaches a build."""


@dataclass(frozen=True)
class SystemResult:
    """One system's result in one season. ``metadata`` is None where there was none to read."""

    system: str
    settings: Mapping[str, Mapping[str, Any]]
    """Setting to ``{signature: {metric: {..}}, scores: {key: {value, low, high, n, failed}}}``."""
    metadata: Mapping[str, Any] | None = None
    submission: Mapping[str, str] = field(default_factory=dict)
    gold_digest: str | None = None
    author: str | None = None
    commit: str | None = None
    group: str = ""
    created: str = ""
    seal: Seal = "unsigned"
    key: str = ""
    """Id of the key that signed it."""
    runs: int | None = None
    """Scored runs of its author in the season; None without a ledger."""


@dataclass(frozen=True)
class Standing:
    """A system's rank by paired tests: no better than ``best``, no worse than ``worst``.

    ``p`` is of the test against the leader, in words ("< 0.001"); empty for the leader itself.
    """

    band: int
    best: int
    worst: int
    p: str = ""
    difference: float | None = None


@dataclass(frozen=True)
class Bands:
    """The ranks of one setting by paired tests. ``how`` names test, alpha, correction."""

    standings: Mapping[str, Standing]
    how: str = ""
    resolves: float | None = None
    """The smallest difference that the set finds with 80 % power."""


@dataclass(frozen=True)
class QuestionScores:
    """One question of a public set, with each system's ranked score on it alone."""

    id: str
    text: str
    values: Mapping[str, float | None]


@dataclass(frozen=True)
class BoardSeason:
    """One season of a board: its declaration and its results."""

    season: str
    entries: tuple[SystemResult, ...] = ()
    title: str = ""
    group: str = ""
    set_name: str = ""
    split: str = ""
    settings: tuple[str, ...] = ()
    metrics: tuple[str, ...] = ()
    judge: str = ""
    ranked: str = ""
    bands: Mapping[str, Bands] = field(default_factory=dict)
    """By setting; a setting without paired tests is absent."""
    categories: Mapping[str, Mapping[str, Mapping[str, float]]] = field(default_factory=dict)
    """Setting to system to category to ranked score."""
    topics: Mapping[str, tuple[QuestionScores, ...]] = field(default_factory=dict)
    """Setting to questions, where the gold is public."""
    views: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """Setting to system to the address of its report viewer, from the root of the site."""


@strict
@dataclass(frozen=True)
class InjectionCounts:
    """How many planted instructions were judged, and how many of them flipped the verdict."""

    attempts: Count
    succeeded: Count


def _is_day(text: str) -> bool:
    try:
        return date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False


@strict
@dataclass(frozen=True, kw_only=True)
class InjectionReport:
    """One report of ``judge check JUDGE --injections --out FILE``, with the keys of that file."""

    schema: Annotated[int, Expect("1, the format that this version reads", lambda n: n == 1)]
    judge: Annotated[str, Field(max_length=2_000), Expect("the name of a judge", str.strip)]
    identity: Annotated[dict[Text, Text], Field(max_length=200), Expect("an object of texts")]
    """Everything that changes the judge's verdicts: model, prompts, decoding."""
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
    places: dict[str, InjectionCounts] | None = None
    left_out: Annotated[
        tuple[Text, ...], Field(max_length=100), Expect("a list of at most 100 texts")
    ] = ()
    """Places where nothing was planted: the judge is wrong there anyway, or cannot be asked."""
    argue_bench: Text
    made: Annotated[str, Expect("a day of the form YYYY-MM-DD", _is_day)]


@dataclass(frozen=True)
class Site:
    """Everything that one build shows; ``today`` (ISO) decides which authors are still anonymous."""

    seasons: tuple[BoardSeason, ...]
    title: str = "argue-bench"
    url: str = ""
    """The site's own address, for the feed, the badge and the 404 page; ends with a slash."""
    repository: str = ""
    """The address of the board's repository, without a final slash; the queue links to it."""
    today: str = ""
    ledger: tuple[Mapping[str, Any], ...] = ()
    queue: tuple[Mapping[str, Any], ...] | None = None
    """None without a queue file."""
    changelog: str = ""
    judges: tuple[InjectionReport, ...] = ()
    """Each is shown only beside the judge that it names."""
    findings: tuple[str, ...] = ()
    """Messages about everything that was left out of the build."""
