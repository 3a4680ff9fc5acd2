"""Do we count what ALCE's evaluator and rageval's metrics count? One test per case and figure group.

Labels are the case's own, through the `recorded` judge: an ask that the reference did not make fails.
Sentences are the case's own too. On purpose we differ in one thing: an item without question pairs has
no STR-EM, where ALCE says 0 or NaN.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from argue_bench.errors import ArgueBenchError
from argue_bench.eval import Report, evaluate
from argue_bench.judges.recorded import Recorded
from argue_bench.loaders import Dataset, load, read_answers
from argue_bench.metrics import Metric
from argue_bench.published.alce import auto_ais as alce_citations
from argue_bench.published.alce import correctness as alce
from argue_bench.published.alce.auto_ais import NumberedCitations
from argue_bench.published.alce.mauve import AlceMauve
from argue_bench.published.rageval import metrics as rageval
from argue_bench.records import Answer, Entails, JudgeRequest, Question, Source, Span, Verdict
from tests.agreement.vectors import parameters, read

NEAR = 1e-6
Case = dict[str, Any]
ALCE_TO_OURS = {
    "qampari_prec": "precision",
    "qampari_rec": "recall",
    "qampari_rec_top5": "recall_top5",
    "qampari_f1": "f1",
    "qampari_f1_top5": "f1_top5",
    "num_preds": "predictions",
}


def groups(path: Path) -> Iterator[tuple[str, tuple[str, Case]]]:
    for case in read(path)["cases"]:
        expected = case["expected"]
        found = ["error"] if "error" in expected else ["length", "str_em", "citations", "sentences"]
        found += ["rouge"] if "rougeLsum" in expected else []
        found += ["qa"] if "QA-EM" in expected else []
        found += ["claims"] if "claims_nli" in expected else []
        found += ["qampari"] if "qampari_prec" in expected else []
        found += ["mauve"] if "mauve_call" in case else []
        found += ["rageval"] if "expected_rageval" in case else []
        for group in found:
            yield f"{case['id']}-{group}", (group, case)


@pytest.mark.parametrize("case", parameters("alce", "cases.json", groups))
def test_figures(case: tuple[str, Case], tmp_path: Path) -> None:
    group, given = case
    CHECKS[group](given, tmp_path)


def _loaded(case: Case, folder: Path, items: Sequence[Any] = ()) -> tuple[Dataset, list[Answer]]:
    file = folder / "result.json"
    file.write_text(json.dumps({"args": {}, "data": items or case["items"]}), "utf-8")
    dataset = load(f"alce-{case['dataset']}", path=file)
    return dataset, list(read_answers(file, dataset).values())


def _near(ours: float | None, theirs: float | None, scale: float = 1.0) -> bool:
    if ours is None or theirs is None:
        return ours is theirs
    return abs(scale * ours - theirs) <= NEAR


def _scored(
    dataset: Dataset,
    answers: Sequence[Answer],
    metric: str | Metric,
    verdicts: Mapping[JudgeRequest, Verdict] | None = None,
) -> Report:
    judge = Recorded({request.key: verdict for request, verdict in (verdicts or {}).items()})
    report = evaluate(dataset, answers, [metric], judge=judge)
    assert not report.failures
    return report


def _split(case: Case) -> Callable[[str], list[str]]:
    """The case's own sentences; of a text that its table lacks, those of the vectors' simple rule."""
    table = {row["text"]: row["sentences"] for row in case["sentence_table"]}

    def split(text: str) -> list[str]:
        if text in table:
            return list(table[text])
        assert not case["splitter_sensitive_citation"], f"the table lacks {text!r}"
        return [part for part in re.split(r"(?<=[.!?])\s+", text.strip()) if part]

    return split


def _tabled(case: Case, kind: type[NumberedCitations], **options: Any) -> NumberedCitations:
    """The metric with the case's own sentences."""
    split = _split(case)

    class Tabled(kind):  # type: ignore[misc, valid-type]
        def sentences(self, text: str) -> Sequence[str]:
            return split(text)

    return Tabled(**options)  # type: ignore[no-any-return]


def _given(case: Case) -> dict[str, Any]:
    """The options that ALCE's evaluator was run with; without any it has its own."""
    return case.get("options") or {}


def _options(case: Case) -> dict[str, Any]:
    max_citations = _given(case).get("at_most_citations", 3)
    unit = "item" if case["dataset"] == "qampari" else "sentence"
    return {"unit": unit, "max_citations": 0 if max_citations is None else max_citations}


