"""Traces of reasoning, and tags of HTML and XML: what of them is no word of an answer."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import accumulate

# As models write them: DeepSeek and Qwen, Claude with its tools, Mistral, Kimi, gpt-oss, others that are asked to.
# A prompt may end with the tag that opens a trace, so that the answer has only the one that closes it. Tokens of a
# chat's template, with the role that one names, and a website's marks of its own sources are no words either.
_TRACE = re.compile(
    r"\A(?:(?!<think)[^<]|<(?!/?think)){0,100000}</think(?:ing)?>"
    r"|\A(?:.{0,100000}<\|channel\|>final<\|message\|>|analysis.{0,100000}?assistantfinal)"
    r"|(?:<(?:seed:)?(think(?:ing)?|reasoning|reflection|scratchpad|search_quality_(?:reflection|score))>|\[(think)\]|◁(think)▷|<\|begin_of_(thought)\|>)"
    r".*?(?:</(?:seed:)?\1>|\[/\2\]|◁/\3▷|<\|end_of_\4\|>|\Z)"
    r"|<(analysis|thoughts?)>(?:[^<]|<(?!/?\5>))*+</\5>(?=\s*<(?:final_)?answer>)"
    r"|<\|[\w ]{1,40}\|>(?:(?:(?<=<\|start\|>)|(?<=<\|im_start\|>)|(?<=<\|start_header_id\|>))(?:system|user|assistant))?"
    r"|\ue200[^\ue200\ue201\n]{0,300}\ue201",
    re.DOTALL | re.IGNORECASE,
)
# A noncharacter in place of each character of a trace.
_GONE = "\ufdd2"
# Tags of HTML and XML which an answer closes somewhere; those that cite are marks, and figures are raised and lowered by two.
_TAG = re.compile(
    r"(?<!`)<(/?)(?!(?:a|ref|cite|source|sup|sub)\b)([A-Za-z][\w-]{0,40})(?:\s[^<>]{0,300})?/?>"
)
# A tag that is alone on the first line.
_FIRST_LINE = re.compile(r"\A\s{0,9}<([a-z][\w-]{0,40})>[ \t]*\r?\n")
_HEAD_ROW = re.compile(
    r"<thead\b[^<>]{0,300}>(?:[^<]|<(?!/?thead)){0,5000}</thead\s?>|<tr\b[^<>]{0,300}>\s{0,99}(?:<th\b[^<>]{0,300}>[^<>]{0,2000}</th\s?>\s{0,99}){1,99}</tr\s?>",
    re.IGNORECASE,
)
# The tags of a table's row may stand on lines of their own.
_HTML_ROW = re.compile(r"<tr\b[^<>]{0,300}>(?:[^<]|<(?!/?tr\b)){0,5000}</tr\s?>", re.IGNORECASE)
# What they say in plain text: a line begins, an item, a heading, and a cell ends; all others are blanks.
_LINES = "br hr p div section article header footer main html body ul ol dl dt dd table tr blockquote pre details"
_SAID_BY_TAG = {
    **{f"{end}{name}": "\n" for name in _LINES.split() for end in ("", "/")},
    **{f"h{level}": "\n# " for level in range(1, 7)},
    **{f"/{name}": "\n" for name in ("li", "summary", *(f"h{level}" for level in range(1, 7)))},
    **dict.fromkeys(("/td", "/th"), "; "),
    "li": "\n- ",
    "summary": "\n# ",
}
# An element that holds a line of plain words; `<cite>` and `<ref>` are marks.
_ELEMENT = re.compile(
    r"<((?!cite|ref)[A-Za-z][\w-]{0,40})(?:\s[^<>]{0,300})?>([^<>\n]{1,200})</\1\s?>"
)
# A row of a table, and where a cell of it goes on below, with the bullet that may stand there.
_ROW = re.compile(r"^[ \t]*\|.*$", re.MULTILINE)
_BELOW = re.compile(r"<br\s?/?>[ \t]{0,3}(?:[-*+•‣◦▪·–—](?=[ \t]))?", re.IGNORECASE)
_HEAD = re.compile(r"<th\b", re.IGNORECASE)
_ENDED = re.compile(r"[.!?;:,|]\s{0,9}(?:\[[^\[\]]{0,99}\]\s{0,9}){0,9}\Z")
FILLED = re.compile(r"[^\r\n]")


def strip_reasoning(text: str) -> str:
    """The text without traces of reasoning (``<think>``, ``<thinking>``, ...), closed or cut off by the end.

    >>> strip_reasoning("<think>Lyon?</think>Paris. <think>Or")
    ' Paris.  '
    >>> strip_reasoning("Lyon?</think>Paris.")
    ' Paris.'
    """
    return _TRACE.sub(" ", text)


def without_traces(texts: Sequence[str]) -> list[str]:
    """The texts of one answer without the traces that they hold together, nor those that show once others are taken out.

    An answer that still has one after nine passes says nothing: its texts are empty.

    >>> without_traces(["<think>Lyon?", "No.</think></think>Paris."])
    [' ', ' Paris.']
    """
    parts = [*texts]
    for _ in range(9):
        whole = " ".join(parts)
        shown = _TRACE.sub(lambda trace: _GONE * len(trace[0]), whole)
        if shown == whole:
            return parts
        ends = accumulate(len(one) + 1 for one in parts)
        places = ((end - len(one) - 1, end - 1) for one, end in zip(parts, ends, strict=True))
        parts = [re.sub(f"{_GONE}+", " ", shown[start:end]) for start, end in places]
    return [""] * len(parts)


def blank_tags(text: str, cites: Callable[[str], object]) -> str:
    """The text with blanks in place of traces of reasoning, and line breaks, bullets and blanks in place of tags; every word
    keeps its place. What an element holds that ``cites`` stands in square brackets.

    A tag is what the text closes somewhere, or a break: whoever writes about "<div>" may say so.
    """
    text = _TRACE.sub(lambda trace: " " * len(trace[0]), text)
    if "<" not in text:
        return text
    text = _HTML_ROW.sub(lambda row: re.sub(r"\s", " ", row[0]), text)
    # One alone on the first line opens an answer that was cut off.
    found = (one[2].lower() for one in _TAG.finditer(text) if one[1])
    closed = {"br", "hr", *found, *_FIRST_LINE.findall(text)}

    def said(tag: re.Match[str]) -> str:
        name = tag[2].lower()
        if name not in closed:
            return tag[0]
        return _SAID_BY_TAG.get(f"{tag[1]}{name}", "")[: len(tag[0])].ljust(len(tag[0]))

    def bracketed(one: re.Match[str]) -> str:
        if not cites(one[2]):
            return one[0]
        start, end = one.start(2) - one.start(), one.end(2) - one.start()
        return f"{' ' * (start - 1)}[{one[2]}]{' ' * (len(one[0]) - end - 1)}"

    def in_row(row: re.Match[str]) -> str:
        return _BELOW.sub(
            lambda one: (
                "" if _ENDED.search(row[0], max(0, one.start() - 99), one.start()) else ";"
            ).ljust(len(one[0])),
            row[0],
        )

    text = _ROW.sub(in_row, _ELEMENT.sub(bracketed, text))
    return _TAG.sub(said, _HEAD_ROW.sub(_head, text))


def _head(row: re.Match[str]) -> str:
    """The one head of a row as a heading, in its place; blanks for several, which name columns."""
    words = re.sub(r"<[^<>]*>|\s", lambda one: " " * len(one[0]), row[0])
    alone = len(_HEAD.findall(row[0])) == 1
    return f"\n# {words[3:-1]}\n" if alone else FILLED.sub(" ", row[0])
