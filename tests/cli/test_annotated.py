"""Answers with what was found of each sentence, for the pipeline that made them."""

from __future__ import annotations

import json
from pathlib import Path
from unittest.mock import ANY

from click.testing import CliRunner

from argue_bench.cli import main

ROWS = [
    {
        "trace_id": "trace-7",
        "question": "How long is the bridge?",
        "contexts": ["The bridge is 412 m long."],
        "answer": "The bridge is 412 m long. It was painted red in 1990.",
    },
    {
        "trace_id": "trace-8",
        "question": "Who designed it?",
        "contexts": ["The bridge is 412 m long."],
        "answer": "I don't have information about that.",
    },
]


def test_every_sentence_stands_there_with_its_trace_and_what_failed(tmp_path: Path) -> None:
    rows, out = tmp_path / "rows.jsonl", tmp_path / "out.jsonl"
    rows.write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    words = ["evaluate", str(rows), "--annotated", str(out), "--show", "0"]
    assert CliRunner().invoke(main, words).exit_code == 0
    first, second = map(json.loads, out.read_text().splitlines())
    assert (first["id"], second["id"]) == ("trace-7", "trace-8")
    assert first["answer"] == ROWS[0]["answer"]
    assert first["scores"]["faithfulness.supported"] == 0.5
    kept, lost = first["sentences"]
    assert (kept["text"], kept["failed"]) == ("The bridge is 412 m long.", [])
    assert lost["number"] == 2
    assert lost["failed"] == [
        {
            "metric": "faithfulness",
            "lack": "nothing",
            "source": "",
            "reason": "nothing in the contexts supports it: 1990 is not there",
            "flag": ANY,
            "probability": ANY,  # those of the judge, which is measured elsewhere
        }
    ]
    # A refusal states nothing: the score does not apply, and is not 0.
    assert second["scores"] == {"faithfulness.answered": 0.0}
