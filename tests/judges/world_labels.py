"""Labels that are right by construction: report sentences of a generated world, and who states them.

    python -m tests.judges.world_labels

prints how the lexical judge does on them. Its thresholds were chosen on sentences of ``TUNED``
domains and families alone; the other rows are of domains, families or both that they never saw.
A sentence is attested by a document that states all its facts, superseded figures being facts of
their own; it answers the nugget of each fact that it states.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from argue_bench.judges.lexical.judge import RULES
from argue_bench.records import Answers, Entails, Source
from argue_bench.synthetic.gold import nugget_cells
from argue_bench.synthetic.printer import PrintedSentence
from argue_bench.synthetic.topic import GeneratedTopic
from argue_bench.synthetic.world import World

FAMILIES = ("wire", "desk", "local", "ledger", "office", "voice")
TUNED = (
    frozenset({"floods", "elections", "trials", "finals"}),
    frozenset({"wire", "local", "office"}),
)
SEED = "ef" * 16


@dataclass(frozen=True)
class WorldLabel:
    """An ask, what is right, and where its sentence comes from."""

    request: Entails | Answers
    right: str
    domain: str
    family: str

    @property
    def group(self) -> str:
        """Whether thresholds were chosen on the like of it."""
        domains, families = TUNED
        return (
            f"{'tuned' if self.domain in domains else 'unseen'} domains, "
            f"{'tuned' if self.family in families else 'unseen'} families"
        )


def labels(topics: int = 24, seed: str = SEED) -> Iterator[WorldLabel]:
    """Labels of a world: attestation with right and wrong documents, nuggets right and wrong."""
    for topic in World(seed, topics).topics():
        yield from _of_topic(topic, random.Random(topic.id))


def _of_topic(topic: GeneratedTopic, draw: random.Random) -> Iterator[WorldLabel]:
    domain = topic.scenario.domain.key
    texts = {page.id: page.text for page in topic.pages}
    ids = nugget_cells(topic)
    nuggets = [(n, ids[n.id]) for n in topic.question.gold.nuggets if ids[n.id] is not None]  # type: ignore[union-attr]
    for _, cell in nuggets:
        if cell.id in topic.scenario.hidden:
            continue
        for family in draw.sample(FAMILIES, 3):
            printer = topic.printer("labels", cell.id, family)
            said = [printer.cell(cell, family)]
            if cell.old:
                said.append(printer.cell(cell, family, old=True))
            for sentence in said:
                for id, right in _documents(topic, sentence, draw):
                    request = Entails((Source(id, texts[id]),), sentence.text)
                    yield WorldLabel(request, right, domain, sentence.family)
                for answers in _answers(nuggets, sentence, draw):
                    yield WorldLabel(*answers, domain, sentence.family)


def _documents(
    topic: GeneratedTopic, sentence: PrintedSentence, draw: random.Random
) -> list[tuple[str, str]]:
    """Two documents that state all of the sentence, two that do not, where there are as many."""
    stating = [set(topic.references(fact.fact.id, fact.form)) for fact in sentence.facts]
    right = sorted(set.intersection(*stating))
    wrong = sorted({page.id for page in topic.pages} - set(right))
    return [
        *((id, "yes") for id in draw.sample(right, min(2, len(right)))),
        *((id, "no") for id in draw.sample(wrong, min(2, len(wrong)))),
    ]


def _answers(
    nuggets: list, sentence: PrintedSentence, draw: random.Random
) -> list[tuple[Answers, str]]:  # type: ignore[type-arg]
    """Every answer that the sentence gives, and up to eight that it does not."""
    stated = {fact.fact.id: fact.form for fact in sentence.facts}
    right, wrong = [], []
    for nugget, cell in nuggets:
        for place, answer in enumerate(nugget.answers):
            fact = cell.facts[place] if cell.relation.many else cell.fact
            rough = not cell.relation.many and answer.text == fact.value.rounding("en")
            form = stated.get(fact.id)
            gives = form is not None and (rough or form != "rounded")
            request = Answers(sentence.text, nugget.question, answer.text)
            (right if gives else wrong).append(request)
    some = draw.sample(wrong, min(8, len(wrong)))
    return [(request, "yes") for request in dict.fromkeys(right)] + [
        (request, "no") for request in some
    ]


def main() -> None:
    """Prints the tables."""
    cells: dict[tuple[str, str], Counter[tuple[str, str]]] = {}
    for label in labels():
        verdict = str(RULES[type(label.request)](label.request).value)
        for group in (label.group, "all"):
            cells.setdefault((type(label.request).__name__, group), Counter())[
                label.right, verdict
            ] += 1
    for (kind, group), count in sorted(cells.items()):
        hits, n = count["yes", "yes"], sum(count.values())
        accuracy = (hits + count["no", "no"]) / n
        f1 = 2 * hits / (2 * hits + count["no", "yes"] + count["yes", "no"])
        print(f"| {kind} | {group} | {n} | {accuracy:.2f} | {f1:.2f} |")


if __name__ == "__main__":
    main()
