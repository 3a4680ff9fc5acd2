"""Validation of the project's own JSON files: strict models, every finding at once, plain words.

A file kind is a pydantic model (`Record`) or a frozen dataclass under `@strict`. `validate` turns a
parsed JSON value into one, or raises DataError with all that is wrong; `json_schema` writes the
schema that the package ships. The sentences come from the same schema, never from pydantic, and
foreign values in them are bounded and escaped. Untrusted text is parsed by `records.untrusted`.
"""

from __future__ import annotations

import ast
import difflib
import inspect
import itertools
import textwrap
from collections.abc import Callable, Collection, Iterator, Mapping
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
from pydantic.json_schema import GenerateJsonSchema
from pydantic_core import PydanticCustomError, core_schema, to_json

from argue_bench.errors import Code, DataError, Finding
from argue_bench.records.display import describe, escape

T = TypeVar("T")
Problem = Literal["shape", "missing", "unknown", "type", "value"]
"""Not an object or list at all; a key is missing or unknown; a value of another type, or wrong."""

# About two screens; the rest is counted.
MOST_FINDINGS = 100
# Strict: "1" is no number and 1 is no text; a file that is nearly right is not guessed at.
_STRICT = ConfigDict(strict=True, extra="forbid", allow_inf_nan=False)
_EXPECTED, _CODE = "x-expected", "x-code"
_MISSING = ("missing", "missing_argument")
_UNKNOWN = ("extra_forbidden", "unexpected_keyword_argument")

_Complaint = tuple[str, tuple[int | str, ...], Mapping[str, Any]]
"""pydantic's: kind of error, where it is, and what a validator said about it."""
_ADAPTERS: dict[type[Any], TypeAdapter[Any]] = {}
_SCHEMAS: dict[type[Any], dict[str, Any]] = {}
"""By kind: building either takes a millisecond, and a file may have a million lines."""

strict = with_config(_STRICT)
"""Decorator: a standard dataclass that `validate` reads as strictly as a `Record`."""


class Record(BaseModel):
    """Base of models of our own files: no conversions, no unknown keys, no changes afterwards."""

    model_config = ConfigDict(**_STRICT, frozen=True)


@dataclass(frozen=True, slots=True)
class Expect:
    """The expectation of a field in words, with an optional check: ``Annotated[str, Expect(...)]``.

    Whatever is wrong inside the field is then one finding, of ``code`` where that is given.
    """

    words: str = ""
    """Those of the JSON schema where there are none."""
    check: Callable[[Any], bool] | None = None
    code: Code | None = None
    options: tuple[str, ...] = ()
    """All allowed texts, where the check is for one of them: the JSON schema lists them."""

    @classmethod
    def one_of(cls, *options: str, code: Code | None = None) -> Expect:
        """Expects one of these texts."""
        words = f"one of {', '.join(filter(None, options))}"
        return cls(words, options.__contains__, code, options)

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> core_schema.CoreSchema:
        inner = handler(source)
        return (
            inner
            if self.check is None
            else core_schema.no_info_after_validator_function(self._checked, inner)
        )

    # The words and the code travel in the schema, under keys of ours, to where errors are told.
    def __get_pydantic_json_schema__(
        self, schema: core_schema.CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        code = {} if self.code is None else {_CODE: self.code.name}
        options = {"enum": list(self.options)} if self.options else {}
        words = {_EXPECTED: self.words} if self.words else {}
        return {**words, **code, **handler(schema), **options}

    def _checked(self, value: Any) -> Any:
        if self.check is not None and not self.check(value):
            raise unexpected(self.words, self.code)
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
    errors: list[_Complaint] = []
    if isinstance(value, dict):
        errors += [("missing", (key,), {}) for key in required if key not in value]
    try:
        # Through JSON, where pydantic's strict mode still reads a list as a tuple.
        record: T = _adapter(kind).validate_json(to_json(value))
        if not errors:
            return record
    except ValidationError as error:
        found = error.errors(include_url=False, include_input=False)
        errors += [(one["type"], one["loc"], one.get("ctx", {})) for one in found]
    # The schema gives the words of what was expected; pydantic gives only which place is wrong.
    reader = _Reader(value, _schema(kind))
    findings: dict[tuple[str, str], Finding] = {}
    for one in errors:
        problem, own, path, message, advice = reader.problem(*one)
        own = own or (codes or {}).get(problem, code)
        finding = Finding(own, message, str(file), line, path, hint or advice)
        # Each branch of a union complains of the same place: it is told once.
        findings.setdefault((path, message), finding)
    listed = list(findings.values())
    if len(listed) > MOST_FINDINGS:
        more = f"and {len(listed) - MOST_FINDINGS:,} more findings"
        listed[MOST_FINDINGS:] = [Finding(Code.MORE, more, str(file), line, level="notice")]
    raise DataError(listed)


def json_schema(kind: type[Any], required: Collection[str] = ()) -> dict[str, Any]:
    """The JSON schema of a file kind, as the package ships it; ``required`` as for `validate`."""
    found: dict[str, Any] = _without_words(
        _adapter(kind).json_schema(schema_generator=_WithFieldDocs)
    )
    if required:
        found["required"] = [key for key in found["properties"] if key in required]
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **found}


