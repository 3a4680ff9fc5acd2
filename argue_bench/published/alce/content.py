"""ALCE's scores of content by our own rules: QA-EM, QAMPARI's lists, ROUGE-Lsum and claims.

After Gao et al. 2023, sections 3 and A; `correctness` has them as ALCE's evaluator counts them (``rules=alce``).

QA: a model reads the answer's words as the reply to each small question of ``gold.short_answers`` (`Span`); its span is
compared with the spellings: em (equal in SQuAD's normal form), f1 (words shared), hit (all equal).

QAMPARI: the answer is a list, whatever parts its items. A piece is right where it is one of the gold's names once numbers, labels,
articles and notes are taken off; what names nothing is parted by finer signs ("and", "/", a dash) where that finds an
entity somewhere. precision = listed that are gold / listed, recall = gold entities listed / gold, recall_top5 = the same
with both at most 5, f1 of precision and recall. An entity counts once however often it is listed.

ROUGE-Lsum over long answers, both without citation marks: of several references the one with the higher fscore,
and their exact mean (ALCE reports the median of an unseeded bootstrap).

Claims: claims entailed by the answer without its citations / claims of the gold.
"""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import dropwhile
from typing import ClassVar, NamedTuple

from argue_bench.metrics.base import Metric, Tallies, TallySteps
from argue_bench.metrics.correctness.accuracy import (
    missing_answers,
    missing_note,
    plain_text,
    short_answers,
)
from argue_bench.metrics.correctness.rouge import UNREAD
from argue_bench.published.alce.rouge_lsum import rouge_l_summary
from argue_bench.records import (
    NOT_APPLICABLE,
    Answer,
    Documents,
    Entails,
    JudgeRequest,
    Question,
    Source,
    Span,
    Tally,
)
from argue_bench.stats.averages import Average, macro
from argue_bench.text import sentences, without_marks
from argue_bench.text.language import language_of
from argue_bench.text.overlap import Overlap, porter_stems, stems_read
from argue_bench.text.phrases import is_sentence
from argue_bench.text.statements import claim_sentences, states_nothing
from argue_bench.text.typed import typed_text, unescaped
from argue_bench.text.vocabulary import STOP

_ARTICLES = re.compile(r"\b(?:a|an|the)\b")
_NO_PUNCTUATION = str.maketrans("", "", string.punctuation)
# ALCE's recall-5: five right items are enough, since few readers want more (Gao et al. 2023, section 3).
TOP = 5


@dataclass(frozen=True)
class QA(Metric):
    """Short answers that a reading model finds in the answer."""

    judge: str = ""

    name: ClassVar[str] = "qa"
    family: ClassVar[str] = "correctness"
    needs: ClassVar[str] = "short answers in its gold"
    summary: ClassVar[str] = "can a reader answer the small questions from the answer?"
    paper: ClassVar[str] = "Stelmakh et al. 2022; Gao et al. 2023 (ALCE)"
    scores: ClassVar[Mapping[str, Average]] = {name: macro(name) for name in ("em", "f1", "hit")}
    ranking: ClassVar[tuple[str, ...]] = ("em", "f1", "hit")
    requests: ClassVar[tuple[type[JudgeRequest], ...]] = (Span,)
    wants_judge: ClassVar[str] = "qa:MODEL"

    def tally(self, question: Question, answer: Answer, documents: Documents) -> TallySteps:
        wanted = [one for one in short_answers(question) if one.question and one.answers]
        if not wanted:
            return dict.fromkeys(self.scores, NOT_APPLICABLE)
        context = self.read(answer)
        # Without requests every span is empty, which matches only an empty spelling.
        requests = [Span(one.question, context) for one in wanted] if context else []
        verdicts = yield requests
        spans = [str(verdicts[request].value) for request in requests] or [""] * len(wanted)
        # The best of the spellings counts, as in SQuAD.
        scored = [span_scores(span, one.answers) for span, one in zip(spans, wanted, strict=True)]
        exact = [equal for equal, _ in scored]
        return {
            "em": Tally(sum(exact), len(wanted), missing_answers(wanted, exact)),
            "f1": Tally(sum(f1 for _, f1 in scored), len(wanted)),
            "hit": Tally(float(all(exact))),
        }

    def read(self, answer: Answer) -> str:
        """What the model reads of an answer; nothing is asked of an empty text."""
        text = plain_text(answer)
        return text if text.strip() else ""


