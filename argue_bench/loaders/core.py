"""The core format: a folder with set.json, questions.jsonl, documents.jsonl and, where open, gold.jsonl.

The format of the embedded set and of anybody's own. Every file may be gzip-compressed (``.gz``).
"""

from __future__ import annotations

import gzip
import hashlib
import json
import zlib
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from argue_bench.errors import Code, DataError, Finding
from argue_bench.loaders import core_rows
from argue_bench.loaders.dataset import Dataset
from argue_bench.records import Document, Gold, Question
from argue_bench.records.untrusted import GOLD_LIMITS, parse

FILES = ("documents.jsonl", "gold.jsonl", "questions.jsonl")
METRICS = ("argue", "citations", "grounding", "accuracy", "str_em", "rouge")
_GENERATED = (
    "core is a generated, fictional world whose generator is public: its scores show that a "
    "pipeline works, not how good a system is on real documents."
)
NOTES = {
    "sample": "the sample is eight fictional questions written by hand: it shows the format and "
    "checks judges, and is far too small to rank systems.",
}


def dataset_note(title: str) -> str:
    """What a reader of scores on the set of this title must know: empty but for core's."""
    name, _, rest = title.partition("-")
    return NOTES.get(rest.partition("@")[0], _GENERATED) if name == "core" else ""


def load_embedded(split: str, path: Path | None = None) -> Dataset:
    """The embedded set of this split, or the folder at ``path``."""
    if path is not None:
        return load_folder(path)
    return load_folder(embedded_folder(split))


def embedded_folder(split: str) -> Path:
    """Where the embedded set of this split lies."""
    return Path(str(files("argue_bench") / "data" / "core" / split))


def load_folder(folder: Path) -> Dataset:
    """A data set from a folder. Raises DataError with every finding at once."""
    about = _read_set(folder / "set.json")
    raw = {name: content for name in FILES if (content := _bytes(folder, name)) is not None}
    findings = _check_files(folder, about, raw)
    rows = {name: list(_rows(folder / name, content, findings)) for name, content in raw.items()}
    documents = _collect(folder, "documents.jsonl", rows, core_rows.document, findings)
    gold = _collect(folder, "gold.jsonl", rows, core_rows.gold, findings)
    questions = _collect(folder, "questions.jsonl", rows, core_rows.question, findings)
    findings += _check_references(
        folder, questions, gold, documents, sealed="gold.jsonl" not in raw, lines=_lines(rows)
    )
    if any(finding.level == "error" for finding in findings):
        raise DataError(findings)
    name, split = str(about["name"]), str(about["split"])
    return Dataset(
        name,
        split,
        tuple(_with_gold(question, gold.get(id)) for id, question in questions.items()),
        documents,
        metrics=METRICS,
        version=str(about["version"]),
        licence=str(about.get("licence", "")),
        declared_digest=str(about["digest"]),
        collection=True,
        note=NOTES.get(split, _GENERATED) if name == "core" else "",
    )


def read_gold(path: Path) -> dict[str, Gold]:
    """Gold by question id from a gold.jsonl that lies apart. Raises DataError, every finding at once."""
    if (content := _bytes(path.parent, path.name)) is None:
        raise DataError.of(Code.NO_SUCH_FILE, "there is no such file", path)
    return parse_gold(content, path)


def parse_gold(content: bytes, path: Path) -> dict[str, Gold]:
    """The same from the bytes of such a file, as sealed gold is opened: never on a disk."""
    findings: list[Finding] = []
    rows = {path.name: list(_rows(path, content, findings))}
    gold: dict[str, Gold] = _collect(path.parent, path.name, rows, core_rows.gold, findings)
    if any(finding.level == "error" for finding in findings):
        raise DataError(findings)
    return gold


def data_digest(files: Mapping[str, bytes]) -> str:
    """``sha256:`` and the hash over names, lengths and bytes of the files, by name."""
    total = hashlib.sha256()
    for name in sorted(files):
        total.update(name.encode() + b"\0" + str(len(files[name])).encode() + b"\0" + files[name])
    return f"sha256:{total.hexdigest()}"


def _read_set(path: Path) -> Mapping[str, Any]:
    from argue_bench.records.untrusted import read_json

    about = read_json(path)
    if not isinstance(about, dict):
        raise DataError.of(Code.SET_SHAPE, "set.json is not an object", path)
    missing = [
        key for key in ("name", "version", "split", "language", "digest") if key not in about
    ]
    if missing:
        raise DataError.of(
            Code.SET_KEY_MISSING,
            f"set.json lacks {', '.join(missing)}",
            path,
            hint="The digest is what argue_bench.loaders.core.data_digest makes of the files.",
        )
    return about


