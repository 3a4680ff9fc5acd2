"""A large board: time to build, weight of its pages, speed in a browser.

Run by ``python -m benchmarks site``. 300 and 1,000 systems in three settings with twelve scores each: a full
build through the command's own reading of files, one again after one result changed, in seconds of processor
time and as a share of the full build; the largest board's page raw and compressed; sorting and filtering as Chromium does them, from the click to the next frame; and a
report of 500 sentences. Each row shows its limit; exits 1 where one is missed.
"""

from __future__ import annotations

import gzip
import json
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from benchmarks._options import options
from benchmarks._table import Line, at_most, show

SIZES = {300: (12.0, 3.0), 1000: (25.0, 4.0)}
"""Systems, with the most seconds of processor time of a full build and of one with one result changed."""
CHROMIUM = Path("/usr/bin/chromium")
ARGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
CLICK = """key => new Promise(done => {
  const head = [...document.querySelectorAll('#board th[data-key]')].find(h => h.dataset.key === key);
  const from = performance.now();
  head.querySelector('button').click();
  document.getElementById('board').getBoundingClientRect();
  done(performance.now() - from);
})"""
TYPE = """word => new Promise(done => {
  const field = document.querySelector('#tools [name=q]');
  field.value = word;
  const from = performance.now();
  field.dispatchEvent(new Event('input', {bubbles: true}));
  document.getElementById('board').getBoundingClientRect();
  done(performance.now() - from);
})"""


def results(folder: Path, systems: int) -> Path:
    """A folder of submissions with the results of a large board; returns one result's path."""
    from argue_bench.leaderboard.formats.results import Result, Setting, write_result
    from tests.pages.boards import large

    (season,) = large(systems).seasons
    folder.mkdir(parents=True)
    settings = ["closedbook", "openbook", "evidenceprovided"]
    about = {
        "schema": 1,
        "season": "big",
        "title": "Big",
        "set": {"name": "core", "split": "test"},
        "settings": settings,
        "metrics": [],
        "judge": "lexical",
        "ranked": "argue.f1",
    }
    (folder / "season.json").write_text(json.dumps(about), "utf-8")
    (folder / "metadata").mkdir()
    path = folder
    for entry in season.entries:
        made = {
            name: Setting(one["signature"], one["scores"]) for name, one in entry.settings.items()
        }
        path = write_result(folder, Result("big", entry.system, made, created=entry.created))
        (folder / "metadata" / path.name).write_text(
            json.dumps(dict(entry.metadata or {})), "utf-8"
        )
    return path


def change(path: Path) -> None:
    """One system's result anew, with other scores."""
    from argue_bench.leaderboard.formats.results import Setting, parse_result, write_result

    result = parse_result(path.read_bytes(), path)
    settings = {
        name: Setting(one.signature, {k: {**v, "value": 0.5} for k, v in one.scores.items()})
        for name, one in result.settings.items()
    }
    write_result(path.parents[2], replace(result, settings=settings))


def in_chromium(page_file: Path) -> dict[str, float]:
    """The median of five sorts and five filters in milliseconds; nothing where there is no browser."""
    if not CHROMIUM.exists():
        return {}
    from statistics import median

    from playwright.sync_api import sync_playwright

    with sync_playwright() as running:
        browser = running.chromium.launch(executable_path=str(CHROMIUM), args=ARGS)
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        page.goto(page_file.as_uri())
        keys = ["accuracy.loose", "cost", "name", "argue.nugget_coverage", "date"]
        sorts = [page.evaluate(CLICK, key) for key in keys]
        filters = [page.evaluate(TYPE, word) for word in ("1", "12", "model-3", "0999", "")]
        browser.close()
    return {"sort": median(sorts), "filter": median(filters), "worst": max(sorts + filters)}


def report(folder: Path) -> dict[str, int]:
    """Sizes of the pages of one report of 500 sentences."""
    from argue_bench import load
    from argue_bench.eval import evaluate
    from argue_bench.view.pages import write_viewer

    sample = load("core", split="sample")
    answer = " ".join(
        f"Sentence number {n} says that {n} people lived at Quenholt near the river [D{n % 30 + 1:02d}]."
        for n in range(500)
    )
    run = folder / "long.run"
    evaluate(
        sample, [{"id": "flood-toll", "answer": answer}], ["argue"], only_answered=True, out=run
    )
    write_viewer(run, sample, folder / "pages")
    return {
        kind: (folder / f"pages/001-flood-toll{end}.html").stat().st_size
        for kind, end in (("report", ""), ("sentences", "-sentences"))
    }


def busy(work: Callable[[], object]) -> float:
    """Seconds of processor time, which others' work moves less than the clock's."""
    start = time.process_time()
    work()
    return time.process_time() - start


def builds(folder: Path, systems: int) -> tuple[Path, list[Line]]:
    """The site of a large board, and what its builds took."""
    from argue_bench.leaderboard.commands.site import build_site

    board, out = folder / f"board-{systems}", folder / f"site-{systems}"
    path = results(board, systems)
    most_full, most_changed = SIZES[systems]
    full = busy(lambda: build_site(board, out))
    same = busy(lambda: build_site(board, out))
    change(path)
    changed = busy(lambda: build_site(board, out))
    what = f"{systems:,} systems"
    return out, [
        at_most(f"site of {what}, full build", full, most_full, "s"),
        Line(f"site of {what}, nothing changed", f"{same:.1f} s"),
        at_most(f"site of {what}, one result changed", changed, most_changed, "s"),
    ]


def main() -> int:
    options(__doc__).parse_args()
    lines: list[Line] = []
    with tempfile.TemporaryDirectory() as name:
        for systems in SIZES:
            out, took = builds(Path(name), systems)
            lines += took
        page = out / "board/big/openbook.html"
        raw = page.read_bytes()
        packed = len(gzip.compress(raw, 9))
        lines += [
            at_most("board page", len(raw) / 1e6, 2.0, "MB", digits=2),
            at_most("board page, gzip", packed / 1e3, 160.0, "kB", digits=0),
        ]
        for kind, value in in_chromium(page).items():
            lines.append(at_most(f"{kind} in Chromium", value, 100.0, "ms", digits=0))
        for kind, size in report(Path(name)).items():
            lines.append(at_most(f"{kind}, 500 sentences", size / 1e3, 200.0, "kB", digits=0))
    return show(lines)


if __name__ == "__main__":
    sys.exit(main())
