"""The pages of a site, rendered from its data alone; unchanged files are left alone.

`build_pages` makes the data of a `Site` and renders it; `render_pages` renders data that exists already,
so ``data/v1`` alone gives the same pages. Report viewers are made from run files, each under the
folder that its `View` names.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from argue_bench.lab.label_sets import published_tables
from argue_bench.pages.about import metric_catalogue
from argue_bench.pages.board import answer, board_summary
from argue_bench.pages.data import ELSEWHERE, site_data
from argue_bench.pages.exports import (
    board_csv,
    cite_site,
    cite_snapshots,
)
from argue_bench.pages.inputs import Site, View
from argue_bench.pages.judges import SHIPPED
from argue_bench.pages.site_pages import SitePages
from argue_bench.records.digests import file_sha256
from argue_bench.view.compare import write_question_pages
from argue_bench.view.render import dump

Json = Mapping[str, Any]
Files = Mapping[str, Json]


@dataclass(frozen=True)
class Built:
    """The result of a build: how many files were written, and how many were unchanged."""

    out: Path
    written: int
    unchanged: int


def build_pages(site: Site, out: Path, views: Iterable[View] = ()) -> Built:
    """Writes the whole site under ``out``. Raises UsageError where other files are in the way."""
    return render_pages(site_data(site), out, views, site.archive)


def render_pages(
    files: Files,
    out: Path,
    views: Iterable[View] = (),
    archive: Mapping[str, str] = MappingProxyType({}),
) -> Built:
    """Writes the data files and their pages under ``out``, and the files of snapshots as they are."""
    pages = SitePages(out)
    pages.check_place()
    pages.static()
    index = files["index.json"]
    seasons = [
        {
            "season": season["season"],
            "title": season["title"],
            "settings": [one["setting"] for one in season["settings"]],
        }
        for season in index["seasons"]
    ]
    keys = ("title", "url", "repository", "docs")
    pages.shell = {"site": {**{key: index[key] for key in keys}, "seasons": seasons}}
    stamps = ""
    for path, value in files.items():
        stamp = pages.data(f"data/v1/{path}", value)
        stamps += stamp if path.startswith(("board/", "index")) else ""
        _page(pages, path.removesuffix(".json"), value, stamp)
    _general_pages(pages, files, archive, stamps)
    _viewers(pages, views, index["title"])
    for path, value in files.items():
        if path.startswith("topics/") and any(row["reports"] for row in value["topics"]):
            write_question_pages(pages, path.removeprefix("topics/").removesuffix(".json"), value)
    for path, text in archive.items():
        pages.file(f"archive/{path}", text)
    pages.close()
    return Built(out, pages.written, pages.unchanged)


def _page(pages: SitePages, place: str, value: Json, stamp: str) -> None:
    """The page of one data file. A page that is right already costs neither plots nor rendering."""
    kind = place.partition("/")[0]
    if kind == "board":
        _board(pages, place, value, stamp)
    elif kind == "system":
        url = str(pages.shell["site"]["url"])
        cite = cite_site(
            f"{value['name']}: {value['title']}",
            value["authors"],
            value["created"][:10],
            f"{url}{place}.html" if url else "",
            source=value["source"],
        )
        pages.page(f"{place}.html", "system.html", {"system": value, "cite": cite})
    elif kind == "judge":
        pages.page(f"{place}.html", "judge.html", {"shown": value})
    elif kind == "topics":
        pages.page(f"{place}.html", "topics.html", {"topics": value})
        where = f"data/v1/scores/{place.removeprefix('topics/')}"
        for path, text in _score_scripts(value) if value["systems"] else ():
            pages.file(f"{where}/{path}.js", text)


def _score_scripts(topics: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Scores by question for the comparison: name and text of a script for each system.

    They are scripts, since a page that is opened from the disk may read no other file. No system can be called "_questions".
    """
    rows = [[row["stem"], row["text"]] for row in topics["topics"]]
    yield "_questions", f"addQuestions({dump(rows)});\n"
    for one in topics["systems"]:
        values = [row["values"][one["system"]] for row in topics["topics"]]
        shown = [None if value is None else round(value, 6) for value in values]
        yield one["system"], f"addScores({dump(one['system'])},{dump(shown)});\n"


