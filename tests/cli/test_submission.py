"""`submission check` and `board score`, as a person at a terminal meets them."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from argue_bench import load_test
from argue_bench.cli import main
from argue_bench.leaderboard.seasons.sealing import sealed_gold
from argue_bench.loaders.core import data_digest
from tests.leaderboard.boards import REHEARSAL_KEY, add
from tests.shared import ROOT

SAMPLE = Path(str(files("argue_bench") / "data" / "core" / "sample"))
RUNS = SAMPLE.with_name("sample-runs")
STATUS = Path("/proc/self/status")


def call(*words: str | Path) -> Result:
    result = CliRunner().invoke(main, [str(word) for word in words])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


@pytest.fixture
def board(tmp_path: Path) -> Path:
    add(tmp_path / "board", "careful", (RUNS / "careful.jsonl").read_bytes())
    season = json.loads((ROOT / "leaderboard-submissions" / "season.json").read_text())
    season |= {"metrics": ["argue"], "set": {"name": "core", "split": "sample"}, "sealed": None}
    (tmp_path / "board" / "season.json").write_text(json.dumps(season))
    return tmp_path / "board"


def test_a_good_submission_is_ready(board: Path) -> None:
    result = call("submission", "check", board)
    assert result.exit_code == 0
    assert result.stderr == ""
    assert re.search(r"careful +openbook +8 of 8\n", result.stdout)
    assert result.stdout.endswith("no findings. Ready to send.\n")


def test_findings_have_file_line_and_code(board: Path) -> None:
    add(board, "broken", b'{"id": "q"}\n[]\n', url="http://example.org")
    result = call("submission", "check", board)
    assert result.exit_code == 1
    lines = result.stdout.splitlines()
    answers = f"{board}/openbook-generations/broken.jsonl"
    assert lines[0].startswith(f"{answers}: warning: 8 of 8 questions have no answer: ")
    assert lines[1].startswith(f"{answers}: 8 of 8 questions have no answer that could be scored")
    assert lines[2].startswith(f"{answers}:1: ")
    assert lines[2].endswith("[key-missing]")
    assert lines[3].startswith(f"{answers}:2: ")
    assert lines[4].startswith(f"{board}/metadata/broken.json:4: url is 'http://example.org'")
    assert re.search(r"broken +openbook +0 of 8 +see above\n", result.stdout)
    assert "4 errors, 1 warning. Correct the errors, then check again." in lines[-1]
    assert call("submission", "check", board, "--system", "careful").exit_code == 0


def test_json_lists_every_id_that_is_missing(board: Path) -> None:
    add(board, "short", (RUNS / "careful.jsonl").read_bytes().split(b"\n", 1)[1])
    first = json.loads((RUNS / "careful.jsonl").read_text().splitlines()[0])["id"]
    result = call("submission", "check", board, "--format", "json")
    # A question without an answer counts as unanswered; the file is not refused for it.
    assert result.exit_code == 0
    value = json.loads(result.stdout)
    assert value["ok"] is True
    assert value["systems"]["short"]["settings"]["openbook"]["missing"] == [first]
    assert value["systems"]["careful"] == {
        "ok": True,
        "settings": {"openbook": {"answered": 8, "of": 8, "missing": []}},
        "findings": [],
    }


def test_warnings_do_not_stop_a_submission(board: Path) -> None:
    add(board, "copy", (RUNS / "careful.jsonl").read_bytes(), name="Careful")
    result = call("submission", "check", board)
    assert result.exit_code == 0
    assert "warning: the name 'Careful' looks like 'careful' of careful" in result.stdout
    assert "1 warning. Ready to send." in result.stdout


def test_the_set_may_be_a_folder(board: Path) -> None:
    (board / "season.json").unlink()
    assert call("submission", "check", board, "--dataset", SAMPLE).exit_code == 0


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (["--dataset", "coer"], 2, "Did you mean 'core'?"),
        (["--dataset", "core", "--split", "train"], 2, "no split 'train'"),
        (["--system", "carefull"], 2, "Did you mean 'careful'?"),
        (["--dataset", "core", "--split", "sample", "--data", "/nowhere"], 1, "/nowhere"),
    ],
)
def test_wrong_usage(board: Path, words: list[str], code: int, says: str) -> None:
    result = call("submission", "check", board, *words)
    assert result.exit_code == code
    assert says in result.stderr


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    result = call("submission", "check", tmp_path / "none")
    assert result.exit_code == 1
    assert "[no-such-file]" in result.stderr


def test_a_broken_season(board: Path) -> None:
    (board / "season.json").write_text("{")
    result = call("submission", "check", board)
    assert result.exit_code == 1
    assert f"{board}/season.json: " in result.stderr


def test_a_board_is_scored(board: Path) -> None:
    add(board, "broken", b"{\n")
    result = call("board", "score", board)
    assert result.exit_code == 1
    written = board / "results" / "season-0" / "careful.json"
    assert result.stdout == f"{written}\n"
    value = json.loads(written.read_bytes())
    assert (value["group"], value["author"], value["schema"]) == ("rehearsal", None, 1)
    assert "broken: not scored" in result.stderr
    assert "1 scored on core-sample@" in result.stderr
    assert "1 refused" in result.stderr
    assert call("submission", "check", board, "--system", "careful").exit_code == 0


def test_a_judge_may_be_named(board: Path) -> None:
    result = call("board", "score", board, "--judge", "lexicon")
    assert result.exit_code == 2
    assert "Did you mean 'lexical'?" in result.stderr


def test_import_of_nothing(tmp_path: Path) -> None:
    result = call("board", "import", tmp_path, "--out", tmp_path / "out")
    assert result.exit_code == 1
    assert "[wrong-shape]" in result.stderr


MEMORY = """
import sys
from argue_bench.cli import main
try:
    main(sys.argv[1:])
