"""Reports in TREC form: the validators take them, and they score as the text that they were made of."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from argue_bench.baselines.forms import copy_form
from argue_bench.cli import main
from argue_bench.eval import evaluate
from argue_bench.leaderboard.formats.bundle import Bundle
from argue_bench.leaderboard.formats.season import read_season
from argue_bench.leaderboard.intake.pull_request import check_bundle
from argue_bench.leaderboard.submitting.checking import files_of
from argue_bench.loaders import load, read_answers
from argue_bench.published.trec.check import check_run
from argue_bench.records import Answer
from tests.baselines.test_generating import generate, title
from tests.models.server import ChatServer

SAMPLE = load("core", "sample")

REPLIES = (
    "About {0} one thing is known [1][2]. So [77]. It is not known why.",
    "Known. [1] Not known.[2] About {0}, both [1, 2]!",
    "**Report:** - {0} is one [1].\n- It is two [2].\n\nThree [1-3].",
    "Dr. Ada of {0} said “so” [3]…\n\nNothing else…",
    "Nothing of it is cited. {0} neither",
    "The documents do not say when.",
    "It is said twice [1][1]. It is said twice [1].",
    "Über ﬁve [2]: 1.5 % of {0} [1]. 3,000 <b>people</b> & more [4].",
)


INIT = (
    *("submission", "init", "--system", "my-system", "--name", "Mine", "--authors", "Ada"),
    *("--citation", "Ada, 2026", "--url", "", "--type", "PROMPT", "--context", "16384"),
)


def wandering(body: dict[str, Any]) -> str:
    """Another way of citing for each question."""
    name = title(body)
    titles = [q.request.title for q in SAMPLE if q.request]
    return REPLIES[titles.index(name) % len(REPLIES)].format(name)


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ChatServer]:
    with ChatServer(model=wandering) as server:
        monkeypatch.setenv("ARGUE_BENCH_BASE_URL", server.url)
        yield server


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, [str(one) for one in arguments])


def values(answers: Iterable[Answer]) -> dict[str, float | None]:
    """All scores but those of FanOutQA's ROUGE, which counts the characters of marks as words."""
    scores = evaluate(SAMPLE, answers).scores
    return {key: score.value for key, score in scores.items() if not key.startswith("rouge.")}


@pytest.mark.parametrize("setting", ["closedbook", "openbook", "evidenceprovided"])
def test_both_forms_of_a_reply_score_alike(
    server: ChatServer, tmp_path: Path, setting: str
) -> None:
    copy_form("report", tmp_path / "text")
    toml = tmp_path / "text" / "form.toml"
    toml.write_text(toml.read_text().replace('gives = "report"', 'gives = "answer"'))
    assert generate(tmp_path / "trec.jsonl", setting=setting).exit_code == 0
    shutil.copy(tmp_path / "trec.replies", tmp_path / "text.replies")
    asked = len(server.requests)
    done = generate(tmp_path / "text.jsonl", "--prompt", str(tmp_path / "text"), setting=setting)
    assert done.exit_code == 0, done.output
    assert len(server.requests) == asked  # the same requests, and one store
    trec, text = tmp_path / "trec.jsonl", tmp_path / "text.jsonl"
    assert "responses" in trec.read_text()
    assert "responses" not in text.read_text()
    one, other = read_answers(trec, SAMPLE), read_answers(text, SAMPLE)
    for id, answer in one.items():
        assert [s.plain for s in answer.sentences] == [s.plain for s in other[id].sentences]
    scores, others = values(one.values()), values(other.values())
    assert len(scores) > 20
    assert scores == others
    assert len(set(scores.values())) > 5


@pytest.mark.parametrize("track", ["plain", "neuclir24", "ragtime25", "ragtime26"])
def test_the_validators_take_them(server: ChatServer, tmp_path: Path, track: str) -> None:
    out = tmp_path / "run.jsonl"
    assert generate(out).exit_code == 0
    topics = {q.id: q.request for q in SAMPLE if q.request}
    checked = check_run(out, track, topics=topics)
    wrong = {finding.code for finding in checked.findings if finding.level == "error"}
    # The ids of core are not those of a track's collection; nothing else is wrong.
    assert wrong <= {"docid-pattern"}
    assert checked.runs == {("argue-bench", "run"): set(topics)}


def test_a_board_takes_them(server: ChatServer, tmp_path: Path) -> None:
    folder = tmp_path / "leaderboard-submissions"
    (folder / "openbook-generations").mkdir(parents=True)
    (folder / "metadata").mkdir()
    season = {
        "schema": 1,
        "season": "rehearsal",
        "title": "Rehearsal",
        "group": "rehearsal",
        "set": {"name": "core", "split": "sample"},
        "settings": ["closedbook", "openbook"],
        "metrics": ["argue"],
        "judge": "lexical",
        "judges": {},
        "ranked": "argue.f1",
    }
    (folder / "season.json").write_text(json.dumps(season))
    assert generate(tmp_path / "a.jsonl", setting="openbook").exit_code == 0
    (tmp_path / "a.jsonl").rename(folder / "openbook-generations" / "my-system.jsonl")
    assert run(*INIT, "--folder", folder).exit_code == 0
    done = run("submission", "check", folder, "--system", "my-system")
    assert done.exit_code == 0, done.output
    assert "8 of 8" in done.output
    files = {path: one.read_bytes() for path, one in files_of(folder, "my-system").items()}
    bundle = Bundle("my-system", "7", files)
    findings, _ = check_bundle(bundle, read_season(folder), SAMPLE)
    # The server cites a document of its own making: that is said, and the bundle is taken.
    # One of the eight answers cites nothing.
    assert [one.code for one in findings] == ["unknown-citation", "no-citation"]
    sent_file = folder / "openbook-generations" / "my-system.jsonl"
    rows = [json.loads(line) for line in sent_file.read_text().splitlines()]
    assert all("responses" in row for row in rows)


def test_a_limit_holds_as_the_track_counts_it(server: ChatServer, tmp_path: Path) -> None:
    server.model = lambda body: " ".join(f"Fact {n}… is ﬁne [1].\n" for n in range(400))
    out = tmp_path / "run.jsonl"
    assert generate(out).exit_code == 0
    topics = {q.id: q.request for q in SAMPLE if q.request}
    checked = check_run(out, "plain", topics=topics, strict=True)
    assert not [finding for finding in checked.findings if finding.code == "length"]
    for answer in read_answers(out, SAMPLE).values():
        assert answer.sentences[-1].text.endswith("is ﬁne.")
