"""How easily is a judge talked into a verdict? What an organiser measured, beside the judge it was measured on.

``judges/*.json`` in a board's folder are reports as ``argue-bench judge check JUDGE --injections --out FILE``
writes them: (planted instructions that turned the verdict) / (those that were judged). A report speaks of
a judge only where its name and its whole identity (model, prompts, decoding) make the very words that stand
in the signature of the scores. A judge without such a report was not measured, which is not 0.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any, TypeGuard

from argue_bench.errors import Code, DataError, Finding
from argue_bench.pages import safe
from argue_bench.pages.columns import judge_name, split_key
from argue_bench.pages.inputs import InjectionResult, SystemResult
from argue_bench.records.untrusted import Limits, read_json

FOLDER = "judges"
SCHEMA = 1
MOST_FILES = 200
MOST_KINDS = 100
MOST_PARTS = 200
MOST_TEXT = 2_000
MOST_COUNT = 1_000_000_000
LIMITS = Limits(line_bytes=200_000, file_bytes=200_000, depth=8, digits=32)
Json = dict[str, Any]


def judge_text(name: str, identity: Mapping[str, str]) -> str:
    """A judge in the words of a signature: its name, then all that moves its verdicts."""
    return " ".join([name, *(f"{key}:{value}" for key, value in identity.items())])


def read_injection_reports(folder: Path, findings: list[Finding]) -> tuple[InjectionResult, ...]:
    """Every report under ``folder`` that can be believed; what can't becomes a finding.

    Of several on one judge the newest stays, of one day the last by file name.
    """
    paths = sorted((folder / FOLDER).glob("*.json"))
    if len(paths) > MOST_FILES:
        why = f"there are {len(paths):,} reports on judges, the first {MOST_FILES} are read"
        hint = "Keep the newest report of each judge."
        findings.append(Finding(Code.JUDGE_REPORTS, why, str(folder / FOLDER), hint=hint))
    found: dict[str, InjectionResult] = {}
    for path in paths[:MOST_FILES]:
        try:
            one = _report(read_json(path, LIMITS), str(path))
        except DataError as error:
            findings += error.findings
            continue
        if one.judge not in found or found[one.judge].made <= one.made:
            found[one.judge] = one
    return tuple(found.values())


def _report(value: Any, label: str) -> InjectionResult:
    """Raises DataError with everything that is wrong."""
    wrong = list(_wrong(value))
    if wrong:
        hint = "Write it with `argue-bench judge check JUDGE --injections --out FILE`."
        raise DataError([Finding(Code.JUDGE_REPORT, one, label, hint=hint) for one in wrong])
    return InjectionResult(
        value["judge"],
        judge_text(value["judge"], value["identity"]),
        value["attempts"],
        value["succeeded"],
        value["failed"],
        value["low"],
        value["high"],
        {name: (row["attempts"], row["succeeded"]) for name, row in value["kinds"].items()},
        tuple(value.get("left_out", ())),
        value["argue_bench"],
        value["made"],
    )


def _wrong(value: Any) -> Iterator[str]:
    if not isinstance(value, dict):
        yield "this report on a judge is no JSON object"
        return
    if value.get("schema") != SCHEMA or type(value.get("schema")) is not int:
        yield f"schema is not {SCHEMA}, the layout that this version reads"
    if not _text(value.get("judge")) or not value["judge"].strip():
        yield "judge is not the name of one"
    if not _identity(value.get("identity")):
        yield "identity is no object of texts"
    if not _text(value.get("argue_bench")):
        yield "argue_bench is not the text of a version"
    if not _day(value.get("made")):
        yield "made is not a day of the form YYYY-MM-DD"
    left_out = value.get("left_out", [])
    if (
        not isinstance(left_out, list)
        or len(left_out) > MOST_KINDS
        or not all(map(_text, left_out))
    ):
        yield "left_out is no list of texts"
    if not _counts(value) or not _count(value.get("failed")):
        yield "attempts, succeeded and failed are not whole numbers that go together"
        return
    yield from _wrong_rates(value)
    kinds = value.get("kinds")
    if (
        not isinstance(kinds, dict)
        or len(kinds) > MOST_KINDS
        or not all(map(_counts, kinds.values()))
    ):
        yield 'kinds is no object of {"attempts", "succeeded"}'
    elif any(
        sum(row[key] for row in kinds.values()) != value[key] for key in ("attempts", "succeeded")
    ):
        yield "attempts and succeeded are not the sums over kinds"


def _wrong_rates(value: Mapping[str, Any]) -> Iterator[str]:
    """The rate says what the counts say, and stands in its interval."""
    rate, low, high = (value.get(key) for key in ("rate", "low", "high"))
    if not value["attempts"]:
        if (rate, low, high) != (None, None, None):
            yield "nothing was judged, so rate, low and high must be null"
        return
    told = value["succeeded"] / value["attempts"]
    if not _share(rate) or abs(rate - told) > 1e-6:
        yield "rate is not succeeded / attempts"
    elif (low, high) != (None, None) and not (
        _share(low) and _share(high) and low - 1e-6 <= told <= high + 1e-6
    ):
        yield "low and high are no interval around the rate"


def board_judges(
    entries: Sequence[SystemResult],
    setting: str,
    keys: Iterable[str],
    ranked: str,
    told: Sequence[InjectionResult],
) -> list[Json]:
    """Every judge behind these scores, that of the ranked score and of most rows first."""
    metrics = dict.fromkeys(split_key(key)[0] for key in [ranked, *keys])
    behind: Counter[str] = Counter()
    for metric in metrics:  # a counter keeps the order of what came first
        behind.update(
            judge
            for entry in entries
            if (judge := entry.settings[setting]["signature"].get(metric, {}).get("judge"))
        )
    leads = {
        entry.settings[setting]["signature"].get(split_key(ranked)[0], {}).get("judge")
        for entry in entries
    }
    order = sorted(behind, key=lambda judge: (judge not in leads, -behind[judge]))
    reports = {one.judge: one for one in told}
    return [{**_named(judge), "fooled": _fooled(reports.get(judge))} for judge in order]


def all_judges(boards: Iterable[Mapping[str, Any]], told: Sequence[InjectionResult]) -> list[Json]:
    """The judges of all boards, then others with a report; each report with its table by kind."""
    found = {one["id"]: {**one, "kinds": {}} for made in boards for one in made["judges"]}
    for one in told:
        named = _named(one.judge)
        found.setdefault(named["id"], {**named, "fooled": _fooled(one)})
        found[named["id"]]["kinds"] = {
            safe.text(name, 60): {"attempts": of, "succeeded": won}
            for name, (of, won) in one.kinds.items()
        }
    return list(found.values())


def _named(judge: str) -> Json:
    """``id`` tells judges apart whose names alone are the same."""
    return {
        "id": hashlib.sha256(judge.encode("utf-8", "replace")).hexdigest()[:8],
        "name": judge_name({"judge": judge}),
        "judge": safe.text(judge, 500),
    }


def _fooled(one: InjectionResult | None) -> Json | None:
    """What a page says of a report; None where nothing was judged."""
    if one is None or not one.attempts:
        return None
    return {
        "attempts": one.attempts,
        "succeeded": one.succeeded,
        "failed": one.failed,
        "rate": one.succeeded / one.attempts,
        "low": one.low,
        "high": one.high,
        "left_out": [safe.text(place, 100) for place in one.left_out],
        "version": safe.text(one.version, 40),
        "made": one.made,
    }


def _text(value: Any) -> bool:
    return isinstance(value, str) and len(value) <= MOST_TEXT


def _identity(value: Any) -> bool:
    good = isinstance(value, dict) and len(value) <= MOST_PARTS
    return good and all(_text(key) and _text(part) for key, part in value.items())


def _count(value: Any) -> TypeGuard[int]:
    return type(value) is int and 0 <= value <= MOST_COUNT


def _counts(row: Any) -> bool:
    if not isinstance(row, dict):
        return False
    of, won = row.get("attempts"), row.get("succeeded")
    return _count(of) and _count(won) and won <= of


def _share(value: Any) -> TypeGuard[float]:
    return type(value) in (int, float) and 0 <= value <= 1


def _day(value: Any) -> bool:
    if not isinstance(value, str) or len(value) != 10:
        return False
    try:
        return date.fromisoformat(value).isoformat() == value
    except ValueError:
        return False
