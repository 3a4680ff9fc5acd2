"""Local scoring: every system of a folder, scored with gold at hand, kept as unsigned results.

A system with findings is refused and the others are scored all the same. `hidden_scoring` scores
one submission against hidden gold, within quota and ladder, and signs.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from argue_bench.errors import ArgueBenchError, Code, DataError, Finding, NoGold
from argue_bench.leaderboard.formats.results import (
    CLUSTERS,
    PARTS,
    AnswerFacts,
    LabelFacts,
    Result,
    Setting,
    now,
    write_result,
)
from argue_bench.leaderboard.formats.season import Season
from argue_bench.leaderboard.scoring.answer_facts import answer_facts
from argue_bench.leaderboard.scoring.web_pages import (
    GivenSnapshot,
    WebPages,
    check_snapshot,
    season_snapshot,
)
from argue_bench.leaderboard.submitting.checking import CheckedSystem, check_submissions
from argue_bench.loaders.web import read_web_answers
from argue_bench.records.digests import file_sha256

if TYPE_CHECKING:
    from argue_bench.eval import Report
    from argue_bench.eval.cluster.connecting import ClusterLike
    from argue_bench.eval.report import Score
    from argue_bench.judges import Judge
    from argue_bench.loaders.dataset import Dataset
    from argue_bench.records import Answer, Gold


LABELS = "labels"
"""The folder of what people said of answers, in seasons that require it."""


@dataclass(frozen=True)
class ScoredSystem:
    """The outcome for one system: its result and the place of its file, or why it has none."""

    system: str
    result: Result | None = None
    path: Path | None = None
    findings: tuple[Finding, ...] = ()
    problem: str = ""


@dataclass(frozen=True)
class JudgeOptions:
    """Who judges, and whose scoring this is."""

    judges: Mapping[str, str | Judge] = field(default_factory=dict)
    """Specs or judges by name, the default one's being empty; others are the season's."""
    group: str = ""
    author: str | None = None
    progress: Callable[[str, int], None] | None = None
    """Told what is being scored, and how many of its questions are done."""
    runs: Path | None = None
    """Where to keep run files, ``SEASON/SETTING/SYSTEM.run``; for public gold only."""
    cluster: ClusterLike = None
    """Whose workers do the work; none for this process alone."""


def score_folder(
    folder: Path,
    season: Season,
    dataset: Dataset,
    out: Path,
    judging: JudgeOptions | None = None,
    system: str = "",
    sources: Path | None = None,
) -> Iterator[ScoredSystem]:
    """Checks and scores every system in a folder, and writes ``out/results/SEASON/SYSTEM.json``.

    ``sources`` is the snapshot of the web pages that the answers cite.

    One at a time, in the order of their names. Raises DataError (the folder itself), NoGold and
    what `evaluate` raises where no system at all could be scored, such as an unknown metric.
    """
    if dataset.sealed:
        raise NoGold(
            f"the {dataset.split} split of {dataset.name} is sealed: name its gold with --gold"
        )
    place = season_snapshot(season, folder, sources)
    pages = None if place is None else check_snapshot(season, GivenSnapshot(place))
    checked = check_submissions(folder, dataset, season.settings, system, season.limits)
    if any(finding.level == "error" for finding in checked.findings):
        yield ScoredSystem("", findings=tuple(checked.findings))
    digest = gold_digest(dataset)
    for entry in checked.entries.values():
        if not entry.ok:
            yield ScoredSystem(entry.system, findings=tuple(entry.findings))
        elif entry.generations:
            options = judging or JudgeOptions()
            yield _score(entry, folder, season, dataset, out, options, digest, pages)


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
    """The set with this gold. Raises DataError where a question's gold is missing."""
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


def setting_of(report: Report) -> Setting:
    """A report as results keep it."""
    return Setting(
        {text: dict(signature) for text, signature in report.signature.items()},
        {key: score_parts(one) for key, one in report.scores.items()},
    )


def score_parts(score: Score) -> dict[str, int | float | None]:
    """A score as results keep it."""
    parts = {part: getattr(score, part) for part in PARTS}
    return {**parts, CLUSTERS: score.clusters} if score.clusters else parts


def read_submitted(
    path: Path, season: Season, dataset: Dataset, web: bool = False
) -> tuple[list[Answer], AnswerFacts]:
    """The answers of a checked file as they are scored, within the season's limits; and their facts.

    With ``web`` they cite web addresses.
    """
    from argue_bench.loaders.answers import as_answers
    from argue_bench.loaders.limits import within_limits

    read = read_web_answers(path, dataset) if web else as_answers(path, dataset)
    limited = within_limits(read, dataset, season.limits)
    answers = list(limited.answers.values())
    return answers, answer_facts(answers, dataset, len(limited.cut))


