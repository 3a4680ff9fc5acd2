"""Is a sentence entailed by its sources? ``nli:MODEL`` asks a model trained on natural language inference.

MODEL is a sequence classifier with an entailment label (DeBERTa-style), or a text-to-text model that replies
1 or 0 (TRUE, Honovich et al. 2022, which ALCE uses). The premise is the sources' texts joined by line breaks,
in the order cited; the hypothesis the sentence.
"""

from __future__ import annotations

from typing import cast

from argue_bench.errors import Code, UsageError
from argue_bench.judges.pairs import PairJudge
from argue_bench.models.folder import (
    ModelFolder,
    ModelSettings,
    find_model,
    read_spec,
    require_neural,
)
from argue_bench.models.pairs import Pair, PairModel
from argue_bench.records import Entails, JudgeRequest


def nli(spec: str) -> PairJudge:
    """The judge ``nli:SPEC``; SPEC is ``MODEL`` or ``MODEL,dtype=bfloat16,entailment=LABEL_2``.

    Options: dtype, device, batch, tokens (the most that are read at once), entailment (the label that
    means it). Raises UsageError, UnknownName, MissingExtra, and DataError for a folder that won't do.
    """
    name, settings, options = read_spec(spec, ("entailment",))
    require_neural("the judge nli")
    folder = find_model(name, "nli")
    model = _model(folder, settings, options.get("entailment", ""))
    return PairJudge(f"nli:{folder.name}", Entails, _texts, model)


def _model(folder: ModelFolder, settings: ModelSettings, label: str) -> PairModel:
    if folder.architecture.endswith("ForSequenceClassification"):
        from argue_bench.models.entailment import Classifier

        return Classifier(folder, settings, label)
    if folder.architecture.endswith(("ForConditionalGeneration", "ForSeq2SeqLM")):
        from argue_bench.models.entailment import TextToText

        if label:
            raise UsageError("entailment= names a label of a classifier; this model writes text")
        return TextToText(folder, settings)
    raise folder.wrong(
        Code.NOT_NLI,
        f"this is a {folder.architecture or 'model of no stated kind'}, which says nothing on entailment",
        "Name a ...ForSequenceClassification trained on NLI, or a text-to-text model such as "
        "google/t5_xxl_true_nli_mixture.",
    )


def _texts(request: JudgeRequest) -> Pair:
    entails = cast(Entails, request)
    return entails.premise_text, entails.hypothesis
