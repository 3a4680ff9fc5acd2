"""Submissions by models, over a real server and a real model on disk: whole, resumed, never asked twice."""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from argue_bench.baselines import generating
from argue_bench.baselines.forms import Prompter, PromptOptions, copy_form, load_form
from argue_bench.cli import main
from argue_bench.errors import DataError
from argue_bench.loaders import load, read_answers
from argue_bench.loaders.dataset import Dataset
from argue_bench.models.chat import Chat
from argue_bench.records import Answers, Document, Evidence, Question, Verdict
from argue_bench.store import Author, Store
from tests.models.server import ChatServer
from tests.published.fanoutqa.wiki_server import IDS, WikiServer, serving

SAMPLE = load("core", "sample")
FIRST = SAMPLE[0]


def title(body: dict[str, Any]) -> str:
    """Which question a prompt asks."""
    return re.findall(r"^Title: (.*)$", body["messages"][-1]["content"], re.MULTILINE)[0]


def replying(body: dict[str, Any]) -> str:
    return f"<think>Let me see [9].</think>Answer: About {title(body)} one thing is known [1][2]. So [77]."


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ChatServer]:
    with ChatServer(model=replying) as server:
        monkeypatch.setenv("ARGUE_BENCH_BASE_URL", server.url)
        monkeypatch.setenv("ARGUE_BENCH_MAX_CONCURRENCY", "4")
        yield server


def generate(
    out: Path, *more: str, model: str = "server/m", setting: str = "evidenceprovided"
) -> Result:
    words = (
        f"generate --dataset core --split sample --setting {setting} --model {model} --out {out}"
    )
    return CliRunner().invoke(main, [*words.split(), *more])


def lines(path: Path) -> list[dict[str, Any]]:
    """What stands in a file, each with the id of its question."""
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return [{"id": row.get("metadata", {}).get("topic_id"), **row} for row in rows]


