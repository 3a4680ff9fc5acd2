"""What documents say of the code and the code says itself: ``python -m tests.house.reference`` writes it.

Between the two marks in docs/{argue,data,commands,codes,metrics,judges,core,reference,submit,from/trec}.md; a test holds that they are
what stands there.
"""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Callable, Iterator
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import click

from argue_bench.cli import main
from argue_bench.errors import Code
from argue_bench.leaderboard.formats.season import Season
from argue_bench.metrics import METRICS
from argue_bench.metrics.argue.judging import PRESETS, Rules
from argue_bench.metrics.papers import papers
from argue_bench.models.providers import _ProviderRow, _Row, list_providers
from argue_bench.records import KINDS as REQUESTS
from argue_bench.text.citations.notations import NOTATIONS
from tests.house.metric_pages import overview, worked
from tests.published.trec.table import tracks_table
from tests.shared import ROOT
from tools.core_set.scripted import SCRIPTS
from tools.schemas import json_schema

START, END = "<!-- python -m tests.house.reference -->\n", "<!-- end -->"
SCRIPTED = {
    "perfect": ("1", "1"),
    "perfect-uncited": ("U/N", "U/N"),
    "wrong-citations": ("1 − ⌊C/3⌋/N", "the same"),
    "half-lists": ("1", "1 − L/N"),
    "superseded": ("1", "1 − O/N"),
    "both-figures": ("1", "1 − O/N"),
    "repeats": ("1", "1"),
    "negatives-right": ("1, or 0 if U = 0", "U/N"),
    "negatives-wrong": ("0", "0"),
    "refuses": ("0", "0"),
    "refuses-rightly": ("1, or 0", "C/N, or 0"),
    "never-refuses": ("C/N", "C/N"),
    "copies-document": ("1", "what gold's references say of it"),
    "one-sentence": ("1", "1/N"),
    "in-french": ("1", "1"),
    "stuffs": ("0", "0"),
    "injects": ("0", "0"),
}
"""Support and coverage of each scripted system, as docs/core.md names N, U, C, L and O."""
KINDS = {
    "set": "`set.json`",
    "question": "`questions.jsonl`, a line a question",
    "document": "`documents.jsonl`, a line a document",
    "gold": "`gold.jsonl`, a line a question",
    "metadata": "`metadata/SYSTEM.json`",
}
"""The heading of each file that has a schema of its own in docs/formats.md."""


@cache
def documents() -> dict[Path, str]:
    """What should stand between the marks of each document."""
    made: dict[str, Callable[[], Iterator[str]]] = {
        "commands.md": _commands,
        "codes.md": _codes,
        "formats.md": _formats,
        "metrics.md": _metrics,
        "argue.md": _rules,
        "judges.md": _requests,
        "rows.md": _notations,
        "reference.md": _providers,
        "core.md": _scripted,
        "from/trec.md": tracks_table,
    }
    return {
        ROOT / "docs" / name: "".join(f"{line}\n" for line in lines())
        for name, lines in made.items()
    }


def part(text: str) -> tuple[int, int]:
    """Where the part between the marks begins and ends."""
    start = text.index(START) + len(START)
    return start, text.index(END, start)


def _commands() -> Iterator[str]:
    """Each command with its help: what it does, an example, every option by group."""
    for context in _leaves(click.Context(main, info_name="argue-bench")):
        command = context.command
        yield f"## {context.command_path}"
        yield ""
        usage = " ".join(command.collect_usage_pieces(context))
        yield f"`{context.command_path} {usage}`"
        for part in inspect.cleandoc(command.help or "").split("\n\n"):
            yield ""
            example = part.removeprefix("Example: ")
            yield _prose(part) if example == part else f"Example: `{' '.join(example.split())}`"
        groups: dict[str, list[str]] = {}
        for option in command.params:  # without those that every command has
            record = option.get_help_record(context)
            if isinstance(option, click.Option) and record:
                rows = groups.setdefault(getattr(option, "group", "Options"), [])
                rows.append(f"| {_code(record[0])} | {_prose(record[1])} |")
        for title, rows in groups.items():
            yield from ("", f"| {title} | |", "|---|---|", *rows)
        yield ""


def _notations() -> Iterator[str]:
    """Every way of citing that is read, and what it names."""
    yield from ("| written | names |", "|---|---|")
    for one in NOTATIONS:
        if one.examples:
            yield f"| {' '.join(f'`{example}`' for example in one.examples)} | {one.names} |"


