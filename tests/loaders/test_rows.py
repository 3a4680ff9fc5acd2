"""Own rows: every shape that tools export, and every way in which they are broken."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import argue_bench as ab
from argue_bench.errors import DataError, UsageError
from argue_bench.loaders.rows import from_rows, looks_like_rows, read_rows
from argue_bench.loaders.source import load_source, relative_source
from tests.shared import SHARED, write_lines

ROWS = [
    (
        "What is the notice period?",
        ["The notice period is 30 days.", "Staff get 25 days of leave."],
        "The notice period is 30 days. It was 90 days before 2019.",
    ),
    ("How many days of leave?", ["Staff get 25 days of leave."], "Staff get 25 days of leave."),
    ("Who is the head?", ["The office is in Leeds."], "I don't have information about that."),
]


def ragas(path: Path) -> None:
    write_lines(
        path, *[{"user_input": q, "retrieved_contexts": c, "response": a} for q, c, a in ROWS]
    )


def old_ragas(path: Path) -> None:
    path.write_text(json.dumps([{"question": q, "contexts": c, "answer": a} for q, c, a in ROWS]))


def columns(path: Path) -> None:
    names = ("question", "contexts", "answer")
    path.write_text(
        json.dumps(
            {name: list(cells) for name, cells in zip(names, zip(*ROWS, strict=True), strict=True)}
        )
    )


def deepeval(path: Path) -> None:
    rows = [{"input": q, "actual_output": a, "retrieval_context": c} for q, c, a in ROWS]
    path.write_text(json.dumps(rows, indent=1))


def langchain(path: Path) -> None:
    rows = []
    for q, c, a in ROWS:
        found = [{"page_content": text, "metadata": {"source": "handbook.md"}} for text in c]
        rows.append({"query": q, "result": a, "source_documents": found})
    write_lines(path, *rows)


def llama_index(path: Path) -> None:
    rows = []
    for q, c, a in ROWS:
        nodes = [
            {"node": {"id_": f"n-{text[:3]}{len(text)}", "text": text}, "score": 0.5} for text in c
        ]
        rows.append({"query": q, "response": a, "source_nodes": nodes})
    write_lines(path, *rows)


def chats(path: Path) -> None:
    rows = []
    for q, c, a in ROWS:
        said = [("system", "Be brief."), ("user", q), ("tool", json.dumps(c)), ("assistant", a)]
        rows.append({"messages": [{"role": role, "content": text} for role, text in said]})
    write_lines(path, *rows)


def trulens(path: Path) -> None:
    rows = []
    for q, c, a in ROWS:
        call = {"stack": [{"method": {"name": "retrieve"}}], "rets": c}
        rows.append({"input": q, "output": a, "record_json": json.dumps({"calls": [call]})})
    write_lines(path, *rows)


def promptfoo(path: Path) -> None:
    rows = [{"vars": {"question": q, "context": c}, "response": {"output": a}} for q, c, a in ROWS]
    path.write_text(json.dumps({"results": {"results": rows}}))


def table(path: Path) -> None:
    with path.open("w", newline="") as file:
        writer = csv.writer(file, delimiter=";")
        writer.writerow(["question", "answer", "contexts"])
        writer.writerows([q, a, repr(c)] for q, c, a in ROWS)


def parquet(path: Path) -> None:
    pandas = pytest.importorskip("pandas", reason="needs argue-bench[pandas]")
    frame = pandas.DataFrame([{"question": q, "contexts": c, "answer": a} for q, c, a in ROWS])
    frame.to_parquet(path)


def turns_of_ragas(path: Path) -> None:
    rows = []
    for q, c, a in ROWS:
        turns = [{"content": q, "type": "human"}, {"content": a, "type": "ai"}]
        rows.append({"user_input": turns, "retrieved_contexts": c})
    write_lines(path, *rows)


def langsmith_table(path: Path) -> None:
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["run", "inputs", "outputs"])
        for q, c, a in ROWS:
            said = {"answer": a, "context": [{"page_content": text} for text in c]}
            writer.writerow(["r", json.dumps({"question": q}), json.dumps(said)])


def phoenix_answers(path: Path) -> None:
    """Phoenix' frame of questions and what was retrieved for them, which it calls reference."""
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["context.span_id", "input", "output", "reference"])
        writer.writerows([f"s{at}", q, a, json.dumps(c)] for at, (q, c, a) in enumerate(ROWS))


