"""A submitted file of answers, checked line by line: what may be read, and what is wrong with the rest."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import NamedTuple

from argue_bench.errors import Code, Finding, Level
from argue_bench.loaders.answers import (
    ParsedAnswer,
    admit,
    build_answer,
    citation_indexes,
    parse_lines,
)
from argue_bench.loaders.dataset import Dataset
from argue_bench.loaders.findings import Findings, few
from argue_bench.loaders.limits import AnswerLimits
from argue_bench.metrics import CITING
from argue_bench.records.display import escape
from argue_bench.records.untrusted import DEFAULT_LIMITS, Limits
from argue_bench.text.refusals import declines
from argue_bench.text.statements import claim_sentences

# As many ids as fit into a few lines of a terminal.
FIRST_IDS = 20
# Characters of an answer that cites nothing: most sentences end within them, with the sign that was not read.
FIRST_WORDS = 120
# Of answers that could cite, the share above which it is said that they do not: even careful systems leave out a few.
MOST_UNCITED = 0.1


class Checked(NamedTuple):
    """What is seen of an answer."""

    excess: str = ""
    """By how much it passes its limits, empty where it does not."""
    unknown: Sequence[str] = ()
    """What it cites and the set does not have."""
    uncited: str | None = None
    """The first words of one that cites nothing, empty where it cites; None where nobody asks, and where it states
    nothing or declines."""
    idle: str = ""
    """Why nothing of it could be scored; empty where something could."""


def check_answer_file(
    path: Path,
    ids: Collection[str],
    limits: Limits = DEFAULT_LIMITS,
    name: str = "",
    check: Callable[[ParsedAnswer], Checked] = lambda _: Checked(),
    spared: str = "",
) -> tuple[set[str], list[Finding]]:
    """The ids with a valid answer in the file, and all findings.

    ``spared`` says what becomes of answers beyond their limits. Holds one line in memory.
    """
    found = Findings(name or path)
    seen: set[str] = set()
    long: list[tuple[int, str]] = []
    astray: list[tuple[int, str]] = []
    strays = 0  # of all lines, of which a file of 200 MB may have 30 million
    citing: list[tuple[int, str]] = []
    for line, row in parse_lines(path, limits, found):
        if row is not None and admit(number := line.number, row.id, ids, seen, found):
            seen.add(row.id)
            one = check(row)
            citing += [(number, one.uncited)] if one.uncited is not None else []
            long += [(number, one.excess)] if one.excess else []
            astray = astray or [(number, cited) for cited in one.unknown[:1]]
            strays += len(one.unknown)
    if astray:
        number, cited = astray[0]
        many = "1 citation names" if strays == 1 else f"{strays:,} citations name"
        found.add(
            Code.UNKNOWN_CITATION,
            f"{many} no document of the set, the first {few([cited])}",
            number,
            "/answer",
            "They support nothing. Cite a document's id, or its number among the question's, which begins at 1.",
            "warning",
        )
    uncited = [(number, words) for number, words in citing if words]
    if len(uncited) > MOST_UNCITED * len(citing):
        number, words = uncited[0]
        why = (
            f"{len(uncited):,} of {len(citing):,} answers cite nothing that the board can read, "
            f"the first on line {number:,}: '{words}'"
        )
        found.add(Code.NO_CITATION, why, path="/answer", level="warning")
    # The file is good: one warning for all of them is enough.
    if long:
        number, why = long[0]
        message = f"{len(long):,} of {len(seen):,} answers are too long, the first with {why}"
        found.add(Code.OVER_LIMIT, message, number, "", spared, "warning")
    return seen, found.all()


def answer_check(
    dataset: Dataset, limits: AnswerLimits, own: bool
) -> Callable[[ParsedAnswer], Checked]:
    """A function that looks at an answer as the board does, and of a set whose metrics count citations at these.

    ``own``: whether answers cite the set's documents. An address of the web is no document of any set.
    """
    index = citation_indexes(dataset)
    known = dataset.documents if own else {}
    counted = not CITING.isdisjoint(text.partition("(")[0] for text in dataset.metrics)

    def check(row: ParsedAnswer) -> Checked:
        question = dataset.by_id[row.id]
        answer, names = build_answer(row, question, index), index(question)
        cited = [name for one in answer.sentences for name in one.citations]
        unknown = [one for one in cited if known and one not in known and "://" not in one]
        if (excess := limits.excess(question, answer, names)) and limits.over == "unscored":
            return Checked(excess, unknown, idle="too long")
        scored = limits.cut(question, answer, names) if excess else answer
        if not (stated := claim_sentences(scored.sentences, citing=True)):
            parts = [
                *(aside.kind for aside in scored.asides),
                *("courtesies" for one in scored.sentences if one.plain),
            ]
            idle = f"nothing but {' and '.join(dict.fromkeys(parts))}" if parts else "blank"
            return Checked(excess, unknown, idle=idle)
        asked = counted and bool(cited or not declines(answer.plain))
        words = "" if cited else escape(stated[0].text, FIRST_WORDS)
        return Checked(excess, unknown, words if asked else None)

    return check


def coverage(
    ids: Collection[str], dataset: Dataset, file: str = "", level: Level = "error"
) -> list[Finding]:
    """The questions without an answer among these ids, and the ids of no question.

    At most two findings: one for all that is missing, one for all that is unknown.
    """
    known = dataset.by_id.keys()
    missing, unknown = sorted(known - set(ids)), sorted(set(ids) - known)
    found = Findings(file)
    if missing:
        found.add(
            Code.MISSING_IDS,
            f"{len(missing)} of {len(known)} questions have no answer: {few(missing, FIRST_IDS)}",
            level=level,
        )
    if unknown:
        name = "id names" if len(unknown) == 1 else "ids name"
        message = f"{len(unknown)} {name} no question: {few(unknown, FIRST_IDS)}"
        found.add(Code.UNKNOWN_ID, message, level=level)
    return found.all()
