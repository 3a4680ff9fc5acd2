"""One topic's nuggets: created window by window, rated, checked against the passages, merged.

1. Passages are read ten at a time. The judge returns the whole list anew, which replaces the one
   before it; at most 30 are kept (`DraftNuggets`).
2. Nuggets are rated vital or okay, ten at a time (`NuggetImportance`).
3. Each nugget is checked against the three passages that share most words with it and, where none of
   these supports it, the next seven: one that none supports is dropped; those that do are its
   references, and the likest sentence is kept.
4. A nugget that says what an earlier one says is merged into it: the same words, or each entails the
   other.

Steps 1 and 2 are nuggetizer's, with its defaults (Pradeep et al. 2024, section 3; castorini/nuggetizer
d00dc3e); where a window or rating fails the list stays, or the nugget is okay, as there, and the
failure is reported. Steps 3 and 4 are ours.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, Literal

from pydantic import Field

from argue_bench.baselines.drafting.passages import Topic
from argue_bench.eval.driver import Asking
from argue_bench.judges.base import Said
from argue_bench.records import (
    DraftNuggets,
    Entails,
    JudgeRequest,
    Nugget,
    NuggetAnswer,
    NuggetImportance,
    Relevant,
    Source,
    Verdict,
)
from argue_bench.records.validation import Expect, strict
from argue_bench.text import sentences
from argue_bench.text.overlap import porter_stems

# Nuggets of a topic at most, and passages or nuggets of a request: nuggetizer's defaults.
MOST, WINDOW = 30, 10
# Passages that each nugget is compared with, and those in all where none of the first supports it.
CHECKED, MOST_CHECKED = 3, 10
# Share of words from which two nuggets are compared by the judge.
ALIKE = 0.5
_BULLET = re.compile(r"\A\s*(?:[-*•]|\d{1,2}[.)])\s+")
# A nugget is a sentence; of a longer line of a reply the rest is left out.
_MOST_CHARACTERS = 600
LONGEST = 2_000
"""Characters of a nugget that a person writes; a sentence or a question may have ten times as many."""
Text = Annotated[str, Field(max_length=10 * LONGEST)]


def _is_said(text: str) -> bool:
    return len(text) <= LONGEST and any(map(str.isalnum, text))


@strict
@dataclass(frozen=True)
class DraftedNugget:
    """A fact with its importance, the documents that say it, and the sentence it was found in; people edit it."""

    topic: Text
    text: Annotated[str, Expect(f"a text of 1 to {LONGEST:,} characters with a word", _is_said)]
    question: Text = ""
    """A question of its own, where the judge gave one; ``text`` answers it."""
    importance: Literal["vital", "okay"] = "okay"
    references: tuple[Text, ...] = ()
    passage: Text = ""
    sentence: Text = ""
    state: Literal["drafted", "accepted", "rejected"] = "drafted"

    @property
    def statement(self) -> str:
        """The nugget as the judge wrote it."""
        return f"{self.question} {self.text}".strip()

    def as_nugget(self, asked: str) -> Nugget:
        """As gold: the topic's question, or the nugget's own, with the fact as the accepted answer.

        Its id rests on topic and words, so it stays where the words do.
        """
        id = hashlib.md5(f"{self.topic} {self.question} {self.text}".encode()).hexdigest()
        answer = NuggetAnswer(self.text, self.references)
        return Nugget(id, self.question or asked, (answer,), "any", self.importance)


@dataclass
class Draft:
    """The draft of one topic. ``dropped``: unsupported; ``merged``: covered by the nugget
    beside it."""

    topic: str
    question: str
    nuggets: list[DraftedNugget] = field(default_factory=list)
    dropped: list[str] = field(default_factory=list)
    merged: list[tuple[str, str]] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)

    @property
    def gold(self) -> tuple[Nugget, ...]:
        """The nuggets as gold."""
        return tuple(one.as_nugget(self.question) for one in self.nuggets)


def draft_topic(topic: Topic, most: int = MOST) -> Asking[Draft]:
    """The steps of one topic."""
    draft = Draft(topic.id, topic.question)
    lines = yield from _create(topic, most, draft)
    nuggets = yield from _rate(topic, lines, draft)
    nuggets = yield from _check(topic, nuggets, draft)
    draft.nuggets = yield from _merge(nuggets, draft)
    return draft


def _create(topic: Topic, most: int, draft: Draft) -> Asking[list[str]]:
    lines: list[str] = []
    for start in range(0, len(topic.passages), WINDOW):
        window = topic.passages[start : start + WINDOW]
        request = DraftNuggets(topic.question, window, tuple(lines))
        reply = (yield [request])[request]
        if not isinstance(reply, Verdict):
            draft.failures.append(f"passages {start + 1} to {start + len(window)}: {reply.reason}")
            continue
        lines = list(_lines(str(reply.value)))[:most]
    return lines


def _lines(text: str) -> Iterator[str]:
    """The nuggets of a reply, without their list numbers."""
    for line in text.splitlines():
        one = " ".join(_BULLET.sub("", line).split())[:_MOST_CHARACTERS]
        if any(map(str.isalnum, one)):
            yield one


def _rate(topic: Topic, lines: Sequence[str], draft: Draft) -> Asking[list[DraftedNugget]]:
    nuggets: list[DraftedNugget] = []
    for start in range(0, len(lines), WINDOW):
        batch = lines[start : start + WINDOW]
        requests = {line: NuggetImportance(topic.question, line) for line in batch}
        replies = yield list(requests.values())
        for line in batch:
            reply = replies[requests[line]]
            if not isinstance(reply, Verdict):
                draft.failures.append(f"the importance of {line!r:.80}, now okay: {reply.reason}")
            vital = isinstance(reply, Verdict) and reply.value == "vital"
            question, text = _parted(line)
            nuggets.append(DraftedNugget(topic.id, text, question, "vital" if vital else "okay"))
    return nuggets


def _parted(line: str) -> tuple[str, str]:
    """A nugget's own question, if it has one, and its fact."""
    question, mark, text = line.partition("? ")
    return (f"{question}?", text.strip()) if mark and text.strip() else ("", line)


