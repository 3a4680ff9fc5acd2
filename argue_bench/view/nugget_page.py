"""One page with all nuggets of a folder, their sources beside them; it needs no other file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from importlib.resources import files
from pathlib import Path

from argue_bench.baselines.drafting import DraftedNugget
from argue_bench.loaders.dataset import Dataset
from argue_bench.view.render import Pages


def edit_page(dataset: Dataset, nuggets: Sequence[DraftedNugget]) -> str:
    """The page as HTML, which saves a file of nuggets for `data edit --apply`.

    Foreign texts are data of the page: its script shows them as text, never as HTML.
    """
    topics = [
        {
            "id": question.id,
            "text": question.text,
            # Those listed with the question, which nuggets may cite.
            "documents": [
                {"id": id, "title": dataset.documents[id].title}
                for id in question.documents
                if id in dataset.documents
            ],
        }
        for question in dataset
    ]
    static = files("argue_bench.site_files") / "static"
    return Pages(Path()).render(
        "edit.html",
        name=dataset.title,
        topics=topics,
        nuggets=[asdict(one) for one in nuggets],
        script=(static / "edit.js").read_text("utf-8"),
        style=(static / "edit.css").read_text("utf-8"),
    )
