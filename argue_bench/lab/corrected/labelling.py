"""The answers of a run under people's labels: each metric is counted again with their verdicts in
place of the judge's.

A question counts as labelled for a score where people decided every request that moves it, also those
that only their verdicts lead to: where the judge saw a refusal and people do not, a metric goes on to
ask about sentences, which nobody may have labelled yet. Leaving out such questions would hide the judge's
errors, so a score with one of them is not corrected until they are labelled. A question of which a metric
asks nothing needs no label; such questions count as labelled at the same rate as the others, chosen by
a hash of their ids, so that the labelled questions remain a random sample of all.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

from argue_bench.errors import Code, DataError, UnknownName, UsageError
from argue_bench.eval.driver import Case
from argue_bench.eval.report import short_key
from argue_bench.eval.run import Entry
from argue_bench.judges.prompted.replies import declared_words
from argue_bench.lab.labels import Labels
from argue_bench.metrics.base import Metric, MissingVerdicts, Tallies, replay, tally_steps
from argue_bench.records import JudgeRequest, Tally, Verdict
from argue_bench.stats.averages import Macro

# No score of ours reaches it; a larger value is a slip of the keyboard.
# The largest value of a whole answer, where scores are no shares.
_MOST = 1e6
# The note of a tally that cannot be counted yet, just where people differ from the judge.
UNDECIDED = "people's verdicts lead to requests that nobody labelled"
# The note of a tally that was given for a whole answer, not counted from verdicts.
_GRADED = "graded by people"


@dataclass
class Unlabelled:
    """The labels that one metric lacks for questions that people began to label."""

    skipped: list[tuple[str, JudgeRequest]] = field(default_factory=list)
    """Requests of the run that nobody labelled, each after its question."""
    led_to: list[tuple[str, JudgeRequest]] = field(default_factory=list)
    """Requests that the run never made, since the judge's verdicts did not lead to them."""


