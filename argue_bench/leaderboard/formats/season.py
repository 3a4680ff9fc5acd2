"""A board's season, as ``season.json`` declares it: set, settings, metrics, judge, ranked score.

``set.path`` is where a local copy of the set lies, from the folder of season.json. ``group`` says
what all rows of the season are ("rehearsal"); a season that ranks has none. ``sealed`` is there
where the set was generated for the season: what its organiser cannot change any more.

``told`` is what the board tells while gold is hidden: "ranked", the ranked score in steps, of which
``bits`` bounds how much an author learns (`bits`); or "all", where gold is public anyway.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar

from pydantic import Field

from argue_bench.errors import Code, DataError, UnknownName
from argue_bench.leaderboard.formats.layout import GROUPS, LINKS, SETTINGS, TOLD
from argue_bench.leaderboard.formats.metadata import is_https
from argue_bench.leaderboard.formats.names import SeasonName, SettingName, ShortText
from argue_bench.loaders.limits import LONG_WORDS, MOST_SENTENCES, AnswerLimits, OverLimit, Unit
from argue_bench.records.untrusted import DEFAULT_LIMITS, Limits, read_json
from argue_bench.records.validation import Expect, Problem, strict, validate
from argue_bench.satellites import TREC_TRACK, import_text
from argue_bench.stats.proportion import wilson_interval

if TYPE_CHECKING:
    from argue_bench.loaders.dataset import Dataset

# Questions to which a score must apply to be told while gold is hidden.
FEWEST_TOLD = 20
# Round numbers of points that a reader takes in; the bound decides which one.
# Points; a season takes the smallest that keeps a run to `BITS_A_RUN` on average.
STEPS = (1, 2, 3, 5, 10, 20)
# Our choice, and no published one: five runs then tell at most 19.2 bits.
BITS_A_RUN = 4


def levels(step: float) -> int:
    """The number of different scores that can be published: 0, s, 2s, ... up to 100 points."""
    # 1e-9, for 100 / 0.1 is 999.9999... as a float.
    return math.floor(100 / step + 1e-9) + 1


def bits(quota: int, step: float) -> float:
    """The bits that published scores reveal to an author of so many runs, in each setting.

    A run is told nothing, or a score in steps that lies at least a step above all that its author was told
    before. After each of R runs the author's best told score is therefore one of L = 100/s + 1 steps, or
    none yet, and it never falls: what an author has heard by the end is one of C(L + R, R) sequences,
    whatever was sent, however it was chosen, and however each run hung on the answers before. By so many
    bits at most can the gold be narrowed down:

        bits = log2 C(100/s + 1 + R, R), in each setting

    The gold is the same in all settings, so a board gives away the sum over its settings. The interval, the
    rank and the band are functions of told scores and of the number of questions, so they add nothing. A run
    that ended by the clock or the budget is told as such: with k of them allowed among R there are
    sum over k of C(R, k) C(L + R - k, R - k) sequences.
    """
    return math.log2(math.comb(levels(step) + quota, quota))


def default_step(quota: int | None) -> float:
    """The step that follows from the quota: the smallest within `BITS_A_RUN`; 1 without a quota."""
    if quota is None:
        return STEPS[0]
    return next((s for s in STEPS if bits(quota, s) <= BITS_A_RUN * quota), STEPS[-1])


def shown_bits(quota: int | None, step: float, settings: int = 1) -> float | None:
    """The bound as season.json has it, for all settings, rounded up to a tenth; None where the quota bounds
    nothing."""
    return None if quota is None else math.ceil(settings * bits(quota, step) * 10 - 1e-9) / 10


def told_value(value: float, step: float) -> float:
    """A share as it is published: the nearest step from 0 to 1, so that `bits` holds.

    Some published rules score below 0, or above 1: such a score is told as 0, or as the last step.
    """
    # Grounding of Luciole can be negative, and some recalls exceed 1.
    place = math.floor(100 * min(max(value, 0.0), 1.0) / step + 0.5)
    return round(min(place, levels(step) - 1) * step / 100, 6)


def told_interval(told: float, n: int, step: float) -> tuple[float, float]:
    """The interval beside a published score: it depends on the score, n and the step alone.

    Wilson's (1927) for a share of n questions each of which counts 0 or 1, the widest that scores
    between 0 and 1 can be spread, from half a step below to half a step above.
    """
    # The true score lies up to half a step away from the told one, on either side; a step is in points.
    half = step / 200
    low, _ = wilson_interval(max(0.0, told - half), n)
    _, high = wilson_interval(min(1.0, told + half), n)
    return round(max(0.0, low), 4), round(min(1.0, high), 4)


T = TypeVar("T")
# The layout of season.json; it rises when a file of today could not be read any more.
SCHEMA = 1
# What an answer may have where neither its request nor the season sets a limit: some 600 words.
CHARACTERS = 4_000
FILE = "season.json"
# A season file has some 2 kB; a megabyte bounds what an edited one can cost.
LIMITS = Limits(line_bytes=1_000_000, file_bytes=1_000_000, depth=8)
REQUIRED = ("schema", "season", "set", "settings", "metrics", "judge", "ranked")
_CODES: Mapping[Problem, Code] = {"missing": Code.KEY_MISSING, "shape": Code.WRONG_SHAPE}


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
class Season:
    """A season as ``season.json`` declares it, and as a folder without one has it (`read_season`)."""

    season: SeasonName
    """The name of the season."""
    set: SetEntry
    """Which questions are answered."""
    settings: Annotated[
        tuple[SettingName, ...],
        Field(min_length=1),
        Expect(f"a list of some of {', '.join(SETTINGS)}"),
    ] = SETTINGS
    """What systems may look at: closedbook, openbook, evidenceprovided."""
    metrics: tuple[ShortText, ...] = ()
    """What is computed, as `-m` names it; the set's own metrics where the list is empty."""
    judge: ShortText = "lexical"
    """Who judges, as `--judge` names it."""
    ranked: ShortText = ""
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
    """The bound for an author that quota, step and settings give, to one decimal; null where nothing bounds it."""
    sealed: Annotated[
        Mapping[str, str | int | None] | None,
        Expect(
            "an object as season 0 has it, or null",
            lambda sealed: sealed is None or {"set_digest", "file_sha256"} <= sealed.keys(),
        ),
    ] = None
    """What a generated season promised on its first day; null for other sets."""
    quota_days: Annotated[int, Field(ge=1, le=10_000), Expect("a number of days")] | None = None
    """The quota is for any so many days in a row; null: for the whole season."""
    # None of a folder without season.json alone: then only the requests' own limits hold.
    limit: Annotated[
        int | None,
        Field(ge=1, le=200_000),
        Expect("a number, 1 to 200,000", lambda limit: limit is not None),
    ] = CHARACTERS
    """What an answer may have where its question sets no limit."""
    sentences: Annotated[
        int, Field(ge=1, le=MOST_SENTENCES), Expect(f"a number, 1 to {MOST_SENTENCES}")
    ] = MOST_SENTENCES
    """How many sentences an answer may have."""
    unit: Annotated[Unit, Expect("characters or words")] = "characters"
    """What ``limit`` counts."""
    track: Annotated[str | None, Expect("a track of `submission check --track`, or null")] = None
    """The TREC track whose form the files of answers have, and by whose rules they are checked."""
    over_limit: Annotated[OverLimit, Expect("unscored or cut")] = "unscored"
    """What becomes of a longer answer: it counts as unanswered, or is cut at the last sentence that fits."""
    links: Annotated[
        Mapping[str, str],
        Expect(
            f"an object of https:// addresses under some of {', '.join(LINKS)}",
            lambda links: all(k in LINKS and is_https(v) for k, v in links.items()),
        ),
    ] = field(default_factory=dict)
    """Addresses that the pages name: of the track, its repository, data and paper."""
    source: ShortText = ""
    """Where results come from that another board published: repository, commit, licence."""
    schema: Annotated[Literal[1], Expect("1, the layout that this version reads")] = 1
    """1, the layout of this file."""

    @property
    def limits(self) -> AnswerLimits:
        """The limits of an answer."""
        if self.limit is None:
            return AnswerLimits()
        return AnswerLimits(
            self.limit, self.sentences, self.over_limit, self.unit, self.track or ""
        )

    def judge_specs(self, named: Mapping[str, T]) -> dict[str, str | T]:
        """The judges of a scoring by name (the default one is empty): those named for the
        scoring, and those of the season for other names.

        Raises UsageError where the season names code outside the package: it was read from a file.
        """
        from argue_bench.judges import refuse_import

        own = {"": self.judge, **self.judges}
        # A judge named by module:name would run code that a file names.
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
        folder = data or (None if self.set.path is None else Path(self.set.path))
        # A season's own folder has the core format, whatever data set it was made of; other files of a
        # data set of ours are read by its own reader.
        if folder is not None and (
            self.set.name not in DATASETS or (folder / "set.json").is_file()
        ):
            return load(folder)
        return load(self.set.name, split or self.set.split, folder)


