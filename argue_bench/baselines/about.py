"""How was this file of answers made? OUT.about.json beside it, read before a line is added.

Answers of two kinds are never mixed: where OUT holds answers and was begun with another model, prompt, data
set or setting, the run is refused and says what differs.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from argue_bench import __version__
from argue_bench.errors import Code, DataError, UsageError
from argue_bench.records.atomic import atomic_write
from argue_bench.records.untrusted import read_json


@dataclass(frozen=True)
class Places:
    """The files of a run: answers, what is said of them, and the store, which others may share."""

    out: Path
    named: Path | None = None

    @property
    def store(self) -> Path:
        return self.named or self.out.with_name(f"{self.out.stem}.replies")

    @property
    def about(self) -> Path:
        return self.out.with_name(f"{self.out.stem}.about.json")

    def earlier(self, header: Mapping[str, str]) -> float:
        """How many seconds earlier runs into OUT took.

        Raises UsageError where answers are there of which nothing is known, or may have no company,
        and DataError where they were made otherwise than ``header`` says.
        """
        if self.out.parent.name.endswith("-generations"):
            raise UsageError(
                f"{self.out.parent} may hold submissions alone, and a model's answers have more files "
                "beside them: write them elsewhere, then copy the finished file"
            )
        if not self.out.exists() or not self.out.stat().st_size:
            return 0.0
        if not self.about.exists():
            raise UsageError(
                f"{self.out} is there already, and no {self.about.name} says how it was made: name "
                "another --out"
            )
        known = read_about(self.about)
        names = [name for name in header if known.get(name) != header[name]]
        if names:
            differences = "; ".join(
                f"{name}: {known.get(name, 'none')!s:.80}, now {header[name]:.80}" for name in names
            )
            raise DataError.of(
                Code.OTHER_RUN,
                f"these answers were begun otherwise ({differences})",
                self.out,
                hint="Name another --out, or remove this file.",
            )
        return float(known["seconds"])

    def say(self, header: Mapping[str, str], seconds: float, made: Mapping[str, Any]) -> None:
        """Writes what is known by now. Raises DataError."""
        about = {
            "schema": 1,
            "argue_bench": __version__,
            "made": datetime.now(UTC).isoformat(timespec="seconds"),
            **header,
            "seconds": round(seconds, 1),
            **made,
        }
        with atomic_write(self.about) as file:
            file.write(json.dumps(about, ensure_ascii=False, indent=2) + "\n")


_COUNTS = ("seconds", "questions", "answered", "tokens_in", "tokens_out")


def read_about(path: Path) -> Mapping[str, Any]:
    """What an OUT.about.json says: ``model``, ``setting``, ``prompt`` are texts, its counts numbers,
    ``cost`` a number or None, ``empty`` a list. Raises DataError where it is none."""
    found = read_json(path)
    if (
        not isinstance(found, dict)
        or not all(_counted(found.get(name)) for name in _COUNTS)
        or not all(isinstance(found.get(name), str) for name in ("model", "setting", "prompt"))
        or not (found.get("cost") is None or _counted(found["cost"]))
        or not isinstance(found.get("empty"), list)
    ):
        raise DataError.of(
            Code.NO_ABOUT,
            "this does not say how answers were made",
            path,
            hint="Name what generate wrote; answers of which nothing is known are left alone.",
        )
    return found


def _counted(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and value >= 0
