"""Retrieved texts in the forms that systems write: a plain text, a LangChain document, a
LlamaIndex node, JSON in a cell."""

from __future__ import annotations

import ast
import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from argue_bench.records import Document

# A cell that holds a list as text is parsed up to this many characters.
MOST_NESTED = 1_000_000
_TEXTS = (
    *("text", "page_content", "content", "pageContent", "passage", "body", "chunk", "snippet"),
    *("document", "value", "output"),
)
_IDS = ("id", "id_", "doc_id", "document_id", "docid", "node_id", "chunk_id", "passage_id")
_TITLES = ("title", "name", "file_name", "filename")
_URLS = ("url", "uri", "link", "source")
_ID = re.compile(r"[^\s\[\]]{1,128}")


class BadContexts(ValueError):
    """The value holds no texts that can be read; the message says what it holds."""


def read_contexts(value: Any) -> list[Document]:
    """The documents in a cell, in order, with an empty one in the place of an empty context. Raises BadContexts.

    A text is one context; a text that holds a list (JSON, or a list as Python prints it, which is how
    pandas writes one into a CSV) is that list.
    """
    value = as_object(unwrap(value))
    if isinstance(value, Mapping):
        names = ("results", "documents", "contexts")
        value = next((value[name] for name in names if isinstance(value.get(name), list)), [value])
    elif isinstance(value, str):
        value = [value] if value.strip() else []
    elif hasattr(value, "tolist"):
        value = value.tolist()
    if value is None:
        return []
    if not isinstance(value, Sequence):
        raise BadContexts(f"expected texts, found {type(value).__name__}")
    return [one for item in value for one in _documents_in(as_object(item))]


def _documents_in(item: Any) -> Iterator[Document]:
    """The document in one item of a list of contexts, or those in the list that it is itself."""
    if item is None or isinstance(item, str):
        yield _document(item or "", {})
    elif isinstance(item, Mapping):
        yield _of_mapping(item)
    elif isinstance(item, list | tuple) and all(isinstance(one, str) for one in item):
        for one in item:
            yield _document(one, {})
    else:
        raise BadContexts(f"expected texts, found {type(item).__name__} in the list")


def as_object(value: Any) -> Any:
    """The fields of an object of LangChain, LlamaIndex or another library, also as LangChain's `dumpd` writes
    one; any other value as it is."""
    if isinstance(value, Mapping):
        # {"lc": 1, "type": "constructor", "id": [...], "kwargs": {...}}
        return (
            value["kwargs"] if "lc" in value and isinstance(value.get("kwargs"), Mapping) else value
        )
    if isinstance(value, type) or type(value).__module__ == "builtins" or hasattr(value, "tolist"):
        return value
    about = {name: one for name, one in getattr(value, "__dict__", {}).items() if name[:1] != "_"}
    if callable(content := getattr(value, "get_content", None)):  # a node of LlamaIndex
        about["text"] = content()
    return about or value


class Placed(NamedTuple):
    """The contexts of a row among the documents of all rows: their ids, and what else names them."""

    ids: tuple[str, ...]
    names: Mapping[str, str]
    # Ids of the row that stand for more than one text.
    doubled: tuple[str, ...]


def place_contexts(given: Sequence[Document], documents: dict[str, Document]) -> Placed:
    """Adds a row's contexts to the ``documents`` of all rows; an id names what this row calls so.

    A text that comes again, also by another id, is one document; an empty one is none, and only counts. An id, title or address of several texts
    names one more document that holds them all: what cites it cites each of them.
    """
    alike: dict[str, dict[tuple[str, str], Document]] = {}
    stated = [one for one in given if one.text.strip()]
    for one in stated:
        for name in {one.id, one.title, one.url} - {""}:
            alike.setdefault(name, {}).setdefault((one.title, one.text), one)
    ids: dict[tuple[str, str], str] = {}
    for one in stated:
        if (one.title, one.text) not in ids:
            ids[one.title, one.text] = _add(one, documents, own=len(alike[one.id]) == 1)
    names: dict[str, str] = {}
    for name, texts in alike.items():
        first = next(iter(texts))
        if len(texts) > 1:
            whole = "\n\n".join(text for _, text in texts)
            id = name if _ID.fullmatch(name) else _digest(name, whole)
            names[name] = _add(Document(id, whole, first[0]), documents)
        elif name not in (ids[first], first[0]):  # its title is known as such
            names[name] = ids[first]
    listed = tuple(dict.fromkeys(ids.values()))
    # A number counts contexts before it is an id.
    if len(listed) < len(given) or any(map(str.isdigit, names)):
        contents = enumerate(((one.title, one.text) for one in given), 1)
        names |= {str(n): ids.get(one, f"{n} (empty)") for n, one in contents}
    doubled = dict.fromkeys(one.id for one in stated if len(alike[one.id]) > 1)
    return Placed(listed, names, tuple(doubled))


def _add(one: Document, documents: dict[str, Document], own: bool = True) -> str:
    """The id of a document among those of all rows: its own, unless another text has that."""
    if own:
        known = documents.setdefault(one.id, one)
        if (known.title, known.text) == (one.title, one.text):
            return one.id
    id = f"{one.id}#{_digest(one.title, one.text)[1:]}"
    documents[id] = replace(one, id=id)
    return id


def _digest(*texts: str) -> str:
    """The id of a text without one: the same text has the same in every row, so that it is one document."""
    whole = "\n".join(filter(None, texts)).encode("utf-8", "surrogatepass")
    return "c" + hashlib.sha256(whole).hexdigest()[:12]


def unwrap(value: Any) -> Any:
    """A list or object that a cell holds as text; NaN and None as None; else the value."""
    if isinstance(value, float) and value != value:  # NaN, the empty cell of pandas
        return None
    if not isinstance(value, str):
        return value
    bare = value.strip()
    if len(bare) > MOST_NESTED or bare[:1] + bare[-1:] not in ("[]", "{}"):
        return value
    try:
        return json.loads(bare)
    except (ValueError, RecursionError):
        pass
    try:
        # pandas writes a list into a CSV as Python prints it, with single quotes, which is no JSON.
        return ast.literal_eval(bare)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return value


def _of_mapping(item: Mapping[str, Any]) -> Document:
    inner = as_object(item.get("node", item.get("document")))
    if isinstance(inner, Mapping):
        item = {**item, **inner}
    metadata = item.get("metadata")
    about = {**metadata, **item} if isinstance(metadata, Mapping) else dict(item)
    text = next((about[key] for key in _TEXTS if isinstance(about.get(key), str)), None)
    if text is None:
        keys = ", ".join(map(str, list(item)[:6]))
        raise BadContexts(f"a context has no text under a known name; its keys are {keys}")
    return _document(text, about)


def _document(text: str, about: Mapping[str, Any]) -> Document:
    def first(names: Sequence[str]) -> str:
        return next((about[name] for name in names if isinstance(about.get(name), str)), "")

    id, url, title = first(_IDS), first(_URLS), first(_TITLES)
    if not _ID.fullmatch(id):
        id = _digest(title, text)
    return Document(id, text, title, url=url if url.startswith(("http://", "https://")) else "")
