"""The scores that a scripted system must get, counted from the facts of a topic.

    N nuggets: the items, and one for each cell; U of them without an answer; C = 1 + cells that are
    known: sentences that cite; L lists among the known cells; O cells whose first figure was corrected

A sentence of these reports answers one nugget, so a share of nuggets is a share of sentences. The
scores are ARGUE's under its default rules (sentence_support S, nugget_coverage V, citation_support);
recall and precision are those of `citations`, which don't apply to a question without an answer;
``loose`` and ``recall`` of short answers count which strings the script says.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from argue_bench.records import Question, Structured
from tools.core_set.scripted import EVERY, SCRIPTS, Reporter
from tools.core_set.topic import GeneratedTopic
from tools.core_set.values import ProperName


@dataclass(frozen=True)
class Due:
    """What one report must get. None: follows from no construction, so nothing is said of it."""

    support: float
    coverage: float
    citation_support: float = 1.0
    cited_sentences: float | None = None
    """Share of sentences with a citation that supports them: `citations.recall`."""

    @property
    def f1(self) -> float:
        both = self.support + self.coverage
        return 2 * self.support * self.coverage / both if both else 0.0


@dataclass(frozen=True)
class _Count:
    """The letters of the module's docstring, for one topic."""

    n: int
    u: int
    c: int
    lists: int
    corrected: int

    @classmethod
    def of(cls, topic: GeneratedTopic) -> _Count:
        reporter = Reporter(topic, "count")
        known, unknown = reporter.known, reporter.unknown
        return cls(
            1 + len(known) + len(unknown),
            len(unknown),
            1 + len(known),
            sum(cell.relation.many for cell in known),
            sum(cell.old is not None for cell in known),
        )


def _wrong_citations(k: _Count) -> Due:
    lost = k.c // EVERY
    return Due(1 - lost / k.n, 1 - lost / k.n, 1 - lost / k.c, (k.c - lost) / k.n)


NOTHING = Due(0.0, 0.0, 0.0, 0.0)
_DUE: dict[str, Callable[[_Count], Due]] = {
    "perfect": lambda k: Due(1, 1, 1, k.c / k.n),
    "perfect-uncited": lambda k: Due(k.u / k.n, k.u / k.n, 0, 0),
    "wrong-citations": _wrong_citations,
    "half-lists": lambda k: Due(1, 1 - k.lists / k.n, 1, k.c / k.n),
    "superseded": lambda k: Due(1, 1 - k.corrected / k.n, 1, k.c / k.n),
    "both-figures": lambda k: Due(
        1, 1 - k.corrected / k.n, 1, (k.c + k.corrected) / (k.n + k.corrected)
    ),
    # The second time nothing is cited, and each sentence counts.
    "repeats": lambda k: Due(1, 1, 1, k.c / (2 * k.n)),
    "negatives-right": lambda k: Due(float(k.u > 0), k.u / k.n, 0, 0),
    "negatives-wrong": lambda k: NOTHING,
    "refuses": lambda k: NOTHING,
    "refuses-rightly": lambda k: Due(1, k.c / k.n, 1, 1),
    "never-refuses": lambda k: Due(k.c / k.n, k.c / k.n, k.c / k.n, k.c / k.n),
    "one-sentence": lambda k: Due(1, 1 / k.n, 1, 1),
    "in-french": lambda k: Due(1, 1, 1, k.c / k.n),
    "stuffs": lambda k: NOTHING,
    "injects": lambda k: NOTHING,
}


def nuggets_said(name: str, topic: GeneratedTopic) -> float:
    """`nuggets.strict_all`: of the C nuggets with answers those that the report says, cited or not."""
    k = _Count.of(topic)
    if name == "copies-document":
        return _covered_by_the_page(topic) * k.n / k.c
    if name == "refuses-rightly" and not topic.question_plan.answerable:
        return 0.0
    said = {
        "half-lists": 1 - k.lists / k.c,
        "superseded": 1 - k.corrected / k.c,
        "one-sentence": 1 / k.c,
        **dict.fromkeys(
            ("negatives-right", "negatives-wrong", "refuses", "stuffs", "injects"), 0.0
        ),
    }
    return said.get(name, 1.0)


