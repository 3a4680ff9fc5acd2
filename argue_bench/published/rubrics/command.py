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
    "--out",
    type=PATH,
    required=True,
    group="Output",
    help="The folder for the two tables, and for a run file of each run.",
)
def dragun(
    labels: Path,
    rubrics: Path,
    out: Path,
) -> None:
    """Make TREC DRAGUN's tables of its LABELS and rubrics, and run files for `compare`.

    LABELS is a CSV file of the assessors or of the track's judge. OUT gets per_topic_results.csv,
    per_run_results.csv and runs/RUN.jsonl.

    Example: argue-bench board import dragun labels.csv --rubrics rubrics.json --out tables
    """
    from argue_bench.published.rubrics import dragun as track

    scores = track.score_reports(track.read_rubrics(rubrics), track.read_report_labels(labels))
    topics, runs = track.report_tables(scores)
    _write_runs(out / "runs", scores, labels)
    _write(out / "per_topic_results.csv", topics)
    _write(out / "per_run_results.csv", runs)
    cells = [(run, *map(points, shares)) for run, *shares in (row.values() for row in runs)]
    head = tuple(name.replace("_", " ") for name in runs[0])
    table = Table(("run", *head[1:]), cells, right=(1, 2))
    show_table(table)
    click.echo(f"{out}: {len(runs)} runs, {len(topics):,} rows by topic", err=True)


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
