"""What was read, as reports that the oracle can judge; and a pack of private patterns."""

from __future__ import annotations

from dataclasses import replace

from benchmarks.inverter.reading import ABOUT, Inverted, fold, invert
from tools.core_set.domain import KEYS, domain
from tools.core_set.grammar import FAMILIES
from tools.core_set.printer import StatedFact
from tools.core_set.scenario import Cell
from tools.core_set.scripted import ScriptedSentence, refuse
from tools.core_set.topic import GeneratedTopic

_LEADS = {
    "wire": "As for",
    "desk": "Asked about",
    "local": "When it comes to",
    "ledger": "Concerning",
    "office": "With regard to",
    "voice": "Take",
}


def report(topic: GeneratedTopic, read: Inverted) -> list[ScriptedSentence]:
    """What was read, with its provenance, so that the oracle can judge it.

    A claim whose every value is a fact's, spelled in any accepted way, states these facts; another
    states nothing that the world knows.
    """
    said = []
    if read.roll_call:
        members = {
            fold(item.full["en"]): fact
            for item, fact in zip(topic.scenario.items, topic.scenario.members, strict=True)
        }
        facts = [members.get(fold(name)) for name in read.roll_call.values]
        stated = tuple(StatedFact(fact) for fact in facts if fact) if all(facts) else ()
        said.append(ScriptedSentence(read.roll_call.text, (read.roll_call.document,), stated))
    for claim in read.claims:
        cell = next(
            (
                cell
                for cell in topic.scenario.cells.values()
                if cell.relation.key == claim.relation.key
                and cell.subject.full["en"] == claim.subject
            ),
            None,
        )
        if not claim.values:
            said.append(ScriptedSentence(claim.text, unknown=cell.id if cell else "nothing"))
        else:
            facts_said = tuple(_stated(cell, value) for value in claim.values) if cell else ()
            known = tuple(one for one in facts_said if one is not None)
            whole = known if len(known) == len(claim.values) else ()
            said.append(ScriptedSentence(claim.text, (claim.document,), whole))
    return said


def _stated(cell: Cell, value: str) -> StatedFact | None:
    """The fact of a cell that a value words, and how exactly."""
    for fact in (*cell.facts, *((cell.old,) if cell.old else ())):
        if fold(value) in map(fold, fact.value.aliases("en")):
            return StatedFact(fact)
        about = ABOUT.sub("about ", fold(value))
        if about == fold(fact.value.rounding("en")):
            return StatedFact(fact, "rounded")
    return None


def write(topic: GeneratedTopic) -> list[ScriptedSentence]:
    """The program's report on a topic, with its provenance."""
    documents = {document.id: document for document in topic.documents}
    return report(topic, invert(replace(topic.question, gold=None), documents)) or refuse()


def private_pack() -> str:
    """A pack that rewords every English fact: one new line for each relation and family.

    It is as plain as a pack can be; an organiser writes a better one.
    """
    out = []
    for key in KEYS:
        kind = domain(key)
        out.append(f"== {key}.members en")
        out += [
            f"{family}: {lead} the {{noun}}, count {{items}}." for family, lead in _LEADS.items()
        ]
        for relation in (*kind.hub_relations, *kind.item_relations):
            thing = relation.np["en"].replace("{il}", "it")
            out.append(f"== {key}.{relation.key} en")
            for family in FAMILIES:
                out.append(f"{family}: {_LEADS[family]} {thing}, put down {{v}}.")
    return "\n".join(out) + "\n"
