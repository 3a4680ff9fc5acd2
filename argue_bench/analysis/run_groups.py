"""Which group does a run belong to? A file of lines ``run group``, or one JSON object of both."""

from __future__ import annotations

from pathlib import Path

from argue_bench.analysis.score_table import word_lines
from argue_bench.errors import Code, DataError, Finding
from argue_bench.records.untrusted import read_json


def read_groups(path: Path) -> dict[str, str]:
    """Run to group. Raises DataError with every finding."""
    if path.suffix == ".json":
        value = read_json(path)
        if not isinstance(value, dict) or not all(isinstance(g, str) for g in value.values()):
            raise DataError.of(Code.NOT_GROUPS, "expected one JSON object of run to group", path)
        return value
    groups: dict[str, str] = {}
    findings = []
    for number, words in word_lines(path):
        if isinstance(words, Finding):
            findings.append(words)
        elif len(words) != 2:
            message = f"the line has {len(words)} words, expected 2: run group"
            findings.append(Finding(Code.COLUMNS, message, str(path), number))
        elif groups.setdefault(words[0], words[1]) != words[1]:
            message = f"the run {words[0]} is in {groups[words[0]]} and in {words[1]}"
            findings.append(
                Finding(Code.TWO_GROUPS, message, str(path), number, hint="Keep one of them.")
            )
    if not groups and not findings:
        findings.append(Finding(Code.NO_GROUPS, "there is no group in it", str(path)))
    if findings:
        raise DataError(findings)
    return groups
