"""Luciole: grounded questions over retrieved chunks, some without an answer, English and French.

Source: OpenLLM-France's lighteval tasks; https://huggingface.co/datasets/Mvanypersele/luciole-rag-sft (v1, seven
subsets) and https://huggingface.co/datasets/Mvanypersele/luciole_rag_benchmark (head, six).
A row has one of two layouts. First published: ``messages`` (system with the retrieved chunks, user,
assistant) and ``supporting_facts_titles``. Published since: ``id``, ``query``, ``retrieved_documents``,
``titles``, ``supporting_index``, ``answer``; of those rows the share ``DROP_RATIO`` loses its
supporting chunks, by a hash of the id, and so has no answer; chunks come in an order drawn from the
id. Rows whose other chunks still say the answer get the category ``answer-left``. Files: SUBSET.jsonl or
SUBSET.parquet (extra [hf]).

Gold answers, chunks and dropped support follow the rules of OpenLLM-France's lighteval tasks to the
letter (508d4a7 and f372020): the data set is what they make of the rows, whatever metric reads it then.
"""

from __future__ import annotations

import hashlib
import os
import random
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from operator import itemgetter
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeGuard, TypeVar

from argue_bench.errors import Code, DataError, UsageError
from argue_bench.loaders.dataset import Dataset
from argue_bench.loaders.findings import Findings
from argue_bench.published.foreign import find_file
from argue_bench.records import Document, Gold, Question, Request, ShortAnswer
from argue_bench.records.grouping import grouped
from argue_bench.records.untrusted import GOLD_LIMITS, read_lines
from argue_bench.text import read_answer
from argue_bench.text.typed import typed_text

T = TypeVar("T")
Version = Literal["v1", "head"]
SUBSETS = {
    # subset: language
    "hotpotqa": "en",
    "hotpotqa_fr": "fr",
    "tatqa": "en",
    "tatqav2": "en",
    "piaf": "fr",
    "newsquadfr": "fr",
    "squad2_fr_pragnakalp": "fr",
}
_COMMON = {
    "hotpotqa": "validation",
    "hotpotqa_fr": "test",
    "piaf": "test",
    "squad2_fr_pragnakalp": "test",
}
# By version: the variable that names another repository, the repository, and the split of each subset.
PUBLISHED: Mapping[Version, tuple[str, str, Mapping[str, str]]] = {
    "v1": (
        "RAG_LUCIOLE_HF_REPO",
        "Mvanypersele/luciole-rag-sft",
        {**_COMMON, "tatqa": "validation", "tatqav2": "validation", "newsquadfr": "validation"},
    ),
    "head": (
        "LUCIOLE_RAG_HF_REPO",
        "Mvanypersele/luciole_rag_benchmark",
        {**_COMMON, "tatqa": "test", "newsquadfr": "test"},
    ),
}
_USE_JUDGE = ("RAG_LUCIOLE_USE_JUDGE", "LUCIOLE_RAG_USE_JUDGE")
_ELSEWHERE = "Fetch the subset elsewhere and name the file or folder: --data PATH."
# Of OpenLLM-France's task at f372020: half of the rows lose their support.
DROP_RATIO = 0.5
# The category of rows that lost their support and whose other chunks still say the answer.
ANSWER_LEFT = "answer-left"
_MARKERS = ("Here are the retrieved documents : `", "Voici les documents récupérés : `")
_BULLET = re.compile(r"^\*\s*filename:\s*(.+)$", re.MULTILINE)
_BRACKETS = re.compile(r"^\[([^\[\]\n]+)\]$", re.MULTILINE)
_CHUNK_TITLE = re.compile(f"{_BULLET.pattern}|{_BRACKETS.pattern}", re.MULTILINE)
_GOLD = tuple(
    re.compile(pattern, re.IGNORECASE | re.MULTILINE)
    for pattern in (
        r"\*\*(?:final\s+)?answer[:*]*[:\s]*(.+)",
        r"answer[:\s]+(.+)",
        r"the (?:final )?answer is[:\s]+(.+?)(?:\.|$)",
        r"\*\*réponse\s+finale\s*[:*]*[:\s]*(.+)",
        r"\*\*(.+?)\*\*\s*(?:\.|$)",
    )
)
_LEFT_OVER = re.compile(r"^(?:is|are|was|were|est|sont|était)\b[\s:]*", re.IGNORECASE)
_BOLD = re.compile(r"\*\*([^*\n]+)\*\*")


