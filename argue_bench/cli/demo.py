"""``argue-bench demo``: the whole chain on the embedded set, offline, in a new folder."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from argue_bench.cli.commands import command, option
from argue_bench.cli.options import PATH
from argue_bench.cli.progress import progress
from argue_bench.cli.tables import interval, points, show_table
from argue_bench.table import Table

if TYPE_CHECKING:
    from argue_bench.loaders.dataset import Dataset
    from argue_bench.synthetic.world import World

NAMES = {"bm25-extractive": "BM25, extractive"}


@cache
def _demo() -> dict[str, Any]:
    """The season, what all metadata say, and the scripted systems, whose scores are known.

    24 topics are enough to show that intervals narrow; dev has 80.
    """
    path = Path(__file__).parents[1] / "data" / "demo" / "demo.json"
    settings: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return settings


@command()
@option("--out", type=PATH, default=Path("argue-bench-demo"))
@option("--published", type=PATH)
def demo(out: Path, published: Path | None) -> None:
    """Make submissions, check and score them, and render the board. Needs no network.

    Example: argue-bench demo --out demo
    """
    from argue_bench.cli.site import build_site
    from argue_bench.judges import create_judge
    from argue_bench.judges.prompted.injections import inject
    from argue_bench.leaderboard.formats.layout import PUBLISHED
    from argue_bench.leaderboard.formats.season import read_season
    from argue_bench.leaderboard.scoring.local_scoring import JudgeOptions, score_folder
    from argue_bench.leaderboard.submitting.checking import check_submissions
    from argue_bench.loaders import load
    from argue_bench.synthetic.world import DEV_SEED, World, write_set

    world = World(DEV_SEED, _demo()["topics"])
    write_set(world, out / "set", "dev", gold=out / "set" / "gold.jsonl")
    dataset = load(out / "set")
    board = out / "leaderboard-submissions"
    _write(board / "season.json", _demo()["season"])
    if published is not None:
        shutil.copytree(published, board / PUBLISHED, dirs_exist_ok=True)
    systems = sorted(set(_submit(board, world, dataset)))
    season = read_season(board)
    checked = check_submissions(board, dataset, season.settings, limits=season.limits)
    errors = [finding for finding in checked.findings if finding.level == "error"]
    click.echo(f"{len(systems)} systems submitted, {len(errors)} findings: {', '.join(systems)}")
    _write(board / "judges" / "lexical.json", asdict(inject(create_judge("lexical"))))
    results = []
    with progress("scoring systems", len(systems)) as step:
        for scored in score_folder(
            board, season, dataset, board, JudgeOptions(runs=board / "runs")
        ):
            results.append(scored.result)
            step(len(results))
    _show([result for result in results if result is not None])
    build_site(board, out / "site")
    click.echo(f"\nThe board: {out / 'site' / 'index.html'}")
    click.echo(dataset.note, err=True)


def _submit(board: Path, world: World, dataset: Dataset) -> Iterator[str]:
    """Writes submissions of systems that need no model; yields their names."""
    from argue_bench.baselines import BASELINES, SETTINGS, generate
    from argue_bench.leaderboard.seasons.scripted import submit_scripted

    for system, known in BASELINES.items():
        settings = SETTINGS if system == "bm25-extractive" else ("evidenceprovided",)
        for setting in settings:
            lines = generate(system, dataset, setting)
            _write(board / f"{setting}-generations" / f"{system}.jsonl", *lines, indent=None)
        _write_metadata(board, system, known.summary, settings)
        yield system
    yield from submit_scripted(board, world.topics(), names=_demo()["scripted"])


def _write_metadata(board: Path, system: str, details: str, settings: Sequence[str]) -> None:
    given = {
        f"{setting}_generations": f"{system}.jsonl" if setting in settings else None
        for setting in _demo()["season"]["settings"]
    }
    name = NAMES.get(system, system.replace("-", " ").capitalize())
    about = {"name": name, **_demo()["metadata"], "details": details, **given}
    _write(board / "metadata" / f"{system}.json", about)


def _write(path: Path, *values: Any, indent: int | None = 2) -> None:
    from argue_bench.records.atomic import atomic_write

    with atomic_write(path) as file:
        file.writelines(json.dumps(v, indent=indent, ensure_ascii=False) + "\n" for v in values)


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
            ends = interval(score["low"], score["high"])
            rows.append((setting, system, points(score["value"]), ends))
    click.echo()
    show_table(Table(("setting", "system", ranked, "95 % interval"), rows, right=(2,)))
