"""Collections by name or path, with progress while one is indexed for the first time."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from argue_bench.cli.progress import progress

if TYPE_CHECKING:
    from argue_bench.loaders.collection import Collection


def open_collection(named: str | Path, subset: str = "", skip_bad: bool = False) -> Collection:
    """The collection, indexed where it is not yet. Raises UsageError and DataError."""
    from argue_bench.loaders.collection import Collection, find_collection

    path = find_collection(named, subset)
    with progress("indexing documents, MB", 0) as step:
        return Collection(
            path, skip_bad=skip_bad, progress=lambda done, size: step(done >> 20, size >> 20)
        )
