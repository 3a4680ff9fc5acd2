"""What was judged, sentence by sentence and nugget by nugget? For counting, viewing and writing.

`judge_report` reads the verdicts of one report; `settle` sends sentences through the tree and unites
over the report what they earn: an OR nugget needs one of its answers, an AND nugget all of them, from
whatever sentences.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from argue_bench.metrics.argue.asking import Sheet, Support, Verdicts, lay_out
from argue_bench.metrics.argue.rules import Rules
from argue_bench.metrics.argue.tree import Fate, Leaf, Match, Said, climb
from argue_bench.records import (
    Answer,
    Confirms,
    Document,
    FirstInstance,
    NeedsCitation,
    NegativeAssertion,
    Nugget,
    Question,
)


@dataclass(frozen=True, slots=True)
class JudgedCitation:
    """One citation. ``known``: the document is in the collection.

    ``attested`` is None where citations were not judged one by one (``support=joint``).
    """

    document: str
    known: bool
    relevant: bool
    attested: bool | None


@dataclass(frozen=True, slots=True)
class JudgedSentence:
    """One sentence: what judges said, and what became of it."""

    text: str
    citations: tuple[JudgedCitation, ...]
    said: Said
    leaf: Leaf
    wrong: tuple[Match, ...] = ()
    """Wrong answers that it asserts, by nugget and position."""

    @property
    def fate(self) -> Fate:
        return self.leaf.fate


@dataclass(frozen=True, slots=True)
class JudgedNugget:
    """One nugget: which sentences earned which of its answers, and whether it is credited."""

    nugget: Nugget
    found: Mapping[int, tuple[int, ...]]
    """Position of an answer to the positions of the sentences that earned it."""
    confirmed_by: tuple[int, ...] = ()
    cancelled_by: tuple[int, ...] = ()

    @property
    def earned(self) -> bool:
        """Before wrong answers are looked at."""
        if not self.nugget.answerable:
            return bool(self.confirmed_by)
        if self.nugget.combine == "all":
            return len(self.found) == len(self.nugget.answers)
        return bool(self.found)

    @property
    def correct(self) -> bool:
        return self.earned and not self.cancelled_by


@dataclass(frozen=True, slots=True)
class JudgedReport:
    """One report, judged. ``linked``: something is known of which documents are relevant."""

    sentences: tuple[JudgedSentence, ...]
    nuggets: tuple[JudgedNugget, ...]
    linked: bool = True


Heard = tuple[str, tuple[JudgedCitation, ...], Said, tuple[Match, ...]]
"""A sentence before the tree: text, citations, what was said of it, wrong answers asserted."""


def settle(
    heard: Iterable[Heard], nuggets: Sequence[Nugget], rules: Rules, linked: bool = True
) -> JudgedReport:
    """The report, each sentence at its leaf and each nugget with what was earned for it."""
    sentences = tuple(
        JudgedSentence(text, citations, said, climb(said, rules), wrong)
        for text, citations, said, wrong in heard
    )
    found: list[dict[int, tuple[int, ...]]] = [{} for _ in nuggets]
    confirmed: list[tuple[int, ...]] = [() for _ in nuggets]
    cancelled: list[tuple[int, ...]] = [() for _ in nuggets]
    for place, sentence in enumerate(sentences):
        for match in sentence.leaf.answers:
            by = found[match.nugget]
            by[match.answer] = (*by.get(match.answer, ()), place)
        for index in sentence.leaf.confirmed:
            confirmed[index] += (place,)
        for index in dict.fromkeys(match.nugget for match in sentence.wrong):
            cancelled[index] += (place,)
    judged = tuple(map(JudgedNugget, nuggets, found, confirmed, cancelled))
    return JudgedReport(sentences, judged, linked)


def judge_report(
    question: Question,
    answer: Answer,
    documents: Mapping[str, Document],
    verdicts: Verdicts,
    rules: Rules,
    support: Support = "each",
) -> JudgedReport:
    """The judgments of one report from the verdicts that `Argue` asked for under the same rules.

    Raises KeyError where an ask of the first two rounds has no verdict; wrong answers that were not
    asked about, because their nugget was not earned, count as not asserted.
    """
    sheet = lay_out(question, answer, documents, rules, support)
    labelled = question.gold.relevance if question.gold is not None else {}
    return read_sheet(sheet, labelled, verdicts)


def read_sheet(sheet: Sheet, labelled: Mapping[str, int], verdicts: Verdicts) -> JudgedReport:
    """The judgments of a report that was laid out; ``labelled`` is the relevance of documents."""
    references = {r for nugget in sheet.nuggets for a in nugget.answers for r in a.references}
    every = set(range(len(sheet.nuggets)))

    def relevant(id: str) -> bool:
        if id in labelled:
            return labelled[id] > 0
        if sheet.rules.relevance == "look-up":
            return id in references
        return id in asked and any(verdicts[request].yes for request in sheet.relevant(asked[id]))

    heard: list[Heard] = []
    for line in sheet.lines:
        asked = {known.id: known for known in line.known}
        entails = sheet.entails(line)
        attests = (
            {
                one.id: verdicts[request].yes
                for one, request in zip(line.known, entails, strict=True)
            }
            if sheet.support == "each"
            else {}
        )
        citations = tuple(
            JudgedCitation(
                id,
                id in asked,
                relevant(id),
                attests.get(id, False) if sheet.support == "each" else None,
            )
            for id in line.citations
        )
        wrong = tuple(
            match
            for match, request in sheet.wrong(line, every)
            if request in verdicts and verdicts[request].yes
        )
        if line.citations:
            said = Said(
                cited=True,
                attested=line.whole and all(verdicts[request].yes for request in entails),
                answers=tuple(m for m, request in sheet.answers(line) if verdicts[request].yes),
            )
        else:
            said = _uncited(sheet, line.text, line.previous, verdicts)
        heard.append((line.text, citations, said, wrong))
    linked = bool(references or labelled) or sheet.rules.relevance == "asked"
    return settle(heard, sheet.nuggets, sheet.rules, linked)


def _uncited(sheet: Sheet, text: str, previous: tuple[str, ...], verdicts: Verdicts) -> Said:
    if sheet.unanswerable and verdicts[NegativeAssertion(text)].yes:
        questions = {i: sheet.nuggets[i].question for i in sheet.unanswerable}
        confirms = tuple(
            index for index, asked in questions.items() if verdicts[Confirms(text, asked)].yes
        )
        return Said(cited=False, negative=True, confirms=confirms)
    needs = verdicts[NeedsCitation(text)].yes
    first = needs and (not previous or verdicts[FirstInstance(text, previous)].yes)
    return Said(cited=False, needs_citation=needs, first=first)
