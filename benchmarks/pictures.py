"""Takes the pictures that README and docs show; measures nothing.

Chromium takes them from this repository's own board, and from an answer of MT-RAG (Katsis et al. 2025) in
the viewer: Llama 3.1 405B on a question of CLAPnq, whose passage is Wikipedia's (CC BY-SA 3.0).
``docs/pictures/NAME.sha256`` keeps the digest of the page that a picture shows; ``--check`` exits 1
where a page is another one by now.
"""

from __future__ import annotations

import hashlib
import json
import re
import sys
import tempfile
from pathlib import Path

from benchmarks._options import options

ROOT = Path(__file__).parents[1]
PICTURES = ROOT / "docs/pictures"
# The picture of links to a site, which every site brings along.
PLACES = {"card": ROOT / "site/static/card.png"}
CHROMIUM = Path("/usr/bin/chromium")
EXAMPLE = ROOT / "argue_bench/data/figures/mtrag.json"
SIZES = {"board": (1200, 1000), "viewer": (1200, 1180), "card": (1200, 630)}
# Columns that a picture of the board has room for, as its address names them.
COLUMNS = "?col=accuracy(rules%3Dfanoutqa).loose&col=accuracy(rules%3Dfanoutqa).strict"
# GitHub shows a README in a column of this width, where a letter should have twelve pixels or more.
COLUMN, LEAST = 830, 12
ZOOM = 1.6
"""How much larger than usual the letters of a picture are, since GitHub makes pictures smaller."""
# The size in pixels of the smallest letters that the picture shows.
SMALLEST = """() => Math.min(...[...document.querySelectorAll('main *')].filter((e) => {
  const box = e.getBoundingClientRect(), own = [...e.childNodes].some((n) => n.nodeType === 3 && n.data.trim());
  return own && e.checkVisibility() && !e.closest('.hide') && box.top < innerHeight && box.left < innerWidth;
}).map((e) => parseFloat(getComputedStyle(e).fontSize)))"""


def pages(folder: Path) -> dict[str, Path]:
    """The page of each picture, made anew below a folder."""
    from argue_bench import evaluate, from_rows
    from argue_bench.leaderboard.commands.site import build_site
    from argue_bench.view.pages import write_viewer

    build_site(ROOT / "leaderboard-submissions", folder / "site")
    dataset, answers = from_rows([example_row()])
    evaluate(dataset, answers, ["faithfulness"], out=folder / "run")
    write_viewer(folder / "run", dataset, folder / "view", name="Llama 3.1 405B")
    answer = folder / "view" / "001-mt-rag.html"
    return {
        "board": folder / "site" / "board/fanoutqa-published/openbook.html",
        "viewer": answer,
        "card": card(folder / "site", answer),
    }


def example_row() -> dict[str, object]:
    """The answer of MT-RAG that the front page shows, with its question and passage."""
    example = json.loads(EXAMPLE.read_text("utf-8"))["example"]
    passage = {key: example["source"][key] for key in ("title", "text")}
    answer = " ".join(one["text"] for one in example["sentences"])
    return {
        "id": "MT-RAG",
        "question": example["question"],
        "contexts": [passage],
        "answer": answer,
    }


def card(site: Path, answer: Path) -> Path:
    """A page of the front page's first words and the marked answer, with which links to a site are shown."""
    from argue_bench.view.render import Strings

    [style] = (site / "assets").glob("site.*.css")
    shown = answer.read_text("utf-8").partition('<div class="report"')[2].partition("<p class=")[0]
    page, words = site / "card.html", Strings()
    page.write_text(
        f'<!DOCTYPE html><html lang="en"><link rel="stylesheet" href="assets/{style.name}">'
        f"<main><h1>{words('home.title')}</h1><p class=lead>{words('home.lead')}</p>"
        f'<div class="report"{shown}</main>',
        "utf-8",
    )
    return page


def page_digest(page: Path) -> str:
    """Of what the page shows: its words, without the names of its script and style files."""
    text = page.read_text("utf-8").partition("<main")[2]
    return hashlib.sha256(re.sub(r"<[^>]*>", " ", text).encode()).hexdigest()


def take(name: str, page: Path) -> None:
    """The first screen of the page, as ``docs/pictures/NAME.png``."""
    from playwright.sync_api import sync_playwright

    width, height = SIZES[name]
    with sync_playwright() as running:
        browser = running.chromium.launch(executable_path=str(CHROMIUM), args=["--no-sandbox"])
        size = {"width": width, "height": height}
        # The page's own policy allows no other style than its own.
        shown = browser.new_page(viewport=size, color_scheme="light", bypass_csp=True)
        shown.goto(page.as_uri() + COLUMNS * (name == "board"))
        shown.add_style_tag(content=f"html {{ font-size: {100 * ZOOM}% }}")
        shown.wait_for_timeout(300)
        letters = shown.evaluate(SMALLEST) * COLUMN / width
        if letters < LEAST:
            sys.exit(f"{name}: letters of {letters:.1f} pixels in a column of {COLUMN}")
        top = shown.locator("main").bounding_box()["y"]
        clip = {"x": 0, "y": top, "width": width, "height": height - top}
        shown.screenshot(path=str(PLACES.get(name, PICTURES / f"{name}.png")), clip=clip)
        browser.close()


def main() -> None:
    parser = options(__doc__)
    parser.add_argument(
        "--check", action="store_true", help="exit 1 where a page is another one by now"
    )
    check = parser.parse_args().check
    with tempfile.TemporaryDirectory() as folder:
        for name, page in pages(Path(folder)).items():
            kept, digest = PICTURES / f"{name}.sha256", page_digest(page)
            if not check:
                take(name, page)
                kept.write_text(f"{digest}\n", "utf-8")
            elif kept.read_text("utf-8").strip() != digest:
                sys.exit(f"{name}.png shows another page: python -m benchmarks.pictures")


if __name__ == "__main__":
    main()
