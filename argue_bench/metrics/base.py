"""A metric: a frozen value whose text creates it, and a pure function from an answer to tallies.

A metric turns one question and one answer into tallies. It does no I/O and knows no judge. A plain
metric returns ``{column: Tally}``. One that needs verdicts is a generator: it yields a list of judge
requests, is sent ``{request: Verdict}``, as often as it must, and returns its tallies at the end.
``scores`` says how columns of tallies become scores. The functions here and `argue_bench.eval.driver`
are all that step a generator.

    @dataclass(frozen=True)
    class Coverage(Metric):
        judge: str = ""

        name: ClassVar[str] = "coverage"
        summary: ClassVar[str] = "which share of the nuggets does the answer hold?"
        scores: ClassVar[Mapping[str, Average]] = {"recall": macro("recall")}
        requests: ClassVar[tuple[type[JudgeRequest], ...]] = (Answers,)

        def tally(self, question, answer, documents):
            requests = [
                Answers(answer.plain, nugget.question, nugget.answers[0].text)
                for nugget in question.gold.nuggets
                if nugget.answers
            ]
            verdicts = yield requests
            found = sum(verdicts[request].yes for request in requests)
            return {"recall": Tally(found, len(requests))}
"""

from __future__ import annotations

import inspect
import math
import re
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from dataclasses import MISSING, Field, dataclass, field, fields
from itertools import chain
from typing import (
    Any,
    ClassVar,
    Literal,
    TypeVar,
    cast,
    get_args,
    get_origin,
    get_type_hints,
    overload,
)

from argue_bench.errors import ArgueBenchError, UsageError
from argue_bench.records import (
    Answer,
    Documents,
    JudgeRequest,
    Miss,
    NotJudged,
    Question,
    Tally,
    Verdict,
)
from argue_bench.stats.averages import Average, macro

T = TypeVar("T")
Steps = Generator[Sequence[JudgeRequest], Mapping[JudgeRequest, Verdict], T]
Tallies = Mapping[str, Tally]
TallySteps = Steps[Tallies]

# Fewest and most requests by kind.
Bounds = Mapping[str, tuple[int, int]]

# Neither may hold a comma, a bracket or an equals sign, which part the options of a text.
OPTION = re.compile(r"[A-Za-z0-9_.-]+")
# The value of the option ``judge``: a name, or the spec of a judge without options.
JUDGE = re.compile(r"[A-Za-z0-9_./:@+~-]+")
M = TypeVar("M", bound="Metric")


