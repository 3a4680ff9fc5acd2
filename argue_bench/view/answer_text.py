"""An answer as it would look: its Markdown as tags of a fixed list around its words, each with its sentence.

`markdown-it-py` reads it, HTML off, so no tag or address of the answer reaches a page. The places of the
sentences are marked by two brackets that no text has a use for, since the parser keeps no places of words.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, groupby, islice, takewhile
from operator import itemgetter
from typing import TYPE_CHECKING, NamedTuple

from argue_bench.records import Answer, Sentence
from argue_bench.text.blocks import LONGEST, as_markdown, markdown
from argue_bench.text.citations import HIDDEN
from argue_bench.view import safe

# The passage of a document that shares most words with a sentence, with those words marked.
#
# Words are compared without case, common words are left out, and numbers weigh double, because
# readers look for figures first. The passage helps the eye; it is not a verdict.

WORD = re.compile(r"\d+(?:[.,:]\d+)*|[^\W\d_]+(?:['’\-][^\W\d_]+)*")
COMMON = re.compile(
    r"an?|and|are|as|at|be|been|but|by|des?|du|en|et|for|from|had|has|have|he|her|his|in|is|its?|la|les?"
    r"|not|of|on|or|que|she|that|the|their|they|this|to|une?|was|were|which|who|will|with"
)
# Text, and whether it is one of the shared words.
Piece = tuple[str, bool]


def words_of(text: str) -> set[str]:
    """The words of a text that can be shared: without case, common words and single letters."""
    words = map(str.casefold, WORD.findall(text))
    return {w for w in words if (len(w) > 1 and not COMMON.fullmatch(w)) or w.isdigit()}


def passage(text: str, sentence: str, most: int = 320) -> list[Piece]:
    """The best stretch of at most ``most`` characters, in pieces, shared words marked."""
    shared = words_of(sentence)
    spots = [m for m in WORD.finditer(text) if m[0].casefold() in shared]
    start, end = _window(text, spots, most)
    pieces = list(mark_words(text[start:end], shared))
    if start:
        pieces.insert(0, ("… ", False))
    if end < len(text):
        pieces.append((" …", False))
    return pieces


def mark_words(text: str, words: Iterable[str]) -> list[Piece]:
    """A text in pieces, with each of these words a piece of its own."""
    wanted = set(words)
    parts = re.split(f"({WORD.pattern})", text)
    marked = ((part, part.casefold() in wanted) for part in parts if part)
    return [
        ("".join(part for part, _ in run), shared)
        for shared, run in groupby(marked, key=itemgetter(1))
    ]


def _window(text: str, spots: list[re.Match[str]], most: int) -> tuple[int, int]:
    """Start and end of the stretch whose distinct shared words weigh most."""
    if len(text) <= most or not spots:
        end = text.rfind(" ", 0, most) if len(text) > most else len(text)
        return 0, end if end > 0 else most

    def weight(first: int) -> int:
        # 40 characters are kept for the words before the first shared one.
        end = spots[first].start() + most - 40
        near = takewhile(lambda one: one.end() <= end, islice(spots, first, None))
        # A figure decides more often than a word whether the source says the same.
        return sum(2 if word[0].isdigit() else 1 for word in {one[0].casefold() for one in near})

    start = max(0, spots[max(range(len(spots)), key=weight)].start() - 40)
    start = text.rfind(" ", 0, start) + 1 if start else 0
    end = min(len(text), start + most)
    if end < len(text):
        end = max(text.rfind(" ", start, end), start + 1)
    return start, end


if TYPE_CHECKING:
    from markdown_it.token import Token

# Brackets of punctuation, beside which signs of emphasis open and close as beside a full stop.
_BEGIN, _END = "⸦", "⸧"
# The page has its own first two headings.
_TAGS = {"h1": "h3", "h2": "h3", "h3": "h4", "h4": "h4", "h5": "h4", "h6": "h4"}
_KEPT = frozenset(
    [
        "p",
        "ul",
        "ol",
        "li",
        "blockquote",
        "table",
        "thead",
        "tbody",
        "tr",
        "th",
        "td",
        "strong",
        "em",
        "s",
        "h3",
        "h4",
    ]
)
_MARK = re.compile(r"[ \t]{0,3}(\[[^\[\]\n]{1,400}\]|【[^【】\n]{1,400}】|[¹²³⁰⁴-⁹]{1,3})")
_PIECE = re.compile(f"[{_BEGIN}{_END}]|[^{_BEGIN}{_END}]+")


class Part(NamedTuple):
    """A tag that opens or closes, words with the number of their sentence (0 outside of any), or its end."""

    tag: str = ""
    close: bool = False
    text: str = ""
    n: int = 0
    begins: bool = False
    ends: int = 0


def shown(answer: Answer) -> list[Part]:
    """The parts of an answer in order; none where it must be shown sentence by sentence."""
    places = [
        (number, one) for number, one in enumerate(answer.sentences, 1) if one.end > one.start
    ]
    text = answer.text
    if len(places) < len(answer.sentences) or len(text) > LONGEST or _BEGIN in text or _END in text:
        return []
    source, at, pieces = as_markdown(text), 0, []
    for _, one in places:
        pieces += [source[at : one.start], _BEGIN, source[one.start : one.end], _END]
        at = one.end
    found = list(_parts(markdown().parse("".join([*pieces, source[at:]])), places))
    begun = [part.n for part in found if part.begins]
    # A sentence that the parser takes for none of the words, such as one in a target, must not be lost.
    return found if begun == [number for number, _ in places] else []


def _parts(tokens: Sequence[Token], places: Sequence[tuple[int, Sentence]]) -> Iterator[Part]:
    number, begins, plain = 0, False, ""
    following = iter(places)
    each = (token.children or () if token.type == "inline" else (token,) for token in tokens)
    for token in chain.from_iterable(each):
        tag = _TAGS.get(token.tag, token.tag)
        if token.nesting and tag in _KEPT and not token.hidden:
            yield Part(tag, token.nesting < 0)
        elif token.type == "hr":
            yield Part("hr")
        elif token.type in ("text", "code_inline", "fence", "softbreak", "hardbreak", "image"):
            if token.type == "fence":
                yield Part("pre")
            for piece in _PIECE.findall(token.content or "\n"):
                if piece == _BEGIN:
                    number, one = next(following)
                    begins, plain = True, one.plain
                elif piece == _END:
                    yield Part(ends=number)
                    number, plain = 0, ""
                else:
                    # A full stop that was hidden from the parser: "1931."
                    piece = piece.replace(HIDDEN, ".")
                    # Links to the documents stand in place of the marks that cite them.
                    yield Part(
                        text=safe.text(_unmarked(piece, plain), 20_000, lines=True),
                        n=number,
                        begins=begins,
                    )
                    begins = False
            if token.type == "fence":
                yield Part("pre", True)


def _unmarked(piece: str, plain: str) -> str:
    """Words without the marks of citations, which do not stand in what was judged, ``plain``."""

    def kept(mark: re.Match[str]) -> str:
        return mark[0] if mark[1] in plain else ""

    return _MARK.sub(kept, piece) if plain else piece
