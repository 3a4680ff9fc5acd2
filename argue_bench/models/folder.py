"""Model folders: found by path or in the local Hugging Face cache, checked, fingerprinted.

A model is a folder as ``save_pretrained`` writes it, or the name of one in the cache or in `fetched.toml`.
Reading one downloads nothing: a model of 45 GB is fetched on purpose, by ``judge get`` or ``hf download NAME``.
"""

from __future__ import annotations

import asyncio
import fnmatch
import hashlib
import json
import os
import re
import shutil
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, cast, get_args
from weakref import WeakKeyDictionary

from argue_bench.errors import (
    Code,
    DataError,
    JudgeError,
    MissingExtra,
    UnknownName,
    UsageError,
    needing,
)
from argue_bench.records.digests import file_sha256
from argue_bench.records.untrusted import Limits, read_json

# Loads a model from a folder: weights, device, tokenizer, batches, one caller at a time.
#
# A checkpoint that lacks a weight of the task (a base model without its head) is refused: transformers
# would fill it at random and go on.

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

    def held(self) -> asyncio.Lock:
        """The lock of this event loop: whoever holds it uses the model alone."""
        return self._locks.setdefault(asyncio.get_running_loop(), asyncio.Lock())


# Published models that are fetched by name, once, and held to the digests of that fetch.
#
# `fetched.toml` lists them. The first fetch of a model whose digests nobody published trusts what the hub serves
# and records it beside the files; from then on every fetch and check is held to the record. Weights and texts are
# fetched, code never.

_RECORD = "fetched.json"
# Of published models, whose folders hold no other .bin that is wanted.
_FETCHED_WEIGHTS = ("*.safetensors", "pytorch_model*.bin")
_OF_TOKENIZER = ("tokenizer*", "special_tokens_map.json", "spiece.model")
# A model is at most so many times as large as the table says: half-size copies in other forms lie beside some.
_MOST_TIMES = 2


@dataclass(frozen=True)
class FetchedModel:
    """A row of the table. ``files`` are digests by path, ``seconds`` those of 400 tokens on one core."""

    repository: str
    licence: str
    gigabytes: float
    seconds: float
    figure: str
    tokenizer: str = ""
    revision: str = ""
    files: Mapping[str, str] = field(default_factory=dict)


@cache
def fetched_models() -> dict[str, FetchedModel]:
    """The models of the table, by the name that `judge get` and ``--judge`` take."""
    text = Path(__file__).with_name("fetched.toml").read_text(encoding="utf-8")
    return {name: FetchedModel(**row) for name, row in tomllib.loads(text).items()}


def fetched_folder(name: str) -> Path:
    """Where the model of this name lies once it is fetched."""
    from argue_bench.store.fetch import cache_folder

    return cache_folder() / "models" / name


def fetch_model(name: str) -> tuple[Path, dict[str, Any], bool]:
    """The folder of a model, its record (repository, revision, digests), and whether it was fetched just now.

    A model that is there is read whole and held to its record. Raises UnknownName, MissingExtra, and DataError
    where the hub cannot be reached or serves other files than were published or fetched before.
    """
    if name not in fetched_models():
        raise UnknownName("published model", name, tuple(fetched_models()))
    model, folder = fetched_models()[name], fetched_folder(name)
    record = read_json(folder / _RECORD) if (folder / _RECORD).is_file() else {}
    if record and _digests(folder) == record["files"]:
        return folder, record, False
    beside = folder.with_name(f".{name}.{os.getpid()}.part")
    try:
        revision = _download(model, record.get("revision") or model.revision, beside)
        found = _digests(beside)
        for path, digest in {**record.get("files", {}), **model.files}.items():
            if found.get(path) != digest:
                raise DataError.of(
                    Code.OTHER_DIGEST,
                    f"{path} of {name} has another digest, {found.get(path, 'none: it is not there')}",
                    model.repository,
                    hint=f"Expected is {digest}. If its publisher changed it on purpose, remove {folder}.",
                )
        record = {"repository": model.repository, "revision": revision, "files": found}
        (beside / _RECORD).write_text(f"{json.dumps(record, indent=1)}\n", encoding="utf-8")
        shutil.rmtree(folder, ignore_errors=True)
        os.replace(beside, folder)
    finally:
        shutil.rmtree(beside, ignore_errors=True)
    return folder, record, True


