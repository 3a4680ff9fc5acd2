"""A comparison of systems as lines of text: tables, who is better where, how it was tested."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from argue_bench.eval.report import short_key
from argue_bench.eval.report_table import CORRECTED, correction_reasons, correction_row
from argue_bench.stats.bootstrap import few_questions
from argue_bench.table import Table, aligned

if TYPE_CHECKING:
    from argue_bench.analysis.compare import Comparison
from argue_bench.analysis.differences import Difference

Style = Callable[[str], str]
_MOST_QUESTIONS = 3
_MOST_DRAWN = 40


def comparison_lines(
    found: Comparison, bands: Mapping[str, Any] | None, *, bold: Style = str, dim: Style = str
) -> Iterator[str]:
    """A table for each pair of systems, the rank bands, the signatures and the tests used."""
    for first, second in dict.fromkeys((d.first, d.second) for d in found.differences):
        own = [d for d in found.differences if (d.first, d.second) == (first, second)]
        clusters = max(d.clusters for d in own)
        within = f" in {clusters} clusters" if clusters else ""
        n = max(d.n for d in own)
        yield bold(f"{first} against {second}, {n} question{'s' * (n != 1)}{within}")
        yield from pair_table(own, named=False).render().split("\n")
        better = [f"{d.winner} is better on {short_key(d.score)}" for d in own if d.winner]
        said = "; ".join(better) or "No difference is significant at 5 %."
        yield f"By the judge: {said}" if found.facts.get("labels") else said
        yield from _corrected(found, first, second)
        yield from _categories(found, own[0])
        yield from _questions(found, own[0])
        yield ""
    if bands is not None:
        yield from band_table(bands).render().split("\n")
        by = "differences that people's labels correct" if "labelled" in bands else "tests"
        yield f"A band holds what is not significantly below its first, by {by} without Holm's correction."
        yield ""
    for text, signature in found.signatures.items():
        if any(one.key.startswith(f"{text}.") for one in found.compared):
            yield dim(str(signature))
    for text, given in found.facts.get("labels", {}).items():
        each = "; ".join(f"{name} {labels or 'none'}" for name, labels in given.items())
        yield dim(f"labels of {text}: {each}")
    facts = found.facts
    how = "all swaps" if facts["exact"] else f"{facts['permutations']:,} permutations"
    yield dim(f"paired bootstrap, BCa, {facts['resamples']:,} resamples | seed={facts['seed']}")
    yield dim(f"paired permutation test, {how} | Holm over {facts['tests']} tests")


def caution_lines(found: Comparison) -> Iterator[str]:
    """Warnings for the reader: few questions, tests without power, scores that were left out."""
    facts = found.facts
    if unlike := facts.get("unlike_contexts"):
        yield f"Contexts differ on {unlike} of {facts['questions']} questions."
    if few := few_questions(facts["questions"]):
        yield few
    if facts["tests"] * facts["smallest_p"] > facts["alpha"]:
        yield (
            f"{facts.get('clusters', facts['questions'])} {'clusters' if 'clusters' in facts else 'questions'} give no p below {facts['smallest_p']:.2g}: Holm over "
            f"{facts['tests']} tests can find nothing. Compare fewer scores: --score KEY"
        )
    for key, why in found.left_out.items():
        # That medians and maxima cannot be tested in this way holds of every comparison.
        if "order statistic" not in why:
            yield f"not compared: {key}: {why}"


def _number(value: float | None, scale: float, sign: str = "") -> str:
    return "-" if value is None else f"{scale * value:{sign}.1f}"


def _interval(low: float | None, high: float | None, scale: float, sign: str = "") -> str:
    if low is None or high is None:
        return "-"
    return f"{_number(low, scale, sign)} to {_number(high, scale, sign)}"


def _p_value(p: float) -> str:
    """A p value in three places, never as 0."""
    return "<.001" if p < 0.001 else f"{p:.3f}"


def _scale(unit: str) -> int:
    return 100 if unit == "share" else 1


def system_table(found: Comparison) -> Table:
    """A row for each system and a column for each score: the best in bold, those not
    significantly worse with a dagger.

    The table of a paper. Scores without a better end are marked nowhere; the signatures stand below.
    """
    keys = list(dict.fromkeys(d.score for d in found.differences))
    value: dict[tuple[str, str], float] = {}
    unit = {d.score: d.unit for d in found.differences}
    for d in found.differences:
        value[d.first, d.score], value[d.second, d.score] = d.scores
    best, alike = set(), set()
    for column, key in enumerate(keys, 1):
        own = [d for d in found.differences if d.score == key]
        if not own[0].better:
            continue
        sign = 1 if own[0].better == "higher" else -1
        top = max(found.systems, key=lambda name: sign * value[name, key])
        for row, name in enumerate(found.systems):
            beaten = any(d.winner and {d.first, d.second} == {top, name} for d in own)
            if value[name, key] == value[top, key]:
                best.add((row, column))
            elif not beaten:
                alike.add((row, column))
    rows = [
        (name, *(_number(value[name, key], _scale(unit[key])) for key in keys))
        for name in found.systems
    ]
    facts = found.facts
    counts = sorted({d.n for d in found.differences})
    n = str(counts[0]) if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
    notes = [
        f"Bold: the best. † not significantly worse than it (paired permutation test, Holm over "
        f"{facts['tests']} tests, {100 * facts['alpha']:g} %; n = {n} questions).",
        *(
            str(signature)
            for text, signature in found.signatures.items()
            if any(key.startswith(f"{text}.") for key in keys)
        ),
    ]
    head = ("system", *map(short_key, keys))
    return Table(head, rows, range(1, len(head)), best=best, alike=alike, notes=notes)


def pair_table(differences: Sequence[Difference], named: bool = True) -> Table:
    """A row for each difference; ``named``: with the two systems, for several pairs in one table."""
    head = ("score", "first", "second", "diff", "95 % interval", "p Holm", "p Wilc", "d", "sees")
    rows = []
    for d in differences:
        scale = _scale(d.unit)
        rows.append(
            (
                *((d.first, d.second) if named else ()),
                short_key(d.score),
                _number(d.scores[0], scale),
                _number(d.scores[1], scale),
                _number(d.value, scale, "+"),
                _interval(d.low, d.high, scale, "+"),
                _p_value(d.p_holm) + ("*" if d.winner else ""),
                _p_value(d.p_wilcoxon),
                "-" if d.effect is None else f"{d.effect:+.2f}",
                _number(d.resolvable, scale),
            )
        )
    systems = ("first system", "second system") if named else ()
    return Table((*systems, *head), rows, right=range(len(systems) + 1, len(systems) + len(head)))


def _corrected(found: Comparison, first: str, second: str) -> Iterator[str]:
    """The differences of two systems as people's labels correct them."""
    pairs = [one for one in found.corrected if (one.first, one.second) == (first, second)]
    labels = found.facts.get("labels", {})
    for text, given in labels.items():
        if without := [name for name in (first, second) if not given[name]]:
            yield f"{text}: no labels of {' and '.join(without)}, so no difference is corrected."
    if not pairs:
        return
    rows = [correction_row(short_key(one.score), one.judged, one.correction) for one in pairs]
    yield from Table(CORRECTED, rows, right=range(1, 7)).render().split("\n")
    yield "prediction-powered bootstrap: a difference, on the questions labelled for both."
    yield from correction_reasons({one.score: one.correction for one in pairs})


