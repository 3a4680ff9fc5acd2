"""The cost of one more submission to a board, step by step, from 10 to 3,000 systems.

    python -m benchmarks.board [SYSTEMS ...]

A board is printed with `git fast-import`: one commit a system on main and on the results branch, each with
a signed result, sealed tallies of 400 topics and its line of the ledger. Then one further submission (3
settings, 400 topics) is taken in, judged against the board (scoring itself is left out: it does not
grow), and recorded. Columns are seconds of processor time, git's too, so that what else runs here counts
little; the last row says by what factor each grew.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import numpy as np

from argue_bench.leaderboard.commands.board.job import banding
from argue_bench.leaderboard.formats.git_objects import open_objects
from argue_bench.leaderboard.formats.ledger import Event, append_events
from argue_bench.leaderboard.formats.season import Season, SetEntry
from argue_bench.leaderboard.intake.entries import PullRequest
from argue_bench.leaderboard.intake.pull_request import receive_pull_request
from argue_bench.leaderboard.publishing.record import RecordTarget, record_events
from argue_bench.leaderboard.scoring.results_branch import (
    RankedColumns,
    read_results_branch,
    seal_tallies,
)
from argue_bench.leaderboard.signing.keys import new_key
from argue_bench.loaders import load
from argue_bench.stats.averages import Column, Macro
from benchmarks._options import options

SIZES = (10, 100, 1_000)
TOPICS = 400
ROOT = "leaderboard-submissions"
SETTINGS = ("closedbook", "openbook", "evidenceprovided")
AVERAGE = Macro("f1")
STEPS = ("intake", "read results", "open tallies", "bands", "record", "all")


def main() -> None:
    parser = options(__doc__)
    parser.add_argument("systems", type=int, nargs="*", default=SIZES)
    sizes = parser.parse_args().systems
    table = []
    for size in sizes:
        with tempfile.TemporaryDirectory() as name:
            table.append((size, measure(Path(name), size)))
    print(f"{'systems':>8}  " + "  ".join(f"{step:>12}" for step in STEPS))
    for size, row in table:
        print(f"{size:>8}  " + "  ".join(f"{row[step]:>12.2f}" for step in STEPS))
    first, last = table[0], table[-1]
    ratios = [f"{last[1][step] / max(first[1][step], 1e-6):>11.1f}x" for step in STEPS]
    print(f"{'x' + format(last[0] / first[0], 'g'):>8}  " + "  ".join(ratios))


def measure(folder: Path, size: int) -> dict[str, float]:
    key = new_key()
    dataset = load("core", "test")
    season = Season("s1", SetEntry("core", "test"))
    repository = folder / "board.git"
    files = submission(dataset.by_id)
    head = print_board(repository, size, key, files)
    row: dict[str, float] = {}
    clock = timed(row)
    remote = f"file://{repository}"
    base = git(repository, "rev-parse", "main")
    with clock("intake"):
        bundle, _ = receive_pull_request(
            PullRequest(remote, 1, head, base, "new-author"), season, dataset
        )
    with open_objects(remote) as objects:
        with clock("read results"):
            state = read_results_branch(objects, "s1", "leaderboard-results")
        with clock("open tallies"):
            own = state.counted(state.systems, key)
    mine = tallies(np.random.default_rng(1), 0.9)
    with clock("bands"):
        for setting in SETTINGS:
            systems = {name: one[setting].columns for name, one in own.items() if setting in one}
            systems["new"] = mine[setting].columns
            banding("f1", AVERAGE, systems, None)
    event = Event("scored", "2026-01-01T00:00:00Z", "s1", "newcomer", "new-author")
    content = bundle.files["metadata/newcomer.json"]
    with clock("record"):
        record_events(RecordTarget(remote), [event], {"results/s1/newcomer.json": content})
    row["all"] = sum(row.values())
    return row


def submission(ids: Iterable[str]) -> dict[str, bytes]:
    """A full submission: three settings, every question."""
    # Sentences that differ: the screening holds a row that repeats one.
    text = " ".join(
        f"Hall {n} was built in {1900 + n} by a company of the town, as the council said [1]."
        for n in range(12)
    )
    lines = "".join(json.dumps({"id": id, "answer": text}) + "\n" for id in ids).encode()
    about = {
        "name": "Newcomer",
        "authors": "A",
        "url": None,
        "citation": "A, 2026",
        "type": "OTHER",
        "context": 0,
        "is_trained_for_function_calling": False,
        **{f"{s}_generations": "newcomer.jsonl" for s in SETTINGS},
    }
    made = {f"{s}-generations/newcomer.jsonl": lines for s in SETTINGS}
    return {**made, "metadata/newcomer.json": json.dumps(about).encode()}


def tallies(rng: np.random.Generator, level: float) -> dict[str, RankedColumns]:
    made = {}
    for setting in SETTINGS:
        got = np.clip(rng.normal(level, 0.3, TOPICS), 0, 1).round(3)
        made[setting] = RankedColumns({"metric": "f1"}, {"f1": Column(got, np.ones(TOPICS))})
    return made


def print_board(repository: Path, size: int, key: str, files: dict[str, bytes]) -> str:
    """A bare repository with this many systems; returns the head of pull request 1."""
    subprocess.run(
        ["git", "init", "--quiet", "--bare", "--initial-branch=main", repository], check=True
    )
    git(repository, "config", "uploadpack.allowFilter", "true")
    rng = np.random.default_rng(7)
    given, ledger = bytearray(), b""
    last: Event
    for number in range(size):
        name = f"system-{number}"
        last = Event("scored", "2026-01-01T00:00:00Z", "s1", name, f"author-{number}")
        ledger = append_events(ledger, [last])
        sealed = seal_tallies(tallies(rng, rng.uniform(0.2, 0.7)), key, "s1", name)
        given += commit(
            "main",
            {
                f"metadata/{name}.json": b"{}",
                **{f"{s}-generations/{name}.jsonl": name.encode() for s in SETTINGS},
            },
        )
        result = hashlib.sha256(name.encode()).hexdigest().encode() * 60
        held = {f"results/s1/{name}.json": result, f"results/s1/tallies/{name}.sealed": sealed}
        if number % 50 == 49 or number == size - 1:
            held["results/ledger.jsonl"] = ledger
        given += commit("leaderboard-results", held)
    given += commit("pull", files, "refs/heads/main")
    subprocess.run(
        ["git", "fast-import", "--quiet"], cwd=repository, input=bytes(given), check=True
    )
    git(repository, "update-ref", "refs/pull/1/head", "refs/heads/pull")
    return git(repository, "rev-parse", "refs/heads/pull")


def commit(branch: str, files: dict[str, bytes], parent: str = "") -> bytes:
    out = f"commit refs/heads/{branch}\ncommitter b <b@localhost> 1767225600 +0000\ndata 1\nx".encode()
    out += f"\nfrom {parent}".encode() if parent else b""
    for path, content in files.items():
        out += f"\nM 100644 inline {ROOT}/{path}\ndata {len(content)}\n".encode() + content
    return out + b"\n"


def timed(row: dict[str, float]) -> Callable[[str], AbstractContextManager[None]]:
    @contextmanager
    def clock(step: str) -> Iterator[None]:
        start = spent()
        yield
        row[step] = spent() - start

    return clock


def spent() -> float:
    """Seconds of processor time of this process and of the programs that it ran to their end."""
    return sum(os.times()[:4])


def git(repository: Path, *arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=repository, capture_output=True, check=True)
    return done.stdout.decode().strip()


if __name__ == "__main__":
    main()
