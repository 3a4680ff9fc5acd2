"""``argue-bench retrieve``: passages for every question, and measures of the ranking."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from argue_bench.cli.commands import command, option
from argue_bench.cli.options import PATH, DatasetOptions, dataset_options, format_option
from argue_bench.cli.progress import progress
from argue_bench.cli.tables import print_as, show_table
from argue_bench.errors import NoGold, UsageError
from argue_bench.records.table import Table

if TYPE_CHECKING:
    from argue_bench.loaders.dataset import Dataset


@command()
@dataset_options()
@option(
    "--top",
    type=click.IntRange(1),
    default=5,
    group="Ranking",
    help="Number of passages for each question.",
)
@option("--out", type=PATH, group="Output", help="Passages as JSON Lines.")
@option("--run", type=PATH, group="Output", help="Documents as a TREC run.")
@option("--qrels", type=PATH, group="Output", help="The gold documents as TREC qrels.")
@option(
    "--measure", is_flag=True, group="Output", help="Print recall, MRR and nDCG against the gold."
)
@format_option
def retrieve(
    chosen: DatasetOptions,
    top: int,
    out: Path | None,
    run: Path | None,
    qrels: Path | None,
    measure: bool,
    format: str,
) -> None:
    """Retrieve passages for every question by BM25+, and measure the ranking.

    Without --out, --run, --qrels and --measure the passages are printed as JSON Lines.

    Example: argue-bench retrieve --dataset core --split sample --top 100 --measure
    """
    from contextlib import ExitStack

    from argue_bench import retrieval
    from argue_bench.baselines import search_query
    from argue_bench.loaders.banks import write_qrels
    from argue_bench.records.atomic import atomic_write

    dataset = chosen.load()
    if not dataset.documents:
        raise UsageError(f"{dataset.name} comes without documents: there is nothing to search")

    corpus = retrieval.Corpus(dataset.documents.values())
    ranked: dict[str, dict[str, float]] = {}
    with ExitStack() as stack:
        lines = stack.enter_context(atomic_write(out)) if out else None
        step = stack.enter_context(progress("retrieving", len(dataset)))
        for done, question in enumerate(dataset, 1):
            found = list(corpus.best(search_query(question), top))
            ranked[question.id] = retrieval.document_scores(found)
            passages = [{**asdict(one), "score": round(one.score, 6)} for one in found]
            row = {"id": question.id, "passages": passages}
            if lines:
                lines.write(json.dumps(row, ensure_ascii=False) + "\n")
            elif not (run or qrels or measure):
                click.echo(json.dumps(row, ensure_ascii=False))
            step(done)
    click.echo(f"retriever: {corpus.signature}", err=True)
    if run:
        retrieval.write_trec_run(run, ranked, "argue-bench-bm25")
    if qrels:
        grades = retrieval.qrels_of(dataset).items()
        write_qrels(qrels, ((topic, *pair) for topic, one in grades for pair in one.items()))
    if measure:
        _show(dataset, ranked, top, format)


def _show(dataset: Dataset, ranked: dict[str, dict[str, float]], top: int, format: str) -> None:
    """Prints the measures that ``top`` passages a question allow, and names those that need more."""
    from argue_bench.retrieval import measure, qrels_of

    qrels = qrels_of(dataset)
    if not qrels:
        why = "its gold is sealed" if dataset.sealed else "its gold names no supporting document"
        raise NoGold(f"{dataset.title}: {why}, so retrieval can't be measured on it")
    rows, plain, unseen = [], {}, []
    for name, values in measure(ranked, qrels).items():
        if int(name.partition("@")[2] or 0) > top:
            unseen.append(name)
            continue
        mean = sum(values.values()) / len(values)
        rows.append((name, f"{100 * mean:.1f}", str(len(values))))
        plain[name] = {"value": mean, "n": len(values)}
    table = Table(("measure", "value", "n"), rows, right=(1, 2))
    if not print_as(format, plain, table):
        show_table(table)
    if unseen:
        click.echo(f"not measured at --top {top}: {', '.join(unseen)}", err=True)
    if left := len(dataset) - len(qrels):
        click.echo(f"{left} questions have no document that supports an answer", err=True)
