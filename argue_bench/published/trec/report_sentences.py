"""The rules of a track for the sentences of one report: texts, citations, references, length."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from argue_bench.errors import Code
from argue_bench.loaders.findings import EXCERPT, few, in_order, json_kind, step
from argue_bench.published.trec.tracks import Form, Track
from argue_bench.records import Request
from argue_bench.records.normal_forms import normalise

_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
_FORMS = {"scores": "mappings", "ids": "ids", "indices": "indices", "list": "lists"}


Add = Callable[..., None]
"""Takes a code, a message, a JSON path in the report's line (``$.responses[0].citations``), perhaps a hint."""


@dataclass(frozen=True, slots=True)
class Expected:
    """The facts that a report is checked against besides the track: the topics, a limit, a
    collection."""

    topics: Mapping[str, Request]
    limit: int | None = None
    documents: Container[str] | None = None


class Sentences:
    """The sentences and references of one report."""

    def __init__(
        self, value: Mapping[str, Any], track: Track, expected: Expected, add: Add
    ) -> None:
        self._value, self._track, self._expected, self._add = value, track, expected, add
        self._key = next((k for k in (*track.sentences, "responses", "answer") if k in value), "")
        self._listed = self._references()
        self._texts: list[str] = []
        self._cited: set[str] = set()
        self._kinds: set[str] = set()

    def check(self, request: Request | None) -> None:
        """Adds all breaches. ``request`` is the topic's, if it is known; it may limit the length."""
        key, wanted, path = self._key, self._track.sentences[0], f"$.{self._key}"
        if not key:
            hint = 'Write the report as a list of {"text", "citations"}.'
            self._add(Code.KEY_MISSING, f"the key {wanted!r} is missing", "$", hint)
            return
        if key not in self._track.sentences:
            message = f"the sentences are under {key!r}, the track wants {wanted!r}"
            self._add(Code.SENTENCES_KEY, message, "$")
        if "responses" in self._value and "answer" in self._value:
            self._add(Code.TWO_ANSWERS, f"there are responses and an answer; {key!r} is read", "$")
        rows = self._value[key]
        if not isinstance(rows, list):
            self._add(Code.WRONG_SHAPE, f"{key!r} is {json_kind(rows)}, expected a list", path)
            return
        for place, row in enumerate(rows):
            self._check_sentence(row, f"{path}[{place}]")
        # One form must do for all sentences; an empty list may mean no ids or no indices.
        lists = self._kinds - {"scores"}
        one_form = not lists if "scores" in self._kinds else len(lists - {"list"}) <= 1
        if len(self._texts) == len(rows) and not any(map(str.strip, self._texts)):
            self._add(Code.EMPTY_ANSWER, "the report says nothing", path)
        elif not self._track.mixed and not one_form:
            forms = ", ".join(sorted(_FORMS[kind] for kind in self._kinds))
            self._add(Code.CITATIONS_MIXED, f"the sentences cite in different forms: {forms}", path)
        if self._listed is not None:
            self._check_references(self._listed)
        self._check_length(request)

    def _check_sentence(self, row: Any, path: str) -> None:
        if not isinstance(row, dict):
            self._add(Code.WRONG_SHAPE, f"a sentence is {json_kind(row)}, expected an object", path)
            return
        text = row.get("text")
        if "text" not in row:
            self._add(Code.KEY_MISSING, "the key 'text' is missing", path, "Write the sentence.")
        elif not isinstance(text, str):
            message = f"the text is {json_kind(text)}"
            self._add(Code.WRONG_SHAPE, message, f"{path}.text", "Write a text.")
        else:
            self._texts.append(text)
            if not text.strip():
                self._add(Code.BLANK_SENTENCE, "the sentence is empty", f"{path}.text")
            if found := _CONTROL.search(text):
                message = f"the text holds U+{ord(found.group()):04X}"
                self._add(Code.CONTROL_CHARACTERS, message, f"{path}.text")
        if row.get("citations") is not None:
            self._check_citations(row["citations"], f"{path}.citations")
        else:
            where = f"{path}.citations" if "citations" in row else path
            self._add(Code.NULL_CITATIONS, "the sentence has no list of citations", where)

    def _check_citations(self, cites: Any, path: str) -> None:
        if (form := self._form(cites, path)) is None:
            return
        if form != "list" and form not in self._track.forms:
            hint = f"The track has: {' or '.join(self._track.forms)}."
            self._add(Code.CITATION_FORMAT, f"the sentence cites by {form}", path, hint)
            ids = cites if form != "indices" else map(self._reference, cites)
            self._cited.update(id for id in ids if id is not None)
            return
        most = self._track.citations
        if most is not None and len(cites) > most:
            message = f"{len(cites)} citations, at most {most} are judged"
            self._add(Code.CITATION_COUNT, message, path)
        for place, one in enumerate(cites):
            where = step(path, one) if form == "scores" else f"{path}[{place}]"
            id = self._reference(one) if form == "indices" else str(one)
            if id is None:
                message = f"index {one} of {len(self._listed or ())} references"
                self._add(Code.REFERENCE_INDEX, message, where)
                continue
            if form == "scores" and type(cites[one]) not in (int, float):
                self._add(Code.CITATION_SCORE, f"the score is {json_kind(cites[one])}", where)
            self._cited.add(id)
            self._check_id(id, where)

    def _reference(self, index: int) -> str | None:
        listed = self._listed or []
        return listed[index] if 0 <= index < len(listed) else None

    def _form(self, cites: Any, path: str) -> Form | Literal["list"] | None:
        """How a sentence cites, "list" where its list is empty; None, with breaches, if unclear."""
        if isinstance(cites, dict):
            self._kinds.add("scores")
            return "scores"
        if not isinstance(cites, list):
            hint = "List the ids of the cited documents."
            self._add(Code.WRONG_SHAPE, f"the citations are {json_kind(cites)}", path, hint)
            return None
        wrong = [place for place, one in enumerate(cites) if type(one) not in (int, str)]
        for place in wrong:
            message = f"a citation is {json_kind(cites[place])}"
            hint = "Cite by id, or by an index into the references."
            self._add(Code.WRONG_SHAPE, message, f"{path}[{place}]", hint)
        if wrong:
            return None
        numbers = {type(one) is int for one in cites}
        if len(numbers) == 2 and not self._track.id_number:
            self._add(Code.CITATIONS_MIXED, "the sentence cites by index and by id", path)
            return None
        form: Form | Literal["list"] = "ids" if cites else "list"
        if numbers == {True} and not self._track.id_number:
            form = "indices"
        self._kinds.add(form)
        return form

    def _check_id(self, id: str, path: str, what: str = "cited") -> None:
        pattern = self._track.docid
        match = re.match(pattern, id) if pattern is not None else None
        if pattern is not None and (match is None or match.end() != len(id)):
            code, fault = Code.DOCID_ENDING, "goes on after the id"
            if match is None:
                code, fault = (
                    Code.DOCID_PATTERN,
                    "does not look like an id of the track's collection",
                )
            message = f"the {what} {id[:EXCERPT]!r} {fault}"
            self._add(code, message, path, f"Ids look like: {pattern}")
        documents = self._expected.documents
        if documents is not None and what == "cited" and id not in documents:
            self._add(Code.NOT_IN_COLLECTION, f"no document has the id {id[:EXCERPT]!r}", path)

    def _references(self) -> list[str] | None:
        """The ids listed; None where there is no list, or none that can be read."""
        value, path = self._value.get("references"), "$.references"
        if value is None:
            if self._track.references_required:
                where = path if "references" in self._value else "$"
                self._add(Code.REFERENCES_MISSING, "the references are missing", where)
            return None
        scored = self._track.references == "scored"
        if scored and isinstance(value, dict):
            return list(value)
        if scored or not isinstance(value, list):
            wanted = "a mapping from id to score" if scored else "a list of ids"
            message = f"the references are {json_kind(value)}, expected {wanted}"
            self._add(Code.WRONG_SHAPE, message, path)
            return None
        for place, one in enumerate(value):
            if not isinstance(one, str) and not (self._track.id_number and type(one) is int):
                message = f"a reference is {json_kind(one)}, expected an id"
                self._add(Code.WRONG_SHAPE, message, f"{path}[{place}]")
        return [str(one) for one in value]

    def _check_references(self, listed: list[str]) -> None:
        """Whether references and citations fit together, as the track wants them to."""
        path, rule = "$.references", self._track.references
        if rule == "none" and listed:
            self._add(Code.REFERENCES_PRESENT, "the track has no references", path)
        if rule in ("any", "none"):
            return
        if twice := in_order(id for id, times in Counter(listed).items() if times > 1):
            self._add(Code.REFERENCES_DUPLICATE, f"listed twice: {few(twice)}", path)
        for place, id in enumerate(listed):
            self._check_id(id, f"{path}[{place}]", "reference")
        if undeclared := in_order(self._cited - set(listed)):
            self._add(Code.REFERENCES_UNDECLARED, f"cited and not listed: {few(undeclared)}", path)
        if uncited := in_order(set(listed) - self._cited):
            self._add(Code.REFERENCES_UNCITED, f"listed and not cited: {few(uncited)}", path)
        most = self._track.references_length
        if most is not None and len(listed) > most:
            message = f"{len(listed)} references, at most {most} are allowed"
            self._add(Code.REFERENCES_MAX, message, path)

    def _check_length(self, request: Request | None) -> None:
        """The first of these limits holds: the topic's own, the caller's, the track's."""
        track, cut = self._track, "What is beyond is cut before scoring."
        own = request.limit if request is not None and track.limit_of_topic else None
        given = (own, self._expected.limit, track.limit)
        limit = next((one for one in given if one is not None), None)
        count = report_length(self._texts, track.unit)
        if limit is not None and count > limit:
            message = f"the report has {count} {track.unit}, at most {limit} are allowed"
            hint = cut if track.truncates else "Shorten it."
            self._add(Code.LENGTH, message, f"$.{self._key}", hint)


def report_length(texts: list[str], unit: str) -> int:
    """The length of a report, its texts joined by blanks: words, or characters after NFKC."""
    text = " ".join(texts)
    return len(text.split()) if unit == "words" else len(normalise("NFKC", text))
