"""Files that make a board easy to cite and to find: citations, Dataset records, sitemap,
robots.txt."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from html import escape
from typing import Any

from argue_bench import __version__
from argue_bench.metrics.papers import bibtex
from argue_bench.records.digests import sha256

Json = Mapping[str, Any]


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


def dataset_record(board: Json, setting: str, sentence: str, site: Json) -> dict[str, Any]:
    """schema.org's Dataset for a board's scores, for search engines."""
    url, rows = site["url"], [row for section in board["sections"] for row in section["rows"]]
    known = any(score["low"] is not None for row in rows for score in row["scores"].values())
    about = f"Scores of systems that answer at length and cite their sources{', with 95% intervals' * known}."
    place = f"{board['season']}/{board['setting']}"
    files = (
        ("text/csv", f"board/{place}.csv"),
        ("application/json", f"data/v1/board/{place}.json"),
    )
    found = {
        "@context": "https://schema.org",
        "@type": "Dataset",
        "name": f"{board['title']}: {setting}",
        "description": f"{sentence} {about}",
        "creator": {
            "@type": "Organization",
            "name": site["title"],
            **({"url": url} if url else {}),
        },
        "creditText": board["source"],
        "variableMeasured": [column["name"] for column in board["columns"]],
        "isAccessibleForFree": True,
        "dateModified": board["updated"],
        "isBasedOn": [link for link in board["links"].values() if link],
    }
    if url:
        found |= {
            "url": f"{url}board/{place}.html",
            "distribution": [
                {"@type": "DataDownload", "encodingFormat": form, "contentUrl": f"{url}{path}"}
                for form, path in files
            ],
        }
    return {key: value for key, value in found.items() if value}


def sitemap(paths: Iterable[str], url: str) -> str:
    """All pages that a search engine should know."""
    lines = [
        f"<url><loc>{escape(url + ('' if path == 'index.html' else path))}</loc></url>"
        for path in sorted(paths)
    ]
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n'
        + "\n".join(lines)
        + "\n</urlset>\n"
    )


def robots(url: str) -> str:
    """The robots.txt: every robot may read every page."""
    return "User-agent: *\nAllow: /\n" + (f"Sitemap: {url}sitemap.xml\n" if url else "")
