"""Paired comparison of systems: differences, intervals and tests.

Systems answer the same questions, so everything is paired by question: what makes a question hard
for all of them cancels out, and far fewer questions show a difference (Smucker, Allan and
Carterette 2007, "A comparison of statistical significance tests for IR evaluation").

    interval     BCa bootstrap over questions, both systems on the same resamples (Efron 1987)
    p            permutation test: on each question the two systems' tallies change places or not,
                 so ratios and harmonic means are tested as they are reported
    p_holm       p after Holm's correction over the whole table (Holm 1979)
    resolvable   (t at 1 - alpha/2 + t at 80 %) x bootstrap standard error: four of five sets of
                 this size would find a true difference this large (Card et al. 2020)
"""

from __future__ import annotations

import shutil
import textwrap
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import groupby
from typing import Any

import numpy as np

from argue_bench.analysis.aligned import (
    Alignment,
    ComparedScore,
    Difference,
    Resampling,
    align_reports,
    pair_differences,
    scores_by_question,
    share_differences,
)
from argue_bench.analysis.bands import rank_bands
from argue_bench.errors import UnknownName, UsageError
from argue_bench.eval.report import Report, Style, pandas_of, short_key
from argue_bench.eval.signature import Signature
from argue_bench.metrics.score_names import score_name
from argue_bench.records.grouping import grouped
from argue_bench.records.table import Table, interval, points
from argue_bench.stats.averages import take
from argue_bench.stats.bootstrap import (
    RESAMPLES,
    SEED,
    few_questions,
)
from argue_bench.stats.permutation import (
    ALPHA,
    PERMUTATIONS,
    holm,
    is_exact,
    smallest_p,
)

# More would take minutes, and a smaller p says nothing more.
MOST_PERMUTATIONS = 100_000
# Scores in a paper's table: with the systems' names six columns, which a page of one column holds.
COLUMNS = 5
# Questions that are named where a system is furthest above.
_MOST_QUESTIONS = 3


@dataclass(frozen=True, repr=False)
class Comparison:
    """The result of `compare`. ``str`` of it is the table that the command line prints."""

    systems: tuple[str, ...]
    differences: tuple[Difference, ...]
    # Score to question to each system's score on it alone, None where it does not apply.
    per_question: Mapping[str, Mapping[str, tuple[float | None, ...]]]
    signatures: Mapping[str, Signature]
    left_out: Mapping[str, str]
    compared: tuple[ComparedScore, ...]
    # How it was tested: resamples, permutations, seed, alpha, whether the test is exact.
    facts: Mapping[str, Any]

    def rank_bands(self) -> dict[str, Any] | None:
        """Rank bands (`argue_bench.analysis.bands`) by the first score with a better end."""
        one = next((one for one in self.compared if one.average.better), None)
        if one is None or one.cases:
            return None
        return rank_bands(
            one.key,
            one.average,
            {name: take(one.columns, np.s_[:, at]) for at, name in enumerate(self.systems)},
            groups=one.groups,
            resamples=self.facts["resamples"],
            permutations=max(self.facts["permutations"], 1),
            seed=self.facts["seed"],
        )

    def __str__(self) -> str:
        return "\n".join([*comparison_lines(self, self.rank_bands()), *caution_lines(self)])

    def to_latex(self, most: int | None = COLUMNS) -> str:
        """The table of a paper (booktabs): systems by scores, the best and what is not shown to be worse.

        ``most``: so many scores, the first ones; all of them where it is None.
        """
        return system_table(self, most).to_latex()

    def to_pandas(self) -> Any:
        """A DataFrame with a row for each difference. Raises MissingExtra."""
        rows = [{**asdict(one), "winner": one.winner} for one in self.differences]
        return pandas_of("Comparison.to_pandas").DataFrame(rows)

    def to_dict(self) -> dict[str, Any]:
        """Plain data, ready for JSON."""
        return {
            "systems": list(self.systems),
            "facts": dict(self.facts),
            "differences": [{**asdict(one), "winner": one.winner} for one in self.differences],
            "per_question": {key: dict(rows) for key, rows in self.per_question.items()},
            "signature": {text: dict(parts) for text, parts in self.signatures.items()},
            "left_out": dict(self.left_out),
        }


