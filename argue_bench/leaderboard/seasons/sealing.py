"""The start of a season: a folder with everything but the gold, and hashes that commit the organiser to it.

    season.json          what is scored and how, and the hashes of seed, patterns and gold
    topics/              questions and documents, a set in the core format without gold
    gold.jsonl.sealed    the gold, encrypted

All of it appears at once or not at all, and neither seed nor key is ever in it.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from argue_bench.errors import Code, DataError, UsageError
from argue_bench.leaderboard.formats.bound import FEWEST_TOLD
from argue_bench.leaderboard.formats.layout import FETCHED, SETTINGS, TOLD
from argue_bench.leaderboard.formats.names import is_season
from argue_bench.leaderboard.formats.season import (
    CHARACTERS,
    FILE,
    SCHEMA,
    Sealed,
    is_sources,
    told_terms,
)
from argue_bench.leaderboard.signing.seal import new_key, seal
from argue_bench.loaders.limits import OverLimit
from argue_bench.records import Factual, Grounded, Similar, Span
from argue_bench.records.atomic import write_json
from argue_bench.records.digests import sha256
from argue_bench.synthetic.world import GOLD, TEST_SEED, World, write_set
from argue_bench.text.length import Unit

if TYPE_CHECKING:
    from argue_bench.metrics import Metric

TOPICS, SEALED = "topics", "gold.jsonl.sealed"
REHEARSAL_KEY = sha256(b"argue-bench core, rehearsal, season 0, the key")
"""The key of season 0, public as its seed is: the set is there to rehearse on."""
_STAGE = ".season.partial"
UNRANKED = frozenset((Factual, Grounded, Similar, Span))
"""Requests whose verdict by counted words is no score to rank by."""


@dataclass(frozen=True)
class Terms:
    """The terms of a season: metrics, judge, ranked score, limits. Checked by ``check``."""

    season: str = "season-1"
    title: str = ""
    group: str = ""
    settings: tuple[str, ...] = SETTINGS
    metrics: tuple[str, ...] = ("argue", "accuracy", "str_em", "rouge")
    judge: str = "lexical"
    judges: Mapping[str, str] = field(default_factory=dict)
    ranked: str = "argue.f1"
    quota: int | None = 5
    told: str = TOLD[0]
    step: float | None = None
    """Points; None for what follows from the quota."""
    quota_days: int | None = None
    limit: int = CHARACTERS
    over_limit: OverLimit = "refuse"
    unit: Unit = "characters"
    track: str | None = None
    sources: str | None = None
    """Where the web pages that answers cite come from (`SeasonFile.sources`)."""

    def check(self) -> None:
        """Raises UsageError or UnknownName where a name means nothing."""
        from argue_bench.judges import find_judge, refuse_import
        from argue_bench.metrics import parse

        if not is_season(self.season):
            raise UsageError(
                f"{self.season!r} is not the name of a season: [a-z0-9][a-z0-9.-]{{0,63}}"
            )
        metrics = {text: parse(text) for text in self.metrics}
        for spec in (self.judge, *self.judges.values()):
            refuse_import(spec)
            find_judge(spec)
        if self.sources is not None and not is_sources(self.sources):
            raise UsageError(
                f"{self.sources!r:.80} names no web pages: write {FETCHED}, or the digest of a snapshot"
            )
        text, _, score = self.ranked.rpartition(".")
        if not any(
            text in (key, str(m), m.name) and score in m.scores for key, m in metrics.items()
        ):
            raise UsageError(
                f"{self.ranked!r} is not a score of {', '.join(self.metrics)}. Write METRIC.SCORE, "
                "such as argue.f1"
            )
        for metric in metrics.values():
            if text in (str(metric), metric.name):
                self._check_ranking(metric, score)
        if self.told == TOLD[0] and not all(
            m.scores[score].unit == "share" for m in metrics.values() if score in m.scores
        ):
            raise UsageError(
                f"{self.ranked!r} is not a share: only a score from 0 to 1 is told in steps. Rank by a "
                "share, or say --told all where the gold is public"
            )

    def _check_ranking(self, metric: Metric, score: str) -> None:
        """Raises UsageError where a text that reads nothing can win this score (docs/security.md)."""
        if metric.frozen:
            return
        if not metric.ranked_by:
            raise UsageError(
                f"{self.ranked!r} counts what an answer holds, said of something or not: who lists more "
                "holds more, so no board ranks by it. Rank by argue.f1, citations.f1 or another, or by "
                f"the published rules with what games earn beside them: {metric.name}(rules=NAME).{score}"
            )
        if score not in metric.ranked_by:
            raise UsageError(
                f"{self.ranked!r} can be won or raised without reading a document, so no board ranks by it. "
                f"Rank by one of {', '.join(f'{metric}.{name}' for name in metric.ranked_by)}"
            )
        judge = self.judges.get(metric.judge_name, metric.judge_name) or self.judge
        if judge == "lexical" and not UNRANKED.isdisjoint(metric.requests):
            raise UsageError(
                f"{self.ranked!r} wants a judge that understands what it reads, and the judge lexical "
                "counts words. Name another with --judge"
            )


def refuse_few(questions: int, told: str) -> None:
    """Raises UsageError where a set has so few questions that no run would ever get a row."""
    if told == TOLD[0] and questions < FEWEST_TOLD:
        raise UsageError(
            f"{questions} questions: with hidden gold no run would ever get a row ({FEWEST_TOLD} are "
            "needed). For a try-out: --told all"
        )


@dataclass(frozen=True)
class NewSeason:
    """The result of `create_season`. ``key`` opens the gold and is in no file."""

    folder: Path
    key: str
    topics: int
    documents: int


def create_season(
    out: Path,
    seed: str,
    size: str | int,
    terms: Terms | None = None,
    pack: Path | None = None,
    key: str = "",
    workers: int = 1,
) -> NewSeason:
    """Writes the folder of a season; ``key`` seals the gold, a new one where there is none.

    Raises UsageError (wrong seed, size or terms, a size of which no score would be told, or ``out`` has a season), DataError (the pattern
    file, the disk), MissingExtra.
    """
    terms = terms or Terms()
    terms.check()
    world = World(seed, size, pack)
    refuse_few(len(world), terms.told)
    key = key or new_key()
    _refuse_overwriting(out)
    stage = out / _STAGE
    try:
        shutil.rmtree(stage, ignore_errors=True)
        stage.mkdir(parents=True)
        with tempfile.TemporaryDirectory(prefix="argue-bench-") as private:
            gold = Path(private) / GOLD
            digest = write_set(world, stage / TOPICS, "test", gold, workers)
            sealed = _seal(world, digest, gold.read_bytes(), key, stage, terms)
        write_json(stage / FILE, {**season_terms(terms), "sealed": asdict(sealed)})
        documents = _lines(stage / TOPICS / "documents.jsonl")
        for name in (TOPICS, SEALED, FILE):
            (stage / name).replace(out / name)
    except OSError as error:
        why = f"the season can't be written: {error.strerror or error}"
        raise DataError.of(Code.NOT_WRITTEN, why, out) from None
    finally:
        shutil.rmtree(stage, ignore_errors=True)
    return NewSeason(out, key, len(world), documents)


def create_rehearsal(out: Path, workers: int = 1) -> NewSeason:
    """Season 0: the embedded test set with a public seed and key, marked as a rehearsal."""
    title = "Rehearsal: season 0"
    terms = Terms("season-0", title, "rehearsal", quota=None, told=TOLD[1], over_limit="cut")
    return create_season(out, TEST_SEED, "large", terms, key=REHEARSAL_KEY, workers=workers)


def gold_purpose(season: str) -> str:
    """What the sealed gold of a season is for, bound to it by the seal."""
    return f"{season}/{GOLD}"


def _seal(world: World, digest: str, gold: bytes, key: str, stage: Path, terms: Terms) -> Sealed:
    sealed = seal(gold, key, gold_purpose(terms.season))
    (stage / SEALED).write_bytes(sealed)
    return Sealed(
        world.version,
        world.size,
        sha256(str(world.seed).encode()),
        world.patterns.digest or None,
        digest,
        SEALED,
        sha256(gold),
        sha256(sealed),
    )


def _refuse_overwriting(out: Path) -> None:
    there = [name for name in (FILE, SEALED, TOPICS) if (out / name).exists()]
    if there:
        raise UsageError(
            f"{out} holds {', '.join(there)} already. Name another folder, or move the old season "
            "away: a season is never overwritten"
        )
    if out.exists() and not out.is_dir():
        raise UsageError(f"{out} is a file. Name a folder")


def season_terms(terms: Terms) -> dict[str, Any]:
    """The terms of a season as season.json states them, whoever sealed it."""
    step, bits = told_terms(terms.told, terms.step, terms.quota, terms.quota_days)
    return {
        "schema": SCHEMA,
        "season": terms.season,
        "title": terms.title,
        "group": terms.group or None,
        "set": {"name": "core", "split": "test", "path": TOPICS},
        "settings": list(terms.settings),
        "metrics": list(terms.metrics),
        "judge": terms.judge,
        "judges": dict(terms.judges),
        "ranked": terms.ranked,
        "quota": terms.quota,
        "told": terms.told,
        "step": step,
        "bits": bits,
        "limit": terms.limit,
        "over_limit": terms.over_limit,
        # Seasons that are no track's stay as they were.
        **({"unit": terms.unit} if terms.unit != "characters" else {}),
        **({"track": terms.track} if terms.track is not None else {}),
        **({"sources": terms.sources} if terms.sources is not None else {}),
    }


def _lines(path: Path) -> int:
    with path.open("rb") as file:
        return sum(1 for _ in file)
