"""Entailment by a local model: batches of like length beside pair by pair.

Run by ``python -m benchmarks models``. A BERT of four layers with random weights reads 480 generated pairs of
5 to 60 words, through the judge, with the same verdicts each way; best of three. In the last row every pair
comes with four sources of the same text, and each text is asked once.

``--sizes``: processor time in which each published claim checker's architecture, at full size with random
weights, reads 400 tokens on one core in float32; best of three. It needs 5 GB of memory.
"""

from __future__ import annotations

import asyncio
import os
import random
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from argue_bench.judges import Judge, create_judge
from argue_bench.judges.base import judge_in_batches
from argue_bench.records import Entails, JudgeRequest, Source, Verdict
from benchmarks._options import options
from benchmarks._table import compared, show

_WORDS = [f"{a}{b}{c}" for a in "bdfgklmn" for b in "aeiou" for c in ("", "n", "r", "s", "rt")]
PAIRS, ROUNDS = 480, 3


def _model(folder: Path) -> None:
    """Saves a classifier and its tokenizer."""
    import torch
    import transformers
    from tokenizers import Tokenizer, models, pre_tokenizers
    from tokenizers.processors import TemplateProcessing

    torch.manual_seed(5)
    marks = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"]
    vocabulary = {word: n for n, word in enumerate([*marks, *_WORDS])}
    words = Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]"))
    words.pre_tokenizer = pre_tokenizers.Whitespace()
    words.post_processor = TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", 2), ("[SEP]", 3)],
    )
    transformers.PreTrainedTokenizerFast(
        tokenizer_object=words,
        unk_token="[UNK]",
        pad_token="[PAD]",
        cls_token="[CLS]",
        sep_token="[SEP]",
        model_input_names=["input_ids", "token_type_ids", "attention_mask"],
    ).save_pretrained(folder)
    labels = ("contradiction", "neutral", "entailment")
    config = transformers.BertConfig(
        vocab_size=len(vocabulary),
        hidden_size=32,
        num_hidden_layers=4,
        num_attention_heads=2,
        intermediate_size=64,
        max_position_embeddings=256,
        initializer_range=0.4,
        id2label=dict(enumerate(labels)),
        label2id={name: n for n, name in enumerate(labels)},
    )
    transformers.BertForSequenceClassification(config).save_pretrained(folder)


def _asks(copies: int) -> list[JudgeRequest]:
    draw = random.Random(3)

    def text(most: int) -> str:
        return " ".join(draw.choice(_WORDS) for _ in range(draw.randint(5, most)))

    pairs = [(text(60), text(20)) for _ in range(PAIRS)]
    return [
        Entails((Source(f"s{copy}", premise),), hypothesis)
        for copy in range(copies)
        for premise, hypothesis in pairs
    ]


def _run(spec: str, requests: list[JudgeRequest]) -> tuple[float, list[object], int]:
    """Seconds, verdicts and tokens read; the model is loaded before the clock starts."""
    best = float("inf")
    for _ in range(ROUNDS):
        judge = create_judge(spec)

        async def request(judge: Judge, some: list[JudgeRequest]) -> dict[str, object]:
            found: dict[str, object] = {}
            async for one, reply in judge_in_batches(judge, some):
                assert isinstance(reply, Verdict)
                found[one.key] = reply.value
            return found

        asyncio.run(request(judge, [Entails((Source("w", "ba"),), "ba")]))
        start = time.perf_counter()
        found = asyncio.run(request(judge, requests))
        best = min(best, time.perf_counter() - start)
    return best, [found[one.key] for one in requests], judge.counts.tokens_in


