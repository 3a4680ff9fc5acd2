"""Sentence patterns: text with choices ``(a|b)`` and ``{slots}`` to fill.

A pattern file is plain text::

    == floods.evacuated en        section; in the public files domain and language are the file's
    wire: Crews evacuated {v} people from {S}, (by boat|by lorry).
    # a comment

A line may name its family, the style that it belongs to; ``[...]`` is said once for each row of
several. A private pack replaces, in every section that it names, the lines of the families that
it gives. Everything wrong with a file is found at once, with its line.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from pathlib import Path

from argue_bench.errors import UsageError
from tools.core_set.domain import KEYS, domain
from tools.core_set.stream import RandomStream
from tools.core_set.wording import LANGUAGES

FAMILIES = ("wire", "desk", "local", "ledger", "office", "voice")
"""Styles of sentence. Each fact can be said in each of them (in French, in four of them)."""
HELD_OUT = ("desk", "ledger", "voice")
"""The half on which judges are reported after they were tuned on the other."""
PLAIN = "plain"
"""The family of sentences that state no fact of the gold."""
NEXT = {"desk": "wire", "office": "ledger", "voice": "local", "local": "wire", "ledger": "wire"}
"""Where a family has no line for a section, the family that speaks instead."""
PACK_BYTES = 4_000_000
_SLOTS = "S v H h P who day n n.less noun items np old body speaker role town T T.in e"
SLOTS = frozenset(_SLOTS.split())
_TOKEN = re.compile(r"\{[^{}]*\}|[(|)]|[^{}(|)]+|[{}]")
_SECTION = re.compile(r"==\s*([a-z_.]+)(?:\s+([a-z]{2}))?\s*$")
_LINE = re.compile(r"([a-z]+): (.+)$")

Key = tuple[str, str, str]
"""Language, section, family."""


@dataclass(frozen=True, slots=True)
class Slot:
    """A place to be filled."""

    name: str


@dataclass(frozen=True, slots=True)
class Choice:
    """One of these."""

    of: tuple[tuple[str | Slot | Choice, ...], ...]


Part = str | Slot | Choice


@dataclass(frozen=True, slots=True)
class Pattern:
    """A sentence with holes. ``row`` and ``tail`` are there only where something is repeated."""

    source: str
    parts: tuple[Part, ...]
    row: tuple[Part, ...] = ()
    tail: tuple[Part, ...] = ()
    opens_with_subject: bool = False


def expand(parts: tuple[Part, ...], fill: Callable[[str], str], stream: RandomStream) -> str:
    """The text of the parts; ``fill`` gives the text of a slot."""
    out = []
    for part in parts:
        if isinstance(part, str):
            out.append(part)
        elif isinstance(part, Slot):
            out.append(fill(part.name))
        else:
            out.append(expand(stream.pick(part.of), fill, stream))
    return "".join(out)


def compile_pattern(source: str) -> Pattern:
    """The pattern of this text. Raises ValueError saying what is wrong."""
    if "[" not in source and "]" not in source:
        parts = _compile(source)
        return Pattern(source, parts, opens_with_subject=parts[:1] == (Slot("S"),))
    if not (found := re.fullmatch(r"([^][]*)\[([^][]*)\]([^][]*)", source)):
        raise ValueError("the square brackets do not match; a pattern has one pair at most")
    head, row, tail = map(_compile, found.groups())
    return Pattern(source, head, row, tail)


def _compile(source: str) -> tuple[Part, ...]:
    # The options of every open choice, from the whole pattern inwards.
    open_choices: list[list[list[Part]]] = [[[]]]
    for token in _TOKEN.findall(source):
        if token == "(":
            open_choices.append([[]])
        elif token in {"{", "}"} or (token in {"|", ")"} and len(open_choices) == 1):
            raise ValueError(f"there is a stray {token!r}")
        elif token == "|":
            open_choices[-1].append([])
        elif token == ")":
            choice = Choice(tuple(map(tuple, open_choices.pop())))
            open_choices[-1][-1].append(choice)
        elif token.startswith("{"):
            if token[1:-1] not in SLOTS:
                raise ValueError(f"there is no slot {token}")
            open_choices[-1][-1].append(Slot(token[1:-1]))
        else:
            open_choices[-1][-1].append(token)
    if len(open_choices) > 1:
        raise ValueError("a '(' is not closed")
    return tuple(open_choices[0][0])


@dataclass(frozen=True)
class Patterns:
    """All sentence patterns of a world, by language, section and family."""

    lines: dict[Key, tuple[Pattern, ...]]
    digest: str = ""
    """SHA-256 of the private pack, empty without one."""
    _found: dict[Key, tuple[str, tuple[Pattern, ...]]] = field(default_factory=dict)

    def find(self, language: str, section: str, family: str) -> tuple[str, tuple[Pattern, ...]]:
        """The lines of this family, or of the one that speaks instead, and which it is."""
        if (key := (language, section, family)) not in self._found:
            order = [family]
            while order[-1] in NEXT:
                order.append(NEXT[order[-1]])
            others = (*order, *FAMILIES, PLAIN)
            other = next((one for one in others if self.has(language, section, one)), family)
            self._found[key] = other, self.lines.get((language, section, other), ())
        return self._found[key]

    def has(self, language: str, section: str, family: str) -> bool:
        return (language, section, family) in self.lines

    def with_pack(self, path: Path) -> Patterns:
        """These patterns; the families of a private file replace their public namesakes. Raises DataError."""
        pack, raw = read_pack(path, {section for _, section, _ in self.lines})
        return Patterns({**self.lines, **pack}, hashlib.sha256(raw).hexdigest())


@cache
def public_patterns() -> Patterns:
    """The patterns that the package ships."""
    lines: dict[Key, tuple[Pattern, ...]] = {}
    folder = resources.files(__package__) / "patterns"
    for file in sorted(folder.iterdir(), key=lambda entry: entry.name):
        domain, language, _ = file.name.split(".")
        lines |= _parse(file.read_text("utf-8"), file.name, f"{domain}.", language)
    return Patterns(lines)


def read_pack(path: Path, sections: set[str]) -> tuple[dict[Key, tuple[Pattern, ...]], bytes]:
    """The lines of a private pattern file, and its bytes. Raises UsageError with every finding."""
    try:
        with path.open("rb") as file:
            raw = file.read(PACK_BYTES + 1)
    except OSError as error:
        raise UsageError(f"{path}: the pattern file can't be read: {error.strerror}") from None
    if len(raw) > PACK_BYTES:
        raise UsageError(f"{path}: it has more than {PACK_BYTES:,} bytes")
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw[: error.start].count(b"\n") + 1
        raise UsageError(f"{path}, line {line}: this is not UTF-8. Save it as UTF-8") from None
    lines = _parse(text, str(path), "", "", sections)
    if not lines:
        raise UsageError(
            f"{path}: it holds no pattern. Write sections such as '== floods.evacuated en'"
        )
    return lines, raw


def _parse(
    text: str, file: str, prefix: str, language: str, known: set[str] | None = None
) -> dict[Key, tuple[Pattern, ...]]:
    """The patterns in a file; ``known``: the sections that it may have, None for all."""
    lines: dict[Key, list[Pattern]] = {}
    findings: list[str] = []
    section, spoken = "", language
    for number, line in enumerate(map(str.strip, text.splitlines()), 1):
        if not line or line.startswith("#"):
            continue
        problem = None
        if line.startswith("=="):
            section, spoken, problem = _section(line, prefix, language, known)
        elif section:
            found = _LINE.match(line)
            family, source = (found[1], found[2]) if found else (PLAIN, line)
            if not (problem := _line_problem(section, family, source)):
                lines.setdefault((spoken, section, family), []).append(compile_pattern(source))
        elif not findings:  # one finding is enough for a section whose head is wrong
            problem = "a pattern stands before any section", "Begin with '== SECTION LANG'."
        if problem:
            findings.append(f"{file}, line {number}: {problem[0]}. {problem[1]}")
    if findings:
        raise UsageError("\n".join(findings))
    return {key: tuple(patterns) for key, patterns in lines.items()}


def _section(
    line: str, prefix: str, language: str, known: set[str] | None
) -> tuple[str, str, tuple[str, str] | None]:
    """Section, language, and the problem of the head line with its hint."""
    form = "Write '== DOMAIN.SECTION LANGUAGE', as in '== floods.evacuated en'."
    if not (found := _SECTION.match(line)):
        return "", "", ("the section's head can't be read", form)
    section, spoken = prefix + found[1], found[2] or language
    if spoken not in LANGUAGES:
        return "", "", (f"the language is {spoken or 'missing'!r}, not en or fr", form)
    if known is not None and section not in known:
        return "", "", (f"there is no section {section!r}", "See tools/core_set/patterns.")
    return section, spoken, None


def _line_problem(section: str, family: str, source: str) -> tuple[str, str] | None:
    if family not in (*FAMILIES, PLAIN):
        return f"there is no family {family!r}", f"Families: {', '.join(FAMILIES)}."
    try:
        compile_pattern(source)
    except ValueError as error:
        return str(error), "Choices are (a|b), slots {S}, rows [..]."
    if missing := [slot for slot in _needed(section, family) if slot not in source]:
        return f"the pattern lacks {' and '.join(missing)}", "Without it the fact is not stated."
    if section.endswith(".round") and "[" not in source:
        return "the pattern lacks [...]", "Put the words on each row in square brackets."
    return None


def _needed(section: str, family: str) -> tuple[str, ...]:
    """The slots without which a pattern of this section would not state its fact."""
    kind = section.partition(".")[2]
    if section == "common.corrected":
        return ("{np}", "{v}", "{old}")
    if family == PLAIN or kind in {"lead", "define"}:
        return ()
    if kind in {"members", "define_item"}:
        return ("{items}",) if kind == "members" else ("{S}",)
    return ("{v}", "{S}") if kind.endswith(".round") or kind in _item_keys() else ("{v}",)


@cache
def _item_keys() -> frozenset[str]:
    return frozenset(relation.key for key in KEYS for relation in domain(key).item_relations)
