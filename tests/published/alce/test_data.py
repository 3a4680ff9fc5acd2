"""ALCE's data and result files, made to the specification, and files that are not what they should be."""

from __future__ import annotations

import hashlib
import json
import tarfile
from collections.abc import Callable, Iterator
from http.server import SimpleHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from argue_bench.cli import main
from argue_bench.errors import DataError
from argue_bench.eval import evaluate
from argue_bench.loaders import contains_dataset, load, read_answers
from argue_bench.published.alce import auto_ais as alce_citations
from argue_bench.published.alce import data as alce
from argue_bench.published.alce.data import FILES, read_alce_result
from argue_bench.records import ShortAnswer, Source
from tests.shared import listening

Entry = dict[str, Any]
RUN = "Llama_2_7b_chat_hf_vanilla_shot2_ndoc5"


def asqa(id: str = "-7", **changed: Any) -> Entry:
    doc = {"id": "1001", "title": 'The "Harlow" Bridge', "text": "It opened in 1931.", "score": 0.7}
    return {
        "sample_id": id,
        "question": "When was the bridge built?",
        "qa_pairs": [
            {
                "context": "",
                "question": "When opened?",
                "short_answers": ["1931", "in 1931"],
                "wikipage": None,
            }
        ],
        "wikipages": [{"title": "T", "url": "u"}],
        "annotations": [
            {"knowledge": [{"content": "c", "wikipage": "w"}], "long_answer": "It opened in 1931."},
            {"knowledge": [], "long_answer": "In 1931 the bridge opened."},
        ],
        "answer": "In 1931 the bridge opened.",
        "docs": [doc | {"summary": "1931.", "extraction": "opened in 1931"}, doc | {"id": "2"}],
        "output": "The bridge opened in 1931 [1].",
        **changed,
    }


def eli5(question: str = "Why is the sky blue?", **changed: Any) -> Entry:
    return {
        "question": question,
        "question_ctx": "",
        "answer": "Air scatters blue.",
        "claims": ["Air scatters blue.", "Red stays.", "It is day."],
        "docs": [{"title": "Sky", "text": "Air scatters blue.", "url": "http://e/a"}],
        "output": "Air scatters blue [1].",
        **changed,
    }


def qampari(**changed: Any) -> Entry:
    return {
        "id": "3__wiki",
        "question": "Which novels?",
        "answers": [["Salt Road", "The Salt Road"]],
        "answer": "Salt Road",
        "docs": [{"id": "n", "title": "N", "text": "Salt Road is a novel."}],
        "output": "Salt Road [1].",
        **changed,
    }


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., Path]:
    def written(value: Any, name: str = "result.json", indent: int | None = 4) -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(value, indent=indent), "utf-8")
        return path

    return written


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    cache = tmp_path / "cache"
    monkeypatch.setenv("ARGUE_BENCH_CACHE", str(cache))
    return cache


def test_an_asqa_entry(write: Callable[..., Path]) -> None:
    dataset = load("alce-asqa", path=write([asqa()]))
    (question,) = dataset
    assert (question.id, question.documents) == ("-7", ("-7/1", "-7/2"))
    assert question.gold is not None
    assert question.gold.short_answers == (ShortAnswer("When opened?", ("1931", "in 1931")),)
    assert question.gold.long_answers == ("It opened in 1931.", "In 1931 the bridge opened.")
    assert question.gold.answer == "In 1931 the bridge opened."
    first, second = (dataset.documents[id] for id in question.documents)
    assert (first.title, first.text) == ('The "Harlow" Bridge', "It opened in 1931.")
    assert (first.summary, first.extraction) == ("1931.", "opened in 1931")
    assert second.summary is None