finally:
    lines = open("/proc/self/status").read().splitlines()
    print(next(line for line in lines if line.startswith("VmHWM:")), file=sys.stderr)
"""


@pytest.mark.release
@pytest.mark.skipif(not STATUS.exists(), reason="peak memory is read from /proc")
def test_25_megabytes_are_checked_in_little_memory(tmp_path: Path) -> None:
    """The command itself takes some 56 MB, so that a file which is held in memory passes the limit."""
    data, board, most = tmp_path / "data", tmp_path / "board", 72 * 1024
    ids = [f"q{n}" for n in range(1_000)]
    data.mkdir()
    rows = "".join(json.dumps({"id": id, "text": "What?"}) + "\n" for id in ids).encode()
    named = {"questions.jsonl": rows, "documents.jsonl": b""}
    for name, content in named.items():
        (data / name).write_bytes(content)
    about = {"name": "big", "version": "1", "split": "test", "language": "en"}
    (data / "set.json").write_text(json.dumps(about | {"digest": data_digest(named)}))
    add(board, "big-one", b"x")
    with (board / "openbook-generations" / "big-one.jsonl").open("w") as file:
        for id in ids:
            file.write(json.dumps({"id": id, "answer": "word " * 5_000}) + "\n")
        assert file.tell() > 25_000_000
    words = ["submission", "check", str(board), "--dataset", str(data)]
    done = subprocess.run(
        [sys.executable, "-c", MEMORY, *words], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "1000 of 1000" in done.stdout
    peak = int(re.search(r"VmHWM:\s+(\d+) kB", done.stderr)[1])  # type: ignore[index]
    assert peak < most


def test_a_rehearsal_is_scored_with_the_key_that_everybody_may_know(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "board"
    shutil.copytree(ROOT / "leaderboard-submissions", folder)
    lines = (json.dumps({"id": one.id, "answer": "I do not know."}) for one in load_test())
    add(folder, "silent", "\n".join(lines).encode())
    season = json.loads((folder / "season.json").read_text())
    (folder / "season.json").write_text(
        json.dumps(season | {"metrics": ["accuracy"], "ranked": "accuracy.loose"})
    )
    monkeypatch.delenv("ANSWERS_KEY", raising=False)
    refused = call("board", "score", folder, "--system", "silent")
    assert refused.exit_code == 2
    assert "ANSWERS_KEY" in refused.stderr
    monkeypatch.setenv("ANSWERS_KEY", REHEARSAL_KEY)
    assert call("board", "score", folder, "--system", "silent").exit_code == 0
    result = json.loads((folder / "results" / "season-0" / "silent.json").read_text())
    score = result["settings"]["openbook"]["scores"]["accuracy.loose"]
    assert (score["value"], score["failed"]) == (0.0, 0)
    assert score["n"] == sum(one["answerable"] for one in golds())


def golds() -> Iterator[dict[str, Any]]:
    content = sealed_gold(ROOT / "leaderboard-submissions", REHEARSAL_KEY)
    return map(json.loads, content.splitlines())


def test_metadata_by_options_leave_out_what_is_not_given(board: Path) -> None:
    given = {
        "name": "A",
        "authors": "Ada",
        "citation": "A, 2026",
        "url": "",
        "type": "OTHER",
        "context": "0",
    }
    words = [word for key, value in given.items() for word in (f"--{key}", value)]
    command = ("submission", "init", "--folder", board, "--system", "new", "--setting", "openbook")
    done = call(*command, *words)
    assert done.exit_code == 0, done.stderr
    written = json.loads((board / "metadata" / "new.json").read_text())
    assert written["name"] == "A"
    assert "organisation" not in written
    refused = call(*command, *words, "--organisation", "x" * 1000)
    assert refused.exit_code == 2
    assert "organisation" in refused.stderr