def _architectures() -> dict[str, Callable[[], Any]]:
    """Each architecture as its publisher configured it, by the forms that have it."""
    import transformers as t

    large = {"hidden_size": 1024, "num_hidden_layers": 24, "num_attention_heads": 16}
    roberta = {"vocab_size": 50265, "max_position_embeddings": 514, "num_labels": 3}
    deberta = {
        "vocab_size": 128100,
        "intermediate_size": 4096,
        "type_vocab_size": 0,
        "relative_attention": True,
        "position_buckets": 256,
        "pos_att_type": ["p2c", "c2p"],
        "share_att_key": True,
        "norm_rel_ebd": "layer_norm",
        "position_biased_input": False,
    }
    ettin = {"hidden_size": 512, "num_hidden_layers": 19, "num_attention_heads": 8}
    ettin |= {"intermediate_size": 768, "num_labels": 2}
    modern = {"num_hidden_layers": 28, "intermediate_size": 2624, "num_labels": 2}
    flan = {"d_ff": 2048, "feed_forward_proj": "gated-gelu", "vocab_size": 32128}
    small = {"d_model": 768, "num_layers": 12, "num_heads": 12, "num_labels": 2}
    wide = {"d_model": 1024, "d_ff": 2816, "num_layers": 24, "num_heads": 16}
    return {
        "hhem-2.1-open": lambda: t.T5ForTokenClassification(t.T5Config(**flan, **small)),
        "tinylettuce-68m": lambda: t.ModernBertForTokenClassification(t.ModernBertConfig(**ettin)),
        "lettucedetect-large": lambda: t.ModernBertForTokenClassification(
            t.ModernBertConfig(**{**large, **modern})
        ),
        "minicheck-roberta-large": lambda: t.RobertaForSequenceClassification(
            t.RobertaConfig(**roberta, **large, intermediate_size=4096)
        ),
        "minicheck-deberta-v3-large, factcg-deberta-v3-large": lambda: (
            t.DebertaV2ForSequenceClassification(t.DebertaV2Config(**deberta, **large))
        ),
        "minicheck-flan-t5-large": lambda: t.T5ForConditionalGeneration(
            t.T5Config(**{**flan, **wide}, decoder_start_token_id=0)
        ),
    }


def sizes() -> int:
    """Prints what each architecture takes for a document in float32."""
    import torch

    torch.set_num_threads(1)
    row = torch.randint(5, 30_000, (1, 400))
    for name, make in _architectures().items():
        model = make().eval()
        given = {"input_ids": row}
        if "flan" in name:
            given["decoder_input_ids"] = torch.zeros((1, 1), dtype=torch.long)
        with torch.inference_mode():
            took = min(_seconds(partial(model, **given)) for _ in range(ROUNDS))
            weights = sum(one.numel() for one in model.parameters()) / 1e6
        print(f"{name:<54} {weights:>5.0f} million weights {took:>6.2f} s", flush=True)
    return 0


def _seconds(run: Callable[[], Any]) -> float:
    start = time.process_time()
    run()
    return time.process_time() - start


def main() -> int:
    """1 where verdicts differ or a ratio is missed."""
    parser = options(__doc__)
    parser.add_argument("--sizes", action="store_true")
    given = parser.parse_args()
    if find_spec("torch") is None or find_spec("transformers") is None:
        print("not run: needs torch and transformers (pip install 'argue-bench[neural]')")
        return 0
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    if given.sizes:
        return sizes()
    with tempfile.TemporaryDirectory() as folder:
        _model(Path(folder))
        alone, said, tokens = _run(f"nli:{folder},batch=1", _asks(1))
        rows = [("one by one", alone, tokens)]
        same = True
        for size in (8, 32, 128):
            took, verdicts, read = _run(f"nli:{folder},batch={size}", _asks(1))
            same &= verdicts == said
            rows.append((f"batches of {size}", took, read))
        took, verdicts, read = _run(f"nli:{folder}", _asks(4))
        same &= verdicts == said * 4 and read == rows[2][2]
        rows.append(("batches of 32, four sources each", took / 4, read))
    yes = said.count("yes")
    print(f"{'480 pairs, ' + str(yes) + ' entailed':<34} {'pairs/s':>9} {'ratio':>6} {'tokens':>8}")
    for name, seconds, read in rows:
        print(f"{name:<34} {PAIRS / seconds:>9,.0f} {alone / seconds:>6.2f} {read:>8,}")
    print("verdicts are equal" if same else "VERDICTS DIFFER")
    line = compared("480 entailments in batches", "one by one", alone, rows[2][1], 2.5, equal=same)
    return show([line])


if __name__ == "__main__":
    sys.exit(main())
