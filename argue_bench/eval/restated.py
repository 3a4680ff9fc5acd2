"""Puts another signature at the head of a run file, where asking has shown that the first one was not so.

A server may refuse a parameter that its table promised; what was dropped is then a part of how the
scores were made.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, replace
from pathlib import Path

from argue_bench.eval.run import read_header
from argue_bench.records.atomic import atomic_write


def restate(path: Path, signature: Mapping[str, Mapping[str, str]]) -> None:
    """Writes the run file anew with these signatures; all else of it stays. Raises DataError."""
    header = replace(read_header(path), signature=dict(signature))
    with path.open(encoding="utf-8") as before, atomic_write(path) as file:
        next(before)
        line = {"header": asdict(header)}
        file.write(json.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n")
        for line_of_before in before:
            file.write(line_of_before)
