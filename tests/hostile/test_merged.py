"""A score stands beside the files that it is of: what is merged, told anew, scored again or put back."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from argue_bench.baselines import generate
from argue_bench.leaderboard.formats.ledger import Event, read_ledger
from argue_bench.leaderboard.formats.season import read_season
from argue_bench.leaderboard.publishing.record import RecordTarget, record_events
from argue_bench.leaderboard.scoring.scored_settings import gold_digest, join_gold
from argue_bench.leaderboard.seasons.sealing import (
    SEALED,
    TOPICS,
    digest_with_gold,
    gold_purpose,
    sealed_gold,
)
from argue_bench.leaderboard.signing.keys import seal
from argue_bench.loaders.core import parse_gold
from tests.hostile.conftest import Start
from tests.hostile.pulls import CLOSED, LINK, META, OPEN, S
from tests.leaderboard.boards import metadata
from tests.leaderboard.repositories import ROOT, SEASON, Content, Repository, git
from tests.leaderboard.steps import Steps, codes, command

pytestmark = pytest.mark.slow

RESULTS = "leaderboard-results"


@pytest.fixture
def board(repository: Repository, tmp_path: Path) -> Callable[[], Board]:
    return lambda: Board(repository, tmp_path)


@pytest.fixture(scope="module")
def quoting(pristine: Repository) -> str:
    from argue_bench.loaders import load

    dataset = load("core", "test", pristine.folder / "topics")
    return "".join(
        json.dumps(one) + "\n" for one in generate("bm25-extractive", dataset, "openbook")
    )


class Board:
    """What the workflow of the site makes of main and the results branch as they stand."""

    def __init__(self, repository: Repository, folder: Path) -> None:
        number = len(list(folder.glob("shown-*")))
        checkout, self.out = folder / f"checkout-{number}", folder / f"shown-{number}"
        git(folder, "clone", "--quiet", str(repository.path), str(checkout))
        self.main = checkout / ROOT
        said = command(
            "board", "fetch", self.main, "--remote", repository.remote, "--out", self.out
        )
        assert said.exit_code == 0, said.stderr
        self.said = said.stderr
        verified = command("board", "verify", self.out)
        assert verified.exit_code == 0, verified.stdout
        self.verified = verified.stdout

    @property
    def codes(self) -> list[str]:
        return re.findall(r"\[([a-z-]+)\]$", self.said, re.MULTILINE)

    @property
    def rows(self) -> dict[str, dict[str, Any]]:
        """System to its result."""
        return {
            path.stem: json.loads(path.read_bytes())
            for path in self.out.glob(f"results/{SEASON}/*.json")
            if path.name != "bands.json"
        }

    def page(self) -> str:
        """The ledger's page; what was left out stands there."""
        said = command("site", "build", self.out, "--out", self.out / "site")
        assert said.exit_code == 0, said.stderr
        return (self.out / "site" / "ledger.html").read_text("utf-8")


Boards = Callable[[], Board]


def change(one: Steps, files: dict[str, Content]) -> str:
    """A commit on the pull request after its record."""
    return one.repository.commit(files, one.request.sha)


def test_a_row_is_shown_when_what_was_scored_is_merged(start: Start, board: Boards) -> None:
    one = start()
    one.whole()
    before = board()
    assert before.rows == {}
    assert before.codes == ["not-merged"]
    one.repository.merge(one.request.sha)
    shown = board()
    assert set(shown.rows) == {S}
    assert not (shown.out / "results" / "left-out.json").exists()


