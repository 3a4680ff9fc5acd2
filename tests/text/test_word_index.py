"""The index of other sources, beside the definition written out."""

from __future__ import annotations

import numpy as np

from argue_bench.text.word_index import COMMON, WordIndex

RNG = np.random.default_rng(20)
WORDS = [f"word{number:03}"[-6:] for number in range(120)]


def test_a_text_is_found_that_holds_two_thirds_of_the_rare_words() -> None:
    texts = {f"d{n}": {*RNG.choice(WORDS, 12).tolist(), "common"} for n in range(COMMON + 40)}
    index = WordIndex((id, " ".join(words)) for id, words in texts.items())
    for _ in range(200):
        wanted = set(RNG.choice([*WORDS, "absent"], 4).tolist())
        own = str(RNG.choice([*texts]))
        held = {id: len(wanted & words) for id, words in texts.items() if id != own}
        found = [id for id, count in held.items() if count and 3 * count >= 2 * len(wanted)]
        best = sorted(found, key=lambda id: -held[id])[:3]
        assert index.nearest(" ".join([*wanted, "common"]), [own], 3) == best
    assert WordIndex([]).nearest("any words", [], 3) == []
