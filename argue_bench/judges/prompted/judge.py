"""A judge that puts requests to a language model, through any transport.

Only a declared verdict counts. A reply without one is asked for once more, told what was wrong with
it, with more room where it was cut short; then the request has failed, and its last reply is kept. A
model that gives no verdict to `GIVE_UP` requests is given up.
"""

from __future__ import annotations

import json
import re
import secrets
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import replace
from itertools import chain, repeat
from typing import get_args

from argue_bench.errors import JudgeError, UsageError
from argue_bench.judges.base import SENT_WITHOUT, Amount, Counts, Reply
from argue_bench.judges.prompted.calls import Asking, Call, CallMode, CallPrompt, calls_of
from argue_bench.judges.prompted.contents import LAYOUTS, was_cut
from argue_bench.judges.prompted.estimating import Expectation
from argue_bench.judges.prompted.prompts import Prompts, our_prompts
from argue_bench.judges.prompted.quoting import LONGEST
from argue_bench.judges.prompted.servers import Servers
from argue_bench.judges.prompted.verdicts import ReplyReading, read
from argue_bench.models.budget import Budget, Price
from argue_bench.models.reply import strip_thoughts
from argue_bench.models.transport import ChatRequest, Completion, Transport
from argue_bench.records import Failed, JudgeRequest, Verdict
from argue_bench.records.display import escape

TRIES = 2
GIVE_UP = 25
MORE_ROOM = 4
BATCHED = 2048
_REASON = 600
"""Characters of a reason that are kept."""


