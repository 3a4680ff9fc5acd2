"""Speed and memory of judging and counting the runs of a whole track.

Run by ``python -m benchmarks argue``. The data are generated at the size of the paper's evaluation: 51
runs on 21 topics, 14 sentences and nuggets each, about 84 judgments a report. Each row is a process of
its own; peak memory is the process's own (VmHWM); the ratio is to reading the same file by
``json.loads`` line by line. The judge answers at once, so its rows show our own part.
"""

from __future__ import annotations

import json
import random
import re
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks._options import options
from benchmarks._table import Line, at_most, show

RUNS = (5, 51, 204)
TOPICS, SENTENCES, NUGGETS, ANSWERS, DOCUMENTS = 21, 14, 14, 4, 40

PEAK = '\nprint(open("/proc/self/status").read(), file=sys.stderr)'
COMMAND = "import sys\nfrom argue_bench.cli import main\nmain(sys.argv[1:], standalone_mode=False)"
EVALUATE = """
import asyncio, sys
from pathlib import Path
from argue_bench.published.auto_argue.runs import evaluate_reports
from argue_bench.judges.base import Counts, Judge
from argue_bench.published.trec.topic_files import load_topics
from argue_bench.metrics import parse
from argue_bench.records import KINDS, Document, Verdict
class Instant(Judge):
    name, kinds, batch, counts = "instant", frozenset(KINDS.values()), 256, Counts()
    def identity(self): return {}
    async def judge(self, requests):
        for request in requests:
            yield request, Verdict("no" if int(request.key[:2], 16) < 40 else "yes")
reports, nuggets, out = map(Path, sys.argv[1:])
documents = {f"t{t}d{d}": Document(f"t{t}d{d}", "word " * 400) for t in range(21) for d in range(40)}
metric = parse("argue(rules=auto-argue)")
asyncio.run(evaluate_reports(reports, load_topics(nuggets, documents), metric, {"": Instant()}, out))
"""


