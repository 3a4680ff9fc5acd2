"""Files over HTTPS: fetched once from their published place, verified by checksum, kept in a cache.

`hub_rows` reads rows of data sets on the Hugging Face hub, and Parquet files, through `datasets` (extra [hf]).

Also the guarded HTTP that all fetching shares: redirects only where the caller allows them, and replies
bounded in bytes and seconds. A file that is not the expected one never gets its name in the cache.
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
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import urljoin, urlsplit

from argue_bench.errors import Code, DataError, needing
from argue_bench.version import __version__

# Bytes that are read and written at once.
_CHUNK = 1 << 16
# 2 GB: no file of the data sets is larger, and a server cannot fill the disk.
MOST_BYTES = 1 << 31


class RefusedRedirect(Exception):
    """A server redirects to an address that is not allowed; the text is that address."""


class TooLarge(Exception):
    """A reply is longer than the limit."""


def open_url(
    url: str,
    agent: str,
    timeout: float,
    allowed: Callable[[str], bool],
    further: Mapping[str, str] | None = None,
) -> Any:
    """The response of an address, with redirects followed to ``allowed`` addresses only.

    ``further`` headers go to every address that is followed: a token goes with no redirect at all. ``timeout`` is the seconds for each wait. Raises RefusedRedirect, OSError and HTTPException.
    """
    handlers: list[urllib.request.BaseHandler] = [_Redirects(allowed)]
    if is_loopback(url):
        handlers.append(urllib.request.ProxyHandler({}))
    # Uncompressed, since a few bytes may unpack to gigabytes.
    headers = {"User-Agent": agent, "Accept-Encoding": "identity", **(further or {})}
    request = urllib.request.Request(url, headers=headers)
    return urllib.request.build_opener(*handlers).open(request, timeout=timeout)


def read_chunks(response: Any, most_bytes: int, within: float) -> Iterator[bytes]:
    """The body of a response, piece by piece, within so many seconds as a whole.

    Raises TooLarge, TimeoutError, and IncompleteRead where it is cut short.
    """
    declared = response.headers.get("Content-Length", "")
    expected = int(declared) if re.fullmatch(r"[0-9]{1,18}", declared) else None
    end, done = time.monotonic() + within, 0
    if expected is not None and expected > most_bytes:
        raise TooLarge
    while chunk := response.read1(_CHUNK):
        done += len(chunk)
        if done > most_bytes:
            raise TooLarge
        if time.monotonic() > end:
            # The socket's timeout is for each wait: a server that drips bytes never meets it.
            raise TimeoutError(f"it took more than {within:g} seconds")
        yield chunk
    if expected is not None and done != expected:
        raise http.client.IncompleteRead(b"", expected - done)


class _Redirects(urllib.request.HTTPRedirectHandler):
    def __init__(self, allowed: Callable[[str], bool]) -> None:
        self._allowed = allowed

    def http_error_302(
        self, req: urllib.request.Request, fp: Any, code: int, msg: str, headers: Any
    ) -> Any:
        target = urljoin(req.full_url, headers.get("location") or headers.get("uri") or "")
        if not self._allowed(target):
            fp.close()
            raise RefusedRedirect(target)
        return super().http_error_302(req, fp, code, msg, headers)

    http_error_301 = http_error_303 = http_error_307 = http_error_308 = http_error_302


def is_loopback(url: str) -> bool:
    """Whether the address is on this machine."""
    try:
        host = urlsplit(url).hostname or ""
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def cache_folder() -> Path:
    """The folder of fetched files: ``ARGUE_BENCH_CACHE``, else the platform's cache folder."""
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
) -> Path:
    """The local copy of the file at ``url``, with exactly this checksum, as ``name`` in the cache.

    ``timeout`` bounds each wait for bytes and ``within`` the whole, in seconds. A copy in the cache
    that does not match is fetched again. Raises DataError (no network, an HTTP error, a file cut short, too large
    or different), which says what to fetch and where to put it.
    """
    path = cache_folder() / name
    with suppress(OSError), path.open("rb") as file:
        if hashlib.file_digest(file, "sha256").hexdigest() == sha256.lower():
            return path
    # Plain HTTP is for servers of the tests on this machine, which may redirect within it.
    allowed = partial(_is_allowed, loopback=is_loopback(url))
    code = Code.NOT_FETCHED
    try:
        with open_url(url, f"argue-bench/{__version__}", timeout, allowed) as response:
            other = _save(path, sha256, read_chunks(response, most_bytes, within))
        if not other:
            return path
        code, why = Code.OTHER_DIGEST, f"the fetched file has another checksum, sha256 {other}"
    except RefusedRedirect as error:
        why = f"the server redirects to {str(error)[:200]!r}, which is not HTTPS"
    except TooLarge:
        code, why = Code.TOO_LARGE, f"the file has more than {most_bytes:,} bytes"
    except http.client.IncompleteRead as error:
        code, why = (
            Code.OTHER_DIGEST,
            f"the file is cut short: {error.expected:,} bytes are missing",
        )
    except (OSError, http.client.HTTPException) as error:  # URLError and TimeoutError are OSErrors
        why = f"the file could not be fetched: {_reason(error)}"
    raise DataError.of(
        code, why, url, hint=f"Fetch it by other means and put it at {path} (sha256 {sha256})."
    )


