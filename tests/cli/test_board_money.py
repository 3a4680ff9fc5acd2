"""A judge that costs money never scores a board without a budget, alone or in a panel."""

from __future__ import annotations

import click
import pytest

from argue_bench.leaderboard.formats.season import Season, SetEntry
from argue_bench.leaderboard.scoring.season_judges import paid_by
from argue_bench.models.budget import Budget

PAID = ["openai/gpt-4o-mini", "panel:lexical+openai/gpt-4o-mini+lexical"]


def season(judge: str, **judges: str) -> Season:
    return Season("s", SetEntry("core", "sample"), judge=judge, judges=judges)


@pytest.mark.parametrize("judge", PAID)
def test_no_budget_no_scoring(judge: str) -> None:
    with pytest.raises(click.UsageError, match="costs money: say --budget USD"):
        paid_by(season(judge), None)


@pytest.mark.parametrize("judge", PAID)
def test_paid_judges_share_one_budget(judge: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    spent: list[Budget] = []
    monkeypatch.setattr(
        "argue_bench.models.chat.Chat.set_budget", lambda self, budget: spent.append(budget)
    )
    made = paid_by(season(judge, second="openai/gpt-4o"), 2.5)
    assert len(spent) == 2
    assert spent[0] is spent[1]
    assert not isinstance(made[""], str)


def test_free_judges_need_none() -> None:
    assert paid_by(season("lexical"), None) == {"": "lexical"}
