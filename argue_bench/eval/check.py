"""`check`: one answer beside its contexts, judged in this process as `evaluate` judges a row."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from html import escape
from typing import Any

from argue_bench.errors import DataError, JudgeError
from argue_bench.eval.judging import DEFAULT_JUDGE, JudgeLike, judges_for, prepare, run_now
from argue_bench.eval.report import Report
from argue_bench.loaders.rows import read_rows
from argue_bench.loaders.rows.columns import read_contexts
from argue_bench.metrics.base import Tallies
from argue_bench.metrics.citations.support import contexts_of, nearest, statements
from argue_bench.records import NOT_APPLICABLE, Answer, Documents, Miss, NotJudged, Question
from argue_bench.text.statements import claim_sentences

_METRIC = "faithfulness"
# What is said of a sentence that the metric did not miss.
_SUPPORTED = Miss("sentence", "", "", "", "supported")
_SILENT = "it states nothing by itself"
_SIGNS = {True: "+", False: "-", None: " "}


@dataclass(frozen=True)
class CheckedStatement:
    """A sentence of an answer, which stands there from ``start`` to ``end``, in characters.

    ``supported`` is None where nobody judged it: it states nothing, the answer declines, or the judge does not
    read its language. ``kind`` is "supported", one of the classes of `FailedSentence.lack` ("contradicted",
    "partly", "missing", "nothing") or "not judged", and ``reason`` says why in words. ``probability`` is how often flags
    like this one are right on people's labels, None where there is no flag or nobody measured it.
    ``source`` is the place in ``contexts``, from 0, of the one that holds most of its words; None where none does.
    """

    text: str
    start: int
    end: int
    supported: bool | None
    probability: float | None = None
    kind: str = "supported"
    source: int | None = None
    reason: str = ""


@dataclass(frozen=True)
class Check:
    """The sentences of an answer, and the report that `evaluate` makes of it as a row."""

    statements: tuple[CheckedStatement, ...]
    report: Report = field(repr=False)

    @property
    def score(self) -> float | None:
        """The share of statements that the contexts support, ``faithfulness.supported``; None where nothing was judged."""
        return self.report.value(f"{_METRIC}.supported")

    def to_dict(self) -> dict[str, Any]:
        """The score, its signature and the statements as plain data, ready for JSON."""
        return {
            "score": self.score,
            "signature": str(self.report.signature[_METRIC]),
            "statements": [asdict(one) for one in self.statements],
        }

    def __str__(self) -> str:
        """A line for each sentence: + supported, - not supported, blank not judged; then why."""
        judged = [one.supported for one in self.statements if one.supported is not None]
        lines = [f"{judged.count(True)} of {len(judged)} statements are supported"]
        for one in self.statements:
            lines += [
                f"{_SIGNS[one.supported]} {one.text}",
                *[f"    {one.reason}"] * bool(one.reason),
            ]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        """The lines for a notebook. Every text is escaped: an answer may come from strangers."""
        return f"<pre>{escape(str(self))}</pre>"


def check(
    answer: str, contexts: Any, question: str = "", judge: JudgeLike = DEFAULT_JUDGE
) -> Check:
    """Which sentences of one answer its contexts support, also where an event loop is running.

    See `acheck` for the parameters and the errors.
    """
    return run_now(acheck(answer, contexts, question, judge))


async def acheck(
    answer: str, contexts: Any, question: str = "", judge: JudgeLike = DEFAULT_JUDGE
) -> Check:
    """Which sentences of one answer its contexts support: the verdicts of `evaluate` on the same row.

    * ``answer``: a text, or a saved response of a provider, as a row may hold it.
    * ``contexts``: a list of texts, objects with a text (``{"id", "text"}``) or documents of LangChain or LlamaIndex.
    * ``question``: what was asked, where anything was; words that it gives need no support.
    * ``judge``: a spec, a judge or a function, as `evaluate` takes it.

    Raises DataError (no text, contexts that cannot be read), UnknownName, UsageError, MissingExtra, and JudgeError
    where the judge fails on a sentence.
    """
    rows = read_rows([{"question": question, "contexts": contexts, "answer": answer}], unasked=True)
    if any(one.level == "error" for one in rows.findings):
        raise DataError(rows.findings)
    ready = prepare(rows.dataset, rows.answers, [_METRIC], judge=judge)
    report = await ready.run(judges_for(ready.selection.metrics, judge, {}))
    ((asked, read),) = ready.pairs
    tallies = report.per_question[asked.id][_METRIC]
    if tallies is None:
        raise JudgeError(report.failures[0])
    texts = [(one.title, one.text) for one in read_contexts(contexts)]
    documents = rows.dataset.documents
    # A text that comes twice is one document, so the first of them counts.
    places = {
        one.id: texts.index((one.title, one.text))
        for one in contexts_of(asked, read, documents).documents
    }
    return Check(tuple(_checked(asked, read, documents, places, tallies)), report)


def _checked(
    question: Question,
    answer: Answer,
    documents: Documents,
    places: Mapping[str, int],
    tallies: Tallies,
) -> Iterator[CheckedStatement]:
    """Each sentence with what the metric's ``tallies`` say of it; ``places`` are those of the documents by id."""
    tally = tallies.get("supported", NOT_APPLICABLE)
    # Why nothing was judged stands with whichever tally counts it; a sentence left out beside judged ones is silent.
    whole = (
        [tallies.reason] if isinstance(tallies, NotJudged) else [t.note for t in tallies.values()]
    )
    why = _SILENT if tally.applies else next(filter(None, whole), _SILENT)
    stated = claim_sentences(answer.sentences, question.text) if tally.applies else ()
    judged = {one.number: one for one in statements(question, answer, stated)}
    missed = {int(one.id): one for one in tally.misses}
    sources = contexts_of(question, answer, documents)
    for number, one in enumerate(answer.sentences, 1):
        place = (one.text, one.start, one.end)
        if number not in judged:
            yield CheckedStatement(*place, None, kind="not judged", reason=why)
            continue
        text, miss = judged[number].text, missed.get(number, _SUPPORTED)
        near = [places[of.id] for of in nearest(text, sources.read_for(text))]
        yield CheckedStatement(
            *place,
            number not in missed,
            miss.probability,
            miss.lack,
            next(iter(near), None),
            miss.reason,
        )
