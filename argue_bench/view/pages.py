"""The report viewer as pages: a front page of the run, two pages a topic, replies and long documents apart.

Everything works from the disk, without a server or network; without JavaScript nothing is missing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from types import MappingProxyType
from typing import Any

from argue_bench.errors import Code, DataError, Finding
from argue_bench.eval.flags import SHOWN, flag_list, rest_line, tier_lines
from argue_bench.eval.run import Entry, read_entries, read_header, read_reports, run_name
from argue_bench.eval.signature import Signature
from argue_bench.loaders.dataset import Dataset
from argue_bench.metrics import Metric
from argue_bench.metrics.argue.judging import JudgedReport, SentenceOutcome
from argue_bench.metrics.score_names import score_name
from argue_bench.records.grouping import grouped
from argue_bench.view import safe
from argue_bench.view.columns import family_of, judge_name, score_facts, split_key
from argue_bench.view.render import Pages, page_slug, page_stems, part_ending, part_of
from argue_bench.view.topics import Json, ReportSource, raw_replies, read_verdicts, report_data

# The list of topics on the front page of a run: a row a topic, and the scores that are its columns.

# What a reader of the list of topics may want to see alone.
TOPIC_KINDS = ("contradicted", "unsupported", "uncited", "failed", "empty")
OUTCOMES = (*map(str, SentenceOutcome), "contradicted", "partly", "unstated", "unjudged")


def _kinds(data: Json, outcomes: Sequence[str]) -> Iterator[str]:
    """The kinds by which a reader may filter the list."""
    yield from (name for name in TOPIC_KINDS[:3] if name in outcomes)
    if any(metric["failed"] or metric["failures"] for metric in data["metrics"]):
        yield "failed"
    if data["empty"]:
        yield "empty"


def topic_columns(topics: Sequence[Json]) -> list[Json]:
    """The main scores that the list of topics shows: two of a metric, those that apply to some topic first."""
    found: dict[str, Json] = {}
    for topic in topics:
        for key, score in topic["main"].items():
            column = found.setdefault(key, {"key": key, "applies": False, **score})
            column["applies"] |= score["value"] is not None
    by_metric = grouped((column["metric"], column) for column in found.values())
    chosen = [
        column
        for columns in by_metric.values()
        for column in sorted(columns, key=lambda one: not one["applies"])[:2]
        # Three columns fit beside a title on a screen of 820 pixels.
    ][:3]
    return [column for column in found.values() if column in chosen]


def topic_row(data: Json, stem: str) -> Json:
    """A topic as the front page lists it."""
    outcomes = [sentence["outcome"] for sentence in data["sentences"]]
    return {
        "id": data["id"],
        "title": data["title"] or data["text"][:300],
        "stem": stem,
        "outcomes": {name: outcomes.count(name) for name in OUTCOMES if name in outcomes},
        "nuggets": len(data["nuggets"]),
        "covered": sum(nugget["correct"] for nugget in data["nuggets"]),
        "has": list(_kinds(data, outcomes)),
        "main": {
            f"{metric['metric']}.{score['name']}": {**score, "metric": metric["metric"]}
            for metric in data["metrics"]
            for score in metric["scores"]
            if score["headline"]
        },
        "empty": data["empty"],
        "failed": any(m["failed"] for m in data["metrics"]),
    }


# Flags on the front page of a run; a reader opens those after the first few.
FLAGS = 200
# Judged reports by run and topic.
JudgedReports = Mapping[tuple[str, str], JudgedReport]


@dataclass
class ViewerResult:
    """How many questions and label requests were written, and findings on everything left out."""

    topics: int = 0
    kind: str = "questions"
    """What they are called: questions, or rows."""
    requests: int = 0
    findings: list[Finding] = field(default_factory=list)


@dataclass(frozen=True)
class _Run:
    """One run of a run file. ``stems`` are the names of its pages, by question id."""

    name: str
    folder: str
    entries: Mapping[str, Entry]
    stems: Mapping[str, str]


class RunViewer:
    """Writes the pages of one run file.

    ``entries`` are its scored answers, ``keys`` the keys of their judge requests, ``store`` the path of the
    verdict store, or None where it is missing.
    """

    def __init__(
        self,
        run: Path,
        dataset: Dataset,
        pages: Pages,
        folder: str,
        metrics: Sequence[Metric],
        judged: JudgedReports,
    ) -> None:
        self.judged = judged
        self.path, self.dataset, self.pages, self.folder = run, dataset, pages, folder
        self.kind = "rows" if all(question.pairing for question in dataset) else "questions"
        self.header = read_header(run)
        if self.header.digest and self.header.digest != dataset.digest:
            raise DataError.of(
                Code.OTHER_DATA,
                f"the run is of {self.header.dataset}, and this set is {dataset.title}",
                run,
                hint="Rows changed since they were scored: evaluate them again."
                if self.kind == "rows"
                else "Name the set that was scored with --dataset and --data.",
            )
        read = read_reports(run, metrics=metrics)
        self.reports = {name: report.resampled() for name, report in read.items()}
        self.runs = list(self._runs())
        self.entries = [entry for one in self.runs for entry in one.entries.values()]
        self.keys = {key for e in self.entries for keys in e.requests.values() for key in keys}
        store = run.parent / self.header.store if self.header.store else None
        self.store = store if store is not None and store.is_file() else None
        self.shell: Json = {}

    def _runs(self) -> Iterator[_Run]:
        found: dict[str, dict[str, Entry]] = {}
        for entry in read_entries(self.path):
            found.setdefault(entry.answer.run, {})[entry.answer.id] = entry
        for number, (name, entries) in enumerate(found.items(), 1):
            folder = (
                f"{self.folder}{number:02d}-{page_slug(name)}/" if len(found) > 1 else self.folder
            )
            known = [question.id for question in self.dataset if question.id in entries]
            yield _Run(name, folder, entries, page_stems(known))

    def write(self) -> ViewerResult:
        """Every page but the label page."""
        done = ViewerResult(kind=self.kind)
        verdicts = {}
        if self.keys and self.store is None:
            why = "the verdict store that the run file names is missing; judgments cannot be shown"
            hint = f"Put {self.header.store or 'the store'} beside the run file."
            finding = Finding(Code.NOT_JUDGED, why, str(self.path), hint=hint, level="warning")
            done.findings.append(finding)
        elif self.keys and self.store is not None:
            defaults: dict[str, dict[str, str]] = {}
            for entry in self.entries:
                for text, given in entry.defaults.items():
                    defaults.setdefault(text, {}).update(given)
            verdicts = read_verdicts(self.store, self.header, self.keys, defaults)
            self._replies(self.store)
        for run in self.runs:
            topics = []
            for id in run.stems:
                question = self.dataset.by_id[id]
                source = ReportSource(
                    self.header,
                    self.dataset,
                    question,
                    run.entries[id],
                    verdicts,
                    self.reports[run.name].metrics,
                    self.judged.get((run.name, id)),
                )
                data = report_data(source)
                self._topic_pages(run, data, id)
                topics.append(topic_row(data, run.stems[id]))
            done.topics += len(topics)
            self.page(f"{run.folder}index.html", "view.html", run=self._front(run, topics))
            for id in [id for id in run.entries if id not in run.stems]:
                why = f"the set has no question {id!r}; it was left out"
                finding = Finding(Code.UNKNOWN_ID, why, str(self.path), level="warning")
                done.findings.append(finding)
        if len(self.runs) > 1:
            rows = [
                {"name": one.name, "href": f"{one.folder}index.html", "n": len(one.entries)}
                for one in self.runs
            ]
            self.page(f"{self.folder}index.html", "view_runs.html", runs=rows)
        return done

    def page(self, path: str, template: str, **data: Any) -> None:
        self.pages.page(path, template, {**self.shell, **data})

    def _topic_pages(self, run: _Run, data: Json, id: str) -> None:
        order = list(run.stems.values())
        at = order.index(run.stems[id])
        place = f"{run.folder}{order[at]}"
        about = {
            "note": safe.text(self.dataset.note, 600),
            "topic": data,
            "stem": order[at],
            "run_name": safe.text(run.name, 120),
            "back": order[at - 1] if at else "",
            "next": order[at + 1] if at + 1 < len(order) else "",
        }
        self.page(f"{place}.html", "topic.html", **about)
        parts = range(1, part_of(len(data["sentences"])) + 1)
        tabs = [(n, part_ending(n)) for n in parts if len(parts) > 1]
        for part in parts:
            some = [s for s in data["sentences"] if part_of(s["n"]) == part]
            path = f"{place}-sentences{part_ending(part)}.html"
            self.page(path, "sentences.html", **about, lines=some, part=part, parts=tabs)
        if data["requests"]:
            self.page(f"{place}-requests.html", "requests.html", **about)
        if any(document["truncated"] for document in data["documents"]):
            self.page(f"{place}-documents.html", "documents.html", **about)
        # Full texts have a page of their own; here they would double the size of the file.
        short = [{k: v for k, v in d.items() if k != "full_text"} for d in data["documents"]]
        self.pages.data(f"{run.folder}data/v1/{order[at]}.json", {**data, "documents": short})

    def _front(self, run: _Run, topics: list[Json]) -> Json:
        report = self.reports[run.name]
        scores, flags = dict(report.scores), flag_list(report)
        rows = []
        for key, score in scores.items():
            metric, name = split_key(key)
            _, _, headline = score_facts(key)
            rows.append(
                {
                    "key": safe.text(key, 200),
                    "metric": metric,
                    "name": score_name(key)[0],
                    "family": family_of(metric),
                    "unit": report.averages(metric)[name].unit,
                    "headline": headline,
                    "value": score.value,
                    "low": score.low,
                    "high": score.high,
                    "n": score.n,
                    "failed": score.failed,
                    "not_judged": score.not_judged,
                    "judge": judge_name(self.header.signature.get(metric, {})),
                }
            )
        return {
            "name": safe.text(run.name, 120) or self.shell["site"]["title"],
            "dataset": self.header.dataset,
            "note": safe.text(self.dataset.note, 600),
            "warranty": report.warranty.text if report.warranty else "",
            "tiers": list(tier_lines(flags)),
            "flags": [
                {
                    "stem": run.stems[one.question],
                    "number": one.number,
                    "question": safe.text(self.dataset.by_id[one.question].text, 90),
                    # Without the signs of Markdown, which the flag's own text has.
                    "text": safe.text(
                        run.entries[one.question].answer.sentences[one.number - 1].plain, 300
                    ),
                    "reason": safe.text(one.reason, 200),
                }
                for one in flags.listed()[:FLAGS]
                if one.question in run.stems
            ],
            "shown": SHOWN,
            "weaker": rest_line(flags, self.pages.t("view.weaker")),
            "topics": topics,
            "columns": topic_columns(topics),
            "kinds": [kind for kind in TOPIC_KINDS if any(kind in one["has"] for one in topics)],
            "scores": rows,
            "on_failure": self.header.on_failure,
            "signatures": {
                metric: {
                    "digest": Signature(parts).digest,
                    "parts": {safe.text(k): safe.text(v, 300) for k, v in parts.items()},
                }
                for metric, parts in self.header.signature.items()
            },
        }

    def _replies(self, store: Path) -> None:
        """Prompts and replies of models, one page a topic."""
        where = grouped(
            (key, f"{run.folder}{stem}")
            for run in self.runs
            for id, stem in run.stems.items()
            for key in dict.fromkeys(chain(*run.entries[id].requests.values()))
        )
        replies = grouped(
            (
                place,
                {
                    "key": key[:16],
                    "judge": safe.text(judge, 200),
                    "prompt": safe.text(prompt, 20_000, lines=True),
                    "reply": safe.text(reply, 20_000, lines=True),
                },
            )
            for key, judge, prompt, reply in raw_replies(store, self.keys)
            for place in where.get(key, ())
        )
        for place, found in replies.items():
            self.page(f"{place}-replies.html", "replies.html", replies=found)


def write_viewer(
    run: Path,
    dataset: Dataset,
    out: Path,
    *,
    label: Callable[[RunViewer], int] | None = None,
    metrics: Sequence[Metric] = (),
    judged: JudgedReports = MappingProxyType({}),
    pages: Pages | None = None,
    folder: str = "",
    name: str = "",
    back: str = "",
    board: str = "",
) -> ViewerResult:
    """Writes the viewer of a run file under ``out``.

    ``label`` writes a page on which a person answers the run's judge requests, and says how many there are
    (`lab.labels_page` has one); ``metrics`` are those of the run that are not in the catalogue; ``judged``
    are reports that another program judged, by run and topic. A board passes its ``pages``, the
    ``folder`` in them, the ``name`` of the system, and as ``back`` and ``board`` address and title of
    the page that readers come from. Raises DataError (no run file, another set, a broken store),
    UsageError (``out``).
    """
    mine = pages or Pages(out)
    viewer = RunViewer(run, dataset, mine, folder, metrics, judged)
    title = safe.text(name or run_name(run), 80)
    viewer.shell = {
        "site": {
            "title": title,
            "url": "",
            "repository": "",
            "seasons": [],
            "back": back,
            "board": board,
        },
        "label": f"{folder}label.html" if label is not None else "",
        "kind": viewer.kind,
    }
    if pages is None:
        mine.check_place()
        mine.static()
    done = viewer.write()
    if label is not None:
        done.requests = label(viewer)
    if pages is None:
        mine.close()
    return done
