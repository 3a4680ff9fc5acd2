"""Traces of running systems as rows: OTLP JSON with GenAI or OpenInference spans, and the exports of
Langfuse, LangSmith, Phoenix and MLflow.

A trace becomes one row: the question is the input of its outermost span, the answer that span's
output, the contexts what its retrieval spans returned. Where the outermost span keeps no text, these are
the first question and the last answer of the spans below it. The trace's id is the row's id, by which
`adapters.events` writes scores back.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from argue_bench.loaders.rows.columns import LACKS, look_up

_QUESTIONS = (
    *("input.value", "gen_ai.prompt", "gen_ai.input.messages", "traceloop.entity.input"),
    *("mlflow.spanInputs", "input", "inputs"),
)
_ANSWERS = (
    *("output.value", "gen_ai.completion", "gen_ai.output.messages", "traceloop.entity.output"),
    *("mlflow.spanOutputs", "output", "outputs"),
)
_TOOLS = ("tool", "execute_tool")
_RETURNED = ("gen_ai.tool.call.result", "gen_ai.retrieval.documents", *_ANSWERS)
_LOOKED_FOR = {
    "question": "gen_ai.input.messages, input.value",
    "answer": "gen_ai.output.messages, output.value",
}
_KINDS = (
    *("span_kind", "openinference.span.kind", "gen_ai.operation.name", "mlflow.spanType"),
    *("run_type", "type"),
)
_STARTS = ("startTimeUnixNano", "startTime", "start_time_unix_nano", "start_time")
_WORDS = ("question", "query", "input", "user_input", "prompt", "content", "text")
_SAID = ("answer", "output", "response", "result", "content", "text", "completion")


class Export(NamedTuple):
    """Where the export of one product keeps its spans and what names them: dotted paths of keys."""

    spans: str
    """The lists below an item that hold its spans; empty where the item is a span itself."""
    trace: tuple[str, ...]
    """The id of the trace, in the item, else in the span; the first that is there."""
    id: tuple[str, ...]
    parent: tuple[str, ...]


EXPORTS = {
    # by the names of satellites.TRACE_KEYS
    "OpenTelemetry (OTLP)": Export(
        "resourceSpans.scopeSpans.spans", ("traceId",), ("spanId",), ("parentSpanId",)
    ),
    "Langfuse": Export("observations", ("id",), ("id",), ("parentObservationId",)),
    "Langfuse's observations": Export("", ("traceId",), ("id",), ("parentObservationId",)),
    "LangSmith": Export("", ("trace_id", "id"), ("id",), ("parent_run_id",)),
    "Phoenix": Export("", ("context.trace_id",), ("context.span_id",), ("parent_id",)),
    "MLflow": Export(
        "data.spans",
        ("info.trace_id", "info.request_id"),
        ("span_id", "context.span_id"),
        ("parent_id", "parent_span_id"),
    ),
}


@dataclass
class TraceStep:
    """One step of a trace: its parent, its kind in small letters, and its attributes."""

    id: str
    parent: str
    kind: str
    name: str
    start: str
    attributes: Mapping[str, Any]


def trace_rows(items: Iterable[Any], product: str) -> Iterator[dict[str, Any]]:
    """The rows of an export of traces, one a trace. ``product``: a name in `EXPORTS`."""
    for trace, steps in _spans(items, EXPORTS[product]).items():
        yield _row(trace, steps, product)


def _spans(items: Iterable[Any], export: Export) -> dict[str, list[TraceStep]]:
    """The spans of an export by trace."""
    found: dict[str, list[TraceStep]] = {}
    for item in objects(items):
        below = _below(item, export.spans) if export.spans else [item]
        for span in below:
            trace = _first({**span, **item}, export.trace)
            found.setdefault(str(trace), []).append(_step(span, export))
        if export.spans and any(item.get(key) is not None for key in ("input", "output")):
            root = TraceStep("", "-", "trace", str(item.get("name", "")), "", item)
            found.setdefault(str(_first(item, export.trace)), []).insert(0, root)
    return found


def _step(span: Mapping[str, Any], export: Export) -> TraceStep:
    attributes = {**span, **_attributes(span.get("attributes"))}
    for event in objects(span.get("events")):
        attributes |= _attributes(event.get("attributes"))
    for name, value in span.items():  # a row of a data frame, whose columns are dotted
        if name.startswith("attributes."):
            attributes[name.removeprefix("attributes.")] = value
    return TraceStep(
        str(_first(span, export.id)),
        str(_first(span, export.parent) or ""),
        str(_first(attributes, _KINDS) or "").strip('"').casefold(),
        str(span.get("name", "")),
        # Numbers of nanoseconds are compared as texts of one length.
        str(_first(span, _STARTS) or "").rjust(30),
        attributes,
    )


def objects(value: Any) -> Iterator[Mapping[str, Any]]:
    """The objects of a list; none where the value is no list."""
    return (
        (one for one in value if isinstance(one, Mapping)) if isinstance(value, list) else iter(())
    )


def _below(item: Mapping[str, Any], path: str) -> Iterator[Mapping[str, Any]]:
    """The objects in the lists under a dotted path."""
    key, _, rest = path.partition(".")
    inner = item.get(key)
    for one in [inner] if isinstance(inner, Mapping) else objects(inner):
        yield from _below(one, rest) if rest else [one]


def _attributes(given: Any) -> dict[str, Any]:
    """A mapping, or OTLP's list of {key, value: {stringValue}}."""
    if isinstance(given, Mapping):
        return dict(given)
    return {str(pair.get("key")): _otlp_value(pair.get("value")) for pair in objects(given)}