def _leaves(context: click.Context) -> Iterator[click.Context]:
    group = context.command
    assert isinstance(group, click.Group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        inner = click.Context(command, info_name=name, parent=context)
        if not isinstance(command, click.Group) or command.invoke_without_command:
            yield inner
        if isinstance(command, click.Group):
            yield from _leaves(inner)


def _prose(text: str) -> str:
    return re.sub(r"([<|*_\[\]{}])", r"\\\1", " ".join(text.split()))


def _metrics() -> Iterator[str]:
    yield from overview()
    yield ""
    yield from worked()
    yield ""
    yield "## Papers to cite"
    yield ""
    yield "Cite those whose metrics you report. A board's page on its metrics has them as BibTeX."
    yield ""
    yield from _papers()


def _papers() -> Iterator[str]:
    yield "| paper | | metrics |"
    yield "|---|---|---|"
    for cited, paper in papers().items():
        title, where, year = paper["title"], paper["published"], paper["year"]
        names = [f"`{name}`" for name, metric in METRICS.items() if cited in metric.paper]
        published = where if year in where or where.startswith("arXiv") else f"{where} {year}"
        yield f"| {cited} | *{_cell(title)}*, {published} | {', '.join(names)} |"


def _requests() -> Iterator[str]:
    """Each kind of judge request: the question that begins its docstring, and its verdicts."""
    yield "| kind | question | verdicts |"
    yield "|---|---|---|"
    for name, kind in REQUESTS.items():
        question = inspect.cleandoc(kind.__doc__ or "").partition("\n\n")[0]
        yield f"| {name} | {_cell(' '.join(question.split()))} | {kind.declared_verdicts()} |"


def _providers() -> Iterator[str]:
    """The variables of each provider: its key, its address."""
    yield "| key and address | provider |"
    yield "|---|---|"
    for name, provider in list_providers({}).items():
        variables = f"`{provider.key_variable}`, `{provider.url_variable}`"
        yield f"| {variables} | `{name}/`: {_cell(provider.summary)} |"


def _provider_rows() -> Iterator[str]:
    schema, values = json_schema(_ProviderRow), json_schema(_Row)
    for name, value in schema["properties"].items():
        value.setdefault("description", values["properties"].get(name, {}).get("description", ""))
    del schema["properties"]["models"]["items"]
    yield from _table(schema)


def _rules() -> Iterator[str]:
    """Each decision of ARGUE with its meaning and its value in every preset."""
    meanings = re.split(r"\n {4}(?=[a-z]+(?:, [a-z]+)? )", Rules.__doc__ or "")[1:]
    yield f"| decision | {' | '.join(f'`{name}`' for name in PRESETS)} |"
    yield f"|---|{'---|' * len(PRESETS)}"
    for meaning in meanings:
        names, said = re.split(r"(?<!,) +", " ".join(meaning.split()), maxsplit=1)
        cells = (
            ", ".join(f"{getattr(rules, name)}" for name in names.split(", "))
            for rules in PRESETS.values()
        )
        yield f"| {names}: {_cell(said.replace('``', '*'))} | {' | '.join(cells)} |"


def _scripted() -> Iterator[str]:
    yield "| system | what it does | support | coverage |"
    yield "|---|---|---|---|"
    for name, script in SCRIPTS.items():
        yield f"| `{name}` | {_cell(script.summary)} | {' | '.join(SCRIPTED[name])} |"


def _table(schema: dict[str, Any]) -> Iterator[str]:
    yield "| key | | what it holds |"
    yield "|---|---|---|"
    for name, what in _keys(schema, schema.get("$defs", {}), ""):
        yield f"| `{name}` | {what[0]} | {_cell(' '.join(what[1].split()))} |"


def _codes() -> Iterator[str]:
    for code in Code:
        yield f"## {code}"
        yield ""
        yield _prose(code.text)
        yield ""


def _formats() -> Iterator[str]:
    """The keys of every JSON or TOML file that people write."""
    folder = files("argue_bench") / "loaders" / "schemas"
    for kind, title in KINDS.items():
        schema = json.loads((folder / f"{kind}.schema.json").read_text(encoding="utf-8"))
        yield from (f"## {title}", "", *_table(schema), "")
    yield from ("## `season.json`", "", *_table(json_schema(Season)), "")
    yield from ("## `providers.toml`, a table a provider", "", *_provider_rows(), "")


def _keys(
    schema: dict[str, Any], parts: dict[str, Any], above: str
) -> Iterator[tuple[str, tuple[str, str]]]:
    """Each key by its path, whether it must be there, and what it holds."""
    for name, value in schema.get("properties", {}).items():
        there = "required" if name in schema.get("required", ()) else ""
        inner = _inside(value, parts)
        yield f"{above}{name}", (there, value.get("description") or inner.get("description", ""))
        if above.count(".") < 2 and name not in ("decomposition", "answer"):
            mark = "[]." if value.get("type") == "array" else "."
            yield from _keys(inner, parts, f"{above}{name}{mark}")


def _inside(value: dict[str, Any], parts: dict[str, Any]) -> dict[str, Any]:
    inner: dict[str, Any] = value.get("items", value)
    inner = next((one for one in inner.get("anyOf", ()) if "$ref" in one), inner)  # or null
    return parts[inner["$ref"].rpartition("/")[2]] if "$ref" in inner else inner


def _code(text: str) -> str:
    """Code for a cell; GitHub and Zensical read an escaped bar in backticks differently."""
    return (
        f"<code>{text.replace('<', '&lt;').replace('|', '&#124;')}</code>"
        if "|" in text
        else f"`{text}`"
    )


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;")


if __name__ == "__main__":
    for path, text in documents().items():
        old = path.read_text(encoding="utf-8")
        start, end = part(old)
        path.write_text(old[:start] + text + old[end:], encoding="utf-8")
