"""A season whose job fetches the pages that answers cite: the workflow's own lines and a real web server."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import Result

from argue_bench.errors import DataError
from argue_bench.leaderboard.formats.season import Season
from argue_bench.leaderboard.intake import cited_pages
from argue_bench.leaderboard.scoring.web_pages import GivenSnapshot, check_snapshot
from argue_bench.sources.snapshot import PageRecord, Snapshot, text_digest, write_snapshot
from tests.hostile.test_end_to_end import RESULTS, Platform
from tests.leaderboard.repositories import ROOT as BOARD
from tests.leaderboard.repositories import SEASON, SIGNING, Repository, git
from tests.leaderboard.steps import Steps, codes, command, with_secrets
from tests.sources.web_server import WebServer, web_server

RANKED = "citations.f1"
ALL = {"intake": True, "fetch": True, "score": True, "publish": True}


@pytest.fixture(scope="module")
def server() -> Iterator[WebServer]:
    with web_server() as running:
        yield running


@pytest.fixture
def citing(repository: Repository) -> Repository:
    """The board with a season that fetches what answers cite, and ranks by whether the pages say it."""
    path = repository.folder / "season.json"
    season = json.loads(path.read_bytes())
    season |= {"sources": "fetched", "metrics": ["citations"], "ranked": RANKED}
    path.write_text(json.dumps(season))
    repository.merge(repository.commit({f"{BOARD}/season.json": path.read_bytes()}))
    return repository


@pytest.fixture
def platform(citing: Repository, tmp_path: Path) -> Platform:
    secrets = {"ANSWERS_KEY": citing.key, "SIGNING_KEY": SIGNING, "JUDGE_API_KEY": ""}
    return Platform(citing, tmp_path / "platform", secrets)


def saying(repository: Repository, address: str, says: str = "") -> str:
    says = says or f"The Harlow Bridge opened to traffic on 4 May 1931 [1].\n\n[1]: {address}"
    return repository.answers(says)


@pytest.mark.slow
def test_pages_are_fetched_in_a_job_of_their_own_and_the_scoring_asks_none(
    platform: Platform, server: WebServer
) -> None:
    repository = platform.repository
    server.asked.clear()
    first = repository.send(
        "my-system", answers=saying(repository, f"{server.address}/page"), author="1001"
    )
    assert platform.run("submission-score.yml", first) == ALL, platform.log
    assert server.asked == {"127.0.0.1/robots.txt": 1, "127.0.0.1/page": 1}
    assert "**Scored. The row appears when the pull request is merged.**" in platform.posted[-1]
    other = repository.send(
        "other", answers=saying(repository, f"{server.address}/missing"), author="2002"
    )
    assert platform.run("submission-score.yml", other) == ALL, platform.log
    digests = [Snapshot(one).digest for one in sorted(platform.folder.glob("artifacts/*-pages"))]
    assert len(set(digests)) == 2
    values = {}
    for system, digest in zip(("my-system", "other"), digests, strict=True):
        value = json.loads(repository.at(RESULTS, f"results/{SEASON}/{system}.json"))
        setting = value["settings"]["openbook"]
        assert setting["signature"]["citations"]["sources"].endswith(f" sha256:{digest}")
        values[system] = setting["scores"][RANKED]["value"]
    assert values == {"my-system": 1.0, "other": 0.0}
    bands = json.loads(repository.at(RESULTS, f"results/{SEASON}/bands.json"))
    rows = bands["settings"]["openbook"]["systems"]
    assert [row["system"] for row in rows] == ["my-system", "other"]
    merged = {}
    for system, page in (("my-system", "page"), ("other", "missing")):
        merged |= repository.entry(system, saying(repository, f"{server.address}/{page}"))
    repository.merge(repository.commit(merged))
    assert platform.run("site.yml", first)["build"], platform.log
    site = next(platform.folder.glob("runner-*-build/site"))
    board = json.loads((site / f"data/v1/board/{SEASON}/openbook.json").read_bytes())
    (section,) = board["sections"]  # though their pages are others
    assert [row["system"] for row in section["rows"]] == ["my-system", "other"]


@pytest.fixture
def way(
    citing: Repository, server: WebServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., Steps]:
    """A pull request on its way, its bundle taken; ``says`` is what it answers everywhere."""
    with_secrets(monkeypatch, citing)

    def begin(says: str = "", system: str = "my-system", author: str = "1001") -> Steps:
        text = saying(citing, f"{server.address}/page", says)
        steps = Steps(citing, citing.send(system, author, answers=text), tmp_path / system)
        assert steps.intake().endswith("\nfetch=true")
        return steps

    return begin


def fetched(steps: Steps) -> Result:
    digest = json.loads((steps.taken / "intake.json").read_bytes())["digest"]
    return command(
        *("board", "ci", "fetch", "--folder", steps.repository.folder, "--allow-loopback"),
        *("--pause", 0, "--bundle", steps.taken / "bundle", "--expect", digest),
        *("--out", steps.folder / "fetched"),
    )


def scored(steps: Steps, said: str, *options: object) -> Result:
    digest = json.loads((steps.taken / "intake.json").read_bytes())["digest"]
    expect = said.strip().removeprefix("sources=")
    pages = steps.folder / "fetched" / "pages"
    return steps.score(digest, "--sources", pages, "--expect-sources", expect, *options)


def test_a_scoring_without_the_pages_is_no_scoring(way: Callable[..., Steps]) -> None:
    steps = way()
    digest = json.loads((steps.taken / "intake.json").read_bytes())["digest"]
    said = steps.score(digest, "--sources", steps.folder, "--expect-sources", "")
    assert said.exit_code == 2
    assert "name their snapshot, --sources DIR" in said.stderr
    assert not steps.scored.exists()


EDITS: dict[str, Callable[[bytes], bytes]] = {
    "a word": lambda raw: raw.replace(b"4 May 1931", b"4 May 1932"),
    "a state": lambda raw: raw.replace(b'"state":"read"', b'"state":"liked"'),
    "hops that are none": lambda raw: raw.replace(b'"key"', b'"hops":5,"key"', 1),
    "cut short": lambda raw: raw[:-100],
    "a page twice": lambda raw: raw + raw,
    "no JSON": lambda raw: b"\x00\x8b\x08" + raw,
}


@pytest.mark.parametrize("edit", EDITS)
def test_the_line_of_an_edited_snapshot_is_told(tmp_path: Path, edit: str) -> None:
    text = "The Harlow Bridge opened to traffic on 4 May 1931. " * 8
    page = PageRecord("https://a.example/", "https://a.example/", "read", text=text)
    snapshot = write_snapshot(tmp_path, [replace(page, text_sha256=text_digest(text))])
    season, given = Season("s1", "core", sources="fetched"), GivenSnapshot(tmp_path)
    assert check_snapshot(season, given).snapshot == snapshot
    before = snapshot.file.read_bytes()
    snapshot.file.write_bytes(EDITS[edit](before))
    assert snapshot.file.read_bytes() != before
    with pytest.raises(DataError) as raised:
        check_snapshot(season, given)
    assert raised.value.findings[0].line == (2 if edit == "a page twice" else 1)


def test_an_edited_snapshot_is_refused_under_either_digest(way: Callable[..., Steps]) -> None:
    steps = way()
    said = fetched(steps)
    assert said.exit_code == 0, said.stderr
    path = steps.folder / "fetched" / "pages" / "sources.jsonl"
    path.write_bytes(EDITS["a word"](path.read_bytes()))
    assert scored(steps, said.stdout).exit_code == 1
    assert codes(steps.outcome) == ["snapshot"]
    assert "the job that fetches made the snapshot" in steps.outcome["findings"][0][3]
    shutil.rmtree(steps.scored)
    assert scored(steps, Snapshot(path.parent).digest).exit_code == 1
    assert steps.outcome["findings"][0][2].endswith("sources.jsonl:1")
    assert steps.record().exit_code == 0
    assert "no run was used" in steps.comment()


def test_a_submission_that_cites_too_much_is_told_so_and_nothing_is_asked(
    way: Callable[..., Steps], server: WebServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cited_pages, "MOST_CITED", 1)
    steps = way(f"It opened in 1931 ({server.address}/page). It is long ({server.address}/other).")
    server.asked.clear()
    said = fetched(steps)
    assert (said.exit_code, said.stdout) == (1, "")
    assert "code: cited-address" in said.stderr
    assert not server.asked
    shutil.copytree(steps.folder / "fetched", steps.scored)
    assert steps.record().exit_code == 0
    comment = steps.comment()
    assert "cites 2 addresses, more than 1" in comment
    assert "no run was used" in comment


def test_pages_that_are_too_large_together_end_the_fetch(
    way: Callable[..., Steps], server: WebServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps = way(" ".join(f"It opened ({server.address}/page/{n})." for n in range(4)))
    server.asked.clear()
    monkeypatch.setattr(cited_pages, "MOST_SOURCES", 1_500)
    said = fetched(steps)
    assert said.exit_code == 1
    assert "code: too-large" in said.stderr
    assert sum(server.asked.values()) < 4  # robots.txt and two pages
    monkeypatch.undo()


def test_what_is_not_asked_in_time_is_not_looked_up(
    way: Callable[..., Steps], server: WebServer
) -> None:
    steps = way()
    digest = json.loads((steps.taken / "intake.json").read_bytes())["digest"]
    server.asked.clear()
    said = command(
        *("board", "ci", "fetch", "--folder", steps.repository.folder, "--allow-loopback"),
        *("--bundle", steps.taken / "bundle", "--expect", digest, "--minutes", 1e-9),
        *("--out", steps.folder / "fetched"),
    )
    assert said.exit_code == 0
    assert said.stderr.endswith("not_looked_up: 1\n")
    assert not server.asked
    assert scored(steps, said.stdout).exit_code == 0
    assert steps.outcome["state"] == "unchanged"  # nothing could be judged, and that is no 0


@pytest.mark.slow
def test_what_its_own_pages_scored_is_scored_again_by_them(
    way: Callable[..., Steps], tmp_path: Path
) -> None:
    first = way()
    assert scored(first, fetched(first).stdout).exit_code == 0, first.outcome
    assert first.record().exit_code == 0
    repository = first.repository
    for path, content in repository.entry("my-system", first_answers(first)).items():
        place = repository.folder.parent / path
        place.parent.mkdir(exist_ok=True)
        place.write_bytes(content if isinstance(content, bytes) else str(content).encode())
    rescore = (
        *("board", "rescore", repository.folder, "--remote", repository.remote),
        *("--reason", "a new scorer", "--system", "my-system"),
    )
    without = command(*rescore, "--out", tmp_path / "without")
    assert without.exit_code == 1
    assert "my-system: refused [snapshot]" in without.stdout
    kept = command(*rescore, "--sources", first.folder, "--out", tmp_path / "kept")
    assert (kept.exit_code, kept.stdout) == (0, "my-system: scored\n"), kept.stderr
    before, after = (
        json.loads((folder / "results" / SEASON / "my-system.json").read_bytes())["settings"]
        for folder in (first.scored, tmp_path / "kept" / "my-system")
    )
    assert before == after


def first_answers(steps: Steps) -> str:
    place = f"openbook-generations/{steps.outcome['system']}.jsonl"
    return steps.repository.at(steps.request.sha, place).decode()


def test_by_other_pages_the_answers_that_lapsed_are_told_no_lower_score(
    way: Callable[..., Steps],
) -> None:
    """Who writes the pages changes the score of the same answers, so each reply could be any step."""
    first = way()
    said = fetched(first)
    assert scored(first, said.stdout).exit_code == 0, first.outcome
    assert first.outcome["settings"]["openbook"]["value"] == 1.0
    head = f"refs/pull/{first.request.pr}/head"
    git(first.repository.path, "update-ref", head, first.repository.main)
    assert first.record().stderr == "code: head-moved\ncode: lapsed\n"
    for path in (first.taken, first.folder / "fetched", first.scored):
        shutil.rmtree(path)
    again = way()
    assert fetched(again).exit_code == 0
    pages = Snapshot(again.folder / "fetched" / "pages")
    text = "Nothing of a bridge is said here, nor anywhere else. " * 8
    other = [replace(one, text=text, text_sha256=text_digest(text)) for one in pages.records()]
    assert scored(again, write_snapshot(pages.folder, other).digest).exit_code == 0, again.outcome
    assert again.outcome["answers"] == first_digest(again)
    assert again.outcome["settings"]["openbook"]["moved"] is False
    assert again.outcome["runs"] == 2


def first_digest(steps: Steps) -> str:
    """Of the answers, in the ledger's last line."""
    repository = steps.repository
    raw = repository.at(RESULTS, "results/ledger.jsonl")
    return str(json.loads(raw.splitlines()[-1])["answers"])