def _verdict(label: int) -> Verdict:
    return Verdict("yes" if label else "no")


def _alce_verdicts(case: Case, dataset: Dataset) -> dict[JudgeRequest, Verdict]:
    """The labels of a case; a call says which documents it joined, not of which item they are."""
    verdicts: dict[JudgeRequest, Verdict] = {}
    for call in case["citation_nli_calls"]:
        for question in dataset:
            ids = [f"{question.id}/{number}" for number in call["docs"]]
            if all(id in dataset.documents for id in ids):
                premise = tuple(alce_citations.alce_source(dataset.documents[id]) for id in ids)
                request = Entails(premise, call["hypothesis"])
                if request.premise_text == call["premise"]:
                    verdicts[request] = _verdict(call["label"])
    return verdicts


def _rageval_verdicts(case: Case, dataset: Dataset) -> dict[JudgeRequest, Verdict]:
    return {
        Entails(
            (Source(" ".join(f"{question.id}/{n}" for n in call["docs"]), call["premise"]),),
            call["hypothesis"],
        ): _verdict(call["label"])
        for call in case["rageval_nli_calls"]
        for question in dataset
    }


def _readable(case: Case, *needed: str) -> list[Any]:
    """The items; of a case that stops ALCE's evaluator, what another program reads of them."""
    if case["class"] != "error":
        return list(case["items"])
    kept = {"sample_id", "id", "question", "docs", "output", *needed}
    return [{key: item[key] for key in item if key in kept} for item in case["items"]]


def check_error(case: Case, folder: Path) -> None:
    with pytest.raises(ArgueBenchError):
        _scored(*_loaded(case, folder), metric="str_em(rules=alce)")


def check_length(case: Case, folder: Path) -> None:
    report = _scored(*_loaded(case, folder), metric="length(rules=alce)")
    assert _near(report.value("length.words"), case["expected"]["length"])


def check_str_em(case: Case, folder: Path) -> None:
    dataset, answers = _loaded(case, folder)
    report = _scored(dataset, answers, "str_em(rules=alce)")
    paired = [question for question in dataset if question.gold and question.gold.short_answers]
    if case["dataset"] == "qampari" or not paired:
        # ALCE scores lists too, always 0, and says 0 where nothing was asked.
        assert case["expected"]["str_em"] in (0.0, None)
        assert case["dataset"] == "qampari" or report.value("str_em.recall") is None
        return
    recall, hit = report.value("str_em.recall"), report.value("str_em.hit")
    if case["items"][0].get("qa_pairs") is None:  # ALCE asks the first item for all
        assert (case["expected"]["str_em"], case["expected"]["str_hit"]) == (0, 0)
        assert recall is not None
        return
    if len(paired) == len(dataset):
        assert _near(recall, case["expected"]["str_em"], 100)
    else:  # an empty list of pairs makes ALCE's mean NaN, and is no hit
        assert case["expected"]["str_em"] is None
        assert recall is not None
    assert hit is not None
    assert _near(hit * len(paired) / len(dataset), case["expected"]["str_hit"], 100)


def check_rouge(case: Case, folder: Path) -> None:
    dataset, answers = _loaded(case, folder)
    split = _split(case)
    given = {answer.id: answer.text for answer in answers}
    found = [
        alce.rouge_lsum(q.gold.long_answers if q.gold else (), alce.plain(given[q.id]), split)
        for q in dataset
    ]
    if "rougeLsum_per_item" in case:
        for overlap, theirs in zip(found, case["rougeLsum_per_item"], strict=True):
            assert _near(overlap.fscore, theirs, 100)
    mean = sum(overlap.fscore for overlap in found) / len(found)
    assert _near(mean, case.get("rougeLsum_exact_mean", case["expected"]["rougeLsum"]), 100)


def check_citations(case: Case, folder: Path) -> None:
    dataset, answers = _loaded(case, folder)
    metric = _tabled(case, alce_citations.AlceCitations, **_options(case))
    report = _scored(dataset, answers, metric, _alce_verdicts(case, dataset))
    assert _near(report.value("citations.recall"), case["expected"]["citation_rec"], 100)
    assert _near(report.value("citations.precision"), case["expected"]["citation_prec"], 100)


def check_sentences(case: Case, folder: Path) -> None:
    dataset, answers = _loaded(case, folder)
    stated = [
        {"sentence": one.text, "refs0": list(one.cited), "hypothesis": one.hypothesis}
        for answer in answers
        for one in alce_citations.alce_statements(
            answer.text,
            _split(case),
            dataset.question(answer.id).text if case["dataset"] == "qampari" else None,
        )
    ]
    assert stated == case["sentences"]


