"""Lines of the core format as records; what the JSON schemas do not allow is refused with its place."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar, cast

from argue_bench.loaders.findings import json_kind
from argue_bench.records import (
    Document,
    Evidence,
    Gold,
    Nugget,
    NuggetAnswer,
    Question,
    Request,
    ShortAnswer,
    Structured,
    SubQuestion,
)
from argue_bench.records.nugget import Combine, Weight

T = TypeVar("T")


class _Row:
    """One JSON object: every key is read by the type that it must have.

    Raises ValueError, which says where: something is missing, has another type, or has no meaning.
    """

    def __init__(self, value: Any, where: str = "$") -> None:
        if not isinstance(value, Mapping):
            raise ValueError(f"{where} is {json_kind(value)}, expected an object")
        self._value, self._where = value, where
        self._unread = dict.fromkeys(value)

    def done(self, record: T) -> T:
        """The record, once every key of the object has been read."""
        if self._unread:
            raise ValueError(f"{self._where} has the unknown key {next(iter(self._unread))!r:.80}")
        return record

    def given(self, key: str) -> bool:
        """Whether the key stands here with a value; null is none."""
        self._unread.pop(key, None)
        return self._value.get(key) is not None

    def any(self, key: str) -> Any:
        self._unread.pop(key, None)
        return self._value.get(key)

    def text(self, key: str, default: str | None = None) -> str:
        return self._typed(key, str, "a text", default)

    def flag(self, key: str) -> bool:
        return self._typed(key, bool, "true or false", None)

    def number(self, key: str) -> int | None:
        return self._typed(key, int, "a whole number", None) if self.given(key) else None

    def texts(self, key: str) -> tuple[str, ...]:
        return tuple(
            self._as(one, str, "a text", f"{self._where}.{key}[{number}]")
            for number, one in enumerate(self._list(key))
        )

    def rows(self, key: str, make: Callable[[_Row], T], required: bool = False) -> tuple[T, ...]:
        found = self._list(key, required)
        return tuple(make(_Row(one, f"{self._where}.{key}[{n}]")) for n, one in enumerate(found))

    def row(self, key: str, make: Callable[[_Row], T]) -> T | None:
        value = self.any(key)
        return None if value is None else make(_Row(value, f"{self._where}.{key}"))

    def one_of(self, key: str, names: tuple[str, ...], default: str | None) -> str | None:
        value = self.any(key)
        if value is None:
            return default
        if value not in names:
            allowed = " or ".join(map(repr, names))
            raise ValueError(f"{self._where}.{key} is {value!r:.80}, expected {allowed}")
        return str(value)

    def _list(self, key: str, required: bool = False) -> list[Any]:
        return self._typed(key, list, "a list", None if required else [])

    def _typed(self, key: str, kind: type[T], expected: str, default: T | None) -> T:
        value = self.any(key)
        if value is None and default is not None:
            return default
        if key not in self._value:
            raise ValueError(f"{self._where}.{key} is missing")
        return self._as(value, kind, expected, f"{self._where}.{key}")

    @staticmethod
    def _as(value: Any, kind: type[T], expected: str, where: str) -> T:
        if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
            raise ValueError(f"{where} is {json_kind(value)}, expected {expected}")
        return value


def document(value: Any) -> tuple[str, Document]:
    """A line of documents.jsonl, with its id. Raises ValueError, as all here."""
    row = _Row(value)
    id = row.text("id")
    return id, row.done(
        Document(
            id,
            row.text("text"),
            row.text("title", ""),
            row.text("language", "en"),
            row.text("date", ""),
        )
    )


def question(value: Any) -> tuple[str, Question]:
    """A line of questions.jsonl, with its id."""
    row = _Row(value)
    id = row.text("id")
    return id, row.done(
        Question(
            id,
            row.text("text"),
            row.row("request", _request),
            row.texts("documents"),
            row.texts("categories"),
            row.text("language", "en"),
        )
    )


def gold(value: Any) -> tuple[str, Gold]:
    """A line of gold.jsonl: the id of its question, and the gold."""
    row = _Row(value)
    return row.text("id"), row.done(
        Gold(
            answerable=row.flag("answerable"),
            answer=frozen(row.any("answer")),
            short_answers=row.rows("short_answers", _short_answer),
            nuggets=row.rows("nuggets", _nugget),
            long_answers=row.texts("long_answers"),
            claims=row.texts("claims"),
            supporting=row.texts("supporting"),
            decomposition=row.rows("decomposition", _step),
        )
    )


def frozen(value: Any) -> Structured:
    """A JSON value with its lists frozen."""
    if isinstance(value, list):
        return tuple(map(frozen, value))
    if isinstance(value, dict):
        return {key: frozen(inner) for key, inner in value.items()}
    plain: Structured = value
    return plain


def _request(row: _Row) -> Request:
    return row.done(
        Request(
            row.text("title", ""),
            row.text("problem_statement", ""),
            row.text("background", ""),
            row.number("limit"),
        )
    )


def _short_answer(row: _Row) -> ShortAnswer:
    return row.done(ShortAnswer(row.text("question"), row.texts("answers")))


def _nugget(row: _Row) -> Nugget:
    return row.done(
        Nugget(
            row.text("id"),
            row.text("question"),
            row.rows("answers", _nugget_answer, required=True),
            cast("Combine", row.one_of("combine", ("any", "all"), "any")),
            cast("Weight | None", row.one_of("weight", ("vital", "okay"), None)),
            row.texts("wrong"),
        )
    )


def _nugget_answer(row: _Row) -> NuggetAnswer:
    return row.done(NuggetAnswer(row.text("text"), row.texts("references")))


def _step(row: _Row) -> SubQuestion:
    return row.done(
        SubQuestion(
            row.text("id"),
            row.text("question"),
            frozen(row.any("answer")),
            row.texts("depends_on"),
            row.row("evidence", _evidence),
            row.rows("decomposition", _step),
        )
    )


def _evidence(row: _Row) -> Evidence:
    return row.done(
        Evidence(row.number("pageid"), row.number("revid"), row.text("title"), row.text("url"))
    )
