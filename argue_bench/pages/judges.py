"""Measurements of a judge, shown beside its scores: its agreement with people, and how often
prompt injection flips it.

An organiser measures a judge with ``argue-bench judge check JUDGE --injections FILE`` and
``argue-bench judge card JUDGE --out FILE``, and commits the report under ``judges/`` and the card under
``judges/cards/`` of the board; the card of the offline judge comes with the package. Either is shown only where its judge's name and whole identity (model,
prompts, decoding) are the text in the signature of the scores. A judge without such a file was not
measured, which is not a rate of 0.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, TypeVar

from argue_bench.errors import Code, DataError, Finding
from argue_bench.eval.signature import judge_text
from argue_bench.lab.card import HINT, LIMITS, InjectionReport, JudgeCard, agreement_line
from argue_bench.metrics import class_of
from argue_bench.pages.inputs import MeasuredJudges, SystemResult
from argue_bench.records.untrusted import read_json
from argue_bench.records.validation import validate
from argue_bench.view import safe
from argue_bench.view.columns import UNKNOWN, judge_name, split_key

FOLDER, CARDS = "judges", "judges/cards"
# Cards of the judges that come with this version.
SHIPPED = Path(__file__).parents[1] / "data" / "judges"
# People's labels of whether a source supports a sentence serve both kinds of request that ask it.
_LABELLED_AS = {"SupportLevel": "Entails", "Supports": "Entails"}
CARD_HINT = "Write it with `argue-bench judge card JUDGE --out FILE`."
Json = dict[str, Any]
T = TypeVar("T", InjectionReport, JudgeCard)


def read_judges(folder: Path, findings: list[Finding]) -> MeasuredJudges:
    """The reports and cards under ``folder`` that can be believed; the others become findings.

    Of several on one judge the newest is returned; of one day, the last by file name.
    """
    reports = _read(InjectionReport, folder / FOLDER, HINT, findings)
    cards = _read(JudgeCard, folder / CARDS, CARD_HINT, findings)
    return MeasuredJudges(reports, (*cards, *_read(JudgeCard, SHIPPED, CARD_HINT, findings)))


def _read(kind: type[T], folder: Path, hint: str, findings: list[Finding]) -> tuple[T, ...]:
    # Beside the cards lie what is known of single flags (`eval.flags`) and the judge's own weights.
    tables = ("-flags", "-fit")
    paths = sorted(path for path in folder.glob("*.json") if not path.stem.endswith(tables))
    found: dict[str, T] = {}
    for path in paths:
        try:
            one = validate(kind, read_json(path, LIMITS), Code.WRONG_SHAPE, path, hint=hint)
        except DataError as error:
            findings += error.findings
            continue
        judge = judge_text(one.judge, one.identity)
        if judge not in found or found[judge].made <= one.made:
            found[judge] = one
    return tuple(found.values())


def board_judges(
    entries: Sequence[SystemResult],
    setting: str,
    keys: Iterable[str],
    ranked: str,
    measured: MeasuredJudges,
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
    return [_judge(judge, nearest_first(measured, [ranked])) for judge in order]


def all_judges(boards: Iterable[Mapping[str, Any]], measured: MeasuredJudges) -> list[Json]:
    """The judges of all boards, then others with a report; each report with its counts by kind."""
    found = {one["id"]: {**one, "kinds": {}} for made in boards for one in made["judges"]}
    for report in measured.injections:
        one = _judge(judge_text(report.judge, report.identity), measured)
        kinds = {safe.text(name, 60): asdict(counts) for name, counts in report.kinds.items()}
        found[one["id"]] = {**one, **found.get(one["id"], {}), "kinds": kinds}
    return list(found.values())


def nearest_first(measured: MeasuredJudges, ranked: Iterable[str]) -> MeasuredJudges:
    """The same, each card with the labels of what the ``ranked`` scores ask a judge before others."""
    kinds = [
        kind.__name__
        for metric in map(class_of, (split_key(key)[0] for key in ranked))
        for kind in (metric.requests if metric else ())
    ]
    # Whether an answer refuses is asked beside what a score is about, so labels of that come last.
    near = [_LABELLED_AS.get(kind, kind) for kind in sorted(kinds, key="Refuses".__eq__)]
    return replace(
        measured,
        cards=tuple(
            replace(
                card,
                sets=tuple(sorted(card.sets, key=lambda row: [*near, row.kind].index(row.kind))),
            )
            for card in measured.cards
        ),
    )


def judge_pages(
    judges: Iterable[Json], measured: MeasuredJudges, ranked: Iterable[str]
) -> Iterator[tuple[str, Json]]:
    """The card of each of these judges that has one, by the path of its file under ``data/v1``."""
    shown = {one["id"] for one in judges}
    made: set[str] = set()
    for card in nearest_first(measured, ranked).cards:
        judge = judge_text(card.judge, card.identity)
        if (name := _id(judge)) in shown - made:
            made.add(name)
            whole = {**asdict(card), "summary": agreement_line(card.sets), "identity": judge}
            yield f"judge/{name}.json", _safe(whole)


def _safe(value: Any) -> Any:
    """Data from a file that anybody may have written, with every text in it made safe."""
    if isinstance(value, Mapping):
        return {safe.text(key, 200): _safe(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_safe(one) for one in value]
    return safe.text(value, 500) if isinstance(value, str) else value


def _id(judge: str) -> str:
    return hashlib.sha256(judge.encode("utf-8", "replace")).hexdigest()[:8]


def _judge(judge: str, measured: MeasuredJudges) -> Json:
    """A judge as pages show it; ``id`` tells judges of the same name apart.

    ``people`` is its agreement with people in one line; empty where nothing was measured.
    """
    report = next(
        (r for r in measured.injections if judge_text(r.judge, r.identity) == judge), None
    )
    card = next(
        (one for one in measured.cards if judge_text(one.judge, one.identity) == judge), None
    )
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
        "id": _id(judge),
        "name": judge_name({"judge": judge}),
        "judge": safe.text(judge, 500),
        "injections": injections,
        "people": safe.text(agreement_line(card.sets), 500) if card else "",
    }
