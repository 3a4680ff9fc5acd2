"""``argue-bench judge check``: how far a judge agrees with people's labels."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

import click

from argue_bench.cli.evaluating.costs import paid_store, show_spent
from argue_bench.cli.evaluating.workers import budget_option
from argue_bench.records.atomic import atomic_write

if TYPE_CHECKING:
    from argue_bench.judges import Judge
    from argue_bench.judges.batching_check import BatchingCheck
    from argue_bench.judges.check import JudgeCheck, KindAgreement

A_PATH = click.Path(path_type=Path)
_SHOWN = 10


@click.group()
def judge() -> None:
    """Examine judges.

    Example: argue-bench judge check lexical --labels labels.jsonl
    """


@judge.command()
@click.argument("spec", metavar="JUDGE")
@click.option(
    "--labels", type=A_PATH, help='Lines {"ask": {...}, "verdict": ...}, or a verdict store.'
)
@click.option("--injections", is_flag=True, help="How often texts that try to steer it succeed.")
@click.option(
    "--forms", is_flag=True, help="Ask a language model one by one and many in a call; compare."
)
@click.option(
    "--repeats",
    type=click.IntRange(1),
    default=1,
    show_default=True,
    help="Ask so often, to see how often verdicts flip.",
)
@click.option("--wrong", is_flag=True, help="List every label on which the judge differs.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.option("--out", type=A_PATH, help="With --injections: write the report for a board.")
@click.option(
    "--store",
    type=A_PATH,
    help="Verdict store: what stands in it is not asked again. [default, for a judge that may cost "
    "money and without --repeats: LABELS.check.verdicts in this folder]",
)
@budget_option
@click.option("--dry-run", is_flag=True, help="Print what would be asked, and ask nothing.")
def check(
    spec: str,
    labels: Path | None,
    injections: bool,
    forms: bool,
    repeats: int,
    wrong: bool,
    as_json: bool,
    out: Path | None,
    store: Path | None,
    budget: float | None,
    dry_run: bool,
) -> None:
    """Compare a judge with labels: confusion, accuracy, kappa and alpha with intervals, flips.

    With --forms: of a language model asked both one by one and many in a call, and of the two with each
    other. With --injections: put texts to it that try to steer it, and count how often they succeed.

    Example: argue-bench judge check lexical --labels labels.jsonl
    """
    _refuse_mixtures(
        {
            "--injections": injections,
            "--forms": forms,
            "--repeats": repeats > 1,
            "--wrong": wrong,
            "--out": out is not None,
            "--store": store is not None,
            "--labels": labels is not None,
        }
    )
    if dry_run:
        _show_estimates(spec, labels, forms, repeats)
        return
    if repeats == 1:
        stem = labels.stem if labels else "injections"
        store = paid_store(store, f"{stem}.check", [spec])
    with _judges(spec, forms, store, budget) as judges:
        if labels is None:
            answered = _check_injections(judges[""], as_json, out)
        elif forms:
            answered = _check_forms(judges, labels, as_json)
        else:
            answered = _check_labels(judges[""], labels, repeats, wrong, as_json)
        if not forms:
            show_spent({one.name: vars(one.counts) for one in judges.values()})
    if not answered:
        raise SystemExit(3)


def _refuse_mixtures(given: Mapping[str, bool]) -> None:
    """Options that exclude each other, or would do nothing. Raises click.UsageError."""
    if given["--labels"] == given["--injections"]:
        raise click.UsageError("say what to check it on: --labels FILE, or --injections")
    if given["--out"] and not given["--injections"]:
        raise click.UsageError("--out goes with --injections")
    if given["--repeats"] and given["--store"]:
        raise click.UsageError("--repeats asks anew each time, so --store can't go with it")
    for one in ("--injections", "--forms"):
        for other in ("--forms", "--repeats", "--wrong"):
            if one != other and given[one] and given[other]:
                raise click.UsageError(f"{other} can't go with {one}")


@contextmanager
def _judges(
    spec: str, forms: bool, store: Path | None, budget: float | None
) -> Iterator[Mapping[str, Judge]]:
    """The judge as "", or its two forms by name; with a store before it, and within the budget."""
    from argue_bench.judges import as_judge, set_budget
    from argue_bench.judges.batching_check import both_modes
    from argue_bench.judges.stored import Stored, open_store
    from argue_bench.models.budget import Budget

    made = as_judge(spec)
    if budget is not None:
        set_budget(made, Budget(budget, stored=store is not None))
    judges: Mapping[str, Judge] = both_modes(made) if forms else {"": made}
    if store is None:
        yield judges
    else:
        with open_store(store) as opened:
            yield {form: Stored(one, opened) for form, one in judges.items()}


def _show_estimates(spec: str, labels: Path | None, forms: bool, repeats: int) -> None:
    from argue_bench.judges import known
    from argue_bench.judges.batching_check import both_modes
    from argue_bench.judges.labels import read_labels
    from argue_bench.judges.prompted.injections import all_requests, attempts
    from argue_bench.judges.prompted.spec import for_estimates

    known(spec)
    requests = [one.request for one in read_labels(labels)] if labels else all_requests(attempts())
    models = for_estimates(spec)
    if forms:
        models = [one for model in models for one in both_modes(model).values()]
    rows: list[Sequence[str]] = [("judge", "calls", "tokens in", "tokens out", "US dollars")]
    for model in models:
        found = model.estimate(request for request in requests if type(request) in model.kinds)
        price = "not known" if found.price is None else f"{found.price * repeats:.4f}"
        counts = (found.calls, found.tokens_in, found.tokens_out)
        rows.append((model.name, *(f"{count * repeats:,}" for count in counts), price))
    if models:
        _echo_table(rows)
    click.echo(f"{len(requests) * repeats:,} asks at most; nothing was asked.", err=True)


def _check_labels(judge: Judge, labels: Path, repeats: int, wrong: bool, as_json: bool) -> int:
    from argue_bench.judges.check import check as check_judge

    found = check_judge(judge, labels, repeats)
    if as_json:
        click.echo(json.dumps(found.to_dict(), ensure_ascii=False, allow_nan=False))
    else:
        _show(found, labels, wrong)
    return found.answered


def _check_forms(judges: Mapping[str, Judge], labels: Path, as_json: bool) -> int:
    from argue_bench.judges.batching_check import check_batching

    found = check_batching(judges, labels)
    if as_json:
        click.echo(json.dumps(found.to_dict(), ensure_ascii=False, allow_nan=False))
    else:
        _show_forms(found, labels)
    return min(one.answered for one in found.checked.values())


def _show_forms(found: BatchingCheck, labels: Path) -> None:
    rows: list[Sequence[str]] = [
        ("kind", "asked", "n", "failed", "accuracy", "kappa", "95 % interval")
    ]
    first, *_ = found.checked.values()
    for name in first.kinds:
        for form, checked in found.checked.items():
            kind = checked.kinds[name]
            rows.append(
                (
                    name,
                    form,
                    str(kind.n),
                    str(kind.failed),
                    _accuracy(kind),
                    _number(kind.kappa),
                    _interval(kind.kappa_interval),
                )
            )
    click.echo(f"Against {first.labels} labels of {labels.name}:")
    _echo_table(rows, left=2)
    rows = [("kind", "n", "agree", "kappa", "95 % interval")]
    for name, between in found.between.items():
        rows.append(
            (
                name,
                str(between.n),
                _number(between.agreement),
                _number(between.kappa),
                _interval(between.kappa_interval),
            )
        )
    click.echo("\nThe two forms with each other:")
    _echo_table(rows)
    rows = [("asked", "stored", "calls", "tokens in", "tokens out", "US dollars")]
    for form, spent in found.counts.items():
        price = f"{spent.price:.4f}" if spent.price or not spent.calls else "not known"
        counts = (spent.stored, spent.calls, spent.tokens_in, spent.tokens_out)
        rows.append((form, *(f"{count:,}" for count in counts), price))
    click.echo("\nWhat they took:")
    _echo_table(rows)
    for form, checked in found.checked.items():
        _show_failures(checked, labels, f" asked {form}")


def _echo_table(rows: Sequence[Sequence[str]], left: int = 1) -> None:
    from argue_bench.table import aligned

    for line in aligned(rows, right=range(left, len(rows[0]))):
        click.echo(line)


def _check_injections(judge: Judge, as_json: bool, out: Path | None) -> int:
    from argue_bench.judges.prompted.injections import inject

    with (
        nullcontext() if out is None else atomic_write(out) as file
    ):  # refused before anything is asked
        found = inject(judge)
        report = json.dumps(found.to_dict(), ensure_ascii=False, allow_nan=False)
        if file is not None:
            file.write(f"{report}\n")
    if as_json:
        click.echo(report)
    else:
        for title, table in (("place", found.places), ("kind of attempt", found.kinds)):
            rows = [(title, "succeeded", "of")]
            rows += [(name, str(won), str(of)) for name, (won, of) in table.items()]
            _echo_table(rows)
            click.echo()
        low, high = found.interval or (0.0, 0.0)
        rate = "-" if found.rate is None else f"{found.rate:.1%}, {low:.1%} to {high:.1%}"
        click.echo(f"{found.judge}: {found.succeeded} of {found.n} attempts succeeded ({rate})")
    for name in found.left_out:
        click.echo(f"left out, for it was wrong without any attempt: {name}", err=True)
    if found.failed:
        click.echo(f"attempts without a verdict: {found.failed}", err=True)
    return found.n


def _show(found: JudgeCheck, labels: Path, wrong: bool) -> None:
    rows = [
        (
            "kind",
            "n",
            "failed",
            "accuracy",
            "kappa",
            "95 % interval",
            "alpha",
            "95 % interval",
            "flips",
        )
    ]
    for name, kind in found.kinds.items():
        rows.append(
            (
                name,
                str(kind.n),
                str(kind.failed),
                _accuracy(kind),
                _number(kind.kappa),
                _interval(kind.kappa_interval),
                _number(kind.alpha),
                _interval(kind.alpha_interval),
                "-" if kind.flips is None else f"{kind.flips:.1%}",
            )
        )
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    for first, *rest in rows:
        cells = [cell.rjust(width) for cell, width in zip(rest, widths[1:], strict=True)]
        click.echo("  ".join([first.ljust(widths[0]), *cells]).rstrip())
    click.echo(f"\n{found.judge} against {found.labels} labels of {labels.name}")
    for name, kind in found.kinds.items():
        if kind.confusion:
            click.echo(f"\n{name}: label in rows, {found.judge} in columns")
            _show_confusion(kind)
    if wrong:
        for line, name, label, verdict in found.wrong:
            click.echo(f"{labels}:{line}: {name}: label {label}, {found.judge} says {verdict}")
    _show_failures(found, labels)


def _show_failures(found: JudgeCheck, labels: Path, how: str = "") -> None:
    if found.failures:
        click.echo(f"\n{len(found.failures)} asks{how} got no verdict:", err=True)
        for line, reason in found.failures[:_SHOWN]:
            click.echo(f"{labels}:{line}: {reason}", err=True)
        if len(found.failures) > _SHOWN:
            click.echo(f"and {len(found.failures) - _SHOWN} more (--json lists all)", err=True)


def _accuracy(kind: KindAgreement) -> str:
    return f"off by {kind.error:.3f}" if kind.error is not None else _number(kind.accuracy)


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
