"""Prompt forms: how a question is put to a model. A form is a folder of two templates and a few settings.

``system.j2`` (optional) and ``user.j2`` are jinja2 templates over question, request (title,
problem_statement, background, limit), documents (number, id, title, text, date each), language,
setting and refusal (Luciole's sentence). ``form.toml`` says which text of a document is shown and how
it is cited. A shipped form can be copied and changed.

The answer in a model's reply comes without thoughts, cites by id and is within the limit. Numbers in a
reply count the documents of the prompt, not those of the question, so each mark is rewritten with the ids
that it names. A number that names no document becomes an id that names none (``[document_7]``): it must
count as a wrong citation, never as the seventh document of the set.
"""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal

from pydantic import NonNegativeInt

from argue_bench.baselines import DocumentAccess, Setting
from argue_bench.errors import Code, DataError, Finding, UnknownName, UsageError
from argue_bench.loaders.dataset import Dataset
from argue_bench.loaders.limits import cut_at_limit
from argue_bench.models.reply import strip_thoughts
from argue_bench.models.transport import ChatRequest, Message
from argue_bench.records import Document, Question
from argue_bench.records import Request as ReportRequest
from argue_bench.records.untrusted import Limits, read_bounded
from argue_bench.records.validation import strict, validate
from argue_bench.retrieval import Passage
from argue_bench.text import CitationIndex, find_marks

# The prompt of a question: documents for its setting, demonstrations, and a token budget.
#
# Documents that a question lists are shown whole, in their order; where it lists none, the best passages
# that retrieval finds. As many are shown as fit into the context together with the reply, counted at three
# bytes a token, which is more tokens than any tokenizer of today makes of such text. What does not fit is
# left out and counted, and a prompt that is too long without any document is an error: no prompt is cut.

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
    documents: tuple[Document, ...]
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
        shown: list[Document] = []
        for one in documents:
            size = len(one.text.encode()) + len(one.title.encode()) + _FRAME
            if size <= room:
                room -= size
                shown.append(one)
        request = self._request(question, shown)
        return QuestionPrompt(question, request, tuple(shown), len(documents) - len(shown))

    def _request(self, question: Question, documents: Sequence[Document]) -> ChatRequest:
        return ChatRequest(self.form.messages(question, documents, self.setting), self.max_tokens)

    def _room(self, request: ChatRequest) -> int:
        """The bytes left beside the request and the reply; negative if they do not fit."""
        room = (self.options.context - self.max_tokens) * BYTES_A_TOKEN
        return room - sum(len(one.text.encode()) + _FRAME for one in request.messages)

    def _whole_documents(self, question: Question) -> list[Document]:
        """The question's documents, or the documents of its best passages."""
        if self.setting == "evidenceprovided" and question.documents:
            return list(self._documents.documents(question).values())
        ids = dict.fromkeys(p.document for p in self._documents.best(question, 3 * self._found))
        return [self.dataset.documents[id] for id in list(ids)[: self._found]]

    def _select(self, question: Question) -> list[Document]:
        listed = self.setting == "evidenceprovided" and question.documents
        if self.form.reads == "text" and not listed:
            passages = self._passages(question)
            dates = [self._documents.document(one.document).date for one in passages]
            return [
                Document(one.document, one.content.strip(), one.title, date=date)
                for one, date in zip(passages, dates, strict=True)
            ]
        selected = self.form.select_documents(self._whole_documents(question))[: self._listed]
        return [replace(one, text=text) for one, text in selected]

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


Reads = Literal["text", "summary", "extraction"]
Cites = Literal["numbers", "titles", "none"]
Gives = Literal["answer", "report"]
_SHIPPED = Path(str(files("argue_bench") / "baselines" / "prompts"))
# The templates of published systems have at most some thousands; a larger file is something else.
_LIMITS = Limits(file_bytes=100_000)
# Luciole's sentence for a question that the documents do not answer.
REFUSAL = {
    "en": "The provided documents do not allow me to answer this question.",
    "fr": "Les documents fournis ne permettent pas de répondre à cette question.",
}
# The word that says that a document does not help, as in ALCE's summaries and extractions.
IRRELEVANT = "irrelevant"
_PAGE = re.compile(r"\A\s*(?:```html\s*)?<(?:!doctype\s+html|html|head|body)\b", re.IGNORECASE)
_LABEL = re.compile(
    r"\A(?:\*\*)?(?:answer|report|final answer|réponse|rapport)\s?:(?:\*\*)?\s*", re.IGNORECASE
)