def about(out: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(out.with_name(f"{out.stem}.about.json").read_text())
    return found


@pytest.mark.parametrize("setting", ["closedbook", "openbook", "evidenceprovided"])
def test_a_submission_by_a_model(server: ChatServer, tmp_path: Path, setting: str) -> None:
    out = tmp_path / "answers.jsonl"
    done = generate(out, setting=setting)
    assert done.exit_code == 0, done.output
    assert [line["id"] for line in lines(out)] == [question.id for question in SAMPLE]
    assert len(read_answers(out, SAMPLE)) == 8
    assert not any(word in out.read_text() for word in ("think", "Answer:", "[77]"))
    assert {line["metadata"]["run_id"] for line in lines(out)} == {"answers"}
    made = about(out)
    assert (made["answered"], made["questions"], made["failed"]) == (8, 8, {})
    assert (made["model"], made["setting"]) == ("server/m", setting)
    assert made["prompt"].startswith("report@")
    assert len(server.requests) == 8
    sizes = [sum(len(m["content"]) for m in body["messages"]) // 4 for body in server.requests]
    assert made["tokens_in"] == sum(sizes)
    assert made["tokens_out"] == sum(len(replying(body)) // 4 for body in server.requests)


def test_openbook_numbers_count_the_passages_of_the_prompt(
    server: ChatServer, tmp_path: Path
) -> None:
    generate(tmp_path / "a.jsonl", "--ndoc", "2", setting="openbook")
    body = next(b for b in server.requests if title(b) == "Deaths in the 2021 flood")
    text = body["messages"][-1]["content"]
    cited = read_answers(tmp_path / "a.jsonl", SAMPLE)[FIRST.id].sentences[0].citations
    assert len(cited) == 2
    for number, id in enumerate(cited, 1):
        shown = text.split(f"Document [{number}]")[1].split("Document [")[0]
        assert SAMPLE.documents[id].title in shown


def test_documents_of_the_same_words_are_shown_once() -> None:
    """As where several questions bring the same context, each under an id of its own."""
    texts = ["The wall is long.", "The wall is old.", "The wall is high."]
    documents = {
        f"d{n}-{copy}": Document(f"d{n}-{copy}", text, "The wall")
        for n, text in enumerate(texts)
        for copy in range(4)
    }
    dataset = Dataset("same", "dev", (Question("q", "How is the wall?"),), documents)
    options = PromptOptions(ndoc=3)
    asked = Prompter(dataset, "openbook", load_form("alce-vanilla"), options).prompt(dataset[0])
    assert sorted(one.text for one in asked.documents) == sorted(texts)


def test_nothing_is_asked_twice(server: ChatServer, tmp_path: Path) -> None:
    out = tmp_path / "a.jsonl"
    assert generate(out, "--limit", "3").exit_code == 0
    assert len(lines(out)) == 3
    assert generate(out).exit_code == 0
    assert generate(out).exit_code == 0
    assert len(server.requests) == len({title(body) for body in server.requests}) == 8
    assert len(lines(out)) == 8


def test_a_killed_run_is_gone_on_with(server: ChatServer, tmp_path: Path) -> None:
    """It runs in a process of its own, which is killed when four replies have come: the last may not be stored."""
    out, server.delay = tmp_path / "a.jsonl", 0.15
    words = (
        "generate --dataset core --split sample --setting evidenceprovided --model server/m --out"
    )
    process = subprocess.Popen(
        [sys.executable, "-m", "argue_bench", *words.split(), str(out)],
        env={**os.environ, "ARGUE_BENCH_MAX_CONCURRENCY": "1"},
        stderr=subprocess.DEVNULL,
    )
    try:
        while len(server.requests) < 5 and process.poll() is None:
            time.sleep(0.005)
    finally:
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
    server.delay = 0.0
    had = [title(body) for body in server.requests]
    assert not out.exists()
    done = generate(out)
    assert done.exit_code == 0, done.output
    assert not {title(body) for body in server.requests[len(had) :]} & {*had[:3]}
    assert [line["id"] for line in lines(out)] == [question.id for question in SAMPLE]
    assert about(out)["answered"] == 8


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (("--temperature", "0.7"), "model.temperature: 0, now 0.7"),
        (("--prompt", "alce-vanilla"), "prompt: report@"),
        (("--max-tokens", "50"), "max_tokens: 1024, now 50"),
    ],
)
def test_answers_of_two_kinds_are_never_mixed(
    server: ChatServer, tmp_path: Path, more: tuple[str, ...], said: str
) -> None:
    out = tmp_path / "a.jsonl"
    generate(out)
    before = out.read_text()
    done = generate(out, *more)
    assert done.exit_code == 1
    assert "begun otherwise" in done.output
    assert said in done.output
    assert out.read_text() == before
    assert len(server.requests) == 8


def test_answers_of_which_nothing_is_known_are_left_alone(
    server: ChatServer, tmp_path: Path
) -> None:
    out = tmp_path / "a.jsonl"
    out.write_text("by hand\n")
    done = generate(out)
    assert done.exit_code == 2
    assert "how it was made" in done.output
    assert out.read_text() == "by hand\n"
    assert generate(tmp_path / "openbook-generations" / "a.jsonl").exit_code == 2
    (tmp_path / "a.replies").touch()
    for bad in ("{", "[]", '{"seconds": "long"}'):
        (tmp_path / "a.about.json").write_text(bad)
        assert generate(out).exit_code == 1
    assert out.read_text() == "by hand\n"


def test_the_command_store_shows_prompts_and_replies(server: ChatServer, tmp_path: Path) -> None:
    generate(tmp_path / "a.jsonl", "--temperature", "0.5")
    file = str(tmp_path / "a.replies")
    shown = CliRunner().invoke(main, ["store", "show", file])
    (row,) = [line.split() for line in shown.output.splitlines() if "server/m" in line]
    assert row[:4] == ["8", "replies", "server/m", "temperature:0.5"]
    shown = CliRunner().invoke(main, ["store", "show", file, "--raw"])
    rows = map(json.loads, shown.output.splitlines())
    (row,) = [row for row in rows if row["purpose"] == FIRST.id]
    assert (row["model"], row["purpose"], row["attempt"]) == ("server/m", FIRST.id, 1)
    assert "Deaths in the 2021 flood" in row["request"]
    assert "<think>" in row["reply"]
    with Store(file) as store:
        ask = Answers("s", "q", "a")
        store.add(Author.of("j", {}), ask, Verdict("yes", "", "was asked", "said"))
    shown = CliRunner().invoke(main, ["store", "show", file, "--raw"])
    assert json.loads(shown.output.splitlines()[0])["request"] == "was asked"
    assert CliRunner().invoke(main, ["store", "show", str(tmp_path / "none")]).exit_code == 1


@pytest.mark.parametrize("reply", ["", "<think>I never end", "<!DOCTYPE html><html>Bad gateway"])
def test_an_empty_reply_is_asked_for_once_more(
    server: ChatServer, tmp_path: Path, reply: str
) -> None:
    """One question gets a bad reply always, another only the first time."""
    seen: list[str] = []

    def model(body: dict[str, Any]) -> str:
        name = title(body)
        seen.append(name)
        first = seen.count(name) == 1
        bad = name == "Deaths in the 2021 flood" or (
            name == "Mayoral election at Quenholt, 2022" and first
        )
        return reply if bad else replying(body)

    server.model = model
    out = tmp_path / "a.jsonl"
    done = generate(out)
    assert done.exit_code == 0, done.output
    assert "1 replies empty or web pages, twice: flood-toll" in done.output
    assert {line["id"]: line["responses"] for line in lines(out)}[FIRST.id] == []
    assert about(out)["empty"] == [FIRST.id]
    assert len(seen) == 10
    assert generate(out).exit_code == 0
    assert len(seen) == 10


def test_what_fails_has_no_line_and_is_asked_again(server: ChatServer, tmp_path: Path) -> None:
    server.trick = lambda number, body: "400" if "Deaths in the 2021" in str(body) else ""
    out = tmp_path / "a.jsonl"
    done = generate(out)
    assert done.exit_code == 3
    assert "7 of 8 questions answered" in done.output
    assert "flood-toll: the server answered 400" in done.output
    assert FIRST.id not in {line["id"] for line in lines(out)}
    assert list(about(out)["failed"]) == [FIRST.id]
    server.trick = lambda number, body: ""
    before = len(server.requests)
    assert generate(out).exit_code == 0
    assert {title(body) for body in server.requests[before:]} == {"Deaths in the 2021 flood"}
    assert lines(out)[0]["id"] == FIRST.id


@pytest.mark.parametrize(
    ("model", "said", "code"),
    [
        ("opneai/gpt", "openai", 3),
        ("gpt-4o", "PROVIDER/MODEL", 2),
        ("local:nowhere", "nowhere", 2),
        ("openai/gpt-4o", "OPENAI_API_KEY", 3),
    ],
)
def test_a_model_that_is_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, model: str, said: str, code: int
) -> None:
    if model.startswith("local:"):
        pytest.importorskip("torch", reason="needs argue-bench[neural]: torch")
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.chdir(tmp_path)
    done = generate(tmp_path / "a.jsonl", model=model)
    assert done.exit_code in (code, 1)
    assert said in done.output
    assert not list(tmp_path.glob("a.*"))


