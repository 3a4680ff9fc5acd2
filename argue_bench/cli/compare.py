"""``argue-bench compare``: paired tests of the differences between systems, or ``--battles`` between their answers."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path
from textwrap import indent
from typing import TYPE_CHECKING, Any, cast

import click

from argue_bench.cli.commands import command, option, options
from argue_bench.cli.judging import JudgingOptions, paid_store, show_request_costs, show_spent
from argue_bench.cli.options import (
    PATH,
    DatasetOptions,
    format_option,
    own_metric_option,
    was_given,
)
from argue_bench.cli.progress import Step, progress
from argue_bench.cli.tables import bold, dim, print_as, show_table
from argue_bench.errors import JudgeError, UsageError
from argue_bench.records import JudgeRequest, Prefers, Verdict
from argue_bench.records.table import Table, interval, points
from argue_bench.satellites import VOTES, import_text

if TYPE_CHECKING:
    from argue_bench.eval.report import Report
    from argue_bench.judges.base import Judge
    from argue_bench.metrics import Metric


@command("compare")
@click.argument("runs", nargs=-1, required=True, metavar="[NAME=]RUN...")
@option(
    "-s",
    "--score",
    "scores",
    multiple=True,
    group="Scores",
    help="Score to compare; may be repeated. [default: the headlines]",
)
@option(
    "--all-scores", is_flag=True, group="Scores", help="Test every score, not the headlines alone."
)
@own_metric_option
@option(
    "--setting", default="", group="Scores", help="Setting of result files. [default: the first]"
)
@option(
    "--battles",
    is_flag=True,
    group="Battles",
    help="Rank by which of two answers --judge prefers.",
)
@option(
    "--design",
    type=click.Choice(["round-robin", "sparse"]),
    default="round-robin",
    group="Battles",
    help="All pairs on each topic, or each system against two others.",
)
@option(
    "--labels",
    type=PATH,
    multiple=True,
    group="Battles",
    help="People's votes; may be repeated.",
)
@options("judging", JudgingOptions, without=("workers", "cluster", "on_failure", "batch"))
@option(
    "--fail-if-worse",
    is_flag=True,
    group="Output",
    help="Exit 1 where a test finds a system worse than the first.",
)
@option("--cite", is_flag=True, group="Output", help="Print BibTeX of the metrics' papers.")
@format_option
def compare_command(
    runs: tuple[str, ...],
    scores: tuple[str, ...],
    all_scores: bool,
    metrics: list[Metric],
    setting: str,
    battles: bool,
    design: str,
    labels: tuple[Path, ...],
    judging: JudgingOptions,
    fail_if_worse: bool,
    cite: bool,
    format: str,
) -> None:
    """Compare systems from run files: intervals, paired tests, rank bands.

    RUN is what `evaluate --out RUN` wrote, or a board's result file, of whose setting the shares are tested
    unpaired. Differences are the first system's score minus the
    second's; p is corrected over the whole table (Holm). Systems that were scored differently are
    refused. With --fail-if-worse the first is the baseline that others must not fall behind. With --battles no score counts: --judge prefers one of each two answers, in both orders.

    Example: argue-bench compare alpha.run.jsonl beta.run.jsonl
    """
    if battles:
        show_battles(named_runs(runs), design, labels, judging, format)
        return
    if was_given("design", "labels", "judges", "store", "budget", "dry_run"):
        raise click.UsageError("--judge and what belongs to it go with --battles")
    from argue_bench.analysis.compare import (
        COLUMNS,
        band_table,
        caution_lines,
        compare,
        comparison_lines,
        pair_table,
        system_table,
    )
    from argue_bench.loaders.core import dataset_note

    reports = read_systems(runs, metrics, setting)
    first = next(iter(reports.values()))
    found = compare(*reports.values(), names=list(reports), scores=scores, all_scores=all_scores)
    banded = found.rank_bands()
    paper = format in ("md", "latex")  # CSV has one table of numbers
    pairs = pair_table(found.differences, named=not paper or len(reports) > 2, paper=paper)
    tables = [pairs, *([band_table(banded, paper)] if banded else [])]
    if paper:
        tables.insert(0, system_table(found, None if scores or all_scores else COLUMNS))
    if not print_as(format, {**found.to_dict(), "bands": banded}, *tables):
        click.echo("\n".join(comparison_lines(found, banded, bold=bold, dim=dim)))
        for line in caution_lines(found):
            click.echo(line, err=True)
        if note := dataset_note(first.dataset):
            click.echo(f"\n{note}", err=True)
    if cite:
        # Behind a LaTeX table it is a comment, so that the output is a file to input.
        sign = "%% " if format == "latex" else ""
        click.echo(indent(f"\n{first.bibtex()}", sign, lambda line: bool(line.strip())))
    base = found.systems[0]
    worse = [d for d in found.differences if d.winner == d.first == base]
    if fail_if_worse and worse:
        lost = ", ".join(f"{d.second} ({d.score})" for d in worse)
        click.echo(f"\nworse than {base}: {lost}", err=True)
        raise SystemExit(1)


def named_runs(texts: Iterable[str]) -> Iterator[tuple[str, Path]]:
    """Each run file with the NAME= that was given it, or with an empty name."""
    for text in texts:
        name, equals, rest = text.partition("=")
        # A path may hold an equals sign: what exists as a file is no NAME=RUN.
        yield (name, Path(rest)) if equals and not Path(text).exists() else ("", Path(text))


def read_systems(
    runs: Sequence[str], metrics: Sequence[Metric] = (), setting: str = ""
) -> dict[str, Report]:
    """The reports of run files, and of result files in a setting, by system: NAME= where given, else the run's name or the file's."""
    from argue_bench.eval.run import read_reports, read_result, run_name

    systems: dict[str, Report] = {}
    for given, path in named_runs(runs):
        if path.suffix == ".json":
            reports = {(one := read_result(path, setting)).system: one}
        else:
            reports = read_reports(path, metrics=metrics)
        if given and len(reports) > 1:
            raise UsageError(f"{path}: the file holds {len(reports)} runs, so it takes no one name")
        for run, report in reports.items():
            system = given or run or run_name(path)
            if system in systems:
                raise UsageError(f"two systems are called {system!r}; name them: NAME={path}")
            systems[system] = report
    return systems


def show_battles(
    runs: Iterable[tuple[str, Path]],
    design: str,
    labels: Sequence[Path],
    judging: JudgingOptions,
    format: str,
) -> None:
    """Has the judge prefer one of each two answers, in both orders, and prints the ranking.

    ``labels`` are files of people's votes, with whom the judge's agreement is printed.

    Raises UsageError (fewer than two systems, unlike questions, a judge that cannot prefer), DataError, and
    JudgeError where more verdicts failed than may be left out.
    """
    from argue_bench.analysis import battles as of
    from argue_bench.judges import as_judge

    plan = of.plan_battles(*_read_answers(runs), cast("of.Design", design))
    judge = as_judge(spec := judging.judges.get("", "lexical"))
    if Prefers not in judge.kinds:
        raise UsageError(
            f"{judge.name} cannot say which of two answers is better: name a language model, --judge PROVIDER/MODEL"
        )
    requests = [
        one for battle, pair in plan.items() for one in (pair, pair.swapped()) if not battle.said
    ]
    if judging.dry_run:
        show_request_costs(spec, requests, budget=judging.budget)
        return
    said = _ask(requests, judge, judging, spec)
    battles, shown = of.decide_battles(plan, said)
    if not battles:
        raise UsageError("no topic has two answers, so there is no battle")
    ranking, place = of.rank_battles(battles), of.position_bias(shown)
    left_out = len(plan) - len(battles)
    settled = {
        pair: word if word == Prefers.mirrored(said[pair.swapped()]) else "tie"
        for pair, word in said.items()
        if isinstance(pair, Prefers) and pair.swapped() in said
    }
    people = import_text(VOTES)(labels, settled) if labels else ()
    table = _ranking_table(ranking["systems"])
    found = {"judge": judge.name, "design": design, **ranking, "left_out": left_out}
    if not print_as(format, found | {"position": place, "people": people}, table):
        click.echo(f"{len(battles):,} battles, {ranking['topics']:,} topics, judge {judge.name}\n")
        show_table(table)
        ends = interval(place["low"], place["high"])
        click.echo(
            f"\nIn both orders {points(place['agreed'])} % of {place['pairs']:,} pairs had one verdict; of "
            f"{place['decided']:,} preferences {points(place['first'])} % ({ends}) were for the answer shown first."
        )
        for who, (n, kappa, low, high) in zip(
            ("two people", "judge and person"), people, strict=False
        ):
            value, *span = ("-" if one is None else f"{one:.2f}" for one in (kappa, low, high))
            click.echo(f"Kappa of {who} on {n:,} pairs: {value} ({' to '.join(span)}).")
    if left_out:
        click.echo(f"{left_out:,} battles without a verdict were left out.", err=True)
    show_spent({judge.name: vars(judge.counts)})


def _read_answers(
    runs: Iterable[tuple[str, Path]],
) -> tuple[dict[str, str], dict[str, dict[str, str]]]:
    """The question of each topic, and each system's answers by topic. Raises UsageError, DataError."""
    from argue_bench.cli.view import load_for
    from argue_bench.eval.run import read_entries, read_header, run_name

    questions: dict[str, str] = {}
    answers: dict[str, dict[str, str]] = {}
    for name, path in runs:
        entries = list(read_entries(path))
        # Rows of one's own are paired by what was asked, everything else by its id.
        topics = {
            entry.pairing[0] if entry.pairing else entry.answer.id: entry for entry in entries
        }
        asked = load_for(read_header(path), path, DatasetOptions()).by_id
        own = {topic: asked[entry.answer.id].text for topic, entry in topics.items()}
        first, questions = questions or own, own
        if first != own or len(topics) < len(entries):
            raise UsageError(
                f"{path}: battles need one run a file, on the same questions as the others"
            )
        system = name or entries[0].answer.run or run_name(path)
        if system in answers:
            raise UsageError(f"two systems are called {system!r}; name them: NAME={path}")
        answers[system] = {topic: entry.answer.text for topic, entry in topics.items()}
    if len(answers) < 2:
        raise UsageError("battles need two systems or more: name their run files")
    return questions, answers


