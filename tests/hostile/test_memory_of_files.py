"""Of a set on disk only the records last looked up are in memory, and of a run the cases under way."""

from __future__ import annotations

import gc
import random
from collections import Counter
from pathlib import Path

import pytest

from argue_bench import evaluate, load
from argue_bench.eval.driver import Outcome
from argue_bench.eval.memory import FREE_WINDOW
from argue_bench.loaders import answers as answers_module
from argue_bench.loaders import core, read_answers
from argue_bench.records import Answer, Document, Gold, Question
from argue_bench.records.lines import RECENT
from tests.hostile.test_growth_of_files import written_set

MANY = 3 * (RECENT + FREE_WINDOW)


@pytest.mark.slow
def test_what_was_read_for_a_question_is_let_go_once_it_is_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (core, answers_module):
        monkeypatch.setattr(module, "HELD", 100)
    folder = written_set(tmp_path / "set", MANY, random.Random(1))
    dataset = load(folder)
    kinds = (Question, Gold, Document, Answer, Outcome)
    alive: Counter[type] = Counter()

    def living() -> Counter[type]:
        return Counter(type(one) for one in gc.get_objects() if type(one) in kinds)

    def count(done: int) -> None:
        if done == MANY - FREE_WINDOW and not alive:
            alive.update(living() - before)

    gc.collect()
    before = living()  # what other tests of this process hold
    answers = read_answers(folder / "answers.jsonl", dataset)
    report = evaluate(dataset, answers, ["accuracy"], resamples=0, progress=count)
    assert report.n == MANY
    assert {kind for kind in kinds if alive[kind]} >= {Question, Document, Answer}
    # Those last looked up, and two of a case under way: a question is made with its gold, and without.
    assert all(alive[kind] <= RECENT + 3 * FREE_WINDOW for kind in kinds), alive
