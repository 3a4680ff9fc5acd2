"""The list of topics on the front page of a run: a row a topic, and the scores that are its columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from argue_bench.metrics.argue.judging import SentenceOutcome

Json = dict[str, Any]
# What a reader of the list of topics may want to see alone.
TOPIC_KINDS = ("contradicted", "unsupported", "uncited", "failed", "empty")
OUTCOMES = (*map(str, SentenceOutcome), "contradicted", "partly", "unstated", "unjudged")


def _kinds(data: Json, outcomes: Sequence[str]) -> Iterator[str]:
    """The kinds by which a reader may filter the list."""
    yield from (name for name in TOPIC_KINDS[:3] if name in outcomes)
    if any(metric["failed"] or metric["failures"] for metric in data["metrics"]):
        yield "failed"
    if data["empty"]:
        yield "empty"


def topic_columns(topics: Sequence[Json]) -> list[Json]:
    """The main scores that the list of topics shows: two of a metric, those that apply to some topic first."""
    found: dict[str, Json] = {}
    for topic in topics:
        for key, score in topic["main"].items():
            column = found.setdefault(key, {"key": key, "applies": False, **score})
            column["applies"] |= score["value"] is not None
    by_metric: dict[str, list[Json]] = {}
    for column in found.values():
        by_metric.setdefault(column["metric"], []).append(column)
    chosen = [
        column
        for columns in by_metric.values()
        for column in sorted(columns, key=lambda one: not one["applies"])[:2]
        # Three columns fit beside a title on a screen of 820 pixels.
    ][:3]
    return [column for column in found.values() if column in chosen]


def topic_row(data: Json, stem: str) -> Json:
    """A topic as the front page lists it."""
    outcomes = [sentence["outcome"] for sentence in data["sentences"]]
    return {
        "id": data["id"],
        "title": data["title"] or data["text"][:300],
        "stem": stem,
        "outcomes": {name: outcomes.count(name) for name in OUTCOMES if name in outcomes},
        "nuggets": len(data["nuggets"]),
        "covered": sum(nugget["correct"] for nugget in data["nuggets"]),
        "has": list(_kinds(data, outcomes)),
        "main": {
            f"{metric['metric']}.{score['name']}": {**score, "metric": metric["metric"]}
            for metric in data["metrics"]
            for score in metric["scores"]
            if score["headline"]
        },
        "empty": data["empty"],
        "failed": any(m["failed"] for m in data["metrics"]),
    }
