"""Chat models of providers: prompts completed over HTTP, with bounded concurrency and bounded retries.

Requests use the openai SDK's connection over aiohttp; this module decides on retries (`faults`), since a
budget must be asked before every call. Waits double, with jitter; Retry-After is obeyed; a parameter that
the server refuses is dropped for good. After three requests in a row that got no reply in all their
tries, or at a wrong key, nothing more is sent: requests in flight are finished and handed on, then a
JudgeError says why.
"""

from __future__ import annotations

import asyncio
import json
import logging
import random
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from argue_bench.errors import JudgeError, MissingExtra
from argue_bench.models import tables
from argue_bench.models.budget import Budget, Price
from argue_bench.models.faults import Fault, bound_reply, connection_fault, status_fault
from argue_bench.models.providers import (
    api_key,
    base_urls,
    call_timeout,
    concurrency,
    environment,
    find_provider,
)
from argue_bench.models.reply import read_reply
from argue_bench.models.transport import ChatRequest, Completion
from argue_bench.records import Failed

_LOG = logging.getLogger(__name__)
RETRIES = 7
RETRIES_AT_FIRST = 2
"""Until the first reply of a server: more likely a wrong address than a pause."""
_THINKING_ROOM = 8192
"""Tokens that a model may spend on thinking, besides its answer."""
_FIRST_WAIT, _LONGEST_WAIT = 0.5, 30.0
_WARNING_WAIT = 3.0
_PAUSED = "%s: %s; trying again after %.0f s, and so on at later faults"
_FAILURES_TO_STOP = 3
_FRAME_TOKENS = 64
"""Tokens that a server may add around the messages."""
_LIMITS = ("max_tokens", "max_completion_tokens")
_DROPPABLE = frozenset(
    ("temperature", "top_p", "seed", "response_format", "stop", "reasoning_effort", *_LIMITS)
)


@dataclass(frozen=True)
class Decoding:
    """Parameters that change a model's reply to the same prompt. ``effort`` is for reasoning models."""

    temperature: float = 0.0
    seed: int | None = None
    effort: str = ""
    top_p: float = 1.0


@dataclass
class _Connection:
    """The connections of one event loop, while requests are in flight in it."""

    loop: asyncio.AbstractEventLoop
    clients: list[Any]
    http: Any
    places: asyncio.Semaphore
    users: int = 0
    stopped: JudgeError | None = None
    failures: int = 0
    """Requests in a row without a reply."""


