"""A data set: questions and the documents that answers may cite, in one form for all formats."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, overload

from argue_bench.errors import UnknownName
from argue_bench.records import Document, Question


@dataclass(frozen=True)
class Dataset(Sequence[Question]):
    """A sequence of questions; a slice of it is a data set too.

    ``documents`` maps ids to documents; a large collection looks them up on disk. ``metrics`` are the
    texts of the metrics that `evaluate` runs when none is named. ``digest`` is part of every signature:
    SHA-256 over questions, gold and documents, or what the publisher declared.
    """

    name: str
    split: str
    questions: Sequence[Question]
    documents: Mapping[str, Document] = field(default_factory=dict)
    metrics: tuple[str, ...] = ()
    version: str = ""
    licence: str = ""
    declared_digest: str = ""
    collection: bool = False
    """Whether the documents are one collection, any of which an answer may cite (openbook)."""
    shared: bool = True
    """Whether a question that lists no documents has those of all; own rows have their own alone."""
    note: str = ""
    """What a reader of its scores must know; printed with them."""
    signed: Mapping[str, str] = field(default_factory=dict, compare=False, repr=False)
    """What else stands in signatures: of web pages the snapshot's digest, and how they are read."""
    source: Mapping[str, tuple[str, ...]] = field(default_factory=dict, compare=False, repr=False)
    """What it was loaded from, as options of the command line: ``dataset``, ``split``, ``data``, or
    ``nuggets`` and what belongs to them. A run file names it, so that pages need no options."""
    limits: Any = field(default=None, compare=False, repr=False)
    """The limits of an answer (`AnswerLimits`) that a track sets beside those of single questions."""

    @cached_property
    def digest(self) -> str:
        if self.declared_digest:
            return self.declared_digest
        lines = hashlib.sha256()
        for question in self.questions:
            lines.update(json.dumps(_plain(question), sort_keys=True).encode())
        for document in self.documents.values():
            # The snapshot has a digest of its own, and answers decide which pages are read.
            if not document.fetched:
                lines.update(json.dumps(_fields(document), sort_keys=True).encode())
        return f"sha256:{lines.hexdigest()}"

    @property
    def title(self) -> str:
        """``core-dev@3f2a9c1e``: name, split and the first digits of the digest."""
        name = f"{self.name}-{self.split}" if self.split else self.name
        return f"{name}@{self.digest.removeprefix('sha256:')[:8]}"

    @property
    def sealed(self) -> bool:
        """Whether its gold is hidden."""
        return all(question.gold is None for question in self.questions)

    @cached_property
    def by_id(self) -> Mapping[str, Question]:
        return {question.id: question for question in self.questions}

    def question(self, id: str) -> Question:
        """The question of this id. Raises UnknownName."""
        try:
            return self.by_id[id]
        except KeyError:
            raise UnknownName("question", id, tuple(self.by_id)[:5]) from None

    def citable(self, question: Question) -> Mapping[str, Document]:
        """The documents that an answer to this question may cite: its own, or the whole collection."""
        if self.collection:
            return self.documents
        named = [id for id in question.names.values() if id not in question.documents]
        if not named:
            return self.documents_of(question)
        return self._listed([*question.documents, *named])

    def documents_of(self, question: Question) -> Mapping[str, Document]:
        """The documents listed with this question; where none are, all of them if they are shared."""
        if not question.documents and self.shared:
            return self.documents
        return self._listed(question.documents)

    def _listed(self, ids: Iterable[str]) -> Mapping[str, Document]:
        return {id: self.documents[id] for id in ids if id in self.documents}

    def __len__(self) -> int:
        return len(self.questions)

    def __iter__(self) -> Iterator[Question]:
        return iter(self.questions)

    @overload
    def __getitem__(self, index: int) -> Question: ...
    @overload
    def __getitem__(self, index: slice) -> Dataset: ...
    def __getitem__(self, index: int | slice) -> Question | Dataset:
        if not isinstance(index, slice):
            return self.questions[index]
        part = self.questions[index]
        declared = self.declared_digest
        if declared and part != self.questions:
            # What the publisher declared is of the whole set: a part has a digest of its own.
            named = json.dumps([declared, *(question.id for question in part)])
            declared = f"sha256:{hashlib.sha256(named.encode()).hexdigest()}"
        return replace(self, questions=part, declared_digest=declared)

    def __repr__(self) -> str:
        return f"<Dataset {self.title}: {len(self)} questions, {len(self.documents)} documents>"


def _plain(question: Question) -> dict[str, Any]:
    """The question as plain data, without an empty rubric or cluster: published digests were
    computed without them."""
    plain: dict[str, Any] = _fields(question)
    del plain["pairing"], plain["names"], plain["metrics"]
    if not plain["cluster"]:
        del plain["cluster"]
    if plain["gold"] is not None and not plain["gold"]["rubric"]:
        del plain["gold"]["rubric"]
    return plain


def _fields(value: Any) -> Any:
    """A record as `dataclasses.asdict` gives it, without the copies that take most of its time."""
    if (fields := getattr(value, "__dataclass_fields__", None)) is not None:
        return {name: _fields(getattr(value, name)) for name in fields}
    return [_fields(one) for one in value] if isinstance(value, (tuple, list)) else value
