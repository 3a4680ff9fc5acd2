"""The report viewer and label mode in a browser, by keyboard."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from argue_bench.judges.recorded import read_labels
from tests.browser.conftest import Open, Sites

REPORT = "view/001-flood-toll.html"


def test_without_script_report_nuggets_and_documents_are_there(open_page: Open) -> None:
    page, seen = open_page(REPORT, java_script_enabled=False)
    text = page.inner_text("main")
    for words in ("Nine people died in the flood", "eleven people", "missing", "not supported"):
        assert words in text
    page.click("a.c >> nth=0")
    assert page.url.endswith("#d1")
    assert seen.quiet


def test_a_citation_opens_its_document_with_the_shared_words_marked(open_page: Open) -> None:
    page, seen = open_page(REPORT)
    before = page.locator("#d1 .text").text_content()
    page.click("#s1 + a.c")
    assert page.locator("#d1").get_attribute("open") is not None
    marks = {text.lower() for text in page.locator("#d1 mark").all_inner_texts()}
    assert {"nine", "died", "flood", "quenholt"} <= marks
    assert "the" not in marks
    page.click("#s3 + a.c")
    assert page.locator("#d1 mark").count() == 0
    assert page.locator("#d1 .text").text_content() == before
    assert seen.quiet


def test_j_and_k_walk_the_sentences(open_page: Open) -> None:
    page, _ = open_page(REPORT)
    at = "document.querySelector('.at')?.id"
    page.keyboard.press("j")
    page.keyboard.press("j")
    assert page.evaluate(at) == "s2"
    page.keyboard.press("k")
    assert page.evaluate(at) == "s1"
    page.keyboard.press("n")
    page.wait_for_url("**/002-*.html")


def test_a_report_opens_from_the_disk(browser: object, sites: Sites) -> None:
    page = browser.new_page()  # type: ignore[attr-defined]
    errors: list[str] = []
    page.on("console", lambda message: errors.append(message.text))
    page.goto((sites.folder / REPORT).as_uri())
    page.keyboard.press("j")
    assert page.evaluate("document.querySelector('.at')?.id") == "s1"
    assert (
        page.evaluate("getComputedStyle(document.querySelector('#s1')).textDecorationLine")
        == "underline"
    )
    page.close()
    assert not errors


def test_labels_are_given_by_keyboard_kept_and_saved(open_page: Open, tmp_path: Path) -> None:
    page, seen = open_page("view/label.html")
    assert "Judgment 1 of 20" in page.inner_text("#labels")
    for key in ("y", "n", "s", "y"):
        page.keyboard.press(key)
    assert "Judgment 5 of 20, 3 answered" in page.inner_text("#labels")
    page.keyboard.press("b")
    assert page.locator("[aria-pressed=true]").inner_text().startswith("yes")
    page.reload()
    assert "3 answered" in page.inner_text("#labels")
    with page.expect_download() as waiting:
        page.keyboard.press("w")
    path = tmp_path / waiting.value.suggested_filename
    waiting.value.save_as(path)
    labels = read_labels(path)
    assert [label.verdict.value for label in labels] == ["yes", "no", "yes"]
    assert seen.quiet
    checked = subprocess.run(
        [
            sys.executable,
            "-m",
            "argue_bench",
            "judge",
            "check",
            f"recorded:{path}",
            "--labels",
            path,
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    assert checked.returncode == 0, checked.stderr
    assert "against 3 labels" in checked.stdout
    assert "1.000" in checked.stdout


def test_d_opens_the_judgments_of_a_sentence_on_both_pages(open_page: Open) -> None:
    page, _ = open_page(REPORT)
    page.keyboard.press("j")
    page.keyboard.press("d")
    page.wait_for_url("**/001-flood-toll-sentences.html#s1")
    page.keyboard.press("d")
    assert page.locator("#s1 details").first.get_attribute("open") is not None


def test_back_returns_to_the_sentence_after_a_citation(open_page: Open) -> None:
    page, _ = open_page(REPORT, viewport={"width": 390, "height": 844})
    page.click("#s1 + a.c")
    assert page.url.endswith("#d1")
    page.go_back()
    assert page.url.endswith("001-flood-toll.html")


def test_the_list_of_topics_sorts_filters_and_leads_to_the_labels(open_page: Open) -> None:
    page, seen = open_page("view/index.html")
    shown = "[...document.querySelectorAll('#list tbody tr')].filter(r => !r.hidden).map(r => parseFloat(r.cells[1].textContent))"
    page.click("#list thead th:nth-child(2) button")
    values = page.evaluate(shown)
    assert values == sorted(values)
    kind = page.locator("#only option").last.get_attribute("value")
    page.select_option("#only", kind)
    marked = page.evaluate(
        "k => document.querySelectorAll(`#list tr[data-has~=${k}]`).length", kind
    )
    assert 0 < len(page.evaluate(shown)) == marked
    page.click("text=Label a sample")
    page.wait_for_url("**/label.html")
    assert seen.quiet
