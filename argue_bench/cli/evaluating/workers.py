"""Judging in several processes: the same command again, a shard each, then one store of all."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

Spent = Mapping[str, Mapping[str, float]]
"""Requests and costs by the judge's name, as `show_spent` reads them."""
_OURS = ("workers", "shard", "store", "budget", "rerun")


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
            shutil.copyfile(whole, store)  # stored verdicts are not asked for again
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
        raise JudgeError(f"a worker failed (see above); all stored verdicts are in {whole}")
    return [json.loads(line) for text in printed for line in text.splitlines()]


def limit(judges: Iterable[Any], budget: float | None, workers: int = 1) -> None:
    """Lets the judges of the command itself spend the budget together, or with workers its share."""
    from argue_bench.judges import set_budget
    from argue_bench.models.budget import Budget

    if budget is not None:
        purse = Budget(budget if workers == 1 else share(budget, workers))
        for judge in judges:
            set_budget(judge, purse)


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
    from argue_bench.cli.progress import progress
    from argue_bench.eval.shards import fill, read_shard

    shard = read_shard(text)
    if whole is None:
        raise click.UsageError(
            "--shard wants --store FILE (or --out RUN), to keep verdicts beside it"
        )
    store = shard.store(whole)
    try:
        with progress(f"judging {shard}", -(-total // shard.of)) as step:
            done, failed = asyncio.run(fill(store, shard.cases(cases), metrics, judges, step))
    finally:
        spent = {judge.name: vars(judge.counts) for judge in judges.values()}
        show_spent(spent)
        click.echo(json.dumps(spent))
    click.echo(
        f"{store}: shard {shard}, {done:,} answers judged, {failed:,} lack a verdict", err=True
    )


def _again(context: click.Context) -> tuple[list[str], list[str]]:
    """Words and arguments that repeat the command, without the options of sharing."""
    words = [str(context.info_name)]
    arguments: list[str] = []
    for parameter in context.command.params:
        name = str(parameter.name)
        value = context.params.get(name)
        if name in _OURS or context.get_parameter_source(name) is not ParameterSource.COMMANDLINE:
            continue  # a worker reads the same defaults and the same configuration file
        if isinstance(parameter, click.Argument):
            arguments.append(str(value))
        elif isinstance(parameter, click.Option) and parameter.is_flag:
            words += [parameter.opts[0]] if value else []
        else:
            if isinstance(value, dict):  # judges by name
                value = [f"{name}={spec}" if name else spec for name, spec in value.items()]
            for one in value if isinstance(value, (tuple, list)) else (value,):
                words += [max(parameter.opts, key=len), str(one)]
    return words, arguments
