"""Field types that several files of a board share, with their error messages."""

from __future__ import annotations

import re
from typing import Annotated, Any

from pydantic import Field

from argue_bench.leaderboard.formats.layout import SETTINGS
from argue_bench.leaderboard.formats.names import (
    AUTHOR,
    DIGEST,
    OID,
    SEASON,
    SYSTEM,
    invisible,
    system_name_fault,
)
from argue_bench.records.validation import Expect


def whole(pattern: re.Pattern[str]) -> str:
    """The pattern as JSON schemas need it: anchored at both ends."""
    return f"^(?:{pattern.pattern})$"


def pattern(form: str) -> Any:
    """A form for the JSON schema alone, where the reader's own check says more."""
    return Field(json_schema_extra={"pattern": form})


SystemName = Annotated[
    str,
    Field(pattern=whole(SYSTEM)),
    Expect(
        "the name of a system, [a-z0-9][a-z0-9-]{1,63} and none of the board's own",
        lambda text: not system_name_fault(text),
    ),
]
SystemOrNone = Annotated[
    str,
    Expect(
        "the name of a system, or an empty text",
        lambda text: not text or not system_name_fault(text),
    ),
]
SeasonName = Annotated[
    str, Field(pattern=whole(SEASON)), Expect("the name of a season, [a-z0-9][a-z0-9.-]{0,63}")
]
SettingName = Annotated[str, Expect.one_of(*SETTINGS)]
AuthorId = Annotated[str, Field(pattern=whole(AUTHOR)), Expect("1 to 64 of [A-Za-z0-9_.-]")]
CommitId = Annotated[str, Field(pattern=whole(OID)), Expect("40 hexadecimal digits")]
Digest = Annotated[str, Field(pattern=whole(DIGEST)), Expect("64 hexadecimal digits")]
Count = Annotated[int, Field(ge=0, le=(1 << 53) - 1), Expect("a whole number from 0")]
ShortText = Annotated[
    str,
    Field(max_length=200),
    Expect("a text of at most 200 characters, all visible", lambda text: not invisible(text)),
]
