"""Large files of JSON lines are read when a record is looked up; what comes of them is the same."""

from __future__ import annotations

import gzip
import pickle
import shutil
from pathlib import Path

import pytest

from argue_bench import evaluate, load
from argue_bench.errors import Code, DataError
from argue_bench.loaders import answers as answers_module
from argue_bench.loaders import core, read_answers
from argue_bench.loaders.core import embedded_folder
from argue_bench.records.lines import LineRecords, QuestionLines

ANSWERS = embedded_folder("sample-runs") / "careful.jsonl"


@pytest.fixture
def large(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every file counts as large."""
    monkeypatch.setattr(core, "HELD", 100)
    monkeypatch.setattr(answers_module, "HELD", 100)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return Path(shutil.copytree(embedded_folder("sample"), tmp_path / "set"))


def test_a_large_set_is_the_same_as_a_small_one(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    small = load(folder)
    monkeypatch.setattr(core, "HELD", 100)
    dataset = load(folder)
    assert isinstance(dataset.questions, QuestionLines)
    assert isinstance(dataset.documents, LineRecords)
    assert isinstance(small.questions, tuple)
    assert [*dataset] == [*small]
    assert dict(dataset.documents) == dict(small.documents)
    assert dict(dataset.by_id) == dict(small.by_id)
    assert (dataset[3], dataset[-1]) == (small[3], small[-1])
    assert dataset.digest == small.digest
    part = dataset[2:5]
    assert isinstance(part.questions, QuestionLines)
    assert [*part] == [*small[2:5]]
    assert part.digest == small[2:5].digest
    assert dataset[:].digest == small.digest
    assert small[0].id not in part.by_id
    assert len(part) == len(part.by_id) == 3
    assert pickle.loads(pickle.dumps(dataset)).questions == small.questions


@pytest.mark.usefixtures("large")
def test_a_run_file_is_byte_for_byte_that_of_records_in_memory(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    dataset = load(folder)
    given = read_answers(ANSWERS, dataset)
    assert isinstance(given, LineRecords)
    report = evaluate(dataset, given, out=tmp_path / "run", resamples=50)
    monkeypatch.undo()
    small = load(folder)
    same = evaluate(small, read_answers(ANSWERS, small), out=tmp_path / "same", resamples=50)
    assert report.to_dict()["scores"] == same.to_dict()["scores"]
    run, other = (tmp_path / name for name in ("run", "same"))
    assert run.read_bytes() == other.read_bytes().replace(b"same.verdicts", b"run.verdicts")


@pytest.mark.usefixtures("large")
def test_compressed_files_are_unpacked_once(folder: Path) -> None:
    digest = load(folder).digest
    for file in folder.glob("*.jsonl"):
        Path(f"{file}.gz").write_bytes(gzip.compress(file.read_bytes()))
        file.unlink()
    dataset = load(folder)
    assert isinstance(dataset.documents, LineRecords)
    assert dataset.digest == digest
    assert all(question.gold for question in dataset)


@pytest.mark.usefixtures("large")
def test_a_compressed_file_that_unpacks_without_end_is_refused(folder: Path) -> None:
    documents = folder / "documents.jsonl"
    bomb = gzip.compress(documents.read_bytes() + b"\n" * 9_000_000)
    Path(f"{documents}.gz").write_bytes(bomb)
    most = core.MOST_TIMES * len(bomb)
    assert most < 9_000_000
    with pytest.raises(DataError) as caught:
        load(folder)
    (finding,) = caught.value.findings
    assert (finding.code, finding.file) == (Code.FILE_TOO_LARGE, f"{documents}.gz")
    assert f"more than {most:,} bytes" in finding.message
    assert "gunzip" in finding.hint


@pytest.mark.usefixtures("large")
def test_every_finding_comes_at_once_with_its_line(folder: Path) -> None:
    with (folder / "questions.jsonl").open("a") as file:
        file.write('{"id": "x", "text": "What?", "documents": ["nowhere"]}\n{"id": 3}\n')
    with (folder / "gold.jsonl").open("a") as file:
        file.write('{"id": "y", "answerable": true, "supporting": ["far"]}\n')
    (folder / "set.json").write_text(
        '{"name": "a", "version": "1", "split": "dev", "language": "en"}'
    )
    with pytest.raises(DataError) as caught:
        load(folder)
    found = {(one.code, Path(one.file).name, one.line) for one in caught.value.findings}
    assert found >= {
        (Code.UNKNOWN_DOCUMENT, "questions.jsonl", 9),
        (Code.GOLD_MISSING, "gold.jsonl", None),
        (Code.UNKNOWN_QUESTION, "gold.jsonl", 9),
        (Code.UNKNOWN_DOCUMENT, "gold.jsonl", 9),
    }
    assert any(one.line == 10 for one in caught.value.findings)


@pytest.mark.usefixtures("large")
def test_a_file_that_changes_while_it_is_used_is_refused_and_one_in_its_place_is_not(
    folder: Path,
) -> None:
    dataset, other = load(folder), load(folder)
    first, path = other[0], folder / "questions.jsonl"
    path.rename(folder / "before")
    path.write_text("another file\n")
    assert dataset[0] == first
    with (folder / "before").open("a") as file:
        file.write("\n")
    with pytest.raises(DataError, match="changed while it was in use"):
        dataset.question(dataset[5].id)


@pytest.mark.usefixtures("large")
def test_answers_to_part_of_a_set_are_refused_as_from_memory(folder: Path) -> None:
    dataset = load(folder)
    given = read_answers(ANSWERS, dataset)
    with pytest.raises(DataError) as caught:
        evaluate(dataset[:3], given, ["accuracy"])
    assert {one.code for one in caught.value.findings} == {Code.UNKNOWN_ID}


def test_answers_by_id_may_be_handed_in_as_they_were_read() -> None:
    dataset = load("core", "sample")
    given = read_answers(ANSWERS, dataset)
    report = evaluate(dataset, given, ["accuracy"], resamples=0)
    assert report.n == len(dataset)
