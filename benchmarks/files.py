"""How many files of the package one question passes, warm: what a reader would step through.

The second of two equal calls is followed with `sys.setprofile`; a file counts where one of its functions
runs. Exits 1 where a limit is passed; with ``-v`` the files are listed.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Any

from argue_bench import evaluate, from_rows, load_dev, metrics
from benchmarks._options import options
from benchmarks._table import at_most, show

PACKAGE = Path(metrics.__file__).parents[1]
ROW = {
    "question": "When did the bridge open?",
    "answer": "The bridge opened in 1931 [1]. It is 300 metres long [2].",
    "contexts": ["The bridge opened in 1931.", "The bridge is 250 metres long."],
}
LIMITS = {"accuracy": 18, "argue": 26, "citations": 26, "faithfulness of a row": 30}


def files_passed(call: Callable[[], Any]) -> dict[str, int]:
    """By file: how many functions of it the second call runs."""
    call()
    passed: dict[str, set[str]] = {}

    def note(frame: FrameType, event: str, arg: Any) -> None:
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(str(PACKAGE)):
            file = Path(code.co_filename).relative_to(PACKAGE).as_posix()
            passed.setdefault(file, set()).add(code.co_qualname)

    threading.setprofile(note)
    sys.setprofile(note)
    try:
        call()
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    return {file: len(names) for file, names in sorted(passed.items())}


def calls() -> dict[str, Callable[[], Any]]:
    dev = load_dev()[:1]
    (question,) = dev
    answers = [{"id": question.id, "answer": f"It opened in 1931 [{question.documents[0]}]."}]

    def row() -> Any:
        data, given = from_rows([ROW])
        return evaluate(data, given, ["faithfulness"])

    names = ("accuracy", "argue", "citations")
    found = {name: partial(evaluate, dev, answers, [name]) for name in names}
    return {**found, "faithfulness of a row": row}


def main() -> int:
    parser = options(__doc__)
    parser.add_argument("-v", action="store_true", help="list the files")
    listed = parser.parse_args().v
    lines = []
    for name, call in calls().items():
        passed = files_passed(call)
        lines.append(at_most(name, len(passed), LIMITS[name], "files", digits=0))
        if listed:
            print(f"{name}: " + ", ".join(f"{file} {count}" for file, count in passed.items()))
    return int(show(lines))


if __name__ == "__main__":
    sys.exit(main())
