"""One report with all of its judgments, as plain data for its pages.

The argue family is rebuilt through `argue_bench.metrics.argue`, so pages show exactly the judgments that were counted.
Judge requests of other metrics are shown as they were sent, beside the sentence that they are about.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Any

from argue_bench.eval.run import Entry, Header
from argue_bench.eval.signature import Signature, judge_text, without_observed
from argue_bench.loaders.dataset import Dataset
from argue_bench.metrics import Metric
from argue_bench.metrics.argue.argue import Argue
from argue_bench.metrics.argue.judging import JudgedReport, judge_report
from argue_bench.metrics.score_names import score_name
from argue_bench.records import Document, Failed, JudgeRequest, Meets, NotJudged, Question, Verdict
from argue_bench.records.grouping import grouped
from argue_bench.store import Store, StoredFailure, StoredVerdict
from argue_bench.text.statements import claim_sentences
from argue_bench.view import safe
from argue_bench.view.answer_text import passage, shown
from argue_bench.view.columns import family_of, judge_name, unit_of_tally

# The verdicts of a run, read from its verdict store.
#
# The store is read twice: first what pages show (verdict, note, judge), then the raw requests and
# replies one at a time, because all of them together may not fit into memory.

# Characters of a request's field in memory and on pages.
FIELD_LENGTH = 400


@dataclass(frozen=True, slots=True)
class JudgedRequest:
    """One judge request with its verdict; in ``fields`` texts are cut and sources are their ids."""

    key: str
    kind: str
    fields: Mapping[str, Any]
    judge: str
    verdict: Verdict
    has_reply: bool
    """Whether the store has a prompt or a reply."""


class JudgeVerdicts:
    """All verdicts of one judge, with the defaults that the run filled in for failed requests."""

    def __init__(
        self, found: Mapping[str, JudgedRequest], defaults: Mapping[str, str] | None = None
    ) -> None:
        self._found, self._defaults = found, defaults or {}

    def __getitem__(self, request: JudgeRequest) -> Verdict:
        if (found := self._found.get(request.key)) is not None:
            return found.verdict
        if request.key in self._defaults:
            return Verdict(self._defaults[request.key], note="default")
        raise KeyError(request)

    def __contains__(self, request: object) -> bool:
        key = getattr(request, "key", None)
        return key in self._found or key in self._defaults

    def find(self, key: str) -> JudgedRequest | None:
        return self._found.get(key)


def read_verdicts(
    store: Path, header: Header, keys: set[str], defaults: Mapping[str, Mapping[str, str]]
) -> dict[str, JudgeVerdicts]:
    """The verdicts on these requests, by metric text.

    ``defaults`` are the verdicts of failed requests, by metric text and key. Raises DataError.
    """
    judges = {
        text: without_observed(parts.get("judge", "")) for text, parts in header.signature.items()
    }
    by_judge: dict[str, dict[str, JudgedRequest]] = {
        judge: {} for judge in judges.values() if judge
    }
    with Store(store, write=False) as rows:
        for row in rows:
            judge = judge_text(row.judge.name, row.judge.identity)
            if judge in by_judge and row.key in keys:
                by_judge[judge][row.key] = JudgedRequest(
                    row.key,
                    row.kind,
                    {name: _short(value) for name, value in row.request.items() if name != "kind"},
                    judge,
                    replace(row.verdict, prompt="", reply=""),
                    bool(row.verdict.prompt or row.verdict.reply),
                )
    return {
        text: JudgeVerdicts(by_judge.get(judge, {}), defaults.get(text))
        for text, judge in judges.items()
    }


def raw_replies(store: Path, keys: set[str]) -> Iterator[tuple[str, str, str, str]]:
    """(key, judge, prompt, reply) of every verdict that came from a model, and of requests that failed."""
    with Store(store, write=False) as rows:
        every: Iterator[StoredVerdict | StoredFailure] = chain(rows, rows.failures())
        for row in every:
            said = row.failed if isinstance(row, StoredFailure) else row.verdict
            why = f": {said.reason}" if isinstance(said, Failed) else ""
            if row.key in keys and (said.prompt or said.reply):
                judge = judge_text(row.judge.name, row.judge.identity)
                yield row.key, f"{judge}{why}", said.prompt, said.reply


def _short(value: Any) -> Any:
    if isinstance(value, str):
        return value if len(value) <= FIELD_LENGTH else f"{value[: FIELD_LENGTH - 1]}…"
    if isinstance(value, dict):
        return {"id": value.get("id", "")}
    return [_short(inner) for inner in value[:40]] if isinstance(value, list | tuple) else value


Json = dict[str, Any]
# Characters of a document in which a passage is looked for.
SEARCHED = 20_000
# Characters of documents on a report's page; long reports leave less room. Longer documents are cut there and
# complete on a page of their own.
DOCUMENTS = 80_000
# Characters of complete documents on their own page, which stays under 1 MB; the longest are cut there.
COMPLETE = 600_000
_EMPHASIS = re.compile(r"\*\*(?=\S)([^\n]{1,400}?)(?<=\S)\*\*")
# Pairs of sentence and document whose passage is shown.
PASSAGES = 150


@dataclass(frozen=True)
class ReportSource:
    """The data from which the pages of one report are made."""

    header: Header
    dataset: Dataset
    question: Question
    entry: Entry
    verdicts: Mapping[str, JudgeVerdicts]
    """By metric text."""
    metrics: Mapping[str, Metric]
    """By their texts, those that the run names."""
    judged: JudgedReport | None = None
    """ARGUE's judgments where a file of them was read; otherwise they are rebuilt from the verdicts."""

    @cached_property
    def documents(self) -> Mapping[str, Document]:
        return self.dataset.citable(self.question)

    @cached_property
    def cited(self) -> list[str]:
        """Ids of cited documents; the place of each, from 1, is its mark in the text."""
        return list(dict.fromkeys(id for s in self.entry.answer.sentences for id in s.citations))

    def requests(self) -> Iterator[tuple[str, JudgedRequest]]:
        """Metric text and judge request of every verdict that the store has for this report."""
        for metric, keys in self.entry.requests.items():
            if (verdicts := self.verdicts.get(metric)) is not None:
                found = map(verdicts.find, keys)
                yield from ((metric, request) for request in found if request is not None)