@dataclass(frozen=True)
class Metric:
    """One question about an answer. Subclasses are frozen dataclasses; their fields are options.

    An option's type is str, int, float, bool or a Literal of words, and it has a default.
    """

    name: ClassVar[str]
    rules: ClassVar[str] = "default"
    """The published definition that the class follows, "alce" of ``citations(rules=alce)``, or
    "default" for our own. The catalogue finds the class by it (`argue_bench.satellites.METRICS`)."""
    family: ClassVar[str] = ""
    """Where pages show it, for a class in no family's folder: correctness, citations, argue, grounding."""
    summary: ClassVar[str]
    """The question it answers, in one line."""
    paper: ClassVar[str] = ""
    scores: ClassVar[Mapping[str, Average]]
    """Score name to the average that makes it from columns."""
    headline: ClassVar[tuple[str, ...]] = ()
    """The scores to show where there is little room; all of them where this is empty."""
    ranking: ClassVar[tuple[str, ...]] = ()
    """The scores that a board may rank by under our own rules: those that no text wins which reads
    nothing. A list of words wins what counts what an answer holds, and silence what counts its faults."""
    unranked: ClassVar[tuple[str, ...]] = ()
    """Those scores of a published definition that one text wins, said to every question, and those that leave out
    an answer which says or cites nothing, so that a row would choose its questions."""
    requests: ClassVar[tuple[type[JudgeRequest], ...]] = ()
    """Kinds of request that it may make; such a metric has an option ``judge``."""
    wants_judge: ClassVar[str] = ""
    """The form of a judge that it wants named, since the lexical one is no stand-in for it."""
    needs: ClassVar[str] = "what it counts; see what is there with: argue-bench data check FILE"
    """What a question or its answer has where its scores apply, and how to give it: said where none has it."""

    def tally(
        self, question: Question, answer: Answer, documents: Documents
    ) -> Tallies | TallySteps:
        """Counts, after yielding the requests whose verdicts it needs. ``question.gold`` is never None here.

        ``documents`` holds what the question lists and what the answer cites. An empty answer is scored
        like any other. Where the gold lacks what the metric needs, the
        tallies do not apply (``Tally.denominator == 0``).
        """
        raise NotImplementedError

    def averages(self, columns: Iterable[str]) -> Mapping[str, Average]:
        """The average that makes each score, by name; ``columns`` names the columns that have tallies."""
        return self.scores

    def later_requests(self, question: Question, answer: Answer, documents: Documents) -> Bounds:
        """Bounds for the rounds after the first, which depend on verdicts. Used by a dry run.

        By kind of request the fewest and the most; a kind that is not there is not asked later.
        """
        return {}

    def read_ahead(self, pairs: Sequence[tuple[Question, Answer]]) -> None:
        """Reads several answers at once, shortly before `tally` counts them; it changes no tally.

        For metrics whose model is faster on many texts than on one (FanOutQA's lemmas).
        """

    def require(self) -> None:
        """Raises MissingExtra where something that this metric needs is not installed."""

    def facts(self) -> Mapping[str, str]:
        """Further facts that change the scores and belong in the signature: versions, seeds."""
        return {}

    @classmethod
    def options(cls) -> dict[str, Field[Any]]:
        """The options that its text may give, by name."""
        return {field.name: field for field in fields(cls)}

    @property
    def frozen(self) -> bool:
        """Whether the metric follows a published program exactly, including what a gaming
        system can win there."""
        return self.rules != "default"

    @property
    def ranked_by(self) -> tuple[str, ...]:
        """The scores that a board may rank by. Of a frozen metric all that are better higher, but for `unranked` and ratios
        of sums: a board shows what games earn there. Where less is better, saying nothing is best."""
        # In a ratio of sums an answer weighs as much as it holds, and one that says nothing does not count.
        return tuple(
            name
            for name, average in self.averages(()).items()
            if average.better == "higher"
            and (
                name not in self.unranked
                and {"numerator", "denominator"}.isdisjoint(one.of for one in average.sums)
                if self.frozen
                else name in self.ranking
            )
        )

    @property
    def judge_name(self) -> str:
        """The name of the judge that it uses, empty for the default one."""
        return str(getattr(self, "judge", ""))

    def __str__(self) -> str:
        """The text that creates this metric again; options at their defaults are left out."""
        own = self.options()
        given = [
            f"{name}={str(value).lower() if isinstance(value, bool) else value}"
            for name, field in own.items()
            if (value := getattr(self, name)) != field.default
        ]
        # Rules stand first in a text, as they always did: signatures are compared letter by letter.
        if self.frozen and "rules" not in own:
            given.insert(0, f"rules={self.rules}")
        return self.name + (f"({','.join(given)})" if given else "")


class WholeMetric(Metric):
    """A metric of all answers together, which has no tallies (MAUVE alone)."""

    def whole(self, pairs: Sequence[tuple[Question, Answer]]) -> Mapping[str, float | None]:
        """One value a score over all questions with their answers; None where undefined."""
        raise NotImplementedError


MetricFunction = Callable[[Question, Answer], Tallies] | Callable[[Question, Answer], TallySteps]
_FUNCTION_NAME = re.compile(rf"{OPTION.pattern}(?::[\w.]+)?", re.ASCII)


@dataclass(frozen=True, kw_only=True)
class FunctionMetric(Metric):
    """A function from a question and an answer to tallies, one for each score.

    ``scores``: averages of scores that are not the mean over questions (`macro`) of their own tally.
    ``requests``: the kinds of request that it yields, where it is a generator.
    """

    # Other metrics have these of their class; a function's metric has them of the object.
    function: MetricFunction
    name: str  # type: ignore[misc]
    summary: str = ""  # type: ignore[misc]
    scores: Mapping[str, Average] = field(default_factory=dict, compare=False)  # type: ignore[misc]
    requests: tuple[type[JudgeRequest], ...] = ()  # type: ignore[misc]

    def __post_init__(self) -> None:
        if not callable(self.function):
            raise UsageError(f"{self.function!r} is not a metric and not a function.")
        if not _FUNCTION_NAME.fullmatch(self.name):
            raise UsageError(f"{self.name!r} can't name a metric: write @metric(name=...).")

    def tally(
        self, question: Question, answer: Answer, documents: Documents
    ) -> Tallies | TallySteps:
        return self.function(question, answer)

    def averages(self, columns: Iterable[str]) -> Mapping[str, Average]:
        # A function need not say its scores: each of its tallies is one, until it says otherwise.
        return {**{name: macro(name) for name in columns}, **self.scores}

    def __str__(self) -> str:
        return self.name


