"""Answers that cite web pages under the rules of published programs, each with what it leaves out beside it.

    rules=fact-code    DeepResearch Bench's program: accuracy = supported / judged citations of all answers
                       that cite; effective, total = supported, judged citations an answer that cites
    rules=fact-paper   its paper: accuracy = the mean over all answers; what is unknown is not supported
    rules=scholarqa    ScholarQA-CS2 (astabench): recall, precision, f1; a page with a title alone half
    rules=deepscholar  DeepScholar-Bench: cite_p and claim_coverage

The counting is `argue_bench.metrics.compat.web_reports`. The programs have a model find the claims of a report
first; here they are its sentences, which the citations were read with. FACT's "supported" is a verdict of full or
partial; unreadable pages are its "unknown". DeepScholar's documents are the report's numbered list.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import isnan
from typing import TYPE_CHECKING

from argue_bench.metrics.base import TallySteps
from argue_bench.metrics.web_pages import evidence, state_of
from argue_bench.records import (
    NOT_APPLICABLE,
    Answer,
    Document,
    Documents,
    Entails,
    Question,
    Source,
    SupportLevel,
    Tally,
    WebPage,
)
from argue_bench.stats.averages import Average, Harmonic, macro, mean_count, micro, total
from argue_bench.text import sentences

if TYPE_CHECKING:
    from argue_bench.metrics.compat.web_reports import deepscholar, scholarqa

_COUNTED: Mapping[str, Average] = {
    "unknown": total("unknown"),
    "uncited": total("uncited"),
}
PUBLISHED_SCORES: Mapping[str, Mapping[str, Average]] = {
    "fact-code": {
        "accuracy": micro("accuracy"),
        "effective": mean_count("effective"),
        "total": mean_count("total"),
        **_COUNTED,
    },
    "fact-paper": {"accuracy": macro("accuracy"), "effective": mean_count("effective"), **_COUNTED},
    "scholarqa": {
        "recall": macro("recall"),
        "precision": macro("precision"),
        "f1": Harmonic(macro("recall"), macro("precision")),
        "title_only": total("title_only"),
    },
    "deepscholar": {"cite_p": macro("cite_p"), "claim_coverage": macro("claim_coverage")},
}
"""The scores of each set of rules."""


def fact_tallies(answer: Answer, documents: Documents, paper: bool) -> TallySteps:
    """Facts by page, each once, judged by what the page says; a page that cannot be read is unknown."""
    facts: dict[str, dict[str, None]] = {}
    for sentence in answer.sentences:
        for id in sentence.citations:
            facts.setdefault(id, {})[sentence.text] = None
    pairs = [(id, text) for id, texts in facts.items() for text in texts]
    requests = {
        (id, text): SupportLevel((evidence(documents[id], text),), text)
        for id, text in pairs
        if id in documents and state_of(documents[id]) == "read"
    }
    verdicts = (yield list(dict.fromkeys(requests.values()))) if requests else {}
    supported = sum(verdicts[one].value != "no" for one in requests.values())
    unknown = len(pairs) - len(requests)
    beside = {"unknown": Tally(unknown), "uncited": Tally(not pairs)}
    if paper:
        return {
            "accuracy": Tally(supported, max(1, len(pairs))),
            "effective": Tally(supported),
            **beside,
        }
    if not pairs:
        none = dict.fromkeys(("accuracy", "effective", "total"), NOT_APPLICABLE)
        return {**none, **beside}
    return {
        "accuracy": Tally(supported, len(requests)),
        "effective": Tally(supported),
        "total": Tally(len(requests)),
        **beside,
    }


def scholarqa_tallies(answer: Answer, documents: Documents) -> TallySteps:
    """Each sentence is a claim; a citation supports it where its page alone does, all where they do together."""
    from argue_bench.metrics.compat.web_reports import scholarqa

    alone: dict[tuple[str, str], Entails] = {}
    together: dict[str, Entails] = {}
    bare: set[str] = set()
    for sentence in answer.sentences:
        shown = []
        for id in dict.fromkeys(sentence.citations):
            if id not in documents:
                continue
            document = documents[id]
            source = evidence(document, sentence.text)
            if state_of(document) != "read":
                if not document.title:
                    continue
                bare.add(id)
                source = Source(id, document.title)
            shown.append(source)
            alone[sentence.text, id] = Entails((source,), sentence.text)
        if shown:
            together[sentence.text] = Entails(tuple(shown), sentence.text)
    requests = list(dict.fromkeys((*alone.values(), *together.values())))
    verdicts = (yield requests) if requests else {}

    def claim(text: str, cited: tuple[str, ...]) -> scholarqa.CitedClaim:
        ids = tuple(dict.fromkeys(cited))
        yes = {id for id in ids if (text, id) in alone and verdicts[alone[text, id]].yes}
        full = text in together and verdicts[together[text]].yes
        # Pages that support a sentence only together are all among the supporting ones.
        good = tuple(id for id in ids if id in yes or (full and not yes and (text, id) in alone))
        return scholarqa.CitedClaim(
            good, tuple(id for id in ids if id not in good), full or bool(yes)
        )

    claims = [claim(one.text, one.citations) for one in answer.sentences]
    recall, precision, _ = scholarqa.scholarqa_citations([(claims, len(claims))], bare)
    return {
        "recall": Tally(recall),
        "precision": Tally(precision),
        "title_only": Tally(len(bare)),
    }


def deepscholar_tallies(question: Question, answer: Answer, documents: Documents) -> TallySteps:
    """cite_p and claim_coverage of the report's text, whose numbers are those of its own list."""
    from argue_bench.metrics.compat.web_reports import deepscholar

    works = _numbered(question, answer, documents)
    request = question.request
    own = deepscholar.Work(request.title if request else "", request.background if request else "")
    text = _without_list(answer.text)
    most = max((one.passages for one in _pages(answer, documents)), default=0)
    values = {}
    for name, asking in (
        ("cite_p", deepscholar.citation_precision(text, len(works), works, sentences)),
        ("claim_coverage", deepscholar.claim_coverage(text, len(works), works, own, sentences)),
    ):
        known: dict[Entails, bool] = {}
        try:
            asked = next(asking)
            while True:
                # The program shows whole documents; pages of the web can be too long for that.
                cited = WebPage("cited", asked.document, passages=most)
                one = Entails((evidence(cited, asked.claim),), asked.claim)
                if one not in known:
                    known[one] = (yield [one])[one].yes
                asked = asking.send(known[one])
        except StopIteration as stop:
            values[name] = float(stop.value)
    return {
        name: NOT_APPLICABLE if isnan(value) else Tally(value) for name, value in values.items()
    }


