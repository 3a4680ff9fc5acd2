"""Every code that a step of the board can end in is asserted by name, most through the command itself."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from argue_bench.leaderboard.formats import git_objects
from argue_bench.leaderboard.formats.canonical import canonical
from argue_bench.leaderboard.formats.ledger import Event, append_events, read_ledger
from argue_bench.leaderboard.formats.outcome import StepOutcome, read_outcome
from argue_bench.leaderboard.publishing.record import RecordTarget, record_events
from argue_bench.leaderboard.signing.keys import sign_bytes
from tests.hostile.conftest import Start
from tests.hostile.emitted import BOARD, PACKAGE, STEPS, codes_asserted, codes_in
from tests.hostile.pulls import S
from tests.leaderboard.repositories import QUOTA, ROOT, SEASON, SIGNING, Content, Repository, git
from tests.leaderboard.steps import Steps, codes, command
from tests.shared import ROOT as CHECKOUT

RESULTS = "leaderboard-results"
TESTS = CHECKOUT / "tests"
DATE = "2026-01-01T00:00:00Z"


def test_no_code_is_asserted_nowhere() -> None:
    board = codes_asserted(TESTS / "hostile", TESTS / "leaderboard", TESTS / "pages")
    below = board | codes_asserted(
        *(TESTS / name for name in ("loaders", "records", "published", "web", "agreement"))
    )
    missing = {
        f"{path.relative_to(PACKAGE)}: {code}"
        for path in STEPS
        for code in codes_in(path) - (board if BOARD in path.parents else below)
    }
    assert missing == set()
    assert len(set().union(*map(codes_in, STEPS))) > 60


# intake


def refused(one: Steps) -> str:
    """What the command says where intake refuses."""
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
    )
    assert (said.exit_code, said.stdout) == (1, "")
    return said.stderr


LEDGER = append_events(b"", [Event("note", DATE, "s", reason=f"{n}") for n in range(3)])
LEDGERS = [
    ("ledger-broken", LEDGER[:-1]),
    ("ledger-broken", b"".join(LEDGER.splitlines(keepends=True)[1:])),
    ("not-canonical", LEDGER.replace(b'"author":null', b'"author": null', 1)),
    ("wrong-value", LEDGER.replace(b'"event":"note"', b'"event":"nonsense"', 1)),
]


@pytest.mark.parametrize(("code", "ledger"), LEDGERS)
def test_a_ledger_that_was_touched(
    start: Start, repository: Repository, code: str, ledger: bytes
) -> None:
    files: dict[str, Content] = {f"{ROOT}/results/ledger.jsonl": ledger}
    git(repository.path, "update-ref", f"refs/heads/{RESULTS}", repository.commit(files))
    assert refused(start()).splitlines()[0] == f"code: {code}"


@pytest.mark.slow
def test_three_files_that_are_too_large_together(start: Start, repository: Repository) -> None:
    """Each is small enough, and git keeps the one they share."""
    nothing = repository.blob(b"\0" * 134_000_000)
    base = repository.entry(S)
    tree = git(repository.path, "rev-parse", f"{repository.commit(base)}:{ROOT}/metadata")
    rows = [
        ("40000", f"{setting}-generations", repository.tree(("100644", f"{S}.jsonl", nothing)))
        for setting in ("closedbook", "evidenceprovided", "openbook")
    ]
    from tests.hostile.pulls import under

    commit = repository.of_tree(under(repository, ("40000", "metadata", tree), *rows))
    request = repository.pull(
        repository.commit(
            {
                f"{ROOT}/openbook-generations/veteran.jsonl": repository.at(
                    "main", "openbook-generations/veteran.jsonl"
                )
            },
            commit,
        )
    )
    one = start()
    one.request = request
    said = refused(one)
    assert said in ("code: too-large\n", "code: git-refused\n"), said
    assert said == "code: too-large\n"


def test_a_folder_of_more_names_than_are_read(start: Start, repository: Repository) -> None:
    from tests.hostile.pulls import under

    oid = repository.blob("{}")
    folder = repository.tree(*[("100644", f"s{n:06}.jsonl", oid) for n in range(100_001)])
    one = start()
    tree = under(repository, ("40000", "openbook-generations", folder))
    one.request = repository.pull(repository.of_tree(tree))
    assert refused(one) == "code: too-many\n"


@pytest.mark.parametrize(
    ("step", "does", "code"),
    [
        ("init", "exit 1", "git-failed"),
        ("ls-tree", "exit 1", "git-failed"),
        ("fetch", "exit 1", "not-fetched"),
        ("merge-base", "exit 1", "git-refused"),
        ("fetch", "sleep 5", "git-failed"),
    ],
)
def test_a_git_that_fails_or_never_ends(
    start: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str, does: str, code: str
) -> None:
    one = start()
    git_ = shutil.which("git")
    (tmp_path / "bin").mkdir()
    fake = tmp_path / "bin" / "git"
    fake.write_text(f'#!/bin/sh\n[ "$1" = {step} ] && {{ {does}; }}\nexec {git_} "$@"\n')
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:/usr/bin:/bin")
    monkeypatch.setattr(git_objects, "SECONDS", 2)
    assert refused(one) == f"code: {code}\n"


def test_no_git_at_all(start: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one = start()
    monkeypatch.setenv("PATH", str(tmp_path))
    assert refused(one) == "code: git-failed\n"


# check, at home


def checked(board: Path) -> str:
    said = command("submission", "check", board)
    assert said.exit_code == 1
    return said.stdout + said.stderr


def test_a_file_where_a_folder_belongs(repository: Repository) -> None:
    shutil.rmtree(repository.folder / "metadata")
    (repository.folder / "metadata").write_text("x")
    assert "unreadable" in checked(repository.folder)


def test_ids_that_are_no_questions(repository: Repository) -> None:
    from argue_bench.leaderboard.submitting.answer_files import coverage
    from argue_bench.loaders import load

    dataset = load("core", "test", repository.folder / "topics")
    found = coverage({*dataset.by_id, "zz"}, dataset)
    assert [finding.code for finding in found] == ["unknown-id"]


# score


def test_what_is_no_bundle(start: Start) -> None:
    one = start()
    one.intake()
    for raw, code in ((b"not a bundle", "not-json"), (b"{}", "wrong-shape")):
        (one.taken / "bundle").write_bytes(raw)
        said = one.score(hashlib.sha256(raw).hexdigest())
        assert (said.exit_code, {*said.stderr.splitlines()}) == (1, {f"code: {code}"})


def recorded(one: Steps) -> list[Event]:
    """The events of the ledger."""
    there = git(one.repository.path, "for-each-ref", f"refs/heads/{RESULTS}")
    return read_ledger(one.repository.at(RESULTS, "results/ledger.jsonl")) if there else []


def failed(one: Steps, *options: object) -> str:
    """The one code of a scoring that failed, which left no run, no files and a sealed diagnosis."""
    said = one.score(one.intake(), *options)
    assert said.exit_code == 1
    outcome = one.outcome
    assert (outcome["state"], outcome["files"]) == ("failed", {})
    assert len((one.scored / "diagnosis.sealed").read_bytes()) > 65_536
    assert "The scoring failed" in one.comment()
    before = len(recorded(one))
    assert one.record().exit_code == 0
    (event,) = recorded(one)[before:]
    assert (event.event, event.scores) == ("failed", {})
    (code,) = codes(outcome)
    assert said.stderr == f"state: failed\ncode: {code}\n"
    return code


def test_a_judge_that_answers_nothing(start: Start, tmp_path: Path) -> None:
    label = {"ask": {"kind": "Similar", "reference": "a", "candidate": "b"}, "verdict": 1}
    (tmp_path / "none.jsonl").write_text(json.dumps(label))
    answers = start().repository.answers("It was built in 1931 by Kim Lee [1].")
    one = start(answers=answers)
    season = one.repository.folder / "season.json"
    text = json.dumps(
        json.loads(season.read_text()) | {"judge": f"recorded:{tmp_path / 'none.jsonl'}"}
    )
    season.write_text(text)
    assert failed(one) == "judge-failed"


@pytest.mark.slow
def test_as_many_scorings_may_fail_as_there_are_runs(start: Start, repository: Repository) -> None:
    """Each failure is told and costs no run, so that a scorer which fails by the gold told a bit a label."""
    season = repository.folder / "season.json"
    good = season.read_text()
    season.write_text(good.replace('"argue.f1"', '"argue.no_such_score"'))
    for number in range(QUOTA):
        assert failed(start(f"system-{number}")) == "scorer-failed"
    season.write_text(good)
    one = start()
    one.score(one.intake())
    assert codes(one.outcome) == ["quota"]
    assert start("another", author="2002").whole()["state"] == "scored"
    opened = Event("season opened", "2026-01-01T00:00:00Z", SEASON, reason="it was our fault")
    record_events(RecordTarget(one.request.remote), [opened])
    assert start("once-more").whole()["state"] == "scored"


def tampered(repository: Repository, path: str, change: Callable[[bytes], bytes]) -> None:
    """The results branch with one file changed by somebody who may push to it."""
    raw = change(repository.at(RESULTS, path))
    commit = repository.commit({f"{ROOT}/{path}": raw}, RESULTS)
    git(repository.path, "update-ref", f"refs/heads/{RESULTS}", commit)


def flipped(raw: bytes) -> bytes:
    return raw[:200] + bytes([raw[200] ^ 1]) + raw[201:]


def test_tallies_that_do_not_open(start: Start, repository: Repository) -> None:
    start().whole()
    tampered(repository, f"results/{SEASON}/tallies/{S}.sealed", flipped)
    assert failed(start("other", author="2002")) == "seal"


def test_tallies_that_are_anothers(start: Start, repository: Repository) -> None:
    """They open for their own system alone: nobody is given another's."""
    start().whole()
    start("other", author="2002").whole()
    others = repository.at(RESULTS, f"results/{SEASON}/tallies/other.sealed")
    tampered(repository, f"results/{SEASON}/tallies/{S}.sealed", lambda _: others)
    assert failed(start("third", author="2003")) == "seal"