def test_capitals_become_small_letters_on_the_whole_way(
    start: Start, board: Boards, repository: Repository, tmp_path: Path
) -> None:
    """As FanOutQA's own files are named; Python's small letter of the Kelvin sign would be a k."""
    repository_files: dict[str, Content] = {
        f"{ROOT}/openbook-generations/GPT-4.jsonl": repository.answers("Nothing is known [1]."),
        f"{ROOT}/metadata/GPT-4.json": json.dumps(metadata("GPT-4")),
    }
    one = Steps(repository, repository.pull(repository.commit(repository_files)), tmp_path / "pr")
    one.intake()
    found = json.loads((one.taken / "intake.json").read_bytes())["findings"]
    assert [(level, code) for level, code, _, _ in found] == [("notice", "bad-name")]
    assert "the system is gpt-4 on the board" in found[0][3]
    assert one.whole()["system"] == "gpt-4"
    repository.merge(one.request.sha)
    shown = board()
    assert set(shown.rows) == {"gpt-4"}
    assert rescored(repository, shown.main, tmp_path / "again").exit_code == 0
    other = {f"{ROOT}/openbook-generations/Gpt-4.jsonl": repository.answers("Mine.")}
    for files, author in ((other, "1001"), (repository.entry("gpt-4"), "2002")):
        request = repository.pull(repository.commit(files), author)
        with pytest.raises(AssertionError, match=r"bad-name|system-taken"):
            Steps(repository, request, tmp_path / author).intake()
    apart = repository.pull(repository.commit(repository.entry("gpt-4"), "main~1"))
    with pytest.raises(AssertionError, match="bad-name"):
        Steps(repository, apart, tmp_path / "apart").intake()
    kelvin = {f"{ROOT}/metadata/\u212a2.json": "{}"}
    with pytest.raises(AssertionError, match="bad-name"):
        Steps(repository, repository.pull(repository.commit(kelvin)), tmp_path / "k").intake()


CHANGES: dict[str, Callable[[Repository], dict[str, Content]]] = {
    "other answers": lambda r: {OPEN: r.answers("Something that was never scored.")},
    "one byte more": lambda r: {OPEN: r.answers() + "\n"},
    "other line ends": lambda r: {OPEN: r.answers().replace("\n", "\r\n")},
    "another name": lambda r: {META: json.dumps(metadata(S, name="GPT-9"))},
    "no more said of the training": lambda r: {META: json.dumps(metadata(S, details="x"))},
    "answers taken away": lambda r: {OPEN: None},
    "answers that are a link to the same": lambda r: {
        OPEN: (LINK, "../same.jsonl"),
        f"{ROOT}/same.jsonl": r.answers(),
    },
    "a status alone": lambda r: {META: json.dumps(metadata(S, status="superseded"))},
}


@pytest.mark.parametrize("case", CHANGES)
def test_a_pull_request_changed_after_its_record_has_no_row(
    start: Start, board: Boards, case: str
) -> None:
    one = start()
    one.whole()
    one.repository.merge(change(one, CHANGES[case](one.repository)))
    shown = board()
    assert shown.rows == {}
    assert shown.codes == ["other-result"]
    for text in (shown.said, shown.verified, shown.page()):
        assert f"results/{SEASON}/{S}.json" in text
        assert "the files on main differ from the scored files" in text
        assert "Merge the files that were scored" in text
    place = META if META in CHANGES[case](one.repository) else OPEN
    assert place.removeprefix(f"{ROOT}/") in shown.said
    assert not list(shown.out.glob(f"results/{SEASON}/{S}.json.sig"))
    one.repository.merge(one.request.sha)
    assert set(board().rows) == {S}  # the files that were scored are put back


def test_files_of_a_setting_that_was_never_told_are_no_matter(start: Start, board: Boards) -> None:
    one = start()
    one.whole()
    one.repository.merge(change(one, {CLOSED: one.repository.answers("Beside it.")}))
    assert set(board().rows) == {S}


def test_until_the_new_one_is_merged_the_row_is_the_one_before(
    start: Start, board: Boards, quoting: str
) -> None:
    first = start()
    first.whole()
    r = first.repository
    r.merge(first.request.sha)
    before = board().rows[S]
    better = start(answers=quoting)
    assert better.whole()["state"] == "scored"
    shown = board()
    assert shown.rows[S] == before
    assert "[merged-earlier]" in shown.said
    assert "[merged-earlier]" in shown.verified
    assert (
        ", 0 left out."
        in shown.said
        + command(
            "board", "fetch", shown.main, "--remote", r.remote, "--out", shown.out / "again"
        ).stdout
    )
    r.merge(better.request.sha)
    shown = board()
    assert shown.rows[S]["commit"] == better.request.sha
    assert "merged-earlier" not in shown.said
    r.merge(change(better, {OPEN: r.answers("Neither the one nor the other.")}))
    assert board().rows == {}


