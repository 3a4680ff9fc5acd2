"""Own rows: every shape that tools export, and every way in which they are broken."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import argue_bench as ab
from argue_bench.errors import DataError, UsageError
from argue_bench.loaders.answers import as_answers
from argue_bench.loaders.rows import from_rows, looks_like_rows, read_rows
from argue_bench.loaders.rows.columns import unwrap
from argue_bench.loaders.source import load_source, relative_source
from argue_bench.records import Failed, Refuses
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


def parquet(path: Path) -> None:
    pandas = pytest.importorskip("pandas", reason="needs argue-bench[pandas]")
    frame = pandas.DataFrame([{"question": q, "contexts": c, "answer": a} for q, c, a in ROWS])
    frame.to_parquet(path)


def page(text: str) -> dict[str, Any]:
    return {"page_content": text, "metadata": {"source": "handbook.md"}}


def chat(q: str, c: list[str], a: str) -> dict[str, Any]:
    said = [("system", "Be brief."), ("user", q), ("tool", json.dumps(c)), ("assistant", a)]
    return {"messages": [{"role": role, "content": text} for role, text in said]}


def trulens(q: str, c: list[str], a: str) -> dict[str, Any]:
    call = {"stack": [{"method": {"name": "retrieve"}}], "rets": c}
    return {"input": q, "output": a, "record_json": json.dumps({"calls": [call]})}


def node(text: str) -> dict[str, Any]:
    return {"node": {"id_": f"n-{text[:3]}{len(text)}", "text": text}, "score": 0.5}


LINES: dict[str, Callable[[str, list[str], str], dict[str, Any]]] = {
    "ragas": lambda q, c, a: {"user_input": q, "retrieved_contexts": c, "response": a},
    "ragas in turns": lambda q, c, a: {
        "user_input": [{"content": q, "type": "human"}, {"content": a, "type": "ai"}],
        "retrieved_contexts": c,
    },
    "deepeval": lambda q, c, a: {"input": q, "actual_output": a, "retrieval_context": c},
    "LangChain": lambda q, c, a: {
        "query": q,
        "result": a,
        "source_documents": list(map(page, c)),
    },
    "LlamaIndex": lambda q, c, a: {"query": q, "response": a, "source_nodes": list(map(node, c))},
    "chat log": chat,
    "TruLens": trulens,
}
QCA = ("question", "contexts", "answer")
WHOLE: dict[str, Any] = {
    "ragas before 0.2": [dict(zip(QCA, row, strict=True)) for row in ROWS],
    "an object of columns": dict(zip(QCA, map(list, zip(*ROWS, strict=True)), strict=True)),
    "promptfoo": {
        "results": {
            "results": [
                {"vars": {"question": q, "context": c}, "response": {"output": a}}
                for q, c, a in ROWS
            ]
        }
    },
}
TABLES: dict[str, list[list[str]]] = {
    "CSV": [["question", "answer", "contexts"], *([q, a, repr(c)] for q, c, a in ROWS)],
    "LangSmith's table": [
        ["run", "inputs", "outputs"],
        *(
            [
                "r",
                json.dumps({"question": q}),
                json.dumps({"answer": a, "context": [*map(page, c)]}),
            ]
            for q, c, a in ROWS
        ),
    ],
    # Phoenix' frame of questions and what was retrieved for them, which it calls reference.
    "Phoenix' questions": [
        ["context.span_id", "input", "output", "reference"],
        *([f"s{at}", q, a, json.dumps(c)] for at, (q, c, a) in enumerate(ROWS)),
    ],
}


def written(name: str, folder: Path) -> Path:
    """The file in which the rows stand in this shape."""
    if make := LINES.get(name):
        return write_lines(folder / "rows.jsonl", *(make(*row) for row in ROWS))
    if name in WHOLE:
        (folder / "rows.json").write_text(json.dumps(WHOLE[name], indent=1))
        return folder / "rows.json"
    if name == "Parquet":
        parquet(folder / "rows.parquet")
        return folder / "rows.parquet"
    with (folder / "rows.csv").open("w", newline="") as file:
        csv.writer(file, delimiter=";" if name == "CSV" else ",").writerows(TABLES[name])
    return folder / "rows.csv"


@pytest.mark.parametrize("shape", [*LINES, *WHOLE, *TABLES, "Parquet"])
def test_every_shape_gives_the_same_rows(shape: str, tmp_path: Path) -> None:
    path = written(shape, tmp_path)
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


def test_a_long_text_with_f_strings_is_left_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    """Python reads a megabyte of them in four minutes, and nothing ends it."""
    text = f"[{'f' + repr('{1}' * 9_000)}]"
    assert unwrap(f"['{'a' * 30_000}']") == ["a" * 30_000]
    monkeypatch.setattr("ast.literal_eval", lambda _: pytest.fail("Python was asked"))
    assert unwrap(text) == text


@pytest.mark.parametrize(
    ("cell", "contexts"),
    [
        ("['It opened in 1931.'\n 'She was born.']", ["It opened in 1931.", "She was born."]),
        ("['It\\'s \\'so\\' \"now\".' \"It's.\"]", ["It's 'so' \"now\".", "It's."]),
        ("[\"'a' 'b'\"]", ["'a' 'b'"]),
        ("[{'text': 'a'}\n {'text': 'b'}]", ["a", "b"]),
        ("['a', 'b']", ["a", "b"]),
    ],
)
def test_a_list_as_numpy_prints_it_is_read_text_by_text(cell: str, contexts: list[str]) -> None:
    """pandas writes such a cell for each list that came out of a Parquet file."""
    dataset, _ = from_rows([{"question": "q", "answer": "a", "contexts": cell}])
    assert [one.text for one in dataset.documents.values()] == contexts


def test_contexts_beside_a_chat_go_before_what_its_tools_said() -> None:
    said = ({"role": "user", "content": "When?"}, {"role": "assistant", "content": "In 1931 [1]."})
    tool = {"role": "tool", "content": "It opened in 1990."}
    for turns in (said, (said[0], tool, said[1])):
        rows = read_rows([{"messages": [*turns], "documents": ["It opened in 1931."]}])
        (document,) = rows.dataset.documents.values()
        assert document.text == "It opened in 1931."
        assert rows.answers["row-1"].sentences[0].citations == (document.id,)
    rows = read_rows([{"messages": [said[0], tool, said[1]], "documents": []}])
    (document,) = rows.dataset.documents.values()
    assert document.text == "It opened in 1990."


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
    with pytest.raises(DataError, match=r"the rows can't be read: .*Is this the name"):
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
    assert read.answers["6"].text == "one\ntwo"
    assert [(one.line, str(one.code), one.level) for one in read.findings] == [
        (3, "wrong-shape", "error"),
        (4, "row-columns", "error"),
        (5, "wrong-shape", "error"),
        (6, "duplicate-id", "error"),
        (7, "row-columns", "warning"),
    ]
    with pytest.raises(DataError, match="wrong-shape"):
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


def test_an_answer_of_twenty_megabytes_is_a_line_and_the_rest_is_read() -> None:
    long = "It is red. " * 1_900_000
    said = {"type": "message", "content": [{"type": "output_text", "text": long}]}
    rows = [
        {"question": "A?", "answer": long},
        {"question": "B?", "answer": "It is red."},
        {"object": "response", "input": "C?", "output": [said]},
        {"question": "D?", "answer": "So.", "reference": long},
    ]
    read = read_rows(rows)
    assert [one.text for one in read.answers.values()] == ["It is red.", "So."]
    assert [(one.line, str(one.code), one.message) for one in read.findings] == [
        (
            n,
            "too-large",
            f"the column {name!r} has 20,900,000 characters, at most 2,000,000 are read",
        )
        for n, name in ((1, "answer"), (3, "output"), (4, "reference"))
    ]
    with pytest.raises(DataError, match="the answer has 20,900,000 characters, at most"):
        as_answers([{"id": "flood-toll", "answer": long}], ab.load("core", "sample"))


def test_a_row_in_another_encoding_is_a_line_and_the_rest_is_read(tmp_path: Path) -> None:
    path = tmp_path / "rows.tsv"
    path.write_bytes(b"question\tanswer\ncaf\xe9?\tYes.\nWhy?\tSo.\n")
    read = read_rows(path)
    assert [question.text for question in read.dataset] == ["Why?"]
    assert [(one.line, str(one.code)) for one in read.findings] == [(2, "not-utf-8")]
    path.write_bytes(b"caf\xe9\tanswer\nWhy?\tSo.\n")
    with pytest.raises(DataError, match="not UTF-8"):
        read_rows(path)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-8-sig"])
@pytest.mark.parametrize("name", ["rows.jsonl", "rows.json", "rows.csv", "answers.jsonl"])
def test_what_excel_and_powershell_write_is_read(encoding: str, name: str, tmp_path: Path) -> None:
    row = {"id": "flood-toll", "question": "Where?", "answer": "Café \u2028 日本."}
    text = f"{json.dumps(row, ensure_ascii=False)}\r\n"
    if name == "rows.csv":
        text = "".join(f"{';'.join(one)}\r\n" for one in (row.keys(), row.values()))
    path = tmp_path / name
    path.write_bytes(text.encode(encoding))
    if name == "answers.jsonl":
        answers = as_answers(path, ab.load("core", "sample"))
    else:
        read = read_rows(path)
        assert read.findings == () or encoding == "utf-8-sig"
        answers = read.answers
    assert answers["flood-toll"].text == row["answer"]


def test_a_file_that_is_utf_16_in_part_is_one_line(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_bytes('{"question": "q"}'.encode("utf-16") + b"\x00\xd8\x41")
    with pytest.raises(DataError, match="begins as UTF-16, and not all of it is"):
        read_rows(path)


def test_files_and_folders_are_read_together_and_a_broken_one_is_a_line(tmp_path: Path) -> None:
    folder = tmp_path / "responses"
    folder.mkdir()
    for number, one in enumerate(RESPONSES):
        (folder / f"{number}.json").write_text(json.dumps(one))
    (folder / "notes.txt").write_text("not rows")
    (folder / "z.json").write_text('[{"question": ')
    (tmp_path / "rows.csv").write_text("Question;Contexts;Answer\nWhy?;So.;So.\n;a;b\n")
    assert looks_like_rows(folder)
    paths = [tmp_path / "rows.csv", folder, tmp_path / "none.csv"]
    read = read_rows(paths)
    assert len(read.answers) == len(RESPONSES) + 1
    assert [(Path(one.file).name, one.line, str(one.code)) for one in read.findings] == [
        ("rows.csv", 3, "row-columns"),
        ("z.json", None, "not-json"),
        ("none.csv", None, "no-such-file"),
    ]
    # A run file finds what was there.
    kept = relative_source(read.dataset.source, tmp_path / "run")
    assert kept["rows"] == ("rows.csv", "responses")
    assert load_source(kept, tmp_path / "run").digest == read.dataset.digest


def test_the_splits_of_a_data_set_in_memory_are_named() -> None:
    datasets = pytest.importorskip("datasets", reason="needs argue-bench[hf]")
    rows = datasets.Dataset.from_list([{"question": "Why?", "answer": "So."}])
    assert len(from_rows(datasets.DatasetDict({"test": rows}))[1]) == 1
    with pytest.raises(
        DataError, match=r"2 splits: train, test. Name one of them: rows\['train'\]"
    ):
        from_rows(datasets.DatasetDict({"train": rows, "test": rows}))


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


def response(texts: dict[str, str], *cited: tuple[str, str]) -> dict[str, Any]:
    """A saved response of a file search; it cites by the files' ids, which are those of other responses."""
    found = [{"file_id": id, "text": text} for id, text in texts.items()]
    answer, notes = "", []
    for id, sentence in cited:
        answer = f"{answer} {sentence}".strip()
        notes.append({"type": "file_citation", "index": len(answer) - 1, "file_id": id})
    said = {"type": "output_text", "text": answer, "annotations": notes}
    return {
        "id": f"resp_{len(answer)}",
        "object": "response",
        "input": f"What about question {len(answer)}?",
        "output": [
            {"type": "file_search_call", "results": found},
            {"type": "message", "role": "assistant", "content": [said]},
        ],
    }


