"""What does it take to have a prompt answered? Messages in, text out, and what it cost.

A chat client and a causal model on disk do this alike, so prompted judges and generating systems know
neither. What moves a reply and belongs to the prompt stands in the `ChatRequest`; what belongs to the model
(weights, dtype, temperature) stands in the transport's ``identity``.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

from argue_bench.records import Failed

Role = Literal["system", "user", "assistant"]
Finish = Literal["stop", "length", "refused"]
"""How a reply ended; "length": ``max_tokens`` cut it off; "refused": the model, or a filter, withheld it."""


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of a conversation."""

    role: Role
    text: str


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """A conversation to go on with: at most ``max_tokens`` new tokens, and none after a ``stop``."""

    messages: tuple[Message, ...]
    max_tokens: int = 512
    stop: tuple[str, ...] = ()
    schema: str = ""
    """A JSON schema for the reply, where a server can hold its model to one; elsewhere ignored."""


@dataclass(frozen=True, slots=True)
class Completion:
    """What the model wrote, without the stop that ended it. ``price`` in US dollars, if known.

    ``why`` says in words why there is no answer in it, where the server did. ``sent`` and ``raw`` are what
    went to the model and what came back, for a verdict store.
    """

    text: str
    tokens_in: int = 0
    tokens_out: int = 0
    finish: Finish = "stop"
    price: float = 0.0
    sent: str = field(default="", compare=False, repr=False)
    raw: str = field(default="", compare=False, repr=False)
    why: str = ""


class Transport(Protocol):
    """Whoever completes prompts."""

    @property
    def name(self) -> str:
        """The spec that makes it, without folders: ``local:NAME``, ``PROVIDER/MODEL``."""
        ...

    @property
    def batch(self) -> int:
        """How many requests it wants at once."""
        ...

    def identity(self) -> Mapping[str, str]:
        """All of the model and its decoding that moves a reply."""
        ...

    def complete(
        self, requests: Sequence[ChatRequest]
    ) -> AsyncIterator[tuple[ChatRequest, Completion | Failed]]:
        """A reply to each request, in any order, as they come.

        A reply that can't be had is `Failed`, never an exception; an exception means that no
        further request can be answered (JudgeError, DataError).
        """
        ...
