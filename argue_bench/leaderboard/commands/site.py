"""``argue-bench site build``: a folder of submissions and results in, static pages out.

`carry_over`: rows of a retired judge are carried over to the season's judge by a signed bridge until they are scored again.

The ranked score moves by its own shift of the system, and the two intervals' sides add as variances do. A row of
which the bridge does not know that shift stays as it is, and so does a score that is no share or of which less is
better.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import click

from argue_bench.cli.commands import command, option
from argue_bench.cli.options import PATH, folder_argument
from argue_bench.cli.tables import show_findings
from argue_bench.errors import ArgueBenchError, Code, DataError, Finding, UsageError
from argue_bench.leaderboard.formats.layout import ARCHIVE, PUBLISHED
from argue_bench.leaderboard.formats.results import now
from argue_bench.leaderboard.publishing.assemble import left_out_results
from argue_bench.leaderboard.publishing.published import PublishedFolder, PublishedResult
from argue_bench.leaderboard.scoring.bridge import judge_of, judges_before
from argue_bench.loaders.dataset import Dataset
from argue_bench.pages.build import Built, build_pages
from argue_bench.pages.columns import find_key
from argue_bench.pages.inputs import BoardSeason, Site, SystemResult, View
from argue_bench.pages.judges import read_judges
from argue_bench.pages.run_results import run_files, with_runs
from argue_bench.view.columns import score_facts, split_key
from argue_bench.view.safe import link

Json = Mapping[str, Any]


def carry_over(season: BoardSeason, bridges: Sequence[Json]) -> BoardSeason:
    """The season with rows of judges before its own carried over by these bridges, and marked."""
    before = judges_before(bridges, season.judge)
    return replace(
        season,
        entries=tuple(
            replace(
                entry,
                settings={
                    name: _carried(setting, season.ranked, entry.system, before)
                    for name, setting in entry.settings.items()
                },
            )
            for entry in season.entries
        ),
    )


def _carried(
    setting: Json, ranked: str, system: str, before: Mapping[frozenset[str], Json]
) -> Json:
    scores, signature = setting["scores"], setting["signature"]
    key = find_key(ranked, scores)
    if not key or score_facts(key)[:2] != ("share", "higher"):
        return setting
    judges = {one: judge_of(signature.get(split_key(one)[0], {})) for one in scores}
    # A judge of the same name with other prompts is another one, and its rows stay as they are.
    own, score = before.get(judges[key], {}).get("scores", {}).get(key), scores[key]
    shift = own and own["systems"].get(system)
    if shift is None or score["low"] is None:
        return setting
    moved = {
        name: min(1.0, max(0.0, score["value"] + shift["new"] - shift["old"] + by))
        for name, by in (
            ("value", 0.0),
            ("low", -math.hypot(score["value"] - score["low"], shift["new"] - shift["low"])),
            ("high", math.hypot(score["high"] - score["value"], shift["high"] - shift["new"])),
        )
    }
    # Nothing is known of what the new judge makes of the other scores.
    kept = {one: scores[one] for one in scores if judges[one] != judges[key]}
    return {**setting, "scores": {**kept, key: {**score, **moved}}, "carried": True}


# Findings that `site build` prints: what a screen holds.
MOST_SHOWN = 50


@command()
@folder_argument
@option("--out", default="site/build", type=PATH, group="Output", help="The folder for the pages.")
@option(
    "--url",
    default="",
    group="Output",
    help="Address of the pages, for citations and the 404 page.",
)
@option(
    "--repository",
    default="",
    metavar="OWNER/NAME",
    group="Output",
    help="The board's repository on GitHub: the queue links to its pull requests, and without --url the pages are on its GitHub Pages.",
)
@option(
    "--docs",
    default="",
    metavar="PLACE",
    group="Output",
    help="The documentation's address, or its path on the site; every page links to it.",
)
@option("--strict", is_flag=True, group="Output", help="Exit 1 where anything was left out.")
def build(folder: Path, out: Path, url: str, repository: str, docs: str, strict: bool) -> None:
    """Render every page of the board in FOLDER.

    Unchanged pages are left alone. Files that cannot be read are listed and left out.

    Example: argue-bench site build leaderboard-submissions --out site/build
    """
    built, findings = build_site(folder, out, address(url, repository), source(repository), docs)
    findings.sort(key=lambda finding: finding.level != "error")
    show_findings(findings, most=MOST_SHOWN)
    click.echo(f"{out}/index.html: {built.written} files written, {built.unchanged} unchanged.")
    if strict and any(finding.level == "error" for finding in findings):
        raise SystemExit(1)


def address(url: str, repository: str = "") -> str:
    """The address of the site, with a slash at its end; empty if it is not known. Raises UsageError."""

    url = url.strip()
    if not url and source(repository):
        owner, _, name = repository.partition("/")
        host = f"{owner.lower()}.github.io"
        url = f"https://{host}/" if name.lower() == host else f"https://{host}/{name}/"
    if url and (not link(url) or "?" in url or "#" in url):
        raise UsageError(
            f"{url!r} is not the address of a site; write https://HOST/ or https://HOST/PATH/"
        )
    return url if not url or url.endswith("/") else f"{url}/"


def source(repository: str) -> str:
    """The address of a board's repository on GitHub; empty if none is named. Raises UsageError."""

    if repository and not re.fullmatch(r"[A-Za-z0-9-]+/[A-Za-z0-9._-]+", repository):
        raise UsageError(f"{repository!r} is not a repository; write OWNER/NAME")
    return f"https://github.com/{repository}" if repository else ""


