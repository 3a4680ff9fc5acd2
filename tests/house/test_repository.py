"""The repository's address stands in setup.py alone; texts name it, or say that there is none yet."""

from __future__ import annotations

import re

import pytest

from tests.shared import ROOT

ADDRESS = re.findall(r'^ADDRESS = "(.*)"$', (ROOT / "setup.py").read_text("utf-8"), re.MULTILINE)
UNTIL = "the project has no public address yet"
"""What a page says in one line until the address is filled in."""
INSTALLING = ("README.md", "docs/quickstart.md")
GENERATED = ROOT / "docs" / "commands.md"
"""Lists the options with the form of their values."""
TEXTS = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md", "CITATION.cff")),
    *(path for path in ROOT.glob("docs/**/*.md") if path != GENERATED),
    *ROOT.glob("leaderboard-submissions/**/*.md"),
    *ROOT.glob("argue_bench/data/board/*"),
    *ROOT.glob(".github/**/*.*"),
]


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_text_holds_a_placeholder_of_an_address(path: object) -> None:
    text = (ROOT / str(path)).read_text("utf-8")
    assert not re.search(r"(?<![$\w])REPOSITORY\b|OWNER/(?:NAME|argue-bench)", text)


def test_the_address_is_named_where_somebody_installs_or_its_lack_is() -> None:
    (address,) = ADDRESS
    assert not address or re.fullmatch(r"https://[\w.-]+/[\w./-]+", address)
    for name in INSTALLING:
        text = (ROOT / name).read_text("utf-8")
        assert (address in text if address else False) is not (UNTIL in text)