def bytes_table(path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow", reason="needs argue-bench[hf]")
    from pyarrow.parquet import write_table

    rows = [[q.encode(), [one.encode() for one in c], a.encode()] for q, c, a in ROWS]
    names = ("question", "contexts", "answer")
    write_table(
        pyarrow.table(dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))), path
    )


SHAPES: dict[str, tuple[str, Callable[[Path], None]]] = {
    "ragas": ("rows.jsonl", ragas),
    "ragas before 0.2": ("rows.json", old_ragas),
    "ragas in turns": ("rows.jsonl", turns_of_ragas),
    "LangSmith's table": ("rows.csv", langsmith_table),
    "Phoenix' questions": ("rows.csv", phoenix_answers),
    "Parquet of bytes": ("rows.parquet", bytes_table),
    "an object of columns": ("rows.json", columns),
    "deepeval": ("rows.json", deepeval),
    "LangChain": ("rows.jsonl", langchain),
    "LlamaIndex": ("rows.jsonl", llama_index),
    "chat log": ("rows.jsonl", chats),
    "TruLens": ("rows.jsonl", trulens),
    "promptfoo": ("rows.json", promptfoo),
    "CSV": ("rows.csv", table),
    "Parquet": ("rows.parquet", parquet),
}


@pytest.mark.parametrize(("name", "write"), SHAPES.values(), ids=SHAPES)
def test_every_shape_gives_the_same_rows(
    name: str, write: Callable[[Path], None], tmp_path: Path
) -> None:
    path = tmp_path / name
    write(path)
    assert looks_like_rows(path)
    read = read_rows(path)
    assert read.findings == ()
    got = [
        (
            question.text,
            [read.dataset.documents[id].text for id in question.documents],
            read.answers[question.id].text,
        )
        for question in read.dataset
    ]
    assert got == ROWS
    assert read.dataset.metrics == ("faithfulness",)


def test_frames_and_lists_are_rows_too() -> None:
    pandas = pytest.importorskip("pandas", reason="needs argue-bench[pandas]")
    rows = [{"question": q, "contexts": c, "answer": a} for q, c, a in ROWS]
    for source in (rows, iter(rows), pandas.DataFrame(rows)):
        dataset, answers = from_rows(source)
        assert [answer.text for answer in answers] == [a for _, _, a in ROWS]
        assert len(dataset.documents) == 3


def test_a_saved_hugging_face_data_set_is_read(tmp_path: Path) -> None:
    datasets = pytest.importorskip("datasets", reason="needs argue-bench[hf]")
    rows = [{"question": q, "contexts": c, "answer": a} for q, c, a in ROWS]
    datasets.Dataset.from_list(rows).save_to_disk(str(tmp_path / "set"))
    assert looks_like_rows(tmp_path / "set")
    assert len(read_rows(tmp_path / "set").answers) == 3


def test_a_data_set_is_read_by_name(tmp_path: Path) -> None:
    pytest.importorskip("datasets", reason="needs argue-bench[hf]")
    for split in ("train", "test"):
        (tmp_path / "mine").mkdir(exist_ok=True)
        ragas(tmp_path / "mine" / f"{split}.jsonl")
    name = Path(f"hf:{tmp_path / 'mine'}")
    assert looks_like_rows(name)
    assert [one.text for one in read_rows(Path(f"{name}:test")).dataset] == [q for q, _, _ in ROWS]
    dataset = read_rows(Path(f"{name}:test")).dataset
    kept = relative_source(dataset.source, tmp_path / "elsewhere" / "run")
    assert load_source(kept, tmp_path / "elsewhere" / "run").digest == dataset.digest
    with pytest.raises(DataError, match=r"2 splits: .*Name one of them"):
        read_rows(name)
    with pytest.raises(DataError, match="the hub gives no data set of this name"):
        read_rows(f"hf:{tmp_path / 'missing'}")