def build_site(
    folder: Path, out: Path, url: str = "", repository: str = "", docs: str = ""
) -> tuple[Built, list[Finding]]:
    """Reads a folder of submissions and results, and writes its pages under ``out``.

    ``repository`` is the address of the board's own, ``docs`` the place of the documentation. Returns what was left out, as findings.
    Raises DataError (no such folder), UsageError.
    """

    site, views, findings = read_site(folder, url, repository, docs)
    return build_pages(site, out, views), findings


def read_site(
    folder: Path, url: str = "", repository: str = "", docs: str = ""
) -> tuple[Site, list[View], list[Finding]]:
    """What a folder of submissions and results holds, the reports to show, and what was left out.

    Raises DataError where there is no such folder.
    """

    if not folder.is_dir():
        raise DataError.of(
            Code.NO_SUCH_FILE,
            "no such folder",
            folder,
            hint="Name the folder that holds results/ and metadata/.",
        )
    board = PublishedFolder(folder, left_out_results(folder))
    findings, seasons, views = board.findings, [], []
    # Boards that others published lie beside this one, each in a folder of the same layout.
    others = [p for p in sorted((folder / PUBLISHED).glob("*/")) if not p.is_symlink()]
    for one in (board, *(PublishedFolder(path, findings) for path in others)):
        for name, results in one.seasons():
            season = _season(name, results, one)
            with_bands, shown = with_runs(
                season, one.folder, _dataset(one, name), one.bands(name), findings
            )
            seasons.append(carry_over(with_bands, one.bridges(name)))
            views += shown
    made = Site(
        seasons=tuple(seasons),
        title=_title(board, bool(others), repository),
        url=url,
        repository=repository,
        docs=docs,
        today=now()[:10],
        ledger=board.ledger,
        queue=board.queue,
        judges=read_judges(folder, findings),
        archive=_archive(folder / ARCHIVE),
        findings=tuple(str(f) for f in findings if f.level == "error"),
    )
    return made, views, findings


def _title(board: PublishedFolder, others: bool, repository: str) -> str:
    """The title of the board; where boards of others stand beside it, the name of their repository."""

    declared = board.declared.title if board.declared else ""
    return (repository.rpartition("/")[2] if others else declared) or Site.title


def _archive(folder: Path) -> dict[str, str]:
    """The files of snapshots by their path under the archive; links are not followed."""
    return {
        path.relative_to(folder).as_posix(): path.read_text("utf-8", "replace")
        for path in sorted(folder.glob("[0-9]*-[0-9]*-[0-9]*/**/*"))
        if path.is_file() and not path.is_symlink() and path.suffix in (".json", ".csv")
    }


def _season(name: str, results: list[PublishedResult], board: PublishedFolder) -> BoardSeason:

    runs = board.scored_runs()
    entries = tuple(
        SystemResult(
            one.result.system,
            {
                setting: {
                    "signature": scored.signature,
                    "scores": scored.scores,
                    "answers": scored.answers and asdict(scored.answers),
                }
                for setting, scored in one.result.settings.items()
            },
            board.metadata.get(one.result.system),
            one.result.submission,
            one.result.gold_digest,
            one.result.author,
            one.result.commit,
            one.group,
            one.result.created,
            one.seal,  # type: ignore[arg-type]  # a broken one is not yielded
            one.key,
            runs.get((name, one.result.author or "")),
        )
        for one in results
    )
    declared = board.declared
    if declared is None or declared.season != name:
        return BoardSeason(name, entries)
    return BoardSeason(
        name,
        entries,
        declared.title,
        declared.group or "",
        declared.set.name,
        declared.set.split,
        declared.set.questions,
        ""
        if declared.set.path is None
        else Path(os.path.relpath(declared.set.path, board.folder)).as_posix(),
        declared.links,
        declared.source,
        declared.settings,
        declared.metrics,
        declared.judge,
        declared.ranked,
    )


def _dataset(board: PublishedFolder, season: str) -> Dataset | None:
    """The set of a season that has run files, or whose gold is sealed: its questions are shown."""

    declared = board.declared
    if declared is None or declared.season != season:
        return None
    # A season says how many questions its set has where the set itself is not at hand.
    here = declared.set.questions is None and run_files(board.folder, season)
    if not here and declared.sealed is None:
        return None
    try:
        return declared.load()
    except ArgueBenchError as error:
        why = f"the set of {season} can't be loaded, so its reports are not shown: {error}"
        board.findings.append(
            Finding(Code.NO_SUCH_FILE, why, str(board.folder / "season.json"), level="warning")
        )
        return None
