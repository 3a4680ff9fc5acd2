"""Scores of traces as OpenTelemetry events ``gen_ai.evaluation.result``, in a file or sent to a receiver.

The conventions are those of open-telemetry/semantic-conventions-genai v0.1.0 (``model/gen-ai/events.yaml``):
an event is a log record that belongs to the span which is evaluated. One event for each headline score of each
trace. What a reader of the events must not confuse:

    scored            gen_ai.evaluation.score.value; the label "flagged" where a sentence lacks support
    does not apply    the label "not_applicable", no value
    not judged        the label "not_judged" with the reason, no value
    failed            error.type "judge_failed", no value
"""

from __future__ import annotations

import base64
import json
import re
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from argue_bench.errors import Code, DataError, UsageError, needing
from argue_bench.eval.flags import tier_of
from argue_bench.eval.report import Report
from argue_bench.loaders.findings import Findings
from argue_bench.loaders.rows.tables import file_rows, row_files
from argue_bench.records import NotJudged
from argue_bench.records.atomic import atomic_write
from argue_bench.version import __version__

NAME = "gen_ai.evaluation.result"
# Characters of an explanation; some receivers refuse longer attributes.
EXPLAINED = 4_000
# Events of one request, as many as OpenTelemetry's own batches have.
BATCH = 512


class Event(NamedTuple):
    """One evaluation: the span that it belongs to, as hexadecimal digits, and its attributes.

    An id is empty where the product's own is none of OpenTelemetry's; the attributes then still name it.
    """

    trace: str
    span: str
    attributes: dict[str, str | float]


def write_events(answers: Sequence[Path], report: Report, file: Path | None, url: str) -> int:
    """Writes the events of a report on traces as OTLP's JSON, sends them, or both; returns how many.

    ``answers`` are the exports that were scored. Raises UsageError where they hold no traces, DataError where
    the disk or the receiver refuses, MissingExtra where opentelemetry-sdk is needed and not installed.
    """
    rows = [
        row
        for one in answers
        for file in row_files(one)
        for _, row in file_rows(file, Findings(file))
    ]
    spans = {str(row["id"]): row["span"] for row in rows if "product" in (row.get("span") or ())}
    found = list(_events(report, spans))
    if not found:
        raise UsageError(
            f"{answers[0]} holds no scored traces: --events and --otlp take an export of traces (docs/rows.md)"
        )
    now = time.time_ns()
    if file is not None:
        with atomic_write(file) as out:
            json.dump(_otlp(found, now), out, ensure_ascii=False, allow_nan=False)
            out.write("\n")
    if url:
        _send(found, now, url)
    return len(found)


def _events(report: Report, spans: Mapping[str, Mapping[str, Any]]) -> Iterator[Event]:
    flagged: dict[tuple[str, str], list[str]] = defaultdict(list)
    for one in report.failed_sentences():
        # Flags that are more often wrong than right would fill a dashboard with false alarms.
        if tier_of(one) != "weak":
            flagged[one.question, one.metric].append(f"{one.text} ({one.reason})")
    for id, span in spans.items():
        scores = report.scores_of(id) if id in report.per_question else {}
        for text, tallies in report.per_question.get(id, {}).items():
            for name in report.metric(text).headline or report.averages(text):
                told: dict[str, str | float] = {"gen_ai.evaluation.name": f"{text}.{name}"}
                value, label, why = scores.get(f"{text}.{name}"), "", []
                if value is not None:
                    told["gen_ai.evaluation.score.value"] = value
                    # The sentences of one metric lower some of its scores and not others.
                    if value < 1 and (why := flagged[id, text]):
                        label = "flagged"
                elif tallies is None:
                    told["error.type"] = "judge_failed"
                    why = [one for one in report.failures if one.startswith(f"{id}: {text}:")][:1]
                elif isinstance(tallies, NotJudged):
                    label, why = "not_judged", [tallies.reason]
                else:
                    label = "not_applicable"
                told |= {"gen_ai.evaluation.score.label": label} if label else {}
                told |= {"gen_ai.evaluation.explanation": "; ".join(why)[:EXPLAINED]} if why else {}
                yield _event(id, span, told)


