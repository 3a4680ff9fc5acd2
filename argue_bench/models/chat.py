"""Chat models of providers, from the request to the text of its reply.

A `Dialect` is what a provider's API wants and gives; `Chat` sends requests, retries, stops, and reserves budget
before every call. `argue_bench.models.reply` decides when a call is tried again, and when a run is given up.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from argue_bench.errors import ArgueBenchError, JudgeError, needing
from argue_bench.models.budget import Budget, Price
from argue_bench.models.environment import environment
from argue_bench.models.providers import (
    PROVIDERS_FILE,
    api_key,
    base_url,
    call_timeout,
    concurrency,
    find_provider,
    further_headers,
)
from argue_bench.models.reply import MOST_BYTES, RETRIES, Fault, Patience, read_reply, status_fault
from argue_bench.models.transport import ChatRequest, Completion
from argue_bench.records import Failed

if TYPE_CHECKING:
    from argue_bench.models.connection import Connection


# Dialects of chat APIs: the address of a call, how it carries the key, and the format of its body.
#
# Bodies are built in OpenAI's words and translated last, so that everything else here knows one form.

_ANTHROPIC_VERSION = "2023-06-01"


class Dialect:
    """OpenAI's chat completions, which most servers speak; what other APIs do in another way they override."""

    # Parameters without which the API answers nothing.
    required: frozenset[str] = frozenset(("model", "messages"))

    def url(self, base: str, model: str) -> str:
        """The address of a completion."""
        return f"{base}/chat/completions"

    def headers(self, key: str) -> dict[str, str]:
        """The headers that carry the key."""
        return {"Authorization": f"Bearer {key}"}

    def body(self, wanted: Mapping[str, Any]) -> Mapping[str, Any]:
        """A body in this API's words."""
        return wanted

    def parameter(self, name: str) -> str:
        """OpenAI's name of a parameter of this API."""
        return name


class Azure(Dialect):
    """OpenAI's chat completions at Azure, in both forms of its addresses.

    ``https://NAME.openai.azure.com`` alone, or with ``/openai/v1``, is the newer form: the model's name in
    the body is the deployment's. An address with ``?api-version=`` is the dated form, which has the deployment
    in its path; where the path has none, MODEL is taken for it.
    """

    def url(self, base: str, model: str) -> str:
        parts = urlsplit(base)
        path = parts.path.rstrip("/").removesuffix("/chat/completions")
        if not parts.query:
            path = (
                path if path.endswith("/openai/v1") else f"{path.removesuffix('/openai')}/openai/v1"
            )
        elif "/deployments/" not in path:
            path = f"{path.removesuffix('/openai')}/openai/deployments/{model}"
        return parts._replace(path=f"{path}/chat/completions").geturl()

    def headers(self, key: str) -> dict[str, str]:
        return {"api-key": key}


class Anthropic(Dialect):
    """Anthropic's Messages API, which holds its models to a schema; its compatible address does not."""

    required: frozenset[str] = frozenset(("model", "messages", "max_tokens"))
    _NAMES = dict.fromkeys(("output_config", "output_format"), "response_format")

    def url(self, base: str, model: str) -> str:
        return f"{base}/messages"

    def headers(self, key: str) -> dict[str, str]:
        return {"x-api-key": key, "anthropic-version": _ANTHROPIC_VERSION}

    def body(self, wanted: Mapping[str, Any]) -> Mapping[str, Any]:
        system = "\n\n".join(m["content"] for m in wanted["messages"] if m["role"] == "system")
        body = {k: v for k, v in wanted.items() if k != "response_format"}
        body["messages"] = [m for m in wanted["messages"] if m["role"] != "system"]
        if system:
            body["system"] = system
        if "response_format" in wanted:
            schema = wanted["response_format"]["json_schema"]["schema"]
            body["output_config"] = {"format": {"type": "json_schema", "schema": schema}}
        return body

    def parameter(self, name: str) -> str:
        return self._NAMES.get(name, name)


DIALECTS: Mapping[str, Dialect] = {
    "openai": Dialect(),
    "azure": Azure(),
    "anthropic": Anthropic(),
}


# Chat models of providers: prompts completed over HTTP, with bounded concurrency and bounded retries.
#
# A budget is asked before every call. A parameter that the server refuses by name is dropped for good. Once nothing more can be asked, requests under way come in and are handed on, then a JudgeError says why.

# Tokens that a model may spend on thinking, besides its answer.
_THINKING_ROOM = 8192
# Tokens of thought by effort, as a share of those at the usual one: rough, and soon learned.
_THINKING_AT = {"minimal": 0.1, "low": 0.4, "high": 2.5}
# Tokens that a server may add around the messages.
_FRAME_TOKENS = 64
_LIMITS = ("max_tokens", "max_completion_tokens")


