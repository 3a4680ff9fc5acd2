"""How often the flags of the default judge are right, by people's labels of answers nearest to those at hand.

The labels are those of the same kind of task (`task_of`) in ``data/judges/lexical-flags.json``, measured on
answers of six language models (RAGTruth, Niu et al. 2024; ``python -m benchmarks.flags``). Answers in other
languages, requests with a statement of the problem, rows without contexts and other judges have no such labels.

A score that is the share of sentences without a flag is corrected by the judge's errors on them (Rogan and
Gladen 1978; the interval of `corrected_share` holds the chance in the score and in the labels). That rests on
the judge erring here as often as there.

Where a score has no value, `why_unset` says why.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from itertools import islice
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING, Any

from argue_bench.eval.signature import MOST_LEFT_OUT
from argue_bench.text.language import UNKNOWN, detect
from argue_bench.text.tasks import task_of

if TYPE_CHECKING:
    from argue_bench.eval.report import Report
    from argue_bench.loaders.dataset import Dataset

FLAGS_FILE = Path(__file__).parent.parent / "data" / "judges" / "lexical-flags.json"
# Questions of a set, and documents of each, by which its kind of task is told.
_QUESTIONS, _DOCUMENTS = 200, 20
# The metrics whose sentences were labelled: what the contexts that were provided support.
_LABELLED = "faithfulness"
_JUDGING = (_LABELLED, "support", "citations", "argue")
_SHARES = ("supported", "supported_micro")
# Half of a 95 % interval in standard errors.
_Z = 1.96


@dataclass(frozen=True)
class Warranty:
    """What is known of the flags of a report. ``figures`` are those of the labelled set; empty for none."""

    text: str
    figures: Mapping[str, Any]

    def precision(self, tier: str) -> float | None:
        """The share of flags of this tier that were right; None where nobody measured it."""
        one = self.figures.get("tiers", {}).get(tier)
        return one["precision"][0] if one else None


@dataclass(frozen=True)
class CorrectedByLabels:
    """A score corrected by the judge's errors on labels of other answers; a `report.Corrected`."""

    value: float
    low: float
    high: float
    note: str


@cache
def labelled_flags() -> Mapping[str, Any]:
    """The data file: the judge, its rules, and the figures of each set."""
    found: Mapping[str, Any] = json.loads(FLAGS_FILE.read_text(encoding="utf-8"))
    return found


def task_of_set(dataset: Dataset) -> str:
    """The commonest task of the questions of a data set; empty where most are in another language than
    English, in which no answers were labelled, or have no contexts of their own."""
    found: Counter[str] = Counter()
    for question in islice(dataset.questions, _QUESTIONS):
        ids = [id for id in question.documents[:_DOCUMENTS] if id in dataset.documents]
        texts = [dataset.documents[id].text for id in ids]
        english = detect("\n".join([question.text, *texts])) in ("en", UNKNOWN)
        task = "reports" if question.request else task_of(question.text, texts)
        found[task if english else ""] += 1
    return found.most_common(1)[0][0] if found else ""


def warranty_of(report: Report) -> Warranty | None:
    """What is known of the report's flags; None where none of its metrics judges sentences."""
    judging = [text for text in report.signature if text.partition("(")[0] in _JUDGING]
    if not judging:
        return None
    labelled = [text for text in judging if text.partition("(")[0] == _LABELLED]
    judge = report.signature[(labelled or judging)[0]].get("judge", "")
    known = labelled_flags()
    if judge.partition(" ")[0] != known["judge"]:
        why = f"Of flags by {judge.partition(' ')[0] or 'no judge'} nothing was measured on people's labels"
        return Warranty(f"{why}: argue-bench judge check does that.", {})
    if judge.split()[1:2] != [f"rules:{known['rules']}"]:
        why = "How often flags of this version of the judge are right was not measured on people's labels."
        return Warranty(why, {})
    for near in known["sets"]:
        if labelled and near["task"] == report.task:
            right, found = (100 * near["flags"][rate][0] for rate in ("precision", "recall"))
            return Warranty(
                f"On people's labels of answers like these ({near['set']}, {near['task']}), {right:.0f} of 100 flags "
                f"were right and {found:.0f} of 100 bad sentences were flagged.",
                near,
            )
    why = (
        "No answers like these were labelled by people, so how often a flag is right is not known."
    )
    return Warranty(why, {})


def corrected_by_labels(report: Report) -> dict[str, CorrectedByLabels]:
    """The corrected scores by full key, of those that are the share of sentences without a flag."""
    warranty = warranty_of(report)
    if warranty is None or not warranty.figures:
        return {}
    from argue_bench.stats.calibration import ErrorRates, corrected_share

    figures = warranty.figures
    found = {}
    for key, score in report.scores.items():
        metric, _, name = key.rpartition(".")
        error = report.standard_error(key) if metric == _LABELLED and name in _SHARES else None
        if score.value is None or error is None:
            continue
        flagged = 1 - score.value
        measured = figures["by_answer" if name == "supported" else "flags"]
        rates = ErrorRates(
            *_rate(measured["recall"], figures["bad"]),
            *_rate(measured["specificity"], figures["sentences"] - figures["bad"]),
        )
        if rates.gain <= 0:  # the judge is no better than chance there
            continue
        # As many sentences as would have this standard error: those of an answer go together.
        size = flagged * score.value / error**2 if error else float(score.n)
        bad, low, high = corrected_share(flagged, size, rates)
        found[key] = CorrectedByLabels(
            1 - bad,
            1 - high,
            1 - low,
            f"corrected for the judge's errors on {figures['set']}, {figures['task']}",
        )
    return found


def _rate(measured: list[float], n: int) -> tuple[float, int]:
    """A rate, and as many independent labels as would give its interval: those of a document go together."""
    value, low, high = measured
    error = (high - low) / (2 * _Z)
    return value, max(1, round(value * (1 - value) / error**2)) if error else n


def why_unset(report: Report, key: str) -> str:
    """Why a score has no value, and what gives it one."""
    score, (text, _, name) = report.scores[key], key.rpartition(".")
    if score.failed:
        share = ceil(1000 * score.failed / report.n) / 10
        word = "leave-out" if share <= 100 * MOST_LEFT_OUT else f"leave-out={share:g}%"
        cure = f"--on-failure {word} leaves them out (2 % at most where no share is given)"
        if score.failed == report.n:
            cure = "see the first failure"
        return f"{score.failed} of {report.n} failed: {cure}"
    if score.not_judged:
        return f"{score.not_judged} of {report.n} not judged: name a judge that reads them, --judge NAME"
    columns = report.averages(text)[name].columns_read
    found = [row.get(text) for row in report.per_question.values()]
    rows = [one for one in found if isinstance(one, Mapping)]
    tallies = [row[column] for row in rows for column in columns if column in row]
    told = Counter(one.note for one in tallies if not one.applies and one.note)
    why = "".join(f"{one}; " for one, _ in told.most_common(1))
    return f"does not apply: {why}no question has {report.metric(text).needs}"
