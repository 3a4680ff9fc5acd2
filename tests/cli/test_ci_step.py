"""The lines of the GitHub Actions step in docs/rows.md, run by bash in a fresh clone of a project."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Any

import click
import pytest
import yaml

from tests.shared import ROOT

GOOD = {
    "question": "How long is it?",
    "contexts": ["It is 412 m long."],
    "answer": "It is 412 m long.",
}
# Values that the contexts lack: `--fail-under` counts only flags that are more often right than wrong.
BAD = {**GOOD, "answer": "It was 90 days before 2019."}


def steps() -> list[dict[str, Any]]:
    text = (ROOT / "docs" / "rows.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"```yaml\n(.*?)```", text, re.DOTALL)
    found: list[dict[str, Any]] = yaml.safe_load(block)
    return found


@pytest.fixture
def clone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A clone of a repository that holds rows, as a job checks it out."""
    for name in ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"):
        monkeypatch.delenv(name, raising=False)
    project = tmp_path / "project"
    project.mkdir()
    (project / "rows.jsonl").write_text(json.dumps(GOOD) + "\n", encoding="utf-8")
    me = ["-c", "user.name=Ann", "-c", "user.email=ann@example.org"]
    git = ["git", "-C", str(project), *me]
    for command in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "Add rows"]):
        subprocess.run([*git, *command], check=True, capture_output=True)
    place = tmp_path / "clone"
    subprocess.run(["git", "clone", "-q", str(project), str(place)], check=True)
    return place


def run(line: str, place: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """A line as a job runs it: GitHub's own shell for bash, and none of our variables."""
    scripts = sysconfig.get_path("scripts")
    kept = {"PATH": f"{scripts}:{os.environ['PATH']}", "HOME": str(place), "CI": "true"}
    return subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", line],
        cwd=place,
        env={**kept, **environment},
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_step_passes_and_fails_with_the_sentences_that_lack_support(clone: Path) -> None:
    install, score, upload = steps()
    passed = run(score["run"], clone)
    assert passed.returncode == 0, passed.stderr
    rows = [GOOD, BAD]
    (clone / "rows.jsonl").write_text("".join(json.dumps(r) + "\n" for r in rows), encoding="utf-8")
    failed = run(score["run"], clone)
    assert failed.returncode == 1
    assert "It was 90 days before 2019." in failed.stdout
    assert "faithfulness.supported is" in failed.stderr
    # What the third step keeps is what the second one wrote.
    kept = clone / upload["with"]["path"]
    lines = [json.loads(line) for line in kept.read_text(encoding="utf-8").splitlines()]
    assert len(lines) == 2
    assert "It was 90 days before 2019." in json.dumps(lines[1])
    assert (upload["if"], install["run"]) == ("failure()", "pip install ./argue-bench")


@pytest.mark.release
def test_the_first_line_installs_the_command_of_the_second(clone: Path, tmp_path: Path) -> None:
    wheels = tmp_path / "wheels"
    build = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "--no-build-isolation"]
    source = tmp_path / "source"
    subprocess.run(["git", "clone", "-q", str(ROOT), str(source)], check=True)
    subprocess.run([*build, "-w", str(wheels), str(source)], check=True, capture_output=True)
    subprocess.run([sys.executable, "-m", "venv", str(tmp_path / "venv")], check=True)
    # The index is a folder, and what the package needs is what is installed here already.
    index = {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(wheels), "PIP_NO_DEPS": "1"}
    index["PATH"] = f"{tmp_path / 'venv' / 'bin'}:{os.environ['PATH']}"
    install, score, _ = steps()
    installed = run(install["run"].replace("./", ""), clone, **index)
    assert installed.returncode == 0, installed.stderr
    found = run(score["run"], clone, **index, PYTHONPATH=str(Path(click.__file__).parents[1]))
    assert found.returncode == 0, found.stderr