class Chat:
    """A model behind an OpenAI-compatible address, as a `Transport`.

    ``known`` replaces the environment (with ``.env``); ``timeout`` is the seconds for one call. Raises
    JudgeError: no such provider, no key, a malformed base URL.
    """

    def __init__(
        self,
        provider: str,
        model: str = "",
        decoding: Decoding = Decoding(),
        *,
        known: Mapping[str, str] | None = None,
        retries: int = RETRIES,
        timeout: float | None = None,
    ) -> None:
        known = environment() if known is None else known
        self.provider = find_provider(provider)
        self.model = model or self.provider.model
        if not self.model or any(not c.isprintable() or c.isspace() for c in self.model):
            raise JudgeError(f"{provider}/MODEL: say which model, here: {self.model!r:.100}")
        self.name = f"{provider}/{self.model}"
        self.accepts = tables.capabilities_of(provider, self.model, known)
        self.price: Price | None = tables.price_of(provider, self.model, known)
        self.budget: Budget | None = None
        self.dropped: dict[str, None] = {}
        """Parameters that the server refused, though the table says that it accepts them."""
        self.calls = 0
        """HTTP requests sent, failed ones included."""
        self._decoding, self._retries = decoding, retries
        self._timeout = call_timeout(known) if timeout is None else timeout
        self._reached = self._warned = False
        self._urls, self._key = base_urls(self.provider, known), api_key(self.provider, known)
        self._concurrency = concurrency(known)
        self._connection: _Connection | None = None

    @property
    def batch(self) -> int:
        """Four times the concurrency, so that nothing waits for the slowest of a few."""
        return 4 * self._concurrency

    def identity(self) -> Mapping[str, str]:
        """The decoding parameters that are sent, and how the reply's form is asked for."""
        sent = self._parameters()
        temperature = f"{sent['temperature']:g}" if "temperature" in sent else "its own"
        top_p = {"top_p": f"{sent['top_p']:g}"} if "top_p" in sent else {}
        return {
            "temperature": temperature,
            **({"seed": str(sent["seed"])} if "seed" in sent else {}),
            **top_p,
            **({"effort": sent["reasoning_effort"]} if "reasoning_effort" in sent else {}),
            "structured": self.accepts.structured,
        }

    def set_budget(self, budget: Budget) -> None:
        """Pays from this budget. Raises JudgeError where the model's price is not known."""
        if self.price is None:
            raise JudgeError(
                f"a budget needs the price of {self.name}, which no table has: give a row for it "
                f"in the file that {tables.PRICES} names"
            )
        self.budget = budget

    async def complete(
        self, requests: Sequence[ChatRequest]
    ) -> AsyncIterator[tuple[ChatRequest, Completion | Failed]]:
        """Replies as they come. Raises JudgeError once nothing more can be asked."""
        async with self._connected() as connection:

            async def answer(
                request: ChatRequest,
            ) -> tuple[ChatRequest, Completion | Failed | None]:
                try:
                    async with connection.places:
                        return request, await self._answer(request, connection)
                except JudgeError as error:
                    connection.stopped = connection.stopped or error
                    return request, None

            tasks = [asyncio.create_task(answer(request)) for request in requests]
            try:
                for next_reply in asyncio.as_completed(tasks):
                    request, reply = await next_reply
                    if reply is not None:
                        yield request, reply
            finally:
                for task in tasks:
                    task.cancel()
                await asyncio.gather(*tasks, return_exceptions=True)
            if connection.stopped is not None:
                raise connection.stopped

    @asynccontextmanager
    async def _connected(self) -> AsyncIterator[_Connection]:
        """The connections of this event loop, closed after the last call of `complete` in it."""
        loop = asyncio.get_running_loop()
        if self._connection is None or self._connection.loop is not loop:
            self._connection = self._connect(loop)
        connection = self._connection
        connection.users += 1
        try:
            yield connection
        finally:
            connection.users -= 1
            if not connection.users:
                if self._connection is connection:
                    self._connection = None
                await connection.http.aclose()

    def _connect(self, loop: asyncio.AbstractEventLoop) -> _Connection:
        try:
            from openai import AsyncOpenAI, DefaultAioHttpClient

            http = DefaultAioHttpClient(
                timeout=self._timeout,
                follow_redirects=False,  # prompts and the key go to the named address only
                event_hooks={"response": [bound_reply]},
            )
        except (ImportError, RuntimeError):
            raise MissingExtra(self.name, "judge") from None
        clients = [
            AsyncOpenAI(
                api_key=self._key,
                base_url=url,
                max_retries=0,
                timeout=self._timeout,
                http_client=http,
                default_headers={"Accept-Encoding": "identity"},
            )
            for url in self._urls
        ]
        if self.provider.name != "openai":
            # The SDK reads OPENAI_ORG_ID and OPENAI_PROJECT_ID, which no other provider should see.
            for client in clients:
                client.organization = client.project = None
        return _Connection(loop, clients, http, asyncio.Semaphore(self._concurrency))

    async def _answer(
        self, request: ChatRequest, connection: _Connection
    ) -> Completion | Failed | None:
        """The reply to one request, after retries; None once nothing more can be asked."""
        wait, tries = _FIRST_WAIT, 0
        while connection.stopped is None:
            body = self._body(request)
            try:
                done = await self._pay_and_post(body, connection)
            except Fault as fault:
                if fault.parameter in body and fault.parameter in _DROPPABLE:
                    self.dropped[fault.parameter] = None
                    continue
                # Servers quote the key that they refuse; reasons go to terminals and stores.
                hide = len(self._key) > 4
                reason = fault.reason.replace(self._key, "(the key)") if hide else fault.reason
                if fault.kind == "stop":
                    raise JudgeError(f"{self.name}: {reason}") from None
                tries += 1
                self._reached |= not fault.unreached
                retries = self._retries if self._reached else min(self._retries, RETRIES_AT_FIRST)
                if fault.kind == "retry" and tries <= retries:
                    pause = max(wait * random.uniform(0.5, 1.0), fault.wait or 0.0)
                    if pause >= _WARNING_WAIT and not self._warned:
                        self._warned = True
                        _LOG.warning(_PAUSED, self.name, reason, pause)
                    await asyncio.sleep(pause)
                    wait = min(2 * wait, _LONGEST_WAIT)
                    continue
                connection.failures += fault.kind == "retry"
                if fault.kind == "retry" and connection.failures >= _FAILURES_TO_STOP:
                    raise JudgeError(
                        f"{self.name} at {', '.join(self._urls)}: {_FAILURES_TO_STOP} requests in a "
                        f"row got no reply, each tried {tries} times; the last: {reason}"
                    ) from None
                return Failed(
                    reason + (f" ({tries} tries)" if tries > 1 else ""),
                    prompt=json.dumps(body, ensure_ascii=False),
                    reply=fault.raw,
                )
            connection.failures, self._reached = 0, True
            return done
        return None

    async def _pay_and_post(self, body: dict[str, Any], connection: _Connection) -> Completion:
        """One call, within the budget."""
        if self.budget is None or self.price is None:
            return await self._post(body, connection)
        # A token has at least one byte, so no prompt has more tokens than bytes.
        size = sum(len(message["content"].encode()) for message in body["messages"])
        schema = len(json.dumps(body["response_format"])) if "response_format" in body else 0
        written = next((body[name] for name in _LIMITS if name in body), _THINKING_ROOM)
        most = self.price.of(size + schema + _FRAME_TOKENS, written)
        await self.budget.reserve(most)
        cost = most  # a call that was cancelled on the way may have been charged for
        try:
            done = await self._post(body, connection)
            cost = done.price
        except Fault as fault:
            cost = most if fault.maybe_paid else 0.0
            raise
        finally:
            self.budget.settle(most, cost)
        return done

    async def _post(self, body: dict[str, Any], connection: _Connection) -> Completion:
        import openai

        client = connection.clients[self.calls % len(connection.clients)]
        self.calls += 1
        try:
            async with asyncio.timeout(self._timeout):
                raw = await client.post("/chat/completions", cast_to=str, body=body)
        except TimeoutError:
            reason = f"no reply within {self._timeout:g} s"
            raise Fault("retry", reason, maybe_paid=True, unreached=True) from None
        except openai.APIStatusError as error:
            headers = error.response.headers
            raise status_fault(
                error.status_code,
                error.response.text,
                headers.get("retry-after", ""),
                body,
                headers.get("location", ""),
            ) from None
        except Fault:
            raise
        except Exception as error:  # whatever a broken reply does to the parsers below
            raise connection_fault(error) from None
        return read_reply(str(raw), body, self.price)

    def _body(self, request: ChatRequest) -> dict[str, Any]:
        """The request's JSON, with those parameters only that this model accepts."""
        limit: str = self.accepts.limit
        if limit in self.dropped:
            limit = next(name for name in _LIMITS if name != limit)
        wanted: dict[str, Any] = {
            "model": self.model,
            "messages": [{"role": m.role, "content": m.text} for m in request.messages],
            limit: request.max_tokens + (_THINKING_ROOM if self.accepts.reasoning else 0),
            **self._parameters(),
        }
        if request.stop:
            wanted["stop"] = list(request.stop)
        if request.schema and self.accepts.structured == "json_schema":
            schema = {"name": "verdict", "strict": True, "schema": json.loads(request.schema)}
            wanted["response_format"] = {"type": "json_schema", "json_schema": schema}
        return {name: value for name, value in wanted.items() if name not in self.dropped}

    def _parameters(self) -> dict[str, Any]:
        """The decoding parameters of this model that the table says it accepts."""
        given, accepts = self._decoding, self.accepts
        wanted = {
            "temperature": (given.temperature, accepts.temperature),
            "top_p": (given.top_p, accepts.temperature and given.top_p < 1),
            "seed": (given.seed, accepts.seed and given.seed is not None),
            "reasoning_effort": (given.effort, accepts.reasoning and bool(given.effort)),
        }
        return {name: value for name, (value, sent) in wanted.items() if sent}
