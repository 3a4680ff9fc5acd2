"""The prompt of a question: documents for its setting, demonstrations, and a token budget.

Documents that a question lists are shown whole, in their order; where it lists none, the best passages
that retrieval finds. As many are shown as fit into the context together with the reply, counted at three
bytes a token, which is more tokens than any tokenizer of today makes of such text. What does not fit is
left out and counted, and a prompt that is too long without any document is an error: no prompt is cut.

Demonstrations are earlier turns of the conversation, drawn from questions with gold. The answer shown is
the question's long answer. Where there is none it is made of the gold: nuggets, one a line, citing the
documents that attest them; FanOutQA's structured answer in the layout that its form asks for; short
answers; for a question without an answer the refusal that the form asks for. Where the form wants
citations, an answer without any (ALCE's gold has none) would teach the contrary and is not shown. Beside
the documents that the answer cites, some others of its question are shown.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from argue_bench.baselines.document_access import DocumentAccess, Setting
from argue_bench.baselines.forms import IRRELEVANT, REFUSAL, PromptDocument, PromptForm
from argue_bench.errors import UsageError
from argue_bench.loaders.dataset import Dataset
from argue_bench.models.transport import ChatRequest, Message
from argue_bench.records import Document, Nugget, Question
from argue_bench.records.question import Structured
from argue_bench.retrieval import Passage
from argue_bench.text import CitationIndex, find_marks

BYTES_A_TOKEN = 3
PASSAGES = 10
SHORTENED = 200
"""Tokens of a summary or extraction, at most."""
_FRAME = 60
"""Bytes that a message or document takes beside its text, at most."""
_SHORTEN = {
    "summary": "Summarise what the document says that helps to answer the question, in at most three "
    "sentences of your own. Add nothing that it does not say.",
    "extraction": "Copy from the document, word for word, the shortest parts that help to answer the "
    "question, at most three sentences in all.",
}
_OTHERS = 2
"""Documents shown beside the cited ones, unless the user gives a number."""


@dataclass(frozen=True)
class PromptOptions:
    """The user's options. ``ndoc`` None and ``max_tokens`` 0 mean the form's own. Raises UsageError."""

    ndoc: int | None = None
    shot: int = 0
    seed: int = 42
    max_tokens: int = 0
    context: int = 16_384

    def __post_init__(self) -> None:
        if min(self.shot, self.max_tokens, self.ndoc or 0) < 0 or self.context < 1:
            raise UsageError("--ndoc, --shot and --max-tokens are 0 or more, --context 1 or more")


@dataclass(frozen=True)
class QuestionPrompt:
    """A question with its prompt. ``left_out``: the number of documents that did not fit."""

    question: Question
    request: ChatRequest
    documents: tuple[PromptDocument, ...]
    left_out: int = 0


class Prompter:
    """Writes the prompts of one data set in one setting.

    ``pool``: questions with gold and documents, from which demonstrations are drawn. Raises
    UsageError: too few of them, a setting without documents, a form that shortens what the set lacks.
    """

    def __init__(
        self,
        dataset: Dataset,
        setting: Setting,
        form: PromptForm,
        options: PromptOptions = PromptOptions(),
        pool: Dataset | None = None,
        index: Path | None = None,
    ) -> None:
        self.form, self.options, self.dataset = form, options, dataset
        self.setting: Setting = setting
        self.max_tokens = options.max_tokens or form.max_tokens
        ndoc = form.ndoc if options.ndoc is None else options.ndoc
        # A form's ndoc of 0 means all documents; the user's 0 means none.
        self._listed, self._found = (ndoc or None, ndoc or PASSAGES)
        if options.ndoc == 0:
            self._listed = self._found = 0
        if form.reads != "text" and not dataset.documents and setting != "closedbook":
            raise UsageError(
                f"form {form.name} shows a {form.reads} of each document, and {dataset.name} has no "
                "documents of its own; take a form that shows their text, or --reads text"
            )
        self._documents = DocumentAccess(dataset, setting, index=index)
        self._demonstrations = (
            Demonstrations(pool, form, setting, options.shot, options.seed, options.ndoc)
            if options.shot and form.shortens
            else None
        )

    def shortening(self, question: Question) -> list[tuple[str, ChatRequest]]:
        """Documents that lack the shortened text that the form shows: id and request for it.

        Raises UsageError: a document too long for the context.
        """
        if self.form.reads == "text" or not self.form.shortens:
            return []
        return [
            (document.id, self._shorten(question, document))
            for document in self._whole_documents(question)
            if getattr(document, self.form.reads) is None
        ]

    def prompt(
        self, question: Question, shortened: Mapping[str, str] | None = None
    ) -> QuestionPrompt:
        """The question's prompt. ``shortened``: texts by document id, for those that lack one.

        Raises UsageError: too long without a document; DataError: Wikipedia out of reach.
        """
        documents = self._select(question, shortened or {})
        turns = self._demonstrations.turns(question) if self._demonstrations is not None else ()
        request = self._request(question, documents, turns)
        if self._room(request) >= 0:
            return QuestionPrompt(question, request, tuple(documents))
        room = self._room(self._request(question, (), turns))
        if room < 0:
            needed = self.options.context - self.max_tokens - room // BYTES_A_TOKEN
            raise UsageError(
                f"{question.id}: the prompt may need {needed:,} tokens before any document, and with "
                f"{self.max_tokens:,} for the reply that is more than --context "
                f"{self.options.context:,}. Take a larger context, fewer --shot or --max-tokens."
            )
        shown: list[PromptDocument] = []
        for one in documents:
            size = len(one.text.encode()) + len(one.title.encode()) + _FRAME
            if size <= room:
                room -= size
                shown.append(PromptDocument(len(shown) + 1, one.id, one.title, one.text, one.date))
        request = self._request(question, shown, turns)
        return QuestionPrompt(question, request, tuple(shown), len(documents) - len(shown))

    def _request(
        self, question: Question, documents: Sequence[PromptDocument], turns: Sequence[Message]
    ) -> ChatRequest:
        messages = self.form.messages(question, documents, self.setting, turns)
        return ChatRequest(messages, self.max_tokens)

    def _room(self, request: ChatRequest) -> int:
        """The bytes left beside the request and the reply; negative if they do not fit."""
        return (self.options.context - self.max_tokens) * BYTES_A_TOKEN - _size(request.messages)

    def _whole_documents(self, question: Question, cut: bool = True) -> list[Document]:
        """The question's documents, or the documents of its best passages; ``cut`` to the number shown."""
        if self.setting == "evidenceprovided" and question.documents:
            listed = list(self._documents.documents(question).values())
            return listed[: self._listed] if cut else listed
        ids = dict.fromkeys(p.document for p in self._documents.best(question, 3 * self._found))
        return [self.dataset.documents[id] for id in list(ids)[: self._found]]

    def _select(self, question: Question, shortened: Mapping[str, str]) -> list[PromptDocument]:
        listed = self.setting == "evidenceprovided" and question.documents
        if self.form.reads == "text" and not listed:
            passages = self._passages(question)
            dates = [self._documents.document(one.document).date for one in passages]
            return [
                PromptDocument(n, one.document, one.title, one.content.strip(), date)
                for n, (one, date) in enumerate(zip(passages, dates, strict=True), 1)
            ]
        whole = self._whole_documents(question, cut=self.form.shortens)
        selected = self.form.select_documents(whole, shortened)[: self._listed]
        return [
            PromptDocument(n, one.id, one.title, text, one.date)
            for n, (one, text) in enumerate(selected, 1)
        ]

    def _passages(self, question: Question) -> list[Passage]:
        """The best passages without repetitions, which occur where questions bring the same documents."""
        best: dict[tuple[str, str], Passage] = {}
        for k in (self._found, 10 * self._found):
            found = self._documents.best(question, k)
            for one in found:
                best.setdefault((one.title, one.content.strip()), one)
            if len(best) == len(found):
                break
        return list(best.values())[: self._found]

    def _shorten(self, question: Question, document: Document) -> ChatRequest:
        system = (
            f"{_SHORTEN[self.form.reads]} If nothing in it helps, reply with the one word "
            f"{IRRELEVANT}."
        )
        user = f"Question: {question.text}\n\nTitle: {document.title}\nDocument: {document.text}"
        messages = (Message("system", system), Message("user", user))
        if (needed := SHORTENED + -(-_size(messages) // BYTES_A_TOKEN)) > self.options.context:
            raise UsageError(
                f"{question.id}: to shorten document {document.id} may take {needed:,} tokens, more "
                f"than --context {self.options.context:,}. Take a larger context, or --reads text."
            )
        return ChatRequest(messages, SHORTENED)


def _size(messages: Sequence[Message]) -> int:
    """Bytes that the messages may take in a prompt."""
    return sum(len(message.text.encode()) + _FRAME for message in messages)


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
        there = len({same_words(question.text) for question in usable})
        if pool is None or there <= shot:
            what = "an answer that cites" if cites else "an answer to show"
            more = f". ALCE's demonstrations are in its prompt files: --prompt {_prompt_file(form, pool)}"
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
        """The earlier turns of the conversation; the question itself is never among them."""
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
        marks = find_marks(answer, _index_of(pool, question))
        cited = {name for mark in marks for name in mark.names}
        if not cited and question.gold is not None:
            cited = {id for id in question.gold.supporting if id in question.documents}
        ids = question.documents or sorted(cited)
        own = {id: pool.documents[id] for id in ids if id in pool.documents}
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
    """The text without case and extra white space: questions that are equal in this form
    count as one."""
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
    """One item on each line; for a mapping the name, a colon and the fact."""
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


def _prompt_file(form: PromptForm, pool: Dataset | None) -> str:
    """The file of ALCE's repository that asks what one of our ``alce-`` forms asks."""
    name = "" if pool is None else pool.name
    kind = name.removeprefix("alce-") if name.startswith("alce-") else "asqa"
    last = form.name.removeprefix("alce-")
    endings = {"summary": "sum_or_ext", "snippet": "sum_or_ext", "closedbook": "closedbook"}
    return f"{kind}_{endings.get(last, 'default')}.json (princeton-nlp/ALCE, folder prompts)"
