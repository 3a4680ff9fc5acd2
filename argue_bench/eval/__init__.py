"""`evaluate` and `aevaluate`: pair, tally, average, sign.

    from argue_bench import load_dev
    from argue_bench.eval import evaluate

    report = evaluate(load_dev(), [{"id": "q1", "answer": "It was built in 1931 [d1]."}])

`evaluate` is the only synchronous door; it works inside a notebook too.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Thread
from typing import Any, NamedTuple, TypeVar

from argue_bench.errors import UsageError
from argue_bench.eval.chosen import choose, refuse_sealed
from argue_bench.eval.drive import Case, OnFailure, Outcome, Progress, drive
from argue_bench.eval.report import Report, Score, Scores, Tallies, score_all
from argue_bench.eval.restated import restate
from argue_bench.eval.run import Header, RunWriter, store_name
from argue_bench.eval.signature import MOST_LEFT_OUT, Signature, sign
from argue_bench.judges import Judge, JudgeFunction, as_judge, set_budget
from argue_bench.judges import known as known_judge
from argue_bench.loaders.answers import AnswerInput, as_answers
from argue_bench.loaders.dataset import Dataset
from argue_bench.metrics import Metric, WholeMetric
from argue_bench.models.budget import Budget
from argue_bench.records import Answer, Question

__all__ = ["Report", "Score", "Scores", "Signature", "aevaluate", "evaluate"]

T = TypeVar("T")
JudgeLike = str | Judge | JudgeFunction
DEFAULT_JUDGE = "lexical"
RESAMPLES = 10_000


@dataclass(frozen=True)
class _Plan:
    """What will be run, decided before anything is asked."""

    metrics: tuple[Metric, ...]
    whole: tuple[WholeMetric, ...]
    judges: Mapping[str, Judge]
    not_run: Mapping[str, str]


class _Terms(NamedTuple):
    """What every signature of a run says alike."""

    data: str
    n: int
    answers: str
    on_failure: OnFailure
    most_left_out: float


def evaluate(
    dataset: Dataset, answers: Iterable[AnswerInput], *args: Any, **options: Any
) -> Report:
    """Scores answers on a data set; see `aevaluate` for the parameters."""
    return _in_a_loop(aevaluate(dataset, answers, *args, **options))


async def aevaluate(
    dataset: Dataset,
    answers: Iterable[AnswerInput],
    metrics: Sequence[str | Metric] | None = None,
    *,
    judge: JudgeLike = DEFAULT_JUDGE,
    judges: Mapping[str, JudgeLike] | None = None,
    only_answered: bool = False,
    on_failure: OnFailure = "refuse",
    most_left_out: float = MOST_LEFT_OUT,
    resamples: int = RESAMPLES,
    system: str = "",
    out: str | Path | None = None,
    store: str | Path | None = None,
    budget: float | None = None,
    progress: Progress | None = None,
) -> Report:
    """Scores answers on a data set.

    ``answers``: ``{"id", "answer"}`` mappings, TREC report objects or `Answer` records, one system's.
    ``metrics``: texts or metrics; the data set's own by default. ``judge`` answers what metrics ask;
    ``judges`` maps names used in metric texts (``citations(judge=NAME)``) to further ones.
    An unanswered question counts as an empty answer, unless ``only_answered``.
    ``out`` writes a run file, with the verdicts in ``store`` (beside it by default). ``budget``: the
    most US dollars that all judges together may spend; before it is passed, JudgeError.

    Raises DataError (answers that are not what they should be), UsageError (there are none to score,
    or an option has no meaning), NoGold, UnknownName, MissingExtra, JudgeError. A judge's failure on
    one ask raises nothing: it is listed, and ``on_failure`` decides ("refuse": the score is unset;
    "leave-out": the question is left out, up to a share of ``most_left_out`` of them; "default":
    ARGUE's default verdicts).
    """
    if not 0 <= most_left_out <= 1:
        raise UsageError(f"most_left_out is a share from 0 to 1, not {most_left_out:g}")
    given = as_answers(answers, dataset)
    chosen = [q for q in dataset if q.id in given] if only_answered else list(dataset)
    if not chosen:
        raise UsageError(
            f"no question of {dataset.name} was answered, so there is nothing to score; without "
            "only_answered each of them counts 0"
        )
    refuse_sealed(dataset, chosen)
    plan = _plan(dataset, metrics, judge, judges or {})
    _limit(plan.judges, budget, kept=out is not None or store is not None)
    answered = "answered" if only_answered else "all"
    terms = _Terms(dataset.title, len(chosen), answered, on_failure, most_left_out)
    signatures = _signed(plan, plan.judges, terms)
    pairs = [(q, given.get(q.id) or Answer(q.id, run=system)) for q in chosen]
    header = Header(
        dataset.title,
        dataset.digest,
        tuple(map(str, plan.metrics)),
        {text: dict(signature) for text, signature in signatures.items()},
        on_failure,
        most_left_out=most_left_out,
    )
    with ExitStack() as stack:
        kept, header = _keep(stack, plan.judges, header, out, store)
        writer = None if out is None else stack.enter_context(RunWriter(Path(out), header))
        outcomes: list[Outcome] = []
        cases = (Case(q, a, dataset.citable(q)) for q, a in pairs)
        async for outcome in drive(cases, plan.metrics, kept, on_failure, progress):
            outcomes.append(outcome)
            if writer is not None:
                writer.add(outcome.case.answer, outcome.counted)
        learnt = _signed(plan, kept, terms)
    if learnt != signatures and out is not None:
        restate(Path(out), {text: dict(parts) for text, parts in learnt.items()})
    scores = _scores(plan, outcomes, pairs, on_failure, most_left_out, resamples)
    return _report(dataset, system, plan, learnt, outcomes, scores)


def _plan(
    dataset: Dataset,
    metrics: Sequence[str | Metric] | None,
    judge: JudgeLike,
    judges: Mapping[str, JudgeLike],
) -> _Plan:
    chosen = choose(dataset, metrics)
    needed = {metric.judge_name for metric in chosen.metrics if metric.requests}
    named: dict[str, JudgeLike] = {"": judge, **judges}
    for like in named.values():
        if isinstance(like, str):
            known_judge(like)  # a wrong name is said also where nobody asks it
    made: dict[str, Judge] = {}
    for name in sorted(needed):
        made[name] = as_judge(named.get(name, name))
    return _Plan(chosen.metrics, chosen.whole, made, chosen.not_run)


def _limit(judges: Mapping[str, Judge], budget: float | None, kept: bool) -> None:
    if budget is not None:
        limit = Budget(budget, stored=kept)
        for judge in judges.values():
            set_budget(judge, limit)


def _signed(plan: _Plan, judges: Mapping[str, Judge], terms: _Terms) -> dict[str, Signature]:
    return {
        str(metric): sign(
            metric, judges[metric.judge_name] if metric.requests else None, **terms._asdict()
        )
        for metric in (*plan.metrics, *plan.whole)
    }


def _keep(
    stack: ExitStack,
    judges: Mapping[str, Judge],
    header: Header,
    out: str | Path | None,
    store: str | Path | None,
) -> tuple[Mapping[str, Judge], Header]:
    """The judges, each remembering its verdicts in the store where there is one."""
    if out is None and store is None:
        return judges, header
    from argue_bench.judges.stored import Stored, open_store

    if store is None:
        assert out is not None  # noqa: S101  (for the type checker)
        store = Path(f"{out}.verdicts")
    kept = stack.enter_context(open_store(Path(store)))
    if out is not None:
        header = replace(header, store=store_name(Path(store), Path(out)))
    return {key: Stored(judge, kept) for key, judge in judges.items()}, header


def _scores(
    plan: _Plan,
    outcomes: Sequence[Outcome],
    pairs: Sequence[tuple[Question, Answer]],
    on_failure: OnFailure,
    most_left_out: float,
    resamples: int,
) -> Scores:
    scores: dict[str, Score] = {}
    for metric in plan.metrics:
        rows = [outcome.counted[str(metric)].tallies for outcome in outcomes]
        scores |= score_all(metric, rows, on_failure, most_left_out, resamples)
    for whole in plan.whole:
        for name, value in whole.whole(pairs).items():
            scores[f"{whole}.{name}"] = Score(value, n=len(pairs))
    return Scores(scores)


def _report(
    dataset: Dataset,
    system: str,
    plan: _Plan,
    signatures: Mapping[str, Signature],
    outcomes: Sequence[Outcome],
    scores: Scores,
) -> Report:
    tallies: dict[str, dict[str, Tallies | None]] = {
        outcome.case.question.id: {
            text: counted.tallies for text, counted in outcome.counted.items()
        }
        for outcome in outcomes
    }
    failures = tuple(
        f"{outcome.case.question.id}: {text}: {failure}"
        for outcome in outcomes
        for text, counted in outcome.counted.items()
        for failure in counted.failures
    )
    return Report(
        dataset.title,
        system,
        len(outcomes),
        scores,
        signatures,
        tallies,
        failures,
        plan.not_run,
        _cost(plan.judges.values()),
    )


def _cost(judges: Iterable[Judge]) -> dict[str, dict[str, float]]:
    """What each judge was asked and what that cost; two that bear one name are summed."""
    cost: dict[str, dict[str, float]] = {}
    for judge in {id(judge): judge for judge in judges}.values():
        row = cost.setdefault(judge.name, {"asked": 0})
        for key, value in vars(judge.counts).items():
            if value:
                row[key] = row.get(key, 0) + value
    return cost


def _in_a_loop(work: Coroutine[Any, Any, T]) -> T:
    """The result of a coroutine, also where a loop is running already (a notebook)."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work)
    result: list[T] = []
    failure: list[BaseException] = []

    def run() -> None:
        try:
            result.append(asyncio.run(work))
        except BaseException as error:
            failure.append(error)

    thread = Thread(target=run, name="argue-bench-evaluate")
    thread.start()
    thread.join()
    if failure:
        raise failure[0]
    return result[0]
