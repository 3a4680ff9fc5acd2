"""``argue-bench judge leaderboard``: runs judged as programs of trec-auto-judge do, and their files.

BASE.nuggets.jsonl, BASE.qrels.txt    nuggets and grades, drafted where they are asked for
BASE.eval.txt                         lines of run, topic, measure and value (ir_measures)
BASE.config.yml, BASE.responses.jsonl how it was made, and the reports with their scores
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from argue_bench.cli.commands import command, option, options
from argue_bench.cli.options import PATH, DatasetOptions, budget_option, limit_spending
from argue_bench.cli.tables import points, show_table
from argue_bench.records.atomic import atomic_write
from argue_bench.records.table import Table
from argue_bench.satellites import TREC_GRADES, TREC_TOPICS, import_text

if TYPE_CHECKING:
    from argue_bench.adapters.autojudge_phases import OnMissing, RunScore


@command()
@click.argument("runs", type=PATH)
@options("chosen", DatasetOptions, dataset={"default": "trec"})
@option("-m", "--metric", default="argue", group="Judge", help="The metric to judge by.")
@option(
    "--judge", "spec", default="lexical", metavar="SPEC", group="Judge", help="The judge to ask."
)
@option("--create-nuggets", is_flag=True, group="Judge", help="Let the judge draft nuggets first.")
@option(
    "--create-qrels", is_flag=True, group="Judge", help="Let the judge grade cited documents first."
)
@option("--force", is_flag=True, group="Judge", help="Make nuggets and grades anew.")
@option(
    "--on-missing",
    type=click.Choice(["error", "zero", "leave"]),
    default="error",
    group="Judge",
    help="What becomes of a topic that a run has no report on.",
)
@budget_option
@option(
    "--out",
    type=PATH,
    required=True,
    metavar="BASE",
    group="Output",
    help="The beginning of the names of all files.",
)
def leaderboard(
    runs: Path,
    chosen: DatasetOptions,
    metric: str,
    spec: str,
    create_nuggets: bool,
    create_qrels: bool,
    force: bool,
    on_missing: OnMissing,
    budget: float | None,
    out: Path,
) -> None:
    """Judge the RUNS of a track and write a leaderboard that `judge agreement` and auto-judge read.

    RUNS is a file of reports, or a folder with one file a run. Nuggets and grades that are there already
    are used again unless --force is given.

    Example: argue-bench judge leaderboard runs --data track --judge lexical --out mine
    """
    from argue_bench.adapters import autojudge_phases as phases
    from argue_bench.judges import as_judge
    from argue_bench.loaders.banks import write_banks, write_qrels

    dataset = chosen.load()
    store = _file(out, "verdicts")
    read = phases.read_runs(runs, dataset)
    judge = as_judge(spec)
    limit_spending(budget, [judge])
    if create_nuggets:
        file = _file(out, "nuggets.jsonl")
        if force or not _is_there(file, "nuggets"):
            drafted = phases.pooled_nuggets(dataset, read, judge, store)
            write_banks(file, (one for one in drafted if one.gold is not None and one.gold.nuggets))
        banks, _ = import_text(TREC_TOPICS)(file)
        dataset = phases.with_gold(
            dataset, {id: {"nuggets": one.nuggets} for id, one in banks.items()}
        )
    if create_qrels:
        file = _file(out, "qrels.txt")
        if force or not _is_there(file, "grades"):
            write_qrels(file, phases.grade_cited(dataset, read, judge, store))
        rows = import_text(TREC_GRADES)(file).items()
        grades = ((topic, *one) for topic, own in rows for one in own.items())
        dataset = phases.with_grades(dataset, grades)
    judged = list(phases.judge_runs(dataset, read, metric, judge, store))
    scores = phases.with_missing(judged, read, [one.id for one in dataset], on_missing)
    place = _file(out, "eval.txt")
    with atomic_write(place) as lines:
        lines.writelines(
            f"{run}\t{topic}\t{name}\t{value!r}\n" for run, topic, name, value in scores
        )
    _show(scores, list(read))
    click.echo(f"{place}: {len(read)} runs, {len(dataset)} topics", err=True)


def _is_there(file: Path, what: str) -> bool:
    """Whether a file of an earlier phase is used again, which is said."""
    there = file.is_file()
    said = "that were there; --force makes them anew" if there else "are made by the judge"
    click.echo(f"{file}: {what} {said}", err=True)
    return there


def _file(base: Path, ending: str) -> Path:
    return base.with_name(f"{base.name}.{ending}")


def _show(scores: Sequence[RunScore], runs: list[str]) -> None:
    """Prints the mean of each run, the best first."""
    means = {(one.run, one.measure): one.value for one in scores if one.topic == "all"}
    names = sorted({measure for _, measure in means})
    runs = sorted(runs, key=lambda run: -means.get((run, names[0]), -1.0)) if names else runs
    cells = [(run, *(points(means.get((run, name))) for name in names)) for run in runs]
    show_table(Table(("run", *names), cells, right=range(1, len(names) + 1)))
