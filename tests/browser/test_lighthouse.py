"""Lighthouse on a loaded page: search, accessibility, good practice, and what moves; speed before a release."""

from __future__ import annotations

import gzip
import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from http import HTTPStatus
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

from tests.browser.conftest import BASE, CHROMIUM, BelowBase, Sites
from tests.shared import listening

TOOL = Path(__file__).parent / "node_modules/.bin/lighthouse"
BOARD, LARGE = "small/board/s1/openbook.html", "large/board/big/openbook.html"
FAST = {
    BOARD: 95,
    LARGE: 90,
    "small/index.html": 95,
    "small/system/s1/alpha.html": 95,
    "view/001-flood-toll.html": 95,
    "view/label.html": 95,
}
"""The least that Lighthouse may give a page for speed."""
QUICK = (
    "--only-categories=accessibility,best-practices,seo",
    "--only-audits=cumulative-layout-shift",
    "--throttling-method=provided",
)


class Zipped(BelowBase):
    """Sends pages as GitHub Pages does."""

    def send_head(self) -> Any:
        path = Path(self.translate_path(self.path))
        if path.suffix not in (".html", ".css", ".js", ".json") or not path.is_file():
            return super().send_head()
        body = gzip.compress(path.read_bytes(), 6)
        self.send_response(HTTPStatus.OK)
        self.send_header("Content-Type", self.guess_type(str(path)))
        self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        return BytesIO(body)


@pytest.fixture(scope="module")
def zipped(sites: Sites) -> Iterator[str]:
    if not TOOL.exists() or shutil.which("node") is None:
        pytest.skip("needs Lighthouse: npm ci in tests/browser")
    if not CHROMIUM.exists():
        pytest.skip(f"needs Chromium at {CHROMIUM}")
    with listening(Zipped, directory=str(sites.folder)) as url:
        yield url + BASE


def audit(address: str, *options: str) -> dict[str, Any]:
    """Lighthouse's report on a page."""
    flags = "--headless=new --no-sandbox --disable-gpu"
    done = subprocess.run(
        [TOOL, address, "--quiet", "--output=json", f"--chrome-flags={flags}", *options],
        capture_output=True,
        check=False,
        env={**os.environ, "CHROME_PATH": str(CHROMIUM)},
    )
    assert done.returncode == 0, done.stderr[-2000:]
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def wrong(report: dict[str, Any]) -> list[str]:
    """What keeps a page from all points but those for speed."""
    found = [
        f"{name}: {report['audits'][one['id']]['title']}"
        for name, category in report["categories"].items()
        if name != "performance"
        for one in category["auditRefs"]
        if one["weight"] and report["audits"][one["id"]]["score"] not in (None, 1)
    ]
    shift = report["audits"]["cumulative-layout-shift"]["numericValue"]
    return [*found, f"it moves by {shift:.3f}"] if shift >= 0.05 else found


@pytest.mark.slow
def test_a_board_has_all_points_but_those_for_speed(zipped: str) -> None:
    """Points for speed depend on what else the machine does, so that they wait for a release."""
    assert not wrong(audit(zipped + BOARD, *QUICK))


@pytest.mark.release
@pytest.mark.parametrize("options", [(), ("--preset=desktop",)], ids=["mobile", "desktop"])
@pytest.mark.parametrize("path", FAST)
def test_every_kind_is_fast_and_has_all_points(
    path: str, options: tuple[str, ...], zipped: str
) -> None:
    report = audit(zipped + path, *options)
    assert not wrong(report)
    assert 100 * report["categories"]["performance"]["score"] >= FAST[path]
