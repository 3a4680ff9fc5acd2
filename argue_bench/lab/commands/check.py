"""``argue-bench judge check|card|get``: what is known of one judge.

check   its agreement with people's labels, or texts that try to steer it
card    both, as a table and as JSON
get     a published model that reads, fetched once by name
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from itertools import chain, groupby
from operator import itemgetter
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any

import click

from argue_bench.cli.commands import command, option
from argue_bench.cli.judging import paid_store, show_request_costs, show_spent
from argue_bench.cli.options import (
    PATH,
    budget_option,
    dry_run_option,
    format_option,
    limit_spending,
)
from argue_bench.cli.tables import print_as, show_table
from argue_bench.eval.flags import labelled_flags
from argue_bench.models.folder import fetch_model, fetched_folder, fetched_models
from argue_bench.records.atomic import atomic_write, write_json
from argue_bench.records.grouping import grouped
from argue_bench.records.table import Table, points

if TYPE_CHECKING:
    from argue_bench.judges import Judge
    from argue_bench.lab.label_agreement import JudgeCheck, KindAgreement


@command()
@click.argument("spec", metavar="JUDGE")
@option(
    "--labels",
    multiple=True,
    metavar="FILE|NAME",
    group="Input",
    help="A label file or the name of a public set, all, or llm-aggrefact=FOLDER; may be repeated. [default: every public set of kinds that it answers]",
)
@option(
    "--injections",
    type=PATH,
    group="Input",
    help="The report of: judge check JUDGE --injections FILE",
)
@budget_option
@option("--out", type=PATH, group="Output", help="The card as JSON.")
def card(
    spec: str,
    labels: tuple[str, ...],
    injections: Path | None,
    budget: float | None,
    out: Path | None,
) -> None:
    """Write how a judge agrees with people, set by set, what a verdict costs, and how easily it is steered.

    Example: argue-bench judge card lexical --labels labels.jsonl --out card.json
    """
    from argue_bench.lab.card import judge_card, read_report

    report = read_report(injections) if injections else None
    with within_budget(spec, "card", None, budget) as judge:
        made = asdict(judge_card(judge, labels or ("all",), report))
        _show(made)
        if out is not None:
            write_json(out, made, indent=1)
    if not made["sets"]:
        raise SystemExit(3)


def _show(card: dict[str, Any]) -> None:
    """Prints the judge's own figures, and those that others published on the same rows."""
    rows = []
    for row in card["sets"]:
        measures, floors = row["measures"], row["floors"]
        balanced = measures.get("balanced_accuracy")
        shown = [_value(measures.get(name)) for name in ("balanced_accuracy", "f1", "accuracy")]
        beside = [_value(floor.get("balanced_accuracy")) for _, floor in sorted(floors.items())]
        known = balanced is not None and balanced["low"] is not None
        ends = f"{balanced['low']:.2f} to {balanced['high']:.2f}" if known else "-"
        agreed = (shown[0], ends, *shown[1:], _value(row["kappa"]), " ".join(beside) or "-")
        rows.append((row["set"], row["kind"], f"{row['n']:,}", str(row["failed"]), *agreed))
    head = ("set", "kind", "n", "failed", "balanced", "95 % interval", "F1", "accuracy", "kappa")
    show_table(Table((*head, "floors"), rows, right=range(2, 10)))
    if others := [row for row in card["sets"] if row["published"]]:
        click.echo("\nBalanced accuracy of others on the same rows, as published:")
        show_table(_published(card["judge"], others))
        for source in sorted({row["source"] for row in others}):
            click.echo(f"Source: {source}.")
    # Sets of one publisher are often lost for one reason.
    for why, names in grouped((why, name) for name, why in card["left_out"].items()).items():
        click.echo(f"left out: {', '.join(names)}: {why}", err=True)
    if card["judge"] == labelled_flags()["judge"]:
        click.echo("\nHow often its flags were right on answers that people marked:")
        show_table(flag_table())
    if card["summary"]:
        click.echo(f"\n{card['judge']} {card['summary']}.")


def flag_table() -> Table:
    """The figures of `labelled_flags`, a row for each kind of task and tier of flags."""
    rows = []
    for one in labelled_flags()["sets"]:
        for tier, counts in {"all": one["flags"], **one["tiers"]}.items():
            shares = (
                (f"{p:.2f}", f"{low:.2f} to {high:.2f}")
                for p, low, high in (counts["precision"], counts["recall"])
            )
            flags = (f"{counts['right']:,} of {counts['n']:,}", *chain(*shares))
            rows.append((one["set"], one["task"], tier, *flags))
    ends = "95 % interval"
    return Table(
        ("set", "task", "flags", "right", "precision", ends, "recall", ends),
        rows,
        right=range(3, 8),
    )


def _published(judge: str, rows: list[dict[str, Any]]) -> Table:
    """Each set with published figures: the judge and the other models, in points, and their means."""
    models = list(dict.fromkeys(model for row in rows for model in row["published"]))
    columns = [
        [row["measures"].get("balanced_accuracy", {}).get("value") for row in rows],
        *([row["published"].get(model) for row in rows] for model in models),
    ]
    cells = [
        (row["set"], *map(points, values))
        for row, values in zip(rows, zip(*columns, strict=True), strict=True)
    ]
    # A mean over fewer sets would not be comparable.
    means = (None if None in column else fmean(column) for column in columns)
    cells.append(("mean", *map(points, means)))
    return Table(("set", judge, *models), cells, right=range(1, len(models) + 2))


