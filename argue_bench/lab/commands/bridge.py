"""``argue-bench judge bridge``: what the scores of a retiring judge become under another."""

from __future__ import annotations

import asyncio
import json
import math
from collections.abc import Container, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click
import numpy as np
from numpy.typing import NDArray

from argue_bench.cli.commands import command, option
from argue_bench.cli.judging import show_spent
from argue_bench.cli.options import PATH, budget_option, limit_spending
from argue_bench.cli.tables import show_table
from argue_bench.errors import UsageError
from argue_bench.judges.base import Judge, judge_in_batches
from argue_bench.lab.bridge import (
    BridgeFile,
    Hearing,
    JudgeBridge,
    bridge,
    draw,
    judged_anew,
    score_bridges,
    worth,
)
from argue_bench.lab.corrected.corrections import Correction, JudgedRun, People, read_judged
from argue_bench.lab.labels import Labels, read_all_labels
from argue_bench.records import JudgeRequest, Verdict, request_from_json
from argue_bench.records.atomic import atomic_write
from argue_bench.records.table import Table, interval, points

# A request, the worth of the old judge's verdict on it, its store, and the answer it was made of.
_Asked = tuple[JudgeRequest, float, Path, str]


@command("bridge")
@click.argument("old", metavar="OLD")
@click.argument("new", metavar="NEW")
@click.argument("runs", metavar="RUN...", type=PATH, nargs=-1, required=True)
@option(
    "--items",
    type=click.IntRange(10),
    default=200,
    group="Judge",
    help="Requests that NEW judges too, drawn from each system by its share.",
)
@option(
    "--whole-answers",
    is_flag=True,
    group="Judge",
    help="Draw whole answers, of about so many requests and at least two of each system, for the shift of every score; NEW judges what its own verdicts lead to, too.",
)
@option(
    "--labels",
    type=PATH,
    multiple=True,
    group="Judge",
    help="People's labels: NEW judges the answers that have some too, and corrected scores are compared.",
)
@budget_option
@option("--out", type=PATH, group="Output", help="Write the bridge here, as JSON.")
def judge_bridge(
    old: str,
    new: str,
    runs: tuple[Path, ...],
    items: int,
    whole_answers: bool,
    labels: tuple[Path, ...],
    budget: float | None,
    out: Path | None,
) -> None:
    """Carry the scores of the judge OLD over to the judge NEW, by requests that both judge.

    RUNs are run files of systems, with the verdicts of OLD in their stores. NEW judges a part of their requests,
    and its verdicts are stored there too. Systems are compared by means of verdicts, yes counting 1 and no 0.

    Example: argue-bench judge bridge openai/old openai/new runs/*.jsonl --items 200 --budget 1
    """
    from argue_bench.judges import as_judge

    with nullcontext() if out is None else atomic_write(out) as file:
        judge, people = as_judge(new), read_all_labels(labels) if labels else None
        whole = whole_answers or bool(labels)
        limit_spending(budget, [judge])
        known, identity = _known(old, runs)
        if not known:
            raise UsageError(f"the stores of these runs have no verdict of {old}")
        answers, places = _drawn(known, items, whole, people)
        drawn = {name: [known[name][place] for place in at] for name, at in places.items()}
        ids = {answer for rows in drawn.values() for *_, answer in rows}
        heard: dict[JudgeRequest, Verdict] = {}
        anew = [_anew(run, old, judge, ids, heard) for run in runs] if whole else []
        said = {name: asyncio.run(_judged(judge, rows, heard)) for name, rows in drawn.items()}
        found = bridge(
            {name: np.array([share for _, share, *_ in rows]) for name, rows in known.items()},
            {name: np.array(one) for name, one in said.items()},
            list(places.values()),
            list(answers.values()),
            whole,
        )
        scores, corrected = score_bridges(anew, old, people)
        if file is not None:
            made = BridgeFile(
                **vars(found),
                old=old,
                new=judge.name,
                old_identity=identity,
                identity=dict(judge.identity()),
                scores={k: None if isinstance(one, str) else one for k, one in scores.items()},
                corrected=corrected,
            )
            file.write(f"{json.dumps(asdict(made), ensure_ascii=False)}\n")
    _show(found, old, new)
    _show_scores(scores, corrected, old, new)
    if any(isinstance(one, str) for one in scores.values()):
        each, of = sum(map(len, drawn.values())), sum(map(len, known.values()))
        click.echo(
            f"--items {items:,} drew {len(ids):,} answers with {each:,} of {of:,} requests; more --items keep these and "
            f"add others, and --items {of} draws every answer."
        )
    show_spent({judge.name: vars(judge.counts)})


