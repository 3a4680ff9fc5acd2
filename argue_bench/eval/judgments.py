"""Stored judgments: scored again, under the same or other rules, or exported in the format of
Auto-ARGUE.

No judge is called. From a run file its tallies are averaged; under other rules, reports are counted
from the verdicts in the store beside it, which holds every request with its texts, so that the
collection is not needed. Auto-ARGUE's judgments are counted first. A verdict that is missing is an
error, never a guess. One report is in memory at a time; of each run only numbers are kept.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from argue_bench.errors import Code, DataError, Finding, UsageError
from argue_bench.eval.report import score_all
from argue_bench.eval.run import (
    Entry,
    Header,
    entry_line,
    is_run_file,
    read_entries,
    read_header,
    write_run,
)
from argue_bench.eval.signature import MOST_LEFT_OUT, Signature, judge_text, without_observed
from argue_bench.loaders.auto_argue import Judgments, check_judgments, read_judgments
from argue_bench.loaders.auto_argue.scores import (
    ALL,
    ALL_ROWS,
    MISSING_CITATION,
    SHARES,
    TOPIC_ROWS,
    ScoreRow,
)
from argue_bench.loaders.dataset import Dataset
from argue_bench.metrics import parse
from argue_bench.metrics.argue.auto_argue import as_judgments, report_from_judgments
from argue_bench.metrics.argue.judging import JudgedReport, judge_report
from argue_bench.metrics.argue.metric import Argue, count, not_counted
from argue_bench.metrics.argue.tree import PRESETS, Preset
from argue_bench.metrics.base import NotJudged, Tallies, replay, tally_steps
from argue_bench.records import (
    Answer,
    Document,
    Documents,
    Entails,
    JudgeRequest,
    Question,
    Relevant,
    SupportLevel,
    Tally,
    Verdict,
)
from argue_bench.store import Author, Store

_TITLED = re.compile(r"Title:[ ]*(?P<title>[^\n]*)\n+Content:\s*(?P<text>.*)", re.DOTALL)

ReportTallies = tuple[str, str, Tallies | None]
"""Run, topic, and tallies; None where a verdict failed."""


@dataclass(frozen=True)
class StoredReport:
    """One report with all of its verdicts."""

    question: Question
    answer: Answer
    documents: Documents
    verdicts: Mapping[JudgeRequest, Verdict]


def score_judgments(
    path: Path, dataset: Dataset | None = None, rules: Preset | None = None, validate: bool = False
) -> tuple[Signature, Iterator[ScoreRow]]:
    """The signature of the scores of a judged file, and their rows.

    ``path`` is a run file, or a file of Auto-ARGUE's judgments; these, and other rules than those of
    the run file, need the ``dataset`` with the nuggets. With ``validate`` judgments that are
    doubtful in any way are an error. Raises DataError and UsageError.
    """
    if not is_run_file(path):
        if dataset is None:
            raise UsageError(
                f"{path} is not a run file of evaluate; to count it as Auto-ARGUE's judgments, "
                "name the nuggets: --nuggets PATH (or --dataset NAME)"
            )
        preset: Preset = rules or "auto-argue"
        parts = {"metric": str(Argue(rules=preset)), "data": dataset.title, "judge": path.name}
        return Signature(parts), score_rows(
            _count_judgments(path, dataset, preset, validate), preset
        )
    header = read_header(path)
    # The ``argue`` of a run file under these rules, else its only one.
    own = [text for text in header.metrics if text.partition("(")[0] == Argue.name]
    found = {text: metric for text in own if isinstance(metric := parse(text), Argue)}
    if not found:
        raise UsageError(f"{path} has no judgments of argue: it holds {', '.join(header.metrics)}")
    meant = {text: metric for text, metric in found.items() if metric.rules == rules} or found
    if len(meant) > 1:
        raise UsageError(f"{path} holds {' and '.join(meant)}; say which with --rules")
    text, metric = next(iter(meant.items()))
    if rules in (None, metric.rules):
        signature, counted = Signature(header.signature[text]), _stored_tallies(path, text)
    else:
        if dataset is None:
            raise UsageError(f"counting under --rules {rules} needs --nuggets or --dataset")
        metric = replace(metric, rules=rules)
        signature = Signature({**header.signature[text], "metric": str(metric)})
        counted = _recount(path, dataset, text, metric)
    # Answers that came without a run are called by the file's name.
    name = path.name.removesuffix(".jsonl").removesuffix(".run")
    named = ((run or name, topic, tallies) for run, topic, tallies in counted)
    return signature, score_rows(named, metric.rules, header.on_failure, header.most_left_out)


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
    runs: dict[str, _Run] = {}
    for run, topic, tallies in counted:
        runs.setdefault(run, _Run()).add(tallies)
        if tallies is not None:
            for name in (*TOPIC_ROWS, *MISSING_CITATION):
                if (value := tallies[name].value) is not None:
                    yield ScoreRow(run, topic, name, value)
    metric = Argue(rules=rules)
    for run, numbers in runs.items():
        scores = score_all(metric, numbers.rows(), on_failure, most_left_out)
        for name in (*ALL_ROWS, *MISSING_CITATION):
            plain = name.removesuffix("_macro")
            key = plain if plain in SHARES else name
            value = scores[f"{metric}.{key}"].value
            if value is not None:
                yield ScoreRow(run, ALL, name, value)


@dataclass
class _Run:
    """The numbers of one run: numerator and denominator of every column of every report."""

    columns: tuple[str, ...] = ()
    # 16 bytes for a tally, where an object would take a hundred: runs may have a million reports.
    numbers: array[float] = field(default_factory=lambda: array("d"))
    failed: int = 0

    def add(self, tallies: Tallies | None) -> None:
        if tallies is None:
            self.failed += 1
            return
        self.columns = self.columns or tuple(tallies)
        for name in self.columns:
            self.numbers.extend((tallies[name].numerator, tallies[name].denominator))

    def rows(self) -> Iterator[Tallies | None]:
        width = 2 * len(self.columns)
        for start in range(0, len(self.numbers), width or 1):
            some = self.numbers[start : start + width]
            yield {name: Tally(some[2 * i], some[2 * i + 1]) for i, name in enumerate(self.columns)}
        yield from [None] * self.failed


def _count_judgments(
    path: Path, dataset: Dataset, rules: Preset, validate: bool
) -> Iterator[ReportTallies]:
    """Auto-ARGUE's judgments, counted. Raises what `_judged_reports` raises."""
    for judged, report in _judged_reports(path, dataset, rules, validate):
        yield judged.run, judged.topic, count(report, PRESETS[rules])


