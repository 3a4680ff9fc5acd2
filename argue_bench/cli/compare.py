"""``argue-bench compare``: which differences between systems are real."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from argue_bench.cli.numbers import A_SEED, TIMES

if TYPE_CHECKING:
    from argue_bench.analysis.compare import Comparison, Difference
    from argue_bench.eval.report import Report

_SHOWN = 3


@click.command()
@click.argument("runs", nargs=-1, required=True, metavar="[NAME=]RUN...")
@click.option("-s", "--score", "scores", multiple=True, help="Score to compare; may be repeated.")
@click.option("--all-scores", is_flag=True, help="Test every score, not the headlines alone.")
@click.option("--on", default="", help="Data set (name or folder) that knows the categories.")
@click.option("--data", type=click.Path(path_type=Path), help="A local copy of that data set.")
@click.option("--split", default="", help="Split of that data set.")
@click.option(
    "--resamples", type=TIMES, default=10_000, show_default=True, help="Of the bootstrap."
)
@click.option("--permutations", type=TIMES, help="Of the test; 10,000, more for long tables.")
@click.option("--seed", type=A_SEED, help="Of resamples and permutations.")
@click.option(
    "--bands", type=click.Path(path_type=Path), help="Write bands.json of the first score."
)
@click.option("--json", "as_json", is_flag=True, help="Print everything as JSON.")
def compare(
    runs: tuple[str, ...],
    scores: tuple[str, ...],
    all_scores: bool,
    on: str,
    data: Path | None,
    split: str,
    resamples: int,
    permutations: int | None,
    seed: int | None,
    bands: Path | None,
    as_json: bool,
) -> None:
    """Compare systems from run files: intervals, paired tests, rank bands.

    RUN is what `evaluate --out RUN` wrote. Differences are the first system's score minus the
    second's; p is corrected over the whole table (Holm). Systems that were scored differently are
    refused.

    Example: argue-bench compare alpha.run.jsonl beta.run.jsonl
    """
    from argue_bench.analysis.compare import compare_reports, headline_scores
    from argue_bench.loaders.core import dataset_note
    from argue_bench.stats.bootstrap import SEED

    reports = read_systems(runs)
    chosen = list(scores) or (None if all_scores else headline_scores(reports))
    found = compare_reports(
        reports,
        scores=chosen,
        resamples=resamples,
        categories=_categories(on, data, split, next(iter(reports.values())).dataset),
        permutations=permutations,
        seed=SEED if seed is None else seed,
    )
    banded = found.rank_bands()
    if bands is not None:
        _write_bands(bands, banded)
    if as_json:
        click.echo(json.dumps({**found.to_dict(), "bands": banded}, ensure_ascii=False))
        return
    _show(found, banded)
    if note := dataset_note(next(iter(reports.values())).dataset):
        click.echo(f"\n{note}", err=True)


def read_systems(runs: Sequence[str]) -> dict[str, Report]:
    """The reports of run files by system: NAME= where given, else the run's name or the file's."""
    from argue_bench.analysis.score_table import run_name
    from argue_bench.errors import UsageError
    from argue_bench.eval.run import read_reports

    systems: dict[str, Report] = {}
    for text in runs:
        name, equals, rest = text.partition("=")
        given, path = (name, Path(rest)) if equals and not Path(text).exists() else ("", Path(text))
        reports = read_reports(path)
        if given and len(reports) > 1:
            raise UsageError(f"{text}: the file holds {len(reports)} runs, so it takes no one name")
        for run, report in reports.items():
            system = given or run or run_name(path)
            if system in systems:
                raise UsageError(f"two systems are called {system!r}; name them: NAME={path}")
            systems[system] = report
    return systems


def _categories(on: str, data: Path | None, split: str, scored: str) -> dict[str, tuple[str, ...]]:
    """The categories of each question. Raises UsageError where the runs are of another set."""
    if not on:
        return {}
    from argue_bench.errors import UsageError
    from argue_bench.loaders import load

    dataset = load(on, split, data)
    if dataset.title != scored:
        raise UsageError(
            f"the runs are of {scored}, and --on {on} is {dataset.title}: name its --split or --data"
        )
    return {question.id: question.categories for question in dataset}


def _write_bands(path: Path, banded: dict[str, Any] | None) -> None:
    from argue_bench.errors import UsageError
    from argue_bench.records.atomic import atomic_write

    if banded is None:
        raise UsageError("no score compared here has a better end, so there are no bands")
    with atomic_write(path) as file:
        file.write(json.dumps(banded, ensure_ascii=False, sort_keys=True, indent=1) + "\n")
    click.echo(f"wrote {path}", err=True)


def _show(found: Comparison, banded: dict[str, Any] | None) -> None:
    pairs = dict.fromkeys((d.first, d.second) for d in found.differences)
    for first, second in pairs:
        own = [d for d in found.differences if (d.first, d.second) == (first, second)]
        _show_pair(found, first, second, own)
    if banded is not None:
        _show_bands(banded)
    for text, signature in found.signatures.items():
        if not any(one.key.startswith(f"{text}.") for one in found.compared):
            continue
        click.echo(click.style(str(signature), dim=True))
    facts = found.facts
    how = "all swaps" if facts["exact"] else f"{facts['permutations']:,} permutations"
    for told in (
        f"paired bootstrap, BCa, {facts['resamples']:,} resamples | seed={facts['seed']}",
        f"paired permutation test, {how} | Holm over {facts['tests']} tests",
    ):
        click.echo(click.style(told, dim=True))
    if facts["tests"] * facts["smallest_p"] > facts["alpha"]:
        click.echo(
            f"{facts['questions']} questions give no p below {facts['smallest_p']:.2g}: Holm over "
            f"{facts['tests']} tests can find nothing. Compare fewer scores: --score KEY",
            err=True,
        )
    for key, why in found.left_out.items():
        if "order statistic" not in why:
            click.echo(f"not compared: {key}: {why}", err=True)


def _show_pair(found: Comparison, first: str, second: str, own: Sequence[Difference]) -> None:
    from argue_bench.eval.report import short_key
    from argue_bench.table import aligned

    n = max(difference.n for difference in own)
    click.echo(click.style(f"{first} against {second}, {n} questions", bold=True))
    rows = [("score", "first", "second", "diff", "95 % interval", "p Holm", "p Wilc", "d", "sees")]
    for d in own:
        scale = 100 if d.unit == "share" else 1
        rows.append(
            (
                short_key(d.score),
                f"{scale * d.scores[0]:.1f}",
                f"{scale * d.scores[1]:.1f}",
                f"{scale * d.value:+.1f}",
                "-"
                if d.low is None or d.high is None
                else f"{scale * d.low:+.1f} to {scale * d.high:+.1f}",
                p_text(d.p_holm) + ("*" if d.winner else ""),
                p_text(d.p_wilcoxon),
                "-" if d.effect is None else f"{d.effect:+.2f}",
                "-" if d.resolvable is None else f"{scale * d.resolvable:.1f}",
            )
        )
    for line in aligned(rows, right=range(1, 9)):
        click.echo(line)
    told = [f"{d.winner} is better on {short_key(d.score)}" for d in own if d.winner]
    click.echo("; ".join(told) if told else "No difference is significant at 5 %.")
    _show_categories(found, first, second, own[0].score)
    _show_questions(found, first, second, own[0])
    click.echo()


def p_text(p: float) -> str:
    """A p value in three places, never as 0."""
    return "<.001" if p < 0.001 else f"{p:.3f}"


def _show_categories(found: Comparison, first: str, second: str, score: str) -> None:
    from argue_bench.eval.report import short_key
    from argue_bench.table import aligned

    parts = [
        part
        for part in found.categories
        if (part.first, part.second, part.score) == (first, second, score) and part.n
    ]
    if not parts:
        return
    unit = next(one.average.unit for one in found.compared if one.key == score)
    scale = 100 if unit == "share" else 1
    rows = [(f"{short_key(score)} by category", "n", "diff", "95 % interval")]
    for part in parts:
        interval = (
            "-"
            if part.low is None or part.high is None
            else (f"{scale * part.low:+.1f} to {scale * part.high:+.1f}")
        )
        value = "-" if part.value is None else f"{scale * part.value:+.1f}"
        rows.append((part.category, str(part.n), value, interval))
    for line in aligned(rows, right=(1, 2, 3)):
        click.echo(f"  {line}")


def _show_questions(found: Comparison, first: str, second: str, d: Difference) -> None:
    """Where either wins most."""
    from argue_bench.eval.report import short_key

    scale = 100 if d.unit == "share" else 1
    a, b = found.systems.index(first), found.systems.index(second)
    gaps = [
        (scale * (one - other), question)
        for question, row in found.per_question[d.score].items()
        if (one := row[a]) is not None and (other := row[b]) is not None
    ]
    gaps.sort(key=lambda gap: (-abs(gap[0]), gap[1]))
    click.echo(f"{short_key(d.score)}: {d.won} questions higher, {d.tied} tied, {d.lost} lower")
    for name, sign in ((first, 1), (second, -1)):
        best = [(gap, q) for gap, q in gaps if sign * gap > 1e-9][:_SHOWN]
        if best:
            told = ", ".join(f"{question} ({gap:+.1f})" for gap, question in best)
            click.echo(f"  {name} is furthest above on: {told}")


def _show_bands(banded: Mapping[str, Any]) -> None:
    from argue_bench.eval.report import short_key
    from argue_bench.table import aligned

    scale = 100 if banded["unit"] == "share" else 1
    rows = [("band", "ranks", "system", short_key(banded["score"]), "95 % interval")]
    for row in banded["systems"]:
        ends = dict.fromkeys(str(row[end]) for end in ("rank_low", "rank_high"))
        ranks = "-".join(ends) if row["rank"] else "-"
        interval = (
            "-"
            if row["low"] is None
            else (f"{scale * row['low']:.1f} to {scale * row['high']:.1f}")
        )
        value = "-" if row["value"] is None else f"{scale * row['value']:.1f}"
        rows.append((str(row["band"] or "-"), ranks, row["system"], value, interval))
    for line in aligned(rows, right=(0, 1, 3, 4)):
        click.echo(line)
    click.echo("Systems of one band are not told apart from its first by this set.\n")