def compare(
    *reports: Report,
    names: Sequence[str] | None = None,
    scores: Sequence[str] | None = None,
    all_scores: bool = False,
    resamples: int = RESAMPLES,
    permutations: int | None = None,
    seed: int = SEED,
) -> Comparison:
    """Compares the reports of two or more systems, tested as the command line does.

    ``names`` are the systems' names; by default each report has one. ``scores`` are keys, short or
    full; by default the headline scores, with ``all_scores`` every score. ``resamples`` and
    ``seed`` are the bootstrap's; ``permutations`` the test's, by default 10,000, and more where Holm's
    correction needs more.

    Raises UnlikeSignatures, UsageError and UnknownName.
    """
    if len(reports) < 2 or not all(isinstance(report, Report) for report in reports):
        raise UsageError("compare takes two reports or more: compare(report_a, report_b)")
    given = names or [one.system or f"report {n}" for n, one in enumerate(reports, 1)]
    if len(given) != len(reports) or len(set(given)) != len(reports):
        raise UsageError(
            f"{len(reports)} reports need as many different names, not {', '.join(given)}: "
            "compare(..., names=[...])"
        )
    alignment = align_reports(given, reports)
    wanted = scores or (None if all_scores else _headline(alignment, reports[0]))
    chosen = _choose(alignment.scores, wanted, alignment.left_out)
    if permutations is None:
        # A sampled test gives no p below 1 / (1 + permutations), which Holm multiplies by the rows.
        rows = len(chosen) * len(alignment.systems) * (len(alignment.systems) - 1) // 2
        permutations = min(MOST_PERMUTATIONS, max(PERMUTATIONS, int(5 * rows / ALPHA)))
    sampling = Resampling(resamples, permutations, seed)
    # All pairs on all scores are one family of tests: Holm's correction needs the whole table.
    found = [
        difference
        for one in chosen
        for difference in (
            share_differences(one, alignment.systems)
            if one.cases
            else pair_differences(one, alignment.systems, sampling)
        )
    ]
    adjusted = holm([difference.p for difference in found])
    n = max(len(one.questions) or max(one.cases) for one in chosen)
    together = chosen[0].groups
    units = n if together is None else int(together.max()) + 1
    return Comparison(
        alignment.systems,
        tuple(replace(d, p_holm=float(p)) for d, p in zip(found, adjusted, strict=True)),
        {one.key: scores_by_question(one) for one in chosen if not one.cases},
        alignment.signatures,
        alignment.left_out,
        tuple(chosen),
        {
            "questions": n,
            **({"unlike_contexts": alignment.unlike_contexts} if alignment.unlike_contexts else {}),
            **({"clusters": units} if together is not None else {}),
            "alpha": ALPHA,
            "level": 1 - ALPHA,
            "tests": len(found),
            "correction": "holm",
            **_method(bool(chosen[0].cases), units, sampling),
        },
    )


def _method(shares: bool, units: int, sampling: Resampling) -> dict[str, Any]:
    """How intervals and tests of the table are made, in words and numbers."""
    # With few questions all swaps can be counted, and p is exact.
    exact = is_exact(units, sampling.permutations)
    how = "all swaps" if exact else f"{sampling.permutations:,} permutations"
    return (
        {
            "interval": "Wilson, of differences Newcombe",
            "test": "unpaired z test",
            "smallest_p": 0.0,
        }
        if shares
        else {
            "interval": f"paired bootstrap, BCa, {sampling.resamples:,} resamples | seed={sampling.seed}",
            "test": f"paired permutation test, {how}",
            "resamples": sampling.resamples,
            "seed": sampling.seed,
            "permutations": 2**units if exact else sampling.permutations,
            "exact": exact,
            "smallest_p": smallest_p(units, sampling.permutations),
        }
    )


def _headline(alignment: Alignment, first: Report) -> list[str] | None:
    """Keys of the main scores of the metrics that all reports have; None where there are none."""
    main = {
        f"{text}.{name}"
        for text in alignment.signatures
        for name in first.metric(text).headline or first.averages(text)
    }
    return [one.key for one in alignment.scores if one.key in main] or None


def _choose(
    scores: Sequence[ComparedScore], wanted: Sequence[str] | None, left_out: Mapping[str, str]
) -> list[ComparedScore]:
    chosen = list(scores) if wanted is None else []
    for key in wanted or ():
        # A full key is meant as it stands, though other options of its metric share its short form.
        meant = [one for one in scores if key == one.key]
        meant = meant or [one for one in scores if key == short_key(one.key)]
        if len(meant) != 1:
            why = [f"{k}: {why}" for k, why in left_out.items() if key in (k, short_key(k))]
            if why:
                raise UsageError(f"not comparable: {'; '.join(why)}")
            raise UnknownName("score", key, [one.key for one in meant or scores])
        chosen += meant
    if not chosen:
        reasons = "; ".join(f"{key}: {why}" for key, why in left_out.items())
        raise UsageError(f"no score can be compared. {reasons}")
    return chosen


