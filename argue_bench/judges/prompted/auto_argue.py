"""Auto-ARGUE's prompt configuration: a JSON object from judgment type to its templates.

    {"sentence_attested": {"user_prompt": "... {sentence} ... {document}", "system_prompt": "...",
                           "default_response": "NO"}}

A template names its variables in curly brackets; ``{{`` and ``}}`` are brackets themselves.
"""

from __future__ import annotations

import string
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from argue_bench.errors import Code, DataError, Finding
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


@dataclass(frozen=True, slots=True)
class Prompt:
    """The templates of one judgment type; ``default`` is "yes", "no", or empty for ARGUE's own."""

    user: str
    system: str = ""
    default: str = ""


def read_prompts(path: Path) -> dict[str, Prompt]:
    """Templates by judgment type.

    Raises DataError with every finding: unknown types, variables that are missing or unknown.
    """
    data = read_json(path, GOLD_LIMITS)
    if not isinstance(data, dict):
        raise DataError.of(Code.PROMPTS_SHAPE, "this is not an object of judgment types", path)
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
        )
        for kind, row in data.items()
    }


def _problems(kind: str, row: Any) -> Iterator[tuple[Code, str, str]]:
    """What is wrong with one judgment type: code, message and hint."""
    if kind not in VARIABLES:
        about, hint = f"no judgment type is called {kind!r}", f"Types: {', '.join(VARIABLES)}."
        yield Code.JUDGMENT_TYPE, about, hint
        return
    if not isinstance(row, Mapping) or not isinstance(row.get("user_prompt"), str):
        yield Code.PROMPT_SHAPE, "there is no user_prompt", ""
        return
    if unknown := sorted(set(row) - {"user_prompt", "system_prompt", "default_response"}):
        yield Code.PROMPT_KEY, f"unknown keys: {', '.join(unknown)}", ""
    default, system = row.get("default_response"), row.get("system_prompt") or ""
    if default not in ("YES", "NO", None):
        about = f"default_response is {default!r}, not 'YES' or 'NO'"
        yield Code.DEFAULT_RESPONSE, about, ""
    if not isinstance(system, str):
        yield Code.PROMPT_SHAPE, "system_prompt is not a text", ""
        return
    try:
        named = _variables(row["user_prompt"]) | _variables(system)
    except ValueError as error:
        hint = "Write a bracket itself as {{ or }}."
        yield Code.TEMPLATE, f"the template can't be read: {error}", hint
        return
    wanted = VARIABLES[kind]
    if missing := [name for name in wanted if name not in named]:
        yield Code.VARIABLE, f"the templates lack {_brackets(missing)}", ""
    if foreign := sorted(named - set(wanted)):
        hint = f"The variables are {_brackets(wanted)}; write a bracket itself as {{{{ or }}}}."
        yield Code.VARIABLE, f"the templates name {_brackets(foreign)}", hint


def _variables(template: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(template) if name is not None}


def _brackets(names: Iterable[str]) -> str:
    return ", ".join(f"{{{name}}}" for name in names)
