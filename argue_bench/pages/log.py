"""The ledger's events and the queue, as far as pages may show them.

A queue's row links to its pull request. The address is made from the repository that the organiser named
and a whole number, so no text of a submitter is ever a part of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from argue_bench.pages.inputs import BoardSeason, Site
from argue_bench.view import safe
from argue_bench.view.columns import score_facts

Json = dict[str, Any]
# Keys of the ledger that pages leave out: authors may be anonymous for now.
PRIVATE = ("author", "previous")
SHOWN = ("system", "season", "event", "date", "reason", "digest")
# Larger numbers are no scores, and JavaScript would round them.
MOST = 1e18


def log_data(site: Site, schema: int) -> Json:
    """``log.json``: ledger and queue."""
    return {
        "schema": schema,
        "ledger": ledger_events(site.ledger, site.seasons),
        "queue": None if site.queue is None else list(_queue(site.queue, site.repository)),
    }


def ledger_events(
    ledger: Iterable[Mapping[str, Any]], seasons: Iterable[BoardSeason]
) -> list[Json]:
    """Ledger lines as far as they can be read; further keys are in ``more``."""
    units = {season.season: score_facts(season.ranked)[0] for season in seasons}
    events = []
    for line in ledger:
        found = line.get("scores")
        valid = isinstance(found, dict) and all(map(_is_score, found.values()))
        scores: Mapping[str, Any] = found if isinstance(found, dict) and valid else {}
        unit = units.get(str(line.get("season")), "share")
        left = {*SHOWN, *PRIVATE, *(("scores",) if valid else ())}
        event = {
            **{key: safe.text(str(line.get(key) or ""), 300) for key in SHOWN},
            "scores": [
                {"setting": safe.text(str(name), 40), "value": value, "unit": unit}
                for name, value in scores.items()
            ],
            "more": {
                safe.text(str(k), 40): safe.text(str(v), 200)
                for k, v in line.items()
                if k not in left and v not in (None, "", {})
            },
        }
        events.append(event)
    return events


def _is_score(value: Any) -> bool:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return value is None or (number and abs(value) < MOST)


def _queue(rows: Sequence[Mapping[str, Any]], repository: str) -> Iterator[Json]:
    """The queue: each row with every key that any row has, and the address of its pull request."""
    keys = dict.fromkeys(key for row in rows for key in row if key != "link")
    for row in rows:
        number = row.get("number")
        valid = repository and type(number) is int and 0 < number < MOST
        link = safe.link(f"{repository}/pull/{number}") if valid else ""
        yield {
            **{safe.text(k, 40): safe.text(str(row.get(k, "")), 300) for k in keys},
            "link": link,
        }
