"""The core format: a folder with set.json, questions.jsonl, documents.jsonl and, where open, gold.jsonl.

It is our own format (docs/data.md, schemas/): the embedded set has it, and organisers' sets do. Every
file may be gzip-compressed (``.gz``).
"""

from __future__ import annotations

import gzip
import hashlib
import re
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, replace
from importlib import resources
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from argue_bench.errors import Code, DataError, Finding
from argue_bench.loaders.dataset import Dataset
from argue_bench.loaders.findings import Findings
from argue_bench.records import Gold, Question
from argue_bench.records.atomic import write_json, write_lines
from argue_bench.records.untrusted import GOLD_LIMITS, parse_json, read_json

if TYPE_CHECKING:
    from argue_bench.records.validation import Record

# A data set of any kind as a folder of the core format, and nuggets added to one that is there.

_FORBIDDEN = re.compile(r"[\s\[\]]+")
# Characters of an id, as the schemas of the core format allow.
_LONGEST = 128


def is_core_folder(path: Path) -> bool:
    """Whether a path is a folder of the core format."""
    return path.is_dir() and (path / "set.json").is_file()


def write_folder(folder: Path, dataset: Dataset) -> None:
    """Writes set.json, questions, documents and, where open, gold. Raises DataError.

    Ids are written as the format allows them: without blanks and brackets, at most 128 characters.
    """
    from argue_bench.loaders.core.format import DocumentLine, QuestionLine

    ids, questions = _named(dataset.documents), _named(dataset.by_id)
    write_lines(
        folder / "documents.jsonl",
        ({**_kept(one, DocumentLine), "id": ids[one.id]} for one in dataset.documents.values()),
    )
    write_lines(
        folder / "questions.jsonl",
        (
            {
                **_kept(question, QuestionLine),
                "id": questions[question.id],
                "documents": [ids[id] for id in question.documents if id in ids],
            }
            for question in dataset
        ),
    )
    gold = {questions[q.id]: q.gold or Gold() for q in dataset}
    if not dataset.sealed:
        write_gold(folder, gold)
    name = re.sub(r"[^a-z0-9]+", "-", dataset.name.lower()).strip("-") or "rows"
    _describe(folder, {"name": name, "version": "1", "split": dataset.split or "dev"})


def write_gold(folder: Path, gold: Mapping[str, Gold]) -> None:
    """Writes gold.jsonl, a line a question with the fields that are not empty. Raises DataError."""
    from argue_bench.loaders.core.format import GoldLine

    empty: tuple[Any, ...] = (None, (), [], "")
    write_lines(
        folder / "gold.jsonl",
        (
            {"id": id, **{k: v for k, v in _kept(one, GoldLine).items() if v not in empty}}
            for id, one in gold.items()
        ),
    )


def replace_nuggets(folder: Path, nuggets: Mapping[str, Gold]) -> Dataset:
    """Replaces the gold of some questions of a folder, keeps that of all others, and returns
    the new set.

    The digest in set.json is made anew where it has one. Raises DataError.
    """
    dataset = load_folder(folder)
    # gold.jsonl has a line for every question, also for those whose gold is still empty.
    whole = {q.id: nuggets.get(q.id, q.gold or Gold()) for q in dataset}
    write_gold(folder, whole)
    about = read_json(folder / "set.json")
    if isinstance(about, dict) and about.get("digest"):
        _describe(folder, about)
    return replace(dataset, questions=tuple(replace(q, gold=whole[q.id]) for q in dataset))


def _describe(folder: Path, about: Mapping[str, Any]) -> None:
    content = {name: (folder / name).read_bytes() for name in FILES if (folder / name).is_file()}
    whole = {**about, "language": about.get("language", "en"), "digest": data_digest(content)}
    write_json(folder / "set.json", whole)


def _kept(record: Any, line: type[Record]) -> dict[str, Any]:
    """The fields of a record that the format's line has too: a set of another kind may hold more of each."""
    return {key: value for key, value in asdict(record).items() if key in line.model_fields}


def _named(given: Iterable[str]) -> dict[str, str]:
    """Ids as the format allows them, each its own."""
    found: dict[str, str] = {}
    taken: set[str] = set()
    for id in given:
        name = _FORBIDDEN.sub("-", id.strip())[:_LONGEST].strip("-") or "id"
        # Two ids that differ only in forbidden characters must not become one.
        number = 2
        while name in taken:
            ending = f"-{number}"
            name, number = name[: _LONGEST - len(ending)] + ending, number + 1
        taken.add(name)
        found[id] = name
    return found


