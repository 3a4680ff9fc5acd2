"""The verdict store: nothing lost, nothing asked twice, one process at a time, clear refusals."""

from __future__ import annotations

import asyncio
import os
import resource
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

from argue_bench.errors import DataError
from argue_bench.records import (
    KINDS,
    Answers,
    Factual,
    FirstInstance,
    Grounded,
    Relevant,
    Similar,
    Source,
    Span,
    Verdict,
    request_from_json,
)
from argue_bench.store import Author, Store
from tests.judges.slow import Slow, requests, run, truth
from tests.shared import ROOT

JUDGE = Author.of("someone", {"model": "m"})
LONG = "A long document. " * 100


def _slow(*args: object) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "tests.judges.slow", *map(str, args)],
        cwd=ROOT,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def test_keeps_every_kind_of_ask_and_verdict(tmp_path: Path) -> None:
    source = Source("d1", LONG)
    said = [
        (Answers("s", "q", "a"), Verdict("yes", "note", "request", "reply")),
        (Relevant(source, "q", "a"), Verdict("no", probability=0.5, flag="name")),
        (FirstInstance("s", ("p1", LONG)), Verdict("yes")),
        (Grounded("q", "r", ("s",), (source, Source("d2", "short")), LONG), Verdict("4")),
        (Factual("q", "", ""), Verdict("F")),
        (Span("q", LONG), Verdict("some words")),
        (Span("q", "none"), Verdict("")),
        (Similar("é ", "\U0001f600"), Verdict(0.25)),
        (Similar("a", "b"), Verdict(1.0)),
    ]
    with Store(tmp_path / "s") as store:
        for request, verdict in said:
            store.add(JUDGE, request, verdict)
    with Store(tmp_path / "s", write=False) as store:
        entries = list(store)
        assert [request_from_json(dict(entry.request)) for entry in entries] == [
            request for request, _ in said
        ]
        assert [entry.verdict.value for entry in entries] == [v.value for _, v in said]
        assert entries[1].verdict == said[1][1]
        assert type(entries[-1].verdict.value) is float
        assert (entries[0].verdict.prompt, entries[0].verdict.reply) == ("request", "reply")
        assert {entry.judge.name for entry in entries} == {"someone"}
        assert entries[0].judge.identity == {"model": "m"}
        assert [entry.kind for entry in entries[:2]] == ["Answers", "Relevant"]
        assert all(entry.kind in KINDS and entry.key for entry in entries)
        assert store.request(said[3][0].key) == said[3][0]
        assert store.request("0" * 64) is None


def test_half_a_surrogate_pair_does_no_harm(tmp_path: Path) -> None:
    requests = [Span("q\ud800", "c"), Span("q", "\udfff" * 300)]
    with Store(tmp_path / "s") as store:
        for request in requests:
            store.add(JUDGE, request, Verdict("v\ud800", "n\ud800", "r\ud800", "a\ud800"))
        assert [request_from_json(dict(entry.request)) for entry in store] == requests
        assert store.find(JUDGE, requests)[requests[0].key] == Verdict("v?", "n?")


def test_judges_that_differ_in_anything_do_not_share_verdicts(tmp_path: Path) -> None:
    request = Answers("s", "q", "a")
    with Store(tmp_path / "s") as store:
        store.add(JUDGE, request, Verdict("yes"))
        assert store.find(JUDGE, [request]) == {request.key: Verdict("yes")}
        for other in (
            Author.of("someone", {"model": "m2"}),
            Author.of("another", {"model": "m"}),
        ):
            assert store.find(other, [request]) == {}


def test_what_is_stored_is_not_asked_again(tmp_path: Path) -> None:
    wanted, log = requests(50), tmp_path / "log"
    with Store(tmp_path / "s") as store:
        first = asyncio.run(run(store, Slow(log), wanted[:30]))
        judge = Slow(log)
        second = asyncio.run(run(store, judge, wanted))
    assert len(log.read_text().split()) == 50
    assert second == {request.key: Verdict(truth(request), "a note") for request in wanted}
    assert first.items() <= second.items()
    assert (judge.counts.stored, judge.counts.requests) == (30, 20)


