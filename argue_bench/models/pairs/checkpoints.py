"""Published models that check claims against documents, by name, each with its own form of input.

Each reads a document in chunks of whole sentences beside the claim, and gives a probability of support for each; the
largest is the document's, yes above one half. Forms, sizes and thresholds are those of the programs that were
published with the models:

minicheck-roberta-large, minicheck-deberta-v3-large   chunks of 400 tokens, the tokenizer's end mark, the claim
minicheck-flan-t5-large   chunks of 500 words behind "predict: "; the first token, of the two that mean no and yes
                          (MiniCheck, Tang et al. 2024, arXiv 2404.10774)
factcg-deberta-v3-large   chunks of 550 words in an instruction (FactCG, Lei et al. 2025, arXiv 2501.17144)
hhem-2.1-open             the whole document in a prompt; a head on the encoder's first token (Vectara)
alignscore-base, alignscore-large   as many sentences as make chunks of some 350 words, each beside each sentence of the
                          claim; the mean over those sentences (AlignScore, Zha et al. 2023, arXiv 2305.16739)
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from statistics import fmean
from typing import Any, Literal

from argue_bench.models.folder import ModelFolder, ModelSettings, fingerprint
from argue_bench.models.loading import (
    batches_by_length,
    inference,
    load_checkpoint,
    load_model,
    load_tokenizer,
    pad_rows,
)
from argue_bench.models.pairs import (
    NOT_A_NUMBER,
    Encoded,
    Pair,
    PairResult,
    PairResults,
    cut_note,
)
from argue_bench.text import sentences

THRESHOLD = 0.5
_WORD = re.compile(r"\w+|[^\w\s]")
_FIRST_TOKENS = (3, 209)
"""Of T5's vocabulary: what MiniCheck's Flan-T5 writes first for no and for yes."""
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
"""HHEM's config.json names its foundation and holds none of this."""


_ALIGNSCORE = {
    r"^base_model\.pooler\.dense\.": "classifier.dense.",
    r"^tri_layer\.": "classifier.out_proj.",
    r"^base_model\.": "roberta.",
}
"""Its weights by the names of the same computation in transformers: RoBERTa's pooler, then its head of three classes."""


@dataclass(frozen=True)
class Form:
    """How a checkpoint reads a pair. ``[END]`` and ``[PAD]`` in ``template`` are marks of its tokenizer.

    ``chunk`` counts ``unit``; 0 for the whole document. ``joined``: what stands between sentences of a line.
    ``most``: the tokens that it reads at once. ``even``: all chunks have as many sentences.
    ``by_sentence``: each sentence of the claim is read by itself, and the mean of their shares counts.
    """

    head: Literal["classifier", "first-token", "encoder", "three-way"]
    template: str
    chunk: int
    unit: Literal["tokens", "words", "words and marks"]
    most: int
    joined: str = " "
    even: bool = False
    by_sentence: bool = False


_INSTRUCTION = (
    "{document}\n\nChoose your answer: based on the paragraph above can we conclude that "
    '"{claim}"?\n\nOPTIONS:\n- Yes\n- No\nI think the answer is '
)
_HHEM = (
    "[PAD] Determine if the hypothesis is true given the premise?\n\n"
    "Premise: {document}\n\nHypothesis: {claim}"
)
_BESIDE = "{document}[END]{claim}"
FORMS: dict[str, Form] = {
    "minicheck-roberta-large": Form("classifier", _BESIDE, 400, "tokens", 512),
    "minicheck-deberta-v3-large": Form("classifier", _BESIDE, 400, "tokens", 2048),
    "minicheck-flan-t5-large": Form("first-token", f"predict: {_BESIDE}", 500, "words", 2048),
    "factcg-deberta-v3-large": Form(
        "classifier", _INSTRUCTION, 550, "words and marks", 2048, joined="\n"
    ),
    "hhem-2.1-open": Form("encoder", _HHEM, 0, "words", 2048),
    **dict.fromkeys(
        ("alignscore-base", "alignscore-large"),
        Form(
            "three-way",
            "{document}[END][END]{claim}",
            350,
            "words",
            512,
            even=True,
            by_sentence=True,
        ),
    ),
}
_OTHER_NAMES = {"hallucination_evaluation_model": "hhem-2.1-open"}


