"""What the workflows may do, read from the parsed files: rights, secrets, pins, triggers, commands."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import click
import pytest
import yaml

from argue_bench.cli import main
from argue_bench.leaderboard.intake import others
from tests.shared import ROOT

FOLDER = ROOT / ".github" / "workflows"
FILES = sorted(FOLDER.glob("*.yml"))
SCORE = "submission-score.yml"
RIGHTS: dict[str, dict[str, dict[str, str]]] = {
    "submission-check.yml": {"check": {"contents": "read"}},
    SCORE: {
        "intake": {"contents": "read", "pull-requests": "read"},
        "score": {"contents": "read"},
        "publish": {"contents": "write", "pull-requests": "write", "actions": "write"},
    },
    "site.yml": {
        "queue": {"pull-requests": "read"},
        "build": {"contents": "read"},
        "deploy": {"pages": "write", "id-token": "write"},
    },
    "site-daily.yml": {"start": {"actions": "write"}},
    "ci.yml": {"test": {"contents": "read"}},
    "release.yml": {"build": {"contents": "read"}, "publish": {"id-token": "write"}},
}
SECRETS = {(SCORE, "score"): {"ANSWERS_KEY", "SIGNING_KEY", "JUDGE_API_KEY"}}
TRIGGERS = {
    "submission-check.yml": {"pull_request", "workflow_call"},
    SCORE: {"pull_request_target", "workflow_dispatch", "workflow_call"},
    "site.yml": {"push", "workflow_dispatch", "workflow_call"},
    "site-daily.yml": {"schedule"},
    "ci.yml": {"push", "pull_request"},
    "release.yml": {"push"},
}
INSTALL = [
    "python -m pip install --require-hashes --only-binary :all: --requirement package/requirements/leaderboard.lock",
    "python -m pip install --no-deps --no-build-isolation --no-index ./package",
]

DOCS = [
    'python -m venv "$RUNNER_TEMP/docs"',
    '"$RUNNER_TEMP/docs/bin/python" -m pip install --require-hashes --only-binary :all: --requirement package/requirements/docs.lock',
    'PATH="$RUNNER_TEMP/docs/bin:$PATH" package/docs/releases.sh "$SITE/docs"',
]
"""They run in site.yml alone, where there is no secret, and in an environment of their own."""


def read(path: Path) -> dict[Any, Any]:
    value: dict[Any, Any] = yaml.safe_load(path.read_text(encoding="utf-8"))
    return value


def jobs() -> list[tuple[str, str, dict[str, Any]]]:
    return [(path.name, name, job) for path in FILES for name, job in read(path)["jobs"].items()]


def steps() -> list[tuple[str, str, dict[str, Any]]]:
    return [(file, name, step) for file, name, job in jobs() for step in job["steps"]]


def strings(value: Any) -> list[str]:
    if isinstance(value, dict):
        return [text for one in value.values() for text in strings(one)]
    if isinstance(value, list):
        return [text for one in value for text in strings(one)]
    return [value] if isinstance(value, str) else []


def test_no_workflow_is_unknown_to_these_tests() -> None:
    assert {path.name for path in FILES} == set(RIGHTS)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_nothing_is_allowed_that_a_job_does_not_ask_for(path: Path) -> None:
    workflow = read(path)
    assert workflow["permissions"] == {}
    assert {name: job["permissions"] for name, job in workflow["jobs"].items()} == RIGHTS[path.name]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_triggers(path: Path) -> None:
    triggers = read(path)[True]  # "on" is a truth value in YAML 1.1
    assert set(triggers) == TRIGGERS[path.name]
    if "pull_request_target" in triggers:
        assert triggers["pull_request_target"] == {"types": ["labeled"]}


def test_secrets_are_where_they_must_be_and_nowhere_else() -> None:
    for file, name, job in jobs():
        named = {secret for text in strings(job) for secret in re.findall(r"secrets\.(\w+)", text)}
        assert named == SECRETS.get((file, name), set())
        assert not any("secrets[" in text or "toJSON(secrets" in text for text in strings(job))


def test_no_job_that_holds_a_secret_may_write() -> None:
    for file, name, job in jobs():
        if (file, name) in SECRETS:
            assert "write" not in job["permissions"].values()
            assert job["environment"] == "leaderboard-eval"


def test_secrets_are_given_to_one_command_alone() -> None:
    holding = [step for _, _, step in steps() if any("secrets." in t for t in strings(step))]
    assert len(holding) == 1
    assert holding[0]["run"].startswith("python -m argue_bench board ci score ")


def test_every_action_is_pinned_to_a_commit() -> None:
    for _, _, step in steps():
        if "uses" in step:
            assert re.fullmatch(r"[\w.-]+/[\w./-]+@[0-9a-f]{40}", step["uses"]), step["uses"]


def test_no_head_of_a_pull_request_is_checked_out() -> None:
    for file, _, step in steps():
        if step.get("uses", "").startswith("actions/checkout@"):
            given = step["with"]
            assert given["persist-credentials"] is False
            if file in ("submission-check.yml", SCORE):
                assert "ref" in given
            assert not re.search(r"head|allow-unsafe|inputs\.sha", str(given))


def test_the_required_check_runs_for_each_pull_request() -> None:
    """What a path, a branch or a condition leaves out is waited for without end, and never merged."""
    template = ROOT / "argue_bench" / "data" / "board" / "submission-check.yml.txt"
    for path in (FOLDER / "submission-check.yml", template):
        workflow = read(path)
        assert workflow[True]["pull_request"] is None, path
        (job,) = workflow["jobs"].values()
        assert "if" not in job
    (line,) = [
        step["run"]
        for file, _, step in steps()
        if file == "submission-check.yml" and "board ci intake" in step.get("run", "")
    ]
    assert line.endswith(" --allow-none")
    for path in FILES:
        if path.name != "submission-check.yml":
            assert "--allow-none" not in path.read_text(encoding="utf-8")


def test_nothing_from_outside_is_pasted_into_a_command() -> None:
    for _, _, step in steps():
        assert "${{" not in step.get("run", "")
        assert "GITHUB_ENV" not in step.get("run", "")
        assert "GITHUB_PATH" not in step.get("run", "")
        if "shell" in step:
            raise AssertionError("a shell of its own")


def test_no_cache_is_used_where_scores_are_made() -> None:
    assert read(FOLDER / SCORE)["cache-mode"] == "none"
    for _, _, step in steps():
        assert "actions/cache" not in step.get("uses", "")
        assert "cache" not in step.get("with", {})


def test_every_job_ends_and_none_is_cut_off_while_it_scores() -> None:
    for file, _, job in jobs():
        assert 0 < job["timeout-minutes"] <= 90
        assert job["runs-on"] == "ubuntu-24.04"
        assert "concurrency" in read(FOLDER / file)
    assert read(FOLDER / SCORE)["concurrency"]["cancel-in-progress"] is False


def test_what_others_sent_cannot_take_the_time_of_an_intake() -> None:
    """Each of its clocks runs out once, those of the comparison twice for an author with merged rows; and 3 minutes for the rest."""
    spent = others.OLDER_SECONDS + others.CHECK_SECONDS + others.OTHERS_SECONDS
    spent += 2 * (others.OPEN_SECONDS + others.OTHERS_SECONDS) + 3 * 60
    assert spent <= 60 * read(FOLDER / SCORE)["jobs"]["intake"]["timeout-minutes"]


SCORERS = [FOLDER / SCORE, ROOT / "argue_bench" / "data" / "board" / f"{SCORE}.txt"]


@pytest.mark.parametrize("path", SCORERS, ids=["ours", "a board's"])
def test_an_authors_scorings_follow_one_another(path: Path) -> None:
    """The whole workflow waits, not a job: the next must see what the one before recorded.

    What another label starts has a group of its own, for it would push a scoring that waits out.
    """
    value = yaml.safe_load(path.read_text("utf-8"))
    assert value["concurrency"]["cancel-in-progress"] is False
    assert not any("concurrency" in job for job in value["jobs"].values())
    prefix, group = value["concurrency"]["group"].split("submission-score-")
    assert prefix == ("" if path.suffix == ".yml" else "caller-")  # one name twice waits for itself
    scoring, author, else_ = (
        group.removeprefix("${{ (").removesuffix(" }}").split(" && (")[0],
        *(group.removesuffix(" }}").split(" && (")[1].split(") || ")),
    )
    assert (
        scoring
        == "github.event_name != 'pull_request_target' || github.event.label.name == 'score' || github.event.label.name == 'screened')"
    )
    assert author == "inputs.author || github.event.pull_request.user.id"
    assert else_ == "github.run_id"
    used = re.search(r"AUTHOR: \$\{\{ (.*) \}\}", (FOLDER / SCORE).read_text("utf-8"))
    assert used is not None
    assert used[1] == author  # whose quota it is


def commands(step: dict[str, Any]) -> list[list[str]]:
    return [
        shlex.split(line, comments=True)
        for line in step.get("run", "").splitlines()
        if line.strip()
    ]


def test_board_jobs_hold_nothing_but_commands_of_ours() -> None:
    allowed = (
        "python -m argue_bench ",
        "gh pr comment ",
        "gh pr list ",
        'gh api --paginate "repos/$GITHUB_REPOSITORY/pulls?state=open',
        'cat "$SUMMARY" ',
        'gh workflow run site.yml --repo "$GITHUB_REPOSITORY" --ref main',
    )
    for file, _, step in steps():
        for line in step.get("run", "").splitlines() if file.startswith(("sub", "site")) else ():
            assert line in (*INSTALL, *DOCS) or line.startswith(allowed), line


def test_the_platforms_token_is_given_to_these_steps_alone() -> None:
    holding = {
        (file, job)
        for file, job, step in steps()
        if any("github.token" in t for t in strings(step))
    }
    assert holding == {
        (SCORE, "intake"),
        (SCORE, "publish"),
        ("site.yml", "queue"),
        ("site-daily.yml", "start"),
    }
    assert "secrets.GITHUB_TOKEN" not in "".join(path.read_text("utf-8") for path in FILES)


def test_the_job_that_records_archives_what_it_verified() -> None:
    """A snapshot never changes, so nothing that does not verify comes into one; the token does one thing."""
    said = [
        (line.split()[4], "GH_TOKEN" in step["env"])
        for file, job, step in steps()
        if (file, job) == (SCORE, "publish")
        for line in step.get("run", "").splitlines()
        if "argue_bench board" in line and " ci " not in line
    ]
    assert said == [("fetch", False), ("verify", False), ("archive", True)]
    # Beside main as it is then, which may have moved since the label was set.
    board = read(FOLDER / SCORE)["jobs"]["publish"]["steps"][0]
    assert board["with"]["ref"] == "main"


def test_the_queue_takes_no_text_of_strangers_but_their_names() -> None:
    job = read(FOLDER / "site.yml")["jobs"]["queue"]
    ((words,),) = [commands(step) for step in job["steps"] if "run" in step]
    fields = set(words[words.index("--json") + 1].split(","))
    assert fields == {"number", "author", "createdAt", "headRefOid", "labels", "isDraft", "files"}
    assert "del(.files)" in words[words.index("--jq") + 1]
    assert "actions/checkout" not in str(job)


def test_a_schedule_stands_in_a_file_of_its_own() -> None:
    """The platform turns off the whole file that holds one when nothing happened for sixty days."""
    for path in FILES:
        triggers = read(path)[True]
        if "schedule" in triggers:
            assert set(triggers) == {"schedule"}
            (when,) = triggers["schedule"]
            assert re.fullmatch(r"\d+ \d+ \* \* \*", when["cron"])


def test_every_command_is_one_that_exists_with_these_options() -> None:
    found = 0
    for _, _, step in steps():
        for words in commands(step):
            if words[:3] == ["python", "-m", "argue_bench"]:
                command: click.Command | None = main
                rest = words[3:]
                while isinstance(command, click.Group):
                    name, *rest = rest
                    command = command.get_command(click.Context(command), name)
                    assert command is not None, name
                assert command is not None
                known = {option for param in command.params for option in param.opts}
                assert {word for word in rest if word.startswith("--")} <= known
                found += 1
    assert found >= 8


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_no_job_imports_from_the_folder_that_it_starts_in(path: Path) -> None:
    """But that of the tests, which has no secret and runs what a pull request brings in any case."""
    if path.name != "ci.yml":
        assert read(path)["env"] == {"PYTHONSAFEPATH": "1"}


def test_a_run_names_the_commit_that_it_scores() -> None:
    for path in SCORERS:
        name = yaml.safe_load(path.read_text("utf-8"))["run-name"]
        assert "inputs.pr || github.event.pull_request.number" in name
        assert "inputs.sha || github.event.pull_request.head.sha" in name


def test_nothing_is_built_from_what_an_index_has() -> None:
    """Wheels by hash; our own source alone is built, by the setuptools of the lock."""
    installs = [
        line
        for _, _, step in steps()
        for line in step.get("run", "").splitlines()
        if "pip install" in line
    ]
    assert installs
    for line in installs:
        hashed = "--require-hashes" in line and "--only-binary :all:" in line
        assert hashed or "--no-deps --no-build-isolation --no-index ./package" in line
    lock = (ROOT / "requirements" / "leaderboard.lock").read_text(encoding="utf-8")
    assert not re.search("^(rouge-score|absl-py)==", lock, re.MULTILINE)
    assert re.search("^setuptools==", lock, re.MULTILINE)


def test_jobs_install_by_hash() -> None:
    for name in ("leaderboard", "build"):
        lock = (ROOT / "requirements" / f"{name}.lock").read_text(encoding="utf-8")
        packages = re.findall(r"^([A-Za-z0-9_.-]+)(?:\[[\w,]+\])?==", lock, re.MULTILINE)
        assert packages
        assert not [
            one
            for one in re.split(r"(?m)^(?=[A-Za-z0-9])", lock)[1:]
            if "--hash=sha256:" not in one
        ]


def test_the_lock_holds_what_the_package_needs() -> None:
    lock = (ROOT / "requirements" / "leaderboard.lock").read_text(encoding="utf-8").lower()
    setup = (ROOT / "setup.py").read_text(encoding="utf-8")
    wanted = re.search(r"install_requires=\[(.*?)\]", setup, re.DOTALL)
    assert wanted is not None
    for name in re.findall(r'"([A-Za-z0-9_-]+)', wanted[1]):
        assert re.search(rf"^{name.lower()}==", lock, re.MULTILINE), name


def tool(name: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    program = Path(sys.executable).with_name(name)
    if not program.exists():
        pytest.skip(f"{name} is not installed")
    return subprocess.run(
        [str(program), *arguments], capture_output=True, text=True, check=False, cwd=ROOT
    )


@pytest.mark.parametrize("persona", ["regular", "pedantic", "auditor"])
def test_zizmor_finds_nothing(persona: str) -> None:
    files = (str(FOLDER), "action.yml")
    done = tool("zizmor", "--offline", "--no-progress", "--persona", persona, *files)
    assert done.returncode == 0, done.stdout
    assert "No findings" in done.stdout


def test_one_finding_is_ignored_and_says_why() -> None:
    ignores = [
        line
        for path in FILES
        for line in path.read_text(encoding="utf-8").splitlines()
        if "zizmor: ignore" in line
    ]
    assert len(ignores) == 1
    assert "ignore[dangerous-triggers] data only" in ignores[0]


@pytest.mark.parametrize(
    "schema", ["vendor.github-workflows", "custom.github-workflows-require-timeout"]
)
def test_workflows_follow_the_schema(schema: str) -> None:
    done = tool("check-jsonschema", "--builtin-schema", schema, *map(str, FILES))
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_action_follows_its_schema_and_pins_what_it_uses() -> None:
    done = tool("check-jsonschema", "--builtin-schema", "vendor.github-actions", "action.yml")
    assert done.returncode == 0, done.stdout + done.stderr
    action = read(ROOT / "action.yml")["runs"]
    for step in action["steps"]:
        assert "${{" not in step.get("run", "")
        assert re.search(r"@[0-9a-f]{40}$", step.get("uses", "")) or "run" in step


def test_the_schema_can_fail(tmp_path: Path) -> None:
    wrong = tmp_path / "w.yml"
    wrong.write_text("on: push\njobs: {a: {runs-on: x, stepz: []}}\n")
    done = tool("check-jsonschema", "--builtin-schema", "vendor.github-workflows", str(wrong))
    assert done.returncode != 0
