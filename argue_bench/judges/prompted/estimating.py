"""Estimates the tokens and costs of calls of a language model, and compares them with the real ones.

A token is taken for four bytes of prompt or schema, and for five halves of a character of a reply's JSON.
Thoughts are as many as the provider's row says of the model, until the model's own replies are known: those in
a verdict store, or those of the run as it goes. What a server will read from its cache, at a lower price, is not
foreseen.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Iterable
from dataclasses import dataclass, field

from argue_bench.judges.base import Amount
from argue_bench.judges.prompted.calls import Call, CallPrompt
from argue_bench.models.budget import Price
from argue_bench.models.faults import Fault
from argue_bench.models.reply import read_reply
from argue_bench.models.transport import ChatRequest, Completion

_LOG = logging.getLogger(__name__)
_BYTES_A_TOKEN, _CHARACTERS_A_REPLY_TOKEN = 4, 2.5
# Tokens that servers count for a message besides its text.
_FRAME_TOKENS = 4
# Stands for a reason when the size of a reply is estimated: a sentence of usual length.
_REASON = "." * 120
# Calls after which the run is compared with what was expected, and again at each doubling.
_ENOUGH = 50
# By how much a run may depart from what was expected before it says so.
_ORDINARY, _REASONING = 0.15, 0.30


@dataclass
class _Sum:
    """Tokens and dollars of calls; ``visible`` are the tokens of replies without thoughts."""

    calls: int = 0
    tokens_in: float = 0.0
    visible: float = 0.0
    tokens_out: float = 0.0
    price: float = 0.0


@dataclass
class Expectation:
    """The expected tokens and cost of calls of one model, and the real ones so far.

    ``thinking``: tokens of thought a call, as the provider's row says; ``structured``: whether a schema is
    sent.
    """

    name: str
    price: Price | None
    thinking: float = 0.0
    structured: bool = False
    _expected: _Sum = field(default_factory=_Sum)
    _took: _Sum = field(default_factory=_Sum)
    _compare_at: int = _ENOUGH

    def amount(self, calls: Iterable[tuple[Call, CallPrompt]]) -> Amount:
        """The expected cost of these calls, in this order."""
        total = _Sum()
        factor, thinking = self._reading_factor, self._thinking_now
        for call, prompt in calls:
            one = self._of(prompt, len(call.requests))
            total.calls += 1
            total.tokens_in += one.tokens_in * factor
            total.tokens_out += one.visible + thinking
        read, written = round(total.tokens_in), round(total.tokens_out)
        cost = self.price.of(read, written) if self.price else None
        return Amount(total.calls, read, written, cost)

    def price_of(self, sent: ChatRequest) -> float:
        """The expected price of a call of which no reply came, in US dollars; 0 where no price is known."""
        written = self._took.tokens_out / self._took.calls if self._took.calls else self.thinking
        read = self._read(sent) * self._reading_factor
        return self.price.of(read, written) if self.price else 0.0

    def note(self, prompt: CallPrompt, count: int, reply: Completion) -> None:
        """Compares a call with its estimate, and warns once when a run departs from it."""
        one = self._of(prompt, count)
        self._add(one, reply)
        if self._took.calls >= self._compare_at:
            self._compare_at *= 2
            if said := self.departure():
                self._compare_at = 1 << 62
                _LOG.warning("%s", said)

    def learn(self, sent: str, raw: str) -> bool:
        """Learns from a call that a store has, by its raw texts; whether they are such a call."""
        try:
            body = json.loads(sent)
            texts = [str(message["content"]) for message in body["messages"]]
            reply = read_reply(raw, sent, self.price)
        except (ValueError, TypeError, KeyError, Fault):
            return False
        size = sum(map(_bytes, (*texts, str(body.get("system", "")))))
        schema = body.get("response_format") or body.get("output_config")
        size += _bytes(json.dumps(schema)) if schema else 0
        visible = len(reply.text) / _CHARACTERS_A_REPLY_TOKEN
        read = size / _BYTES_A_TOKEN + _FRAME_TOKENS * len(texts)
        self._add(_Sum(1, read, visible), reply)
        return True

    def departure(self) -> str:
        """The difference between estimate and calls so far, in words; empty where it is small."""
        took, expected = self._took, self._expected
        measured = (
            (took.price, expected.price)
            if self.price and expected.price
            else (took.tokens_in + took.tokens_out, expected.tokens_in + expected.tokens_out)
        )
        most = _REASONING if self.thinking else _ORDINARY
        if not measured[1] or abs(measured[0] / measured[1] - 1) <= most:
            return ""
        each = (took.tokens_out - took.visible) / took.calls
        thoughts = f", {each:,.0f} tokens of thought a call" if each >= 1 else ""
        return (
            f"{self.name}: its first {took.calls:,} calls took {measured[0] / measured[1]:.1f} times what a "
            f"dry run expects (for each call {took.tokens_in / took.calls:,.0f} tokens read, "
            f"{took.tokens_out / took.calls:,.0f} written{thoughts})"
        )

    @property
    def learned(self) -> int:
        """The number of calls whose replies are known."""
        return self._took.calls

    @property
    def _thinking_now(self) -> float:
        took = self._took
        if not took.calls:
            return self.thinking
        return max(0.0, (took.tokens_out - took.visible) / took.calls)

    @property
    def _reading_factor(self) -> float:
        """The ratio of tokens that the server counts to tokens estimated here."""
        took, expected = self._took.tokens_in, self._expected.tokens_in
        return took / expected if expected else 1.0

    def _add(self, one: _Sum, reply: Completion) -> None:
        price = self.price.of(one.tokens_in, one.visible + self.thinking) if self.price else 0
        for total, read, written, cost in (
            (self._expected, one.tokens_in, one.visible + self.thinking, price),
            (self._took, reply.tokens_in, reply.tokens_out, reply.price or 0.0),
        ):
            total.calls += 1
            total.tokens_in += read
            total.visible += min(one.visible, written)
            total.tokens_out += written
            total.price += cost

    def _of(self, prompt: CallPrompt, count: int) -> _Sum:
        """The estimate for one call."""
        return _Sum(1, self._read(prompt.sent), _reply_tokens(prompt, count))

    def _read(self, sent: ChatRequest) -> float:
        """Tokens of a prompt, and of its schema where that is sent."""
        text = "".join(message.text for message in sent.messages) + sent.schema * self.structured
        return _bytes(text) / _BYTES_A_TOKEN + _FRAME_TOKENS * len(sent.messages)


def _bytes(text: str) -> int:
    return len(text.encode("utf-8", "replace"))


def _reply_tokens(prompt: CallPrompt, count: int) -> float:
    """Tokens of a reply of the form that the prompt asks for."""
    form = prompt.form
    word = max(form.words, key=len, default="some words of a text")
    one = json.dumps({"reason": _REASON, "verdict": word}) if form.reasons else json.dumps(word)
    if not form.count:
        size = len(form.name) + len(one) + len('{"": }')
    else:
        size = len(form.name) + len('{"": {}}') + count * (len(one) + len('"10": , '))
    reasons = max(1, count) * len(_REASON) if form.reasons else 0
    # Words of a reason are longer than the punctuation of JSON.
    written = (size - reasons) / _CHARACTERS_A_REPLY_TOKEN + reasons / _BYTES_A_TOKEN
    return written + prompt.text_tokens
