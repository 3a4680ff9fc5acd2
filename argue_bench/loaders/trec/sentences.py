"""What do the sentences of a report cite, and do its references fit? By the rules of its track."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass
from typing import Any

from argue_bench.errors import Code
from argue_bench.loaders.trec.tracks import Form, Track
from argue_bench.loaders.trec.wording import SHOWN, few, in_order, kind, step
from argue_bench.records import Request

Add = Callable[[Code, str, str, str], None]
"""(code, message, JSON path, remedy)."""
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")


@dataclass(frozen=True, slots=True)
class Expected:
    """What a report is held against beside the track: its topic, a limit, a collection."""

    topics: Mapping[str, Request]
    limit: int | None = None
    documents: Container[str] | None = None


class Sentences:
    """The sentences of one report, what they cite, and its references."""

    def __init__(self, value: Mapping[str, Any], track: Track, asked: Expected, add: Add) -> None:
        self.value, self.track, self.asked, self.add = value, track, asked, add
        self.kinds: set[str] = set()
        self.key = next((k for k in (*track.sentences, "responses", "answer") if k in value), "")

    def check(self, request: Request | None) -> None:
        key, track = self.key, self.track
        listed = self._references()
        if not key:
            self.add(
                Code.KEY_MISSING,
                f"the key {track.sentences[0]!r} is missing",
                "$",
                'Write the report as a list of {"text", "citations"}.',
            )
            return
        if key not in track.sentences:
            self.add(
                Code.SENTENCES_KEY,
                f"the sentences stand in {key!r}, the track wants {track.sentences[0]!r}",
                "$",
                "Rename the key.",
            )
        if "responses" in self.value and "answer" in self.value:
            self.add(
                Code.TWO_ANSWERS,
                f"there are responses and an answer; {key!r} is read",
                "$",
                "Keep one of the two.",
            )
        said = self.value[key]
        if not isinstance(said, list):
            self.add(Code.WRONG_SHAPE, f"{key!r} is {kind(said)}, expected a list", f"$.{key}", "")
            return
        texts: list[str] = []
        cited: set[str] = set()
        for place, one in enumerate(said):
            self._sentence(one, f"$.{key}[{place}]", listed, texts, cited)
        if not any(text.strip() for text in texts) and len(texts) == len(said):
            self.add(Code.EMPTY_ANSWER, "the report says nothing", f"$.{key}", "Answer the topic.")
        elif not track.mixed and not self._one_form():
            self.add(
                Code.CITATIONS_MIXED,
                f"the sentences cite in different forms: {self._forms()}",
                f"$.{key}",
                "Cite in one form throughout.",
            )
        self._cited(cited, listed)
        self._length(texts, request)

    def _one_form(self) -> bool:
        """Whether one form would do for all sentences; an empty list may stand for ids or indices."""
        return (
            self.kinds <= {"scores"}
            or self.kinds in ({"list"}, {"ids"}, {"indices"})
            or (len(self.kinds) == 2 and "list" in self.kinds and "scores" not in self.kinds)
        )

    def _forms(self) -> str:
        names = {"scores": "mappings", "ids": "ids", "indices": "indices", "list": "lists"}
        return ", ".join(sorted(names[kind] for kind in self.kinds))

    def _sentence(
        self, one: Any, path: str, listed: list[str] | None, texts: list[str], cited: set[str]
    ) -> None:
        if not isinstance(one, dict):
            self.add(Code.WRONG_SHAPE, f"a sentence is {kind(one)}, expected an object", path, "")
            return
        text = one.get("text")
        if "text" not in one:
            self.add(Code.KEY_MISSING, "the key 'text' is missing", path, "Write the sentence.")
        elif not isinstance(text, str):
            self.add(Code.WRONG_SHAPE, f"the text is {kind(text)}", f"{path}.text", "Write a text.")
        else:
            texts.append(text)
            if not text.strip():
                self.add(
                    Code.BLANK_SENTENCE, "the sentence is empty", f"{path}.text", "Leave it out."
                )
            if found := _CONTROL.search(text):
                self.add(
                    Code.CONTROL_CHARACTERS,
                    f"the text holds U+{ord(found.group()):04X}",
                    f"{path}.text",
                    "Take it out.",
                )
        if one.get("citations") is None:
            where = f"{path}.citations" if "citations" in one else path
            self.add(
                Code.NULL_CITATIONS,
                "the sentence has no list of citations",
                where,
                "Write [] where nothing is cited.",
            )
            return
        self._citations(one["citations"], f"{path}.citations", listed, cited)

    def _citations(self, cites: Any, path: str, listed: list[str] | None, cited: set[str]) -> None:
        form = self._form(cites, path)
        if form is None:
            return
        known = listed or []
        if form != "list" and form not in self.track.forms:
            self.add(
                Code.CITATION_FORMAT,
                f"the sentence cites by {form}",
                path,
                f"The track has: {' or '.join(self.track.forms)}.",
            )
            if form == "indices":
                cited.update(known[one] for one in cites if 0 <= one < len(known))
            else:
                cited.update(cites)
            return
        most = self.track.citations
        if most is not None and len(cites) > most:
            self.add(
                Code.CITATION_COUNT,
                f"{len(cites)} citations, at most {most} are judged",
                path,
                "Cite the best.",
            )
        for place, one in enumerate(cites):
            where = step(path, one) if form == "scores" else f"{path}[{place}]"
            if form == "indices":
                if not 0 <= one < len(known):
                    self.add(
                        Code.REFERENCE_INDEX,
                        f"index {one} of {len(known)} references",
                        where,
                        "Indices count the references from 0.",
                    )
                    continue
                one = known[one]
            if form == "scores" and (
                isinstance(cites[one], bool) or not isinstance(cites[one], int | float)
            ):
                self.add(
                    Code.CITATION_SCORE,
                    f"the score is {kind(cites[one])}",
                    where,
                    "Write a number.",
                )
            cited.add(str(one))
            self._docid(str(one), where)

    def _form(self, cites: Any, path: str) -> Form | str | None:
        """How a sentence cites, "list" where its list is empty; None where that is not to be told."""
        if isinstance(cites, dict):
            self.kinds.add("scores")
            return "scores"
        if not isinstance(cites, list):
            self.add(
                Code.WRONG_SHAPE,
                f"the citations are {kind(cites)}",
                path,
                "List the ids of the cited documents.",
            )
            return None
        numbers = [isinstance(one, int) and not isinstance(one, bool) for one in cites]
        if bad := [
            place for place, one in enumerate(cites) if not (numbers[place] or isinstance(one, str))
        ]:
            for place in bad:
                self.add(
                    Code.WRONG_SHAPE,
                    f"a citation is {kind(cites[place])}",
                    f"{path}[{place}]",
                    "Cite by id, or by an index into the references.",
                )
            return None
        if self.track.id_number or not any(numbers):
            form = "ids" if cites else "list"
        elif all(numbers):
            form = "indices"
        else:
            self.add(
                Code.CITATIONS_MIXED,
                "the sentence cites by index and by id",
                path,
                "Cite in one form throughout.",
            )
            return None
        self.kinds.add(form)
        return form

    def _docid(self, id: str, path: str, what: str = "cited") -> None:
        pattern = self.track.docid
        if pattern is not None:
            match = re.match(pattern, id)
            if match is None:
                self.add(
                    Code.DOCID_PATTERN,
                    f"the {what} {id[:SHOWN]!r} is no id of the track's collection",
                    path,
                    f"Ids look like: {pattern}",
                )
            elif match.end() != len(id):
                self.add(
                    Code.DOCID_ENDING,
                    f"the {what} {id[:SHOWN]!r} goes on after the id",
                    path,
                    f"Ids look like: {pattern}",
                )
        documents = self.asked.documents
        if documents is not None and what == "cited" and id not in documents:
            self.add(
                Code.NOT_IN_COLLECTION,
                f"no document has the id {id[:SHOWN]!r}",
                path,
                "What is not in the collection attests nothing.",
            )

    def _references(self) -> list[str] | None:
        """The ids listed; None where there is no list, or none that can be read."""
        references, synonyms = self.value.get("references"), self.track.references
        if references is None:
            if self.track.references_required:
                path = "$.references" if "references" in self.value else "$"
                self.add(
                    Code.REFERENCES_MISSING,
                    "the references are missing",
                    path,
                    "List the ids of the cited documents, [] where there are none.",
                )
            return None
        if synonyms == "scored":
            if isinstance(references, dict):
                return list(references)
            self.add(
                Code.WRONG_SHAPE,
                f"the references are {kind(references)}, expected a mapping from id to score",
                "$.references",
                "",
            )
            return None
        if not isinstance(references, list):
            self.add(
                Code.WRONG_SHAPE,
                f"the references are {kind(references)}, expected a list of ids",
                "$.references",
                "",
            )
            return None
        numbers = self.track.id_number
        for place, one in enumerate(references):
            if not isinstance(one, str) and not (numbers and type(one) is int):
                self.add(
                    Code.WRONG_SHAPE,
                    f"a reference is {kind(one)}, expected an id",
                    f"$.references[{place}]",
                    "",
                )
        return [str(one) for one in references]

    def _cited(self, cited: set[str], listed: list[str] | None) -> None:
        """Whether references and citations fit together, as the track wants them to."""
        synonyms = self.track.references
        if synonyms == "none" and listed:
            self.add(Code.REFERENCES_PRESENT, "the track has no references", "$.references", "")
        if synonyms in ("any", "none") or listed is None:
            return
        if len(set(listed)) != len(listed):
            twice = in_order({id for id, times in Counter(listed).items() if times > 1})
            self.add(Code.REFERENCES_DUPLICATE, f"listed twice: {few(twice)}", "$.references", "")
        for place, id in enumerate(listed):
            self._docid(id, f"$.references[{place}]", "reference")
        if lacking := in_order(cited - set(listed)):
            self.add(
                Code.REFERENCES_UNDECLARED,
                f"cited and not listed: {few(lacking)}",
                "$.references",
                "List every cited document.",
            )
        if idle := in_order(set(listed) - cited):
            self.add(
                Code.REFERENCES_UNCITED,
                f"listed and not cited: {few(idle)}",
                "$.references",
                "List the cited documents only.",
            )
        most = self.track.references_length
        if most is not None and len(listed) > most:
            self.add(
                Code.REFERENCES_MAX,
                f"{len(listed)} references, at most {most} are allowed",
                "$.references",
                "",
            )

    def _length(self, texts: list[str], request: Request | None) -> None:
        own = request.limit if request is not None and self.track.limit_of_topic else None
        limit = own if own is not None else self.asked.limit
        if limit is None:
            limit = self.track.limit
        count = report_length(texts, self.track.unit)
        if limit is not None and count > limit:
            hint = (
                "What is beyond is cut before scoring." if self.track.truncates else "Shorten it."
            )
            self.add(
                Code.LENGTH,
                f"the report has {count} {self.track.unit}, at most {limit} are allowed",
                f"$.{self.key}",
                hint,
            )


def report_length(texts: list[str], unit: str) -> int:
    """How long a report is: the texts joined by blanks, in words or in characters after NFKC."""
    text = " ".join(texts)
    return len(text.split()) if unit == "words" else len(unicodedata.normalize("NFKC", text))
