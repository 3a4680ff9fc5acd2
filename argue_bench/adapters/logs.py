"""Logs as rows: chats, ragas' samples of several turns, Phoenix' and TruLens' tables, MT-RAG's evaluations.

Each reader turns one exported object into rows with the columns question, answer, contexts,
reference and id.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

Row = Mapping[str, Any]


def log_row(row: Row) -> Row | None:
    """The row of a log with the fields that it keeps in another place as columns; None for a plain row."""
    if isinstance(row.get("messages"), list):
        return {**row, **_of_messages(row["messages"], row)}
    if isinstance(row.get("user_input"), list):  # ragas' samples of several turns
        turns = [{**one, "role": one.get("type")} for one in row["user_input"] if _is_turn(one)]
        return {**_of_messages(turns, row), **{k: v for k, v in row.items() if k != "user_input"}}
    if "context.span_id" in row and "reference" in row and not row.get("contexts"):
        # Phoenix calls the retrieved text that an answer is checked against its reference.
        return {**{k: v for k, v in row.items() if k != "reference"}, "contexts": row["reference"]}
    if isinstance(row.get("record_json"), str):
        return {**row, "contexts": _trulens_contexts(row["record_json"])}
    return None


def _is_turn(one: Any) -> bool:
    return isinstance(one, Mapping) and "content" in one


def _of_messages(messages: list[Any], row: Row) -> dict[str, Any]:
    """The last question of a chat, the answer to it, and what tools or the system told the model."""
    turns = [one for one in messages if isinstance(one, Mapping)]
    asked = [at for at, one in enumerate(turns) if one.get("role") in ("user", "human")]
    said = [
        at
        for at, one in enumerate(turns)
        if one.get("role") in ("assistant", "ai") and _words(one.get("content"))
    ]
    found: dict[str, Any] = {}
    if asked:
        found["question"] = _words(turns[asked[-1]].get("content"))
    # An answer before the last question belongs to an earlier turn.
    if said and (not asked or said[-1] > asked[-1]):
        found["answer"] = _words(turns[said[-1]].get("content"))
    if "answer" not in found:  # a request with its completion beside it
        choices = (
            row.get("choices") or (row.get("response") or {}).get("choices")
            if isinstance(row.get("response"), Mapping | None)
            else None
        )
        if isinstance(choices, list) and choices and isinstance(choices[0], Mapping):
            found["answer"] = _words((choices[0].get("message") or {}).get("content"))
    tools = [_words(one.get("content")) for one in turns if one.get("role") in ("tool", "function")]
    system = [
        _words(one.get("content")) for one in turns if one.get("role") in ("system", "developer")
    ]
    contexts: list[Any] = []
    # Where no tool returned anything, the contexts are in the system prompt, if anywhere.
    for text in tools or system:
        contexts += _parsed(text)
    found["contexts"] = contexts
    return {key: value for key, value in found.items() if value is not None}


def _words(content: Any) -> str | None:
    """The text of a message: a text, or a list of parts of which those of type text count."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        parts = [one.get("text") for one in content if isinstance(one, Mapping)]
        return "".join(part for part in parts if isinstance(part, str)) or None
    return None


def _parsed(text: str | None) -> list[Any]:
    """The texts that a tool returned: a JSON list, an object with one, or the text itself."""
    if not text:
        return []
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return [text]
    if isinstance(value, Mapping):
        lists = [one for one in value.values() if isinstance(one, list)]
        value = lists[0] if len(lists) == 1 else [text]
    return value if isinstance(value, list) else [text]


def _trulens_contexts(record: str) -> list[str]:
    """What the calls named "retrieve..." of a TruLens record returned."""
    try:
        value = json.loads(record)
    except (ValueError, RecursionError):
        return []
    calls = value.get("calls") if isinstance(value, Mapping) else None
    found: list[str] = []
    for call in calls if isinstance(calls, list) else ():
        stack = call.get("stack") if isinstance(call, Mapping) else None
        name = (
            str(stack[-1].get("method", {}).get("name", ""))
            if stack and isinstance(stack[-1], Mapping)
            else ""
        )
        returned = call.get("rets") if isinstance(call, Mapping) else None
        if "retriev" in name and isinstance(returned, list):
            found += [one for one in returned if isinstance(one, str)]
    return found


def mtrag_rows(value: Mapping[str, Any]) -> Iterator[Row]:
    """Every answer of every model, with the conversation as its question (Katsis et al. 2025)."""
    documents = {
        one.get("document_id"): one
        for one in value.get("documents", ())
        if isinstance(one, Mapping)
    }
    tasks = {one.get("task_id"): one for one in value["tasks"] if isinstance(one, Mapping)}
    for one in value["evaluations"]:
        if not isinstance(one, Mapping):
            yield one
            continue
        task = tasks.get(one.get("task_id"), {})
        turns = [turn for turn in task.get("input", ()) if isinstance(turn, Mapping)]
        shown = [
            documents.get(row.get("document_id"), row)
            for row in task.get("contexts", ())
            if isinstance(row, Mapping)
        ]
        targets = [
            turn.get("text") for turn in task.get("targets", ()) if isinstance(turn, Mapping)
        ]
        yield {
            "id": f"{one.get('task_id')}/{one.get('model_id')}",
            # A task is a turn of a conversation: its id is the conversation's and the turn's number.
            "cluster": str(one.get("task_id")).partition("<::>")[0],
            "question": turns[-1].get("text") if turns else None,
            "background": "\n".join(
                f"{turn.get('speaker')}: {turn.get('text')}" for turn in turns[:-1]
            ),
            "contexts": shown,
            "answer": one.get("model_response"),
            "reference": targets[0] if targets else None,
        }
