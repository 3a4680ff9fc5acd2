"""What do the pages know? ``data/v1/*.json``: everything that is shown, and nothing else is.

    index.json                     seasons, settings, judges, how many systems, what was left out
    board/SEASON/SETTING.json      one board: columns, sections of rows that rank together
    system/SEASON/SYSTEM.json      one system: who, what, scores, how it compares
    log.json                       ledger, queue, changelog

Rows rank together only in one group and under one signature of the ranked score: each such set is a
section. All texts are made safe here, once; templates escape and never mend.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from argue_bench.pages import safe
from argue_bench.pages.columns import (
    board_columns,
    find_key,
    judge_name,
    score_facts,
    split_key,
)
from argue_bench.pages.inputs import (
    Bands,
    BoardSeason,
    InjectionReport,
    QuestionScores,
    Site,
    SystemResult,
)
from argue_bench.pages.judges import all_judges, board_judges
from argue_bench.pages.log import ledger_events, log_data

SCHEMA = 1
ORDER = ("", "rehearsal", "scripted", "published elsewhere", "retired")
Json = dict[str, Any]
ELSEWHERE = "published elsewhere"
ABSENT = {"value": None, "low": None, "high": None, "n": None, "failed": 0}
"""The ranked score of a system that was not scored by it."""
Places = Mapping[str, tuple[Json, Json, Json]]


def site_data(site: Site) -> dict[str, Json]:
    """Every file of the contract, by its path under ``data/v1``."""
    files: dict[str, Json] = {}
    index: list[Json] = []
    for season in site.seasons:
        entries = sorted(season.entries, key=lambda entry: entry.system)
        people = {entry.system: describe_system(entry, site.today) for entry in entries}
        boards = {
            setting: board_data(season, setting, entries, people, site.judges)
            for setting in _settings(season, entries)
        }
        for setting, made in boards.items():
            files[f"board/{season.season}/{setting}.json"] = made
        places = {setting: _places(made) for setting, made in boards.items()}
        for entry in entries:
            files[f"system/{season.season}/{entry.system}.json"] = system_data(
                season, entry, people[entry.system], boards, places, site
            )
        for setting, topics in season.topics.items():
            if setting in boards:
                files[f"topics/{season.season}/{setting}.json"] = topics_data(
                    season, setting, topics, boards[setting]
                )
        index.append(_season(season, entries, boards))
    files["index.json"] = {
        "schema": SCHEMA,
        "title": safe.text(site.title),
        "url": safe.link(site.url),
        "seasons": index,
        "judges": all_judges([v for k, v in files.items() if k.startswith("board/")], site.judges),
        "left_out": [safe.text(line, 500) for line in site.findings],
    }
    files["log.json"] = log_data(site, SCHEMA)
    return files


def _season(
    season: BoardSeason, entries: Sequence[SystemResult], boards: Mapping[str, Json]
) -> Json:
    return {
        "season": season.season,
        "title": safe.text(season.title) or season.season,
        "group": season.group,
        "set": {"name": safe.text(season.set_name), "split": season.split},
        "judge": safe.text(season.judge, 100),
        "ranked": safe.text(season.ranked, 300),
        "metrics": [safe.text(text, 200) for text in season.metrics],
        "systems": len(entries),
        "notes": _notes(season),
        "open": list(season.settings),
        "created": max((_created(entry) for entry in entries), default=""),
        "settings": [
            {"setting": name, "systems": sum(len(s["rows"]) for s in made["sections"])}
            for name, made in boards.items()
        ],
    }


def _notes(season: BoardSeason) -> list[str]:
    """What has to stand wherever this season's scores stand, as keys of the catalogue."""
    told = {"core": season.set_name == "core", "rehearsal": season.group == "rehearsal"}
    return [note for note, so in told.items() if so]


def _created(entry: SystemResult) -> str:
    """When this board scored it, which is never for what others published."""
    return "" if entry.group == ELSEWHERE else entry.created


def _settings(season: BoardSeason, entries: Iterable[SystemResult]) -> list[str]:
    there = dict.fromkeys(name for entry in entries for name in entry.settings)
    declared = [name for name in season.settings if name in there]
    return declared + [name for name in there if name not in declared]


def describe_system(entry: SystemResult, today: str) -> Json:
    """Who a system is, as far as it may be shown today."""
    given = entry.metadata or {}
    hidden = str(given.get("anonymous_until", "")) > today if today else False
    overlap = safe.text(given.get("training_overlap"), 2000)
    status = given.get("status", "active")
    return {
        "system": entry.system,
        "name": safe.text(given.get("name"), 80) or entry.system,
        "described": entry.metadata is not None,
        "anonymous_until": safe.text(given.get("anonymous_until"), 10) if hidden else "",
        "authors": "" if hidden else safe.text(given.get("authors"), 600),
        "citation": "" if hidden else safe.text(given.get("citation"), 300),
        "url": "" if hidden else safe.link(given.get("url")),
        "details": safe.text(given.get("details"), 5000, lines=True),
        "type": safe.text(given.get("type"), 20),
        "base_model": safe.text(given.get("base_model"), 100),
        "context": _amount(given.get("context")),
        "tokens": _amount(given.get("tokens")),
        "cost": _amount(given.get("cost")),
        "licence": safe.text(given.get("licence"), 60),
        "overlap": "" if overlap.strip().lower() == "none" else overlap,
        "judges_used": [safe.text(j, 100) for j in _texts(given.get("judges_used"))],
        "status": status if status in ("withdrawn", "superseded") else "active",
    }


