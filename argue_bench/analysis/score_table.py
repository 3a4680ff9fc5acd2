"""Scores of many runs on many topics, from any file that holds them.

    trec_eval     measure topic value            (one file a run; the run is the file's name)
    tot           run measure topic value
    ir_measures   run topic measure value
    rag4reports   topic run measure value
    ranking       topic Q0 run rank value measure
    jsonl         {"run_id", "topic_id", "measure", "value"} a line
    run           a run file of `evaluate --out`
    results       a results file of a board: aggregates only, no topics

tot and ir_measures have the same four columns in another order, so their format must be named. The topic
``all`` is an aggregate; aggregates are kept apart from topics. A folder means the files in it. All errors
are listed at once: values that are not finite numbers, the same (run, topic, measure) twice, lines of the
wrong shape.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from argue_bench.analysis.score_layouts import likely_layout
from argue_bench.errors import Code, DataError, Finding, UnknownName
from argue_bench.metrics import Metric
from argue_bench.records.display import describe
from argue_bench.records.untrusted import GOLD_LIMITS, Limits, open_bounded, read_json, read_lines

AGGREGATE = "all"
LIMITS = Limits(line_bytes=100_000, file_bytes=1 << 32)
MOST_FINDINGS = 50
NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?")


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
    """The table of these rows. Raises DataError where one (run, topic, measure) occurs twice."""
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
                    f"run {row.run}, topic {row.topic}, measure {row.measure} occurs twice, first "
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
    """The scores in files or folders of one format; our own files and jsonl need no format.

    ``metrics`` are those of run files that are not in the catalogue. Raises DataError with every
    finding, UnknownName for an unknown format.
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
        raise DataError.of(Code.NO_SCORES, "the file holds no score", source)
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
    """The name of a run whose lines give none: the file's name without its extensions."""
    return path.name.removesuffix(".jsonl").removesuffix(".run")


def _start(path: Path) -> bytes:
    with open_bounded(path, GOLD_LIMITS, str(path)) as file:
        return file.read(4096).removeprefix(b"\xef\xbb\xbf").lstrip()


def _sniff(path: Path) -> str:
    """The format of a file that can be recognised. Raises DataError for others."""
    from argue_bench.eval.run import is_run_file

    if _start(path).startswith(b"{"):
        if is_run_file(path):
            return "run"
        return "results" if path.suffix == ".json" else "jsonl"
    guess = likely_layout(_start(path).decode("utf-8", "replace").splitlines())
    looks = f" Its first lines look like {guess.format}." if guess.format in FORMATS else ""
    raise DataError.of(
        Code.UNNAMED_FORMAT,
        "the format must be named: tot and ir_measures have the same four columns in another order",
        path,
        hint=f"Name one of: {', '.join(FORMATS)}.{looks}",
    )


Reader = Callable[[Path], Iterator[TopicScore | Finding]]


def read_columns(path: Path, *names: str) -> Iterator[tuple[int, dict[str, str]] | Finding]:
    """Line number and words by column of every line of words; a finding for lines of another shape."""
    label = str(path)
    with open_bounded(path, LIMITS, label) as file:
        for number, raw in enumerate(iter(lambda: file.readline(LIMITS.line_bytes + 1), b""), 1):
            if len(raw) > LIMITS.line_bytes:
                yield Finding(Code.LINE_TOO_LONG, "the line is too long", label, number)
                return
            try:
                words = raw.removeprefix(b"\xef\xbb\xbf").decode("utf-8").split()
            except UnicodeDecodeError:
                yield Finding(Code.NOT_UTF_8, "the line is not UTF-8", label, number)
                continue
            if number == 1 and _is_head(words, names):
                continue
            if len(words) == len(names):
                yield number, dict(zip(names, words, strict=True))
            elif words:
                why = f"the line has {len(words)} columns, expected {len(names)}: {' '.join(names)}"
                hint = "Check the line, and whether the format is the right one."
                yield Finding(Code.COLUMNS, why, label, number, hint=hint)


def _is_head(words: Sequence[str], names: Sequence[str]) -> bool:
    """Whether a first line holds column headings: it has a word in the column of the value."""
    at = names.index("value") if "value" in names and len(words) == len(names) else None
    return at is not None and words[at].casefold() in ("value", "v", "score")


