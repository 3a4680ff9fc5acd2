"""Traces of running systems as rows: OTLP JSON with GenAI or OpenInference spans, and the exports of
Langfuse, LangSmith, Phoenix and MLflow.

A trace becomes one row: the question is the input of its outermost span, the answer that span's
output, the contexts what its retrieval spans returned. Where the outermost span keeps no text, these are
the first question and the last answer of the spans below it. The trace's id is the row's id, so that
scores can be written back.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

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
LACKS = "the trace lacks"
"""The column in which the row of a trace says what no span of it holds."""
_LOOKED_FOR = {
    "question": "gen_ai.input.messages, input.value",
    "answer": "gen_ai.output.messages, output.value",
}
_KINDS = ("openinference.span.kind", "gen_ai.operation.name", "mlflow.spanType", "type", "run_type")
_WORDS = ("question", "query", "input", "user_input", "prompt", "content", "text")
_SAID = ("answer", "output", "response", "result", "content", "text", "completion")


@dataclass
class TraceStep:
    """One step of a trace: its parent, its kind in small letters, and its attributes."""

    id: str
    parent: str
    kind: str
    name: str
    start: str
    attributes: dict[str, Any] = field(default_factory=dict)


def trace_rows(value: Any) -> Iterator[dict[str, Any]] | None:
    """The rows of an export of traces; None where the JSON value is none."""
    spans = _spans(value)
    return None if spans is None else map(_row, spans.items())


def _spans(value: Any) -> dict[str, list[TraceStep]] | None:
    """The spans by trace."""
    if isinstance(value, Mapping) and isinstance(value.get("resourceSpans"), list):
        return _grouped(_otlp(value["resourceSpans"]))
    if isinstance(value, Mapping) and isinstance(value.get("observations"), list):
        value = [value]  # a trace of Langfuse
    if not isinstance(value, list) or not value or not isinstance(value[0], Mapping):
        return None
    first = value[0]
    if isinstance(first.get("resourceSpans"), list):
        return _grouped(span for one in value for span in _otlp(one.get("resourceSpans") or ()))
    if isinstance(first.get("observations"), list):
        return dict(_langfuse(one) for one in value if isinstance(one, Mapping))
    if "run_type" in first:
        return _grouped(map(_langsmith, _objects(value)))
    if "traceId" in first and "type" in first:
        return _grouped((str(one.get("traceId")), _observation(one)) for one in _objects(value))
    if "context.trace_id" in first:
        value = list(map(_nested, _objects(value)))
        first = value[0]
    if (
        "context" in first
        and isinstance(first["context"], Mapping)
        and "trace_id" in first["context"]
    ):
        return _grouped(map(_phoenix, _objects(value)))
    if isinstance(first.get("data"), Mapping) and isinstance(first["data"].get("spans"), list):
        return dict(_mlflow(one) for one in _objects(value))
    return None


def _objects(value: Iterable[Any]) -> Iterator[Mapping[str, Any]]:
    return (one for one in value if isinstance(one, Mapping))


def _grouped(spans: Iterable[tuple[str, TraceStep]]) -> dict[str, list[TraceStep]]:
    found: dict[str, list[TraceStep]] = {}
    for trace, span in spans:
        found.setdefault(trace, []).append(span)
    return found


def _otlp(resources: Sequence[Any]) -> Iterator[tuple[str, TraceStep]]:
    for resource in _objects(resources):
        for scope in _objects(resource.get("scopeSpans") or ()):
            for span in _objects(scope.get("spans") or ()):
                attributes = _attributes(span.get("attributes"))
                for event in _objects(span.get("events") or ()):
                    attributes.update(_attributes(event.get("attributes")))
                yield (
                    str(span.get("traceId")),
                    TraceStep(
                        str(span.get("spanId")),
                        str(span.get("parentSpanId") or ""),
                        _kind(attributes),
                        str(span.get("name", "")),
                        str(span.get("startTimeUnixNano", "")).rjust(30),
                        attributes,
                    ),
                )


def _attributes(pairs: Any) -> dict[str, Any]:
    """OTLP's list of {key, value: {stringValue}} as a mapping."""
    found = {}
    for pair in _objects(pairs if isinstance(pairs, list) else ()):
        found[str(pair.get("key"))] = _otlp_value(pair.get("value"))
    return found


def _otlp_value(value: Any) -> Any:
    if not isinstance(value, Mapping) or not value:
        return value
    kind, inner = next(iter(value.items()))
    if kind == "arrayValue" and isinstance(inner, Mapping):
        return [_otlp_value(one) for one in inner.get("values") or ()]
    if kind == "kvlistValue" and isinstance(inner, Mapping):
        return _attributes(inner.get("values"))
    return inner


def _kind(attributes: Mapping[str, Any], own: str = "") -> str:
    return next((str(attributes[key]) for key in _KINDS if attributes.get(key)), own).casefold()


def _langfuse(trace: Mapping[str, Any]) -> tuple[str, list[TraceStep]]:
    root = TraceStep("", "-", "trace", str(trace.get("name", "")), "", _both(trace))
    spans = list(map(_observation, _objects(trace["observations"])))
    has_own = any(root.attributes.get(key) is not None for key in ("input", "output"))
    return str(trace.get("id")), [root, *spans] if has_own else spans


