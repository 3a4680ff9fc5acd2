"""Published results on the rows of a label set: balanced accuracy by model, with its source."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from argue_bench.judges.base import Judge


@dataclass(frozen=True)
class PublishedFigures:
    """Balanced accuracy of other judges on one set, as shares, and where it was published."""

    source: str = ""
    models: Mapping[str, float] = field(default_factory=dict)
    own: Mapping[str, str] = field(default_factory=dict)
    """The name in ``models`` of a checkpoint, by that of its form."""

    def of(self, judge: Judge) -> float | None:
        """The published value of this very judge; None where there is none."""
        form = judge.identity().get("input", "")
        name = judge.name.rpartition("/")[2].rpartition(":")[2].lower()
        model = self.own.get(form) or self.own.get(name)
        return self.models[model] if model else None


@cache
def _tables() -> dict[str, Any]:
    text = Path(__file__).with_name("published.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


def published_on(name: str) -> PublishedFigures:
    """The published results on the set of this name; empty where no source used the same rows."""
    for table in _tables().values():
        if name in table["sets"]:
            place = table["sets"].index(name)
            models = {model: row[place] / 100 for model, row in table["models"].items()}
            return PublishedFigures(table["source"], models, table.get("own", {}))
    return PublishedFigures()
