"""What can a system say that knows the world? Report sentences with their provenance.

A Line is printed from the facts of a topic, so what it states and who attests it is known without
reading it. Scripts (`scripted`) put lines together; the oracle judges them by what they state.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from argue_bench.synthetic.composition import Page
from argue_bench.synthetic.gold import nugget_cells
from argue_bench.synthetic.printer import PrintedSentence, Printer, StatedFact
from argue_bench.synthetic.scenario import Cell, Fact
from argue_bench.synthetic.topic import GeneratedTopic


@dataclass(frozen=True, slots=True)
class Line:
    """One sentence of a scripted report.

    ``facts`` it states; ``unknown`` is the id of a cell of which it says that it is not known;
    ``refuses``: it declines to answer. A line with none of these states nothing.
    """

    text: str
    cites: tuple[str, ...] = ()
    facts: tuple[StatedFact, ...] = ()
    unknown: str = ""
    refuses: bool = False

    @property
    def marked(self) -> str:
        """The sentence with its citations before the full stop."""
        end = len(self.text.rstrip(".!?"))
        marks = "".join(f"[{id}]" for id in self.cites)
        return f"{self.text[:end]} {marks}{self.text[end:]}" if marks else self.text


def text_of(lines: Iterable[Line]) -> str:
    """The report as one would submit it."""
    return " ".join(line.marked for line in lines)


def uncited(line: Line) -> Line:
    return replace(line, cites=())


class Reporter:
    """Prints the lines of one report on one topic; the same ``name`` prints the same words."""

    def __init__(
        self, topic: GeneratedTopic, name: str, language: str = "en", family: str = "ledger"
    ) -> None:
        self.topic, self.family = topic, family
        self._printer: Printer = topic.printer("scripted", name, language=language)
        cells = [cell for cell in nugget_cells(topic).values() if cell is not None]
        self.known = [cell for cell in cells if cell.id not in topic.scenario.hidden]
        self.unknown = [cell for cell in cells if cell.id in topic.scenario.hidden]

    def members(self) -> Line:
        """Which items there are, cited to the entry that lists them."""
        return _line(self._printer.members(self.family), (self.roll_call().id,))

    def roll_call(self) -> Page:
        """The first page that names every item in one sentence."""
        everybody = {fact.id for fact in self.topic.scenario.members}
        return next(
            page
            for page in self.topic.pages
            for said in page.sentences
            if everybody <= {stated.fact.id for stated in said.facts}
        )

    def cell(self, cell: Cell, old: bool = False, only: tuple[Fact, ...] = ()) -> Line:
        """What is so of a cell (``old``: its superseded figure; ``only``: a part of a list), cited
        to a document that states all of it."""
        said = self._printer.cell(cell, self.family, old=old, only=only)
        return _line(said, self.attesting(said.facts)[:1])

    def attesting(self, facts: Iterable[StatedFact]) -> tuple[str, ...]:
        """Documents that state all of these facts."""
        stating = [self.topic.references(one.fact.id, one.form) for one in facts]
        return tuple(id for id in stating[0] if all(id in other for other in stating))

    def stranger(self, line: Line, nth: int = 0) -> str:
        """A document of the topic that does not state all of the line: the ``nth`` from the end."""
        attesting = set(self.attesting(line.facts))
        others = [page.id for page in self.topic.pages if page.id not in attesting]
        return others[-1 - nth % len(others)]

    def not_known(self, cell: Cell) -> Line:
        """That a cell is not known; such a line cites nothing."""
        said = self._printer.unknown(cell, "common.report.unknown")
        return Line(said.text, unknown=cell.id)

    def made_up(self, cell: Cell) -> Line:
        """A value for a cell that no document states, with a citation all the same."""
        said = self._printer.cell(cell, self.family)
        return _line(said, (self.topic.pages[0].id,))

    def perfect(self) -> list[Line]:
        """All that is asked, each line cited, and what is not known."""
        return [
            self.members(),
            *(self.cell(cell) for cell in self.known),
            *(self.not_known(cell) for cell in self.unknown),
        ]


def _line(said: PrintedSentence, cites: tuple[str, ...]) -> Line:
    return Line(said.text, cites, said.facts)