def load_luciole(
    subset: str,
    path: Path | None = None,
    drop_ratio: float = DROP_RATIO,
    shuffle: bool = True,
    version: Version = "head",
    secret: str = "",
) -> Dataset:
    """One subset, from a file, a folder that holds it, or the published place of a version (extra [hf]).

    A local file may have either layout, whatever the version. ``secret``: what draws, for hidden gold, the rows that
    lose their support, which else follow from their ids; rows that would tell whether they did are left out (`chunks_lost`).
    With RAG_LUCIOLE_USE_JUDGE set, grounding_judge is one of its metrics. Raises DataError with every finding at once, UsageError (a
    subset that this version has not), MissingExtra.
    """
    language = SUBSETS[subset]
    names = [f"{subset}.{ending}" for ending in ("jsonl", "parquet")]
    file = (
        None if path is None else find_file(path, names, "Put the subset there under such a name.")
    )
    found = Findings(file or _published(version)[0])
    rows: Iterable[tuple[int, Any]] = _rows(subset, file, version)
    hidden: Mapping[int, Collection[int]] = {}
    if secret:
        rows = [*rows]
        hidden = chunks_lost(
            {line: read for line, row in rows if (read := _chunks(row))}, drop_ratio, secret
        )
    reader = _Reader(found, language, drop_ratio, shuffle, secret, hidden)
    questions = tuple(question for n, row in rows if (question := reader.question(n, row)))
    if not questions and not reader.found.errors:
        reader.found.add(Code.EMPTY, "the file holds no row")
    reader.found.raise_errors()
    return Dataset(
        "luciole",
        subset,
        questions,
        reader.documents,
        metrics=("grounding", *(["grounding_judge"] if _judge_wanted() else [])),
        version=f"drop={drop_ratio},shuffle={str(shuffle).lower()}" if reader.partitioned else "",
    )


class _Chunks(NamedTuple):
    """The chunks of a row: their texts without case, blanks and signs, and the places of those that support its answer.

    ``gone``: the places that the whole set loses. ``others``: those that the row may lose besides, each with whether another row has it.
    """

    texts: Sequence[str]
    known: Set[int]
    gone: Set[int] = frozenset()
    others: Sequence[tuple[bool, int]] = ()


def chunks_lost(rows: Mapping[int, _Chunks], ratio: float, secret: str) -> dict[int, set[int]]:
    """By row the chunks that it loses, so that neither they nor those of other rows tell whether its support is among them; rows
    that are not there are left out.

    What supports a row that loses its support is lost by the whole set. All rows of one size lose as many.
    """
    draw, lost, drawn = random.Random(secret), dict[str, bool](), list[int]()
    for line in draw.sample([*rows], len(rows)):
        own = {rows[line].texts[place] for place in rows[line].known}
        fates = {lost[text] for text in own & lost.keys()} or {not own or draw.random() < ratio}
        # A row of which some support is lost and some is kept by other rows is left out.
        if len(fates) == 1:
            drawn.append(line)
            lost |= dict.fromkeys(own, *fates)
    having = Counter(text for line in drawn for text in {*rows[line].texts})
    sized: dict[int, dict[int, _Chunks]] = {}
    for line in drawn:
        texts, known, *_ = rows[line]
        gone = {place for place, text in enumerate(texts) if lost.get(text)}
        free = [place for place in range(len(texts)) if place not in known | gone]
        random.Random(f"{secret}{line}").shuffle(free)
        # First what no other row has, which is then lost by the whole set too.
        others = sorted(((having[texts[place]] > 1, place) for place in free), key=itemgetter(0))
        sized.setdefault(len(texts), {})[line] = _Chunks(texts, known, gone, others)
    return {
        line: places
        for size, each in sized.items()
        for line, places in max(
            (_in_pairs(each, size, fewer) for fewer in range(size)),
            # The number by which most chunks are left in all.
            key=lambda found: sum(size - len(places) for places in found.values()),
        ).items()
    }