def comparison_lines(
    found: Comparison, bands: Mapping[str, Any] | None, *, bold: Style = str, dim: Style = str
) -> Iterator[str]:
    """A table for each pair of systems, the rank bands of several, the signatures and the tests used."""
    for first, second in dict.fromkeys((d.first, d.second) for d in found.differences):
        own = [d for d in found.differences if (d.first, d.second) == (first, second)]
        groups = max(d.groups for d in own)
        within = f" in {groups} groups" if groups else ""
        n = max(d.n for d in own)
        yield bold(f"{first} against {second}, {n} question{'s' * (n != 1)}{within}")
        yield from _by_metric(own)
        for name in (first, second):
            better = [short_key(d.score) for d in own if d.winner == name]
            if better:
                yield from _wrapped(f"{name} is better on {', '.join(better)}.")
        if not any(d.winner for d in own):
            yield "No difference is significant at 5 %."
        yield from _questions(found, own[0])
        yield ""
    facts = found.facts
    beyond = [d for d in found.differences if (d.low or 0) * (d.high or 0) > 0]
    if any(not d.p_holm < ALPHA for d in beyond):
        yield from _wrapped(
            f"No star, though an interval leaves out 0: p counts {facts['tests']} tests, the interval one."
        )
        yield ""
    if bands is not None and len(found.systems) > 2:
        yield from band_table(bands).render().split("\n")
        yield from _wrapped(
            "A band holds what is not significantly below its first (Holm over the tests against it)."
        )
        yield ""
    for line in _signatures(found):
        yield from map(dim, _wrapped(line))
    yield dim(facts["interval"])
    yield dim(f"{facts['test']} | Holm over {facts['tests']} tests")


def _by_metric(own: Sequence[Difference]) -> Iterator[str]:
    """The lines of a pair's table, the scores of each metric under its text, which may be long."""
    table = pair_table(own, named=False, paper=True)
    scores = (f"  {d.score.rpartition('.')[2]}" for d in own)
    rows = [(score, *row[1:]) for score, row in zip(scores, table.rows, strict=True)]
    head, *lines = replace(table, rows=rows).render().split("\n")
    yield head
    each = zip(own, lines, strict=True)
    for metric, some in groupby(each, key=lambda one: one[0].score.rpartition(".")[0]):
        yield metric
        yield from (line for _, line in some)


def _wrapped(words: str, indent: str = "") -> list[str]:
    """The words in lines as wide as the terminal, at most 100 columns, no word broken."""
    width = min(100, shutil.get_terminal_size().columns)
    return textwrap.wrap(
        words, width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )


def _signatures(found: Comparison) -> Iterator[str]:
    """The signatures of the metrics, in one line where they are alike but for the metric."""
    alike = grouped(
        (str(Signature({name: part for name, part in signature.items() if name != "metric"})), text)
        for text, signature in found.signatures.items()
        if any(one.key.startswith(f"{text}.") for one in found.compared)
    )
    for parts, metrics in alike.items():
        yield f"metric={', '.join(metrics)} | {parts}"


def caution_lines(found: Comparison) -> Iterator[str]:
    """Warnings for the reader: few questions, tests without power, scores that were left out."""
    facts = found.facts
    if not found.per_question:
        yield "Published results may differ in what the signature does not say."
    if unlike := facts.get("unlike_contexts"):
        yield f"Contexts differ on {unlike} of {facts['questions']} questions."
    alone = (v for rows in found.per_question.values() for row in rows.values() for v in row)
    yield from _wrapped(few_questions(facts["questions"], alone))
    if facts["tests"] * facts["smallest_p"] > facts["alpha"]:
        units = (
            f"{facts['clusters']} groups"
            if "clusters" in facts
            else f"{facts['questions']} questions"
        )
        yield from _wrapped(
            f"No difference can be significant: {units} give no p below {facts['smallest_p']:.2g}, and "
            f"Holm multiplies it by {facts['tests']} tests. Compare fewer scores: --score KEY"
        )
    for key, why in found.left_out.items():
        # That medians and maxima cannot be tested in this way holds of every comparison.
        if "order statistic" not in why:
            yield from _wrapped(f"not compared: {key}: {why}", indent="  ")


def p_value(p: float) -> str:
    """A p value in three places, never as 0."""
    return "<.001" if p < 0.001 else f"{p:.3f}"


def _scale(unit: str) -> int:
    return 100 if unit == "share" else 1


def _names_of(keys: Iterable[str]) -> dict[str, str]:
    """The readable name of each score, with its metric where two scores have one name."""
    names = {key: score_name(key)[0] for key in keys}
    twice = {name for name, n in Counter(names.values()).items() if n > 1}
    return {
        key: f"{name} ({key.rpartition('.')[0]})" if name in twice else name
        for key, name in names.items()
    }


