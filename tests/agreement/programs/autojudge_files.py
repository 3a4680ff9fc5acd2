"""Files of trec-auto-judge, checked: qrels, and nugget banks of version 3.

    t1 0 d7 2                                                          NAME.qrels.txt
    {"query_id", "title_query", "format_version": "v3",                 NAME.nuggets.jsonl
     "nugget_bank": {QUESTION: {...}}, "claim_bank": {CLAIM: {...}}}

Source: trec-auto-judge base d58f174. Ids that are not given are the MD5 of the text. Questions of one
text become one, with the answers of all and the importance of the last that has any. `published.trec.
topic_files` reads these files, and `loaders.banks` writes those of our own questions.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal, NamedTuple

from argue_bench.errors import Code, DataError, Finding, UnknownName
from argue_bench.loaders.findings import few
from argue_bench.published.foreign import in_order

OnDuplicate = Literal["error", "keep_max", "keep_last"]
VERSION = "v3"
_KEPT = ("aggregator_type", "importance", "quality", "test_collection", "metadata")
_KEEP: Mapping[str, Callable[[int, int], int]] = {"keep_max": max, "keep_last": lambda _, new: new}


class DocumentGrade(NamedTuple):
    """The relevance of one document to one topic."""

    topic: str
    document: str
    grade: int


def unique_grades(
    grades: Iterable[DocumentGrade], on_duplicate: OnDuplicate = "error"
) -> list[DocumentGrade]:
    """One grade for each topic and document. Raises DataError with every second one, UnknownName."""
    if on_duplicate != "error" and on_duplicate not in _KEEP:
        raise UnknownName("treatment of duplicates", on_duplicate, ("error", *_KEEP))
    kept: dict[tuple[str, str], int] = {}
    findings = []
    for topic, document, given in grades:
        key = (topic, document)
        try:
            grade = int(given)
        except (OverflowError, TypeError, ValueError):
            why = f"the grade of {document} on topic {topic} is {given!r:.40}"
            findings.append(Finding(Code.WRONG_SHAPE, why, hint="Write a whole number."))
            continue
        if key not in kept:
            kept[key] = grade
        elif on_duplicate == "error":
            why = f"{document} on topic {topic} is graded {kept[key]} and {grade}"
            findings.append(Finding(Code.DUPLICATE_ID, why, hint="Keep one."))
        else:
            kept[key] = _KEEP[on_duplicate](kept[key], grade)
    _raise(findings)
    return [DocumentGrade(*key, grade) for key, grade in kept.items()]


def check_topics(what: str, found: Iterable[str], expected: Iterable[str], place: str = "") -> None:
    """Raises DataError where ``what`` is missing on a topic that was asked for, or is of another one."""
    have, wanted = set(found), set(expected)
    findings = []
    if missing := in_order(wanted - have):
        why = f"no {what} on {len(missing):,} topics: {few(missing)}"
        hint = "Make one for every topic."
        findings.append(Finding(Code.MISSING_TOPICS, why, place, hint=hint))
    if new := in_order(have - wanted):
        why = f"{what} on {len(new):,} topics that were not asked for: {few(new)}"
        hint = "Copy the ids from the topics file."
        findings.append(Finding(Code.NEW_TOPICS, why, place, hint=hint))
    _raise(findings)


def check_grades(grades: Sequence[DocumentGrade], topics: Iterable[str]) -> None:
    """Raises DataError for second grades, topics without a grade, and topics that were not asked for."""
    check_topics("grade", {row.topic for row in unique_grades(grades)}, topics)


def check_banks(banks: Mapping[str, Mapping[str, Any]], topics: Iterable[str]) -> None:
    """Raises DataError for topics without a bank, banks of other topics, and empty banks."""
    check_topics("nugget bank", banks, topics)
    parts = ("nugget_bank", "claim_bank", "nuggets")
    empty = [topic for topic, bank in banks.items() if not any(bank.get(part) for part in parts)]
    why = f"{len(empty):,} nugget banks are empty: {few(in_order(set(empty)))}"
    hint = "Put nuggets into them, or leave the topics out."
    _raise([Finding(Code.EMPTY, why, hint=hint)] if empty else [])


def make_bank(
    topic: str | None,
    title: str,
    questions: Iterable[Mapping[str, Any] | str] = (),
    claims: Iterable[Mapping[str, Any] | str] = (),
) -> dict[str, Any]:
    """The bank that the package makes of these questions and claims.

    A question is a text, or has ``question``, perhaps ``gold_answers`` (texts, or objects with ``answer``),
    ``references`` (ids), ``sub_nuggets``, ``question_id``, ``importance`` and the like; a claim has
    ``claim`` for ``question`` and no answers. A topic without an id gets the MD5 of its title.
    """
    topic = _md5(title) if topic is None else topic
    bank: dict[str, Any] = {
        "query_id": topic,
        "title_query": title,
        "format_version": VERSION,
    }
    for key, word, rows in (
        ("nugget_bank", "question", questions),
        ("claim_bank", "claim", claims),
    ):
        made: dict[str, dict[str, Any]] = {}
        for row in rows:
            nugget = _nugget(topic, word, row)
            text = nugget[word]
            made[text] = _merged(made[text], nugget, word) if text in made else nugget
        if made:
            bank[key] = made
    return bank


def flat_view(bank: Mapping[str, Any]) -> list[str]:
    """The texts of all nuggets of a bank, those below others too, each once, in their order."""
    texts: dict[str, None] = {}

    def add(nuggets: Iterable[Mapping[str, Any]]) -> None:
        for nugget in nuggets:
            texts[nugget.get("question", nugget.get("claim", ""))] = None
            add(nugget.get("sub_nuggets") or ())

    for key in ("nugget_bank", "claim_bank"):
        add(bank.get(key, {}).values())
    return list(texts)


def _nugget(topic: str, word: str, given: Mapping[str, Any] | str) -> dict[str, Any]:
    row: Mapping[str, Any] = {word: given} if isinstance(given, str) else given
    if word not in row:
        _raise([Finding(Code.KEY_MISSING, f"a nugget of {topic!r:.60} has no {word}")])
    text = row[word]
    made: dict[str, Any] = {word: text}
    if (accepted := row.get("gold_answers")) is not None:
        answers: dict[str, dict[str, Any]] = {}
        for one in accepted if isinstance(accepted, list) else [accepted]:
            answer = {"answer": one} if isinstance(one, str) else dict(one)
            if "references" in answer:
                answer["references"] = _references(answer["references"])
            _put_answer(answers, answer)
        made["answers"] = answers
    if (below := row.get("sub_nuggets")) is not None:
        made["sub_nuggets"] = [
            _nugget(topic, "question" if "question" in one else "claim", one) for one in below
        ]
    if (references := row.get("references")) is not None:
        made["references"] = _references(references)
    creator = row.get("creator")
    if creator is not None:
        made["creator"] = creator if isinstance(creator, list) else [creator]
    made[f"{word}_id"] = row.get(f"{word}_id") or _md5(text)
    made |= {key: row[key] for key in _KEPT if row.get(key) is not None}
    return {**made, "query_id": row.get("query_id") or topic}


def _merged(first: Mapping[str, Any], second: Mapping[str, Any], word: str) -> dict[str, Any]:
    """Two nuggets of one text as one; of a question the package keeps no references."""
    one = {key: value for key, value in first.items() if key != "references"}
    one["sub_nuggets"] = [*first.get("sub_nuggets", ()), *second.get("sub_nuggets", ())]
    if word == "question":
        answers: dict[str, dict[str, Any]] = {}
        for answer in (*first.get("answers", {}).values(), *second.get("answers", {}).values()):
            _put_answer(answers, answer)
        one["answers"] = answers
    else:
        one["references"] = [*first.get("references", ()), *second.get("references", ())]
    for key in ("importance", "quality"):
        if key in second:
            one[key] = second[key]
    if creators := [*first.get("creator", ()), *second.get("creator", ())]:
        one["creator"] = creators
    if given := [nugget["metadata"] for nugget in (first, second) if "metadata" in nugget]:
        one["metadata"] = _merged_metadata(*given)
    return one


def _put_answer(answers: dict[str, dict[str, Any]], answer: Mapping[str, Any]) -> None:
    text = answer["answer"]
    if (known := answers.get(text)) is None:
        answers[text] = dict(answer)
        return
    # Of answers the first quality and importance stay, other than of questions.
    listed = [*(known.get("references") or ()), *(answer.get("references") or ())]
    answers[text] = {**answer, **known, "references": listed}
    if "metadata" in answers[text]:
        pair = known.get("metadata", {}), answer.get("metadata", {})
        answers[text]["metadata"] = {**pair[0], **pair[1], "merged": list(pair)}


def _merged_metadata(*given: Mapping[str, Any]) -> dict[str, Any]:
    """Metadata one after the other; each step keeps what it was made of under ``merged``."""
    whole: dict[str, Any] = {}
    for one in given:
        whole = {**whole, **one, "merged": [whole, one]}
    return whole


def _references(given: Any) -> list[Any]:
    listed = given if isinstance(given, list) else [given]
    return [{"doc_id": one} if isinstance(one, str) else one for one in listed]


def _md5(text: str) -> str:
    return hashlib.md5(text.encode()).hexdigest()


def _raise(findings: Sequence[Finding]) -> None:
    if findings:
        raise DataError(findings)
