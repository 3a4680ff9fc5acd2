"""Auto-ARGUE's judgments, counted and written: segments to a judged report, and back.

In reading no judge is called and nothing is deduplicated: a sentence that the file has twice keeps
its two judgments. Relevance and matches are the file's own, so only rules that try
answers by look-up can be counted from it. A judgment that is missing is an error, never a guess. One report
is in memory at a time; of each run only numbers are kept.

A run file is written as such judgments, and judgments are shown as pages by way of a run file.
"""

from __future__ import annotations

import re
from collections import ChainMap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import cast

from argue_bench.errors import Code, DataError, Finding, UsageError
from argue_bench.eval.report import score_all
from argue_bench.eval.run import (
    Entry,
    Header,
    entry_line,
    read_entries,
    read_header,
    write_run,
)
from argue_bench.eval.signature import MOST_LEFT_OUT, judge_text, without_observed
from argue_bench.loaders.dataset import Dataset
from argue_bench.metrics.argue.argue import Argue, count_report
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
    judge_report,
)
from argue_bench.metrics.base import Tallies
from argue_bench.published.auto_argue.files import (
    ALL,
    ALL_ROWS,
    MISSING_CITATION,
    SHARES,
    TOPIC_ROWS,
    Judgment,
    Judgments,
    Kind,
    ScoreRow,
    Segment,
    check_judgments,
    read_judgments,
)
from argue_bench.records import Answer, Document, JudgeRequest, Nugget, Verdict
from argue_bench.records.grouping import grouped
from argue_bench.store import Store
from argue_bench.view.pages import ViewerResult, write_viewer

# Findings that make counting impossible.
NEEDED = (Code.NOT_JUDGED, Code.UNKNOWN_ID)
_TITLED = re.compile(r"Title:[ ]*(?P<title>[^\n]*)\n+Content:\s*(?P<text>.*)", re.DOTALL)
# Run, topic, and tallies; None where a verdict failed.
ReportTallies = tuple[str, str, Tallies | None]


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
    return JudgedSentence(segment.text, citations, verdicts, classify_sentence(verdicts, rules))


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
        return Judgment(kind, {"judgment_type_id": kind, **response}, evaluator, provenance)

    verdicts = sentence.verdicts
    for one, matches in zip(sentence.citations, _per_citation(sentence, nuggets), strict=True):
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
    texts_of = grouped((i, nuggets[i].answers[answer].text) for i, answer in matches)
    return [
        {
            "question_text": nuggets[i].question,
            "matched_answer": texts,
            "importance": nuggets[i].weight,
        }
        for i, texts in texts_of.items()
    ]


def score_rows(
    counted: Iterable[ReportTallies],
    rules: Preset,
    on_failure: str = "refuse",
    most_left_out: float = MOST_LEFT_OUT,
) -> Iterator[ScoreRow]:
    """The 20 rows of every report as it comes, then the 28 of every run's topic ``all``.

    A row that does not apply is left out, and so are the ``all`` rows of a run with failed reports,
    unless ``on_failure`` tolerates them.
    """
    runs: dict[str, list[Tallies | None]] = {}
    for run, topic, tallies in counted:
        runs.setdefault(run, []).append(tallies)
        for name in (*TOPIC_ROWS, *MISSING_CITATION):
            if tallies is not None and (value := tallies[name].value) is not None:
                yield ScoreRow(run, topic, name, value)
    metric = Argue(rules=rules)
    for run, rows in runs.items():
        scores = score_all(metric, rows, on_failure, most_left_out)
        for name in (*ALL_ROWS, *MISSING_CITATION):
            # Our plain name of a share is the mean over topics, which Auto-ARGUE calls macro.
            plain = name.removesuffix("_macro")
            value = scores[f"{metric}.{plain if plain in SHARES else name}"].value
            if value is not None:
                yield ScoreRow(run, ALL, name, value)