def board_data(
    season: BoardSeason,
    setting: str,
    entries: Sequence[SystemResult],
    people: Mapping[str, Json],
    judges: Sequence[InjectionReport] = (),
) -> Json:
    """One board: a table of columns, and sections of rows that rank together."""
    here = [entry for entry in entries if setting in entry.settings]
    keys = dict.fromkeys(key for entry in here for key in entry.settings[setting]["scores"])
    ranked = find_key(season.ranked, keys) or next(iter(keys), "")
    signatures: dict[str, Any] = {}
    for entry in here:
        for metric, parts in entry.settings[setting]["signature"].items():
            signatures.setdefault(metric, parts)
    columns = [
        column
        for column in board_columns(keys, season.metrics, ranked, signatures)
        if column["headline"]
    ]
    bands = season.bands.get(setting)
    sections: dict[tuple[str, str], Json] = {}
    for entry in here:
        row = _row(season, entry, setting, people[entry.system], ranked, columns, bands)
        group = "retired" if row["status"] != "active" else entry.group or season.group
        made = sections.setdefault(
            (group, row["signature"]),
            {
                "group": group,
                "signature": row["signature"],
                "rows": [],
                "made_from": _signature(entry, setting, ranked),
                "judge": judge_name(_signature(entry, setting, ranked)),
            },
        )
        made["rows"].append(row)
    ordered = sorted(
        sections.values(), key=lambda s: (_group(s["group"]), -len(s["rows"]), s["signature"])
    )
    sign = -1 if score_facts(ranked)[1] != "lower" else 1
    for made in ordered:
        made["rows"].sort(key=lambda row: _order(row, ranked, sign))
    for made in ordered:
        seals = {row["seal"] for row in made["rows"]}
        made["seal"] = seals.pop() if len(seals) == 1 else "verified"
    _differences(ordered)
    return {
        "schema": SCHEMA,
        "season": season.season,
        "setting": setting,
        "title": safe.text(season.title) or season.season,
        "set": {"name": safe.text(season.set_name), "split": season.split},
        "ranked": ranked,
        "columns": columns,
        "sections": ordered,
        "judges": board_judges(here, setting, keys, ranked, judges),
        "topics": setting in season.topics,
        "notes": _notes(season),
        "categories": {
            safe.text(name, 80): {safe.text(c, 80): v for c, v in sorted(values.items())}
            for name, values in season.categories.get(setting, {}).items()
        },
        "bands": None
        if bands is None
        else {
            "how": safe.text(bands.how, 300),
            "resolves": bands.resolves,
        },
    }


def topics_data(
    season: BoardSeason, setting: str, topics: Sequence[QuestionScores], made: Json
) -> Json:
    """How all systems did on each question: systems in the order of the board."""
    order = [row for section in made["sections"] for row in section["rows"]]
    told = {name for one in topics for name in one.values}
    systems = [
        {"system": row["system"], "name": row["name"], "view": row["view"]}
        for row in order
        if row["system"] in told
    ]
    rows = []
    for one in topics:
        counted = [value for value in one.values.values() if value is not None]
        rows.append(
            {
                "id": safe.text(one.id, 120),
                "text": safe.text(one.text, 300),
                "values": {name: one.values.get(name) for name in (s["system"] for s in systems)},
                "mean": sum(counted) / len(counted) if counted else None,
                "best": max(counted, default=None),
            }
        )
    return {
        "schema": SCHEMA,
        "season": season.season,
        "setting": setting,
        "ranked": made["ranked"],
        "title": safe.text(season.title) or season.season,
        "systems": systems,
        "topics": rows,
        "notes": _notes(season),
    }


def _group(group: str) -> int:
    return ORDER.index(group) if group in ORDER else len(ORDER)


def _order(row: Json, ranked: str, sign: int) -> tuple[bool, float, str]:
    value = row["scores"].get(ranked, {}).get("value")
    return value is None, 0.0 if value is None else sign * value, row["system"]


def _row(
    season: BoardSeason,
    entry: SystemResult,
    setting: str,
    who: Json,
    ranked: str,
    columns: Sequence[Json],
    bands: Bands | None,
) -> Json:
    scores = entry.settings[setting]["scores"]
    standing = bands.standings.get(entry.system) if bands is not None else None
    signature = _signature(entry, setting, ranked)
    return {
        "system": entry.system,
        "name": who["name"],
        "citation": who["citation"],
        "type": who["type"],
        "base_model": who["base_model"],
        "cost": who["cost"],
        "tokens": who["tokens"],
        "status": who["status"],
        "created": _created(entry)[:10],
        "judge": judge_name(signature),
        "seal": entry.seal,
        "flags": row_flags(who, signature),
        "runs": entry.runs,
        "signature": digest(signature),
        "view": season.views.get(setting, {}).get(entry.system, ""),
        "standing": None
        if standing is None
        else {
            "band": standing.band,
            "best": standing.best,
            "worst": standing.worst,
            "p": safe.text(standing.p, 20),
            "difference": standing.difference,
        },
        "scores": {c["key"]: dict(scores[c["key"]]) for c in columns if c["key"] in scores},
    }


