"""Collections by name or path, with progress while one is indexed for the first time."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from argue_bench.cli.progress import progress

if TYPE_CHECKING:
    from argue_bench.loaders.collection import Collection, JoinedCollections


def open_collection(
    named: str | Path, subsets: Sequence[str] = (), skip_bad: bool = False
) -> Collection | JoinedCollections:
    """The collection, or these parts of it, indexed where they are not yet.

    Raises UsageError and DataError.
    """
    from argue_bench.loaders.collection import find_collections, join_collections

    paths = find_collections(named, subsets)
    with progress("indexing documents, MB", 0) as step:
        return join_collections(
            paths, skip_bad=skip_bad, progress=lambda done, size: step(done >> 20, size >> 20)
        )