def test_alce_reads_the_sentence_of_a_document_and_we_the_text(write: Callable[..., Path]) -> None:
    docs = [
        {"title": "T", "text": "All of it.", "sent": "Of it."},
        {"title": "T", "sent": "Alone."},
    ]
    path = write([asqa(docs=docs, output="So it is [1][2].")])
    dataset = load("alce-asqa", path=path)
    first, second = dataset.documents.values()
    assert (first.text, second.text) == ("All of it.", "Alone.")
    assert alce_citations.alce_source(first).text == "Title: T\nOf it."
    assert alce_citations.alce_source(second).text == "Title: T\nAlone."
    assert Source.of(first).text == "T\nAll of it."
    assert load("alce-asqa", path=path).digest == dataset.digest


def test_an_eli5_entry_has_claims_and_an_id_of_its_own(write: Callable[..., Path]) -> None:
    first = load("alce-eli5", path=write([eli5(), eli5("Why?")]))
    again = load("alce-eli5", path=write([eli5("Why?"), eli5()]))
    assert [q.id for q in first] == [q.id for q in again][::-1]
    assert first[0].gold is not None
    assert len(first[0].gold.claims) == 3
    assert first[0].gold.long_answers == ("Air scatters blue.",)


def test_a_qampari_entry_has_entities(write: Callable[..., Path]) -> None:
    (question,) = load("alce-qampari", path=write([qampari()]))
    assert question.gold is not None
    assert question.gold.short_answers == (ShortAnswer("", ("Salt Road", "The Salt Road")),)


@pytest.mark.parametrize("wrapped", [False, True])
def test_a_result_file_is_data_and_answers(write: Callable[..., Path], wrapped: bool) -> None:
    rows = [asqa(), asqa("8", output="No idea.")]
    path = write(
        {"args": {"eval_file": "data/asqa_eval_dpr_top100.json"}, "data": rows} if wrapped else rows
    )
    dataset = load("alce-asqa", path=path)
    assert dataset.split == ("dpr" if wrapped else "gtr")
    answers = read_answers(path, dataset)
    assert answers["-7"].sentences[0].citations == ("-7/1",)
    assert answers["8"].text == "No idea."
    assert read_answers(path, dataset, "alce") == answers


def test_ids_that_stand_twice_are_numbered(write: Callable[..., Path]) -> None:
    path = write([asqa(), asqa(output="x")])
    dataset = load("alce-asqa", path=path)
    assert [question.id for question in dataset] == ["-7", "-7#2"]
    assert read_answers(path, dataset)["-7#2"].text == "x"


def test_a_result_on_other_documents_is_refused(write: Callable[..., Path]) -> None:
    data = load("alce-asqa", path=write([asqa()], "data.json"))
    cut = asqa()
    cut["docs"] = cut["docs"][:1]
    assert read_alce_result(write([cut]), data)
    moved = asqa(docs=[{"title": "T", "text": "Another."}])
    with pytest.raises(DataError, match=r"other-data|differ from the data set's"):
        read_alce_result(write([moved]), data)


@pytest.mark.parametrize("place", ["folder", "inner", "tar", "cache"])
def test_where_data_is_found(
    write: Callable[..., Path], tmp_path: Path, own_cache: Path, place: str
) -> None:
    name = FILES["asqa"]["oracle"]
    inner = write([asqa()], f"ALCE-data/{name}")
    path: Path | None = {"folder": inner.parent, "inner": tmp_path}.get(place)
    if place == "cache":
        own_cache.mkdir()
        inner.parent.rename(own_cache / "alce")
    elif place == "tar":
        path = archive_of(inner, tmp_path / "ALCE-data.tar")
    assert load("alce-asqa", "oracle", path)[0].id == "-7"
    assert load("alce-asqa", "oracle", path).title.startswith("alce-asqa-oracle@")


def archive_of(file: Path, archive: Path) -> Path:
    archive.parent.mkdir(parents=True, exist_ok=True)
    with tarfile.open(archive, "w") as tar:
        tar.add(file, f"ALCE-data/{file.name}")
    return archive