@strict
@dataclass(frozen=True)
class FormSettings:
    """A form.toml: which text of a document is shown, how it is cited, what the answers are.

    ``ndoc`` (documents shown) and ``max_tokens`` hold where the user gives no number.
    """

    summary: str = ""
    reads: Reads = "text"
    cites: Cites = "numbers"
    # Whether the file of answers holds lines with an answer or TREC report objects.
    gives: Gives = "answer"
    ndoc: NonNegativeInt = 5
    max_tokens: NonNegativeInt = 512


@dataclass(frozen=True)
class PromptForm(FormSettings):
    """One form: its settings and the text of its templates."""

    name: str = ""
    system: str = ""
    user: str = ""
    folder: str = ""

    def select_documents(self, documents: Iterable[Document]) -> list[tuple[Document, str]]:
        """Documents with the text that the prompt shows, without those that it calls irrelevant.

        Raises UsageError where a document lacks the summary or extraction that the form shows.
        """
        if self.reads == "text":
            return [(document, document.text.strip()) for document in documents]
        found = []
        for one in documents:
            if (text := getattr(one, self.reads)) is None:
                raise UsageError(f"document {one.id} has no {self.reads}: take --reads text")
            if text.strip() and IRRELEVANT not in text.casefold():
                found.append((one, text.strip()))
        return found

    @cached_property
    def digest(self) -> str:
        """16 hexadecimal digits over everything that changes a prompt."""
        parts = (self.reads, self.cites, self.system, self.user)
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:16]

    def messages(
        self,
        question: Question,
        documents: Sequence[Document],
        setting: Setting,
    ) -> tuple[Message, ...]:
        """The conversation: system and question. Raises DataError: a template that fails."""
        from jinja2 import TemplateError

        values: dict[str, Any] = {
            "question": question.text,
            "request": asdict(question.request or ReportRequest()),
            "documents": [{"number": n, **asdict(one)} for n, one in enumerate(documents, 1)],
            "language": question.language,
            "setting": setting,
            "refusal": REFUSAL.get(question.language, REFUSAL["en"]),
        }
        texts = {}
        for part, template in self.templates.items():
            try:
                texts[part] = str(template.render(values)).strip()
            except (TemplateError, TypeError, ValueError, ArithmeticError, LookupError) as error:
                raise self._template_error(part, f"the template fails: {error!s:.200}") from None
        head = [Message("system", texts["system"])] if texts["system"] else []
        return (*head, Message("user", texts["user"]))

    @cached_property
    def templates(self) -> Mapping[str, Any]:
        """The compiled templates, "system" and "user". Raises DataError."""
        from jinja2 import StrictUndefined, TemplateError
        from jinja2.sandbox import ImmutableSandboxedEnvironment

        # Sandboxed: forms are passed around, and a template must not be able to run code.
        made = ImmutableSandboxedEnvironment(undefined=StrictUndefined, keep_trailing_newline=True)
        templates = {}
        for part in ("system", "user"):
            try:
                templates[part] = made.from_string(getattr(self, part))
            except TemplateError as error:
                raise self._template_error(part, f"not a jinja2 template: {error!s:.200}") from None
        return templates

    def _template_error(self, part: str, message: str) -> DataError:
        hint = "Variables are question, request, documents, language, setting, refusal."
        return DataError.of(Code.WRONG_SHAPE, message, f"{self.folder}/{part}.j2", hint=hint)


def shipped_forms() -> dict[str, PromptForm]:
    """The forms that the package ships, by name."""
    folders = sorted(folder for folder in _SHIPPED.iterdir() if folder.is_dir())
    return {folder.name: _read(folder) for folder in folders}