def _ask(
    requests: Sequence[Prefers], judge: Judge, judging: JudgingOptions, spec: str
) -> dict[JudgeRequest, str]:
    """What the judge said of each pair in the order of the request alone; what failed is not there."""
    from argue_bench.eval.signature import MOST_LEFT_OUT
    from argue_bench.judges.base import judge_in_batches
    from argue_bench.judges.stored import stored

    said: dict[JudgeRequest, str] = {}
    failed: list[str] = []

    async def collect(judge: Judge, step: Step) -> None:
        async for request, reply in judge_in_batches(judge, requests):
            if isinstance(reply, Verdict):
                said[request] = Prefers.of_this_order(reply)
            else:
                failed.append(reply.reason)
            step(len(said) + len(failed))

    store = paid_store(judging.store, "battles", [spec])
    with (
        judging.at_work({"": judge}, store),
        nullcontext(judge) if store is None else stored(judge, store) as kept,
        progress("battles", len(requests)) as step,
    ):
        asyncio.run(collect(kept, step))
    if len(failed) > MOST_LEFT_OUT * len(requests):
        raise JudgeError(
            f"{len(failed):,} of {len(requests):,} requests got no verdict, and {MOST_LEFT_OUT:.0%} may be left "
            f"out. The first: {failed[0]}. The same command asks for these alone."
        )
    return said


def _ranking_table(systems: Iterable[Mapping[str, Any]]) -> Table:
    rows = [
        (
            str(one["rank"]),
            # No range of ranks comes from one topic.
            "-".join(dict.fromkeys(str(one[end] or "") for end in ("rank_low", "rank_high")))
            or "-",
            *(one["system"], points(one["points"]), interval(one["low"], one["high"])),
            *(str(one[word]) for word in ("won", "tied", "lost")),
        )
        for one in systems
    ]
    return Table(
        ("rank", "range", "system", "points", "95 % interval", "won", "tied", "lost"),
        rows,
        right=(0, 1, 3, 4, 5, 6, 7),
    )