def test_columns_of_other_names_are_named(tmp_path: Path) -> None:
    rows = [{"frage": "Why?", "antwort": "So.", "stellen": {"texte": ["So."]}}]
    named = {"question": "frage", "answer": "antwort", "contexts": "stellen.texte"}
    dataset, answers = from_rows(rows, named)
    assert (answers[0].text, len(dataset.documents)) == ("So.", 1)
    with pytest.raises(UsageError, match="knows no 'frage'"):
        from_rows(rows, {"frage": "frage"})


def test_citations_by_number_and_by_address_name_the_contexts() -> None:
    contexts = [
        {"id": "d1", "text": "It opened in 1931.", "url": "https://a.example/1"},
        {"id": "d2", "text": "It is blue."},
    ]
    rows = [
        {
            "question": "q",
            "contexts": contexts,
            "answer": "It opened in 1931 (https://a.example/1#x).",
        },
        {"question": "r", "contexts": contexts, "answer": "It is blue [2]."},
    ]
    dataset, answers = from_rows(rows)
    assert [answer.sentences[0].citations for answer in answers] == [("d1",), ("d2",)]
    assert dataset.metrics == ("faithfulness", "support(citations=all)")


def test_bad_rows_are_found_with_their_lines_and_the_rest_is_read(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text(
        'id,question,answer,contexts\n1,q1,"a, b",c\n2,q2\n3,,c,d\n4,q4,x,"[1, 2]"\n1,q5,y,z\n'
        '6,q6,"[""one"", ""two""]",z\n'
    )
    read = read_rows(path)
    assert list(read.answers) == ["1", "4", "6"]
    assert read.answers["6"].text == "one"
    assert [(one.line, str(one.code), one.level) for one in read.findings] == [
        (3, "row-cells", "error"),
        (4, "row-columns", "error"),
        (5, "row-contexts", "error"),
        (6, "duplicate-id", "error"),
        (7, "row-columns", "warning"),
    ]
    with pytest.raises(DataError, match="row-cells"):
        from_rows(path)
    assert len(from_rows(path, on_bad_row="skip")[1]) == 3


@pytest.mark.parametrize(
    ("row", "why"),
    [
        ({"text": "x"}, "no column for the question or the answer; it has text"),
        ({"question": "q", "answer": None}, "the column .answer. is empty"),
        ({"question": "q", "answer": float("nan")}, "is empty, expected a text"),
        ({"question": "q", "answer": {"a": 1}}, "answer"),
        ({"question": "q\ud800", "answer": "a"}, "surrogate"),
    ],
)
def test_a_row_without_what_is_needed_says_so(row: dict[str, Any], why: str) -> None:
    with pytest.raises(DataError, match=why):
        read_rows([row])


def test_a_file_of_answers_is_no_file_of_rows(tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    write_lines(path, {"id": "q1", "answer": "It is so."})
    assert not looks_like_rows(path)


def test_rows_with_names_of_their_own_are_rows_and_told_how_to_name_them(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    write_lines(path, {"frage": "Wie lang?", "antwort": {"text": "412 m."}, "stellen": ["412 m."]})
    assert looks_like_rows(path)
    with pytest.raises(DataError, match=r"it has frage, antwort, stellen\. Name it: --columns"):
        read_rows(path)
    with pytest.raises(DataError, match=r"--columns answer=answer\.text"):
        read_rows([{"question": "Wie lang?", "answer": {"text": "412 m."}}])
    named = {"question": "frage", "answer": "antwort.text", "contexts": "stellen"}
    assert [one.text for one in read_rows(path, named).answers.values()] == ["412 m."]


def test_a_head_that_names_a_column_twice_is_said(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("question,question,answer\na,b,c\n")
    (finding,) = read_rows(path).findings
    assert (finding.level, finding.line) == ("warning", 1)
    assert "names 'question' twice" in finding.message


def test_a_cell_that_is_too_large_is_a_finding(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    with path.open("w", newline="") as file:
        csv.writer(file).writerows(
            [["question", "answer"], ["q", "x" * 10_000_001], ["q2", "It is so."]]
        )
    read = read_rows(path)
    assert [answer.text for answer in read.answers.values()] == ["It is so."]
    assert "larger than field limit" in read.findings[0].message


def test_a_table_in_another_encoding_is_read_with_a_warning(tmp_path: Path) -> None:
    path = tmp_path / "rows.tsv"
    path.write_bytes("question\tanswer\ncafé?\tYes.\n".encode("cp1252"))
    read = read_rows(path)
    assert [question.text for question in read.dataset] == ["café?"]
    assert [str(one.code) for one in read.findings] == ["not-utf-8"]


def test_a_run_file_finds_its_rows_again(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    ragas(path)
    dataset = read_rows(path).dataset
    again = load_source({"rows": ("rows.jsonl",), "columns": ()}, tmp_path / "run")
    assert again.digest == dataset.digest


def test_the_unsupported_sentence_is_found() -> None:
    dataset, answers = from_rows([{"question": q, "contexts": c, "answer": a} for q, c, a in ROWS])
    report = ab.evaluate(dataset, answers)
    assert [(one.question, one.number) for one in report.failed_sentences()] == [("row-1", 2)]
    assert report.scores["faithfulness.supported"].value == pytest.approx(0.75)
    assert report.scores["faithfulness.supported"].n == 2  # declining states nothing
    assert report.scores["faithfulness.answered"].value == pytest.approx(2 / 3)


@pytest.mark.skipif(not SHARED.is_dir(), reason="needs the shared material beside the project")
def test_real_answers_with_people_s_ratings_are_read_as_they_stand() -> None:
    read = read_rows(SHARED / "data" / "mtrag" / "mtrag_eval.json")
    assert len(read.answers) == 477
    # Some have no contexts, and each question was put to three systems: said once each, no error.
    assert [one.level for one in read.findings] == ["warning", "warning"]
    assert read.facts["contexts"] == 450


def test_odd_rows_are_read_and_each_kind_is_said_once_with_its_first_row() -> None:
    row = {"question": "How?", "answer": "It is red.", "contexts": ["It is red."]}
    rows = [
        row,
        {**row, "question": "Who?", "contexts": []},
        {**row, "question": "When?", "contexts": ["", "It is red.", None]},
        {**row, "question": "Where?", "contexts": "It is red."},
        {**row, "question": " how? "},
        {**row, "question": "Why?", "answer": ""},
        {**row, "question": "Whose?", "contexts": []},
        {**row, "question": "  "},
    ]
    read = read_rows(rows)
    assert len(read.answers) == 7
    found = {one.line: (one.level, one.message) for one in read.findings}
    assert found == {
        2: (
            "warning",
            "the column 'contexts' is empty, so nothing can support the answer (and 1 more rows)",
        ),
        3: ("warning", "the column 'contexts' holds empty contexts, which are left out"),
        4: ("warning", "the column 'contexts' is one text and not a list: it is one context"),
        5: ("warning", "the column 'question' repeats an earlier row's question; both are scored"),
        6: ("warning", "the column 'answer' is empty: such an answer states nothing"),
        8: ("error", "the column 'question' is empty"),
    }


def test_ten_thousand_odd_rows_are_one_line() -> None:
    rows = [{"question": f"Q{n}?", "answer": "Yes.", "contexts": []} for n in range(10_000)]
    (finding,) = read_rows(rows).findings
    assert finding.message.endswith("(and 9,999 more rows)")
