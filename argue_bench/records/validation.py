"""Validation of the project's own JSON files: strict models, every finding at once, plain words.

A file kind is a pydantic model (`Record`) or a frozen dataclass under `@strict`. `validate` turns a
parsed JSON value into one, or raises DataError with all that is wrong. Foreign values in findings are bounded and escaped. Untrusted text is
parsed by `records.untrusted`.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeVar

from pydantic import (
    BaseModel,
    ConfigDict,
    GetCoreSchemaHandler,
    GetJsonSchemaHandler,
    TypeAdapter,
    ValidationError,
    with_config,
)
from pydantic_core import ErrorDetails, PydanticCustomError, core_schema, to_json

from argue_bench.errors import Code, DataError, Finding
from argue_bench.records.display import describe, escape

T = TypeVar("T")
# Not an object or list at all; a key is missing or unknown; a value that is not allowed.
Problem = Literal["shape", "missing", "unknown", "value"]

# About two screens; the rest is counted.
MOST_FINDINGS = 100
# Strict: "1" is no number and 1 is no text; a file that is nearly right is not guessed at.
_STRICT = ConfigDict(strict=True, extra="forbid", allow_inf_nan=False)
_PROBLEMS: Mapping[str, Problem] = {
    "missing": "missing",
    "missing_argument": "missing",
    "extra_forbidden": "unknown",
    "unexpected_keyword_argument": "unknown",
}
# What pydantic expected, by its kind of error; of other kinds its own sentence tells it.
_WORDS = {
    "string_type": "a text",
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "bool_type": "true or false",
    "list_type": "a list",
    "tuple_type": "a list",
    "dict_type": "an object",
    "mapping_type": "an object",
    "model_type": "an object",
    "dataclass_type": "an object",
}

# By kind: building one takes a millisecond, and a file may have a million lines.
_ADAPTERS: dict[type[Any], TypeAdapter[Any]] = {}

# Decorator: a standard dataclass that `validate` reads as strictly as a `Record`.
strict = with_config(_STRICT)


class Record(BaseModel):
    """Base of models of our own files: no conversions, no unknown keys, no changes afterwards."""

    model_config = ConfigDict(**_STRICT, frozen=True)


@dataclass(frozen=True, slots=True)
class Expect:
    """The expectation of a field in words, with an optional check: ``Annotated[str, Expect(...)]``.

    Whatever is wrong inside the field is then one finding.
    """

    words: str
    check: Callable[[Any], bool] | None = None
    # All allowed texts, where the check is for one of them: the JSON schema lists them.
    options: tuple[str, ...] = ()

    @classmethod
    def one_of(cls, *options: str) -> Expect:
        """Expects one of these texts."""
        return cls(f"one of {', '.join(filter(None, options))}", options.__contains__, options)

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> core_schema.CoreSchema:
        inner = handler(source)
        if self.check is not None:
            inner = core_schema.no_info_after_validator_function(self._checked, inner)
        context: dict[str, str | int | float] = {"words": self.words}
        return core_schema.custom_error_schema(
            inner, "expected", custom_error_message="-", custom_error_context=context
        )

    def __get_pydantic_json_schema__(
        self, schema: core_schema.CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        return {**handler(schema), **({"enum": list(self.options)} if self.options else {})}

    def _checked(self, value: Any) -> Any:
        if self.check is not None and not self.check(value):
            raise unexpected(self.words)
        return value


def unexpected(words: str, code: Code | None = None) -> Exception:
    """The error that a custom validator raises: what it expected, and the code if not the
    usual one."""
    return PydanticCustomError("expected", "-", {"words": words, "code": code})


def validate(
    kind: type[T],
    value: Any,
    code: Code,
    file: str | Path = "",
    line: int | None = None,
    *,
    codes: Mapping[Problem, Code] | None = None,
    required: Collection[str] = (),
    hint: str = "",
) -> T:
    """The record in a parsed JSON value. Raises DataError with every finding at once.

    ``code`` is the error code unless ``codes`` has another for the problem, or an `Expect` its own.
    ``required`` keys must be there although the record has a default for them.
    """
    lacking = [key for key in required if isinstance(value, dict) and key not in value]
    errors = [ErrorDetails(type="missing", loc=(key,), msg="", input=value) for key in lacking]
    try:
        # Through JSON, where pydantic's strict mode still reads a list as a tuple.
        record: T = adapter_of(kind).validate_json(to_json(value))
        if not errors:
            return record
    except ValidationError as error:
        errors += error.errors(include_url=False)
    findings: dict[tuple[str, str], Finding] = {}
    for one in errors:
        problem, path, message = _told(one, value)
        own = one.get("ctx", {}).get("code") or (codes or {}).get(problem, code)
        advice = hint
        if problem == "unknown" and not hint:
            near = difflib.get_close_matches(str(one["loc"][-1])[:80], _known_keys(kind), n=1)
            advice = f"Did you mean '{near[0]}'?" if near else ""
        finding = Finding(own, message, str(file), line, path, advice)
        # Each branch of a union complains of the same place: it is told once.
        findings.setdefault((path, "" if problem == "value" else message), finding)
    listed = list(findings.values())
    if len(listed) > MOST_FINDINGS:
        more = f"and {len(listed) - MOST_FINDINGS:,} more findings"
        listed[MOST_FINDINGS:] = [Finding(Code.MORE, more, str(file), line, level="notice")]
    raise DataError(listed)


def _told(error: ErrorDetails, value: Any) -> tuple[Problem, str, str]:
    """The kind of a problem, its JSON path, and a sentence in our words."""
    problem, path, shown = _PROBLEMS.get(error["type"], "value"), "$", ""
    for step in error["loc"]:
        shown = escape(str(step))
        try:
            value = value[step]
        except (LookupError, TypeError):
            break  # a key that is missing, or the name of a branch of a union
        path += f"[{step}]" if isinstance(step, int) else f".{shown}"
    if problem != "value":
        return (
            problem,
            path,
            f"the key '{shown}' is {'missing' if problem == 'missing' else 'not known'}",
        )
    if shown == "[key]":
        above, _, name = path.rpartition(".")
        return "value", above, f"the key '{name}' is not {_expected(error)}"
    named = path.removeprefix("$").removeprefix(".") or "this"
    message = f"{named} is {describe(value)}; expected {_expected(error)}"
    whole = path == "$" and error["type"].endswith("_type")
    return "shape" if whole else "value", path, message


def _expected(error: ErrorDetails) -> str:
    words = error.get("ctx", {}).get("words") or _WORDS.get(error["type"])
    return str(words or error["msg"].removeprefix("Input should be "))


def _known_keys(kind: type[Any]) -> set[str]:
    """The keys of a record and of all records in it."""
    schema = adapter_of(kind).json_schema()
    parts = [schema, *schema.get("$defs", {}).values()]
    return {key for part in parts for key in part.get("properties", ())}


def adapter_of(kind: type[Any]) -> TypeAdapter[Any]:
    """What reads values of a kind, made once."""
    if kind not in _ADAPTERS:
        _ADAPTERS[kind] = TypeAdapter(kind)
    return _ADAPTERS[kind]