def test_a_context_smaller_than_the_prompt(server: ChatServer, tmp_path: Path) -> None:
    done = generate(tmp_path / "a.jsonl", "--context", "1100")
    assert done.exit_code == 2
    assert "more than --context 1,100" in done.output
    assert generate(tmp_path / "b.jsonl", "--context", "2200").exit_code == 0
    assert about(tmp_path / "b.jsonl")["documents_left_out"] > 0
    assert all(len(str(body["messages"])) < 2200 * 4 for body in server.requests)


def test_a_reply_that_a_filter_withheld_is_not_paid_for_twice(
    server: ChatServer, tmp_path: Path
) -> None:
    server.model = lambda body: {"content": "", "finish_reason": "content_filter"}
    done = generate(tmp_path / "a.jsonl", "--limit", "3")
    assert done.exit_code == 3  # nothing was answered
    assert "3 replies withheld by the model or a filter" in done.output
    assert "empty or web pages" not in done.output
    assert len(server.requests) == 3


def test_a_budget_is_not_passed(
    server: ChatServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    prices = tmp_path / "providers.toml"
    prices.write_text("[server]\nin = 1000\nout = 1000\n")
    monkeypatch.setenv("ARGUE_BENCH_PROVIDERS", str(prices))
    done = generate(tmp_path / "a.jsonl", "--budget", "0.01")
    assert done.exit_code == 3
    assert "budget" in done.output
    assert not server.requests


def test_a_dry_run_asks_nothing(server: ChatServer, tmp_path: Path) -> None:
    done = generate(tmp_path / "a.jsonl", "--dry-run")
    assert done.exit_code == 0, done.output
    assert "8 prompts like this one for server/m" in done.output
    assert "Deaths in the 2021 flood" in done.output
    assert not server.requests
    assert not list(tmp_path.iterdir())


def test_a_form_of_ones_own(server: ChatServer, tmp_path: Path) -> None:
    mine = tmp_path / "mine"
    copy_form("report", mine)
    (mine / "system.j2").write_text("Write about {{ question|upper }}.")
    assert generate(tmp_path / "a.jsonl", "--prompt", str(mine)).exit_code == 0
    assert server.requests[0]["messages"][0]["content"].startswith("Write about ")
    for bad in ("{{ gold }}", "{% if %}", "{{ question.__class__.__mro__ }}"):
        (mine / "system.j2").write_text(bad)
        done = generate(tmp_path / "b.jsonl", "--prompt", str(mine))
        assert done.exit_code == 1
        assert "system.j2" in done.output
    done = generate(tmp_path / "c.jsonl", "--prompt", "reprot")
    assert "Did you mean 'report'" in done.output


def test_a_local_model_does_the_same(tmp_path: Path) -> None:
    from tests.models import tiny

    folder = tiny.causal(tmp_path / "tiny-llama")
    out = tmp_path / "a.jsonl"
    more = ("--max-tokens", "8", "--limit", "2")
    done = generate(out, *more, model=f"local:{folder}", setting="closedbook")
    assert done.exit_code in (0, 3), done.output
    made = about(out)
    assert made["model"] == "local:tiny-llama"
    assert made["answered"] + len(made["empty"]) + len(made["failed"]) == 2
    for reason in made["failed"].values():
        assert "tokens" in reason


def test_the_same_prompt_is_asked_once_however_questions_are_taken_up(
    server: ChatServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Questions of the same words in different portions, asked at the same time, share a reply."""
    monkeypatch.setattr(generating, "_BATCH", 2)
    said = iter(["", "A word.", "Another word.", "A third."])
    server.model, server.delay = lambda body: next(said), 0.1
    questions = tuple(Question(f"q{n}", "What is it?") for n in range(7))
    dataset = Dataset("same", "dev", questions)
    prompter = Prompter(dataset, "closedbook", load_form("alce-closedbook"))
    made = asyncio.run(
        generating.Generator(dataset, prompter, Chat("server", "m"), tmp_path / "a.jsonl").run()
    )
    assert (made.answered, made.new_replies, len(server.requests)) == (7, 2, 2)
    assert lines(tmp_path / "a.jsonl") == [{"id": q.id, "answer": "A word."} for q in questions]


@pytest.fixture
def wikipedia(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[WikiServer]:
    with serving() as wikipedia:
        monkeypatch.setenv("ARGUE_BENCH_CACHE", str(tmp_path / "cache"))
        monkeypatch.setenv("FANOUTQA_CACHE_DIR", str(tmp_path / "cache"))
        monkeypatch.setenv("ARGUE_BENCH_WIKIPEDIA", f"{wikipedia.url}/w/api.php")
        yield wikipedia


def on_wikipedia(out: Path, titles: list[str]) -> generating.Generator:
    """A run over a question a page, in which the page must be fetched first."""
    pages = [Evidence(IDS[t], 1000 * IDS[t], t, "") for t in titles]
    questions = tuple(
        Question(f"q{n}", f"What of {page.title}?", evidence=(page,))
        for n, page in enumerate(pages)
    )
    dataset = Dataset("fanoutqa", "dev", questions)
    prompter = Prompter(dataset, "evidenceprovided", load_form("fanoutqa"))
    return generating.Generator(dataset, prompter, Chat("server", "m"), out)


def test_a_page_that_is_missing_loses_no_reply_that_is_under_way(
    server: ChatServer, wikipedia: WikiServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(generating, "_WRITING_SECONDS", 0.0)
    server.delay = 1.0
    server.model = lambda body: "It is known."
    out = tmp_path / "a.jsonl"
    with pytest.raises(DataError, match="no page 'Missing'"):
        asyncio.run(on_wikipedia(out, ["Pat Burrell", "Missing", "Garbled"]).run())
    assert lines(out) == [{"id": "q0", "answer": "It is known."}]
    assert len(server.requests) == 1