class Prompted:
    """Verdicts of a language model.

    ``asking``: one request a call, or all requests on one sentence. ``max_tokens``: the most tokens of
    a reply, 0 for what its form needs. ``reasons``: the model gives a reason before each verdict,
    which the verdict's note has. ``order``: the seed of the order in which requests stand in a call.
    """

    reads_context = True

    def __init__(
        self,
        transport: Transport,
        prompts: Prompts | None = None,
        asking: CallMode = "single",
        max_tokens: int = 0,
        *,
        reasons: bool = False,
        order: int = 0,
    ) -> None:
        if asking not in get_args(CallMode):
            raise UsageError(f"asking={asking}: expected single or batched")
        self.transport, self._max_tokens = transport, max_tokens
        self._strict = transport.identity().get("structured", "none") != "none"
        self.asking = Asking(
            prompts or our_prompts(),
            secrets.token_bytes(16),
            asking,
            keyed=not self._strict,
            reasons=reasons,
            order=order,
        )
        self.kinds: frozenset[type[JudgeRequest]] = frozenset(LAYOUTS)
        self.counts = Counts()
        self.expected = Expectation(
            transport.name,
            self.price,
            getattr(transport, "expected_thinking", 0.0),
            structured=self._strict,
        )
        self.batch = BATCHED if asking == "batched" else transport.batch
        # The defaults of the prompts that are not ARGUE's, for --on-failure default.
        self.defaults = self.asking.prompts.defaults
        self._never = 0
        model = transport.name.partition("/")[2]
        self.servers = Servers(transport.name, model, getattr(transport, "hosts", ()))

    @property
    def name(self) -> str:
        """The spec; prompts of one's own appear as their digest, never as a path."""
        asking = self.asking
        options = {
            "asking": asking.mode if asking.mode != "single" else "",
            "prompts": asking.prompts.digest if asking.prompts.own else "",
            "max_tokens": self._max_tokens,
            "reasons": "yes" if asking.reasons else "",
            "order": asking.order,
        }
        given = [f"{key}={value}" for key, value in options.items() if value]
        return ",".join([self.transport.name, *given])

    def with_mode(self, asking: CallMode) -> Prompted:
        """The same model under the same prompts in another call mode."""
        return self._changed(replace(self.asking, mode=asking))

    def with_order(self, order: int) -> Prompted:
        """The same model with the requests of each call in another order."""
        return self._changed(replace(self.asking, order=order))

    def _changed(self, asking: Asking) -> Prompted:
        other = Prompted(self.transport, asking.prompts, asking.mode, self._max_tokens)
        other.asking, other.servers = asking, self.servers
        return other

    def set_secret(self, secret: bytes) -> None:
        """Makes prompts with this secret, so that a run that goes on sends the same as before."""
        self.asking = replace(self.asking, secret=secret)

    def send_through(self, transport: Transport) -> None:
        """Sends the same prompts to the same model in another way."""
        self.transport = transport
        self.batch = max(self.batch, transport.batch)
        self.expected.price = self.price

    @property
    def patient(self) -> bool:
        """Whether each call of `judge` takes so long that as many requests as can be should go into it."""
        return getattr(self.transport, "patient", False)

    @property
    def price(self) -> Price | None:
        """The price of the model; None where it costs nothing or the price is not known."""
        return getattr(self.transport, "price", None)

    def identity(self) -> Mapping[str, str]:
        """The model's, and a digest of all prompts."""
        asking = self.asking
        options = {
            "max_tokens": str(self._max_tokens) if self._max_tokens else "",
            "reasons": "yes" if asking.reasons else "",
            "order": str(asking.order) if asking.order else "",
        }
        given = {name: value for name, value in options.items() if value}
        own = {"prompts": asking.prompts.digest, "asking": asking.mode, **given}
        return {**self.transport.identity(), **own}

    def observed(self) -> Mapping[str, str]:
        """Parameters in ``identity`` that the server refused, and other models that answered."""
        found = {"served": self.servers.models(), "without": ", ".join(self._dropped)}
        return {name: value for name, value in found.items() if value}

    @property
    def _dropped(self) -> tuple[str, ...]:
        return tuple(getattr(self.transport, "dropped", ()))

    def confirm_responsive(self) -> None:
        """Records that the model gave a verdict in an earlier run, so that it is never given up."""
        self._never = -1

    def set_budget(self, budget: Budget) -> None:
        """Pays from this budget. Raises JudgeError where the price is not known."""
        if (pay := getattr(self.transport, "set_budget", None)) is not None:
            pay(budget)

    def estimate(self, requests: Iterable[JudgeRequest]) -> Amount:
        """What judging these requests would cost."""
        calls = calls_of(requests, self.asking)
        return self.expected.amount((call, call.prompt(self.asking)) for call in calls)

    async def judge(self, requests: Sequence[JudgeRequest]) -> AsyncIterator[Reply]:
        """Verdicts as the replies come. Raises JudgeError where nothing more can be judged."""
        self.counts.requests += len(requests)
        calls, room = list(calls_of(requests, self.asking)), self._max_tokens
        for tries in range(1, TRIES + 1):
            if not calls:
                return
            # Requests that differ in nothing that a model is told make one prompt, sent once.
            waiting: dict[ChatRequest, list[tuple[Call, CallPrompt]]] = {}
            for call in calls:
                prompt = call.prompt(self._asking_now(), room)
                waiting.setdefault(prompt.sent, []).append((call, prompt))
            calls, short = [], False
            replies = self.transport.complete(list(waiting))
            async with aclosing(replies):  # type: ignore[type-var]
                async for sent, reply in replies:
                    short |= isinstance(reply, Completion) and reply.finish == "length"
                    self._count(reply)
                    put = waiting.pop(sent)
                    if isinstance(reply, Completion):
                        self.expected.note(put[0][1], len(put[0][0].requests), reply)
                    for call, prompt in put:
                        reading = self._reading(reply, prompt)
                        for request, judged in self._judged(call, reply, reading):
                            yield request, judged
                        if not isinstance(reply, Completion) or reply.finish == "refused":
                            continue
                        lacking = self._lacking(call, reading)
                        if lacking and tries < TRIES:
                            calls += call.again(lacking, reading.wrong, reading.miscounted)
                        for request in lacking if tries == TRIES else ():
                            yield request, self._without_verdict(prompt, reply)
            if short:
                least = max((call.prompt(self.asking).sent.max_tokens for call in calls), default=0)
                room = MORE_ROOM * (room or least)

    def _asking_now(self) -> Asking:
        """How requests are sent at this moment: a server may have refused the schema by now."""
        return replace(self.asking, keyed=True) if self._searched else self.asking

    @property
    def _searched(self) -> bool:
        """Whether verdicts are searched for in replies, because no server enforces the schema."""
        return not self._strict or "response_format" in self._dropped

    def _count(self, reply: Completion | Failed) -> None:
        self.counts.calls += 1
        if isinstance(reply, Completion):
            self.counts.tokens_in += reply.tokens_in
            self.counts.tokens_out += reply.tokens_out
            self.counts.price += reply.price or 0.0
            self.counts.unpriced += reply.price is None
            if reply.served is not None:
                self.servers.meet(reply.served)

    def _reading(self, reply: Completion | Failed, prompt: CallPrompt) -> ReplyReading:
        """Reads a reply; an empty reading where there is none, or the server withheld it."""
        if isinstance(reply, Failed) or reply.finish == "refused":
            return ReplyReading()
        reading = read(strip_thoughts(reply.text), prompt.form, strict=not self._searched)
        if reading.verdicts:
            self.confirm_responsive()
        if reading.wrong and reply.finish == "length":
            return replace(reading, wrong="it was cut off before its end")
        return reading

    def _judged(
        self, call: Call, reply: Completion | Failed, reading: ReplyReading
    ) -> Iterator[tuple[JudgeRequest, Verdict | Failed]]:
        """The requests of a call that its reply decides, with a verdict or with a final failure."""
        if isinstance(reply, Failed):
            self.counts.failed += len(call.requests)
            yield from ((request, reply) for request in call.requests)
            return
        # The first verdict of a call holds its texts, the others say where to find them.
        raw = chain([(reply.sent, reply.raw)], repeat((f"as for {call.requests[0].key}", "")))
        for number, request in enumerate(call.requests, 1):
            if reply.finish == "refused":
                self.counts.failed += 1
                yield request, Failed(reply.why, *next(raw))
            elif (word := reading.verdicts.get(number)) is not None:
                note = self._note(request, reading.reasons.get(number, ""))
                yield request, Verdict(word, note, *next(raw))

    @staticmethod
    def _lacking(call: Call, reading: ReplyReading) -> list[JudgeRequest]:
        return [one for n, one in enumerate(call.requests, 1) if n not in reading.verdicts]

    def _note(self, request: JudgeRequest, reason: str) -> str:
        if request.quotes:
            source = " ".join(getattr(request, request.quotes).split())
            # What the text does not hold word for word is no quote.
            reason = quote if (quote := " ".join(reason.split())) in source else ""
        elif not self.asking.reasons:
            reason = ""
        notes = [escape(reason, _REASON)] if reason else []
        if was_cut(request):
            self.counts.cut += 1
            notes.append(f"a text was cut after {LONGEST:,} characters")
        if self._dropped:
            notes.append(SENT_WITHOUT + ", ".join(self._dropped))
        return "; ".join(notes)

    def _without_verdict(self, prompt: CallPrompt, reply: Completion) -> Failed:
        self.counts.failed += 1
        shown = repr(reply.text[:120]) + ("..." if len(reply.text) > 120 else "")
        if reply.why:
            shown += f" ({reply.why})"
        if self._never >= 0:
            self._never += 1
            if self._never >= GIVE_UP:
                raise JudgeError(
                    f"{self.name} gave no verdict to any of {GIVE_UP} judge requests, each tried {TRIES} "
                    f"times; the last reply was {shown}. {self._advice(prompt, reply)}"
                )
        reason = f"no verdict in {TRIES} replies; the last: {shown}"
        return Failed(reason, prompt=reply.sent, reply=reply.raw)

    def _advice(self, prompt: CallPrompt, reply: Completion) -> str:
        """Advice for a model that gives no verdict at all."""
        text = strip_thoughts(reply.text)
        told = re.search(r'"verdicts?": ?"\w', text) or read(text, prompt.form, False).verdicts
        if self._strict and told:
            provider, _, model = self.transport.name.partition("/")
            row = f'[[{provider}.models]]\nmodel = {json.dumps(model)}\nstructured = "none"'
            return (
                "There is a verdict in it, but the server does not hold its model to the JSON schema that "
                "it was sent, without which other text could pass for one. If that is so, let "
                f"ARGUE_BENCH_PROVIDERS name a file with\n{row}"
            )
        if reply.finish == "length":
            return "It was cut off: give it more room (max_tokens=N)."
        return "Its replies are in the verdict store, where there is one."
