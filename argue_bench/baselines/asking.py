"""Which prompt does a question get? Documents for its setting, demonstrations, and a token budget.

Documents that a question lists are shown whole, in their order; where it lists none, the best passages
that retrieval finds. As many are shown as fit into the context together with the reply, counted at three
bytes a token, which is more than any tokenizer of today takes for such text. What does not fit is left
out and counted, and a prompt that is too long without any is an error: no prompt is ever cut.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from argue_bench.baselines.base import Setting
from argue_bench.baselines.demonstrations import Demonstrations
from argue_bench.baselines.forms import IRRELEVANT, Form, Shown
from argue_bench.baselines.library import Library
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
class Asking:
    """What a user may turn. ``ndoc`` None and ``max_tokens`` 0 are the form's own."""

    ndoc: int | None = None
    shot: int = 0
    seed: int = 42
    max_tokens: int = 0
    context: int = 16_384

    def __post_init__(self) -> None:
        if min(self.shot, self.max_tokens, self.ndoc or 0) < 0 or self.context < 1:
            raise UsageError("--ndoc, --shot and --max-tokens are 0 or more, --context 1 or more")


@dataclass(frozen=True)
class Asked:
    """A question with its prompt. ``left_out``: documents that did not fit."""

    question: Question
    request: ChatRequest
    shown: tuple[Shown, ...]
    left_out: int = 0


class Prompter:
    """Writes the prompts of one data set in one setting.

    ``pool``: questions with gold that demonstrations are drawn from, with their documents. Raises
    UsageError: too few of them, a setting without documents, a form that shortens what the set lacks.
    """

    def __init__(
        self,
        dataset: Dataset,
        setting: Setting,
        form: Form,
        asking: Asking = Asking(),
        pool: Dataset | None = None,
        index: Path | None = None,
    ) -> None:
        self.form, self.asking, self._dataset = form, asking, dataset
        self.setting: Setting = setting
        self.max_tokens = asking.max_tokens or form.max_tokens
        ndoc = form.ndoc if asking.ndoc is None else asking.ndoc
        self._listed, self._found = (ndoc or None, ndoc or PASSAGES)
        if asking.ndoc == 0:
            self._listed = self._found = 0
        if form.reads != "text" and not dataset.documents and setting != "closedbook":
            raise UsageError(
                f"form {form.name} shows a {form.reads} of each document, and {dataset.name} has no "
                "documents of its own; take a form that shows their text, or --reads text"
            )
        self._library = Library(dataset, setting, index=index)
        self._demonstrations = (
            Demonstrations(pool, form, setting, asking.shot, asking.seed, asking.ndoc)
            if asking.shot and form.makes
            else None
        )

    def missing(self, question: Question) -> list[tuple[str, ChatRequest]]:
        """Documents of which the form wants a shortened text that they lack: id and request.

        Raises UsageError: a document too long for the context.
        """
        if self.form.reads == "text" or not self.form.makes:
            return []
        return [
            (document.id, self._shorten(question, document))
            for document in self._documents(question)
            if getattr(document, self.form.reads) is None
        ]

    def asked(self, question: Question, made: Mapping[str, str] | None = None) -> Asked:
        """The question's prompt. ``made``: shortened texts by document id, for those that lack one.

        Raises UsageError: too long without a document; DataError: Wikipedia out of reach.
        """
        documents = self._shown(question, made or {})
        turns = self._demonstrations.turns(question) if self._demonstrations is not None else ()
        messages = self.form.messages(question, documents, self.setting, turns)
        if self._room(messages) >= 0:
            return Asked(question, ChatRequest(messages, self.max_tokens), tuple(documents))
        bare = self.form.messages(question, (), self.setting, turns)
        room = self._room(bare)
        if room < 0:
            needed = self.asking.context - self.max_tokens - room // BYTES_A_TOKEN
            raise UsageError(
                f"{question.id}: the prompt may need {needed:,} tokens before any document, and with "
                f"{self.max_tokens:,} for the reply that is more than --context "
                f"{self.asking.context:,}. Take a larger context, fewer --shot or --max-tokens."
            )
        shown: list[Shown] = []
        for one in documents:
            size = len(one.text.encode()) + len(one.title.encode()) + _FRAME
            if size <= room:
                room -= size
                shown.append(Shown(len(shown) + 1, one.id, one.title, one.text, one.date))
        messages = self.form.messages(question, shown, self.setting, turns)
        left_out = len(documents) - len(shown)
        return Asked(question, ChatRequest(messages, self.max_tokens), tuple(shown), left_out)

    def _room(self, messages: Sequence[Message]) -> int:
        """Bytes that still fit beside these messages and the reply; below 0: so many too many."""
        used = sum(len(message.text.encode()) + _FRAME for message in messages)
        return (self.asking.context - self.max_tokens) * BYTES_A_TOKEN - used

    def _documents(self, question: Question, cut: bool = True) -> list[Document]:
        """Whole documents, each once; ``cut`` to as many as are shown."""
        if self.setting == "evidenceprovided" and question.documents:
            listed = list(self._library.documents(question).values())
            return listed[: self._listed] if cut else listed
        ids = dict.fromkeys(p.document for p in self._library.best(question, 3 * self._found))
        return [self._dataset.documents[id] for id in list(ids)[: self._found]]

    def _shown(self, question: Question, made: Mapping[str, str]) -> list[Shown]:
        if self.form.reads == "text" and not (
            self.setting == "evidenceprovided" and question.documents
        ):
            return [
                Shown(
                    n,
                    passage.document,
                    passage.title,
                    passage.content.strip(),
                    self._library.date(passage.document),
                )
                for n, passage in enumerate(self._passages(question), 1)
            ]
        picked = self.form.picked(self._documents(question, cut=self.form.makes), made)
        return [
            Shown(n, one.id, one.title, text, one.date)
            for n, (one, text) in enumerate(picked[: self._listed], 1)
        ]

    def _passages(self, question: Question) -> list[Passage]:
        """The best passages, none of them twice, as where questions bring the same documents."""
        found = self._library.best(question, self._found)
        best = _different(found)
        if len(best) < len(found):
            best = _different(self._library.best(question, 10 * self._found))
        return best[: self._found]

    def _shorten(self, question: Question, document: Document) -> ChatRequest:
        system = (
            f"{_SHORTEN[self.form.reads]} If nothing in it helps, reply with the one word "
            f"{IRRELEVANT}."
        )
        user = f"Question: {question.text}\n\nTitle: {document.title}\nDocument: {document.text}"
        messages = (Message("system", system), Message("user", user))
        size = sum(len(message.text.encode()) + _FRAME for message in messages)
        if (needed := SHORTENED + -(-size // BYTES_A_TOKEN)) > self.asking.context:
            raise UsageError(
                f"{question.id}: to shorten document {document.id} may take {needed:,} tokens, more "
                f"than --context {self.asking.context:,}. Take a larger context, or --reads text."
            )
        return ChatRequest(messages, SHORTENED)


def _different(passages: Sequence[Passage]) -> list[Passage]:
    kept: dict[tuple[str, str], Passage] = {}
    for one in passages:
        kept.setdefault((one.title, one.content.strip()), one)
    return list(kept.values())
