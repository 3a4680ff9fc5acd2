"""The prompt of a question: documents for its setting, demonstrations, and a token budget.

Documents that a question lists are shown whole, in their order; where it lists none, the best passages
that retrieval finds. As many are shown as fit into the context together with the reply, counted at three
bytes a token, which is more tokens than any tokenizer of today makes of such text. What does not fit is
left out and counted, and a prompt that is too long without any document is an error: no prompt is cut.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from argue_bench.baselines.demonstrations import Demonstrations
from argue_bench.baselines.document_access import DocumentAccess, Setting
from argue_bench.baselines.forms import IRRELEVANT, PromptDocument, PromptForm
from argue_bench.errors import UsageError
from argue_bench.loaders.dataset import Dataset
from argue_bench.models.transport import ChatRequest, Message
from argue_bench.records import Document, Question
from argue_bench.retrieval import Passage

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
        self.form, self.options, self._dataset = form, options, dataset
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
        messages = self.form.messages(question, documents, self.setting, turns)
        if self._room(messages) >= 0:
            return QuestionPrompt(
                question, ChatRequest(messages, self.max_tokens), tuple(documents)
            )
        room = self._room(self.form.messages(question, (), self.setting, turns))
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
        messages = self.form.messages(question, shown, self.setting, turns)
        left_out = len(documents) - len(shown)
        return QuestionPrompt(
            question, ChatRequest(messages, self.max_tokens), tuple(shown), left_out
        )

    def _room(self, messages: Sequence[Message]) -> int:
        """Bytes that still fit beside these messages and the reply; negative if they do not fit."""
        return (self.options.context - self.max_tokens) * BYTES_A_TOKEN - _size(messages)

    def _whole_documents(self, question: Question, cut: bool = True) -> list[Document]:
        """The question's documents or those of its best passages; ``cut`` to as many as are shown."""
        if self.setting == "evidenceprovided" and question.documents:
            listed = list(self._documents.documents(question).values())
            return listed[: self._listed] if cut else listed
        ids = dict.fromkeys(p.document for p in self._documents.best(question, 3 * self._found))
        return [self._dataset.documents[id] for id in list(ids)[: self._found]]

    def _select(self, question: Question, shortened: Mapping[str, str]) -> list[PromptDocument]:
        listed = self.setting == "evidenceprovided" and question.documents
        if self.form.reads == "text" and not listed:
            return [
                PromptDocument(
                    n,
                    one.document,
                    one.title,
                    one.content.strip(),
                    self._documents.document(one.document).date,
                )
                for n, one in enumerate(self._passages(question), 1)
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
