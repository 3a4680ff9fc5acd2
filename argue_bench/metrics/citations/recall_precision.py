"""Citation recall and precision of ALCE (Gao et al. 2023, section 3), by our own rules.

    recall      supported sentences / sentences of an answer, the mean over answers
    precision   correct citations / citations of an answer, the mean over answers
    f1          of these two                  ..._micro   the same, summed over all answers first

A sentence is supported if the documents that it cites entail it, together or one of them alone. A
citation is one document cited in one sentence, however often its mark is repeated. It is

    supports       correct: the document alone entails the sentence
    needed         correct: no document does alone, and it belongs to a smallest support: a set of the
                   cited documents that entails the sentence and of which none can be left out
    exchangeable   correct: it can replace a document in that smallest support
    adds nothing   not correct: the sentence is supported, without it as well as with it
    unsupported    not correct: the sentence is not supported
    names nothing  not correct: its mark names none of the question's documents
    says nothing   not correct: it follows no word that it could support
    gone           not correct: nobody can check it, since its web page is gone or never was
    not read       left out: its web page could not be read (blocked, no text, not looked up)

Where these rules differ from ALCE's own (``rules=alce``), and why:

1. An answer without sentences has recall 0 and precision 0, as has one without citations. ALCE leaves
   empty answers out, so that a system gains by answering less.
2. All notations are read (`argue_bench.text.citations`): ``[1, 2]`` and ``[1-3]`` cite what they say, a
   mark behind the full stop belongs to the sentence before it, ``[2019]`` is text, and ``[0]`` names
   nothing (in ALCE the last document). Other words in brackets stay in the sentence.
3. A citation that names nothing fails by itself, and is counted. In ALCE it rejects its sentence, and
   it and the others leave the precision: inventing numbers raises it.
4. Every citation is read, not the first three: a fourth may be what is needed.
5. Where documents can replace each other, each is correct. In ALCE none is.
6. A sentence that one document supports alone is supported, whatever is cited beside it.
7. A sentence that states nothing ("Here is what I found:", `argue_bench.text.statements`) and cites
   nothing is left out, and named in the note; a bare "Yes." is judged with the sentence after it. Every
   other sentence without a citation is not supported, a refusal too.
8. Where the gold says that the question has no answer, the scores do not apply.
9. A sentence that its readable documents do not support, and that cites a page that could not be read,
   is left out; ``left_out`` counts it and such citations. The metric `sources` counts the pages' states.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Literal, NamedTuple

from argue_bench.metrics.base import Bounds, Metric, Steps, TallySteps, run_together
from argue_bench.metrics.citations.support import Statement, statements
from argue_bench.records import (
    NOT_APPLICABLE,
    Answer,
    Documents,
    Entails,
    JudgeRequest,
    Miss,
    Question,
    Sentence,
    Source,
    Tally,
    Verdict,
)
from argue_bench.stats.averages import Average, Harmonic, Ratio, macro, total
from argue_bench.text.statements import claim_sentences, unstated_note, unstated_numbers

COLUMNS = ("recall", "precision", "supported", "sentences", "correct", "citations")
_RECALL = Ratio("supported", "sentences", empty=0.0)
_PRECISION = Ratio("correct", "citations", empty=0.0)
SCORES: Mapping[str, Average] = {
    "recall": macro("recall"),
    "precision": macro("precision"),
    "f1": Harmonic(macro("recall"), macro("precision")),
    "recall_micro": _RECALL,
    "precision_micro": _PRECISION,
    "f1_micro": Harmonic(_RECALL, _PRECISION),
}
# The last two are of published rules, which tell less.
Finding = Literal[
    "supports",
    "needed",
    "exchangeable",
    "adds nothing",
    "unsupported",
    "names nothing",
    "says nothing",
    "gone",
    "not read",
    "counted correct",
    "not counted",
]
CORRECT: frozenset[Finding] = frozenset(("supports", "needed", "exchangeable", "counted correct"))
UNCOUNTED: frozenset[Finding] = frozenset(("not read", "not counted"))


class Checked(NamedTuple):
    """A judged sentence: its number, whether it is supported, and what was found of each citation.

    ``citations`` are pairs of a document's id, or the words of a mark that names none, and the finding.
    """

    number: int
    sentence: Sentence
    supported: bool
    citations: tuple[tuple[str, Finding], ...] = ()
    # Whether it has a word: marks alone are no sentence.
    states: bool = True

    @property
    def left_out(self) -> bool:
        """Whether a page that nobody could read may have supported it."""
        unread = any(found == "not read" for _, found in self.citations)
        return self.states and unread and not self.supported

    @property
    def reason(self) -> str:
        """What was found of its citations, in words."""
        found = ", ".join(f"[{document[:80]}] {finding}" for document, finding in self.citations)
        return found or "cites nothing"

    @property
    def lack(self) -> str:
        """The class of a sentence without support (`support`), as far as it is known here."""
        found = {finding for _, finding in self.citations}
        return "missing" if found == {"names nothing"} else "" if found else "uncited"


@dataclass(frozen=True)
class Citations(Metric):
    """Citation recall and precision by entailment."""

    judge: str = ""

    name: ClassVar[str] = "citations"
    needs: ClassVar[str] = "an answer in the documents, by its gold"
    summary: ClassVar[str] = "does what is cited support each sentence?"
    paper: ClassVar[str] = "Gao et al. 2023 (ALCE)"
    scores: ClassVar[Mapping[str, Average]] = {**SCORES, "left_out": total("left_out")}
    headline: ClassVar[tuple[str, ...]] = (
        "recall",
        "precision",
        "f1",
        "precision_micro",
        "left_out",
    )
    # Recall alone rises by citing every document after each sentence.
    ranking: ClassVar[tuple[str, ...]] = ("precision", "f1")
    requests: ClassVar[tuple[type[JudgeRequest], ...]] = (Entails,)

    def averages(self, columns: Iterable[str]) -> Mapping[str, Average]:
        """What was left out is a score where web pages are cited."""
        return self.scores if "left_out" in columns else SCORES

    def tally(self, question: Question, answer: Answer, documents: Documents) -> TallySteps:
        if question.gold and not question.gold.answerable:
            return dict.fromkeys(COLUMNS, NOT_APPLICABLE)
        # What cites is judged, whatever it says: a citation must not vanish from the precision.
        stated = claim_sentences(answer.sentences, question.text, citing=True)
        checked = yield from run_together(
            [check_statement(one, documents) for one in statements(question, answer, stated)]
        )
        counted = citation_tallies(checked)
        note = unstated_note(unstated_numbers(answer, stated))
        note = "; ".join(filter(None, (counted["recall"].note, note)))
        counted["recall"] = replace(counted["recall"], note=note)
        cited = {id for sentence in answer.sentences for id in sentence.citations}
        # Documents of a data set are always read, so the score would be an endless row of zeros.
        if any(id in documents and documents[id].fetched for id in cited):
            unread = [found for one in checked for _, found in one.citations if found == "not read"]
            counted["left_out"] = Tally(len(unread) + sum(one.left_out for one in checked))
        return counted

    def later_requests(self, question: Question, answer: Answer, documents: Documents) -> Bounds:
        """After the first round a sentence with n documents makes at most 2n + n * n / 2 requests."""
        most = 0
        for sentence in answer.sentences:
            cited = (documents[id] for id in set(sentence.citations) if id in documents)
            n = sum(one.readable for one in cited)
            # Two documents are settled by the first round: together and each alone.
            most += 2 * n + n * n // 2 if n > 2 else 0
        return {"Entails": (0, most)} if most else {}


def citation_tallies(checked: Sequence[Checked]) -> dict[str, Tally]:
    """The tallies of an answer's judged sentences.

    An answer without sentences, or citations, has 0 of 1, unless all of them were left out: then there
    is nothing to be right about.
    """
    stated = [one for one in checked if one.states and not one.left_out]
    found = [finding for one in checked for _, finding in one.citations]
    counted = [finding for finding in found if finding not in UNCOUNTED]
    supported = sum(one.supported for one in stated)
    correct = sum(finding in CORRECT for finding in counted)
    misses = tuple(
        Miss.of(one.number, one.sentence, one.reason, one.lack)
        for one in stated
        if not one.supported
    )
    lost = f"unsupported sentences: {', '.join(miss.id for miss in misses)}" if misses else ""
    told = "; ".join(f"{one.number}: {one.reason}" for one in checked if one.citations)
    # An empty answer is 0 of 1 and not 0 of 0, or answering less would raise the mean.
    sentences = len(stated) or (0 if any(one.left_out for one in checked) else 1)
    citations = len(counted) or (0 if "not read" in found else 1)
    return {
        "recall": Tally(supported, sentences, lost, misses),
        "precision": Tally(correct, citations, told),
        "supported": Tally(supported),
        "sentences": Tally(len(stated)),
        "correct": Tally(correct),
        "citations": Tally(len(counted)),
    }


def check_statement(statement: Statement, documents: Documents) -> Steps[Checked]:
    """Judges one sentence and each of its citations.

    The requests: all its documents together and each alone; then, only where they support it together
    and none does alone, parts of them, by halves; and for each that is needed whether the others can
    replace it, all of them at first and then by halves.
    """
    cited = tuple(dict.fromkeys(statement.citations))
    number, sentence, text = statement.number, statement.sentence, statement.text
    if not any(map(str.isalnum, text)):
        # "[1][2]" before any word: no sentence, but two citations that claim support.
        nothing: Finding = "says nothing"
        return Checked(number, sentence, False, tuple((id, nothing) for id in cited), states=False)
    here = [documents[id] for id in cited if id in documents]
    found: dict[str, Finding] = {
        one.id: "not read" if one.unread else "gone" for one in here if not one.readable
    }
    # Of a long web page the judge reads the passages nearest to the sentence.
    sources = [one.evidence(text) for one in here if one.readable]
    if sources:
        found |= yield from _Support(statement, sources, {}).findings()
    citations = tuple((id, found.get(id, "names nothing")) for id in cited)
    return Checked(number, sentence, any(one in CORRECT for _, one in citations), citations)


@dataclass(frozen=True)
class _Support:
    """A sentence, the documents that it cites, and the verdicts so far."""

    statement: Statement
    sources: Sequence[Source]
    verdicts: dict[JudgeRequest, Verdict]

    def findings(self) -> Steps[dict[str, Finding]]:
        """What each document contributes to the support of the sentence."""
        together = self._request(self.sources)
        alone = {one.id: self._request([one]) for one in self.sources}
        self.verdicts.update((yield list(dict.fromkeys((together, *alone.values())))))
        # One that supports it alone is enough: more documents take nothing away (rule 6).
        if any(self.verdicts[request].yes for request in alone.values()):
            return {
                id: "supports" if self.verdicts[request].yes else "adds nothing"
                for id, request in alone.items()
            }
        if not self.verdicts[together].yes:
            return dict.fromkeys(alone, "unsupported")
        smallest = yield from self._smallest([], self.sources)
        found: dict[str, Finding] = {one.id: "needed" for one in smallest}
        rest = [one for one in self.sources if one.id not in found]
        # Rule 5: who could stand in for a needed one is correct too; which of the two was found is chance.
        for out in smallest:
            kept = [one for one in smallest if one is not out]
            found |= {one.id: "exchangeable" for one in (yield from self._replacing(kept, rest))}
            rest = [one for one in rest if one.id not in found]
        return found | {one.id: "adds nothing" for one in rest}

    def _request(self, some: Sequence[Source]) -> Entails:
        """Do these, in the order in which they are cited, support the sentence?"""
        # In the order of citing whatever the search did, so that equal sets are one request.
        chosen = {one.id for one in some}
        return self.statement.asked(Entails, (one for one in self.sources if one.id in chosen))

    def _entailed(self, some: Sequence[Source]) -> Steps[bool]:
        request = self._request(some)
        if request not in self.verdicts:
            self.verdicts.update((yield [request]))
        return self.verdicts[request].yes

    def _smallest(self, given: Sequence[Source], some: Sequence[Source]) -> Steps[list[Source]]:
        """The documents of ``some`` that must be added to ``given`` to support the sentence, as few
        as possible.

        By halves (QuickXplain, Junker 2004), so that many documents need few requests; where
        documents can replace each other, the first cited is found.
        """
        # ``given`` alone is empty in the first call, and entails nothing.
        if given and (yield from self._entailed(given)):
            return []
        if len(some) == 1:
            return list(some)
        half = len(some) // 2
        late = yield from self._smallest([*given, *some[:half]], some[half:])
        early = yield from self._smallest([*given, *late], some[:half])
        return [*early, *late]

    def _replacing(self, kept: Sequence[Source], some: Sequence[Source]) -> Steps[list[Source]]:
        """Those of ``some`` each of which supports the sentence together with ``kept``.

        Most often there are none, which one request tells.
        """
        if not some or not (yield from self._entailed([*kept, *some])):
            return []
        if len(some) == 1:
            return list(some)
        half = len(some) // 2
        early = yield from self._replacing(kept, some[:half])
        late = yield from self._replacing(kept, some[half:])
        return [*early, *late]
