"""The files of the core format as pydantic models, from which the schemas in schemas/ are written.

`read_line` makes records of lines. The forms of ids and languages are in the schemas alone, for
editors: reading checks keys and types.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Any

from pydantic import ConfigDict, Field

from argue_bench.errors import Code
from argue_bench.records import (
    Criterion,
    Document,
    Evidence,
    Gold,
    Nugget,
    Question,
    Request,
    ShortAnswer,
    SubQuestion,
)
from argue_bench.records.question import freeze
from argue_bench.records.validation import Record, validate

_ID = {"minLength": 1, "maxLength": 128, "pattern": r"^[^\s\[\]]+$"}
_LANGUAGE = {"pattern": "^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$", "examples": ["en", "fr", "pt-BR"]}
_NAME = {"pattern": "^[a-z0-9][a-z0-9-]*$"}
_DATE = {"pattern": "^$|^[0-9]{4}(-(0[1-9]|1[0-2])(-(0[1-9]|[12][0-9]|3[01]))?)?$"}
Date = Annotated[str, Field(json_schema_extra=_DATE)]
Id = Annotated[str, Field(json_schema_extra=_ID)]
Language = Annotated[str, Field(json_schema_extra=_LANGUAGE)]
Name = Annotated[str, Field(json_schema_extra=_NAME)]


class SetDescription(Record):
    """set.json: what a folder of the core format holds. The questions, documents and gold are beside it."""

    # An organiser may keep more about a set here than argue-bench reads.
    model_config = ConfigDict(extra="ignore")

    name: Name = Field(description="Short name of the data set, as on the command line.")
    version: str = Field(description="Version of the data. Change it whenever a file changes.")
    split: Name = Field(
        description="Name of the split: dev has public gold, test keeps its gold sealed."
    )
    language: Language = Field(
        description="Language (BCP 47) of every question without a language key."
    )
    digest: str = Field(
        "",
        description="'sha256:' and the SHA-256 in hexadecimal over documents.jsonl, gold.jsonl and "
        "questions.jsonl, in this order, if they exist. For each: its name in UTF-8, a zero byte, "
        "its length in bytes as decimal digits, a zero byte, its bytes. Computed where it is left out.",
    )
    licence: str = Field("", description="SPDX name of the licence of the data.")


class DocumentLine(Record):
    """One line of documents.jsonl: a text that an answer may cite."""

    id: Id = Field(description="Names the document; the mark of a citation, as in [D07].")
    title: str = Field("", description="Its heading.")
    text: str = Field(description="The whole text. A blank line ends a paragraph.")
    language: Language = Field(
        "en", description="Language of the text (BCP 47), if it is not the language of the set."
    )
    date: Date | None = Field(
        "",
        description="When it was published: year, year-month or year-month-day; null or empty if "
        "unknown.",
    )
    url: str = Field(
        "", description="Where it was read, for web pages; answers may cite it by this address."
    )


class QuestionLine(Record):
    """One line of questions.jsonl: what is asked. It holds nothing that gives the answer away."""

    id: Id = Field(
        description="Names the question in answers, gold and results. Never reused for another question."
    )
    text: str = Field(description="The question in one sentence.")
    request: Request | None = Field(
        None, description="A report request as at TREC, where there is one."
    )
    documents: tuple[Id, ...] = Field(
        (),
        description="Ids of the documents that are provided with the question, in the order in which "
        "[1], [2] count them. Empty where a system searches the whole set.",
    )
    categories: tuple[str, ...] = Field(
        (), description="Free labels, to look at scores by kind of question."
    )
    language: Language = Field(
        "en",
        description="Language in which the question is asked and should be answered, if it is not "
        "the language of the set.",
    )
    cluster: str = Field(
        "",
        description="What it shares with other questions: their conversation, document or author. "
        "Intervals and tests then resample these groups.",
        max_length=128,
    )
    evidence: tuple[Evidence, ...] = Field(
        (),
        description="Pages of an encyclopedia, at one revision, that a system may be given (FanOutQA).",
    )


class StepLine(Record):
    """One step on the way to the answer (FanOutQA's decomposition)."""

    id: Id = Field(description="Names the step, once within the question.")
    question: str = Field(description="The question of this step.")
    answer: Any = Field(None, description="A plain value, a list or a mapping, to any depth.")
    depends_on: tuple[Id, ...] = Field(
        (), description="Ids of the steps whose answers this one needs."
    )
    evidence: Evidence | None = Field(
        None, description="The encyclopedia page, at one revision, that answers the step."
    )
    decomposition: tuple[StepLine, ...] = Field(
        (), description="Smaller steps, where this one has any."
    )


class GoldLine(Record):
    """One line of gold.jsonl: everything about a question that an answer may be scored against.

    A set fills what it has; metrics that need more do not apply.
    """

    id: Id = Field(description="The id of the question.")
    answerable: bool = Field(
        description="false: the documents do not answer the question, and a good system declines."
    )
    answer: Any = Field(
        None,
        description="A plain value, a list or a mapping, to any depth; null where there is no "
        "structured answer.",
    )
    short_answers: tuple[ShortAnswer, ...] = Field(
        (),
        description="Short facts that the answer should contain, each with all its spellings (ALCE).",
    )
    nuggets: tuple[Nugget, ...] = Field(
        (), description="The nuggets that a report is checked against (ARGUE)."
    )
    rubric: tuple[Criterion, ...] = Field(
        (), description="The criteria that an answer is graded by (HealthBench, DRAGUN)."
    )
    long_answers: tuple[str, ...] = Field(
        (),
        description="Good answers written by people, with citations such as [D07] before each full stop.",
    )
    claims: tuple[str, ...] = Field(
        (), description="Short statements that a good answer entails (ALCE)."
    )
    supporting: tuple[Id, ...] = Field(
        (),
        description="Ids of the documents that a good answer cites. Empty where the question is not "
        "answerable.",
    )
    decomposition: tuple[StepLine, ...] = Field(
        (), description="Smaller questions that lead to the answer (FanOutQA)."
    )


def read_line(value: Any, file: Path, line: int | None) -> tuple[str, Any]:
    """The id and the record in a parsed line of ``file``, by its name; gold where it is another one.

    Raises DataError with every finding at once.
    """
    # Sealed gold has any name: its lines are those of gold.jsonl.
    model, convert = LINES.get(file.name, LINES["gold.jsonl"])
    read: Any = validate(model, _without_nulls(value), Code.WRONG_SHAPE, file, line)
    return read.id, convert(read)


def _without_nulls(value: Any) -> Any:
    """The value without keys that hold null, which is the same as leaving them out.

    Answers and evidence are kept as they are: there null is a value.
    """
    if isinstance(value, list):
        return [_without_nulls(one) for one in value]
    if not isinstance(value, dict):
        return value
    return {
        key: inner if key in ("answer", "evidence") else _without_nulls(inner)
        for key, inner in value.items()
        if inner is not None or key in ("answer", "evidence")
    }


def _to_gold(line: GoldLine) -> Gold:
    fields = {key: value for key, value in line if key != "id"}
    steps = tuple(map(_to_step, line.decomposition))
    return Gold(
        **{**fields, "answer": freeze(line.answer), "decomposition": steps, "decided": True}
    )


def _to_step(line: StepLine) -> SubQuestion:
    steps = tuple(map(_to_step, line.decomposition))
    return SubQuestion(
        line.id, line.question, freeze(line.answer), line.depends_on, line.evidence, steps
    )


# The model of each file's lines, and what makes a record of one.
LINES: Mapping[str, tuple[type[Record], Callable[[Any], Any]]] = {
    "documents.jsonl": (
        DocumentLine,
        lambda line: Document(
            line.id, line.text, line.title, line.language, line.date or "", line.url
        ),
    ),
    "questions.jsonl": (QuestionLine, lambda line: Question(**dict(line))),
    "gold.jsonl": (GoldLine, _to_gold),
}
