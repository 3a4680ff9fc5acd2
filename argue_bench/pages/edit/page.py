"""One page with all nuggets of a folder, their sources beside them; it needs no other file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from importlib.resources import files
from pathlib import Path

from argue_bench.drafting.gold import EditableNugget
from argue_bench.loaders.dataset import Dataset
from argue_bench.pages.render import Pages

NONCE = "NONCE-OF-THE-PAGE"
"""Stands in the page for the nonce that a server puts in, once for each reply."""


def edit_page(dataset: Dataset, nuggets: Sequence[EditableNugget], token: str = "") -> str:
    """The page as HTML. With ``token`` it saves through the server that gave it, else as a file.

    Foreign texts are data of the page: its script shows them as text, never as HTML.
    """
    topics = [
        {
            "id": question.id,
            "text": question.text,
            "documents": _documents(dataset, question.documents),
        }
        for question in dataset
    ]
    static = files("argue_bench.site_files") / "static"
    return Pages(Path()).render(
        "edit.html",
        name=dataset.title,
        topics=topics,
        nuggets=[asdict(one) for one in nuggets],
        token=token,
        nonce=NONCE if token else "",
        script=(static / "edit.js").read_text("utf-8"),
        style=(static / "edit.css").read_text("utf-8"),
    )


def _documents(dataset: Dataset, ids: Sequence[str]) -> list[dict[str, str]]:
    """The documents listed with a question, which nuggets may cite."""
    return [
        {"id": id, "title": dataset.documents[id].title} for id in ids if id in dataset.documents
    ]
