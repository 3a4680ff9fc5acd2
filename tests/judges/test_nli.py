"""Entailment by models on disk, against transformers called pair by pair."""

from __future__ import annotations

import json
import logging
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest

from argue_bench.errors import DataError, JudgeError, UsageError
from argue_bench.judges import create_judge
from argue_bench.judges.pairs import PairJudge
from argue_bench.records import Entails, Failed, Source, Verdict
from tests.judges.test_recorded import ask_all
from tests.models import tiny
from tests.models.tiny import torch, transformers


def entails(premise: str, hypothesis: str, source: str = "d") -> Entails:
    return Entails((Source(source, premise),), hypothesis)


def values(replies: Sequence[Verdict | Failed]) -> list[object]:
    return [reply.value if isinstance(reply, Verdict) else None for reply in replies]


def nli(path: Path, options: str = "") -> PairJudge:
    judge = create_judge(f"nli:{path}{options}")
    assert isinstance(judge, PairJudge)
    return judge


@pytest.fixture(scope="module")
def classifier(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny.classifier(tmp_path_factory.mktemp("models") / "tiny-bert")


@pytest.fixture(scope="module")
def text_to_text(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny.trained_text_to_text(tmp_path_factory.mktemp("models") / "tiny-t5")


def literally(path: Path, pairs: Sequence[tuple[str, str]]) -> list[str]:
    """transformers, one pair at a time."""
    tokenizer = transformers.AutoTokenizer.from_pretrained(path)
    model = transformers.AutoModelForSequenceClassification.from_pretrained(path)
    said = []
    with torch.no_grad():
        for premise, hypothesis in pairs:
            row = tokenizer(premise, hypothesis, return_tensors="pt")
            said.append(model.config.id2label[int(model(**row).logits[0].argmax())])
    return said


def test_batches_say_what_single_pairs_say(classifier: Path) -> None:
    pairs = tiny.pairs(300)
    expected = ["yes" if label == "entailment" else "no" for label in literally(classifier, pairs)]
    assert min(Counter(expected).values()) > 10
    assert values(ask_all(nli(classifier), [entails(*pair) for pair in pairs])) == expected
    assert values(ask_all(nli(classifier, ",batch=1"), [entails(*p) for p in pairs])) == expected


def test_sources_are_read_together_in_the_order_cited(classifier: Path) -> None:
    both = Entails((Source("a", "the wall"), Source("b", "was built in")), "1931")
    joined = entails("the wall\nwas built in", "1931")
    judge = nli(classifier)
    assert ask_all(judge, [both]) == ask_all(judge, [joined])


def test_a_premise_that_is_cut_is_reported(
    classifier: Path, caplog: pytest.LogCaptureFixture
) -> None:
    judge = nli(classifier)
    premise = " ".join(["the wall was built in stone"] * 20)
    with caplog.at_level(logging.WARNING):
        long, short = ask_all(judge, [entails(premise, "not built"), entails("wall", "not built")])
    # 64 tokens: [CLS] 59 [SEP] 2 [SEP]
    assert isinstance(long, Verdict)
    assert long.note.endswith("; premise cut from 120 to 59 tokens")
    assert isinstance(short, Verdict)
    assert "cut" not in short.note
    assert judge.counts.cut == 1
    assert [record.levelname for record in caplog.records] == ["WARNING"]
    kept = entails(" ".join(premise.split()[:59]), "not built")
    assert values(ask_all(judge, [kept])) == [long.value]
    assert judge.identity()["tokens"] == "64"
    assert nli(classifier, ",tokens=32").identity()["tokens"] == "32"


def test_a_hypothesis_is_never_cut(classifier: Path, text_to_text: Path) -> None:
    long = " ".join(["built"] * 70)
    for judge in (nli(classifier), nli(text_to_text, ",tokens=60")):
        (reply,) = ask_all(judge, [entails("the wall", long)])
        assert isinstance(reply, Failed)
        assert "leaves no room for a premise" in reply.reason
        assert judge.counts.failed == 1


def test_marks_of_the_model_in_a_text_are_words(classifier: Path) -> None:
    tokenizer = transformers.AutoTokenizer.from_pretrained(classifier)
    premise = "the wall [SEP] was built [PAD]"
    as_marks = len(tokenizer(premise, "built")["input_ids"])
    judge = nli(classifier)
    ask_all(judge, [entails(premise, "built")])
    assert judge.counts.tokens_in == as_marks + 4  # "[", "sep", "]" rather than one mark, twice


def test_no_number_is_no_verdict(tmp_path: Path, text_to_text: Path) -> None:
    path = tiny.classifier(tmp_path / "c")
    model = transformers.AutoModelForSequenceClassification.from_pretrained(path)
    with torch.no_grad():
        model.classifier.bias[1] = float("nan")
    model.save_pretrained(path)
    other = tmp_path / "t5"
    wild = transformers.AutoModelForSeq2SeqLM.from_pretrained(text_to_text)
    with torch.no_grad():
        wild.shared.weight[5] = float("nan")
    wild.save_pretrained(other)
    transformers.AutoTokenizer.from_pretrained(text_to_text).save_pretrained(other)
    for judge in (nli(path), nli(other)):
        (reply,) = ask_all(judge, [entails("the wall", "the wall")])
        assert isinstance(reply, Failed)
        assert "NaN" in reply.reason


@pytest.mark.parametrize(
    ("labels", "options", "expected"),
    [
        (("entailment", "not_entailment"), "", "entailment"),
        (("ENTAILMENT", "NEUTRAL", "CONTRADICTION"), "", "ENTAILMENT"),
        (("LABEL_0", "LABEL_1", "LABEL_2"), ",entailment=label_2", "LABEL_2"),
    ],
)
def test_the_entailment_label_is_found(
    tmp_path: Path, labels: tuple[str, ...], options: str, expected: str
) -> None:
    path = tiny.classifier(tmp_path, labels=labels)
    judge = nli(path, options)
    assert judge.identity()["entailment"] == expected
    pairs = tiny.pairs(40)
    wanted = ["yes" if label == expected else "no" for label in literally(path, pairs)]
    assert values(ask_all(judge, [entails(*pair) for pair in pairs])) == wanted


def test_a_text_to_text_model_says_one_or_zero(text_to_text: Path) -> None:
    rows = tiny.denied(100, seed=999)
    judge = nli(text_to_text)
    replies = ask_all(judge, [entails(p, h, str(n)) for n, (p, h, _) in enumerate(rows)])
    assert values(replies) == ["yes" if holds else "no" for *_, holds in rows]
    tokenizer = transformers.AutoTokenizer.from_pretrained(text_to_text)
    model = transformers.AutoModelForSeq2SeqLM.from_pretrained(text_to_text)
    for (premise, hypothesis, _), reply in zip(rows[:20], replies, strict=False):
        ids = tokenizer(
            f"premise: {premise} hypothesis: {hypothesis}", return_tensors="pt"
        ).input_ids
        out = model.generate(ids, max_new_tokens=10)
        text = tokenizer.decode(out[0], skip_special_tokens=True)
        assert isinstance(reply, Verdict)
        assert reply.yes is (text == "1")


def test_a_reply_that_is_neither_is_no_verdict(tmp_path: Path) -> None:
    config = transformers.T5Config(
        vocab_size=5 + len(tiny.WORDS),
        d_model=16,
        d_kv=8,
        d_ff=16,
        num_layers=1,
        num_heads=2,
        decoder_start_token_id=0,
        pad_token_id=0,
        eos_token_id=4,
    )
    tiny.fill(transformers.T5ForConditionalGeneration(config), 0.5).save_pretrained(tmp_path)
    tiny.word_tokenizer(tmp_path, "</s>", pair=False, eos_token="</s>")
    (reply,) = ask_all(nli(tmp_path), [entails("the wall", "wall")])
    assert isinstance(reply, Failed)
    assert "neither 1 nor 0" in reply.reason


def test_other_models_are_refused(tmp_path: Path, text_to_text: Path) -> None:
    path = tiny.causal(tmp_path)
    with pytest.raises(DataError, match="LlamaForCausalLM"):
        nli(path)
    tiny.spoil(path, architectures=None)
    with pytest.raises(DataError, match="no stated kind"):
        nli(path)
    with pytest.raises(UsageError, match="entailment="):
        nli(text_to_text, ",entailment=x")


def test_the_identity_holds_what_moves_a_verdict(classifier: Path, text_to_text: Path) -> None:
    for path in (classifier, text_to_text):
        judge = nli(path)
        assert judge.name == f"nli:{path.name}"
        same = nli(path, ",batch=2,device=cpu").identity()
        assert same == judge.identity()
        assert nli(path, ",dtype=bfloat16").identity() != same
        assert str(path.parent) not in json.dumps([judge.name, dict(judge.identity())])
    assert values(ask_all(nli(classifier, ",dtype=bfloat16"), [entails("the wall", "wall")]))[0]


def test_what_torch_raises_is_a_judge_error(classifier: Path, tmp_path: Path) -> None:
    path = tmp_path / "wide"
    tiny.classifier(path)
    tokenizer = tiny.word_tokenizer(path)
    tokenizer.add_tokens(["beyond"])
    tokenizer.save_pretrained(path)
    with pytest.raises(JudgeError, match="could not be run"):
        ask_all(nli(path), [entails("beyond the wall", "wall")])


def test_half_of_a_surrogate_pair_is_no_text(classifier: Path) -> None:
    bad, good = ask_all(nli(classifier), [entails("\ud800", "a wall"), entails("wall", "a wall")])
    assert isinstance(bad, Failed)
    assert isinstance(good, Verdict)
