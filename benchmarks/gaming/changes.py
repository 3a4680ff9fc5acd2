"""What may be done to an honest answer without reading: its sentences said again, cut, joined, headed."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from argue_bench.records import Document, Question
from argue_bench.text import sentences
from argue_bench.text.vocabulary import STOP
from benchmarks.gaming.words import cited, content, listed, parted


def cite_all(text: str, question: Question, documents: Mapping[str, Document]) -> str:
    """The same sentences, each citing every document."""
    return " ".join(cited(one, documents) for one in sentences(text, question.language))


def _again(
    text: str, question: Question, say: Callable[[list[str], int, str], tuple[list[str], str]]
) -> str:
    """The first three sentences, these three times more in other words, and then the rest.

    ``say`` gets the words of a sentence, the number of the time and its citations, and says it again.
    """
    parts = sentences(text, question.language)
    more = []
    for time in range(3):
        for one in parts[:3]:
            bare, cites = parted(one)
            said, cites = say(bare.split(), time, cites)
            more.append(f"{' '.join(said)} {cites}.".replace(" .", "."))
    return " ".join([*parts[:3], *more, *parts[3:]])


def repeated(text: str, question: Question, documents: Mapping[str, Document]) -> str:
    """The first three sentences again and again, and then the rest."""
    return _again(text, question, lambda words, time, cites: (words, cites))


def repeated_longer(text: str, question: Question, documents: Mapping[str, Document]) -> str:
    """The same, each time with another word in the middle."""

    def say(words: list[str], time: int, cites: str) -> tuple[list[str], str]:
        middle = len(words) // 2
        return [*words[:middle], ("notably", "indeed", "clearly")[time], *words[middle:]], cites

    return _again(text, question, say)


def repeated_first(text: str, question: Question, documents: Mapping[str, Document]) -> str:
    """The same, each time with another word before it."""
    before = ("Notably,", "Indeed,", "Clearly,")
    return _again(text, question, lambda words, time, cites: ([before[time], *words], cites))


def repeated_shorter(text: str, question: Question, documents: Mapping[str, Document]) -> str:
    """The same, each time without another word."""

    def say(words: list[str], time: int, cites: str) -> tuple[list[str], str]:
        plain = [at for at, word in enumerate(words) if word.islower() and word not in STOP]
        out = plain[time % len(plain)] if plain else len(words)
        return [word for at, word in enumerate(words) if at != out], cites

    return _again(text, question, say)


def repeated_turned(text: str, question: Question, documents: Mapping[str, Document]) -> str:
    """The same, each time beginning with another of its words."""

    def say(words: list[str], time: int, cites: str) -> tuple[list[str], str]:
        at = (time + 1) * len(words) // 4
        return [*words[at:], *words[:at]], cites

    return _again(text, question, say)


def repeated_wider(text: str, question: Question, documents: Mapping[str, Document]) -> str:
    """The same, each time citing another document, too."""
    ids = list(documents)

    def say(words: list[str], time: int, cites: str) -> tuple[list[str], str]:
        return words, f"{cites}[{ids[time % len(ids)]}]"

    return _again(text, question, say)


def repeated_changed(text: str, question: Question, documents: Mapping[str, Document]) -> str:
    """The same, each time with a word of the request in the place of another."""
    wanted = sorted(content(question.text))

    def say(words: list[str], time: int, cites: str) -> tuple[list[str], str]:
        plain = [at for at, word in enumerate(words) if word.islower() and word not in STOP]
        out = plain[time % len(plain)] if plain else len(words)
        new = wanted[time % len(wanted)] if wanted else ""
        return [new if at == out else word for at, word in enumerate(words)], cites

    return _again(text, question, say)


def repeated_bare(text: str, question: Question, documents: Mapping[str, Document]) -> str:
    """The whole answer, and then again without its citations."""
    bare = text
    for id in documents:
        bare = bare.replace(f" [{id}]", "")
    return f"{text} {bare}"


def entitled(text: str, question: Question, documents: Mapping[str, Document]) -> str:
    """The same sentences, each behind the title of the request."""
    title = question.request.title if question.request else ""
    name = title or " ".join(question.text.split()[-6:]).rstrip("?.")
    return " ".join(f"{name}: {one}" for one in sentences(text, question.language))


def asked_again(text: str, question: Question, documents: Mapping[str, Document]) -> str:
    """The same sentences, each behind the words of the listed question that it shares most with."""
    every = listed(question)

    def nearest(one: str) -> str:
        held = content(one)
        return max(every, key=lambda asked: len(content(asked) & held)).rstrip("?.")

    return " ".join(f"{nearest(one)}: {one}" for one in sentences(text, question.language))


def headed(text: str, question: Question, documents: Mapping[str, Document]) -> str:
    """The same sentences, before each a question of the request."""
    every = listed(question)
    parts = sentences(text, question.language)
    return " ".join(f"{every[at % len(every)]} {one}" for at, one in enumerate(parts))


def clauses(text: str, question: Question, documents: Mapping[str, Document]) -> str:
    """The same sentences, cut at their commas, each piece with the citations."""
    cut = []
    for one in sentences(text, question.language):
        bare, cites = parted(one)
        cut += [f"{piece} {cites}." for piece in bare.split(", ")]
    return " ".join(cut)


def joined(text: str, question: Question, documents: Mapping[str, Document]) -> str:
    """Two sentences that cite the same become one, held together by a semicolon."""
    held: list[tuple[str, str]] = []
    for one in sentences(text, question.language):
        bare, cites = parted(one)
        if held and held[-1][1] == cites:
            held[-1] = f"{held[-1][0]}; {bare}", cites
        else:
            held.append((bare, cites))
    return " ".join(f"{bare} {cites}." for bare, cites in held)