def report_data(source: ReportSource) -> Json:
    """One report as plain data."""
    question, answer, header = source.question, source.entry.answer, source.header
    argue = next((m for m in header.metrics if isinstance(source.metrics[m], Argue)), "")
    judged = source.judged or (_judged(source, argue) if argue else None)
    request = question.request
    metrics = [_metric_row(source, metric) for metric in header.metrics]
    return {
        "id": safe.text(question.id, 120),
        "text": safe.text(question.text, 2000, lines=True),
        "title": safe.text(request.title, 300) if request and request.title else "",
        "problem_statement": safe.text(request and request.problem_statement, 5000, lines=True),
        "background": safe.text(request and request.background, 5000, lines=True),
        "limit": request.limit if request else None,
        "categories": [safe.text(c, 80) for c in question.categories],
        "run": safe.text(answer.run, 120),
        "empty": answer.empty and not answer.sentences,
        "answerable": question.gold.answerable if question.gold else True,
        "argue": argue,
        "judged": judged is not None,
        "judge": safe.text(header.signature.get(argue, {}).get("judge", ""), 300),
        "sentences": _sentences(source, judged),
        "shown": shown(answer),
        "nuggets": _nuggets(judged),
        "criteria": list(_criteria(source)),
        "documents": _documents(source),
        "metrics": metrics,
        "main_scores": [
            one for row in metrics for one in _main_scores(row, 4 if row["metric"] == argue else 2)
        ],
        "requests": [_request(m, request) for m, request in source.requests() if m != argue],
        "replies": any(request.has_reply for _, request in source.requests()),
    }


def _judged(source: ReportSource, argue: str) -> JudgedReport | None:
    """ARGUE's judgments, or None where the store lacks a verdict that they need."""
    metric, verdicts = source.metrics[argue], source.verdicts.get(argue)
    if verdicts is None or source.entry.tallies.get(argue) is None or not isinstance(metric, Argue):
        return None
    try:
        return judge_report(
            source.question,
            source.entry.answer,
            source.documents,
            verdicts,  # type: ignore[arg-type]
            metric.decided,
        )
    except KeyError:
        return None


