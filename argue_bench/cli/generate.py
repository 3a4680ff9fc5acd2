"""``generate``, ``systems`` and ``retrieve``: what a participant makes."""

from __future__ import annotations

import json
from pathlib import Path

import click

from argue_bench.cli.evaluate import DATA_HELP


@click.command()
@click.option("--on", default="core", show_default=True, help="Data set: a name or a folder.")
@click.option("--data", type=click.Path(path_type=Path), help=DATA_HELP)
@click.option("--split", default="", help="Split of the data set, its first one by default.")
@click.option(
    "--setting", type=click.Choice(["closedbook", "openbook", "evidenceprovided"]),
    default="openbook", show_default=True, help="What the system may look at.",
)  # fmt: skip
@click.option("--system", required=True, help="See: argue-bench systems")
@click.option("--out", type=click.Path(path_type=Path), required=True, help="Where to write.")
def generate(on: str, data: Path | None, split: str, setting: str, system: str, out: Path) -> None:
    """Write a submission file with a system's answers.

    Example: argue-bench generate --on core --system bm25-extractive --out answers.jsonl
    """
    from argue_bench.cli.progress import Progress
    from argue_bench.loaders import load
    from argue_bench.records.written import whole_file
    from argue_bench.systems import generate as answers

    dataset = load(on, split, data)
    with whole_file(out) as file, Progress("answering", len(dataset)) as step:
        for done, line in enumerate(answers(system, dataset, setting), 1):  # type: ignore[arg-type]
            file.write(json.dumps(line, ensure_ascii=False) + "\n")
            step(done)
    click.echo(f"{out}: {len(dataset)} answers of {system}, {setting}.", err=True)


@click.command()
def systems() -> None:
    """List the systems that need no model.

    Example: argue-bench systems
    """
    from argue_bench.cli.tables import aligned
    from argue_bench.systems import SYSTEMS

    for line in aligned([(name, known.summary) for name, known in SYSTEMS.items()]):
        click.echo(line)


@click.command()
@click.option("--on", default="core", show_default=True, help="Data set: a name or a folder.")
@click.option("--data", type=click.Path(path_type=Path), help=DATA_HELP)
@click.option("--split", default="", help="Split of the data set, its first one by default.")
@click.option("--top", default=5, show_default=True, help="Passages a question.")
@click.option("--doc-len", default=2048, show_default=True, help="Characters a passage, at most.")
@click.option(
    "--engine", type=click.Choice(["fast", "plain"]), default="fast", show_default=True,
    help="bm25s or rank-bm25; the order is the same.",
)  # fmt: skip
@click.option("--out", type=click.Path(path_type=Path), help="Passages as JSON Lines.")
@click.option("--run", "run", type=click.Path(path_type=Path), help="Documents as a TREC run.")
def retrieve(
    on: str, data: Path | None, split: str, top: int, doc_len: int, engine: str,
    out: Path | None, run: Path | None,
) -> None:  # fmt: skip
    """Retrieve passages for every question by BM25+.

    Without --out and --run the passages are printed.

    Example: argue-bench retrieve --on core --split sample --top 3
    """
    from contextlib import ExitStack

    from argue_bench.cli.progress import Progress
    from argue_bench.errors import UsageError
    from argue_bench.loaders import load
    from argue_bench.records.written import whole_file
    from argue_bench.retrieval import Corpus
    from argue_bench.systems.library import wanted

    dataset = load(on, split, data)
    if not dataset.documents:
        raise UsageError(f"{dataset.name} comes without documents: there is nothing to search")
    if top < 1 or doc_len < 1:
        raise UsageError("--top and --doc-len are at least 1")
    corpus = Corpus(dataset.documents.values(), doc_len, engine)  # type: ignore[arg-type]
    with ExitStack() as stack:
        lines = stack.enter_context(whole_file(out)) if out else None
        ranks = stack.enter_context(whole_file(run)) if run else None
        step = stack.enter_context(Progress("retrieving", len(dataset)))
        for done, question in enumerate(dataset, 1):
            found = list(corpus.best(wanted(question), top))
            row = {
                "id": question.id,
                "passages": [
                    {
                        "document": passage.document, "title": passage.title,
                        "content": passage.content, "start": passage.start,
                        "score": round(passage.score, 6),
                    }
                    for passage in found
                ],
            }  # fmt: skip
            if lines:
                lines.write(json.dumps(row, ensure_ascii=False) + "\n")
            if ranks:
                best = {p.document: p.score for p in reversed(found)}
                documents = sorted(best, key=lambda id: -best[id])
                for rank, id in enumerate(documents, 1):
                    ranks.write(f"{question.id} Q0 {id} {rank} {best[id]:.6f} argue-bench-bm25\n")
            if not lines and not ranks:
                click.echo(json.dumps(row, ensure_ascii=False))
            step(done)
