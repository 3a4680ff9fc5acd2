"""Answers of systems as records: from a file of JSON lines, or from Python rows and `Answer` objects.

Every notation in which people cite is read here, by `argue_bench.text.read_answer`; the shapes of one
line are in `answer_parser`.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from argue_bench.errors import Code, DataError, Finding, UsageError
from argue_bench.loaders.answer_parser import AnswerParser, ParsedAnswer
from argue_bench.loaders.dataset import Dataset
from argue_bench.loaders.findings import EXCERPT, Findings, coverage
from argue_bench.records import Answer, Document, Question
from argue_bench.records.untrusted import DEFAULT_LIMITS, Limits, read_lines
from argue_bench.text import CitationIndex, read_answer

__all__ = [
    "AnswerInput",
    "answer_reader",
    "as_answers",
    "check_answer_file",
    "coverage",
    "read_answer_file",
    "report_files",
]

AnswerInput = Mapping[str, Any] | Answer
"""One answer as people hand it in: a line, a TREC report, or the record itself."""

IN_MEMORY = "answers[]"
"""The file name in findings about answers that came from no file; the line is their place from 1."""
LARGE_COLLECTION = 100_000
"""Above this many documents a citation is resolved by id alone where a question lists none."""


def as_answers(answers: Iterable[AnswerInput] | str | Path, dataset: Dataset) -> dict[str, Answer]:
    """The answers by question id, in the order given; a path is read as a file of JSON lines.

    A question without an answer is not an error here. Raises UsageError for anything but a path or an
    iterable of answers, and DataError with every finding at once: wrong shapes, unknown ids, ids that
    occur twice, texts that no file can hold.
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
        read = _read(_parse_rows(answers, found), dataset, found)
        findings = found.all()
    if any(finding.level == "error" for finding in findings):
        raise DataError(findings)
    return read


def read_answer_file(
    path: Path, dataset: Dataset, limits: Limits = DEFAULT_LIMITS, name: str = ""
) -> tuple[dict[str, Answer], list[Finding]]:
    """The good answers of a file by question id, and all that is wrong with the rest.

    ``name`` replaces the path in findings. A file that cannot be opened is a finding too.
    """
    found = Findings(name or path)
    return _read(_parse_lines(path, limits, found), dataset, found), found.all()


def check_answer_file(
    path: Path, ids: Container[str], limits: Limits = DEFAULT_LIMITS, name: str = ""
) -> tuple[set[str], list[Finding]]:
    """The ids that have a good answer in the file, and all that is wrong with it.

    Holds one line in memory and builds no answers.
    """
    found = Findings(name or path)
    seen: set[str] = set()
    for number, row in _parse_lines(path, limits, found):
        if _admit(number, row.id, ids, seen, found):
            seen.add(row.id)
    return seen, found.all()


def answer_reader(dataset: Dataset) -> Callable[[Question, str], Answer]:
    """A function that reads one text as `as_answers` does."""
    index = _indexes(dataset)
    return lambda question, text: read_answer(
        question.id, text, index(question), question.language, ""
    )


def report_files(path: Path) -> list[Path]:
    """The file, or the ``*.jsonl`` and extensionless files of a folder, by name. Raises DataError."""
    if not path.is_dir():
        return [path]
    files = sorted(
        file
        for file in path.iterdir()
        if file.is_file() and file.suffix in ("", ".jsonl") and not file.name.startswith(".")
    )
    if not files:
        raise DataError.of(Code.NO_REPORTS, "the folder holds no reports", path)
    return files


def _read(
    rows: Iterator[tuple[int, ParsedAnswer | Answer]], dataset: Dataset, found: Findings
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
        message = f"the question {id[:EXCERPT]!r} was answered before"
        found.add(
            Code.DUPLICATE_ID, message, number, "/id", "Keep one of the two; the first is read."
        )
        return False
    if id not in known:
        found.add(Code.UNKNOWN_ID, f"no question has the id {id[:EXCERPT]!r}", number, "/id")
        return False
    return True


def _indexes(dataset: Dataset) -> Callable[[Question], CitationIndex]:
    """A function to the index of what a question's citations may name.

    Numbers count the question's own documents, and a title names one of those before others. The index
    of the whole collection is built once, when a question first needs it.
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


def _parse_lines(path: Path, limits: Limits, found: Findings) -> Iterator[tuple[int, ParsedAnswer]]:
    """The well-formed lines of a file, with their numbers."""
    empty = True
    try:
        for line in read_lines(path, limits, found.file):
            empty = empty and line.blank
            found.extend(line.findings)
            if line.read:
                parser = AnswerParser(found.file, line.number)
                row = parser.parse(line.value)
                found.extend(parser.findings)
                if row is not None:
                    yield line.number, row
    except DataError as error:
        found.extend(error.findings)
        return
    if empty:
        hint = 'Write one {"id": ..., "answer": ...} a line.'
        found.add(Code.EMPTY, "the file holds no answers", hint=hint)


def _parse_rows(
    answers: Iterable[AnswerInput], found: Findings
) -> Iterator[tuple[int, ParsedAnswer | Answer]]:
    for number, answer in enumerate(answers, 1):
        if isinstance(answer, Answer):
            yield number, answer
        else:
            parser = AnswerParser(found.file, number)
            row = parser.parse(answer)
            found.extend(parser.findings)
            if row is not None:
                yield number, row
