"""What must be asked about a report? Each question once, in three rounds.

    first    is each cited sentence attested, which answers does it give; does each uncited one need a
             citation, does it say that something is unknown; is a document relevant (if asked for)
    second   is an uncited sentence that needs a citation new; does a negative assertion confirm a
             nugget without answers
    third    does any sentence assert a wrong answer of a nugget that was earned

The sentence-answer prompt holds no document (Auto-ARGUE), so a sentence with several citations asks
it once. A document that is not in the collection attests nothing and is not asked about.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from argue_bench.metrics.argue.rules import Rules
from argue_bench.metrics.argue.tree import Match
from argue_bench.records import (
    Answer,
    Answers,
    Confirms,
    Document,
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

Support = Literal["each", "joint"]
Verdicts = Mapping[JudgeRequest, Verdict]


@dataclass(frozen=True, slots=True)
class Line:
    """A sentence with what may be asked about it. ``tried``: the answers looked for in it."""

    text: str
    citations: tuple[str, ...]
    known: tuple[Source, ...]
    previous: tuple[str, ...]
    tried: tuple[Match, ...]

    @property
    def whole(self) -> bool:
        """Whether every document that it cites is there to be read."""
        return len(self.known) == len(self.citations)


@dataclass(frozen=True, slots=True)
class Sheet:
    """A report laid out for judging."""

    lines: tuple[Line, ...]
    nuggets: tuple[Nugget, ...]
    rules: Rules
    support: Support

    def entails(self, line: Line) -> tuple[Entails, ...]:
        """One ask a citation, or one for all of them together; none where one can't be read."""
        if self.support == "joint":
            return (Entails(line.known, line.text),) if line.known and line.whole else ()
        return tuple(Entails((source,), line.text) for source in line.known)

    def answers(self, line: Line) -> Iterator[tuple[Match, Answers]]:
        for match in line.tried:
            nugget = self.nuggets[match.nugget]
            text = nugget.answers[match.answer].text
            yield match, Answers(line.text, nugget.question, text)

    def wrong(self, line: Line, nuggets: set[int]) -> Iterator[tuple[Match, Answers]]:
        """The wrong answers of these nuggets, by their position among the wrong ones."""
        if self.rules.wrong == "cancels":
            for index in sorted(nuggets):
                for place, text in enumerate(self.nuggets[index].wrong):
                    question = self.nuggets[index].question
                    yield Match(index, place), Answers(line.text, question, text)

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

    def first_round(self, labelled: Mapping[str, int]) -> Iterator[JudgeRequest]:
        """``labelled``: documents whose relevance is known and needs no asking."""
        for line in self.lines:
            if line.citations:
                yield from self.entails(line)
                yield from (request for _, request in self.answers(line))
                if self.rules.relevance == "asked":
                    for source in line.known:
                        if source.id not in labelled:
                            yield from self.relevant(source)
            else:
                yield NeedsCitation(line.text)
                if self.unanswerable:
                    yield NegativeAssertion(line.text)

    def second_round(self, verdicts: Verdicts) -> Iterator[JudgeRequest]:
        for line in self.lines:
            if line.citations:
                continue
            if self.unanswerable and verdicts[NegativeAssertion(line.text)].yes:
                for index in self.unanswerable:
                    yield Confirms(line.text, self.nuggets[index].question)
            elif line.previous and verdicts[NeedsCitation(line.text)].yes:
                yield FirstInstance(line.text, line.previous)

    def third_round(self, earned: set[int]) -> Iterator[JudgeRequest]:
        for line in self.lines:
            yield from (request for _, request in self.wrong(line, earned))


def lay_out(
    question: Question,
    answer: Answer,
    documents: Mapping[str, Document],
    rules: Rules,
    support: Support,
) -> Sheet:
    """The sheet of one report; repeated citations of one sentence count once."""
    nuggets = question.gold.nuggets if question.gold is not None else ()
    every = [
        (Match(i, j), frozenset(accepted.references))
        for i, nugget in enumerate(nuggets)
        for j, accepted in enumerate(nugget.answers)
    ]
    lines: list[Line] = []
    said: tuple[str, ...] = ()
    for sentence in answer.sentences:
        cited = tuple(dict.fromkeys(sentence.citations))
        known = tuple(Source.of(documents[id]) for id in cited if id in documents)
        lost = len(known) < len(cited) and rules.unsupported == "earns-nothing"
        tried: tuple[Match, ...] = ()
        if cited and not lost:  # a sentence that is lost earns nothing, whatever it answers
            tried = tuple(
                match
                for match, references in every
                if rules.answers == "any" or not references.isdisjoint(cited)
            )
        lines.append(Line(sentence.text, cited, known, said, tried))
        said = (*said, sentence.text)
    return Sheet(tuple(lines), nuggets, rules, support)
