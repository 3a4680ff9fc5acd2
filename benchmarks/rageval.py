"""rageval's published table on ALCE's sets, recomputed: every cell of ours beside theirs.

    python -m benchmarks.rageval FOLDER [--judge SPEC]

FOLDER holds the published outputs and the weights of ALCE's model, as `WHAT_TO_PUT` says. Exits 1 where a
cell differs by more than .05; without a folder it says what to put where, and exits 0.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from argue_bench import evaluate, load
from argue_bench.cli.tables import show_table
from argue_bench.loaders import read_answers
from argue_bench.records.table import Table
from benchmarks._options import options

MODEL = "t5_xxl_true_nli_mixture"
WHAT_TO_PUT = (
    f"Put the published outputs (huggingface.co/datasets/golaxy/rag-bench) as FOLDER/SET_RUN.json, such as "
    f"FOLDER/asqa_gtr_Llama_2_7b_chat_hf_vanilla_shot2_ndoc5.json, and google/{MODEL} as FOLDER/{MODEL}; "
    "then: python -m benchmarks.rageval FOLDER"
)
FIELDS = {
    "vanilla": "",
    "summary": ",document_field=summary",
    "snippet": ",document_field=extraction",
}


class Row(NamedTuple):
    """A row of rageval's README at 01e2580; ``correct`` is EM recall on ASQA and claim recall on ELI5."""

    kind: str
    set: str
    method: str
    ndoc: int
    correct: float
    recall: float
    precision: float

    @property
    def file(self) -> str:
        run = f"Llama_2_7b_chat_hf_{self.method}_shot2_ndoc{self.ndoc}"
        return f"{self.kind}_{self.set}_{run}.json"


TABLE = (
    Row("asqa", "gtr", "vanilla", 5, 33.35, 55.90, 80.04),
    Row("asqa", "gtr", "summary", 5, 37.00, 63.28, 82.82),
    Row("asqa", "gtr", "summary", 10, 37.20, 60.47, 74.45),
    Row("asqa", "gtr", "snippet", 5, 34.29, 56.69, 83.83),
    Row("asqa", "gtr", "snippet", 10, 34.50, 55.94, 72.49),
    Row("asqa", "dpr", "vanilla", 5, 29.22, 49.22, 81.01),
    Row("asqa", "oracle", "vanilla", 5, 41.71, 58.09, 78.87),
    Row("eli5", "bm25", "vanilla", 5, 11.50, 26.62, 74.55),
    Row("eli5", "oracle", "vanilla", 5, 17.76, 34.01, 75.64),
)
AT_MOST = 0.05
"""How far a cell may be from the published one, times 100: it has two decimals, one of them rounded down."""


def main(arguments: list[str] | None = None) -> int:
    """1 where a cell differs."""
    parser = options(WHAT_TO_PUT)
    parser.add_argument("folder", nargs="?", type=Path)
    parser.add_argument("--judge", default="", help="another judge than the weights in FOLDER")
    given = parser.parse_args(arguments)
    there = [row for row in TABLE if given.folder and (given.folder / row.file).is_file()]
    if not there:
        print(WHAT_TO_PUT)
        return 0
    judge = given.judge or f"nli:{given.folder / MODEL}"
    lines, equal = [], True
    for row in there:
        for name, theirs, ours in _cells(row, given.folder, judge):
            close = ours is not None and abs(ours - theirs) <= AT_MOST
            equal = equal and close
            shown = "-" if ours is None else f"{ours:.2f}"
            words = (row.kind, row.set, f"{row.method} {row.ndoc}", name, f"{theirs:.2f}", shown)
            lines.append((*words, "" if close else "differs"))
    head = ("data", "set", "method", "cell", "published", "ours", "")
    show_table(Table(head, lines, right=(4, 5)))
    absent = [row.file for row in TABLE if row not in there]
    print(f"\njudge {judge}; " + (f"not there: {', '.join(absent)}" if absent else "every row"))
    return 0 if equal else 1


def _cells(row: Row, folder: Path, judge: str) -> Iterator[tuple[str, float, float | None]]:
    """The name of each cell, the published figure and ours, times 100."""
    name, path = f"alce-{row.kind}", folder / row.file
    dataset = load(name, row.set, path)
    correct = "str_em" if row.kind == "asqa" else "claims"
    report = evaluate(
        dataset,
        read_answers(path, dataset).values(),
        [f"{correct}(rules=rageval)", f"citations(rules=rageval{FIELDS[row.method]})"],
        judge=judge,
        store=path.with_suffix(".verdicts"),
    )
    for cell, key, theirs in (
        ("EM recall" if row.kind == "asqa" else "claim recall", f"{correct}.recall", row.correct),
        ("citation recall", "citations.recall", row.recall),
        ("citation precision", "citations.precision_micro", row.precision),
    ):
        value = report.value(key)
        yield cell, theirs, None if value is None else 100 * value


if __name__ == "__main__":
    sys.exit(main())
