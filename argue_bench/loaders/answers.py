"""Answers of systems as records: from a file of JSON lines, or from Python rows and `Answer` objects.

    {"id": "q1", "answer": "It was built in 1931 [1]."}
    {"metadata": {"topic_id": "q1", "run_id": "r"}, "references": ["d1"],
     "responses": [{"text": "It was built in 1931.", "citations": ["d1"]}]}

A line is ours, or a report of any TREC track. The tracks name the topic ``topic_id``, ``narrative_id``,
``request_id`` or ``turn_id``, in the metadata or beside it, and the sentences ``responses`` or ``answer``.
They cite by id, by a zero-based index into ``references``, or by a mapping from id to score, which is not
used. Parsing is lenient where checking (trec/check.py) is strict: whatever can be understood is scored.
Every notation in which people cite is read here, by `argue_bench.text.read_answer`; of a report, whose
citations stand beside its texts, the same reader takes marks and headings out of the words.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import count, takewhile
from pathlib import Path
from typing import Any

from argue_bench.errors import Code, DataError, Finding, Level, UsageError
from argue_bench.loaders.dataset import Dataset
from argue_bench.loaders.findings import EXCERPT, MOST_OF_A_KIND, Findings, few, json_kind
from argue_bench.records import Answer, Aside, Document, Question, Sentence
from argue_bench.records.display import is_text
from argue_bench.records.untrusted import (
    DEFAULT_LIMITS,
    Limits,
    Line,
    read_lines,
)
from argue_bench.text import CitationIndex, read_answer, without_traces

# What tracks call the topic, in the metadata or beside it.
TOPIC_KEYS = ("topic_id", "narrative_id", "request_id", "turn_id")
_SENTENCES = 'Write every sentence as {"text": ..., "citations": [...]}.'
_REFERENCES = "List the ids of the cited documents."
# What a text without marks and headings lacks.
_SIGNS = re.compile(r"[\[(<【{|*_`#]|^\W*[-–—•]|:\s*$|^\s*\d{1,3}[.)]\s", re.MULTILINE)
# What parts the texts of a report where they are read together.
_APART = "\n\n"


@dataclass(frozen=True, slots=True)
class ParsedAnswer:
    """A well-formed answer. ``text`` is None where it came as sentences."""

    id: str
    text: str | None
    sentences: tuple[Sentence, ...] = ()
    run: str = ""
    references: tuple[str, ...] = ()

    @property
    def joined(self) -> str:
        """Its text, that of its sentences where it came so."""
        if self.text is not None:
            return self.text
        return " ".join(sentence.text for sentence in self.sentences)


class AnswerParser:
    """Parses the answer in one JSON value; what is wrong with it is added to ``found``.

    A list is read up to its first hundred faults: 50 MB of numbers for sentences would have a finding each.
    """

    def __init__(self, found: Findings, line: int) -> None:
        self._found, self._line, self._most = found, line, found.errors + MOST_OF_A_KIND

    def parse(self, value: Any) -> ParsedAnswer | None:
        """The answer; None, with findings, where the value has another shape."""
        if not isinstance(value, Mapping):
            found = f"expected an object, found {json_kind(value)}"
            hint = 'Write {"id": ..., "answer": ...}; for rows name columns: --columns answer=NAME.'
            self._add(Code.WRONG_SHAPE, found, "", hint)
            return None
        before, id = self._found.errors, self.id(value)
        key = "responses" if "responses" in value else "answer"
        if key not in value:
            missing = "the key 'answer' (or, in a TREC report, 'responses') is missing"
            hint = "Give every question its answer, an empty text where there is none."
            self._add(Code.KEY_MISSING, missing, "", hint)
            return None
        twice = [k for k in ("answer", "response") if k in value and value[k] != value[key]]
        if key == "responses" and twice:
            # One reader would take the one for the answer, and the next reader the other.
            message = f"the answer is given twice, as 'responses' and as {twice[0]!r}"
            self._add(Code.WRONG_SHAPE, message, "/responses", "Keep one of them.")
            return None
        answer = value[key]
        if isinstance(answer, str) and key == "answer":
            return (
                ParsedAnswer(id, answer)
                if self._is_text(answer, "/answer") and id is not None
                else None
            )
        if isinstance(answer, list | tuple):
            sentences = self._sentences(answer, value.get("references"), key)
            if id is None or self._found.errors > before:
                return None
            run = _metadata(value).get("run_id", value.get("run_id"))
            references = value.get("references")
            named = tuple(map(str, references if isinstance(references, list | tuple) else ()))
            return ParsedAnswer(id, None, sentences, run if isinstance(run, str) else "", named)
        self._add(
            Code.ANSWER_NOT_TEXT, f"the answer is {json_kind(answer)}, expected a text", f"/{key}"
        )
        return None

    def id(self, value: Mapping[str, Any]) -> str | None:
        """The id of the question: ``id``, or what a TREC track calls it."""
        metadata = _metadata(value)
        places = [("/id", value["id"])] if "id" in value else []
        places += [(f"/metadata/{key}", metadata[key]) for key in TOPIC_KEYS if key in metadata]
        places += [(f"/{key}", value[key]) for key in TOPIC_KEYS if key in value]
        if not places:
            names = f"'id' (or, in a TREC report, {', '.join(TOPIC_KEYS)})"
            why = f"the key {names} is missing"
            self._add(Code.KEY_MISSING, why, "", "Say which question is answered.")
            return None
        path, id = places[0]
        # Our own "id" must be a text: 1 and "1" would be two questions to one reader and one to
        # another.
        if isinstance(id, int) and not isinstance(id, bool) and path != "/id":
            id = str(id)  # TREC RAG 2025 and BioGen number their topics
        if not isinstance(id, str):
            self._add(Code.ID_NOT_TEXT, f"the id is {json_kind(id)}, expected a text", path)
            return None
        return id if self._is_text(id, path) else None

    def _sentences(
        self, answer: Collection[Any], references: Any, key: str
    ) -> tuple[Sentence, ...]:
        listed = references if isinstance(references, list | tuple) else None
        if references is not None and not isinstance(references, list | tuple | Mapping):
            message = f"the references are {json_kind(references)}, expected a list of ids"
            self._add(Code.WRONG_SHAPE, message, "/references", _REFERENCES)
        sentences = []
        for place, one in enumerate(takewhile(lambda _: self._found.errors < self._most, answer)):
            path = f"/{key}/{place}"
            text = one.get("text") if isinstance(one, Mapping) else None
            if not isinstance(text, str):
                wrong = f"a sentence is {json_kind(one)} without a text"
                self._add(Code.WRONG_SHAPE, wrong, path, _SENTENCES)
                continue
            self._is_text(text, f"{path}/text")
            cited = self._citations(one.get("citations"), listed, f"{path}/citations")
            sentences.append(Sentence(text, cited))
        said = without_traces([one.text for one in sentences])
        return tuple(
            Sentence(text, one.citations) for text, one in zip(said, sentences, strict=True)
        )

    def _citations(
        self, cited: Any, references: Sequence[Any] | None, path: str
    ) -> tuple[str, ...]:
        if cited is None:
            return ()
        if not isinstance(cited, list | tuple | Mapping):
            message = f"the citations are {json_kind(cited)}, expected a list or a mapping"
            self._add(Code.WRONG_SHAPE, message, path, _REFERENCES)
            return ()
        names = []
        for place, one in enumerate(takewhile(lambda _: self._found.errors < self._most, cited)):
            where, name = f"{path}/{place}", one
            if isinstance(one, int) and not isinstance(one, bool):
                name = self._reference(one, references, where)
            elif references and self._is_index(one, references):
                name = self._reference(int(one), references, where)
                message = f"the citation {one!r} is no reference: it is read as an index"
                hint = "Write an index as a number, without quotes."
                self._add(Code.WRONG_SHAPE, message, where, hint, "warning")
            if not isinstance(name, str):
                message = f"a citation is {json_kind(name)}, expected an id or an index"
                hint = "Cite by id, or by an index into the references, from 0."
                self._add(Code.WRONG_SHAPE, message, where, hint)
            elif self._is_text(name, where):
                names.append(name)
        return tuple(names)

    @staticmethod
    def _is_index(cited: Any, references: Sequence[Any]) -> bool:
        """Whether a text is the index of a reference, and none of the references themselves."""
        digits = isinstance(cited, str) and cited.isascii() and cited.isdigit() and len(cited) < 7
        return digits and int(cited) < len(references) and cited not in map(str, references)

    def _reference(self, index: int, references: Sequence[Any] | None, path: str) -> Any:
        """The reference at a zero-based index; the number itself as an id where none are listed."""
        if references is None:
            return str(index)
        # A negative index is refused although Python would count from the end.
        if 0 <= index < len(references):
            named = references[index]
            return str(named) if isinstance(named, int) else named
        message = f"citation {index} of {len(references)} references names nothing"
        self._add(Code.INDEX_OUT_OF_RANGE, message, path, level="warning")
        return f"references[{index}]"

    def _is_text(self, text: str, path: str) -> bool:
        """Whether every character is one. Files were checked before; Python's own strings were not."""
        if is_text(text):
            return True
        message = "a text holds half a surrogate pair, which is not a character"
        self._add(Code.LONE_SURROGATE, message, path)
        return False

    def _add(
        self, code: Code, message: str, path: str, hint: str = "", level: Level = "error"
    ) -> None:
        self._found.add(code, message, self._line, path, hint, level)


