"""Plain functions and own objects as judges, handed over or named as module:name."""

from __future__ import annotations

import asyncio
import functools
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from argue_bench.cli import main
from argue_bench.errors import JudgeError, UsageError
from argue_bench.eval import evaluate
from argue_bench.judges import (
    FunctionJudge,
    as_judge,
    create_judge,
    find_judge,
    is_paid,
    refuse_import,
)
from argue_bench.leaderboard.formats.season import Season, SetEntry
from argue_bench.records import Failed, NeedsCitation, Similar, Span, Verdict
from tests.eval.toys import Needs, dataset
from tests.judges.test_recorded import ask_all

LONG = NeedsCitation("a long sentence")
SET = dataset({"q1": "a", "q2": "b"})
ANSWERS = [{"id": "q1", "answer": "a long sentence"}, {"id": "q2", "answer": "short"}]


def is_long(request: NeedsCitation) -> str:
    return "yes" if len(request.sentence) > 8 else "no"


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A module of the current folder with judges in every form."""
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "own_judges.py"
    path.write_text(
        "from argue_bench.judges.lexical import Lexical\n"
        "print('imported')\n"
        "number = 5\n"
        "ready = Lexical()\n"
        "def is_long(request):\n    return len(request.sentence) > 8\n"
        "def make():\n    return is_long\n"
        "def broken():\n    raise RuntimeError('no key')\n"
        "def two(request, other):\n    return 'yes'\n"
        "class Own(Lexical):\n    name = 'own'\n"
        "class Needy:\n    def __init__(self, key): pass\n"
        "class group:\n    strict = staticmethod(is_long)\n"
    )
    yield path
    sys.modules.pop("own_judges", None)


def test_a_function_judges() -> None:
    report = evaluate(SET, ANSWERS, [Needs()], judge=is_long)
    assert report.value("needs.yes") == 0.5
    assert report.signature["needs"]["judge"].startswith("function:is_long source:")
    assert report.cost["function:is_long"] == {"requests": 2, "calls": 2}


def test_a_function_judges_under_a_name() -> None:
    report = evaluate(SET, ANSWERS, [Needs(judge="own")], judges={"own": is_long})
    assert report.value("needs(judge=own).yes") == 0.5


def test_an_async_function_runs_concurrently_within_its_bound() -> None:
    running = most = 0

    async def slow(request: NeedsCitation) -> str:
        nonlocal running, most
        running += 1
        most = max(most, running)
        await asyncio.sleep(0.01)
        running -= 1
        return "yes"

    requests = [NeedsCitation(str(number)) for number in range(20)]
    replies = ask_all(FunctionJudge(slow, at_once=3), requests)
    assert replies == [Verdict("yes")] * 20
    assert most == 3


@pytest.mark.parametrize(
    ("request_", "value", "verdict"),
    [
        (LONG, "no", Verdict("no")),
        (LONG, True, Verdict("yes")),
        (LONG, False, Verdict("no")),
        (LONG, Verdict("yes", note="since"), Verdict("yes", note="since")),
        (LONG, Failed("no idea"), Failed("no idea")),
        (Similar("a", "b"), 0.25, Verdict(0.25)),
        (Similar("a", "b"), 1, Verdict(1)),
        (Span("q", "c"), "", Verdict("")),
    ],
)
def test_what_a_function_may_return(request_: Any, value: Any, verdict: Any) -> None:
    assert ask_all(as_judge(lambda request: value), [request_]) == [verdict]


@pytest.mark.parametrize(
    ("request_", "value", "reason"),
    [
        (LONG, "maybe", "function:odd returned 'maybe' for NeedsCitation, not yes or no"),
        (LONG, None, "function:odd returned None for NeedsCitation, not yes or no"),
        (LONG, ["yes"], "function:odd returned ['yes'] for NeedsCitation, not yes or no"),
        (LONG, 1, "function:odd returned 1 for NeedsCitation, not yes or no"),
        (LONG, Verdict("YES"), "function:odd returned 'YES' for NeedsCitation, not yes or no"),
        (
            Similar("a", "b"),
            float("nan"),
            "function:odd returned nan for Similar, not a number",
        ),
        (Similar("a", "b"), True, "function:odd returned 'yes' for Similar, not a number"),
        (Span("q", "c"), 3, "function:odd returned 3 for Span, not a text"),
    ],
)
def test_what_is_not_declared_is_a_failure(request_: Any, value: Any, reason: str) -> None:
    def odd(request: Any) -> Any:
        return value

    judge = as_judge(odd)
    assert ask_all(judge, [request_]) == [Failed(reason)]
    assert judge.counts.failed == 1


def test_an_exception_inside_fails_that_request_alone() -> None:
    def partly(request: NeedsCitation) -> str:
        return {"short": "no"}[request.sentence]

    report = evaluate(SET, ANSWERS, [Needs()], judge=partly)
    assert report.failures == (
        "q1: needs: NeedsCitation: function:partly raised KeyError on NeedsCitation: "
        "'a long sentence'",
    )
    assert report.value("needs.yes") is None
    assert report.per_question["q2"]["needs"] is not None


def test_a_judge_error_inside_ends_the_run() -> None:
    def out_of_money(request: NeedsCitation) -> str:
        raise JudgeError("the budget is spent")

    with pytest.raises(JudgeError, match="the budget is spent"):
        evaluate(SET, ANSWERS, [Needs()], judge=out_of_money)


def source(function: Any) -> str:
    return as_judge(function).identity()["source"]


def test_the_identity_follows_the_source_and_the_values_around_it() -> None:
    def longer_than(limit: int) -> Any:
        return lambda request: len(request.sentence) > limit

    def at_least(request: NeedsCitation, limit: int) -> bool:
        return len(request.sentence) > limit

    assert source(is_long) == source(is_long)
    assert source(longer_than(5)) == source(longer_than(5))
    assert source(longer_than(5)) != source(longer_than(8))
    partial = functools.partial(at_least, limit=5)
    assert source(partial) != source(functools.partial(at_least, limit=8))
    assert as_judge(partial).name == "function:at_least"
    assert as_judge(longer_than(5)).name == "function:lambda"


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (5, "neither a function nor a judge"),
        (None, "neither a function nor a judge"),
        (lambda: "yes", "neither a function nor a judge"),
        (lambda request, other: "yes", "takes one argument, the judge request"),
        (type("Half", (), {"judge": 1, "name": "half"})(), "it lacks kinds"),
    ],
)
def test_what_is_no_judge_is_refused(given: Any, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        evaluate(SET, ANSWERS, [Needs()], judge=given)


@pytest.mark.parametrize(
    ("name", "judge"),
    [
        ("is_long", "function:is_long"),
        ("make", "function:is_long"),
        ("group.strict", "function:is_long"),
        ("ready", "lexical"),
        ("Own", "own"),
    ],
)
def test_a_spec_imports_what_the_user_named(module: Path, name: str, judge: str) -> None:
    path = list(sys.path)
    assert as_judge(f"own_judges:{name}").name == judge
    assert sys.path == path


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("own_judges:nothing", "no judge is called 'own_judges:nothing': own_judges has no 'noth"),
        ("own_judges:number", "own_judges:number is neither a function nor a judge"),
        ("own_judges:broken", "own_judges:broken raised RuntimeError: no key"),
        ("own_judges:two", "takes one argument, the judge request"),
        ("own_judges:Needy", "own_judges:Needy"),
        ("own_judge:is_long", "there is no module 'own_judge'"),
        ("own_judges.deep:x", "there is no module 'own_judges.deep'"),
        ("failing:x", "importing failing failed: ZeroDivisionError: division by zero"),
        ("lacking:x", "importing lacking failed: No module named 'not_there_at_all'"),
    ],
)
def test_a_spec_that_names_no_judge_is_refused(module: Path, spec: str, message: str) -> None:
    module.with_name("failing.py").write_text("1 / 0\n")
    module.with_name("lacking.py").write_text("import not_there_at_all\n")
    with pytest.raises(UsageError, match=message.replace("(", r"\(")):
        as_judge(spec)


def test_a_spec_from_a_file_imports_nothing(module: Path) -> None:
    for spec in ("own_judges:is_long", "panel:lexical+own_judges:is_long"):
        for refuse in (create_judge, refuse_import):
            with pytest.raises(UsageError, match="--judge own_judges:is_long"):
                refuse(spec)
        find_judge(spec), is_paid(spec)
    assert "own_judges" not in sys.modules


def test_evaluate_takes_a_judge_by_module_and_name(module: Path) -> None:
    answers = module.with_name("answers.jsonl")
    answers.write_text('{"id": "flood-toll", "answer": "Eleven people died [D03]. It rained."}\n')
    module.write_text("def always(request):\n    return True\n")
    args = ["evaluate", str(answers), "--split", "sample", "--only-answered", "-m", "citations"]
    result = CliRunner().invoke(main, [*args, "--judge", "own_judges:always", "--format", "json"])
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout[result.stdout.index("{") :])
    assert found["scores"]["citations.recall"]["value"] == 0.5
    assert found["signature"]["citations"]["judge"].startswith("function:always source:")


def test_a_season_that_names_a_module_is_refused(module: Path) -> None:
    season = Season("s", SetEntry("core"), judge="own_judges:is_long", judges={"nli": "nli:M"})
    with pytest.raises(UsageError, match="--judge own_judges:is_long"):
        season.judge_specs({})
    assert season.judge_specs({"": "lexical"}) == {"": "lexical", "nli": "nli:M"}
    assert "own_judges" not in sys.modules
