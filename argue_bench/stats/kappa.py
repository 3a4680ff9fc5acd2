"""Cohen's kappa: agreement of two judges beyond chance (Cohen 1960).

kappa = (observed agreement - expected agreement) / (1 - expected agreement), where the expected
agreement is that of two judges who give each verdict as often as these do, but independently.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping
from typing import TypeVar

V = TypeVar("V", bound=Hashable)


def confusion(pairs: Iterable[tuple[V, V]]) -> Counter[tuple[V, V]]:
    """How often each pair of verdicts occurs."""
    return Counter(pairs)


def cohen_kappa(cells: Mapping[tuple[V, V], int]) -> float | None:
    """Kappa from counts of (one's verdict, the other's verdict).

    1 is full agreement, 0 as much as by chance, below 0 less. None where it is not defined: no
    pair, or both judges give one and the same verdict throughout.
    """
    n = sum(cells.values())
    if not n:
        return None
    ones: Counter[V] = Counter()
    others: Counter[V] = Counter()
    for (one, other), count in cells.items():
        ones[one] += count
        others[other] += count
    # In whole numbers, so that perfect chance agreement is exactly that.
    agreed = sum(count for (one, other), count in cells.items() if one == other)
    expected = sum(ones[verdict] * others[verdict] for verdict in ones)
    return None if expected == n * n else (n * agreed - expected) / (n * n - expected)
