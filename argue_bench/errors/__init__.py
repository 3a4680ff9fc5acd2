"""The errors of the package, as a tree of classes.

    ArgueBenchError            anything below; its ``exit_code`` is what the command line returns
    ├── DataError        (1)   a file or record is not what it should be; carries every Finding at once
    │   └── SubmissionError    the same, for what a participant sent
    ├── NoGold           (1)   the question is sealed: there is nothing to score against
    ├── UnlikeSignatures (1)   two scores were made differently and must not be compared
    ├── SealError        (1)   a signature or an encrypted file does not verify
    ├── UsageError       (2)   the caller asked for something that cannot be
    │   └── UnknownName        no metric, format, judge, data set of this name
    ├── MissingExtra     (2)   an optional dependency is needed; the message is the install line
    └── JudgeError       (3)   a judge failed where a verdict was needed

An error says what, where, what was expected, what to do, in that order.
"""

from __future__ import annotations

import copyreg
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Self

from argue_bench.errors.codes import Code as Code

Level = Literal["error", "warning", "notice"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong with a file, and how to fix it.

    ``code`` is stable and may be matched by programs; ``path`` is a JSON path inside the line.
    """

    code: Code
    message: str = ""
    file: str = ""
    line: int | None = None
    path: str = ""
    hint: str = ""
    level: Level = "error"

    def __post_init__(self) -> None:
        if not self.message:  # nothing particular to say: the code's own meaning
            object.__setattr__(self, "message", self.code.text.removesuffix("."))

    @property
    def where(self) -> str:
        """The file with the line, as far as they are known."""
        return self.file if self.line is None else f"{self.file}:{self.line}"

    def __str__(self) -> str:
        inside = f" at {self.path}" if self.path else ""
        label = "" if self.level == "error" else f"{self.level}: "
        prefix = f"{self.where}: " if self.where else ""
        # Findings are printed into logs, and GitHub's runner obeys ``##[x]`` anywhere in a line, as `escape` says.
        said = (
            f"{prefix}{label}{self.message}{inside}.{self.hint and f' {self.hint}'} [{self.code}]"
        )
        return said.replace("##[", "##⟨U+005B⟩")


class ArgueBenchError(Exception):
    """Base of everything that this package raises on purpose."""

    exit_code = 1
    fix = ""
    """What to do, where one remedy fits every error of a class."""

    def to_json(self) -> list[dict[str, str]]:
        """What is wrong as plain data for a program: ``code``, ``where``, ``problem``, ``fix``, each a text."""
        code = re.sub("(?<=[a-z])(?=[A-Z])", "-", type(self).__name__).lower()
        return [{"code": code, "where": "", "problem": str(self), "fix": self.fix}]

    def __reduce__(self) -> tuple[Any, ...]:
        # Other processes get it as it is: most of these classes are not made of their message.
        return copyreg.__newobj__, (type(self), *self.args), self.__dict__  # type: ignore[attr-defined]


class DataError(ArgueBenchError):
    """A file or record is invalid. ``findings`` holds every error found."""

    def __init__(self, findings: Finding | Iterable[Finding]) -> None:
        self.findings: tuple[Finding, ...] = (
            (findings,) if isinstance(findings, Finding) else tuple(findings)
        )
        super().__init__("\n".join(map(str, self.findings)))

    def to_json(self) -> list[dict[str, str]]:
        """As `ArgueBenchError.to_json`, one for each finding that is an error."""
        return [
            {
                "code": str(one.code),
                "where": one.where,
                "problem": one.message,
                "fix": one.hint or f"See: argue-bench explain {one.code}",
            }
            for one in self.findings
            if one.level == "error"
        ]

    @classmethod
    def of(
        cls,
        code: Code,
        message: str = "",
        file: str | Path = "",
        line: int | None = None,
        path: str = "",
        hint: str = "",
    ) -> Self:
        """The error of one finding."""
        return cls(Finding(code, message, str(file), line, path, hint))


class SubmissionError(DataError):
    """What a participant sent breaks the rules of the board."""


class NoGold(ArgueBenchError):
    """The question has no gold here, so it cannot be scored."""


class UnlikeSignatures(ArgueBenchError):
    """Two scores were made differently, so neither is above the other."""


class SealError(ArgueBenchError):
    """A signature or sealed file does not verify."""


class UsageError(ArgueBenchError):
    """The caller asked for something impossible."""

    exit_code = 2
    fix = "Change the argument that the problem names."


class UnknownName(UsageError):
    """No metric, format, judge or data set of this name; suggests the nearest."""

    def __init__(self, kind: str, name: str, known: Sequence[str], see: str = "") -> None:
        from difflib import get_close_matches

        near = get_close_matches(name, known, n=1)
        guess = f" Did you mean {near[0]!r}?" if near else f" Known: {', '.join(known)}."
        super().__init__(f"no {kind} is called {name!r}.{guess}{' See: ' + see if see else ''}")


class MissingExtra(ArgueBenchError):
    """An optional dependency is missing."""

    exit_code = 2

    def __init__(self, what: str, extra: str, other_way: str = "") -> None:
        also = f" (or: {other_way})" if other_way else ""
        self.fix = f"pip install 'argue-bench[{extra}]'"
        super().__init__(f"{what} needs: {self.fix}{also}")


@contextmanager
def needing(what: str, extra: str, other_way: str = "") -> Iterator[None]:
    """Raises MissingExtra where a package that is imported inside is not installed."""
    try:
        yield
    except ImportError:
        raise MissingExtra(what, extra, other_way) from None


class Interrupted(ArgueBenchError):
    """The user interrupted the work; what was finished by then is stored."""

    exit_code = 130


class JudgeError(ArgueBenchError):
    """A judge failed where a verdict was needed; nothing was scored from it."""

    exit_code = 3
    fix = "Ask again: verdicts that came are not asked for twice where a store keeps them."
