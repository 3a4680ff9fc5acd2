"""Rules of ALCE's evaluator for the content of an output, frozen.

Gao et al. 2023; princeton-nlp/ALCE at 246c476. Everything but its citation scores: the preparation of
an output, STR-EM, ROUGE-Lsum, QA-EM/F1, QAMPARI's list scores, length. Scores are shares of 1 per item;
ALCE prints 100 times their mean. What deviates on purpose: ROUGE is the exact value per item (ALCE
reports a bootstrap median), and an item without question pairs has no STR-EM (ALCE: NaN).
"""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import NamedTuple

from argue_bench.text.overlap import NONE, Overlap
from argue_bench.text.overlap import rouge_l_summary as summary_overlap

_ARTICLES = re.compile(r"\b(?:a|an|the)\b")
_NO_PUNCTUATION = str.maketrans("", "", string.punctuation)
Split = Callable[[str], Sequence[str]]


class Listed(NamedTuple):
    """QAMPARI's scores of one list, as shares of 1, and how many predictions it holds."""

    precision: float
    recall: float
    recall_top5: float
    predictions: int

    @property
    def f1(self) -> float:
        return _harmonic(self.precision, self.recall)

    @property
    def f1_top5(self) -> float:
        return _harmonic(self.precision, self.recall_top5)


def output(text: str) -> str:
    """The part of an output that ALCE reads: its first line, without end marks."""
    return text.strip().split("\n")[0].replace("<|im_end|>", "")


def without_citations(text: str) -> str:
    """The text without ``[1]``; deletes every ``]`` and `` |`` with them."""
    text = re.sub(r"\[\d+", "", re.sub(r" \[\d+", "", text))
    return text.replace(" |", "").replace("]", "")


def plain(text: str) -> str:
    """The text that every score reads, except the scores of citations."""
    return without_citations(output(text))


def norm(text: str) -> str:
    """SQuAD's normal form: lower case, no ASCII punctuation, no articles, single blanks.

    >>> norm("The  U.S. -- a land")
    'us land'
    """
    return " ".join(_ARTICLES.sub(" ", text.lower().translate(_NO_PUNCTUATION)).split())


def length(text: str) -> int:
    """Words between white space in the output without citations."""
    return len(plain(text).split())


def str_em(pairs: Sequence[Sequence[str]], text: str) -> list[bool]:
    """For each question's aliases, whether one is a substring of the text, letters apart from words."""
    body = norm(text)
    return [any(_norm_alias(alias) in body for alias in aliases) for aliases in pairs]


def rouge_lsum(references: Sequence[str], text: str, split: Split) -> Overlap:
    """ROUGE-Lsum against the first two references; of these the one with the higher fscore.

    Texts are lower-cased before ``split`` makes sentences of them, as ALCE does.
    """
    given = _lines(text, split)
    best = NONE
    for reference in references[:2]:
        overlap = summary_overlap(_lines(reference, split), given)
        if overlap.fscore >= best.fscore:
            best = overlap
    return best


def span_scores(prediction: str, aliases: Sequence[str]) -> tuple[bool, float]:
    """Exact match and the best token F1 of a predicted span over the aliases of its answer."""
    words = norm(prediction).split()
    exact = any(norm(alias).split() == words for alias in aliases)
    return exact, max((_token_f1(norm(alias).split(), words) for alias in aliases), default=0.0)


def qampari(gold: Sequence[Sequence[str]], text: str, cot: bool = False) -> Listed:
    """Scores of a comma-separated list against entities, each with its aliases.

    ``cot``: only what stands behind the first colon is the list. Raises nothing; no gold gives zeros.
    """
    body = plain(text)
    if cot:
        body = body.partition(":")[2]
    predicted = [found for part in items(body) if (found := norm(part))]
    entities = [{norm(alias) for alias in aliases} for aliases in gold]
    known = set().union(*entities)
    right = sum(found in known for found in predicted)
    hit = sum(not entity.isdisjoint(predicted) for entity in entities)
    precision = right / len(predicted) if predicted else 0.0
    recall = hit / len(entities) if entities else 0.0
    top5 = min(5, hit) / min(5, len(entities)) if entities else 0.0
    return Listed(precision, recall, top5, len(predicted))


def items(text: str) -> list[str]:
    """The parts of a comma-separated list, without the full stop and commas at its end."""
    return [part.strip() for part in text.rstrip().rstrip(".").rstrip(",").split(",")]


def _lines(text: str, split: Split) -> list[str]:
    return list(split(text.lower()))


def _token_f1(wanted: Sequence[str], given: Sequence[str]) -> float:
    if not wanted or not given:
        return float(wanted == given)
    shared = (Counter(wanted) & Counter(given)).total()
    return 2 * shared / (len(wanted) + len(given))


def _harmonic(a: float, b: float) -> float:
    """2ab / (a + b), 0 where both are 0."""
    return 2 * a * b / (a + b) if a + b else 0.0


_norm_alias = lru_cache(maxsize=50_000)(norm)
