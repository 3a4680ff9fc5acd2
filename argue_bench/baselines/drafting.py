"""Nuggets drafted by a judge from documents or reports, for people to edit.

In four parts: what is read for each topic; the steps of one topic as judge requests; all topics with a judge
and a store, and what that would cost; drafts as gold, and the file that people edit.
"""

from __future__ import annotations

import asyncio
import hashlib
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import Field

from argue_bench.errors import Code, DataError
from argue_bench.eval.driver import Asking, run_steps
from argue_bench.judges import Judge, JudgeFunction, as_judge
from argue_bench.judges.base import Amount
from argue_bench.judges.prompted import Prompted
from argue_bench.loaders.banks import write_topics
from argue_bench.loaders.core import load_folder, replace_nuggets
from argue_bench.loaders.dataset import Dataset
from argue_bench.loaders.findings import Findings
from argue_bench.records import (
    Answer,
    Document,
    DraftNuggets,
    Entails,
    Gold,
    JudgeRequest,
    Nugget,
    NuggetAnswer,
    NuggetImportance,
    Question,
    Relevant,
    Source,
    Verdict,
)
from argue_bench.records.atomic import write_lines
from argue_bench.records.grouping import grouped
from argue_bench.records.untrusted import GOLD_LIMITS, read_lines
from argue_bench.records.validation import Expect, strict, validate
from argue_bench.retrieval import Corpus
from argue_bench.text import sentences
from argue_bench.text.overlap import porter_stems

# The passages that nuggets are drafted from: documents of a question, or reports of several
# systems on it.

# Documents that are looked up for a question which lists none.
FOUND = 20


@dataclass(frozen=True)
class Topic:
    """A question and the passages that are read for it, in their order.

    ``cites``: by passage, what each of its sentences cites; those documents are then a nugget's
    references, in place of the passage itself.
    """

    id: str
    question: str
    passages: tuple[Source, ...]
    cites: Mapping[str, Mapping[str, tuple[str, ...]]] = field(default_factory=dict)


def topics_of(dataset: Dataset, found: int = FOUND) -> list[Topic]:
    """A topic for each question of a data set, with the documents that it lists.

    A question that lists none gets the ``found`` documents that BM25 ranks first.
    """
    corpus: Corpus | None = None
    topics = []
    for question in dataset:
        ids: Iterable[str] = question.documents
        if not ids and dataset.documents:
            corpus = corpus or Corpus(dataset.documents.values())
            ranked = (one.document for one in corpus.best(_words(question), 5 * found))
            ids = list(dict.fromkeys(ranked))[:found]
        documents = [dataset.documents[id] for id in ids if id in dataset.documents]
        topics.append(Topic(question.id, _words(question), tuple(map(Source.of, documents))))
    return topics


def topics_of_reports(
    questions: Iterable[Question],
    reports: Iterable[Answer],
    documents: Mapping[str, Document] | None = None,
) -> list[Topic]:
    """A topic for each question that a report answers; its passages are the reports, by run.

    A nugget's references are the documents that its sentences cite, where they are in ``documents``
    (anything is, where that is None).
    """
    pooled = grouped((report.id, report) for report in reports)
    topics = []
    for question in questions:
        passages: list[Source] = []
        cites: dict[str, dict[str, tuple[str, ...]]] = {}
        for number, report in enumerate(pooled.get(question.id, ()), 1):
            if report.empty:
                continue
            name = f"{report.run or 'report'}-{number}"
            passages.append(Source(name, report.plain or report.text))
            cites[name] = {
                sentence.plain: tuple(
                    id for id in sentence.citations if documents is None or id in documents
                )
                for sentence in report.sentences
            }
        if passages:
            topics.append(Topic(question.id, _words(question), tuple(passages), cites))
    return topics


def _words(question: Question) -> str:
    """The wording of the question, from the request where it has some."""
    request = question.request
    return (request.problem_statement if request else "") or question.text


# One topic's nuggets: created window by window, rated, checked against the passages, merged.
#
# 1. Passages are read ten at a time. The judge returns the whole list anew, which replaces the one
#    before it; at most 30 are kept (`DraftNuggets`).
# 2. Nuggets are rated vital or okay, ten at a time (`NuggetImportance`).
# 3. Each nugget is checked against the three passages that share most words with it and, where none of
#    these supports it, the next seven: one that none supports is dropped; those that do are its
#    references, and the likest sentence is kept.
# 4. A nugget that says what an earlier one says is merged into it: the same words, or each entails the
#    other.
#
# Steps 1 and 2 are nuggetizer's, with its defaults (Pradeep et al. 2024, section 3; castorini/nuggetizer
# d00dc3e); where a window or rating fails the list stays, or the nugget is okay, as there, and the
# failure is reported. Steps 3 and 4 are ours.

