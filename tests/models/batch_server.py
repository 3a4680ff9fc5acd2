"""OpenAI's Batch API on loopback, over real HTTP, which can misbehave at any step.

    with BatchServer(trick=lambda step, number: "drop after" if step == "POST /batches" else "") as server:
        known = {"OPENAI_BASE_URL": server.url, "OPENAI_API_KEY": "k"}

A batch goes on by one state each time it is asked for. ``asked`` counts how often each request was answered,
which is what has to be paid. ``steps`` are the calls that came.
"""

from __future__ import annotations

import asyncio
import json
import re
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import count
from typing import Any, ClassVar, Self

from aiohttp import web

from tests.models.server import honest

Trick = Callable[[str, int], str]
"""From a step and the number of the call to what is done: "" is honest; "500", "429", ... answer with a
status and do nothing; "drop before" and "drop after" close the connection, the latter once all is done;
"garbled" answers with no JSON. A trick may also kill a process and give back anything."""
END = "completed"


@dataclass
class BatchServer:
    """The server, in a thread of its own while it is a context.

    ``fate`` says how a batch ends, by its number and requests: "completed", "expired", "cancelled",
    "failed" or "token_limit". An expired or cancelled one has answered every other request. ``line`` may
    spoil the reply to one: it gives a status for a body, 200 as a rule.
    """

    trick: Trick = lambda step, number: ""
    fate: Callable[[int, list[dict[str, Any]]], str] = lambda number, lines: END
    line: Callable[[dict[str, Any]], int] = lambda body: 200
    model: Callable[[dict[str, Any]], str] = honest
    key: str = ""
    steps: list[str] = field(default_factory=list)
    asked: Counter[str] = field(default_factory=Counter)
    bodies: dict[str, dict[str, Any]] = field(default_factory=dict)
    files: dict[str, bytes] = field(default_factory=dict)
    batches: dict[str, dict[str, Any]] = field(default_factory=dict)
    prefix: ClassVar[str] = "/v1"
    path: ClassVar[str] = "/v1/chat/completions"

    def __enter__(self) -> Self:
        self._loop = asyncio.new_event_loop()
        self._numbers = count(1)
        started = threading.Event()

        def run() -> None:
            asyncio.set_event_loop(self._loop)
            self._runner = self._loop.run_until_complete(self._start())
            started.set()
            self._loop.run_forever()
            self._loop.run_until_complete(self._runner.cleanup())
            self._loop.close()

        self._thread = threading.Thread(target=run, daemon=True)
        self._thread.start()
        started.wait()
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()

    async def _start(self) -> web.AppRunner:
        app = web.Application(client_max_size=1 << 28)
        app.router.add_route("*", f"{self.prefix}/{{path:.*}}", self._serve)
        runner = web.AppRunner(app, shutdown_timeout=0)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        self.url = f"http://127.0.0.1:{runner.addresses[0][1]}{self.prefix}"
        return runner

    async def _serve(self, request: web.Request) -> web.StreamResponse:
        path = request.match_info["path"]
        shown = re.sub(r"(file|batch)[-_]\d+", r"\1", path)
        step = f"{request.method} /{shown}"
        number = len(self.steps)
        self.steps.append(step)
        if self.key and self.carried(request) != self.key:
            return web.json_response({"error": {"message": "Incorrect API key"}}, status=401)
        trick = self.trick(step, number)
        if trick.isdigit():
            return web.json_response({"error": {"message": "try later"}}, status=int(trick))
        if trick == "drop before":
            return await self._drop(request)
        reply = await self._done(request, path)
        if trick == "drop after":
            return await self._drop(request)
        return web.Response(text="<html>") if trick == "garbled" else reply

    def carried(self, request: web.Request) -> str:
        """The key of a call."""
        return request.headers.get("Authorization", "").removeprefix("Bearer ")

    @staticmethod
    async def _drop(request: web.Request) -> web.StreamResponse:
        assert request.transport is not None
        request.transport.abort()
        return web.Response()

    async def _done(self, request: web.Request, path: str) -> web.StreamResponse:
        head, _, rest = path.partition("/")
        if request.method == "POST" and path == "files":
            form = await request.post()
            assert form["purpose"] == "batch"
            file: Any = form["file"]
            return web.json_response({"id": self._keep(file.file.read())})
        if request.method == "POST" and path == "batches":
            return self._begin(await request.json())
        if path == "batches":
            return self._list(request.query)
        if head == "batches" and rest in self.batches:
            return web.json_response(self._go_on(self.batches[rest]))
        name, _, content = rest.partition("/")
        if head == "files" and content == "content" and name in self.files:
            return web.Response(body=self.files[name], content_type="application/octet-stream")
        return web.json_response({"error": {"message": "no such thing"}}, status=404)

    def _keep(self, content: bytes) -> str:
        name = f"file-{next(self._numbers)}"
        self.files[name] = content
        return name

    def _begin(self, wanted: dict[str, Any]) -> web.Response:
        assert (wanted["endpoint"], wanted["completion_window"]) == (self.path, "24h")
        lines = [json.loads(line) for line in self.files[wanted["input_file_id"]].splitlines()]
        assert len({line["custom_id"] for line in lines}) == len(lines) <= 50_000
        assert {(line["method"], line["url"]) for line in lines} == {("POST", self.path)}
        id = f"batch-{next(self._numbers)}"
        self.batches[id] = {
            "id": id,
            "status": "validating",
            "metadata": wanted["metadata"],
            "input_file_id": wanted["input_file_id"],
            "request_counts": {"total": len(lines), "completed": 0, "failed": 0},
        }
        return web.json_response(self.batches[id])

    def _list(self, query: Any) -> web.Response:
        ids = list(reversed(self.batches))
        start = ids.index(query["after"]) + 1 if "after" in query else 0
        some = ids[start : start + 2]  # pages of two, so that tests come to turn them
        rows = [self.batches[id] for id in some]
        return web.json_response({"data": rows, "has_more": start + 2 < len(ids)})

    def _go_on(self, batch: dict[str, Any]) -> dict[str, Any]:
        """The batch one state further."""
        if batch["status"] == "validating":
            batch["status"] = "in_progress"
        elif batch["status"] == "in_progress":
            self._end(batch)
        return batch

    def _end(self, batch: dict[str, Any]) -> None:
        lines = [json.loads(line) for line in self.files[batch["input_file_id"]].splitlines()]
        fate = self.fate(list(self.batches).index(batch["id"]), lines)
        if fate in ("failed", "token_limit"):
            code = {"failed": "invalid_json_line", "token_limit": "token_limit_exceeded"}[fate]
            batch["errors"] = {"data": [{"code": code, "message": "Not like this", "line": 1}]}
            batch["status"] = "failed"
            return
        output, errors = [], []
        for number, line in enumerate(reversed(lines)):  # never in the order of the requests
            reply = {"id": "r", "custom_id": line["custom_id"], "response": None, "error": None}
            if fate != END and number % 2:
                reply["error"] = {"code": f"batch_{fate}", "message": "too late"}
                errors.append(reply)
                continue
            status = self.line(line["body"])
            if status == 200:
                self.asked[line["custom_id"]] += 1
                self.bodies[line["custom_id"]] = line["body"]
                body = self._completion(line["body"])
            else:
                body = {"error": {"message": f"status {status}"}}
            reply["response"] = {"status_code": status, "request_id": "q", "body": body}
            (output if status == 200 else errors).append(reply)
        for name, some in (("output_file_id", output), ("error_file_id", errors)):
            if some:
                batch[name] = self._keep("".join(json.dumps(one) + "\n" for one in some).encode())
        counts = {"completed": len(output), "failed": len(errors), "total": len(lines)}
        batch["request_counts"], batch["status"] = counts, fate

    def _completion(self, body: dict[str, Any]) -> dict[str, Any]:
        text = self.model(body)
        size = sum(len(message["content"]) for message in body["messages"])
        usage = {"prompt_tokens": size // 4, "completion_tokens": len(text) // 4}
        message = {"role": "assistant", "content": text}
        return {
            "id": "c",
            "object": "chat.completion",
            "created": 1,
            "model": body["model"],
            "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
            "usage": usage,
        }


@dataclass
class MessageBatchServer(BatchServer):
    """Anthropic's Message Batches: requests in the call that begins them, newest first in the list."""

    def carried(self, request: web.Request) -> str:
        assert request.headers["anthropic-version"] == "2023-06-01"
        return request.headers.get("x-api-key", "")

    async def _done(self, request: web.Request, path: str) -> web.StreamResponse:
        assert path.startswith("messages/batches")
        name = path.removeprefix("messages/batches").strip("/")
        if request.method == "POST":
            requests = (await request.json())["requests"]
            ids = [one["custom_id"] for one in requests]
            assert len(set(ids)) == len(ids)
            assert all(re.fullmatch("[A-Za-z0-9_-]{1,64}", id) for id in ids)
            id = f"batch_{next(self._numbers)}"
            lines = [{"custom_id": one["custom_id"], "body": one["params"]} for one in requests]
            self.batches[id] = {"id": id, "status": "in_progress", "lines": lines, "turns": 0}
            return web.json_response(self._shown(self.batches[id]))
        if not name:
            ids = list(reversed(self.batches))
            start = ids.index(request.query["after_id"]) + 1 if "after_id" in request.query else 0
            rows = [self._shown(self._turn(self.batches[id])) for id in ids[start : start + 2]]
            return web.json_response({"data": rows, "has_more": start + 2 < len(ids)})
        name, _, results = name.partition("/")
        if name not in self.batches:
            return web.json_response(
                {"type": "error", "error": {"type": "not_found_error"}}, status=404
            )
        batch = self.batches[name]
        if not results:
            return web.json_response(self._shown(self._turn(batch)))
        return web.Response(text="".join(json.dumps(one) + "\n" for one in batch["results"]))

    def _turn(self, batch: dict[str, Any]) -> dict[str, Any]:
        batch["turns"] += 1
        if batch["turns"] == 3:
            fate = self.fate(list(self.batches).index(batch["id"]), batch["lines"])
            batch["status"], batch["results"] = "ended", [*self._results(batch["lines"], fate)]
        return batch

    def _results(self, lines: list[dict[str, Any]], fate: str) -> Iterator[dict[str, Any]]:
        for number, line in enumerate(reversed(lines)):
            status = self.line(line["body"])
            if fate != END and number % 2:
                result: dict[str, Any] = {"type": {"cancelled": "canceled"}.get(fate, fate)}
            elif status != 200:
                kind = {400: "invalid_request_error", 429: "rate_limit_error"}[status]
                error = {"type": "error", "error": {"type": kind, "message": "not like this"}}
                result = {"type": "errored", "error": error}
            else:
                self.asked[line["custom_id"][:40]] += 1
                self.bodies[line["custom_id"]] = line["body"]
                usage = {"input_tokens": 10, "output_tokens": 2}
                content = [{"type": "text", "text": self.model(line["body"])}]
                message = {"type": "message", "model": line["body"]["model"], "content": content}
                message |= {"stop_reason": "end_turn", "usage": usage}
                result = {"type": "succeeded", "message": message}
            yield {"custom_id": line["custom_id"], "result": result}

    @staticmethod
    def _shown(batch: dict[str, Any]) -> dict[str, Any]:
        counts = Counter(one["result"]["type"] for one in batch.get("results", ()))
        counts["processing"] = 0 if counts else len(batch["lines"])
        return {
            "id": batch["id"],
            "type": "message_batch",
            "processing_status": batch["status"],
            "request_counts": dict(counts),
            "results_url": None,
        }
