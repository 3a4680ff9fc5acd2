"""Names of systems: which are allowed, and which look alike.

Look-alikes are compared by skeleton (in the sense of Unicode Technical Standard 39): compatibility
forms and marks are taken off, characters that look Latin become Latin, and what is neither letter nor
digit goes.
"""

from __future__ import annotations

import json
import re
import unicodedata
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field

from argue_bench.leaderboard.formats.layout import SETTINGS
from argue_bench.records.display import is_invisible
from argue_bench.records.validation import Expect

SYSTEM = re.compile(r"[a-z0-9][a-z0-9-]{1,63}")
SEASON = re.compile(r"[a-z0-9][a-z0-9.-]{0,63}")
AUTHOR = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}")
# Git's full name of a commit or other object.
OID = re.compile(r"[0-9a-f]{40}")
# A SHA-256 in hexadecimal digits.
DIGEST = re.compile(r"[0-9a-f]{64}")
# Names that Windows keeps for devices.
DEVICES = frozenset(
    ["con", "prn", "aux", "nul", *(f"{port}{n}" for port in ("com", "lpt") for n in range(1, 10))]
)
# Names of the board's own files: a system called bands would take the place of bands.json.
THE_BOARDS = frozenset(["bands", "bridges", "ledger", "season", "tallies"])

# Characters that pass for Latin letters and digits, by Unicode's list (tools/looks.py).
_LOOKS = {
    ord(char): look
    for look, chars in json.loads(Path(__file__).with_name("looks.json").read_text("utf-8")).items()
    for char in chars
}
# First words of Unicode's names for letters of the scripts that people write today (Standard Annex 31, table 5).
_WRITTEN = frozenset(
    [
        "ARABIC",
        "ARMENIAN",
        "BENGALI",
        "BOPOMOFO",
        "CJK",
        "COMBINING",
        "CYRILLIC",
        "DEVANAGARI",
        "ETHIOPIC",
        "GEORGIAN",
        "GREEK",
        "GUJARATI",
        "GURMUKHI",
        "HANGUL",
        "HEBREW",
        "HIRAGANA",
        "IDEOGRAPHIC",
        "KANNADA",
        "KATAKANA",
        "KHMER",
        "LAO",
        "LATIN",
        "MALAYALAM",
        "MODIFIER",
        "MYANMAR",
        "ORIYA",
        "SINHALA",
        "TAMIL",
        "TELUGU",
        "THAANA",
        "THAI",
        "TIBETAN",
    ]
)
# Punctuation; what is raised or lowered, as in H₂O; currencies and the mark of a trade name.
_PUNCTUATION = re.compile(
    "[\u2010-\u2027\u2030-\u205e\u2070-\u209c\u20a0-\u20c0\u2122\u3008-\u3011\u3014-\u301f"
    "\uff01-\uff0f\uff1a-\uff20]"
)
# The joiners behind a letter, or its mark, of a script that is spelt with them: from Arabic to Sinhala, Burmese, Khmer and
# Mongolian.
_JOINERS = re.compile(
    "(?<=[\u0620-\u065f\u066e-\u06d3\u06fa-\u0dff\u1000-\u109f\u1780-\u17d3\u1820-\u18aa])[\u200c\u200d]"
)
# Digits and letters that most fonts draw alike.
_SAME_FORM = str.maketrans({"0": "o", "1": "l", "i": "l", "|": "l"})


def system_name_fault(name: str) -> str:
    """Why this is not a name of a system, in words; empty where it is one."""
    faults = (
        (not SYSTEM.fullmatch(name), "is not of the form [a-z0-9][a-z0-9-]{1,63}"),
        (name in DEVICES, "is a name that some systems keep for devices"),
        (name in THE_BOARDS, "is the name of a file of the board"),
    )
    return next((why for fault, why in faults if fault), "")


def board_name(name: str) -> str:
    """The name of a system, or of its file, as the board has it: capitals become small letters.

    Those of ASCII alone: others would make two names one that look different.
    """
    return name.lower() if name.isascii() else name


