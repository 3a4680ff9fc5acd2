"""Fetches cited pages: each address once, each server politely; an interrupted fetch can be continued.

One request at a time goes to a server, with a pause after it; robots.txt is asked first. Whatever came
is in the journal before the next request, so that a fetch that was killed goes on where it was.
"""

from __future__ import annotations

import asyncio
import json
import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import quote, urlsplit

from argue_bench.errors import Code, DataError
from argue_bench.records import State
from argue_bench.sources.addresses import MOST_REDIRECTS, Policy, origin_of, redirect_target
from argue_bench.sources.extraction import TextReader
from argue_bench.sources.robots import Robots, ServerRules, robots_address
from argue_bench.sources.snapshot import Journal, PageRecord, Snapshot, text_digest
from argue_bench.sources.states import (
    ArchiveAnswer,
    copy_in,
    state_of_missing,
    state_of_status,
    state_of_text,
)
from argue_bench.sources.web import Bounds, Reply, Resolve, WebClient, resolve_host
from argue_bench.text.web import identity_key

Progress = Callable[[PageRecord], None]
AGAIN: frozenset[State] = frozenset(("unreachable",))
"""States that may be another day's."""
MOST_SILENT = 3
"""A server that gave no answer so often in a row is not asked again."""


@dataclass(frozen=True)
class FetchOptions:
    """The options of a fetch. ``pause``: seconds after each request to a server; ``servers``:
    how many at once.

    ``per_server``: addresses of one server that are asked, since a report must not be a weapon against
    it. ``archive``: the address of an availability API (Internet Archive's), or the folder of an
    earlier snapshot. ``seconds`` after the start no further address is asked, and a snapshot of more than
    ``most_bytes`` is refused; 0 for no bound. ``refresh`` asks for known pages again, ``retry`` for those that were unreachable.
    ``loopback`` and ``player`` are for tests alone.
    """

    pause: float = 1.0
    servers: int = 16
    per_server: int = 200
    bounds: Bounds = field(default_factory=Bounds)
    raw: bool = False
    archive: str = ""
    refresh: bool = False
    retry: bool = False
    loopback: bool = False
    player: str = ""
    text_seconds: float = 20.0
    seconds: float = 0.0
    most_bytes: int = 0


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
        self._policy = Policy(options.loopback)
        self._web = WebClient(self._policy, options.bounds, resolve, options.player)
        self._servers: defaultdict[str, _Server] = defaultdict(_Server)
        self._archive = _Archive(options.archive)
        self._end = asyncio.get_running_loop().time() + (options.seconds or math.inf)
        self._room = options.most_bytes or math.inf

    async def all(self, wanted: Mapping[str, str]) -> None:
        """Fetches what is wanted: servers side by side, the addresses of each one after another."""
        by_server: defaultdict[str, list[tuple[str, str]]] = defaultdict(list)
        for key, url in wanted.items():
            if self._done(key):
                continue
            if why := self._policy.refused(key):
                self._keep(PageRecord(url, key, _state_of_refused(key), reason=why))
            else:
                by_server[origin_of(key)].append((key, url))
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
        except* DataError as errors:
            failed = _first(errors)
        if failed is not None:
            raise failed

    async def _one_server(self, own: Sequence[tuple[str, str]], room: int) -> None:
        """Requests the addresses of one server, until it has failed to answer so often
        that the rest is skipped."""
        silent = 0
        for at, (key, url) in enumerate(own):
            if asyncio.get_running_loop().time() >= self._end:
                why = "the time for fetching was over"
                self._keep(PageRecord(url, key, "not_looked_up", reason=why))
            elif at >= room:
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
        if key in self._journal:
            return True
        record = self._known.get(key)
        again = self._options.refresh or (self._options.retry and record and record.state in AGAIN)
        return record is not None and not again

    def _keep(self, record: PageRecord) -> None:
        line = record.line()
        self._room -= len(line.encode())
        if self._room < 0:
            why = f"the pages have more than {self._options.most_bytes:,} bytes"
            raise DataError.of(Code.TOO_LARGE, why, self._journal.folder, hint="Cite fewer pages.")
        if record.status == 304:
            self._journal.keep({"same": record.key, "fetched_at": record.fetched_at})
        else:
            self._journal.keep({"page": json.loads(line)})
        if self._progress:
            self._progress(record)

    async def _page(self, key: str, url: str) -> PageRecord:
        """The record of one address: redirects followed, text extracted, an archive
        looked up where it is gone."""
        before = self._known.get(key)
        headers = {}
        if before and before.text_sha256:
            headers = {"If-None-Match": before.etag, "If-Modified-Since": before.last_modified}
        given = {name: value for name, value in headers.items() if value}
        hops, reply, blocked = await self._follow(key, given)
        if same := self._journal.answered(hops[-1]):
            return replace(same, url=url, key=key, hops=tuple(hops[1:]))
        record = PageRecord(
            url,
            key,
            "unreachable",
            hops[-1],
            tuple(hops[1:]),
            _now(),
            reply.status,
            reply.headers.get("content-type", "")[:200],
            etag=reply.headers.get("etag", "")[:500],
            last_modified=reply.headers.get("last-modified", "")[:100],
            reason=reply.problem,
        )
        if reply.status == 304 and before:
            return replace(before, fetched_at=record.fetched_at, status=304)
        if blocked:
            return replace(record, state="blocked")
        if reply.refused:
            return replace(record, state="not_looked_up")
        if reply.too_large or reply.other_type:
            return replace(record, state="unsupported")
        if not reply.status or 300 <= reply.status < 400:
            return replace(record, reason=reply.problem or f"the server answers {reply.status}")
        state = state_of_status(reply.status)
        if state == "gone":
            return await self._missing(record)
        if state != "read":
            return replace(record, state=state, reason=f"the server answers {reply.status}")
        return await self._text(record, reply)

    async def _text(self, record: PageRecord, reply: Reply) -> PageRecord:
        content_type = reply.headers.get("content-type", "")
        found = await self._reader.read(reply.body, content_type, record.final_url)
        record = replace(
            record,
            raw_sha256=self._journal.keep_raw(reply.body) if self._options.raw else "",
            title=found.title,
            text=found.text,
            text_sha256=text_digest(found.text) if found.text else "",
            extractor=found.extractor,
            truncated=found.truncated,
            reason=found.problem,
        )
        if found.problem:
            return replace(record, state="unsupported")
        return replace(record, state=state_of_text(found.title, found.text))

    async def _missing(self, record: PageRecord) -> PageRecord:
        """A page that answers 404 or 410, with the text of a copy where the archive has one."""
        why = f"the server answers {record.status}"
        if not self._options.archive:
            return replace(record, state="gone", reason=f"{why}; no archive was named")
        if self._archive.snapshot is not None:
            copy = self._archive.snapshot.get(record.key)
            if copy is None:
                return replace(
                    record, state="never_archived", reason=f"{why}; the archive has no copy"
                )
            return replace(
                record,
                state="gone",
                title=copy.title,
                text=copy.text,
                text_sha256=copy.text_sha256,
                extractor=copy.extractor,
                archive_url=f"snapshot of {copy.fetched_at[:10]}",
                reason=why,
            )
        answer = await self._ask_archive(record.key)
        state = state_of_missing(answer)
        if state != "gone":
            said = "gives no answer" if answer == "failed" else "has no copy"
            return replace(record, state=state, reason=f"{why}; the archive {said}")
        hops, reply, _ = await self._follow(copy_in(answer), {})
        record = replace(record, state="gone", archive_url=hops[-1], reason=why)
        if reply.status and state_of_status(reply.status) == "read" and not reply.problem:
            found = await self._text(record, reply)
            return replace(found, state="gone", reason=why)
        return record

    async def _ask_archive(self, url: str) -> ArchiveAnswer:
        asked = f"{self._options.archive}{quote(url, safe='')}"
        _, reply, _ = await self._follow(asked, {}, any_type=True)
        if reply.status != 200:
            return "failed"
        try:
            closest = json.loads(reply.body)["archived_snapshots"].get("closest")
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            return "failed"
        return closest if isinstance(closest, Mapping) else None

    async def _follow(
        self, url: str, headers: Mapping[str, str], any_type: bool = False
    ) -> tuple[list[str], Reply, bool]:
        """The addresses of a chain of redirects, its last reply, whether robots.txt forbids it."""
        hops = [url]
        while True:
            if why := self._policy.refused_hops(hops):
                too_many = len(hops) - 1 > MOST_REDIRECTS
                return hops, Reply(problem=why, refused=not too_many), False
            rules = await self._rules(hops[-1])
            if rules.problem:
                return hops, Reply(problem=rules.problem, refused=rules.refused), False
            if not any_type and not rules.allows(hops[-1]):
                return hops, Reply(problem="robots.txt forbids it"), True
            if not any_type and hops[-1] in self._journal.finals:
                return hops, Reply(), False
            kept = self._journal.hops.get(hops[-1])
            if kept is not None:
                reply = Reply(kept["status"], {"location": kept["location"]})
            else:
                reply = await self._ask(hops[-1], headers, any_type, rules)
            location = reply.headers.get("location", "")
            if reply.status not in (301, 302, 303, 307, 308) or not location:
                return hops, reply, False
            if kept is None:
                said = {"status": reply.status, "location": location[:8192]}
                self._journal.keep({"hop": hops[-1], "reply": said})
            hops.append(redirect_target(hops[-1], location))

    async def _ask(
        self, url: str, headers: Mapping[str, str], any_type: bool, rules: ServerRules | None = None
    ) -> Reply:
        """One request, when it is the server's turn."""
        server = self._servers[origin_of(url)]
        loop = asyncio.get_running_loop()
        async with server.turn:
            if (wait := server.next - loop.time()) > 0:
                await asyncio.sleep(wait)
            reply = await self._web.get(url, headers, any_type)
            pause = self._options.pause
            server.next = loop.time() + (rules.pause(pause) if rules else pause)
        return reply

    async def _rules(self, url: str) -> ServerRules:
        origin = origin_of(url)
        server = self._servers[origin]
        async with server.learning:
            if server.rules is None:
                kept = self._journal.robots.get(origin)
                robots = await self._ask_robots(url) if kept is None else Robots(kept["text"])
                if kept is None and not robots.problem:
                    self._journal.keep({"robots": origin, "rules": {"text": robots.text}})
                server.rules = ServerRules(robots)
        return server.rules

    async def _ask_robots(self, url: str) -> Robots:
        place = robots_address(url)
        for _ in range(MOST_REDIRECTS + 1):
            if self._policy.refused(place):
                return Robots()
            reply = await self._ask(place, {}, any_type=True)
            location = reply.headers.get("location", "")
            if reply.refused:
                return Robots(problem=reply.problem, refused=True)
            if not (300 <= reply.status < 400 and location):
                return Robots.of(reply)
            place = redirect_target(place, location)
        return Robots()


class _Archive:
    """The pages of an earlier snapshot, where one was named as the archive."""

    def __init__(self, named: str) -> None:
        self.snapshot: dict[str, PageRecord] | None = None
        if named and urlsplit(named).scheme not in ("http", "https"):
            self.snapshot = {one.key: one for one in Snapshot(Path(named)).records() if one.text}


def _first(group: BaseExceptionGroup[DataError]) -> DataError:
    """The first error of a group, however deep it is nested."""
    one = group.exceptions[0]
    return _first(one) if isinstance(one, BaseExceptionGroup) else one


def _state_of_refused(key: str) -> State:
    return "not_looked_up" if key[:4].casefold() == "http" else "unsupported"


def _now() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
