"""A report beside the answers that it scored: a line of JSON for each answer, and SARIF or JUnit XML for a CI."""

from __future__ import annotations

import json
import operator
import os
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from itertools import groupby
from pathlib import Path
from urllib.parse import quote
from xml.etree.ElementTree import Element, SubElement, tostring

from argue_bench.errors import UsageError
from argue_bench.eval.flags import CLASS_WORDS, flag_list, tier_of
from argue_bench.eval.report import FailedSentence, Report
from argue_bench.records import Answer, Question
from argue_bench.records.atomic import write_json, write_lines, write_text
from argue_bench.records.display import escape
from argue_bench.records.grouping import grouped
from argue_bench.records.untrusted import read_lines
from argue_bench.version import __version__

_TOLD = ("metric", "lack", "source", "reason", "flag", "probability")


def write_annotations(
    path: Path, report: Report, questions: Iterable[Question], answers: Mapping[str, Answer]
) -> None:
    """A JSON object a line: the scores, failed sentences and missed nuggets of each answer.

    ``id`` is the row's own, or its trace's; ``scores`` hold what applies to it; ``sentences`` are all
    of the answer's, each with what it cites and, where it failed, by which metric and why; ``missed``
    are nuggets. Raises DataError where the disk refuses.
    """
    failed = grouped(
        ((one.question, one.number), {name: getattr(one, name) for name in _TOLD})
        for one in report.failed_sentences()
    )
    missed = grouped(
        (one.question, {name: said for name, said in one._asdict().items() if name != "question"})
        for one in report.missed_nuggets()
    )
    write_lines(
        path,
        (
            {
                "id": question.id,
                "question": question.text,
                "answer": answer.text,
                "scores": report.scores_of(question.id),
                "sentences": [
                    {
                        "number": number,
                        "start": sentence.start,
                        "end": sentence.end,
                        "text": sentence.text,
                        "citations": list(sentence.citations),
                        "failed": failed.get((question.id, number), []),
                    }
                    for number, sentence in enumerate(answer.sentences, 1)
                ],
                "missed": missed.get(question.id, []),
            }
            for question in questions
            if question.id in report.per_question
            for answer in (answers.get(question.id) or Answer(question.id),)
        ),
    )


# The flagged sentences for a CI, which shows them beside the rows.

# By question id: the file that holds the answer, and its line; 0 where that is not known.
Places = Mapping[str, tuple[str, int]]
# SARIF's levels by tier: what a reader must act on, and what is more often wrong than right.
_LEVELS = {"sure": "error", "weak": "note"}


def parse_reports(paths: Iterable[Path]) -> dict[Path, Callable[..., None]]:
    """What writes each file, by its end: SARIF for .sarif, JUnit XML for .xml. Raises UsageError for another end.

    A writer takes the file, the report, the answers, their places, and whether flags that are more often wrong than
    right are written too. It raises DataError where the disk refuses.
    """
    writers = {".sarif": _write_sarif, ".xml": _write_junit}
    if wrong := [one.name for one in paths if one.suffix not in writers]:
        raise UsageError(
            f"--report writes {' or '.join(writers)} by the file's end, not {wrong[0]!r:.80}"
        )
    return {path: writers[path.suffix] for path in paths}


def _write_sarif(
    path: Path, report: Report, answers: Mapping[str, Answer], places: Places, weak: bool
) -> None:
    """SARIF 2.1.0 (OASIS 2020): a result for each flagged sentence, at its line and column where they are known."""
    # Here, since an evaluation of answers to a data set reads no rows.
    from argue_bench.loaders.rows.tables import ROW_LIMITS

    flags = flag_list(report).counted(weak)
    wanted = {places[one.question] for one in flags if one.question in places}
    lines = {
        (file, line.number): line.raw.decode()
        for file in {file for file, number in wanted if number}
        for line in read_lines(Path(file), ROW_LIMITS)
        if (file, line.number) in wanted
    }
    results = [
        {
            "ruleId": one.lack or "unsupported",
            "level": _LEVELS.get(tier_of(one), "warning"),
            "message": {"text": _told(one)},
            "locations": [
                {
                    "physicalLocation": {
                        # From the folder of the command, which is the repository's root in a workflow.
                        "artifactLocation": {"uri": quote(Path(os.path.relpath(file)).as_posix())},
                        **({"region": {"startLine": line, **columns}} if line else {}),
                    }
                }
                for file, line in ([places[one.question]] if one.question in places else [])
                for columns in (
                    _columns(lines.get((file, line), ""), answers[one.question].text, one),
                )
            ],
        }
        for one in flags
    ]
    rules = [
        {"id": rule, "shortDescription": {"text": f"A sentence {CLASS_WORDS.get(rule, rule)}"}}
        for rule in sorted({one.lack or "unsupported" for one in flags})
    ]
    driver = {"name": "argue-bench", "version": __version__, "rules": rules}
    run = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}
    write_json(
        path,
        {
            "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
            "version": "2.1.0",
            "runs": [run],
        },
    )


def _columns(line: str, answer: str, one: FailedSentence) -> dict[str, int]:
    """The columns from 1 of a sentence in a line of JSON; none where the answer does not stand there just once.

    A context of the same words would be a second place, and which of them is the answer is not known here.
    """
    for ascii_only in (False, True):
        # A part of a text is spelled as in the whole: so its length tells where it ends.
        spell = partial(json.dumps, ensure_ascii=ascii_only)
        if line.count(spell(answer)) == 1:
            start, end = (
                line.index(spell(answer)) + len(spell(answer[:at])) for at in (one.start, one.end)
            )
            return {"startColumn": start, "endColumn": end}
    return {}


def _write_junit(
    path: Path, report: Report, answers: Mapping[str, Answer], places: Places, weak: bool
) -> None:
    """JUnit XML: a test case for each answer, which fails where sentences are flagged, is an error where the judge
    failed, and is skipped where no score applies or nobody judged it."""
    flags = sorted(flag_list(report).counted(weak), key=_QUESTION)
    flagged = {id: "\n".join(map(_told, some)) for id, some in groupby(flags, _QUESTION)}
    suite = Element("testsuite", name=escape(report.system) or "argue-bench")
    for id, tallies in report.per_question.items():
        file, _ = places.get(id, (report.dataset, 0))
        case = SubElement(suite, "testcase", classname=escape(file, 300), name=escape(id, 300))
        if None in tallies.values():
            SubElement(case, "error", message="the judge failed")
        if told := flagged.get(id):
            SubElement(case, "failure", message=told.partition("\n")[0]).text = told
        elif not any(one.applies for of in tallies.values() for one in (of or {}).values()):
            SubElement(case, "skipped", message="no score applies, or nobody judged it")
    tags = {"tests": "testcase", "failures": "failure", "errors": "error", "skipped": "skipped"}
    suite.attrib.update({name: str(len([*suite.iter(tag)])) for name, tag in tags.items()})
    write_text(path, tostring(suite, "unicode", xml_declaration=True), "\n")


_QUESTION = operator.attrgetter("question")


def _told(one: FailedSentence) -> str:
    # XML 1.0 has no place for control characters, which `escape` writes as their numbers.
    text, reason = escape(one.text, 1000), escape(one.reason, 1000)
    return f"{escape(one.question)}, sentence {one.number}: {text}" + f" ({reason})" * bool(reason)