def _judged_reports(
    path: Path, dataset: Dataset, rules: Preset, validate: bool = False
) -> Iterator[tuple[Judgments, JudgedReport]]:
    """Auto-ARGUE's judgments, read under these rules.

    Raises DataError when the file is through, with the findings of every report that was refused.
    """
    findings: list[Finding] = []
    seen: set[tuple[str, str]] = set()
    for judged in read_judgments(path):
        run, topic = judged.run, judged.topic
        question = dataset.by_id.get(topic)
        if question is None or question.gold is None:
            why, hint = f"there are no nuggets for topic {topic!r}", "Name them with --nuggets."
            findings.append(Finding(Code.UNKNOWN_TOPIC, why, str(path), hint=hint))
            continue
        if (run, topic) in seen:
            why = f"run {run!r}, topic {topic!r} twice"
            findings.append(Finding(Code.DUPLICATE_TOPIC, why, str(path)))
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
            Code.NO_JUDGMENTS,
            "the file holds no judged report",
            path,
            hint="Have reports judged with: argue-bench evaluate REPORTS --nuggets PATH",
        )


def _stored_tallies(path: Path, text: str) -> Iterator[ReportTallies]:
    """The tallies of one metric in a run file. Raises DataError where some are missing."""
    wanted = not_counted().keys()
    for entry in read_entries(path):
        tallies = entry.tallies[text]
        if tallies is not None and (lacking := wanted - tallies.keys()):
            about = f"{entry.answer.run} {entry.answer.id} lacks {', '.join(sorted(lacking))}"
            raise DataError.of(Code.NOT_A_RUN_FILE, about, path)
        yield entry.answer.run, entry.answer.id, tallies


def read_stored(
    path: Path, dataset: Dataset, text: str
) -> Iterator[tuple[Answer, StoredReport | None]]:
    """Every report of a run file with the verdicts that the metric of this text had; None where it failed.

    Raises DataError: no store beside the run file, another data set, a topic without nuggets.
    """
    header = read_header(path)
    if header.digest != dataset.digest:
        raise DataError.of(
            Code.OTHER_DATA,
            f"the run file was made on {header.dataset}, not {dataset.title}",
            path,
            hint="Name the nuggets (and requests, qrels) that it was made with.",
        )
    if not header.store:
        raise DataError.of(Code.NO_STORE, "the run file names no verdict store", path)
    with Store(path.parent / header.store, write=False) as store:
        judge = _judge(store, header.signature.get(text, {}).get("judge", ""), path)
        for entry in read_entries(path):
            failed = entry.tallies.get(text) is None
            yield entry.answer, None if failed else _stored(entry, dataset, text, store, judge)


