"""What docs/metrics.md says of every metric: its row, its formulas, and one answer that it scores."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from click.testing import CliRunner

from argue_bench.cli import main
from argue_bench.eval import Report, evaluate
from argue_bench.loaders.dataset import Dataset
from argue_bench.metrics import METRICS
from argue_bench.records import Criterion, Document, Gold, Nugget, Question, Tally
from argue_bench.records.question import NuggetAnswer, ShortAnswer
from argue_bench.stats.averages import (
    Average,
    ClippedMacro,
    Harmonic,
    Macro,
    Maximum,
    Mean,
    Ratio,
    Youden,
)

MORE = {
    "[below](#fanoutqa-accuracy-and-rouge)": ("accuracy", "rouge"),
    "[ALCE](from/alce.md)": (
        *("str_em", "rouge_lsum", "qa", "qampari", "claims", "length", "mauve"),
        *("bleu", "chrf", "ter"),
    ),
    "[models](models.md)": ("bleurt",),
    "[judges](judges.md)": ("factuality",),
    "[rows](rows.md)": (
        *("faithfulness", "answer_relevance"),
        *("context_relevance", "context_precision", "context_recall"),
    ),
    "[citations](citations.md)": ("citations",),
    "[TREC](from/trec.md)": ("support", "relevance"),
    "[web reports](web-reports.md)": ("sources",),
    "[ARGUE](argue.md)": ("argue", "nuggets"),
    "[rubrics](argue.md#rubrics)": ("rubric",),
    "[grounding](grounding.md)": ("grounding", "grounding_judge"),
}
"""The page that says more, and the metrics it says it of."""
MORE_OF = {name: page for page, names in MORE.items() for name in names}
FORMULAS = {
    "accuracy": "strings of the gold answer in the answer / strings of the gold answer; `strict`: 1 where all are there",
    "rouge": "shared words, pairs of words, or longest common sequence / words of the answer (precision), of the gold (recall)",
    "str_em": "short answers of which a spelling is in the answer / short answers; `hit`: 1 where all are there",
    "rouge_lsum": "longest common sequences, sentence by sentence / words of the answer (precision), of the long answer (recall)",
    "qa": "questions to which a reader of the answer finds the short answer / questions",
    "qampari": "entities of the list that are right / entities of the list (precision), / entities asked for, by `top5` at most 5 (recall)",
    "claims": "gold claims that the answer entails / gold claims",
    "length": "words",
    "bleurt": "one number of a model for answer and gold answer",
    "bleu": "the mean of n-gram precisions, n = 1 to 4, of all answers together (`corpus`), times a penalty for short answers",
    "chrf": "F2 of runs of 1 to 6 characters of all answers together (`corpus`)",
    "ter": "edits of all answers / words of the nearest gold answers (`corpus`)",
    "mauve": "the area under the divergence curve of the two sets of texts",
    "factuality": "1 where the judge says that answer and gold agree",
    "answer_relevance": "sentences that help to answer the question / sentences",
    "citations": "supported sentences / sentences (`recall`); citations that matter / citations (`precision`)",
    "faithfulness": "sentences that the contexts support / sentences that state something",
    "support": "support of cited sentences, full 1 and part 1/2 / sentences that cite (`precision`), / sentences (`recall`)",
    "relevance": "the grades 0 to 3 of the documents in their order; relevant from grade 2",
    "context_relevance": "sentences of the contexts that help to answer / sentences of the contexts",
    "context_precision": "the mean of precision at k over the ranks k of useful contexts",
    "context_recall": "sentences of the reference that the contexts support / sentences of the reference",
    "sources": "citations that hold / citations that could be looked at; for each state, addresses in it / addresses",
    "argue": "S = sentences rewarded / sentences scored, C = nuggets credited / nuggets, `f1` = 2SC / (S + C)",
    "nuggets": "what the answer holds of the nuggets, full 1 and part 1/2, `strict` part 0 / nuggets, or vital nuggets",
    "rubric": "weights of criteria that are met, partly 1/2 / weights above 0",
    "grounding": "right citations / citations (precision), gold documents cited / gold documents (recall); refusals / questions",
    "grounding_judge": "the judge's rating from 1 to 5; the share of at least 4, or of 5",
}
"""What each metric counts in one answer."""
JUDGED = ("bleurt",)
BY_MODELS = ("qa", "factuality", "grounding_judge")
DOCUMENTS = {
    "d1": Document("d1", "The Harlow Bridge opened in 1931. It is 412 m long.", "Harlow Bridge"),
    "d2": Document("d2", "Edith Marsh designed the Harlow Bridge.", "Edith Marsh"),
    "d3": Document("d3", "Ferries crossed the river for a century.", "Ferries"),
}
ANSWER = (
    "The Harlow Bridge opened in 1931 [1]. Edith Marsh designed it [3]. It was painted red [1]."
)
QUESTION = Question(
    "q1",
    "When did the Harlow Bridge open, and who designed it?",
    documents=("d1", "d2", "d3"),
    gold=Gold(
        answer=["1931", "Edith Marsh", "412 m"],
        short_answers=(
            ShortAnswer("When did it open?", ("1931",)),
            ShortAnswer("Who designed it?", ("Edith Marsh", "E. Marsh")),
            ShortAnswer("How long is it?", ("412 m",)),
        ),
        nuggets=(
            Nugget("n1", "When did it open?", (NuggetAnswer("1931", ("d1",)),), weight="vital"),
            Nugget(
                "n2", "Who designed it?", (NuggetAnswer("Edith Marsh", ("d2",)),), weight="okay"
            ),
        ),
        long_answers=("The Harlow Bridge opened in 1931. Edith Marsh designed it.",),
        claims=("The Harlow Bridge opened in 1931.", "The Harlow Bridge is 412 m long."),
        rubric=(
            Criterion("when", "Says that the Harlow Bridge opened in 1931.", 2),
            Criterion("long", "Says that the Harlow Bridge is 412 m long.", 1),
        ),
        supporting=("d1", "d2"),
        answerable=True,
    ),
)


def overview() -> Iterator[str]:
    """A row for each metric: its question, and where more is said of it."""
    yield "| metric | question | more |"
    yield "|---|---|---|"
    for name, metric in METRICS.items():
        yield f"| [`{name}`](#{name}) | {metric.summary} | {MORE_OF[name]} |"


def worked() -> Iterator[str]:
    """Each metric's formulas, and what it counts in one answer."""
    yield "## Formulas, and one answer worked through"
    yield ""
    yield f"Question: *{QUESTION.text}* Documents:"
    yield ""
    for id, document in DOCUMENTS.items():
        yield f"* {id}, *{document.title}*: {document.text}"
    gold = QUESTION.gold
    assert gold is not None
    yield ""
    yield f"The gold has the strings {', '.join(f'*{one}*' for one in gold.answer)}, two nuggets (the year, vital; the"  # type: ignore[union-attr]
    yield "designer, okay), a long answer of two sentences, two claims and two criteria. The answer:"
    yield ""
    yield f"> {ANSWER.replace('[', chr(92) + '[')}"
    yield ""
    yield "The second sentence cites the wrong document, and no document says the third. The judge is `lexical`."
    listed = json.loads(CliRunner().invoke(main, ["list", "metrics", "--format", "json"]).stdout)
    for name in METRICS:
        own, *published = [row for row in listed if row["name"].partition("(")[0] == name]
        yield from _worked(name, own["options"])
        for row in published:
            scores, options = (
                ", ".join(f"`{one}`" for one in row[k]) for k in ("scores", "options")
            )
            yield ""
            yield f"`{row['name']}` has the scores {scores}{options and f', the options {options}'}."


