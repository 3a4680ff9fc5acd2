"""``argue-bench judge check --dry-run``: the expected requests and costs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from argue_bench.cli.evaluating.costs import learn_from, show_prices
from argue_bench.cli.tables import show_table
from argue_bench.table import Table


def show_estimates(
    spec: str,
    labels: Path | None,
    forms: bool,
    repeats: int,
    store: Path | None,
    in_batches: bool,
) -> None:
    """Prints the expected requests and costs of checking a judge, by language model; makes no
    request."""
    from argue_bench.judges import find_judge
    from argue_bench.judges.batches import charge_for_batches
    from argue_bench.judges.checks.forms import both_modes
    from argue_bench.judges.labels import read_labels
    from argue_bench.judges.prompted.injections import all_requests, attempts
    from argue_bench.judges.prompted.spec import for_estimates

    find_judge(spec)
    requests = [one.request for one in read_labels(labels)] if labels else all_requests(attempts())
    models = for_estimates(spec)
    if forms:
        models = [one for model in models for one in both_modes(model).values()]
    if in_batches:
        charge_for_batches(models)
    learned = learn_from(store, models)
    head = ("judge", "calls", "tokens in", "tokens out", "US dollars")
    rows: list[Sequence[str]] = []
    for model in models:
        found = model.estimate(request for request in requests if type(request) in model.kinds)
        price = "not known" if found.price is None else f"{found.price * repeats:.4f}"
        counts = (found.calls, found.tokens_in, found.tokens_out)
        rows.append((model.name, *(f"{count * repeats:,}" for count in counts), price))
    if models:
        show_table(Table(head, rows, right=range(1, 5)))
        click.echo(f"About: {learned}.", err=True)
        show_prices(models)
    click.echo(f"{len(requests) * repeats:,} requests at most; nothing was asked.", err=True)