def judged_reports(
    path: Path, dataset: Dataset, rules: Preset, validate: bool = False
) -> Iterator[tuple[Judgments, JudgedReport]]:
    """Auto-ARGUE's judgments, read under these rules; ``validate`` refuses them with any warning.

    Raises DataError when the file is through, with the findings of every report that was refused.
    """
    findings: list[Finding] = []
    seen: set[tuple[str, str]] = set()
    for judged in read_judgments(path):
        run, topic = judged.run, judged.topic
        question = dataset.by_id.get(topic)
        if question is None or question.gold is None:
            why, hint = f"there are no nuggets for topic {topic!r}", "Name them with --nuggets."
            findings.append(Finding(Code.UNKNOWN_ID, why, str(path), hint=hint))
            continue
        # Which of two is meant cannot be known.
        if (run, topic) in seen:
            findings.append(
                Finding(Code.DUPLICATE_TOPICS, f"run {run!r}, topic {topic!r} twice", str(path))
            )
            continue
        seen.add((run, topic))
        nuggets = question.gold.nuggets
        try:
            if validate and (doubts := check_judgments(judged, nuggets)):
                raise DataError(doubts)
            yield judged, report_from_judgments(judged, nuggets, rules)
        except DataError as error:
            findings.extend(error.findings)
    if findings:
        raise DataError(findings)
    if not seen:
        raise DataError.of(
            Code.EMPTY,
            "the file holds no judged report",
            path,
            hint="Have reports judged with: argue-bench auto-argue REPORTS NUGGETS PREFIX",
        )


def stored_judgments(path: Path, dataset: Dataset, metric: Argue) -> Iterator[Judgments]:
    """The reports of a run file as Auto-ARGUE's judgments, from the store beside it; failed ones are
    left out. ``dataset`` is the one that the reports were judged on, with its documents."""
    header, text = read_header(path), str(metric)
    evaluator = header.signature[text]["judge"]
    # The parts as the user named them, else the collection's own name.
    places = header.source.get("collection", ())
    names = header.source.get("subset") or [Path(place).name.partition(".")[0] for place in places]
    with Store(path.parent / header.store, write=False) as store:
        # One store may hold verdicts of several judges; the signature names this run's.
        (judge,) = (
            row
            for row in store.judges()
            if judge_text(row.name, row.identity) == without_observed(evaluator)
        )
        for entry in read_entries(path):
            answer = entry.answer
            if entry.tallies[text] is None or not answer.sentences:
                continue
            requests: dict[str, JudgeRequest] = {
                key: request
                for key in entry.requests[text]
                if (request := store.request(key)) is not None
            }
            words = entry.defaults.get(text, {})
            # What failed and was filled by a default is in the run file, not in the store.
            found = store.find(judge, list(requests.values())) | {
                key: Verdict(word, note="default") for key, word in words.items()
            }
            verdicts = {requests[key]: verdict for key, verdict in found.items() if key in requests}
            question = dataset.question(answer.id)
            documents = dataset.citable(question)
            report = judge_report(question, answer, documents, verdicts, metric.decided)
            yield as_judgments(report, answer, documents, evaluator, names)


def write_judged_run(
    path: Path, dataset: Dataset, rules: Preset, out: Path
) -> dict[tuple[str, str], JudgedReport]:
    """Writes Auto-ARGUE's judgments as a run file, without requests; the judged reports by run and topic.

    Raises what `judged_reports` raises.
    """
    metric = Argue(rules=rules)
    text = str(metric)
    signature = {"metric": text, "data": dataset.title, "judge": path.name}
    header = Header(dataset.title, dataset.digest, (text,), {text: signature})
    kept: dict[tuple[str, str], JudgedReport] = {}
    with write_run(out, header) as write:
        for judged, report in judged_reports(path, dataset, rules):
            kept[judged.run, judged.topic] = report
            tallies = count_report(report, metric.decided)
            write(entry_line(Entry(judged.answer, {text: tallies}, {text: ()})))
    return kept


def judged_documents(path: Path) -> dict[str, Document]:
    """The documents that a judgments file holds; ``Title: ...`` before the text becomes the title."""
    found: dict[str, Document] = {}
    for judged in read_judgments(path):
        for id, document in judged.documents.items():
            # As ARGUE-viz reads the texts of the file.
            match = _TITLED.match(document.text)
            title, text = (match["title"], match["text"]) if match else ("", document.text)
            found[id] = Document(id, text, title)
    return found


def view_judgments(
    path: Path, dataset: Dataset, collection: Mapping[str, Document], out: Path
) -> ViewerResult:
    """Writes the pages of a judgments file, with the documents that it or the collection holds.

    Raises DataError for a file that cannot be read, UsageError where ``out`` holds other files.
    """
    # A collection is only read here, from its files, so that it need not be a dict.
    documents = ChainMap(
        judged_documents(path), dict(dataset.documents), cast("dict[str, Document]", collection)
    )
    shown = replace(dataset, documents=documents, declared_digest=dataset.digest)
    with TemporaryDirectory() as folder:
        run = Path(folder) / "run"
        judged = write_judged_run(path, shown, "auto-argue", run)
        return write_viewer(run, shown, out, judged=judged, name=path.name.partition(".")[0])
