"""Citations of reports that cite the web, as three published programs count them, frozen: FACT, ScholarQA-CS2
and DeepScholar-Bench. What reads or counts their own files is beside the vectors, in
`tests/agreement/programs`.

FACT, the citation measures of DeepResearch Bench, counted as its program and as its paper do.

Sources: Ayanami0730/deep_research_bench 214741e, utils/{extract,deduplicate,scrape,validate,stat}.py;
Du et al. 2025 (arXiv 2506.11763, appendix E, equations 4 to 6).

    citations(rules=fact-code)    accuracy = supported / judged citations of all answers that cite;
                                  effective, total = supported, judged citations an answer that cites
    citations(rules=fact-paper)   accuracy = the mean over all answers; what is unknown is not supported

A model finds the facts of a report first; the two metrics take its sentences, with which the citations
were read, and a verdict of full or partial as "supported". Unreadable pages are "unknown".

ScholarQA-CS2. Source: astabench 0.5.4 (allenai/asta-bench), grouped citations and the joint rubric.

``citations(rules=scholarqa)`` scores answers: recall, precision, f1; a page with a title alone counts
half. The program has a model find the claims of a report first; here they are its sentences, with which
the citations were read.

DeepScholar-Bench. Source: guestrin-lab/deepscholar-bench 6ff05aa, eval/evaluator/{cite_p,claim_coverage}.py
(Patel et al. 2025, arXiv 2508.20033).

``[n]`` numbers the documents from 1; one beyond them, ``[0]`` and all but the first number of ``[1, 2]``
do not count. A sentence of fewer than 50 characters is not judged: `citation_precision` counts its marks,
`claim_coverage` does not. A mark behind the full stop opens the next sentence. The splitter is handed
over; "et al." is hidden from it. The documents of ``citations(rules=deepscholar)`` are the report's own
numbered list of references.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import isnan
from typing import ClassVar, NamedTuple

from argue_bench.errors import Code, DataError
from argue_bench.metrics.base import Bounds, Metric, Steps, TallySteps
from argue_bench.records import (
    NOT_APPLICABLE,
    Answer,
    Document,
    Documents,
    Entails,
    JudgeRequest,
    Question,
    Source,
    SupportLevel,
    Tally,
)
from argue_bench.stats.averages import Average, Harmonic, macro, mean_count, micro, total
from argue_bench.text import sentences
from argue_bench.text.citations.references import ReferenceLists, identity_key, reference_lists

_BRACKETS = str.maketrans("", "", "[]()")


@dataclass(frozen=True)
class CitedClaim:
    """A claim of an answer's section: the ids of its citations that support it, and of those that do not."""

    supporting: tuple[str, ...]
    non_supporting: tuple[str, ...] = ()
    full: bool = False
    """Whether what it cites supports all of it."""


@dataclass(frozen=True)
class _Citations(Metric):
    """The parts that the metrics of the three programs share."""

    judge: str = ""

    name: ClassVar[str] = "citations"
    family: ClassVar[str] = "citations"
    summary: ClassVar[str] = "does what is cited support each sentence?"


