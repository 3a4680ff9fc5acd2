"""How is a question put to a model? By a form: a folder of two templates and a few settings.

``system.j2`` (may be missing) and ``user.j2`` are jinja2 templates over question, request (title,
problem_statement, background, limit), documents (number, id, title, text, date each), language,
setting and refusal (Luciole's sentence); ``form.toml`` says what of a document is shown and how it is cited. Ours can be copied and
changed. Demonstrations are earlier turns of the conversation, made by the same templates.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from importlib.resources import files
from pathlib import Path
from typing import Any, ClassVar, Literal

from argue_bench.baselines.base import Setting
from argue_bench.errors import Code, DataError, Finding, UnknownName, UsageError
from argue_bench.models.transport import Message
from argue_bench.records import Document, Question
from argue_bench.records import Request as Asked

Reads = Literal["text", "summary", "extraction"]
Cites = Literal["numbers", "titles", "none"]
Gives = Literal["answer", "report"]
_OURS = Path(str(files("argue_bench") / "baselines" / "prompts"))
_LONGEST = 100_000
REFUSAL = {
    "en": "The provided documents do not allow me to answer this question.",
    "fr": "Les documents fournis ne permettent pas de répondre à cette question.",
}
"""Luciole's sentence for a question that the documents do not answer."""
IRRELEVANT = "irrelevant"
"""The word of a shortened text that has nothing to say, as in ALCE's data."""
_KEYS = {
    "summary": str,
    "reads": str,
    "cites": str,
    "gives": str,
    "ndoc": int,
    "max_tokens": int,
}
_ALLOWED = {
    "reads": ("text", "summary", "extraction"),
    "cites": ("numbers", "titles", "none"),
    "gives": ("answer", "report"),
}


@dataclass(frozen=True)
class Shown:
    """A document as a prompt shows it. ``number`` counts from 1."""

    number: int
    id: str
    title: str
    text: str
    date: str = ""


@dataclass(frozen=True)
class Form:
    """One way of asking. ``ndoc`` and ``max_tokens`` are what it wants where nothing else is said."""

    name: str
    summary: str
    reads: Reads
    cites: Cites
    ndoc: int
    max_tokens: int
    system: str
    user: str
    folder: str = ""
    gives: Gives = "answer"
    """What the file of answers holds: lines with an answer, or TREC report objects."""

    makes: ClassVar[bool] = True
    """Whether the model makes a summary or extraction that a document lacks."""

    def picked(
        self, documents: Iterable[Document], made: Mapping[str, str]
    ) -> list[tuple[Document, str]]:
        """Documents with the text to show. ``made``: texts by id, for those that lack one."""
        if self.reads == "text":
            return [(document, document.text.strip()) for document in documents]
        texts = ((one, made.get(one.id, getattr(one, self.reads) or "")) for one in documents)
        return [(one, text.strip()) for one, text in texts if not says_nothing(text)]

    @cached_property
    def digest(self) -> str:
        """16 hexadecimal digits of all that moves a prompt."""
        parts = (self.reads, self.cites, self.system, self.user)
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:16]

    def messages(
        self,
        question: Question,
        documents: Sequence[Shown],
        setting: Setting,
        turns: Sequence[Message] = (),
    ) -> tuple[Message, ...]:
        """The conversation: system, earlier turns, question. Raises DataError: a template that fails."""
        given: dict[str, Any] = {
            "question": question.text,
            "request": asdict(question.request or Asked()),
            "documents": [asdict(document) for document in documents],
            "language": question.language,
            "setting": setting,
            "refusal": REFUSAL.get(question.language, REFUSAL["en"]),
        }
        user = Message("user", self._filled("user", given))
        system = self._filled("system", given) if self.system else ""
        return (*([Message("system", system)] if system else []), *turns, user)

    def _filled(self, part: str, given: Mapping[str, Any]) -> str:
        from jinja2 import TemplateError

        try:
            return str(self._templates[part].render(given)).strip()
        except (TemplateError, TypeError, ValueError, ArithmeticError, LookupError) as error:
            raise self._wrong(part, f"the template fails: {error!s:.200}") from None

    @cached_property
    def _templates(self) -> Mapping[str, Any]:
        from jinja2 import StrictUndefined, TemplateError
        from jinja2.sandbox import ImmutableSandboxedEnvironment

        made = ImmutableSandboxedEnvironment(undefined=StrictUndefined, keep_trailing_newline=True)
        templates = {}
        for part in ("system", "user"):
            try:
                templates[part] = made.from_string(getattr(self, part))
            except TemplateError as error:
                raise self._wrong(part, f"this is no jinja2 template: {error!s:.200}") from None
        return templates

    def _wrong(self, part: str, message: str) -> DataError:
        return DataError.of(
            Code.PROMPT_TEMPLATE,
            message,
            f"{self.folder}/{part}.j2",
            hint="Variables are question, request, documents, language, setting, refusal.",
        )


