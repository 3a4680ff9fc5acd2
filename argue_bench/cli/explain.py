"""``argue-bench explain CODE``: the meaning of an error code."""

from __future__ import annotations

import click

from argue_bench.cli.commands import command
from argue_bench.errors import Code, UnknownName


@command()
@click.argument("code")
def explain(code: str) -> None:
    """Print the meaning of an error code, as errors show it in brackets.

    Example: argue-bench explain unknown-id
    """
    name = code.strip().strip("[]").lower()
    known = {one.value: one for one in Code}
    if name not in known:
        from difflib import get_close_matches

        near = get_close_matches(name, known, n=3, cutoff=0)
        raise UnknownName("error code", name[:80], near, see="docs/codes.md")
    click.echo(f"{name}: {known[name].text}")