# Nuggets of a topic at most, and passages or nuggets of a request: nuggetizer's defaults.
MOST, WINDOW = 30, 10
# Passages that each nugget is compared with, and those in all where none of the first supports it.
CHECKED, MOST_CHECKED = 3, 10
# Share of words from which two nuggets are compared by the judge.
ALIKE = 0.5
_BULLET = re.compile(r"\A\s*(?:[-*•]|\d{1,2}[.)])\s+")
# A nugget is a sentence; of a longer line of a reply the rest is left out.
_MOST_CHARACTERS = 600
# Characters of a nugget that a person writes; a sentence or a question may have ten times as many.
LONGEST = 2_000
Text = Annotated[str, Field(max_length=10 * LONGEST)]


@strict
@dataclass(frozen=True)
class DraftedNugget:
    """A fact with its importance, the documents that say it, and the sentence it was found in; people edit it."""

    topic: Text
    text: Annotated[
        str,
        Expect(
            f"a text of 1 to {LONGEST:,} characters with a word",
            lambda text: len(text) <= LONGEST and any(map(str.isalnum, text)),
        ),
    ]
    # A question of its own, where the judge gave one; ``text`` answers it.
    question: Text = ""
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
        if isinstance(reply, Verdict):
            lines = list(_lines(str(reply.value)))[:most]
        else:
            draft.failures.append(f"passages {start + 1} to {start + len(window)}: {reply.reason}")
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
            # Its own question, if it has one, and its fact.
            question, mark, text = line.partition("? ")
            question, text = (f"{question}?", text.strip()) if mark and text.strip() else ("", line)
            nuggets.append(DraftedNugget(topic.id, text, question, "vital" if vital else "okay"))
    return nuggets