def is_season(value: object) -> bool:
    """Whether this is the name of a season."""
    return isinstance(value, str) and SEASON.fullmatch(value) is not None


def slug(name: str) -> str:
    """The nearest name of a system to any text; empty where nothing of it can be kept."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    # Runs of anything else become one hyphen, and none stands at an end: "GPT-4 (o)" is gpt-4-o.
    short = re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:64].strip("-")
    return short if not system_name_fault(short) else ""


def skeleton(name: str) -> str:
    """The name reduced to what a reader sees; two names with the same skeleton look alike."""
    # NFKD takes accents off letters, and makes full-width and styled letters plain ones, but of a lunate sigma, which looks like "c", a
    # usual one.
    text = unicodedata.normalize("NFKD", name.translate(_LOOKS)).translate(_LOOKS).casefold()
    # Long vowels, half apostrophes and the Chinese one look like what parts words.
    letters = (
        x
        for x in text.translate(_LOOKS)
        if x.isalnum() and x not in "一ㅡ" and unicodedata.category(x) != "Lm"
    )
    # Two letters that together look like a third.
    plain = "".join(letters).translate(_SAME_FORM)
    return plain.replace("rn", "m").replace("vv", "w").replace("cl", "d")


def odd_sign(name: str) -> str:
    """The first character that no name is written with, such as a check mark, a medal or a full-width letter."""
    shown = _JOINERS.sub("", unicodedata.normalize("NFC", name))
    return next((char for char in shown if not _is_written(char)), "")


def _is_written(char: str) -> bool:
    """Whether it is of Latin-1 or General Punctuation, or a letter, mark or digit of today's scripts in its plain form."""
    if char < "\u0100" or _PUNCTUATION.match(char):
        return char.isprintable()
    kind = unicodedata.category(char)
    return (
        (kind[0] in "LP" or kind in ("Mn", "Mc", "Nd"))
        and re.match("<(?!compat)", unicodedata.decomposition(char)) is None
        and re.split("[ -]", unicodedata.name(char, ""))[0] in _WRITTEN
    )


def invisible(text: str, allowed: str = "") -> str:
    """The first character that shows nothing (controls, direction marks, zero widths) and that no spelling needs."""
    return next(
        (char for char in _JOINERS.sub("", text) if is_invisible(char) and char not in allowed), ""
    )


def whole(pattern: re.Pattern[str]) -> str:
    """The pattern as JSON schemas need it: anchored at both ends."""
    return f"^(?:{pattern.pattern})$"


def pattern(form: str) -> Any:
    """A form for the JSON schema alone, where the reader's own check says more."""
    return Field(json_schema_extra={"pattern": form})


SystemName = Annotated[
    str,
    Field(pattern=whole(SYSTEM)),
    Expect(
        "the name of a system, [a-z0-9][a-z0-9-]{1,63} and none of the board's own",
        lambda text: not system_name_fault(text),
    ),
]
SystemOrNone = Annotated[
    str,
    Expect(
        "the name of a system, or an empty text",
        lambda text: not text or not system_name_fault(text),
    ),
]
SeasonName = Annotated[
    str, Field(pattern=whole(SEASON)), Expect("the name of a season, [a-z0-9][a-z0-9.-]{0,63}")
]
SettingName = Annotated[str, Expect.one_of(*SETTINGS)]
AuthorId = Annotated[str, Field(pattern=whole(AUTHOR)), Expect("1 to 64 of [A-Za-z0-9_.-]")]
CommitId = Annotated[str, Field(pattern=whole(OID)), Expect("40 hexadecimal digits")]
Digest = Annotated[str, Field(pattern=whole(DIGEST)), Expect("64 hexadecimal digits")]
Count = Annotated[int, Field(ge=0, le=(1 << 53) - 1), Expect("a whole number from 0")]
ShortText = Annotated[
    str,
    Field(max_length=200),
    Expect("a text of at most 200 characters, all visible", lambda text: not invisible(text)),
]
