"""Verdicts in words: a reply that consists of the verdict, or announces it ("Verdict: yes").

Any other occurrence of a declared word in prose means nothing: "no" is an English determiner, "A" an
article. An announcement begins a line, or is the last sentence; it does not count in a quotation, nor
with a doubt beside it, nor where the text goes on to take it back.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from argue_bench.judges.prompted.forms import ReplyForm, Words
from argue_bench.judges.prompted.objects import without_fence
from argue_bench.records.normal_forms import normalise

_OPENING = "\"'“”‘’«»„`*_~([<$#"
_CLOSING = "\"'“”‘’«»„`*_~)]}>$"
# Pictures that models put beside a verdict, with the selectors of their variants.
_PICTURES = "\u2600-\u27bf\u2b00-\u2bff\ufe0f\U0001f000-\U0001faff"
_PICTURE = re.compile(f"[{_PICTURES}]")
_LEVELS = {"fully": "full", "partially": "partial", "not": "no"}
_NUMBERS = {"one": "1", "two": "2", "three": "3", "four": "4", "five": "5"}
# LaTeX in which models of mathematics wrap their answers.
_LATEX = re.compile(r"\\(?:boxed|text|textbf|mathrm|mathbf)\{([^{}]*)\}")
_LABELLED = re.compile(r"(?:option|choice|letter|grade|score|rating|label|category|level)[ :]+(.*)")
# A number that is not meant exactly; two strokes are a mark of what was struck out.
_ABOUT = re.compile(r"\s*[\"'“]?~(?!~)")
# Marks of a page, of a conversation's turns and of an answer's place.
_TAG = re.compile(
    r"</?(?:b|strong|i|em|u|p|span|code|div|s|answer|output|response|result|final|solution)>"
    r"|<\|[\w-]{1,40}\|>|</?(?:start|end)_of_turn>|\A\s*(?:assistant|ai|model)\s*:",
    re.IGNORECASE,
)
# What may stand before a verdict that is all of a reply; a stroke before a number may be a minus.
_BULLET = re.compile(r"[-–•*]\s+(?=[^\W\d])|1[.)]\s+(?=[^\W\d])")
_LIST_MARKER = re.compile(r"^\s*(?:\d+|[A-F])[.)]\s", re.MULTILINE)
_QUOTATION = re.compile(r"\{[^{}]*\}|\"[^\"\n]*\"|“[^”]*”")
# Words after an announcement that are still meant as its verdict ("not full but partial").
_SHORT = 6
# An order to whoever reads it, which is the judged text and not the judge.
_ORDER = re.compile(
    r"(?:^|[.!?:]\s|\n)\W*(?:please )?(?:ignore|disregard|forget)\b[^.\n]{0,60}"
    r"\b(?:instructions?|above|previous|prior|rules|everything)\b",
    re.IGNORECASE,
)
_REASON = re.compile(
    r"\W*(?:reason(?:ing|s)?|explanation|rationale|justification|because|why)\b", re.IGNORECASE
)
_CONDITION = re.compile(r"\b(?:if|would|had|were|otherwise|unless|could)\b", re.IGNORECASE)
# Characters after an announcement that are read as its sentence.
_SENTENCE = 1_000


@cache
def _cues() -> Mapping[str, str]:
    """Each list of ``anchors.toml`` as an expression of alternatives, longer ones first."""
    lists = tomllib.loads(Path(__file__).with_name("anchors.toml").read_text(encoding="utf-8"))
    return {
        name: "|".join(map(re.escape, sorted(words, key=len, reverse=True)))
        for name, words in lists.items()
    }


def as_word(value: Any, words: Words) -> str | None:
    """The declared verdict that a value is, apart from case, quotes and a scale's end; or None."""
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        value = str(value)
    if not isinstance(value, str):
        return None
    if not words:  # any text, without half surrogates, which no file can hold
        return value.encode("utf-8", "replace").decode()
    text = _plain(unwrapped(value))
    if words[0].isdigit() and _ABOUT.match(value):
        return None
    if labelled := _LABELLED.fullmatch(text):
        text = _plain(labelled[1])
    if words[-1].isdigit():
        text = re.sub(rf"\s*\(?(?:/|out of|of)\s*{words[-1]}\Z|\.0+\Z", "", text)
        text = _NUMBERS.get(text, text)
    elif "partial" in words:  # TREC RAG's names of the levels
        if text.endswith(" supported"):
            text = _LEVELS.get(text.removesuffix(" supported"), text)
        text = text.removesuffix(" support")
    return next((word for word in words if word.casefold() == text), None)


def unwrapped(text: str) -> str:
    """The text without LaTeX's boxes."""
    for _ in range(3):
        text = _LATEX.sub(r"\1", text)
    return text


def _plain(text: str) -> str:
    text = _PICTURE.sub("", normalise("NFKC", text)).strip()
    return text.lstrip(f"{_OPENING} ").rstrip(f"{_CLOSING}.!,;: 。、").casefold()


