"""``argue-bench data check``: describes rows or a data set, and lists the metrics that can be
computed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

import click

from argue_bench.cli.commands import command, option
from argue_bench.cli.options import PATH
from argue_bench.cli.tables import show_findings

if TYPE_CHECKING:
    from argue_bench.errors import Finding
    from argue_bench.loaders.dataset import Dataset
    from argue_bench.records import Answer


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
    n = len(dataset)
    gold = [question.gold for question in dataset if question.gold is not None]
    listed = [len(question.documents) for question in dataset]
    yield "questions", f"{n:,}, the median has {_middle(len(q.text) for q in dataset)} characters"
    yield (
        "contexts",
        f"{len(dataset.documents):,} documents; {sum(map(bool, listed)):,} of {n:,} questions list "
        f"some, the median {_middle(listed)}",
    )
    with_answer = sum(one.answer is not None or bool(one.short_answers) for one in gold)
    with_nuggets = sum(bool(one.nuggets) for one in gold)
    closed = sum(not one.answerable for one in gold)
    if not gold:
        yield "gold", "none: the set is sealed"
    else:
        yield (
            "gold",
            f"{with_answer:,} with an answer, {with_nuggets:,} with nuggets, {closed:,} unanswerable",
        )
    if answers:
        yield from _answer_facts(answers)
    can, cannot = _measures(dataset, answers, with_answer, with_nuggets)
    yield "measurable", ", ".join(can) or "nothing yet"
    for name, why in cannot.items():
        yield "not", f"{name}: {why}"


def _answer_facts(answers: Mapping[str, Answer]) -> Iterator[tuple[str, str]]:
    from argue_bench.judges.lexical.rules import refuses
    from argue_bench.records import Refuses

    texts = list(answers.values())
    cited = sum(any(sentence.citations for sentence in one.sentences) for one in texts)
    empty = sum(one.empty for one in texts)
    refused = sum(refuses(Refuses("", one.plain)).yes for one in texts)
    sentences = _middle(len(one.sentences) for one in texts)
    yield (
        "answers",
        f"{len(texts):,}, {empty:,} empty; the median has {sentences} sentence{'s' * (sentences != 1)} and "
        f"{_middle(len(one.text) for one in texts)} characters",
    )
    yield "citations", f"{cited:,} of {len(texts):,} answers cite"
    yield "refusals", f"{refused:,} of {len(texts):,} answers decline"


def _middle(numbers: Iterator[int] | list[int]) -> int:
    found = list(numbers)
    return round(median(found)) if found else 0


def _measures(
    dataset: Dataset, answers: Mapping[str, Answer], with_answer: int, with_nuggets: int
) -> tuple[list[str], dict[str, str]]:
    """The metrics that can be computed, and for the others what they lack."""
    from argue_bench.metrics.citations.statement import reference_sentences

    can: list[str] = []
    cannot: dict[str, str] = {}
    contexts = bool(dataset.documents)
    cites = not answers or any(s.citations for one in answers.values() for s in one.sentences)
    reference = any(map(reference_sentences, dataset))
    no_contexts = "no contexts; name their column: --columns contexts=NAME"
    lacking = "no reference answer is a text" if with_answer else "no reference answers"
    no_reference = lacking if contexts else no_contexts
    no_citation = "no answer cites" if contexts else "no documents to cite"
    for names, possible, why in (
        ("faithfulness, context_relevance", contexts, no_contexts),
        ("answer_relevance", bool(answers), "no answers"),
        ("context_precision, context_recall", contexts and reference, no_reference),
        ("support, citations", contexts and cites, no_citation),
        ("argue", bool(with_nuggets) and cites, no_citation if with_nuggets else "no nuggets"),
        ("accuracy", bool(with_answer), "no reference answers"),
    ):
        if possible:
            can.append(names)
        else:
            cannot[names] = why
    return can, cannot
