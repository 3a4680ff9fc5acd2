"""The program: what the public patterns give away about a question and its documents."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from argue_bench.records import Document, Question
from benchmarks.inverter.patterns import forms, lines_of, rounds
from tools.core_set import wording
from tools.core_set.domain import KEYS, Domain, Relation, domain
from tools.core_set.grammar import Part, Pattern, Slot
from tools.core_set.printer import finish

_FIRST = re.compile(r"(?:(?<=^)|(?<=[.!?] )|(?<=[.!?]” )|(?<=\n)|(?<=– ))(?=\S)", re.M)
ABOUT = re.compile(r"(?:about|around|some|roughly) ")
_PRONOUNS = {"it", "he", "she"}
_WORDS = {wording.in_words(n, "en") for n in range(101)}
_KIND = {
    "count": re.compile(r"\d[\d,]*|[a-z]+(?:-[a-z]+)?"),
    "amount": re.compile(r"\d[\d,.]* (?:\w| )+"),
    "date": re.compile(
        rf"\d{{1,2}} (?:{'|'.join(wording.MONTHS['en'])}) \d{{4}}"
        rf"|(?:{'|'.join(wording.MONTHS['en'])}) \d{{1,2}}, \d{{4}}"
    ),
    "name": re.compile(r"(?:The )?[A-Z]\w+(?: (?:of )?[A-Z]\w+){0,4}"),
}


@dataclass(frozen=True, slots=True)
class Claim:
    """A fact that was read off a document; ``values`` has several for a list, none if unknown."""

    relation: Relation
    subject: str
    values: tuple[str, ...]
    document: str = ""
    text: str = ""
    """The sentence that says it again."""


@dataclass(frozen=True)
class Inverted:
    """What was read of one question: its items, and what is claimed."""

    items: tuple[str, ...]
    roll_call: Claim | None
    claims: tuple[Claim, ...]

    @property
    def answer(self) -> str:
        said = ([self.roll_call] if self.roll_call else []) + list(self.claims)
        return " ".join(_marked(claim) for claim in said) or "I cannot answer this question."


def invert(question: Question, documents: Mapping[str, Document]) -> Inverted:
    """All that the public patterns give away about one question."""
    asked = _Asked.read(question)
    if asked is None:
        return Inverted((), None, ())
    readable = [
        d for d in documents.values() if d.language == "en" and fold(asked.hub) in fold(d.text)
    ]
    reader = _Reader(asked.domain, asked.hub)
    items, roll_call = reader.items(readable)
    found: dict[tuple[str, str], list[tuple[int, str, Claim]]] = {}
    for document in readable:
        for claim in reader.claims(document, items):
            exact = not any(map(ABOUT.match, claim.values))
            rank = (exact + len(claim.values), document.date, claim)
            found.setdefault((claim.relation.key, claim.subject), []).append(rank)
    best = {key: max(claims, key=lambda c: c[:2])[2] for key, claims in found.items()}
    wanted = [(r, item) for r in asked.relations for item in items] + list(asked.besides)
    by_name = {(relation.key, subject): relation for relation, subject in wanted}
    missing = [
        _unknown(relation, name[1]) for name, relation in by_name.items() if name not in best
    ]
    return Inverted(items, roll_call, (*best.values(), *missing))


@dataclass(frozen=True)
class _Asked:
    """What the words of a question ask for."""

    domain: Domain
    hub: str
    relations: tuple[Relation, ...]
    besides: tuple[tuple[Relation, str], ...]

    @classmethod
    def read(cls, question: Question) -> _Asked | None:
        for key in KEYS:
            kind = domain(key)
            of = re.escape(str(kind.item["of_en"])).replace(r"\{H\}", r"(.+?)")
            if found := re.search(rf"of the {of}(?:,| had| was)", question.text):
                break
        else:
            return None
        relations = tuple(r for r in kind.item_relations if r.fan and r.fan in question.text)
        statement = question.request.problem_statement if question.request else ""
        besides = []
        for sentence in re.findall(r"[^.?]+\?", statement):
            for relation in (*kind.hub_relations, *kind.item_relations):
                if subject := _subject_of(relation, sentence.strip(), found[1]):
                    besides.append((relation, subject))
        return cls(kind, found[1], relations, tuple(besides))


def _subject_of(relation: Relation, sentence: str, hub: str) -> str:
    form = re.escape(relation.question.replace("~", "").replace("{H}", hub))
    found = re.search(form.replace(r"\{S\}", "(.+?)") + "$", sentence)
    return found[1] if found else ""


class _Reader:
    """Reads documents about one hub."""

    def __init__(self, kind: Domain, hub: str) -> None:
        self.kind, self.hub = kind, hub
        self.forms = {
            relation.key: forms(f"{kind.key}.{relation.key}")
            for relation in (*kind.hub_relations, *kind.item_relations)
        }
        self.rounds = {r.key: rounds(f"{kind.key}.{r.key}.round") for r in kind.item_relations}
        self.connects = [p.source for _, p in lines_of("common.connect")]

    def items(self, documents: Sequence[Document]) -> tuple[tuple[str, ...], Claim | None]:
        """The items, as the longest list of them has it, and the sentence that lists them."""
        form_of = re.sub(r"\\{\w+\\}", r"[A-Z0-9][\\w ]*", re.escape(str(self.kind.item["en"])))
        is_item = re.compile(form_of, re.IGNORECASE).fullmatch
        best: tuple[str, ...] = ()
        where = ""
        for document in documents:
            for form in forms(f"{self.kind.key}.members"):
                for found in _all(form, document.text):
                    names = _listed(found["items"])
                    if len(names) > len(best) and all(map(is_item, names)):
                        best, where = names, document.id
        if not best:
            return (), None
        pattern = lines_of(f"{self.kind.key}.members")[0][1]
        text = _say(
            pattern,
            {
                "items": wording.join_words(list(best), "en"),
                "h": self.hub,
                "noun": str(self.kind.item["nouns_en"]),
            },
        )
        return best, Claim(self.kind.item_relations[0], self.hub, best, where, text)

    def claims(self, document: Document, items: Sequence[str]) -> Iterator[Claim]:
        """The facts of a document, each sentence read under the subject that was named last."""
        names = {fold(item): item for item in items}
        names |= {fold(_short(item, self.kind)): item for item in items}
        names |= {fold(self.hub): self.hub}
        names |= {fold(str(called)): self.hub for called in self.kind.hub["called_en"]}
        last = ""
        for paragraph in document.text.split("\n"):
            for start in [found.start() for found in _FIRST.finditer(paragraph)]:
                rest = self._bare(paragraph[start:])
                sentence = re.split(r"(?<=[.!?])\s", rest)[0]
                for relation, subject, value in self._read(rest, sentence):
                    who = names.get(fold(subject)) or (last if _vague(subject, self.kind) else "")
                    who = self.hub if relation.of == "hub" else who
                    if who and (values := _values(relation, value)):
                        yield Claim(
                            relation, who, values, document.id, _again(self, relation, who, values)
                        )
                named = [(sentence.rfind(item), item) for item in items if item in sentence]
                last = max(named)[1] if named else last

    def _bare(self, text: str) -> str:
        for words in self.connects:
            text = text.removeprefix(f"{words} ")
        return text

    def _read(self, rest: str, sentence: str) -> Iterator[tuple[Relation, str, str]]:
        """What the text at this place states; the second half of a joined sentence too."""
        halves = [rest]
        if " and " in sentence:
            first, second = sentence.split(" and ", 1)
            halves += [f"{first}.", f"It {second}"]
        for relation in (*self.kind.hub_relations, *self.kind.item_relations):
            for form in self.forms[relation.key]:
                for half in halves:
                    if found := form.match(half):
                        groups = found.groupdict()
                        yield relation, groups.get("S") or "", groups["v"]
            for whole, row in self.rounds.get(relation.key, ()):
                if found := whole.match(rest):
                    for part in re.split(r", | and ", found["rows"]):
                        if one := row.fullmatch(part):
                            yield relation, one["S"], one["v"]


def _all(form: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    for paragraph in text.split("\n"):
        for start in _FIRST.finditer(paragraph):
            if found := form.match(paragraph[start.start() :]):
                yield found


def _values(relation: Relation, text: str) -> tuple[str, ...]:
    """The value or values, if they are of the relation's kind; else none."""
    parts = _listed(text) if relation.many else (text,)
    return parts if all(_fits(relation, part) for part in parts) else ()


