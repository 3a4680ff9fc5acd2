"""What may be sent to a model? Temperature, seed, a schema for the reply, the name of its token limit.

``capabilities.json`` beside this file says it by provider and model; a file named by
``ARGUE_BENCH_CAPABILITIES`` has rows that come before those. What a server refuses all the same is dropped.
Each row says where it was read and when (``source``, ``checked``), or that it is unverified.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from argue_bench.errors import Code, DataError, Finding
from argue_bench.records.untrusted import read_json

VARIABLE = "ARGUE_BENCH_CAPABILITIES"
_TEXTS = ("provider", "model", "source", "checked", "note")
_CHOICES: dict[str, tuple[Any, ...]] = {
    "temperature": (True, False),
    "seed": (True, False),
    "limit": ("max_tokens", "max_completion_tokens"),
    "structured": ("json_schema", "none"),
    "reasoning": (True, False),
}


@dataclass(frozen=True)
class Capabilities:
    """What one model accepts, and whether it thinks before it answers."""

    temperature: bool = True
    seed: bool = True
    limit: str = "max_tokens"
    structured: str = "json_schema"
    reasoning: bool = False


def capabilities(provider: str, model: str, known: Mapping[str, str]) -> Capabilities:
    """What the tables say of a model. Raises DataError for a table that is none."""
    rows = _rows(Path(known[VARIABLE])) if known.get(VARIABLE) else []
    rows += _rows(Path(__file__).with_name("capabilities.json"))
    fitting = [
        row
        for row in rows
        if fnmatchcase(provider, row["provider"]) and fnmatchcase(model, row["model"])
    ]
    merged = {**fitting[-1], **fitting[0]}
    names = [field.name for field in fields(Capabilities)]
    return Capabilities(**{name: merged[name] for name in names if name in merged})


def _rows(path: Path) -> list[dict[str, Any]]:
    value = read_json(path)
    rows = value.get("models") if isinstance(value, dict) else None
    if not isinstance(rows, list):
        raise DataError.of(
            Code.NOT_A_TABLE,
            'there is no {"models": [...]}',
            path,
            hint=f"Mend the file that {VARIABLE} names.",
        )
    findings = []
    for number, row in enumerate(rows):
        for message in _problems(row):
            findings.append(
                Finding(Code.CAPABILITY, message, str(path), None, f"$.models[{number}]")
            )
    if findings:
        raise DataError(findings)
    return rows


def _problems(row: Any) -> list[str]:
    if not isinstance(row, dict):
        return ["this is not an object"]
    texts = [
        f"{name} is not a text"
        for name in _TEXTS
        if not isinstance(row.get(name, None if name in ("provider", "model") else ""), str)
    ]
    for name, value in row.items():
        if name in _TEXTS:
            continue
        if name not in _CHOICES:
            texts.append(f"no capability is called {name!r}; known: {', '.join(_CHOICES)}")
        elif value not in _CHOICES[name]:
            texts.append(f"{name} is {value!r}, not {' or '.join(map(repr, _CHOICES[name]))}")
    return texts
