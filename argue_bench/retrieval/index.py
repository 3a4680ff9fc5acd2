"""An indexed corpus on disk, as a folder that opens at once, however large it is.

bm25s' arrays are mapped into memory instead of read, and passages are looked up by their place in one
file of JSON Lines. ``index.json`` names the data set, passage length and version that were indexed;
an index of others is refused.
"""

from __future__ import annotations

import json
import mmap
import os
import shutil
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import astuple
from pathlib import Path
from typing import Any, overload

import numpy as np

from argue_bench.errors import Code, DataError, UsageError
from argue_bench.records.untrusted import read_json
from argue_bench.retrieval import Corpus, Passage
from argue_bench.retrieval.engines import Fast

VERSION = 1
_ABOUT, _PASSAGES, _OFFSETS = "index.json", "passages.jsonl", "offsets.npy"


def save_index(corpus: Corpus, folder: Path, of: str) -> None:
    """Writes the index beside its place, then moves it there. ``of`` names the indexed data.

    Raises DataError: not writable, another folder in its place; UsageError: another engine than "fast".
    """
    is_index = (folder / _ABOUT).is_file()
    if folder.exists() and not is_index and (folder.is_file() or any(folder.iterdir())):
        raise _wrong(folder, Code.NOT_AN_INDEX, "this folder is not an index")
    engine = corpus.engine if corpus.passages else None
    if engine is not None and not isinstance(engine, Fast):
        raise UsageError("only the engine 'fast' can be saved")
    beside = folder.with_name(f".{folder.name}.{os.getpid()}.part")
    try:
        beside.mkdir(parents=True)
        offsets = [0]
        with (beside / _PASSAGES).open("wb") as file:
            for passage in corpus.passages:
                line = json.dumps(astuple(passage)[:4]).encode() + b"\n"
                file.write(line)
                offsets.append(offsets[-1] + len(line))
        np.save(beside / _OFFSETS, np.asarray(offsets, dtype=np.int64))
        if engine is not None:
            engine.save(beside)
        about = {"version": VERSION, "of": of, "passages": len(corpus)}
        (beside / _ABOUT).write_text(json.dumps(about), encoding="utf-8")
        if folder.exists():
            shutil.rmtree(folder)
        beside.rename(folder)
    except OSError as error:
        raise _wrong(
            folder, Code.NOT_WRITTEN, f"the index could not be written: {error.strerror or error}"
        ) from None
    finally:
        shutil.rmtree(beside, ignore_errors=True)


def load_index(folder: Path, of: str = "") -> Corpus:
    """The corpus saved here. Raises DataError: no index, one of other data, a damaged one."""
    if not (folder / _ABOUT).is_file():
        raise _wrong(folder, Code.NO_SUCH_INDEX, "the folder has no index")
    about = read_json(folder / _ABOUT)
    if not isinstance(about, dict) or about.get("version") != VERSION:
        raise _wrong(folder, Code.INDEX_VERSION, "the index was made by another version")
    if of and about.get("of") != of:
        raise _wrong(
            folder, Code.OTHER_INDEX, f"this is an index of {about.get('of')!s:.200}, not {of}"
        )
    try:
        passages = _Passages(folder)
        engine = Fast.load(folder) if passages else None
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise _wrong(
            folder, Code.INDEX_DAMAGED, f"the index can't be opened: {error!s:.200}"
        ) from None
    if len(passages) != about.get("passages") or (engine and engine.size != len(passages)):
        raise _wrong(folder, Code.INDEX_DAMAGED, "the files of the index do not belong together")
    return Corpus.from_index(passages, engine)


def load_or_build_index(build: Callable[[], Corpus], folder: Path, of: str) -> Corpus:
    """The index in this folder if it is ``of`` this data, else of ``build()``, which is saved there."""
    with suppress(DataError):
        return load_index(folder, of)
    save_index(build(), folder, of)
    return load_index(folder, of)


class _Passages(Sequence[Passage]):
    """Passages in a file, each read when it is used."""

    def __init__(self, folder: Path) -> None:
        self._offsets = np.load(folder / _OFFSETS, mmap_mode="r")
        size = (folder / _PASSAGES).stat().st_size
        if not len(self._offsets) or int(self._offsets[-1]) != size:
            raise ValueError("passages and their places do not fit")
        self._bytes: Any = b""
        if size:
            with (folder / _PASSAGES).open("rb") as file:
                self._bytes = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)

    def __len__(self) -> int:
        return len(self._offsets) - 1

    @overload
    def __getitem__(self, index: int) -> Passage: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Passage]: ...
    def __getitem__(self, index: int | slice) -> Passage | Sequence[Passage]:
        if isinstance(index, slice):
            return [self[at] for at in range(*index.indices(len(self)))]
        at = range(len(self))[index]
        return Passage(*json.loads(self._bytes[self._offsets[at] : self._offsets[at + 1]]))


def _wrong(folder: Path, code: Code, message: str) -> DataError:
    return DataError.of(code, message, folder, hint="Name another folder, or remove this one.")