@dataclass(frozen=True)
class Qampari(Metric):
    """Precision, recall and F1 of a list of entities."""

    name: ClassVar[str] = "qampari"
    family: ClassVar[str] = "correctness"
    needs: ClassVar[str] = "short answers in its gold"
    summary: ClassVar[str] = "which of the entities that were asked for does the list hold?"
    paper: ClassVar[str] = "Amouyal et al. 2022 (QAMPARI); Gao et al. 2023 (ALCE)"
    scores: ClassVar[Mapping[str, Average]] = {
        name: macro(name) for name in ("f1", "precision", "recall", "recall_top5", "f1_top5")
    }
    ranking: ClassVar[tuple[str, ...]] = ("f1", "f1_top5")

    def tally(self, question: Question, answer: Answer, documents: Documents) -> Tallies:
        gold = [one.answers for one in short_answers(question) if one.answers]
        if not gold:
            return dict.fromkeys(self.scores, NOT_APPLICABLE)
        listed = self.compare(gold, answer, question)
        return {name: Tally(getattr(listed, name)) for name in self.scores}

    def facts(self) -> Mapping[str, str]:
        return {} if self.frozen else {"rules": "5"}

    def compare(self, gold: Sequence[Sequence[str]], answer: Answer, question: Question) -> Listed:
        """The scores of a list against entities, each with its aliases."""
        language = language_of(question.text, question.language)
        aliases = [(alias, number) for number, one in enumerate(gold) for alias in one]
        names = {_spelled(alias, language): number for alias, number in aliases}
        # Pieces that a name may have; "No. 1 - Oslo" has three.
        longest = max(3, *(1 + len(_FINER.findall(alias)) for alias, _ in aliases))
        # Where no number was asked for, it counts the items.
        numbers = any(name and not any(map(str.isalpha, name)) for name in names)
        # Names that begin with a capital letter tell descriptions from items.
        capital = 2 * sum(alias[:1].isupper() for alias, _ in aliases) > len(aliases)
        given = names, language, longest, capital
        found = (
            (kind, _items(line, _ITEM, *given), _items(line, _FINER, *given))
            for kind, line in _lines(answer, question.text, capital)
        )
        # By how it is written alone, whatever is right: else a guess at another place would cost nothing.
        read = _counted(
            (kind, Items(one for one in items if numbers or _is_name(one)), fine)
            for kind, items, fine in found
        )
        # A finer joint that finds an entity anywhere parts items everywhere, and so do more joints than a name has.
        finer = any(_right(fine) > _right(items) for items, fine in read)
        predicted = {
            one
            for items, fine in read
            for one in (
                fine
                if (finer or len(fine) > longest * len(items)) and _right(fine) >= _right(items)
                else items
            )
            if numbers or _is_name(one)
        }
        hit = _right(predicted)
        return Listed.of(hit, hit, len(predicted), len(gold))


def _counted(read: Iterable[tuple[str, Items, Items]]) -> list[tuple[Items, Items]]:
    """The lines whose items count: those of a list, and sentences but for notes over and below more items than they are; the headings in
    their place where these are several and all else is told of them; courtesies and sources only where there is nothing else."""
    lines = [line for line in read if line[1]]
    said = [line for line in lines if line[0] in ("prose", "told", *_LISTS)]
    prose = [line for line in said if line[0] == "prose"]
    if sum(len(items) for kind, items, _ in said if kind in _LISTS) > len(prose):
        for _ in range(2):  # from one end, then from the other
            said = [*dropwhile(lambda line: line[0] == "prose", reversed(said))]
    heads = [line for line in lines if line[0] == "heading"]
    if len(heads) > 1 and all(kind in ("prose", "told", "named") for kind, *_ in said):
        said = heads
    return [(items, fine) for _, items, fine in said or lines]


