"""Accuracy: the share of the gold answer's strings that the answer contains.

FanOutQA's string accuracy (Zhu et al. 2024, section 4.2): every plain value of the gold answer, keys
and values of mappings alike, however deep, is a leaf; loose = leaves found / leaves, strict = 1 where
all are found; both averaged over questions.

Here typed tokens (`argue_bench.text.typed`) are compared with the answer without its citation marks, so
that numbers, names and dates are found whole or not at all, as the language of each text writes them. ``rules=fanoutqa`` is FanOutQA's own scorer
(`argue_bench/published/fanoutqa/accuracy.py`).

STR-EM (Gao et al. 2023, ALCE): a short answer counts where the answer contains one of its spellings, as typed
tokens: "art" is not found in "part". recall = counted / wanted, hit = 1 where all are.

`Length` counts words between white space, without citation marks (after Gao et al. 2023, ALCE).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

from argue_bench.metrics.base import Metric, Tallies
from argue_bench.records import NOT_APPLICABLE, Answer, Documents, Question, ShortAnswer, Tally
from argue_bench.records.question import leaves
from argue_bench.stats.averages import Average, macro, mean_count
from argue_bench.text.language import language_of
from argue_bench.text.tags import strip_reasoning
from argue_bench.text.typed import fold_text, typed_text, unescaped


@dataclass(frozen=True)
class Accuracy(Metric):
    """Share of the gold answer's strings that the answer contains."""

    name: ClassVar[str] = "accuracy"
    needs: ClassVar[str] = "a reference answer: --columns reference=NAME"
    summary: ClassVar[str] = "which share of the gold answer's strings does the answer contain?"
    paper: ClassVar[str] = "Zhu et al. 2024 (FanOutQA)"
    scores: ClassVar[Mapping[str, Average]] = {"loose": macro("loose"), "strict": macro("strict")}

    def tally(self, question: Question, answer: Answer, documents: Documents) -> Tallies:
        gold = None if question.gold is None else question.gold.answer
        wanted = [leaf for leaf in leaves(gold) if leaf.strip()]
        if not wanted:
            return {"loose": NOT_APPLICABLE, "strict": NOT_APPLICABLE}
        reader = Reader(said_text(answer), question)
        missing = [leaf for leaf in wanted if not reader.finds(leaf)]
        return {
            "loose": Tally(len(wanted) - len(missing), len(wanted), missing_note(missing)),
            "strict": Tally(float(not missing)),
        }


def plain_text(answer: Answer) -> str:
    """The text of an answer without citation marks, and what stands in a fence: a list may."""
    code = (answer.text[one.start : one.end] for one in answer.asides if one.kind == "code")
    fenced = map(strip_reasoning, code)  # it is no part of an answer's length
    return "\n".join((answer.plain, *fenced)) if answer.sentences else answer.text


def said_text(answer: Answer) -> str:
    """The text of an answer in which strings are looked for: as `plain_text` has it, with signs for their entities and
    without what only escapes them.

    Where no mark names a document there are no citations: then what stands in brackets and links is said, too.
    """
    text = strip_reasoning(answer.text)
    said = "\n".join((plain_text(answer), *_HEADS.findall(text)))
    if answer.marks and all(one.read == one.unknown for one in answer.marks):
        said += "\n" + _ADDRESS.sub(" ", text)
    return unescaped(said)


_HEADS = re.compile(r"<th\b[^<>]{0,300}>([^<>]+)", re.IGNORECASE)
_ADDRESS = re.compile(r"https?://[^\s()<>\[\]\"']+")


class Reader:
    """Finds strings of a question's gold in one text, which is read once, in its own language."""

    def __init__(self, text: str, question: Question) -> None:
        self._text = text
        self._language = language_of(question.text, question.language)
        self._typed = typed_text(text, language_of(text, self._language))

    def finds(self, wanted: str) -> bool:
        """Whether the text contains the string, as typed tokens or, if it has none, letter by letter."""
        tokens = _typed_gold(wanted, self._language)
        # A gold string of signs alone, "+" or "中": typed tokens have nothing of it.
        if tokens.empty:
            return bool(wanted.strip()) and fold_text(wanted.strip()) in fold_text(self._text)
        return self._typed.holds(tokens)


# Every system is scored with the same gold: that of the largest published set is 3,079 strings.
_typed_gold = lru_cache(maxsize=50_000)(typed_text)


@dataclass(frozen=True)
class Length(Metric):
    """Words per answer."""

    name: ClassVar[str] = "length"
    summary: ClassVar[str] = "how many words does the answer have?"
    paper: ClassVar[str] = "Gao et al. 2023 (ALCE)"
    scores: ClassVar[Mapping[str, Average]] = {"words": mean_count("words")}

    def tally(self, question: Question, answer: Answer, documents: Documents) -> Tallies:
        return {"words": Tally(len(plain_text(answer).split()))}


@dataclass(frozen=True)
class StrEM(Metric):
    """Share of short answers of which the answer contains a spelling."""

    name: ClassVar[str] = "str_em"
    needs: ClassVar[str] = "short answers in its gold"
    summary: ClassVar[str] = "which share of the short answers does the answer contain?"
    paper: ClassVar[str] = "Stelmakh et al. 2022; Gao et al. 2023 (ALCE)"
    scores: ClassVar[Mapping[str, Average]] = {"recall": macro("recall"), "hit": macro("hit")}

    def tally(self, question: Question, answer: Answer, documents: Documents) -> Tallies:
        wanted = [one for one in short_answers(question) if any(map(str.strip, one.answers))]
        reader = Reader(said_text(answer), question)
        return found_tallies(wanted, [any(map(reader.finds, one.answers)) for one in wanted])


def short_answers(question: Question) -> Sequence[ShortAnswer]:
    """The short answers of the gold; none where the question is sealed."""
    return () if question.gold is None else question.gold.short_answers


def found_tallies(wanted: Sequence[ShortAnswer], found: Sequence[bool]) -> Tallies:
    """STR-EM's tallies: which of the wanted short answers were found."""
    if not wanted:
        return dict.fromkeys(StrEM.scores, NOT_APPLICABLE)
    return {
        "recall": Tally(sum(found), len(found), missing_answers(wanted, found)),
        "hit": Tally(float(all(found))),
    }


def missing_answers(wanted: Sequence[ShortAnswer], found: Sequence[bool]) -> str:
    """A note that names the short answers that were not found."""
    return missing_note(
        [one.answers[0] for one, ok in zip(wanted, found, strict=True) if not ok and one.answers]
    )


def missing_note(missing: Sequence[str]) -> str:
    """A note that names what is missing; empty where nothing is."""
    return f"missing: {'; '.join(missing)}" if missing else ""
