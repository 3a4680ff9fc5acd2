"""The judges of a command: who they are, what they may cost, where they work, and what they have spent."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from argue_bench.cli.commands import as_field
from argue_bench.cli.options import (
    batch_option,
    budget_option,
    cluster_of,
    cluster_option,
    dry_run_option,
    judge_option,
    limit_spending,
    on_failure_option,
    store_option,
    workers_option,
)
from argue_bench.cli.tables import show_table
from argue_bench.errors import Interrupted
from argue_bench.judges import Judge, find_judge, names_provider
from argue_bench.records.table import Table
from argue_bench.satellites import SCALE, import_text

if TYPE_CHECKING:
    from argue_bench.eval.driver import Case
    from argue_bench.judges.prompted import Prompted
    from argue_bench.metrics import Metric
    from argue_bench.records import JudgeRequest

_WORDS = {
    "requests": "requests",
    "stored": "from the store",
    "failed": "failed",
    "calls": "calls",
    "tokens_in": "tokens in",
    "tokens_out": "tokens out",
}


def show_costs(
    cases: Iterable[Case],
    metrics: Sequence[Metric],
    specs: Mapping[str, str],
    in_batches: bool = False,
    budget: float | None = None,
) -> None:
    """Prints what the language models among the judges would cost; nothing where there is none.

    Raises SystemExit where that may be more than the budget.
    """
    from argue_bench.eval.driver import estimate_costs
    from argue_bench.judges.prompted.spec import for_estimates

    judges = {name: models for name, spec in specs.items() if (models := for_estimates(spec))}
    if not judges:
        return
    all_models = [model for models in judges.values() for model in models]
    if in_batches:
        import_text(SCALE["charge"])(all_models)
    rows: list[Sequence[str]] = []
    low, high, known = 0.0, 0.0, True
    for cost in estimate_costs(cases, metrics, judges):
        known &= cost.fewest.price is not None
        low, high = low + (cost.fewest.price or 0.0), high + (cost.most.price or 0.0)
        rows.append(
            (
                cost.judge,
                cost.metric,
                _between(cost.fewest.calls, cost.most.calls),
                _between(cost.fewest.tokens_in, cost.most.tokens_in),
                _between(cost.fewest.tokens_out, cost.most.tokens_out),
                _dollars(cost.fewest.price, cost.most.price),
            )
        )
    if len(rows) > 1:
        rows.append(("all", "", "", "", "", _dollars(low if known else None, high)))
    click.echo()
    head = ("judge", "metric", "calls", "tokens in", "tokens out", "US dollars")
    show_table(Table(head, rows, right=(2, 3, 4, 5)))
    click.echo(
        f"About: {_basis(all_models)}; later rounds depend on verdicts, hence from and to.",
        err=True,
    )
    show_prices(all_models)
    hold_to_budget(high, budget)


def hold_to_budget(estimate: float, budget: float | None) -> None:
    """Ends a dry run with exit 1 where its estimate is above the budget."""
    if budget is not None and estimate > budget:
        click.echo(f"The estimate, ${estimate:.4f}, is above the budget of ${budget:g}.", err=True)
        raise SystemExit(1)


def show_request_costs(
    spec: str,
    requests: Collection[JudgeRequest],
    repeats: int = 1,
    budget: float | None = None,
) -> None:
    """Prints the requests and costs to expect of each language model of a spec; makes no request.

    Raises SystemExit where that is more than the budget.
    """
    from argue_bench.judges.prompted.spec import for_estimates

    find_judge(spec)
    rows: list[Sequence[str]] = []
    total = 0.0
    if models := for_estimates(spec):
        for model in models:
            found = model.estimate(request for request in requests if type(request) in model.kinds)
            price = "not known" if found.price is None else f"{found.price * repeats:.4f}"
            total += (found.price or 0.0) * repeats
            counts = (found.calls, found.tokens_in, found.tokens_out)
            rows.append((model.name, *(f"{count * repeats:,}" for count in counts), price))
        head = ("judge", "calls", "tokens in", "tokens out", "US dollars")
        show_table(Table(head, rows, right=range(1, 5)))
        click.echo(f"About: {_basis(models)}.", err=True)
        show_prices(models)
    click.echo(f"{len(requests) * repeats:,} requests at most; nothing was asked.", err=True)
    hold_to_budget(total, budget)


def show_prices(models: Iterable[Prompted]) -> None:
    """Prints to stderr the price of each model and where it was read, or how to give one that is not known."""
    from argue_bench.models.providers import PROVIDERS_FILE

    prices = {model.transport.name: model.price for model in models}
    known = [f"{name} {price}" for name, price in prices.items() if price and price.tokens_out]
    if known:
        click.echo(f"US dollars for a million tokens: {'; '.join(known)}.", err=True)
    if unknown := [name for name, price in prices.items() if price is None]:
        click.echo(
            f"No price is known of {', '.join(unknown)}: give in and out in a file of providers "
            f"({PROVIDERS_FILE}=FILE), which --budget needs.",
            err=True,
        )


def _basis(models: Sequence[Prompted]) -> str:
    """What an estimate rests on, in words."""
    thinking = [
        f"{model.expected.thinking:,.0f} of thought a call of {model.name}"
        for model in models
        if model.expected.thinking
    ]
    return "; ".join(["a token is taken for four bytes", *thinking])


def _between(low: int, high: int) -> str:
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"


def _dollars(low: float | None, high: float | None) -> str:
    if low is None or high is None:
        return "not known"
    return f"{low:.4f}" if low == high else f"{low:.4f} to {high:.4f}"


def paid_store(named: Path | None, stem: str, specs: Iterable[str]) -> Path | None:
    """The store that was named, or one in this folder where a judge is asked that may cost money.

    Verdicts that were paid for are kept even if no store was named.
    """
    # By the form of the spec alone: nothing is imported, and no key is needed.
    paid = list(filter(names_provider, specs))
    if named is not None or not paid:
        return named
    from argue_bench.judges.prompted.spec import for_estimates

    for spec in paid:
        for_estimates(spec, requests=True)  # raises what is wrong with it
    store = Path(f"{stem}.verdicts")
    click.echo(
        f"verdicts are kept in {store}, and none of them is asked for again "
        "(--store FILE: keep them elsewhere)",
        err=True,
    )
    return store


def show_spent(cost: Mapping[str, Mapping[str, float]]) -> None:
    """Prints to stderr the requests and the cost of each judge that made calls."""
    for name, spent in cost.items():
        # A judge that asked nobody and found nothing stored has nothing to tell.
        if spent.get("calls") or spent.get("stored"):
            parts = [f"{spent.get(key, 0):,.0f} {word}" for key, word in _WORDS.items()]
            parts += [f"{spent[key]:,.0f} {key}" for key in ("cut", "saved") if spent.get(key)]
            if spent.get("price"):
                parts.append(f"${spent['price']:.4f}")
            if unpriced := spent.get("unpriced"):
                parts.append(f"{unpriced:,.0f} calls of unknown price")
            if lost := spent.get("lost"):
                parts.append(
                    f"{lost:,.0f} calls lost with their workers among it, at their estimate"
                )
            click.echo(f"{name}: {', '.join(parts)}", err=True)
        # By the shape of the fault, as `judges.prompted.verdicts.FAULTS` names it.
        refused = {key: n for key, n in spent.items() if key.startswith("again_") and n}
        if refused:
            shapes = (f"{n:,.0f} {key[6:].replace('_', ' ')}" for key, n in refused.items())
            click.echo(
                f"{name}: {sum(refused.values()):,.0f} replies refused: {', '.join(shapes)}",
                err=True,
            )


@dataclass(frozen=True)
class JudgingOptions:
    """Who judges, how much it may cost, where the work is done, and where verdicts are kept."""

    judges: dict[str, str] = as_field(judge_option)
    budget: float | None = as_field(budget_option)
    store: Path | None = as_field(store_option)
    workers: int | None = as_field(workers_option)
    cluster: str = as_field(cluster_option)
    dry_run: bool = as_field(dry_run_option)
    on_failure: str = as_field(on_failure_option)
    batch: bool = as_field(batch_option)

    @contextmanager
    def at_work(
        self, judges: Mapping[str, Judge], store: Path | None
    ) -> Iterator[Mapping[str, Judge]]:
        """The judges, held to the limits, while they work where the options say.

        ``store``: where their verdicts are kept, None where nothing keeps them. Ctrl-C becomes Interrupted,
        after what was spent is printed. Raises click.UsageError, and what the satellite raises.
        """
        cluster = cluster_of(self.workers, self.cluster)
        if self.batch and (cluster is not None or store is None):
            raise click.UsageError(
                "--batch sends everything from one process, and needs --out or --store: leave out "
                "--workers and --cluster"
            )
        limit_spending(self.budget, judges.values(), stored=store is not None)
        # Limits first: a judge whose work is done elsewhere takes its budget along.
        with ExitStack() as stack:
            working = judges
            if cluster is not None:
                working = stack.enter_context(import_text(SCALE["cluster"])(judges, cluster))
            elif self.batch:
                say = partial(click.echo, err=True)
                working = stack.enter_context(import_text(SCALE["batch"])(judges, store, say))
            try:
                yield working
            except KeyboardInterrupt:
                show_spent({judge.name: vars(judge.counts) for judge in judges.values()})
                raise _stopped(store) from None


def _stopped(store: Path | None) -> Interrupted:
    """The error of an interrupted run, with the command that continues it."""
    if store is None:
        return Interrupted("stopped. No store was named, so nothing was kept.")
    again = shlex.join(["argue-bench", *sys.argv[1:]])
    return Interrupted(f"stopped. The verdicts are in {store}; this goes on from there:\n  {again}")