class ScholarQA(_Citations):
    """Citation recall and precision of a report's sentences."""

    rules: ClassVar[str] = "scholarqa"
    scores: ClassVar[Mapping[str, Average]] = {
        "recall": macro("recall"),
        "precision": macro("precision"),
        "f1": Harmonic(macro("recall"), macro("precision")),
        "title_only": total("title_only"),
    }
    headline: ClassVar[tuple[str, ...]] = ("recall", "precision", "f1")
    requests: ClassVar[tuple[type[JudgeRequest], ...]] = (Entails,)

    def tally(self, question: Question, answer: Answer, documents: Documents) -> TallySteps:
        alone: dict[tuple[str, str], Entails] = {}
        together: dict[str, Entails] = {}
        bare = set()
        for one in answer.sentences:
            shown = []
            for document in (
                documents[id] for id in dict.fromkeys(one.citations) if id in documents
            ):
                source = document.evidence(one.plain)
                if not document.readable:
                    if not document.title:
                        continue
                    bare.add(document.id)
                    source = Source(document.id, document.title)
                shown.append(source)
                alone[one.plain, document.id] = Entails((source,), one.plain)
            if shown:
                together[one.plain] = Entails(tuple(shown), one.plain)
        requests = list(dict.fromkeys((*alone.values(), *together.values())))
        verdicts = (yield requests) if requests else {}

        # The program's judge names the supporting citations of a claim; here each page is asked alone.
        claims = []
        for one in answer.sentences:
            asked = {id: alone[one.plain, id] for id in one.citations if (one.plain, id) in alone}
            good = [id for id, request in asked.items() if verdicts[request].yes]
            full = one.plain in together and verdicts[together[one.plain]].yes
            if full and not good:
                # Pages that support a sentence only together are all among the supporting ones.
                good = list(asked)
            rest = [id for id in dict.fromkeys(one.citations) if id not in good]
            claims.append(CitedClaim(tuple(good), tuple(rest), full or bool(good)))
        recall, precision, _ = scholarqa_citations([(claims, len(claims))], bare)
        return {
            "recall": Tally(recall),
            "precision": Tally(precision),
            "title_only": Tally(len(bare)),
        }


def scholarqa_citations(
    sections: Iterable[tuple[Sequence[CitedClaim], int]], title_only: Collection[str] = ()
) -> tuple[float, float, float]:
    """Recall, precision and F1 of the citations of an answer.

    ``sections``: the claims of each with the number of its sentences; a section without claims has
    as many unsupported ones as sentences. Support by a source of which only the title is known
    (``title_only``) counts half; an id named twice in a claim counts twice above and once there.
    """
    claims = full = halves = 0
    precisions: list[float] = []
    # Judges write ids with or without brackets: "[1]" and "1" are one source.
    titles = {one.translate(_BRACKETS) for one in title_only}
    for own, stated in sections:
        claims += len(own) or stated
        for one in own:
            supporting = len(one.supporting)
            bare = len({id.translate(_BRACKETS) for id in one.supporting} & titles)
            full += one.full and supporting > 0
            halves += one.full and supporting > 0 and bare == supporting
            # A claim that cites nothing leaves the precision, as in the program.
            if cited := supporting + len(one.non_supporting):
                precisions.append((supporting - 0.5 * bare) / cited)
    recall = (full - 0.5 * halves) / claims if claims else 0.0
    precision = sum(precisions) / len(precisions) if precisions else 0.0
    both = recall + precision
    return recall, precision, 2 * recall * precision / both if both else 0.0


# Characters of the shortest sentence that the program judges.
SHORTEST = 50
_MARK = re.compile(r"\s*\[\d+\]")
_NUMBER = re.compile(r"\[(\d+)")
Split = Callable[[str], Sequence[str]]


class Work(NamedTuple):
    """A cited work as the judge reads it."""

    title: str
    text: str

    @property
    def shown(self) -> str:
        return f"Title: {self.title}\n{self.text}"


class SupportQuestion(NamedTuple):
    """The question to the judge: does the document support the claim?"""

    claim: str
    document: str


# Asks one question after another, is sent whether the document supports the claim, ends with the score.
Asking = Generator[SupportQuestion, bool, float]


