"""Canonical JSON: the one sequence of bytes of a value, so that it can be hashed and signed.

Keys are sorted, nothing is blank, text is UTF-8 as it is, no line break ends it. Readers compare a
file with the canonical bytes of its values: two files that differ in a byte differ in a value, and
no two parsers can disagree on what was signed.
"""

from __future__ import annotations

import json
from collections.abc import Collection
from typing import Any, TypeVar

from argue_bench.errors import Code, DataError
from argue_bench.records.untrusted import Limits, parse_json
from argue_bench.records.validation import validate

T = TypeVar("T")


def canonical(value: Any) -> bytes:
    """The bytes of a JSON value that are hashed and signed. Raises ValueError on NaN."""
    # Python writes the shortest digits of a float that read back as it, on every machine alike.
    return json.dumps(
        value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False
    ).encode()


def parse_canonical(
    kind: type[T],
    raw: bytes,
    limits: Limits,
    label: str,
    line: int | None = None,
    required: Collection[str] = (),
    hint: str = "",
) -> T:
    """The record in canonical bytes. Raises DataError with every finding at once."""
    value = parse_json(raw, label, line, limits)
    record = validate(
        kind,
        value,
        Code.WRONG_VALUE,
        label,
        line,
        codes=dict.fromkeys(("shape", "missing", "unknown"), Code.WRONG_SHAPE),
        required=required,
        hint=hint,
    )
    # So one value has one file: no other bytes pass for what was signed.
    if canonical(value) != raw:
        why = "these are not the canonical bytes of its values"
        raise DataError.of(Code.NOT_CANONICAL, why, label, line, hint=hint)
    return record
