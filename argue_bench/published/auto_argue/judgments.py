"""Auto-ARGUE's judgments, counted and written: segments to a judged report, and back.

In reading no judge is called and nothing is deduplicated: a sentence that the file has twice keeps
its two judgments. Relevance and matches are the file's own, so only rules that try
answers by look-up can be counted from it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from argue_bench.errors import Code, DataError, UsageError
from argue_bench.metrics.argue.judging import (
    PRESETS,
    JudgedCitation,
    JudgedReport,
    JudgedSentence,
    NuggetMatch,
    Preset,
    Rules,
    SentenceVerdicts,
    aggregate,
    classify_sentence,
)
from argue_bench.published.auto_argue.files import (
    Judgment,
    Judgments,
    Kind,
    Segment,
    check_judgments,
)
from argue_bench.records import Answer, Document, Nugget

NEEDED = (Code.NOT_JUDGED, Code.UNKNOWN_ID, Code.UNKNOWN_ID)
"""Findings that make counting impossible."""


def report_from_judgments(
    judged: Judgments, nuggets: Sequence[Nugget], rules: Preset
) -> JudgedReport:
    """The judged report under these rules.

    Raises DataError with all findings where a judgment that the tree needs is missing or names a
    nugget that is not there; UsageError for rules that need verdicts which the file never has.
    """
    # The file lists matches by look-up alone: what no reference holds was never asked.
    decided = PRESETS[rules]
    if decided.answers != "cited" or decided.relevance != "look-up":
        raise UsageError(
            f"rules={rules} needs what Auto-ARGUE's judgments do not hold (every answer on every "
            "sentence); count them with rules=auto-argue, or evaluate the reports anew"
        )
    # What is missing would be counted as a no, so it is refused first.
    found = check_judgments(judged, nuggets, negative=decided.negative == "judged")
    if wrong := [finding for finding in found if finding.code in NEEDED]:
        raise DataError(wrong)
    places = {
        (nugget.question, answer.text): NuggetMatch(i, j)
        for i, nugget in enumerate(nuggets)
        for j, answer in enumerate(nugget.answers)
    }
    return aggregate(
        (_sentence(segment, nuggets, places, decided) for segment in judged.segments), nuggets
    )


def _sentence(
    segment: Segment,
    nuggets: Sequence[Nugget],
    places: Mapping[tuple[str, str], NuggetMatch],
    rules: Rules,
) -> JudgedSentence:
    attests = [j is not None and j.yes is True for j in segment.per_citation("SENTENCE_ATTESTED")]
    relevant = [
        j is not None and j.yes is True for j in segment.per_citation("CITED_DOCUMENT_RELEVANCE")
    ]
    citations = tuple(
        # What Auto-ARGUE judged was in its collection.
        JudgedCitation(id, True, found, attested)
        for (id, _), found, attested in zip(segment.citations, relevant, attests, strict=True)
    )
    if segment.citations:
        matches = dict.fromkeys(
            places[pair]
            for judgment in segment.of("SENTENCE_ANSWERS_QUESTION")
            for pair in judgment.matched
        )
        verdicts = SentenceVerdicts(cited=True, attested=all(attests), answers=tuple(matches))
    else:
        # Nuggets without answers that a negative assertion confirms; a list that only we
        # write.
        questions = {
            one["question_text"]
            for judgment in segment.of("NEGATIVE_ASSERTION")
            for one in judgment.response.get("confirmed_nuggets") or ()
        }
        verdicts = SentenceVerdicts(
            cited=False,
            negative=any(judgment.yes for judgment in segment.of("NEGATIVE_ASSERTION")),
            confirms=tuple(
                i for i, n in enumerate(nuggets) if not n.answerable and n.question in questions
            ),
            needs_citation=any(judgment.yes for judgment in segment.of("REQUIRES_CITATION")),
            first=any(judgment.yes for judgment in segment.of("FIRST_INSTANCE")),
        )
    classified = classify_sentence(verdicts, rules)
    return JudgedSentence(segment.text, citations, verdicts, classified)


def as_judgments(
    report: JudgedReport,
    answer: Answer,
    documents: Mapping[str, Document],
    evaluator: str,
    collections: Sequence[str] = (),
) -> Judgments:
    """A judged report in the shape of Auto-ARGUE's file, to be read by its tools.

    What its format has no place for is left out: wrong answers that were asserted, and which of the
    citations attest when they were judged together (each is then written like the sentence).
    """
    nuggets = [judged.nugget for judged in report.nuggets]
    segments = tuple(
        Segment(
            sentence.text,
            tuple(
                (one.document, documents[one.document].text if one.document in documents else "")
                for one in sentence.citations
            ),
            tuple(_written(sentence, nuggets, evaluator)),
        )
        for sentence in report.sentences
    )
    return Judgments(answer.run, answer.id, segments, tuple(collections))


def _written(
    sentence: JudgedSentence, nuggets: Sequence[Nugget], evaluator: str
) -> Iterator[Judgment]:
    def judgment(kind: Kind, document: str | None, **response: object) -> Judgment:
        provenance = {"doc_id": document, "sentence": None, "run_id": None, "sent_id": None}
        whole = {"judgment_type_id": kind, **response}
        return Judgment(kind, whole, evaluator, provenance)

    verdicts = sentence.verdicts
    lists = _per_citation(sentence, nuggets)
    for one, matches in zip(sentence.citations, lists, strict=True):
        id = one.document
        attested = verdicts.attested if one.attested is None else one.attested
        yield judgment("CITED_DOCUMENT_RELEVANCE", id, doc_id=id, is_relevant=one.relevant)
        yield judgment("SENTENCE_ANSWERS_QUESTION", id, matched_nuggets=_listed(matches, nuggets))
        yield judgment("SENTENCE_ATTESTED", id, is_attested=attested)
    if sentence.citations:
        return
    if verdicts.negative:
        confirmed = [{"question_text": nuggets[index].question} for index in verdicts.confirms]
        yield judgment(
            "NEGATIVE_ASSERTION", None, is_negative_assertion=True, confirmed_nuggets=confirmed
        )
        return
    yield judgment("REQUIRES_CITATION", None, requires_citation=verdicts.needs_citation)
    yield judgment("FIRST_INSTANCE", None, is_first_instance=verdicts.first)


def _per_citation(sentence: JudgedSentence, nuggets: Sequence[Nugget]) -> list[list[NuggetMatch]]:
    """Each match stands with the citations that its references hold, else with the first."""
    lists: list[list[NuggetMatch]] = [[] for _ in sentence.citations]
    for match in sentence.verdicts.answers:
        references = nuggets[match.nugget].answers[match.answer].references
        places = [i for i, one in enumerate(sentence.citations) if one.document in references]
        # A match by any answer (``-all``) may be explained by no reference; it must stand somewhere.
        for place in places or [0]:
            lists[place].append(match)
    return lists


def _listed(matches: Sequence[NuggetMatch], nuggets: Sequence[Nugget]) -> list[dict[str, object]]:
    by: dict[int, list[str]] = {}
    for index, answer in matches:
        by.setdefault(index, []).append(nuggets[index].answers[answer].text)
    return [
        {
            "question_text": nuggets[i].question,
            "matched_answer": texts,
            "importance": nuggets[i].weight,
        }
        for i, texts in by.items()
    ]