class DeepScholar(_Citations):
    """cite_p and claim_coverage of a report's text."""

    rules: ClassVar[str] = "deepscholar"
    scores: ClassVar[Mapping[str, Average]] = {
        "cite_p": macro("cite_p"),
        "claim_coverage": macro("claim_coverage"),
    }
    unranked: ClassVar[tuple[str, ...]] = ("cite_p", "claim_coverage")
    requests: ClassVar[tuple[type[JudgeRequest], ...]] = (Entails,)

    def tally(self, question: Question, answer: Answer, documents: Documents) -> TallySteps:
        report = reference_lists(answer.text)
        works = _numbered(report, question, documents)
        request = question.request
        own = Work(request.title if request else "", request.background if request else "")
        text = _without_lists(answer.text, report.lines)
        # The program shows whole documents; pages of the web can be too long for that.
        cited = (id for one in answer.sentences for id in one.citations)
        pages = (documents[id] for id in cited if id in documents and documents[id].fetched)
        page = replace(next(pages, Document("", "")), id="cited", title="")
        values = {
            "cite_p": (
                yield from _asked(citation_precision(text, len(works), works, sentences), page)
            ),
            "claim_coverage": (
                yield from _asked(claim_coverage(text, len(works), works, own, sentences), page)
            ),
        }
        return {
            name: NOT_APPLICABLE if isnan(value) else Tally(value) for name, value in values.items()
        }

    def later_requests(self, question: Question, answer: Answer, documents: Documents) -> Bounds:
        """The program asks of one citation after the other."""
        cites = sum(len(one.citations) for one in answer.sentences)
        return {"Entails": (0, 2 * cites)} if cites else {}


def _asked(asking: Asking, page: Document) -> Steps[float]:
    """The score of a measure whose questions the judge answers, each once."""
    known: dict[Entails, bool] = {}
    try:
        asked = next(asking)
        while True:
            one = Entails((replace(page, text=asked.document).evidence(asked.claim),), asked.claim)
            # The window asks the same again, which a judge at temperature 0 answers alike.
            if one not in known:
                known[one] = (yield [one])[one].yes
            asked = asking.send(known[one])
    except StopIteration as stop:
        return float(stop.value)


def _numbered(report: ReferenceLists, question: Question, documents: Documents) -> list[Work]:
    """The works that [1], [2] count: the report's list of references, else the question's documents."""
    by_number: dict[int, Document | None] = {}
    for entry in report.entries:
        if entry.id and entry.id.isdecimal() and entry.url:
            by_number.setdefault(int(entry.id), documents.get(identity_key(entry.url)))
    found = [documents.get(id) for id in question.documents]
    if by_number:
        # A report may write any number before a reference: "[999999999]".
        most = min(max(by_number), 1_000)
        found = [by_number.get(number) for number in range(1, most + 1)]
    return [Work(one.title, one.text) if one else Work("", "") for one in found]


def _without_lists(text: str, lists: Sequence[tuple[int, int]]) -> str:
    """The text without its reference lists, which are no part of what the program's parsers give."""
    kept, at = [], 0
    for start, end in lists:
        kept.append(text[at:start])
        at = end
    return "".join([*kept, text[at:]]).strip()


def split_sentences(text: str, split: Split) -> list[str]:
    """The sentences of the splitter, which does not see the full stop of "et al."."""
    # A splitter would end the sentence behind "al.".
    hidden = "ET_AL_PLACEHOLDER"
    return [part.replace(hidden, "et al.") for part in split(re.sub(r"\bet al\.", hidden, text))]


def claim_of(sentence: str) -> str:
    """The sentence without marks of one number and without bars behind a blank."""
    return _MARK.sub("", sentence).replace(" |", "").strip()


def cited_places(sentence: str, known: int) -> list[int]:
    """The cited places, from 0, that are among the known documents; repeats stay."""
    # Longer numbers than 9 digits are no places, and would cost time to read.
    numbers = (int(digits) - 1 for digits in _NUMBER.findall(sentence) if len(digits) < 10)
    return [place for place in numbers if 0 <= place < known]


def citation_precision(
    text: str, known: int, judged: Sequence[Work] | None, split: Split
) -> Asking:
    """cite_p: the mean over sentences of the share of citations that support them; NaN without any.

    ``known`` bounds the numbers, ``judged`` holds the texts. Raises DataError
    where a cited work has no text, which stops the program.
    """
    values = []
    for sentence in split_sentences(text, split):
        if len(sentence) < SHORTEST:
            continue
        said = []
        for place in cited_places(sentence, known):
            said.append((yield SupportQuestion(claim_of(sentence), _shown(judged, place))))
        values.append(sum(said) / len(said) if said else 0.0)
    return _mean(values)


