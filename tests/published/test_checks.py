"""`list checks`: scripts for what only a user with weights or a network can test."""

from __future__ import annotations

from importlib.util import find_spec

import pytest
from click.testing import CliRunner

from argue_bench.cli import main
from argue_bench.published.checks import CHECKS


def test_the_scripts_are_listed() -> None:
    listed = CliRunner().invoke(main, ["list", "checks"], catch_exceptions=False)
    assert listed.exit_code == 0
    assert all(line in listed.output for line in CHECKS)


@pytest.mark.parametrize("line", CHECKS)
def test_each_is_a_script_of_the_repository(line: str) -> None:
    assert find_spec(line.split()[2]) is not None
