"""The origin of a data set as a run file records it, and the loading of the set from that.

A source maps names to texts: ``folder``, or ``dataset``, ``split`` and ``data``, or ``nuggets``,
``requests``, ``qrels`` and ``collection``, or ``rows`` (files) or ``hub`` (a name) and ``columns``, or ``kept``
(what evaluate wrote of a set in memory, beside the run file, with every id as it is and all that a record
holds). In a run file its paths are relative to that file, so that both can be moved together.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import asdict, is_dataclass, replace
from functools import cache, partial
from pathlib import Path
from types import UnionType
from typing import Any, cast, get_args, get_origin, get_type_hints

from argue_bench.errors import Code, DataError, UsageError
from argue_bench.loaders import DATASETS, load
from argue_bench.loaders.dataset import Dataset
from argue_bench.models.environment import environment
from argue_bench.records import Answer, Document, Question
from argue_bench.records.atomic import write_text
from argue_bench.records.question import freeze
from argue_bench.records.untrusted import read_json
from argue_bench.satellites import TREC_COLLECTION, TREC_DATASET, WEB_PAGES, import_text

# The environment variable that names the folder in which collections lie.
LOOKUP = "DOC_LOOKUP"
Source = Mapping[str, tuple[str, ...]]
_PATHS = ("folder", "data", "rows", "nuggets", "requests", "qrels", "collection", "sources", "kept")


def lookup_folder() -> str:
    """The folder of collections that the environment or ``.env`` names, or nothing."""
    return environment().get(LOOKUP, "")


def relative_source(source: Source, file: Path) -> dict[str, tuple[str, ...]]:
    """The source with its paths as they are seen from the folder of this file."""
    seen = partial(seen_from, file.parent)
    return {
        name: tuple(map(seen, texts)) if name in _PATHS else texts for name, texts in source.items()
    }


def seen_from(folder: Path, path: str | Path) -> str:
    """The path from this folder on, with forward slashes: the same work writes the same bytes everywhere."""
    whole = Path(path).resolve()
    with suppress(ValueError):  # on Windows nothing leads from one drive to another
        return Path(os.path.relpath(whole, folder.resolve())).as_posix()
    return whole.as_posix()


def load_source(source: Source, file: Path, answers: Iterable[Answer] = ()) -> Dataset:
    """The data set that the run file names, with the pages of its snapshot that the answers cite.

    Raises DataError where a path leads nowhere, and what loading raises.
    """
    try:
        dataset = _load(source, file)
        if "sources" not in source:
            return dataset
        folder = file.parent / source["sources"][0]
        passages = int(source.get("passages", ("0",))[0])
    except (LookupError, ValueError) as error:
        message = "the header does not say what the data of this run were loaded from"
        hint = "Evaluate again, or name the data with --dataset."
        raise DataError.of(Code.NOT_A_RUN_FILE, message, file, 1, hint=hint) from error
    return cast("Dataset", import_text(WEB_PAGES)(dataset, answers, folder, passages))


def _load(source: Source, file: Path) -> Dataset:
    from argue_bench.loaders.rows import read_rows

    paths = {
        name: [file.parent / text for text in texts]
        for name, texts in source.items()
        if name in _PATHS
    }
    # All paths are looked at before anything is read, so that the error names the run file.
    if gone := [path for found in paths.values() for path in found if not path.exists()]:
        message = f"the run file says that its data lie at {gone[0]}, where nothing is"
        hint = "Put the data there, or name them: --nuggets with -C, or --dataset with --data."
        raise DataError.of(Code.NO_SUCH_FILE, message, file, hint=hint)
    # Of several collections all are needed, of everything else there is one.
    first = {name: found[0] for name, found in paths.items() if found}
    if "nuggets" in first:
        parts = paths.get("collection")
        documents = import_text(TREC_COLLECTION)(parts) if parts else None
        name = source.get("name", ("nuggets",))[0]
        return cast(
            "Dataset",
            import_text(TREC_DATASET)(
                first["nuggets"], documents, first.get("requests"), first.get("qrels"), name
            ),
        )
    if rows := paths.get("rows") or source.get("hub"):
        columns = dict(text.split("=", 1) for text in source.get("columns", ()))
        return read_rows(list(rows), columns, web="sources" in source).dataset
    if "kept" in first:
        return load_kept(first["kept"])
    if "folder" in first:
        return load(first["folder"])
    return load(source["dataset"][0], source.get("split", ("",))[0], first.get("data"))


def load_titled(title: str, split: str = "", path: Path | None = None) -> Dataset:
    """The data set of the catalogue whose ``title`` (NAME-SPLIT@DIGEST) a run file names.

    Raises UsageError where no set of the catalogue is called so, and what loading raises.
    """
    full = title.partition("@")[0]
    for name in sorted(DATASETS, key=len, reverse=True):
        if full == name or full.startswith(f"{name}-"):
            return load(name, split or full.removeprefix(name).lstrip("-"), path)
    raise UsageError(f"the run is of {title}; name that set with --dataset NAME or FOLDER")


_ABOUT = ("name", "split", "version", "licence", "declared_digest", "collection", "note", "shared")


def keep(dataset: Dataset, run: Path) -> Dataset:
    """The set with the file that holds it beside this run file as its source, where it has no source.

    A set of the catalogue is found by its name, a collection on a disk stays there. Raises DataError.
    """
    named = any(dataset.name in (one, f"{one}-{dataset.split}") for one in DATASETS)
    if dataset.source or named or not isinstance(dataset.documents, dict):
        return dataset
    place = run.with_name(f"{run.name}.data")
    whole = {name: getattr(dataset, name) for name in (*_ABOUT, "metrics")}
    whole["questions"] = [asdict(one) for one in dataset.questions]
    whole["documents"] = [asdict(one) for one in dataset.documents.values()]
    write_text(place, json.dumps(whole, ensure_ascii=False))
    return replace(dataset, source={"kept": (str(place),)})


def load_kept(path: Path) -> Dataset:
    """The set in such a file. Raises DataError."""
    value = read_json(path)
    try:
        about = {name: value[name] for name in _ABOUT}
        questions = tuple(_made(Question, one) for one in value["questions"])
        documents = {one["id"]: _made(Document, one) for one in value["documents"]}
        return Dataset(
            questions=questions, documents=documents, metrics=tuple(value["metrics"]), **about
        )
    except (AttributeError, KeyError, TypeError):
        hint = "Evaluate again with --out, which writes it."
        raise DataError.of(
            Code.WRONG_SHAPE, "this is not what evaluate keeps of a data set", path, hint=hint
        ) from None


_hints = cache(get_type_hints)


def _made(hint: Any, value: Any) -> Any:
    """The record, or the tuple of records, of this type with these values."""
    if isinstance(hint, type) and is_dataclass(hint) and isinstance(value, Mapping):
        # A key that is not known raises a KeyError.
        return hint(**{name: _made(_hints(hint)[name], one) for name, one in value.items()})
    if get_origin(hint) is tuple and isinstance(value, list):
        return tuple(_made(get_args(hint)[0], one) for one in value)
    inner = [one for one in get_args(hint) if is_dataclass(one)]
    return _made(inner[0], value) if get_origin(hint) is UnionType and inner else freeze(value)
