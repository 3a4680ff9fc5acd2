"""``argue-bench list`` and ``explain``: what can be named on the command line, and what codes mean."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, Literal, get_args, get_origin, get_type_hints

import click

from argue_bench import satellites
from argue_bench.cli.commands import command, option
from argue_bench.cli.options import format_option
from argue_bench.cli.tables import bold, print_as
from argue_bench.errors import Code, UnknownName
from argue_bench.records.table import Table

# As wide as click's help (max_content_width of the main command).
_WIDTH = 100


@dataclasses.dataclass(frozen=True)
class Listing:
    """Names with one sentence each; ``data`` is what JSON shows instead, ``note`` a last line of text."""

    summaries: Mapping[str, str]
    data: Any = None
    note: str = ""


def _metrics() -> Listing:
    from argue_bench.metrics import METRICS, definitions

    rows, summaries = [], {}
    every = [(text, kind) for name in METRICS for text, kind in definitions(name).items()]
    for name, metric in every:
        row = {
            "name": name,
            "summary": metric.summary,
            "scores": list(metric.scores),
            "options": _options(metric),
            "requests": [kind.__name__ for kind in metric.requests],
            "paper": metric.paper,
        }
        rows.append(row)
        parts = [metric.summary]
        for label in ("scores", "options", "requests"):
            parts += [f"{label}: {', '.join(row[label])}"] * bool(row[label])
        summaries[name] = "\n".join([*parts, *([f"paper: {metric.paper}"] * bool(metric.paper))])
    note = "Write a metric as NAME or NAME(option=value,...), such as accuracy(rules=fanoutqa)."
    return Listing(summaries, rows, note)


def _datasets() -> Listing:
    from argue_bench.loaders import DATASETS

    return Listing(
        {name: f"{one.summary} ({', '.join(one.splits)})" for name, one in DATASETS.items()},
        {name: {"summary": one.summary, "splits": one.splits} for name, one in DATASETS.items()},
        "A folder of the core format can be named too.",
    )


def _summaries(place: str) -> Listing:
    """The summary of each thing in the dictionary, or the function that makes one, at ``place``."""
    found = satellites.import_text(place)
    known = found() if callable(found) else found
    return Listing({getattr(one, "spec", name): one.summary for name, one in known.items()})


LISTS: Mapping[str, Callable[[], Listing]] = {
    "metrics": _metrics,
    "judges": partial(_summaries, "judges:list_judges"),
    "datasets": _datasets,
    "baselines": partial(_summaries, "baselines:BASELINES"),
    "formats": partial(_summaries, "loaders:FORMATS"),
    "prompts": partial(_summaries, "baselines.forms:shipped_forms"),
}


@command("list")
@click.argument("what", metavar="WHAT", type=click.Choice([*LISTS, *satellites.LISTS]))
@option("--copy", metavar="NAME", help="Copy this form of prompts to my-NAME, to change it.")
@format_option
def list_(what: str, copy: str | None, format: str) -> None:
    """List what can be named on the command line.

    WHAT is metrics, judges, datasets, baselines, formats, prompts (in which questions are put to models),
    or labels (public sets of verdicts that people gave).

    Example: argue-bench list metrics

    Example: argue-bench list prompts --copy report
    """
    from argue_bench.baselines.forms import copy_form

    if copy:
        if what != "prompts":
            raise click.UsageError("--copy goes with: list prompts")
        to = Path(f"my-{copy}")
        copy_form(copy, to)
        click.echo(f"{to}: change it, then use it: --prompt {to}", err=True)
        return
    make = LISTS.get(what) or satellites.import_text(satellites.LISTS[what])
    _print(make(), format)


def _print(made: Listing, format: str) -> None:
    from textwrap import wrap

    rows = [(name, text.replace("\n", "; ")) for name, text in made.summaries.items()]
    table = Table(("name", "summary"), rows)
    if print_as(format, made.summaries if made.data is None else made.data, table, indent=2):
        return
    width = max(map(len, made.summaries))
    for name, summary in made.summaries.items():
        head = bold(name.ljust(width))
        for part in summary.split("\n"):
            for line in wrap(part, _WIDTH - width - 2, break_long_words=False):
                click.echo(f"{head}  {line}")
                head = " " * width
    if made.note:
        click.echo("\n" + click.formatting.wrap_text(made.note, width=_WIDTH))


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
        return "NAME" if hint is str else str(hint.__name__)
    return str(default)


@command()
@click.argument("code")
def explain(code: str) -> None:
    """Print the meaning of an error code, as errors show it in brackets.

    Example: argue-bench explain unknown-id
    """
    name = code.strip().strip("[]").lower()
    known = {one.value: one for one in Code}
    if name not in known:
        from difflib import get_close_matches

        near = get_close_matches(name, known, n=3, cutoff=0)
        raise UnknownName("error code", name[:80], near, see="docs/codes.md")
    click.echo(f"{name}: {known[name].text}")