def read_season(folder: Path) -> Season:
    """The season of a folder of submissions, "local" on core where it has none. Raises DataError.

    Its set's path is seen from where we are, and step and bits are those that follow from its terms.
    """
    path = folder / FILE
    # Another set would be read in silence for a folder whose name is mistyped.
    if not folder.is_dir():
        raise DataError.of(
            Code.NO_SUCH_FILE, "no such folder", folder, hint="Name the folder of submissions."
        )
    if not path.exists() and not path.is_symlink():
        return Season("local", SetEntry(*default_set()), limit=None)
    hint = "Write that, or take the file that `board init` made."
    value = read_json(path, LIMITS)
    given = validate(
        Season, value, Code.WRONG_VALUE, path, codes=_CODES, required=REQUIRED, hint=hint
    )
    step, bits = told_terms(
        given.told, given.step, given.quota, given.quota_days, len(given.settings)
    )
    # The bound is there for readers: a season that promised another one would mislead them.
    if given.bits not in (None, bits):
        why = f"$.bits is {given.bits:g}; quota, quota_days, step and settings give {'null' if bits is None else bits}"
        raise DataError.of(Code.WRONG_VALUE, why, path, hint="Write that, or leave it out.")
    if given.track is not None:
        track_rules(given.track, path)
    # The file says where the set lies as seen from itself; whoever loads it stands elsewhere.
    seen = None if given.set.path is None else str(folder / given.set.path)
    return replace(given, set=replace(given.set, path=seen), step=step, bits=bits)


