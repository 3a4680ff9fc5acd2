"""How does a chat model somewhere else complete a prompt? Over HTTP, politely and never endlessly.

Requests go out with bounded concurrency through the openai SDK's connection over aiohttp; what to retry
is decided here (`faults`): waits grow twofold with jitter, Retry-After is kept to, a parameter that
is refused is dropped once for all. Thoughts are taken out of replies. After three requests in a row that
got nothing for all their retries, or at a wrong key, nothing more is asked: what is under way comes in
and is handed on, then a JudgeError says why.
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
from argue_bench.models.budget import Budget
from argue_bench.models.capabilities import Capabilities, capabilities
from argue_bench.models.faults import SHOWN, Fault, of_status
from argue_bench.models.prices import VARIABLE as PRICES
from argue_bench.models.prices import Price, price_of
from argue_bench.models.providers import (
    Provider,
    api_key,
    base_urls,
    call_timeout,
    concurrency,
    environment,
    find_provider,
)
from argue_bench.models.reply import read_reply
from argue_bench.models.transport import ChatRequest, Completion
from argue_bench.models.wire import HEADERS, bounded
from argue_bench.records import Failed
from argue_bench.records.display import escape

_LOG = logging.getLogger(__name__)
RETRIES = 7
RETRIES_AT_FIRST = 2
"""Where nothing was ever heard from the server: more likely a wrong address than a pause."""
_THINKING_ROOM = 8192
_FIRST_WAIT, _LONGEST_WAIT = 0.5, 30.0
_TOLD_WAIT = 3.0
_LOST_IN_A_ROW = 3
_FRAME_TOKENS = 64
_DROPPED = ("temperature", "top_p", "seed", "response_format", "stop", "reasoning_effort")
_LIMITS = ("max_tokens", "max_completion_tokens")


@dataclass(frozen=True)
class Decoding:
    """What moves a model's reply beside the prompt. ``effort`` is for models that think."""

    temperature: float = 0.0
    seed: int | None = None
    effort: str = ""
    top_p: float = 1.0


@dataclass
class _Open:
    """The connections of one event loop, while anything is being asked in it."""

    loop: asyncio.AbstractEventLoop
    clients: list[Any]
    http: Any
    places: asyncio.Semaphore
    users: int = 0
    lost: JudgeError | None = None
    in_a_row: int = 0


