"""`check_run`: checks a run file by the rules of its track, and returns every finding at once.

Beside the track's own rules: one run a file, each topic once and among those asked for, indices that
name a reference, texts without control characters, cited documents that the collection has.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Container, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, Literal

from argue_bench.errors import Code, DataError, Finding
from argue_bench.loaders.answers import TOPIC_KEYS
from argue_bench.loaders.findings import EXCERPT, Findings, few, json_kind
from argue_bench.loaders.limits import Unit
from argue_bench.published.foreign import in_order, step
from argue_bench.published.trec.topic_files import read_requests
from argue_bench.published.trec.tracks import TEXTS, Form, Track, track
from argue_bench.records import Request
from argue_bench.records.display import normalise
from argue_bench.records.untrusted import read_lines

_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
_FORMS = {"scores": "mappings", "ids": "ids", "indices": "indices", "list": "lists"}
# Takes a code, a message, a JSON path in the report's line (``$.responses[0].citations``), perhaps a hint.
Add = Callable[..., None]


@dataclass(frozen=True)
class CheckedRun:
    """The topics, runs and findings of a checked run file."""

    file: str
    findings: tuple[Finding, ...]
    reports: int
    runs: Mapping[tuple[str, str], set[str]] = field(default_factory=dict)
    """Topics by team and run."""

    @property
    def ok(self) -> bool:
        return not any(finding.level == "error" for finding in self.findings)


def check_run(
    path: Path,
    rules: Track | str,
    *,
    topics: Mapping[str, Request] | Path | None = None,
    limit: int | None = None,
    unit: Unit | None = None,
    strict: bool | Collection[str] = False,
    documents: Container[str] | None = None,
) -> CheckedRun:
    """All findings about a run file, in the order of its lines.

    ``limit`` and ``unit`` replace those of the track; a topic's own limit takes precedence where the
    track has limits by topic. ``strict`` makes every warning an error, or those of the codes that it
    holds. ``documents`` contains the ids of the collection. Raises DataError where the topics cannot
    be read.
    """
    chosen = track(rules) if isinstance(rules, str) else rules
    if unit is not None:
        chosen = replace(chosen, unit=unit)
    requests = read_requests(topics) if isinstance(topics, Path) else (topics or {})
    return _Run(path, chosen, Expected(requests, limit, documents), strict).check()


class _Run:
    """The check of one file, one report in memory."""

    def __init__(
        self, path: Path, rules: Track, expected: Expected, strict: bool | Collection[str]
    ) -> None:
        self.path, self.found = path, Findings(path)
        self.rules, self.expected, self.strict = rules, expected, strict
        self.topics: dict[tuple[str, str], set[str]] = {}
        self.reports = 0

    def check(self) -> CheckedRun:
        try:
            for line in read_lines(self.path):
                self.found.extend(line.findings)
                if line.read:
                    self.reports += 1
                    self._check_report(line.value, partial(self._add, line=line.number))
        except DataError as error:
            self.found.extend(error.findings)
        else:
            self._check_topics()
        return CheckedRun(self.found.file, tuple(self.found.all()), self.reports, self.topics)

    def _add(
        self, code: Code, message: str, path: str, hint: str = "", line: int | None = None
    ) -> None:
        strict = self.strict if isinstance(self.strict, bool) else code in self.strict
        self.found.add(code, message, line, path, hint, self.rules.level(code, strict))

    def _check_report(self, value: Any, add: Add) -> None:
        """Checks the report in one line by the rules of the track, and notes its run and topic."""
        if not isinstance(value, dict):
            message = f"a report is an object, this is {json_kind(value)}"
            add(Code.WRONG_SHAPE, message, "$", "Write one report a line.")
            return
        head = _Head(value, self.rules, add)
        topic = head.check_topic()
        head.check_metadata()
        request = self.expected.topics.get(topic or "")
        Sentences(value, self.rules, self.expected, add).check(request)
        if topic is None:
            return
        if self.rules.exact_narrative and request is not None:
            narrative = head.metadata.get("narrative")
            if not narrative or narrative not in (request.title, request.problem_statement):
                message = "the narrative is not an exact copy of the topic's"
                add(Code.NARRATIVE, message, "$.metadata.narrative")
        team, run = (head.text(key) for key in ("team_id", "run_id"))
        if self.topics and (team, run) not in self.topics:
            message = f"the run is {run[:EXCERPT]!r} of {team[:EXCERPT]!r}, unlike before"
            add(Code.RUN_CHANGED, message, "$.metadata.run_id")
        topics = self.topics.setdefault((team, run), set())
        if topic in topics:
            add(Code.DUPLICATE_TOPICS, f"a second report on the topic {topic[:EXCERPT]!r}", "$")
        topics.add(topic)

    def _check_topics(self) -> None:
        """Adds findings on the whole file: missing topics, and topics that were not asked for."""
        if not self.reports and not self.found.errors:
            self._add(Code.EMPTY, "the file holds no reports", "", "Write one report a line.")
        known = set(self.expected.topics) or set(self.rules.topics)
        if not known:
            return
        for (_, run), topics in self.topics.items() or [(("", ""), set[str]())]:
            of = f" of {run[:EXCERPT]!r}" if len(self.topics) > 1 else ""
            if missing := in_order(known - topics):
                self._add(
                    Code.MISSING_TOPICS,
                    f"no report{of} on {topic_count(missing)}: {few(missing, 500)}",
                    "",
                )
            if new := in_order(topics - known):
                self._add(
                    Code.NEW_TOPICS,
                    f"reports{of} on {topic_count(new)} that were not asked for: {few(new)}",
                    "",
                )


def topic_count(ids: list[str]) -> str:
    """How many topics, in words."""
    return f"{len(ids):,} topic{'s' if len(ids) != 1 else ''}"


class _Head:
    """The topic and the metadata of one report."""

    def __init__(self, value: Mapping[str, Any], track: Track, add: Add) -> None:
        self._value, self._track, self._add = value, track, add
        self._place = "$" if track.flat else "$.metadata"
        metadata = value if track.flat else value.get("metadata")
        if not track.flat and "metadata" not in value:
            self._add(
                Code.KEY_MISSING,
                "the key 'metadata' is missing",
                "$",
                "Say whose run it is, and the topic.",
            )
        elif not isinstance(metadata, Mapping):
            self._add(
                Code.WRONG_SHAPE,
                f"the metadata are {json_kind(metadata)}, expected an object",
                "$.metadata",
            )
        self._readable = isinstance(metadata, Mapping)
        self.metadata: Mapping[str, Any] = metadata if isinstance(metadata, Mapping) else {}

    def text(self, key: str) -> str:
        value = self.metadata.get(key)
        return value if isinstance(value, str) else ""

    def check_topic(self) -> str | None:
        """The topic, wherever it is found; with a breach where it is not where the track wants it."""
        track = self._track
        if not track.loose:
            # All names of the topic must name the same one, whichever the track reads.
            names = [key for key in TOPIC_KEYS if self.metadata.get(key) is not None]
            for key in names:
                if type(self.metadata[key]) not in (str, int):
                    self._not_text(key, self.metadata[key])
            if len({str(self.metadata[key]) for key in names}) > 1:
                self._add(
                    Code.TOPICS_DIFFER, f"{' and '.join(names)} name different topics", self._place
                )
        wanted, place = (self._value, "$") if track.beside else (self.metadata, self._place)
        for key in track.topic:
            if wanted.get(key) is not None:
                return self._check_text(wanted[key], f"{place}.{key}")
            if key in wanted:
                place = f"{place}.{key}"  # it is null
        if not self._readable and not track.beside:
            return None  # the missing metadata were a breach already
        wanted_names = " or ".join(track.topic)
        for there, path in ((self.metadata, self._place), (self._value, "$")):
            other = next((key for key in TOPIC_KEYS if there.get(key) is not None), None)
            if other is not None:
                topic, where = there[other], f"{path}.{other}"
                if isinstance(topic, str) and not topic.strip():
                    self._blank_topic(where)
                self._add(
                    Code.TOPIC_KEY,
                    f"the topic is at {where}, the track wants it at {place}.{wanted_names}",
                    place,
                )
                return str(topic) if type(topic) in (str, int) else None
        self._add(Code.TOPIC_MISSING, f"the key {wanted_names} is missing", place)
        return None

    def _check_text(self, topic: Any, path: str) -> str | None:
        if isinstance(topic, str):
            if not topic.strip():
                self._blank_topic(path)
            return topic
        if type(topic) is not int:
            if self._track.loose:  # else it was a breach already
                self._add(
                    Code.WRONG_SHAPE, f"the topic is {json_kind(topic)}, expected a text", path
                )
            return None
        if not self._track.topic_number:
            self._add(Code.WRONG_SHAPE, "the topic is a number, expected a text", path, "Quote it.")
        return str(topic)

    def _blank_topic(self, path: str) -> None:
        self._add(Code.METADATA_BLANK, "the topic is empty", path, "Say which topic is answered.")

    def _not_text(self, key: str, value: Any) -> None:
        self._add(
            Code.WRONG_SHAPE,
            f"{key!r} is {json_kind(value)}, expected a text",
            f"{self._place}.{key}",
        )

    def check_metadata(self) -> None:
        track, metadata, place = self._track, self.metadata, self._place
        if metadata or track.flat:
            for key in (*track.mandatory, *track.recommended):
                if key not in track.topic:
                    self._check_presence(key)
        texts = set(track.mandatory if track.loose else TEXTS) - {*track.topic, *track.values}
        for key in sorted(texts):
            if not isinstance(metadata.get(key), str | None):
                self._not_text(key, metadata[key])
        for key, allowed in track.values.items():
            value = metadata.get(key)
            empty = value is None or (value == "" and key in track.mandatory)
            # 1 and true are equal in Python, not in a run file
            if not empty and not any(value == one and type(value) is type(one) for one in allowed):
                self._add(
                    Code.METADATA_VALUE,
                    f"{key!r} is {value!r:.{EXCERPT}}",
                    f"{place}.{key}",
                    f"Write one of: {', '.join(map(str, allowed))}.",
                )
        run, most = metadata.get("run_id"), track.run_id_length
        if isinstance(run, str) and most is not None and len(run) > most:
            self._add(
                Code.RUN_ID_LENGTH,
                f"the run_id has {len(run)} characters, at most {most} are allowed",
                f"{place}.run_id",
            )
        if not track.other_metadata:
            for key in sorted(set(metadata) - {*track.mandatory, *track.recommended}):
                self._add(
                    Code.METADATA_EXTRA, f"the track has no key {key[:EXCERPT]!r}", step(place, key)
                )

    def _check_presence(self, key: str) -> None:
        needed, value = key in self._track.mandatory, self.metadata.get(key)
        code = Code.METADATA if needed else Code.METADATA_RECOMMENDED
        word = "mandatory" if needed else "recommended"
        path = f"{self._place}.{key}" if key in self.metadata else self._place
        if value is None:
            self._add(code, f"the metadata lack {key!r}, which is {word}", path, f"Add {key!r}.")
        elif isinstance(value, str) and not value.strip():
            blank = Code.METADATA_BLANK if needed else code
            self._add(blank, f"{key!r} is empty, and {word}", path, f"Fill in {key!r}.")


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
            self._add(
                Code.KEY_MISSING,
                f"the key {wanted!r} is missing",
                "$",
                'Write the report as a list of {"text", "citations"}.',
            )
            return
        if key not in self._track.sentences:
            self._add(
                Code.SENTENCES_KEY,
                f"the sentences are under {key!r}, the track wants {wanted!r}",
                "$",
            )
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
            self._add(
                Code.WRONG_SHAPE, f"the text is {json_kind(text)}", f"{path}.text", "Write a text."
            )
        else:
            self._texts.append(text)
            if not text.strip():
                self._add(Code.BLANK_SENTENCE, "the sentence is empty", f"{path}.text")
            if found := _CONTROL.search(text):
                self._add(
                    Code.CONTROL_CHARACTERS,
                    f"the text holds U+{ord(found.group()):04X}",
                    f"{path}.text",
                )
        if row.get("citations") is not None:
            self._check_citations(row["citations"], f"{path}.citations")
        else:
            where = f"{path}.citations" if "citations" in row else path
            self._add(Code.NULL_CITATIONS, "the sentence has no list of citations", where)

    def _check_citations(self, cites: Any, path: str) -> None:
        if (form := self._form(cites, path)) is None:
            return
        if form != "list" and form not in self._track.forms:
            self._add(
                Code.CITATION_FORMAT,
                f"the sentence cites by {form}",
                path,
                f"The track has: {' or '.join(self._track.forms)}.",
            )
            ids = cites if form != "indices" else map(self._reference, cites)
            self._cited.update(id for id in ids if id is not None)
            return
        most = self._track.citations
        if most is not None and len(cites) > most:
            self._add(
                Code.CITATION_COUNT, f"{len(cites)} citations, at most {most} are judged", path
            )
        for place, one in enumerate(cites):
            where = step(path, one) if form == "scores" else f"{path}[{place}]"
            id = self._reference(one) if form == "indices" else str(one)
            if id is None:
                self._add(
                    Code.REFERENCE_INDEX,
                    f"index {one} of {len(self._listed or ())} references",
                    where,
                )
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
            self._add(
                code, f"the {what} {id[:EXCERPT]!r} {fault}", path, f"Ids look like: {pattern}"
            )
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
            self._add(
                Code.WRONG_SHAPE, f"the references are {json_kind(value)}, expected {wanted}", path
            )
            return None
        for place, one in enumerate(value):
            if not isinstance(one, str) and not (self._track.id_number and type(one) is int):
                self._add(
                    Code.WRONG_SHAPE,
                    f"a reference is {json_kind(one)}, expected an id",
                    f"{path}[{place}]",
                )
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
            self._add(
                Code.REFERENCES_MAX, f"{len(listed)} references, at most {most} are allowed", path
            )

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
