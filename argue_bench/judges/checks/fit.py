"""The lexical judge's thresholds, fitted to labels of one's own by cross-validation.

Thresholds are shares of words; each decides one or several kinds of request. For those kinds that labels
are of, the value is taken that has the best balanced accuracy (the mean over kinds). What that gains is
measured on labels that had no part in the choice: ten times the value is chosen on nine tenths and tried
on the last (Stone 1974), labels of one question together. The gain's interval resamples labels, or
questions; a gain whose interval holds 0 is none, and nothing is fitted.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from argue_bench.judges.labels import Labels
from argue_bench.judges.lexical import thresholds as at
from argue_bench.judges.lexical.judge import RULES, unreadable
from argue_bench.records import JudgeRequest
from argue_bench.records.atomic import atomic_write
from argue_bench.stats.averages import Array
from argue_bench.stats.bootstrap import RESAMPLES, SEED
from argue_bench.stats.clusters import number_clusters
from argue_bench.stats.prediction_powered import FEWEST, FEWEST_RARE
from argue_bench.stats.resampling import weights

FOLDS = 10
_GRID = tuple(round(0.1 + 0.04 * step, 2) for step in range(23))
_KINDS: Mapping[str, tuple[str, ...]] = {
    "ENTAILS": ("Entails", "SupportLevel"),
    "ANSWER_WORDS": ("Answers", "Relevant"),
    "SUPPORTS_FULL": ("Supports", "Meets"),
    "GRADE_PART": ("RelevanceGrade",),
    "SAID_BEFORE": ("FirstInstance",),
    "CONFIRMS": ("Confirms",),
}
"""The kinds of request that each fitted threshold decides."""
_WITH = {"ENTAILS": "ENTAILS_TELLING", "SUPPORTS_FULL": "SUPPORTS_PARTIAL"}
"""Thresholds that move with another: in the proportion of their own values."""


@dataclass(frozen=True)
class Fit:
    """What fitting one threshold found; ``gain`` and its ends are of balanced accuracy, by cross-validation."""

    threshold: str
    kinds: tuple[str, ...]
    n: int
    before: float
    after: float | None = None
    gain: float | None = None
    low: float | None = None
    high: float | None = None
    fitted: Mapping[str, float] = field(default_factory=dict)
    """The thresholds to set; empty where nothing is gained."""
    reason: str = ""


def fit_lexical(labels: Labels, *, seed: int = SEED, resamples: int = RESAMPLES) -> list[Fit]:
    """A fit for each threshold that some labels are about, in the order of `FITTED`."""
    found = []
    for name, kinds in _KINDS.items():
        own = [
            (one.request, str(one.verdict.value), one.question)
            for one in labels.decided.values()
            if one.kind in kinds and not unreadable(one.request)
        ]
        if own:
            found.append(_fit(name, own, seed, resamples))
    return found


def _fit(
    name: str, labels: Sequence[tuple[JudgeRequest, str, str]], seed: int, resamples: int
) -> Fit:
    """The fit of one threshold to requests, their verdicts and questions."""
    classes = [(type(request).__name__, verdict) for request, verdict, _ in labels]
    kinds = tuple(dict.fromkeys(kind for kind, _ in classes))
    right = np.array(
        [[_said(name, value, one) == verdict for one, verdict, _ in labels] for value in _GRID]
    ).astype(float)
    own = np.array([str(RULES[type(one)](one).value) == verdict for one, verdict, _ in labels])
    every = np.ones((1, len(labels)))
    before = float(_balanced(own[None].astype(float), classes, every)[0, 0])
    about = Fit(name, kinds, len(labels), before)
    counts = [classes.count(one) for one in dict.fromkeys(classes)]
    if len(labels) < FEWEST:
        return _refused(about, f"{len(labels)} labels are too few: give {FEWEST}")
    if len(counts) < 2 * len(kinds) or min(counts) < FEWEST_RARE:
        return _refused(about, f"each verdict needs {FEWEST_RARE} labels")
    clusters = number_clusters(question for _, _, question in labels)
    units = np.arange(len(labels)) if clusters is None else clusters
    fold = np.random.default_rng([seed, 5]).permutation(units.max() + 1)[units] % FOLDS
    validated = np.zeros(len(labels))
    for part in range(FOLDS):
        inside = (fold != part).astype(float)[None]
        at_best = _best(_balanced(right, classes, inside)[:, 0], name)
        validated[fold == part] = right[at_best, fold == part]
    both = np.stack([validated, own.astype(float)])
    after = float(_balanced(both, classes, every)[0, 0])
    drawn = np.concatenate(
        [
            np.subtract(*_balanced(both, classes, rows[:, units]))
            for rows in weights(int(units.max()) + 1, resamples, seed)
        ]
    )
    low, high = (float(end) for end in np.nanpercentile(drawn, (2.5, 97.5)))
    value = _GRID[_best(_balanced(right, classes, every)[:, 0], name)]
    return Fit(
        name,
        kinds,
        len(labels),
        before,
        after,
        after - before,
        low,
        high,
        _moved(name, value) if low > 0 else {},
        reason_of(low, high),
    )


def reason_of(low: float, high: float) -> str:
    """Why a gain with this interval is refused; empty where it is one."""
    if low > 0:
        return ""
    if high < 0:
        return "the judge's own threshold is the better one"
    return "the gain may be none: its interval holds 0"


def _refused(about: Fit, reason: str) -> Fit:
    return Fit(about.threshold, about.kinds, about.n, about.before, reason=reason)


def _said(name: str, value: float, request: JudgeRequest) -> str:
    with at.using(_moved(name, value)):
        return str(RULES[type(request)](request).value)


def _moved(name: str, value: float) -> dict[str, float]:
    """A threshold at this value, with the one that moves with it."""
    moved = {name: value}
    if other := _WITH.get(name):
        moved[other] = round(value * at.FITTED[other] / at.FITTED[name], 4)
    return moved


def _balanced(right: Array, classes: Sequence[tuple[str, str]], rows: Array) -> Array:
    """Balanced accuracy, the mean over kinds, (values, rows): of which verdicts are right (values, n),
    under weights (rows, n). A verdict that a resample lacks is left out."""
    kinds: dict[str, list[Array]] = {}
    for kind, verdict in dict.fromkeys(classes):
        inside = np.array([one == (kind, verdict) for one in classes], dtype=float)
        held, of = (right * inside) @ rows.T, rows @ inside
        recall = np.divide(held, of, out=np.full_like(held, np.nan), where=of > 0)
        kinds.setdefault(kind, []).append(recall)
    means = [np.nanmean(np.stack(recalls), axis=0) for recalls in kinds.values()]
    return np.asarray(np.mean(means, axis=0))


def _best(accuracy: Array, name: str) -> int:
    """The place in the grid of the best value; of several the one nearest to the judge's own."""
    away = np.abs(np.array(_GRID) - at.FITTED[name])
    return int(np.lexsort((away, -np.round(accuracy, 9)))[0])


def write_thresholds(path: Path, fits: Sequence[Fit], labels: Labels) -> dict[str, float]:
    """Writes the fitted thresholds to a file that ``lexical:FILE`` reads; what they are."""
    fitted = {name: value for one in fits for name, value in one.fitted.items()}
    about = {"lexical": fitted, "rules": at.RULES, "labels": labels.digest}
    with atomic_write(path) as file:
        file.write(json.dumps(about, indent=1) + "\n")
    return fitted
