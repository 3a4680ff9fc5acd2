"""A report as its citation marks, each with address and statement, and its reference list."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from argue_bench.text.web.marks import (
    NUMBERED_MARK,
    WebMark,
    find_web_marks,
    hide,
    hide_code,
)
from argue_bench.text.web.references import (
    Reference,
    defined_ids,
    first_entries,
    lines_of,
    reference_lists,
)
from argue_bench.text.web.statements import with_statements


class WebReport(NamedTuple):
    """The citations of a report in the order of its text, and the entries of its reference lists.

    ``lists``: start and end of each line that the lists fill, in characters.
    """

    marks: tuple[WebMark, ...]
    references: tuple[Reference, ...]
    lists: tuple[tuple[int, int], ...] = ()


def read_web_report(
    text: str, bare_numbers: bool = False, entries: Iterable[Reference] | None = None
) -> WebReport:
    """Read every citation mark of a report and resolve it through the report's own reference list.

    An id without an entry keeps no address. ``bare_numbers`` also reads numbers without brackets
    that end a sentence and have an entry. ``entries`` replace the list where a product sends it
    beside the text.
    """
    visible = hide_code(text)
    lines = lines_of(visible)
    references, zone = reference_lists(lines, NUMBERED_MARK)
    if entries is not None:
        references = list(entries)
    lists = tuple((line.start, line.end) for line in zone if line.end > line.start)
    body = hide(visible, iter(lists))
    marks = find_web_marks(body, first_entries(references), defined_ids(zone), bare_numbers)
    outside = set(zone)
    kept = [line for line in lines if line not in outside]
    return WebReport(tuple(with_statements(body, kept, marks)), tuple(references), lists)


def statements_of(
    text: str, places: Sequence[tuple[int, int]]
) -> dict[tuple[int, int], tuple[int, int] | None]:
    """The statement that a mark at each of these places supports, by place."""
    if not places:
        return {}
    visible = hide_code(text)
    marks = [WebMark(start, end, "number") for start, end in sorted(set(places))]
    found = with_statements(visible, lines_of(visible), marks)
    return {(mark.start, mark.end): mark.statement for mark in found}
