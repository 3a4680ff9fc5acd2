"""Models trained on natural language inference, as `PairModel` of (premise, hypothesis).

`Classifier`: a sequence classifier (DeBERTa, RoBERTa, BART) on the pair as its tokenizer joins pairs; yes if
the label "entailment" has the largest logit. `TextToText`: "premise: P hypothesis: H", greedy, at most ten
new tokens; yes for the reply "1", no for "0", else no verdict (TRUE, Honovich et al. 2022, as in ALCE:
google/t5_xxl_true_nli_mixture). A premise that is too long loses its end, and the result says so; a hypothesis
is never cut. T5 has no longest input, so 2,048 tokens are read by default.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from argue_bench.errors import Code
from argue_bench.models.folder import ModelFolder, ModelSettings
from argue_bench.models.loading import (
    FiniteRows,
    inference,
    load_model,
    load_tokenizer,
    pad_rows,
    set_greedy,
    token_limit,
)
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
_CLASSIFIER_TOKENS = 512
"""For classifiers without a limit: the length that DeBERTa was trained on."""
NEW_TOKENS = 10
TOKENS = 2048
_VERDICTS = {"1": "yes", "0": "no"}


class Classifier:
    """A sequence classifier on disk. ``label``: its entailment label, if the name does not say so.

    Raises DataError where the model lacks the label, or its tokenizer can't be read.
    """

    def __init__(self, folder: ModelFolder, settings: ModelSettings, label: str = "") -> None:
        self._folder, self._settings = folder, settings
        self._labels = _labels(folder)
        self._entailment = _entailment(folder, self._labels, label)
        self._tokenizer = load_tokenizer(folder)
        self._most = token_limit(folder, self._tokenizer, settings, _CLASSIFIER_TOKENS)

    def identity(self) -> Mapping[str, str]:
        own = {"tokens": str(self._most), "entailment": self._labels[self._entailment]}
        return {**self._folder.identity(self._settings), **own}

    @cached_property
    def _model(self) -> Any:
        from transformers import AutoModelForSequenceClassification

        return load_model(self._folder, AutoModelForSequenceClassification, self._settings)

    def read(self, pairs: Sequence[Pair]) -> Iterator[PairResults]:
        return read_batches(pairs, self._encoded, self._results, self._settings.batch)

    def _encoded(self, premise: str, hypothesis: str) -> Encoded:
        """The tokens of a pair. Words like "[SEP]" in a text are read as words."""
        given = {"split_special_tokens": True, "verbose": False}
        row = self._tokenizer(premise, hypothesis, **given)
        whole = len(row["input_ids"])
        if whole <= self._most:
            return Encoded(row)
        of_premise = row.sequence_ids(0).count(0)
        if (kept := of_premise - (whole - self._most)) < 1:
            return _no_room(self._most)
        row = self._tokenizer(
            premise, hypothesis, truncation="only_first", max_length=self._most, **given
        )
        return Encoded(row, cut_note("premise", kept, of_premise))

    def _results(self, encoded: Sequence[Encoded]) -> list[PairResult]:
        model = self._model
        with inference(self._folder.name):
            batch = pad_rows(self._tokenizer, [one.row or {} for one in encoded], model.device)
            shares = model(**batch).logits.float().softmax(-1).tolist()
        return [self._result(*both) for both in zip(shares, encoded, strict=True)]

    def _result(self, shares: list[float], encoded: Encoded) -> PairResult:
        if any(share != share for share in shares):
            return NOT_A_NUMBER
        yes = max(range(len(shares)), key=shares.__getitem__) == self._entailment
        note = f"{self._labels[self._entailment]} {shares[self._entailment]:.3f}{encoded.note}"
        return PairResult("yes" if yes else "no", note, encoded.tokens, bool(encoded.note))


class TextToText:
    """A text-to-text model on disk that replies 1 or 0. Raises DataError for a bad tokenizer."""

    def __init__(self, folder: ModelFolder, settings: ModelSettings) -> None:
        self._folder, self._settings = folder, settings
        self._tokenizer = load_tokenizer(folder)
        self._most = settings.tokens or TOKENS

    def identity(self) -> Mapping[str, str]:
        return {
            **self._folder.identity(self._settings),
            "tokens": str(self._most),
            "input": "premise-hypothesis",
            "decoding": f"greedy-{NEW_TOKENS}",
        }

    @cached_property
    def _model(self) -> Any:
        from transformers import AutoModelForSeq2SeqLM

        return set_greedy(load_model(self._folder, AutoModelForSeq2SeqLM, self._settings))

    def read(self, pairs: Sequence[Pair]) -> Iterator[PairResults]:
        return read_batches(pairs, self._encoded, self._results, self._settings.batch)

    def _encoded(self, premise: str, hypothesis: str) -> Encoded:
        row = self._row(nli_prompt(premise, hypothesis))
        over = len(row["input_ids"]) - self._most
        if over <= 0:
            return Encoded(row)
        ends = self._row(premise, add_special_tokens=False, return_offsets_mapping=True)
        ends = ends["offset_mapping"]
        # A cut within a word may change that word's tokens, so the shorter prompt is encoded again.
        kept = len(ends) - over
        while kept > 0:
            row = self._row(nli_prompt(premise[: ends[kept - 1][1]], hypothesis))
            if (over := len(row["input_ids"]) - self._most) <= 0:
                return Encoded(row, cut_note("premise", kept, len(ends)))
            kept -= over
        return _no_room(self._most)

    def _row(self, text: str, **more: Any) -> dict[str, Any]:
        row = dict(self._tokenizer(text, split_special_tokens=True, verbose=False, **more))
        row.pop("token_type_ids", None)  # T5 takes none
        return row

    def _results(self, encoded: Sequence[Encoded]) -> list[PairResult]:
        model, finite = self._model, FiniteRows()
        with inference(self._folder.name):
            batch = pad_rows(self._tokenizer, [one.row or {} for one in encoded], model.device)
            out = model.generate(
                **batch,
                max_new_tokens=NEW_TOKENS,
                do_sample=False,
                num_beams=1,
                logits_processor=[finite],
            )
            replies = self._tokenizer.batch_decode(out, skip_special_tokens=True)
        return [
            _result(reply.strip(), one) if good else NOT_A_NUMBER
            for reply, one, good in zip(replies, encoded, finite.rows, strict=True)
        ]


def nli_prompt(premise: str, hypothesis: str) -> str:
    """The input form that TRUE's text-to-text model was trained on."""
    return f"premise: {premise} hypothesis: {hypothesis}"


def _no_room(most: int) -> Encoded:
    return Encoded(None, f"the hypothesis leaves no room for a premise in {most} tokens")


def _result(reply: str, encoded: Encoded) -> PairResult:
    verdict = _VERDICTS.get(reply)
    if verdict is None:
        note = f"the model replied {reply[:60]!r}, neither 1 nor 0"
        return PairResult(None, note, encoded.tokens)
    return PairResult(verdict, f"replied {reply}{encoded.note}", encoded.tokens, bool(encoded.note))


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
