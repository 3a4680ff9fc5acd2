"""Requests in files for somebody else to answer: ``vllm run-batch``, a provider's web page, a colleague.

Requests without a reply are written into a file of the folder, and the run stops; the same command reads
all replies that lie in the folder by then, and goes on.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping
from pathlib import Path

from argue_bench.errors import Code, DataError, JudgeError
from argue_bench.models.batches.lines import LineReply, reply_in, request_line
from argue_bench.models.batches.sent import Answered, Say, SentChat
from argue_bench.models.chat import Chat
from argue_bench.records.atomic import atomic_write
from argue_bench.records.digests import sha256

_REQUESTS = ".requests.jsonl"
_GATHERING_SECONDS = 1.0
"""After requests were written, for as long others may be: so that one stop is for all of them."""


class RepliesAwaited(JudgeError):
    """Requests lie in a file, and nobody has answered them yet."""


class FileChat(SentChat):
    """A chat model whose requests and replies are files of ``folder``."""

    def __init__(self, chat: Chat, folder: Path, say: Say) -> None:
        super().__init__(chat, say)
        self._folder = folder
        self._read: dict[Path, tuple[int, int]] = {}
        """Size and time of every file of replies that was read."""
        self._places: dict[bytes, tuple[Path, int]] = {}
        """Where the reply to a request is."""

    async def _answered(self, bodies: Mapping[bytes, str]) -> AsyncIterator[Answered]:
        missing = dict(bodies)
        for key, reply in self._find(bodies):
            del missing[key]
            yield Answered([(key, reply)])
        if missing:
            path = self._write(missing)
            await asyncio.sleep(_GATHERING_SECONDS)
            raise RepliesAwaited(
                f"{self.name}: {len(missing):,} requests wait for replies in {path}. Have them answered, "
                f"for example by: vllm run-batch -i {path} -o {_answers_beside(path)} --model "
                f"{self.chat.model}. Then give the same command again"
            )

    def _write(self, missing: Mapping[bytes, str]) -> Path:
        """The file with these requests; the same ones are written into the same file."""
        name = sha256(b"".join(sorted(missing)))[:12]
        path = self._folder / f"{name}{_REQUESTS}"
        if not path.exists():
            with atomic_write(path) as file:
                file.writelines(map(request_line, missing.values()))
        return path

    def _find(self, keys: Iterable[bytes]) -> Iterator[tuple[bytes, LineReply]]:
        """The replies that the folder has by now. Raises DataError."""
        try:
            for path in sorted(self._folder.glob("*.jsonl")):
                state = path.stat()
                size = state.st_size, state.st_mtime_ns
                if not path.name.endswith(_REQUESTS) and self._read.get(path) != size:
                    self._read[path] = size
                    self._index(path)
            for key in keys:
                if key in self._places:
                    # A reply is used once: where nothing came of it, another one must come.
                    path, place = self._places.pop(key)
                    with path.open("rb") as file:
                        file.seek(place)
                        found = reply_in(file.readline().decode("utf-8", "replace"))
                    if found is not None and found[0] == key:
                        yield found
        except OSError as error:
            why = f"the replies can't be read: {error.strerror}"
            raise DataError.of(Code.UNREADABLE, why, self._folder) from None

    def _index(self, path: Path) -> None:
        """Notes where the replies of a file are; one that says why there is none gives way to others."""
        with path.open("rb") as file:
            place = 0
            for line in file:
                if (found := reply_in(line.decode("utf-8", "replace"))) is not None:
                    key, reply = found
                    if reply.status == 200 or key not in self._places:
                        self._places[key] = path, place
                place += len(line)


def _answers_beside(path: Path) -> Path:
    return path.with_name(path.name.replace(_REQUESTS, ".replies.jsonl"))
