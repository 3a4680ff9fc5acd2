"""Generates a model's submission: it can be stopped at any moment and never pays for a reply twice.

Every reply is in the store before it is used; when a run ends its answers are written in the set's order. An empty reply or a web page is requested once more; if that does not
help, the answer is empty, as in a submission of a system that gives none, and it is counted. A question
without any reply has no line, is counted too, and is requested again by the next run.

Questions are taken up in batches, so that memory does not grow with their number. While the replies to
one batch come in, a thread writes the prompts of the next: it may wait for pages of Wikipedia.
"""

from __future__ import annotations

import asyncio
import json
import math
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import Any

from pydantic import ConfigDict, NonNegativeFloat, NonNegativeInt

from argue_bench.baselines.forms import Prompter, QuestionPrompt, answer_in
from argue_bench.errors import Code, DataError, UsageError
from argue_bench.loaders.answers import answer_reader
from argue_bench.loaders.dataset import Dataset
from argue_bench.models.transport import ChatRequest, Completion, Transport
from argue_bench.records import Question
from argue_bench.records.atomic import write_json, write_lines
from argue_bench.records.untrusted import read_json
from argue_bench.records.validation import Record, validate
from argue_bench.store import Author, ModelReply, Replies, StoredReply, reply_key
from argue_bench.version import __version__

# The files of a model's run: the answers, OUT.about.json, which says how they were made, and the store of replies.
#
# The answers are written when a run ends, in whatever way but a kill: each reply is in the store before, so that
# the next run has it for nothing. A run that would mix answers of another model, prompt, data set or setting is refused.

# What TREC calls the author of a run.
_TEAM = "argue-bench"


class _About(Record):
    """The keys of an OUT.about.json that readers rely on; it has more."""

    model_config = ConfigDict(extra="ignore")
    model: str
    setting: str
    prompt: str
    seconds: NonNegativeFloat
    questions: NonNegativeInt
    answered: NonNegativeInt
    tokens_in: NonNegativeInt
    tokens_out: NonNegativeInt
    cost: NonNegativeFloat | None
    empty: tuple[str, ...]


def read_about(path: Path) -> Mapping[str, Any]:
    """An OUT.about.json, with the keys of `_About` at least. Raises DataError."""
    about: Mapping[str, Any] = read_json(path)
    hint = "Name the file that generate wrote beside its answers."
    validate(_About, about, Code.WRONG_SHAPE, path, hint=hint)
    return about


Progress = Callable[[int], None]
# An empty reply is asked for once more: a second one is the model's answer.
_ATTEMPTS = 2
# Questions in a batch, at most.
_BATCH = 512
# A batch ends after this time, so that the model gets the first prompts while others are written.
_WRITING_SECONDS = 2.0


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
    # Replies that this run received; the others were in the store.
    new_replies: int = 0
    empty: list[str] = field(default_factory=list)
    # Questions to which the model or its provider refused an answer; they are not asked again.
    withheld: list[str] = field(default_factory=list)
    failed: dict[str, str] = field(default_factory=dict)
    cut_to_limit: int = 0
    cut_by_model: int = 0
    documents_left_out: int = 0
    tokens_in: int = 0
    # Tokens of all replies behind these answers, of earlier runs too.
    tokens_out: int = 0
    # US dollars for them; None if the price of one is not known.
    cost: float | None = 0.0

    @property
    def done(self) -> int:
        return self.answered + len(self.empty) + len(self.withheld)


