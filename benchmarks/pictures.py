"""Takes the pictures that README and docs show; measures nothing.

Chromium takes them from this repository's own board and from the rows of README.md in the viewer.
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
CHROMIUM = Path("/usr/bin/chromium")
SIZES = {"board": (1200, 760), "viewer": (1280, 560)}


def pages(folder: Path) -> dict[str, Path]:
    """The page of each picture, made anew below a folder."""
    from argue_bench import evaluate, from_rows
    from argue_bench.leaderboard.commands.site import build_site
    from argue_bench.view.pages import write_viewer

    build_site(ROOT / "leaderboard-submissions", folder / "site")
    text = (ROOT / "README.md").read_text("utf-8")
    rows = [json.loads(line) for line in text.splitlines() if line.startswith('{"question"')]
    dataset, answers = from_rows(rows)
    evaluate(dataset, answers, ["faithfulness"], out=folder / "run")
    write_viewer(folder / "run", dataset, folder / "view")
    return {
        "board": folder / "site" / "board/fanoutqa-published/openbook.html",
        "viewer": folder / "view" / "001-row-1.html",
    }


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
        shown = browser.new_page(viewport={"width": width, "height": height}, color_scheme="light")
        shown.goto(page.as_uri())
        shown.wait_for_timeout(300)
        shown.screenshot(path=str(PICTURES / f"{name}.png"))
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
