"""castorini/nuggetizer d00dc3e and open-rag-eval's variant of it, reproduced exactly: their loops
around a model.

The model is a function of the caller: it gets a call (`CreateCall` or `LabelCall`) and returns the text of
the reply. Passages are read ten at a time (``window``); the model returns the whole list of nuggets anew, which
*replaces* the one before. Importance and assignments are labelled as many nuggets at a time. A reply is a
Python literal, fences taken off; one that is none is asked for 500 times. Faults that follow from
that are kept: a text is read as the list of its letters, labels are not checked, an exception drops a
batch of importances. Our own nuggets and verdicts come from the metric `nuggets` and a judge.

Source: Pradeep et al. 2024 (AutoNuggetizer).
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from statistics import fmean
from typing import Any

from argue_bench.errors import Code, DataError

TRIES, WINDOW, MOST = 500, 10, 30
SELECTED = 20
"""How many nuggets open-rag-eval keeps."""
_CREDIT = {"support": 1.0, "partial_support": 0.5}
JsonLine = dict[str, Any]


@dataclass(frozen=True)
class CreateCall:
    """A window of passages, the nuggets so far, and the temperature: 0, then 0.2 after an unreadable reply."""

    passages: tuple[str, ...]
    nuggets: tuple[Any, ...]
    temperature: float
    most: int = MOST
    """What the model is told; nuggetizer says 30 whatever its own maximum."""


@dataclass(frozen=True)
class LabelCall:
    """Nuggets to be labelled by importance, or against an answer (``text``)."""

    nuggets: tuple[Any, ...]
    temperature: float
    text: str = ""


AskCreate = Callable[[CreateCall], str]
AskLabels = Callable[[LabelCall], str]


@contextmanager
def _keys_named() -> Iterator[None]:
    """A key that a record lacks, or a value of another shape, is an error of the data."""
    try:
        yield
    except KeyError as error:
        raise DataError.of(Code.KEY_MISSING, f"a record lacks the key {error}") from None
    except (AttributeError, TypeError) as error:
        raise DataError.of(Code.WRONG_SHAPE, f"a record has another shape: {error}") from None


def parse_reply(text: str) -> Any:
    """The Python literal in a reply. Raises ValueError or SyntaxError where there is none."""
    return ast.literal_eval(text.replace("```python", "").replace("```", "").strip())


def create_nuggets(
    passages: Sequence[str],
    create: AskCreate,
    score: AskLabels,
    most: int = MOST,
    window: int = WINDOW,
    score_window: int | None = None,
) -> list[dict[str, Any]]:
    """The nuggets of these passages with their importance, ``window`` of them in a call, and ``score_window``
    nuggets in a call for their importance (as many, where it is not given)."""
    nuggets: list[Any] = []
    for some in _batches(passages, window):
        for tries in range(TRIES):
            call = CreateCall(tuple(some), tuple(nuggets), 0.2 if tries else 0.0)
            try:
                reply = create(call)
            except Exception:  # whatever the model's client raises: the window is skipped
                break
            try:
                nuggets = list(parse_reply(reply)[:most])
            except (ValueError, SyntaxError, TypeError, KeyError, MemoryError, RecursionError):
                continue
            break
    scored: list[dict[str, Any]] = []
    for batch in _batches(nuggets, score_window or window):
        try:
            labels = _labels(batch, score, "")
        except Exception:  # the batch is dropped, as there
            continue
        labels = labels or ["okay"] * len(batch)
        scored += [
            {"text": text, "importance": label} for text, label in zip(batch, labels, strict=True)
        ]
    return scored


@_keys_named()
def assign_nuggets(
    nuggets: Sequence[Mapping[str, Any]], text: str, assign: AskLabels, window: int = WINDOW
) -> list[dict[str, Any]]:
    """The nuggets with how far a text supports each, ``window`` of them in a call; "failed" where no
    reply could be read."""
    # Its reader keeps these two keys alone; a nugget without importance is vital.
    read = [{"text": one["text"], "importance": one.get("importance", "vital")} for one in nuggets]
    found: list[dict[str, Any]] = []
    for batch in _batches(read, window):
        try:
            labels = _labels([one["text"] for one in batch], assign, text)
        except Exception:  # the whole batch has failed, as there
            labels = None
        labels = labels or ["failed"] * len(batch)
        found += [{**one, "assignment": label} for one, label in zip(batch, labels, strict=True)]
    return found


def _labels(batch: Sequence[Any], ask: AskLabels, text: str) -> list[str] | None:
    """One label for each, in small letters; None where no reply of 500 had as many."""
    for tries in range(TRIES):
        reply = ask(LabelCall(tuple(batch), 0.2 if tries else 0.0, text))
        try:
            labels = [label.lower() for label in parse_reply(reply)]
        except (ValueError, SyntaxError, TypeError, AttributeError, MemoryError, RecursionError):
            continue
        if len(labels) == len(batch):
            return labels
    return None


def _batches(rows: Sequence[Any], size: int = WINDOW) -> Iterable[Sequence[Any]]:
    return (rows[start : start + size] for start in range(0, len(rows), size))


@_keys_named()
def nugget_scores(nuggets: Sequence[Mapping[str, Any]]) -> dict[str, float]:
    """The four scores of one answer's assigned nuggets; of no nugget 0."""
    vital = [one for one in nuggets if one["importance"] == "vital"]

    def mean(some: Sequence[Mapping[str, Any]], strict: bool) -> float:
        credits = [_CREDIT.get(str(one["assignment"]), 0.0) for one in some]
        return fmean(float(int(one)) if strict else one for one in credits) if credits else 0.0

    return {
        "strict_vital_score": mean(vital, strict=True),
        "strict_all_score": mean(nuggets, strict=True),
        "vital_score": mean(vital, strict=False),
        "all_score": mean(nuggets, strict=False),
    }


