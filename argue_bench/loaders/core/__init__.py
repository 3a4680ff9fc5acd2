"""The core format: a folder with set.json, questions.jsonl, documents.jsonl and, where open, gold.jsonl.

It is our own format (docs/data.md, schemas/): the embedded set has it, and organisers' sets do. Every
file may be gzip-compressed (``.gz``).
"""

from __future__ import annotations

import gzip
import hashlib
import os
import tempfile
import zlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import partial
from importlib import resources
from io import BytesIO
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO

from argue_bench.errors import Code, DataError, Finding
from argue_bench.loaders.dataset import Dataset
from argue_bench.loaders.findings import Findings
from argue_bench.records import Gold, Question
from argue_bench.records.lines import HELD, LineRecords, QuestionLines
from argue_bench.records.untrusted import GOLD_LIMITS, open_bounded, parse_json, read_json

FILES = ("documents.jsonl", "gold.jsonl", "questions.jsonl")
MOST_TIMES = 200
"""How many times its packed size a large file may have; text has ten times, a bomb a thousand."""
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
    return Path(str(resources.files("argue_bench") / "data" / "core" / split))


def load_folder(folder: Path) -> Dataset:
    """A data set from a folder. Raises DataError with every finding at once."""
    from argue_bench.loaders.core.format import SetDescription
    from argue_bench.records.validation import validate

    file, lacks = folder / "set.json", Code.SET_KEY_MISSING
    shape = Code.SET_SHAPE
    about = validate(SetDescription, read_json(file), shape, file, codes={"missing": lacks})
    files = {name: one for name in FILES if (one := _opened(folder, name)) is not None}
    findings = [
        Finding(Code.NO_SUCH_FILE, "the data set lacks this file", str(folder / name))
        for name in ("documents.jsonl", "questions.jsonl")
        if name not in files
    ]
    digest = data_digest(files)
    if about.digest and not findings and digest != about.digest:
        message = f"the files do not match the digest in set.json: {digest}, not {about.digest}"
        hint = "A file was edited or cut; get the set again, or give it a new digest."
        findings.append(Finding(Code.DIGEST, message, str(file), hint=hint))
    records: dict[str, Mapping[str, Any]] = {}
    astray: list[Finding] = []
    for name in ("documents.jsonl", "questions.jsonl", "gold.jsonl"):
        content, path = files.get(name, BytesIO()), folder / name
        check = partial(_unknown_ids, path, dict(records), astray)
        records[name], wrong = _read_records(path, content, check)
        findings += wrong
    documents, gold, questions = (records[name] for name in FILES)
    if "gold.jsonl" in files:
        place = str(folder / "gold.jsonl")
        lacking = (id for id in questions if id not in gold)
        astray += [Finding(Code.GOLD_MISSING, f"no gold for {id}", place) for id in lacking]
    findings += astray
    if findings:
        raise DataError(findings)
    held = isinstance(gold, dict) and isinstance(questions, dict)
    return Dataset(
        about.name,
        about.split,
        tuple(replace(question, gold=gold.get(id)) for id, question in questions.items())
        if held
        else QuestionLines(questions, gold, tuple(questions)),
        documents,
        metrics=METRICS,
        version=about.version,
        licence=about.licence,
        declared_digest=about.digest or digest,
        collection=True,
        note=NOTES.get(about.split, _GENERATED) if about.name == "core" else "",
    )


def read_gold(path: Path) -> Mapping[str, Gold]:
    """Gold by question id from a gold.jsonl elsewhere. Raises DataError, every finding at once."""
    if (content := _opened(path.parent, path.name)) is None:
        raise DataError.of(Code.NO_SUCH_FILE, "no such file", path)
    return _gold_of(content, path)


def parse_gold(content: bytes, path: Path) -> Mapping[str, Gold]:
    """The same from the bytes of such a file: sealed gold is opened in memory, never on a disk."""
    return _gold_of(BytesIO(content), path)


def _gold_of(file: BinaryIO, path: Path) -> Mapping[str, Gold]:
    records, findings = _read_records(path, file)
    if findings:
        raise DataError(findings)
    return records


