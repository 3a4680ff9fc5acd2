"""Paired comparison of systems: differences, intervals, tests and effect sizes.

Systems answer the same questions, so everything is paired by question: what makes a question hard
for all of them cancels out, and far fewer questions show a difference (Smucker, Allan and
Carterette 2007, "A comparison of statistical significance tests for IR evaluation").

    interval     BCa bootstrap over questions, both systems on the same resamples (Efron 1987)
    p            permutation test: on each question the two systems' tallies change places or not,
                 so ratios and harmonic means are tested as they are reported
    p_holm       p after Holm's correction over the whole table (Holm 1979)
    p_wilcoxon   Wilcoxon's signed-rank test over questions, uncorrected, as a cross check
    resolvable   (t at 1 - alpha/2 + t at 80 %) x bootstrap standard error: four of five sets of
                 this size would find a true difference this large (Card et al. 2020)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from argue_bench.analysis.aligned import Alignment, ComparedScore, align_reports
from argue_bench.analysis.bands import rank_bands
from argue_bench.analysis.corrected_bands import corrected_bands
from argue_bench.analysis.differences import (
    CategoryDifference,
    Difference,
    Resampling,
    category_differences,
    pair_differences,
    scores_by_question,
)
from argue_bench.errors import UnknownName, UsageError
from argue_bench.eval.people.corrections import Correction
from argue_bench.eval.people.differences import (
    CorrectedDifference,
    corrected_differences,
    corrected_scores,
)
from argue_bench.eval.report import Report, short_key
from argue_bench.eval.signature import Signature
from argue_bench.stats.averages import take
from argue_bench.stats.bootstrap import (
    RESAMPLES,
    SEED,
)
from argue_bench.stats.permutation import is_exact, smallest_p
from argue_bench.stats.significance import (
    ALPHA,
    holm,
)

PERMUTATIONS = 10_000
MOST_PERMUTATIONS = 100_000


@dataclass(frozen=True, repr=False)
class Comparison:
    """The result of `compare_reports`. ``str`` of it is the table that the command line prints."""

    systems: tuple[str, ...]
    differences: tuple[Difference, ...]
    categories: tuple[CategoryDifference, ...]
    per_question: Mapping[str, Mapping[str, tuple[float | None, ...]]]
    """Score to question to each system's score on it alone, None where it does not apply."""
    signatures: Mapping[str, Signature]
    left_out: Mapping[str, str]
    compared: tuple[ComparedScore, ...]
    corrected: tuple[CorrectedDifference, ...]
    """Differences corrected by people's labels, where both systems have some."""
    people: Mapping[str, Correction]
    """By system, the first score with a better end as people's labels correct it."""
    facts: Mapping[str, Any]
    """How it was tested: resamples, permutations, seed, alpha, whether the test is exact; the ``labels`` of
    each system by metric, where one has some."""

    def rank_bands(self) -> dict[str, Any] | None:
        """Rank bands (`argue_bench.analysis.bands`) by the first score with a better end.

        Where people's labels correct that score of all systems, so they do the bands.
        """
        one = _ranked(self.compared)
        if one is None:
            return None
        found = corrected_bands(one, self.people, self.corrected, self.facts["resamples"])
        if found is not None:
            return found
        return rank_bands(
            one.key,
            one.average,
            {name: take(one.columns, np.s_[:, at]) for at, name in enumerate(self.systems)},
            clusters=one.clusters,
            resamples=self.facts["resamples"],
            permutations=max(self.facts["permutations"], 1),
            seed=self.facts["seed"],
        )

    def __str__(self) -> str:
        from argue_bench.analysis.comparison_table import caution_lines, comparison_lines

        return "\n".join([*comparison_lines(self, self.rank_bands()), *caution_lines(self)])

    def __repr__(self) -> str:
        tests = f"{len(self.differences)} differences tested"
        return f"<Comparison of {', '.join(self.systems)}: {tests}>"

    def to_latex(self) -> str:
        """The table of a paper (booktabs): systems by scores, the best and what is not shown to be worse."""
        from argue_bench.analysis.comparison_table import system_table

        return system_table(self).to_latex()

    def to_pandas(self) -> Any:
        """A DataFrame with a row for each difference. Raises MissingExtra."""
        from argue_bench.eval.report_table import pandas_of

        rows = [{**asdict(one), "winner": one.winner} for one in self.differences]
        return pandas_of("Comparison.to_pandas").DataFrame(rows)

    def plot(self, path: str | Path | None = None, score: str = "") -> Any:
        """Differences with intervals and by question, as a matplotlib figure; written where ``path`` is given.

        Raises MissingExtra, and UsageError for a score that is not compared.
        """
        from argue_bench.analysis.comparison_table import plot_comparison

        return plot_comparison(self, path, score)

    def to_dict(self) -> dict[str, Any]:
        """Plain data, ready for JSON."""
        return {
            "systems": list(self.systems),
            "facts": dict(self.facts),
            "differences": [{**asdict(one), "winner": one.winner} for one in self.differences],
            "categories": [asdict(part) for part in self.categories],
            "corrected": [asdict(one) for one in self.corrected],
            "per_question": {key: dict(rows) for key, rows in self.per_question.items()},
            "signature": {text: dict(parts) for text, parts in self.signatures.items()},
            "left_out": dict(self.left_out),
        }


