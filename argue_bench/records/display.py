"""Foreign text made safe to print: bounded, on one line, with nothing invisible in it.

Names of systems, file names, error messages of servers: their authors may have put direction
marks, terminal codes or a megabyte into them.
"""

from __future__ import annotations

import json
import re
import unicodedata
from typing import Any, Literal

# Unicode's normal forms in a time that grows with the text.
#
# Python puts marks that stand on one letter into their order by moving each past the others, so a text of
# 100,000 marks takes eight seconds, four times as many two minutes, and no clock interrupts it.

# Some 500 characters, up to one that joins nothing before it in any form, as Latin letters and Chinese ones do;
# 2,000 where there is none, which no writing has.
_PIECES = re.compile("(?s).{500,2000}?(?=[\0-\u02ff\u4e00-\u9fff])|.{1,2000}")


def normalise(form: Literal["NFC", "NFD", "NFKC", "NFKD"], text: str) -> str:
    """The text in this normal form: what ``unicodedata.normalize`` gives.

    Where more than 2,000 characters follow each other of which each might join the one before, such as
    marks without end on one letter, each part of as many is ordered for itself.
    """
    # ASCII has one form only, and most texts are ASCII.
    if text.isascii():
        return text
    return "".join(unicodedata.normalize(form, piece) for piece in _PIECES.findall(text))


_INVISIBLE = frozenset(["Cc", "Cf", "Zl", "Zp"])
# Characters without an agreed look: unassigned, private, half a surrogate pair.
_UNKNOWN = frozenset(["Cn", "Co", "Cs"])
# Letters, marks and symbols that show nothing, whatever their category says.
_BLANK = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
# Persian spelling and many emoji need them; they change the look of their neighbours only.
_JOINERS = "\u200c\u200d"
# What may stand before a sign that begins a formula; Unicode has several of each sign.
_FORMULA = re.compile(
    r"((?:^|[,;|:\t\r\n\v\f\u2028\u2029])[\s\"'\u200b-\u200f\ufeff]*)(?=[=+\-@\u2212\uff1d\uff0b\uff0d\uff20\ufe62\ufe63\ufe66\ufe6b].)"
)
_NUMBER = re.compile(r"[+-]?[0-9.]+(?:[eE][+-]?[0-9]+)?")
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")
_BREAK = re.compile(r"[ \t\r\n]+")
_LINE_END = re.compile(r"\r\n?|\n")


def is_text(text: str) -> bool:
    """Whether it holds only characters: no half of a surrogate pair, which no file can hold."""
    return _LONE_SURROGATE.search(text) is None


def is_invisible(char: str) -> bool:
    """Whether a character shows nothing: controls, direction marks, zero widths, fillers."""
    return unicodedata.category(char) in _INVISIBLE or char in _BLANK


def is_unseen(char: str) -> bool:
    """Whether a reader sees nothing of a character, or nothing that all readers see alike."""
    return is_invisible(char) or unicodedata.category(char) in _UNKNOWN


def escape(text: str, most: int = 80, lines: bool = False) -> str:
    """The text in at most ``most`` characters, on one line unless ``lines``.

    Line breaks and tabs become a space; what is invisible becomes its number, ``⟨U+202E⟩``, and so does the
    bracket of ``##[``, which begins a command to GitHub's runner anywhere in a line of a log.
    """
    # Cut before looking at single characters: the text may have any length.
    short = text[: most + 1].replace("##[", "##⟨U+005B⟩")
    if not (short.isascii() and short.isprintable()):
        short = unicodedata.normalize("NFC", short)
        parts = _LINE_END.split(short.replace("\t", " ")) if lines else [_one_line(short)]
        short = "".join(
            f"⟨U+{ord(one):04X}⟩" if is_unseen(one) and one not in _JOINERS and one != "\n" else one
            for one in "\n".join(parts)
        )
    return short if max(len(text), len(short)) <= most else f"{short[: most - 1]}…"


def describe(value: Any) -> str:
    """A JSON value as error messages name it: ``'abc'``, ``12``, ``null``, ``a list``."""
    if isinstance(value, str):
        return f"'{escape(value)}'"
    if isinstance(value, list | dict):
        return "a list" if isinstance(value, list) else "an object"
    return escape(json.dumps(value), 40)


def csv_cell(value: Any) -> str:
    """A cell that no spreadsheet takes for a formula, whatever it parts cells by.

    An apostrophe stands before every sign that begins one, at the start and after each separator, be it
    full-width; a number stays a number.
    """
    # A number with a minus begins like a formula and is none.
    text = "" if value is None else str(value)
    return text if _NUMBER.fullmatch(text) else _FORMULA.sub("\\1'", text)


def _one_line(text: str) -> str:
    """Runs of white space with a line break or tab in them become one space; indents stay."""
    return _BREAK.sub(lambda run: " " if run[0].strip(" ") else run[0], text)
