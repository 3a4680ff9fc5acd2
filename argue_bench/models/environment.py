"""The environment variables, completed by the file ``.env``, which holds keys, addresses and
budgets."""

from __future__ import annotations

import os
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Iterable, Mapping
from functools import lru_cache
from io import StringIO
from pathlib import Path

from argue_bench.errors import JudgeError


def environment() -> Mapping[str, str]:
    """The environment, completed by the file ``.env`` in the working folder.

    Raises JudgeError where that file can't be read.
    """
    return {**_written(), **os.environ}


def borrowed(known: Mapping[str, str], address: str, names: Iterable[str]) -> list[str]:
    """Which of these variables have values of another place than ``.env``, where that file names the ``address``.

    Whoever made the folder would get them: so an address and its key come from one place.
    """
    written = _written()
    named = address not in os.environ and known.get(address) == written.get(address, "")
    return [x for x in names if named and known.get(x) and known[x] not in written.values()]


def _written() -> Mapping[str, str]:
    """What the file ``.env`` assigns. Raises JudgeError where it can't be read."""
    file = Path(".env")
    try:
        return _assignments(file.read_bytes()) if file.is_file() else {}
    except OSError as error:
        raise JudgeError(f"{file} can't be read: {error.strerror}") from None


@lru_cache(maxsize=1)
def _assignments(raw: bytes) -> Mapping[str, str]:
    # Remembered, so that dotenv's warning on a line that assigns nothing comes once.
    from dotenv import dotenv_values

    # Editors and shells on Windows write UTF-16 and byte order marks. What is not text becomes marks,
    # and the reader of that variable reports them.
    code = "utf-16" if raw[:2] in (BOM_UTF16_LE, BOM_UTF16_BE) else "utf-8-sig"
    given = dotenv_values(stream=StringIO(raw.decode(code, "replace")))
    return {name: value for name, value in given.items() if value}
