"""The run file: what `evaluate` writes, and what compare, view and power read.

JSON Lines: a header (set, metrics, signatures, store), then a line for each case with the answer, its
tallies, the keys of its requests, and failures. The verdicts are in the store that the header names.
The file holds no times and no paths of the machine: the same work writes the same bytes.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from argue_bench.errors import Code, DataError
from argue_bench.eval.driver import OnFailure, Outcome
from argue_bench.eval.report import Report, Score, Scores, score_all, with_intervals
from argue_bench.eval.signature import MOST_LEFT_OUT, Signature, sign
from argue_bench.eval.tally_rows import TallyRow
from argue_bench.judges import Judge, servers_of
from argue_bench.loaders.dataset import Dataset
from argue_bench.metrics import Metric, WholeMetric, find_metric
from argue_bench.metrics.base import Tallies, tallies_from_json, tallies_to_json
from argue_bench.records import Answer, Sentence, Tally
from argue_bench.records.atomic import atomic_write
from argue_bench.records.untrusted import GOLD_LIMITS, read_lines
from argue_bench.stats.averages import columns_of
from argue_bench.stats.clusters import number_clusters

if TYPE_CHECKING:
    from argue_bench.eval.people.corrections import Correction
    from argue_bench.eval.people.labelling import Labelling

FORMAT = 1


@dataclass(frozen=True)
class Header:
    """The first line of a run file: the values that hold for all of its lines."""

    dataset: str
    digest: str
    metrics: tuple[str, ...]
    signature: Mapping[str, Mapping[str, str]]
    on_failure: str = "refuse"
    store: str = ""
    """The verdict store, relative to the run file; empty where none was kept."""
    format: int = FORMAT
    most_left_out: float = MOST_LEFT_OUT
    """The share of failed questions up to which ``leave-out`` leaves them out."""
    source: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """What the data set was loaded from (`argue_bench.loaders.source`)."""
    served: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """By language model: the servers that answered, each with the model and build that it said it is."""


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
    labelling: Labelling | None = None,
) -> Header:
    """The header of a run file, with a signature for each metric; ``parts`` go into each of them.

    ``labelling``: what people said of the cases so far.
    """
    metrics = tuple(metrics)
    signatures: dict[str, Mapping[str, str]] = {}
    for metric in metrics:
        signed = sign(
            metric,
            judges[metric.judge_name] if metric.requests else None,
            data=dataset.title,
            n=n,
            answers=answers,
            on_failure=on_failure,
            most_left_out=most_left_out,
        )
        signatures[str(metric)] = {**signed, **dataset.signed, **(parts or {})}
    if labelling is not None:
        signatures = labelling.signed(signatures)
    texts = tuple(str(metric) for metric in metrics if not isinstance(metric, WholeMetric))
    return Header(
        dataset.title,
        dataset.digest,
        texts,
        signatures,
        on_failure,
        most_left_out=most_left_out,
        source=dataset.source,
        served=servers_of(judges.values()),
    )


_NO_ANSWER = Answer("")
_NONE: Mapping[str, Any] = {}
"""Nothing of what most entries have nothing of: one for all of them."""


@cache  # one for all entries whose metrics made requests alike
def _asking(metrics: tuple[str, ...]) -> Mapping[str, tuple[str, ...]]:
    return dict.fromkeys(metrics, ("made",))


@dataclass(frozen=True, slots=True)
class Entry:
    """One case of a run file."""

    answer: Answer
    tallies: Mapping[str, Mapping[str, Tally] | None]
    requests: Mapping[str, tuple[str, ...]]
    failures: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """By metric, of metrics with any."""
    defaults: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """By metric: keys of failed requests with the default verdicts that they were given."""
    cluster: str = ""
    """The cluster of its question."""
    people: Mapping[str, Mapping[str, Tally]] = field(default_factory=dict)
    """By metric: the tallies under people's verdicts, where they labelled the whole answer."""
    pairing: tuple[str, ...] = ()
    """What its question, an own row, is paired by (`Question.pairing`)."""

    @property
    def tallied(self) -> Entry:
        """The same without its answer and the keys of its requests. Scores need neither, only which
        metrics made any."""
        return replace(
            self,
            answer=_NO_ANSWER,
            requests=_asking(tuple(text for text, keys in self.requests.items() if keys)),
            failures=self.failures or _NONE,
            defaults=self.defaults or _NONE,
            people=self.people or _NONE,
        )

    @classmethod
    def of(cls, outcome: Outcome) -> Entry:
        """The entry of one case from the results of the driver."""
        counted = outcome.counted
        return cls(
            outcome.case.answer,
            {
                text: None if one.tallies is None else TallyRow(one.tallies)
                for text, one in counted.items()
            },
            {text: tuple(request.key for request in one.requests) for text, one in counted.items()},
            {text: one.failures for text, one in counted.items() if one.failures},
            {text: one.defaults for text, one in counted.items() if one.defaults},
            outcome.case.question.cluster,
            pairing=outcome.case.question.pairing,
        )


