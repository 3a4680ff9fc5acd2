"""From a pull request to its row: what is scored, what is told, what is refused at which step."""

from __future__ import annotations

import json
import shutil
import subprocess
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from argue_bench.baselines import generate
from argue_bench.eval import evaluate
from argue_bench.leaderboard.formats.ledger import Event, read_ledger
from argue_bench.leaderboard.formats.season import told_value
from argue_bench.leaderboard.publishing.record import RecordTarget, record_events
from argue_bench.leaderboard.scoring.scored_settings import join_gold
from argue_bench.leaderboard.seasons.sealing import Terms, sealed_gold
from argue_bench.leaderboard.signing.keys import public_pem
from argue_bench.loaders import load
from argue_bench.loaders.core import parse_gold
from tests.leaderboard.conftest import Start
from tests.leaderboard.repositories import (
    OTHER_SIGNING,
    QUOTA,
    ROOT,
    SEASON,
    SEED,
    Repository,
    git,
    new_repository,
    seal_world,
)
from tests.leaderboard.steps import Steps, codes, command, with_secrets

RESULTS = "leaderboard-results"


@pytest.fixture(scope="module")
def quoting(pristine: Repository) -> str:
    """The answers of a baseline that knows something."""
    dataset = load("core", "test", pristine.folder / "topics")
    return "".join(
        json.dumps(one) + "\n" for one in generate("bm25-extractive", dataset, "openbook")
    )


def test_an_honest_submission_is_scored_signed_and_recorded(start: Start, quoting: str) -> None:
    one = start(answers=quoting)
    repository = one.repository
    outcome = one.whole()
    assert (outcome["state"], outcome["runs"], outcome["quota"]) == ("scored", 1, QUOTA)
    result = json.loads(repository.at(RESULTS, f"results/{SEASON}/my-system.json"))
    assert (result["author"], result["commit"]) == ("1001", one.request.sha)
    dataset = load("core", "test", repository.folder / "topics")
    gold = sealed_gold(repository.folder, repository.key)
    opened = join_gold(dataset, parse_gold(gold, Path("gold")), "gold")
    report = evaluate(opened, [json.loads(line) for line in quoting.splitlines()], ["argue"])
    value = report.scores["argue.f1"].value
    assert value is not None
    assert value > 0.1
    told = told_value(value, 5)
    assert abs(told - value) <= 0.025
    assert list(result["settings"]["openbook"]["scores"]) == ["argue.f1"]
    assert result["settings"]["openbook"]["scores"]["argue.f1"]["value"] == told
    assert outcome["settings"]["openbook"]["value"] == told
    assert f"| {100 * told:.1f} |" in one.comment()
    (event,) = read_ledger(repository.at(RESULTS, "results/ledger.jsonl"))
    assert (event.event, event.system, event.author) == ("scored", "my-system", "1001")


def test_the_comment_on_a_score_has_what_the_intake_noticed(
    start: Start, quoting: str, tmp_path: Path
) -> None:
    """The workflow lays both in one folder; of another bundle nothing is said."""
    older = start("older", author="2002", name="Zeta Star")
    one = start(answers=quoting, name="Zeta Star")
    (there := tmp_path / "open").write_text(f"{older.request.pr} 2002\n")
    r = one.request
    said = command(
        "board ci intake",
        remote=r.remote,
        pr=r.pr,
        sha=r.sha,
        base=r.base,
        author=r.author,
        folder=one.repository.folder,
        out=one.taken,
        open=there,
    )
    assert said.exit_code == 0, said.stderr
    one.score(said.stdout.strip().removeprefix("digest="))
    assert "looks like" not in one.comment()
    noticed = (one.taken / "intake.json").read_text("utf-8")
    (one.scored / "intake.json").write_text(noticed)
    assert "'Zeta Star' looks like 'Zeta Star' of older" in one.comment()
    digest = one.outcome["digest"]
    (one.scored / "intake.json").write_text(noticed.replace(digest, "0" * len(digest)))
    assert "looks like" not in one.comment()


