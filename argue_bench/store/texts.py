"""Texts of a store: long ones are kept once, and raw prompts and replies are packed.

A text with references is UTF-8 in which a byte that UTF-8 never uses stands before the digest of a text of
the table ``texts``. Raw texts are packed further: a zlib stream, whose header names its preset dictionary.
The table ``dictionaries`` holds that, so that a version with another one can read the store. Raw texts that
are stored together are packed together, as a text of their own: what prompts and replies have in common is then
compressed once, and so is the work.
"""

from __future__ import annotations

import hashlib
import json
import re
import sqlite3
import zlib
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import TypeVar

from argue_bench.records import JudgeRequest, Source
from argue_bench.store.requests import long_texts, request_from_texts

V = TypeVar("V")
LONG = 200
"""Characters, or bytes, of a raw text from which a text in it is kept once and referred to."""
_LONG_FIELD = 64
"""The same for a field of a request. Sentences and questions stand in many requests."""
_SAMPLE = 64
"""Bytes of a long text by which it is looked for in another."""
_MOST_REMEMBERED = 4_000
_MOST_BYTES = 1 << 27
"""Of one text unpacked: no prompt is longer, and a hostile store can't fill the memory."""
_DIGEST = 16
# Level, window and memory of a compressor. A small window for a short text, as setting up the state costs more
# than the work; the whole window for many, as most of what one says stands in the one before it.
_SHORT, _MANY = (4, 13, 6), (2, 15, 8)
_LONGEST_SHORT = 1 << 14
_LEAST_TOGETHER, _MOST_TOGETHER, _MOST_BYTES_TOGETHER = 4, 64, 1 << 18
"""Rows of raw texts in one stream, and their bytes."""
_DICTIONARY_ID = slice(2, 6)
"""Where a zlib stream says the checksum of its dictionary (RFC 1950, section 2.2)."""

# Bytes that UTF-8 never uses. The end of a text and of a list; then references to a text that stands as
# it is, within a JSON string, or within a JSON string that stands in a JSON string.
_END, _END_OF_LIST, *_REFERENCES = (bytes([value]) for value in range(0xFB, 0x100))
_TOKEN = re.compile(rb"[\xfd-\xff].{16}|[\xfb\xfc]|[^\xfb-\xff]+", re.DOTALL)


