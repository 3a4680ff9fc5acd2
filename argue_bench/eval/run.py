"""The run file: what `evaluate` writes, and what compare, view and power read.

JSON Lines: a header (set, metrics, signatures, store), then a line for each case with the answer, its
tallies, the keys of its requests, and failures. The verdicts are in the store that the header names.
The file holds no times and no paths of the machine: the same work writes the same bytes.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, aclosing, contextmanager
from dataclasses import asdict, dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import Any

from argue_bench.errors import Code, DataError, UsageError
from argue_bench.eval.driver import Case, OnFailure, Outcome, Progress, run_metrics
from argue_bench.eval.report import Report, Score, Scores, score_all
from argue_bench.eval.signature import MOST_LEFT_OUT, Signature, sign
from argue_bench.judges import Judge, servers_of
from argue_bench.loaders.dataset import Dataset
from argue_bench.loaders.source import relative_source, seen_from
from argue_bench.metrics import Metric, WholeMetric, find_metric
from argue_bench.metrics.base import Tallies, tallies_from_json, tallies_to_json
from argue_bench.records import Answer, NotJudged, Sentence
from argue_bench.records.atomic import atomic_write
from argue_bench.records.untrusted import GOLD_LIMITS, read_bounded, read_lines
from argue_bench.satellites import RESULT, SEASON, import_text
from argue_bench.stats.bootstrap import number_groups
from argue_bench.stats.proportion import is_share
from argue_bench.text.language import UNKNOWN, detect
from argue_bench.text.tasks import task_of

# The version of run files: another one is refused.
FORMAT = 2


# Questions of a set, and documents of each, by which its kind of task is told.
_QUESTIONS, _DOCUMENTS = 200, 20


def task_of_set(dataset: Dataset) -> str:
    """The commonest task of the questions of a data set; empty where most are in another language than
    English, in which no answers were labelled, or have no contexts of their own."""
    found: Counter[str] = Counter()
    for question in islice(dataset.questions, _QUESTIONS):
        ids = [id for id in question.documents[:_DOCUMENTS] if id in dataset.documents]
        texts = [dataset.documents[id].text for id in ids]
        english = detect("\n".join([question.text, *texts])) in ("en", UNKNOWN)
        task = "reports" if question.request else task_of(question.text, texts)
        found[task if english else ""] += 1
    return found.most_common(1)[0][0] if found else ""


@dataclass(frozen=True)
class Header:
    """The first line of a run file: the values that hold for all of its lines."""

    dataset: str
    digest: str
    metrics: tuple[str, ...]
    signature: Mapping[str, Mapping[str, str]]
    on_failure: str = "refuse"
    # The verdict store, relative to the run file; empty where none was kept.
    store: str = ""
    format: int = FORMAT
    # The share of failed questions up to which ``leave-out`` leaves them out.
    most_left_out: float = MOST_LEFT_OUT
    # What the data set was loaded from (`argue_bench.loaders.source`).
    source: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    # By language model: the servers that answered, each with the model and build that it said it is.
    served: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    # What was asked (`task_of_set`), by which labels of answers like these are found.
    task: str = ""


def header_for(
    dataset: Dataset,
    metrics: Iterable[Metric],
    judges: Mapping[str, Judge],
    *,
    n: int | str,
    answers: str,
    on_failure: OnFailure,
    most_left_out: float = MOST_LEFT_OUT,
    parts: Mapping[str, str] | None = None,
) -> Header:
    """The header of a run file, with a signature for each metric; ``parts`` go into each of them.

    ``n`` is the number of questions as signatures write it, ``answers`` which of them were scored
    ("all", "answered", "all, cut").
    """
    metrics = tuple(metrics)
    signed = {
        str(metric): sign(
            metric,
            judges[metric.judge_name] if metric.requests else None,
            data=dataset.title,
            n=n,
            answers=answers,
            on_failure=on_failure,
            most_left_out=most_left_out,
        )
        for metric in metrics
    }
    more = {**dataset.signed, **(parts or {})}
    # A metric of all answers together has no tallies, so the lines of the file do not know it.
    texts = tuple(str(metric) for metric in metrics if not isinstance(metric, WholeMetric))
    return Header(
        dataset.title,
        dataset.digest,
        texts,
        {text: {**own, **more} for text, own in signed.items()},
        on_failure,
        most_left_out=most_left_out,
        source=dataset.source,
        served=servers_of(judges.values()) if judges else {},
        task=task_of_set(dataset),
    )


@dataclass(frozen=True, slots=True)
class Entry:
    """One case of a run file."""

    answer: Answer
    tallies: Mapping[str, Tallies | None]
    requests: Mapping[str, tuple[str, ...]]
    # By metric, of metrics with any.
    failures: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    # By metric: keys of failed requests with the default verdicts that they were given.
    defaults: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    # The cluster of its question.
    cluster: str = ""
    # What its question, an own row, is paired by (`Question.pairing`).
    pairing: tuple[str, ...] = ()

    @property
    def counted(self) -> Entry:
        """What a report needs of it: without answer and requests, whose keys take most of its memory."""
        return replace(self, answer=Answer(self.answer.id, run=self.answer.run), requests={})

    @classmethod
    def of(cls, outcome: Outcome) -> Entry:
        """The entry of one case from the results of the driver."""
        counted = outcome.counted
        return cls(
            outcome.case.answer,
            {text: one.tallies for text, one in counted.items()},
            {text: tuple(request.key for request in one.requests) for text, one in counted.items()},
            {text: one.failures for text, one in counted.items() if one.failures},
            {text: one.defaults for text, one in counted.items() if one.defaults},
            outcome.case.question.cluster,
            pairing=outcome.case.question.pairing,
        )


async def run_cases(
    cases: Iterable[Case],
    metrics: Sequence[Metric],
    judges: Mapping[str, Judge],
    header_of: Callable[[Mapping[str, Judge]], Header],
    take: Callable[[Case, Entry], object],
    *,
    on_failure: OnFailure = "refuse",
    out: str | Path | None = None,
    store: str | Path | None = None,
    progress: Progress | None = None,
) -> Header:
    """Drives the metrics over the cases and hands each with its entry to ``take``, in order.

    ``out`` is the run file to write, ``store`` where verdicts are kept (OUT.verdicts by default).
    Returns the header with the signatures as they are after judging. Raises what `run_metrics`
    raises, and DataError for a store or a disk that can't be used.
    """
    header = header_of(judges)
    unread = Counter[str]()
    with ExitStack() as stack:
        write: Callable[[str], object] | None = None
        if out is not None or store is not None:
            from argue_bench.judges.stored import Stored
            from argue_bench.store import Store

            place = Path(store or f"{out}.verdicts")
            opened = stack.enter_context(Store(place))
            judges = {name: Stored(judge, opened) for name, judge in judges.items()}
            if out is not None:
                source = relative_source(header.source, Path(out))
                # Relative paths, so that all can be moved together.
                header = replace(header, store=seen_from(Path(out).parent, place), source=source)
                write = stack.enter_context(write_run(Path(out), header))
        driven = run_metrics(cases, metrics, judges, on_failure, progress)
        async with aclosing(driven) as outcomes:  # before the store: what is under way comes in
            async for outcome in outcomes:
                entry = Entry.of(outcome)
                if write is not None:
                    write(entry_line(entry))
                take(outcome.case, entry)
                unread.update(t for t, made in entry.tallies.items() if isinstance(made, NotJudged))
        # A server may have refused a parameter that the judge's identity promised, or another model
        # may have answered: only after judging is it known how the scores were made.
        after = header_of(judges)
    signed = {
        text: {**parts, **({"not-judged": str(unread[text])} if unread[text] else {})}
        for text, parts in after.signature.items()
    }
    final = replace(header, signature=signed, served=after.served)
    if out is not None and final != header:
        rewrite_header(Path(out), final)
    return final


def run_name(path: Path) -> str:
    """The name of a run whose lines give none: the file's name without its extensions."""
    return path.name.removesuffix(".jsonl").removesuffix(".run")


