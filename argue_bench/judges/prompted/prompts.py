"""Prompts: a template for each kind of judge request, ours, one's own, or Auto-ARGUE's.

A folder of one's own holds ``KIND.toml`` for the kinds that it words anew, with ``system``, ``user``,
``batched`` (the system prompt for many requests in one call), ``source`` (what the judgment is taken
from) and ``reply``: "object", or "word" where the prompt asks for the verdict alone; either of the first two
may be left out. A template names its variables in curly brackets:
``{data}`` for the whole request, or each of its texts; those of its context may be left out. Every variable becomes a JSON string between
markers; rules for reading those and for the reply are added at the end of the system prompt, and the
form of the reply is the last line of the user's.
"""

from __future__ import annotations

import hashlib
import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Literal

from argue_bench import satellites
from argue_bench.errors import Code, DataError, Finding
from argue_bench.judges.prompted.contents import LAYOUTS, LONGEST, RULES, variables
from argue_bench.judges.prompted.replies import ReplyForm, declared_words
from argue_bench.records import JudgeRequest
from argue_bench.records.request import KINDS
from argue_bench.records.untrusted import Limits, read_bounded
from argue_bench.records.validation import Record, validate

_OURS = Path(__file__).with_name("templates")
# The shipped templates have some kilobytes; a larger file is another one, and is not read into memory.
_LIMITS = Limits(file_bytes=200_000)
_DATA = "{data}"
_NAME = re.compile(r"\{(\w+)\}")


class BadPrompts(DataError):
    """Templates that cannot be used."""

    exit_code = 3


@dataclass(frozen=True)
class Template:
    """The prompts of one kind, with variables as ``{name}`` in ``system`` and ``user``.

    ``batched`` is empty where requests of the kind never share a call; ``source`` is told to no model.
    """

    system: str
    user: str = _DATA
    batched: str = ""
    source: str = ""
    reply: str = "object"
    names: Mapping[str, str] = field(default_factory=dict)
    """The template's variables, each with its name in the data."""


@dataclass(frozen=True)
class Prompts:
    """A template for every kind. ``digest`` covers all that the model is told, without ``defaults``.

    ``unused`` names parts of the file that no request here corresponds to.
    """

    templates: Mapping[type[JudgeRequest], Template]
    own: bool = False
    defaults: Mapping[type[JudgeRequest], str] = field(default_factory=dict)
    """Verdicts of failed requests under ``--on-failure default``, where they are not ARGUE's."""
    unused: str = ""

    @property
    def digest(self) -> str:
        """16 hexadecimal digits; they can be published where the prompts are kept secret."""
        sha = hashlib.sha256(f"{RULES}{LONGEST}".encode())
        for kind in sorted(self.templates, key=lambda kind: kind.__name__):
            one = self.templates[kind]
            word = one.reply == "word"
            forms = (ReplyForm(declared_words(kind), n, "KEY", word=word) for n in (0, 2))
            told = [text for form in forms for text in (form.rules(), form.last_line())]
            parts = (kind.__name__, one.system, one.user, one.batched, *told)
            sha.update("\0".join(parts).encode("utf-8", "surrogatepass"))
        return sha.hexdigest()[:16]


@cache
def our_prompts() -> Prompts:
    """The templates that come with this package."""
    return Prompts(_read_all(_OURS / f"{kind.__name__}.toml" for kind in LAYOUTS))


def prompts_from(path: Path) -> Prompts:
    """A folder of one's own, or Auto-ARGUE's configuration (a .json file); ours for all other kinds.

    Raises BadPrompts with every finding: unknown kinds, variables that are missing or unknown.
    """
    if not path.is_dir():
        try:
            found: Prompts = satellites.import_text(satellites.JUDGE_PROMPTS)(path)
            return found
        except DataError as error:
            raise BadPrompts(error.findings) from None
    files = sorted(path.glob("*.toml"))
    if not files:
        raise BadPrompts.of(
            Code.EMPTY,
            "the folder holds no KIND.toml",
            path,
            hint="Name a folder of templates, or Auto-ARGUE's JSON file.",
        )
    return Prompts({**our_prompts().templates, **_read_all(files)}, own=True)


def _read_all(files: Iterable[Path]) -> dict[type[JudgeRequest], Template]:
    """The templates of these files, each called KIND.toml."""
    findings: list[Finding] = []
    templates: dict[type[JudgeRequest], Template] = {}
    for file in files:
        try:
            kind = KINDS.get(file.stem)
            if kind not in LAYOUTS:
                raise DataError.of(
                    Code.WRONG_VALUE,
                    f"there are no prompts for the kind {file.stem!r}",
                    file,
                    hint=f"Kinds: {', '.join(known.__name__ for known in LAYOUTS)}.",
                )
            templates[kind] = _read(file, kind)
        except DataError as error:
            findings += error.findings
    if findings:
        raise BadPrompts(findings)
    return templates


class _File(Record):
    """A template as its file has it."""

    system: str = ""
    user: str = _DATA
    batched: str = ""
    source: str = ""
    reply: Literal["object", "word"] = "object"


def _read(file: Path, kind: type[JudgeRequest]) -> Template:
    try:
        values = tomllib.loads(read_bounded(file, _LIMITS).decode())
    except (ValueError, RecursionError) as error:
        raise DataError.of(Code.WRONG_SHAPE, f"the template can't be read: {error}", file) from None
    given = validate(_File, values, Code.WRONG_SHAPE, file)
    wanted = variables(kind)
    known = (*wanted, *kind.context_fields)
    template = Template(**vars(given), names={name: name for name in known})
    problems = []
    if not {"system", "user"} & values.keys():
        problems.append("there is neither system nor user")
    if given.reply == "word" and (given.batched or not declared_words(kind)):
        problems.append(
            "reply = 'word' is for prompts of one request whose verdict is one of several words"
        )
    # Only the user prompt has variables: a system prompt stays the same, and its examples may have
    # brackets.
    named = set(_NAME.findall(template.user))
    problems += [
        f"user names {{{name}}}, which {kind.__name__} does not have; it has {{data}}, or "
        + ", ".join(f"{{{w}}}" for w in wanted)
        for name in sorted(named - {*known, "data"})
    ]
    if "data" not in named and (missing := [name for name in wanted if name not in named]):
        lacks = ", ".join(f"{{{name}}}" for name in missing)
        problems.append(f"user lacks {lacks} (or {{data}}, which is all of them)")
    if problems:
        raise DataError([Finding(Code.WRONG_SHAPE, message, str(file)) for message in problems])
    return template


def filled(text: str, values: Mapping[str, Any]) -> str:
    """The template with its variables replaced, once, so that a value can't name another variable."""
    return _NAME.sub(lambda match: str(values.get(match[1], match[0])), text)
