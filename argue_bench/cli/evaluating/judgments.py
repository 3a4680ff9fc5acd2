"""``argue-bench score``: scores from stored judgments; nobody is asked."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, get_args

import click

from argue_bench.metrics.argue.rules import Preset

if TYPE_CHECKING:
    from argue_bench.eval.score_rows import Judged
    from argue_bench.loaders.auto_argue_scores import ScoreRow
    from argue_bench.loaders.dataset import Dataset
    from argue_bench.records import Document

A_PATH = click.Path(path_type=Path)
T = TypeVar("T", bound=Callable[..., Any])


def topics_options(command: T) -> T:
    """The options that say which topics: nuggets with what belongs to them, or a data set."""
    for option in (
        click.option("--data", type=A_PATH, help="A local copy of the data set of --on."),
        click.option("--split", default="", help="Split of the data set, its first by default."),
        click.option("--on", help="Instead of --nuggets: a data set by name or folder."),
        click.option("--qrels", type=A_PATH, help="Relevance labels, TOPIC 0 DOC REL."),
        click.option("--requests", type=A_PATH, help="Report requests, one JSON object a line."),
        click.option("--nuggets", type=A_PATH, help="A nugget file or a folder of them."),
    ):
        command = option(command)
    return command


def dataset_of(
    nuggets: Path | None,
    requests: Path | None,
    qrels: Path | None,
    on: str | None,
    split: str,
    data: Path | None,
    documents: Mapping[str, Document] | None = None,
) -> Dataset | None:
    """The topics that the options name; None where they name none."""
    from argue_bench.loaders import load
    from argue_bench.loaders.nuggets import load_topics

    if nuggets is not None and on is not None:
        raise click.UsageError("--nuggets and --on exclude each other")
    if on is None and (split or data is not None):
        raise click.UsageError("--split and --data go with --on")
    if nuggets is None and (requests is not None or qrels is not None):
        raise click.UsageError("--requests and --qrels go with --nuggets")
    if on is not None:
        return load(on, split, data)
    if nuggets is None:
        return None
    return load_topics(
        nuggets, documents, requests, qrels, name=nuggets.absolute().name.removesuffix(".v3.json")
    )


@click.command()
@click.argument("judged", type=A_PATH)
@click.option("--out", required=True, type=A_PATH, help="The scores.tsv to write.")
@topics_options
@click.option(
    "--rules",
    type=click.Choice(get_args(Preset)),
    help="How it counts: as the run file says; auto-argue for Auto-ARGUE's judgments.",
)
@click.option("--validate", is_flag=True, help="Refuse judgments that are doubtful in any way.")
def score(
    judged: Path,
    out: Path,
    rules: Preset | None,
    validate: bool,
    **topics: Any,
) -> None:
    """Count judged reports and write scores.tsv; nobody is asked.

    The file has a row for each topic and metric, then those of the topic "all".

    JUDGED is a run file of annotate, or a judgments file of Auto-ARGUE in either shape; this and
    other rules than the run file's need the nuggets.

    Example: argue-bench score my.judgments.jsonl --nuggets nuggets/ --out my.scores.tsv
    """
    write_rows(out, judged, dataset_of(**topics), rules, validate)


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
            raise click.UsageError(
                f"{judged} is no run file of annotate; to count it as Auto-ARGUE's judgments, "
                "name the nuggets: --nuggets PATH (or --on NAME)"
            )
        preset: Preset = rules or "auto-argue"
        counted = rows.from_judgments(judged, dataset, preset, validate)
        made_by = f"metric={Argue(rules=preset)} | data={dataset.title} | judge={judged.name}"
        return made_by, rows.score_rows(counted, preset)
    header = read_header(judged)
    text = rows.counted_metric(header, rules, judged)
    if text is not None:
        made = rows.argue_of(text)
        counted = _named(rows.from_run_file(judged, text), judged)
        made_by = str(Signature(header.signature[text]))
        return made_by, rows.score_rows(
            counted, made.rules, header.on_failure, header.most_left_out
        )
    if dataset is None:
        raise click.UsageError(f"counting under --rules {rules} needs --nuggets or --on")
    held = rows.counted_metric(header, None, judged)
    assert held is not None  # noqa: S101  (for the type checker)
    assert rules is not None  # noqa: S101  (for the type checker)
    metric = replace(rows.argue_of(held), rules=rules)
    made_by = str(Signature({**header.signature[held], "metric": str(metric)}))
    counted = _named(recount(judged, dataset, held, metric), judged)
    return made_by, rows.score_rows(counted, rules, header.on_failure, header.most_left_out)


def _named(counted: Iterator[Judged], file: Path) -> Iterator[Judged]:
    """Answers that came without a run, as those of `evaluate`, are called by the run file's name."""
    name = file.name.removesuffix(".jsonl").removesuffix(".run")
    for run, topic, tallies in counted:
        yield run or name, topic, tallies


def _show(averages: dict[str, dict[str, float]]) -> None:
    from argue_bench.table import aligned

    names = ("f1_macro", "nugget_coverage_macro", "sentence_support_macro")
    table = [("run", "f1", "coverage", "support")]
    for run, values in averages.items():
        cells = [f"{100 * values[name]:.1f}" if name in values else "-" for name in names]
        table.append((run, cells[0], cells[1], cells[2]))
    for line in aligned(table, right=(1, 2, 3)):
        click.echo(line)
