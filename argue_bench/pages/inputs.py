"""The input of a build of the site: plain values that were read and verified before."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from argue_bench.lab.card import InjectionReport, JudgeCard
from argue_bench.loaders.dataset import Dataset

# Whether a result's signature was verified; "unchecked" where the keys could not be read. A result whose
# signature is wrong never reaches a build.
Seal = Literal["verified", "unsigned", "unchecked"]


@dataclass(frozen=True)
class SystemResult:
    """One system's result in one season. ``metadata`` is None where there was none to read."""

    system: str
    # Setting to ``{signature: {metric: {..}}, scores: {key: {value, low, high, n, failed}}}``, and
    # ``answers: {median, longest, cut, verbatim}`` where the answers were at hand, ``carried`` where a
    # signed bridge carried the ranked score over from a retired judge.
    settings: Mapping[str, Mapping[str, Any]]
    metadata: Mapping[str, Any] | None = None
    submission: Mapping[str, str] = field(default_factory=dict)
    gold_digest: str | None = None
    author: str | None = None
    commit: str | None = None
    group: str = ""
    created: str = ""
    seal: Seal = "unsigned"
    # Id of the key that signed it.
    key: str = ""
    # Scored runs of its author in the season; None without a ledger.
    runs: int | None = None


@dataclass(frozen=True)
class SystemRank:
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

    standings: Mapping[str, SystemRank]
    how: str = ""
    # The smallest difference that the set finds with 80 % power.
    resolves: float | None = None


@dataclass(frozen=True)
class QuestionScores:
    """One question of a set, with each system's ranked score on it alone.

    While the gold is hidden there are no values, no gold and no pages of answers.
    """

    id: str
    text: str
    values: Mapping[str, float | None]
    # The whole question, where ``text`` is its title.
    request: str = ""
    # The gold answer and nuggets, one line each; empty where there is none to show.
    gold: tuple[str, ...] = ()
    # System to its report in a viewer: the folder, from the root of the site, and the page's stem.
    reports: Mapping[str, tuple[str, str]] = field(default_factory=dict)


@dataclass(frozen=True)
class BoardSeason:
    """One season of a board: its declaration and its results."""

    season: str
    entries: tuple[SystemResult, ...] = ()
    title: str = ""
    group: str = ""
    set_name: str = ""
    split: str = ""
    # How many questions the set has; None where nobody said it.
    questions: int | None = None
    # The folder of the set, from the board's own; empty where the name finds it.
    set_path: str = ""
    # Addresses that a reader wants: website, repository, data, paper.
    links: Mapping[str, str] = field(default_factory=dict)
    # Where results that were published elsewhere come from, with commit and licence.
    source: str = ""
    settings: tuple[str, ...] = ()
    metrics: tuple[str, ...] = ()
    judge: str = ""
    ranked: str = ""
    # By setting; a setting without paired tests is absent.
    bands: Mapping[str, Bands] = field(default_factory=dict)
    # Setting to questions, where the gold is public.
    topics: Mapping[str, tuple[QuestionScores, ...]] = field(default_factory=dict)
    # Setting to system to the address of its report viewer, from the root of the site.
    views: Mapping[str, Mapping[str, str]] = field(default_factory=dict)


@dataclass(frozen=True)
class View:
    """A run file whose reports are shown under ``folder`` (which ends with a slash)."""

    run: Path
    dataset: Dataset
    folder: str
    system: str
    # The address of the board that shows it, from the root of the site.
    back: str = ""


@dataclass(frozen=True)
class MeasuredJudges:
    """Measurements of judges: under planted instructions, and against people's labels."""

    injections: tuple[InjectionReport, ...] = ()
    cards: tuple[JudgeCard, ...] = ()


@dataclass(frozen=True)
class Site:
    """The input of one build; ``today`` (ISO) decides which authors are still anonymous."""

    seasons: tuple[BoardSeason, ...]
    title: str = "argue-bench"
    # The site's own address, for citations and the 404 page; ends with a slash.
    url: str = ""
    # The address of the board's repository, without a final slash; the queue links to it.
    repository: str = ""
    # The place of the documentation: an address, or a path on the site. Every page links to it.
    docs: str = ""
    today: str = ""
    ledger: tuple[Mapping[str, Any], ...] = ()
    # None without a queue file.
    queue: tuple[Mapping[str, Any], ...] | None = None
    # Each is shown only beside the judge that it names.
    judges: MeasuredJudges = MeasuredJudges()
    # Files of dated snapshots by their path under ``archive/``, laid into every build as they are.
    archive: Mapping[str, str] = field(default_factory=dict)
    # Messages about everything that was left out of the build.
    findings: tuple[str, ...] = ()
