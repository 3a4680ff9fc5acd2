"""Judgments of each sentence and each citation, for counting and for a reader to check.

A sentence is supported if the documents that it cites entail it, together or one of them alone.

A citation is one document cited in one sentence, however often its mark is repeated. It is

    supports       correct: the document alone entails the sentence
    needed         correct: no document does alone, and it belongs to a smallest support: a set of the
                   cited documents that entails the sentence and of which none can be left out
    exchangeable   correct: it can replace a document in that smallest support
    adds nothing   not correct: the sentence is supported, without it as well as with it
    unsupported    not correct: the sentence is not supported
    names nothing  not correct: its mark names none of the question's documents
    gone           not correct: nobody can check it, since its web page is gone or never was
    not read       left out: its web page could not be read (blocked, no text, not looked up)
    says nothing   not correct: it follows no word that it could support

Published rules (``rules=alce``, ``rules=rageval``) tell less: "counted correct", "adds nothing",
"unsupported", "names nothing", and "not counted" where they reject a sentence for another citation of it.

A sentence that its readable documents do not support, and that cites a page that could not be read,
is left out too. What is left out is counted.

The requests for each sentence: all its documents together and each alone; then, only where they
support it together and none does alone, parts of them, by halves; and for each that is needed whether
the others can replace it, all of them at first and then by halves.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from argue_bench.metrics.base import Steps
from argue_bench.metrics.web_pages import evidence, is_unread, state_of
from argue_bench.records import Answer, Document, Entails, JudgeRequest, Miss, Source, Verdict
from argue_bench.text import CitationIndex, find_marks
from argue_bench.text.citations import Mark, remove_marks

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


@dataclass(frozen=True, slots=True)
class CheckedCitation:
    """One citation that is counted: the id of its document, or the words of its mark."""

    document: str
    finding: Finding

    @property
    def correct(self) -> bool:
        return self.finding in CORRECT


@dataclass(frozen=True, slots=True)
class CheckedSentence:
    """One sentence. ``states`` is False where it has no word, or none that states anything.

    ``uncounted`` are citations that published rules leave out of the count.
    """

    text: str
    supported: bool
    citations: tuple[CheckedCitation, ...] = ()
    states: bool = True
    uncounted: tuple[CheckedCitation, ...] = ()

    @property
    def judged(self) -> bool:
        """Whether it counts: it states something, and what it cites could be looked at."""
        unread = any(one.finding == "not read" for one in self.citations)
        return self.states and (self.supported or not unread)

    @property
    def counted(self) -> tuple[CheckedCitation, ...]:
        """Its citations without those of pages that could not be read."""
        return tuple(one for one in self.citations if one.finding != "not read")

    @property
    def reason(self) -> str:
        """Why it has no support, in words."""
        found = [
            f"[{one.document[:80]}] {one.finding}" for one in (*self.citations, *self.uncounted)
        ]
        return ", ".join(found) or "cites nothing"

    @property
    def lack(self) -> str:
        """The class of its failure as far as these judgments tell it (`provided`)."""
        found = {one.finding for one in (*self.citations, *self.uncounted)}
        if not found:
            return "uncited"
        return "missing" if found == {"names nothing"} else ""


@dataclass(frozen=True, slots=True)
class CheckedAnswer:
    """All sentences of one answer, judged."""

    sentences: tuple[CheckedSentence, ...]

    @property
    def stated(self) -> int:
        return sum(sentence.judged for sentence in self.sentences)

    @property
    def supported(self) -> int:
        return sum(sentence.supported for sentence in self.sentences)

    @property
    def citations(self) -> int:
        return sum(len(sentence.counted) for sentence in self.sentences)

    @property
    def left_out(self) -> tuple[int, int]:
        """Sentences and citations that were left out, since a page could not be read."""
        citations = sum(len(one.citations) - len(one.counted) for one in self.sentences)
        return sum(one.states and not one.judged for one in self.sentences), citations

    @property
    def correct(self) -> int:
        return sum(citation.correct for one in self.sentences for citation in one.citations)

    @property
    def unsupported_note(self) -> str:
        """The sentences without support, by number."""
        lost = ", ".join(miss.id for miss in self.misses)
        return f"unsupported sentences: {lost}" if lost else ""

    @property
    def misses(self) -> tuple[Miss, ...]:
        """The sentences without support, each with what was found of its citations."""
        return tuple(
            Miss("sentence", str(number), sentence.text, sentence.reason, sentence.lack)
            for number, sentence in enumerate(self.sentences, 1)
            if sentence.judged and not sentence.supported
        )

    @property
    def citations_note(self) -> str:
        """Every citation with what was found of it, sentence by sentence."""
        return "; ".join(
            f"{number}: {sentence.reason}"
            for number, sentence in enumerate(self.sentences, 1)
            if sentence.citations
        )


def judge_sentence(
    text: str,
    cited: Sequence[str],
    documents: Mapping[str, Document],
    hypothesis: str = "",
    context: tuple[str, str, str] = ("", "", ""),
    states: bool = True,
) -> Steps[CheckedSentence]:
    """Judges one sentence. ``hypothesis`` is the text to entail, where it is not the sentence.

    ``context``: the question, and what the answer says before and after the sentence. ``states``: whether
    it states anything.
    """
    names = tuple(dict.fromkeys(cited))
    if not states or not any(map(str.isalnum, text)):
        nothing = tuple(CheckedCitation(name, "says nothing") for name in names)
        return CheckedSentence(text, False, nothing, states=False)
    here = [documents[name] for name in names if name in documents]
    found: dict[str, Finding] = {
        one.id: "not read" if is_unread(one) else "gone" for one in here if state_of(one) != "read"
    }
    known = [evidence(one, hypothesis or text) for one in here if one.id not in found]
    if known:
        found |= yield from _judge_known(_Sentence(known, hypothesis or text, context))
    citations = tuple(CheckedCitation(name, found.get(name, "names nothing")) for name in names)
    return CheckedSentence(text, any(one.correct for one in citations), citations)


def _judge_known(case: _Sentence) -> Steps[dict[str, Finding]]:
    """Judges what each document contributes to the support of the sentence."""
    known = case.known
    alone = {one.id: case.request([one]) for one in known}
    verdicts = dict((yield list(dict.fromkeys((case.request(known), *alone.values())))))
    if any(verdicts[request].yes for request in alone.values()):
        return {
            id: "supports" if verdicts[request].yes else "adds nothing"
            for id, request in alone.items()
        }
    if not verdicts[case.request(known)].yes:
        return dict.fromkeys(alone, "unsupported")
    smallest = yield from case.smallest([], known, verdicts)
    found: dict[str, Finding] = {one.id: "needed" for one in smallest}
    rest = [one for one in known if one.id not in found]
    for out in smallest:
        # Most often none of the others can replace it, which one request tells.
        kept = [one for one in smallest if one is not out]
        fits = yield from case.replacing(kept, rest, verdicts)
        found |= {one.id: "exchangeable" for one in fits}
        rest = [one for one in rest if one.id not in found]
    found |= {one.id: "adds nothing" for one in rest}
    return found


@dataclass(frozen=True, slots=True)
class _Sentence:
    """A sentence and the documents that it cites, in its order, with its question and neighbours."""

    known: Sequence[Source]
    hypothesis: str
    context: tuple[str, str, str]

    def request(self, some: Sequence[Source]) -> Entails:
        chosen = {one.id for one in some}
        sources = tuple(one for one in self.known if one.id in chosen)
        return Entails(sources, self.hypothesis, *self.context)

    def entailed(
        self, some: Sequence[Source], verdicts: dict[JudgeRequest, Verdict]
    ) -> Steps[bool]:
        """Whether these documents together support the sentence."""
        request = self.request(some)
        if request not in verdicts:
            verdicts.update((yield [request]))
        return verdicts[request].yes

    def replacing(
        self, kept: Sequence[Source], some: Sequence[Source], verdicts: dict[JudgeRequest, Verdict]
    ) -> Steps[list[Source]]:
        """Those of ``some`` each of which supports the sentence together with ``kept``, found by halves."""
        if not some or not (yield from self.entailed([*kept, *some], verdicts)):
            return []
        if len(some) == 1:
            return list(some)
        half = len(some) // 2
        early = yield from self.replacing(kept, some[:half], verdicts)
        late = yield from self.replacing(kept, some[half:], verdicts)
        return [*early, *late]

    def smallest(
        self, given: Sequence[Source], some: Sequence[Source], verdicts: dict[JudgeRequest, Verdict]
    ) -> Steps[list[Source]]:
        """The documents of ``some`` that must be added to ``given`` to support the
        sentence, as few as possible.

        By halves (QuickXplain, Junker 2004), so that many documents need few requests; where
        documents can replace each other, the first cited is found.
        """
        if given and (yield from self.entailed(given, verdicts)):
            return []
        if len(some) == 1:
            return list(some)
        half = len(some) // 2
        late = yield from self.smallest([*given, *some[:half]], some[half:], verdicts)
        early = yield from self.smallest([*given, *late], some[:half], verdicts)
        return [*early, *late]


def list_items(answer: Answer, index: CitationIndex) -> list[tuple[str, tuple[str, ...]]]:
    """The items of a listed answer (QAMPARI: "Oslo [1], Bergen [2]."), each with what it cites.

    Commas and line breaks separate items; the items are without marks. A comma inside a mark separates
    nothing; a mark behind a comma belongs to the item before it. A name with a comma in it becomes two
    items, of which only the second has the citation. Where an answer came as sentences, and its text
    has no marks, the sentences are its items.
    """
    marks = find_marks(answer.text, index)
    if not marks and any(sentence.citations for sentence in answer.sentences):
        return [(sentence.text, sentence.citations) for sentence in answer.sentences]
    items: list[tuple[str, list[str]]] = []
    for start, end, own in _parts(answer.text, marks):
        words = remove_marks(answer.text, own, start, end).strip().rstrip(".").strip(" \t-*•")
        cited = [name for mark in own for name in mark.names]
        if any(map(str.isalnum, words)):
            items.append((words, cited))
        elif items:
            items[-1][1].extend(cited)
        elif cited:
            items.append(("", cited))
    return [(words, tuple(cited)) for words, cited in items]


def _parts(text: str, marks: list[Mark]) -> list[tuple[int, int, list[Mark]]]:
    """Slices between separators outside of marks, each with the marks in it."""
    parts: list[tuple[int, int, list[Mark]]] = []
    start, at, own = 0, 0, list[Mark]()
    for mark in [*marks, None]:
        end = len(text) if mark is None else mark.start
        for place in range(at, end):
            if text[place] in ",\n":
                parts.append((start, place, own))
                start, own = place + 1, []
        if mark is not None:
            own.append(mark)
            at = mark.end
    return [*parts, (start, len(text), own)]
