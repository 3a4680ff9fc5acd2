"""Items of a listed answer with what each cites (QAMPARI: "Oslo [1], Bergen [2].")."""

from __future__ import annotations

from argue_bench.records import Answer
from argue_bench.text import CitationIndex, find_marks
from argue_bench.text.citations import Mark, cut_out

Item = tuple[str, tuple[str, ...]]


def listed(answer: Answer, index: CitationIndex) -> list[Item]:
    """The items between commas and line breaks, without marks, each with what it cites.

    A comma inside a mark separates nothing; a mark behind a comma belongs to the item before it.
    A name that holds a comma falls into two items: only the second has the citation. An answer that
    came as sentences without marks in its text has them as its items.
    """
    marks = find_marks(answer.text, index)
    if not marks and any(sentence.citations for sentence in answer.sentences):
        return [(sentence.text, sentence.citations) for sentence in answer.sentences]
    items: list[tuple[str, list[str]]] = []
    for start, end, own in _parts(answer.text, marks):
        words = cut_out(answer.text, own, start, end).strip().rstrip(".").strip(" \t-*•")
        cited = [name for mark in own for name in mark.names]
        if any(map(str.isalnum, words)):
            items.append((words, cited))
        elif items:
            items[-1][1].extend(cited)
        elif cited:
            items.append(("", cited))
    return [(words, tuple(cited)) for words, cited in items]


def _parts(text: str, marks: list[Mark]) -> list[tuple[int, int, list[Mark]]]:
    """Slices between separators outside of marks, each with the marks in it."""
    parts: list[tuple[int, int, list[Mark]]] = []
    start, at, own = 0, 0, list[Mark]()
    for mark in [*marks, None]:
        end = len(text) if mark is None else mark.start
        for place in range(at, end):
            if text[place] in ",\n":
                parts.append((start, place, own))
                start, own = place + 1, []
        if mark is not None:
            own.append(mark)
            at = mark.end
    return [*parts, (start, len(text), own)]
