"""Spans, against the question-answering pipeline that transformers 4 had; its replies are recorded."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from argue_bench.errors import DataError
from argue_bench.judges import create_judge
from argue_bench.records import Failed, Span, Verdict
from tests.judges.test_recorded import ask_all
from tests.models import tiny
from tests.models.tiny import torch, transformers

CASES: list[dict[str, Any]] = json.loads(
    (Path(tiny.__file__).parent / "vectors" / "qa.json").read_text(encoding="utf-8")
)["cases"]


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny.reader(tmp_path_factory.mktemp("models") / "tiny-roberta")


@pytest.fixture(scope="module")
def replies(model: Path) -> dict[Span, Verdict | Failed]:
    requests = list(dict.fromkeys(Span(case["question"], case["context"]) for case in CASES))
    return dict(zip(requests, ask_all(create_judge(f"qa:{model}"), requests), strict=True))


@pytest.mark.parametrize("case", CASES, ids=range(len(CASES)))
def test_agrees_with_the_pipeline(
    case: dict[str, Any], replies: dict[Span, Verdict | Failed]
) -> None:
    reply = replies[Span(case["question"], case["context"])]
    assert isinstance(reply, Verdict)
    assert reply.value == case["answer"]
    shown = reply.note.removeprefix("no answer ").removeprefix("p ").partition(" ")[0]
    assert float(shown) == pytest.approx(case["score"], abs=6e-4)


def test_batches_change_nothing(model: Path, replies: dict[Span, Verdict | Failed]) -> None:
    requests = list(replies)[:25]
    single = ask_all(create_judge(f"qa:{model},batch=1"), requests)
    assert [r.value for r in single if isinstance(r, Verdict)] == [
        r.value for request in requests if isinstance(r := replies[request], Verdict)
    ]


def test_an_empty_context_holds_no_answer(model: Path) -> None:
    judge = create_judge(f"qa:{model}")
    for reply in ask_all(judge, [Span("When?", ""), Span("When?", " \n ")]):
        assert isinstance(reply, Verdict)
        assert reply.value == ""
    assert judge.counts.tokens_in == 0


def test_no_number_is_no_verdict(tmp_path: Path) -> None:
    path = tiny.reader(tmp_path)
    model = transformers.AutoModelForQuestionAnswering.from_pretrained(path)
    with torch.no_grad():
        model.qa_outputs.bias[0] = float("nan")
    model.save_pretrained(path)
    (reply,) = ask_all(create_judge(f"qa:{path}"), [Span("When?", "in 1931")])
    assert isinstance(reply, Failed)
    assert "NaN" in reply.reason


def test_a_model_without_spans_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="BertForSequenceClassification"):
        create_judge(f"qa:{tiny.classifier(tmp_path)}")


def test_the_identity_says_how_windows_are_cut(model: Path) -> None:
    judge = create_judge(f"qa:{model}")
    assert (judge.name, judge.kinds) == (f"qa:{model.name}", {Span})
    assert judge.identity()["windows"] == "384-128"
    assert create_judge(f"qa:{model},tokens=100").identity()["windows"] == "100-50"