def _drawn(
    known: Mapping[str, Sequence[_Asked]], items: int, whole: bool, people: Labels | None
) -> tuple[dict[str, NDArray[Any]], dict[str, NDArray[Any]]]:
    """By system: the number of the answer of each request, and the places of the requests that are drawn.

    Of ``whole`` answers all that have a label of ``people`` are drawn besides: these are as random as the labels.
    """
    answers = {
        name: np.unique([answer for *_, answer in rows], return_inverse=True)[1]
        for name, rows in known.items()
    }
    units = answers if whole else {name: np.arange(len(one)) for name, one in answers.items()}
    sizes = [int(one.max()) + 1 for one in units.values()]
    wanted = math.ceil(items * sum(sizes) / sum(map(len, known.values())))
    labelled = {one.request.without_context().key for one in people.given} if people else set()
    return answers, {
        name: np.flatnonzero(
            np.isin(
                one,
                [
                    *at,
                    *(
                        n
                        for n, row in zip(one, known[name], strict=True)
                        if row[0].without_context().key in labelled
                    ),
                ],
            )
        )
        for (name, one), at in zip(
            units.items(), draw(sizes, wanted, np.random.default_rng(0)), strict=True
        )
    }


def _show(found: JudgeBridge, old: str, new: str) -> None:
    """Prints the systems, and the order that changes."""
    show_table(
        Table(
            ("system", old, new, "95 % interval", "shift", "judged by both"),
            [
                (
                    *(name, points(one.old), points(one.new)),
                    f"{points(one.low)} to {points(one.high)}",
                    f"{one.new - one.old:+.3f}",
                    f"{one.drawn:,} of {one.n:,}",
                )
                for name, one in [*found.systems.items(), ("all", found.overall)]
            ],
            right=(1, 2, 3, 4, 5),
        )
    )
    click.echo(
        f"\nsame verdict {found.agreement:.1%}; tau of the order of systems "
        + ("-" if found.tau is None else f"{found.tau:.2f}")
    )
    click.echo(
        "".join(f"changed order: {one}, {other}\n" for one, other in found.changed), nl=False
    )
    ahead = "".join(f"ahead beyond these answers: {a} of {b}\n" for a, b in found.apart)
    click.echo(ahead or "no system is shown to be ahead of another beyond these answers\n")


def _show_scores(
    scores: Mapping[str, JudgeBridge | str],
    corrected: Mapping[str, tuple[Correction, Correction]],
    old: str,
    new: str,
) -> None:
    """Prints the shift of each score, and what people's labels make of it under both judges."""
    if not scores:
        click.echo("--whole-answers gives the shift of each score too.")
        return
    rows = [
        (key, *"---", one)
        if isinstance(one, str)
        else (
            key,
            *(
                f"{end - one.overall.old:+.3f}"
                for end in (one.overall.new, one.overall.low, one.overall.high)
            ),
            "",
        )
        for key, one in scores.items()
    ]
    show_table(Table(("score", "shift", "from", "to", ""), rows, right=(1, 2, 3)))
    if corrected:
        heads = (
            "corrected by people",
            f"under {old}",
            "95 % interval",
            f"under {new}",
            "95 % interval",
            "",
        )
        lines = [
            (
                key,
                *(
                    cell
                    for one in both
                    for cell in (points(one.value), interval(one.low, one.high))
                ),
                both[1].note,
            )
            for key, both in corrected.items()
        ]
        click.echo()
        show_table(Table(heads, lines, right=(1, 2, 3, 4)))