def _check(
    topic: Topic, nuggets: Sequence[DraftedNugget], draft: Draft
) -> Asking[list[DraftedNugget]]:
    index = _Words(topic.passages)
    likest = {nugget: index.likest(nugget) for nugget in nuggets}
    said: dict[DraftedNugget, list[Source]] = {nugget: [] for nugget in nuggets}
    failed: dict[DraftedNugget, str] = {}
    for part in (slice(CHECKED), slice(CHECKED, MOST_CHECKED)):
        requests = {
            (nugget, source): _supports(source, nugget)
            for nugget, some in likest.items()
            if not said[nugget]
            for source in some[part]
        }
        replies = (yield list(dict.fromkeys(requests.values()))) if requests else {}
        for (nugget, source), request in requests.items():
            reply = replies[request]
            if not isinstance(reply, Verdict):
                failed[nugget] = reply.reason
            elif reply.yes:
                said[nugget].append(source)
    kept = []
    for nugget, sources in said.items():
        if sources:
            kept.append(_with_source(nugget, sources, topic))
        elif nugget in failed:
            # What could not be checked is not unsupported: it stays, without references.
            draft.failures.append(f"not checked: {nugget.statement!r:.80}: {failed[nugget]}")
            kept.append(nugget)
        else:
            draft.dropped.append(nugget.statement)
    return kept


def _supports(source: Source, nugget: DraftedNugget) -> JudgeRequest:
    if nugget.question:
        return Relevant(source, nugget.question, nugget.text)
    return Entails((source,), nugget.text)


def _yes(reply: Said) -> bool:
    return isinstance(reply, Verdict) and reply.yes


def _with_source(nugget: DraftedNugget, said: Sequence[Source], topic: Topic) -> DraftedNugget:
    """The nugget with the documents that say it and the sentence that is likest to it."""
    wanted = set(porter_stems(nugget.statement))
    found = [
        (len(wanted & set(porter_stems(sentence))), -place, -number, sentence, source)
        for place, source in enumerate(said)
        for number, sentence in enumerate(_sentences(source, topic))
    ]
    references = [source.id for source in said if source.id not in topic.cites]
    *_, sentence, source = max(found, default=(0, 0, 0, "", said[0]))
    for one in said:
        cited = topic.cites.get(one.id, {})
        best = max(cited, key=lambda text: len(wanted & set(porter_stems(text))), default="")
        references += cited.get(best, ())
    return replace(
        nugget,
        references=tuple(dict.fromkeys(references)),
        passage=source.id,
        sentence=sentence,
    )


def _sentences(source: Source, topic: Topic) -> Sequence[str]:
    return list(topic.cites[source.id]) if source.id in topic.cites else sentences(source.text)


def _merge(nuggets: Sequence[DraftedNugget], draft: Draft) -> Asking[list[DraftedNugget]]:
    kept: list[DraftedNugget] = []
    for nugget in nuggets:
        words = Counter(porter_stems(nugget.statement))
        place, alike = max(
            (
                (n, _alike(words, Counter(porter_stems(one.statement))))
                for n, one in enumerate(kept)
            ),
            key=lambda pair: pair[1],
            default=(0, 0.0),
        )
        same = alike == 1.0
        if not same and alike >= ALIKE:
            one, other = kept[place].statement, nugget.statement
            pair = [Entails((Source("a", one),), other), Entails((Source("b", other),), one)]
            replies = yield pair
            same = all(_yes(replies[request]) for request in pair)
        if not same:
            kept.append(nugget)
            continue
        first = kept[place]
        draft.merged.append((nugget.statement, first.statement))
        kept[place] = replace(
            first,
            importance="vital" if "vital" in (first.importance, nugget.importance) else "okay",
            references=tuple(dict.fromkeys((*first.references, *nugget.references))),
        )
    return kept


def _alike(one: Counter[str], other: Counter[str]) -> float:
    """The words that two nuggets share, of those that either has."""
    either = (one | other).total()
    return (one & other).total() / either if either else 0.0


class _Words:
    """The words of passages, rare ones counting more."""

    def __init__(self, passages: Sequence[Source]) -> None:
        self._passages = [(source, frozenset(porter_stems(source.text))) for source in passages]
        self._in = Counter(word for _, words in self._passages for word in words)

    def likest(self, nugget: DraftedNugget) -> list[Source]:
        """The passages that share most words with a nugget; words of its fact count more
        than those of its question."""
        wanted, fact = set(porter_stems(nugget.statement)), set(porter_stems(nugget.text))
        scored = [
            sum((1 + 2 * (word in fact)) / self._in[word] for word in wanted & words)
            for _, words in self._passages
        ]
        ranked = sorted(range(len(scored)), key=lambda place: (-scored[place], place))
        return [self._passages[place][0] for place in ranked[:MOST_CHECKED]]
