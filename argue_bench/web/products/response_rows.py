"""Saved responses of products' APIs, and reports that cite the web, as rows and as answers.

    a response, a chat completion or a message as the API returned it
    {"request": ..., "response": ...}, and lines of a batch's output ({"custom_id", "response": {"body"}})

Contexts are what file searches found and what the request held as documents or results of tools; where
there are none of these, the passages that the response itself quotes from its sources. A response
without its request does not hold its question.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from argue_bench.loaders.rows.columns import (
    QUOTED,
    ROLES,
    ForeignAnswer,
    look_up,
    recognise,
    unwrap,
)
from argue_bench.records import Answer, MarkCount
from argue_bench.text.citations import CitationIndex, Mark, read_marks, settle
from argue_bench.text.citations.references import reference_lists
from argue_bench.text.reading import make_answer, read_answer
from argue_bench.web.products import ProductAnswer, read_product_response
from argue_bench.web.products.form import nested_objects, row_of, text_of, url_of
from argue_bench.web.products.readers import gemini_chunks
from argue_bench.web.text import (
    MOST_PROBLEMS,
    WEB,
    citation_problems,
)


class WebAnswer(ForeignAnswer):
    """A report that cites the web, or a product's response, among own rows."""

    def __init__(
        self, given: str | ProductAnswer, names: Mapping[str, Iterable[str]] | None = None
    ) -> None:
        self.given = given
        # What else may name a source of a response among the contexts of its row, the best first.
        self.names = names or {}
        self.text = given if isinstance(given, str) else given.text
        found = citation_problems(given) if isinstance(given, str) else given.problems
        self.problems = found[:MOST_PROBLEMS]

    def read(self, id: str, index: CitationIndex) -> Answer:
        named = {
            source: next(filter(None, map(index.find, names)), "")
            for source, names in self.names.items()
        }
        return read_web_answer(id, self.given, replace(index, listed=named))


def web_answer(given: Any) -> WebAnswer | None:
    """The text of a report, or a product's saved response; None for an object that is neither."""
    read = given if isinstance(given, str) else read_product_response(given)
    return None if read is None else WebAnswer(read)


def read_web_answer(
    id: str, given: str | ProductAnswer, index: CitationIndex, language: str = "en", run: str = ""
) -> Answer:
    """The answer of a report that cites the web, or of a saved response, as sentences with citations.

    A page that is no document of the index is cited by its `identity_key`. Of a response every sentence
    that a citation's statement touches has it.
    """
    index = index if index.addresses is not None else replace(index, addresses={})
    if isinstance(given, str):
        return read_answer(id, given, index, language, run)
    body = given.text
    lists = reference_lists(body)
    hidden = settle(body, read_marks(body, WEB, lists))
    unknown = 0
    cited: list[tuple[int, int, tuple[str, ...]]] = []
    for one in given.citations:
        own = tuple(index.find(name) or name for name in one.urls or one.ids)
        unknown += not index.knows(Mark(0, 0, own))
        start, end = one.statement or (one.start, one.end)
        if (one.statement or one.kind == "answer_span") and start is not None and end is not None:
            # A product's span may begin or end inside a sentence.
            cited.append((start, end, own))
    marks = (MarkCount("of a saved response", len(given.citations), unknown),)
    return make_answer(
        Answer(id, body, run=run, marks=marks), body, hidden, lists.lines, cited, language
    )


NO_QUESTION = "(the response does not hold its question)"


def response_row(
    row: Mapping[str, Any], given: Mapping[str, str] | None = None
) -> dict[str, Any] | None:
    """The row in a saved response, with the columns beside it; None where the object is none.

    ``given`` names columns, as for `recognise`. What a column says goes before what the response says of it.
    """
    # The row itself, what stands under "response", or the body of a batch's line.
    inner = row_of(row.get("response"))
    payload = next(filter(_is_response, (row, inner, row_of(inner.get("body")))), None)
    if payload is None or (answer := read_product_response(payload)) is None:
        return None
    request = row_of(row_of(row.get("request")).get("body", row.get("request")))
    turns = list(_turns(request, payload))
    beside = {} if payload is row else {name: row[name] for name in row if name != "response"}
    columns = {
        "question": "question",
        "contexts": "contexts",
        "answer": "response",
        **(given or {}),
        **recognise(beside, given),
    }
    own = {role: look_up(beside, name) for role, name in columns.items()}
    # Anthropic counts documents from 0, and printed marks count from 1: names tell them apart.
    numbers = {f"doc-{number}": str(number + 1) for number in range(1000)}
    answer.citations = [
        replace(one, ids=tuple(f"doc-{id}" if f"doc-{id}" in numbers else id for id in one.ids))
        if one.kind == "answer_span"
        else one
        for one in answer.citations
    ]
    found = {
        **beside,
        "id": text_of(row.get("custom_id")) or own.get("id") or text_of(payload.get("id")),
        columns["question"]: text_of(own["question"]) or _question(turns) or NO_QUESTION,
        columns["answer"]: WebAnswer(answer),
    }
    contexts = [*_searched(payload), *_provided(turns)] or list(_returned(payload))
    if hasattr(mine := unwrap(own["contexts"]), "__len__") and len(mine):
        titles = {one.get("id"): one.get("title") for one in contexts}
        # Gemini counts its chunks as it found them, in no order of the row's contexts.
        places = {} if gemini_chunks(payload) else numbers
        names = {
            id: tuple(filter(None, (one.title or titles.get(id), places.get(id, id))))
            for one in answer.citations
            for id in one.ids
        }
        return {**found, columns["answer"]: WebAnswer(answer, names)}
    if contexts:
        return {**found, columns["contexts"]: contexts}
    results = nested_objects(payload.get("search_results"))
    quoted = [*_quoted(answer), *filter(None, (_source(one, one.get("url")) for one in results))]
    return {**found, columns["contexts"]: quoted, QUOTED: True} if quoted else found


