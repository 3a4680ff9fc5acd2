"""NeuCLIR's look-up in pickles: read without running them, turned once into what is indexed."""

from __future__ import annotations

import json
import os
import pickle
import struct
from pathlib import Path
from typing import Any

import pytest

from argue_bench.errors import Code, DataError
from argue_bench.published.trec import pickle_reader as reader
from argue_bench.published.trec.collection import (
    Collection,
    find_collection,
    find_collections,
    join_collections,
)

DOCUMENTS = {
    "a": {"title": "Один", "text": "первый " * 40},
    "b": {"title": "", "text": ""},
    "c": {"title": "x", "text": "x"},
    "\u200fd": {"title": "سه", "text": 'line\nbreak\u0001\\"', "url": "u"},
}


def dump(path: Path, value: Any, protocol: int = 4) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(pickle.dumps(value, protocol))
    return path


@pytest.mark.parametrize("protocol", range(1, pickle.HIGHEST_PROTOCOL + 1))
def test_every_binary_protocol_is_read(tmp_path: Path, protocol: int) -> None:
    path = dump(tmp_path / "doc_mapping_neuclir_1_ru.pkl", DOCUMENTS, protocol)
    collection = Collection(path)
    assert {id: (collection[id].title, collection[id].text) for id in collection} == {
        id: (one["title"], one["text"]) for id, one in DOCUMENTS.items()
    }
    assert "e" not in collection


def test_more_documents_than_a_batch_and_texts_that_are_used_again(tmp_path: Path) -> None:
    shared = "the same text, longer than what is kept in memory: " + "y" * 90
    many = {f"d{n}": {"title": shared, "text": f"{n} {'z' * (n % 300)}"} for n in range(5_000)}
    collection = Collection(dump(tmp_path / "many.pkl", many))
    assert len(collection) == 5_000
    assert {id: collection[id].title for id in ("d0", "d4999")} == {"d0": shared, "d4999": shared}
    assert collection["d299"].text == f"299 {'z' * 299}"