class Texts:
    """The texts of an open store, and what is made of them: bodies of requests, packed raw texts."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db
        self._digests: dict[str, bytes] = {}
        self._forms: dict[str, tuple[str, ...]] = {}
        """Long texts as they may stand in a raw text: as they are, in JSON, in JSON in JSON."""
        self._heads: dict[str, list[tuple[str, bytes]]] = {}
        """Beginnings that raw texts share (parameters, system prompt) by their first characters, each with its
        reference, the longest first."""
        self._last: dict[str, str] = {}
        """The last raw text with these first characters, where it had no known beginning."""
        self._together: tuple[bytes, list[list[str]]] = (b"", [])
        """The rows of raw texts that were unpacked last, with their digest."""

    def forget(self) -> None:
        """Forgets which texts are in the store: some may have been rolled back."""
        self._digests.clear()
        self._heads.clear()

    def body(self, request: JudgeRequest) -> bytes:
        """The fields of a request, with references to its long texts."""
        parts: list[bytes] = []
        for name in request.stated:
            value = getattr(request, name)
            if isinstance(value, str):
                parts.append(self._field(value))
                parts.append(_END)
                continue
            for one in value if isinstance(value, tuple) else (value,):
                if isinstance(one, Source):
                    parts += (self._field(one.id), _END, self._field(one.text), _END)
                else:
                    parts += (self._field(one), _END)
            if isinstance(value, tuple):
                parts.append(_END_OF_LIST)
        return b"".join(parts)

    def request(self, kind: str, body: bytes) -> JudgeRequest:
        """The request of a body. Raises zlib.error where it is broken."""
        try:
            return request_from_texts(kind, self._texts_in(body))
        except (KeyError, TypeError, ValueError, StopIteration):
            raise zlib.error("a request of the store is broken") from None

    def pack(self, texts: Sequence[str], request: JudgeRequest | None = None) -> bytes:
        """Raw texts as bytes, no byte for empty ones. In the first, which is what was sent, there are
        references to the long texts of the request, and to a beginning that it shares with others. Half a
        surrogate pair, which UTF-8 can't hold, becomes a mark."""
        return _deflated(raw) if (raw := self._row(texts, request)) else b""

    def pack_all(self, rows: Sequence[tuple[Sequence[str], JudgeRequest]]) -> list[bytes]:
        """Each row of raw texts as `pack` has it; many of them share a stream."""
        raws = [self._row(*row) for row in rows]
        packed = [b""] * len(raws)
        for places in _parts(raws):
            if len(places) < _LEAST_TOGETHER:
                for place in places:
                    packed[place] = _deflated(raws[place])
                continue
            together = _deflated(_END_OF_LIST.join([*map(raws.__getitem__, places), b""]))
            # Of the packed bytes, which are few: nothing looks for these texts by what they say.
            mark = _REFERENCES[0] + self._insert(together, together)
            for number, place in enumerate(places):
                packed[place] = mark + bytes([number])
        return packed

    def unpack(self, packed: bytes) -> list[str]:
        """The texts that were packed. Raises zlib.error where the bytes are broken."""
        if not packed.startswith(_REFERENCES[0]):
            return [text or "" for text in self._texts_in(self._inflated(packed))]
        mark, number = packed[:-1], packed[-1]
        if self._together[0] != mark:
            rows: list[list[str]] = [[]]
            for text in self._texts_in(self._text(mark[1:], 0)):
                if text is None:
                    rows.append([])
                else:
                    rows[-1].append(text)
            self._together = mark, rows
        if number >= len(self._together[1]):
            raise zlib.error("a text of the store is missing")
        return self._together[1][number]

    def _row(self, texts: Sequence[str], request: JudgeRequest | None) -> bytes:
        if not any(texts):
            return b""
        sent, *others = texts
        found = [] if request is None else long_texts(request, LONG)
        return _END.join((self._with_references(sent, found), *map(_encoded, others), b""))

    def _texts_in(self, whole: bytes) -> Iterator[str | None]:
        """Every text with its references replaced; None for the end of a list."""
        parts: list[bytes] = []
        size = place = 0
        for token in _TOKEN.finditer(whole):
            if token.start() != place:
                break
            place, kind = token.end(), token[0][:1]
            if kind == _END:
                yield b"".join(parts).decode("utf-8", "surrogatepass")
                parts.clear()
            elif kind == _END_OF_LIST:
                yield None
            else:
                times = _REFERENCES.index(kind) if kind in _REFERENCES else -1
                parts.append(token[0] if times < 0 else self._text(token[0][1:], times))
                size += len(parts[-1])
                if size > _MOST_BYTES:
                    raise zlib.error("a text of the store is longer than any prompt")
        if parts or place != len(whole):
            raise zlib.error("a text of the store is cut off")

    def _field(self, text: str) -> bytes:
        if len(text) >= _LONG_FIELD and (digest := self._digest(text)):
            return _REFERENCES[0] + digest
        return text.encode() if text.isascii() else text.encode("utf-8", "surrogatepass")

    def _with_references(self, sent: str, long: Sequence[str]) -> bytes:
        """The text in bytes. What there is a reference to is cut out before the rest is made bytes of."""
        if len(sent) < LONG:
            return _encoded(sent)
        pieces: list[str | bytes] = [sent]
        for text in long:
            for mark, form in zip(_REFERENCES, self._forms_of(text), strict=False):
                for place, piece in enumerate(pieces):
                    start = piece.find(form[:_SAMPLE]) if isinstance(piece, str) else -1
                    if start >= 0 and isinstance(piece, str) and piece.startswith(form, start):
                        rest = piece[start + len(form) :]
                        pieces[place : place + 1] = (piece[:start], mark + self._digest(text), rest)
                        break
        begin = pieces[0]
        if isinstance(begin, str) and (head := self._head(begin)):
            pieces[0:1] = (head[1], begin[len(head[0]) :])
        return b"".join(_encoded(one) if isinstance(one, str) else one for one in pieces)

    def _head(self, begin: str) -> tuple[str, bytes] | None:
        """What a beginning has in common with an earlier one, if that is long, and its reference."""
        start = begin[:LONG]
        known = self._heads.get(start, [])
        for head in known:
            if begin.startswith(head[0]):
                return head
        last = self._last.get(start)
        if len(self._last) >= _MOST_REMEMBERED:
            self._last.clear()
        self._last[start] = begin
        common = "" if last is None else _common(begin, last)
        if len(common) < LONG:
            return None
        known.append((common, _REFERENCES[0] + self._keep(_encoded(common))))
        known.sort(key=lambda one: -len(one[0]))
        self._heads[start] = known
        return known[[one[0] for one in known].index(common)]

    def _forms_of(self, text: str) -> tuple[str, ...]:
        """The text as it is, in JSON, and in JSON in JSON; once where these are the same."""
        if (found := self._forms.get(text)) is None:
            if not self._digest(text):
                return ()
            forms = [text, *(_in_json(text, times) for times in (1, 2))]
            found = tuple(forms if forms[0] != forms[1] else forms[:1])
            _remember(self._forms, text, found)
        return found

    def _digest(self, text: str) -> bytes:
        """The digest of a text, which is kept; empty for one that UTF-8 can't hold."""
        if (digest := self._digests.get(text)) is None:
            try:
                digest = self._keep(text.encode())
            except UnicodeEncodeError:
                digest = b""
            _remember(self._digests, text, digest)
        return digest

    def _keep(self, raw: bytes) -> bytes:
        return self._insert(raw, _deflated(raw))

    def _insert(self, named: bytes, packed: bytes) -> bytes:
        """Stores a packed text under the digest of ``named``, which is returned."""
        digest = hashlib.sha256(named).digest()[:_DIGEST]
        self._db.execute("INSERT OR IGNORE INTO texts VALUES (NULL, ?, ?)", (digest, packed))
        return digest

    def _text(self, digest: bytes, times_in_json: int) -> bytes:
        row = self._db.execute("SELECT text FROM texts WHERE digest = ?", (digest,)).fetchone()
        if row is None:
            raise zlib.error("a text of the store is missing")
        raw = self._inflated(row[0])
        return _in_json(raw.decode(), times_in_json).encode() if times_in_json else raw

    def _inflated(self, packed: bytes) -> bytes:
        if not packed:
            return b""
        dictionary = self._dictionary(packed[_DICTIONARY_ID])
        stream = zlib.decompressobj(zlib.MAX_WBITS, dictionary)
        whole = stream.decompress(packed, _MOST_BYTES)
        if not stream.eof:
            raise zlib.error("a packed text is cut off or longer than any prompt")
        return whole

    def _dictionary(self, id: bytes) -> bytes:
        if id == preset_dictionary()[0]:
            return preset_dictionary()[1]
        row = self._db.execute("SELECT text FROM dictionaries WHERE id = ?", (id,)).fetchone()
        if row is None:
            raise zlib.error("the dictionary of a packed text is missing")
        return bytes(row[0])