def _value(measured: dict[str, Any] | None) -> str:
    value = measured and measured["value"]
    return "-" if value is None else f"{value:.3f}"


@command("get")
@click.argument("name", required=False)
def judge_get(name: str | None) -> None:
    """Fetch a published model that checks claims, once; without a name, list them.

    Example: argue-bench judge get tinylettuce-68m
    """
    if name is None:
        rows = [
            (
                key,
                f"{one.gigabytes:g} GB",
                f"{one.seconds:g} s",
                one.figure,
                one.licence,
                "here" if fetched_folder(key).is_dir() else "",
            )
            for key, one in fetched_models().items()
        ]
        head = ("name", "size", "400 tokens", "published", "licence", "")
        show_table(Table(head, rows, right=(1, 2)))
        return
    folder, record, new = fetch_model(name)
    model = fetched_models()[name]
    said = "fetched" if new else "is here, and its files are those that were fetched"
    click.echo(
        f"{name} {said}: {record['repository']} at {record['revision'][:12]}, {len(record['files'])} files, "
        f"licence {model.licence}, in {folder}"
    )
    if new and (trusted := sorted(record["files"].keys() - model.files.keys())):
        click.echo(
            f"No digest of {len(trusted)} of them was known beforehand: what the hub served just now was trusted, "
            "and every later fetch is held to it.",
            err=True,
        )
    click.echo(f"Use it: argue-bench evaluate ANSWERS --judge {name}")


# Requests without a verdict that are printed one by one.
_SHOWN = 10

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
    group="Input",
    help='Lines {"ask": {...}, "verdict": ...}, or a verdict store; a public set\'s name.',
)
@option(
    "--injections",
    type=PATH,
    group="Output",
    help="Count the planted instructions that change a verdict instead, and write the report, for a board to show.",
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
    labels: Path | None,
    injections: Path | None,
    repeats: int,
    store: Path | None,
    budget: float | None,
    dry_run: bool,
    wrong: bool,
    format: str,
) -> None:
    """Compare a judge with labels: confusion, accuracy, kappa with its interval, flips.

    Example: argue-bench judge check lexical --labels labels.jsonl

    Example: argue-bench judge check lexical --injections leaderboard-submissions/judges/lexical.json
    """
    from argue_bench.lab.label_sets import find_labels

    if injections is not None:
        _check_injections(spec, injections, store, budget)
        return
    if labels is None:
        raise click.UsageError("name --labels FILE to compare with, or --injections FILE to write")

    if store is not None and repeats > 1:
        raise click.UsageError("--repeats asks anew each time, so --store can't go with it")
    # Published figures are of the set of this name, whatever file it was fetched into.
    named, labels = str(labels).partition("=")[0], find_labels(labels)
    if dry_run:
        from argue_bench.judges.recorded import read_labels

        show_request_costs(spec, [one.request for one in read_labels(labels)], repeats, budget)
        return
    with within_budget(spec, f"{labels.stem}.check", store, budget, keep=repeats == 1) as judge:
        answered = _check_labels(judge, labels, named, repeats, wrong, format)
    if not answered:
        raise SystemExit(3)


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
        click.echo(
            "\nBeside what needs no judge (first: the share of the first verdict, such as yes):"
        )
        # A table for each kind, under its name, fits a terminal of 100 columns.
        for kind, some in groupby(measured.rows, key=itemgetter(0)):
            own = [row[1:] for row in some]
            show_table(Table((kind, *measured.head[2:]), own, right=range(1, 8)))
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
    return Table(
        ("kind", "by", "balanced", "95 %", "F1", "95 %", "accuracy", "95 %", "first"),
        rows,
        right=range(2, 9),
    )


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
    return "-" if ends is None or None in ends else f"{ends[0]:.2f} to {ends[1]:.2f}"


def _show_confusion(kind: KindAgreement) -> None:
    verdicts = sorted({verdict for row in kind.confusion for verdict in row[:2]})
    cells = {(label, verdict): count for label, verdict, count in kind.confusion}
    rows = [(one, *(str(cells.get((one, said), 0)) for said in verdicts)) for one in verdicts]
    show_table(Table(("", *verdicts), rows, right=range(len(verdicts) + 1)))


def _check_injections(spec: str, out: Path, store: Path | None, budget: float | None) -> None:
    """Counts the planted instructions that change a judge's verdict, and writes the report."""
    from argue_bench.lab.card import inject

    # The file is opened before the judge is asked, so that a wrong path costs nothing.
    with (
        atomic_write(out) as file,
        within_budget(spec, "injections.check", store, budget) as judge,
    ):
        found = inject(judge)
        file.write(f"{json.dumps(asdict(found), ensure_ascii=False, allow_nan=False)}\n")
    for title, counts in (("place", found.places), ("kind of attempt", found.kinds)):
        show_table(
            Table(
                (title, "succeeded", "of"),
                [(name, str(n.succeeded), str(n.attempts)) for name, n in counts.items()],
                right=(1, 2),
            )
        )
        click.echo()
    ends = "-" if found.rate is None else f"{found.rate:.1%}, {found.low:.1%} to {found.high:.1%}"
    click.echo(f"{found.judge}: {found.succeeded} of {found.attempts} attempts succeeded ({ends})")
    for name in found.left_out:
        click.echo(f"left out, wrong without any attempt: {name}", err=True)
    if found.failed:
        click.echo(f"attempts without a verdict: {found.failed}", err=True)
    if not found.attempts:
        raise SystemExit(3)