def test_an_older_result_that_is_put_back_is_seen(
    start: Start, board: Boards, repository: Repository, tmp_path: Path, quoting: str
) -> None:
    """By somebody who may push: verified offline, and left out where main has the newer files."""
    start().whole()
    old: dict[str, Content] = {
        f"{ROOT}/results/{SEASON}/{S}.json{suffix}": repository.at(
            RESULTS, f"results/{SEASON}/{S}.json{suffix}"
        )
        for suffix in ("", ".sig")
    }
    better = start(answers=quoting)
    better.whole()
    repository.merge(better.request.sha)
    git(repository.path, "update-ref", f"refs/heads/{RESULTS}", repository.commit(old, RESULTS))
    git(tmp_path, "clone", "--quiet", "--branch", RESULTS, str(repository.path), "branch")
    said = command("board", "verify", tmp_path / "branch" / ROOT, "--keys", repository.folder)
    assert said.exit_code == 1
    assert "ledger-other" in said.stdout


# What is said of a system, without a run


def about(one: Steps, author: str = "1001", **changes: Any) -> Steps:
    """A pull request of the same answers and other metadata, on what is merged."""
    r = one.repository
    request = r.pull(r.commit({META: json.dumps(metadata(S, **changes))}), author)
    return Steps(r, request, one.folder.with_name(f"pr{request.pr}"))


def merged(one: Steps) -> Steps:
    one.whole()
    one.repository.merge(one.request.sha)
    return one


def events(r: Repository) -> list[str]:
    return [one.event for one in read_ledger(r.at(RESULTS, "results/ledger.jsonl"))]


def test_new_metadata_over_the_same_answers_are_no_run(start: Start, board: Boards) -> None:
    one = merged(start())
    before = board().rows[S]
    bands = one.repository.at(RESULTS, f"results/{SEASON}/bands.json")
    new = about(one, citation="Example, 2027")
    outcome = new.whole()
    assert (outcome["state"], outcome["settings"], outcome["runs"]) == ("described", {}, 0)
    assert "No run was used" in new.comment()
    assert not (new.scored / "diagnosis.sealed").exists()
    assert board().rows[S] == before
    one.repository.merge(new.request.sha)
    after = board().rows[S]
    assert after["settings"] == before["settings"]
    assert (after["commit"], after["created"]) == (before["commit"], before["created"])
    assert after["submission"].keys() == before["submission"].keys()
    assert events(one.repository) == ["scored", "described"]
    assert one.repository.at(RESULTS, f"results/{SEASON}/bands.json") == bands
    record_events(
        RecordTarget(one.repository.remote),
        [Event("season closed", "2026-01-02T00:00:00Z", SEASON)],
    )
    last = about(one, citation="Example, 2028")  # a closed season and a used quota are no matter
    assert last.whole()["state"] == "described"


def test_a_new_owner_s_metadata_leave_the_board_whole(start: Start, board: Boards) -> None:
    """Of the author who sent them, over a scoring that another author was owner of."""
    one = merged(start())
    record_events(
        RecordTarget(one.repository.remote),
        [Event("owner", "2026-01-02T00:00:00Z", SEASON, S, "3003", reason="moved")],
    )
    new = merged(about(one, "3003", citation="Example, 2027"))
    assert new.outcome["state"] == "described"
    shown = board()  # and verified
    assert (shown.rows[S]["author"], shown.codes) == ("3003", [])
    assert "ledger of 3 events: whole" in shown.verified


def test_what_was_withdrawn_comes_back_without_a_run(start: Start, board: Boards) -> None:
    one = merged(start())
    gone = about(one, status="withdrawn")
    assert gone.whole()["state"] == "withdrawn"
    one.repository.merge(gone.request.sha)
    assert board().rows == {}
    back = about(one, status="active")
    assert back.whole()["state"] == "described"
    one.repository.merge(back.request.sha)
    assert set(board().rows) == {S}
    assert events(one.repository) == ["scored", "withdrawn", "described"]


def in_both(one: Steps, answers: str, **changes: Any) -> Steps:
    """A pull request of the same system in two settings."""
    r = one.repository
    about = json.dumps(metadata(S, closedbook_generations=f"{S}.jsonl", **changes))
    files: dict[str, Content] = {OPEN: answers, CLOSED: r.answers(), META: about}
    request = r.pull(r.commit(files))
    return Steps(r, request, one.folder.with_name(f"pr{request.pr}"))