@pytest.fixture
def published(
    write: Callable[..., Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Path]:
    """An archive at a published place, here a server on loopback, and its checksum."""
    inner = write([asqa()], FILES["asqa"]["gtr"])
    archive = archive_of(inner, tmp_path / "published" / "ALCE-data.tar")
    digest = hashlib.sha256(archive.read_bytes()).hexdigest()
    with listening(SimpleHTTPRequestHandler, directory=archive.parent) as url:
        monkeypatch.setattr(alce, "PLACE", f"{url}/ALCE-data.tar")
        monkeypatch.setattr(alce, "_SHA256", digest)
        yield archive


def test_the_archive_is_fetched_once_and_known_by_its_checksum(
    published: Path, own_cache: Path
) -> None:
    assert load("alce-asqa")[0].id == "-7"
    kept = own_cache / "alce" / "ALCE-data.tar"
    assert kept.read_bytes() == published.read_bytes()
    published.unlink()
    assert load("alce-asqa")[0].id == "-7"  # from the cache alone
    kept.write_bytes(kept.read_bytes() + b"more")
    with pytest.raises(DataError, match=alce._SHA256) as caught:
        load("alce-asqa")
    assert {one.code for one in caught.value.findings} == {"not-fetched"}


def test_another_archive_at_the_published_place_is_refused(
    published: Path, own_cache: Path
) -> None:
    with published.open("ab") as file:
        file.write(b"more")
    with pytest.raises(DataError, match="another checksum") as caught:
        load("alce-asqa")
    assert {one.code for one in caught.value.findings} == {"other-digest"}
    assert not (own_cache / "alce" / "ALCE-data.tar").exists()


def test_nothing_here_says_what_to_fetch_and_where_to_put_it(
    published: Path, own_cache: Path
) -> None:
    published.unlink()
    with pytest.raises(DataError, match="404") as caught:
        load("alce-asqa")
    for part in (alce.PLACE, str(own_cache / "alce" / "ALCE-data.tar"), alce._SHA256):
        assert part in str(caught.value)


def test_a_published_run_is_named_by_rageval(write: Callable[..., Path], own_cache: Path) -> None:
    with pytest.raises(DataError, match=f"alce_asqa_gtr/asqa_gtr_{RUN}.json"):
        load("alce-asqa", path=RUN)
    with pytest.raises(DataError, match=f"alce_asqa_oracle/asqa_oracle_{RUN}.json"):
        load("alce-asqa", path=f"asqa_oracle_{RUN}.json")
    assert contains_dataset("alce-asqa", Path(RUN))
    assert not contains_dataset("core", Path(RUN))
    write([asqa()], f"cache/alce/rageval/asqa_gtr_{RUN}.json")
    dataset = load("alce-asqa", path=RUN)
    assert read_answers(Path(RUN), dataset)["-7"].text == "The bridge opened in 1931 [1]."


def without(entry: Entry, *keys: str) -> Entry:
    return {key: value for key, value in entry.items() if key not in keys}


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("asqa", [without(asqa(), "docs")], r"expected a list of documents.*data\[0\]\.docs"),
        ("asqa", [asqa(docs=[{"title": "T"}])], r"data\[0\]\.docs\[0\]\.text"),
        ("asqa", [asqa(docs=["T"])], r"data\[0\]\.docs\[0\]"),
        ("asqa", [asqa(output=["a", "b"])], "the output is a list of 2, expected one text"),
        ("asqa", [asqa(output=3)], r"data\[0\]\.output"),
        ("asqa", [asqa(annotations=[{"long_answer": "x"}])], "two annotations or more"),
        ("asqa", [asqa(), asqa("8", qa_pairs=None)], r"the entries before.*data\[1\]\.qa_pairs"),
        ("asqa", [asqa(qa_pairs=[{"question": "q", "short_answers": "x"}])], "short_answers"),
        ("asqa", [asqa(qa_pairs=["x"])], r"qa_pairs\[0\]"),
        ("asqa", [asqa(qa_pairs={"a": 1})], "expected a list"),
        ("asqa", [without(asqa(), "question")], r"data\[0\]\.question"),
        ("asqa", ["x"], "expected an object"),
        ("asqa", [], "holds no entry"),
        ("asqa", {"data": {}}, "expected a list of entries"),
        ("asqa", 3, "expected a list of entries"),
        ("eli5", [eli5(claims=[])], "one claim or more"),
        ("eli5", [eli5(claims=[1])], "a list of texts"),
        ("qampari", [qampari(answers=["Salt Road"])], r"answers\[0\]"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(
    write: Callable[..., Path], name: str, value: Any, message: str
) -> None:
    with pytest.raises(DataError, match=message):
        load(f"alce-{name}", path=write(value))


def test_an_archive_that_is_none_or_lacks_the_file(tmp_path: Path) -> None:
    broken = tmp_path / "ALCE-data.tar"
    broken.write_bytes(b"x" * 2000)
    with pytest.raises(DataError, match="the archive can't be read"):
        load("alce-asqa", path=broken)
    with tarfile.open(broken, "w"):
        pass
    with pytest.raises(DataError, match="does not hold this file"):
        load("alce-asqa", path=broken)


class TestDocumentedValues:
    """What no error is made of, and what it means."""

    def scores(self, path: Path, name: str = "alce-asqa") -> dict[str, Any]:
        dataset = load(name, path=path)
        report = evaluate(dataset, read_answers(path, dataset).values())
        assert not report.failures
        text = json.dumps(report.to_dict(), allow_nan=False)
        return {key: one["value"] for key, one in json.loads(text)["scores"].items()}

    def test_no_pairs_have_no_str_em(self, write: Callable[..., Path]) -> None:
        for rows in ([without(asqa(), "qa_pairs")], [asqa(qa_pairs=None)], [asqa(qa_pairs=[])]):
            scores = self.scores(write(rows))
            assert scores["str_em(rules=alce).recall"] is None
            assert scores["length(rules=alce).words"] == 5

    def test_all_empty_outputs_have_no_alce_figure_and_ours_is_0(
        self, write: Callable[..., Path]
    ) -> None:
        path = write([asqa(output="")])
        assert self.scores(path)["citations(rules=alce).recall"] is None
        dataset = load("alce-asqa", path=path)
        answers = read_answers(path, dataset).values()
        report = evaluate(dataset, answers, ["citations"])
        assert report.value("citations.recall") == report.value("citations.f1") == 0


def test_evaluate_prints_the_table_line_of_a_result(write: Callable[..., Path]) -> None:
    path = write({"args": {}, "data": [asqa(), asqa("8", output="It opened. [2]")]})
    done = CliRunner().invoke(main, ["evaluate", str(path), "--dataset", "alce-asqa"])
    assert done.exit_code == 0, done.output
    line = next(line for line in done.output.splitlines() if line.startswith("ALCE: "))
    assert line == (
        "ALCE: length 3.50  str_em 50.00  str_hit 50.00  rougeLsum 66.67  "
        "citation_rec 100.00  citation_prec 100.00"
    )  # by hand: 5 and 2 words; 6/9 and 4/6 words in common; both sentences stand in their document


def test_evaluate_says_that_alce_reads_no_citation_by_id(write: Callable[..., Path]) -> None:
    rules, said = "citations(rules=alce)", "reads numbers in brackets alone, and finds none"
    for output, shown in (("It opened in 1931 [1001].", False), ("In 1931 [D7].", True)):
        file = write([asqa(output=output)])
        run = CliRunner().invoke(
            main, ["evaluate", str(file), "--dataset", "alce-asqa", "-m", rules]
        )
        assert run.exit_code == 0, run.output
        assert (said in run.output) is shown


@pytest.mark.parametrize("key", ["output", "response", "prediction", "generated_answer"])
def test_results_line_by_line_and_outputs_under_other_names(tmp_path: Path, key: str) -> None:
    rows = [{**without(asqa(id), "output"), key: f"Output {id} [1]."} for id in ("one", "two")]
    path = tmp_path / "results.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert contains_dataset("alce-asqa", path)
    dataset = load("alce-asqa", path=path)
    given = read_answers(path, dataset)
    assert [given[id].text for id in ("one", "two")] == ["Output one [1].", "Output two [1]."]
