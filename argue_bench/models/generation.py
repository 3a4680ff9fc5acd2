"""How are tokens chosen one after the other? Greedily, or drawn so that a batch changes nothing.

Greedy: the largest logit. With a temperature T: the largest logit / T + Gumbel noise, which is a draw
from softmax(logits / T) (Gumbel 1954; Maddison et al. 2014). The noise of a row comes from the seed and the
row's own prompt, so a reply is the same in whatever batch it is made.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any


def greedy(model: Any) -> Any:
    """The model without decoding habits of its own (beams, sampling, penalties), its ids kept."""
    from transformers import GenerationConfig

    ids = ("bos_token_id", "eos_token_id", "pad_token_id", "decoder_start_token_id")
    had = model.generation_config
    model.generation_config = GenerationConfig(**{name: getattr(had, name, None) for name in ids})
    return model


class FiniteRows:
    """Notes the rows of a batch whose logits are no numbers. ``rows`` is True for the good ones."""

    def __init__(self) -> None:
        self.rows: list[bool] = []

    def __call__(self, input_ids: Any, scores: Any) -> Any:
        good = (~scores.isnan().any(-1)).tolist()
        self.rows = [a and b for a, b in zip(self.rows or good, good, strict=True)]
        return scores


class StopTexts:
    """Ends a row once it has said one of the ``stops``. ``start`` is where the prompts end.

    transformers' own rule builds an index of the vocabulary that some tokenizers break.
    """

    def __init__(self, tokenizer: Any, stops: Sequence[str], start: int) -> None:
        self._tokenizer, self._stops, self._start = tokenizer, stops, start
        # A character is four tokens at most, where tokens are bytes.
        self._tail = 4 * max(map(len, stops)) + 8

    def __call__(self, input_ids: Any, scores: Any, **_: Any) -> Any:
        import torch

        tails = input_ids[:, max(self._start, input_ids.shape[1] - self._tail) :].tolist()
        said = self._tokenizer.batch_decode(tails, skip_special_tokens=True)
        over = [any(stop in text for stop in self._stops) for text in said]
        return torch.tensor(over, device=input_ids.device)


class SeededNoise:
    """Adds each row's own noise to its logits, so that the largest is a draw at a temperature.

    ``top_p`` below 1 leaves the likeliest tokens that together reach that share.
    """

    def __init__(self, prompts: Sequence[str], temperature: float, top_p: float, seed: int) -> None:
        import torch

        self._temperature, self._top_p = temperature, top_p
        self._sources = []
        for prompt in prompts:
            digest = hashlib.sha256(f"{seed}\n{prompt}".encode("utf-8", "surrogatepass")).digest()
            self._sources.append(torch.Generator().manual_seed(int.from_bytes(digest[:7])))

    def __call__(self, input_ids: Any, scores: Any) -> Any:
        import torch

        logits = scores.float() / self._temperature
        if self._top_p < 1:
            ordered, places = logits.sort(dim=-1, descending=True)
            shares = ordered.softmax(-1)
            beyond = shares.cumsum(-1) - shares >= self._top_p
            logits = logits.masked_fill(beyond.scatter(-1, places, beyond), float("-inf"))
        noise = torch.stack(
            [torch.empty(logits.shape[-1]).exponential_(generator=g) for g in self._sources]
        )
        return logits - noise.to(logits.device).log()