def test_a_result_on_the_branch_that_nobody_signed(start: Start, repository: Repository) -> None:
    start().whole()
    path = f"results/{SEASON}/{S}.json"
    tampered(repository, path, lambda raw: raw.replace(b'"schema":1', b'"schema":2'))
    from argue_bench.baselines import generate
    from argue_bench.loaders import load  # isort: skip

    dataset = load("core", "test", repository.folder / "topics")
    better = "".join(
        json.dumps(one) + "\n" for one in generate("bm25-extractive", dataset, "openbook")
    )
    # It counts as none, as where its key was taken out, and the next row is signed whole.
    assert start(answers=better).whole()["state"] == "scored"


# record


def resigned(
    one: Steps, change: Callable[[dict[str, Any]], None], files: Mapping[str, bytes] | None = None
) -> None:
    """Another outcome with a good signature: as a scorer would write that had gone wrong."""
    outcome = one.outcome
    for path, content in (files or {}).items():
        (one.scored / path).parent.mkdir(parents=True, exist_ok=True)
        (one.scored / path).write_bytes(content)
        outcome["files"][path] = hashlib.sha256(content).hexdigest()
    change(outcome)
    content = canonical(outcome)
    (one.scored / "score.json").write_bytes(content)
    (one.scored / "score.json.sig").write_bytes(sign_bytes(content, SIGNING))


