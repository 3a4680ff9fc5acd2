"""The oracle: a judge whose verdicts are right by construction.

It reads no text: it looks up the provenance of the sentence, of the documents and of the nugget in the
world that printed them all. A request about anything else fails; nothing is guessed.

    Entails    the sources, together, state every fact of the sentence (in its form: a document that
               gives "about 1,200" does not state 1,243); a sentence without facts is in one of them
               word for word
    SupportLevel   full as Entails; partial where the sources state one of several facts
    Answers    the sentence states the fact that the answer words. Every statement about an item also
               says that the item belongs to the hub (as gold's references have it)
    Confirms   the sentence says that the very cell that the question asks for is unknown
    Supports   the report states that fact (full), or a rounding of it (partial)
    FirstInstance   it states something that no earlier sentence stated
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from argue_bench.judges.base import Counts, Judge, Reply
from argue_bench.records import (
    Answers,
    Confirms,
    Entails,
    Failed,
    FirstInstance,
    JudgeRequest,
    NeedsCitation,
    NegativeAssertion,
    Refuses,
    Relevant,
    Source,
    SupportLevel,
    Supports,
    Verdict,
)
from tools.core_set.gold import nugget_cells
from tools.core_set.printer import StatedFact
from tools.core_set.scenario import Cell, Fact
from tools.core_set.scripted import ScriptedSentence, page_sentences, report_text
from tools.core_set.topic import GeneratedTopic
from tools.core_set.values import Form

NOT_PRINTED = Failed("the oracle knows only sentences of the world and of scripted systems")
NOT_ASKED = Failed("the oracle knows only the nuggets of the world's gold")
Wanted = tuple[tuple[Fact, Form], ...]
"""The facts any of which words an answer, and how exactly it must be stated."""


@dataclass(frozen=True)
class _KnownTopic:
    """A topic in the form in which the oracle looks up facts."""

    topic: GeneratedTopic
    texts: Mapping[str, str]
    """Document id to its prose."""


Holds = Callable[[_KnownTopic, ScriptedSentence], bool]


class Oracle(Judge):
    """Gives the verdicts that are right by construction, on the topics and reports that it learns."""

    name = "oracle"
    batch = 4096

    def __init__(self, topics: Iterable[GeneratedTopic] = ()) -> None:
        self.counts = Counts()
        self._topics: list[_KnownTopic] = []
        self._of_document: dict[str, _KnownTopic] = {}
        self._cells: dict[str, tuple[_KnownTopic, str]] = {}
        """A nugget's question to the id of the cell that it asks about; empty where it asks for the items."""
        self._words: dict[tuple[str, str], tuple[_KnownTopic, Wanted]] = {}
        """(question, answer or wrong answer) to the facts that it words."""
        self._sentences: dict[str, list[tuple[_KnownTopic, ScriptedSentence]]] = {}
        self._reports: dict[str, list[tuple[_KnownTopic, list[ScriptedSentence]]]] = {}
        for topic in topics:
            self.learn(topic)

    def learn(self, topic: GeneratedTopic, *reports: Iterable[ScriptedSentence]) -> None:
        """Learns a topic, with all facts that its documents state, and reports on the topic."""
        known = next((k for k in self._topics if k.topic is topic), None)
        if known is None:
            known = _KnownTopic(topic, {page.id: _plain(page.prose) for page in topic.pages})
            self._topics.append(known)
            self._of_document |= dict.fromkeys(known.texts, known)
            self._learn_gold(known)
            for page in topic.pages:
                self._add_sentences(known, page_sentences(page))
        for report in map(list, reports):
            self._add_sentences(known, report)
            for text in (report_text(report), " ".join(one.text for one in report)):
                self._reports.setdefault(_plain(text), []).append((known, report))

    def _learn_gold(self, known: _KnownTopic) -> None:
        topic, cells = known.topic, nugget_cells(known.topic)
        for nugget in topic.question.gold.nuggets if topic.question.gold else ():
            question, cell = nugget.question, cells[nugget.id]
            self._cells[question] = known, cell.id if cell else ""
            for place, answer in enumerate(nugget.answers):
                wanted = _worded(topic, cell, place, answer.text)
                self._words[question, answer.text] = known, wanted
            for text in nugget.wrong if cell else ():
                wrong = tuple(_wrong(topic, cell, text))  # type: ignore[arg-type]
                self._words[question, text] = known, wrong

    def _add_sentences(self, known: _KnownTopic, sentences: Iterable[ScriptedSentence]) -> None:
        for one in sentences:
            same = self._sentences.setdefault(_plain(one.text), [])
            if not any(topic is known and other.facts == one.facts for topic, other in same):
                same.append((known, one))

    def identity(self) -> Mapping[str, str]:
        """The topics that it knows, by the ids of the first and last of them."""
        ids = [known.topic.id for known in self._topics]
        return {"topics": f"{ids[0]}..{ids[-1]}" if ids else "none"}

    async def judge(self, requests: Sequence[JudgeRequest]) -> AsyncIterator[Reply]:
        for request in requests:
            self.counts.requests += 1
            reply = self.verdict(request)
            self.counts.failed += isinstance(reply, Failed)
            yield request, reply

    def verdict(self, request: JudgeRequest) -> Verdict | Failed:
        """The verdict on one request."""
        found = self._rules[type(request)](self, request)
        if isinstance(found, bool):
            return Verdict("yes" if found else "no")
        return found if isinstance(found, Failed) else Verdict(found)

    # one rule for each kind

    def _entails(self, request: Entails) -> bool | Failed:
        levels = self._levels(request.premise, request.hypothesis)
        return levels if isinstance(levels, Failed) else "full" in levels

    def _support_level(self, request: SupportLevel) -> str | Failed:
        levels = self._levels(request.premise, request.sentence)
        if isinstance(levels, Failed):
            return levels
        return next((level for level in ("full", "partial") if level in levels), "no")

    def _levels(self, premise: Sequence[Source], sentence: str) -> set[str] | Failed:
        """How far the sources support the sentence, in each topic that has both."""
        sources = [self._of_document.get(source.id) for source in premise]
        if None in sources:
            return Failed("the oracle knows only documents of the world")
        if (printed := self._sentences.get(_plain(sentence))) is None:
            return NOT_PRINTED
        return {
            _level(known, one, premise)
            for known, one in printed
            if all(source is known for source in sources)
        }

    def _answers(self, request: Answers) -> bool | Failed:
        if (found := self._words.get((request.question, request.answer))) is None:
            return NOT_ASKED
        known, wanted = found
        return self._in_topic(
            known, request.sentence, lambda one: any(_states(one.facts, *fact) for fact in wanted)
        )

    def _confirms(self, request: Confirms) -> bool | Failed:
        if (found := self._cells.get(request.question)) is None:
            return NOT_ASKED
        known, cell = found
        return self._in_topic(
            known, request.sentence, lambda one: bool(cell) and one.unknown == cell
        )

    def _relevant(self, request: Relevant) -> bool | Failed:
        if (found := self._words.get((request.question, request.answer))) is None:
            return NOT_ASKED
        known, wanted = found
        return any(
            request.document.id in known.topic.references(fact.id, form) for fact, form in wanted
        )

    def _first(self, request: FirstInstance) -> bool | Failed:
        previous = [self._sentences.get(_plain(text), []) for text in request.previous]

        def is_new(known: _KnownTopic, sentence: ScriptedSentence) -> bool:
            before = [other for same in previous for topic, other in same if topic is known]
            said = {(one.fact.id, one.form) for other in before for one in other.facts}
            new = any((one.fact.id, one.form) not in said for one in sentence.facts)
            unknown = {other.unknown for other in before}
            return new or bool(sentence.unknown and sentence.unknown not in unknown)

        return self._agreed(request.sentence, is_new)

    def _needs(self, request: NeedsCitation) -> bool | Failed:
        return self._agreed(request.sentence, lambda _, sentence: bool(sentence.facts))

    def _negative(self, request: NegativeAssertion) -> bool | Failed:
        return self._agreed(request.sentence, lambda _, sentence: bool(sentence.unknown))

    def _refuses(self, request: Refuses) -> bool | Failed:
        reports = self._reports.get(_plain(request.response), [])
        verdicts = {all(one.refuses for one in report) for _, report in reports}
        return verdicts.pop() if len(verdicts) == 1 else NOT_PRINTED

    def _supports(self, request: Supports) -> str | Failed:
        if (found := self._words.get((request.question, request.nugget))) is None:
            return NOT_ASKED
        if (reports := self._reports.get(_plain(request.passage))) is None:
            return NOT_PRINTED
        known, wanted = found
        said = [sentence for topic, report in reports if topic is known for sentence in report]
        facts = [one for sentence in said for one in sentence.facts]
        if any(_states(facts, fact, form) for fact, form in wanted):
            return "full"
        return "partial" if any(_states(facts, fact, "rounded") for fact, _ in wanted) else "no"

    _rules: ClassVar[dict[type[JudgeRequest], Callable[[Any, Any], bool | str | Failed]]] = {
        Entails: _entails,
        SupportLevel: _support_level,
        Answers: _answers,
        Confirms: _confirms,
        Relevant: _relevant,
        FirstInstance: _first,
        NeedsCitation: _needs,
        NegativeAssertion: _negative,
        Refuses: _refuses,
        Supports: _supports,
    }
    kinds: frozenset[type[JudgeRequest]] = frozenset(_rules)

    def _in_topic(
        self, known: _KnownTopic, sentence: str, holds: Callable[[ScriptedSentence], bool]
    ) -> bool | Failed:
        """Whether the verdict holds for the sentence, read as one of this topic."""
        if (printed := self._sentences.get(_plain(sentence))) is None:
            return NOT_PRINTED
        return any(holds(one) for topic, one in printed if topic is known)

    def _agreed(self, sentence: str, holds: Holds) -> bool | Failed:
        """Whether the verdict holds, where the request does not say which topic the
        sentence is about."""
        printed = self._sentences.get(_plain(sentence), ())
        verdicts = {holds(known, one) for known, one in printed}
        if len(verdicts) == 1:
            return verdicts.pop()
        return NOT_PRINTED if not verdicts else Failed("two topics have this sentence")


