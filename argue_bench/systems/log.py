"""What did the model say so far? A log beside the answers, from which a killed run goes on.

JSON Lines: first what the run is (model, decoding, prompt, data), then each reply with its tokens, price,
and what was sent and came back. A reply is in the file, by one write, before it is used; half a line, left
by a full disk or a power cut, is dropped when the log is opened again. One process at a time holds it.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from argue_bench.errors import DataError, Finding
from argue_bench.models.transport import Completion, Request
from argue_bench.records.untrusted import GOLD_LIMITS, parse


@dataclass(frozen=True, slots=True)
class Logged:
    """A reply that is in the log."""

    text: str
    tokens_in: int
    tokens_out: int
    finish: str
    price: float


def key_of(request: Request, attempt: int = 1) -> str:
    """The name of a request, the same for the same words. ``attempt`` counts from 1."""
    said = [[message.role, message.text] for message in request.messages]
    text = json.dumps([said, request.max_tokens, request.stop, attempt])
    return hashlib.sha256(text.encode()).hexdigest()[:32]


class Log:
    """The log at ``path``, made where there is none. A context manager.

    Raises DataError: of another run (``header`` differs), in use, damaged, not writable.
    """

    def __init__(self, path: Path, header: Mapping[str, str]) -> None:
        self.path = path
        self.replies: dict[str, Logged] = {}
        self.seconds = 0.0
        """How long earlier runs took, to their last reply."""
        self.dropped = 0
        """Bytes of a half line that was dropped."""
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
        except OSError as error:
            raise self._wrong("not-written", f"can't be used: {error.strerror}") from None
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            self._read(header)
        except BlockingIOError:
            os.close(self._file)
            raise self._wrong("log-in-use", "another process is writing these answers",
                              "Wait until it ends, or name another --out.") from None  # fmt: skip
        except BaseException:
            os.close(self._file)
            raise
        self._began = time.time()
        self._append({"run": dict(header), "at": round(self._began, 3)})

    def add(self, key: str, id: str, done: Completion) -> Logged:
        """Keeps a reply; it is in the file when this returns. ``id`` says what it is for."""
        row = {
            "key": key, "for": id, "text": done.text, "tokens_in": done.tokens_in,
            "tokens_out": done.tokens_out, "finish": done.finish, "price": done.price,
            "at": round(time.time(), 3), "sent": done.sent, "raw": done.raw,
        }  # fmt: skip
        self._append(row)
        self.replies[key] = logged = _logged(row)
        return logged

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        os.close(self._file)

    def _read(self, header: Mapping[str, str]) -> None:
        began, good = 0.0, 0
        runs: list[Mapping[str, Any]] = []
        with open(self.path, "rb") as file:
            for number, raw in enumerate(file, 1):
                if not raw.endswith(b"\n"):
                    self.dropped = len(raw)
                    os.truncate(self._file, good)
                    break
                good += len(raw)
                row = parse(raw, str(self.path), number, GOLD_LIMITS)
                try:
                    if "run" in row:
                        began = row["at"]
                        runs.append(dict(row["run"]))
                    else:
                        self.replies[row["key"]] = _logged(row)
                        self.seconds += max(0.0, row["at"] - began)
                        began = row["at"]
                except (KeyError, TypeError, ValueError):
                    raise self._wrong("log-line", "this line is no reply", line=number) from None
        if self.replies:  # a run that got none stands in nobody's way
            for run in runs:
                self._check(header, run)

    def _check(self, ours: Mapping[str, str], theirs: Mapping[str, Any]) -> None:
        names = [name for name in {**ours, **theirs} if ours.get(name) != theirs.get(name)]
        if names:
            differences = "; ".join(
                f"{name}: {theirs.get(name, 'none')!s:.80}, now {ours.get(name, 'none')!s:.80}"
                for name in names
            )
            raise self._wrong("other-run", f"these answers were begun otherwise ({differences})")

    def _append(self, row: Mapping[str, Any]) -> None:
        line = json.dumps(row, ensure_ascii=True).encode() + b"\n"
        size = os.fstat(self._file).st_size
        try:
            if os.write(self._file, line) == len(line):
                return
            reason = "the disk is full"
        except OSError as error:
            reason = error.strerror or str(error)
        os.truncate(self._file, size)
        raise self._wrong("not-written", f"could not be written: {reason}",
                          "What was asked so far is kept: make room, and run it again.")  # fmt: skip

    def _wrong(
        self, code: str, message: str, remedy: str = "", line: int | None = None
    ) -> DataError:
        remedy = remedy or "Name another --out, or remove this log to ask everything anew."
        return DataError(Finding(code, message, str(self.path), line, remedy=remedy))


def _logged(row: Mapping[str, Any]) -> Logged:
    text = row["text"]
    if not isinstance(text, str):
        raise TypeError("text")
    return Logged(
        text, int(row["tokens_in"]), int(row["tokens_out"]), str(row["finish"]), float(row["price"])
    )
