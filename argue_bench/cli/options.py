"""Options that several commands share, each written once."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, cast

import click
from click.core import ParameterSource

from argue_bench import satellites
from argue_bench.cli.commands import F, as_field, option, options

if TYPE_CHECKING:
    from argue_bench.judges import Judge
    from argue_bench.loaders.dataset import Dataset
    from argue_bench.metrics import Metric
    from argue_bench.records import Document

PATH = click.Path(path_type=Path)
# More draws than this would not end.
TIMES = click.IntRange(1, 10_000_000)
SETTINGS = ("closedbook", "openbook", "evidenceprovided")
FOLDER = Path("leaderboard-submissions")
FORMATS = ("text", "json", "csv", "md", "latex")
BUDGET_VARIABLE = "ARGUE_BENCH_BUDGET"


@dataclass(frozen=True)
class DatasetOptions:
    """Which data set a command was given."""

    dataset: str = as_field(
        option(
            metavar="NAME|FOLDER", default="", group="Input", help="Data set: a name or a folder."
        )
    )
    data: Path | None = as_field(
        option(type=PATH, group="Input", help="A local copy of the named data set.")
    )
    split: str = as_field(option(default="", group="Input", help="Split of the data set."))

    def load(self) -> Dataset:
        """The data set. Raises UnknownName, UsageError, DataError."""
        from argue_bench.loaders import load

        return load(self.dataset, self.split, self.data)


def dataset_options(
    default: str = "core",
    *,
    help: str = "Data set: a name or a folder.",
    without: Collection[str] = (),
) -> Callable[[F], F]:
    """``--dataset --data --split``, handed over as ``chosen``; ``help`` is that of ``--dataset``."""
    of_split = f"Split of the data set.{' [default: its first]' if default else ''}"
    return options(
        "chosen",
        DatasetOptions,
        without=without,
        dataset={"default": default, "help": help},
        data={"group": "Advanced"},
        split={"help": of_split},
    )


@dataclass(frozen=True)
class TopicOptions:
    """Nugget files with what belongs to them, instead of a data set."""

    nuggets: Path | None = as_field(
        option(type=PATH, group="Input", help="Judge reports by this nugget file or folder.")
    )
    requests: Path | None = as_field(
        option(type=PATH, group="Advanced", help="Report requests, a JSON object a line.")
    )
    qrels: Path | None = as_field(
        option(type=PATH, group="Advanced", help="Grades of documents, TOPIC 0 DOC REL.")
    )
    track: str = as_field(
        option(
            metavar="NAME",
            default="",
            group="Advanced",
            help="Score by a TREC track's metrics, with its files in --data FOLDER.",
        )
    )

    def dataset(
        self, chosen: DatasetOptions, documents: Mapping[str, Document] | None = None
    ) -> Dataset:
        """The topics that the options name. Raises click.UsageError, DataError, UnknownName."""
        if self.track:
            if chosen.data is None or self.nuggets is not None or was_given("dataset", "split"):
                raise click.UsageError("--track goes with --data FOLDER alone")
            return cast(
                "Dataset", satellites.import_text(satellites.TREC_FILES)(self.track, chosen.data)
            )
        if self.nuggets is None:
            if self.requests is not None or self.qrels is not None:
                raise click.UsageError("--requests and --qrels go with --nuggets")
            return chosen.load()
        if was_given("dataset"):
            raise click.UsageError("--nuggets and --dataset exclude each other")
        if was_given("split", "data"):
            raise click.UsageError("--split and --data go with --dataset")
        # Auto-ARGUE's nugget banks end in .v3.json; the data set is named without it.
        name = self.nuggets.absolute().name.removesuffix(".v3.json")
        return cast(
            "Dataset",
            satellites.import_text(satellites.TREC_DATASET)(
                self.nuggets, documents, self.requests, self.qrels, name=name
            ),
        )


def was_given(*names: str) -> bool:
    """Whether the command line has one of these parameters; a default of the configuration is none."""
    ctx = click.get_current_context()
    return any(ctx.get_parameter_source(name) is ParameterSource.COMMANDLINE for name in names)


@dataclass(frozen=True)
class CollectionOptions:
    """Where the documents lie that reports cite."""

    collection: str = as_field(
        option(
            "-C",
            "--collection",
            default="",
            group="Input",
            help="Folder of the cited documents; or set DOC_LOOKUP.",
        )
    )

    def open(self, subsets: Sequence[str] = ()) -> Mapping[str, Document]:
        """The documents, looked up on disk; none where neither an option nor DOC_LOOKUP names any.

        ``subsets`` are parts of the collection, all of it by default. Raises UsageError and DataError.
        """
        from argue_bench.loaders.source import lookup_folder

        if not (self.collection or subsets or lookup_folder()):
            return {}
        found = satellites.import_text(satellites.OPENED_COLLECTION)(self.collection, subsets)
        for finding in found.findings:
            click.echo(str(finding), err=True)
        return cast("Mapping[str, Document]", found)


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


judge_option = option(
    "--judge",
    "judges",
    multiple=True,
    metavar="[NAME=]SPEC",
    callback=judge_specs,
    group="Judge",
    help="Judge, or NAME=SPEC; may be repeated.",
)
metric_option = option(
    "-m",
    "--metric",
    "metrics",
    multiple=True,
    group="Judge",
    help="Metric or module:name; may be repeated.",
)


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
    group="Advanced",
    help="A metric of the run that the catalogue lacks, module:name; may be repeated.",
)


def _budget_of_file(
    ctx: click.Context, parameter: click.Parameter, given: float | None
) -> float | None:
    """The budget that was given, or the one in ``.env``, where keys stand too."""
    if given is not None:
        return given
    from argue_bench.models.environment import environment

    text = environment().get(BUDGET_VARIABLE, "").strip()
    return parameter.type.convert(text, parameter, ctx) if text else None


budget_option = option(
    "--budget",
    type=click.FloatRange(0),
    metavar="USD",
    envvar=BUDGET_VARIABLE,
    callback=_budget_of_file,
    group="Judge",
    help="Spend no more US dollars on judges.",
)


def limit_spending(budget: float | None, judges: Iterable[Judge], *, stored: bool = True) -> None:
    """Holds the judges, all together, to so many US dollars; ``stored`` as in `Budget`.

    Raises JudgeError where a model's price is not known.
    """
    if budget is None:
        return
    from argue_bench.models.budget import Budget

    shared = Budget(budget, stored=stored)
    for judge in judges:
        judge.set_budget(shared)


def cluster_of(workers: int | None, cluster: str) -> int | str | None:
    """The cluster that ``--workers`` or ``--cluster`` means; None for this process alone.

    Raises click.UsageError where both are given.
    """
    if not cluster:
        return workers if workers is not None and workers > 1 else None
    if workers is not None:
        raise click.UsageError("--workers and --cluster exclude each other")
    return cluster


workers_option = option(
    "--workers",
    type=click.IntRange(1, 64),
    metavar="N",
    group="Judge",
    help="Processes that share the work.",
)
cluster_option = option(
    "--cluster",
    default="",
    metavar="ADDRESS|slurm:FILE",
    group="Advanced",
    help="Dask scheduler whose workers share the work, or a file of SLURM jobs.",
)
dry_run_option = option(
    "--dry-run",
    is_flag=True,
    group="Judge",
    help="Judge nothing, print the cost; exit 1 above --budget.",
)
batch_option = option(
    "--batch",
    is_flag=True,
    group="Advanced",
    help="Send prompts through the provider's Batch API, at half the price.",
)
store_option = option(
    "--store", type=PATH, group="Judge", help="Store of verdicts. [default: OUT.verdicts]"
)
on_failure_option = option(
    "--on-failure",
    default="refuse",
    metavar="leave-out[=2%]",
    group="Judge",
    help="Leave failed questions out, up to 2%; or default: ARGUE's verdicts.",
)
format_option = option(
    "--format",
    type=click.Choice(FORMATS),
    default="text",
    group="Output",
    help="How to print the results.",
)
fail_if_option = option(
    "--fail-if",
    multiple=True,
    metavar="'SCORE < 0.9'",
    group="Output",
    help="Exit 1 where this holds; may be repeated.",
)
report_option = option(
    "--report",
    multiple=True,
    type=PATH,
    metavar="FILE",
    group="Advanced",
    help="Write unsupported sentences: .sarif, or .xml for JUnit; may be repeated.",
)
folder_argument = click.argument("folder", type=PATH, default=FOLDER)
