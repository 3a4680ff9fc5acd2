"""The pages that one submission cites, fetched by the board: bounded in number, bytes and time.

It runs where there is no secret, no gold and no right to write. What it makes is a snapshot, and what
it says of it are codes, counts and digests.
"""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path

from argue_bench.errors import Code, DataError, Finding
from argue_bench.leaderboard.formats.bundle import Bundle
from argue_bench.leaderboard.formats.layout import FOLDERS, MOST_SOURCES
from argue_bench.loaders.cited import read_cited
from argue_bench.sources.addresses import Policy
from argue_bench.sources.fetching import FetchOptions, fetch_sources
from argue_bench.sources.snapshot import Snapshot

MOST_CITED = 20_000
"""Addresses of one submission that are fetched: of 200 answers 100 each."""


def fetch_cited(bundle: Bundle, out: Path, options: FetchOptions) -> tuple[Snapshot, list[Finding]]:
    """Fetches the pages that the answers of a bundle cite into ``out``; reports what was not
    fetched and why.

    What cannot be asked within the bounds is "not_looked_up" in the snapshot. Raises DataError: too many
    addresses, more bytes than a board is scored by.
    """
    urls: dict[str, None] = {}
    findings: list[Finding] = []
    with tempfile.TemporaryDirectory(prefix="argue-bench-") as name:
        folder = Path(name)
        bundle.unpack(folder)
        for place in FOLDERS:
            path = folder / place / f"{bundle.system}.jsonl"
            if not path.is_file():
                continue
            read = read_cited(path, {"answer": "answer"}, Policy(options.loopback))
            urls |= dict.fromkeys(read.urls)
            short = f"{place}/{path.name}"
            findings += (replace(one, file=short) for one in read.findings)
    if len(urls) > MOST_CITED:
        why = f"the submission cites {len(urls):,} addresses, more than {MOST_CITED:,}"
        raise DataError.of(Code.CITED_ADDRESS, why, bundle.system, hint="Cite fewer pages.")
    bounded = replace(options, most_bytes=MOST_SOURCES)
    return fetch_sources(urls, out, bounded), findings