def _pages(answer: Answer, documents: Documents) -> Iterator[WebPage]:
    """The web pages that an answer cites."""
    for id in {id for sentence in answer.sentences for id in sentence.citations}:
        if id in documents and isinstance(page := documents[id], WebPage):
            yield page


def _numbered(question: Question, answer: Answer, documents: Documents) -> list[deepscholar.Work]:
    """The works that [1], [2] count: the report's list of references, else the question's documents."""
    from argue_bench.metrics.compat.web_reports import deepscholar
    from argue_bench.text.web import identity_key, read_web_report

    by_number: dict[int, Document | None] = {}
    for entry in read_web_report(answer.text).references:
        if entry.id and entry.id.isdecimal() and entry.url:
            by_number.setdefault(int(entry.id), documents.get(identity_key(entry.url)))
    if by_number:
        most = min(max(by_number), 1_000)
        found = [by_number.get(number) for number in range(1, most + 1)]
    else:
        found = [documents.get(id) for id in question.documents]
    return [
        deepscholar.Work(one.title, one.text) if one else deepscholar.Work("", "") for one in found
    ]


def _without_list(text: str) -> str:
    """The text without the lines of its reference list, which is no part of what the parsers give."""
    from argue_bench.text.web import read_web_report

    kept, at = [], 0
    for start, end in read_web_report(text).lists:
        kept.append(text[at:start])
        at = end
    return "".join([*kept, text[at:]]).strip()