def _download(model: FetchedModel, revision: str, folder: Path) -> str:
    """Puts the files into the folder and returns the revision that they are of."""
    with needing("fetching a model", "neural"):
        import httpx
        from huggingface_hub import HfApi
    api = HfApi()
    place = f"https://huggingface.co/{model.repository}"
    try:
        about = api.model_info(model.repository, revision=revision or None, files_metadata=True)
        sizes = {one.rfilename: one.size or 0 for one in about.siblings or ()}
        # The weights in the first form that is there: others are copies.
        weights = next(filter(None, (fnmatch.filter(sizes, form) for form in _FETCHED_WEIGHTS)), [])
        texts = [path for form in _TEXTS for path in fnmatch.filter(sizes, form)]
        chosen = [path for path in (*weights, *texts) if "/" not in path]
        if sum(sizes[path] for path in chosen) > _MOST_TIMES * model.gigabytes * 1e9:
            why = f"its files are more than {_MOST_TIMES} x {model.gigabytes} GB, the size of the model"
            raise DataError.of(Code.TOO_LARGE, why, place)
        wanted = [(model.repository, about.sha, chosen)]
        if model.tokenizer:
            wanted.append((model.tokenizer, None, list(_OF_TOKENIZER)))
        for repository, commit, patterns in wanted:
            api.snapshot_download(
                repository, revision=commit, local_dir=folder, allow_patterns=patterns
            )
    except (OSError, ValueError, httpx.HTTPError) as error:
        # Faults of the disk and of the hub, refused names, faults of the connection.
        reason = f"{type(error).__name__}: {str(error).partition(chr(10))[0]:.200}"
        raise DataError.of(
            Code.NOT_FETCHED,
            f"the model could not be fetched: {reason}",
            place,
            hint="Try where there is a network and HF_HUB_OFFLINE is not set, or fetch it by other means and name "
            "its folder: nli:DIR.",
        ) from None
    shutil.rmtree(folder / ".cache", ignore_errors=True)  # the client's own notes
    return str(about.sha)


def _digests(folder: Path) -> dict[str, str]:
    """The SHA-256 of the files of a folder, without the record."""
    files = (path for path in sorted(folder.iterdir()) if path.is_file() and path.name != _RECORD)
    return {path.name: file_sha256(path) for path in files}


Dtype = Literal["float32", "bfloat16", "float16"]
Forms = Mapping[str, tuple[str, str]]
Options = dict[str, str]
_COUNT = ("0*[1-9][0-9]{0,8}", "a number from 1 up")
# Options of every model on disk.
SETTINGS: Forms = {
    "dtype": ("|".join(get_args(Dtype)), " or ".join(get_args(Dtype))),
    "device": (".+", "a device as torch names it"),
    "batch": _COUNT,
    "tokens": _COUNT,
}

_WEIGHTS = ("*.safetensors", "*.bin")
_TEXTS = ("*.json", "*.jinja", "*.txt", "*.model")
_NOT_WEIGHTS = frozenset({"training_args.bin", "optimizer.bin", "scheduler.bin"})
# 16 MB: `fingerprint` says what is read of a larger file, and why.
_READ_WHOLE = 1 << 24
_PIECES, _PIECE_BYTES = 64, 1 << 16
_CONFIG_LIMITS = Limits(file_bytes=1 << 20, line_bytes=1 << 20)


@dataclass(frozen=True)
class ModelSettings:
    """Settings of a run of a model. ``dtype`` changes its numbers; device and batch only their rounding."""

    dtype: Dtype = "float32"
    # As torch names it (``cpu``, ``cuda:1``); empty for a GPU where there is one, else the CPU.
    device: str = ""
    batch: int = 32
    # The most tokens to read at once; 0 for the model's own limit.
    tokens: int = 0


def read_options(text: str, forms: Forms) -> tuple[str, dict[str, str]]:
    """The part of a spec before its options ``,name=value``, and the options.

    ``forms``: by name the form of a value, as an expression and in words. Raises UsageError for another value,
    UnknownName for another option.
    """
    parts = text.split(",")
    given: dict[str, str] = {}
    # From the end: the name of a model may hold commas too.
    while len(parts) > 1 and "=" in parts[-1]:
        name, _, value = map(str.strip, parts.pop().partition("="))
        if name not in forms:
            raise UnknownName("option of a judge", name, tuple(forms))
        if name in given:
            raise UsageError(f"{name} was given twice in {text!r}")
        if not re.fullmatch(forms[name][0], value):
            raise UsageError(f"{name}={value}: expected {forms[name][1]}")
        given[name] = value
    return ",".join(parts), given


def read_spec(text: str, more: Forms = MappingProxyType({})) -> tuple[str, ModelSettings, Options]:
    """``MODEL,dtype=bfloat16,batch=8`` as the model, the settings, and options of the forms in ``more``.

    Raises what `read_options` raises.
    """
    name, given = read_options(text, {**SETTINGS, **more})
    numbers = {name: int(given[name]) for name in ("batch", "tokens") if name in given}
    dtype = cast(Dtype, given.get("dtype", "float32"))
    settings = ModelSettings(dtype, given.get("device", ""), **numbers)
    return name, settings, {name: given[name] for name in given if name in more}


