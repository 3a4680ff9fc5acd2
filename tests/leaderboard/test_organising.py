"""What an organiser does: found a board, rotate keys, rescore, keep ledger and queue."""

from __future__ import annotations

import gzip
import json
import re
import shutil
import stat
import subprocess
import sys
from collections.abc import Iterable, Sequence
from importlib.resources import files
from pathlib import Path

import pytest
import yaml

from argue_bench.errors import SubmissionError, UsageError
from argue_bench.eval.run import read_reports
from argue_bench.leaderboard.commands.site import address as site_address
from argue_bench.leaderboard.formats.ledger import Event, read_ledger
from argue_bench.leaderboard.formats.season import read_season
from argue_bench.leaderboard.publishing.record import RecordTarget, record_events
from tests.leaderboard.conftest import Start
from tests.leaderboard.repositories import ROOT, SEASON, SEED, Repository, git
from tests.leaderboard.steps import Steps, command, with_secrets
from tests.shared import ROOT as CHECKOUT
from tools.core_set.world import World, write_set

DEV = Path(str(files("argue_bench") / "data" / "core" / "dev"))
PACKAGE = "someone/argue-bench@" + "ab" * 20


@pytest.fixture
def founded(tmp_path: Path) -> Path:
    said = command(
        "board init", tmp_path / "new", data=DEV, secrets=tmp_path / "keys", package=PACKAGE
    )
    assert said.exit_code == 0, said.stderr
    return tmp_path / "new"


def test_a_new_board_holds_everything_but_the_gold_and_the_keys(
    founded: Path, tmp_path: Path
) -> None:
    board = founded / ROOT
    season = read_season(board)
    assert season.load().sealed
    assert len(season.load()) == 80
    secrets = tmp_path / "keys" / "board.env"
    assert stat.S_IMODE(secrets.stat().st_mode) == 0o600
    keys = [line.partition("=")[2] for line in secrets.read_text().split()]
    gold = json.loads((DEV / "gold.jsonl").read_text().splitlines()[0])
    seen = b"".join(path.read_bytes() for path in founded.rglob("*") if path.is_file()).decode(
        "utf-8", "replace"
    )
    assert not [key for key in keys if key in seen]
    assert gold["nuggets"][0]["question"] not in seen


def test_its_workflows_are_a_few_lines_that_call_ours(founded: Path) -> None:
    called = set()
    for path in sorted((founded / ".github" / "workflows").iterdir()):
        workflow = yaml.safe_load(path.read_text())
        assert workflow["permissions"] == {}
        (job,) = workflow["jobs"].values()
        if path.name == "site-daily.yml":  # starts the board's own site.yml
            assert path.read_bytes() == (CHECKOUT / ".github/workflows/site-daily.yml").read_bytes()
            continue
        where, _, commit = job["uses"].partition("@")
        assert commit == "ab" * 20
        assert "steps" not in job
        called.add(where)
        ours = yaml.safe_load((CHECKOUT / where.removeprefix("someone/argue-bench/")).read_text())
        takes = ours[True]["workflow_call"]
        assert set(job["with"]) <= set(takes["inputs"])
        assert set(job.get("secrets", {})) == set(takes.get("secrets", {}))
        # What a called job wants and the caller does not grant stops the whole run before it begins.
        rights = [one["permissions"].items() for one in ours["jobs"].values()]
        wanted = {right for one in rights for right in one if right[1] == "write"} | {
            (name, "read")
            for one in rights
            for name, level in one
            if level == "read" and job["permissions"].get(name) != "write"
        }
        assert wanted == set(job["permissions"].items())
        dispatch = ours[True].get("workflow_dispatch")
        assert workflow[True].get("workflow_dispatch") == dispatch, "by hand, as ours"
    assert {Path(one).stem for one in called} == {"submission-check", "submission-score", "site"}


@pytest.mark.parametrize("persona", ["regular", "pedantic", "auditor"])
def test_zizmor_finds_nothing_in_them(founded: Path, persona: str) -> None:
    folder = str(founded / ".github/workflows")
    done = tool("zizmor", "--offline", "--no-progress", "--persona", persona, folder)
    assert done.returncode == 0, done.stdout
    assert "No findings" in done.stdout