def _lines(answer: Answer, question: str, capital: bool) -> list[tuple[str, str]]:
    """The lines of an answer, each behind its kind: "" for an item, "named" for one that was told of, "prose" for a sentence, "told" for
    a description, "label" for courtesies, announcements, offers and lines that lead to others, and what an aside is."""
    stated = {one.number for one in claim_sentences(answer.sentences, question)}
    quiet = [
        # A guess that asks ("Oslo?") is an item all the same.
        (number not in stated and not re.search("[?？]", one.plain))
        or states_nothing(one.plain, question)
        # It leads to others: '"answers": ['.
        or re.search(r"[:：][^\w\n]{0,9}\Z", one.plain)
        for number, one in enumerate(answer.sentences, 1)
    ]
    lines = [
        # Lines that were taken for one wrapped line may be items.
        (_kind(one.plain, bool(label)), one.text if "\n" in one.text else one.plain)
        for one, label in zip(answer.sentences, quiet, strict=True)
    ]
    lines = _described(lines, question, capital)
    asides = ((one.kind, one.plain or answer.text[one.start : one.end]) for one in answer.asides)
    return [*lines, *asides] or [("", answer.text)]


def _described(lines: list[tuple[str, str]], question: str, capital: bool) -> list[tuple[str, str]]:
    """The lines, of which "told" ones tell of others: fields, whose label stands there several times and was not asked for, and
    descriptions. "Oslo: It lies in Norway." is an item and what is told of it, where it is not alone."""
    parts = [one.groups() if (one := _DESCRIBED.match(line)) else ("", line) for _, line in lines]
    labels, asked = Counter(label for label, _ in parts if label), {*porter_stems(question)}
    fields = {x for x, n in labels.items() if n > 1 and asked.isdisjoint(porter_stems(x))}
    names = {
        label
        for label, told in parts
        if label and label not in fields and _is_told(told, capital)
        if not states_nothing(f"{label}:")
    }
    return [
        ("named", label)
        if len(names) > 1 and label in names and _is_told(told, capital)
        else ("told", line)
        if label in fields or (len(names) < 2 and not kind and _is_told(line, capital))
        else (kind, line)
        for (label, told), (kind, line) in zip(parts, lines, strict=True)
    ]


def _is_told(words: str, capital: bool) -> bool:
    """Whether words say something of an item and name none: they are a sentence, or, where names have ``capital`` letters, a figure or
    words of which one, that is no small one, has none."""
    small = (one.islower() and one.isalpha() and one not in STOP for one in words.split())
    return is_sentence(words) or (capital and (any(small) or not any(map(str.isalpha, words))))


def _kind(line: str, quiet: bool) -> str:
    return "label" if quiet else "prose" if is_sentence(line) else ""


def _items(
    line: str,
    joint: re.Pattern[str],
    names: Mapping[str, int],
    language: str,
    longest: int,
    capital: bool,
) -> Items:
    """The pieces of a line between joints, without those that tell something of others."""
    line = unescaped(_UNSAID.sub("", line))
    cuts = [cut for cut in joint.finditer(line) if not cut["aside"]]
    begins, ends = [0, *(one.end() for one in cuts)], [*(one.start() for one in cuts), len(line)]
    places = [*zip(begins, ends, strict=True)]
    told = [_is_told(_SAYS.sub("", _LABEL.sub("", line[a:b])), capital) for a, b in places]
    if not all(told):
        places = [place for place, one in zip(places, told, strict=True) if not one]
        begins, ends = ([*each] for each in zip(*places, strict=True))
    found, at = Items(), 0
    while at < len(begins):
        # The longest run of pieces that is a known name, else one piece.
        for length in range(min(longest, len(begins) - at), 0, -1):
            item = _entity(line[begins[at] : ends[at + length - 1]], names, language)
            if isinstance(item, int):
                break
        found += [item] if item != "" else []
        at += length
    return found


def _entity(piece: str, names: Mapping[str, int], language: str) -> int | str:
    """The entity that a piece names, or its words; numbers, labels and notes come off step by step until it names one."""
    forms = [piece]
    for sign in (_NUMBER, _LABEL, _NUMBER, _SAYS, _NOTE, _NOTE):
        forms = [*dict.fromkeys((*forms, *(sign.sub("", form, count=1) for form in forms)))]
    words = [_spelled(form, language) for form in forms]
    # What names none counts as it is written: what is left of it may be any other's.
    written = (
        words[-1] if _TOTAL.fullmatch(piece) else _spelled(_NUMBER.sub("", piece, 1), language)
    )
    return next((names[one] for one in words if one and one in names), written)