def _in_pairs(rows: Mapping[int, _Chunks], size: int, fewer: int) -> dict[int, set[int]]:
    """What each row loses where all lose so many chunks, support or others: as many rows with an answer as without, also among
    those that lose as many which other rows still show, since whoever sees such knows that they supported nothing."""
    able = {
        line: row.others[: fewer - len(row.gone)]
        for line, row in rows.items()
        if len(row.known) <= fewer <= size - len(row.known)
        and len(row.gone) <= fewer <= len(row.gone) + len(row.others)
    }
    pairs = grouped(
        ((sum(shown for shown, _ in others), rows[line].known <= rows[line].gone), line)
        for line, others in able.items()
    )
    return {
        line: {*rows[line].gone, *(place for _, place in able[line])}
        for (seen, unanswerable), lines in pairs.items()
        for line in lines[: len(pairs.get((seen, not unanswerable), ()))]
    }


def _chunks(row: Any) -> _Chunks | None:
    """The chunks of a row in columns; None for others."""
    texts = row.get("retrieved_documents") if isinstance(row, Mapping) else None
    index = _null_is_empty(row, "supporting_index") if texts else ()
    if not (_all_are(texts, str) and _all_are(index, int)):
        return None
    return _Chunks(
        ["".join(filter(str.isalnum, text.casefold())) for text in texts],
        {place for place in index if 0 <= place < len(texts)},
    )


def _judge_wanted() -> bool:
    """Whether Luciole's own switch turns its judge on."""
    said = {os.environ.get(name, "").strip().lower() for name in _USE_JUDGE}
    return bool(said & {"1", "true", "yes", "on"})


def _published(version: Version) -> tuple[str, Mapping[str, str]]:
    """The repository of a version, with the split of each subset that it scores."""
    variable, repository, splits = PUBLISHED[version]
    return os.environ.get(variable, "") or repository, splits


def load_luciole_v1(subset: str, path: Path | None = None) -> Dataset:
    """One of the seven subsets as they were opened, from where `load_luciole` looks or their own place."""
    return load_luciole(subset, path, version="v1")


def _rows(subset: str, file: Path | None, version: Version) -> Iterator[tuple[int, Any]]:
    """The rows, numbered from 1: of the file, or of the published data set where no file is given."""
    from argue_bench.store.fetch import hub_rows

    if file is None:
        repository, splits = _published(version)
        if subset not in splits:
            raise UsageError(
                f"{repository} has no subset {subset!r}; it has: {', '.join(splits)}. "
                "Name a file of it: --data PATH."
            )
        yield from enumerate(hub_rows(repository, subset, split=splits[subset], hint=_ELSEWHERE), 1)
    elif file.suffix == ".parquet":
        rows = hub_rows("parquet", data_files=str(file), split="train", hint=_ELSEWHERE)
        yield from enumerate(rows, 1)
    else:
        for line in read_lines(file, GOLD_LIMITS):
            if not line.ok:
                raise DataError(line.findings)
            if line.read:
                yield line.number, line.value


