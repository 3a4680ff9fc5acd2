"""Attacks by somebody who knows the code: scores for no run, gold from what is told, others' places."""

from __future__ import annotations

import json
import multiprocessing
import os
import re
import subprocess
from dataclasses import replace
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from argue_bench.baselines import generate
from argue_bench.errors import SubmissionError
from argue_bench.eval import signature
from argue_bench.leaderboard.formats.bundle import Bundle, read_bundle
from argue_bench.leaderboard.formats.git_objects import open_objects
from argue_bench.leaderboard.formats.ledger import (
    Event,
    hidden_systems,
    read_ledger,
    runs_of,
    told_scores,
)
from argue_bench.leaderboard.formats.season import read_season
from argue_bench.leaderboard.intake import others, pull_request
from argue_bench.leaderboard.intake.entries import MergedEntries
from argue_bench.leaderboard.intake.pull_request import receive_pull_request
from argue_bench.leaderboard.publishing.assemble import assemble_board
from argue_bench.leaderboard.publishing.record import RecordTarget, record_events
from argue_bench.leaderboard.scoring import hidden_scoring
from argue_bench.leaderboard.scoring.results_branch import RankedColumns, open_tallies, seal_tallies
from argue_bench.leaderboard.signing.keys import read_keys
from argue_bench.loaders import load
from argue_bench.loaders.dataset import Dataset
from argue_bench.stats.averages import Column
from tests.leaderboard.conftest import Start
from tests.leaderboard.repositories import QUOTA, ROOT, SEASON, Repository, git
from tests.leaderboard.steps import Steps, codes, command

pytestmark = pytest.mark.slow

RESULTS = "leaderboard-results"


@pytest.fixture(scope="module")
def dev() -> Dataset:
    return load("core", "dev")


def ledger(repository: Repository) -> list[Event]:
    return read_ledger(repository.at(RESULTS, "results/ledger.jsonl"))


def move_head(one: Steps) -> None:
    after = one.repository.commit(one.repository.entry("my-system", one.repository.answers("No.")))
    git(one.repository.path, "update-ref", f"refs/pull/{one.request.pr}/head", after)


# A score for no run: the outcome is told before it is recorded, and its sender can spoil the record.


def test_a_head_that_is_moved_after_the_score_was_told_costs_the_run(start: Start) -> None:
    for number in range(QUOTA):
        one = start(f"system-{number}")
        one.score(one.intake())
        move_head(one)
        assert one.record().stderr == "code: head-moved\ncode: lapsed\n"
        comment = one.comment()
        assert "Not recorded" in comment
        assert "`lapsed`" in comment
        assert "0.0 |" not in comment
        assert one.record().exit_code == 1  # asked for again it is counted once
    assert [(e.event, e.reason, e.scores) for e in ledger(one.repository)] == [
        ("expired", "head-moved", {"openbook": 0.0}),
        # Under another name, but the same answers: the same score is no news.
        ("expired", "head-moved", {"openbook": 0.0}),
    ]
    last = start("one-more")
    last.score(last.intake())
    assert codes(last.outcome) == ["quota"]


def test_the_answers_that_lapsed_can_still_get_their_row_and_no_weaker_ones(start: Start) -> None:
    """The run is spent and its score was told: the same again is no news, and anything else must climb."""
    quoting = "".join(
        json.dumps(one) + "\n"
        for one in generate(
            "bm25-extractive",
            load("core", "test", start("x").repository.folder / "topics"),
            "openbook",
        )
    )
    one = start(answers=quoting)
    season = one.repository.folder / "season.json"
    season.write_text(
        json.dumps(json.loads(season.read_text()) | {"quota": 9, "step": 5, "bits": None})
    )
    one.score(one.intake())
    told = one.outcome["settings"]["openbook"]["value"]
    move_head(one)
    one.record()
    assert start("weaker").whole()["state"] == "unchanged"
    again = start(answers=quoting).whole()
    assert (again["state"], again["settings"]["openbook"]["value"]) == ("scored", told)
    assert [e.event for e in ledger(one.repository)] == ["expired", "unchanged", "scored"]


def test_a_run_that_lapsed_makes_nobody_an_owner(start: Start) -> None:
    one = start()
    one.score(one.intake())
    move_head(one)
    one.record()
    assert start(author="2002").whole()["state"] == "scored"


def test_a_withdrawal_that_comes_too_late_is_no_run(start: Start) -> None:
    start().whole()
    one = start(status="withdrawn")
    one.score(one.intake())
    assert one.outcome["state"] == "withdrawn"
    move_head(one)
    assert one.record().stderr == "code: head-moved\n"
    assert [e.event for e in ledger(one.repository)] == ["scored"]


def test_an_old_outcome_is_not_recorded_after_a_withdrawal(start: Start, tmp_path: Path) -> None:
    one = start()
    one.whole()
    start(status="withdrawn").whole()
    said = one.record()
    assert said.stderr == "code: already-scored\n"
    assert [e.event for e in ledger(one.repository)] == ["scored", "withdrawn"]


