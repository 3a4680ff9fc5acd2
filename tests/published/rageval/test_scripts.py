"""``rageval``: the command lines of rageval's scripts on ALCE, word for word, and the files they leave."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from argue_bench.cli import main
from tests.models.server import ChatServer

RUN = "Llama_2_7b_chat_hf_summary_shot2_ndoc5"


def entry(number: int, **more: Any) -> dict[str, Any]:
    return {
        "sample_id": f"s{number}",
        "question": f"When was bridge {number} built, and by whom?",
        "qa_pairs": [
            {"context": "", "question": "When?", "short_answers": ["1931"], "wikipage": None},
            {"context": "", "question": "Who?", "short_answers": ["Nobody"], "wikipage": None},
        ],
        "annotations": [{"knowledge": [], "long_answer": "1931."}] * 2,
        "claims": ["The bridge opened in 1931."],
        "docs": [
            {
                "id": f"{number}{place}",
                "title": f"Bridge {number}",
                "text": "The bridge is long." if place else "The bridge opened in 1931.",
                "summary": "It opened in 1931." if place else "Irrelevant.",
                "extraction": "opened in 1931",
            }
            for place in range(3)
        ],
        **more,
    }


PROMPTS = {
    "instruction": "Answer and cite.",
    "demo_sep": "\n\n\n",
    "demo_prompt": "{INST}\n\nQuestion: {Q}\n\n{D}\nAnswer: {A}",
    "doc_prompt": "Document [{ID}](Title: {T}): {P}\n",
    "demos": [{**entry(one), "answer": f"Demonstration {one} [1]."} for one in (7, 8, 9)],
}


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """rageval's own layout: .rageval with the data and outputs, and the prompt file below benchmarks."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ARGUE_BENCH_CACHE", str(tmp_path / "own-cache"))
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    data = tmp_path / ".rageval" / "datasets" / "ALCE-data"
    data.mkdir(parents=True)
    (data / "asqa_eval_gtr_top100.json").write_text(json.dumps([entry(1), entry(2)]))
    prompts = tmp_path / "benchmarks" / "ALCE" / "ASQA" / "prompts"
    prompts.mkdir(parents=True)
    (prompts / "asqa_prompt.json").write_text(json.dumps(PROMPTS))
    (tmp_path / ".rageval" / "results").mkdir()
    return tmp_path


def call(*words: str) -> Result:
    result = CliRunner().invoke(main, ["rageval", *words], catch_exceptions=False)
    assert "Traceback" not in result.output
    return result


def outputs(place: Path, name: str, **more: Any) -> None:
    said = "The bridge opened in 1931 [1]. Edith Marsh sold it [2]."
    rows = [entry(1, output=said, **more), entry(2, output="", **more)]
    (place / ".rageval" / "results" / name).write_text(json.dumps(rows))


def test_a_local_file_is_scored_and_rageval_s_file_written(place: Path) -> None:
    outputs(place, "mine.json")
    words = ("--cache_path", ".rageval", "--local_file", "mine.json")
    done = call("asqa_benchmark", *words, "--judge", "lexical")
    assert done.exit_code == 0, done.output
    (file,) = (place / "benchmarks" / "ALCE" / "ASQA" / "results").iterdir()
    assert file.name.startswith("mine_20")
    assert file.suffix == ".json"
    # One of two facts in one of two outputs; one of two sentences supported, in one of two outputs.
    assert json.loads(file.read_text()) == {
        "answer_exact_match": 0.25,
        "answer_citation_recall": 0.25,
        "answer_citation_precision": 1.0,
    }
    assert "2 outputs, shown the text of documents; judge lexical." in done.output


def test_eli5_s_script_counts_claims(place: Path) -> None:
    outputs(place, "mine.json")
    words = ("--local_file", "mine.json", "--judge", "lexical", "--out", "eli5.json")
    assert call("eli5_benchmark", *words).exit_code == 0
    found = json.loads((place / "eli5.json").read_text())
    assert found["answer_claim_recall"] == 0.5
    assert list(found)[1:] == ["answer_citation_recall", "answer_citation_precision"]


