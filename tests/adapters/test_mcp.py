"""The server for agents, over standard input and output, with the client of the package mcp."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

mcp = pytest.importorskip("mcp", reason="needs argue-bench[mcp]")

Call = Callable[..., Awaitable[Any]]
PLANTED = {
    "row-1": ("It opened in 1936.", "1932"),
    "row-3": ("The toll is 7 euros.", "5 euros"),
    "row-4": ("Anna Berg designed it.", "Olav Lund"),
}
SOURCES = (
    "The bridge over the fjord is 412 m long and opened in 1932.",
    "The bridge has two lanes for cars and one for bicycles.",
    "The toll for a car is 5 euros, and bicycles pay nothing.",
    "Olav Lund designed the bridge for the city of Bergen.",
)
ANSWERS = (
    "The bridge over the fjord is 412 m long. It opened in 1936.",
    "The bridge has two lanes for cars.",
    "Bicycles pay nothing. The toll is 7 euros.",
    "Anna Berg designed it.",
)


def session(place: Path, work: Callable[[Call, Any], Awaitable[Any]]) -> tuple[Any, str]:
    """What ``work`` returns, given a client of a server in ``place``; and what the server wrote to stderr."""
    said = place / "stderr"

    async def run() -> Any:
        server = mcp.StdioServerParameters(
            command=sys.executable, args=["-m", "argue_bench", "mcp"], cwd=place
        )
        with said.open("w") as errors:
            async with mcp.Client(mcp.stdio_client(server, errlog=errors)) as client:

                async def call(tool: str, **arguments: Any) -> Any:
                    found = await client.call_tool(tool, arguments)
                    assert json.loads(found.content[0].text) == found.structured_content
                    assert found.is_error == ("errors" in found.structured_content)
                    return found.structured_content

                return await work(call, client)

    return asyncio.run(run()), said.read_text()


def rows(place: Path) -> str:
    with (place / "rows.jsonl").open("w") as file:
        for text, answer in zip(SOURCES, ANSWERS, strict=True):
            row = {"question": f"What is known? {text[:9]}", "contexts": [text], "answer": answer}
            file.write(json.dumps(row) + "\n")
    return "rows.jsonl"


def test_an_agent_finds_three_planted_sentences_in_four_calls(tmp_path: Path) -> None:
    async def work(call: Call, _: Any) -> Any:
        found = await call("evaluate_rows", file=rows(tmp_path), out="run")
        flagged = {one["question"]: one["number"] for one in found["flagged"]}
        return [
            await call("explain_failure", run="run", question=id, sentence=number)
            for id, number in flagged.items()
        ]

    told, errors = session(tmp_path, work)
    assert errors == ""
    seen = {one["failed"][0]["question"]: one for one in told}
    assert {id: one["failed"][0]["text"] for id, one in seen.items()} == {
        id: text for id, (text, _) in PLANTED.items()
    }
    for id, (_, right) in PLANTED.items():
        assert right in seen[id]["passages"][0]["text"]


def test_one_answer_and_two_runs(tmp_path: Path) -> None:
    async def work(call: Call, client: Any) -> Any:
        one = await call("check_answer", answer=ANSWERS[0], contexts=[SOURCES[0]])
        for out, answer in (("a", ANSWERS[2]), ("b", SOURCES[2])):
            row = {"question": "What is the toll?", "contexts": [SOURCES[2]], "answer": answer}
            await call("evaluate_rows", rows=[row], out=out, metrics=["faithfulness"])
        compared = await call("compare_runs", base="a", new="b")
        return one, compared, (await client.list_tools()).tools

    (one, compared, tools), _ = session(tmp_path, work)
    assert [each["supported"] for each in one["statements"]] == [True, False]
    first = compared["differences"][0]
    assert (first["score"], first["scores"]) == ("faithfulness.supported", [0.5, 1.0])
    assert all(tool.input_schema["properties"] and tool.description for tool in tools)
    assert len(tools) == 4


BAD: dict[str, tuple[str, dict[str, Any], str, str]] = {
    # the tool, its arguments, the code of the error and where it is
    "a missing file": ("evaluate_rows", {"file": "nowhere"}, "no-such-file", "nowhere"),
    "rows and a file": ("evaluate_rows", {"rows": [], "file": "x"}, "usage-error", ""),
    "rows that are none": ("evaluate_rows", {"rows": [{"a": 1}]}, "row-columns", "rows[]:1"),
    "a file to write over": ("evaluate_rows", {"file": "r", "out": "mine.txt"}, "usage-error", ""),
    "code to import": (
        "evaluate_rows",
        {"file": "rows.jsonl", "metrics": ["os:getcwd"]},
        "wrong-value",
        "metrics.0",
    ),
    "no run": (
        "compare_runs",
        {"base": "rows.jsonl", "new": "x"},
        "not-a-run-file",
        "rows.jsonl:1",
    ),
    "no such failure": (
        "explain_failure",
        {"run": "run", "question": "row-2", "sentence": 1},
        "unknown-name",
        "",
    ),
    "no such tool": ("delete_everything", {}, "usage-error", ""),
    "50 MB": (
        "check_answer",
        {"answer": "x" * 50_000_000, "contexts": []},
        "wrong-value",
        "answer",
    ),
    "201 contexts": (
        "check_answer",
        {"answer": "x", "contexts": ["x"] * 201},
        "wrong-value",
        "contexts",
    ),
}


def test_each_error_is_an_object_with_code_and_fix(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")

    async def work(call: Call, client: Any) -> Any:
        await call("evaluate_rows", file=rows(tmp_path), out="run")
        found = {name: await call(tool, **given) for name, (tool, given, *_) in BAD.items()}
        many = [{"question": "Q?", "contexts": SOURCES, "answer": ANSWERS[0]}] * 300
        # A call that its client gives up does not end the server.
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(client.call_tool("evaluate_rows", {"rows": many}), 0.2)
        return found, await call("check_answer", answer=ANSWERS[1], contexts=list(SOURCES))

    (found, after), errors = session(tmp_path, work)
    for name, (*_, code, where) in BAD.items():
        first = found[name]["errors"][0]
        assert (first["code"], first["where"]) == (code, where), name
        assert first["problem"], name
        assert first["fix"], name
        assert len(json.dumps(found[name])) < 5_000, name
    assert (tmp_path / "mine.txt").read_text() == "mine"
    assert after["score"] == 1.0
    assert "Traceback" not in errors
