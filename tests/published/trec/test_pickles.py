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
from argue_bench.published.trec.collection import Collection, find_collection, open_collection


@pytest.fixture(autouse=True)
def cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path_factory.mktemp("cache")
    monkeypatch.setenv("ARGUE_BENCH_CACHE", str(folder))
    return folder


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
    assert (finding.code, finding.file) == (Code.WRONG_SHAPE, str(path))
    assert sorted(one.name for one in tmp_path.iterdir()) == [path.name]


def test_a_pickle_is_turned_once_and_again_when_it_changes(tmp_path: Path, cache: Path) -> None:
    path = dump(tmp_path / "p.pkl", {"a": {"text": "one \ud800"}})
    assert Collection(path)["a"].text == "one ?"
    (lines,) = cache.rglob("*.jsonl")
    assert json.loads(lines.read_text()) == {"text": "one ?", "id": "a"}
    made = lines.stat().st_mtime_ns
    Collection(path).close()
    assert lines.stat().st_mtime_ns == made
    dump(path, {"a": {"text": "two!"}})
    assert Collection(path)["a"].text == "two!"


def test_parts_of_a_look_up(tmp_path: Path) -> None:
    root = tmp_path / "lookup"
    for language in ("ru", "fa", "zh"):
        dump(root / f"doc_mapping_neuclir_1_{language}.pkl", {language: {"text": language}})
    place = root / "doc_mapping_neuclir_1_ru.pkl"
    assert find_collection(root, "neuclir/1/ru") == find_collection(root, "neuclir/1/rus") == place
    two = open_collection(root, ("neuclir/1/fa", "neuclir/1/zh"))
    assert (list(two), "ru" in two, two["fa"].text) == (["fa", "zh"], False, "fa")
    with pytest.raises(KeyError):
        two["ru"]
    (root / "more.jsonl").write_text('{"id": "own", "text": "t"}\n')
    assert set(open_collection(root)) == {"ru", "fa", "zh", "own"}
