"""A season that pins a crawl: a job takes what a submission cites out of it, and scoring reads that."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

from argue_bench.errors import DataError
from argue_bench.leaderboard.formats.season import Season, SetEntry
from argue_bench.leaderboard.intake import cited_pages
from argue_bench.leaderboard.scoring.web_pages import check_snapshot
from argue_bench.web.snapshot import PageRecord, Snapshot, text_digest, write_snapshot
from tests.hostile.test_end_to_end import RESULTS, Platform
from tests.leaderboard.repositories import ROOT as BOARD
from tests.leaderboard.repositories import SEASON, SIGNING, Repository
from tests.leaderboard.steps import Steps, codes, command, with_secrets

RANKED = "citations.f1"
ALL = {"intake": True, "fetch": True, "score": True, "publish": True}
PAGE = "https://a.example/page"
OTHER = "https://c.example/other"
"""A page of the crawl that says nothing of the bridge."""
TEXT = "The Harlow Bridge opened to traffic on 4 May 1931. " * 8


def page(url: str, text: str = TEXT) -> PageRecord:
    return PageRecord(url, url, "read", text=text, text_sha256=text_digest(text))


@pytest.fixture
def citing(repository: Repository) -> Repository:
    """The board with a season that pins a crawl, and ranks by whether its pages say what cites them."""
    crawl = write_snapshot(
        repository.folder / "sources",
        [page(PAGE), page("https://b.example/never-cited"), page(OTHER, "The mill is red. " * 20)],
    )
    path = repository.folder / "season.json"
    season = json.loads(path.read_bytes())
    season |= {"sources": crawl.digest, "metrics": ["citations"], "ranked": RANKED}
    path.write_text(json.dumps(season))
    files = {f"{BOARD}/season.json": path.read_bytes()}
    files[f"{BOARD}/sources/sources.jsonl"] = crawl.file.read_bytes()
    repository.merge(repository.commit(files))
    return repository


def saying(repository: Repository, address: str, says: str = "") -> str:
    says = says or f"The Harlow Bridge opened to traffic on 4 May 1931 [1].\n\n[1]: {address}"
    return repository.answers(says)


@pytest.mark.slow
def test_cited_pages_are_taken_from_the_crawl_in_a_job_of_their_own(
    citing: Repository, tmp_path: Path
) -> None:
    secrets = {"ANSWERS_KEY": citing.key, "SIGNING_KEY": SIGNING, "JUDGE_API_KEY": ""}
    platform = Platform(citing, tmp_path / "platform", secrets)
    values = {}
    for system, address in (("my-system", PAGE), ("other", OTHER)):
        request = citing.send(system, answers=saying(citing, address), author=system)
        assert platform.run("submission-score.yml", request) == ALL, platform.log
        value = json.loads(citing.at(RESULTS, f"results/{SEASON}/{system}.json"))
        setting = value["settings"]["openbook"]
        crawl = Snapshot(citing.folder / "sources").digest
        assert setting["signature"]["citations"]["sources"] == f"sha256:{crawl}"
        values[system] = setting["scores"][RANKED]["value"]
    assert values == {"my-system": 1.0, "other": 0.0}
    bands = json.loads(citing.at(RESULTS, f"results/{SEASON}/bands.json"))
    rows = bands["settings"]["openbook"]["systems"]
    assert [row["system"] for row in rows] == ["my-system", "other"]


@pytest.fixture
def way(
    citing: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., Steps]:
    """A pull request on its way, its bundle taken; ``says`` is what it answers everywhere."""
    with_secrets(monkeypatch, citing)

    def begin(says: str = "") -> Steps:
        text = saying(citing, PAGE, says)
        steps = Steps(citing, citing.send("my-system", "1001", answers=text), tmp_path / "pr")
        assert steps.intake().endswith("\nfetch=true")
        return steps

    return begin


def fetched(steps: Steps) -> Result:
    digest = json.loads((steps.taken / "intake.json").read_bytes())["digest"]
    return command(
        *("board", "ci", "fetch", "--folder", steps.repository.folder),
        *("--bundle", steps.taken / "bundle", "--expect", digest),
        *("--out", steps.folder / "fetched"),
    )


def scored(steps: Steps, said: str, *options: object) -> Result:
    digest = json.loads((steps.taken / "intake.json").read_bytes())["digest"]
    expect = said.strip().removeprefix("sources=")
    pages = steps.folder / "fetched" / "pages"
    return steps.score(digest, "--sources", pages, "--expect-sources", expect, *options)


def test_what_is_cited_is_taken_and_another_crawl_is_refused(way: Callable[..., Steps]) -> None:
    steps = way()
    said = fetched(steps)
    assert said.exit_code == 0, said.stderr
    taken = Snapshot(steps.folder / "fetched" / "pages")
    assert [one.url for one in taken.records()] == [PAGE]
    assert said.stdout == f"sources={taken.digest}\n"
    assert scored(steps, said.stdout).exit_code == 0, steps.outcome
    assert steps.outcome["settings"]["openbook"]["value"] == 1.0
    shutil.rmtree(steps.folder / "fetched")
    write_snapshot(steps.repository.folder / "sources", [page(PAGE, "Another text.")])
    assert fetched(steps).stderr == "code: wrong-shape\n"
    assert json.loads((steps.folder / "fetched" / "fetch.json").read_bytes())["state"] == "refused"


def test_without_a_job_that_takes_pages_the_whole_crawl_is_read(way: Callable[..., Steps]) -> None:
    steps = way()
    assert scored(steps, "").exit_code == 0
    assert steps.outcome["settings"]["openbook"]["value"] == 1.0
    shutil.rmtree(steps.repository.folder / "sources")
    shutil.rmtree(steps.scored)
    said = scored(steps, "")
    assert said.exit_code == 2
    assert "name their snapshot, --sources DIR" in said.stderr


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
    snapshot = write_snapshot(tmp_path, [page("https://a.example/")])
    season = Season("s1", SetEntry("core"))
    assert check_snapshot(season, tmp_path).snapshot == snapshot
    before = snapshot.file.read_bytes()
    snapshot.file.write_bytes(EDITS[edit](before))
    assert snapshot.file.read_bytes() != before
    with pytest.raises(DataError) as raised:
        check_snapshot(season, tmp_path)
    assert raised.value.findings[0].line == (2 if edit == "a page twice" else 1)


def test_an_edited_snapshot_is_refused_under_either_digest(way: Callable[..., Steps]) -> None:
    steps = way()
    said = fetched(steps)
    assert said.exit_code == 0, said.stderr
    path = steps.folder / "fetched" / "pages" / "sources.jsonl"
    path.write_bytes(EDITS["a word"](path.read_bytes()))
    assert scored(steps, said.stdout).exit_code == 1
    assert codes(steps.outcome) == ["wrong-shape"]
    assert "expected was the snapshot" in steps.outcome["findings"][0][3]
    shutil.rmtree(steps.scored)
    assert scored(steps, Snapshot(path.parent).digest).exit_code == 1
    assert steps.outcome["findings"][0][2].endswith("sources.jsonl:1")
    assert steps.record().exit_code == 0
    assert "no run was used" in steps.comment()


def test_a_submission_that_cites_too_much_is_told_so(
    way: Callable[..., Steps], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cited_pages, "MOST_CITED", 1)
    steps = way(f"It opened in 1931 ({PAGE}). It is long (https://a.example/other).")
    said = fetched(steps)
    assert (said.exit_code, said.stdout) == (1, "")
    assert "code: cited-address" in said.stderr
    shutil.copytree(steps.folder / "fetched", steps.scored)
    assert steps.record().exit_code == 0
    comment = steps.comment()
    assert "cites 2 addresses, more than 1" in comment
    assert "no run was used" in comment


def test_a_season_without_web_pages_takes_none(
    repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_secrets(monkeypatch, repository)
    steps = Steps(repository, repository.send("my-system"), tmp_path / "pr")
    assert "fetch" not in steps.intake()
    said = fetched(steps)
    assert said.exit_code == 2
    assert 'no "sources"' in said.stderr
