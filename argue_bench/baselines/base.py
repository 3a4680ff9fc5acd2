"""What a system is here: made for one data set and setting, it answers one question at a time."""

from __future__ import annotations

from typing import Literal, Protocol

from argue_bench.records import Question

Setting = Literal["closedbook", "openbook", "evidenceprovided"]
SETTINGS: tuple[Setting, ...] = ("closedbook", "openbook", "evidenceprovided")


class System(Protocol):
    def answer(self, question: Question) -> str:
        """The answer as text, with citation marks."""
        ...