def store_name(store: Path, run: Path) -> str:
    """Where a verdict store is, seen from the run file, so that both can be moved together."""
    return Path(os.path.relpath(store.resolve(), run.parent.resolve())).as_posix()


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
                [sentence.text, *sentence.citations] for sentence in entry.answer.sentences
            ],
        },
        "metrics": {},
    }
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


def labelled_line(
    entry: Entry, line: str, people: Callable[[Mapping[str, Sequence[str]]], Mapping[str, Any]]
) -> tuple[Entry, str]:
    """An entry with its line, to which what ``people`` make of its requests is added.

    ``people`` gives tallies by metric text for the keys of requests by metric text.
    """
    value = json.loads(line)
    requests = {text: tuple(found["requests"]) for text, found in value["metrics"].items()}
    given = people(requests)
    for text, tallies in given.items():
        value["metrics"][text]["people"] = tallies_to_json(tallies)
    return replace(entry, requests=requests, people=given), _line(value)


def _line(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")) + "\n"


def rewrite_header(path: Path, final: Header) -> None:
    """Gives a run file the signatures and servers of another header; all else stays. Raises DataError."""
    header = replace(read_header(path), signature=dict(final.signature), served=dict(final.served))
    with path.open(encoding="utf-8") as before, atomic_write(path) as file:
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
        raise DataError.of(Code.RUN_FORMAT, about, path, 1)
    return validate(strict(Header), header, Code.NOT_A_RUN_FILE, path, 1)


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
            sentences = tuple(
                Sentence(text, tuple(ids)) for text, *ids in map(_texts, answer["sentences"])
            )
            id, text, run, cluster = _texts(
                [answer["id"], answer["text"], answer["run"], line.value.get("cluster", "")]
            )
            defaults = {
                text: dict(one["defaults"]) for text, one in found.items() if "defaults" in one
            }
            _texts([word for given in defaults.values() for pair in given.items() for word in pair])
            entry = Entry(
                Answer(id, text, sentences, run),
                {
                    text: None
                    if one["tallies"] is None
                    else TallyRow(tallies_from_json(one["tallies"]))
                    for text, one in found.items()
                },
                {text: _texts(one["requests"]) for text, one in found.items()},
                {text: _texts(one["failures"]) for text, one in found.items() if "failures" in one},
                defaults,
                cluster,
                {
                    text: tallies_from_json(one["people"])
                    for text, one in found.items()
                    if "people" in one
                },
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


def _texts(values: Any) -> tuple[str, ...]:
    """A list of texts, frozen. Raises TypeError where it is anything else."""
    if not isinstance(values, list) or not all(isinstance(one, str) for one in values):
        raise TypeError("not a list of texts")
    return tuple(values)


def read_reports(
    path: Path, resamples: int = 0, metrics: Sequence[Metric] = ()
) -> dict[str, Report]:
    """A report for each run of a run file, from its stored tallies, without judging anything.

    ``metrics``: those of the run outside the catalogue. Raises DataError; UsageError if one is missing.
    """
    header = read_header(path)
    found = [find_metric(text, metrics, path) for text in header.metrics]
    runs: dict[str, dict[str, Entry]] = {}
    for entry in read_entries(path):
        runs.setdefault(entry.answer.run, {})[entry.answer.id] = entry.tallied
    return {run: report_of(header, found, run, entries, resamples) for run, entries in runs.items()}


def report_of(
    header: Header,
    metrics: Sequence[Metric],
    system: str,
    entries: Mapping[str, Entry],
    resamples: int,
) -> Report:
    """The report of one run, averaged from the tallies of its entries by question id."""
    rows = [
        (metric, [entry.tallies.get(text) for entry in entries.values()])
        for metric, text in zip(metrics, map(str, metrics), strict=True)
    ]
    scores: dict[str, Score] = {}
    clusters = number_clusters(entry.cluster for entry in entries.values())
    for metric, tallies in rows:
        scores |= score_all(metric, tallies, header.on_failure, header.most_left_out, clusters)
    if resamples:
        scores = with_intervals(scores, rows, resamples, clusters)
    people: dict[str, dict[str, Tallies]] = {}
    corrected: dict[str, Correction] = {}
    if any(entry.people for entry in entries.values()):
        # Few runs have labels, and what reads them takes time to import.
        from argue_bench.eval.people.corrections import corrections
        from argue_bench.eval.people.labelling import labelled_rows

        people = labelled_rows(entries, metrics)
        for metric, tallies in rows if resamples else ():
            text = str(metric)
            if "labels" in header.signature[text]:
                given = [people.get(id, {}).get(text) for id in entries]
                averages = metric.averages(columns_of(tallies))
                found = corrections(averages, tallies, given, clusters, resamples)
                corrected |= {f"{text}.{name}": one for name, one in found}
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
        clusters={id: entry.cluster for id, entry in entries.items() if entry.cluster},
        people=people,
        corrected=corrected,
        pairing={id: entry.pairing for id, entry in entries.items() if entry.pairing},
    )
