"""The formulas of ragas, from verdicts and similarities (Es et al. 2024, arXiv 2309.15217, section 3).

    faithfulness        supported statements / statements
    answer relevance    mean cosine of the question and the questions guessed from the answer
    context relevance   sentences of the context that are needed / sentences of the context
    context precision   sum of precision@k * v_k / sum of v_k over the contexts in their order
    context recall      statements of the reference that the contexts hold / statements of it

The first three are the paper's; the last two are those of ragas' documentation (metrics of version
0.1 and later), which adds 1e-10 to the divisor of context precision. Where a divisor is 0 ragas
returns nan, and context precision 0.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from statistics import fmean


def share_of_true(verdicts: Sequence[bool]) -> float:
    """Faithfulness, context recall and context relevance: the share that is true; nan of nothing."""
    return fmean(verdicts) if verdicts else math.nan


def context_precision(useful: Sequence[bool]) -> float:
    """The mean of precision@k over the ranks k of useful contexts; 0 where none is useful."""
    hits, total = 0, 0.0
    for rank, one in enumerate(useful, 1):
        hits += one
        total += one * hits / rank
    return total / (hits + 1e-10)


def answer_relevance(similarities: Sequence[float], noncommittal: bool = False) -> float:
    """The mean similarity; 0 of an answer that commits to nothing."""
    return 0.0 if noncommittal or not similarities else fmean(similarities)


def cosine(one: Sequence[str], other: Sequence[str]) -> float:
    """The cosine of two lists of words, each a vector of how often it occurs; 0 where one is empty."""
    a, b = Counter(one), Counter(other)
    lengths = math.hypot(*a.values()) * math.hypot(*b.values())
    return sum(count * b[word] for word, count in a.items()) / lengths if lengths else 0.0
