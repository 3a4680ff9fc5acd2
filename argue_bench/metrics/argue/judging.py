"""Judge requests about a report, and its judgments, sentence by sentence and nugget by nugget.

`plan_judging` decides what is requested, each request once, in three rounds:

    first    is each cited sentence attested, which answers does it give; does each uncited one need a
             citation, does it say that something is unknown; is a document relevant (if judged)
    second   is an uncited sentence that needs a citation new; does a negative assertion confirm a
             nugget without answers
    third    does any sentence assert a wrong answer of a nugget that was earned; does a confirmed
             negative assertion speak of nuggets that have answers, too

The prompt for an answer in a sentence holds no document (Auto-ARGUE), so a sentence with several
citations makes that request once. A document that is not in the collection attests nothing and is in
no request. `apply_verdicts` classifies each sentence, and `aggregate` unites over the report what
sentences earn: an OR nugget needs one of its answers, an AND nugget all of them, from any sentences.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from argue_bench.metrics.argue.denials import bears_denials, denies_everything, weigh_denials
from argue_bench.metrics.argue.tree import (
    Classified,
    NuggetMatch,
    Rules,
    SentenceOutcome,
    SentenceVerdicts,
    classify_sentence,
)
from argue_bench.metrics.base import Given
from argue_bench.metrics.web_pages import evidence
from argue_bench.records import (
    Answer,
    Answers,
    Confirms,
    Documents,
    Entails,
    FirstInstance,
    JudgeRequest,
    NeedsCitation,
    NegativeAssertion,
    Nugget,
    Question,
    Relevant,
    Source,
    Verdict,
)
from argue_bench.text.lists import naming
from argue_bench.text.repeats import said_before

Support = Literal["each", "joint"]
Verdicts = Mapping[JudgeRequest, Verdict]


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
    """One sentence: its verdicts, and how the tree classified it."""

    text: str
    citations: tuple[JudgedCitation, ...]
    verdicts: SentenceVerdicts
    classified: Classified
    wrong: tuple[NuggetMatch, ...] = ()
    """Wrong answers that it asserts, by nugget and position."""

    @property
    def outcome(self) -> SentenceOutcome:
        return self.classified.outcome


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
        """Whether the report contains it, wrong answers left aside."""
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


@dataclass(frozen=True, slots=True)
class PlannedSentence:
    """A sentence with what may be requested about it. ``answers``: those looked for in it.

    ``question`` and ``near``, the texts before and after it, are empty where the rules give no context.
    """

    text: str
    citations: tuple[str, ...]
    known: tuple[Source, ...]
    previous: tuple[str, ...]
    answers: tuple[NuggetMatch, ...]
    question: str = ""
    near: tuple[str, str] = ("", "")
    again: bool = False
    """It says again what one before it said (`text.repeats`), and is not counted."""

    @property
    def complete(self) -> bool:
        """Whether every document that it cites is in the collection."""
        return len(self.known) == len(self.citations)

    def entails(self, sources: tuple[Source, ...]) -> Entails:
        return Entails(sources, self.text, self.question, *self.near)

    def confirms(self, nugget: Nugget) -> Confirms:
        return Confirms(self.text, nugget.question, *self.near)


@dataclass(frozen=True, slots=True)
class JudgingPlan:
    """The requests of one report, round by round."""

    sentences: tuple[PlannedSentence, ...]
    nuggets: tuple[Nugget, ...]
    labelled: Mapping[str, int]
    """Relevance of documents that assessors labelled, which needs no request."""
    rules: Rules
    support: Support

    def entails(self, sentence: PlannedSentence) -> tuple[Entails, ...]:
        """A request for each citation, or one for all together; none where one can't be read."""
        if self.support == "joint":
            if sentence.known and sentence.complete:
                return (sentence.entails(sentence.known),)
            return ()
        return tuple(sentence.entails((source,)) for source in sentence.known)

    def answers(self, sentence: PlannedSentence) -> Iterator[tuple[NuggetMatch, Answers]]:
        for match in sentence.answers:
            nugget = self.nuggets[match.nugget]
            text = nugget.answers[match.answer].text
            yield match, Answers(sentence.text, nugget.question, text, *sentence.near)

    def wrong(
        self, sentence: PlannedSentence, nuggets: Iterable[int]
    ) -> Iterator[tuple[NuggetMatch, Answers]]:
        """The wrong answers of these nuggets, by their position among the wrong ones."""
        if self.rules.wrong == "cancels":
            for index in nuggets:
                for place, text in enumerate(self.nuggets[index].wrong):
                    question = self.nuggets[index].question
                    asked = Answers(sentence.text, question, text, *sentence.near)
                    yield NuggetMatch(index, place), asked

    def relevant(self, source: Source) -> Iterator[Relevant]:
        for nugget in self.nuggets:
            for answer in nugget.answers:
                yield Relevant(source, nugget.question, answer.text)

    @property
    def unanswerable(self) -> tuple[int, ...]:
        """Nuggets that a negative assertion may confirm; none where they are not judged."""
        if self.rules.negative == "off":
            return ()
        return tuple(i for i, nugget in enumerate(self.nuggets) if not nugget.answerable)

    def first_round(self) -> Iterator[JudgeRequest]:
        for sentence in self.sentences:
            if sentence.citations:
                yield from self.entails(sentence)
                yield from (request for _, request in self.answers(sentence))
                if self.rules.relevance == "judged":
                    for source in sentence.known:
                        if source.id not in self.labelled:
                            yield from self.relevant(source)
            else:
                yield NeedsCitation(sentence.text)
                if self.unanswerable:
                    yield NegativeAssertion(sentence.text)

    def second_round(self, verdicts: Verdicts) -> Iterator[JudgeRequest]:
        for sentence in self.sentences:
            if sentence.citations:
                continue
            if self.unanswerable and verdicts[NegativeAssertion(sentence.text)].yes:
                for index in self.unanswerable:
                    yield sentence.confirms(self.nuggets[index])
            elif sentence.previous and verdicts[NeedsCitation(sentence.text)].yes:
                yield FirstInstance(sentence.text, sentence.previous)

    def third_round(self, judged: JudgedReport) -> Iterator[JudgeRequest]:
        # Wrong answers cancel credit, so only nuggets that would have it are worth a request.
        earned = [index for index, nugget in enumerate(judged.nuggets) if nugget.earned]
        for sentence, one in zip(self.sentences, judged.sentences, strict=True):
            yield from (request for _, request in self.wrong(sentence, earned))
            if one.verdicts.confirms:
                yield from self.denied(sentence)

    def denied(self, sentence: PlannedSentence) -> Iterator[Confirms]:
        """Whether a denial speaks of nuggets that have answers."""
        if self.rules.denials == "together":
            for nugget in self.nuggets:
                if nugget.answerable:
                    yield sentence.confirms(nugget)


