"""``auto-argue``: the command lines of Auto-ARGUE's README, its files, its look-up, its viewer."""

from __future__ import annotations

import json
import os
import pickle
import shutil
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

import argue_bench
from argue_bench import load
from argue_bench.cli import main
from argue_bench.eval import evaluate
from argue_bench.judges import as_judge
from argue_bench.loaders.banks import write_topics
from argue_bench.published.auto_argue.files import (
    ALL,
    ALL_ROWS,
    MISSING_CITATION,
    TOPIC_ROWS,
    judgments_to_json,
    read_judgments,
)
from argue_bench.records import JudgeRequest
from argue_bench.store import Store
from tests.agreement.programs.score_file import score_rows_of
from tests.models.server import ChatServer
from tests.shared import ROOT, write_lines

SAMPLE = load("core", "sample")
REPORTS = ROOT / "argue_bench" / "data" / "core" / "sample-runs" / "careful.trec.jsonl"
THREE = ("neuclir/1/ru", "neuclir/1/fa", "neuclir/1/zh")


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """reports.jsonl, nuggets/, and a look-up in three pickles as NeuCLIR's is published."""
    monkeypatch.chdir(tmp_path)
    for name in list(os.environ):
        if name.endswith(("_API_KEY", "_BASE_URL", "_API_TOKEN")) or name.startswith("ARGUE_"):
            monkeypatch.delenv(name)
    monkeypatch.delenv("DOC_LOOKUP", raising=False)
    write_topics(tmp_path / "nuggets", SAMPLE)
    shutil.copy(REPORTS, tmp_path / "reports.jsonl")
    documents = list(SAMPLE.documents.values())
    (tmp_path / "lookup").mkdir()
    for number, language in enumerate(("ru", "fa", "zh")):
        part = {one.id: {"title": one.title, "text": one.text} for one in documents[number::3]}
        path = tmp_path / "lookup" / f"doc_mapping_neuclir_1_{language}.pkl"
        path.write_bytes(pickle.dumps(part))
    return tmp_path


def call(*words: str) -> Result:
    result = CliRunner().invoke(main, ["auto-argue", *words], catch_exceptions=False)
    assert "Traceback" not in result.output
    return result


def scores(prefix: str) -> dict[tuple[str, str], float]:
    rows = score_rows_of(Path(f"{prefix}.scores.tsv"))
    return {(row.topic, row.metric): row.value for row in rows}


def test_the_plain_line_annotates_and_scores(place: Path) -> None:
    result = call("reports.jsonl", "nuggets", "out", "-C", "lookup")
    assert result.exit_code == 0, result.output
    assert "no provider was named: the lexical judge" in result.output
    found = scores("out")
    assert {metric for topic, metric in found if topic != ALL} == {*TOPIC_ROWS, *MISSING_CITATION}
    assert {metric for topic, metric in found if topic == ALL} == {*ALL_ROWS, *MISSING_CITATION}
    # The same judge on the set itself, whose documents are all in one place.
    lines = [json.loads(line) for line in Path("reports.jsonl").read_text().splitlines()]
    report = evaluate(SAMPLE, lines, ["argue(rules=auto-argue)"], judge="lexical")
    for name in ("f1", "nugget_coverage", "sentence_support", "citation_support"):
        assert found[ALL, f"{name}_macro"] == pytest.approx(report.value(f"argue.{name}"))
    assert found[ALL, "supporting_citations"] > 10


@pytest.mark.parametrize(
    "words",
    [
        "reports.jsonl nuggets out -a annotate score -C lookup",
        "reports.jsonl nuggets out -a annotate -a score -C lookup -p lexical",
        f"reports.jsonl nuggets out -C lookup -c {' -c '.join(THREE)}",
        f"reports.jsonl nuggets out -C lookup -c {' '.join(THREE)} -a annotate score",
        f"-C lookup -a annotate score -c {' '.join(THREE)} reports.jsonl nuggets out",
        "-a annotate score reports.jsonl nuggets out --collection-dir lookup --verbose",
        f"reports.jsonl nuggets out -C lookup --collection {' '.join(THREE)} --provider lexical",
        "reports.jsonl -c neuclir/1/rus neuclir/1/fas neuclir/1/zho -C lookup nuggets out",
        "reports.jsonl nuggets out --collection_dir lookup --validate-judgments --rerun",
    ],
)
def test_every_spelling_of_a_line_means_the_same(place: Path, words: str) -> None:
    assert call("reports.jsonl", "nuggets", "one", "-C", "lookup").exit_code == 0
    result = call(*words.split())
    assert result.exit_code == 0, result.output
    assert Path("out.scores.tsv").read_bytes() == Path("one.scores.tsv").read_bytes()


