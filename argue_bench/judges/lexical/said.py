"""The rule of the lexical judge for what a report said before, over an index of its sentences.

The requests about one report name its sentences again and again, each time a few more. So they are
indexed once, by stem, value and name, and a request looks up those that could say the same: the work
grows with the report, and not with its square.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import takewhile
from threading import Lock
from typing import TypeVar

from argue_bench import records
from argue_bench.judges.lexical import thresholds as at
from argue_bench.judges.lexical import vocabulary as words
from argue_bench.judges.lexical.compare import Place, has_name, stem_share, unmatched
from argue_bench.judges.lexical.reading import Name, Reading, read_sentence, read_text, stem
from argue_bench.judges.lexical.rules import no, yes
from argue_bench.judges.lexical.values import Value, keys
from argue_bench.records import Verdict

T = TypeVar("T")
_REPORTS = 8
"""Reports whose index is kept: their requests come one report after the other."""


def first_instance(request: records.FirstInstance) -> Verdict:
    """New unless an earlier sentence, or all of them together, held its values, names and words."""
    count = len(request.previous)
    if not count:
        return yes("nothing was said before")
    with _lock:
        said = _index(request.previous)
    wanted = read_sentence(request.sentence)
    reason = said.repeats(wanted, count) if said.readings(count) else ""
    return no(reason) if reason else yes("no earlier sentence says so")


class _Said:
    """The sentences of a report in order, and where each stem, word, value and name first stands.

    Of a stem, value or name that stands again and again only the first ``at.EARLIER`` places count.
    """

    def __init__(self) -> None:
        self.texts: list[str] = []
        self._ends = [0]  # readings in the first so many texts
        self._readings: list[Reading] = []
        self._unknown: list[int] = []
        self._stems: dict[str, list[int]] = {}
        self._words: dict[str, int] = {}
        self._by_stem: dict[str, tuple[int, str]] = {}
        self._values: dict[str, list[tuple[int, Value]]] = {}
        self._names: dict[str, list[tuple[int, Name]]] = {}

    def extend(self, texts: Sequence[str]) -> None:
        for text in texts:
            self.texts.append(text)
            for reading in read_text(text).sentences:
                self._add(reading, len(self._readings))
                self._readings.append(reading)
            self._ends.append(len(self._readings))

    def _add(self, reading: Reading, place: int) -> None:
        if reading.unknown and len(self._unknown) < at.EARLIER:
            self._unknown.append(place)
        for one in reading.stems:
            _note(self._stems, one, place)
        for word in reading.words:
            self._words.setdefault(word, place)
            self._by_stem.setdefault(stem(word), (place, word))
        for value in reading.values:
            for key in ("", *keys((value,))):
                _note(self._values, key, (place, value))
        for name in reading.names:
            initials = "".join(part[0] for part in name.parts)
            own = "".join(part[0] for part in name.parts if part not in words.STOP)
            for key in {name.parts[-1], initials, own}:
                _note(self._names, key, (place, name))

    def readings(self, texts: int) -> int:
        """How many sentences were read in the first so many texts."""
        return self._ends[texts]

    def repeats(self, wanted: Reading, texts: int) -> str:
        """How the first so many texts say it already; empty where it is new."""
        end = self.readings(texts)
        names = [name for name in wanted.names if name.sure]
        typed = any(not value.weak for value in wanted.values)
        least = at.SAID_BEFORE - 0.2 * typed
        held_words = frozenset(self._held_words(names, end))
        for reading in self._alike(wanted, end):
            held = stem_share(wanted.stems, reading.stems)
            # The cheap question first.
            if (
                (held >= least or wanted.unknown)
                and not unmatched(wanted.values, Place.of([reading]), outdated=True)
                and all(has_name(name, held_words, reading.names) for name in names)
                and (reason := _reason(held, least, wanted.unknown, reading.unknown))
            ):
                return reason
        held = self._share(wanted.stems, end)
        if held < at.SAID_BEFORE and not wanted.unknown:
            return ""
        together = Place((), tuple(self._near(wanted.values, end)), frozenset(), frozenset())
        known = list(self._namesakes(names, end))
        if unmatched(wanted.values, together, outdated=True) or not all(
            has_name(name, held_words, known) for name in names
        ):
            return ""
        unknown = bool(self._unknown) and self._unknown[0] < end
        return _reason(held, at.SAID_BEFORE, wanted.unknown, unknown)

    def _alike(self, wanted: Reading, end: int) -> list[Reading]:
        """The earlier sentences that share most stems with it, in their order."""
        shared = Counter(
            place
            for one in wanted.stems
            for place in takewhile(end.__gt__, self._stems.get(one, ()))
        )
        chosen = {place for place, _ in shared.most_common(at.EARLIER)}
        if wanted.unknown:
            chosen.update(takewhile(end.__gt__, self._unknown))
        if not wanted.stems:
            chosen.update(range(min(end, at.EARLIER)))
        return [self._readings[place] for place in sorted(chosen)]

    def _share(self, stems: frozenset[str], end: int) -> float:
        """The share of stems that all earlier sentences together hold."""
        here = frozenset(one for one in stems if self._stems.get(one, (end,))[0] < end)
        return stem_share(stems, here)

    def _held_words(self, names: Sequence[Name], end: int) -> Iterator[str]:
        """Of what could tell that a name is there, the words that occur earlier."""
        for name in names:
            for word in {*name.parts, *_initials(name)}:
                if self._words.get(word, end) < end:
                    yield word
            for part in name.parts:
                place, word = self._by_stem.get(stem(part), (end, ""))
                if place < end:
                    yield word

    def _near(self, values: Sequence[Value], end: int) -> Iterator[Value]:
        """The earlier values that may agree with these."""
        for value in values:
            looked = {*keys((value,)), f"{value.date[0]}", f"y{value.amount:.9g}"}
            if value.hedged:  # a rounded figure shares no key with the exact one
                looked.add("")
            for key in looked:
                for place, found in self._values.get(key, ()):
                    if place < end:
                        yield found

    def _namesakes(self, names: Sequence[Name], end: int) -> Iterator[Name]:
        """The earlier names that could be short for these, or be somebody else of that name."""
        for name in names:
            for key in name.parts:
                for place, found in self._names.get(key, ()):
                    if place < end:
                        yield found


def _initials(name: Name) -> set[str]:
    parts = [part for part in name.parts if part not in words.GENERIC]
    return {"".join(part[0] for part in some) for some in (name.parts, parts)}


def _note(index: dict[str, list[T]], key: str, found: T) -> None:
    places = index.setdefault(key, [])
    if len(places) < at.EARLIER:
        places.append(found)


def _reason(held: float, least: float, unknown: bool, known_unknown: bool) -> str:
    """Why words that were found before say the same; empty where they do not."""
    if unknown and known_unknown:
        return "an earlier sentence says that it is unknown"
    if held >= least and unknown == known_unknown:
        return f"{held:.0%} of its words were said before"
    return ""


_kept: list[_Said] = []
_lock = Lock()


def _index(texts: Sequence[str]) -> _Said:
    """The index of the report that begins with these texts; the latest reports are kept."""
    for said in reversed(_kept):
        both = min(len(said.texts), len(texts))
        # Equal texts are mostly one object, so that this is quick.
        if both and said.texts[:both] == list(texts[:both]):
            break
    else:
        said = _Said()
        _kept.append(said)
        del _kept[:-_REPORTS]
    said.extend(texts[len(said.texts) :])
    return said