@_keys_named()
def global_scores(records: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The means over the records of a run. Raises DataError where there is none."""
    if not records:
        raise DataError.of(Code.EMPTY, "there is no record with assigned nuggets", "")
    # The program asks each record for its topic, too.
    scored = [nugget_scores(nuggets) for nuggets, _ in ((r["nuggets"], r["qid"]) for r in records)]
    return {"qid": "all", **{name: fmean(one[name] for one in scored) for name in scored[0]}}


@dataclass
class BatchResult:
    """The lines of the output file, those that were there before first, and what became of each record."""

    lines: list[JsonLine] = field(default_factory=list)
    attempted: int = 0
    done: int = 0
    skipped: int = 0
    failed: int = 0


# What a record of another shape raises; the program goes on with the next one.
_ODD = (AttributeError, KeyError, TypeError, ValueError, DataError)


@_keys_named()
def create_in_batch(
    records: Sequence[Mapping[str, Any]],
    existing: Sequence[JsonLine],
    create: AskCreate,
    score: AskLabels,
    least: int = 2,
) -> BatchResult:
    """Nuggets for each record; a topic that the output had before is skipped, one of another shape fails.

    Candidates with a judgment below ``least`` are left out; one that is no number fails the topic.
    """
    result = BatchResult(list(existing), attempted=len(records))
    before = {line["qid"] for line in existing if "qid" in line}
    for record in records:
        topic = record["query"]["qid"]  # without it the program stops
        if topic in before:
            result.skipped += 1
            continue
        try:
            text = record["query"]["text"]
            passages = [one for row in record["candidates"] for one in _passage(row, least)]
            nuggets = create_nuggets(passages, create, score)
        except _ODD:
            result.failed += 1
            continue
        result.lines.append({"query": text, "qid": topic, "nuggets": nuggets})
        result.done += 1
    return result


def _passage(candidate: Mapping[str, Any], least: int) -> tuple[str, ...]:
    """The text of a candidate; nothing where it is not relevant enough."""
    judgment = candidate.get("judgment", least)
    if type(judgment) not in (int, float):
        raise ValueError("a judgment is no number")
    if judgment < least:
        return ()
    document, _ = candidate["doc"], candidate["docid"]
    return (document.get("segment") or document.get("contents", ""),)


@_keys_named()
def assign_in_batch(
    banks: Sequence[Mapping[str, Any]],
    answers: Iterable[Mapping[str, Any]],
    run: str,
    existing: Sequence[JsonLine],
    assign: AskLabels,
) -> BatchResult:
    """Each bank's nuggets, assigned to the run's answer: of two on a topic the last, an empty one where there
    is none, so that a missing answer counts 0. A topic that the output had before is skipped, whatever run it
    is of; an answer without a bank is left out; one without response_length fails after judging."""
    last = {answer["topic_id"]: answer for answer in answers}
    result = BatchResult(list(existing), attempted=len(banks))
    before = {line["qid"] for line in existing if "qid" in line}
    for bank in banks:
        topic = bank["qid"]
        if topic in before:
            result.skipped += 1
            continue
        answer = last.get(topic, {"answer": [], "response_length": 0})
        try:
            text = " ".join(row["text"] for row in answer["answer"])
            assigned = assign_nuggets(bank["nuggets"], text, assign)
            line = {
                "query": bank["query"],
                "qid": topic,
                "answer_text": text,
                "response_length": answer["response_length"],
                "run_id": run,
                "nuggets": assigned,
            }
        except _ODD:
            result.failed += 1
            continue
        result.lines.append(line)
        result.done += 1
    return result


def open_rag_create(
    grades: Mapping[str, int], ask: Callable[[tuple[str, ...]], Sequence[str]], most: int = MOST
) -> list[str]:
    """open-rag-eval's nuggets: up to five rounds over the *same* passages of grade 1 and more, until there
    are ``most`` or more; nothing is cut. Raises DataError where the model returns none."""
    passages = tuple(id for id, grade in grades.items() if grade >= 1)
    nuggets: list[str] = []
    for _ in range(5):
        nuggets = list(ask(passages))
        if not nuggets:
            raise DataError.of(Code.EMPTY, "the model returned no nugget", "")
        if len(nuggets) >= most:
            break
    return nuggets


def open_rag_select(
    nuggets: Sequence[str], ask: Callable[[Sequence[str]], Sequence[str]]
) -> list[tuple[str, str]]:
    """The first 20 with their importance, vital ones first. Only the number of all labels is checked.

    Raises DataError for another label than vital and okay, and where there are not as many as nuggets.
    """
    # Only the number of all labels is checked, not that of each batch.
    batches = [list(ask(batch)) for batch in _batches(nuggets)]
    labels = [label for batch in batches for label in batch]
    allowed: Collection[str] = ("vital", "okay")
    odd = not all(batches) or any(label not in allowed for label in labels)
    if odd or len(labels) != len(nuggets):
        raise DataError.of(Code.WRONG_VALUE, "not one label, vital or okay, for each nugget", "")
    pairs = sorted(zip(nuggets, labels, strict=True), key=lambda pair: pair[1] != "vital")
    return pairs[:SELECTED]


def open_rag_scores(labels: Sequence[str], assignments: Sequence[str]) -> dict[str, float]:
    """open-rag-eval's six scores. An empty set of vital or okay nuggets still counts as one in the divisor
    of the weighted scores. Raises DataError where there is not one assignment for each label."""
    if len(labels) != len(assignments):
        raise DataError.of(Code.WRONG_VALUE, "not one assignment for each nugget", "")
    found: dict[str, float] = {}
    for name, credit in (("", _CREDIT), (" Strict", {"support": 1.0})):
        values = [credit.get(one, 0.0) for one in assignments]
        vital = [v for v, label in zip(values, labels, strict=True) if label == "vital"]
        okay = [v for v, label in zip(values, labels, strict=True) if label == "okay"]
        found[f"All{name}"] = fmean(values) if values else 0.0
        found[f"Vital{name}"] = fmean(vital) if vital else 0.0
        above = sum(vital) + 0.5 * sum(okay)
        found[f"Weighted{name}"] = above / (max(1, len(vital)) + 0.5 * max(1, len(okay)))
    return found