def _is_response(value: Mapping[str, Any]) -> bool:
    message = value.get("type") == "message" and isinstance(value.get("content"), list)
    if message or value.get("object") in ("response", "chat.completion"):
        return True
    # Gemini, Cohere, Perplexity and inspect_ai name no type; a row with a question is a row.
    asked = any(isinstance(value.get(name), str) for name in ROLES["question"])
    return not asked and read_product_response(value) is not None


def _turns(request: Mapping[str, Any], payload: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """The conversation before the response, oldest turn first."""
    for given in (request.get("input", request.get("messages")), payload.get("input")):
        if isinstance(given, str):
            yield {"role": "user", "content": given}
        elif isinstance(given, list):
            yield from nested_objects(given)
        if given:
            return


def _question(turns: Iterable[Mapping[str, Any]]) -> str:
    """The words of the last turn of a person."""
    asked = ""
    for turn in turns:
        if turn.get("role") == "user":
            content = turn.get("content")
            parts = [text_of(block.get("text")) for block in nested_objects(content)]
            asked = content if isinstance(content, str) else "\n".join(filter(None, parts)) or asked
    return asked


def _searched(payload: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """The results of OpenAI's file searches, the passages of one file joined."""
    files: dict[str, dict[str, Any]] = {}
    for item in nested_objects(payload.get("output")):
        if item.get("type") != "file_search_call":
            continue
        for result in nested_objects(item.get("results")):
            text = text_of(result.get("text")) or "\n".join(_texts(result.get("content")))
            id = text_of(result.get("file_id")) or text_of(result.get("filename")) or ""
            one = files.setdefault(id, {"id": id, "title": result.get("filename"), "text": ""})
            one["text"] = f"{one['text']}\n{text}".strip()
    yield from (one for one in files.values() if one["text"])


def _provided(turns: Iterable[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    """Documents, search results and results of tools in the request, in the order in which they are cited."""
    number = 0
    for turn in turns:
        if turn.get("role") in ("tool", "function") or turn.get("type") == "function_call_output":
            if text := text_of(turn.get("content")) or text_of(turn.get("output")):
                yield {"text": text}
            continue
        for block in nested_objects(turn.get("content")):
            kind, source = block.get("type"), row_of(block.get("source"))
            if kind == "document":
                text = text_of(source.get("data")) or "\n".join(_texts(source.get("content")))
            elif kind in ("search_result", "tool_result"):
                text = text_of(block.get("content")) or "\n".join(_texts(block.get("content")))
            else:
                continue
            if text:
                name = {} if kind == "tool_result" else {"id": f"doc-{number}"}
                yield {**name, "title": block.get("title"), "text": text}
            number += kind != "tool_result"


def _returned(payload: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """The documents that a response gives back with its sources: Gemini's chunks and Cohere's documents."""
    for number, chunk in enumerate(gemini_chunks(payload)):
        inner = row_of(chunk.get("retrievedContext", chunk.get("retrieved_context")))
        if found := _source(inner, f"doc-{number}"):
            yield found
    cited = nested_objects(row_of(payload.get("message", payload)).get("citations"))
    sources = (source for one in cited for source in nested_objects(one.get("sources")))
    given = ({**row_of(one.get("document")), "id": one.get("id")} for one in sources)
    by_id: dict[Any, dict[str, Any]] = {}
    for document in (*nested_objects(payload.get("documents")), *given):
        if found := _source({**row_of(document.get("data")), **document}, document.get("id")):
            by_id.setdefault(found["id"], found)
    yield from by_id.values()


def _source(row: Mapping[str, Any], id: Any) -> dict[str, Any] | None:
    """The context in an object of a response; None where it holds no text."""
    texts = (text_of(row.get(name)) for name in ("text", "snippet", "content"))
    url = next(iter(url_of(row.get("url", row.get("uri")))), None)
    text, name = next(filter(None, texts), None), text_of(id)
    return (
        {"id": name, "title": text_of(row.get("title")), "url": url, "text": text}
        if text and name
        else None
    )


def _quoted(answer: ProductAnswer) -> Iterator[dict[str, Any]]:
    """The passages that a response quotes, those of one document together."""
    found: dict[str, dict[str, Any]] = {}
    for one in answer.citations:
        name = (*one.ids, *one.urls, "")[0]
        if one.source_quote and name:
            url = {"url": one.urls[0]} if one.urls else {}
            here = {"id": name, **url} if one.ids else url
            row = found.setdefault(name, {**here, "title": one.title, "quotes": {}})
            row["quotes"].setdefault(one.source_quote)
    for row in found.values():
        yield {**row, "text": "\n".join(row.pop("quotes"))}


def _texts(value: Any) -> list[str]:
    return [text for block in nested_objects(value) if (text := text_of(block.get("text")))]
