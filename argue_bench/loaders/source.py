"""The origin of a data set as a run file records it, and the loading of the set from that.

A source maps names to texts: ``folder``, or ``dataset``, ``split`` and ``data``, or ``nuggets``,
``requests``, ``qrels`` and ``collection``, or ``rows`` (a file) or ``hub`` (a name) and ``columns``. In a run file its paths are
relative to that file, so that both can be moved together.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path

from argue_bench.errors import Code, DataError
from argue_bench.loaders.dataset import Dataset
from argue_bench.records import Answer

Source = Mapping[str, tuple[str, ...]]
_PATHS = ("folder", "data", "rows", "nuggets", "requests", "qrels", "collection", "sources")


def relative_source(source: Source, file: Path) -> dict[str, tuple[str, ...]]:
    """The source with its paths as they are seen from the folder of this file."""

    def seen(path: str) -> str:
        return Path(os.path.relpath(Path(path).resolve(), file.parent.resolve())).as_posix()

    return {
        name: tuple(map(seen, texts)) if name in _PATHS else texts for name, texts in source.items()
    }


def load_source(source: Source, file: Path, answers: Iterable[Answer] = ()) -> Dataset:
    """The data set that the run file names, with the pages of its snapshot that the answers cite.

    Raises DataError where a path leads nowhere, and what loading raises.
    """
    dataset = _load(source, file)
    if "sources" not in source:
        return dataset
    from argue_bench.loaders.web import with_sources

    folder = file.parent / source["sources"][0]
    return with_sources(dataset, answers, folder, int(source.get("passages", ("0",))[0]))


def _load(source: Source, file: Path) -> Dataset:
    from argue_bench.loaders import load
    from argue_bench.loaders.collection import join_collections
    from argue_bench.loaders.nuggets import load_topics
    from argue_bench.loaders.rows import read_rows

    paths = {
        name: [file.parent / text for text in texts]
        for name, texts in source.items()
        if name in _PATHS
    }
    if gone := [path for found in paths.values() for path in found if not path.exists()]:
        message = f"the run file says that its data lie at {gone[0]}, where nothing is"
        hint = "Put the data there, or name them: --nuggets with -C, or --dataset with --data."
        raise DataError.of(Code.NO_SUCH_FILE, message, file, hint=hint)
    first = {name: found[0] for name, found in paths.items() if found}
    if "nuggets" in first:
        documents = join_collections(paths.get("collection", [])) if "collection" in first else None
        name = source.get("name", ("nuggets",))[0]
        return load_topics(
            first["nuggets"], documents, first.get("requests"), first.get("qrels"), name
        )
    if rows := first.get("rows") or source.get("hub", ("",))[0]:
        columns = dict(text.split("=", 1) for text in source.get("columns", ()))
        return read_rows(rows, columns, web="sources" in source).dataset
    if "folder" in first:
        return load(first["folder"])
    return load(source["dataset"][0], source.get("split", ("",))[0], first.get("data"))