@pytest.mark.parametrize(("told", "said"), [("ranked", []), ("all", ["score-undefined"])])
def test_an_undefined_score_costs_a_run_and_says_no_more_than_no_gain(
    start: Start, told: str, said: list[str]
) -> None:
    one = start()
    season = one.repository.folder / "season.json"
    about = json.loads(season.read_text()) | {"ranked": "argue.citation_support_micro"}
    season.write_text(json.dumps(about | {"told": told, "step": None, "bits": None}))
    outcome = one.whole()
    assert (outcome["state"], codes(outcome)) == ("unchanged", said)
    assert [one["moved"] for one in outcome["settings"].values()] == [False] * (told == "ranked")
    assert [e.event for e in ledger(one.repository)] == ["unchanged"]


def test_a_copy_of_ones_own_in_a_new_pull_request_is_a_run_and_no_news(start: Start) -> None:
    start().whole()
    one = start("another-name")
    assert one.whole()["state"] == "unchanged"
    assert len(ledger(one.repository)) == 2


def test_a_label_set_again_on_one_commit_is_no_run_whatever_was_merged(start: Start) -> None:
    start().whole()
    one = start("another-name")
    assert one.whole()["state"] == "unchanged"
    r = one.repository
    r.merge(r.commit({"README.md": "Another's.\n"}))
    request = replace(one.request, base=git(r.path, "rev-parse", "main"))
    again = Steps(r, request, one.folder.with_name("again"))
    again.score(again.intake())
    assert (again.outcome["state"], codes(again.outcome)) == ("refused", ["already-scored"])


# Gold from what is told: tests/hostile/test_disclosure.py.


def test_the_length_of_sealed_tallies_tells_nothing() -> None:
    def sealed(values: list[float]) -> bytes:
        column = Column(*[__import__("numpy").array(v, dtype=float) for v in (values, [1.0] * 400)])
        return seal_tallies(
            {"openbook": RankedColumns({"n": "400"}, {"x": column})}, "ab" * 32, SEASON, "my-system"
        )

    nothing = sealed([0.0] * 400)
    much = sealed([(n * 0.6180339887) % 1 for n in range(400)])
    assert len(nothing) == len(much)
    opened = open_tallies(much, "ab" * 32, SEASON, "my-system")["openbook"]
    assert opened.columns["x"].numerator[1] == pytest.approx(0.6180339887)


# The places of others and of the board.


def test_what_the_organiser_hides_no_run_brings_back() -> None:
    def left(*events: str) -> set[str]:
        return hidden_systems([Event(e, "2026-01-01T00:00:00Z", "s", "x") for e in events], "s")

    for gone in ("hidden", "removed"):
        for after in ("scored", "unchanged", "re-scored", "expired", "withdrawn"):
            assert left("scored", gone, after) == {"x"}
        assert left("scored", gone, "shown") == set()
    for gone in ("withdrawn", "superseded"):
        assert left("scored", gone) == {"x"}
        assert left("scored", gone, "re-scored") == {"x"}
        assert left("scored", gone, "expired") == {"x"}
        assert left("scored", gone, "scored") == set()
    assert left("scored", "hidden", "withdrawn", "scored") == {"x"}


def test_a_hidden_system_stays_hidden_when_its_maker_sends_it_again(
    start: Start, tmp_path: Path
) -> None:
    one = start()
    one.whole()
    repository = one.repository
    said = command(
        "board ledger",
        remote=repository.remote,
        add="hidden",
        season=SEASON,
        system="my-system",
        reason="copied",
    )
    assert said.exit_code == 0
    start(answers=repository.answers("Again.")).whole()
    out = tmp_path / "shown"
    found = assemble_board(
        repository.folder, repository.remote, RESULTS, read_keys(repository.folder), out
    )
    assert any("ledger says that this row is hidden" in str(finding) for finding in found)
    assert not list(out.glob("results/*/my-system.json"))


def test_bands_of_another_season_are_not_believed(start: Start, tmp_path: Path) -> None:
    one = start()
    one.whole()
    git(tmp_path, "clone", "--quiet", "--branch", RESULTS, str(one.repository.path), "clone")
    board = tmp_path / "clone" / ROOT
    verify = ("board", "verify", board, "--keys", one.repository.folder)
    assert command(*verify).exit_code == 0
    season = board / "results" / SEASON
    other = season.with_name("next")
    other.mkdir()
    for suffix in ("", ".sig"):
        (other / f"bands.json{suffix}").write_bytes((season / f"bands.json{suffix}").read_bytes())
    said = command(*verify)
    assert said.exit_code == 1
    assert "another season" in said.stdout
    for suffix in ("", ".sig"):  # signed as bands are, and no bands
        (other / f"bands.json{suffix}").write_bytes(
            (one.scored / f"score.json{suffix}").read_bytes()
        )
    assert "A bands.json or" in command(*verify).stdout


# Copies and look-alikes.


def said_of(one: Steps, screened: bool = False) -> list[tuple[str, str]]:
    season = read_season(one.repository.folder)
    request = replace(one.request, screened=screened)
    try:
        _, found = receive_pull_request(request, season, season.load())
    except SubmissionError as error:
        found = error.findings
    return [(one.code, one.level) for one in found if one.code in ("held", "bad-name")]


