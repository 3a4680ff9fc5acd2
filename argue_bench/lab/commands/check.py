"""``argue-bench judge check`` and ``injections``: agreement of a judge with people's labels, and texts that try to steer it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from argue_bench.cli.commands import command, option
from argue_bench.cli.judging import basis, paid_store, show_prices, show_spent
from argue_bench.cli.options import (
    PATH,
    budget_option,
    dry_run_option,
    format_option,
    limit_spending,
)
from argue_bench.cli.tables import points, print_as, show_table
from argue_bench.records.atomic import atomic_write
from argue_bench.records.table import Table

if TYPE_CHECKING:
    from argue_bench.judges import Judge
    from argue_bench.lab.label_agreement import JudgeCheck, KindAgreement

_SHOWN = 10
"""Requests without a verdict that are printed one by one."""

judge_store_option = option(
    "--store",
    type=PATH,
    group="Judge",
    help="The store of verdicts. [default for paid judges: one in this folder]",
)


@contextmanager
def within_budget(
    spec: str, stem: str, store: Path | None, budget: float | None, keep: bool = True
) -> Iterator[Judge]:
    """The judge of a spec, with a store where it may cost money; what it spent is printed at the end.

    ``keep=False``: no verdict is stored, since a store would give the first one again.
    """
    from argue_bench.judges import as_judge
    from argue_bench.judges.stored import stored

    made = as_judge(spec)
    store = paid_store(store, stem, [spec]) if keep else None
    limit_spending(budget, [made], stored=store is not None)
    if store is None:
        yield made
    else:
        with stored(made, store) as kept:
            yield kept
    show_spent({made.name: vars(made.counts)})


@command("check")
@click.argument("spec", metavar="JUDGE")
@option(
    "--labels",
    type=PATH,
    required=True,
    group="Input",
    help='Lines {"ask": {...}, "verdict": ...}, or a verdict store; a public set\'s name.',
)
@option(
    "--repeats",
    type=click.IntRange(1),
    default=1,
    group="Judge",
    help="Judge each label this often, to count verdicts that flip.",
)
@judge_store_option
@budget_option
@dry_run_option
@option(
    "--wrong", is_flag=True, group="Output", help="List every label from which the judge differs."
)
@format_option
def judge_check(
    spec: str,
    labels: Path,
    repeats: int,
    store: Path | None,
    budget: float | None,
    dry_run: bool,
    wrong: bool,
    format: str,
) -> None:
    """Compare a judge with labels: confusion, accuracy, kappa with its interval, flips.

    Example: argue-bench judge check lexical --labels labels.jsonl
    """
    from argue_bench.lab.label_sets import find_labels

    if store is not None and repeats > 1:
        raise click.UsageError("--repeats asks anew each time, so --store can't go with it")
    # Published figures are of the set of this name, whatever file it was fetched into.
    named, labels = str(labels).partition("=")[0], find_labels(labels)
    if dry_run:
        _show_estimates(spec, labels, repeats)
        return
    with within_budget(spec, f"{labels.stem}.check", store, budget, keep=repeats == 1) as judge:
        answered = _check_labels(judge, labels, named, repeats, wrong, format)
    if not answered:
        raise SystemExit(3)


def _show_estimates(spec: str, labels: Path, repeats: int) -> None:
    """Prints the requests and costs to expect of each language model; makes no request."""
    from argue_bench.judges import find_judge
    from argue_bench.judges.prompted.spec import for_estimates
    from argue_bench.judges.recorded import read_labels

    find_judge(spec)
    requests = [one.request for one in read_labels(labels)]
    rows: list[Sequence[str]] = []
    if models := for_estimates(spec):
        for model in models:
            found = model.estimate(request for request in requests if type(request) in model.kinds)
            price = "not known" if found.price is None else f"{found.price * repeats:.4f}"
            counts = (found.calls, found.tokens_in, found.tokens_out)
            rows.append((model.name, *(f"{count * repeats:,}" for count in counts), price))
        head = ("judge", "calls", "tokens in", "tokens out", "US dollars")
        show_table(Table(head, rows, right=range(1, 5)))
        click.echo(f"About: {basis(models)}.", err=True)
        show_prices(models)
    click.echo(f"{len(requests) * repeats:,} requests at most; nothing was asked.", err=True)


def _check_labels(
    judge: Judge, labels: Path, named: str, repeats: int, wrong: bool, format: str
) -> int:
    """Prints how a judge agrees with one file of labels; returns for how many it gave a verdict."""
    from argue_bench.lab.label_agreement import check_judge
    from argue_bench.lab.label_sets import published_on

    found, (models, source) = check_judge(judge, labels, repeats), published_on(named)
    rows = [
        (
            name,
            str(kind.n),
            str(kind.failed),
            _number(kind.accuracy),
            _number(kind.kappa),
            _interval(kind.kappa_interval),
            "-" if kind.flips is None else f"{kind.flips:.1%}",
        )
        for name, kind in found.kinds.items()
    ]
    head = ("kind", "n", "failed", "accuracy", "kappa", "95 % interval")
    table, measured = Table((*head, "flips"), rows, right=range(1, 7)), _measured(found)
    data = {**found.to_dict(), "published": models, "source": source}
    if print_as(format, data, table, measured):
        return found.answered
    show_table(table)
    if measured.rows:
        click.echo("\nBeside what needs no judge:")
        show_table(measured)
    if models:
        figures = ", ".join(f"{model} {points(value)}" for model, value in models.items())
        click.echo(f"\nBalanced accuracy of others on the same rows, as published: {figures}.")
        click.echo(f"Source: {source}.")
    _show_details(found, labels, wrong)
    return found.answered


def _measured(found: JudgeCheck) -> Table:
    """Balanced accuracy, F1 and accuracy of the judge and of the floors, by kind."""
    rows: list[Sequence[str]] = []
    for kind, one in found.kinds.items():
        for name, values in {found.judge: one.measures, **one.floors}.items():
            if values:
                shown = (values[name] for name in ("balanced_accuracy", "f1", "accuracy"))
                cells = ((_number(v.value), _interval((v.low, v.high))) for v in shown)
                share = values["share"].value
                first = "-" if share is None else f"{share:.0%}"
                rows.append((kind, name, *(text for pair in cells for text in pair), first))
    head = ("kind", "by", "balanced", "95 % interval", "F1", "95 % interval")
    return Table((*head, "accuracy", "95 % interval", "first verdict"), rows, right=range(2, 9))


def _show_details(found: JudgeCheck, labels: Path, wrong: bool) -> None:
    click.echo(f"\n{found.judge} against {found.labels} labels of {labels.name}")
    if found.votes:
        click.echo(f"{found.votes[:1].upper()}{found.votes[1:]}.")
    seconds, dollars = found.each["seconds"], found.each["dollars"]
    if seconds is not None:
        cost = "a price that is not known" if dollars is None else f"${dollars:.6g}"
        click.echo(f"A verdict took {1000 * seconds:,.3g} ms and {cost}.")
    for name, kind in found.kinds.items():
        if kind.confusion:
            click.echo(f"\n{name}: label in rows, {found.judge} in columns")
            _show_confusion(kind)
    for line, name, label, verdict in found.wrong if wrong else ():
        click.echo(f"{labels}:{line}: {name}: label {label}, {found.judge} says {verdict}")
    for name, remark in found.remarks.items():
        click.echo(f"\n{name}: {remark}.")
    if found.failures:
        click.echo(f"\n{len(found.failures)} requests got no verdict:", err=True)
        for line, reason in found.failures[:_SHOWN]:
            click.echo(f"{labels}:{line}: {reason}", err=True)
        if len(found.failures) > _SHOWN:
            more = len(found.failures) - _SHOWN
            click.echo(f"and {more} more (--format json lists all)", err=True)


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"


def _interval(ends: tuple[float | None, float | None] | None) -> str:
    if ends is None or None in ends:
        return "-"
    return f"{ends[0]:.2f} to {ends[1]:.2f}"


def _show_confusion(kind: KindAgreement) -> None:
    verdicts = sorted({verdict for row in kind.confusion for verdict in row[:2]})
    cells = {(label, verdict): count for label, verdict, count in kind.confusion}
    width = max(6, *map(len, verdicts)) + 2
    click.echo(" " * width + "".join(verdict.rjust(width) for verdict in verdicts))
    for label in verdicts:
        counts = (str(cells.get((label, verdict), 0)).rjust(width) for verdict in verdicts)
        click.echo(label.rjust(width) + "".join(counts))


@command("injections")
@click.argument("spec", metavar="JUDGE")
@budget_option
@option("--out", type=PATH, group="Output", help="Write the report here, for a board to show.")
def judge_injections(spec: str, budget: float | None, out: Path | None) -> None:
    """Count the planted instructions that change a judge's verdict.

    Example: argue-bench judge injections lexical --out leaderboard-submissions/judges/lexical.json
    """
    from argue_bench.lab.injections import inject

    # The file is opened before the judge is asked, so that a wrong path costs nothing.
    with (
        nullcontext() if out is None else atomic_write(out) as file,
        within_budget(spec, "injections.check", None, budget) as judge,
    ):
        found = inject(judge)
        if file is not None:
            report = json.dumps(asdict(found), ensure_ascii=False, allow_nan=False)
            file.write(f"{report}\n")
    tables = [
        Table(
            (title, "succeeded", "of"),
            [(name, str(n.succeeded), str(n.attempts)) for name, n in counts.items()],
            right=(1, 2),
        )
        for title, counts in (("place", found.places), ("kind of attempt", found.kinds))
    ]
    for one in tables:
        show_table(one)
        click.echo()
    ends = "-" if found.rate is None else f"{found.rate:.1%}, {found.low:.1%} to {found.high:.1%}"
    done = f"{found.succeeded} of {found.attempts} attempts succeeded"
    click.echo(f"{found.judge}: {done} ({ends})")
    for name in found.left_out:
        click.echo(f"left out, wrong without any attempt: {name}", err=True)
    if found.failed:
        click.echo(f"attempts without a verdict: {found.failed}", err=True)
    if not found.attempts:
        raise SystemExit(3)
