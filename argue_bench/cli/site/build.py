"""``argue-bench site build``: a folder of submissions and results in, static pages out."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from argue_bench.cli.commands import command, option
from argue_bench.cli.options import PATH, folder_argument
from argue_bench.cli.tables import show_findings
from argue_bench.errors import (
    ArgueBenchError,
    Code,
    DataError,
    Finding,
    MissingExtra,
    SealError,
    UsageError,
)

if TYPE_CHECKING:
    from argue_bench.leaderboard.formats.season import Season as Declared
    from argue_bench.leaderboard.signing.keys import Keys
    from argue_bench.loaders.dataset import Dataset
    from argue_bench.pages.build import Built
    from argue_bench.pages.inputs import BoardSeason, SystemResult

    Runs = Mapping[tuple[str, str | None], int]
    """Scored runs by season and author."""

MOST_SHOWN = 50
BANDS = "bands.json"
FOREIGN = "published elsewhere"
"""The group of unsigned results on a board that signs its own."""


@command()
@folder_argument
@option("--out", default="site/build", type=PATH)
@option("--url", default="")
@option("--repository", default="", metavar="OWNER/NAME")
@option("--strict", is_flag=True)
def build(folder: Path, out: Path, url: str, repository: str, strict: bool) -> None:
    """Render every page of the board in FOLDER.

    Pages that are right already are kept. What can't be read is named and left out.

    Example: argue-bench site build leaderboard-submissions --out site/build
    """
    built, findings = build_site(folder, out, address(url, repository), source(repository))
    findings.sort(key=lambda finding: finding.level != "error")
    show_findings(findings, most=MOST_SHOWN)
    click.echo(f"{out}/index.html: {built.written} files written, {built.kept} were right already.")
    if strict and any(finding.level == "error" for finding in findings):
        raise SystemExit(1)


def address(url: str, repository: str = "") -> str:
    """Where the pages will stand, with a slash at its end; empty where nobody said. Raises UsageError."""

    from argue_bench.pages.safe import link

    url = url.strip()
    if not url and source(repository):
        owner, _, name = repository.partition("/")
        host = f"{owner.lower()}.github.io"
        url = f"https://{host}/" if name.lower() == host else f"https://{host}/{name}/"
    if url and (not link(url) or "?" in url or "#" in url):
        raise UsageError(
            f"{url!r} is no address of a site: write https://HOST/ or https://HOST/PATH/"
        )
    return url if not url or url.endswith("/") else f"{url}/"


def source(repository: str) -> str:
    """The address of a board's repository on GitHub; empty where nobody said. Raises UsageError."""

    if repository and not re.fullmatch(r"[A-Za-z0-9-]+/[A-Za-z0-9._-]+", repository):
        raise UsageError(f"{repository!r} is no repository: write OWNER/NAME")
    return f"https://github.com/{repository}" if repository else ""


def build_site(
    folder: Path, out: Path, url: str = "", repository: str = ""
) -> tuple[Built, list[Finding]]:
    """Reads a folder of submissions and results, and writes its pages under ``out``.

    ``repository`` is the address of the board's own. Returns what was left out, as findings.
    Raises DataError (no such folder), UsageError.
    """
    from argue_bench.cli.site.runs import with_runs
    from argue_bench.leaderboard.formats.results import now
    from argue_bench.leaderboard.publishing.assemble import left_out
    from argue_bench.pages.build import build_pages as write
    from argue_bench.pages.inputs import Site
    from argue_bench.pages.judges import read_injection_reports

    if not folder.is_dir():
        hint = "Name the folder that holds results/ and metadata/."
        raise DataError.of(Code.NO_SUCH_FOLDER, "there is no such folder", folder, hint=hint)
    findings: list[Finding] = left_out(folder)
    seasons, views = [], []
    keys = _keys(folder, findings)
    declared = _declared(folder, findings)
    ledger = tuple(_ledger(folder, findings))
    for season in _seasons(folder, declared, keys, _runs(ledger), findings):
        dataset = _dataset(folder, season, findings)
        published = _bands_file(folder / "results" / season.season / BANDS, keys, findings)
        told, shown = with_runs(season, folder, dataset, published, findings)
        seasons.append(told)
        views += shown
    site = Site(
        seasons=tuple(seasons),
        title=(declared.title if declared else "") or Site.title,
        url=url,
        repository=repository,
        today=now()[:10],
        ledger=ledger,
        queue=_queue(folder, findings),
        changelog=_changelog(folder),
        judges=read_injection_reports(folder, findings),
        findings=tuple(str(f) for f in findings if f.level == "error"),
    )
    return write(site, out, views), findings