def keep(outcome: dict[str, Any]) -> None:
    """Changes nothing."""


def not_recorded(one: Steps) -> str:
    said = one.record()
    assert said.exit_code == 1
    assert RESULTS not in git(one.repository.path, "for-each-ref")
    return said.stderr


def test_a_result_of_somebody_else(start: Start) -> None:
    one = start()
    one.score(one.intake())
    path = f"results/{SEASON}/{S}.json"
    for key, value in (("author", "2002"), ("commit", "ab" * 20)):
        result = canonical({**json.loads((one.scored / path).read_bytes()), key: value})
        resigned(one, keep, {path: result, f"{path}.sig": sign_bytes(result, SIGNING)})
        assert not_recorded(one) == "code: other-result\n"


def test_a_result_without_a_good_signature(start: Start) -> None:
    one = start()
    one.score(one.intake())
    for name in (f"{S}.json", "bands.json"):
        path = f"results/{SEASON}/{name}.sig"
        good = (one.scored / path).read_bytes()
        resigned(one, keep, {path: sign_bytes(b"something else", SIGNING)})
        assert not_recorded(one) == "code: bad-signature\n"
        resigned(one, keep, {path: good})
    resigned(one, keep)
    assert one.record().exit_code == 0


def test_an_outcome_of_other_files_bytes_shape_or_values(start: Start) -> None:
    """In another's place; a result of no shape; files beside a score that did not move; and no outcome at all."""
    one = start()
    one.score(one.intake())
    good = one.outcome
    for path in (
        f"results/{SEASON}/veteran.json",
        "results/other/my-system.json",
        f"results/{SEASON}/tallies/veteran.sealed",
        "results/ledger.jsonl/xx",
    ):
        resigned(one, keep, {path: b"{}"})
        assert not_recorded(one) == "code: other-result\n", path
        resigned(one, lambda outcome, path=path: outcome["files"].pop(path))
    resigned(one, lambda outcome: outcome.update(state="withdrawn"))
    assert not_recorded(one) == "code: other-result\n"
    resigned(one, lambda outcome: outcome.update(good))
    path = f"results/{SEASON}/{S}.json"
    whole = {name: (one.scored / name).read_bytes() for name in (path, f"{path}.sig")}
    resigned(one, keep, {path: b"{}", f"{path}.sig": sign_bytes(b"{}", SIGNING)})
    assert set(not_recorded(one).splitlines()) == {"code: wrong-shape"}
    resigned(one, keep, whole)
    spoilt = {
        "not-canonical": json.dumps(good).encode(),
        "wrong-shape": canonical({**good, "more": 1}),
        "wrong-value": canonical({**good, "system": "../x"}),
    }
    for code, content in spoilt.items():
        (one.scored / "score.json").write_bytes(content)
        (one.scored / "score.json.sig").write_bytes(sign_bytes(content, SIGNING))
        assert not_recorded(one) == f"code: {code}\n"
        assert "Not recorded" in one.comment()
        (one.scored / "record.json").unlink()
        said = command("board", "ci", "comment", "--outcome", one.scored, "--out", one.folder / "c")
        assert (said.exit_code, said.stderr) == (1, f"code: {code}\n")