@dataclass
class Labelling:
    """Counts the answers of a run by people's verdicts, and keeps account of every label."""

    labels: Labels
    metrics: Sequence[Metric]
    lacking: dict[str, Unlabelled] = field(default_factory=dict)
    """By metric text."""
    questions: set[str] = field(default_factory=set)
    """Questions of the run."""
    used: set[str] = field(default_factory=set)
    """Keys of labelled requests that the run makes, or that people's verdicts lead to."""
    labelled: dict[str, set[str]] = field(default_factory=dict)
    """By metric text: the questions with an answer that is wholly labelled."""

    def __post_init__(self) -> None:
        """Raises UnknownName and UsageError where a graded score is none that can be corrected, DataError
        where a value is none that the score can have."""
        # A judge that reads no context is asked without; what people said with or without it is the same.
        self._labels = {
            one.request.without_context().key: key for key, one in self.labels.decided.items()
        }
        # A label of the very request goes before one of the same request without its context.
        self._labels |= {key: key for key in self.labels.decided}
        self._grades = {text: list(self._graded(text)) for text in map(str, self.metrics)}

    def _graded(self, text: str) -> Iterator[tuple[str, str, dict[str, list[float]]]]:
        """Score, its column, and the values that people gave it by question, of one metric."""
        given: dict[str, dict[str, list[float]]] = {}
        known = {f"{metric}.{name}" for metric in self.metrics for name in metric.averages(())}
        for grade in self.labels.grades:
            # A score may be named in full or for short, where that means one score.
            full = [key for key in known if grade.score in (key, short_key(key))]
            if len(full) != 1:
                raise UnknownName("score of the run", grade.score, sorted(full or known))
            if full[0].rpartition(".")[0] == text:
                values = given.setdefault(full[0].rpartition(".")[2], {})
                values.setdefault(grade.question, []).append(grade.value)
        averages = next(m for m in self.metrics if str(m) == text).averages(()) if given else {}
        for name, values in given.items():
            average = averages[name]
            if not isinstance(average, Macro):
                raise UsageError(
                    f"{text}.{name} is no mean over questions, so values of whole answers cannot "
                    "correct it; label its judge requests: view RUN --label --questions 20"
                )
            most = 1.0 if average.unit == "share" else _MOST
            for question, several in values.items():
                if wrong := [value for value in several if not 0 <= value <= most]:
                    why = f"people gave {question!r:.80} {wrong[0]:g} of {text}.{name}, which goes from 0 to {most:g}"
                    raise DataError.of(Code.WRONG_SHAPE, why, ", ".join(self.labels.names)[:200])
            yield name, average.column, values

    def people(self, case: Case, requests: Mapping[str, Iterable[str]]) -> dict[str, Tallies]:
        """Tallies by metric text, of those metrics for which the answer is wholly labelled.

        ``requests`` are the keys of those that the run made of this case, by metric text.
        """
        self.questions.add(case.question.id)
        found: dict[str, Tallies] = {}
        for metric in self.metrics:
            text = str(metric)
            made = set(requests[text])
            row = {
                column: Tally(sum(values) / len(values), 1.0, _GRADED)
                for _, column, by_question in self._grades[text]
                if (values := by_question.get(case.question.id))
            }
            if known := made & self._labels.keys():
                self.used |= {self._labels[key] for key in known}
                row = {**self._counted(metric, case, made), **row}
            if row:
                found[text] = row
                self.labelled.setdefault(text, set()).add(case.question.id)
        return found

    def _counted(self, metric: Metric, case: Case, made: set[str]) -> dict[str, Tally]:
        """The tallies that people's verdicts decide, whatever the verdicts that are missing would be.

        A tally that hangs on a request which only their verdicts lead to is `UNDECIDED`.
        """
        # A tally is decided where every filling of the gaps gives it: all missing verdicts the first word, all the
        # second and so on, and two mixed fillings at random.
        most = max(len(words) for kind in metric.requests if (words := declared_words(kind)))
        rng = random.Random(0)
        fills: list[Callable[[Sequence[str]], str]] = [
            *(partial(_nth, number) for number in range(most)),
            *[rng.choice] * 2,
        ]
        found: list[Tallies] = []
        missing: dict[str, JudgeRequest] = {}
        for fill in fills:
            tallies, lacking = self._under(metric, case, fill)
            missing = missing or lacking
            found.append(tallies)
            if not missing:
                return dict(tallies)
        # What the run asked and nobody labelled is a gap of the labels; what it never asked follows from people's
        # other verdicts.
        asked = {key: bool({key, one.without_context().key} & made) for key, one in missing.items()}
        led_to = [one for key, one in missing.items() if not asked[key]]
        gap = self.lacking.setdefault(str(metric), Unlabelled())
        gap.skipped += [(case.question.id, one) for key, one in missing.items() if asked[key]]
        gap.led_to += [(case.question.id, one) for one in led_to]
        decided: dict[str, Tally] = {}
        for column in dict.fromkeys(name for tallies in found for name in tallies):
            counts = {
                (tallies[column].numerator, tallies[column].denominator)
                for tallies in found
                if column in tallies
            }
            # The same in each filling, so whatever the missing verdicts are.
            if len(counts) == 1 and all(column in tallies for tallies in found):
                decided[column] = found[0][column]
            elif led_to:
                decided[column] = Tally(0.0, 0.0, UNDECIDED)
        return decided

    def _label(self, request: JudgeRequest) -> str | None:
        """The key of the label of a request; of one with context also without it."""
        return self._labels.get(request.key) or self._labels.get(request.without_context().key)

    def _under(
        self, metric: Metric, case: Case, fill: Callable[[Sequence[str]], str]
    ) -> tuple[Tallies, dict[str, JudgeRequest]]:
        """The tallies under people's verdicts, others filled in, and the first of these that are missing.

        Without any tallies where a missing verdict is a text or a number.
        """
        verdicts: dict[JudgeRequest, Verdict] = {}
        missing: dict[str, JudgeRequest] = {}
        while True:
            try:
                return replay(tally_steps(metric, *case), verdicts), missing
            except MissingVerdicts as lacking:
                labels = {one: self._label(one) for one in lacking.requests}
            # What follows upon a filled verdict may never be asked, so the first gap alone counts.
            missing = missing or {one.key: one for one, key in labels.items() if key is None}
            for one, key in labels.items():
                if key is not None:
                    verdicts[one] = self.labels.decided[key].verdict
                    self.used.add(key)
                elif words := declared_words(type(one)):
                    verdicts[one] = Verdict(fill(words))
                else:
                    return {}, missing

    def remarks(self) -> Iterator[str]:
        """What corrects which metric, and the problems of the labels, one sentence each: unknown requests,
        gaps, ties."""
        for text, questions in self.labelled.items():
            yield f"{self.labels.digest} corrects {text} by {len(questions)} questions"
        strangers = [one for key, one in self.labels.decided.items() if key not in self.used]
        other = sum(one.question in self.questions for one in strangers)
        never = len(strangers) - other
        unknown = {grade.question for grade in self.labels.grades} - self.questions
        if other:
            yield f"{other} labels are of other texts than this run's answers to their questions"
        if never:
            yield f"{never} labels are of requests that this run never made"
        if unknown:
            yield f"{len(unknown)} graded questions are not of this run, such as {min(unknown)}"
        if self.labels.tied:
            yield f"{self.labels.tied} requests are left out: their labels have no majority"
        for kind, alpha in self.labels.alpha().items():
            agreed = "not defined: only one verdict occurs" if alpha is None else f"{alpha:.2f}"
            people = len(self.labels.people)
            yield f"Krippendorff's alpha of {kind} among {people} people is {agreed}"
        for text, gap in self.lacking.items():
            if gap.led_to:
                yield (
                    f"{text}: people's verdicts lead to {_of_questions(gap.led_to)} that nobody "
                    "labelled, and scores that hang on them are not corrected; add them: view RUN "
                    "--label --labels FILE"
                )
            if gap.skipped:
                yield (
                    f"{text}: {_of_questions(gap.skipped)} have no label, and scores that hang on "
                    "them are corrected without these questions; what people skip may be what is hard"
                )


def _of_questions(requests: Sequence[tuple[str, JudgeRequest]]) -> str:
    return f"{len(requests)} requests of {len({id for id, _ in requests})} questions"


def _nth(number: int, words: Sequence[str]) -> str:
    return words[min(number, len(words) - 1)]


def with_free_questions(
    labelled: Mapping[str, Mapping[str, Tallies]],
    entries: Sequence[Entry],
    metrics: Sequence[Metric],
) -> dict[str, dict[str, Tallies]]:
    """People's tallies by question and metric text, with the judge's of questions that need no verdict.

    As many of these count as their share of all questions.
    """
    rows = {id: dict(row) for id, row in labelled.items()}
    by_id = {entry.answer.id: entry for entry in entries}
    for text in map(str, metrics):
        given = [row[text] for row in rows.values() if text in row]
        if not given or any(one.note == _GRADED for row in given for one in row.values()):
            continue
        asking = sum(bool(entry.requests.get(text)) for entry in entries)
        free = [entry.answer.id for entry in entries if not entry.requests.get(text)]
        # By a hash, so that the labelled questions remain a random sample of all.
        free.sort(key=lambda id: hashlib.sha256(f"label {id}".encode()).hexdigest())
        for id in free[: round(len(free) * len(given) / max(asking, 1))]:
            if (tallies := by_id[id].tallies.get(text)) is not None:
                rows.setdefault(id, {})[text] = tallies
    return rows
