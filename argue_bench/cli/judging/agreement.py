"""``argue-bench judge agreement``: a judge's scores beside people's."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from argue_bench.cli.commands import Group, option
from argue_bench.cli.options import PATH, TIMES, all_of, format_option, group_options, seed_option
from argue_bench.cli.tables import print_as, show_table
from argue_bench.table import Table

if TYPE_CHECKING:
    from argue_bench.analysis.agreement import Agreement, CorrelationEstimate
    from argue_bench.analysis.pairwise import Correction, Test
    from argue_bench.analysis.rankings import Aggregates, Like, OnMissing
    from argue_bench.analysis.score_table import ScoreTable


@dataclass(frozen=True)
class Study:
    """The options of a comparison: measures, methods, topics and runs."""

    truth_measures: tuple[str, ...]
    judge_measures: tuple[str, ...]
    methods: tuple[str, ...]
    topics: tuple[str, ...]
    runs: tuple[str, ...]
    on_missing: OnMissing
    aggregates: Aggregates | None
    only_shared_runs: bool
    only_shared_topics: bool
    alpha: float
    test: Test
    correction: Correction
    resamples: int
    seed: int | None
    compat: Like | None
    per_topic: bool
    format: str


@dataclass(frozen=True)
class Grouping:
    """How runs are grouped: by a file, or by their names."""

    groups: Path | None
    group_by: str
    teams: Path | None
    team_by: str


_SOURCES = all_of(
    option("--truth", multiple=True, type=PATH),
    option("--judge-scores", multiple=True, type=PATH),
    option("--truth-format", default=""),
    option("--judge-format", default=""),
)
_GROUPING = group_options(
    "grouping",
    Grouping,
    option("--groups", type=PATH),
    option("--group-by", default="", metavar="REGEX"),
    option("--teams", type=PATH),
    option("--team-by", default="", metavar="REGEX"),
)
_STUDY = group_options(
    "study",
    Study,
    option("--truth-measure", "truth_measures", multiple=True),
    option("--judge-measure", "judge_measures", multiple=True),
    option("--topic", "topics", multiple=True),
    option("--run", "runs", multiple=True),
    option("-m", "--method", "methods", multiple=True),
    option(
        "--on-missing", type=click.Choice(["error", "warn", "skip", "default"]), default="error"
    ),
    option(
        "--aggregates",
        type=click.Choice(["recompute", "as-given", "recompute-truth", "recompute-judge"]),
    ),
    option("--only-shared-runs", is_flag=True),
    option("--only-shared-topics", is_flag=True),
    option("--alpha", default=0.05),
    option("--test", type=click.Choice(["wilcoxon", "permutation"]), default="wilcoxon"),
    option("--correction", type=click.Choice(["none", "holm"]), default="none"),
    option("--resamples", type=TIMES, default=10000),
    seed_option,
    option("--compat", type=click.Choice(["autojudge"])),
    option("--per-topic", is_flag=True),
    format_option,
)


@click.group(cls=Group, invoke_without_command=True)
@_SOURCES
@_GROUPING
@_STUDY
def agreement(
    truth: tuple[Path, ...],
    judge_scores: tuple[Path, ...],
    truth_format: str,
    judge_format: str,
    grouping: Grouping,
    study: Study,
) -> None:
    """Compare a judge's scores with people's: rankings, significance and bias.

    Example: argue-bench judge agreement --truth people.tot --judge-scores judge.run.jsonl
    """
    if click.get_current_context().invoked_subcommand is not None:
        return
    if not truth or not judge_scores:
        raise click.UsageError("name both sides: --truth FILE --judge-scores FILE")
    from argue_bench.analysis.score_table import read_scores
    from argue_bench.cli.tables import show_note

    people, machine = read_scores(truth, truth_format), read_scores(judge_scores, judge_format)
    names = sorted({*people.runs, *machine.runs})
    groups = _mapping(names, grouping.groups, grouping.group_by)
    teams = _mapping(names, grouping.teams, grouping.team_by)
    _print_study(people, machine, groups, teams, study)
    if study.format == "text":
        show_note((*truth, *judge_scores))


@agreement.command()
@click.argument("files", nargs=-1, required=True, type=PATH)
@option("--from", "source", default="")
@option("--to", "target", required=True)
@option("--out", required=True, type=PATH)
@option("--aggregates", is_flag=True)
def export(files: tuple[Path, ...], source: str, target: str, out: Path, aggregates: bool) -> None:
    """Write scores in another format.

    Example: argue-bench judge agreement export alpha.run.jsonl --to tot --out alpha.tot
    """
    from argue_bench.analysis.score_export import export_scores
    from argue_bench.analysis.score_table import read_scores

    for path in export_scores(read_scores(files, source), target, out, aggregates):
        click.echo(f"wrote {path}", err=True)


def _print_study(
    truth: ScoreTable,
    judge: ScoreTable,
    groups: Mapping[str, str],
    teams: Mapping[str, str],
    study: Study,
) -> None:
    from argue_bench.analysis.agreement import measure_agreement
    from argue_bench.analysis.pairwise import PairTest
    from argue_bench.analysis.rankings import AgreementStudy
    from argue_bench.stats.bootstrap import SEED as DEFAULT_SEED
    from argue_bench.stats.correlation import METHODS

    if not 0 < study.alpha < 1:
        raise click.UsageError("alpha lies between 0 and 1")
    compared = AgreementStudy(
        truth,
        judge,
        study.topics or None,
        study.runs or None,
        study.truth_measures or None,
        study.judge_measures or None,
        study.on_missing,
        study.aggregates,
        study.only_shared_runs,
        study.only_shared_topics,
        study.compat or "",
    )
    default = (*METHODS[:4], "kendall@10") if study.compat else METHODS
    seed = DEFAULT_SEED if study.seed is None else study.seed
    found = measure_agreement(
        compared,
        tuple(dict.fromkeys(study.methods)) or default,
        groups=groups,
        teams=teams,
        tests=PairTest(study.alpha, study.test, study.correction),
        resamples=study.resamples,
        seed=seed,
    )
    settings = {
        "truth": truth.source,
        "judge": judge.source,
        "on-missing": study.on_missing,
        "aggregates": study.aggregates or ("as-given" if study.compat else "recompute"),
        **({"compat": study.compat} if study.compat else {}),
        "test": study.test,
        "alpha": f"{study.alpha:g}",
        "correction": study.correction,
        "resamples": str(study.resamples),
        "seed": str(seed),
    }
    plain = {"settings": settings, "agreement": [one.to_dict() for one in found]}
    if print_as(study.format, plain, _whole_table(found)):
        return
    _show(found, settings, study.per_topic)
    if study.on_missing == "warn":
        for note in dict.fromkeys(note for one in found for note in one.notes):
            click.echo(f"warning: {note}", err=True)


def _whole_table(found: Sequence[Agreement]) -> Table:
    """Every correlation of every pair of measures and group, for other programs."""
    head = ("judge", "truth", "group", "runs", "topics", "correlation", "systems", "interval")
    rows = [
        (
            *(one.judge_measure, one.truth_measure, one.group),
            *(str(len(one.runs)), str(len(one.topics)), method),
            *_estimate(system),
            *(_estimate(one.within[method]) if method in one.within else ("-", "-")),
        )
        for one in found
        for method, system in {
            **one.systems,
            "same order": one.order,
            "judge - truth": one.bias_interval,
        }.items()
    ]
    return Table((*head, "within topics", "interval"), rows, right=(3, 4, 6, 7, 8, 9))


def _show(found: Sequence[Agreement], settings: Mapping[str, str], per_topic: bool) -> None:
    for one in found:
        if one.group:
            continue
        _show_whole(one, settings)
        pair = (one.truth_measure, one.judge_measure)
        _show_groups([g for g in found if g.group and (g.truth_measure, g.judge_measure) == pair])
        if per_topic:
            _show_topics(one)
        for note in one.notes:
            click.echo(f"note: {note}")
        click.echo()
    shown = " | ".join(f"{key}={value}" for key, value in settings.items())
    click.echo(click.style(click.wrap_text(shown, 98), dim=True))


def _show_whole(one: Agreement, settings: Mapping[str, str]) -> None:
    title = f"{one.judge_measure} (judge) against {one.truth_measure} (truth)"
    click.echo(click.style(f"{title}: {len(one.runs)} runs, {len(one.topics)} topics", bold=True))
    rows = [
        (method, *_estimate(system), *_estimate(one.within[method]))
        for method, system in one.systems.items()
    ]
    head = ("correlation", "systems", "95 % interval", "within topics", "95 % interval")
    show_table(Table(head, rows, right=range(1, 5)))
    notes: dict[str, list[str]] = {}
    for method, system in one.systems.items():
        if system.note:
            notes.setdefault(system.note, []).append(method)
    for note, methods in notes.items():
        click.echo(f"{', '.join(methods)}: {note}")
    if one.pairwise:
        shown = ", ".join(
            f"{outcome} {count} ({count / len(one.pairwise):.0%})"
            for outcome, count in one.outcomes.items()
        )
        click.echo(f"{len(one.pairwise)} pairs at {settings['alpha']}: {shown}")
        for verdict in [v for v in one.pairwise if v.outcome == "opposite"][:5]:
            better, worse = (verdict.first, verdict.second)[:: verdict.truth]
            click.echo(f"  opposite: truth has {better} above {worse}, the judge below")
    share, order = _estimate(one.order)
    click.echo(f"pairs of runs in the same order: {share}, 95 % interval {order}")
    runs = sorted(one.bias_by_run, key=lambda run: one.bias_by_run[run])
    low, high = runs[0], runs[-1]
    click.echo(
        f"judge - truth: mean {one.bias:+.3f}, 95 % interval {_estimate(one.bias_interval)[1]}; from "
        f"{one.bias_by_run[low]:+.3f} ({low}) to {one.bias_by_run[high]:+.3f} ({high})"
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
    if found.low is None or found.high is None:
        return value, "-"
    return value, f"{found.low:.3f} to {found.high:.3f}"


def _show_groups(groups: Sequence[Agreement]) -> None:
    if not groups:
        return
    first = next(iter(groups[0].systems))
    rows = []
    for one in groups:
        share = f"{one.outcomes['agree'] / len(one.pairwise):.0%}" if one.pairwise else "-"
        rows.append(
            (
                one.group,
                str(len(one.runs)),
                *_estimate(one.systems[first]),
                _estimate(one.within[first])[0],
                share,
                str(one.outcomes["opposite"]),
            )
        )
    head = ("group", "runs", first, "95 % interval", "within topics", "pairs agree", "opposite")
    show_table(Table(head, rows, right=range(1, 7)))


def _show_topics(one: Agreement) -> None:
    rows = [
        (topic, *("-" if value is None else f"{value:.3f}" for value in values.values()))
        for topic, values in one.per_topic.items()
    ]
    show_table(Table(("topic", *one.systems), rows, right=range(1, len(one.systems) + 1)))


def _mapping(names: Sequence[str], file: Path | None, pattern: str) -> dict[str, str]:
    """Run to group, from a file or from the run's name."""
    if file is not None and pattern:
        raise click.UsageError("name groups by a file or by a pattern, not by both")
    if file is not None:
        from argue_bench.analysis.score_table import read_groups

        return read_groups(file)
    if not pattern:
        return {}
    try:
        found = {name: re.search(pattern, name) for name in names}
    except re.error as error:
        raise click.UsageError(f"{pattern!r} is not a regular expression: {error}") from None
    groups = {name: match[1 if match.re.groups else 0] for name, match in found.items() if match}
    if not groups:
        raise click.UsageError(f"{pattern!r} matches no run; the first is {names[0]!r}")
    return groups