def whole_word(text: str, words: Words) -> str | None:
    """The verdict that makes up a whole reply, apart from a fence, quotes and repetition."""
    if not words or len(text) > 1_000:
        return None
    text = _TAG.sub("", without_fence(text)).strip()
    if words[0] != "A" and re.match(r"A:\s", text):  # of question and answer
        text = text[2:].strip()
    if bullet := _BULLET.match(text):
        text = text[bullet.end() :]
    lines = {as_word(line, words) for line in text.splitlines() if line.strip()}
    return lines.pop() if len(lines) == 1 else None


def announced(text: str, form: ReplyForm) -> str | None:
    """The verdict that a reply announces, once or several times alike; None where it is not clear."""
    text = unwrapped(without_fence(text))
    for rank in ("final", "verdict", "answer"):
        found = list(_announcements(text, form.words, rank))
        if found:
            word, end = found[-1]
            if word is None or len({one for one, _ in found}) > 1:
                return None
            after = text[end:]
            return None if takes_back(after, word, form.words) or _gives(after, word) else word
    return None


def _gives(after: str, word: str) -> bool:
    """Whether a line after a verdict begins an object that gives another one."""
    given = re.search(
        r"""^\s*\{\s*["'](?:verdict|answer|label|score)["']\s*:\s*["']?(\w+)""",
        after,
        re.IGNORECASE | re.MULTILINE,
    )
    return given is not None and given[1].casefold() != word.casefold()


def keyed_word(text: str, form: ReplyForm) -> str | None:
    """The verdict after the form's key in text that is no JSON, as in ``verdict-3f9a1c07: yes``."""
    text = re.sub(rf"</[\w-]*{form.key}>", "\n", text, flags=re.IGNORECASE)
    found = [
        (following(text[match.end() :], form.words), match.end())
        for match in re.finditer(
            rf"(?<![0-9a-f]){form.key}(?:>|[{re.escape(_CLOSING)}]*\s*(?:[:=：]|->|→|is\b|\n))\s*",
            text,
            re.IGNORECASE,
        )
    ]
    if not found or len({word for word, _ in found}) > 1:
        return None
    word, end = found[-1]
    return None if word is None or takes_back(text[end:], word, form.words) else word


def _announcements(text: str, words: Words, rank: str) -> Iterator[tuple[str | None, int]]:
    """Each announcement of this rank: the verdict after it, or None, and where that ends."""
    if not words:
        return
    cues, openings = _cues(), re.escape(_OPENING + "-–—•·#|") + r"\s" + _PICTURES
    basis = r"(?:(?:based on|given|according to|considering|as)\b[^.:\n]{1,80},\s*)?"
    lead = rf"{basis}(?:(?:{cues['before']})[,:]?\s+)*"
    aside = r"(?:\s*\([^()\n]{0,60}\)|\s+(?:for|on|about)\b[^:\n]{1,60}(?=:))?"
    closing = rf"[{re.escape(_CLOSING)}]*"
    said = (
        rf"{lead}(?:{cues[rank]}){aside}{closing}\s*"
        rf"(?:[:=：]{{1,2}}(?!=)|->|→|[-–—](?=\s)|\bis\b:?|\|?\n+(?:[|:=\s-]+\n)?[|\s]*){closing}\s*"
    )
    pattern = re.compile(
        rf"(?:^|(?<=[.!?])[ \t]+|\n|(?<=>))[{openings}]*(?:<(?P<tag>\w+)>{closing}\s*|(?:{said}){{1,2}})",
        re.IGNORECASE,
    )
    for match in pattern.finditer(text):
        tag = match["tag"]
        if tag and not re.fullmatch(cues[rank], tag.replace("_", " "), re.IGNORECASE):
            continue
        if re.search(r"""["'”’]\s*[:=]""", match[0]):  # a name in JSON that lacks the key
            continue
        start, end = match.start(), match.end()
        rest = text[end:]
        if tag is not None:
            rest = re.sub(rf"</{tag}>", "", rest, count=1, flags=re.IGNORECASE)
        if _is_quoted(text, start, end) or (not _begins_line(text, start) and _goes_on(rest)):
            continue
        line = rest[:_SENTENCE].lstrip().split("\n", 1)[0]
        word = as_word(line, words) or following(rest, words)
        # A heading, or the beginning of an argument, announces nothing yet.
        if word is not None or 0 < len(line.split()) <= _SHORT:
            yield word, end


def _begins_line(text: str, start: int) -> bool:
    return start == 0 or text[start] == "\n" or text[:start].endswith("\n")


def _goes_on(rest: str) -> bool:
    """Whether the text after an announcement goes on beyond its sentence."""
    return bool(re.search(r"\n\s*\S|[.!?]\s+\S", rest.strip()))


