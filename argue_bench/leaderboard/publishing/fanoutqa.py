"""The import of FanOutQA's own submissions and results (Zhu et al. 2024) onto a board of ours.

FanOutQA keeps generations under any file name, links them from metadata, and keeps results with a
copy of the metadata inside. The import gives every system a short name, names its generations after
it, and puts its results in the group "published elsewhere", with a signature that states only known
facts. It copies answers and scores as they are, reads nothing outside the folder and follows no link.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from argue_bench.errors import Code, DataError, Finding, Level
from argue_bench.leaderboard.formats.layout import SETTINGS
from argue_bench.leaderboard.formats.metadata import LIMITS
from argue_bench.leaderboard.formats.names import slug
from argue_bench.leaderboard.formats.results import Result, Setting, now, refuse_links, write_result
from argue_bench.leaderboard.formats.season import FILE, SCHEMA
from argue_bench.leaderboard.submitting.checking import is_file, is_folder, label
from argue_bench.records.atomic import write_json
from argue_bench.records.display import escape
from argue_bench.records.untrusted import DEFAULT_LIMITS, read_json

SEASON = "fanoutqa-published"
GROUP = "published elsewhere"
UNKNOWN = "unknown"
RANKED = "factuality.accuracy"
METRICS = ("accuracy(rules=fanoutqa)", "rouge", "bleurt", "factuality")
"""Texts of the metrics, as our own scoring of FanOutQA names them."""
QUESTIONS = 724
"""Questions of the test set (Zhu et al. 2024, section 3)."""
LINKS = {
    "website": "https://fanoutqa.com",
    "repository": "https://github.com/zhudotexe/fanoutqa",
    "data": "https://github.com/zhudotexe/fanoutqa/tree/main/fanoutqa/data",
    "paper": "https://aclanthology.org/2024.acl-short.2/",
}
"""Where a reader finds the original."""
_PLACES = {
    **{f"{METRICS[0]}.{part}": ("acc", part) for part in ("loose", "strict")},
    **{
        f"rouge.{kind}_{part}": ("rouge", kind, part)
        for kind in ("rouge1", "rouge2", "rougeL")
        for part in ("precision", "recall", "fscore")
    },
    "bleurt.score": ("bleurt",),
    "factuality.accuracy": ("gpt",),
}
"""Our key of a score to where FanOutQA's results hold it."""


@dataclass
class Imported:
    """What an import did: systems with generations and results, and what was wrong on the way."""

    generations: list[Path] = field(default_factory=list)
    results: list[Path] = field(default_factory=list)
    systems: list[str] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)

    @property
    def failed(self) -> bool:
        return any(finding.level == "error" for finding in self.findings)


def import_fanoutqa(folder: Path, out: Path) -> Imported:
    """Brings a folder of FanOutQA's submissions and results into our layout under ``out``.

    One bad file is a finding and never hides the rest. Raises DataError where there is nothing to
    import, or ``out`` can't be written.
    """
    if not (folder / "metadata").is_dir() and not (folder / "results").is_dir():
        hint = "Name the folder that holds metadata/, results/ and *-generations/."
        raise DataError.of(Code.WRONG_SHAPE, "", folder, hint=hint)
    done = Imported()
    owners: dict[str, str] = {}
    known: dict[str, Mapping[str, Any]] = {}
    for path, value in _objects(folder / "metadata", done):
        if system := _system(path, owners, done):
            known[system] = _metadata(folder, out, system, path, value, done)
    for path, value in _objects(folder / "results", done):
        system = _system(path, owners, done)
        if system and (result := _result(system, path, value, done)):
            done.results.append(write_result(out, result))
            known.setdefault(system, _unlinked(value.get("metadata")))
    for system, values in known.items():
        _write_json(out, Path("metadata", f"{system}.json"), values)
    if known:
        _write_json(out, Path(FILE), imported_season())
    done.systems = sorted(known)
    return done


def is_fanoutqa(folder: Path) -> bool:
    """Whether a folder is FanOutQA's and not a board of ours: without a season, and with metadata all of
    which link to files, none of them under the name that ours would have.
    """
    if (folder / FILE).exists() or not is_folder(folder / "metadata"):
        return False
    known = [(slug(path.stem), value) for path, value in _objects(folder / "metadata", Imported())]
    links = [
        (folder / f"{setting}-generations", link, f"{system}.jsonl")
        for system, value in known
        for setting in SETTINGS
        if isinstance(link := value.get(f"{setting}_generations"), str)
    ]
    return bool(links) and all(
        link != ours and Path(link).name == link and is_file(place / link)
        for place, link, ours in links
    )


def imported_season() -> dict[str, Any]:
    """The season of imported results: FanOutQA's test set, ranked by its judge."""
    return {
        "schema": SCHEMA,
        "season": SEASON,
        # FanOutQA had no limit: what it scored is shown, however long.
        "limit": 200_000,
        "over_limit": "cut",
        "title": "FanOutQA, as published",
        "group": GROUP,
        "set": {"name": "fanoutqa", "split": "test", "questions": QUESTIONS},
        "settings": list(SETTINGS),
        "metrics": list(METRICS),
        "judge": UNKNOWN,
        "ranked": RANKED,
        "links": LINKS,
        "source": "github.com/zhudotexe/fanoutqa; data set: CC BY-SA 4.0",
    }


