"""A Wikipedia page as Markdown: headings, lists, tables, infoboxes.

Scripts, styles, edit links, pictures, navigation, hidden sort keys and lists of references are left out;
so are the numbers of footnotes, which would be read as citations of the answer that quotes them. Formulas
are TeX.
"""

from __future__ import annotations

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
        # The API gives the content alone; a saved page has the site's frame around it.
        body = page.select_one("#mw-content-text") or page.body or page
        for formula in body.select("math"):
            _as_tex(formula)
        for element in body.select(_NO_CONTENT):
            element.decompose()
        for cell in body.select("[colspan]"):
            if not re.fullmatch(r"[1-9]\d?", str(cell["colspan"])):
                del cell["colspan"]  # a page must not make itself larger than a hundred columns
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

    return Plain


def _one_line(text: str) -> str:
    return " ".join(text.split()).replace("|", r"\|")
