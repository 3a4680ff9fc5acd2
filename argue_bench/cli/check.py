"""``argue-bench check``: one answer beside its contexts, sentence by sentence."""

from __future__ import annotations

from typing import BinaryIO

import click

from argue_bench.cli.commands import command, option
from argue_bench.cli.options import fail_if_option, format_option
from argue_bench.cli.tables import print_as
from argue_bench.errors import Code, DataError
from argue_bench.records.display import escape

# An answer with its contexts has some kilobytes; what is larger is no answer, and would take memory.
MOST_BYTES = 10_000_000


@command("check")
@click.argument("file", type=click.File("rb"), default="-")
@option("--judge", default="lexical", metavar="SPEC", help="The judge.")
@fail_if_option
@format_option.but(type=click.Choice(["text", "json"]))
def check_command(file: BinaryIO, judge: str, fail_if: tuple[str, ...], format: str) -> None:
    """Say of each sentence of one answer whether its contexts support it.

    FILE, by default standard input, is one JSON object {"answer", "contexts", "question"}, of which the
    question may be left out, of at most 10 MB.

    Example: argue-bench check answer.json --fail-if 'contradicted > 0'
    """
    from argue_bench.eval.check import check
    from argue_bench.eval.flags import broken_bounds, parse_bounds
    from argue_bench.records.untrusted import parse_json

    bounds = parse_bounds(fail_if)
    name = getattr(file, "name", "<stdin>")
    if len(raw := file.read(MOST_BYTES + 1)) > MOST_BYTES:
        raise DataError.of(
            Code.TOO_LARGE,
            f"the object has more than {MOST_BYTES // 1_000_000} MB",
            name,
            hint="Give one answer; `argue-bench evaluate` reads files of rows.",
        )
    given = parse_json(raw, name, None)
    keys = set(given) if isinstance(given, dict) else set()
    if not {"answer", "contexts"} <= keys <= {"answer", "contexts", "question"}:
        raise DataError.of(
            Code.WRONG_SHAPE,
            'expected one JSON object {"answer", "contexts", "question"}',
            name,
            hint="The question may be left out.",
        )
    found = check(**given, judge=judge)
    if not print_as(format, found.to_dict()):
        click.echo(escape(str(found), 1_000_000, lines=True))
    if broken := "\n\n".join(broken_bounds(found.report, bounds)):
        click.echo(f"\n{broken}", err=True)
        raise SystemExit(1)
