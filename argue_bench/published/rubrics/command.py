"""``board import dragun``: TREC DRAGUN's tables from assessors' labels, and run files of them."""

from __future__ import annotations

import csv
import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from argue_bench.cli.commands import command, option
from argue_bench.cli.options import PATH
from argue_bench.cli.tables import show_table
from argue_bench.records.table import Table, points

if TYPE_CHECKING:
    from argue_bench.published.rubrics.dragun import Reports

Row = Mapping[str, object]


@command()
@click.argument("labels", type=PATH)
@option(
    "--rubrics",
    type=PATH,
    required=True,
    group="Input",
    help="The rubrics: a JSON file, or a folder with one for each topic.",
)
@option(
    "--reports",
    type=PATH,
    group="Input",
    help="The reports, a file for each run, to add their words.",
)
@option(
    "--compound",
    type=PATH,
    group="Input",
    help="The labels of compound questions: LABELS are of questions, task 1.",
)
@option(
    "--out",
    type=PATH,
    required=True,
    group="Output",
    help="The folder for the two tables, and for a run file of each run.",
)
def dragun(
    labels: Path,
    rubrics: Path,
    reports: Path | None,
    compound: Path | None,
    out: Path,
) -> None:
    """Make TREC DRAGUN's tables of its LABELS and rubrics, and run files for `compare`.

    LABELS is a CSV file of the assessors or of the track's judge. OUT gets per_topic_results.csv and
    per_run_results.csv, and for reports runs/RUN.jsonl.

    Example: argue-bench board import dragun labels.csv --rubrics rubrics.json --out tables
    """
    from argue_bench.published.rubrics import dragun as track

    read = track.read_rubrics(rubrics)
    if compound is not None:
        if reports is not None:
            raise click.UsageError("--compound is of questions: --reports goes without it")
        rows = track.read_question_labels(labels)
        topics, runs = track.score_questions(read, rows, track.read_compound(compound))
    else:
        scores = track.score_reports(read, track.read_report_labels(labels))
        words = None if reports is None else track.report_words(reports)
        topics, runs = track.report_tables(scores, words)
        _write_runs(out / "runs", scores, labels)
    _write(out / "per_topic_results.csv", topics)
    _write(out / "per_run_results.csv", runs)
    names = [name for name in runs[0] if name != "run_tag"]
    cells = [(str(row["run_tag"]), *(_shown(name, row[name]) for name in names)) for row in runs]
    table = Table(("run", *(name.replace("_", " ") for name in names)), cells, right=range(1, 9))
    show_table(table)
    click.echo(f"{out}: {len(runs)} runs, {len(topics):,} rows by topic", err=True)


def _shown(name: str, value: object) -> str:
    if not isinstance(value, (int, float)):
        return "-"
    if "word_count" in name:
        return f"{value:,.1f}".removesuffix(".0")
    return points(value) if not name.startswith("normalized") else f"{value:.6f}"


def _write(path: Path, rows: Sequence[Row]) -> None:
    from argue_bench.records.atomic import atomic_write

    with atomic_write(path) as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def _write_runs(folder: Path, scores: Reports, labels: Path) -> None:
    """Writes RUN.jsonl for each run, with its supportive and contradictory scores on each topic.

    A run file holds tallies, whoever judged; so `compare`, bands and power read these like any other. The
    signature names the labels' file with the first digits of its SHA-256.
    """
    from argue_bench.eval.run import Entry, Header, entry_line, write_run
    from argue_bench.published.rubrics.rubric import Dragun
    from argue_bench.records import Answer, Tally
    from argue_bench.records.display import escape

    digest, text = hashlib.sha256(labels.read_bytes()).hexdigest(), str(Dragun())
    data = f"dragun@{digest[:8]}"
    signature = {
        "metric": text,
        "data": data,
        "judge": f"labels:{labels.name}",
        "counted": "dragun",
    }
    header = Header(data, f"sha256:{digest}", (text,), {text: signature})
    for run in dict.fromkeys(run for _, run in scores):
        with write_run(folder / f"{escape(run).replace('/', '_')}.jsonl", header) as write:
            for (topic, name), score in scores.items():
                if name == run:
                    tallies = {
                        "supportive": Tally(score.supportive, score.most),
                        "contradictory": Tally(score.contradictory, score.most),
                    }
                    write(entry_line(Entry(Answer(topic, run=run), {text: tallies}, {text: ()})))
