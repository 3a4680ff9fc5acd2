"""A chat server on loopback that speaks OpenAI's completions over real HTTP, and can misbehave.

    with ChatServer(trick=lambda number, body: "html" if number == 0 else "") as server:
        known = {"ARGUE_BENCH_BASE_URL": server.url}

Its model is honest: it gives each datum of a prompt the verdict of `truth`. The server checks that what
stands between the markers is one line of JSON and that nothing else of the prompt looks like a marker;
``forged`` lists what did. As a program (``python -m tests.models.server MILLISECONDS LOG``) it
prints its address and writes a line of the log for each request.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import re
import sys
import threading
from collections.abc import Awaitable, Callable, Collection
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, Self

Trick = str
"""What to do with a request: "" answers it. "429 0.2" (with Retry-After), "500", "401", ... answer a
status; "drop", "half", "html", "truncated", "list", "error" spoil the reply; "slow 1.5" waits; "wire" leaves it to `Wire`."""

Wire = Callable[[asyncio.StreamWriter, str], Awaitable[bool]]
"""Writes a reply by hand, given the completion that an honest server would send; whether to go on."""

BLOCK = re.compile(r"^DATA ([0-9a-f]{8})\n(.*)\nEND \1$", re.MULTILINE)
MARKER = re.compile(r"^\s*(?:DATA|END)\b", re.MULTILINE)
UNSEEN = re.compile(
    "[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2028\u2029\u2066-\u2069\ufeff]"
)
REASONS = {
    200: "OK",
    400: "Bad Request",
    401: "Unauthorized",
    404: "Not Found",
    402: "Payment Required",
    403: "Forbidden",
    422: "Unprocessable",
    429: "Too Many Requests",
    500: "Internal Server Error",
}


ITEMS = {
    "sources": "source",
    "questions": "question",
    "nuggets": "nugget",
    "criteria": "criterion",
    "passages": "passage",
    "sentences": "sentence",
    "submitted_answers": "submitted_answer",
    "responses": "response",
}
"""The names under which prompts for many have their numbered data, each with its name in one for one."""


def truth(datum: Any) -> str:
    """Yes or no, by the datum alone."""
    text = json.dumps(datum, sort_keys=True)
    return "yes" if hashlib.sha256(text.encode()).digest()[0] % 3 == 0 else "no"


def data_of(body: dict[str, Any]) -> list[Any]:
    """What stands between the markers of a prompt."""
    text = "\n".join(message["content"] for message in body["messages"])
    return [json.loads(block) for _, block in BLOCK.findall(text)]


def numbered(data: dict[str, Any]) -> dict[str, Any]:
    """The data of a prompt for many as the data of prompts for one, by number."""
    (items,) = (name for name in data if name in ITEMS)
    shared = {name: value for name, value in data.items() if name != items}
    if isinstance(data[items], list):
        return {
            n: {**shared, "question": row["question"], "answer": answer}
            for row in data[items]
            for n, answer in row["answers"].items()
        }
    return {
        n: {**shared, **(row if isinstance(row, dict) else {ITEMS[items]: row})}
        for n, row in data[items].items()
    }


def form_name(body: dict[str, Any]) -> str:
    """The name for the verdict, or for all of them, in the form that the prompt's last line shows."""
    last = body["messages"][-1]["content"].splitlines()[-1]
    found = re.search(r'"(verdicts?(?:-[0-9a-f]{8})?)"', last)
    assert last.startswith("Form: {"), last
    assert found, last
    return found[1]


def reply(body: dict[str, Any], said: Any) -> str:
    """A reply in the form that the prompt asks for."""
    return json.dumps({form_name(body): said})


def honest(body: dict[str, Any]) -> str:
    """The reply of a model that does what it is told."""
    told = body["messages"][0]["content"]
    if "Reply with the verdict alone" in told:
        return truth(data_of(body)).upper()
    (data,) = data_of(body)
    words = {"yes": "full"} if "full or partial or no." in told else {}
    if "0 or 1 or 2 or 3." in told:
        words = {"yes": "3", "no": "0"}
    if "met or partly or unmet or contradicts." in told:
        words = {"yes": "met", "no": "unmet"}

    def said(datum: Any) -> str:
        return words.get(truth(datum), truth(datum))

    if form_name(body).startswith("verdicts"):
        return reply(body, {n: said(row) for n, row in numbered(data).items()})
    return reply(body, said(data))


