"""The verdicts of a run, read from its verdict store.

The store is read twice: first what pages show (verdict, note, judge), then the raw requests and
replies one at a time, because all of them together may not fit into memory.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Any

from argue_bench.eval.run import Header
from argue_bench.eval.signature import judge_text, without_observed
from argue_bench.records import Failed, JudgeRequest, Verdict
from argue_bench.store import Store, StoredFailure, StoredVerdict

# Characters of a request's field in memory and on pages.
FIELD_LENGTH = 400


@dataclass(frozen=True, slots=True)
class JudgedRequest:
    """One judge request with its verdict; in ``fields`` texts are cut and sources are their ids."""

    key: str
    kind: str
    fields: Mapping[str, Any]
    judge: str
    verdict: Verdict
    has_reply: bool
    """Whether the store has a prompt or a reply."""


class JudgeVerdicts:
    """All verdicts of one judge, with the defaults that the run filled in for failed requests."""

    def __init__(
        self, found: Mapping[str, JudgedRequest], defaults: Mapping[str, str] | None = None
    ) -> None:
        self._found, self._defaults = found, defaults or {}

    def __getitem__(self, request: JudgeRequest) -> Verdict:
        if (found := self._found.get(request.key)) is not None:
            return found.verdict
        if request.key in self._defaults:
            return Verdict(self._defaults[request.key], note="default")
        raise KeyError(request)

    def __contains__(self, request: object) -> bool:
        key = getattr(request, "key", None)
        return key in self._found or key in self._defaults

    def find(self, key: str) -> JudgedRequest | None:
        return self._found.get(key)


def read_verdicts(
    store: Path, header: Header, keys: set[str], defaults: Mapping[str, Mapping[str, str]]
) -> dict[str, JudgeVerdicts]:
    """The verdicts on these requests, by metric text.

    ``defaults`` are the verdicts of failed requests, by metric text and key. Raises DataError.
    """
    judges = {
        text: without_observed(parts.get("judge", "")) for text, parts in header.signature.items()
    }
    by_judge: dict[str, dict[str, JudgedRequest]] = {
        judge: {} for judge in judges.values() if judge
    }
    with Store(store, write=False) as rows:
        for row in rows:
            judge = judge_text(row.judge.name, row.judge.identity)
            if judge in by_judge and row.key in keys:
                by_judge[judge][row.key] = JudgedRequest(
                    row.key,
                    row.kind,
                    {name: _short(value) for name, value in row.request.items() if name != "kind"},
                    judge,
                    replace(row.verdict, prompt="", reply=""),
                    bool(row.verdict.prompt or row.verdict.reply),
                )
    return {
        text: JudgeVerdicts(by_judge.get(judge, {}), defaults.get(text))
        for text, judge in judges.items()
    }


def raw_replies(store: Path, keys: set[str]) -> Iterator[tuple[str, str, str, str]]:
    """(key, judge, prompt, reply) of every verdict that came from a model, and of requests that failed."""
    with Store(store, write=False) as rows:
        every: Iterator[StoredVerdict | StoredFailure] = chain(rows, rows.failures())
        for row in every:
            said = row.failed if isinstance(row, StoredFailure) else row.verdict
            why = f": {said.reason}" if isinstance(said, Failed) else ""
            if row.key in keys and (said.prompt or said.reply):
                judge = judge_text(row.judge.name, row.judge.identity)
                yield row.key, f"{judge}{why}", said.prompt, said.reply


def _short(value: Any) -> Any:
    if isinstance(value, str):
        return value if len(value) <= FIELD_LENGTH else f"{value[: FIELD_LENGTH - 1]}…"
    if isinstance(value, dict):
        return {"id": value.get("id", "")}
    return [_short(inner) for inner in value[:40]] if isinstance(value, list | tuple) else value
