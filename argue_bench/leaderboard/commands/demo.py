"""``argue-bench demo``: the whole chain on the embedded set, offline, in a new folder."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import Any

import click

from argue_bench.baselines import BASELINES, SETTINGS, generate
from argue_bench.cli.commands import command, option
from argue_bench.cli.options import PATH
from argue_bench.cli.progress import progress
from argue_bench.cli.tables import show_table
from argue_bench.judges import create_judge
from argue_bench.lab.card import inject
from argue_bench.leaderboard.commands.site import build_site
from argue_bench.leaderboard.formats.layout import PUBLISHED, write_files
from argue_bench.leaderboard.formats.season import read_season
from argue_bench.leaderboard.scoring.scored_settings import Judging, score_folder
from argue_bench.leaderboard.submitting.checking import check_submissions
from argue_bench.loaders import load
from argue_bench.loaders.core import data_digest, embedded_folder
from argue_bench.loaders.dataset import Dataset
from argue_bench.records.atomic import write_json, write_lines
from argue_bench.records.table import Table, interval, points

# Names on the board that are not the system's own with a capital.
NAMES = {"bm25-extractive": "BM25, extractive"}


def submit_baseline(board: Path, system: str, dataset: Dataset) -> None:
    """Writes a baseline's answers to ``dataset`` and its metadata into a folder of submissions.

    BM25 enters every setting, and the others, which are floors, that with the documents given.
    Raises DataError where the disk refuses.
    """
    # The others read the documents that come with a question, and have nothing to say without.
    settings = SETTINGS if system == "bm25-extractive" else ("evidenceprovided",)
    for setting in settings:
        write_lines(
            board / f"{setting}-generations" / f"{system}.jsonl", generate(system, dataset, setting)
        )
    about = {
        "name": NAMES.get(system, system.replace("-", " ").capitalize()),
        "authors": "The argue-bench developers",
        "organisation": "argue-bench",
        "url": None,
        "citation": "argue-bench, 2026",
        "type": "OTHER",
        "context": 0,
        "is_trained_for_function_calling": False,
        "retriever": "BM25",
        "licence": "MIT",
        "details": BASELINES[system].summary,
        **{f"{s}_generations": f"{system}.jsonl" if s in settings else None for s in SETTINGS},
    }
    write_json(board / "metadata" / f"{system}.json", about)


DATA = Path(__file__).parents[2] / "data" / "demo"
PARTS = ("documents", "gold", "questions")


@cache
def _demo() -> dict[str, Any]:
    """The season, and how many topics: 24 are enough to show that intervals narrow; dev has 80."""
    return dict(json.loads((DATA / "demo.json").read_text("utf-8")))


@command()
@option(
    "--out",
    type=PATH,
    default=Path("argue-bench-demo"),
    help="The folder for submissions, results and pages.",
)
@option(
    "--published", type=PATH, help="A folder of boards that others published, to show beside it."
)
def demo(out: Path, published: Path | None) -> None:
    """Make submissions, check and score them, and render the board. Needs no network.

    Example: argue-bench demo --out demo
    """

    _write_set(out / "set")
    dataset = load(out / "set")
    board = out / "leaderboard-submissions"
    write_json(board / "season.json", _demo()["season"])
    if published is not None:
        shutil.copytree(published, board / PUBLISHED, dirs_exist_ok=True)
    systems = sorted(set(_submit(board, dataset)))
    season = read_season(board)
    checked = check_submissions(board, dataset, season.settings, limits=season.limits)
    errors = [finding for finding in checked.findings if finding.level == "error"]
    click.echo(f"{len(systems)} systems submitted, {len(errors)} findings: {', '.join(systems)}")
    write_json(board / "judges" / "lexical.json", asdict(inject(create_judge("lexical"))))
    results = []
    with progress("scoring systems", len(systems)) as step:
        for scored in score_folder(board, season, dataset, board, Judging({}, runs=board / "runs")):
            results.append(scored.result)
            step(len(results))
    _show([result for result in results if result is not None])
    build_site(board, out / "site")
    # The home page is of the project's own site where boards of others stand beside: a rehearsal is not on it.
    click.echo(f"\nThe board: {out / 'site/board' / season.season / season.settings[-1]}.html")
    click.echo(dataset.note, err=True)


def _write_set(out: Path) -> None:
    """The first topics of core dev as a set of their own."""

    source = embedded_folder("dev")
    rows = {
        name: (source / f"{name}.jsonl").read_bytes().splitlines(keepends=True) for name in PARTS
    }
    rows["questions"] = rows["questions"][: _demo()["topics"]]
    asked = [json.loads(line) for line in rows["questions"]]
    # Gold has the id of its question, so one set of ids picks all three files.
    kept = {one["id"] for one in asked}.union(*(one["documents"] for one in asked))
    files = {
        f"{name}.jsonl": b"".join(line for line in lines if json.loads(line)["id"] in kept)
        for name, lines in rows.items()
    }
    write_files(out, files)
    write_json(
        out / "set.json",
        json.loads((source / "set.json").read_bytes()) | {"digest": data_digest(files)},
    )


def _submit(board: Path, dataset: Dataset) -> Iterator[str]:
    """Writes submissions of systems that need no model; yields their names.

    The scripted ones, whose scores are known, were printed by ``python -m tools.core_set embed``.
    """

    for system in BASELINES:
        submit_baseline(board, system, dataset)
        yield system
    for line in (DATA / "systems.jsonl").read_text("utf-8").splitlines():
        made = json.loads(line)
        name = made["system"]
        write_lines(board / "evidenceprovided-generations" / f"{name}.jsonl", made["answers"])
        write_json(board / "metadata" / f"{name}.json", made["metadata"])
        yield name


def _show(results: list[Any]) -> None:
    """The board as a table, best first, setting by setting."""
    ranked = _demo()["season"]["ranked"]
    rows = []
    for setting in _demo()["season"]["settings"]:
        found = [
            (result.settings[setting].scores[ranked], result.system)
            for result in results
            if setting in result.settings
        ]
        for score, system in sorted(found, key=lambda one: (-one[0]["value"], one[1])):
            rows.append(
                (setting, system, points(score["value"]), interval(score["low"], score["high"]))
            )
    click.echo()
    show_table(Table(("setting", "system", ranked, "95 % interval"), rows, right=(2,)))
