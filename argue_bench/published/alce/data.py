"""ALCE: ASQA, ELI5 and QAMPARI with retrieved documents, and results on them (Gao et al. 2023).

Source: https://github.com/princeton-nlp/ALCE and https://huggingface.co/datasets/princeton-nlp/ALCE-data.

    asqa      sample_id, question, qa_pairs [{question, short_answers}], annotations [{long_answer}] x2,
              answer, docs      eli5  question, answer, claims, docs      qampari  id, question, answers
              [[aliases]], answer, docs; each doc: title, text, and of some summary, extraction, sent

An entry without an id gets one from its question (``q-`` and 12 digits of its SHA-256); a second one
with the same id gets ``#2``. Documents are numbered within their entry: ``ID/1`` is its first.

A data file is a list of such entries. A result file, of ALCE's run.py or of rageval's
generate.py, is the same with ``output`` in each entry and its documents cut to those of the prompt:
``{"args", "data"}``, the list alone, or its entries line by line. It is a data set and its answers in one.

The published file ``ALCE-data.tar`` is fetched once, over HTTPS, and is known by its checksum; or it is put,
as it is or unpacked, where the error says, or named as path. rageval's runs come through `datasets`.
"""

from __future__ import annotations

import hashlib
import json
import re
import tarfile
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any, Literal

from argue_bench.errors import Code, DataError, MissingExtra
from argue_bench.loaders.answers import as_answers
from argue_bench.loaders.dataset import Dataset
from argue_bench.loaders.findings import Findings
from argue_bench.published.foreign import ForeignObject, find_file, objects, texts
from argue_bench.records import Answer, Document, Gold, Question, ShortAnswer
from argue_bench.records.atomic import write_text
from argue_bench.records.untrusted import (
    GOLD_LIMITS,
    open_bounded,
    parse_json,
    read_json,
    read_lines,
)
from argue_bench.store.fetch import cache_folder, fetch_file, hub_rows

Kind = Literal["asqa", "eli5", "qampari"]
ARCHIVE = "ALCE-data.tar"
_REVISION = "334fa2e7dd32040c3fef931a123c4be1a81e91a0"
PLACE = f"https://huggingface.co/datasets/princeton-nlp/ALCE-data/resolve/{_REVISION}/{ARCHIVE}"
# The checksum that the hub publishes for this file (451,297,280 bytes) at this revision.
_SHA256 = "eda837bf659a91b3648dc6e7ab6b17197664d93593857e8fdf3800b6aa6a98f0"
FILES: dict[Kind, dict[str, str]] = {
    "asqa": {
        "gtr": "asqa_eval_gtr_top100.json",
        "dpr": "asqa_eval_dpr_top100.json",
        "oracle": "asqa_eval_gtr_top100_reranked_oracle.json",
    },
    "eli5": {
        "bm25": "eli5_eval_bm25_top100.json",
        "oracle": "eli5_eval_bm25_top100_reranked_oracle.json",
    },
    "qampari": {
        "gtr": "qampari_eval_gtr_top100.json",
        "oracle": "qampari_eval_gtr_top100_reranked_oracle.json",
    },
}
_COMMON = ("citations(rules=alce)", "length(rules=alce)")
METRICS: dict[Kind, tuple[str, ...]] = {
    "asqa": ("str_em(rules=alce)", "rouge_lsum(rules=alce)", *_COMMON),
    "eli5": ("claims(rules=alce)", "rouge_lsum(rules=alce)", *_COMMON),
    "qampari": ("qampari(rules=alce)", "citations(rules=alce,unit=item)", "length(rules=alce)"),
}
_RESULT = re.compile(r'\s*(?:\[|\{\s*"(?:args|data)"\s*:)')
# The first line of entries that stand line by line.
_LINES = re.compile(r'\s*\{[^\n]*"(?:docs|qa_pairs|annotations)"\s*:')
_PUBLISHED_RUN = re.compile(
    r"(?:(?P<kind>asqa|eli5)_(?P<set>gtr|dpr|oracle|bm25)_)?"
    r"(?P<run>[A-Za-z0-9_.-]+_(?:vanilla|summary|snippet)_shot\d+_ndoc\d+)(?:\.json)?"
)
_RAGEVAL = "golaxy/rag-bench"
_RUNS = f"https://huggingface.co/datasets/{_RAGEVAL}/resolve/main"
# Where results keep the output; ALCE's and rageval's own name comes first.
_OUTPUTS = ("output", "response", "prediction", "generated_answer")


