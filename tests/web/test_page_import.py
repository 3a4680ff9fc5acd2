"""Pages that somebody fetched before."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from argue_bench.cli import main
from argue_bench.errors import Code, DataError, Finding
from argue_bench.web.page_import import import_sources
from argue_bench.web.snapshot import Snapshot
from tests.web.web_server import PAGE, WORDS


def imported(source: Path, folder: Path) -> tuple[dict[str, tuple[str, str]], list[Finding]]:
    """State and beginning of the text by address, and what was told."""
    snapshot, told = import_sources(source, folder)
    return {one.url: (one.state, one.text[:17]) for one in snapshot.records()}, told


@pytest.mark.parametrize(
    "row",
    [
        {"url": "https://c.example/", "text": WORDS * 5, "docid": "1"},
        {"URL": "https://c.example/", "Clean-Text": WORDS * 5, "ClueWeb22-ID": "clueweb22-en0"},
        {"url": "https://c.example/", "html": PAGE},
    ],
    ids=["browsecomp-plus", "clueweb22", "html"],
)
def test_the_lines_of_a_crawl(tmp_path: Path, row: dict[str, str]) -> None:
    lines = [json.dumps(row), "not json", json.dumps({"text": "no address"})]
    path = tmp_path / "crawl.jsonl"
    path.write_text("\n".join(lines))
    found, told = imported(path, tmp_path / "out")
    assert found == {"https://c.example/": ("read", WORDS[:17])}
    assert [one.line for one in told] == [2, 3]


def test_nothing_to_import_is_an_error_and_a_second_import_adds(tmp_path: Path) -> None:
    (tmp_path / "empty.jsonl").write_text("")
    with pytest.raises(DataError) as raised:
        imported(tmp_path / "empty.jsonl", tmp_path / "out")
    assert str(Code.WRONG_SHAPE) in str(raised.value)
    for name in ("a", "b"):
        path = tmp_path / f"{name}.jsonl"
        path.write_text(json.dumps({"url": f"https://c.example/{name}", "text": WORDS * 5}))
        done = CliRunner().invoke(
            main, ["sources", "import", str(path), "--out", str(tmp_path / "out")]
        )
        assert done.exit_code == 0, done.output
    assert [one.key[-1] for one in Snapshot(tmp_path / "out").records()] == ["a", "b"]


def test_what_is_too_large_to_import_is_told_and_the_rest_is_read(tmp_path: Path) -> None:
    """A line of 100 MB."""
    good = json.dumps({"url": "https://c.example/", "text": WORDS * 5}).encode()
    crawl = tmp_path / "crawl.jsonl"
    with crawl.open("wb") as file:
        file.write(b'{"url": "https://b.example/", "text": "' + b"a" * 100_000_000 + b'"}\n' + good)
    found, told = imported(crawl, tmp_path / "two")
    assert found == {"https://c.example/": ("read", WORDS[:17])}
    assert [(one.line, one.message) for one in told] == [
        (1, "the line has more than 10,485,760 bytes")
    ]


def test_lines_that_no_page_can_come_from_are_told_also_where_none_is_left(tmp_path: Path) -> None:
    lines = [
        r'{"url": "https://c.example/\ud800", "text": "x"}',
        '{"url": "javascript:alert(1)", "text": "x"}',
        '{"url": 5, "text": null}',
    ]
    (tmp_path / "crawl.jsonl").write_text("\n".join(lines))
    arguments = ["sources", "import", str(tmp_path / "crawl.jsonl"), "--out", str(tmp_path / "out")]
    done = CliRunner().invoke(main, arguments)
    assert done.exit_code == 1
    assert "crawl.jsonl:1: warning" in done.stderr
    assert done.stderr.count("the line has no web address with a text or HTML") == 2
    assert "no page with an address can be read here" in done.stderr
