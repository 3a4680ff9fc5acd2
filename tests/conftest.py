"""What the whole suite shares: which tests of a run are left out, how skipped ones run again, one fixture.

``pytest --skipped-before`` runs what the last run skipped, and the tests marked ``slow``: `.ci/run`
uses it after it has installed what those tests need. Tests marked ``release`` run only by ``-m release``.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings

# The hub's client would try for half a minute to reach a network that tests do without.
os.environ.setdefault("HF_HUB_OFFLINE", "1")
# A thread a process: with a process for each core, more of them wait for each other (a test of torch took ten times as long).
for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(_name, "1")
# A busy machine must not fail a property for being slow: benchmarks/ measure speed.
settings.register_profile("suite", deadline=None)
settings.load_profile("suite")

SKIPPED = "argue_bench/skipped"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--skipped-before",
        action="store_true",
        help="run only what the last run skipped, and what is marked slow",
    )


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    again = config.getoption("--skipped-before")
    cache: pytest.Cache | None = getattr(config, "cache", None)  # none with -p no:cacheprovider
    skipped = cache.get(SKIPPED, []) if cache else []
    # A test that somebody names, or a run with -m, gets what it asks for.
    named = bool(config.getoption("markexpr")) or any("::" in one for one in config.args)
    chosen, left = [], []
    for item in items:
        slow = item.get_closest_marker("slow") is not None
        before = any(item.nodeid == one or item.nodeid.startswith(f"{one}::") for one in skipped)
        release = item.get_closest_marker("release") is not None
        wanted = named or (not release and ((slow or before) if again else not slow))
        absent = item.get_closest_marker("no_case") is not None
        (chosen if wanted and not absent else left).append(item)
    items[:] = chosen
    if left:
        config.hook.pytest_deselected(items=left)


_STATES: dict[str, object] = {}


@pytest.fixture(autouse=True)
def _same_draws_in_any_order(request: pytest.FixtureRequest) -> None:
    """Set a module's generator ``RNG`` back before each test, so that no test rests on those before it."""
    rng = getattr(request.module, "RNG", None)
    if rng is not None:
        first = _STATES.setdefault(request.module.__name__, rng.bit_generator.state)
        rng.bit_generator.state = first


@pytest.fixture
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder of the test's own, no key or address in the environment, and prices for ``server/m``."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("argue_bench.models.reply._FIRST_WAIT", 0.002)
    for name in list(os.environ):
        if name.endswith(("_API_KEY", "_BASE_URL", "_API_TOKEN")) or name.startswith("ARGUE_"):
            monkeypatch.delenv(name)
    row = '[[server.models]]\nmodel = "m"\nin = 1.0\nout = 2.0\n'
    (tmp_path / "providers.toml").write_text(row)
    monkeypatch.setenv("ARGUE_BENCH_PROVIDERS", str(tmp_path / "providers.toml"))


class _Skips:
    """Remembers the tests and modules that a run skipped, for ``--skipped-before``."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        self.nodes: set[str] = set()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.skipped:
            self.nodes.add(report.nodeid)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.skipped:
            self.nodes.add(report.nodeid)

    def pytest_sessionfinish(self) -> None:
        cache: pytest.Cache | None = getattr(self.config, "cache", None)
        if cache and not self.config.getoption("--skipped-before"):
            cache.set(SKIPPED, sorted(self.nodes))


def pytest_configure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput"):  # with xdist, the controller hears every report
        config.pluginmanager.register(_Skips(config))