def _dataset(folder: Path, season: BoardSeason, findings: list[Finding]) -> Dataset | None:
    """The set of a season that has run files: what their reports are shown with."""
    from argue_bench.cli.site.runs import run_files
    from argue_bench.leaderboard.formats.season import read_season

    if not run_files(folder, season.season):
        return None
    try:
        declared = read_season(folder)
        return declared.load() if declared and declared.season == season.season else None
    except ArgueBenchError as error:
        why = f"the set of {season.season} can't be loaded, so its reports are not shown: {error}"
        findings.append(Finding(Code.NO_SET, why, str(folder / "season.json"), level="warning"))
        return None


def _declared(folder: Path, findings: list[Finding]) -> Declared | None:
    """The folder's season; None where it can't be read."""

    from argue_bench.leaderboard.formats.season import read_season

    try:
        return read_season(folder)
    except DataError as error:
        findings += error.findings
        return None


def _seasons(
    folder: Path, declared: Declared | None, keys: Keys | None, runs: Runs, findings: list[Finding]
) -> Iterator[BoardSeason]:
    """The declared season first, then others that have results, newest name first.

    One that season.json declares is there before it has any result.
    """
    from argue_bench.leaderboard.formats.names import is_season
    from argue_bench.leaderboard.formats.season import FILE

    names = []
    results = folder / "results"
    if results.is_dir():
        names = [path.name for path in results.iterdir() if path.is_dir() and is_season(path.name)]
    names.sort(reverse=True)
    if declared is not None:
        names = [declared.season, *(name for name in names if name != declared.season)]
    metadata = _metadata(folder, findings)
    for place, name in enumerate(names):
        entries = tuple(_entries(results / name, metadata, keys, runs, findings))
        if entries or (place == 0 and declared is not None and (folder / FILE).is_file()):
            yield _season(name, declared, entries)


def _season(name: str, declared: Declared | None, entries: tuple[SystemResult, ...]) -> BoardSeason:
    from argue_bench.pages.inputs import BoardSeason

    if declared is None or declared.season != name:
        return BoardSeason(name, entries)
    return BoardSeason(
        name,
        entries,
        declared.title,
        declared.group,
        declared.set_name,
        declared.split,
        declared.settings,
        declared.metrics,
        declared.judge,
        declared.ranked,
    )


def _entries(
    folder: Path,
    metadata: Mapping[str, Mapping[str, Any]],
    keys: Keys | None,
    runs: Runs,
    findings: list[Finding],
) -> Iterator[SystemResult]:
    """Every result of a season that can be read; what can't be becomes a finding."""

    from argue_bench.leaderboard.formats.results import read_result
    from argue_bench.pages.inputs import SystemResult

    for path in sorted(folder.glob("*.json")):
        if path.name == BANDS:
            continue
        try:
            result = read_result(path)
        except DataError as error:
            findings += error.findings
            continue
        seal, key = _seal(path, keys)
        if seal == "broken":
            why = f"its signature does not hold: {key}; the result was left out"
            findings.append(Finding(Code.RESULT_SEAL, why, str(path)))
            continue
        foreign = keys is not None and seal == "unsigned" and not result.group
        yield SystemResult(
            result.system,
            {
                name: {"signature": one.signature, "scores": one.scores}
                for name, one in result.settings.items()
            },
            metadata.get(result.system),
            result.submission,
            result.gold_digest,
            result.author,
            result.commit,
            FOREIGN if foreign else result.group,
            result.created,
            seal,
            key,
            runs.get((folder.name, result.author)),
        )


def _keys(folder: Path, findings: list[Finding]) -> Keys | None:
    """The public keys of a board that signs; None where it has none, or nothing can read them."""

    from argue_bench.leaderboard.signing.keys import read_keys

    if not (folder / "keys").is_dir():
        return None
    try:
        keys = read_keys(folder)
    except DataError as error:
        findings += error.findings
        return None
    except MissingExtra as missing:
        why = f"signatures were not checked: {missing}"
        findings.append(Finding(Code.NOT_CHECKED, why, str(folder / "keys"), level="warning"))
        return None
    return keys if keys.active or keys.retired else None


