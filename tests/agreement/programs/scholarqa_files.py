"""The reading of ScholarQA-CS2's own files and replies, as astabench 0.5.4 reads them.

``olmo``, or ``once``, marks what allenai/olmo-eval e8b88f1 does otherwise: it asks nothing again, and reads what
is missing as nothing instead of stopping. A report is JSON, {"sections": [{"text", "citations": [{"id",
"snippets", "title"}], "table"}]}. What stops the program is an error of ours, of one report.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cache
from typing import Any

from argue_bench.errors import Code, DataError
from argue_bench.published.web_reports import CitedClaim

MOST_ATTEMPTS = 21
"""A judge whose reply cannot be read is asked so often by astabench: once, and 20 times again."""
ALIKE = 0.85
"""difflib's ratio from which astabench takes a text of the judge for a paragraph of the answer."""
# What Semantic Scholar shows in the place of an abstract, and a word of its pages: no evidence.
_PLACEHOLDER = "Please click on the paper title to read the abstract on Semantic Scholar."
_PAPER = re.compile(r'<Paper\b[^>]*?\bpaperTitle="([^"]*)"[^>]*></Paper>')
_BRACKETS = str.maketrans("", "", "[]()")
Split = Callable[[str], Sequence[str]]


@dataclass(frozen=True)
class CitationGroup:
    """A section or table: its text, the evidence of each citation by id, the ids with a title alone."""

    text: str
    evidence: Mapping[str, str]
    title_only: frozenset[str] = frozenset()


def json_in(text: str) -> Any:
    """The JSON from the first brace to the last, or between them; None where neither is JSON."""
    start, end = text.find("{"), text.rfind("}") + 1
    # Some judges write two pairs of braces.
    for part in (text[start:end], text[start + 1 : end - 1]) if start >= 0 else ():
        try:
            return json.loads(part)
        except (ValueError, RecursionError):
            continue
    return None


def read_report(completion: str) -> Mapping[str, Any] | None:
    """The report in a completion, also under ``response``; None where there is none."""
    value = json_in(completion)
    if isinstance(value, Mapping) and "response" in value:
        value = value["response"]
    return value if isinstance(value, Mapping) else None


def groups_of(report: Mapping[str, Any] | None, olmo: bool = False) -> list[CitationGroup]:
    """Every section, then its table. Raises DataError where a key is missing that the program needs."""
    if report is None:
        return []
    try:
        if olmo:
            report = {"sections": [], **report}
        parts = []
        for section in report["sections"]:
            parts.append(section)
            if section.get("table"):
                parts.append(section["table"])
        return [_group(part, olmo) for part in parts]
    except (KeyError, TypeError, AttributeError) as error:
        why = f"ScholarQA-CS2 cannot read the report: {type(error).__name__}: {error}"
        raise DataError.of(Code.WRONG_SHAPE, why) from None


def _group(part: Mapping[str, Any], olmo: bool) -> CitationGroup:
    text = _PAPER.sub(r"(\1)", part["text"])
    letters = _letters(text)
    evidence: dict[str, str] = {}
    bare = set()
    for one in part.get("citations", ()) if olmo else part["citations"]:
        id = str(one["id"]).translate(_BRACKETS)
        snippets = one.get("snippets", [])
        if olmo and isinstance(snippets, str):
            snippets = [snippets]
        title = one.get("title", "")
        if _usable(snippets, letters, title, olmo):
            evidence[id] = "... ".join(snippets)
        # The two programs part here: a source without a title stops astabench.
        elif olmo and not title:
            evidence[id] = ""  # nothing to read, and yet no half credit
        else:
            evidence[id] = one["title"]
            bare.add(id)
    return CitationGroup(text, evidence, frozenset(bare))


def _usable(snippets: Sequence[str], letters: str, title: str, olmo: bool) -> bool:
    """Whether the snippets are evidence: not copied from the answer, not the title, no placeholder."""
    # Letters alone, so that a copy with other quotes or line breaks is one.
    known = [_letters(one) for one in snippets]
    placeholder = any(_PLACEHOLDER in one if olmo else one == _PLACEHOLDER for one in snippets)
    same = _letters(title or "")
    return (
        bool(known) and not placeholder and not any(one in letters or one == same for one in known)
    )


def _letters(text: str) -> str:
    return re.sub(r"[^a-zA-Z]", "", text).lower()


@cache
def _reply_shapes() -> dict[str, Any]:
    # The program's own models: what pydantic coerces, and what it refuses, decides who is asked again.
    from typing import Literal

    from pydantic import BaseModel, ConfigDict, TypeAdapter

    class Claim(BaseModel):
        model_config = ConfigDict(coerce_numbers_to_str=True)
        text: str
        supporting: list[str] = []
        non_supporting: list[str] = []
        is_fully_supported: bool

    class Claims(BaseModel):
        claims: list[Claim]

    class Graded(BaseModel):
        criteria_idx: int
        score: Literal[0, 1, 2]

    class Grades(BaseModel):
        scores: list[Graded]

    return {"claims": TypeAdapter(Claims), "grades": TypeAdapter(Grades)}


