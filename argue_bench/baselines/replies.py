"""What of a model's reply is the answer? Without thoughts, citing by id, within the limit.

Numbers count the documents of the prompt, which are others than those of the question; so each mark is
written anew with the ids that it names, where it stood. A number that names nothing becomes an id that
names nothing (``[document_7]``): it must count as a wrong citation, never as the seventh document.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from argue_bench.baselines.forms import Form, Shown
from argue_bench.models.reply import strip_thoughts
from argue_bench.records import Question
from argue_bench.text import CitationIndex, find_marks, spans, without_marks

_PAGE = re.compile(r"\A\s*(?:```html\s*)?<(?:!doctype\s+html|html|head|body)\b", re.IGNORECASE)
_LABEL = re.compile(
    r"\A(?:\*\*)?(?:answer|report|final answer|réponse|rapport)\s?:(?:\*\*)?\s*", re.I
)


@dataclass(frozen=True)
class Reply:
    """An answer made of a reply. ``problem`` says why there is none; ``cut``: the limit took words."""

    text: str
    problem: str = ""
    cut: bool = False


def read(reply: str, question: Question, documents: Sequence[Shown], form: Form) -> Reply:
    """The answer in a reply. Empty replies and web pages are problems."""
    text = _LABEL.sub("", strip_thoughts(reply)).strip()
    if not text:
        return Reply("", "the reply is empty")
    if _PAGE.match(text):
        return Reply("", "the reply is a web page")
    if form.cites == "numbers":
        text = by_id(text, documents)
    limit = question.request.limit if question.request else None
    if limit is None:
        return Reply(text)
    short = shortened(text, limit, question.language)
    return Reply(short, cut=short != text)


def by_id(text: str, documents: Sequence[Shown]) -> str:
    """The text with every mark naming documents by id."""
    ids = [document.id for document in documents]
    index = CitationIndex.of(ids, [document.title for document in documents])
    pieces: list[str] = []
    at = 0
    for mark in find_marks(text, index):
        if mark.kind != "point":
            continue
        names = [name if name in index.ids else _nothing(name) for name in mark.names]
        pieces += [text[at : mark.start], "".join(f"[{name}]" for name in names)]
        at = mark.end
    return "".join([*pieces, text[at:]])


def shortened(text: str, limit: int, language: str = "en") -> str:
    """Whole sentences, as many as have ``limit`` characters without their marks.

    Characters are counted as tracks do, after NFKC. Where not even the first sentence fits, it is cut
    at a blank.
    """
    marks = find_marks(text, CitationIndex())
    if _size(text) <= limit:
        return text
    kept = ""
    for _, end in spans(text, marks, language):
        after = next((m.end for m in reversed(marks) if m.start <= end + 1 <= m.end), end)
        if _size(text[:after]) > limit:
            break
        kept = text[:after]
    if not kept:
        plain = unicodedata.normalize("NFKC", without_marks(text))
        kept = plain[: limit + 1].rpartition(" ")[0] or plain[:limit]
    return kept.rstrip()


def _size(text: str) -> int:
    return len(unicodedata.normalize("NFKC", without_marks(text)))


def _nothing(name: str) -> str:
    return "document_" + (re.sub(r"\W+", "_", name).strip("_")[:40] or "0")
