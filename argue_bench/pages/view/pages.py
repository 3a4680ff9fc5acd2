"""The report viewer as pages: a front page of the run, two pages a topic, replies and long documents apart.

Everything works from the disk, without a server or network; without JavaScript nothing is missing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from argue_bench.errors import Code, DataError, Finding
from argue_bench.eval.report import short_key
from argue_bench.eval.run import Entry, read_entries, read_header, read_reports
from argue_bench.eval.signature import Signature
from argue_bench.loaders.dataset import Dataset
from argue_bench.metrics import Metric
from argue_bench.metrics.argue.judging import JudgedReport
from argue_bench.pages import safe
from argue_bench.pages.columns import family_of, judge_name, score_facts, score_name, split_key
from argue_bench.pages.plots.charts import Plot, bar_chart
from argue_bench.pages.render import Pages
from argue_bench.pages.view.front import TOPIC_KINDS, topic_columns, topic_row
from argue_bench.pages.view.generated import generated_replies
from argue_bench.pages.view.labels import WholeQuestions, draw_questions, draw_sample
from argue_bench.pages.view.stems import page_slug, page_stems, part_ending, part_of
from argue_bench.pages.view.topics import ReportSource, report_data
from argue_bench.pages.view.verdicts import raw_replies, read_verdicts
from argue_bench.records import KINDS

Json = dict[str, Any]
JudgedReports = Mapping[tuple[str, str], JudgedReport]
"""Judged reports by run and topic."""
CHARTS = {
    "view.core": ("sentence_support", "nugget_coverage_weighted", "f1_weighted"),
    "view.detailed": (
        "citation_relevance",
        "citation_support",
        "sentence_support",
        "nugget_coverage",
        "nugget_coverage_weighted",
        "f1",
        "f1_weighted",
    ),
}
"""What ARGUE-viz (Walden et al. 2025) draws: micro and macro side by side."""


@dataclass
class ViewerResult:
    """How many topics and label requests were written, and findings on everything left out."""

    topics: int = 0
    requests: int = 0
    findings: list[Finding] = field(default_factory=list)


@dataclass(frozen=True)
class _Run:
    """One run of a run file. ``stems`` are the names of its pages, by question id."""

    name: str
    folder: str
    entries: Mapping[str, Entry]
    stems: Mapping[str, str]


class _Viewer:
    """Writes the pages of one run file."""

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
        self.header = read_header(run)
        if self.header.digest and self.header.digest != dataset.digest:
            raise DataError.of(
                Code.OTHER_SET,
                f"the run is of {self.header.dataset}, and this set is {dataset.title}",
                run,
                hint="Rows changed since they were scored: evaluate them again."
                if dataset.source.keys() & {"rows", "hub"}
                else "Name the set that was scored with --dataset and --data.",
            )
        self.reports = read_reports(run, metrics=metrics)
        self.runs = list(self._runs())
        self.entries = [entry for one in self.runs for entry in one.entries.values()]
        self.keys = {key for e in self.entries for keys in e.requests.values() for key in keys}
        store = run.parent / self.header.store if self.header.store else None
        self.store = store if store is not None and store.is_file() else None
        self.shell: Json = {}
        self.generated: set[str] = set()

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

    def write(self, replies: Path | None = None) -> ViewerResult:
        """Every page but the label page."""
        done = ViewerResult()
        verdicts = {}
        if self.keys and self.store is None:
            why = "the verdict store that the run file names is missing; judgments cannot be shown"
            hint = f"Put {self.header.store or 'the store'} beside the run file."
            finding = Finding(Code.NO_STORE, why, str(self.path), hint=hint, level="warning")
            done.findings.append(finding)
        elif self.keys and self.store is not None:
            defaults: dict[str, dict[str, str]] = {}
            for entry in self.entries:
                for text, given in entry.defaults.items():
                    defaults.setdefault(text, {}).update(given)
            verdicts = read_verdicts(self.store, self.header, self.keys, defaults)
            self._replies(self.store)
        for id, found in generated_replies(replies, self.dataset.by_id) if replies else ():
            self.generated.add(id)
            for place in [f"{run.folder}{run.stems[id]}" for run in self.runs if id in run.stems]:
                self._page(f"{place}-generated.html", "replies.html", replies=found)
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
                data = {**report_data(source), "generated": id in self.generated}
                self._topic_pages(run, data, id)
                topics.append(topic_row(data, run.stems[id]))
            done.topics += len(topics)
            self._page(f"{run.folder}index.html", "view.html", run=self._front(run, topics))
            for id in [id for id in run.entries if id not in run.stems]:
                why = f"the set has no question {id!r}; it was left out"
                finding = Finding(Code.UNKNOWN_QUESTION, why, str(self.path), level="warning")
                done.findings.append(finding)
        if len(self.runs) > 1:
            rows = [
                {"name": one.name, "href": f"{one.folder}index.html", "n": len(one.entries)}
                for one in self.runs
            ]
            self._page(f"{self.folder}index.html", "view_runs.html", runs=rows)
        return done

    def _page(self, path: str, template: str, **data: Any) -> None:
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
        self._page(f"{place}.html", "topic.html", **about)
        parts = range(1, part_of(len(data["sentences"])) + 1)
        tabs = [(n, part_ending(n)) for n in parts if len(parts) > 1]
        for part in parts:
            some = [s for s in data["sentences"] if part_of(s["n"]) == part]
            path = f"{place}-sentences{part_ending(part)}.html"
            self._page(path, "sentences.html", **about, lines=some, part=part, parts=tabs)
        if data["requests"]:
            self._page(f"{place}-requests.html", "requests.html", **about)
        if any(document["truncated"] for document in data["documents"]):
            self._page(f"{place}-documents.html", "documents.html", **about)
        # Full texts have a page of their own; here they would double the size of the file.
        short = [{k: v for k, v in d.items() if k != "full_text"} for d in data["documents"]]
        self.pages.data(f"{run.folder}data/v1/{order[at]}.json", {**data, "documents": short})

    def _front(self, run: _Run, topics: list[Json]) -> Json:
        report = self.reports[run.name]
        scores = dict(report.scores)
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
                    "n": score.n,
                    "failed": score.failed,
                    "judge": judge_name(self.header.signature.get(metric, {})),
                }
            )
        return {
            "name": safe.text(run.name, 120) or self.shell["site"]["title"],
            "dataset": self.header.dataset,
            "note": safe.text(self.dataset.note, 600),
            "topics": topics,
            "columns": topic_columns(topics),
            "kinds": [kind for kind in TOPIC_KINDS if any(kind in one["has"] for one in topics)],
            "scores": rows,
            "plots": list(self._charts(scores)),
            "on_failure": self.header.on_failure,
            "signatures": {
                metric: {
                    "digest": Signature(parts).digest,
                    "parts": {safe.text(k): safe.text(v, 300) for k, v in parts.items()},
                }
                for metric, parts in self.header.signature.items()
            },
        }

    def _charts(self, scores: Mapping[str, Any]) -> Iterator[Plot]:
        """Micro and macro of the argue family, as ARGUE-viz draws them."""
        by_name = {
            short_key(key).removeprefix("argue."): score.value
            for key, score in scores.items()
            if short_key(key).startswith("argue.")
        }
        for title, names in CHARTS.items():
            table = {
                score_name(f"argue.{name}")[0]: {
                    "macro": by_name[name],
                    "micro": by_name.get(f"{name}_micro"),
                }
                for name in names
                if name in by_name
            }
            if table:
                made = bar_chart(self.pages.t(title), table, self.pages.t("view.score"))
                yield replace(made, note=self.pages.t("view.micro"))

    def _replies(self, store: Path) -> None:
        """Prompts and replies of models, one page a topic."""
        where: dict[str, list[str]] = {}
        for run in self.runs:
            for id, stem in run.stems.items():
                requests = run.entries[id].requests.values()
                for key in dict.fromkeys(key for keys in requests for key in keys):
                    where.setdefault(key, []).append(f"{run.folder}{stem}")
        replies: dict[str, list[Json]] = {}
        for key, judge, prompt, reply in raw_replies(store, self.keys):
            for place in where.get(key, ()):
                replies.setdefault(place, []).append(
                    {
                        "key": key[:16],
                        "judge": safe.text(judge, 200),
                        "prompt": safe.text(prompt, 20_000, lines=True),
                        "reply": safe.text(reply, 20_000, lines=True),
                    }
                )
        for place, found in replies.items():
            self._page(f"{place}-replies.html", "replies.html", replies=found)

    def label_page(self, wanted: int | WholeQuestions) -> int:
        """A page of judge requests for a person to answer; how many there are."""
        if self.store is None:
            hint = "Evaluate with a judge and --out."
            raise DataError.of(
                Code.NO_STORE, "there are no verdicts to label", self.path, hint=hint
            )
        lines: Sequence[Mapping[str, Any]]
        sizes: Mapping[tuple[str, str], int] = {}
        if isinstance(wanted, WholeQuestions):
            metrics = list(next(iter(self.reports.values())).metrics.values())
            lines = draw_questions(self.store, self.entries, self.dataset, metrics, wanted)
        else:
            sample, sizes = draw_sample(self.store, self.keys or None, wanted)
            lines = [{"ask": dict(request)} for request in sample]
        # What is in a line is in a line of the label file, which the page writes, but for the verdicts.
        requests = [{**one, "verdicts": KINDS[one["ask"]["kind"]].verdicts} for one in lines]
        strata = [
            {"kind": kind, "verdict": verdict, "n": n}
            for (kind, verdict), n in sorted(sizes.items())
        ]
        about = {
            "name": f"labels-{page_slug(self.path.stem)}",
            "strata": strata,
            "requests": requests,
            "questions": len({one["question"] for one in lines if "question" in one}),
        }
        self._page(f"{self.folder}label.html", "label.html", **about)
        return len(requests)


def write_viewer(
    run: Path,
    dataset: Dataset,
    out: Path,
    *,
    label: int | WholeQuestions = 0,
    replies: Path | None = None,
    metrics: Sequence[Metric] = (),
    judged: JudgedReports = MappingProxyType({}),
    pages: Pages | None = None,
    folder: str = "",
    name: str = "",
    back: str = "",
    board: str = "",
) -> ViewerResult:
    """Writes the viewer of a run file under ``out``.

    ``label`` is how many judge requests its label page has, 0 for no such page, or which questions are
    to be labelled whole; ``replies`` is the store in which ``generate`` kept prompts and replies;
    ``metrics`` are those of the run that are not in the catalogue; ``judged`` are reports read from a
    file (`eval.judgments.write_judged_run`), by run and topic. A board passes its ``pages``, the
    ``folder`` in them, the ``name`` of the system, and as ``back`` and ``board`` address and title of
    the page that readers come from. Raises DataError (no run file, another set, a broken store),
    UsageError (``out``).
    """
    mine = pages or Pages(out)
    viewer = _Viewer(run, dataset, mine, folder, metrics, judged)
    title = safe.text(name or run.stem, 80)
    viewer.shell = {
        "site": {
            "title": title,
            "url": "",
            "repository": "",
            "seasons": [],
            "back": back,
            "board": board,
        },
        "label": f"{folder}label.html" if label else "",
    }
    if pages is None:
        mine.check_place()
        mine.static()
    done = viewer.write(replies)
    if label:
        done.requests = viewer.label_page(label)
    if pages is None:
        mine.close()
    return done
