"""Scores of stored judgments: no judge is asked."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from argue_bench.cli.tables import print_as, show_table
from argue_bench.metrics.argue.rules import Preset
from argue_bench.table import Table

if TYPE_CHECKING:
    from argue_bench.eval.score_rows import Judged
    from argue_bench.loaders.auto_argue.scores import ScoreRow
    from argue_bench.loaders.dataset import Dataset

HEADLINES = {
    "f1_macro": "f1",
    "nugget_coverage_macro": "coverage",
    "sentence_support_macro": "support",
}


def print_scores(
    out: Path | None,
    judged: Path,
    dataset: Dataset | None,
    rules: Preset | None,
    validate: bool = False,
    format: str = "text",
) -> None:
    """Prints the averages of a judged file, a run a line; writes scores.tsv into ``out``.

    scores.tsv has a row for each topic and metric, then those of the topic "all".
    """
    from argue_bench.loaders.auto_argue.scores import ALL, write_scores

    averages: dict[str, dict[str, float]] = {}

    def seen(rows: Iterator[ScoreRow]) -> Iterator[ScoreRow]:
        for row in rows:
            values = averages.setdefault(row.run, {})
            if row.topic == ALL:
                values[row.metric] = row.value
            yield row

    signature, rows = _rows(judged, dataset, rules, validate)
    if out is not None:
        write_scores(out, seen(rows))
    else:
        for _ in seen(rows):
            pass
    table = Table(
        ("run", *HEADLINES.values()),
        [
            (run, *(f"{100 * values[n]:.1f}" if n in values else "-" for n in HEADLINES))
            for run, values in averages.items()
        ],
        right=(1, 2, 3),
    )
    if not print_as(format, {"signature": signature, "runs": averages}, table):
        show_table(table)
        click.echo(click.style(signature, dim=True))
    if out is not None:
        click.echo(f"scores: {out}", err=True)


def _rows(
    judged: Path, dataset: Dataset | None, rules: Preset | None, validate: bool
) -> tuple[str, Iterator[ScoreRow]]:
    """The signature of the scores, and the rows."""
    from dataclasses import replace

    from argue_bench.eval import score_rows as rows
    from argue_bench.eval.rebuild import recount
    from argue_bench.eval.run import read_header
    from argue_bench.eval.signature import Signature
    from argue_bench.metrics.argue import Argue

    if not rows.is_run_file(judged):
        if dataset is None:
            raise click.UsageError(
                f"{judged} is not a run file of evaluate; to count it as Auto-ARGUE's judgments, "
                "name the nuggets: --nuggets PATH (or --dataset NAME)"
            )
        preset: Preset = rules or "auto-argue"
        counted = rows.from_judgments(judged, dataset, preset, validate)
        signature = f"metric={Argue(rules=preset)} | data={dataset.title} | judge={judged.name}"
        return signature, rows.score_rows(counted, preset)
    header = read_header(judged)
    text = rows.counted_metric(header, rules, judged)
    if text is not None:
        made = rows.argue_of(text)
        preset, counted = made.rules, rows.from_run_file(judged, text)
        signature = str(Signature(header.signature[text]))
    else:
        if dataset is None or rules is None:
            raise click.UsageError(f"counting under --rules {rules} needs --nuggets or --dataset")
        held = str(rows.counted_metric(header, None, judged))
        metric = replace(rows.argue_of(held), rules=rules)
        preset, counted = rules, recount(judged, dataset, held, metric)
        signature = str(Signature({**header.signature[held], "metric": str(metric)}))
    scored = rows.score_rows(
        _named(counted, judged), preset, header.on_failure, header.most_left_out
    )
    return signature, scored


def _named(counted: Iterator[Judged], file: Path) -> Iterator[Judged]:
    """Answers that came without a run, as those of one system, are called by the run file's name."""
    name = file.name.removesuffix(".jsonl").removesuffix(".run")
    for run, topic, tallies in counted:
        yield run or name, topic, tallies
