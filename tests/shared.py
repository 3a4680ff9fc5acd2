"""Where the material beside the project lies, for tests that rest on other people's data."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
SHARED = Path(os.environ.get("ARGUE_BENCH_SHARED", ROOT.parent / "shared"))


def shared(*parts: str) -> Path:
    """The path of a shared file or folder; skips the calling test, saying so, where it is absent."""
    path = SHARED.joinpath(*parts)
    if not path.exists():
        pytest.skip(f"needs {'/'.join(parts)} of the shared material (ARGUE_BENCH_SHARED)")
    return path
