"""Text read: into sentences beside blingfire, through the lexical judge, and in evaluations of large sets.

The limits on the judge and on large sets are those that were asked for. blingfire is C++ that splits by a
compiled automaton; ours also keeps what a citation stands after, so that half of what was measured is the
limit. Evaluations run in processes of their own; peak memory is theirs (VmHWM).
"""

from __future__ import annotations

import json
import random
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from argue_bench import load_dev
from argue_bench.judges.lexical import RULES, Lexical
from argue_bench.judges.lexical.reading import forget_readings
from argue_bench.records import Entails, Source
from argue_bench.text import sentences
from benchmarks._options import options
from benchmarks._peers import cpu, interleaved, present
from benchmarks._table import Line, at_least, at_most, compared, show

QUESTIONS = 100_000
LONG = 10_000_000
EVALUATE = """
import json, sys, time
from argue_bench import evaluate, load
from argue_bench.loaders import answers as answers_module, core, read_answers
# Records on disk whatever the size, since reading them from there is a step in time, not growth.
core.HELD = answers_module.HELD = 1 << 16
dataset = load(sys.argv[1])
answers = read_answers(sys.argv[1] + "/answers.jsonl", dataset)
start = time.process_time()
evaluate(dataset, answers, sys.argv[2:])
print(time.process_time() - start)
print(open("/proc/self/status").read())
"""


def splitting() -> list[Line]:
    import blingfire

    texts = [document.text for document in load_dev().documents.values()] * 4
    size = sum(len(text.encode()) for text in texts) / 1e6
    ours, peer, _, _ = interleaved(
        lambda: [sentences(text) for text in texts],
        lambda: [blingfire.text_to_sentences(text) for text in texts],
    )
    return [compared(f"sentences of {size:.1f} MB", "blingfire", peer, ours, 0.2)]


def judging() -> list[Line]:
    """Source text through the lexical judge: two sentences are asked of each source, all new."""
    draw = random.Random(4)
    words = [
        "".join(draw.choices("abcdefghiklmnoprstuv", k=draw.randint(3, 9))) for _ in range(8_000)
    ]

    def sentence() -> str:
        return f"{' '.join(draw.choices(words, k=draw.randint(8, 20))).capitalize()} in {draw.randint(1, 2020)}."

    sources = [Source(f"d{n}", " ".join(sentence() for _ in range(60))) for n in range(400)]
    requests = [Entails((source,), sentence()) for source in sources for _ in range(2)]
    size = sum(len(source.text.encode()) for source in sources) / 1e6

    def judged() -> None:
        forget_readings()
        for request in requests:
            RULES[Entails](request)

    took = min(cpu(judged)[0] for _ in range(3))
    return [at_least(f"{Lexical().name}: source text a second", size / took, 2.5, "MB")]


def write(path: Path, rows: Iterable[Any]) -> None:
    with path.open("w", encoding="utf-8") as file:
        file.writelines(json.dumps(row) + "\n" for row in rows)


def large_set(folder: Path, questions: int) -> None:
    """A set of the core format, each question with a document, a nugget and an answer that cites."""
    places = [f"The bridge of Norvik{n} was built in {1000 + n % 1000}." for n in range(questions)]
    write(
        folder / "documents.jsonl",
        ({"id": f"d{n}", "text": f"{one} It stands."} for n, one in enumerate(places)),
    )
    write(
        folder / "questions.jsonl",
        ({"id": f"q{n}", "text": "Why?", "documents": [f"d{n}"]} for n in range(questions)),
    )
    nuggets = (
        {"question": "Which?", "id": "n1", "answers": [{"text": one, "references": [f"d{n}"]}]}
        for n, one in enumerate(places)
    )
    gold = (
        {"id": f"q{n}", "answerable": True, "answer": places[n], "nuggets": [one]}
        for n, one in enumerate(nuggets)
    )
    write(folder / "gold.jsonl", gold)
    write(
        folder / "answers.jsonl",
        ({"id": f"q{n}", "answer": f"{one[:-1]} [d{n}]."} for n, one in enumerate(places)),
    )
    about = {"name": "large", "version": "1", "split": "dev", "language": "en"}
    (folder / "set.json").write_text(json.dumps(about))


def long_source(folder: Path) -> None:
    """One question with a source of ten million characters, and an answer of five sentences about it."""
    draw = random.Random(6)
    words = [
        "".join(draw.choices("abcdefghiklmnoprstuv", k=draw.randint(3, 9))) for _ in range(8_000)
    ]
    said = []
    for n in range(LONG // 105):
        figure = f" {draw.randint(2, 9_999):,} crowns" if n % 10 == 0 else ""
        said.append(f"{' '.join(draw.choices(words, k=16)).capitalize()}{figure}.")
    write(folder / "documents.jsonl", [{"id": "d", "text": " ".join(said)}])
    write(folder / "questions.jsonl", [{"id": "q", "text": "Which?", "documents": ["d"]}])
    nugget = {"question": "Which?", "id": "n1", "answers": [{"text": said[5], "references": ["d"]}]}
    write(
        folder / "gold.jsonl",
        [{"id": "q", "answerable": True, "answer": said[5], "nuggets": [nugget]}],
    )
    text = " ".join(f"{one[:-1]} [d]." for one in draw.sample(said, 5))
    write(folder / "answers.jsonl", [{"id": "q", "answer": text}])
    about = {"name": "long", "version": "1", "split": "dev", "language": "en"}
    (folder / "set.json").write_text(json.dumps(about))


def measured(folder: Path, *metrics: str) -> tuple[float, float]:
    """CPU seconds and peak MB of an evaluation in a process of its own."""
    command = [sys.executable, "-c", EVALUATE, str(folder), *metrics]
    told = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    peak = re.search(r"VmHWM:\s+(\d+) kB", told)
    assert peak is not None
    return float(told.split()[0]), int(peak[1]) / 1024


def evaluating(questions: int) -> list[Line]:
    lines = []
    with tempfile.TemporaryDirectory() as name:
        made = {}
        for count in (questions // 10, questions):
            folder = Path(name) / str(count)
            folder.mkdir()
            large_set(folder, count)
            made[count] = measured(folder, "argue", "citations", "accuracy")
        (few, _), (many, peak) = made.values()
        what = f"evaluate, {questions:,} questions, 3 metrics"
        lines += [
            at_most(f"{what}: memory", peak, 400.0, "MB", digits=0),
            at_most(f"{what}: time of a tenth", many / few, 12.0, "x"),
            Line(f"{what}: a question", f"{1e3 * many / questions:.2f} ms"),
        ]
        folder = Path(name) / "long"
        folder.mkdir()
        long_source(folder)
        seconds, peak = measured(folder, "argue", "citations")
        what = "evaluate, a source of 10 MB"
        lines += [
            at_most(what, seconds, 2.0, "s", digits=2),
            at_most(f"{what}: memory", peak, 200.0, "MB", digits=0),
        ]
    return lines


def main() -> int:
    """1 where a limit is missed."""
    parser = options(__doc__)
    parser.add_argument("--questions", type=int, default=QUESTIONS, help="of the large set")
    questions = parser.parse_args().questions
    return show([*present([splitting]), *judging(), *evaluating(questions)])


if __name__ == "__main__":
    sys.exit(main())
