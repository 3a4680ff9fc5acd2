"""BLEURT (Sellam et al. 2020), as FanOutQA reports it: the metric, the judge ``bleurt:MODEL`` and its models.

The metric is one model's number for how alike the answer, as it was written, and the gold answer as text
are; an unanswered question is compared as an empty text. Its judge must be named.

The model is a regression on the first token of [CLS] reference [SEP] candidate [SEP]; the longer text loses
its last token until both fit. BLEURT-20 is a RemBERT, the older checkpoints are BERTs. As published for
PyTorch (the folders of bleurt-pytorch, model_type "bleurt") their weights have other names, and are renamed
as they are read. A folder with ``bleurt_config.json`` is Google's own checkpoint, which the package
``bleurt`` runs.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import Any, ClassVar

from argue_bench.errors import Code, DataError, MissingExtra, UsageError
from argue_bench.judges.pairs import PairJudge
from argue_bench.metrics.base import Metric, TallySteps
from argue_bench.models.folder import (
    ModelFolder,
    ModelSettings,
    find_model,
    fingerprint,
    first_line,
    inference,
    load_model,
    read_spec,
    require_neural,
)
from argue_bench.models.pairs import (
    NOT_A_NUMBER,
    Encoded,
    Pair,
    PairResult,
    PairResults,
    read_batches,
)
from argue_bench.published.fanoutqa.factuality import reference_text
from argue_bench.records import (
    NOT_APPLICABLE,
    Answer,
    Documents,
    JudgeRequest,
    Question,
    Similar,
    Tally,
)
from argue_bench.records.untrusted import read_json
from argue_bench.stats.averages import Average, macro

# The positions of BERT and RemBERT, on which BLEURT's checkpoints rest.
_TOKENS = 512
_PIECES = ("spm.model", "sent_piece.model", "sentencepiece.model")
Ids = Callable[[str], list[int]]


@dataclass(frozen=True)
class Bleurt(Metric):
    """The similarity of answer and gold answer, by BLEURT."""

    judge: str = ""

    name: ClassVar[str] = "bleurt"
    family: ClassVar[str] = "correctness"
    summary: ClassVar[str] = "how alike are the answer and the gold answer to a model?"
    paper: ClassVar[str] = "Sellam et al. 2020; Zhu et al. 2024 (FanOutQA)"
    scores: ClassVar[Mapping[str, Average]] = {"score": macro("score")}
    ranking: ClassVar[tuple[str, ...]] = ("score",)
    requests: ClassVar[tuple[type[JudgeRequest], ...]] = (Similar,)
    wants_judge: ClassVar[str] = "bleurt:MODEL"

    def tally(self, question: Question, answer: Answer, documents: Documents) -> TallySteps:
        reference = reference_text(question)
        if not reference:
            return {"score": NOT_APPLICABLE}
        request = Similar(reference, answer.text)
        return {"score": Tally(float((yield [request])[request].value))}


def bleurt_judge(spec: str) -> PairJudge:
    """The judge ``bleurt:MODEL``: how alike two texts are (Sellam et al. 2020).

    MODEL is a PyTorch folder, or a checkpoint of Google's with a ``bleurt_config.json``, or named
    ``google:DIR``. Raises UsageError, UnknownName, MissingExtra, and DataError for another folder.
    """
    name, settings, _ = read_spec(spec)
    path = Path(name.removeprefix("google:")).expanduser()
    if name.startswith("google:") or (path / "bleurt_config.json").is_file():
        google = GoogleBleurtModel(str(path), settings)
        return PairJudge(
            f"bleurt:google:{path.resolve().name}", Similar, google, (bleurt_judge, spec)
        )
    require_neural("the judge bleurt")
    folder = find_model(name, "bleurt")
    return PairJudge(
        f"bleurt:{folder.name}", Similar, BleurtModel(folder, settings), (bleurt_judge, spec)
    )


class BleurtModel:
    """A BLEURT checkpoint for PyTorch. Raises DataError where the folder holds something else."""

    def __init__(self, folder: ModelFolder, settings: ModelSettings) -> None:
        if folder.kind not in ("bleurt", "bert", "rembert") or _outputs(folder) != 1:
            raise folder.wrong(
                Code.WRONG_MODEL,
                f"this is a {folder.kind or 'nameless'} model with {_outputs(folder)} outputs, "
                "not a BLEURT checkpoint",
                "Fetch one, such as lucadiliello/BLEURT-20.",
            )
        self._folder, self._settings = folder, settings
        files = [path for name in _PIECES if (path := folder.path / name).is_file()]
        self._ids, self._cls, self._sep = (
            _pieces(folder, files[0]) if files else _word_pieces(folder)
        )
        positions = int(folder.config.get("max_position_embeddings", _TOKENS))
        self._most = min(settings.tokens or positions, positions)

    def identity(self) -> Mapping[str, str]:
        return {**self._folder.identity(self._settings), "tokens": str(self._most)}

    @cached_property
    def _model(self) -> Any:
        import transformers

        config = {**self._folder.config, "num_labels": 1}
        if self._folder.kind == "rembert" or config.get("embedding_size") is not None:
            if "input_embedding_size" not in config:
                config["input_embedding_size"] = config["embedding_size"]
            kind, inner = "RemBert", "rembert"
        else:
            kind, inner = "Bert", "bert"
        renamed = {
            r"^bleurt\.encoder\.embedding_projection\.": f"{inner}.encoder.embedding_hidden_mapping_in.",
            r"^bleurt\.": f"{inner}.",
        }
        for name in ("model_type", "embedding_size", "architectures"):
            config.pop(name, None)
        return load_model(
            self._folder,
            getattr(transformers, f"{kind}ForSequenceClassification"),
            self._settings,
            config=getattr(transformers, f"{kind}Config")(**config),
            key_mapping=renamed,
        )

    def read(self, pairs: Sequence[Pair]) -> Iterator[PairResults]:
        """A number for each (reference, candidate)."""
        return read_batches(
            [[self._encoded(*pair)] for pair in pairs],
            self._readings,
            lambda _, __, came: came[0],
            self._settings.batch,
        )

    def _encoded(self, reference: str, candidate: str) -> Encoded:
        first, second = self._ids(reference), self._ids(candidate)
        whole = len(first) + len(second)
        room = self._most - 3
        while len(first) + len(second) > room:
            (first if len(first) > len(second) else second).pop()
        cut = f"; texts cut from {whole} to {room} tokens" if whole > room else ""
        row = {
            "input_ids": [self._cls, *first, self._sep, *second, self._sep],
            "token_type_ids": [0] * (len(first) + 2) + [1] * (len(second) + 1),
        }
        return Encoded(row, cut)

    def _readings(self, encoded: Sequence[Encoded]) -> list[PairResult]:
        import torch

        model = self._model
        rows = [one.row or {} for one in encoded]
        longest = max(len(row["input_ids"]) for row in rows)
        with inference(self._folder.name):
            batch = {
                name: torch.tensor([row[name] + [0] * (longest - len(row[name])) for row in rows])
                for name in ("input_ids", "token_type_ids")
            }
            batch["attention_mask"] = torch.tensor(
                [[int(n < len(row["input_ids"])) for n in range(longest)] for row in rows]
            )
            batch = {name: tensor.to(model.device) for name, tensor in batch.items()}
            numbers = model(**batch).logits.float().flatten().tolist()
        return [
            PairResult(number, one.note.lstrip("; "), one.tokens, bool(one.note))
            if math.isfinite(number)
            else NOT_A_NUMBER
            for number, one in zip(numbers, encoded, strict=True)
        ]


class GoogleBleurtModel:
    """A TensorFlow checkpoint of Google's, run by their package ``bleurt``.

    Raises DataError where the folder is missing, UsageError where the package is not installed.
    """

    def __init__(self, path: str, settings: ModelSettings) -> None:
        self._path = Path(path).expanduser()
        if not (self._path / "bleurt_config.json").is_file():
            raise DataError.of(
                Code.WRONG_MODEL,
                "this is not a checkpoint of Google's: it has no bleurt_config.json",
                path,
                hint="Unpack one, such as BLEURT-20.zip, and name its folder.",
            )
        if find_spec("bleurt") is None:
            raise UsageError(
                "Google's checkpoints are run by Google's package, which is not installed: pip install "
                "git+https://github.com/google-research/bleurt. The PyTorch form needs no more than "
                "argue-bench[neural]: bleurt:DIR with the files of lucadiliello/BLEURT-20."
            )
        self._settings = settings

    def identity(self) -> Mapping[str, str]:
        files = [path for path in self._path.rglob("*") if path.is_file()]
        return {"model": self._path.resolve().name, "weights": fingerprint(files), "by": "google"}

    @cached_property
    def _scorer(self) -> Any:
        from bleurt import score

        try:
            return score.BleurtScorer(str(self._path))
        except Exception as error:  # whatever TensorFlow makes of a damaged file
            raise DataError.of(
                Code.MODEL_FILES,
                f"the checkpoint could not be loaded: {first_line(error)}",
                self._path,
            ) from None

    def read(self, pairs: Sequence[Pair]) -> Iterator[PairResults]:
        """A number for each (reference, candidate)."""
        size = self._settings.batch
        for start in range(0, len(pairs), size):
            batch = pairs[start : start + size]
            numbers = self._scorer.score(
                references=[reference for reference, _ in batch],
                candidates=[candidate for _, candidate in batch],
                batch_size=size,
            )
            yield [
                (start + n, PairResult(float(x)) if math.isfinite(x) else NOT_A_NUMBER)
                for n, x in enumerate(numbers)
            ]


def _outputs(folder: ModelFolder) -> int:
    if folder.kind == "bleurt":
        return int(folder.config.get("num_labels", 1))
    labels = folder.config.get("id2label")
    return len(labels) if isinstance(labels, dict) else 2


def _pieces(folder: ModelFolder, file: Path) -> tuple[Ids, int, int]:
    """Text to token ids without special ones, and the ids of [CLS] and [SEP]."""
    if find_spec("sentencepiece") is None:
        raise MissingExtra("BLEURT-20, which needs sentencepiece,", "neural")
    from sentencepiece import SentencePieceProcessor

    try:
        pieces = SentencePieceProcessor(model_file=str(file))
    except (RuntimeError, OSError) as error:
        raise folder.wrong(
            Code.MODEL_FILES, f"{file.name} could not be read: {first_line(error)}"
        ) from None
    marks = [pieces.piece_to_id(mark) for mark in ("[CLS]", "[SEP]")]
    if pieces.unk_id() in marks:
        raise folder.wrong(Code.MODEL_FILES, f"{file.name} has no [CLS] and [SEP]")
    return pieces.encode, marks[0], marks[1]


def _word_pieces(folder: ModelFolder) -> tuple[Ids, int, int]:
    """The same as `_pieces`, for checkpoints with a BERT vocabulary."""
    from transformers import BertTokenizer, PreTrainedTokenizerFast

    path = folder.path
    try:
        if (path / "tokenizer.json").is_file():
            tokenizer: Any = PreTrainedTokenizerFast(tokenizer_file=str(path / "tokenizer.json"))
        else:
            about = path / "tokenizer_config.json"
            lower = read_json(about).get("do_lower_case", True) if about.is_file() else True
            words = (path / "vocab.txt").read_text(encoding="utf-8").split("\n")
            tokenizer = BertTokenizer(
                vocab={word: n for n, word in enumerate(words) if word}, do_lower_case=bool(lower)
            )
    except Exception as error:  # whatever tokenizers makes of a damaged file
        raise folder.wrong(
            Code.MODEL_FILES,
            f"its tokenizer could not be read: {first_line(error)}",
            "Put spm.model, tokenizer.json or vocab.txt of the checkpoint into its folder.",
        ) from None
    marks = [tokenizer.convert_tokens_to_ids(mark) for mark in ("[CLS]", "[SEP]")]
    if None in marks:
        raise folder.wrong(Code.MODEL_FILES, "its vocabulary has no [CLS] and [SEP]")

    def ids(text: str) -> list[int]:
        return list(
            tokenizer(text, add_special_tokens=False, split_special_tokens=True, verbose=False)[
                "input_ids"
            ]
        )

    return ids, marks[0], marks[1]
