"""The passages that nuggets are drafted from: documents of a question, or reports of several
systems on it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from argue_bench.loaders.dataset import Dataset
from argue_bench.records import Answer, Document, Question, Source
from argue_bench.retrieval import Corpus

# Documents that are looked up for a question which lists none.
FOUND = 20


@dataclass(frozen=True)
class Topic:
    """A question and the passages that are read for it, in their order.

    ``cites``: by passage, what each of its sentences cites; those documents are then a nugget's
    references, in place of the passage itself.
    """

    id: str
    question: str
    passages: tuple[Source, ...]
    cites: Mapping[str, Mapping[str, tuple[str, ...]]] = field(default_factory=dict)


def topics_of(dataset: Dataset, found: int = FOUND) -> list[Topic]:
    """A topic for each question of a data set, with the documents that it lists.

    A question that lists none gets the ``found`` documents that BM25 ranks first.
    """
    corpus: Corpus | None = None
    topics = []
    for question in dataset:
        ids: Iterable[str] = question.documents
        if not ids and dataset.documents:
            corpus = corpus or Corpus(dataset.documents.values())
            ranked = (one.document for one in corpus.best(_words(question), 5 * found))
            ids = list(dict.fromkeys(ranked))[:found]
        documents = [dataset.documents[id] for id in ids if id in dataset.documents]
        topics.append(Topic(question.id, _words(question), tuple(map(Source.of, documents))))
    return topics


def topics_of_reports(
    questions: Iterable[Question],
    reports: Iterable[Answer],
    documents: Mapping[str, Document] | None = None,
) -> list[Topic]:
    """A topic for each question that a report answers; its passages are the reports, by run.

    A nugget's references are the documents that its sentences cite, where they are in ``documents``
    (anything is, where that is None).
    """
    pooled: dict[str, list[Answer]] = {}
    for report in reports:
        pooled.setdefault(report.id, []).append(report)
    topics = []
    for question in questions:
        passages: list[Source] = []
        cites: dict[str, dict[str, tuple[str, ...]]] = {}
        for number, report in enumerate(pooled.get(question.id, ()), 1):
            if report.empty:
                continue
            name = f"{report.run or 'report'}-{number}"
            passages.append(Source(name, report.plain or report.text))
            cites[name] = {
                sentence.plain: tuple(
                    id for id in sentence.citations if documents is None or id in documents
                )
                for sentence in report.sentences
            }
        if passages:
            topics.append(Topic(question.id, _words(question), tuple(passages), cites))
    return topics


def _words(question: Question) -> str:
    """The wording of the question, from the request where it has some."""
    request = question.request
    return (request.problem_statement if request else "") or question.text
