"""Options that several commands share, each written once."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields
from functools import cached_property, partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, get_args

import click
from click.core import ParameterSource

from argue_bench.cli.commands import option

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from argue_bench.judges import Judge
    from argue_bench.judges.batches import Batching
    from argue_bench.loaders.dataset import Dataset
    from argue_bench.metrics import Metric
    from argue_bench.records import Document

F = TypeVar("F", bound=Callable[..., Any])
PATH = click.Path(path_type=Path)
SEED = click.IntRange(min=0)
# More draws than this would not end.
TIMES = click.IntRange(1, 10_000_000)
SETTINGS = ("closedbook", "openbook", "evidenceprovided")
FOLDER = Path("leaderboard-submissions")
FORMATS = ("text", "json", "csv", "md", "latex")
BUDGET_VARIABLE = "ARGUE_BENCH_BUDGET"


class LateChoice(click.ParamType):  # type: ignore[type-arg]
    """One of the words of a Literal, named ``module:NAME``, which is imported when the option is used."""

    name = "choice"

    def __init__(self, literal: str) -> None:
        self._literal = literal

    @cached_property
    def _choice(self) -> click.Choice[str]:
        module, _, name = self._literal.partition(":")
        return click.Choice(get_args(getattr(import_module(f"argue_bench.{module}"), name)))

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        return self._choice.convert(value, param, ctx)

    def get_metavar(self, param: click.Parameter, ctx: click.Context | None = None) -> str | None:
        given = {} if ctx is None else {"ctx": ctx}  # click 8.1 has none
        return self._choice.get_metavar(param, **given)

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        return self._choice.shell_complete(ctx, param, incomplete)


def group_options(name: str, kind: type, *options: Callable[[Any], Any]) -> Callable[[F], F]:
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


def dataset_options(default: str = "core", split: str = "") -> Callable[[F], F]:
    """``--dataset --data --split``, handed over as ``chosen``."""
    return group_options(
        "chosen",
        DatasetOptions,
        option("--dataset", default=default, metavar="NAME|FOLDER"),
        option("--data", type=PATH),
        option("--split", default=split),
    )


@dataclass(frozen=True)
class TopicOptions:
    """Nugget files with what belongs to them, instead of a data set."""

    nuggets: Path | None
    requests: Path | None
    qrels: Path | None

    def dataset(
        self, chosen: DatasetOptions, documents: Mapping[str, Document] | None = None
    ) -> Dataset:
        """The topics that the options name. Raises click.UsageError, DataError, UnknownName."""
        from argue_bench.loaders.nuggets import load_topics

        if self.nuggets is None:
            if self.requests is not None or self.qrels is not None:
                raise click.UsageError("--requests and --qrels go with --nuggets")
            return chosen.load()
        if was_given("dataset"):
            raise click.UsageError("--nuggets and --dataset exclude each other")
        if was_given("split", "data"):
            raise click.UsageError("--split and --data go with --dataset")
        name = self.nuggets.absolute().name.removesuffix(".v3.json")
        return load_topics(self.nuggets, documents, self.requests, self.qrels, name=name)


def was_given(*names: str) -> bool:
    """Whether the command line has one of these parameters; a default of the configuration is none."""
    ctx = click.get_current_context()
    return any(ctx.get_parameter_source(name) is ParameterSource.COMMANDLINE for name in names)


topic_options = group_options(
    "topics",
    TopicOptions,
    option("--nuggets", type=PATH),
    option("--requests", type=PATH),
    option("--qrels", type=PATH),
)


@dataclass(frozen=True)
class CollectionOptions:
    """Where the documents lie that reports cite."""

    collection: str
    subsets: tuple[str, ...]
    skip_bad_documents: bool = False

    @property
    def given(self) -> bool:
        return bool(self.collection or self.subsets)

    def open(self) -> Mapping[str, Document]:
        """The documents, looked up on disk; none where neither an option nor DOC_LOOKUP names any.

        Raises UsageError and DataError.
        """
        from argue_bench.cli.evaluating.collections import open_collection
        from argue_bench.loaders.collection import lookup_folder

        if not self.given and not lookup_folder():
            return {}
        found = open_collection(self.collection, self.subsets, self.skip_bad_documents)
        for finding in found.findings:
            click.echo(str(finding), err=True)
        return found


collection_options = group_options(
    "cited",
    CollectionOptions,
    option("-C", "--collection", default=""),
    option("-c", "--subset", "subsets", multiple=True),
    option("--skip-bad-documents", is_flag=True),
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


judge_option = option(
    "--judge", "judges", multiple=True, metavar="[NAME=]SPEC", callback=judge_specs
)
metric_option = option("-m", "--metric", "metrics", multiple=True)


def own_metrics(
    ctx: click.Context, parameter: click.Parameter, texts: tuple[str, ...]
) -> list[Metric]:
    """The metrics of the texts; ``module:name`` imports the module, since its user asks for it."""
    from argue_bench.metrics import as_metric

    return [as_metric(text) for text in texts]


own_metric_option = option("-m", "--metric", "metrics", multiple=True, callback=own_metrics)


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
)


@dataclass(frozen=True)
class Spending:
    """What judges that cost money may use up: US dollars, requests and tokens a minute.

    ``strict_model``: nothing on another server or model than before.
    """

    budget: float | None
    rpm: float | None
    tpm: float | None
    strict_model: bool = False

    def limit(self, judges: Iterable[Judge], *, stored: bool = True) -> None:
        """Holds the judges to it, all together to the budget; ``stored`` as in `Budget`.

        Raises JudgeError where a model's price is not known.
        """
        from argue_bench.judges import limit_rates, set_budget, set_strict_model
        from argue_bench.models.budget import Budget, Rates

        budget = None if self.budget is None else Budget(self.budget, stored=stored)
        for judge in judges:
            limit_rates(judge, Rates(self.rpm, self.tpm))
            if budget is not None:
                set_budget(judge, budget)
            if self.strict_model:
                set_strict_model(judge)


def cluster_of(workers: int | None, cluster: str) -> int | str | None:
    """The cluster that ``--workers`` or ``--cluster`` means; None for this process alone.

    Raises click.UsageError where both are given.
    """
    if not cluster:
        return workers if workers is not None and workers > 1 else None
    if workers is not None:
        raise click.UsageError("--workers and --cluster exclude each other")
    return cluster


workers_option = option("--workers", type=click.IntRange(1, 64), metavar="N")
cluster_option = option("--cluster", default="", metavar="ADDRESS|slurm:FILE")
rpm_option = option("--rpm", type=click.FloatRange(0, min_open=True), metavar="N")
tpm_option = option("--tpm", type=click.FloatRange(0, min_open=True), metavar="N")
strict_model_option = option("--strict-model", is_flag=True)
dry_run_option = option("--dry-run", is_flag=True)
batch_option = option("--batch", is_flag=True)
batch_file_option = option("--batch-file", type=PATH, metavar="DIR")


def batching_of(batch: bool, folder: Path | None) -> Batching | None:
    """How prompts are sent in batches, if they are. Raises click.UsageError."""
    if batch and folder is not None:
        raise click.UsageError("--batch and --batch-file exclude each other")
    if not batch and folder is None:
        return None
    from argue_bench.judges.batches import Batching
    from argue_bench.models.environment import environment
    from argue_bench.models.providers import poll_seconds

    return Batching(folder, partial(click.echo, err=True), poll_seconds(environment()))


store_option = option("--store", type=PATH)
on_failure_option = option(
    "--on-failure", type=click.Choice(["refuse", "leave-out", "default"]), default="refuse"
)
cite_option = option("--cite", is_flag=True)
format_option = option("--format", type=click.Choice(FORMATS), default="text")
seed_option = option("--seed", type=SEED)
folder_argument = click.argument("folder", type=PATH, default=FOLDER)