def form_of(name: str) -> str:
    """The form of a model of this name, with or without who published it; empty for any other."""
    last = name.rsplit("/", 1)[-1].lower()
    found = _OTHER_NAMES.get(last, last)
    return found if found in FORMS else ""


class ClaimChecker:
    """One of these checkpoints on disk, as a `PairModel` of (document, claim).

    Raises DataError where its tokenizer can't be read.
    """

    def __init__(self, folder: ModelFolder, settings: ModelSettings, name: str) -> None:
        self._folder, self._settings, self._name = folder, settings, name
        self._form = FORMS[name]
        self._tokenizer = load_tokenizer(folder)
        self._most = settings.tokens or self._form.most
        marks = self._tokenizer("")["input_ids"]
        self._first, self._last = marks[:-1], marks[-1:]

    def identity(self) -> Mapping[str, str]:
        form, own = self._form, self._checkpoint
        return {
            **self._folder.identity(self._settings),
            **({"weights": fingerprint([own])} if own else {}),
            "tokens": str(self._most),
            "input": self._name,
            "chunk": f"{form.chunk} {form.unit}" if form.chunk else "none",
            "threshold": f"{THRESHOLD:g}",
        }

    def read(self, pairs: Sequence[Pair]) -> Iterator[PairResults]:
        """The results of pairs whose parts have all been read, batch by batch."""
        rows: list[_Part] = []
        for place, (document, claim) in enumerate(pairs):
            claims = self._claims(claim)
            chunks = self.chunks(document)
            rows += [
                _Part(place, number, self._encoded(chunk, one))
                for number, one in enumerate(claims)
                for chunk in chunks
            ]
        found: dict[int, list[tuple[_Part, float | None]]] = {n: [] for n in range(len(pairs))}
        left = Counter(one.place for one in rows)
        yield self._noted(found, left, [(one, None) for one in rows if not one.encoded.row])
        readable = [one for one in rows if one.encoded.row]
        lengths = [one.encoded.tokens for one in readable]
        for batch in batches_by_length(lengths, self._settings.batch):
            chosen = [readable[number] for number in batch]
            shares = self._shares([one.encoded for one in chosen])
            yield self._noted(found, left, list(zip(chosen, shares, strict=True)))

    def _claims(self, claim: str) -> list[str]:
        return (sentences(claim) if self._form.by_sentence else []) or [claim]

    def chunks(self, document: str) -> list[str]:
        """The document in parts of whole sentences; a sentence that is longer is a part of its own."""
        if not self._form.chunk:
            return [document]
        if self._form.even:
            whole = sentences(document) or [document]
            size = max(len(whole) // (len(document.split()) // self._form.chunk + 1), 1)
            return [" ".join(whole[n : n + size]) for n in range(0, len(whole), size)]
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
        if self._form.unit == "words":
            return len(sentence.split())
        return len(_WORD.findall(sentence))

    def _ids(self, text: str) -> list[int]:
        """Tokens of a text. Words like "</s>" in it are read as words."""
        given = {"add_special_tokens": False, "split_special_tokens": True, "verbose": False}
        found: list[int] = self._tokenizer(text, **given)["input_ids"]
        return found

    def _row(self, document: str, claim: str) -> list[int]:
        ids: list[int] = [*self._first]
        filled = {"document": document, "claim": claim}
        for number, part in enumerate(re.split(r"(\[END\]|\[PAD\])", self._form.template)):
            if number % 2:
                end = part == "[END]"
                ids.append(self._tokenizer.eos_token_id if end else self._tokenizer.pad_token_id)
            elif part:
                ids += self._ids(re.sub(r"\{(\w+)\}", lambda match: filled[match[1]], part))
        return [*ids, *self._last]

    def _encoded(self, document: str, claim: str) -> Encoded:
        row = self._row(document, claim)
        if len(row) > self._most:
            given = {"add_special_tokens": False, "return_offsets_mapping": True, "verbose": False}
            ends = self._tokenizer(document, split_special_tokens=True, **given)["offset_mapping"]
            kept = len(ends) - (len(row) - self._most)
            while kept > 0 and len(row) > self._most:
                row = self._row(document[: ends[kept - 1][1]], claim)
                if (over := len(row) - self._most) <= 0:
                    note = cut_note("document", kept, len(ends))
                    return Encoded({"input_ids": row, "attention_mask": [1] * len(row)}, note)
                kept -= over
            return Encoded(None, f"the claim leaves no room for a document in {self._most} tokens")
        return Encoded({"input_ids": row, "attention_mask": [1] * len(row)})

    @property
    def _checkpoint(self) -> Path | None:
        """AlignScore's weights as they were published: what training left, not a folder of transformers."""
        if self._form.head != "three-way":
            return None
        return next(iter(sorted(self._folder.path.glob("*.ckpt"))), None)

    @cached_property
    def _model(self) -> Any:
        import transformers

        head = self._form.head
        if head == "three-way":
            kind = transformers.RobertaForSequenceClassification
            config = transformers.RobertaConfig(**{**self._folder.config, "num_labels": 3})
            given = {"config": config, "key_mapping": _ALIGNSCORE}
            if self._checkpoint is None:
                return load_model(self._folder, kind, self._settings, **given)
            return load_checkpoint(self._folder, self._checkpoint, kind, self._settings, **given)
        if head == "first-token":
            return load_model(self._folder, transformers.AutoModelForSeq2SeqLM, self._settings)
        if head == "classifier":
            kind = transformers.AutoModelForSequenceClassification
            return load_model(self._folder, kind, self._settings)
        named = {key: self._folder.config.get(key, value) for key, value in _FLAN_T5_BASE.items()}
        return load_model(
            self._folder,
            transformers.T5ForTokenClassification,
            self._settings,
            config=transformers.T5Config(**named, num_labels=2),
            key_mapping={r"^t5\.": ""},
        )

    def _shares(self, encoded: Sequence[Encoded]) -> list[float]:
        """The probability that each row is supported; NaN where the model gave no number."""
        import torch

        model = self._model
        with inference(self._folder.name):
            batch = pad_rows(self._tokenizer, [one.row or {} for one in encoded], model.device)
            if self._form.head == "first-token":
                start = torch.zeros((len(encoded), 1), dtype=torch.long, device=model.device)
                logits = model(**batch, decoder_input_ids=start).logits[:, 0, list(_FIRST_TOKENS)]
            elif self._form.head == "encoder":
                logits = model(**batch).logits[:, 0, :]
            else:
                logits = model(**batch).logits
            supported = 0 if self._form.head == "three-way" else 1
            shares: list[float] = logits.float().softmax(-1)[:, supported].tolist()
        return shares

    @staticmethod
    def _noted(
        found: dict[int, list[tuple[_Part, float | None]]],
        left: Counter[int],
        read: Sequence[tuple[_Part, float | None]],
    ) -> PairResults:
        """Notes what was read; the results of those pairs of which it was the last."""
        done: PairResults = []
        for one, share in read:
            found[one.place].append((one, share))
            left[one.place] -= 1
            if not left[one.place]:
                done.append((one.place, _result(found.pop(one.place))))
        return done


@dataclass(frozen=True, slots=True)
class _Part:
    """A chunk of the document of one pair beside its claim, or beside one sentence of it."""

    place: int
    claim: int
    encoded: Encoded


def _result(parts: Sequence[tuple[_Part, float | None]]) -> PairResult:
    tokens = sum(one.encoded.tokens for one, _ in parts)
    if lost := next((one.encoded for one, share in parts if share is None), None):
        return PairResult(None, lost.note, tokens)
    best: dict[int, float] = {}
    for one, share in parts:
        if share is None or share != share:
            return NOT_A_NUMBER
        best[one.claim] = max(share, best.get(one.claim, 0.0))
    mean = fmean(best.values())
    chunks = len(parts) // len(best)
    note = f"supported {mean:.3f}" + (f" in one of {chunks} parts" if chunks > 1 else "")
    if len(best) > 1:
        note += f", the mean of {len(best)} sentences"
    cuts = [one.encoded.note for one, _ in parts if one.encoded.note]
    return PairResult(
        "yes" if mean > THRESHOLD else "no", note + "".join(cuts[:1]), tokens, bool(cuts)
    )