def says_nothing(text: str) -> bool:
    """Whether a shortened text says that its document does not help."""
    return not text.strip() or IRRELEVANT in text.casefold()


def forms() -> dict[str, Form]:
    """Our forms by name."""
    return {folder.name: _read(folder) for folder in sorted(_OURS.iterdir()) if folder.is_dir()}


def form(named: str) -> Form:
    """Our form of this name, or the one in this folder. Raises UnknownName and DataError."""
    if (_OURS / named / "form.toml").is_file() and "/" not in named:
        return _read(_OURS / named)
    if Path(named).is_dir():
        return _read(Path(named))
    raise UnknownName("prompt form", named, tuple(forms()), see="argue-bench prompts")


def reading(chosen: Form, reads: Reads) -> Form:
    """The form, showing another part of the documents."""
    return replace(chosen, reads=reads)


def form_for(dataset: str, setting: Setting, has_requests: bool) -> Form:
    """The form that is used where none is named."""
    if dataset in ("fanoutqa", "luciole"):
        return form(dataset)
    if dataset == "alce-qampari":
        return form("alce-list")
    if has_requests:
        return form("report")
    return form("alce-closedbook" if setting == "closedbook" else "alce-vanilla")


def copy(named: str, to: Path) -> None:
    """A form as a folder to change. Raises UnknownName, UsageError where something is there."""
    source = form(named)
    if to.exists():
        raise UsageError(f"{to} is there already: name a new folder")
    try:
        shutil.copytree(source.folder, to)
    except OSError as error:
        raise DataError.of(Code.NOT_WRITTEN, f"{error.strerror}", to) from None


def _read(folder: Path) -> Form:
    """A form from a folder. Raises DataError with every finding."""
    findings: list[Finding] = []
    texts = {name: _text(folder / name, findings) for name in ("form.toml", "system.j2", "user.j2")}
    settings: dict[str, Any] = {
        "reads": "text",
        "cites": "numbers",
        "gives": "answer",
        "ndoc": 5,
        "max_tokens": 512,
        "summary": "",
    }
    where = str(folder / "form.toml")
    try:
        settings |= tomllib.loads(texts["form.toml"])
    except tomllib.TOMLDecodeError as error:
        findings.append(Finding(Code.FORM_SETTINGS, f"this is no TOML: {error}", where))
    for key, value in settings.items():
        if key not in _KEYS:
            known = f"Known: {', '.join(_KEYS)}."
            findings.append(
                Finding(Code.FORM_SETTINGS, f"no setting is called {key!r}", where, hint=known)
            )
        elif type(value) is not _KEYS[key] or (isinstance(value, int) and value < 0):
            findings.append(Finding(Code.FORM_SETTINGS, f"{key} = {value!r} is of no use", where))
    for key, allowed in _ALLOWED.items():
        if settings[key] not in allowed:
            expected = f"{key} = {settings[key]!r} is none of {', '.join(allowed)}"
            findings.append(Finding(Code.FORM_SETTINGS, expected, where))
    if not texts["user.j2"].strip():
        lacks = "a form needs user.j2, and it is missing or empty"
        findings.append(Finding(Code.PROMPT_TEMPLATE, lacks, str(folder / "user.j2")))
    if findings:
        raise DataError(findings)
    made = Form(
        name=folder.name,
        system=texts["system.j2"],
        user=texts["user.j2"],
        folder=str(folder),
        **settings,
    )
    _ = made._templates
    return made


def _text(file: Path, findings: list[Finding]) -> str:
    try:
        text = file.read_text(encoding="utf-8") if file.exists() else ""
    except (OSError, UnicodeDecodeError) as error:
        findings.append(Finding(Code.UNREADABLE, f"can't be read: {error!s:.100}", str(file)))
        return ""
    if len(text) > _LONGEST:
        findings.append(
            Finding(Code.TOO_LARGE, f"has more than {_LONGEST:,} characters", str(file))
        )
        return ""
    return text