def _adapter(kind: type[Any]) -> TypeAdapter[Any]:
    if kind not in _ADAPTERS:
        _ADAPTERS[kind] = TypeAdapter(kind)
    return _ADAPTERS[kind]


def _schema(kind: type[Any]) -> dict[str, Any]:
    if kind not in _SCHEMAS:
        _SCHEMAS[kind] = _adapter(kind).json_schema()
    return _SCHEMAS[kind]


def _without_words(schema: Any) -> Any:
    """The schema without the words and codes of `Expect`, and without generated titles."""
    if isinstance(schema, list):
        return [_without_words(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    drop = {_EXPECTED, _CODE} | ({"title"} if isinstance(schema.get("title"), str) else set())
    return {key: _without_words(inner) for key, inner in schema.items() if key not in drop}


class _WithFieldDocs(GenerateJsonSchema):
    """Describes a field by the docstring below it.

    pydantic would do so whenever it builds a model, which takes longer than all the rest.
    """

    def model_schema(self, schema: core_schema.ModelSchema) -> dict[str, Any]:
        return _described(schema["cls"], super().model_schema(schema))

    def dataclass_schema(self, schema: core_schema.DataclassSchema) -> dict[str, Any]:
        return _described(schema["cls"], super().dataclass_schema(schema))


def _described(kind: type[Any], schema: dict[str, Any]) -> dict[str, Any]:
    (written,) = ast.parse(textwrap.dedent(inspect.getsource(kind))).body
    fields = written.body if isinstance(written, ast.ClassDef) else []
    for field, below in itertools.pairwise(fields):
        match field, below:
            case ast.AnnAssign(ast.Name(name)), ast.Expr(ast.Constant(str(text))):
                if name in schema["properties"]:
                    schema["properties"][name].setdefault("description", inspect.cleandoc(text))
    return schema


class _Reader:
    """Translates errors of pydantic into our words, with the place in the value and the schema."""

    def __init__(self, value: Any, schema: Mapping[str, Any]) -> None:
        self._value, self._schema = value, schema
        self._definitions: Mapping[str, Any] = schema.get("$defs", {})

    def problem(
        self, kind: str, loc: tuple[int | str, ...], context: Mapping[str, Any]
    ) -> tuple[Problem, Code | None, str, str, str]:
        """The kind of a problem, its code (None unless an `Expect` gives one), JSON path,
        sentence and hint."""
        value, schema, path = self._value, self._schema, "$"
        for place, step in enumerate(loc):
            if _EXPECTED in schema:
                context = {}  # what is inside is one finding, in the words of the whole
                break
            if kind in (*_MISSING, *_UNKNOWN) and place == len(loc) - 1 and isinstance(value, dict):
                return self._key(str(step), kind, schema, path)
            if loc[place + 1 :] == ("[key]",):
                names = self._resolved(schema).get("propertyNames", {})
                message = f"the key '{escape(str(step))}' is not {self._words(names)}"
                return "value", _code(names), path, message, ""
            if isinstance(step, int):
                holds = isinstance(value, list) and step < len(value)
            else:
                holds = isinstance(value, dict) and step in value
            if not holds:
                break  # the name of a branch of a union
            value, schema = value[step], self._inside(schema, step)
            path += f"[{step}]" if isinstance(step, int) else f".{escape(step)}"
        name = path.removeprefix("$").removeprefix(".") or "this"
        message = (
            f"{name} is {describe(value)}; expected {context.get('words', self._words(schema))}"
        )
        if "words" in context:
            return "value", context["code"], path, message, ""
        wrong_type = kind.endswith("_type") or kind == "int_from_float"
        problem: Problem = "shape" if path == "$" else "type" if wrong_type else "value"
        return problem, _code(schema), path, message, ""

    def _key(
        self, key: str, kind: str, schema: Mapping[str, Any], path: str
    ) -> tuple[Problem, Code | None, str, str, str]:
        known, shown = self._resolved(schema).get("properties", {}), escape(key)
        if kind in _MISSING:
            hint = f"Add it: {self._words(known.get(key, {}))}."
            return "missing", None, path, f"the key '{shown}' is missing", hint
        near = difflib.get_close_matches(key[:80], known, n=1)
        hint = f"Did you mean '{near[0]}'?" if near else f"Known keys: {', '.join(known)}."
        return "unknown", None, f"{path}.{shown}", f"the key '{shown}' is not known", hint

    def _resolved(self, schema: Mapping[str, Any]) -> Mapping[str, Any]:
        """The object or list schema behind a reference or an optional value."""
        # An optional value is a union with null, and what is wrong is measured by the other branch.
        for branch in () if "type" in schema else schema.get("anyOf", ()):
            if branch.get("type") != "null":
                return self._resolved(branch)
        if "$ref" in schema:
            return self._resolved(self._definitions[schema["$ref"].rpartition("/")[2]])
        return schema

    def _inside(self, schema: Mapping[str, Any], step: int | str) -> Mapping[str, Any]:
        outer = self._resolved(schema)
        if isinstance(step, int):
            fixed = outer.get("prefixItems", ())
            found = fixed[step] if step < len(fixed) else outer.get("items", {})
        else:
            found = outer.get("properties", {}).get(step, outer.get("additionalProperties", {}))
        return found if isinstance(found, dict) else {}

    def _words(self, schema: Mapping[str, Any]) -> str:
        """The values that a schema allows, in words."""
        if _EXPECTED in schema:
            return str(schema[_EXPECTED])
        if "anyOf" in schema and "type" not in schema:
            return ", or ".join(dict.fromkeys(map(self._words, schema["anyOf"])))
        if "$ref" in schema:
            return self._words(self._resolved(schema))
        if "const" in schema:
            return describe(schema["const"])
        if "enum" in schema:
            return f"one of {', '.join(map(str, schema['enum']))}"
        return " ".join(_plain_words(schema))


def _plain_words(schema: Mapping[str, Any]) -> Iterator[str]:
    kinds = {
        "string": "a text",
        "integer": "a whole number",
        "number": "a number",
        "boolean": "true or false",
        "null": "null",
        "array": "a list",
        "object": "an object",
    }
    yield kinds.get(schema.get("type", ""), "another value")
    least, most = schema.get("minimum"), schema.get("maximum")
    if least is not None:
        yield f"from {least:,}"
    if most is not None:
        yield f"to {most:,}" if least is not None else f"of at most {most:,}"
    if "exclusiveMinimum" in schema:
        yield f"above {schema['exclusiveMinimum']:,}"
    if "maxLength" in schema:
        yield f"of at most {schema['maxLength']:,} characters"
    elif schema.get("minLength"):
        yield "that is not empty"
    if "pattern" in schema:
        yield f"of the form {schema['pattern']}"
    if "maxItems" in schema:
        yield f"of at most {schema['maxItems']:,}"
    elif schema.get("minItems"):
        yield "that is not empty"
    if properties := schema.get("properties"):
        yield f"with the keys {', '.join(properties)}"


def _code(schema: Mapping[str, Any]) -> Code | None:
    for branch in (schema, *schema.get("anyOf", ())):
        if _CODE in branch:
            return Code[branch[_CODE]]
    return None
