"""`check_run`: whether a run file is what its track asks for; every finding at once.

Beside the track's own rules: one run a file, each topic once and among those asked for, indices that
name a reference, texts without control characters, cited documents that the collection has.
"""

from __future__ import annotations

from collections.abc import Collection, Container, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from argue_bench.errors import Code, DataError, Finding
from argue_bench.loaders.findings import EXCERPT, Findings, few, in_order
from argue_bench.loaders.nuggets import read_requests
from argue_bench.loaders.trec.report import CheckedReport, check_report
from argue_bench.loaders.trec.sentences import Expected
from argue_bench.loaders.trec.tracks import Track, track
from argue_bench.records import Request
from argue_bench.records.untrusted import read_lines

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
    expected = Expected(requests, limit, documents)
    return _Run(path, chosen, expected, strict).check()


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
                    report = check_report(line.value, self.rules, self.expected)
                    for breach in report.breaches:
                        self._add(*breach, line=line.number)
                    self._check_run(report, line.number)
        except DataError as error:
            self.found.extend(error.findings)
        else:
            self._check_topics()
        return CheckedRun(self.found.file, tuple(self.found.all()), self.reports, self.topics)

    def _add(
        self, code: Code, message: str, path: str, hint: str = "", line: int | None = None
    ) -> None:
        strict = self.strict if isinstance(self.strict, bool) else code in self.strict
        level = self.rules.level(code, strict)
        self.found.add(code, message, line, path, hint, level)

    def _check_run(self, report: CheckedReport, line: int) -> None:
        if report.topic is None:
            return
        run = (report.team, report.run)
        if self.topics and run not in self.topics:
            message = (
                f"the run is {report.run[:EXCERPT]!r} of {report.team[:EXCERPT]!r}, unlike before"
            )
            self._add(Code.RUN_CHANGED, message, "$.metadata.run_id", line=line)
        topics = self.topics.setdefault(run, set())
        if report.topic in topics:
            message = f"a second report on the topic {report.topic[:EXCERPT]!r}"
            self._add(Code.DUPLICATE_TOPICS, message, "$", line=line)
        topics.add(report.topic)

    def _check_topics(self) -> None:
        """Adds what only the whole file shows: missing topics, and topics that were not asked for."""
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
