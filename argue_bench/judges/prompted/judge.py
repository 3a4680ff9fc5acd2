"""A judge that puts requests to a language model, through any transport.

Only a declared verdict counts. A reply without one is asked for once more, told what was wrong with
it, with more room where it was cut short; then the request has failed, and its last reply is kept. A
model that gives no verdict to `GIVE_UP` requests is given up.

An estimate takes a token for four bytes of prompt or schema, and for five halves of a character of a reply's
JSON; thoughts are as many as the provider's row says of the model. What a server will read from its cache, at a
lower price, is not foreseen.
"""

from __future__ import annotations

import json
import logging
import re
import secrets
from collections.abc import (
    AsyncGenerator,
    AsyncIterator,
    Callable,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from contextlib import aclosing
from dataclasses import dataclass, replace
from itertools import chain, repeat
from typing import get_args

from argue_bench.errors import JudgeError, UsageError
from argue_bench.judges.base import SENT_WITHOUT, Amount, Judge, Reply
from argue_bench.judges.prompted.calls import (
    Asking,
    BothOrders,
    Call,
    CallMode,
    CallPrompt,
    calls_of,
)
from argue_bench.judges.prompted.prompts import LAYOUTS, LONGEST, Prompts, our_prompts, was_cut
from argue_bench.judges.prompted.replies import FAULTS, ReplyReading, read
from argue_bench.models.budget import Budget, Price
from argue_bench.models.reply import strip_thoughts
from argue_bench.models.transport import ChatRequest, Completion, Served, Transport
from argue_bench.records import Failed, JudgeRequest, Verdict
from argue_bench.records.display import escape
from argue_bench.records.grouping import grouped

_LOG = logging.getLogger(__name__)


class Servers:
    """The servers that answered for one model, in the order of their first reply.

    If another model or build answers than before, its verdicts are another model's: the user is told so once.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self.known: dict[Served, None] = {}
        self._told = False

    def recall(self, earlier: Iterable[Served]) -> None:
        """Adds the servers of the verdicts in a store."""
        self.known = {**dict.fromkeys(earlier), **self.known}

    def meet(self, served: Served) -> None:
        """Adds the server of a reply."""
        if served in self.known:
            return
        builds = {(one.model, one.fingerprint) for one in self.known}
        if builds and (served.model, served.fingerprint) not in builds and not self._told:
            self._told = True
            _LOG.warning(
                "%s: earlier replies came from %s, this one from %s. Another --store keeps them apart.",
                self._name,
                list(self.known)[-1],
                served,
            )
        self.known[served] = None

    def listed(self) -> tuple[str, ...]:
        """Each in words, in order of the alphabet."""
        return tuple(sorted(map(str, self.known)))

    def models(self) -> str:
        """The models that answered, with commas between, where they are not the one asked for."""
        names = sorted({_as_name(one.model) for one in self.known if one.model})
        return "" if names in ([], [_as_name(self._name.partition("/")[2])]) else ",".join(names)


def _as_name(model: str) -> str:
    """A model's name as a signature can hold it."""
    return re.sub(r"[^\w./:@+-]", "_", model)[:100]


_BYTES_A_TOKEN, _CHARACTERS_A_REPLY_TOKEN = 4, 2.5
# Tokens that servers count for a message besides its text.
_FRAME_TOKENS = 4
# Stands for a reason when the size of a reply is estimated: a sentence of usual length.
_USUAL_REASON = "." * 120


@dataclass
class Expectation:
    """The expected tokens and cost of calls of one model.

    ``thinking``: tokens of thought a call, as the provider's row says; ``structured``: whether a schema is
    sent.
    """

    price: Price | None
    thinking: float = 0.0
    structured: bool = False

    def amount(self, calls: Iterable[tuple[Call, CallPrompt]]) -> Amount:
        """The expected cost of these calls."""
        many, read, written = 0, 0.0, 0.0
        for call, prompt in calls:
            many += 1
            read += self._read(prompt.sent)
            written += self.thinking + _reply_tokens(prompt, len(call.requests))
        cost = self.price.of(round(read), round(written)) if self.price else None
        return Amount(many, round(read), round(written), cost)

    def price_of(self, sent: ChatRequest) -> float:
        """The expected price of a call of which no reply came, in US dollars; 0 where no price is known."""
        return self.price.of(self._read(sent), self.thinking) if self.price else 0.0

    def _read(self, sent: ChatRequest) -> float:
        """Tokens of a prompt, and of its schema where that is sent."""
        text = "".join(message.text for message in sent.messages) + sent.schema * self.structured
        size = len(text.encode("utf-8", "replace"))
        return size / _BYTES_A_TOKEN + _FRAME_TOKENS * len(sent.messages)


def _reply_tokens(prompt: CallPrompt, count: int) -> float:
    """Tokens of a reply of the form that the prompt asks for."""
    form = prompt.form
    word = max(form.words, key=len, default="some words of a text")
    one = (
        json.dumps({"reason": _USUAL_REASON, "verdict": word}) if form.reasons else json.dumps(word)
    )
    if not form.count:
        size = len(form.name) + len(one) + len('{"": }')
    else:
        size = len(form.name) + len('{"": {}}') + count * (len(one) + len('"10": , '))
    reasons = max(1, count) * len(_USUAL_REASON) if form.reasons else 0
    # Words of a reason are longer than the punctuation of JSON.
    written = (size - reasons) / _CHARACTERS_A_REPLY_TOKEN + reasons / _BYTES_A_TOKEN
    return written + prompt.text_tokens


# A reply without a verdict is asked for once more, told what was wrong with it.
TRIES = 2
# Requests without any verdict after which the model is given up: each cost two calls.
GIVE_UP = 25
# How many times the room a call gets whose reply was cut off.
MORE_ROOM = 4
# Requests that are taken at once where calls hold several: so many that those with a text in common meet.
BATCHED = 2048
# Characters of a reason that are kept.
_REASON = 600


class Prompted(Judge):
    """Verdicts of a language model.

    ``asking``: one request a call, or all requests on one sentence. ``max_tokens``: the most tokens of
    a reply, 0 for what its form needs. ``reasons``: the model gives a reason before each verdict,
    which the verdict's note has.
    """

    reads_context = True
    kinds = frozenset(LAYOUTS)

    def __init__(
        self,
        transport: Transport,
        prompts: Prompts | None = None,
        asking: CallMode = "single",
        max_tokens: int = 0,
        *,
        reasons: bool = False,
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
        )
        self.expected = Expectation(
            self.price,
            getattr(transport, "expected_thinking", 0.0),
            structured=self._strict,
        )
        # The defaults of the prompts that are not ARGUE's, for --on-failure default.
        self.defaults = self.asking.prompts.defaults
        self._never = 0
        self.budget: Budget | None = None
        # For estimates behind a cheaper judge: those of some requests that would reach the model.
        self.asked_of: Callable[[list[JudgeRequest]], list[JudgeRequest]] | None = None
        self.name = self._spec()
        self.servers = Servers(transport.name)

    def _spec(self) -> str:
        """The spec; prompts of one's own appear as their digest, never as a path."""
        asking = self.asking
        options = {
            "asking": asking.mode if asking.mode != "single" else "",
            "prompts": asking.prompts.digest if asking.prompts.own else "",
            "max_tokens": self._max_tokens,
            "reasons": "yes" if asking.reasons else "",
        }
        given = [f"{key}={value}" for key, value in options.items() if value]
        return ",".join([self.transport.name, *given])

    def with_mode(self, asking: CallMode) -> Prompted:
        """The same model under the same prompts in another call mode."""
        other = Prompted(self.transport, self.asking.prompts, asking, self._max_tokens)
        other.asking, other.servers = replace(self.asking, mode=asking), self.servers
        other.name = other._spec()
        return other

    def set_secret(self, secret: bytes) -> None:
        """Makes prompts with this secret, so that a run that goes on sends the same as before."""
        self.asking = replace(self.asking, secret=secret)

    def send_through(self, transport: Transport) -> None:
        """Sends the same prompts to the same model in another way."""
        self.transport = transport
        self.expected.price = self.price

    def language_models(self) -> Iterator[Prompted]:
        yield self

    @property
    def batch(self) -> int:
        """The transport's; of requests that share calls many more."""
        return max(self.transport.batch, BATCHED if self.asking.mode == "batched" else 0)

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
            self.budget = budget

    def note_lost(self, requests: Sequence[ChatRequest], workers: int) -> float:
        """Counts prompts that were under way on so many lost workers as paid; the estimated price on one."""
        dollars = sum(map(self.expected.price_of, requests))
        self.counts.lost += workers * len(requests)
        self.counts.price += workers * dollars
        return dollars

    def estimate(self, requests: Iterable[JudgeRequest]) -> Amount:
        """What judging these requests would cost."""
        asked = requests if self.asked_of is None else self.asked_of(list(requests))
        calls = calls_of(BothOrders(asked).asked, self.asking)
        return self.expected.amount((call, call.prompt(self.asking)) for call in calls)

    async def judge(self, requests: Sequence[JudgeRequest]) -> AsyncIterator[Reply]:
        """Verdicts as the replies come. Raises JudgeError where nothing more can be judged."""
        self.counts.requests += len(requests)
        orders = BothOrders(requests)
        async with aclosing(self._judge(orders.asked)) as replies:
            async for request, reply in replies:
                for decided in orders.settle(request, reply):
                    yield decided

    async def _judge(
        self, requests: Sequence[JudgeRequest]
    ) -> AsyncGenerator[tuple[JudgeRequest, Verdict | Failed]]:
        """Verdicts on requests as they are put to the model."""
        calls, room = list(calls_of(requests, self.asking)), self._max_tokens
        for tries in range(1, TRIES + 1):
            if not calls:
                return
            # A server may have refused the schema by now.
            keyed = not self._strict or "response_format" in self._dropped
            prompts = [(one, one.prompt(replace(self.asking, keyed=keyed), room)) for one in calls]
            # Requests that differ in nothing that a model is told make one prompt, sent once.
            waiting = grouped((prompt.sent, (call, prompt)) for call, prompt in prompts)
            calls, short = [], False
            replies = self.transport.complete(list(waiting))
            async with aclosing(replies):  # type: ignore[type-var]
                async for sent, reply in replies:
                    short |= isinstance(reply, Completion) and reply.finish == "length"
                    self._count(reply)
                    for call, prompt in waiting.pop(sent):
                        reading = self._reading(reply, prompt)
                        for request, judged in self._judged(call, reply, reading):
                            yield request, judged
                        if not isinstance(reply, Completion) or reply.finish == "refused":
                            continue
                        if not (lacking := self._lacking(call, reading)):
                            continue
                        wrong = FAULTS[reading.shape].format(allowed=prompt.form.allowed)
                        if tries < TRIES:
                            calls += call.again(
                                lacking,
                                wrong,
                                not reading.verdicts and reading.shape.startswith("other"),
                            )
                            continue
                        for request in lacking:
                            yield request, self._without_verdict(reply, wrong)
            if short:
                least = max((call.prompt(self.asking).sent.max_tokens for call in calls), default=0)
                room = MORE_ROOM * (room or least)

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
        reading = read(strip_thoughts(reply.text), prompt.form)
        if reply.finish == "length":
            # What would have followed may take back what is there.
            reading = ReplyReading(shape="cut_off")
        if reading.verdicts:
            self.confirm_responsive()
        if reading.shape:
            name = f"again_{reading.shape}"
            setattr(self.counts, name, getattr(self.counts, name) + 1)
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
            notes.append(f"a text was cut to {LONGEST:,} characters")
        if self._dropped:
            notes.append(SENT_WITHOUT + ", ".join(self._dropped))
        return "; ".join(notes)

    def _without_verdict(self, reply: Completion, wrong: str) -> Failed:
        self.counts.failed += 1
        shown = repr(reply.text[:120]) + ("..." if len(reply.text) > 120 else "")
        if reply.why:
            shown += f" ({reply.why})"
        if self._never >= 0:
            self._never += 1
            if self._never >= GIVE_UP:
                advice = (
                    "It was cut off: give it more room (max_tokens=N)."
                    if reply.finish == "length"
                    else "Its replies are in the verdict store, where there is one."
                )
                raise JudgeError(
                    f"{self.name} gave no verdict to any of {GIVE_UP} judge requests, each tried {TRIES} "
                    f"times; of the last reply {wrong}: {shown}. {advice}"
                )
        reason = f"no verdict in {TRIES} replies; of the last {wrong}: {shown}"
        return Failed(reason, prompt=reply.sent, reply=reply.raw)
