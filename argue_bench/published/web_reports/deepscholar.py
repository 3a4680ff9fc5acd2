"""DeepScholar-Bench's citation measures, frozen.

Source: guestrin-lab/deepscholar-bench 6ff05aa, eval/evaluator/{cite_p,claim_coverage,reference_coverage}.py
and eval/parsers/deepscholar_base.py (Patel et al. 2025, arXiv 2508.20033).

``[n]`` numbers the documents from 1; one beyond them, ``[0]`` and all but the first number of ``[1, 2]``
do not count. A sentence of fewer than 50 characters is not judged: `citation_precision` counts its marks,
`claim_coverage` does not. A mark behind the full stop opens the next sentence. The splitter is handed
over; "et al." is hidden from it. The documents of ``citations(rules=deepscholar)`` are the report's own
numbered list of references.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from math import isnan
from typing import ClassVar, NamedTuple

from argue_bench.errors import Code, DataError
from argue_bench.metrics.base import Bounds, Metric, Steps, TallySteps
from argue_bench.records import (
    NOT_APPLICABLE,
    Answer,
    Document,
    Documents,
    Entails,
    JudgeRequest,
    Question,
    Tally,
)
from argue_bench.stats.averages import Average, macro
from argue_bench.text import sentences
from argue_bench.text.citations.references import ReferenceLists, identity_key, reference_lists

SHORTEST = 50
"""Characters of the shortest sentence that the program judges."""
ALIKE = 0.8
"""difflib's ratio above which two titles are one work in its reference_coverage.py."""
_MARK = re.compile(r"\s*\[\d+\]")
_NUMBER = re.compile(r"\[(\d+)")
_ARXIV_LINK = re.compile(r"\[([^\]]+)\]\((https?://[^)]+)\)")
_ARXIV_ID = re.compile(r"arxiv\.org/abs/([^)\s]+)")
# Its own list of words that titles are compared without.
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


@dataclass(frozen=True)
class DeepScholar(Metric):
    """cite_p and claim_coverage of a report's text."""

    judge: str = ""

    name: ClassVar[str] = "citations"
    rules: ClassVar[str] = "deepscholar"
    family: ClassVar[str] = "citations"
    summary: ClassVar[str] = "does what is cited support each sentence?"
    scores: ClassVar[Mapping[str, Average]] = {
        "cite_p": macro("cite_p"),
        "claim_coverage": macro("claim_coverage"),
    }
    requests: ClassVar[tuple[type[JudgeRequest], ...]] = (Entails,)

    def tally(self, question: Question, answer: Answer, documents: Documents) -> TallySteps:
        report = reference_lists(answer.text)
        works = _numbered(report, question, documents)
        request = question.request
        own = Work(request.title if request else "", request.background if request else "")
        text = _without_lists(answer.text, report.lines)
        # The program shows whole documents; pages of the web can be too long for that.
        cited = (id for one in answer.sentences for id in one.citations)
        pages = (documents[id] for id in cited if id in documents and documents[id].fetched)
        page = replace(next(pages, Document("", "")), id="cited", title="")
        values = {
            "cite_p": (
                yield from _asked(citation_precision(text, len(works), works, sentences), page)
            ),
            "claim_coverage": (
                yield from _asked(claim_coverage(text, len(works), works, own, sentences), page)
            ),
        }
        return {
            name: NOT_APPLICABLE if isnan(value) else Tally(value) for name, value in values.items()
        }

    def later_requests(self, question: Question, answer: Answer, documents: Documents) -> Bounds:
        """The program asks of one citation after the other."""
        cites = sum(len(one.citations) for one in answer.sentences)
        return {"Entails": (0, 2 * cites)} if cites else {}


def _asked(asking: Asking, page: Document) -> Steps[float]:
    """The score of a measure whose questions the judge answers, each once."""
    known: dict[Entails, bool] = {}
    try:
        asked = next(asking)
        while True:
            shown = replace(page, text=asked.document)
            one = Entails((shown.evidence(asked.claim),), asked.claim)
            # The window asks the same again, which a judge at temperature 0 answers alike.
            if one not in known:
                known[one] = (yield [one])[one].yes
            asked = asking.send(known[one])
    except StopIteration as stop:
        return float(stop.value)


def _numbered(report: ReferenceLists, question: Question, documents: Documents) -> list[Work]:
    """The works that [1], [2] count: the report's list of references, else the question's documents."""
    by_number: dict[int, Document | None] = {}
    for entry in report.entries:
        if entry.id and entry.id.isdecimal() and entry.url:
            by_number.setdefault(int(entry.id), documents.get(identity_key(entry.url)))
    found = [documents.get(id) for id in question.documents]
    if by_number:
        # A report may write any number before a reference: "[999999999]".
        most = min(max(by_number), 1_000)
        found = [by_number.get(number) for number in range(1, most + 1)]
    return [Work(one.title, one.text) if one else Work("", "") for one in found]


def _without_lists(text: str, lists: Sequence[tuple[int, int]]) -> str:
    """The text without its reference lists, which are no part of what the program's parsers give."""
    kept, at = [], 0
    for start, end in lists:
        kept.append(text[at:start])
        at = end
    return "".join([*kept, text[at:]]).strip()


def reply_supports(reply: str) -> bool:
    """Whether a judge's reply is 1 when all but letters, digits and _ are taken out."""
    return re.sub(r"\W", "", reply) == "1"


def split_sentences(text: str, split: Split) -> list[str]:
    """The sentences of the splitter, which does not see the full stop of "et al."."""
    # A splitter would end the sentence behind "al.".
    hidden = "ET_AL_PLACEHOLDER"
    parts = split(re.sub(r"\bet al\.", hidden, text))
    return [part.replace(hidden, "et al.") for part in parts]


def claim_of(sentence: str) -> str:
    """The sentence without marks of one number and without bars behind a blank."""
    return _MARK.sub("", sentence).replace(" |", "").strip()


def cited_places(sentence: str, known: int) -> list[int]:
    """The cited places, from 0, that are among the known documents; repeats stay."""
    # Longer numbers than 9 digits are no places, and would cost time to read.
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
        # Without blanks between the last work and the paper's own title, as the program has it.
        document = " ".join(shown) + own.title + own.text
        found = False
        for _ in range(max(0, at - reach), min(len(parts), at + reach + 1)):
            # Always the sentence's own claim and works, whichever neighbour the window stands at.
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
        raise DataError.of(Code.WRONG_SHAPE, why)
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
        # The first number with a point in the link, which is the id of every new arXiv address.
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
        # Another link is no citation: its words stay, and its address goes.
        if id is None:
            return match[1]
        return f"[{numbers.setdefault(id[1], len(numbers) + 1)}]"

    clean = _ARXIV_LINK.sub(number, text).strip()
    return clean, [works.get(id, Work("", "")) for id in numbers]
