"""Texts that read nothing: refused or cut where they are too long, and without reward where they fit."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import ClassVar, get_args

import pytest

from argue_bench import evaluate, load
from argue_bench.baselines import generate
from argue_bench.errors import DataError, UsageError
from argue_bench.leaderboard.formats.results import parse_result
from argue_bench.leaderboard.formats.season import read_season
from argue_bench.leaderboard.screening.answers import facts_of
from argue_bench.leaderboard.seasons.sealing import Terms
from argue_bench.loaders.answers import as_answers
from argue_bench.loaders.dataset import Dataset
from argue_bench.metrics import METRICS, PUBLISHED, Metric, definitions, parse
from argue_bench.metrics.argue.judging import Preset
from argue_bench.metrics.base import WholeMetric
from argue_bench.records import (
    Criterion,
    Document,
    Gold,
    JudgeRequest,
    Nugget,
    NuggetAnswer,
    Question,
    ShortAnswer,
    Verdict,
)
from argue_bench.stats.averages import Average, macro
from argue_bench.text import sentences
from tests.hostile.conftest import Start
from tests.leaderboard.repositories import ROOT, SEASON, Content, Repository
from tests.leaderboard.steps import Steps, codes, command

FEW = 12
PATH = f"{ROOT}/season.json"


def copied(dataset: Dataset) -> dict[str, str]:
    """Every listed document, each sentence cited."""
    return {
        question.id: " ".join(
            f"{sentence.rstrip('.')} [{id}]."
            for id, document in dataset.documents_of(question).items()
            for sentence in sentences(document.text)
        )
        for question in dataset
    }


def lines(answers: Mapping[str, str]) -> str:
    return "".join(json.dumps({"id": id, "answer": text}) + "\n" for id, text in answers.items())


def declare(repository: Repository, **changes: object) -> None:
    """Changes the season, on main and in the checkout."""
    path = repository.folder / "season.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **changes}))
    content: dict[str, Content] = {PATH: path.read_text()}
    repository.merge(repository.commit(content))


def topics(repository: Repository) -> Dataset:
    return load("core", "test", repository.folder / "topics")


def test_copies_of_all_documents_are_refused_at_the_door(
    repository: Repository, start: Start
) -> None:
    answers = copied(topics(repository))
    steps = start(answers=lines(answers))
    said = command(
        "board ci intake",
        remote=steps.request.remote,
        pr=steps.request.pr,
        sha=steps.request.sha,
        base=steps.request.base,
        author=steps.request.author,
        folder=repository.folder,
        out=steps.taken,
    )
    assert said.exit_code == 1
    outcome = json.loads((steps.taken / "intake.json").read_bytes())
    assert outcome["state"] == "refused"
    assert set(codes(outcome)) == {"mass-empty"}


def test_where_the_season_cuts_the_result_says_so(repository: Repository, start: Start) -> None:
    declare(repository, over_limit="cut", told="all", step=None, bits=None)
    dataset = topics(repository)
    # An answer over four times its limit is read no further, and counts as none.
    steps: Steps = start(answers=lines({id: text[:9_000] for id, text in copied(dataset).items()}))
    outcome = steps.whole()
    assert [code for level, code, _, _ in outcome["findings"] if level == "warning"] == [
        "over-limit"
    ]
    raw = repository.at("leaderboard-results", f"results/{SEASON}/my-system.json")
    facts = parse_result(raw, Path(f"results/{SEASON}/my-system.json")).settings["openbook"].answers
    assert facts is not None
    assert facts.cut == len(dataset)
    assert facts.longest <= max(q.request.limit or 0 for q in dataset if q.request)
    assert facts.verbatim is not None
    assert facts.verbatim > 0.9


def test_a_set_without_limits_gets_the_seasons(repository: Repository) -> None:
    season = read_season(repository.folder)
    assert (season.limits.length, season.limits.sentences, season.limits.over) == (
        4_000,
        400,
        "unscored",
    )
    for wrong in (0, 200_001, None, "many"):
        path = repository.folder / "season.json"
        path.write_text(json.dumps({**json.loads(path.read_text()), "limit": wrong}))
        with pytest.raises(DataError, match="a number, 1 to 200,000"):
            read_season(repository.folder)


@pytest.fixture(scope="module")
def dev() -> Dataset:
    return load("core", "dev")[:FEW]


def honest(dataset: Dataset, name: str) -> dict[str, str]:
    return {row["id"]: row["answer"] for row in generate(name, dataset, "evidenceprovided")}


@pytest.mark.parametrize(
    ("ranked", "says"),
    [
        ("citations.recall", "citations.precision, citations.f1"),
        ("argue.sentence_support", "argue.f1"),
        ("argue.nugget_coverage", "argue.f1"),
        ("grounding.citation_f1_strict", "balanced_f1"),
        ("grounding.citation_informedness", "balanced_f1"),
        ("grounding.refusal_recall", "balanced_f1"),
        ("faithfulness.answered", "faithfulness.supported"),
        # Who says nothing contradicts nothing, and commits no fault.
        ("rubric.contradicted", "rubric.score, rubric.strict"),
        ("rubric.faults", "rubric.score, rubric.strict"),
        ("grounding_judge.false_refusal_rate", "grounding_judge.at_least_4"),
        # What is made up is about the question too.
        ("answer_relevance.relevant", "argue.f1"),
        ("answer_relevance.answered", "argue.f1"),
        # They score documents, which are the same for all, or chosen by the author.
        ("context_recall.recall", "argue.f1"),
        ("context_precision.precision", "argue.f1"),
        ("context_relevance.relevant", "argue.f1"),
        ("relevance.mrr", "argue.f1"),
        ("sources.accuracy", "argue.f1"),
        ("mauve.score", "argue.f1"),
        ("length.words", "argue.f1"),
        # Faults of a published definition: the least are those of an empty text.
        ("rubric(rules=dragun).contradictory", "supportive"),
        ("grounding(rules=luciole-v1).false_refusal_rate", "balanced_f1"),
        ("grounding(rules=luciole-head).answer_em", "balanced_f1"),
        ("support(rules=rag26).uncited", "recall"),
        ("citations(rules=fact-code).total", "citations.f1"),
    ],
)
def test_no_board_ranks_by_what_reading_nothing_wins(ranked: str, says: str) -> None:
    terms = Terms(metrics=(ranked.rpartition(".")[0],), ranked=ranked, told="all")
    with pytest.raises(UsageError, match=f"without reading a document.*{re.escape(says)}"):
        terms.check()


def test_a_metric_that_names_no_score_ranks_nobody() -> None:
    """Whoever adds a metric says by which of its scores a board may rank."""

    class Counted(Metric):
        name = "counted"
        scores: ClassVar[Mapping[str, Average]] = {"words": macro("words")}

    assert Counted().ranked_by == ()
    known = (parse(text) for text in (*METRICS, *PUBLISHED))
    ends = {metric.averages(())[name].better for metric in known for name in metric.ranked_by}
    assert ends == {"higher"}


def test_the_lexical_judge_ranks_by_nothing_that_wants_understanding() -> None:
    terms = Terms(metrics=("factuality(judge=lexical)",), ranked="factuality.accuracy")
    with pytest.raises(UsageError, match="counts words"):
        terms.check()


def test_no_board_ranks_by_what_a_list_of_guesses_has_of_a_list() -> None:
    assert parse("qampari(rules=alce)").ranked_by == ("f1", "f1_top5")


def test_no_board_ranks_by_half_of_a_likeness() -> None:
    text = "rouge_lsum(rules=alce,lines=all)"
    assert parse(text).ranked_by == ("fscore",)
    with pytest.raises(UsageError, match="fscore"):
        Terms(metrics=(text,), ranked=f"{text}.precision").check()


@pytest.mark.parametrize(
    "ranked",
    [
        "accuracy.loose",
        "str_em.recall",
        "claims.recall",
        "rouge_lsum.fscore",
        "nuggets.all",
        "rouge.rouge1_fscore",
    ],
)
def test_no_board_ranks_by_what_an_answer_merely_holds(ranked: str) -> None:
    """Whoever lists more holds more. By the published rules it may, with what games earn beside it."""
    name, _, score = ranked.partition(".")
    texts = [f"{text}.{score}" for text in list(definitions(name))[1:]]
    with pytest.raises(
        UsageError, match="without reading a document.*" + re.escape(", ".join(texts))
    ):
        Terms(metrics=(name,), ranked=ranked).check()
    for text in texts:
        Terms(metrics=(text.rpartition(".")[0],), ranked=text).check()


def test_quotes_are_counted_and_own_words_are_not(dev: Dataset) -> None:
    quoted = as_answers(
        [{"id": id, "answer": text} for id, text in honest(dev, "lead-sentences").items()], dev
    )
    verbatim = facts_of(quoted.values(), dev).verbatim
    assert verbatim is not None
    assert verbatim > 0.95
    own = [
        {"id": one.id, "answer": "Of all of this I have read the documents with some care."}
        for one in dev
    ]
    facts = facts_of(as_answers(own, dev).values(), dev)
    assert (facts.verbatim, facts.median, facts.longest, facts.cut) == (0, 56, 56, 0)


def with_a_word(text: str) -> str:
    """The sentences of a text, each with "so" in its middle."""
    words = [one.split() for one in sentences(text)]
    return " ".join(" ".join([*w[: len(w) // 2], "so", *w[len(w) // 2 :]]) for w in words)


def with_look_alikes(text: str) -> str:
    return text.translate(str.maketrans("eoia", "\u0435\u043e\u0456\u0430"))


@pytest.mark.parametrize("disguise", [with_a_word, with_look_alikes])
def test_a_quote_stays_one_in_disguise(dev: Dataset, disguise: Callable[[str], str]) -> None:
    """Counted by whole sentences, the word took it from 0.998 to 0, the letters to 0.21."""
    rows = [
        {"id": id, "answer": disguise(text)} for id, text in honest(dev, "lead-sentences").items()
    ]
    verbatim = facts_of(as_answers(rows, dev).values(), dev).verbatim
    assert verbatim is not None
    assert verbatim > 0.7


RANKED = [
    f"{text}.{score}"
    for text in (
        *(text for name in METRICS for text in definitions(name)),
        *(f"argue(rules={rules})" for rules in get_args(Preset)[1:]),
    )
    if not isinstance(parse(text), WholeMetric)
    for score in parse(text).ranked_by
]


def says_first(request: JudgeRequest) -> Verdict:
    """The first verdict that a request declares; else a text or a number."""
    first = request.verdicts[0] if isinstance(request.verdicts, tuple) else "1889"
    return Verdict(0.5 if request.verdicts is float else first)


@pytest.mark.parametrize("ranked", RANKED)
def test_no_row_chooses_the_questions_that_its_ranked_score_averages(ranked: str) -> None:
    """By Luciole's rules a row that cited in 12 answers of 135 alone had 83.3 of `citation_f1_strict`, the best baseline 50.2."""
    said, metric = "The tower opened in 1889", parse(ranked.rpartition(".")[0])
    gold = Gold(
        answer=("1889",),
        short_answers=(ShortAnswer("When did it open?", ("1889",)),),
        nuggets=(
            Nugget("n", "When did it open?", (NuggetAnswer("1889", ("d",)),), weight="vital"),
        ),
        long_answers=(said,),
        claims=(said,),
        supporting=("d",),
        rubric=(Criterion("c", said),),
    )
    question = Question("q", "When did the tower open?", documents=("d",), gold=gold)
    one = Dataset("one", "dev", (question,), {"d": Document("d", f"{said}.", "Tower")})
    applies = []
    for answer in (f"{said} [1] <cite>Tower</cite>.", f"{said}.", "I do not know.", ""):
        rows = [{"id": "q", "answer": answer}]
        report = evaluate(one, rows, metrics=[metric], judge=says_first)
        tallies = report.per_question["q"][str(metric)]
        assert tallies
        read = metric.averages(tallies)[ranked.rpartition(".")[2]].columns_read
        applies.append({name: tallies[name].applies for name in read})
    assert any(applies[0].values())
    assert applies == [applies[0]] * 4


def test_no_board_ranks_by_what_leaves_out_who_says_nothing() -> None:
    for ranked in (
        "grounding(rules=luciole-v1).citation_f1_strict",
        "grounding(rules=luciole-head).citation_precision_fuzzy",
        "argue(rules=auto-argue).f1",
        "citations(rules=alce).f1",
        "citations(rules=alce).recall_micro",
        "citations(rules=fact-code).accuracy",
        "support(rules=rag26).precision",
    ):
        with pytest.raises(UsageError, match="by saying nothing, so no board ranks by it"):
            Terms(metrics=(ranked.rpartition(".")[0],), ranked=ranked).check()
