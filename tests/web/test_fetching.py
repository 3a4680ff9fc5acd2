"""Fetching what answers cite from a real server with real bad days: what is asked, kept and refused."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from argue_bench.cli import main
from argue_bench.errors import Code, DataError
from argue_bench.web.citing_answers import read_cited
from argue_bench.web.fetching import FetchOptions, fetch_sources
from argue_bench.web.snapshot import JOURNAL, Journal, PageRecord, Snapshot
from argue_bench.web.web import Bounds
from tests.web.web_server import WebServer, on_a_usual_port, web_server

HOST = "http://a.example"


@pytest.fixture(scope="module")
def server() -> Iterator[WebServer]:
    with web_server() as running:
        yield running


def fetched(
    server: WebServer, folder: Path, paths: Sequence[str], **options: object
) -> dict[str, PageRecord]:
    """The records of these paths by path."""
    urls = [path if "://" in path else HOST + path for path in paths]
    given = {"pause": 0.0, "player": server.address, **options}
    snapshot = fetch_sources(urls, folder, FetchOptions(**given))  # type: ignore[arg-type]
    return {one.key.removeprefix(HOST): one for one in snapshot.records()}


WEB = {
    "/page": ("read", 200),
    "/to-page": ("read", 200),
    "/to-other": ("read", 200),
    "/chinese": ("read", 200),
    "/paper.pdf": ("read", 200),
    "/missing": ("gone", 404),
    "/gone": ("gone", 410),
    "/refused": ("blocked", 403),
    "/busy": ("blocked", 429),
    "/login": ("paywalled", 401),
    "/broken": ("unreachable", 500),
    "/soft": ("empty", 200),
    "/empty": ("empty", 200),
    "/challenge": ("blocked", 200),
    "/wall": ("paywalled", 200),
    "/private/page": ("blocked", 0),
    "/image": ("unsupported", 200),
    "/program": ("unsupported", 200),
    "/bomb": ("unsupported", 200),
    "/endless": ("unsupported", 200),
    "/to-metadata": ("not_looked_up", 0),
    "/to-loopback": ("not_looked_up", 0),
    "/to-decimal": ("not_looked_up", 0),
    "/to-file": ("not_looked_up", 0),
    "/to-script": ("not_looked_up", 0),
    "/to-credentials": ("not_looked_up", 0),
    "/to-itself": ("unreachable", 0),
    "/round-1": ("unreachable", 0),
}


@pytest.fixture(scope="module")
def web(
    server: WebServer, tmp_path_factory: pytest.TempPathFactory
) -> tuple[dict[str, PageRecord], Path]:
    folder = tmp_path_factory.mktemp("web") / "pages"
    return fetched(server, folder, list(WEB), per_server=1000), folder


@pytest.mark.parametrize("path", WEB)
def test_the_state_of_a_page(web: tuple[dict[str, PageRecord], Path], path: str) -> None:
    record = web[0][path]
    assert (record.state, record.status) == WEB[path]
    assert (
        record.state == "read"
        or path in ("/soft", "/empty", "/challenge", "/wall")
        or record.reason
    )


def test_what_a_page_keeps(web: tuple[dict[str, PageRecord], Path]) -> None:
    moved = web[0]["/to-other"]
    assert moved.final_url == "http://other.example/page"
    assert moved.hops == ("http://other.example/page",)
    assert moved.title == "The bridge /page"
    assert moved.text.startswith("The Harlow Bridge opened")
    assert moved.text_sha256
    assert moved.extractor.startswith("trafilatura ")
    assert moved.fetched_at.endswith("Z")
    assert "Harlow Bridge opened to traffic" in web[0]["/paper.pdf"].text
    assert "历时五年建成" in web[0]["/chinese"].text


def test_nothing_is_asked_that_must_not_be(
    web: tuple[dict[str, PageRecord], Path], server: WebServer
) -> None:
    asked = {key for key in server.asked if key.startswith(("a.example", "other.example"))}
    assert asked <= {f"a.example{path}" for path in (*WEB, "/robots.txt", "/round-2")} | {
        "other.example/page",
        "other.example/robots.txt",
    }
    assert "a.example/private/page" not in server.asked
    once = {*WEB, "/robots.txt"} - {"/page", "/private/page", "/round-1", "/to-itself"}
    assert {server.asked[f"a.example{path}"] for path in once} == {1}
    for headers in server.headers.values():
        assert not {"Cookie", "Authorization"} & set(headers)
        assert headers["User-Agent"].startswith("argue-bench/")


def test_a_second_fetch_asks_nothing_and_changes_no_byte(
    web: tuple[dict[str, PageRecord], Path], server: WebServer
) -> None:
    before, asked = Snapshot(web[1]).file.read_bytes(), server.asked.total()
    fetched(server, web[1], list(WEB), per_server=1000)
    assert server.asked.total() == asked
    assert Snapshot(web[1]).file.read_bytes() == before
    assert not (web[1] / JOURNAL).exists()


def test_a_server_that_drips_and_one_that_never_answers_end(
    server: WebServer, tmp_path: Path
) -> None:
    server.held["/never"] = threading.Event()
    found = fetched(
        server,
        tmp_path,
        ["http://slow.example/drips", "http://slow.example/never"],
        bounds=Bounds(total=0.5),
    )
    server.held.pop("/never").set()
    assert {one.state for one in found.values()} == {"unreachable"}
    assert all("0.5 seconds" in one.reason for one in found.values())


@pytest.mark.slow
def test_a_pdf_that_hangs_ends_and_the_next_page_is_read(server: WebServer, tmp_path: Path) -> None:
    paths = ["http://pdf.example/hangs.pdf", "http://pdf.example/page"]
    found = fetched(server, tmp_path, paths, text_seconds=4.0)
    hangs = found["http://pdf.example/hangs.pdf"]
    assert hangs.state == "unsupported"
    assert "reading its text" in hangs.reason
    assert found["http://pdf.example/page"].state == "read"


def test_a_name_with_a_private_address_is_not_asked(tmp_path: Path) -> None:
    async def resolve(host: str) -> list[str]:
        return {"mixed.example": ["93.184.216.34", "10.0.0.5"], "inner.example": ["127.0.0.1"]}.get(
            host, []
        )

    urls = ["http://mixed.example/", "http://inner.example:8000/", "http://none.example/"]
    snapshot = fetch_sources(urls, tmp_path, FetchOptions(pause=0.0), resolve=resolve)
    states = {one.url: one.state for one in snapshot.records()}
    assert states == {
        "http://mixed.example/": "not_looked_up",
        "http://inner.example:8000/": "not_looked_up",
        "http://none.example/": "unreachable",
    }


def test_the_connection_goes_to_the_address_that_was_checked(tmp_path: Path) -> None:
    """The name resolves to this machine, which the loopback option allows; it is resolved by nobody else."""
    asked: list[str] = []

    async def resolve(host: str) -> list[str]:
        asked.append(host)
        return ["127.0.0.1"]

    with web_server(on_a_usual_port()) as server:
        url = f"http://no-such-host.example:{server.server_port}/page"
        options = FetchOptions(pause=0.0, loopback=True)
        snapshot = fetch_sources([url], tmp_path / "allowed", options, resolve=resolve)
        assert next(snapshot.records()).state == "read"
        assert set(asked) == {"no-such-host.example"}
        server.asked.clear()
        refused = fetch_sources([url], tmp_path / "refused", resolve=resolve)
        assert next(refused.records()).state == "not_looked_up"
        assert not server.asked


def test_servers_are_asked_one_request_at_a_time_with_a_pause(
    server: WebServer, tmp_path: Path
) -> None:
    fetched(server, tmp_path, [f"http://polite.example/page?{n}" for n in range(3)], pause=0.2)
    times = [at for host, at in server.times if host == "polite.example"]
    assert len(times) == 4  # robots.txt and three pages
    assert min(later - before for before, later in pairwise(times)) >= 0.19


def test_a_server_gets_no_more_requests_than_allowed(server: WebServer, tmp_path: Path) -> None:
    paths = [f"http://many.example/page-{n}" for n in range(5)]
    found = fetched(server, tmp_path, paths, per_server=2)
    states = [one.state for one in found.values()]
    assert states.count("read") == 2
    assert states.count("not_looked_up") == 3
    assert sum(key.startswith("many.example/page") for key in server.asked) == 2


# ---- killed and resumed


KILLED = (
    "import sys; from pathlib import Path; from argue_bench.web.fetching import *; "
    "fetch_sources(sys.argv[3:], Path(sys.argv[1]), FetchOptions(pause=0.0, player=sys.argv[2]))"
)


@pytest.mark.slow
@pytest.mark.parametrize("place", ["/page-2", "/robots.txt", "/to-page"])
def test_a_killed_fetch_goes_on_with_the_pages_that_did_not_come(
    tmp_path: Path, place: str
) -> None:
    names = ["/page-0", "/page-1", "/to-page", "/page-2", "/page-3"]
    urls = [f"http://kill.example{path}" for path in names]
    with web_server() as server:
        server.held[place] = threading.Event()
        command = [sys.executable, "-c", KILLED, str(tmp_path), server.address, *urls]
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        server.wait_for(place)
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        server.held.pop(place).set()
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        again = {key for key, count in server.asked.items() if count > 1}
    assert again == {f"kill.example{path}" for path in (place, "/robots.txt")}
    records = {one.key: one.state for one in Snapshot(tmp_path).records()}
    assert records == dict.fromkeys(urls, "read")


def test_half_a_line_of_a_killed_journal_is_dropped(server: WebServer, tmp_path: Path) -> None:
    record = PageRecord("u", "http://half.example/kept", "read", text="kept")
    whole = record.line()
    (tmp_path / JOURNAL).write_text(whole + whole[:40])
    found = fetched(server, tmp_path, ["http://half.example/kept", "http://half.example/page"])
    assert found["http://half.example/kept"].text == "kept"
    assert found["http://half.example/page"].state == "read"
    assert "half.example/kept" not in server.asked


# ---- the command


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, list(map(str, arguments)))


def report(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "reports.jsonl"
    path.write_text(
        json.dumps({"id": "q", "prompt": "q", "article": text}) + "\n", encoding="utf-8"
    )
    return path


def test_hostile_addresses_are_findings_and_nothing_is_asked(
    server: WebServer, tmp_path: Path
) -> None:
    long = "http://long.example/" + "a" * 100_000
    text = (
        "One [1](http://169.254.169.254/latest/). Two [2](http://[::1]/x). Three <http://user:pw@h.example/>. "
        f"Four [4]({long}). Six [6](javascript:alert(1)). "
        "Seven [7](data:text/html,x). Eight [8](file:///etc/passwd). Nine [9](http://h.example:22/). Ten [3].\n\n"
        "## References\n[3] http://ref.example/a\n[3] http://ref.example/b\n"
    )
    cited = read_cited(report(tmp_path, text))
    said = "\n".join(map(str, cited.findings))
    for words in (
        "169.254.169.254",
        "[::1]",
        "user name",
        "100,020 characters",
        "javascript:",
        "data:",
        "file:",
        "[3] twice",
        "port 22",
    ):
        assert words in said, words
    assert {one.code for one in cited.findings} == {Code.CITED_ADDRESS, Code.CITATION_PLACE}
    fetched(server, tmp_path / "p", cited.urls)
    assert not any(key.startswith(("169.", "h.example", "long.")) for key in server.asked)
    states = {one.key: one.state for one in Snapshot(tmp_path / "p").records()}
    assert not any(key.startswith(("javascript", "data", "file")) for key in states)


@pytest.mark.slow
def test_fifty_thousand_addresses_in_one_answer_end_soon(server: WebServer, tmp_path: Path) -> None:
    text = " ".join(f"http://crowd.example/{n}" for n in range(50_000))
    cited = read_cited(report(tmp_path, text))
    assert "50,000 addresses; the first 1,000 are fetched" in cited.findings[0].message
    fetched(server, tmp_path / "p", cited.urls, per_server=3)
    assert sum(key.startswith("crowd.example") for key in server.asked) == 4


def test_a_folder_that_is_no_snapshot_says_so(tmp_path: Path) -> None:
    with pytest.raises(DataError) as raised:
        list(Snapshot(tmp_path).records())
    assert str(Code.WRONG_SHAPE) in str(raised.value)
    (tmp_path / "sources.jsonl").write_text('{"url": "u", "key": "k", "state": "odd"}\n')
    with pytest.raises(DataError, match=r"sources\.jsonl:1"):
        list(Snapshot(tmp_path).records())


def test_two_scorings_from_one_snapshot_are_byte_equal(tmp_path: Path) -> None:
    url = "https://a.example/opened"
    with Journal(tmp_path / "p") as journal:
        journal.keep(PageRecord(url, url, "read", text="It opened in 1931. " * 20))
        journal.finish()
    answers = report(tmp_path, f"It opened in 1931 [1]({url}). It is red [2](https://b.example/).")
    runs = []
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        done = run(
            "evaluate", answers, "--sources", tmp_path / "p", "--out", tmp_path / name / "run"
        )
        assert done.exit_code == 0, done.output
        runs.append((tmp_path / name / "run").read_bytes())
    assert runs[0] == runs[1]
    assert Snapshot(tmp_path / "p").digest.encode() in runs[0]
    assert b"not read" in runs[0]  # the page that the snapshot does not hold is no zero


def test_a_server_whose_redirects_lead_nowhere_has_answered(
    server: WebServer, tmp_path: Path
) -> None:
    """Its further addresses are asked: those of a shortener must not hang on where the first lead."""
    lost = [f"/round-{1 + n % 2}?{n}" for n in range(4)]
    found = fetched(server, tmp_path, [*lost, "/page"])
    assert {found[path].reason for path in lost} == {"more than 5 redirects"}
    assert found["/page"].state == "read"