def test_openssl_verifies_what_was_recorded(start: Start, tmp_path: Path) -> None:
    one = start()
    one.whole()
    pem = next((one.repository.folder / "keys").glob("*.pem"))
    content = one.repository.at(RESULTS, f"results/{SEASON}/my-system.json")
    (tmp_path / "r").write_bytes(content)
    signature = one.repository.at(RESULTS, f"results/{SEASON}/my-system.json.sig")
    assert len(signature) == 64
    (tmp_path / "s").write_bytes(signature)
    verify = [
        "openssl",
        "pkeyutl",
        "-verify",
        "-pubin",
        "-inkey",
        str(pem),
        "-rawin",
        "-in",
        str(tmp_path / "r"),
        "-sigfile",
        str(tmp_path / "s"),
    ]
    assert subprocess.run(verify, capture_output=True, check=False).returncode == 0
    (tmp_path / "r").write_bytes(content.replace(b"0.", b"0.9", 1))
    assert subprocess.run(verify, capture_output=True, check=False).returncode != 0


def test_the_ladder_tells_nothing_of_what_is_no_progress(start: Start, quoting: str) -> None:
    start(answers=quoting).whole()
    one = start("my-second", answers=quoting.replace("the", "teh", 3))
    before = one.repository.at(RESULTS, f"results/{SEASON}/bands.json")
    outcome = one.whole()
    assert outcome["state"] == "unchanged"
    assert outcome["settings"]["openbook"] == {
        "moved": False,
        "value": None,
        "low": None,
        "high": None,
        "scores": {},
    }
    assert "no step up" in one.comment()
    assert one.repository.at(RESULTS, f"results/{SEASON}/bands.json") == before
    listed = git(one.repository.path, "ls-tree", "-r", "--name-only", RESULTS)
    assert "my-second" not in listed
    assert [e.event for e in read_ledger(one.repository.at(RESULTS, "results/ledger.jsonl"))] == [
        "scored",
        "unchanged",
    ]


