"""Which citations are correct, against every set of documents that supports the sentence."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from hypothesis import given, settings
from hypothesis import strategies as st

from argue_bench.metrics import parse
from argue_bench.records import Document, Entails
from argue_bench.text import read_answer
from tests.metrics.citations.bridge import question, scored

FACTS = "abcd"
facts = st.lists(st.text(FACTS, max_size=3), min_size=1, max_size=6)
Sets = list[frozenset[int]]


def supports(documents: Sequence[str], wanted: str, some: Sequence[int]) -> bool:
    return set(wanted) <= {fact for place in some for fact in documents[place]}


def smallest(documents: Sequence[str], wanted: str) -> Sets:
    """Every set of documents that supports and of which none can be left out."""
    found: Sets = []
    for size in range(1, len(documents) + 1):
        for some in combinations(range(len(documents)), size):
            if supports(documents, wanted, some) and not any(one <= set(some) for one in found):
                found.append(frozenset(some))
    return found


@settings(max_examples=300, deadline=None)
@given(facts, st.text(FACTS, min_size=1, max_size=4))
def test_a_correct_citation_is_in_a_smallest_support(documents: list[str], wanted: str) -> None:
    texts = {f"x{n}": Document(f"x{n}", f"{' '.join(one)} .") for n, one in enumerate(documents)}
    text = f"{' '.join(wanted)} {''.join(f'[{n + 1}]' for n in range(len(documents)))}."

    def rule(request: Entails) -> bool:
        return supports(documents, wanted, [int(one.id[1:]) for one in request.premise])

    found = scored(text, rule=rule, documents=texts)
    every = smallest(documents, wanted)
    assert found["recall"] == (bool(every), 1)
    note = found.tallies["precision"].note
    correct = {
        n
        for n in range(len(documents))
        if any(f"[x{n}] {word}" in note for word in ("supports", "needed", "exchangeable"))
    }
    in_one = set().union(*every)
    assert correct <= in_one
    alone = {n for one in every if len(one) == 1 for n in one}
    if alone:
        assert correct == alone
    elif every:
        assert any(one <= correct for one in every)
        assert set.intersection(*map(set, every)) <= correct
    later = sum(map(len, found.rounds[1:]))
    answer = read_answer("q", text, texts)
    bounds = parse("citations").later_requests(question(texts), answer, texts)
    assert later <= bounds.get("Entails", (0, 0))[1]
    assert sum(map(len, found.rounds)) == len(found.requests)