@contextmanager
def write_run(path: Path, header: Header) -> Iterator[Callable[[str], object]]:
    """A function that writes the line of one case after another (`entry_line`); the file is at its place
    when all are written."""
    with atomic_write(path) as file:
        file.write(_line({"header": asdict(header)}))
        yield file.write


def entry_line(entry: Entry) -> str:
    """The line of a run file for one case."""
    line: dict[str, Any] = {
        "answer": {
            "id": entry.answer.id,
            "run": entry.answer.run,
            "text": entry.answer.text,
            "sentences": [
                [one.start, one.end, one.plain, one.lead, *one.citations]
                for one in entry.answer.sentences
            ],
        },
        "metrics": {},
    }
    # What most entries have nothing of is left out: a run file may have a million lines.
    if entry.cluster:
        line["cluster"] = entry.cluster
    if entry.pairing:
        line["pairing"] = list(entry.pairing)
    for text, tallies in entry.tallies.items():
        found: dict[str, Any] = {
            "tallies": None if tallies is None else tallies_to_json(tallies),
            "requests": list(entry.requests[text]),
        }
        if failures := entry.failures.get(text):
            found["failures"] = list(failures)
        if defaults := entry.defaults.get(text):
            found["defaults"] = dict(defaults)
        line["metrics"][text] = found
    return _line(line)


