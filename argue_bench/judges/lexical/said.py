"""The rule of the lexical judge for what a report said before, over an index of its sentences.

The requests about one report name its sentences again and again, each time a few more. So they are
indexed once, by stem, and a request looks up those that could say the same: the work grows with the
report, and not with its square.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import takewhile
from threading import Lock

from argue_bench import records
from argue_bench.judges.lexical import thresholds as at
from argue_bench.judges.lexical.compare import has_name, share, unmatched
from argue_bench.judges.lexical.reading import Reading, join, read_sentence, read_text
from argue_bench.judges.lexical.rules import no, yes
from argue_bench.records import Verdict

_REPORTS = 8
"""Reports whose index is kept: their requests come one report after the other."""


def first_instance(request: records.FirstInstance) -> Verdict:
    """New unless an earlier sentence, or all of them together, held its values, names and words."""
    wanted = read_sentence(request.sentence)
    with _lock:
        near = _index(request.previous).near(wanted, len(request.previous))
    if not near:
        return yes("nothing like it was said before")
    together = join(near)
    if not all(has_name(name, together) for name in wanted.names):
        return yes("no earlier sentence has all its names")
    for said in (*near, together) if len(near) > 1 else near:
        least = at.SAID_BEFORE - 0.2 * (bool(wanted.values) and said is not together)
        held = share(wanted.stems, said.stems)
        # The cheap question first.
        if (held < least and not wanted.unknown) or unmatched(wanted.values, said):
            continue
        if wanted.unknown and said.unknown:
            return no("an earlier sentence says that it is unknown")
        if held >= least and wanted.unknown == said.unknown:
            return no(f"{held:.0%} of its words were said before")
    return yes("no earlier sentence says so")


class _Said:
    """The sentences of a report in order, and where each stem stands.

    Of a stem that stands again and again only the first ``at.EARLIER`` places count.
    """

    def __init__(self) -> None:
        self.texts: list[str] = []
        self._ends = [0]  # sentences in the first so many texts
        self._sentences: list[Reading] = []
        self._places: dict[str, list[int]] = {}

    def extend(self, texts: Sequence[str]) -> None:
        for text in texts:
            self.texts.append(text)
            for sentence in read_text(text).parts:
                for key in ("", *(["?"] if sentence.unknown else []), *sentence.stems):
                    places = self._places.setdefault(key, [])
                    if len(places) < at.EARLIER:
                        places.append(len(self._sentences))
                self._sentences.append(sentence)
            self._ends.append(len(self._sentences))

    def near(self, wanted: Reading, texts: int) -> tuple[Reading, ...]:
        """Of the first so many texts the sentences that share most stems with it, in their order."""
        end = self._ends[texts]

        def before(key: str) -> list[int]:
            return list(takewhile(end.__gt__, self._places.get(key, ())))

        shared = Counter(place for one in wanted.stems for place in before(one))
        chosen = {place for place, _ in shared.most_common(at.EARLIER)}
        chosen.update(before("?") if wanted.unknown else ())
        chosen.update(() if wanted.stems else before(""))
        return tuple(self._sentences[place] for place in sorted(chosen))


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
