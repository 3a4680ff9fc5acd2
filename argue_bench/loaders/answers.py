"""Answers of systems as records: from a file of JSON lines, or from Python rows and `Answer` objects.

    {"id": "q1", "answer": "It was built in 1931 [1]."}
    {"metadata": {"topic_id": "q1", "run_id": "r"}, "references": ["d1"],
     "responses": [{"text": "It was built in 1931.", "citations": ["d1"]}]}

A line is ours, or a report of any TREC track. The tracks name the topic ``topic_id``, ``narrative_id``,
``request_id`` or ``turn_id``, in the metadata or beside it, and the sentences ``responses`` or ``answer``.
They cite by id, by a zero-based index into ``references``, or by a mapping from id to score, which is not
used. Parsing is lenient where checking (trec/check.py) is strict: whatever can be understood is scored.
Every notation in which people cite is read here, by `argue_bench.text.read_answer`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import count, takewhile
from pathlib import Path
from typing import Any

from argue_bench.errors import Code, DataError, Finding, UsageError
from argue_bench.loaders.answer_parser import MOST_ANSWER, AnswerParser, ParsedAnswer
from argue_bench.loaders.dataset import Dataset
from argue_bench.loaders.findings import EXCERPT, Findings, few
from argue_bench.records import Answer, Document, Question
from argue_bench.records.untrusted import (
    DEFAULT_LIMITS,
    Limits,
    Line,
    read_lines,
)
from argue_bench.text import CitationIndex, read_answer

AnswerInput = Mapping[str, Any] | Answer
"""One answer as people hand it in: a line, a TREC report, or the record itself."""

AnswersLike = Iterable[AnswerInput] | Mapping[str, Answer]
"""The answers of one system, also as `read_answers` returns them."""

IN_MEMORY = "answers[]"
"""The file name in findings about answers that came from no file; the line is their place from 1."""
_OF_USERS = replace(DEFAULT_LIMITS, utf_16=True)
SPARE_LINES = 1_000
"""Lines beyond two for each question after which a file of answers is read no further."""
LARGE_COLLECTION = 100_000
"""Above this many documents a citation is resolved by id alone where a question lists none."""


def as_answers(answers: AnswersLike | str | Path, dataset: Dataset) -> Mapping[str, Answer]:
    """The answers by question id, in the order given; a path is read as a file of JSON lines.

    What this returned, or `read_answers`, may be handed in again.

    A question without an answer is not an error here. Raises UsageError for anything but a path or an
    iterable of answers, and DataError with every finding at once: wrong shapes, unknown ids, ids that
    occur twice, texts that no file can hold.
    """
    if isinstance(answers, str | Path):
        read, findings = read_answer_file(Path(answers), dataset, _OF_USERS)
    elif isinstance(answers, Mapping) and not (
        answers and all(isinstance(one, Answer) for one in answers.values())
    ):
        raise UsageError(
            "answers are a list of {'id', 'answer'}, not one mapping; of a mapping from id to text "
            "make [{'id': id, 'answer': text} for id, text in answers.items()]"
        )
    elif not isinstance(answers, Iterable):
        raise UsageError(f"answers are a list of {{'id', 'answer'}}, not {answers!r:.40}")
    else:
        found = Findings(IN_MEMORY)
        given: Iterable[AnswerInput] = answers.values() if isinstance(answers, Mapping) else answers
        rows = (
            (number, row if isinstance(row, Answer) else _parse(row, number, found))
            for number, row in enumerate(given, 1)
        )
        read = _read(rows, dataset, found)
        findings = found.all()
    if any(finding.level == "error" for finding in findings):
        raise DataError(findings)
    return read


def read_answer_file(
    path: Path, dataset: Dataset, limits: Limits = DEFAULT_LIMITS, name: str = ""
) -> tuple[Mapping[str, Answer], list[Finding]]:
    """The valid answers of a file by question id, and the findings on the others.

    ``name`` replaces the path in findings. A file that cannot be opened is a finding too.
    """
    found = Findings(name or path)
    lines = _parse_lines(path, limits, found)
    return _read(((line.number, row) for line, row in lines), dataset, found), found.all()


Checked = tuple[str, Sequence[str]]
"""By how much an answer passes its limits, empty where it does not; what it cites and the set does not have."""


def check_answer_file(
    path: Path,
    ids: Collection[str],
    limits: Limits = DEFAULT_LIMITS,
    name: str = "",
    check: Callable[[ParsedAnswer], Checked] = lambda _: ("", ()),
    spared: str = "",
) -> tuple[set[str], list[Finding]]:
    """The ids with a valid answer in the file, and all findings.

    ``spared`` says what becomes of answers beyond their limits. Holds one line in memory.
    """
    found = Findings(name or path)
    seen: set[str] = set()
    long: list[tuple[int, str]] = []
    astray: list[tuple[int, str]] = []
    # A stranger's file may go on for gigabytes; twice the questions leaves room for blank lines and
    # doubles.
    most = 2 * len(ids) + SPARE_LINES
    for line, row in _parse_lines(path, limits, found):
        if (number := line.number) > most:
            why = f"the file goes on after {most:,} lines for {len(ids):,} questions; the rest was not read"
            found.add(Code.TOO_MANY, why, number, "", "Write one line for each question.")
            break
        if row is not None and _admit(number, row.id, ids, seen, found):
            seen.add(row.id)
            excess, unknown = check(row)
            long += [(number, excess)] if excess else []
            astray += [(number, cited) for cited in unknown]
    if astray:
        number, cited = astray[0]
        many = "1 citation names" if len(astray) == 1 else f"{len(astray):,} citations name"
        message = f"{many} no document of the set, the first {few([cited])}"
        hint = "They support nothing. Cite a document's id, or its number among the question's."
        found.add(Code.UNKNOWN_CITATION, message, number, "/answer", hint, "warning")
    # The file is good: one warning for all of them is enough.
    if long:
        number, why = long[0]
        message = f"{len(long):,} of {len(seen):,} answers are too long, the first with {why}"
        found.add(Code.OVER_LIMIT, message, number, "/answer", spared, "warning")
    return seen, found.all()


def answer_reader(dataset: Dataset) -> Callable[[Question, str], Answer]:
    """A function that reads one text as `as_answers` does."""
    index = citation_indexes(dataset)
    return lambda question, text: build_answer(ParsedAnswer(question.id, text), question, index)


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
        raise DataError.of(Code.EMPTY, "the folder holds no reports", path)
    return files


def _read(
    rows: Iterable[tuple[int, ParsedAnswer | Answer | None]], dataset: Dataset, found: Findings
) -> dict[str, Answer]:
    read: dict[str, Answer] = {}
    index = citation_indexes(dataset)
    for number, row in rows:
        if row is None or not _admit(number, row.id, dataset.by_id, read, found):
            continue
        if not isinstance(row, Answer):
            row = build_answer(row, dataset.by_id[row.id], index)
        read[row.id] = row
    return read


def build_answer(
    row: ParsedAnswer, question: Question, index: Callable[[Question], CitationIndex]
) -> Answer:
    """The answer to a question, its citations resolved."""
    if row.text is None:
        return Answer(row.id, row.joined, row.sentences, row.run)
    read = read_answer(row.id, row.text, index(question), question.language, row.run)
    return with_ids(read, question)


def with_ids(answer: Answer, question: Question) -> Answer:
    """The answer with the data set's ids for what its question calls by other names."""
    if not question.names:
        return answer
    named = question.names
    sentences = (
        replace(one, citations=tuple(named.get(cited, cited) for cited in one.citations))
        for one in answer.sentences
    )
    return replace(answer, sentences=tuple(sentences))


