"""A Wikipedia page as Markdown: headings, lists, tables, infoboxes.

Scripts, styles, edit links, pictures, navigation, hidden sort keys and lists of references are left out;
so are the numbers of footnotes, which would be read as citations of the answer that quotes them. Tables
keep their columns: a cell that spans rows is repeated in each of them. Formulas are TeX.
"""

from __future__ import annotations

import copy
import re
from functools import cache
from typing import Any

from argue_bench.errors import MissingExtra

_NO_CONTENT = (
    "script, style, link, meta, noscript, img, svg, .mw-editsection, .reference, .noprint, .navbox, "
    ".mw-empty-elt, .sistersitebox, .metadata, .toc, #toc, .mw-jump-link, .printfooter, .catlinks, "
    ".hatnote, .reflist, .mw-references-wrap, ol.references, .portalbox, .navigation-not-searchable, "
    "[style*='display:none'], [style*='display: none']"
)
_BLANK_LINES = re.compile(r"\n[ \t]*(?:\n[ \t]*)+\n")
_FOOTNOTE = re.compile(r"\[(?:\d{1,3}|[a-z]|note \d{1,3}|citation needed)\](?!\()", re.IGNORECASE)
_HEADING = re.compile(r"^(#{2,6}) [^\n]*\n+(?=(#{2,6}) |\Z)", re.MULTILINE)
_EXPONENT = re.compile(r"[+\-−]?\d+")
_UNWRITABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff]")
_REPLACED = "\N{REPLACEMENT CHARACTER}"
_MOST_REPEATED = 200
"""Characters of a cell that spans rows; a longer one is not repeated."""
_MOST_ADDED = 20_000
_WIDEST = 100
"""Cells that one page may be given, and columns or rows that one cell may span."""


class Unreadable(Exception):
    """The page can't be parsed."""


def page_markdown(html: str) -> str:
    """The page's content. Raises MissingExtra, and Unreadable for HTML that is nested too deeply."""
    try:
        from bs4 import BeautifulSoup
        from markdownify import ATX
    except ImportError:
        raise MissingExtra("reading Wikipedia pages", "wiki") from None
    try:
        # BeautifulSoup warns of a text that looks like an address, but not inside an element.
        page = BeautifulSoup(f"<div>{_UNWRITABLE.sub(_REPLACED, html)}</div>", "html.parser")
        body = page.select_one("#mw-content-text") or page.body or page
        for formula in body.select("math"):
            _as_tex(formula)
        for element in body.select(_NO_CONTENT):
            element.decompose()
        for table in body.find_all("table"):
            _unwrap_layout(table)
        most = _MOST_ADDED
        for table in body.find_all("table"):
            most = _fill_columns(table, most)
        text: str = _converter()(
            heading_style=ATX,
            bullets="*",
            table_infer_header=True,
            escape_misc=False,
            escape_asterisks=False,
            escape_underscores=False,
        ).convert_soup(body)
    except RecursionError:
        raise Unreadable("its HTML is nested too deeply") from None
    text = _UNWRITABLE.sub(_REPLACED, text.replace("\xa0", " "))  # from entities such as "&#0;"
    text = _BLANK_LINES.sub("\n\n", _FOOTNOTE.sub("", text))
    return _HEADING.sub(_unless_empty, text.strip() + "\n").strip()


def _as_tex(formula: Any) -> None:
    """Puts the TeX of a formula in the place of its MathML and of the picture beside it."""
    tex = str(formula.get("alttext") or formula.get_text(" ", strip=True))
    if tex.startswith(r"{\displaystyle") and tex.endswith("}"):
        tex = tex.removeprefix(r"{\displaystyle").removesuffix("}")
    whole = formula.find_parent(class_="mwe-math-element") or formula
    whole.replace_with(f"${tex.strip()}$")


def _unwrap_layout(table: Any) -> None:
    """Turns the table around this one into plain blocks: a table of tables is only layout."""
    outer = table.find_parent("table")
    if outer is None:
        return
    for part in outer.find_all(["tbody", "tr", "td", "th"]):
        if part.find_parent("table") is outer:
            part.name = "div"
    outer.name = "div"


def _fill_columns(table: Any, most: int) -> int:
    """Repeats a cell that spans rows in each of them, so that later cells stay in their columns.

    ``most``: cells that may be added to the page; returns how many are left of them.
    """
    above: dict[int, tuple[int, int, Any]] = {}  # by column: rows to go, columns, the cell
    for row in table.find_all("tr"):
        cells, place, column = row.find_all(["td", "th"], recursive=False), 0, 0
        below: dict[int, tuple[int, int, Any]] = {}
        while place < len(cells) or (column in above and most > 0):
            if column in above and most > 0:
                rows, width, cell = above[column]
                cells.insert(place, repeated := copy.copy(cell))
                if len(cell.get_text()) > _MOST_REPEATED:
                    repeated.clear()
                row.insert(0, repeated) if place == 0 else cells[place - 1].insert_after(repeated)
                most -= 1
            else:
                cell = cells[place]
                rows, width = _span(cell, "rowspan"), _span(cell, "colspan")
                cell["colspan"] = str(width)
            if rows > 1:
                below[column] = (rows - 1, width, cell)
            place, column = place + 1, column + width
        above = below
    return most


def _span(cell: Any, name: str) -> int:
    text = str(cell.get(name, ""))
    return max(1, min(int(text), _WIDEST)) if text.isdecimal() and len(text) < 6 else 1


def _unless_empty(match: re.Match[str]) -> str:
    """A heading that has text below it; nothing for one without."""
    level, following = match[1], match[2]
    return match[0] if following is not None and len(following) > len(level) else ""


@cache
def _converter() -> Any:
    import markdownify

    base: Any = markdownify.MarkdownConverter

    class Plain(base):  # type: ignore[misc, unused-ignore]
        """Markdown without the addresses of links, and with cells that hold one line."""

        def convert_a(self, el: Any, text: str, parent_tags: Any) -> str:
            return text

        def convert_sup(self, el: Any, text: str, parent_tags: Any) -> str:
            return f"^{text.strip()}" if _EXPONENT.fullmatch(text.strip()) else text

        def convert_td(self, el: Any, text: str, parent_tags: Any) -> str:
            return str(base.convert_td(self, el, _one_line(text), parent_tags))

        def convert_th(self, el: Any, text: str, parent_tags: Any) -> str:
            return str(base.convert_th(self, el, _one_line(text), parent_tags))

        def convert_li(self, el: Any, text: str, parent_tags: Any) -> str:
            if _in_cell(parent_tags):
                return f"{text.strip()}; "
            return str(base.convert_li(self, el, text, parent_tags))

        def convert_list(self, el: Any, text: str, parent_tags: Any) -> str:
            if _in_cell(parent_tags):
                return f" {text.strip().removesuffix(';')} "
            return str(base.convert_list(self, el, text, parent_tags))

        convert_ul = convert_ol = convert_list

    return Plain


def _one_line(text: str) -> str:
    return " ".join(text.split()).replace("|", r"\|")


def _in_cell(parents: Any) -> bool:
    return "td" in parents or "th" in parents
