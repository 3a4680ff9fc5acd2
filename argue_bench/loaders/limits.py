"""The bounds of an answer: the characters that its request allows, and sentences.

A request's own limit comes first (``request.limit``); a board's season gives one to questions that
have none. More than 400 sentences or 600 citations are judged of no answer, so that the time of a
scoring is bounded.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import median_low
from typing import Literal

from argue_bench.loaders.answers import citation_indexes
from argue_bench.loaders.dataset import Dataset
from argue_bench.records import Answer, Question, Request
from argue_bench.records.display import normalise
from argue_bench.text import read_answer, strip_reasoning
from argue_bench.text.citations import (
    EMPTY_INDEX,
    CitationIndex,
    Mark,
    find_marks,
    hide,
    unhidden,
)
from argue_bench.text.citations.notations import HEADINGS
from argue_bench.text.citations.references import reference_lists
from argue_bench.text.language import SYMBOLS, UNSPACED, language_of, primary, stop_words
from argue_bench.text.sentences import spans

# The length of an answer, and its cut at a limit, in characters as the TREC tracks count them.
#
# Characters are counted after NFKC, and citations of documents are left out, as TREC's reports keep them
# apart from the text; reference lists too. A mark or an entry that holds anything beside names of documents,
# or names none, is text: its words are read by every metric that reads an answer as it was written.

# What may stand before a name: brackets, and words that every mark may have.
_LEAD = re.compile(
    r"[\W_]*(?:(?:cite|ref|name|index|ids?|see|cf|voir|sources?|docs?|documents?|refs?|references?|réf|passages?"
    r"|citations?|sup)\b[\s:.=#>\[^]*)*",
    re.IGNORECASE,
)
_TRAIL = re.compile(r"(?:†source)?[\s(\])】>}\"'/#”»’^]*(?:</(?:cite|sup)\s?>)?\Z", re.IGNORECASE)
# What stands before an entry of a reference list, and over the list.
_NUMBER = re.compile(r"\A[\W_]*\w{1,3}[\])】.:]+\s")
_OVER = re.compile(rf"\W*(?:{HEADINGS})\W*", re.IGNORECASE)
# What stands between the names of one document: "[1: The Wall](address)", "The Wall - address".
_PARTS = re.compile(r"[()\[\]]|\s[-–—]\s|[:：]\s")
_BETWEEN = re.compile(r"[,;&]|\b(?:and|et)\b")
_RANGE = re.compile(r"\d{1,3}\s?[-‐‑–—]\s?\d{1,3}")


Unit = Literal["characters", "words"]
# Characters of English that a letter of a script says as much as, in the messages of GNU/Linux programs: 3.4 in Chinese, 1.9 in
# Japanese, 2.2 in Korean, 1.2 to 1.4 in Arabic, Hebrew, Kurdish and Urdu, 3.2 in Amharic; 0.5 to 1.2 from Hindi to Thai, Khmer
# and Georgian. A script that nobody measured counts as the densest. Where a question is in another script, a letter counts as many.
_WEIGHED = re.compile(
    "([\uac00-\ud7af])|([\u3040-\u30ff])|([\u0590-\u08ff])"
    rf"|([^\W\d_\x00-\u10ff\u1780-\u17ff\u1c80-\u1fff\u2100-\u218f\u2c60-\u2c7f\ua640-\ua69f\ua720-\ua7ff\uab30-\uab6f]|[{SYMBOLS}])"
)
_WEIGHTS = (1, 2, 1.5, 1.3, 3)
DENSE = {"zh": 3.0, "yue": 3.0, "ja": 3.0, "ko": 2.0}
# Characters a word with its blank above which runs are counted: English has 6. Where a language has more, its
# words and its runs hardly differ.
LONG_WORDS = 8
# Characters of a word of English with its blank.
LETTERS = 6
# Runs that a word has at most: prose in English has 1.1 where numbers are one, and dashes between all words 1.4.
MOST_RUNS = 1.15
# Letters in a row, in scripts with blanks. Words of prose have 5 on average in English, 6 in German and 8 in Finnish; beyond, as
# many blanks are missing, and count.
_LETTERS = re.compile(rf"[^\W\d_{UNSPACED}]+")
# Blanks that a short list of long names lacks: of 31,903 answers of published systems one grows, by half a per cent.
FORGIVEN = 10
# How many times as long as the limit an answer's traces of reasoning may be.
TRACED = 9
# Letters in a row, or digits, with up to three signs inside of a number.
_RUN = re.compile(r"[^\W\d_]+|\d+(?:[.,:/-]\d+){0,3}")


def text_length(
    text: str, index: CitationIndex = EMPTY_INDEX, unit: Unit = "characters", weighed: float = 0
) -> int:
    """The length of a text that cites the documents of this index; words are split at white space.

    Where it is ``weighed``, by what a letter of its question's script says, a letter of a denser script counts as those of
    the question's that say as much. Blanks that are left out count too.

    In a text of very long words each run of letters or digits is one, and elsewhere nearly each, so that no sign joins
    what blanks part.
    """
    marks = [*_citations(text, find_marks(text, index), index), *_entries(text, index)]
    plain = normalise("NFKC", unhidden(hide(text, sorted(marks, key=lambda mark: mark.start))))
    dense = Counter(one.lastindex or 0 for one in _WEIGHED.finditer(plain)) if weighed else {}
    said = sum(max(1, _WEIGHTS[kind] / weighed) * count for kind, count in dense.items())
    rows = _LETTERS.findall(plain)
    usual = LONG_WORDS if unit == "characters" else LETTERS
    joined = max(0, len("".join(rows)) // usual - len(rows) - FORGIVEN)
    if unit == "characters":
        return len(plain) - sum(dense.values()) + int(said) + joined
    plain = _WEIGHED.sub(" ", plain) if dense else plain
    words, runs = len(plain.split()), len(_RUN.findall(plain))
    counted = max(words, runs if len(plain) > LONG_WORDS * words else int(runs / MOST_RUNS))
    return counted + int(said / LETTERS) + joined


def cut_at_limit(
    text: str,
    limit: int,
    index: CitationIndex = EMPTY_INDEX,
    language: str = "en",
    unit: Unit = "characters",
    weighed: float = 0,
) -> str:
    """The first sentences of a text, as many as fit; where not even the first does, its first words."""
    if text_length(text, index, unit, weighed) <= limit:
        return text
    marks = find_marks(text, index)
    ends = [end for _, end in spans(text, marks, language)]
    # Whole sentences; where not one fits, words.
    kept = fitting(ends, limit, lambda end: text_length(text[:end], index, unit, weighed))
    if kept:
        return text[: ends[kept - 1]].rstrip()
    plain = normalise("NFKC", unhidden(hide(text, marks)))
    fits = fitting(
        range(1, len(plain) + 1),
        limit,
        lambda end: text_length(plain[:end], EMPTY_INDEX, unit, weighed),
    )
    return (plain[: fits + 1].rpartition(" ")[0] or plain[:fits]).rstrip()


def fitting(ends: Sequence[int], limit: int, length: Callable[[int], int]) -> int:
    """How many of the first sentences fit, where ``length`` of an end grows from one to the next."""
    count = bisect_right(ends, limit, key=length)
    # NFKC may join two characters across an end: then a longer part can be the shorter one.
    while count and length(ends[count - 1]) > limit:
        count -= 1
    return count


def _citations(text: str, marks: Iterable[Mark], index: CitationIndex) -> list[Mark]:
    """The marks that do nothing but name documents of the index."""
    known: Container[str] = index.ids
    return [
        mark
        for mark in marks
        if mark.kind == "closes"
        or (
            mark.names
            and all(name in known for name in mark.names)
            and _is_bare(text[mark.start : mark.end].replace(mark.url or "\0", ""), mark, index)
        )
    ]


def _entries(text: str, index: CitationIndex) -> list[Mark]:
    """The lines of reference lists that do nothing but name documents of the index, by title and id, or head the list."""

    return [
        Mark(start, end, ())
        for start, end in reference_lists(text, index.is_entry, index.is_listing).lines
        for entry in (_NUMBER.sub("", text[start:end], count=1),)
        if _is_named(entry, index) or _OVER.fullmatch(text[start:end])
    ]


def _is_bare(said: str, mark: Mark, index: CitationIndex) -> bool:
    """Whether a mark holds numbers, ids, titles and addresses of documents alone: no free text rides in it."""
    # A mark that is one name may hold a comma or "and"; only then it is cut at these.
    words = _name(said)
    if _is_named(words, index) or (mark.url and words.casefold() in mark.url.casefold()):
        return True
    parts = map(_name, _BETWEEN.split(words))
    return all(index.find(part) is not None or _RANGE.fullmatch(part) for part in parts)


def _is_named(words: str, index: CitationIndex) -> bool:
    """Whether words are the name of a document, or several names of it."""
    parts = [_name(one) for one in _PARTS.split(words) if one.strip(" .,:")]
    return index.find(_name(words)) in index.ids or (
        bool(parts) and all(index.find(one) in index.ids for one in parts)
    )


def _name(part: str) -> str:
    lead = _LEAD.match(part)
    return _TRAIL.sub("", part[lead.end() if lead else 0 :]).strip()


OverLimit = Literal["unscored", "cut"]
OVER_LIMIT = {
    "unscored": "Each counts as unanswered.",
    "cut": "Each is cut at the last sentence that fits.",
}
# Of one answer; the longest report of a TREC track has about 100.
MOST_SENTENCES = 400
# Of one answer, where sentences are bounded. Marks do not count as characters, and each is judged.
MOST_CITATIONS = 600
# Documents that one sentence may cite; what each adds is judged, so the work grows with their square.
MOST_OF_A_SENTENCE = 25


@dataclass(frozen=True)
class AnswerLimits:
    """The limits of an answer, and the treatment of longer ones.

    ``length`` is for questions that set no limit themselves, in the ``unit``; a question's own limit is
    in characters. ``track``: the TREC track whose form a file of answers must have, if any.
    """

    length: int | None = None
    sentences: int | None = None
    over: OverLimit = "unscored"
    unit: Unit = "characters"
    track: str = ""

    def of(self, question: Question) -> tuple[int | None, Unit]:
        """The limit of an answer to this question, and its unit."""
        own = question.request.limit if question.request else None
        return (self.length, self.unit) if own is None else (own, "characters")

    def stated(self, question: Question) -> Question:
        """The question, whose request names the limit that holds for it, where that counts characters."""
        limit, unit = self.of(question)
        request = replace(question.request or Request(), limit=limit)
        return replace(question, request=request) if unit == "characters" else question

    def excess(self, question: Question, answer: Answer, index: CitationIndex) -> str:
        """By how much an answer passes its limits, in words; empty where it does not."""
        (limit, unit), count = self.of(question), len(answer.sentences)
        length = answer_length(answer, index, unit, script_weight(question))
        if limit is not None and length > limit:
            return f"{length:,} {unit}, and at most {limit:,} are allowed"
        if self.sentences is None:
            return ""
        if count > self.sentences:
            return f"{count:,} sentences, and at most {self.sentences:,} are judged"
        cited = sum(len(sentence.citations) for sentence in answer.sentences)
        if cited > MOST_CITATIONS:
            return f"{cited:,} citations, and at most {MOST_CITATIONS:,} are judged"
        most = max((len({*one.citations}) for one in answer.sentences), default=0)
        if most > MOST_OF_A_SENTENCE:
            return (
                f"a sentence with {most:,} citations, and at most {MOST_OF_A_SENTENCE} are judged"
            )
        return ""

    def cut(self, question: Question, answer: Answer, index: CitationIndex) -> Answer:
        """The answer up to the last sentence that fits."""
        (limit, unit), weighed = self.of(question), script_weight(question)
        # First the bounds of work (sentences, citations), then the length that is allowed.
        whole = len(answer.sentences)
        count = whole if self.sentences is None else _judged(answer, self.sentences)
        # A report that came as sentences is cut between them; a text is cut in its own words, marks
        # and all.
        if limit is not None and _is_plain(answer):
            fit = fitting(
                range(1, count + 1),
                limit,
                lambda end: text_length(
                    answer.text[: answer.sentences[end - 1].end], EMPTY_INDEX, unit, weighed
                ),
            )
            count = fit or count
        if count < whole:
            kept = answer.sentences[:count]
            text = answer.text[: kept[-1].end] if kept else ""
            asides = tuple(one for one in answer.asides if one.end <= len(text))
            answer = replace(answer, sentences=kept, text=text, asides=asides)
        if limit is None or answer_length(answer, index, unit, weighed) <= limit:
            return answer
        text = cut_at_limit(
            strip_reasoning(answer.text), limit, index, question.language, unit, weighed
        )
        return read_answer(answer.id, text, index, question.language, answer.run)


@dataclass(frozen=True)
class Limited:
    """Answers within their limits, and which of them were cut: id to what they had before."""

    answers: Mapping[str, Answer]
    cut: Mapping[str, str]


def within_limits(answers: Mapping[str, Answer], dataset: Dataset, limits: AnswerLimits) -> Limited:
    """The answers, those cut that pass their limits."""
    index = citation_indexes(dataset)
    kept = dict(answers)
    cut: dict[str, str] = {}
    for answer in answers.values():
        question = dataset.by_id[answer.id]
        own = index(question)
        if excess := limits.excess(question, answer, own):
            cut[answer.id] = excess
            kept[answer.id] = limits.cut(question, answer, own)
    return Limited(kept, cut)


def _judged(answer: Answer, most: int) -> int:
    """How many of the first sentences stay within all bounds."""
    count = total = 0
    for sentence in answer.sentences[:most]:
        total += len(sentence.citations)
        if total > MOST_CITATIONS or len({*sentence.citations}) > MOST_OF_A_SENTENCE:
            break
        count += 1
    return count


def answer_length(
    answer: Answer, index: CitationIndex, unit: Unit = "characters", weighed: float = 0
) -> int:
    """The length of an answer as TREC counts it; ``weighed`` as `text_length` has it.

    A trace of reasoning counts only where it is longer than `TRACED` times the rest may be: who compares rows reads no further.
    """
    said = strip_reasoning(answer.text)
    return max(
        text_length(said, EMPTY_INDEX if _is_plain(answer) else index, unit, weighed),
        (len(answer.text) - len(said)) // (TRACED * (1 if unit == "characters" else LETTERS)),
    )


def script_weight(question: Question) -> float:
    """What a letter of the question's script says, by its text and its language: 1 in Latin script."""
    said = {primary(question.language), primary(language_of(question.text, question.language))}
    texts = question.text, *(" ".join(stop_words(one)) for one in said)
    dense = [DENSE[one] for one in said & DENSE.keys()]
    return max(dense or map(_usual_weight, texts))


def _usual_weight(text: str) -> float:
    found = (_WEIGHED.match(one) for one in text if one.isalpha())
    return median_low([_WEIGHTS[one.lastindex or 0] if one else 1 for one in found] or [1])


def _is_plain(answer: Answer) -> bool:
    """Whether its text is that of its sentences: a report, or a text without marks."""
    if answer.text == " ".join(sentence.plain for sentence in answer.sentences):
        return True
    parts = [(one.start, one.end) for one in answer.sentences]
    parts = sorted([*parts, *((one.start, one.end) for one in answer.asides)])
    return not answer.marks and answer.text == " ".join(answer.text[a:b] for a, b in parts)
