"""The tables of benchmarks/README.md."""

from __future__ import annotations

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


def write_tables(tables: Mapping[str, tuple[Mapping[str, Found], int]]) -> None:
    """The tables in benchmarks/README.md; those of other sets stay.

    ``tables``: by set, what was found and on how many questions.
    """
    text = PAGE.read_text("utf-8")
    for name, (found, questions) in tables.items():
        begin, end = f"<!-- benchmarks.gaming: {name} -->", f"<!-- end of {name} -->"
        before, _, rest = text.partition(begin)
        text = f"{before}{begin}\n{table(found, questions)}\n{end}{rest.partition(end)[2]}"
    PAGE.write_text(text, "utf-8")
