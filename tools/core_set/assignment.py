"""Assignment of facts to documents: one to four documents for each fact, never too many facts a page.

A document that was written before a correction gives the superseded figure, and no document reports a
day that is still to come.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from tools.core_set import wording
from tools.core_set.scenario import Cell, Entity, Scenario
from tools.core_set.stream import RandomStream
from tools.core_set.values import Form
from tools.core_set.wording import Date

KINDS = ("agency", "followup", "local", "statement", "encyclopedia", "interview")
"""Document kinds that state facts, beside near-duplicates ("copy") and talk of nothing."""
_CAPACITY = dict(zip(KINDS, (11, 9, 8, 10, 12, 8), strict=True))
"""Cells that a document of each kind states, at most."""
_DAYS = {
    "local": (4, 9),
    "statement": (62, 75),
    "interview": (76, 160),
    "encyclopedia": (420, 1600),
    "followup": (18, 40),
}
"""Days after the event, from and to, beyond the domain's first reports."""
_COPIES = (1,) * 15 + (2,) * 35 + (3,) * 30 + (4,) * 20


@dataclass(slots=True)
class DocumentPlan:
    """A document to be written: its kind, its subjects, the cells that it states and how."""

    kind: str
    language: str
    day: Date
    focus: tuple[Entity, ...] = ()
    """The items that it is about; none means the hub and all items."""
    cells: list[Cell] = field(default_factory=list)
    forms: dict[str, Form] = field(default_factory=dict)
    parts: dict[str, tuple[int, ...]] = field(default_factory=dict)
    """Which members of a list are named, where not all are."""
    unknown: list[Cell] = field(default_factory=list)
    early: bool = False

    def admits(self, cell: Cell) -> bool:
        if cell.date and cell.date > self.day:
            return False
        # A page about items has a word on the whole, if it is of one of these kinds.
        whole = cell.relation.of == "hub" and self.kind in {"encyclopedia", "interview", "local"}
        return not self.focus or cell.subject in self.focus or whole

    @property
    def room(self) -> int:
        return _CAPACITY[self.kind] - len(self.cells)


def plan_documents(stream: RandomStream, scenario: Scenario, languages: str) -> list[DocumentPlan]:
    """The documents of a topic, with nothing assigned yet. ``languages``: en, fr, or mixed."""
    draw = stream.child("documents")
    items = draw.shuffled(scenario.items)
    half = (len(items) + 1) // 2
    wanted: list[tuple[str, tuple[Entity, ...]]] = [
        ("agency", ()),
        ("followup", ()),
        ("statement", ()),
        ("encyclopedia", ()),
        ("local", tuple(items[:half])),
        ("interview", tuple(draw.sample(items, 2))),
    ]
    if draw.chance(75):
        wanted.append(("local", tuple(items[half:])))
    if draw.chance(70):
        wanted.append(("encyclopedia", (draw.pick(items),)))
    if draw.chance(35):
        wanted.append(("interview", tuple(draw.sample(items, 2))))
    french = {draw.below(len(wanted)) for _ in range(3)}
    plans = []
    for i, (kind, focus) in enumerate(wanted):
        language = languages if languages != "mixed" else ("fr" if i in french else "en")
        low, high = _DAYS.get(kind, (0, 1))
        day = draw.between(low + scenario.domain.early_days, high + scenario.domain.early_days)
        plans.append(DocumentPlan(kind, language, wording.add_days(scenario.day, day), focus))
    first_correction = min(plan.day for plan in plans if plan.kind == "followup")
    for plan in plans:
        plan.early = plan.day < first_correction
    return plans


def assign(
    stream: RandomStream, scenario: Scenario, plans: list[DocumentPlan], thorough: bool = True
) -> None:
    """Gives every cell that isn't hidden to one to four documents, in the form that each uses.

    Not ``thorough``: to one document if there is room, as decoys need no more.
    """
    draw = stream.child("assignment")
    for cell in draw.shuffled(tuple(scenario.cells.values())):
        if cell.id in scenario.hidden:
            continue
        fit = [plan for plan in plans if plan.admits(cell)]
        if cell.old:
            # The old figure goes into one or two early documents, the right one into the follow-up
            # and later ones.
            chosen = draw.sample([plan for plan in fit if plan.early], draw.between(1, 2))
            chosen += [plan for plan in fit if plan.kind == "followup"][:1]
            late = [plan for plan in fit if not plan.early and plan.kind != "followup"]
            for plan in chosen + draw.sample(late, draw.between(0, 2)):
                plan.cells.append(cell)
            continue
        copies = draw.pick(_COPIES) if thorough else 1
        fit = sorted(
            draw.shuffled(fit), key=lambda plan: -plan.room - 5 * (cell.subject in plan.focus)
        )
        chosen = [plan for plan in fit if plan.room > 0][:copies]
        if thorough and not chosen:
            chosen = fit[:1]
        for i, plan in enumerate(chosen):
            plan.cells.append(cell)
            if i and cell.relation.many and len(cell.facts) > 2 and draw.chance(60):
                plan.parts[cell.id] = tuple(sorted(draw.sample(range(len(cell.facts)), 2)))
            elif i and cell.fact.value.rounding("en") and draw.chance(40):
                plan.forms[cell.id] = "rounded"
            elif cell.relation.unit in {"metres", "millions"} and draw.chance(20):
                plan.forms[cell.id] = "unit"
    for cell_id in sorted(scenario.hidden):
        cell = scenario.cells[cell_id]
        fit = [plan for plan in plans if plan.admits(cell) and not plan.unknown]
        if draw.chance(35) and fit:
            draw.pick(fit).unknown.append(cell)