@pytest.mark.parametrize(
    ("schema", "files_"),
    [
        ("vendor.github-workflows", "workflows/*.yml"),
        ("custom.github-workflows-require-timeout", "workflows/*.yml"),
        ("vendor.github-issue-forms", "ISSUE_TEMPLATE/[!c]*.yml"),
        ("vendor.github-issue-config", "ISSUE_TEMPLATE/config.yml"),
    ],
)
def test_its_files_follow_the_platforms_schemas(founded: Path, schema: str, files_: str) -> None:
    paths = [str(path) for path in sorted((founded / ".github").glob(files_))]
    assert paths
    done = tool("check-jsonschema", "--builtin-schema", schema, *paths)
    assert done.returncode == 0, done.stdout + done.stderr


def test_it_says_what_people_can_expect_and_whose_answers_are(founded: Path) -> None:
    readme = (founded / "README.md").read_text()
    assert "within 7 days" in readme
    where, commit = PACKAGE.split("@")
    assert f"'argue-bench[leaderboard] @ git+https://github.com/{where}@{commit}'" in readme
    assert "A scored run counts: 5 for each author." in readme
    assert "under CC-BY-4.0 where they name\nnone" in readme
    assert "Questions and documents: CC0-1.0." in readme
    guide = (founded / "docs" / "operate.md").read_text()
    assert "leaderboard-eval" in guide
    assert "--season season-1" in guide
    for path in founded.rglob("*"):
        if path.is_file() and path.suffix in (".md", ".yml"):
            text = path.read_text()
            assert not re.search(
                r"\b(TITLE|SEASON|SET|DAYS|QUOTA|LICENCE|SETLICENCE|PACKAGE|COMMIT)\b", text
            )
    for name in ("entry", "submission", "config"):
        place = f".github/ISSUE_TEMPLATE/{name}.yml"
        assert (founded / place).read_bytes() == (CHECKOUT / place).read_bytes()


def test_words_of_a_title_are_not_filled_in_again(tmp_path: Path) -> None:
    said = command(
        "board init",
        tmp_path / "new",
        data=DEV,
        secrets=tmp_path / "keys",
        title="SEASON of the SET",
        quota=0,
    )
    assert said.exit_code == 0, said.stderr
    readme = (tmp_path / "new" / "README.md").read_text()
    assert readme.startswith("# SEASON of the SET\n")
    assert "within 7 days" in readme
    assert "A scored run counts" not in readme
    assert "under CC-BY-4.0 where" in readme
    assert not (tmp_path / "new" / ".github" / "workflows").exists()


def own_set(folder: Path, name: str) -> Path:
    shutil.copytree(DEV, folder)
    about = json.loads((folder / "set.json").read_text())
    (folder / "set.json").write_text(json.dumps({**about, "name": name, "split": "autumn"}))
    return folder


@pytest.mark.parametrize("name", ["harbours", "core"])
def test_a_set_keeps_its_name_and_its_split(name: str, tmp_path: Path) -> None:
    data = own_set(tmp_path / "set", name)
    said = command(
        "board", "init", tmp_path / "new", "--data", data, "--secrets", tmp_path / "keys"
    )
    assert said.exit_code == 0, said.stderr
    season = read_season(tmp_path / "new" / ROOT)
    dataset = season.load()
    assert (season.set.name, dataset.name) == (name, name)
    assert (season.set.split, dataset.split) == ("autumn", "autumn")
    assert dataset.sealed
    assert bool(dataset.note) == (name == "core")


def test_a_packed_set_makes_the_board_of_the_plain_one(tmp_path: Path) -> None:
    data = own_set(tmp_path / "set", "harbours")
    read = []
    for name in ("plain", "packed"):
        said = command("board init", tmp_path / name, data=data, secrets=tmp_path / f"{name}-keys")
        assert said.exit_code == 0, said.stderr
        read.append(read_season(tmp_path / name / ROOT).load())
        for path in data.glob("*.jsonl"):
            path.with_name(f"{path.name}.gz").write_bytes(gzip.compress(path.read_bytes()))
            path.unlink()
    assert (read[0].questions, read[0].digest) == (read[1].questions, read[1].digest)


