"""One report with everything that was judged of it, as plain data for a page.

The argue family is read through `argue_bench.metrics.argue`, so that a page shows exactly what was
counted; the other families show their asks as they were put, beside the sentence they are about.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from argue_bench.eval.run import Entry, Header
from argue_bench.loaders.dataset import Dataset
from argue_bench.metrics import METRICS, parse
from argue_bench.metrics.argue import Argue
from argue_bench.metrics.argue.judgments import JudgedReport, judge_report
from argue_bench.pages import safe
from argue_bench.pages.columns import family_of, judge_name, unit_of_tally
from argue_bench.pages.contract import digest
from argue_bench.pages.view.passages import passage
from argue_bench.pages.view.verdicts import JudgedRequest, JudgeVerdicts
from argue_bench.records import Answer, Document, Question, Tally

Json = dict[str, Any]
TEXT = 20_000
DOCUMENTS = 80_000
"""Characters of documents on a report's page, fewer where the report itself is long; what is longer is
cut, and whole on its own page."""
PASSAGES = 150
"""Sentence-document pairs whose passage is shown."""


@dataclass(frozen=True)
class ReportSource:
    """What one topic's page is made from."""

    header: Header
    dataset: Dataset
    question: Question
    entry: Entry
    heards: Mapping[str, JudgeVerdicts]


def report_data(case: ReportSource) -> Json:
    """One report as plain data."""
    question, answer = case.question, case.entry.answer
    documents = case.dataset.citable(question)
    text = next((m for m in case.header.metrics if isinstance(_metric(m), Argue)), "")
    judged = _judged(case, text, documents) if text else None
    request = question.request
    return {
        "id": safe.text(question.id, 120),
        "text": safe.text(question.text, 2000, lines=True),
        "title": safe.text(request.title, 300) if request and request.title else "",
        "problem": safe.text(request.problem_statement, 5000, lines=True) if request else "",
        "background": safe.text(request.background, 5000, lines=True) if request else "",
        "limit": request.limit if request else None,
        "categories": [safe.text(c, 80) for c in question.categories],
        "run": safe.text(answer.run, 120),
        "empty": answer.empty and not answer.sentences,
        "answerable": question.gold.answerable if question.gold else True,
        "argue": text,
        "judged": judged is not None,
        "judge": safe.text(case.header.signature.get(text, {}).get("judge", ""), 300),
        "sentences": _sentences(case, text, judged, documents),
        "nuggets": _nuggets(judged),
        "documents": _documents(question, answer, documents),
        "metrics": (metrics := [_metric_row(case, metric) for metric in case.header.metrics]),
        "strip": [one for row in metrics for one in _strip(row, 4 if row["metric"] == text else 2)],
        "asks": [_ask(metric, heard) for metric, heard in _asks(case) if metric != text],
        "raw": any(heard.raw for _, heard in _asks(case)),
        "asked": sum(len(keys) for keys in case.entry.requests.values()),
    }


def _metric(text: str) -> Any:
    return parse(text) if text.partition("(")[0] in METRICS else None


def _judged(
    case: ReportSource, text: str, documents: Mapping[str, Document]
) -> JudgedReport | None:
    """ARGUE's judgments, or None where the store lacks a verdict that they rest on."""
    metric = _metric(text)
    heards = case.heards.get(text)
    if heards is None or case.entry.tallies.get(text) is None:
        return None
    try:
        return judge_report(
            case.question,
            case.entry.answer,
            documents,
            heards,  # type: ignore[arg-type]
            metric.decided,
            metric.support,
        )
    except KeyError:
        return None


def _sentences(
    case: ReportSource, text: str, judged: JudgedReport | None, documents: Mapping[str, Document]
) -> list[Json]:
    answer = case.entry.answer
    about: dict[str, list[Json]] = {}
    for metric, heard in _asks(case):
        place = heard.fields.get("sentence") or heard.fields.get("hypothesis")
        if isinstance(place, str):
            about.setdefault(place, []).append(_ask(metric, heard))
    marks = {id: n for n, id in enumerate(_cited(answer), 1)}
    shown = 0
    rows = []
    for number, sentence in enumerate(answer.sentences, 1):
        one = judged.sentences[number - 1] if judged is not None else None
        said = about.get(sentence.text[:400], []) or about.get(f"{sentence.text[:399]}…", [])
        citations = []
        for place, id in enumerate(dict.fromkeys(sentence.citations)):
            document = documents.get(id)
            found = one.citations[place] if one and place < len(one.citations) else None
            shown += document is not None
            pieces = (
                passage(document.text[:TEXT], sentence.text)
                if document is not None and shown <= PASSAGES
                else []
            )
            citations.append(
                {
                    "id": safe.text(id, 80),
                    "mark": marks[id],
                    "known": document is not None,
                    "title": safe.text(document.title, 120) if document else "",
                    "attested": found.attested if found else None,
                    "relevant": found.relevant if found else None,
                    "passage": [[safe.text(p, 400), hit] for p, hit in pieces],
                }
            )
        rows.append(
            {
                "n": number,
                "text": safe.text(sentence.text, 3000),
                "fate": str(one.fate) if one else "unjudged",
                "citations": citations,
                "nuggets": _matched(judged, number - 1),
                "asks": [ask for ask in said if ask["verdict"] != "no" or ask["kind"] != "Answers"],
                "no": sum(ask["kind"] == "Answers" and ask["verdict"] == "no" for ask in said),
            }
        )
    return rows


