"""TREC's submission forms: the team of a run, and how the run was made; one JSON object a line
(``*.jl``).

    {"runtag", "org", "email", "date", "task", "std-priority": "1 (top)", "std-description", ...}

Source: the forms of NIST's evaluation base as track-veil 4145744 has them (``metadata/TASK/*.jl``). A form's
other keys are the track's own questions; they are kept as text.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from argue_bench.errors import Code
from argue_bench.loaders.findings import Findings
from argue_bench.records.untrusted import GOLD_LIMITS, read_lines

_KNOWN = ("runtag", "org", "email", "date", "task", "std-priority")
_HINT = 'A form is one object a line: {"runtag": ..., "org": ..., ...}.'
# What track-veil writes for an address.
REMOVED = "[REDACTED]"


@dataclass(frozen=True)
class SubmissionForm:
    """The form of one run."""

    run: str
    team: str
    email: str = ""
    """Empty where it is not given or was removed."""
    date: str = ""
    task: str = ""
    priority: str = ""
    """As the team wrote it, such as "1 (top)"."""
    answers: Mapping[str, str] = field(default_factory=dict)
    """The track's own questions to what the team answered."""

    @property
    def description(self) -> str:
        """The description of the run by its team, one answer on each line."""
        return "\n".join(f"{key}: {value}" for key, value in self.answers.items())


def read_forms(path: Path) -> dict[str, SubmissionForm]:
    """The forms in a file by run. Raises DataError with every finding: shapes, and a run with two forms."""
    found = Findings(path)
    forms: dict[str, SubmissionForm] = {}
    for line in read_lines(path, GOLD_LIMITS):
        found.extend(line.findings)
        if not line.read:
            continue
        row = line.value if isinstance(line.value, dict) else {}
        run, team = row.get("runtag"), row.get("org")
        if not isinstance(run, str) or not run.strip():
            found.add(Code.KEY_MISSING, "the form names no runtag", line.number, hint=_HINT)
            continue
        if run in forms:
            why = f"a second form of the run {run!r:.80}"
            found.add(Code.DUPLICATE_ID, why, line.number, hint="Keep the last one that was sent.")
            continue
        email = _text(row.get("email"))
        forms[run] = SubmissionForm(
            run,
            _text(team),
            "" if email == REMOVED else email,
            _text(row.get("date")),
            _text(row.get("task")),
            _text(row.get("std-priority")),
            {key: _text(value) for key, value in row.items() if key not in _KNOWN and value},
        )
    if not forms and not found.errors:
        found.add(Code.KEY_MISSING, "the file holds no form", hint=_HINT)
    found.raise_errors()
    return forms


def _text(value: Any) -> str:
    """An answer as text: lists of choices are joined."""
    if isinstance(value, list):
        return ", ".join(map(_text, value))
    return "" if value is None else str(value)
