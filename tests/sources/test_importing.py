"""Pages that somebody fetched before: WARC, folders, crawls; and WARC files of our own."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from argue_bench.cli import main
from argue_bench.errors import Code, DataError, Finding
from argue_bench.sources.fetching import FetchOptions, fetch_sources
from argue_bench.sources.importing import import_sources, write_warc
from argue_bench.sources.snapshot import Snapshot
from tests.sources.web_server import PAGE, WORDS, pdf, web_server


def imported(source: Path, folder: Path) -> tuple[dict[str, tuple[str, str]], list[Finding]]:
    """State and beginning of the text by address, and what was told."""
    told: list[Finding] = []
    snapshot = import_sources(source, folder, told.append)
    return {one.url: (one.state, one.text[:17]) for one in snapshot.records()}, told


@pytest.mark.slow
def test_fetched_bytes_go_through_a_warc_file_and_give_the_same_texts(tmp_path: Path) -> None:
    urls = ["http://w.example/page", "http://w.example/paper.pdf", "http://w.example/missing"]
    with web_server() as server:
        options = FetchOptions(pause=0.0, player=server.address, raw=True)
        fetched = fetch_sources(urls, tmp_path / "fetched", options)
    before = {one.key: one for one in fetched.records()}
    assert write_warc(fetched, tmp_path / "pages.warc.gz") == 2
    told: list[Finding] = []
    again = import_sources(tmp_path / "pages.warc.gz", tmp_path / "imported", told.append)
    assert not told
    found = {one.key: one for one in again.records()}
    assert found.keys() == before.keys() - {"http://w.example/missing"}
    for key, one in found.items():
        assert (one.text, one.title, one.state) == (before[key].text, before[key].title, "read")
        assert one.fetched_at == before[key].fetched_at


@pytest.mark.slow
def test_a_warc_file_that_is_cut_gives_what_comes_before(tmp_path: Path) -> None:
    with web_server() as server:
        options = FetchOptions(pause=0.0, player=server.address, raw=True)
        fetched = fetch_sources(
            [f"http://w.example/p{n}" for n in range(3)], tmp_path / "f", options
        )
    write_warc(fetched, tmp_path / "whole.warc")
    whole = (tmp_path / "whole.warc").read_bytes()
    (tmp_path / "cut.warc").write_bytes(whole[: len(whole) * 2 // 3])
    found, _ = imported(tmp_path / "cut.warc", tmp_path / "out")
    assert 1 <= len(found) <= 3


def test_a_mirror_and_a_folder_with_a_table(tmp_path: Path) -> None:
    mirror = tmp_path / "mirror" / "m.example" / "a"
    mirror.mkdir(parents=True)
    (mirror / "index.html").write_text(PAGE)
    (mirror / "paper.pdf").write_bytes(pdf())
    found, told = imported(tmp_path / "mirror", tmp_path / "one")
    assert found == {
        "https://m.example/a/": ("read", WORDS[:17]),
        "https://m.example/a/paper.pdf": ("read", WORDS[:17]),
    }
    assert not told
    named = tmp_path / "named"
    named.mkdir()
    (named / "p.txt").write_text(WORDS * 5)
    (named / "urls.tsv").write_text(
        "https://t.example/x?y=1\tp.txt\nhttps://t.example/z\t../../etc/passwd\n"
    )
    found, told = imported(named, tmp_path / "two")
    assert found == {"https://t.example/x?y=1": ("read", WORDS[:17])}
    assert [(one.line, one.code) for one in told] == [(2, Code.SNAPSHOT)]


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
    path = tmp_path / "crawl.jsonl.gz"
    path.write_bytes(gzip.compress("\n".join(lines).encode()))
    found, told = imported(path, tmp_path / "out")
    assert found == {"https://c.example/": ("read", WORDS[:17])}
    assert [one.line for one in told] == [2, 3]


def test_nothing_to_import_is_an_error_and_a_second_import_adds(tmp_path: Path) -> None:
    (tmp_path / "empty.jsonl").write_text("")
    with pytest.raises(DataError) as raised:
        imported(tmp_path / "empty.jsonl", tmp_path / "out")
    assert str(Code.SNAPSHOT) in str(raised.value)
    for name in ("a", "b"):
        path = tmp_path / f"{name}.jsonl"
        path.write_text(json.dumps({"url": f"https://c.example/{name}", "text": WORDS * 5}))
        done = CliRunner().invoke(
            main, ["sources", "import", str(path), "--out", str(tmp_path / "out")]
        )
        assert done.exit_code == 0, done.output
    assert [one.key[-1] for one in Snapshot(tmp_path / "out").records()] == ["a", "b"]


def test_an_archive_is_asked_for_pages_that_are_gone(tmp_path: Path) -> None:
    """An availability API on another server says what it has; its failures are nobody's invention."""
    said = {
        "http://g.example/missing": {
            "available": True,
            "url": "http://g.example/page",
            "status": "200",
        },
        "http://g.example/gone": None,
    }
    with web_server() as server:
        server.archived = {
            url: {"archived_snapshots": {"closest": closest} if closest else {}}
            for url, closest in said.items()
        }
        archive = "http://archive.example/wayback?url="
        options = FetchOptions(pause=0.0, player=server.address, archive=archive)
        snapshot = fetch_sources([*said, "http://g.example/missing?b"], tmp_path, options)
    found = {one.url: one for one in snapshot.records()}
    assert found["http://g.example/missing"].state == "gone"
    assert found["http://g.example/missing"].text.startswith("The Harlow")
    assert found["http://g.example/missing"].archive_url == "http://g.example/page"
    assert found["http://g.example/gone"].state == "never_archived"
    # The archive breaks at the third, so that nothing is known of it.
    assert found["http://g.example/missing?b"].state == "not_looked_up"


