"""Loads a model from a folder: weights, device, tokenizer, batches, one caller at a time.

A checkpoint that lacks a weight of the task (a base model without its head) is refused: transformers
would fill it at random and go on.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from typing import Any
from weakref import WeakKeyDictionary

from argue_bench.errors import ArgueBenchError, Code, JudgeError, UsageError
from argue_bench.models.folder import ModelFolder, ModelSettings

# Kinds that count positions from after the padding's index, and so read that many tokens less.
_OFFSET_POSITIONS = frozenset(
    [
        "roberta",
        "xlm-roberta",
        "xlm-roberta-xl",
        "roberta-prelayernorm",
        "camembert",
        "longformer",
        "mpnet",
        "data2vec-text",
        "luke",
        "xmod",
        "ibert",
    ]
)
# transformers gives a much larger number for a tokenizer without a limit.
_UNBOUNDED = 1 << 24
_VOCABULARIES = [
    "tokenizer.json",
    "spiece.model",
    "spm.model",
    "sentencepiece.bpe.model",
    "tokenizer.model",
    "vocab.txt",
    "vocab.json",
    "tekken.json",
]
_TOKENIZER_HINT = "Put the tokenizer files of the model into its folder."


@contextmanager
def silence_transformers() -> Iterator[None]:
    """Silences transformers' progress bars and reports; our errors say the same."""
    from transformers.utils import logging

    level, bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity(logging.CRITICAL)
    logging.disable_progress_bar()
    try:
        yield
    finally:
        logging.set_verbosity(level)
        if bars:
            logging.enable_progress_bar()


def torch_device(settings: ModelSettings) -> Any:
    """The torch device of the settings. Raises UsageError for a device that is not available."""
    import torch

    named = settings.device or ("cuda" if torch.cuda.is_available() else "cpu")
    try:
        found = torch.device(named)
        torch.empty(0, device=found)
    except (RuntimeError, AssertionError, NotImplementedError):
        raise UsageError(
            f"device={named} is not available: name one that torch sees, such as cpu or cuda:0"
        ) from None
    return found


def load_tokenizer(folder: ModelFolder) -> Any:
    """The folder's tokenizer. Raises DataError where it can't be read or has no ``tokenizers`` form."""
    from transformers import AutoTokenizer

    if not any((folder.path / name).is_file() for name in _VOCABULARIES):
        # transformers would make an empty one and go on.
        raise folder.wrong(
            Code.MODEL_FILES,
            f"the folder has no tokenizer (none of {', '.join(_VOCABULARIES)})",
            _TOKENIZER_HINT,
        )
    with silence_transformers():
        try:
            tokenizer = AutoTokenizer.from_pretrained(folder.path, local_files_only=True)
        except Exception as error:  # whatever transformers makes of a damaged file
            raise folder.wrong(
                Code.MODEL_FILES,
                f"its tokenizer could not be read: {first_line(error)}",
                _TOKENIZER_HINT,
            ) from None
    if not tokenizer.is_fast:
        raise folder.wrong(
            Code.MODEL_FILES,
            "its tokenizer cannot be turned into a tokenizer.json",
            "Convert it with AutoTokenizer.from_pretrained(...).save_pretrained(DIR).",
        )
    if tokenizer.pad_token_id is None:
        if tokenizer.eos_token_id is None:
            raise folder.wrong(
                Code.WRONG_MODEL, "its tokenizer has neither a padding nor an end token"
            )
        tokenizer.pad_token_id = tokenizer.eos_token_id  # padding is masked, so any token will do
    return tokenizer


def load_model(folder: ModelFolder, model_class: Any, settings: ModelSettings, **more: Any) -> Any:
    """The model in eval mode on its device, by ``model_class.from_pretrained``.

    ``more`` is handed on (``config``, ``key_mapping``). Raises DataError where weights are missing, of
    another shape or damaged.
    """
    import torch

    place, dtype = torch_device(settings), getattr(torch, settings.dtype)
    with silence_transformers():
        try:
            model, report = model_class.from_pretrained(
                folder.path, local_files_only=True, output_loading_info=True, dtype=dtype, **more
            )
        except Exception as error:  # whatever transformers makes of a damaged file
            raise folder.wrong(
                Code.MODEL_FILES, f"the model could not be loaded: {first_line(error)}"
            ) from None
    lacking = sorted(report["missing_keys"])
    if lacking or report["mismatched_keys"] or report["error_msgs"]:
        which = lacking or [str(key) for key in report["mismatched_keys"] or report["error_msgs"]]
        raise folder.wrong(
            Code.MODEL_FILES,
            f"{len(which)} of its weights are missing or of another shape: "
            f"{', '.join(which[:4])}{', ...' if len(which) > 4 else ''}",
            f"Name a model that was trained for the task; this one is {folder.architecture}.",
        )
    return model.eval().to(place)


