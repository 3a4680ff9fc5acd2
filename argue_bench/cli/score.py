"""``argue-bench score``: scores from stored judgments; nobody is asked."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, get_args

import click

from argue_bench.metrics.argue.rules import Preset

if TYPE_CHECKING:
    from argue_bench.loaders.auto_argue_scores import ScoreRow
    from argue_bench.loaders.dataset import Dataset

A_PATH = click.Path(path_type=Path)


@click.command()
@click.argument("judged", type=A_PATH)
@click.option("--out", required=True, type=A_PATH, help="The scores.tsv to write.")
@click.option("--nuggets", type=A_PATH, help="Nuggets, for Auto-ARGUE's judgments or other rules.")
@click.option("--requests", type=A_PATH, help="Report requests, if they were given to annotate.")
@click.option("--qrels", type=A_PATH, help="Relevance labels, if they were given to annotate.")
@click.option(
    "--rules", type=click.Choice(get_args(Preset)),
    help="How it counts: as the run file says; auto-argue for Auto-ARGUE's judgments.",
)  # fmt: skip
@click.option("--validate", is_flag=True, help="Refuse judgments that are doubtful in any way.")
def score(
    judged: Path,
    out: Path,
    nuggets: Path | None,
    requests: Path | None,
    qrels: Path | None,
    rules: Preset | None,
    validate: bool,
) -> None:
    """Count judged reports and write scores.tsv: a row a topic and metric, then topic "all".

    JUDGED is a run file of annotate, or a judgments file of Auto-ARGUE in either shape.

    Example: argue-bench score my.judgments.jsonl --nuggets nuggets/ --out my.scores.tsv
    """
    from argue_bench.loaders.nuggets import load_topics

    dataset = (
        None if nuggets is None else load_topics(nuggets, {}, requests, qrels, name=nuggets.stem)
    )
    write_rows(out, judged, dataset, rules, validate)


def write_rows(
    out: Path, judged: Path, dataset: Dataset | None, rules: Preset | None, validate: bool
) -> None:
    """Scores of a judged file, written; the averages are printed, a run a line."""
    from argue_bench.loaders.auto_argue_scores import ALL, write_scores

    averages: dict[str, dict[str, float]] = {}

    def seen(rows: Iterator[ScoreRow]) -> Iterator[ScoreRow]:
        for row in rows:
            values = averages.setdefault(row.run, {})
            if row.topic == ALL:
                values[row.metric] = row.value
            yield row

    made_by, rows = _rows(judged, dataset, rules, validate)
    write_scores(out, seen(rows))
    _show(averages)
    click.echo(click.style(made_by, dim=True))
    click.echo(f"scores: {out}", err=True)


def _rows(
    judged: Path, dataset: Dataset | None, rules: Preset | None, validate: bool
) -> tuple[str, Iterator[ScoreRow]]:
    """What the scores are made from, in words, and the rows."""
    from dataclasses import replace

    from argue_bench.eval import score_rows as rows
    from argue_bench.eval.rebuild import recount
    from argue_bench.eval.run import read_header
    from argue_bench.eval.signature import Signature
    from argue_bench.metrics.argue import Argue

    if not rows.is_run_file(judged):
        if dataset is None:
            raise click.UsageError("Auto-ARGUE's judgments are counted with --nuggets DIR")
        preset: Preset = rules or "auto-argue"
        counted = rows.from_judgments(judged, dataset, preset, validate)
        made_by = f"metric={Argue(rules=preset)} | data={dataset.title} | judge={judged.name}"
        return made_by, rows.score_rows(counted, preset)
    header = read_header(judged)
    text = rows.counted_metric(header, rules, judged)
    if text is not None:
        made = rows.argue_of(text)
        counted = rows.from_run_file(judged, text)
        made_by = str(Signature(header.signature[text]))
        return made_by, rows.score_rows(counted, made.rules, header.on_failure)
    if dataset is None:
        raise click.UsageError(f"counting under --rules {rules} needs --nuggets DIR")
    held = rows.counted_metric(header, None, judged)
    assert held is not None  # noqa: S101  (for the type checker)
    assert rules is not None  # noqa: S101  (for the type checker)
    metric = replace(rows.argue_of(held), rules=rules)
    made_by = str(Signature({**header.signature[held], "metric": str(metric)}))
    counted = recount(judged, dataset, held, metric)
    return made_by, rows.score_rows(counted, rules, header.on_failure)


def _show(averages: dict[str, dict[str, float]]) -> None:
    from argue_bench.cli.tables import aligned

    names = ("f1_macro", "nugget_coverage_macro", "sentence_support_macro")
    table = [("run", "f1", "coverage", "support")]
    for run, values in averages.items():
        cells = [f"{100 * values[name]:.1f}" if name in values else "-" for name in names]
        table.append((run, cells[0], cells[1], cells[2]))
    for line in aligned(table, right=(1, 2, 3)):
        click.echo(line)