def test_what_is_too_large_to_import_is_told_and_the_rest_is_read(tmp_path: Path) -> None:
    """A file of 3 GB that holds nothing, a line of 100 MB in 100 kB, a body of 60 MB in 60 kB."""
    mirror = tmp_path / "mirror" / "m.example"
    mirror.mkdir(parents=True)
    with (mirror / "huge.txt").open("wb") as file:
        file.truncate(3 << 30)
    (mirror / "page.txt").write_text(WORDS * 5)
    found, _ = imported(tmp_path / "mirror", tmp_path / "one")
    assert {url: state for url, (state, _) in found.items()} == {
        "https://m.example/huge.txt": "unsupported",
        "https://m.example/page.txt": "read",
    }
    good = json.dumps({"url": "https://c.example/", "text": WORDS * 5}).encode()
    crawl = tmp_path / "crawl.jsonl.gz"
    with gzip.open(crawl, "wb") as file:
        file.write(b'{"url": "https://b.example/", "text": "' + b"a" * 100_000_000 + b'"}\n' + good)
    found, told = imported(crawl, tmp_path / "two")
    assert found == {"https://c.example/": ("read", WORDS[:17])}
    assert [(one.line, one.message) for one in told] == [
        (1, "the line has more than 41,943,040 bytes")
    ]
    body = gzip.compress(b"a" * 60_000_000)
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Encoding: gzip\r\n\r\n"
    block = head + body
    record = (
        b"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: https://w.example/\r\n"
        b"WARC-Date: 2026-01-01T00:00:00Z\r\nWARC-Record-ID: <urn:uuid:0>\r\n"
        b"Content-Type: application/http; msgtype=response\r\nContent-Length: %d\r\n\r\n"
    )
    (tmp_path / "bomb.warc").write_bytes(record % len(block) + block + b"\r\n\r\n")
    found, _ = imported(tmp_path / "bomb.warc", tmp_path / "three")
    assert found == {"https://w.example/": ("unsupported", "")}


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
    assert "crawl.jsonl:1: warning: a text of the line holds half a surrogate pair" in done.stderr
    assert done.stderr.count("the line has no web address with a text or HTML") == 2
    assert "no page with an address can be read here" in done.stderr