def _otlp_value(value: Any) -> Any:
    if not isinstance(value, Mapping) or not value:
        return value
    kind, inner = next(iter(value.items()))
    if kind == "arrayValue" and isinstance(inner, Mapping):
        return [_otlp_value(one) for one in inner.get("values") or ()]
    if kind == "kvlistValue" and isinstance(inner, Mapping):
        return _attributes(inner.get("values"))
    return inner


def _row(id: str, spans: list[TraceStep], product: str) -> dict[str, Any]:
    """The outermost span's question and answer, and what the retrieval spans found.

    ``span`` says which one gave the answer: ids as the product writes them, for `adapters.events`.
    """
    spans = sorted(spans, key=lambda span: span.start)
    known = {span.id for span in spans}
    # Sampling drops spans: one whose parent was not exported counts as outermost.
    roots = [one for one in spans if one.parent not in known or one.parent == one.id] or spans
    # What a search was given and returned is neither question nor answer, unless it is the outermost span.
    speaking = [one for one in spans if not _retrieves(one) and not _is_tool(one)]
    # An outermost span that only searches is no conversation.
    root = next((one for one in roots if one in speaking), roots[0])
    below = [one for one in speaking if one is not root]
    first, last = [root, *below], [root, *reversed(below)]
    asked = [_text(_first(one.attributes, _QUESTIONS), _WORDS, last_user=True) for one in first]
    said = [_text(_first(one.attributes, _ANSWERS), _SAID) for one in last]
    row = {"question": _first_text(asked), "answer": _first_text(said)}
    lacking = [
        f"no span holds {'a' if role == 'question' else 'an'} {role} (looked for {_LOOKED_FOR[role]})"
        for role, text in row.items()
        if text is None
    ]
    # A chain repeats what its model said; a score belongs to the model's span.
    same = [one for one, text in zip(last, said, strict=True) if text == row["answer"]]
    spoke = [*same[1:], root][0]
    span = {"product": product, "id": spoke.id, "parent": spoke.parent}
    span["response"] = _first(spoke.attributes, ("gen_ai.response.id",))
    # An agent retrieves by tools.
    found = list(filter(_retrieves, spans)) or list(filter(_is_tool, spans))
    contexts = [one for span in found for one in _documents(span.attributes)]
    lacks = {LACKS: f"trace {id}: {'; '.join(lacking)}"} if lacking else {}
    return {"id": id, **row, "contexts": contexts, "span": span, **lacks}


def _first_text(texts: Sequence[str | None]) -> str | None:
    """The first text that is not empty, else an empty one."""
    return next(filter(None, texts), "" if "" in texts else None)


def _retrieves(span: TraceStep) -> bool:
    return "retriev" in span.kind or "retriev" in span.name.casefold()


def _is_tool(span: TraceStep) -> bool:
    return span.kind.partition(" ")[0] in _TOOLS


def _first(attributes: Mapping[str, Any], names: Sequence[str]) -> Any:
    """The first of these that is there, under its own name or in nested objects."""
    found = (look_up(attributes, name) for name in names)
    return next((one for one in found if one is not None), None)


def _text(value: Any, names: Sequence[str], last_user: bool = False) -> str | None:
    """The words in an input or output: a text, JSON as text, messages, or an object with a usual key."""
    if isinstance(value, str):
        parsed = from_json(value)
        if isinstance(parsed, str):
            return parsed
        return _text(parsed, names, last_user) or value
    if isinstance(value, list) and value:
        messages = [one for one in value if isinstance(one, Mapping)]
        asked = [one for one in messages if one.get("role") in ("user", "human")]
        chosen = (asked if last_user and asked else messages)[-1:]
        return _text(chosen[0], names, last_user) if chosen else _text(value[-1], names, last_user)
    if not isinstance(value, Mapping):
        return None
    if isinstance(value.get("messages"), list):
        return _text(value["messages"], names, last_user)
    if isinstance(value.get("parts"), list):
        return _text(value["parts"], names, last_user)
    for name in names:
        if isinstance(value.get(name), str):
            return str(value[name])
    nested = [one for one in value.values() if isinstance(one, Mapping | list)]
    texts = [one for one in value.values() if isinstance(one, str)]
    return (
        texts[0]
        if len(texts) == 1 and not nested
        else (_text(nested[0], names, last_user) if len(nested) == 1 else None)
    )


def _documents(attributes: Mapping[str, Any]) -> list[Any]:
    """The documents that a retrieval span returned: numbered documents of OpenInference, or a
    list in its output."""
    numbered: dict[int, dict[str, Any]] = {}
    listed = look_up(attributes, "retrieval.documents")
    if isinstance(listed, list):
        return [_openinference(one) for one in listed]
    for key, value in attributes.items():
        head, _, rest = key.partition("retrieval.documents.")
        number, _, name = rest.partition(".document.")
        if not head and number.isdigit() and name:
            numbered.setdefault(int(number), {})[name] = value
    if numbered:
        return [
            {"text": one.get("content"), "id": one.get("id")} for _, one in sorted(numbered.items())
        ]
    found = _first(attributes, _RETURNED)
    found = from_json(found) if isinstance(found, str) else found
    if isinstance(found, Mapping):
        lists = [one for one in found.values() if isinstance(one, list)]
        found = lists[0] if lists else [found]
    if isinstance(found, str):
        found = [found]
    return found if isinstance(found, list) else []


def _openinference(one: Any) -> Any:
    if not isinstance(one, Mapping):
        return one
    nested = one.get("document")
    inner: Mapping[str, Any] = nested if isinstance(nested, Mapping) else one
    return {
        "text": inner.get("content", inner.get("document.content")),
        "id": inner.get("id", inner.get("document.id")),
    }


def from_json(text: str) -> Any:
    if text.strip()[:1] not in ("{", "[", '"'):
        return text
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text