class _Reader:
    """Turns rows into questions and their chunks into documents; what does not fit is a finding."""

    def __init__(
        self,
        found: Findings,
        language: str,
        ratio: float,
        shuffle: bool,
        secret: str,
        hidden: Mapping[int, Collection[int]],
    ) -> None:
        self.found, self.language, self.ratio, self.shuffle = found, language, ratio, shuffle
        self.secret, self.hidden = secret, hidden
        self.documents: dict[str, Document] = {}
        self.partitioned = False
        self._seen: set[str] = set()

    def question(self, line: int, row: Any) -> Question | None:
        """The question of a row, in whichever layout; None, with a finding, if there is none."""
        if not isinstance(row, Mapping):
            self.found.add(Code.WRONG_SHAPE, "the row is not an object", line)
            return None
        id = f"row-{line}" if row.get("id") in (None, "") else str(row["id"])
        if id in self._seen:
            self.found.add(Code.DUPLICATE_ID, f"the id {id!r} occurs twice", line)
            return None
        self._seen.add(id)
        return self._chat(line, id, row) if "messages" in row else self._columns(line, id, row)

    def _chat(self, line: int, id: str, row: Mapping[str, Any]) -> Question | None:
        """A row as first published: a conversation, and the titles that support its answer."""
        messages, titles = row["messages"], _null_is_empty(row, "supporting_facts_titles")
        messages = messages if isinstance(messages, list) else []
        texts = [m.get("content") if isinstance(m, Mapping) else None for m in messages]
        if len(texts) < 3 or not _all_are(texts, str):
            self.found.add(
                Code.WRONG_SHAPE, "messages are not three or more with a text each", line
            )
            return None
        if not _all_are(titles, str):
            self.found.add(Code.WRONG_SHAPE, "supporting_facts_titles is not a list of texts", line)
            return None
        chunks = split_chunks(context(texts[0])[0])
        ids = self._add_documents(id, chunks)
        # A gold title that was not retrieved stays gold: recall must miss it.
        known = {title for title, _ in chunks}
        missing = [title for title in dict.fromkeys(titles) if title.strip() and title not in known]
        support = [own for own, (title, _) in zip(ids, chunks, strict=True) if title in titles]
        gold = gold_answer(texts[2]) if titles else ""
        answers = (gold, *other_forms(gold, texts[2])) if gold else ()
        question = self._record(row, id, texts[1], ids, answers, (*support, *missing), bool(titles))
        # The form of the answer that its rules score is asked for in the row's own system message.
        return replace(question, request=Request(background=texts[0]))

    def _columns(self, line: int, id: str, row: Mapping[str, Any]) -> Question | None:
        """A row as published since: columns, from which a share of the rows loses its support."""
        texts, titles = row.get("retrieved_documents"), row.get("titles")
        index, answer = _null_is_empty(row, "supporting_index"), row.get("answer")
        if not (_all_are(texts, str) and _all_are(titles, str) and len(texts) == len(titles)):
            self.found.add(
                Code.WRONG_SHAPE,
                "retrieved_documents and titles are not lists of texts of one length",
                line,
            )
            return None
        if not _all_are(index, int) or not isinstance(row.get("query"), str):
            self.found.add(
                Code.WRONG_SHAPE,
                "query is not a text, or supporting_index not a list of integers",
                line,
            )
            return None
        self.partitioned = True
        own, lost = str(row.get("id", "")), self.hidden.get(line)
        if self.secret and lost is None:
            return None
        parts = partition(own, len(texts), index, self.ratio, self.shuffle, self.secret, lost)
        ids = self._add_documents(id, [(titles[i], texts[i]) for i in parts.shown])
        support = tuple(ids[parts.shown.index(i)] for i in parts.supporting)
        gold = answer.strip() if isinstance(answer, str) else ""
        shown = [texts[i] for i in parts.shown]
        left = parts.dropped and gold and states_answer(gold, shown, self.language)
        answers = (gold,) if gold else ()
        question = self._record(row, id, row["query"], ids, answers, support, parts.answerable)
        # It would say that the question has no answer.
        return (
            replace(question, categories=(ANSWER_LEFT,)) if left and not self.secret else question
        )

    def _add_documents(self, id: str, chunks: Sequence[tuple[str, str]]) -> list[str]:
        ids = [f"{id}/{number}" for number in range(1, len(chunks) + 1)]
        for own, (title, text) in zip(ids, chunks, strict=True):
            self.documents[own] = Document(own, text, title, language=self.language)
        return ids

    def _record(
        self,
        row: Mapping[str, Any],
        id: str,
        text: str,
        ids: Sequence[str],
        answers: tuple[str, ...],
        supporting: tuple[str, ...],
        answerable: bool,
    ) -> Question:
        language = row["language"] if row.get("language") in ("en", "fr") else self.language
        short = (ShortAnswer(text, answers),) if answers and answerable else ()
        gold = Gold(answerable=answerable, short_answers=short, supporting=supporting)
        return Question(id, text, documents=tuple(ids), language=language, gold=gold)


