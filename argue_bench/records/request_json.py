"""Judge requests as JSON: in files of labels, and as verdict stores list them."""

from __future__ import annotations

from typing import Any

from argue_bench.records.question import Source
from argue_bench.records.request import KINDS, JudgeRequest

LISTS_OF_SOURCES = ("premise", "documents")
LISTS = ("previous", "supporting", "nuggets")
"""The fields that hold several sources, and several texts."""


def request_to_json(request: JudgeRequest) -> dict[str, Any]:
    """The request as plain data: its kind and its fields."""
    kind = type(request)
    return {
        "kind": kind.__name__,
        **{name: _plain(getattr(request, name)) for name in request.stated},
    }


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_plain(one) for one in value]
    return {"id": value.id, "text": value.text} if isinstance(value, Source) else value


def request_from_json(data: dict[str, Any]) -> JudgeRequest:
    """The request that `request_to_json` wrote. Raises KeyError or TypeError on anything else."""
    values = dict(data)
    # Fields that are not there have their defaults: labels of older versions lack the later ones.
    kind = KINDS[values.pop("kind")]
    for name in LISTS_OF_SOURCES:
        if name in values:
            values[name] = tuple(Source(**source) for source in values[name])
    if "document" in values:
        values["document"] = Source(**values["document"])
    for name in LISTS:
        if name in values:
            values[name] = tuple(values[name])
    return kind(**values)