def system_table(found: Comparison, most: int | None = None) -> Table:
    """A row for each system and a column for each score, the first ``most`` of them: the best in bold,
    those not significantly worse with a dagger.

    The table of a paper. Scores without a better end are marked nowhere; the signatures stand below.
    """
    names = _names_of(dict.fromkeys(d.score for d in found.differences))
    keys = list(names)[:most]
    value: dict[tuple[str, str], float] = {}
    unit = {d.score: d.unit for d in found.differences}
    for d in found.differences:
        value[d.first, d.score], value[d.second, d.score] = d.scores
    best, alike = set(), set()
    for column, key in enumerate(keys, 1):
        own = [d for d in found.differences if d.score == key]
        # Of a length, say, more is neither better nor worse: no cell is marked.
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
        (name, *(points(value[name, key], _scale(unit[key])) for key in keys))
        for name in found.systems
    ]
    facts = found.facts
    counts = sorted({d.n for d in found.differences})
    n = str(counts[0]) if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
    notes = [
        f"Bold: the best. † not significantly worse than it ({facts['test']}, Holm over "
        f"{facts['tests']} tests, {100 * facts['alpha']:g} %; n = {n} questions; {facts['interval']}).",
        *(
            [f"Not shown: {', '.join(list(names.values())[len(keys) :])}."]
            * (len(names) > len(keys))
        ),
        *_signatures(found),
    ]
    head = ("system", *(names[key] for key in keys))
    return Table(head, rows, range(1, len(head)), best=best, alike=alike, notes=notes)


def pair_table(differences: Sequence[Difference], named: bool = True, paper: bool = False) -> Table:
    """A row for each difference.

    ``named``: with the two systems, for several pairs in one table; ``paper``: the names of scores in
    place of their keys, and without the difference that the questions can see.
    """
    head = ("score", "first", "second", "diff", "95 % interval", "p Holm", "resolvable")[
        : 6 if paper else 7
    ]
    names = _names_of([d.score for d in differences])
    rows = []
    for d in differences:
        scale = _scale(d.unit)
        ends = [f" [{interval(*one, scale)}]" for one in d.ends] or ["", ""]
        rows.append(
            (
                *((d.first, d.second) if named else ()),
                names[d.score] if paper else short_key(d.score),
                points(d.scores[0], scale) + ends[0],
                points(d.scores[1], scale) + ends[1],
                points(d.value, scale, "+"),
                interval(d.low, d.high, scale, "+"),
                p_value(d.p_holm) + ("*" if d.winner else ""),
                *(() if paper else (points(d.resolvable, scale),)),
            )
        )
    systems = ("first system", "second system") if named else ()
    return Table((*systems, *head), rows, right=range(len(systems) + 1, len(systems) + len(head)))


def _questions(found: Comparison, d: Difference) -> Iterator[str]:
    """The questions with the largest differences in favour of either system."""
    scale = _scale(d.unit)
    a, b = found.systems.index(d.first), found.systems.index(d.second)
    gaps = [
        (scale * (one - other), question)
        for question, row in found.per_question.get(d.score, {}).items()
        if (one := row[a]) is not None and (other := row[b]) is not None
    ]
    # Ties by the question's id, so that two runs print the same.
    gaps.sort(key=lambda gap: (-abs(gap[0]), gap[1]))
    found_by = (
        f" A true difference of {points(d.resolvable, scale)} would be found four times in five."
    )
    counts = f" {d.won} questions higher, {d.tied} tied, {d.lost} lower." * (d.won is not None)
    yield from _wrapped(f"{short_key(d.score)}:{counts}{found_by * (d.resolvable is not None)}")
    for name, sign in ((d.first, 1), (d.second, -1)):
        best = [(gap, q) for gap, q in gaps if sign * gap > 1e-9][:_MOST_QUESTIONS]
        if best:
            questions = ", ".join(f"{question} ({gap:+.1f})" for gap, question in best)
            yield from _wrapped(f"  {name} is furthest above on: {questions}", indent="    ")


def band_table(bands: Mapping[str, Any], paper: bool = False) -> Table:
    """The systems with their rank bands, the best first; ``paper``: under the name of the score, not its key."""
    scale = _scale(bands["unit"])
    rows = []
    for row in bands["systems"]:
        ranks = dict.fromkeys(str(row[end]) for end in ("rank_low", "rank_high"))
        rows.append(
            (
                str(row["band"] or "-"),
                "-".join(ranks) if row["rank"] else "-",
                row["system"],
                points(row["value"], scale),
                interval(row["low"], row["high"], scale),
            )
        )
    score = score_name(bands["score"])[0] if paper else short_key(bands["score"])
    return Table(("band", "ranks", "system", score, "95 % interval"), rows, right=(0, 1, 3, 4))
