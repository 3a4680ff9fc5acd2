"""What did a system answer? Lines, TREC reports and records become one shape here.

    {"id": "q1", "answer": "It was built in 1931 [1]."}
    {"metadata": {"topic_id": "q1", "run_id": "r"}, "references": ["d1"],
     "responses": [{"text": "It was built in 1931.", "citations": ["d1"]}]}

TREC's tracks name the topic ``topic_id``, ``narrative_id``, ``request_id`` or ``turn_id``, in the
metadata or beside it, and the sentences ``responses`` or ``answer``; they cite by id, by a zero-based
index into ``references``, or by a mapping from id to score, which is not used.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from argue_bench.errors import Code, DataError, Finding, UsageError
from argue_bench.loaders.coverage import Findings, coverage
from argue_bench.loaders.dataset import Dataset
from argue_bench.loaders.trec.runs import check_text, id_of, kind_of, run_of, sentences_of
from argue_bench.records import Answer, Document, Question, Sentence
from argue_bench.records.untrusted import DEFAULT_LIMITS, Limits, Line, read_lines
from argue_bench.text import CitationIndex, read_answer

__all__ = [
    "AnswerInput",
    "answer_reader",
    "as_answers",
    "check_answer_file",
    "coverage",
    "read_answer_file",
]

AnswerInput = Mapping[str, Any] | Answer
"""One answer as people hand it in: a line, a TREC report, or the record itself."""

IN_MEMORY = "answers[]"
"""The file name in findings about answers that came from no file; the line is their place from 1."""
LARGE_COLLECTION = 100_000
"""Above this many documents a citation is resolved by id alone where a question lists none."""


@dataclass(frozen=True, slots=True)
class _Row:
    """One well-formed answer, before its text is read."""

    id: str
    text: str | None
    sentences: tuple[Sentence, ...] = ()
    run: str = ""


def as_answers(answers: Iterable[AnswerInput] | str | Path, dataset: Dataset) -> dict[str, Answer]:
    """The answers by question id, in the order given; a path is read as a file of JSON lines.

    Questions without an answer are nobody's error here. Raises DataError with every finding at once:
    wrong shapes, ids that are unknown or stand twice, what no file of answers may hold.
    """
    if isinstance(answers, str | Path):
        read, findings = read_answer_file(Path(answers), dataset)
    elif isinstance(answers, Mapping):
        raise UsageError(
            "answers are a list of {'id', 'answer'}, not one mapping; of a mapping from id to text "
            "make [{'id': id, 'answer': text} for id, text in answers.items()]"
        )
    elif not isinstance(answers, Iterable):
        raise UsageError(f"answers are a list of {{'id', 'answer'}}, not {answers!r:.40}")
    else:
        found = Findings(IN_MEMORY)
        read = _read(_given(answers, found), dataset, found)
        findings = found.all()
    if any(finding.level == "error" for finding in findings):
        raise DataError(findings)
    return read


def read_answer_file(
    path: Path, dataset: Dataset, limits: Limits = DEFAULT_LIMITS, name: str = ""
) -> tuple[dict[str, Answer], list[Finding]]:
    """The good answers of a file by question id, and all that is wrong with the rest.

    ``name`` stands for the path in findings. A file that cannot be opened is a finding too.
    """
    found = Findings(name or str(path))
    return _read(_lines(path, limits, found), dataset, found), found.all()


def check_answer_file(
    path: Path, ids: Container[str], limits: Limits = DEFAULT_LIMITS, name: str = ""
) -> tuple[set[str], list[Finding]]:
    """Which of the ids have a good answer in the file, and all that is wrong with it.

    Holds one line in memory and builds no answers.
    """
    found = Findings(name or str(path))
    seen: set[str] = set()
    for number, row in _lines(path, limits, found):
        if _admit(number, row.id, ids, seen, found):
            seen.add(row.id)
    return seen, found.all()


def answer_reader(dataset: Dataset) -> Callable[[Question, str], Answer]:
    """Reads texts as `as_answers` does, one after another."""
    index = _indexes(dataset)
    return lambda question, text: read_answer(
        question.id, text, index(question), question.language, ""
    )


def _read(
    rows: Iterator[tuple[int, _Row | Answer]], dataset: Dataset, found: Findings
) -> dict[str, Answer]:
    read: dict[str, Answer] = {}
    index = _indexes(dataset)
    for number, row in rows:
        if not _admit(number, row.id, dataset.by_id, read, found):
            continue
        if isinstance(row, Answer):
            read[row.id] = row
        elif row.text is None:
            text = " ".join(sentence.text for sentence in row.sentences)
            read[row.id] = Answer(row.id, text, row.sentences, row.run)
        else:
            question = dataset.by_id[row.id]
            read[row.id] = read_answer(
                row.id, row.text, index(question), question.language, row.run
            )
    return read


def _admit(
    number: int, id: str, known: Container[str], seen: Container[str], found: Findings
) -> bool:
    """Whether this answer counts: its question exists and has no answer yet."""
    if id in seen:
        found.add(
            Code.DUPLICATE_ID,
            f"the question {id[:80]!r} was answered before",
            number,
            "/id",
            "Keep one of the two; the first is read.",
        )
    elif id not in known:
        found.add(
            Code.UNKNOWN_ID,
            f"no question has the id {id[:80]!r}",
            number,
            "/id",
            "Copy the ids from the questions of this split; is it an answer to another one?",
        )
    else:
        return True
    return False


def _indexes(dataset: Dataset) -> Callable[[Question], CitationIndex]:
    """What a question's citations may name; that of the whole collection is made once.

    Numbers count the question's own documents, and a title names one of those before others.
    """
    whole: list[CitationIndex] = []

    def index(question: Question) -> CitationIndex:
        if question.documents:
            own = _index_of(dataset.documents_of(question), question.documents)
            if not dataset.collection:
                return own
        if not whole:
            whole.append(_index_of(dataset.documents, ()))
        if not question.documents:
            return whole[0]
        folded: Mapping[str, str] = ChainMap(own.folded, whole[0].folded)  # type: ignore[arg-type]
        return CitationIndex(own.numbered, whole[0].ids, folded, own.shapes | whole[0].shapes)

    return index


def _index_of(documents: Mapping[str, Document], numbered: Sequence[str]) -> CitationIndex:
    if len(documents) > LARGE_COLLECTION:
        return CitationIndex(numbered, ids=documents)
    titles = {id: document.title for id, document in documents.items()}
    return CitationIndex.of(numbered or titles, titles, numbered)


def _lines(path: Path, limits: Limits, found: Findings) -> Iterator[tuple[int, _Row]]:
    """The well-formed lines of a file, with their numbers."""
    empty = True
    try:
        for line in read_lines(path, limits, found.file):
            empty = empty and line.blank
            found.extend(line.findings)
            if line.ok and not line.blank and (row := _row_of(line, found)) is not None:
                yield line.number, row
    except DataError as error:
        found.extend(error.findings)
        return
    if empty:
        found.add(
            Code.EMPTY,
            "the file holds no answers",
            None,
            "",
            'Write one {"id": ..., "answer": ...} a line.',
        )


def _row_of(line: Line, found: Findings) -> _Row | None:
    return _row(line.value, line.number, found)


def _given(answers: Iterable[AnswerInput], found: Findings) -> Iterator[tuple[int, _Row | Answer]]:
    for number, answer in enumerate(answers, 1):
        if isinstance(answer, Answer):
            yield number, answer
        elif (row := _row(answer, number, found)) is not None:
            yield number, row


def _row(value: Any, number: int, found: Findings) -> _Row | None:
    """The answer in one value; None, and findings, where it has another shape."""
    if not isinstance(value, Mapping):
        found.add(
            Code.WRONG_SHAPE,
            f"expected an object, found {kind_of(value)}",
            number,
            "",
            'Write {"id": ..., "answer": ...}.',
        )
        return None
    id = id_of(value, number, found)
    key = "responses" if "responses" in value else "answer"
    if key not in value:
        found.add(
            Code.KEY_MISSING,
            "the key 'answer' (or, in a TREC report, 'responses') is missing",
            number,
            "",
            "Give every question its answer, an empty text where there is none.",
        )
        return None
    said = value[key]
    if isinstance(said, str) and key == "answer":
        return _Row(id, said) if check_text(said, number, "/answer", found) and id else None
    if isinstance(said, list | tuple):
        sentences = sentences_of(said, value.get("references"), key, number, found)
        return _Row(id, None, sentences, run_of(value)) if id and sentences is not None else None
    found.add(
        Code.ANSWER_NOT_TEXT,
        f"the answer is {kind_of(said)}, expected a text",
        number,
        f"/{key}",
        'Write the answer as one text, or as a list of {"text", "citations"}.',
    )
    return None
