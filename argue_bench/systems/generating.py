"""How does a model's submission come to be, whole at every moment and never asked twice?

Every reply is in the log before its answer is in the file; the file holds whole lines only, and is
written anew from the log when a run begins and, in the set's order, when it ends. An empty reply or a
web page is asked for once more; if that is no better, the answer is an empty text, which is what a
submission has where a system gives none, and it is counted. A question without any reply has no line,
is counted too, and is asked again by the next run. What was made how is in OUT.about.json.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from argue_bench import __version__
from argue_bench.errors import DataError, Finding, UsageError
from argue_bench.loaders.dataset import Dataset
from argue_bench.models.transport import Completion, Request, Transport
from argue_bench.records import Question
from argue_bench.records.written import whole_file
from argue_bench.systems.asking import Asked, Prompter
from argue_bench.systems.log import Log, Logged, key_of
from argue_bench.systems.replies import Reply, read

Progress = Callable[[int], None]
_ATTEMPTS = 2


@dataclass
class Made:
    """What a run came to, in questions. ``failed`` maps those without a reply to the reason."""

    questions: int = 0
    answered: int = 0
    empty: list[str] = field(default_factory=list)
    failed: dict[str, str] = field(default_factory=dict)
    cut_to_limit: int = 0
    cut_by_model: int = 0
    documents_left_out: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    cost: float | None = None
    """US dollars; None where the model's price is not known."""


@dataclass(frozen=True)
class Places:
    """The three files of a run."""

    out: Path

    @property
    def log(self) -> Path:
        return self.out.with_name(f"{self.out.stem}.log.jsonl")

    @property
    def about(self) -> Path:
        return self.out.with_name(f"{self.out.stem}.about.json")

    def check(self) -> None:
        """Raises UsageError where answers are there that no log knows, or may have no company."""
        if self.out.parent.name.endswith("-generations"):
            raise UsageError(
                f"{self.out.parent} may hold submissions alone, and a model's answers have a log beside "
                "them: write them elsewhere, then copy the finished file"
            )
        if self.out.exists() and not self.log.exists():
            raise UsageError(
                f"{self.out} is there already and has no log to go on from: name another --out"
            )