@dataclass(frozen=True, slots=True)
class Excerpt(Document):
    """A document of which ALCE's evaluator reads one sentence alone (what post-hoc citing adds)."""

    sent: str = ""


@dataclass(frozen=True, slots=True)
class AlceEntry:
    """One entry: its question, what may be cited, and the output where it is a result."""

    question: Question
    documents: tuple[Document, ...]
    output: str | None = None


def read_alce_entries(rows: list[Any], kind: Kind, found: Findings) -> list[AlceEntry]:
    """All entries, valid or not; their findings are added to ``found``."""
    counts: Counter[str] = Counter()
    entries = []
    for row in objects(rows, "data", found):
        id = _id(row.value)
        counts[id] += 1
        entries.append(_entry(row, kind, id if counts[id] == 1 else f"{id}#{counts[id]}"))
    pairs = [row.get("qa_pairs") if isinstance(row, Mapping) else None for row in rows]
    lacking = [place for place, one in enumerate(pairs) if one is None]
    if kind == "asqa" and lacking and lacking[0] > 0:
        others = len(lacking) - 1
        found.add(
            Code.WRONG_SHAPE,
            f"the entries before this one have qa_pairs, this one and {others} more do not",
            path=f"data[{lacking[0]}].qa_pairs",
            hint="Give all entries qa_pairs, an empty list where there are none.",
        )
    return entries


def _id(row: Mapping[str, Any]) -> str:
    for key in ("sample_id", "id"):
        if isinstance(row.get(key), str | int) and row[key] != "":
            return str(row[key])
    question = str(row.get("question"))
    return f"q-{hashlib.sha256(question.encode('utf-8', 'surrogatepass')).hexdigest()[:12]}"


def _entry(row: ForeignObject, kind: Kind, id: str) -> AlceEntry:
    documents: tuple[Document, ...] = ()
    if isinstance(row.value.get("docs"), list):
        docs = enumerate(row.objects("docs"), 1)
        documents = tuple(_document(doc, f"{id}/{place}") for place, doc in docs)
    else:
        row.wrong("docs", "a list of documents (empty for a closed book)")
    gold = Gold(
        answer=row.optional_text("answer"),
        short_answers=tuple(_short_answers(row, kind)),
        long_answers=tuple(_long_answers(row, kind)),
        claims=row.texts("claims"),
    )
    if kind == "eli5" and row.value.get("claims") == []:
        row.wrong("claims", "one claim or more", "Leave the key out where an entry has none.")
    key = next((key for key in _OUTPUTS if row.value.get(key) is not None), _OUTPUTS[0])
    output = row.value.get(key)
    if isinstance(output, list):
        row.found.add(
            Code.WRONG_SHAPE,
            f"the output is a list of {len(output)}, expected one text",
            path=f"{row.at}.{key}",
            hint="Write a result file for each sample.",
        )
    question = Question(
        id, row.text("question"), documents=tuple(one.id for one in documents), gold=gold
    )
    return AlceEntry(
        question, documents, None if isinstance(output, list) else row.optional_text(key)
    )


def _document(doc: ForeignObject, id: str) -> Document:
    sent = doc.optional_text("sent")
    document = Document(
        id,
        doc.text("text") if sent is None or "text" in doc.value else sent,
        doc.optional_text("title") or "",
        url=doc.optional_text("url") or "",
        summary=doc.optional_text("summary"),
        extraction=doc.optional_text("extraction"),
    )
    return document if sent is None else Excerpt(**asdict(document), sent=sent)


def _short_answers(row: ForeignObject, kind: Kind) -> Iterator[ShortAnswer]:
    if kind == "qampari":
        for place, aliases in enumerate(row.items("answers")):
            yield ShortAnswer("", texts(aliases, f"{row.at}.answers[{place}]", row.found))
        return
    for pair in row.objects("qa_pairs"):
        aliases = texts(pair.value.get("short_answers"), f"{pair.at}.short_answers", row.found)
        yield ShortAnswer(pair.optional_text("question") or "", aliases)


def _long_answers(row: ForeignObject, kind: Kind) -> Iterator[str]:
    annotations = row.value.get("annotations")
    if annotations is None or kind == "qampari":
        if answer := row.optional_text("answer"):
            yield answer
    elif not isinstance(annotations, list) or len(annotations) < 2:
        hint = "Leave the key out where there is one long answer: then 'answer' is it."
        row.wrong("annotations", "two annotations or more", hint)
    else:
        for annotation in row.objects("annotations"):
            yield annotation.text("long_answer")


def load_alce(kind: Kind, split: str, path: Path | None = None) -> Dataset:
    """A variant of one set: from a data or result file, from ALCE-data.tar, or from a folder with
    either. ``path`` may be the name of one of rageval's published runs.

    Raises DataError with every finding at once, also where there is nothing to read: it then says
    what to fetch and where to put it.
    """
    args, entries = _entries(kind, _located(kind, split, path), FILES[kind][split])
    # A result file names the variant that it was made from.
    made_from = Path(str(args.get("eval_file", ""))).name
    return Dataset(
        f"alce-{kind}",
        next((name for name, file in FILES[kind].items() if file == made_from), split),
        tuple(entry.question for entry in entries),
        {document.id: document for entry in entries for document in entry.documents},
        METRICS[kind],
        licence="MIT",
    )


load_asqa = partial(load_alce, "asqa")
load_eli5 = partial(load_alce, "eli5")
load_qampari = partial(load_alce, "qampari")


def is_result(path: Path) -> bool:
    """Whether a file of answers looks like a result file, or is the name of a published run."""
    if not path.exists():
        return _PUBLISHED_RUN.fullmatch(path.name) is not None
    try:
        with open_bounded(path, GOLD_LIMITS, str(path)) as file:
            head = file.read(4096)
    except DataError:
        return False
    text = head.decode("utf-8", "replace").removeprefix("\ufeff")
    return _RESULT.match(text) is not None or _LINES.match(text) is not None


def read_alce_result(path: Path, dataset: Dataset) -> Mapping[str, Answer]:
    """The outputs of a result file on one of ALCE's sets, by question id.

    Raises DataError where it is none, an output is missing or a list, or where its documents are not
    the data set's: then ``[1]`` would mean another one.
    """
    kind = next((kind for kind in FILES if dataset.name == f"alce-{kind}"), None)
    if kind is None:
        message = f"a result file is one of ALCE's sets, not of {dataset.name}"
        hint = "Name the set: --dataset alce-asqa, alce-eli5 or alce-qampari."
        raise DataError.of(Code.WRONG_SHAPE, message, hint=hint)
    file = _located(kind, dataset.split, path)
    found = Findings(file)
    entries = _entries(kind, file, "")[1]
    for place, entry in enumerate(entries):
        if entry.output is None:
            found.add(
                Code.WRONG_SHAPE,
                "the entry has no output",
                path=f"data[{place}].output",
                hint=f"Name it one of: {', '.join(_OUTPUTS)}.",
            )
        elif (question := dataset.by_id.get(entry.question.id)) is not None:
            # [n] means the same in the data set as in the entry; unknown ids are found later.
            ids = question.documents[: len(entry.documents)]
            if [one.text for one in entry.documents] != [dataset.documents[id].text for id in ids]:
                found.add(
                    Code.OTHER_DATA,
                    "the documents differ from the data set's",
                    path=f"data[{place}].docs",
                    hint="Score a result on its own documents: leave --data out.",
                )
    found.raise_errors()
    return as_answers([{"id": e.question.id, "answer": e.output} for e in entries], dataset)


def _located(kind: Kind, split: str, path: Path | None) -> Path:
    """The file to read. Raises DataError that says what to fetch and where to put it."""
    name = FILES[kind].get(split, "")
    place = cache_folder() / "alce"
    if path is not None and not path.exists() and (run := _PUBLISHED_RUN.fullmatch(path.name)):
        # One of rageval's published runs, by its ``--remote_split``.
        config = f"{run['kind'] or kind}_{run['set'] or split}"
        file = place / "rageval" / f"{config}_{run['run']}.json"
        if file.is_file():
            return file
        return _fetch_run(f"alce_{config}", run["run"], file)
    names = (name, f"ALCE-data/{name}", ARCHIVE)
    if path is not None:
        return find_file(path, names, "Name the file itself.")
    if found := next((place / file for file in names[:-1] if (place / file).is_file()), None):
        return found
    try:
        # A copy that was put there by hand is compared too, and replaced where it differs.
        return fetch_file(PLACE, _SHA256, f"alce/{ARCHIVE}")
    except DataError as error:
        why = error.findings[0]
    hint = (
        f"Fetch {PLACE} by other means and put it at {place / ARCHIVE} (sha256 {_SHA256}), or name any "
        "file: --data PATH, path=PATH. A result file needs no other: argue-bench evaluate RESULT.json "
        "--dataset alce-asqa."
    )
    raise DataError.of(why.code, f"{name} is not in {place}; {why.message}", PLACE, hint=hint)


