"""Generates a model's submission: it can be stopped at any moment and never pays for a reply twice.

Every reply is in the store before its answer is in the file, and the file holds whole lines only; when a
run ends they are in the set's order. An empty reply or a web page is requested once more; if that does not
help, the answer is empty, as in a submission of a system that gives none, and it is counted. A question
without any reply has no line, is counted too, and is requested again by the next run.

Questions are taken up in batches, so that memory does not grow with their number, and two batches at once,
so that the model need not wait for the last replies of one. Prompts are written in a thread: they may wait
for pages of Wikipedia while replies come in.
"""

from __future__ import annotations

import asyncio
import json
import math
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, cast

from argue_bench.baselines.answer_file import AnswerFile, AnswerRows, RunFiles
from argue_bench.baselines.forms import answer_in
from argue_bench.baselines.prompter import Prompter, QuestionPrompt
from argue_bench.errors import Code, DataError, UsageError
from argue_bench.loaders.dataset import Dataset
from argue_bench.models.transport import ChatRequest, Completion, Transport
from argue_bench.records import Question
from argue_bench.store import Author, ModelReply, Replies, StoredReply, reply_key
from argue_bench.store.batches import Batches

if TYPE_CHECKING:
    from argue_bench.eval.cluster.connecting import ClusterLike
    from argue_bench.judges.batches import Batching
    from argue_bench.models.chat import Chat

Progress = Callable[[int], None]
_ATTEMPTS = 2
_BATCH = 512
"""Questions in a batch, at most."""
_WRITING_SECONDS = 2.0
"""A batch ends after this time, so that the model gets the first prompts while others are written."""
_ABOUT_SECONDS = 5.0
"""OUT.about.json is rewritten this often."""


def open_model(
    spec: str,
    temperature: float = 0.0,
    top_p: float = 1.0,
    seed: int | None = None,
    environment: Mapping[str, str] | None = None,
    requests: bool = True,
) -> Transport:
    """The model of a spec, ``PROVIDER/MODEL`` or ``local:DIR``.

    ``environment`` replaces the variables of the process. With ``requests`` False, for an estimate, it
    needs no key. Raises UsageError (a bad spec, numbers out of range), JudgeError (no such provider, no
    key), MissingExtra, UnknownName and DataError (no such model on disk).
    """
    if not (math.isfinite(temperature) and 0 <= temperature <= 2 and 0 < top_p <= 1):
        raise UsageError("--temperature is from 0 to 2, --top-p above 0 and at most 1")
    if spec.startswith("local:"):
        from argue_bench.models.causal import CausalModel

        given = {"temperature": temperature, "top_p": top_p, "seed": seed or 0}
        usual = {"temperature": 0.0, "top_p": 1.0, "seed": 0}
        changed = [f"{name}={value}" for name, value in given.items() if value != usual[name]]
        return CausalModel(",".join([spec.removeprefix("local:"), *changed]))
    provider, slash, model = spec.partition("/")
    if not slash or not provider:
        raise UsageError(f"--model {spec}: write PROVIDER/MODEL or local:DIR")
    from argue_bench.models import providers
    from argue_bench.models.chat import Chat, Decoding

    if not requests:
        from argue_bench.models.environment import environment as read

        known = read() if environment is None else environment
        environment = providers.estimating_environment(provider, known)
    return Chat(provider, model, Decoding(temperature, seed, top_p=top_p), known=environment)


@dataclass
class GenerationResult:
    """The counts of a run, in questions. ``failed`` maps those without a reply to the reason."""

    questions: int = 0
    answered: int = 0
    new_replies: int = 0
    """Replies that this run received; the others were in the store."""
    empty: list[str] = field(default_factory=list)
    withheld: list[str] = field(default_factory=list)
    """Questions to which the model or its provider refused an answer; they are not asked again."""
    failed: dict[str, str] = field(default_factory=dict)
    cut_to_limit: int = 0
    cut_by_model: int = 0
    documents_left_out: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    """Tokens of all replies behind these answers, of earlier runs too."""
    cost: float | None = 0.0
    """US dollars for them; None if the price of one is not known."""

    @property
    def done(self) -> int:
        return self.answered + len(self.empty) + len(self.withheld)


