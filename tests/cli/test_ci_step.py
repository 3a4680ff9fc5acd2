"""The lines of action.yml with the inputs that docs/rows.md gives it, run by bash in a fresh clone of a project."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sysconfig
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.shared import ROOT

GOOD = {
    "question": "How long is it?",
    "contexts": ["It is 412 m long."],
    "answer": "It is 412 m long.",
}
# Values that the contexts lack: `--fail-if` counts only flags that are more often right than wrong.
BAD = {**GOOD, "answer": "It was 90 days before 2019."}


ACTION: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))


def inputs() -> dict[str, str]:
    """The inputs of the action as the document's job gives them, and its defaults for the others."""
    text = (ROOT / "docs" / "rows.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"```yaml\n(.*?)```", text, re.DOTALL)
    (given,) = [one["with"] for one in yaml.safe_load(block) if "with" in one]
    assert set(given) <= set(ACTION["inputs"])
    return {name: str(one.get("default", "")) for name, one in ACTION["inputs"].items()} | given


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


def run(
    name: str, place: Path, temporary: Path, **changed: str
) -> subprocess.CompletedProcess[str]:
    """A step as a job runs it: GitHub's own shell for bash, its variables, and none of ours."""
    (step,) = [one for one in ACTION["runs"]["steps"] if one.get("name") == name]
    given = inputs() | changed
    kept = {"PATH": os.environ["PATH"], "HOME": str(place), "CI": "true"}
    kept |= {"RUNNER_TEMP": str(temporary), "GITHUB_ACTION_PATH": str(ROOT)}
    kept["GITHUB_STEP_SUMMARY"] = str(temporary / "summary.md")
    for key, value in step["env"].items():
        found = re.fullmatch(r"\$\{\{ inputs\.([\w-]+) \}\}", value)
        kept[key] = given[found[1]] if found else value
    return subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
        cwd=place,
        env=kept,
        capture_output=True,
        text=True,
        check=False,
    )


COMMANDS = {
    *(
        "stop-commands",
        "set-env",
        "set-output",
        "save-state",
        "add-mask",
        "add-path",
        "add-matcher",
    ),
    *("remove-matcher", "warning", "error", "notice", "debug", "group", "endgroup", "echo"),
}


def obeyed(log: str) -> list[tuple[str, str]]:
    """The commands in a log that a runner obeys, with what they are given, by its own two parsers
    (actions/runner, src/Runner.Common/ActionCommand.cs): ``::x::`` begins a line, ``##[x]`` stands anywhere."""
    found: list[tuple[str, str]] = []
    token = ""
    for line in re.split(r"\r\n|\r|\n", log):
        for form in (r"\s*::(.+?)::(.*)", r".*?##\[(.*?)\](.*)"):
            match = re.match(form, line)
            name = match[1].split(" ")[0].casefold() if match else ""
            if match is None or name not in COMMANDS | {token} - {""}:
                continue
            if not token or name == token:
                found.append((name, match[2]))
                token = match[2] if name == "stop-commands" else ""
            break
    return found


def test_the_action_passes_and_fails_with_the_sentence_on_the_page_of_the_job(
    clone: Path, tmp_path: Path
) -> None:
    # What the step before installs, from the environment of these tests.
    program = tmp_path / "argue-bench" / "bin" / "argue-bench"
    program.parent.mkdir(parents=True)
    program.symlink_to(Path(sysconfig.get_path("scripts")) / "argue-bench")
    passed = run("Evaluate", clone, tmp_path)
    assert passed.returncode == 0, passed.stdout + passed.stderr
    summary = tmp_path / "summary.md"
    assert "    faithfulness.supported  100.0" in summary.read_text(encoding="utf-8")
    # Files on two lines are all read.
    (clone / "more.jsonl").write_text(json.dumps(BAD) + "\n", encoding="utf-8")
    assert run("Evaluate", clone, tmp_path, answers="rows.jsonl\nmore.jsonl").returncode == 1
    # A sentence that would close a fence, and some that a runner would take for its commands.
    fence = {**BAD, "answer": f"{BAD['answer']} ``` It was red."}
    rows = [GOOD, fence, {**GOOD, "id": "::error::", "answer": "It is 413 m long."}]
    for id in ("##[add-mask]long", "##[stop-commands]x"):
        rows.append({**GOOD, "id": id, "answer": f"It is 414 m long ##[set-env name=A]{id}."})
    (clone / "rows.jsonl").write_text("".join(json.dumps(r) + "\n" for r in rows), encoding="utf-8")
    summary.unlink()
    failed = run("Evaluate", clone, tmp_path)
    assert failed.returncode == 1
    page = summary.read_text(encoding="utf-8")
    for told in (
        "It was 90 days before 2019.",
        "it says 412 m, not 413 m",
        "sentences contradicted: 1",
    ):
        assert told in page
    assert all(line.startswith(("    ", "###")) or not line for line in page.splitlines())
    (stopped, token), (again, _) = obeyed(failed.stdout)
    assert (stopped, again) == ("stop-commands", token)
    assert re.fullmatch("[0-9a-f]{32}", token)
    assert token not in run("Evaluate", clone, tmp_path).stdout
    # This test's runner reads both forms, and obeys a token alone once it was stopped.
    said = "::stop-commands::t\n::error::a\nx ##[error]b\n::t::\nx ##[error file=c]d\n ::Error x::e"
    assert obeyed(said) == [("stop-commands", "t"), ("t", ""), ("error", "d"), ("error", "e")]
    # The last step keeps this folder.
    kept = tmp_path / "argue-bench-results"
    assert (kept / "run").is_file()
    assert "it says 412 m" in (kept / "report.sarif").read_text(encoding="utf-8")
    assert (kept / "pages" / "index.html").is_file()