def test_the_two_actions_apart(place: Path) -> None:
    assert call("reports.jsonl", "nuggets", "o", "-C", "lookup", "-a", "annotate").exit_code == 0
    assert not Path("o.scores.tsv").exists()
    assert call("reports.jsonl", "nuggets", "o", "-a", "score").exit_code == 0
    rows = {metric for topic, metric in scores("o") if topic != ALL}
    assert rows == {*TOPIC_ROWS, *MISSING_CITATION}
    missing = call("reports.jsonl", "nuggets", "nowhere", "-a", "score")
    assert missing.exit_code == 2
    assert "-a annotate writes it" in missing.output


def test_every_part_that_is_named_is_looked_up(place: Path) -> None:
    def supporting(prefix: str, *parts: str) -> float:
        given = [word for part in parts for word in ("-c", part)]
        assert call("reports.jsonl", "nuggets", prefix, "-C", "lookup", *given).exit_code == 0
        return scores(prefix)[ALL, "supporting_citations"]

    one, two, three = (supporting(str(n), *THREE[:n]) for n in (1, 2, 3))
    assert one < two < three == supporting("default")


def test_the_judgments_are_of_the_shape_that_argue_viz_reads(place: Path) -> None:
    assert call("reports.jsonl", "nuggets", "o", "-C", "lookup", "-c", *THREE[:2]).exit_code == 0
    lines = [json.loads(line) for line in Path("o.judgments.jsonl").read_text().splitlines()]
    assert len(lines) == len(SAMPLE)
    for line in lines:
        about = line["report"]["metadata"]
        assert about["collection_ids"] == list(THREE[:2])
        texts = [one["text"] for one in line["report"]["responses"]]
        assert [one["text"] for one in line["judgments"]] == texts
        kinds = [
            [one["judgment_type_id"] for one in s["judgments"]]
            for s in line["judgments"]
            if s["citations"]
        ]
        three = ["CITED_DOCUMENT_RELEVANCE", "SENTENCE_ANSWERS_QUESTION", "SENTENCE_ATTESTED"]
        assert all(found == three * (len(found) // 3) for found in kinds)


def test_judgments_in_the_shape_of_the_readme_are_written_and_read(place: Path) -> None:
    line = ("reports.jsonl", "nuggets", "o", "-C", "lookup", "-c", *THREE)
    assert call(*line, "--segments").exit_code == 0
    first = Path("o.scores.tsv").read_bytes()
    rows = [json.loads(text) for text in Path("o.judgments.jsonl").read_text().splitlines()]
    assert {*rows[0]} == {"request_id", "run_id", "collection_ids", "segments"}
    assert rows[0]["collection_ids"] == list(THREE)
    assert "is used again" in call(*line).output
    assert Path("o.scores.tsv").read_bytes() == first


def test_the_model_is_named_as_in_the_readme(place: Path) -> None:
    line = ("reports.jsonl", "nuggets", "o", "-C", "lookup", "-p", "vllm", "--model-name", "m")
    assert "no default model" not in call(*line, "--dry-run").output


def test_topics_and_collections_are_opened_in_python_as_by_the_command(place: Path) -> None:
    assert call("reports.jsonl", "nuggets", "o", "-C", "lookup").exit_code == 0
    topics = argue_bench.load_topics("nuggets", argue_bench.open_collection("lookup", THREE))
    report = argue_bench.evaluate(topics, Path("reports.jsonl"), ["argue(rules=auto-argue)"])
    for name in ("f1", "sentence_support", "nugget_coverage"):
        found = report.scores[f"argue(rules=auto-argue).{name}"].value
        assert found == pytest.approx(scores("o")[ALL, f"{name}_macro"])


def test_judgments_that_are_there_are_used_again_and_others_are_not_lost(place: Path) -> None:
    line = ("reports.jsonl", "nuggets", "o", "-C", "lookup")
    assert call(*line).exit_code == 0
    judgments, store = Path("o.judgments.jsonl"), Path("o.run.verdicts")
    before = judgments.read_bytes()
    store.unlink()
    again = call(*line)
    assert "is used again" in again.output
    assert not store.exists()
    # A report more: what was stored is kept, the rest is judged.
    assert call(*line, "--rerun").exit_code == 0
    reports = Path("reports.jsonl")
    whole = reports.read_text()
    reports.write_text(whole + whole.splitlines()[0].replace('"careful"', '"second"') + "\n")
    more = call(*line)
    assert more.exit_code == 0, more.output
    assert "is used again" not in more.output
    assert {judged.run for judged in read_judgments(judgments)} == {"careful", "second"}
    # Without a run file beside them they are somebody's, and stay.
    judgments.write_bytes(before)
    Path("o.run").unlink()
    refused = call(*line)
    assert refused.exit_code == 1
    assert "[other-data]" in refused.output
    assert judgments.read_bytes() == before


def test_doubtful_judgments_are_refused_with_validate(place: Path) -> None:
    line = ("reports.jsonl", "nuggets", "o", "-C", "lookup")
    assert call(*line).exit_code == 0
    path = Path("o.judgments.jsonl")
    lines = [json.loads(text) for text in path.read_text().splitlines()]
    lines[0]["judgments"][0]["judgments"][0]["provenance"]["doc_id"] = "elsewhere"
    path.write_text("".join(json.dumps(one) + "\n" for one in lines))
    assert call(*line).exit_code == 0
    for flag in ("--validate", "--validate-judgments"):
        refused = call(*line, flag)
        assert refused.exit_code == 1
        assert "[foreign-document]" in refused.output


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("-p lexical -p lexical", "-p"),
        ("-C a -C b", "was given 2 times"),
        ("-m a -m b", "was given 2 times"),
        ("-P a --prompt_config b", "was given 2 times"),
        ("", "-C DIR is required"),
        ("-C lookup -m gpt-4o", "-p PROVIDER"),
        ("-C lookup -p nobody", "nobody"),
        ("-C lookup -p vllm", "no default model"),
        ("-C lookup -a read", "annotate"),
        ("-C lookup -c neuclir/1/ja", "no part"),
        ("-C lookup third", "third"),
    ],
)
def test_wrong_usage_is_refused_with_a_reason(place: Path, words: str, said: str) -> None:
    result = call("reports.jsonl", "nuggets", "out", *words.split())
    assert result.exit_code in (2, 3), result.output
    assert said in result.output
    assert not list(Path().glob("out.*"))


