"""Files for other programs: citations; each says what the pages say."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from argue_bench.metrics.papers import bibtex, paper_bibtex
from argue_bench.pages.build import build_pages
from argue_bench.pages.exports import cite_site
from tests.pages.boards import entry, hostile, season, small

URL = "https://example.org/board/"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("site")
    build_pages(replace(small(), url=URL, docs="docs/"), out)
    return out


def meta(page: str) -> dict[str, str]:
    found = re.findall(r'<meta (?:name|property)="([^"]+)" content="([^"]*)">', page)
    return dict(found)


def test_a_link_to_a_board_has_a_sentence_and_a_picture(site: Path) -> None:
    page = (site / "board/s1/openbook.html").read_text("utf-8")
    told = meta(page)
    # Nobody leads whom a test does not tell from the next one.
    sentence = "Alpha has the highest score in open book, 80.0 (ARGUE F1); 40 questions; a test does not tell it from"
    assert told["description"] == f"{sentence} the next one; updated 2027-01-05."
    assert told["og:title"] == "Season one: Open book · A board of our own"
    assert f'<link rel="canonical" href="{URL}board/s1/openbook.html">' in page
    picture = (site / told["og:image"].removeprefix(URL)).read_bytes()
    # The size that networks ask for, from the head of a PNG (W3C, PNG, 11.2.1): 1200 by 630.
    assert (picture[:4], picture[16:24].hex()) == (b"\x89PNG", "000004b000000276")
    for path in site.rglob("*.html"):
        text = path.read_text("utf-8")
        assert len(meta(text).get("description", "")) > 20, path
        # The page of missing addresses starts at the root, others where they lie.
        root = URL if path.name == "404.html" else "../" * (len(path.relative_to(site).parts) - 1)
        assert f'<a href="{root}docs/">Docs</a>' in text, path


def test_of_equal_scores_none_is_called_the_highest(tmp_path: Path) -> None:
    """Scores told in steps are often equal, and a stranger chooses the name."""
    equal = (
        entry("00-later", 0.8, created="2027-01-01T00:00:02Z"),
        entry("victim", 0.8, created="2027-01-01T00:00:01Z"),
        entry("weak", 0.3),
    )
    build_pages(replace(small(), seasons=(season(*equal),)), tmp_path)
    page = (tmp_path / "board/s1/openbook.html").read_text("utf-8")
    sentence = "2 systems share the highest score in open book, 80.0 (ARGUE F1); 40 questions; updated 2027-01-01."
    assert meta(page)["description"] == sentence
    board = json.loads((tmp_path / "data/v1/board/s1/openbook.json").read_text())
    (section,) = board["sections"]
    assert [row["system"] for row in section["rows"]] == ["victim", "00-later", "weak"]
    for name in ("victim", "00-later"):
        assert "Top score on this board." in (tmp_path / f"system/s1/{name}.html").read_text()


def test_citations_are_whole_and_no_name_ends_a_field(site: Path) -> None:
    page = (site / "board/s1/openbook.html").read_text("utf-8")
    assert "Season one: Open book. 2027-01-05. argue-bench" in page
    assert f"url = {{{URL}board/s1/openbook.html}}" in page
    assert (
        bibtex("misc", "k", title="a} evil = {b", year="")
        == "@misc{k,\n  title = {a) evil = (b}\n}"
    )
    acting = bibtex("misc", "k", title="5 % of A&B #1 $x_1^2$ ~", url="https://a.example/%20_")
    assert r"title = {5 \% of A\&B \#1 \$x\_1\^{}2\$ \~{}}" in acting
    assert "url = {https://a.example/%20_}" in acting
    told = cite_site("Ünïcode { system", "A. Nonym", "2027-01-05", "")
    assert told["bibtex"].splitlines()[0] == "@misc{ncode-system-2027,"
    assert told["plain"].startswith("A. Nonym. Ünïcode { system. 2027-01-05.")
    told = cite_site("T", "", "", "", source="example.org at 1f")
    assert all("results from example.org at 1f" in told[form] for form in ("plain", "bibtex"))
    build_pages(hostile(), site.parent / "hostile")


@pytest.mark.parametrize(
    ("published", "kind", "field"),
    [
        ("Proceedings of ACL", "@inproceedings{", "booktitle = {Proceedings of ACL}"),
        ("arXiv:2505.08775", "@misc{", "eprint = {2505.08775}"),
        ("Computational Linguistics", "@article{", "journal = {Computational Linguistics}"),
    ],
)
def test_a_paper_is_cited_as_what_it_is(published: str, kind: str, field: str) -> None:
    paper = {"key": "x", "title": "T", "authors": "A", "published": published, "year": "2024"}
    assert paper_bibtex(paper).startswith(kind)
    assert field in paper_bibtex(paper)
