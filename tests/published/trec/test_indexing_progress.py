"""A collection that is indexed for the first time says how far it is."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from argue_bench.cli import progress
from argue_bench.published.trec.collection import open_collection


def test_indexing_tells_megabytes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(progress, "QUIET_SECONDS", 1e-9)
    monkeypatch.setattr(progress, "LOG_SECONDS", 0.0)
    rows = ({"id": f"d{n}", "text": "x" * 999_900} for n in range(4))
    (tmp_path / "docs.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert len(open_collection(tmp_path / "docs.jsonl")) == 4
    told = capsys.readouterr().err.splitlines()
    assert [line.partition(" [")[0] for line in told] == [
        f"indexing documents, MB: {n} of 3" for n in (1, 2, 3)
    ]
    open_collection(tmp_path / "docs.jsonl").close()
    assert capsys.readouterr().err == ""  # it stands indexed