FILES = ("documents.jsonl", "gold.jsonl", "questions.jsonl")
# How many times its packed size a file of more bytes than SMALL may have; text has ten times, a bomb a thousand.
MOST_TIMES, SMALL = 200, 1 << 22
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

    file, lacks = folder / "set.json", Code.KEY_MISSING
    about = validate(
        SetDescription, read_json(file), Code.WRONG_SHAPE, file, codes={"missing": lacks}
    )
    files = {name: one for name in FILES if (one := read_set_file(folder, name)) is not None}
    findings = [
        Finding(Code.NO_SUCH_FILE, "the data set lacks this file", str(folder / name))
        for name in ("documents.jsonl", "questions.jsonl")
        if name not in files
    ]
    digest = data_digest(files)
    # Where a file is missing, the digest differs for that reason alone, and is not told too.
    if about.digest and not findings and digest != about.digest:
        message = f"the files do not match the digest in set.json: {digest}, not {about.digest}"
        hint = "A file was edited or cut; get the set again, or give it a new digest."
        findings.append(Finding(Code.OTHER_DIGEST, message, str(file), hint=hint))
    records: dict[str, dict[str, Any]] = {}
    astray: list[Finding] = []
    for name in ("documents.jsonl", "questions.jsonl", "gold.jsonl"):
        records[name] = {}
        # Documents come first, then questions, then gold: each may name only what was read before.
        # Gold has the language of its question.
        spoken = "" if name == "gold.jsonl" else about.language
        for line, id, record in _records(folder / name, files.get(name, b""), findings, spoken):
            astray += _unknown_ids(folder / name, records, line, id, record)
            records[name][id] = record
    documents, gold, questions = (records[name] for name in FILES)
    if "gold.jsonl" in files:
        place = str(folder / "gold.jsonl")
        lacking = (id for id in questions if id not in gold)
        astray += [Finding(Code.MISSING_IDS, f"no gold for {id}", place) for id in lacking]
    findings += astray
    if findings:
        raise DataError(findings)
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


def parse_gold(content: bytes, path: Path) -> Mapping[str, Gold]:
    """Gold by question id from the bytes of a gold.jsonl: sealed gold is opened in memory, never on a disk."""
    findings: list[Finding] = []
    gold = {id: record for _, id, record in _records(path, content, findings)}
    if findings:
        raise DataError(findings)
    return gold


def data_digest(files: Mapping[str, bytes]) -> str:
    """``sha256:`` and the hash over names, lengths and bytes of the files, by name."""
    total = hashlib.sha256()
    for name, content in sorted(files.items()):
        total.update(name.encode() + b"\0" + str(len(content)).encode() + b"\0" + content)
    return f"sha256:{total.hexdigest()}"


def read_set_file(folder: Path, name: str) -> bytes | None:
    """A file of the set, unpacked; None where the set has none. Raises DataError."""
    plain, packed = folder / name, folder / f"{name}.gz"
    try:
        if not packed.is_file():
            return plain.read_bytes() if plain.is_file() else None
        most = max(SMALL, MOST_TIMES * packed.stat().st_size)
        # No more is unpacked than a good file could hold: a packed file of 1 MB may hold 1 GB of
        # zeros.
        with gzip.open(packed) as file:
            content = file.read(most + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise DataError.of(Code.UNREADABLE, f"can't be read: {error}", plain) from None
    if len(content) > most:
        message = f"unpacked it has more than {most:,} bytes; no more are unpacked"
        hint = f"Text is packed to a tenth: look whether it is your file, and unpack it with gunzip {packed}"
        raise DataError.of(Code.TOO_LARGE, message, packed, hint=hint)
    return content


def _records(
    path: Path, content: bytes, findings: list[Finding], language: str = ""
) -> Iterator[tuple[int, str, Any]]:
    """Line, id and record of each good line; what is wrong with the others is added to the findings.

    ``language``: that of the set, which lines without one have.
    """
    from argue_bench.loaders.core.format import read_line

    found, seen = Findings(path), set()
    for number, raw in enumerate(BytesIO(content), 1):
        if not raw.strip():
            continue
        try:
            value = parse_json(raw, found.file, number, GOLD_LIMITS)
            if language and isinstance(value, dict) and value.get("language") is None:
                value["language"] = language
            id, record = read_line(value, path, number)
        except DataError as error:
            found.extend(error.findings)
            continue
        if id in seen:
            found.add(Code.DUPLICATE_ID, f"the id {id!r} occurs twice", number)
        seen.add(id)
        yield number, id, record
    findings += found.all()


def _unknown_ids(
    path: Path, known: Mapping[str, Mapping[str, Any]], line: int, id: str, record: Any
) -> Iterator[Finding]:
    """Findings about ids in a record that name no document or question of the files read before."""
    ids: Iterable[str] = ()
    if isinstance(record, Question):
        ids = record.documents
    elif isinstance(record, Gold):
        if id not in known["questions.jsonl"]:
            message = f"gold for {id}, a question that the set does not have"
            yield Finding(Code.UNKNOWN_ID, message, str(path), line)
        references = (r for n in record.nuggets for a in n.answers for r in a.references)
        ids = (*references, *record.supporting)
    for one in sorted({one for one in ids if one not in known["documents.jsonl"]}):
        message = f"{id} names the document {one!r}, which is not in the set"
        yield Finding(Code.UNKNOWN_ID, message, str(path), line)
