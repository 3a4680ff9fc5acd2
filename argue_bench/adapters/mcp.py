"""``argue-bench mcp``: a server of the Model Context Protocol, through which an agent checks answers.

The tools are functions of this module; their schemas are made of the signatures. An error is a result with
``isError`` whose structured content is ``{"errors": [{"code", "where", "problem", "fix"}]}``, as the command line
prints it. Everything stays on this machine: the judge is the offline one, and the server reads the files that it is
asked to read, with the rights of its user.
"""

from __future__ import annotations

import inspect
import json
import sys
from contextlib import redirect_stdout
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field, ValidationError

from argue_bench.analysis.compare import caution_lines, compare
from argue_bench.cli.commands import command
from argue_bench.cli.compare import read_systems
from argue_bench.errors import ArgueBenchError, DataError, UnknownName, UsageError, needing
from argue_bench.eval import evaluate
from argue_bench.eval.check import check
from argue_bench.eval.flags import TIERS, flag_list, tier_of
from argue_bench.eval.run import is_run_file, read_entries, read_header, read_reports
from argue_bench.loaders.rows import read_rows
from argue_bench.loaders.source import load_source
from argue_bench.metrics.citations.support import nearest
from argue_bench.records import Source
from argue_bench.version import __version__
from argue_bench.view.answer_text import passage

# Flags and missed nuggets of one result, so that it fits an agent's context.
SHOWN = 50
# Characters of a source that are shown beside a sentence.
PASSAGE = 600

# What is longer is refused by the schema, before anything of it is read; a file has no such bound.
Text = Annotated[str, Field(max_length=200_000)]
Texts = Annotated[list[Text], Field(max_length=200)]
# A text "module:name" imports code, and a judge in it may cost money: neither is an agent's to decide.
MetricTexts = Annotated[
    list[Annotated[str, Field(pattern=r"^[a-z_]+(\(rules=[a-z0-9-]+\))?$")]], Field(max_length=20)
]
RowObjects = Annotated[list[dict[str, Any]], Field(max_length=1_000)]


def check_answer(answer: Text, contexts: Texts, question: Text = "") -> dict[str, Any]:
    """Find the sentences of one answer that its contexts do not support.

    Each of `statements` has text, start, end, supported (true, false, null: not judged), kind (contradicted,
    missing, nothing, ...), reason, source (the place of the nearest context, from 0) and probability: how often such
    flags were right on people's labels.
    """
    return check(answer, list(contexts), question).to_dict()


def evaluate_rows(
    rows: RowObjects | None = None,
    file: str = "",
    metrics: MetricTexts | None = None,
    out: str = "",
) -> dict[str, Any]:
    """Score many answers: `rows` of question, contexts and answer, or a `file` of them (JSON Lines, CSV, traces).

    Returns the scores with 95 % intervals, the flagged sentences, the surest first, and the missed nuggets. `out`
    writes a run file, which explain_failure and compare_runs read. Without `metrics` those that fit the rows are run.
    """
    if (rows is None) == (not file):
        raise UsageError("evaluate_rows takes either rows or a file")
    if out and Path(out).exists() and not is_run_file(Path(out)):
        raise UsageError(f"{out} is there already and is no run file: name another one as out")
    read = read_rows(rows if rows is not None else Path(file))
    report = evaluate(read.dataset, read.answers, metrics, out=out or None).resampled()
    told, flags = report.to_dict(), flag_list(report)
    kept = ("n", "scores", "signature", "not_run", "not_judged", "warranty")
    return {
        **{name: told[name] for name in kept},
        "failures": list(report.failures[:SHOWN]),
        "flagged": [one._asdict() | {"tier": tier_of(one)} for one in flags.listed()[:SHOWN]],
        "flags": {tier or "unmeasured": len(some) for tier, some in flags.tiers.items()},
        "missed_nuggets": [one._asdict() for one in report.missed_nuggets()[:SHOWN]],
        "unread_rows": DataError(read.findings).to_json()[:SHOWN],
        "run": out,
    }


def explain_failure(run: str, question: str, sentence: int) -> dict[str, Any]:
    """Tell why a sentence of a run file failed: reason, kind, how far to trust it, and the nearest passages.

    `question` is the row's id and `sentence` its number from 1, as evaluate_rows lists them.
    """
    path = Path(run)
    failed = next(iter(read_reports(path).values())).failed_sentences()
    found = [one for one in failed if (one.question, one.number) == (question, sentence)]
    if not found:
        known = [f"{one.question}, {one.number}" for one in failed[:20]]
        raise UnknownName("failed sentence", f"{question}, {sentence}", known)
    held: list[Source] = []
    # Rows that came in the call lie nowhere, so there is nothing to show beside the reason.
    if source := read_header(path).source:
        data = load_source(source, path, (entry.answer for entry in read_entries(path)))
        held = [Source.of(data.documents[id]) for id in data.by_id[question].documents]
    return {
        "failed": [one._asdict() for one in found],
        "trust": TIERS.get(tier_of(found[0]), "nobody measured how often such flags are right"),
        "passages": [
            {
                "id": one.id,
                "text": "".join(text for text, _ in passage(one.text, found[0].text, PASSAGE)),
            }
            for one in nearest(found[0].text, held)
        ],
    }


def compare_runs(base: str, new: str) -> dict[str, Any]:
    """Compare two run files question by question: differences, intervals, corrected p values, rank bands."""
    reports = read_systems([f"base={base}", f"new={new}"])
    found = compare(*reports.values(), names=list(reports))
    return {**found.to_dict(), "cautions": list(caution_lines(found))}


def _problems(error: Exception, tool: str) -> list[dict[str, str]]:
    cause = error.__cause__
    if isinstance(cause, ArgueBenchError):
        return cause.to_json()
    if not isinstance(cause, ValidationError):
        return UsageError(str(error)).to_json()
    # The values may be as large as what was refused, so they are not repeated.
    return [
        {
            "code": "wrong-value",
            "where": ".".join(map(str, one["loc"])),
            "problem": one["msg"],
            "fix": f"See the input schema of {tool}; longer texts and more rows go through a file.",
        }
        for one in cause.errors(include_input=False)[:SHOWN]
    ]


def _server() -> Any:
    """A server with the tools, whose errors are JSON. Raises MissingExtra."""
    with needing("argue-bench mcp", "mcp"):
        from mcp.server import MCPServer
        from mcp.server.mcpserver.exceptions import ToolError
        from mcp.types import CallToolResult, TextContent

    class Server(MCPServer):
        async def call_tool(self, name: str, arguments: dict[str, Any], context: Any = None) -> Any:
            try:
                return await super().call_tool(name, arguments, context)
            except ToolError as error:
                told = {"errors": _problems(error, name)}
                content = [TextContent(type="text", text=json.dumps(told, ensure_ascii=False))]
                return CallToolResult(content=content, structured_content=told, is_error=True)

    about = "Checks whether answers are supported by their sources. Every flag says how often such flags are right."
    made = Server("argue-bench", version=__version__, instructions=about, log_level="ERROR")
    for tool in (check_answer, evaluate_rows, explain_failure, compare_runs):
        made.add_tool(tool, description=inspect.getdoc(tool))
    return made


@command("mcp")
def mcp_command() -> None:
    """Serve agents by the Model Context Protocol, over standard input and output.

    The tools are check_answer, evaluate_rows, explain_failure and compare_runs.

    Example: argue-bench mcp
    """
    # Standard output is the protocol's own, also where --format json collects what commands print.
    with redirect_stdout(sys.__stdout__):
        _server().run()
