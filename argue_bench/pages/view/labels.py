"""Which asks should a person answer, so that few labels say most about a judge?

A sample by stratum: kind of ask and the judge's verdict make the strata, and each gives asks in turn
until there are enough, so that rare verdicts are seen as often as common ones. Which ask of a stratum
comes next is decided by its key alone: the same store gives the same sample. How large each stratum
is stands beside the sample, so that shares of the whole can be estimated from it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from argue_bench.errors import Code, DataError
from argue_bench.records import KINDS
from argue_bench.store import Store

SAMPLE = 150
Stratum = tuple[str, str]


@dataclass(frozen=True)
class LabelSample:
    """Asks to be labelled, as plain data, and the size of every stratum."""

    requests: tuple[Mapping[str, Any], ...]
    strata: Mapping[Stratum, int]


def draw_sample(store: Path, keys: set[str] | None = None, most: int = SAMPLE) -> LabelSample:
    """At most ``most`` asks of a store, only these keys where some are given. Raises DataError.

    Each ask once, however many judges answered it; asks whose verdict is a text or a number are
    left out, because people don't agree on those to the letter.
    """
    strata: dict[Stratum, list[tuple[str, str]]] = {}
    seen: set[str] = set()
    with Store(store, write=False) as kept:
        for entry in kept:
            if entry.key in seen or (keys is not None and entry.key not in keys):
                continue
            if not isinstance(KINDS[entry.kind].verdicts, tuple):
                continue
            seen.add(entry.key)
            stratum = (entry.kind, str(entry.verdict.value))
            strata.setdefault(stratum, []).append((_lot(entry.key), entry.key))
    if not seen:
        hint = "Evaluate with a judge and --out first."
        raise DataError.of(Code.NO_ASKS, "the store holds no ask to label", store, hint=hint)
    queues = {stratum: sorted(strata[stratum]) for stratum in sorted(strata)}
    chosen: list[str] = []
    while len(chosen) < min(most, len(seen)):
        for queue in queues.values():
            if queue and len(chosen) < most:
                chosen.append(queue.pop(0)[1])
    requests: dict[str, Mapping[str, Any]] = {}
    wanted = set(chosen)
    with Store(store, write=False) as kept:
        for entry in kept:
            if entry.key in wanted:
                requests.setdefault(entry.key, {"kind": entry.kind, **entry.request})
    # Shown in an order that does not tell the judge's verdict.
    order = sorted(chosen, key=lambda key: _lot(f"order {key}"))
    return LabelSample(
        tuple(requests[key] for key in order), {s: len(q) for s, q in strata.items()}
    )


def _lot(key: str) -> str:
    return hashlib.sha256(f"label {key}".encode()).hexdigest()