def test_a_collection_that_has_no_cited_document_is_an_error(place: Path) -> None:
    Path("other.jsonl").write_text('{"id": "elsewhere", "text": "t"}\n')
    result = call("reports.jsonl", "nuggets", "o", "-C", "other.jsonl")
    assert result.exit_code == 1
    assert "[empty]" in result.output
    assert not list(Path().glob("o.*"))


def small(place: Path) -> None:
    """Two runs of two topics, the second without one, and their documents; worked out by hand."""

    def report(run: str, topic: str) -> dict[str, Any]:
        rows = [
            {"text": f"Sentence {n} of {run} tells of {topic}.", "citations": cited}
            for n, cited in enumerate(([], ["d1"], ["d2"], []))
        ]
        return {"metadata": {"team_id": "t", "run_id": run, "topic_id": topic}, "responses": rows}

    shutil.rmtree("nuggets")
    Path("nuggets").mkdir()
    for topic in ("1", "2"):
        answers = {
            text: {"answer": text, "references": [{"doc_id": f"d{n}"}]}
            for n, text in enumerate((f"one of {topic}", f"two of {topic}"))
        }
        bank = {f"Question of {topic}?": {"aggregator_type": "OR", "answers": answers}}
        write_lines(Path(f"nuggets/n_{topic}.v3.json"), {"query_id": topic, "nugget_bank": bank})
    write_lines(Path("reports.jsonl"), report("a", "1"), report("b", "1"), report("a", "2"))
    write_lines(Path("docs.jsonl"), *({"id": f"d{n}", "text": "Sentence 1."} for n in range(3)))


LINE = ("reports.jsonl", "nuggets", "o", "-C", "docs.jsonl")


def test_a_dry_run_asks_nothing_and_writes_nothing(place: Path) -> None:
    small(place)
    before = sorted(place.iterdir())
    done = call(*LINE, "--dry-run")
    assert done.exit_code == 0, done.output
    # 3 reports of 4 sentences, two of which cite one document: 6 of Entails and of NeedsCitation, 3 of
    # Answers, since d1 is in a reference of one answer, and 0 to 3 of FirstInstance
    assert "3 reports of 2 runs: 15 to 18 requests; nothing was asked." in done.stdout
    assert [one for one in sorted(place.iterdir()) if not one.name.startswith(".")] == before


def test_a_topic_without_a_report_is_left_out_of_a_runs_means(place: Path) -> None:
    small(place)
    assert call(*LINE).exit_code == 0
    rows = {(r.run, r.topic, r.metric): r.value for r in score_rows_of(Path("o.scores.tsv"))}
    assert ("b", "2", "f1") not in rows
    assert rows["b", ALL, "f1_macro"] == rows["b", "1", "f1"]
    assert rows["a", ALL, "sentences"] == 8
    assert rows["a", "1", "sentences_missing_citation"] == 2