class Generator:
    """Puts all questions of a set to a model and writes the answers into ``out``.

    ``limit``: the first questions only. ``store`` keeps the replies, by default beside ``out``.
    ``batching``: how prompts go to a provider's model in batches, if they do. Raises UsageError.
    """

    _store: Replies
    _answers: AnswerFile

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
        batching: Batching | None = None,
    ) -> None:
        if limit is not None and limit < 1:
            raise UsageError("--limit is at least 1")
        if batching is not None and not hasattr(transport, "wording"):
            raise UsageError(f"{transport.name} is not a provider's model: leave out the batches")
        self._batching = batching
        self._at_once, self._writing = (
            (20_000, math.inf) if batching else (_BATCH, _WRITING_SECONDS)
        )
        """Questions in a batch, at most, and the seconds in which its prompts are written."""
        self._dataset, self._prompter, self._transport = dataset, prompter, transport
        self._questions: Sequence[Question] = dataset.questions[:limit]
        self._files = RunFiles(out, store)
        self.result = GenerationResult(len(self._questions))
        self._model = Author.of(transport.name, transport.identity())
        self._rows = AnswerRows(dataset, prompter.form.gives, run or out.stem[:20], team)
        self._counted: set[bytes] = set()
        self._under_way: dict[tuple[ChatRequest, int], list[QuestionPrompt]] = {}
        """Requests (with their attempt) that wait for a reply, and the questions that need it."""
        self._progress: Progress = lambda done: None
        self._earlier = self._began = self._written = 0.0

    @property
    def header(self) -> dict[str, str]:
        """The settings that all answers of a file share."""
        options, form = self._prompter.options, self._prompter.form
        return {
            "model": self._transport.name,
            **{f"model.{name}": value for name, value in self._transport.identity().items()},
            "set": self._dataset.title,
            "setting": self._prompter.setting,
            "prompt": f"{form.name}@{form.digest}",
            **self._rows.header,
            "max_tokens": str(self._prompter.max_tokens),
            "context": str(options.context),
            "documents": "the form's" if options.ndoc is None else str(options.ndoc),
            "shot": f"{options.shot}, seed {options.seed}" if options.shot else "0",
        }

    def prompts(
        self, progress: Progress | None = None
    ) -> Iterator[tuple[QuestionPrompt, Sequence[ChatRequest]]]:
        """Every prompt, with the requests that come before it: texts that the form wants shortened.

        In the prompt a word in brackets takes the place of each; in the end it has at most `SHORTENED`
        tokens.
        """
        placeholder = f"[its {self._prompter.form.reads}, made first]"
        for done, question in enumerate(self._questions, 1):
            missing = dict(self._prompter.shortening(question))
            yield (
                self._prompter.prompt(question, dict.fromkeys(missing, placeholder)),
                tuple(missing.values()),
            )
            if progress is not None:
                progress(done)

    async def run(
        self, progress: Progress | None = None, cluster: ClusterLike = None
    ) -> GenerationResult:
        """Requests what is not in the store, from the workers of a ``cluster`` where one is named.

        Raises DataError (files), JudgeError (no server), and what `connected` raises.
        """
        if cluster is not None:
            from argue_bench.eval.cluster.running import transport_on_cluster

            alone = self._transport
            async with transport_on_cluster(alone, cluster) as shared:
                self._transport = shared
                try:
                    return await self.run(progress)
                finally:
                    self._transport = alone
        self._progress = progress or self._progress
        self._earlier = self._files.seconds_before(self.header)
        self._began = time.monotonic()
        with Replies(self._files.store) as self._store:
            self._write_about()  # before the first answer: no file of answers is ever without it
            with AnswerFile(self._files.out) as self._answers, self._sending():
                try:
                    await self._run_batches()
                    self._answers.sort(question.id for question in self._questions)
                finally:
                    self._write_about()
        return self.result

    @contextmanager
    def _sending(self) -> Iterator[None]:
        """Sends what is asked in batches, which are forgotten once all that they brought is stored."""
        if self._batching is None:
            yield
            return
        chat, batches = self._transport, Batches(self._store)
        self._transport = self._batching.transport(cast("Chat", chat), batches)
        try:
            yield
        finally:
            self._transport = chat
        if not self.result.failed:
            batches.clear()

    async def _run_batches(self) -> None:
        waiting, turn = iter(self._questions), asyncio.Lock()

        async def work() -> None:
            while True:
                async with turn:
                    batch = await self._next_batch(waiting)
                if not batch:
                    return
                await self._run_batch(batch)

        # Where documents must be shortened first, one batch would wait for the texts of another.
        at_once = 2 if self._prompter.form.reads == "text" and not self._batching else 1
        working = [asyncio.create_task(work()) for _ in range(at_once)]
        try:
            done, _ = await asyncio.wait(working, return_when=asyncio.FIRST_EXCEPTION)
            if any(task.exception() for task in done):
                waiting = iter(())
                await asyncio.wait(working)  # replies that are under way are paid for: keep them
            for task in done:
                task.result()
        finally:
            for task in working:
                task.cancel()
            await asyncio.gather(*working, return_exceptions=True)

    async def _next_batch(self, waiting: Iterator[Question]) -> list[QuestionPrompt]:
        if self._prompter.form.reads == "text":
            return await asyncio.to_thread(self._write_prompts, waiting)
        questions = list(islice(waiting, self._at_once))
        texts = await self._shortened(questions)
        return [self._prompter.prompt(question, texts.get(question.id)) for question in questions]

    def _write_prompts(self, waiting: Iterator[Question]) -> list[QuestionPrompt]:
        written: list[QuestionPrompt] = []
        until = time.monotonic() + self._writing
        while len(written) < self._at_once and (not written or time.monotonic() < until):
            if (question := next(waiting, None)) is None:
                break
            written.append(self._prompter.prompt(question))
        return written

    async def _run_batch(self, batch: list[QuestionPrompt]) -> None:
        self.result.documents_left_out += sum(one.left_out for one in batch)
        for attempt in range(1, _ATTEMPTS + 1):
            batch = await self._attempt(batch, attempt)
        for one in batch:
            self.result.empty.append(one.question.id)
            self._answers.put(one.question.id, self._rows.row(one.question, ""))
        self._progress(self.result.done)

    async def _shortened(self, questions: Iterable[Question]) -> dict[str, dict[str, str]]:
        """Generates the summaries or extractions that documents lack, by question and document."""
        wanted: dict[ChatRequest, list[tuple[str, str]]] = {}
        for question in questions:
            for id, request in self._prompter.shortening(question):
                wanted.setdefault(request, []).append((question.id, id))
        texts: dict[str, dict[str, str]] = {}

        def spread(request: ChatRequest, text: str) -> None:
            for question, document in wanted[request]:
                texts.setdefault(question, {})[document] = text

        new = []
        for request in wanted:
            if (kept := self._find(request)) is not None:
                spread(request, kept.text)
            else:
                new.append(request)
        if not new:  # no connection is opened for nothing
            return texts
        async for request, reply in self._transport.complete(new):
            if not isinstance(reply, Completion):
                message = f"a document could not be shortened: {reply.reason}"
                name, hint = self._transport.name, "Run the same command again."
                raise DataError.of(Code.NOT_SHORTENED, message, name, hint=hint)
            spread(request, self._keep(request, 1, wanted[request][0][1], reply).text)
        return texts

    async def _attempt(self, batch: Iterable[QuestionPrompt], attempt: int) -> list[QuestionPrompt]:
        """Requests a batch; returns the prompts whose reply, stored or new, holds no answer."""
        unanswered: list[QuestionPrompt] = []
        wanted: list[ChatRequest] = []
        for one in batch:
            if (kept := self._find(one.request, attempt)) is not None:
                unanswered += [] if self._add_answer(one, kept) else [one]
            elif (others := self._under_way.get((one.request, attempt))) is not None:
                others.append(one)
            else:
                if attempt == 1 and one.question.id in self._answers:
                    # It came from another store: replacing it would mix the replies of two runs.
                    known, store = one.question.id[:80], self._files.store
                    message = f"has an answer to {known}, to which {store} has no reply"
                    hint = "Name the store of its replies (--store), or another --out."
                    raise DataError.of(Code.OTHER_STORE, message, self._files.out, hint=hint)
                wanted.append(one.request)
                self._under_way[one.request, attempt] = [one]
        if not wanted:
            return unanswered
        async for request, reply in self._transport.complete(wanted):
            prompts = self._under_way.pop((request, attempt))
            if not isinstance(reply, Completion):
                self.result.failed |= {one.question.id: reply.reason for one in prompts}
                continue
            kept = self._keep(request, attempt, prompts[0].question.id, reply)
            unanswered += [one for one in prompts if not self._add_answer(one, kept)]
            self._progress(self.result.done)
            if time.monotonic() - self._written > _ABOUT_SECONDS:
                self._write_about()
        return unanswered

    def _find(self, request: ChatRequest, attempt: int = 1) -> ModelReply | None:
        kept = self._store.find(key := self._key(request, attempt))
        return None if kept is None else self._count(key, kept)

    def _keep(
        self, request: ChatRequest, attempt: int, purpose: str, done: Completion
    ) -> ModelReply:
        key = self._key(request, attempt)
        kept = ModelReply(done.text, done.finish, done.tokens_in, done.tokens_out, done.price)
        self._store.add(StoredReply(key, self._model, purpose, attempt, kept, done.sent, done.raw))
        self.result.new_replies += 1
        return self._count(key, kept)

    def _key(self, request: ChatRequest, attempt: int) -> bytes:
        messages = [[message.role, message.text] for message in request.messages]
        whole = json.dumps([messages, request.max_tokens, request.stop, request.schema])
        return reply_key(self._model, whole, attempt)

    def _count(self, key: bytes, kept: ModelReply) -> ModelReply:
        """Adds the tokens and cost of a reply, once however many questions it answers."""
        if key not in self._counted:
            self._counted.add(key)
            result = self.result
            result.tokens_in += kept.tokens_in
            result.tokens_out += kept.tokens_out
            if result.cost is not None:
                result.cost = None if kept.price is None else result.cost + kept.price
        return kept

    def _add_answer(self, one: QuestionPrompt, kept: ModelReply) -> bool:
        """Writes the answer in a reply; False if the reply holds none."""
        answer = answer_in(kept.text, one.question, one.documents, self._prompter.form)
        if answer.problem and kept.finish == "refused":
            self._answers.put(one.question.id, self._rows.row(one.question, ""))
            self.result.withheld.append(one.question.id)
            return True
        if answer.problem:
            return False
        self._answers.put(one.question.id, self._rows.row(one.question, answer.text))
        self.result.answered += 1
        self.result.cut_to_limit += answer.cut
        self.result.cut_by_model += kept.finish == "length"
        return True

    def _write_about(self) -> None:
        self._written = time.monotonic()
        counts: Mapping[str, object] = vars(self.result)
        if self.result.cost is not None:
            counts = {**counts, "cost": round(self.result.cost, 6)}
        self._files.write_about(self.header, self._earlier + self._written - self._began, counts)