def plan_judging(
    question: Question, answer: Answer, documents: Documents, rules: Rules, support: Support
) -> JudgingPlan:
    """The requests about one report; repeated citations of one sentence count once."""
    gold = question.gold
    nuggets = gold.nuggets if gold is not None else ()
    accepted = [
        (NuggetMatch(i, j), frozenset(answer.references))
        for i, nugget in enumerate(nuggets)
        for j, answer in enumerate(nugget.answers)
    ]
    planned: list[PlannedSentence] = []
    previous: tuple[str, ...] = ()
    told = rules.context == "neighbours"
    idle: frozenset[int] = frozenset()
    if rules.named == "earns-nothing":
        idle = naming([sentence.text for sentence in answer.sentences])
    again: frozenset[int] = frozenset()
    if rules.repeats == "once":
        again = said_before((one.text, one.citations) for one in answer.sentences)
    near_each = zip(answer.sentences, answer.neighbours, strict=True)
    for place, (sentence, near) in enumerate(near_each):
        cited = tuple(dict.fromkeys(sentence.citations))
        known = tuple(evidence(documents[id], sentence.text) for id in cited if id in documents)
        # Such a sentence earns nothing whatever it answers, so no answer is looked for in it.
        lost = len(known) < len(cited) and rules.unsupported == "earns-nothing"
        lost = lost or place in idle | again
        matches: tuple[NuggetMatch, ...] = ()
        if cited and not lost:
            matches = tuple(
                match
                for match, references in accepted
                if rules.answers == "any" or not references.isdisjoint(cited)
            )
        context = (question.text, near) if told else ("", ("", ""))
        planned.append(
            PlannedSentence(
                sentence.text, cited, known, previous, matches, *context, place in again
            )
        )
        previous = (*previous, sentence.text)
    labelled = gold.relevance if gold is not None else {}
    return JudgingPlan(tuple(planned), nuggets, labelled, rules, support)


def judge_report(
    question: Question,
    answer: Answer,
    documents: Documents,
    verdicts: Verdicts,
    rules: Rules,
    support: Support = "each",
) -> JudgedReport:
    """The judgments of one report from the verdicts that `Argue` requested under the same rules.

    Raises KeyError where a request of the first two rounds has no verdict; what was not requested of
    the third counts as no.
    """
    plan = plan_judging(question, answer, documents, rules, support)
    return apply_verdicts(plan, Given(verdicts))


