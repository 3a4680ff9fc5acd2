"""Scores of many runs on many topics, from any file that holds them.

    trec_eval     measure topic value            (one file a run; the run is the file's name)
    tot           run measure topic value
    ir_measures   run topic measure value
    ranking       topic Q0 run rank value measure
    jsonl         {"run_id", "topic_id", "measure", "value"} a line
    run           a run file of `evaluate --out`
    results       a results file of a board: aggregates only, no topics

tot and ir_measures are the same four words in another order: their format must be named. The topic
``all`` is an aggregate; it is kept apart from the topics and not believed unless told so. A folder
stands for the files in it. Every finding is told at once: values that are no finite number, the same
(run, topic, measure) twice, lines of the wrong shape.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from argue_bench.errors import Code, DataError, Finding, UnknownName
from argue_bench.metrics import Metric
from argue_bench.records.untrusted import (
    GOLD_LIMITS,
    Limits,
    open_bounded,
    read_json,
    read_lines,
)

AGGREGATE = "all"
LIMITS = Limits(line_bytes=100_000, file_bytes=1 << 32)
MOST_TOLD = 50
NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?")


class TopicScore(NamedTuple):
    """One value, with where it stands."""

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
        """Measure to the topics that any run has, in order; a set that keeps it."""
        return {
            measure: dict.fromkeys(chain.from_iterable(runs.values()))
            for measure, runs in self.values.items()
        }

    def rows(self, aggregates: bool = True) -> Iterator[TopicScore]:
        """Every value, run by run; the given aggregates last."""
        for measure, runs in self.values.items():
            for run, topics in runs.items():
                for topic, value in topics.items():
                    yield TopicScore(run, topic, measure, value)
        for measure, given in self.given.items() if aggregates else ():
            for run, value in given.items():
                yield TopicScore(run, AGGREGATE, measure, value)


def table_of(rows: Iterable[TopicScore], source: str = "") -> ScoreTable:
    """The table of these rows. Raises DataError where one (run, topic, measure) stands twice."""
    values: dict[str, dict[str, dict[str, float]]] = {}
    given: dict[str, dict[str, float]] = {}
    seen: dict[tuple[str, str, str], TopicScore] = {}
    findings: list[Finding] = []
    for row in rows:
        key = (row.run, row.topic, row.measure)
        if (before := seen.get(key)) is not None:
            findings.append(
                Finding(
                    Code.DUPLICATE_SCORE,
                    f"run {row.run}, topic {row.topic}, measure {row.measure} stands twice, first "
                    f"with {before.value:g} at {before.file}:{before.line}",
                    row.file or source,
                    row.line,
                    hint="Keep one of them.",
                )
            )
            continue
        seen[key] = row
        if row.topic == AGGREGATE:
            given.setdefault(row.measure, {})[row.run] = row.value
        else:
            values.setdefault(row.measure, {}).setdefault(row.run, {})[row.topic] = row.value
    _raise(findings)
    return ScoreTable(values, given, source)


def read_scores(
    paths: Path | Sequence[Path], format: str = "", metrics: Sequence[Metric] = ()
) -> ScoreTable:
    """The scores in files or folders of one format; own files and jsonl are known by themselves.

    ``metrics``: those of run files that are not in the catalogue.

    Raises DataError (every finding at once) and UnknownName (no such format).
    """
    if format and format not in FORMATS:
        raise UnknownName(
            "score format", format, tuple(FORMATS), see="argue-bench judge agreement -h"
        )
    files = [f for p in ([paths] if isinstance(paths, Path) else paths) for f in _files(p)]
    findings: list[Finding] = []
    rows: list[TopicScore] = []
    for file in files:
        kind = format or _sniff(file)
        for item in _run(file, metrics) if kind == "run" else FORMATS[kind](file):
            if isinstance(item, Finding):
                findings.append(item)
            else:
                rows.append(item)
    _raise(findings)
    source = ", ".join(map(str, files[:3])) + (", ..." if len(files) > 3 else "")
    if not rows:
        raise DataError.of(Code.NO_SCORES, "there is no score in it", source)
    return table_of(rows, source)


def _files(path: Path) -> list[Path]:
    if not path.is_dir():
        return [path]
    visible = (f for f in path.iterdir() if f.is_file() and not f.name.startswith("."))
    found = sorted(f for f in visible if not _start(f).startswith(b"SQLite format 3\0"))
    if not found:
        raise DataError.of(Code.NO_SCORES, "the folder holds no file", path)
    return found


def run_name(path: Path) -> str:
    """What a run without a name of its own is called: its file, less the endings."""
    return path.name.removesuffix(".jsonl").removesuffix(".run")


def is_run_file(path: Path) -> bool:
    """Whether a file says of itself that `evaluate --out` wrote it."""
    return not path.is_dir() and _start(path).startswith(b'{"header"')


def _start(path: Path) -> bytes:
    with open_bounded(path, GOLD_LIMITS, str(path)) as file:
        return file.read(4096).removeprefix(b"\xef\xbb\xbf").lstrip()


def _sniff(path: Path) -> str:
    """The format of a file that says so itself. Raises DataError where it does not."""
    start = _start(path)
    if start.startswith(b'{"header"'):
        return "run"
    if start.startswith(b"{"):
        return "results" if path.suffix == ".json" else "jsonl"
    raise DataError.of(
        Code.UNNAMED_FORMAT,
        (
            "the format must be named: tot and ir_measures have the same four columns in another "
            "order"
        ),
        path,
        hint=f"Name one of: {', '.join(FORMATS)}.",
    )


Reader = Callable[[Path], Iterator[TopicScore | Finding]]


def _columns(*order: str) -> Reader:
    """The reader of a format of words in columns; ``run`` is the file's name where not in them."""

    def read(path: Path) -> Iterator[TopicScore | Finding]:
        label = str(path)
        for number, words in word_lines(path):
            if isinstance(words, Finding):
                yield words
            elif len(words) != len(order):
                yield Finding(
                    Code.COLUMNS,
                    f"the line has {len(words)} columns, expected {len(order)}: {' '.join(order)}",
                    label,
                    number,
                    hint="Check the line, and whether the format is the right one.",
                )
            elif (value := _number(words[order.index("value")])) is None:
                yield _no_number(words[order.index("value")], label, number)
            else:
                at = dict(zip(order, words, strict=True))
                run = at.get("run", path.name)
                yield TopicScore(run, at["topic"], at["measure"], value, label, number)

    return read


