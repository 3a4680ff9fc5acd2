"""The board's JSON schemas that the package ships: ``python -m tests.leaderboard.schemas`` writes them."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path
from typing import Any

from argue_bench.leaderboard.formats.metadata import MetadataFile
from argue_bench.leaderboard.formats.results import REQUIRED, Result
from tools.schemas import json_schema

SHIPPED: dict[str, type[Any]] = {"metadata": MetadataFile, "result": Result}


def place(name: str) -> Path:
    return Path(str(files("argue_bench") / "loaders" / "schemas" / f"{name}.schema.json"))


def written(kind: type[Any]) -> str:
    return (
        json.dumps(
            json_schema(kind, REQUIRED if kind is Result else ()), indent=2, ensure_ascii=False
        )
        + "\n"
    )


if __name__ == "__main__":
    for name, kind in SHIPPED.items():
        place(name).write_text(written(kind), encoding="utf-8")