def data_digest(files: Mapping[str, bytes | BinaryIO]) -> str:
    """``sha256:`` and the hash over names, lengths and bytes of the files, by name."""
    total = hashlib.sha256()
    for name, content in sorted(files.items()):
        file = BytesIO(content) if isinstance(content, bytes) else content
        total.update(name.encode() + b"\0" + str(file.seek(0, os.SEEK_END)).encode() + b"\0")
        file.seek(0)
        while chunk := file.read(1 << 20):
            total.update(chunk)
    return f"sha256:{total.hexdigest()}"


def _opened(folder: Path, name: str) -> BinaryIO | None:
    """A file of the set, unpacked, in memory where it is small; None where the set has none."""
    plain, packed = folder / name, folder / f"{name}.gz"
    if not packed.is_file() and not plain.is_file():
        return None
    try:
        with gzip.open(packed) if packed.is_file() else plain.open("rb") as file:
            start = file.read(HELD + 1)
            if len(start) <= HELD:
                return BytesIO(start)
            if not packed.is_file():
                return open_bounded(plain, GOLD_LIMITS, str(plain))
            return _unpacked(packed, chain([start], iter(partial(file.read, 1 << 20), b"")))
    except (OSError, EOFError, zlib.error) as error:
        raise DataError.of(Code.UNREADABLE, f"can't be read: {error}", plain) from None


def _unpacked(packed: Path, pieces: Iterable[bytes]) -> BinaryIO:
    """The pieces in a temporary file. Raises DataError where they are many times what they were packed to."""
    most = min(MOST_TIMES * packed.stat().st_size, GOLD_LIMITS.file_bytes)
    file = tempfile.TemporaryFile()  # noqa: SIM115  (`LineRecords` closes it)
    for piece in pieces:
        if file.write(piece) and file.tell() > most:
            file.close()
            message = f"unpacked it has more than {most:,} bytes; no more are unpacked"
            hint = f"Text is packed to a tenth: look whether it is your file, and unpack it with gunzip {packed}"
            raise DataError.of(Code.FILE_TOO_LARGE, message, packed, hint=hint)
    return file


def _read_records(
    path: Path, file: BinaryIO, check: Callable[[int, str, Any], None] | None = None
) -> tuple[Mapping[str, Any], list[Finding]]:
    """The records of one file by id, and what is wrong with its lines; ``check`` is given each, with its line.

    The records of a file that is not in memory are read anew when they are looked up.
    """
    from argue_bench.loaders.core.format import read_line

    found = Findings(path)

    def read(raw: bytes, number: int | None = None) -> tuple[str, Any]:
        return read_line(parse_json(raw, found.file, number, GOLD_LIMITS), path, number)

    held: dict[str, Any] = {}
    lines = None
    if not isinstance(file, BytesIO):
        lines = LineRecords(file, found.file, lambda raw: read(raw)[1])
    records: Mapping[str, Any] = held if lines is None else lines
    end = file.seek(0)
    for number, raw in enumerate(file, 1):
        start, end = end, end + len(raw)
        if not raw.strip():
            continue
        try:
            id, record = read(raw, number)
        except DataError as error:
            found.extend(error.findings)
            continue
        if id in records:
            found.add(Code.DUPLICATE_ID, f"the id {id!r} occurs twice", number)
        if lines is not None:
            lines.add(id, start, end)
        else:
            held[id] = record
        if check is not None:
            check(number, id, record)
    return records, found.all()


def _unknown_ids(
    path: Path,
    known: Mapping[str, Mapping[str, Any]],
    astray: list[Finding],
    line: int,
    id: str,
    record: Any,
) -> None:
    """Adds the ids in a record that name no document or question of the files read before."""
    ids: Iterable[str] = ()
    if isinstance(record, Question):
        ids = record.documents
    elif isinstance(record, Gold):
        if id not in known["questions.jsonl"]:
            message = f"gold for {id}, a question that the set does not have"
            astray.append(Finding(Code.UNKNOWN_QUESTION, message, str(path), line))
        references = (r for n in record.nuggets for a in n.answers for r in a.references)
        ids = (*references, *record.supporting)
    for one in sorted({one for one in ids if one not in known["documents.jsonl"]}):
        message = f"{id} names the document {one!r}, which is not in the set"
        astray.append(Finding(Code.UNKNOWN_DOCUMENT, message, str(path), line))