def load_form(name: str) -> PromptForm:
    """The shipped form of this name, or the one in this folder. Raises UnknownName and DataError."""
    if (_SHIPPED / name / "form.toml").is_file() and "/" not in name:
        return _read(_SHIPPED / name)
    if Path(name).is_dir():
        return _read(Path(name))
    raise UnknownName("prompt form", name, tuple(shipped_forms()), see="argue-bench list prompts")


def default_form(dataset: str, setting: Setting, has_requests: bool) -> PromptForm:
    """The form for a data set where none is named."""
    if dataset in ("fanoutqa", "luciole"):
        # Rows as Luciole first published them bring the system message that their rules go with.
        return load_form(f"{dataset}-v1" if dataset == "luciole" and has_requests else dataset)
    if dataset == "alce-qampari":
        return load_form("alce-list")
    if has_requests:
        return load_form("report")
    return load_form("alce-closedbook" if setting == "closedbook" else "alce-vanilla")


def copy_form(name: str, to: Path) -> None:
    """Copies a form to a new folder. Raises UnknownName, UsageError where the folder exists."""
    source = load_form(name)
    if to.exists():
        raise UsageError(f"{to} exists already: name a new folder")
    try:
        shutil.copytree(source.folder, to)
    except OSError as error:
        raise DataError.of(Code.NOT_WRITTEN, f"{error.strerror}", to) from None


def _text(file: Path) -> str:
    """The text of a form's file, empty where there is none. Raises DataError."""
    try:
        return read_bounded(file, _LIMITS).decode() if file.exists() else ""
    except UnicodeDecodeError as error:
        raise DataError.of(Code.NOT_UTF_8, f"this is not UTF-8: {error!s:.100}", file) from None


def _read(folder: Path) -> PromptForm:
    """A form from a folder. Raises DataError with every finding."""
    findings: list[Finding] = []
    toml, system, user = (_text(folder / name) for name in ("form.toml", "system.j2", "user.j2"))
    where, settings = folder / "form.toml", FormSettings()
    try:
        settings = validate(FormSettings, tomllib.loads(toml), Code.WRONG_SHAPE, where)
    except tomllib.TOMLDecodeError as error:
        findings.append(Finding(Code.WRONG_SHAPE, f"not a TOML file: {error}", str(where)))
    except DataError as error:
        findings += error.findings
    if not user.strip():
        lacks = "a form needs user.j2, and it is missing or empty"
        findings.append(Finding(Code.WRONG_SHAPE, lacks, str(folder / "user.j2")))
    if findings:
        raise DataError(findings)
    form = PromptForm(
        name=folder.name, system=system, user=user, folder=str(folder), **asdict(settings)
    )
    _ = form.templates  # a template with an error is refused here, not at the first question
    return form


def answer_in(
    reply: str, question: Question, documents: Sequence[Document], form: PromptForm
) -> tuple[str, bool]:
    """The answer in a reply, and whether the limit took words; an empty reply and a web page hold none."""
    text = _LABEL.sub("", strip_thoughts(reply)).strip()
    if not text or _PAGE.match(text):
        return "", False
    if form.cites == "numbers":
        text = cite_by_id(text, documents)
    limit = question.request.limit if question.request else None
    index = _index(documents)
    short = text if limit is None else cut_at_limit(text, limit, index, question.language)
    return short, short != text


def cite_by_id(text: str, documents: Sequence[Document]) -> str:
    """The text with every mark naming documents by id."""
    index = _index(documents)
    pieces: list[str] = []
    at = 0
    for mark in find_marks(text, index):
        if mark.kind != "point":
            continue
        names = [
            name
            if name in index.ids
            else "document_" + (re.sub(r"\W+", "_", name).strip("_")[:40] or "0")
            for name in mark.names
        ]
        pieces += [text[at : mark.start], "".join(f"[{name}]" for name in names)]
        at = mark.end
    return "".join([*pieces, text[at:]])


def _index(documents: Sequence[Document]) -> CitationIndex:
    ids = [document.id for document in documents]
    return CitationIndex.of(ids, [document.title for document in documents])
