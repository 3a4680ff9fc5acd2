"""The JSON schemas of our own files, as the package ships them, from the models in `argue_bench.records.validation`."""

from __future__ import annotations

import ast
import inspect
import itertools
import textwrap
from collections.abc import Collection
from typing import Any

from pydantic.json_schema import GenerateJsonSchema
from pydantic_core import core_schema

from argue_bench.records.validation import adapter_of


def json_schema(kind: type[Any], required: Collection[str] = ()) -> dict[str, Any]:
    """The JSON schema of a file kind, as the package ships it; ``required`` as for `validate`."""
    found: dict[str, Any] = _without_titles(
        adapter_of(kind).json_schema(schema_generator=_WithFieldDocs)
    )
    if required:
        found["required"] = [key for key in found["properties"] if key in required]
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **found}


def _without_titles(schema: Any) -> Any:
    """The schema without the titles that pydantic makes up."""
    if isinstance(schema, list):
        return [_without_titles(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        key: _without_titles(inner)
        for key, inner in schema.items()
        if key != "title" or not isinstance(inner, str)
    }


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