def require_neural(feature: str) -> None:
    """Raises MissingExtra where torch or transformers is not installed."""
    if find_spec("torch") is None or find_spec("transformers") is None:
        raise MissingExtra(feature, "neural")


@dataclass(frozen=True)
class ModelFolder:
    """A model on disk. ``name``, which signatures contain, has no parent folders."""

    path: Path
    name: str
    config: Mapping[str, Any]

    @property
    def architecture(self) -> str:
        """The class that wrote it, such as BertForSequenceClassification; empty if not stated."""
        named = self.config.get("architectures")
        return str(named[0]) if isinstance(named, list) and named else ""

    @property
    def kind(self) -> str:
        """``model_type``: bert, t5, ..."""
        return str(self.config.get("model_type", ""))

    def identity(self, settings: ModelSettings) -> dict[str, str]:
        """Name, fingerprint of configuration, tokenizer and weights, and dtype."""
        files = [*weight_files(self.path), *_matching(self.path, _TEXTS)]
        return {"model": self.name, "weights": fingerprint(files), "dtype": settings.dtype}

    def wrong(self, code: Code, message: str, hint: str = "") -> DataError:
        """An error that names this folder."""
        return DataError.of(code, message, self.path, hint=hint)


def fingerprint(files: Iterable[Path]) -> str:
    """16 hexadecimal digits for the names and contents of files.

    Of a file above 16 MB, 64 pieces spread over it are read: training changes all weights, and 45 GB
    would take minutes.
    """
    sha = hashlib.sha256()
    for path in sorted(files):
        size = path.stat().st_size
        sha.update(f"{path.name} {size}\n".encode())
        with path.open("rb") as file:
            if size <= _READ_WHOLE:
                sha.update(file.read())
                continue
            for piece in range(_PIECES):
                file.seek(piece * (size - _PIECE_BYTES) // (_PIECES - 1))
                sha.update(file.read(_PIECE_BYTES))
    return sha.hexdigest()[:16]


def weight_files(path: Path) -> list[Path]:
    """The files that hold a folder's weights: safetensors, else torch's own."""
    for pattern in _WEIGHTS:
        if found := [p for p in _matching(path, (pattern,)) if p.name not in _NOT_WEIGHTS]:
            return found
    return []


def find_model(spec: str, prefix: str) -> ModelFolder:
    """The model with this path or name. ``prefix`` begins its specs, for messages: "nli", "local".

    Raises UsageError without a name, and DataError where the folder, its configuration or its weights
    are missing or damaged, with the model to fetch.
    """
    if not spec.strip():
        raise UsageError(f"{prefix}:MODEL wants a model: a folder, or a name in the local cache")
    given = Path(spec).expanduser()
    path = given if given.is_dir() else _cached(spec, prefix)
    name = given.resolve().name if given.is_dir() else spec
    if not (path / "config.json").is_file():
        raise DataError.of(
            Code.MODEL_FILES,
            "the folder has no config.json, so it is not a model",
            path,
            hint="Name the folder that save_pretrained or hf download wrote.",
        )
    config = read_json(path / "config.json", _CONFIG_LIMITS)
    if not isinstance(config, dict):
        raise DataError.of(
            Code.MODEL_FILES, "this is not a model configuration", path / "config.json"
        )
    folder = ModelFolder(path, name, config)
    if not weight_files(path):
        raise folder.wrong(
            Code.MODEL_FILES,
            "the model folder has no weights (*.safetensors or *.bin)",
            _fetch_hint(prefix),
        )
    return folder


def _cached(spec: str, prefix: str) -> Path:
    """The folder of this name among those that were fetched, or in the local Hugging Face cache."""
    if spec in fetched_models():
        if (found := fetched_folder(spec)).is_dir():
            return found
        raise DataError.of(
            Code.MODEL_FILES,
            "this published model is not here yet",
            spec,
            hint=f"Fetch it: argue-bench judge get {spec} ({fetched_models()[spec].gigabytes:g} GB).",
        )
    require_neural(f"the model {spec}")
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HFValidationError, LocalEntryNotFoundError

    try:
        return Path(snapshot_download(spec, local_files_only=True))
    except (LocalEntryNotFoundError, HFValidationError, OSError):
        raise DataError.of(
            Code.MODEL_FILES,
            "no model folder has this name, and the local Hugging Face cache lacks it",
            spec,
            hint=_fetch_hint(prefix),
        ) from None


def _fetch_hint(prefix: str) -> str:
    return (
        "Fetch it where there is a network (hf download NAME --local-dir DIR), then name it "
        f"{prefix}:DIR."
    )


def _matching(path: Path, patterns: Iterable[str]) -> list[Path]:
    return [file for pattern in patterns for file in path.glob(pattern) if file.is_file()]
