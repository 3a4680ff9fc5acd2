"""``argue-bench sources``: web pages that answers cite, fetched or imported once, apart from scoring."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from argue_bench.cli.commands import Group, option
from argue_bench.cli.options import PATH, format_option
from argue_bench.cli.tables import print_as, show_findings, show_table
from argue_bench.table import Table

if TYPE_CHECKING:
    from argue_bench.sources.snapshot import Snapshot

SHOWN = 20


@click.group(cls=Group)
def sources() -> None:
    """Fetch or import the web pages that answers cite, once; scoring then reads them offline.

    Example: argue-bench sources fetch reports.jsonl --out pages
    """


@sources.command("fetch")
@click.argument("answers", type=PATH, nargs=-1, required=True)
@option("--out", type=PATH, required=True)
@option("--raw", is_flag=True)
@option("--warc", type=PATH, metavar="FILE")
@option("--archive", default="", metavar="ADDRESS|DIR")
@option("--refresh", is_flag=True)
@option("--retry", is_flag=True)
@option("--pause", type=click.FloatRange(min=0.0), default=1.0, metavar="SECONDS")
@option("--per-server", type=click.IntRange(min=1), default=200, metavar="N")
@option("--columns", multiple=True, metavar="ROLE=NAME")
@option("--allow-loopback", is_flag=True)
@option("--player", default="", metavar="ADDRESS")
@format_option
def fetch_pages(
    answers: tuple[Path, ...],
    out: Path,
    raw: bool,
    warc: Path | None,
    archive: str,
    refresh: bool,
    retry: bool,
    pause: float,
    per_server: int,
    columns: tuple[str, ...],
    allow_loopback: bool,
    player: str,
    format: str,
) -> None:
    """Ask for every address that ANSWERS cite, once, and keep what the pages say in the folder OUT.

    A fetch that was stopped goes on where it was; what OUT holds is not asked for again. Exits 1
    where an answer cites what is not fetched.

    Example: argue-bench sources fetch reports.jsonl --out pages
    """
    from argue_bench.cli.progress import progress
    from argue_bench.loaders.cited import read_cited
    from argue_bench.loaders.rows.columns import parse_columns
    from argue_bench.sources.addresses import Policy
    from argue_bench.sources.fetching import FetchOptions, fetch_sources

    named, policy = parse_columns(columns), Policy(allow_loopback)
    read = [read_cited(path, named, policy) for path in answers]
    urls = list(dict.fromkeys(url for one in read for url in one.urls))
    total = sum(one.answers for one in read)
    click.echo(f"{total:,} answers cite {len(urls):,} addresses", err=True)
    findings = [finding for one in read for finding in one.findings]
    show_findings(findings, SHOWN)
    options = FetchOptions(
        pause=pause,
        per_server=per_server,
        raw=raw or warc is not None,
        archive=archive,
        refresh=refresh,
        retry=retry,
        loopback=allow_loopback,
        player=player,
    )
    done = 0
    with progress("asking", len(urls)) as step:

        def count(_: object) -> None:
            nonlocal done
            done += 1
            step(done)

        snapshot = fetch_sources(urls, out, options, count)
    if warc is not None:
        from argue_bench.sources.importing import write_warc

        click.echo(f"{write_warc(snapshot, warc):,} pages written to {warc}", err=True)
    _show(snapshot, format)
    if findings:
        raise SystemExit(1)


@sources.command("import")
@click.argument("source", type=PATH)
@option("--out", type=PATH, required=True)
@format_option
def import_pages(source: Path, out: Path, format: str) -> None:
    """Add pages that were fetched before: a WARC file, a folder of pages, JSON Lines of a crawl.

    A page that OUT has already is replaced. A folder is a mirror (HOST/PATH), or has a urls.tsv with
    an address, a tab and a file in each line.

    Example: argue-bench sources import crawl.warc.gz --out pages
    """
    from argue_bench.errors import Finding
    from argue_bench.sources.importing import import_sources

    findings: list[Finding] = []
    try:
        snapshot = import_sources(source, out, findings.append)
    finally:
        show_findings(findings, SHOWN)
    _show(snapshot, format)


@sources.command("show")
@click.argument("folder", type=PATH)
@format_option
def show_snapshot(folder: Path, format: str) -> None:
    """Count the addresses of a snapshot by what came of them, and print its digest.

    Example: argue-bench sources show pages
    """
    from argue_bench.sources.snapshot import Snapshot

    _show(Snapshot(folder), format)


def _show(snapshot: Snapshot, format: str) -> None:
    from argue_bench.sources.snapshot import count_states
    from argue_bench.sources.states import EFFECTS, STATES

    counts = count_states(snapshot.records())
    total = sum(counts.values())
    rows = [(state, f"{counts[state]:,}", EFFECTS[state]) for state in STATES if counts[state]]
    table = Table(("state", "addresses", "in scores"), rows, right=(1,))
    plain = {"digest": snapshot.digest, "addresses": total, "states": dict(counts)}
    if print_as(format, plain, table):
        return
    show_table(table)
    click.echo(f"\n{total:,} addresses in {snapshot.folder}, digest {snapshot.digest[:16]}")
