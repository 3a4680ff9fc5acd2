"""Is a report run what its track asks for? Every finding at once, one report in memory.

Beside the track's own rules it checks what nobody checks: one run a file, each topic once and asked
for, indices that name a reference, characters that are none, cited documents that the collection has.
"""

from __future__ import annotations

from collections.abc import Collection, Container, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from argue_bench.errors import Code, DataError, Finding
from argue_bench.loaders.coverage import Findings
from argue_bench.loaders.nuggets import read_requests
from argue_bench.loaders.trec.report import Seen, check_report
from argue_bench.loaders.trec.sentences import Expected
from argue_bench.loaders.trec.tracks import Track, track
from argue_bench.loaders.trec.wording import few, in_order
from argue_bench.records import Request
from argue_bench.records.untrusted import DEFAULT_LIMITS, Limits, read_lines

Unit = Literal["characters", "words"]


@dataclass(frozen=True)
class CheckedRun:
    """What a run file holds and what is wrong with it."""

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
    limits: Limits = DEFAULT_LIMITS,
    name: str = "",
) -> CheckedRun:
    """All findings about a run file, in the order of its lines.

    ``limit`` and ``unit`` replace those of the track; a topic's own limit takes precedence where the
    track has limits by topic. ``strict`` makes every warning an error, or those of the codes that it holds. ``documents`` is whatever
    knows the ids of the collection. Raises DataError where the topics cannot be read.
    """
    chosen = track(rules) if isinstance(rules, str) else rules
    if unit is not None:
        chosen = replace(chosen, unit=unit)
    asked = read_requests(topics) if isinstance(topics, Path) else (topics or {})
    return _Run(name or str(path), chosen, Expected(asked, limit, documents), strict).check(
        path, limits
    )


class _Run:
    def __init__(
        self, file: str, rules: Track, asked: Expected, strict: bool | Collection[str]
    ) -> None:
        self.found = Findings(file)
        self.rules, self.asked, self.strict = rules, asked, strict
        self.runs: dict[tuple[str, str], set[str]] = {}
        self.refused: set[str] = set()
        self.reports = 0

    def add(self, code: Code, message: str, line: int | None, path: str, hint: str) -> None:
        hard = self.strict if isinstance(self.strict, bool) else code in self.strict
        level = self.rules.level(code, hard)
        self.found.add(code, message, line, path, hint, level)

    def check(self, path: Path, limits: Limits) -> CheckedRun:
        try:
            for line in read_lines(path, limits, self.found.file):
                self.found.extend(line.findings)
                if line.ok and not line.blank:
                    self._line(line.number, line.value)
        except DataError as error:
            self.found.extend(error.findings)
        else:
            self._whole()
        return CheckedRun(self.found.file, tuple(self.found.all()), self.reports, self.runs)

    def _line(self, number: int, value: object) -> None:
        def add(code: Code, message: str, path: str, hint: str) -> None:
            self.add(code, message, number, path, hint)

        self.reports += 1
        seen = check_report(value, self.rules, self.asked, add)
        if seen.topic is not None:
            self._seen(number, seen, seen.topic)

    def _seen(self, number: int, seen: Seen, topic: str) -> None:
        run = (seen.team, seen.run)
        if self.runs and run not in self.runs:
            self.add(
                Code.RUN_CHANGED,
                f"the run is {seen.run[:80]!r} of {seen.team[:80]!r}, unlike before",
                number,
                "$.metadata.run_id",
                "One run a file is what tracks take.",
            )
        topics = self.runs.setdefault(run, set())
        if topic in topics:
            self.add(
                Code.DUPLICATE_TOPICS,
                f"a second report on the topic {topic[:80]!r}",
                number,
                "$",
                "Keep one of the two.",
            )
        topics.add(topic)

    def _whole(self) -> None:
        """What only the whole file shows: topics that are missing, topics that nobody asked for."""
        if not self.reports and not self.found.errors:
            self.add(Code.EMPTY, "the file holds no reports", None, "", "Write one report a line.")
        known = set(self.asked.topics) or set(self.rules.topics)
        if not known:
            return
        for (_, run), topics in self._runs():
            of = f" of {run[:80]!r}" if len(self.runs) > 1 else ""
            if missing := in_order(known - topics):
                self.add(
                    Code.MISSING_TOPICS,
                    f"no report{of} on {topic_count(missing)}: {few(missing, 500)}",
                    None,
                    "",
                    "Answer every topic.",
                )
            if new := in_order(topics - known):
                self.add(
                    Code.NEW_TOPICS,
                    f"reports{of} on {topic_count(new)} that nobody asked for: {few(new)}",
                    None,
                    "",
                    "Copy the ids from the topics file.",
                )

    def _runs(self) -> Iterator[tuple[tuple[str, str], set[str]]]:
        yield from self.runs.items() or [(("", ""), set())]


def topic_count(ids: list[str]) -> str:
    """How many topics, in words."""
    return f"{len(ids):,} topic{'s' if len(ids) != 1 else ''}"