def row_flags(who: Json, signature: Mapping[str, str]) -> list[str]:
    """What a reader should know of a row before believing it, as keys of the catalogue."""
    found = []
    if not who["described"]:
        found.append("undescribed")
    if who["overlap"]:
        found.append("overlap")
    judge = signature.get("judge", "").casefold()
    maker = judge.partition("/")[2].partition(" ")[0].partition("-")[0]
    if judge and any(used.casefold() in judge for used in who["judges_used"] if used):
        found.append("judge-used")
    if len(maker) > 2 and maker in who["base_model"].casefold():
        found.append("judge-family")
    if who["anonymous_until"]:
        found.append("anonymous")
    return found


def _signature(entry: SystemResult, setting: str, key: str) -> dict[str, str]:
    parts = entry.settings[setting]["signature"].get(split_key(key)[0], {})
    return {safe.text(name, 60): safe.text(value, 300) for name, value in parts.items()}


def digest(signature: Mapping[str, str]) -> str:
    """Eight hexadecimal digits, as `argue_bench.eval.signature` gives them."""
    text = json.dumps(dict(signature), sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:8]


def _differences(sections: Sequence[Json]) -> None:
    """Says of each section in what it was scored differently from the first one."""
    first = sections[0]["made_from"] if sections else {}
    for made in sections:
        mine = made["made_from"]
        made["differs"] = [
            {"part": part, "here": mine.get(part, ""), "first": first.get(part, "")}
            for part in dict.fromkeys([*first, *mine])
            if mine.get(part) != first.get(part)
        ]


def system_data(
    season: BoardSeason,
    entry: SystemResult,
    who: Json,
    boards: Mapping[str, Json],
    places: Mapping[str, Places],
    site: Site,
) -> Json:
    """One system's page."""
    settings = []
    for setting, made in boards.items():
        if setting not in entry.settings:
            continue
        given = entry.settings[setting]
        columns = board_columns(given["scores"], season.metrics, made["ranked"], given["signature"])
        row, section, leader = places[setting][entry.system]
        categories = season.categories.get(setting, {}).get(entry.system, {})
        settings.append(
            {
                "setting": setting,
                "columns": columns,
                "scores": {made["ranked"]: ABSENT, **given["scores"]},
                "ranked": made["ranked"],
                "of": len(section["rows"]),
                "group": section["group"],
                "standing": row["standing"],
                "flags": row["flags"],
                "signature": row["signature"],
                "view": row["view"],
                "signatures": {
                    safe.text(metric, 200): {
                        safe.text(k, 60): safe.text(v, 300) for k, v in parts.items()
                    }
                    for metric, parts in given["signature"].items()
                },
                "leader": {
                    "system": leader["system"],
                    "name": leader["name"],
                    "value": leader["scores"].get(made["ranked"], {}).get("value"),
                },
                "how": made["bands"]["how"] if made["bands"] else "",
                "categories": {safe.text(k, 80): v for k, v in sorted(categories.items())},
            }
        )
    return {
        "schema": SCHEMA,
        "season": season.season,
        "title": safe.text(season.title) or season.season,
        "set": {"name": safe.text(season.set_name), "split": season.split},
        **who,
        "group": entry.group or season.group,
        "seal": entry.seal,
        "created": _created(entry),
        "runs": entry.runs,
        "notes": _notes(season),
        "key": safe.text(entry.key, 64),
        **_origin(entry, bool(who["anonymous_until"])),
        "gold_digest": safe.text(entry.gold_digest or "", 80),
        "submission": {safe.text(k, 300): safe.text(v, 64) for k, v in entry.submission.items()},
        "settings": settings,
        "history": ledger_events(_of_system(site.ledger, entry.system, season.season), (season,)),
    }


def _of_system(
    ledger: Iterable[Mapping[str, Any]], system: str, season: str
) -> Iterator[Mapping[str, Any]]:
    for line in ledger:
        if line.get("system") == system and (line.get("season") or season) == season:
            yield line


def _places(made: Json) -> Places:
    """System to its row, its section, and that one's leader."""
    return {
        row["system"]: (row, section, section["rows"][0])
        for section in made["sections"]
        for row in section["rows"]
    }


def _origin(entry: SystemResult, hidden: bool) -> Json:
    """What tells where a submission came from; nothing of it while its authors are hidden."""
    given = {"commit": entry.commit, "author": entry.author}
    return {name: "" if hidden else safe.text(value or "", 128) for name, value in given.items()}


def _amount(value: Any) -> float | int | None:
    good = isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value < 1e18
    return value if good else None


def _texts(value: Any) -> list[str]:
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []
