"""What does a TREC report say, whatever track it was written for? Its topic, its run, its sentences.

The tracks name the topic ``topic_id``, ``narrative_id``, ``request_id`` or ``turn_id``, in the metadata
or beside it, and the sentences ``responses`` or ``answer``; they cite by id, by a zero-based index into
``references``, or by a mapping from id to score, which is not used. Reading is lenient where checking
(check.py) is strict: what can be understood is scored.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from argue_bench.errors import Code, DataError, Finding
from argue_bench.loaders.coverage import Findings
from argue_bench.loaders.trec.tracks import TOPIC_KEYS
from argue_bench.records import Answer, Sentence
from argue_bench.records.untrusted import DEFAULT_LIMITS, Limits, is_text, read_lines


@dataclass(frozen=True, slots=True)
class ReadReport:
    """One line of a run file as an answer, or None and what is wrong with it."""

    file: Path
    line: int
    answer: Answer | None
    findings: tuple[Finding, ...] = ()


def report_files(path: Path) -> list[Path]:
    """The file, or the ``*.jsonl`` and extensionless files of a folder, by name."""
    if not path.is_dir():
        return [path]
    files = sorted(
        file
        for file in path.iterdir()
        if file.is_file() and file.suffix in ("", ".jsonl") and not file.name.startswith(".")
    )
    if not files:
        raise DataError.of(Code.NO_REPORTS, "the folder holds no reports", path)
    return files


def read_reports(path: Path, limits: Limits = DEFAULT_LIMITS) -> Iterator[ReadReport]:
    """Every report of a run file, or of a folder of them, one at a time; blank lines left out.

    A report that names no run has its file's name for one. Raises DataError where a file can't be
    opened.
    """
    for file in report_files(path):
        for line in read_lines(file, limits):
            if line.blank:
                continue
            found = Findings(str(file))
            found.extend(line.findings)
            answer = read_report(line.value, line.number, found) if line.ok else None
            if answer is not None and not answer.run:
                answer = Answer(answer.id, answer.text, answer.sentences, file.stem)
            yield ReadReport(file, line.number, answer, tuple(found.all()))


def read_report(value: Any, number: int, found: Findings) -> Answer | None:
    """The answer in a report object; None, and findings, where it has another shape."""
    if not isinstance(value, Mapping):
        found.add(
            Code.WRONG_SHAPE,
            f"expected an object, found {kind_of(value)}",
            number,
            "",
            "Write one report a line.",
        )
        return None
    id = id_of(value, number, found)
    key = "responses" if "responses" in value else "answer"
    said = value.get(key)
    if not isinstance(said, list | tuple):
        found.add(
            Code.WRONG_SHAPE,
            f"the {key} are {kind_of(said)}, expected a list",
            number,
            f"/{key}",
            'Write the report as a list of {"text", "citations"}.',
        )
        return None
    sentences = sentences_of(said, value.get("references"), key, number, found)
    if id is None or sentences is None:
        return None
    return Answer(id, " ".join(one.text for one in sentences), sentences, run_of(value))


def run_of(value: Mapping[str, Any]) -> str:
    """The run that a report names, or nothing."""
    run = _metadata(value).get("run_id", value.get("run_id", ""))
    return run if isinstance(run, str) else ""


def _metadata(value: Mapping[str, Any]) -> Mapping[str, Any]:
    metadata = value.get("metadata")
    return metadata if isinstance(metadata, Mapping) else {}


def id_of(value: Mapping[str, Any], number: int, found: Findings) -> str | None:
    """The question that is answered: ``id``, or what a TREC track calls it."""
    metadata = _metadata(value)
    places = [("/id", value["id"])] if "id" in value else []
    places += [(f"/metadata/{key}", metadata[key]) for key in TOPIC_KEYS if key in metadata]
    places += [(f"/{key}", value[key]) for key in TOPIC_KEYS if key in value]
    if not places:
        found.add(
            Code.KEY_MISSING,
            f"the key 'id' (or, in a TREC report, {', '.join(TOPIC_KEYS)}) is missing",
            number,
            "",
            "Say which question is answered.",
        )
        return None
    path, id = places[0]
    if isinstance(id, int) and not isinstance(id, bool) and path != "/id":
        id = str(id)  # TREC RAG 2025 and BioGen number their topics
    if not isinstance(id, str):
        found.add(
            Code.ID_NOT_TEXT,
            f"the id is {kind_of(id)}, expected a text",
            number,
            path,
            "Copy the id from the questions.",
        )
        return None
    return id if check_text(id, number, path, found) else None


def sentences_of(
    said: Collection[Any], references: Any, key: str, number: int, found: Findings
) -> tuple[Sentence, ...] | None:
    """The sentences of a TREC report; None, and findings, where one has another shape."""
    before = found.errors
    listed = references if isinstance(references, list | tuple) else None
    if references is not None and not isinstance(references, list | tuple | Mapping):
        found.add(
            Code.WRONG_SHAPE,
            f"the references are {kind_of(references)}, expected a list of ids",
            number,
            "/references",
            "List the ids of the cited documents.",
        )
    sentences = []
    for place, one in enumerate(said):
        path = f"/{key}/{place}"
        text = one.get("text") if isinstance(one, Mapping) else None
        if not isinstance(text, str):
            what = "the text of a sentence" if isinstance(one, Mapping) else "a sentence"
            found.add(
                Code.WRONG_SHAPE,
                f"{what} is {kind_of(text if isinstance(one, Mapping) else one)}",
                number,
                path,
                'Write every sentence as {"text": ..., "citations": [...]}.',
            )
            continue
        check_text(text, number, f"{path}/text", found)
        cited = _citations(one.get("citations"), listed, number, f"{path}/citations", found)
        sentences.append(Sentence(text, cited))
    return tuple(sentences) if found.errors == before else None


def _citations(
    cited: Any, references: Sequence[Any] | None, number: int, path: str, found: Findings
) -> tuple[str, ...]:
    if cited is None:
        return ()
    if not isinstance(cited, list | tuple | Mapping):
        found.add(
            Code.WRONG_SHAPE,
            f"the citations are {kind_of(cited)}, expected a list or a mapping",
            number,
            path,
            "List the ids of the cited documents.",
        )
        return ()
    names = []
    for place, one in enumerate(cited):
        name = one
        if isinstance(one, int) and not isinstance(one, bool):
            name = _referred(one, references, number, f"{path}/{place}", found)
        if not isinstance(name, str):
            found.add(
                Code.WRONG_SHAPE,
                f"a citation is {kind_of(name)}, expected an id or an index",
                number,
                f"{path}/{place}",
                "Cite by id, or by an index into the references, from 0.",
            )
        elif check_text(name, number, f"{path}/{place}", found):
            names.append(name)
    return tuple(names)


def _referred(
    index: int, references: Sequence[Any] | None, number: int, path: str, found: Findings
) -> Any:
    """What an integer cites: a reference by zero-based index; the id itself where none are listed."""
    if references is None:
        return str(index)
    if 0 <= index < len(references):
        named = references[index]
        return str(named) if isinstance(named, int) else named
    found.add(
        Code.INDEX_OUT_OF_RANGE,
        f"citation {index} of {len(references)} references names nothing",
        number,
        path,
        "Indices count the references from 0.",
        level="warning",
    )
    return f"references[{index}]"


def check_text(text: str, number: int, path: str, found: Findings) -> bool:
    """Whether every character of the text is one; JSON files were checked, Python's strings not."""
    if is_text(text):
        return True
    found.add(
        Code.LONE_SURROGATE,
        "a text holds half a surrogate pair, which is no character",
        number,
        path,
        "Write the character itself in UTF-8.",
    )
    return False


def kind_of(value: Any) -> str:
    names = {
        dict: "an object",
        list: "a list",
        str: "a text",
        bool: "true or false",
        float: "a number",
    }
    names |= {int: "a number", type(None): "null or missing"}
    return names.get(type(value), f"a {type(value).__name__}")
