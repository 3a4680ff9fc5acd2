"""STR-EM, QA and QAMPARI scores, by hand; and ALCE's faults, which the defaults mend."""

from __future__ import annotations

import pytest

from argue_bench.records import Answer, Gold, JudgeRequest, Sentence, ShortAnswer, Span
from tests.metrics.correctness.counted import counted, values


def _gold(*pairs: tuple[str, ...]) -> Gold:
    return Gold(short_answers=tuple(ShortAnswer(f"q{n}?", pair) for n, pair in enumerate(pairs)))


@pytest.mark.parametrize("metric", ["str_em", "str_em(rules=alce)"])
def test_any_spelling_counts(metric: str) -> None:
    gold = _gold(("1931", "the thirties"), ("Marsh",))
    tallies = counted(metric, gold, "It was built in 1931 by Smith.")
    assert values(tallies) == {"recall": 0.5, "hit": 0.0}
    assert tallies["recall"].note == "missing: Marsh"
    assert values(counted(metric, gold, "Marsh, 1931"))["hit"] == 1.0
    assert values(counted(metric, Gold(), "x")) == {"recall": None, "hit": None}


def test_spans_are_compared_in_squads_normal_form() -> None:
    gold = _gold(("The 1930s", "1931"), ("Sir John Marsh",))
    asked: list[JudgeRequest] = []

    def reader(request: JudgeRequest) -> str:
        asked.append(request)
        assert isinstance(request, Span)
        return {"q0?": "1931.", "q1?": "john marsh"}[request.question]

    answer = Answer("q", "John Marsh, 1931 [1]", (Sentence("John Marsh, 1931", ("d",)),))
    found = values(counted("qa", gold, answer, reader))
    assert [request.context for request in asked if isinstance(request, Span)] == [
        "John Marsh, 1931"
    ] * 2
    assert found["em"] == 0.5
    assert found["f1"] == pytest.approx((1 + 4 / 5) / 2)  # 2 words of 2 and of 3
    assert found["hit"] == 0.0


def test_an_empty_answer_is_not_read() -> None:
    assert values(counted("qa", _gold(("x",)), "")) == {"em": 0.0, "f1": 0.0, "hit": 0.0}
    assert values(counted("qa", Gold(), "x"))["em"] is None


@pytest.mark.parametrize(
    ("number", "joint"),
    [
        *(("", joint) for joint in (", ", ",", "; ", "\n", "<br>", "<br />", "，", "、", "\n- ")),
        *((f"{{}}{sign}", "\n") for sign in (". ", ") ", ".", ")", "\\. ", ": ", " - ")),
        *(("**{}. ", joint) for joint in ("**\n", "**\n\n")),
        *(("({}) ", joint) for joint in ("\n", ", ")),
    ],
)
def test_the_items_of_a_list_may_be_parted_and_numbered_in_any_way(number: str, joint: str) -> None:
    names = ["Oslo", "Leeds, England", "1. FC Union", "Bergen"]
    end = "**" * number.startswith("**")
    items = [f"{number.format(n)}{name}" for n, name in enumerate(names[:2] + names[3:], 1)]
    gold = _gold(*((name,) for name in names))
    found = values(counted("qampari", gold, joint.join([*items, f"{number.format(4)}Rome"]) + end))
    assert (found["precision"], found["recall"]) == (3 / 4, 3 / 4)
    assert values(counted("qampari", gold, "\n".join(names)))["f1"] == 1


@pytest.mark.parametrize("metric", ["qampari", "qampari(rules=alce)"])
def test_lists(metric: str) -> None:
    gold = _gold(("Oslo", "Christiania"), ("Bergen",), ("Tromsø",))
    found = values(counted(metric, gold, "Christiania, Paris, Bergen, Rome."))
    assert found["precision"] == 2 / 4
    assert found["recall"] == 2 / 3
    assert found["f1"] == pytest.approx(4 / 7)
    six = _gold(*((f"city {n}",) for n in range(6)))
    found = values(counted(metric, six, ", ".join(f"City {n}" for n in range(5))))
    assert (found["recall"], found["recall_top5"], found["f1_top5"]) == (5 / 6, 1.0, 1.0)
    assert set(values(counted(metric, gold, "")).values()) == {0.0}
    assert set(values(counted(metric, Gold(), "x")).values()) == {None}
