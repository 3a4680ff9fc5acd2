"""A Llama that says one thing: any prompt is followed by one token, which is a whole text, then the end.

Its layers add nothing, so what follows a token is read from that token's embedding alone. It is saved
as published models are and loaded by the same code.
"""

from __future__ import annotations

from pathlib import Path

import pytest

torch = pytest.importorskip("torch", reason="needs argue-bench[neural]: torch")
transformers = pytest.importorskip("transformers", reason="needs argue-bench[neural]: transformers")

from tokenizers import AddedToken, Tokenizer, models, pre_tokenizers  # noqa: E402

MARKS = ["[PAD]", "[UNK]", "[END]"]
END, TEXT = 2, 3


def parrot(path: Path, text: str) -> Path:
    """A model folder; prompts of up to 8,192 words."""
    made = Tokenizer(models.WordLevel({m: n for n, m in enumerate(MARKS)}, unk_token="[UNK]"))
    made.pre_tokenizer = pre_tokenizers.Whitespace()
    made.add_special_tokens([AddedToken(mark, special=True) for mark in MARKS])
    made.add_tokens([AddedToken(text, normalized=False)])
    transformers.PreTrainedTokenizerFast(
        tokenizer_object=made,
        unk_token="[UNK]",
        pad_token="[PAD]",
        eos_token="[END]",
        model_input_names=["input_ids", "attention_mask"],
    ).save_pretrained(path)
    config = transformers.LlamaConfig(
        vocab_size=4,
        hidden_size=8,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=8,
        max_position_embeddings=8192,
        pad_token_id=0,
        bos_token_id=None,
        eos_token_id=END,
    )
    model = transformers.LlamaForCausalLM(config).eval()
    with torch.no_grad():
        for name, weight in model.named_parameters():
            weight.fill_(1.0 if "norm" in name else 0.0)
        words, said = model.model.embed_tokens.weight, model.lm_head.weight
        words[:, 0] = 1.0
        words[TEXT] = torch.eye(8)[1]
        said[TEXT, 0] = said[END, 1] = 1.0
    model.save_pretrained(path)
    return path