def apply_verdicts(plan: JudgingPlan, verdicts: Verdicts) -> JudgedReport:
    """The judgments of a report whose requests have these verdicts. Raises KeyError."""
    references = {r for nugget in plan.nuggets for a in nugget.answers for r in a.references}
    by_label = plan.rules.relevance == "judged"

    def relevant(id: str, known: Mapping[str, Source]) -> bool:
        if id in plan.labelled:
            return plan.labelled[id] > 0
        if not by_label:
            return id in references
        return id in known and any(verdicts[one].yes for one in plan.relevant(known[id]))

    sentences: list[JudgedSentence] = []
    for sentence in plan.sentences:
        known = {source.id: source for source in sentence.known}
        attested = [verdicts[request].yes for request in plan.entails(sentence)]
        alone = dict(zip(known, attested, strict=True)) if plan.support == "each" else None
        citations = tuple(
            JudgedCitation(
                id,
                id in known,
                relevant(id, known),
                None if alone is None else alone.get(id, False),
            )
            for id in sentence.citations
        )
        wrong = tuple(
            match
            for match, request in plan.wrong(sentence, range(len(plan.nuggets)))
            if request in verdicts and verdicts[request].yes
        )
        if sentence.citations:
            found = SentenceVerdicts(
                cited=True,
                attested=sentence.complete and all(attested),
                answers=tuple(m for m, one in plan.answers(sentence) if verdicts[one].yes),
            )
        else:
            found = _uncited(plan, sentence, verdicts)
        classified = classify_sentence(found, plan.rules)
        if sentence.again and sentence.citations:
            classified = Classified(SentenceOutcome.REPEATED)
        sentences.append(JudgedSentence(sentence.text, citations, found, classified, wrong))
    if plan.rules.denials == "together":
        weighed = weigh_denials(
            [one.text for one in sentences],
            [one.verdicts for one in sentences],
            [one.classified for one in sentences],
        )
        sentences = [
            replace(one, classified=found) for one, found in zip(sentences, weighed, strict=True)
        ]
    report = aggregate(sentences, plan.nuggets, bool(references or plan.labelled) or by_label)
    return _without_guesses(report) if plan.rules.denials == "together" else report


def _without_guesses(report: JudgedReport) -> JudgedReport:
    """The report, its denials without nuggets where it answers too little to know what is missing."""
    # A list of which a part was found was read of, too.
    answers = [bool(one.found) for one in report.nuggets if one.nugget.answerable]
    if bears_denials(sum(answers), len(answers)):
        return report
    return replace(report, nuggets=tuple(replace(one, confirmed_by=()) for one in report.nuggets))


def _uncited(plan: JudgingPlan, sentence: PlannedSentence, verdicts: Verdicts) -> SentenceVerdicts:
    text, previous = sentence.text, sentence.previous
    if plan.unanswerable and verdicts[NegativeAssertion(text)].yes:
        confirms = tuple(
            index
            for index in plan.unanswerable
            if verdicts[sentence.confirms(plan.nuggets[index])].yes
        )
        about = [request in verdicts and verdicts[request].yes for request in plan.denied(sentence)]
        blanket = bool(confirms) and denies_everything(sum(about), len(about))
        return SentenceVerdicts(cited=False, negative=True, confirms=confirms, blanket=blanket)
    needs = verdicts[NeedsCitation(text)].yes
    first = needs and (not previous or verdicts[FirstInstance(text, previous)].yes)
    return SentenceVerdicts(cited=False, needs_citation=needs, first=first)


def aggregate(
    sentences: Iterable[JudgedSentence], nuggets: Sequence[Nugget], linked: bool = True
) -> JudgedReport:
    """The report of these sentences, each nugget with what was earned for it."""
    sentences = tuple(sentences)
    found: list[dict[int, tuple[int, ...]]] = [{} for _ in nuggets]
    confirmed: list[tuple[int, ...]] = [() for _ in nuggets]
    cancelled: list[tuple[int, ...]] = [() for _ in nuggets]
    for place, sentence in enumerate(sentences):
        for match in sentence.classified.answers:
            by = found[match.nugget]
            by[match.answer] = (*by.get(match.answer, ()), place)
        for index in sentence.classified.confirmed:
            confirmed[index] += (place,)
        for index in dict.fromkeys(match.nugget for match in sentence.wrong):
            cancelled[index] += (place,)
    judged = tuple(map(JudgedNugget, nuggets, found, confirmed, cancelled))
    return JudgedReport(sentences, judged, linked)
