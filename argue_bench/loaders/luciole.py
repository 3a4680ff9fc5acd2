"""Luciole: grounded questions over retrieved chunks, some without an answer, English and French.

Two layouts of columns, told apart row by row. As opened: ``messages`` (system with the retrieved
chunks, user, assistant) and ``supporting_facts_titles``. As it became: ``id``, ``query``,
``retrieved_documents``, ``titles``, ``supporting_index``, ``answer``; of those rows the share
``DROP_RATIO`` loses its supporting chunks, by a hash of the id, and so has no answer; chunks are shown
in an order drawn from the id. Rows whose other chunks still say the answer get the category
``answer-left``. Files: SUBSET.jsonl, SUBSET.json or SUBSET.parquet (extra [hf]).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeGuard

from argue_bench.errors import Code, DataError, Finding, MissingExtra
from argue_bench.loaders.dataset import Dataset
from argue_bench.loaders.luciole_rows import (
    context,
    gold_answer,
    other_forms,
    partition,
    split_chunks,
    states_answer,
)
from argue_bench.records import Document, Gold, Question, ShortAnswer
from argue_bench.records.untrusted import GOLD_LIMITS, read_json, read_lines

REPOSITORY = "Mvanypersele/luciole_rag_benchmark"
SUBSETS: dict[str, tuple[str, str]] = {
    # subset: language, published split
    "hotpotqa": ("en", "validation"),
    "hotpotqa_fr": ("fr", "test"),
    "tatqa": ("en", "test"),
    "tatqav2": ("en", "validation"),
    "piaf": ("fr", "test"),
    "newsquadfr": ("fr", "test"),
    "squad2_fr_pragnakalp": ("fr", "test"),
}
DROP_RATIO = 0.5
METRICS = ("grounding",)
ANSWER_LEFT = "answer-left"
"""The category of rows that lost their support and whose other chunks still say the answer."""


def load_luciole(
    subset: str, path: Path | None = None, drop_ratio: float = DROP_RATIO, shuffle: bool = True
) -> Dataset:
    """One subset, from a file, a folder that holds it, or its published place (extra [hf]).

    Raises DataError with every finding at once, MissingExtra.
    """
    language = SUBSETS[subset][0]
    file = None if path is None else _local(subset, path)
    rows = _published(subset) if file is None else _rows(file)
    reader = _Reader(str(file or REPOSITORY), language, drop_ratio, shuffle)
    questions = tuple(question for n, row in rows if (question := reader.question(n, row)))
    if not questions and not reader.findings:
        reader.find(Code.EMPTY, "the file holds no row")
    if reader.findings:
        raise DataError(reader.findings)
    return Dataset(
        "luciole",
        subset,
        questions,
        reader.documents,
        metrics=METRICS,
        version=f"drop={drop_ratio},shuffle={str(shuffle).lower()}" if reader.partitioned else "",
    )


def _local(subset: str, path: Path) -> Path:
    if not path.is_dir():
        return path
    for ending in ("jsonl", "json", "parquet"):
        if (file := path / f"{subset}.{ending}").is_file():
            return file
    hint = f"Put it there as {subset}.jsonl, {subset}.json or {subset}.parquet."
    raise DataError.of(Code.NO_SUCH_FILE, f"the folder has no {subset}", path, hint=hint)


def _rows(file: Path) -> Iterator[tuple[int, Any]]:
    if file.suffix == ".parquet":
        yield from enumerate(_hub("parquet", data_files=str(file), split="train"), 1)
    elif file.suffix == ".json":
        value = read_json(file)
        if not isinstance(value, list):
            raise DataError.of(Code.SHAPE, "the file is not a list of rows", file)
        yield from enumerate(value, 1)
    else:
        for line in read_lines(file, GOLD_LIMITS):
            if not line.ok:
                raise DataError(line.findings)
            if not line.blank:
                yield line.number, line.value


def _published(subset: str) -> Iterator[tuple[int, Any]]:
    yield from enumerate(_hub(REPOSITORY, subset, split=SUBSETS[subset][1]), 1)


def _hub(*words: str, **options: str) -> Any:
    """Rows through the `datasets` library; every way in which it fails is one finding."""
    try:
        import datasets
    except ImportError:
        raise MissingExtra("reading Parquet files and the hub", "hf") from None
    try:
        return datasets.load_dataset(*words, **options)
    except Exception as error:  # datasets, pyarrow and the hub's client raise of every kind
        place = options.get("data_files", f"https://huggingface.co/datasets/{REPOSITORY}")
        raise DataError.of(
            Code.NOT_FETCHED,
            f"the rows can't be read: {type(error).__name__}: {str(error).partition(chr(10))[0]:.200}",
            place,
            hint="Fetch the subset elsewhere and name the file or folder: --data PATH.",
        ) from None


class _Reader:
    """Turns rows into questions and their chunks into documents; what does not fit is a finding."""

    def __init__(self, file: str, language: str, ratio: float, shuffle: bool) -> None:
        self.file, self.language, self.ratio, self.shuffle = file, language, ratio, shuffle
        self.documents: dict[str, Document] = {}
        self.findings: list[Finding] = []
        self.partitioned = False
        self._seen: set[str] = set()

    def find(self, code: Code, message: str, line: int | None = None) -> None:
        self.findings.append(Finding(code, message, self.file, line))

    def question(self, number: int, row: Any) -> Question | None:
        if not isinstance(row, Mapping):
            self.find(Code.ROW_SHAPE, "the row is no object", number)
            return None
        id = f"row-{number}" if row.get("id") in (None, "") else str(row["id"])
        if id in self._seen:
            self.find(Code.DUPLICATE_ID, f"the id {id!r} stands twice", number)
            return None
        self._seen.add(id)
        return self._chat(number, id, row) if "messages" in row else self._plain(number, id, row)

    def _chat(self, number: int, id: str, row: Mapping[str, Any]) -> Question | None:
        messages, titles = row["messages"], _null_is_none(row, "supporting_facts_titles")
        texts = [m.get("content") if isinstance(m, Mapping) else None for m in _listed(messages)]
        if len(texts) < 3 or not _are_texts(texts):
            self.find(Code.MESSAGES, "messages are not three or more with a text each", number)
            return None
        if not _are_texts(titles):
            self.find(Code.SUPPORTING, "supporting_facts_titles is not a list of texts", number)
            return None
        shown = split_chunks(context(texts[0])[0])
        supporting = [i for i, (title, _) in enumerate(shown) if title in titles]
        ids = self._add(id, shown)
        known = {shown[i][0] for i in supporting}
        # A gold title that was not retrieved stays gold: recall must miss it.
        missing = [title for title in dict.fromkeys(titles) if title.strip() and title not in known]
        gold = gold_answer(texts[2]) if titles else ""
        support = tuple([ids[i] for i in supporting] + missing)
        answers = (gold, *other_forms(gold, texts[2])) if gold else ()
        return self._made(id, texts[1], ids, answers, support, bool(titles), row)

    def _plain(self, number: int, id: str, row: Mapping[str, Any]) -> Question | None:
        texts, titles = row.get("retrieved_documents"), row.get("titles")
        index, answer = _null_is_none(row, "supporting_index"), row.get("answer")
        if not (_are_texts(texts) and _are_texts(titles) and len(texts) == len(titles)):
            wrong = "retrieved_documents and titles are not lists of texts of one length"
            self.find(Code.DOCUMENTS, wrong, number)
            return None
        if not _are_integers(index) or not isinstance(row.get("query"), str):
            self.find(
                Code.ROW_SHAPE, "query is no text, or supporting_index no list of integers", number
            )
            return None
        self.partitioned = True
        parts = partition(str(row.get("id", "")), len(texts), index, self.ratio, self.shuffle)
        ids = self._add(id, [(titles[i], texts[i]) for i in parts.shown])
        place = {at: ids[n] for n, at in enumerate(parts.shown)}
        gold = answer.strip() if isinstance(answer, str) else ""
        support = tuple(place[i] for i in parts.supporting)
        left = (
            parts.dropped
            and gold
            and states_answer(gold, [texts[i] for i in parts.shown], self.language)
        )
        return self._made(
            id,
            row["query"],
            ids,
            (gold,) if gold else (),
            support,
            parts.answerable,
            row,
            (ANSWER_LEFT,) if left else (),
        )

    def _add(self, id: str, shown: Sequence[tuple[str, str]]) -> list[str]:
        ids = []
        for n, (title, text) in enumerate(shown, 1):
            document = Document(f"{id}/{n}", text, title, language=self.language)
            self.documents[document.id] = document
            ids.append(document.id)
        return ids

    def _made(
        self,
        id: str,
        text: str,
        ids: Sequence[str],
        answers: tuple[str, ...],
        supporting: tuple[str, ...],
        answerable: bool,
        row: Mapping[str, Any],
        categories: tuple[str, ...] = (),
    ) -> Question:
        language = row.get("language")
        return Question(
            id,
            text,
            documents=tuple(ids),
            categories=categories,
            language=language if language in ("en", "fr") else self.language,
            gold=Gold(
                answerable=answerable,
                short_answers=(ShortAnswer(text, answers),) if answers and answerable else (),
                supporting=supporting,
            ),
        )


def _listed(value: Any) -> Sequence[Any]:
    return value if isinstance(value, list) else []


def _null_is_none(row: Mapping[str, Any], key: str) -> Any:
    """A column; null there is an empty list, a column that is missing is not."""
    return [] if key in row and row[key] is None else row.get(key)


def _are_texts(value: Any) -> TypeGuard[list[str]]:
    return isinstance(value, list) and all(isinstance(one, str) for one in value)


def _are_integers(value: Any) -> TypeGuard[list[int]]:
    return isinstance(value, list) and all(type(one) is int for one in value)
