"""Demonstrations: earlier turns of the conversation, drawn from questions with gold.

The answer shown is the question's long answer. Where there is none it is made of the gold: nuggets, one a
line, citing the documents that attest them; FanOutQA's structured answer in the layout that its form asks
for; short answers; for a question without an answer the refusal that the form asks for. Where the form
wants citations, an answer without any (ALCE's gold has none) would teach the contrary and is not shown.
Beside the documents that the answer cites, some others of its question are shown.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

from argue_bench.baselines.document_access import Setting
from argue_bench.baselines.forms import REFUSAL, PromptDocument, PromptForm
from argue_bench.errors import UsageError
from argue_bench.loaders.dataset import Dataset
from argue_bench.models.transport import Message
from argue_bench.records import Document, Nugget, Question
from argue_bench.records.question import Structured
from argue_bench.text import CitationIndex, find_marks

_OTHERS = 2
"""Documents shown beside the cited ones, unless the user gives a number."""


class Demonstrations:
    """``shot`` demonstrations for every question, drawn by ``seed`` from ``pool``.

    ``ndoc``: the number of documents that each shows; None means those that it cites and two more.
    Raises UsageError where the pool has too few.
    """

    def __init__(
        self,
        pool: Dataset | None,
        form: PromptForm,
        setting: Setting,
        shot: int,
        seed: int,
        ndoc: int | None = None,
    ) -> None:
        self._form, self._setting, self._shot, self._ndoc = form, setting, shot, ndoc
        cites = form.cites == "numbers" and setting != "closedbook"
        usable = [
            question
            for question in pool or ()
            if (answer := long_answer(question))
            and (not cites or pool is None or find_marks(answer, _index_of(pool, question)))
        ]
        if pool is None or len({same_words(q.text) for q in usable}) <= shot:
            what = "an answer that cites" if cites else "an answer to show"
            there = len({same_words(q.text) for q in usable})
            more = " (ALCE's demonstrations are in its prompt files: --prompt FILE.json)"
            raise UsageError(
                f"--shot {shot} needs more than {shot} questions with {what}, and there are {there}"
                + (more if cites else "")
            )
        # One more than are shown, each of other words: the question itself may be among them.
        chosen: dict[str, Question] = {}
        for question in random.Random(seed).sample(usable, len(usable)):
            chosen.setdefault(same_words(question.text), question)
        self._turns = [(one, self._turns_of(one, pool)) for one in [*chosen.values()][: shot + 1]]

    def turns(self, question: Question) -> list[Message]:
        """The earlier turns of this question's conversation; it is never among them itself."""
        words = same_words(question.text)
        others = [
            turns
            for one, turns in self._turns
            if one.id != question.id and same_words(one.text) != words
        ]
        return [message for turns in others[: self._shot] for message in turns]

    def _turns_of(self, question: Question, pool: Dataset) -> tuple[Message, Message]:
        answer = long_answer(question)
        shown = [] if self._setting == "closedbook" else self._select(question, answer, pool)
        asked = self._form.messages(question, shown, self._setting)[-1]
        if self._form.cites == "titles":
            # This form's context is part of the system message, which a demonstration does not have.
            head = "Contexte :" if question.language == "fr" else "Context:"
            context = "\n\n".join(f"[{one.title or one.id}]\n{one.text}" for one in shown)
            asked = Message("user", f"{head}\n\n{context}\n\n{asked.text}")
        return asked, Message("assistant", _by_number(answer, shown, self._form))

    def _select(self, question: Question, answer: str, pool: Dataset) -> list[PromptDocument]:
        """The documents that the answer cites and others of the question."""
        if self._ndoc == 0:
            return []
        cited = {
            name for mark in find_marks(answer, _index_of(pool, question)) for name in mark.names
        }
        if not cited and question.gold is not None:
            cited = {id for id in question.gold.supporting if id in question.documents}
        ids = question.documents or sorted(cited)
        own: dict[str, Document] = {id: pool.documents[id] for id in ids if id in pool.documents}
        most = len(cited) + _OTHERS if self._ndoc is None else self._ndoc
        others = [id for id in own if id not in cited][: max(0, most - len(cited & set(own)))]
        kept = [document for id, document in own.items() if id in cited or id in others]
        return [
            PromptDocument(
                n, one.id, one.title, getattr(one, self._form.reads) or one.text, one.date
            )
            for n, one in enumerate(kept, 1)
        ]


def same_words(text: str) -> str:
    """The text without differences of case and blanks: questions alike in it count as one."""
    return " ".join(text.split()).casefold()


def long_answer(question: Question) -> str:
    """An answer to show, citing by id; empty where the gold has none."""
    gold = question.gold
    if gold is None:
        return ""
    if gold.long_answers:
        return gold.long_answers[0]
    if gold.nuggets:
        return " ".join(filter(None, map(_sentence, gold.nuggets)))
    if not gold.answerable:
        return REFUSAL.get(question.language, REFUSAL["en"])
    if gold.answer is not None:
        return "\n".join(_lines(gold.answer))
    return ", ".join(pair.answers[0] for pair in gold.short_answers if pair.answers)


def _sentence(nugget: Nugget) -> str:
    """A nugget's question and answers, with one document for each answer that has any."""
    asked = nugget.question.rstrip(" ?")
    if not nugget.answers:
        return f"{asked}: this cannot be found out." if asked else ""
    chosen = nugget.answers if nugget.combine == "all" else nugget.answers[:1]
    said = " and ".join(answer.text.strip().rstrip(".") for answer in chosen)
    cited = dict.fromkeys(answer.references[0] for answer in chosen if answer.references)
    return f"{asked}: {said} {''.join(f'[{id}]' for id in cited)}".rstrip() + "."


def _lines(value: Structured) -> list[str]:
    """An item a line; of a mapping the name, a colon and the fact."""
    if isinstance(value, dict):
        return [f"{name}: {', '.join(_lines(fact))}" for name, fact in value.items()]
    if isinstance(value, tuple):
        return [", ".join(_lines(one)) for one in value]
    if isinstance(value, bool):
        return ["yes" if value else "no"]
    return [] if value is None else [str(value)]


def _index_of(pool: Dataset, question: Question) -> CitationIndex:
    """The ids and titles that an answer to the question may cite."""
    listed = {id: pool.documents[id].title for id in question.documents if id in pool.documents}
    cited = {
        id
        for nugget in (question.gold.nuggets if question.gold else ())
        for answer in nugget.answers
        for id in answer.references
    }
    return CitationIndex.of({**listed, **dict.fromkeys(sorted(cited), "")}, listed)


def _by_number(answer: str, shown: Sequence[PromptDocument], form: PromptForm) -> str:
    """The answer with its citations as the form wants them."""
    numbers = {one.id: one.number for one in shown}
    pieces: list[str] = []
    at = 0
    for mark in find_marks(answer, CitationIndex.of(numbers, [one.title for one in shown])):
        named = [f"[{numbers[name]}]" for name in mark.names if name in numbers]
        pieces += [answer[at : mark.start], "".join(named) if form.cites == "numbers" else ""]
        at = mark.end
    text = "".join([*pieces, answer[at:]]).strip()
    if form.cites == "titles":
        quoted = next((one for one in shown if text in one.text), None)
        return f'<ref name="{quoted.title}">{text}</ref>' if quoted and quoted.title else text
    return text.replace(" .", ".")