RESPONSES = [
    response(
        {"file-travel": "Trains are booked in Leeds.", "file-costs": "Hotels cost 120 euros."},
        ("file-travel", "Trains are booked in Leeds."),
        ("file-costs", "Taxis cost 500 dollars."),
    ),
    response(
        {"file-travel": "Flights need a manager's approval."},
        ("file-travel", "Flights need a manager's approval."),
        ("file-travel", "The moon is made of cheese."),
        ("file-travel", "Flights need an approval."),
    ),
    response({"file-travel": "Bicycles are rented."}, ("file-travel", "Bicycles are rented.")),
    response({"file-travel": "Receipts are kept."}, ("file-travel", "Receipts are kept.")),
]


def test_responses_that_cite_by_equal_ids_score_together_as_one_by_one() -> None:
    name = "support(citations=all).precision"

    def precision(rows: list[dict[str, Any]]) -> float:
        value = ab.evaluate(*from_rows(rows)).scores[name].value
        assert value is not None
        return value

    alone = [precision([row]) for row in RESPONSES]
    assert alone == pytest.approx([1 / 2, 2 / 3, 1, 1])
    assert precision(RESPONSES) == pytest.approx(sum(alone) / 4)


SHARED_ID = [{"id": "manual", "text": "It is red."}, {"id": "manual", "text": "It is new."}]