def test_everything_wrong_with_reports_is_told_before_anything_is_asked(place: Path) -> None:
    small(place)
    first, *_ = Path("reports.jsonl").read_text().splitlines()
    bad = json.loads(first)
    bad["responses"][0]["text"] = 3
    other = json.loads(first)
    other["metadata"]["topic_id"] = "77"
    write_lines(Path("reports.jsonl"), json.loads(first), bad, json.loads(first), other, [], None)
    done = call(*LINE)
    assert done.exit_code == 1
    for said in ("reports.jsonl:2", "[duplicate-topics]", "reports.jsonl:5", "reports.jsonl:6"):
        assert said in done.output
    assert not Path("o.run.verdicts").exists()
    write_lines(Path("reports.jsonl"), json.loads(first), other)
    done = call(*LINE)
    assert (done.exit_code, "77" in done.output) == (0, True)
    write_lines(Path("reports.jsonl"), other)
    assert call(*LINE).exit_code == 1


def test_the_same_command_again_asks_nothing_and_rerun_asks_everything(place: Path) -> None:
    small(place)
    assert call(*LINE).exit_code == 0
    first, asked = Path("o.run").read_bytes(), count(Path("o.run.verdicts"))
    Path("o.judgments.jsonl").unlink()
    assert call(*LINE).exit_code == 0
    assert (Path("o.run").read_bytes(), count(Path("o.run.verdicts"))) == (first, asked)
    assert call(*LINE, "--rerun").exit_code == 0
    assert count(Path("o.run.verdicts.before")) == count(Path("o.run.verdicts")) == asked > 0


def count(store: Path) -> int:
    with Store(store, write=False) as opened:
        return len(opened)


def test_documents_that_are_not_there_are_told(place: Path) -> None:
    small(place)
    write_lines(Path("docs.jsonl"), {"id": "d1", "text": "x"})
    assert "not in the collection: 3 of 6" in call(*LINE).output


