"""ALCE's prompt files (Gao et al. 2023; its folder prompts/), filled as its run.py fills them.

    {"instruction", "demo_sep", "demo_prompt", "doc_prompt", "demos": [{"question", "answer", "docs"}]}

The prompt is one text: ``shot`` demonstrations, drawn with numpy's legacy generator as ALCE draws them,
each followed by demo_sep, then the question. In demo_prompt {INST}, {Q}, {D} and {A} are replaced, in
doc_prompt {T}, {P} and {ID}, one after the other in this order, so that the bytes are ALCE's even if a
text holds such a mark itself. Summaries and extractions that call their document irrelevant are passed
over; the first document without one ends the list, and if it is the first of all, its text is shown. One
thing differs from ALCE: a demonstration that asks the question itself is left out.

rageval's generate.py fills the same files otherwise: it takes the first ``shot`` demonstrations, and shows
documents called irrelevant too (``rules="rageval"``).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Annotated, Literal

from pydantic import ConfigDict

from argue_bench.baselines import Setting
from argue_bench.baselines.forms import PromptForm, Reads
from argue_bench.errors import Code, UsageError
from argue_bench.models.transport import Message
from argue_bench.records import Document, Question
from argue_bench.records.untrusted import read_json
from argue_bench.records.validation import Expect, Record, validate

# Whose program fills the file.
PromptRules = Literal["alce", "rageval"]
_TEXTS = ("instruction", "demo_sep", "demo_prompt", "doc_prompt")
_MAX_TOKENS, _NDOC = 300, 5


class _Foreign(Record):
    """ALCE's files have more keys than are read."""

    model_config = ConfigDict(extra="ignore")


class _Document(_Foreign):
    title: str
    text: str
    summary: str | None = None
    extraction: str | None = None


class AlceDemonstration(_Foreign):
    """A question with its answer and documents."""

    question: str
    answer: Annotated[str, Expect("a text (ALCE's interactive prompts, with turns, are not read)")]
    docs: tuple[_Document, ...]

    @property
    def documents(self) -> tuple[Document, ...]:
        return tuple(
            Document("", d.text, d.title, summary=d.summary, extraction=d.extraction)
            for d in self.docs
        )


class _PromptFile(_Foreign):
    instruction: str
    demo_sep: str
    demo_prompt: Annotated[
        str, Expect("a text with {Q} and {A}", lambda text: "{Q}" in text and "{A}" in text)
    ]
    doc_prompt: str
    demos: tuple[AlceDemonstration, ...]


@dataclass(frozen=True)
class AlcePrompt(PromptForm):
    """A prompt file with the demonstrations that were drawn from it."""

    instruction: str = ""
    demo_sep: str = ""
    demo_prompt: str = ""
    doc_prompt: str = ""
    demonstrations: tuple[AlceDemonstration, ...] = ()
    rules: PromptRules = "alce"

    @cached_property
    def digest(self) -> str:
        """16 hexadecimal digits over everything that changes a prompt."""
        demonstrations = [
            [
                one.question,
                one.answer,
                [[d.title, d.text, d.summary, d.extraction] for d in one.docs],
            ]
            for one in self.demonstrations
        ]
        parts = [getattr(self, name) for name in _TEXTS]
        # What ALCE's own prompts lack stands in the digest only where it is there.
        others = [one for one in (self.rules, self.system) if one not in ("alce", "")]
        whole = json.dumps([parts, demonstrations, self.reads, self.ndoc, *others])
        return hashlib.sha256(whole.encode()).hexdigest()[:16]

    def select_documents(self, documents: Iterable[Document]) -> list[tuple[Document, str]]:
        """The documents that ALCE would show, at most ``ndoc``."""
        if not self.ndoc or "{D}" not in self.demo_prompt:
            return []
        found: list[tuple[Document, str]] = []
        for document in documents:
            text = getattr(document, self.reads)
            if text is None:
                return found or [(document, document.text)]
            called_irrelevant = "irrelevant" in text or "Irrelevant" in text
            if self.rules == "alce" and self.reads != "text" and called_irrelevant:
                continue
            found.append((document, text))
            if len(found) == self.ndoc:
                break
        return found

    def messages(
        self,
        question: Question,
        documents: Sequence[Document],
        setting: Setting,
    ) -> tuple[Message, ...]:
        """The prompt as one message of the user, behind the system's where the form has one."""
        asked, head = _same_words(question.text), ""
        for one in self.demonstrations:
            if _same_words(one.question) != asked:
                texts = [(d.title, text) for d, text in self.select_documents(one.documents)]
                head += self._fill(one.question, texts) + one.answer + self.demo_sep
        shown = [(one.title, one.text) for one in documents]
        before = (Message("system", self.system),) if self.system else ()
        return (*before, Message("user", head + self._fill(question.text, shown)))

    def _fill(self, question: str, documents: Iterable[tuple[str, str]]) -> str:
        """One question, up to where its answer begins."""
        text = self.demo_prompt.replace("{INST}", self.instruction).replace("{Q}", question)
        if self.ndoc:
            shown = [
                self.doc_prompt.replace("{T}", title).replace("{P}", body).replace("{ID}", str(n))
                for n, (title, body) in enumerate(documents, 1)
            ]
            text = text.replace("{D}", "".join(shown))
        else:
            text = text.replace("{D}\n", "")
        return text.replace("{A}", "").rstrip()


def _same_words(text: str) -> str:
    """The text without case and extra white space: questions that are equal so are one."""
    return " ".join(text.split()).casefold()


def alce_prompt(
    path: Path,
    reads: Reads = "text",
    ndoc: int | None = None,
    shot: int = 0,
    seed: int = 42,
    rules: PromptRules = "alce",
) -> AlcePrompt:
    """The form in a prompt file. Raises DataError with every finding, UsageError: too many ``shot``."""
    from numpy.random import RandomState

    hint = "A prompt file has the shape of those in ALCE's folder prompts/."
    file = validate(_PromptFile, read_json(path), Code.WRONG_SHAPE, path, hint=hint)
    if shot > len(file.demos):
        raise UsageError(f"--shot {shot}: {path} has {len(file.demos)} demonstrations")
    # ALCE seeds numpy's legacy generator: the same demonstrations are drawn.
    legacy = RandomState(seed % 2**32)
    drawn = list(legacy.choice(len(file.demos), shot, replace=False)) if shot else []
    drawn = list(range(shot)) if rules == "rageval" else drawn
    return AlcePrompt(
        name=path.stem,
        summary="ALCE's prompt file",
        reads=reads,
        ndoc=_NDOC if ndoc is None else ndoc,
        max_tokens=_MAX_TOKENS,
        folder=str(path),
        demonstrations=tuple(file.demos[int(n)] for n in drawn),
        rules=rules,
        **{name: getattr(file, name) for name in _TEXTS},
    )
