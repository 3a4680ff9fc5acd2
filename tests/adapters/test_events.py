"""Scores of traces as OpenTelemetry events, in a file and at a real receiver on loopback."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from argue_bench import evaluate, from_rows
from argue_bench.adapters.events import write_events
from argue_bench.cli import main
from argue_bench.records import Failed, JudgeRequest, NotJudged, Verdict
from tests.adapters.test_traces import ANSWER, FORMS, attributes, chat, otlp, span

TRACE, SPAN = "5b8aa5a2d2c872e8321cf37308d69df2", "051581bf3cb55c13"
# Looking for a part of a package that is not there raises, so the package is looked for first.
HAS_OTEL = bool(find_spec("opentelemetry") and find_spec("opentelemetry.exporter"))
needs_otel = pytest.mark.skipif(not HAS_OTEL, reason="needs argue-bench[otel]")


def run(place: Path, traces: Any, *words: str) -> Result:
    (place / "traces.json").write_text(traces if isinstance(traces, str) else json.dumps(traces))
    return CliRunner().invoke(main, ["evaluate", str(place / "traces.json"), *words])


def records(file: Path) -> list[dict[str, Any]]:
    """The log records of OTLP's JSON, with their attributes as a mapping."""
    (resource,) = json.loads(file.read_text())["resourceLogs"]
    (scope,) = resource["scopeLogs"]
    return [
        {
            **one,
            "attributes": {
                pair["key"]: next(iter(pair["value"].values())) for pair in one["attributes"]
            },
        }
        for one in scope["logRecords"]
    ]


UUID = f"{TRACE[:8]}-{TRACE[8:12]}-{TRACE[12:16]}-{TRACE[16:20]}-{TRACE[20:]}"
RUN = f"{SPAN[:8]}-{SPAN[8:12]}-{SPAN[12:]}-8fc4-000000000000"
IDS = {
    # the form, the product's own ids, and those of the event; "" where there is none of OpenTelemetry's
    "OTLP in Protobuf's JSON": (
        "OpenInference over OTLP",
        "W4qlotLIcugyHPNzCNad8g==",
        "BRWBvzy1XBM=",
    ),
    "LangSmith": ("LangSmith", UUID, RUN),
    "Phoenix": ("Phoenix", TRACE, SPAN),
    "MLflow": ("MLflow", f"tr-{TRACE}", SPAN),
    "Langfuse's observations": ("Langfuse's observations", TRACE, SPAN),
    "ids of another kind": ("Langfuse's observations", "my trace", "my span"),
    "a trace without a span of its own": ("Langfuse", TRACE, ""),
}


@pytest.mark.parametrize(("form", "trace", "own"), IDS.values(), ids=IDS)
def test_an_event_belongs_to_the_span_that_answered(
    form: str, trace: str, own: str, tmp_path: Path
) -> None:
    text = json.dumps(FORMS[form]()).replace('"t1"', json.dumps(trace))
    text = text.replace('"a"', json.dumps(own)) if own else text
    done = run(tmp_path, text, "--events", str(tmp_path / "events.json"))
    assert done.exit_code == 0, done.output
    first, *_ = records(tmp_path / "events.json")
    foreign = trace == "my trace"
    assert first["eventName"] == "gen_ai.evaluation.result"
    assert first["traceId"] == ("" if foreign else TRACE)
    assert first["spanId"] == ("" if foreign or not own else SPAN)
    assert first["attributes"] == {
        "gen_ai.evaluation.name": "faithfulness.supported",
        "gen_ai.evaluation.score.value": 1.0,
        "argue_bench.trace.id": trace,
        "argue_bench.span.id": own,
    }


def two_traces() -> Any:
    """A chain that repeats what its model said, and a second trace with a wrong length."""
    root = span("c1", "1", input__value="How long is it?", output__value=ANSWER)
    model = chat("c1")
    model[1]["attributes"] += attributes(**{"gen_ai.response.id": "r-1"})
    other = json.loads(json.dumps([root, *model]).replace("412 m", "421 m", 1).replace("t1", "t2"))
    other[2]["attributes"][2]["value"]["stringValue"] = other[2]["attributes"][2]["value"][
        "stringValue"
    ].replace("412 m", "421 m")
    return otlp(root, *model, *other)


