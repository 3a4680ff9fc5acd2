"""The bound on disclosure: how many bits of hidden gold a season can reveal to one author.

A run is told nothing, or a score in steps that lies at least a step above all that its author was told
before. After each of R runs the author's best told score is therefore one of L = 100/s + 1 steps, or
none yet, and it never falls: what an author has heard by the end is one of C(L + R, R) sequences,
whatever was sent, however it was chosen, and however each run hung on the answers before. By so many
bits at most can the gold be narrowed down:

    bits = log2 C(100/s + 1 + R, R), in each setting

The gold is the same in all settings, so a board gives away the sum over its settings.

The interval, the rank and the band are functions of told scores and of the number of questions, so they
add nothing. A run that ended by the clock or the budget is told as such: with k of them allowed among R
there are sum over k of C(R, k) C(L + R - k, R - k) sequences.
"""

from __future__ import annotations

import math

from argue_bench.stats.proportion import wilson_interval

FEWEST_TOLD = 20
"""Questions to which a score must apply to be told while gold is hidden."""
# Round numbers of points that a reader takes in; the bound decides which one.
STEPS = (1, 2, 3, 5, 10, 20)
"""Points; a season takes the smallest that keeps a run to `BITS_A_RUN` on average."""
# Our choice, and no published one: five runs then tell at most 19.2 bits.
BITS_A_RUN = 4


def levels(step: float) -> int:
    """The number of different scores that can be published: 0, s, 2s, ... up to 100 points."""
    # 1e-9, for 100 / 0.1 is 999.9999... as a float.
    return math.floor(100 / step + 1e-9) + 1


def bits(quota: int, step: float) -> float:
    """The bits that published scores reveal to an author of so many runs, in each setting."""
    return math.log2(math.comb(levels(step) + quota, quota))


def default_step(quota: int | None) -> float:
    """The step that follows from the quota: the smallest within `BITS_A_RUN`; 1 without a quota."""
    if quota is None:
        return STEPS[0]
    return next((s for s in STEPS if bits(quota, s) <= BITS_A_RUN * quota), STEPS[-1])


def shown_bits(quota: int | None, step: float, settings: int = 1) -> float | None:
    """The bound as season.json has it, for all settings, rounded up to a tenth; None where the quota bounds
    nothing."""
    if quota is None:
        return None
    return math.ceil(settings * bits(quota, step) * 10 - 1e-9) / 10


def told_value(value: float, step: float) -> float:
    """A share as it is published: the nearest step from 0 to 1, so that `bits` holds.

    Some published rules score below 0, or above 1: such a score is told as 0, or as the last step.
    """
    # Grounding of Luciole can be negative, and some recalls exceed 1.
    share = min(max(value, 0.0), 1.0)
    place = min(math.floor(100 * share / step + 0.5), levels(step) - 1)
    return round(place * step / 100, 6)


def told_interval(told: float, n: int, step: float) -> tuple[float, float]:
    """The interval beside a published score: it depends on the score, n and the step alone.

    Wilson's (1927) for a share of n questions each of which counts 0 or 1, the widest that scores
    between 0 and 1 can be spread, from half a step below to half a step above.
    """
    # The true score lies up to half a step away from the told one, on either side; a step is in points.
    half = step / 200
    low, _ = wilson_interval(max(0.0, told - half), n)
    _, high = wilson_interval(min(1.0, told + half), n)
    return round(max(0.0, low), 4), round(min(1.0, high), 4)