def _worked(name: str, options: Sequence[str]) -> Iterator[str]:
    metric = METRICS[name]
    yield ""
    yield f"### `{name}`"
    yield ""
    yield f"{metric.summary[0].upper()}{metric.summary[1:]}"
    yield ""
    yield f"For one answer: {FORMULAS[name]}."
    yield ""
    if options:
        yield f"Options: {', '.join(f'`{option}`' for option in options)}."
        yield ""
    if name == "mauve":
        yield "It compares all answers with all gold answers, so one answer has no score: `score`."
        return
    yield "| score | over questions | here |"
    yield "|---|---|---|"
    if name in BY_MODELS:
        for key, average in metric.scores.items():
            yield f"| `{key}` | {formula(average)} | as its model says |"
        return
    spec = f"{name}(judge=lexical)" if name in JUDGED else name
    dataset = Dataset("bridge", "dev", (QUESTION,), DOCUMENTS)
    report = evaluate(dataset, [{"id": "q1", "answer": ANSWER}], [spec])
    for key, average in metric.scores.items():
        found = next((k for k in report.scores if k.rpartition(".")[2] == key), None)
        here = "only with other options" if found is None else _here(report, found, average)
        yield f"| `{key}` | {formula(average)} | {here} |"


def formula(average: Average) -> str:
    """How the tallies of all questions become one score."""
    match average:
        case ClippedMacro():
            return "mean, clipped to 0 and 1"
        case Macro():
            return "mean"
        case Ratio():
            return f"sum of `{average.above}` / sum of {f'`{average.below}`' if average.below else 'its denominators'}"
        case Harmonic():
            return f"2ab / (a + b), a = {formula(average.first)}{_of(average.first)}, b = {formula(average.second)}{_of(average.second)}"
        case Mean():
            return f"(a + b) / 2, a = {formula(average.first)}{_of(average.first)}, b = {formula(average.second)}{_of(average.second)}"
        case Youden():
            return f"{formula(average.first)}{_of(average.first)} - {formula(average.second)}{_of(average.second)}, at least 0"
        case Maximum():
            return "greatest"
    return type(average).__name__.lower().replace("total", "sum")


def _of(average: Average) -> str:
    return f" of `{average.columns_read[0]}`" if isinstance(average, Macro) else ""


def _here(report: Report, key: str, average: Average) -> str:
    value = report.scores[key].value
    if value is None:
        return "does not apply"
    shown = f"{value:.3f}".rstrip("0").rstrip(".")
    tally = next(iter(report.per_question["q1"].values())).get(average.columns_read[0])
    if isinstance(average, Macro) and isinstance(tally, Tally) and average.unit == "share":
        top, below = (f"{part:g}" for part in (tally.numerator, tally.denominator))
        if below != "1":
            return f"{top}/{below} = {shown}"
    return shown
