"""The report viewer as pages: a run's front page, two pages a topic, replies and long documents apart.

Everything works from the disk: no server, no network, and without the script everything is there.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from argue_bench.errors import Code, DataError, Finding
from argue_bench.eval.report import short_key
from argue_bench.eval.run import Entry, Header, read_entries, read_header, read_reports
from argue_bench.loaders.dataset import Dataset
from argue_bench.metrics.argue.tree import Fate
from argue_bench.pages import plots, safe
from argue_bench.pages.columns import family_of, judge_name, score_facts, split_key
from argue_bench.pages.contract import digest
from argue_bench.pages.render import Pages
from argue_bench.pages.view.labels import draw_sample
from argue_bench.pages.view.topics import ReportSource, report_data
from argue_bench.pages.view.verdicts import raw_replies, read_verdicts, store_of

Json = dict[str, Any]
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
"""What ARGUE-viz draws: micro and macro side by side."""
LINES = 150
"""Sentences on one page of the sentence view."""
FATES = (*map(str, Fate), "unjudged")


@dataclass
class ViewerResult:
    """What was made: topics, and what could not be shown."""

    topics: int = 0
    requests: int = 0
    findings: list[Finding] = field(default_factory=list)


@dataclass(frozen=True)
class _Run:
    """One run of a run file on its way to pages."""

    name: str
    folder: str
    entries: Mapping[str, Entry]


def write_viewer(
    run: Path,
    dataset: Dataset,
    out: Path,
    *,
    label: int = 0,
    pages: Pages | None = None,
    folder: str = "",
    name: str = "",
    back: str = "",
    board: str = "",
) -> ViewerResult:
    """Writes the viewer of a run file under ``out``; with ``label``, a page of asks to answer.

    ``back``, from the root of ``pages``, is where its readers came from; ``board`` is that board's title.

    Raises DataError (not a run file, another data set, a broken store), UsageError (``out``).
    """
    header = read_header(run)
    _same_set(header, dataset, run)
    mine = pages or Pages(out)
    mine.environment.filters["part"] = lambda number: part_end(part_of(number))
    if pages is None:
        mine.check_place()
        mine.static()
    done = ViewerResult()
    runs = _runs(run, folder)
    keys = {
        key
        for one in runs
        for e in one.entries.values()
        for ks in e.requests.values()
        for key in ks
    }
    store = store_of(run, header)
    if keys and store is None:
        why = "its verdict store is not where the run file says; judgments can't be shown"
        hint = f"Put {header.store or 'the store'} beside the run file."
        done.findings.append(Finding(Code.NO_STORE, why, str(run), hint=hint, level="warning"))
    given = _defaults(runs)
    heards = read_verdicts(store, header, keys, given) if store is not None and keys else {}
    reports = read_reports(run)
    title = safe.text(name or run.stem, 80)
    shell = {"site": {"title": title, "url": "", "seasons": [], "back": back, "board": board}}
    note = safe.text(dataset.note, 600)
    for one in runs:
        places = _places(one, dataset)
        topics: list[Json] = []
        for id, place in places.items():
            made = report_data(
                ReportSource(header, dataset, dataset.by_id[id], one.entries[id], heards)
            )
            _topic_pages(mine, {**shell, "note": note}, one, made, places, id)
            topics.append(_short(made, place))
            done.topics += 1
        front = _front(one, dataset, header, reports.get(one.name), topics, mine, title)
        mine.page(f"{one.folder}index.html", "view.html", {**shell, "run": front})
        done.findings += [
            Finding(
                Code.UNKNOWN_QUESTION,
                f"the set has no question {id!r}; it was left out",
                str(run),
                level="warning",
            )
            for id in one.entries
            if id not in dataset.by_id
        ]
    if len(runs) > 1:
        rows = [
            {"name": one.name, "href": f"{one.folder}index.html", "n": len(one.entries)}
            for one in runs
        ]
        mine.page(f"{folder}index.html", "view_runs.html", {**shell, "runs": rows})
    if store is not None and keys:
        _replies(mine, shell, runs, dataset, store, keys)
    if label:
        done.requests = _label_page(mine, shell, store, keys, label, run, folder)
    if pages is None:
        mine.close()
    return done


def _same_set(header: Header, dataset: Dataset, run: Path) -> None:
    if header.digest and header.digest != dataset.digest:
        raise DataError.of(
            Code.OTHER_SET,
            f"the run is of {header.dataset}, and this set is {dataset.title}",
            run,
            hint="Name the set that was scored with --on and --data.",
        )


def _runs(run: Path, folder: str) -> list[_Run]:
    found: dict[str, dict[str, Entry]] = {}
    for entry in read_entries(run):
        found.setdefault(entry.answer.run, {})[entry.answer.id] = entry
    if len(found) == 1:
        return [_Run(name, folder, entries) for name, entries in found.items()]
    return [
        _Run(name, f"{folder}{number:02d}-{_slug(name)}/", entries)
        for number, (name, entries) in enumerate(found.items(), 1)
    ]


def part_of(number: int) -> int:
    """On which part of the sentence view a sentence stands, both counted from 1."""
    return max(0, number - 1) // LINES + 1


def part_end(part: int) -> str:
    """What the address of that part ends with."""
    return f"-{part}" if part > 1 else ""


def _slug(name: str) -> str:
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:40] or "x"


def _places(run: _Run, dataset: Dataset) -> dict[str, str]:
    """Question id to the stem of its pages, in the order of the set."""
    known = [question.id for question in dataset if question.id in run.entries]
    return {id: f"{number:03d}-{_slug(id)}" for number, id in enumerate(known, 1)}


def _topic_pages(
    pages: Pages, shell: Json, run: _Run, made: Json, places: Mapping[str, str], id: str
) -> None:
    order = list(places.values())
    at = order.index(places[id])
    place = f"{run.folder}{places[id]}"
    about = {
        **shell,
        "topic": made,
        "stem": places[id],
        "run_name": safe.text(run.name, 120),
        "back": order[at - 1] if at else "",
        "next": order[at + 1] if at + 1 < len(order) else "",
    }
    pages.page(f"{place}.html", "topic.html", about)
    parts = range(1, part_of(len(made["sentences"])) + 1)
    for part in parts:
        some = [s for s in made["sentences"] if part_of(s["n"]) == part]
        pages.page(
            f"{place}-sentences{part_end(part)}.html",
            "sentences.html",
            {
                **about,
                "lines": some,
                "part": part,
                "parts": [(n, part_end(n)) for n in parts if len(parts) > 1],
            },
        )
    if made["asks"]:
        pages.page(f"{place}-asks.html", "asks.html", about)
    if any(document["cut"] for document in made["documents"]):
        pages.page(f"{place}-documents.html", "documents.html", about)
    whole = {
        **made,
        "documents": [{k: v for k, v in d.items() if k != "whole"} for d in made["documents"]],
    }
    pages.data(f"{run.folder}data/v1/{places[id]}.json", whole)


def _defaults(runs: list[_Run]) -> dict[str, dict[str, str]]:
    """By metric text: keys of failed asks with the default verdicts that the run filled in."""
    found: dict[str, dict[str, str]] = {}
    for entry in (entry for one in runs for entry in one.entries.values()):
        for text, given in entry.defaults.items():
            found.setdefault(text, {}).update(given)
    return found


def _short(made: Json, place: str) -> Json:
    fates = [sentence["fate"] for sentence in made["sentences"]]
    argue = next((m for m in made["metrics"] if m["metric"] == made["argue"]), None)
    scores = {s["name"]: s["value"] for s in argue["scores"]} if argue else {}
    return {
        "id": made["id"],
        "title": made["title"] or made["text"][:160],
        "place": place,
        "sentences": len(fates),
        "fates": {fate: fates.count(fate) for fate in FATES if fate in fates},
        "nuggets": len(made["nuggets"]),
        "found": sum(n["correct"] for n in made["nuggets"]),
        "f1": scores.get("f1"),
        "support": scores.get("sentence support"),
        "coverage": scores.get("nugget coverage"),
        "empty": made["empty"],
        "failed": any(m["failed"] for m in made["metrics"]),
    }


def _front(
    run: _Run,
    dataset: Dataset,
    header: Header,
    report: Any,
    topics: list[Json],
    pages: Pages,
    stem: str,
) -> Json:
    scores = dict(report.scores) if report is not None else {}
    rows = []
    for key, score in scores.items():
        metric, name = split_key(key)
        unit, _, headline = score_facts(key)
        rows.append(
            {
                "key": safe.text(key, 200),
                "metric": metric,
                "name": name.replace("_", " "),
                "family": family_of(metric),
                "unit": unit,
                "head": headline,
                "value": score.value,
                "n": score.n,
                "failed": score.failed,
                "judge": judge_name(header.signature.get(metric, {})),
            }
        )
    return {
        "name": safe.text(run.name, 120) or stem,
        "dataset": header.dataset,
        "note": safe.text(dataset.note, 600),
        "topics": topics,
        "scores": rows,
        "plots": list(_charts(scores, pages)),
        "on_failure": header.on_failure,
        "signatures": {
            metric: {
                "digest": digest(parts),
                "parts": {safe.text(k): safe.text(v, 300) for k, v in parts.items()},
            }
            for metric, parts in header.signature.items()
        },
    }


def _charts(scores: Mapping[str, Any], pages: Pages) -> Iterator[plots.Plot]:
    """Micro and macro of the argue family, as ARGUE-viz draws them."""
    by_name = {
        short_key(key).partition(".")[2]: score.value
        for key, score in scores.items()
        if split_key(key)[0].partition("(")[0] == "argue"
    }
    for title, names in CHARTS.items():
        table = {
            name.replace("_", " "): {
                "macro": by_name.get(name),
                "micro": by_name.get(f"{name}_micro"),
            }
            for name in names
            if name in by_name
        }
        if table:
            yield plots.bar_chart(pages.t(title), table, pages.t("view.score"))


def _replies(
    pages: Pages, shell: Json, runs: list[_Run], dataset: Dataset, store: Path, keys: set[str]
) -> None:
    """What went over the wire, one page a topic, in files of their own."""
    where: dict[str, list[str]] = {}
    for run in runs:
        places = _places(run, dataset)
        for id, place in places.items():
            for key in dict.fromkeys(k for ks in run.entries[id].requests.values() for k in ks):
                where.setdefault(key, []).append(f"{run.folder}{place}")
    replies: dict[str, list[Json]] = {}
    for key, judge, prompt, reply in raw_replies(store, keys):
        for place in where.get(key, ()):
            replies.setdefault(place, []).append(
                {
                    "key": key[:16],
                    "judge": safe.text(judge, 200),
                    "request": safe.text(prompt, 20_000, lines=True),
                    "reply": safe.text(reply, 20_000, lines=True),
                }
            )
    for place, found in replies.items():
        stem = place.rpartition("/")[2]
        pages.page(
            f"{place}-replies.html", "replies.html", {**shell, "stem": stem, "replies": found}
        )


def _label_page(
    pages: Pages, shell: Json, store: Path | None, keys: set[str], most: int, run: Path, folder: str
) -> int:
    if store is None:
        raise DataError.of(
            Code.NO_STORE,
            "there are no verdicts to label",
            run,
            hint="Evaluate with a judge that is asked, and --out.",
        )
    sample = draw_sample(store, keys or None, most)
    strata = [
        {"kind": kind, "verdict": verdict, "n": n}
        for (kind, verdict), n in sorted(sample.strata.items())
    ]
    from argue_bench.records import KINDS

    requests = [
        {"ask": dict(request), "verdicts": KINDS[request["kind"]].verdicts}
        for request in sample.requests
    ]
    pages.page(
        f"{folder}label.html",
        "label.html",
        {
            **shell,
            "name": f"labels-{_slug(run.stem)}",
            "strata": strata,
            "n": len(requests),
            "asks": requests,
        },
    )
    return len(requests)
