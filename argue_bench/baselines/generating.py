"""How does a model's submission come to be, whole at every moment and never asked twice?

Every reply is in the store before its answer is in the file, and the file holds whole lines only; when a
run ends they stand in the set's order. An empty reply or a web page is asked for once more; if that is no
better, the answer is an empty one, which is what a submission has where a system gives none, and it is
counted. A question without any reply has no line, is counted too, and is asked again by the next run. What
was made how is in OUT.about.json. Questions are taken up some at a time, so that memory does not grow with
their number, and by two at once, so that the model need not wait for the last reply of some. Prompts are
written in a thread: they may wait for pages of Wikipedia, and replies that come meanwhile are read.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from argue_bench.baselines.about import Places
from argue_bench.baselines.asking import Asked, Prompter
from argue_bench.baselines.replies import read
from argue_bench.baselines.rows import Rows
from argue_bench.baselines.written import Lines
from argue_bench.errors import Code, DataError, UsageError
from argue_bench.loaders.dataset import Dataset
from argue_bench.models.transport import ChatRequest, Completion, Transport
from argue_bench.records import Question
from argue_bench.store import Author, Kept, Replied, Replies, reply_key

Progress = Callable[[int], None]
_ATTEMPTS = 2
_SOME = 512
"""Questions that are taken up together, at most."""
_WRITING = 2.0
"""Seconds after which those whose prompts are written are taken up."""
_SAY_EVERY = 5.0
"""Seconds after which OUT.about.json is written anew."""


@dataclass
class Made:
    """What a run came to, in questions. ``failed`` maps those without a reply to the reason."""

    questions: int = 0
    answered: int = 0
    asked: int = 0
    """Replies that this run got; the others were in the store."""
    empty: list[str] = field(default_factory=list)
    failed: dict[str, str] = field(default_factory=dict)
    cut_to_limit: int = 0
    cut_by_model: int = 0
    documents_left_out: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    """Of all replies that these answers took, whenever they were got."""
    cost: float | None = 0.0
    """US dollars for them; None where the price of one is not known."""

    @property
    def done(self) -> int:
        return self.answered + len(self.empty)


class Generator:
    """Asks a model all questions of a set, into ``out``. ``limit``: the first questions only.

    ``store`` keeps the replies, beside ``out`` where none is named.
    """

    def __init__(
        self,
        dataset: Dataset,
        prompter: Prompter,
        transport: Transport,
        out: Path,
        limit: int | None = None,
        store: Path | None = None,
        run: str = "",
        team: str = "",
    ) -> None:
        if limit is not None and limit < 1:
            raise UsageError("--limit is at least 1")
        self._dataset, self._prompter, self._transport = dataset, prompter, transport
        self._questions: Sequence[Question] = dataset[:limit] if limit else dataset.questions
        self.places = Places(out, store)
        self.made = Made(len(self._questions))
        self._model = Author.of(transport.name, transport.identity())
        self._rows = Rows(dataset, prompter.form.gives, run or out.stem[:20], team)
        self._counted: set[bytes] = set()
        self._under_way: dict[tuple[ChatRequest, int], list[Asked]] = {}
        """What is asked for right now, and for which questions."""
        self._said = self._began = 0.0
        self._earlier = 0.0

    @property
    def header(self) -> dict[str, str]:
        """What all answers of a file have in common."""
        asking, form = self._prompter.asking, self._prompter.form
        return {
            "model": self._transport.name,
            **{f"model.{name}": value for name, value in self._transport.identity().items()},
            "set": self._dataset.title,
            "setting": self._prompter.setting,
            "prompt": f"{form.name}@{form.digest}",
            **self._rows.header,
            "max_tokens": str(self._prompter.max_tokens),
            "context": str(asking.context),
            "documents": "the form's" if asking.ndoc is None else str(asking.ndoc),
            "shot": f"{asking.shot}, seed {asking.seed}" if asking.shot else "0",
        }

    def prompts(
        self, progress: Progress | None = None
    ) -> Iterator[tuple[Asked, Sequence[ChatRequest]]]:
        """Every prompt, and what is asked before it: texts of documents that the form wants shortened.

        In the prompt each of them is a word in brackets, of at most `SHORTENED` tokens in the end.
        """
        stand_in = f"[its {self._prompter.form.reads}, made first]"
        for done, question in enumerate(self._questions, 1):
            missing = dict(self._prompter.missing(question))
            asked = self._prompter.asked(question, dict.fromkeys(missing, stand_in))
            yield asked, tuple(missing.values())
            if progress is not None:
                progress(done)

    async def run(self, progress: Progress | None = None) -> Made:
        """Asks what is not in the store. Raises DataError (files), JudgeError (nobody answers)."""
        self._earlier = self.places.earlier(self.header)
        self._began = time.monotonic()
        with Replies(self.places.store) as store:
            self._say()  # before the first answer: no file of answers is ever without it
            with Lines(self.places.out) as lines:
                try:
                    await self._take_up_all(store, lines, progress)
                    lines.sort(question.id for question in self._questions)
                finally:
                    self._say()
        return self.made

    async def _take_up_all(self, store: Replies, lines: Lines, progress: Progress | None) -> None:
        waiting, turn = iter(self._questions), asyncio.Lock()

        async def work() -> None:
            while True:
                async with turn:
                    some = await self._next(waiting, store)
                if not some:
                    return
                await self._take_up(some, store, lines, progress)

        # Where texts must be made first, some would wait for those of others.
        at_once = 2 if self._prompter.form.reads == "text" else 1
        working = [asyncio.create_task(work()) for _ in range(at_once)]
        try:
            done, _ = await asyncio.wait(working, return_when=asyncio.FIRST_EXCEPTION)
            if any(task.exception() for task in done):
                waiting = iter(())
                await asyncio.wait(working)  # what is under way comes in and is kept
            for task in done:
                task.result()
        finally:
            for task in working:
                task.cancel()
            await asyncio.gather(*working, return_exceptions=True)

    async def _next(self, waiting: Iterator[Question], store: Replies) -> list[Asked]:
        """The prompts of the next questions, as many as are written before long."""
        if self._prompter.form.reads == "text":
            return await asyncio.to_thread(self._written, waiting)
        questions = list(islice(waiting, _SOME))
        made = await self._shortened(questions, store)
        return [self._prompter.asked(question, made.get(question.id)) for question in questions]

    def _written(self, waiting: Iterator[Question]) -> list[Asked]:
        written: list[Asked] = []
        until = time.monotonic() + _WRITING
        while len(written) < _SOME and (not written or time.monotonic() < until):
            if (question := next(waiting, None)) is None:
                break
            written.append(self._prompter.asked(question))
        return written

    async def _take_up(
        self, asked: list[Asked], store: Replies, lines: Lines, progress: Progress | None
    ) -> None:
        self.made.documents_left_out += sum(one.left_out for one in asked)
        for attempt in range(1, _ATTEMPTS + 1):
            asked = await self._attempt(asked, attempt, store, lines, progress)
        for one in asked:
            self.made.empty.append(one.question.id)
            lines.put(one.question.id, self._rows.row(one.question, ""))
        if progress is not None:
            progress(self.made.done)

    async def _shortened(
        self, questions: Iterable[Question], store: Replies
    ) -> dict[str, dict[str, str]]:
        """Summaries or extractions that documents lack, by question and document."""
        wanted: dict[ChatRequest, list[tuple[str, str]]] = {}
        for question in questions:
            for id, request in self._prompter.missing(question):
                wanted.setdefault(request, []).append((question.id, id))
        made: dict[str, dict[str, str]] = {}

        def spread(request: ChatRequest, text: str) -> None:
            for question, document in wanted[request]:
                made.setdefault(question, {})[document] = text

        new = []
        for request in wanted:
            if (kept := self._found(store, request)) is not None:
                spread(request, kept.text)
            else:
                new.append(request)
        if not new:  # no connection is opened for nothing
            return made
        async for request, reply in self._transport.complete(new):
            if not isinstance(reply, Completion):
                why = f"a document could not be shortened: {reply.reason}"
                raise DataError.of(
                    Code.NOT_SHORTENED,
                    why,
                    self._transport.name,
                    hint="Run the same command again.",
                )
            spread(request, self._keep(store, request, 1, wanted[request][0][1], reply).text)
        return made

    async def _attempt(
        self,
        asked: Iterable[Asked],
        attempt: int,
        store: Replies,
        lines: Lines,
        progress: Progress | None,
    ) -> list[Asked]:
        """Those whose reply, stored or new, is no answer."""
        unanswered: list[Asked] = []
        wanted: list[ChatRequest] = []
        for one in asked:
            if (kept := self._found(store, one.request, attempt)) is not None:
                unanswered += [] if self._note(one, kept, lines) else [one]
            elif (others := self._under_way.get((one.request, attempt))) is not None:
                others.append(one)
            else:
                if attempt == 1 and one.question.id in lines:
                    self._refuse_stranger(one.question)
                wanted.append(one.request)
                self._under_way[one.request, attempt] = [one]
        if not wanted:
            return unanswered
        async for request, reply in self._transport.complete(wanted):
            ones = self._under_way.pop((request, attempt))
            if not isinstance(reply, Completion):
                self.made.failed |= {one.question.id: reply.reason for one in ones}
                continue
            kept = self._keep(store, request, attempt, ones[0].question.id, reply)
            unanswered += [one for one in ones if not self._note(one, kept, lines)]
            if progress is not None:
                progress(self.made.done)
            if time.monotonic() - self._said > _SAY_EVERY:
                self._say()
        return unanswered

    def _refuse_stranger(self, question: Question) -> None:
        """An answer in the file to which no reply in the store led is nobody's to replace."""
        raise DataError.of(
            Code.OTHER_STORE,
            f"has an answer to {question.id[:80]}, to which {self.places.store} has no reply",
            self.places.out,
            hint="Name the store of its replies (--store), or another --out.",
        )

    def _found(self, store: Replies, request: ChatRequest, attempt: int = 1) -> Kept | None:
        key = self._key(request, attempt)
        kept = store.find(key)
        return None if kept is None else self._count(key, kept)

    def _keep(
        self, store: Replies, request: ChatRequest, attempt: int, purpose: str, done: Completion
    ) -> Kept:
        key = self._key(request, attempt)
        price = done.price if getattr(self._transport, "price", 0.0) is not None else None
        kept = Kept(done.text, done.finish, done.tokens_in, done.tokens_out, price)
        store.add(Replied(key, self._model, purpose, attempt, kept, done.sent, done.raw))
        self.made.asked += 1
        return self._count(key, kept)

    def _key(self, request: ChatRequest, attempt: int) -> bytes:
        said = [[message.role, message.text] for message in request.messages]
        whole = json.dumps([said, request.max_tokens, request.stop, request.schema])
        return reply_key(self._model, whole, attempt)

    def _count(self, key: bytes, kept: Kept) -> Kept:
        """What a reply took, counted once however many questions it answers."""
        if key not in self._counted:
            self._counted.add(key)
            made = self.made
            made.tokens_in += kept.tokens_in
            made.tokens_out += kept.tokens_out
            known = made.cost is not None and kept.price is not None
            made.cost = (made.cost or 0.0) + (kept.price or 0.0) if known else None
        return kept

    def _note(self, one: Asked, kept: Kept, lines: Lines) -> bool:
        """Whether the reply is an answer; if so it is in the file."""
        got = read(kept.text, one.question, one.shown, self._prompter.form)
        if got.problem:
            return False
        lines.put(one.question.id, self._rows.row(one.question, got.text))
        self.made.answered += 1
        self.made.cut_to_limit += got.cut
        self.made.cut_by_model += kept.finish == "length"
        return True

    def _say(self) -> None:
        self._said = time.monotonic()
        made: Mapping[str, object] = vars(self.made)
        if self.made.cost is not None:
            made = {**made, "cost": round(self.made.cost, 6)}
        self.places.say(self.header, self._earlier + self._said - self._began, made)
