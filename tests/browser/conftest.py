"""A real browser and a server on loopback; skipped, saying so, where there is no Chromium."""

from __future__ import annotations

import http.server
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from argue_bench import load
from argue_bench.eval import evaluate
from argue_bench.lab.labels_page import label_page
from argue_bench.leaderboard.commands.site import build_site
from argue_bench.loaders import read_answers
from argue_bench.pages.build import build_pages
from argue_bench.view.pages import write_viewer
from tests.pages.boards import hostile, large, new, small
from tests.shared import ROOT, listening

CHROMIUM = Path("/usr/bin/chromium")
ARGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
BASE = "/some/base/"
"""The pages stand under a path, as they do on GitHub."""


class BelowBase(http.server.SimpleHTTPRequestHandler):
    """Serves a folder under the base path, and nothing anywhere else."""

    def translate_path(self, path: str) -> str:
        if not path.startswith(BASE):
            return str(Path(self.directory) / "there-is-no-such-file")
        return super().translate_path("/" + path.removeprefix(BASE))


@dataclass
class Seen:
    """What a page did besides being shown."""

    requests: list[str] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)
    console: list[str] = field(default_factory=list)
    dialogs: list[str] = field(default_factory=list)

    @property
    def quiet(self) -> bool:
        return not (self.failed or self.console or self.dialogs)


@dataclass
class Sites:
    """All kinds of pages, served."""

    root: str
    folder: Path

    def __call__(self, path: str) -> str:
        return f"{self.root}{path}"


@pytest.fixture(scope="package")
def browser() -> Iterator[Any]:
    if not CHROMIUM.exists():
        pytest.skip(f"needs Chromium at {CHROMIUM}")
    playwright = pytest.importorskip("playwright.sync_api", reason="needs playwright")
    with playwright.sync_playwright() as running:
        chromium = running.chromium.launch(executable_path=str(CHROMIUM), args=ARGS)
        yield chromium
        chromium.close()


@pytest.fixture(scope="package")
def sites(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sites]:
    """small/, hostile/, large/, one/, new/ are boards, own/ is this repository's; view/ is a run with a label page."""
    folder = tmp_path_factory.mktemp("sites")
    build_pages(small(), folder / "small")
    build_pages(hostile(), folder / "hostile")
    build_pages(large(300, ("openbook",)), folder / "large")
    build_pages(large(1, ("openbook",)), folder / "one")
    build_pages(new(), folder / "new")
    build_site(ROOT / "leaderboard-submissions", folder / "own", docs="https://example.org/docs/")
    sample = load("core", split="sample")
    answers = read_answers(ROOT / "argue_bench/data/core/sample-runs/careless.jsonl", sample)
    run = folder / "careless.run"
    evaluate(sample, answers.values(), ["argue", "claims"], judge="lexical", out=run)
    write_viewer(run, sample, folder / "view", label=label_page(20, None, ()))
    with listening(BelowBase, directory=str(folder)) as url:
        yield Sites(url + BASE, folder)


Opened = tuple[Any, Seen]
Open = Callable[..., Opened]


@pytest.fixture
def open_page(browser: Any, sites: Sites) -> Iterator[Open]:
    """Opens a page of the sites in a context of its own, and watches it."""
    contexts = []

    def opened(path: str, **options: Any) -> Opened:
        context = browser.new_context(**options)
        contexts.append(context)
        page, seen = context.new_page(), Seen()
        page.on("request", lambda request: seen.requests.append(request.url))
        page.on("requestfailed", lambda request: seen.failed.append(request.url))
        page.on("console", lambda message: seen.console.append(message.text))
        page.on("pageerror", lambda error: seen.console.append(str(error)))
        page.on("dialog", lambda dialog: (seen.dialogs.append(dialog.message), dialog.dismiss()))
        page.goto(sites(path))
        return page, seen

    yield opened
    for context in contexts:
        context.close()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """One process runs all of these, one after the other: an open browser keeps an event loop running."""
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            item.add_marker(pytest.mark.xdist_group("browser"))
