"""The answer in one JSON value: ours, or a report of any TREC track."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from argue_bench.errors import Code, Level
from argue_bench.loaders.findings import Findings, json_kind
from argue_bench.records import Sentence
from argue_bench.records.untrusted import is_text

TOPIC_KEYS = ("topic_id", "narrative_id", "request_id", "turn_id")
"""What tracks call the topic, in the metadata or beside it."""
MOST_ANSWER = 2_000_000
"""Characters of an answer that is read, a thousand pages: reading takes a second for each half of that."""
_SENTENCES = 'Write every sentence as {"text": ..., "citations": [...]}.'
_REFERENCES = "List the ids of the cited documents."


@dataclass(frozen=True, slots=True)
class ParsedAnswer:
    """A well-formed answer. ``text`` is None where it came as sentences."""

    id: str
    text: str | None
    sentences: tuple[Sentence, ...] = ()
    run: str = ""

    @property
    def joined(self) -> str:
        """Its text, that of its sentences where it came so."""
        if self.text is not None:
            return self.text
        return " ".join(sentence.text for sentence in self.sentences)


class AnswerParser:
    """Parses the answer in one JSON value; what is wrong with it is added to ``found``."""

    def __init__(self, found: Findings, line: int) -> None:
        self._found, self._line = found, line

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
            good = self._is_text(answer, "/answer")
            return ParsedAnswer(id, answer) if good and id is not None else None
        if isinstance(answer, list | tuple):
            sentences = self._sentences(answer, value.get("references"), key)
            if id is None or self._found.errors > before:
                return None
            run = _metadata(value).get("run_id", value.get("run_id"))
            return ParsedAnswer(id, None, sentences, run if isinstance(run, str) else "")
        message = f"the answer is {json_kind(answer)}, expected a text"
        self._add(Code.ANSWER_NOT_TEXT, message, f"/{key}")
        return None

    def id(self, value: Mapping[str, Any]) -> str | None:
        """The id of the question: ``id``, or what a TREC track calls it."""
        metadata = _metadata(value)
        places = [("/id", value["id"])] if "id" in value else []
        places += [(f"/metadata/{key}", metadata[key]) for key in TOPIC_KEYS if key in metadata]
        places += [(f"/{key}", value[key]) for key in TOPIC_KEYS if key in value]
        if not places:
            names = f"'id' (or, in a TREC report, {', '.join(TOPIC_KEYS)})"
            hint = "Say which question is answered."
            self._add(Code.KEY_MISSING, f"the key {names} is missing", "", hint)
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
        for place, one in enumerate(answer):
            path = f"/{key}/{place}"
            text = one.get("text") if isinstance(one, Mapping) else None
            if not isinstance(text, str):
                wrong = f"a sentence is {json_kind(one)} without a text"
                self._add(Code.WRONG_SHAPE, wrong, path, _SENTENCES)
                continue
            self._is_text(text, f"{path}/text")
            cited = self._citations(one.get("citations"), listed, f"{path}/citations")
            sentences.append(Sentence(text, cited))
        return tuple(sentences)

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
        for place, one in enumerate(cited):
            where, name = f"{path}/{place}", one
            if isinstance(one, int) and not isinstance(one, bool):
                name = self._reference(one, references, where)
            if not isinstance(name, str):
                message = f"a citation is {json_kind(name)}, expected an id or an index"
                hint = "Cite by id, or by an index into the references, from 0."
                self._add(Code.WRONG_SHAPE, message, where, hint)
            elif self._is_text(name, where):
                names.append(name)
        return tuple(names)

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
