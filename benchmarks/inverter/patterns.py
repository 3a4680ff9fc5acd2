"""The public patterns as regular expressions."""

from __future__ import annotations

import re
from functools import cache

from tools.core_set.grammar import FAMILIES, Choice, Part, Pattern, public_patterns

_ENDS = r"(?=\s|$)"


@cache
def lines_of(section: str) -> tuple[tuple[str, Pattern], ...]:
    lines = public_patterns().lines
    families = ("ledger", *FAMILIES, "plain")
    return tuple((f, p) for f in dict.fromkeys(families) for p in lines.get(("en", section, f), ()))


@cache
def forms(section: str) -> tuple[re.Pattern[str], ...]:
    return tuple(_expression(pattern.parts) for _, pattern in lines_of(section))


@cache
def rounds(section: str) -> tuple[tuple[re.Pattern[str], re.Pattern[str]], ...]:
    return tuple(
        (
            re.compile(
                f"{_source(p.parts, set())}(?P<rows>.+?){_source(p.tail, set())}{_ENDS}", re.I
            ),
            re.compile(_source(p.row, set()), re.I),
        )
        for _, p in lines_of(section)
    )


def _expression(parts: tuple[Part, ...]) -> re.Pattern[str]:
    return re.compile(_source(parts, set()) + _ENDS, re.IGNORECASE)


def _source(parts: tuple[Part, ...], named: set[str]) -> str:
    out = []
    for part in parts:
        if isinstance(part, str):
            out.append(re.escape(part))
        elif isinstance(part, Choice):
            out.append(f"(?:{'|'.join(_source(one, named) for one in part.of)})")
        elif part.name in {"S", "v", "items"} and part.name not in named:
            named.add(part.name)
            out.append(f"(?P<{part.name}>.+?)")
        else:
            out.append("(?:.+?)")
    return "".join(out)
