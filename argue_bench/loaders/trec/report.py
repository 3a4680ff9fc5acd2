"""What is wrong with one report of a run, by the rules of its track?

Paths are JSON paths inside the line: ``$.responses[0].citations[1]``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from argue_bench.errors import Code
from argue_bench.loaders.trec.sentences import Add, Expected, Sentences
from argue_bench.loaders.trec.tracks import TEXTS, TOPIC_KEYS, Track
from argue_bench.loaders.trec.wording import SHOWN, kind, step


@dataclass(frozen=True, slots=True)
class Seen:
    """Which topic a report says that it is on, and of which run."""

    topic: str | None
    team: str = ""
    run: str = ""


def check_report(value: Any, track: Track, asked: Expected, add: Add) -> Seen:
    """Adds all that is wrong with the report in one line, and says what it is."""
    if not isinstance(value, dict):
        add(
            Code.WRONG_SHAPE,
            f"a report is an object, this is {kind(value)}",
            "$",
            "Write one report a line.",
        )
        return Seen(None)
    metadata = _metadata(value, track, add)
    topic = _topic(value, metadata, track, add)
    _check_metadata(metadata, track, add, "$" if track.flat else "$.metadata")
    Sentences(value, track, asked, add).check(asked.topics.get(topic or ""))
    if track.exact_narrative and topic is not None and topic in asked.topics:
        request, said = asked.topics[topic], metadata.get("narrative")
        if not said or said not in (request.title, request.problem_statement):
            add(
                Code.NARRATIVE,
                "the narrative is not an exact copy of the topic's",
                "$.metadata.narrative",
                "Copy it from the topics file.",
            )
    team, run = metadata.get("team_id"), metadata.get("run_id")
    return Seen(topic, team if isinstance(team, str) else "", run if isinstance(run, str) else "")


def _metadata(value: Mapping[str, Any], track: Track, add: Add) -> Mapping[str, Any]:
    if track.flat:
        return value
    metadata = value.get("metadata")
    if "metadata" not in value:
        add(
            Code.KEY_MISSING,
            "the key 'metadata' is missing",
            "$",
            "Say whose run it is, and the topic.",
        )
    elif not isinstance(metadata, dict):
        add(
            Code.WRONG_SHAPE,
            f"the metadata are {kind(metadata)}, expected an object",
            "$.metadata",
            "",
        )
    return metadata if isinstance(metadata, dict) else {}


def _topic(
    value: Mapping[str, Any], metadata: Mapping[str, Any], track: Track, add: Add
) -> str | None:
    """The topic, wherever it stands; a finding where it is not where the track wants it."""
    inside, top = ("$.metadata", "$") if not track.flat else ("$", "$")
    if not track.loose:
        _one_topic(metadata, inside, add)
    wanted, place = (value, top) if track.beside or track.flat else (metadata, inside)
    for key in track.topic:
        if wanted.get(key) is not None:
            return _topic_text(wanted[key], f"{place}.{key}", track, add)
        if key in wanted:
            place = f"{place}.{key}"  # it is null
    if not isinstance(value.get("metadata"), dict) and not (track.flat or track.beside):
        return None  # said before
    names = " or ".join(track.topic)
    others = [(metadata, key, inside) for key in TOPIC_KEYS if metadata.get(key) is not None]
    others += [(value, key, "$") for key in TOPIC_KEYS if value.get(key) is not None]
    if not others:
        add(
            Code.TOPIC_MISSING, f"the key {names} is missing", place, "Say which topic is answered."
        )
        return None
    there, key, where = others[0]
    found, where = there[key], f"{where}.{key}"
    if isinstance(found, str) and not found.strip():
        add(Code.METADATA_BLANK, "the topic is empty", where, "Say which topic is answered.")
    add(
        Code.TOPIC_KEY,
        f"the topic stands in {where}, the track wants {place}.{names}",
        place,
        "Rename the key.",
    )
    return str(found) if isinstance(found, str | int) and not isinstance(found, bool) else None


def _one_topic(metadata: Mapping[str, Any], place: str, add: Add) -> None:
    """All names of the topic must name the same one, whichever the track reads."""
    found = {key: metadata[key] for key in TOPIC_KEYS if metadata.get(key) is not None}
    for key, topic in found.items():
        if isinstance(topic, bool) or not isinstance(topic, str | int):
            add(
                Code.WRONG_SHAPE, f"{key!r} is {kind(topic)}, expected a text", f"{place}.{key}", ""
            )
    if len({str(topic) for topic in found.values()}) > 1:
        add(Code.TOPICS_DIFFER, f"{' and '.join(found)} name different topics", place, "Keep one.")


def _topic_text(topic: Any, path: str, track: Track, add: Add) -> str | None:
    if isinstance(topic, str) and topic.strip():
        return topic
    if isinstance(topic, str):
        add(Code.METADATA_BLANK, "the topic is empty", path, "Say which topic is answered.")
        return topic
    if isinstance(topic, bool) or not isinstance(topic, int):
        if track.loose:  # else said before
            add(Code.WRONG_SHAPE, f"the topic is {kind(topic)}, expected a text", path, "")
        return None
    if not track.topic_number:
        add(Code.WRONG_SHAPE, "the topic is a number, expected a text", path, "Quote it.")
    return str(topic)


def _check_metadata(metadata: Mapping[str, Any], track: Track, add: Add, place: str) -> None:
    for key in (*track.mandatory, *track.recommended):
        if key in track.topic or (not metadata and not track.flat):
            continue
        needed, value = key in track.mandatory, metadata.get(key)
        code = Code.METADATA if needed else Code.METADATA_RECOMMENDED
        word = "mandatory" if needed else "recommended"
        if value is None:
            path = f"{place}.{key}" if key in metadata else place
            add(code, f"the metadata lack {key!r}, which is {word}", path, f"Add {key!r}.")
        elif isinstance(value, str) and not value.strip():
            blank = Code.METADATA_BLANK if needed else code
            add(blank, f"{key!r} is empty, and {word}", f"{place}.{key}", f"Fill in {key!r}.")
    texts = set(track.mandatory if track.loose else TEXTS) - set(track.topic) - set(track.values)
    for key in sorted(texts):
        if not isinstance(metadata.get(key), str | None):
            add(
                Code.WRONG_SHAPE,
                f"{key!r} is {kind(metadata[key])}, expected a text",
                f"{place}.{key}",
                "",
            )
    for key, allowed in track.values.items():
        value = metadata.get(key)
        said = value is not None and not (value == "" and key in track.mandatory)
        if said and not _one_of(value, allowed):
            listed = ", ".join(map(str, allowed))
            add(
                Code.METADATA_VALUE,
                f"{key!r} is {value!r:.{SHOWN}}",
                f"{place}.{key}",
                f"Write one of: {listed}.",
            )
    run, most = metadata.get("run_id"), track.run_id_length
    if isinstance(run, str) and most is not None and len(run) > most:
        add(
            Code.RUN_ID_LENGTH,
            f"the run_id has {len(run)} characters, at most {most} are allowed",
            f"{place}.run_id",
            "Shorten it.",
        )
    if not track.other_metadata:
        others = sorted(set(metadata) - set(track.mandatory) - set(track.recommended))
        for key in others:
            add(Code.METADATA_EXTRA, f"the track has no key {key[:SHOWN]!r}", step(place, key), "")


def _one_of(value: Any, allowed: tuple[str | int, ...]) -> bool:
    return any(value == one and type(value) is type(one) for one in allowed)