@pytest.mark.parametrize("how", ["contexts", "name"])
def test_citations_are_judged_by_what_the_prompt_showed(place: Path, how: str) -> None:
    """The sentence is in the first text alone, and in no summary of the first document."""
    shown = (
        {"contexts": ["Document [1](Title: Bridge): Irrelevant.\n"]} if how == "contexts" else {}
    )
    name = "mine.json" if how == "contexts" else f"asqa_gtr_{RUN}.json"
    outputs(place, name, **shown)
    words = ("--local_file", name, "--judge", "lexical", "--out", "out.json")
    done = call("asqa_benchmark", *words)
    assert "shown the summary of documents" in done.output
    assert json.loads((place / "out.json").read_text())["answer_citation_recall"] == 0.0


def test_a_published_run_is_named_without_its_file(place: Path) -> None:
    kept = place / "own-cache" / "alce" / "rageval" / f"asqa_gtr_{RUN}.json"
    kept.parent.mkdir(parents=True)
    kept.write_text(json.dumps([entry(1, output="It opened in 1931 [2].")]))
    done = call("asqa_benchmark", "--remote_split", RUN, "--judge", "lexical")
    assert done.exit_code == 0, done.output
    (file,) = (place / "benchmarks" / "ALCE" / "ASQA" / "results").iterdir()
    assert file.name.startswith(f"{RUN}_20")
    assert json.loads(file.read_text())["answer_citation_recall"] == 1.0


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("asqa_benchmark",), "either --remote_split RUN or --local_file FILE"),
        (("asqa_benchmark", "--local_file", "a", "--remote_split", "b"), "either --remote_split"),
        (("asqa_benchmark", "--local_file", "a", "--local_file", "b"), "was given 2 times"),
        (("generate", "--ndoc", "5", "--ndoc", "10"), "was given 2 times"),
        (("generate", "--method", "extract"), "'summary', 'snippet'"),
    ],
)
def test_no_option_is_lost(place: Path, words: tuple[str, ...], says: str) -> None:
    done = call(*words)
    assert done.exit_code == 2
    assert says in done.output


GENERATE = (
    *("--cache_path", ".rageval", "--model", "gpt-3.5-turbo", "--api_key", "YOUR_API_KEY"),
    *("--dataset", "gtr", "--method", "vanilla", "--ndoc", "2", "--shot", "2"),
)


def test_the_readme_s_generate_writes_rageval_s_outputs(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with ChatServer(key="YOUR_API_KEY", model=lambda body: "It opened in 1931 [1].") as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        done = call("generate", *GENERATE)
        assert done.exit_code == 0, done.output
        # Requests are sent at once: the one on the first entry may come second.
        first = min(server.requests, key=lambda one: "bridge 2" in one["messages"][-1]["content"])
        assert call("generate", *GENERATE).exit_code == 0
        assert server.count == 2  # nothing was asked for a second time
    assert (first["temperature"], first["max_tokens"]) == (0.5, 4096)
    system, user = (message["content"] for message in first["messages"])
    assert system.endswith("answers the following questions with proper citations.")
    result = place / ".rageval" / "results" / "asqa_gtr_gpt_3.5_turbo_vanilla_shot2_ndoc2.json"
    rows = json.loads(result.read_text())
    assert [row["output"] for row in rows] == ["It opened in 1931 [1]."] * 2
    assert rows[0]["prompt"] == user
    assert user.count("Demonstration") == 2
    assert "Demonstration 9" not in user
    assert [len(row["docs"]) for row in rows] == [2, 2]
    assert rows[0]["contexts"] == [
        "Document [1](Title: Bridge 1): The bridge opened in 1931.\n",
        "Document [2](Title: Bridge 1): The bridge is long.\n",
    ]
    assert rows[0]["qa_pairs"] == entry(1)["qa_pairs"]
    words = ("--local_file", result.name, "--judge", "lexical", "--out", "out.json")
    assert call("asqa_benchmark", *words).exit_code == 0
    assert json.loads((place / "out.json").read_text())["answer_citation_recall"] == 1.0


def test_a_dry_run_sends_nothing_and_needs_no_key(place: Path) -> None:
    done = call("generate", "--shot", "0", "--dry-run")
    assert done.exit_code == 0, done.output
    assert "2 prompts like this one for openai/gpt-3.5-turbo" in done.output
    assert not list((place / ".rageval" / "results").iterdir())


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (
            ("asqa_benchmark", "--local_file", "mine.json"),
            ".rageval/models/t5_xxl_true_nli_mixture",
        ),
        (("generate", "--prompt", "nowhere.json"), "asqa_default.json"),
    ],
)
def test_what_is_not_there_is_named(place: Path, words: tuple[str, ...], says: str) -> None:
    outputs(place, "mine.json")
    done = call(*words)
    assert done.exit_code == 1
    assert says in done.output