def _metadata(value: Mapping[str, Any]) -> Mapping[str, Any]:
    metadata = value.get("metadata")
    return metadata if isinstance(metadata, Mapping) else {}


# One answer as people hand it in: a line, a TREC report, or the record itself.
AnswerInput = Mapping[str, Any] | Answer

# The answers of one system, also as `read_answers` returns them.
AnswersLike = Iterable[AnswerInput] | Mapping[str, Answer]

# The file name in findings about answers that came from no file; the line is their place from 1.
IN_MEMORY = "answers[]"
_OF_USERS = replace(DEFAULT_LIMITS, utf_16=True)
# Above this many documents a citation is resolved by id alone where a question lists none.
LARGE_COLLECTION = 100_000


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
    lines = parse_lines(path, limits, found)
    return _read(((line.number, row) for line, row in lines), dataset, found), found.all()


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
        if row is None or not admit(number, row.id, dataset.by_id, read, found):
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
        if not any(_SIGNS.search(one.text) for one in row.sentences):
            return Answer(row.id, row.joined, row.sentences, row.run)
        return _read_report(row, index(question), question.language)
    read = read_answer(row.id, row.text, index(question), question.language, row.run)
    return with_ids(read, question)


def _read_report(row: ParsedAnswer, index: CitationIndex, language: str) -> Answer:
    """The answer of a report, without the marks that stand in its texts; headings have no words.

    What a sentence cites is what its report lists beside it; numbers count the references, from 0 or 1.
    """
    counted = {str(at): name for at, name in enumerate((*row.references, *row.references[-1:]))}
    body = _APART.join(one.text for one in row.sentences)
    read = read_answer(row.id, body, replace(index, listed=counted), language)
    starts = [one.start for one in read.sentences]
    titles = [one.start for one in read.asides]
    said: list[Sentence] = []
    asides: list[Aside] = []
    begin = at = 0  # in the texts together, and in the answer's own text, where a blank parts them
    for one in row.sentences:
        end = begin + len(one.text)
        parts = read.sentences[bisect_left(starts, begin) : bisect_left(starts, end)]
        words = " ".join(part.plain for part in parts if part.plain)
        lead = parts[0].lead if parts else ""
        plain = words or (one.text if one.citations else "")
        # A heading stays one of the report's sentences, for tracks count them, without words.
        text = one.text if plain else ""
        said.append(Sentence(text, one.citations, at, at + len(one.text), plain, lead))
        if not plain:
            inside = read.asides[bisect_left(titles, begin) : bisect_left(titles, end)]
            title = " ".join(aside.plain for aside in inside)
            asides.append(Aside("heading", at, at + len(one.text), title))
        begin, at = end + len(_APART), at + len(one.text) + 1
    if not any(one.plain for one in said):
        return Answer(row.id, row.joined, row.sentences, row.run)
    return Answer(row.id, row.joined, tuple(said), row.run, tuple(asides))


