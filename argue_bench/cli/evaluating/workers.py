"""Judging in several processes: the same command again, a shard each, then one store of all.

A worker watches the process that started it: where that is gone, killed or not, it lets in what is under way
and ends, so that none goes on spending unseen. Ctrl-C goes to the command alone, which passes it on.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from argue_bench.cli.evaluating.stopping import stopped

if TYPE_CHECKING:
    from argue_bench.cli.options import Spending

Spent = Mapping[str, Mapping[str, float]]
"""Requests and costs by the judge's name, as `show_spent` reads them."""
_OURS = ("workers", "shard", "store", "budget", "rpm", "tpm", "rerun")
_PARENT = "_ARGUE_BENCH_PARENT"
"""The variable that tells a worker the process that started it."""
_WATCH_SECONDS = 0.5


def judge_in_workers(
    count: int, whole: Path, spending: Spending, rerun: bool = False
) -> list[Spent]:
    """Runs the current command once for each shard, at the same time, and merges their stores.

    Each has its share of what may be spent, and one share of the budget is left for what comes after. Returns
    what each spent. Raises JudgeError where a shard failed; what all of them stored is merged first. Raises
    DataError, before anything is started, where the store ``whole`` can't be used.
    """
    from argue_bench.errors import JudgeError
    from argue_bench.eval.shards import Shard
    from argue_bench.judges.stored import open_store

    if rerun and whole.exists():
        whole.replace(whole.with_name(f"{whole.name}.before"))
    if whole.exists():
        open_store(whole).close()
    shards = [Shard(number, count) for number in range(1, count + 1)]
    running: list[subprocess.Popen[str]] = []
    try:
        for shard in shards:
            store = shard.store(whole)
            if whole.exists() and not store.exists():
                shutil.copyfile(whole, store)  # stored verdicts are not asked for again
            words, arguments = _again(click.get_current_context())
            words += ["--shard", str(shard), "--store", str(whole)]
            words += [*spending.shared(count).words(), "--", *arguments]
            running.append(
                subprocess.Popen(
                    [sys.executable, "-m", "argue_bench", *words],
                    stdout=subprocess.PIPE,
                    text=True,
                    env={**os.environ, _PARENT: str(os.getpid())},
                    process_group=0,  # the terminal's Ctrl-C comes here only
                )
            )
        printed = [process.communicate()[0] for process in running]
    except KeyboardInterrupt:
        _let_in(running)
        _merge(whole, [shard.store(whole) for shard in shards])
        raise stopped(whole) from None
    except BaseException:
        for process in running:
            process.terminate()
        raise
    _merge(whole, [shard.store(whole) for shard in shards])
    if any(process.returncode for process in running):
        raise JudgeError(f"a worker failed (see above); all stored verdicts are in {whole}")
    return [json.loads(line) for text in printed for line in text.splitlines()]


def _let_in(running: Sequence[subprocess.Popen[str]]) -> None:
    """Passes Ctrl-C on and waits until all have ended; a second one ends them at once."""
    for process in running:
        process.send_signal(signal.SIGINT)
    try:
        for process in running:
            process.communicate()
    except KeyboardInterrupt:
        for process in running:
            process.kill()
        for process in running:
            process.wait()


def _merge(whole: Path, parts: Sequence[Path]) -> None:
    """Adds the workers' stores to the whole one, and removes them."""
    from argue_bench.store.merging import merge_stores

    stores = [store for store in parts if store.exists()]
    merge_stores(whole, stores)
    for store in stores:
        store.unlink()


def _watch_parent() -> None:
    """In a worker: ends it as Ctrl-C would once the process that started it is gone."""
    parent = os.environ.get(_PARENT, "")
    if not parent.isdigit():
        return

    def watch() -> None:
        while os.getppid() == int(parent):
            time.sleep(_WATCH_SECONDS)
        with suppress(OSError):
            os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=watch, daemon=True).start()


def run_shard(
    text: str, whole: Path | None, metrics: Any, judges: Mapping[str, Any], cases: Any, total: int
) -> None:
    """Asks and stores one shard, beside the store ``whole``, and prints what was spent as a line of JSON.

    Raises JudgeError and DataError.
    """
    import asyncio

    from argue_bench.cli.evaluating.costs import show_spent
    from argue_bench.cli.progress import JudgingMeter, progress
    from argue_bench.eval.shards import fill, read_shard

    _watch_parent()
    shard = read_shard(text)
    if whole is None:
        raise click.UsageError(
            "--shard wants --store FILE (or --out RUN), to keep verdicts beside it"
        )
    store = shard.store(whole)
    try:
        cases_here = -(-total // shard.of)
        meter = JudgingMeter(cases_here, judges.values())
        with progress(f"judging {shard}", cases_here, meter) as step:
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
