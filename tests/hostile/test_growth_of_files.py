"""Twice the questions, documents, verdicts or systems take twice as long: every loader, and what reads its records."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterable
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from argue_bench import compare, evaluate, load
from argue_bench.eval.run import read_reports
from argue_bench.loaders import read_answers
from argue_bench.loaders.rows import read_rows
from argue_bench.pages.build import build_pages
from argue_bench.published.auto_argue.files import read_judgments
from argue_bench.published.trec.collection import Collection
from argue_bench.records import Entails, JudgeRequest, Source, Verdict
from argue_bench.store import Author, Store
from argue_bench.view.pages import write_viewer
from argue_bench.web.citing_answers import read_web_answers
from tests.growth import assert_doubles
from tests.pages.boards import large
from tests.published.auto_argue.test_files import AS_SEGMENTS, SEGMENTS

pytestmark = pytest.mark.release
WORDS = ("bridge", "dam", "library", "mill", "tower", "harbour", "school", "museum", "market")
JUDGE = Author.of("judge", {"version": "1"})
Work = Callable[[], object]


def _sentence(draw: random.Random) -> str:
    place, year = draw.randrange(10**6), draw.randrange(1000, 2020)
    return f"The {draw.choice(WORDS)} of Norvik{place} was built in {year} for {year * 7:,} crowns."


def _write(path: Path, rows: Iterable[Any]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def written_set(folder: Path, size: int, draw: random.Random) -> Path:
    """A folder of the core format, with answers that cite."""
    said = [[_sentence(draw) for _ in range(3)] for _ in range(size)]
    documents = ({"id": f"d{n}", "text": " ".join(one)} for n, one in enumerate(said))
    _write(folder / "documents.jsonl", documents)
    questions = ({"id": f"q{n}", "text": "Why?", "documents": [f"d{n}"]} for n in range(size))
    _write(folder / "questions.jsonl", questions)
    gold = (
        {"question": "Which?", "id": "n1", "answers": [{"text": one[0], "references": [f"d{n}"]}]}
        for n, one in enumerate(said)
    )
    rows = (
        {"id": f"q{n}", "answerable": True, "answer": said[n][0], "nuggets": [one]}
        for n, one in enumerate(gold)
    )
    _write(folder / "gold.jsonl", rows)
    answers = ({"id": f"q{n}", "answer": f"{one[0][:-1]} [d{n}]."} for n, one in enumerate(said))
    _write(folder / "answers.jsonl", answers)
    about = {"name": "grown", "version": "1", "split": "dev", "language": "en"}
    (folder / "set.json").write_text(json.dumps(about))
    return folder


def core(folder: Path, size: int, draw: random.Random) -> Work:
    written_set(folder, size, draw)
    return lambda: load(folder)


def trec_reports(folder: Path, size: int, draw: random.Random) -> Work:
    dataset = load(written_set(folder, size, draw))
    about = {"run_id": "run", "team_id": "us", "type": "automatic"}
    reports = (
        {
            "metadata": {**about, "topic_id": f"q{n}"},
            "references": [f"d{n}"],
            "answer": [{"text": _sentence(draw), "citations": [0]}],
        }
        for n in range(size)
    )
    path = _write(folder / "reports.jsonl", reports)
    return lambda: read_answers(path, dataset)


def rows(folder: Path, size: int, draw: random.Random) -> Work:
    given = (
        {
            "question": f"{n}?",
            "answer": _sentence(draw),
            "contexts": [_sentence(draw) for _ in range(3)],
        }
        for n in range(size)
    )
    path = _write(folder / "rows.jsonl", given)
    return lambda: read_rows(path)


def collection(folder: Path, size: int, draw: random.Random) -> Work:
    documents = ({"id": f"d{n}", "text": _sentence(draw)} for n in range(size))
    path = _write(folder / "documents.jsonl", documents)

    def look_up() -> None:
        found = Collection(path)
        for number in range(0, size, 7):
            assert found[f"d{number}"].text

    return look_up


def web_answers(folder: Path, size: int, draw: random.Random) -> Work:
    dataset = load(written_set(folder, size, draw))
    link = "[{0}](https://example.org/{0})"
    given = (
        {"id": f"q{n}", "answer": f"{_sentence(draw)} {link.format(n)} {_sentence(draw)}"}
        for n in range(size)
    )
    path = _write(folder / "web.jsonl", given)
    return lambda: read_web_answers(path, dataset)


def judgments(folder: Path, size: int, draw: random.Random) -> Work:
    """Auto-ARGUE's, in the shape of segments."""

    def row(n: int) -> dict[str, Any]:
        texts = [segment | {"text": _sentence(draw)} for segment in SEGMENTS * 3]
        return AS_SEGMENTS | {"request_id": str(n), "segments": texts}

    path = _write(folder / "judgments.jsonl", map(row, range(size)))
    return lambda: list(read_judgments(path))


def _run(folder: Path, size: int, draw: random.Random, name: str = "run") -> Path:
    dataset = load(written_set(folder, size, draw))
    given = read_answers(folder / "answers.jsonl", dataset).values()
    evaluate(dataset, given, ["argue", "citations"], out=folder / name)
    return folder / name


def run_files(folder: Path, size: int, draw: random.Random) -> Work:
    path = _run(folder, size, draw)
    return lambda: read_reports(path)


def comparing(folder: Path, size: int, draw: random.Random) -> Work:
    (one,) = read_reports(_run(folder, size, draw)).values()
    dataset = load(folder)
    other = evaluate(
        dataset,
        [{"id": question.id, "answer": _sentence(draw)} for question in dataset],
        ["argue", "citations"],
    )
    return lambda: compare(one, other, names=["one", "other"], permutations=2_000)


def viewing(folder: Path, size: int, draw: random.Random) -> Work:
    path = _run(folder, size, draw)
    dataset = load(folder)
    return lambda: write_viewer(path, dataset, folder / "view")


def _verdicts(size: int, draw: random.Random) -> list[tuple[JudgeRequest, Verdict]]:
    return [
        (Entails((Source(f"d{n}", _sentence(draw)),), _sentence(draw)), Verdict("yes"))
        for n in range(size)
    ]


def _store(path: Path, given: list[tuple[JudgeRequest, Verdict]]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    parts = iter(given)
    with Store(path) as store:
        while some := list(islice(parts, 512)):
            store.add_all(JUDGE, some)
    return path


def storing(folder: Path, size: int, draw: random.Random) -> Work:
    given = _verdicts(size, draw)
    return lambda: _store(folder / "store", given)


def site(folder: Path, size: int, draw: random.Random) -> Work:
    board = large(size)
    return lambda: build_pages(board, folder / "site")


SIZES = {
    core: 1_000,
    trec_reports: 2_000,
    rows: 1_500,
    collection: 5_000,
    web_answers: 300,
    judgments: 250,
    run_files: 300,
    comparing: 250,
    viewing: 150,
    storing: 3_000,
    site: 60,
}


@pytest.mark.parametrize("kind", SIZES, ids=lambda kind: kind.__name__)
def test_twice_as_much_takes_twice_as_long(
    kind: Callable[[Path, int, random.Random], Work], tmp_path: Path
) -> None:
    def work(size: int, draw: int) -> Work:
        return kind(tmp_path / f"{size}-{draw}", size, random.Random(draw))

    assert_doubles(work, SIZES[kind])
