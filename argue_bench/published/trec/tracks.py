"""The rules of TREC's tracks for report runs: the table tracks.toml, read and checked.

No code knows a track by its name: what differs between tracks is in the table (docs/from/trec.md shows it).
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Any, ClassVar, Literal

from pydantic import TypeAdapter

from argue_bench.errors import Code, UnknownName

# How a sentence cites: positions in ``references``, a list of ids, or a mapping from id to score.
Form = Literal["indices", "ids", "scores"]
# ``references``: not checked | the documents cited and no other | a list with all cited documents | a mapping
# from id to score with all cited documents | the track has none.
References = Literal["any", "cited-only", "retrieved", "scored", "none"]

# Keys of the metadata that hold a text on every track.
TEXTS = ("team_id", "run_id", "run_type", "type", "description", "narrative", "run_desc", "task")

# Codes of likely mistakes that no track forbids: they are warnings on every track.
ADVICE = frozenset(
    {Code.CONTROL_CHARACTERS, Code.EMPTY, Code.RUN_CHANGED, Code.METADATA_EXTRA, Code.DOCID_ENDING}
)


@dataclass(frozen=True)
class Track:
    """The rules of one track and year.

    topic               the keys that may name the topic
    beside              whether those keys are beside the metadata instead of in them
    flat                whether the report has no metadata, and holds all keys itself
    topic_number        whether the topic may be a number
    values              what a key of the metadata may hold
    loose               whether keys that are not mandatory may hold anything
    mixed               whether the sentences of one report may cite in different forms
    id_number           whether document ids may be numbers
    citations           the most that a sentence may have
    limit, unit         the longest report: its texts joined by blanks, characters after NFKC
    limit_of_topic      whether a topic's own limit takes precedence
    docid               a regular expression for ids of documents
    topics              the topics of the track, where the guidelines list them
    warnings            the rules whose breach fails a run only with ``--strict``
    truncates           whether assessors cut a report that is too long, rather than refuse it
    """

    __pydantic_config__: ClassVar[Any] = {"extra": "forbid"}

    name: str
    title: str
    sentences: tuple[str, ...] = ("responses",)
    topic: tuple[str, ...] = ("topic_id",)
    beside: bool = False
    flat: bool = False
    topic_number: bool = False
    mandatory: tuple[str, ...] = ("team_id", "run_id")
    recommended: tuple[str, ...] = ()
    values: Mapping[str, tuple[str | int, ...]] = field(default_factory=dict)
    loose: bool = False
    other_metadata: bool = True
    exact_narrative: bool = False
    run_id_length: int | None = None
    forms: tuple[Form, ...] = ("ids", "scores")
    mixed: bool = False
    id_number: bool = False
    citations: int | None = None
    references: References = "any"
    references_required: bool = False
    references_length: int | None = None
    limit: int | None = None
    unit: Literal["characters", "words"] = "characters"
    limit_of_topic: bool = False
    docid: str | None = None
    topics: tuple[str, ...] = ()
    warnings: frozenset[Code] = frozenset()
    truncates: bool = False

    def level(self, code: Code, strict: bool = False) -> Literal["error", "warning"]:
        """Whether a breach of this rule fails the run."""
        return "warning" if not strict and code in self.warnings | ADVICE else "error"


def track(name: str) -> Track:
    """The rules of this name. Raises UnknownName."""
    try:
        return TRACKS[name]
    except KeyError:
        raise UnknownName("track", name, tuple(TRACKS)) from None


_TABLE = tomllib.loads((files(__package__) / "tracks.toml").read_text(encoding="utf-8"))
TRACKS: Mapping[str, Track] = TypeAdapter(dict[str, Track]).validate_python(
    {name: {"name": name, **row} for name, row in _TABLE.items()}
)