@dataclass(frozen=True)
class Decoding:
    """Parameters that change a model's reply to the same prompt. ``effort`` is for reasoning models."""

    temperature: float = 0.0
    seed: int | None = None
    effort: str = ""
    top_p: float = 1.0


@dataclass
class _Session:
    """The state that calls of `complete` in one event loop share."""

    connection: Connection
    places: asyncio.Semaphore
    halted: asyncio.Event
    stopped: ArgueBenchError | None = None
    users: int = 0

    def stop(self, error: ArgueBenchError) -> None:
        self.stopped = self.stopped or error
        self.halted.set()


class Chat:
    """A model of a provider, as a `Transport`.

    ``known`` replaces the environment (with ``.env``); ``timeout`` is the seconds for one call. Raises
    JudgeError: no such provider, no key, a malformed base URL; DataError: the user's file of providers.
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
        self.provider = find_provider(provider, known)
        self.model = model or self.provider.model
        if not self.model or any(not c.isprintable() or c.isspace() for c in self.model):
            raise JudgeError(f"{provider}/MODEL: say which model, here: {self.model!r:.100}")
        self.name = f"{provider}/{self.model}"
        self.accepts = self.provider.capabilities(self.model)
        self.price: Price | None = self.provider.price(self.model)
        self.budget: Budget | None = None
        # Parameters that the server refused, though the table says that it accepts them.
        self.dropped: dict[str, None] = {}
        # US dollars that calls without a reply may have cost, where no budget counts them.
        self.unsure = 0.0
        self._provider, self._decoding = provider, decoding
        self._timeout = call_timeout(known) if timeout is None else timeout
        self._dialect = DIALECTS[self.provider.dialect]
        self.base, self._key = base_url(self.provider, known), api_key(self.provider, known)
        self._headers = {
            **self._dialect.headers(self._key),
            **further_headers(self.provider, known),
        }
        self._url = self._dialect.url(self.base, self.model)
        self.host = urlsplit(self._url).netloc
        self._concurrency = concurrency(known, self.accepts.concurrency)
        self._patience = Patience(self.name, self.base, retries)
        self._session: _Session | None = None
        self._stopped: ArgueBenchError | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        # The key stays here: another process reads its own, as it does the address.
        return Chat, (self._provider, self.model, self._decoding)

    @property
    def batch(self) -> int:
        """Four times the concurrency, so that nothing waits for the slowest of a few."""
        return 4 * self._concurrency

    @property
    def expected_thinking(self) -> float:
        """Tokens of thought that a call takes, as the provider's row says, at this effort."""
        return self.accepts.thinking * _THINKING_AT.get(self._decoding.effort, 1.0)

    def identity(self) -> Mapping[str, str]:
        """The decoding parameters that are sent, and how the reply's form is asked for."""
        sent = self._parameters()
        return {
            "temperature": f"{sent['temperature']:g}" if "temperature" in sent else "its own",
            **({"seed": str(sent["seed"])} if "seed" in sent else {}),
            **({"top_p": f"{sent['top_p']:g}"} if "top_p" in sent else {}),
            **({"effort": sent["reasoning_effort"]} if "reasoning_effort" in sent else {}),
            "structured": self.accepts.structured,
        }

    def set_budget(self, budget: Budget) -> None:
        """Pays from this budget. Raises JudgeError where the model's price is not known."""
        if self.price is None:
            raise JudgeError(
                f"a budget needs the price of {self.name}, which no row has: give in and out for it "
                f"in a file of providers ({PROVIDERS_FILE}=FILE; docs/models.md shows a row)"
            )
        self.budget = budget

    def stop(self, error: ArgueBenchError) -> None:
        """Sends nothing more: calls in progress are finished, then `complete` raises the error."""
        self._stopped = error
        if self._session is not None:
            self._session.stop(error)

    def wording(self, request: ChatRequest) -> Mapping[str, Any]:
        """The body of a call in the provider's format, for those who send it themselves."""
        return self._dialect.body(self._body(request))

    def read(self, raw: str, sent: str) -> Completion:
        """The completion in a reply to a body. Raises Fault where there is none."""
        return read_reply(raw, sent, self.price, self.host, billed=self.accepts.billed)

    def most_of(self, body: Mapping[str, Any]) -> float:
        """The most US dollars that a body may cost; 0 where no price is known."""
        if self.price is None:
            return 0.0
        # A token has at least one byte, so no prompt has more tokens than bytes.
        size = len(json.dumps(body, ensure_ascii=False).encode("utf-8", "replace"))
        written = next((body[name] for name in _LIMITS if name in body), _THINKING_ROOM)
        return self.price.of(size + _FRAME_TOKENS, written)

    def connect(self, timeout: float | None = None, most: int = MOST_BYTES) -> Connection:
        """A connection that carries the provider's key; replies have at most ``most`` bytes.

        Raises MissingExtra where the openai package or aiohttp is not installed.
        """
        with needing(self.name, "judge"):
            from argue_bench.models.connection import Connection
        return Connection(self.base, self._headers, timeout or self._timeout, most)

    async def complete(
        self, requests: Sequence[ChatRequest]
    ) -> AsyncIterator[tuple[ChatRequest, Completion | Failed]]:
        """Replies as they come. Raises JudgeError once nothing more can be asked."""
        async with self._in_session() as session:

            async def answer(
                request: ChatRequest,
            ) -> tuple[ChatRequest, Completion | Failed | None]:
                try:
                    async with session.places:
                        return request, await self._answer(request, session)
                except JudgeError as error:
                    session.stop(error)
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
            if session.stopped is not None:
                raise session.stopped

    @asynccontextmanager
    async def _in_session(self) -> AsyncIterator[_Session]:
        """The shared state of this event loop's calls; its connections are closed after
        the last of them."""
        session = self._session
        if session is None or session.connection.loop is not asyncio.get_running_loop():
            session = self._session = _Session(
                self.connect(),
                asyncio.Semaphore(self._concurrency),
                asyncio.Event(),
            )
            if self._stopped is not None:
                session.stop(self._stopped)
        session.users += 1
        try:
            yield session
        finally:
            session.users -= 1
            if not session.users:
                if self._session is session:
                    self._session = None
                await session.connection.close()

    async def _answer(self, request: ChatRequest, session: _Session) -> Completion | Failed | None:
        """The reply to one request, after retries; None once nothing more can be asked."""
        tries = 0
        while session.stopped is None:
            body = self._body(request)
            try:
                done = await self._pay_and_post(body, session)
            except Fault as fault:
                if self.drop(fault.parameter, body):
                    continue
                tries += 1
                reason = self.without_key(fault.reason)
                pause = self._patience.pause(fault, reason, tries)
                if pause is not None:
                    with suppress(TimeoutError):
                        await asyncio.wait_for(session.halted.wait(), pause)
                    continue
                return Failed(
                    reason + (f" ({tries} tries)" if tries > 1 else ""),
                    prompt=json.dumps(self._dialect.body(body), ensure_ascii=False),
                    reply=fault.raw,
                )
            self._patience.note_answer()
            return done
        return None

    def without_key(self, reason: str) -> str:
        """The reason without the key: servers quote what they refuse, and reasons go to terminals and stores."""
        return reason.replace(self._key, "(the key)") if len(self._key) > 4 else reason

    def drop(self, parameter: str, body: Mapping[str, Any]) -> bool:
        """Leaves a parameter out from now on; whether that changes this body."""
        name = self._dialect.parameter(parameter)
        if name not in body or name in self._dialect.required:
            return False
        self.dropped[name] = None
        return True

    async def _pay_and_post(self, body: dict[str, Any], session: _Session) -> Completion:
        """One call, within the budget."""
        if self.budget is None:
            try:
                return await self._post(body, session)
            except Fault as fault:
                self.unsure += self.most_of(body) if fault.maybe_paid else 0.0
                raise
        most = self.most_of(body)
        await self.budget.reserve(most)
        cost = most  # a call that was cancelled on the way may have been charged for
        try:
            done = await self._post(body, session)
            cost = most if done.price is None else done.price
        except Fault as fault:
            cost = most if fault.maybe_paid else 0.0
            raise
        finally:
            self.budget.settle(most, cost)
        return done

    async def _post(self, body: dict[str, Any], session: _Session) -> Completion:
        wording = self._dialect.body(body)
        sent = json.dumps(wording, ensure_ascii=False)
        status, headers, raw = await session.connection.post(
            self._url, sent.encode("utf-8", "replace")
        )
        if not 200 <= status < 300:
            raise status_fault(status, raw, headers, wording)
        return self.read(raw, sent)

    def _body(self, request: ChatRequest) -> dict[str, Any]:
        """The request in OpenAI's words, with those parameters only that this model accepts."""
        limit: str = self.accepts.limit
        if limit in self.dropped:
            limit = next(name for name in _LIMITS if name != limit)
        wanted: dict[str, Any] = {
            "model": self.model,
            "messages": [{"role": m.role, "content": m.text} for m in request.messages],
            limit: request.max_tokens + (_THINKING_ROOM if self.accepts.reasoning else 0),
            **self._parameters(),
            **self.accepts.body,
        }
        if request.schema and self.accepts.structured == "json_schema":
            wanted["response_format"] = _response_format(request.schema)
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


@lru_cache(maxsize=256)
def _response_format(schema: str) -> dict[str, Any]:
    """The parameter that asks for a reply of this schema; not to be changed."""
    named = {"name": "verdict", "strict": True, "schema": json.loads(schema)}
    return {"type": "json_schema", "json_schema": named}
