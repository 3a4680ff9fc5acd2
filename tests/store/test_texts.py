"""Texts in a store: what goes in comes out, a broken file is a finding."""

from __future__ import annotations

import json
import sqlite3
import zlib
from importlib import resources
from pathlib import Path
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

import argue_bench as ab
from argue_bench.errors import DataError
from argue_bench.judges.prompted import Prompted
from argue_bench.loaders import load, read_answers
from argue_bench.models.chat import Chat
from argue_bench.records import Entails, JudgeRequest, Source, Verdict
from argue_bench.store import Author, Store
from argue_bench.store.file import TABLES, Texts, packed_request, unpacked_request
from tests.models.server import ChatServer, honest

JUDGE = Author.of("someone", {"model": "m"})
LONG = 'He said "it is so", twice. \\ \u00e9\u4e2d\U0001f600\n' * 20
TEXTS = st.one_of(
    st.text(st.characters(exclude_categories=()), max_size=30),
    st.sampled_from([LONG, LONG * 2, LONG + "x", "plain " * 60, "\xfb\xff", "\ud800" * 250]),
)
SOURCES = st.builds(Source, TEXTS, TEXTS)


def _fields(name: str) -> st.SearchStrategy[object]:
    if name in ("premise", "documents"):
        return st.lists(SOURCES, max_size=3).map(tuple)
    if name in ("previous", "supporting", "nuggets"):
        return st.lists(TEXTS, max_size=3).map(tuple)
    return SOURCES if name == "document" else TEXTS


REQUESTS = st.one_of(
    [
        st.builds(kind, **{name: _fields(name) for name in kind.__match_args__})
        for kind in get_args(JudgeRequest)
    ]
)


@given(st.lists(st.tuples(REQUESTS, TEXTS, TEXTS), min_size=1, max_size=4))
def test_requests_prompts_and_replies_come_back_as_they_were(
    rows: list[tuple[JudgeRequest, str, str]],
) -> None:
    db = sqlite3.connect(":memory:")
    db.executescript(TABLES)
    texts = Texts(db)
    packed = [(packed_request(one), texts.pack(7, sent, came, one)) for one, sent, came in rows]
    for (body, raw), row in zip(packed, rows, strict=True):
        request = unpacked_request(body)
        assert (request, *texts.unpack(raw, request)) == row


def test_a_verdict_of_a_model_takes_less_than_1000_bytes(tmp_path: Path) -> None:
    """With its prompt and the reply of OpenAI's own form, at the size of a small run."""
    answers = resources.files("argue_bench") / "data/core/sample-runs/careful.jsonl"
    dataset = load("core", "sample")
    with ChatServer(model=_as_openai) as server:
        known = {"OPENAI_BASE_URL": server.url, "OPENAI_API_KEY": "k"}
        judge = Prompted(Chat("openai", "gpt-4o-mini-2024-07-18", known=known))
        out = tmp_path / "run"
        ab.evaluate(
            dataset, read_answers(Path(str(answers)), dataset).values(), judge=judge, out=out
        )
    path = tmp_path / "run.verdicts"
    with Store(path, write=False) as store:
        rows = list(store)
        empty = 90_000  # a store without a row
        assert len(rows) > 250
        assert (path.stat().st_size - empty) / len(rows) < 1000
        plain = sum(len(one.verdict.prompt) + len(one.verdict.reply) for one in rows)
        assert plain / len(rows) > 2_500
        assert json.loads(rows[-1].verdict.prompt) in server.requests


def _as_openai(body: dict[str, Any]) -> dict[str, Any]:
    """A reply with the counts that OpenAI adds."""
    details = {"reasoning_tokens": 0, "audio_tokens": 0, "accepted_prediction_tokens": 0}
    usage = {
        "prompt_tokens": 411,
        "completion_tokens": 6,
        "total_tokens": 417,
        "prompt_tokens_details": {"cached_tokens": 0, "audio_tokens": 0},
        "completion_tokens_details": {**details, "rejected_prediction_tokens": 0},
    }
    return {"role": "assistant", "content": honest(body), "refusal": None, "usage": usage}


@pytest.mark.parametrize(
    "spoil",
    [
        "DELETE FROM texts",
        "UPDATE requests SET body = x'fdff'",
        "UPDATE requests SET body = x'789c4b4c4c04000249'",
        "UPDATE verdicts SET raw = substr(raw, 1, 9)",
        "UPDATE verdicts SET raw = substr(raw, 1, 20)",
        "UPDATE verdicts SET raw = CAST(x'ffff' || substr(raw, 3) AS BLOB)",
    ],
)
def test_a_broken_text_is_a_finding(tmp_path: Path, spoil: str) -> None:
    with Store(tmp_path / "s") as store:
        store.add(JUDGE, Entails((Source("d", LONG),), "s"), Verdict("yes", prompt="p" * 99))
    db = sqlite3.connect(tmp_path / "s")
    db.execute(spoil)
    db.commit()
    db.close()
    with (
        pytest.raises(DataError, match="not-a-run-file"),
        Store(tmp_path / "s", write=False) as store,
    ):
        list(store)


def test_a_text_that_unpacks_to_too_much_is_a_finding(tmp_path: Path) -> None:
    with Store(tmp_path / "s") as store:
        store.add(JUDGE, Entails((Source("d", LONG),), "s"), Verdict("yes"))
    bomb = zlib.compress(b"a" * 140_000_000, 1)
    db = sqlite3.connect(tmp_path / "s")
    db.execute("UPDATE requests SET body = ?", (bomb,))
    db.commit()
    db.close()
    with (
        pytest.raises(DataError, match="not-a-run-file"),
        Store(tmp_path / "s", write=False) as store,
    ):
        list(store)