def claim_coverage(
    text: str, known: int, judged: Sequence[Work] | None, own: Work, split: Split, window: int = 1
) -> Asking:
    """The share of sentences that their citations support together with the paper's own title and abstract.

    The window around a sentence reads the sentence's own citations again: a no is asked as often as
    the window has sentences, and the first yes counts. Raises as `citation_precision` does.
    """
    values = []
    parts = split_sentences(text, split)
    reach = window or 1
    for at, sentence in enumerate(parts):
        claim = claim_of(sentence)
        if len(claim) < SHORTEST:
            continue
        shown = [_shown(judged, place) for place in cited_places(sentence, known)]
        # Without blanks between the last work and the paper's own title, as the program has it.
        document = " ".join(shown) + own.title + own.text
        found = False
        for _ in range(max(0, at - reach), min(len(parts), at + reach + 1)):
            # Always the sentence's own claim and works, whichever neighbour the window stands at.
            if shown and (yield SupportQuestion(claim, document)):
                found = True
                break
        values.append(float(found))
    return _mean(values)


def _shown(judged: Sequence[Work] | None, place: int) -> str:
    if judged is None or place >= len(judged):
        raise DataError.of(
            Code.WRONG_SHAPE,
            f"the parser gave no text of the cited work {place + 1}, which stops DeepScholar-Bench",
        )
    return judged[place].shown


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else float("nan")


class FactCode(_Citations):
    """The accuracy of citations as the program counts it."""

    rules: ClassVar[str] = "fact-code"
    paper: ClassVar[str] = "Du et al. 2025 (DeepResearch Bench)"
    scores: ClassVar[Mapping[str, Average]] = {
        "accuracy": micro("accuracy"),
        "effective": mean_count("effective"),
        "total": mean_count("total"),
        "unknown": total("unknown"),
        "uncited": total("uncited"),
    }
    headline: ClassVar[tuple[str, ...]] = ("accuracy", "effective")
    requests: ClassVar[tuple[type[JudgeRequest], ...]] = (SupportLevel,)

    def tally(self, question: Question, answer: Answer, documents: Documents) -> TallySteps:
        supported, judged, facts = yield from _judge_facts(answer, documents)
        return {
            "accuracy": Tally(supported, judged) if facts else NOT_APPLICABLE,
            "effective": Tally(supported) if facts else NOT_APPLICABLE,
            "total": Tally(judged) if facts else NOT_APPLICABLE,
            "unknown": Tally(facts - judged),
            "uncited": Tally(not facts),
        }


class FactPaper(FactCode):
    """The accuracy of citations as the paper defines it."""

    rules: ClassVar[str] = "fact-paper"
    scores: ClassVar[Mapping[str, Average]] = {
        "accuracy": macro("accuracy"),
        "effective": mean_count("effective"),
        "unknown": total("unknown"),
        "uncited": total("uncited"),
    }

    def tally(self, question: Question, answer: Answer, documents: Documents) -> TallySteps:
        supported, judged, facts = yield from _judge_facts(answer, documents)
        return {
            "accuracy": Tally(supported, max(1, facts)),
            "effective": Tally(supported),
            "unknown": Tally(facts - judged),
            "uncited": Tally(not facts),
        }


def _judge_facts(answer: Answer, documents: Documents) -> Steps[tuple[int, int, int]]:
    """How many facts their page supports, how many could be judged, and how many there are.

    A fact is a sentence with one page that it cites, counted once however often it is said.
    """
    facts = {(id, one.plain) for one in answer.sentences for id in one.citations}
    requests = {
        (id, text): SupportLevel((documents[id].evidence(text),), text)
        for id, text in sorted(facts)
        if id in documents and documents[id].readable
    }
    verdicts = (yield list(dict.fromkeys(requests.values()))) if requests else {}
    # FACT's judge knows supported, unsupported, unknown: part of a fact on a page is "supported" there.
    supported = sum(verdicts[one].value != "no" for one in requests.values())
    return supported, len(requests), len(facts)