class Generator:
    """Puts all questions of a set to a model and writes the answers into ``out``.

    ``limit``: the first questions only.
    Raises UsageError.
    """

    _store: Replies

    def __init__(
        self,
        dataset: Dataset,
        prompter: Prompter,
        transport: Transport,
        out: Path,
        limit: int | None = None,
    ) -> None:
        if limit is not None and limit < 1:
            raise UsageError("--limit is at least 1")
        self._dataset, self._prompter, self._transport = dataset, prompter, transport
        self._questions: Sequence[Question] = dataset.questions[:limit]
        self._out = out
        self._about, self._replies = (
            out.with_name(f"{out.stem}.{ending}") for ending in ("about.json", "replies")
        )
        self.result = GenerationResult(len(self._questions))
        self._model = Author.of(transport.name, transport.identity())
        self._read = answer_reader(dataset)
        # By question id.
        self._answers: dict[str, Mapping[str, object]] = {}
        self._counted: set[bytes] = set()
        self._progress: Progress = lambda done: None
        self._earlier = self._began = 0.0

    @property
    def header(self) -> dict[str, str]:
        """The settings that all answers of a file share."""
        options, form = self._prompter.options, self._prompter.form
        run = {"run_id": self._out.stem[:20], "team_id": _TEAM} if form.gives == "report" else {}
        return {
            "model": self._transport.name,
            **{f"model.{name}": value for name, value in self._transport.identity().items()},
            "set": self._dataset.title,
            "setting": self._prompter.setting,
            "prompt": f"{form.name}@{form.digest}",
            "gives": form.gives,
            **run,
            "max_tokens": str(self._prompter.max_tokens),
            "context": str(options.context),
            "documents": "the form's" if options.ndoc is None else str(options.ndoc),
        }

    def prompts(self) -> Iterator[QuestionPrompt]:
        """Every prompt, in the set's order."""
        return map(self._prompter.prompt, self._questions)

    async def run(self, progress: Progress | None = None) -> GenerationResult:
        """Requests what is not in the store. ``progress`` is given the number of questions done.

        Raises DataError (files) and JudgeError (no server).
        """
        self._progress = progress or self._progress
        self._earlier = self._seconds_before()
        self._began = time.monotonic()
        with Replies(self._replies) as self._store:
            if (budget := getattr(self._transport, "budget", None)) is not None:
                budget.keep_in(self._store)
            try:
                await self._run_batches()
            finally:
                self._write_about()  # before the answers: no file of answers is ever without it
                rows = (self._answers.get(question.id) for question in self._questions)
                write_lines(self._out, filter(None, rows))
        return self.result

    def _seconds_before(self) -> float:
        """The seconds that earlier runs into OUT took.

        Raises UsageError where OUT has answers without its other files or lies among submissions, and
        DataError where its answers were made otherwise than the header says.
        """
        out = self._out
        if out.parent.name.endswith("-generations"):
            raise UsageError(
                f"{out.parent} may hold nothing but submissions, and a model's run writes more "
                "files beside its answers: write them elsewhere, then copy the finished file"
            )
        if not out.exists() or not out.stat().st_size:
            return 0.0
        if lacking := [one.name for one in (self._about, self._replies) if not one.exists()]:
            raise UsageError(
                f"{out} exists, but no {lacking[0]} says how it was made: name another --out"
            )
        known = read_about(self._about)
        if differences := "; ".join(
            f"{name}: {known.get(name, 'none')!s:.80}, now {value:.80}"
            for name, value in self.header.items()
            if known.get(name) != value
        ):
            message = f"these answers were begun otherwise ({differences})"
            raise DataError.of(
                Code.OTHER_DATA, message, out, hint="Name another --out, or remove this file."
            )
        return float(known["seconds"])

    def _row(self, question: Question, text: str) -> Mapping[str, object]:
        """The line of a question; an empty text means no answer."""
        if self._prompter.form.gives == "answer":
            return {"id": question.id, "answer": text}
        # A report is cut into the sentences and citations that an evaluation of its text would
        # read, so that both forms of an answer score alike.
        sentences = self._read(question, text).sentences
        return {
            "metadata": {
                "team_id": _TEAM,
                "run_id": self._out.stem[:20],
                "topic_id": question.id,
            },
            "responses": [
                {"text": one.plain, "citations": list(dict.fromkeys(one.citations))}
                for one in sentences
            ],
            "references": list(dict.fromkeys(id for one in sentences for id in one.citations)),
        }

    async def _run_batches(self) -> None:
        waiting = iter(self._questions)
        writing = asyncio.create_task(asyncio.to_thread(self._write_prompts, waiting))
        try:
            while batch := await writing:
                writing = asyncio.create_task(asyncio.to_thread(self._write_prompts, waiting))
                await self._run_batch(batch)
        finally:
            # A thread can't be cancelled: it ends with the prompt that it is writing.
            await asyncio.gather(writing, return_exceptions=True)

    def _write_prompts(self, waiting: Iterator[Question]) -> list[QuestionPrompt]:
        until = time.monotonic() + _WRITING_SECONDS
        written: list[QuestionPrompt] = []
        for question in islice(waiting, _BATCH):
            written.append(self._prompter.prompt(question))
            if time.monotonic() > until:
                break
        return written

    async def _run_batch(self, batch: list[QuestionPrompt]) -> None:
        self.result.documents_left_out += sum(one.left_out for one in batch)
        for attempt in range(1, _ATTEMPTS + 1):
            batch = await self._attempt(batch, attempt)
        for one in batch:
            self.result.empty.append(one.question.id)
            self._answers[one.question.id] = self._row(one.question, "")
        self._progress(self.result.done)

    async def _attempt(self, batch: Iterable[QuestionPrompt], attempt: int) -> list[QuestionPrompt]:
        """Requests a batch; returns the prompts whose reply, stored or new, holds no answer."""
        unanswered: list[QuestionPrompt] = []
        wanted: dict[ChatRequest, list[QuestionPrompt]] = {}
        for one in batch:
            if (kept := self._find(one.request, attempt)) is not None:
                unanswered += [] if self._add_answer(one, kept) else [one]
            else:
                # Questions of the same words share a reply.
                wanted.setdefault(one.request, []).append(one)
        if not wanted:
            return unanswered
        async for request, reply in self._transport.complete(list(wanted)):
            prompts = wanted[request]
            if not isinstance(reply, Completion):
                self.result.failed |= {one.question.id: reply.reason for one in prompts}
                continue
            kept = self._keep(request, attempt, prompts[0].question.id, reply)
            unanswered += [one for one in prompts if not self._add_answer(one, kept)]
            self._progress(self.result.done)
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
        whole = json.dumps([messages, request.max_tokens, [], request.schema])
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
        text, cut = answer_in(kept.text, one.question, one.documents, self._prompter.form)
        if not text and kept.finish == "refused":
            self._answers[one.question.id] = self._row(one.question, "")
            self.result.withheld.append(one.question.id)
            return True
        if not text:
            return False
        self._answers[one.question.id] = self._row(one.question, text)
        self.result.answered += 1
        self.result.cut_to_limit += cut
        self.result.cut_by_model += kept.finish == "length"
        return True

    def _write_about(self) -> None:
        counts: Mapping[str, object] = vars(self.result)
        if self.result.cost is not None:
            counts = {**counts, "cost": round(self.result.cost, 6)}
        about = {
            "schema": 1,
            "argue_bench": __version__,
            "created": datetime.now(UTC).isoformat(timespec="seconds"),
            **self.header,
            "seconds": round(self._earlier + time.monotonic() - self._began, 1),
            **counts,
        }
        write_json(self._about, about)
