"""`evaluate`, from answers to signed scores, with numbers worked by hand."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from argue_bench import load
from argue_bench.errors import DataError, NoGold, UnknownName, UsageError
from argue_bench.eval import Report, aevaluate, evaluate
from argue_bench.eval.report import Scores, short_key
from argue_bench.eval.run import read_entries, read_header, read_reports
from argue_bench.judges.recorded import Recorded
from argue_bench.loaders.dataset import Dataset
from argue_bench.records import (
    Document,
    Gold,
    NeedsCitation,
    NegativeAssertion,
    Question,
    Tally,
    Verdict,
)
from argue_bench.store import Store
from tests.eval.toys import Letters, Needs, dataset

SET = dataset({"q1": "abcd", "q2": "ab", "q3": ""})
ANSWERS = [{"id": "q1", "answer": "abx"}, {"id": "q3", "answer": "z"}]


def score(report: Report, name: str) -> float | None:
    return report.scores[f"letters.{name}"].value


def test_scores_are_the_averages_of_tallies() -> None:
    report = evaluate(SET, ANSWERS, [Letters()])
    # recall: q1 2 of 4, q2 unanswered 0 of 2, q3 has no letters and does not apply
    assert score(report, "recall") == pytest.approx((2 / 4 + 0 / 2) / 2)
    assert score(report, "recall_micro") == pytest.approx(2 / 6)
    # precision: q1 2 of 3, q2 has no letters (does not apply), q3 0 of 1
    assert score(report, "precision") == pytest.approx((2 / 3 + 0) / 2)
    r, p = 0.25, 1 / 3
    assert score(report, "f1_of_means") == pytest.approx(2 * r * p / (r + p))
    assert score(report, "missed") == 2 + 2 + 0
    assert report.scores["letters.recall"].n == 2
    assert report.scores["letters.missed"].n == 3
    assert report.per_question["q1"]["letters"] == {
        "recall": Tally(2, 4),
        "precision": Tally(2, 3),
        "missed": Tally(2, 1.0),
    }


@pytest.mark.parametrize(
    ("mark", "metric", "said"),
    [("as d1 says", "citations", 1), ("[d1]", "citations", 0), ("as d1 says", "faithfulness", 0)],
)
def test_a_run_says_that_no_citation_could_be_read(mark: str, metric: str, said: int) -> None:
    gold = Gold(answer="1931")
    questions = [Question(id, "When?", documents=("d1",), gold=gold) for id in ("q1", "q2")]
    cited = Dataset("d", "dev", tuple(questions), {"d1": Document("d1", "It fell in 1931.")})
    report = evaluate(
        cited, [{"id": id, "answer": f"It fell {mark}."} for id in cited.by_id], [metric]
    )
    assert len(report.remarks) == said
    assert "None of 2 answers contains a citation" in str(report) or not said


def test_only_answered_leaves_the_rest_out() -> None:
    report = evaluate(SET, ANSWERS, [Letters()], only_answered=True)
    assert score(report, "recall") == pytest.approx(0.5)
    assert report.n == 2
    assert report.signature["letters"]["answers"] == "answered"


def test_the_signature_says_what_moved_the_number() -> None:
    report = evaluate(SET, ANSWERS, [Letters(), Needs()], judge=recorded())
    letters, needs = report.signature["letters"], report.signature["needs"]
    assert letters["data"] == SET.title
    assert letters["n"] == "3"
    assert "judge" not in letters
    assert needs["judge"].startswith("people ")
    other = evaluate(dataset({"q1": "abcd", "q2": "ab", "q3": "new"}), ANSWERS, [Letters()])
    (difference,) = letters.differences(other.signature["letters"])
    assert difference.startswith("data: toy-dev@")


def recorded(*texts: str) -> Recorded:
    return Recorded(
        {NeedsCitation(text).key: Verdict("yes") for text in texts}, name="people", digest="d1"
    )


def test_a_failed_verdict_leaves_the_score_unset_and_is_listed() -> None:
    report = evaluate(SET, ANSWERS, [Needs()], judge=recorded("abx", ""))
    found = report.scores["needs.yes"]
    assert (found.value, found.failed) == (None, 1)
    assert report.failures == ("q3: needs: NeedsCitation: not recorded",)
    assert report.per_question["q3"]["needs"] is None


def test_failures_may_be_left_out_up_to_a_share() -> None:
    def left_out(on_failure: str) -> Report:
        return evaluate(SET, ANSWERS, [Needs()], judge=recorded("abx", ""), on_failure=on_failure)

    strict, tolerant = left_out("leave-out"), left_out("leave-out=40%")
    assert strict.scores["needs.yes"].value is None
    assert strict.signature["needs"]["on-failure"] == "leave-out"
    assert tolerant.scores["needs.yes"].value == 1.0
    assert tolerant.scores["needs.yes"].failed == 1
    assert tolerant.signature["needs"]["on-failure"] == "leave-out 0.4"
    for wrong in ("leave-out=200%", "leave-out=", "refuse=5%", "no"):
        with pytest.raises(UsageError, match="leave-out=5%"):
            left_out(wrong)


def test_a_run_file_knows_which_share_may_be_left_out(tmp_path: Path) -> None:
    sample = load("core", "sample")
    answers = [{"id": q.id, "answer": f"It is so, {q.id}."} for q in sample]
    heard = {NeedsCitation(f"It is so, {q.id}.").key: Verdict("yes") for q in list(sample)[1:]}
    heard |= {NegativeAssertion(f"It is so, {q.id}.").key: Verdict("no") for q in list(sample)[1:]}
    for share in (0.02, 0.4):
        out = tmp_path / f"{share}.jsonl"
        report = evaluate(
            sample,
            answers,
            ["argue"],
            judge=Recorded(heard),
            out=out,
            on_failure=f"leave-out={100 * share:g}%",
        )
        assert report.scores["argue.f1"].failed == 1
        assert (report.scores["argue.f1"].value is None) == (share == 0.02)
        (again,) = read_reports(out).values()
        assert dict(again.resampled().scores) == dict(report.scores)


def test_defaults_are_argues_and_stand_in_the_signature() -> None:
    report = evaluate(SET, ANSWERS, [Needs()], judge=recorded(), on_failure="default")
    assert report.scores["needs.yes"].value == 1.0
    assert report.signature["needs"]["on-failure"] == "default"


def test_a_sealed_set_is_refused_before_anything_is_asked() -> None:
    with pytest.raises(NoGold, match="'q2' has no gold: its split is sealed"):
        evaluate(dataset({"q1": "a", "q2": None}), ANSWERS[:1], [Letters()])


def test_answers_that_fit_no_question_are_findings() -> None:
    with pytest.raises(DataError) as raised:
        evaluate(
            SET, [*ANSWERS, {"id": "q9", "answer": "x"}, {"id": "q1", "answer": 3}], [Letters()]
        )
    assert len(raised.value.findings) >= 2


def test_it_works_inside_a_running_loop() -> None:
    async def notebook() -> Report:
        return evaluate(SET, ANSWERS, [Letters()])

    assert score(asyncio.run(notebook()), "recall") == pytest.approx(0.25)


def test_the_asynchronous_door_gives_the_same() -> None:
    report = asyncio.run(aevaluate(SET, ANSWERS, [Letters()]))
    assert report.to_dict() == evaluate(SET, ANSWERS, [Letters()]).to_dict()


def test_a_report_is_plain_json_without_nan() -> None:
    report = evaluate(dataset({"q1": ""}), [], [Letters()])
    text = json.dumps(report.to_dict(), allow_nan=False)
    assert json.loads(text)["scores"]["letters.recall"]["value"] is None


def test_short_keys_serve_where_one_score_is_meant() -> None:
    assert short_key("argue(rules=auto-argue).f1") == "argue.f1"
    scores = Scores({"a(x=1).f": None, "a(x=2).f": None, "b(y=1).g": 3})  # type: ignore[dict-item]
    assert scores["b.g"] == 3  # type: ignore[comparison-overlap]
    assert "b.g" in scores
    with pytest.raises(UnknownName, match=r"a\(x=1\).f"):
        scores["a.f"]


def test_a_run_file_gives_the_same_report_without_asking(tmp_path: Path) -> None:
    sample = load("core", "sample")
    answers = [{"id": q.id, "answer": f"{q.text} [{q.documents[0]}]."} for q in sample]
    out = tmp_path / "run.jsonl"
    report = evaluate(sample, answers, ["argue"], system="s", out=out)
    (again,) = read_reports(out).values()
    assert dict(again.scores) == dict(report.resampled(0).scores)
    assert again.per_question == report.per_question
    assert dict(again.resampled(100).scores) == dict(report.resampled(100).scores)
    assert {t: dict(s) for t, s in again.signature.items()} == {
        t: dict(s) for t, s in report.signature.items()
    }
    assert read_header(out).store == "run.jsonl.verdicts"
    assert (tmp_path / "run.jsonl.verdicts").is_file()
    first = out.read_bytes()
    evaluate(sample, answers, ["argue"], system="s", out=out)
    assert out.read_bytes() == first
    assert not list(tmp_path.glob(".*"))


@pytest.mark.parametrize("absolute", [False, True])
def test_a_store_elsewhere_is_found_from_the_run_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, absolute: bool
) -> None:
    monkeypatch.chdir(tmp_path)
    sample = load("core", "sample")
    answers = [{"id": q.id, "answer": f"{q.text} [{q.documents[0]}]."} for q in sample]
    out, store = Path("runs/run.jsonl"), Path("stores/verdicts")
    for folder in (out.parent, store.parent):
        folder.mkdir()
    kept = tmp_path / store if absolute else store
    evaluate(sample, answers, ["argue"], out=out, store=kept)
    assert read_header(out).store == "../stores/verdicts"
    with Store(out.parent / read_header(out).store, write=False) as opened:
        assert len(opened) > 0


def test_a_broken_run_file_is_a_finding(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    path.write_text('{"id": "q1", "answer": "x"}\n')
    with pytest.raises(DataError, match="not a run file"):
        read_header(path)
    path.write_text('{"header": {"format": 99}}\n')
    with pytest.raises(DataError, match="format 99"):
        read_header(path)
    header = {"format": 2, "dataset": "d", "digest": "", "metrics": ["argue"], "signature": {}}
    path.write_text(json.dumps({"header": header}) + '\n{"answer": {}}\n')
    with pytest.raises(DataError, match=":2: "):
        list(read_entries(path))


def test_a_run_that_breaks_leaves_what_was_there(tmp_path: Path) -> None:
    out = tmp_path / "run.jsonl"
    out.write_text("before")
    with pytest.raises(NoGold):
        evaluate(dataset({"q1": None}), [], [Letters()], out=out)
    assert out.read_text() == "before"


def test_an_openbook_answer_may_cite_any_document_of_the_collection() -> None:
    from argue_bench import load

    sample = load("core", "sample")
    question = next(q for q in sample if len(q.documents) < len(sample.documents))
    (far, *_) = (id for id in sample.documents if id not in question.documents)
    text = sample.documents[far].text.partition(". ")[0]
    answers = [{"id": question.id, "answer": f"{text} [{far}]. It is so [1]."}]
    report = evaluate(sample, answers, ["argue"], only_answered=True)
    tally = report.per_question[question.id]["argue"]
    assert tally is not None
    assert tally["citations"].numerator == 2
    assert tally["supporting_citations"].numerator >= 1


def test_a_judge_that_always_says_the_same_is_told_at_once_and_in_the_report(
    caplog: pytest.LogCaptureFixture,
) -> None:
    def scored(judge: Any) -> Report:
        ids = [f"s{n}" for n in range(240)]
        questions = Dataset("same", "dev", tuple(Question(id, "?", gold=Gold()) for id in ids))
        return evaluate(questions, [{"id": id, "answer": id} for id in ids], [Needs()], judge=judge)

    report = scored(lambda request: "no")
    assert [line for line in report.remarks if "said no 240 times of 240 (NeedsCitation)" in line]
    assert report.remarks[0] in str(report)
    assert "said no 50 times of 50" in caplog.text
    mixed = scored(lambda request: "no" if int(request.key, 16) % 100 < 60 else "yes")
    assert not mixed.remarks
