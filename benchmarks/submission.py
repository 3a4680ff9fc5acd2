"""Speed and memory of checking a submission, and of checking a TREC run beside rag-run-validator.

Each row of a submission is the whole command in a process of its own, in CPU seconds; peak memory is the
process's own (VmHWM). ``bound``: reading the same files by ``json.loads`` line by line.
"""

from __future__ import annotations

import json
import re
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from argue_bench.leaderboard.publishing.importing import import_fanoutqa
from argue_bench.loaders.core import data_digest
from argue_bench.published.trec.check import check_run
from benchmarks._options import options
from benchmarks._peers import interleaved, present
from benchmarks._table import Line, at_most, compared, show
from tests.shared import SHARED

RUN = """
import sys
from argue_bench.cli import main
try:
    main(sys.argv[1:])
finally:
    print(open("/proc/self/status").read(), file=sys.stderr)
"""


def run(*words: str | Path) -> tuple[float, float]:
    """CPU seconds and peak MB of one command."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [sys.executable, "-c", RUN, *map(str, words)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    peak = re.search(r"VmHWM:\s+(\d+) kB", done.stderr)
    assert peak is not None, done.stderr
    assert done.returncode in (0, 1), done.stderr
    return seconds, int(peak[1]) / 1024


def plain(board: Path) -> float:
    """CPU seconds to read the answers and nothing more."""
    started = time.process_time()
    for path in board.glob("*-generations/*.jsonl"):
        with path.open(encoding="utf-8") as file:
            for line in file:
                json.loads(line)
    return time.process_time() - started


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


def track_run() -> list[Line]:
    """A run of 2,000 reports, of which one in fifty is not as the format says, beside the validator."""
    import rag_run_validator
    from jsonschema.exceptions import ValidationError

    rows = []
    for n in range(2_000):
        about = {"team_id": "us", "run_id": "run", "topic_id": f"t{n}", "type": "automatic"}
        said = [{"text": f"Report {n} says {k}.", "citations": [f"d{k}"]} for k in range(15)]
        row = {"metadata": about, "references": [f"d{k}" for k in range(15)], "responses": said}
        rows.append(row if n % 50 else {**row, "responses": "none"})
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "run.jsonl"
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))

        def theirs() -> list[int]:
            wrong = []
            for number, row in enumerate(rag_run_validator.read_jsonl(path), 1):
                try:
                    rag_run_validator.validate(row)
                except ValidationError:
                    wrong.append(number)
            return wrong

        def ours() -> list[int]:
            found = check_run(path, "plain").findings
            return sorted({one.line for one in found if one.line and one.level == "error"})

        took, peer, one, two = interleaved(ours, theirs)
    # About half of what was measured: no limit was asked for.
    return [
        compared("TREC run, 2,000 reports", "rag-run-validator", peer, took, 8.0, equal=one == two)
    ]


def main() -> int:
    """1 where a limit is missed."""
    options(__doc__).parse_args()
    fanoutqa = SHARED / "data" / "fanoutqa"
    rows: list[tuple[str, Path, float, float]] = []
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
        lines = [
            Line(
                f"submission, {what}",
                f"{seconds:.2f} s, {peak:.0f} MB",
                bound=f"{plain(board):.2f} s",
            )
            for what, board, seconds, peak in rows
        ]
    # Answers are checked one by one, so that the longest file needs little more than the shortest.
    most = max(peak for *_, peak in rows)
    lines.append(at_most("submission, most memory", most, 200.0, "MB", digits=0))
    return show([*lines, *present([track_run])])


if __name__ == "__main__":
    sys.exit(main())