def test_a_setting_without_a_step_up_makes_new_metadata_no_run(
    start: Start, board: Boards, quoting: str
) -> None:
    best = merged(start("best", answers=quoting))
    settings = merged(in_both(best, best.repository.answers())).outcome["settings"]
    assert {name: one["moved"] for name, one in settings.items()} == {
        "closedbook": True,
        "openbook": False,
    }
    new = merged(in_both(best, best.repository.answers(), citation="Example, 2027"))
    assert new.outcome["state"] == "described"
    assert set(board().rows) == {S, "best"}


def test_a_file_that_is_put_back_is_labelled_again_and_no_run(
    start: Start, board: Boards, quoting: str
) -> None:
    one = merged(start(answers=quoting))
    two = in_both(one, one.repository.answers())
    assert two.whole()["settings"]["openbook"]["moved"] is False
    assert "let the pull request be labelled again, which costs no run" in two.comment()
    back = merged(in_both(one, quoting))
    assert back.outcome["state"] == "described"
    assert set(board().rows[S]["settings"]) == {"closedbook", "openbook"}
    never = in_both(one, one.repository.answers("Never scored."))
    never.score(never.intake())
    assert codes(never.outcome) == ["quota"]


def test_only_what_was_scored_is_taken_off(start: Start, repository: Repository) -> None:
    """Else a stranger who says that it is withdrawn makes another's run of the same name lapse."""
    victim, stranger = start(), start(author="2002", status="withdrawn")
    victim.score(victim.intake())
    stranger.score(stranger.intake())
    assert codes(stranger.outcome) == ["other-result"]
    stranger.record()
    assert victim.record().exit_code == 0


def test_what_comes_back_after_a_change_of_judge_stops_nobody(
    start: Start, board: Boards, repository: Repository, tmp_path: Path, quoting: str
) -> None:
    one = merged(start())
    merged(start("other", author="2002", answers=quoting))
    merged(about(one, status="withdrawn"))
    season = json.loads((repository.folder / "season.json").read_text())
    changed = json.dumps({**season, "judge": "panel:lexical+lexical+lexical"})
    (repository.folder / "season.json").write_text(changed)
    repository.merge(repository.commit({f"{ROOT}/season.json": changed}))
    assert rescored(repository, board().main, tmp_path / "again", "--yes").exit_code == 0
    given = ("--remote", repository.remote, "--folder", repository.folder)
    command("board", "ci", "record", "--outcome", tmp_path / "again" / "other", *given)
    assert "re-scored" in events(repository)
    for path in ("metadata/other.json", "openbook-generations/other.jsonl"):
        (repository.folder / path).write_bytes(repository.at("main", path))
    back = about(one, status="active")
    back.score(back.intake())
    assert codes(back.outcome) == ["tallies-other"]
    assert "scores them again (board rescore --system)" in back.comment()
    assert start("newcomer", author="3003").whole()["state"] == "scored"


def test_new_metadata_are_not_a_way_past_anything(start: Start, repository: Repository) -> None:
    one = merged(start())
    with pytest.raises(AssertionError, match="system-taken"):
        about(one, author="2002", details="mine").intake()
    assert about(one, details="mine").whole()["state"] == "described"
    other = start(name="With other answers", answers=repository.answers("Other."))
    assert other.whole()["state"] == "unchanged"
    assert other.outcome["runs"] == 2
    files = {**repository.entry(S), CLOSED: repository.answers()}
    more = {META: json.dumps(metadata(S, closedbook_generations=f"{S}.jsonl"))}
    request = repository.pull(repository.commit({**files, **more}))
    last = Steps(repository, request, one.folder.with_name("more"))
    last.score(last.intake())
    assert codes(last.outcome) == ["quota"]  # answers for one more setting are a run


@pytest.mark.parametrize("name", [f"{S}.sealed", "bands.json", "bands.json.sig"])
def test_new_metadata_bring_nothing_but_the_result(start: Start, name: str) -> None:
    from tests.hostile.test_codes import keep, resigned

    one = merged(start())
    new = about(one, citation="Example, 2027")
    new.score(new.intake())
    place = f"results/{SEASON}/{'tallies/' if name.endswith('sealed') else ''}{name}"
    resigned(new, keep, {place: b"{}"})
    assert new.record().stderr == "code: other-result\n"
    assert events(one.repository) == ["scored"]