def auto_argue_judgments(path: Path, dataset: Dataset, text: str) -> Iterator[Judgments]:
    """The reports of a run file as Auto-ARGUE's judgments; failed and missing ones are left out."""
    metric = parse(text)
    assert isinstance(metric, Argue)  # noqa: S101  (for the type checker)
    header = read_header(path)
    evaluator = header.signature[text]["judge"]
    # The parts as the user named them, else the collection's own name.
    places = header.source.get("collection", ())
    names = header.source.get("subset") or [Path(place).name.partition(".")[0] for place in places]
    for answer, one in read_stored(path, dataset, text):
        if one is not None and answer.sentences:
            report = judge_report(
                one.question, answer, one.documents, one.verdicts, metric.decided, metric.support
            )
            yield as_judgments(report, answer, one.documents, evaluator, names)


def write_judged_run(
    path: Path, dataset: Dataset, rules: Preset, out: Path
) -> dict[tuple[str, str], JudgedReport]:
    """Writes Auto-ARGUE's judgments as a run file, without requests; the judged reports by run and topic.

    Raises what `score_judgments` raises of judgments.
    """
    metric = Argue(rules=rules)
    text = str(metric)
    signature = {"metric": text, "data": dataset.title, "judge": path.name}
    header = Header(dataset.title, dataset.digest, (text,), {text: signature})
    kept: dict[tuple[str, str], JudgedReport] = {}
    with write_run(out, header) as write:
        for judged, report in _judged_reports(path, dataset, rules):
            kept[judged.run, judged.topic] = report
            tallies = count(report, metric.decided)
            write(entry_line(Entry(judged.answer, {text: tallies}, {text: ()})))
    return kept


def judged_documents(path: Path) -> dict[str, Document]:
    """The documents that a judgments file holds; ``Title: ...`` before the text becomes the title."""
    found: dict[str, Document] = {}
    for judged in read_judgments(path):
        for id, document in judged.documents.items():
            match = _TITLED.match(document.text)
            title, text = (match["title"], match["text"]) if match else ("", document.text)
            found[id] = Document(id, text, title)
    return found


def _recount(path: Path, dataset: Dataset, text: str, metric: Argue) -> Iterator[ReportTallies]:
    """Tallies under another metric. Raises DataError with the first verdicts that it lacks."""
    for answer, one in read_stored(path, dataset, text):
        if one is None:
            yield answer.run, answer.id, None
            continue
        try:
            steps = tally_steps(metric, one.question, answer, one.documents)
            yield answer.run, answer.id, replay(steps, one.verdicts)
        except NotJudged as error:
            kinds = ", ".join(sorted({type(request).__name__ for request in error.requests}))
            raise DataError.of(
                Code.NOT_JUDGED,
                f"{metric} needs {len(error.requests):,} verdicts on {answer.run} {answer.id} "
                f"that the store does not have ({kinds})",
                path,
                hint="Evaluate the reports under these rules; what is stored is not asked again.",
            ) from None


def _stored(entry: Entry, dataset: Dataset, text: str, store: Store, judge: Author) -> StoredReport:
    requests = [one for key in entry.requests[text] if (one := store.request(key)) is not None]
    defaults = {
        key: Verdict(word, note="default") for key, word in entry.defaults.get(text, {}).items()
    }
    found = {**store.find(judge, requests), **defaults}
    documents: dict[str, Document] = {}
    for request in requests:
        sources = request.premise if isinstance(request, Entails | SupportLevel) else ()
        if isinstance(request, Relevant):
            sources = (request.document,)
        documents |= {source.id: Document(source.id, source.text) for source in sources}
    verdicts = {request: found[request.key] for request in requests if request.key in found}
    return StoredReport(dataset.question(entry.answer.id), entry.answer, documents, verdicts)


def _judge(store: Store, signed: str, path: Path) -> Author:
    """The judge of the store whose name and identity are in the signature."""
    for row in store.judges():
        if judge_text(row.name, row.identity) == without_observed(signed):
            return row
    raise DataError.of(
        Code.NO_SUCH_JUDGE,
        f"the store has no verdicts of {signed!r}",
        path,
        hint="Is it the store that was written with this run file?",
    )