def _fits(relation: Relation, text: str) -> bool:
    kind = relation.kind.removeprefix("list:").partition(":")[0]
    if kind == "phrase":
        return any(fold(text) == fold(words) for choice in relation.choices for words in choice.en)
    bare = ABOUT.sub("", text)
    if kind == "count":
        return bool(_KIND["count"].fullmatch(bare)) and (
            bare[0].isdigit() or bare.lower() in _WORDS
        )
    if kind in {"amount", "whole"}:
        return bool(_KIND["amount"].fullmatch(bare))
    return bool(_KIND["date" if kind == "date" else "name"].fullmatch(_upper(text)))


def _again(reader: _Reader, relation: Relation, subject: str, values: tuple[str, ...]) -> str:
    pattern = lines_of(f"{reader.kind.key}.{relation.key}")[0][1]
    return _say(
        pattern,
        {
            "S": subject,
            "v": wording.join_words(list(values), "en"),
            "H": reader.hub,
            "h": reader.hub,
        },
    )


def _unknown(relation: Relation, subject: str) -> Claim:
    text = f"The documents do not give {relation.np['en'].format(S=subject, il='it')}."
    return Claim(relation, subject, (), text=text)


def _say(pattern: Pattern, slots: Mapping[str, str]) -> str:
    def text(parts: tuple[Part, ...]) -> str:
        return "".join(
            part
            if isinstance(part, str)
            else slots.get(part.name, "")
            if isinstance(part, Slot)
            else text(part.of[0])
            for part in parts
        )

    return finish(text(pattern.parts), "en")


def _marked(claim: Claim) -> str:
    end = len(claim.text.rstrip(".!?"))
    mark = f" [{claim.document}]" if claim.document else ""
    return claim.text[:end] + mark + claim.text[end:]


def _listed(text: str) -> tuple[str, ...]:
    return tuple(part for part in re.split(r", | and ", text) if part)


def _short(item: str, kind: Domain) -> str:
    if kind.item["what"] == "person":
        return item.rpartition(" ")[2]
    return item.partition(" ")[0] if kind.item["what"] == "company" else item


def _vague(subject: str, kind: Domain) -> bool:
    words = fold(subject)
    return not words or words in _PRONOUNS or words in map(fold, kind.item["called_en"])


def fold(text: str) -> str:
    return text.strip().lower()


def _upper(text: str) -> str:
    return text[:1].upper() + text[1:]
