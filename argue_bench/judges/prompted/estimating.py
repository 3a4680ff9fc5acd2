"""Estimates the tokens and costs of calls of a language model.

A token is taken for four bytes of prompt or schema, and for five halves of a character of a reply's JSON.
Thoughts are as many as the provider's row says of the model. What a server will read from its cache, at a lower
price, is not foreseen.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass

from argue_bench.judges.base import Amount
from argue_bench.judges.prompted.calls import Call, CallPrompt
from argue_bench.models.budget import Price
from argue_bench.models.transport import ChatRequest

_BYTES_A_TOKEN, _CHARACTERS_A_REPLY_TOKEN = 4, 2.5
# Tokens that servers count for a message besides its text.
_FRAME_TOKENS = 4
# Stands for a reason when the size of a reply is estimated: a sentence of usual length.
_REASON = "." * 120


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
    one = json.dumps({"reason": _REASON, "verdict": word}) if form.reasons else json.dumps(word)
    if not form.count:
        size = len(form.name) + len(one) + len('{"": }')
    else:
        size = len(form.name) + len('{"": {}}') + count * (len(one) + len('"10": , '))
    reasons = max(1, count) * len(_REASON) if form.reasons else 0
    # Words of a reason are longer than the punctuation of JSON.
    written = (size - reasons) / _CHARACTERS_A_REPLY_TOKEN + reasons / _BYTES_A_TOKEN
    return written + prompt.text_tokens
