"""Systems without a model: valid submissions on every set and setting, from no gold, as said of them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from argue_bench.baselines import BASELINES, SETTINGS, DocumentAccess, Setting, generate
from argue_bench.errors import DataError, UsageError
from argue_bench.eval import evaluate
from argue_bench.loaders import load
from argue_bench.loaders.answers import as_answers
from argue_bench.loaders.dataset import Dataset
from argue_bench.records import Document, Evidence, Question
from tests.published.fanoutqa.wiki_server import IDS, serving

SAMPLE = load("core", "sample")
BARE = Dataset("bare", "dev", (Question("q", "Where was the 2004 final played?"),))
FRENCH = Dataset(
    "french",
    "dev",
    (Question("f", "Où se trouve le pont ?", documents=("1", "2"), language="fr"),),
    {
        "1": Document("1", "Le pont se trouve à Ålvik. Il est vieux.", "Le pont", "fr"),
        "2": Document("2", "", "Vide", "fr"),
    },
)


def sealed(dataset: Dataset) -> Dataset:
    return replace(dataset, questions=tuple(replace(q, gold=None) for q in dataset))


@pytest.mark.parametrize("setting", SETTINGS)
@pytest.mark.parametrize("name", BASELINES)
@pytest.mark.parametrize("dataset", [SAMPLE, FRENCH], ids=["sample", "french"])
def test_a_valid_submission_without_gold(name: str, setting: Setting, dataset: Dataset) -> None:
    lines = list(generate(name, sealed(dataset), setting))
    assert lines == list(generate(name, dataset, setting))
    assert [line["id"] for line in lines] == [question.id for question in dataset]
    read = as_answers(lines, dataset)
    for question in dataset:
        assert read[question.id].text.strip()
        if question.request and question.request.limit:
            assert len(read[question.id].text) <= question.request.limit
        for sentence in read[question.id].sentences:
            assert set(sentence.citations) <= set(dataset.documents)
            if setting == "evidenceprovided":
                assert set(sentence.citations) <= set(question.documents)


@pytest.mark.parametrize("name", BASELINES)
def test_a_set_without_documents(name: str) -> None:
    assert next(generate(name, BARE, "closedbook"))["answer"]
    with pytest.raises(UsageError, match="closedbook"):
        list(generate(name, BARE, "openbook"))
    loose = replace(BARE, documents=FRENCH.documents)
    with pytest.raises(UsageError, match="--setting openbook"):
        list(generate(name, loose, "evidenceprovided"))


def test_only_citations_tell_random_from_right() -> None:
    scores = {
        name: evaluate(
            SAMPLE,
            list(generate(name, SAMPLE, "evidenceprovided")),
            ["citations", "rouge"],
        ).scores
        for name in ("bm25-extractive", "random-citations")
    }
    right, drawn = scores["bm25-extractive"], scores["random-citations"]
    assert (
        (right["citations.recall"].value or 0) > 0.9 > 0.5 > (drawn["citations.recall"].value or 0)
    )


def test_leads_are_the_first_sentences_of_the_documents_in_their_order() -> None:
    question = SAMPLE.question("mayor-2022")
    answers = {
        line["id"]: line["answer"]
        for line in generate("lead-sentences", SAMPLE, "evidenceprovided")
    }
    first = SAMPLE.documents[question.documents[0]].text
    assert answers["mayor-2022"].startswith(first[:20])
    assert f"[{question.documents[0]}]" in answers["mayor-2022"].split(".")[0]


def test_stuffing_says_titles_and_numbers() -> None:
    answer = next(generate("stuffing", FRENCH, "evidenceprovided"))["answer"]
    assert answer.startswith("Le pont Vide 0 1 2 ")
    assert answer.endswith(" 2100")


@pytest.fixture
def fanout(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Dataset]:
    """A question with evidence on Wikipedia, and a Wikipedia to find it on."""
    page = Evidence(IDS["Pat Burrell"], 1000 * IDS["Pat Burrell"], "Pat Burrell", "")
    with serving() as server:
        monkeypatch.setenv("ARGUE_BENCH_CACHE", str(tmp_path))
        monkeypatch.setenv("FANOUTQA_CACHE_DIR", str(tmp_path))
        monkeypatch.setenv("ARGUE_BENCH_WIKIPEDIA", f"{server.url}/w/api.php")
        question = Question("q", "When was Pat Burrell drafted first?", evidence=(page,))
        yield Dataset("fanoutqa", "dev", (question,))


@pytest.mark.parametrize("setting", ["openbook", "evidenceprovided"])
def test_wikipedia_is_the_book_where_a_set_has_evidence(fanout: Dataset, setting: Setting) -> None:
    answer = next(generate("bm25-extractive", fanout, setting))["answer"]
    assert "Pat Burrell was drafted first in 1998 [Pat Burrell]." in answer


def test_a_question_of_which_no_page_has_all_words_is_searched_by_its_phrases(
    fanout: Dataset, tmp_path: Path
) -> None:
    (question,) = fanout
    long = replace(question, text="Which bat did the youngest of all, Pat Burrell, choose in 1998?")
    access = DocumentAccess(replace(fanout, questions=(long,)), "openbook")
    assert [passage.title for passage in access.best(long, 3)] == ["Pat Burrell"]
    kept = sorted(tmp_path.rglob("search-*.json"))
    assert [json.loads(file.read_text()) == [] for file in kept].count(False) == 1


def test_no_network_and_no_cache_is_an_error_that_names_the_published_cache(
    fanout: Dataset, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ARGUE_BENCH_WIKIPEDIA", "http://127.0.0.1:9/w/api.php")
    with pytest.raises(DataError, match="wikicache"):
        list(generate("lead-sentences", fanout, "evidenceprovided"))
    assert next(generate("stuffing", fanout, "evidenceprovided"))["answer"].startswith(
        "Pat Burrell 0 1"
    )
