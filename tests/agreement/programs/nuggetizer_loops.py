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


def parse_reply(text: str) -> Any:
    """The Python literal in a reply. Raises ValueError or SyntaxError where there is none."""
    return ast.literal_eval(text.replace("```python", "").replace("```", "").strip())


def create_nuggets(
    passages: Sequence[str],
    create: AskCreate,
    score: AskLabels,
    most: int = MOST,
    window: int = WINDOW,
) -> list[dict[str, Any]]:
    """The nuggets of these passages with their importance, ``window`` of them in a call."""
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
    for batch in _batches(nuggets, window):
        try:
            labels = _labels(batch, score, "")
        except Exception:  # the batch is dropped, as there
            continue
        labels = labels or ["okay"] * len(batch)
        scored += [
            {"text": text, "importance": label} for text, label in zip(batch, labels, strict=True)
        ]
    return scored


def assign_nuggets(
    nuggets: Sequence[Mapping[str, Any]], text: str, assign: AskLabels, window: int = WINDOW
) -> list[dict[str, Any]]:
    """The nuggets with how far a text supports each, ``window`` of them in a call; "failed" where no
    reply could be read."""
    found: list[dict[str, Any]] = []
    for batch in _batches(nuggets, window):
        try:
            labels = _labels([one.get("text") for one in batch], assign, text)
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


@contextmanager
def _keys_named() -> Iterator[None]:
    """A key that a record lacks is an error of the data."""
    try:
        yield
    except KeyError as error:
        raise DataError.of(Code.KEY_MISSING, f"a record lacks the key {error}") from None


@_keys_named()
def nugget_scores(nuggets: Sequence[Mapping[str, Any]]) -> dict[str, float]:
    """The four scores of one answer's assigned nuggets; of no nugget 0. Without importance one is vital."""
    # A nugget without importance is vital, as its reader has it.
    vital = [one for one in nuggets if one.get("importance", "vital") == "vital"]

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
    scored = [nugget_scores(record["nuggets"]) for record in records]
    return {"qid": "all", **{name: fmean(one[name] for one in scored) for name in scored[0]}}


@dataclass
class BatchResult:
    """The lines of the output file, those that were there before first, and what became of each record."""

    lines: list[JsonLine] = field(default_factory=list)
    attempted: int = 0
    done: int = 0
    skipped: int = 0
    failed: int = 0


@_keys_named()
def create_in_batch(
    records: Iterable[Mapping[str, Any]],
    existing: Sequence[JsonLine],
    create: AskCreate,
    score: AskLabels,
    least: int = 2,
) -> BatchResult:
    """Nuggets for each record; a topic that the output has is skipped.

    Candidates with a judgment below ``least`` are left out; one that is no whole number fails the topic.
    """
    result = BatchResult(list(existing))
    for record in records:
        result.attempted += 1
        query = record["query"]
        if any(str(line.get("qid")) == str(query["qid"]) for line in result.lines):
            result.skipped += 1
            continue
        judgments = [one.get("judgment", least) for one in record["candidates"]]
        if not all(type(one) is int for one in judgments):
            result.failed += 1
            continue
        passages = [
            one["doc"]["segment"]
            for one, judgment in zip(record["candidates"], judgments, strict=True)
            if judgment >= least
        ]
        nuggets = create_nuggets(passages, create, score)
        result.lines.append({"query": query["text"], "qid": query["qid"], "nuggets": nuggets})
        result.done += 1
    return result


@_keys_named()
def assign_in_batch(
    banks: Iterable[Mapping[str, Any]],
    answers: Iterable[Mapping[str, Any]],
    run: str,
    existing: Sequence[JsonLine],
    assign: AskLabels,
) -> BatchResult:
    """The answers of a run with their assigned nuggets. A topic that the output has is skipped, whatever
    run it is of; an answer without a bank is left out; one without response_length fails after judging."""
    known = {str(bank["qid"]): bank for bank in banks}
    result = BatchResult(list(existing))
    for answer in answers:
        topic = str(answer["topic_id"])
        if (bank := known.get(topic)) is None:
            continue
        result.attempted += 1
        if any(str(line.get("qid")) == topic for line in result.lines):
            result.skipped += 1
            continue
        text = " ".join(row["text"] for row in answer["answer"])
        nuggets = [{"importance": "vital", **one} for one in bank["nuggets"]]
        assigned = assign_nuggets(nuggets, text, assign)
        if "response_length" not in answer:
            result.failed += 1
            continue
        result.lines.append(
            {
                "query": bank["query"],
                "qid": bank["qid"],
                "answer_text": text,
                "response_length": answer["response_length"],
                "run_id": run,
                "nuggets": assigned,
            }
        )
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
    labels = [label for batch in _batches(nuggets) for label in ask(batch)]
    allowed: Collection[str] = ("vital", "okay")
    if len(labels) != len(nuggets) or any(label not in allowed for label in labels):
        raise DataError.of(Code.WRONG_VALUE, "not one label, vital or okay, for each nugget", "")
    pairs = sorted(zip(nuggets, labels, strict=True), key=lambda pair: pair[1] != "vital")
    return pairs[:SELECTED]


def open_rag_scores(labels: Sequence[str], assignments: Sequence[str]) -> dict[str, float]:
    """open-rag-eval's six scores. An empty set of vital or okay nuggets still counts as one in the divisor
    of the weighted scores."""
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