def _is_name(item: int | str) -> bool:
    return isinstance(item, int) or any(map(str.isalpha, item))


def _spelled(name: str, language: str) -> str:
    """The words of a name as typed tokens, without articles before it."""
    said = typed_text(name, language).words if any(map(str.isalnum, name)) else ()
    return _ARTICLE.sub("", " ".join(said))


def _right(items: Iterable[int | str]) -> int:
    return sum(isinstance(one, int) for one in items)


# Of a line, each as the number of the entity that it names, or its words.
Items = list[int | str]
# Where items stand, among them in code.
_LISTS = ("", "named", "code")
_ARTICLE = re.compile(r"\A(?:(?:an?|the) )+(?=.)")
# What parts items; round brackets behind words part none.
_ITEM = re.compile(
    r"(?P<aside>(?<=[\w\"”’*.])\s?[(（][^()（）\n]{0,200}[)）](?!\s?\w))"
    r"|[,;|\t\n\r•、，；،؛]|<br\s?/?>",
    re.IGNORECASE,
)
# What may part them, or stand in a name.
# What is told of a name: "Oslo: a town in Norway", "Oslo - a town".
_DESCRIBED = re.compile(r"(?P<name>[^:：\n]{1,80}?)(?::\s|：|\s[-–—→=]\s)(?P<told>.+)", re.DOTALL)
_AND = "and|or|und|oder|et|ou|y|e|o|en|och|og|и|و"
_FINER = re.compile(
    rf"{_ITEM.pattern}|\s[-–—&]\s|\s?[/·]\s?|(?<=[\w.][\w.])[.!?]\s|[。！？和與与及]|\s\(?\d{{1,3}}[.)](?!\d)|(?:\A|\s)(?:{_AND})\s",
    re.IGNORECASE,
)
# What may stand around a name: a number, a box or "and", and a label, before it, and notes behind it.
_NUMBER = re.compile(
    r"\A[^\w\n]{0,20}(?:\[[ x]\]|[\u2460-\u24ff\u2776-\u2793]|#\d{1,3}\b[.):]?"
    rf"|(?:\d{{1,3}}|[a-z]|[ivx]{{1,5}})\\?(?:[.):．]|\s[-–—]\s)|(?:{_AND})(?=\s))(?:\s+|(?=\D))",
    re.IGNORECASE,
)
_LABEL = re.compile(r"\A[^:：,;|\n、，；]{0,80}(?::(?=\W)|：)(?=\W{0,20}\w)(?!\s*\(?http)")
# "They include Oslo" begins a list.
_SAYS = re.compile(
    r"\A[^:：,;|\n]{1,100}\s(?:are|were|includes?|sont|sind|son|sono)\s", re.IGNORECASE
)
# A label with a figure alone behind it: "Total: 5".
_TOTAL = re.compile(r"[^:：({（\n]{0,80}[:：]\s+\d[\d.,]*\W*")
_NOTE = re.compile(
    r"\s?(?:[({（][^(){}（）\n]{0,200}[)}）]|[¹²³⁰⁴-⁹]{1,6}|\^\d{1,3}\^?|\(?https?://[^\s,;]{1,500}|(?<=\w)\s\d{1,3}[.)])"
    r"[^\w\n]{0,9}\Z"
)
# Raised marks, commands of LaTeX and the line above code.
_UNSAID = re.compile(
    r"<sup>\W?\d{1,3}\W?</sup>|\\(?:begin|end)\{\w{1,20}\}|\\[a-z]{2,20}(?=\s)|\A\s{0,9}(?:```|~~~)\w*"
)


class Listed(NamedTuple):
    """QAMPARI's scores of one list, as shares of 1, and how many predictions it holds."""

    precision: float
    recall: float
    recall_top5: float
    predictions: int

    @classmethod
    def of(cls, right: int, hit: int, listed: int, wanted: int) -> Listed:
        """The scores of a list: ``right`` of its items are gold, and ``hit`` of the wanted are listed."""
        return cls(
            right / listed if listed else 0.0,
            hit / wanted if wanted else 0.0,
            min(TOP, hit) / min(TOP, wanted) if wanted else 0.0,
            listed,
        )

    @property
    def f1(self) -> float:
        return _harmonic(self.precision, self.recall)

    @property
    def f1_top5(self) -> float:
        return _harmonic(self.precision, self.recall_top5)


