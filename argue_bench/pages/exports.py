"""Files for other programs, besides the JSON files: a board as CSV, and citations."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping
from typing import Any

from argue_bench.metrics.papers import bibtex
from argue_bench.pages.data import site_data
from argue_bench.pages.inputs import Site
from argue_bench.records.digests import sha256
from argue_bench.records.display import csv_cell
from argue_bench.version import __version__
from argue_bench.view.render import dump

ABOUT = (
    "system",
    "name",
    "group",
    "signature",
    "judge",
    "type",
    "base_model",
    "context",
    "cost",
    "tokens",
)
Json = Mapping[str, Any]


def board_files(site: Site) -> dict[str, bytes]:
    """Each board that has rows, as JSON and as CSV, by the path that it has under ``data/v1``."""
    boards = {
        path: made
        for path, made in site_data(site).items()
        if path.startswith("board/") and any(section["rows"] for section in made["sections"])
    }
    texts = {path: dump(board) + "\n" for path, board in boards.items()}
    texts |= {path.replace(".json", ".csv"): board_csv(board) for path, board in boards.items()}
    return {path: text.encode() for path, text in sorted(texts.items())}


def board_csv(board: Mapping[str, Any]) -> str:
    """The rows of a board in its order: what they are, then value, low, high, n of each score."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    keys = [column["key"] for column in board["columns"]]
    parts = [(key, part) for key in keys for part in ("value", "low", "high", "n")]
    titles = (f"{key}:{part}" for key, part in parts)
    writer.writerow([*ABOUT, "created", "rank_best", "rank_worst", *titles])
    for section in board["sections"]:
        for row in section["rows"]:
            about = {**row, "group": section["group"], "signature": section["signature"]}
            standing = row["standing"] or {}
            numbers = (row["scores"].get(key, {}).get(part) for key, part in parts)
            writer.writerow(
                [
                    *(csv_cell(about[name]) for name in (*ABOUT, "created")),
                    standing.get("best", ""),
                    standing.get("worst", ""),
                    *("" if number is None else repr(number) for number in numbers),
                ]
            )
    return file.getvalue()


def cite_site(
    title: str,
    authors: str,
    day: str,
    address: str,
    what: str = "",
    digest: str = "",
    source: str = "",
) -> dict[str, str]:
    """BibTeX and one line of text for a board, a season, a system, or a snapshot with its SHA-256.

    ``source``: where results come from that were published elsewhere.
    """
    source = f"results from {source}" if source else ""
    words = f"{title}{f' ({what})' if what else ''}"
    digest = f"SHA-256 {digest}" if digest else ""
    plain = [f"{authors}." if authors else "", f"{words}.", f"{day}." if day else ""]
    key = "-".join("".join(c if c.isalnum() else " " for c in f"{title} {day[:4]}").lower().split())
    return {
        "plain": " ".join(
            filter(
                None,
                [
                    *plain,
                    f"argue-bench {__version__}{', ' * bool(source)}{source}.",
                    address,
                    digest,
                ],
            )
        ),
        "bibtex": bibtex(
            "misc",
            key.encode("ascii", "ignore").decode() or "board",
            title=words,
            author=authors,
            year=day[:4],
            url=address,
            note=", ".join(
                filter(
                    None,
                    [f"argue-bench {__version__}", source, f"as of {day}" if day else "", digest],
                )
            ),
        ),
    }


def cite_snapshots(title: str, archive: Mapping[str, str], url: str) -> Iterator[dict[str, str]]:
    """Each snapshot, the newest first: its day, and citations that hold the SHA-256 of its index.

    Who kept that digest sees any change, even one by somebody who rewrites the ledger.
    """
    for path in sorted(archive, reverse=True):
        day, _, file = path.partition("/")
        if file == "index.json":
            digest = sha256(archive[path].encode())
            address = f"{url}archive/{path}" if url else ""
            yield {"day": day, **cite_site(title, "", day, address, "snapshot", digest)}