def _sentences(source: ReportSource, judged: JudgedReport | None) -> list[Json]:
    # One sentence may stand twice in a report; its requests are the same, and are shown at both places.
    by_text = grouped(
        (text, _request(metric, request))
        for metric, request in source.requests()
        for text in [request.fields.get("sentence") or request.fields.get("hypothesis")]
        if isinstance(text, str)
    )
    passages = 0
    rows = []
    stated = claim_sentences(source.entry.answer.sentences, source.question.text, citing=True)
    # A bare answer was judged with the sentence after it.
    joined = {number: one.text for one in stated for number in (one.begins, one.number)}
    for place, sentence in enumerate(source.entry.answer.sentences):
        one = judged.sentences[place] if judged is not None else None
        citations = []
        for number, id in enumerate(dict.fromkeys(sentence.citations)):
            document = source.documents.get(id)
            passages += document is not None
            shown = document is not None and passages <= PASSAGES
            text = document.text[:SEARCHED] if document is not None and shown else ""
            found = one.citations[number] if one and number < len(one.citations) else None
            citations.append(
                {
                    "id": safe.text(id, 80),
                    "mark": source.cited.index(id) + 1,
                    "known": document is not None,
                    "title": safe.text(document.title, 120) if document else "",
                    "attested": found.attested if found else None,
                    "relevant": found.relevant if found else None,
                    "passage": [
                        [safe.text(piece, 400), shared]
                        for piece, shared in (
                            passage(_unmarked(text), sentence.plain) if shown else ()
                        )
                    ],
                }
            )
        # The store's reader cuts long fields, so a long sentence is found by its cut text.
        asked = []
        for text in dict.fromkeys((sentence.plain, joined.get(place + 1, sentence.plain))):
            asked += by_text.get(text, []) or by_text.get(f"{text[: FIELD_LENGTH - 1]}…", [])
        absent = [r for r in asked if r["kind"] == "Answers" and r["verdict"] == "no"]
        rows.append(
            {
                "n": place + 1,
                "text": safe.text(sentence.plain, 3000),
                "outcome": str(one.outcome)
                if one
                else _outcome(asked)
                if asked or place + 1 in joined
                else "unstated",
                "citations": citations,
                "nuggets": _matched(judged, place),
                "requests": [request for request in asked if request not in absent],
                "absent_answers": len(absent),
                "reason": _reason(asked),
            }
        )
    return rows


def _outcome(asked: list[Json]) -> str:
    """The outcome of a sentence by `SupportLevel` and `Entails`, where ARGUE did not judge it.

    A sentence that some of its sources support has their support.
    """
    said = {r["verdict"] for r in asked if r["kind"] in ("SupportLevel", "Entails")}
    if said & {"full", "yes"}:
        return "supported"
    if any(r["kind"] == "Contradicts" and r["verdict"] == "yes" for r in asked):
        return "contradicted"
    return "partly" if "partial" in said else "unsupported" if said else "unjudged"


def _reason(asked: list[Json]) -> str:
    """The reason why a sentence has no support: what contradicts it, else what the documents lack."""
    notes = {
        r["kind"]: r["note"]
        for r in asked
        if (r["kind"], r["verdict"])
        in {
            ("Contradicts", "yes"),
            ("SupportLevel", "no"),
            ("SupportLevel", "partial"),
            ("Entails", "no"),
        }
    }
    kinds = ("Contradicts", "SupportLevel", "Entails")
    return next((notes[kind] for kind in kinds if notes.get(kind)), "")


def _matched(judged: JudgedReport | None, place: int) -> list[Json]:
    """The nuggets that a sentence answers, confirms as unknown, or cancels."""
    found = []
    for number, one in enumerate(judged.nuggets if judged else (), 1):
        answers = [
            safe.text(one.nugget.answers[index].text, 300)
            for index, places in one.found.items()
            if place in places
        ]
        relation = "answers"
        if place in one.cancelled_by:
            relation = "cancels"
        elif place in one.confirmed_by:
            relation = "confirms"
        if answers or relation != "answers":
            question = safe.text(one.nugget.question, 300)
            found.append(
                {"n": number, "question": question, "answers": answers, "relation": relation}
            )
    return found


def _nuggets(judged: JudgedReport | None) -> list[Json]:
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
                    "sentences": [place + 1 for place in one.found.get(index, ())],
                    "references": [safe.text(r, 80) for r in accepted.references[:12]],
                }
                for index, accepted in enumerate(one.nugget.answers)
            ],
            "confirmed_by": [place + 1 for place in one.confirmed_by],
            "cancelled_by": [place + 1 for place in one.cancelled_by],
            "wrong": [safe.text(w, 200) for w in one.nugget.wrong],
        }
        for number, one in enumerate(judged.nuggets if judged else (), 1)
    ]


def _criteria(source: ReportSource) -> Iterator[Json]:
    """The rubric with the verdict on each criterion, and the sentence that decided it."""
    if not any(Meets in metric.requests for metric in source.metrics.values()):
        return
    said = {
        str(request.fields.get("criterion", "")): request
        for _, request in source.requests()
        if request.kind == "Meets"
    }
    if not said:
        return
    places = {one.plain: n for n, one in enumerate(source.entry.answer.sentences, 1)}
    rubric = source.question.gold.rubric if source.question.gold else ()
    for number, one in enumerate(rubric, 1):
        # The store's reader cuts long fields, so a long criterion is found by its cut text.
        asked = said.get(one.text) or said.get(f"{one.text[: FIELD_LENGTH - 1]}…")
        verdict = str(asked.verdict.value) if asked else ""
        yield {
            "n": number,
            "id": safe.text(one.id, 80),
            "text": safe.text(one.text, 600),
            "weight": one.weight,
            "axis": safe.text(one.axis, 80),
            "verdict": safe.text(verdict, 20),
            "good": verdict == ("met" if one.weight >= 0 else "unmet"),
            "evidence": safe.text(asked.verdict.note, 400) if asked else "",
            "sentence": places.get(asked.verdict.note) if asked else None,
        }


