"""Boards made by hand for the tests of pages: small ones, hostile ones, large ones."""

from __future__ import annotations

from typing import Any

from argue_bench.lab.card import CardFigure, CardSet, InjectionCounts, InjectionReport, JudgeCard
from argue_bench.pages.inputs import (
    Bands,
    BoardSeason,
    MeasuredJudges,
    QuestionScores,
    Site,
    SystemRank,
    SystemResult,
)

SIGNATURE = {
    "metric": "argue",
    "data": "core-test@12345678",
    "n": "40",
    "judge": "openai/gpt-4o digest:1",
}


def injection_report(**changes: Any) -> InjectionReport:
    """A report on the judge of `SIGNATURE`: one of ten planted instructions turned its verdict."""
    given: dict[str, Any] = {
        "schema": 1,
        "judge": "openai/gpt-4o",
        "identity": {"digest": "1"},
        "attempts": 10,
        "succeeded": 1,
        "failed": 0,
        "rate": None,
        "low": None,
        "high": None,
        "kinds": {},
        "argue_bench": "0.1.0",
        "made": "2026-11-20",
    }
    return InjectionReport(**{**given, **changes})


def judge_card_of(*, name: str = "wice-dev", **changes: Any) -> JudgeCard:
    """A card of the judge of `SIGNATURE`: of 349 labels of one set, a balanced accuracy of .761."""
    row = CardSet(
        set=name,
        kind="Entails",
        n=349,
        failed=0,
        measures={"balanced_accuracy": CardFigure(0.761, 0.71, 0.81)},
        kappa=CardFigure(0.52, 0.42, 0.61),
        floors={"always yes": {"balanced_accuracy": CardFigure(0.5)}},
        each={"seconds": 0.001, "dollars": None},
    )
    given: dict[str, Any] = {
        "schema": 1,
        "judge": "openai/gpt-4o",
        "identity": {"digest": "1"},
        "summary": name,
        "sets": (row,),
        "left_out": {name: name},
        "argue_bench": "0.1.0",
        "made": "2026-11-20",
    }
    return JudgeCard(**{**given, **changes})


def score(
    value: float | None, low: float | None = None, high: float | None = None
) -> dict[str, Any]:
    return {
        "value": value,
        "low": low,
        "high": high,
        "n": 40,
        "failed": 0 if value is not None else 1,
    }


def entry(
    system: str,
    value: float | None,
    *,
    signature: dict[str, str] | None = None,
    group: str = "",
    setting: str = "openbook",
    created: str = "2027-01-01T00:00:00Z",
    **metadata: Any,
) -> SystemResult:
    low, high = (None, None) if value is None else (value - 0.05, value + 0.05)
    parts = SIGNATURE if signature is None else signature
    return SystemResult(
        system,
        {
            setting: {
                "signature": {"argue": parts, "accuracy": {"metric": "accuracy", "n": "40"}},
                "scores": {
                    "argue.f1": score(value, low, high),
                    "argue.nugget_coverage": score(value),
                    "accuracy.loose": score(None if value is None else value / 2),
                },
            }
        },
        {"name": system.title(), "authors": "A. Nonym", "type": "PROMPT", **metadata},
        group=group,
        created=created,
    )


def season(*entries: SystemResult, **more: Any) -> BoardSeason:
    return BoardSeason("s1", entries, **{"title": "Season one", "ranked": "argue.f1", **more})


def small() -> Site:
    """Four ranked systems in two bands, one of another signature, one rehearsal, one withdrawn."""
    other = {**SIGNATURE, "judge": "lexical"}
    standings = {
        "alpha": SystemRank(1, 1, 2),
        "beta": SystemRank(1, 1, 2, ">=0.05", -0.02),
        "gamma": SystemRank(2, 3, 4, "<0.001", -0.4),
        "delta": SystemRank(2, 3, 4, "<0.001", -0.45),
    }
    return Site(
        (
            season(
                entry(
                    "alpha",
                    0.80,
                    base_model="gpt-4o-mini",
                    cost=12.5,
                    tokens=1_000_000,
                    url="https://example.org/alpha",
                    created="2027-01-01T00:00:00Z",
                ),
                entry("beta", 0.78, cost=3.25, created="2027-01-05T00:00:00Z", type="FINETUNE"),
                entry("gamma", 0.40, training_overlap="saw the documents", judges_used=["gpt-4o"]),
                entry("delta", 0.35, cost=90, type="FINETUNE"),
                entry("no-score", None),
                entry("epsilon", 0.99, signature=other),
                entry("practice", 0.50, group="rehearsal"),
                entry("gone", 0.90, status="withdrawn"),
                bands={"openbook": Bands(standings, "paired permutation test", 0.04)},
                set_name="core",
                split="dev",
                topics={
                    "openbook": (
                        QuestionScores("t1", "One", {"alpha": 1.0, "beta": 0.5}),
                        QuestionScores("t2", "Two", {"alpha": 0.6, "beta": None}),
                    )
                },
            ),
        ),
        today="2027-02-01",
        title="A board of our own",
        repository="https://github.com/example/board",
        ledger=(
            {
                "system": "alpha",
                "season": "s1",
                "event": "scored",
                "date": "2027-01-01T00:00:00Z",
                "reason": "first run",
                "scores": {"openbook": 0.8, "closedbook": None},
            },
        ),
        queue=(
            {
                "number": 12,
                "author": "someone",
                "state": "waits for a look",
                "since": "2027-01-30",
                "days": 2,
            },
        ),
        judges=MeasuredJudges(
            (
                injection_report(
                    attempts=462,
                    succeeded=3,
                    failed=2,
                    low=0.0022,
                    high=0.0189,
                    kinds={"order": InjectionCounts(400, 3), "hidden": InjectionCounts(62, 0)},
                    left_out=("response, declines",),
                ),
            ),
            (judge_card_of(),),
        ),
    )


