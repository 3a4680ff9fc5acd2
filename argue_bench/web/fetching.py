"""Fetches cited pages: each address once, each server politely; an interrupted fetch can be continued.

One request at a time goes to a server, with a pause after it; robots.txt is asked first. Whatever came
is in the journal before the next request, so that a fetch that was killed goes on where it was.
"""

from __future__ import annotations

import asyncio
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import urljoin

from argue_bench.errors import DataError
from argue_bench.records import State
from argue_bench.web.addresses import MOST_REDIRECTS, Policy, origin_of, redirect_target
from argue_bench.web.extraction import TextReader, state_of_status
from argue_bench.web.snapshot import Journal, PageRecord, Snapshot
from argue_bench.web.text import identity_key
from argue_bench.web.web import AGENT, Bounds, Reply, Resolve, WebClient, resolve_host

Progress = Callable[[PageRecord], None]
# Time outs, full servers and lost connections may be gone another day; a refusal is not.
# States that may be another day's.
AGAIN: frozenset[State] = frozenset(("unreachable",))
# A server that gave no answer so often in a row is not asked again.
MOST_SILENT = 3


# About the 500 KiB that RFC 9309, 2.5, asks crawlers to read.
ROBOTS_BYTES = 500_000
# Servers ask for pauses of hours; a fetch of a hundred pages must end in a day.
LONGEST_PAUSE = 30.0
# protego matches a rule with stars by trying all ways to spread them.
_TOO_MANY_STARS = re.compile(r"(?:\*[^*]*){8,}")


@dataclass(frozen=True)
class FetchOptions:
    """The options of a fetch. ``pause``: seconds after each request to a server; ``servers``:
    how many at once.

    ``per_server``: addresses of one server that are asked, since a report must not be a weapon against
    it. ``retry`` asks again for pages that were unreachable. ``loopback`` and ``player`` are for tests alone.
    """

    pause: float = 1.0
    servers: int = 16
    per_server: int = 200
    bounds: Bounds = field(default_factory=Bounds)
    retry: bool = False
    loopback: bool = False
    player: str = ""
    text_seconds: float = 20.0


def fetch_sources(
    urls: Iterable[str],
    folder: Path,
    options: FetchOptions | None = None,
    progress: Progress | None = None,
    resolve: Resolve = resolve_host,
) -> Snapshot:
    """Asks for every address that the folder does not hold yet, and returns the finished snapshot.

    Raises DataError (a folder that cannot be written), UsageError, MissingExtra.
    """
    return asyncio.run(_fetch_all(urls, folder, options or FetchOptions(), progress, resolve))


async def _fetch_all(
    urls: Iterable[str],
    folder: Path,
    options: FetchOptions,
    progress: Progress | None,
    resolve: Resolve,
) -> Snapshot:
    wanted: dict[str, str] = {}
    for url in urls:
        wanted.setdefault(identity_key(url), url)
    before = Snapshot(folder)
    known = (
        {one.key: replace(one, text="") for one in before.records()} if before.file.exists() else {}
    )
    with Journal(folder) as journal:
        async with TextReader(options.text_seconds) as reader:
            fetch = _Fetch(options, journal, reader, progress, resolve, known)
            await fetch.all(wanted)
        return journal.finish()


class ServerRules:
    """The robots.txt of one server, parsed once.

    ``problem``: why it could not be fetched, so that nothing there may be requested; ``refused``: our own
    rules forbid to ask it.
    """

    def __init__(self, text: str = "", problem: str = "", refused: bool = False) -> None:
        self.problem, self.refused, self._parsed = problem, refused, None
        if text:
            from protego import Protego

            self._parsed = Protego.parse(text)

    @classmethod
    def of(cls, reply: Reply) -> ServerRules:
        """The rules that a reply to /robots.txt gives; none where there is no such file."""
        if 200 <= reply.status < 300:
            return cls(_bounded(reply.body))
        # RFC 9309, 2.3.1: "unavailable" (4xx) allows everything, "unreachable" (5xx) forbids it.
        if reply.too_large or 300 <= reply.status < 500:
            return cls()
        return cls(problem=reply.problem or f"robots.txt: the server answers {reply.status}")

    def allows(self, url: str) -> bool:
        """Whether robots may ask for the address."""
        return self._parsed is None or bool(self._parsed.can_fetch(url, AGENT))

    def pause(self, least: float) -> float:
        """Seconds between two requests: what the server wants, from ``least`` to half a minute."""
        wanted = self._parsed.crawl_delay(AGENT) if self._parsed is not None else None
        return min(max(least, float(wanted or 0.0)), max(least, LONGEST_PAUSE))


def _bounded(body: bytes) -> str:
    """The text without lines whose patterns would take a parser endless time."""
    lines = body[:ROBOTS_BYTES].decode("utf-8", "replace").splitlines()
    return "\n".join(line[:2_000] for line in lines if not _TOO_MANY_STARS.search(line[:2_000]))


class _Server:
    """One server: the lock of its requests, the time of the next one, and the rules of its
    robots.txt."""

    def __init__(self) -> None:
        self.turn = asyncio.Lock()
        self.next = 0.0
        self.rules: ServerRules | None = None
        self.learning = asyncio.Lock()


