"""``argue-bench judge check``: how far a judge agrees with people's labels."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from argue_bench.records.written import whole_file

if TYPE_CHECKING:
    from argue_bench.judges.check import Checked, Kind

_SHOWN = 10


@click.group()
def judge() -> None:
    """Examine judges.

    Example: argue-bench judge check lexical --labels labels.jsonl
    """


@judge.command()
@click.argument("spec", metavar="JUDGE")
@click.option(
    "--labels", type=click.Path(path_type=Path),
    help='Lines {"ask": {...}, "verdict": ...}, or a verdict store.',
)  # fmt: skip
@click.option("--injections", is_flag=True, help="How often texts that try to steer it succeed.")
@click.option(
    "--repeats", default=1, show_default=True, help="Ask so often, to see how often verdicts flip."
)
@click.option("--wrong", is_flag=True, help="List every label on which the judge differs.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    help="With --injections: write the report for a board.",
)
def check(
    spec: str,
    labels: Path | None,
    injections: bool,
    repeats: int,
    wrong: bool,
    as_json: bool,
    out: Path | None,
) -> None:
    """Compare a judge with labels: confusion, accuracy, kappa and alpha with intervals, flips.

    With --injections: put texts to it that try to steer it, and count how often they succeed.

    Example: argue-bench judge check lexical --labels labels.jsonl
    """
    from argue_bench.judges import create
    from argue_bench.judges.check import check as compare

    if repeats < 1:
        raise click.UsageError("a judge is asked at least once")
    if (labels is None) != injections:
        raise click.UsageError("say what to check it on: --labels FILE, or --injections")
    if labels is None:
        _check_injections(spec, as_json, out)
        return
    if out is not None:
        raise click.UsageError("--out goes with --injections")
    found = compare(create(spec), labels, repeats)
    if as_json:
        click.echo(json.dumps(found.to_dict(), ensure_ascii=False, allow_nan=False))
    else:
        _show(found, labels, wrong)
    if not found.answered:
        raise SystemExit(3)


def _check_injections(spec: str, as_json: bool, out: Path | None) -> None:
    from argue_bench.cli.tables import aligned
    from argue_bench.judges import create
    from argue_bench.judges.prompted.injections import inject

    found = inject(create(spec))
    report = json.dumps(found.to_dict(), ensure_ascii=False, allow_nan=False)
    if as_json:
        click.echo(report)
    else:
        for title, table in (("place", found.places), ("kind of attempt", found.kinds)):
            rows = [(title, "succeeded", "of")]
            rows += [(name, str(won), str(of)) for name, (won, of) in table.items()]
            for line in aligned(rows, right=(1, 2)):
                click.echo(line)
            click.echo()
        low, high = found.interval or (0.0, 0.0)
        rate = "-" if found.rate is None else f"{found.rate:.1%}, {low:.1%} to {high:.1%}"
        click.echo(f"{found.judge}: {found.succeeded} of {found.n} attempts succeeded ({rate})")
    for name in found.left_out:
        click.echo(f"left out, for it was wrong without any attempt: {name}", err=True)
    if found.failed:
        click.echo(f"attempts without a verdict: {found.failed}", err=True)
    if out is not None:
        with whole_file(out) as file:
            file.write(f"{report}\n")
    if not found.n:
        raise SystemExit(3)


def _show(found: Checked, labels: Path, wrong: bool) -> None:
    rows = [
        ("kind", "n", "failed", "accuracy", "kappa", "95 % interval", "alpha", "95 % interval", "flips")
    ]  # fmt: skip
    for name, kind in found.kinds.items():
        rows.append(
            (
                name, str(kind.n), str(kind.failed), _accuracy(kind),
                _number(kind.kappa), _interval(kind.kappa_interval),
                _number(kind.alpha), _interval(kind.alpha_interval),
                "-" if kind.flips is None else f"{kind.flips:.1%}",
            )
        )  # fmt: skip
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
    if found.failures:
        click.echo(f"\n{len(found.failures)} asks got no verdict:", err=True)
        for line, reason in found.failures[:_SHOWN]:
            click.echo(f"{labels}:{line}: {reason}", err=True)
        if len(found.failures) > _SHOWN:
            click.echo(f"and {len(found.failures) - _SHOWN} more (--json lists all)", err=True)


def _accuracy(kind: Kind) -> str:
    return f"off by {kind.error:.3f}" if kind.error is not None else _number(kind.accuracy)


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"


def _interval(ends: tuple[float, float] | None) -> str:
    return "-" if ends is None else f"{ends[0]:.2f} to {ends[1]:.2f}"


def _show_confusion(kind: Kind) -> None:
    verdicts = sorted({verdict for row in kind.confusion for verdict in row[:2]})
    cells = {(label, verdict): count for label, verdict, count in kind.confusion}
    width = max(6, *map(len, verdicts)) + 2
    click.echo(" " * width + "".join(verdict.rjust(width) for verdict in verdicts))
    for label in verdicts:
        counts = (str(cells.get((label, verdict), 0)).rjust(width) for verdict in verdicts)
        click.echo(label.rjust(width) + "".join(counts))
