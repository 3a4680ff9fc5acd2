"""The rules of a server for robots: its robots.txt (RFC 9309), parsed by protego."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from argue_bench.errors import MissingExtra
from argue_bench.sources.web import AGENT, Reply

MOST_BYTES = 500_000
LONGEST_PAUSE = 30.0
_TOO_MANY_STARS = re.compile(r"(?:\*[^*]*){8,}")


@dataclass(frozen=True)
class Robots:
    """The robots.txt of one server. ``problem``: why it could not be fetched, so that nothing
    there may be requested.

    ``refused``: our own rules forbid to ask it.
    """

    text: str = ""
    problem: str = ""
    refused: bool = False

    @classmethod
    def of(cls, reply: Reply) -> Robots:
        """The rules that a reply to /robots.txt gives; none where there is no such file."""
        if 200 <= reply.status < 300:
            return cls(_bounded(reply.body))
        if reply.too_large or 300 <= reply.status < 500:
            return cls()
        return cls(problem=reply.problem or f"robots.txt: the server answers {reply.status}")

    def parsed(self) -> Any:
        """protego's rules. Raises MissingExtra."""
        try:
            from protego import Protego
        except ImportError:
            raise MissingExtra("fetching web pages", "web") from None
        return Protego.parse(self.text)


class ServerRules:
    """The rules of a server, parsed once."""

    def __init__(self, robots: Robots) -> None:
        self.problem, self.refused = robots.problem, robots.refused
        self._parsed = robots.parsed() if robots.text else None

    def allows(self, url: str) -> bool:
        """Whether robots may ask for the address."""
        return self._parsed is None or bool(self._parsed.can_fetch(url, AGENT))

    def pause(self, least: float) -> float:
        """Seconds between two requests: what the server wants, from ``least`` to half a minute."""
        wanted = self._parsed.crawl_delay(AGENT) if self._parsed is not None else None
        return min(max(least, float(wanted or 0.0)), max(least, LONGEST_PAUSE))


def robots_address(url: str) -> str:
    """Where the robots.txt of an address's server is."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}/robots.txt"


def _bounded(body: bytes) -> str:
    """The text without lines whose patterns would take a parser endless time."""
    lines = body[:MOST_BYTES].decode("utf-8", "replace").splitlines()
    return "\n".join(line[:2_000] for line in lines if not _TOO_MANY_STARS.search(line[:2_000]))
