"""Auto-ARGUE's scores.tsv, read as its program writes it."""

from __future__ import annotations

import csv
from pathlib import Path

from argue_bench.published.auto_argue.files import ScoreRow


def score_rows_of(path: Path) -> list[ScoreRow]:
    """The rows of a scores.tsv, with or without its head."""
    with path.open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE) if row]
    return [ScoreRow(*row[:3], float(row[3])) for row in rows if row[3] != "value"]
