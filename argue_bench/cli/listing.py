"""``argue-bench list``: metrics, judges, label sets, data sets, baselines, formats, prompts."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, get_args, get_origin, get_type_hints

import click

from argue_bench.cli.commands import Group, option
from argue_bench.cli.options import PATH, format_option
from argue_bench.cli.tables import print_as
from argue_bench.table import Table

_WIDTH = 100


@click.group("list", cls=Group)
def list_() -> None:
    """List what can be named on the command line.

    Example: argue-bench list metrics
    """


@list_.command()
@format_option
def metrics(format: str) -> None:
    """List the metrics, their scores and options.

    Example: argue-bench list metrics
    """
    from argue_bench.metrics import METRICS

    rows: list[dict[str, Any]] = [
        {
            "name": name,
            "summary": metric.summary,
            "scores": list(metric.scores),
            "options": _options(metric),
            "requests": [kind.__name__ for kind in metric.requests],
            "paper": metric.paper,
        }
        for name, metric in METRICS.items()
    ]
    cells = [
        tuple(", ".join(v) if isinstance(v, list) else str(v) for v in row.values()) for row in rows
    ]
    if print_as(format, rows, Table(tuple(rows[0]), cells), indent=2):
        return
    for row in rows:
        click.echo(click.style(str(row["name"]), bold=True) + f"  {row['summary']}")
        for label in ("scores", "options", "requests"):
            if row[label]:
                click.echo(_wrapped(label, row[label]))
        if row["paper"]:
            click.echo(f"  paper     {row['paper']}")
    click.echo(
        "\nWrite a metric as NAME or NAME(option=value,...), such as accuracy(rules=fanoutqa)."
    )


@list_.command()
@format_option
def judges(format: str) -> None:
    """List the judges.

    Example: argue-bench list judges
    """
    from argue_bench.judges import list_judges

    _print({judge.spec: judge.summary for judge in list_judges().values()}, format)


@list_.command()
@format_option
def labels(format: str) -> None:
    """List the public sets of verdicts that people gave, and the kinds of request without one.

    Example: argue-bench list labels
    """
    from argue_bench.judges.label_sets import SHIPPED, label_sets
    from argue_bench.records import KINDS

    sets = label_sets() | SHIPPED
    data = {
        name: {
            "kind": one.kind,
            "about": one.about,
            "source": one.source,
            "commit": one.commit,
            "sha256": dict(one.files),
            "licence": one.licence,
            "access": "shipped" if name in SHIPPED else "on request" if one.gated else "public",
        }
        for name, one in sets.items()
    }
    _print(
        {
            name: f"{one.kind}: {one.about} ({one.source} at {one.commit[:8]}; licence: {one.licence})"
            for name, one in sets.items()
        },
        format,
        data,
    )
    if format == "text":
        without = [kind for kind in KINDS if kind not in {one.kind for one in sets.values()}]
        told = f"No public set is known of: {', '.join(without)}."
        click.echo("\n" + click.formatting.wrap_text(told, width=_WIDTH))


@list_.command()
@format_option
def datasets(format: str) -> None:
    """List the data sets that have a name.

    Example: argue-bench list datasets
    """
    from argue_bench.loaders import DATASETS

    rows = {n: {"summary": d.summary, "splits": d.splits} for n, d in DATASETS.items()}
    _print({n: f"{d.summary} ({', '.join(d.splits)})" for n, d in DATASETS.items()}, format, rows)
    if format == "text":
        click.echo("\nA folder of the core format can be named too.")


@list_.command()
@format_option
def baselines(format: str) -> None:
    """List the baseline systems that need no model.

    Example: argue-bench list baselines
    """
    from argue_bench.baselines import BASELINES

    _print({name: system.summary for name, system in BASELINES.items()}, format)


@list_.command()
@format_option
def formats(format: str) -> None:
    """List the formats of answers that are read.

    Example: argue-bench list formats
    """
    from argue_bench.loaders import FORMATS

    _print({name: known.summary for name, known in FORMATS.items()}, format)


@list_.command()
@option("--copy", "named", metavar="NAME")
@option("--to", type=PATH)
@format_option
def prompts(named: str | None, to: Path | None, format: str) -> None:
    """List the forms in which questions are put to models, or copy one.

    Example: argue-bench list prompts --copy report --to my-report
    """
    from argue_bench.baselines.forms import copy_form, shipped_forms

    if bool(named) != bool(to):
        raise click.UsageError("--copy NAME and --to FOLDER go together")
    if named and to:
        copy_form(named, to)
        click.echo(f"{to}: change it, then use it: --prompt {to}", err=True)
        return
    _print({one.name: one.summary for one in shipped_forms().values()}, format)


def _print(summaries: Mapping[str, str], format: str, data: Any = None) -> None:
    table = Table(("name", "summary"), list(summaries.items()))
    if print_as(format, summaries if data is None else data, table, indent=2):
        return
    from textwrap import wrap

    width = max(map(len, summaries))
    for name, summary in summaries.items():
        lines = wrap(summary, _WIDTH - width - 2, break_long_words=False)
        click.echo(f"{click.style(name.ljust(width), bold=True)}  {lines[0]}")
        for line in lines[1:]:
            click.echo(" " * (width + 2) + line)


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
        ", ".join(words), width=96, initial_indent=f"  {label:<9} ", subsequent_indent=" " * 12
    )
