"""The interface of models of two texts, and their batches of like length.

Premise and hypothesis, question and context, reference and candidate: each such model turns pairs of
texts into a word, a text or a number.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, Protocol, TypeVar, cast

from argue_bench.errors import Code, UsageError
from argue_bench.models.folder import (
    FiniteRows,
    ModelFolder,
    ModelSettings,
    batches_by_length,
    inference,
    load_model,
    load_tokenizer,
    pad_rows,
    set_greedy,
    token_limit,
)
from argue_bench.text import sentences

# Models on disk that say whether a text supports a claim, each with its own form of input.
#
# By the architecture of any folder: ``classifier``, a sequence classifier on the pair as its tokenizer joins
# pairs, yes if the label "entailment" has the largest logit; ``text``, "premise: P hypothesis: H", greedy, at
# most ten new tokens, yes for the reply "1" and no for "0" (TRUE, Honovich et al. 2022, as in ALCE:
# google/t5_xxl_true_nli_mixture); ``spans``, a token classifier whose label 1 marks what the text does not
# support: the claim is unsupported where a token of it is so marked.
#
# By name, in the forms, sizes and thresholds of the programs that were published with the models, which give a
# probability of support for each part of whole sentences of a document; the largest counts:
#
# minicheck-roberta-large, minicheck-deberta-v3-large   parts of 400 tokens, the tokenizer's end mark, the claim
# minicheck-flan-t5-large   parts of 500 words behind "predict: "; the first token, of the two that mean no and yes
#                           (MiniCheck, Tang et al. 2024, arXiv 2404.10774)
# factcg-deberta-v3-large   parts of 550 words in an instruction (FactCG, Lei et al. 2025, arXiv 2501.17144)
# hhem-2.1-open             the whole document in a prompt; a head on the encoder's first token (Vectara)
# lettucedetect, tinylettuce   ``spans`` behind the prompt of a summary, in parts of 3,500 tokens, of which the
#                           least counts (LettuceDetect, Kovacs and Recski 2025, arXiv 2502.17125)
#
# A text that is too long loses its end, and the result says so; a claim is never cut.

# MiniCheck's own: a claim is supported where its probability is above one half. LettuceDetect's is the same.
THRESHOLD = 0.5
# As ALCE's evaluator generates with TRUE's model; the reply is one digit.
NEW_TOKENS = 10
ENTAILMENT = frozenset({"entailment", "entail", "entails", "entailed"})
_REPLIES = {"1": "yes", "0": "no"}
_WORD = re.compile(r"\w+|[^\w\s]")
# Of T5's vocabulary: what MiniCheck's Flan-T5 writes first for no and for yes.
_FIRST_TOKENS = [3, 209]
# HHEM's config.json names its foundation and holds none of this.
_FLAN_T5_BASE: dict[str, Any] = {
    "d_model": 768,
    "d_kv": 64,
    "d_ff": 2048,
    "num_layers": 12,
    "num_heads": 12,
    "vocab_size": 32128,
    "feed_forward_proj": "gated-gelu",
    "tie_word_embeddings": False,
    "decoder_start_token_id": 0,
}


@dataclass(frozen=True)
class Form:
    """How a model reads a pair. ``[END]`` and ``[PAD]`` in ``template`` are marks of its tokenizer.

    An empty ``template`` is the pair as the tokenizer joins pairs. ``chunk`` counts ``unit``; 0 for the whole
    document. ``joined``: what stands between sentences of a line. ``most``: the tokens that it reads at once.
    """

    head: Literal["classifier", "first-token", "encoder", "text", "spans"]
    template: str = ""
    chunk: int = 0
    unit: Literal["tokens", "words", "words and marks"] = "words"
    # T5 has no longest input of its own, but memory has.
    most: int = 2048
    joined: str = " "


_INSTRUCTION = (
    "{document}\n\nChoose your answer: based on the paragraph above can we conclude that "
    '"{claim}"?\n\nOPTIONS:\n- Yes\n- No\nI think the answer is '
)
_HHEM = (
    "[PAD] Determine if the hypothesis is true given the premise?\n\n"
    "Premise: {document}\n\nHypothesis: {claim}"
)
_BESIDE = "{document}[END]{claim}"
_SUMMARY = "Summarize the following text:\npassage 1: {document}\noutput:[END]{claim}"
FORMS: dict[str, Form] = {
    "minicheck-roberta-large": Form("classifier", _BESIDE, 400, "tokens", 512),
    "minicheck-deberta-v3-large": Form("classifier", _BESIDE, 400, "tokens"),
    "minicheck-flan-t5-large": Form("first-token", f"predict: {_BESIDE}", 500),
    "factcg-deberta-v3-large": Form(
        "classifier", _INSTRUCTION, 550, "words and marks", joined="\n"
    ),
    "hhem-2.1-open": Form("encoder", _HHEM),
    "lettucedetect": Form("spans", _SUMMARY, 3500, "tokens", 4096),
}
# For classifiers without a limit: the length that DeBERTa was trained on.
_CLASSIFIER = Form("classifier", most=512)
_TEXT_TO_TEXT = Form("text", "premise: {document} hypothesis: {claim}")
_OTHER_NAMES = {
    "hallucination_evaluation_model": "hhem-2.1-open",
    "lettucedect": "lettucedetect",
    "lettucedetect": "lettucedetect",
    "tinylettuce": "lettucedetect",
}


def form_of(name: str) -> str:
    """The form of a model of this name, with or without who published it; empty for any other."""
    last = name.rsplit("/", 1)[-1].lower()
    found = _OTHER_NAMES.get(last) or _OTHER_NAMES.get(last.partition("-")[0], last)
    return found if found in FORMS else ""


def entailment_reader(folder: ModelFolder, settings: ModelSettings, label: str, form: str) -> Any:
    """The `ClaimReader` of a folder. ``label`` is its entailment label, ``form`` a name in `FORMS` or "none".

    Raises UsageError for an impossible option, DataError where the folder holds no such model.
    """
    form = form or form_of(folder.name)
    if form not in (*FORMS, "none", ""):
        raise UsageError(f"form={form} is not known: {', '.join((*FORMS, 'none'))}")
    classifies = folder.architecture.endswith("ForSequenceClassification")
    if label and (form in FORMS or not classifies):
        raise UsageError("entailment= names a label of a classifier; this model has none to name")
    if form in FORMS:
        return ClaimReader(folder, settings, FORMS[form], form)
    if classifies:
        labels = _labels(folder)
        chosen = _entailment(folder, labels, label)
        return ClaimReader(folder, settings, _CLASSIFIER, label=labels[chosen], yes=chosen)
    if folder.architecture.endswith(("ForConditionalGeneration", "ForSeq2SeqLM")):
        return ClaimReader(folder, settings, _TEXT_TO_TEXT)
    if folder.architecture.endswith("ForTokenClassification"):
        return ClaimReader(folder, settings, FORMS["lettucedetect"], "lettucedetect")
    raise folder.wrong(
        Code.WRONG_MODEL,
        f"this is a {folder.architecture or 'model of no stated kind'}, which says nothing on entailment",
        "Name a ...ForSequenceClassification trained on NLI, or a text-to-text model such as "
        "google/t5_xxl_true_nli_mixture.",
    )


class ClaimReader:
    """One of these models on disk, as a `PairModel` of (document, claim).

    ``name`` is that of a published form; of other classifiers ``label`` is the word for entailment and ``yes``
    its place. Raises DataError where its tokenizer can't be read.
    """

    def __init__(
        self,
        folder: ModelFolder,
        settings: ModelSettings,
        form: Form,
        name: str = "",
        *,
        label: str = "supported",
        yes: int = 1,
    ) -> None:
        self._folder, self._settings, self._form = folder, settings, form
        self._name, self._label, self._yes = name, label, yes
        self._tokenizer = load_tokenizer(folder)
        self._most = (
            settings.tokens or form.most
            if form.template
            else token_limit(folder, self._tokenizer, settings, form.most)
        )
        marks = self._tokenizer("")["input_ids"]
        self._first, self._last = marks[:-1], marks[-1:]
        end = self._tokenizer.sep_token_id
        self._end = self._tokenizer.eos_token_id if end is None else end

    def identity(self) -> Mapping[str, str]:
        form = self._form
        own = {**self._folder.identity(self._settings), "tokens": str(self._most)}
        if self._name:
            chunk = f"{form.chunk} {form.unit}" if form.chunk else "none"
            return {**own, "input": self._name, "chunk": chunk, "threshold": f"{THRESHOLD:g}"}
        if form.head == "text":
            return {**own, "input": "premise-hypothesis", "decoding": f"greedy-{NEW_TOKENS}"}
        return {**own, "entailment": self._label}

    def read(self, pairs: Sequence[Pair]) -> Iterator[PairResults]:
        """The results of pairs whose parts have all been read, batch by batch."""
        parts = [
            [self._encoded(chunk, claim) for chunk in self.chunks(document)]
            for document, claim in pairs
        ]
        return read_batches(parts, self._outputs, self._result, self._settings.batch)

    def chunks(self, document: str) -> list[str]:
        """The document in parts of whole sentences; a sentence that is longer is a part of its own."""
        if not self._form.chunk:
            return [document]
        parts: list[str] = []
        part, size = "", 0
        for number, line in enumerate(document.split("\n")):
            for place, sentence in enumerate(sentences(line)):
                length = self._length(sentence)
                if part and size + length > self._form.chunk:
                    parts.append(part)
                    part, size = "", 0
                between = "\n" if number and not place else self._form.joined
                part, size = f"{part}{between}{sentence}" if part else sentence, size + length
        return [*parts, part] if part or not parts else parts

    def _length(self, sentence: str) -> int:
        if self._form.unit == "tokens":
            return len(self._ids(sentence))
        return len(sentence.split() if self._form.unit == "words" else _WORD.findall(sentence))

    def _ids(self, text: str) -> list[int]:
        """Tokens of a text. Words like "</s>" in it are read as words."""
        given = {"add_special_tokens": False, "split_special_tokens": True, "verbose": False}
        return cast("list[int]", self._tokenizer(text, **given)["input_ids"])

    def _row(self, document: str, claim: str) -> dict[str, Any]:
        if not self._form.template:
            return dict(self._tokenizer(document, claim, split_special_tokens=True, verbose=False))
        ids: list[int] = [*self._first]
        filled = {"document": document, "claim": claim}
        for number, part in enumerate(re.split(r"(\[END\]|\[PAD\])", self._form.template)):
            if number % 2:
                ids.append(self._end if part == "[END]" else self._tokenizer.pad_token_id)
            elif part:
                ids += self._ids(re.sub(r"\{(\w+)\}", lambda match: filled[match[1]], part))
        ids += self._last
        return {"input_ids": ids, "attention_mask": [1] * len(ids)}

    def _encoded(self, document: str, claim: str) -> Encoded:
        row = self._row(document, claim)
        if len(row["input_ids"]) <= self._most:
            return Encoded(row)
        texts = ("document", "claim") if self._name else ("premise", "hypothesis")
        given = {"add_special_tokens": False, "return_offsets_mapping": True, "verbose": False}
        ends = self._tokenizer(document, split_special_tokens=True, **given)["offset_mapping"]
        kept = len(ends)
        # A cut within a word may change that word's tokens, so the shorter text is encoded again.
        while (over := len(row["input_ids"]) - self._most) > 0:
            if (kept := kept - over) < 1:
                return Encoded(
                    None, f"the {texts[1]} leaves no room for a {texts[0]} in {self._most} tokens"
                )
            row = self._row(document[: ends[kept - 1][1]], claim)
        return Encoded(row, f"; {texts[0]} cut from {len(ends)} to {kept} tokens")

    @cached_property
    def _model(self) -> Any:
        import transformers

        kinds = {
            "classifier": transformers.AutoModelForSequenceClassification,
            "first-token": transformers.AutoModelForSeq2SeqLM,
            "text": transformers.AutoModelForSeq2SeqLM,
            "spans": transformers.AutoModelForTokenClassification,
            "encoder": transformers.T5ForTokenClassification,
        }
        more: dict[str, Any] = {}
        if self._form.head == "encoder":
            own = {key: self._folder.config.get(key, value) for key, value in _FLAN_T5_BASE.items()}
            more = {
                "config": transformers.T5Config(**own, num_labels=2),
                "key_mapping": {r"^t5\.": ""},
            }
        model = load_model(self._folder, kinds[self._form.head], self._settings, **more)
        return set_greedy(model) if self._form.head == "text" else model

    def _outputs(self, parts: Sequence[Encoded]) -> list[_Output]:
        """The probability that each part is supported; NaN where the model gave no number."""
        import torch

        model, head = self._model, self._form.head
        rows = [one.row or {} for one in parts]
        with inference(self._folder.name):
            batch = pad_rows(self._tokenizer, rows, model.device)
            if head == "text":
                return self._replies(batch)
            if head == "first-token":
                start = torch.zeros((len(parts), 1), dtype=torch.long, device=model.device)
                logits = model(**batch, decoder_input_ids=start).logits[:, 0, _FIRST_TOKENS]
            else:
                logits = model(**batch).logits
                logits = logits[:, 0, :] if head == "encoder" else logits
            shares = logits.float().softmax(-1).tolist()
        if head == "spans":
            marked = (
                max((p[1] for p in share[self._claim(row)]), default=0.0)
                for share, row in zip(shares, rows, strict=True)
            )
            shares = [[bad, 1 - bad] for bad in marked]
        return [_Output(share[self._yes], share[self._yes] == max(share)) for share in shares]

    def _claim(self, row: Mapping[str, Any]) -> slice:
        """Where the tokens of the claim stand in a row: between its last two end marks."""
        ids = row["input_ids"][: -len(self._last)]
        return slice(len(ids) - ids[::-1].index(self._end), len(ids))

    def _replies(self, batch: Mapping[str, Any]) -> list[_Output]:
        finite = FiniteRows()
        batch = {name: rows for name, rows in batch.items() if name != "token_type_ids"}
        out = self._model.generate(
            **batch,
            max_new_tokens=NEW_TOKENS,
            do_sample=False,
            num_beams=1,
            logits_processor=[finite],
        )
        replies = self._tokenizer.batch_decode(out, skip_special_tokens=True)
        return [
            _Output(float(good) or float("nan"), reply=reply.strip())
            for reply, good in zip(replies, finite.rows, strict=True)
        ]

    def _result(self, _: int, parts: Sequence[Encoded], outputs: Sequence[_Output]) -> PairResult:
        tokens = sum(one.tokens for one in parts)
        if any(math.isnan(one.share) for one in outputs):
            return NOT_A_NUMBER
        cut = next((one.note for one in parts if one.note), "")
        if self._form.head == "text":
            (one,) = outputs
            if (verdict := _REPLIES.get(one.reply)) is None:
                note = f"the model replied {one.reply[:60]!r}, neither 1 nor 0"
                return PairResult(None, note, tokens)
            return PairResult(verdict, f"replied {one.reply}{cut}", tokens, bool(cut))
        # A span that any part leaves unsupported stays so, as its publishers have it.
        best = (min if self._form.head == "spans" else max)(outputs, key=lambda one: one.share)
        note = f"{self._label} {best.share:.3f}"
        note += f" in one of {len(parts)} parts" if len(parts) > 1 else ""
        return PairResult("yes" if best.yes else "no", note + cut, tokens, bool(cut))


@dataclass(frozen=True, slots=True)
class _Output:
    """What the model gave for a part of the document of a pair."""

    share: float = 0.0
    yes: bool = False
    reply: str = ""


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
        Code.WRONG_MODEL,
        f"none of its labels means entailment: {', '.join(labels) or 'it has none'}",
        "Name the label that does (nli:DIR,entailment=LABEL), or another model.",
    )


Pair = tuple[str, str]


@dataclass(frozen=True, slots=True)
class PairResult:
    """A model's output for a pair: a word, a text or a number; None with the reason in ``note``.

    ``tokens`` is the number of tokens read; ``cut`` whether a text was too long and lost its end.
    """

    value: str | float | None
    note: str = ""
    tokens: int = 0
    cut: bool = False


# Results by the position of their pair.
PairResults = list[tuple[int, PairResult]]


class PairModel(Protocol):
    """A model of two texts. Nothing is loaded before the first pair is read."""

    def identity(self) -> Mapping[str, str]:
        """Everything about the model that can change its results."""

    def read(self, pairs: Sequence[Pair]) -> Iterator[PairResults]:
        """A result for each pair, batch by batch, in any order.

        Raises DataError where the model can't be loaded, JudgeError where it can't be run.
        """


@dataclass(frozen=True, slots=True)
class Encoded:
    """A pair, or a part of one, as tokens: the model's inputs for one row, and a note on what was cut from it.

    ``row`` is None where it can't be read at all; the note then says why.
    """

    row: Mapping[str, Any] | None
    note: str = ""

    @property
    def tokens(self) -> int:
        return len(self.row["input_ids"]) if self.row else 0


Part = TypeVar("Part", bound=Encoded)
Out = TypeVar("Out")


def read_batches(
    pairs: Sequence[Sequence[Part]],
    compute: Callable[[Sequence[Part]], Sequence[Out]],
    result: Callable[[int, Sequence[Part], Sequence[Out]], PairResult],
    rows: int,
) -> Iterator[PairResults]:
    """Results of all pairs, each given by its parts, which are computed with others of like length.

    ``result`` makes a pair's result of its parts and what was computed for each of them; a pair with a part that
    can't be read has that part's note for its result.
    """
    unreadable = {
        n: PairResult(None, one.note)
        for n, parts in enumerate(pairs)
        for one in parts
        if not one.row
    }
    if unreadable:
        yield list(unreadable.items())
    places = [(n, k) for n, own in enumerate(pairs) if n not in unreadable for k in range(len(own))]
    left = Counter(n for n, _ in places)
    found: dict[tuple[int, int], Out] = {}
    for batch in batches_by_length([pairs[n][k].tokens for n, k in places], rows):
        chosen = [places[place] for place in batch]
        found |= zip(chosen, compute([pairs[n][k] for n, k in chosen]), strict=True)
        left.subtract(n for n, _ in chosen)
        ended = [n for n in dict.fromkeys(n for n, _ in chosen) if not left[n]]
        outputs = {n: [found.pop((n, k)) for k in range(len(pairs[n]))] for n in ended}
        yield [(n, result(n, pairs[n], outputs[n])) for n in ended]


NOT_A_NUMBER = PairResult(None, "the model gave no number (NaN): try dtype=float32 or bfloat16")
