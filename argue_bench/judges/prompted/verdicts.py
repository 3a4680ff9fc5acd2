"""Reads the verdicts in a reply of a language model, or finds the reason why there are none.

Where the server holds its model to a JSON schema, the reply must be that JSON and nothing else.
Elsewhere a verdict counts only from the one object that carries the form's key, from a reply that is
nothing but the verdict, or from an announcement of it. What says two things says nothing. Of numbered
requests, a number that is missing, given twice or beyond the last one voids its own verdict alone; all are
void where the numbers may be shifted: counted from 0, or some beyond the last one while others are missing.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from argue_bench.judges.prompted import prose
from argue_bench.judges.prompted.forms import ReplyForm
from argue_bench.judges.prompted.objects import (
    AMBIGUOUS,
    beside_key,
    carries_key,
    keyed_objects,
    objects_in,
    whole_json,
    without_fence,
)

# Characters at the end of a reply that are read, so that none made to cost time costs much.
_LONGEST = 20_000
# Names under which models put a verdict inside of an object.
_NAMES = ("verdict", "answer", "label", "score", "grade", "decision", "value", "result", "judgment")
_NAMED = re.compile(rf"(?:(?:final|my|the)?[-_ ]?(?:{'|'.join(_NAMES)})s?[-_ ]?\d*)?")
_REASONS = ("reason", "reasons", "reasoning", "explanation", "rationale", "justification")
_NUMBER_NAMES = ("number", "no", "nr", "n", "id", "index", "item", "#")
_NUMBERED = re.compile(r"(?!-\d)\D*(\d{1,4})\D*")
_LIST_LINE = re.compile(r"[\W_]*(?:[^\W\d]+ ?)?#?(\d{1,4})(\s*[.:)\]=|>–—→-]+\s*|\s+)(.+)")


@dataclass(frozen=True)
class ReplyReading:
    """The verdicts of a reply by number (1 for a request alone), their reasons, and what is wrong.

    ``wrong`` is worded to be told to the model; it is empty where every request has a verdict.
    ``miscounted``: the numbers may be shifted, so that no verdict can be trusted.
    """

    verdicts: Mapping[int, str] = field(default_factory=dict)
    reasons: Mapping[int, str] = field(default_factory=dict)
    wrong: str = ""
    miscounted: bool = False


def read(text: str, form: ReplyForm, strict: bool) -> ReplyReading:
    """Reads a reply. ``strict``: the server enforces the schema of the form."""
    text = text[-_LONGEST:]
    if strict:
        value = whole_json(text)
        if not isinstance(value, dict) or list(value) not in _schema_names(form):
            return ReplyReading(wrong="it was not one JSON object of the form asked for")
        return _read_value(value, form)
    if not form.key:
        value = whole_json(text)
        if isinstance(value, dict) and form.name in value:
            return _read_value(value, form)
    elif values := keyed_objects(text, form.key):
        return _read_keyed(values, text, form)
    return _read_words(text, form)


def _schema_names(form: ReplyForm) -> tuple[list[str], ...]:
    if form.count or not form.reasons:
        return ([form.name],)
    return (["reason", form.name], [form.name, "reason"])


def _read_value(value: dict[str, Any], form: ReplyForm) -> ReplyReading:
    """A reply that is the object of a form without a key."""
    if form.count:
        return _read_rows(value[form.name], form)
    return _read_one([value[form.name]], _reason(value), form)


def _read_keyed(values: list[Any], text: str, form: ReplyForm) -> ReplyReading:
    keyed = [
        one for value in values for one in objects_in(value, form.key) if carries_key(one, form.key)
    ]
    given = [inner for one in keyed for inner in _under_key(one, form)]
    found = [inner for inner in given if inner != "..."] or given  # the form itself, repeated
    if form.count:
        if prose.taken_back(text[text.rfind("}") :], form.words):
            return ReplyReading(wrong="it took a verdict back")
        return _read_keyed_rows(values, found, form)
    reading = _read_one(found, next(filter(None, map(_reason, keyed)), ""), form)
    if word := reading.verdicts.get(1):
        after = text.casefold().rfind(form.key) + len(form.key)
        if any(_contradicts(one, word, form) for one in keyed) or prose.takes_back(
            text[after:].partition("}")[2], word, form.words
        ):
            return ReplyReading(wrong="it gave two verdicts")
    return reading


def _under_key(one: dict[str, Any], form: ReplyForm) -> list[Any]:
    """The values that an object with the key gives as its verdict, or verdicts."""
    stems = {name: beside_key(name, form.key) for name in one}
    named = {name: stem for name, stem in stems.items() if stem not in (None, *_REASONS)}
    verdicts = [name for name, stem in named.items() if stem is not None and _NAMED.fullmatch(stem)]
    if named:  # some models put the key into every name
        return [one[name] for name in verdicts or named]
    # The key stands as a value of its own, beside the verdict.
    return [
        value for name, value in one.items() if str(name).casefold() in (*_NAMES, "verdicts")
    ] or [{name: value for name, value in one.items() if _NUMBERED.fullmatch(str(name))}]


def _contradicts(one: dict[str, Any], word: str, form: ReplyForm) -> bool:
    """Whether an object gives another verdict beside the one under the key."""
    given = (
        prose.as_word(value, form.words)
        for name, value in one.items()
        if str(name).casefold().removeprefix("final_") in _NAMES
    )
    return bool(form.words) and any(other not in (None, word) for other in given)


def _read_one(given: list[Any], reason: str, form: ReplyForm) -> ReplyReading:
    """One request's verdict, given once or several times alike."""
    words = {_verdict(value, form) for value in given}
    if len(words) > 1:
        return ReplyReading(wrong="it gave two verdicts")
    word = words.pop() if words else None
    if word is None:
        return ReplyReading(wrong=f"its verdict was not {form.allowed}")
    return ReplyReading({1: word}, {1: reason} if reason else {})


