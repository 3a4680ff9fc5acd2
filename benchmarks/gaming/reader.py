"""A scripted judge that reads core's world: what games earn where no list of words passes for a statement.

The oracle knows what each sentence of the world's documents states. This judge hands it every sentence that says
the same as one of these, whatever case, marks, blanks and small words it leaves out; any other text states nothing. It is
kind to games: a document supports any piece of it word for word, and a sentence by which something is not known denies
whatever it has most words of.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import replace

from argue_bench.judges.functions import Given
from argue_bench.records import (
    Answers,
    Confirms,
    Entails,
    Failed,
    FirstInstance,
    JudgeRequest,
    NeedsCitation,
    NegativeAssertion,
)
from argue_bench.text.refusals import says_unknown
from argue_bench.text.vocabulary import STOP
from benchmarks.gaming.words import WORD, content
from tools.core_set.oracle import Oracle
from tools.core_set.scripted import page_sentences
from tools.core_set.topic import GeneratedTopic

SAME = 0.6
"""The share of its words that a denial and a question have in common, where the one is about the other."""


def reading_judge(topics: Iterable[GeneratedTopic]) -> Callable[[JudgeRequest], Given]:
    """The judge, as a function for `evaluate`."""
    known = list(topics)
    oracle = Oracle(known)
    printed = {
        _key(one.text): one.text
        for topic in known
        for page in topic.pages
        for one in page_sentences(page)
    }

    # A reader parts words that run together, and knows them without their vowels.
    together = {_letters(said): one for one in printed.values() for said in (one, _key(one))}

    def read(text: str) -> str:
        return printed.get(_key(text)) or together.get(_letters(text), text)

    def judge(request: JudgeRequest) -> Given:
        match request:
            case Entails():
                said = oracle.verdict(replace(request, hypothesis=read(request.hypothesis)))
                whole = _plain(request.hypothesis)
                stands = any(whole in _plain(one.text) for one in request.premise)
                return stands if isinstance(said, Failed) else said
            case Answers():
                said = oracle.verdict(replace(request, sentence=read(request.sentence)))
            case Confirms(sentence, question):
                return says_unknown(sentence) and _about(sentence, question)
            case NegativeAssertion(sentence):
                return says_unknown(sentence)
            case NeedsCitation(sentence):
                said = oracle.verdict(replace(request, sentence=read(sentence)))
            case FirstInstance(sentence, previous):
                return _key(sentence) not in map(_key, previous)
            case _:
                return Failed(f"{type(request).__name__} is not asked of this reader")
        return False if isinstance(said, Failed) else said

    return judge


def _plain(text: str) -> str:
    return f" {' '.join(WORD.findall(text.casefold()))} "


def _key(text: str) -> str:
    return " ".join(word for word in WORD.findall(text.casefold()) if word not in STOP)


def _letters(text: str) -> str:
    """All that is written of a sentence but blanks, signs and vowels."""
    return re.sub(r"[^a-z0-9]|[aeiou]", "", text.casefold())


def _about(denial: str, question: str) -> bool:
    """Whether most words of the shorter of the two stand in the other."""
    one, other = content(denial), content(question)
    return len(one & other) >= SAME * max(1, min(len(one), len(other)))