def test_the_span_of_the_model_gets_the_score_with_what_was_flagged(tmp_path: Path) -> None:
    run(tmp_path, two_traces(), "--events", str(tmp_path / "events.json"))
    told = [one["attributes"] for one in records(tmp_path / "events.json")]
    good, _, bad, _ = told
    assert (good["argue_bench.span.id"], good["gen_ai.response.id"]) == ("chat", "r-1")
    assert (good["gen_ai.evaluation.score.value"], bad["gen_ai.evaluation.score.value"]) == (1, 0)
    labels = [one.get("gen_ai.evaluation.score.label") for one in told]
    assert labels == [None, None, "flagged", None]
    assert bad["gen_ai.evaluation.explanation"] == (
        "It is 421 m long. (contradicted by the contexts: it says 412 m, not 421 m)"
    )


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        (Failed("out of order"), {"error.type": "judge_failed"}),
        (NotJudged("no French"), {"gen_ai.evaluation.score.label": "not_judged"}),
        # Every answer is a refusal, so no sentence of it needs support.
        (Verdict("yes"), {"gen_ai.evaluation.score.label": "not_applicable"}),
    ],
    ids=["failed", "not judged", "does not apply"],
)
def test_what_was_not_scored_has_no_value(reply: Any, said: Any, tmp_path: Path) -> None:
    def judge(request: JudgeRequest) -> Any:
        return reply

    path, file = tmp_path / "traces.json", tmp_path / "events.json"
    path.write_text(json.dumps(two_traces()))
    report = evaluate(*from_rows(path), ["faithfulness"], judge=judge)
    assert write_events([path], report, file, "") == 4
    found = records(file)[0]["attributes"]
    mine = {"gen_ai.evaluation.score.value", "gen_ai.evaluation.score.label", "error.type"}
    assert {key: found[key] for key in mine & set(found)} == said
    told = found.get("gen_ai.evaluation.explanation", "")
    assert (getattr(reply, "reason", "") or "") in told


@contextmanager
def receiver(status: int) -> Iterator[tuple[str, list[tuple[str, bytes]]]]:
    """A receiver of OTLP over HTTP: its address, and the path and body of each request."""
    got: list[tuple[str, bytes]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            got.append((self.path, self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(status)
            self.end_headers()

        def log_message(self, *_: Any) -> None:
            """Nothing is printed of a request."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", got
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@needs_otel
@pytest.mark.parametrize("path", ["", "/", "/otel/logs"])
def test_a_receiver_gets_what_the_file_holds(path: str, tmp_path: Path) -> None:
    from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest

    text = json.dumps(two_traces()).replace('"t1"', f'"{TRACE}"').replace('"chat"', f'"{SPAN}"')
    with receiver(200) as (url, got):
        words = ("--events", str(tmp_path / "events.json"), "--otlp", url + path)
        assert run(tmp_path, text, *words).exit_code == 0
    ((asked, body),) = got
    assert asked == (path if path.strip("/") else "/v1/logs")
    (resource,) = ExportLogsServiceRequest.FromString(body).resource_logs
    sent = [
        {
            "eventName": one.event_name,
            "traceId": one.trace_id.hex(),
            "spanId": one.span_id.hex(),
            "attributes": {
                pair.key: getattr(pair.value, pair.value.WhichOneof("value") or "")
                for pair in one.attributes
            },
        }
        for one in resource.scope_logs[0].log_records
    ]
    assert sent == [{key: one[key] for key in sent[0]} for one in records(tmp_path / "events.json")]
    assert sent[0]["traceId"] == TRACE


@needs_otel
def test_a_receiver_that_refuses_is_one_error(tmp_path: Path) -> None:
    with receiver(400) as (url, _):
        done = run(tmp_path, two_traces(), "--otlp", url)
    assert done.exit_code == 1
    assert f"{url}/v1/logs: the receiver took 0 of 4 events" in done.stderr


BAD = {
    "rows": ('{"question": "Q?", "answer": "A.", "contexts": ["A."]}', 2, "holds no scored traces"),
    "no model": (
        json.dumps(otlp(span("http", "1", http__method="GET"))),
        1,
        "trace t1: no span holds a question",
    ),
}


@pytest.mark.parametrize(("text", "code", "told"), BAD.values(), ids=BAD)
def test_what_cannot_become_events_is_one_error(
    text: str, code: int, told: str, tmp_path: Path
) -> None:
    done = run(tmp_path, text, "--events", str(tmp_path / "events.json"))
    assert done.exit_code == code
    assert told in done.stderr


def test_what_is_wrong_with_a_receiver_is_said_before_anything_is_scored(tmp_path: Path) -> None:
    done = run(tmp_path, two_traces(), "--otlp", "nowhere")
    assert done.exit_code == 2
    told = "--otlp nowhere: expected an address" if HAS_OTEL else "argue-bench[otel]"
    assert told in done.stderr
    assert not done.stdout
