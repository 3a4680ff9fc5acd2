"""A plain function as a judge: it is given one judge request and returns the verdict.

def same_words(request):
    return "yes" if request.hypothesis in request.premise_text else "no"

evaluate(dev, answers, ["citations"], judge=same_words)
"""

from __future__ import annotations

import asyncio
import functools
import hashlib
import inspect
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from typing import Any

from argue_bench.errors import JudgeError
from argue_bench.judges.base import Judge, Reply, Said, checked_reply
from argue_bench.records import Failed, JudgeRequest, NotJudged, Verdict

Given = str | float | bool | Verdict | Failed | NotJudged
# From a judge request to a verdict: a declared word, a number or a text, True or False for yes
# and no, or a `Verdict`, `Failed` or `NotJudged`; or a coroutine of one of these.
JudgeFunction = Callable[[Any], Given | Awaitable[Given]]

# Calls of an async function at the same time in one batch, unless told otherwise.
AT_ONCE = 8


class FunctionJudge(Judge):
    """A judge that calls a function for each verdict, ``at_once`` at the same time where it is async.

    An exception inside the function, or a value that the request does not declare, fails that
    request; a JudgeError ends the run.
    """

    def __init__(self, function: JudgeFunction, *, at_once: int = AT_ONCE) -> None:
        self._function, self._at_once = function, at_once
        name = getattr(_inner(function), "__name__", type(function).__name__)
        self.name = f"function:{str(name).strip('<>')}"
        # Whether the function, by an attribute of this name, wants the neighbours of a sentence.
        self.reads_context = getattr(function, "reads_context", False)

    def identity(self) -> Mapping[str, str]:
        """A digest of the function's source with the plain values that it holds, where it has one."""
        digest = _digest(self._function)
        return {"source": digest} if digest else {}

    async def judge(self, requests: Sequence[JudgeRequest]) -> AsyncIterator[Reply]:
        free = asyncio.Semaphore(self._at_once)

        async def ask(request: JudgeRequest) -> Reply:
            async with free:
                return request, await self._reply(request)

        tasks = [asyncio.create_task(ask(request)) for request in requests]
        try:
            for task in asyncio.as_completed(tasks):
                yield await task
        finally:
            for unfinished in tasks:
                unfinished.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _reply(self, request: JudgeRequest) -> Said:
        self.counts.requests += 1
        self.counts.calls += 1
        kind = type(request).__name__
        try:
            value = self._function(request)
            if inspect.isawaitable(value):
                value = await value
            if hasattr(value, "item"):  # a number or truth value of NumPy or PyTorch
                value = value.item()
            if isinstance(value, bool):
                value = "yes" if value else "no"
            given = value if isinstance(value, (Verdict, Failed, NotJudged)) else Verdict(value)
        except JudgeError:
            raise
        except Exception as error:
            # The function is the user's: its mistake is reported, and the other requests go on.
            reply: Said = Failed(
                f"{self.name} raised {type(error).__name__} on {kind}: {error!s:.200}"
            )
        else:
            reply = checked_reply(self.name, request, given)
        self.counts.failed += isinstance(reply, Failed)
        return reply


def _inner(function: Any) -> Any:
    """The function inside decorators and ``functools.partial``; of another object its class."""
    function = inspect.unwrap(function)
    while isinstance(function, functools.partial):
        function = inspect.unwrap(function.func)
    if inspect.ismethod(function):
        return function.__func__
    return function if inspect.isroutine(function) else type(function)


def _digest(function: Any) -> str:
    """16 hexadecimal digits, empty where the function has no source.

    Two functions that differ only in a plain value that they hold are two judges: a default, an argument of a
    partial, an attribute of an object, a variable of the function around them.
    """
    inner = _inner(function)
    try:
        text = inspect.getsource(inner)
    except (OSError, TypeError):
        return ""
    held: list[Any] = [cell.cell_contents for cell in getattr(inner, "__closure__", None) or ()]
    held += getattr(inner, "__defaults__", None) or ()
    while isinstance(function, functools.partial):
        held += [*function.args, *sorted(function.keywords.items())]
        function = function.func
    held += sorted(getattr(getattr(function, "__self__", function), "__dict__", {}).items())
    plain = [repr(one) for one in held if _is_plain(one)]
    return hashlib.sha256("\n".join([text, *plain]).encode()).hexdigest()[:16]


def _is_plain(value: Any) -> bool:
    """Whether the text of a value is the same in every run, as that of other objects is not."""
    if isinstance(value, tuple):
        return all(map(_is_plain, value))
    return isinstance(value, (str, int, float, bool, bytes, type(None)))