@cache
def preset_dictionary() -> tuple[bytes, bytes]:
    """The checksum that zlib puts into headers, and the text: what requests to chat models and their
    replies have in common."""
    text = Path(__file__).with_name("dictionary.txt").read_bytes()
    return zlib.adler32(text).to_bytes(4, "big"), text


@cache
def _fresh_stream(level: int, window: int, memory: int) -> zlib._Compress:
    """A compressor that has read the dictionary, to be copied: reading it takes as long as a text."""
    strategy, dictionary = zlib.Z_DEFAULT_STRATEGY, preset_dictionary()[1]
    return zlib.compressobj(level, zlib.DEFLATED, window, memory, strategy, dictionary)


def _parts(raws: Sequence[bytes]) -> Iterator[list[int]]:
    """The places of texts that are packed together."""
    part: list[int] = []
    size = 0
    for place, raw in enumerate(raws):
        if not raw:
            continue
        if part and (len(part) == _MOST_TOGETHER or size + len(raw) > _MOST_BYTES_TOGETHER):
            yield part
            part, size = [], 0
        part.append(place)
        size += len(raw)
    if part:
        yield part


def _deflated(raw: bytes) -> bytes:
    stream = _fresh_stream(*(_SHORT if len(raw) < _LONGEST_SHORT else _MANY)).copy()
    return stream.compress(raw) + stream.flush()


def _in_json(text: str, times: int) -> str:
    """The text as it stands within so many JSON strings."""
    for _ in range(times):
        text = json.dumps(text, ensure_ascii=False)[1:-1]
    return text


def _common(one: str, other: str) -> str:
    """The longest beginning of both."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return one[:low]


def _encoded(text: str) -> bytes:
    """The text in UTF-8, with a mark in place of half a surrogate pair."""
    return text.encode() if text.isascii() else text.encode("utf-8", "replace")


def _remember(known: dict[str, V], text: str, value: V) -> None:
    if len(known) >= _MOST_REMEMBERED:
        known.clear()
    known[text] = value
