"""Writes the table of characters that pass for a Latin letter or a digit, from Unicode's own list.

    python -m tools.looks confusables.txt

The file is Unicode's, of Technical Standard 39 (unicode.org/Public/security). Each character goes to its prototype
there, marks are taken off and case is folded, as often as anything changes; small capitals, and letters in circles or
squares, go to the letter that Unicode's name for them ends with; a small letter that passes for none goes where its
capital goes. What ends as ASCII letters and digits is kept.
"""

from __future__ import annotations

import json
import re
import sys
import unicodedata
from pathlib import Path

TABLE = Path(__file__).parents[1] / "argue_bench" / "leaderboard" / "formats" / "looks.json"
_NAMED = re.compile(
    r"(?:LATIN (?:CAPITAL LETTER|SMALL LETTER|LETTER SMALL CAPITAL)|SYMBOL LETTER) ([A-Z])"
)


def main() -> int:
    if len(sys.argv) != 2:
        print(__doc__)
        return 2
    text = Path(sys.argv[1]).read_text(encoding="utf-8-sig")
    rows = (line.partition("#")[0].split(";") for line in text.splitlines())
    prototypes = {_chars(row[0]): _chars(row[1]) for row in rows if len(row) > 2}
    # A small capital may stand for its prototype, as U+1D0D does for Cyrillic em.
    prototypes |= {look: _letter(char) for char, look in prototypes.items() if _letter(char)}
    table: dict[str, list[str]] = {}
    for char in map(chr, range(0x80, sys.maxunicode + 1)):
        # What shows nothing looks like nothing.
        if unicodedata.category(char) in ("Cf", "Mn"):
            continue
        look = _look(char, prototypes) or _look(char.upper(), prototypes)
        # What the compatibility form changes is looked up after that, where it looks the same.
        form = unicodedata.normalize("NFKD", char)
        if form != char and (not look or _look(form, prototypes) in ("", look)):
            continue
        if look and look != _plain(char):
            table.setdefault(look, []).append(char)
    value = {look: "".join(chars) for look, chars in sorted(table.items())}
    TABLE.write_text(json.dumps(value, ensure_ascii=False, indent=0) + "\n", encoding="utf-8")
    return 0


def _chars(codes: str) -> str:
    return "".join(chr(int(code, 16)) for code in codes.split())


def _plain(text: str) -> str:
    """Without compatibility forms, marks and case, as the table is applied."""
    shown = unicodedata.normalize("NFKD", text).casefold()
    return "".join(char for char in shown if unicodedata.category(char) not in ("Mn", "Me"))


def _look(char: str, prototypes: dict[str, str]) -> str:
    """The ASCII letters and digits that a character passes for; empty where there are none."""
    text = char
    for _ in range(5):
        text = _plain("".join(_letter(one) or prototypes.get(one, one) for one in text))
    return text if text.isascii() and text.isalnum() else ""


def _letter(char: str) -> str:
    named = _NAMED.search(unicodedata.name(char, ""))
    return named[1].lower() if named and named.end() == len(named.string) else ""


if __name__ == "__main__":
    sys.exit(main())
