"""Atomic writes: a file is written beside its place, then renamed."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
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
        # A process that is killed here leaves the .part file, and the old file as it was. One that lies there is none of
        # ours, and may be a link to another place.
        beside.unlink(missing_ok=True)
        with beside.open("x", encoding="utf-8", newline="\n") as file:
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


def refuse_links(folder: Path, inside: Path) -> None:
    """Raises DataError where a folder on the way to a file is a link: nothing is written through."""
    for one in inside.parents[:-1]:
        if (folder / one).is_symlink():
            raise DataError.of(
                Code.SYMLINK,
                "this is a link; nothing is written through it",
                folder / one,
                hint="Put a real folder there.",
            )


def write_text(path: Path, *parts: str) -> None:
    """Writes the parts of a text, one behind the other. Raises DataError."""
    with atomic_write(path) as file:
        file.writelines(parts)


def write_json(path: Path, value: Any, indent: int | None = 2, sort_keys: bool = False) -> None:
    """Writes JSON, indented for people to read, UTF-8 as it is. Raises DataError."""
    write_text(
        path, json.dumps(value, indent=indent, ensure_ascii=False, sort_keys=sort_keys), "\n"
    )


def write_lines(path: Path, rows: Iterable[Any]) -> None:
    """Writes the JSON of each row on a line of its own, as the rows come. Raises DataError."""
    with atomic_write(path) as file:
        file.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
