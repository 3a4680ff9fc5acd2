"""The command that recomputes rageval's published table, on outputs that are made here."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks import rageval


def _write(folder: Path, *rows: rageval.Row) -> None:
    """Outputs in the shape of the published ones: half of the facts, one sentence supported of two."""
    docs = [
        {
            "title": "Harlow Bridge",
            "text": "The Harlow Bridge opened in 1931.",
            "summary": "The bridge opened in 1931.",
            "extraction": "opened in 1931",
        }
    ]
    for row in rows:
        entry = {
            "question": "When was the bridge built, and by whom?",
            "docs": docs,
            "output": "The Harlow Bridge opened in 1931 [1]. Edith Marsh sold it [1].",
        }
        if row.kind == "asqa":
            entry["qa_pairs"] = [
                {"question": "When?", "short_answers": ["1931"]},
                {"question": "Who?", "short_answers": ["Nobody at all"]},
            ]
        else:
            entry["claims"] = ["The Harlow Bridge opened in 1931."]
        (folder / row.file).write_text(json.dumps([entry]))


def test_without_a_folder_it_says_what_to_put_where(capsys: pytest.CaptureFixture[str]) -> None:
    assert rageval.main([]) == 0
    (line,) = capsys.readouterr().out.splitlines()
    assert "FOLDER/asqa_gtr_Llama_2_7b_chat_hf_vanilla_shot2_ndoc5.json" in line
    assert "google/t5_xxl_true_nli_mixture as FOLDER/t5_xxl_true_nli_mixture" in line


def test_every_cell_stands_beside_the_published_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _write(tmp_path, *rageval.TABLE)
    assert rageval.main([str(tmp_path), "--judge", "lexical"]) == 1  # these are not the outputs
    lines = capsys.readouterr().out.splitlines()
    cells = [line for line in lines if line.startswith(("asqa", "eli5"))]
    assert len(cells) == 3 * len(rageval.TABLE) == 27
    found = {tuple(line.split()[:4]): line.split() for line in cells if "EM recall" in line}
    assert found["asqa", "gtr", "vanilla", "5"][-3:] == ["33.35", "50.00", "differs"]
    claims = next(line for line in cells if "eli5" in line and "claim recall" in line)
    assert claims.split()[-3:] == ["11.50", "100.00", "differs"]
    recall = next(line for line in cells if "citation recall" in line)
    assert recall.split()[-3:] == ["55.90", "50.00", "differs"]
    assert lines[-1] == "judge lexical; every row"


def test_cells_that_agree_end_well_and_absent_files_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    row = rageval.TABLE[0]._replace(correct=50.0, recall=50.0, precision=100.0)
    monkeypatch.setattr(rageval, "TABLE", (row, rageval.TABLE[1]))
    _write(tmp_path, row)
    said = rageval.main([str(tmp_path), "--judge", "lexical"])
    lines = capsys.readouterr().out.splitlines()
    assert said == 0, lines
    assert lines[-1].endswith(f"not there: {rageval.TABLE[1].file}")


def test_the_whole_table_is_judged_by_the_weights_in_the_folder(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A T5 of a few thousand weights in place of the model with 11 billion."""
    pytest.importorskip("torch", reason="needs argue-bench[neural]: torch")
    from tests.models.tiny import trained_text_to_text

    trained_text_to_text(tmp_path / rageval.MODEL)
    _write(tmp_path, *rageval.TABLE)
    assert rageval.main([str(tmp_path)]) == 1
    lines = capsys.readouterr().out.splitlines()
    cells = [line for line in lines if line.startswith(("asqa", "eli5"))]
    assert len(cells) == 3 * len(rageval.TABLE)
    assert all(line.split()[-2] != "-" for line in cells if "precision" not in line), cells
    assert lines[-1] == f"judge nli:{tmp_path / rageval.MODEL}; every row"
    assert (tmp_path / rageval.TABLE[0].file).with_suffix(".verdicts").is_file()
