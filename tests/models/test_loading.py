"""Loading: nothing is made up where a checkpoint lacks it. Batches: every row once."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from argue_bench.errors import DataError, UsageError
from argue_bench.models.folder import (
    ModelFolder,
    ModelSettings,
    batches_by_length,
    find_model,
    load_model,
    load_tokenizer,
    token_limit,
    torch_device,
)
from tests.models import tiny


@given(st.lists(st.integers(0, 600)), st.integers(1, 40), st.integers(1, 2000))
def test_every_row_is_in_one_batch_that_is_not_too_large(
    lengths: list[int], rows: int, tokens: int
) -> None:
    batches = list(batches_by_length(lengths, rows, tokens))
    assert sorted(index for batch in batches for index in batch) == list(range(len(lengths)))
    for batch in batches:
        longest = max(lengths[index] for index in batch)
        assert len(batch) <= rows
        assert len(batch) == 1 or longest * len(batch) <= tokens
    ordered = [lengths[index] for batch in batches for index in batch]
    assert ordered == sorted(ordered, reverse=True)


def _headless(folder: Path) -> None:
    config = tiny.transformers.BertConfig(**tiny.bert_settings())
    tiny.transformers.BertModel(config).save_pretrained(folder)


def _of_another_shape(folder: Path) -> None:
    tiny.classifier(folder)
    tiny.spoil(folder, hidden_size=16)


def _damaged(folder: Path) -> None:
    tiny.classifier(folder)
    (folder / "model.safetensors").write_bytes(b"not weights at all")


@pytest.mark.parametrize(
    ("made", "says"),
    [
        (_headless, r"classifier\.bias, classifier\.weight"),
        (_of_another_shape, "missing or of another shape|could not be loaded"),
        (_damaged, "could not be loaded"),
    ],
)
def test_weights_that_are_not_those_of_the_task_are_told_in_a_line(
    tmp_path: Path, made: Callable[[Path], None], says: str
) -> None:
    made(tmp_path)
    wanted = tiny.transformers.AutoModelForSequenceClassification
    with pytest.raises(DataError, match=says) as raised:
        load_model(find_model(str(tmp_path), "nli"), wanted, ModelSettings())
    assert raised.value.findings[0].code == "model-files"
    assert "\n" not in str(raised.value)


def test_a_tokenizer_is_never_made_up(tmp_path: Path) -> None:
    tiny.classifier(tmp_path)
    (tmp_path / "tokenizer.json").write_text("{}")
    with pytest.raises(DataError, match="could not be read"):
        load_tokenizer(find_model(str(tmp_path), "nli"))
    (tmp_path / "tokenizer.json").unlink()
    with pytest.raises(DataError, match="has no tokenizer"):
        load_tokenizer(find_model(str(tmp_path), "nli"))


@pytest.mark.parametrize(
    ("config", "tokenizer_says", "option", "expected"),
    [
        ({"model_type": "bert", "max_position_embeddings": 64}, 10**30, 0, 64),
        ({"model_type": "bert", "max_position_embeddings": 64}, 48, 0, 48),
        ({"model_type": "bert", "max_position_embeddings": 64}, 48, 20, 20),
        (
            {"model_type": "roberta", "max_position_embeddings": 514, "pad_token_id": 1},
            10**30,
            0,
            512,
        ),
        ({"model_type": "mpnet", "max_position_embeddings": 514}, 10**30, 0, 512),
        ({"model_type": "t5"}, 10**30, 0, 777),
        ({"model_type": "deberta-v2", "max_position_embeddings": None}, 512, 0, 512),
    ],
)
def test_how_many_tokens_a_model_reads(
    config: dict[str, object], tokenizer_says: int, option: int, expected: int
) -> None:
    class Says:
        model_max_length = tokenizer_says

    folder = ModelFolder(Path(), "m", config)
    assert token_limit(folder, Says(), ModelSettings(tokens=option), 777) == expected


def test_a_device_that_is_not_there_is_refused() -> None:
    assert str(torch_device(ModelSettings(device="cpu"))) == "cpu"
    for named in ("cuda:77", "abacus"):
        with pytest.raises(UsageError, match="is not available"):
            torch_device(ModelSettings(device=named))
