"""A data set that was made in memory, kept beside the run file of its evaluation, so that it can be viewed.

Unlike the core format it keeps every id as it is, and everything that a record holds.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, is_dataclass, replace
from functools import cache
from pathlib import Path
from types import UnionType
from typing import Any, get_args, get_origin, get_type_hints

from argue_bench.errors import Code, DataError
from argue_bench.loaders.dataset import Dataset
from argue_bench.records import Document, Question
from argue_bench.records.atomic import atomic_write
from argue_bench.records.question import freeze
from argue_bench.records.untrusted import read_json

_ABOUT = ("name", "split", "version", "licence", "declared_digest", "collection", "note", "shared")


def keep(dataset: Dataset, run: Path) -> Dataset:
    """The set with the file that holds it beside this run file as its source, where it has no source.

    A set of the catalogue is found by its name, a collection on a disk stays there. Raises DataError.
    """
    from argue_bench.loaders import DATASETS

    named = any(dataset.name in (one, f"{one}-{dataset.split}") for one in DATASETS)
    if dataset.source or named or not isinstance(dataset.documents, dict):
        return dataset
    place = run.with_name(f"{run.name}.data")
    whole = {name: getattr(dataset, name) for name in (*_ABOUT, "metrics")}
    whole["questions"] = [asdict(one) for one in dataset.questions]
    whole["documents"] = [asdict(one) for one in dataset.documents.values()]
    with atomic_write(place) as file:
        json.dump(whole, file, ensure_ascii=False)
    return replace(dataset, source={"kept": (str(place),)})


def load_kept(path: Path) -> Dataset:
    """The set in such a file. Raises DataError."""
    value = read_json(path)
    try:
        about = {name: value[name] for name in _ABOUT}
        questions = tuple(_made(Question, one) for one in value["questions"])
        documents = {one["id"]: _made(Document, one) for one in value["documents"]}
        metrics = tuple(value["metrics"])
        return Dataset(questions=questions, documents=documents, metrics=metrics, **about)
    except (AttributeError, KeyError, TypeError):
        hint = "Evaluate again with --out, which writes it."
        message = "this is not what evaluate keeps of a data set"
        raise DataError.of(Code.WRONG_SHAPE, message, path, hint=hint) from None


_hints = cache(get_type_hints)


def _made(hint: Any, value: Any) -> Any:
    """The record, or the tuple of records, of this type with these values."""
    if isinstance(hint, type) and is_dataclass(hint) and isinstance(value, Mapping):
        hints = _hints(hint)
        # A key that is not known raises a KeyError.
        return hint(**{name: _made(hints[name], one) for name, one in value.items()})
    if get_origin(hint) is tuple and isinstance(value, list):
        return tuple(_made(get_args(hint)[0], one) for one in value)
    inner = [one for one in get_args(hint) if is_dataclass(one)]
    if get_origin(hint) is UnionType and inner:
        return _made(inner[0], value)
    return freeze(value)
