"""Does a text-to-text model say that the hypothesis is entailed? TRUE (Honovich et al. 2022), as in ALCE.

Input: "premise: P hypothesis: H" (google/t5_xxl_true_nli_mixture); greedy, ten new tokens at most.
Verdict: yes where the reply is "1", no where it is "0"; any other reply is no verdict. T5 knows no longest
input; the premise is cut after 2,048 tokens by default, never the hypothesis behind it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from argue_bench.models.folder import ModelFolder, ModelSettings
from argue_bench.models.generation import FiniteRows, greedy
from argue_bench.models.loading import load_model, load_tokenizer, padded, running
from argue_bench.models.pairs import (
    NOT_A_NUMBER,
    Encoded,
    Pair,
    PairResult,
    PairResults,
    cut_note,
    read_batches,
)

NEW_TOKENS = 10
TOKENS = 2048
_VERDICTS = {"1": "yes", "0": "no"}


def nli_prompt(premise: str, hypothesis: str) -> str:
    """The text that the model was trained on."""
    return f"premise: {premise} hypothesis: {hypothesis}"


class TextToText:
    """A text-to-text model on disk that replies 1 or 0. Raises DataError for a bad tokenizer."""

    def __init__(self, folder: ModelFolder, settings: ModelSettings) -> None:
        self._folder, self._settings = folder, settings
        self._tokenizer = load_tokenizer(folder)
        self._most = settings.tokens or TOKENS

    def identity(self) -> Mapping[str, str]:
        return {
            "model": self._folder.name,
            "weights": self._folder.fingerprint(),
            "dtype": self._settings.dtype,
            "tokens": str(self._most),
            "input": "premise-hypothesis",
            "decoding": f"greedy-{NEW_TOKENS}",
        }

    @cached_property
    def _model(self) -> Any:
        from transformers import AutoModelForSeq2SeqLM

        return greedy(load_model(self._folder, AutoModelForSeq2SeqLM, self._settings))

    def read(self, pairs: Sequence[Pair]) -> Iterator[PairResults]:
        return read_batches(pairs, self._encoded, self._readings, self._settings.batch)

    def _encoded(self, premise: str, hypothesis: str) -> Encoded:
        row = self._row(nli_prompt(premise, hypothesis))
        over = len(row["input_ids"]) - self._most
        if over <= 0:
            return Encoded(row)
        ends = self._row(premise, add_special_tokens=False, return_offsets_mapping=True)
        ends = ends["offset_mapping"]
        # Where the cut falls within a word, its tokens may be other ones: so try, and cut again.
        kept = len(ends) - over
        while kept > 0:
            row = self._row(nli_prompt(premise[: ends[kept - 1][1]], hypothesis))
            if (over := len(row["input_ids"]) - self._most) <= 0:
                return Encoded(row, cut_note("premise", kept, len(ends)))
            kept -= over
        return Encoded(None, f"the hypothesis leaves no room for a premise in {self._most} tokens")

    def _row(self, text: str, **more: Any) -> dict[str, Any]:
        row = dict(self._tokenizer(text, split_special_tokens=True, verbose=False, **more))
        row.pop("token_type_ids", None)  # T5 takes none
        return row

    def _readings(self, encoded: Sequence[Encoded]) -> list[PairResult]:
        model, finite = self._model, FiniteRows()
        with running(self._folder.name):
            batch = padded(self._tokenizer, [one.row or {} for one in encoded], model.device)
            out = model.generate(
                **batch,
                max_new_tokens=NEW_TOKENS,
                do_sample=False,
                num_beams=1,
                logits_processor=[finite],
            )
            replies = self._tokenizer.batch_decode(out, skip_special_tokens=True)
        return [
            _reading(reply.strip(), one) if good else NOT_A_NUMBER
            for reply, one, good in zip(replies, encoded, finite.rows, strict=True)
        ]


def _reading(reply: str, encoded: Encoded) -> PairResult:
    verdict = _VERDICTS.get(reply)
    if verdict is None:
        return PairResult(
            None, f"the model replied {reply[:60]!r}, neither 1 nor 0", encoded.tokens
        )
    note = f"replied {reply}{encoded.note}"
    return PairResult(verdict, note, encoded.tokens, bool(encoded.note))
