"""The page of the metrics, from the catalogue: summary, scores, options, paper, BibTeX."""

from __future__ import annotations

import re
from collections.abc import Set
from dataclasses import MISSING, fields
from typing import Any, get_args, get_origin, get_type_hints

from argue_bench.metrics import METRICS, class_of, definitions
from argue_bench.metrics.papers import paper_bibtex, papers
from argue_bench.metrics.score_names import score_name
from argue_bench.view.columns import FAMILIES, family_of


def metric_catalogue(used: Set[str] = frozenset()) -> list[dict[str, Any]]:
    """The catalogue by family, as plain data; of the metrics ``used`` alone, where there are any."""
    found: dict[str, list[dict[str, Any]]] = {family: [] for family in FAMILIES}
    known = papers()
    kinds = {class_of(text) for text in used} - {None}
    every = {text: kind for name in METRICS for text, kind in definitions(name).items()}
    anchors: set[str] = set()
    for name, kind in every.items():
        if kinds and kind not in kinds:
            continue
        # Boards link to the name alone, which the first of its definitions here has as its anchor.
        # An id of HTML holds letters, digits and dashes: accuracy(rules=alce) is accuracy-rules-alce.
        anchor = re.sub(r"\W+", "-", name).strip("-") if kind.name in anchors else kind.name
        anchors.add(anchor)
        hints = get_type_hints(kind)
        found[family_of(name)].append(
            {
                "name": name,
                "anchor": anchor,
                "summary": kind.summary,
                "paper": kind.paper,
                "bibtex": [
                    paper_bibtex(paper) for cited, paper in known.items() if cited in kind.paper
                ],
                "scores": [
                    {
                        "name": score,
                        "title": score_name(f"{name}.{score}")[0],
                        "about": score_name(f"{name}.{score}")[1],
                        "unit": average.unit,
                        "better": average.better,
                        "headline": score in (kind.headline or tuple(kind.scores)[:4]),
                    }
                    for score, average in kind.scores.items()
                ],
                "options": [
                    {
                        "name": f.name,
                        "default": "" if f.default is MISSING else str(f.default),
                        "choices": list(get_args(hints[f.name]))
                        if get_origin(hints[f.name])
                        else [],
                    }
                    for f in fields(kind)
                ],
                "requests": [request.__name__ for request in kind.requests],
            }
        )
    return [{"family": family, "metrics": metrics} for family, metrics in found.items() if metrics]
