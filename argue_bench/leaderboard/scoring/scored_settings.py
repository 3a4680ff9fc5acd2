"""The scoring of one system's answers, setting by setting: local and hidden scoring share it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from argue_bench.errors import ArgueBenchError, Code, DataError, Finding, NoGold
from argue_bench.leaderboard.formats.results import (
    CLUSTERS,
    PARTS,
    AnswerFacts,
    Result,
    Setting,
    now,
    write_result,
)
from argue_bench.leaderboard.formats.season import Season
from argue_bench.leaderboard.scoring.chance import guesses
from argue_bench.leaderboard.screening.answers import read_submitted
from argue_bench.leaderboard.submitting.checking import CheckedSystem, check_submissions, files_of
from argue_bench.records.digests import file_sha256

if TYPE_CHECKING:
    from argue_bench.eval import Report
    from argue_bench.eval.report import Score
    from argue_bench.judges import Judge
    from argue_bench.loaders.dataset import Dataset
    from argue_bench.records import Answer, Gold

# At most 2 % of the questions: who brings a judge to fail on the worst of them gains less than that.
ON_FAILURE = "leave-out"


@dataclass(frozen=True)
class ScoredSetting:
    """The answers of one setting as they were scored, their facts, and the report on them."""

    answers: list[Answer]
    facts: AnswerFacts
    report: Report


@dataclass(frozen=True)
class Judging:
    """Who judges; who is told how far it is; where run files go, of public gold only."""

    judges: Mapping[str, str | Judge]
    """Specs or judges by name, the default one's being empty; others are the season's."""
    progress: Callable[[str, int], None] | None = None
    """Told what is being scored, and how many of its questions are done."""
    runs: Path | None = None
    """A folder for ``SEASON/SETTING/SYSTEM.run``."""


def score_settings(
    season: Season,
    dataset: Dataset,
    folder: Path,
    system: str,
    judging: Judging,
) -> Iterator[tuple[str, ScoredSetting]]:
    """Scores every setting of which ``folder`` holds a file of the system's answers, checked before.

    ``dataset`` has its gold. Raises what `evaluate` raises.
    """
    files = files_of(folder, system)
    for setting in season.settings:
        if (path := files.get(f"{setting}-generations/{system}.jsonl")) is None:
            continue
        answers, facts = read_submitted(path, season, dataset)
        tell, runs = judging.progress, judging.runs
        report = evaluate_setting(
            season,
            dataset,
            answers,
            judging.judges,
            system,
            None if tell is None else partial(tell, f"{system}, {setting}"),
            None if runs is None else runs / season.season / setting / f"{system}.run",
        )
        if guesses(season, dataset, answers):
            facts = replace(facts, flags={**facts.flags, "guesses": len(answers)})
        yield setting, ScoredSetting(answers, facts, report)


def join_gold(dataset: Dataset, gold: Mapping[str, Gold], label: str) -> Dataset:
    """The set with this gold. Raises DataError where a question's gold is missing."""
    missing = sorted(dataset.by_id.keys() - gold.keys())
    if missing:
        why = f"it lacks the gold of {len(missing):,} questions, the first {missing[0]!r}"
        raise DataError.of(Code.MISSING_IDS, why, label)
    return replace(dataset, questions=tuple(replace(q, gold=gold[q.id]) for q in dataset))


def gold_digest(dataset: Dataset) -> str:
    """SHA-256 over the gold of every question by id, however it came in."""
    total = hashlib.sha256()
    # By id and as values, so that order, layout and the reader of gold.jsonl do not matter.
    for id, question in sorted(dataset.by_id.items()):
        whole = {} if question.gold is None else asdict(question.gold)
        gold = {key: value for key, value in whole.items() if key != "decided"} or None
        total.update(json.dumps([id, gold], sort_keys=True).encode() + b"\n")
    return f"sha256:{total.hexdigest()}"