class Chat:
    """A model behind an OpenAI-compatible address, as a `Transport`.

    ``known`` stands for the environment (with ``.env``); ``timeout``, in seconds, is of one call. Raises JudgeError: no such provider, no key,
    a base URL that is none.
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
        self.provider: Provider = find_provider(provider)
        self.model = model or self.provider.model
        if not self.model or any(not c.isprintable() or c.isspace() for c in self.model):
            raise JudgeError(f"{provider}/MODEL: say which model, here: {self.model!r:.100}")
        self.name = f"{provider}/{self.model}"
        self.accepts: Capabilities = capabilities(provider, self.model, known)
        self.price: Price | None = price_of(provider, self.model, known)
        self.budget: Budget | None = None
        self.refused: dict[str, None] = {}
        """Parameters that the server did not take, though the table says that it does."""
        self.calls = 0
        """HTTP requests sent, those that failed too."""
        self._decoding, self._retries = decoding, retries
        self._timeout = call_timeout(known) if timeout is None else timeout
        self._reached = self._told = False
        self._urls, self._key = base_urls(self.provider, known), api_key(self.provider, known)
        self._concurrency = concurrency(known)
        self._open: _Open | None = None

    @property
    def batch(self) -> int:
        """Four times what may be out at once, so that nothing waits for the slowest of a few."""
        return 4 * self._concurrency

    def identity(self) -> Mapping[str, str]:
        """Model, what is sent of temperature, seed and effort, and how the reply's form is asked for."""
        sent = self._decoding
        found = {"temperature": f"{sent.temperature:g}" if self.accepts.temperature else "its own"}
        if sent.seed is not None and self.accepts.seed:
            found["seed"] = str(sent.seed)
        if sent.top_p < 1 and self.accepts.temperature:
            found["top_p"] = f"{sent.top_p:g}"
        if sent.effort and self.accepts.reasoning:
            found["effort"] = sent.effort
        found["structured"] = self.accepts.structured
        return found

    def set_budget(self, budget: Budget) -> None:
        """Pays from this budget. Raises JudgeError where the model's price is not known."""
        if self.price is None:
            raise JudgeError(
                f"a budget needs the price of {self.name}, which no table has: give a row for it "
                f"in the file that {PRICES} names"
            )
        self.budget = budget

    async def complete(
        self, requests: Sequence[ChatRequest]
    ) -> AsyncIterator[tuple[ChatRequest, Completion | Failed]]:
        """Replies as they come. Raises JudgeError once nothing more can be asked."""
        inbox: asyncio.Queue[tuple[ChatRequest, Completion | Failed] | None] = asyncio.Queue()
        source = iter(requests)
        async with self._connected() as opened:

            async def work() -> None:
                try:
                    while opened.lost is None and (request := next(source, None)) is not None:
                        async with opened.places:
                            reply = await self._answer(request, opened)
                        if reply is not None:
                            inbox.put_nowait((request, reply))
                except JudgeError as error:
                    opened.lost = opened.lost or error
                finally:
                    inbox.put_nowait(None)

            count = min(len(requests), self._concurrency)
            workers = [asyncio.create_task(work()) for _ in range(count)]
            try:
                while count:
                    message = await inbox.get()
                    if message is None:
                        count -= 1
                    else:
                        yield message
                await asyncio.gather(*workers)
            finally:
                for worker in workers:
                    worker.cancel()
                await asyncio.gather(*workers, return_exceptions=True)
            if opened.lost is not None:
                raise opened.lost

    @asynccontextmanager
    async def _connected(self) -> AsyncIterator[_Open]:
        """Connections shared by all that is asked at the same time, closed after the last of it."""
        loop = asyncio.get_running_loop()
        if self._open is None or self._open.loop is not loop:
            self._open = self._connect(loop)
        opened = self._open
        opened.users += 1
        try:
            yield opened
        finally:
            opened.users -= 1
            if not opened.users:
                if self._open is opened:
                    self._open = None
                await opened.http.aclose()

    def _connect(self, loop: asyncio.AbstractEventLoop) -> _Open:
        try:
            from openai import AsyncOpenAI, DefaultAioHttpClient

            http = DefaultAioHttpClient(
                timeout=self._timeout, follow_redirects=False, event_hooks={"response": [bounded]}
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
                default_headers=HEADERS,
            )
            for url in self._urls
        ]
        if (
            self.provider.name != "openai"
        ):  # what the SDK finds in OPENAI_... is nobody else's business
            for client in clients:
                client.organization = client.project = None
        return _Open(loop, clients, http, asyncio.Semaphore(self._concurrency))

    async def _answer(self, request: ChatRequest, opened: _Open) -> Completion | Failed | None:
        """The reply to one request after as many tries as it takes; None where all is lost."""
        wait, tries = _FIRST_WAIT, 0
        while opened.lost is None:
            body = self._body(request)
            try:
                done = await self._paid(body, opened)
            except Fault as fault:
                if fault.kind == "refused" and self._drop(fault.parameter, body):
                    continue
                if fault.kind == "lost":
                    raise JudgeError(f"{self.name}: {self._hidden(fault.reason)}") from None
                tries += 1
                self._reached |= not fault.unreached
                patience = self._retries if self._reached else min(self._retries, RETRIES_AT_FIRST)
                if fault.kind == "again" and tries <= patience:
                    pause = max(wait * random.uniform(0.5, 1.0), fault.wait or 0.0)
                    self._tell(fault, pause)
                    await asyncio.sleep(pause)
                    wait = min(2 * wait, _LONGEST_WAIT)
                    continue
                self._note_lost(fault, opened, tries)
                return Failed(
                    self._hidden(fault.reason) + (f" ({tries} tries)" if tries > 1 else ""),
                    prompt=json.dumps(body, ensure_ascii=False),
                    reply=fault.raw,
                )
            opened.in_a_row, self._reached = 0, True
            return done
        return None

    def _tell(self, fault: Fault, pause: float) -> None:
        """Says once why nothing seems to happen, where the wait is long enough to be noticed."""
        if pause >= _TOLD_WAIT and not self._told:
            self._told = True
            _LOG.warning(
                "%s: %s; trying again after %.0f s, and so on at later faults",
                self.name,
                self._hidden(fault.reason),
                pause,
            )

    def _note_lost(self, fault: Fault, opened: _Open, tries: int) -> None:
        if fault.kind != "again":
            return
        opened.in_a_row += 1
        if opened.in_a_row >= _LOST_IN_A_ROW:
            raise JudgeError(
                f"{self.name} at {', '.join(self._urls)}: {_LOST_IN_A_ROW} requests in a row got no "
                f"reply, each tried {tries} times; the last: {self._hidden(fault.reason)}"
            )

    async def _paid(self, body: dict[str, Any], opened: _Open) -> Completion:
        """One call, within the budget."""
        if self.budget is None or self.price is None:
            return await self._post(body, opened)
        size = sum(len(message["content"].encode()) for message in body["messages"])
        schema = len(json.dumps(body["response_format"])) if "response_format" in body else 0
        written = next((body[name] for name in _LIMITS if name in body), _THINKING_ROOM)
        most = self.price.of(size + schema + _FRAME_TOKENS, written)
        await self.budget.reserve(most)
        cost = most  # a call that was lost on the way may have been charged for
        try:
            done = await self._post(body, opened)
            cost = done.price
        except Fault as fault:
            cost = most if fault.maybe_paid else 0.0
            raise
        finally:
            self.budget.settle(most, cost)
        return done

    async def _post(self, body: dict[str, Any], opened: _Open) -> Completion:
        import openai

        client = opened.clients[self.calls % len(opened.clients)]
        self.calls += 1
        try:
            async with asyncio.timeout(self._timeout):
                raw = await client.post("/chat/completions", cast_to=str, body=body)
        except TimeoutError:
            late = f"no reply within {self._timeout:g} s"
            raise Fault("again", late, maybe_paid=True, unreached=True) from None
        except openai.APIStatusError as error:
            headers = error.response.headers
            raise of_status(
                error.status_code,
                error.response.text,
                headers.get("retry-after", ""),
                body,
                headers.get("location", ""),
            ) from None
        except Fault:
            raise
        except Exception as error:  # whatever a broken reply does to the parsers below
            raise _of_connection(error) from None
        return read_reply(str(raw), body, self.price)

    def _body(self, request: ChatRequest) -> dict[str, Any]:
        """What is sent: only what this model accepts."""
        sent, accepts = self._decoding, self.accepts
        limit = accepts.limit
        if limit in self.refused:
            limit = next(name for name in _LIMITS if name != limit)
        room = _THINKING_ROOM if accepts.reasoning else 0
        wanted: dict[str, Any] = {
            "model": self.model,
            "messages": [{"role": m.role, "content": m.text} for m in request.messages],
            limit: request.max_tokens + room,
        }
        if accepts.temperature:
            wanted["temperature"] = sent.temperature
        if accepts.temperature and sent.top_p < 1:
            wanted["top_p"] = sent.top_p
        if accepts.seed and sent.seed is not None:
            wanted["seed"] = sent.seed
        if accepts.reasoning and sent.effort:
            wanted["reasoning_effort"] = sent.effort
        if request.stop:
            wanted["stop"] = list(request.stop)
        if request.schema and accepts.structured == "json_schema":
            schema = {"name": "verdict", "strict": True, "schema": json.loads(request.schema)}
            wanted["response_format"] = {"type": "json_schema", "json_schema": schema}
        return {name: value for name, value in wanted.items() if name not in self.refused}

    def _drop(self, parameter: str, body: Mapping[str, Any]) -> bool:
        """Whether the request may be sent again without this parameter."""
        if parameter not in body or parameter not in (*_DROPPED, *_LIMITS):
            return False
        self.refused[parameter] = None
        return True

    def _hidden(self, text: str) -> str:
        return text.replace(self._key, "(the key)") if len(self._key) > 4 else text


def _of_connection(error: Exception) -> Fault:
    """A lost connection, or one that never came about: then nothing can have been paid."""
    why: BaseException = error
    connected, proxy = True, False
    while why.__cause__ is not None:
        why = why.__cause__
        if isinstance(why, Fault):
            return why
        names = [base.__name__ for base in type(why).__mro__]
        connected &= not any("Connector" in name for name in names)  # aiohttp: not getting there
        proxy |= "ClientProxyConnectionError" in names
    reason = "the connection was lost" if connected else "no connection"
    if proxy:
        reason += " to the proxy that HTTP_PROXY, HTTPS_PROXY or ALL_PROXY names"
    said = f"{reason}: {escape(str(why) or type(why).__name__, SHOWN)}"
    return Fault("again", said, maybe_paid=connected, unreached=not connected)
