"""A server, a data set and a neighbour that mean harm: what they can make of the client and its cache."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest

from argue_bench.errors import DataError
from argue_bench.published.fanoutqa.wikipedia import MediaWiki, Wikipedia
from argue_bench.records import Evidence
from tests.shared import listening

Answer = Callable[[BaseHTTPRequestHandler], None]


@contextmanager
def serving(answer: Answer) -> Iterator[tuple[str, list[str]]]:
    """A server's address, and the paths that it is asked for."""
    paths: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            paths.append(self.path)
            with suppress(ConnectionError):
                answer(self)

    with listening(Handler) as url:
        yield url, paths


def says(body: bytes, **headers: str) -> Answer:
    def answer(asked: BaseHTTPRequestHandler) -> None:
        asked.send_response(200)
        for name, value in headers.items():
            asked.send_header(name.replace("_", "-"), value)
        asked.end_headers()
        asked.wfile.write(body)

    return answer


def live(url: str, folder: Path, **known: str) -> Wikipedia:
    return Wikipedia(MediaWiki(f"{url}/w/api.php", tries=1, timeout=2.0, pause=0.0), folder, known)


def numbered(title: str, number: int = 1) -> Evidence:
    return Evidence(number, number, title, "")


def kept(folder: Path) -> list[str]:
    return sorted(str(file.relative_to(folder)) for file in folder.rglob("*") if file.is_file())


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (says(b"x" * (1 << 24) + b"y"), "more than 16,777,216 bytes"),
        (says(b"caf\xe9", Content_Type="text/html; charset=latin-1"), "not JSON"),
    ],
)
def test_an_answer_that_cannot_be_used_is_told_and_not_kept(
    answer: Answer, said: str, tmp_path: Path
) -> None:
    with serving(answer) as (url, _), pytest.raises(DataError, match=said):
        live(url, tmp_path).content(numbered("A"))
    assert kept(tmp_path) == []


@pytest.mark.parametrize(
    "title",
    [
        "../../secret",
        "A/../../B",
        "a\x00b",
        "a\nb",
        "A|B",
        "#",
        "\ud800",
        "",
        " ",
        "ä" * 128,
        "<b>",
    ],
)
def test_a_title_that_no_page_has_is_never_asked_for(title: str, tmp_path: Path) -> None:
    with (
        serving(says(b"<p>secret</p>")) as (url, paths),
        pytest.raises(DataError, match="unknown-id"),
    ):
        live(url, tmp_path).content(Evidence(None, None, title, ""))
    assert paths == []
    assert all(name.count("/") == 1 for name in kept(tmp_path))


def test_results_that_are_no_pages_are_left_out(tmp_path: Path) -> None:
    (tmp_path / "secret-dated.md").write_text("not for you")
    rows = [
        {"pageid": "../secret", "title": "A"},
        {"pageid": 1, "title": "../B"},
        {"pageid": 2},
        "C",
        {"pageid": 3, "title": "D"},
    ]
    with serving(says(json.dumps({"query": {"search": rows}}).encode())) as (url, _):
        found = live(url, tmp_path / "cache").search("a \ud800 query")
    assert [(one.pageid, one.title) for one in found] == [(3, "D")]


@pytest.mark.parametrize("pages", [["x"], [{"revisions": ["y"]}], [{"revisions": 3}], {}, None])
def test_a_reply_of_another_shape_is_no_page(pages: object, tmp_path: Path) -> None:
    with (
        serving(says(json.dumps({"query": {"pages": pages}}).encode())) as (url, _),
        pytest.raises(DataError, match="unknown-id"),
    ):
        live(url, tmp_path).content(Evidence(1, None, "A", ""))


@pytest.mark.parametrize(
    "rows", ["{}", "[1]", '[{"pageid": "../x", "revid": null, "title": "A", "url": ""}]', "[", "3"]
)
def test_a_kept_search_that_was_changed_is_told(rows: str, tmp_path: Path) -> None:
    with serving(says(b'{"query": {"search": [{"pageid": 3, "title": "D"}]}}')) as (url, _):
        wikipedia = live(url, tmp_path)
        wikipedia.search("a")
        (file,) = tmp_path.rglob("search-*.json")
        file.write_text(rows)
        with pytest.raises(DataError, match=str(file)):
            wikipedia.search("a")
