"""Entries of ALCE's files (Gao et al. 2023) as questions, documents and outputs.

    asqa      sample_id, question, qa_pairs [{question, short_answers}], annotations [{long_answer}] x2,
              answer, docs      eli5  question, answer, claims, docs      qampari  id, question, answers
              [[aliases]], answer, docs; each doc: title, text, and of some summary, extraction, sent

An entry without an id gets one from its question (``q-`` and 12 digits of its SHA-256); a second one
with the same id gets ``#2``. Documents are numbered within their entry: ``ID/1`` is its first.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

from argue_bench.errors import Code
from argue_bench.loaders.findings import Findings
from argue_bench.loaders.foreign import ForeignObject, objects, texts
from argue_bench.records import Document, Gold, Question, ShortAnswer

Kind = Literal["asqa", "eli5", "qampari"]


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
    """Every entry, the good and the bad; what is wrong with them is in ``found``."""
    counts: Counter[str] = Counter()
    entries = []
    for row in objects(rows, "data", found):
        id = _id(row.value)
        counts[id] += 1
        entries.append(_entry(row, kind, id if counts[id] == 1 else f"{id}#{counts[id]}"))
    lacking = [
        place
        for place, row in enumerate(rows)
        if not isinstance(row, Mapping) or row.get("qa_pairs") is None
    ]
    if kind == "asqa" and lacking and lacking[0] > 0:
        found.add(
            Code.QA_PAIRS_MISSING,
            f"the entries before this one have qa_pairs, this one and {len(lacking) - 1} more do not",
            path=f"data[{lacking[0]}].qa_pairs",
        )
    return entries


def _id(row: Mapping[str, Any]) -> str:
    for key in ("sample_id", "id"):
        if isinstance(row.get(key), str | int) and row[key] != "":
            return str(row[key])
    question = str(row.get("question"))
    return f"q-{hashlib.sha256(question.encode('utf-8', 'surrogatepass')).hexdigest()[:12]}"


def _entry(row: ForeignObject, kind: Kind, id: str) -> AlceEntry:
    if not isinstance(row.value.get("docs"), list):
        row.wrong("docs", "a list of documents (empty for a closed book)")
        documents: tuple[Document, ...] = ()
    else:
        documents = tuple(
            _document(doc, f"{id}/{place}") for place, doc in enumerate(row.objects("docs"), 1)
        )
    gold = Gold(
        answer=row.optional_text("answer"),
        short_answers=tuple(_short_answers(row, kind)),
        long_answers=tuple(_long_answers(row, kind)),
        claims=row.texts("claims"),
    )
    if kind == "eli5" and row.value.get("claims") == []:
        row.wrong("claims", "one claim or more", "Leave the key out where an entry has none.")
    ids = tuple(document.id for document in documents)
    return AlceEntry(
        Question(id, row.text("question"), documents=ids, gold=gold), documents, _output(row)
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


def _output(row: ForeignObject) -> str | None:
    output = row.value.get("output")
    if isinstance(output, list):
        message = f"the output is a list of {len(output)}, expected one text"
        row.found.add(Code.SEVERAL_OUTPUTS, message, path=f"{row.at}.output")
        return None
    return row.optional_text("output")
