"""The columns of a board: its scores by family, metric and judge, and their cells."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from argue_bench.eval.report import short_key
from argue_bench.metrics import class_of
from argue_bench.metrics.score_names import score_name
from argue_bench.view import safe
from argue_bench.view.columns import (
    FAMILIES,
    family_of,
    format_score,
    judge_name,
    score_facts,
    split_key,
)

Column = dict[str, Any]


def find_key(wanted: str, keys: Iterable[str]) -> str:
    """The full key that ``wanted`` (full or short) means among these; empty where none does."""
    every = list(keys)
    return wanted if wanted in every else next((k for k in every if short_key(k) == wanted), "")


# Parts of a judge's identity that name its version, the most telling first.
VERSIONS = ("rules", "prompts", "weights", "digest", "source")


def judge_version(signature: Mapping[str, str]) -> str:
    """The version of the judge as pages show it: of its rules, prompts or weights; empty without one."""
    given = signature.get("judge", "").split()[1:]
    parts = {name: value for name, _, value in (part.partition(":") for part in given)}
    return next((safe.text(parts[v], 9) for v in VERSIONS if parts.get(v)), "")


def board_columns(
    keys: Iterable[str], order: Sequence[str], ranked: str, signatures: Mapping[str, Any]
) -> list[Column]:
    """Columns for scores, by family and then in the order of the season's metrics."""
    every = tuple(dict.fromkeys(keys))
    judges = tuple(signatures.get(split_key(key)[0], {}).get("judge", "") for key in every)
    return [dict(column) for column in _columns(every, tuple(order), ranked, judges)]


@lru_cache(maxsize=256)
def _columns(
    keys: tuple[str, ...], order: tuple[str, ...], ranked: str, judges: tuple[str, ...]
) -> tuple[Column, ...]:
    """The columns, cached because the systems of a board mostly have the same scores by the
    same judges."""
    found: list[Column] = []
    for key, judge in zip(keys, judges, strict=True):
        metric = split_key(key)[0]
        unit, better, headline = score_facts(key)
        found.append(
            {
                "key": safe.text(key, 300),
                "metric": safe.text(metric, 200),
                "name": score_name(key)[0],
                "about": score_name(key)[1],
                "family": family_of(metric),
                "unit": unit,
                "better": better,
                "headline": headline or key == ranked,
                "ranked": key == ranked,
                "judge": judge_name({"judge": judge}),
                "judge_version": judge_version({"judge": judge}),
            }
        )

    def place(column: Column) -> tuple[int, int, str, int]:
        metric = str(column["metric"])
        declared = order.index(metric) if metric in order else len(order)
        family = FAMILIES.index(column["family"])
        return family, declared, metric, _place_in_metric(str(column["key"]))

    return tuple(sorted(found, key=place))


@lru_cache(maxsize=4096)
def _place_in_metric(key: str) -> int:
    """The place of a score within its metric: main scores first, in their order."""
    metric, score = split_key(key)
    known = class_of(metric)
    names = list(dict.fromkeys([*known.headline, *known.scores])) if known else []
    return names.index(score) if score in names else len(names)


def score_cell(column: Column, score: Mapping[str, Any] | None, n: str, bold: bool) -> Any:
    """A cell of a board: the score, its interval, and its n where that is not the section's.

    Written here, since a large board has ten thousands of them; there are only numbers in it.
    """
    from markupsafe import Markup

    optional = " o" if column["optional"] else ""
    if score is None or score["value"] is None:
        return Markup(f'<td class="none{optional}"><span title="not counted">–</span></td>')
    value, unit = score["value"], column["unit"]
    # The style sheet has a class for the bar of each whole point, since the policy allows no style in a cell.
    share = f"b{min(100, max(0, round(100 * value)))}" if unit == "share" else ""
    number = f' data-v="{value:.6g}"' if unit != "share" else ""
    shown = format_score(value, unit)
    ends = [format_score(score[end], unit) for end in ("low", "high") if score[end] is not None]
    interval = "–".join(ends) if len(ends) == 2 else ""
    small = (
        interval
        if not n or score["n"] is None or str(score["n"]) == n
        else f"{interval} <i>n {score['n']}</i>"
    )
    return Markup(
        f'<td class="{share}{optional}{" lead" if column["ranked"] else ""}"{number}>'
        + (f"<b>{shown}</b>" if bold else shown)
        + (f"<small>{small}</small>" if small else "")
        + "</td>"
    )
