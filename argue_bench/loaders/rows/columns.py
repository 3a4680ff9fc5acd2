"""Which column of a row is the question, the answer, its contexts, a reference, an id, a language, a cluster.

The names are those of ragas (old and new), deepeval, LangChain, LlamaIndex, TruLens, promptfoo and
MLflow. A dotted name looks into nested objects.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from argue_bench.errors import UsageError
from argue_bench.loaders.rows.contexts import as_object
from argue_bench.records import Answer
from argue_bench.text import CitationIndex

ROLES: dict[str, tuple[str, ...]] = {
    role: tuple(names.split())
    for role, names in {
        "question": "user_input question query input user_query main_input inputs.question "
        "inputs.query inputs.input vars.question vars.query vars.input prompt request instruction "
        "inputs",
        "answer": "response answer actual_output generated_answer output result model_response "
        "main_output outputs.answer outputs.output outputs.response response.output completion "
        "prediction generation article outputs",
        "contexts": "retrieved_contexts retrieval_context contexts source_documents source_nodes "
        "retrieved_documents retrieved_context context documents passages docs ctxs chunks sources "
        "outputs.contexts outputs.context outputs.documents outputs.source_documents vars.context "
        "vars.contexts retrieved_docs",
        "reference": "reference ground_truth ground_truths expected_output reference_answer "
        "expected_response expected_answer gold_answer target ideal "
        "expectations.expected_response vars.reference reference_outputs.answer",
        "id": "id question_id qid sample_id record_id trace_id request_id run_id example_id "
        "task_id test_id context.span_id",
        "language": "language lang",
        "cluster": "cluster conversation_id session_id thread_id chat_id dialogue_id",
    }.items()
}
"""The usual names of the column of each role; case, blanks, hyphens and underscores make no difference."""
REQUIRED = ("question", "answer")
QUOTED = "contexts_are_quoted"
"""The column that says that a row's contexts are what the answer quotes of the web pages that it cites."""

LACKS = "the trace lacks"
"""The column in which the row of a trace says what no span of it holds."""


class ForeignAnswer(ABC):
    """An answer in a notation that a satellite reads, in place of a text in a row."""

    text: str
    problems: Sequence[str]
    """What is wrong with its citations, a sentence each."""

    @abstractmethod
    def read(self, id: str, index: CitationIndex) -> Answer:
        """The answer with this id, which cites the documents of this index."""


def recognise(row: Mapping[str, Any], given: Mapping[str, str] | None = None) -> dict[str, str]:
    """The column of each role that a row has. ``given`` names go first.

    Raises UsageError where ``given`` names a role that is not known.
    """
    given = given or {}
    if unknown := [role for role in given if role not in ROLES]:
        known = ", ".join(ROLES)
        raise UsageError(f"--columns knows no {unknown[0]!r}; a row has: {known}")
    found: dict[str, str] = {}
    columns = _by_plain_name(tuple(row))
    for role, names in ROLES.items():
        taken = set(found.values()) | (set(given.values()) if role not in given else set())
        names = (given[role],) if role in given else names
        for usual in names:
            name = _column(row, usual, columns)
            value = look_up(row, name)
            if name in taken or value is None:
                continue
            packed = isinstance(value, Mapping) and as_object(value) is value
            if packed and role in REQUIRED and role not in given:
                continue  # "inputs": {...} whose keys were not known
            found[role] = name
            break
    return found


def _column(row: Mapping[str, Any], name: str, columns: Mapping[str, str]) -> str:
    """The column that a row has of this name, in its own spelling; else the name."""
    if name in row:
        return name
    head, dot, rest = name.partition(".")
    if (column := columns.get(_plain_name(head))) is None:
        return columns.get(_plain_name(name), name)
    inner = row[column]
    if not dot or not isinstance(inner, Mapping):
        return f"{column}{dot}{rest}"
    return f"{column}.{_column(inner, rest, _by_plain_name(tuple(inner)))}"


@lru_cache(maxsize=1 << 12)
def _plain_name(name: str) -> str:
    """A column's name without what people write in different ways: ``Retrieved Contexts``, ``actualOutput``."""
    return re.sub(r"[\s_-]", "", str(name)).casefold()


@lru_cache(maxsize=1 << 10)
def _by_plain_name(names: tuple[str, ...]) -> Mapping[str, str]:
    """Columns by their plain names; of two alike the first."""
    return {_plain_name(name): name for name in reversed(names)}


def look_up(row: Mapping[str, Any], name: str) -> Any:
    """The value of a column, or of a dotted name inside nested objects; None where there is none."""
    # A column may have a dot in its own name, as those of data frames have.
    if name in row:
        return row[name]
    value: Any = row
    for key in name.split("."):
        if not isinstance(value, Mapping) or key not in value:
            return None
        value = value[key]
    return value


def parse_columns(texts: tuple[str, ...]) -> dict[str, str]:
    """The columns of ``question=q`` texts. Raises UsageError."""
    pairs = [part.partition("=") for text in texts for part in text.split(",") if part.strip()]
    if bad := [role for role, equals, name in pairs if not equals or not name.strip()]:
        raise UsageError(f"write --columns question=NAME,answer=NAME, not {bad[0]!r}")
    return {role.strip(): name.strip() for role, _, name in pairs}
