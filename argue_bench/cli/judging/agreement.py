"""``argue-bench agreement``: can a judge be trusted?"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from argue_bench.cli.numbers import A_SEED, TIMES

if TYPE_CHECKING:
    from argue_bench.analysis.agreement import Agreement, CorrelationEstimate
    from argue_bench.analysis.pairwise import Correction, Test
    from argue_bench.analysis.rankings import Aggregates, Like, OnMissing
    from argue_bench.analysis.score_table import ScoreTable

FORMATS_HELP = "trec_eval, tot, ir_measures, ranking, jsonl, run or results."


@click.group(invoke_without_command=True)
@click.option(
    "--truth",
    multiple=True,
    type=click.Path(path_type=Path),
    help="Scores by people: a file or folder; may be repeated.",
)
@click.option(
    "--judge", multiple=True, type=click.Path(path_type=Path), help="Scores by the judge, likewise."
)
@click.option("--truth-format", default="", help=FORMATS_HELP)
@click.option("--judge-format", default="", help="Likewise.")
@click.option(
    "--truth-measure",
    "truth_measures",
    multiple=True,
    help="All by default, each with each of the judge's; may be repeated.",
)
@click.option("--judge-measure", "judge_measures", multiple=True, help="Likewise.")
@click.option(
    "-m",
    "--method",
    "methods",
    multiple=True,
    help="kendall, spearman, pearson, tauap_b, tau_gap; @k for the k best by truth.",
)
@click.option("--topic", "topics", multiple=True, help="Only this topic; may be repeated.")
@click.option("--run", "runs", multiple=True, help="Only this run; may be repeated.")
@click.option(
    "--on-missing",
    type=click.Choice(["error", "warn", "skip", "default"]),
    default="error",
    show_default=True,
    help="How to treat missing runs or topics.",
)
@click.option(
    "--aggregates",
    type=click.Choice(["recompute", "as-given", "recompute-truth", "recompute-judge"]),
    help="Whether rows of the topic 'all' are believed; recomputed by default.",
)
@click.option("--only-shared-runs", is_flag=True, help="Leave out runs that one side lacks.")
@click.option("--only-shared-topics", is_flag=True, help="Leave out topics that one side lacks.")
@click.option("--groups", type=click.Path(path_type=Path), help="Lines 'run group', or JSON.")
@click.option("--group-by", default="", metavar="REGEX", help="The group is its first bracket.")
@click.option("--teams", type=click.Path(path_type=Path), help="Lines 'run team', or JSON.")
@click.option("--team-by", default="", metavar="REGEX", help="The team is its first bracket.")
@click.option("--alpha", default=0.05, show_default=True, help="Level of the pairwise tests.")
@click.option(
    "--test", type=click.Choice(["wilcoxon", "permutation"]), default="wilcoxon", show_default=True
)
@click.option(
    "--correction", type=click.Choice(["none", "holm"]), default="none", show_default=True
)
@click.option(
    "--resamples", type=TIMES, default=10_000, show_default=True, help="Bootstrap over topics."
)
@click.option("--seed", type=A_SEED, help="Of the resamples.")
@click.option(
    "--like", type=click.Choice(["autojudge"]), help="Reproduce autojudge-evaluate exactly."
)
@click.option("--per-topic", is_flag=True, help="Show every topic.")
@click.option("--json", "as_json", is_flag=True, help="Print everything as JSON.")
def agreement(
    truth: tuple[Path, ...],
    judge: tuple[Path, ...],
    truth_format: str,
    judge_format: str,
    groups: Path | None,
    group_by: str,
    teams: Path | None,
    team_by: str,
    **options: Any,
) -> None:
    """Compare a judge's scores with people's.

    Rankings, significance and bias, with intervals.

    Example: argue-bench agreement --truth people.tot --truth-format tot --judge judge.run.jsonl
    """
    if click.get_current_context().invoked_subcommand is not None:
        return
    if not truth or not judge:
        raise click.UsageError("name both sides: --truth FILE --judge FILE")
    from argue_bench.analysis.score_table import read_scores
    from argue_bench.cli.tables import show_note

    people, machine = read_scores(truth, truth_format), read_scores(judge, judge_format)
    names = sorted({*people.runs, *machine.runs})
    _study(
        people,
        machine,
        _mapping(names, groups, group_by),
        _mapping(names, teams, team_by),
        **options,
    )
    if not options["as_json"]:
        show_note((*truth, *judge))


@agreement.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--from", "source", default="", help=FORMATS_HELP)
@click.option("--to", "format", required=True, help="trec_eval (a folder), tot, ir_measures, ...")
@click.option("--out", required=True, type=click.Path(path_type=Path), help="File or folder.")
@click.option("--aggregates", is_flag=True, help="Also the rows of the topic 'all'.")
def export(files: tuple[Path, ...], source: str, format: str, out: Path, aggregates: bool) -> None:
    """Write scores in another format.

    Example: argue-bench agreement export alpha.run.jsonl --to tot --out alpha.tot
    """
    from argue_bench.analysis.score_export import export_scores
    from argue_bench.analysis.score_table import read_scores

    for path in export_scores(read_scores(files, source), format, out, aggregates):
        click.echo(f"wrote {path}", err=True)


def _study(
    truth: ScoreTable,
    judge: ScoreTable,
    groups: Mapping[str, str],
    teams: Mapping[str, str],
    *,
    methods: Sequence[str] = (),
    topics: Sequence[str] = (),
    runs: Sequence[str] = (),
    truth_measures: Sequence[str] = (),
    judge_measures: Sequence[str] = (),
    on_missing: OnMissing = "error",
    aggregates: Aggregates | None = None,
    like: Like | None = None,
    only_shared_runs: bool = False,
    only_shared_topics: bool = False,
    alpha: float = 0.05,
    test: Test = "wilcoxon",
    correction: Correction = "none",
    resamples: int = 10_000,
    seed: int | None = None,
    per_topic: bool = False,
    as_json: bool = False,
) -> None:
    from argue_bench.analysis.agreement import measure_agreement
    from argue_bench.analysis.pairwise import PairTest
    from argue_bench.analysis.rankings import AgreementStudy
    from argue_bench.stats.bootstrap import SEED
    from argue_bench.stats.correlation import METHODS

    if not 0 < alpha < 1:
        raise click.UsageError("alpha lies between 0 and 1")
    study = AgreementStudy(
        truth,
        judge,
        tuple(topics) or None,
        tuple(runs) or None,
        tuple(truth_measures) or None,
        tuple(judge_measures) or None,
        on_missing,
        aggregates,
        only_shared_runs,
        only_shared_topics,
        like or "",
    )
    default = (*METHODS[:4], "kendall@10") if like else METHODS
    chosen = tuple(dict.fromkeys(methods)) or default
    seed = SEED if seed is None else seed
    found = measure_agreement(
        study,
        chosen,
        groups=groups,
        teams=teams,
        tests=PairTest(alpha, test, correction),
        resamples=resamples,
        seed=seed,
    )
    settings = {
        "truth": truth.source,
        "judge": judge.source,
        "on-missing": on_missing,
        "aggregates": aggregates or ("as-given" if like else "recompute"),
        **({"like": like} if like else {}),
        "test": test,
        "alpha": f"{alpha:g}",
        "correction": correction,
        "resamples": str(resamples),
        "seed": str(seed),
    }
    if as_json:
        plain = {"settings": settings, "agreement": [one.to_dict() for one in found]}
        click.echo(json.dumps(plain, ensure_ascii=False, allow_nan=False))
        return
    _show(found, settings, per_topic)
    if on_missing == "warn":
        for note in dict.fromkeys(note for one in found for note in one.notes):
            click.echo(f"warning: {note}", err=True)


def _show(found: Sequence[Agreement], settings: Mapping[str, str], per_topic: bool) -> None:
    whole = [one for one in found if not one.group]
    for one in whole:
        _show_whole(one, settings)
        pair = (one.truth_measure, one.judge_measure)
        _show_groups([g for g in found if g.group and (g.truth_measure, g.judge_measure) == pair])
        if per_topic:
            _show_topics(one)
        for note in one.notes:
            click.echo(f"note: {note}")
        click.echo()
    told = " | ".join(f"{key}={value}" for key, value in settings.items())
    click.echo(click.style(click.wrap_text(told, 98), dim=True))


def _show_whole(one: Agreement, settings: Mapping[str, str]) -> None:
    from argue_bench.table import aligned

    title = f"{one.judge_measure} (judge) against {one.truth_measure} (truth)"
    click.echo(click.style(f"{title}: {len(one.runs)} runs, {len(one.topics)} topics", bold=True))
    rows = [("correlation", "systems", "95 % interval", "within topics", "95 % interval")]
    for method, system in one.systems.items():
        within = one.within[method]
        rows.append((method, *_estimate(system), *_estimate(within)))
    for line in aligned(rows, right=range(1, 5)):
        click.echo(line)
    notes: dict[str, list[str]] = {}
    for method, system in one.systems.items():
        if system.note:
            notes.setdefault(system.note, []).append(method)
    for note, methods in notes.items():
        click.echo(f"{', '.join(methods)}: {note}")
    if one.pairwise:
        told = ", ".join(
            f"{outcome} {count} ({count / len(one.pairwise):.0%})"
            for outcome, count in one.outcomes.items()
        )
        click.echo(f"{len(one.pairwise)} pairs at {settings['alpha']}: {told}")
        for verdict in [v for v in one.pairwise if v.outcome == "opposite"][:5]:
            better, worse = (verdict.first, verdict.second)[:: verdict.truth]
            click.echo(f"  opposite: truth has {better} above {worse}, the judge below")
    runs = sorted(one.bias_by_run, key=lambda run: one.bias_by_run[run])
    low, high = runs[0], runs[-1]
    click.echo(
        f"judge - truth: mean {one.bias:+.3f}, from {one.bias_by_run[low]:+.3f} ({low}) to "
        f"{one.bias_by_run[high]:+.3f} ({high})"
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
    from argue_bench.table import aligned

    if not groups:
        return
    first = next(iter(groups[0].systems))
    rows = [("group", "runs", first, "95 % interval", "within topics", "pairs agree", "opposite")]
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
    for line in aligned(rows, right=range(1, 7)):
        click.echo(line)


def _show_topics(one: Agreement) -> None:
    from argue_bench.table import aligned

    rows = [("topic", *one.systems)]
    for topic, values in one.per_topic.items():
        rows.append((topic, *("-" if v is None else f"{v:.3f}" for v in values.values())))
    for line in aligned(rows, right=range(1, len(rows[0]))):
        click.echo(line)


def _mapping(names: Sequence[str], file: Path | None, pattern: str) -> dict[str, str]:
    """Run to group, from a file or from the run's name."""
    if file is not None and pattern:
        raise click.UsageError("name groups by a file or by a pattern, not by both")
    if file is not None:
        from argue_bench.analysis.run_groups import read_groups

        return read_groups(file)
    if not pattern:
        return {}
    try:
        found = {name: re.search(pattern, name) for name in names}
    except re.error as error:
        raise click.UsageError(f"{pattern!r} is no regular expression: {error}") from None
    groups = {name: match[1 if match.re.groups else 0] for name, match in found.items() if match}
    if not groups:
        raise click.UsageError(f"{pattern!r} matches no run; the first is {names[0]!r}")
    return groups
