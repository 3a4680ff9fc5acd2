"""What a build of the site is handed: plain values, already read and verified by somebody else."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Seal = Literal["verified", "unsigned", "unchecked"]
"""Whether a result's signature was checked and holds; "unchecked" where nothing could check it.

A result whose signature does not hold is never handed to a build."""


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
    """Scored runs of its author in the season; None where no ledger says."""


@dataclass(frozen=True)
class Standing:
    """Where a system stands by paired tests: no better than ``best``, no worse than ``worst``.

    ``p`` is of the test against the leader, in words ("< 0.001"); empty for the leader itself.
    """

    band: int
    best: int
    worst: int
    p: str = ""
    difference: float | None = None


@dataclass(frozen=True)
class Bands:
    """Which systems of one setting are really different. ``how`` names test, alpha, correction."""

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
    """One season of a board: what it declares, and its entries."""

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
    """Setting to its questions, where the gold is public."""
    views: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """Setting to system to the address of its report viewer, from the root of the site."""


@dataclass(frozen=True)
class InjectionResult:
    """How many planted instructions turned a judge's verdict, of those that were judged.

    ``judge`` is in the words of a signature. ``kinds``: (judged, succeeded). ``made`` is an ISO day.
    """

    name: str
    judge: str
    attempts: int
    succeeded: int
    failed: int
    low: float | None = None
    high: float | None = None
    """The 95 % interval of the rate."""
    kinds: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    left_out: tuple[str, ...] = ()
    """Places where nothing was planted, for the judge was wrong there anyway or can't be asked."""
    version: str = ""
    made: str = ""


@dataclass(frozen=True)
class Site:
    """Everything that one build shows. ``today`` (ISO) decides who is still anonymous."""

    seasons: tuple[BoardSeason, ...]
    title: str = "argue-bench"
    """The board's own; the name of the program where it has none."""
    url: str = ""
    """Where the site will stand, for the feed, the badge and the 404 page; ends with a slash."""
    repository: str = ""
    """The address of the board's repository, without a slash at its end: what the queue links to."""
    today: str = ""
    ledger: tuple[Mapping[str, Any], ...] = ()
    queue: tuple[Mapping[str, Any], ...] | None = None
    """None where nobody supplied one."""
    changelog: str = ""
    judges: tuple[InjectionResult, ...] = ()
    """What was measured of judges; each is shown only beside the judge that it names."""
    findings: tuple[str, ...] = ()
    """What was left out of the build, in words."""
