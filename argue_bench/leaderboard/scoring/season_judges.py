"""The judges of a season: which they are, the one key that they may have, and the budget that they share."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from argue_bench.eval.judging import inline_judges
from argue_bench.judges import Judge, create_judge, is_paid, members, names_provider
from argue_bench.leaderboard.formats.season import Season
from argue_bench.metrics import parse
from argue_bench.models.budget import Budget
from argue_bench.models.providers import Provider, list_providers

JUDGE_KEY = "JUDGE_API_KEY"


@contextmanager
def judge_key(specs: Iterable[str]) -> Iterator[None]:
    """While open, the variable of the judges' provider holds the key that is in `JUDGE_KEY`.

    The key goes to one provider only. Raises UsageError where the judges have several.
    """
    key = os.environ.get(JUDGE_KEY, "").strip()
    asked = {p.name: p for spec in specs for p in _providers(spec)}
    # A local server needs no key; where only such are asked, it is given ours all the same.
    wanting = {name: p for name, p in asked.items() if not p.keyless} or asked
    if not key or not wanting:
        yield
        return
    if Path(".env").is_file():
        # It names addresses: one that was merged unseen would send the key, and the verdicts would come, from there.
        raise click.UsageError(
            f"a file .env lies in the working folder and may send the key in {JUDGE_KEY} elsewhere. Take it away"
        )
    if len(wanting) > 1:
        own = ", ".join(wanting[name].key_variable for name in sorted(wanting))
        raise click.UsageError(
            f"{JUDGE_KEY} holds one key, and judges of {', '.join(sorted(wanting))} want one each. "
            f"Set {own} instead"
        )
    (place,) = (p.key_variable for p in wanting.values())
    before = os.environ.get(place)
    os.environ[place] = key
    try:
        yield
    finally:
        if before is None:
            del os.environ[place]
        else:
            os.environ[place] = before


def _providers(spec: str) -> Iterator[Provider]:
    """The providers of a judge, or of the members of a panel or cascade."""

    for one in members(spec):
        if (found := list_providers().get(one.partition("/")[0])) is not None:
            yield found


def judges_of(season: Season) -> dict[str, str]:
    """The judges of a season by name; models of providers that stand in the texts of its metrics, under these."""

    written = inline_judges(map(parse, season.metrics))
    return {n: s for n, s in written.items() if names_provider(s)} | season.judge_specs({})


def paid_by(season: Season, budget: float | None) -> dict[str, str | Judge]:
    """The judges of a scoring by name; paid ones share one budget, and need one."""

    specs = judges_of(season)
    made: dict[str, str | Judge] = dict(specs)
    if any(map(is_paid, specs.values())):
        if budget is None:
            raise click.UsageError("a judge of this season costs money: say --budget USD")

        # One budget for all: several judges together may not spend it twice.
        shared = Budget(budget)
        for name, spec in specs.items():
            if is_paid(spec):
                judge = create_judge(spec)
                judge.set_budget(shared)
                made[name] = judge
    return made
