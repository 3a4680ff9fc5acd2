"""Accuracy: the share of the gold answer's strings that the answer contains.

FanOutQA's string accuracy (Zhu et al. 2024, section 4.2): every plain value of the gold answer, keys
and values of mappings alike, however deep, is a leaf; loose = leaves found / leaves, strict = 1 where
all are found; both averaged over questions.

``rules=default`` compares typed tokens (`argue_bench.text.typed`) with the answer without its citation
marks, so that numbers, names and dates are found whole or not at all. Names and numbers in a row, far more
of them than the gold has, are not read (`argue_bench.text.lists`). ``rules=fanoutqa`` is
FanOutQA's own scorer with all its quirks, which reads the answer as it was written, marks included, and
lemmatizes with spaCy's model en_core_web_sm. ``rules=fanoutqa-lookup`` is another scorer: the same with
a table of lemmas, which is faster and finds more.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, ClassVar, Literal

from argue_bench.metrics.base import Metric, Tallies
from argue_bench.records import NOT_APPLICABLE, Answer, Documents, Question, Structured, Tally
from argue_bench.records.question import leaves
from argue_bench.stats.averages import Average, macro
from argue_bench.text.lists import stated_text
from argue_bench.text.typed import fold_text, typed_text

if TYPE_CHECKING:
    from argue_bench.text.morphology.lemmas import LemmaSource


@dataclass(frozen=True)
class Accuracy(Metric):
    """Share of the gold answer's strings that the answer contains."""

    rules: Literal["default", "fanoutqa", "fanoutqa-lookup"] = "default"

    name: ClassVar[str] = "accuracy"
    summary: ClassVar[str] = "which share of the gold answer's strings does the answer contain?"
    paper: ClassVar[str] = "Zhu et al. 2024 (FanOutQA)"
    scores: ClassVar[Mapping[str, Average]] = {"loose": macro("loose"), "strict": macro("strict")}
    ranking: ClassVar[tuple[str, ...]] = ()

    def tally(self, question: Question, answer: Answer, documents: Documents) -> Tallies:
        gold = None if question.gold is None else question.gold.answer
        if gold is None:
            return {"loose": NOT_APPLICABLE, "strict": NOT_APPLICABLE}
        if self.rules != "default":
            return self._by_fanoutqa(gold, answer.text)
        wanted = [leaf for leaf in leaves(gold) if leaf.strip()]
        if not wanted:
            return {"loose": NOT_APPLICABLE, "strict": NOT_APPLICABLE}
        reader = Reader(stated_answer(answer, wanted), question.language)
        missing = [leaf for leaf in wanted if not reader.finds(leaf)]
        note = f"missing: {'; '.join(missing)}" if missing else ""
        return {
            "loose": Tally(len(wanted) - len(missing), len(wanted), note),
            "strict": Tally(float(not missing)),
        }

    def _by_fanoutqa(self, gold: Structured, text: str) -> Tallies:
        from argue_bench.metrics.compat import fanoutqa

        if not text:
            return {"loose": Tally(0.0, note="no answer"), "strict": Tally(0.0)}
        found = fanoutqa.answer_in_text(gold, text, self._lemmas)
        note = f"missing: {'; '.join(found.missing)}" if found.missing else ""
        return {
            "loose": Tally(found.score, 1.0, note),
            "strict": Tally(float(found.score == 1)),
        }

    @property
    def _lemmas(self) -> LemmaSource:
        """The source of lemmas under FanOutQA's rules."""
        return "table" if self.rules == "fanoutqa-lookup" else "model"

    def read_ahead(self, pairs: Sequence[tuple[Question, Answer]]) -> None:
        if self.rules != "default":
            from argue_bench.metrics.compat import fanoutqa

            known = [(question.gold, answer.text) for question, answer in pairs if answer.text]
            fanoutqa.read_ahead(
                [(gold.answer, text) for gold, text in known if gold is not None], self._lemmas
            )

    def require(self) -> None:
        if self.rules != "default":
            from argue_bench.text.morphology.lemmas import require_lemmas

            require_lemmas(self._lemmas)

    def facts(self) -> Mapping[str, str]:
        if self.rules == "default":
            return {}
        from importlib.metadata import version

        from argue_bench.text.morphology.lemmas import lemma_versions

        return {**lemma_versions(self._lemmas), "ftfy": version("ftfy")}


def plain_text(answer: Answer) -> str:
    """The text of an answer without citation marks."""
    return answer.plain if answer.sentences else answer.text


def stated_answer(answer: Answer, wanted: Iterable[str]) -> str:
    """The text of an answer without citation marks and without bare lists that hold far more
    than is wanted."""
    said = [sentence.text for sentence in answer.sentences] or [answer.text]
    return stated_text(said, wanted)


class Reader:
    """Finds strings in one text, which is read once."""

    def __init__(self, text: str, language: str = "en") -> None:
        self._text = text
        self._language = language
        self._typed = typed_text(text, language)

    def finds(self, wanted: str) -> bool:
        """Whether the text contains the string, as typed tokens or, if it has none, letter by letter."""
        tokens = _typed_gold(wanted, self._language)
        if tokens.empty:
            return bool(wanted.strip()) and fold_text(wanted.strip()) in fold_text(self._text)
        return self._typed.holds(tokens)


_typed_gold = lru_cache(maxsize=50_000)(typed_text)
