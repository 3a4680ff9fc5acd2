"""ROUGE to the last bit: the same figures as rouge-score on anything."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from rouge_score import rouge_scorer

from argue_bench.published.alce.rouge_lsum import rouge_l_summary
from argue_bench.text.overlap import porter_stems, rouge_l, rouge_n

SCORER = rouge_scorer.RougeScorer(["rouge1", "rouge2", "rougeL", "rougeLsum"], use_stemmer=True)
_WORDS = "the cat cats running run of in 1931 generously generous São news dying skies sky b Ou 12"
WORDS = _WORDS.split()
texts = st.lists(st.sampled_from([*WORDS, "\n", ". "]), max_size=40).map(" ".join)


@settings(deadline=None, max_examples=300)
@given(texts, texts)
def test_equal_to_rouge_score(reference: str, candidate: str) -> None:
    wanted, given_ = porter_stems(reference), porter_stems(candidate)
    theirs = SCORER.score(reference, candidate)
    assert tuple(theirs["rouge1"]) == rouge_n(wanted, given_, 1)
    assert tuple(theirs["rouge2"]) == rouge_n(wanted, given_, 2)
    assert tuple(theirs["rougeL"]) == rouge_l(wanted, given_)
    assert tuple(theirs["rougeLsum"]) == rouge_l_summary(
        reference.split("\n"), candidate.split("\n")
    )


def test_by_hand() -> None:
    # 2 of 3 words shared, in order; "the" counts as often as it stands in both
    assert rouge_n(porter_stems("the red cat"), porter_stems("the the cats"), 1).precision == 2 / 3
    assert rouge_l(porter_stems("a b c d"), porter_stems("d c b a")).recall == 1 / 4
    assert rouge_l_summary(["a b.", "c d."], ["d c.", "b a."]).fscore == 0.5