def _objects(folder: Path, done: Imported) -> Iterator[tuple[Path, dict[str, Any]]]:
    """The JSON objects in a folder, by file name; what is none becomes a finding."""
    if not is_folder(folder):
        if folder.is_symlink():
            _find(done, Code.SYMLINK, "this is a link and was not followed", folder)
        return
    for path in sorted(folder.iterdir()):
        if path.suffix != ".json":
            _find(done, Code.UNEXPECTED_FILE, "not a .json file: it was left", path, "warning")
        elif not is_file(path):
            _find(
                done, Code.UNREADABLE, "a link or another thing than a file: it was not read", path
            )
        else:
            try:
                value = read_json(path, LIMITS, label(path))
            except DataError as error:
                done.findings += error.findings
                continue
            if isinstance(value, dict):
                yield path, value
            else:
                _find(done, Code.WRONG_SHAPE, "this is not a JSON object", path)


def _system(path: Path, owners: dict[str, str], done: Imported) -> str:
    """The slug of a file's name, if no other file has it already."""
    system = slug(path.stem)
    # A name of Chinese letters alone leaves no letter that a system's name may have.
    if not system:
        _find(done, Code.BAD_NAME, "no name of a system can be made of it: it was left", path)
        return ""
    if owners.setdefault(system, path.stem) != path.stem:
        why = f"its slug {system!r} is taken by '{escape(owners[system])}'; it was left"
        _find(done, Code.SYSTEM_TAKEN, why, path)
        return ""
    return system


def _metadata(
    folder: Path, out: Path, system: str, path: Path, value: dict[str, Any], done: Imported
) -> dict[str, Any]:
    """Copies the generations that metadata link to, and returns the metadata with our links."""
    values = dict(value)
    for setting in SETTINGS:
        key = f"{setting}_generations"
        link, values[key] = value.get(key), None
        if link is None:
            continue
        source = _linked(folder / f"{setting}-generations", key, link, path, done)
        if source is None:
            continue
        inside = Path(f"{setting}-generations", f"{system}.jsonl")
        _copy(source, out, inside)
        done.generations.append(out / inside)
        values[key] = inside.name
    return values


def _linked(folder: Path, key: str, link: Any, path: Path, done: Imported) -> Path | None:
    """The file that a link names inside the folder of its setting."""
    if not isinstance(link, str) or not link or "\0" in link:
        _find(done, Code.METADATA_VALUE, f"{key} is not a file name", path)
        return None
    if Path(link).is_absolute() or len(Path(link).parts) != 1 or link in (".", ".."):
        why = f"{key} is '{escape(link)}', which leads out of {folder.name}; it was not read"
        _find(done, Code.METADATA_VALUE, why, path)
        return None
    source = folder / link
    if not is_folder(folder) or not is_file(source):
        exists = source.is_symlink() or source.exists()
        what = "is a link or no regular file" if exists else "does not exist"
        code = Code.UNREADABLE if exists else Code.NO_SUCH_FILE
        _find(done, code, f"{key} is '{escape(link)}', which {what}", path)
        return None
    if (size := source.stat().st_size) > DEFAULT_LIMITS.file_bytes:
        _find(done, Code.TOO_LARGE, f"'{escape(link)}' has {size:,} bytes", path)
        return None
    return source


def _result(system: str, path: Path, value: dict[str, Any], done: Imported) -> Result | None:
    settings: dict[str, Setting] = {}
    for name in SETTINGS:
        if value.get(name) is None:
            continue
        signatures = {text: imported_signature(text) for text in METRICS}
        try:
            settings[name] = Setting(signatures, _scores(value[name]))
        except (KeyError, TypeError, AttributeError, ValueError) as error:
            why = f"{name} does not have the shape of FanOutQA's results ({error})"
            _find(done, Code.WRONG_SHAPE, why, path)
            return None
    if not settings:
        _find(done, Code.WRONG_SHAPE, "it holds scores of no setting", path)
        return None
    return Result(SEASON, system, settings, group=GROUP, created=now())


def imported_signature(text: str) -> dict[str, str]:
    """What is known of how FanOutQA's published scores were made, and what is not."""
    known = {"metric": text, "data": "fanoutqa-test@unknown", "n": UNKNOWN, "answers": UNKNOWN}
    judges = {"bleurt": {"judge": "bleurt"}, "factuality": {"judge": UNKNOWN}}
    return known | judges.get(text, {}) | {"version": UNKNOWN}


def _scores(value: Any) -> dict[str, dict[str, float | int | None]]:
    """FanOutQA's nested scores under our keys. Raises KeyError or TypeError on another shape."""
    found = {}
    for key, place in _PLACES.items():
        score = value
        for step in place:
            score = score[step]
        number = isinstance(score, int | float) and not isinstance(score, bool)
        # A file of theirs that holds per cent, or a text, is none that their scorer wrote.
        if score is not None and not (number and 0 <= score <= 1):
            raise ValueError(f"{key} is not a number from 0 to 1")
        found[key] = {"value": score, "low": None, "high": None, "n": None, "failed": None}
    return found


def _unlinked(metadata: Any) -> dict[str, Any]:
    """The metadata inside a results file, for a system whose generations were not published."""
    values = dict(metadata) if isinstance(metadata, dict) else {}
    return values | {f"{setting}_generations": None for setting in SETTINGS}


def _copy(source: Path, out: Path, inside: Path) -> None:
    refuse_links(out, inside)
    path = out / inside
    beside = path.with_name(f".{path.name}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, beside)
        # Whole or not at all: a killed import leaves no half file under its name.
        beside.replace(path)
    except OSError as error:
        why = f"the file could not be written: {error.strerror}"
        raise DataError.of(Code.NOT_WRITTEN, why, path) from None
    finally:
        with suppress(OSError):
            beside.unlink(missing_ok=True)


def _write_json(out: Path, inside: Path, values: Mapping[str, Any]) -> None:
    refuse_links(out, inside)
    write_json(out / inside, values)


def _find(done: Imported, code: Code, message: str, path: Path, level: Level = "error") -> None:
    done.findings.append(Finding(code, message, label(path), level=level))
