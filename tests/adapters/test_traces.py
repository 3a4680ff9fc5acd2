"""Traces as rows: the same run of a system, in the forms that six tools export it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from argue_bench.errors import DataError
from argue_bench.loaders.rows import looks_like_rows, read_rows

QUESTION, ANSWER = "How long is it?", "It is 412 m long."
FOUND = ["It is 412 m long.", "It is red."]


def attributes(**values: Any) -> list[dict[str, Any]]:
    return [{"key": key, "value": {"stringValue": value}} for key, value in values.items()]


def otlp(*spans: dict[str, Any]) -> dict[str, Any]:
    return {"resourceSpans": [{"scopeSpans": [{"spans": list(spans)}]}]}


def openinference() -> Any:
    documents = {
        f"retrieval.documents.{at}.document.content": text for at, text in enumerate(FOUND)
    }
    return otlp(
        {
            "traceId": "t1",
            "spanId": "b",
            "parentSpanId": "a",
            "name": "search",
            "startTimeUnixNano": "200",
            "attributes": attributes(**{"openinference.span.kind": "RETRIEVER", **documents}),
        },
        {
            "traceId": "t1",
            "spanId": "a",
            "name": "ask",
            "startTimeUnixNano": "100",
            "attributes": attributes(
                **{
                    "openinference.span.kind": "CHAIN",
                    "input.value": json.dumps({"query": QUESTION}),
                    "output.value": ANSWER,
                }
            ),
        },
    )


def gen_ai() -> Any:
    asked = [{"role": "user", "parts": [{"type": "text", "content": QUESTION}]}]
    said = [{"role": "assistant", "parts": [{"type": "text", "content": ANSWER}]}]
    return otlp(
        {
            "traceId": "t1",
            "spanId": "a",
            "name": "chat",
            "startTimeUnixNano": "1",
            "attributes": attributes(
                **{
                    "gen_ai.operation.name": "chat",
                    "gen_ai.input.messages": json.dumps(asked),
                    "gen_ai.output.messages": json.dumps(said),
                }
            ),
        },
        {
            "traceId": "t1",
            "spanId": "b",
            "parentSpanId": "a",
            "name": "retrieve documents",
            "startTimeUnixNano": "2",
            "attributes": attributes(output=json.dumps(FOUND)),
        },
    )


def langfuse() -> Any:
    search = {
        "id": "b",
        "type": "SPAN",
        "name": "retrieval",
        "startTime": "2026-01-01T00:00:00Z",
        "output": [{"text": text} for text in FOUND],
    }
    return [
        {"id": "t1", "input": {"question": QUESTION}, "output": ANSWER, "observations": [search]}
    ]


def langsmith() -> Any:
    found = [{"page_content": text} for text in FOUND]
    return [
        {
            "id": "a",
            "trace_id": "t1",
            "run_type": "chain",
            "name": "rag",
            "start_time": "2026-01-01T00:00:00",
            "inputs": {"question": QUESTION},
            "outputs": {"answer": ANSWER},
        },
        {
            "id": "b",
            "trace_id": "t1",
            "parent_run_id": "a",
            "run_type": "retriever",
            "name": "search",
            "start_time": "2026-01-01T00:00:01",
            "inputs": {"query": QUESTION},
            "outputs": {"documents": found},
        },
    ]


def phoenix() -> Any:
    documents = [{"document": {"content": text}} for text in FOUND]
    return [
        {
            "context": {"trace_id": "t1", "span_id": "a"},
            "parent_id": None,
            "span_kind": "CHAIN",
            "start_time": "1",
            "attributes": {"input": {"value": QUESTION}, "output": {"value": ANSWER}},
        },
        {
            "context": {"trace_id": "t1", "span_id": "b"},
            "parent_id": "a",
            "span_kind": "RETRIEVER",
            "start_time": "2",
            "attributes": {"retrieval": {"documents": documents}},
        },
    ]


def mlflow() -> Any:
    spans = [
        {
            "span_id": "a",
            "name": "predict",
            "start_time_unix_nano": 1,
            "attributes": {
                "mlflow.spanType": '"CHAIN"',
                "mlflow.spanInputs": json.dumps({"question": QUESTION}),
                "mlflow.spanOutputs": json.dumps(ANSWER),
            },
        },
        {
            "span_id": "b",
            "parent_id": "a",
            "name": "search",
            "start_time_unix_nano": 2,
            "attributes": {
                "mlflow.spanType": '"RETRIEVER"',
                "mlflow.spanOutputs": json.dumps([{"page_content": text} for text in FOUND]),
            },
        },
    ]
    return [{"info": {"trace_id": "t1"}, "data": {"spans": spans}}]


def agent() -> Any:
    """An agent of the GenAI conventions, which retrieves by a tool."""
    said = {
        "gen_ai.operation.name": "invoke_agent",
        "input.value": QUESTION,
        "output.value": ANSWER,
    }
    found = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.call.result": json.dumps(FOUND)}
    spans = (("a", "", "ask", said), ("b", "a", "search", found))
    return otlp(
        *(
            {
                "traceId": "t1",
                "spanId": id,
                "parentSpanId": above,
                "name": name,
                "attributes": attributes(**values),
            }
            for id, above, name, values in spans
        )
    )


def langfuse_observations() -> Any:
    root = {"id": "a", "traceId": "t1", "type": "SPAN", "name": "ask"}
    found = {"id": "b", "traceId": "t1", "parentObservationId": "a", "type": "RETRIEVER"}
    return [
        {**root, "input": {"question": QUESTION}, "output": {"answer": ANSWER}},
        {**found, "name": "search", "input": QUESTION, "output": json.dumps(FOUND)},
    ]


def phoenix_frame() -> Any:
    documents = [{"document.content": text} for text in FOUND]
    about = {"context.trace_id": "t1", "context.span_id": "a", "parent_id": None, "name": "ask"}
    return [
        {
            **about,
            "span_kind": "CHAIN",
            "attributes.input.value": QUESTION,
            "attributes.output.value": ANSWER,
        },
        {
            **about,
            "context.span_id": "b",
            "parent_id": "a",
            "span_kind": "RETRIEVER",
            "attributes.retrieval.documents": documents,
        },
    ]


FORMS = {
    "an agent's tool over OTLP": agent,
    "Langfuse's observations": langfuse_observations,
    "Phoenix' data frame": phoenix_frame,
    "OpenInference over OTLP": openinference,
    "GenAI over OTLP": gen_ai,
    "Langfuse": langfuse,
    "LangSmith": langsmith,
    "Phoenix": phoenix,
    "MLflow": mlflow,
}


@pytest.mark.parametrize("lines", [False, True], ids=["JSON", "JSON Lines"])
@pytest.mark.parametrize("make", FORMS.values(), ids=FORMS)
def test_a_trace_is_a_row_that_keeps_its_id(make: Any, lines: bool, tmp_path: Path) -> None:
    value = make()
    path = tmp_path / ("traces.jsonl" if lines else "traces.json")
    rows = value if isinstance(value, list) else [value]
    path.write_text("".join(json.dumps(r) + "\n" for r in rows) if lines else json.dumps(value))
    assert looks_like_rows(path)
    read = read_rows(path)
    assert read.findings == ()
    (question,) = read.dataset
    assert (question.id, question.text) == ("t1", QUESTION)
    assert [read.dataset.documents[id].text for id in question.documents] == FOUND
    assert read.answers["t1"].text == ANSWER
    # Spans of one trace may lie on several lines, so no line is its place.
    assert read.places == {"t1": (str(path), 0)}


def test_a_trace_without_an_answer_is_a_finding(tmp_path: Path) -> None:
    value = langsmith()
    value[0]["outputs"] = None
    path = tmp_path / "traces.json"
    other = json.loads(json.dumps(langsmith()).replace('"t1"', '"t2"').replace('"a"', '"c"'))
    path.write_text(json.dumps([*value, *other]))
    read = read_rows(path)
    assert list(read.answers) == ["t2"]
    assert [str(one.code) for one in read.findings] == ["row-columns"]


def span(id: str, start: str, parent: str = "", **values: str) -> dict[str, Any]:
    return {
        "traceId": "t1",
        "spanId": id,
        "parentSpanId": parent,
        "name": values.pop("name", id),
        "startTimeUnixNano": start,
        "attributes": attributes(**{k.replace("__", "."): v for k, v in values.items()}),
    }


def message(role: str, text: str) -> str:
    return json.dumps([{"role": role, "parts": [{"type": "text", "content": text}]}])


def chat(parent: str) -> list[dict[str, Any]]:
    documents = json.dumps([{"id": str(at), "content": text} for at, text in enumerate(FOUND)])
    return [
        span(
            "search",
            "2",
            parent,
            gen_ai__operation__name="retrieval",
            gen_ai__retrieval__documents=documents,
        ),
        span(
            "chat",
            "3",
            parent,
            gen_ai__operation__name="chat",
            gen_ai__input__messages=message("user", QUESTION),
            gen_ai__output__messages=message("assistant", ANSWER),
        ),
    ]


@pytest.mark.parametrize("parent", ["agent", "never exported"])
def test_the_spans_below_a_root_without_text_are_read(parent: str, tmp_path: Path) -> None:
    agent = (
        [span("agent", "1", gen_ai__operation__name="invoke_agent")] if parent == "agent" else []
    )
    path = tmp_path / "traces.json"
    path.write_text(json.dumps(otlp(*agent, *chat(parent))))
    read = read_rows(path)
    assert [question.text for question in read.dataset] == [QUESTION]
    assert read.answers["t1"].text == ANSWER
    assert [one.text for one in read.dataset.documents.values()] == FOUND


def test_a_trace_without_a_question_says_where_it_was_looked_for(tmp_path: Path) -> None:
    path = tmp_path / "traces.json"
    path.write_text(json.dumps(otlp(span("agent", "1", gen_ai__output__messages="[]"))))
    assert looks_like_rows(path)
    with pytest.raises(DataError) as error:
        read_rows(path)
    told = "trace t1: no span holds a question (looked for gen_ai.input.messages, input.value)"
    assert told in str(error.value)
