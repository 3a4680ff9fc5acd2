"""What does each system of a board score? Checked first, scored by local gold, kept as results.

A system with findings is refused and the others are scored all the same.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from argue_bench.errors import ArgueBenchError, Code, DataError, Finding, NoGold
from argue_bench.leaderboard.formats.results import Result, Setting, now, write_result
from argue_bench.leaderboard.formats.season import Season
from argue_bench.leaderboard.submitting.checking import CheckedSystem, check_submissions

if TYPE_CHECKING:
    from argue_bench.eval import Report
    from argue_bench.loaders.dataset import Dataset
    from argue_bench.records import Gold


@dataclass(frozen=True)
class ScoredSystem:
    """What became of one system: its result and where that was written, or why it has none."""

    system: str
    result: Result | None = None
    path: Path | None = None
    findings: tuple[Finding, ...] = ()
    problem: str = ""


@dataclass(frozen=True)
class JudgeOptions:
    """Who judges, and whose scoring this is."""

    judge: str = ""
    judges: Mapping[str, str] | None = None
    group: str = ""
    author: str | None = None
    progress: Callable[[str, int], None] | None = None
    """Told what is being scored, and how many of its questions are done."""
    runs: Path | None = None
    """Where to keep run files, ``SEASON/SETTING/SYSTEM.run``; for public gold only."""


def score_folder(
    folder: Path,
    season: Season,
    dataset: Dataset,
    out: Path,
    judging: JudgeOptions | None = None,
    system: str = "",
) -> Iterator[ScoredSystem]:
    """Checks and scores every system in a folder, and writes ``out/results/SEASON/SYSTEM.json``.

    One at a time, in the order of their names. Raises DataError (the folder itself), NoGold and
    what `evaluate` raises where no system at all could be scored, such as an unknown metric.
    """
    if dataset.sealed:
        raise NoGold(
            f"the {dataset.split} split of {dataset.name} is sealed: name its gold with --gold"
        )
    checked = check_submissions(folder, dataset, season.settings, system)
    if any(finding.level == "error" for finding in checked.findings):
        yield ScoredSystem("", findings=tuple(checked.findings))
    digest = gold_digest(dataset)
    for entry in checked.entries.values():
        if not entry.ok:
            yield ScoredSystem(entry.system, findings=tuple(entry.findings))
        elif entry.generations:
            yield _score(entry, folder, season, dataset, out, judging or JudgeOptions(), digest)


def with_gold(dataset: Dataset, path: Path) -> Dataset:
    """The set with its gold from elsewhere: a gold.jsonl, or a copy of the set that has it.

    Raises DataError where the gold of a question is missing.
    """
    from argue_bench.loaders import DATASETS, core, load

    if path.name.endswith((".jsonl", ".jsonl.gz")):
        gold = core.read_gold(path.with_name(path.name.removesuffix(".gz")))
    else:
        named = dataset.name in DATASETS and not (path / "set.json").is_file()
        copy = load(dataset.name, dataset.split, path) if named else load(path)
        gold = {question.id: question.gold for question in copy if question.gold is not None}
    return join_gold(dataset, gold, str(path))


def join_gold(dataset: Dataset, gold: Mapping[str, Gold], label: str) -> Dataset:
    """The set with this gold. Raises DataError where that of a question is missing."""
    missing = sorted(dataset.by_id.keys() - gold.keys())
    if missing:
        why = f"it lacks the gold of {len(missing):,} questions, the first {missing[0]!r}"
        raise DataError.of(Code.GOLD_MISSING, why, label)
    return replace(dataset, questions=tuple(replace(q, gold=gold[q.id]) for q in dataset))


def gold_digest(dataset: Dataset) -> str:
    """SHA-256 over the gold of every question by id, however it came in."""
    total = hashlib.sha256()
    for id, question in sorted(dataset.by_id.items()):
        gold = None if question.gold is None else asdict(question.gold)
        total.update(json.dumps([id, gold], sort_keys=True).encode() + b"\n")
    return f"sha256:{total.hexdigest()}"


def _score(
    entry: CheckedSystem,
    folder: Path,
    season: Season,
    dataset: Dataset,
    out: Path,
    judging: JudgeOptions,
    digest: str,
) -> ScoredSystem:
    """All settings of one system. What goes wrong with it is its own problem."""
    from argue_bench.eval import evaluate
    from argue_bench.loaders.answers import as_answers
    from argue_bench.metrics import parse

    settings: dict[str, Setting] = {}
    submission = {f"metadata/{entry.system}.json": _sha256(folder, f"metadata/{entry.system}.json")}
    given = {**({"": judging.judge} if judging.judge else {}), **(judging.judges or {})}
    judges = season.judge_specs(given)
    judge = judges.pop("")
    try:
        for setting in season.settings:
            if setting not in entry.generations:
                continue
            file = f"{setting}-generations/{entry.system}.jsonl"
            submission[file] = _sha256(folder, file)
            tell = judging.progress
            report = evaluate(
                dataset,
                as_answers(entry.generations[setting], dataset).values(),
                # Parsed here: evaluate would import a text `module:name`.
                [parse(text) for text in season.metrics] or None,
                judge=judge,
                judges=judges,
                system=entry.system,
                progress=None if tell is None else partial(tell, f"{entry.system}, {setting}"),
                out=judging.runs and judging.runs / season.season / setting / f"{entry.system}.run",
            )
            settings[setting] = _setting(report)
        result = Result(
            season.season,
            entry.system,
            settings,
            submission,
            digest,
            author=judging.author,
            group=judging.group or season.group,
            created=now(),
        )
        return ScoredSystem(entry.system, result, write_result(out, result))
    except DataError as error:
        return ScoredSystem(entry.system, findings=error.findings)
    except ArgueBenchError as error:
        if error.exit_code == 2:  # the season or the command is wrong, not the system
            raise
        return ScoredSystem(entry.system, problem=str(error))


def _setting(report: Report) -> Setting:
    return Setting(
        {text: dict(signature) for text, signature in report.signature.items()},
        {key: asdict(score) for key, score in report.scores.items()},
    )


def _sha256(folder: Path, inside: str) -> str:
    with (folder / inside).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
