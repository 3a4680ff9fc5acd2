"""Sentences of a text: `sentencex` finds where they end, and what it cuts or joins wrongly is mended here.

1. A blank line, a line break and a list item end a unit; a line that goes on in lower case does not
   begin a new one. Inside a unit the library decides.
2. Closing quotes, brackets, tags and citation marks after the full stop stay with the sentence that
   they close: ``It was built in 1931. [1] It stands.`` cites [1] for the first. The library does not see
   them.
3. No cut stands before a word in lower case, behind an abbreviation or an ordinal of the fixed table
   (`abbreviations`), or without a blank in scripts that set one.

Nothing is lost: the sentences are slices of the text, and only white space lies between them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.metadata import version
from itertools import pairwise

from argue_bench.text.citations import EMPTY_INDEX, HIDDEN, OPENING, Mark, find_marks, hide
from argue_bench.text.language import fold_word, primary, stop_words

_ALWAYS = {
    "*": "M MM Mr Mrs Ms Mx Dr Drs Prof Rev Hon Gov Gen Col Maj Capt Lt Sgt Sen Rep Fr cf Cf vs al approx e.g i.e "
    "E.g I.e eg ie viz incl excl resp esp",
    "fr": "Mme Mmes Mlle Mlles Pr Mgr Me St Ste Sts Stes p.ex ex c.-à-d c.à.d env av apr bd boul dép art chap éd",
    "de": "z.B d.h u.a o.ä i.d.R z.T u.U v.a s.o s.u bzw ca vgl Vgl evtl ggf inkl exkl sog bspw Nr Abs Bd Bde Hr Frl "
    "Ing Dipl Mag St geb gest Jh Jhd Mio Mrd Kap Hrsg hrsg Std Tel zzgl lt max min",
    "es": "Sr Sra Srta Sres Dra Ud Uds Vd Vds D Dña Lic Ing Arq pág págs núm ej p.ej aprox EE a.C d.C",
    "it": "Sig Sig.ra Dott Dott.ssa Ing Avv pag pagg es ecc p.es",
    "pt": "Sr Sra Srs Dra Eng pág págs ex",
    "nl": "dhr mevr drs ir bijv bv ca nr blz o.a d.w.z m.a.w",
}
# By language, and "*" in all: a name or the rest of a phrase follows.
ALWAYS = {language: frozenset(words.split()) for language, words in _ALWAYS.items()}
# They carry their full stop where a number follows.
BEFORE_NUMBERS = frozenset(
    [
        *[
            "No",
            "Nos",
            "no",
            "nos",
            "n",
            "p",
            "P",
            "pp",
            "vol",
            "Vol",
            "ch",
            "chap",
            "Fig",
            "fig",
            "Figs",
            "sec",
        ],
        *[
            "Sec",
            "art",
            "Art",
            "Nr",
            "nr",
            "núm",
            "ca",
            "c",
            "b",
            "d",
            "est",
            "janv",
            "févr",
            "avr",
            "juil",
            "sept",
        ],
        *[
            "oct",
            "nov",
            "déc",
            "Jan",
            "Feb",
            "Mar",
            "Apr",
            "Jun",
            "Jul",
            "Aug",
            "Sep",
            "Sept",
            "Oct",
            "Nov",
            "Dec",
        ],
    ]
)
# Languages that write ordinals as numbers with a full stop.
ORDINALS = frozenset(
    ("de", "da", "nb", "nn", "no", "is", "fi", "et", "lv", "cs", "sk", "sl", "hr", "pl", "hu", "tr")
)
# Words that begin a sentence behind a number all the same.
STARTERS = frozenset(
    [
        "Der",
        "Die",
        "Das",
        "Er",
        "Sie",
        "Es",
        "Wir",
        "Ich",
        "Ein",
        "Eine",
        "Dann",
        "Danach",
        "Aber",
        "Und",
        "Doch",
    ]
)


_ITEM = re.compile(
    r"[ \t]*(?:[-*+•‣◦·▪–—]|\(?\d{1,3}[.)]|\(?[A-Za-z][.)]|\(?[ivxIVX]{1,5}[.)]|#{1,6}|\||>)(?=\s|$)"
)
# The library stops at lone surrogates, and at white space of two bytes.
_SURROGATE = re.compile("[\ud800-\udfff]")
_WHITE = re.compile(r"[^\S ]")
# What the library must not see: marks, and the tags and signs of emphasis behind a full stop.
_UNSEEN = re.compile(
    rf"[ \t\xa0]{{0,3}}(?:{HIDDEN}[{HIDDEN} \t\xa0]*(?:{HIDDEN}|(?<={HIDDEN}))|</[A-Za-z]\w{{0,20}}>|<br ?/?>"
    r"|(?<=[.!?…\"”’»)])[*_`]{1,3}(?=\s|$))+"
)
# A mark that begins a sentence: "[2] says not."
_SUBJECT = re.compile(rf"(?<=[.!?…] ){HIDDEN}+(?=\s+[^\W\d_A-Z])")
# The same of one that leads, behind a quote, too.
_LEADER = re.compile(rf"(?<=[.!?…\"”»’)]\s){OPENING}+(?=\s+[^\W\d_A-Z])")
# A mark behind a full stop, and a capital letter behind it: "in the U.S. [1] It".
_MARKED = re.compile(rf"(?<=[.!?])[ \t\xa0]*{HIDDEN}[{HIDDEN} \t\xa0]*(?=[\"“«„(¿¡]*[^\W\d_a-z])")
# A remark in brackets behind a full stop, with its label: "It fell. (confidence: high) It".
_REMARK = re.compile(
    rf"(?<=[.!?])[{HIDDEN} \t\xa0]*\([^\W\d_][^():.!?\n]{{0,40}}: [^():.!?\n]{{1,40}}\)[.]?(?:\s+|$)"
)
_CLOSING = re.compile(r"[.,;:!?)](?!\.)")
# Ends that the library does not see, before a capital letter: an ellipsis, a bracket that closes behind a
# full stop, and a few words.
_END = re.compile(r"[.…][)\]\"”’»]*\s+(?=[\"“«„(¿¡]*[A-ZÀ-Þ])")
_MISSED = re.compile(
    r"(?:\b(?:etc|no|(?:vitamine?s?|hepatitis|grade|class|group|type|plan) [A-Z])|(?:\d[ \xa0]?|[\da-z]/)(?-i:[a-z]))\Z",
    re.IGNORECASE,
)
# Of "two plans: (1) leave, (2) stay" the library makes items, and ends no sentence behind the last. A remark in brackets is kept.
INLINE = re.compile(
    r"(\([^()]{3,300}\))"
    r"|(?:(?<=[:;,.]\s)|(?<=\s(?:and|und)\s)|(?<=\s(?:or|et)\s))\(?(?:\d{1,2}|[A-Za-z]|ii)\)\s+"
)
_STOP = re.compile(r"[.!?…‽؟۔।։።။｡。！？](?=.*\S)", re.DOTALL)
# White space, as `str.strip` knows it, and tags that open what follows.
_STRIPPED = "".join(char for char in map(chr, range(0x3001)) if char.isspace()) + OPENING
_SPECIAL = re.compile(f"[{HIDDEN}<*_`\ud800-\udfff]")
# Words on each side of a cut that decide on it, in characters, and blanks between, which the longest address
# may have left: so the time is linear.
_NEAR, _FAR = 60, 5_000
_BLANKS = re.compile(r"\s*")
# Characters of a unit that the library is given at once.
_AT_ONCE = 4_000
_NUMBER_ONLY = re.compile(r"\W*(?:\d{1,3}|[A-Za-z]|[ivxIVX]{1,5})\.")
_LISTED = re.compile(r"[:;]\s+\(?\d{1,3}\.\s*\Z")
_BEFORE_WORD = re.compile(r".*[(\[{\"'«“‘’*_/–—<]", re.DOTALL)
_INITIALS = re.compile(r"(?:\b[^\W\d_]\.[\s-]?){2,}\s*\Z")
_INITIAL = re.compile(r"[^\W\d_]\.")
_BRAND = re.compile(r"[^\W\d_]{1,2}[A-Z]")  # iPhone, eBay
_FIRST_WORD = re.compile(r"[\W_]*(\w+)")
_OPENING = "([{\"'«“‘„‹*_`¿¡-–— \t\xa0\u202f\n\r"


@cache
def splitter() -> str:
    """The name of the splitting rules in signatures."""
    return f"argue-bench-14 sentencex-{version('sentencex')}"


def sentences(text: str, language: str = "en") -> list[str]:
    """The sentences of a text, with the citation marks that are theirs."""
    return [text[start:end] for start, end in spans(text, find_marks(text, EMPTY_INDEX), language)]


def spans(text: str, marks: Sequence[Mark] = (), language: str = "en") -> list[tuple[int, int]]:
    """Start and end of each sentence in characters, without the white space around it.

    ``marks``, in order, are ignored as if they were not there.
    """
    masked, language = hide(text, marks), primary(language)
    masked = _LEADER.sub(lambda one: "X" * len(one[0]), masked).replace(OPENING, " ")
    # In a text without capitals a small letter does not show that a sentence goes on.
    uncased = not any(map(str.isupper, text))
    found: list[tuple[int, int]] = []
    for start, end in _units(masked, uncased):
        item = _ITEM.match(masked, start, end)
        begin = item.end() if item else start
        cuts = (begin + cut for cut in _cuts(masked[begin:end], language, uncased))
        for first, last in pairwise([start, *cuts, end]):
            piece = text[first:last].lstrip(_STRIPPED)
            bare = piece.rstrip(_STRIPPED)
            # A tag right behind the full stop belongs to what it follows as well, one behind a blank does not.
            behind = piece[len(bare) :]
            bare += behind[: len(behind) - len(behind.lstrip(OPENING))]
            if bare.strip(OPENING):
                found.append((last - len(piece), last - len(piece) + len(bare)))
    return found


def _units(text: str, uncased: bool) -> Iterator[tuple[int, int]]:
    """Stretches that no sentence crosses: paragraphs, list items, lines.

    In a text without capitals a small letter says nothing, and every line is one.
    """
    start, at, open_end = 0, 0, False
    for line in text.splitlines(keepends=True):
        bare = line.lstrip(" \t\xa0*_\"'«“(" + HIDDEN)
        goes_on = open_end and not uncased and bare[:1].islower() and not _ITEM.match(line)
        if not goes_on and at > start:
            yield start, at
            start = at
        at += len(line)
        closing = line.rstrip().rstrip(HIDDEN + " ")
        # A line without a mark at its end may go on in the next one.
        open_end = bool(closing) and not closing.endswith((".", "!", "?", ":", "…", "|"))
    if at > start:
        yield start, at


def _cuts(unit: str, language: str, uncased: bool) -> list[int]:
    """Where the second sentence of a unit begins, and each after it."""
    cuts: list[int] = []
    if not _STOP.search(unit):
        return cuts
    seen = _WHITE.sub(" ", unit)
    if _SPECIAL.search(unit):
        seen = _SURROGATE.sub("\ufffd", _SUBJECT.sub(lambda one: "X" * len(one[0]), seen))
        seen = _UNSEEN.sub(lambda one: " " * len(one[0]), seen)
    start = 0
    remarks = [one.span() for one in _REMARK.finditer(seen)]
    marked = {one.end() for one in _MARKED.finditer(unit)}
    found = marked | {end for _, end in remarks if end < len(unit)} | _ends(seen, language)
    for cut in sorted(found - {at for start, end in remarks for at in range(start, end)}):
        left, right = seen[max(start, cut - _FAR) : cut], seen[cut : cut + _NEAR]
        if not _goes_on(left, right, language, uncased):
            cuts.append(cut)
            start = cut
    return cuts


def _ends(seen: str, language: str) -> set[int]:
    """Where sentences may begin."""
    import sentencex

    found: set[int] = set()
    at, seen = 0, INLINE.sub(lambda one: one[1] or "X" * len(one[0]), seen)
    # Unclosed quotes cost the library the square of what it is given.
    while at < len(seen):
        given = seen[at : at + _AT_ONCE]
        ends = [
            one["start_index"] for one in sentencex.get_sentence_boundaries(language, given)[1:]
        ]
        found.update(at + one for one in ends)
        at += ends[-1] if ends and at + len(given) < len(seen) else len(given)
    for end in _END.finditer(seen):
        before = seen[max(0, end.start() - _NEAR) : end.start()].rstrip()
        closes = end[0][1:2] in (")", "]") and not before.endswith(".")
        if end[0][0] == "…" or closes or _MISSED.search(before):
            found.add(end.end())
    # Behind the blanks, some of which are marks.
    return {blanks.end() for one in found if (blanks := _BLANKS.match(seen, one))} - {len(seen)}


def _goes_on(left: str, right: str, language: str, uncased: bool) -> bool:
    """Whether a sentence goes on where the library cuts it."""
    head = right.lstrip(_OPENING)
    said = left.rstrip()
    apart, said = len(said) < len(left), said[-_NEAR:]
    if not said or _CLOSING.match(right) or not any(map(str.isalnum, right)):
        return True
    if head[:1].islower() and not uncased and not _BRAND.match(head):
        return True
    if not apart:  # 3.5, U.S.A., J.-C.; scripts without blanks cut behind the mark alone
        closed = said.rstrip('"”’»」』)）')
        return closed[-1:] not in "。！？｡" or (closed != said and head[:1].isalnum())
    if not said.endswith("."):
        return False
    word = _BEFORE_WORD.sub("", said[:-1].rpartition(" ")[2])
    if len(word) <= 5 and (_NUMBER_ONLY.fullmatch(said.strip()) or _LISTED.search(said)):
        return True
    following = found[1] if (found := _FIRST_WORD.match(right)) else ""
    if word in ALWAYS["*"] or word in ALWAYS.get(language, ()):
        return True
    # "J.-M. G. Le Clézio"; "the U.S.A." has no blank between.
    initials = word.isupper() and _INITIALS.search(said)
    if initials and (len(word) == 1 or _INITIAL.match(right)):
        return True
    # "par E. Marsh"; but "la vitamine C. Elle". English has its own rule in the library.
    if word.isupper() and len(word) == 1 and language != "en":
        return fold_word(following) not in stop_words(language)
    # "2 p.m. EST", "4 p.m. Monday"
    if word in ("a.m", "p.m") and (following[1:].isupper() or following.endswith("day")):
        return True
    if head[:1].isdigit() and word in BEFORE_NUMBERS:
        return True
    # "Im 2. Weltkrieg", "am 3. Mai"; but "Er wurde 3. Dann ging er."
    return language in ORDINALS and word.isdigit() and len(word) < 3 and following not in STARTERS
