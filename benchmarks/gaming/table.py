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
PLACE = Path(__file__).parents[2]


def is_won(key: str, found: Found) -> bool:
    """Whether a game pays on this score."""
    return found.game[1] > found.honest[1] + EVEN or found.added[1] > MOST


def is_ours(key: str) -> bool:
    metric = parse(key.rpartition(".")[0])
    return not metric.frozen and metric.name not in PUBLISHED


def table(found: Mapping[str, Found]) -> str:
    """One set's figures, in Markdown, ± half of a 95 % interval; bold where a game pays."""
    lines = [
        "| score | best honest | | best game | | ahead by | added at most | by |",
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


def write_figures(tables: Mapping[str, Mapping[str, Found]]) -> None:
    """The tables in benchmarks/README.md, and the figures that boards show."""
    page = PLACE / "benchmarks" / "README.md"
    text = page.read_text("utf-8")
    place = PLACE / "argue_bench" / "pages" / "games.json"
    kept: dict[str, list[dict[str, object]]] = json.loads(place.read_text("utf-8"))
    of = {name: "MTRAG" if name == "mtrag" else f"{name} dev" for name in tables}
    figures = {
        key: [one for one in rows if one["set"] not in of.values()] for key, rows in kept.items()
    }
    for name, found in tables.items():
        begin, end = f"<!-- benchmarks.gaming: {name} -->", f"<!-- end of {name} -->"
        before, _, rest = text.partition(begin)
        text = f"{before}{begin}\n{table(found)}\n{end}{rest.partition(end)[2]}"
        for key, one in found.items():
            figures.setdefault(key, []).append(
                {
                    "set": of[name],
                    "game": round(one.game[1], 3),
                    "by": one.game[0].replace("_", " "),
                    "honest": round(one.honest[1], 3),
                    "added": round(max(0.0, one.added[1]), 3),
                }
            )
    page.write_text(text, "utf-8")
    place.write_text(json.dumps(figures, indent=1, sort_keys=True) + "\n", "utf-8")
