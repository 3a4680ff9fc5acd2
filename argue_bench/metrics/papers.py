"""The papers whose metrics are computed here, and their BibTeX."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

from argue_bench.metrics.base import Metric
from argue_bench.version import __version__

# What CITATION.cff says, which is not installed.
SOFTWARE = {
    "title": "argue-bench: scoring long-form answers that must cite their sources",
    "author": "The argue-bench developers",
    "year": "2026",
    "version": __version__,
    "license": "MIT",
}


@cache
def papers() -> dict[str, dict[str, str]]:
    """Papers by how the catalogue cites them: key, title, authors, published, year."""
    return tomllib.loads(Path(__file__).with_name("papers.toml").read_text("utf-8"))


def cited_papers(metrics: Iterable[Metric]) -> list[dict[str, str]]:
    """The papers that these metrics name, each once, in the metrics' order."""
    known = papers()
    # A metric's `paper` may name several: "Es et al. 2024 (ragas); Thakur et al. 2025".
    found = {cited: None for metric in metrics for cited in known if cited in metric.paper}
    return [known[cited] for cited in found]


def bibtex(kind: str, key: str, **fields: str) -> str:
    """An entry without its empty fields, in which no character of a foreign text acts."""
    lines = [f"  {name} = {{{_safe(name, value)}}}" for name, value in fields.items() if value]
    return f"@{kind}{{{key},\n" + ",\n".join(lines) + "\n}"


def paper_bibtex(paper: Mapping[str, str]) -> str:
    """A paper's entry: in proceedings, as a preprint, or in a journal."""
    where = paper["published"]
    # The form of ``published`` in papers.toml tells the kind of entry.
    kind, field = "article", "journal"
    if where.startswith(("Proceedings", "Text Summarization")):
        kind, field = "inproceedings", "booktitle"
    elif where.startswith("arXiv:"):
        kind, field, where = "misc", "eprint", where.removeprefix("arXiv:")
    more = {"archiveprefix": "arXiv"} if kind == "misc" else {}
    given = {
        "title": paper["title"],
        "author": paper["authors"],
        field: where,
        "year": paper["year"],
    }
    return bibtex(kind, paper["key"], **given, **more)


def software_bibtex() -> str:
    """The entry of argue-bench, as CITATION.cff has it."""
    found = bibtex("software", "argue-bench", **SOFTWARE)
    # Braces in braces: the name of a group is no first and last name.
    return found.replace(f"{{{SOFTWARE['author']}}}", f"{{{{{SOFTWARE['author']}}}}}")


def _safe(name: str, value: str) -> str:
    plain = value.replace("\\", " ").replace("{", "(").replace("}", ")")
    if name in ("url", "eprint"):  # styles print these letter by letter
        return plain
    # A "%" would make a comment of the rest of the line in the reader's own paper, with its closing brace.
    return re.sub(r"[%&#$_]", r"\\\g<0>", plain).replace("^", r"\^{}").replace("~", r"\~{}")
