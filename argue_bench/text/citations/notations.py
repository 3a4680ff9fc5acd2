"""Every notation in which answers cite: the one table that reading, documentation and tests are made from."""

from __future__ import annotations

import re
from typing import NamedTuple

from argue_bench.text.citations.references import LINK, URL_STOPS


class Notation(NamedTuple):
    """A way of citing. ``pattern``: in it the group ``name`` holds the words that name a source."""

    name: str
    pattern: str
    examples: tuple[str, ...]
    names: str


# Every quantifier is bounded, or consumes what it reads, so that an unclosed bracket costs a bounded look
# ahead, not the rest of the text. Where two match, the first is read.
NOTATIONS = (
    Notation(
        "link",
        rf"(?P<link>{LINK})",
        (
            "[The Wall](https://a.example/1)",
            "[1](https://a.example/1)",
            "([a](https://a.example/1))",
        ),
        "the page, inside or behind its sentence; a number where no document has this address",
    ),
    Notation(
        "url",
        rf"(?:(?<=http)|(?<=https))://(?P<url>[^{URL_STOPS}\[]++)",
        ("https://a.example/1", "(Source: https://a.example/1)", "<https://a.example/1>"),
        "the page; also on a line of its own, `Source: https://...`",
    ),
    Notation(
        "range",
        r"\[(?P<range>\d{1,3}\]\s?[-‐‑–—]\s?\[\d{1,3})\]",
        ("[1]-[3]", "[1]–[3]"),
        "the first number, the last and all between",
    ),
    Notation(
        "dagger",
        r"[\[【](?P<dagger>[^【】\[\]\n†]{1,80}†[^【】\[\]\n]{0,300})[\]】]",
        ("【1†source】", "【4:0†The Wall】", "[1†L10-L12]"),
        "the file that is named behind the dagger, else the number",
    ),
    Notation(
        "source",
        r"\[\s?sources?\s?:\s?(?P<source>(?:[^\[\]\n]|\[[^\[\]\n]{0,100}\]){1,400}+)\]",
        ("[Source: The Wall]", "[Sources: 1, 2]"),
        "a title, an id, numbers",
    ),
    Notation(
        "said",
        r"\(\s?sources?\s?:\s?(?P<said>(?:(?!https?:)[^()\[\]\n]){1,400})\)",
        ("(Source: The Wall)", "(Sources: 1, 2)"),
        "numbers, and titles and ids that are there",
    ),
    Notation(
        "note",
        r"\[\^(?P<note>[^\[\]\s]{1,80}?)\^?\](?!\()",
        ("[^1]", "[^1^]", "[^note]"),
        "an entry of the answer's notes, else the number",
    ),
    Notation("double", r"\[\[(?P<double>[^\[\]\n]{1,400})\]\]", ("[[1]]",), "numbers, ids, titles"),
    Notation(
        "square",
        r"\[(?P<square>[^\[\]\n]{1,400})\](?:\([^()\s]{1,500}\))?",
        (
            *(
                "[1]",
                "[1, 3-4]",
                "[1][2]",
                "[1](#note)",
                "[1, p. 5]",
                "[web:1]",
                "[Source 1]",
                "[d1]",
            ),
            *("[d1; d2]", "[The Wall]"),
        ),
        "numbers, ids, titles",
    ),
    Notation("escaped", r"\\\[(?P<escaped>\d[\d\s,;–-]{0,80})\\\]", ("\\[1\\]",), "numbers"),
    Notation(
        "wide",
        r"[［【](?P<wide>[^［］【】\[\]\n]{1,400})[］】]",
        ("［1］", "【1】"),
        "numbers, ids, titles",
    ),
    Notation(
        "raised",
        r"(?P<raised>[⁰¹²³⁴-⁹]{1,9}(?:[,˒⁻][⁰¹²³⁴-⁹]{1,9}){0,20})",
        ("¹", ".¹", "¹,³"),
        "numbers; behind a letter only of documents and entries that are there",
    ),
    Notation(
        "sup",
        r"<sup\b[^<>]{0,200}>(?P<sup>(?:[^<]|<(?!/?sup)){1,1000})</sup\s?>",
        ("<sup>1</sup>", "<sup>[1]</sup>"),
        "numbers",
    ),
    Notation(
        "round",
        r"\((?P<round>\d{1,3}(?:\s?[-,;–]\s?\d{1,3}){0,20})\)",
        ("(1)", "(1, 3)"),
        "numbers, behind words and before punctuation or the end of a line, in an answer where all such "
        "numbers are those of documents or entries and none is in square brackets",
    ),
    Notation(
        "author",
        r"[(（](?P<author>(?:(?-i:[A-ZÀ-ÞĀ-Ž])[^()\[\]\n]{1,300}?,?\s)?(?:1[5-9]|20)\d\d[a-z]?)[)）]",
        ("(Smith, 2020)", "(Smith et al., 2020; Jones 2019)", "Smith (2020)"),
        "the entry of the answer's reference list with this name and year",
    ),
    Notation(
        "tag",
        r"<cite(?:\s[^<>\n]{0,300})?>(?P<tag>[^<>]{0,400})</cite\s?>",
        ("<cite>The Wall</cite>",),
        "a title, an id, numbers",
    ),
    Notation(
        "angle", r"<<\s?cite\s?:\s?(?P<angle>[^\n]{1,400}?)>>", ("<<cite: The Wall>>",), "the same"
    ),
    Notation(
        "hashes",
        r"##\s?cite[\s:]\s?(?P<hashes>(?:[^#\n]|#(?!#)){1,400}?)##",
        ("##Cite The Wall##",),
        "the same",
    ),
    Notation(
        "footnote",
        r"<ref\s?>(?P<footnote>[^<>]{0,400})</ref\s?>",
        ("<ref>The Wall</ref>",),
        "the same",
    ),
    Notation(
        "opens",
        r"""<ref(?=[\s/>])(?P<opens>(?:\s+[\w:-]{1,30}\s?=\s?(?:"[^"<\n]{0,400}"|'[^'<\n]{0,400}')"""
        r"""|[^<>\n"'/]|["'](?=[^<>\n]{0,400}>)|/(?!\s?>)){0,400}+)/?\s?>""",
        ('<ref name="The Wall">1668</ref>', '<ref name="The Wall"/>'),
        "the same, for the words that it encloses",
    ),
    Notation("closes", r"(?P<closes></ref\s?>)", (), "the end of what a tag encloses"),
)
_DEAD = (
    r"(?:(?<=\n)|(?<=\n )|(?<=\n  )|(?<=\n   )|(?<=\n    )|(?<=\n\t))(?P<fence>`{3,}+|~{3,}+)[^\n]*+\n"
    r"(?:.*?^[ \t]{0,8}(?P=fence)[`~]*[ \t]*$|.*\Z)"
    r"|(?P<tick>`{1,3})(?!`)[^`\n]{1,2000}(?P=tick)(?!`)"
    r"|\$\$[^$]{1,4000}\$\$|\$(?=\S)[^$\n]{0,500}[\\^_{][^$\n]{0,500}(?<=\S)\$(?!\d)"
    r"|!\[[^\[\]\n]{0,300}+(?:\[[^\[\]\n]{0,100}+\][^\[\]\n]{0,300}+)?\]\([^)\s]{1,4000}+\)"
)
"""Code, formulas and images. A fence at the head of a text holds the whole answer."""
NOTATION = re.compile(
    "|".join([f"(?P<dead>{_DEAD})", *(one.pattern for one in NOTATIONS)]),
    re.IGNORECASE | re.MULTILINE | re.DOTALL,
)
CANDIDATE = re.compile(r"[<\[【［(（\\`$#~!:⁰¹²³⁴-⁹]")
"""What may begin a mark: all other characters are skipped fast."""
