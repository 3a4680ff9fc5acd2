"""Published claim checkers in their own forms, against transformers called on the same words by hand.

Weights are of the published architectures, tiny and drawn at random; those of a few hundred megabytes are not here.
"""

from __future__ import annotations

import json
import pickle
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from argue_bench.errors import DataError, UsageError
from argue_bench.judges import create_judge
from argue_bench.records import Entails, Source, Verdict
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


def _alignscore(path: Path) -> Any:
    """The class that its publishers trained: an encoder with pooler, and a head for each task."""
    config = transformers.RobertaConfig(
        **SIZES, max_position_embeddings=514, type_vocab_size=1, bos_token_id=0, eos_token_id=2
    )
    config.architectures = ["RobertaForMaskedLM"]
    config.save_pretrained(path)
    model = torch.nn.Module()
    model.base_model = transformers.RobertaModel(config)
    model.mlm_head = transformers.RobertaForMaskedLM(config).lm_head
    for name, classes in (("bin_layer", 2), ("tri_layer", 3), ("reg_layer", 1)):
        setattr(model, name, torch.nn.Linear(config.hidden_size, classes))
    return tiny.fill(model, 0.5).eval()


MODELS: dict[str, Callable[[Path], Any]] = {
    "AlignScore-large": _alignscore,
    "MiniCheck-RoBERTa-Large": _roberta,
    "MiniCheck-DeBERTa-v3-Large": _deberta,
    "MiniCheck-Flan-T5-Large": _flan_t5,
    "FactCG-DeBERTa-v3-Large": _deberta,
    "hallucination_evaluation_model": _hhem,
}
INPUTS = {
    "AlignScore-large": "",  # a pair, as its tokenizer joins pairs
    "MiniCheck-RoBERTa-Large": "{document}</s>{claim}",
    "MiniCheck-DeBERTa-v3-Large": "{document}</s>{claim}",
    "MiniCheck-Flan-T5-Large": "predict: {document}</s>{claim}",
    "FactCG-DeBERTa-v3-Large": '{document}\n\nChoose your answer: based on the paragraph above can we conclude that "{claim}"?\n\nOPTIONS:\n- Yes\n- No\nI think the answer is ',
    "hallucination_evaluation_model": "<pad> Determine if the hypothesis is true given the premise?\n\nPremise: {document}\n\nHypothesis: {claim}",
}


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Path, Any]]:
    """Each model as its publisher saved it, and in memory."""
    found = {}
    for name, make in MODELS.items():
        path = tmp_path_factory.mktemp("models") / name
        model = make(path)
        if name == "AlignScore-large":
            left = {
                "state_dict": model.state_dict(),
                "hyper_parameters": {"model": "roberta-large"},
            }
            torch.save({"epoch": 2, **left}, path / "AlignScore-large.ckpt")
        elif (
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
    if name == "AlignScore-large":
        with torch.no_grad():
            pooled = model.base_model(
                **tokenizer(document, claim, return_tensors="pt")
            ).pooler_output
            return float(model.tri_layer(pooled)[0].softmax(-1)[0])
    text = INPUTS[name].replace("{document}", document).replace("{claim}", claim)
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
    return ask_all(judge, requests)  # type: ignore[return-value]


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
    from argue_bench.models.pairs.checkpoints import ClaimChecker, form_of

    path, model = saved[name]
    checker = ClaimChecker(find_model(str(path), "nli"), ModelSettings(tokens=9999), form_of(name))
    found = checker.chunks(LONG)
    assert found[0].count("The wall") == sentences
    assert len(found) == parts
    assert sum(one.count("The wall") for one in found) == 60
    tokenizer = transformers.AutoTokenizer.from_pretrained(path)
    if len(found) > 1:
        wanted = max(_share(name, model, tokenizer, one, CLAIMS[0]) for one in found)
        note = _verdicts(path, [LONG], ",tokens=9999")[0].note
        assert float(note.split()[1]) == pytest.approx(wanted, abs=0.002)
        assert f"in one of {parts} parts" in note


def test_alignscore_reads_each_sentence_of_a_claim_beside_each_chunk(
    saved: dict[str, tuple[Path, Any]],
) -> None:
    """60 sentences of 19 words are 1,140 words: 1,140 // 350 + 1 = 4 chunks of 15 sentences."""
    name = "AlignScore-large"
    path, model = saved[name]
    tokenizer = transformers.AutoTokenizer.from_pretrained(path)
    few = "Stone was sold. The river burnt in 1940. Edith built it."
    claim = " ".join(CLAIMS[:3])
    wanted = sum(_share(name, model, tokenizer, few, one) for one in CLAIMS[:3]) / 3
    judge = create_judge(f"nli:{path}")
    short, long = ask_all(judge, [Entails((Source("d", t),), claim) for t in (few, LONG)])
    assert float(short.note.split()[1].strip(",")) == pytest.approx(wanted, abs=0.002)  # type: ignore[union-attr]
    assert "the mean of 3 sentences" in short.note  # type: ignore[union-attr]
    assert "in one of 4 parts" in long.note  # type: ignore[union-attr]
    assert judge.identity()["chunk"] == "350 words"


def test_weights_of_alignscore_are_read_as_data_and_known_by_their_bytes(
    saved: dict[str, tuple[Path, Any]], tmp_path: Path
) -> None:
    path, model = saved["AlignScore-large"]
    copy = tmp_path / "alignscore-base"
    shutil.copytree(path, copy)
    known = create_judge(f"nli:{copy}").identity()["weights"]
    (file,) = copy.glob("*.ckpt")
    states = {k: v for k, v in model.state_dict().items() if not k.startswith("tri_layer")}
    torch.save({"state_dict": states}, file)
    judge = create_judge(f"nli:{copy}")
    assert judge.identity()["weights"] != known
    with pytest.raises(DataError, match="2 of its weights are missing"):
        ask_all(judge, [Entails((Source("d", "x"),), "y")])
    file.write_bytes(pickle.dumps({"state_dict": _Runs()}))
    with pytest.raises(DataError, match="could not be loaded"):
        ask_all(create_judge(f"nli:{copy}"), [Entails((Source("d", "x"),), "y")])
    assert not _RAN


_RAN: list[str] = []


class _Runs:
    def __reduce__(self) -> Any:
        return _RAN.append, ("code in a file was run",)


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
    assert "leaves no room" in long.reason  # type: ignore[union-attr]
    assert "document cut from" in cut.note  # type: ignore[union-attr]


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