def list_items(text: str) -> list[str]:
    """The parts of a comma-separated list, without the full stop and commas at its end."""
    return [part.strip() for part in text.rstrip().rstrip(".").rstrip(",").split(",")]


def squad_form(text: str) -> str:
    """SQuAD's normal form (Rajpurkar et al. 2016): lower case, no ASCII punctuation, no articles, single
    blanks.

    >>> squad_form("The  U.S. -- a land")
    'us land'
    """
    return " ".join(_ARTICLES.sub(" ", text.lower().translate(_NO_PUNCTUATION)).split())


def span_scores(prediction: str, aliases: Sequence[str]) -> tuple[bool, float]:
    """Exact match and the best token F1 of a predicted span over the aliases of its answer (SQuAD)."""
    given = squad_form(prediction).split()
    wanted = [squad_form(alias).split() for alias in aliases]
    return given in wanted, max((_token_f1(one, given) for one in wanted), default=0.0)


def _token_f1(wanted: Sequence[str], given: Sequence[str]) -> float:
    if not wanted or not given:
        return float(wanted == given)
    return 2 * (Counter(wanted) & Counter(given)).total() / (len(wanted) + len(given))


def _harmonic(a: float, b: float) -> float:
    """2ab / (a + b), 0 where both are 0."""
    return 2 * a * b / (a + b) if a + b else 0.0


@dataclass(frozen=True)
class RougeLsum(Metric):
    """ROUGE-Lsum against one or more long answers."""

    name: ClassVar[str] = "rouge_lsum"
    family: ClassVar[str] = "correctness"
    needs: ClassVar[str] = "a reference answer: --columns reference=NAME"
    summary: ClassVar[str] = "how close is the answer to a long answer that people wrote?"
    paper: ClassVar[str] = "Lin 2004; Gao et al. 2023 (ALCE)"
    scores: ClassVar[Mapping[str, Average]] = {
        part: macro(part) for part in ("fscore", "precision", "recall")
    }

    def tally(self, question: Question, answer: Answer, documents: Documents) -> Tallies:
        references = () if question.gold is None else question.gold.long_answers
        if not references:
            return dict.fromkeys(self.scores, NOT_APPLICABLE)
        if not (self.frozen or all(map(stems_read, references))):
            return UNREAD
        return {
            part: Tally(share)
            for part, share in self.overlap(references, answer, question.language)._asdict().items()
        }

    def overlap(self, references: Sequence[str], answer: Answer, language: str) -> Overlap:
        """With the best of the references, each as a whole."""
        given = sentences(plain_text(answer), language)
        wanted = (sentences(without_marks(one), language) for one in references)
        return max((rouge_l_summary(one, given) for one in wanted), key=lambda best: best.fscore)


@dataclass(frozen=True)
class Claims(Metric):
    """Share of the gold claims that the answer entails."""

    judge: str = ""

    name: ClassVar[str] = "claims"
    family: ClassVar[str] = "correctness"
    needs: ClassVar[str] = "claims in its gold"
    summary: ClassVar[str] = "which share of the gold claims does the answer make?"
    paper: ClassVar[str] = "Gao et al. 2023 (ALCE)"
    scores: ClassVar[Mapping[str, Average]] = {"recall": macro("recall")}
    requests: ClassVar[tuple[type[JudgeRequest], ...]] = (Entails,)

    def tally(self, question: Question, answer: Answer, documents: Documents) -> TallySteps:
        claims = () if question.gold is None else question.gold.claims
        if not claims:
            return {"recall": NOT_APPLICABLE}
        text = self.read(answer)
        # Nothing is asked of an empty text, and no claim is entailed by it.
        if not text.strip():
            return {"recall": Tally(0.0, len(claims), "no answer")}
        # The answer is the premise here, and the gold the hypothesis.
        requests = [Entails((Source("answer", text),), claim) for claim in claims]
        verdicts = yield requests
        missing = [request.hypothesis for request in requests if not verdicts[request].yes]
        right = len(requests) - len(missing)
        return {"recall": Tally(right, len(requests), missing_note(missing))}

    def read(self, answer: Answer) -> str:
        """The words of an answer that may entail claims."""
        return plain_text(answer)
