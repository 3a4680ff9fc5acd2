"""Judging in several processes: the same command again, a shard each, then one store of all."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import click

T = TypeVar("T", bound=Callable[..., Any])
_OURS = ("workers", "shard", "store", "budget", "rerun")


def sharing_options(command: T) -> T:
    """Options of commands that judge: how much may be spent, and in how many processes."""
    for option in (
        click.option(
            "--shard", metavar="I/N", default="",
            help="Ask and store the I-th of N parts only; see: argue-bench merge --help",
        ),
        click.option(
            "--workers", type=click.IntRange(1, 64), default=1, show_default=True,
            help="Processes that judge at the same time, each with its own connections.",
        ),
        click.option(
            "--budget", type=click.FloatRange(0), metavar="USD", envvar="ARGUE_BUDGET",
            help="Stop before judges have spent more US dollars than this; also ARGUE_BUDGET.",
        ),
    ):  # fmt: skip
        command = option(command)
    return command


def judge_in_workers(count: int, whole: Path, budget: float | None, rerun: bool = False) -> None:
    """Runs the current command once for each shard, at the same time, and merges their stores.

    Each has its share of the budget, and one share is left for what comes after. Raises JudgeError where
    a shard failed; what all of them stored is merged first.
    """
    from argue_bench.errors import JudgeError
    from argue_bench.eval.shards import Shard
    from argue_bench.store.merging import merge

    if rerun and whole.exists():
        whole.replace(whole.with_name(f"{whole.name}.before"))
    shards = [Shard(number, count) for number in range(1, count + 1)]
    running = []
    for shard in shards:
        store = shard.store(whole)
        if whole.exists() and not store.exists():
            shutil.copyfile(whole, store)  # what is known already is not asked again
        limit = [] if budget is None else ["--budget", repr(share(budget, count))]
        words, arguments = _again(click.get_current_context())
        words += ["--shard", str(shard), "--store", str(whole), *limit, "--", *arguments]
        running.append(subprocess.Popen([sys.executable, "-m", "argue_bench", *words]))
    try:
        codes = [process.wait() for process in running]
    except BaseException:
        for process in running:
            process.terminate()
        raise
    stores = [store for shard in shards if (store := shard.store(whole)).exists()]
    merge(whole, stores)
    for store in stores:
        store.unlink()
    if any(codes):
        raise JudgeError(f"a worker could not go on (see above); what they stored is in {whole}")


def limit(judge: Any, budget: float | None, workers: int) -> None:
    """Lets a judge of the command itself spend the budget, or with workers its share."""
    from argue_bench.judges import spend_from
    from argue_bench.models.budget import Budget

    if budget is not None:
        spend_from(judge, Budget(budget if workers == 1 else share(budget, workers)))


def share(budget: float, count: int) -> float:
    """What each of so many workers may spend, and what is left for the command itself."""
    return budget / (count + 1)


def run_shard(
    text: str, whole: Path | None, metrics: Any, judges: Mapping[str, Any], cases: Any, total: int
) -> None:
    """Asks and stores one shard, beside the store ``whole``. Raises JudgeError and DataError."""
    import asyncio

    from argue_bench.cli.progress import Progress
    from argue_bench.eval.shards import fill, read_shard

    shard = read_shard(text)
    if whole is None:
        raise click.UsageError(
            "--shard wants --store FILE (or --out RUN), to keep verdicts beside it"
        )
    store = shard.store(whole)
    with Progress(f"judging {shard}", -(-total // shard.of)) as step:
        done, failed = asyncio.run(fill(store, shard.cases(cases), metrics, judges, step))
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
