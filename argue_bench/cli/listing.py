"""``metrics``, ``judges``, ``datasets``, ``formats``: what there is."""

from __future__ import annotations

import dataclasses
import json
import textwrap
from typing import Any, Literal, get_args, get_origin, get_type_hints

import click

_WIDTH = 100


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def metrics(as_json: bool) -> None:
    """List the metrics, their scores and options.

    Example: argue-bench metrics
    """
    from argue_bench.metrics import METRICS

    rows = [
        {
            "name": name,
            "summary": metric.summary,
            "scores": list(metric.scores),
            "options": _options(metric),
            "asks": [kind.__name__ for kind in metric.requests],
            "paper": metric.paper,
        }
        for name, metric in METRICS.items()
    ]
    if as_json:
        click.echo(json.dumps(rows, indent=2))
        return
    for row in rows:
        click.echo(click.style(str(row["name"]), bold=True) + f"  {row['summary']}")
        for label in ("scores", "options", "asks"):
            if row[label]:
                click.echo(_wrapped(label, row[label]))
        if row["paper"]:
            click.echo(f"  paper    {row['paper']}")
    click.echo(
        "\nWrite a metric as NAME or NAME(option=value,...), such as accuracy(rules=fanoutqa)."
    )


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def judges(as_json: bool) -> None:
    """List the judges.

    Example: argue-bench judges
    """
    from argue_bench.judges import JUDGES

    if as_json:
        click.echo(json.dumps({j.spec: j.summary for j in JUDGES.values()}, indent=2))
        return
    _table([(judge.spec, judge.summary) for judge in JUDGES.values()])


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def datasets(as_json: bool) -> None:
    """List the data sets that have a name.

    Example: argue-bench datasets
    """
    from argue_bench.loaders import DATASETS

    if as_json:
        rows = {n: {"summary": d.summary, "splits": d.splits} for n, d in DATASETS.items()}
        click.echo(json.dumps(rows, indent=2))
        return
    _table([(n, f"{d.summary} ({', '.join(d.splits)})") for n, d in DATASETS.items()])
    click.echo("\nAny folder of the core format can stand in place of a name.")


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def formats(as_json: bool) -> None:
    """List the formats of answers that are read.

    Example: argue-bench formats
    """
    from argue_bench.loaders import FORMATS

    if as_json:
        click.echo(json.dumps({n: f.summary for n, f in FORMATS.items()}, indent=2))
        return
    _table([(name, known.summary) for name, known in FORMATS.items()])


def _options(metric: Any) -> list[str]:
    hints = get_type_hints(metric)
    return [
        f"{field.name}={_choices(hints[field.name], field.default)}"
        for field in dataclasses.fields(metric)
    ]


def _choices(hint: Any, default: Any) -> str:
    if get_origin(hint) is Literal:
        return "|".join(get_args(hint))
    if hint is bool:
        return "true|false"
    if default in ("", None, dataclasses.MISSING):
        return "NAME" if hint is str else hint.__name__
    return str(default)


def _wrapped(label: str, words: Any) -> str:
    return click.formatting.wrap_text(
        ", ".join(words), width=96, initial_indent=f"  {label:<8} ", subsequent_indent=" " * 11
    )


def _table(rows: list[tuple[str, str]]) -> None:
    width = max(len(first) for first, _ in rows)
    for first, second in rows:
        lines = textwrap.wrap(second, _WIDTH - width - 2, break_long_words=False)
        click.echo(f"{click.style(first.ljust(width), bold=True)}  {lines[0]}")
        for line in lines[1:]:
            click.echo(" " * (width + 2) + line)