# the organiser's diagnosis


def opened(one: Steps) -> tuple[int, str]:
    said = command("board", "season", "open", one.scored / "diagnosis.sealed")
    return said.exit_code, said.stdout


def test_the_organiser_reads_why_a_scoring_failed(start: Start, repository: Repository) -> None:
    season = repository.folder / "season.json"
    text = season.read_text()
    season.write_text(text.replace('"argue.f1"', '"argue.no_such_score"'))
    one = start()
    assert failed(one) == "scorer-failed"
    code, said = opened(one)
    assert code == 0
    assert "UnknownName" in said
    assert "argue.no_such_score" in said
    assert said == command("board", "season", "open", one.scored).stdout


def test_a_diagnosis_acts_on_no_terminal(tmp_path: Path) -> None:
    from argue_bench.leaderboard.scoring.containment import NAME, open_diagnosis, seal_diagnosis

    (tmp_path / NAME).write_bytes(
        seal_diagnosis("a\x1b[31m\u202e\nb\r" + "x" * 9_999, "ab" * 32, "cd" * 32)
    )
    StepOutcome("score", "failed", digest="cd" * 32).write(tmp_path)
    one, two, three = open_diagnosis(tmp_path / NAME, "ab" * 32)
    assert (one, two) == ("a⟨U+001B⟩[31m⟨U+202E⟩", "b")
    assert len(three) == 4_000


def test_the_organiser_alone_opens_the_diagnosis_of_a_scoring_that_ended(
    start: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = start()
    one.whole()
    assert opened(one) == (0, "")  # the scorer had nothing to say
    with monkeypatch.context() as other:
        other.setenv("ANSWERS_KEY", "cd" * 32)
        assert opened(one) == (1, "")
        other.delenv("ANSWERS_KEY")
        assert opened(one) == (2, "")
    alone = tmp_path / "diagnosis.sealed"
    alone.write_bytes((one.scored / "diagnosis.sealed").read_bytes())
    assert command("board", "season", "open", alone).exit_code == 1  # no outcome beside it
    other_run = replace(read_outcome(one.scored / "score.json"), digest="ab" * 32)
    other_run.write(tmp_path)
    assert command("board", "season", "open", alone).exit_code == 1


# verify


def test_a_signed_result_that_the_ledger_does_not_know(start: Start, tmp_path: Path) -> None:
    one = start()
    one.whole()
    repository = one.repository
    files: dict[str, Content] = {f"{ROOT}/results/ledger.jsonl": LEDGER}
    git(repository.path, "update-ref", f"refs/heads/{RESULTS}", repository.commit(files, RESULTS))
    git(tmp_path, "clone", "--quiet", "--branch", RESULTS, str(repository.path), "clone")
    said = command("board", "verify", tmp_path / "clone" / ROOT, "--keys", repository.folder)
    assert said.exit_code == 1
    assert "ledger-other" in said.stdout
