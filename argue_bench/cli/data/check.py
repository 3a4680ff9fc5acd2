"""``argue-bench data check``: describes rows or a data set, and lists the metrics that can be
computed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

from argue_bench.cli.commands import command, option
from argue_bench.cli.options import PATH
from argue_bench.cli.tables import show_findings
from argue_bench.errors import Code, DataError
from argue_bench.records import Answer, Refuses
from argue_bench.records.atomic import write_text

if TYPE_CHECKING:
    from argue_bench.errors import Finding
    from argue_bench.loaders.dataset import Dataset

# ``argue-bench init``: a folder with example rows and a configuration, to start from.

_ROWS = """\
{"question": "How long is the Corrigard Bridge?", "contexts": ["The Corrigard Bridge is 412.5 m long. It reopened on 1 March 2022."], "answer": "The Corrigard Bridge is 412.5 m long. It was painted red in 1990."}
{"question": "When did the Corrigard Bridge reopen?", "contexts": ["The Corrigard Bridge is 412.5 m long. It reopened on 1 March 2022."], "answer": "It reopened on 1 March 2022."}
{"question": "Who designed the Corrigard Bridge?", "contexts": ["The Corrigard Bridge is 412.5 m long. It reopened on 1 March 2022."], "answer": "The documents do not say who designed the Corrigard Bridge."}
"""
_CONFIG = """\
# Defaults, by command. `argue-bench evaluate --help-all` lists the options.
[evaluate]
answers = "rows.jsonl"
metric = ["faithfulness"]
show = 10
"""
_README = """\
# Which sentences do the contexts not support?

    argue-bench evaluate
    argue-bench evaluate --out run
    argue-bench view run

rows.jsonl has a question, its contexts and an answer a line: put your own rows there (docs/rows.md lists
the column names that are known). argue-bench.toml sets defaults; `--judge` names a language model.
"""


@command("init")
@click.argument("folder", metavar="[FOLDER]", type=PATH, default=Path("argue"))
def data_init(folder: Path) -> None:
    """Write a folder with example rows, a configuration and a README.

    Example: argue-bench init my-rag
    """

    if folder.exists() and any(folder.iterdir() if folder.is_dir() else [folder]):
        raise DataError.of(
            Code.NOT_WRITTEN, "there are files here already", folder, hint="Name a new folder."
        )
    for name, text in (
        ("rows.jsonl", _ROWS),
        ("argue-bench.toml", _CONFIG),
        ("README.md", _README),
    ):
        write_text(folder / name, text)
    click.echo(f"{folder}: now run: cd {folder} && argue-bench evaluate")


@command("check")
@click.argument("source", metavar="FOLDER|ROWS", type=PATH)
@option(
    "--columns", multiple=True, metavar="ROLE=NAME", help="Name a column of rows; may be repeated."
)
def data_check(source: Path, columns: tuple[str, ...]) -> None:
    """Say in ten lines what rows or a data set hold. Exits 1 where something cannot be read.

    Example: argue-bench data check rows.jsonl
    """
    dataset, answers, findings = _read(source, columns)
    for name, text in _facts(dataset, answers):
        click.echo(f"{name + ':':<18}{text}")
    show_findings(findings, 20, err=False)
    if any(finding.level == "error" for finding in findings):
        raise SystemExit(1)


def _read(
    source: Path, columns: tuple[str, ...]
) -> tuple[Dataset, Mapping[str, Answer], tuple[Finding, ...]]:
    from argue_bench.loaders import load
    from argue_bench.loaders.rows import read_rows
    from argue_bench.loaders.rows.columns import parse_columns

    if any(path.name.startswith(("set.json", "questions.jsonl")) for path in source.glob("*")):
        return load(source), {}, ()
    rows = read_rows(source, parse_columns(columns))
    read = ", ".join(f"{role} <- {name}" for role, name in rows.columns.items())
    click.echo(f"{'columns:':<18}{read}")
    return rows.dataset, rows.answers, rows.findings


def _facts(dataset: Dataset, answers: Mapping[str, Answer]) -> Iterator[tuple[str, str]]:
    """Pairs of a heading and the facts below it."""
    from argue_bench.loaders.answers import misread_ids

    n, listed = len(dataset), sum(bool(question.documents) for question in dataset)
    yield "questions", f"{n:,}"
    yield (
        "contexts",
        f"{len(dataset.documents):,} documents; {listed:,} of {n:,} questions list some",
    )
    if misread := misread_ids(dataset):
        yield "ids", misread
    gold = [question.gold for question in dataset if question.gold is not None]
    with_answer = sum(one.answer is not None or bool(one.short_answers) for one in gold)
    with_nuggets = sum(bool(one.nuggets) for one in gold)
    closed = sum(not one.answerable for one in gold)
    counts = (
        f"{with_answer:,} with an answer, {with_nuggets:,} with nuggets, {closed:,} unanswerable"
    )
    yield "gold", counts if gold else "none: the set is sealed"
    if answers:
        from argue_bench.judges.lexical.rules import refuses

        texts, many = answers.values(), len(answers)
        cited = sum(any(sentence.citations for sentence in one.sentences) for one in texts)
        refused = sum(refuses(Refuses("", one.plain)).yes for one in texts)
        yield "answers", f"{many:,}, {sum(one.empty for one in texts):,} empty"
        yield "citations", f"{cited:,} of {many:,} answers cite"
        yield "refusals", f"{refused:,} of {many:,} answers decline"
    can, cannot = _measures(dataset, answers, bool(with_answer), bool(with_nuggets))
    yield "measurable", ", ".join(can) or "nothing yet"
    for name, why in cannot.items():
        yield "not", f"{name}: {why}"


def _measures(
    dataset: Dataset, answers: Mapping[str, Answer], with_answer: bool, with_nuggets: bool
) -> tuple[list[str], dict[str, str]]:
    """The metrics that can be computed, and for the others what they lack."""
    from argue_bench.metrics.citations.support import reference_sentences

    contexts = bool(dataset.documents)
    cites = not answers or any(s.citations for one in answers.values() for s in one.sentences)
    no_contexts = "" if contexts else "no contexts; name their column: --columns contexts=NAME"
    no_citation = "" if contexts and cites else "no answer cites" if contexts else no_contexts
    no_answer = "" if with_answer else "no reference answers"
    no_text = "" if any(map(reference_sentences, dataset)) else "no reference answer is a text"
    lacking = {
        "faithfulness, context_relevance": no_contexts,
        "answer_relevance": "" if answers else "no answers",
        "context_precision, context_recall": no_contexts or no_answer or no_text,
        "support, citations": no_citation,
        "argue": no_citation if with_nuggets else "no nuggets",
        "accuracy": no_answer,
    }
    can = [names for names, why in lacking.items() if not why]
    return can, {names: why for names, why in lacking.items() if why}