class Generator:
    """Asks a model all questions of a set, into ``out``. ``limit``: the first questions only."""

    def __init__(
        self, dataset: Dataset, prompter: Prompter, transport: Transport, out: Path,
        limit: int | None = None,
    ) -> None:  # fmt: skip
        if limit is not None and limit < 1:
            raise UsageError("--limit is at least 1")
        self._dataset, self._prompter, self._transport = dataset, prompter, transport
        self._questions: Sequence[Question] = dataset[:limit] if limit else dataset.questions
        self._places = Places(out)
        self.made = Made(len(self._questions))
        self._answers: dict[str, str] = {}
        self._seconds = 0.0

    @property
    def header(self) -> dict[str, str]:
        """What all replies of a log have in common."""
        asking, form = self._prompter.asking, self._prompter.form
        return {
            "model": self._transport.name,
            **{f"model.{name}": value for name, value in self._transport.identity().items()},
            "set": self._dataset.title,
            "setting": self._prompter.setting,
            "prompt": f"{form.name}@{form.digest}",
            "max_tokens": str(self._prompter.max_tokens),
            "context": str(asking.context),
            "documents": "the form's" if asking.ndoc is None else str(asking.ndoc),
            "shot": f"{asking.shot}, seed {asking.seed}" if asking.shot else "0",
        }

    def prompts(self, progress: Progress | None = None) -> list[Asked]:
        """Every prompt as it would be sent if no shortened text had to be made first."""
        found = []
        for done, question in enumerate(self._questions, 1):
            found.append(self._prompter.asked(question))
            if progress is not None:
                progress(done)
        return found

    async def run(self, progress: Progress | None = None) -> Made:
        """Asks what is not in the log. Raises DataError (files), JudgeError (nobody answers)."""
        self._places.check()
        with Log(self._places.log, self.header) as log:
            began = time.monotonic()
            try:
                made = await self._shortened(log)
                asked = [self._prompter.asked(q, made.get(q.id)) for q in self._questions]
                self.made.documents_left_out = sum(one.left_out for one in asked)
                self._take_up(asked, log)
                for attempt in range(1, _ATTEMPTS + 1):
                    await self._attempt(asked, attempt, log, progress)
                self._settle_empty(asked)
                self._write_all()
            finally:
                self._seconds = log.seconds + time.monotonic() - began
                self._write_about(log)
        return self.made

    async def _shortened(self, log: Log) -> dict[str, dict[str, str]]:
        """Summaries or extractions that documents lack, by question and document."""
        wanted: dict[Request, list[tuple[str, str]]] = {}
        for question in self._questions:
            for id, request in self._prompter.missing(question):
                wanted.setdefault(request, []).append((question.id, id))
        made: dict[str, dict[str, str]] = {}
        for request, places in wanted.items():
            if (said := log.replies.get(key_of(request))) is not None:
                _spread(made, places, said.text)
        new = [request for request in wanted if key_of(request) not in log.replies]
        async for request, reply in self._transport.complete(new):
            if not isinstance(reply, Completion):
                why = f"a document could not be shortened: {reply.reason}"
                raise DataError(Finding("not-shortened", why, self._transport.name,
                                        remedy="Run the same command again."))  # fmt: skip
            places = wanted[request]
            _spread(made, places, log.add(key_of(request), places[0][1], reply).text)
        return made

    def _take_up(self, asked: Iterable[Asked], log: Log) -> None:
        """The answers that the log has already, as the file's first lines."""
        for one in asked:
            for attempt in range(1, _ATTEMPTS + 1):
                said = log.replies.get(key_of(one.request, attempt)) if log.replies else None
                if said is not None and one.question.id not in self._answers:
                    self._note(one, said)
        self._write_all()

    async def _attempt(
        self, asked: Sequence[Asked], attempt: int, log: Log, progress: Progress | None
    ) -> None:
        wanted: dict[Request, list[Asked]] = {}
        for one in asked:
            if one.question.id not in self._answers and one.question.id not in self.made.failed:
                wanted.setdefault(one.request, []).append(one)
        open_ = [r for r in wanted if key_of(r, attempt) not in log.replies]
        if not open_:
            return
        with self._appended() as append:
            async for request, reply in self._transport.complete(open_):
                for number, one in enumerate(wanted[request]):
                    if not isinstance(reply, Completion):
                        self.made.failed[one.question.id] = reply.reason
                        continue
                    key = key_of(request, attempt)
                    said = log.replies[key] if number else log.add(key, one.question.id, reply)
                    if self._note(one, said):
                        append(one.question.id)
                if progress is not None:
                    progress(len(self._answers))

    def _note(self, one: Asked, said: Logged) -> bool:
        """Whether the reply is an answer; if so it is taken."""
        got: Reply = read(said.text, one.question, one.shown, self._prompter.form)
        if got.problem:
            return False
        self.made.answered += 1
        self.made.cut_to_limit += got.cut
        self.made.cut_by_model += said.finish == "length"
        self._answers[one.question.id] = got.text
        return True

    def _settle_empty(self, asked: Iterable[Asked]) -> None:
        for one in asked:
            id = one.question.id
            if id not in self._answers and id not in self.made.failed:
                self.made.empty.append(id)
                self._answers[id] = ""

    def _appended(self) -> _Appended:
        return _Appended(self._places.out, self._answers)

    def _write_all(self) -> None:
        with whole_file(self._places.out) as file:
            for question in self._questions:
                if question.id in self._answers:
                    file.write(_line(question.id, self._answers[question.id]))

    def _write_about(self, log: Log) -> None:
        replies = log.replies.values()
        self.made.tokens_in = sum(reply.tokens_in for reply in replies)
        self.made.tokens_out = sum(reply.tokens_out for reply in replies)
        if getattr(self._transport, "price", 0.0) is not None:
            self.made.cost = round(sum(reply.price for reply in replies), 6)
        about: dict[str, Any] = {
            "schema": 1, "argue_bench": __version__,
            "made": datetime.now(UTC).isoformat(timespec="seconds"), **self.header,
            "seconds": round(self._seconds, 1), **vars(self.made),
        }  # fmt: skip
        with whole_file(self._places.about) as file:
            file.write(json.dumps(about, ensure_ascii=False, indent=2) + "\n")


class _Appended:
    """Adds whole lines to the file, each by one write. A context manager that gives ``append(id)``."""

    def __init__(self, path: Path, answers: Mapping[str, str]) -> None:
        self._path, self._answers = path, answers

    def __enter__(self) -> Callable[[str], None]:
        self._file = os.open(self._path, os.O_WRONLY | os.O_APPEND)
        return self._append

    def __exit__(self, *exc: object) -> None:
        os.close(self._file)

    def _append(self, id: str) -> None:
        line = _line(id, self._answers[id]).encode()
        size = os.fstat(self._file).st_size
        try:
            if os.write(self._file, line) == len(line):
                return
            reason = "the disk is full"
        except OSError as error:
            reason = error.strerror or str(error)
        os.truncate(self._file, size)
        raise DataError(
            Finding("not-written", f"could not be written: {reason}", str(self._path),
                    remedy="Its reply is in the log: make room, and run it again.")
        )  # fmt: skip


def _line(id: str, answer: str) -> str:
    whole = answer.encode(
        "utf-8", "replace"
    ).decode()  # half a surrogate pair has no place in a file
    return json.dumps({"id": id, "answer": whole}, ensure_ascii=False) + "\n"


def _spread(made: dict[str, dict[str, str]], places: Iterable[tuple[str, str]], text: str) -> None:
    for question, document in places:
        made.setdefault(question, {})[document] = text
