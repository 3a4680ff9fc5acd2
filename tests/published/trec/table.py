"""The rules of all tracks as a Markdown table, for docs/from/trec.md."""

from __future__ import annotations

from collections.abc import Iterator

from argue_bench.published.trec.tracks import TRACKS, Track

_REFERENCES = {
    "any": "not looked at",
    "cited-only": "exactly the cited ones",
    "retrieved": "all cited ones",
    "scored": "mapping to scores, all cited ones",
    "none": "none",
}


def tracks_table() -> Iterator[str]:
    """One line a track."""
    head = (
        "track",
        "sentences, topic",
        "metadata",
        "citations",
        "references",
        "length",
        "warnings",
    )
    lines = [head, ("---",) * len(head), *map(_row, TRACKS.values())]
    yield from (f"| {' | '.join(line)} |" for line in lines)


def _row(track: Track) -> tuple[str, ...]:
    return (
        f"`{track.name}`: {track.title}",
        f"{_code(track.sentences)}; {_topic(track)}",
        _metadata(track),
        _citations(track),
        _references(track),
        _length(track),
        ", ".join(sorted(track.warnings)),
    )


def _code(names: tuple[str, ...]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _topic(track: Track) -> str:
    where = "" if track.beside or track.flat else "metadata."
    names = " or ".join(f"`{where}{key}`" for key in track.topic)
    listed = f" ({track.topics[0]} to {track.topics[-1]})" if track.topics else ""
    return names + (", text or number" if track.topic_number else "") + listed


def _metadata(track: Track) -> str:
    parts = [_code(tuple(key for key in track.mandatory if key not in track.topic))]
    if track.recommended:
        parts.append(f"recommended {_code(track.recommended)}")
    parts += [f"`{key}` {', '.join(map(str, said))}" for key, said in track.values.items()]
    if track.run_id_length:
        parts.append(f"`run_id` ≤ {track.run_id_length}")
    if track.exact_narrative:
        parts.append("`narrative` an exact copy")
    if not track.other_metadata:
        parts.append("no other keys")
    return "; ".join(parts)


def _citations(track: Track) -> str:
    forms = " or ".join(track.forms) + (", mixed" if track.mixed else "")
    most = f"; ≤ {track.citations} a sentence" if track.citations else ""
    numbers = ", numbers too" if track.id_number else ""
    ids = f"; `{track.docid}`" if track.docid else ""
    return (forms + numbers + most + ids).replace("|", "\\|")


def _references(track: Track) -> str:
    most = f", ≤ {track.references_length}" if track.references_length else ""
    needed = "; required" if track.references_required else ""
    return _REFERENCES[track.references] + most + needed


def _length(track: Track) -> str:
    if track.limit is not None:
        said = f"{track.limit} {track.unit}"
    else:
        said = f"the topic's `limit`, {track.unit}" if track.limit_of_topic else ""
    return said + (", cut" if track.truncates else "")
