"""Published claim checkers in their own forms, against transformers called on the same words by hand.

Weights are of the published architectures, tiny and drawn at random; those of a few hundred megabytes are not here.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from argue_bench.errors import UsageError
from argue_bench.judges import create_judge
from argue_bench.models import pairs
from argue_bench.records import Entails, Failed, Source, Verdict
from tests.judges.test_recorded import ask_all
from tests.models import tiny
from tests.models.tiny import torch, transformers

SENTENCE = "The wall of the town was built in the year 1931 by the river and the stone was old."
"""Nineteen words, twenty words and marks."""
LONG = "\n".join([" ".join([SENTENCE] * 20)] * 3)
CLAIMS = (
    "The wall is old.",
    "A tower burnt in 1940.",
    "Edith Marsh sold the bridge.",
    "It was not.",
)
SIZES: dict[str, Any] = {
    "vocab_size": 300,
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "intermediate_size": 64,
    "pad_token_id": 1,
    "num_labels": 2,
}
T5_SIZES: dict[str, Any] = {
    "vocab_size": 300,
    "d_model": 32,
    "d_kv": 8,
    "d_ff": 64,
    "num_layers": 2,
    "num_heads": 4,
    "feed_forward_proj": "gated-gelu",
    "tie_word_embeddings": False,
    "decoder_start_token_id": 0,
    "pad_token_id": 1,
}


def _roberta(path: Path) -> Any:
    config = transformers.RobertaConfig(
        **SIZES, max_position_embeddings=514, type_vocab_size=1, bos_token_id=0, eos_token_id=2
    )
    return tiny.fill(transformers.RobertaForSequenceClassification(config), 0.5)


def _deberta(path: Path) -> Any:
    config = transformers.DebertaV2Config(
        **SIZES,
        max_position_embeddings=512,
        type_vocab_size=0,
        relative_attention=True,
        position_buckets=16,
        pos_att_type=["p2c", "c2p"],
        share_att_key=True,
        norm_rel_ebd="layer_norm",
        position_biased_input=False,
    )
    return tiny.fill(transformers.DebertaV2ForSequenceClassification(config), 0.5)


def _flan_t5(path: Path) -> Any:
    return tiny.fill(
        transformers.T5ForConditionalGeneration(transformers.T5Config(**T5_SIZES)), 0.5
    )


def _hhem(path: Path) -> Any:
    config = transformers.T5Config(**T5_SIZES, num_labels=2)
    return tiny.fill(transformers.T5ForTokenClassification(config), 0.5)


def _lettucedetect(path: Path) -> Any:
    config = transformers.ModernBertConfig(
        **SIZES,
        max_position_embeddings=4096,
        bos_token_id=0,
        eos_token_id=2,
        cls_token_id=0,
        sep_token_id=2,
    )
    return tiny.fill(transformers.ModernBertForTokenClassification(config), 0.5)


MODELS: dict[str, Callable[[Path], Any]] = {
    "MiniCheck-RoBERTa-Large": _roberta,
    "MiniCheck-DeBERTa-v3-Large": _deberta,
    "MiniCheck-Flan-T5-Large": _flan_t5,
    "FactCG-DeBERTa-v3-Large": _deberta,
    "hallucination_evaluation_model": _hhem,
    "lettucedect-large-modernbert-en-v1": _lettucedetect,
}
INPUTS = {
    "MiniCheck-RoBERTa-Large": "{document}</s>{claim}",
    "MiniCheck-DeBERTa-v3-Large": "{document}</s>{claim}",
    "MiniCheck-Flan-T5-Large": "predict: {document}</s>{claim}",
    "FactCG-DeBERTa-v3-Large": '{document}\n\nChoose your answer: based on the paragraph above can we conclude that "{claim}"?\n\nOPTIONS:\n- Yes\n- No\nI think the answer is ',
    "hallucination_evaluation_model": "<pad> Determine if the hypothesis is true given the premise?\n\nPremise: {document}\n\nHypothesis: {claim}",
    "lettucedect-large-modernbert-en-v1": "Summarize the following text:\npassage 1: {document}\noutput:",
}


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Path, Any]]:
    """Each model as its publisher saved it, and in memory."""
    found = {}
    for name, make in MODELS.items():
        path = tmp_path_factory.mktemp("models") / name
        model = make(path)
        if (
            name == "hallucination_evaluation_model"
        ):  # inside of a class that comes with the weights
            model.save_pretrained(
                path, state_dict={f"t5.{key}": value for key, value in model.state_dict().items()}
            )
            own = {"model_type": "HHEMv2", "architectures": ["HHEMv2ForSequenceClassification"]}
            (path / "config.json").write_text(json.dumps({**T5_SIZES, **own}))
        else:
            model.save_pretrained(path)
        tiny.byte_tokenizer(path)
        found[name] = path, model
    return found


def _share(name: str, model: Any, tokenizer: Any, document: str, claim: str) -> float:
    """The probability of support as the published programs compute it, of one document whole."""
    text = INPUTS[name].replace("{document}", document).replace("{claim}", claim)
    if "lettuce" in name:  # token by token of the claim, the second of a pair
        row = tokenizer(text, claim, return_tensors="pt")
        ids = row["input_ids"][0].tolist()
        # The tokenizer of these tests joins pairs with two marks; the model's own with one.
        cut = ids.index(2)
        row = {"input_ids": torch.tensor([ids[:cut] + ids[cut + 1 :]])}
        with torch.no_grad():
            marked = model(**row).logits[0].softmax(-1)[:, 1]
        return 1 - float(marked[cut + 1 : -1].max())
    row = tokenizer(text, return_tensors="pt")
    with torch.no_grad():
        if "Flan" in name:
            logits = model(**row, decoder_input_ids=torch.zeros((1, 1), dtype=torch.long)).logits
            logits = logits[0, 0, [3, 209]]
        elif "hallucination" in name:
            logits = model(**row).logits[0, 0]
        else:
            logits = model(**row).logits[0]
    return float(logits.softmax(-1)[1])


def _verdicts(path: Path, documents: list[str], options: str = "") -> list[Verdict]:
    judge = create_judge(f"nli:{path},dtype=float32{options}")
    requests = [Entails((Source("d", one),), claim) for one in documents for claim in CLAIMS]
    return [one for one in ask_all(judge, requests) if isinstance(one, Verdict)]


@pytest.mark.parametrize("name", MODELS)
def test_a_short_document_is_read_as_the_published_program_reads_it(
    name: str, saved: dict[str, tuple[Path, Any]]
) -> None:
    path, model = saved[name]
    tokenizer = transformers.AutoTokenizer.from_pretrained(path)
    documents = [SENTENCE, "A bridge and a tower were sold.", "Stone. Wood."]
    lines = name.startswith("FactCG")  # which puts every sentence on a line of its own
    shown = [one.replace(". ", ".\n") if lines else one for one in documents]
    wanted = [_share(name, model, tokenizer, one, claim) for one in shown for claim in CLAIMS]
    found = _verdicts(path, documents)
    for verdict, share in zip(found, wanted, strict=True):
        assert float(verdict.note.split()[1]) == pytest.approx(share, abs=0.002)
        assert verdict.value == ("yes" if share > 0.5 else "no")
    assert len({round(share, 3) for share in wanted}) > 3


@pytest.mark.parametrize(
    ("name", "parts", "sentences"),
    [
        ("MiniCheck-RoBERTa-Large", 10, 6),
        ("MiniCheck-Flan-T5-Large", 3, 26),
        ("FactCG-DeBERTa-v3-Large", 3, 27),
        ("hallucination_evaluation_model", 1, 60),
    ],
)
def test_a_long_document_is_read_in_parts_of_whole_sentences(
    name: str, parts: int, sentences: int, saved: dict[str, tuple[Path, Any]]
) -> None:
    from argue_bench.models.folder import ModelSettings, find_model
    from argue_bench.models.pairs import entailment_reader

    path, model = saved[name]
    folder = find_model(str(path), "nli")
    found = entailment_reader(folder, ModelSettings(tokens=9999), "", "").chunks(LONG)
    assert found[0].count("The wall") == sentences
    assert len(found) == parts
    assert sum(one.count("The wall") for one in found) == 60
    tokenizer = transformers.AutoTokenizer.from_pretrained(path)
    if len(found) > 1:
        wanted = max(_share(name, model, tokenizer, one, CLAIMS[0]) for one in found)
        note = _verdicts(path, [LONG], ",tokens=9999")[0].note
        assert float(note.split()[1]) == pytest.approx(wanted, abs=0.002)
        assert f"in one of {parts} parts" in note


def test_a_span_that_one_part_leaves_unsupported_stays_so(
    saved: dict[str, tuple[Path, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:

    path, _ = saved["lettucedect-large-modernbert-en-v1"]
    parts = ["The wall is old.", "Edith sold a bridge."]
    alone = [float(one.note.split()[1]) for one in _verdicts(path, parts)[:: len(CLAIMS)]]
    form = replace(pairs.FORMS["lettucedetect"], chunk=8)
    monkeypatch.setitem(pairs.FORMS, "lettucedetect", form)
    together = _verdicts(path, ["\n".join(parts)])[0]
    assert "in one of 2 parts" in together.note
    assert float(together.note.split()[1]) == pytest.approx(min(alone), abs=0.002)


def test_marks_in_a_text_are_words_and_a_claim_is_never_cut(
    saved: dict[str, tuple[Path, Any]],
) -> None:
    path, _ = saved["MiniCheck-RoBERTa-Large"]
    plain, marked = _verdicts(path, ["It is old.", "It is</s>old."])[:: len(CLAIMS)]
    assert plain.note != marked.note
    judge = create_judge(f"nli:{path},tokens=40")
    long, cut = ask_all(
        judge, [Entails((Source("d", "x"),), SENTENCE), Entails((Source("d", SENTENCE),), "Old.")]
    )
    assert isinstance(long, Failed)
    assert "leaves no room" in long.reason
    assert isinstance(cut, Verdict)
    assert "document cut from" in cut.note


def test_another_folder_takes_a_form_by_name(
    saved: dict[str, tuple[Path, Any]], tmp_path: Path
) -> None:
    path, _ = saved["MiniCheck-RoBERTa-Large"]
    other = tmp_path / "mine"
    other.symlink_to(path)
    by_name, by_form = (
        create_judge(f"nli:{path}"),
        create_judge(f"nli:{other},form=minicheck-roberta-large"),
    )
    assert by_name.identity()["input"] == by_form.identity()["input"] == "minicheck-roberta-large"
    assert by_name.identity()["chunk"] == "400 tokens"
    with pytest.raises(UsageError, match="form=nothing is not known"):
        create_judge(f"nli:{other},form=nothing")
