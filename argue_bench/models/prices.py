"""What does a model cost? US dollars for a million tokens, by provider and model.

``prices.json`` beside this file; a file named by ``ARGUE_BENCH_PRICES`` has rows that come before those. A
model without a row has no price, which is not the same as costing nothing.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from argue_bench.errors import Code, DataError
from argue_bench.records.untrusted import read_json

VARIABLE = "ARGUE_BENCH_PRICES"
_MILLION = 1_000_000


@dataclass(frozen=True)
class Price:
    """US dollars for a million tokens read and written."""

    tokens_in: float
    tokens_out: float

    def of(self, tokens_in: float, tokens_out: float) -> float:
        """US dollars for this many tokens."""
        return (self.tokens_in * tokens_in + self.tokens_out * tokens_out) / _MILLION


def price_of(provider: str, model: str, known: Mapping[str, str]) -> Price | None:
    """The price of a model, None where no table has it. Raises DataError for a table that is none."""
    rows = _rows(Path(known[VARIABLE])) if known.get(VARIABLE) else []
    rows += _rows(Path(__file__).with_name("prices.json"))
    for row in rows:
        if fnmatchcase(provider, row["provider"]) and fnmatchcase(model, row["model"]):
            return Price(row["in"], row["out"])
    return None


def _rows(path: Path) -> list[dict[str, Any]]:
    value = read_json(path)
    rows = value.get("models") if isinstance(value, dict) else None
    wrong = (
        "$"
        if not isinstance(rows, list)
        else next(
            (f"$.models[{number}]" for number, row in enumerate(rows) if not _is_price(row)), ""
        )
    )
    if wrong:
        raise DataError.of(
            Code.NOT_A_PRICE,
            "this is not a price",
            path,
            None,
            wrong,
            (
                'Write {"models": [{"provider": ..., "model": ..., "in": 0.15, "out": 0.6}]}, in US '
                "dollars for a million tokens."
            ),
        )
    return list(rows or ())


def _is_price(row: Any) -> bool:
    return (
        isinstance(row, dict)
        and all(isinstance(row.get(name), str) for name in ("provider", "model"))
        and all(
            isinstance(row.get(name), (int, float))
            and not isinstance(row[name], bool)
            and math.isfinite(row[name])
            and row[name] >= 0
            for name in ("in", "out")
        )
    )