def _verdict(value: Any, form: ReplyForm) -> str | None:
    """The verdict that a value is, or holds as its only one."""
    if isinstance(value, list) and not form.words and all(isinstance(one, str) for one in value):
        value = "\n".join(value)  # a text in lines, such as a list of nuggets
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    if isinstance(value, dict):
        value = _only(value, form)
    return prose.as_word(value, form.words)


def _only(value: dict[str, Any], form: ReplyForm) -> Any:
    """The value under the only name that means a verdict or carries the key; None without one."""
    found = [
        inner
        for name, inner in value.items()
        if str(name).casefold() in _NAMES or beside_key(name, form.key) is not None
    ]
    return found[0] if len(found) == 1 else None


def _reason(value: Any) -> str:
    """The reason that an object gives beside its verdict."""
    if not isinstance(value, dict):
        return ""
    named = (inner for name, inner in value.items() if str(name).casefold() in _REASONS)
    return next((one.strip() for one in named if isinstance(one, str)), "")


def _read_keyed_rows(values: list[Any], found: list[Any], form: ReplyForm) -> ReplyReading:
    """Numbered verdicts: under one key, or each in an object of its own that carries it."""
    rows = [value for value in found if isinstance(value, (dict, list))]
    alike = [one for one in rows if one == rows[0]]
    if rows and len(rows) == len(found) and len(alike) == len(rows):
        return _read_rows(rows[0], form)
    items = [one for value in values for one in (value if isinstance(value, list) else [value])]
    if len(items) == 1 and not carries_key(items[0], form.key):
        return _read_rows(items[0], form)  # an object of numbers, each with the key inside
    if not rows or len(items) == len(found):
        return _read_rows(items, form)
    return ReplyReading(wrong="it gave two sets of verdicts")


def _read_rows(rows: Any, form: ReplyForm) -> ReplyReading:
    """Verdicts of numbered requests, from an object or a list of them."""
    numbered: list[tuple[int | None, Any]] = []
    if isinstance(rows, dict):
        numbered = [*_numbers_in(rows)]
    elif isinstance(rows, list):
        numbered = [_numbered_item(value, form) for value in rows]
        if not any(number is not None for number, _ in numbered):
            # A list without numbers: which verdict is missing, or too many, nobody can tell.
            numbered = list(enumerate(rows, 1)) if len(rows) == form.count else []
    trusted = _trusted_numbers(numbered, form.count)
    if not trusted:
        return ReplyReading(wrong=_wrong_numbers(form), miscounted=True)
    verdicts, reasons = {}, {}
    for number, value in numbered:
        word = _verdict(value, form) if number in trusted else None
        if word is not None and number is not None:
            verdicts[number] = word
            if reason := _reason(value):
                reasons[number] = reason
    if len(trusted) < form.count:
        return ReplyReading(verdicts, reasons, _wrong_numbers(form))
    lacking = [number for number in range(1, form.count + 1) if number not in verdicts]
    wrong = f"the verdict of number {lacking[0]} was not {form.allowed}" if lacking else ""
    return ReplyReading(verdicts, reasons, wrong)


