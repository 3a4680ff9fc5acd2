"""The judge ``qa:MODEL``: extractive question answering as of SQuAD 2.0 (Rajpurkar et al. 2018).

A long context is read in windows of 384 tokens that share 128. In each, start and end have a softmax over
the context's tokens and the first token; the best span of at most 15 tokens has the score p(start) x
p(end). The window with the best span wins, unless the least of the windows' scores of "no answer" (start
and end at the first token) is higher: then the answer is empty. A span is widened to whole words. These are
the rules of the question-answering pipeline of transformers 4, which ALCE uses with impossible answers
allowed; transformers 5 has no such pipeline.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

from argue_bench.errors import Code
from argue_bench.judges.pairs import PairJudge
from argue_bench.models.folder import (
    ModelFolder,
    ModelSettings,
    find_model,
    inference,
    load_model,
    load_tokenizer,
    pad_rows,
    read_spec,
    require_neural,
    token_limit,
)
from argue_bench.models.pairs import (
    NOT_A_NUMBER,
    Encoded,
    Pair,
    PairResult,
    PairResults,
    read_batches,
)
from argue_bench.records import Span

# The window, its overlap, the longest answer and the score of what is excluded are those of the
# question-answering pipeline of transformers, which published evaluators run.
WINDOW, OVERLAP, LONGEST, _EXCLUDED = 384, 128, 15, -10_000.0


@dataclass(frozen=True, slots=True)
class _Window(Encoded):
    """One window of one pair: its tokens, and which of them belong to the context."""

    encoding: Any = None
    inside: Sequence[bool] = ()


@dataclass(frozen=True, slots=True)
class _Found:
    """The best span of a window, in characters of the context, and the score of "no answer"."""

    score: float
    start: int
    end: int
    none: float


class SpanReader:
    """An extractive question answering model on disk. Raises DataError for a bad tokenizer."""

    def __init__(self, folder: ModelFolder, settings: ModelSettings) -> None:
        self._folder, self._settings = folder, settings
        self._tokenizer = load_tokenizer(folder)
        self._tokenizer.padding_side = "right"
        self._most = min(token_limit(folder, self._tokenizer, settings, WINDOW), WINDOW)
        self._overlap = min(self._most // 2, OVERLAP)

    def identity(self) -> Mapping[str, str]:
        return {
            **self._folder.identity(self._settings),
            "windows": f"{self._most}-{self._overlap}",
            "longest": str(LONGEST),
        }

    @cached_property
    def _model(self) -> Any:
        from transformers import AutoModelForQuestionAnswering

        return load_model(self._folder, AutoModelForQuestionAnswering, self._settings)

    def read(self, pairs: Sequence[Pair]) -> Iterator[PairResults]:
        """The words for each (question, context); the empty text for none."""
        windows = [self._windows(*pair) for pair in pairs]
        return read_batches(windows, self._best, partial(_reading, pairs), self._settings.batch)

    def _windows(self, question: str, context: str) -> list[_Window]:
        """The windows of a context."""
        given = {"split_special_tokens": True, "verbose": False}
        if self._most - len(self._tokenizer(question, "", **given)["input_ids"]) <= self._overlap:
            return [_Window(None, f"the question fills all {self._most} tokens")]
        rows = self._tokenizer(
            question,
            context,
            truncation="only_second",
            max_length=self._most,
            stride=self._overlap,
            return_overflowing_tokens=True,
            **given,
        )
        names = [name for name in self._tokenizer.model_input_names if name in rows]
        return [
            _Window(
                {name: rows[name][place] for name in names},
                "",
                rows[place],
                [part == 1 for part in rows.sequence_ids(place)],
            )
            for place in range(len(rows["input_ids"]))
        ]

    def _best(self, windows: Sequence[_Window]) -> list[_Found | None]:
        """The best span of each window; None where the model gave no numbers."""
        model = self._model
        with inference(self._folder.name):
            batch = pad_rows(
                self._tokenizer, [window.row or {} for window in windows], model.device
            )
            out = model(**batch)
            starts = out.start_logits.float().cpu().numpy()
            ends = out.end_logits.float().cpu().numpy()
        return [
            _best_span(window, start[: len(window.inside)], end[: len(window.inside)])
            for window, start, end in zip(windows, starts, ends, strict=True)
        ]


def _best_span(window: _Window, start: Any, end: Any) -> _Found | None:
    import numpy as np

    if not (np.isfinite(start).all() and np.isfinite(end).all()):
        return None
    inside = np.array(window.inside)
    counted = inside.copy()
    counted[0] = True  # the token for "no answer"
    logits = (np.where(counted, x, _EXCLUDED) for x in (start, end))
    powers = [np.exp(one - one.max()) for one in logits]
    p_start, p_end = (one / one.sum() for one in powers)
    none = float(p_start[0] * p_end[0])
    p_start[~inside] = p_end[~inside] = 0.0
    scores = np.tril(np.triu(np.outer(p_start, p_end)), LONGEST - 1)
    first, last = np.unravel_index(int(scores.argmax()), scores.shape)
    if not (inside[first] and inside[last]):
        return _Found(0.0, 0, 0, none)
    left, right = _whole_words(window.encoding, int(first), int(last))
    return _Found(float(scores[first, last]), left, right, none)


def _whole_words(encoding: Any, first: int, last: int) -> tuple[int, int]:
    """Start and end of the words that contain the tokens; of the tokens, for a tokenizer without words."""
    words = encoding.token_to_word(first), encoding.token_to_word(last)
    spans = [None if word is None else encoding.word_to_chars(word, 1) for word in words]
    if spans[0] is None or spans[1] is None:
        return encoding.offsets[first][0], encoding.offsets[last][1]
    return spans[0][0], spans[1][1]


def _reading(
    pairs: Sequence[Pair], place: int, _: Sequence[_Window], found: Sequence[_Found | None]
) -> PairResult:
    context = pairs[place][1]
    if not context.strip():
        return PairResult("", "the context is empty")
    spans = [one for one in found if one is not None]
    if len(spans) < len(found):
        return NOT_A_NUMBER
    none = min(one.none for one in spans)
    best = max(spans, key=lambda one: (one.score, -one.start))
    windows = f" in {len(spans)} windows" if len(spans) > 1 else ""
    if none > best.score:
        return PairResult("", f"no answer {none:.3f}{windows}")
    return PairResult(context[best.start : best.end], f"p {best.score:.3f}{windows}")


def qa_judge(spec: str) -> PairJudge:
    """The judge ``qa:MODEL``: the words of a context that answer a question.

    MODEL was trained on SQuAD 2.0, as ALCE's. Raises what `nli_judge` raises.
    """
    name, settings, _ = read_spec(spec)
    require_neural("the judge qa")
    folder = find_model(name, "qa")
    if not folder.architecture.endswith("ForQuestionAnswering"):
        raise folder.wrong(
            Code.WRONG_MODEL,
            f"this is a {folder.architecture or 'model of no stated kind'}, which marks no spans",
            "Name a ...ForQuestionAnswering, such as gaotianyu1350/roberta-large-squad.",
        )
    return PairJudge(f"qa:{folder.name}", Span, SpanReader(folder, settings), (qa_judge, spec))
