"""The flagged sentences of a report as they are shown: in tiers, the surest first.

``sure``: a value, a date or a name that the sources lack or contradict, in tasks in which such flags are more
often right than wrong. ``look``: the others that are more often right than wrong. ``weak``: those that are more often wrong. How
often is the flag's ``probability``; flags of judges without one have no tier.
"""

from __future__ import annotations

import json
import operator
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from math import ceil
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from argue_bench.errors import UsageError
from argue_bench.eval.signature import MOST_LEFT_OUT
from argue_bench.records import SURE
from argue_bench.records.display import escape

if TYPE_CHECKING:
    from argue_bench.eval.report import FailedSentence, Report, Style


# How often the flags of the default judge are right, by people's labels of answers nearest to those at hand.
#
# The labels are those of the same kind of task (`task_of`) in ``data/judges/lexical-flags.json``, measured on
# answers of six language models (RAGTruth, Niu et al. 2024; ``python -m benchmarks.flags``). Answers in other
# languages, requests with a statement of the problem, rows without contexts and other judges have no such labels.
#
# A score that is the share of sentences without a flag is corrected by the judge's errors on them (Rogan and
# Gladen 1978; the interval of `corrected_share` holds the chance in the score and in the labels). That rests on
# the judge erring here as often as there.
#
# Where a score has no value, `why_unset` says why.

FLAGS_FILE = Path(__file__).parent.parent / "data" / "judges" / "lexical-flags.json"
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
    return cast("Mapping[str, Any]", json.loads(FLAGS_FILE.read_text(encoding="utf-8")))


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
    return Warranty(
        "No answers like these were labelled by people, so how often a flag is right is not known.",
        {},
    )


def corrected_by_labels(report: Report) -> dict[str, CorrectedByLabels]:
    """The corrected scores by full key, of those that are the share of sentences without a flag."""
    warranty = warranty_of(report)
    if warranty is None or not warranty.figures:
        return {}
    from argue_bench.stats.classification import ErrorRates, corrected_share

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
        cure = (
            "see the first failure"
            if score.failed == report.n
            else f"--on-failure {word} leaves them out (2 % at most where no share is given)"
        )
        return f"{score.failed} of {report.n} failed: {cure}"
    if score.not_judged:
        return f"{score.not_judged} of {report.n} not judged: name a judge that reads them, --judge NAME"
    columns = report.averages(text)[name].columns_read
    found = (row.get(text) for row in report.per_question.values())
    tallies = [
        one[column]
        for one in found
        if isinstance(one, Mapping)
        for column in columns
        if column in one
    ]
    told = Counter(one.note for one in tallies if not one.applies and one.note)
    why = "".join(f"{one}; " for one, _ in told.most_common(1))
    return f"does not apply: {why}no question has {report.metric(text).needs}"


# Bounds of scores, for tests and CI: ``faithfulness < 0.9``, ``contradicted > 0``.

_BOUND = re.compile(r"\s*(?P<key>\S.*?)\s*(?P<sign>[<>]=?)\s*(?P<value>\d*\.?\d+)\s*\Z")
_HOLDS = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}
_OPPOSITE = {"<": ">=", "<=": ">", ">": "<=", ">=": "<"}
_WORDS = {"<": "below", "<=": "not above", ">": "above", ">=": "not below"}
# What each class of unsupported sentence is called behind "sentences".
CLASS_WORDS = {
    "contradicted": "contradicted",
    "another source": "supported by another source",
    "partly": "supported in part",
    "missing": "citing what is not there",
    "nothing": "supported by nothing",
    "uncited": "without a citation",
}


# A condition under which a run is bad: a score, a metric's name for its first one, or a class of unsupported
# sentences, which are counted; a sign; and a share or a count.
ScoreBound = tuple[str, str, float]


def parse_bounds(texts: Iterable[str], asserted: bool = False) -> list[ScoreBound]:
    """The conditions under which a run is bad; ``asserted`` texts say what must hold instead.

    Raises UsageError where a text is not SCORE < SHARE or CLASS > COUNT.
    """
    found = []
    for text in texts:
        match = _BOUND.match(text)
        if not match or (match["key"] not in CLASS_WORDS and float(match["value"]) > 1):
            raise UsageError(
                "write a bound as 'faithfulness < 0.9', a share from 0 to 1, or as "
                f"'contradicted > 0', a number of sentences, not {text!r}"
            )
        sign = _OPPOSITE[match["sign"]] if asserted else match["sign"]
        found.append((match["key"], sign, float(match["value"])))
    return found


def broken_bounds(
    report: Report, bounds: Iterable[ScoreBound], all_flags: bool = False
) -> Iterator[str]:
    """A sentence for each bound that makes the run bad, or whose score is unset.

    Flags that are more often wrong than right count only with ``all_flags`` (`listed_share`).
    Raises UnknownName, and UsageError for a metric that could not be run.
    """
    for key, sign, value in bounds:
        if key in CLASS_WORDS and report.warranty is not None:
            many = sum(one.lack == key for one in flag_list(report).counted(all_flags))
            if _HOLDS[sign](many, value):
                yield f"sentences {CLASS_WORDS[key]}: {many:,}, {_WORDS[sign]} {value:g}"
            continue
        why = report.not_run.get(key) or report.not_run.get(key.rpartition(".")[0])
        if why and key not in report.scores:
            raise UsageError(f"{key} could not be computed: {why}")
        full = report.scores.full(key)
        score, weak = (report.scores[full].value, 0) if all_flags else listed_share(report, full)
        if score is None:
            yield f"{full} is unset, so it is not known whether it is {_WORDS[sign]} {100 * value:.1f}"
        elif _HOLDS[sign](score, value):
            without = f" without {weak} weaker flag{'s' * (weak != 1)}" if weak else ""
            yield f"{full} is {100 * score:.1f}{without}, {_WORDS[sign]} {100 * value:.1f}"


