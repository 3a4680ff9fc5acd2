"""Auto-ARGUE's prompt configuration: a JSON object from judgment type to its templates.

    {"sentence_attested": {"user_prompt": "... {sentence} ... {document}", "system_prompt": "...",
                           "default_response": "NO"}}

A template names its variables in curly brackets; ``{{`` and ``}}`` are brackets themselves. The prompts ask for
YES or NO, so the reply is that word alone.
"""

from __future__ import annotations

import string
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Literal

from argue_bench.errors import Code
from argue_bench.judges.prompted.prompts import Prompts, Template, our_prompts
from argue_bench.loaders.findings import Findings
from argue_bench.records import JudgeRequest
from argue_bench.records.request import KINDS
from argue_bench.records.untrusted import GOLD_LIMITS, read_json
from argue_bench.records.validation import Record, validate

_KINDS: dict[str, tuple[str, Mapping[str, str]]] = {
    # judgment type: the kind of request, and its variables with their names here
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
    # It judges a document by the sentence that cites it; `Relevant` judges it by a nugget's answer, whatever
    # cites it. No wording turns one into the other, so it is read and not used.
    "cited_document_relevance": ("", {"sentence": "sentence", "document": "document"}),
}


class _Row(Record):
    """The templates of one judgment type; without a default the verdict is ARGUE's own."""

    user_prompt: str
    system_prompt: str | None = None
    default_response: Literal["YES", "NO"] | None = None


def judge_prompts(path: Path) -> Prompts:
    """The templates and default responses for a judge, ours for all other kinds of requests.

    Raises DataError with every finding: unknown types, variables that are missing or unknown.
    """
    hint = f"An object of judgment types: {', '.join(_KINDS)}."
    given = validate(
        dict[str, _Row], read_json(path, GOLD_LIMITS), Code.WRONG_SHAPE, path, hint=hint
    )
    templates, found = dict(our_prompts().templates), Findings(path)
    defaults: dict[type[JudgeRequest], str] = {}
    for judgment, row in given.items():
        if judgment not in _KINDS:
            found.add(Code.WRONG_SHAPE, f"no judgment type is called {judgment!r}", hint=hint)
            continue
        name, names = _KINDS[judgment]
        system = row.system_prompt or ""
        try:
            named = _variables(row.user_prompt) | _variables(system)
        except ValueError as error:
            message, way = f"the template can't be read: {error}", "Write a bracket as {{ or }}."
            found.add(Code.WRONG_SHAPE, message, path=f"$.{judgment}", hint=way)
            continue
        for word, others in (("lack", names.keys() - named), ("name", named - names.keys())):
            if others:
                message = f"the templates {word} {_brackets(sorted(others))}"
                way = (
                    f"The variables are {_brackets(names)}; write a bracket itself as {{{{ or }}}}."
                )
                found.add(Code.WRONG_SHAPE, message, path=f"$.{judgment}", hint=way)
        if not name:
            continue
        kind = KINDS[name]
        templates[kind] = Template(
            _unbracketed(system), _unbracketed(row.user_prompt), names=names, reply="word"
        )
        default = (row.default_response or "").lower()
        if default and default != kind.default:
            defaults[kind] = default
    found.raise_errors()
    return Prompts(
        templates,
        own=True,
        defaults=defaults,
        unused=", ".join(one for one in given if not _KINDS[one][0]),
    )


def _unbracketed(template: str) -> str:
    """The template with ``{{`` and ``}}`` as single brackets; variables stay."""
    parts: list[str] = []
    for text, name, _, _ in string.Formatter().parse(template):
        parts += [text, f"{{{name}}}" if name is not None else ""]
    return "".join(parts)


def _variables(template: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(template) if name is not None}


def _brackets(names: Iterable[str]) -> str:
    return ", ".join(f"{{{name}}}" for name in names)