def word_lines(path: Path) -> Iterator[tuple[int, list[str] | Finding]]:
    label = str(path)
    with open_bounded(path, LIMITS, label) as file:
        for number, raw in enumerate(iter(lambda: file.readline(LIMITS.line_bytes + 1), b""), 1):
            if len(raw) > LIMITS.line_bytes:
                yield number, Finding(Code.LINE_TOO_LONG, "the line is too long", label, number)
                return
            try:
                words = raw.removeprefix(b"\xef\xbb\xbf").decode("utf-8").split()
            except UnicodeDecodeError:
                yield number, Finding(Code.NOT_UTF_8, "the line is not UTF-8", label, number)
                continue
            if words:
                yield number, words


def _jsonl(path: Path) -> Iterator[TopicScore | Finding]:
    keys = ("run_id", "topic_id", "measure", "value")
    for line in read_lines(path, LIMITS):
        if not line.ok:
            yield from line.findings
            continue
        if not line.read:
            continue
        found = line.value if isinstance(line.value, dict) else {}
        lacking = [key for key in keys if key not in found]
        if lacking:
            yield Finding(
                Code.COLUMNS,
                f"the line lacks {', '.join(lacking)}",
                str(path),
                line.number,
                hint=f"Write one object a line with: {', '.join(keys)}.",
            )
        elif bad := [key for key in keys[:3] if type(found[key]) not in (str, int)]:
            yield Finding(
                Code.NOT_A_NAME,
                f"{bad[0]} is {str(found[bad[0]])[:40]!r}, expected a text",
                str(path),
                line.number,
                hint="Write the names of run, topic and measure as texts.",
            )
        elif (value := _number(found["value"])) is None:
            yield _no_number(found["value"], str(path), line.number)
        else:
            run, topic, measure = (str(found[key]) for key in keys[:3])
            yield TopicScore(run, topic, measure, value, str(path), line.number)


def _run(path: Path, metrics: Sequence[Metric] = ()) -> Iterator[TopicScore]:
    """The value of every score on each question alone, from the stored tallies."""
    from argue_bench.analysis.aligned import score_columns
    from argue_bench.eval.run import read_reports
    from argue_bench.stats.significance import per_question

    for name, report in read_reports(path, metrics=metrics).items():
        run = name or run_name(path)
        for key, average, columns in score_columns(report):
            alone = per_question(average, columns)
            for question, value in zip(report.per_question, alone, strict=True):
                if value == value:  # a score that does not apply is no value
                    yield TopicScore(run, question, key, float(value), str(path))
            if (whole := report.scores[key].value) is not None:
                yield TopicScore(run, AGGREGATE, key, whole, str(path))


def _results(path: Path) -> Iterator[TopicScore | Finding]:
    data = read_json(path)
    settings = data.get("settings") if isinstance(data, dict) else None
    if not isinstance(settings, dict) or not isinstance(data.get("system"), str):
        yield Finding(Code.NOT_RESULTS, "this is not a results file of a board", str(path))
        return
    for setting, found in settings.items():
        scores = found.get("scores") if isinstance(found, dict) else None
        if not isinstance(scores, dict) or not all(isinstance(s, dict) for s in scores.values()):
            yield Finding(
                Code.NOT_RESULTS,
                "expected an object of scores",
                str(path),
                path=f"$.settings.{setting:.80}.scores",
                hint="Fetch the board's results file again.",
            )
            continue
        for key, score in scores.items():
            if score.get("value") is None:  # it was not counted
                continue
            if (value := _number(score["value"])) is None:
                yield _no_number(score["value"], str(path), None)
            else:
                measure = key if len(settings) == 1 else f"{setting}:{key}"
                yield TopicScore(data["system"], AGGREGATE, measure, value, str(path))


FORMATS: dict[str, Reader] = {
    "trec_eval": _columns("measure", "topic", "value"),
    "tot": _columns("run", "measure", "topic", "value"),
    "ir_measures": _columns("run", "topic", "measure", "value"),
    "ranking": _columns("topic", "Q0", "run", "rank", "value", "measure"),
    "jsonl": _jsonl,
    "run": _run,
    "results": _results,
}


def _number(value: Any) -> float | None:
    """A finite number, or None."""
    if isinstance(value, bool):
        return None
    if isinstance(value, str) and not NUMBER.fullmatch(value):
        return None
    if not isinstance(value, str | int | float):
        return None
    number = float(value)
    return number if abs(number) < float("inf") else None


def _no_number(value: Any, file: str, line: int | None) -> Finding:
    return Finding(
        Code.NOT_A_NUMBER,
        f"the value is {str(value)[:40]!r}, expected a finite number",
        file,
        line,
        hint="Write a number, or leave the line out: it then counts as missing.",
    )


def _raise(findings: Sequence[Finding]) -> None:
    if not findings:
        return
    told = list(findings[:MOST_TOLD])
    if len(findings) > MOST_TOLD:
        told.append(Finding(Code.MORE, f"and {len(findings) - MOST_TOLD} more findings"))
    raise DataError(told)