def _admit(
    number: int, id: str, known: Container[str], seen: Container[str], found: Findings
) -> bool:
    """Whether this answer counts: its question exists and has no answer yet."""
    if id in seen:
        message = f"the question {id[:EXCERPT]!r} was answered before"
        hint = "Keep one of the two; the first is read."
        found.add(Code.DUPLICATE_ID, message, number, "/id", hint)
    elif id not in known:
        found.add(Code.UNKNOWN_ID, f"no question has the id {id[:EXCERPT]!r}", number, "/id")
    return id in known and id not in seen


def citation_indexes(dataset: Dataset) -> Callable[[Question], CitationIndex]:
    """A function to the index of what a question's citations may name.

    Numbers count the question's own documents, and a title names one of those before others. The index
    of the whole collection is built once, when a question first needs it.
    """
    whole: list[CitationIndex] = []

    def index(question: Question) -> CitationIndex:
        if question.documents or not dataset.shared:
            own = own_index(question, dataset.documents)
            if not dataset.collection:
                return own
        if not whole:
            whole.append(_index_of(dataset.documents))
        if not question.documents:
            return whole[0]
        return own.over(whole[0])

    return index


def own_index(question: Question, documents: Mapping[str, Document]) -> CitationIndex:
    """What an answer calls the documents listed with its question; `with_ids` gives the ids for these names."""
    titles = {id: documents[id].title for id in question.documents if id in documents}
    # Numbers have names of their own where a context is listed twice.
    counted = takewhile(question.names.__contains__, map(str, count(1)))
    names = [name for name in question.names if "://" not in name]
    pages = {documents[id].url: id for id in titles if documents[id].url}
    pages |= {name: id for name, id in question.names.items() if "://" in name}
    numbered = [*counted] or question.documents
    return CitationIndex.of([*question.documents, *names], titles, numbered, pages)


def _index_of(documents: Mapping[str, Document]) -> CitationIndex:
    # An index by title would hold a collection of millions in memory.
    if len(documents) > LARGE_COLLECTION:
        return CitationIndex((), ids=documents)
    titles = {id: document.title for id, document in documents.items()}
    pages = {document.url: id for id, document in documents.items() if document.url}
    return CitationIndex.of(titles, titles, (), pages)


def _parse(row: Any, line: int, found: Findings) -> ParsedAnswer | None:
    """The answer in a row; None, with findings, where it has another shape."""
    parsed = AnswerParser(found, line).parse(row)
    if parsed is not None and len(parsed.joined) > MOST_ANSWER:
        message = (
            f"the answer has {len(parsed.joined):,} characters, at most {MOST_ANSWER:,} are read"
        )
        found.add(Code.TOO_LARGE, message, line, "/answer")
        return None
    return parsed


def _parse_lines(
    path: Path, limits: Limits, found: Findings
) -> Iterator[tuple[Line, ParsedAnswer | None]]:
    """The lines of a file that can be read, with what they hold."""
    empty = True
    try:
        for line in read_lines(path, limits, found.file):
            empty = empty and line.blank
            found.extend(line.findings)
            if line.read:
                yield line, _parse(line.value, line.number, found)
    except DataError as error:
        found.extend(error.findings)
        return
    if empty:
        hint = 'Write one {"id": ..., "answer": ...} a line.'
        found.add(Code.EMPTY, "the file holds no answers", hint=hint)