def _worded(topic: GeneratedTopic, cell: Cell | None, place: int, text: str) -> Wanted:
    if cell is None:
        own = [c for c in topic.scenario.cells.values() if c.subject is topic.scenario.items[place]]
        facts = [fact for c in own for fact in (*c.facts, c.old) if fact]
        return tuple((fact, "rounded") for fact in (topic.scenario.members[place], *facts))
    if cell.relation.many:
        return ((cell.facts[place], "exact"),)
    return ((cell.fact, "rounded" if text == cell.fact.value.rounding("en") else "exact"),)


def _wrong(topic: GeneratedTopic, cell: Cell, text: str) -> Iterator[tuple[Fact, Form]]:
    """The superseded figure, and the values of a namesake under the same relation."""
    if cell.old and cell.old.value.say("en") == text:
        yield cell.old, "exact"
    for page in topic.pages:
        for stated in (s for said in page.sentences for s in said.facts):
            fact = stated.fact
            same = fact.relation == cell.relation.key and fact.subject.full == cell.subject.full
            if page.role == "namesake" and same and fact.value.say("en") == text:
                yield fact, "exact"


def _level(known: _KnownTopic, sentence: ScriptedSentence, premise: Sequence[Source]) -> str:
    if not sentence.facts:
        stated = [any(_plain(sentence.text) in known.texts[source.id] for source in premise)]
    else:
        stated = [
            any(source.id in known.topic.references(one.fact.id, one.form) for source in premise)
            for one in sentence.facts
        ]
    return "full" if all(stated) else "partial" if any(stated) else "no"


def _states(facts: Iterable[StatedFact], wanted: Fact, form: Form) -> bool:
    return any(
        one.fact.id == wanted.id and (form == "rounded" or one.form != "rounded") for one in facts
    )


def _plain(text: str) -> str:
    return " ".join(text.split())
