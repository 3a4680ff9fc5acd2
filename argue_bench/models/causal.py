"""A causal chat model on disk, as the `Transport` of ``local:DIR``.

Prompts of like length run together, in the model's chat template, padded on the left. Decoding is greedy
unless a temperature is named; then the draws of a batch come from the seed and its prompts. A prompt is never
cut: one that is too long fails.
Special tokens ("<|im_end|>") in a message are broken up, so that no text can end its turn and speak as
another role.
"""

from __future__ import annotations

import asyncio
import hashlib
import re
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from argue_bench.errors import Code
from argue_bench.models.folder import (
    FiniteRows,
    Forms,
    ModelLock,
    batches_by_length,
    find_model,
    first_line,
    inference,
    load_model,
    load_tokenizer,
    pad_rows,
    read_spec,
    require_neural,
    set_greedy,
    token_limit,
)
from argue_bench.models.transport import ChatRequest, Completion, Message
from argue_bench.records import Failed
from argue_bench.records.display import is_text

# The most tokens of prompt and reply together, for a model without a limit.
TOKENS = 8192

_Batch = list[tuple[ChatRequest, Completion | Failed]]


@dataclass(frozen=True, slots=True)
class _Prompt:
    """A request as text in the chat template, and as the model's inputs for one row."""

    request: ChatRequest
    text: str
    row: Mapping[str, Any]


# Options beside those of every model on disk.
SAMPLING: Forms = {
    "temperature": (r"[0-2]\.?|[01]?\.[0-9]+|2\.0+", "a number from 0 to 2"),
    "top_p": (r"0?\.[0-9]*[1-9][0-9]*|1(\.0*)?", "a number above 0, at most 1"),
    "seed": ("[0-9]{1,9}", "a whole number from 0 up"),
}


