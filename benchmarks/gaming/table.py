"""The tables of benchmarks/README.md, and the figures that boards show."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from argue_bench.metrics import parse
from benchmarks.gaming.play import Found

MOST = 0.01
"""What a game may add to an honest answer: a point."""
EVEN = 0.005
"""Half a point is a draw: so much the judge errs by on quotes, which are supported by what they quote."""
PUBLISHED = ("rouge",)
"""Published measures without rules of ours, equal to the published ones to the last bit."""
PAGE = Path(__file__).parents[1] / "README.md"
FIGURES = Path(__file__).parents[2] / "argue_bench" / "pages" / "games.json"


def is_won(key: str, found: Found) -> bool:
    """Whether a game pays on this score."""
    return found.game[1] > found.honest[1] + EVEN or found.added[1] > MOST


def is_ours(key: str) -> bool:
    metric = parse(key.rpartition(".")[0])
    return not metric.frozen and metric.name not in PUBLISHED


def table(found: Mapping[str, Found], questions: int) -> str:
    """One set's figures, in Markdown, ± half of a 95 % interval; bold where a game pays."""
    lines = [
        f"| score, {questions} questions | best honest | | best game | | ahead by | added at most | by |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for key, one in found.items():
        mark = "**" if is_won(key, one) else ""
        cells = (
            f"`{key}`",
            f"{100 * one.honest[1]:.1f}",
            one.honest[0],
            f"{mark}{100 * one.game[1]:.1f}{mark}",
            one.game[0].replace("_", " "),
            f"{100 * (one.game[1] - one.honest[1]):+.1f} ± {100 * one.lead:.1f}",
            f"{100 * one.added[1]:+.1f} ± {100 * one.gain:.1f}",
            one.added[0].replace("_", " "),
        )
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def figures(name: str, found: Mapping[str, Found]) -> dict[str, dict[str, str | float]]:
    """One set's figures by score, as boards show them: shares, to the digit that the table has."""
    return {
        key: {
            "set": "MTRAG" if name == "mtrag" else f"{name} dev",
            "game": _share(one.game[1]),
            "by": one.game[0].replace("_", " "),
            "honest": _share(one.honest[1]),
            "added": _share(max(0.0, one.added[1])),
        }
        for key, one in found.items()
    }


def _share(value: float) -> float:
    return round(float(f"{100 * value:.1f}") / 100, 3)


def write_figures(tables: Mapping[str, tuple[Mapping[str, Found], int]]) -> None:
    """The tables in benchmarks/README.md, and the figures that boards show; those of other sets stay.

    ``tables``: by set, what was found and on how many questions.
    """
    text = PAGE.read_text("utf-8")
    kept: dict[str, list[dict[str, str | float]]] = json.loads(FIGURES.read_text("utf-8"))
    for name, (found, questions) in tables.items():
        begin, end = f"<!-- benchmarks.gaming: {name} -->", f"<!-- end of {name} -->"
        before, _, rest = text.partition(begin)
        text = f"{before}{begin}\n{table(found, questions)}\n{end}{rest.partition(end)[2]}"
        new = figures(name, found)
        of = next(iter(new.values()))["set"]
        kept = {key: [one for one in rows if one["set"] != of] for key, rows in kept.items()}
        for key, one in new.items():
            kept.setdefault(key, []).append(one)
    rows = {
        key: sorted(ones, key=lambda one: str(one["set"])) for key, ones in kept.items() if ones
    }
    PAGE.write_text(text, "utf-8")
    FIGURES.write_text(json.dumps(rows, indent=1, sort_keys=True) + "\n", "utf-8")
