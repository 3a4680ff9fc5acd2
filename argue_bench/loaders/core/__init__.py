"""The core format: a folder with set.json, questions.jsonl, documents.jsonl and, where open, gold.jsonl.

It is our own format (docs/data.md, schemas/): the embedded set has it, and organisers' sets do. Every
file may be gzip-compressed (``.gz``).
"""

from __future__ import annotations

import gzip
import hashlib
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import Any

from argue_bench.errors import Code, DataError, Finding
from argue_bench.loaders.dataset import Dataset
from argue_bench.loaders.findings import Findings
from argue_bench.records import Gold
from argue_bench.records.untrusted import GOLD_LIMITS, parse_json, read_json

Records = dict[str, tuple[int, Any]]
"""The records of one file by id, each with its line."""

FILES = ("documents.jsonl", "gold.jsonl", "questions.jsonl")
METRICS = ("argue", "citations", "grounding", "accuracy", "str_em", "rouge")
_GENERATED = (
    "core is a generated, fictional world whose generator is public: its scores show that a "
    "pipeline works, not how good a system is on real documents."
)
NOTES = {
    "sample": "the sample is eight fictional questions written by hand: it shows the format and "
    "checks judges, and is far too small to rank systems."
}


def dataset_note(title: str) -> str:
    """A note for readers of scores on the set of this title; empty for all sets but core."""
    name, _, rest = title.partition("-")
    return NOTES.get(rest.partition("@")[0], _GENERATED) if name == "core" else ""


def load_embedded(split: str, path: Path | None = None) -> Dataset:
    """The embedded set of this split, or the folder at ``path``."""
    return load_folder(path or embedded_folder(split))


def embedded_folder(split: str) -> Path:
    """The folder of the embedded set of this split."""
    return Path(str(files("argue_bench") / "data" / "core" / split))


def load_folder(folder: Path) -> Dataset:
    """A data set from a folder. Raises DataError with every finding at once."""
    from argue_bench.loaders.core.format import SetDescription
    from argue_bench.records.validation import validate

    file, lacks = folder / "set.json", Code.SET_KEY_MISSING
    shape = Code.SET_SHAPE
    about = validate(SetDescription, read_json(file), shape, file, codes={"missing": lacks})
    raw = {name: content for name in FILES if (content := _bytes(folder, name)) is not None}
    findings = [
        Finding(Code.NO_SUCH_FILE, "the data set lacks this file", str(folder / name))
        for name in ("documents.jsonl", "questions.jsonl")
        if name not in raw
    ]
    digest = data_digest(raw)
    if about.digest and not findings and digest != about.digest:
        message = f"the files do not match the digest in set.json: {digest}, not {about.digest}"
        hint = "A file was edited or cut; get the set again, or give it a new digest."
        findings.append(Finding(Code.DIGEST, message, str(file), hint=hint))
    records: dict[str, Records] = {}
    for name in FILES:
        records[name], found = _read_records(folder / name, raw.get(name, b""))
        findings += found
    findings += _check_references(folder, records, sealed="gold.jsonl" not in raw)
    if findings:
        raise DataError(findings)
    documents, gold, questions = (
        {id: record for id, (_, record) in records[name].items()} for name in FILES
    )
    return Dataset(
        about.name,
        about.split,
        tuple(replace(question, gold=gold.get(id)) for id, question in questions.items()),
        documents,
        metrics=METRICS,
        version=about.version,
        licence=about.licence,
        declared_digest=about.digest or digest,
        collection=True,
        note=NOTES.get(about.split, _GENERATED) if about.name == "core" else "",
    )


def read_gold(path: Path) -> dict[str, Gold]:
    """Gold by question id from a gold.jsonl elsewhere. Raises DataError, every finding at once."""
    if (content := _bytes(path.parent, path.name)) is None:
        raise DataError.of(Code.NO_SUCH_FILE, "no such file", path)
    return parse_gold(content, path)


def parse_gold(content: bytes, path: Path) -> dict[str, Gold]:
    """The same from the bytes of such a file: sealed gold is opened in memory, never on a disk."""
    records, findings = _read_records(path, content)
    if findings:
        raise DataError(findings)
    return {id: record for id, (_, record) in records.items()}


def data_digest(files: Mapping[str, bytes]) -> str:
    """``sha256:`` and the hash over names, lengths and bytes of the files, by name."""
    total = hashlib.sha256()
    for name in sorted(files):
        total.update(name.encode() + b"\0" + str(len(files[name])).encode() + b"\0" + files[name])
    return f"sha256:{total.hexdigest()}"


def _bytes(folder: Path, name: str) -> bytes | None:
    try:
        if (folder / f"{name}.gz").is_file():
            return gzip.decompress((folder / f"{name}.gz").read_bytes())
        return (folder / name).read_bytes() if (folder / name).is_file() else None
    except (OSError, EOFError, zlib.error) as error:
        raise DataError.of(Code.UNREADABLE, f"can't be read: {error}", folder / name) from None


def _read_records(path: Path, content: bytes) -> tuple[Records, list[Finding]]:
    """The records of one file by id with their lines, and what is wrong with the other lines."""
    from argue_bench.loaders.core.format import read_line

    found = Findings(path)
    records: Records = {}
    for number, raw in enumerate(content.split(b"\n"), 1):
        if not raw.strip():
            continue
        try:
            id, record = read_line(parse_json(raw, found.file, number, GOLD_LIMITS), path, number)
        except DataError as error:
            found.extend(error.findings)
            continue
        if id in records:
            found.add(Code.DUPLICATE_ID, f"the id {id!r} occurs twice", number)
        records[id] = (number, record)
    return records, found.all()


def _check_references(
    folder: Path, records: Mapping[str, Records], sealed: bool
) -> Iterator[Finding]:
    """Ids that name no document or question of the set, and questions without gold."""
    documents, gold, questions = (records[name] for name in FILES)

    def unknown(file: str, owner: str, line: int, ids: Iterable[str]) -> Iterator[Finding]:
        for id in sorted({id for id in ids if id not in documents}):
            message = f"{owner} names the document {id!r}, which is not in the set"
            yield Finding(Code.UNKNOWN_DOCUMENT, message, str(folder / file), line)

    gold_file = str(folder / "gold.jsonl")
    for id, (line, question) in questions.items():
        yield from unknown("questions.jsonl", id, line, question.documents)
        if not sealed and id not in gold:
            yield Finding(Code.GOLD_MISSING, f"no gold for {id}", gold_file)
    for id, (line, one) in gold.items():
        if id not in questions:
            message = f"gold for {id}, a question that the set does not have"
            yield Finding(Code.UNKNOWN_QUESTION, message, gold_file, line)
        references = [r for n in one.nuggets for a in n.answers for r in a.references]
        yield from unknown("gold.jsonl", id, line, [*references, *one.supporting])
