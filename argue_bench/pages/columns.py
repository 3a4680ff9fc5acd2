"""The columns of a table: scores by family, metric and judge, and how pages name and write them."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from argue_bench.eval.report import short_key
from argue_bench.metrics import METRICS
from argue_bench.pages import safe

UNKNOWN = "unknown"
"""What signatures of results that others published say where nobody knows."""
FAMILIES = ("correctness", "citations", "argue", "grounding", "other")
Column = dict[str, Any]


def split_key(key: str) -> tuple[str, str]:
    """``argue(rules=x).f1`` into metric text and score name."""
    metric, _, score = key.rpartition(".")
    return metric, score


def find_key(wanted: str, keys: Iterable[str]) -> str:
    """The full key that ``wanted`` (full or short) means among these; empty where none does."""
    every = list(keys)
    return wanted if wanted in every else next((k for k in every if short_key(k) == wanted), "")


def family_of(metric: str) -> str:
    """The family of a metric: the folder of its module."""
    name = metric.partition("(")[0]
    if name in METRICS:
        parts = METRICS[name].__module__.split(".")
        if len(parts) > 2 and parts[2] in FAMILIES:
            return parts[2]
    return "other"


@lru_cache(maxsize=4096)
def score_facts(key: str) -> tuple[str, str, bool]:
    """(unit, which end is better, whether it is a main score) of a score."""
    metric, score = split_key(key)
    known = METRICS.get(metric.partition("(")[0])
    if known is None or score not in known.scores:
        # A score of one axis or tag, which the class does not know, is no main score.
        return "share", "higher", known is None or not known.headline
    average = known.scores[score]
    return average.unit, average.better, score in (known.headline or known.scores)


@cache
def _names() -> dict[str, dict[str, list[str]]]:
    return tomllib.loads(Path(__file__).with_name("score_names.toml").read_text("utf-8"))


def score_name(key: str) -> tuple[str, str]:
    """The readable name of a score and one sentence on it; the words of its key where no name
    is written."""
    metric, score = split_key(key)
    name, sentence = _names().get(metric.partition("(")[0], {}).get(score, ("", ""))
    if not name and score.endswith("_micro"):
        base, sentence = score_name(key.removesuffix("_micro"))
        return f"{base}, micro", sentence
    words = safe.text(score.replace("_", " "), 60)
    return name or words[:1].upper() + words[1:], sentence


def unit_of_tally(metric: str, column: str) -> str:
    """The unit of a tally on one question; its name need not be the name of a score."""
    known = METRICS.get(metric.partition("(")[0])
    if known is None:
        return "share"
    if column in known.scores:
        return known.scores[column].unit
    found = {unit for average in known.scores.values() for unit in _units(average, column)}
    return "share" if "share" in found else "count"


def _units(average: Any, column: str) -> Iterator[str]:
    """How one average reads a column: in its own unit, or as a count where it divides two columns."""
    if column not in average.columns_read:
        return
    if hasattr(average, "first") and not isinstance(average.first, str):
        yield from _units(average.first, column)
        yield from _units(average.second, column)
    else:
        yield average.unit if len(average.columns_read) == 1 else "count"


def judge_name(signature: Mapping[str, str]) -> str:
    """The judge as pages show it: its name without digests; empty where nobody knows it."""
    name = signature.get("judge", "").partition(" ")[0]
    return "" if name == UNKNOWN else safe.text(name, 60)


VERSIONS = ("rules", "prompts", "weights", "digest", "source")
"""Parts of a judge's identity that name its version, the most telling first."""


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
    known = METRICS.get(metric.partition("(")[0])
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
    share = f"b{min(100, max(0, round(100 * value)))}" if unit == "share" else ""
    number = f' data-v="{value:.6g}"' if unit != "share" else ""
    shown = format_score(value, unit)
    small = ""
    if score["low"] is not None and score["high"] is not None:
        small = f"{format_score(score['low'], unit)}–{format_score(score['high'], unit)}"
    if score["n"] is not None and n and str(score["n"]) != n:
        small += f" <i>n {score['n']}</i>"
    return Markup(
        f'<td class="{share}{optional}{" lead" if column["ranked"] else ""}"{number}>'
        + (f"<b>{shown}</b>" if bold else shown)
        + (f"<small>{small}</small>" if small else "")
        + "</td>"
    )


def format_score(value: float | None, unit: str = "share") -> str:
    """A score as pages write it: shares times 100 with one decimal, absent ones as a dash."""
    if value is None:
        return "–"
    if unit == "share":
        return f"{100 * value:.1f}"
    if unit == "rating":
        return f"{value:.2f}"
    return f"{value:,.0f}" if float(value).is_integer() else f"{value:,.1f}"
