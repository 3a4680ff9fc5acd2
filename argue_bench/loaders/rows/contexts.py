"""Retrieved texts in the forms that systems write: a plain text, a LangChain document, a
LlamaIndex node, JSON in a cell."""

from __future__ import annotations

import ast
import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from argue_bench.records import Document

MOST_NESTED = 1_000_000
"""A cell that holds a list as text is parsed up to this many characters."""
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
    """The documents in a cell, in order. Raises BadContexts.

    A text is one context; a text that holds a list (JSON, or a list as Python prints it, which is how
    pandas writes one into a CSV) is that list.
    """
    value = unwrap(value)
    if value is None:
        return []
    if isinstance(value, str):
        return [_document(value, {})] if value.strip() else []
    if isinstance(value, Mapping):
        nested = next(
            (
                value[key]
                for key in ("results", "documents", "contexts")
                if isinstance(value.get(key), list)
            ),
            None,
        )
        if nested is None:
            return [_of_mapping(value)]
        value = nested
    if not isinstance(value, Sequence) and not hasattr(value, "tolist"):
        raise BadContexts(f"expected texts, found {type(value).__name__}")
    items = value if isinstance(value, Sequence) else value.tolist()
    found = []
    for item in items:
        if isinstance(item, Mapping):
            found.append(_of_mapping(item))
        elif isinstance(item, str | bytes):
            item = item if isinstance(item, str) else item.decode("utf-8", "replace")
            if item.strip():
                found.append(_document(item, {}))
        elif isinstance(item, list | tuple) and all(isinstance(one, str) for one in item):
            found += [_document(one, {}) for one in item if one.strip()]
        elif item is not None:
            raise BadContexts(f"expected texts, found {type(item).__name__} in the list")
    return found


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
        return ast.literal_eval(bare)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return value


def _of_mapping(item: Mapping[str, Any]) -> Document:
    inner = item.get("node", item.get("document"))
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

    id = first(_IDS)
    if not _ID.fullmatch(id):
        id = "c" + hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:12]
    url = first(_URLS)
    title = first(_TITLES)
    return Document(id, text, title, url=url if url.startswith(("http://", "https://")) else "")
