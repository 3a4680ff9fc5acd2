"""``argue-bench judge agreement``: a judge's scores beside people's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from argue_bench.cli.commands import as_field, command, option, options
from argue_bench.cli.options import PATH, format_option
from argue_bench.cli.tables import print_as, show_note, show_table
from argue_bench.records.grouping import grouped
from argue_bench.records.table import Table
from argue_bench.stats.permutation import ALPHA

if TYPE_CHECKING:
    from argue_bench.lab.agreement import Agreement, CorrelationEstimate
    from argue_bench.lab.score_table import Like, OnMissing


@dataclass(frozen=True)
class Study:
    """The options of a comparison: files, measures and methods."""

    truth: tuple[Path, ...] = as_field(
        option(multiple=True, required=True, type=PATH, group="Input", help="Scores by people.")
    )
    judge_scores: tuple[Path, ...] = as_field(
        option(multiple=True, required=True, type=PATH, group="Input", help="Scores by the judge.")
    )
    truth_format: str = as_field(
        option(
            default="",
            group="Input",
            help="tot, ir_measures, trec_eval, rag4reports, ranking or jsonl; run files need none.",
        )
    )
    judge_format: str = as_field(option(default="", group="Input", help="The same of the judge's."))
    truth_measures: tuple[str, ...] = as_field(
        option("--truth-measure", multiple=True, group="Input", help="A measure; may be repeated.")
    )
    judge_measures: tuple[str, ...] = as_field(
        option("--judge-measure", multiple=True, group="Input", help="A measure; may be repeated.")
    )
    methods: tuple[str, ...] = as_field(
        option(
            "-m",
            "--method",
            multiple=True,
            group="Statistics",
            help="kendall, spearman, pearson, tauap_b, tau_gap, or METHOD@K; may be repeated.",
        )
    )
    on_missing: OnMissing = as_field(
        option(
            type=click.Choice(["error", "skip", "default"]),
            default="error",
            group="Statistics",
            help="What becomes of runs and topics that one side lacks.",
        )
    )
    compat: Like | None = as_field(
        option(
            type=click.Choice(["autojudge"]),
            group="Advanced",
            help="Compute exactly what autojudge-evaluate computes.",
        )
    )


@command()
@options("study", Study)
@format_option
def agreement(study: Study, format: str) -> None:
    """Compare a judge's scores with people's: rankings, significance and bias.

    Example: argue-bench judge agreement --truth people.tot --truth-format tot --judge-scores runs
    """
    from argue_bench.lab.agreement import measure_agreement
    from argue_bench.lab.score_table import AgreementStudy, read_scores
    from argue_bench.stats.bootstrap import RESAMPLES
    from argue_bench.stats.correlation import METHODS

    truth = read_scores(study.truth, study.truth_format)
    judge = read_scores(study.judge_scores, study.judge_format)
    compared = AgreementStudy(
        truth,
        judge,
        truth_measures=study.truth_measures or None,
        judge_measures=study.judge_measures or None,
        on_missing=study.on_missing,
        like=study.compat or "",
    )
    default = (*METHODS[:4], "kendall@10") if study.compat else METHODS
    found = measure_agreement(
        compared,
        tuple(dict.fromkeys(study.methods)) or default,
        resamples=RESAMPLES,
    )
    settings = {
        "truth": truth.source,
        "judge": judge.source,
        "on-missing": study.on_missing,
        "aggregates": "as-given" if study.compat else "recompute",
        **({"compat": study.compat} if study.compat else {}),
        "resamples": str(RESAMPLES),
    }
    plain = {"settings": settings, "agreement": [one.to_dict() for one in found]}
    if not print_as(format, plain, _whole_table(found)):
        _show(found, settings)
        show_note((*study.truth, *study.judge_scores))


def _whole_table(found: Sequence[Agreement]) -> Table:
    """Every correlation of every pair of measures, for other programs."""
    head = ("judge", "truth", "runs", "topics", "correlation", "systems", "interval")
    rows = [
        (
            *(
                one.judge_measure,
                one.truth_measure,
                str(len(one.runs)),
                str(len(one.topics)),
                method,
            ),
            *_estimate(system),
            *_estimate(one.within[method]),
        )
        for one in found
        for method, system in one.systems.items()
    ]
    return Table((*head, "within topics", "interval"), rows, right=(2, 3, 5, 6, 7, 8))


def _show(found: Sequence[Agreement], settings: Mapping[str, str]) -> None:
    for one in found:
        _show_whole(one)
        for note in one.notes:
            click.echo(f"note: {note}")
        click.echo()
    shown = " | ".join(f"{key}={value}" for key, value in settings.items())
    click.echo(click.style(click.wrap_text(shown, 98), dim=True))


def _show_whole(one: Agreement) -> None:
    title = f"{one.judge_measure} (judge) against {one.truth_measure} (truth)"
    click.echo(click.style(f"{title}: {len(one.runs)} runs, {len(one.topics)} topics", bold=True))
    rows = [
        (method, *_estimate(system), *_estimate(one.within[method]))
        for method, system in one.systems.items()
    ]
    head = ("correlation", "systems", "95 % interval", "within topics", "95 % interval")
    show_table(Table(head, rows, right=range(1, 5)))
    noted = ((system.note, method) for method, system in one.systems.items() if system.note)
    for note, methods in grouped(noted).items():
        click.echo(f"{', '.join(methods)}: {note}")
    if one.pairwise:
        shown = ", ".join(
            f"{outcome} {count} ({count / len(one.pairwise):.0%})"
            for outcome, count in one.outcomes.items()
        )
        click.echo(f"{len(one.pairwise)} pairs at {ALPHA:g}: {shown}")
        for verdict in [v for v in one.pairwise if v.outcome == "opposite"][:5]:
            better, worse = (verdict.first, verdict.second)[:: verdict.truth]
            click.echo(f"  opposite: truth has {better} above {worse}, the judge below")
    runs = sorted(one.bias_by_run, key=lambda run: one.bias_by_run[run])
    low, high = runs[0], runs[-1]
    click.echo(
        f"judge - truth: mean {one.bias:+.3f}, from {one.bias_by_run[low]:+.3f} ({low}) to {one.bias_by_run[high]:+.3f} ({high})"
    )
    first = next(iter(one.systems))
    for what, left in one.left_out.items():
        defined = {name: value for name, value in left.items() if value is not None}
        if defined:
            low, high = (pick(defined, key=lambda name: defined[name]) for pick in (min, max))
            click.echo(
                f"{first} without one {what}: {defined[low]:.3f} (without {low}) to "
                f"{defined[high]:.3f} (without {high})"
            )


def _estimate(found: CorrelationEstimate) -> tuple[str, str]:
    value = "-" if found.value is None else f"{found.value:.3f}"
    return (
        value,
        "-" if None in (found.low, found.high) else f"{found.low:.3f} to {found.high:.3f}",
    )
