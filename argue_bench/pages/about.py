"""What is each metric? Generated from the catalogue: question, scores, options, paper, BibTeX."""

from __future__ import annotations

import inspect
from dataclasses import MISSING, fields
from typing import Any, get_args, get_origin, get_type_hints

from argue_bench.metrics import METRICS
from argue_bench.pages.columns import FAMILIES, family_of

PAPERS = {
    "Zhu et al. 2024": (
        "zhu2024fanoutqa",
        "FanOutQA: A Multi-Hop, Multi-Document Question Answering Benchmark for Large Language Models",
        "Zhu, Andrew and Hwang, Alyssa and Dugan, Liam and Callison-Burch, Chris",
        "Proceedings of ACL",
        "2024",
    ),
    "Gao et al. 2023": (
        "gao2023alce",
        "Enabling Large Language Models to Generate Text with Citations",
        "Gao, Tianyu and Yen, Howard and Yu, Jiatong and Chen, Danqi",
        "Proceedings of EMNLP",
        "2023",
    ),
    "Mayfield et al. 2024": (
        "mayfield2024argue",
        "On the Evaluation of Machine-Generated Reports",
        "Mayfield, James and Yang, Eugene and Lawrie, Dawn and others",
        "Proceedings of SIGIR",
        "2024",
    ),
    "arXiv 2509.26184": (
        "walden2025autoargue",
        "Auto-ARGUE: LLM-Based Report Generation Evaluation",
        "Walden, William and others",
        "arXiv:2509.26184",
        "2025",
    ),
    "Lin 2004": (
        "lin2004rouge",
        "ROUGE: A Package for Automatic Evaluation of Summaries",
        "Lin, Chin-Yew",
        "Text Summarization Branches Out",
        "2004",
    ),
    "Stelmakh et al. 2022": (
        "stelmakh2022asqa",
        "ASQA: Factoid Questions Meet Long-Form Answers",
        "Stelmakh, Ivan and Luan, Yi and Dhingra, Bhuwan and Chang, Ming-Wei",
        "Proceedings of EMNLP",
        "2022",
    ),
    "Amouyal et al. 2022": (
        "amouyal2022qampari",
        "QAMPARI: An Open-domain Question Answering Benchmark for Questions with Many Answers from Multiple Paragraphs",
        "Amouyal, Samuel Joseph and others",
        "arXiv:2205.12665",
        "2022",
    ),
    "Sellam et al. 2020": (
        "sellam2020bleurt",
        "BLEURT: Learning Robust Metrics for Text Generation",
        "Sellam, Thibault and Das, Dipanjan and Parikh, Ankur",
        "Proceedings of ACL",
        "2020",
    ),
    "Pillutla et al. 2021": (
        "pillutla2021mauve",
        "MAUVE: Measuring the Gap Between Neural Text and Human Text using Divergence Frontiers",
        "Pillutla, Krishna and others",
        "Proceedings of NeurIPS",
        "2021",
    ),
    "Pradeep et al. 2024": (
        "pradeep2024autonuggetizer",
        "Initial Nugget Evaluation Results for the TREC 2024 RAG Track with the AutoNuggetizer Framework",
        "Pradeep, Ronak and Thakur, Nandan and Upadhyay, Shivani and Campos, Daniel and Craswell, Nick and Lin, Jimmy",
        "arXiv:2411.09607",
        "2024",
    ),
}
"""How the catalogue cites a paper, to what BibTeX says of it."""


def metric_catalogue() -> list[dict[str, Any]]:
    """The catalogue by family, as plain data."""
    found: dict[str, list[dict[str, Any]]] = {family: [] for family in FAMILIES}
    for name, kind in METRICS.items():
        module = inspect.getmodule(kind)
        hints = get_type_hints(kind)
        found[family_of(name)].append(
            {
                "name": name,
                "summary": kind.summary,
                "paper": kind.paper,
                "formula": inspect.cleandoc(_first(module.__doc__ if module else "")),
                "bibtex": [_bibtex(*entry) for key, entry in PAPERS.items() if key in kind.paper],
                "scores": [
                    {
                        "name": score,
                        "unit": average.unit,
                        "better": average.better,
                        "head": score in (kind.headline or tuple(kind.scores)[:4]),
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
                "asks": [request.__name__ for request in kind.requests],
            }
        )
    return [{"family": family, "metrics": metrics} for family, metrics in found.items() if metrics]


def _first(text: str | None) -> str:
    return text or ""


def _bibtex(key: str, title: str, authors: str, where: str, year: str) -> str:
    return (
        f"@article{{{key},\n  title = {{{title}}},\n  author = {{{authors}}},\n"
        f"  journal = {{{where}}},\n  year = {{{year}}}\n}}"
    )
