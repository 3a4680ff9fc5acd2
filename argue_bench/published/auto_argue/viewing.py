"""Auto-ARGUE's judgments as pages: they are counted into a run file, which the viewer shows."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from argue_bench.loaders.dataset import Dataset
from argue_bench.published.auto_argue.rebuilding import judged_documents, write_judged_run
from argue_bench.records import Document
from argue_bench.view.pages import ViewerResult, write_viewer


def view_judgments(
    path: Path, dataset: Dataset, collection: Mapping[str, Document], out: Path
) -> ViewerResult:
    """Writes the pages of a judgments file, with the documents that it or the collection holds.

    Raises DataError for a file that cannot be read, UsageError where ``out`` holds other files.
    """
    documents = ChainMap(judged_documents(path), dict(dataset.documents), collection)  # type: ignore[arg-type]
    shown = replace(dataset, documents=documents, declared_digest=dataset.digest)
    with TemporaryDirectory() as folder:
        run = Path(folder) / "run"
        judged = write_judged_run(path, shown, "auto-argue", run)
        return write_viewer(run, shown, out, judged=judged, name=path.name.partition(".")[0])
