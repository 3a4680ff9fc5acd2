"""The answer in a model's reply: without thoughts, citing by id, within the limit.

Numbers in a reply count the documents of the prompt, not those of the question, so each mark is rewritten
with the ids that it names. A number that names no document becomes an id that names none
(``[document_7]``): it must count as a wrong citation, never as the seventh document of the set.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from argue_bench.baselines.forms import PromptDocument, PromptForm
from argue_bench.models.reply import strip_thoughts
from argue_bench.records import Question
from argue_bench.text import CitationIndex, find_marks, spans, without_marks

_PAGE = re.compile(r"\A\s*(?:```html\s*)?<(?:!doctype\s+html|html|head|body)\b", re.IGNORECASE)
_LABEL = re.compile(
    r"\A(?:\*\*)?(?:answer|report|final answer|réponse|rapport)\s?:(?:\*\*)?\s*", re.I
)


@dataclass(frozen=True)
class ReplyAnswer:
    """The answer in a reply. ``problem`` says why there is none; ``cut``: the limit took words."""

    text: str
    problem: str = ""
    cut: bool = False


def answer_in(
    reply: str, question: Question, documents: Sequence[PromptDocument], form: PromptForm
) -> ReplyAnswer:
    """The answer in a reply. Empty replies and web pages are problems."""
    text = _LABEL.sub("", strip_thoughts(reply)).strip()
    if not text:
        return ReplyAnswer("", "the reply is empty")
    if _PAGE.match(text):
        return ReplyAnswer("", "the reply is a web page")
    if form.cites == "numbers":
        text = cite_by_id(text, documents)
    limit = question.request.limit if question.request else None
    short = text if limit is None else cut_to_limit(text, limit, question.language)
    return ReplyAnswer(short, cut=short != text)


def cite_by_id(text: str, documents: Sequence[PromptDocument]) -> str:
    """The text with every mark naming documents by id."""
    ids = [document.id for document in documents]
    index = CitationIndex.of(ids, [document.title for document in documents])
    pieces: list[str] = []
    at = 0
    for mark in find_marks(text, index):
        if mark.kind != "point":
            continue
        names = [name if name in index.ids else _id_of_none(name) for name in mark.names]
        pieces += [text[at : mark.start], "".join(f"[{name}]" for name in names)]
        at = mark.end
    return "".join([*pieces, text[at:]])


def cut_to_limit(text: str, limit: int, language: str = "en") -> str:
    """The first sentences, as many as have at most ``limit`` characters without their marks.

    Characters are counted as TREC counts them, after NFKC. If not even the first sentence fits, it is
    cut at a blank.
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


def _id_of_none(name: str) -> str:
    return "document_" + (re.sub(r"\W+", "_", name).strip("_")[:40] or "0")
