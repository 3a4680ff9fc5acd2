"""Judge requests as prompts: one request a call, or all requests that share a text in one call; and requests that are put to a model in both
orders, so that the place of an answer does not decide."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from argue_bench.judges.prompted.prompts import (
    LAYOUTS,
    RULES,
    Prompts,
    alone,
    filled,
    framed,
    in_common,
    together,
)
from argue_bench.judges.prompted.replies import ReplyForm, declared_words, keyed_hash
from argue_bench.models.transport import ChatRequest, Message
from argue_bench.records import Failed, JudgeRequest, Prefers, Verdict

CallMode = Literal["single", "batched"]
# Requests of a call that share a text, as a report or a document; the reply stays below 8,000 tokens.
MOST_TOGETHER = 64
# Requests of a call that have no text in common.
MOST_UNRELATED = 16
# Of a call's requests, some 24,000 tokens: the prompt and its reply fit in a model's 32,000.
MOST_CHARACTERS = 96_000
_REPLY_TOKENS, _TOKENS_EACH, _REASON_TOKENS = 256, 16, 96
# 32 bits of a hash under a secret: a text that tries to steer the judge cannot guess them.
_KEY_DIGITS = _FRAME_DIGITS = 8


@dataclass(frozen=True)
class Asking:
    """How requests are put to a model.

    ``secret`` makes the numbers of the frame and the keys of reply forms; whoever wrote the judged
    texts must not know it. ``keyed``: replies carry a key, as no server holds the model to a schema.
    """

    prompts: Prompts
    secret: bytes
    mode: CallMode = "single"
    keyed: bool = True
    reasons: bool = False


@dataclass(frozen=True)
class CallPrompt:
    """The text of a call, and the form of the reply that it asks for."""

    sent: ChatRequest
    form: ReplyForm
    # Tokens that a verdict is expected to take where it is a long text.
    text_tokens: int = 0


@dataclass(frozen=True)
class Call:
    """The requests of one call; ``many``: in the form for many, even where it is one request.

    ``wrong`` is what was wrong with the reply to an earlier call for them.
    """

    requests: tuple[JudgeRequest, ...]
    many: bool
    wrong: str = ""

    @property
    def kind(self) -> type[JudgeRequest]:
        return type(self.requests[0])

    def prompt(self, asking: Asking, max_tokens: int = 0) -> CallPrompt:
        """The prompt: fixed text first, then the data, and last what no other prompt has.

        It is the same whenever it is made, for one secret.
        """
        template = asking.prompts.templates[self.kind]
        mark = keyed_hash(asking.secret, "the frame of the data", _FRAME_DIGITS)
        count = len(self.requests) if self.many else 0
        word = template.reply == "word" and asking.keyed  # a schema is held to in any case
        reasons = not word and (asking.reasons or bool(self.kind.quotes))
        quotes = "" if word else self.kind.quotes
        form = ReplyForm(declared_words(self.kind), count, "", reasons, quotes, word)
        if self.many:
            system, user = template.batched, framed(together(self.requests), mark)
        else:
            data = alone(self.requests[0])
            values = {
                name: f"\n{framed(data.get(own, ''), mark)}\n"
                for name, own in template.names.items()
                if f"{{{name}}}" in template.system or f"{{{name}}}" in template.user
            }
            values["data"] = framed(data, mark)
            system, user = filled(template.system, values), filled(template.user, values).strip()
        system = f"{system}\n{RULES}\n{form.rules()}".strip()
        if self.wrong:
            user += f"\nAn earlier reply to this was not used: {self.wrong}."
        if asking.keyed and not word:
            # Of the whole prompt: a text in it could not hold the key even if it held all others.
            form = replace(form, key=keyed_hash(asking.secret, f"{system}\0{user}", _KEY_DIGITS))
        each = _TOKENS_EACH + _REASON_TOKENS * reasons
        sent = ChatRequest(
            (Message("system", system), Message("user", f"{user}\n{form.last_line()}".strip())),
            max_tokens or (LAYOUTS[self.kind].room or _REPLY_TOKENS) + each * count,
            schema=form.schema(),
        )
        return CallPrompt(sent, form, LAYOUTS[self.kind].room // 8)

    def again(self, requests: Sequence[JudgeRequest], wrong: str, apart: bool) -> Iterator[Call]:
        """The calls that repeat some of the requests: each ``apart``, else half of them each."""
        size = 1 if apart else -(-len(requests) // 2)
        for start in range(0, len(requests), size):
            yield Call(tuple(requests[start : start + size]), self.many, wrong)


def calls_of(requests: Iterable[JudgeRequest], asking: Asking) -> Iterator[Call]:
    """The calls that put these requests."""
    groups: dict[object, list[JudgeRequest]] = {}
    for request in requests:
        kind = type(request)
        if asking.mode == "batched" and asking.prompts.templates[kind].batched:
            groups.setdefault((kind, json.dumps(in_common(request))), []).append(request)
        else:
            yield Call((request,), many=False)
    for group in groups.values():
        # An order of chance, the same in every run: the place of a request says nothing.
        group.sort(key=lambda request: hashlib.sha256(f"0:{request.key}".encode()).digest())
        yield from (Call(tuple(part), many=True) for part in _parts(group))


def _parts(requests: Sequence[JudgeRequest]) -> Iterator[list[JudgeRequest]]:
    """Splits the requests into parts that are neither too many nor too long for one call."""
    most = MOST_TOGETHER if LAYOUTS[type(requests[0])].shared else MOST_UNRELATED
    part: list[JudgeRequest] = []
    size = 0
    for request in requests:
        length = sum(len(str(value)) for value in alone(request).values())
        if part and (len(part) == most or size + length > MOST_CHARACTERS):
            yield part
            part, size = [], 0
        part.append(request)
        size += length
    if part:
        yield part


class BothOrders:
    """Requests as they are asked: of each `Prefers` both orders, of any other kind itself.

    Two requests that are each other's order share the two calls.
    """

    def __init__(self, requests: Iterable[JudgeRequest]) -> None:
        self._wanted = dict.fromkeys(requests)
        asked: dict[JudgeRequest, None] = {}
        for one in self._wanted:
            asked |= dict.fromkeys((one, one.swapped()) if isinstance(one, Prefers) else (one,))
        self.asked = list(asked)
        self._come: dict[JudgeRequest, Verdict | Failed] = {}

    def settle(
        self, request: JudgeRequest, reply: Verdict | Failed
    ) -> Iterator[tuple[JudgeRequest, Verdict | Failed]]:
        """The requests that a reply decides, of a `Prefers` once the other order has come too."""
        if not isinstance(request, Prefers):
            yield request, reply
            return
        self._come[request] = reply
        other = self._come.get(request.swapped())
        if other is not None:
            # Two equal answers are one request in either order, and decide it once.
            decided = {request: _agreed(reply, other), request.swapped(): _agreed(other, reply)}
            yield from ((one, said) for one, said in decided.items() if one in self._wanted)


def _agreed(said: Verdict | Failed, against: Verdict | Failed) -> Verdict | Failed:
    """The verdict on which both orders agree; a tie where they do not, a failure where one failed."""
    if isinstance(said, Failed):
        return said
    if isinstance(against, Failed):
        return against
    there = Prefers.mirrored(str(against.value))
    if said.value == there:
        return said
    return replace(Prefers.disagreed(str(said.value), there), prompt=said.prompt, reply=said.reply)
