"""The share of a judge's verdicts that prompt injection flips, shown beside its scores.

An organiser measures a judge with ``argue-bench judge check JUDGE --injections --out FILE`` and commits
the report under ``judges/`` of the board. A report is shown only where its judge's name and whole
identity (model, prompts, decoding) are the text in the signature of the scores. A judge without such
a report was not measured, which is not a rate of 0.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from argue_bench.errors import Code, DataError, Finding
from argue_bench.eval.report import judge_text
from argue_bench.judges.prompted.injections import InjectionCounts, InjectionReport
from argue_bench.pages import safe
from argue_bench.pages.columns import UNKNOWN, judge_name, split_key
from argue_bench.pages.inputs import SystemResult
from argue_bench.records.untrusted import Limits, read_json
from argue_bench.records.validation import validate

FOLDER = "judges"
MOST_FILES = 200
LIMITS = Limits(line_bytes=200_000, file_bytes=200_000, depth=8, digits=32)
HINT = "Write it with `argue-bench judge check JUDGE --injections --out FILE`."
Json = dict[str, Any]


def read_injection_reports(folder: Path, findings: list[Finding]) -> tuple[InjectionReport, ...]:
    """The reports under ``folder`` that can be believed; the others become findings.

    Of several reports on one judge the newest is returned; of one day, the last by file name.
    """
    paths = sorted((folder / FOLDER).glob("*.json"))
    if len(paths) > MOST_FILES:
        why = f"there are {len(paths):,} reports on judges, the first {MOST_FILES} are read"
        hint = "Keep the newest report of each judge."
        findings.append(Finding(Code.JUDGE_REPORTS, why, str(folder / FOLDER), hint=hint))
    found: dict[str, InjectionReport] = {}
    for path in paths[:MOST_FILES]:
        try:
            value = read_json(path, LIMITS)
            one = validate(InjectionReport, value, Code.JUDGE_REPORT, path, hint=HINT)
        except DataError as error:
            findings += error.findings
            continue
        if wrong := list(_contradictions(one)):
            findings += [Finding(Code.JUDGE_REPORT, why, str(path), hint=HINT) for why in wrong]
            continue
        judge = judge_text(one.judge, one.identity)
        if judge not in found or found[judge].made <= one.made:
            found[judge] = one
    return tuple(found.values())


def _contradictions(report: InjectionReport) -> Iterator[str]:
    """Which figures of a report do not go together."""
    total = InjectionCounts(report.attempts, report.succeeded)
    if any(counts.succeeded > counts.attempts for counts in (total, *report.kinds.values())):
        yield "succeeded is more than attempts"
    for key in ("attempts", "succeeded"):
        if sum(getattr(counts, key) for counts in report.kinds.values()) != getattr(report, key):
            yield f"{key} is not the sum over kinds"
    rate, low, high = report.rate, report.low, report.high
    if not report.attempts:
        if (rate, low, high) != (None, None, None):
            yield "nothing was judged, so rate, low and high must be null"
        return
    counted = report.succeeded / report.attempts
    if rate is None or abs(rate - counted) > 1e-6:
        yield "rate is not succeeded / attempts"
    elif (low, high) != (None, None) and (
        low is None or high is None or not low - 1e-6 <= counted <= high + 1e-6
    ):
        yield "low and high are not an interval around the rate"


def board_judges(
    entries: Sequence[SystemResult],
    setting: str,
    keys: Iterable[str],
    ranked: str,
    reports: Sequence[InjectionReport],
) -> list[Json]:
    """Every judge behind these scores; first the judge of the ranked score and of most rows."""
    signatures = [entry.settings[setting]["signature"] for entry in entries]
    ranked_metric = split_key(ranked)[0]
    leads = {signature.get(ranked_metric, {}).get("judge") for signature in signatures}
    rows: Counter[str] = Counter()
    for metric in dict.fromkeys([ranked_metric, *(split_key(key)[0] for key in keys)]):
        judges = (signature.get(metric, {}).get("judge") for signature in signatures)
        rows.update(judge for judge in judges if judge and judge != UNKNOWN)
    # Counters and sorting keep the first order, so pages are the same every time.
    order = sorted(rows, key=lambda judge: (judge not in leads, -rows[judge]))
    by_judge = {judge_text(one.judge, one.identity): one for one in reports}
    return [_judge(judge, by_judge.get(judge)) for judge in order]


def all_judges(
    boards: Iterable[Mapping[str, Any]], reports: Sequence[InjectionReport]
) -> list[Json]:
    """The judges of all boards, then others with a report; each report with its counts by kind."""
    found = {one["id"]: {**one, "kinds": {}} for made in boards for one in made["judges"]}
    for report in reports:
        one = _judge(judge_text(report.judge, report.identity), report)
        kinds = {safe.text(name, 60): asdict(counts) for name, counts in report.kinds.items()}
        found[one["id"]] = {**one, **found.get(one["id"], {}), "kinds": kinds}
    return list(found.values())


def _judge(judge: str, report: InjectionReport | None) -> Json:
    """A judge as pages show it; ``id`` tells judges of the same name apart."""
    injections = None
    if report is not None and report.attempts:
        injections = {
            "attempts": report.attempts,
            "succeeded": report.succeeded,
            "failed": report.failed,
            "rate": report.succeeded / report.attempts,
            "low": report.low,
            "high": report.high,
            "left_out": [safe.text(place, 100) for place in report.left_out],
            "version": safe.text(report.argue_bench, 40),
            "made": report.made,
        }
    return {
        "id": hashlib.sha256(judge.encode("utf-8", "replace")).hexdigest()[:8],
        "name": judge_name({"judge": judge}),
        "judge": safe.text(judge, 500),
        "injections": injections,
    }
