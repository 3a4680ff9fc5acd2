"""The documentation in a browser: search without a network, phones, axe."""

from __future__ import annotations

import shutil
import subprocess
import sys

import pytest

from tests.browser.conftest import BASE, Open, Opened, Sites
from tests.browser.test_every_page import AXE, complaints
from tests.shared import ROOT

pytestmark = pytest.mark.slow
OF_THE_THEME = ("landmark-unique", "scrollable-region-focusable", "empty-table-header")
"""Zensical names two menus alike and gives no key to wide code; a table of Markdown must have a head."""
PAGES = ("", "quickstart/", "rows/", "citations/", "python/", "codes/")


@pytest.fixture(scope="module")
def docs(sites: Sites) -> str:
    """The path of the documentation beside the boards."""
    source = sites.folder / "source"
    shutil.copytree(ROOT / "docs", source / "docs")
    shutil.copy(ROOT / "mkdocs.yml", source)
    path = {"PATH": f"{sys.executable.rpartition('/')[0]}:/usr/bin:/bin", "PYTHONPATH": str(ROOT)}
    out = sites.folder / "docs"
    subprocess.run(
        [source / "docs" / "releases.sh", out], env=path, check=True, capture_output=True
    )
    return "docs/latest/"


def _search(docs: str, open_page: Open, words: str, found: str) -> Opened:
    """The page that the first find leads to; ``found`` is what the list of finds shows of it."""
    page, seen = open_page(docs, viewport={"width": 1280, "height": 800})
    page.wait_for_load_state("networkidle")
    page.keyboard.press("Control+k")
    page.get_by_placeholder("Search").fill(words)
    page.get_by_text(found).first.wait_for()
    page.keyboard.press("Enter")
    return page, seen


def test_search_finds_a_page_by_its_words(docs: str, open_page: Open) -> None:
    says = "says which sentences of an answer their"
    page, seen = _search(docs, open_page, "citation precision", says)
    page.wait_for_url("**/citations/**")
    # Chromium tells so or not, by how soon the theme's search field asks for the focus.
    console = [line for line in seen.console if not line.startswith("Autofocus processing")]
    assert not seen.failed, seen
    assert not seen.dialogs, seen
    assert not console, seen
    assert all(f"{BASE}docs/" in url for url in seen.requests)


def test_search_leads_to_an_error_code(docs: str, open_page: Open) -> None:
    codes = (ROOT / "docs/codes.md").read_text("utf-8")
    lacking = codes.partition("## missing-ids\n\n")[2].partition("\n")[0]
    page, _ = _search(docs, open_page, "missing-ids", lacking)
    page.wait_for_url("**/codes/*#missing-ids")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("path", PAGES)
def test_a_phone_shows_every_page_and_axe_minds_nothing(
    path: str, scheme: str, docs: str, open_page: Open
) -> None:
    page, seen = open_page(
        docs + path, viewport={"width": 390, "height": 844}, color_scheme=scheme, bypass_csp=True
    )
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert seen.quiet, seen
    if not AXE.is_file():
        pytest.skip("needs axe-core: npm ci in tests/browser")
    assert [line for line in complaints(page) if not line.startswith(OF_THE_THEME)] == []


def test_the_pictures_show_the_pages_of_today() -> None:
    command = [sys.executable, "-m", "benchmarks.pictures", "--check"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
