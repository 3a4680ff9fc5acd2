"""What would ALCE ask? Its prompt files (Gao et al. 2023; prompts/*.json there), read as run.py reads them.

    {"instruction", "demo_sep", "demo_prompt", "doc_prompt", "demos": [{"question", "answer", "docs"}]}

The prompt is one text: ``--shot`` demonstrations drawn by ``--seed`` with numpy's generator, each followed
by demo_sep, then the question. In demo_prompt {INST}, {Q}, {D} and {A} are replaced, in doc_prompt {T}, {P}
and {ID}, one after the other in this order, so that the bytes are ALCE's whatever a text holds. Of
summaries and extractions those that call their document irrelevant are passed over; at the first document
without one it stops, and where none was taken before shows that one whole. One thing differs: a demonstration
that asks the question itself is left out.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

from argue_bench.baselines.base import Setting
from argue_bench.baselines.forms import Form, Reads, Shown
from argue_bench.errors import Code, DataError, Finding, UsageError
from argue_bench.models.transport import Message
from argue_bench.records import Document, Question
from argue_bench.records.untrusted import read_json

_TEXTS = ("instruction", "demo_sep", "demo_prompt", "doc_prompt")
_MAX_TOKENS, _NDOC = 300, 5


@dataclass(frozen=True)
class Demonstration:
    """A question with its answer and documents."""

    question: str
    answer: str
    documents: tuple[Document, ...]


@dataclass(frozen=True)
class AlcePrompt(Form):
    """A prompt file with the demonstrations that were drawn from it."""

    instruction: str = ""
    demo_sep: str = ""
    demo_prompt: str = ""
    doc_prompt: str = ""
    demonstrations: tuple[Demonstration, ...] = ()

    makes: ClassVar[bool] = False

    @cached_property
    def digest(self) -> str:
        """16 hexadecimal digits of all that moves a prompt."""
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

    def picked(
        self, documents: Iterable[Document], made: Mapping[str, str]
    ) -> list[tuple[Document, str]]:
        """The documents that ALCE would show, at most ``ndoc``."""
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
        documents: Sequence[Shown],
        setting: Setting,
        turns: Sequence[Message] = (),
    ) -> tuple[Message, ...]:
        """The prompt as one message of the user."""
        same = " ".join(question.text.split()).casefold()
        head = "".join(
            self._filled_in(one.question, self._texts(one)) + one.answer + self.demo_sep
            for one in self.demonstrations
            if " ".join(one.question.split()).casefold() != same
        )
        shown = [(one.title, one.text) for one in documents]
        return (Message("user", head + self._filled_in(question.text, shown)),)

    def _texts(self, one: Demonstration) -> list[tuple[str, str]]:
        return [(document.title, text) for document, text in self.picked(one.documents, {})]

    def _filled_in(self, question: str, documents: Iterable[tuple[str, str]]) -> str:
        """One question, up to where its answer begins."""
        text = self.demo_prompt.replace("{INST}", self.instruction).replace("{Q}", question)
        if self.ndoc:
            text = text.replace(
                "{D}",
                "".join(
                    self.doc_prompt.replace("{T}", title)
                    .replace("{P}", said)
                    .replace("{ID}", str(n))
                    for n, (title, said) in enumerate(documents, 1)
                ),
            )
        else:
            text = text.replace("{D}\n", "")
        return text.replace("{A}", "").rstrip()


def alce_prompt(
    path: Path, reads: Reads = "text", ndoc: int | None = None, shot: int = 0, seed: int = 42
) -> AlcePrompt:
    """The form in a prompt file. Raises DataError with every finding, UsageError: too many ``shot``."""
    value = read_json(path)
    found = _Findings(str(path))
    if not isinstance(value, dict):
        found.add("", "an object with instruction, demo_prompt, doc_prompt, demo_sep and demos")
        raise DataError(found.all)
    texts = {name: found.text(value, name, "") for name in _TEXTS}
    for mark in ("{Q}", "{A}"):
        if mark not in texts["demo_prompt"]:
            found.add(".demo_prompt", f"a text with {mark}")
    demos = value.get("demos")
    if not isinstance(demos, list):
        found.add(".demos", "a list of demonstrations")
        demos = []
    read = [_demonstration(one, f".demos[{place}]", found) for place, one in enumerate(demos)]
    if found.all:
        raise DataError(found.all)
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
        instruction=texts["instruction"],
        demo_sep=texts["demo_sep"],
        demo_prompt=texts["demo_prompt"],
        doc_prompt=texts["doc_prompt"],
        demonstrations=tuple(read[n] for n in _drawn(len(read), shot, seed)),
    )


def _drawn(count: int, shot: int, seed: int) -> list[int]:
    """As numpy's legacy generator draws, which ALCE seeds."""
    from numpy.random import RandomState

    if not shot:
        return []
    return [int(n) for n in RandomState(seed % 2**32).choice(count, shot, replace=False)]


class _Findings:
    def __init__(self, file: str) -> None:
        self.file = file
        self.all: list[Finding] = []

    def add(self, at: str, expected: str) -> None:
        hint = "A prompt file has the shape of those in ALCE's folder prompts/."
        self.all.append(
            Finding(Code.PROMPT_FILE, f"expected {expected}", self.file, None, f"${at}", hint)
        )

    def text(self, value: Mapping[str, Any], key: str, at: str) -> str:
        if not isinstance(text := value.get(key), str):
            self.add(f"{at}.{key}", "a text")
            return ""
        return text


def _demonstration(value: Any, at: str, found: _Findings) -> Demonstration:
    if not isinstance(value, dict):
        found.add(at, "an object with question, answer and docs")
        return Demonstration("", "", ())
    answer = value.get("answer")
    if isinstance(answer, list):
        found.add(
            f"{at}.answer", "a text: ALCE's interactive prompts, with turns, are not supported"
        )
        answer = ""
    documents = value.get("docs")
    if not isinstance(documents, list) or not all(isinstance(one, dict) for one in documents):
        found.add(f"{at}.docs", "a list of documents")
        documents = []
    return Demonstration(
        found.text(value, "question", at),
        answer if answer == "" else found.text(value, "answer", at),
        tuple(_document(one, f"{at}.docs[{n}]", found) for n, one in enumerate(documents)),
    )


def _document(value: Mapping[str, Any], at: str, found: _Findings) -> Document:
    shorter = {key: found.text(value, key, at) for key in ("summary", "extraction") if key in value}
    return Document("", found.text(value, "text", at), found.text(value, "title", at), **shorter)
