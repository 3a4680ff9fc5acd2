"""Auto-ARGUE's judgments file, in both of its shapes, and its file of scores: read, checked, replayed, written.

Source: https://github.com/hltcoe/auto-argue.

A judgments file has one JSON object a line, ``{"report", "judgments": [SEGMENT]}`` or ``{"request_id",
"run_id", "collection_ids", "segments": [SEGMENT]}``. A segment is a sentence with its citations and,
for each citation, three judgments; matched nuggets are listed, the rest is an implied no. Responses
are kept as they are, so what is read is written back equal.

Its scores.tsv has run_id, request_id, metric, value; topic ``all`` is the aggregate.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, NamedTuple

import click

from argue_bench.cli.tables import show_table
from argue_bench.errors import Code, Finding
from argue_bench.loaders.findings import Findings
from argue_bench.records import (
    Answer,
    Document,
    Nugget,
    Sentence,
)
from argue_bench.records.atomic import atomic_write, write_lines
from argue_bench.records.grouping import grouped
from argue_bench.records.table import Table, points
from argue_bench.records.untrusted import GOLD_LIMITS, read_lines

HEADER = ("run_id", "request_id", "metric", "value")
ALL = "all"

# The 18 metrics of a topic, in the order of the published file.
TOPIC_ROWS = (
    "sentences",
    "character_count",
    "sentences_with_citations_or_requiring_citations",
    "correctly_cited_sentences",
    "nuggets",
    "nuggets_weighted",
    "correct_nuggets",
    "correct_nuggets_weighted",
    "citations",
    "relevant_citations",
    "supporting_citations",
    "citation_relevance",
    "citation_support",
    "sentence_support",
    "nugget_coverage",
    "nugget_coverage_weighted",
    "f1",
    "f1_weighted",
)

# Two counts that the README lists; files of the older program end without them.
MISSING_CITATION = (
    "sentences_missing_citation",
    "first_instance_sentences_missing_citation",
)

SHARES = TOPIC_ROWS[11:]
SUMMED = tuple(name for name in TOPIC_ROWS[:11] if name != "character_count")
# The 26 metrics of topic ``all``: ten sums, two of the lengths, seven shares averaged both ways.
ALL_ROWS = (
    *SUMMED,
    "character_count_median",
    "character_count_max",
    *(f"{name}_{average}" for name in SHARES for average in ("micro", "macro")),
)

# What is printed of the rows, by the heads of columns.
HEADLINES = {
    "f1_macro": "f1",
    "nugget_coverage_macro": "coverage",
    "sentence_support_macro": "support",
}


class ScoreRow(NamedTuple):
    """One line of a scores.tsv."""

    run: str
    topic: str
    metric: str
    value: float


def write_scores(path: Path, rows: Iterable[ScoreRow]) -> None:
    """Writes a scores.tsv, whole or not at all. Raises DataError where the disk refuses."""
    with atomic_write(path) as file:
        file.write("\t".join(HEADER) + "\n")
        for row in rows:
            # Python's shortest form of the number, as the program prints it.
            cells = (row.run, row.topic, row.metric, repr(float(row.value)))
            file.write(
                "\t".join(cell.replace("\t", " ").replace("\n", " ") for cell in cells) + "\n"
            )


def show_averages(rows: Iterable[ScoreRow], signature: str) -> None:
    """Prints the headlines of each run's topic ``all``, a run a line, and how they were made."""
    found = _by_topic(rows)
    lines = [
        (run, *(points(found.get((run, ALL), {}).get(name)) for name in HEADLINES))
        for run in dict.fromkeys(run for run, _ in found)
    ]
    show_table(Table(("run", *HEADLINES.values()), lines, right=(1, 2, 3)))
    click.echo(click.style(signature, dim=True))


def show_topics(rows: Iterable[ScoreRow]) -> None:
    """Prints the headlines of each topic of each run."""
    names = [name.removesuffix("_macro") for name in HEADLINES]
    lines = [
        (run, topic, *(points(values.get(name)) for name in names))
        for (run, topic), values in _by_topic(rows).items()
        if topic != ALL
    ]
    show_table(Table(("run", "topic", *HEADLINES.values()), lines, right=(2, 3, 4)))


def _by_topic(rows: Iterable[ScoreRow]) -> dict[tuple[str, str], dict[str, float]]:
    """The scores of each run on each topic, by their names."""
    return {
        key: dict(values)
        for key, values in grouped(
            ((row.run, row.topic), (row.metric, row.value)) for row in rows
        ).items()
    }


Kind = Literal[
    "CITED_DOCUMENT_RELEVANCE",
    "SENTENCE_ATTESTED",
    "SENTENCE_ANSWERS_QUESTION",
    "REQUIRES_CITATION",
    "FIRST_INSTANCE",
    "NEGATIVE_ASSERTION",
]
Shape = Literal["report", "segments"]
TOPIC_KEYS = ("topic_id", "request_id", "narrative_id")
_WORDS = {"YES": True, "NO": False}


