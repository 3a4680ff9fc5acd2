"""ALCE's prompt files (Gao et al. 2023; its folder prompts/), filled as its run.py fills them.

    {"instruction", "demo_sep", "demo_prompt", "doc_prompt", "demos": [{"question", "answer", "docs"}]}

The prompt is one text: ``shot`` demonstrations, drawn with numpy's legacy generator as ALCE draws them,
each followed by demo_sep, then the question. In demo_prompt {INST}, {Q}, {D} and {A} are replaced, in
doc_prompt {T}, {P} and {ID}, one after the other in this order, so that the bytes are ALCE's even if a
text holds such a mark itself. Summaries and extractions that call their document irrelevant are passed
over; the first document without one ends the list, and if it is the first of all, its text is shown. One
thing differs from ALCE: a demonstration that asks the question itself is left out.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

from argue_bench.baselines.demonstrations import same_words
from argue_bench.baselines.document_access import Setting
from argue_bench.baselines.forms import PromptDocument, PromptForm, Reads
from argue_bench.errors import Code, DataError, Finding, UsageError
from argue_bench.models.transport import Message
from argue_bench.records import Document, Question
from argue_bench.records.untrusted import read_json

_TEXTS = ("instruction", "demo_sep", "demo_prompt", "doc_prompt")
_MAX_TOKENS, _NDOC = 300, 5


@dataclass(frozen=True)
class AlceDemonstration:
    """A question with its answer and documents."""

    question: str
    answer: str
    documents: tuple[Document, ...]


@dataclass(frozen=True)
class AlcePrompt(PromptForm):
    """A prompt file with the demonstrations that were drawn from it."""

    instruction: str = ""
    demo_sep: str = ""
    demo_prompt: str = ""
    doc_prompt: str = ""
    demonstrations: tuple[AlceDemonstration, ...] = ()

    shortens: ClassVar[bool] = False

    @cached_property
    def digest(self) -> str:
        """16 hexadecimal digits over everything that changes a prompt."""
        demonstrations = [
            [
                one.question,
                one.answer,
                [[d.title, d.text, d.summary, d.extraction] for d in one.documents],
            ]
            for one in self.demonstrations
        ]
        parts = [getattr(self, name) for name in _TEXTS]
        whole = json.dumps([parts, demonstrations, self.reads, self.ndoc])
        return hashlib.sha256(whole.encode()).hexdigest()[:16]

    def select_documents(
        self, documents: Iterable[Document], shortened: Mapping[str, str]
    ) -> list[tuple[Document, str]]:
        """The documents that ALCE would show, at most ``ndoc``; ``shortened`` is not used."""
        if not self.ndoc or "{D}" not in self.demo_prompt:
            return []
        found: list[tuple[Document, str]] = []
        for document in documents:
            text = getattr(document, self.reads)
            if text is None:
                return found or [(document, document.text)]
            if self.reads != "text" and ("irrelevant" in text or "Irrelevant" in text):
                continue
            found.append((document, text))
            if len(found) == self.ndoc:
                break
        return found

    def messages(
        self,
        question: Question,
        documents: Sequence[PromptDocument],
        setting: Setting,
        turns: Sequence[Message] = (),
    ) -> tuple[Message, ...]:
        """The prompt as one message of the user."""
        asked = same_words(question.text)
        head = ""
        for one in self.demonstrations:
            if same_words(one.question) != asked:
                texts = [(d.title, text) for d, text in self.select_documents(one.documents, {})]
                head += self._fill(one.question, texts) + one.answer + self.demo_sep
        shown = [(one.title, one.text) for one in documents]
        return (Message("user", head + self._fill(question.text, shown)),)

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


def alce_prompt(
    path: Path, reads: Reads = "text", ndoc: int | None = None, shot: int = 0, seed: int = 42
) -> AlcePrompt:
    """The form in a prompt file. Raises DataError with every finding, UsageError: too many ``shot``."""
    value = read_json(path)
    check = _PromptFile(str(path))
    if not isinstance(value, dict):
        check.expect("", "an object with instruction, demo_prompt, doc_prompt, demo_sep and demos")
        raise DataError(check.findings)
    texts = {name: check.text(value, name, "") for name in _TEXTS}
    for mark in ("{Q}", "{A}"):
        if mark not in texts["demo_prompt"]:
            check.expect(".demo_prompt", f"a text with {mark}")
    demos = value.get("demos")
    if not isinstance(demos, list):
        check.expect(".demos", "a list of demonstrations")
        demos = []
    read = [check.demonstration(one, f".demos[{place}]") for place, one in enumerate(demos)]
    if check.findings:
        raise DataError(check.findings)
    if shot > len(read):
        raise UsageError(f"--shot {shot}: {path} has {len(read)} demonstrations")
    return AlcePrompt(
        name=path.stem,
        summary="ALCE's prompt file",
        reads=reads,
        cites="numbers",
        ndoc=_NDOC if ndoc is None else ndoc,
        max_tokens=_MAX_TOKENS,
        system="",
        user="",
        folder=str(path),
        demonstrations=tuple(read[n] for n in _draw(len(read), shot, seed)),
        gives="answer",
        **texts,
    )


def _draw(count: int, shot: int, seed: int) -> list[int]:
    """Places of demonstrations, drawn by numpy's legacy generator: ALCE seeds that one."""
    from numpy.random import RandomState

    if not shot:
        return []
    return [int(n) for n in RandomState(seed % 2**32).choice(count, shot, replace=False)]


class _PromptFile:
    """Reads the parts of a prompt file and collects what is wrong with them."""

    def __init__(self, file: str) -> None:
        self._file = file
        self.findings: list[Finding] = []

    def expect(self, at: str, expected: str) -> None:
        hint = "A prompt file has the shape of those in ALCE's folder prompts/."
        message = f"expected {expected}"
        self.findings.append(Finding(Code.PROMPT_FILE, message, self._file, None, f"${at}", hint))

    def text(self, value: Mapping[str, Any], key: str, at: str) -> str:
        if not isinstance(text := value.get(key), str):
            self.expect(f"{at}.{key}", "a text")
            return ""
        return text

    def demonstration(self, value: Any, at: str) -> AlceDemonstration:
        if not isinstance(value, dict):
            self.expect(at, "an object with question, answer and docs")
            return AlceDemonstration("", "", ())
        documents = value.get("docs")
        if not isinstance(documents, list) or not all(isinstance(one, dict) for one in documents):
            self.expect(f"{at}.docs", "a list of documents")
            documents = []
        if isinstance(value.get("answer"), list):
            turns = "a text: ALCE's interactive prompts, with turns, are not supported"
            self.expect(f"{at}.answer", turns)
            value = {**value, "answer": ""}
        return AlceDemonstration(
            self.text(value, "question", at),
            self.text(value, "answer", at),
            tuple(self._document(one, f"{at}.docs[{n}]") for n, one in enumerate(documents)),
        )

    def _document(self, value: Mapping[str, Any], at: str) -> Document:
        shorter = {
            key: self.text(value, key, at) for key in ("summary", "extraction") if key in value
        }
        return Document("", self.text(value, "text", at), self.text(value, "title", at), **shorter)
