"""ARGUE on one report: its decision tree for a sentence (Mayfield et al. 2024, section 4), the judge requests
that the tree needs, and its judgments, sentence by sentence and nugget by nugget.

A reward adds to both sides of support, a penalty to its denominator
only, and nothing is ever subtracted. A nugget is earned by the sentence, and counts once a report.

    sentence
    ├── cites nothing
    │   ├── says that something is unknown (where a nugget has no answer)
    │   │   ├── such a nugget confirms it            NEGATIVE_CONFIRMED    reward, earns the nugget
    │   │   └── none does                            NEGATIVE_UNCONFIRMED  penalty
    │   └── else
    │       ├── needs no citation                    IGNORED
    │       ├── says what was said before            REPEATED              ignored
    │       └── needs one and is new                 UNCITED               penalty
    └── cites
        ├── a cited document does not attest it      UNSUPPORTED           penalty
        └── all do                                   SUPPORTED             reward, earns what it answers

The paper leaves choices, and Auto-ARGUE (arXiv 2509.26184) made some of them: `Rules` decides all of
them. Scores under different rules are different scores, so the preset's name is in the metric's text:
``argue(rules=auto-argue)``.

`judge_steps` makes each request once, in three rounds:

    first    is each cited sentence attested, which answers does it give; does each uncited one need a
             citation, does it say that something is unknown; is a document relevant (if judged)
    second   is an uncited sentence that needs a citation new; does a negative assertion confirm a
             nugget without answers
    third    does any sentence assert a wrong answer of a nugget that was earned

The prompt for an answer in a sentence holds no document (Auto-ARGUE), so a sentence with several
citations makes that request once. A document that is not in the collection attests nothing and is in
no request. `aggregate` unites over the report what sentences earn: an OR nugget needs one of its
answers, an AND nugget all of them, from any sentences.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Literal, NamedTuple

from argue_bench.metrics.base import Steps, replay
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
    Sentence,
    Verdict,
)
from argue_bench.text.refusals import refuses_in_words, says_unknown
from argue_bench.text.statements import claim_sentences, unstated_numbers

Preset = Literal["default", "argue-2024", "auto-argue", "auto-argue-all", "auto-argue-paper"]


@dataclass(frozen=True, slots=True)
class Rules:
    """Every decision, with our own as the default.

    answers      which answers are tried on a cited sentence: ``any`` of them, or only those whose
                 references hold a document that it ``cited`` (a look-up; a pooling bias)
    relevance    a citation is relevant: by ``look-up`` (assessors' labels where there are some, else
                 the references of the nuggets), or ``judged`` for every answer
    unsupported  whether a sentence that a cited document does not attest ``earns`` nuggets
    wrong        an asserted wrong answer ``cancels`` its nugget's credit, or is ``ignored``
    negative     negative assertions are ``judged`` where a topic has an unanswerable nugget, or not
    scored       sentences that support divides by: ``needed`` (cited; uncited that need a citation
                 and say something new; negative assertions), or ``cited`` alone
    unlinked     relevance by look-up where no nugget names a document: ``left-out`` or ``zero``
    context      requests tell a judge that reads it what stands next to a sentence (``neighbours``), and none is made
                 about what states nothing: a courtesy, an announcement, a question, an offer at the end; or ``none``, as published
                 prompts do
    missing      a topic without a report is ``zero`` on everything, or ``left-out``
    vital, okay  weights of labelled nuggets; where none is labelled every weight is 1
    """

    answers: Literal["any", "cited"] = "any"
    relevance: Literal["look-up", "judged"] = "look-up"
    unsupported: Literal["earns-nothing", "earns"] = "earns-nothing"
    wrong: Literal["cancels", "ignored"] = "cancels"
    negative: Literal["judged", "off"] = "judged"
    scored: Literal["needed", "cited"] = "needed"
    unlinked: Literal["left-out", "zero"] = "left-out"
    context: Literal["neighbours", "none"] = "neighbours"
    missing: Literal["zero", "left-out"] = "zero"
    # Auto-ARGUE's README; its paper (section 3.3) says 1 and 0.5.
    vital: float = 2.0
    okay: float = 1.0


_AUTO_ARGUE = Rules(
    answers="cited",
    unsupported="earns",
    wrong="ignored",
    negative="off",
    unlinked="zero",
    context="none",
    missing="left-out",
)

# ``auto-argue`` counts as its published outputs do; ``-all`` is --always-check-all-nuggets; ``-paper`` words
# support and weights as the paper does where its README differs; ``argue-2024`` is the tree.
PRESETS: dict[Preset, Rules] = {
    "default": Rules(),
    "argue-2024": Rules(answers="cited", wrong="ignored", context="none"),
    "auto-argue": _AUTO_ARGUE,
    "auto-argue-all": replace(_AUTO_ARGUE, answers="any", relevance="judged"),
    "auto-argue-paper": replace(_AUTO_ARGUE, scored="cited", vital=1.0, okay=0.5),
}


class SentenceOutcome(StrEnum):
    """How a sentence counts."""

    SUPPORTED = "supported"
    UNSUPPORTED = "unsupported"
    UNCITED = "uncited"
    REPEATED = "repeated"
    IGNORED = "ignored"
    NEGATIVE_CONFIRMED = "negative-confirmed"
    NEGATIVE_UNCONFIRMED = "negative-unconfirmed"

    @property
    def rewarded(self) -> bool:
        return self in (SentenceOutcome.SUPPORTED, SentenceOutcome.NEGATIVE_CONFIRMED)

    @property
    def cited(self) -> bool:
        return self in (SentenceOutcome.SUPPORTED, SentenceOutcome.UNSUPPORTED)

    def scored(self, rules: Rules) -> bool:
        """Whether support divides by it."""
        if rules.scored == "cited":
            return self.cited
        return self not in (SentenceOutcome.REPEATED, SentenceOutcome.IGNORED)


class NuggetMatch(NamedTuple):
    """An accepted answer of a nugget, both by position."""

    nugget: int
    answer: int


@dataclass(frozen=True, slots=True)
class SentenceVerdicts:
    """The verdicts on one sentence; those that the tree does not reach may keep their defaults."""

    cited: bool
    # By each document that it cites.
    attested: bool = False
    answers: tuple[NuggetMatch, ...] = ()
    negative: bool = False
    # Nuggets without answers that it says cannot be answered.
    confirms: tuple[int, ...] = ()
    needs_citation: bool = True
    first: bool = True


class Classified(NamedTuple):
    """The outcome of a sentence, with the answers and unanswerable nuggets that it earns."""

    outcome: SentenceOutcome
    answers: tuple[NuggetMatch, ...] = ()
    confirmed: tuple[int, ...] = ()


def classify_sentence(verdicts: SentenceVerdicts, rules: Rules) -> Classified:
    """Sends a sentence down the tree."""
    if verdicts.cited:
        if verdicts.attested:
            return Classified(SentenceOutcome.SUPPORTED, verdicts.answers)
        earned = verdicts.answers if rules.unsupported == "earns" else ()
        return Classified(SentenceOutcome.UNSUPPORTED, earned)
    # A denial is no statement that would need a citation: it ends here, confirmed or not.
    if verdicts.negative and rules.negative == "judged":
        if verdicts.confirms:
            return Classified(SentenceOutcome.NEGATIVE_CONFIRMED, confirmed=verdicts.confirms)
        return Classified(SentenceOutcome.NEGATIVE_UNCONFIRMED)
    if not verdicts.needs_citation:
        return Classified(SentenceOutcome.IGNORED)
    return Classified(SentenceOutcome.UNCITED if verdicts.first else SentenceOutcome.REPEATED)


Verdicts = Mapping[JudgeRequest, Verdict]


@dataclass(frozen=True, slots=True)
class JudgedCitation:
    """One citation. ``known``: the document is in the collection."""

    document: str
    known: bool
    relevant: bool
    attested: bool


@dataclass(frozen=True, slots=True)
class JudgedSentence:
    """One sentence: its verdicts, and how the tree classified it."""

    text: str
    citations: tuple[JudgedCitation, ...]
    verdicts: SentenceVerdicts
    classified: Classified
    # Wrong answers that it asserts, by nugget and position.
    wrong: tuple[NuggetMatch, ...] = ()
    # How it stands in the answer, where that is known.
    sentence: Sentence | None = None

    @property
    def outcome(self) -> SentenceOutcome:
        return self.classified.outcome


@dataclass(frozen=True, slots=True)
class JudgedNugget:
    """One nugget: which sentences earned which of its answers, and whether it is credited."""

    nugget: Nugget
    # Position of an answer to the positions of the sentences that earned it.
    found: Mapping[int, tuple[int, ...]]
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
class AskedSentence:
    """A sentence with the requests that may be made about it; ``citations`` are those that differ."""

    sentence: Sentence
    # What a judge reads of it.
    text: str
    citations: tuple[str, ...]
    # By the document that it cites, where that is in the collection.
    attests: Mapping[str, Entails]
    answers: Mapping[NuggetMatch, Answers]
    wrong: Mapping[NuggetMatch, Answers]
    confirms: Mapping[int, Confirms]
    # Whether it is new; None where nothing stands before it.
    first: FirstInstance | None
    # It cites nothing, and what states nothing needs no judge.
    idle: bool

    @property
    def needs(self) -> NeedsCitation:
        return NeedsCitation(self.text)

    @property
    def denies(self) -> NegativeAssertion:
        return NegativeAssertion(self.text)


def ask_of_sentences(
    question: Question, answer: Answer, documents: Documents, rules: Rules
) -> list[AskedSentence]:
    """The requests about the sentences of a report, those included that may turn out to be needless."""
    nuggets = question.gold.nuggets if question.gold is not None else ()
    told = rules.context == "neighbours"
    asked: list[AskedSentence] = []
    previous: tuple[str, ...] = ()
    left = (
        unstated_numbers(answer, claim_sentences(answer.sentences, question.text, citing=True))
        if told
        else ()
    )
    for number, (sentence, near) in enumerate(
        zip(answer.sentences, answer.neighbours, strict=True), 1
    ):
        # A document that a sentence cites twice is one citation.
        text = sentence.claim if told else sentence.plain
        cited = tuple(dict.fromkeys(sentence.citations))
        beside = near if told else ("", "")
        attests = {
            id: Entails(
                (documents[id].evidence(text),), text, question.text if told else "", *beside
            )
            for id in cited
            if id in documents
        }
        # Where it earns nothing whatever it answers, no answer is looked for in it.
        tried = bool(cited) and (len(attests) == len(cited) or rules.unsupported == "earns")
        answers = {
            NuggetMatch(place, at): Answers(text, nugget.question, accepted.text, *beside)
            for place, nugget in enumerate(nuggets if tried else ())
            for at, accepted in enumerate(nugget.answers)
            if rules.answers == "any" or not set(cited).isdisjoint(accepted.references)
        }
        # A wrong answer cancels wherever it stands, cited or not.
        wrong = {
            NuggetMatch(place, at): Answers(text, nugget.question, said, *beside)
            for place, nugget in enumerate(nuggets if rules.wrong == "cancels" else ())
            for at, said in enumerate(nugget.wrong)
        }
        confirms = {
            place: Confirms(text, nugget.question, *beside)
            for place, nugget in enumerate(nuggets)
            if not (nugget.answerable or cited) and rules.negative == "judged"
        }
        first = FirstInstance(text, previous) if previous else None
        # "I could not find it for you." ends an answer as an offer does, and denies.
        idle = number in left and not (confirms and (says_unknown(text) or refuses_in_words(text)))
        asked.append(
            AskedSentence(sentence, text, cited, attests, answers, wrong, confirms, first, idle)
        )
        previous = (*previous, text)
    return asked


def judge_steps(
    question: Question, answer: Answer, documents: Documents, rules: Rules
) -> Steps[JudgedReport]:
    """Makes the requests about one report under these rules; the result is the judged report."""
    gold = question.gold
    nuggets = gold.nuggets if gold is not None else ()
    graded = gold.relevance if gold is not None else {}
    asked = ask_of_sentences(question, answer, documents, rules)
    # A document that assessors graded is not asked about; else any answer makes it relevant.
    relevant = {
        id: [
            Relevant(request.premise[0], nugget.question, answer.text)
            for nugget in nuggets
            for answer in nugget.answers
        ]
        for sentence in asked
        for id, request in sentence.attests.items()
        if rules.relevance == "judged" and id not in graded
    }
    verdicts: dict[JudgeRequest, Verdict] = {}
    # Each round is a generator: the second one reads the verdicts of the first when it is stepped.
    for round in (_first_round(asked, relevant), _second_round(asked, verdicts)):
        if requests := list(dict.fromkeys(round)):
            verdicts.update((yield requests))

    references = {r for nugget in nuggets for one in nugget.answers for r in one.references}

    def is_relevant(id: str) -> bool:
        if id in graded:
            return graded[id] > 0
        if rules.relevance == "judged":
            return any(verdicts[request].yes for request in relevant.get(id, ()))
        return id in references

    sentences = [_judged(one, verdicts, rules, is_relevant) for one in asked]
    linked = bool(references or graded) or rules.relevance == "judged"
    report = aggregate(sentences, nuggets, linked)
    # Wrong answers cancel credit, so only nuggets that would have it are worth a request.
    earned = {place for place, nugget in enumerate(report.nuggets) if nugget.earned}
    wrong = [{m: r for m, r in one.wrong.items() if m.nugget in earned} for one in asked]
    # An accepted answer may be listed as a wrong one of another nugget: then its verdict is there.
    third = dict.fromkeys(request for one in wrong for request in one.values())
    if requests := [request for request in third if request not in verdicts]:
        verdicts.update((yield requests))
    said = [tuple(m for m, request in one.items() if verdicts[request].yes) for one in wrong]
    sentences = [replace(one, wrong=matches) for one, matches in zip(sentences, said, strict=True)]
    return aggregate(sentences, nuggets, linked)


def _first_round(
    asked: Sequence[AskedSentence], relevant: Mapping[str, Sequence[Relevant]]
) -> Iterator[JudgeRequest]:
    for sentence in asked:
        if sentence.citations:
            yield from sentence.attests.values()
            yield from sentence.answers.values()
            for id in sentence.citations:
                yield from relevant.get(id, ())
        elif not sentence.idle:
            yield sentence.needs
            if sentence.confirms:
                yield sentence.denies


def _second_round(asked: Sequence[AskedSentence], verdicts: Verdicts) -> Iterator[JudgeRequest]:
    for sentence in asked:
        if sentence.citations or sentence.idle:
            continue
        if sentence.confirms and verdicts[sentence.denies].yes:
            yield from sentence.confirms.values()
        # Nothing stands before the first sentence, so it is new without asking.
        elif sentence.first and verdicts[sentence.needs].yes:
            yield sentence.first


def judge_report(
    question: Question, answer: Answer, documents: Documents, verdicts: Verdicts, rules: Rules
) -> JudgedReport:
    """The judgments of one report from the verdicts that `Argue` requested under the same rules.

    Raises MissingVerdicts, a KeyError, where one of them is missing.
    """
    return replay(judge_steps(question, answer, documents, rules), verdicts)


def _judged(
    asked: AskedSentence, verdicts: Verdicts, rules: Rules, is_relevant: Callable[[str], bool]
) -> JudgedSentence:
    attested = {id: verdicts[request].yes for id, request in asked.attests.items()}
    citations = tuple(
        JudgedCitation(id, id in attested, is_relevant(id), attested.get(id, False))
        for id in asked.citations
    )
    if citations:
        found = SentenceVerdicts(
            cited=True,
            attested=all(one.attested for one in citations),
            answers=tuple(m for m, request in asked.answers.items() if verdicts[request].yes),
        )
    elif asked.idle:
        found = SentenceVerdicts(cited=False, needs_citation=False)
    elif asked.confirms and verdicts[asked.denies].yes:
        confirms = tuple(at for at, request in asked.confirms.items() if verdicts[request].yes)
        found = SentenceVerdicts(cited=False, negative=True, confirms=confirms)
    else:
        needs = verdicts[asked.needs].yes
        first = needs and (asked.first is None or verdicts[asked.first].yes)
        found = SentenceVerdicts(cited=False, needs_citation=needs, first=first)
    outcome = classify_sentence(found, rules)
    return JudgedSentence(asked.sentence.plain, citations, found, outcome, sentence=asked.sentence)


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
    return JudgedReport(
        sentences, tuple(map(JudgedNugget, nuggets, found, confirmed, cancelled)), linked
    )
