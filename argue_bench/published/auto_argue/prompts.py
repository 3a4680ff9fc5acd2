"""Auto-ARGUE's prompt configuration: a JSON object from judgment type to its templates.

    {"sentence_attested": {"user_prompt": "... {sentence} ... {document}", "system_prompt": "...",
                           "default_response": "NO", "reply": "word"}}

A template names its variables in curly brackets; ``{{`` and ``}}`` are brackets themselves. Auto-ARGUE's
prompts ask for YES or NO, so the reply is that word alone; with ``"reply": "object"``, which is ours, the
prompt asks for our JSON object.
"""

from __future__ import annotations

import string
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from argue_bench.errors import Code, DataError, Finding
from argue_bench.judges.prompted.prompts import Prompts, Template, our_prompts
from argue_bench.records import JudgeRequest
from argue_bench.records.request import KINDS
from argue_bench.records.untrusted import GOLD_LIMITS, read_json

# The variables that the templates of a judgment type must have; they can have no others.
VARIABLES: dict[str, tuple[str, ...]] = {
    "negative_assertion": ("sentence",),
    "requires_citation": ("sentence",),
    "first_instance": ("sentence", "previous_sentences"),
    "cited_document_relevance": ("sentence", "document"),
    "sentence_attested": ("sentence", "document"),
    "sentence_answers_question": ("sentence", "nugget_question", "nugget_answer"),
}


# Judgment types as kinds of requests, and their variables with their names here.
_KINDS: dict[str, tuple[str, dict[str, str]]] = {
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


@dataclass(frozen=True, slots=True)
class Prompt:
    """The templates of one judgment type; ``default`` is "yes", "no", or empty for ARGUE's own."""

    user: str
    system: str = ""
    default: str = ""
    reply: str = "word"


def read_prompts(path: Path) -> dict[str, Prompt]:
    """Templates by judgment type.

    Raises DataError with every finding: unknown types, variables that are missing or unknown.
    """
    data = read_json(path, GOLD_LIMITS)
    if not isinstance(data, dict):
        raise DataError.of(Code.WRONG_SHAPE, "this is not an object of judgment types", path)
    if findings := [
        Finding(code, message, str(path), None, f"$.{kind}", hint)
        for kind, row in data.items()
        for code, message, hint in _problems(kind, row)
    ]:
        raise DataError(findings)
    return {
        kind: Prompt(
            row["user_prompt"],
            row.get("system_prompt") or "",
            (row.get("default_response") or "").lower(),
            row.get("reply", "word"),
        )
        for kind, row in data.items()
    }


def judge_prompts(path: Path) -> Prompts:
    """The templates and default responses for a judge, ours for all other kinds of requests.

    Its ``cited_document_relevance`` judges a document by the sentence that cites it. `Relevant` judges it
    by a nugget's answer, whatever cites it: no wording turns one into the other, so it is not used.
    """
    templates = dict(our_prompts().templates)
    defaults: dict[type[JudgeRequest], str] = {}
    given = read_prompts(path)
    for judgment, prompt in given.items():
        if judgment not in _KINDS:
            continue
        name, names = _KINDS[judgment]
        kind = KINDS[name]
        templates[kind] = Template(
            _unbracketed(prompt.system), _unbracketed(prompt.user), names=names, reply=prompt.reply
        )
        if prompt.default and prompt.default != kind.default:
            defaults[kind] = prompt.default
    unused = ", ".join(sorted(set(given) - set(_KINDS)))
    return Prompts(templates, own=True, defaults=defaults, unused=unused)


def _unbracketed(template: str) -> str:
    """The template with ``{{`` and ``}}`` as single brackets; variables stay."""
    parts: list[str] = []
    for text, name, _, _ in string.Formatter().parse(template):
        parts += [text, f"{{{name}}}" if name is not None else ""]
    return "".join(parts)


def _problems(kind: str, row: Any) -> Iterator[tuple[Code, str, str]]:
    """What is wrong with one judgment type: code, message and hint."""
    if kind not in VARIABLES:
        about, hint = f"no judgment type is called {kind!r}", f"Types: {', '.join(VARIABLES)}."
        yield Code.WRONG_SHAPE, about, hint
        return
    if not isinstance(row, Mapping) or not isinstance(row.get("user_prompt"), str):
        yield Code.WRONG_SHAPE, "there is no user_prompt", ""
        return
    if unknown := sorted(set(row) - {"user_prompt", "system_prompt", "default_response", "reply"}):
        yield Code.WRONG_SHAPE, f"unknown keys: {', '.join(unknown)}", ""
    default, system = row.get("default_response"), row.get("system_prompt") or ""
    if default not in ("YES", "NO", None):
        about = f"default_response is {default!r}, not 'YES' or 'NO'"
        yield Code.WRONG_SHAPE, about, ""
    if row.get("reply", "word") not in ("word", "object"):
        yield Code.WRONG_SHAPE, f"reply is {row['reply']!r}, not 'word' or 'object'", ""
    if not isinstance(system, str):
        yield Code.WRONG_SHAPE, "system_prompt is not a text", ""
        return
    try:
        named = _variables(row["user_prompt"]) | _variables(system)
    except ValueError as error:
        hint = "Write a bracket itself as {{ or }}."
        yield Code.WRONG_SHAPE, f"the template can't be read: {error}", hint
        return
    wanted = VARIABLES[kind]
    if missing := [name for name in wanted if name not in named]:
        yield Code.WRONG_SHAPE, f"the templates lack {_brackets(missing)}", ""
    if foreign := sorted(named - set(wanted)):
        hint = f"The variables are {_brackets(wanted)}; write a bracket itself as {{{{ or }}}}."
        yield Code.WRONG_SHAPE, f"the templates name {_brackets(foreign)}", hint


def _variables(template: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(template) if name is not None}


def _brackets(names: Iterable[str]) -> str:
    return ", ".join(f"{{{name}}}" for name in names)
