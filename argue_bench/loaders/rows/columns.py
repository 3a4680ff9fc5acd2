"""Which column of a row is the question, the answer, its contexts, a reference, an id, a cluster.

The names are those of ragas (old and new), deepeval, LangChain, LlamaIndex, TruLens, promptfoo and
MLflow. A dotted name looks into nested objects.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from argue_bench.errors import UsageError

ROLES: dict[str, tuple[str, ...]] = {
    "question": (
        *(
            "user_input",
            "question",
            "query",
            "input",
            "user_query",
            "main_input",
            "inputs.question",
        ),
        *("inputs.query", "inputs.input", "vars.question", "vars.query", "vars.input", "prompt"),
        *("request", "instruction", "inputs"),
    ),
    "answer": (
        *("response", "answer", "actual_output", "actualOutput", "generated_answer", "output"),
        *("result", "model_response", "main_output", "outputs.answer", "outputs.output"),
        *(
            "outputs.response",
            "response.output",
            "completion",
            "prediction",
            "generation",
            "article",
            "outputs",
        ),
    ),
    "contexts": (
        *("retrieved_contexts", "retrieval_context", "retrievalContext", "contexts"),
        *(
            "source_documents",
            "source_nodes",
            "retrieved_documents",
            "retrieved_context",
            "context",
        ),
        *("documents", "passages", "docs", "ctxs", "chunks", "sources", "outputs.contexts"),
        *("outputs.context", "outputs.documents", "outputs.source_documents"),
        *("vars.context", "vars.contexts", "retrieved_docs"),
    ),
    "reference": (
        *("reference", "ground_truth", "ground_truths", "expected_output", "expectedOutput"),
        *("reference_answer", "expected_response", "expected_answer", "gold_answer", "target"),
        *("ideal", "expectations.expected_response", "vars.reference", "reference_outputs.answer"),
    ),
    "id": (
        *("id", "question_id", "qid", "sample_id", "record_id", "trace_id", "request_id"),
        *("run_id", "example_id", "task_id", "test_id", "context.span_id"),
    ),
    "cluster": (
        *("cluster", "conversation_id", "conversationId", "session_id", "sessionId", "thread_id"),
        *("threadId", "chat_id", "dialogue_id"),
    ),
}
REQUIRED = ("question", "answer")

Columns = Mapping[str, str]
"""Role to the name of its column."""


def recognise(row: Mapping[str, Any], given: Columns | None = None) -> dict[str, str]:
    """The column of each role that a row has. ``given`` names go first.

    Raises UsageError where ``given`` names a role that is not known.
    """
    given = given or {}
    if unknown := [role for role in given if role not in ROLES]:
        known = ", ".join(ROLES)
        raise UsageError(f"--columns knows no {unknown[0]!r}; a row has: {known}")
    found: dict[str, str] = {}
    for role, names in ROLES.items():
        taken = set(found.values()) | (set(given.values()) if role not in given else set())
        names = (given[role],) if role in given else names
        for name in names:
            value = look_up(row, name)
            if name in taken or value is None:
                continue
            if role in REQUIRED and role not in given and isinstance(value, Mapping):
                continue  # "inputs": {...} whose keys were not known
            found[role] = name
            break
    return found


def look_up(row: Mapping[str, Any], name: str) -> Any:
    """The value of a column, or of a dotted name inside nested objects; None where there is none."""
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
