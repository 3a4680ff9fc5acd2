"""Which addresses are never asked: by the host as it is written, and by what its name stands for."""

from __future__ import annotations

import pytest

from argue_bench.web.addresses import Policy


@pytest.mark.parametrize(
    "host",
    [
        "93.184.216.34",
        "[2606:2800:220:1::1]",
        "2130706433",
        "0x7f000001",
        "\u2460\u2461\u2466.\u24ea.\u24ea.\u2460",
        "127\u30020\u30020\u30021",
        "168.63.129.16",
        "metadata.internal",
        "localhost",
    ],
)
def test_a_host_that_is_an_address_or_of_a_network_is_refused(host: str) -> None:
    assert Policy(names_only=True).refused(f"http://{host}/x")
    assert not Policy(names_only=True).refused("http://example.org/x")
    public = host in ("93.184.216.34", "[2606:2800:220:1::1]")
    assert bool(Policy().refused(f"http://{host}/x")) != public


@pytest.mark.parametrize("answer", ["168.63.129.16", "192.0.0.192", "192.88.99.1", "10.0.0.5"])
def test_a_name_that_stands_for_a_clouds_own_address_is_refused(answer: str) -> None:
    assert Policy().refused_answers(["93.184.216.34", answer])
    assert not Policy().refused_answers(["93.184.216.34"])


def test_loopback_is_for_tests_alone() -> None:
    assert not Policy(loopback=True).refused("http://127.0.0.1:49152/x")
    assert not Policy(loopback=True).refused("http://localhost:49152/x")
    assert Policy(loopback=True).refused("http://10.0.0.5/x")