def read_groups(path: Path) -> dict[str, str]:
    """The group of each run: a file of lines ``run group``, or one JSON object of both.

    Raises DataError with every finding.
    """
    if path.suffix == ".json":
        value = read_json(path)
        if not isinstance(value, dict) or not all(isinstance(g, str) for g in value.values()):
            raise DataError.of(Code.NOT_GROUPS, "expected one JSON object of run to group", path)
        return value
    groups: dict[str, str] = {}
    findings = []
    for item in read_columns(path, "run", "group"):
        if isinstance(item, Finding):
            findings.append(item)
            continue
        number, words = item
        run, group = words["run"], words["group"]
        if groups.setdefault(run, group) != group:
            why = f"the run {run} is in {groups[run]} and in {group}"
            hint = "Keep one of them."
            findings.append(Finding(Code.TWO_GROUPS, why, str(path), number, hint=hint))
    if not groups and not findings:
        findings.append(Finding(Code.NO_GROUPS, "the file names no group", str(path)))
    if findings:
        raise DataError(findings)
    return groups


def _columns(*names: str) -> Reader:
    """The reader of a format of words in columns; without a column ``run`` the file's name is the run."""

    def read(path: Path) -> Iterator[TopicScore | Finding]:
        for item in read_columns(path, *names):
            if isinstance(item, Finding):
                yield item
            else:
                number, words = item
                run = words.get("run", path.name)
                yield _score(run, words["topic"], words["measure"], words["value"], path, number)

    return read


def _jsonl(path: Path) -> Iterator[TopicScore | Finding]:
    keys = ("run_id", "topic_id", "measure", "value")
    for line in read_lines(path, LIMITS):
        if not line.ok:
            yield from line.findings
            continue
        if not line.read:
            continue
        found = line.value if isinstance(line.value, dict) else {}
        if lacking := [key for key in keys if key not in found]:
            why = f"the line lacks {', '.join(lacking)}"
            hint = f"Write one object a line with: {', '.join(keys)}."
            yield Finding(Code.COLUMNS, why, str(path), line.number, hint=hint)
        elif bad := [key for key in keys[:3] if type(found[key]) not in (str, int)]:
            why = f"{bad[0]} is {describe(found[bad[0]])}, expected a text"
            hint = "Write the names of run, topic and measure as texts."
            yield Finding(Code.NOT_A_NAME, why, str(path), line.number, hint=hint)
        else:
            run, topic, measure = (str(found[key]) for key in keys[:3])
            yield _score(run, topic, measure, found["value"], path, line.number)


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
                if value == value:  # NaN: the score does not apply to this question
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
            where, why = f"$.settings.{setting:.80}.scores", "expected an object of scores"
            hint = "Fetch the board's results file again."
            yield Finding(Code.NOT_RESULTS, why, str(path), path=where, hint=hint)
            continue
        for key, score in scores.items():
            if score.get("value") is not None:  # a score that was not counted is not 0
                measure = key if len(settings) == 1 else f"{setting}:{key}"
                yield _score(data["system"], AGGREGATE, measure, score["value"], path)


FORMATS: dict[str, Reader] = {
    "trec_eval": _columns("measure", "topic", "value"),
    "tot": _columns("run", "measure", "topic", "value"),
    "ir_measures": _columns("run", "topic", "measure", "value"),
    "rag4reports": _columns("topic", "run", "measure", "value"),
    "ranking": _columns("topic", "Q0", "run", "rank", "value", "measure"),
    "jsonl": _jsonl,
    "run": _run,
    "results": _results,
}


def _score(
    run: str, topic: str, measure: str, value: Any, path: Path, line: int | None = None
) -> TopicScore | Finding:
    """The score where its value is a finite number, or else a finding."""
    text = isinstance(value, str) and NUMBER.fullmatch(value)
    if text or (isinstance(value, int | float) and not isinstance(value, bool)):
        number = float(value)
        if abs(number) < float("inf"):
            return TopicScore(run, topic, measure, number, str(path), line)
    why = f"the value is {describe(value)}, expected a finite number"
    hint = "Write a number, or leave the line out: it then counts as missing."
    return Finding(Code.NOT_A_NUMBER, why, str(path), line, hint=hint)


def _raise(findings: Sequence[Finding]) -> None:
    if not findings:
        return
    shown = list(findings[:MOST_FINDINGS])
    if len(findings) > MOST_FINDINGS:
        shown.append(Finding(Code.MORE, f"and {len(findings) - MOST_FINDINGS} more findings"))
    raise DataError(shown)
