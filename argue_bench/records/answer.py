"""What a system said: sentences, each with what it cites."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence without its citation marks, and the ids it cites, in order, repeats kept.

    A citation that names no document of the question keeps the words of its mark as its id.
    """

    text: str
    citations: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Answer:
    """One system's answer to one question.

    ``text`` is what the system wrote, marks included; ``sentences`` is how it reads. A report that
    came as sentences (TREC) has its own, and ``text`` is their texts joined by blanks.
    """

    id: str
    text: str = ""
    sentences: tuple[Sentence, ...] = ()
    run: str = ""

    @property
    def empty(self) -> bool:
        return not self.text.strip()

    @property
    def plain(self) -> str:
        """The answer without citation marks."""
        return " ".join(sentence.text for sentence in self.sentences)