TIERS = {
    "sure": "sure: the sources contradict it or lack its names or values",
    "look": "to look at: little of it was found",
    "weak": "weaker",
}
# How many weaker flags are shown where there are no others.
LIKELIEST = 3
# How many flags, or missed nuggets, are shown where nobody says how many.
SHOWN = 5


class FlagList(NamedTuple):
    """Flags by tier, each sentence once: of flags by several metrics the likeliest. "" are those without a tier."""

    tiers: dict[str, list[FailedSentence]]
    warranty: Warranty | None

    def listed(self, weak: bool = False) -> list[FailedSentence]:
        """Those that are shown, the surest first: the likeliest weaker ones where there are no others, with
        ``weak`` all."""
        return self.counted(weak) or self.tiers["weak"][:LIKELIEST]

    def counted(self, weak: bool = False) -> list[FailedSentence]:
        """Those that count against a run: without ``weak`` none that is more often wrong than right."""
        # The weaker ones are the last tier, so the order is that of the likelihood.
        return [one for tier, some in self.tiers.items() if weak or tier != "weak" for one in some]


def tier_of(one: FailedSentence) -> str:
    """The tier of a flag; empty where nobody measured how often it is right."""
    if one.probability is None:
        return ""
    if one.probability < 0.5:  # as often wrong as right
        return "weak"
    return "sure" if one.flag in SURE else "look"


def flag_list(report: Report) -> FlagList:
    """The flags of all metrics of a report, by tier."""
    each: dict[tuple[str, int], FailedSentence] = {}
    for one in report.failed_sentences():
        other = each.setdefault((one.question, one.number), one)
        if (one.probability or 0) > (other.probability or 0):
            each[one.question, one.number] = one
    tiers: dict[str, list[FailedSentence]] = {tier: [] for tier in ("sure", "look", "", "weak")}
    for one in each.values():
        tiers[tier_of(one)].append(one)
    for some in tiers.values():
        # What the sources deny is what a reader must see first.
        some.sort(key=lambda one: (one.lack != "contradicted", -(one.probability or 0)))
    return FlagList(tiers, warranty_of(report))


def tier_lines(flags: FlagList, weak: bool = False) -> Iterator[str]:
    """A line for each tier with flags: how many, what they are, and how often such flags were right."""
    counts = Counter(map(tier_of, flags.listed(weak)))
    for tier in TIERS:
        if count := counts[tier]:
            right = flags.warranty.precision(tier) if flags.warranty else None
            measured = (
                "" if right is None else f" (such flags were right {100 * right:.0f} of 100 times)"
            )
            yield f"{count:,} {TIERS[tier]}{measured}"


def rest_line(flags: FlagList, how: str) -> str:
    """How many weaker flags are not shown, and ``how`` to see them; empty where there are none."""
    count = len(flags.listed(weak=True)) - len(flags.listed())
    right = flags.warranty.precision("weak") if flags.warranty else None
    measured = f" (about 1 in {round(1 / right)} is right)" if right else ""
    return f"and {count:,} weaker flag{'s' * (count != 1)}{measured}: {how}" if count else ""


def listed_share(report: Report, key: str) -> tuple[float | None, int]:
    """A score without the weaker flags, and their number: thresholds count what is listed.

    That holds for the share of sentences that the contexts support (``faithfulness.supported``); any other score
    is as it is.
    """
    metric, _, name = key.rpartition(".")
    value = report.scores[key].value
    if value is None or (metric, name) != ("faithfulness", "supported"):
        return value, 0
    weak = Counter(
        one.question for one in report.failed_sentences(metric) if tier_of(one) == "weak"
    )
    rows = ((id, (row.get(metric) or {}).get(name)) for id, row in report.per_question.items())
    shares = [
        (tally.numerator + weak[id]) / tally.denominator
        for id, tally in rows
        if tally is not None and tally.denominator
    ]
    return fmean(shares) if weak else value, weak.total()


def flag_lines(
    report: Report,
    most: int = SHOWN,
    how: str = "failed_sentences() has them",
    *,
    weak: bool = False,
    more: str = "",
    bold: Style = str,
    dim: Style = str,
) -> Iterator[str]:
    """The flags as lines, for a terminal, a notebook or a test: at most so many, the surest first; none where
    nothing is flagged.

    ``how`` says how the weaker ones are seen, which are listed with ``weak``, and ``more`` how those above ``most`` are.
    """
    flags = flag_list(report)
    listed = flags.listed(weak)
    rest = "" if weak else rest_line(flags, how)
    if not (listed or rest):
        return
    yield f"{bold('Unsupported sentences')} ({len(listed):,})"
    kinds = Counter(one.lack for one in listed if one.lack)
    classes = ", ".join(f"{count:,} {CLASS_WORDS[lack]}" for lack, count in kinds.most_common())
    yield from (f"  {line}" for line in tier_lines(flags, weak))
    if len(listed) > 1 and classes and not listed[0].probability:
        yield f"  {classes}"
    for one in listed[:most]:
        # Where tags were, blanks are.
        yield (
            f"  {escape(one.question)}, sentence {one.number}: "
            f"{escape(' '.join(one.text.split()), 160)}"
        )
        yield f"    {dim(escape(one.reason, 160))}"
    if len(listed) > most:
        yield f"  and {len(listed) - most:,} more{more}"
    if rest:
        yield f"  {rest}"