def as_message(completion: dict[str, Any]) -> str:
    """A completion in the form of Anthropic's Messages API."""
    choice, usage = completion["choices"][0], completion["usage"]
    finish = choice["finish_reason"]
    counts = usage and {
        "input_tokens": usage["prompt_tokens"],
        "output_tokens": usage["completion_tokens"],
    }
    message = {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": completion["model"],
        "content": [{"type": "text", "text": choice["message"]["content"]}],
        "stop_reason": {"stop": "end_turn", "length": "max_tokens"}.get(finish, finish),
        "usage": counts,
    }
    return json.dumps(message)


@dataclass
class ChatServer:
    """The server, in a thread of its own while it is a context."""

    delay: float = 0.0
    trick: Callable[[int, dict[str, Any]], Trick] = lambda number, body: ""
    refuses: Collection[str] = ()
    key: str = ""
    model: Callable[[dict[str, Any]], str | dict[str, Any]] = honest
    wire: Wire | None = None
    log: Path | None = None
    keep: bool = True
    requests: list[dict[str, Any]] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    forged: list[str] = field(default_factory=list)
    count: int = 0
    now: int = 0
    most_at_once: int = 0

    def __enter__(self) -> Self:
        self._loop = asyncio.new_event_loop()
        started = threading.Event()
        self._tasks: set[asyncio.Task[Any]] = set()

        def run() -> None:
            asyncio.set_event_loop(self._loop)
            self._server = self._loop.run_until_complete(self.start())
            started.set()
            self._loop.run_forever()
            self._loop.close()

        self._thread = threading.Thread(target=run, daemon=True)
        self._thread.start()
        started.wait()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        tb: TracebackType | None,
    ) -> None:
        async def stop() -> None:
            self._server.close()
            for task in list(self._tasks):
                task.cancel()
            await asyncio.gather(*self._tasks, return_exceptions=True)
            self._loop.stop()

        asyncio.run_coroutine_threadsafe(stop(), self._loop)
        self._thread.join()

    async def start(self) -> asyncio.Server:
        """Listens on a free port of loopback."""
        server = await asyncio.start_server(self._talk, "127.0.0.1", 0, limit=1 << 24)
        self.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
        return server

    async def _talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        if task is not None and hasattr(self, "_tasks"):
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
        try:
            while await self._one(reader, writer):
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        except asyncio.CancelledError:
            pass
        finally:
            writer.close()

    async def _one(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        length = re.search(r"(?i)^content-length: *(\d+)", head, re.MULTILINE)
        raw = await reader.readexactly(int(length[1]) if length else 0)
        self.now += 1
        self.most_at_once = max(self.most_at_once, self.now)
        try:
            return await self._reply(head, json.loads(raw), writer)
        finally:
            self.now -= 1

    async def _reply(self, head: str, body: dict[str, Any], writer: asyncio.StreamWriter) -> bool:
        number, self.count = self.count, self.count + 1
        messages_api = head.split(" ", 2)[1].endswith("/messages")
        if messages_api and "system" in body:  # Anthropic's; from here on in OpenAI's form
            first = {"role": "system", "content": body["system"]}
            body["messages"] = [first, *body["messages"]]
        self._look_at(head, body)
        trick, _, amount = self.trick(number, body).partition(" ")
        await asyncio.sleep(float(amount) if trick == "slow" else self.delay)
        if amount.startswith("after "):  # as "401 after 17": answered once 17 requests have come
            while self.count < int(amount.removeprefix("after ")):
                await asyncio.sleep(0.005)
            amount = ""
        if trick == "wire":
            assert self.wire is not None
            return await self.wire(writer, self._completion(body))
        if trick == "drop":
            return False
        bearer = re.search(r"(?im)^(?:authorization: bearer|x-api-key:|api-key:) (.*?)\r?$", head)
        if self.key and (bearer is None or bearer[1] != self.key):
            said = {"message": f"Incorrect API key provided: {bearer[1] if bearer else ''}"}
            self._send(writer, 401, json.dumps({"error": said}))
        elif refused := [name for name in self.refuses if name in body]:
            complaint = {
                "message": f"Unsupported parameter: '{refused[0]}' is not supported with this model.",
                "param": refused[0],
                "code": "unsupported_parameter",
            }
            self._send(writer, 400, json.dumps({"error": complaint}))
        elif trick.isdigit():
            told = {"message": f"trick {trick}", "code": amount if int(trick) == 429 else None}
            wait = f"Retry-After: {amount}\r\n" if re.fullmatch(r"[\d.]+", amount) else ""
            self._send(writer, int(trick), json.dumps({"error": told}), wait)
        elif trick == "html":
            self._send(writer, 200, "<!DOCTYPE html><html><body>Please log in</body></html>")
        elif trick == "error":
            self._send(writer, 200, json.dumps({"error": {"message": "overloaded", "code": 503}}))
        elif trick == "list":
            self._send(writer, 200, "[1, 2]")
        else:
            whole = self._completion(body)
            if messages_api:
                whole = as_message(json.loads(whole))
            if trick == "truncated":
                self._send(writer, 200, whole[: len(whole) // 2])
            elif trick == "half":
                writer.write(
                    b"HTTP/1.1 200 OK\r\nContent-Length: 9999\r\n\r\n" + whole.encode()[:50]
                )
                return False
            else:
                self._send(writer, 200, whole)
        return True

    def _look_at(self, head: str, body: dict[str, Any]) -> None:
        if self.keep:
            self.requests.append(body)
            self.paths.append(head.split(" ", 2)[1])
        if self.log is not None:
            with self.log.open("a") as file:
                file.write(hashlib.sha256(json.dumps(data_of(body)).encode()).hexdigest() + "\n")
        if not self.keep:
            return
        for message in body["messages"]:
            text = message["content"]
            blocks = BLOCK.findall(text)
            if len(MARKER.findall(text)) != 2 * len(blocks):
                self.forged.append(text)
            if UNSEEN.search(text):
                self.forged.append(text)
            marks = [mark for mark, _ in blocks]
            if any(text.count(mark) != 2 * marks.count(mark) for mark in marks):
                self.forged.append(text)

    def _completion(self, body: dict[str, Any]) -> str:
        said = self.model(body)
        message = {"role": "assistant", "content": said} if isinstance(said, str) else said
        size = sum(len(m["content"]) for m in body["messages"])
        finish = message.pop("finish_reason", "stop")
        served = message.pop("served", body["model"])
        build = {name: message.pop(name) for name in ("system_fingerprint",) if name in message}
        counted = (size // 4, len(str(message["content"])) // 4)
        names = ("prompt_tokens", "completion_tokens", "total_tokens")
        usage = message.pop("usage", dict(zip(names, (*counted, sum(counted)), strict=True)))
        return json.dumps(
            {
                "id": "c",
                "object": "chat.completion",
                "created": 1,
                "model": served,
                **build,
                "choices": [{"index": 0, "message": message, "finish_reason": finish}],
                "usage": usage,
            }
        )

    @staticmethod
    def _send(writer: asyncio.StreamWriter, status: int, text: str, more: str = "") -> None:
        kind = "text/html" if text.startswith("<") else "application/json"
        raw = text.encode()
        head = (
            f"HTTP/1.1 {status} {REASONS.get(status, 'Status')}\r\nContent-Type: {kind}\r\n{more}"
        )
        writer.write(f"{head}Content-Length: {len(raw)}\r\n\r\n".encode() + raw)


async def _serve(milliseconds: str, log: str) -> None:
    path = None if log == "-" else Path(log)
    chat = ChatServer(delay=float(milliseconds) / 1000, log=path, keep=False)
    server = await chat.start()
    print(chat.url, flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(_serve(*sys.argv[1:]))
