"""Options that several commands share, each written once."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from argue_bench.cli.commands import ADVANCED, option

if TYPE_CHECKING:
    from argue_bench.loaders.dataset import Dataset
    from argue_bench.metrics import Metric

F = TypeVar("F", bound=Callable[..., Any])
PATH = click.Path(path_type=Path)
SEED = click.IntRange(min=0)
# More draws than this would not end.
TIMES = click.IntRange(1, 10_000_000)
SETTINGS = ("closedbook", "openbook", "evidenceprovided")
FOLDER = Path("leaderboard-submissions")
FORMATS = ("text", "json", "csv", "md", "latex")
BUDGET_VARIABLE = "ARGUE_BENCH_BUDGET"


def gathered(name: str, kind: type, *options: Callable[[Any], Any]) -> Callable[[F], F]:
    """The options, handed to the command as one object: a dataclass with a field for each."""

    def decorate(command: F) -> F:
        @functools.wraps(command)
        def with_object(*args: Any, **given: Any) -> Any:
            values = {field.name: given.pop(field.name) for field in fields(kind)}
            return command(*args, **given, **{name: kind(**values)})

        return all_of(*options)(with_object)  # type: ignore[return-value]

    return decorate


def all_of(*options: Callable[[Any], Any]) -> Callable[[F], F]:
    """Several options as one decorator, shown in this order."""

    def decorate(command: F) -> F:
        for one in reversed(options):
            command = one(command)
        return command

    return decorate


@dataclass(frozen=True)
class DatasetOptions:
    """Which data set a command was given."""

    dataset: str
    data: Path | None
    split: str

    def load(self) -> Dataset:
        """The data set. Raises UnknownName, UsageError, DataError."""
        from argue_bench.loaders import load

        return load(self.dataset, self.split, self.data)

    @property
    def given(self) -> bool:
        return bool(self.dataset or self.data or self.split)


def dataset_options(
    default: str = "core", otherwise: str = "", split: str = "", group: str = "Input"
) -> Callable[[F], F]:
    """``--dataset --data --split``, handed over as ``chosen``; ``otherwise``: what stands for none."""
    note = f" [default: {otherwise}]" if otherwise else ""
    return gathered(
        "chosen",
        DatasetOptions,
        option(
            "--dataset",
            default=default,
            show_default=bool(default),
            metavar="NAME|FOLDER",
            help=f"Data set.{note}",
            group=group,
        ),
        option("--data", type=PATH, help="A local copy of the named data set.", group=group),
        option(
            "--split",
            default=split,
            show_default=bool(split),
            help="Split of the data set." + ("" if split or otherwise else " [default: its first]"),
            group=group,
        ),
    )


def judge_specs(
    ctx: click.Context, parameter: click.Parameter, specs: tuple[str, ...]
) -> dict[str, str]:
    """``("lexical", "nli=nli:DIR")`` as a mapping from names to specs; "" is the default."""
    judges: dict[str, str] = {}
    for spec in specs:
        name, equals, rest = spec.partition("=")
        key, value = (name, rest) if equals and ":" not in name and "/" not in name else ("", spec)
        if key in judges:
            what = f"the judge {key!r}" if key else "the default judge"
            raise click.UsageError(f"--judge {spec}: {what} was given twice", ctx)
        judges[key] = value
    return judges


def judge_option(
    help: str = "Judge for the metrics; NAME=SPEC defines a named judge.",
) -> Callable[[F], F]:
    """``--judge [NAME=]SPEC``, handed over as ``judges``: name to spec, "" for the default judge."""
    return option(
        "--judge",
        "judges",
        multiple=True,
        metavar="[NAME=]SPEC",
        callback=judge_specs,
        help=help,
        group="Judge",
    )


def metric_option(
    help: str = "Metric, or module:name; may be repeated. [default: the data set's]",
) -> Callable[[F], F]:
    return option("-m", "--metric", "metrics", multiple=True, help=help, group="Judge")


def own_metrics(
    ctx: click.Context, parameter: click.Parameter, texts: tuple[str, ...]
) -> list[Metric]:
    """The metrics of the texts; ``module:name`` imports the module, since its user asks for it."""
    from argue_bench.metrics import as_metric

    return [as_metric(text) for text in texts]


own_metric_option = option(
    "-m",
    "--metric",
    "metrics",
    multiple=True,
    callback=own_metrics,
    help="A metric of the run that the catalogue lacks, module:name.",
    group=ADVANCED,
)


def _budget_of_file(
    ctx: click.Context, parameter: click.Parameter, given: float | None
) -> float | None:
    """The budget that was given, or the one in ``.env``, where keys stand too."""
    if given is not None:
        return given
    from argue_bench.models.providers import environment

    text = environment().get(BUDGET_VARIABLE, "").strip()
    return parameter.type.convert(text, parameter, ctx) if text else None


budget_option = option(
    "--budget",
    type=click.FloatRange(0),
    metavar="USD",
    envvar=BUDGET_VARIABLE,
    callback=_budget_of_file,
    help=f"Stop before judges have spent more US dollars; also {BUDGET_VARIABLE}.",
    group="Judge",
)
dry_run_option = option(
    "--dry-run", is_flag=True, help="Print what would be asked, and ask nothing.", group="Judge"
)
store_option = option(
    "--store", type=PATH, help="Where verdicts are kept. [default: OUT.verdicts]", group="Judge"
)
on_failure_option = option(
    "--on-failure",
    type=click.Choice(["refuse", "leave-out", "default"]),
    default="refuse",
    show_default=True,
    help="What a failed verdict does to its score.",
    group=ADVANCED,
)
format_option = option(
    "--format",
    type=click.Choice(FORMATS),
    default="text",
    show_default=True,
    help="How to print the results.",
    group="Output",
)
seed_option = option("--seed", type=SEED, help="Of the random draws.", group=ADVANCED)
folder_argument = click.argument("folder", type=PATH, default=FOLDER)
