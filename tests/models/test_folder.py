"""Which model a spec means, and what is said where there is none."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from argue_bench.errors import DataError, UsageError
from argue_bench.models.folder import ModelSettings, find_model, read_spec


def model(path: Path, weights: str = "model.safetensors") -> Path:
    path.mkdir(parents=True)
    (path / "config.json").write_text('{"model_type": "bert", "architectures": ["BertX"]}')
    (path / weights).write_bytes(b"\x00" * 64)
    return path


def code(raised: pytest.ExceptionInfo[DataError]) -> list[str]:
    return [finding.code for finding in raised.value.findings]


def test_options_stand_behind_the_model() -> None:
    assert read_spec("a/b") == ("a/b", ModelSettings(), {})
    assert read_spec(
        "a,b/c,dtype=bfloat16, batch=8,device=cuda:1,tokens=99,label=X",
        {"label": (".+", "a label")},
    ) == (
        "a,b/c",
        ModelSettings("bfloat16", "cuda:1", 8, 99),
        {"label": "X"},
    )


@pytest.mark.parametrize("spec", ["m,dtype=int4", "m,batch=0", "m,batch=x", "m,tokens=-1"])
def test_an_option_that_cannot_be_is_refused(spec: str) -> None:
    with pytest.raises(UsageError):
        read_spec(spec)


def test_a_name_that_is_nowhere_is_told_with_what_to_fetch(tmp_path: Path) -> None:
    pytest.importorskip("torch", reason="needs argue-bench[neural]")
    with pytest.raises(DataError, match="hf download") as raised:
        find_model(str(tmp_path / "nowhere"), "nli")
    assert code(raised) == ["model-files"]


def test_every_fault_of_a_folder_is_told_with_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(DataError) as raised:
        find_model(str(tmp_path / "empty"), "nli")
    assert code(raised) == ["model-files"]
    bare = model(tmp_path / "bare", "training_args.bin")
    with pytest.raises(DataError, match="hf download") as raised:
        find_model(str(bare), "nli")
    assert code(raised) == ["model-files"]
    for broken in ("{", "[1]", '{"a": NaN}', "\x00"):
        (bare / "config.json").write_text(broken)
        with pytest.raises(DataError):
            find_model(str(bare), "nli")


def test_a_name_is_looked_up_in_the_local_cache_alone(tmp_path: Path) -> None:
    pytest.importorskip("huggingface_hub", reason="needs argue-bench[neural]")
    pytest.importorskip("torch", reason="needs argue-bench[neural]")
    home = tmp_path / "hub" / "models--some--model"
    model(home / "snapshots" / "abc123")
    (home / "refs").mkdir()
    (home / "refs" / "main").write_text("abc123")
    script = (
        "import json, sys\nfrom argue_bench.models.folder import find_model as find\n"
        "from argue_bench.errors import DataError\nout = [find('some/model', 'nli').name]\n"
        "try:\n find('some/other', 'nli')\nexcept DataError as e: out.append(str(e))\n"
        "print(json.dumps(out))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "HF_HOME": str(tmp_path), "HF_HUB_OFFLINE": "1"},
    )
    name, error = json.loads(done.stdout)
    assert name == "some/model"
    assert "hf download NAME --local-dir DIR" in error
    assert "nli:DIR" in error


def test_a_fingerprint_is_of_names_and_contents(tmp_path: Path) -> None:
    one = model(tmp_path / "one")
    print_of_one = find_model(str(one), "nli").identity(ModelSettings())["weights"]
    assert (
        print_of_one
        == find_model(str(shutil.copytree(one, tmp_path / "two")), "nli").identity(ModelSettings())[
            "weights"
        ]
    )
    (one / "README.md").write_text("what it is for")
    assert find_model(str(one), "nli").identity(ModelSettings())["weights"] == print_of_one
    (one / "model.safetensors").write_bytes(b"\x00" * 63 + b"\x01")
    assert find_model(str(one), "nli").identity(ModelSettings())["weights"] != print_of_one


def test_without_torch_the_extra_is_named(tmp_path: Path) -> None:
    script = (
        "import sys\nsys.modules['torch'] = None\nfrom argue_bench.judges import create_judge\n"
        "from argue_bench.errors import MissingExtra\n"
        "from argue_bench.models.causal import CausalModel\n"
        "for make in (lambda: create_judge('nli:x'), lambda: create_judge('qa:x'), lambda: create_judge('bleurt:x'),\n"
        "             lambda: CausalModel('x')):\n"
        " try: make()\n"
        " except MissingExtra as e: print(e)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout.count("needs: pip install 'argue-bench[neural]'") == 4
