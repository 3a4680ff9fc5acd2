"""What is the model told? A template for each kind of ask: ours, one's own folder, or Auto-ARGUE's file.

A folder of one's own holds ``KIND.toml`` for the kinds that it words anew, with ``system``, ``user`` and
``batched`` (the system prompt where many are asked in one call); all but ``system`` may be left out. A
template names its variables in curly brackets: ``{data}`` for all of the ask, or each of its texts. Every
variable becomes a JSON string between random markers; rules for reading those, and the form of the
reply, are added at the end of the system prompt.
"""

from __future__ import annotations

import hashlib
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from argue_bench.errors import Code, DataError, Finding
from argue_bench.judges.prompted.auto_argue import read_prompts
from argue_bench.judges.prompted.contents import ALONE, SHARED, variables
from argue_bench.judges.prompted.quoting import LONGEST, RULES
from argue_bench.judges.prompted.verdicts import declared
from argue_bench.records import JudgeRequest
from argue_bench.records.request import KINDS

_OURS = Path(__file__).with_name("templates")
_MOST_BYTES = 200_000
_DATA = "{data}"
_NAME = re.compile(r"\{(\w+)\}")
_AUTO_ARGUE: dict[str, tuple[str, dict[str, str]]] = {
    "negative_assertion": ("NegativeAssertion", {"sentence": "sentence"}),
    "requires_citation": ("NeedsCitation", {"sentence": "sentence"}),
    "first_instance": (
        "FirstInstance",
        {"sentence": "sentence", "previous_sentences": "previous_sentences"},
    ),
    "sentence_attested": ("Entails", {"sentence": "sentence", "document": "source"}),
    "sentence_answers_question": (
        "Answers",
        {"sentence": "sentence", "nugget_question": "question", "nugget_answer": "answer"},
    ),
}
"""Auto-ARGUE's judgment types as kinds, with what its variables are called here."""


class BadPrompts(DataError):
    """Templates that cannot be used, so the judge cannot judge."""

    exit_code = 3


@dataclass(frozen=True)
class Template:
    """The prompts of one kind. In ``system`` and ``user`` a variable stands as ``{name}``.

    ``batched`` is empty where the kind has no form for many at once.
    """

    system: str
    user: str = _DATA
    batched: str = ""
    names: Mapping[str, str] = field(default_factory=dict)
    """The template's variables with what they are called in the data."""


@dataclass(frozen=True)
class Prompts:
    """A template for every kind. ``digest`` is of all that is told to the model; ``defaults`` are not.

    ``unused``: what the file says and nothing here asks, in words.
    """

    templates: Mapping[type[JudgeRequest], Template]
    own: bool = False
    defaults: Mapping[type[JudgeRequest], str] = field(default_factory=dict)
    """Verdicts of failed asks under ``--on-failure default``, where they are not ARGUE's."""
    unused: str = ""

    @property
    def digest(self) -> str:
        """16 hexadecimal digits; they can be published where the prompts are kept secret."""
        sha = hashlib.sha256(f"{RULES}{LONGEST}".encode())
        for kind in sorted(self.templates, key=lambda kind: kind.__name__):
            one = self.templates[kind]
            form = (reply_form(kind), reply_form(kind, many=True))
            parts = (kind.__name__, one.system, one.user, one.batched, *form)
            sha.update("\0".join(parts).encode("utf-8", "surrogatepass"))
        return sha.hexdigest()[:16]


def reply_form(kind: type[JudgeRequest], many: bool = False) -> str:
    """What the model is told to write."""
    words = declared(kind)
    allowed = " or ".join(words) if isinstance(words, tuple) else "a text"
    if many:
        return (
            'Reply with JSON and nothing else: {"verdicts": {"1": ..., "2": ...}}, a verdict for '
            f"each number, each of them {allowed}."
        )
    return f'Reply with JSON and nothing else: {{"verdict": ...}}, where the verdict is {allowed}.'


@cache
def our_prompts() -> Prompts:
    """The templates that come with this package."""
    findings: list[Finding] = []
    templates = {
        kind: template
        for kind in ALONE
        if (template := _read(_OURS / f"{kind.__name__}.toml", kind, findings)) is not None
    }
    if findings:
        raise BadPrompts(findings)
    return Prompts(templates)


def prompts_from(path: Path) -> Prompts:
    """A folder of one's own, or Auto-ARGUE's configuration (a .json file); ours for all other kinds.

    Raises BadPrompts with every finding: kinds that do not exist, variables missing or foreign.
    """
    if path.is_dir():
        return Prompts({**our_prompts().templates, **_folder(path)}, own=True)
    try:
        return _auto_argue(path)
    except DataError as error:
        raise BadPrompts(error.findings) from None