@dataclass(frozen=True)
class Judgment:
    """One judgment. ``response`` is as in the file."""

    kind: str
    response: Mapping[str, Any]
    evaluator: str = ""
    provenance: Mapping[str, Any] = field(default_factory=dict)

    @property
    def yes(self) -> bool | None:
        """The one truth value (or YES, NO) of the response, whatever it is called; None without one.

        FIRST_INSTANCE is true for something new; a key that speaks of repetition is turned round.
        """
        # Versions of the program name the key otherwise; there is one truth value in each.
        for key, value in self.response.items():
            said = _WORDS.get(value.strip().upper()) if isinstance(value, str) else value
            if isinstance(said, bool):
                return said != ("repeat" in key)
        return None

    @property
    def matched(self) -> Iterator[tuple[str, str]]:
        """Every (question, answer) that the sentence was found to give."""
        for nugget in self.response.get("matched_nuggets") or ():
            texts = nugget.get("matched_answer") or ()
            for text in (texts,) if isinstance(texts, str) else texts:
                yield nugget["question_text"], text


@dataclass(frozen=True)
class Segment:
    """A sentence with its citations (document id, text) and judgments."""

    text: str
    citations: tuple[tuple[str, str], ...] = ()
    judgments: tuple[Judgment, ...] = ()
    type: str = "sentence"

    def of(self, kind: Kind) -> tuple[Judgment, ...]:
        return tuple(judgment for judgment in self.judgments if judgment.kind == kind)

    def per_citation(self, kind: Kind) -> tuple[Judgment | None, ...]:
        """The judgment of each citation: in order where there are as many, else by document."""
        found = self.of(kind)
        # The program writes one for each citation, in order; a document may be cited twice.
        if len(found) == len(self.citations):
            return found
        by_document = {judgment.provenance.get("doc_id"): judgment for judgment in found}
        return tuple(by_document.get(id) for id, _ in self.citations)


@dataclass(frozen=True)
class Judgments:
    """One judged report. ``report`` is the report where the file held it."""

    run: str
    topic: str
    segments: tuple[Segment, ...]
    collections: tuple[str, ...] = ()
    report: Mapping[str, Any] | None = None

    @property
    def answer(self) -> Answer:
        sentences = tuple(
            Sentence(s.text, tuple(id for id, _ in s.citations)) for s in self.segments
        )
        return Answer(self.topic, " ".join(s.text for s in self.segments), sentences, self.run)

    @property
    def documents(self) -> dict[str, Document]:
        """The cited documents with what the file holds of their texts, perhaps nothing."""
        return {
            id: Document(id, text) for segment in self.segments for id, text in segment.citations
        }


def is_judgments(path: Path) -> bool:
    """Whether a file looks like judgments. Raises DataError where there is no file to read."""
    first = next((line.value for line in read_lines(path, GOLD_LIMITS) if line.value), None)
    return isinstance(first, dict) and ("judgments" in first or "segments" in first)


def read_judgments(path: Path) -> Iterator[Judgments]:
    """Every judged report, one in memory at a time.

    Raises DataError when the file is through, with the findings of all lines that were refused.
    """
    found = Findings(path)
    for line in read_lines(path, GOLD_LIMITS):
        found.extend(finding for finding in line.findings if finding.level == "error")
        if not line.read:
            continue
        try:
            judged = _judgments(line.value)
        except (KeyError, TypeError, AttributeError, ValueError) as error:
            reason = f"the key {error} is missing" if isinstance(error, KeyError) else str(error)
            found.add(Code.WRONG_SHAPE, f"this is not a judged report: {reason}", line.number)
        else:
            yield judged
    found.raise_errors()


def judgments_to_json(judged: Judgments, shape: Shape = "report") -> dict[str, Any]:
    """One line of a judgments file, in either shape."""
    segments = [
        {
            "segment_type": segment.type,
            "text": segment.text,
            "citations": [{"doc_id": id, "text": text} for id, text in segment.citations],
            "judgments": [
                {
                    "judgment_type_id": judgment.kind,
                    "response": dict(judgment.response),
                    "evaluator": judgment.evaluator,
                    "provenance": dict(judgment.provenance),
                }
                for judgment in segment.judgments
            ],
        }
        for segment in judged.segments
    ]
    about = {"run_id": judged.run, "collection_ids": list(judged.collections)}
    if shape == "segments":
        return {"request_id": judged.topic, **about, "segments": segments}
    answer = judged.answer
    cited = dict.fromkeys(id for sentence in answer.sentences for id in sentence.citations)
    # A report that was read is written back as it was.
    report = judged.report or {
        "metadata": {"team_id": "", "topic_id": judged.topic, **about},
        "responses": [{"text": s.plain, "citations": list(s.citations)} for s in answer.sentences],
        "references": list(cited),
    }
    return {"report": report, "judgments": segments}


def write_judgments(path: Path, reports: Iterable[Judgments], shape: Shape = "report") -> None:
    """Writes a judgments file, whole or not at all. Raises DataError where the disk refuses."""
    write_lines(path, (judgments_to_json(judged, shape) for judged in reports))


