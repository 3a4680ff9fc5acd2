"""``argue-bench sources``: web pages that answers cite, fetched once, apart from scoring."""

from __future__ import annotations

from collections import Counter
from itertools import count
from pathlib import Path

import click

from argue_bench.cli.commands import Group, option
from argue_bench.cli.options import PATH
from argue_bench.cli.tables import show_findings, show_table
from argue_bench.records.table import Table

# Findings that are printed; they fit on a screen.
SHOWN = 20


@click.group(cls=Group)
def sources() -> None:
    """Fetch the web pages that answers cite, once; scoring then reads them offline.

    Example: argue-bench sources fetch reports.jsonl --out pages
    """


@sources.command("fetch")
@click.argument("answers", type=PATH, nargs=-1, required=True)
@option("--out", type=PATH, required=True, help="The folder of the snapshot.")
@option("--retry", is_flag=True, help="Ask again for addresses that were unreachable.")
@option(
    "--allow-loopback",
    is_flag=True,
    group="Advanced",
    help="For tests: also ask servers on this machine, without a pause.",
)
def fetch_pages(
    answers: tuple[Path, ...],
    out: Path,
    retry: bool,
    allow_loopback: bool,
) -> None:
    """Ask for every address that ANSWERS cite, once, and keep what the pages say in the folder OUT.

    A fetch that was stopped goes on where it was; what OUT holds is not asked for again. Exits 1
    where an answer cites what is not fetched.

    Example: argue-bench sources fetch reports.jsonl --out pages
    """
    from argue_bench.cli.progress import progress
    from argue_bench.web.addresses import Policy
    from argue_bench.web.citing_answers import read_cited
    from argue_bench.web.extraction import EFFECTS, STATES
    from argue_bench.web.fetching import FetchOptions, fetch_sources

    policy = Policy(allow_loopback, names_only=True)
    read = [read_cited(path, policy) for path in answers]
    urls = list(dict.fromkeys(url for one in read for url in one.urls))
    total = sum(one.answers for one in read)
    click.echo(f"{total:,} answers cite {len(urls):,} addresses", err=True)
    findings = [finding for one in read for finding in one.findings]
    show_findings(findings, SHOWN)
    options = FetchOptions(
        pause=0.0 if allow_loopback else 1.0,
        retry=retry,
        loopback=allow_loopback,
    )
    done = count(1)
    with progress("asking", len(urls)) as step:
        snapshot = fetch_sources(urls, out, options, lambda _: step(next(done)))
    counts = Counter(one.state for one in snapshot.records())
    rows = [(state, f"{counts[state]:,}", EFFECTS[state]) for state in STATES if counts[state]]
    show_table(Table(("state", "addresses", "in scores"), rows, right=(1,)))
    kept = f"{counts.total():,} addresses in {snapshot.folder}"
    click.echo(f"\n{kept}, digest {snapshot.digest[:16]}")
    if findings:
        raise SystemExit(1)
