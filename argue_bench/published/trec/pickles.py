"""NeuCLIR's published look-up: pickles of ``{id: {"title", "text"}}``, turned once into JSON lines.

Source: https://huggingface.co/datasets/orionweller/neuclir-docs-lookup. `pickle_reader` reads them in a
process of its own.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

from argue_bench.errors import Code, DataError
from argue_bench.published.trec import pickle_reader


def as_lines(path: Path) -> Path:
    """The documents of a pickle as a file of JSON lines, beside it or in the cache.

    It is written at the first use, and again when the pickle has changed. Raises DataError where the
    pickle holds anything but mappings of texts, and where neither place can be written.
    """
    from argue_bench.store.fetch import cache_folder

    whole = path.resolve()
    try:
        status = whole.stat()
        changed = f"{status.st_size} {status.st_mtime_ns}"
        stamp = hashlib.sha256(changed.encode()).hexdigest()[:12]
    except OSError as error:
        raise DataError.of(Code.UNREADABLE, f"it can't be read: {error.strerror}", path) from None
    name = f".{whole.stem}.{stamp}.jsonl"
    apart = hashlib.sha256(str(whole.parent).encode()).hexdigest()[:16]
    folders = (whole.parent, cache_folder() / "collections" / apart)
    for folder in folders:
        if (folder / name).is_file():
            return folder / name
    reason = ""
    for folder in folders:
        part = folder / f"{name}.{os.getpid()}.part"
        try:
            folder.mkdir(parents=True, exist_ok=True)
            # Whether the place can be written is found out before a pickle of gigabytes is read.
            part.touch()
            _convert(whole, part)
            for old in folder.glob(f".{whole.stem}.{'?' * 12}.jsonl"):
                old.unlink(missing_ok=True)
            os.replace(part, folder / name)
            return folder / name
        except OSError as error:
            reason = error.strerror or str(error)
        finally:
            with suppress(OSError):
                part.unlink(missing_ok=True)
    message, hint = f"it could not be written as JSON lines: {reason}", "Free some space."
    raise DataError.of(Code.NOT_WRITTEN, message, folders[-1] / name, hint=hint)


def _convert(source: Path, target: Path) -> None:
    """Raises DataError where the pickle is refused, and OSError where the target can't be written."""
    # -I: neither the working folder nor the environment decides what the process imports.
    command = [sys.executable, "-I", str(pickle_reader.__file__), str(source), str(target)]
    done = subprocess.run(command, capture_output=True, check=False, text=True, errors="replace")
    if done.returncode:
        said = done.stderr.strip().splitlines()[-1:] or [f"it ended with {done.returncode}"]
        if done.returncode == pickle_reader.NOT_WRITTEN:
            raise OSError(None, said[0])
        hint = 'The look-up is a pickle of {id: {"title": TEXT, "text": TEXT}}, nothing else.'
        raise DataError.of(Code.PICKLE_REFUSED, said[0][:300], source, hint=hint)
