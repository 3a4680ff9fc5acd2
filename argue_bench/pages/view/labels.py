"""A sample of judge requests for a person to answer, drawn so that few labels say most about a judge.

Kind of request and the judge's verdict make the strata. Each stratum gives requests in turn until
there are enough, so rare verdicts are sampled as often as common ones. A hash of its key decides which
request of a stratum comes next: the same store gives the same sample. The page lists the size of every
stratum, so that shares of the whole can be estimated from the sample.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from argue_bench.errors import Code, DataError
from argue_bench.records import KINDS
from argue_bench.store import Store

SAMPLE = 150
Stratum = tuple[str, str]
"""Kind of request, and verdict."""


def draw_sample(
    store: Path, keys: set[str] | None = None, most: int = SAMPLE
) -> tuple[list[Mapping[str, Any]], dict[Stratum, int]]:
    """At most ``most`` judge requests of a store as plain data, and the size of every stratum.

    Only these keys where some are given. Each request once, however many judges answered it. Requests whose verdict is a text or a number
    are left out, because people do not agree on those to the letter. Raises DataError for none.
    """
    strata: dict[Stratum, list[tuple[str, str]]] = {}
    seen: set[str] = set()
    with Store(store, write=False) as rows:
        for row in rows:
            closed = isinstance(KINDS[row.kind].verdicts, tuple)
            if closed and row.key not in seen and (keys is None or row.key in keys):
                seen.add(row.key)
                stratum = (row.kind, str(row.verdict.value))
                strata.setdefault(stratum, []).append((_hash(row.key), row.key))
    if not seen:
        hint = "Evaluate with a judge and --out first."
        raise DataError.of(Code.NO_ASKS, "the store has no request to label", store, hint=hint)
    queues = [sorted(strata[stratum], reverse=True) for stratum in sorted(strata)]
    chosen: list[str] = []
    while len(chosen) < min(most, len(seen)):
        chosen += [queue.pop()[1] for queue in queues[:] if queue][: most - len(chosen)]
    requests: dict[str, Mapping[str, Any]] = {}
    wanted = set(chosen)
    with Store(store, write=False) as rows:
        for row in rows:
            if row.key in wanted:
                requests.setdefault(row.key, {"kind": row.kind, **row.request})
    # In the order of drawing, strata alternate: it would give the judge's verdict away.
    order = sorted(chosen, key=lambda key: _hash(f"order {key}"))
    return [requests[key] for key in order], {name: len(drawn) for name, drawn in strata.items()}


def _hash(key: str) -> str:
    return hashlib.sha256(f"label {key}".encode()).hexdigest()