class Runs:
    """What is run as soon as it is unpickled."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> Any:
        return os.mkdir, (str(self.path),)


def hostile(folder: Path) -> dict[str, bytes]:
    """Pickles that hold, or do, something else."""
    whole = pickle.dumps(DOCUMENTS, 4)
    text = b"X" + struct.pack("<I", 1 << 20) + b"t" * (1 << 20) + b"q\x00"
    again = b"".join(b"X\x04\0\0\0%04d}(X\x01\0\0\0th\x00u" % n for n in range(500))
    return {
        "code": pickle.dumps({"a": Runs(folder / "made")}),
        "code-below": pickle.dumps({"a": {"title": "t", "text": Runs(folder / "made")}}),
        "number": pickle.dumps({"a": {"title": "t", "text": 1}}),
        "nothing": pickle.dumps({"a": {"title": None, "text": "t"}}),
        "list": pickle.dumps([{"id": "a", "text": "t"}]),
        "texts": pickle.dumps({"a": "t"}),
        "deep": pickle.dumps({"a": {"b": {"c": "d"}}}),
        "key": pickle.dumps({1: {"text": "t"}}),
        "one-for-two": pickle.dumps({"a": (one := {"text": "t"}), "b": one}),
        "text": pickle.dumps("t"),
        "protocol-0": pickle.dumps(DOCUMENTS, 0),
        "cut": whole[:-20],
        "empty": b"",
        "words": b"this is no pickle",
        "long": b"\x80\x04}X" + struct.pack("<I", 0xFFFFFFFF) + b"a",
        "longer": b"\x80\x04}\x8d" + struct.pack("<Q", 1 << 62) + b"a",
        "far": b"\x80\x04}r" + struct.pack("<I", 0xFFFFFFFF) + b".",
        "marks": b"\x80\x04}" + b"(" * 300_000 + b".",
        "no-mark": b"\x80\x04}u.",
        "odd": b"\x80\x04}(X\x01\0\0\0au.",
        "foreign-mark": b"}(}(X\x01\0\0\0aX\x01\0\0\0bsu.",
        "itself": b"}q\x00X\x01\0\0\0ah\x00s.",
        "again": b"}(X\x01\0\0\0a}(X\x01\0\0\0t" + text + b"u" + again + b"u.",
    }


@pytest.mark.parametrize("name", hostile(Path()))
def test_anything_else_is_refused_and_nothing_is_run(tmp_path: Path, name: str) -> None:
    path = tmp_path / "doc_mapping_x.pkl"
    path.write_bytes(hostile(tmp_path)[name])
    with pytest.raises(DataError) as raised:
        Collection(path)
    (finding,) = raised.value.findings
    assert (finding.code, finding.file) == (Code.PICKLE_REFUSED, str(path))
    assert sorted(one.name for one in tmp_path.iterdir()) == [path.name]


def test_memory_is_bounded_in_the_process_that_reads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = Path(reader.__file__).read_text(encoding="utf-8")
    small = tmp_path / "small_reader.py"
    small.write_text(script.replace("MEMORY = 1 << 30", "MEMORY = 1 << 25"))
    monkeypatch.setattr(reader, "__file__", str(small))
    with pytest.raises(DataError, match="32 MB of memory"):
        Collection(dump(tmp_path / "big.pkl", {"a": {"text": "t" * (1 << 24)}}))


def test_a_pickle_is_turned_once_and_again_when_it_changes(tmp_path: Path) -> None:
    path = dump(tmp_path / "p.pkl", {"a": {"text": "one"}})
    assert Collection(path)["a"].text == "one"
    (lines,) = tmp_path.glob(".p.*.jsonl")
    assert [json.loads(line) for line in lines.read_text().splitlines()] == [
        {"text": "one", "id": "a"}
    ]
    made = lines.stat().st_mtime_ns
    Collection(path).close()
    assert lines.stat().st_mtime_ns == made
    dump(path, {"a": {"text": "two!"}})
    assert Collection(path)["a"].text == "two!"
    (again,) = tmp_path.glob(".p.*.jsonl")
    assert again != lines


def test_where_nothing_can_be_written_beside_it_the_cache_is_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ARGUE_BENCH_CACHE", str(tmp_path / "cache"))
    path = dump(tmp_path / "lookup" / "p.pkl", {"a": {"text": "one"}})
    Collection(path).close()
    (beside,) = path.parent.glob(".p.*.jsonl")
    beside.unlink()
    # A folder where the file is to be written: root, too, cannot write that.
    Path(f"{beside}.{os.getpid()}.part").mkdir()
    assert Collection(path)["a"].text == "one"
    assert not beside.exists()
    assert [one.name for one in (tmp_path / "cache").rglob(".p.*.jsonl")] == [beside.name]


def test_parts_by_either_name_of_their_language(tmp_path: Path) -> None:
    root = tmp_path / "lookup"
    for language in ("ru", "fa", "zh"):
        dump(root / f"doc_mapping_neuclir_1_{language}.pkl", {language: {"text": language}})
    for name, alias in (("ru", "rus"), ("fa", "fas"), ("zh", "zho")):
        place = root / f"doc_mapping_neuclir_1_{name}.pkl"
        assert find_collection(root, f"neuclir/1/{name}") == place
        assert find_collection(root, f"neuclir/1/{alias}") == place
    long = root / "neuclir" / "1" / "rus"
    long.mkdir(parents=True)
    (long / "docs.jsonl").write_text('{"id": "own", "text": "t"}\n')
    assert find_collection(root, "neuclir/1/rus") == long
    two = join_collections(find_collections(root, ("neuclir/1/fas", "neuclir/1/zho")))
    assert (set(two), "ru" in two, two["fa"].text) == ({"fa", "zh"}, False, "fa")
    with pytest.raises(KeyError):
        two["ru"]
    assert set(join_collections(find_collections(root))) == {"ru", "fa", "zh", "own"}
