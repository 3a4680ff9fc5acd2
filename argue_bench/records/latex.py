"""Any text as LaTeX that pdfLaTeX, LuaLaTeX and XeLaTeX compile, whatever fonts and packages are loaded."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

_OTHER = r"\otherscript"
_FALLBACK = (
    rf"\providecommand{_OTHER}[1]{{\ifdefined\Umathchar#1\else?\fi}}"
    " % pdfLaTeX has no font for these characters; LuaLaTeX and XeLaTeX may"
)
_SPECIAL = {
    **{character: f"\\{character}" for character in "#$%&_{}"},
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "|": r"\textbar{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "`": r"\textasciigrave{}",
    # Behind the end of a row these two would be read as its options; two hyphens would be a dash.
    "[": "{[}",
    "*": "{*}",
    "-": "{-}",
    "–": "--",
    "—": "---",
    "‘": "`",
    "’": "'",
    "“": "``",
    "”": "''",
    "…": r"\ldots{}",
    "†": r"$^\dagger$",
    "−": "$-$",
    "×": r"$\times$",
    "±": r"$\pm$",
    "·": r"$\cdot$",
    "≤": r"$\leq$",
    "≥": r"$\geq$",
    "→": r"$\to$",
    "≈": r"$\approx$",
    "°": r"$^\circ$",
    "ß": r"\ss{}",
    "æ": r"\ae{}",
    "Æ": r"\AE{}",
    "œ": r"\oe{}",
    "Œ": r"\OE{}",
    "§": r"\S{}",
    "ø": r"\o{}",
    "Ø": r"\O{}",
    "ł": r"\l{}",
    "Ł": r"\L{}",
    "ı": r"\i{}",
    "£": r"\pounds{}",
    "\u00a0": "~",
    "¡": "!`",
    "¿": "?`",
}
_ACCENTS = {
    "\u0300": "`",
    "\u0301": "'",
    "\u0302": "^",
    "\u0303": "~",
    "\u0308": '"',
    "\u0304": "=",
    "\u0307": ".",
    "\u0306": "u",
    "\u030a": "r",
    "\u030b": "H",
    "\u030c": "v",
    "\u0327": "c",
    "\u0323": "d",
}
_LONE_HYPHEN = re.compile(r"(?<!-)-(?!-)")
_PART = re.compile(r"[\x20-\x7e]|.[\u0300-\u036f]*", re.DOTALL)


def latex(text: str) -> str:
    r"""The text with every character escaped that means something to LaTeX.

    Latin letters with accents become commands; characters of other scripts stand in a command that
    shows "?" where the program has no font for them (`with_fallback` defines it).

    >>> latex("a_b & é, 50 %"), latex("f1-score --all")
    ("a\\_b \\& \\'{e}, 50 \\%", 'f1-score {-}{-}all')
    """
    pieces: list[str] = []
    # A lone hyphen stays; of two, LaTeX would make a dash.
    for part in _PART.findall(_LONE_HYPHEN.sub("\0", unicodedata.normalize("NFC", text))):
        if part == "\0":
            pieces.append("-")
        elif part in _SPECIAL:
            pieces.append(_SPECIAL[part])
        elif len(part) == 1 and " " <= part <= "~":
            pieces.append(part)
        else:
            piece = _accented(part)
            if piece.startswith(_OTHER) and pieces and pieces[-1].startswith(_OTHER):
                piece = pieces.pop()[:-1] + piece[len(_OTHER) + 1 :]
            pieces.append(piece)
    return "".join(pieces)


def _accented(part: str) -> str:
    """A character beyond ASCII, with the accents that follow it."""
    letter, *marks = list(unicodedata.normalize("NFD", part))
    if letter.isascii() and letter.isalpha() and len(marks) == 1 and marks[0] in _ACCENTS:
        return f"\\{_ACCENTS[marks[0]]}{{{letter}}}"
    shown = "".join(one for one in part if unicodedata.category(one) not in ("Cc", "Cf", "Cs"))
    return f"{_OTHER}{{{shown}}}" if shown else ""


def with_fallback(lines: Sequence[str]) -> list[str]:
    """The lines, after the definition of the command for other scripts where one of them has it."""
    return [*([_FALLBACK] if any(_OTHER in line for line in lines) else []), *lines]
