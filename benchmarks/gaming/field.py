"""Every system's answers to some questions: honest baselines, games, and honest answers that were touched."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from argue_bench.baselines import generate
from argue_bench.loaders.answers import citation_indexes
from argue_bench.loaders.dataset import Dataset
from argue_bench.loaders.limits import cut_at_limit, text_length
from argue_bench.records import Document, Question
from argue_bench.text import CitationIndex, sentences
from benchmarks.gaming import changes, games, searches
from benchmarks.gaming.games import Game
from benchmarks.gaming.sets import LIMIT
from benchmarks.gaming.words import parted

HONEST = ("bm25-extractive", "nearest-sentences", "lead-sentences")
GAMES: dict[str, Game] = {
    one.__name__: one
    for one in (
        games.copy,
        games.copy_turns,
        games.fragments,
        games.titles,
        games.denials,
        games.it_is_so,
        games.so_of_all,
        games.refusal,
        games.refused_and_cited,
        games.words,
        games.numbers,
        games.orders,
        games.deny_last,
        games.deny_third,
        games.deny_two,
        games.deny_short,
        searches.ents_all,
        searches.ents_near,
        searches.ents_filled,
        searches.it_was,
        searches.ents_told,
        searches.ents_keyed,
        searches.one_keyed,
        searches.one_asked,
        searches.ents_mixed,
        searches.near_comp,
        searches.near_kept,
        searches.cite_near,
        searches.titles_near,
        searches.titles_told,
    )
}
ADDED = (
    "denials",
    "deny_last",
    "deny_third",
    "deny_two",
    "deny_short",
    "it_is_so",
    "so_of_all",
    "words",
    "numbers",
    "orders",
    "refusal",
)
"""Games that read nothing of what the documents say: they are put before an honest answer."""
TOUCHED = ("nearest-sentences", "lead-sentences", "mostly-told")
CHANGES = (
    changes.cite_all,
    changes.repeated,
    changes.repeated_longer,
    changes.repeated_first,
    changes.repeated_shorter,
    changes.repeated_changed,
    changes.repeated_turned,
    changes.repeated_wider,
    changes.repeated_bare,
    changes.entitled,
    changes.asked_again,
    changes.headed,
    changes.clauses,
    changes.joined,
)

Answers = Mapping[str, str]


@dataclass(frozen=True)
class Field:
    """A set, with every system's answers to it within the limit."""

    dataset: Dataset

    @cached_property
    def _indexes(self) -> dict[str, CitationIndex]:
        index = citation_indexes(self.dataset)
        return {question.id: index(question) for question in self.dataset}

    def honest(self) -> dict[str, Answers]:
        return {
            name: self._within(
                {
                    row["id"]: row["answer"]
                    for row in generate(name, self.dataset, "evidenceprovided")
                }
            )
            for name in HONEST
        }

    def mostly_told(self, near: Answers) -> dict[str, Answers]:
        """Two of three sentences of the gold's report, then the nearest; empty where gold has no citations.

        Who has read most of what there is can bear a guess better than who has read nothing.
        """
        if self.dataset.name != "core":
            return {}
        told = {}
        for question in self.dataset:
            assert question.gold is not None
            report = sentences(" ".join(question.gold.long_answers[:1]), question.language)
            facts = [one for one in report if parted(one)[1]]
            told[question.id] = " ".join(
                [*(one for at, one in enumerate(facts) if at % 3), near[question.id]]
            )
        return {"mostly-told": self._within(told)}

    def games(self) -> dict[str, Answers]:
        return {name: self._within(self._each(game)) for name, game in GAMES.items()}

    def touched(self, honest: Mapping[str, Answers]) -> Iterator[tuple[str, Answers, Answers]]:
        """What was done to honest answers; the answers then; and as far as they still stand in these."""
        for name in filter(honest.__contains__, TOUCHED):
            answers = honest[name]
            for touch in ADDED:
                given = self._each(GAMES[touch])
                added = {id: self._cut(id, given[id], 0.5) for id in answers}
                short = {
                    id: self._cut(id, text, 1, text_length(added[id], self._indexes[id]) + 1)
                    for id, text in answers.items()
                }
                touched = {id: f"{added[id]} {text}" for id, text in short.items()}
                yield f"{touch} + {name}", self._within(touched), short
            for change in CHANGES:
                changed = self._within(
                    {id: change(text, *self._about(id)) for id, text in answers.items()}
                )
                yield f"{name}, {change.__name__}", changed, _standing(answers, changed)

    def _about(self, id: str) -> tuple[Question, Mapping[str, Document]]:
        question = self.dataset.question(id)
        return question, self.dataset.documents_of(question)

    def _each(self, game: Game) -> Answers:
        return {one.id: game(*self._about(one.id)) for one in self.dataset}

    def _within(self, answers: Answers) -> Answers:
        return {id: self._cut(id, text) for id, text in answers.items()}

    def _cut(self, id: str, text: str, share: float = 1.0, less: int = 0) -> str:
        """The text within a share of the limit, and so many characters less."""
        question = self.dataset.question(id)
        limit = (question.request and question.request.limit) or LIMIT
        most = max(1, int(limit * share) - less)
        return cut_at_limit(text, most, self._indexes[id], question.language)


def _standing(answers: Answers, changed: Answers) -> Answers:
    """The sentences of answers that still stand, by how they begin, after these were changed and cut."""
    return {
        id: " ".join(one for one in sentences(text) if parted(one)[0].split(", ")[0] in changed[id])
        for id, text in answers.items()
    }