def with_ids(answer: Answer, question: Question) -> Answer:
    """The answer with the data set's ids for what its question calls by other names."""
    if not question.names:
        return answer
    sentences = (
        replace(one, citations=tuple(question.names.get(id, id) for id in one.citations))
        for one in answer.sentences
    )
    return replace(answer, sentences=tuple(sentences))


def admit(
    number: int, id: str, known: Container[str], seen: Container[str], found: Findings
) -> bool:
    """Whether this answer counts: its question exists and has no answer yet."""
    if id in seen:
        message = f"the question {id[:EXCERPT]!r} was answered before"
        found.add(
            Code.DUPLICATE_ID, message, number, "/id", "Keep one of the two; the first is read."
        )
    elif id not in known:
        found.add(Code.UNKNOWN_ID, f"no question has the id {id[:EXCERPT]!r}", number, "/id")
    return id in known and id not in seen


def citation_indexes(dataset: Dataset) -> Callable[[Question], CitationIndex]:
    """A function to the index of what a question's citations may name.

    Numbers count the question's own documents, and a title names one of those before others. The index
    of the whole collection is built once, when a question first needs it.
    """
    whole = cache(lambda: _index_of(dataset.documents))

    def index(question: Question) -> CitationIndex:
        if not question.documents and (dataset.shared or dataset.collection):
            return whole()
        own = own_index(question, dataset.documents)
        return own.over(whole()) if dataset.collection else own

    return index


