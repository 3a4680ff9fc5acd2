"""What is a board's season? Its ``season.json``: the set, settings, metrics, judge, ranked score.

``set.path`` is where a local copy of the set lies, from the folder of season.json. ``group`` says
what all rows of the season are ("rehearsal"); a season without one is the real thing. ``sealed`` is
there where the set was printed for the season: what its organiser cannot change any more.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from argue_bench.errors import Code, DataError, Finding
from argue_bench.leaderboard.formats.layout import GROUPS, SETTINGS
from argue_bench.leaderboard.formats.names import DIGEST, invisible, is_season
from argue_bench.records.display import describe
from argue_bench.records.untrusted import Limits, read_json

if TYPE_CHECKING:
    from argue_bench.loaders.dataset import Dataset

T = TypeVar("T")
SCHEMA = 1
FILE = "season.json"
LIMITS = Limits(line_bytes=1_000_000, file_bytes=1_000_000, depth=8)
REQUIRED = ("schema", "season", "set", "settings", "metrics", "judge", "ranked")


@dataclass(frozen=True)
class Sealed:
    """What a season's organiser commits to on its first day, all hashes SHA-256 in hexadecimal.

    ``seed_sha256`` is over the seed's lower-case hexadecimal digits, ``patterns_sha256`` over the bytes of the
    private pattern file (empty without one), ``gold_sha256`` over gold.jsonl, ``file_sha256`` over
    the sealed file. ``set_digest`` is the digest of questions and documents.
    """

    generator: str
    size: str | int
    seed_sha256: str
    patterns_sha256: str
    set_digest: str
    gold: str
    """The name of the sealed file beside season.json."""
    gold_sha256: str
    file_sha256: str


@dataclass(frozen=True)
class Season:
    """What is scored, on what, by whom, and which score ranks."""

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
    """Scored submissions that one author may send in the season; None: as many as they like."""
    rounding: int | None = None
    """Decimals of a share (0 to 1) that are shown while gold is hidden; None: all."""
    sealed: Sealed | None = None
    quota_days: int | None = None
    """The quota is for any so many days in a row; None: for the whole season."""

    def judge_specs(self, named: Mapping[str, T]) -> dict[str, str | T]:
        """The judges of a scoring by name, the default one's being empty: those that were named for
        it, and the season's for the other names.

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


def read_season(folder: Path) -> Season:
    """The season of a folder of submissions, "local" on core where it has none. Raises DataError."""
    path = folder / FILE
    if not path.exists() and not path.is_symlink():
        return Season("local", *default_set())
    value = read_json(path, LIMITS)
    if not isinstance(value, dict):
        raise DataError.of(Code.SEASON_SHAPE, "season.json is no object", path)
    findings = [
        Finding(Code.SEASON_KEY_MISSING, f"the key {key!r} is missing", str(path))
        for key in REQUIRED
        if key not in value
    ] or _check(value, str(path))
    if findings:
        raise DataError(findings)
    about = value["set"]
    name, local = about["name"], about.get("path")
    return Season(
        value["season"],
        name,
        about.get("split", ""),
        None if local is None else folder / local,
        tuple(value["settings"]),
        tuple(value["metrics"]),
        value["judge"],
        dict(value.get("judges", {})),
        value["ranked"],
        value.get("group") or "",
        value.get("title", ""),
        value.get("quota"),
        value.get("rounding"),
        _sealed(value.get("sealed")),
        value.get("quota_days"),
    )


def _sealed(value: Mapping[str, Any] | None) -> Sealed | None:
    if value is None:
        return None
    return Sealed(**{**value, "patterns_sha256": value["patterns_sha256"] or ""})


def default_set() -> tuple[str, str]:
    """The set of a folder without a season: core's test split, its sample until that exists."""
    test = files("argue_bench") / "data" / "core" / "test" / "set.json"
    return ("core", "test" if test.is_file() else "sample")


def _check(value: Mapping[str, Any], label: str) -> list[Finding]:
    about = value["set"] if isinstance(value["set"], dict) else {}
    wanted = {
        "schema": (value["schema"] == SCHEMA, f"{SCHEMA}, the layout that this version reads"),
        "season": (is_season(value["season"]), "a name of the form [a-z0-9][a-z0-9.-]{0,63}"),
        "set": (
            _text(about.get("name"))
            and _text(about.get("split", ""))
            and (about.get("path") is None or _text(about.get("path"))),
            'an object {"name", "split", "path"}',
        ),
        "settings": (
            _texts(value["settings"])
            and bool(value["settings"])
            and set(value["settings"]) <= set(SETTINGS),
            f"a list of some of {', '.join(SETTINGS)}",
        ),
        "metrics": (_texts(value["metrics"]), "a list of metric texts"),
        "judge": (_text(value["judge"]), "the spec of a judge"),
        "judges": (
            isinstance(value.get("judges", {}), dict)
            and _texts([*value.get("judges", {}).values()]),
            "an object of names and specs",
        ),
        "ranked": (_text(value["ranked"]), "the key of a score, such as argue.f1"),
        "group": (value.get("group") in (None, *GROUPS), f"one of {', '.join(GROUPS)}, or null"),
        "title": (_text(value.get("title", "")), "a text of at most 200 characters"),
        "quota": (_whole(value.get("quota"), 1, 1_000_000), "a whole number from 1, or null"),
        "quota_days": (_whole(value.get("quota_days"), 1, 10_000), "a number of days, or null"),
        "rounding": (
            _whole(value.get("rounding"), 1, 15),
            "a number of decimals, 1 to 15, or null",
        ),
        "sealed": (
            value.get("sealed") is None or _is_sealed(value["sealed"]),
            f"an object {{{', '.join(Sealed.__annotations__)}}} as `season new` does, or null",
        ),
    }
    return [
        Finding(
            Code.SEASON_VALUE,
            f"{key} is {describe(value.get(key))}; expected {what}",
            label,
            path=f"/{key}",
            hint="Write that, or take the file that `board init` made.",
        )
        for key, (fits, what) in wanted.items()
        if not fits
    ]


def _is_sealed(value: Any) -> bool:
    if not isinstance(value, dict) or value.keys() != Sealed.__annotations__.keys():
        return False
    hashes = [value[key] for key in ("seed_sha256", "gold_sha256", "file_sha256")]
    if value["patterns_sha256"] is not None:
        hashes.append(value["patterns_sha256"])
    size = value["size"]
    return (
        all(isinstance(one, str) and DIGEST.fullmatch(one) for one in hashes)
        and (
            _text(size)
            if isinstance(size, str)
            else _whole(size, 1, 1_000_000) and size is not None
        )
        and _text(value["generator"])
        and _text(value["set_digest"])
        and isinstance(value["gold"], str)
        and re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}", value["gold"]) is not None
    )


def _whole(value: Any, least: int, most: int) -> bool:
    """A whole number, or None."""
    return value is None or (type(value) is int and least <= value <= most)


def _text(value: Any) -> bool:
    return isinstance(value, str) and len(value) <= 200 and not invisible(value)


def _texts(value: Any) -> bool:
    return isinstance(value, list) and all(map(_text, value))
