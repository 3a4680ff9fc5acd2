"""ROUGE-Lsum (Lin 2004), by which ALCE compares long answers: the same numbers as rouge-score, bit for bit.

It needs to know the common words of a reference sentence, and finds them by rows of bits (Hyyrö 2004).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from argue_bench.text.overlap import NONE, Overlap, overlap_of, porter_stems


def rouge_l_summary(reference: Sequence[str], candidate: Sequence[str]) -> Overlap:
    """ROUGE-Lsum of two lists of sentences.

    Counts the words of each reference sentence that any candidate sentence has in the same order; a word
    counts at most as often as it is in either text.
    """
    wanted = [porter_stems(sentence) for sentence in reference]
    given = [porter_stems(sentence) for sentence in candidate]
    left = Counter(stem for sentence in given for stem in sentence)
    wanted_total, given_total = sum(map(len, wanted)), left.total()
    if not wanted_total or not given_total:
        return NONE
    places = [_places(sentence) for sentence in given]
    hits = 0
    for sentence in wanted:
        common = (_common(sentence, *one) for one in zip(given, places, strict=True))
        for at in sorted(set[int]().union(*common)):
            stem = sentence[at]
            if left[stem] > 0:
                hits += 1
                left[stem] -= 1
    return overlap_of(hits, wanted_total, given_total)


def _places(tokens: Sequence[str]) -> dict[str, int]:
    """By stem: its places, as bits of a number; the first word is bit 0."""
    places: dict[str, int] = {}
    for place, token in enumerate(tokens):
        places[token] = places.get(token, 0) | 1 << place
    return places


def _common(reference: list[str], candidate: list[str], places: dict[str, int]) -> set[int]:
    """Places of the reference that are in its longest common subsequence with the candidate.

    Of several such, the one that rouge-score finds: going back from both ends, a word that is the
    same is taken; else the candidate's is dropped if that alone keeps the length, else the reference's.
    Row i holds a bit where the length for the first i words grows; words that the candidate lacks
    change no row and are never taken.
    """
    kept = [at for at, token in enumerate(reference) if token in places]
    if not kept:
        return set()
    # Hyyrö 2004: one row of bits for each word of the reference, a bit for each word of the candidate.
    full = (1 << len(candidate)) - 1
    rows = [0]
    falling = full
    for at in kept:
        both = falling & places[reference[at]]
        falling = ((falling + both) | (falling - both)) & full
        rows.append(~falling & full)
    common: set[int] = set()
    # Back through the rows from both ends, as rouge-score goes back through its table.
    i, j = len(kept), len(candidate)
    while i > 0 and j > 0:
        at = kept[i - 1]
        if reference[at] == candidate[j - 1]:
            common.add(at)
            i -= 1
            j -= 1
            continue
        before = (1 << (j - 1)) - 1
        above = rows[i - 1] & (before << 1 | 1)
        if (rows[i] & before).bit_count() > above.bit_count():
            j -= 1
        else:
            i -= 1
    return common
