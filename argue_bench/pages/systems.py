"""The public part of a system's metadata, and the flags that readers should know of."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from argue_bench.pages.inputs import SystemResult
from argue_bench.view import safe

# Share of sentences that stand word for word in a source, from which on an entry is flagged.
COPIED = 0.5
# What a row of a board says of its system, so that readers filter and search by it.
ABOUT_ROWS = (
    "name",
    "authors",
    "organisation",
    "citation",
    "type",
    "base_model",
    "open_weights",
    "parameters",
    "context",
    "retriever",
    "licence",
    "paper",
    "code",
    "cost",
    "tokens",
    "status",
)
Json = dict[str, Any]


def describe_system(entry: SystemResult, today: str) -> Json:
    """A system's metadata, as far as it is public today."""
    given = entry.metadata or {}
    hidden = bool(today) and str(given.get("anonymous_until", "")) > today
    overlap = safe.text(given.get("training_overlap"), 2000)
    judges, status = given.get("judges_used"), given.get("status", "active")
    weights = given.get("open_weights")
    return {
        "system": entry.system,
        "name": safe.text(given.get("name"), 80) or entry.system,
        "has_metadata": entry.metadata is not None,
        "anonymous_until": safe.text(given.get("anonymous_until"), 10) if hidden else "",
        # What the importer writes where a track names no team says nothing on a page.
        "authors": ""
        if hidden or given.get("authors") == "not known"
        else safe.text(given.get("authors"), 600),
        "citation": "" if hidden else safe.text(given.get("citation"), 300),
        "url": "" if hidden else safe.link(given.get("url")),
        "details": safe.text(given.get("details"), 5000, lines=True),
        "type": safe.text(given.get("type"), 20),
        "base_model": safe.text(given.get("base_model"), 100),
        "organisation": "" if hidden else safe.text(given.get("organisation"), 100),
        "open_weights": weights if isinstance(weights, bool) else None,
        "parameters": _amount(given.get("parameters")),
        "retriever": safe.text(given.get("retriever"), 100),
        "paper": "" if hidden else safe.link(given.get("paper")),
        "code": "" if hidden else safe.link(given.get("code")),
        "context": _amount(given.get("context")),
        "tokens": _amount(given.get("tokens")),
        "cost": _amount(given.get("cost")),
        "licence": safe.text(given.get("licence"), 60),
        "training_overlap": "" if overlap.strip().lower() == "none" else overlap,
        "judges_used": [
            safe.text(judge, 100)
            for judge in (judges if isinstance(judges, list) else ())
            if isinstance(judge, str)
        ],
        "status": status if status in ("withdrawn", "superseded") else "active",
    }


def row_flags(who: Json, signature: Mapping[str, str], result: Mapping[str, Any]) -> list[str]:
    """The flags of a row, of which readers should know, as keys of the catalogue of texts."""
    answers = result.get("answers")
    judge = signature.get("judge", "").casefold()
    maker = judge.partition("/")[2].partition(" ")[0].partition("-")[0]
    flags = {
        "carried": result.get("carried"),
        "undescribed": not who["has_metadata"],
        "overlap": who["training_overlap"],
        "judge-used": judge
        and any(used.casefold() in judge for used in who["judges_used"] if used),
        # Judges tend to prefer answers of their own family: "openai/gpt-4o" and a base model "GPT".
        # A maker's name of one or two letters would be found inside nearly any model's name.
        "judge-family": len(maker) > 2 and maker in who["base_model"].casefold(),
        "anonymous": who["anonymous_until"],
        "screened": answers and answers.get("flags"),
        "copied": answers and (answers["verbatim"] or 0) >= COPIED,
    }
    return [flag for flag, applies in flags.items() if applies]


def _amount(value: Any) -> float | int | None:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    # What is less than a millionth, and not nothing, is no amount of anything: its logarithm can't be drawn.
    return value if number and (value == 0 or 1e-6 <= value < 1e18) else None
