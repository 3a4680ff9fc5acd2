"""Writes labels of MT-RAG's three raters (Katsis et al. 2025), as `judge check` and `evaluate` read them.

    python -m benchmarks.mtrag_labels FOLDER [PATH of mtrag_eval.json] [--share 0.2]

Writes FOLDER/requests.jsonl, a label of each rater on whether the passages support the whole answer (4 is
full, 2 and 3 partial, 1 no), and FOLDER/grades.jsonl, each rater's faithfulness of a share of the
answers, 1 to 4 as 0 to 1, drawn by a hash of their ids. Then:

    argue-bench judge check lexical --labels FOLDER/requests.jsonl
    argue-bench evaluate mtrag_eval.json -m faithfulness --labels FOLDER/grades.jsonl --out mtrag.run
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import argue_bench as ab
from argue_bench.records import Source, SupportLevel, request_to_json
from benchmarks._options import options
from tests.shared import SHARED

LEVELS = {4: "full", 3: "partial", 2: "partial", 1: "no"}


def main() -> None:
    """Writes both files."""
    parser = options(__doc__)
    parser.add_argument("folder", type=Path)
    default = SHARED / "data" / "mtrag" / "mtrag_eval.json"
    parser.add_argument("path", type=Path, nargs="?", default=default)
    parser.add_argument("--share", type=float, default=0.2)
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    dataset, answers = ab.from_rows(given.path)
    said = {answer.id: answer for answer in answers}
    requests, grades = [], []
    for row in json.loads(given.path.read_text(encoding="utf-8"))["evaluations"]:
        id = f"{row['task_id']}/{row['model_id']}"
        question = dataset.by_id[id]
        contexts = tuple(
            Source.of(document) for document in dataset.documents_of(question).values()
        )
        drawn = int(hashlib.sha256(id.encode()).hexdigest()[:8], 16) / 16**8 < given.share
        for rater, one in sorted(row["annotations"]["faithfulness"].items()):
            rating = int(float(one["value"]))
            if question.documents and contexts:
                ask = request_to_json(SupportLevel(contexts, said[id].plain, question.text))
                requests.append(
                    {"ask": ask, "verdict": LEVELS[rating], "by": rater, "question": id}
                )
            if drawn:
                grades.append(
                    {
                        "question": id,
                        "score": "faithfulness.supported",
                        "value": (rating - 1) / 3,
                        "by": rater,
                    }
                )
    for name, lines in (("requests", requests), ("grades", grades)):
        text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
        (given.folder / f"{name}.jsonl").write_text(text, encoding="utf-8")
        print(f"{given.folder / name}.jsonl: {len(lines)} labels")


if __name__ == "__main__":
    main()
