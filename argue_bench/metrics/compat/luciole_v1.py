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
    "answer_em",
    "answer_em_fuzzy",
    "citation_precision_strict",
    "citation_recall_strict",
    "citation_f1_strict",
    "citation_precision_fuzzy",
    "citation_recall_fuzzy",
    "citation_f1_fuzzy",
    "distractor_citation_rate",
    "refusal_recall",
    "refusal_precision",
    "false_refusal_rate",
)
JUDGED = ("factual_judge_accuracy_ge_5", "factual_judge_accuracy_gt_4")

_ARTICLES = re.compile(r"\b(?:a|an|the|le|la|les|l|un|une|des|du|de|d)\b")
_PUNCTUATION = re.compile(r"[^\w\s]")
_CITED = (
    re.compile(r"<cite>([^<]+)</cite>", re.IGNORECASE),
    re.compile(r"<<cite\s*+:\s*+(\S(?:[^\n]*?\S)??)\s*+>>", re.IGNORECASE),
    re.compile(r"\[source\s*+:([^\]]+)\]", re.IGNORECASE),
    re.compile(r"##Cite\s([^#]+)##"),
)
_QUOTED = re.compile(r"""[«"]([^»"]+)[»"]""")
_FENCED = re.compile(r"```(?:json)?\s*(?P<object>\{.*?\})\s*```", re.DOTALL)
_FLAT = re.compile(r"(?P<object>\{[^{}]*\})")
_HEX_TAG = re.compile(r"\s*\[[0-9a-f]{8,}\]\s*\Z", re.IGNORECASE)


def _near(most: int) -> str:
    return rf"[^.\n]{{0,{most}}}?"


_NOT_FOUND = r"\bi_(?:could_not|couldn't|did_not|didn't|can\s*not|can't)_find\b" + _near(120)
_IN_SOURCES = r"\b(?:in|within)_the_(?:provided_)?(?:context|documents?)\b"
_REFUSALS = tuple(
    re.compile(pattern.replace("_", r"\s+"), re.IGNORECASE)  # an underscore: a gap of any length
    for pattern in (
        r"(?:do not|don't|does not|doesn't|cannot|can't|unable to)_(?:allow me to_)?"
        r"(?:answer|provide|respond)",
        r"(?:not enough|insufficient|missing)_information",
        r"(?:context|documents?)_(?:provided|given)?\s*(?:do not|does not|don't)_"
        r"(?:contain|mention|provide|include)",
        r"(?:is|are)_not_mentioned_in_the_(?:context|documents?)",
        _NOT_FOUND + r"\b(?:information|mention|evidence|details?)\b",
        _NOT_FOUND + _IN_SOURCES,
        r"\b(?:there_is|there's)_no\b"
        + _near(120)
        + r"\b(?:information|mention|evidence|detail)\b"
        + _near(120)
        + _IN_SOURCES,
        r"\bne_(?:me_)?permet\w*_pas",
        r"pas_en_mesure_de_répondre",
        r"\bne_(?:peux|puis|peut|pouvons|pourrais)\b"
        + _near(40)
        + r"\bpas\b"
        + _near(40)
        + r"\b(?:répondre|fournir|donner|aider)",
        r"contexte"
        + _near(60)
        + r"\bne_(?:contient|mentionne|fournit|indique|précise)"
        + _near(40)
        + r"(?:pas|aucune?)",
        r"documents?"
        + _near(60)
        + r"\bne_(?:contiennent|mentionnent|fournissent|indiquent|précisent)"
        + _near(40)
        + r"(?:pas|aucune?)",
        r"n['e]?est_pas_(?:mentionné|indiqué|précisé|disponible|présent|évoqué|fourni|donné|spécifié)",
        r"\bn['e]?(?:apparaît|figure|existe)_pas\b",
        r"informations?_(?:non_disponibles?|manquantes?|insuffisantes?|absentes?|indisponibles?)",
        r"je_n['e]?ai_pas_(?:la_|l['a]\s*|cette_|de_|d['e]\s*|assez_d['e]\s*)?informations?\b",
        r"je_n['e]?ai_pas_(?:trouvé|trouve|découvert|d[ée]cel[ée])_(?:de_|d['e]\s*)?informations?\b",
    )
)
_RESCUES = re.compile(
    r"\b(?:cependant|mais|néanmoins|toutefois|en\s+revanche|au\s+contraire|alors\s+que|tandis\s+que"
    r"|however|nevertheless|but|il\s+est\s+(?:bien\s+)?(?:documenté|connu)|r[ée]ponse\s+finale)\b",
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
            quoted = [part.strip() for part in _QUOTED.findall(match[1])]
            for title in quoted or [match[1].strip()]:
                if title:
                    found.setdefault(title.lower(), title)
    return list(found.values())


def refused(response: str) -> bool:
    """Whether a refusal phrase stands in it with no rescuing word anywhere after it."""
    for pattern in _REFUSALS:
        match = pattern.search(response)
        if match and not _RESCUES.search(response[match.end() :]):
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
    return _HEX_TAG.sub("", title.strip()).lower()


def same(a: str, b: str, fuzzy: bool) -> bool:
    """Whether two keys are the same title; fuzzy takes either inside the other."""
    return a == b or (fuzzy and bool(a) and bool(b) and (a in b or b in a))


def citation_scores(
    cited: Sequence[str], gold: Sequence[str], fuzzy: bool
) -> tuple[float | None, float | None, float | None]:
    """Precision, recall, F1 of cited titles; None where the reference leaves the row out."""
    given, wanted = _keys(cited), _keys(gold)
    precision = recall = None
    if given:
        precision = sum(any(same(g, w, fuzzy) for w in wanted) for g in given) / len(given)
    if wanted:
        recall = sum(any(same(g, w, fuzzy) for g in given) for w in wanted) / len(wanted)
    if precision is None or recall is None:
        return precision, recall, None
    both = precision + recall
    return precision, recall, 2 * precision * recall / both if both else 0.0


def _keys(titles: Sequence[str]) -> list[str]:
    """The keys of titles that differ as strings; blank ones left out."""
    return [found for title in dict.fromkeys(map(str.strip, titles)) if (found := key(title))]


def distractor_rate(cited: Sequence[str], gold: Sequence[str]) -> float:
    """The share of cited titles, blank keys among them, whose key is none of the gold's."""
    wanted = set(map(key, gold))
    return sum(key(title) not in wanted for title in cited) / len(cited) if cited else 0.0


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
    scores["distractor_citation_rate"] = distractor_rate(cited, supporting)
    scores["refusal_precision"] = 0.0 if no else None
    scores["false_refusal_rate"] = float(no)
    return scores


def judge_object(reply: str) -> Mapping[str, Any] | None:
    """The JSON object in a judge's reply: the whole, else the first fenced, else the first flat one.

    Only one of them is tried: where it is no JSON the others are not looked at.
    """
    text = reply.strip()
    try:
        value = _json(text)
    except ValueError:
        match = _FENCED.search(text) or _FLAT.search(text)
        try:
            value = _json(match["object"]) if match else None
        except ValueError:
            return None
    return value if isinstance(value, dict) else None


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except RecursionError:
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