def test_a_failed_verdict_leaves_the_run_without_averages(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    small(place)

    def judge(request: JudgeRequest) -> str:
        if getattr(request, "sentence", "") == "Sentence 0 of a tells of 1.":
            raise ValueError("no word")
        return type(request).verdicts[0]

    monkeypatch.setattr("argue_bench.judges.as_judge", lambda _: as_judge(judge))
    done = call(*LINE)
    assert done.exit_code == 3, done.output
    assert "reports with failed verdicts: 1" in done.output
    topics = {(row.run, row.topic) for row in score_rows_of(Path("o.scores.tsv"))}
    assert topics == {("a", "2"), ("b", "1"), ("b", ALL)}


@pytest.mark.slow
def test_a_provider_is_asked_with_its_key_its_model_and_these_prompts(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("openai", reason="the extra judge is not installed")
    monkeypatch.setenv("ARGUE_MAX_CONCURRENCY", "1")
    prompts = {"requires_citation": {"user_prompt": "OWN WORDS {sentence}"}}
    Path("prompts.json").write_text(json.dumps(prompts))
    with ChatServer(key="k-1") as server:
        for name in ("TOGETHER", "OPENAI"):
            monkeypatch.setenv(f"{name}_BASE_URL", server.url)
            monkeypatch.setenv(f"{name}_API_KEY", "k-1")
        line = ("reports.jsonl", "nuggets", "o", "-C", "lookup", "-p", "together")
        dry = call(*line, "--dry-run")
        assert dry.exit_code == 0, dry.output
        assert "nothing was asked" in dry.output
        result = call(*line, "-a", "annotate", "score", "-P", "prompts.json")
        assert result.exit_code == 0, result.output
        assert "together/meta-llama/Llama-3.3-70B-Instruct-Turbo" in result.output
        assert server.most_at_once == 1
        assert any("OWN WORDS" in json.dumps(body) for body in server.requests)
        assert {body["model"] for body in server.requests} == {
            "meta-llama/Llama-3.3-70B-Instruct-Turbo"
        }
        result = call(*line[:2], "p", *line[3:5], "-p", "openai", "-m", "gpt-x", "--rerun")
        assert result.exit_code == 0, result.output
        assert "openai/gpt-x" in result.output


def test_a_local_model_that_is_not_there_is_named(place: Path) -> None:
    line = ("reports.jsonl", "nuggets", "o", "-C", "lookup", "-p", "huggingface_local")
    result = call(*line)
    assert result.exit_code in (1, 2)
    assert "neural" in result.output or "Llama-3.1-8B-Instruct" in result.output
    result = call(*line, "-m", "./no-such-folder")
    assert result.exit_code in (1, 2)


def view(*words: str) -> dict[str, Any]:
    result = CliRunner().invoke(main, ["view", *words], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    out = Path(words[words.index("--out") + 1])
    return {
        data["id"]: data
        for file in (out / "data" / "v1").glob("*.json")
        for data in [json.loads(file.read_text())]
    }


@pytest.mark.slow
def test_the_run_is_viewed_without_options_and_the_judgments_with_their_nuggets(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("work").mkdir()
    assert call("reports.jsonl", "nuggets", "work/o", "-C", "lookup").exit_code == 0
    monkeypatch.chdir("work")  # the run file says where its data lie, seen from its own folder
    by_run = view("o.run", "--out", "a")
    by_file = view("o.judgments.jsonl", "--nuggets", "../nuggets", "--out", "b")
    assert by_run.keys() == by_file.keys() == {question.id for question in SAMPLE}

    def shown(topics: dict[str, Any]) -> Any:
        return {
            id: (
                [(s["text"], s["outcome"], s["nuggets"]) for s in topic["sentences"]],
                [(n["question"], n["correct"]) for n in topic["nuggets"]],
                {one["id"] for one in topic["documents"] if one["mark"]},
                topic["problem_statement"],
            )
            for id, topic in topics.items()
        }

    assert shown(by_run) == shown(by_file)
    outcomes = {s["outcome"] for topic in by_file.values() for s in topic["sentences"]}
    assert {"supported", "unsupported"} <= outcomes
    moved = CliRunner().invoke(main, ["view", str(shutil.copy("o.run", place)), "--out", "c"])
    assert moved.exit_code == 1
    assert "[no-such-file]" in moved.output


def test_titles_of_documents_in_judgments_are_read_as_argue_viz_does(place: Path) -> None:
    assert call("reports.jsonl", "nuggets", "o", "-C", "lookup").exit_code == 0
    (first, *_) = read_judgments(Path("o.judgments.jsonl"))
    line = judgments_to_json(first)
    for segment in line["judgments"]:
        for citation in segment["citations"]:
            citation["text"] = f"Title: Named {citation['doc_id']}\n\nContent: {citation['text']}"
    Path("t.judgments.jsonl").write_text(json.dumps(line) + "\n")
    topic = view("t.judgments.jsonl", "--nuggets", "nuggets", "--out", "t")[first.topic]
    cited = [one for one in topic["documents"] if one["mark"]]
    assert cited
    assert all(one["title"] == f"Named {one['id']}" for one in cited)
    assert not any(one["text"].startswith(("Title", "Content")) for one in cited)


def test_judgments_without_nuggets_cannot_be_viewed_and_have_no_label_page(place: Path) -> None:
    assert call("reports.jsonl", "nuggets", "o", "-C", "lookup").exit_code == 0
    for words, said in (((), "--nuggets"), (("--nuggets", "nuggets", "--label"), "--label")):
        result = CliRunner().invoke(main, ["view", "o.judgments.jsonl", "--out", "x", *words])
        assert result.exit_code == 2
        assert said in result.output


def test_words_of_auto_argues_prompts_count_without_a_schema_and_defaults_fill_the_rest(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("openai", reason="the extra judge is not installed")
    user = {
        "requires_citation": "{sentence} YES or NO?",
        "first_instance": "{sentence} {previous_sentences} YES or NO?",
        "negative_assertion": "{sentence} YES or NO?",
        "sentence_attested": "{sentence} {document} YES or NO?",
        "sentence_answers_question": "{sentence} {nugget_question} {nugget_answer} YES or NO?",
    }
    prompts = {name: {"user_prompt": text, "default_response": "NO"} for name, text in user.items()}
    Path("prompts.json").write_text(json.dumps(prompts))
    line = ("reports.jsonl", "nuggets", "o", "-C", "lookup", "-p", "server", "-m", "m")
    told: dict[str, str] = {}
    with ChatServer(model=lambda body: told["reply"]) as server:
        monkeypatch.setenv("ARGUE_BENCH_BASE_URL", server.url)
        told["reply"] = "YES"
        done = call(*line, "-P", "prompts.json")
        assert done.exit_code == 0, done.output
        told["reply"] = "It depends."
        done = call(*line, "-P", "prompts.json", "--rerun", "--on-failure", "default")
        assert done.exit_code == 0, done.output
        assert "not one word" in done.output
