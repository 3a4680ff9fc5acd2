"""MAUVE: how far the distribution of the answers is from answers that people wrote.

Pillutla et al. 2021, as ALCE uses it (Gao et al. 2023): the last hidden state of a causal model over
"question answer", for the gold answers and for the system's, clustered together; MAUVE is the area
under the curve of the two Kullback-Leibler divergences between the histograms. Computed by the package
mauve-text; nothing of it is our own but the texts.

Both texts: white space folded, the first 100 words, the question among them, without the ASCII
punctuation at the end.

It is a number of a whole run, and moves by .005 to .01 with the seed alone: too little for a ranking.
With fewer than some hundred answers, or short ones, it says nothing.
"""

from __future__ import annotations

import string
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from argue_bench.errors import Code, DataError, MissingExtra
from argue_bench.metrics.base import WholeMetric
from argue_bench.metrics.correctness.accuracy import plain_text
from argue_bench.published.alce.correctness import plain
from argue_bench.records import Answer, Question
from argue_bench.stats.averages import Average, macro

# Words of each text, as ALCE cuts them.
WORDS = 100
# Tokens of each text at most: ALCE's max_text_length.
TOKENS = 512
# Texts that the model reads at once: ALCE's batch_size. It changes no state.
BATCH = 8


@dataclass(frozen=True)
class Mauve(WholeMetric):
    """MAUVE of all answers against the gold answers.

    ``model``: the causal model that reads the texts, by name or folder; a folder with characters that
    an option can't hold is given as a link. ``buckets`` 0: a tenth of the answers, at least 2.
    """

    model: str = "gpt2-large"
    buckets: int = 0
    seed: int = 25

    name: ClassVar[str] = "mauve"
    family: ClassVar[str] = "correctness"
    summary: ClassVar[str] = "do the answers, all together, read like people's answers?"
    paper: ClassVar[str] = "Pillutla et al. 2021; Gao et al. 2023 (ALCE)"
    scores: ClassVar[Mapping[str, Average]] = {"score": macro("score")}

    def whole(self, pairs: Sequence[tuple[Question, Answer]]) -> Mapping[str, float | None]:
        people, system = self.texts(pairs)
        # A histogram of one text says nothing.
        if len(people) < 2:
            return {"score": None}
        self.require()
        import mauve

        try:
            found: Any = mauve.compute_mauve(
                p_text=people,
                q_text=system,
                featurize_model_name=self.model,
                device_id=0,  # where there is no such GPU, the processor
                max_text_length=TOKENS,
                batch_size=BATCH,
                seed=self.seed,
                num_buckets=self.buckets or "auto",
                verbose=False,
            )
        except (OSError, ValueError) as error:
            why = f"the model can't be read: {str(error).partition(chr(10))[0].rstrip('.')}"
            hint = "Name a folder with its weights and tokenizer; mauve-text reads gpt2 and bert."
            raise DataError.of(Code.MODEL_FILES, why, self.model, hint=hint) from None
        return {"score": float(found.mauve)}

    def texts(self, pairs: Sequence[tuple[Question, Answer]]) -> tuple[list[str], list[str]]:
        """The texts that are compared: those of people and of the system, for each
        question with a gold answer."""
        wanted = [(question, answer) for question, answer in pairs if _gold(question)]
        people = [prepared(question.text, _gold(question)) for question, _ in wanted]
        return people, [prepared(one.text, self.read(answer)) for one, answer in wanted]

    def read(self, answer: Answer) -> str:
        """The words of an answer that are compared."""
        return plain_text(answer)

    def require(self) -> None:
        from importlib.util import find_spec

        if find_spec("mauve") is None:
            raise MissingExtra("mauve", "mauve")
        if find_spec("torch") is None or find_spec("transformers") is None:
            raise MissingExtra("mauve, whose texts a model reads,", "neural")

    def facts(self) -> Mapping[str, str]:
        from importlib.metadata import PackageNotFoundError, version

        facts = {
            "featurizer": self.model.rstrip("/").rpartition("/")[2],  # no paths of the machine
            "buckets": str(self.buckets or "auto"),
            "seed": str(self.seed),
            "tokens": str(TOKENS),
        }
        # Each of them moves the number by more than the seed does.
        for package in ("mauve-text", "faiss-cpu", "transformers"):
            try:
                facts[package] = version(package)
            except PackageNotFoundError:
                facts[package] = "none"
        return facts


def prepared(question: str, text: str) -> str:
    """The text of a question and an answer as MAUVE reads it.

    >>> prepared("Who  designed it?", "Edith Marsh did !?")
    'Who designed it? Edith Marsh did '
    """
    # The question is in both texts, so that only the answers differ.
    return " ".join(f"{question} {text.strip()}".split()[:WORDS]).rstrip(string.punctuation)


def _gold(question: Question) -> str:
    """The answer of people: the gold answer where it is a text, else the last long answer."""
    gold = question.gold
    if gold is None:
        return ""
    if isinstance(gold.answer, str) and gold.answer:
        return gold.answer
    return gold.long_answers[-1] if gold.long_answers else ""


class AlceMauve(Mauve):
    """MAUVE of the first lines without citations."""

    rules: ClassVar[str] = "alce"

    def read(self, answer: Answer) -> str:
        return plain(answer.text)
