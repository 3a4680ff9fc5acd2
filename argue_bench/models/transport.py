"""The interface of everything that completes prompts: requests in, completions out.

A chat client and a causal model on disk have the same interface, so prompted judges and generating
systems know neither. A `ChatRequest` holds all that belongs to the prompt; the transport's ``identity`` all
that belongs to the model (weights, dtype, temperature).
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

from argue_bench.records import Failed

Role = Literal["system", "user", "assistant"]
# The end of a reply; "length": cut off at ``max_tokens``; "refused": withheld by the model or a filter.
Finish = Literal["stop", "length", "refused"]


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of a conversation."""

    role: Role
    text: str


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """A conversation to continue with at most ``max_tokens`` tokens."""

    messages: tuple[Message, ...]
    max_tokens: int = 512
    # A JSON schema for the reply; ignored where a server can't enforce it.
    schema: str = ""


@dataclass(frozen=True, slots=True)
class Served:
    """Where a reply came from: the server's host, the model and the build that it says it is."""

    host: str
    model: str = ""
    fingerprint: str = ""

    def __str__(self) -> str:
        said = " ".join(filter(None, (self.model, self.fingerprint)))
        return f"{said} at {self.host}" if said else self.host


@dataclass(frozen=True, slots=True)
class Completion:
    """The text that the model wrote. ``price`` in US dollars, None if unknown.

    ``why`` says in words why the server withheld an answer. ``sent`` and ``raw`` are the texts that went
    to the model and came back, for a verdict store.
    """

    text: str
    tokens_in: int = 0
    tokens_out: int = 0
    finish: Finish = "stop"
    price: float | None = 0.0
    sent: str = field(default="", compare=False, repr=False)
    raw: str = field(default="", compare=False, repr=False)
    why: str = ""
    served: Served | None = None


class Transport(Protocol):
    """A model that completes prompts."""

    @property
    def name(self) -> str:
        """The spec that makes it, without folders: ``local:NAME``, ``PROVIDER/MODEL``."""

    @property
    def batch(self) -> int:
        """The best number of requests for one call of `complete`."""

    def identity(self) -> Mapping[str, str]:
        """Everything about the model and its decoding that can change a reply."""

    def complete(
        self, requests: Sequence[ChatRequest]
    ) -> AsyncIterator[tuple[ChatRequest, Completion | Failed]]:
        """A reply to each request, in any order, as they come.

        A reply that can't be had is `Failed`, never an exception; an exception means that no
        further request can be answered (JudgeError, DataError).
        """
