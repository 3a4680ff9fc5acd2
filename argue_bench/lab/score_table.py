"""Scores of many runs on many topics, from files of TREC's programs and from our own run files.

    trec_eval     measure topic value            (one file a run; the run is the file's name)
    tot           run measure topic value
    ir_measures   run topic measure value
    rag4reports   topic run measure value
    ranking       topic Q0 run rank value measure
    run           a run file of `evaluate --out`

The format of a file of words must be named: tot and ir_measures have the same four columns in another
order. The topic ``all`` is an aggregate; aggregates are kept apart from topics. A folder means the files in
it. All errors are listed at once: values that are not finite numbers, the same (run, topic, measure) twice,
lines of the wrong shape.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from argue_bench.analysis.aligned import score_columns
from argue_bench.errors import Code, DataError, Finding, UnknownName
from argue_bench.eval.run import is_run_file, read_reports, run_name
from argue_bench.judges.recorded import is_store
from argue_bench.metrics import Metric
from argue_bench.records.untrusted import Limits, read_bounded
from argue_bench.stats.significance import per_question

AGGREGATE = "all"
LIMITS = Limits(file_bytes=1 << 30)
"""A track's file has some million lines of a few words."""
MOST_FINDINGS = 50
"""Findings that are listed; of more, only the number is given."""
# What float() takes besides, such as 1_000 or nan, is no value in any of these formats.
NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?")
COLUMNS: Mapping[str, tuple[str, ...]] = {
    "trec_eval": ("measure", "topic", "value"),
    "tot": ("run", "measure", "topic", "value"),
    "ir_measures": ("run", "topic", "measure", "value"),
    "rag4reports": ("topic", "run", "measure", "value"),
    "ranking": ("topic", "Q0", "run", "rank", "value", "measure"),
}
"""Format to its columns."""


class TopicScore(NamedTuple):
    """One value, with the file and line that it came from."""

    run: str
    topic: str
    measure: str
    value: float
    file: str = ""
    line: int | None = None


@dataclass(frozen=True)
class ScoreTable:
    """Measure to run to topic to value, in the order of the file."""

    values: Mapping[str, Mapping[str, Mapping[str, float]]]
    given: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    """Measure to run to the aggregate that the file gives."""
    source: str = ""

    @cached_property
    def measures(self) -> tuple[str, ...]:
        return tuple(sorted({*self.values, *self.given}))

    @cached_property
    def runs(self) -> tuple[str, ...]:
        both = (*self.values.values(), *self.given.values())
        return tuple(dict.fromkeys(run for runs in both for run in runs))

    @cached_property
    def topics(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(chain.from_iterable(self.topics_of.values())))

    @cached_property
    def topics_of(self) -> Mapping[str, Mapping[str, None]]:
        """By measure: the topics of any run, in order, as the keys of a dictionary."""
        return {
            measure: dict.fromkeys(chain.from_iterable(runs.values()))
            for measure, runs in self.values.items()
        }


def table_of(rows: Iterable[TopicScore], source: str = "") -> ScoreTable:
    """The table of these rows. Raises DataError where one (run, topic, measure) occurs twice."""
    values: dict[str, dict[str, dict[str, float]]] = {}
    given: dict[str, dict[str, float]] = {}
    seen: dict[tuple[str, str, str], TopicScore] = {}
    findings: list[Finding] = []
    for row in rows:
        before = seen.setdefault(row[:3], row)
        if before is not row:
            why = (
                f"run {row.run}, topic {row.topic}, measure {row.measure} occurs twice, first with "
                f"{before.value:g} at {before.file}:{before.line}"
            )
            file, hint = row.file or source, "Keep one of them."
            findings.append(Finding(Code.DUPLICATE_ID, why, file, row.line, hint=hint))
        elif row.topic == AGGREGATE:
            given.setdefault(row.measure, {})[row.run] = row.value
        else:
            values.setdefault(row.measure, {}).setdefault(row.run, {})[row.topic] = row.value
    _raise(findings)
    return ScoreTable(values, given, source)


