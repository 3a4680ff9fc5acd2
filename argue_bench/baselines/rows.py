"""What does an answer look like in the file? A line of a submission, or a TREC report object.

A report's sentences are those that an evaluation of its text would read, and cite what it would find
cited, so that both forms of a reply score alike.
"""

from __future__ import annotations

from argue_bench.baselines.forms import Gives
from argue_bench.loaders.answers import answer_reader
from argue_bench.loaders.dataset import Dataset
from argue_bench.records import Question


class Rows:
    """Makes the lines of one file. ``run`` and ``team`` are what TREC calls system and author."""

    def __init__(self, dataset: Dataset, gives: Gives, run: str, team: str = "") -> None:
        self._gives: Gives = gives
        self._run, self._team = run, team or "argue-bench"
        self._read = answer_reader(dataset)

    @property
    def header(self) -> dict[str, str]:
        """What all lines have in common."""
        if self._gives == "answer":
            return {"gives": "answer"}
        return {"gives": "report", "run_id": self._run, "team_id": self._team}

    def row(self, question: Question, text: str) -> dict[str, object]:
        """The line of a question; an empty text is no answer."""
        if self._gives == "answer":
            return {"id": question.id, "answer": text}
        sentences = self._read(question, text).sentences
        cited = dict.fromkeys(id for sentence in sentences for id in sentence.citations)
        return {
            "metadata": {
                "team_id": self._team,
                "run_id": self._run,
                "topic_id": question.id,
            },
            "responses": [
                {"text": one.text, "citations": list(dict.fromkeys(one.citations))}
                for one in sentences
            ],
            "references": list(cited),
        }
