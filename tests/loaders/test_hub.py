"""Data sets of the hub, each by its name through `datasets`, from a hub that listens on this machine."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from argue_bench.published.luciole.data import PUBLISHED
from tests.loaders.hub import data_set, serving
from tests.published.luciole.test_data import CHAT

pytest.importorskip("datasets", reason="needs argue-bench[hf]: datasets")

RUN = "Llama_2_7b_chat_hf_vanilla_shot2_ndoc5"
ENTRY = {
    "question": "When did the Harlow Bridge open?",
    "qa_pairs": [{"question": "When?", "short_answers": ["1931"]}],
    "docs": [{"title": "Harlow Bridge", "text": "The Harlow Bridge opened in 1931."}],
    "output": "The Harlow Bridge opened in 1931 [1].",
}


def command(address: str, home: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """The command line in a process of its own: the hub's client reads its address when it is imported."""
    known = {"HF_ENDPOINT": address, "HF_HOME": str(home / "hf"), "HF_HUB_OFFLINE": "0"}
    return subprocess.run(
        [sys.executable, "-m", "argue_bench", *words],
        env={**os.environ, **known, "ARGUE_BENCH_CACHE": str(home / "cache")},
        cwd=home,
        capture_output=True,
        text=True,
        timeout=120,
    )


@pytest.mark.parametrize(
    ("name", "config", "split", "rows", "words", "said"),
    [
        (
            PUBLISHED["head"][1],
            "piaf",
            "test",
            [CHAT],
            ["evaluate", "ANSWERS", "--dataset", "luciole", "--split", "piaf"],
            "data=luciole-piaf@",
        ),
        (
            "golaxy/rag-bench",
            "alce_asqa_gtr",
            RUN,
            [ENTRY],
            [
                *[
                    "rageval",
                    "asqa_benchmark",
                    "--cache_path",
                    "here",
                    "--judge",
                    "lexical",
                    "--remote_split",
                ],
                RUN,
            ],
            "answer_exact_match         100.0",
        ),
    ],
    ids=["luciole", "rageval"],
)
def test_a_set_comes_from_the_hub_by_its_name(
    name: str, config: str, split: str, rows: list[Any], words: list[str], said: str, tmp_path: Path
) -> None:
    answers = tmp_path / "answers.jsonl"
    answers.write_text(json.dumps({"id": "c1", "answer": "1889"}))
    with serving({name: data_set({(config, split): rows})}) as address:
        done = command(
            address, tmp_path, *(str(answers) if one == "ANSWERS" else one for one in words)
        )
    assert said in done.stdout, done.stdout + done.stderr
