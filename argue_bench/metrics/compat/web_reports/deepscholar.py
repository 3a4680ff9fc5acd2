"""DeepScholar-Bench's citation measures, frozen.

Source: guestrin-lab/deepscholar-bench 6ff05aa, eval/evaluator/{cite_p,claim_coverage,reference_coverage}.py
and eval/parsers/deepscholar_base.py (Patel et al. 2025, arXiv 2508.20033).

``[n]`` numbers the documents from 1; one beyond them, ``[0]`` and all but the first number of ``[1, 2]``
do not count. A sentence of fewer than 50 characters is not judged: `citation_precision` counts its marks,
`claim_coverage` does not. A mark behind the full stop opens the next sentence. The splitter is handed
over; "et al." is hidden from it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from difflib import SequenceMatcher
from math import isnan
from typing import NamedTuple

from argue_bench.errors import Code, DataError

SHORTEST = 50
ALIKE = 0.8
_MARK = re.compile(r"\s*\[\d+\]")
_NUMBER = re.compile(r"\[(\d+)")
_ARXIV_LINK = re.compile(r"\[([^\]]+)\]\((https?://[^)]+)\)")
_ARXIV_ID = re.compile(r"arxiv\.org/abs/([^)\s]+)")
_LEFT_OUT = frozenset(
    ["the", "a", "an", "and", "or", "but", "in", "on", "at", "to", "for", "of", "with", "by"]
)
Split = Callable[[str], Sequence[str]]


class Work(NamedTuple):
    """A cited work as the judge reads it."""

    title: str
    text: str

    @property
    def shown(self) -> str:
        return f"Title: {self.title}\n{self.text}"


class SupportQuestion(NamedTuple):
    """The question to the judge: does the document support the claim?"""

    claim: str
    document: str


Asking = Generator[SupportQuestion, bool, float]
"""Asks one question after another, is sent whether the document supports the claim, ends with the score."""


def reply_supports(reply: str) -> bool:
    """Whether a judge's reply is 1 when all but letters, digits and _ are taken out."""
    return re.sub(r"\W", "", reply) == "1"


def split_sentences(text: str, split: Split) -> list[str]:
    """The sentences of the splitter, which does not see the full stop of "et al."."""
    hidden = "ET_AL_PLACEHOLDER"
    parts = split(re.sub(r"\bet al\.", hidden, text))
    return [part.replace(hidden, "et al.") for part in parts]


def claim_of(sentence: str) -> str:
    """The sentence without marks of one number and without bars behind a blank."""
    return _MARK.sub("", sentence).replace(" |", "").strip()


def cited_places(sentence: str, known: int) -> list[int]:
    """The cited places, from 0, that are among the known documents; repeats stay."""
    numbers = (int(digits) - 1 for digits in _NUMBER.findall(sentence) if len(digits) < 10)
    return [place for place in numbers if 0 <= place < known]


def citation_precision(
    text: str, known: int, judged: Sequence[Work] | None, split: Split
) -> Asking:
    """cite_p: the mean over sentences of the share of citations that support them; NaN without any.

    ``known`` bounds the numbers, ``judged`` holds the texts. Raises DataError
    where a cited work has no text, which stops the program.
    """
    values = []
    for sentence in split_sentences(text, split):
        if len(sentence) < SHORTEST:
            continue
        said = []
        for place in cited_places(sentence, known):
            shown = _shown(judged, place)
            said.append((yield SupportQuestion(claim_of(sentence), shown)))
        values.append(sum(said) / len(said) if said else 0.0)
    return _mean(values)


def claim_coverage(
    text: str, known: int, judged: Sequence[Work] | None, own: Work, split: Split, window: int = 1
) -> Asking:
    """The share of sentences that their citations support together with the paper's own title and abstract.

    The window around a sentence reads the sentence's own citations again: a no is asked as often as
    the window has sentences, and the first yes counts. Raises as `citation_precision` does.
    """
    values = []
    parts = split_sentences(text, split)
    reach = window or 1
    for at, sentence in enumerate(parts):
        claim = claim_of(sentence)
        if len(claim) < SHORTEST:
            continue
        shown = [_shown(judged, place) for place in cited_places(sentence, known)]
        document = " ".join(shown) + own.title + own.text
        found = False
        for _ in range(max(0, at - reach), min(len(parts), at + reach + 1)):
            if shown and (yield SupportQuestion(claim, document)):
                found = True
                break
        values.append(float(found))
    return _mean(values)


def _shown(judged: Sequence[Work] | None, place: int) -> str:
    if judged is None or place >= len(judged):
        why = (
            f"the parser gave no text of the cited work {place + 1}, which stops DeepScholar-Bench"
        )
        raise DataError.of(Code.REPORT_PARTS, why)
    return judged[place].shown


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else float("nan")


def reference_coverage(important: Iterable[Mapping[str, str]], found: Sequence[Work]) -> float:
    """The share of important references (``title``, ``arxiv_link``) that a found work is, by arXiv id or title.

    The id is looked for as a part of title or text, so that 2401.1234 is found in 2401.12345.
    """
    hits = total = 0
    for one in important:
        total += 1
        match = re.search(r"\d+\.\d+", str(one["arxiv_link"]).strip())
        title = _words_of(str(one["title"]).strip())
        hits += any(
            (match is not None and (match[0] in work.title or match[0] in work.text))
            or _alike(title, _words_of(work.title))
            for work in found
        )
    return hits / total if total else 0.0


def _alike(one: str, other: str) -> bool:
    return bool(one and other) and SequenceMatcher(None, one, other).ratio() > ALIKE


def _words_of(title: str) -> str:
    words = re.sub(r"[^\w\s]", "", title.lower()).split()
    return " ".join(word for word in words if word not in _LEFT_OUT and len(word) > 2)


def rounded_mean(values: Sequence[float | None]) -> float:
    """The mean, NaN counted 0, rounded to 2 decimals; 0 for nothing."""
    known = [0.0 if value is None or isnan(value) else value for value in values]
    return round(sum(known) / len(known), 2) if known else 0.0


def read_own_report(text: str, works: Mapping[str, Work]) -> tuple[str, list[Work]]:
    """The form that deepscholar_base writes: links to arXiv abstracts become numbers, others their words.

    ``works`` by arXiv id; one that is missing has no title and no text.
    """
    numbers: dict[str, int] = {}

    def number(match: re.Match[str]) -> str:
        id = _ARXIV_ID.search(match[2])
        if id is None:
            return match[1]
        return f"[{numbers.setdefault(id[1], len(numbers) + 1)}]"

    clean = _ARXIV_LINK.sub(number, text).strip()
    return clean, [works.get(id, Work("", "")) for id in numbers]
