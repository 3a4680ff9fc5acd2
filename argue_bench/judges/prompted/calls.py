"""How do asks become requests? One by one, or all that share a sentence in one call."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from argue_bench.judges.prompted.contents import SHARED, alone, together
from argue_bench.judges.prompted.prompts import Prompts, filled, reply_form
from argue_bench.judges.prompted.quoting import RULES, framed, number
from argue_bench.judges.prompted.verdicts import declared, read_many, read_one, schema
from argue_bench.models.transport import ChatRequest, Message
from argue_bench.records import JudgeRequest

CallMode = Literal["single", "batched"]
MOST_TOGETHER = 64
MOST_CHARACTERS = 96_000
_REPLY, _REPLY_EACH = 256, 16


@dataclass(frozen=True)
class Call:
    """Asks that go out in one request; ``many``: in the form for many, even where it is one."""

    requests: tuple[JudgeRequest, ...]
    many: bool

    @property
    def kind(self) -> type[JudgeRequest]:
        return type(self.requests[0])

    def prompt(self, prompts: Prompts, max_tokens: int = 0) -> ChatRequest:
        """The request, new at every call: its markers are random."""
        template, mark = prompts.templates[self.kind], number()
        if self.many:
            system = template.batched
            user = framed(together(self.requests), mark)
            form, wanted = reply_form(self.kind, many=True), schema(self.kind, len(self.requests))
        else:
            data = alone(self.requests[0])
            values = {
                name: f"\n{framed(data[own], mark)}\n" for name, own in template.names.items()
            }
            values["data"] = framed(data, mark)
            system, user = filled(template.system, values), filled(template.user, values).strip()
            form, wanted = reply_form(self.kind), schema(self.kind)
        tokens = max_tokens or _REPLY + (_REPLY_EACH * len(self.requests) if self.many else 0)
        told = f"{system}\n{RULES}\n{form}".strip()
        return ChatRequest((Message("system", told), Message("user", user)), tokens, schema=wanted)

    def read(self, text: str, strict: bool) -> dict[JudgeRequest, str]:
        """The verdicts that a reply gives; asks without one are not there."""
        words = declared(self.kind)
        if not self.many:
            found = read_one(text, words, strict)
            return {} if found is None else {self.requests[0]: found}
        many = read_many(text, words, len(self.requests), strict)
        return {self.requests[place - 1]: word for place, word in many.items()}


def calls_of(
    requests: Iterable[JudgeRequest], prompts: Prompts, asking: CallMode
) -> Iterator[Call]:
    """The calls that these asks make."""
    groups: dict[object, list[JudgeRequest]] = {}
    for request in requests:
        kind = type(request)
        if asking == "batched" and kind in SHARED and prompts.templates[kind].batched:
            groups.setdefault((kind, SHARED[kind](request)), []).append(request)
        else:
            yield Call((request,), many=False)
    for group in groups.values():
        yield from (Call(tuple(part), many=True) for part in _parts(group))


def _parts(requests: Sequence[JudgeRequest]) -> Iterator[list[JudgeRequest]]:
    """Not too many in one call, nor too long a one."""
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