def _bytes(folder: Path, name: str) -> bytes | None:
    try:
        if (folder / f"{name}.gz").is_file():
            return gzip.decompress((folder / f"{name}.gz").read_bytes())
        return (folder / name).read_bytes() if (folder / name).is_file() else None
    except (OSError, EOFError, zlib.error) as error:
        raise DataError.of(Code.UNREADABLE, f"can't be read: {error}", folder / name) from None


def _check_files(folder: Path, about: Mapping[str, Any], raw: Mapping[str, bytes]) -> list[Finding]:
    findings = [
        Finding(Code.NO_SUCH_FILE, "the data set lacks this file", str(folder / name))
        for name in ("documents.jsonl", "questions.jsonl")
        if name not in raw
    ]
    found = data_digest(raw)
    if not findings and found != about["digest"]:
        findings.append(
            Finding(
                Code.DIGEST,
                f"the files do not match the digest in set.json: {found}, not {about['digest']}",
                str(folder / "set.json"),
                hint="A file was edited or cut; get the set again, or give it a new digest.",
            )
        )
    return findings


def _rows(path: Path, content: bytes, findings: list[Finding]) -> Iterator[tuple[int, Any]]:
    for number, line in enumerate(content.split(b"\n"), 1):
        if not line.strip():
            continue
        try:
            yield number, parse(line, str(path), number, GOLD_LIMITS)
        except DataError as error:
            findings.extend(error.findings)


def _collect(
    folder: Path,
    name: str,
    rows: Mapping[str, list[tuple[int, Any]]],
    make: Callable[[Any], tuple[str, Any]],
    findings: list[Finding],
) -> dict[str, Any]:
    """The records of one file by id; what does not fit is a finding with its line."""
    found: dict[str, Any] = {}
    for number, row in rows.get(name, []):
        file = str(folder / name)
        try:
            id, record = make(row)
        except ValueError as error:
            findings.append(
                Finding(
                    Code.SHAPE,
                    f"the line is not of the core format: {error}",
                    file,
                    number,
                    hint="See the JSON schemas in argue_bench/loaders/schemas.",
                )
            )
            continue
        if id in found:
            findings.append(Finding(Code.DUPLICATE_ID, f"the id {id!r} stands twice", file, number))
        found[id] = record
    return found


def _lines(rows: Mapping[str, list[tuple[int, Any]]]) -> dict[tuple[str, str], int]:
    """On which line of which file a record of this id stands."""
    return {
        (name, row["id"]): number
        for name, numbered in rows.items()
        for number, row in numbered
        if isinstance(row, dict) and isinstance(row.get("id"), str)
    }


def _check_references(
    folder: Path,
    questions: Mapping[str, Question],
    gold: Mapping[str, Gold],
    documents: Mapping[str, Document],
    sealed: bool,
    lines: Mapping[tuple[str, str], int],
) -> list[Finding]:
    findings: list[Finding] = []

    def unknown(file: str, owner: str, ids: Iterator[str]) -> None:
        findings.extend(
            Finding(
                Code.UNKNOWN_DOCUMENT,
                f"{owner} names the document {id!r}, which is not in the set",
                str(folder / file),
                lines.get((file, owner)),
            )
            for id in sorted(set(ids) - documents.keys())
        )

    for id, question in questions.items():
        unknown("questions.jsonl", id, iter(question.documents))
        if not sealed and id not in gold:
            findings.append(
                Finding(Code.GOLD_MISSING, f"there is no gold for {id}", str(folder / "gold.jsonl"))
            )
    for id, one in gold.items():
        if id not in questions:
            findings.append(
                Finding(
                    Code.UNKNOWN_QUESTION,
                    f"gold for {id}, which is no question of the set",
                    str(folder / "gold.jsonl"),
                    lines.get(("gold.jsonl", id)),
                )
            )
        references = (r for n in one.nuggets for a in n.answers for r in a.references)
        unknown("gold.jsonl", id, iter([*references, *one.supporting]))
    return findings


def _with_gold(question: Question, gold: Gold | None) -> Question:
    from dataclasses import replace

    return question if gold is None else replace(question, gold=gold)


@cache
def json_schema(name: str) -> Mapping[str, Any]:
    """The JSON schema of one kind of record: set, question, document, gold, answer, metadata, result."""
    path = files("argue_bench.loaders") / "schemas" / f"{name}.schema.json"
    read: Mapping[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return read
