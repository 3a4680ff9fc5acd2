"""``argue-bench judge check``: agreement of a judge with people's labels."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from argue_bench.cli.commands import command, option
from argue_bench.cli.evaluating.costs import paid_store, show_spent
from argue_bench.cli.judging.estimates import show_estimates
from argue_bench.cli.judging.sets import check_sets, show_published
from argue_bench.cli.options import (
    PATH,
    Spending,
    batch_file_option,
    batch_option,
    batching_of,
    budget_option,
    dry_run_option,
    format_option,
    rpm_option,
    strict_model_option,
    tpm_option,
)
from argue_bench.cli.tables import print_as, show_table
from argue_bench.table import Table

if TYPE_CHECKING:
    from argue_bench.judges import Judge
    from argue_bench.judges.batches import Batching
    from argue_bench.judges.checks.agreement import JudgeCheck, KindAgreement
_SHOWN = 10


@command("check")
@click.argument("spec", metavar="JUDGE")
@option("--labels", "files", type=PATH, multiple=True)
@option("--alt-test", is_flag=True)
@option("--epsilon", type=click.FloatRange(0, 1, max_open=True))
@option("--injections", is_flag=True)
@option("--forms", is_flag=True)
@option("--repeats", type=click.IntRange(1), default=1)
@option("--orders", type=click.IntRange(1, 64), default=1)
@option("--store", type=PATH)
@budget_option
@rpm_option
@tpm_option
@strict_model_option
@batch_option
@batch_file_option
@dry_run_option
@option("--wrong", is_flag=True)
@option("--out", type=PATH)
@format_option
@option("--json", "as_json", is_flag=True)
def judge_check(
    spec: str,
    files: tuple[Path, ...],
    alt_test: bool,
    epsilon: float | None,
    injections: bool,
    forms: bool,
    repeats: int,
    orders: int,
    store: Path | None,
    budget: float | None,
    rpm: float | None,
    tpm: float | None,
    strict_model: bool,
    batch: bool,
    batch_file: Path | None,
    dry_run: bool,
    wrong: bool,
    out: Path | None,
    format: str,
    as_json: bool,
) -> None:
    """Compare a judge with labels: confusion, accuracy, kappa and alpha with intervals, flips.

    With --injections the judge reads texts that try to steer it; --alt-test asks whether it may
    replace people, three or more of whom labelled (arXiv 2501.10970).

    Example: argue-bench judge check lexical --labels labels.jsonl
    """
    from argue_bench.judges.label_sets import GROUPS, find_labels

    format = "json" if as_json else format
    every = len(files) == 1 and str(files[0]) in GROUPS
    named = str(files[0]) if files else ""
    files = files if every else tuple(map(find_labels, files))
    labels = files[0] if files else None
    given = {"--injections": injections, "--forms": forms, "--repeats": repeats > 1}
    given |= {"--orders": orders > 1, "--alt-test": alt_test, "--wrong": wrong}
    given |= {"--out": out is not None, "--store": store is not None, "--labels": bool(files)}
    given |= {"--epsilon": epsilon is not None or len(files) > 1, "--dry-run": dry_run}
    _refuse_mixtures(given, named if every else "")
    batching = batching_of(batch, batch_file)
    if batching is not None and repeats > 1:
        raise click.UsageError("--repeats asks anew each time: it can't go with batches")
    if dry_run:
        in_batches = batching is not None
        show_estimates(spec, labels, forms, repeats * orders, store, in_batches)
        return
    if repeats == 1:
        stem = labels.stem if labels else "injections"
        store = paid_store(store, f"{stem}.check", [spec])
    spending = Spending(budget, rpm, tpm, strict_model)
    with _judges(spec, forms, orders, store, spending, batching) as judges:
        if labels is None or every or alt_test:
            answered = _check_widely(judges["0"], files, every, epsilon, format, out)
        elif forms:
            answered = _check_forms(judges, labels, format)
        elif orders > 1:
            answered = _check_orders(judges, labels, format)
        else:
            answered = _check_labels(judges["0"], labels, named, repeats, wrong, format)
        if not forms:
            show_spent({one.name: vars(one.counts) for one in judges.values()})
    if not answered:
        raise SystemExit(3)


def _check_widely(
    judge: Judge,
    files: tuple[Path, ...],
    every: bool,
    epsilon: float | None,
    format: str,
    out: Path | None,
) -> int:
    """Checks against planted instructions, all public sets or several people; returns 0 if
    nothing was answered."""
    if not files:
        from argue_bench.cli.judging.injections import check_injections

        return check_injections(judge, format, out)
    if every:
        from argue_bench.judges.label_sets import sets_of

        kinds = {kind.__name__ for kind in judge.kinds}
        if not (names := sets_of(str(files[0]), kinds)):
            raise click.UsageError(f"{judge.name} answers no kind of request of {files[0]}")
        return check_sets(judge, names, format)
    from argue_bench.cli.judging.alternative import check_alternative
    from argue_bench.judges.alternative import EPSILON

    return check_alternative(judge, files, EPSILON if epsilon is None else epsilon, format)


def _refuse_mixtures(given: Mapping[str, bool], group: str) -> None:
    """Refuses options that exclude each other or have no effect; ``group`` names several
    sets. Raises click.UsageError."""
    alone = ("--forms", "--orders", "--repeats", "--wrong", "--alt-test", "--dry-run")
    if group and any(given[one] for one in alone):
        raise click.UsageError(f"--labels {group} goes with --store, --budget and --format alone")
    if given["--epsilon"] and not given["--alt-test"]:
        raise click.UsageError("--epsilon and several files of labels go with --alt-test")
    if given["--labels"] == given["--injections"]:
        raise click.UsageError("say what to check it on: --labels FILE, or --injections")
    if given["--out"] and not given["--injections"]:
        raise click.UsageError("--out goes with --injections")
    if given["--repeats"] and given["--store"]:
        raise click.UsageError("--repeats asks anew each time, so --store can't go with it")
    for one in ("--injections", "--forms", "--orders", "--alt-test"):
        for other in ("--forms", "--orders", "--repeats", "--wrong", "--alt-test"):
            if one != other and given[one] and given[other]:
                raise click.UsageError(f"{other} can't go with {one}")


@contextmanager
def _judges(
    spec: str,
    forms: bool,
    orders: int,
    store: Path | None,
    spending: Spending,
    batching: Batching | None,
) -> Iterator[Mapping[str, Judge]]:
    """The judge in each order by number, or its two forms; with a store, and within the budget."""
    from argue_bench.judges import as_judge
    from argue_bench.judges.checks.forms import both_modes
    from argue_bench.judges.checks.orders import in_orders
    from argue_bench.judges.stored import Stored, open_store

    made = as_judge(spec)
    spending.limit([made], stored=store is not None)
    judges: Mapping[str, Judge] = both_modes(made) if forms else in_orders(made, orders)
    if store is None:
        yield judges
        return
    with ExitStack() as stack:
        opened = stack.enter_context(open_store(store))
        if batching is not None:
            from argue_bench.judges.batches import sent_in_batches
            from argue_bench.store.batches import Batches

            sending = sent_in_batches(judges.values(), Batches(opened), batching)
            stack.enter_context(sending)
        yield {form: Stored(one, opened) for form, one in judges.items()}


def _check_labels(
    judge: Judge, labels: Path, named: str, repeats: int, wrong: bool, format: str
) -> int:
    from argue_bench.judges.checks.agreement import check_judge
    from argue_bench.judges.published import published_on

    found, others = check_judge(judge, labels, repeats), published_on(named)
    head = ("kind", "n", "failed", "accuracy", "kappa", "95 % interval")
    rows = [
        (
            name,
            *_agreement(kind),
            _number(kind.alpha),
            _interval(kind.alpha_interval),
            "-" if kind.flips is None else f"{kind.flips:.1%}",
        )
        for name, kind in found.kinds.items()
    ]
    table = Table((*head, "alpha", "95 % interval", "flips"), rows, right=range(1, 9))
    measured = _measured(found)
    data = {**found.to_dict(), "published": dict(others.models), "source": others.source}
    if not print_as(format, data, table, measured):
        show_table(table)
        if measured.rows:
            click.echo("\nBeside what needs no judge:")
            show_table(measured)
        show_published(others)
        _show_details(found, labels, wrong)
    return found.answered


def _measured(found: JudgeCheck) -> Table:
    """Balanced accuracy, F1 and accuracy of the judge and of the floors, by kind."""
    rows: list[Sequence[str]] = []
    for kind, one in found.kinds.items():
        for name, values in {found.judge: one.measures, **one.floors}.items():
            if not values:
                continue
            shown = [
                cell
                for measure in ("balanced_accuracy", "f1", "accuracy")
                for cell in (
                    _number(values[measure].value),
                    _interval(_ends(values[measure].low, values[measure].high)),
                )
            ]
            share = values["share"].value
            rows.append((kind, name, *shown, "-" if share is None else f"{share:.0%}"))
    head = ("kind", "by", "balanced", "95 % interval", "F1", "95 % interval")
    return Table((*head, "accuracy", "95 % interval", "first verdict"), rows, right=range(2, 9))


def _ends(low: float | None, high: float | None) -> tuple[float, float] | None:
    return None if low is None or high is None else (low, high)


def _check_forms(judges: Mapping[str, Judge], labels: Path, format: str) -> int:
    from argue_bench.judges.checks.forms import check_batching

    found = check_batching(judges, labels)
    first, *_ = found.checked.values()
    tables = {
        f"Against {first.labels} labels of {labels.name}:": Table(
            ("kind", "asked", "n", "failed", "accuracy", "kappa", "95 % interval"),
            [
                (name, form, *_agreement(checked.kinds[name]))
                for name in first.kinds
                for form, checked in found.checked.items()
            ],
            right=range(2, 7),
        ),
        "The two forms with each other:": Table(
            ("kind", "n", "agree", "kappa", "95 % interval"),
            [
                (
                    name,
                    str(between.n),
                    _number(between.agreement),
                    _number(between.kappa),
                    _interval(between.kappa_interval),
                )
                for name, between in found.between.items()
            ],
            right=range(1, 5),
        ),
        "What they took:": Table(
            ("form", "stored", "calls", "tokens in", "tokens out", "US dollars"),
            [
                (
                    form,
                    *(f"{n:,}" for n in (one.stored, one.calls, one.tokens_in, one.tokens_out)),
                    "not known" if one.unpriced else f"{one.price:.4f}",
                )
                for form, one in found.counts.items()
            ],
            right=range(1, 6),
        ),
    }
    if not print_as(format, found.to_dict(), *tables.values()):
        for number, (title, table) in enumerate(tables.items()):
            click.echo(f"\n{title}" if number else title)
            show_table(table)
        for form, checked in found.checked.items():
            _show_failures(checked, labels, f" asked {form}")
    return min(one.answered for one in found.checked.values())


def _check_orders(judges: Mapping[str, Judge], labels: Path, format: str) -> int:
    from argue_bench.judges.checks.orders import PLACES, check_orders

    found = check_orders(judges, labels)
    rows = []
    for name, kind in found.kinds.items():
        right = [share for share in kind.accuracy if share is not None]
        accuracy = f"{min(right):.3f} to {max(right):.3f}" if right else "-"
        places = [kind.places.get(place) for place in PLACES]
        shown = [f"{one.accuracy:.3f} of {one.n}" if one else "-" for one in places]
        flips = "-" if kind.flips is None else f"{kind.flips:.1%}"
        rows.append((name, str(kind.n), flips, accuracy, *shown))
    table = Table(("kind", "n", "flips", "accuracy by order", *PLACES), rows, right=range(1, 7))
    if not print_as(format, found.to_dict(), table):
        click.echo(
            f"{found.judge} on {found.labels} labels of {labels.name} in {found.orders} orders:"
        )
        show_table(table)
        if not any(kind.n for kind in found.kinds.values()):
            click.echo(
                "No request has several sources, and none shares a call: there is nothing to permute.",
                err=True,
            )
        if found.answered < found.labels:
            missing = found.labels - found.answered
            click.echo(f"{missing} requests got no verdict in one order or more.", err=True)
    return found.answered


def _show_details(found: JudgeCheck, labels: Path, wrong: bool) -> None:
    click.echo(f"\n{found.judge} against {found.labels} labels of {labels.name}")
    if took := _each(found):
        click.echo(f"A verdict took {took}.")
    for name, kind in found.kinds.items():
        if kind.confusion:
            click.echo(f"\n{name}: label in rows, {found.judge} in columns")
            _show_confusion(kind)
    if wrong:
        for line, name, label, verdict in found.wrong:
            click.echo(f"{labels}:{line}: {name}: label {label}, {found.judge} says {verdict}")
    for name, remark in found.remarks.items():
        click.echo(f"\n{name}: {remark}.")
    _show_failures(found, labels)


def _each(found: JudgeCheck) -> str:
    """What a verdict took, as far as it is known."""
    seconds, dollars = found.each["seconds"], found.each["dollars"]
    if seconds is None:
        return ""
    cost = "a price that is not known" if dollars is None else f"${dollars:.6g}"
    return f"{1000 * seconds:,.3g} ms and {cost}"


def _show_failures(found: JudgeCheck, labels: Path, how: str = "") -> None:
    if found.failures:
        click.echo(f"\n{len(found.failures)} requests{how} got no verdict:", err=True)
        for line, reason in found.failures[:_SHOWN]:
            click.echo(f"{labels}:{line}: {reason}", err=True)
        if len(found.failures) > _SHOWN:
            more = len(found.failures) - _SHOWN
            click.echo(f"and {more} more (--format json lists all)", err=True)


def _agreement(kind: KindAgreement) -> tuple[str, ...]:
    """n, failed, accuracy, kappa and its interval, as cells."""
    accuracy = f"off by {kind.error:.3f}" if kind.error is not None else _number(kind.accuracy)
    ends = _interval(kind.kappa_interval)
    return str(kind.n), str(kind.failed), accuracy, _number(kind.kappa), ends


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"


def _interval(ends: tuple[float, float] | None) -> str:
    return "-" if ends is None else f"{ends[0]:.2f} to {ends[1]:.2f}"


def _show_confusion(kind: KindAgreement) -> None:
    verdicts = sorted({verdict for row in kind.confusion for verdict in row[:2]})
    cells = {(label, verdict): count for label, verdict, count in kind.confusion}
    width = max(6, *map(len, verdicts)) + 2
    click.echo(" " * width + "".join(verdict.rjust(width) for verdict in verdicts))
    for label in verdicts:
        counts = (str(cells.get((label, verdict), 0)).rjust(width) for verdict in verdicts)
        click.echo(label.rjust(width) + "".join(counts))
