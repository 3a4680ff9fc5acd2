"""What does one entry of an ALCE file hold? Entries become questions, documents and outputs.

    asqa      sample_id, question, qa_pairs [{question, short_answers}], annotations [{long_answer}] x2,
              answer, docs      eli5  question, answer, claims, docs      qampari  id, question, answers
              [[aliases]], answer, docs; each doc: title, text, and of some summary, extraction, sent

An entry without an id gets one from its question (``q-`` and 12 digits of its SHA-256); a second one
with the same id gets ``#2``. Documents are numbered within their entry: ``ID/1`` is its first.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

from argue_bench.errors import Code
from argue_bench.loaders.findings import Findings
from argue_bench.records import Document, Gold, Question, ShortAnswer

Kind = Literal["asqa", "eli5", "qampari"]
GET = "Get the file from its publisher."


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


def read_alce_entries(rows: Sequence[Any], kind: Kind, found: Findings) -> list[AlceEntry]:
    """Every entry, the good and the bad; what is wrong with them is in ``found``."""
    reader = _Reader(kind, found)
    counts: Counter[str] = Counter()
    entries = []
    for place, row in enumerate(rows):
        at = f"data[{place}]"
        if isinstance(row, Mapping):
            id = _id(row)
            counts[id] += 1
            entries.append(reader.entry(row, at, id if counts[id] == 1 else f"{id}#{counts[id]}"))
        else:
            reader.wrong(at, "an object", row)
    lacking = [place for place, row in enumerate(rows) if _pairs(row) is None]
    if kind == "asqa" and lacking and lacking[0] > 0:
        found.add(
            Code.QA_PAIRS_MISSING,
            f"the entries before this one have qa_pairs, this one and {len(lacking) - 1} more do not",
            None,
            f"data[{lacking[0]}].qa_pairs",
            "Give all entries qa_pairs, an empty list where there are none.",
        )
    return entries


def _pairs(row: Any) -> Any:
    return row.get("qa_pairs") if isinstance(row, Mapping) else None


def _id(row: Mapping[str, Any]) -> str:
    for key in ("sample_id", "id"):
        if isinstance(row.get(key), str | int) and row[key] != "":
            return str(row[key])
    question = str(row.get("question"))
    return f"q-{hashlib.sha256(question.encode('utf-8', 'surrogatepass')).hexdigest()[:12]}"


class _Reader:
    """Turns entries into records; what has the wrong shape becomes a finding."""

    def __init__(self, kind: Kind, found: Findings) -> None:
        self.kind, self.found = kind, found

    def entry(self, row: Mapping[str, Any], at: str, id: str) -> AlceEntry:
        documents = tuple(self._documents(row, at, id))
        gold = Gold(
            answer=self._text_or_none(row, "answer", at),
            short_answers=tuple(self._short_answers(row, at)),
            long_answers=tuple(self._long_answers(row, at)),
            claims=self._claims(row, at),
        )
        question = Question(
            id, self._text(row, "question", at), documents=tuple(d.id for d in documents), gold=gold
        )
        return AlceEntry(question, documents, self._output(row, at))

    def _documents(self, row: Mapping[str, Any], at: str, id: str) -> Iterator[Document]:
        if not isinstance(row.get("docs"), list):
            self.wrong(
                f"{at}.docs", "a list of documents (empty for a closed book)", row.get("docs")
            )
            return
        for place, doc in enumerate(row["docs"], 1):
            here = f"{at}.docs[{place - 1}]"
            if not isinstance(doc, Mapping):
                self.wrong(here, "an object", doc)
                continue
            sent = self._text_or_none(doc, "sent", here)
            document = Document(
                f"{id}/{place}",
                self._text(doc, "text", here) if sent is None or "text" in doc else sent,
                self._text_or_none(doc, "title", here) or "",
                url=self._text_or_none(doc, "url", here) or "",
                summary=self._text_or_none(doc, "summary", here),
                extraction=self._text_or_none(doc, "extraction", here),
            )
            yield document if sent is None else Excerpt(**asdict(document), sent=sent)

    def _short_answers(self, row: Mapping[str, Any], at: str) -> Iterator[ShortAnswer]:
        if self.kind == "qampari":
            for place, aliases in enumerate(self._list(row, "answers", at)):
                yield ShortAnswer("", self._aliases(aliases, f"{at}.answers[{place}]"))
            return
        for place, pair in enumerate(self._list(row, "qa_pairs", at)):
            here = f"{at}.qa_pairs[{place}]"
            if isinstance(pair, Mapping):
                aliases = self._aliases(pair.get("short_answers"), f"{here}.short_answers")
                yield ShortAnswer(self._text_or_none(pair, "question", here) or "", aliases)
            else:
                self.wrong(here, "an object", pair)

    def _long_answers(self, row: Mapping[str, Any], at: str) -> Iterator[str]:
        annotations = row.get("annotations")
        if annotations is None or self.kind == "qampari":
            if answer := self._text_or_none(row, "answer", at):
                yield answer
            return
        if not isinstance(annotations, list) or len(annotations) < 2:
            self.wrong(
                f"{at}.annotations",
                "two annotations or more",
                annotations,
                "Leave the key out where there is one long answer: then 'answer' is it.",
            )
            return
        for place, one in enumerate(annotations):
            here = f"{at}.annotations[{place}]"
            if isinstance(one, Mapping):
                yield self._text(one, "long_answer", here)
            else:
                self.wrong(here, "an object", one)

    def _claims(self, row: Mapping[str, Any], at: str) -> tuple[str, ...]:
        claims = self._list(row, "claims", at)
        if self.kind == "eli5" and row.get("claims") == []:
            self.wrong(
                f"{at}.claims",
                "one claim or more",
                claims,
                "Leave the key out where an entry has none.",
            )
        return self._aliases(claims, f"{at}.claims")

    def _output(self, row: Mapping[str, Any], at: str) -> str | None:
        output = row.get("output")
        if isinstance(output, list):
            self.found.add(
                Code.SEVERAL_OUTPUTS,
                f"the output is a list of {len(output)}, expected one text",
                None,
                f"{at}.output",
                "Write a result file for each sample.",
            )
            return None
        return self._text_or_none(row, "output", at)

    def _aliases(self, value: Any, at: str) -> tuple[str, ...]:
        if isinstance(value, list) and all(isinstance(one, str) for one in value):
            return tuple(value)
        self.wrong(at, "a list of texts", value)
        return ()

    def _list(self, row: Mapping[str, Any], key: str, at: str) -> list[Any]:
        value = row.get(key)
        if value is None or isinstance(value, list):
            return value or []
        self.wrong(f"{at}.{key}", "a list", value)
        return []

    def _text(self, row: Mapping[str, Any], key: str, at: str) -> str:
        value = row.get(key)
        if isinstance(value, str):
            return value
        self.wrong(f"{at}.{key}", "a text", value)
        return ""

    def _text_or_none(self, row: Mapping[str, Any], key: str, at: str) -> str | None:
        value = row.get(key)
        if value is None or isinstance(value, str):
            return value
        self.wrong(f"{at}.{key}", "a text", value)
        return None

    def wrong(self, at: str, expected: str, value: Any, hint: str = GET) -> None:
        shown = "nothing" if value is None else f"{type(value).__name__} {str(value)[:40]!r}"
        self.found.add(Code.WRONG_SHAPE, f"expected {expected}, found {shown}", None, at, hint)