@pytest.mark.parametrize(
    ("contexts", "answer", "named"),
    [
        (["It is red.", "It is red.", "It is new."], "So [2][3].", ["It is red.", "It is new."]),
        (["", "It is red.", None], "So [2][1].", ["It is red.", None]),
        ([{"id": "a", "text": "One."}, {"id": "b", "text": "One."}], "So [b].", ["One."]),
        ([{"id": "2", "text": "One."}, {"id": "1", "text": "Two."}], "So [1].", ["One."]),
        (SHARED_ID, "So [manual][2].", ["It is red.\n\nIt is new.", "It is new."]),
        (
            [{**one, "id": f"c{n}", "title": "Guide"} for n, one in enumerate(SHARED_ID)],
            "So [Guide].",
            ["It is red.\n\nIt is new."],
        ),
        (
            [{**one, "id": f"c{n}", "url": "http://a.example"} for n, one in enumerate(SHARED_ID)],
            "So (http://a.example).",
            ["It is red.\n\nIt is new."],
        ),
    ],
)
def test_a_citation_names_what_its_own_row_calls_so(
    contexts: list[Any], answer: str, named: list[str | None]
) -> None:
    row = {"question": "How?", "answer": answer, "contexts": contexts}
    # Before it, a row that calls other texts by the same ids and titles.
    ids = ("a", "b", "1", "2", "manual")
    other = [{"id": id, "title": "Guide", "text": f"Something else about {id}."} for id in ids]
    for rows in ([row], [{**row, "question": "Before?", "contexts": other}, row]):
        dataset, answers = from_rows(rows)
        question = dataset[-1]
        documents = dataset.citable(question)
        (sentence,) = answers[-1].sentences
        texts = [documents[id].text if id in documents else None for id in sentence.citations]
        assert texts == named
        # Another system's answer to these rows is read in the same way.
        again = as_answers([{"id": question.id, "answer": answer}], dataset)[question.id]
        if "http" not in answer:
            assert again.sentences[0].citations == sentence.citations
        assert [dataset.documents[id].text for id in question.documents] == list(
            dict.fromkeys(one if isinstance(one, str) else one["text"] for one in contexts if one)
        )