def _known(old: str, runs: Sequence[Path]) -> tuple[dict[str, list[_Asked]], dict[str, str]]:
    """By system: each request of its run with the worth of the old judge's verdict, its store and its answer.

    Beside them what changes the old judge's verdicts. Raises UsageError where the runs had several of its name.
    """
    from argue_bench.eval.run import read_entries, read_header, run_name
    from argue_bench.eval.signature import judge_text, without_observed
    from argue_bench.store import Store

    found: dict[str, list[_Asked]] = {}
    authors: dict[str, dict[str, str]] = {}
    for run in runs:
        header = read_header(run)
        store = run.parent / header.store
        # A store may hold verdicts of a judge of the same name with other prompts, which this run never saw.
        made = {without_observed(one.get("judge", "")) for one in header.signature.values()}
        of: dict[str, dict[str, str]] = {}
        for entry in read_entries(run):
            keys = (key for asked in entry.requests.values() for key in asked)
            of.setdefault(entry.answer.run or run_name(run), {}).update(
                dict.fromkeys(keys, f"{run} {entry.answer.id}")
            )
        with Store(store, write=False) as opened:
            said = {
                one.key: one
                for one in opened
                if one.judge.name == old and judge_text(one.judge.name, one.judge.identity) in made
            }
        authors |= {one.judge.digest: dict(one.judge.identity) for one in said.values()}
        for system, made_by in of.items():
            for key, answer in made_by.items():
                if (one := said.get(key)) is None:
                    continue
                request = request_from_json(dict(one.request))
                if (share := worth(request, one.verdict)) is not None:
                    found.setdefault(system, []).append((request, share, store, answer))
    if len(authors) > 1:
        each = " and ".join(judge_text(old, one) for one in authors.values())
        raise UsageError(f"the runs have verdicts of {each}: bridge the runs of one judge")
    return dict(sorted(found.items())), next(iter(authors.values()), {})


def _anew(
    run: Path, old: str, judge: Judge, drawn: Container[str], heard: dict[JudgeRequest, Verdict]
) -> tuple[JudgedRun, People]:
    """A run with the tallies of its drawn answers under the judge; its verdicts are added to ``heard``."""
    from argue_bench.eval.run import read_header
    from argue_bench.judges.stored import stored

    read = read_judged(run)
    ids = {id for id in read.report.per_question if f"{run} {id}" in drawn}
    with stored(judge, run.parent / read_header(run).store) as kept:
        return read, asyncio.run(judged_anew(read, old, Hearing(kept, heard), ids))


async def _judged(
    judge: Judge, asked: Sequence[_Asked], heard: Mapping[JudgeRequest, Verdict]
) -> list[float]:
    """The worths of the judge's verdicts on the requests, in order: those ``heard``, from the store, or stored there.

    Raises UsageError where one is missing.
    """
    from argue_bench.judges.stored import stored

    bare = {one[0]: one[0].without_context() for one in asked}
    said = {one: heard[short] for one, short in bare.items() if short in heard}
    with stored(judge, asked[0][2]) as kept:
        replies = judge_in_batches(kept, [one for one in bare if one not in said])
        said |= {request: one async for request, one in replies if isinstance(one, Verdict)}
    shares = [worth(one, said[one]) for one, *_ in asked if one in said]
    found = [share for share in shares if share is not None]
    if missing := len(asked) - len(found):
        raise UsageError(f"{judge.name} gave no verdict on {missing} of {len(asked)} requests")
    return found
