"""What scripts write into several places is the same in all of them."""

from __future__ import annotations

import re
from itertools import islice

import pytest

from argue_bench.leaderboard.formats.season import default_step, shown_bits
from benchmarks.disclosure import SAID
from benchmarks.gaming.field import Field
from benchmarks.gaming.reader import reading_judge
from benchmarks.gaming.sets import core
from benchmarks.gaming.table import PAGE, is_ours
from benchmarks.screening import earned
from tools.core_set.world import EMBEDDED, World

SECURITY = (PAGE.parents[1] / "docs" / "security.md").read_text("utf-8")


def rows(begin: str, end: str) -> list[list[str]]:
    """The cells of a table of benchmarks/README.md, its head first."""
    part = PAGE.read_text("utf-8").partition(f"<!-- {begin} -->")[2].partition(f"<!-- {end} -->")[0]
    lines = [line for line in part.splitlines() if line.startswith("|") and "---" not in line]
    return [[cell.strip(" `*") for cell in line.strip("|").split(" | ")] for line in lines]


def played(name: str) -> dict[str, list[str]]:
    return {row[0]: row[1:] for row in rows(f"benchmarks.gaming: {name}", f"end of {name}")[1:]}


@pytest.mark.slow
def test_names_strung_together_earn_nothing_by_a_judge_that_reads() -> None:
    """By the lexical judge they earn more than the best honest baseline, which is why it makes a board a rehearsal."""
    dataset = core()[:8]
    field = Field(dataset)
    read = reading_judge(islice(World(*EMBEDDED["dev"][:2]).topics(), len(dataset)))
    honest = earned(field.honest()["nearest-sentences"], dataset, read)
    paying = {
        row[3].replace(" ", "_")
        for key, row in played("core").items()
        if is_ours(key) and key.startswith("argue.") and float(row[4].split()[0]) > 0.5
    }
    assert paying
    games = field.games()
    assert all(earned(games[name], dataset, read) < honest / 10 for name in paying)


def test_the_page_on_security_says_what_is_disclosed() -> None:
    table = rows("benchmarks.disclosure", "end of disclosure")[1:]
    for _, terms, bound, *_ in table:
        quota, step = map(int, terms.split(", "))
        assert step == default_step(quota)
        assert bound == f"{shown_bits(quota, step):.1f} each"
    for quota, step, bits in re.findall(r"^\| (\d+) \| (\d+) \| ([\d.]+) \|$", SECURITY, re.M):
        assert float(bits) == shown_bits(int(quota), int(step))
    n, runs = SAID
    one, ten = next(
        row[3:5] for row in table if row[0] == str(n) and row[1].startswith(f"{runs}, ")
    )
    said = (
        f"({n} questions, {runs} runs) one account gains {one.split()[0]} points above guessing on"
    )
    assert f"{said} average, ten accounts {ten.split()[0]}." in " ".join(SECURITY.split())
