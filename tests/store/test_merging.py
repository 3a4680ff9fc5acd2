"""Merging stores: everything once, the first stays, parts that are missing are named."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from argue_bench.errors import Code, DataError
from argue_bench.records import Entails, Failed, JudgeRequest, Source, Verdict
from argue_bench.store import Author, Store
from argue_bench.store.file import merge_stores
from tests.judges.slow import requests, truth
from tests.shared import ROOT

ONE, OTHER = Author.of("one", {"model": "m"}), Author.of("other", {"model": "m"})
LONG = Source("d", "A long document. " * 50)


def _asked(number: int) -> JudgeRequest:
    return Entails((LONG,), f"Fact {number}.")


def _fill(path: Path, *rows: tuple[Author, int, Verdict | Failed]) -> Path:
    with Store(path) as store:
        for judge, number, reply in rows:
            store.add(judge, _asked(number), reply)
    return path


def test_verdicts_failures_and_judges_come_together(tmp_path: Path) -> None:
    yes, no = Verdict("yes", "n", "sent", "came"), Verdict("no")
    # The same judges and requests have other row numbers in each part.
    a = _fill(
        tmp_path / "a", (ONE, 1, yes), (OTHER, 1, no), (ONE, 2, no), (ONE, 9, Failed("first"))
    )
    b = _fill(
        tmp_path / "b",
        *((OTHER, 3, yes), (ONE, 2, yes), (ONE, 1, yes), (OTHER, 4, Failed("why", "Q", "A"))),
        *((ONE, 9, Failed("second")), (ONE, 9, Failed("third")), (OTHER, 2, Verdict(0.5))),
    )
    c = _fill(tmp_path / "c", (OTHER, 4, no), (ONE, 5, Failed("late")))
    found = merge_stores(tmp_path / "all", [a, b, c])
    assert (found.read, found.added, found.differing) == (8, 6, 1)
    with Store(tmp_path / "all", write=False) as store:
        kept = [
            (one.judge.name, dict(one.request)["hypothesis"], one.verdict.value) for one in store
        ]
        assert kept == [
            ("one", "Fact 1.", "yes"),
            ("other", "Fact 1.", "no"),
            ("one", "Fact 2.", "no"),
            ("other", "Fact 3.", "yes"),
            ("other", "Fact 2.", 0.5),
            ("other", "Fact 4.", "no"),
        ]
        first = next(iter(store)).verdict
        assert (first.note, first.prompt, first.reply) == ("n", "sent", "came")
        missed = {dict(one.request)["hypothesis"]: one for one in store.failures()}
        assert {name: (one.failed.reason, one.times) for name, one in missed.items()} == {
            "Fact 9.": ("third", 3),
            "Fact 5.": ("late", 1),
        }
        assert store.find(ONE, [_asked(1)]) == {_asked(1).key: Verdict("yes", "n")}
        assert store.request(_asked(3).key) == _asked(3)
    again = merge_stores(tmp_path / "all", [a, b, c])
    assert (again.read, again.added) == (8, 0)


def test_what_was_spent_is_summed_and_a_part_counts_once(tmp_path: Path) -> None:
    for name, dollars in (("a", 0.25), ("b", 0.5)):
        with Store(tmp_path / name) as store:
            store.add_spent(dollars)
    with Store(tmp_path / "all") as store:
        store.add_spent(1.0)
    for _ in range(2):
        merge_stores(tmp_path / "all", [tmp_path / "a", tmp_path / "b"])
    with Store(tmp_path / "a") as store:
        store.add_spent(0.25)
    merge_stores(tmp_path / "all", [tmp_path / "a"])
    with Store(tmp_path / "all") as store:
        store.add_spent(1.0)
        assert store.spent() == 3.0


def test_a_merged_store_can_be_added_to(tmp_path: Path) -> None:
    a, b = (_fill(tmp_path / str(n), (ONE, n, Verdict("yes"))) for n in (1, 2))
    merge_stores(tmp_path / "all", [a, b])
    _fill(tmp_path / "all", (ONE, 2, Verdict("no")), (ONE, 3, Verdict("no")))
    with Store(tmp_path / "all", write=False) as store:
        assert [one.verdict.value for one in store] == ["yes", "yes", "no"]
        assert store.request(_asked(3).key) == _asked(3)


def test_the_store_of_a_killed_process_is_merged_whole(tmp_path: Path) -> None:
    """What was committed lies in the log beside the file; nothing but SQLite reads it there."""
    path, log = tmp_path / "s.1-of-2", tmp_path / "log"
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.judges.slow", str(path), str(log), "400", "0.001"], cwd=ROOT
    )
    while not log.exists() or len(log.read_text().split()) < 60:
        assert process.poll() is None
        os.sched_yield()
    process.send_signal(signal.SIGKILL)
    process.wait()
    answered = log.read_text().split()
    merge_stores(tmp_path / "all", [path])
    with Store(tmp_path / "all", write=False) as store:
        kept = {one.key: one.verdict.value for one in store}
    assert len(answered) - 1 <= len(kept) <= len(answered)
    assert kept.items() <= {request.key: truth(request) for request in requests(400)}.items()
    with Store(path) as store:  # it can go on as well
        assert len(store) == len(kept)


def test_every_part_that_cannot_be_read_is_named_at_once(tmp_path: Path) -> None:
    good = _fill(tmp_path / "good", (ONE, 1, Verdict("yes")))
    (tmp_path / "text").write_text("notes")
    with pytest.raises(DataError) as caught:
        merge_stores(tmp_path / "all", [good, tmp_path / "absent", tmp_path / "text"])
    assert [one.code for one in caught.value.findings] == [Code.NO_SUCH_FILE, Code.NOT_A_RUN_FILE]
    assert not (tmp_path / "all").exists()
    with pytest.raises(DataError, match="other-data"):
        merge_stores(good, [good])


def test_a_part_that_breaks_on_the_way_leaves_the_target_as_it_was(tmp_path: Path) -> None:
    good = _fill(tmp_path / "good", (ONE, 1, Verdict("yes")))
    bad = _fill(tmp_path / "bad", (ONE, 2, Verdict("yes")))
    db = sqlite3.connect(bad)
    db.execute("DROP TABLE replies")
    db.close()
    with pytest.raises(DataError):
        merge_stores(tmp_path / "all", [good, bad])
    with Store(tmp_path / "all") as store:
        assert len(store) == 1
        assert [one.digest for one in store.judges()] == [ONE.digest]