class CausalModel:
    """A chat model on disk: ``DIR`` or ``DIR,dtype=bfloat16,temperature=0.7,top_p=0.9,seed=1``.

    Options also: device, batch, tokens. Raises UsageError, UnknownName, MissingExtra or DataError (no
    weights, no chat template). Weights are loaded for the first prompt.
    """

    loads = True

    def __init__(self, spec: str) -> None:
        self._spec = spec
        name, settings, options = read_spec(spec, SAMPLING)
        require_neural("a local model")
        self._folder = find_model(name, "local")
        self._settings = settings
        self._temperature, self._top_p, self._seed = (
            float(options.get(name, usual))
            for name, usual in (("temperature", 0), ("top_p", 1), ("seed", 0))
        )
        self.name = f"local:{self._folder.name}"
        self.batch = 8 * settings.batch
        self._tokenizer = load_tokenizer(self._folder)
        self._tokenizer.padding_side = "left"
        self._most = token_limit(self._folder, self._tokenizer, settings, TOKENS)
        self._takes_system = self._try_template()
        self._marks = _marks(self._tokenizer)
        self._lock = ModelLock()

    def __reduce__(self) -> tuple[Any, ...]:
        # Another process loads the model itself.
        return CausalModel, (self._spec,)

    def identity(self) -> Mapping[str, str]:
        drawn = f"temperature-{self._temperature:g},top-p-{self._top_p:g},seed-{self._seed:.0f}"
        return {
            **self._folder.identity(self._settings),
            "tokens": str(self._most),
            "decoding": drawn if self._temperature else "greedy",
            "system": "system" if self._takes_system else "user",
        }

    @cached_property
    def _model(self) -> Any:
        from transformers import AutoModelForCausalLM

        model = set_greedy(load_model(self._folder, AutoModelForCausalLM, self._settings))
        if model.generation_config.eos_token_id is None:
            model.generation_config.eos_token_id = self._tokenizer.eos_token_id
        return model

    async def complete(
        self, requests: Sequence[ChatRequest]
    ) -> AsyncIterator[tuple[ChatRequest, Completion | Failed]]:
        """Replies as their batches end; the event loop stays free."""
        async with self._lock.held():
            batches = self._batches(requests)
            while (batch := await asyncio.to_thread(next, batches, None)) is not None:
                for request, reply in batch:
                    yield request, reply

    def _batches(self, requests: Sequence[ChatRequest]) -> Iterator[_Batch]:
        # The limit is set for a whole batch, so only requests with the same one run together.
        ready: dict[int, list[_Prompt]] = {}
        refused: _Batch = []
        for request in requests:
            text = self.prompt(request.messages)
            if not is_text(text):
                refused.append((request, Failed("a message holds half of a surrogate pair")))
                continue
            row = dict(self._tokenizer(text, add_special_tokens=False, verbose=False))
            row.pop("token_type_ids", None)
            if (size := len(row["input_ids"])) + request.max_tokens > self._most:
                reason = (
                    f"the prompt has {size} tokens, which with {request.max_tokens} new ones is more "
                    f"than the {self._most} of {self.name}"
                )
                refused.append((request, Failed(reason, prompt=text)))
            else:
                ready.setdefault(request.max_tokens, []).append(_Prompt(request, text, row))
        if refused:
            yield refused
        for prompts in ready.values():
            sizes = [len(one.row["input_ids"]) for one in prompts]
            for places in batches_by_length(sizes, self._settings.batch):
                yield self._replies([prompts[place] for place in places])

    def prompt(self, messages: Sequence[Message]) -> str:
        """The conversation in the model's chat template, up to the beginning of its reply."""
        turns = [
            # A blank inside every special token, so that no text can end its turn.
            {"role": m.role, "content": self._marks.sub(lambda t: f"{t[0][:1]} {t[0][1:]}", m.text)}
            for m in messages
        ]
        if not self._takes_system:
            turns = _without_system(turns)
        try:
            return str(self._template(turns))
        except Exception as error:  # a template may raise any exception
            raise self._folder.wrong(
                Code.WRONG_MODEL,
                f"its chat template refuses this conversation: {first_line(error)}",
            ) from None

    def _template(self, turns: list[dict[str, str]]) -> Any:
        return self._tokenizer.apply_chat_template(
            turns, tokenize=False, add_generation_prompt=True
        )

    def _try_template(self) -> bool:
        """Whether the template accepts a system message. Raises DataError without a template."""
        if not self._tokenizer.chat_template:
            raise self._folder.wrong(
                Code.WRONG_MODEL,
                "the model has no chat template: it was not trained to converse",
                "Name an instruction-tuned model.",
            )
        system = {"role": "system", "content": "a1b2"}
        user = {"role": "user", "content": "c3d4"}
        try:
            return "a1b2" in str(self._template([system, user]))
        except Exception:  # templates refuse by raising any exception
            return False

    def _replies(self, prompts: Sequence[_Prompt]) -> _Batch:
        import torch

        model, finite = self._model, FiniteRows()
        more: dict[str, Any] = {"do_sample": False}
        if self._temperature:
            more = {
                "do_sample": True,
                "temperature": self._temperature,
                "top_p": self._top_p,
                "top_k": 0,
            }
        with inference(self.name), torch.random.fork_rng():
            texts = "\0".join(one.text for one in prompts)
            digest = hashlib.sha256(f"{self._seed}\0{texts}".encode()).digest()
            torch.manual_seed(int.from_bytes(digest[:7]))
            batch = pad_rows(self._tokenizer, [one.row for one in prompts], model.device)
            start = batch["input_ids"].shape[1]
            out = model.generate(
                **batch,
                max_new_tokens=prompts[0].request.max_tokens,
                num_beams=1,
                logits_processor=[finite],
                **more,
            )[:, start:].tolist()
        return [
            (one.request, self._completion(one, new, good))
            for one, new, good in zip(prompts, out, finite.rows, strict=True)
        ]

    def _completion(self, prompt: _Prompt, new: list[int], good: bool) -> Completion | Failed:
        if not good:
            return Failed("the model gave no number (NaN): try dtype=float32 or bfloat16")
        length = next((n for n, token in enumerate(new) if token in self._ends), len(new))
        ended = length < len(new)
        raw = self._tokenizer.decode(new[:length], skip_special_tokens=True)
        return Completion(
            raw,
            len(prompt.row["input_ids"]),
            length + ended,
            "stop" if ended else "length",
            sent=prompt.text,
            raw=raw,
        )

    @cached_property
    def _ends(self) -> frozenset[int]:
        """The tokens that end a reply."""
        ends = self._model.generation_config.eos_token_id
        return frozenset(ends if isinstance(ends, list) else [] if ends is None else [ends])


def _marks(tokenizer: Any) -> re.Pattern[str]:
    """A pattern of a tokenizer's special tokens, the longest first."""
    added = {str(token) for token in tokenizer.added_tokens_decoder.values() if token.special}
    marks = sorted(added | set(tokenizer.all_special_tokens), key=lambda mark: (-len(mark), mark))
    return re.compile("|".join(map(re.escape, marks)))


def _without_system(turns: list[dict[str, str]]) -> list[dict[str, str]]:
    """The turns with system messages put before the first of the user, for templates without that role."""
    rest = [turn for turn in turns if turn["role"] != "system"]
    system = [turn for turn in turns if turn["role"] == "system"]
    first = [turn["content"] for turn in (*system, *rest[:1])]
    return [{"role": "user", "content": "\n\n".join(first)}, *rest[1:]]
