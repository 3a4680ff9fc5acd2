"""The documentation site: it builds without a warning, holds every page, and asks no other host for a file."""

from __future__ import annotations

import json
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
    assert "on_failure" in page, "the signature of evaluate"


def test_each_release_has_a_folder_of_its_own(tmp_path: Path) -> None:
    clone, out = tmp_path / "clone", tmp_path / "out"
    (clone / "docs").mkdir(parents=True)
    config = "site_name: a\nsite_dir: site/build/docs\nnav: [{Part: [{Home: index.md}]}]\n"
    (clone / "mkdocs.yml").write_text(config, encoding="utf-8")
    for name in ("releases.sh", "llms.py"):
        shutil.copy(ROOT / "docs" / name, clone / "docs")
    page = clone / "docs" / "index.md"
    page.write_text("# First\n\nIt says\n[who](https://example.org) asks.\n", encoding="utf-8")
    git = ["git", "-c", "user.name=Ada", "-c", "user.email=ada@example.org"]
    for words in (["init", "-q"], ["add", "."], ["commit", "-qm", "One"], ["tag", "v1.0"]):
        subprocess.run([*git, *words], cwd=clone, check=True)
    page.write_text("# Second\n\n```\nlist\n```\n", encoding="utf-8")
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    command = [clone / "docs" / "releases.sh", out]
    subprocess.run(command, env={**os.environ, "PATH": path}, check=True, capture_output=True)
    assert "First" in (out / "1.0" / "index.html").read_text(encoding="utf-8")
    assert "Second" in (out / "latest" / "index.html").read_text(encoding="utf-8")
    versions = json.loads((out / "versions.json").read_text(encoding="utf-8"))
    assert [one["version"] for one in versions] == ["latest", "1.0"]
    told = (out / "1.0" / "llms.txt").read_text(encoding="utf-8").splitlines()
    assert [told[0], *told[-3:]] == ["# a", "## Part", "", "- [Home](index.md): It says who asks."]
    assert "# First" in (out / "1.0" / "index.md").read_text(encoding="utf-8")
    assert "](latest/index.md)" in (out / "llms.txt").read_text(encoding="utf-8")
