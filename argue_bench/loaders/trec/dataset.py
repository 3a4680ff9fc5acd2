"""``load("trec", path=DIR)``: the topics of a TREC track as a data set.

    DIR/nuggets/NAME_TOPIC.v3.json     what good reports say (the split dev)
    DIR/requests.jsonl                 who asks for them and how long they may be (optional with dev)
    DIR/qrels.txt                      TOPIC 0 DOC REL, assessors' labels (optional)
    DIR/collection/ or collection.jsonl, documents.jsonl    what may be cited

Where DIR holds no collection, ``DOC_LOOKUP`` names one. The split ``test`` has the requests alone.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from argue_bench.errors import Code, DataError, UsageError
from argue_bench.loaders.dataset import Dataset
from argue_bench.loaders.nuggets import load_topics, read_requests
from argue_bench.records import Document, Question

LAYOUT = "a folder with nuggets/, requests.jsonl, and if there are any qrels.txt and collection/"
REQUESTS = ("requests.jsonl", "topics.jsonl")
COLLECTIONS = ("collection", "collection.jsonl", "documents", "documents.jsonl")


def load_trec(split: str, path: Path | None) -> Dataset:
    """The topics in a folder. Raises UsageError (no folder) and DataError (with all findings)."""
    if path is None:
        raise UsageError(f"trec is read from a local copy: --data DIR, {LAYOUT}")
    if not path.is_dir():
        raise UsageError(f"No such folder: {path}. trec is read from {LAYOUT}.")
    requests = _first(path, REQUESTS)
    documents, digest = _collection(path)
    if split == "dev":
        nuggets, qrels = path / "nuggets", path / "qrels.txt"
        topics = load_topics(
            nuggets if nuggets.is_dir() else path,
            None,
            requests,
            qrels if qrels.is_file() else None,
        )
    elif requests is not None:
        questions = tuple(
            Question(id, request.problem_statement or request.title or id, request)
            for id, request in read_requests(requests).items()
        )
        topics = Dataset("trec", "test", questions)
    else:
        hint = f"The split test needs {' or '.join(REQUESTS)}."
        raise DataError.of(Code.NO_REQUESTS, "the folder holds no requests", path, hint=hint)
    whole = hashlib.sha256(f"{topics.digest} {digest}".encode()).hexdigest()
    note = "" if digest else "No collection was found, so nothing that is cited attests anything."
    return replace(
        topics,
        name="trec",
        split=split,
        documents=documents,
        note=note,
        metrics=("argue",),
        declared_digest=f"sha256:{whole}",
    )


def _collection(path: Path) -> tuple[Mapping[str, Document], str]:
    """The documents, and the digest of their collection; nothing where there is none."""
    from argue_bench.loaders.collection import Collection, find_collection, lookup_folder

    here = _first(path, COLLECTIONS)
    if here is None and not lookup_folder():
        return {}, ""
    collection = Collection(here or find_collection())
    return collection, collection.digest


def _first(folder: Path, names: tuple[str, ...]) -> Path | None:
    return next((folder / name for name in names if (folder / name).exists()), None)
