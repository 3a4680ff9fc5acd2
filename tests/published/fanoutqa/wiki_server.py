"""A server on loopback that speaks MediaWiki's API, with its bad days.

A page's title says what goes wrong with it: "Busy" is refused once with 429,
"Broken" fails always, "Missing" is not there, "Away" is redirected, "Slow" never
comes, "Cut" ends early, "Garbled" is broken HTML, "Deep" is nested beyond sense, "Young" is too young.
"""

from __future__ import annotations

import json
import re
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

_TITLES = "Pat Burrell,Busy,Broken,Missing,Away,Slow,Cut,Garbled,Deep,Young"
TITLES = _TITLES.split(",")
IDS = {title: number for number, title in enumerate(TITLES, 1)}


def page(title: str) -> str:
    if title == "Garbled":
        return (
            "<div><table><tr><td>left <b>bold<td>right</div></p><p>after & all &nosuch; <a href='x"
        )
    if title == "Deep":
        return "<div>" * 5_000 + "x"
    return f"""<div class="mw-parser-output"><style>.x {{color: red}}</style>
      <table class="infobox"><tr><th colspan="2">{title}</th></tr>
        <tr><th>Bats</th><td>Right<sup class="reference"><a href="#n">[3]</a></sup></td></tr></table>
      <h2>Career<span class="mw-editsection">[edit]</span></h2>
      <p>{title} was <a href="/wiki/Drafted">drafted</a> first in 1998.</p><script>alert(1)</script>
      <table class="wikitable"><tr><th>Year</th><th>Hits</th></tr><tr><td>1999</td><td>12</td></tr></table>
      <ul><li>one</li><li>two</li></ul><div class="navbox">Other players</div></div>"""


def found_by(query: str) -> list[str]:
    """The pages that have all words of a query."""
    wanted = re.findall(r"\w+", query.casefold())
    texts = {title: f"{title} {page(title)}".casefold() for title in TITLES}
    return [t for t, text in texts.items() if all(re.search(rf"\b{w}\b", text) for w in wanted)]


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: WikiServer

    def do_GET(self) -> None:
        parts = urlsplit(self.path)
        self.server.paths.append(self.path)
        self.server.times.append(time.monotonic())
        self.server.agents.add(self.headers["User-Agent"])
        asked = {key: values[0] for key, values in parse_qs(parts.query).items()}
        self._api(asked)

    def _api(self, asked: dict[str, str]) -> None:
        assert asked["format"] == "json"
        assert asked["formatversion"] == "2"
        if asked["action"] == "parse":
            title = TITLES[int(asked["oldid"]) // 1000 - 1]
            self._page(title, lambda text: json.dumps({"parse": {"title": title, "text": text}}))
        elif asked.get("list") == "search":
            found = found_by(asked["srsearch"])
            rows = [{"ns": 0, "title": t, "pageid": IDS[t]} for t in found[: int(asked["srlimit"])]]
            self._send(json.dumps({"query": {"search": rows}}))
        else:
            assert asked["rvstart"] == "2023-11-20T00:00:00Z"
            title = TITLES[int(asked["pageids"]) - 1] if "pageids" in asked else asked["titles"]
            entry: dict[str, Any] = {"title": title}
            if title in IDS and title != "Young":
                entry["revisions"] = [{"revid": 1000 * IDS[title] + 7}]
            self._send(json.dumps({"query": {"pages": [entry]}}))

    def _page(self, title: str, shape: Any) -> None:
        self.server.asked[title] += 1
        first = self.server.asked[title] == 1
        if title == "Busy" and first:
            self._send("", 429, {"Retry-After": self.server.retry_after})
        elif title == "Broken":
            self._send("", 503, {"Retry-After": "0"})
        elif title == "Missing" or title not in IDS:
            gone = {"error": {"code": "nosuchrevid", "info": "There is no revision"}}
            self._send(json.dumps(gone))
        elif title == "Away":
            self._send("", 302, {"Location": "http://localhost:1/elsewhere"})
        elif title == "Slow":
            self.server.stop.wait(5)
            self.close_connection = True
        elif title == "Cut":
            self._send(shape(page(title)), headers={"Content-Length": "99999"})
            self.close_connection = True
        else:
            self._send(shape(page(title)))

    def _send(
        self,
        text: str,
        status: int = 200,
        headers: dict[str, str] | None = None,
        kind: str = "text/html",
    ) -> None:
        body = text.encode()
        self.send_response(status)
        for name, value in {
            "Content-Type": kind,
            "Content-Length": str(len(body)),
            **(headers or {}),
        }.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        pass


class WikiServer(ThreadingHTTPServer):
    """Counts what it is asked."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.paths: list[str] = []
        self.times: list[float] = []
        self.agents: set[str] = set()
        self.asked: Counter[str] = Counter()
        self.retry_after = "0"
        self.stop = threading.Event()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


@contextmanager
def serving() -> Iterator[WikiServer]:
    with WikiServer() as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        try:
            yield server
        finally:
            server.stop.set()
            server.shutdown()
            thread.join()
