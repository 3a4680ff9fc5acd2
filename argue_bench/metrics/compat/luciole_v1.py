"""Luciole as it was opened (OpenLLM-France's lighteval, 508d4a7): frozen, faults and all.

Literal and pure: every function does what `grounding(rules=luciole-v1)` says it does and nothing
better. None is "left out of this metric". What our own `grounding` does otherwise stands in its
documentation, weakness by weakness.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

Scores = dict[str, float | None]

NAMES = (
    "answer_em", "answer_em_fuzzy",
    "citation_precision_strict", "citation_recall_strict", "citation_f1_strict",
    "citation_precision_fuzzy", "citation_recall_fuzzy", "citation_f1_fuzzy",
    "distractor_citation_rate", "refusal_recall", "refusal_precision", "false_refusal_rate",
)  # fmt: skip
JUDGED = ("factual_judge_accuracy_ge_5", "factual_judge_accuracy_gt_4")

_ARTICLES = re.compile(r"\b(?:a|an|the|le|la|les|l|un|une|des|du|de|d)\b")
_PUNCTUATION = re.compile(r"[^\w\s]")
_CITED = (
    re.compile(r"<cite>([^<]*)</cite>", re.IGNORECASE),
    re.compile(r"<<cite\s*:\s*([^\n]*?)>>", re.IGNORECASE),
    re.compile(r"\[source\s*:\s*([^\]]*)\]", re.IGNORECASE),
    re.compile(r"##Cite ([^#]*)##"),
)
_QUOTED = re.compile(r'"([^"]+)"|«([^»]+)»')
_HEX_TAG = re.compile(r" \[[0-9a-fA-F]{8,}\]$")


def _near(most: int) -> str:
    return rf"[^.\n]{{0,{most}}}"


_REFUSALS = tuple(
    re.compile(pattern.replace(" ", r"\s+"), re.IGNORECASE)
    for pattern in (
        r"(?:do not|don't|does not|doesn't|cannot|can't|unable to)(?: allow me to)? "
        r"(?:answer|provide|respond)",
        r"(?:not enough|insufficient|missing) information",
        r"(?:context|documents?)(?: provided| given)? (?:do not|does not|don't) "
        r"(?:contain|mention|provide|include)",
        r"(?:is|are) not mentioned in the (?:context|documents?)",
        r"I (?:could not|couldn't|did not|didn't|can not|cannot|can't) find"
        + _near(120) + r"(?:information|mention|evidence|details?)",
        r"I (?:could not|couldn't|did not|didn't|can not|cannot|can't) find"
        + _near(120) + r"(?:in|within) the(?: provided)? (?:context|documents?)",
        r"there(?: is|'s) no" + _near(120) + r"(?:information|mention|evidence|detail)"
        + _near(120) + r"(?:in|within) the(?: provided)? (?:context|documents?)",
        r"ne(?: me)? permet\w* pas",
        r"pas en mesure de répondre",
        r"ne (?:peux|puis|peut|pouvons|pourrais)" + _near(40) + "pas" + _near(40)
        + r"(?:répondre|fournir|donner|aider)",
        r"contexte" + _near(60) + r"ne (?:contient|mentionne|fournit|indique|précise)"
        + _near(40) + r"(?:pas|aucune?)",
        r"documents?" + _near(60)
        + r"ne (?:contiennent|mentionnent|fournissent|indiquent|précisent)"
        + _near(40) + r"(?:pas|aucune?)",
        r"n'est pas (?:mentionné|indiqué|précisé|disponible|présent|évoqué|fourni|donné|spécifié)",
        r"n'(?:apparaît|figure|existe) pas",
        r"informations? (?:non disponibles?|manquantes?|insuffisantes?|absentes?|indisponibles?)",
        r"je n'ai pas(?: la| l'| cette| de| d'| assez d')?\s*informations?",
        r"je n'ai pas (?:trouvé|trouve|découvert|décelé)(?: de| d')?\s*informations?",
    )
)  # fmt: skip
_RESCUES = re.compile(
    r"\b(?:cependant|mais|néanmoins|toutefois|en\s+revanche|au\s+contraire|alors\s+que|tandis\s+que"
    r"|however|nevertheless|but|il\s+est\s+(?:bien\s+)?(?:documenté|connu)|réponse\s+finale)\b",
    re.IGNORECASE,
)


def normalize(text: str) -> str:
    """Lower case, articles of both languages to blanks, punctuation deleted, blanks folded."""
    text = _ARTICLES.sub(" ", text.lower())
    return " ".join(_PUNCTUATION.sub("", text).split())


def cited_titles(response: str) -> list[str]:
    """Titles cited in any of the four formats, format by format, first spelling kept."""
    found: dict[str, str] = {}
    for pattern in _CITED:
        for match in pattern.finditer(response):
            quoted = [(a or b).strip() for a, b in _QUOTED.findall(match[1])]
            for title in quoted or [match[1].strip()]:
                if title:
                    found.setdefault(title.lower(), title)
    return list(found.values())


def refused(response: str) -> bool:
    """Whether a refusal phrase stands in it with no rescuing word anywhere after it."""
    for pattern in _REFUSALS:
        match = pattern.search(response)
        if match and not _RESCUES.search(response, match.end()):
            return True
    return False


def answer_match(response: str, gold: str) -> tuple[float, float]:
    """Exact (the gold's characters stand in the response) and fuzzy (80 % of its tokens do)."""
    wanted = normalize(gold)
    if not wanted:
        return 0.0, 0.0
    given = normalize(response)
    tokens = set(wanted.split())
    share = len(tokens & set(given.split())) / len(tokens)
    return float(wanted in given), float(share >= 0.80)


def key(title: str) -> str:
    """What titles are compared by: without one trailing hexadecimal tag, lower case."""
    return _HEX_TAG.sub("", title.strip()).strip().lower()


def same(a: str, b: str, fuzzy: bool) -> bool:
    """Whether two keys are the same title; fuzzy takes either inside the other."""
    return a == b or (fuzzy and bool(a) and bool(b) and (a in b or b in a))


def citation_scores(
    cited: Sequence[str], gold: Sequence[str], fuzzy: bool
) -> tuple[float | None, float | None, float | None]:
    """Precision, recall, F1 of cited titles; None where the reference leaves the row out."""
    given = [key(title) for title in dict.fromkeys(cited) if key(title)]
    wanted = [key(title) for title in dict.fromkeys(gold) if key(title)]
    precision = recall = None
    if given:
        precision = sum(any(same(g, w, fuzzy) for w in wanted) for g in given) / len(given)
    if wanted:
        recall = sum(any(same(g, w, fuzzy) for g in given) for w in wanted) / len(wanted)
    if precision is None or recall is None:
        return precision, recall, None
    both = precision + recall
    return precision, recall, 2 * precision * recall / both if both else 0.0


def row_scores(response: str, gold: str, supporting: Sequence[str]) -> Scores:
    """Every model-free metric of one row; answerable iff it has supporting titles."""
    return scores_of(
        response, gold, supporting, bool(supporting), cited_titles(response), refused(response)
    )


def scores_of(
    response: str,
    gold: str,
    supporting: Sequence[str],
    answerable: bool,
    cited: Sequence[str],
    no: bool,
) -> Scores:
    """The same with titles and refusal read already: `luciole_head` reads them otherwise."""
    scores: Scores = dict.fromkeys(NAMES)
    if not answerable:
        scores["refusal_recall"] = float(no)
        scores["refusal_precision"] = 1.0 if no else None
        return scores
    scores["answer_em"], scores["answer_em_fuzzy"] = answer_match(response, gold)
    for mode in ("strict", "fuzzy"):
        found = citation_scores(cited, supporting, fuzzy=mode == "fuzzy")
        for name, value in zip(("precision", "recall", "f1"), found, strict=True):
            scores[f"citation_{name}_{mode}"] = value
    strict = scores["citation_precision_strict"]
    scores["distractor_citation_rate"] = 0.0 if strict is None else 1.0 - strict
    scores["refusal_precision"] = 0.0 if no else None
    scores["false_refusal_rate"] = float(no)
    return scores


def judge_object(reply: str) -> Mapping[str, Any] | None:
    """The JSON object in a judge's reply: the whole, else fenced, else the first flat braces."""
    candidates = [reply]
    if fenced := re.search(r"```(?:json)?\s*(.*?)```", reply, re.DOTALL):
        candidates.append(fenced[1])
    if braces := re.search(r"\{[^{}]*\}", reply):
        candidates.append(braces[0])
    for candidate in candidates:
        try:
            value = json.loads(candidate)
        except (ValueError, RecursionError):
            continue
        return value if isinstance(value, dict) else None
    return None


def judge_score(reply: str) -> int | None:
    """The score 1 to 5 of a reply, None where it can't be read."""
    value = judge_object(reply)
    try:
        score = int((value or {})["score"])
    except (KeyError, TypeError, ValueError, OverflowError):
        return None
    return score if 1 <= score <= 5 else None


def judged(score: int | None) -> Scores:
    """The two thresholds; ``gt_4`` is at least 4, despite its name."""
    if score is None:
        return dict.fromkeys(JUDGED)
    return dict(zip(JUDGED, (float(score >= 5), float(score >= 4)), strict=True))


def aggregate(values: Iterable[float | None]) -> tuple[float, float | None]:
    """Mean and standard error over the rows that count; (NaN, None) where none does."""
    kept = [value for value in values if value is not None and not math.isnan(value)]
    n = len(kept)
    if n == 0:
        return math.nan, None
    mean = sum(kept) / n
    if n == 1:
        return mean, math.nan
    return mean, math.sqrt(sum((value - mean) ** 2 for value in kept) / (n - 1)) / math.sqrt(n)
