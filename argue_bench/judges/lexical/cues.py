"""Phrases that mark replaced figures, unknown facts, refusals and remarks on the text itself (cues.toml)."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

_DATA: dict[str, str] = tomllib.loads(
    Path(__file__).with_name("cues.toml").read_text(encoding="utf-8")
)


def _pattern(name: str) -> re.Pattern[str]:
    # Broken over lines at the bars only, so that a line's own blanks count.
    return re.compile("".join(line.removeprefix("  ") for line in _DATA[name].splitlines()))


OLD_BEFORE, OLD_AFTER = _pattern("old_before"), _pattern("old_after")
UNKNOWN, DECLINES, META = _pattern("unknown"), _pattern("declines"), _pattern("meta")
