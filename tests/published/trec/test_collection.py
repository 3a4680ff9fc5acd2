"""Collections: looked up by id on disk, indexed once, whole or not at all."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from argue_bench.errors import DataError, UsageError
from argue_bench.published.trec.collection import Collection, find_collection
from argue_bench.records import Document
from tests.shared import ROOT


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ARGUE_BENCH_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("DOC_LOOKUP", raising=False)
    return tmp_path / "cache"


def write(path: Path, *rows: object) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = [row if isinstance(row, str) else json.dumps(row, ensure_ascii=False) for row in rows]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def codes(error: pytest.ExceptionInfo[DataError]) -> list[tuple[str, int | None]]:
    return [(finding.code, finding.line) for finding in error.value.findings]


def test_every_name_of_id_and_text_is_read(tmp_path: Path) -> None:
    collection = Collection(
        write(
            tmp_path / "docs.jsonl",
            {"id": "a", "text": "Mauer é 城", "title": "T", "language": "de"},
            {"docid": "b", "contents": "two"},
            "",
            {"doc_id": "c", "segment": "three"},
            {"_id": 31452104, "body": "four"},
        )
    )
    assert collection["a"] == Document("a", "Mauer é 城", "T", "de")
    assert [collection[id].text for id in collection] == ["Mauer é 城", "two", "three", "four"]
    assert list(collection) == ["a", "b", "c", "31452104"]
    assert len(collection) == 4
    assert "a" in collection
    assert "z" not in collection
    assert collection.get("z") is None
    with pytest.raises(KeyError):
        collection["z"]


def test_a_folder_and_several_places(tmp_path: Path) -> None:
    root = tmp_path / "docs"
    write(root / "lines.jsonl", {"id": "a", "text": "one"})
    write(root / "deep" / "lines.jsonl", "\ufeff" + json.dumps({"id": "b", "text": "two"}))
    write(root / "deep" / ".hidden.jsonl", "not this")
    write(root / "README.md", "nor this")
    whole, parts = Collection(root), Collection([root / "deep", root / "lines.jsonl"])
    assert {id: one.text for id, one in whole.items()} == {"b": "two", "a": "one"}
    assert list(parts) == ["b", "a"]
    assert parts.digest != whole.digest


def test_the_index_is_made_once_and_again_when_a_file_changes(tmp_path: Path, cache: Path) -> None:
    path = write(tmp_path / "docs.jsonl", {"id": "a", "text": "one"})
    reads: list[tuple[int, int]] = []
    digest = Collection(path).digest
    (index,) = (cache / "collections").iterdir()
    made = index.stat().st_ino
    assert Collection(path, progress=lambda done, of: reads.append((done, of))).digest == digest
    assert index.stat().st_ino == made
    write(path, {"id": "b", "text": "one"})
    again = Collection(path)
    assert list(again) == ["b"]
    assert again.digest != digest
    assert index.stat().st_ino != made


def test_a_folder_that_got_another_file_is_indexed_again(tmp_path: Path) -> None:
    write(tmp_path / "docs" / "a.jsonl", {"id": "a", "text": "one"})
    assert list(Collection(tmp_path / "docs")) == ["a"]
    write(tmp_path / "docs" / "inner" / "b.jsonl", {"id": "b", "text": "two"})
    assert list(Collection(tmp_path / "docs")) == ["a", "b"]


def test_a_file_that_changes_under_an_open_collection_is_an_error(tmp_path: Path) -> None:
    path = write(tmp_path / "docs.jsonl", {"id": "a", "text": "one"}, {"id": "b", "text": "two"})
    collection = Collection(path)
    write(path, {"id": "b", "text": "two, and more"}, {"id": "a", "text": "one"})
    with pytest.raises(DataError, match="other-data"):
        collection["a"]
    assert Collection(path)["b"].text == "two, and more"


def test_a_broken_index_is_made_anew(tmp_path: Path, cache: Path) -> None:
    path = write(tmp_path / "docs.jsonl", {"id": "a", "text": "one"})
    Collection(path).close()
    (index,) = (cache / "collections").iterdir()
    for broken in (b"", b"no database", index.read_bytes()[:5000]):
        index.write_bytes(broken)
        assert Collection(path)["a"].text == "one"


def test_bad_lines_are_all_told(tmp_path: Path) -> None:
    path = write(
        tmp_path / "docs.jsonl",
        {"id": "a", "text": "one"},
        "{broken",
        {"text": "no id"},
        {"id": "c"},
        {"id": "a", "text": "again"},
        {"id": "d", "text": "four"},
    )
    wrong = [("not-json", 2), ("document-id", 3), ("document-text", 4), ("duplicate-id", 5)]
    for _ in range(2):  # the second time from the index
        with pytest.raises(DataError) as error:
            Collection(path)
        assert codes(error) == [*wrong, ("wrong-shape", None)]


@pytest.mark.parametrize(
    ("names", "code"), [(["docs.jsonl.gz"], "unreadable"), (["notes.md"], "empty"), ([], "empty")]
)
def test_what_cannot_be_indexed(tmp_path: Path, names: list[str], code: str) -> None:
    root = tmp_path / "docs"
    root.mkdir()
    for name in names:
        write(root / name, "x")
    with pytest.raises(DataError, match=code):
        Collection(root)
    with pytest.raises(DataError, match="no-such-file"):
        Collection(tmp_path / "nothing")


def test_where_nothing_can_be_written(tmp_path: Path, cache: Path) -> None:
    path = write(tmp_path / "docs.jsonl", {"id": "a", "text": "one"})
    cache.write_text("a file where a folder should be")
    with pytest.raises(DataError, match="ARGUE_BENCH_CACHE"):
        Collection(path)


def test_a_killed_builder_leaves_nothing_that_is_taken_for_an_index(
    tmp_path: Path, cache: Path
) -> None:
    path = write(
        tmp_path / "docs.jsonl", *[{"id": f"d{n}", "text": "x" * 200} for n in range(40_000)]
    )
    script = f"from argue_bench.published.trec.collection import Collection as C; C(__import__('pathlib').Path({str(path)!r}))"
    process = subprocess.Popen([sys.executable, "-c", script], cwd=ROOT)
    until = time.monotonic() + 20
    while not list(cache.rglob("*.index")):
        assert process.poll() is None, "it ended before it could be killed"
        assert time.monotonic() < until
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert len(Collection(path)) == 40_000


def test_collections_by_path_by_name_and_in_part(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tmp_path / "lookup"
    chinese = write(root / "neuclir" / "zho.jsonl", {"id": "a", "text": "one"})
    flat = write(root / "neuclir_1_rus.jsonl", {"id": "b", "text": "two"})
    assert find_collection(root / "neuclir") == root / "neuclir"
    with pytest.raises(UsageError, match="DOC_LOOKUP"):
        find_collection("neuclir")
    with pytest.raises(UsageError, match="DOC_LOOKUP"):
        find_collection()
    monkeypatch.setenv("DOC_LOOKUP", str(root))
    assert find_collection() == root
    assert find_collection("neuclir") == root / "neuclir"
    assert find_collection("neuclir", "zho") == chinese
    assert find_collection("", "neuclir/zho") == chinese
    assert find_collection("", "neuclir/1/rus") == flat
    with pytest.raises(UsageError, match=r"zho\.jsonl"):
        find_collection("neuclir", "fas")
    with pytest.raises(UsageError, match="no part"):
        find_collection("neuclir", "../neuclir_1_rus")
    with pytest.raises(UsageError, match="one file"):
        find_collection(flat, "zho")
    with pytest.raises(UsageError, match=str(root)):
        find_collection("ragtime")


def test_a_data_set_folder_is_its_documents(tmp_path: Path) -> None:
    write(tmp_path / "set" / "set.json", "{}")
    documents = write(tmp_path / "set" / "documents.jsonl", {"id": "a", "text": "one"})
    assert find_collection(tmp_path / "set") == documents