def sealed_anew(r: Repository, name: str, change: Callable[[bytes], bytes] = bytes) -> None:
    """The season under this name, with gold that was changed, on main and in the trusted folder."""
    season = json.loads((r.folder / "season.json").read_text())
    gold = change(sealed_gold(r.folder, r.key))
    sealed = seal(gold, r.key, gold_purpose(name))
    season["season"] = name
    (r.folder / SEALED).write_bytes(sealed)
    (r.folder / "season.json").write_text(json.dumps(season))
    r.merge(r.commit({f"{ROOT}/{SEALED}": sealed, f"{ROOT}/season.json": json.dumps(season)}))


def test_a_result_holds_nothing_that_guessed_gold_could_be_held_against(
    start: Start, board: Boards, repository: Repository
) -> None:
    merged(start())
    row = json.dumps(board().rows[S])
    content = sealed_gold(repository.folder, repository.key)
    gold = parse_gold(content, Path("gold"))
    opened = join_gold(read_season(repository.folder).load(), gold, "gold")
    data = digest_with_gold(repository.folder / TOPICS, content)
    assert '"gold_digest": "sha256:' in row
    assert gold_digest(opened) not in row
    assert data.partition(":")[2][:8] not in row


def test_over_other_gold_the_same_answers_are_scored(
    start: Start, board: Boards, repository: Repository, tmp_path: Path
) -> None:
    """A row of other gold is no row of this one: first the organiser scores again what stands."""
    one = merged(start())
    for path in (f"openbook-generations/{S}.jsonl", f"metadata/{S}.json"):
        (repository.folder / path).write_bytes(repository.at("main", path))
    before = board().rows[S]["gold_digest"]
    sealed_anew(repository, SEASON, lambda gold: gold.replace(b'"vital"', b'"okay"', 1))
    new = about(one, citation="Example, 2027")
    new.score(new.intake())
    assert codes(new.outcome) == ["tallies-other"]
    assert rescored(repository, board().main, tmp_path / "again").exit_code == 0
    given = ("--remote", repository.remote, "--folder", repository.folder)
    command("board", "ci", "record", "--outcome", tmp_path / "again" / S, *given)
    assert events(repository) == ["scored", "re-scored"]
    assert board().rows[S]["gold_digest"] != before
    last = about(one, citation="Example, 2028")
    assert last.whole()["state"] == "described"


# Another season


def test_a_season_that_is_over_stands_when_its_files_were_replaced(
    start: Start,
    board: Boards,
    repository: Repository,
    monkeypatch: pytest.MonkeyPatch,
    quoting: str,
) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1767225600")
    one = merged(start())
    old = board().rows[S]
    sealed_anew(repository, "toy-2")
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1767312000")
    new = start(answers=quoting)
    assert new.whole()["state"] == "scored"
    shown = board()
    assert shown.rows == {S: old}  # the new one is not merged
    assert not list(shown.out.glob(f"results/toy-2/{S}.json"))
    repository.merge(new.request.sha)
    shown = board()
    assert shown.rows == {S: old}
    assert list(shown.out.glob(f"results/toy-2/{S}.json"))
    repository.merge(change(one, {OPEN: repository.answers("Of neither season.")}))
    shown = board()
    assert shown.rows == {}
    assert not list(shown.out.glob(f"results/*/{S}.json"))
    assert shown.said.count("[other-result]") == 2


def test_of_a_season_that_is_over_nothing_is_shown_that_was_never_merged(
    start: Start,
    board: Boards,
    repository: Repository,
    monkeypatch: pytest.MonkeyPatch,
    quoting: str,
) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1767225600")
    merged(start())
    old = board().rows[S]
    assert start(answers=quoting).whole()["state"] == "scored"  # and closed as it is
    never = start("never", author="2002", answers=repository.answers("It was never merged."))
    assert never.whole()["state"] == "scored"
    assert board().rows == {S: old}
    sealed_anew(repository, "toy-2")
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1767312000")
    for name, author in ((S, "1001"), ("never", "2002")):
        merged(start(name, author=author, answers=repository.answers(f"The next of {name}.")))
    shown = board()
    assert shown.rows == {S: old}
    assert {path.stem for path in shown.out.glob("results/toy-2/*.json")} == {S, "never", "bands"}


# Scored again


def rescored(r: Repository, folder: Path, out: Path, *more: str) -> Any:
    given = ("--remote", r.remote, "--reason", "x", "--out", out, *more)
    return command("board", "rescore", folder, *given)


