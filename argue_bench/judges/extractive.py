"""Which words of a text answer a question? ``qa:MODEL`` asks a model trained on SQuAD 2.0, as ALCE does."""

from __future__ import annotations

from typing import cast

from argue_bench.errors import Code
from argue_bench.judges.pairs import PairJudge
from argue_bench.models.folder import find_model, read_spec, require_neural
from argue_bench.models.pairs import Pair
from argue_bench.records import JudgeRequest, Span


def qa(spec: str) -> PairJudge:
    """The judge ``qa:SPEC``; SPEC is ``MODEL`` or ``MODEL,dtype=...,device=...,batch=...,tokens=...``.

    Raises UsageError, UnknownName, MissingExtra, and DataError for a folder that won't do.
    """
    name, settings, _ = read_spec(spec)
    require_neural("the judge qa")
    folder = find_model(name, "qa")
    if not folder.architecture.endswith("ForQuestionAnswering"):
        raise folder.wrong(
            Code.NOT_QA,
            f"this is a {folder.architecture or 'model of no stated kind'}, which marks no spans",
            "Name a ...ForQuestionAnswering, such as gaotianyu1350/roberta-large-squad.",
        )
    from argue_bench.models.spans import SpanReader

    return PairJudge(f"qa:{folder.name}", Span, _texts, SpanReader(folder, settings))


def _texts(request: JudgeRequest) -> Pair:
    span = cast(Span, request)
    return span.question, span.context
