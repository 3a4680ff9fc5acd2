"""Luciole (OpenLLM-France's lighteval), frozen with its faults: its first published version (508d4a7),
and the later one (f372020), which has one citation tag, canonical refusals and rows made unanswerable.

``grounding(rules=luciole-v1)`` and ``grounding(rules=luciole-head)``, literal and pure: every function
does what Luciole's does and nothing better. None is "left out of this metric". The documentation of our own `grounding` lists what it does
otherwise, weakness by weakness.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import ClassVar

from argue_bench.metrics.base import Tallies
from argue_bench.metrics.grounding import Grounding as OurGrounding
from argue_bench.published.luciole.data import first_spellings
from argue_bench.records import NOT_APPLICABLE, Answer, Documents, Question, Tally
from argue_bench.stats.averages import Average, macro

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

_DATA: dict[str, list[str]] = tomllib.loads(
    Path(__file__).with_suffix(".toml").read_text(encoding="utf-8")
)
_ARTICLES = re.compile(r"\b(?:a|an|the|le|la|les|l|un|une|des|du|de|d)\b")
_PUNCTUATION = re.compile(r"[^\w\s]")
_CITED = tuple(map(re.compile, _DATA["citations"]))
_QUOTED = re.compile(r"""[«"]([^»"]+)[»"]""")
_HEX_TAG = re.compile(r"\s*\[[0-9a-f]{8,}\]\s*\Z", re.IGNORECASE)


_REFUSALS = tuple(
    # The data file has two abbreviations, which are written out here.
    re.compile(re.sub(r"~(\d+)~", r"[^.\\n]{0,\1}?", pattern).replace("_", r"\s+"), re.IGNORECASE)
    for pattern in _DATA["refusals"]
)
_RESCUES = re.compile(rf"\b(?:{'|'.join(_DATA['rescues'])})\b", re.IGNORECASE)


class V1Grounding(OurGrounding):
    """A row as Luciole's own code scores it, by its names alone; what it leaves out does not apply."""

    rules: ClassVar[str] = "luciole-v1"
    scores: ClassVar[Mapping[str, Average]] = {
        name: OurGrounding.scores.get(name, macro(name)) for name in NAMES
    }
    headline: ClassVar[tuple[str, ...]] = (
        "answer_em",
        "citation_f1_strict",
        "distractor_citation_rate",
        "refusal_recall",
    )
    # One text for all questions wins each: a list of names, a refusal, or every citation; or whoever cites where it is sure.
    unranked: ClassVar[tuple[str, ...]] = NAMES

    def tally(self, question: Question, answer: Answer, documents: Documents) -> Tallies:
        gold = question.gold
        assert gold is not None  # noqa: S101  (the driver refuses sealed questions)
        if gold.short_answers:
            wanted = next(iter(gold.short_answers[0].answers), "")
        else:
            wanted = "" if gold.answer is None else str(gold.answer)
        titles = [documents[id].title if id in documents else id for id in gold.supporting]
        row = self.row(answer.text, wanted, titles, gold.answerable)
        return {
            name: NOT_APPLICABLE if value is None else Tally(value) for name, value in row.items()
        }

    def row(self, response: str, gold: str, supporting: Sequence[str], answerable: bool) -> Scores:
        """Every model-free metric of one row; in this version answerable iff it has supporting titles."""
        return row_scores(response, gold, supporting)


def normalize(text: str) -> str:
    """Lower case, articles of both languages to blanks, punctuation deleted, blanks folded."""
    return " ".join(_PUNCTUATION.sub("", _ARTICLES.sub(" ", text.lower())).split())


def cited_titles(response: str) -> list[str]:
    """Titles cited in any of the four formats, format by format, first spelling kept."""
    named = (match[1] for pattern in _CITED for match in pattern.finditer(response))
    return first_spellings(title for text in named for title in _QUOTED.findall(text) or [text])