def test_several_texts_of_one_id_are_said_once() -> None:
    rows = [{"question": f"Q{n}?", "answer": "So.", "contexts": SHARED_ID} for n in range(3)]
    (finding,) = read_rows(rows).findings
    assert (finding.line, finding.level) == (1, "warning")
    assert "the id 'manual' is that of several contexts" in finding.message
    assert finding.message.endswith("(and 2 more rows)")


def test_a_row_without_contexts_cites_no_context_of_another() -> None:
    contexts = [{"id": "manual", "text": "It is red."}]
    rows = [
        {"question": "A?", "answer": "It is red [manual].", "contexts": contexts},
        {"question": "B?", "answer": "It is red [manual].", "contexts": []},
    ]
    report = ab.evaluate(*from_rows(rows), metrics=["citations"])
    assert report.scores["citations.recall"].value == 0.5


class LangChainDocument:
    def __init__(self, text: str) -> None:
        self.page_content, self.metadata, self.id = text, {"title": "Guide"}, "d1"


class LlamaIndexNode:
    def __init__(self, text: str) -> None:
        self.node, self.score = self, 0.5
        self._text = text

    def get_content(self) -> str:
        return self._text


def dumped(text: str, key: str = "page_content") -> dict[str, Any]:
    """What langchain_core.load.dumpd gives for a document, or a message with its content."""
    name = ["langchain", "schema", "document", "Document"]
    kwargs = {key: text, "metadata": {}, "type": "Document"}
    return {"lc": 1, "type": "constructor", "id": name, "kwargs": kwargs}


