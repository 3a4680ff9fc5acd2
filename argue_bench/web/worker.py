"""The process that reads texts of pages for `argue_bench.web.extraction.TextReader`.

It reads requests from standard input and writes texts to standard output; it opens no connection and
writes no file, and the system ends it where it takes more memory than the first argument says.
"""

from __future__ import annotations

import json
import sys
from contextlib import suppress

from argue_bench.errors import MissingExtra
from argue_bench.web.extraction import PageText, answer_of, read_page


def limit(memory: int) -> None:
    """Bounds the memory of this process, in bytes, and forbids it to write files."""
    with suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
        # A reader that was taken over by a page can then write no file.
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))


def serve() -> None:
    """Reads one page after another until the input ends."""
    limit(int(sys.argv[1]))
    source, target = sys.stdin.buffer, sys.stdout.buffer
    while line := source.readline():
        given = json.loads(line)
        body = source.read(given["size"])
        try:
            written = answer_of(read_page(body, given["content_type"], given["url"]))
        except MissingExtra:
            text = json.dumps({"missing": "reading web pages"}).encode()
            written = b"%d\n" % len(text) + text
        except (Exception, RecursionError) as error:  # hostile pages break any reader
            written = answer_of(PageText(problem=f"cannot be read: {type(error).__name__}"))
        target.write(written)
        target.flush()


if __name__ == "__main__":
    serve()
