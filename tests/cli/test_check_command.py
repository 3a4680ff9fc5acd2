"""`check` at the command line: one JSON object in, a verdict for each sentence out, and an exit code."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from argue_bench.cli import main
from argue_bench.cli.check import MOST_BYTES

ROW = {"answer": "It is 413 m long. It is 412 m long.", "contexts": ["It is 412 m long."]}


@pytest.mark.parametrize(
    ("given", "words", "code", "told"),
    [
        (json.dumps(ROW), "", 0, "- It is 413 m long.\n    contradicted by the contexts"),
        (json.dumps(ROW), "--fail-if 'contradicted > 0'", 1, "sentences contradicted: 1, above 0"),
        (json.dumps(ROW), "--fail-if 'faithfulness < 0.5'", 0, "1 of 2 statements are supported"),
        (json.dumps(ROW), "--fail-if contradicted", 2, "write a bound as"),
        (json.dumps(ROW), "--judge nosuch", 2, "no judge is called 'nosuch'"),
        ('{"answer": "a"}', "", 1, 'expected one JSON object {"answer", "contexts", "question"}'),
        (json.dumps([ROW]), "", 1, "expected one JSON object"),
        (json.dumps({**ROW, "n": 1}), "", 1, "expected one JSON object"),
        (json.dumps({**ROW, "contexts": [3]}), "", 1, "found int in the list"),
        ('{"answer": ', "", 1, "this is not JSON"),
        (" " * (MOST_BYTES + 1), "", 1, "more than 10 MB"),
        (json.dumps({**ROW, "answer": "\x1b[31mRed."}), "", 0, "⟨U+001B⟩"),
    ],
)
def test_one_object_gives_verdicts_or_one_clear_error(
    given: str, words: str, code: int, told: str
) -> None:
    done = CliRunner().invoke(main, f"check {words}", input=given)
    assert (done.exit_code, told in done.output) == (code, True), done.output
    assert done.exception is None or isinstance(done.exception, SystemExit)


def test_json_holds_what_python_returns() -> None:
    done = CliRunner().invoke(main, "check --format json", input=json.dumps(ROW))
    found = json.loads(done.stdout)
    first, second = found["statements"]
    assert (found["score"], first["supported"], second["supported"]) == (0.5, False, True)
    assert (first["start"], first["end"], first["kind"], first["source"]) == (
        0,
        17,
        "contradicted",
        0,
    )
    assert "judge=lexical" in found["signature"]
