"""Dated snapshots on the results branch: never changed, held by the ledger, laid into every build."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from argue_bench.errors import SubmissionError
from argue_bench.leaderboard.formats.ledger import Event, append_events, read_ledger
from argue_bench.leaderboard.publishing.record import (
    BoardSnapshot,
    RecordTarget,
    record_events,
    record_snapshot,
)
from argue_bench.records.digests import sha256
from tests.leaderboard.repositories import ROOT, SEASON, Repository, git
from tests.leaderboard.steps import Steps, command, with_secrets

pytestmark = pytest.mark.slow

RESULTS = "leaderboard-results"
BOARD_FILE = f"board/{SEASON}/openbook.json"


def on(monkeypatch: pytest.MonkeyPatch, day: str) -> None:
    noon = datetime.fromisoformat(f"{day}T12:00:00").replace(tzinfo=UTC)
    monkeypatch.setenv("SOURCE_DATE_EPOCH", str(int(noon.timestamp())))


def fetched(there: Repository, out: Path) -> Path:
    """The board as the site sees it, from a checkout of main."""
    main = out.with_name(f"{out.name}-main")
    git(out.parent, "clone", "--quiet", "--branch", "main", str(there.path), str(main))
    said = command("board", "fetch", main / ROOT, "--remote", there.remote, "--out", out)
    assert said.exit_code == 0, said.stderr
    return out


def archive(there: Repository, out: Path) -> str:
    said = command("board", "archive", fetched(there, out), "--remote", there.remote)
    assert said.exit_code == 0, said.stderr
    return said.stdout


def merge(there: Repository, system: str) -> None:
    there.merge(there.commit(there.entry(system)))


def copied(there: Repository, folder: Path) -> Repository:
    shutil.copytree(there.path.parent, folder)
    trusted = folder / there.folder.relative_to(there.path.parent)
    return replace(there, path=folder / there.path.name, folder=trusted)


@pytest.fixture(scope="module")
def archived(pristine: Repository, tmp_path_factory: pytest.TempPathFactory) -> Repository:
    """A board with a row, archived; a day later one with two, archived too."""
    folder = tmp_path_factory.mktemp("archived")
    there = copied(pristine, folder / "board")
    with pytest.MonkeyPatch.context() as patch:
        with_secrets(patch, there)
        on(patch, "2027-03-01")
        Steps(there, there.send("my-system"), folder / "one").whole()
        assert "no row is shown yet" in archive(there, folder / "unmerged")
        merge(there, "my-system")
        assert "archive/2027-03-01, 2 files" in archive(there, folder / "first")
        on(patch, "2027-03-02")
        assert "nothing has changed since 2027-03-01" in archive(there, folder / "same")
        Steps(there, there.send("other", "2002"), folder / "other").whole()
        merge(there, "other")
        assert "archive/2027-03-02, 2 files" in archive(there, folder / "second")
    return there


@pytest.fixture
def two_days(archived: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repository:
    """A copy of that board which a test may change, on its second day."""
    on(monkeypatch, "2027-03-02")
    return copied(archived, tmp_path / "board")


def test_a_build_lays_every_snapshot_as_it_was(two_days: Repository, tmp_path: Path) -> None:
    there = two_days
    # What lies on main is no snapshot, whoever merged it.
    there.merge(there.commit({f"{ROOT}/archive/2020-01-01/index.json": "{}"}))
    board, site = fetched(there, tmp_path / "shown"), tmp_path / "site"
    said = command("board", "verify", board)
    assert said.exit_code == 0, said.stdout
    assert command("site", "build", board, "--out", site).exit_code == 0
    assert sorted(p.name for p in (site / "archive").iterdir()) == ["2027-03-01", "2027-03-02"]
    rows = {}
    for day in ("2027-03-01", "2027-03-02"):
        index, file = f"archive/{day}/index.json", f"archive/{day}/{BOARD_FILE}"
        for path in (index, file):
            assert (site / path).read_bytes() == there.at(RESULTS, path)
        # Whoever cites a snapshot holds the digest of what was there.
        digest = hashlib.sha256((site / index).read_bytes()).hexdigest()
        assert (site / "data.html").read_text("utf-8").count(f"SHA-256 {digest}") == 2
        value = json.loads((site / file).read_text("utf-8"))
        rows[day] = [row["system"] for section in value["sections"] for row in section["rows"]]
    assert rows["2027-03-01"] == ["my-system"]
    assert sorted(rows["2027-03-02"]) == ["my-system", "other"]
    assert 'href="archive/2027-03-01/index.json"' in (site / "data.html").read_text("utf-8")
    before = there.at(RESULTS, f"archive/2027-03-02/{BOARD_FILE}")
    hide = ("board", "ledger", "--remote", there.remote, "--season", SEASON)
    hide = (*hide, "--system", "other", "--add", "hidden", "--reason", "asked for")
    assert command(*hide).exit_code == 0
    assert "there is a snapshot of 2027-03-02" in archive(there, tmp_path / "again")
    assert there.at(RESULTS, f"archive/2027-03-02/{BOARD_FILE}") == before


def test_a_day_that_shows_what_was_removed_may_go_as_a_whole(
    two_days: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    there = two_days
    paths = git(there.path, "ls-tree", "-r", "--name-only", RESULTS).splitlines()
    day = f"{ROOT}/archive/2027-03-02/"
    gone = there.commit({path: None for path in paths if path.startswith(day)}, RESULTS)
    git(there.path, "update-ref", f"refs/heads/{RESULTS}", gone)
    assert command("board", "verify", fetched(there, tmp_path / "silent")).exit_code == 1
    remove = ("board", "ledger", "--remote", there.remote, "--season", SEASON)
    said = command(*remove, "--system", "other", "--add", "removed", "--reason", "personal data")
    assert said.exit_code == 0, said.stderr
    said = command("board", "verify", fetched(there, tmp_path / "told"))
    assert said.exit_code == 0, said.stdout
    assert "archive/2027-03-02/index.json: warning: it is not there" in said.stdout
    with_secrets(monkeypatch, there)
    Steps(there, there.send("third", "3003"), tmp_path / "third").whole()
    merge(there, "third")
    assert "there is a snapshot of 2027-03-02" in archive(there, tmp_path / "anew")


def changed(board: Path) -> None:
    path = board / "archive/2027-03-01" / BOARD_FILE
    path.write_bytes(path.read_bytes().replace(b'"value":0.0', b'"value":0.9'))


def index_changed(board: Path) -> None:
    path = board / "archive/2027-03-01/index.json"
    path.write_bytes(path.read_bytes().replace(b"2027-03-01", b"2027-03-03"))


def named_again(board: Path) -> None:
    """A changed snapshot, with an index and an event that say so: the first event of a day stands."""
    changed(board)
    day = board / "archive/2027-03-01"
    files = {p.relative_to(day).as_posix(): p.read_bytes() for p in day.glob("board/*/*")}
    index = BoardSnapshot("2027-03-01", "Toy", files).index
    (day / "index.json").write_bytes(index)
    ledger = board / "results/ledger.jsonl"
    event = Event("archived", "2027-03-01T13:00:00Z", SEASON, digest=sha256(index))
    ledger.write_bytes(append_events(ledger.read_bytes(), [event]))


def one_gone(board: Path) -> None:
    (board / "archive/2027-03-02" / BOARD_FILE).unlink()


def all_gone(board: Path) -> None:
    (board / "archive").rename(board / "elsewhere")


def one_more(board: Path) -> None:
    (board / "archive/2027-03-02/more.json").write_text("{}")


def a_day_more(board: Path) -> None:
    (board / "archive/2027-03-03").mkdir()
    (board / "archive/2027-03-03/index.json").write_text('{"files": {}}')


def a_link(board: Path) -> None:
    path = board / "archive/2027-03-02" / BOARD_FILE
    path.rename(board / "same.json")
    path.symlink_to(board / "same.json")


TOUCHED: dict[Callable[[Path], None], list[str]] = {
    changed: [f"2027-03-01/{BOARD_FILE}: it is not the file"],
    index_changed: ["2027-03-01/index.json: it is not the file"],
    named_again: ["2027-03-01/index.json: it is not the file"],
    one_gone: [f"2027-03-02/{BOARD_FILE}: it is not there"],
    all_gone: ["2027-03-01/index.json: it is not there", "2027-03-02/index.json: it is not there"],
    one_more: ["2027-03-02/more.json: the ledger tells of no such file"],
    a_day_more: ["2027-03-03/index.json: the ledger tells of no such file"],
    a_link: [f"2027-03-02/{BOARD_FILE}: it is not the file"],
}


def test_a_touched_snapshot_is_found(two_days: Repository, tmp_path: Path) -> None:
    whole = fetched(two_days, tmp_path / "whole")
    for touch, told in TOUCHED.items():
        board = shutil.copytree(whole, tmp_path / touch.__name__)
        touch(board)
        said = command("board", "verify", board)
        assert said.exit_code == 1, touch
        found = [line for line in said.stdout.splitlines() if "[other-digest]" in line]
        assert len(found) == len(told), said.stdout
        for line, start in zip(found, told, strict=True):
            assert line.startswith(f"archive/{start}")


def test_no_step_writes_over_a_snapshot(two_days: Repository, tmp_path: Path) -> None:
    """Another job may archive the day between a fetch and its record."""
    there, target = two_days, RecordTarget(two_days.remote)
    tip = git(there.path, "rev-parse", RESULTS)
    late = BoardSnapshot("2027-03-02", "Other", {BOARD_FILE: b"{}"})
    date = "2027-03-02T13:00:00Z"
    assert record_snapshot(late, SEASON, date, target) is None
    with pytest.raises(SubmissionError) as caught:
        record_events(
            target, [Event("note", date, SEASON)], {"archive/2027-03-01/more.json": b"{}"}
        )
    assert [one.code for one in caught.value.findings] == ["archive-there"]
    by_hand = ("board", "ledger", "--remote", there.remote, "--season", SEASON)
    said = command(*by_hand, "--add", "archived", "--reason", "x")
    assert said.exit_code == 2
    assert "`board archive`" in said.stderr
    assert git(there.path, "rev-parse", RESULTS) == tip
    events = read_ledger(there.at(RESULTS, "results/ledger.jsonl"))
    assert [e.event for e in events] == ["scored", "archived", "scored", "archived"]