def _check(
    topic: Topic, nuggets: Sequence[DraftedNugget], draft: Draft
) -> Asking[list[DraftedNugget]]:
    index = _Words(topic.passages)
    likest = {nugget: index.likest(nugget) for nugget in nuggets}
    said: dict[DraftedNugget, list[Source]] = {nugget: [] for nugget in nuggets}
    failed: dict[DraftedNugget, str] = {}
    for part in (slice(CHECKED), slice(CHECKED, MOST_CHECKED)):
        requests = {
            (nugget, source): Relevant(source, nugget.question, nugget.text)
            if nugget.question
            else Entails((source,), nugget.text)
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


def _with_source(nugget: DraftedNugget, said: Sequence[Source], topic: Topic) -> DraftedNugget:
    """The nugget with the documents that say it and the sentence that is likest to it."""
    wanted = set(porter_stems(nugget.statement))
    found = [
        (len(wanted & set(porter_stems(sentence))), -place, -number, sentence, source)
        for place, source in enumerate(said)
        for number, sentence in enumerate(topic.cites.get(source.id) or sentences(source.text))
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
            said = [replies[request] for request in pair]
            same = all(isinstance(one, Verdict) and one.yes for one in said)
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


# Drafts all topics with one judge and stores its replies; estimates the calls that it would take.

# Stands for a nugget that is not there yet, in estimates.
_NUGGET = "a fact of a few words, as long as most are, with its year"


def draft_nuggets(
    topics: Iterable[Topic],
    judge: str | Judge | JudgeFunction = "lexical",
    *,
    store: str | Path | None = None,
    progress: Callable[[Draft], None] = lambda draft: None,
) -> list[Draft]:
    """The drafts of these topics, in order.

    ``judge``: its spec, or a judge; a language model is best. ``store``: where replies are kept, so
    that a run which was interrupted goes on. ``progress`` is given each
    draft as it is done. Raises JudgeError where the judge is lost; what failed for one topic stands
    in its draft.
    """
    made = as_judge(judge)
    with ExitStack() as stack:
        if store is not None:
            from argue_bench.judges.stored import stored

            made = stack.enter_context(stored(made, Path(store)))
        return asyncio.run(run_steps(map(draft_topic, topics), made, progress))


def expected_cost(topics: Sequence[Topic], models: Iterable[Prompted]) -> Amount:
    """What a run may cost at most: every window with a full list, every nugget rated and checked.

    ``models``: the language models of the judge (`judges.prompted.spec.for_estimates`). The price is
    None where it is not known.
    """
    amount = Amount()
    for model in models:
        for topic in topics:
            amount = amount.plus(_cost_of(topic, model))
    return amount


def _cost_of(topic: Topic, model: Prompted) -> Amount:
    full = tuple(f"{_NUGGET} {number}" for number in range(MOST))
    windows: list[JudgeRequest] = [
        DraftNuggets(topic.question, topic.passages[start : start + WINDOW], full if start else ())
        for start in range(0, len(topic.passages), WINDOW)
    ]
    total = model.estimate(windows)
    if not windows:
        return total
    for start in range(0, MOST, WINDOW):
        batch = full[start : start + WINDOW]
        total = total.plus(model.estimate([NuggetImportance(topic.question, one) for one in batch]))
    longest = sorted(topic.passages, key=lambda one: -len(one.text))[:MOST_CHECKED]
    checks = [Entails((one,), text) for text in full for one in longest]
    pairs = [Entails((Source("a", _NUGGET),), text) for text in full[1:] for _ in (0, 1)]
    return total.plus(model.estimate(checks)).plus(model.estimate(pairs))


# Drafts on disk: ``drafts.jsonl`` for people to edit, gold of the core format and nugget files made of it.
#
# A line of drafts.jsonl is one nugget with the sentence that it was found in and its state: "drafted"
# and "accepted" nuggets are gold, "rejected" ones are kept here alone, so that nothing is lost.

DRAFTS, NUGGETS = "drafts.jsonl", "nuggets"


def editable(drafts: Iterable[Draft]) -> list[DraftedNugget]:
    """The nuggets of drafts, and the dropped ones as rejected."""
    found: list[DraftedNugget] = []
    for draft in drafts:
        found += draft.nuggets
        found += [
            DraftedNugget(draft.topic, text, state="rejected")
            for text in dict.fromkeys(draft.dropped)
        ]
    return found


def read_drafts(folder: Path, dataset: Dataset) -> list[DraftedNugget]:
    """The nuggets in drafts.jsonl; where there is no such file, those of the gold, accepted.

    Raises DataError with every finding.
    """
    path = folder / DRAFTS
    if not path.is_file():
        return [
            DraftedNugget(
                question.id,
                answer.text,
                "" if nugget.question == question.text else nugget.question,
                nugget.weight or "okay",
                answer.references,
                state="accepted",
            )
            for question in dataset
            for nugget in (question.gold.nuggets if question.gold else ())
            for answer in nugget.answers
        ]
    found = Findings(path)
    read: list[DraftedNugget] = []
    for line in read_lines(path, GOLD_LIMITS):
        found.extend(line.findings)
        if line.read:
            try:
                read.append(nugget_from_json(line.value, dataset, path, line.number))
            except DataError as error:
                found.extend(error.findings)
    found.raise_errors()
    return read


def nugget_from_json(
    value: Any, dataset: Dataset, file: str | Path = "", line: int | None = None
) -> DraftedNugget:
    """A nugget that a page or a file gives. Raises DataError, saying what is wrong with it."""
    nugget = validate(DraftedNugget, value, Code.WRONG_SHAPE, file, line)
    if nugget.topic not in dataset.by_id:
        raise DataError.of(
            Code.WRONG_SHAPE, f"there is no question {nugget.topic!r:.80}", file, line
        )
    if missing := [id for id in nugget.references if id not in dataset.documents]:
        raise DataError.of(Code.WRONG_SHAPE, f"there is no document {missing[0]!r:.80}", file, line)
    return nugget


class Saved(NamedTuple):
    """How many nuggets are gold now, and the topics whose ids cannot name a nugget file."""

    nuggets: int
    without_file: tuple[str, ...]


def save(folder: Path, nuggets: Sequence[DraftedNugget]) -> Saved:
    """Writes drafts.jsonl, the gold of the topics that it names, and their nugget files (v3).

    Other gold of these questions (answers, claims) stays. Raises DataError.
    """
    dataset = load_folder(folder)
    gold: dict[str, Gold] = {}
    for topic in dict.fromkeys(one.topic for one in nuggets):
        question = dataset.question(topic)
        own = {
            nugget.id: nugget
            for one in nuggets
            if one.topic == topic and one.state != "rejected"
            for nugget in [one.as_nugget(question.text)]
        }
        gold[topic] = replace(question.gold or Gold(), nuggets=tuple(own.values()))
    write_lines(folder / DRAFTS, (asdict(one) for one in nuggets))
    now = replace_nuggets(folder, gold)
    odd = tuple(topic for topic in gold if set(topic) & set("/_\\"))
    write_topics(folder / NUGGETS, (now.question(topic) for topic in gold if topic not in odd))
    return Saved(sum(len(one.nuggets) for one in gold.values()), odd)
