"""`check_run`: checks a run file by the rules of its track, and returns every finding at once.

Beside the track's own rules: one run a file, each topic once and among those asked for, indices that
name a reference, texts without control characters, cited documents that the collection has.
"""

from __future__ import annotations

from collections.abc import Collection, Container, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from argue_bench.errors import Code, DataError, Finding
from argue_bench.loaders.answer_parser import TOPIC_KEYS
from argue_bench.loaders.findings import EXCERPT, Findings, few, in_order, json_kind, step
from argue_bench.published.trec.report_sentences import Add, Expected, Sentences
from argue_bench.published.trec.topic_files import read_requests
from argue_bench.published.trec.tracks import TEXTS, Track, track
from argue_bench.records import Request
from argue_bench.records.untrusted import read_lines
from argue_bench.text.cutting import Unit


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
            message = f"a second report on the topic {topic[:EXCERPT]!r}"
            add(Code.DUPLICATE_TOPICS, message, "$")
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
                message = f"no report{of} on {topic_count(missing)}: {few(missing, 500)}"
                self._add(Code.MISSING_TOPICS, message, "")
            if new := in_order(topics - known):
                message = f"reports{of} on {topic_count(new)} that were not asked for: {few(new)}"
                self._add(Code.NEW_TOPICS, message, "")


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
            hint = "Say whose run it is, and the topic."
            self._add(Code.KEY_MISSING, "the key 'metadata' is missing", "$", hint)
        elif not isinstance(metadata, Mapping):
            message = f"the metadata are {json_kind(metadata)}, expected an object"
            self._add(Code.WRONG_SHAPE, message, "$.metadata")
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
                message = f"{' and '.join(names)} name different topics"
                self._add(Code.TOPICS_DIFFER, message, self._place)
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
                message = f"the topic is at {where}, the track wants it at {place}.{wanted_names}"
                self._add(Code.TOPIC_KEY, message, place)
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
                message = f"the topic is {json_kind(topic)}, expected a text"
                self._add(Code.WRONG_SHAPE, message, path)
            return None
        if not self._track.topic_number:
            self._add(Code.WRONG_SHAPE, "the topic is a number, expected a text", path, "Quote it.")
        return str(topic)

    def _blank_topic(self, path: str) -> None:
        self._add(Code.METADATA_BLANK, "the topic is empty", path, "Say which topic is answered.")

    def _not_text(self, key: str, value: Any) -> None:
        message = f"{key!r} is {json_kind(value)}, expected a text"
        self._add(Code.WRONG_SHAPE, message, f"{self._place}.{key}")

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
                hint = f"Write one of: {', '.join(map(str, allowed))}."
                message = f"{key!r} is {value!r:.{EXCERPT}}"
                self._add(Code.METADATA_VALUE, message, f"{place}.{key}", hint)
        run, most = metadata.get("run_id"), track.run_id_length
        if isinstance(run, str) and most is not None and len(run) > most:
            message = f"the run_id has {len(run)} characters, at most {most} are allowed"
            self._add(Code.RUN_ID_LENGTH, message, f"{place}.run_id")
        if not track.other_metadata:
            for key in sorted(set(metadata) - {*track.mandatory, *track.recommended}):
                message = f"the track has no key {key[:EXCERPT]!r}"
                self._add(Code.METADATA_EXTRA, message, step(place, key))

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