class _Fetch:
    def __init__(
        self,
        options: FetchOptions,
        journal: Journal,
        reader: TextReader,
        progress: Progress | None,
        resolve: Resolve,
        known: Mapping[str, PageRecord],
    ) -> None:
        self._options, self._journal, self._reader = options, journal, reader
        self._known, self._progress = known, progress
        self._policy = Policy(options.loopback, names_only=True)
        self._web = WebClient(self._policy, options.bounds, resolve, options.player)
        self._servers: defaultdict[str, _Server] = defaultdict(_Server)

    async def all(self, wanted: Mapping[str, str]) -> None:
        """Fetches what is wanted: servers side by side, the addresses of each one after another."""
        by_server: defaultdict[str, list[tuple[str, str]]] = defaultdict(list)
        for key, url in wanted.items():
            if self._done(key):
                continue
            if why := self._policy.refused(key):
                state: State = "not_looked_up" if key[:4].casefold() == "http" else "unsupported"
                self._keep(PageRecord(url, key, state, reason=why))
            else:
                by_server[origin_of(key)].append((key, url))
        # What earlier fetches asked counts too: a bound for each run could be passed by running
        # often.
        asked = Counter(origin_of(key) for key in self._known)
        places = asyncio.Semaphore(self._options.servers)
        failed: DataError | None = None

        async def one_server(origin: str, own: Sequence[tuple[str, str]]) -> None:
            async with places:
                await self._one_server(own, self._options.per_server - asked[origin])

        try:
            async with asyncio.TaskGroup() as group:
                for origin, own in by_server.items():
                    group.create_task(one_server(origin, own))
        # A disk that is full stops every server's task; one error of them is enough to say so.
        except* DataError as errors:
            failed = next(one for one in errors.exceptions if isinstance(one, DataError))
        if failed is not None:
            raise failed

    async def _one_server(self, own: Sequence[tuple[str, str]], room: int) -> None:
        """Requests the addresses of one server, until it has failed to answer so often
        that the rest is skipped."""
        silent = 0
        for at, (key, url) in enumerate(own):
            if at >= room:
                why = f"more than {self._options.per_server:,} addresses of one server are cited"
                self._keep(PageRecord(url, key, "not_looked_up", reason=why))
            elif silent >= MOST_SILENT:
                why = f"the server gave no answer {silent} times before"
                self._keep(PageRecord(url, key, "unreachable", key, reason=why, fetched_at=_now()))
            else:
                record = await self._page(key, url)
                # One that leads elsewhere has answered, whatever becomes of the way from there.
                mute = record.state == "unreachable" and not record.status and not record.hops
                silent = silent + 1 if mute else 0
                self._keep(record)

    def _done(self, key: str) -> bool:
        if key in self._journal.pages:
            return True
        record = self._known.get(key)
        return record is not None and not (self._options.retry and record.state in AGAIN)

    def _keep(self, record: PageRecord) -> None:
        self._journal.keep(record)
        if self._progress:
            self._progress(record)

    async def _page(self, key: str, url: str) -> PageRecord:
        """The record of one address: redirects followed, text extracted."""
        hops, reply, blocked = await self._follow(key)
        record = PageRecord(
            url,
            key,
            "unreachable",
            hops[-1],
            tuple(hops[1:]),
            _now(),
            reply.status,
            reply.headers.get("content-type", "")[:200],
            reason=reply.problem,
        )
        if blocked:
            return replace(record, state="blocked")
        if reply.refused:
            return replace(record, state="not_looked_up")
        if reply.too_large or reply.other_type:
            return replace(record, state="unsupported")
        if not reply.status or 300 <= reply.status < 400:
            return replace(record, reason=reply.problem or f"the server answers {reply.status}")
        state = state_of_status(reply.status)
        if state != "read":
            return replace(record, state=state, reason=f"the server answers {reply.status}")
        content_type = reply.headers.get("content-type", "")
        return record.with_text(await self._reader.read(reply.body, content_type, record.final_url))

    async def _follow(self, url: str) -> tuple[list[str], Reply, bool]:
        """The addresses of a chain of redirects, its last reply, whether robots.txt forbids it."""
        hops = [url]
        while True:
            if why := self._policy.refused_hops(hops):
                too_many = len(hops) - 1 > MOST_REDIRECTS
                return hops, Reply(problem=why, refused=not too_many), False
            # Each hop may be on another server, whose own robots.txt decides.
            rules = await self._rules(hops[-1])
            if rules.problem:
                return hops, Reply(problem=rules.problem, refused=rules.refused), False
            if not rules.allows(hops[-1]):
                return hops, Reply(problem="robots.txt forbids it"), True
            reply = await self._ask(hops[-1], rules)
            location = reply.headers.get("location", "")
            if reply.status not in (301, 302, 303, 307, 308) or not location:
                return hops, reply, False
            hops.append(redirect_target(hops[-1], location))

    async def _ask(self, url: str, rules: ServerRules | None = None) -> Reply:
        """One request, when it is the server's turn; without ``rules`` for its robots.txt, of any type."""
        server = self._servers[origin_of(url)]
        loop = asyncio.get_running_loop()
        async with server.turn:
            if (wait := server.next - loop.time()) > 0:
                await asyncio.sleep(wait)
            reply = await self._web.get(url, any_type=rules is None)
            pause = self._options.pause
            server.next = loop.time() + (rules.pause(pause) if rules else pause)
        return reply

    async def _rules(self, url: str) -> ServerRules:
        server = self._servers[origin_of(url)]
        async with server.learning:
            if server.rules is None:
                server.rules = await self._ask_robots(url)
        return server.rules

    async def _ask_robots(self, url: str) -> ServerRules:
        place = urljoin(url, "/robots.txt")
        for _ in range(MOST_REDIRECTS + 1):
            if self._policy.refused(place):
                return ServerRules()
            reply = await self._ask(place)
            location = reply.headers.get("location", "")
            if reply.refused:
                return ServerRules(problem=reply.problem, refused=True)
            if not (300 <= reply.status < 400 and location):
                return ServerRules.of(reply)
            place = redirect_target(place, location)
        return ServerRules()


def _now() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