def test_failures_are_kept_for_reading_and_asked_again(tmp_path: Path) -> None:
    wanted, log = requests(20), tmp_path / "log"
    with Store(tmp_path / "s") as store:
        asyncio.run(run(store, Slow(log, fails_on="Fact 7"), wanted))
        asyncio.run(run(store, Slow(log, fails_on="Fact 7"), wanted))
        (missed,) = store.failures()
        assert (missed.failed.reason, missed.times) == ("no idea", 2)
        assert (missed.failed.prompt, missed.failed.reply) == ("Q", "garbled")
        assert missed.request["hypothesis"] == "Fact 7 holds."
        assert len(store) == 19
        asyncio.run(run(store, Slow(log), wanted))
        assert list(store.failures()) == []
        assert len(store) == 20
    assert len(log.read_text().split()) == 22


def test_replies_are_handed_on_without_the_raw_texts(tmp_path: Path) -> None:
    with Store(tmp_path / "s") as store:
        replies = asyncio.run(run(store, Slow(tmp_path / "log"), requests(2)))
        assert {(reply.prompt, reply.reply) for reply in replies.values()} == {("", "")}
        assert {(entry.verdict.prompt, entry.verdict.reply) for entry in store} == {("Q", "A")}


@pytest.mark.parametrize("after", [0.3, 0.9])
def test_killed_while_storing_loses_nothing_and_asks_nothing_twice(
    tmp_path: Path, after: float
) -> None:
    path, log = tmp_path / "s", tmp_path / "log"
    process = _slow(path, log, 600, 0.002)
    assert process.stdout is not None
    process.stdout.readline()
    time.sleep(after)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    answered = log.read_text().split()
    assert 0 < len(answered) < 600
    with Store(path) as store:
        kept = [entry.key for entry in store]
    # The judge notes an ask before its verdict is stored, so the last one may be on its way.
    assert kept in (answered, answered[:-1])
    again = _slow(path, log, 600, 0)
    out, err = again.communicate(timeout=60)
    assert (again.returncode, err) == (0, "")
    assert out.split() == ["open", "600"]
    asked = log.read_text().split()
    assert len(asked) == 600 + (len(answered) - len(kept))
    with Store(path, write=False) as store:
        assert {entry.key: entry.verdict.value for entry in store} == {
            request.key: truth(request) for request in requests(600)
        }


def test_a_second_process_is_refused_with_the_reason(tmp_path: Path) -> None:
    path, log = tmp_path / "s", tmp_path / "log"
    first = _slow(path, log, 300, 0.01)
    assert first.stdout is not None
    assert first.stdout.readline() == "open\n"
    second = _slow(path, tmp_path / "log2", 10, 0, 0.2)
    out, err = second.communicate(timeout=60)
    assert (out, second.returncode) == ("", 1)
    assert "another process has this store open" in err
    assert "--store" in err
    with pytest.raises(DataError, match="another process"):
        Store(path, wait=0.1, write=False)
    assert first.communicate(timeout=60)[0] == "300\n"
    assert not (tmp_path / "log2").exists()


def test_another_version_is_refused_with_what_to_do(tmp_path: Path) -> None:
    with Store(tmp_path / "s") as store:
        store.add(JUDGE, Answers("s", "q", "a"), Verdict("yes"))
    db = sqlite3.connect(tmp_path / "s")
    db.execute("PRAGMA user_version=99")
    db.close()
    before = (tmp_path / "s").read_bytes()
    with pytest.raises(DataError, match=r"version 99, .* reads 8.*name a new file"):
        Store(tmp_path / "s")
    assert (tmp_path / "s").read_bytes() == before