def token_limit(
    folder: ModelFolder, tokenizer: Any, settings: ModelSettings, otherwise: int
) -> int:
    """The most tokens that the model reads at once: the option, else the model's own limit.

    ``otherwise`` is for models without a limit.
    """
    if settings.tokens:
        return settings.tokens
    limits = []
    if tokenizer.model_max_length < _UNBOUNDED:
        limits.append(int(tokenizer.model_max_length))
    positions = folder.config.get("max_position_embeddings")
    if isinstance(positions, int) and positions > 0:
        padding = folder.config.get("pad_token_id")
        first = (1 if padding is None else int(padding)) + 1
        limits.append(positions - first if folder.kind in _OFFSET_POSITIONS else positions)
    return min(limits, default=otherwise)


def batches_by_length(
    lengths: Sequence[int], rows: int, tokens: int = 16_384
) -> Iterator[list[int]]:
    """Indices in batches of like length, the longest first.

    A batch has at most ``rows`` rows, and at most ``tokens`` tokens when padded, but one row at least.
    """
    batch: list[int] = []
    for index in sorted(range(len(lengths)), key=lambda i: -lengths[i]):
        if batch and (len(batch) == rows or lengths[batch[0]] * (len(batch) + 1) > tokens):
            yield batch
            batch = []
        batch.append(index)
    if batch:
        yield batch


@contextmanager
def inference(name: str) -> Iterator[None]:
    """The context of a computation: no gradients, and torch's errors as a JudgeError."""
    import torch

    with torch.inference_mode(), silence_transformers():
        try:
            yield
        except ArgueBenchError:
            raise
        except torch.OutOfMemoryError:
            raise JudgeError(
                f"{name}: the device is out of memory. Try a smaller batch=, tokens= or dtype="
            ) from None
        except (RuntimeError, IndexError, ValueError, TypeError) as error:
            raise JudgeError(f"{name} could not be run: {first_line(error)}") from None


def first_line(error: BaseException) -> str:
    """The first line of a library's error, bounded."""
    text = next((line.strip() for line in str(error).splitlines() if line.strip()), "")
    return f"{type(error).__name__}: {text[:300]}" if text else type(error).__name__


def pad_rows(tokenizer: Any, rows: Sequence[Mapping[str, Any]], place: Any) -> dict[str, Any]:
    """Encodings of several lengths as one batch of tensors on a device."""
    batch = tokenizer.pad(
        {name: [row[name] for row in rows] for name in rows[0]}, padding=True, return_tensors="pt"
    )
    return {name: tensor.to(place) for name, tensor in batch.items()}


def set_greedy(model: Any) -> Any:
    """The model without decoding habits of its own (beams, sampling, penalties), its ids kept."""
    from transformers import GenerationConfig

    ids = ("bos_token_id", "eos_token_id", "pad_token_id", "decoder_start_token_id")
    had = model.generation_config
    model.generation_config = GenerationConfig(**{name: getattr(had, name, None) for name in ids})
    return model


class FiniteRows:
    """Notes which rows of a batch have logits that are numbers: ``rows``."""

    def __init__(self) -> None:
        self.rows: list[bool] = []

    def __call__(self, input_ids: Any, scores: Any) -> Any:
        good = (~scores.isnan().any(-1)).tolist()
        self.rows = [a and b for a, b in zip(self.rows or good, good, strict=True)]
        return scores.masked_fill(
            scores.isnan(), 0.0
        )  # a draw among them would end the whole batch


class ModelLock:
    """A lock for each event loop: a model outlives the loops (``asyncio.run``) that use it."""

    def __init__(self) -> None:
        self._locks: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Lock] = (
            WeakKeyDictionary()
        )

    @asynccontextmanager
    async def held(self) -> AsyncIterator[None]:
        """Waits until no other caller in this loop uses the model."""
        async with self._locks.setdefault(asyncio.get_running_loop(), asyncio.Lock()):
            yield
