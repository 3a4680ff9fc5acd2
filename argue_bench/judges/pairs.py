"""Judges that are models on disk of two texts: ``nli:MODEL``, and the frame of ``qa:MODEL`` and ``bleurt:MODEL``.

A spec is ``MODEL,option=value,...``; the options dtype, device, batch and tokens (the most that are
read at once) are common to all. Pairs are read in a worker thread, so that the event loop goes on meanwhile.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from typing import Any

from argue_bench.judges.base import Judge, Reply
from argue_bench.models.folder import ModelLock, find_model, read_spec, require_neural
from argue_bench.models.pairs import Pair, PairModel, PairResult, entailment_reader
from argue_bench.records import Entails, Failed, JudgeRequest, Similar, Span, Verdict
from argue_bench.records.display import is_text

_ENTAILMENT = {
    "entailment": (".+", "a label of the model"),
    "form": (".+", "the form of a published model"),
}
_NO_TEXT = PairResult(None, "a text holds half of a surrogate pair, which no model reads")
_TEXTS: dict[type[JudgeRequest], Callable[[Any], Pair]] = {
    Entails: lambda request: (request.premise_text, request.hypothesis),
    Span: lambda request: (request.question, request.context),
    Similar: lambda request: (request.reference, request.candidate),
}
_LOG = logging.getLogger(__name__)


class PairJudge(Judge):
    """A judge of one kind of request, by a model that reads the two texts of it."""

    loads = True

    def __init__(
        self,
        name: str,
        kind: type[JudgeRequest],
        model: PairModel,
        made: tuple[Callable[[str], PairJudge], str],
    ) -> None:
        self.name, self._made = name, made
        self.kinds = frozenset({kind})
        self._texts, self._model = _TEXTS[kind], model
        self._identity: Mapping[str, str] | None = None
        self._lock = ModelLock()

    def __reduce__(self) -> tuple[Any, ...]:
        # Another process makes it of its spec and loads the model itself.
        return self._made[0], (self._made[1],)

    def identity(self) -> Mapping[str, str]:
        if self._identity is None:
            self._identity = self._model.identity()
        return self._identity

    async def judge(self, requests: Sequence[JudgeRequest]) -> AsyncIterator[Reply]:
        """Verdicts batch by batch."""
        async with self._lock.held():
            self.counts.requests += len(requests)
            readable: list[JudgeRequest] = []
            for request in requests:
                if all(map(is_text, self._texts(request))):
                    readable.append(request)
                else:
                    yield request, self._reply(_NO_TEXT)
            batches = self._model.read([self._texts(one) for one in readable])
            # StopIteration cannot leave a thread, so the end of the batches is None.
            while (batch := await asyncio.to_thread(next, batches, None)) is not None:
                self.counts.calls += 1
                for place, result in batch:
                    if result.cut and not self.counts.cut:
                        _LOG.warning(
                            "%s cuts texts that are too long for it, the first of them so: %s. The "
                            "notes of its verdicts say which.",
                            self.name,
                            result.note,
                        )
                    self.counts.cut += result.cut
                    self.counts.tokens_in += result.tokens
                    yield readable[place], self._reply(result)

    def _reply(self, result: PairResult) -> Verdict | Failed:
        if result.value is None:
            self.counts.failed += 1
            return Failed(result.note)
        return Verdict(result.value, note=result.note)


def nli_judge(spec: str) -> PairJudge:
    """The judge ``nli:MODEL``: whether sources, joined by line breaks as cited, entail a sentence.

    MODEL is a sequence classifier with an entailment label (DeBERTa-style), which the option
    ``entailment`` may name, or a text-to-text model that writes 1 or 0 (TRUE, Honovich et al. 2022,
    which ALCE uses). A model of `models.checkpoints`, by its name or named by the option ``form``, is read
    in the form that was published with it. Raises UsageError, UnknownName, MissingExtra, and DataError for another folder.
    """
    name, settings, options = read_spec(spec, _ENTAILMENT)
    require_neural("the judge nli")
    folder = find_model(name, "nli")
    label, form = options.get("entailment", ""), options.get("form", "")
    reader = entailment_reader(folder, settings, label, form)
    return PairJudge(f"nli:{folder.name}", Entails, reader, (nli_judge, spec))
