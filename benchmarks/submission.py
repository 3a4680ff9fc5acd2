"""Speed and memory of checking a submission.

Run by ``python -m benchmarks submission``. Each row is the whole command in a process of its own; peak memory is the process's own (VmHWM).
The ratio is to reading the same files by ``json.loads`` line by line, in one process, in this run.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from argue_bench.leaderboard.publishing.fanoutqa import import_fanoutqa
from argue_bench.loaders.core import data_digest

RUN = """
import sys
from argue_bench.cli import main
try:
    main(sys.argv[1:])
finally:
    print(open("/proc/self/status").read(), file=sys.stderr)
"""


def run(*words: str | Path) -> tuple[float, float]:
    """Seconds and peak MB of one command."""
    started = time.perf_counter()
    command = [sys.executable, "-c", RUN, *map(str, words)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    seconds = time.perf_counter() - started
    peak = re.search(r"VmHWM:\s+(\d+) kB", done.stderr)
    assert peak is not None, done.stderr
    assert done.returncode in (0, 1), done.stderr
    return seconds, int(peak[1]) / 1024


def plain(board: Path) -> float:
    """Seconds to read the answers and nothing more."""
    started = time.perf_counter()
    for path in board.glob("*-generations/*.jsonl"):
        with path.open(encoding="utf-8") as file:
            for line in file:
                json.loads(line)
    return time.perf_counter() - started


def board_of(folder: Path, questions: int, characters: int, settings: int) -> tuple[Path, Path]:
    """A data set and a board with one system that answers all of it."""
    data, board = folder / "data", folder / "board"
    data.mkdir(parents=True)
    ids = [f"q{n}" for n in range(questions)]
    rows = "".join(json.dumps({"id": id, "text": "What?"}) + "\n" for id in ids).encode()
    files = {"questions.jsonl": rows, "documents.jsonl": b""}
    for name, content in files.items():
        (data / name).write_bytes(content)
    about = {"name": "made", "version": "1", "split": "test", "language": "en"}
    (data / "set.json").write_text(json.dumps(about | {"digest": data_digest(files)}))
    names = ("closedbook", "openbook", "evidenceprovided")
    links = {
        f"{name}_generations": "made.jsonl" if i < settings else None
        for i, name in enumerate(names)
    }
    (board / "metadata").mkdir(parents=True)
    (board / "metadata" / "made.json").write_text(json.dumps(links))
    for name in names[:settings]:
        path = board / f"{name}-generations" / "made.jsonl"
        path.parent.mkdir()
        with path.open("w") as file:
            for id in ids:
                answer = "some words " * (characters // 11)
                file.write(json.dumps({"id": id, "answer": answer}) + "\n")
    return data, board


def main() -> None:
    parser = argparse.ArgumentParser()
    beside = Path(__file__).resolve().parents[2] / "shared"
    parser.add_argument("--shared", type=Path, default=os.environ.get("ARGUE_BENCH_SHARED", beside))
    fanoutqa = Path(parser.parse_args().shared) / "data" / "fanoutqa"
    rows = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for what, questions, characters, settings in (
            ("one system, 3 settings of 400 answers", 400, 2_000, 3),
            ("one file of 100 MB, 1,000 answers", 1_000, 100_000, 1),
            ("one file of 100 MB, 100,000 answers", 100_000, 1_000, 1),
        ):
            data, board = board_of(folder / str(len(rows)), questions, characters, settings)
            rows.append((what, board, *run("submission", "check", board, "--dataset", data)))
        if fanoutqa.is_dir():
            board = folder / "fanoutqa"
            import_fanoutqa(fanoutqa / "leaderboard-submissions", board)
            words = ("--dataset", "fanoutqa", "--split", "test", "--data", fanoutqa / "test.json")
            what = "FanOutQA's 27 files of 724 answers"
            rows.append((what, board, *run("submission", "check", board, *words)))
        print(
            f"{'submission check':<40} {'MB':>6} {'seconds':>8} {'peak MB':>8} {'x json.loads':>13}"
        )
        for what, board, seconds, peak in rows:
            size = sum(p.stat().st_size for p in board.glob("*-generations/*")) / 1e6
            ratio = seconds / plain(board)
            print(f"{what:<40} {size:>6.1f} {seconds:>8.2f} {peak:>8.0f} {ratio:>13.1f}")


if __name__ == "__main__":
    main()