def misread_ids(dataset: Dataset) -> str:
    """A warning where a citation of an id names another document, as a number does that counts them; empty where none does."""
    index = citation_indexes(dataset)
    found = {
        id
        for question in dataset
        for find in [index(question).find]
        for id in question.documents
        if find(id) != id
    }
    return (
        f"Ids that cite another document: {few(sorted(found), 3)}. [3] is the third document that a question lists, "
        "whatever its id is: put a letter before ids that are numbers."
        if found
        else ""
    )


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


def _parse(
    row: Any, line: int, found: Findings, most: int = DEFAULT_LIMITS.answer
) -> ParsedAnswer | None:
    """The answer in a row; None, with findings, where it has another shape."""
    parsed = AnswerParser(found, line).parse(row)
    if parsed is not None and (length := len(parsed.joined)) > most:
        why = f"the answer has {length:,} characters, at most {most:,} are read"
        found.add(Code.LINE_TOO_LONG, why, line, "/answer", "Shorten the answer.")
        return None
    return parsed


def parse_lines(
    path: Path, limits: Limits, found: Findings
) -> Iterator[tuple[Line, ParsedAnswer | None]]:
    """The lines of a file that can be read, with what they hold."""
    empty = True
    try:
        for line in read_lines(path, limits, found.file):
            empty = empty and line.blank
            found.extend(line.findings)
            if line.read:
                yield line, _parse(line.value, line.number, found, limits.answer)
    except DataError as error:
        found.extend(error.findings)
        return
    if empty:
        hint = 'Write one {"id": ..., "answer": ...} a line.'
        found.add(Code.EMPTY, "the file holds no answers", hint=hint)