def _folder(path: Path) -> dict[type[JudgeRequest], Template]:
    findings: list[Finding] = []
    templates: dict[type[JudgeRequest], Template] = {}
    files = sorted(path.glob("*.toml"))
    for file in files:
        kind = KINDS.get(file.stem)
        if kind is None or kind not in ALONE:
            names = ", ".join(known.__name__ for known in ALONE)
            findings.append(
                Finding(
                    Code.UNKNOWN_KIND,
                    f"no prompted ask is of the kind {file.stem!r}",
                    str(file),
                    hint=f"Kinds: {names}.",
                )
            )
            continue
        template = _read(file, kind, findings)
        if template is not None:
            templates[kind] = template
    if not files:
        findings.append(
            Finding(
                Code.NO_TEMPLATES,
                "the folder holds no KIND.toml",
                str(path),
                hint="Name a folder of templates, or Auto-ARGUE's JSON file.",
            )
        )
    if findings:
        raise BadPrompts(findings)
    return templates


def _read(file: Path, kind: type[JudgeRequest], findings: list[Finding]) -> Template | None:
    def find(code: Code, message: str, hint: str = "") -> None:
        findings.append(Finding(code, message, str(file), hint=hint))

    try:
        with file.open("rb") as opened:
            raw = opened.read(_MOST_BYTES + 1)
        if len(raw) > _MOST_BYTES:
            find(Code.TOO_LONG, f"a template has at most {_MOST_BYTES:,} bytes")
            return None
        values = tomllib.loads(raw.decode())
    except (OSError, ValueError, RecursionError) as error:
        find(Code.TEMPLATE, f"the template can't be read: {error}")
        return None
    allowed = ("system", "user", "batched")
    if wrong := [n for n, v in values.items() if n not in allowed or not isinstance(v, str)]:
        find(
            Code.TEMPLATE_KEY,
            f"not a text of a template: {', '.join(wrong)}",
            f"It has: {', '.join(allowed)}.",
        )
        return None
    if "system" not in values and "user" not in values:
        find(Code.TEMPLATE_KEY, "there is neither system nor user")
        return None
    if "batched" in values and kind not in SHARED:
        find(Code.TEMPLATE_KEY, f"{kind.__name__} asks never share a call, so batched is of no use")
        return None
    template = Template(
        values.get("system", "").strip(),
        values.get("user", _DATA).strip(),
        values.get("batched", "").strip(),
        {name: name for name in variables(kind)},
    )
    for message in _variable_problems(template, kind):
        find(Code.VARIABLE, message)
    return template


def _variable_problems(template: Template, kind: type[JudgeRequest]) -> list[str]:
    """The system prompt holds no variables: it stays the same, and its examples may have brackets."""
    wanted = variables(kind)
    named = set(_NAME.findall(template.user))
    problems = [
        f"user names {{{name}}}, which {kind.__name__} does not have; it has {{data}}, or "
        + ", ".join(f"{{{w}}}" for w in wanted)
        for name in sorted(named - {*wanted, "data"})
    ]
    if "data" not in named and (missing := [name for name in wanted if name not in named]):
        lacks = ", ".join(f"{{{name}}}" for name in missing)
        problems.append(f"user lacks {lacks} (or {{data}}, which is all of them)")
    return problems


def _auto_argue(path: Path) -> Prompts:
    """Auto-ARGUE's templates and default responses.

    Its ``cited_document_relevance`` judges a document by the sentence that cites it. `Relevant` judges it
    by a nugget's answer, whatever cites it: no wording turns one into the other, so it is not used.
    """
    templates = dict(our_prompts().templates)
    defaults: dict[type[JudgeRequest], str] = {}
    given = read_prompts(path)
    for judgment, prompt in given.items():
        if judgment not in _AUTO_ARGUE:
            continue
        name, names = _AUTO_ARGUE[judgment]
        kind = KINDS[name]
        templates[kind] = Template(
            _unbracketed(prompt.system), _unbracketed(prompt.user), names=names
        )
        if prompt.default and prompt.default != kind.default:
            defaults[kind] = prompt.default
    unused = ", ".join(sorted(set(given) - set(_AUTO_ARGUE)))
    return Prompts(templates, own=True, defaults=defaults, unused=unused)


def _unbracketed(template: str) -> str:
    """The template with ``{{`` and ``}}`` as the brackets that they stand for; variables stay."""
    import string

    parts: list[str] = []
    for text, name, _, _ in string.Formatter().parse(template):
        parts += [text, f"{{{name}}}" if name is not None else ""]
    return "".join(parts)


def filled(text: str, values: Mapping[str, Any]) -> str:
    """The template with its variables replaced, once, so that a value can't name another variable."""
    return _NAME.sub(lambda match: str(values.get(match[1], match[0])), text)