def _documents(source: ReportSource) -> list[Json]:
    """Cited documents in the order of their marks, then gold documents that the report misses.

    A report that cites nothing was judged by the contexts that its question lists: those, numbered.
    """
    sentences = source.entry.answer.sentences
    cited = source.cited or list(source.question.documents)
    gold = source.question.gold.supporting if source.question.gold else ()
    wanted = [id for id in dict.fromkeys((*cited, *gold)) if id in source.documents]
    # A page stays under 200 kB, so a long report leaves less room for its documents.
    # 350: the bytes of one sentence with its sign, citations and link, measured on reports of 500 sentences.
    room = min(DOCUMENTS, max(DOCUMENTS // 5, 110_000 - 350 * len(sentences)))
    each = max(300, room // max(1, len(wanted)))
    complete = max(each, COMPLETE // max(1, len(wanted)))
    rows = []
    for id in wanted:
        document = source.documents[id]
        text = safe.text(_unmarked(document.text), complete, lines=True)
        rows.append(
            {
                "id": safe.text(id, 80),
                "mark": cited.index(id) + 1 if id in cited else 0,
                "title": safe.text(document.title, 200),
                "date": safe.text(document.date, 40),
                # Where a web page was read, and what came of it; both empty for other documents.
                "address": safe.text(document.url, 500) if document.fetched else "",
                "state": document.state if document.fetched else "",
                "text": text[:each],
                "truncated": len(text) > each,
                "full_text": text if len(text) > each else "",
                "gold": id in gold,
                "cited_by": [n for n, s in enumerate(sentences, 1) if id in s.citations][:60],
            }
        )
    return rows


def _unmarked(text: str) -> str:
    """A document without the signs of emphasis that Markdown has around words."""
    return _EMPHASIS.sub(r"\1", text)


def _metric_row(source: ReportSource, text: str) -> Json:
    tallies = source.entry.tallies.get(text)
    signature = source.header.signature.get(text, {})
    metric = source.metrics[text]
    averages = metric.averages(tallies or ())
    main = [name for name in metric.headline if name in averages] or list(averages)
    read = [column for score in main for column in averages[score].columns_read]
    place = {column: number for number, column in reversed(list(enumerate(read)))}
    ordered = sorted((tallies or {}).items(), key=lambda item: place.get(item[0], len(read)))
    return {
        "metric": safe.text(text, 200),
        "family": family_of(text),
        "judge": judge_name(signature),
        "signature": Signature(signature).digest,
        "failed": tallies is None,
        "unread": safe.text(tallies.reason, 300) if isinstance(tallies, NotJudged) else "",
        "failures": [safe.text(f, 300) for f in source.entry.failures.get(text, ())[:5]],
        "scores": [
            {
                "name": safe.text(name.replace("_", " "), 60),
                "label": score_name(f"{text}.{name}")[0],
                "value": tally.value,
                "numerator": tally.numerator,
                "denominator": tally.denominator,
                "note": safe.text(tally.note, 600),
                "unit": averages[name].unit if name in averages else unit_of_tally(text, name),
                "headline": name in main,
            }
            for name, tally in ordered
        ],
    }


def _main_scores(row: Json, most: int) -> list[Json]:
    """A metric's first main scores in their order; scores that apply to the question go before the others."""
    main = [score for score in row["scores"] if score["headline"]]
    chosen = sorted(main, key=lambda score: score["value"] is None)[:most]
    wanted = ("name", "label", "value", "numerator", "denominator", "unit")
    return [
        {"metric": row["metric"], **{key: score[key] for key in wanted}}
        for score in main
        if score in chosen
    ]


def _request(metric: str, request: JudgedRequest) -> Json:
    return {
        "key": request.key[:16],
        "kind": request.kind,
        "metric": safe.text(metric, 200),
        "fields": {name: safe.text(_plain(value), 300) for name, value in request.fields.items()},
        "verdict": safe.text(str(request.verdict.value), 300),
        "note": safe.text(request.verdict.note, 300),
        "judge": safe.text(request.judge, 200),
        "has_reply": request.has_reply,
    }


def _plain(value: Any) -> str:
    """A field as text: sources by their ids."""
    values = value if isinstance(value, list) else [value]
    return ", ".join(str(v.get("id", "")) if isinstance(v, dict) else str(v) for v in values)
