"""ScholarQA-CS2: citations, answer precision and ingredient recall, frozen.

Source: astabench 0.5.4 (allenai/asta-bench), grouped citations and the joint rubric.

``citations(rules=scholarqa)`` scores answers: recall, precision, f1; a page with a title alone counts
half. The program has a model find the claims of a report first; here they are its sentences, with which
the citations were read.

What reads the program's own files is beside its vectors, `tests/agreement/programs/scholarqa_files.py`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from argue_bench.metrics.base import Metric, TallySteps
from argue_bench.records import Answer, Documents, Entails, JudgeRequest, Question, Source, Tally
from argue_bench.stats.averages import Average, Harmonic, macro, total

_BRACKETS = str.maketrans("", "", "[]()")


@dataclass(frozen=True)
class CitedClaim:
    """A claim of an answer's section: the ids of its citations that support it, and of those that do not."""

    supporting: tuple[str, ...]
    non_supporting: tuple[str, ...] = ()
    full: bool = False
    """Whether what it cites supports all of it."""


@dataclass(frozen=True)
class ScholarQA(Metric):
    """Citation recall and precision of a report's sentences."""

    judge: str = ""

    name: ClassVar[str] = "citations"
    rules: ClassVar[str] = "scholarqa"
    family: ClassVar[str] = "citations"
    summary: ClassVar[str] = "does what is cited support each sentence?"
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
    for own, sentences in sections:
        claims += len(own) or sentences
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