def _is_quoted(text: str, start: int, end: int) -> bool:
    """Whether the place stands in a quotation, or below a line that introduces one."""
    closed = text.find("```", end)
    if text[:end].count("```") % 2 and closed >= 0 and text[closed:].strip("`\n "):
        return True
    if _ORDER.search(text[max(0, start - _SENTENCE) : start]):
        return True
    paragraph = text[text.rfind("\n\n", 0, start) + 1 : end]
    line = text[text.rfind("\n", 0, end - 1) + 1 : end]
    if line.lstrip().startswith(">") or paragraph.count("“") > paragraph.count("”"):
        return True
    before = text[:start].rstrip()
    if before.count('"') % 2 and text[end:].count('"') % 2:
        return True
    introduction = before[before.rfind("\n") + 1 :]
    return introduction.endswith(":") and bool(
        re.search(rf"\b(?:{_cues()['quoted']})\b", introduction, re.IGNORECASE)
    )


def following(rest: str, words: Words) -> str | None:
    """The verdict with which a text begins, unless its sentence goes on in another sense."""
    line = rest[:_SENTENCE].lstrip().split("\n", 1)[0]
    short = all(len(word) == 1 for word in words)
    support = "(?: support)?" if "partial" in words else ""
    scale = ""
    if words and words[-1].isdigit():
        scale = rf"(?:\s*\(?(?:/|out of|of)\s*{words[-1]}|\.0+)?"
    option = r"(?:option|letter|grade|level)?\s*"
    match = re.match(
        rf"[{re.escape(_OPENING)}{{\s{_PICTURES}]*{option}(?P<word>{'|'.join(map(re.escape, words))}){support}{scale}"
        rf"(?![\w%/+]|[.,–-]\d)(?:[{re.escape(_CLOSING)}]|[ \t]*[{_PICTURES}])*",
        line,
        re.IGNORECASE,
    )
    if match is None:
        return None
    after = line[match.end() :]
    if scale and re.match(r"\s*[,;]\s*\d", after):  # a second number for something else
        return None
    found = next(word for word in words if word.casefold() == match["word"].casefold())
    if not after.strip(" |") or re.match(r"\s*[.!;](?:\s|$)", after):
        return found
    if short and match["word"] != found:  # "a" with more after it is an article
        return None
    explained = re.match(r"\s*[,(–—:]|\s*-\s|\s+(?:because|since|as|rather than)\b", after)
    option_said = short and ")" in match[0]  # C) They contain the same details
    sentence = re.split(r"[.!?](?:\s|$)", after, maxsplit=1)[0]
    doubt = re.search(rf"\b(?:{_cues()['doubt']})\b", sentence, re.IGNORECASE)
    return (
        found
        if (explained or option_said) and not doubt and not _competes(sentence, found, words)
        else None
    )


def _competes(text: str, word: str, words: Words) -> bool:
    """Whether a text has another declared verdict that is used as one: no noun follows it."""
    others = [re.escape(one) for one in words if one != word]
    text = re.sub(
        rf"\b(?:not|rather than) (?:{'|'.join(others)})\b", " ", text, flags=re.IGNORECASE
    )
    case = 0 if all(len(one) == 1 and one.isalpha() for one in words) else re.IGNORECASE
    pattern = rf"(?<!P\()(?<![\w$€£.,/%-])(?:{'|'.join(others)})(?![\w%/]|[.,-]\w|[ \t]+[^\W_])"
    return bool(others) and re.search(pattern, text, case) is not None


def taken_back(after: str, words: Words) -> bool:
    """Whether the text after several verdicts corrects any of them."""
    cue = re.search(rf"\b(?:{_cues()['taken_back']})\b", after, re.IGNORECASE)
    return cue is not None and bool(words) and _competes(after[cue.end() :], "", words)


def takes_back(after: str, word: str, words: Words) -> bool:
    """Whether the text after a verdict gives another one, or takes it back."""
    if not words or not after.strip():
        return False
    others = "|".join(re.escape(one) for one in words if one != word)
    if words[-1].isdigit():
        after = re.sub(rf"(?:/|out of|of) ?{words[-1]}\b", " ", after)
    after = re.sub(
        rf"\b(?:rather than|instead of) [{re.escape(_OPENING)}]*(?:{others})\b",
        " ",
        _LIST_MARKER.sub("", after),
        flags=re.IGNORECASE,
    )
    cue = re.search(rf"\b(?:{_cues()['taken_back']})\b", after, re.IGNORECASE)
    if cue is not None:
        rest = after[cue.end() :]
        if _competes(rest, word, words) or re.search(rf"\bnot {word}\b", rest, re.IGNORECASE):
            return True
    other = re.compile(
        rf"\b(?:{_cues()['concludes']})\s+(?:an?\s+|then\s+|really\s+)?(?:{others})(?![\w%/]|[.,-]\w|[ \t]+[^\W_])",
        re.IGNORECASE,
    )
    return any(
        (len(sentence.split()) <= 4 and _competes(sentence, word, words))
        or (others and other.search(sentence) and not _CONDITION.search(sentence))
        for sentence in re.split(r"(?<=[.!?;])\s|\n", _QUOTATION.sub(" ", after))
        if not _REASON.match(sentence)
    )
