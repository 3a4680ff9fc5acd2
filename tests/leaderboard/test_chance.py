"""A row that earns by the gold of other questions is flagged, however its guesses are written."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from argue_bench.leaderboard.formats.season import Season, SetEntry
from argue_bench.leaderboard.scoring.chance import guesses
from argue_bench.loaders.answers import as_answers
from argue_bench.loaders.dataset import Dataset
from argue_bench.records import Gold, Question, ShortAnswer

ACCURACY, STR_EM = "accuracy(rules=fanoutqa-lookup,text=plain)", "str_em(rules=alce,lines=all)"
TOPICS = {topic: [f"{topic}{n:03d}a" for n in range(150)] for topic in ("ri", "mo", "la")}


def _question(n: int) -> Question:
    topic = [*TOPICS][n % 3]
    gold = tuple(random.Random(n).sample(TOPICS[topic], 4))
    short = tuple(ShortAnswer("", (one,)) for one in gold)
    text = f"Which {topic} places of group {n} are meant?"
    return Question(f"q-{n}", text, gold=Gold(answer=gold, short_answers=short))


SET = Dataset("own", "dev", tuple(map(_question, range(60))))
SEASONS = {
    text: Season("s", SetEntry("own"), metrics=(text,), ranked=f"{text}.{score}")
    for text, score in ((ACCURACY, "loose"), (STR_EM, "recall"))
}
LISTS: dict[str, tuple[Callable[[str], list[str]], str]] = {
    "one list for all questions": (lambda _: [x for topic in TOPICS.values() for x in topic], ", "),
    "one for each": (lambda topic: TOPICS[topic][::2], ", "),
    "struck through": (lambda topic: [f"{one}\u0336kx" for one in TOPICS[topic]], ", "),
    "as items": (lambda topic: TOPICS[topic], "\n- "),
    "run together": (lambda topic: TOPICS[topic], ""),
}


def _guesses(metric: str, text: Callable[[int, Question], str]) -> bool:
    rows = [{"id": one.id, "answer": text(n, one)} for n, one in enumerate(SET)]
    return guesses(SEASONS[metric], SET, [*as_answers(rows, SET).values()])


def _gold(one: Question) -> str:
    assert one.gold is not None
    return f"They are {', '.join(answer.answers[0] for answer in one.gold.short_answers)}."


@pytest.mark.parametrize("form", LISTS)
@pytest.mark.parametrize("metric", SEASONS)
def test_a_list_of_guesses_is_flagged_in_whatever_form(metric: str, form: str) -> None:
    listed, joint = LISTS[form]

    def text(n: int, one: Question) -> str:
        names = listed(one.text.split()[1])
        random.Random(n).shuffle(names)
        return f"{_gold(one)}\n\n{joint.join(names)}."

    # Words that run together hold one string at most, and a stroke parts no word of FanOutQA's: such lists earn nothing.
    earns = form != "run together" and (metric == STR_EM or form != "struck through")
    assert _guesses(metric, text) == earns


@pytest.mark.parametrize("metric", SEASONS)
def test_the_gold_itself_is_no_guess_nor_a_list_in_few_answers(metric: str) -> None:
    assert not _guesses(metric, lambda _, one: _gold(one))
    few = LISTS["one for each"][0]
    assert not _guesses(
        metric, lambda n, one: " ".join((_gold(one), *few(one.text.split()[1]) * (n % 20 == 0)))
    )


def test_a_score_that_no_list_raises_is_not_counted_anew() -> None:
    argue = Season("s", SetEntry("own"), metrics=("argue", ACCURACY), ranked="argue.f1")
    rows = [{"id": one.id, "answer": ", ".join(TOPICS["ri"])} for one in SET]
    assert not guesses(argue, SET, [*as_answers(rows, SET).values()])