def check_judgments(
    judged: Judgments, nuggets: Sequence[Nugget], negative: bool = True
) -> list[Finding]:
    """The findings that make the judgments of one report doubtful: missing judgments, nuggets
    and answers that the bank does not have, documents that the report does not cite.

    ``negative``: a negative assertion needs no other judgment.
    """
    bank = {nugget.question: {answer.text for answer in nugget.answers} for nugget in nuggets}
    report = f"topic {judged.topic}, run {judged.run}"
    found = [
        Finding(code, f"{report}, sentence {number}: {message}")
        for number, segment in enumerate(judged.segments, 1)
        for code, message in _check_segment(segment, bank, negative)
    ]
    # TREC RAG 2025 calls the sentences "responses", earlier tracks "answer".
    rows = (judged.report or {}).get("responses", (judged.report or {}).get("answer"))
    if isinstance(rows, list):
        texts = [row.get("text") if isinstance(row, dict) else None for row in rows]
        if texts != [segment.text for segment in judged.segments]:
            found.append(
                Finding(Code.OTHER_DATA, f"{report}: the judged sentences are not the report's")
            )
    return found


def _check_segment(
    segment: Segment, bank: Mapping[str, set[str]], negative: bool
) -> Iterator[tuple[Code, str]]:
    for kind in _lacking(segment, negative):
        yield Code.NOT_JUDGED, f"no readable {kind}"
    for judgment in segment.of("SENTENCE_ANSWERS_QUESTION"):
        for question, text in judgment.matched:
            if question not in bank:
                yield Code.UNKNOWN_ID, f"no nugget asks {question!r}"
            elif text not in bank[question]:
                yield Code.UNKNOWN_ID, f"{text!r} is not an answer to {question!r}"
    # Judgments of the sentence as a whole name no document.
    cited = {None, *(id for id, _ in segment.citations)}
    for judgment in segment.judgments:
        id = judgment.provenance.get("doc_id")
        if id not in cited:
            yield Code.FOREIGN_DOCUMENT, f"{id!r} was judged, but is not cited"


def _lacking(segment: Segment, negative: bool) -> Iterator[str]:
    """Kinds of judgment that the tree needs for this sentence and that are not there."""
    if segment.citations:
        kinds: tuple[Kind, ...] = ("CITED_DOCUMENT_RELEVANCE", "SENTENCE_ATTESTED")
        yield from (
            kind
            for kind in kinds
            if any(one is None or one.yes is None for one in segment.per_citation(kind))
        )
        if not segment.of("SENTENCE_ANSWERS_QUESTION"):
            yield "SENTENCE_ANSWERS_QUESTION"
        return
    # Only we write these; Auto-ARGUE has no such judgment.
    if negative and any(judgment.yes for judgment in segment.of("NEGATIVE_ASSERTION")):
        return
    needs = [judgment.yes for judgment in segment.of("REQUIRES_CITATION")]
    if not needs or None in needs:
        yield "REQUIRES_CITATION"
    elif any(needs) and not any(j.yes is not None for j in segment.of("FIRST_INSTANCE")):
        yield "FIRST_INSTANCE"


def _judgments(row: Any) -> Judgments:
    about, report, segments, topic = row, None, "segments", "request_id"
    # The later shape holds the whole report; the earlier one its ids alone.
    if "judgments" in row:
        report, segments = row["report"], "judgments"
        about = report.get("metadata", report)
        topic = next((key for key in TOPIC_KEYS if key in about), TOPIC_KEYS[0])
    collections = tuple(about.get("collection_ids") or ())
    read = tuple(map(_segment, row[segments]))
    return Judgments(_id(about["run_id"]), _id(about[topic]), read, collections, report)


def _segment(row: Any) -> Segment:
    if not isinstance(row["text"], str):
        raise TypeError("the text of a segment is not a text")
    return Segment(
        row["text"],
        tuple((_id(one["doc_id"]), str(one.get("text") or "")) for one in row["citations"]),
        tuple(map(_judgment, row["judgments"])),
        str(row.get("segment_type", "sentence")),
    )


def _judgment(row: Any) -> Judgment:
    provenance = dict(row.get("provenance") or {})
    if provenance.get("doc_id") is not None:
        provenance["doc_id"] = _id(provenance["doc_id"])
    kind, response = str(row["judgment_type_id"]), dict(row["response"])
    judgment = Judgment(kind, response, str(row.get("evaluator") or ""), provenance)
    if not all(isinstance(text, str) for pair in judgment.matched for text in pair):
        raise TypeError("a matched nugget or answer is not a text")
    confirmed = response.get("confirmed_nuggets") or ()
    if not all(isinstance(one["question_text"], str) for one in confirmed):
        raise TypeError("a confirmed nugget is not a text")
    return judgment


def _id(value: Any) -> str:
    if not isinstance(value, str | int) or isinstance(value, bool):
        raise TypeError(f"an id is not a text but {value!r:.80}")
    return str(value)
