"""A board's season, as ``season.json`` declares it: set, settings, metrics, judge, ranked score.

``set.path`` is where a local copy of the set lies, from the folder of season.json. ``group`` says
what all rows of the season are ("rehearsal"); a season that ranks has none. ``sealed`` is there
where the set was generated for the season: what its organiser cannot change any more.

``told`` is what the board tells while gold is hidden: "ranked", the ranked score in steps, of which
``bits`` bounds how much an author learns (`formats.bound`); or "all", where gold is public anyway.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, TypeVar

from pydantic import Field

from argue_bench.errors import Code, DataError, UnknownName
from argue_bench.leaderboard.formats.bound import default_step, shown_bits
from argue_bench.leaderboard.formats.fields import Digest, SeasonName, SettingName, ShortText
from argue_bench.leaderboard.formats.layout import FETCHED, GROUPS, LINKS, SETTINGS, TOLD
from argue_bench.leaderboard.formats.metadata import is_https
from argue_bench.loaders.limits import MOST_SENTENCES, AnswerLimits, OverLimit
from argue_bench.records.untrusted import Limits, read_json
from argue_bench.records.validation import Expect, Problem, strict, validate
from argue_bench.text.length import Unit

if TYPE_CHECKING:
    from argue_bench.loaders.dataset import Dataset
    from argue_bench.loaders.trec.tracks import Track

T = TypeVar("T")
SCHEMA = 1
CHARACTERS = 4_000
"""What an answer may have where neither its request nor the season sets a limit: some 600 words."""
FILE = "season.json"
LIMITS = Limits(line_bytes=1_000_000, file_bytes=1_000_000, depth=8)
_CODES: Mapping[Problem, Code] = {"missing": Code.SEASON_KEY_MISSING, "shape": Code.SEASON_SHAPE}


@strict
@dataclass(frozen=True)
class Sealed:
    """What the organiser of a generated season commits to on its first day."""

    generator: ShortText
    """What printed the set; any other version is refused."""
    size: ShortText | Annotated[int, Field(ge=1, le=1_000_000)]
    """tiny, small, large, or a number of topics."""
    seed_sha256: Digest
    """Of the seed's lower-case hexadecimal digits, without a line end."""
    patterns_sha256: Digest | None
    """Of the bytes of the private pattern file; null without one."""
    set_digest: ShortText
    """The digest of questions and documents, in topics/set.json."""
    gold: Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$")]
    """The name of the sealed file beside season.json."""
    gold_sha256: Digest
    """Of the gold.jsonl inside."""
    file_sha256: Digest
    """Of the sealed file."""


@strict
@dataclass(frozen=True)
class SetEntry:
    """Which set the season uses."""

    name: ShortText
    """The set, as `--dataset` names it."""
    split: ShortText = ""
    """The split whose questions are answered."""
    path: ShortText | None = None
    """The folder of questions and documents, seen from season.json; null where the name finds it."""
    questions: (
        Annotated[int, Field(ge=1, le=10_000_000), Expect("a whole number from 1")] | None
    ) = None
    """How many questions it has, where the set itself is not at hand to count them."""