@pytest.mark.parametrize(
    ("system", "name"), [("mine", "V\u0435ter\u0251n"), ("mine", "Veteran!"), ("vetera-n", "Other")]
)
def test_a_row_that_looks_like_anothers_waits_for_a_maintainer(
    start: Start, system: str, name: str
) -> None:
    one = start(system, answers=start().repository.answers("Mine."), name=name)
    assert ("held", "error") in said_of(one)
    assert ("held", "error") not in said_of(one, screened=True)


def looks(one: Steps, open_: dict[int, tuple[str, ...]]) -> list[str]:
    """The systems that a row is told to look like, while these pull requests are open."""
    season = read_season(one.repository.folder)
    request = replace(one.request, open=open_, base=one.repository.main)
    try:
        _, found = receive_pull_request(request, season, season.load())
    except SubmissionError as error:
        found = error.findings
    return [one.message.rpartition(" ")[2] for one in found if "looks like" in one.message]


def test_nobody_stops_an_owner_by_taking_the_display_name(start: Start) -> None:
    """Neither by a row that waits nor by one that a maintainer let in: who asks later is to choose another name."""
    first = start("mine", name="My System")
    first.whole()
    repository = first.repository
    repository.merge(first.request.sha)
    texts = (MILL, BRIDGE, f"{MILL} {BRIDGE}", f"{BRIDGE} {MILL}")
    answers = [*map(repository.answers, texts)]
    better = start("mine", name="My System", answers=answers[0])
    twin = start("twin", author="666", name="My System", answers=answers[1])
    fresh = start("fresh", author="3003", name="My Fresh", answers=answers[2])
    shade = start("shade", author="666", name="My Fresh", answers=answers[3])
    called = start("called", author="666", name="Fresh", answers=answers[3])
    rows = {"mine": "1001", "twin": "666", "fresh": "3003", "shade": "666", "called": "666"}
    pulls = zip((better, twin, fresh, shade, called), rows.items(), strict=True)
    open_ = {one.request.pr: (author, system) for one, (system, author) in pulls}
    assert looks(twin, open_) == ["mine"]
    assert looks(shade, open_) == looks(called, open_) == ["fresh"]
    assert looks(better, open_) == looks(fresh, open_) == []
    repository.merge(twin.request.sha)
    assert looks(better, open_) == []


# Looking past its eyes.


# Two at once, really.


def _record(folder: str, remote: str, pr: int, sha: str, board: str, go: Any) -> None:
    os.environ["GIT_CONFIG_GLOBAL"] = os.devnull
    go.wait()
    said = command("board ci record", outcome=folder, remote=remote, pr=pr, sha=sha, folder=board)
    Path(folder, "said").write_text(f"{said.exit_code}{said.stderr}")


def race(steps: list[Steps]) -> list[str]:
    """All of them recorded at the same moment, each by a process of its own."""
    context = multiprocessing.get_context("spawn")
    go = context.Event()
    runners = [
        context.Process(
            target=_record,
            args=(
                str(one.scored),
                one.request.remote,
                one.request.pr,
                one.request.sha,
                str(one.repository.folder),
                go,
            ),
        )
        for one in steps
    ]
    for runner in runners:
        runner.start()
    go.set()
    for runner in runners:
        runner.join(120)
    return sorted((one.scored / "said").read_text() for one in steps)


def test_four_authors_who_race_all_come_in_and_the_next_scoring_bands_them_all(
    start: Start,
) -> None:
    steps = [start(f"system-{n}", author=f"200{n}") for n in range(4)]
    for one in steps:
        one.score(one.intake())
    assert race(steps) == ["0"] * 4
    repository = steps[0].repository
    assert sorted(e.system for e in ledger(repository)) == [f"system-{n}" for n in range(4)]

    def banded() -> set[str]:
        value = json.loads(repository.at(RESULTS, f"results/{SEASON}/bands.json"))
        return {row["system"] for row in value["settings"]["openbook"]["systems"]}

    # Those of who came first stay: bands that were made without a row do not follow it.
    assert banded() == {ledger(repository)[0].system}
    start("system-4", author="2004").whole()
    assert banded() == {f"system-{n}" for n in range(5)}


def test_a_race_of_another_author_for_the_name_costs_no_run(start: Start) -> None:
    victim, rival = start("wanted", author="1001"), start("wanted", author="2002")
    for one in (victim, rival):
        one.score(one.intake())
    assert rival.record().exit_code == 0
    assert victim.record().stderr == "code: system-taken\n"
    events = ledger(victim.repository)
    assert [(e.event, e.reason) for e in events] == [("scored", ""), ("expired", "system-taken")]
    season = read_season(victim.repository.folder)
    answers = events[-1].answers
    assert runs_of(events, "1001", season.season, answers=answers) == []
    # The same answers under the name that is left are the same answers.
    left = start("left", author="1001")
    assert read_bundle(left.taken / "bundle", left.intake()).answers == answers
    assert told_scores(events, "1001", season.season)[
        "openbook"
    ]  # it was told, so the gate knows it


