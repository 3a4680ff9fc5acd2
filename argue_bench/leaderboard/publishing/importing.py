"""The import of what was scored elsewhere: FanOutQA's published board (Zhu et al. 2024), and run files.

FanOutQA keeps generations under any file name, links them from metadata, and keeps results with a
copy of the metadata inside. The import gives every system a short name, names its generations after
it, and puts its results in the group "published elsewhere", with a signature that states only known
facts. It copies answers and scores as they are.

A run file (`evaluate --out`, `board import --rubrics`) holds the tallies of every question, so the rows have
intervals, tests and bands like those that the board scored itself. Its results are signed where the
board's key is at hand; without, `board fetch` leaves them out of a board with keys.
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from argue_bench.errors import Code, DataError, UsageError
from argue_bench.eval.report import Report
from argue_bench.eval.run import read_reports
from argue_bench.leaderboard.formats.layout import SETTINGS
from argue_bench.leaderboard.formats.metadata import LIMITS
from argue_bench.leaderboard.formats.names import slug
from argue_bench.leaderboard.formats.results import Result, Setting, now, write_result
from argue_bench.leaderboard.formats.season import FILE, SCHEMA, Season
from argue_bench.leaderboard.scoring.scored_settings import setting_of
from argue_bench.leaderboard.signing.keys import sign_bytes
from argue_bench.leaderboard.submitting.checking import files_of, is_file
from argue_bench.records.atomic import write_json
from argue_bench.records.digests import file_sha256
from argue_bench.records.untrusted import read_json

SEASON = "fanoutqa-published"
GROUP = "published elsewhere"
UNKNOWN = "unknown"
RANKED = "factuality.accuracy"
# Texts of the metrics, as our own scoring of FanOutQA names them.
METRICS = ("accuracy(rules=fanoutqa)", "rouge", "bleurt", "factuality")
# Questions of the test set (Zhu et al. 2024, section 3).
QUESTIONS = 724
# Where a reader finds the original.
LINKS = {
    "website": "https://fanoutqa.com",
    "repository": "https://github.com/zhudotexe/fanoutqa",
    "data": "https://github.com/zhudotexe/fanoutqa/tree/main/fanoutqa/data",
    "paper": "https://aclanthology.org/2024.acl-short.2/",
}
# Our key of a score to where FanOutQA's results hold it.
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


def import_fanoutqa(folder: Path, out: Path) -> list[str]:
    """Brings a folder of FanOutQA's submissions and results into our layout under ``out``; the systems, by name.

    Raises DataError at the first file that is not as FanOutQA has it.
    """
    if not (folder / "metadata").is_dir() or not (folder / "results").is_dir():
        hint = "Name the folder that holds metadata/, results/ and *-generations/."
        raise DataError.of(Code.WRONG_SHAPE, "", folder, hint=hint)
    known: dict[str, Mapping[str, Any]] = {}
    for path in sorted((folder / "metadata").glob("*.json")):
        system = slug(path.stem)
        known[system] = _metadata(folder, out, system, path)
    for path in sorted((folder / "results").glob("*.json")):
        system, value = slug(path.stem), _object(path)
        write_result(out, _result(system, path, value))
        # Of a system whose generations were not published the metadata lie in its results alone.
        unlinked = dict.fromkeys((f"{setting}_generations" for setting in SETTINGS), None)
        known.setdefault(system, value["metadata"] | unlinked)
    for system, values in known.items():
        write_json(out / "metadata" / f"{system}.json", values)
    write_json(out / FILE, imported_season())
    return sorted(known)


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


def _object(path: Path) -> dict[str, Any]:
    value = read_json(path, LIMITS)
    if not isinstance(value, dict):
        raise DataError.of(Code.WRONG_SHAPE, "this is not a JSON object", path)
    return value


def _metadata(folder: Path, out: Path, system: str, path: Path) -> dict[str, Any]:
    """Copies the generations that metadata link to, and returns the metadata with our links."""
    values = _object(path)
    for setting in SETTINGS:
        key = f"{setting}_generations"
        link = values.get(key)
        if link is None:
            continue
        # A name of a file alone: another path, or a link there, could lead out of the folder.
        source = folder / key.replace("_", "-") / Path(str(link)).name
        if source.name != link or not is_file(source):
            raise DataError.of(Code.METADATA_VALUE, f"{key} names no file of {source.parent}", path)
        values[key] = _copy(source, out / f"{setting}-generations" / f"{system}.jsonl").name
    return values


def _result(system: str, path: Path, value: Mapping[str, Any]) -> Result:
    signatures = {text: imported_signature(text) for text in METRICS}
    try:
        settings = {
            name: Setting(signatures, _scores(value[name])) for name in SETTINGS if value.get(name)
        }
    except (KeyError, TypeError, ValueError) as error:
        raise DataError.of(
            Code.WRONG_SHAPE, f"it does not have the shape of FanOutQA's results ({error})", path
        ) from None
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


def import_runs(
    files: Sequence[Path], folder: Path, season: Season, reports: Path | None, signing_key: str
) -> list[str]:
    """Writes a result, a run file and metadata for each run under ``folder``; the systems that have a row now.

    ``reports``: a folder with a file of reports for each run, which are then published too.

    Raises UsageError where the season hides its gold, and DataError where a file cannot be read, a run lacks the
    board's ranked score, or its name is that of a system which no import wrote; then nothing is written.
    """
    if season.step is not None:
        raise UsageError(
            f"{season.season} takes no run files: its gold is hidden, and a run file tells of each question what its "
            "answer was given for"
        )
    systems: dict[str, tuple[str, Path, Report]] = {}
    where = season.settings[0]
    runs = folder / "runs" / season.season / where
    for file in files:
        for name, report in read_reports(file).items():
            run = name or file.name.removesuffix(".jsonl").removesuffix(".run")
            system = slug(run)
            if not system or system in systems:
                raise DataError.of(
                    Code.SYSTEM_TAKEN,
                    f"the run {run!r:.80} has no name of its own on the board",
                    file,
                    hint="Rename it: letters, digits and hyphens count.",
                )
            if files_of(folder, system) and not is_file(runs / f"{system}.run"):
                raise DataError.of(
                    Code.SYSTEM_TAKEN,
                    f"the system {system} stands on the board, and no import wrote it",
                    file,
                    hint="Rename the run.",
                )
            if season.ranked not in report.scores:
                raise DataError.of(
                    Code.EMPTY,
                    f"it holds no {season.ranked}, by which the season ranks",
                    file,
                    hint=f"It has {', '.join(list(report.scores)[:4])}.",
                )
            systems[system] = (run, file, report)
    for system, (run, file, report) in systems.items():
        answers = _copy_answers(folder, where, system, run, reports)
        inside = Path("metadata", f"{system}.json")
        write_json(folder / inside, _run_metadata(run, season, answers, where))
        written = [inside] if answers is None else [inside, answers.relative_to(folder)]
        result = Result(
            season.season,
            system,
            {where: setting_of(report.resampled())},
            {str(path): file_sha256(folder / path) for path in written},
            group=season.group or "",
            created=now(),
        )
        path = write_result(folder, result)
        if signing_key:
            path.with_name(f"{path.name}.sig").write_bytes(
                sign_bytes(path.read_bytes(), signing_key)
            )
        _copy(file, runs / f"{system}.run")
    return [*systems]


def _copy_answers(
    folder: Path, setting: str, system: str, run: str, answers: Path | None
) -> Path | None:
    """The published file of a run's reports; None where there are none."""
    places = [answers / name for name in (run, f"{run}.jsonl")] if answers else []
    source = next(filter(Path.is_file, places), None)
    return source and _copy(source, folder / f"{setting}-generations" / f"{system}.jsonl")


def _copy(source: Path, place: Path) -> Path:
    place.parent.mkdir(parents=True, exist_ok=True)
    return Path(shutil.copyfile(source, place))


def _run_metadata(run: str, season: Season, answers: Path | None, setting: str) -> dict[str, Any]:
    """The metadata of a run, of which nothing is known but its name."""
    links = dict.fromkeys(f"{one}_generations" for one in SETTINGS)
    if answers is not None:
        links[f"{setting}_generations"] = answers.name
    return {
        "name": run[:80],
        "authors": "not known",
        "url": None,
        "citation": season.title or season.season,
        "type": "OTHER",
        "context": 0,
        "is_trained_for_function_calling": False,
        **links,
        "details": "",
    }
