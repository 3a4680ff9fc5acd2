"""The data of all pages, as the JSON files of ``data/v1``.

    index.json                     seasons, settings, judges, files left out
    board/SEASON/SETTING.json      one board: columns, sections of rows that rank together
    system/SEASON/SYSTEM.json      one system: who made it, its scores, its leader
    topics/SEASON/SETTING.json     each system on each question, where the gold is public
    judge/ID.json                  how a judge agrees with people, set by set
    log.json                       ledger, queue

Rows rank together only in one group and under one signature of the ranked score; each such set of rows
is a section. All foreign texts are made safe here, once; templates only escape.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from functools import lru_cache
from typing import Any

from argue_bench.eval.signature import Signature
from argue_bench.metrics.score_names import score_name
from argue_bench.pages.columns import board_columns, find_key
from argue_bench.pages.inputs import BoardSeason, Site, SystemResult
from argue_bench.pages.judges import all_judges, board_judges, judge_pages
from argue_bench.pages.log import ledger_events, log_data
from argue_bench.pages.systems import ABOUT_ROWS, describe_system, row_flags
from argue_bench.view import safe
from argue_bench.view.columns import judge_name, score_facts, split_key
from argue_bench.view.render import page_stems

# The 1 of ``data/v1``: pages of another form get another folder.
SCHEMA = 1
ELSEWHERE = "published elsewhere"
# In the order of their sections.
GROUPS = ("", "rehearsal", "scripted", ELSEWHERE, "retired")
# The ranked score of a system that was not scored by it.
ABSENT = {"value": None, "low": None, "high": None, "n": None, "failed": 0}
Json = dict[str, Any]


def site_data(site: Site) -> dict[str, Json]:
    """Every file, by its path under ``data/v1``."""
    seasons = [_SeasonData(season, site) for season in site.seasons]
    files = {path: made for season in seasons for path, made in season.files()}
    boards = [board for season in seasons for board in season.boards.values()]
    files["index.json"] = {
        "schema": SCHEMA,
        "title": safe.text(site.title),
        "url": safe.link(site.url),
        "repository": safe.link(site.repository),
        "docs": safe.text(site.docs, 300),
        "seasons": [season.summary() for season in seasons],
        "judges": all_judges(boards, site.judges),
        "archive": sorted({path.partition("/")[0] for path in site.archive}, reverse=True),
        "left_out": [safe.text(line, 500) for line in site.findings],
    }
    files["log.json"] = log_data(site, SCHEMA)
    files.update(
        judge_pages(files["index.json"]["judges"], site.judges, [one["ranked"] for one in boards])
    )
    return files


class _SeasonData:
    """The files of one season."""

    def __init__(self, season: BoardSeason, site: Site) -> None:
        self.season, self.site = season, site
        self.entries = sorted(season.entries, key=lambda entry: entry.system)
        self.people = {entry.system: describe_system(entry, site.today) for entry in self.entries}
        self.set: Json = {
            "name": safe.text(season.set_name),
            "split": season.split,
            **({} if season.questions is None else {"questions": season.questions}),
            **({"path": safe.text(season.set_path)} if season.set_path else {}),
        }
        notes = {"core": season.set_name == "core", "rehearsal": season.group == "rehearsal"}
        self.about: Json = {
            "schema": SCHEMA,
            "season": season.season,
            "title": safe.text(season.title) or season.season,
            # Notes for every page with these scores, as keys of the catalogue of texts.
            "notes": [note for note, applies in notes.items() if applies],
            "links": {name: safe.link(url) for name, url in season.links.items()},
            "source": safe.text(season.source),
        }
        # A rehearsal's answers are public, so whatever its tests say it ranks nobody.
        self.bands = {} if season.group == "rehearsal" else season.bands
        scored = dict.fromkeys(name for entry in self.entries for name in entry.settings)
        declared = [name for name in season.settings if name in scored]
        settings = dict.fromkeys([*declared, *scored])
        self.boards = {setting: self._board(setting) for setting in settings}
        self.places = {
            (setting, row["system"]): (section, row)
            for setting, board in self.boards.items()
            for section in board["sections"]
            for row in section["rows"]
        }

    def files(self) -> Iterator[tuple[str, Json]]:
        name = self.season.season
        for setting, board in self.boards.items():
            yield f"board/{name}/{setting}.json", board
        for entry in self.entries:
            yield f"system/{name}/{entry.system}.json", self._system(entry)
        for setting in [name for name in self.season.topics if name in self.boards]:
            yield f"topics/{name}/{setting}.json", self._topics(setting)

    def summary(self) -> Json:
        """The season as the index lists it."""
        season = self.season
        about = {key: value for key, value in self.about.items() if key != "schema"}
        return {
            **about,
            "set": self.set,
            "group": season.group,
            "judge": safe.text(season.judge, 100),
            "ranked": safe.text(season.ranked, 300),
            "metrics": [safe.text(text, 200) for text in season.metrics],
            "systems": len(self.entries),
            "open_settings": list(season.settings),
            "created": max(map(_created, self.entries), default=""),
            "settings": [
                {"setting": name, "systems": sum(len(s["rows"]) for s in board["sections"])}
                for name, board in self.boards.items()
            ],
        }

    def _board(self, setting: str) -> Json:
        """One board: a table of columns, and sections of rows that rank together."""
        season = self.season
        entries = [entry for entry in self.entries if setting in entry.settings]
        results = [entry.settings[setting] for entry in entries]
        keys = dict.fromkeys(key for result in results for key in result["scores"])
        ranked = find_key(season.ranked, keys) or next(iter(keys), "")
        signatures: dict[str, Any] = {}
        for result in results:
            signatures = {**result["signature"], **signatures}  # the first of each metric
        columns = board_columns(keys, season.metrics, ranked, signatures)
        headline = [column for column in columns if column["headline"]]
        rows = [self._row(entry, setting, ranked, headline) for entry in entries]
        bands = self.bands.get(setting)
        return {
            **self.about,
            "set": self.set,
            "setting": setting,
            "ranked": ranked,
            "n": _questions(entries, setting, ranked) or season.questions,
            "updated": max(map(_created, entries), default="")[:10],
            "columns": headline,
            "sections": self._sections(entries, rows, setting, ranked),
            # What judged elsewhere was not ours to measure, nor can its reader choose another.
            "judges": board_judges(
                [one for one in entries if one.group != ELSEWHERE],
                setting,
                keys,
                ranked,
                self.site.judges,
            ),
            "questions": setting in season.topics,
            "topics": any(one.values for one in season.topics.get(setting, ())),
            "bands": None
            if bands is None
            else {"method": safe.text(bands.how, 300), "resolves": bands.resolves},
        }

    def _sections(
        self, entries: Sequence[SystemResult], rows: Sequence[Json], setting: str, ranked: str
    ) -> list[Json]:
        """Rows that rank together, each section with how it was scored otherwise than the first."""
        made: dict[tuple[str, str, bool], Json] = {}
        for entry, row in zip(entries, rows, strict=True):
            group = entry.group or self.season.group
            group = group if row["status"] == "active" else "retired"
            parts = dict(_signature(entry, setting, ranked))
            section = {
                "group": group,
                "signature": row["signature"],
                "rows": [],
                "signature_parts": parts,
                "judge": judge_name(parts),
                "clusters": entry.settings[setting]["scores"].get(ranked, {}).get("clusters", 0),
            }
            like = (group, row["signature"], "carried" in row["flags"])
            made.setdefault(like, section)["rows"].append(row)
        sign = 1 if score_facts(ranked)[1] == "lower" else -1

        scored = {entry.system: _created(entry) for entry in self.entries}

        def place(row: Json) -> tuple[bool, float, str, str]:
            value, system = row["scores"].get(ranked, {}).get("value"), row["system"]
            # Who has no better score than another, and came later, stands below, whatever name was chosen.
            return value is None, sign * (value or 0.0), scored[system], system

        def order(section: Json) -> tuple[int, bool, int, str]:
            group, rows = section["group"], section["rows"]
            known = GROUPS.index(group) if group in GROUPS else len(GROUPS)
            return known, "carried" in rows[0]["flags"], -len(rows), section["signature"]

        sections = sorted(made.values(), key=order)
        for section in sections:
            section["rows"].sort(key=place)
            seals = {row["seal"] for row in section["rows"]}
            section["seal"] = seals.pop() if len(seals) == 1 else "verified"
            own, first = section["signature_parts"], sections[0]["signature_parts"]
            # The bridge accounts for another judge.
            bridged = ("judge",) if "carried" in section["rows"][0]["flags"] else ()
            section["differences"] = [
                {"part": part, "here": own.get(part, ""), "first": first.get(part, "")}
                for part in dict.fromkeys([*first, *own])
                if own.get(part) != first.get(part) and part not in bridged
            ]
        return sections

    def _row(self, entry: SystemResult, setting: str, ranked: str, columns: Sequence[Json]) -> Json:
        who, scores = self.people[entry.system], entry.settings[setting]["scores"]
        bands = self.bands.get(setting)
        signature = _signature(entry, setting, ranked)
        flags = row_flags(who, signature, entry.settings[setting])
        # Bands know a carried row by its scores before, so it has no rank.
        ranks = {} if bands is None or "carried" in flags else bands.standings
        standing = ranks.get(entry.system)
        return {
            "system": entry.system,
            **{key: who[key] for key in ABOUT_ROWS},
            "created": _created(entry)[:10],
            "judge": judge_name(signature),
            "seal": entry.seal,
            "flags": flags,
            "answers": entry.settings[setting].get("answers"),
            "runs": entry.runs,
            "signature": Signature(signature).digest,
            "view": self.season.views.get(setting, {}).get(entry.system, ""),
            "standing": None
            if standing is None
            else {**asdict(standing), "p": safe.text(standing.p, 20)},
            "scores": {c["key"]: scores[c["key"]] for c in columns if c["key"] in scores},
        }

    def _system(self, entry: SystemResult) -> Json:
        """One system's page."""
        who, season = self.people[entry.system], self.season
        lines = [
            line
            for line in self.site.ledger
            if line.get("system") == entry.system
            and (line.get("season") or season.season) == season.season
        ]
        # While the authors are hidden, so is everything that leads to them.
        origin = {"commit": entry.commit or "", "author": entry.author or ""}
        hidden = bool(who["anonymous_until"])
        return {
            **self.about,
            "set": self.set,
            **who,
            "group": entry.group or season.group,
            "seal": entry.seal,
            "created": _created(entry),
            "runs": entry.runs,
            "key": safe.text(entry.key, 64),
            **{name: "" if hidden else safe.text(value, 128) for name, value in origin.items()},
            "gold_digest": safe.text(entry.gold_digest, 80),
            "submission": {
                safe.text(k, 300): safe.text(v, 64) for k, v in entry.submission.items()
            },
            "settings": [
                self._result(entry, board)
                for name, board in self.boards.items()
                if name in entry.settings
            ],
            "history": ledger_events(lines, (season,)),
        }

    def _result(self, entry: SystemResult, board: Json) -> Json:
        """One system in one setting, beside the leader of its section."""
        setting, ranked = board["setting"], board["ranked"]
        result = entry.settings[setting]
        scores, signatures = result["scores"], result["signature"]
        section, row = self.places[setting, entry.system]
        leader = section["rows"][0]
        values = [one["scores"].get(ranked, ABSENT)["value"] for one in section["rows"]]
        own = row["scores"].get(ranked, ABSENT)["value"]
        copied = ("standing", "flags", "answers", "signature", "view")
        return {
            "setting": setting,
            "columns": board_columns(scores, self.season.metrics, ranked, signatures),
            "scores": {ranked: ABSENT, **scores},
            "ranked": ranked,
            "systems": len(section["rows"]),
            # By the score alone; like values share a place, and no value has none.
            "place": None if own is None else 1 + values.index(own),
            "group": section["group"],
            **{key: row[key] for key in copied},
            "signatures": {
                safe.text(metric, 200): _parts(parts) for metric, parts in signatures.items()
            },
            "leader": {
                "system": leader["system"],
                "name": leader["name"],
                "value": leader["scores"].get(ranked, {}).get("value"),
            },
            "method": board["bands"]["method"] if board["bands"] else "",
        }

    def _topics(self, setting: str) -> Json:
        """All systems on each question, the systems in the order of the board."""
        board, topics = self.boards[setting], self.season.topics[setting]
        scored = {name for one in topics for name in one.values}
        order = [row for section in board["sections"] for row in section["rows"]]
        systems = [
            {key: row[key] for key in ("system", "name", "view")}
            for row in order
            if row["system"] in scored
        ]
        rows = []
        stems = page_stems([one.id for one in topics])
        for one in topics:
            values = [value for value in one.values.values() if value is not None]
            rows.append(
                {
                    "id": safe.text(one.id, 120),
                    "stem": stems[one.id],
                    "text": safe.text(one.text, 300),
                    "request": safe.text(one.request, 5000, lines=True),
                    "gold": [safe.text(line, 1000) for line in one.gold],
                    "reports": {s["system"]: one.reports.get(s["system"]) for s in systems},
                    "values": {s["system"]: one.values.get(s["system"]) for s in systems},
                    "mean": sum(values) / len(values) if values else None,
                    "best": max(values, default=None),
                }
            )
        about = {
            "setting": setting,
            "ranked": board["ranked"],
            "name": score_name(board["ranked"])[0],
            "systems": systems,
            "topics": rows,
        }
        return {**self.about, **about}


def _questions(entries: Sequence[SystemResult], setting: str, ranked: str) -> int | None:
    """The number of questions of a board, as most of its rows give it in the signature of the
    ranked score."""
    said = Counter(_signature(entry, setting, ranked).get("n", "") for entry in entries)
    numbers = [n for n, _ in said.most_common() if n.isdecimal()]
    return int(numbers[0]) if numbers else None


def _created(entry: SystemResult) -> str:
    """The time when this board scored it; empty for results published elsewhere."""
    return "" if entry.group == ELSEWHERE else entry.created


def _signature(entry: SystemResult, setting: str, key: str) -> dict[str, str]:
    return _parts(entry.settings[setting]["signature"].get(split_key(key)[0], {}))


def _parts(signature: Mapping[str, str]) -> dict[str, str]:
    return dict(_safe_parts(tuple(signature.items())))


@lru_cache(maxsize=1024)
def _safe_parts(parts: tuple[tuple[str, str], ...]) -> Mapping[str, str]:
    """Cached because the systems of a board mostly have the same signatures."""
    return {safe.text(name, 60): safe.text(value, 300) for name, value in parts}