def test_a_file_that_is_no_store_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("These are my notes, kept for years.\n" * 50)
    db = sqlite3.connect(tmp_path / "other")
    db.execute("CREATE TABLE mine (x)")
    db.close()
    (tmp_path / "short").write_text("x")
    for name in ("text", "other", "short"):
        before = (tmp_path / name).read_bytes()
        with pytest.raises(DataError, match=r"not-a-run-file|has version 0"):
            Store(tmp_path / name)
        assert (tmp_path / name).read_bytes() == before
    with pytest.raises(DataError, match="no-such-file"):
        Store(tmp_path / "absent", write=False)
    assert not (tmp_path / "absent").exists()


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE judges SET identity = 'x'",
        "UPDATE judges SET identity = '[1]'",
        "UPDATE judges SET digest = 'no number'",
        "UPDATE verdicts SET raw = 7",
        "DELETE FROM judges",
        # A view may have rows without end.
        "DROP TABLE judges; CREATE VIEW judges AS SELECT 1 AS number, 'a' AS digest, 'b' AS name, '{}' AS identity",
    ],
)
def test_a_damaged_store_is_a_finding(tmp_path: Path, damage: str) -> None:
    with Store(tmp_path / "s") as store:
        store.add(JUDGE, Answers("s", "q", "a"), Verdict("yes", "", "sent", "received"))
    db = sqlite3.connect(tmp_path / "s")
    db.executescript(damage)
    db.close()
    with pytest.raises(DataError), Store(tmp_path / "s", write=False) as store:
        list(store)


def test_a_cut_off_store_is_a_finding(tmp_path: Path) -> None:
    with Store(tmp_path / "s") as store:
        for request in requests(200):
            store.add(JUDGE, request, Verdict("yes"))
    raw = (tmp_path / "s").read_bytes()
    (tmp_path / "s").write_bytes(raw[: len(raw) // 2])
    with (
        pytest.raises(DataError, match="not-a-run-file"),
        Store(tmp_path / "s", write=False) as store,
    ):
        list(store)


def test_a_full_disk_is_an_error_and_what_was_kept_stays(tmp_path: Path) -> None:
    """A real write error: the system refuses this process files above a size."""
    path = tmp_path / "s"
    code = f"""
import resource, signal
from argue_bench.errors import DataError
from argue_bench.records import Answers, Verdict
from argue_bench.store import Author, Store
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (3_000_000, 3_000_000))
judge, kept = Author.of("someone", {{}}), 0
store = Store({str(path)!r})
try:
    for n in range(100_000):
        store.add(judge, Answers("s" * 150 + str(n), "q", "a"), Verdict("yes"))
        kept += 1
except DataError as error:
    print(kept, error)
store.close()
"""
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, text=True, capture_output=True)
    assert (done.returncode, done.stderr) == (0, "")
    kept, _, message = done.stdout.partition(" ")
    assert 100 < int(kept) < 100_000
    assert str(path) in message
    assert "What was stored so far stays" in message
    with Store(path, write=False) as store:
        assert len(store) == int(kept)


def test_a_closed_store_can_be_read_where_nothing_can_be_written(tmp_path: Path) -> None:
    path = tmp_path / "s"
    with Store(path) as store:
        store.add(JUDGE, Answers("s", "q", "a"), Verdict("yes"))
    assert sorted(os.listdir(tmp_path)) == ["s"]
    limit = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, limit[1]))  # no byte can be written
    try:
        with Store(path, write=False) as store:
            assert len(list(store)) == 1
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limit)
        signal.signal(signal.SIGXFSZ, handler)


def test_reading_a_store_changes_no_byte(tmp_path: Path) -> None:
    path = tmp_path / "s"
    with Store(path) as store:
        store.add(JUDGE, Answers("s", "q", "a"), Verdict("yes"))
    before = path.read_bytes()
    with Store(path, write=False) as store:
        assert len(store.find(JUDGE, [Answers("s", "q", "a")])) == 1
        with pytest.raises(DataError, match="not-written"):
            store.add(JUDGE, Answers("t", "q", "a"), Verdict("yes"))
    assert path.read_bytes() == before


def test_nothing_is_written_through_a_link(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(DataError, match="symlink"):
        Store(tmp_path / "link")
    assert not (tmp_path / "elsewhere").exists()
