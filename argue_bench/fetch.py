"""Where does a file come from that is too large, or not ours, to ship? Its published place, once.

``fetch_file`` returns the path of a verified local copy: from the cache, or downloaded over HTTPS
while its SHA-256 is computed. A file that is not the expected one never gets its name in the cache.
"""

from __future__ import annotations

import hashlib
import http.client
import ipaddress
import os
import re
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO, Any
from urllib.parse import urljoin, urlsplit

from argue_bench import __version__
from argue_bench.errors import Code, DataError, UsageError

Progress = Callable[[int, int | None], None]
"""(bytes so far, bytes expected or None)."""

CHUNK = 1 << 16
MOST_BYTES = 1 << 31


def cache_folder() -> Path:
    """Where fetched files are kept: ``ARGUE_BENCH_CACHE``, else the platform's cache folder."""
    if named := os.environ.get("ARGUE_BENCH_CACHE"):
        return Path(named).expanduser()
    from platformdirs import user_cache_path

    return user_cache_path("argue-bench")


def fetch_file(
    url: str,
    sha256: str,
    name: str,
    *,
    most_bytes: int = MOST_BYTES,
    timeout: float = 30.0,
    within: float = 3600.0,
    progress: Progress | None = None,
) -> Path:
    """The local copy of the file at ``url``, with exactly this checksum, as ``name`` in the cache.

    ``timeout`` bounds each wait for bytes and ``within`` the whole, in seconds. A copy in the cache
    that does not match is fetched again. Raises UsageError (an address that is not HTTPS, a name
    that leaves the cache) and DataError (no network, an HTTP error, a file cut short, too large or
    different), which says what to fetch and where to put it.
    """
    _check_address(url)
    pure = PurePosixPath(name)
    if pure.is_absolute() or ".." in pure.parts or not pure.parts or "\\" in name:
        raise UsageError(f"{name!r} is not a name inside the cache")
    path = cache_folder().joinpath(*pure.parts)
    if _matches(path, sha256):
        return path
    plan = _Plan(url, sha256.lower(), path, most_bytes, timeout, within, progress)
    try:
        _download(plan)
    except (OSError, http.client.HTTPException) as error:  # URLError and TimeoutError are OSErrors
        raise plan.failed(
            Code.NOT_FETCHED, f"the file could not be fetched: {_why(error)}"
        ) from None
    return path


@dataclass(frozen=True)
class _Plan:
    url: str
    sha256: str
    path: Path
    most_bytes: int
    timeout: float
    within: float
    progress: Progress | None

    def failed(self, code: Code, message: str) -> DataError:
        return DataError.of(
            code,
            message,
            self.url,
            hint=f"Fetch it by other means and put it at {self.path} (sha256 {self.sha256}).",
        )


def _download(plan: _Plan) -> None:
    """Streams to a file beside the place, and moves it there when its checksum is right."""
    headers = {"User-Agent": f"argue-bench/{__version__}", "Accept-Encoding": "identity"}
    request = urllib.request.Request(plan.url, headers=headers)
    path = plan.path
    beside = path.with_name(f".{path.name}.{os.getpid()}.{threading.get_ident()}.part")
    with _opener(plan).open(request, timeout=plan.timeout) as response:
        try:
            try:
                path.parent.mkdir(parents=True, exist_ok=True)
                file = beside.open("wb")
            except OSError as error:
                raise _unwritable(path, error) from None
            with file:
                found = _stream(plan, response, file)
            if found != plan.sha256:
                raise plan.failed(
                    Code.CHECKSUM, f"the file fetched has another checksum, sha256 {found}"
                )
            os.replace(beside, path)
        finally:
            with suppress(OSError):
                beside.unlink(missing_ok=True)


def _stream(plan: _Plan, response: Any, file: IO[bytes]) -> str:
    """Copies the body and returns its SHA-256. Raises DataError where it is too large or cut."""
    declared = response.headers.get("Content-Length", "")
    expected = int(declared) if re.fullmatch(r"[0-9]{1,18}", declared) else None
    too_large = plan.failed(Code.TOO_LARGE, f"the file has more than {plan.most_bytes:,} bytes")
    if expected is not None and expected > plan.most_bytes:
        raise too_large
    end, done, total = time.monotonic() + plan.within, 0, hashlib.sha256()
    while chunk := response.read1(CHUNK):
        done += len(chunk)
        if done > plan.most_bytes:
            raise too_large
        if time.monotonic() > end:
            raise TimeoutError(f"it took more than {plan.within:g} seconds")
        total.update(chunk)
        try:
            file.write(chunk)
        except OSError as error:
            raise _unwritable(plan.path, error) from None
        if plan.progress is not None:
            plan.progress(done, expected)
    if expected is not None and done != expected:
        raise plan.failed(Code.CUT_SHORT, f"{done:,} of {expected:,} bytes arrived")
    return total.hexdigest()


class _Redirects(urllib.request.HTTPRedirectHandler):
    """Follows redirects to HTTPS; to plain HTTP only within this machine."""

    def __init__(self, plan: _Plan) -> None:
        self._plan = plan

    def http_error_302(
        self, req: urllib.request.Request, fp: Any, code: int, msg: str, headers: Any
    ) -> Any:
        target = urljoin(req.full_url, headers.get("location") or headers.get("uri") or "")
        if not _allowed(target, loopback=_is_loopback(self._plan.url)):
            fp.close()
            raise self._plan.failed(
                Code.REDIRECT, f"the server sends on to {target[:200]!r}, which is not HTTPS"
            )
        return super().http_error_302(req, fp, code, msg, headers)

    http_error_301 = http_error_303 = http_error_307 = http_error_308 = http_error_302


def _opener(plan: _Plan) -> urllib.request.OpenerDirector:
    handlers: list[urllib.request.BaseHandler] = [_Redirects(plan)]
    if _is_loopback(plan.url):
        handlers.append(urllib.request.ProxyHandler({}))
    return urllib.request.build_opener(*handlers)


def _check_address(url: str) -> None:
    if not _allowed(url, loopback=True):
        raise UsageError(f"{url!r} is not fetched: only https:// addresses are")


def _allowed(url: str, loopback: bool) -> bool:
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    if parts.scheme == "https":
        return bool(parts.hostname)
    return parts.scheme == "http" and loopback and _is_loopback(url)


def _is_loopback(url: str) -> bool:
    host = urlsplit(url).hostname or ""
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _matches(path: Path, sha256: str) -> bool:
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest() == sha256.lower()
    except OSError:
        return False


def _why(error: Exception) -> str:
    if isinstance(error, urllib.error.HTTPError):
        with suppress(OSError):
            error.close()
        return f"the server answers {error.code} {error.reason}"
    if isinstance(error, urllib.error.URLError):
        reason = error.reason
        return (reason.strerror if isinstance(reason, OSError) else None) or str(reason)
    if isinstance(error, TimeoutError):
        return str(error) or "timed out"
    return str(error) or type(error).__name__


def _unwritable(path: Path, error: OSError) -> DataError:
    return DataError.of(
        Code.NOT_WRITTEN,
        f"the file could not be written: {error.strerror}",
        path,
        hint="Make room there, or set ARGUE_BENCH_CACHE to another folder.",
    )
