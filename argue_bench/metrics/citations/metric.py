"""Citation recall and precision of ALCE (Gao et al. 2023, section 3).

    recall      supported sentences / sentences of an answer, the mean over answers
    precision   correct citations / citations of an answer, the mean over answers
    f1          of these two                  ..._micro   the same, summed over all answers first

`judgments` defines supported and correct. These are the rules, with the reasons why they differ from
ALCE's own, whose faults ``rules=alce`` keeps:

1. An answer without sentences has recall 0 and precision 0, as has one without citations. ALCE leaves
   empty answers out, so that a system gains by answering less.
2. All notations are read (`argue_bench.text.citations`): ``[1, 2]`` and ``[1-3]`` cite what they say, a
   mark behind the full stop belongs to the sentence before it, ``[2019]`` is text, and ``[0]`` names
   nothing (in ALCE the last document). Other words in brackets stay in the sentence.
3. A citation that names nothing fails by itself, and is counted. In ALCE it rejects its sentence, and
   it and the others leave the precision: inventing numbers raises it.
4. Every citation is read, not the first three: a fourth may be what is needed, and one that adds
   nothing is a fault wherever it stands. A document cited twice in a sentence is one citation.
5. Where documents can replace each other, each is correct. In ALCE none is, since without any one of
   them the others still support the sentence.
6. A sentence that one document supports alone is supported, whatever is cited beside it.
7. A sentence without a citation is not supported, also where it refuses or links others: refusing
   must not pay here (grounding judges whether it was right), and argue judges which sentence
   needs no citation. Marks alone are not a sentence; before any word they are citations that say nothing.
   A sentence that states nothing ("Here is what I found:", `argue_bench.text.statements`) and cites
   nothing is left out, and named in the note; a bare "Yes." is judged with the sentence after it. A sentence
   that says again what was said (`text.repeats`) is left out too: repetition must not pay.
8. Where the gold says that the question has no answer, the scores do not apply.

9. A web page that could not be read (blocked, no text, not looked up) can be neither right nor wrong: its
   citations are left out, and a sentence that nothing else supports; ``left_out`` counts both. Citations
   of a page that is gone, without an archived copy, are wrong. The metric `sources` counts the states.

The micro scores are shares of sentences and citations: an answer left empty has none of either.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Literal

from argue_bench.errors import UsageError
from argue_bench.metrics.base import Bounds, Metric, Steps, TallySteps, first_round, run_together
from argue_bench.metrics.citations.classes import classify_unsupported
from argue_bench.metrics.citations.judgments import (
    CheckedAnswer,
    CheckedCitation,
    CheckedSentence,
    Finding,
    judge_sentence,
    list_items,
)
from argue_bench.metrics.citations.provided import CLASSES, OTHERS, lack_counts
from argue_bench.metrics.citations.published import (
    PUBLISHED_SCORES,
    deepscholar_tallies,
    fact_tallies,
    scholarqa_tallies,
)
from argue_bench.metrics.compat import alce_citations, rageval
from argue_bench.records import (
    NOT_APPLICABLE,
    Answer,
    Contradicts,
    Document,
    Documents,
    Entails,
    JudgeRequest,
    Question,
    SupportLevel,
    Tally,
    WebPage,
)
from argue_bench.stats.averages import Average, Harmonic, Ratio, lower_is_better, macro, total
from argue_bench.text import CitationIndex, sentences
from argue_bench.text.statements import stated_or_citing, unstated_note, unstated_numbers

ALCE_MAX_CITATIONS = 3
COUNTS = ("supported", "sentences", "correct", "citations")
Rules = Literal["default", "alce", "rageval", "fact-code", "fact-paper", "scholarqa", "deepscholar"]
_RECALL = Ratio("supported", "sentences", empty=0.0)
_PRECISION = Ratio("correct", "citations", empty=0.0)
_OWN: Mapping[str, Average] = {
    "recall": macro("recall"),
    "precision": macro("precision"),
    "f1": Harmonic(macro("recall"), macro("precision")),
    "recall_micro": _RECALL,
    "precision_micro": _PRECISION,
    "f1_micro": Harmonic(_RECALL, _PRECISION),
}
_LEFT_OUT: Mapping[str, Average] = {"left_out": total("left_out")}
_RATES: Mapping[str, Average] = {
    name: lower_is_better(Ratio(name, "sentences")) for name in CLASSES
}


@dataclass(frozen=True)
class Citations(Metric):
    """Citation recall and precision by entailment.

    ``unit=item``: the answer is a list, of which every item is judged behind the question.
    ``max_citations`` is ALCE's limit of citations a sentence (0: none), ``document_field`` the form
    of the documents in rageval's prompt. ``classes=true``: each sentence that cites and has no support is
    given its class (`provided`), for up to seven requests more.
    """

    rules: Rules = "default"
    unit: Literal["sentence", "item"] = "sentence"
    max_citations: int = ALCE_MAX_CITATIONS
    document_field: Literal["text", "summary", "extraction"] = "text"
    classes: bool = False
    judge: str = ""

    name: ClassVar[str] = "citations"
    summary: ClassVar[str] = "does what is cited support each sentence?"
    paper: ClassVar[str] = "Gao et al. 2023 (ALCE)"
    scores: ClassVar[Mapping[str, Average]] = {
        **_OWN,
        **_LEFT_OUT,
        **_RATES,
        **{name: average for rules in PUBLISHED_SCORES.values() for name, average in rules.items()},
    }
    """Those of all rules; `averages` says which of them some rules have."""
    headline: ClassVar[tuple[str, ...]] = (
        *("recall", "precision", "f1", "precision_micro", "left_out"),
        *("accuracy", "effective", "cite_p", "claim_coverage"),
    )
    ranking: ClassVar[tuple[str, ...]] = ("precision", "f1")
    """Recall alone rises by citing every document after each sentence."""
    requests: ClassVar[tuple[type[JudgeRequest], ...]] = (Entails, SupportLevel, Contradicts)

    def averages(self, columns: Iterable[str]) -> Mapping[str, Average]:
        """The scores of the rules; what was left out is one of them where web pages are cited."""
        if self.rules in PUBLISHED_SCORES:
            return PUBLISHED_SCORES[self.rules]
        rates = _RATES if self.classes else {}
        return {**_OWN, **rates, **(_LEFT_OUT if "left_out" in columns else {})}

    def __post_init__(self) -> None:
        if self.max_citations < 0 or (
            self.max_citations != ALCE_MAX_CITATIONS and self.rules != "alce"
        ):
            raise UsageError("citations: max_citations is a number from 0, and of rules=alce alone")
        if self.document_field != "text" and self.rules != "rageval":
            raise UsageError("citations: document_field is an option of rules=rageval alone")
        if self.unit != "sentence" and self.rules not in ("default", "alce"):
            raise UsageError(f"citations: rules={self.rules} knows no lists; leave unit=item out")
        if self.classes and self.rules != "default":
            raise UsageError("citations: classes is an option of our own rules alone")

    def tally(self, question: Question, answer: Answer, documents: Documents) -> TallySteps:
        if self.rules == "default" and question.gold and not question.gold.answerable:
            rates = CLASSES if self.classes else ()
            return dict.fromkeys(("recall", "precision", *COUNTS, *rates), NOT_APPLICABLE)
        if self.rules in ("fact-code", "fact-paper"):
            paper = self.rules == "fact-paper"
            return (yield from fact_tallies(answer, documents, paper))
        if self.rules == "scholarqa":
            return (yield from scholarqa_tallies(answer, documents))
        if self.rules == "deepscholar":
            return (yield from deepscholar_tallies(question, answer, documents))
        judged = yield from self.judged(question, answer, documents)
        counted = self._count(judged)
        if self.classes:
            classifying = classify_unsupported(question, answer, documents, judged)
            misses = yield from run_together(classifying)
            counted["recall"] = replace(counted["recall"], misses=tuple(misses))
            counted |= lack_counts(misses, CLASSES)
        if any(
            isinstance(documents.get(id), WebPage)
            for one in answer.sentences
            for id in one.citations
        ):
            counted["left_out"] = Tally(sum(judged.left_out))
        if self.rules == "default" and self.unit == "sentence":
            unstated = unstated_numbers(answer, stated_or_citing(question, answer))
            note = "; ".join(filter(None, (counted["recall"].note, unstated_note(unstated))))
            counted["recall"] = replace(counted["recall"], note=note)
        if self.rules != "default" and self._reads_none(question, answer):
            note = f"rules={self.rules} reads numbers in brackets alone, and finds none"
            counted["recall"] = replace(counted["recall"], note=note)
        return counted

    def judged(
        self, question: Question, answer: Answer, documents: Documents
    ) -> Steps[CheckedAnswer]:
        """Judges an answer and returns every judgment. `replay` gives it verdicts."""
        return CheckedAnswer(
            tuple((yield from run_together(self._each(question, answer, documents))))
        )

    def sentences(self, text: str) -> Sequence[str]:
        """The splitter of ``rules=alce`` and ``rules=rageval``: ours, for the punkt of theirs."""
        return sentences(text)

    def later_requests(self, question: Question, answer: Answer, documents: Documents) -> Bounds:
        """After the first round a sentence with n documents makes at most 2n + n * n / 2 requests by our
        rules and 2n by theirs; nothing if they do not support it. DeepScholar-Bench asks one by one."""
        if self.rules in PUBLISHED_SCORES:
            cites = sum(len(one.citations) for one in answer.sentences)
            return {"Entails": (0, 2 * cites)} if self.rules == "deepscholar" and cites else {}
        if self.rules == "default":
            firsts = map(first_round, self._each(question, answer, documents))
            known = [
                max((len(one.premise) for one in requests if isinstance(one, Entails)), default=0)
                for requests in firsts
            ]
            most = sum(2 * n + n * n // 2 for n in known if n > 2)
        else:
            cited = [len(one.cited) for one in self._stated(question, answer)]
            if self.rules == "alce" and self.max_citations:
                cited = [min(n, self.max_citations) for n in cited]
            most = sum(2 * n for n in cited if n > 1)
        bounds = {"Entails": (0, most)} if most else {}
        cites = sum(bool(one.citations) for one in answer.sentences)
        if self.classes and cites:
            others = min(OTHERS, len(question.documents))
            bounds |= {"SupportLevel": (0, cites * (1 + others)), "Contradicts": (0, cites)}
        return bounds

    def _each(
        self, question: Question, answer: Answer, documents: Documents
    ) -> list[Steps[CheckedSentence]]:
        if self.rules == "default" and self.unit == "sentence":
            stated = {one.number: one.text for one in stated_or_citing(question, answer)}
            return [
                judge_sentence(
                    sentence.text,
                    sentence.citations if number in stated else (),
                    documents,
                    stated.get(number, ""),
                    (question.text, *near),
                    number in stated,
                )
                for number, (sentence, near) in enumerate(
                    zip(answer.sentences, answer.neighbours, strict=True), 1
                )
            ]
        ids = [id for id in question.documents if id in documents] or list(documents)
        if self.rules == "default":
            index = CitationIndex.of(ids, {id: documents[id].title for id in ids})
            return [
                judge_sentence(words, cited, documents, f"{question.text} {words}")
                for words, cited in list_items(answer, index)
            ]
        numbered = [documents[id] for id in ids]
        first = -1 if self.rules == "alce" and ids else 0  # ALCE reads [0] as the last document
        compatible = self._compatible(question, answer, numbered)
        return [_converted(one, ids, first) for one in compatible]

    def _compatible(
        self, question: Question, answer: Answer, documents: Sequence[Document]
    ) -> list[Steps[alce_citations.Judged]]:
        stated = self._stated(question, answer)
        if self.rules == "alce":
            sources = [alce_citations.alce_source(document) for document in documents]
            return [
                alce_citations.judge_by_alce(one, sources, self.max_citations) for one in stated
            ]
        forms = [getattr(document, self.document_field) for document in documents]
        texts = [d.text if form is None else form for d, form in zip(documents, forms, strict=True)]
        shown = rageval.contexts(documents, texts)
        return [rageval.judge_statement(one, shown) for one in stated]

    def _stated(self, question: Question, answer: Answer) -> list[alce_citations.Statement]:
        if self.rules == "rageval":
            return rageval.raw_statements(answer.text, self.sentences)
        before = question.text if self.unit == "item" else None
        return alce_citations.statements(answer.text, self.sentences, before)

    def _reads_none(self, question: Question, answer: Answer) -> bool:
        """Whether the answer cites, but in no form that these rules read."""
        cites = any(sentence.citations for sentence in answer.sentences)
        return cites and not any(one.cited for one in self._stated(question, answer))

    def _count(self, judged: CheckedAnswer) -> dict[str, Tally]:
        stated, citations = judged.stated, judged.citations
        sentences_left, citations_left = judged.left_out
        # Where everything was left out there is nothing to be right about.
        least = 0 if sentences_left else 1
        recall = Tally(judged.supported, max(least, stated), judged.unsupported_note, judged.misses)
        least = 0 if citations_left else 1
        precision = Tally(judged.correct, max(least, citations), judged.citations_note)
        if self.rules == "alce" and not stated:
            recall = precision = NOT_APPLICABLE
        if self.rules == "rageval":  # has only the pooled one
            precision = replace(NOT_APPLICABLE, note=judged.citations_note)
        return {
            "recall": recall,
            "precision": precision,
            "supported": Tally(judged.supported),
            "sentences": Tally(stated),
            "correct": Tally(judged.correct),
            "citations": Tally(citations),
        }


def _converted(
    judging: Steps[alce_citations.Judged], ids: Sequence[str], first: int
) -> Steps[CheckedSentence]:
    """A judgment of published rules as one of ours; ``first`` is the lowest place that they read."""
    judged = yield from judging
    cited = judged.statement.cited
    known = [place for place in cited if first <= place < len(ids)]
    wrong: Finding = "adds nothing" if judged.supported else "unsupported"
    left: Finding = "unsupported" if len(known) == len(cited) else "not counted"
    return CheckedSentence(
        judged.statement.text,
        judged.supported,
        tuple(
            CheckedCitation(ids[place], "counted correct" if correct else wrong)
            for place, correct in zip(cited, judged.correct, strict=False)
        ),
        uncounted=tuple(
            CheckedCitation(ids[place], left)
            if place in known
            else CheckedCitation(str(place + 1), "names nothing")
            for place in (() if judged.correct else cited)
        ),
    )
