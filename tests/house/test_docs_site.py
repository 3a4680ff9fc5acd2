"""The documentation site: it builds without a warning, holds every page, and asks no other host for a file."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest
import yaml

from tests.shared import ROOT

pytestmark = pytest.mark.slow
LOADS = {"script": "src", "img": "src", "link": "href", "iframe": "src", "source": "src"}


class _Loader(yaml.SafeLoader):
    """Reads mkdocs.yml, whose ``!ENV`` tags are of no interest here."""


_Loader.add_constructor("!ENV", lambda loader, node: None)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("docs")
    shutil.copytree(ROOT / "docs", folder / "docs")
    shutil.copy(ROOT / "mkdocs.yml", folder)
    done = subprocess.run(
        [sys.executable, "-m", "zensical", "build", "--strict"],
        cwd=folder,
        env={**os.environ, "DOCS_REPOSITORY": "https://example.org/a/b"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return folder / "site" / "build" / "docs"


def leaves(nav: object) -> list[str]:
    if isinstance(nav, str):
        return [nav]
    values = nav.values() if isinstance(nav, dict) else nav
    return [leaf for value in values for leaf in leaves(value)]  # type: ignore[union-attr]


def test_every_page_stands_in_the_navigation_once() -> None:
    config = yaml.load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"), _Loader)
    pages = [path.relative_to(ROOT / "docs").as_posix() for path in (ROOT / "docs").rglob("*.md")]
    assert sorted(leaves(config["nav"])) == sorted(pages)


class _Loads(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag in LOADS and given.get("rel") not in ("canonical", "prev", "next", "edit"):
            self.found.append(given.get(LOADS[tag]) or "")


def test_no_page_loads_a_file_of_another_host(site: Path) -> None:
    for path in site.rglob("*.html"):
        page = _Loads()
        page.feed(path.read_text(encoding="utf-8"))
        assert page.found, path
        assert not [one for one in page.found if re.match(r"(https?:)?//", one)], path
    for path in site.rglob("*.css"):
        assert not re.search(r"url\(\s*[\"']?(https?:)?//", path.read_text(encoding="utf-8")), path


def test_a_page_links_to_its_source_and_python_has_its_docstrings(site: Path) -> None:
    page = (site / "python" / "index.html").read_text(encoding="utf-8")
    assert "https://example.org/a/b/edit/main/docs/python.md" in page
    assert "Report" in page
    assert "OnFailure" in page, "the signature of evaluate"