def compare(
    *reports: Report,
    names: Sequence[str] | None = None,
    scores: Sequence[str] | None = None,
    all_scores: bool = False,
    categories: Mapping[str, Sequence[str]] | None = None,
    resamples: int = RESAMPLES,
    permutations: int | None = None,
    seed: int = SEED,
) -> Comparison:
    """Compares the reports of two or more systems, tested as the command line does.

    ``names`` are the systems' names; by default each report has one. ``scores`` are keys, short or
    full; by default the headline scores, with ``all_scores`` every score. ``categories`` maps question
    ids to categories. ``resamples`` and ``seed`` are the bootstrap's; ``permutations`` the test's, by
    default 10,000, and more where Holm's correction needs more.

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
    systems = dict(zip(given, reports, strict=True))
    return compare_reports(
        systems,
        scores=scores or (None if all_scores else headline_scores(systems)),
        categories=categories,
        resamples=resamples,
        permutations=permutations,
        seed=seed,
    )


def compare_reports(
    reports: Mapping[str, Report],
    *,
    scores: Sequence[str] | None = None,
    categories: Mapping[str, Sequence[str]] | None = None,
    resamples: int = RESAMPLES,
    permutations: int | None = None,
    seed: int = SEED,
) -> Comparison:
    """Compares systems by their reports.

    ``reports`` maps names of systems to reports; ``scores`` are keys, short or full, all by default
    (`headline_scores` picks the main ones); ``categories`` maps question ids to categories.
    ``permutations`` is 10,000, and more where the table is so long that Holm's correction could not
    find anything otherwise. Raises UnlikeSignatures, UsageError, UnknownName.
    """
    aligned = align_reports(tuple(reports), tuple(reports.values()))
    chosen = _choose(aligned.scores, scores, aligned.left_out)
    if permutations is None:
        # A sampled test gives no p below 1 / (1 + permutations), which Holm multiplies by the rows.
        rows = len(chosen) * len(aligned.systems) * (len(aligned.systems) - 1) // 2
        permutations = min(MOST_PERMUTATIONS, max(PERMUTATIONS, int(5 * rows / ALPHA)))
    sampling = Resampling(resamples, permutations, seed)
    found = [
        difference
        for one in chosen
        for difference in pair_differences(one, aligned.systems, sampling)
    ]
    adjusted = holm([difference.p for difference in found])
    n = max(len(one.questions) for one in chosen)
    together, ranked = chosen[0].clusters, _ranked(chosen)
    units = n if together is None else int(together.max()) + 1
    exact = is_exact(units, permutations)
    return Comparison(
        aligned.systems,
        tuple(replace(d, p_holm=float(p)) for d, p in zip(found, adjusted, strict=True)),
        tuple(category_differences(chosen, aligned.systems, categories or {}, sampling)),
        {one.key: scores_by_question(one) for one in chosen},
        {text: _without_labels(parts) for text, parts in aligned.signatures.items()},
        aligned.left_out,
        tuple(chosen),
        tuple(corrected_differences(chosen, aligned.reports, resamples)),
        {} if ranked is None else corrected_scores(ranked, aligned.reports, resamples),
        {
            "questions": n,
            **({"unlike_contexts": aligned.unlike_contexts} if aligned.unlike_contexts else {}),
            **({"clusters": units} if together is not None else {}),
            **({"labels": labels} if (labels := _labels(aligned, chosen)) else {}),
            "alpha": ALPHA,
            "level": 1 - ALPHA,
            "resamples": resamples,
            "seed": seed,
            "permutations": 2**units if exact else permutations,
            "exact": exact,
            "smallest_p": smallest_p(units, permutations),
            "tests": len(found),
            "correction": "holm",
        },
    )


def _labels(
    aligned: Alignment, chosen: Sequence[ComparedScore]
) -> dict[str, dict[str, str | None]]:
    """By metric text what labels each system has, of metrics for which one has some."""
    texts = dict.fromkeys(one.key.rpartition(".")[0] for one in chosen)
    found = {
        text: {
            name: report.signature[text].get("labels") for name, report in aligned.reports.items()
        }
        for text in texts
    }
    return {text: given for text, given in found.items() if any(given.values())}


def _without_labels(signature: Signature) -> Signature:
    """What the systems have in common; the labels are each system's own."""
    return Signature({name: part for name, part in signature.items() if name != "labels"})


def _ranked(compared: Sequence[ComparedScore]) -> ComparedScore | None:
    return next((one for one in compared if one.average.better), None)


def headline_scores(reports: Mapping[str, Report]) -> list[str] | None:
    """Keys of the main scores of the metrics that all reports have; None where there are none."""
    aligned = align_reports(tuple(reports), tuple(reports.values()))
    first = next(iter(reports.values()))
    main = {
        f"{text}.{name}"
        for text in aligned.signatures
        for name in first.metric(text).headline or first.averages(text)
    }
    return [one.key for one in aligned.scores if one.key in main] or None


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