def test_a_season_with_one_snapshot_for_all_reads_it_beside_its_season_file(
    way: Callable[..., Steps], server: WebServer
) -> None:
    steps = way()
    assert fetched(steps).exit_code == 0
    folder, path = steps.repository.folder, steps.repository.folder / "season.json"
    shutil.copytree(steps.folder / "fetched" / "pages", folder / "sources")
    season = json.loads(path.read_bytes())
    digest = Snapshot(folder / "sources").digest
    path.write_text(json.dumps({**season, "sources": digest}))
    shutil.rmtree(steps.taken)
    assert "fetch" not in steps.intake()
    assert scored(steps, "").exit_code == 0
    result = json.loads((steps.scored / "results" / SEASON / "my-system.json").read_bytes())
    signed = result["settings"]["openbook"]["signature"]["citations"]
    assert signed["sources"] == f"sha256:{digest}"
    path.write_text(json.dumps({**season, "sources": "0" * 64}))
    shutil.rmtree(steps.scored)
    assert scored(steps, "").exit_code == 1
    assert "is scored by the snapshot 0000000000000000" in steps.outcome["findings"][0][3]


def test_a_season_without_web_pages_fetches_none(
    repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_secrets(monkeypatch, repository)
    steps = Steps(repository, repository.send("my-system"), tmp_path / "pr")
    assert "fetch" not in steps.intake()
    said = fetched(steps)
    assert said.exit_code == 2
    assert 'no "sources": "fetched"' in said.stderr
