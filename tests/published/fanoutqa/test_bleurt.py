"""BLEURT: weights under their published names, against numbers that bleurt-pytorch gave."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from argue_bench.errors import DataError, UsageError
from argue_bench.judges import create_judge
from argue_bench.models.folder import ModelSettings, find_model
from argue_bench.published.fanoutqa.bleurt import BleurtModel
from argue_bench.records import Failed, Similar, Verdict
from tests.judges.test_recorded import ask_all
from tests.models import tiny
from tests.models.tiny import torch

VECTORS: dict[str, Any] = json.loads(Path(__file__).with_name("bleurt.json").read_text())
CASES = [
    (name, *pair, score)
    for name, model in VECTORS["models"].items()
    for pair, score in zip(VECTORS["pairs"], model["scores"], strict=True)
]


def checkpoint(path: Path, name: str, suffix: str = "safetensors") -> Path:
    """A checkpoint as bleurt-pytorch publishes them, with the weights of the vectors."""
    from safetensors.torch import save_file

    model = VECTORS["models"][name]
    draw = np.random.default_rng(7)
    weights = {}
    for key, shape in sorted(model["shapes"].items()):
        values = draw.normal(0, 0.4, tuple(shape))
        if len(shape) == 1:
            values = values / 10 + (1.0 if key.endswith("LayerNorm.weight") else 0.0)
        weights[key] = torch.tensor(values, dtype=torch.float32)
    path.mkdir(parents=True, exist_ok=True)
    weights["bleurt.embeddings.position_ids"] = torch.arange(40).expand((1, -1)).contiguous()
    if suffix == "bin":
        torch.save(weights, path / "pytorch_model.bin")
    else:
        save_file(weights, path / "model.safetensors", metadata={"format": "pt"})
    (path / "config.json").write_text(json.dumps(model["config"]))
    tiny.word_tokenizer(path)
    return path


@pytest.fixture(scope="module")
def replies(
    tmp_path_factory: pytest.TempPathFactory,
) -> dict[tuple[str, Similar], Verdict | Failed]:
    found: dict[tuple[str, Similar], Verdict | Failed] = {}
    for name in VECTORS["models"]:
        path = checkpoint(tmp_path_factory.mktemp("models") / name, name)
        requests = [Similar(*pair) for pair in VECTORS["pairs"]]
        for request, reply in zip(
            requests, ask_all(create_judge(f"bleurt:{path}"), requests), strict=True
        ):
            found[name, request] = reply
    return found


@pytest.mark.parametrize(("model", "reference", "candidate", "score"), CASES)
def test_agrees_with_bleurt_pytorch(
    model: str,
    reference: str,
    candidate: str,
    score: float,
    replies: dict[tuple[str, Similar], Verdict | Failed],
) -> None:
    reply = replies[model, Similar(reference, candidate)]
    assert isinstance(reply, Verdict)
    assert reply.value == pytest.approx(score, abs=2e-5)


def test_torch_files_are_read_too(tmp_path: Path) -> None:
    path = checkpoint(tmp_path, "large", "bin")
    (reply,) = ask_all(create_judge(f"bleurt:{path}"), [Similar(*VECTORS["pairs"][0])])
    assert isinstance(reply, Verdict)
    assert reply.value == pytest.approx(VECTORS["models"]["large"]["scores"][0], abs=2e-5)


def test_sentence_pieces_are_the_model_s_own(tmp_path: Path) -> None:
    import sentencepiece

    path = checkpoint(tmp_path / "m", "large")
    (path / "tokenizer.json").unlink()
    lines = [" ".join(pair) for pair in VECTORS["pairs"]]
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(lines * 5),
        model_prefix=str(path / "spm"),
        vocab_size=54,
        user_defined_symbols=[],
        control_symbols=["[CLS]", "[SEP]"],
        hard_vocab_limit=False,
        minloglevel=2,
    )
    pieces = sentencepiece.SentencePieceProcessor(model_file=str(path / "spm.model"))
    judge = create_judge(f"bleurt:{path}")
    (reply,) = ask_all(judge, [Similar("the wall", "a tower [SEP]")])
    assert isinstance(reply, Verdict)
    first, second = pieces.encode("the wall"), pieces.encode("a tower [SEP]")
    assert judge.counts.tokens_in == len(first) + len(second) + 3
    cls, sep = pieces.piece_to_id("[CLS]"), pieces.piece_to_id("[SEP]")
    assert sep not in second
    model = BleurtModel(find_model(str(path), "bleurt"), ModelSettings())
    row = model._encoded("the wall", "a tower [SEP]").row
    assert row is not None
    assert row["input_ids"] == [cls, *first, sep, *second, sep]
    assert row["token_type_ids"] == [0] * (len(first) + 2) + [1] * (len(second) + 1)


def test_the_longer_text_loses_its_end(tmp_path: Path) -> None:
    judge = create_judge(f"bleurt:{checkpoint(tmp_path, 'small')}")
    long, short = " ".join(["wall"] * 50), " ".join(["tower"] * 12)
    reply, same = ask_all(judge, [Similar(long, short), Similar(" ".join(["wall"] * 25), short)])
    assert isinstance(reply, Verdict)
    assert isinstance(same, Verdict)
    assert reply.note == "texts cut from 62 to 37 tokens"
    assert reply.value == pytest.approx(same.value, abs=1e-6)
    assert (judge.counts.cut, judge.identity()["tokens"]) == (1, "40")


def test_no_number_is_no_verdict(tmp_path: Path) -> None:
    from safetensors.torch import load_file, save_file

    path = checkpoint(tmp_path, "small")
    weights = load_file(path / "model.safetensors")
    weights["classifier.bias"][0] = float("inf")
    save_file(weights, path / "model.safetensors", metadata={"format": "pt"})
    (reply,) = ask_all(create_judge(f"bleurt:{path}"), [Similar("the wall", "the wall")])
    assert isinstance(reply, Failed)


def test_other_models_are_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="3 outputs"):
        create_judge(f"bleurt:{tiny.classifier(tmp_path / 'c')}")
    path = checkpoint(tmp_path / "b", "small")
    tiny.spoil(path, embedding_size=24)  # the weights of one kind, the configuration of the other
    with pytest.raises(DataError):
        ask_all(create_judge(f"bleurt:{path}"), [Similar("a", "b")])
    (path / "tokenizer.json").unlink()
    with pytest.raises(DataError, match="tokenizer"):
        create_judge(f"bleurt:{path}")
    (path / "spm.model").write_bytes(b"no pieces")
    with pytest.raises(DataError, match=r"spm\.model could not be read"):
        create_judge(f"bleurt:{path}")


def test_google_s_checkpoints_want_google_s_package(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"bleurt_config\.json"):
        create_judge(f"bleurt:google:{tmp_path}")
    (tmp_path / "bleurt_config.json").write_text("{}")
    for spec in (f"bleurt:{tmp_path}", f"bleurt:google:{tmp_path}"):
        with pytest.raises(UsageError, match="pip install"):
            create_judge(spec)


def test_google_s_package_is_called_as_it_is_documented(tmp_path: Path) -> None:
    """The package is not on PyPI; this stands in for it, with the signature of its README."""
    (tmp_path / "bleurt").mkdir()
    (tmp_path / "bleurt" / "__init__.py").write_text("")
    (tmp_path / "bleurt" / "score.py").write_text(
        "class BleurtScorer:\n"
        "    def __init__(self, checkpoint=None):\n"
        "        self.checkpoint = checkpoint\n"
        "    def score(self, *args, references=[], candidates=[], batch_size=None):\n"
        "        assert not args and len(references) == len(candidates) <= batch_size\n"
        "        return [len(r) - len(c) / 10 for r, c in zip(references, candidates)]\n"
    )
    folder = tmp_path / "BLEURT-20"
    folder.mkdir()
    (folder / "bleurt_config.json").write_text("{}")
    script = (
        "import asyncio, json, sys\nfrom argue_bench.judges import create_judge\n"
        "from argue_bench.records import Similar\n"
        f"judge = create_judge('bleurt:{folder},batch=2')\n"
        "asks = [Similar('abc', 'x' * n) for n in range(5)]\n"
        "async def go():\n"
        "    return {a.candidate: r.value async for a, r in judge.judge(asks)}\n"
        "print(json.dumps([judge.name, asyncio.run(go())]))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONPATH": str(tmp_path), "PATH": ""},
        cwd=Path(__file__).parents[3],
    )
    name, scores = json.loads(done.stdout)
    assert name == "bleurt:google:BLEURT-20"
    assert scores == {"x" * n: 3 - n / 10 for n in range(5)}