def refused(response: str) -> bool:
    """Whether it has a refusal phrase with no rescuing word anywhere after it."""
    found = filter(None, (pattern.search(response) for pattern in _REFUSALS))
    return any(not _RESCUES.search(response[match.end() :]) for match in found)


def answer_match(response: str, gold: str) -> tuple[float, float]:
    """Exact (the gold's characters are in the response) and fuzzy (80 % of its tokens do)."""
    wanted = normalize(gold)
    if not wanted:
        return 0.0, 0.0
    given = normalize(response)
    # A set, as there: a word that stands twice counts once.
    tokens = set(wanted.split())
    share = len(tokens & set(given.split())) / len(tokens)
    return float(wanted in given), float(share >= 0.80)


def key(title: str) -> str:
    """The form in which titles are compared: lower case, without one trailing hexadecimal tag."""
    return _HEX_TAG.sub("", title.strip()).lower()


def same(a: str, b: str, fuzzy: bool) -> bool:
    """Whether two keys are the same title; fuzzy takes either inside the other."""
    return a == b or (fuzzy and bool(a) and bool(b) and (a in b or b in a))


def citation_scores(
    cited: Sequence[str], gold: Sequence[str], fuzzy: bool
) -> tuple[float | None, float | None, float | None]:
    """Precision, recall, F1 of cited titles; None where the reference leaves the row out."""
    given, wanted = _keys(cited), _keys(gold)
    # None drops out of the mean over rows, so that citing nothing costs no precision: kept.
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
    """The same with titles and refusal read already: `head` reads them otherwise."""
    scores: Scores = dict.fromkeys(NAMES)
    if not answerable:
        # Precision is a mean over refusing rows alone.
        return scores | {"refusal_recall": float(no), "refusal_precision": 1.0 if no else None}
    scores["answer_em"], scores["answer_em_fuzzy"] = answer_match(response, gold)
    for mode in ("strict", "fuzzy"):
        found = citation_scores(cited, supporting, fuzzy=mode == "fuzzy")
        for name, value in zip(("precision", "recall", "f1"), found, strict=True):
            scores[f"citation_{name}_{mode}"] = value
    return scores | {
        "distractor_citation_rate": distractor_rate(cited, supporting),
        "refusal_precision": 0.0 if no else None,
        "false_refusal_rate": float(no),
    }


# The later version; what it does not name is as before.
_REF_TAG = re.compile(r"""<ref\s+name\s*=\s*["']([^"']*)["']\s*>""", re.IGNORECASE)
_THINK = re.compile(r"<think>.*?(?:</think>|\Z)", re.DOTALL | re.IGNORECASE)
_PHRASES = tuple(
    f"{no} allow {me}to answer"
    for no in ("does not", "do not", "doesn't", "don't")
    for me in ("", "me ")
) + tuple(
    f"ne {me}{verb} pas de répondre" for verb in ("permettent", "permet") for me in ("", "me ")
)


class HeadGrounding(V1Grounding):
    """A row as the later version scores it."""

    rules: ClassVar[str] = "luciole-head"

    def row(self, response: str, gold: str, supporting: Sequence[str], answerable: bool) -> Scores:
        return head_row_scores(response, gold, supporting, answerable)


def without_reasoning(text: str) -> str:
    """The text without ``<think>`` traces, closed or not."""
    return _THINK.sub(" ", text).strip()


def tagged_titles(response: str) -> list[str]:
    """Titles of opening ``ref`` tags, first spelling kept."""
    return first_spellings(_REF_TAG.findall(response))


def refuses_canonically(response: str) -> bool:
    """Whether it has one of the canonical phrases."""
    # Blanks and line breaks in a phrase do not matter.
    text = " ".join(response.lower().split())
    return any(phrase in text for phrase in _PHRASES)


def head_row_scores(
    response: str, gold: str, supporting: Sequence[str], answerable: bool
) -> Scores:
    """Every model-free metric of one row, under v1's names."""
    text = without_reasoning(response)
    return scores_of(
        text, gold.strip(), supporting, answerable, tagged_titles(text), refuses_canonically(text)
    )
