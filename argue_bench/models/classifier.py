"""Does a sequence classifier find the hypothesis entailed? Models trained on NLI: DeBERTa, RoBERTa, BART.

Input: the pair (premise, hypothesis) as the tokenizer joins pairs. Verdict: yes where the label
"entailment" has the largest logit. A premise that is too long loses its end, and the reading says so; the
hypothesis is never cut.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from argue_bench.errors import Code
from argue_bench.models.folder import ModelFolder, ModelSettings
from argue_bench.models.loading import load_model, load_tokenizer, most_tokens, padded, running
from argue_bench.models.pairs import (
    NOT_A_NUMBER,
    Encoded,
    Pair,
    PairResult,
    PairResults,
    cut_note,
    read_batches,
)

ENTAILMENT = frozenset({"entailment", "entail", "entails", "entailed"})
_TOKENS = 512
"""For models that say no limit of their own: what DeBERTa and its like were trained on."""


class Classifier:
    """A sequence classifier on disk. ``label`` names its entailment label, where no name tells.

    Raises DataError where there is no such label, or its tokenizer can't be read.
    """

    def __init__(self, folder: ModelFolder, settings: ModelSettings, label: str = "") -> None:
        self._folder, self._settings = folder, settings
        self._labels = _labels(folder)
        self._entailment = _entailment(folder, self._labels, label)
        self._tokenizer = load_tokenizer(folder)
        self._most = most_tokens(folder, self._tokenizer, settings, _TOKENS)

    def identity(self) -> Mapping[str, str]:
        return {
            "model": self._folder.name,
            "weights": self._folder.fingerprint(),
            "dtype": self._settings.dtype,
            "tokens": str(self._most),
            "entailment": self._labels[self._entailment],
        }

    @cached_property
    def _model(self) -> Any:
        from transformers import AutoModelForSequenceClassification

        return load_model(self._folder, AutoModelForSequenceClassification, self._settings)

    def read(self, pairs: Sequence[Pair]) -> Iterator[PairResults]:
        return read_batches(pairs, self._encoded, self._readings, self._settings.batch)

    def _encoded(self, premise: str, hypothesis: str) -> Encoded:
        """The tokens of a pair. Words like "[SEP]" in a text are read as words."""
        given = {"split_special_tokens": True, "verbose": False}
        row = self._tokenizer(premise, hypothesis, **given)
        whole = len(row["input_ids"])
        if whole <= self._most:
            return Encoded(row)
        of_premise = row.sequence_ids(0).count(0)
        if (kept := of_premise - (whole - self._most)) < 1:
            return Encoded(
                None, f"the hypothesis leaves no room for a premise in {self._most} tokens"
            )
        row = self._tokenizer(
            premise, hypothesis, truncation="only_first", max_length=self._most, **given
        )
        return Encoded(row, cut_note("premise", kept, of_premise))

    def _readings(self, encoded: Sequence[Encoded]) -> list[PairResult]:
        model = self._model
        with running(self._folder.name):
            batch = padded(self._tokenizer, [one.row or {} for one in encoded], model.device)
            shares = model(**batch).logits.float().softmax(-1).tolist()
        return [self._reading(*both) for both in zip(shares, encoded, strict=True)]

    def _reading(self, shares: list[float], encoded: Encoded) -> PairResult:
        if any(share != share for share in shares):
            return NOT_A_NUMBER
        yes = max(range(len(shares)), key=shares.__getitem__) == self._entailment
        note = f"{self._labels[self._entailment]} {shares[self._entailment]:.3f}{encoded.note}"
        return PairResult("yes" if yes else "no", note, encoded.tokens, bool(encoded.note))


def _labels(folder: ModelFolder) -> list[str]:
    named = folder.config.get("id2label")
    if not isinstance(named, dict) or set(named) != {str(n) for n in range(len(named))}:
        return []
    return [str(named[str(n)]) for n in range(len(named))]


def _entailment(folder: ModelFolder, labels: Sequence[str], label: str) -> int:
    """The index of the label that means entailment."""
    wanted = {label.lower()} if label else ENTAILMENT
    found = [index for index, name in enumerate(labels) if name.lower() in wanted]
    if len(found) == 1 and len(labels) > 1:
        return found[0]
    raise folder.wrong(
        Code.NO_ENTAILMENT_LABEL,
        f"none of its labels means entailment: {', '.join(labels) or 'it has none'}",
        "Name the label that does (nli:DIR,entailment=LABEL), or another model.",
    )