def read_scores(
    paths: Path | Sequence[Path], format: str = "", metrics: Sequence[Metric] = ()
) -> ScoreTable:
    """The scores in files or folders of one format; run files need no format.

    ``metrics`` are those of run files that are not in the catalogue. Raises DataError with every
    finding, UnknownName for an unknown format.
    """
    if format not in ("", "run", *COLUMNS):
        known = (*COLUMNS, "run")
        raise UnknownName("score format", format, known, see="argue-bench judge agreement -h")
    files = [f for p in ([paths] if isinstance(paths, Path) else paths) for f in _files(p)]
    findings: list[Finding] = []
    rows: list[TopicScore] = []
    for file in files:
        if not format and not is_run_file(file):
            hint = f"Name one of: {', '.join(COLUMNS)}."
            why = "the format must be named: tot and ir_measures have the same four columns in another order"
            raise DataError.of(Code.UNNAMED_FORMAT, why, file, hint=hint)
        columns = COLUMNS.get(format)
        rows += _scores(file, columns, findings) if columns else _run(file, metrics)
    _raise(findings)
    source = ", ".join(map(str, files[:3])) + (", ..." if len(files) > 3 else "")
    if not rows:
        raise DataError.of(Code.EMPTY, "the file holds no score", source)
    return table_of(rows, source)


def _files(path: Path) -> list[Path]:
    """A file, or those of a folder without verdict stores, which lie beside run files."""
    if not path.is_dir():
        return [path]
    visible = sorted(f for f in path.iterdir() if f.is_file() and not f.name.startswith("."))
    found = [file for file in visible if not is_store(file)]
    if not found:
        raise DataError.of(Code.EMPTY, "the folder holds no file", path)
    return found


def _scores(path: Path, names: Sequence[str], findings: list[Finding]) -> Iterator[TopicScore]:
    """The scores of a file of words; without a column ``run`` the file's name is the run."""
    try:
        text = read_bounded(path, LIMITS).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise DataError.of(Code.NOT_UTF_8, "the file is not UTF-8", path) from None
    for number, line in enumerate(text.split("\n"), 1):
        words = line.split()
        # A line of another width is found below; here it only may hold the headings.
        row = dict(zip(names, words, strict=False))
        value = row.get("value", "")
        if not words or (number == 1 and value.casefold() in ("value", "v", "score")):
            continue
        if len(words) != len(names):
            why = f"the line has {len(words)} columns, expected {len(names)}: {' '.join(names)}"
            hint = "Check the line, and whether the format is the right one."
            findings.append(Finding(Code.WRONG_SHAPE, why, str(path), number, hint=hint))
        elif NUMBER.fullmatch(value) and math.isfinite(float(value)):
            run, place = row.get("run", path.name), str(path)
            yield TopicScore(run, row["topic"], row["measure"], float(value), place, number)
        else:
            why = f"the value is {value!r:.80}, expected a finite number"
            hint = "Write a number, or leave the line out: it then counts as missing."
            findings.append(Finding(Code.WRONG_VALUE, why, str(path), number, hint=hint))


def _run(path: Path, metrics: Sequence[Metric]) -> Iterator[TopicScore]:
    """The value of every score of a run file on each question alone, from the stored tallies."""
    for name, report in read_reports(path, metrics=metrics).items():
        run = name or run_name(path)
        for key, average, columns in score_columns(report):
            alone = per_question(average, columns)
            for question, value in zip(report.per_question, alone, strict=True):
                if value == value:  # NaN: the score does not apply to this question
                    yield TopicScore(run, question, key, float(value), str(path))
            if (whole := report.scores[key].value) is not None:
                yield TopicScore(run, AGGREGATE, key, whole, str(path))


def _raise(findings: Sequence[Finding]) -> None:
    if not findings:
        return
    shown = list(findings[:MOST_FINDINGS])
    if len(findings) > MOST_FINDINGS:
        shown.append(Finding(Code.MORE, f"and {len(findings) - MOST_FINDINGS} more findings"))
    raise DataError(shown)
