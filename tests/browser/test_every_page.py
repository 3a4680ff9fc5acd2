"""Every kind of page: nothing from elsewhere, nothing too wide, nothing that axe or a validator minds."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Sequence
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urljoin, urlsplit

import pytest

from argue_bench import load
from argue_bench.eval import evaluate
from argue_bench.loaders import read_answers
from argue_bench.pages.build import build_pages
from argue_bench.pages.inputs import Site
from argue_bench.view.compare import write_comparison
from tests.browser.conftest import BASE, Open, Sites
from tests.pages.boards import large
from tests.shared import ROOT

HERE = Path(__file__).parent
AXE = HERE / "node_modules/axe-core/axe.min.js"
KINDS = {
    "front": "own/index.html",
    "published": "own/board/fanoutqa-published/openbook.html",
    "home": "small/index.html",
    "board": "small/board/s1/openbook.html",
    "system": "small/system/s1/alpha.html",
    "metrics": "small/metrics.html",
    "data": "small/data.html",
    "ledger": "small/ledger.html",
    "queue": "small/queue.html",
    "topics": "small/topics/s1/openbook.html",
    "submit": "small/submit.html",
    "about": "small/about.html",
    "run": "view/index.html",
    "report": "view/001-flood-toll.html",
    "sentences": "view/001-flood-toll-sentences.html",
    "requests": "view/001-flood-toll-requests.html",
    "label": "view/label.html",
    "new": "new/index.html",
    "new data": "new/data.html",
    "hostile": "hostile/board/s1/openbook.html",
    "hostile system": "hostile/system/s1/evil-01.html",
}
BOARD = KINDS["board"]
CSS = ROOT / "site/static/site.css"
TAGS = ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa", "best-practice"]


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_leaves_the_origin(kind: str, open_page: Open, sites: Sites) -> None:
    page, seen = open_page(KINDS[kind])
    page.wait_for_load_state("networkidle")
    assert seen.requests
    assert not [url for url in seen.requests if not url.startswith(sites.root)]
    assert seen.quiet, seen


CUT = (
    "() => [...document.querySelectorAll('svg.plot-svg text')].filter(text => {"
    "const word = text.getBoundingClientRect(), all = text.closest('.plot-svg').getBoundingClientRect();"
    "return word.left < all.left - 1 || word.right > all.right + 1 || word.top < all.top - 1"
    " || word.bottom > all.bottom + 1; }).map(text => text.textContent)"
)
"""The words of plots that reach out of them."""


@pytest.mark.parametrize(("kind", "width"), [("board", 1280), ("board", 390)])
def test_no_word_of_a_plot_is_cut_off(kind: str, width: int, open_page: Open) -> None:
    page, _ = open_page(KINDS[kind], viewport={"width": width, "height": 900})
    assert page.locator("svg.plot-svg text").count()
    assert page.evaluate(CUT) == []


def complaints(page: Any) -> list[str]:
    page.evaluate(AXE.read_text("utf-8"))
    found = page.evaluate(
        "tags => axe.run(document, {runOnly: {type: 'tag', values: tags}, resultTypes: ['violations']})",
        TAGS,
    )
    return [
        f"{v['id']}: {v['help']}: {v['nodes'][0]['html'][:160]} {v['nodes'][0].get('failureSummary', '')[:300]}"
        for v in found["violations"]
    ]


# After two frames, for what answers to a new width does so before the second.
WIDTH = (
    "new Promise((told) => requestAnimationFrame(() => requestAnimationFrame("
    "() => told(document.documentElement.scrollWidth))))"
)


def too_wide(page: Any, widths: Sequence[int]) -> list[str]:
    found = []
    for width in widths:
        page.set_viewport_size({"width": width, "height": 900})
        if page.evaluate(WIDTH) > width:
            found.append(f"{width}: the page scrolls sideways")
    return found


@pytest.mark.parametrize("kind", KINDS)
def test_axe_and_width(kind: str, open_page: Open) -> None:
    """Dark on a telephone and light on a desk; the slow test below has every pair of both."""
    if not AXE.is_file():
        pytest.skip("needs axe-core: npm ci in tests/browser")
    page, _ = open_page(KINDS[kind], color_scheme="dark", bypass_csp=True, reduced_motion="reduce")
    found = too_wide(page, (768, 1280, 320)) + complaints(page)
    page.emulate_media(color_scheme="light", reduced_motion="reduce")
    page.set_viewport_size({"width": 1280, "height": 900})
    assert not found + complaints(page)


@pytest.fixture(scope="module")
def every_page(sites: Sites) -> dict[str, str]:
    """The kinds above, and those that other tests do not need: sizes, questions, runs side by side."""
    build_pages(large(16), sites.folder / "sixteen")
    build_pages(Site(()), sites.folder / "none")
    sample, runs = load("core", split="sample"), []
    for name in ("careful", "careless"):
        source = ROOT / f"argue_bench/data/core/sample-runs/{name}.jsonl"
        runs.append(sites.folder / f"{name}-beside.run")
        answers = read_answers(source, sample).values()
        evaluate(sample, answers, ["argue"], judge="lexical", out=runs[-1])
    write_comparison(runs, [sample], sites.folder / "beside")
    question = next((sites.folder / "beside/question").rglob("*.html"))
    return {
        **KINDS,
        "0 systems": "none/index.html",
        "1 system": "one/board/big/openbook.html",
        "16 systems": "sixteen/board/big/openbook.html",
        "300 systems": "large/board/big/openbook.html",
        "16 on the front page": "sixteen/index.html",
        "one of 300": "large/system/big/system-0001.html",
        "compare": "beside/index.html",
        "question": str(question.relative_to(sites.folder)),
        "lost": "small/404.html",
    }


@pytest.mark.parametrize(
    ("scheme", "checked"),
    [
        pytest.param("light", (820,), marks=pytest.mark.slow),
        pytest.param("light", (390, 820, 1440), marks=pytest.mark.release),
        pytest.param("dark", (390, 820, 1440), marks=pytest.mark.release),
    ],
)
def test_every_kind_of_page_at_three_widths(
    scheme: str, checked: Sequence[int], every_page: dict[str, str], open_page: Open, sites: Sites
) -> None:
    """No page scrolls sideways at any of them; axe at the widths ``checked``."""
    if not AXE.is_file():
        pytest.skip("needs axe-core: npm ci in tests/browser")
    page, _ = open_page("small/index.html", color_scheme=scheme, bypass_csp=True)
    found = []
    for kind, path in every_page.items():
        if len(checked) == 1 and path in KINDS.values():
            continue  # checked above
        page.goto(sites(path))
        for width in (390, 820, 1440):
            wide = too_wide(page, (width,))
            axe = complaints(page) if width in checked else []
            found += [f"{kind}, {line}" for line in wide + axe]
    assert not found


SHIFTS = (
    "new PerformanceObserver(list => { window.shifted = (window.shifted || 0) + list.getEntries()"
    ".filter(e => !e.hadRecentInput).reduce((sum, e) => sum + e.value, 0); })"
    ".observe({type: 'layout-shift', buffered: true})"
)


@pytest.mark.parametrize("kind", ["large/board/big/openbook.html", BOARD, KINDS["label"]])
def test_nothing_moves_while_a_page_loads(kind: str, open_page: Open) -> None:
    page, _ = open_page(kind, viewport={"width": 390, "height": 844})
    page.evaluate(SHIFTS)
    page.wait_for_load_state("networkidle")
    page.screenshot()
    assert page.evaluate("window.shifted || 0") < 0.05


def test_what_a_board_says_of_itself(open_page: Open, sites: Sites) -> None:
    """Flags by key and touch, bold for a shown lead only, a home page with a title, no source of texts."""
    page, _ = open_page(BOARD, viewport={"width": 390, "height": 844})
    flags = page.locator(".flag")
    assert flags.count() > 1
    assert all(flags.nth(n).get_attribute("tabindex") == "0" for n in range(2))
    assert page.locator("#Board tr[id] td b").count() == 0  # alpha and beta share the first band
    page.evaluate("scrollTo(0, document.documentElement.scrollHeight)")
    page.evaluate("document.querySelector('#alpha .pick').click()")
    tray = page.locator("#Tray").bounding_box()
    assert tray["y"] < 844 <= tray["y"] + tray["height"] + 1
    assert "display: none" not in re.findall(r"\.who small {([^}]*)}", CSS.read_text("utf-8"))[0]
    titles = {
        name: (sites.folder / name).read_text("utf-8").partition("<title>")[2].partition("<")[0]
        for name in ("small/index.html", "view/index.html")
    }
    assert titles["small/index.html"].endswith(": which AI answers keep to their sources?")
    assert not titles["view/index.html"].startswith("run")
    for name in ("metrics", "about"):
        text = (sites.folder / f"small/{name}.html").read_text("utf-8").partition("<main")[2]
        assert not re.search(r"``|:class:|>\s*#+ |argue_bench\.\w", text), name


def test_the_markup_is_valid(sites: Sites) -> None:
    tool = HERE / "node_modules/.bin/html-validate"
    if not tool.exists() or shutil.which("node") is None:
        pytest.skip("needs html-validate: npm ci in tests/browser")
    files = [
        str(path)
        for name in ("small", "view", "hostile", "new")
        for path in (sites.folder / name).rglob("*.html")
    ]
    done = subprocess.run(
        [tool, "-c", HERE / ".htmlvalidate.json", *files],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-4000:]


class Links(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.links: list[str] = []
        self.ids: set[str] = set()
        self.untrusted: list[dict[str, str | None]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        if found.get("id"):
            self.ids.add(str(found["id"]))
        target = found.get("href") or found.get("src")
        if target:
            self.links.append(target)
            if "://" in target:
                self.untrusted.append(found)


def parsed(path: Path) -> Links:
    links = Links()
    links.feed(path.read_text("utf-8"))
    return links


@pytest.mark.parametrize("name", ["small", "view", "hostile", "new"])
def test_every_link_leads_somewhere_under_a_base_path(name: str, sites: Sites) -> None:
    pages = {path: parsed(path) for path in (sites.folder / name).rglob("*.html")}
    lost = []
    for path, links in pages.items():
        here = urljoin(f"http://h{BASE}", str(path.relative_to(sites.folder)))
        for link in links.links:
            if path.name == "404.html" or "://" in link:
                continue
            parts = urlsplit(urljoin(here, link))
            target = sites.folder / unquote(parts.path).removeprefix(BASE)
            if not target.is_file():
                lost.append(f"{path.name}: {link}")
            elif (
                parts.fragment
                and target in pages
                and unquote(parts.fragment) not in pages[target].ids
            ):
                lost.append(f"{path.name}: {link} (no such place)")
    assert not lost


def test_links_that_strangers_gave_are_kept_at_arms_length(sites: Sites) -> None:
    found = [
        link
        for name in ("small", "hostile")
        for path in (sites.folder / name).rglob("*.html")
        for link in parsed(path).untrusted
    ]
    repository = "https://github.com/example/board"  # the organiser's, who names it in the footer
    own = [link for link in found if link["href"] in (repository, f"{repository}/pull/12")]
    assert {str(link["href"]) for link in own} == {repository, f"{repository}/pull/12"}
    assert {link["rel"] for link in own} == {"noopener"}
    strangers = [link for link in found if link not in own]
    assert strangers
    for link in strangers:
        assert str(link["href"]).startswith("https://")
        assert link["rel"] == "nofollow ugc noopener"


@pytest.mark.parametrize(
    "path",
    [
        "index.html",
        "board/s1/openbook.html",
        "system/s1/evil-01.html",
        "ledger.html",
        "metrics.html",
    ],
)
def test_hostile_text_is_seen_and_does_nothing(path: str, open_page: Open) -> None:
    page, seen = open_page(f"hostile/{path}")
    page.evaluate("() => new Promise(done => setTimeout(done, 200))")
    assert seen.quiet, seen
    assert (
        page.evaluate(
            "document.querySelectorAll('main script:not([type]), main img[onerror], [onload], [onmouseover], [onclick]').length"
        )
        == 0
    )
    text = page.inner_text("main")
    if path == "board/s1/openbook.html":
        for visible in (
            "<script>alert(1)</script>",
            "{{ 7*7 }}",
            "⟨U+202E⟩",
            "⟨U+200B⟩",
            "]]>&lt;",
        ):
            assert visible in text
        assert "49" not in page.locator("#evil-05 .who").inner_text()
        assert not re.search("[\u202a-\u202e\u2066-\u2069\u200b]", text)


def test_the_policy_is_on_every_page(sites: Sites) -> None:
    for path in sites.folder.rglob("*.html"):
        source = path.read_text("utf-8")
        assert "default-src 'none'; script-src 'self'; style-src 'self'" in source
        assert " style=" not in source


def test_every_word_of_the_interface_comes_from_the_catalogue() -> None:
    """No key of the templates is missing (they would not render), and none is left over."""
    site = HERE.parent.parent / "site"
    words = json.loads((site / "strings.en.json").read_text("utf-8"))
    source = "".join(path.read_text("utf-8") for path in (site / "templates").iterdir())
    source += "".join(
        path.read_text("utf-8") for path in (HERE.parent.parent / "argue_bench/pages").rglob("*.py")
    )
    literal = set(re.findall(r"""["']([a-z0-9.\-]+)["']""", source))
    starts = tuple(
        set(re.findall(r"""["']([a-z]+\.)["']? ?[~+{)]""", source))
        | {"setting.", "ask.", "size.", "type."}
    )
    assert not [key for key in words if key not in literal and not key.startswith(starts)]
