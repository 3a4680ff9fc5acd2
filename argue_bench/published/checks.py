"""What nobody could test without weights, hubs or keys: scripts that a user runs once, for `list checks`."""

from __future__ import annotations

from argue_bench.cli.listing import Listing

# Command lines in a checkout of the repository to what they compare.
CHECKS = {
    "python -m benchmarks.bleurt GOOGLE TORCH": "our BLEURT agrees with Google's program within 1e-4 "
    "(BLEURT-20 in both forms; a minute)",
    "python -m benchmarks.rageval FOLDER": "every cell of rageval's table on ALCE is theirs within .05 "
    "(published outputs, google/t5_xxl_true_nli_mixture; a GPU)",
    "python -m benchmarks.hubs --fetch": "the published sets are there and of the size that their authors say "
    "(a network, 500 MB)",
}


def list_checks() -> Listing:
    """The scripts, each with what it compares and needs."""
    return Listing(
        CHECKS, note="Run them in a checkout of the repository. None was run by its authors."
    )
