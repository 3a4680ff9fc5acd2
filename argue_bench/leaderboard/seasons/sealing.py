"""A season's terms, and its gold, sealed for the time that the season runs.

    season.json          what is scored and how
    topics/              questions and documents, a set in the core format without gold
    gold.jsonl.sealed    the gold, encrypted

`seal_set` writes them, `sealed_gold` opens the gold with its key, and `verify_season` checks a folder as far
as its reader can. The key is in none of the files.
"""

from __future__ import annotations

import gzip
import json
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from argue_bench.errors import Code, DataError, Finding, SealError, UsageError
from argue_bench.leaderboard.formats.layout import TOLD, write_files
from argue_bench.leaderboard.formats.names import is_season
from argue_bench.leaderboard.formats.season import (
    FEWEST_TOLD,
    FILE,
    Season,
    SetEntry,
    read_season,
    told_terms,
)
from argue_bench.leaderboard.signing.keys import MOST_BYTES, seal, unseal
from argue_bench.loaders.core import data_digest, embedded_folder, load_folder, read_set_file
from argue_bench.records import Factual, Grounded, Similar, Span
from argue_bench.records.atomic import write_json
from argue_bench.records.digests import sha256
from argue_bench.records.untrusted import Limits, read_bounded

if TYPE_CHECKING:
    from argue_bench.metrics import Metric

TOPICS, SEALED, GOLD = "topics", "gold.jsonl.sealed", "gold.jsonl"
# Bytes of which the sealed gold is a multiple.
PADDED = 1 << 16
# The folder of what the last day publishes, and the key in it.
OPENED, PUBLIC_KEY = "opened", "ANSWERS_KEY"
SET_FILES = ("documents.jsonl", "questions.jsonl")
# GitHub takes no file of more bytes. What has more is packed, which every reader of a set unpacks.
MOST_PUSHED = 100_000_000
_LIMITS = Limits(line_bytes=MOST_BYTES, file_bytes=MOST_BYTES)
# Lexical counts words: of an answer's truth or likeness to a reference that says little.
# Requests whose verdict by counted words is no score to rank by.
UNRANKED = frozenset((Factual, Grounded, Similar, Span))


