"""MAUVE: what is compared, and that a tiny model gives what the package gives."""

from __future__ import annotations

import importlib.util
import random
from pathlib import Path

import pytest

from argue_bench.errors import DataError, MissingExtra
from argue_bench.eval import evaluate
from argue_bench.loaders.dataset import Dataset
from argue_bench.published.alce.mauve import AlceMauve, Mauve, prepared
from argue_bench.records import Answer, Gold, Question, Sentence

WORDS = [
    "bridge",
    "river",
    "opened",
    "stone",
    "arch",
    "north",
    "south",
    "tower",
    "year",
    "old",
    "new",
    "iron",
    "built",
]
NEEDED = ("mauve", "torch", "transformers")
LACKING = [name for name in NEEDED if importlib.util.find_spec(name) is None]
needs_models = pytest.mark.skipif(bool(LACKING), reason=f"not installed: {', '.join(LACKING)}")
Pairs = list[tuple[Question, Answer]]


def test_texts_are_folded_cut_and_stripped_of_one_run_of_punctuation() -> None:
    assert (
        prepared("Who  designed it?", " Edith\tMarsh did !? ")
        == "Who designed it? Edith Marsh did "
    )
    assert prepared("Why?", "") == "Why"
    assert prepared("a b", "c " * 200) == "a b" + " c" * 98


def test_the_gold_answer_is_the_text_else_the_last_long_one() -> None:
    answer = Answer("q", "It is [1]. More [sic].", (Sentence("It is."), Sentence("More [sic].")))
    one = Question("q", "Q?", gold=Gold(answer="gold", long_answers=("a", "b")))
    other = Question("q", "Q?", gold=Gold(answer=("x", "y"), long_answers=("a", "b")))
    none = Question("q", "Q?", gold=Gold())
    people, system = Mauve().texts([(one, answer), (other, answer), (none, answer)])
    assert people == ["Q? gold", "Q? b"]
    assert system == ["Q? It is. More [sic"] * 2
    _, system = AlceMauve().texts([(one, Answer("q", "It is [1] | so].\nMore."))])
    assert system == ["Q? It is so"]


def test_fewer_than_two_answers_have_no_mauve() -> None:
    assert Mauve().whole([]) == {"score": None}


def test_a_missing_package_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(MissingExtra, match=r"argue-bench\[mauve\]"):
        Mauve().require()


@pytest.fixture(scope="session")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A GPT-2 of two small layers with a byte tokenizer, saved as a folder."""
    import torch
    from tokenizers import Tokenizer, models, pre_tokenizers, trainers
    from transformers import GPT2Config, GPT2Model, PreTrainedTokenizerFast

    folder = tmp_path_factory.mktemp("models") / "tiny-gpt2"
    bytes_of = Tokenizer(models.BPE())
    bytes_of.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    trainer = trainers.BpeTrainer(
        special_tokens=["<|endoftext|>"],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    bytes_of.train_from_iterator([" ".join(WORDS)], trainer)
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=bytes_of, eos_token="<|endoftext|>")
    tokenizer.save_pretrained(folder)
    torch.manual_seed(0)
    config = GPT2Config(
        vocab_size=len(tokenizer),
        n_embd=16,
        n_layer=2,
        n_head=2,
        n_positions=600,
        bos_token_id=0,
        eos_token_id=0,
    )
    GPT2Model(config).save_pretrained(folder)
    return folder


def _pairs(count: int, seed: int) -> Pairs:
    draw = random.Random(seed)

    def text() -> str:
        return " ".join(draw.choices(WORDS, k=20))

    return [
        (Question(str(n), "What?", gold=Gold(answer=text())), Answer(str(n), text()))
        for n in range(count)
    ]


@needs_models
def test_it_is_what_the_package_gives(tiny: Path) -> None:
    import mauve

    pairs = _pairs(40, 1)
    metric = Mauve(model=str(tiny))
    people, system = metric.texts(pairs)
    theirs = mauve.compute_mauve(
        p_text=people,
        q_text=system,
        featurize_model_name=str(tiny),
        max_text_length=512,
        batch_size=8,
        verbose=False,
    ).mauve
    assert metric.whole(pairs)["score"] == pytest.approx(theirs, abs=1e-6)


@needs_models
def test_the_same_texts_are_1_and_others_are_less(tiny: Path) -> None:
    same = [(q, Answer(q.id, str(q.gold and q.gold.answer))) for q, _ in _pairs(40, 2)]
    other = [(q, Answer(q.id, "zzz " * 9 + str(n))) for n, (q, _) in enumerate(_pairs(40, 2))]
    metric = Mauve(model=str(tiny), buckets=4)
    assert metric.whole(same)["score"] == pytest.approx(1)
    score = metric.whole(other)["score"]
    assert score is not None
    assert score < 0.5


@needs_models
def test_it_is_scored_with_the_other_metrics(tiny: Path) -> None:
    pairs = _pairs(20, 3)
    dataset = Dataset("own", "dev", tuple(question for question, _ in pairs))
    answers = [answer for _, answer in pairs]
    metric = Mauve(model=str(tiny))
    report = evaluate(dataset, answers, [metric, "length"])
    assert report.value("mauve.score") == metric.whole(pairs)["score"]
    assert report.signature[str(metric)]["featurizer"] == "tiny-gpt2"


@needs_models
@pytest.mark.parametrize("what", ["missing", "without weights"])
def test_a_model_that_cannot_be_read_is_said(tiny: Path, tmp_path: Path, what: str) -> None:
    folder = tmp_path / "gpt2-none"
    if what == "without weights":
        folder.mkdir()
        for file in tiny.iterdir():
            if file.suffix == ".json":
                (folder / file.name).write_bytes(file.read_bytes())
    with pytest.raises(DataError, match="the model can't be read"):
        Mauve(model=str(folder)).whole(_pairs(2, 4))
