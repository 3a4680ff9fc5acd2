"""A judge that puts requests to a language model, through any transport.

Only a declared verdict counts. A reply without one is asked for again, three times in all, with more
room where it was cut short; then the request has failed, and its last reply is kept. A model that
gives no verdict to `GIVE_UP` requests is given up.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from contextlib import aclosing
from itertools import chain, repeat
from typing import get_args

from argue_bench.errors import JudgeError, UsageError
from argue_bench.judges.base import SENT_WITHOUT, Amount, Counts, Reply
from argue_bench.judges.prompted.calls import Call, CallMode, calls_of
from argue_bench.judges.prompted.contents import ALONE, was_cut
from argue_bench.judges.prompted.prompts import Prompts, our_prompts
from argue_bench.judges.prompted.quoting import LONGEST
from argue_bench.models.budget import Budget, Price
from argue_bench.models.reply import strip_thoughts
from argue_bench.models.transport import Completion, Transport
from argue_bench.records import Failed, JudgeRequest, Verdict

TRIES = 3
GIVE_UP = 25
MORE_ROOM = 4
BATCHED = 2048
_BYTES_A_TOKEN = 4
_TOKENS_A_VERDICT = 8


class Prompted:
    """Verdicts of a language model.

    ``asking``: one request a call, or all requests on one sentence. ``max_tokens``: the most tokens of
    a reply, 0 for what its form needs.
    """

    def __init__(
        self,
        transport: Transport,
        prompts: Prompts | None = None,
        asking: CallMode = "single",
        max_tokens: int = 0,
    ) -> None:
        if asking not in get_args(CallMode):
            raise UsageError(f"asking={asking}: expected single or batched")
        self.transport, self._prompts = transport, prompts or our_prompts()
        self._asking: CallMode = asking
        self._max_tokens = max_tokens
        self.kinds: frozenset[type[JudgeRequest]] = frozenset(ALONE)
        self.counts = Counts()
        self.batch = BATCHED if asking == "batched" else transport.batch
        # The defaults of the prompts that are not ARGUE's, for --on-failure default.
        self.defaults = self._prompts.defaults
        self._strict = transport.identity().get("structured", "none") != "none"
        self._never = 0

    @property
    def name(self) -> str:
        """The spec; prompts of one's own appear as their digest, never as a path."""
        options = {
            "asking": self._asking if self._asking != "single" else "",
            "prompts": self._prompts.digest if self._prompts.own else "",
            "max_tokens": self._max_tokens,
        }
        given = [f"{key}={value}" for key, value in options.items() if value]
        return ",".join([self.transport.name, *given])

    def with_mode(self, asking: CallMode) -> Prompted:
        """The same model under the same prompts in another call mode."""
        return Prompted(self.transport, self._prompts, asking, self._max_tokens)

    @property
    def price(self) -> Price | None:
        """The price of the model; None where it costs nothing or the price is not known."""
        return getattr(self.transport, "price", None)

    def identity(self) -> Mapping[str, str]:
        """The model's, and a digest of all prompts."""
        limit = {"max_tokens": str(self._max_tokens)} if self._max_tokens else {}
        own = {"prompts": self._prompts.digest, "asking": self._asking, **limit}
        return {**self.transport.identity(), **own}

    def dropped_parameters(self) -> Mapping[str, str]:
        """Parameters in ``identity`` that the server refused."""
        dropped = ", ".join(self._dropped)
        return {"without": dropped} if dropped else {}

    @property
    def _dropped(self) -> tuple[str, ...]:
        return tuple(getattr(self.transport, "dropped", ()))

    def confirm_responsive(self) -> None:
        """Notes that the model gave a verdict before: it is never given up."""
        self._never = -1

    def set_budget(self, budget: Budget) -> None:
        """Pays from this budget. Raises JudgeError where the price is not known."""
        if (pay := getattr(self.transport, "set_budget", None)) is not None:
            pay(budget)

    def estimate(self, requests: Iterable[JudgeRequest]) -> Amount:
        """What judging these requests would cost, a token taken for four bytes."""
        calls = tokens_in = tokens_out = 0
        for call in calls_of(requests, self._prompts, self._asking):
            prompt = call.prompt(self._prompts)
            size = sum(len(m.text.encode("utf-8", "replace")) for m in prompt.messages)
            calls += 1
            tokens_in += -(-size // _BYTES_A_TOKEN)
            tokens_out += _TOKENS_A_VERDICT * len(call.requests)
        price = self.price.of(tokens_in, tokens_out) if self.price else None
        return Amount(calls, tokens_in, tokens_out, price)

    async def judge(self, requests: Sequence[JudgeRequest]) -> AsyncIterator[Reply]:
        """Verdicts as the replies come. Raises JudgeError where nothing more can be judged."""
        self.counts.requests += len(requests)
        open_requests, room, short = list(requests), self._max_tokens, False
        for tries in range(1, TRIES + 1):
            calls = list(calls_of(open_requests, self._prompts, self._asking))
            if short:
                least = max(call.prompt(self._prompts).max_tokens for call in calls)
                room = MORE_ROOM * (room or least)
            # A prompt is new at every call (its markers are random), so it names its call.
            prompts = {call.prompt(self._prompts, room): call for call in calls}
            open_requests, short = [], False
            replies = self.transport.complete(list(prompts))
            async with aclosing(replies):  # type: ignore[type-var]
                async for prompt, reply in replies:
                    short |= isinstance(reply, Completion) and reply.finish == "length"
                    call = prompts.pop(prompt)
                    for request, judged in self._read(call, reply, last=tries == TRIES):
                        if judged is None:
                            open_requests.append(request)
                        else:
                            yield request, judged
            if not open_requests:
                return

    def _read(
        self, call: Call, reply: Completion | Failed, last: bool
    ) -> Iterator[tuple[JudgeRequest, Verdict | Failed | None]]:
        """The outcome of each request of a call; None for those to be sent again."""
        self.counts.calls += 1
        if isinstance(reply, Failed):
            self.counts.failed += len(call.requests)
            yield from ((request, reply) for request in call.requests)
            return
        self.counts.tokens_in += reply.tokens_in
        self.counts.tokens_out += reply.tokens_out
        self.counts.price += reply.price
        declined = reply.finish == "refused"
        # A server that refused the schema no longer holds its model to it: its replies are searched.
        strict = self._strict and "response_format" not in self._dropped
        found = {} if declined else call.read(strip_thoughts(reply.text), strict)
        if found:
            self.confirm_responsive()
        # The first verdict of a call holds its texts, the others say where to find them.
        raw = chain([(reply.sent, reply.raw)], repeat((f"as for {call.requests[0].key}", "")))
        for request in call.requests:
            if request in found:
                yield request, Verdict(found[request], self._note(request), *next(raw))
            elif declined:
                self.counts.failed += 1
                yield request, Failed(reply.why, *next(raw))
            else:
                yield request, self._without_verdict(call, reply) if last else None

    def _note(self, request: JudgeRequest) -> str:
        notes = []
        if was_cut(request):
            self.counts.cut += 1
            notes.append(f"a text was cut after {LONGEST:,} characters")
        if self._dropped:
            notes.append(SENT_WITHOUT + ", ".join(self._dropped))
        return "; ".join(notes)

    def _without_verdict(self, call: Call, reply: Completion) -> Failed:
        self.counts.failed += 1
        shown = repr(reply.text[:120]) + ("..." if len(reply.text) > 120 else "")
        if reply.why:
            shown += f" ({reply.why})"
        if self._never >= 0:
            self._never += 1
            if self._never >= GIVE_UP:
                raise JudgeError(
                    f"{self.name} gave no verdict to any of {GIVE_UP} judge requests, each tried {TRIES} "
                    f"times; the last reply was {shown}. {self._advice(call, reply)}"
                )
        reason = f"no verdict in {TRIES} replies; the last: {shown}"
        return Failed(reason, prompt=reply.sent, reply=reply.raw)

    def _advice(self, call: Call, reply: Completion) -> str:
        """What to do about a model that gives no verdict at all."""
        if self._strict and call.read(strip_thoughts(reply.text), strict=False):
            provider, _, model = self.transport.name.partition("/")
            row = f'[[{provider}.models]]\nmodel = {json.dumps(model)}\nstructured = "none"'
            return (
                "There is a verdict in it, but the server does not hold its model to the JSON schema that "
                "it was sent, without which other text could pass for one. If that is so, let "
                f"ARGUE_BENCH_PROVIDERS name a file with\n{row}"
            )
        return "Does the model reason, and is there room for it (max_tokens=N)?"