def _observation(one: Mapping[str, Any]) -> TraceStep:
    return TraceStep(
        str(one.get("id")),
        str(one.get("parentObservationId") or ""),
        f"{one.get('type', '')} {one.get('name', '')}".casefold(),
        str(one.get("name", "")),
        str(one.get("startTime", "")),
        _both(one),
    )


def _both(one: Mapping[str, Any]) -> dict[str, Any]:
    return {"input": one.get("input"), "output": one.get("output")}


def _langsmith(run: Mapping[str, Any]) -> tuple[str, TraceStep]:
    return (
        str(run.get("trace_id") or run.get("id")),
        TraceStep(
            str(run.get("id")),
            str(run.get("parent_run_id") or ""),
            str(run.get("run_type", "")).casefold(),
            str(run.get("name", "")),
            str(run.get("start_time", "")),
            {"inputs": run.get("inputs"), "outputs": run.get("outputs")},
        ),
    )


def _nested(row: Mapping[str, Any]) -> dict[str, Any]:
    """A row of Phoenix's data frame of spans, whose columns are dotted, as the span."""
    span: dict[str, Any] = {"context": {}, "attributes": {}}
    for name, value in row.items():
        head, _, rest = name.partition(".")
        if rest and head in span:
            span[head][rest] = value
        else:
            span[name] = value
    return span


def _phoenix(span: Mapping[str, Any]) -> tuple[str, TraceStep]:
    context = span["context"] if isinstance(span.get("context"), Mapping) else {}
    attributes = span.get("attributes")
    flat = dict(_flat(attributes)) if isinstance(attributes, Mapping) else {}
    return (
        str(context.get("trace_id")),
        TraceStep(
            str(context.get("span_id")),
            str(span.get("parent_id") or ""),
            str(span.get("span_kind") or _kind(flat)).casefold(),
            str(span.get("name", "")),
            str(span.get("start_time", "")),
            flat,
        ),
    )


def _flat(value: Mapping[str, Any], above: str = "") -> Iterator[tuple[str, Any]]:
    """Nested attributes under dotted names, and each object under its own name too."""
    for key, inner in value.items():
        name = f"{above}{key}"
        yield name, inner
        if isinstance(inner, Mapping):
            yield from _flat(inner, f"{name}.")


def _mlflow(trace: Mapping[str, Any]) -> tuple[str, list[TraceStep]]:
    info = trace.get("info") if isinstance(trace.get("info"), Mapping) else {}
    id = str((info or {}).get("trace_id") or (info or {}).get("request_id") or "")
    spans = []
    for one in _objects(trace["data"]["spans"]):
        given = one.get("attributes")
        attributes = dict(given) if isinstance(given, Mapping) else _attributes(given)
        spans.append(
            TraceStep(
                str(one.get("span_id") or (one.get("context") or {}).get("span_id")),
                str(one.get("parent_id") or one.get("parent_span_id") or ""),
                _kind(attributes).strip('"'),
                str(one.get("name", "")),
                str(one.get("start_time_unix_nano", one.get("start_time", ""))).rjust(30),
                attributes,
            )
        )
    return id, spans


def _row(trace: tuple[str, list[TraceStep]]) -> dict[str, Any]:
    """The outermost span's question and answer, and what the retrieval spans found."""
    id, spans = trace
    spans = sorted(spans, key=lambda span: span.start)
    known = {span.id for span in spans}
    roots = [one for one in spans if one.parent not in known or one.parent == one.id] or spans
    # What a search was given and returned is neither question nor answer, unless it is the outermost span.
    speaking = [one for one in spans if not _retrieves(one) and not _is_tool(one)]
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
    # An agent retrieves by tools.
    found = list(filter(_retrieves, spans)) or list(filter(_is_tool, spans))
    contexts = [one for span in found for one in _documents(span.attributes)]
    lacks = {LACKS: f"trace {id}: {'; '.join(lacking)}"} if lacking else {}
    return {"id": id, **row, "contexts": contexts, **lacks}


def _first_text(texts: Sequence[str | None]) -> str | None:
    """The first text that is not empty, else an empty one."""
    return next(filter(None, texts), "" if "" in texts else None)


def _retrieves(span: TraceStep) -> bool:
    return "retriev" in span.kind or "retriev" in span.name.casefold()


def _is_tool(span: TraceStep) -> bool:
    return span.kind.partition(" ")[0] in _TOOLS


def _first(attributes: Mapping[str, Any], names: Sequence[str]) -> Any:
    return next((attributes[name] for name in names if attributes.get(name) is not None), None)


def _text(value: Any, names: Sequence[str], last_user: bool = False) -> str | None:
    """The words in an input or output: a text, JSON as text, messages, or an object with a usual key."""
    if isinstance(value, str):
        parsed = _json(value)
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
    listed = attributes.get("retrieval.documents")
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
    found = _json(found) if isinstance(found, str) else found
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


def _json(text: str) -> Any:
    if text.strip()[:1] not in ("{", "[", '"'):
        return text
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text