def large(
    systems: int, settings: tuple[str, ...] = ("closedbook", "openbook", "evidenceprovided")
) -> Site:
    """Many systems in several settings, with a dozen scores each."""
    entries = []
    for number in range(systems):
        base = 0.2 + 0.6 * ((number * 7919) % systems) / systems
        found = {}
        for place, setting in enumerate(settings):
            keys = (
                "argue.f1",
                "argue.nugget_coverage",
                "argue.sentence_support",
                "argue.citation_support",
                "accuracy.loose",
                "accuracy.strict",
                "rouge.rouge1_fscore",
                "rouge.rouge2_fscore",
                "rouge.rougeL_fscore",
                "str_em.recall",
                "str_em.hit",
                "nuggets.vital",
            )
            values = {
                key: (base + 0.013 * spot + 0.02 * place) % 1 for spot, key in enumerate(keys)
            }
            found[setting] = {
                "signature": {key.partition(".")[0]: SIGNATURE for key in keys},
                "scores": {
                    k: score(v, max(0, v - 0.04), min(1, v + 0.04)) for k, v in values.items()
                },
            }
        about = {
            "name": f"System {number:04d}",
            "authors": "Some people",
            "type": "PROMPT",
            "base_model": f"model-{number % 17}",
            "cost": number * 0.37 + 1,
            "tokens": 1000 * number,
            "citation": "People, 2027",
        }
        day = f"2027-01-{number % 28 + 1:02d}T00:00:00Z"
        entries.append(SystemResult(f"system-{number:04d}", found, about, created=day))
    return Site(
        (BoardSeason("big", tuple(entries), title="Big", ranked="argue.f1"),), today="2027-02-01"
    )


def new() -> Site:
    """A board that nobody sent anything to, with a long title."""
    title = "Rehearsal: season 0"
    settings = ("closedbook", "openbook")
    begun = season(title=title, set_name="core", split="test", settings=settings, group="rehearsal")
    return Site((begun,), title=title, today="2027-02-01", queue=())


PAYLOADS = (
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(2)>",
    '"><svg onload=alert(3)>',
    "javascript:alert(4)",
    "</title><script>alert(5)</script>",
    "{{ 7*7 }}",
    "{% raw %}",
    '=HYPERLINK("http://evil.example")',
    "+1+cmd|' /C calc'!A0",
    "-2+3",
    "@SUM(1)",
    "\tx",
    "a\u202eb\u2066c\u200bd\u0000e",
    "x" * 10_000,
    "</script><b>",
    "' onmouseover='alert(6)",
    "@everyone #1 Fixes #2",
    "]]>&lt;",
    "\ud7ff\U000e0041",
)
URLS = (
    "javascript:alert(1)",
    "data:text/html,<script>alert(1)</script>",
    "http://example.org/plain",
    "https://user:pass@example.org/",
    "https://xn--80ak6aa92e.com/",
    "https://аррӏе.com/path",
    "//example.org",
    'https://example.org/" onclick="alert(1)',
    "https://exa mple.org",
    "https://",
    "https://localhost/",
    "ftp://example.org/",
)


def hostile() -> Site:
    """Every payload in every field that strangers fill."""
    entries = []
    for number, payload in enumerate(PAYLOADS):
        made = entry(
            f"evil-{number:02d}",
            0.5,
            name=payload,
            authors=payload,
            citation=payload,
            details=payload,
            base_model=payload,
            licence=payload,
            training_overlap=payload,
            judges_used=[payload],
            url=URLS[number % len(URLS)],
            type=payload,
            signature={**SIGNATURE, "judge": payload},
        )
        entries.append(made)
    event = {
        "system": "evil-00",
        "event": PAYLOADS[0],
        "reason": PAYLOADS[1],
        PAYLOADS[2]: PAYLOADS[3],
        "scores": {PAYLOADS[0]: 0.5},
    }
    return Site(
        (season(*entries, title=PAYLOADS[0], judge=PAYLOADS[1]),),
        today="2027-02-01",
        ledger=(event,),
        findings=(PAYLOADS[1],),
        judges=MeasuredJudges(
            tuple(
                injection_report(
                    judge=payload,
                    identity={},
                    kinds={payload: InjectionCounts(10, 1)},
                    left_out=(payload,),
                    argue_bench=payload,
                )
                for payload in PAYLOADS
            ),
            tuple(judge_card_of(judge=payload, identity={}, name=payload) for payload in PAYLOADS),
        ),
    )