def test_a_season_of_few_questions_says_that_it_tells_no_score(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = seal_world(tmp_path / "few", SEED, 6, Terms(SEASON, told="all"))
    about = tmp_path / "few" / "season.json"
    about.write_text(json.dumps(json.loads(about.read_text()) | {"told": "ranked"}))
    small = new_repository(tmp_path / "board", tmp_path / "few", key)
    with_secrets(monkeypatch, small)
    one = Steps(small, small.send("my-system"), tmp_path / "steps")
    assert one.whole()["state"] == "unchanged"
    assert "this season has 6 questions: no score is told below 20" in one.comment()
    assert "significant" not in one.comment()


def test_one_better_answer_is_not_told(start: Start, quoting: str) -> None:
    """It beats its own standard error by nothing, and whoever saw it move would know its gold."""
    lines = quoting.splitlines()
    empty = [json.dumps({"id": json.loads(line)["id"], "answer": ""}) for line in lines]
    half = [
        line if i % 2 else none for i, (line, none) in enumerate(zip(lines, empty, strict=True))
    ]
    assert start(answers="\n".join(half) + "\n").whole()["state"] == "scored"
    more = [lines[0], *half[1:]]
    one = start("one-more", answers="\n".join(more) + "\n")
    repository = one.repository
    dataset = load("core", "test", repository.folder / "topics")
    gold = parse_gold(sealed_gold(repository.folder, repository.key), Path("gold"))
    opened = join_gold(dataset, gold, "gold")
    scores = [
        evaluate(opened, [json.loads(x) for x in rows], ["argue"]).scores["argue.f1"].value or 0.0
        for rows in (half, more)
    ]
    assert scores[0] < scores[1]
    assert one.whole()["state"] == "unchanged"


def test_the_ladder_lets_real_progress_through_and_others_alone(start: Start, quoting: str) -> None:
    assert start().whole()["state"] == "scored"
    assert start("better", answers=quoting).whole()["state"] == "scored"
    assert start("others", author="2002").whole()["state"] == "scored"
    bands = json.loads(start().repository.at(RESULTS, f"results/{SEASON}/bands.json"))
    rows = bands["settings"]["openbook"]["systems"]
    assert {row["system"] for row in rows} == {"my-system", "better", "others"}
    assert rows[0]["system"] == "better"


def test_the_quota_counts_scored_runs_and_only_those(start: Start) -> None:
    for number in range(QUOTA):
        start(f"system-{number}").whole()
    one = start("one-more")
    assert one.score(one.intake()).exit_code == 1
    assert codes(one.outcome) == ["quota"]
    assert one.record().exit_code == 0
    assert len(read_ledger(one.repository.at(RESULTS, "results/ledger.jsonl"))) == QUOTA
    assert start("another", author="2002").whole()["state"] == "scored"


@pytest.mark.parametrize(("days", "state"), [(29, "scored"), (31, "refused"), (None, "refused")])
def test_a_quota_may_be_for_so_many_days_in_a_row(
    start: Start, repository: Repository, days: int | None, state: str
) -> None:
    path = repository.folder / "season.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"quota_days": days, "bits": None}))
    then = (datetime.now(UTC) - timedelta(days=30)).strftime("%Y-%m-%dT%H:%M:%SZ")
    runs = [
        Event("scored", then, SEASON, f"old-{i}", "1001", digest=f"{i:064x}") for i in range(QUOTA)
    ]
    one = start()
    record_events(RecordTarget(one.request.remote), runs)
    one.score(one.intake())
    assert one.outcome["state"] == state
    assert codes(one.outcome) == ([] if state == "scored" else ["quota"])
    if state == "scored":
        assert one.outcome["runs"] == 1


def test_the_same_submission_is_not_scored_twice(start: Start) -> None:
    one = start()
    one.whole()
    again = replace(one, folder=one.folder / "again")
    again.score(again.intake())
    assert codes(again.outcome) == ["already-scored"]


def test_a_job_that_is_run_again_after_its_push_finds_the_score_recorded(start: Start) -> None:
    """What comes after the push may fail, the comment for one, and then the whole job is run again."""
    one = start()
    one.whole()
    told, results = one.comment(), git(one.repository.path, "rev-parse", RESULTS)
    said = one.record()
    assert (said.exit_code, said.stdout.strip()) == (0, results), said.stderr
    assert one.comment() == told
    assert git(one.repository.path, "rev-parse", RESULTS) == results


def test_a_closed_season_takes_nothing(start: Start) -> None:
    one = start()
    record_events(
        RecordTarget(one.request.remote), [Event("season closed", "2026-01-01T00:00:00Z", SEASON)]
    )
    one.score(one.intake())
    assert codes(one.outcome) == ["season-closed"]
    # The participant's own check says so at once, and nobody waits for a label that refuses.
    said = one.folder / "check.md"
    command("board", "ci", "comment", "--outcome", one.taken, "--out", said)
    assert (
        "| warning | `season-closed` |  | `The season is over: of scored answers"
        in said.read_text()
    )
    record_events(
        RecordTarget(one.request.remote), [Event("season opened", "2026-01-02T00:00:00Z", SEASON)]
    )
    later = replace(one, folder=one.folder / "later")
    assert later.whole()["state"] == "scored"


def test_a_bundle_that_was_changed_on_its_way_is_refused(start: Start) -> None:
    one = start()
    digest = one.intake()
    good = (one.taken / "bundle").read_bytes()
    for place in (30, -10):
        raw = bytearray(good)
        raw[place] ^= 1
        (one.taken / "bundle").write_bytes(raw)
        said = one.score(digest)
        assert (said.exit_code, said.stderr) == (1, "code: bundle-digest\n")
        assert not one.scored.exists()


def test_without_its_secrets_nothing_is_scored(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = start()
    digest = one.intake()
    for missing in ("ANSWERS_KEY", "SIGNING_KEY"):
        for value in (None, "", "  ", "secretsecret", "zz" * 32):
            with monkeypatch.context() as environment:
                environment.delenv(missing)
                if value is not None:
                    environment.setenv(missing, value)
                said = one.score(digest)
            assert said.exit_code == 2, (missing, value)
            assert missing in said.stderr
            assert not value or not value.strip() or value not in said.stderr
            assert not one.scored.exists()


def test_what_another_key_signed_is_not_recorded(start: Start) -> None:
    one = start()
    one.score(one.intake())
    keys = one.repository.folder / "keys"
    next(keys.glob("*.pem")).unlink()
    name, pem = public_pem(OTHER_SIGNING)
    (keys / f"{name}.pem").write_bytes(pem)
    said = one.record()
    assert (said.exit_code, said.stderr) == (1, "code: bad-signature\n")


def test_nothing_is_scored_for_a_key_that_does_not_sign_here(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = start()
    monkeypatch.setenv("SIGNING_KEY", OTHER_SIGNING)
    said = one.score(one.intake())
    assert said.exit_code == 2
    assert f"{public_pem(OTHER_SIGNING)[0]}, which is not in keys/" in said.stderr
    assert OTHER_SIGNING not in said.output
    assert not one.scored.exists()


def test_a_result_that_was_changed_on_its_way_is_not_recorded(start: Start) -> None:
    one = start()
    one.score(one.intake())
    for path, code in (
        ("score.json", "bad-signature"),
        ("score.json.sig", "bad-signature"),
        (f"results/{SEASON}/my-system.json", "other-digest"),
        (f"results/{SEASON}/my-system.json.sig", "other-digest"),
        (f"results/{SEASON}/bands.json", "other-digest"),
        (f"results/{SEASON}/tallies/my-system.sealed", "other-digest"),
    ):
        good = (one.scored / path).read_bytes()
        (one.scored / path).write_bytes(good[:40] + bytes([good[40] ^ 1]) + good[41:])
        said = one.record()
        assert (said.exit_code, said.stderr) == (1, f"code: {code}\n"), path
        assert RESULTS not in git(one.repository.path, "for-each-ref")
        (one.scored / path).write_bytes(good)
    assert one.record().exit_code == 0


def test_an_old_signed_outcome_is_of_no_use_for_another_pull_request(start: Start) -> None:
    one, other = start(), start("other", author="2002")
    one.score(one.intake())
    one.request = other.request
    assert one.record().stderr == "code: head-moved\n"


def test_two_scorings_at_once_of_one_author_do_not_pass_the_quota_or_ladder(start: Start) -> None:
    one, other = start(), start("my-second")
    for each in (one, other):
        each.score(each.intake())
    assert one.record().exit_code == 0
    assert other.record().stderr == "code: results-moved\ncode: lapsed\n"
    events = read_ledger(one.repository.at(RESULTS, "results/ledger.jsonl"))
    assert [event.event for event in events] == ["scored", "expired"]


@pytest.mark.parametrize("event", ["note", "hidden"])
def test_a_note_on_a_system_that_is_being_scored_moves_nothing(start: Start, event: str) -> None:
    start().whole()
    one = start(author="1001", answers=start().repository.answers("It was built in 1931 [1]."))
    one.score(one.intake())
    words = (
        "--season",
        SEASON,
        "--system",
        "my-system",
        "--add",
        event,
        "--reason",
        "It was asked",
    )
    added = command("board", "ledger", "--remote", one.request.remote, *words)
    assert added.exit_code == 0, added.stderr
    said = one.record()
    assert (said.exit_code == 0) == (event == "note"), said.stderr


def test_the_files_of_a_removed_system_may_be_taken_out_of_main(start: Start) -> None:
    """The check that a pull request needs refused it, and by the guide nobody may pass that by."""
    one = start()
    one.whole()
    repository = one.repository
    mine = repository.entry("my-system")
    repository.merge(repository.commit({**mine, **repository.entry("other")}))
    gone = repository.pull(repository.commit(dict.fromkeys(mine)), "9009")
    about = ("--remote", gone.remote, "--pr", gone.pr, "--sha", gone.sha, "--base", gone.base)
    place = ("--folder", repository.folder, "--out", one.taken, "--author", gone.author)
    check = ("board", "ci", "intake", *about, *place, "--allow-none")
    assert "code: deleted" in command(*check).stderr
    words = ("--season", SEASON, "--system", "my-system", "--add", "removed", "--reason", "Asked")
    assert command("board", "ledger", "--remote", gone.remote, *words).exit_code == 0
    assert command(*check).exit_code == 0


def test_a_results_branch_that_was_rewritten_is_not_built_upon(start: Start) -> None:
    start().whole()
    one = start("other", author="2002")
    one.score(one.intake())
    git(one.repository.path, "update-ref", f"refs/heads/{RESULTS}", one.repository.commit({}, None))
    assert one.record().stderr == "code: results-rewritten\n"


def test_a_system_may_be_sent_again_by_its_owner(start: Start, quoting: str) -> None:
    start().whole()
    one = start(answers=quoting)
    assert one.whole()["state"] == "scored"
    assert one.outcome["runs"] == 2
    with pytest.raises(AssertionError, match="system-taken"):
        start(author="2002").intake()


def test_verify_sees_every_change(start: Start, tmp_path: Path) -> None:
    start().whole()
    repository = start().repository
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "--quiet", "--branch", RESULTS, str(repository.path), str(clone))
    board = clone / ROOT
    shutil.copytree(repository.folder / "keys", board / "keys")
    assert command("board", "verify", board).exit_code == 0
    result = board / "results" / SEASON / "my-system.json"
    for path, old in (
        (result, b"0"),
        (result.with_name("bands.json"), b"0"),
        (board / "results" / "ledger.jsonl", b'"author":"1001'),
        (board / "results" / "ledger.jsonl", b'"scores":{"openbook":0.0'),
    ):
        raw = path.read_bytes()
        path.write_bytes(raw.replace(old, old[:-1] + b"5", 1))
        assert command("board", "verify", board).exit_code == 1
        path.write_bytes(raw)
    (listed := board / "results" / "left-out.json").write_bytes(b"[3]")
    assert "[wrong-shape]" in command("board", "verify", board).stdout
    listed.unlink()
    signature = result.with_name("my-system.json.sig")
    signature.unlink()
    assert command("board", "verify", board).exit_code == 1  # its bands are signed
    for file in ("bands.json", "bands.json.sig"):
        result.with_name(file).unlink()
    said = command("board", "verify", board)
    assert said.exit_code == 1  # its ledger says that it was scored
    assert "0 signed files" in said.stdout


def test_a_retired_key_verifies_what_it_signed_and_nothing_new(
    start: Start, tmp_path: Path
) -> None:
    one = start()
    one.whole()
    late = start("late")  # signed with a key that is retired before it is recorded
    late.score(late.intake())
    keys = one.repository.folder / "keys"
    old = next(keys.glob("*.pem"))
    (keys / "retired").mkdir()
    old.rename(keys / "retired" / old.name)
    name, pem = public_pem(OTHER_SIGNING)
    (keys / f"{name}.pem").write_bytes(pem)
    git(tmp_path, "clone", "--quiet", "--branch", RESULTS, str(one.repository.path), "clone")
    said = command("board", "verify", tmp_path / "clone" / ROOT, "--keys", one.repository.folder)
    assert said.exit_code == 0
    assert old.stem in said.stdout
    assert late.record().stderr == "code: bad-signature\n"


@pytest.mark.parametrize("text", ["7\n", "seven 1001\n", None], ids=["short", "no number", "none"])
def test_a_list_of_open_pull_requests_that_cannot_be_read_is_said(
    start: Start, quoting: str, tmp_path: Path, text: str | None
) -> None:
    pulls = tmp_path / "open"
    if text is not None:
        pulls.write_text(f"8 1002 other\n\n{text}", encoding="utf-8")
    one = start(answers=quoting)
    request = one.request
    given = {"pr": request.pr, "sha": request.sha, "base": request.base, "author": request.author}
    out = {"folder": one.repository.folder, "out": one.taken, "open": pulls}
    said = command("board ci intake", remote=request.remote, **given, **out)
    assert (said.exit_code, "NUMBER AUTHOR [SYSTEM]" in said.stderr) == (2, True), said.stderr