def check_qa(case: Case, folder: Path) -> None:
    dataset, answers = _loaded(case, folder)
    verdicts: dict[JudgeRequest, Verdict] = {
        Span(question, call["context"]): Verdict(found)
        for call, spans in zip(case["qa_calls"], case["qa_predictions"], strict=True)
        for question, found in zip(call["questions"], spans, strict=True)
    }
    report = _scored(dataset, answers, "qa(rules=alce)", verdicts)
    for theirs, ours in (("QA-EM", "em"), ("QA-F1", "f1"), ("QA-Hit", "hit")):
        assert _near(report.value(f"qa.{ours}"), case["expected"][theirs], 100), theirs


def check_claims(case: Case, folder: Path) -> None:
    dataset, answers = _loaded(case, folder)
    verdicts: dict[JudgeRequest, Verdict] = {
        Entails((Source("answer", call["premise"]),), call["hypothesis"]): _verdict(call["label"])
        for call in case["claim_nli_calls"]
    }
    report = _scored(dataset, answers, "claims(rules=alce)", verdicts)
    assert _near(report.value("claims.recall"), case["expected"]["claims_nli"], 100)


def check_qampari(case: Case, folder: Path) -> None:
    dataset, answers = _loaded(case, folder)
    cot = _given(case).get("cot", False)
    listed = [
        alce.qampari([pair.answers for pair in gold.short_answers], answer.text, cot)
        for answer in answers
        if (gold := dataset.question(answer.id).gold)
    ]
    report = None if cot else _scored(dataset, answers, "qampari(rules=alce)")
    for theirs, name in ALCE_TO_OURS.items():
        mean = sum(getattr(one, name) for one in listed) / len(listed)
        scale = 1 if name == "predictions" else 100
        assert _near(mean, case["expected"][theirs], scale), theirs
        if report is not None and name != "predictions":
            assert _near(report.value(f"qampari.{name}"), case["expected"][theirs], scale)


def check_mauve(case: Case, folder: Path) -> None:
    dataset, answers = _loaded(case, folder, _readable(case, "answer"))
    pairs = [(dataset.question(answer.id), answer) for answer in answers]
    people, system = AlceMauve().texts(pairs)
    assert people == case["mauve_call"]["p_text"]
    assert system == case["mauve_call"]["q_text"]


def check_rageval(case: Case, folder: Path) -> None:
    items = _readable(case, "qa_pairs")
    if any(not item.get("qa_pairs") for item in items):
        items = [{key: item[key] for key in item if key != "qa_pairs"} for item in items]
    dataset, answers = _loaded(case, folder, items)
    expected = case["expected_rageval"]
    verdicts = _rageval_verdicts(case, dataset)
    metric = _tabled(case, rageval.RagevalCitations)
    report = _scored(dataset, answers, metric, verdicts)
    assert _near(report.value("citations.recall"), expected["answer_citation_recall"])
    assert _near(report.value("citations.precision_micro"), expected["answer_citation_precision"])
    rows = [report.per_question[answer.id][str(metric)] for answer in answers]
    for row, recall, counts in zip(
        rows,
        expected["answer_citation_recall_per_item"],
        expected["citation_correct_total_per_item"],
        strict=True,
    ):
        assert row is not None
        assert _near(row["recall"].value, recall)
        assert [row["correct"].numerator, row["citations"].numerator] == counts
    if any("qa_pairs" in item for item in items):
        assert _near(*_exact(dataset, answers, expected["answer_exact_match"]))
        loose = [
            rageval.exact_match([pair.answers for pair in pairs], answer.text, ignore_case=True)
            for answer in answers
            if (pairs := _pairs(dataset.question(answer.id)))
        ]
        mean = sum(sum(found) / len(found) for found in loose) / len(loose)
        assert _near(mean, expected["answer_exact_match_ignore_case"])


def _pairs(question: Question) -> Sequence[Any]:
    return question.gold.short_answers if question.gold else ()


def _exact(
    dataset: Dataset, answers: Sequence[Answer], theirs: float | None
) -> tuple[float | None, float | None]:
    return _scored(dataset, answers, "str_em(rules=rageval)").value("str_em.recall"), theirs


CHECKS = {
    name.removeprefix("check_"): check
    for name, check in list(globals().items())
    if name.startswith("check_")
}