@pytest.mark.parametrize(
    ("ids", "named"), [("12", ""), ("21", "another document: 1, 2. "), (["d1", "7"], "")]
)
def test_ids_that_cite_another_document_are_named(
    ids: Iterable[str], named: str, tmp_path: Path
) -> None:
    """[2] is the second document that a question lists, whatever the documents' ids are."""
    data = tmp_path / "set"
    data.mkdir()
    about = {"name": "bridges", "version": "1", "split": "dev", "language": "en"}
    (data / "set.json").write_text(json.dumps(about))
    for name, rows in {
        "questions": [{"id": f"q{n}", "text": "When?", "documents": [*ids]} for n in range(20)],
        "documents": [{"id": id, "title": f"Text {id}", "text": "In 1931."} for id in ids],
        "gold": [{"id": f"q{n}", "answerable": True, "answer": [1931]} for n in range(20)],
    }.items():
        lines = "".join(json.dumps(row) + "\n" for row in rows)
        (data / f"{name}.jsonl").write_text(lines)
    made = command(
        *("board", "init", tmp_path / "new", "--data", data, "--secrets", tmp_path / "keys"),
        *("--metric", "argue", "--ranked", "argue.f1"),
    )
    checked = command("data", "check", data)
    for said in (made, checked):
        assert said.exit_code == 0, said.stderr
        assert ("Ids that cite" in said.stdout) == bool(named)
        assert named in said.stdout


def test_what_is_told_at_most_is_said(tmp_path: Path) -> None:
    for name, given, says in (
        (
            "five",
            (),
            "argue.f1 in steps of 3 points, and nothing else. An author learns at most 57.5 bits",
        ),
        ("ten", ("--quota", 10), "in steps of 2 points"),
        ("none", ("--quota", 0), "Without a quota nothing bounds"),
        ("all", ("--told", "all"), "Everything is told: gold can be read out"),
    ):
        said = command(
            "board init", tmp_path / name, *given, data=DEV, secrets=tmp_path / f"{name}-keys"
        )
        assert said.exit_code == 0, said.stderr
        assert says in said.stdout
        about = json.loads((tmp_path / name / ROOT / "season.json").read_text())
        assert about["told"] == ("all" if name == "all" else "ranked")
        if name == "five":
            assert (about["step"], about["bits"]) == (3, 57.5)


def test_a_set_too_small_to_be_told_of_is_refused(tmp_path: Path) -> None:
    sample = DEV.parent / "sample"
    for told, code in (("ranked", 2), ("all", 0)):
        said = command(
            "board init",
            tmp_path / f"b{told}",
            data=sample,
            secrets=tmp_path / f"k{told}",
            told=told,
        )
        assert said.exit_code == code, said.stderr
        why = "8 questions: with hidden gold no run would ever get a row (20 are needed)"
        assert (f"{why}. For a try-out: --told all" in said.stderr) is bool(code)
        assert (tmp_path / f"k{told}").exists() is not bool(code)