@pytest.mark.parametrize("case", ["other answers", "another name", "answers taken away"])
def test_rescore_takes_nothing_but_what_was_scored(
    start: Start, board: Boards, tmp_path: Path, case: str
) -> None:
    one = start()
    one.whole()
    other = start("other", author="2002")
    other.whole()
    r = one.repository
    wrong = CHANGES[case](r)
    if case == "answers taken away":
        wrong[CLOSED] = r.answers()
    r.merge(r.commit({**r.entry("other"), **r.entry(S), **wrong}))
    main = board().main
    before = git(r.path, "rev-parse", RESULTS)
    said = rescored(r, main, tmp_path / "again")
    assert said.exit_code == 1
    # Below the line of a system stand its settings, with the scores of before and now.
    first, second = (line for line in said.stdout.splitlines() if not line.startswith(" "))
    assert first.startswith(f"{S}: refused [")
    code = "no-such-file" if case == "answers taken away" else "other-result"
    assert f"[{code}]" in first
    assert second == "other: scored"
    right = {**r.entry("other"), **r.entry(S)}
    r.merge(r.commit({**right, CLOSED: None} if CLOSED in wrong else right))
    assert rescored(r, board().main, tmp_path / "right").exit_code == 0
    assert git(r.path, "rev-parse", RESULTS) == before


def test_rescore_tells_nothing_of_a_setting_that_the_ladder_held_back(
    start: Start, board: Boards, tmp_path: Path, quoting: str
) -> None:
    merged(start("best", answers=quoting))
    r = start().repository
    both = {
        **r.entry(S, r.answers()),
        META: json.dumps(metadata(S, closedbook_generations=f"{S}.jsonl")),
        CLOSED: r.answers(),
    }
    request = r.pull(r.commit(both))
    one = Steps(r, request, tmp_path / "both")
    settings = one.whole()["settings"]
    assert {name: row["moved"] for name, row in settings.items()} == {
        "closedbook": True,
        "openbook": False,
    }
    r.merge(request.sha)
    said = rescored(r, board().main, tmp_path / "again")
    assert said.exit_code == 0, said.stdout + said.stderr
    result = json.loads((tmp_path / "again" / S / "results" / SEASON / f"{S}.json").read_bytes())
    assert set(result["settings"]) == {"closedbook"}


# Bands that one of two scorings at once made without the other


def test_a_row_without_a_band_is_shown_where_its_score_puts_it(
    start: Start, board: Boards, quoting: str
) -> None:
    worse, better = start("worse"), start("better", author="2002", answers=quoting)
    for one in (worse, better):
        one.score(one.intake())
    for one in (worse, better):
        assert one.record().exit_code == 0
    r = worse.repository
    r.merge(r.commit({**r.entry("worse"), **r.entry("better", quoting)}))
    shown = board()
    assert set(shown.rows) == {"worse", "better"}
    assert "better has no rank" in shown.verified, "said, and no fault: the ledger says why"
    # A rehearsal, as this board is, has no ranks: what a season that ranks would show.
    season = shown.out / "season.json"
    season.write_text(json.dumps({**json.loads(season.read_bytes()), "group": None}))
    shown.page()
    data = json.loads((shown.out / f"site/data/v1/board/{SEASON}/openbook.json").read_bytes())
    sections = data["sections"]
    assert [
        (row["system"], bool(row["standing"])) for section in sections for row in section["rows"]
    ] == [
        ("better", False),
        ("worse", True),
    ]
    page = (shown.out / "site" / "board" / SEASON / "openbook.html").read_text("utf-8")
    assert '<td class="rank none">–</td>' in page


def test_others_keep_their_rows(start: Start, board: Boards) -> None:
    one, other = start(), start("other", author="2002")
    one.whole()
    other.whole()
    r = one.repository
    r.merge(r.commit({**r.entry("other"), **r.entry(S), OPEN: r.answers("Not these.")}))
    assert set(board().rows) == {"other"}


def test_new_metadata_that_nobody_signed(start: Start) -> None:
    from tests.hostile.test_codes import keep, resigned

    new = about(merged(start()), citation="Example, 2027")
    new.score(new.intake())
    path = f"results/{SEASON}/{S}.json"
    forged = (new.scored / path).read_bytes().replace(b"2027", b"2028")
    resigned(new, keep, {path: forged.replace(b'"n":24', b'"n":25', 1)})
    assert new.record().stderr == "code: bad-signature\n"
