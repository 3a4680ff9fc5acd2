"""``retrieve``: passages for every question, and how good the ranking is."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from argue_bench.cli.evaluating.answers import DATA_HELP

if TYPE_CHECKING:
    from argue_bench.loaders.dataset import Dataset


@click.command()
@click.option("--on", default="core", show_default=True, help="Data set: a name or a folder.")
@click.option("--data", type=click.Path(path_type=Path), help=DATA_HELP)
@click.option("--split", default="", help="Split of the data set. [default: its first]")
@click.option("--top", default=5, show_default=True, help="Passages a question.")
@click.option("--doc-len", default=2048, show_default=True, help="Characters a passage, at most.")
@click.option(
    "--engine",
    type=click.Choice(["fast", "plain"]),
    default="fast",
    show_default=True,
    help="bm25s or rank-bm25; the order is the same.",
)
@click.option("--index", type=click.Path(path_type=Path), help="A folder to keep the index in.")
@click.option("--out", type=click.Path(path_type=Path), help="Passages as JSON Lines.")
@click.option("--run", "run", type=click.Path(path_type=Path), help="Documents as a TREC run.")
@click.option("--qrels", type=click.Path(path_type=Path), help="What the gold says, as TREC qrels.")
@click.option("--measure", is_flag=True, help="Print recall, MRR and nDCG against the gold.")
def retrieve(
    on: str,
    data: Path | None,
    split: str,
    top: int,
    doc_len: int,
    engine: str,
    index: Path | None,
    out: Path | None,
    run: Path | None,
    qrels: Path | None,
    measure: bool,
) -> None:
    """Retrieve passages for every question by BM25+, and measure the ranking.

    Without --out, --run, --qrels and --measure the passages are printed.

    Example: argue-bench retrieve --on core --split sample --top 100 --measure
    """
    from contextlib import ExitStack

    from argue_bench.baselines.document_access import search_query
    from argue_bench.cli.progress import Progress
    from argue_bench.errors import UsageError
    from argue_bench.loaders import load
    from argue_bench.records.atomic import atomic_write
    from argue_bench.retrieval import Corpus
    from argue_bench.retrieval import measures as measuring
    from argue_bench.retrieval.index import load_or_build

    dataset = load(on, split, data)
    if not dataset.documents:
        raise UsageError(f"{dataset.name} comes without documents: there is nothing to search")
    if top < 1 or doc_len < 1:
        raise UsageError("--top and --doc-len are at least 1")

    def made() -> Corpus:
        return Corpus(dataset.documents.values(), doc_len, engine)  # type: ignore[arg-type]

    corpus = (
        load_or_build(made, index, f"{dataset.title}, passages of {doc_len}") if index else made()
    )
    ranked: dict[str, dict[str, float]] = {}
    with ExitStack() as stack:
        lines = stack.enter_context(atomic_write(out)) if out else None
        step = stack.enter_context(Progress("retrieving", len(dataset)))
        for done, question in enumerate(dataset, 1):
            found = list(corpus.best(search_query(question), top))
            ranked[question.id] = measuring.documents_of(found)
            row = {
                "id": question.id,
                "passages": [
                    {
                        "document": passage.document,
                        "title": passage.title,
                        "content": passage.content,
                        "start": passage.start,
                        "score": round(passage.score, 6),
                    }
                    for passage in found
                ],
            }
            if lines:
                lines.write(json.dumps(row, ensure_ascii=False) + "\n")
            elif not (run or qrels or measure):
                click.echo(json.dumps(row, ensure_ascii=False))
            step(done)
    if run:
        measuring.write_run(run, ranked, "argue-bench-bm25")
    if qrels:
        measuring.write_qrels(qrels, measuring.qrels_of(dataset))
    if measure:
        _show(dataset, ranked, top)


def _show(dataset: Dataset, ranked: dict[str, dict[str, float]], top: int) -> None:
    """The measures that ``top`` passages a question can tell; those of longer rankings are named."""
    from argue_bench.errors import NoGold
    from argue_bench.retrieval.measures import measure, qrels_of
    from argue_bench.table import aligned

    qrels = qrels_of(dataset)
    if not qrels:
        why = "its gold is sealed" if dataset.sealed else "its gold names no supporting document"
        raise NoGold(f"{dataset.title}: {why}, so retrieval can't be measured on it")
    rows = [("measure", "value", "n")]
    unseen = []
    for name, values in measure(ranked, qrels).items():
        if int(name.partition("@")[2] or 0) > top:
            unseen.append(name)
            continue
        rows.append((name, f"{100 * sum(values.values()) / len(values):.1f}", str(len(values))))
    for line in aligned(rows, right=(1, 2)):
        click.echo(line)
    if unseen:
        click.echo(f"not measured at --top {top}: {', '.join(unseen)}", err=True)
    if left := len(dataset) - len(qrels):
        click.echo(f"{left} questions have no document that supports an answer", err=True)
