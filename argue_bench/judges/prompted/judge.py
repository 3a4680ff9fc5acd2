"""A judge that asks a language model, through any transport, and believes only declared verdicts.

A reply without a verdict is asked for anew, up to three times in all and with more room where it was
cut short; then the ask has failed, with the last reply kept. A model that gives no verdict at all is
given up after `GIVE_UP` asks.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any

from argue_bench.errors import JudgeError, UsageError
from argue_bench.judges.base import WITHOUT, Counts, Reply
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


@dataclass(frozen=True)
class Estimate:
    """What asks would come to; tokens are bytes divided by four. ``price`` None where not known."""

    calls: int
    tokens_in: int
    tokens_out: int
    price: float | None


class Prompted:
    """Verdicts of a language model.

    ``asking``: one call an ask, or all asks about one sentence in one call. ``max_tokens``: the most that
    a reply may have, 0 for what its form needs.
    """

    def __init__(
        self,
        transport: Transport,
        prompts: Prompts | None = None,
        asking: CallMode = "single",
        max_tokens: int = 0,
    ) -> None:
        self.transport, self._prompts = transport, prompts or our_prompts()
        self._asking: CallMode = asking
        self._max_tokens = max_tokens
        self.kinds: frozenset[type[JudgeRequest]] = frozenset(ALONE)
        self.counts = Counts()
        self._strict = transport.identity().get("structured", "none") != "none"
        self._never = 0
        if asking not in ("single", "batched"):
            raise UsageError(f"asking={asking}: expected single or batched")

    @property
    def name(self) -> str:
        """The spec; prompts of one's own appear as their digest, never as a path."""
        parts = [self.transport.name]
        if self._asking != "single":
            parts.append(f"asking={self._asking}")
        if self._prompts.own:
            parts.append(f"prompts={self._prompts.digest}")
        if self._max_tokens:
            parts.append(f"max_tokens={self._max_tokens}")
        return ",".join(parts)

    def with_mode(self, asking: CallMode) -> Prompted:
        """The same model under the same prompts in another call mode."""
        return Prompted(self.transport, self._prompts, asking, self._max_tokens)

    @property
    def batch(self) -> int:
        return BATCHED if self._asking == "batched" else self.transport.batch

    @property
    def defaults(self) -> Mapping[type[JudgeRequest], str]:
        """The verdicts that ``--on-failure default`` fills in, where the prompts' are not ARGUE's."""
        return self._prompts.defaults

    @property
    def price(self) -> Price | None:
        """What the model costs, None where it costs nothing or nobody knows."""
        return getattr(self.transport, "price", None)

    def identity(self) -> Mapping[str, str]:
        """The model's, and a digest of all prompts."""
        limit = {"max_tokens": str(self._max_tokens)} if self._max_tokens else {}
        own = {"prompts": self._prompts.digest, "asking": self._asking, **limit}
        return {**self.transport.identity(), **own}

    def dropped_parameters(self) -> Mapping[str, str]:
        """What went otherwise than ``identity`` says: parameters that the server refused."""
        refused = ", ".join(self._refused)
        return {"without": refused} if refused else {}

    def confirm_responsive(self) -> None:
        """The model gave verdicts before, so it is not given up for a row of replies without."""
        self._never = -1

    def set_budget(self, budget: Budget) -> None:
        """Pays from this budget. Raises JudgeError where the price is not known."""
        pay = getattr(self.transport, "set_budget", None)
        if pay is not None:
            pay(budget)

    def estimate(self, requests: Iterable[JudgeRequest]) -> Estimate:
        """What these asks would come to, without asking."""
        calls = tokens_in = tokens_out = 0
        for call in calls_of(requests, self._prompts, self._asking):
            prompt = call.prompt(self._prompts)
            size = sum(len(m.text.encode("utf-8", "replace")) for m in prompt.messages)
            calls += 1
            tokens_in += -(-size // _BYTES_A_TOKEN)
            tokens_out += _TOKENS_A_VERDICT * len(call.requests)
        price = self.price.of(tokens_in, tokens_out) if self.price else None
        return Estimate(calls, tokens_in, tokens_out, price)

    async def judge(self, requests: Sequence[JudgeRequest]) -> AsyncIterator[Reply]:
        """Verdicts as the replies come. Raises JudgeError where nothing more can be asked."""
        self.counts.asked += len(requests)
        calls = list(calls_of(requests, self._prompts, self._asking))
        room = self._max_tokens
        for tries in range(1, TRIES + 1):
            prompts_out = {call.prompt(self._prompts, room): call for call in calls}
            again: list[JudgeRequest] = []
            short = False
            replies = self.transport.complete(list(prompts_out))
            async with aclosing(replies):  # type: ignore[type-var]
                async for prompt, reply in replies:
                    call = prompts_out.pop(prompt)
                    short |= isinstance(reply, Completion) and reply.finish == "length"
                    for request, said in self._read(call, reply, last=tries == TRIES):
                        if said is None:
                            again.append(request)
                        else:
                            yield request, said
            if not again:
                return
            calls = list(calls_of(again, self._prompts, self._asking))
            if short:
                room = MORE_ROOM * (
                    room or max(call.prompt(self._prompts).max_tokens for call in calls)
                )

    @property
    def _refused(self) -> tuple[str, ...]:
        return tuple(getattr(self.transport, "dropped", ()))

    def _read(
        self, call: Call, reply: Completion | Failed, last: bool
    ) -> Iterable[tuple[JudgeRequest, Verdict | Failed | None]]:
        """A reply to each ask of the call; None for those to be asked again."""
        self.counts.calls += 1
        if isinstance(reply, Failed):
            self.counts.failed += len(call.requests)
            return [(request, reply) for request in call.requests]
        self.counts.tokens_in += reply.tokens_in
        self.counts.tokens_out += reply.tokens_out
        self.counts.price += reply.price
        strict = self._strict and "response_format" not in self._refused
        refused = reply.finish == "refused"
        found = {} if refused else call.read(strip_thoughts(reply.text), strict)
        if found:
            self.confirm_responsive()
        raw = _raw(call, reply)
        said: list[tuple[JudgeRequest, Verdict | Failed | None]] = []
        for request in call.requests:
            if request in found:
                said.append((request, Verdict(found[request], self._note(request), *next(raw))))
            elif refused:
                self.counts.failed += 1
                said.append((request, Failed(reply.why, *next(raw))))
            elif last:
                said.append((request, self._unread(call, reply)))
            else:
                said.append((request, None))
        return said

    def _note(self, request: JudgeRequest) -> str:
        notes = []
        if was_cut(request):
            self.counts.cut += 1
            notes.append(f"a text was cut after {LONGEST:,} characters")
        if self._refused:
            notes.append(WITHOUT + ", ".join(self._refused))
        return "; ".join(notes)

    def _unread(self, call: Call, reply: Completion) -> Failed:
        self.counts.failed += 1
        if self._never >= 0:
            self._never += 1
            if self._never >= GIVE_UP:
                raise JudgeError(
                    f"{self.name} gave no verdict to any of {GIVE_UP} asks, each tried {TRIES} times; the "
                    f"last reply was {_shown(reply)}. {self._advice(call, reply)}"
                )
        reason = f"no verdict in {TRIES} replies; the last: {_shown(reply)}"
        return Failed(reason, prompt=reply.sent, reply=reply.raw)

    def _advice(self, call: Call, reply: Completion) -> str:
        """What to do about a model that gives no verdict at all."""
        if self._strict and call.read(strip_thoughts(reply.text), strict=False):
            provider, _, model = self.transport.name.partition("/")
            row = {"provider": provider, "model": model, "structured": "none"}
            return (
                "There is a verdict in it, but the server does not hold its model to the JSON schema that "
                "it was sent, without which other text could pass for one. If that is so, let "
                f"ARGUE_BENCH_CAPABILITIES name a file with {json.dumps({'models': [row]})}"
            )
        return "Does the model reason, and is there room for it (max_tokens=N)?"


def _shown(reply: Completion) -> str:
    said = repr(reply.text[:120]) + ("..." if len(reply.text) > 120 else "")
    return f"{said} ({reply.why})" if reply.why else said


def _raw(call: Call, reply: Completion) -> Any:
    """Request and reply for the first verdict of a call; for the others where to find them."""
    yield reply.sent, reply.raw
    while True:
        yield f"as for {call.requests[0].key}", ""
