"""Atomic writes: a file is written beside its place, then renamed."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

from argue_bench.errors import Code, DataError


@contextmanager
def atomic_write(path: Path) -> Iterator[IO[str]]:
    """A file to write to; it appears at ``path`` only when all of it is written.

    Text is UTF-8 with Unix line ends. Raises DataError, before anything is done, where ``path`` is
    a folder, a device or a pipe, and where the disk refuses; what stood there before is unchanged.
    """
    # A rename, which root may do, would put a file in the place of something else: a device such as
    # /dev/null, or /dev/stdout, which is a link to /proc.
    to_proc = path.is_symlink() and os.readlink(path).startswith("/proc/")
    if not path.name or to_proc or (path.exists() and not path.is_file()):
        raise DataError.of(
            Code.NOT_WRITTEN,
            "this is not a file but a folder, a device or a pipe",
            path,
            hint="Name a file to write.",
        )
    beside = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        # A process that is killed here leaves the .part file, and the old file as it was.
        with beside.open("w", encoding="utf-8", newline="\n") as file:
            yield file
        beside.replace(path)
    except (ConnectionError, TimeoutError):  # of a network, which the work in between may use
        raise
    except OSError as error:
        raise DataError.of(
            Code.NOT_WRITTEN,
            f"the file could not be written: {error.strerror or error}",
            path,
            hint="What stood there before is unchanged.",
        ) from None
    finally:
        with suppress(OSError):
            beside.unlink(missing_ok=True)


def write_json(path: Path, value: Any) -> None:
    """Writes indented JSON for people to read, UTF-8 as it is. Raises DataError."""
    with atomic_write(path) as file:
        json.dump(value, file, indent=2, ensure_ascii=False)
        file.write("\n")
