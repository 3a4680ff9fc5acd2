"""The environment variables, completed by the file ``.env``, which holds keys, addresses and
budgets."""

from __future__ import annotations

import os
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Mapping
from functools import lru_cache
from io import StringIO
from pathlib import Path

from argue_bench.errors import JudgeError


def environment() -> Mapping[str, str]:
    """The environment, completed by the file ``.env`` in the working folder.

    Raises JudgeError where that file can't be read.
    """
    file = Path(".env")
    try:
        raw = file.read_bytes() if file.is_file() else b""
    except OSError as error:
        raise JudgeError(f"{file} can't be read: {error.strerror}") from None
    # Editors and shells on Windows write UTF-16 and byte order marks. What is not text becomes marks,
    # and the reader of that variable reports them.
    code = "utf-16" if raw[:2] in (BOM_UTF16_LE, BOM_UTF16_BE) else "utf-8-sig"
    added = _assignments(raw.decode(code, "replace")) if raw else {}
    return {**{name: value for name, value in added.items() if value}, **os.environ}


@lru_cache(maxsize=1)
def _assignments(text: str) -> Mapping[str, str | None]:
    # Remembered, so that dotenv's warning on a line that assigns nothing comes once.
    from dotenv import dotenv_values

    return dotenv_values(stream=StringIO(text))