def bank(topic: int, draw: random.Random) -> dict[str, Any]:
    """One nugget file; an answer is in a tenth of the topic's documents."""
    nuggets = {}
    for n in range(NUGGETS):
        answers = {}
        for a in range(ANSWERS):
            where = draw.sample(range(DOCUMENTS), DOCUMENTS // 10)
            text = f"answer {a} to question {n} of topic {topic}"
            answers[text] = {
                "answer": text,
                "references": [{"doc_id": f"t{topic}d{d}"} for d in where],
            }
        kind = "AND" if n % 7 == 0 else "OR"
        nuggets[f"Question {n} of topic {topic}?"] = {"aggregator_type": kind, "answers": answers}
    return {"query_id": str(topic), "nugget_bank": nuggets}


def segment(
    text: str, document: str, nuggets: dict[str, Any], draw: random.Random
) -> tuple[Any, int]:
    """A judged sentence with one citation, and how many judgments were made for it."""
    linked = [
        (question, answer)
        for question, row in nuggets.items()
        for answer, one in row["answers"].items()
        if {"doc_id": document} in one["references"]
    ]
    matched = [
        {"question_text": question, "matched_answer": [answer], "importance": None}
        for question, answer in linked
        if draw.random() < 0.4
    ]
    responses: dict[str, dict[str, Any]] = {
        "CITED_DOCUMENT_RELEVANCE": {"doc_id": document, "is_relevant": bool(linked)},
        "SENTENCE_ANSWERS_QUESTION": {"matched_nuggets": matched},
        "SENTENCE_ATTESTED": {"is_attested": draw.random() < 0.9},
    }
    judgments = [
        {
            "judgment_type_id": kind,
            "response": {"judgment_type_id": kind, **response},
            "evaluator": "made",
            "provenance": {"doc_id": document},
        }
        for kind, response in responses.items()
    ]
    citation = {"doc_id": document, "text": "word " * 400}
    made = {
        "segment_type": "sentence",
        "text": text,
        "citations": [citation],
        "judgments": judgments,
    }
    return made, 1 + len(linked)


def make(folder: Path, runs: int) -> tuple[Path, Path, Path, int]:
    """Nuggets, reports, judgments, and how many calls these judgments would have been."""
    draw = random.Random(7)
    nuggets = folder / "nuggets"
    nuggets.mkdir(exist_ok=True)
    banks = [bank(topic, draw) for topic in range(TOPICS)]
    for topic, one in enumerate(banks):
        (nuggets / f"n_{topic}.v3.json").write_text(json.dumps(one))
    reports, judged, calls = folder / f"reports-{runs}.jsonl", folder / f"judgments-{runs}.jsonl", 0
    with reports.open("w") as report_file, judged.open("w") as judged_file:
        for run in range(runs):
            for topic in range(TOPICS):
                segments = []
                for s in range(SENTENCES):
                    text = (
                        f"Sentence {s} of run {run} on topic {topic} says something of some length."
                    )
                    document = f"t{topic}d{draw.randrange(DOCUMENTS)}"
                    made, asked = segment(text, document, banks[topic]["nugget_bank"], draw)
                    segments.append(made)
                    calls += asked
                about = {"team_id": "t", "run_id": f"run{run}", "topic_id": str(topic)}
                responses = [
                    {"text": s["text"], "citations": [c["doc_id"] for c in s["citations"]]}
                    for s in segments
                ]
                report = {"metadata": about, "responses": responses, "references": []}
                report_file.write(json.dumps(report) + "\n")
                judged_file.write(json.dumps({"report": report, "judgments": segments}) + "\n")
    return nuggets, reports, judged, calls


def measure(code: str, *words: str | Path) -> tuple[float, float]:
    """CPU seconds and peak MB of one process."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [sys.executable, "-c", code + PEAK, *map(str, words)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    peak = re.search(r"VmHWM:\s+(\d+) kB", done.stderr)
    assert peak is not None
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return seconds, int(peak[1]) / 1024


def plain(path: Path) -> float:
    """CPU seconds to parse a file and nothing more."""
    started = time.process_time()
    with path.open(encoding="utf-8") as file:
        for line in file:
            json.loads(line)
    return time.process_time() - started


def main() -> int:
    """1 where time or memory grow faster than the runs."""
    options(__doc__).parse_args()
    lines: list[Line] = []
    took: dict[int, tuple[float, float]] = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)

        def row(what: str, code: str, base: float, *words: str | Path) -> tuple[float, float]:
            seconds, peak = measure(code, *words)
            times = f"{seconds / base:,.0f} x json.loads"
            lines.append(
                Line(what, f"{seconds:.1f} s, {peak:.0f} MB", bound=f"{base:.2f} s", ratio=times)
            )
            return seconds, peak

        for runs in RUNS:
            nuggets, reports, judged, calls = make(folder, runs)
            shown, scores = f"{runs} runs, {calls:,} judgments", folder / "scores.tsv"
            words = ("evaluate", "--judgments", judged, "--nuggets", nuggets, "--scores", scores)
            took[runs] = row(f"{shown}: counted", COMMAND, plain(judged), *words)
            if runs == RUNS[-1]:
                break
            out, base = folder / f"{runs}.run", plain(reports)
            row(f"{shown}: judged at once", EVALUATE, base, reports, nuggets, out)
            row(f"{shown}: again, all stored", EVALUATE, base, reports, nuggets, out)
            base, again = plain(out), ("evaluate", "--judgments", out, "--scores", scores)
            rules = ("--rules", "argue-2024", "--nuggets", nuggets)
            row(f"{shown}: its run file counted", COMMAND, base, *again)
            row(f"{shown}: by other rules", COMMAND, base, *again, *rules)
    _, few, many = RUNS
    seconds, memory = (large / small for large, small in zip(took[many], took[few], strict=True))
    times = many // few
    return show(
        [
            *lines,
            at_most(f"counting {times} times as many runs", seconds, 1.2 * times, "x"),
            at_most("its memory", memory, 1.5, "x", digits=2),
        ]
    )


if __name__ == "__main__":
    sys.exit(main())
