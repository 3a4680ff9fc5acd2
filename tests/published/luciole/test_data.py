"""Luciole's rows, in both layouts, from every kind of file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from argue_bench import evaluate, load
from argue_bench.cli import main
from argue_bench.errors import DataError, UsageError
from argue_bench.published.luciole.data import load_luciole
from argue_bench.records import Document, Gold, Question, Request, ShortAnswer
from tests.models.server import ChatServer
from tests.shared import write_lines

CHAT: dict[str, Any] = {
    "id": "c1",
    "messages": [
        {
            "role": "system",
            "content": "Answer.\nHere are the retrieved documents : `[Eiffel Tower]\nIt opened"
            " in 1889.\n\n[Garabit Viaduct]\nA railway bridge.`",
        },
        {"role": "user", "content": "When did it open?"},
        {"role": "assistant", "content": "**Answer:** 1889 <cite>Eiffel Tower</cite>"},
    ],
    "supporting_facts_titles": ["Eiffel Tower", "Gustave Eiffel"],
}
PLAIN = {
    "id": "r1",  # bucket 0.487: dropped at the default ratio
    "query": "Who?",
    "retrieved_documents": [f"text {i}" for i in range(6)],
    "titles": [f"T{i}" for i in range(6)],
    "supporting_index": [0, 2],
    "answer": " Ada ",
}


def test_the_layout_as_it_was_opened(tmp_path: Path) -> None:
    data = load("luciole", "hotpotqa", write_lines(tmp_path / "rows.jsonl", CHAT))
    assert data.questions == (
        Question(
            "c1",
            "When did it open?",
            documents=("c1/1", "c1/2"),
            request=Request(background=CHAT["messages"][0]["content"]),
            gold=Gold(
                short_answers=(
                    ShortAnswer("When did it open?", ("1889 <cite>Eiffel Tower</cite>", "1889")),
                ),
                supporting=("c1/1", "Gustave Eiffel"),  # gold, but never retrieved
            ),
        ),
    )
    assert dict(data.documents) == {
        "c1/1": Document("c1/1", "It opened in 1889.", "Eiffel Tower"),
        "c1/2": Document("c1/2", "A railway bridge.", "Garabit Viaduct"),
    }
    assert data.metrics == ("grounding",)


def test_the_layout_as_it_became_loses_its_support(tmp_path: Path) -> None:
    file = write_lines(tmp_path / "rows.jsonl", PLAIN)
    (question,) = load_luciole("hotpotqa", file)
    assert question.gold == Gold(answerable=False)
    assert len(question.documents) == 4


def test_nothing_is_dropped_at_ratio_zero_and_the_order_is_drawn_from_the_id(
    tmp_path: Path,
) -> None:
    data = load_luciole("hotpotqa_fr", write_lines(tmp_path / "rows.jsonl", PLAIN), drop_ratio=0.0)
    (question,) = data
    titles = [data.documents[id].title for id in question.documents]
    assert titles == ["T3", "T1", "T5", "T2", "T0", "T4"]  # recorded from the reference
    assert question.gold is not None
    assert question.gold.supporting == ("r1/5", "r1/4")
    assert question.gold.short_answers[0].answers == ("Ada",)
    assert question.language == "fr"
    assert data.version == "drop=0.0,shuffle=true"


def test_lines_and_parquet_give_the_same(tmp_path: Path) -> None:
    datasets = pytest.importorskip("datasets", reason="needs the extra [hf]")
    lines = load_luciole("piaf", write_lines(tmp_path / "rows.jsonl", PLAIN)).questions
    (tmp_path / "piaf.jsonl").write_text(json.dumps(PLAIN))
    assert load_luciole("piaf", tmp_path).questions == lines
    (tmp_path / "piaf.jsonl").unlink()
    datasets.Dataset.from_list([PLAIN]).to_parquet(tmp_path / "piaf.parquet")
    assert load_luciole("piaf", tmp_path).questions == lines


def test_every_fault_is_found_at_once(tmp_path: Path) -> None:
    file = write_lines(
        tmp_path / "rows.jsonl",
        PLAIN,
        PLAIN,
        [],
        {**PLAIN, "id": "a", "titles": ["T0"]},
        {**PLAIN, "id": "b", "supporting_index": "0"},
        {**CHAT, "id": "c", "messages": []},
        {**CHAT, "id": "d", "supporting_facts_titles": "Eiffel Tower"},
    )
    with pytest.raises(DataError) as raised:
        load_luciole("hotpotqa", file)
    assert [(finding.code, finding.line) for finding in raised.value.findings] == [
        ("duplicate-id", 2),
        ("wrong-shape", 3),
        ("wrong-shape", 4),
        ("wrong-shape", 5),
        ("wrong-shape", 6),
        ("wrong-shape", 7),
    ]


def test_null_columns_are_empty_and_ids_are_texts_of_what_stands_there(tmp_path: Path) -> None:
    rows = ({**CHAT, "supporting_facts_titles": None}, {**PLAIN, "id": 0, "supporting_index": None})
    chat, plain = load_luciole(
        "hotpotqa", write_lines(tmp_path / "rows.jsonl", *rows), drop_ratio=0.0
    )
    assert chat.gold == plain.gold == Gold(answerable=False)
    assert plain.id == "0"


@pytest.mark.parametrize(
    ("generation", "answers"),
    [
        ("The answer is Paris.", ("is Paris", "Paris")),
        (
            "To answer this question, look at X. It is **Paris**.",
            ("this question, look at X. It is Paris", "Paris"),
        ),
        ("**Answer:** Paris <cite>France</cite>", ("Paris <cite>France</cite>", "Paris")),
        ("**Answer:** Paris", ("Paris",)),
        ("Réponse : Paris", ()),  # no rule reads it: answers are then not scored, and not 0
    ],
)
def test_7_gold_is_also_what_the_rules_left_words_around(
    tmp_path: Path, generation: str, answers: tuple[str, ...]
) -> None:
    row = {
        **CHAT,
        "messages": [*CHAT["messages"][:2], {"role": "assistant", "content": generation}],
    }
    (question,) = load_luciole("hotpotqa", write_lines(tmp_path / "rows.jsonl", row))
    assert question.gold is not None
    assert sum((pair.answers for pair in question.gold.short_answers), ()) == answers


def test_31_rows_whose_other_chunks_still_say_the_answer_are_marked(tmp_path: Path) -> None:
    texts = ["Ada did.", "text", "It was Ada.", "So said Ada too.", "text", "Adam"]
    left = {**PLAIN, "retrieved_documents": texts}
    gone = {**left, "retrieved_documents": [*texts[:3], "So said Adam too.", *texts[4:]]}
    for row, categories in ((left, ("answer-left",)), (gone, ())):
        (question,) = load_luciole("hotpotqa", write_lines(tmp_path / "rows.jsonl", row))
        assert question.gold == Gold(answerable=False)
        assert question.categories == categories


def test_an_empty_file_a_missing_one_and_an_unknown_subset(tmp_path: Path) -> None:
    (tmp_path / "tatqa.jsonl").touch()
    with pytest.raises(DataError, match="holds no row"):
        load_luciole("tatqa", tmp_path)
    with pytest.raises(DataError, match=r"holds none of piaf\.jsonl"):
        load_luciole("piaf", tmp_path)
    with pytest.raises(UsageError, match="has no split 'squad'"):
        load("luciole", "squad", tmp_path)


def test_offline_it_says_what_to_fetch(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("datasets", reason="needs the extra [hf]")
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(DataError, match=r"luciole_rag_benchmark.*--data PATH"):
        load_luciole("hotpotqa")
    with pytest.raises(DataError, match=r"Mvanypersele/luciole-rag-sft.*--data PATH"):
        load("luciole-v1", "tatqav2")
    with pytest.raises(UsageError, match="luciole_rag_benchmark has no subset 'tatqav2'"):
        load("luciole", "tatqav2")
    monkeypatch.setenv("RAG_LUCIOLE_HF_REPO", "own/copy")
    with pytest.raises(DataError, match="datasets/own/copy"):
        load("luciole-v1", "piaf")


@pytest.mark.parametrize(
    ("name", "said", "metrics"),
    [
        ("RAG_LUCIOLE_USE_JUDGE", "1", ("grounding", "grounding_judge")),
        ("LUCIOLE_RAG_USE_JUDGE", "Yes", ("grounding", "grounding_judge")),
        ("RAG_LUCIOLE_USE_JUDGE", "0", ("grounding",)),
    ],
)
def test_the_switch_of_luciole_turns_its_judge_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, said: str, metrics: tuple[str, ...]
) -> None:
    monkeypatch.setenv(name, said)
    data = load("luciole-v1", "hotpotqa", write_lines(tmp_path / "rows.jsonl", CHAT))
    assert data.metrics == metrics
    report = evaluate(data, [{"id": "c1", "answer": "1889"}])
    assert list(report.not_run) == list(metrics[1:])  # no judge was named


def test_a_model_gets_the_row_s_own_system_message_and_scores_by_its_rules(
    tmp_path: Path, own_folder: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = write_lines(tmp_path / "hotpotqa.jsonl", CHAT)
    given = ("--dataset", "luciole-v1", "--split", "hotpotqa", "--data", str(rows))
    with ChatServer(model=lambda body: "It opened in 1889 <cite>Eiffel Tower</cite>.") as server:
        monkeypatch.setenv("ARGUE_BENCH_BASE_URL", server.url)
        asked = ("--model", "server/m", "--setting", "evidenceprovided", "--out", "answers.jsonl")
        done = CliRunner().invoke(main, ["generate", *given, *asked])
        assert done.exit_code == 0, done.output
        (sent,) = server.requests
    assert sent["messages"] == CHAT["messages"][:2]
    data = load_luciole("hotpotqa", rows, version="v1")
    report = evaluate(data, "answers.jsonl", ["grounding(rules=luciole-v1)"])
    recall = report.scores["grounding(rules=luciole-v1).citation_recall_strict"]
    # One of the two gold titles was retrieved, and the answer cites it.
    assert recall.value == 0.5
