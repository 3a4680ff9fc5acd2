"""Auto-ARGUE's prompt configuration: a JSON object from judgment type to its templates.

    {"sentence_attested": {"user_prompt": "... {sentence} ... {document}", "system_prompt": "...",
                           "default_response": "NO"}}

A template names its variables in curly brackets; ``{{`` and ``}}`` are brackets themselves.
"""

from __future__ import annotations

import string
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from argue_bench.errors import Code, DataError, Finding
from argue_bench.records.untrusted import GOLD_LIMITS, read_json

VARIABLES: dict[str, tuple[str, ...]] = {
    "negative_assertion": ("sentence",),
    "requires_citation": ("sentence",),
    "first_instance": ("sentence", "previous_sentences"),
    "cited_document_relevance": ("sentence", "document"),
    "sentence_attested": ("sentence", "document"),
    "sentence_answers_question": ("sentence", "nugget_question", "nugget_answer"),
}
"""The variables that the templates of a judgment type have, all of them and no others."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """The templates of one judgment type; ``default`` is "yes", "no", or empty for ARGUE's own."""

    user: str
    system: str = ""
    default: str = ""


def read_prompts(path: Path) -> dict[str, Prompt]:
    """Templates by judgment type. Raises DataError with all findings: types that are unknown,
    variables that are missing or foreign, each by name."""
    data = read_json(path, GOLD_LIMITS)
    findings: list[Finding] = []
    if not isinstance(data, dict):
        raise DataError.of(Code.PROMPTS_SHAPE, "this is not an object of judgment types", path)
    prompts = {
        kind: prompt
        for kind, row in data.items()
        if (prompt := _prompt(kind, row, str(path), findings)) is not None
    }
    if findings:
        raise DataError(findings)
    return prompts


def _prompt(kind: str, row: Any, file: str, findings: list[Finding]) -> Prompt | None:
    where = f"$.{kind}"

    def find(code: Code, message: str, hint: str = "") -> None:
        findings.append(Finding(code, message, file, None, where, hint))

    if kind not in VARIABLES:
        find(
            Code.JUDGMENT_TYPE,
            f"no judgment type is called {kind!r}",
            f"Types: {', '.join(VARIABLES)}.",
        )
        return None
    if not isinstance(row, Mapping) or not isinstance(row.get("user_prompt"), str):
        find(Code.PROMPT_SHAPE, "there is no user_prompt")
        return None
    foreign_keys = sorted(set(row) - {"user_prompt", "system_prompt", "default_response"})
    if foreign_keys:
        find(Code.PROMPT_KEY, f"unknown keys: {', '.join(foreign_keys)}")
    user, system = row["user_prompt"], row.get("system_prompt") or ""
    default = row.get("default_response")
    if default not in ("YES", "NO", None):
        find(Code.DEFAULT_RESPONSE, f"default_response is {default!r}, not 'YES' or 'NO'")
        default = None
    if not isinstance(system, str):
        find(Code.PROMPT_SHAPE, "system_prompt is not a text")
        return None
    try:
        named = _variables(user) | _variables(system)
    except ValueError as error:
        find(
            Code.TEMPLATE,
            f"the template can't be read: {error}",
            "Write a bracket itself as {{ or }}.",
        )
        return None
    wanted = VARIABLES[kind]
    if missing := [name for name in wanted if name not in named]:
        find(Code.VARIABLE_MISSING, f"the templates lack {_brackets(missing)}")
    if foreign := sorted(named - set(wanted)):
        find(
            Code.VARIABLE_FOREIGN,
            f"the templates name {_brackets(foreign)}",
            f"The variables are {_brackets(wanted)}; write a bracket itself as {{{{ or }}}}.",
        )
    return Prompt(user, system, (default or "").lower())


def _variables(template: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(template) if name is not None}


def _brackets(names: Any) -> str:
    return ", ".join(f"{{{name}}}" for name in names)