def tool(name: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    program = Path(sys.executable).with_name(name)
    if not program.exists():
        pytest.skip(f"{name} is not installed")
    return subprocess.run([program, *arguments], capture_output=True, text=True, check=False)


def test_workflows_come_later_and_are_renewed(tmp_path: Path) -> None:
    board = tmp_path / "new"
    made = command("board", "init", board, "--data", DEV, "--secrets", tmp_path / "keys")
    assert f"argue-bench board init {board} --package" in made.stderr
    for commit in ("ab" * 20, "cd" * 20):
        said = command("board", "init", board, "--package", f"someone/argue-bench@{commit}")
        assert said.exit_code == 0, said.stderr
        text = (board / ".github" / "workflows" / "site.yml").read_text()
        assert text.count(commit) == 2
    assert len(list((board / ".github" / "workflows").iterdir())) == 4
    elsewhere = command("board", "init", tmp_path, "--package", PACKAGE)
    assert elsewhere.exit_code == 2
    assert "is not a board's folder" in elsewhere.stderr


def test_a_board_is_never_overwritten(founded: Path, tmp_path: Path) -> None:
    again = ("--data", DEV, "--secrets")
    assert command("board", "init", founded, *again, tmp_path / "keys2").exit_code == 2
    assert command("board", "init", tmp_path / "other", *again, tmp_path / "keys").exit_code == 2
    assert not (tmp_path / "other").exists()


def test_secrets_are_not_written_into_a_repository(tmp_path: Path) -> None:
    (tmp_path / "repo" / ".git").mkdir(parents=True)
    said = command(
        "board", "init", tmp_path / "new", "--data", DEV, "--secrets", tmp_path / "repo" / "k"
    )
    assert said.exit_code == 2
    assert "public" in said.stderr
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize(
    "package", ["x", "a/b", "a/b@main", "a/b@" + "g" * 40, "a b/c@" + "a" * 40]
)
def test_a_package_is_named_in_full(tmp_path: Path, package: str) -> None:
    said = command(
        "board init", tmp_path / "new", data=DEV, secrets=tmp_path / "k", package=package
    )
    assert said.exit_code == 2
    assert not (tmp_path / "k").exists()


def test_rotate_retires_the_key_before(founded: Path, tmp_path: Path) -> None:
    keys = founded / ROOT / "keys"
    (old,) = keys.glob("*.pem")
    said = command("board", "rotate-key", founded / ROOT, "--secrets", tmp_path / "later")
    assert said.exit_code == 0, said.stderr
    (new,) = keys.glob("*.pem")
    assert new.name != old.name
    assert (keys / "retired" / old.name).is_file()
    assert (tmp_path / "later" / "board.env").read_text().startswith("SIGNING_KEY=")


def test_no_key_is_made_for_a_folder_that_is_no_board(tmp_path: Path) -> None:
    said = command("board", "rotate-key", tmp_path / "typo", "--secrets", tmp_path / "secrets")
    assert (said.exit_code, list(tmp_path.iterdir())) == (2, [])


def test_rescore_makes_every_row_anew_and_leaves_runs_and_history(
    repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_secrets(monkeypatch, repository)
    for number, author in enumerate(("1001", "1001", "2002")):
        answers = repository.answers(f"Kim Lee was born in {1930 + number} [D1].")
        request = repository.send(f"system-{number}", author, answers=answers)
        Steps(repository, request, tmp_path / f"{number}").whole()
        repository.merge(repository.commit(repository.entry(f"system-{number}", answers)))
    git(tmp_path, "clone", "--quiet", str(repository.path), "checkout")
    board = tmp_path / "checkout" / ROOT
    season = json.loads((board / "season.json").read_text())
    season["metrics"] = ["argue(rules=auto-argue)", "accuracy"]
    for place in (board, repository.folder):
        (place / "season.json").write_text(json.dumps(season))
    out = tmp_path / "again"
    said = command("board rescore", board, remote=repository.remote, reason="other rules", out=out)
    assert said.exit_code == 0, said.stderr + said.stdout
    names = sorted(path.name for path in out.iterdir())
    assert {"system-0", "system-2"} <= set(names)
    for name in names:
        done = command(
            "board ci record", outcome=out / name, remote=repository.remote, folder=board
        )
        assert done.exit_code == 0, done.stderr
    events = read_ledger(repository.at("leaderboard-results", "results/ledger.jsonl"))
    assert [e.event for e in events].count("re-scored") == len(names)
    assert {e.reason for e in events if e.event == "re-scored"} == {"other rules"}
    result = json.loads(repository.at("leaderboard-results", f"results/{SEASON}/system-2.json"))
    assert "argue(rules=auto-argue)" in result["settings"]["openbook"]["signature"]
    bands = json.loads(repository.at("leaderboard-results", f"results/{SEASON}/bands.json"))
    assert {r["system"] for r in bands["settings"]["openbook"]["systems"]} == set(names)


@pytest.mark.parametrize(
    ("given", "address"),
    [
        (("", "Some-One/Board"), "https://some-one.github.io/Board/"),
        (("", "some-one/Some-One.github.io"), "https://some-one.github.io/"),
        ((" https://board.example.org ", "a/b"), "https://board.example.org/"),
        (("https://example.org/board/", ""), "https://example.org/board/"),
        (("", ""), ""),
    ],
)
def test_where_the_pages_stand(given: tuple[str, str], address: str) -> None:
    assert site_address(*given) == address


@pytest.mark.parametrize(
    "given",
    [
        ("http://example.org", ""),
        ("javascript:alert(1)", ""),
        ("https://a.example/?x", ""),
        ("", "board"),
        ("", "a/b/c"),
        ("", "a b/c"),
        ("https://u@a.example/", ""),
    ],
)
def test_what_is_no_place_for_pages(given: tuple[str, str]) -> None:
    with pytest.raises(UsageError):
        site_address(*given)


def test_the_ledger_takes_no_scores_from_people(repository: Repository) -> None:
    given = ("board", "ledger", "--remote", repository.remote, "--season", "s", "--reason", "x")
    assert command(*given, "--add", "scored").exit_code == 2
    assert command(*given[:-2], "--add", "note").exit_code == 2
    assert command(*given, "--add", "note").exit_code == 0
    said = command("board", "ledger", "--remote", repository.remote, "--format", "json")
    assert [one["event"] for one in json.loads(said.stdout)] == ["note"]


@pytest.mark.parametrize("event", ["hidden", "shown", "removed", "owner"])
def test_the_ledger_takes_no_decision_on_a_row_that_is_not_there(
    repository: Repository, event: str
) -> None:
    """It stays for ever, and the row that was meant stays as it is."""
    scored = Event("scored", "2026-01-01T00:00:00Z", SEASON, "my-system", "1001")
    record_events(RecordTarget(repository.remote), [scored])
    imported = {f"{ROOT}/results/{SEASON}/old-run.json": "{}"}
    repository.merge(repository.commit(imported))
    given = ("board", "ledger", "--remote", repository.remote, "--reason", "x", "--add", event)
    for named, says in (
        ((SEASON, "--system", "my-sistem"), f"{SEASON} has my-system, old-run"),
        ((SEASON,), f"--system NAME is not there: {SEASON} has my-system, old-run"),
        (("s9", "--system", "my-system"), f"is not there: seasons: {SEASON}"),
    ):
        said = command(*given, "--season", *named)
        assert (said.exit_code, says in " ".join(said.stderr.split())) == (2, True), said.stderr
    for system in ("my-system", "old-run"):
        assert command(*given, "--season", SEASON, "--system", system).exit_code == 0


@pytest.mark.parametrize(
    "given",
    [
        ("--season", SEASON, "--reason", "x" * 1_001),
        ("--season", SEASON, "--reason", "Asked by mail.\nSee the thread."),
        ("--season", SEASON, "--reason", "Its maker asked\u200b for it"),
        ("--season", "S1", "--reason", "The last day"),
    ],
    ids=["long", "two lines", "unseen", "a season in capitals"],
)
def test_the_ledger_takes_nothing_that_it_could_not_read(
    repository: Repository, given: Sequence[str]
) -> None:
    """Every later step reads it, and lines are only ever added."""
    url = ("board", "ledger", "--remote", repository.remote)
    assert command(*url, "--add", "note", "--season", SEASON, "--reason", "x").exit_code == 0
    before = git(repository.path, "rev-parse", "leaderboard-results")
    said = command(*url, "--add", "note", *given)
    assert (said.exit_code, "wrong-value" in said.stderr) == (1, True), said.stderr
    assert said.stderr.startswith("the new event:1: "), said.stderr
    assert git(repository.path, "rev-parse", "leaderboard-results") == before
    made = [Event("note", "2026-01-01T00:00:00Z", SEASON, reason="x" * 1_001)]
    with pytest.raises(SubmissionError, match="1,000"):
        record_events(RecordTarget(repository.remote), made)
    assert git(repository.path, "rev-parse", "leaderboard-results") == before
    assert command(*url, "--add", "note", "--season", SEASON, "--reason", "y").exit_code == 0


def test_a_dry_run_wants_no_folder(founded: Path, repository: Repository) -> None:
    given = ("board", "rescore", founded / ROOT, "--remote", repository.remote, "--reason", "x")
    said = command(*given)
    assert (said.exit_code, "--out DIR, or --dry-run" in said.stderr) == (2, True), said.stderr
    assert "ANSWERS_KEY" in command(*given, "--dry-run").stderr
    # A reason that the ledger would refuse is said before anything is paid for.
    said = command(*given[:-1], "\U0001f469\u200d\U0001f4bb", "--dry-run")
    assert (said.exit_code, "visible" in said.stderr) == (1, True), said.stderr


def test_a_metric_without_argue_names_its_own_scores_that_rank(tmp_path: Path) -> None:
    for metric, says in (
        ("citations", "Rank (--ranked) by citations.precision or citations.f1"),
        ("accuracy", "such as argue: none of theirs ranks"),
    ):
        said = command(
            "board init", tmp_path / "new", data=DEV, secrets=tmp_path / "keys", metric=metric
        )
        assert (said.exit_code, says in " ".join(said.stderr.split())) == (2, True), said.stderr


@pytest.mark.parametrize(
    "score", ["citation_recall_strict", "citation_recall_fuzzy", "refusal_recall"]
)
@pytest.mark.parametrize("rules", ["luciole-v1", "luciole-head"])
def test_no_recall_of_luciole_ranks(rules: str, score: str, tmp_path: Path) -> None:
    """One sentence that cites every document had 100 of them, an honest row 64."""
    metric = f"grounding(rules={rules})"
    given = {"metric": metric, "ranked": f"{metric}.{score}", "data": DEV}
    said = command("board init", tmp_path / "new", secrets=tmp_path / "keys", **given)
    assert (said.exit_code, "can be won or raised" in " ".join(said.stderr.split())) == (2, True)


def test_the_queue_shows_state_and_age(
    repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_secrets(monkeypatch, repository)
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1767312000")  # 2026-01-02
    first = repository.send("my-system")
    Steps(repository, first, tmp_path / "1").whole()
    pulls = tmp_path / "pulls.json"
    rows = [
        {
            "number": 2,
            "author": {"login": "b\u202e@x"},
            "createdAt": "2025-12-23T00:00:00Z",
            "headRefOid": "cd" * 20,
            "labels": [],
        },
        {
            "number": 3,
            "author": {"login": "c"},
            "createdAt": "2026-01-01T00:00:00Z",
            "headRefOid": "ce" * 20,
            "labels": [{"name": "screened"}],
        },
        {
            "number": 1,
            "author": {"login": "a"},
            "createdAt": "2025-12-31T00:00:00Z",
            "headRefOid": first.sha,
            "labels": [],
        },
    ]
    pulls.write_text(json.dumps(rows))
    words = ("board", "fetch", repository.folder, "--remote", repository.remote, "--pulls", pulls)
    said = command(*words, "--out", tmp_path / "shown")
    assert said.exit_code == 0, said.stderr
    assert "awaiting review" in said.stdout
    made = json.loads((tmp_path / "shown" / "results" / "queue.json").read_text())
    found = [(r["number"], r["author"], r["state"], r["days"]) for r in made]
    assert found == [
        (2, "bx", "awaiting review", 10),
        (1, "a", "scored", 2),
        (3, "c", "labelled screened", 1),
    ]
    for wrong in ("{}", "[1]", '[{"number": "1"}]', "["):
        pulls.write_text(wrong)
        assert command(*words, "--out", tmp_path / "other").exit_code == 1
    assert not (tmp_path / "other").exists()


@pytest.mark.parametrize(
    ("data", "terms", "least", "most"),
    [
        # A dry run on all 80 questions says 34,500: what a season's default budget never holds.
        ("dev", "--metric argue", (25_000, 45_000), (25_000, 250_000)),
        # Here it says 24 to 120 of 24 answers.
        (
            "few",
            "--metric faithfulness --ranked faithfulness.supported --setting openbook",
            (20, 60),
            (60, 2_000),
        ),
    ],
)
def test_a_new_board_says_how_often_a_run_asks_its_judge(
    data: str, terms: str, least: tuple[int, int], most: tuple[int, int], tmp_path: Path
) -> None:
    few = tmp_path / "few"
    write_set(World(SEED, 24), few, "dev", few / "gold.jsonl")
    for judge in ("openai/gpt-4o-mini", "lexical"):
        out = ("--secrets", tmp_path / judge[:3], "--data", few if data == "few" else DEV)
        said = command(f"board init {terms} --judge {judge}", tmp_path / f"b-{judge[:3]}", *out)
        assert said.exit_code == 0, said.stderr
        found = re.search(r"some ([\d,]+) to ([\d,]+) times or more", said.stdout)
        assert bool(found) == (judge != "lexical")
        if found:
            for (low, high), told in zip((least, most), found.groups(), strict=True):
                assert low < int(told.replace(",", "")) < high


def test_a_run_takes_no_name_that_a_participant_was_scored_under(
    start: Start, tmp_path: Path
) -> None:
    """Before the pull request is merged, main knows nothing of the name; a run that was imported under it is left out."""
    repository = start().repository
    board = repository.folder
    season = json.loads((board / "season.json").read_text())
    open_terms = {"told": "all", "step": None, "bits": None}
    (board / "season.json").write_text(json.dumps(season | open_terms))
    start("half", author="5005").whole()
    data = tmp_path / "set"
    write_set(World(SEED, 24), data, "test", data / "gold.jsonl")
    (tmp_path / "half.jsonl").write_text(repository.answers("Nothing else is known."))
    scored = (
        "evaluate",
        tmp_path / "half.jsonl",
        "--dataset",
        data,
        "--out",
        tmp_path / "half.run",
    )
    assert command(*scored, "--metric", "argue").exit_code == 0
    runs = ("board", "import", tmp_path / "half.run", "--out", board)
    assert command(*runs).exit_code == 0
    sent = {
        f"{ROOT}/{p.relative_to(board)}": p.read_bytes() for p in board.rglob("*.*") if p.is_file()
    }
    repository.merge(repository.commit(sent))
    shown = tmp_path / "shown"
    said = command("board", "fetch", board, "--remote", repository.remote, "--out", shown)
    assert (
        "half.json: left out: the board scored a participant's answers under this name"
        in said.stderr
    )
    assert not list(shown.glob("results/*/half.json"))
    said = command("board", "verify", shown)
    assert said.exit_code == 0, said.stdout


def test_the_guide_says_how_the_runs_of_a_bridge_are_made(founded: Path, tmp_path: Path) -> None:
    """A board keeps no verdicts: whoever has the set makes the run files of its merged answers at home."""
    guide = (founded / "docs" / "operate.md").read_text()
    told = re.search(
        r"`argue-bench (evaluate leaderboard-submissions/[^`]+ --out NAME\.run)`", guide
    )
    assert told
    run = tmp_path / "half.run"
    answers = founded / ROOT / "openbook-generations" / "half.jsonl"
    ids = [json.loads(line)["id"] for line in (DEV / "questions.jsonl").read_text().splitlines()]
    lines = (json.dumps({"id": id, "answer": "Nothing is known."}) for id in ids)
    answers.write_text("\n".join(lines))
    names = {"NAME.run": run, "leaderboard-submissions": founded / ROOT, "NAME": "half"}
    names |= {"FOLDER": DEV, "METRIC": "faithfulness", "OLD": "lexical"}
    word = re.compile(rf"\b({'|'.join(map(re.escape, names))})\b")
    said = command(word.sub(lambda match: str(names[match[1]]), told[1]))
    assert said.exit_code == 0, said.stderr
    assert read_reports(run)
