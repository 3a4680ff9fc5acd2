"""Every data set that can be loaded, small, in the shape in which it is published."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from argue_bench.loaders import load
from argue_bench.loaders.dataset import Dataset
from tests.published.alce.test_data import asqa, eli5, qampari
from tests.published.fanoutqa.wiki_server import IDS
from tests.published.luciole.test_data import CHAT
from tests.published.trec.test_nuggets import bank

FRENCH: dict[str, Any] = {
    "id": "f1",
    "messages": [
        {
            "role": "system",
            "content": "Réponds.\nVoici les documents récupérés : `[Tour Eiffel]\nElle a ouvert en 1889."
            " Elle mesure 330 m.\n\n[Garabit]\nUn viaduc ferroviaire dans le Cantal.`",
        },
        {"role": "user", "content": "Quand la tour a-t-elle ouvert ?"},
        {"role": "assistant", "content": "**Réponse finale:** 1889"},
    ],
    "supporting_facts_titles": ["Tour Eiffel"],
}


@dataclass(frozen=True)
class Shape:
    """A data set as the command line names it. ``settings``: those that it can be asked in."""

    on: str
    split: str
    data: Path | None
    settings: tuple[str, ...]

    @property
    def arguments(self) -> list[str]:
        data = [] if self.data is None else ["--data", str(self.data)]
        return ["--dataset", self.on, "--split", self.split, *data]

    def load(self) -> Dataset:
        return load(self.on, self.split, self.data)


def _written(path: Path, rows: Any, lines: bool = False) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    text = "".join(json.dumps(row) + "\n" for row in rows) if lines else json.dumps(rows)
    path.write_text(text, encoding="utf-8")
    return path


def _fanoutqa(folder: Path) -> Path:
    page = {
        "pageid": IDS["Pat Burrell"],
        "revid": 1000 * IDS["Pat Burrell"],
        "title": "Pat Burrell",
        "url": "https://en.wikipedia.org/wiki/Pat_Burrell",
    }
    step: dict[str, Any] = {
        "id": "s1",
        "question": "When was he drafted?",
        "answer": 1998,
        "evidence": page,
    }
    step |= {"decomposition": [], "depends_on": []}
    asked = [
        ("When was Pat Burrell drafted first?", 1998),
        ("How often did Pat Burrell hit in 1999?", 12),
    ]
    common = {"decomposition": [step], "necessary_evidence": [page], "categories": ["sport"]}
    rows = [
        {"id": f"q{n}", "question": text, "answer": {"Pat Burrell": year}, **common}
        for n, (text, year) in enumerate(asked)
    ]
    _written(folder / "dev.json", rows)
    return folder


def _trec(folder: Path) -> Path:
    _written(folder / "nuggets" / "nuggets_300.v3.json", [bank()], lines=True)
    _written(folder / "nuggets" / "nuggets_301.v3.json", [bank() | {"query_id": "301"}], lines=True)
    wall = "When was the harbor wall finished, and who built it?"
    requests: list[dict[str, Any]] = [
        {"request_id": "300", "title": "Harbor wall", "problem_statement": wall},
        {"request_id": "301", "title": "Lighthouse", "problem_statement": "Who kept it?"},
    ]
    requests = [{**one, "limit": 300, "background": "I write a guide."} for one in requests]
    _written(folder / "requests.jsonl", requests, lines=True)
    texts = {
        "The wall": "The harbor wall was finished in 1931. It is long.",
        "The keeper": "Ada Marsh kept the lighthouse until 1950.",
        "Tolls": "Tolls were raised to 23 pence in the harbor.",
    }
    documents = [
        {"id": f"d{n}", "title": title, "text": text}
        for n, (title, text) in enumerate(texts.items(), 1)
    ]
    _written(folder / "collection" / "docs.jsonl", documents, lines=True)
    return folder


def shapes(folder: Path) -> Mapping[str, Shape]:
    """All of them, written into this folder. FanOutQA's pages come from ``wiki_server``."""
    listed = ("closedbook", "openbook", "evidenceprovided")
    rail = {"id": "2", "title": "Railway", "text": "The railway came in 1950. It was slow."}
    sky = {"title": "Sky", "text": "Air scatters blue light more than red.", "url": "http://e/a"}
    why = [eli5(docs=[sky]), eli5("Why is it red?", docs=[sky])]
    second = {
        "id": "c2",
        "messages": [
            CHAT["messages"][0],
            {"role": "user", "content": "What is Garabit?"},
            {"role": "assistant", "content": "**Answer:** A railway bridge"},
        ],
        "supporting_facts_titles": ["Garabit Viaduct"],
    }
    none = {"role": "user", "content": "Qui a construit le viaduc ?"}
    french = [
        FRENCH,
        FRENCH
        | {
            "id": "f2",
            "messages": [
                FRENCH["messages"][0],
                none,
                {"role": "assistant", "content": "**Réponse finale:** Un viaduc"},
            ],
        },
    ]
    alce = [asqa(), asqa("8", question="When did the railway come?", docs=[rail])]
    return {
        "core": Shape("core", "sample", None, listed),
        "fanoutqa": Shape("fanoutqa", "dev", _fanoutqa(folder / "fanoutqa"), listed),
        "trec": Shape("trec", "dev", _trec(folder / "trec"), ("closedbook", "openbook")),
        "alce-asqa": Shape("alce-asqa", "gtr", _written(folder / "asqa.json", alce), listed),
        "alce-eli5": Shape("alce-eli5", "bm25", _written(folder / "eli5.json", why), listed),
        "alce-qampari": Shape(
            "alce-qampari", "gtr", _written(folder / "qampari.json", [qampari()]), listed
        ),
        "luciole": Shape(
            "luciole", "hotpotqa", _written(folder / "en.jsonl", [CHAT, second], lines=True), listed
        ),
        "luciole-fr": Shape(
            "luciole", "piaf", _written(folder / "fr.jsonl", french, lines=True), listed
        ),
    }
