"""Flags on answers that a maintainer should look at before a run is spent.

stuffing      a long answer most of whose words are names or numbers: it says everything and claims nothing
instructions  an answer that speaks to its judge

A flag is a warning, never a refusal; the comment shows it with its count. But a file most of whose answers
hold no word is refused (`refuse_empty`): it asks about the few questions that it answers.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterator, Mapping
from typing import Any

from argue_bench.errors import Code, Finding
from argue_bench.records.normal_forms import normalise

WORD = re.compile(r"[^\W_]+(?:[-'.,][^\W_]+)*")
LEAST_WORDS = 60
MOST_BARE = 0.6
"""The share of capitals and numbers among the words of an answer, above which it is stuffed."""
INSTRUCTIONS = re.compile(
    r"\b(?:ignore|disregard|forget)\b[^.\n]{0,30}\b(?:previous|above|prior|earlier|all|your|other)\b"
    r"|\b(?:you are|as) (?:a|the) (?:judge|grader|evaluator|assessor)\b"
    r"|\b(?:reply|respond|answer) only with\b|\b(?:verdict|score|grade|rating)\s*[:=]\s*\S"
    r"|\[[^\S\n]*/?(?:END|BEGIN|INST|SYSTEM)\b|<\|\w+\|>|^[^\S\n]*+(?:system|assistant)\s*+:|\*{8,}",
    re.IGNORECASE | re.MULTILINE,
)
_LETTERS = {first + code: chr(code) for first in (0xE0000, 0xE00F0) for code in range(32, 127)}
"""Tags, and selectors of variants, to the ASCII characters that they can carry unseen."""
_UNSEEN = re.compile(f"[{''.join(map(chr, _LETTERS))}]+")
_MOST_CHARACTERS = 20_000
"""Of an answer's beginning and of its end that are looked at."""


def flag_answers(files: Mapping[str, bytes]) -> list[Finding]:
    """Warnings on the answers of a submission that was checked, a file and kind each."""
    findings = []
    for path, content in files.items():
        if path.startswith("metadata/"):
            continue
        texts = list(_texts(content))
        for code, fits, what in (
            (Code.STUFFING, _stuffed, "are lists of names and numbers rather than sentences"),
            (Code.INSTRUCTIONS, _instructs, "hold what reads like instructions to a judge"),
        ):
            if count := sum(map(fits, texts)):
                why = f"{count:,} of {len(texts):,} answers {what}"
                findings.append(Finding(code, why, path, level="warning"))
    return findings


def refuse_empty(files: Mapping[str, bytes]) -> list[Finding]:
    """An error for each file more than half of whose answers hold no letter and no digit."""
    findings = []
    for path, content in files.items():
        texts = [] if path.startswith("metadata/") else list(_texts(content))
        empty = sum(WORD.search(text) is None for text in texts)
        if 2 * empty > len(texts):
            why = f"{empty:,} of {len(texts):,} answers hold no word"
            hint = "Answer every question; a refusal is a sentence."
            findings.append(Finding(Code.MASS_EMPTY, why, path, hint=hint))
    return findings


def _stuffed(text: str) -> bool:
    words = WORD.findall(text)
    bare = sum(word[0].isupper() or word[0].isdigit() for word in words)
    return len(words) >= LEAST_WORDS and bare > MOST_BARE * len(words)


def _instructs(text: str) -> bool:
    return INSTRUCTIONS.search(text) is not None


def _texts(content: bytes) -> Iterator[str]:
    for line in content.removeprefix(b"\xef\xbb\xbf").split(b"\n"):
        if line.strip():
            yield _plain(_text(json.loads(line)))  # read and bounded before


def _plain(text: str) -> str:
    """The text as a judge reads it: full-width letters are letters, invisible characters do
    not split words, and text written in invisible letters is read."""
    if len(text) > 2 * _MOST_CHARACTERS:
        text = f"{text[:_MOST_CHARACTERS]}\n{text[-_MOST_CHARACTERS:]}"
    text = _UNSEEN.sub(lambda run: f" {run[0].translate(_LETTERS)} ", text)
    return "".join(char for char in normalise("NFKC", text) if unicodedata.category(char) != "Cf")


def _text(value: Mapping[str, Any]) -> str:
    said = value.get("responses", value.get("answer", ""))
    if isinstance(said, str):
        return said
    return " ".join(str(part.get("text", "")) for part in said if isinstance(part, dict))
