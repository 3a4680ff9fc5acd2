"""A row of tallies is read as a dictionary of them is, is written the same, and takes less room."""

from __future__ import annotations

import pickle
import tracemalloc

from argue_bench.eval.tally_rows import TallyRow
from argue_bench.metrics.base import tallies_to_json
from argue_bench.records import Miss, Tally

GIVEN = {
    "whole": Tally(1, 2),
    "same": Tally(1.0, 2.0),
    "none": Tally(0.0, 0.0),
    "below": Tally(-0.0, 1.0),
    "noted": Tally(1, 2, "two of them", (Miss("sentence", "1", "It is so.", "nobody says so"),)),
    "other": Tally(1, 2, "another note"),
}


def test_it_reads_and_writes_as_a_dictionary_does() -> None:
    for _ in range(2):  # the second finds what the first one shares
        row = TallyRow(GIVEN)
        assert row == GIVEN
        assert list(row) == list(GIVEN)
        assert repr(tallies_to_json(row)) == repr(tallies_to_json(GIVEN))
        assert row["noted"].misses == GIVEN["noted"].misses
        assert pickle.loads(pickle.dumps(row)) == GIVEN
    assert "nothing" not in row


def test_rows_take_a_third_of_the_room() -> None:
    def many(kind: type) -> int:
        tracemalloc.start()
        kept = [
            kind({f"score-{one}": Tally(float(one % 3), 3.0) for one in range(40)})
            for _ in range(500)
        ]
        size = tracemalloc.get_traced_memory()[0]
        tracemalloc.stop()
        assert len(kept) == 500
        return size

    assert many(TallyRow) * 3 < many(dict)
