"""The group of each run: a file of lines ``run group``, or one JSON object of both."""

from __future__ import annotations

from pathlib import Path

from argue_bench.analysis.score_table import read_columns
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
    for item in read_columns(path, "run", "group"):
        if isinstance(item, Finding):
            findings.append(item)
            continue
        number, words = item
        run, group = words["run"], words["group"]
        if groups.setdefault(run, group) != group:
            why = f"the run {run} is in {groups[run]} and in {group}"
            hint = "Keep one of them."
            findings.append(Finding(Code.TWO_GROUPS, why, str(path), number, hint=hint))
    if not groups and not findings:
        findings.append(Finding(Code.NO_GROUPS, "the file names no group", str(path)))
    if findings:
        raise DataError(findings)
    return groups