def taken(one: Steps, open_: dict[int, tuple[str, ...]], **more: Any) -> list[str]:
    """The errors of an intake while these pull requests are open."""
    season = read_season(one.repository.folder)
    try:
        receive_pull_request(replace(one.request, open=open_, **more), season, season.load())
    except SubmissionError as error:
        return [str(found.code) for found in error.findings if found.level == "error"]
    return []


def test_a_name_belongs_to_the_oldest_open_pull_request_whose_branch_has_it(start: Start) -> None:
    victim = start("wanted", author="1001")
    rival = start("wanted", author="2002", answers=victim.repository.answers(MILL))
    both = {1: ("1001", "wanted"), 2: ("2002", "wanted")}
    assert taken(rival, both) == ["system-taken"]
    assert taken(rival, both, screened=True) == ["system-taken"]
    assert taken(victim, both) == []
    # The older one was closed: the name is free again.
    assert taken(rival, {2: ("2002", "wanted")}) == []


def test_the_check_of_a_rivals_file_ends_with_its_time(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the intake of whoever asked for the same name 50 MB took 73 s a setting, and one line without end would stop it."""
    long = start("wanted", author="1001")
    lone = start("wanted", author="2002", answers=long.repository.answers(MILL))
    both = {1: ("1001", "wanted"), 2: ("2002", "wanted")}
    assert taken(lone, both) == ["system-taken"]
    # What does not fit may hold the same answers, and is named.
    monkeypatch.setattr("argue_bench.leaderboard.intake.pull_request.AUTHOR_BYTES", 100)
    said = said_of_copies(lone, {1: ("1001",), 2: ("2002", "wanted")})
    assert any(one.endswith("too long, answers of pull requests 1") for one in said)
    # So is one whose check does not end; it takes no name.
    monkeypatch.setattr(pull_request, "AUTHOR_BYTES", others.AUTHOR_BYTES)
    check = pull_request.check_bundle

    def endless(*given: Any, screened: bool = True) -> Any:
        return check(*given) if screened else re.fullmatch(r"(a+)+b", "a" * 60)

    monkeypatch.setattr(pull_request, "check_bundle", endless)
    monkeypatch.setattr(pull_request, "CHECK_SECONDS", 0.5)
    assert {*taken(lone, both)} == {"held"}
    assert "in time with pull requests 1" in "".join(said_of_copies(lone, both))
    assert taken(lone, both, screened=True) == []


def test_a_fault_in_the_check_of_anothers_file_stops_nobody(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One answer of 14 characters that the reader fell over ended the intake of everybody else in a traceback."""
    broken = start("wanted", author="1001")
    lone = start("wanted", author="2002", answers=broken.repository.answers(MILL))
    check = pull_request.check_bundle

    def falls(*given: Any, screened: bool = True) -> Any:
        return check(*given) if screened else [][0]

    monkeypatch.setattr(pull_request, "check_bundle", falls)
    both = {1: ("1001", "wanted"), 2: ("2002", "wanted")}
    assert taken(lone, both) == ["held"]  # as by any older one that has no sound files
    assert taken(lone, both, screened=True) == []
    # Its own check says so, with an outcome and without a traceback.
    monkeypatch.setattr(pull_request, "check_bundle", lambda *given: [][0])
    with pytest.raises(
        AssertionError, match=r"IndexError: test_attacks.py:\d+\ncode: scorer-failed\n"
    ):
        broken.intake()
    said = json.loads((broken.taken / "intake.json").read_text())
    assert (said["state"], codes(said)) == ("failed", ["scorer-failed"])


@pytest.mark.parametrize("old", [("1001",), ("1001", "another")])
def test_an_old_pull_request_that_was_filled_later_takes_no_name(
    start: Start, old: tuple[str, ...]
) -> None:
    """Neither is refused nor scored: a maintainer sees in the runs of the check who was first."""
    filled, victim = start("wanted", author="1001"), start("wanted", author="2002")
    open_ = {1: old, 2: ("2002", "wanted")}
    for one in (filled, victim):
        assert taken(one, open_) == ["held"]
        assert taken(one, open_, screened=True) == []


LONG = 19_000_000
"""Characters of a file, of which three are more than the bytes of an author."""


def fill(repository: Repository, number: int, answers: str) -> int:
    """A pull request of the author 666 with a file of answers that is as long as `LONG` at least."""
    path = f"openbook-generations/junk-{number}.jsonl"
    request = repository.send(f"junk-{number}", "666", answers=answers)
    assert len(repository.at(request.sha, path)) >= LONG
    return request.pr


def test_one_author_uses_up_no_others_protection(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By bytes, four files of blanks, and by seconds; and what was not read in time is said."""
    own = "Nobody wrote down when the old mill by the river was sold, nor who paid for it."
    repository = start().repository
    junk = [fill(repository, number, " " * LONG) for number in range(4)]
    own_answers = repository.answers(own)
    start("wanted", author="1001", answers=own_answers)
    thief = start("wanted", author="2002")
    copier = start("copied", author="2002", answers=own_answers)
    lone = start("lone", author="3003", answers=repository.answers(BRIDGE))
    open_ = {n: ("666", f"junk-{n - junk[0]}") for n in junk} | {6: ("1001", "wanted")}
    assert taken(thief, open_) == ["system-taken"]
    assert taken(copier, open_) == ["held"]
    assert taken(lone, open_) == []
    monkeypatch.setattr("argue_bench.leaderboard.intake.others.AUTHOR_SECONDS", 0)
    assert taken(thief, open_) == ["system-taken"]
    assert "in time with pull requests 3, 4, 5" in said_of_copies(lone, open_)[0]
    few = {n: open_[n] for n in (2, 6)}
    assert taken(lone, few) == []
    for bound, value in (
        ("others.OPEN_SECONDS", -1),
        ("pull_request.OLDER_SECONDS", -1),
        # Its files together, not each of them, and those of all authors.
        ("pull_request.AUTHOR_BYTES", 2_700),
        ("pull_request.ALL_BYTES", 2_700),
    ):
        with monkeypatch.context() as patch:
            patch.setattr(f"argue_bench.leaderboard.intake.{bound}", value)
            assert taken(lone, few) == ["held"]
            assert taken(lone, few, screened=True) == []
            assert taken(lone, {}) == []


def test_long_files_hold_others_by_what_is_compared_of_them_alone(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Sound answers are padded by a line that nobody reads; what is refused itself is long and read."""
    repository = start().repository
    mill = repository.answers(MILL)
    padding = json.dumps({"id": "none", "answer": "x" * LONG})
    padded = {fill(repository, n, mill + padding): ("666",) for n in range(3)}
    lone = start("lone", author="3003", answers=repository.answers(BRIDGE))
    assert taken(lone, padded) == []
    copier = start("copied", author="2002", answers=mill)
    assert taken(copier, padded) == ["held"]
    # Of these bytes the first takes more than half, with its metadata or without.
    monkeypatch.setattr("argue_bench.leaderboard.intake.pull_request.AUTHOR_BYTES", 4_000)
    (said,) = said_of_copies(lone, padded)
    assert said.endswith("with too many, or too long, answers of pull requests 3, 4")
    over = repository.send("over", "666", answers=repository.answers("Long. " * 5_000))
    assert taken(lone, {over.pr: ("666",)}) == []


def test_a_pull_request_that_is_refused_itself_keeps_nobody_out(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository = start().repository
    inside = git(repository.path, "rev-parse", f"main:{ROOT}")
    monkeypatch.setattr("argue_bench.leaderboard.formats.git_objects.MOST_ENTRIES", 100)
    long = {f"{ROOT}/openbook-generations/long.jsonl": b" " * 19_000_000}
    many = {f"{ROOT}/metadata/many-{n}.json": "{}" for n in range(101)}
    heads = [
        repository.commit({**repository.entry("long"), **long}),
        repository.commit(many),
        repository.of_tree(repository.tree(("40000", ".git", inside))),  # git refuses it
        repository.commit({**repository.entry("wanted"), **repository.entry("other")}),
        repository.commit({f"{ROOT}/metadata/wanted.json": b"x"}),
        repository.commit({**repository.entry("wanted"), f"{ROOT}/metadata/wanted.json": b"x"}),
    ]
    hostile = {repository.pull(head).pr: ("2002",) for head in heads}
    one = start("wanted")
    assert taken(one, hostile) == []
    # A branch keeps its name while its files are corrected; or else a maintainer closes it.
    for number in hostile:
        assert taken(one, {number: ("2002", "wanted")}) == ["held"]
        assert taken(one, {number: ("2002", "wanted")}, screened=True) == []
    assert taken(one, {99: ("2002", "wanted"), one.request.pr: ("1001", "wanted")}) == []


def test_whoever_sends_anothers_commit_first_keeps_nobody_out(start: Start) -> None:
    """What is pushed to a fork is public before there is a pull request."""
    repository = start().repository
    mine = start("wanted", author="1001", answers=repository.answers(MILL))
    thief, victim = mine.request, repository.pull(mine.request.sha, "2002")
    open_ = {thief.pr: ("1001", "wanted"), victim.pr: ("2002", "wanted")}
    one = start("wanted", author="2002", answers=repository.answers(MILL))
    assert taken(one, {**open_, one.request.pr: ("2002", "wanted")}) == ["held", "held"]
    assert taken(one, {**open_, one.request.pr: ("2002", "wanted")}, screened=True) == []


def test_a_run_by_hand_is_its_authors(start: Start) -> None:
    """GitHub shows no numeric ids, so whoever asks for the run may say a third person's."""
    one = start("wanted", author="1001")
    assert taken(one, {one.request.pr: ("2002", "wanted")}) == ["bad-argument"]
    assert taken(one, {one.request.pr: ("1001", "wanted")}) == []


@pytest.mark.parametrize(
    ("system", "name", "theirs"), [("acme-0ne", "Other", "ACME One"), ("other", "\u2014", "\u2014")]
)
def test_a_row_may_look_like_no_open_one(start: Start, system: str, name: str, theirs: str) -> None:
    wanted = start("acme-one", author="1001", name=theirs)
    alike = start(system, author="2002", name=name, answers=start().repository.answers(MILL))
    open_ = {wanted.request.pr: ("1001", "acme-one")}
    assert taken(alike, open_) == ["held"]
    assert taken(alike, open_, screened=True) == []
    assert taken(alike, {}) == []
    # Where the branch has another name, nothing tells when the older one got its display name.
    assert taken(alike, {wanted.request.pr: ("1001",)}) == []


def test_answers_that_were_scored_and_never_merged_are_compared(start: Start) -> None:
    """Whoever had no step up closes the pull request; its commit stays where all can read it."""
    repository = start().repository
    first, second = repository.answers(MILL), repository.answers(BRIDGE)
    runs = [start("mine", author="1001", answers=answers) for answers in (first, second)]
    for one in runs:
        one.whole()
    for answers in (first, second):
        (held,) = said_of_copies(start("stolen", author="2002", answers=answers), {})
        assert "openbook-generations/mine.jsonl, scored on 2" in held
        assert taken(start("again", author="1001", answers=answers), {}) == []
    # What the platform keeps no more keeps nobody out, and hides no other.
    git(repository.path, "update-ref", "-d", f"refs/pull/{runs[0].request.pr}/head")
    git(repository.path, "gc", "--quiet", "--prune=now")
    assert taken(start("stolen", author="2002", answers=first), {}) == []
    assert taken(start("stolen", author="2002", answers=second), {}) == ["held"]


def said_of_copies(one: Steps, open_: dict[int, tuple[str, ...]]) -> list[str]:
    """What holds a row while these pull requests are open."""
    season = read_season(one.repository.folder)
    with pytest.raises(SubmissionError) as refused:
        receive_pull_request(replace(one.request, open=open_), season, season.load())
    return [found.message for found in refused.value.findings if found.level == "error"]


MILL, BRIDGE = (
    "Nobody wrote down when the old mill by the river was sold, nor who paid for it.",
    "Three masons of the valley built the bridge anew after the flood had taken it.",
)


def test_answers_that_improve_a_merged_row_or_were_one_are_compared(start: Start) -> None:
    """An open pull request of a merged system named nothing new, and main was read as it is, not as it was."""
    repository = start().repository
    first, second = repository.answers(MILL), repository.answers(BRIDGE)
    victim = start("mine", author="1001", answers=first)
    victim.whole()
    repository.merge(victim.request.sha)
    better = start("mine", author="1001", answers=second)
    open_ = {better.request.pr: ("1001", "mine")}
    (held,) = said_of_copies(start("stolen", author="2002", answers=second), open_)
    assert f"mine.jsonl of open pull request {better.request.pr}" in held
    repository.merge(better.request.sha)
    (held,) = said_of_copies(start("stolen", author="2002", answers=first), {})
    assert "a former openbook-generations/mine.jsonl (blob " in held
    # Who comes back to former answers of one's own, and who sent nothing of the kind, waits for nobody.
    stale = {
        repository.pull(repository.commit(repository.entry("x"), victim.request.sha)).pr: ("3",)
    }
    assert taken(start("mine", author="1001", answers=first), stale) == []
    assert taken(start("other", author="2002"), stale) == []
    # Who had a name keeps it when the organiser takes the files away, and the answers stay theirs.
    files = [f"{ROOT}/metadata/mine.json", f"{ROOT}/openbook-generations/mine.jsonl"]
    repository.merge(repository.commit(dict.fromkeys(files)))
    assert taken(start("mine", author="2002"), {}) == ["system-taken"]
    assert taken(start("mine", author="1001", answers=first), {}) == []
    assert taken(start("stolen", author="2002", answers=second), {}) == ["held"]


def merged(one: Steps) -> Steps:
    one.whole()
    one.repository.merge(one.request.sha)
    return one


def test_an_open_copy_of_what_is_merged_holds_no_better_answers_of_its_owner(start: Start) -> None:
    repository = start().repository
    said = f"{MILL} Its wheel stood still until two stubborn sisters ground rye there, against all advice."
    first = repository.answers(said)
    merged(start("mine", author="1001", answers=first))
    better = "".join(
        json.dumps({**row, "answer": f"{said} {BRIDGE}" if n % 4 else BRIDGE}) + "\n"
        for n, row in enumerate(map(json.loads, first.splitlines()))
    )
    copy = start("copy", author="666", answers=repository.answers(f"{said} Indeed."))
    open_ = {copy.request.pr: ("666", "copy")}
    assert taken(copy, open_) == ["held"]
    assert taken(start("mine", author="1001", answers=better), open_) == []


def test_who_was_first_is_no_copy_of_what_was_let_through_later(start: Start) -> None:
    """Neither with new metadata nor with better answers; who copies the later row is one still."""
    repository = start().repository
    said = f"{MILL} Its wheel stood still until two stubborn sisters ground rye there, against all advice."
    first = repository.answers(said)
    merged(start("mine", author="1001", answers=first))
    later = start("alike", author="2002", answers=first)
    assert taken(later, {}) == ["held"]
    later.request = replace(later.request, screened=True)
    merged(later)
    assert taken(start("mine", author="1001", answers=first, citation="Me, 2027"), {}) == []
    better = repository.answers(f"{said} {BRIDGE}")
    assert taken(start("mine", author="1001", answers=better), {}) == []
    assert taken(start("third", author="3003", answers=better), {}) == ["held"]
    # Other answers of one's own make nobody the first.
    merged(start("fourth", author="4004", answers=repository.answers(BRIDGE)))
    assert taken(start("fourth", author="4004", answers=first), {}) == ["held"]


def test_what_was_not_compared_is_said(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of open pull requests also to the maintainer who lets a row through; of merged ones, which nobody can close."""
    repository = start().repository
    merged(start("mine", author="1001", answers=repository.answers(MILL)))
    waiting = start("other", author="2002", answers=repository.answers(BRIDGE))
    open_ = {waiting.request.pr: ("2002", "other")}
    season = read_season(repository.folder)
    request = start("new", author="3003", answers=repository.answers("Anything.")).request
    for bound in ("OPEN_SECONDS", "OTHERS_SECONDS"):
        monkeypatch.setattr(f"argue_bench.leaderboard.intake.others.{bound}", -1)
    _, found = receive_pull_request(
        replace(request, open=open_, screened=True), season, season.load()
    )
    said = [one.message for one in found if "compared in time" in one.message]
    assert len(said) == 2
    assert any(f"with pull requests {waiting.request.pr}" in one for one in said)
    assert any("openbook-generations/mine.jsonl" in one for one in said)
    _, found = receive_pull_request(request, season, season.load())
    assert [one.level for one in found if "compared in time" in one.message] == ["warning"]


def test_the_files_of_a_submission_share_one_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """And the long files of others wait for the short ones."""
    ticks = count(step=10)
    monkeypatch.setattr(others, "time", SimpleNamespace(monotonic=lambda: next(ticks)))
    path = "openbook-generations/x.jsonl"
    sent = [Bundle("x", "666", {path: b"x" * (21 - number)}, number) for number in range(1, 21)]
    nothing: Any = None

    def compared(share: float) -> tuple[list[int], list[int]]:
        late: list[int] = []
        entries = MergedEntries({}, {}, {})
        each = others.Others(nothing, entries, (), sent, late, nothing, ())
        return [len(read()) for _, read in each.rows(share)], late

    whole, late = compared(1)
    assert whole == [*range(1, len(whole) + 1)]
    assert late == [*range(20 - len(whole), 0, -1)]
    assert late
    assert 3 * len(compared(1 / 3)[0]) <= len(whole)


def test_what_main_lost_or_got_meanwhile_hides_no_open_row(start: Start) -> None:
    """A branch that left main earlier holds systems that main has no more: it asked for two, and for none."""
    repository = start().repository
    gone = repository.commit(repository.entry("gone"))
    repository.merge(gone)
    answers = repository.answers(MILL)
    victim = start("wanted", author="1001", answers=answers)
    files = [
        f"{ROOT}/{place}/gone.json{end}"
        for place, end in (("metadata", ""), ("openbook-generations", "l"))
    ]
    repository.merge(repository.commit(dict.fromkeys(files)))
    open_ = {victim.request.pr: ("1001", "wanted")}
    assert taken(start("gone", author="2002"), open_) == ["system-taken"]
    assert taken(start("wanted", author="2002"), open_) == ["system-taken"]
    assert taken(start("stolen", author="2002", answers=answers), open_) == ["held"]
    # Labelled before, run after: the list of open pull requests is newer than the base.
    thief = start("late", author="2002", answers=answers)
    repository.merge(victim.request.sha)
    assert taken(thief, {}) == ["held"]


def test_a_row_that_is_not_shown_stops_no_scoring_after_a_release(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that its author never had merged, or withdrew: nobody can score it again."""
    ghost = start("ghost", author="666")
    assert ghost.whole()["state"] == "scored"
    repository = ghost.repository
    for module in (signature, hidden_scoring):
        monkeypatch.setattr(module, "__version__", "9.9.9")

    def newcomer(number: int) -> list[str]:
        one = start(
            f"new-{number}", author=str(number), answers=repository.answers(f"No {number}.")
        )
        one.score(one.intake())
        return codes(one.outcome)

    assert newcomer(1) == []
    for path in ("openbook-generations/ghost.jsonl", "metadata/ghost.json"):
        (repository.folder / path).write_bytes(repository.at(ghost.request.sha, path))
    one = start("late", author="2")
    one.score(one.intake())
    assert codes(one.outcome) == ["tallies-other"]
    assert "ghost" in one.comment()
    gone = Event("withdrawn", "2026-01-01T00:00:00Z", SEASON, "ghost", "666")
    record_events(RecordTarget(repository.remote), [gone])
    assert newcomer(3) == []


def test_git_fetches_nothing_on_its_own(start: Start) -> None:
    """From a shallow remote each fetch of git's own started the next: 1,500 processes within minutes."""
    one = start()
    with open_objects(one.request.remote) as objects:
        objects.fetch([one.request.sha])
        blob = objects.tree(one.request.sha)["README.md"].oid
        with pytest.raises(SubmissionError):
            objects.kind(blob)
        assert objects.blobs([blob], 1_000) == [b"A board.\n"]


def test_what_git_started_ends_with_its_clock(
    start: Start, repository: Repository, tmp_path: Path
) -> None:
    """`git fetch` hands a pack to a process of its own, which went on alone. A hook stands for it: its number is known."""
    number = tmp_path / "number"
    hook = repository.path / "hooks" / "update"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\nsleep 300 </dev/null >/dev/null 2>&1 & echo $! >{number}\nwait\n")
    hook.chmod(0o755)
    one = start()
    with open_objects(one.request.remote, seconds=3) as objects:
        objects.fetch([one.request.sha])
        with pytest.raises(SubmissionError, match="more than 3 seconds"):
            objects.push(one.request.sha, "refs/heads/slow")
    # Where nobody asks for its end, a process that has ended still has a line, of state Z.
    state = ["ps", "-o", "stat=", "-p", number.read_text().strip()]
    assert subprocess.run(state, capture_output=True, text=True).stdout.strip()[:1] in ("", "Z")


def test_bands_are_kept_where_what_came_meanwhile_has_no_row(start: Start) -> None:
    start(author="2002", system="other").whole()
    one = start()
    one.score(one.intake())
    note_ = Event("withdrawn", "2026-01-01T00:00:00Z", SEASON, "other", "2002")
    record_events(RecordTarget(one.request.remote), [note_])
    assert one.record().exit_code == 0
    bands = json.loads(one.repository.at(RESULTS, f"results/{SEASON}/bands.json"))
    assert {row["system"] for row in bands["settings"]["openbook"]["systems"]} == {
        "my-system",
        "other",
    }


def test_a_push_that_the_remote_never_takes_is_a_code(
    start: Start, repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody moves the branch meanwhile, so a rule of the repository refuses it."""
    monkeypatch.setattr("argue_bench.leaderboard.publishing.record.LONGEST_PAUSE", 0.0)
    one = start()
    one.score(one.intake())
    hook = repository.path / "hooks" / "update"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\nexit 1\n")
    hook.chmod(0o755)
    said = one.record()
    assert (said.exit_code, said.stderr) == (1, "code: git-failed\n")
    assert RESULTS not in git(repository.path, "for-each-ref")
    assert "Not recorded" in one.comment()
    hook.unlink()
    assert one.record().exit_code == 0
    assert "Scored. The row appears" in one.comment()


def test_an_older_result_of_the_same_system_is_not_put_back(
    start: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two scorings of one commit have author and commit alike; their time is not."""
    event = Event("scored", "2026-01-02T00:00:00Z", SEASON, "my-system", "lab")
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1767225600")  # 2026-01-01
    from argue_bench.leaderboard.formats.results import Result, now
    from argue_bench.leaderboard.publishing.verifying import VerifiedFile, compare_with_ledger

    old = Result(SEASON, "my-system", {}, author="lab", created=now())
    seen = VerifiedFile("results/toy/my-system.json", SEASON, "my-system", "verified", result=old)
    assert [one.code for one in compare_with_ledger([seen], [event])] == ["ledger-other"]
    new = replace(seen, result=replace(old, created=event.date))
    assert compare_with_ledger([new], [event]) == []


def test_one_author_who_races_has_one_row_and_pays_for_each(start: Start) -> None:
    steps = [start(f"system-{n}") for n in range(3)]
    for one in steps:
        one.score(one.intake())
    late = "1code: results-moved\ncode: lapsed\n"
    assert race(steps) == ["0", late, late]
    assert sorted(e.event for e in ledger(steps[0].repository)) == ["expired", "expired", "scored"]


@pytest.mark.parametrize(
    ("standing", "new", "alike"),
    [
        ("lab/m temperature:0", "lab/m temperature:0 served:m-2", True),
        ("lab/m temperature:0 served:m-2", "lab/m temperature:0", True),
        ("lab/m temperature:0 served:m-1", "lab/m temperature:0 served:m-2", False),
        ("lab/m temperature:1", "lab/m temperature:0 served:m-2", False),
        ("", "lab/m temperature:0", False),
    ],
)
def test_a_row_that_asked_its_judge_nothing_stops_nobody(
    start: Start, monkeypatch: pytest.MonkeyPatch, standing: str, new: str, alike: bool
) -> None:
    """A merged row without a citation had a signature without the model that served the others, and all were refused."""
    one = start()
    job = SimpleNamespace(
        again=None,
        season=read_season(one.repository.folder),
        dataset=None,
        keys={},
        secrets=SimpleNamespace(key=""),
        merged={"old"},
        state=SimpleNamespace(
            events=[],
            systems=["old"],
            counted=lambda *_: {
                "old": {"openbook": SimpleNamespace(signature={"judge": standing})}
            },
            bridges=lambda *_: [],
        ),
    )
    if alike:
        hidden_scoring.check_alike(job, {"judge": new})  # type: ignore[arg-type]
    else:
        with pytest.raises(SubmissionError, match="made otherwise"):
            hidden_scoring.check_alike(job, {"judge": new})  # type: ignore[arg-type]
