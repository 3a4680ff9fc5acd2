"""Two or more run files on one set: each with its viewer, and every question with all answers."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from math import isnan
from pathlib import Path
from typing import Any

from argue_bench.analysis.aligned import all_rows, asked_only_once, ids_in, paired
from argue_bench.analysis.compare import compare, p_value
from argue_bench.errors import ArgueBenchError, UsageError
from argue_bench.eval.report import Report
from argue_bench.eval.run import read_reports, run_name
from argue_bench.loaders.dataset import Dataset
from argue_bench.metrics import Metric
from argue_bench.metrics.score_names import score_name
from argue_bench.records.grouping import grouped
from argue_bench.stats.averages import columns_of
from argue_bench.stats.permutation import per_question
from argue_bench.view import safe
from argue_bench.view.columns import score_facts, split_key
from argue_bench.view.pages import ViewerResult, write_viewer
from argue_bench.view.render import Pages, page_slug, page_stems
from argue_bench.view.topics import Json

# A page for each question of an open set: all systems' answers side by side, each with its judgments.
#
# The answers come from the data files of the report viewers, which hold every sentence with its outcome.


def write_question_pages(pages: Pages, place: str, topics: Mapping[str, Any]) -> None:
    """Writes the pages of the questions of one board; ``place`` is its season and setting."""
    stems = [row["stem"] for row in topics["topics"]]
    systems = topics["systems"]
    about = {key: topics[key] for key in ("season", "title", "setting", "ranked", "notes")}
    for at, row in enumerate(topics["topics"]):
        around = {"back": stems[at - 1] if at else "", "next": "".join(stems[at + 1 : at + 2])}
        given = {"topics": about, "row": row, **around}
        files = {
            one["system"]: f"{where[0]}data/v1/{where[1]}.json"
            for one in systems
            if (where := row["reports"].get(one["system"]))
        }
        stamp = json.dumps([given, systems, [pages.now.get(path) for path in files.values()]])

        def data(given: Json = given, files: Mapping[str, str] = files) -> Json:
            # Called only where the page is out of date: every report is read from its file.
            entries = [_entry(pages, one, given["row"], files) for one in systems]
            return {**given, "entries": entries}

        pages.page(f"question/{place}/{row['stem']}.html", "question.html", data, stamp)


def _entry(pages: Pages, system: Json, row: Json, files: Mapping[str, str]) -> Json:
    """One system on one question: its score, and its report where there is one to read."""
    name = system["system"]
    entry = {**system, "value": row["values"][name], "report": "", "nuggets": []}
    if name in files:
        found = json.loads((pages.out / files[name]).read_text("utf-8"))
        folder, stem = row["reports"][name]
        entry |= {"report": f"{folder}{stem}.html", "empty": found["empty"]}
        entry |= {key: found[key] for key in ("sentences", "shown", "nuggets", "main_scores")}
    return entry


def write_comparison(
    runs: Sequence[Path], sets: Sequence[Dataset], out: Path, metrics: Sequence[Metric] = ()
) -> ViewerResult:
    """Writes the viewers of several runs, and the pages that lay them side by side, under ``out``.

    ``sets``: the data set of all runs, or of own rows one for each run, which are paired by what was
    asked. Of a file with several runs the first is compared. Raises UsageError where rows ask different
    questions, and what `write_viewer` raises.
    """
    read = [next(iter(read_reports(run, metrics=metrics).values())) for run in runs]
    rows = len(sets) > 1
    if rows:
        _refuse_other_rows(runs, read)
    pages = Pages(out)
    pages.check_place()
    pages.static()
    done = ViewerResult()
    names = {f"{n:02d}-{page_slug(run.stem)}": run_name(run) for n, run in enumerate(runs, 1)}
    reports: dict[str, Report] = {}
    stems: dict[str, dict[str, str]] = {}
    each = sets if rows else [sets[0]] * len(runs)
    for name, run, dataset, report in zip(names, runs, each, read, strict=True):
        made = write_viewer(
            run,
            dataset,
            out,
            metrics=metrics,
            pages=pages,
            folder=f"{name}/",
            name=run_name(run),
            back="index.html",
            board=" · ".join(names.values())[:80],
        )
        done.topics, done.kind = done.topics + made.topics, made.kind
        done.findings += made.findings
        stems[name] = page_stems([q.id for q in dataset if q.id in report.per_question])
        reports[name] = report
        if rows:
            ids = ids_in(read[0], report)
            stems[name] = {ids[id]: stem for id, stem in stems[name].items()}
            reports[name] = paired(read[0], report)
    topics = _topics(sets[0], reports, stems, names)
    shell = {"url": "", "repository": "", "seasons": [], "back": "index.html"}
    pages.shell = {"site": {"title": topics["title"], **shell}}
    write_question_pages(pages, "runs", topics)
    pages.page(
        "index.html", "view_compare.html", {"topics": topics, **_tested(list(names.values()), read)}
    )
    pages.close()
    return done


def _tested(names: Sequence[str], reports: Sequence[Report]) -> Json:
    """The main scores of each pair of runs with the test of their difference, or why there is none."""
    numbered = [f"{n} {name}" for n, name in enumerate(names, 1)]
    try:
        found = compare(*reports, names=numbered)
    except ArgueBenchError as error:
        return {"pairs": [], "why": str(error)}
    pairs = grouped(
        (
            (d.first, d.second),
            {
                **asdict(d),
                "name": score_name(d.score)[0],
                "p": p_value(d.p_holm),
                "winner": d.winner,
            },
        )
        for d in found.differences
    )
    shown = dict(zip(numbered, names, strict=True))
    return {
        "pairs": [
            {"first": shown[a], "second": shown[b], "rows": rows} for (a, b), rows in pairs.items()
        ],
        "why": "",
        "tests": found.facts["tests"],
    }


def _refuse_other_rows(runs: Sequence[Path], reports: Sequence[Report]) -> None:
    for run, report in zip(runs[1:], reports[1:], strict=True):
        if not all_rows((reports[0], report)):
            raise UsageError(f"{runs[0]} or {run} is of an older version: evaluate the rows again")
        if apart := asked_only_once(reports[0], report):
            raise UsageError(
                f"{runs[0]} and {run} answer different questions: {len(apart)} rows are in one only "
                f"({', '.join(dict.fromkeys(apart[:5]))}). View each by itself, or score the same questions."
            )


def _topics(
    dataset: Dataset,
    reports: Mapping[str, Report],
    stems: Mapping[str, Mapping[str, str]],
    names: Mapping[str, str],
) -> Json:
    """Every question with each run's main score on it, as boards have them."""
    shared = [
        key
        for key in next(iter(reports.values())).scores
        if all(key in one.scores for one in reports.values())
    ]
    # The pages are sorted by F1 where a metric has one, else by the first main score of all runs.
    main = [key for key in shared if score_facts(key)[2]]
    key = next((key for key in main if split_key(key)[1] == "f1"), next(iter(main or shared), ""))
    values = {name: _by_question(report, key) for name, report in reports.items() if key}
    rows = _rows(dataset, stems, values)
    return {
        "season": "",
        "setting": "",
        "title": " · ".join(names.values())[:120],
        "ranked": key,
        "name": score_name(key)[0],
        "notes": [],
        "topics": rows,
        "systems": [
            {
                "system": name,
                "name": safe.text(names[name], 80),
                "view": f"{name}/index.html",
            }
            for name in reports
        ],
    }


def _by_question(report: Report, key: str) -> dict[str, float | None]:
    """The score of a report on each of its questions."""
    metric, score = split_key(key)
    columns = columns_of(row.get(metric) for row in report.per_question.values())
    alone = per_question(report.averages(metric)[score], columns).tolist()
    return {
        question: None if isnan(value) else value
        for question, value in zip(report.per_question, alone, strict=True)
    }


def _rows(
    dataset: Dataset,
    stems: Mapping[str, Mapping[str, str]],
    values: Mapping[str, Mapping[str, float | None]],
) -> list[Json]:
    """A row for each question that any run answers."""
    asked = [q for q in dataset if any(q.id in of for of in stems.values())]
    own = page_stems([question.id for question in asked])
    return [
        {
            "id": safe.text(question.id, 120),
            "stem": own[question.id],
            "text": safe.text((question.request and question.request.title) or question.text, 300),
            "request": safe.text(question.text, 5000, lines=True),
            "gold": [],
            "values": {name: values.get(name, {}).get(question.id) for name in stems},
            "reports": {
                name: (f"{name}/", of[question.id]) if question.id in of else None
                for name, of in stems.items()
            },
        }
        for question in asked
    ]
