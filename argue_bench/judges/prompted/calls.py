"""Judge requests as prompts: one request a call, or all that share a sentence in one call."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from argue_bench.judges.prompted.contents import SHARED, alone, together
from argue_bench.judges.prompted.prompts import Prompts, filled, reply_form
from argue_bench.judges.prompted.quoting import RULES, framed, random_number
from argue_bench.judges.prompted.verdicts import declared_words, read_many, read_one, schema
from argue_bench.models.transport import ChatRequest, Message
from argue_bench.records import JudgeRequest

CallMode = Literal["single", "batched"]
MOST_TOGETHER = 64
MOST_CHARACTERS = 96_000
_REPLY_TOKENS, _TOKENS_EACH = 256, 16


@dataclass(frozen=True)
class Call:
    """The requests of one call; ``many``: in the form for many, even where it is one request."""

    requests: tuple[JudgeRequest, ...]
    many: bool

    @property
    def kind(self) -> type[JudgeRequest]:
        return type(self.requests[0])

    def prompt(self, prompts: Prompts, max_tokens: int = 0) -> ChatRequest:
        """The prompt, new at every call: its markers are random."""
        template, mark = prompts.templates[self.kind], random_number()
        count = len(self.requests) if self.many else 0
        if self.many:
            system, user = template.batched, framed(together(self.requests), mark)
        else:
            data = alone(self.requests[0])
            values = {
                name: f"\n{framed(data[own], mark)}\n" for name, own in template.names.items()
            }
            values["data"] = framed(data, mark)
            system, user = filled(template.system, values), filled(template.user, values).strip()
        instructions = f"{system}\n{RULES}\n{reply_form(self.kind, self.many)}".strip()
        return ChatRequest(
            (Message("system", instructions), Message("user", user)),
            max_tokens or _REPLY_TOKENS + _TOKENS_EACH * count,
            schema=schema(declared_words(self.kind), count),
        )

    def read(self, text: str, strict: bool) -> dict[JudgeRequest, str]:
        """The verdicts in a reply, by request."""
        words = declared_words(self.kind)
        if self.many:
            many = read_many(text, words, len(self.requests), strict)
            return {self.requests[place - 1]: word for place, word in many.items()}
        found = read_one(text, words, strict)
        return {} if found is None else {self.requests[0]: found}


def calls_of(requests: Iterable[JudgeRequest], prompts: Prompts, mode: CallMode) -> Iterator[Call]:
    """The calls that put these requests."""
    groups: dict[object, list[JudgeRequest]] = {}
    for request in requests:
        kind = type(request)
        if mode == "batched" and kind in SHARED and prompts.templates[kind].batched:
            groups.setdefault((kind, SHARED[kind](request)), []).append(request)
        else:
            yield Call((request,), many=False)
    for group in groups.values():
        yield from (Call(tuple(part), many=True) for part in _parts(group))


def _parts(requests: Sequence[JudgeRequest]) -> Iterator[list[JudgeRequest]]:
    """The requests in parts that are neither too many nor too long for one call."""
    part: list[JudgeRequest] = []
    size = 0
    for request in requests:
        length = sum(len(str(value)) for value in alone(request).values())
        if part and (len(part) == MOST_TOGETHER or size + length > MOST_CHARACTERS):
            yield part
            part, size = [], 0
        part.append(request)
        size += length
    if part:
        yield part
