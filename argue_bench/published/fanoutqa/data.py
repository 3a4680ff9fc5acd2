"""FanOutQA: questions that fan out over many Wikipedia pages (Zhu, Hwang, Dugan, Callison-Burch 2024).

Source: https://github.com/zhudotexe/fanoutqa.

Two JSON files, each a list. dev: id, question, decomposition (a tree of steps with their answers,
evidence and what they depend on), answer (a plain value, list or mapping), categories. test: id,
question, necessary_evidence, categories, and no answers; a file with answers gives gold also there,
which is how an organiser scores it.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from argue_bench.errors import Code
from argue_bench.loaders.dataset import Dataset
from argue_bench.loaders.findings import Findings
from argue_bench.published.foreign import GET, ForeignObject, add_wrong, find_file, objects
from argue_bench.records import Evidence, Gold, Question, SubQuestion
from argue_bench.records.question import freeze
from argue_bench.records.untrusted import read_json

METRICS = ("accuracy(rules=fanoutqa)", "rouge", "bleurt", "factuality")
# The commit of zhudotexe/fanoutqa that is fetched where no path is given (release 1.3.0).
VERSION = "989f4c4"
_PLACE = f"https://raw.githubusercontent.com/zhudotexe/fanoutqa/{VERSION}/fanoutqa/data"
_SHA256 = {
    "dev": "b62a9797732c716e6b17ba4086f277d154d747ce2fa01614cb76a3372e7fb88c",
    "test": "e823838ab00d4fe875e0f9921ce07a7abe8806e8b380ffee17438d4bf76a68c5",
}
# What the publisher wrote for the ids of pages that were added by hand.
_UNFILLED = "###TBD###"


def load_fanoutqa(split: str, path: Path | None = None) -> Dataset:
    """The dev or test split, from a file, from a folder that holds it, or from its published place.

    Raises DataError with every finding at once, each with its JSON path.
    """
    published = f"fanout-final-{split}.json"
    if path is None:
        from argue_bench.store.fetch import fetch_file

        place = f"fanoutqa/{VERSION}/{published}"
        file = fetch_file(f"{_PLACE}/{published}", _SHA256[split], place)
    else:
        hint = "Name the file itself, or leave the path out to fetch it."
        file = find_file(path, (f"{split}.json", published), hint)
    found = Findings(file)
    rows = read_json(file)
    if not isinstance(rows, list):
        add_wrong(found, "$", "a list of questions", rows)
    elif not rows:
        found.add(Code.EMPTY, "the file holds no question", path="$")
    questions: dict[str, Question] = {}
    for row in objects(rows if isinstance(rows, list) else [], "$", found):
        steps = _steps(row)
        evidence = tuple(
            map(_evidence, row.objects("necessary_evidence"))
            if "necessary_evidence" in row.value
            else dict.fromkeys(_evidence_in(steps))
        )
        given = "answer" in row.value
        question = Question(
            row.text("id", empty=False),
            row.text("question", empty=False),
            categories=row.texts("categories"),
            evidence=evidence,
            gold=Gold(answer=freeze(row.value["answer"]), decomposition=steps) if given else None,
            metrics=METRICS,
        )
        if question.id in questions:
            message = f"the id {question.id!r} occurs twice"
            found.add(Code.DUPLICATE_ID, message, path=f"{row.at}.id", hint=GET)
        questions[question.id] = question
    found.raise_errors()
    return Dataset(
        "fanoutqa",
        split,
        tuple(questions.values()),
        metrics=METRICS,
        version=VERSION if path is None else "",
        licence="CC BY-SA 4.0",
    )


def _steps(row: ForeignObject) -> tuple[SubQuestion, ...]:
    return tuple(
        SubQuestion(
            step.text("id", empty=False),
            step.text("question", empty=False),
            freeze(step.value.get("answer")),
            step.texts("depends_on"),
            None if (page := step.object("evidence")) is None else _evidence(page),
            _steps(step),
        )
        for step in row.objects("decomposition")
    )


def _evidence(row: ForeignObject) -> Evidence:
    page, revision = (
        None if row.value.get(key) == _UNFILLED else row.number(key) for key in ("pageid", "revid")
    )
    return Evidence(page, revision, row.text("title", empty=False), row.text("url", empty=False))


def _evidence_in(steps: tuple[SubQuestion, ...]) -> Iterator[Evidence]:
    """Every evidence of the tree, a step's own before its steps'."""
    for step in steps:
        if step.evidence is not None:
            yield step.evidence
        yield from _evidence_in(step.decomposition)
