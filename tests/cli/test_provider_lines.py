"""The three lines that docs/providers.md has for each provider, run against a server of this machine."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from argue_bench.cli import main
from argue_bench.models.providers import list_providers
from tests.models.server import ChatServer
from tests.shared import ROOT

pytest.importorskip("openai", reason="the extra judge is not installed")
PAGE = (ROOT / "docs" / "providers.md").read_text(encoding="utf-8")
SECTION = re.compile(r"^### (.+)\n(?:.*\n)*?```bash\n(.+)\n(.+)\n(.+)\n```$", re.MULTILINE)
SECTIONS = {match[1]: match.groups()[1:] for match in SECTION.finditer(PAGE)}


def provider_of(line: str) -> str:
    return line.partition("--judge ")[2].partition("/")[0]


def test_every_shipped_provider_has_its_three_lines() -> None:
    assert [provider_of(lines[1]) for lines in SECTIONS.values()] == list(list_providers({}))


@pytest.mark.parametrize("title", SECTIONS)
def test_the_three_lines_of_a_provider_work(
    title: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, dry, real = SECTIONS[title]
    provider = list_providers({})[provider_of(dry)]
    assert dry.removesuffix(" --dry-run") == real.removesuffix(" --budget 1")
    row = '{"id": "flood-toll", "answer": "Eleven people died in the flood [D03]."}\n'
    (tmp_path / "answers.jsonl").write_text(row)
    monkeypatch.chdir(tmp_path)
    said = set(re.findall(r"(\w+)=", first)) if first.startswith("export ") else set()
    assert provider.keyless or provider.key_variable in said
    with ChatServer(key="k-1" if provider.key_variable in said else "") as server:
        for name in said:
            monkeypatch.setenv(name, "k-1")
        monkeypatch.setenv(provider.url_variable, server.url)
        for line, sent in ((dry, False), (real, True)):
            done = CliRunner().invoke(main, line.split()[1:], catch_exceptions=False)
            assert done.exit_code == 0, done.stderr
            assert bool(server.count) == sent
    assert "citations." in done.stdout
