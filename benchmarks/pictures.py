"""The picture of a board that README and docs show: ``python -m benchmarks.pictures``.

Chromium takes it from this repository's own board. ``docs/pictures/board.sha256`` keeps the digest of
the page that it shows; ``--check`` exits 1 where the page is another one by now.
"""

from __future__ import annotations

import hashlib
import re
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGE = "board/season-0/evidenceprovided.html"
PICTURE = ROOT / "docs/pictures/board.png"
DIGEST = PICTURE.with_suffix(".sha256")
CHROMIUM = Path("/usr/bin/chromium")


def page_digest(site: Path) -> str:
    """Of what the page shows: its words, without the names of its script and style files."""
    text = (site / PAGE).read_text("utf-8").partition("<main")[2]
    return hashlib.sha256(re.sub(r"<[^>]*>", " ", text).encode()).hexdigest()


def take(site: Path) -> None:
    """The first screen of the page."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as running:
        browser = running.chromium.launch(executable_path=str(CHROMIUM), args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1200, "height": 760}, color_scheme="light")
        page.goto((site / PAGE).as_uri())
        page.wait_for_timeout(300)
        page.screenshot(path=str(PICTURE))
        browser.close()


def main() -> None:
    from argue_bench.cli.site import build_site

    with tempfile.TemporaryDirectory() as name:
        build_site(ROOT / "leaderboard-submissions", Path(name))
        digest = page_digest(Path(name))
        if "--check" in sys.argv:
            sys.exit(DIGEST.read_text("utf-8").strip() != digest)
        take(Path(name))
    DIGEST.write_text(f"{digest}\n", "utf-8")
    print(f"{PICTURE.relative_to(ROOT)}: {PICTURE.stat().st_size / 1e3:.0f} kB")


if __name__ == "__main__":
    main()
