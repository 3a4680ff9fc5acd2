"""Models of a few thousand weights, made and saved as published ones are, to be loaded by the same code.

Weights come from numpy's generator in the order of their names, so they are the same under every version
of torch and transformers; or from a few steps of training, where a model should be right about something.
"""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="needs argue-bench[neural]: torch")
transformers = pytest.importorskip("transformers", reason="needs argue-bench[neural]: transformers")

from tokenizers import AddedToken, Tokenizer, models, normalizers, pre_tokenizers  # noqa: E402
from tokenizers.processors import RobertaProcessing, TemplateProcessing  # noqa: E402

# Models this small gain nothing by threads, and lose much where other tests run beside them.
torch.set_num_threads(1)

_WORDS = (
    "the a wall tower bridge river town was is built burnt sold opened closed in by of and "
    "not 1931 1932 1940 edith marsh ruvan teldrake when who what where did it stone wood "
    "north premise : hypothesis 0 1 yes no ? . ,"
)
WORDS = _WORDS.split()


def fill(model: Any, scale: float, seed: int = 0) -> Any:
    """Sets every weight by numpy: matrices at random, norms to one, biases to zero or nearly."""
    draw = np.random.default_rng(seed)
    with torch.no_grad():
        for name, weight in sorted(model.named_parameters()):
            values = draw.normal(0.0, scale, tuple(weight.shape))
            if weight.dim() == 1:
                values = values / 10 + (1.0 if "norm" in name.lower() and "weight" in name else 0.0)
            weight.copy_(torch.tensor(values, dtype=weight.dtype))
    return model.eval()


def word_tokenizer(path: Path, *more: str, pair: bool = True, **given: Any) -> Any:
    """A tokenizer of whole words in lower case, with BERT's marks."""
    marks = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", *more]
    vocabulary = {word: n for n, word in enumerate([*marks, *WORDS])}
    made = Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]"))
    made.normalizer = normalizers.Lowercase()
    made.pre_tokenizer = pre_tokenizers.Whitespace()
    if pair:
        made.post_processor = TemplateProcessing(
            single="[CLS] $A [SEP]",
            pair="[CLS] $A [SEP] $B:1 [SEP]:1",
            special_tokens=[("[CLS]", 2), ("[SEP]", 3)],
        )
    made.add_special_tokens([AddedToken(mark, special=True) for mark in marks])
    names = ["input_ids", "token_type_ids", "attention_mask"] if pair else None
    tokenizer = transformers.PreTrainedTokenizerFast(
        tokenizer_object=made,
        unk_token="[UNK]",
        pad_token="[PAD]",
        cls_token="[CLS]",
        sep_token="[SEP]",
        **({"model_input_names": names} if names else {}),
        **given,
    )
    tokenizer.save_pretrained(path)
    return tokenizer


def byte_tokenizer(path: Path) -> Any:
    """A byte-level BPE as RoBERTa's, with a handful of merges."""
    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    merges = [("t", "h"), ("th", "e"), ("Ġ", "the"), ("i", "n"), ("e", "r"), ("Ġ", "w"), ("1", "9")]
    vocabulary = ["<s>", "<pad>", "</s>", "<unk>", "<mask>", *letters, *(a + b for a, b in merges)]
    made = Tokenizer(
        models.BPE({word: n for n, word in enumerate(vocabulary)}, merges, unk_token="<unk>")
    )
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.post_processor = RobertaProcessing(("</s>", 2), ("<s>", 0))
    made.add_special_tokens(["<s>", "<pad>", "</s>", "<unk>", "<mask>"])
    tokenizer = transformers.PreTrainedTokenizerFast(
        tokenizer_object=made,
        bos_token="<s>",
        eos_token="</s>",
        cls_token="<s>",
        sep_token="</s>",
        unk_token="<unk>",
        pad_token="<pad>",
        mask_token="<mask>",
        model_max_length=512,
        model_input_names=["input_ids", "attention_mask"],
    )
    tokenizer.save_pretrained(path)
    return tokenizer


LABELS = ("contradiction", "neutral", "entailment")


def bert_settings(labels: Sequence[str] = LABELS, positions: int = 64) -> dict[str, Any]:
    return {
        "vocab_size": 4 + len(WORDS),
        "hidden_size": 32,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "intermediate_size": 64,
        "max_position_embeddings": positions,
        "hidden_dropout_prob": 0.0,
        "attention_probs_dropout_prob": 0.0,
        "id2label": dict(enumerate(labels)),
        "label2id": {name: n for n, name in enumerate(labels)},
    }