@strict
@dataclass(frozen=True)
class SeasonFile:
    """``season.json`` as it stands on disk."""

    schema: Annotated[Literal[1], Expect("1, the layout that this version reads")]
    """1, the layout of this file."""
    season: SeasonName
    """The name of the season."""
    set: SetEntry
    """Which questions are answered."""
    settings: Annotated[
        tuple[SettingName, ...],
        Field(min_length=1),
        Expect(f"a list of some of {', '.join(SETTINGS)}"),
    ]
    """What systems may look at: closedbook, openbook, evidenceprovided."""
    metrics: tuple[ShortText, ...]
    """What is computed, as `-m` names it."""
    judge: ShortText
    """Who judges, as `--judge` names it."""
    ranked: ShortText
    """The score that ranks."""
    judges: Mapping[str, ShortText] = field(default_factory=dict)
    """Further judges, by the names that metrics give them."""
    group: Annotated[
        str | None, Expect(f"one of {', '.join(GROUPS)}, or null", (None, *GROUPS).__contains__)
    ] = None
    """rehearsal, or null for a real season."""
    title: ShortText = ""
    """What the pages call the board."""
    quota: Annotated[int, Field(ge=1, le=1_000_000), Expect("a whole number from 1")] | None = None
    """Scored runs that one author may use; null: without limit."""
    told: Annotated[str, Expect.one_of(*TOLD)] = TOLD[0]
    """What authors learn while gold is hidden. ranked: the ranked score alone, in steps. all: everything."""
    step: Annotated[float, Field(ge=0.1, le=50), Expect("points, 0.1 to 50")] | None = None
    """Points between two scores that can be told; null: what follows from the quota."""
    bits: Annotated[float, Field(ge=0), Expect("a number of bits")] | None = None
    """The bound that quota and step give, to one decimal; null where nothing bounds it."""
    sealed: Annotated[Sealed | None, Expect("an object as `season new` writes it, or null")] = None
    """What a generated season promised on its first day; null for other sets."""
    quota_days: Annotated[int, Field(ge=1, le=10_000), Expect("a number of days")] | None = None
    """The quota is for any so many days in a row; null: for the whole season."""
    limit: Annotated[int, Field(ge=1, le=200_000), Expect("a number, 1 to 200,000")] = CHARACTERS
    """What an answer may have where its question sets no limit."""
    unit: Annotated[Unit, Expect("characters or words")] = "characters"
    """What ``limit`` counts."""
    track: Annotated[str | None, Expect("a track of `submission check --track`, or null")] = None
    """The TREC track whose form the files of answers have, and by whose rules they are checked."""
    over_limit: Annotated[OverLimit, Expect("refuse or cut")] = "refuse"
    """What becomes of longer answers: they are refused, or cut at the last sentence that fits."""
    links: Annotated[
        Mapping[str, str],
        Expect(
            f"an object of https:// addresses under some of {', '.join(LINKS)}",
            lambda links: all(k in LINKS and is_https(v) for k, v in links.items()),
        ),
    ] = field(default_factory=dict)
    """Addresses that the pages name: of the track, its repository, data and paper."""
    sources: Annotated[
        str | None,
        Expect(
            f"{FETCHED}, the SHA-256 of a snapshot of web pages, 64 hexadecimal digits, or null",
            lambda sources: sources is None or is_sources(sources),
        ),
    ] = None
    """By what answers that cite web addresses are scored: one snapshot for all (`sources fetch`), or
    the pages that a job of the board fetches for each submission."""
    labels: (
        Annotated[int, Field(ge=20, le=1_000_000), Expect("a number of questions, 20 or more")]
        | None
    ) = None
    """Questions that people must have labelled of each row (labels/SEASON/SETTING/SYSTEM.jsonl), which correct its scores; public gold only."""
    source: ShortText = ""
    """Where results come from that another board published: repository, commit, licence."""


