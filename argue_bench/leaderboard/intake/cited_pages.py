"""The pages that one submission cites, taken out of the crawl that its season pins.

It runs where there is no secret, no gold and no right to write, and asks no server: the organiser made the
crawl (`sources fetch` or `sources import`) before the season began. So a crawl may be large, and the job that
holds the secrets reads only what is cited.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from argue_bench.errors import Code, DataError
from argue_bench.leaderboard.formats.bundle import Bundle
from argue_bench.leaderboard.formats.layout import FOLDERS
from argue_bench.text.citations.references import identity_key
from argue_bench.web.cited import read_cited
from argue_bench.web.snapshot import Snapshot, write_snapshot

MOST_CITED = 20_000
"""Addresses of one submission that are looked up: of 200 answers 100 each."""


def take_cited(bundle: Bundle, crawl: Snapshot, out: Path) -> Snapshot:
    """Writes the pages of a crawl that the answers of a bundle cite into ``out``, as a snapshot.

    An address that the crawl does not hold is "not_looked_up" when it is scored. Raises DataError: too many
    addresses, a crawl that is none.
    """
    urls: set[str] = set()
    with tempfile.TemporaryDirectory(prefix="argue-bench-") as name:
        folder = Path(name)
        bundle.unpack(folder)
        for place in FOLDERS:
            path = folder / place / f"{bundle.system}.jsonl"
            if path.is_file():
                urls |= set(read_cited(path, {"answer": "answer"}).urls)
    if len(urls) > MOST_CITED:
        why = f"the submission cites {len(urls):,} addresses, more than {MOST_CITED:,}"
        raise DataError.of(Code.CITED_ADDRESS, why, bundle.system, hint="Cite fewer pages.")
    # One page may be cited by several spellings of its address.
    keys = {identity_key(url) for url in urls}
    return write_snapshot(out, (one for one in crawl.records() if one.key in keys))