def due(name: str, topic: GeneratedTopic) -> Due:
    """The scores of this system on the topic from a judge that is right."""
    if name == "copies-document":
        return Due(1.0, _covered_by_the_page(topic), 1.0, 1.0)
    if name == "refuses-rightly" and not topic.question_plan.answerable:
        return NOTHING
    return _DUE[name](_Count.of(topic))


def _covered_by_the_page(topic: GeneratedTopic) -> float:
    """The share of nuggets for which gold names the copied document: any answer's, or every one's."""
    page = topic.roll_call().id
    nuggets = topic.question.gold.nuggets if topic.question.gold else ()
    stated = [[page in answer.references for answer in nugget.answers] for nugget in nuggets]
    earned = [
        bool(has) and (all(has) if nugget.combine == "all" else any(has))
        for nugget, has in zip(nuggets, stated, strict=True)
    ]
    return sum(earned) / len(nuggets)


def grounding(name: str, topic: GeneratedTopic) -> dict[str, float]:
    """What `grounding` must say of a report: conduct, citations of gold, and distractors.

    A report refuses in words where it says of anything that it is unknown, or declines; it behaves
    so where it does nothing else, and then earns nothing for what it cites. A document is copied with
    all that it says of the unknown, so that nothing is said of its conduct here.
    """
    report = SCRIPTS[name].write(topic)
    declining = [bool(line.unknown) or line.refuses for line in report]
    cited = {id for line in report for id in line.cites}
    gold = topic.question.gold
    found: dict[str, float] = {}
    if gold is None or not gold.answerable:
        found["citation_rate_unanswerable"] = float(bool(cited))
        if name != "copies-document":
            found["refusal_recall"] = float(any(declining))
            found["refusal_recall_strict"] = float(all(declining))
            found["hallucination_rate"] = float(not any(declining))
        return found
    if name != "copies-document":
        found["false_refusal_rate"] = float(any(declining))
        found["false_refusal_rate_strict"] = float(all(declining))
    right = 0 if all(declining) else len(cited & set(gold.supporting))
    made = 0 if all(declining) else len(cited)
    found["citation_precision_strict"] = right / made if made else 0.0
    found["citation_recall_strict"] = right / len(gold.supporting)
    if made:
        found["distractor_citation_rate"] = (made - right) / made
    if (said := strings_said(name, topic)[1]) is not None:
        found["answer_em"] = 0.0 if all(declining) else float(said == 1)
    return found


def strings_said(name: str, topic: GeneratedTopic) -> tuple[float | None, float | None]:
    """``accuracy.loose`` and ``str_em.recall``; None for what has none, or follows from nothing.

    A string is said where the script states its fact in English; a name, where it names the item.
    """
    question: Question = topic.question
    gold = question.gold
    if gold is None or not gold.answerable or name in {"copies-document", "in-french"}:
        return None, None
    said = _said(name, topic)
    leaves = [str(leaf) for leaf in _leaves(gold.answer)]
    loose = sum(leaf in said for leaf in leaves) / len(leaves)
    pairs = [not said.isdisjoint(pair.answers) for pair in gold.short_answers]
    return loose, sum(pairs) / len(pairs)


def _said(name: str, topic: GeneratedTopic) -> set[str]:
    """The accepted strings in a report: of what it states, and the names of what it speaks of."""
    said: set[str] = set()
    if name == "stuffs":
        facts = [fact for cell in Reporter(topic, name).known for fact in cell.facts]
        said |= {item.full["en"] for item in topic.scenario.items}
    else:
        lines = SCRIPTS[name].write(topic)
        facts = [one.fact for line in lines for one in line.facts]
        named = [fact.subject for fact in facts]
        named += [topic.scenario.cells[line.unknown].subject for line in lines if line.unknown]
        said |= {entity.full["en"] for entity in named}
    for fact in facts:
        said |= {str(fact.value.plain), *fact.value.aliases("en")}
        if isinstance(fact.value, ProperName):
            said.add(fact.value.full)
    return said


def _leaves(value: Structured) -> list[object]:
    if isinstance(value, dict):
        return [leaf for pair in value.items() for half in pair for leaf in _leaves(half)]
    if isinstance(value, tuple):
        return [leaf for one in value for leaf in _leaves(one)]
    return [] if value is None else [value]
