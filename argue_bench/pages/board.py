"""The pages of a board and of a system, besides their scores: the answer in one sentence, filters, plots."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import replace
from operator import itemgetter
from typing import Any

from argue_bench.pages.board_plots import Plot, Point, cost_plot, interval_plot
from argue_bench.view.columns import format_score
from argue_bench.view.render import Strings

Json = dict[str, Any]
# A browser lays out 20 rows before it paints.
# Systems of a board laid out before a reader moves.
AT_ONCE = 20


def board_summary(board: Mapping[str, Any], t: Strings) -> Json:
    """All data of a board except its rows, for the template."""
    rows = [row for section in board["sections"] for row in section["rows"]]
    known = {k for row in rows for k, one in row["scores"].items() if one["low"] is not None}
    costs, tokens = (any(row[key] is not None for row in rows) for key in ("cost", "tokens"))
    # 0 is said of a system that has no window.
    contexts = any(row["context"] for row in rows)
    dated = any(row["created"] for row in rows)
    bands = board["bands"]
    resolution, ranks = t("board.untested"), t("board.reading.untested")
    if bands is not None:
        # One row alone has nobody to be tied with.
        tested = any(len(section["rows"]) > 1 for section in board["sections"])
        resolution, ranks = "", t("board.reading.bands", how=bands["method"])
        if bands["resolves"] is not None:
            resolution = t("board.resolves", points=format_score(bands["resolves"]))
        if tested:
            resolution = f"{resolution} {t('board.tested')}".strip()
    columns = _shown_columns(board["columns"], known)
    return {
        "answer": answer(board, t),
        "columns": columns,
        "resolution": resolution,
        "ranks": ranks,
        "intervals": bool(known),
        "contexts": contexts,
        "costs": costs,
        "tokens": tokens,
        "leaders": [_shown_to_lead(section) for section in board["sections"]],
        "runs": any(row["runs"] is not None for row in rows),
        "dated": dated,
        "width": len(columns) + 1 + bool(bands) + contexts + costs + tokens + dated,
        "filters": _filters(rows),
        "has": [name for name, of in HAS.items() if any(map(of, rows))],
        "found": {row["system"]: _facets(row) for row in rows},
        "marks": _row_marks(board),
        "plots": list(_board_plots(board, t)),
    }


def _row_marks(board: Mapping[str, Any]) -> dict[str, str]:
    """The classes of each row: whether a band begins with it, and whether it is laid out later."""
    made: dict[str, str] = {}
    for section in board["sections"]:
        above = None
        for row in section["rows"]:
            band = row["standing"]["band"] if row["standing"] else above
            begins = above is not None and band != above
            made[row["system"]] = " ".join(["band"] * begins + ["late"] * (len(made) >= AT_ONCE))
            above = band
    return made


def answer(board: Mapping[str, Any], t: Strings) -> str:
    """The board in one sentence: who leads, with what score, on how much, and how surely."""
    column = next((c for c in board["columns"] if c["ranked"]), None)
    section = next(iter(board["sections"]), None)
    rows = []
    if column is not None and section is not None:
        rows = [row for row in section["rows"] if _score(row, column["key"]) is not None]
    if column is None or not rows:
        return t("answer.none")
    first = rows[0]
    best = [row for row in rows if _score(row, column["key"]) == _score(first, column["key"])]
    said = {
        "name": first["name"],
        "n": len(best),
        "setting": t.get(f"setting.{board['setting']}", board["setting"]).lower(),
        "score": format_score(_score(first, column["key"]), column["unit"]),
        "of": column["name"],
    }
    # A rehearsal ranks nobody, so nobody leads it.
    rehearsal = section is not None and section["group"] == "rehearsal"
    # "leads" is said of nobody whom a test does not tell from the next one.
    lead = "leads" if section and _shown_to_lead(section) else "shared" if best[1:] else "first"
    key = "rehearsal" if rehearsal else lead if len(rows) > 1 else "only"
    parts = [
        t(f"answer.{key}", **said),
        *[t("answer.screened")] * ("screened" in first["flags"] and not best[1:]),
    ]
    if board["n"]:
        parts.append(t("answer.questions", n=f"{board['n']:,}"))
    if len(rows) > 1 and not (rehearsal or best[1:]):
        parts.append(_certainty(rows, t))
    if board["updated"]:
        parts.append(t("answer.updated", day=board["updated"]))
    return "; ".join(parts) + "."


def _certainty(rows: Sequence[Json], t: Strings) -> str:
    """The certainty of the lead, in words."""
    if rows[0]["standing"] is None:
        return t("answer.untested")
    tied = sum(row["standing"] is not None and row["standing"]["band"] == 1 for row in rows) - 1
    if tied == len(rows) - 1 > 1:
        return t("answer.all")
    return t({0: "answer.alone", 1: "answer.tied.one"}.get(tied, "answer.tied"), n=tied)


def _shown_to_lead(section: Mapping[str, Any]) -> str:
    """The system that tests tell from every other of its section, if any: only its score is bold."""
    bands = [row["standing"]["band"] for row in section["rows"] if row["standing"]]
    alone = bands.count(1) == 1 < len(bands)
    leaders = (r for r in section["rows"] if r["standing"] and r["standing"]["band"] == 1)
    return next(leaders)["system"] if alone else ""


# Filters by equality: the name in an address, and the key of a row.
CHOICES = {
    "type": "type",
    "organisation": "organisation",
    "base": "base_model",
    "retriever": "retriever",
    "licence": "licence",
    "judge": "judge",
}
# Filters by something that a row has or has not.
HAS: Mapping[str, Callable[[Json], Any]] = {
    "open": lambda row: row["open_weights"],
    "paper": lambda row: row["paper"],
    "code": lambda row: row["code"],
    "signed": lambda row: row["seal"] == "verified",
    "cost": lambda row: row["cost"] is not None,
}


def _filters(rows: Sequence[Json]) -> Json:
    """The choices of each filter; a filter that would change nothing is left out."""
    found = {
        name: sorted({row[key] for row in rows if row[key]}, key=str.casefold)
        for name, key in CHOICES.items()
    }
    return {name: values for name, values in found.items() if len(values) > 1}


def _facets(row: Json) -> Json:
    """The facets by which a row is filtered, besides the words that it shows."""
    words = (row["authors"][:300], row["organisation"], row["retriever"], row["licence"])
    return {
        **{name: row[key] for name, key in CHOICES.items() if row[key]},
        "has": " ".join(name for name, of in HAS.items() if of(row)),
        "find": " ".join(filter(None, words)),
    }


# Columns that a board shows before a reader chooses: of one metric, and in all.
SHOWN_OF_METRIC, SHOWN = 2, 7


def _shown_columns(columns: Sequence[Json], known: Set[str]) -> list[Json]:
    """The ranked score, then the others by family; ``optional`` where a reader must ask for it.

    ``known``: the scores with intervals. Beside a ranked one with an interval, others without must be asked for.
    """
    ordered = sorted(columns, key=lambda column: not column["ranked"])
    ranked = next((column["metric"] for column in ordered), "")
    # The first score of every metric comes before the second of any; of the ranked one, two more.
    places: Counter[str] = Counter({ranked: -2})
    turns = []
    for column in ordered:
        turns.append((places[column["metric"]], column["key"]))
        places[column["metric"]] += 1
    shown = {
        key
        for place, key in sorted(turns, key=itemgetter(0))[:SHOWN]
        if place < SHOWN_OF_METRIC and (key in known or ordered[0]["key"] not in known)
    }
    return [{**column, "optional": column["key"] not in shown} for column in ordered]


def _score(row: Json, key: str) -> Any:
    return row["scores"].get(key, {}).get("value")


def _board_plots(board: Mapping[str, Any], t: Strings) -> Iterator[Plot]:
    column = next((c for c in board["columns"] if c["ranked"]), None)
    if column is not None and column["unit"] == "share":
        for section in board["sections"]:
            yield from _section_plots(board, section, column, t)


def _section_plots(
    board: Mapping[str, Any], section: Json, column: Json, t: Strings
) -> Iterator[Plot]:
    """The plots of a section: intervals with bands, score against cost, against size."""
    key, label, system = column["key"], column["name"], t("board.system")
    alike = sum(one["group"] == section["group"] for one in board["sections"]) > 1
    group = t(
        "plot.group.signature" if alike else "plot.group",
        group=t.get("group." + (section["group"] or "ranked"), section["group"]),
        signature=section["signature"],
    )
    rows = [row for row in section["rows"] if _score(row, key) is not None]
    scores = [row["scores"][key] for row in rows]
    if len(rows) > 1 and any(score["low"] is not None for score in scores):
        points = [
            Point(
                row["name"],
                score["value"],
                score["low"],
                score["high"],
                row["standing"]["band"] if row["standing"] else None,
            )
            for row, score in zip(rows, scores, strict=True)
        ]
        title = t("plot.intervals", score=label, group=group)
        yield interval_plot(title, points, (system, label, t("plot.interval")))
    for name, axis in (("cost", "pareto"), ("parameters", "size")):
        known = [
            Point(row["name"], _score(row, key), x=float(row[name]))
            for row in rows
            if row[name] is not None
        ]
        if len(known) > 1:
            title = t(f"plot.{axis}", score=label, group=group)
            made = cost_plot(title, known, (system, t(f"plot.{name}"), label))
            yield replace(made, note=t(f"plot.{axis}.note"))