def evaluate_setting(
    season: Season,
    dataset: Dataset,
    answers: Iterable[Answer],
    judges: Mapping[str, str | Judge],
    system: str,
    progress: Callable[[int], None] | None = None,
    out: Path | None = None,
    cluster: ClusterLike = None,
    labels: Sequence[Path] = (),
) -> Report:
    """Scores answers as the season says; ``judges`` by name go before the season's own.

    ``labels`` are files of what people said of some of the answers.
    """
    from argue_bench.eval import evaluate
    from argue_bench.metrics import parse

    specs = season.judge_specs(judges)
    return evaluate(
        dataset,
        answers,
        # Parsed here: evaluate would import a text `module:name`.
        [parse(text) for text in season.metrics] or None,
        judge=specs.pop(""),
        judges=specs,
        system=system,
        progress=progress,
        out=out,
        cluster=cluster,
        labels=list(labels) or None,
    )


def _score(
    entry: CheckedSystem,
    folder: Path,
    season: Season,
    dataset: Dataset,
    out: Path,
    options: JudgeOptions,
    digest: str,
    pages: WebPages | None,
) -> ScoredSystem:
    """All settings of one system. What goes wrong with it is its own problem."""
    settings: dict[str, Setting] = {}
    system, tell = entry.system, options.progress
    submission = {f"metadata/{system}.json": file_sha256(folder / f"metadata/{system}.json")}
    try:
        for setting in season.settings:
            if setting not in entry.generations:
                continue
            file = f"{setting}-generations/{system}.jsonl"
            submission[file] = file_sha256(folder / file)
            file_here = entry.generations[setting]
            answers, facts = read_submitted(file_here, season, dataset, pages is not None)
            labels: Sequence[Path] = ()
            if season.labels is not None:
                labels = label_files(folder, season.season, setting, system)
            run = options.runs and options.runs / season.season / setting / f"{system}.run"
            report = evaluate_setting(
                season,
                dataset if pages is None else pages.in_set(dataset, answers),
                answers,
                options.judges,
                system,
                None if tell is None else partial(tell, f"{system}, {setting}"),
                run,
                options.cluster,
                labels,
            )
            made = replace(setting_of(report), answers=facts)
            if season.labels is not None:
                place = folder / LABELS / season.season / setting / f"{system}.jsonl"
                made = corrected_setting(made, report, season, place, run)
            settings[setting] = made
        group = options.group or season.group
        author = options.author
        result = Result(
            season.season, system, settings, submission, digest, author, None, group, now()
        )
        return ScoredSystem(system, result, write_result(out, result))
    except DataError as error:
        return ScoredSystem(system, findings=error.findings)
    except ArgueBenchError as error:
        if error.exit_code == 2:  # the season or the command is wrong, not the system
            raise
        return ScoredSystem(system, problem=str(error))


def label_files(folder: Path, season: str, setting: str, system: str) -> list[Path]:
    """The files with people's labels on one system's answers in one setting: ``SYSTEM.jsonl``, or
    ``SYSTEM.PERSON.jsonl`` of several people."""
    place = folder / LABELS / season / setting
    return sorted([*place.glob(f"{system}.jsonl"), *place.glob(f"{system}.*.jsonl")])


def corrected_setting(
    made: Setting, report: Report, season: Season, place: Path, run: Path | None
) -> Setting:
    """A setting with corrected scores in place of the judge's, and its labels told.

    The signature says what the season requires and not which labels these are, so that rows still rank
    together. Raises DataError where the labels are too few, or none, or of other texts.
    """
    least = season.labels or 0
    key = report.scores.full(season.ranked)
    one = report.corrected.get(key)
    own = one is not None and one.method != "calibration"
    if one is None or not own or one.value is None or one.labelled < least:
        n = one.labelled if one is not None and own else 0
        why = f"people labelled {n} questions for {key}; the season requires {least}"
        if one is not None and one.reason:
            why = f"{why} ({one.reason})"
        view = f"argue-bench view {run or 'RUN'} --label --questions {least}"
        hint = f"Label with `{view}`, put the labels there and score again."
        raise DataError.of(Code.LABELS_REQUIRED, why, place, hint=hint)
    scores = {
        name: {**score, "value": found.value, "low": found.low, "high": found.high}
        if (found := report.corrected.get(name)) and found.value is not None
        else score
        for name, score in made.scores.items()
    }
    said = f"people's on {least} questions or more"
    signature = {
        text: {**parts, **({"labels": said} if "labels" in parts else {})}
        for text, parts in made.signature.items()
    }
    digest = report.signature[key.rpartition(".")[0]]["labels"].partition(",")[0]
    facts = LabelFacts(digest, one.labelled)
    return replace(made, signature=signature, scores=scores, labels=facts)