def _trusted_numbers(numbered: Sequence[tuple[int | None, Any]], count: int) -> set[int]:
    """The numbers from 1 to ``count`` that stand once; none where all may be shifted, and none from one
    that stands twice on where another is missing."""
    times = Counter(number or 0 for number, _ in numbered)
    expected = range(1, count + 1)
    missing = [number for number in expected if number not in times]
    beyond = [number for number in times if number not in expected]
    if 0 in times or (beyond and missing):
        return set()
    doubled = {number for number in expected if times[number] > 1}
    doubled |= {number for number, value in numbered if number and value is AMBIGUOUS}
    until = min(doubled, default=count) if missing else count
    return {number for number in expected if number in times and number <= until} - doubled


def _numbers_in(rows: dict[Any, Any]) -> Iterator[tuple[int, Any]]:
    """The numbers among an object's names with their values; where none is one, those further in."""
    waiting: list[Any] = [rows]
    while waiting:
        one = waiting.pop(0)
        numbers: list[tuple[int, Any]] = []
        for name, value in one.items() if isinstance(one, dict) else ():
            match = _NUMBERED.fullmatch(name.strip()) if isinstance(name, str) else None
            number = int(match[1]) if match else name if isinstance(name, int) else None
            if number is not None:
                numbers.append((number, value))
        yield from numbers
        if not numbers:
            waiting += (
                one.values() if isinstance(one, dict) else one if isinstance(one, list) else ()
            )


def _wrong_numbers(form: ReplyForm) -> str:
    if form.count == 1:
        return "it did not give one verdict, numbered 1"
    return f"its numbers were not 1 to {form.count}, each once"


def _numbered_item(value: Any, form: ReplyForm) -> tuple[int | None, Any]:
    """The number that an object of a list says it is about, and the object or its verdict."""
    if not isinstance(value, dict):
        return None, value
    for name, inner in value.items():
        if str(name).casefold() in _NUMBER_NAMES:
            match = _NUMBERED.fullmatch(str(inner))
            return (int(match[1]) if match else 0), value
    (name, inner) = next(iter(value.items()), ("", None))
    match = _NUMBERED.fullmatch(str(name)) if len(value) == 1 else None
    if match is None or beside_key(name, form.key) is not None:
        return None, value
    return int(match[1]), inner


def _read_words(text: str, form: ReplyForm) -> ReplyReading:
    """Verdicts in words; the reply has no object of its form."""
    if form.count:
        found = _numbered_words(text, form)
        if form.count == 1 and (word := prose.whole_word(text, form.words)):
            found = {1: word}
        if not found:
            return ReplyReading(wrong=_without_key(form))
        return ReplyReading(found, wrong="" if len(found) == form.count else _wrong_numbers(form))
    word = prose.whole_word(text, form.words)
    if word is None and form.words:
        keyed = form.key and form.key in text.casefold()
        word = prose.keyed_word(text, form) if keyed else prose.announced(text, form)
    return ReplyReading({1: word}) if word is not None else ReplyReading(wrong=_without_key(form))


def _without_key(form: ReplyForm) -> str:
    return f'it was not one JSON object with the name "{form.name.partition("-")[0]}" as asked for'


def _numbered_words(text: str, form: ReplyForm) -> dict[int, str]:
    """The verdicts of a reply that is nothing but numbers, each with its verdict."""
    if not form.words or len(text) > 100 * (form.count + 1):
        return {}
    text = without_fence(re.sub(form.key, "", text, flags=re.IGNORECASE) if form.key else text)
    found = _listed(re.split(r"[\n,;]", text), form)
    if not found and "\n" in text.strip():  # with reasons, which may have commas
        found = _listed(text.splitlines(), form)
    if len(found) < min(2, form.count):
        return {}
    trusted = _trusted_numbers(found, form.count)
    return {number: word for number, word in found if number in trusted}


def _listed(lines: Sequence[str], form: ReplyForm) -> list[tuple[int, str]]:
    """Numbers with their verdicts, one a line but for the heads of a list or table; none where a line is
    anything else."""
    lines = [line.strip(" |") for line in lines]
    # Without the head of a table, the line below it, and fences.
    lines = [
        one for one in lines if one and not re.fullmatch(r"[|:\s-]+|[^|\d]+\|[^|\d]+|`{3,}\w*", one)
    ]
    if lines and re.fullmatch(
        r"\D{0,60}:\W*|\W*(?:the |my )?verdicts?\W*", lines[0], re.IGNORECASE
    ):
        del lines[0]
    found: list[tuple[int, str]] = []
    for line in lines:
        match = _LIST_LINE.fullmatch(line)
        if match is None or re.search(r"[,;]\s*#?\d{1,4}\s*[.:)\]=]", match[3]):
            return []
        word = prose.as_word(match[3], form.words) or prose.following(match[3], form.words)
        if word is None or (not match[2].strip() and form.words[0].isdigit()):
            return []
        found.append((int(match[1]), word))
    return found
