"""Rules by which Luciole's rows are read: gold answers from prose, chunks from prompts, dropped support.

The rules of OpenLLM-France's lighteval tasks to the letter (508d4a7 and f372020): the data set is
what these rules make of the published rows, whatever metric reads it then.
"""

from __future__ import annotations

import hashlib
import random
import re
from collections.abc import Sequence
from dataclasses import dataclass

from argue_bench.text import read_answer
from argue_bench.text.typed import typed_text

_MARKERS = ("Here are the retrieved documents : `", "Voici les documents récupérés : `")
_BULLET = re.compile(r"^\*\s*filename:\s*(.+)$", re.MULTILINE)
_BRACKETS = re.compile(r"^\[([^\[\]\n]+)\]$", re.MULTILINE)
_CHUNK_TITLE = re.compile(f"{_BULLET.pattern}|{_BRACKETS.pattern}", re.MULTILINE)
_GOLD = tuple(
    re.compile(pattern, re.IGNORECASE | re.MULTILINE)
    for pattern in (
        r"\*\*(?:final\s+)?answer[:*]*[:\s]*(.+)",
        r"answer[:\s]+(.+)",
        r"the (?:final )?answer is[:\s]+(.+?)(?:\.|$)",
        r"\*\*réponse\s+finale\s*[:*]*[:\s]*(.+)",
        r"\*\*(.+?)\*\*\s*(?:\.|$)",
    )
)
_LEFT_OVER = re.compile(r"^(?:is|are|was|were|est|sont|était)\b[\s:]*", re.IGNORECASE)
_BOLD = re.compile(r"\*\*([^*\n]+)\*\*")


def gold_answer(generation: str) -> str:
    """The gold answer out of a gold generation: the last match of the first rule that has one."""
    for pattern in _GOLD:
        matches = list(pattern.finditer(generation))
        if matches:
            text = matches[-1][1].strip().replace("*", "").strip(".")
            if 1 <= len(text) <= 1000:
                return text
    return ""


def other_forms(gold: str, generation: str) -> list[str]:
    """What an extracted gold answer says besides what those rules leave around it.

    Without citation markup; without a verb that the label left; and what is last in bold, if the gold
    holds it. None of them replaces the gold as extracted, which the frozen rules compare.
    """
    plain = read_answer("", gold, {}).plain
    forms = [plain, _LEFT_OVER.sub("", plain)]
    if (bold := _BOLD.findall(generation)) and bold[-1].strip(" .:") in gold:
        forms.append(bold[-1].strip(" .:"))
    return [form for form in dict.fromkeys(map(str.strip, forms)) if form and form != gold]


def states_answer(answer: str, texts: Sequence[str], language: str) -> bool:
    """Whether one of the texts says the answer, as typed tokens."""
    wanted = typed_text(answer, language)
    return not wanted.empty and any(typed_text(text, language).holds(wanted) for text in texts)


def context(system: str) -> tuple[str, list[str]]:
    """The retrieved text behind the first marker of a system prompt, and the chunk titles in it.

    Titles behind bullets come first, then those in brackets; of two that differ in case alone the first.
    """
    for marker in _MARKERS:
        at = system.find(marker)
        if at >= 0:
            text = system[at + len(marker) :].rstrip().removesuffix("`").rstrip()
            titles: dict[str, str] = {}
            for title in map(str.strip, _BULLET.findall(text) + _BRACKETS.findall(text)):
                if title:
                    titles.setdefault(title.lower(), title)
            return text, list(titles.values())
    return "", []


def split_chunks(text: str) -> list[tuple[str, str]]:
    """(title, text) of each chunk of a retrieved text."""
    found = list(_CHUNK_TITLE.finditer(text))
    ends = [*(match.start() for match in found[1:]), len(text)][: len(found)]
    return [
        (str(match[1] or match[2]).strip(), text[match.end() : end].strip())
        for match, end in zip(found, ends, strict=True)
    ]


@dataclass(frozen=True)
class Partition:
    """What a row became: which documents are shown in which order, and what is left as gold."""

    bucket: float
    dropped: bool
    shown: tuple[int, ...]
    supporting: tuple[int, ...]

    @property
    def answerable(self) -> bool:
        return bool(self.supporting)


def partition(
    id: str, documents: int, supporting: Sequence[int], ratio: float, shuffle: bool = True
) -> Partition:
    """Drops the support of a row whose bucket is below the ratio, then shuffles what is shown."""
    bucket = int(hashlib.md5(id.encode(), usedforsecurity=False).hexdigest()[:8], 16) / 2**32
    known = [index for index in dict.fromkeys(supporting) if 0 <= index < documents]
    dropped = bucket < ratio
    shown = [index for index in range(documents) if not (dropped and index in known)]
    if shuffle:
        random.Random(f"chunk_order:{id}").shuffle(shown)
    return Partition(bucket, dropped, tuple(shown), () if dropped else tuple(known))
