"""The metrics of ALCE's evaluator that read the content of an output: ``rules=alce``, frozen.

Gao et al. 2023; princeton-nlp/ALCE at 246c476. All read the first line of the output without its citations; with
``lines=all`` they read all of it, as our own rules do, and count by ALCE's: boards rank so. STR-EM then compares texts
in one spelling of accents, dashes, quotes and blanks (`fold_text`).
Scores are shares of 1 per item; ALCE prints 100 times their mean. What deviates on purpose: ROUGE is the exact value per item (ALCE
reports a bootstrap median), and an item without question pairs has no STR-EM (ALCE: NaN).

`closing_lines` is the line of figures that its evaluator prints, from our report of the same metrics.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar, Literal

from argue_bench.eval.report import Report
from argue_bench.metrics.base import Metric, Tallies
from argue_bench.metrics.correctness import accuracy
from argue_bench.published.alce import content
from argue_bench.published.alce.content import Listed, list_items, squad_form
from argue_bench.published.alce.rouge_lsum import rouge_l_summary as summary_overlap
from argue_bench.records import Answer, Documents, Question, Tally
from argue_bench.text import sentences
from argue_bench.text.overlap import NONE, Overlap
from argue_bench.text.typed import fold_text, parted

Split = Callable[[str], Sequence[str]]


def output(text: str) -> str:
    """The part of an output that ALCE reads: its first line, without end marks."""
    return text.strip().split("\n")[0].replace("<|im_end|>", "")


def without_citations(text: str) -> str:
    """The text without ``[1]``; deletes every ``]`` and `` |`` with them."""
    text = re.sub(r"\[\d+", "", re.sub(r" \[\d+", "", text))
    return text.replace(" |", "").replace("]", "")


def plain(text: str) -> str:
    """The text that every score reads, except the scores of citations."""
    return without_citations(output(text))


def str_em(pairs: Sequence[Sequence[str]], text: str, *others: str) -> list[bool]:
    """For each question's aliases, whether one is a substring of the text, letters apart from words.

    ``others`` are other spellings of the text. With them an alias counts only where a word begins, so that words which run
    together hold one alias and not each of theirs.
    """
    bodies = [squad_form(one) for one in (text, *others)]
    return [
        any(
            one in body and (not others or re.search(rf"(?<![a-z0-9]){re.escape(one)}", body))
            for one in map(_norm_alias, aliases)
            for body in bodies
        )
        for aliases in pairs
    ]


def rouge_lsum(references: Sequence[str], text: str, split: Split) -> Overlap:
    """ROUGE-Lsum against the first two references; of these the one with the higher fscore.

    Texts are lower-cased before ``split`` makes sentences of them, as ALCE does.
    """
    given = split(text.lower())
    # Of equals the later one, as ALCE compares them.
    both = (summary_overlap(split(one.lower()), given) for one in reversed(references[:2]))
    return max(both, key=lambda overlap: overlap.fscore, default=NONE)


def qampari(gold: Sequence[Sequence[str]], text: str, cot: bool = False) -> Listed:
    """Scores of a comma-separated list against entities, each with its aliases.

    ``cot``: only what stands behind the first colon is the list. Raises nothing; no gold gives zeros.
    What is listed twice counts twice in precision.
    """
    body = plain(text).partition(":")[2] if cot else plain(text)
    predicted = [found for part in list_items(body) if (found := squad_form(part))]
    entities = [{squad_form(alias) for alias in aliases} for aliases in gold]
    known = set().union(*entities)
    right = sum(found in known for found in predicted)
    hit = sum(not entity.isdisjoint(predicted) for entity in entities)
    return Listed.of(right, hit, len(predicted), len(entities))


# Every system is scored with the same aliases: those of ASQA's dev set are some 20,000.
_norm_alias = lru_cache(maxsize=50_000)(squad_form)


@dataclass(frozen=True)
class _ByAlce(Metric):
    """The text that is read: ALCE's first line, or all lines without citations."""

    lines: Literal["first", "all"] = "first"

    rules: ClassVar[str] = "alce"

    def read(self, answer: Answer) -> str:
        return plain(answer.text) if self.lines == "first" else accuracy.plain_text(answer)


@dataclass(frozen=True)
class AlceLength(_ByAlce, accuracy.Length):
    """Words between white space."""

    def tally(self, question: Question, answer: Answer, documents: Documents) -> Tallies:
        return {"words": Tally(len(self.read(answer).split()))}


