"""A page for each question of an open set: all systems' answers side by side, each with its judgments.

The answers come from the data files of the report viewers, which hold every sentence with its outcome.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from argue_bench.view.render import Pages

Json = Mapping[str, Any]


def score_scripts(topics: Json) -> Iterator[tuple[str, str]]:
    """Scores by question for the comparison: name and text of a script for each system.

    They are scripts, since a page that is opened from the disk may read no other file.
    """
    rows = [[row["stem"], row["text"]] for row in topics["topics"]]
    yield "questions", f"addQuestions({_plain(rows)});\n"
    for one in topics["systems"]:
        values = [row["values"][one["system"]] for row in topics["topics"]]
        shown = [None if value is None else round(value, 6) for value in values]
        yield one["system"], f"addScores({_plain(one['system'])},{_plain(shown)});\n"


def write_question_pages(pages: Pages, place: str, topics: Json) -> None:
    """Writes the pages of the questions of one board; ``place`` is its season and setting."""
    stems = [row["stem"] for row in topics["topics"]]
    systems = topics["systems"]
    about = {key: topics[key] for key in ("season", "title", "setting", "ranked", "notes")}
    for at, row in enumerate(topics["topics"]):
        around = {"back": stems[at - 1] if at else "", "next": "".join(stems[at + 1 : at + 2])}
        given = {"topics": about, "row": row, **around}
        files = {
            one["system"]: f"{where[0]}data/v1/{where[1]}.json"
            for one in systems
            if (where := row["reports"].get(one["system"]))
        }
        stamp = _plain([given, systems, [pages.now.get(path) for path in files.values()]])

        def data(given: Json = given, files: Mapping[str, str] = files) -> Json:
            # Called only where the page is out of date: every report is read from its file.
            entries = [_entry(pages, one, given["row"], files) for one in systems]
            return {**given, "entries": entries}

        pages.page(f"question/{place}/{row['stem']}.html", "question.html", data, stamp)


def _entry(pages: Pages, system: Json, row: Json, files: Mapping[str, str]) -> Json:
    """One system on one question: its score, and its report where there is one to read."""
    name = system["system"]
    entry = {**system, "value": row["values"][name], "report": "", "nuggets": []}
    if name in files:
        found = json.loads((pages.out / files[name]).read_text("utf-8"))
        folder, stem = row["reports"][name]
        entry |= {"report": f"{folder}{stem}.html", "empty": found["empty"]}
        entry |= {key: found[key] for key in ("sentences", "shown", "nuggets", "main_scores")}
    return entry


def _plain(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=True)
