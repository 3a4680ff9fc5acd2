"""Parameters that a model accepts, and its price, from two tables by provider and model.

``capabilities.json`` and ``prices.json`` beside this file; rows of the files that
``ARGUE_BENCH_CAPABILITIES`` and ``ARGUE_BENCH_PRICES`` name come before theirs. The first row whose
patterns fit counts. Each row names the page where it was read and the day, or says that it is unverified.
"""

from __future__ import annotations

from collections.abc import Mapping
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Annotated, Generic, Literal, TypeVar

from pydantic import Field

from argue_bench.errors import Code
from argue_bench.models.budget import Price
from argue_bench.records.untrusted import read_json
from argue_bench.records.validation import Record, validate

CAPABILITIES, PRICES = "ARGUE_BENCH_CAPABILITIES", "ARGUE_BENCH_PRICES"
_CAPABILITY_HINT = f"Correct the file that {CAPABILITIES} names."
_PRICE_HINT = (
    'Write {"models": [{"provider": ..., "model": ..., "in": 0.15, "out": 0.6}]}, in US dollars for a '
    "million tokens."
)


class Capabilities(Record):
    """Parameters that a model accepts. ``reasoning``: whether it thinks before it answers."""

    temperature: bool = True
    seed: bool = True
    limit: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    structured: Literal["json_schema", "none"] = "json_schema"
    reasoning: bool = False


class _Row(Record):
    provider: str
    model: str
    source: str = ""
    checked: str = ""
    note: str = ""

    def fits(self, provider: str, model: str) -> bool:
        return fnmatchcase(provider, self.provider) and fnmatchcase(model, self.model)


class _CapabilityRow(_Row, Capabilities):
    pass


class _PriceRow(_Row):
    tokens_in: Annotated[float, Field(alias="in", ge=0)]
    tokens_out: Annotated[float, Field(alias="out", ge=0)]


_AnyRow = TypeVar("_AnyRow", bound=_Row)


class _Table(Record, Generic[_AnyRow]):
    about: str = ""
    models: tuple[_AnyRow, ...]


def capabilities_of(provider: str, model: str, known: Mapping[str, str]) -> Capabilities:
    """The parameters that a model accepts; the table's last row completes the model's own.

    ``known`` is the environment. Raises DataError for a table with errors.
    """
    rows = [
        row
        for file in _files(known.get(CAPABILITIES), "capabilities.json")
        for row in validate(
            _Table[_CapabilityRow],
            read_json(file),
            Code.CAPABILITY,
            file,
            codes={"missing": Code.NOT_A_TABLE},
            hint=_CAPABILITY_HINT,
        ).models
        if row.fits(provider, model)
    ]
    given = [row.model_dump(exclude_unset=True) for row in (rows[-1], rows[0])]
    names = Capabilities.model_fields
    return Capabilities(**{name: row[name] for row in given for name in names if name in row})


def price_of(provider: str, model: str, known: Mapping[str, str]) -> Price | None:
    """The price of a model; None where no row fits, which does not mean that it is free.

    ``known`` is the environment. Raises DataError for a table with errors.
    """
    for file in _files(known.get(PRICES), "prices.json"):
        value = read_json(file)
        table = validate(_Table[_PriceRow], value, Code.NOT_A_PRICE, file, hint=_PRICE_HINT)
        for row in table.models:
            if row.fits(provider, model):
                return Price(row.tokens_in, row.tokens_out)
    return None


def _files(named: str | None, shipped: str) -> list[Path]:
    return [*([Path(named)] if named else []), Path(__file__).with_name(shipped)]