@overload
def metric(function: MetricFunction, /) -> FunctionMetric: ...
@overload
def metric(
    *,
    name: str = "",
    summary: str = "",
    scores: Mapping[str, Average] | None = None,
    requests: tuple[type[JudgeRequest], ...] = (),
) -> Callable[[MetricFunction], FunctionMetric]: ...
def metric(
    function: MetricFunction | None = None,
    /,
    *,
    name: str = "",
    summary: str = "",
    scores: Mapping[str, Average] | None = None,
    requests: tuple[type[JudgeRequest], ...] = (),
) -> FunctionMetric | Callable[[MetricFunction], FunctionMetric]:
    """Makes a metric of a function ``(question, answer) -> {score: Tally}``.

    ``name`` is the function's own by default. ``scores`` maps score names to averages
    (`argue_bench.stats.averages`); a score without one is the mean over questions. ``requests`` are
    the kinds of judge request that the function yields, where it is a generator.
    """

    def make(function: MetricFunction) -> FunctionMetric:
        own = name or getattr(function, "__name__", "")  # a partial has none, which is refused
        about = summary or (function.__doc__ or "").strip().partition("\n")[0]
        return FunctionMetric(
            function=function, name=own, summary=about, scores=scores or {}, requests=requests
        )

    return make if function is None else make(function)


def create_metric(kind: type[M], options: Mapping[str, str]) -> M:
    """The metric of class ``kind`` with these options, by name and as words.

    Raises UsageError naming what is wrong, and what could stand there.
    """
    known = kind.options()
    for name in options:
        if name not in known:
            has = f"has: {', '.join(known)}" if known else "has no options"
            which = kind.name if kind.rules == "default" else f"{kind.name}(rules={kind.rules})"
            raise UsageError(f"the metric {which!r} has no option {name!r}; it {has}")
    hints = get_type_hints(kind) if options else {}  # slow, and most texts have no options
    values = {name: _read(kind.name, name, text, hints[name]) for name, text in options.items()}
    missing = [n for n, f in known.items() if f.default is MISSING and n not in values]
    if missing:
        raise UsageError(
            f"the metric {kind.name!r} needs the option {missing[0]!r}: "
            f"write {kind.name}({missing[0]}=...)"
        )
    return kind(**values)


def _read(metric: str, option: str, text: str, hint: Any) -> Any:
    choices = get_args(hint) if get_origin(hint) is Literal else ()
    if hint is bool:
        choices = ("true", "false")
    if text in choices:
        return text == "true" if hint is bool else text
    if not choices:
        try:
            return hint(text)
        except ValueError:
            choices = (f"a number ({hint.__name__})",)
    raise UsageError(f"{metric}({option}={text}): expected {' or '.join(choices)}")


class MissingVerdicts(KeyError):
    """Verdicts are missing that a replay needs: ``requests``."""

    def __init__(self, requests: Sequence[JudgeRequest]) -> None:
        super().__init__(f"{len(requests)} requests have no verdict")
        self.requests = requests


def tally_steps(
    metric: Metric, question: Question, answer: Answer, documents: Documents
) -> TallySteps:
    """The steps of a metric on one answer; a plain metric has none, and ends at once.

    Raises UsageError, naming the metric and the question, where the metric raises anything but our
    own errors, yields anything but requests of the kinds that it declares, or returns no tallies.
    """
    try:
        # A user's function may be plain or a generator, so only what it returns tells.
        result: Any = metric.tally(question, answer, documents)
        if isinstance(result, Generator):
            requests = next(result)
            while True:
                _check_requests(metric, requests)
                requests = result.send((yield requests))
    except StopIteration as stop:
        result = stop.value
    except ArgueBenchError:
        raise
    except Exception as error:
        # The cause stays attached, so that a notebook shows the line of the user's function.
        raise UsageError(
            _failed_on(metric, question, f"{type(error).__name__}: {error}")
        ) from error
    if why := _not_tallies(result):
        raise UsageError(
            _failed_on(metric, question, f"it returned {why}. Return {{score: Tally(...)}}.")
        )
    return cast("Tallies", result)


def _failed_on(metric: Metric, question: Question, why: str) -> str:
    return f"The metric {metric} failed on the question {question.id!r}: {why}"


def _check_requests(metric: Metric, requests: Any) -> None:
    """Raises TypeError where these are not requests that the metric may make."""
    # A judge is chosen, and a dry run priced, by the kinds that a metric declares.
    if isinstance(requests, Sequence) and all(type(one) in metric.requests for one in requests):
        return
    kinds = ", ".join(kind.__name__ for kind in metric.requests) or "no kind of request"
    found = requests if isinstance(requests, Sequence) else [requests]
    names = ", ".join(dict.fromkeys(type(one).__name__ for one in found))
    raise TypeError(f"it yielded {names}, but it declares {kinds}")