def _categories(found: Comparison, d: Difference) -> Iterator[str]:
    pair = (d.first, d.second, d.score)
    parts = [p for p in found.categories if (p.first, p.second, p.score) == pair and p.n]
    if not parts:
        return
    scale = _scale(d.unit)
    rows = [(f"{short_key(d.score)} by category", "n", "diff", "95 % interval")]
    for part in parts:
        interval = _interval(part.low, part.high, scale, "+")
        rows.append((part.category, str(part.n), _number(part.value, scale, "+"), interval))
    for line in aligned(rows, right=(1, 2, 3)):
        yield f"  {line}"


def _questions(found: Comparison, d: Difference) -> Iterator[str]:
    """The questions with the largest differences in favour of either system."""
    scale = _scale(d.unit)
    a, b = found.systems.index(d.first), found.systems.index(d.second)
    gaps = [
        (scale * (one - other), question)
        for question, row in found.per_question[d.score].items()
        if (one := row[a]) is not None and (other := row[b]) is not None
    ]
    gaps.sort(key=lambda gap: (-abs(gap[0]), gap[1]))
    yield f"{short_key(d.score)}: {d.won} questions higher, {d.tied} tied, {d.lost} lower"
    for name, sign in ((d.first, 1), (d.second, -1)):
        best = [(gap, q) for gap, q in gaps if sign * gap > 1e-9][:_MOST_QUESTIONS]
        if best:
            questions = ", ".join(f"{question} ({gap:+.1f})" for gap, question in best)
            yield f"  {name} is furthest above on: {questions}"


def band_table(bands: Mapping[str, Any]) -> Table:
    """The systems with their rank bands, the best first."""
    scale = _scale(bands["unit"])
    rows = []
    for row in bands["systems"]:
        ends = dict.fromkeys(str(row[end]) for end in ("rank_low", "rank_high"))
        ranks = "-".join(ends) if row["rank"] else "-"
        value, interval = _number(row["value"], scale), _interval(row["low"], row["high"], scale)
        rows.append((str(row["band"] or "-"), ranks, row["system"], value, interval))
    head = ("band", "ranks", "system", short_key(bands["score"]), "95 % interval")
    return Table(head, rows, right=(0, 1, 3, 4))


def plot_comparison(found: Comparison, path: str | Path | None = None, score: str = "") -> Any:
    """Differences of shares with their intervals, and the questions behind the first of them.

    ``score``: the only one that is drawn. Raises UsageError where no share is compared, MissingExtra.
    """
    from argue_bench.errors import UsageError
    from argue_bench.stats.figures import difference_figure

    shares = [d for d in found.differences if d.unit == "share"]
    if score:
        shares = [d for d in shares if score in (d.score, short_key(d.score))]
    if not shares:
        raise UsageError(f"no share is compared{f' that is called {score}' if score else ''}")
    first, several = shares[0], len(found.systems) > 2
    drawn = shares[:_MOST_DRAWN]
    a, b = (found.systems.index(name) for name in (first.first, first.second))
    return difference_figure(
        [_drawn_name(d, several) for d in drawn],
        [(100 * d.value, _times_100(d.low), _times_100(d.high)) for d in drawn],
        "first − second system" if several else f"{first.first} − {first.second}",
        [
            100 * (one - other)
            for row in found.per_question[first.score].values()
            if (one := row[a]) is not None and (other := row[b]) is not None
        ],
        f"questions: {first.won} higher, {first.tied} tied, {first.lost} lower",
        f"{short_key(first.score)}, {first.first} − {first.second}",
        path,
    )


def _drawn_name(difference: Difference, several: bool) -> str:
    """The label of a difference in a figure; with the two systems where there are several pairs."""
    pair = f", {difference.first} − {difference.second}" if several else ""
    return f"{short_key(difference.score)}{pair}{'*' if difference.winner else ''}"


def _times_100(share: float | None) -> float | None:
    return None if share is None else 100 * share