def setting_of(report: Report) -> Setting:
    """A report as results keep it."""
    return Setting(
        {text: dict(signature) for text, signature in report.signature.items()},
        {key: score_parts(one) for key, one in report.scores.items()},
    )


def score_parts(score: Score) -> dict[str, int | float | None]:
    """A score as results keep it."""
    parts = {part: getattr(score, part) for part in PARTS}
    return {**parts, CLUSTERS: score.groups} if score.groups else parts


def evaluate_setting(
    season: Season,
    dataset: Dataset,
    answers: Iterable[Answer],
    judges: Mapping[str, str | Judge],
    system: str,
    progress: Callable[[int], None] | None = None,
    out: Path | None = None,
) -> Report:
    """Scores answers as the season says; ``judges`` by name go before the season's own.

    What nobody judged has failed.
    """
    from argue_bench.eval.judging import judges_for, prepare, run_now
    from argue_bench.eval.report import Scores
    from argue_bench.metrics import parse

    specs = season.judge_specs(judges)
    default = specs.pop("")
    # Parsed here: evaluate would import a text `module:name`.
    metrics = [parse(text) for text in season.metrics] or None
    # Of 100,000 requests a model breaks the form of some, whoever asks: a few lose no run, and many are a failure.
    ready = prepare(dataset, answers, metrics, judge=default, system=system, on_failure=ON_FAILURE)
    made = judges_for(ready.selection.metrics, default, specs)
    report = run_now(ready.run(made, out, progress=progress)).resampled()
    # A system must not choose its questions by the language of its answers.
    return replace(
        report, scores=Scores({key: score.as_failed for key, score in report.scores.items()})
    )


@dataclass(frozen=True)
class ScoredSystem:
    """The outcome for one system: its result and the place of its file, or why it has none."""

    system: str
    result: Result | None = None
    path: Path | None = None
    findings: tuple[Finding, ...] = ()
    problem: str = ""


def score_folder(
    folder: Path,
    season: Season,
    dataset: Dataset,
    out: Path,
    judging: Judging | None = None,
    system: str = "",
) -> Iterator[ScoredSystem]:
    """Checks and scores every system in a folder, and writes ``out/results/SEASON/SYSTEM.json``.

    One at a time, in the order of their names. Raises DataError (the folder itself), NoGold and
    what `evaluate` raises where no system at all could be scored, such as an unknown metric.
    """
    if dataset.sealed:
        raise NoGold(
            f"the {dataset.split} split of {dataset.name} is sealed, and the folder holds no sealed gold"
        )
    checked = check_submissions(folder, dataset, season.settings, system, season.limits)
    # Faults of no one system, such as a file that belongs nowhere; the systems are scored all the same.
    if any(finding.level == "error" for finding in checked.findings):
        yield ScoredSystem("", findings=tuple(checked.findings))
    digest = gold_digest(dataset)
    for entry in checked.entries.values():
        if not entry.ok:
            yield ScoredSystem(entry.system, findings=tuple(entry.findings))
        elif entry.generations:
            yield _score(entry, folder, season, dataset, out, judging or Judging({}), digest)


def _score(
    entry: CheckedSystem,
    folder: Path,
    season: Season,
    dataset: Dataset,
    out: Path,
    judging: Judging,
    digest: str,
) -> ScoredSystem:
    """All settings of one system. What goes wrong with it is its own problem."""
    system = entry.system
    try:
        submission = {name: file_sha256(path) for name, path in files_of(folder, system).items()}
        settings = {
            setting: replace(setting_of(one.report), answers=one.facts)
            for setting, one in score_settings(season, dataset, folder, system, judging)
        }
        group = season.group or ""
        result = Result(
            season.season, system, settings, submission, digest, None, None, group, now()
        )
        return ScoredSystem(system, result, write_result(out, result))
    except DataError as error:
        return ScoredSystem(system, findings=error.findings)
    except ArgueBenchError as error:
        if error.exit_code == 2:  # the season or the command is wrong, not the system
            raise
        return ScoredSystem(system, problem=str(error))