def _seal(path: Path, keys: Keys | None) -> tuple[Any, str]:
    """verified with the key's id, unsigned, unchecked, or broken with the reason."""

    signature = path.with_name(f"{path.name}.sig")
    if not signature.is_file():
        return "unsigned", ""
    if keys is None:
        return "unchecked", ""
    from argue_bench.leaderboard.signing.keys import verify_signature

    with signature.open("rb") as file:
        given = file.read(1_000)
    try:
        return "verified", verify_signature(path.read_bytes(), given, keys)
    except SealError as error:
        return "broken", str(error)


def _bands_file(path: Path, keys: Keys | None, findings: list[Finding]) -> Path | None:
    """The bands of a hidden split; a board with keys believes only those that it signed."""

    if not path.is_file():
        return None
    seal, why = _seal(path, keys)
    if seal == "broken" or (seal == "unsigned" and keys is not None):
        why = f"its signature does not hold: {why}" if why else "it is not signed"
        findings.append(Finding(Code.BANDS_SEAL, f"{why}; no bands are shown", str(path)))
        return None
    return path


def _metadata(folder: Path, findings: list[Finding]) -> dict[str, dict[str, Any]]:
    """System to what its metadata file holds; pages take from it what is of the right form."""

    from argue_bench.leaderboard.formats.metadata import LIMITS, read_metadata
    from argue_bench.records.untrusted import read_json

    found: dict[str, dict[str, Any]] = {}
    for path in sorted((folder / "metadata").glob("*.json")):
        try:
            value = read_json(path, LIMITS)
        except DataError as error:
            findings += error.findings
            continue
        if isinstance(value, dict):
            found[path.stem] = value
            wrong = [f for f in read_metadata(path, str(path), path.stem)[1] if f.level == "error"]
            findings += [
                Finding(f.code, f.message, f.file, f.line, f.path, f.hint, "warning") for f in wrong
            ]
        else:
            findings.append(Finding(Code.METADATA_SHAPE, "this is no JSON object", str(path)))
    return found


def _ledger(folder: Path, findings: list[Finding]) -> Iterator[Mapping[str, Any]]:
    """Every event that can be read; where the chain does not hold, that is a finding."""

    from argue_bench.leaderboard.formats.ledger import read_ledger
    from argue_bench.records.untrusted import read_lines

    path = folder / "results" / "ledger.jsonl"
    if not path.is_file():
        return
    try:
        read_ledger(path.read_bytes(), str(path))
    except DataError as error:
        findings += error.findings
    for line in read_lines(path):
        if isinstance(line.value, dict):
            yield line.value


def _runs(ledger: Iterable[Mapping[str, Any]]) -> Runs:
    """How many runs of each author were scored in each season, told or not."""
    from argue_bench.leaderboard.formats.layout import RUNS

    found: dict[tuple[str, str | None], int] = {}
    for line in ledger:
        season, author = line.get("season"), line.get("author")
        if line.get("event") in RUNS and isinstance(season, str) and isinstance(author, str):
            found[season, author] = found.get((season, author), 0) + 1
    return found


def _queue(folder: Path, findings: list[Finding]) -> tuple[Mapping[str, Any], ...] | None:
    """What waits to be scored: a list of objects in ``results/queue.json``; None where there is none."""

    from argue_bench.records.untrusted import DEFAULT_LIMITS, read_json

    path = folder / "results" / "queue.json"
    if not path.is_file():
        return None
    try:
        value = read_json(path, DEFAULT_LIMITS)
    except DataError as error:
        findings += error.findings
        return None
    if isinstance(value, list) and all(isinstance(row, dict) for row in value):
        return tuple(value)
    findings.append(Finding(Code.QUEUE_SHAPE, "this is no list of objects", str(path)))
    return None


def _changelog(folder: Path) -> str:
    """The changelog of the repository that the folder lies in, as far as it is text."""
    path = folder.absolute().parent / "CHANGELOG.md"
    if not path.is_file():
        return ""
    with path.open("rb") as file:
        return file.read(40_000).decode("utf-8", "replace")
