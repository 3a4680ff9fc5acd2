"""Logs as rows: chats, ragas' samples of several turns, Phoenix' and TruLens' tables, MT-RAG's evaluations.

Each reader turns one exported object into rows with the columns question, answer, contexts,
reference and id.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from argue_bench.adapters.traces import from_json, objects
from argue_bench.loaders.rows.columns import look_up, recognise

Row = Mapping[str, Any]


def log_row(row: Row) -> Row | None:
    """The row of a log with the fields that it keeps in another place as columns; None for a plain row."""
    if isinstance(row.get("messages"), list):
        return {**row, **_of_messages(row["messages"], row)}
    if isinstance(row.get("user_input"), list):  # ragas' samples of several turns
        turns = [{**one, "role": one.get("type")} for one in objects(row["user_input"])]
        return {**_of_messages(turns, row), **{k: v for k, v in row.items() if k != "user_input"}}
    if "context.span_id" in row and "reference" in row and not row.get("contexts"):
        # Phoenix calls the retrieved text that an answer is checked against its reference.
        return {**{k: v for k, v in row.items() if k != "reference"}, "contexts": row["reference"]}
    if isinstance(row.get("record_json"), str):
        return {**row, "contexts": _trulens_contexts(row["record_json"])}
    return None


def _of_messages(messages: list[Any], row: Row) -> dict[str, Any]:
    """The last question of a chat, the answer to it, and what tools or the system told the model."""
    turns = list(objects(messages))
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
        choices = row.get("choices") or look_up(row, "response.choices")
        for choice in [*objects(choices)][:1]:
            found["answer"] = _words(look_up(choice, "message.content"))
    tools = [_words(one.get("content")) for one in turns if one.get("role") in ("tool", "function")]
    system = [
        _words(one.get("content")) for one in turns if one.get("role") in ("system", "developer")
    ]
    contexts: list[Any] = []
    # Where no tool returned anything, the contexts are in the system prompt, if anywhere.
    for text in tools or system:
        contexts += _parsed(text)
    found["contexts"] = None if look_up(row, recognise(row).get("contexts", "")) else contexts
    return {key: value for key, value in found.items() if value is not None}


def _words(content: Any) -> str | None:
    """The text of a message: a text, or a list of parts of which those of type text count."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        parts = [one.get("text") for one in objects(content)]
        return "".join(part for part in parts if isinstance(part, str)) or None
    return None


def _parsed(text: str | None) -> list[Any]:
    """The texts that a tool returned: a JSON list, an object with one, or the text itself."""
    if not text:
        return []
    value = from_json(text)
    if isinstance(value, Mapping):
        lists = [one for one in value.values() if isinstance(one, list)]
        value = lists[0] if len(lists) == 1 else [text]
    return value if isinstance(value, list) else [text]


def _trulens_contexts(record: str) -> list[str]:
    """What the calls named "retrieve..." of a TruLens record returned."""
    value = from_json(record)
    found: list[str] = []
    for call in objects(value.get("calls") if isinstance(value, Mapping) else None):
        stack = list(objects(call.get("stack")))
        returned = call.get("rets")
        if stack and "retriev" in str(look_up(stack[-1], "method.name")):
            found += (
                [one for one in returned if isinstance(one, str)]
                if isinstance(returned, list)
                else []
            )
    return found


def mtrag_rows(value: Mapping[str, Any]) -> Iterator[Row]:
    """Every answer of every model, with the conversation as its question (Katsis et al. 2025)."""
    documents = {one.get("document_id"): one for one in objects(value.get("documents"))}
    tasks = {one.get("task_id"): one for one in objects(value["tasks"])}
    for one in value["evaluations"]:
        if not isinstance(one, Mapping):
            yield one
            continue
        task = tasks.get(one.get("task_id"), {})
        turns, targets = (list(objects(task.get(key))) for key in ("input", "targets"))
        yield {
            "id": f"{one.get('task_id')}/{one.get('model_id')}",
            # A task is a turn of a conversation: its id is the conversation's and the turn's number.
            "cluster": str(one.get("task_id")).partition("<::>")[0],
            "question": turns[-1].get("text") if turns else None,
            "background": "\n".join(
                f"{turn.get('speaker')}: {turn.get('text')}" for turn in turns[:-1]
            ),
            "contexts": [
                documents.get(row.get("document_id"), row) for row in objects(task.get("contexts"))
            ],
            "answer": one.get("model_response"),
            "reference": targets[0].get("text") if targets else None,
        }