@dataclass(frozen=True)
class AlceStrEM(_ByAlce, accuracy.StrEM):
    """Spellings that are a substring of the output in SQuAD's normal form: "art" is in "part", but not with ``lines=all``."""

    def tally(self, question: Question, answer: Answer, documents: Documents) -> Tallies:
        wanted = accuracy.short_answers(question)
        pairs = [one.answers for one in wanted]
        if self.lines == "first":
            return accuracy.found_tallies(wanted, str_em(pairs, self.read(answer)))
        said = accuracy.said_text(answer)
        whole = fold_text(said)
        # ALCE's form deletes the sign of "1912-1914" and of "Oslo:61.6", behind which a word begins.
        others = re.sub(r"[^\w\s]|_", " ", whole), fold_text(parted(said))
        found = str_em([[*map(fold_text, one)] for one in pairs], whole, *others)
        return accuracy.found_tallies(wanted, found)


@dataclass(frozen=True)
class AlceQA(_ByAlce, content.QA):
    """The reading model is asked of an empty output too: of one blank."""

    def read(self, answer: Answer) -> str:
        return super().read(answer) or " "


class AlceQampari(content.Qampari):
    """Items and aliases are compared in SQuAD's normal form; what is listed twice counts twice."""

    rules: ClassVar[str] = "alce"
    # A list of guesses wins recall, and whoever lists one sure item wins precision.
    unranked: ClassVar[tuple[str, ...]] = ("precision", "recall", "recall_top5")

    def compare(self, gold: Sequence[Sequence[str]], answer: Answer, question: Question) -> Listed:
        return qampari(gold, answer.text)


@dataclass(frozen=True)
class AlceRougeLsum(_ByAlce, content.RougeLsum):
    """Of the first two references the better one; texts in small letters before they are split."""

    # A sentence of small words has all of its own, and a list of words has those of others.
    unranked: ClassVar[tuple[str, ...]] = ("precision", "recall")

    def overlap(self, references: Sequence[str], answer: Answer, language: str) -> Overlap:
        return rouge_lsum(references, self.read(answer), sentences)


@dataclass(frozen=True)
class AlceClaims(_ByAlce, content.Claims):
    """Claim recall of what is read without citations."""


# ALCE's names, in its order, to our full keys; options but the rules (a judge's name) are left out.
NAMES = {
    "length": "length(rules=alce).words",
    "str_em": "str_em(rules=alce).recall",
    "str_hit": "str_em(rules=alce).hit",
    "rougeLsum": "rouge_lsum(rules=alce).fscore",
    "QA-EM": "qa(rules=alce).em",
    "QA-F1": "qa(rules=alce).f1",
    "QA-Hit": "qa(rules=alce).hit",
    "mauve": "mauve(rules=alce).score",
    "citation_rec": "citations(rules=alce).recall",
    "citation_prec": "citations(rules=alce).precision",
    "claims_nli": "claims(rules=alce).recall",
    "qampari_prec": "qampari(rules=alce).precision",
    "qampari_rec": "qampari(rules=alce).recall",
    "qampari_rec_top5": "qampari(rules=alce).recall_top5",
    "qampari_f1": "qampari(rules=alce).f1",
    "qampari_f1_top5": "qampari(rules=alce).f1_top5",
}


def table_line(report: Report) -> str:
    """``ALCE: length 57.00  str_em 41.20 ...``: what was scored by its rules; empty if nothing was.

    A figure that does not apply is left out, where ALCE prints 0 or NaN.
    """
    found = {_by_rules(key): score.value for key, score in report.scores.items()}
    # In ALCE's order, so that two lines can be laid one above the other.
    figures = [
        f"{name} {value if name == 'length' else 100 * value:.2f}"
        for name, key in NAMES.items()
        if (value := found.get(key)) is not None
    ]
    return "ALCE: " + "  ".join(figures) if figures else ""


def closing_lines(report: Report) -> list[str]:
    """The lines below the scores: notes of the frozen rules, then the line that ALCE prints."""
    return [line for line in (*notes(report), table_line(report)) if line]


def notes(report: Report) -> list[str]:
    """Notes that a frozen rule gives to every answer: that it reads none of their citations."""
    found = []
    for text in report.signature:
        rows = [row.get(text) for row in report.per_question.values()]
        said = {row["recall"].note for row in rows if row and "recall" in row}
        # One line for all: a thousand equal notes in the run file are read by nobody.
        if len(said) == 1 and (note := said.pop()).startswith("rules="):
            found.append(f"{text}: of every answer, {note}.")
    return found


def _by_rules(key: str) -> str:
    """``citations(rules=alce,unit=item).recall`` as ``citations(rules=alce).recall``."""
    metric, _, score = key.rpartition(".")
    name, _, options = metric.partition("(")
    rules = [one for one in options.rstrip(")").split(",") if one.startswith("rules=")]
    # Over all lines no figure is ALCE's.
    return key if "lines=all" in options or not rules else f"{name}({rules[0]}).{score}"
