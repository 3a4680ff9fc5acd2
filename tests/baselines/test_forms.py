"""Prompts that a model reads: what must stand in them does, in the right role and language."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from argue_bench.baselines.forms import (
    answer_in,
    cite_by_id,
    copy_form,
    default_form,
    load_form,
    shipped_forms,
)
from argue_bench.errors import DataError, UsageError
from argue_bench.loaders.limits import cut_at_limit, text_length
from argue_bench.records import Document, Question, Request
from tests.agreement.vectors import OWN as VECTORS

SHOWN = (
    Document("D02", "It is 90 m long.", "The bridge"),
    Document("a/7", "No title."),
)


@pytest.mark.parametrize("name", shipped_forms())
@pytest.mark.parametrize("language", ["en", "fr"])
def test_every_form_says_the_question_and_all_documents(name: str, language: str) -> None:
    question = Question(
        "q", "How long is it?", Request("T", "Say how long.", "Who", 300), language=language
    )
    messages = load_form(name).messages(question, SHOWN, "openbook")
    assert [message.role for message in messages] == ["system", "user"]
    text = "\n".join(message.text for message in messages)
    assert "How long is it?" in messages[-1].text
    assert "{" not in text
    for number, one in enumerate(SHOWN, 1):
        # Luciole's first rows bring their chunks in a message of their own.
        assert (one.text in text) == (name not in ("alce-closedbook", "luciole-v1"))
        assert (f"[{number}]" in messages[-1].text) == (load_form(name).cites == "numbers")


@pytest.mark.parametrize(
    ("language", "id"), [("en", "en-unans-canonical"), ("fr", "fr-unans-canonical")]
)
def test_the_refusal_asked_for_is_the_canonical_one(language: str, id: str) -> None:
    import json

    cases = json.loads((VECTORS / "luciole" / "cases.json").read_text(encoding="utf-8"))
    cases = cases if isinstance(cases, list) else cases["cases"]
    canonical = next(case["response"] for case in cases if case["id"] == id)
    system = load_form("luciole").messages(
        Question("q", "?", language=language), SHOWN, "openbook"
    )[0]
    assert canonical in system.text


def test_the_form_for_a_set() -> None:
    assert default_form("fanoutqa", "openbook", False).name == "fanoutqa"
    assert default_form("core", "openbook", True).name == "report"
    assert default_form("luciole", "evidenceprovided", False).name == "luciole"
    assert default_form("luciole", "evidenceprovided", True).name == "luciole-v1"
    assert default_form("alce-asqa", "openbook", False).name == "alce-vanilla"
    assert default_form("alce-asqa", "closedbook", False).name == "alce-closedbook"
    assert default_form("alce-qampari", "openbook", False).name == "alce-list"


@pytest.mark.parametrize("name", shipped_forms())
def test_nothing_is_said_of_documents_where_there_are_none(name: str) -> None:
    question = Question("q", "How long?", Request("T", "Say how long.", "Who", 300))
    system = load_form(name).messages(question, (), "closedbook")[0].text
    if name not in ("alce-vanilla", "alce-summary", "alce-snippet"):  # these are about documents
        assert "[1]" not in system
        assert "given documents" not in system
        assert "Context" not in system
        assert "documents disagree" not in system
        assert "\n\n\n" not in system


def test_a_form_with_mistakes_tells_all_of_them(tmp_path: Path) -> None:
    copy_form("report", tmp_path / "mine")
    (tmp_path / "mine" / "form.toml").write_text('reads = "gold"\nndocs = 3\nmax_tokens = "x"\n')
    (tmp_path / "mine" / "user.j2").unlink()
    with pytest.raises(DataError) as caught:
        load_form(str(tmp_path / "mine"))
    assert len(caught.value.findings) == 4
    with pytest.raises(UsageError, match="exists already"):
        copy_form("report", tmp_path / "mine")


@pytest.mark.parametrize(
    ("reply", "answer"),
    [
        ("It is long [1].", "It is long [D02]."),
        ("It is long. [1][2]", "It is long. [D02][a/7]"),
        ("It is long [1, 2].", "It is long [D02][a/7]."),
        ("It is long [3].", "It is long [document_3]."),
        ("Opened in [2019], said [sic].", "Opened in [2019], said [sic]."),
        ("It is long [The bridge].", "It is long [D02]."),
    ],
)
def test_citations_keep_their_place_and_name_ids(reply: str, answer: str) -> None:
    assert cite_by_id(reply, SHOWN) == answer
    assert (
        answer_in(f"<think>[1]</think> {reply}", Question("q", "?"), SHOWN, load_form("report"))[0]
        == answer
    )


@given(st.text(alphabet="ab .[]12\n…ﬁ", max_size=200), st.integers(1, 60))
def test_a_limit_is_never_passed(text: str, limit: int) -> None:
    assert text_length(cut_at_limit(text, limit)) <= max(limit, 1)
