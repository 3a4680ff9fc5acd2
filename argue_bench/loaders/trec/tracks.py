"""What does a track ask of a report run? One table, a row a track and year; no code knows a track.

The rows say what the guidelines and the organisers' own programs say (docs/trec.md has them as a
table). ``warnings`` are the rules whose breach a track lives with: they fail only with ``--strict``.
What a track says nothing about is not checked, but for what would make any score of the run doubtful
(see ADVICE).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from argue_bench.errors import Code, UnknownName

Form = Literal["indices", "ids", "scores"]
"""How a sentence cites: positions in ``references``, a list of ids, or a mapping from id to score."""
References = Literal["any", "cited-only", "retrieved", "scored", "none"]
"""``references``: not looked at | the documents cited and no other | a list with all cited
documents | a mapping from id to score with all cited documents | there is none."""

TOPIC_KEYS = ("topic_id", "narrative_id", "request_id", "turn_id")
"""What tracks call the topic, in the metadata or beside it."""
TEXTS = ("team_id", "run_id", "run_type", "type", "description", "narrative", "run_desc", "task")
"""Keys of the metadata that hold a text wherever they stand."""

ADVICE = frozenset(
    {Code.CONTROL_CHARACTERS, "empty", Code.RUN_CHANGED, Code.METADATA_EXTRA, Code.DOCID_ENDING}
)
"""What no track forbids and hardly anybody means: warnings on every track."""


@dataclass(frozen=True)
class Track:
    """The rules of one track and year.

    ``topic`` are the keys that may name the topic, and ``beside`` whether they stand beside the
    metadata. ``limit`` counts ``unit`` over the texts joined by blanks, characters after NFKC; with
    ``limit_of_topic`` a topic's own limit takes precedence. ``docid`` is a regular expression.
    """

    name: str
    title: str
    sentences: tuple[str, ...] = ("responses",)
    topic: tuple[str, ...] = ("topic_id",)
    beside: bool = False
    flat: bool = False
    """Whether the keys stand in the report itself, which has no metadata."""
    topic_number: bool = False
    mandatory: tuple[str, ...] = ("team_id", "run_id")
    recommended: tuple[str, ...] = ()
    values: Mapping[str, tuple[str | int, ...]] = field(default_factory=dict)
    """What a key of the metadata may hold."""
    loose: bool = False
    """Whether keys that are not mandatory may hold anything."""
    other_metadata: bool = True
    exact_narrative: bool = False
    run_id_length: int | None = None
    forms: tuple[Form, ...] = ("ids", "scores")
    mixed: bool = False
    """Whether the sentences of one report may cite in different forms."""
    id_number: bool = False
    citations: int | None = None
    """The most a sentence may have."""
    references: References = "any"
    references_required: bool = False
    references_length: int | None = None
    limit: int | None = None
    unit: Literal["characters", "words"] = "characters"
    limit_of_topic: bool = False
    docid: str | None = None
    topics: tuple[str, ...] = ()
    """The topics of the track, where the guidelines list them."""
    warnings: frozenset[str] = frozenset()
    truncates: bool = False
    """Whether assessors cut a report that is too long, rather than refuse it."""

    def level(self, code: str, strict: bool = False) -> Literal["error", "warning"]:
        """Whether a breach of this rule fails the run."""
        return "warning" if not strict and code in self.warnings | ADVICE else "error"


MSMARCO = r"msmarco_v2\.1_doc_\d\d_\d+#\d+_\d+"
UUID_SEGMENT = r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}_\d+"
_SMALL = frozenset(
    {Code.EMPTY_ANSWER, Code.BLANK_SENTENCE, Code.REFERENCES_DUPLICATE, Code.NULL_CITATIONS}
)
"""What the programs of most tracks only warn of."""
_UNCHECKED = frozenset(
    {
        Code.EMPTY_ANSWER,
        Code.BLANK_SENTENCE,
        Code.REFERENCES_DUPLICATE,
        Code.REFERENCES_UNCITED,
        Code.REFERENCES_UNDECLARED,
        Code.NEW_TOPICS,
        Code.METADATA_BLANK,
        Code.TWO_ANSWERS,
    }
)
"""What rag-run-validator does not look at."""

_ROWS = (
    Track(
        "plain",
        "rag-run-validator's rules",
        mandatory=("team_id", "run_id", "topic_id"),
        mixed=True,
        loose=True,
        references="cited-only",
        references_required=True,
        limit_of_topic=True,
        warnings=_UNCHECKED | {"length"},
    ),
    Track(
        "rag24",
        "TREC RAG 2024, generation",
        sentences=("answer",),
        topic=("topic_id",),
        flat=True,
        topic_number=True,
        mandatory=("run_id", "topic", "response_length"),
        forms=("indices",),
        references="retrieved",
        references_required=True,
        references_length=20,
        limit=400,
        unit="words",
        docid=MSMARCO,
        warnings=_SMALL | {Code.REFERENCES_UNCITED},
    ),
    Track(
        "rag25",
        "TREC RAG 2025, generation",
        sentences=("answer",),
        topic=("narrative_id",),
        topic_number=True,
        mandatory=("team_id", "run_id", "type", "narrative_id", "narrative"),
        exact_narrative=True,
        forms=("indices", "ids"),
        references="retrieved",
        references_required=True,
        references_length=100,
        limit=400,
        unit="words",
        docid=MSMARCO,
        warnings=frozenset(
            {
                Code.EMPTY_ANSWER,
                Code.REFERENCES_DUPLICATE,
                Code.REFERENCES_UNCITED,
                "length",
                Code.NULL_CITATIONS,
            }
        ),
    ),
    Track(
        "rag26",
        "TREC RAG 2026, generation",
        sentences=("answer",),
        topic=("narrative_id",),
        topic_number=True,
        mandatory=("team_id", "narrative_id", "narrative", "run_id", "run_desc"),
        exact_narrative=True,
        run_id_length=20,
        forms=("indices", "ids"),
        citations=3,
        references="retrieved",
        references_required=True,
        limit=1024,
        unit="words",
        docid=r"shard_\d+_\d+",
        warnings=frozenset(
            {
                Code.EMPTY_ANSWER,
                Code.REFERENCES_DUPLICATE,
                Code.REFERENCES_UNCITED,
                Code.CITATION_COUNT,
                Code.MISSING_TOPICS,
                Code.NULL_CITATIONS,
            }
        ),
    ),
    Track(
        "ragtime25",
        "TREC RAGTIME 2025, report generation",
        mandatory=("team_id", "topic_id", "run_id"),
        recommended=("task",),
        run_id_length=25,
        values={"task": ("multilingual", "english")},
        citations=3,
        references="cited-only",
        references_required=True,
        limit_of_topic=True,
        docid=UUID_SEGMENT,
        truncates=True,
        warnings=_SMALL
        | {
            Code.DUPLICATE_TOPICS,
            Code.REFERENCES_MISSING,
            Code.REFERENCES_UNDECLARED,
            "metadata-recommended",
            Code.CITATION_COUNT,
            "length",
        },
    ),
    Track(
        "ragtime26",
        "TREC RAGTIME 2026, report generation",
        mandatory=("team_id", "topic_id", "run_id"),
        recommended=("run_desc",),
        run_id_length=20,
        values={"task": ("multilingual", "english")},
        citations=3,
        limit_of_topic=True,
        docid=UUID_SEGMENT,
        truncates=True,
        warnings=_SMALL
        | {
            Code.DUPLICATE_TOPICS,
            "metadata-recommended",
            Code.CITATION_COUNT,
            "length",
        },
    ),
    Track(
        "dragun25",
        "TREC DRAGUN 2025, report generation",
        mandatory=("team_id", "run_id", "topic_id", "type", "use_starter_kit"),
        values={"type": ("automatic", "manual"), "use_starter_kit": (0, 1)},
        other_metadata=False,
        forms=("ids",),
        citations=3,
        limit=250,
        unit="words",
        docid=MSMARCO,
        warnings=_SMALL
        | {
            Code.MISSING_TOPICS,
            Code.NEW_TOPICS,
            Code.DUPLICATE_TOPICS,
            Code.CITATION_COUNT,
            Code.REFERENCES_PRESENT,
        },
    ),
    Track(
        "biogen25",
        "TREC BioGen 2025, task B",
        topic_number=True,
        mandatory=("team_id", "run_id", "topic_id"),
        id_number=True,
        citations=3,
        references="none",
        limit=250,
        unit="words",
        docid=r"\d+",
        topics=tuple(str(number) for number in range(181, 211)),
        warnings=_SMALL | {Code.CITATION_COUNT, "length", Code.REFERENCES_PRESENT},
    ),
    Track(
        "ikat25",
        "TREC iKAT 2025",
        topic=("turn_id",),
        beside=True,
        mandatory=("team_id", "run_id", "run_type"),
        values={"run_type": ("manual", "automatic", "generation-only")},
        forms=("scores",),
        references="scored",
        references_required=True,
        limit=250,
        unit="words",
        docid=r"clueweb22-\w+-\d+-\d+(:\d+)?",
        truncates=True,
        warnings=_SMALL | {Code.DOCID_PATTERN, "length", Code.REFERENCES_UNCITED},
    ),
    Track(
        "neuclir24",
        "TREC NeuCLIR 2024, report generation",
        topic=("request_id", "topic_id"),
        references="cited-only",
        references_required=True,
        limit_of_topic=True,
        docid=UUID_SEGMENT,
        truncates=True,
        warnings=_UNCHECKED | {"length", Code.DOCID_PATTERN, Code.NULL_CITATIONS},
    ),
)

TRACKS: Mapping[str, Track] = {row.name: row for row in _ROWS}


def track(name: str) -> Track:
    """The rules of this name. Raises UnknownName."""
    try:
        return TRACKS[name]
    except KeyError:
        raise UnknownName("track", name, tuple(TRACKS)) from None