def _event(trace: str, span: Mapping[str, Any], told: dict[str, str | float]) -> Event:
    if span.get("response"):
        told["gen_ai.response.id"] = str(span["response"])
    # Under these names a product's own interface takes scores.
    told |= {"argue_bench.trace.id": trace, "argue_bench.span.id": str(span["id"])}
    # LangSmith's ids are UUIDs; its exporter takes the first half of a run's for its span.
    half = span["id"].replace("-", "")[:16] if span["product"] == "LangSmith" else span["id"]
    return Event(_digits(trace, 32), _digits(half, 16), told)


def _digits(id: str, length: int) -> str:
    """An id as OpenTelemetry writes it: so many hexadecimal digits; empty where it is none.

    MLflow puts "tr-" before them, UUIDs have dashes, and Protobuf's own JSON is in base64.
    """
    text = id.removeprefix("tr-").removeprefix("0x").replace("-", "").casefold()
    if len(id) == -(-length // 6) * 4 and re.fullmatch("[A-Za-z0-9+/]+=+", id):
        text = base64.b64decode(id).hex()
    return text if re.fullmatch(f"[0-9a-f]{{{length}}}", text) and int(text, 16) else ""


def _otlp(events: Sequence[Event], now: int) -> dict[str, Any]:
    """The body of a request to ``/v1/logs``, as OTLP 1.x writes it in JSON."""
    records = [
        {
            "timeUnixNano": str(now),
            "observedTimeUnixNano": str(now),
            "eventName": NAME,
            "traceId": one.trace,
            "spanId": one.span,
            "attributes": [
                {
                    "key": key,
                    "value": {"stringValue" if isinstance(value, str) else "doubleValue": value},
                }
                for key, value in one.attributes.items()
            ],
        }
        for one in events
    ]
    about = {"service.name": "argue-bench", "service.version": __version__}
    resource = [{"key": key, "value": {"stringValue": value}} for key, value in about.items()]
    return {
        "resourceLogs": [
            {"resource": {"attributes": resource}, "scopeLogs": [{"logRecords": records}]}
        ]
    }


def open_receiver(url: str) -> tuple[Any, str]:
    """The exporter to a receiver of OTLP over HTTP, and its whole address. Headers and certificates come from OTEL_EXPORTER_OTLP_*.

    Raises UsageError, and MissingExtra where opentelemetry-sdk is not installed.
    """
    with needing("--otlp", "otel", "--events FILE, which needs nothing"):
        from opentelemetry.exporter.otlp.proto.http._log_exporter import OTLPLogExporter
    place = urlsplit(url)
    if place.scheme not in ("http", "https") or not place.netloc:
        raise UsageError(f"--otlp {url}: expected an address such as http://localhost:4318")
    # As with OTEL_EXPORTER_OTLP_ENDPOINT, an address without a path is that of the receiver.
    endpoint = url if place.path.strip("/") else f"{url.rstrip('/')}/v1/logs"
    return OTLPLogExporter(endpoint=endpoint), endpoint


def _send(events: Sequence[Event], now: int, url: str) -> None:
    from opentelemetry import _logs as api
    from opentelemetry.sdk import _logs as sdk
    from opentelemetry.sdk._logs.export import LogRecordExportResult
    from opentelemetry.sdk.resources import Resource

    exporter, endpoint = open_receiver(url)
    about = Resource({"service.name": "argue-bench", "service.version": __version__})
    records = (
        api.LogRecord(
            timestamp=now,
            observed_timestamp=now,
            trace_id=int(one.trace or "0", 16),
            span_id=int(one.span or "0", 16),
            event_name=NAME,
            attributes=one.attributes,
        )
        for one in events
    )
    sent = 0
    while batch := [sdk.ReadableLogRecord(one, about) for one in islice(records, BATCH)]:
        if exporter.export(batch) is not LogRecordExportResult.SUCCESS:
            raise DataError.of(
                Code.NOT_WRITTEN,
                f"the receiver took {sent:,} of {len(events):,} events",
                endpoint,
                hint="Expected a receiver of logs by OTLP over HTTP; say the whole path if it has its own.",
            )
        sent += len(batch)
    exporter.shutdown()
