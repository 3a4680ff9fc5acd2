"""What was judged, from a run file and its verdict store: documents, asks, verdicts of each report.

The store holds every ask with its texts, so neither the collection nor a judge is needed: reports can
be counted under other rules, and written as Auto-ARGUE's judgments. An ask that nobody answered then
is a finding, never a guess.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from argue_bench.errors import Code, DataError
from argue_bench.eval.run import Entry, Header, read_entries, read_header
from argue_bench.loaders.auto_argue import Judgments
from argue_bench.loaders.dataset import Dataset
from argue_bench.metrics import parse
from argue_bench.metrics.argue import Argue, judge_report
from argue_bench.metrics.argue.auto_argue import as_judgments
from argue_bench.metrics.base import NotJudged, replay, tally_steps
from argue_bench.records import (
    Answer,
    Document,
    Entails,
    JudgeRequest,
    Question,
    Relevant,
    Source,
    Tally,
    Verdict,
)
from argue_bench.store import Author, Store

_WITHOUT = re.compile(r"(?: (?:\d+\.)*without:[a-z_]+(?:, [a-z_]+)*)+\Z")
"""What a signature says of parameters that servers refused; the judge's row in a store is without."""


@dataclass(frozen=True)
class Rebuilt:
    """One report with all that was said about it."""

    question: Question
    answer: Answer
    documents: Mapping[str, Document]
    verdicts: Mapping[JudgeRequest, Verdict]


def rebuild(path: Path, dataset: Dataset, text: str) -> Iterator[tuple[Answer, Rebuilt | None]]:
    """Every report of a run file as the metric of this text had it judged; None where it failed.

    Raises DataError: no store beside the run file, another data set, a topic without nuggets.
    """
    header = read_header(path)
    if header.digest != dataset.digest:
        raise DataError.of(
            Code.OTHER_DATA,
            f"the run file was made on {header.dataset}, not {dataset.title}",
            path,
            hint="Name the nuggets (and requests, qrels) that it was made with.",
        )
    with Store(store_of(path, header), write=False) as store:
        judge = _judge(store, header.signature.get(text, {}).get("judge", ""), path)
        for entry in read_entries(path):
            if entry.tallies.get(text) is None:
                yield entry.answer, None
            else:
                yield entry.answer, _rebuilt(entry, dataset, text, store, judge)


def recount(
    path: Path, dataset: Dataset, text: str, metric: Argue
) -> Iterator[tuple[str, str, Mapping[str, Tally] | None]]:
    """Run, topic and tallies under another metric, from the verdicts that are there.

    Raises DataError with the first asks that it wants and nobody answered.
    """
    for answer, rebuilt in rebuild(path, dataset, text):
        yield answer.run, answer.id, None if rebuilt is None else _tallies(rebuilt, metric, path)


def judgments(path: Path, dataset: Dataset, text: str) -> Iterator[Judgments]:
    """The reports of a run file as Auto-ARGUE's judgments; failed and missing ones are left out."""
    metric = parse(text)
    assert isinstance(metric, Argue)  # noqa: S101  (for the type checker)
    evaluator = read_header(path).signature[text]["judge"]
    for answer, one in rebuild(path, dataset, text):
        if one is not None and answer.sentences:
            report = judge_report(
                one.question, answer, one.documents, one.verdicts, metric.decided, metric.support
            )
            yield as_judgments(report, answer, one.documents, evaluator)


def store_of(path: Path, header: Header) -> Path:
    """The verdict store that a run file names. Raises DataError where it names none."""
    if not header.store:
        raise DataError.of(Code.NO_STORE, "the run file names no verdict store", path)
    return path.parent / header.store


def as_stored(signed: str) -> str:
    """A judge in the words of a signature as its row in a store has it: without refused parameters."""
    return _WITHOUT.sub("", signed)


def _rebuilt(entry: Entry, dataset: Dataset, text: str, store: Store, judge: Author) -> Rebuilt:
    requests = [
        request for key in entry.requests[text] if (request := store.request(key)) is not None
    ]
    found = store.find(judge, requests)
    documents = {
        one.id: Document(one.id, one.text) for request in requests for one in _sources(request)
    }
    given = entry.defaults.get(text, {})
    found |= {key: Verdict(word, note="default") for key, word in given.items()}
    verdicts = {request: found[request.key] for request in requests if request.key in found}
    return Rebuilt(dataset.question(entry.answer.id), entry.answer, documents, verdicts)


def _sources(request: JudgeRequest) -> Iterable[Source]:
    if isinstance(request, Entails):
        return request.premise
    return (request.document,) if isinstance(request, Relevant) else ()


def _tallies(one: Rebuilt, metric: Argue, path: Path) -> Mapping[str, Tally]:
    try:
        return replay(tally_steps(metric, one.question, one.answer, one.documents), one.verdicts)
    except NotJudged as error:
        kinds = ", ".join(sorted({type(request).__name__ for request in error.requests}))
        raise DataError.of(
            Code.NOT_JUDGED,
            f"{metric} needs {len(error.requests):,} verdicts on {one.answer.run} {one.answer.id} "
            f"that the store does not have ({kinds})",
            path,
            hint="Annotate the reports under these rules; what is stored is not asked again.",
        ) from None


def _judge(store: Store, signed: str, path: Path) -> Author:
    """The judge of the store whose name and identity stand in the signature."""
    for row in store.judges():
        identity = [f"{key}:{value}" for key, value in row.identity.items()]
        if " ".join([row.name, *identity]) == as_stored(signed):
            return row
    raise DataError.of(
        Code.NO_SUCH_JUDGE,
        f"the store has no verdicts of {signed!r}",
        path,
        hint="Is it the store that was written with this run file?",
    )