def _fetch_run(config: str, run: str, file: Path) -> Path:
    """One of rageval's published runs, kept at ``file`` when it was fetched.

    Raises DataError that says what to fetch and where to put it.
    """
    hint = f"Fetch {_RUNS}/{config}/{file.name} and put it at {file}"
    try:
        rows = list(hub_rows(_RAGEVAL, config, split=run, hint=hint))
    except (MissingExtra, DataError) as error:
        message = f"rageval published this run as split {run} of {config} in {_RAGEVAL}"
        way = f"{hint}, or let `datasets` fetch it (pip install 'argue-bench[hf]', with a network)."
        why = error.findings[0].message if isinstance(error, DataError) else str(error)
        raise DataError.of(Code.NO_SUCH_FILE, f"{message}; {why}", file.name, hint=way) from None
    write_text(file, json.dumps(rows, ensure_ascii=False))
    return file


def raw_entries(kind: Kind, split: str, path: Path | None = None) -> list[Any]:
    """The unchanged entries of a file, in the order of `load_alce`'s questions."""
    rows = _rows(_located(kind, split, path), FILES[kind][split])[1]
    return rows if isinstance(rows, list) else []


def _entries(kind: Kind, file: Path, member: str) -> tuple[Mapping[str, Any], list[AlceEntry]]:
    """The arguments of a result file and every entry. Raises DataError."""
    args, value = _rows(file, member)
    found = Findings(file)
    if not isinstance(value, list):
        message = 'expected a list of entries, or {"args", "data"}'
        found.add(Code.WRONG_SHAPE, message, hint="Name a data file of ALCE or a result file.")
    elif not value:
        found.add(
            Code.EMPTY, "the file holds no entry", hint="Name a file that run.py has finished."
        )
    entries = read_alce_entries(value, kind, found) if isinstance(value, list) else []
    found.raise_errors()
    return args if isinstance(args, Mapping) else {}, entries


def _rows(file: Path, member: str) -> tuple[Any, Any]:
    """The arguments and the entries of a file, of whatever type. Raises DataError."""
    value = _read_member(file, member) if file.suffix == ".tar" else _read(file)
    if isinstance(value, Mapping) and isinstance(value.get("data"), list):
        return value.get("args"), value["data"]
    return {}, value


def _read(file: Path) -> Any:
    """The JSON value of a file, or the list of the values of its lines. Raises DataError."""
    with open_bounded(file, GOLD_LIMITS, str(file)) as opened:
        first = opened.readline(GOLD_LIMITS.line_bytes).lstrip(b"\xef\xbb\xbf \t")
    whole = first.startswith(b"{") and first.rstrip().endswith(b"}")
    if not whole or _RESULT.match(first.decode("utf-8", "replace")):
        return read_json(file)
    lines = list(read_lines(file, GOLD_LIMITS))
    if wrong := [finding for line in lines if not line.ok for finding in line.findings]:
        raise DataError(wrong)
    return [line.value for line in lines if line.read]


def _read_member(file: Path, member: str) -> Any:
    """The JSON value in one file of ALCE-data.tar, read without unpacking the rest."""
    label = f"{file}:{member}"
    try:
        with tarfile.open(file, "r:") as archive:
            for one in archive:
                wanted = one.isfile() and Path(one.name).name == member
                if wanted and one.size <= GOLD_LIMITS.file_bytes:
                    stream = archive.extractfile(one)
                    return parse_json(stream.read() if stream else b"", label, None, GOLD_LIMITS)
    except (OSError, tarfile.TarError) as error:
        raise DataError.of(
            Code.UNREADABLE, f"the archive can't be read: {error}", label, hint=f"See {PLACE}"
        ) from None
    message = "the archive does not hold this file"
    raise DataError.of(Code.NO_SUCH_FILE, message, label, hint="Fetch the archive again.")