def _line(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")) + "\n"


def rewrite_header(path: Path, final: Header) -> None:
    """Gives a run file the signatures and servers of another header; all else stays. Raises DataError."""
    # Only the first line changes, but a longer one needs a new file: the others are copied as they are.
    header = replace(read_header(path), signature=dict(final.signature), served=dict(final.served))
    # Windows replaces no file that is open, so the old one is closed first.
    with atomic_write(path) as file, path.open(encoding="utf-8") as before:
        next(before)
        file.write(_line({"header": asdict(header)}))
        file.writelines(before)


def read_header(path: Path) -> Header:
    """The header of a run file. Raises DataError where the file is not a run file."""
    # Read here: models need pydantic, which takes time to import.
    from argue_bench.records.validation import strict, validate

    first = next(iter(read_lines(path, GOLD_LIMITS)), None)
    value = first.value if first is not None else None
    header = value.get("header") if isinstance(value, dict) else None
    if not isinstance(header, dict):
        hint = "Make one with: argue-bench evaluate ... --out RUN"
        raise DataError.of(Code.NOT_A_RUN_FILE, "this is not a run file", path, 1, hint=hint)
    if header.get("format") != FORMAT:
        about = f"the run file has format {header.get('format')!r}, this version reads {FORMAT}"
        raise DataError.of(Code.OTHER_VERSION, about, path, 1)
    return validate(strict(Header), header, Code.NOT_A_RUN_FILE, path, 1)


def is_run_file(path: Path) -> bool:
    """Whether a file starts like a run file; a folder is none."""
    if path.is_dir():
        return False
    try:
        read_header(path)
    except DataError as error:
        # A run file of another format is one all the same: whoever reads it says what is wrong.
        if any(finding.code == Code.NOT_A_RUN_FILE for finding in error.findings):
            return False
        raise
    return True


def read_entries(path: Path) -> Iterator[Entry]:
    """The cases of a run file, one in memory at a time.

    Raises DataError at a broken line, and at a second one of the same run on the same question.
    """
    header = read_header(path)
    seen: set[tuple[str, str]] = set()
    for line in read_lines(path, GOLD_LIMITS):
        if not line.ok:
            raise DataError(line.findings)
        if line.blank or line.number == 1:  # the header, which `read_header` reads
            continue
        try:
            # Checked by hand, since a run file may have a million lines. Raises one of the errors below.
            answer = line.value["answer"]
            found = {text: line.value["metrics"][text] for text in header.metrics}
            id, text, run, cluster = _texts(
                [answer["id"], answer["text"], answer["run"], line.value.get("cluster", "")]
            )
            sentences = tuple(
                _sentence(text, start, end, _texts([plain, lead, *ids]))
                for start, end, plain, lead, *ids in answer["sentences"]
            )
            defaults = {
                text: dict(one["defaults"]) for text, one in found.items() if "defaults" in one
            }
            _texts([word for given in defaults.values() for pair in given.items() for word in pair])
            entry = Entry(
                Answer(id, text, sentences, run),
                {
                    text: None if one["tallies"] is None else tallies_from_json(one["tallies"])
                    for text, one in found.items()
                },
                {text: _texts(one["requests"]) for text, one in found.items()},
                {text: _texts(one["failures"]) for text, one in found.items() if "failures" in one},
                defaults,
                cluster,
                _texts(line.value.get("pairing", [])),
            )
        except (KeyError, TypeError, AttributeError, ValueError):
            raise DataError.of(
                Code.NOT_A_RUN_FILE, "this line is not of a run file", path, line.number
            ) from None
        case = (entry.answer.run, entry.answer.id)
        if case in seen:
            about = f"{case[1]!r:.80} of the run {case[0]!r:.80} occurs twice"
            raise DataError.of(Code.DUPLICATE_ID, about, path, line.number, hint="Keep one.")
        seen.add(case)
        yield entry


def _sentence(text: str, start: int, end: int, texts: tuple[str, ...]) -> Sentence:
    """The sentence that stands there. Raises TypeError or ValueError where nothing can."""
    if not 0 <= start <= end <= len(text):
        raise ValueError("not a place in the answer")
    return Sentence(text[start:end], texts[2:], start, end, *texts[:2])


def _texts(values: Any) -> tuple[str, ...]:
    """A list of texts, frozen. Raises TypeError where it is anything else."""
    if not isinstance(values, list) or not all(isinstance(one, str) for one in values):
        raise TypeError("not a list of texts")
    return tuple(values)


def read_reports(path: Path, metrics: Sequence[Metric] = ()) -> dict[str, Report]:
    """A report without intervals for each run of a run file, from its stored tallies.

    ``metrics``: those of the run outside the catalogue. Raises DataError; UsageError if one is missing.
    """
    header = read_header(path)
    found = [find_metric(text, metrics, path) for text in header.metrics]
    # A file holds the runs of several systems where `auto-argue` judged a folder of reports.
    runs: dict[str, dict[str, Entry]] = {}
    for entry in read_entries(path):
        runs.setdefault(entry.answer.run, {})[entry.answer.id] = entry.counted
    if not runs:
        hint = "Evaluate again: the lines behind the header are gone."
        raise DataError.of(
            Code.NOT_A_RUN_FILE, "this run file holds no answers", path, 1, hint=hint
        )
    return {run: report_of(header, found, run, entries) for run, entries in runs.items()}


def report_of(
    header: Header, metrics: Sequence[Metric], system: str, entries: Mapping[str, Entry]
) -> Report:
    """The report of one run, averaged from the tallies of its entries by question id, without intervals."""
    scores: dict[str, Score] = {}
    named = {id: entry.cluster for id, entry in entries.items() if entry.cluster}
    groups = number_groups(named.get(id, "") for id in entries) if named else None
    for metric in metrics:
        tallies = [entry.tallies.get(str(metric)) for entry in entries.values()]
        scores |= score_all(metric, tallies, header.on_failure, header.most_left_out, groups)
    return Report(
        header.dataset,
        system,
        len(entries),
        Scores(scores),
        {text: Signature(parts) for text, parts in header.signature.items()},
        {id: entry.tallies for id, entry in entries.items()},
        failures=tuple(
            f"{id}: {text}: {failure}"
            for id, entry in entries.items()
            for text, failures in entry.failures.items()
            for failure in failures
        ),
        metrics={str(metric): metric for metric in metrics},
        groups=named,
        pairing={id: entry.pairing for id, entry in entries.items() if entry.pairing},
        task=header.task,
    )


def read_result(path: Path, setting: str = "") -> Report:
    """What a board's result file says of one setting, by default the board's first: shares, and no tallies.

    Left out are scores that are no shares of the set's questions, and what signatures call unknown. Raises
    DataError, and UsageError where setting or number of questions is not known.
    """
    place = path.absolute()
    result = import_text(RESULT)(read_bounded(path, GOLD_LIMITS), place)
    season = import_text(SEASON)(place.parents[2])
    setting = setting or next((one for one in season.settings if one in result.settings), "")
    one, n = result.settings.get(setting), season.set.questions
    if season.season != result.season or not n or one is None:
        raise UsageError(
            f"{path}: expected the season.json of {result.season} in {place.parents[2]}, with the number of its "
            f"questions, and a setting of {', '.join(result.settings)}, not {setting or 'none'}. Compare run files."
        )
    return Report(
        season.set.name,
        result.system,
        n,
        Scores({k: Score(s["value"], n=n) for k, s in one.scores.items() if is_share(s, n)}),
        {
            text: Signature(
                {"setting": setting}
                | {k: v.removesuffix("@unknown") for k, v in parts.items() if v != "unknown"}
            )
            for text, parts in one.signature.items()
        },
        {},
    )