@dataclass(frozen=True)
class Terms(Season):
    """The terms of a new season: metrics, judge, ranked score, limits. Checked by ``check``."""

    season: str = "season-1"
    set: SetEntry = field(default_factory=lambda: SetEntry("core", "test", TOPICS))
    metrics: tuple[str, ...] = ("argue", "accuracy", "str_em", "rouge")
    ranked: str = "argue.f1"
    quota: int | None = 5

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
        text, _, score = self.ranked.rpartition(".")
        if not any(
            text in (key, str(m), m.name) and score in m.scores for key, m in metrics.items()
        ):
            own = [f"{text}.{name}" for text, m in metrics.items() for name in m.ranked_by]
            raise UsageError(
                f"{self.ranked!r} is not a score of {', '.join(self.metrics)}. Rank (--ranked) by "
                f"{' or '.join(own) or 'a score of another metric, such as argue: none of theirs ranks'}, "
                "or name its metric too (--metric)"
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

    @property
    def rehearsal(self) -> bool:
        """Whether the ranked score rests on the lexical judge, which counts words and is public: whoever asks it
        at home what it does not miss wins the board."""
        from argue_bench.metrics import parse

        text, _, _ = self.ranked.rpartition(".")
        ranked = (m for m in map(parse, self.metrics) if text in (str(m), m.name))
        return any(
            m.requests and (self.judges.get(m.judge_name, m.judge_name) or self.judge) == "lexical"
            for m in ranked
        )

    def _check_ranking(self, metric: Metric, score: str) -> None:
        """Raises UsageError where a text that reads nothing can win this score (docs/security.md)."""
        from argue_bench.metrics import definitions, parse

        if score not in metric.ranked_by:
            own = [
                f"{one}.{name}"
                for one in dict.fromkeys((str(metric), metric.name))
                for name in parse(one).ranked_by
            ] or ["argue.f1", "citations.f1"]
            # Published rules rank as they were published; docs/security.md says what games earn there.
            rules = [one for one in definitions(metric.name) if score in parse(one).ranked_by]
            beside = ", ".join(f"{one}.{score}" for one in rules)
            raise UsageError(
                f"{self.ranked!r} can be won or raised without reading a document, or by saying nothing, so no board ranks by it. "
                f"Rank by one of {', '.join(own)}"
                + (beside and f", or with what games earn beside it by {beside}")
            )
        judge = self.judges.get(metric.judge_name, metric.judge_name) or self.judge
        if not metric.frozen and judge == "lexical" and not UNRANKED.isdisjoint(metric.requests):
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


def gold_purpose(season: str) -> str:
    """What the sealed gold of a season is for, bound to it by the seal."""
    return f"{season}/{GOLD}"


def season_terms(terms: Terms) -> dict[str, Any]:
    """The terms of a season as season.json states them, whoever sealed it."""
    step, bits = told_terms(
        terms.told, terms.step, terms.quota, terms.quota_days, len(terms.settings)
    )
    group = terms.group or ("rehearsal" if terms.rehearsal else None)
    values = asdict(replace(terms, step=step, bits=bits, group=group))
    # What few seasons have is left out of the others.
    rare: dict[str, Any] = {
        "unit": "characters",
        "track": None,
        "sealed": None,
        "links": {},
        "source": "",
    }
    return {key: value for key, value in values.items() if rare.get(key, ...) != value}


def seal_set(data: Path, board: Path, terms: Terms, key: str) -> None:
    """Writes a set's questions and documents, its gold sealed by ``key``, and season.json into ``board``.

    ``data`` is a folder in the core format, with gold.jsonl. Raises DataError: the set, its name, no gold.
    """
    dataset = load_folder(data)
    if dataset.sealed:
        raise DataError.of(
            Code.EMPTY,
            "A data set has no gold.jsonl to seal",
            file=data,
            hint="Put gold.jsonl beside set.json.",
        )
    gold = read_set_file(data, GOLD) or b""
    about = json.loads((data / "set.json").read_text(encoding="utf-8"))
    contents = _read_set(data)
    # As they come they tell which question rests on which: of those that it lists its own were neighbours.
    lines = sorted(contents["documents.jsonl"].splitlines(), key=sha256)
    contents["documents.jsonl"] = b"".join(line + b"\n" for line in lines)
    # Packed without a time, so that the same set is the same file.
    packed = (
        (f"{name}.gz", gzip.compress(content, mtime=0))
        if len(content) > MOST_PUSHED
        else (name, content)
        for name, content in contents.items()
    )
    write_files(board / TOPICS, dict(packed))
    # Without gold.jsonl the set has another digest.
    write_json(board / TOPICS / "set.json", about | {"digest": data_digest(contents)})
    # The size of a sealed file is public: padded, it doesn't tell how many answers the gold has.
    padded = gold + b"\n" * (-len(gold) % PADDED)
    (board / SEALED).write_bytes(seal(padded, key, gold_purpose(terms.season)))
    place = {"name": dataset.name, "split": dataset.split, "path": TOPICS}
    write_json(board / FILE, {**season_terms(terms), "set": place})


def sealed_gold(folder: Path, key: str) -> bytes:
    """The gold.jsonl of the season in ``folder``, opened with its key. Raises DataError or SealError."""
    path = folder / SEALED
    purpose = gold_purpose(read_season(folder).season)
    return unseal(read_bounded(path, _LIMITS), key, purpose, str(path)).rstrip() + b"\n"


def reveal_season(folder: Path, key: str, tallies: Mapping[str, Any]) -> list[Path]:
    """Publishes a season's gold on its last day; the files that were written.

    The key is published with it: whoever reads the board opens the sealed gold of its first day, the tallies
    and the diagnoses with it, and sees that they are these. From then on all scores are told. ``tallies`` are
    those of each system. Raises DataError, SealError.
    """
    gold, topics = sealed_gold(folder, key), _set(folder, read_season(folder))
    (topics / GOLD).write_bytes(gold)
    about = json.loads((topics / "set.json").read_text(encoding="utf-8"))
    write_json(topics / "set.json", about | {"digest": digest_with_gold(topics, gold)})
    given = json.loads((folder / FILE).read_text(encoding="utf-8"))
    write_json(folder / FILE, given | {"told": TOLD[1], "step": None, "bits": None})
    write_files(folder / OPENED, {PUBLIC_KEY: f"{key}\n".encode()})
    write_json(folder / OPENED / "tallies.json", tallies)
    return [
        topics / GOLD,
        folder / FILE,
        folder / OPENED / PUBLIC_KEY,
        folder / OPENED / "tallies.json",
    ]


def digest_with_gold(topics: Path, gold: bytes) -> str:
    """The digest of a set with its gold: what signatures state, at home as on the board."""
    return data_digest(_read_set(topics) | {GOLD: gold})


def _read_set(folder: Path) -> dict[str, bytes]:
    """Documents and questions of a set, unpacked; nothing of a file that is missing. Raises DataError."""
    return {name: read_set_file(folder, name) or b"" for name in SET_FILES}


def packed_note(board: Path) -> str:
    """What an organiser must know of a set too large for GitHub; empty where it is not."""
    sizes = {path.name: path.stat().st_size for path in (board / TOPICS).glob("*.gz")}
    return " ".join(
        f"{name} has {size:,} bytes packed (gunzip unpacks it), for GitHub takes no file of more than {MOST_PUSHED:,}"
        + (
            ". That is too many still, and the workflows read nothing of Git LFS: take shorter pages or fewer questions."
            if size > MOST_PUSHED
            else "."
        )
        for name, size in sizes.items()
    )


def published_key(folder: Path) -> str:
    """The key that the organiser published on the last day; empty before."""
    path = folder / OPENED / PUBLIC_KEY
    if not path.is_file():
        return ""
    return read_bounded(path, Limits(file_bytes=1_000)).decode(errors="replace").strip()


def verify_season(folder: Path, key: str = "") -> list[Finding]:
    """All problems of a season's folder: its set, the hashes it promised, and with the key its gold.

    Raises DataError where the folder has no season.
    """
    if not (folder / FILE).is_file():
        raise DataError.of(
            Code.NO_SUCH_FILE,
            "the folder has no season",
            folder / FILE,
            hint="Name the folder of a board, which has one.",
        )
    season = read_season(folder)
    key = key or published_key(folder)
    try:
        findings = list(_promises(folder, season, key))
        if key and not findings:
            _open(folder, season, key)
        return findings
    except DataError as error:
        return list(error.findings)
    except SealError as error:
        return [Finding(Code.SEAL, str(error), str(folder / SEALED))]


def _promises(folder: Path, season: Season, key: str) -> Iterator[Finding]:
    """Whether the set is whole and sealed, and what the organiser promised on the first day."""
    place = _set(folder, season)
    dataset = load_folder(place)
    # After the last day it lies there, and is what was sealed on the first.
    if not dataset.sealed and not (key and sealed_gold(folder, key) == (place / GOLD).read_bytes()):
        yield Finding(
            Code.SEAL,
            "Gold lies in the clear beside the topics of a sealed season",
            file=str(place / GOLD),
        )
    digest = sha256(read_bounded(folder / SEALED, _LIMITS))
    # A season of `board init` promises nothing here: its set lies in the repository's history.
    promised = season.sealed or {"set_digest": dataset.digest, "file_sha256": digest}
    hint = "Get the season's folder again."
    if dataset.digest != promised["set_digest"]:
        why = f"the set has the digest {dataset.digest}, promised was {promised['set_digest']}"
        yield Finding(Code.OTHER_DIGEST, why, str(place / "set.json"), hint=hint)
    if digest != promised["file_sha256"]:
        why = f"the sealed file is not the one that {FILE} names: it was edited, cut or exchanged"
        yield Finding(Code.OTHER_DIGEST, why, str(folder / SEALED), hint=hint)


def _set(folder: Path, season: Season) -> Path:
    """Where questions and documents lie: beside season.json, or embedded in the package."""
    if season.set.path is None and season.set.name == "core":
        return embedded_folder(season.set.split)
    return folder if season.set.path is None else Path(season.set.path)


def _open(folder: Path, season: Season, key: str) -> None:
    """Raises SealError, or DataError where the sealed gold does not fit questions and documents."""
    content, topics = sealed_gold(folder, key), _set(folder, season)
    with tempfile.TemporaryDirectory(prefix="argue-bench-") as name:
        private = Path(name)
        files = _read_set(topics) | {GOLD: content}
        about = json.loads((topics / "set.json").read_bytes()) | {"digest": data_digest(files)}
        write_files(private, {**files, "set.json": json.dumps(about).encode()})
        try:
            load_folder(private)
        except DataError as error:
            opened = f"{folder / SEALED} (opened)"
            raise DataError([replace(one, file=opened) for one in error.findings]) from None
