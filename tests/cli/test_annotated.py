"""Answers with what was found of each sentence, for the pipeline that made them and for a CI."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from unittest.mock import ANY
from xml.etree import ElementTree

import pytest
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


BRIDGE = 'It is 412 m long. The "Brücke" is 412 m long.'
FLAGGED = "It was 90 days \u0007 before 2019 ]]> **so** \U0001f600."
# Text that a file spells in one way or another, or twice, or as parts that are joined.
HARD: list[dict[str, Any]] = [
    {"id": "good", "answer": "It is 412 m long."},
    {"id": "plain", "answer": f'The "Brücke" is 412 m long. {FLAGGED}'},
    {"id": "twice", "answer": FLAGGED, "note": FLAGGED},
    {"id": "parts", "answer": [{"text": "It is 412 m long."}, {"text": FLAGGED}]},
    {"id": "none", "answer": "I don't have information about that."},
]


def told(tmp_path: Path, text: str, name: str) -> tuple[dict[str, Any], ElementTree.Element]:
    """What the command writes as SARIF and as JUnit XML about rows of this text."""
    (tmp_path / name).write_text(text, encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path)
        words = ["evaluate", name, "--report", "out.sarif", "--report", "out.xml"]
        done = CliRunner().invoke(main, words)
    assert done.exit_code == 0, done.output
    sarif = json.loads((tmp_path / "out.sarif").read_text(encoding="utf-8"))
    return sarif, ElementTree.parse(tmp_path / "out.xml").getroot()


@pytest.mark.parametrize("as_ascii", [True, False])
@pytest.mark.parametrize("name", ["my rows.jsonl", "list.json"])
def test_a_ci_finds_flagged_sentences_where_they_stand(
    tmp_path: Path, name: str, as_ascii: bool
) -> None:
    rows = [{"question": "How long?", "contexts": [BRIDGE], **row} for row in HARD]
    spelled = [json.dumps(row, ensure_ascii=as_ascii) for row in rows]
    # A blank line and a mark before the first line move no place; rows of a list have no known line.
    text = "\ufeff" + "\n\n".join(spelled)
    lines = text.removeprefix("\ufeff").split("\n")
    listed = name.endswith(".json")
    sarif, suite = told(tmp_path, f"[{','.join(spelled)}]" if listed else text, name)
    (run,) = sarif["runs"]
    driver = run["tool"]["driver"]
    assert (sarif["version"], driver["name"]) == ("2.1.0", "argue-bench")
    assert {one["id"] for one in driver["rules"]} == {one["ruleId"] for one in run["results"]}
    places = {}
    for one in run["results"]:
        # Such flags are mostly right, so they are errors; others would be warnings.
        assert one["level"] == "error"
        assert "90 days ⟨U+0007⟩ before 2019 ]]> **so** \U0001f600. (" in one["message"]["text"]
        ((place,),) = [list(at.values()) for at in one["locations"]]
        assert place["artifactLocation"]["uri"] == name.replace(" ", "%20")
        row = one["message"]["text"].partition(",")[0]
        places[row] = at = place.get("region", {})
        if "startColumn" in at:
            found = lines[at["startLine"] - 1][at["startColumn"] - 1 : at["endColumn"] - 1]
            assert json.loads(f'"{found}"') == FLAGGED
    assert {row: tuple(at) for row, at in places.items()} == {
        "plain": () if listed else ("startLine", "startColumn", "endColumn"),
        "twice": () if listed else ("startLine",),
        "parts": () if listed else ("startLine",),
    }
    assert listed or [places[row]["startLine"] for row in ("plain", "twice", "parts")] == [3, 5, 7]
    assert [suite.get(one) for one in ("tests", "failures", "errors", "skipped")] == [*"5300"]
    cases = {str(one.get("name")): one.findtext("failure") for one in suite}
    assert [row for row, failure in cases.items() if failure] == ["plain", "twice", "parts"]
    assert "]]> **so** \U0001f600. (nothing in the contexts supports it" in str(cases["plain"])
    assert {one.get("classname") for one in suite} == {name}


def test_a_report_of_another_kind_is_refused_before_anything_is_read(tmp_path: Path) -> None:
    done = CliRunner().invoke(main, ["evaluate", "no.jsonl", "--report", "out.html"])
    assert (done.exit_code, "'out.html'" in done.output, "no.jsonl" in done.output) == (
        2,
        True,
        False,
    )
