"""How does a Wikipedia page read as plain text? As Markdown: headings, lists, tables, infoboxes.

Left out is what is no content: scripts, styles, edit links, pictures, navigation, and the numbers of
footnotes, which a reader of citations would take for citations of its own.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from argue_bench.errors import MissingExtra

_NO_CONTENT = (
    "script, style, link, meta, noscript, img, svg, math annotation, .mw-editsection, .reference, "
    ".noprint, .navbox, .mw-empty-elt, .sistersitebox, .metadata, .toc, #toc, .mw-jump-link, "
    ".printfooter, .catlinks"
)
_BLANK_LINES = re.compile(r"\n[ \t\xa0]*(?:\n[ \t\xa0]*)+\n")
_FOOTNOTE = re.compile(r"\[(?:\d{1,3}|[a-z]|note \d{1,3}|citation needed)\](?!\()", re.IGNORECASE)


class Unreadable(Exception):
    """No reader of HTML gets through this page."""


def markdown(html: str) -> str:
    """The page's content. Raises MissingExtra, and Unreadable for nesting beyond all sense."""
    try:
        from bs4 import BeautifulSoup
        from markdownify import ATX
    except ImportError:
        raise MissingExtra("reading Wikipedia pages", "wiki") from None
    try:
        page = BeautifulSoup(html, "html.parser")
        body = page.select_one("#mw-content-text") or page.body or page
        for element in body.select(_NO_CONTENT):
            element.decompose()
        text: str = _converter()(heading_style=ATX, bullets="*", table_infer_header=True,
                                 escape_misc=False, escape_asterisks=False,
                                 escape_underscores=False).convert_soup(body)  # fmt: skip
    except RecursionError:
        raise Unreadable("its HTML is nested too deeply") from None
    return _BLANK_LINES.sub("\n\n", _FOOTNOTE.sub("", text)).strip()


@cache
def _converter() -> Any:
    from markdownify import MarkdownConverter

    class Plain(MarkdownConverter):  # type: ignore[misc, unused-ignore]
        """Markdown without the addresses of links: a reader wants the words."""

        def convert_a(self, el: Any, text: str, parent_tags: Any) -> str:
            return text

    return Plain