def _null_is_empty(row: Mapping[str, Any], key: str) -> Any:
    """A column; null there is an empty list, a column that is missing is not."""
    return [] if key in row and row[key] is None else row.get(key)


def _all_are(value: Any, kind: type[T]) -> TypeGuard[list[T]]:
    return isinstance(value, list) and all(type(one) is kind for one in value)


def gold_answer(generation: str) -> str:
    """The gold answer out of a gold generation: the last match of the first rule that has one."""
    for pattern in _GOLD:
        if matches := list(pattern.finditer(generation)):
            text = matches[-1][1].strip().replace("*", "").strip(".")
            if 1 <= len(text) <= 1000:
                return text
    return ""


def other_forms(gold: str, generation: str) -> list[str]:
    """Further forms of an extracted gold answer: the text without the parts that the rules
    leave around it.

    Without citation markup; without a verb that the label left; and what is last in bold, if the gold
    holds it. None of them replaces the gold as extracted, which the frozen rules compare.
    """
    plain = read_answer("", gold, {}).plain
    forms = [plain, _LEFT_OVER.sub("", plain)]
    if (bold := _BOLD.findall(generation)) and bold[-1].strip(" .:") in gold:
        forms.append(bold[-1].strip(" .:"))
    return [form for form in dict.fromkeys(map(str.strip, forms)) if form and form != gold]


def states_answer(answer: str, texts: Sequence[str], language: str) -> bool:
    """Whether one of the texts says the answer, as typed tokens."""
    wanted = typed_text(answer, language)
    return not wanted.empty and any(typed_text(text, language).holds(wanted) for text in texts)


def context(system: str) -> tuple[str, list[str]]:
    """The retrieved text behind the first marker of a system prompt, and the chunk titles in it.

    Titles behind bullets come first, then those in brackets; of two that differ in case alone the first.
    """
    for marker in _MARKERS:
        at = system.find(marker)
        if at >= 0:
            text = system[at + len(marker) :].rstrip().removesuffix("`").rstrip()
            return text, first_spellings(_BULLET.findall(text) + _BRACKETS.findall(text))
    return "", []


def first_spellings(titles: Iterable[str]) -> list[str]:
    """The titles without those that are blank; of several that differ in case alone the first."""
    found: dict[str, str] = {}
    for title in filter(None, map(str.strip, titles)):
        found.setdefault(title.lower(), title)
    return list(found.values())


def split_chunks(text: str) -> list[tuple[str, str]]:
    """(title, text) of each chunk of a retrieved text."""
    found = list(_CHUNK_TITLE.finditer(text))
    ends = [*(match.start() for match in found[1:]), len(text)][: len(found)]
    return [
        (str(match[1] or match[2]).strip(), text[match.end() : end].strip())
        for match, end in zip(found, ends, strict=True)
    ]


@dataclass(frozen=True)
class Partition:
    """A partitioned row: the documents shown, in order, and the gold that is left."""

    bucket: float
    dropped: bool
    shown: tuple[int, ...]
    supporting: tuple[int, ...]

    @property
    def answerable(self) -> bool:
        return bool(self.supporting)


def partition(
    id: str,
    documents: int,
    supporting: Sequence[int],
    ratio: float,
    shuffle: bool = True,
    secret: str = "",
    lost: Collection[int] | None = None,
) -> Partition:
    """Drops the support of a row whose bucket is below the ratio, then shuffles what is shown.

    ``lost``: what it loses where a ``secret`` draws that, and the order (`chunks_lost`).
    """
    bucket = int(hashlib.md5(id.encode(), usedforsecurity=False).hexdigest()[:8], 16) / 2**32
    known = [index for index in dict.fromkeys(supporting) if 0 <= index < documents]
    dropped = bucket < ratio if lost is None else {*known} <= {*lost}
    gone = lost or (known if dropped else ())
    shown = [index for index in range(documents) if index not in gone]
    if shuffle:
        random.Random(f"chunk_order:{secret}{id}").shuffle(shown)
    return Partition(bucket, dropped, tuple(shown), () if dropped else tuple(known))
