"""Detection of refusals: an answer refuses, answers, does both or neither.

By wording, in English and French, and the usual ones in German and Spanish: a sentence refuses where
the assistant or its sources are said not to know, hold or allow the answer. A phrase wants such a subject, so "solar panels do not provide power at night" is none.
A label that names an answer ("Final answer:"), a regret and signs before a sentence are no part of it; an entry's label ("WiFi: not available") is.
By behaviour: an answer that refuses and says nothing else of substance is a refusal; one that refuses
and then says something is hedged, in a sentence of its own or in another clause of the same one.

All metrics and the lexical judge ask here; ``rules=`` of published programs keep their own lists.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from enum import StrEnum
from functools import cache, lru_cache
from pathlib import Path

from argue_bench.text.phrases import with_parts
from argue_bench.text.sentences import sentences
from argue_bench.text.statements import asks, offers, states_nothing
from argue_bench.text.tags import strip_reasoning
from argue_bench.text.typed import fold_text

# The languages of which refusals are read well enough to be scored; of German and Spanish the usual ones are.
LANGUAGES = ("en", "fr")
_WORD = re.compile(r"\w+|[,;:()]")
_END = re.compile(r"\W*+")
# Words that make a clause beside a refusal a statement.
_FEWEST_WORDS = 3


# Each group is compiled on its first use: most runs ask for one or none, and compiling takes longer than
# reading the answers of a small run.
@cache
def _patterns(group: str) -> Mapping[str, Sequence[re.Pattern[str]]]:
    """The patterns of a group of refusals.toml by name."""
    data = tomllib.loads(Path(__file__).with_name("refusals.toml").read_text(encoding="utf-8"))
    return {
        name: tuple(re.compile(with_parts(one, data["parts"])) for one in patterns)
        for name, patterns in data[group].items()
    }


def _found(group: str, name: str, text: str) -> bool:
    return any(pattern.search(text) for pattern in _patterns(group)[name])


class Conduct(StrEnum):
    """The conduct of an answer: whether it refuses and whether it answers."""

    ANSWERS = "answers"
    REFUSES = "refuses"
    # It refuses and answers all the same.
    HEDGES = "hedges"
    EMPTY = "empty"

    @property
    def refuses(self) -> bool:
        return self is Conduct.REFUSES


# The judge asks of a sentence by itself, of an answer and of its sources.
@lru_cache(maxsize=2_000)
def refuses_in_words(sentence: str) -> bool:
    """Whether a sentence says that the question can't be answered from what was given.

    >>> refuses_in_words("I can’t answer."), refuses_in_words("Wood does not contain iron.")
    (True, False)
    >>> refuses_in_words("**Réponse finale :** Information non trouvée."), refuses_in_words("Answer: Oslo.")
    (True, False)
    """
    whole = fold_text(sentence.replace("_", " ")).strip()
    (leading,) = _patterns("leading")["patterns"]
    # What stands behind a label may be all that refuses, and so may the label: "No answer: see above".
    return any(
        _found("refusals", language, text)
        for text in dict.fromkeys((whole, leading.sub("", whole)))
        for language in _patterns("refusals")
    )


def says_unknown(sentence: str) -> bool:
    """Whether a sentence says that something is not known, not stated or not found.

    >>> says_unknown("The cause is not known."), says_unknown("The vote was not close.")
    (True, False)
    """
    text = sentence.lower() if sentence.isascii() else fold_text(sentence)
    return _found("unknown", "patterns", " ".join(_WORD.findall(text.replace("n't", " not"))))


def conduct(said: Sequence[str], question: str = "") -> Conduct:
    """The conduct of the sentences together, judged by the text that is left without refusals, courtesies, what says
    what the sources speak of, and what else states nothing, such as the question said back."""
    said = [sentence for sentence in said if sentence.strip()]
    said = [sentence for sentence in said if not states_nothing(sentence, question)] or said
    if not said:
        return Conduct.EMPTY
    other = [sentence for sentence in said if not refuses_in_words(sentence)]
    if len(other) == len(said):
        return Conduct.ANSWERS
    (joints,) = _patterns("clauses")["joints"]
    # Whoever asks or offers something says nothing. A name alone is an answer, and a clause has more words.
    told = (one for one in other if not (asks(one) or offers(one)))
    substance = any(_is_substance(part) for one in told for part in joints.split(one)) or any(
        _beside(one, question) for one in said if refuses_in_words(one)
    )
    return Conduct.HEDGES if substance else Conduct.REFUSES


def _beside(sentence: str, question: str = "") -> list[str]:
    """The clauses of a sentence that refuses which say something else.

    >>> _beside("It opened in 1931, but the documents do not say who built it.")
    ['It opened in 1931']
    """
    (joints,) = _patterns("clauses")["joints"]
    clauses = joints.split(sentence)
    # "They speak of ferries, but do not name it": what the sources do not do has them as its subject further up.
    return [
        clause
        for clause in (clauses if len(clauses) > 1 else ())
        if _is_beside(clause)
        and not (refuses_in_words(f"The documents{clause}") or states_nothing(clause, question))
    ]


def _is_beside(clause: str) -> bool:
    return len(clause.split()) >= _FEWEST_WORDS and _is_substance(clause)


def _is_substance(clause: str) -> bool:
    # "But wait." names nothing.
    long = len(clause.split()) >= _FEWEST_WORDS
    return (long or any(one.isalnum() and not one.islower() for one in clause)) and not (
        refuses_in_words(clause)
        or says_unknown(clause)
        or _is_courtesy(clause)
        or _found("clauses", "about", fold_text(clause))
    )


def declines(response: str) -> bool:
    """Whether a response declines the question, as a whole or before it says something beside.

    A response of which every sentence calls something unknown declines, too, and one that begins by calling
    what is asked unavailable and offers nothing in its place. What explains a refusal
    ("I cannot provide that. It is important to ...") does not undo it; a gap
    that is named further down does not make one.
    """
    said = [one for one in sentences(strip_reasoning(response)) if not _is_courtesy(one)]
    return bool(said) and (
        (refuses_in_words(said[0]) and not _goes_on(said))
        or all((refuses_in_words(one) or says_unknown(one)) and not _beside(one) for one in said)
        or _begins_unavailable(said)
    )


def _goes_on(said: Sequence[str]) -> bool:
    """Whether a response that misses something in its sources at first offers something in its place.

    An entry of a list ("Korea: not stated") leaves the others, and what is called missing leaves the rest.
    """
    first, *rest = (fold_text(one).strip() for one in said)
    if _found("beginnings", "entry", first):
        return not all(map(refuses_in_words, said))
    if _found("beginnings", "sourced", first) and _beside(said[0]):
        return True
    missing = _found("beginnings", "missing", first)
    return missing and any(_found("beginnings", "instead", one) for one in rest)


def _begins_unavailable(said: Sequence[str]) -> bool:
    """Whether the first sentence calls what is asked unavailable, and no later one offers something instead."""
    first, *rest = (fold_text(one).strip() for one in said)
    return (
        _found("beginnings", "unavailable", first)
        and not _found("beginnings", "turned", first)
        and not any(
            _found("beginnings", "instead", one) or any(map(str.isdigit, one)) for one in rest
        )
    )


def _is_courtesy(sentence: str) -> bool:
    text = fold_text(sentence).strip()
    begins = (pattern.match(text) for pattern in _patterns("courtesies")["patterns"])
    return any(begin and _END.fullmatch(text, begin.end()) for begin in begins)
