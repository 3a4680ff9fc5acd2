"""Samples of judge requests for a person to label: the most informative ones, or whole questions.

`draw_sample` draws so that few labels say most about a judge. Kind of request and the judge's verdict make the strata. Each stratum gives requests in turn until
there are enough, so rare verdicts are sampled as often as common ones. A hash of its key decides which
request of a stratum comes next: the same store gives the same sample. The page lists the size of every
stratum, so that shares of the whole can be estimated from the sample.

`draw_questions` draws questions at random with every request of theirs, by which `evaluate --labels`
corrects scores.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from argue_bench.errors import Code, DataError
from argue_bench.eval.driver import Case
from argue_bench.eval.run import Entry
from argue_bench.lab.corrected.labelling import Labelling
from argue_bench.lab.labels import Labels, read_all_labels
from argue_bench.loaders.dataset import Dataset
from argue_bench.metrics import Metric
from argue_bench.records import KINDS, JudgeRequest, request_to_json
from argue_bench.store import Store
from argue_bench.view.pages import RunViewer
from argue_bench.view.render import page_slug

# By judgment: an hour of work at 24 seconds a verdict.
SAMPLE = 150
# Kind of request, and verdict.
Stratum = tuple[str, str]


def label_page(
    sample: int, questions: int | None, files: Sequence[Path]
) -> Callable[[RunViewer], int]:
    """Writes the label page of a viewer: ``sample`` requests, or whole questions where one is asked for.

    ``files`` are labels given so far: the page shows what they lack. Raises DataError for files with faults.
    """
    labels = read_all_labels(files) if files else None
    whole = questions is not None or labels is not None
    wanted = WholeQuestions(questions or 0, labels=labels) if whole else sample
    return lambda viewer: _write(viewer, wanted)


def _write(viewer: RunViewer, wanted: int | WholeQuestions) -> int:
    """Writes the page, and says how many requests it has. Raises DataError without a verdict store."""
    if viewer.store is None:
        hint = "Evaluate with a judge and --out."
        raise DataError.of(
            Code.NOT_JUDGED, "there are no verdicts to label", viewer.path, hint=hint
        )
    lines: Sequence[Mapping[str, Any]]
    sizes: Mapping[Stratum, int] = {}
    if isinstance(wanted, WholeQuestions):
        metrics = list(next(iter(viewer.reports.values())).metrics.values())
        lines = draw_questions(viewer.store, viewer.entries, viewer.dataset, metrics, wanted)
    else:
        drawn, sizes = draw_sample(viewer.store, viewer.keys or None, wanted)
        lines = [{"ask": dict(request)} for request in drawn]
    # What is in a line is in a line of the label file, which the page writes, but for the verdicts.
    requests = [{**one, "verdicts": KINDS[one["ask"]["kind"]].verdicts} for one in lines]
    strata = [
        {"kind": kind, "verdict": verdict, "n": n} for (kind, verdict), n in sorted(sizes.items())
    ]
    viewer.page(
        f"{viewer.folder}label.html",
        "label.html",
        name=f"labels-{page_slug(viewer.path.stem)}",
        strata=strata,
        requests=requests,
        questions=len({one["question"] for one in lines if "question" in one}),
    )
    return len(requests)


def draw_sample(
    store: Path, keys: set[str] | None = None, most: int = SAMPLE
) -> tuple[list[Mapping[str, Any]], dict[Stratum, int]]:
    """At most ``most`` judge requests of a store as plain data, and the size of every stratum.

    Only these keys where some are given. Each request once, however many judges answered it. Requests whose verdict is a text or a number
    are left out, because people do not agree on those to the letter. Raises DataError for none.
    """
    strata: dict[Stratum, list[tuple[str, str]]] = {}
    seen: dict[str, Mapping[str, Any]] = {}
    with Store(store, write=False) as rows:
        for row in rows:
            if _closed(row.kind) and row.key not in seen and (keys is None or row.key in keys):
                seen[row.key] = {"kind": row.kind, **row.request}
                stratum = (row.kind, str(row.verdict.value))
                strata.setdefault(stratum, []).append((_hash(row.key), row.key))
    if not seen:
        hint = "Evaluate with a judge and --out first."
        raise DataError.of(Code.EMPTY, "the store has no request to label", store, hint=hint)
    queues = [sorted(strata[stratum], reverse=True) for stratum in sorted(strata)]
    chosen: list[str] = []
    while len(chosen) < min(most, len(seen)):
        chosen += [queue.pop()[1] for queue in queues[:] if queue][: most - len(chosen)]
    # In the order of drawing, strata alternate: it would give the judge's verdict away.
    order = sorted(chosen, key=lambda key: _hash(f"order {key}"))
    return [seen[key] for key in order], {name: len(drawn) for name, drawn in strata.items()}


@dataclass(frozen=True)
class WholeQuestions:
    """Which questions are drawn to be labelled whole: how many."""

    questions: int
    labels: Labels | None = None
    """What is labelled already: the rest of those questions comes first, also what labels lead to."""


def draw_questions(
    store: Path,
    entries: Sequence[Entry],
    dataset: Dataset,
    metrics: Sequence[Metric],
    wanted: WholeQuestions,
) -> list[Mapping[str, Any]]:
    """Every request of the drawn questions as plain data, ``{"question", "ask"}``, question by question.

    Drawn are questions of which a metric makes requests: in the order of a hash of their
    ids, so the same for all systems. Requests whose verdict is a text or a number are left out. Raises
    DataError where nothing is left to label for a metric that the run lacks.
    """
    texts = [str(metric) for metric in metrics]
    asking: dict[str, list[Entry]] = {}
    for entry in entries:
        if any(entry.requests.get(text) for text in texts):
            asking.setdefault(entry.answer.id, []).append(entry)
    # The same questions for every system, so that their differences can be corrected. All with one probability: strata
    # by the judge's score with Neyman's allocation (1934) left, with 30 questions, 0.92, 1.03, 1.04 and 0.97 times the
    # standard error on RAGTruth's questions, summaries and data and on MT-RAG, and intervals that held the truth less
    # often on two of the four (1,500 studies each, spread taken from the other sets).
    order = sorted(asking, key=lambda id: _hash(f"0 {id}"))
    drawn = dict.fromkeys(order[: wanted.questions])
    done = wanted.labels.decided.keys() if wanted.labels is not None else set()
    led_to: dict[str, list[JudgeRequest]] = {}
    if wanted.labels is not None:
        labelling = Labelling(wanted.labels, metrics)
        for id, entries in asking.items():
            if id in dataset.by_id:
                for entry in entries:
                    question = dataset.by_id[id]
                    case = Case(question, entry.answer, dataset.citable(question))
                    labelling.people(case, entry.requests)
        for gap in labelling.lacking.values():
            for id, request in (*gap.skipped, *gap.led_to):
                led_to.setdefault(id, []).append(request)
    keys = {
        key: id
        for id in (*led_to, *drawn)
        for entry in asking[id]
        for text in texts
        for key in entry.requests.get(text, ())
        if key not in done
    }
    found: dict[str, list[Mapping[str, Any]]] = {id: [] for id in (*led_to, *drawn)}
    seen: set[str] = set()
    with Store(store, write=False) as rows:
        for row in rows:
            if row.key in keys and row.key not in seen and _closed(row.kind):
                seen.add(row.key)
                found[keys[row.key]].append({"kind": row.kind, **row.request})
    for id, requests in led_to.items():
        for request in requests:
            if request.key not in seen and _closed(type(request).__name__):
                seen.add(request.key)
                found[id].append(request_to_json(request))
    lines: list[Mapping[str, Any]] = [
        {"question": id, "ask": ask} for id, asks in found.items() for ask in asks
    ]
    if not lines:
        hint = "Draw more questions: --questions N." if wanted.labels else "Evaluate with a judge."
        raise DataError.of(Code.EMPTY, "no request is left to label", store, hint=hint)
    return lines


def _closed(kind: str) -> bool:
    return isinstance(KINDS[kind].verdicts, tuple)


def _hash(key: str) -> str:
    return hashlib.sha256(f"label {key}".encode()).hexdigest()
