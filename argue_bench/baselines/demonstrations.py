"""What does a good answer look like? Earlier turns of the conversation, drawn from questions with gold.

The answer shown is the question's long answer where it has one. Where there is none it is made of what the
gold has: nuggets, a line each, citing the documents that attest them; FanOutQA's structured answer, as its
form asks for it; short answers; for a question that has no answer the refusal that the form asks for. Where
the form wants citations, an answer without any (ALCE's gold has none) would teach the contrary and is not
shown. Beside the documents that it cites some others of its question are shown.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

from argue_bench.baselines.base import Setting
from argue_bench.baselines.forms import REFUSAL, Form, Shown
from argue_bench.errors import UsageError
from argue_bench.loaders.dataset import Dataset
from argue_bench.models.transport import Message
from argue_bench.records import Document, Nugget, Question
from argue_bench.records.gold import Structured
from argue_bench.text import CitationIndex, find_marks

Turns = tuple[Message, Message]
_OTHERS = 2
"""Documents beside the cited ones, where nothing is said of their number."""


class Demonstrations:
    """``shot`` of them for every question, drawn by ``seed`` from ``pool``, never the question asked.

    ``ndoc`` is the number of documents that each shows, None for those that it cites and two more. Raises
    UsageError where the pool has too few.
    """

    def __init__(
        self,
        pool: Dataset | None,
        form: Form,
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
        texts = {_same(question) for question in usable}
        if len(texts) <= shot or pool is None:
            what = "an answer that cites" if cites else "an answer to show"
            raise UsageError(
                f"--shot {shot} needs more than {shot} questions with {what}, and there are {len(texts)}"
                + (
                    " (ALCE's demonstrations are in its prompt files: --prompt FILE.json)"
                    if cites
                    else ""
                )
            )
        # As many as are surely enough, however often the question asked is among them.
        drawn = random.Random(seed).sample(usable, len(usable))
        self._turns = [(one, self._of(one, pool)) for one in self._first(drawn)]

    def _first(self, drawn: Sequence[Question]) -> Iterator[Question]:
        """Questions of different words, one more than are shown."""
        seen: dict[str, Question] = {}
        for question in drawn:
            seen.setdefault(_same(question), question)
        yield from list(seen.values())[: self._shot + 1]

    def turns(self, question: Question) -> list[Message]:
        """The earlier turns of this question's conversation."""
        same = _same(question)
        others = [
            turns for one, turns in self._turns if one.id != question.id and _same(one) != same
        ]
        return [message for turns in others[: self._shot] for message in turns]

    def _of(self, question: Question, pool: Dataset) -> Turns:
        answer = long_answer(question)
        shown = [] if self._setting == "closedbook" else self._shown(question, answer, pool)
        asked = self._form.messages(question, shown, self._setting)[-1]
        if self._form.cites == "titles":
            asked = Message("user", _with_context(asked.text, shown, question.language))
        return asked, Message("assistant", _by_number(answer, shown, self._form))

    def _shown(self, question: Question, answer: str, pool: Dataset) -> list[Shown]:
        """The documents that the answer cites and others of the question."""
        if self._ndoc == 0:
            return []
        cited = {
            name for mark in find_marks(answer, _index_of(pool, question)) for name in mark.names
        }
        if not cited and question.gold is not None:
            cited = {id for id in question.gold.supporting if id in question.documents}
        ids = question.documents or sorted(id for id in cited if id in pool.documents)
        own = {id: pool.documents[id] for id in ids if id in pool.documents}
        most = len(cited) + _OTHERS if self._ndoc is None else self._ndoc
        others = [id for id in own if id not in cited][: max(0, most - len(cited & set(own)))]
        kept = [document for id, document in own.items() if id in cited or id in others]
        return [
            Shown(n, one.id, one.title, self._text(one), one.date) for n, one in enumerate(kept, 1)
        ]

    def _text(self, document: Document) -> str:
        return getattr(document, self._form.reads) or document.text


def long_answer(question: Question) -> str:
    """An answer to show, citing by id; nothing where the gold has none."""
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
    """What a nugget asks and its answers, with a document for each that has one."""
    asked = nugget.question.rstrip(" ?")
    if not nugget.answers:
        return f"{asked}: this cannot be found out." if asked else ""
    chosen = nugget.answers if nugget.combine == "all" else nugget.answers[:1]
    said = " and ".join(answer.text.strip().rstrip(".") for answer in chosen)
    cited = dict.fromkeys(answer.references[0] for answer in chosen if answer.references)
    marks = "".join(f"[{id}]" for id in cited)
    return f"{asked}: {said} {marks}".rstrip() + "."


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
    listed = {id: pool.documents[id].title for id in question.documents if id in pool.documents}
    cited = {
        id
        for nugget in (question.gold.nuggets if question.gold else ())
        for answer in nugget.answers
        for id in answer.references
    }
    return CitationIndex.of({**listed, **dict.fromkeys(sorted(cited), "")}, listed)


def _with_context(asked: str, shown: Sequence[Shown], language: str) -> str:
    """A form whose context stands in the system role shows a demonstration's in its own turn."""
    word = "Contexte" if language == "fr" else "Context"
    context = "\n\n".join(f"[{one.title or one.id}]\n{one.text}" for one in shown)
    return (
        f"{word} :\n\n{context}\n\n{asked}"
        if language == "fr"
        else f"{word}:\n\n{context}\n\n{asked}"
    )


def _by_number(answer: str, shown: Sequence[Shown], form: Form) -> str:
    """The answer as the form wants its citations."""
    numbers = {one.id: one.number for one in shown}
    index = CitationIndex.of(numbers, [one.title for one in shown])
    pieces: list[str] = []
    at = 0
    for mark in find_marks(answer, index):
        named = [f"[{numbers[name]}]" for name in mark.names if name in numbers]
        pieces += [answer[at : mark.start], "".join(named) if form.cites == "numbers" else ""]
        at = mark.end
    text = "".join([*pieces, answer[at:]]).strip()
    if form.cites == "titles":
        quoted = next((one for one in shown if text in one.text), None)
        return f'<ref name="{quoted.title}">{text}</ref>' if quoted and quoted.title else text
    return text.replace(" .", ".")


def _same(question: Question) -> str:
    return " ".join(question.text.split()).casefold()
