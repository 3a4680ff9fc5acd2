"""The banks that trec-auto-judge's annotation tool exports.

Source: auto-judge-annotate f5eedbf.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from typing import Any


def exported_bank(
    topic: str, nuggets: Iterable[Mapping[str, Any]], collection: str | None = None, title: str = ""
) -> dict[str, Any] | None:
    """The line that the tool exports for a topic; None where it has no nugget.

    A nugget has ``nugget_id``, ``text``, ``importance``; one that a person made has ``is_human``. As in
    the tool's file there is neither grade nor weight.
    """
    bank: dict[str, Any] = {}
    listed = list(nuggets)
    for human in (False, True):
        for one in listed:
            text = one.get("text") or one.get("question") or ""
            if text and (one.get("is_human") is True) is human:
                bank[text] = {
                    "question": text,
                    "question_id": one.get("nugget_id") or hashlib.md5(text.encode()).hexdigest(),
                    "query_id": topic,
                    "importance": one.get("importance") or "should_have",
                    **(_by_person(one) if human else {"creator": _by_machine(one)}),
                }
    if not listed:
        return None
    return {
        "query_id": topic,
        "title_query": title or topic,
        "format_version": "v3",
        "test_collection": collection or None,
        **({"nugget_bank": bank} if bank else {}),
    }


def _or_null(value: Any) -> Any:
    """JavaScript's ``value || null``: an empty list or object is not nothing."""
    return value if value or isinstance(value, list | dict) else None


def _by_machine(nugget: Mapping[str, Any]) -> Any:
    references = _or_null(nugget.get("references"))
    unknown = {"is_human": False, "llm_model": "preloaded", "source_data": references}
    given = _or_null(nugget.get("creator"))
    return [unknown] if given is None else given


def _by_person(nugget: Mapping[str, Any]) -> dict[str, Any]:
    creator = {"is_human": True, "assessor_id": nugget.get("created_by") or "annotator"}
    if model := nugget.get("llm_model"):
        creator |= {"llm_model": model, "llm_prompt_strategy": "canonicalized_from_spans"}
    more = {key: _or_null(nugget.get(key)) for key in ("source_data", "created_at")}
    creator |= {key: value for key, value in more.items() if value is not None}
    return {
        "creator": [creator],
        "metadata": {
            "source_spans": _or_null(nugget.get("source_spans")),
            "freetext_notes": _or_null(nugget.get("source_freetext")),
        },
    }
