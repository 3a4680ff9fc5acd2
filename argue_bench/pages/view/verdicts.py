"""What did the judges say to the asks of a run? Read out of the verdict store, twice.

The first reading keeps what a page shows (verdict, note, judge); the second hands the raw requests
and replies on one at a time, because all of them together may not fit into memory.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from argue_bench.eval.rebuild import as_stored
from argue_bench.eval.run import Header
from argue_bench.pages.judges import judge_text
from argue_bench.records import JudgeRequest, Verdict
from argue_bench.store import Store

_SHOWN = 400


@dataclass(frozen=True, slots=True)
class JudgedRequest:
    """One verdict as a page shows it; ``fields`` are the ask's, texts cut, sources as their ids."""

    key: str
    kind: str
    fields: Mapping[str, Any]
    judge: str
    verdict: Verdict
    raw: bool


class JudgeVerdicts:
    """All verdicts of one judge's digest by ask key, with the defaults that the run filled in."""

    def __init__(self, found: Mapping[str, JudgedRequest], defaults: Mapping[str, str]) -> None:
        self._found, self._defaults = found, defaults

    def __getitem__(self, request: JudgeRequest) -> Verdict:
        heard = self._found.get(request.key)
        if heard is not None:
            return heard.verdict
        if request.key in self._defaults:
            return Verdict(self._defaults[request.key], note="default")
        raise KeyError(request)

    def __contains__(self, request: object) -> bool:
        return getattr(request, "key", None) in self._found

    def heard(self, key: str) -> JudgedRequest | None:
        return self._found.get(key)


def store_of(run: Path, header: Header) -> Path | None:
    """The verdict store of a run file, if it is where the run says."""
    if not header.store:
        return None
    path = run.parent / header.store
    return path if path.is_file() else None


def read_verdicts(
    store: Path, header: Header, keys: set[str], defaults: Mapping[str, Mapping[str, str]]
) -> dict[str, JudgeVerdicts]:
    """Metric text to what its judge said; ``defaults`` are the verdicts of failed asks, by metric
    text and key. Raises DataError."""
    wanted = {text: as_stored(parts.get("judge", "")) for text, parts in header.signature.items()}
    by_judge: dict[str, dict[str, JudgedRequest]] = {
        judge: {} for judge in wanted.values() if judge
    }
    with Store(store, write=False) as kept:
        for entry in kept:
            judge = judge_text(entry.judge.name, entry.judge.identity)
            if judge in by_judge and entry.key in keys:
                by_judge[judge][entry.key] = JudgedRequest(
                    entry.key,
                    entry.kind,
                    _fields(entry.request),
                    judge,
                    Verdict(entry.verdict.value, entry.verdict.note),
                    bool(entry.verdict.prompt or entry.verdict.reply),
                )
    return {
        text: JudgeVerdicts(by_judge.get(judge, {}), defaults.get(text, {}))
        for text, judge in wanted.items()
    }


def raw_replies(store: Path, keys: set[str]) -> Iterator[tuple[str, str, str, str]]:
    """(key, judge, request, reply) of every verdict that was got from a model."""
    with Store(store, write=False) as kept:
        for entry in kept:
            said = entry.verdict
            if entry.key in keys and (said.prompt or said.reply):
                yield (
                    entry.key,
                    judge_text(entry.judge.name, entry.judge.identity),
                    said.prompt,
                    said.reply,
                )


def _fields(request: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of an ask, short: sources become their ids, long texts are cut."""
    return {name: _short(value) for name, value in request.items() if name != "kind"}


def _short(value: Any) -> Any:
    if isinstance(value, str):
        return value if len(value) <= _SHOWN else f"{value[: _SHOWN - 1]}…"
    if isinstance(value, dict):
        return {"id": value.get("id", "")}
    if isinstance(value, (list, tuple)):
        return [_short(inner) for inner in value[:40]]
    return value