def read_claims(reply: str) -> list[CitedClaim] | None:
    """The claims in a judge's reply; None where the judge is asked again. Numbers as ids become texts."""
    from pydantic import ValidationError

    try:
        found = _reply_shapes()["claims"].validate_python(json_in(reply)).claims
    except ValidationError:
        return None
    return [
        CitedClaim(tuple(one.supporting), tuple(one.non_supporting), one.is_fully_supported)
        for one in found
    ]


def read_claims_once(reply: str) -> list[CitedClaim] | None:
    """The same of olmo-eval, for which a missing flag is a no; None where the reply is no JSON."""
    value = json_in(reply)
    if not isinstance(value, Mapping):
        return None
    return [
        CitedClaim(
            tuple(map(str, one.get("supporting", ()))),
            tuple(map(str, one.get("non_supporting", ()))),
            bool(one.get("is_fully_supported", False)),
        )
        for one in value.get("claims", ())
        if isinstance(one, Mapping)
    ]


def answer_text(report: Mapping[str, Any]) -> str:
    """Texts of sections and tables, joined by blank lines."""
    parts = []
    for section in report.get("sections") or ():
        parts.append(section.get("text") or "")
        if table := section.get("table"):
            parts.append(table.get("text") or "")
    return "\n\n".join(parts).strip()


def irrelevant_in(reply: str) -> list[str] | None:
    """The paragraphs that a judge calls irrelevant; None where it is asked again. Raises DataError."""
    value = json_in(reply)
    if not isinstance(value, Mapping):
        return None
    try:
        return [one["answer_text"] for one in value["irrelevant_paragraphs"]]
    except (KeyError, TypeError) as error:
        why = f"the judge's reply lacks {error}, which stops ScholarQA-CS2"
        raise DataError.of(Code.WRONG_SHAPE, why) from None


def answer_precision(answer: str, irrelevant: Iterable[str]) -> tuple[float, int]:
    """The share of paragraphs that the judge did not call irrelevant, and how many there are.

    Paragraphs end at blank lines; an empty answer is one. A text of the judge is the first paragraph
    that difflib finds alike to .85 or more, so that one said twice is found once, and a part never.
    """
    # One paragraph of an empty answer too: the program divides by it.
    paragraphs = re.split(r"\n\s*\n", answer.strip())
    found = set()
    for text in irrelevant:
        for place, paragraph in enumerate(paragraphs):
            if SequenceMatcher(None, text, paragraph).ratio() >= ALIKE:
                found.add(place)
                break
    return 1 - len(found) / len(paragraphs), len(paragraphs)


def grades_in(reply: str, count: int) -> dict[int, int] | None:
    """The grade 0, 1 or 2 of each ingredient by its number from 1; None where the judge is asked again."""
    from pydantic import ValidationError

    try:
        found = _reply_shapes()["grades"].validate_python(json_in(reply)).scores
    except ValidationError:
        return None
    grades = {one.criteria_idx: one.score for one in found}
    complete = len(grades) == len(found) and sorted(grades) == list(range(1, count + 1))
    return grades if complete else None


def grades_in_once(reply: str) -> dict[int, float]:
    """The same of olmo-eval: any number, whichever are there."""
    value = json_in(reply)
    rows = value.get("scores", ()) if isinstance(value, Mapping) else ()
    return {one["criteria_idx"]: one["score"] for one in rows if isinstance(one, Mapping)}


def weighted_ingredients(
    ingredients: Iterable[Mapping[str, Any]], grades: Mapping[int, float]
) -> float:
    """The weighted share of ingredients with a criterion, a grade of 2 being the whole; 0 without any.

    Weight and grade belong to a name: of two ingredients of one name the last counts.
    """
    # An ingredient without a criterion cannot be judged; the others are numbered without it.
    known = [one for one in ingredients if one.get("criterion")]
    weights = {one["name"]: one["weight"] for one in known}
    # Grades are by number, weights by name, as two files of the program have them.
    reached = {one["name"]: grades.get(at, 0) for at, one in enumerate(known, 1)}
    whole = sum(weights.values())
    return sum(weights[name] / whole * reached[name] / 2 for name in weights) if whole else 0.0


def global_average(parts: Iterable[Mapping[str, float]]) -> float:
    """The mean of the four parts: ingredient recall, answer precision, citation recall and precision."""
    found = {name: value for part in parts for name, value in part.items()}
    names = ("ingredient_recall", "answer_precision", "citation_recall", "citation_precision")
    return sum(found[name] for name in names) / len(names)
