"""Which questions were answered, and how are a thousand faults told in a page?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable

from argue_bench.errors import Code, Finding, Level
from argue_bench.loaders.dataset import Dataset

MOST_OF_A_KIND = 100
FIRST_IDS = 20


class Findings:
    """Findings about one file. After the first hundred of a kind the rest is only counted."""

    def __init__(self, file: str, most: int = MOST_OF_A_KIND) -> None:
        self.file, self.errors = file, 0
        self._most = most
        self._kept: list[Finding] = []
        self._counts: Counter[tuple[Code, Level]] = Counter()

    def add(
        self,
        code: Code,
        message: str,
        line: int | None,
        path: str = "",
        hint: str = "",
        level: Level = "error",
    ) -> None:
        self.extend([Finding(code, message, self.file, line, path, hint, level)])

    def extend(self, findings: Iterable[Finding]) -> None:
        for finding in findings:
            self.errors += finding.level == "error"
            kind = (finding.code, finding.level)
            self._counts[kind] += 1
            if self._counts[kind] <= self._most:
                self._kept.append(finding)

    def all(self) -> list[Finding]:
        """What was kept, in the order found, then one line for each kind that was cut."""
        cut = [
            Finding(code, f"and {count - self._most:,} more of this kind", self.file, level=level)
            for (code, level), count in sorted(self._counts.items())
            if count > self._most
        ]
        return self._kept + cut


def coverage(
    ids: Collection[str], dataset: Dataset, file: str = "", level: Level = "error"
) -> list[Finding]:
    """What is missing from the answers to these ids, and what they should not hold; sorted.

    Never more than two findings: questions without an answer, and ids that are no question's.
    """
    known = dataset.by_id.keys()
    missing, unknown = sorted(known - set(ids)), sorted(set(ids) - known)
    findings = []
    if missing:
        findings.append(
            Finding(
                Code.MISSING_IDS,
                f"{len(missing)} of {len(known)} questions have no answer: {_first(missing)}",
                file,
                hint="Answer every question, with an empty text where there is no answer.",
                level=level,
            )
        )
    if unknown:
        were = "id is that of no question" if len(unknown) == 1 else "ids are those of no question"
        findings.append(
            Finding(
                Code.UNKNOWN_IDS,
                f"{len(unknown)} {were}: {_first(unknown)}",
                file,
                hint="Copy the ids from the questions of this split.",
                level=level,
            )
        )
    return findings


def _first(ids: list[str]) -> str:
    shown = ", ".join(
        id if id.isprintable() and len(id) <= 80 else f"{id[:80]!r}" for id in ids[:FIRST_IDS]
    )
    return f"{shown} and {len(ids) - FIRST_IDS:,} more" if len(ids) > FIRST_IDS else shown
