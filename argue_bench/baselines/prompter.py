"""The prompt of a question: documents for its setting, demonstrations, and a token budget.

Documents that a question lists are shown whole, in their order; where it lists none, the best passages
that retrieval finds. As many are shown as fit into the context together with the reply, counted at three
bytes a token, which is more tokens than any tokenizer of today makes of such text. What does not fit is
left out and counted, and a prompt that is too long without any document is an error: no prompt is cut.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from argue_bench.baselines.document_access import DocumentAccess, Setting
from argue_bench.baselines.forms import PromptDocument, PromptForm
from argue_bench.errors import UsageError
from argue_bench.loaders.dataset import Dataset
from argue_bench.models.transport import ChatRequest, Message
from argue_bench.records import Document, Question
from argue_bench.retrieval import Passage

# English has some four bytes to a token; three leaves room for names, numbers and other languages.
BYTES_A_TOKEN = 3
# How many passages are found where neither the form nor the user says it.
PASSAGES = 10
# Bytes that a message or document takes beside its text, at most.
_FRAME = 60


@dataclass(frozen=True)
class PromptOptions:
    """The user's options. ``ndoc`` None and ``max_tokens`` 0 mean the form's own. Raises UsageError."""

    ndoc: int | None = None
    max_tokens: int = 0
    context: int = 16_384

    def __post_init__(self) -> None:
        if min(self.max_tokens, self.ndoc or 0) < 0 or self.context < 1:
            raise UsageError("--ndoc and --max-tokens are 0 or more, --context 1 or more")


@dataclass(frozen=True)
class QuestionPrompt:
    """A question with its prompt. ``left_out``: the number of documents that did not fit."""

    question: Question
    request: ChatRequest
    documents: tuple[PromptDocument, ...]
    left_out: int = 0


class Prompter:
    """Writes the prompts of one data set in one setting.

    Raises UsageError: a setting
    without documents, a form that shows what the documents of the set lack.
    """

    def __init__(
        self,
        dataset: Dataset,
        setting: Setting,
        form: PromptForm,
        options: PromptOptions = PromptOptions(),
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
        self._documents = DocumentAccess(dataset, setting)

    def prompt(self, question: Question) -> QuestionPrompt:
        """The question's prompt.

        Raises UsageError: too long without a document; DataError: Wikipedia out of reach.
        """
        documents = self._select(question)
        request = self._request(question, documents)
        if self._room(request) >= 0:
            return QuestionPrompt(question, request, tuple(documents))
        room = self._room(self._request(question, ()))
        if room < 0:
            needed = self.options.context - self.max_tokens - room // BYTES_A_TOKEN
            raise UsageError(
                f"{question.id}: the prompt may need {needed:,} tokens before any document, and with "
                f"{self.max_tokens:,} for the reply that is more than --context "
                f"{self.options.context:,}. Take a larger context or fewer --max-tokens."
            )
        shown: list[PromptDocument] = []
        for one in documents:
            size = len(one.text.encode()) + len(one.title.encode()) + _FRAME
            if size <= room:
                room -= size
                shown.append(PromptDocument(len(shown) + 1, one.id, one.title, one.text, one.date))
        request = self._request(question, shown)
        return QuestionPrompt(question, request, tuple(shown), len(documents) - len(shown))

    def _request(self, question: Question, documents: Sequence[PromptDocument]) -> ChatRequest:
        messages = self.form.messages(question, documents, self.setting)
        return ChatRequest(messages, self.max_tokens)

    def _room(self, request: ChatRequest) -> int:
        """The bytes left beside the request and the reply; negative if they do not fit."""
        return (self.options.context - self.max_tokens) * BYTES_A_TOKEN - _size(request.messages)

    def _whole_documents(self, question: Question) -> list[Document]:
        """The question's documents, or the documents of its best passages."""
        if self.setting == "evidenceprovided" and question.documents:
            return list(self._documents.documents(question).values())
        ids = dict.fromkeys(p.document for p in self._documents.best(question, 3 * self._found))
        return [self.dataset.documents[id] for id in list(ids)[: self._found]]

    def _select(self, question: Question) -> list[PromptDocument]:
        listed = self.setting == "evidenceprovided" and question.documents
        if self.form.reads == "text" and not listed:
            passages = self._passages(question)
            dates = [self._documents.document(one.document).date for one in passages]
            return [
                PromptDocument(n, one.document, one.title, one.content.strip(), date)
                for n, (one, date) in enumerate(zip(passages, dates, strict=True), 1)
            ]
        whole = self._whole_documents(question)
        selected = self.form.select_documents(whole)[: self._listed]
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


def _size(messages: Sequence[Message]) -> int:
    """Bytes that the messages may take in a prompt."""
    return sum(len(message.text.encode()) + _FRAME for message in messages)
