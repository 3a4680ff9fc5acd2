"""The platform's answers about a repository: GitHub's REST API, read and never written.

A question has one of three answers: what the platform holds, that it holds nothing (404 where everybody
may ask), or that this token may not see it.
"""

from __future__ import annotations

import http.client
import json
import re
import urllib.error
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

from argue_bench import __version__
from argue_bench.errors import Code, DataError, UsageError
from argue_bench.fetch import RefusedRedirect, TooLarge, is_loopback, open_url, read_chunks

API = "https://api.github.com"
REPOSITORY = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]{0,38}/[A-Za-z0-9._-]{1,100}")
MOST_BYTES = 5_000_000
SECONDS = 30.0


class _Unseen:
    def __repr__(self) -> str:
        return "UNSEEN"


UNSEEN = _Unseen()
"""What this token may not see."""


@dataclass
class Platform:
    """Reads about one repository; each address once. ``token`` may be empty: then little is seen."""

    repository: str
    token: str = field(default="", repr=False)
    api: str = API
    _read: dict[str, Any] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        if not REPOSITORY.fullmatch(self.repository):
            raise UsageError(f"{self.repository!r} is not a repository: write OWNER/NAME")
        if not (self.api.startswith("https://") or is_loopback(self.api)):
            raise UsageError(
                f"{self.api!r} is not an address of an API: a token goes over https:// alone"
            )

    def get(self, *path: str, private: bool = False, raw: bool = False) -> Any:
        """The JSON (or, ``raw``, the text) at a path below the repository; None where there is nothing.

        `UNSEEN` where the token may not see it; with ``private`` a 404 says no more than that. Raises
        DataError where the platform does not answer, or not with what it should.
        """
        where = "/".join(quote(part, safe="") for part in path)
        url = f"{self.api.rstrip('/')}/repos/{self.repository}{'/' if where else ''}{where}"
        if url not in self._read:
            self._read[url] = self._fetch(url, private, raw)
        return self._read[url]

    def _fetch(self, url: str, private: bool, raw: bool) -> Any:
        headers = {
            "Accept": f"application/vnd.github{'.raw' if raw else ''}+json",
            "X-GitHub-Api-Version": "2022-11-28",
        }
        if self.token:
            headers["Authorization"] = f"Bearer {self.token}"
        agent = f"argue-bench/{__version__}"
        try:
            # No redirect is followed: it would carry the token with it.
            with open_url(url, agent, SECONDS, lambda _: False, headers) as response:
                body = b"".join(read_chunks(response, MOST_BYTES, SECONDS))
            return body.decode("utf-8") if raw else json.loads(body)
        except urllib.error.HTTPError as error:
            error.close()
            if error.code == 401:
                raise UsageError("the platform refuses the token in GH_TOKEN") from None
            if error.code == 404 and not private:
                return None
            if error.code in (403, 404):
                return UNSEEN
            why = f"the platform answered {error.code}"
        except RefusedRedirect:
            why = "the platform answered with a redirect; has the repository another name now?"
        except (TooLarge, ValueError, RecursionError):
            why = "the platform's answer is not what it should be"
        except (OSError, http.client.HTTPException) as error:
            why = f"the platform can't be reached: {getattr(error, 'reason', error)}"
        raise DataError.of(Code.NOT_FETCHED, why, url)