# Characters that are read of an answer: for each that its limit allows, and beside them. Citations do not count, and
# NFKC may make one letter of three. Where there is no limit, a little more than a quarter of FanOutQA's longest stands
# for it: 109,871 characters of a model that repeated itself.
TIMES, BESIDE, LONG = 4, 5_000, 30_000
# Bytes of a line: for each of those characters, as JSON may escape it, and for what else is said of the answer.
ESCAPED, ABOUT = 12, 100_000
# Lines beyond two for each question, which leave room for blank ones and doubles.
SPARE_LINES = 1_000


def longest_allowed(limits: AnswerLimits, dataset: Dataset) -> int:
    """The characters of the longest answer that is scored."""
    allowed = (
        LONG if n is None else n * (LONG_WORDS if unit == "words" else 1)
        for n, unit in map(limits.of, dataset)
    )
    return max(allowed, default=LONG)


def reading_limits(limits: AnswerLimits, dataset: Dataset) -> Limits:
    """How much is read of a file of answers: what is far over the limit costs no more than what is not."""
    most = TIMES * longest_allowed(limits, dataset) + BESIDE
    line = min(ESCAPED * most + ABOUT, DEFAULT_LIMITS.line_bytes)
    return Limits(line, lines=2 * len(dataset) + SPARE_LINES, answer=most)


# What is wrong with one line of a file of answers and costs the others nothing.
SPOIL_NOTHING: Mapping[str, Mapping[str, Any]] = {
    Code.UNKNOWN_ID: {"level": "notice", "hint": "It is left out."},
    Code.LINE_TOO_LONG: {"level": "warning", "hint": "It counts as unanswered. Shorten it."},
}


def track_rules(name: str, path: Path) -> Any:
    """The rules of a season's track. Raises DataError: no track has that name."""

    try:
        return import_text(TREC_TRACK)(name)
    except UnknownName as error:
        raise DataError.of(Code.WRONG_VALUE, f"$.track: {error}", path) from None


def told_terms(
    told: str,
    step: float | None,
    quota: int | None,
    quota_days: int | None = None,
    settings: int = 1,
) -> tuple[float | None, float | None]:
    """Step and bound of a season: both None where all scores are published exactly.

    A quota for so many days bounds no season: how many runs that are depends on how long it is open.
    """
    if told != TOLD[0]:
        return None, None
    step = step or default_step(quota)
    return step, shown_bits(quota if quota_days is None else None, step, settings)


def default_set() -> tuple[str, str]:
    """The set of a folder without a season: core's test split, its sample until that exists."""
    test = files("argue_bench") / "data" / "core" / "test" / "set.json"
    return ("core", "test" if test.is_file() else "sample")
