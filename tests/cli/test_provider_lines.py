"""What docs/models.md says to type for each provider, run against a server of this machine."""

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
PAGE = (ROOT / "docs" / "models.md").read_text(encoding="utf-8").partition("## On your own")[0]
ROWS = {
    match[1]: (match[2], match[3])
    for match in re.finditer(r"^\| (.+?) \| `(.+?)` \| `(\w+/.+?)` \|", PAGE, re.MULTILINE)
}
LINE = "evaluate answers.jsonl --split sample -m citations --judge "


def test_every_shipped_provider_has_its_row() -> None:
    assert [model.partition("/")[0] for _, model in ROWS.values()] == list(list_providers({}))
    assert f"argue-bench {LINE}openai/" in PAGE


@pytest.mark.parametrize("title", ROWS)
def test_the_lines_of_a_provider_work(
    title: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, model = ROWS[title]
    provider = list_providers({})[model.partition("/")[0]]
    row = '{"id": "flood-toll", "answer": "Eleven people died in the flood [D03]."}\n'
    (tmp_path / "answers.jsonl").write_text(row)
    monkeypatch.chdir(tmp_path)
    said = set(re.findall(r"(\w+)=", first)) if first.startswith("export ") else set()
    assert provider.keyless or provider.key_variable in said
    with ChatServer(key="k-1" if provider.key_variable in said else "") as server:
        for name in said:
            monkeypatch.setenv(name, "k-1")
        monkeypatch.setenv(provider.url_variable, server.url)
        for dry in (["--dry-run"], []):
            done = CliRunner().invoke(main, [*LINE.split(), model, *dry], catch_exceptions=False)
            assert done.exit_code == 0, done.stderr
            assert bool(server.count) == (not dry)
    assert "citations." in done.stdout