def _board(pages: SitePages, place: str, value: Json, stamp: str) -> None:
    """A board's page, its picture, and its files for other programs."""
    site = pages.shell["site"]
    address = f"{site['url']}{place}.html" if site["url"] else ""
    setting = pages.t.get(f"setting.{value['setting']}", value["setting"])

    def board() -> Json:
        whole = f"{value['title']}: {setting}"
        summary = board_summary(value, pages.t)
        return {
            "board": value,
            "summary": summary,
            "cite": cite_site(whole, "", value["updated"], address, source=value["source"]),
        }

    pages.page(f"{place}.html", "board.html", board, stamp)
    pages.file(f"{place}.csv", board_csv(value))


def figures() -> Json:
    """What ``benchmarks/`` measured of the default judge, by the name of its file: the front page is made of it."""
    paths = [*SHIPPED.glob("lexical*.json"), *(SHIPPED.parent / "figures").glob("*.json")]
    found = {path.stem: json.loads(path.read_text("utf-8")) for path in sorted(paths)}
    return {**found, "published": published_tables()["llm-aggrefact"]}


def _general_pages(pages: SitePages, files: Files, archive: Mapping[str, str], stamps: str) -> None:
    """The front page, the pages that explain the site, and the log."""
    index, log = files["index.json"], files["log.json"]
    # Made of boards, which have stamps of their own: their rows are not written out anew to look for changes.
    home = {"files": files, "index": index, "figures": figures(), "answer": answer}
    home["cite"] = cite_site(pages.t("front.cite", title=index["title"]), "", "", index["url"])
    pages.page("index.html", "home.html", lambda: home, stamps + str(home["figures"]))
    for name in ("ledger", "queue"):
        pages.page(f"{name}.html", f"{name}.html", {"log": log, "index": index})
    pages.page("about.html", "about.html", {"index": index})
    cites = {
        one["season"]: cite_site(
            one["title"],
            "",
            one["created"][:10],
            f"{index['url']}#{one['season']}" if index["url"] else "",
            source=one["source"],
        )
        for one in index["seasons"]
    }
    snapshots = list(cite_snapshots(index["title"], archive, index["url"]))
    pages.page("data.html", "data.html", {"index": index, "cites": cites, "snapshots": snapshots})
    pages.page("submit.html", "submit.html", _submit(index))
    # Those of these boards alone; all of them where there is no score yet.
    used = {
        column["metric"]
        for path, value in files.items()
        if path.startswith("board/")
        for column in value["columns"]
    }
    pages.page("metrics.html", "metrics.html", {"families": metric_catalogue(used), "index": index})
    # A host serves it for any missing address, so its links start at the root of the site; where nobody
    # said what that is, the page brings its style along.
    lost = {} if index["url"] else pages.own_style()
    pages.page("404.html", "404.html", {"root": index["url"] or "/", **lost})


def _submit(index: Json) -> Json:
    """The set of the season that takes submissions, and what names it on a command line."""
    ours = (s for s in index["seasons"] if s["set"]["name"] and s["group"] != ELSEWHERE)
    default: Json = {"set": {"name": "core", "split": "test"}, "open_settings": []}
    season: Json = next(ours, default)
    about, settings = season["set"], season["open_settings"]
    path, split = about.get("path", ""), about["split"]
    named = f"{about['name']}{f' --split {split}' if split else ''}"
    return {
        "set": about["name"],
        "given": f"leaderboard-submissions/{path}" if path else named,
        "trial": not path and about["name"] == "core",
        "setting": settings[0] if settings and "openbook" not in settings else "openbook",
    }


def _viewers(pages: SitePages, views: Iterable[View], title: str) -> None:
    """The reports of every run; a run that did not change is not read again."""
    from argue_bench.eval.run import read_header
    from argue_bench.view.pages import write_viewer

    for one in views:
        key = f"{file_sha256(one.run)} {one.dataset.digest} {title} {one.system}"
        if not pages.keep_folder(one.folder, key):
            # A board shows no gold, over which the digest of what was scored goes too.
            write_viewer(
                one.run,
                replace(one.dataset, declared_digest=read_header(one.run).digest)
                if one.dataset.sealed
                else one.dataset,
                pages.out,
                pages=pages,
                folder=one.folder,
                name=one.system,
                back=one.back,
                board=title,
            )
            pages.note_folder(one.folder, key)
