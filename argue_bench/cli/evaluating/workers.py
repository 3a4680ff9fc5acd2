"""Judging in several processes: the same command again, a shard each, then one store of all."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import click

T = TypeVar("T", bound=Callable[..., Any])
Spent = Mapping[str, Mapping[str, float]]
"""What judges were asked and what it cost, by name; as `show_spent` has it."""
_BUDGET = "ARGUE_BENCH_BUDGET"
_OURS = ("workers", "shard", "store", "budget", "rerun")


def _budget_of_file(
    context: click.Context, parameter: click.Parameter, given: float | None
) -> float | None:
    """The budget that was given, or that of ``.env``: whoever wrote it there relies on it."""
    if given is not None:
        return given
    from argue_bench.models.providers import environment

    text = environment().get(_BUDGET, "").strip()
    return parameter.type.convert(text, parameter, context) if text else None


budget_option = click.option(
    "--budget",
    type=click.FloatRange(0),
    metavar="USD",
    envvar=_BUDGET,
    callback=_budget_of_file,
    help=f"Stop before judges have spent more US dollars than this; also {_BUDGET}.",
)


def sharing_options(command: T) -> T:
    """Options of commands that judge: how much may be spent, and in how many processes."""
    for option in (
        click.option(
            "--shard",
            metavar="I/N",
            default="",
            help="Ask and store the I-th of N parts only; see: argue-bench merge --help",
        ),
        click.option(
            "--workers",
            type=click.IntRange(1, 64),
            default=1,
            show_default=True,
            help="Processes that judge at the same time, each with its own connections.",
        ),
        budget_option,
    ):
        command = option(command)
    return command


def judge_in_workers(
    count: int, whole: Path, budget: float | None, rerun: bool = False
) -> list[Spent]:
    """Runs the current command once for each shard, at the same time, and merges their stores.

    Each has its share of the budget, and one share is left for what comes after. Returns what each spent.
    Raises JudgeError where a shard failed; what all of them stored is merged first. Raises DataError,
    before anything is started, where the store ``whole`` can't be used.
    """
    from argue_bench.errors import JudgeError
    from argue_bench.eval.shards import Shard
    from argue_bench.judges.stored import open_store
    from argue_bench.store.merging import merge_stores

    if rerun and whole.exists():
        whole.replace(whole.with_name(f"{whole.name}.before"))
    if whole.exists():
        open_store(whole).close()
    shards = [Shard(number, count) for number in range(1, count + 1)]
    running = []
    for shard in shards:
        store = shard.store(whole)
        if whole.exists() and not store.exists():
            shutil.copyfile(whole, store)  # what is known already is not asked again
        limit = [] if budget is None else ["--budget", repr(share(budget, count))]
        words, arguments = _again(click.get_current_context())
        words += ["--shard", str(shard), "--store", str(whole), *limit, "--", *arguments]
        again = [sys.executable, "-m", "argue_bench", *words]
        running.append(subprocess.Popen(again, stdout=subprocess.PIPE, text=True))
    try:
        printed = [process.communicate()[0] for process in running]
    except BaseException:
        for process in running:
            process.terminate()
        raise
    stores = [store for shard in shards if (store := shard.store(whole)).exists()]
    merge_stores(whole, stores)
    for store in stores:
        store.unlink()
    if any(process.returncode for process in running):
        raise JudgeError(f"a worker could not go on (see above); what they stored is in {whole}")
    return [json.loads(line) for text in printed for line in text.splitlines()]


def limit(judge: Any, budget: float | None, workers: int) -> None:
    """Lets a judge of the command itself spend the budget, or with workers its share."""
    from argue_bench.judges import set_budget
    from argue_bench.models.budget import Budget

    if budget is not None:
        set_budget(judge, Budget(budget if workers == 1 else share(budget, workers)))


def share(budget: float, count: int) -> float:
    """What each of so many workers may spend, and what is left for the command itself."""
    return budget / (count + 1)


def run_shard(
    text: str, whole: Path | None, metrics: Any, judges: Mapping[str, Any], cases: Any, total: int
) -> None:
    """Asks and stores one shard, beside the store ``whole``, and prints what was spent as a line of JSON.

    Raises JudgeError and DataError.
    """
    import asyncio

    from argue_bench.cli.evaluating.costs import show_spent
    from argue_bench.cli.progress import Progress
    from argue_bench.eval.shards import fill, read_shard

    shard = read_shard(text)
    if whole is None:
        raise click.UsageError(
            "--shard wants --store FILE (or --out RUN), to keep verdicts beside it"
        )
    store = shard.store(whole)
    try:
        with Progress(f"judging {shard}", -(-total // shard.of)) as step:
            done, failed = asyncio.run(fill(store, shard.cases(cases), metrics, judges, step))
    finally:
        spent = {judge.name: vars(judge.counts) for judge in judges.values()}
        show_spent(spent)
        click.echo(json.dumps(spent))
    click.echo(
        f"{store}: shard {shard}, {done:,} answers judged, {failed:,} lack a verdict", err=True
    )


def _again(context: click.Context) -> tuple[list[str], list[str]]:
    """Words and arguments that give the command the same parameters, but for those of sharing."""
    words = [str(context.info_name)]
    arguments: list[str] = []
    for parameter in context.command.params:
        value = context.params.get(str(parameter.name))
        if parameter.name in _OURS or value is None or value == () or value == "":
            continue
        if isinstance(parameter, click.Argument):
            arguments += [str(one) for one in (value if parameter.nargs != 1 else (value,))]
        elif isinstance(parameter, click.Option) and parameter.is_flag:
            words += [parameter.opts[0]] if value else []
        else:
            for one in value if isinstance(value, (tuple, list)) else (value,):
                words += [max(parameter.opts, key=len), str(one)]
    return words, arguments