@dataclass(frozen=True)
class Season:
    """A season: the data set, settings, metrics and judge, and the score that ranks."""

    season: str
    set_name: str
    split: str = ""
    path: Path | None = None
    settings: tuple[str, ...] = SETTINGS
    metrics: tuple[str, ...] = ()
    """Texts of the metrics; the set's own where there are none."""
    judge: str = "lexical"
    judges: Mapping[str, str] = field(default_factory=dict)
    """Specs of further judges, by the names that metric texts use."""
    ranked: str = ""
    group: str = ""
    title: str = ""
    quota: int | None = None
    told: str = TOLD[0]
    step: float | None = None
    """Points; None where everything is told."""
    bits: float | None = None
    sealed: Sealed | None = None
    quota_days: int | None = None
    limit: int | None = None
    """None where no season.json declares anything: then the requests' own limits alone hold."""
    unit: Unit = "characters"
    track: str | None = None
    over_limit: OverLimit = "refuse"
    questions: int | None = None
    links: Mapping[str, str] = field(default_factory=dict)
    sources: str | None = None
    labels: int | None = None
    source: str = ""

    @property
    def limits(self) -> AnswerLimits:
        """The limits of an answer."""
        if self.limit is None:
            return AnswerLimits()
        return AnswerLimits(
            self.limit, MOST_SENTENCES, self.over_limit, self.unit, self.track or ""
        )

    def judge_specs(self, named: Mapping[str, T]) -> dict[str, str | T]:
        """The judges of a scoring by name (the default one is empty): those named for the
        scoring, and those of the season for other names.

        Raises UsageError where the season names code outside the package: it was read from a file.
        """
        from argue_bench.judges import refuse_import

        own = {"": self.judge, **self.judges}
        for name in own.keys() - named.keys():
            refuse_import(own[name])
        return {**own, **named}

    def load(self, on: str = "", split: str = "", data: Path | None = None) -> Dataset:
        """The set of the season, or the one named instead; ``data`` is a local copy of it.

        Raises what `argue_bench.loaders.load` raises.
        """
        from argue_bench.loaders import DATASETS, load

        if on:
            return load(on, split, data)
        if self.set_name not in DATASETS and (folder := data or self.path) is not None:
            return load(folder)  # a set of the organiser's own
        return load(self.set_name, split or self.split, data or self.path)


def is_sources(text: str) -> bool:
    """Whether ``text`` says where a season's web pages come from: "fetched", or a snapshot's SHA-256."""
    return text == FETCHED or bool(re.fullmatch(r"[0-9a-f]{64}", text))


def read_season(folder: Path) -> Season:
    """The season of a folder of submissions, "local" on core where it has none. Raises DataError."""
    path = folder / FILE
    if not path.exists() and not path.is_symlink():
        return Season("local", *default_set())
    hint = "Write that, or take the file that `board init` made."
    value = read_json(path, LIMITS)
    given = validate(SeasonFile, value, Code.SEASON_VALUE, path, codes=_CODES, hint=hint)
    about = given.set
    step, bits = told_terms(given.told, given.step, given.quota, given.quota_days)
    if given.bits not in (None, bits):
        why = f"$.bits is {given.bits:g}; quota, quota_days and step give {'null' if bits is None else bits}"
        raise DataError.of(Code.SEASON_VALUE, why, path, hint="Write that, or leave it out.")
    given = replace(given, step=step, bits=bits)
    if given.track is not None:
        track_rules(given.track, path)
    same = Season.__annotations__.keys() & SeasonFile.__annotations__.keys() - {"group"}
    return Season(
        set_name=about.name,
        split=about.split,
        questions=about.questions,
        path=None if about.path is None else folder / about.path,
        group=given.group or "",
        **{name: getattr(given, name) for name in same},
    )


def track_rules(name: str, path: Path) -> Track:
    """The rules of a season's track. Raises DataError: no track has that name."""
    from argue_bench.loaders.trec.tracks import track

    try:
        return track(name)
    except UnknownName as error:
        raise DataError.of(Code.SEASON_VALUE, f"$.track: {error}", path) from None


def told_terms(
    told: str, step: float | None, quota: int | None, quota_days: int | None = None
) -> tuple[float | None, float | None]:
    """Step and bound of a season: both None where all scores are published exactly.

    A quota for so many days bounds no season: how many runs that are depends on how long it is open.
    """
    if told != TOLD[0]:
        return None, None
    step = step or default_step(quota)
    return step, shown_bits(quota if quota_days is None else None, step)


def default_set() -> tuple[str, str]:
    """The set of a folder without a season: core's test split, its sample until that exists."""
    test = files("argue_bench") / "data" / "core" / "test" / "set.json"
    return ("core", "test" if test.is_file() else "sample")
