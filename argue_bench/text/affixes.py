"""What tokens does spaCy's tokenizer make of a text that was built to stall it?

spaCy peels prefixes and suffixes off a chunk of text one at a time and looks at the whole rest each
time: 32,000 commas in a row take a minute and more. `words` gives the same tokens in linear time, by
the same steps: peel prefixes and suffixes until none is left or the rest is a special case, split the
rest at infixes, at last put together special cases (such as ``:-)``) that were taken apart. No affix
but a run of dots is longer than a few characters, so a window at either end shows as much as the
whole; it grows while a run of dots fills it.

Only chunks that are hostile are worth it: for honest text spaCy's own compiled loop is faster.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

_CHUNKS = re.compile(r"\s+|\S+")
_WINDOW = 24
_LOOKBEHIND = 4
"""No look-behind of an affix pattern, in the languages used here, is longer."""
LONGEST_CHUNK = 160
"""Chunks without white space up to this length go to spaCy itself."""

Replacement = tuple[str, ...]


def hostile(text: str) -> bool:
    """Whether the text holds a chunk that spaCy's own loop might be slow on."""
    return any(len(chunk) > LONGEST_CHUNK for chunk in text.split())


class _Span(NamedTuple):
    start: int
    end: int


class Peeler:
    """The rules of one spaCy tokenizer, applied in linear time."""

    def __init__(self, tokenizer: Any) -> None:
        self._prefix = tokenizer.prefix_search.__self__.match
        self._suffix = tokenizer.suffix_search.__self__.search
        self._infixes = tokenizer.infix_finditer
        self._whole = [m for m in (tokenizer.token_match, tokenizer.url_match) if m is not None]
        self._stops = tokenizer.token_match
        self._rules: dict[str, Replacement] = {
            text: tuple(token[_ORTH] for token in rule) for text, rule in tokenizer.rules.items()
        }
        self._longest = max(map(len, self._rules), default=0)
        self._prefix_length = lru_cache(4096)(self._prefix_in)
        self._suffix_length = lru_cache(4096)(self._suffix_in)
        self._apart = self._special_sequences()

    def words(self, text: str) -> list[str]:
        """The texts of the tokens that the tokenizer makes of this text."""
        tokens: list[str] = []
        blank_after: list[bool] = []
        for match in _CHUNKS.finditer(text):
            chunk = match[0]
            if chunk[0].isspace():
                if tokens and chunk[0] == " ":
                    blank_after[-1] = True
                    chunk = chunk[1:]
                made: list[str] = [chunk] if chunk else []
            else:
                made = self._chunk(chunk, special=True)
            tokens += made
            blank_after += [False] * len(made)
        return self._join_specials(tokens, blank_after)

    def _chunk(self, chunk: str, special: bool) -> list[str]:
        """The tokens of a text without white space. ``special``: keep special cases whole."""
        if special and chunk in self._rules:
            return list(self._rules[chunk])
        start, end, prefixes, suffixes = self._peel(chunk, special)
        rest = chunk[start:end]
        suffixes.reverse()
        return [*prefixes, *(self._rest(rest, special) if rest else ()), *suffixes]

    def _peel(self, chunk: str, special: bool) -> tuple[int, int, list[str], list[str]]:
        """Where the rest starts and ends, and what was peeled off before and behind it."""
        start, end = 0, len(chunk)
        prefixes: list[str] = []
        suffixes: list[str] = []
        while start < end:
            if self._stops and self._stops(chunk[start:end]):
                break
            if special and self._is_special(chunk, start, end):
                break
            before = self._prefix_at(chunk, start, end)
            if before and special and self._is_special(chunk, start + before, end):
                prefixes.append(chunk[start : start + before])
                return start + before, end, prefixes, suffixes
            behind = self._suffix_at(chunk, start + before, end)
            if behind and special and self._is_special(chunk, start, end - behind):
                suffixes.append(chunk[end - behind : end])
                return start, end - behind, prefixes, suffixes
            if not before and not behind:
                break
            if before:
                prefixes.append(chunk[start : start + before])
            if behind:
                suffixes.append(chunk[end - behind : end])
            start, end = start + before, end - behind
        return start, end, prefixes, suffixes

    def _is_special(self, chunk: str, start: int, end: int) -> bool:
        return 0 < end - start <= self._longest and chunk[start:end] in self._rules

    def _prefix_in(self, window: str) -> int:
        match = self._prefix(window)
        return match.end() if match else 0

    def _suffix_in(self, window: str) -> int:
        match = self._suffix(window)
        return match.end() - match.start() if match else 0

    def _prefix_at(self, chunk: str, start: int, end: int) -> int:
        size = _WINDOW
        while True:
            window = chunk[start : min(start + size, end)]
            length = self._prefix_length(window)
            if length < len(window) or start + size >= end:
                return length
            size *= 4

    def _suffix_at(self, chunk: str, start: int, end: int) -> int:
        size = _WINDOW
        while True:
            window = chunk[max(start, end - size) : end]
            length = self._suffix_length(window)
            if length + _LOOKBEHIND <= len(window) or end - size <= start:
                return length
            size *= 4

    def _rest(self, text: str, special: bool) -> Iterable[str]:
        if special and text in self._rules:
            return self._rules[text]
        if any(match(text) for match in self._whole):
            return (text,)
        tokens: list[str] = []
        start = 0
        for match in self._infixes(text):
            if match.start() == 0:
                continue
            if match.start() != start:
                tokens.append(text[start : match.start()])
            if match[0]:
                tokens.append(match[0])
            start = match.end()
        if text[start:]:
            tokens.append(text[start:])
        return tokens

    def _special_sequences(self) -> Mapping[str, list[Replacement]]:
        """Special cases that affixes take apart, as sequences of tokens, by their first token."""
        apart: dict[str, list[Replacement]] = {}
        for text in self._rules:
            if text.isspace():
                continue
            if self._prefix(text) or list(self._infixes(text)) or self._suffix(text):
                tokens = tuple(self._chunk(text, special=False))
                apart.setdefault(tokens[0], []).append(tokens)
        return apart

    def _join_specials(self, tokens: list[str], blank_after: list[bool]) -> list[str]:
        chosen = _longest_first(
            _Span(at, at + len(sequence))
            for at, token in enumerate(tokens)
            for sequence in self._apart.get(token, ())
            if tuple(tokens[at : at + len(sequence)]) == sequence
        )
        joined: list[str] = []
        at = 0
        for span in chosen:
            joined += tokens[at : span.start]
            text = "".join(
                tokens[i] + (" " if blank_after[i] and i + 1 < span.end else "")
                for i in range(span.start, span.end)
            )
            joined += self._rules.get(text, tuple(tokens[span.start : span.end]))
            at = span.end
        return joined + tokens[at:]


def _longest_first(spans: Iterable[_Span]) -> list[_Span]:
    """The spans that stand when longer ones win, in order; one that loses still covers its tokens."""
    covered: set[int] = set()
    chosen: list[_Span] = []
    for span in sorted(spans, key=lambda span: (span.start - span.end, span.start)):
        if span.start not in covered and span.end - 1 not in covered:
            chosen.append(span)
        covered.update(range(span.start, span.end))
    return sorted(chosen)


_ORTH = 65
"""spaCy's number for the attribute that holds a token's text (``spacy.attrs.ORTH``)."""