def _not_tallies(result: Any) -> str:
    """Describes what a metric returned in place of tallies; empty where they are tallies."""
    if inspect.iscoroutine(result):
        result.close()  # or Python warns that nobody awaited it
        return "a coroutine, and a metric can't be async"
    if not isinstance(result, Mapping):
        return f"{type(result).__name__}"
    for name, tally in result.items():
        # A full key is METRIC.SCORE, parted at its last full stop.
        if not isinstance(name, str) or not name or "." in name:
            return f"the score name {name!r}, which must be a text without a full stop"
        if not isinstance(tally, Tally):
            return f"{type(tally).__name__} for the score {name!r}"
        if not math.isfinite(tally.numerator + tally.denominator):
            return f"a number that is not finite for the score {name!r}"
    return ""


def tallies_to_json(tallies: Tallies) -> dict[str, list[Any]] | str:
    """Column to ``[numerator, denominator, note, misses]``; what is empty at the end is left out.

    Where nobody judged it, the reason.
    """
    if isinstance(tallies, NotJudged):
        return tallies.reason
    return {
        column: _trimmed(
            [
                tally.numerator,
                tally.denominator,
                tally.note,
                [_trimmed(list(miss), 4) for miss in tally.misses],
            ],
            2,
        )
        for column, tally in tallies.items()
    }


def _trimmed(row: list[Any], least: int) -> list[Any]:
    """A row without what is empty at its end; its first ``least`` parts stay."""
    while len(row) > least and not row[-1]:
        row.pop()
    return row


def tallies_from_json(data: Mapping[str, list[Any]] | str) -> Tallies:
    """The reverse of `tallies_to_json`. Raises TypeError or ValueError where the data is anything else."""
    if isinstance(data, str):
        return NotJudged(data)
    tallies = {}
    for column, row in data.items():
        # A row without a note or misses is shorter, so the blanks that it lacks are put back.
        numerator, denominator, note, misses = row + ["", []][len(row) - 2 :]
        read = tuple(Miss(*miss) for miss in misses)
        texts = [note, *(text for miss in read for text in (*miss[:6], miss.flag))]
        shares = [miss.probability for miss in read if miss.probability is not None]
        kinds = all(m.kind == "nugget" or (m.kind == "sentence" and m.id.isdecimal()) for m in read)
        kinds = kinds and all(isinstance(at, int) for miss in read for at in (miss.start, miss.end))
        # A run file may be a stranger's: what is read here is shown on pages and averaged.
        if (
            not math.isfinite(numerator + denominator)
            or not all(isinstance(text, str) for text in texts)
            or not all(isinstance(share, float) and 0 <= share <= 1 for share in shares)
            or not (kinds and isinstance(misses, list))
        ):
            raise ValueError("not a tally")
        tallies[column] = Tally(float(numerator), float(denominator), note, read)
    return tallies


def first_round(steps: Steps[Any]) -> Sequence[JudgeRequest]:
    """The requests that need no verdict yet."""
    requests = next(steps, ())
    steps.close()  # a generator that is left waiting keeps its answer in memory
    return requests


def replay(steps: Steps[T], verdicts: Mapping[JudgeRequest, Verdict]) -> T:
    """The result under these verdicts. Raises MissingVerdicts, a KeyError, where some are missing.

    A judge that reads no context gave its verdict on the request without it.
    """
    try:
        requests = next(steps)
        while True:
            asked = {one: one if one in verdicts else one.without_context() for one in requests}
            if missing := [one for one, known in asked.items() if known not in verdicts]:
                raise MissingVerdicts(missing)
            requests = steps.send({one: verdicts[known] for one, known in asked.items()})
    except StopIteration as stop:
        return cast("T", stop.value)


def run_together(many: Sequence[Steps[T]]) -> Steps[list[T]]:
    """Steps many generators together: their requests share rounds, and each request is made once."""
    done: dict[int, T] = {}
    waiting: dict[int, Sequence[JudgeRequest]] = {}
    known: dict[JudgeRequest, Verdict] = {}

    def step(place: int, given: Mapping[JudgeRequest, Verdict] | None) -> None:
        try:
            waiting[place] = next(many[place]) if given is None else many[place].send(given)
        except StopIteration as stop:
            done[place] = stop.value
            waiting.pop(place, None)

    for place in range(len(many)):
        step(place, None)
    while waiting:
        # Two sentences that cite one document ask the same at times; a verdict is bought once.
        wanted = dict.fromkeys(chain.from_iterable(waiting.values()))
        if new := [request for request in wanted if request not in known]:
            known.update((yield new))
        for place, requests in list(waiting.items()):
            step(place, {request: known[request] for request in requests})
    return [done[place] for place in range(len(many))]
