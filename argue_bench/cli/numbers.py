"""Numbers that several commands take, with what they may be."""

from __future__ import annotations

import click

A_SEED = click.IntRange(min=0)
TIMES = click.IntRange(1, 10_000_000)
"""How often something is drawn: more would not end."""
