"""What an attacker who uses a whole season's quota learns of hidden gold, and gains in score by it.

    python -m benchmarks.disclosure [--write] [GOLDS]

The worst case for a board: of every question the attacker knows two answers, one right and one wrong, so that each
question hides one bit, and a score is the share of right choices (50 points by guessing). Golds are drawn at
random; every gold meets the same attacker, who goes by what was told alone:

    climb     one account. The first run is a random choice (turned round where it is told to be below 50);
              each later one turns a random part of the questions, and is kept if it is told
    boost     ten accounts. Every told score is a linear equation in the hidden bits; each round begins at the choice that
              ridge regression over all of them makes, and each account sends a variant of its own

Measured: bits, the sum over runs of the entropy of what each was told over all golds, which is at least what they
tell together (what was heard is a function of the gold); and the bound for as many accounts, each
rounded up to a tenth as season.json has it. Points: what the
last choice scores above 50, on average and in the best of twenty. The last rows are the same attackers where
every run is told exactly. Exits 1 where more bits are heard than the bound allows. ``--write`` puts the table into
benchmarks/README.md, and what its worst case gains into docs/security.md.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import NamedTuple

import numpy as np

from argue_bench.leaderboard.formats.season import default_step, levels, shown_bits
from benchmarks._options import options

GOLDS = 200
QUESTIONS = (80, 400)
QUOTAS = (5, 10, 20)
ACCOUNTS = (1, 10)
ROOT = Path(__file__).parents[1]
BEGIN, END = "<!-- benchmarks.disclosure -->\n", "<!-- end of disclosure -->"
SAID = (400, 5)
"""Questions and runs of the season of which docs/security.md says what an attacker gains."""
GAINS = re.compile(
    r"one account gains \S+ points above guessing(\s)on average, ten accounts \S+\. "
)
Bits = np.ndarray
"""Choices (golds, questions), 0 or 1."""


@dataclass
class Board:
    """A board as its attacker meets it: a run of an account is told a score, or NaN. One row for each gold."""

    gold: Bits
    quota: int
    step: float
    """Points; 0: every run is told exactly."""
    heard: list[np.ndarray] = field(default_factory=list)
    best: dict[int, tuple[np.ndarray, Bits]] = field(default_factory=dict)
    """Account to its best told score and the choice that got it."""

    def run(self, account: int, choice: Bits) -> np.ndarray:
        """Told scores, (golds,)."""
        right = (choice == self.gold).mean(axis=1)
        told = right if not self.step else _told(right, self.step)
        if account not in self.best:
            self.best[account] = told, choice.copy()
            moved = np.ones(len(told), dtype=bool)
        elif self.step:
            before, mine = self.best[account]
            moved = told - before > self.step / 100 - 1e-9
            self.best[account] = (
                np.where(moved, told, before),
                np.where(moved[:, None], choice, mine),
            )
        else:
            moved = np.ones(len(told), dtype=bool)
        self.heard.append(np.where(moved, told, np.nan))
        return self.heard[-1]


def _told(right: np.ndarray, step: float) -> np.ndarray:
    return np.minimum(np.floor(100 * right / step + 0.5), levels(step) - 1) * step / 100


def climb(board: Board, rng: np.random.Generator) -> Bits:
    golds, n = board.gold.shape
    now = np.tile(rng.integers(0, 2, n), (golds, 1))
    told = board.run(0, now)
    now = np.where((told < 0.5)[:, None], 1 - now, now)
    for _ in range(board.quota - 1):
        part = rng.random(n) < 0.5
        turned = np.where(part, 1 - now, now)
        told_now = board.run(0, turned)
        kept = ~np.isnan(told_now) if board.step else told_now > told
        now = np.where(kept[:, None], turned, now)
        told = np.where(kept, told_now, told)
    return now


def boost(board: Board, rng: np.random.Generator, accounts: int) -> Bits:
    golds, n = board.gold.shape
    now = np.tile(rng.integers(0, 2, n), (golds, 1))
    sent: list[np.ndarray] = []
    for turn in range(board.quota):
        for account in range(accounts):
            part = rng.random(n) < (0.5 if turn == 0 else 0.1)
            choice = np.where(part, 1 - now, now)
            board.run(account, choice)
            sent.append((2 * choice - 1).astype(np.float32))
        now = _regress(np.stack(sent, axis=1), np.stack(board.heard, axis=1), board.step)
    return now


def _regress(sent: np.ndarray, heard: np.ndarray, step: float) -> Bits:
    """The choice that fits told scores best: sent (golds, runs, questions), heard (golds, runs).

    A score is 0.5 + sum of choice_i bit_i / 2n, each +1 or -1, so a run is one equation; what was not told is none.
    """
    n = sent.shape[2]
    noise = (
        1e-6 + (step / 100) ** 2 / 12 * 4 * n
    )  # of rounding, where a bit's share of a score has variance 1/4n
    silent = np.isnan(heard)
    rows = np.where(silent[:, :, None], 0, sent)
    gram = rows @ rows.transpose(0, 2, 1) / n + noise * np.eye(sent.shape[1], dtype=np.float32)
    wanted = np.where(silent, 0, heard - 0.5).astype(np.float32)
    solved = np.linalg.solve(gram, wanted[:, :, None])
    return ((rows.transpose(0, 2, 1) @ solved)[:, :, 0] > 0).astype(int)


def entropy(heard: list[np.ndarray]) -> float:
    """Bits of what was heard, run by run: no less than of all together."""
    total = 0.0
    for run in heard:
        _, counts = np.unique(np.nan_to_num(run, nan=-1.0), return_counts=True)
        share = counts / counts.sum()
        total += float(-(share * np.log2(share)).sum())
    return total


def measure(
    golds: int, n: int, quota: int, accounts: int, exact: bool, seed: int = 0
) -> tuple[float, float, float]:
    """Bits heard, points gained on average and in the best of twenty."""
    rng = np.random.default_rng([seed, n, quota, accounts])
    board = Board(rng.integers(0, 2, (golds, n)), quota, 0 if exact else default_step(quota))
    last = climb(board, rng) if accounts == 1 else boost(board, rng, accounts)
    gained = 100 * ((last == board.gold).mean(axis=1) - 0.5)
    return entropy(board.heard), float(gained.mean()), float(np.quantile(gained, 0.95))


class Learned(NamedTuple):
    """Bits heard, and points gained on average and in the best of twenty."""

    heard: float
    points: float
    best: float

    def __str__(self) -> str:
        return f"{self.points:.1f} ({self.best:.1f})"


Cell = tuple[int, int, int, bool]
"""Questions, quota, accounts, and whether every run is told exactly."""


def bound_of(quota: int, accounts: int = 1) -> float:
    """Bits that as many accounts can learn, as the season says it of one."""
    return accounts * (shown_bits(quota, default_step(quota)) or 0)


def table(learned: Mapping[Cell, Learned]) -> str:
    """The table of benchmarks/README.md."""
    lines = [
        "| questions | quota, step | bound, bits | one account | ten accounts | ten, if every run were told exactly |",
        "|---|---|---|---|---|---|",
    ]
    for n in QUESTIONS:
        for quota in QUOTAS:
            one, ten = (learned[n, quota, accounts, False] for accounts in ACCOUNTS)
            exactly = learned[n, quota, ACCOUNTS[1], True]
            terms = f"{quota}, {default_step(quota):g} | {bound_of(quota):.1f} each"
            lines.append(f"| {n} | {terms} | {one} | {ten} | {exactly} |")
    return "\n".join(lines) + "\n"


def write(learned: Mapping[Cell, Learned]) -> None:
    """Puts the table, and the points of its worst case, where they are told."""
    page, security = ROOT / "benchmarks" / "README.md", ROOT / "docs" / "security.md"
    before, _, rest = page.read_text("utf-8").partition(BEGIN)
    page.write_text(f"{before}{BEGIN}{table(learned)}{END}{rest.partition(END)[2]}", "utf-8")
    one, ten = (learned[*SAID, accounts, False].points for accounts in ACCOUNTS)
    said = (
        rf"one account gains {one:.1f} points above guessing\1on average, ten accounts {ten:.1f}. "
    )
    security.write_text(GAINS.sub(said, security.read_text("utf-8")), "utf-8")


def main() -> int:
    """1 where more was heard than the bound allows."""
    parser = options(__doc__)
    parser.add_argument("golds", type=int, nargs="?", default=GOLDS)
    parser.add_argument("--write", action="store_true", help="write the table and what docs say")
    given = parser.parse_args()
    print(f"{given.golds:,} golds")
    head = (
        "told",
        "questions",
        "quota",
        "step",
        "accounts",
        "bound",
        "heard",
        "points",
        "best 5 %",
    )
    print("  ".join(f"{word:>9}" for word in head))
    broken = False
    learned: dict[Cell, Learned] = {}
    for cell in product(QUESTIONS, QUOTAS, ACCOUNTS, (False, True)):
        n, quota, accounts, exact = cell
        found = learned[cell] = Learned(*measure(given.golds, n, quota, accounts, exact))
        bound = bound_of(quota, accounts)
        broken |= not exact and found.heard > bound
        step = f"{default_step(quota):g}"
        row = (
            ("exactly", n, quota, "-", accounts, "-")
            if exact
            else ("in steps", n, quota, step, accounts, f"{bound:.1f}")
        )
        shown = (*row, *(f"{value:.1f}" for value in found))
        print("  ".join(f"{word:>9}" for word in shown), flush=True)
    if given.write:
        write(learned)
    return int(broken)


if __name__ == "__main__":
    sys.exit(main())