def _save(path: Path, sha256: str, chunks: Iterator[bytes]) -> str:
    """Writes to a file beside the place, and moves it there when its checksum is right; else returns the other."""
    digest = hashlib.sha256()
    beside = path.with_name(f".{path.name}.{os.getpid()}.{threading.get_ident()}.part")
    try:
        with _writing(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            file = beside.open("wb")
        with file:
            for chunk in chunks:
                digest.update(chunk)
                with _writing(path):
                    file.write(chunk)
        if digest.hexdigest() != sha256.lower():
            return digest.hexdigest()
        os.replace(beside, path)
        return ""
    finally:
        with suppress(OSError):
            beside.unlink(missing_ok=True)


@contextmanager
def _writing(path: Path) -> Iterator[None]:
    """Raises errors of the disk as DataError; errors of the network, OSErrors too, pass unchanged."""
    try:
        yield
    except OSError as error:
        raise DataError.of(
            Code.NOT_WRITTEN,
            f"the file could not be written: {error.strerror}",
            path,
            hint="Make room there, or set ARGUE_BENCH_CACHE to another folder.",
        ) from None


def _is_allowed(url: str, loopback: bool) -> bool:
    """Whether it is an HTTPS address, or with ``loopback`` plain HTTP on this machine."""
    scheme = url.partition(":")[0].lower()
    return scheme == "https" or (scheme == "http" and loopback and is_loopback(url))


def _reason(error: Exception) -> str:
    if isinstance(error, urllib.error.HTTPError):
        with suppress(OSError):
            error.close()
        return f"the server answers {error.code} {error.reason}"
    cause = getattr(error, "reason", None) or error
    return getattr(cause, "strerror", None) or str(cause) or type(cause).__name__


def hub_rows(*words: str, hint: str, **options: str | None) -> Any:
    """What ``datasets.load_dataset`` gives for these words and options.

    Every way in which it fails is a DataError with the hint. Raises MissingExtra.
    """
    with needing("reading Parquet files and the hub", "hf"):
        import datasets
    try:
        return datasets.load_dataset(*words, **options)
    except Exception as error:
        # As broad as it looks: beside errors of datasets, pyarrow, the hub's client and its HTTP library, which
        # share no base class, a damaged file or card raises whatever YAML, JSON and the casts of a column meet.
        place = options.get("data_files") or f"https://huggingface.co/datasets/{words[0]}"
        reason = f"{type(error).__name__}: {str(error).partition(chr(10))[0]:.200}"
        raise DataError.of(
            Code.NOT_FETCHED, f"the rows can't be read: {reason}", place, hint=hint
        ) from None