def classifier(path: Path, scale: float = 0.6, **more: Any) -> Path:
    """A BERT with random weights large enough that its labels differ from pair to pair."""
    config = transformers.BertConfig(**bert_settings(**more))
    fill(transformers.BertForSequenceClassification(config), scale).save_pretrained(path)
    word_tokenizer(path)
    return path


def sentence(draw: random.Random, words: int) -> str:
    return " ".join(draw.choice(WORDS[:30]) for _ in range(words))


def pairs(count: int, seed: int = 1, longest: int = 20) -> list[tuple[str, str]]:
    """Pairs of generated texts of all lengths."""
    draw = random.Random(seed)
    return [
        (sentence(draw, draw.randint(1, longest)), sentence(draw, draw.randint(1, longest // 2)))
        for _ in range(count)
    ]


def denied(count: int, seed: int) -> list[tuple[str, str, bool]]:
    """Pairs where the hypothesis holds unless it has "not" in it."""
    draw = random.Random(seed)
    rows = []
    for _ in range(count):
        subject, done = draw.choice(WORDS[2:7]), draw.choice(WORDS[9:14])
        holds = draw.random() < 0.5
        premise = f"the {subject} was {done} in {draw.choice(['1931', '1932', '1940'])}"
        rows.append((premise, f"the {subject} was {'' if holds else 'not '}{done}", holds))
    return rows


def trained_text_to_text(path: Path) -> Path:
    """A T5 that has learnt to reply 0 to a hypothesis with "not", else 1."""
    torch.manual_seed(0)
    tokenizer = word_tokenizer(path, "</s>", pair=False, eos_token="</s>")
    config = transformers.T5Config(
        vocab_size=5 + len(WORDS),
        d_model=32,
        d_kv=8,
        d_ff=64,
        num_layers=1,
        num_heads=4,
        dropout_rate=0.0,
        decoder_start_token_id=0,
        pad_token_id=0,
        eos_token_id=tokenizer.eos_token_id,
    )
    model = transformers.T5ForConditionalGeneration(config).train()
    steps = torch.optim.Adam(model.parameters(), lr=5e-3)
    for step in range(80):
        rows = denied(32, step)
        texts = [f"premise: {premise} hypothesis: {hypothesis}" for premise, hypothesis, _ in rows]
        batch = tokenizer(texts, padding=True, return_tensors="pt")
        replies = tokenizer(["1" if holds else "0" for *_, holds in rows]).input_ids
        labels = torch.tensor([[*ids, tokenizer.eos_token_id] for ids in replies])
        model(**batch, labels=labels).loss.backward()
        steps.step()
        steps.zero_grad()
    model.eval().save_pretrained(path)
    return path


def reader(path: Path) -> Path:
    """A RoBERTa for extractive reading with random weights; 384 tokens in a window."""
    config = transformers.RobertaConfig(
        vocab_size=300,
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=4,
        intermediate_size=64,
        max_position_embeddings=514,
        type_vocab_size=1,
        pad_token_id=1,
        bos_token_id=0,
        eos_token_id=2,
        hidden_dropout_prob=0.0,
        attention_probs_dropout_prob=0.0,
    )
    model = fill(transformers.RobertaForQuestionAnswering(config), 0.4, seed=3)
    with torch.no_grad():
        model.qa_outputs.weight.mul_(4)  # so that one span stands out from the others
    model.save_pretrained(path)
    byte_tokenizer(path)
    return path


TEMPLATE = (
    "{% for m in messages %}<|im_start|>{{ m.role }} {{ m.content }}<|im_end|> {% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant {% endif %}"
)


def causal(path: Path, template: str | None = TEMPLATE, scale: float = 0.5) -> Path:
    """A Llama with random weights and a chat template."""
    tokenizer = word_tokenizer(
        path, "<|im_start|>", "<|im_end|>", pair=False, eos_token="<|im_end|>"
    )
    tokenizer.chat_template = template
    tokenizer.save_pretrained(path)
    config = transformers.LlamaConfig(
        vocab_size=6 + len(WORDS),
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        intermediate_size=64,
        max_position_embeddings=256,
        pad_token_id=0,
        bos_token_id=None,
        eos_token_id=tokenizer.eos_token_id,
    )
    fill(transformers.LlamaForCausalLM(config), scale, seed=5).save_pretrained(path)
    return path


def spoil(path: Path, **config: Any) -> None:
    """Changes entries of a saved configuration; None takes one out."""
    file = path / "config.json"
    values = {**json.loads(file.read_text()), **config}
    file.write_text(
        json.dumps({name: value for name, value in values.items() if value is not None})
    )