class Message:
    def __init__(self, content: Any) -> None:
        self.content = content


@pytest.mark.parametrize(
    "row",
    [
        {"Question": "How?", "Contexts": ["It is red."], "Answer": "So."},
        {"USER INPUT": "How?", "Retrieved Contexts": ["It is red."], "response": "So."},
        {"input": "How?", "retrievalContext": ["It is red."], "actual-output": "So."},
        {"Inputs": {"Question": "How?"}, "Outputs": {"Answer": "So.", "Context": ["It is red."]}},
        {"query": "How?", "source_documents": [LangChainDocument("It is red.")], "result": "So."},
        {"query": "How?", "source_documents": [dumped("It is red.")], "result": "So."},
        {"query": "How?", "source_nodes": [LlamaIndexNode("It is red.")], "response": "So."},
        {"query": "How?", "context": LangChainDocument("It is red."), "result": Message("So.")},
        {
            "query": "How?",
            "contexts": ["It is red."],
            "answer": Message([{"type": "text", "text": "So."}]),
        },
        {"query": "How?", "contexts": ["It is red."], "answer": ["So."]},
        {"query": "How?", "contexts": ["It is red."], "result": dumped("So.", "content")},
    ],
)
def test_columns_and_objects_as_people_and_libraries_write_them(row: dict[str, Any]) -> None:
    read = read_rows([row])
    (question,) = read.dataset
    (answer,) = read.answers.values()
    texts = [one.text for one in read.dataset.citable(question).values()]
    assert (question.text, texts, answer.text) == ("How?", ["It is red."], "So.")


@pytest.mark.parametrize(("answers", "metrics"), [(10, 2), (11, 1)])
def test_one_answer_in_ten_that_cites_is_a_way_of_citing(answers: int, metrics: int) -> None:
    rows = [
        {
            "question": f"Q{n}?",
            "contexts": ["It is red."],
            "answer": f"It is red{' [1]' * (not n)}.",
        }
        for n in range(answers)
    ]
    assert len(from_rows(rows)[0].metrics) == metrics


@pytest.mark.parametrize(
    ("row", "metric", "score", "why"),
    [
        (
            {"answer": "I don't know."},
            "faithfulness",
            "supported",
            "no question has contexts (--co",
        ),
        ({"contexts": []}, "faithfulness", "supported", "no contexts to support it; no question"),
        ({}, "accuracy", "loose", "no question has a reference answer: --columns reference=NAME"),
        ({}, "support", "precision", "no question has a sentence that cites"),
    ],
)
def test_an_unset_score_says_why_and_what_cures_it(
    row: dict[str, Any], metric: str, score: str, why: str
) -> None:
    rows = [
        {"question": "How?", "contexts": ["It is red."], "answer": "It is red.", **row},
        {"question": "Who?", "contexts": ["It is red."], "answer": "I don't know."},
    ]
    report = ab.evaluate(*from_rows(rows[:1] if row else rows), metrics=[metric])
    assert report.scores[f"{metric}.{score}"].value is None
    assert why in str(report)
    assert why in report.to_dict()["scores"][f"{metric}.{score}"]["why"]


@pytest.mark.parametrize(("count", "cure"), [(100, "leave-out "), (3, "leave-out=33.4% ")])
def test_failed_verdicts_say_which_option_leaves_them_out(count: int, cure: str) -> None:
    def judge(request: Any) -> Any:
        if isinstance(request, Refuses):
            return "no"
        return Failed("no reply") if request.question == "Q1?" else "full"

    rows = [
        {"question": f"Q{n}?", "contexts": ["It is red."], "answer": "It is red [1]."}
        for n in range(count)
    ]
    given = from_rows(rows)
    report = ab.evaluate(*given, metrics=["support"], judge=judge)
    assert f"1 of {count} failed: --on-failure {cure}leaves them out" in str(report)
    option = cure.strip()
    left = ab.evaluate(*given, metrics=["support"], judge=judge, on_failure=option)
    assert left.scores["support.precision"].value == 1


def test_plain_rows_import_nothing_of_the_web() -> None:
    code = (
        "import sys; from argue_bench import from_rows; "
        "from_rows([{'question': 'q', 'answer': 'a', 'contexts': ['c']}]); "
        "print([name for name in sys.modules if name.startswith('argue_bench.web')])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
