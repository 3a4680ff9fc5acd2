"""Replies made to be misread, through a real server: which verdict counts, and after how many requests."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest

from argue_bench.judges.prompted import Prompted
from argue_bench.judges.prompted.replies import ReplyForm, read
from argue_bench.models.chat import Chat
from argue_bench.records import Failed, JudgeRequest, NeedsCitation, Verdict
from tests.judges.test_prompted import YES_NO, run
from tests.models.server import ChatServer, form_name

pytest.importorskip("openai", reason="the extra judge is not installed")

ASK = NeedsCitation("It rained.")
NOTHING = {"content": None}


@pytest.fixture(autouse=True)
def _short_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("argue_bench.models.reply._FIRST_WAIT", 0.002)


def asked(
    said: str | dict[str, Any], strict: bool = False, request: JudgeRequest = ASK
) -> tuple[Verdict | Failed, int]:
    """What comes of an ask whose every reply is this; and how many requests were sent.

    KEY in a reply stands for the name of the verdict in the form that the prompt asks for.
    """

    def model(body: dict[str, Any]) -> str | dict[str, Any]:
        keyed = json.dumps(said).replace("KEY", form_name(body))
        filled: str | dict[str, Any] = json.loads(keyed)
        return filled

    with ChatServer(model=model) as server:
        known = {
            "ARGUE_BENCH_BASE_URL": server.url,
            "OPENAI_BASE_URL": server.url,
            "OPENAI_API_KEY": "k",
        }
        judge = Prompted(Chat("openai" if strict else "server", "m", known=known))
        (judged,) = run(judge, [request]).values()
    return judged, server.count


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        (
            {**NOTHING, "refusal": "I can't help\nwith that."},
            "declined to answer: I can't help with that",
        ),
        ({"content": '{"verdict": "yes"}', "refusal": "no way"}, "declined to answer: no way"),
        ({**NOTHING, "finish_reason": "content_filter"}, "content_filter"),
        ({"content": '{"verdict": "yes"}', "finish_reason": "content_filter"}, "content_filter"),
    ],
)
def test_a_reply_that_was_withheld_fails_at_once_with_its_reason(
    said: dict[str, Any], reason: str
) -> None:
    failed, sent = asked(said)
    assert isinstance(failed, Failed)
    assert reason in failed.reason
    assert sent == 1
    assert "choices" in failed.reply  # kept for reading


@pytest.mark.parametrize("strict", [False, True])
def test_a_whole_object_of_a_reply_that_was_cut_off_counts_for_nothing(strict: bool) -> None:
    failed, sent = asked({"content": '{"KEY": "yes"}', "finish_reason": "length"}, strict)
    assert isinstance(failed, Failed)
    assert "cut off" in failed.reason
    assert sent == 2


@pytest.mark.parametrize(
    "form",
    [
        ReplyForm(YES_NO),
        ReplyForm(YES_NO, 64, "3f9a1c07"),
        ReplyForm(YES_NO, word=True),
    ],
)
@pytest.mark.parametrize(
    "part",
    [
        "{",
        '{"',
        '{"a":[',
        "yes ",
        "{   ",
        "```",
        "``` ",
        "```json ",
        '{"3f9a1c07": "',
        "Verdict:\n",
        "1" * 5000,
    ],
)
def test_no_text_takes_long_to_read(form: ReplyForm, part: str) -> None:
    start = time.process_time()
    assert not read(part * (4_000_000 // len(part)), form).verdicts
    assert time.process_time() - start < 2