def _matched(judged: JudgedReport | None, place: int) -> list[Json]:
    """The nuggets that a sentence earns answers of, confirms or cancels."""
    if judged is None:
        return []
    found = []
    for number, one in enumerate(judged.nuggets, 1):
        answers = [
            safe.text(one.nugget.answers[index].text, 300)
            for index, places in one.found.items()
            if place in places
        ]
        how = (
            "cancels"
            if place in one.cancelled_by
            else ("confirms" if place in one.confirmed_by else "answers")
        )
        if answers or how != "answers":
            found.append(
                {
                    "n": number,
                    "question": safe.text(one.nugget.question, 300),
                    "answers": answers,
                    "how": how,
                }
            )
    return found


def _nuggets(judged: JudgedReport | None) -> list[Json]:
    if judged is None:
        return []
    return [
        {
            "n": number,
            "id": safe.text(one.nugget.id, 80),
            "question": safe.text(one.nugget.question, 500),
            "weight": one.nugget.weight or "",
            "combine": one.nugget.combine if one.nugget.answerable else "none",
            "correct": one.correct,
            "earned": one.earned,
            "answers": [
                {
                    "text": safe.text(accepted.text, 300),
                    "found": [place + 1 for place in one.found.get(index, ())],
                    "references": [safe.text(r, 80) for r in accepted.references[:12]],
                }
                for index, accepted in enumerate(one.nugget.answers)
            ],
            "confirmed": [place + 1 for place in one.confirmed_by],
            "cancelled": [place + 1 for place in one.cancelled_by],
            "wrong": [safe.text(w, 200) for w in one.nugget.wrong],
        }
        for number, one in enumerate(judged.nuggets, 1)
    ]


def _cited(answer: Answer) -> list[str]:
    return list(dict.fromkeys(id for s in answer.sentences for id in s.citations))


def _documents(question: Question, answer: Answer, documents: Mapping[str, Document]) -> list[Json]:
    """Cited documents in the order of their marks, then gold ones that nobody cited."""
    gold = question.gold.supporting if question.gold else ()
    cited = _cited(answer)
    wanted = [id for id in (*cited, *(g for g in gold if g not in cited)) if id in documents]
    room = min(DOCUMENTS, max(DOCUMENTS // 5, 110_000 - 350 * len(answer.sentences)))
    each = max(300, room // max(1, len(wanted)))
    rows = []
    for id in wanted:
        document = documents[id]
        whole = safe.text(document.text, 200_000, lines=True)
        rows.append(
            {
                "id": safe.text(id, 80),
                "mark": cited.index(id) + 1 if id in cited else 0,
                "title": safe.text(document.title, 200),
                "date": safe.text(document.date, 40),
                "text": whole[:each],
                "cut": len(whole) > each,
                "whole": whole if len(whole) > each else "",
                "gold": id in gold,
                "by": [n for n, s in enumerate(answer.sentences, 1) if id in s.citations][:60],
            }
        )
    return rows


def _metric_row(case: ReportSource, metric: str) -> Json:
    tallies = case.entry.tallies.get(metric)
    parts = case.header.signature.get(metric, {})
    known = _metric(metric)
    return {
        "metric": safe.text(metric, 200),
        "family": family_of(metric),
        "judge": judge_name(parts),
        "signature": digest(parts),
        "failed": tallies is None,
        "failures": [safe.text(f, 300) for f in case.entry.failures.get(metric, ())[:5]],
        "scores": [
            {
                "name": safe.text(name.replace("_", " "), 60),
                "value": tally.value,
                "got": tally.numerator,
                "of": tally.denominator,
                "note": safe.text(tally.note, 600),
                "unit": unit_of_tally(metric, name),
                "head": known is None or name in (known.headline or known.scores),
            }
            for name, tally in _ordered(known, tallies or {})
        ],
    }


def _strip(row: Json, most: int) -> list[Json]:
    """A metric's first main scores, those that apply to the question before those that do not."""
    heads = sorted((s for s in row["scores"] if s["head"]), key=lambda s: s["value"] is None)
    return [
        {"metric": row["metric"], **{k: s[k] for k in ("name", "value", "got", "of", "unit")}}
        for s in heads[:most]
    ]


def _headlines(metric: Any) -> Sequence[str]:
    return [
        column
        for score in metric.headline or metric.scores
        for column in metric.scores[score].columns_read
    ]


def _ordered(metric: Any, tallies: Mapping[str, Tally]) -> list[tuple[str, Tally]]:
    heads = list(_headlines(metric)) if metric is not None else []
    return sorted(
        tallies.items(), key=lambda item: heads.index(item[0]) if item[0] in heads else len(heads)
    )


def _asks(case: ReportSource) -> Iterator[tuple[str, JudgedRequest]]:
    for metric, keys in case.entry.requests.items():
        heards = case.heards.get(metric)
        if heards is not None:
            yield from ((metric, said) for key in keys if (said := heards.heard(key)) is not None)


def _ask(metric: str, heard: JudgedRequest) -> Json:
    fields = {}
    for name, value in heard.fields.items():
        if isinstance(value, dict):
            value = value.get("id", "")
        elif isinstance(value, list):
            value = ", ".join(
                str(v.get("id", "")) if isinstance(v, dict) else str(v) for v in value
            )
        fields[name] = safe.text(str(value), 300)
    return {
        "key": heard.key[:16],
        "kind": heard.kind,
        "metric": safe.text(metric, 200),
        "fields": fields,
        "verdict": safe.text(str(heard.verdict.value), 300),
        "note": safe.text(heard.verdict.note, 300),
        "judge": safe.text(heard.judge, 200),
        "raw": heard.raw,
    }
