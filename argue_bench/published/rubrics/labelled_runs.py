"""Run files of systems that people labelled: their scores and intervals need no judge.

A run file holds tallies, whoever judged; so `compare`, bands and power read these like any other.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

from argue_bench.eval.run import Entry, Header, entry_line, write_run
from argue_bench.published.rubrics.dragun import DragunRules, Reports
from argue_bench.published.rubrics.rubric import Dragun
from argue_bench.records import Answer, Tally
from argue_bench.records.display import escape


def write_labelled_runs(folder: Path, scores: Reports, labels: Path, rules: DragunRules) -> None:
    """Writes RUN.jsonl for each run, with its supportive and contradictory scores on each topic.

    Runs are comparable where they are of the same topics; the signature names the labels' file with
    the first digits of its SHA-256, and the ``rules`` that they were counted by.
    """
    digest = hashlib.sha256(labels.read_bytes()).hexdigest()
    text = str(Dragun())
    signature = {
        "metric": text,
        "data": f"dragun@{digest[:8]}",
        "judge": f"labels:{labels.name}",
        "counted": rules,
    }
    runs: dict[str, dict[str, dict[str, Tally]]] = {}
    for (topic, run), score in scores.items():
        runs.setdefault(run, {})[topic] = {
            "supportive": Tally(score.supportive, score.most),
            "contradictory": Tally(score.contradictory, score.most),
        }
    header = Header(f"dragun@{digest[:8]}", f"sha256:{digest}", (text,), {text: signature})
    for run, topics in runs.items():
        with write_run(folder / f"{escape(run).replace('/', '_')}.jsonl", header) as write:
            for topic, tallies in topics.items():
                answer = Answer(topic, run=run)
                write(entry_line(Entry(answer, {text: tallies}, {text: ()})))
