"""Stored judgments to scores.tsv: nothing is asked, one report in memory, runs in any order.

From a run file the tallies that stand in it are averaged; from Auto-ARGUE's judgments the reports are
counted first. Of each run only numbers are kept, so memory does not grow with texts.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from argue_bench.errors import Code, DataError, Finding, UsageError
from argue_bench.eval.report import score_all
from argue_bench.eval.run import Header, read_entries, read_header
from argue_bench.eval.signature import MOST_LEFT_OUT
from argue_bench.loaders.auto_argue import check_judgments, read_judgments
from argue_bench.loaders.auto_argue.scores import ALL, ALL_ROWS, SHARES, TOPIC_ROWS, ScoreRow
from argue_bench.loaders.dataset import Dataset
from argue_bench.metrics import parse
from argue_bench.metrics.argue import PRESETS, Argue
from argue_bench.metrics.argue.auto_argue import report_from_judgments
from argue_bench.metrics.argue.counting import count, not_counted
from argue_bench.metrics.argue.rules import Preset
from argue_bench.records import Tally

Tallies = Mapping[str, Tally]
Judged = tuple[str, str, Tallies | None]
"""Run, topic, and what was counted; None where a verdict failed."""


@dataclass
class _Run:
    """The numbers of one run: for each report, got and of of every column."""

    columns: tuple[str, ...] = ()
    numbers: array[float] = field(default_factory=lambda: array("d"))
    failed: int = 0

    def add(self, tallies: Tallies | None) -> None:
        if tallies is None:
            self.failed += 1
            return
        self.columns = self.columns or tuple(tallies)
        for name in self.columns:
            self.numbers.extend((tallies[name].numerator, tallies[name].denominator))

    def rows(self) -> Iterator[Tallies | None]:
        width = 2 * len(self.columns)
        for start in range(0, len(self.numbers), width or 1):
            some = self.numbers[start : start + width]
            yield {name: Tally(some[2 * i], some[2 * i + 1]) for i, name in enumerate(self.columns)}
        yield from [None] * self.failed


def score_rows(
    judged: Iterable[Judged],
    rules: Preset,
    on_failure: str = "refuse",
    most_left_out: float = MOST_LEFT_OUT,
) -> Iterator[ScoreRow]:
    """The 18 rows of every report as it comes, then the 26 of every run's topic ``all``.

    A row that does not apply is left out, and so are the ``all`` rows of a run with failed reports,
    unless ``on_failure`` tolerates them.
    """
    runs: dict[str, _Run] = {}
    for run, topic, tallies in judged:
        runs.setdefault(run, _Run()).add(tallies)
        if tallies is not None:
            for name in TOPIC_ROWS:
                if (value := tallies[name].value) is not None:
                    yield ScoreRow(run, topic, name, value)
    metric = Argue(rules=rules)
    for run, numbers in runs.items():
        scores = score_all(metric, numbers.rows(), on_failure, most_left_out)
        for name in ALL_ROWS:
            plain = name.removesuffix("_macro")
            key = plain if plain in SHARES else name
            value = scores[f"{metric}.{key}"].value
            if value is not None:
                yield ScoreRow(run, ALL, name, value)


def from_judgments(
    path: Path, dataset: Dataset, rules: Preset, validate: bool = False
) -> Iterator[Judged]:
    """Auto-ARGUE's judgments, counted. With ``validate`` anything doubtful is an error too.

    Raises DataError when the file is through, with the findings of every report that was refused.
    """
    findings: list[Finding] = []
    seen: set[tuple[str, str]] = set()
    for judged in read_judgments(path):
        question = dataset.by_id.get(judged.topic)
        if question is None or question.gold is None:
            findings.append(
                Finding(
                    Code.UNKNOWN_TOPIC,
                    f"there are no nuggets for topic {judged.topic!r}",
                    str(path),
                    hint="Name the folder of its nuggets with --nuggets.",
                )
            )
            continue
        if (judged.run, judged.topic) in seen:
            findings.append(
                Finding(
                    Code.DUPLICATE_TOPIC,
                    f"run {judged.run!r}, topic {judged.topic!r} twice",
                    str(path),
                )
            )
            continue
        seen.add((judged.run, judged.topic))
        nuggets = question.gold.nuggets
        try:
            if validate and (doubts := check_judgments(judged, nuggets)):
                raise DataError(doubts)
            yield (
                judged.run,
                judged.topic,
                count(report_from_judgments(judged, nuggets, rules), PRESETS[rules]),
            )
        except DataError as error:
            findings.extend(error.findings)
    if not seen and not findings:
        findings.append(
            Finding(
                Code.NO_JUDGMENTS,
                "the file holds no judged report",
                str(path),
                hint="Have reports judged with: argue-bench evaluate",
            )
        )
    if findings:
        raise DataError(findings)


def from_run_file(path: Path, metric: str) -> Iterator[Judged]:
    """The tallies of one metric that stand in a run file. Raises DataError where some are not there."""
    wanted = not_counted().keys()
    for entry in read_entries(path):
        tallies = entry.tallies[metric]
        if tallies is not None and (lacking := wanted - tallies.keys()):
            about = f"{entry.answer.run} {entry.answer.id} lacks {', '.join(sorted(lacking))}"
            raise DataError.of(Code.NOT_A_RUN_FILE, about, path)
        yield entry.answer.run, entry.answer.id, tallies


def argue_of(text: str) -> Argue:
    """The ``argue`` of this text. Raises UsageError where it is another metric."""
    metric = parse(text)
    if not isinstance(metric, Argue):
        raise UsageError(f"{text} is not an argue metric")
    return metric


def counted_metric(header: Header, rules: Preset | None, path: Path) -> str | None:
    """Which ``argue`` of a run file is meant: the one under these rules, or the only one.

    None where the file has others, but not under these rules. Raises UsageError where it has none,
    or several and no rules say which.
    """
    found: dict[str, Preset] = {}
    for text in header.metrics:
        metric = parse(text)
        if isinstance(metric, Argue):
            found[text] = metric.rules
    if not found:
        raise UsageError(f"{path} has no judgments of argue: it holds {', '.join(header.metrics)}")
    meant = [text for text, preset in found.items() if rules in (None, preset)]
    if len(meant) > 1:
        raise UsageError(f"{path} holds {' and '.join(meant)}; say which with --rules")
    return meant[0] if meant else None


def is_run_file(path: Path) -> bool:
    """Whether a file starts like a run file; a folder is none."""
    if path.is_dir():
        return False
    try:
        read_header(path)
    except DataError as error:
        if any(finding.code == Code.NOT_A_RUN_FILE for finding in error.findings):
            return False
        raise
    return True
