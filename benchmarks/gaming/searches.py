"""The games that search the documents as an honest system does, and then write no sentence."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping

from argue_bench.records import Document, Question
from argue_bench.text import sentences
from argue_bench.text.vocabulary import STOP
from benchmarks.gaming.games import titles
from benchmarks.gaming.words import WORD, asked, cited, content

_NAMED = re.compile(r"(?:\d[\d.,]*\d|\d)(?: ?(?:%|m|km|kg)\b)?|[A-Z][\w'-]+(?:\s+[A-Z][\w'-]+)*")
CITED = 5
"""Documents that `cite_near` and `titles_near` cite, those that share most words with the request."""


def _nearest(question: Question, documents: Mapping[str, Document]) -> Iterator[tuple[str, str]]:
    """Id of a document, and a sentence of it; the sentences that share most words with the request first."""
    wanted = content(" ".join(asked(question)))
    rows = [
        (len(wanted & (held := content(one))) / max(1, len(held)) ** 0.5, id, one)
        for id, document in documents.items()
        for one in sentences(document.text, document.language)
    ]
    for _, id, one in sorted(rows, key=lambda row: -row[0]):
        yield id, one


def _named(text: str) -> list[str]:
    """Runs of words with capitals, and numbers."""
    found = dict.fromkeys(one.group() for one in _NAMED.finditer(text))
    return [one for one in found if one.lower() not in STOP]


def ents_all(question: Question, documents: Mapping[str, Document]) -> str:
    """Every name and number of the documents."""
    return f"{', '.join(dict.fromkeys(one for d in documents.values() for one in _named(d.text)))}."


def _strung(
    question: Question, documents: Mapping[str, Document], between: str = " ", end: str = ""
) -> str:
    seen: set[str] = set()
    strung = []
    for id, sentence in _nearest(question, documents):
        if found := [one for one in _named(sentence) if one not in seen]:
            strung.append(cited(between.join(found) + end, [id]))
            seen.update(found)
    return " ".join(strung)


def ents_near(question: Question, documents: Mapping[str, Document]) -> str:
    """The names and numbers of the sentences that are nearest to the request."""
    return _strung(question, documents)


def ents_filled(question: Question, documents: Mapping[str, Document]) -> str:
    """The same, held together by words that say nothing."""
    return _strung(question, documents, " of the ", " was in it")


def it_was(question: Question, documents: Mapping[str, Document]) -> str:
    """The same names and numbers, each a sentence of its own."""
    seen = dict.fromkeys(
        (one, id) for id, sentence in _nearest(question, documents) for one in _named(sentence)
    )
    return " ".join(cited(f"It was {one}", [id]) for one, id in seen)


def ents_told(question: Question, documents: Mapping[str, Document]) -> str:
    """The same, five together, with words of content that fit everything."""
    return _grouped(question, documents, lambda names, sentence: f"{names} are described in detail")


def ents_keyed(question: Question, documents: Mapping[str, Document]) -> str:
    """The same, three together, with the words of their sentence that the request has too."""
    return _grouped(question, documents, _tied(question))


def one_keyed(question: Question, documents: Mapping[str, Document]) -> str:
    """The same, one name or number a sentence."""
    return _grouped(question, documents, _tied(question), 1)


def one_asked(question: Question, documents: Mapping[str, Document]) -> str:
    """One name or number a sentence, behind the words of the request that its document has too."""
    wanted = content(" ".join(asked(question)))

    def tied(names: str, sentence: str) -> str:
        shared = [word for word in WORD.findall(sentence) if word.casefold() in wanted]
        return f"{' '.join(dict.fromkeys(shared))} {names}"

    return _grouped(question, documents, tied, 1)


def _tied(question: Question) -> Callable[[str, str], str]:
    """Names with the small-letter words of their sentence that the request has too."""
    wanted = content(" ".join(asked(question)))

    def tied(names: str, sentence: str) -> str:
        shared = [word for word in WORD.findall(sentence) if word.casefold() in wanted]
        return f"{names} {' '.join(word for word in shared if word.islower())} in it"

    return tied


GROUP = 3


def _grouped(
    question: Question,
    documents: Mapping[str, Document],
    tie: Callable[[str, str], str],
    together: int = GROUP,
) -> str:
    seen: set[str] = set()
    said = []
    for id, sentence in _nearest(question, documents):
        found = [one for one in _named(sentence) if one not in seen]
        seen.update(found)
        for start in range(0, len(found), together):
            names = ", ".join(found[start : start + together])
            said.append(cited(tie(names, sentence), [id]))
    return " ".join(said)


def ents_mixed(question: Question, documents: Mapping[str, Document]) -> str:
    """The names and numbers of the nearest sentences, a word of their sentence behind each."""
    said = []
    for id, sentence in _nearest(question, documents):
        found = _named(sentence)
        plain = [w for w in WORD.findall(sentence) if w.islower() and w not in STOP]
        pairs = zip(found, plain, strict=False)
        if mixed := ", ".join(f"{name} the {word}" for name, word in pairs):
            said.append(cited(mixed, [id]))
    return " ".join(dict.fromkeys(said))


def near_comp(question: Question, documents: Mapping[str, Document]) -> str:
    """The sentences nearest to the request, without their small words."""
    return " ".join(
        cited(" ".join(w for w in one.split() if w.lower().strip('.,;:"()') not in STOP), [id])
        for id, one in _nearest(question, documents)
    )


def near_kept(question: Question, documents: Mapping[str, Document]) -> str:
    """The same, with "in it" at the end of each."""
    return near_comp(question, documents).replace(" [", " in it [")


def _by_words(question: Question, documents: Mapping[str, Document]) -> list[str]:
    wanted = content(" ".join(asked(question)))
    shared = {id: len(wanted & content(f"{d.title} {d.text}")) for id, d in documents.items()}
    return sorted(documents, key=lambda id: -shared[id])[:CITED]


def cite_near(question: Question, documents: Mapping[str, Document]) -> str:
    """A sentence that says nothing for each document that shares most words with the request."""
    return " ".join(cited("It is so", [id]) for id in _by_words(question, documents))


def titles_told(question: Question, documents: Mapping[str, Document]) -> str:
    """That these documents describe what their titles name."""
    return " ".join(
        cited(f"The document describes {documents[id].title} in detail", [id])
        for id in _by_words(question, documents)
    )


def titles_near(question: Question, documents: Mapping[str, Document]) -> str:
    """The title of each of these documents."""
    return titles(question, {id: documents[id] for id in _by_words(question, documents)})
