"""Classes (`provided`) of the sentences that `judgments` found without support, which take further requests."""

from __future__ import annotations

from dataclasses import replace

from argue_bench.metrics.base import Steps
from argue_bench.metrics.citations.judgments import CheckedAnswer, CheckedSentence
from argue_bench.metrics.citations.provided import Unsupported
from argue_bench.metrics.web_pages import evidence
from argue_bench.records import (
    Answer,
    Documents,
    Miss,
    Question,
    Source,
    SupportLevel,
    WebPage,
)


def classify_unsupported(
    question: Question, answer: Answer, documents: Documents, judged: CheckedAnswer
) -> list[Steps[Miss]]:
    """For each sentence without support the steps to its class; one that cites nothing has it already."""
    near = answer.neighbours if len(answer.sentences) == len(judged.sentences) else ()
    steps = []
    for miss in judged.misses:
        place = int(miss.id) - 1
        before, after = near[place] if near else ("", "")
        context = SupportLevel((), miss.text, question.text, before, after)
        steps.append(_classify(miss, judged.sentences[place], context, question, documents))
    return steps


def _classify(
    miss: Miss,
    checked: CheckedSentence,
    context: SupportLevel,
    question: Question,
    documents: Documents,
) -> Steps[Miss]:
    if not checked.citations:
        return miss
    cited = [one.document for one in checked.citations]
    read = [one.document for one in checked.citations if one.finding == "unsupported"]
    judged = replace(context, premise=tuple(evidence(documents[id], miss.text) for id in read))
    level = "no"
    if read:
        # What its documents do not support in full, they support in part at most.
        level = "no" if (yield [judged])[judged].value == "no" else "partial"
    others = [documents[id] for id in question.documents if id in documents and id not in cited]
    return (
        yield from Unsupported(
            int(miss.id),
            judged,
            level,
            () if read else tuple(cited),
            [Source.of(one) for one in others if not isinstance(one, WebPage)],
        ).classify()
    )
