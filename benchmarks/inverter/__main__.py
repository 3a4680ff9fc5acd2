"""Prints the table: ``python -m benchmarks.inverter``."""

from __future__ import annotations

import tempfile
from pathlib import Path

from argue_bench.eval import evaluate
from benchmarks._options import options
from benchmarks.inverter.reading import invert
from benchmarks.inverter.reports import private_pack, report
from tools.core_set.oracle import Oracle
from tools.core_set.systems import synthetic_dataset
from tools.core_set.topic import GeneratedTopic
from tools.core_set.world import World

SEED = "3a" * 16
TOPICS = 40


def main() -> None:
    """Prints the table, in Markdown."""
    options(__doc__).parse_args()
    print("the inverter on the same seed, x 100\n")
    head = (
        "patterns",
        "argue.f1, oracle",
        "coverage, oracle",
        "support, oracle",
        "argue.f1, lexical",
        "accuracy",
        "str_em",
    )
    print(f"| {' | '.join(head)} |\n|{'---|' * len(head)}")
    with tempfile.TemporaryDirectory() as folder:
        pack = Path(folder) / "pack.txt"
        pack.write_text(private_pack(), encoding="utf-8")
        for name, path in (("public", None), ("private pack", pack)):
            topics = list(World(SEED, TOPICS, path).topics())
            print(f"| {name}, all topics | {_inverted(topics)} |")
            english = [topic for topic in topics if topic.languages == "en"]
            print(f"| {name}, evidence in English | {_inverted(english)} |")


def _inverted(topics: list[GeneratedTopic]) -> str:
    oracle, dataset, answers = Oracle(), synthetic_dataset(topics), []
    for question, topic in zip(dataset, topics, strict=True):
        read = invert(question, dataset.documents_of(question))
        oracle.learn(topic, report(topic, read))
        answers.append({"id": question.id, "answer": read.answer})
    right = evaluate(dataset, answers, ["argue"], judge=oracle).scores
    said = evaluate(dataset, answers, ["argue", "accuracy", "str_em"]).scores
    keys = ("argue.f1", "argue.nugget_coverage", "argue.sentence_support")
    values = [right[key].value for key in keys]
    values += [said[key].value for key in ("argue.f1", "accuracy.loose", "str_em.recall")]
    return " | ".join("-" if value is None else f"{100 * value:.1f}" for value in values)


if __name__ == "__main__":
    main()
