"""What is kept of a scoring? One file a system and season, in bytes that can be signed.

``results/SEASON/SYSTEM.json`` is canonical JSON: keys sorted, no blanks, UTF-8 as it is, no line
break at the end. The same scoring gives the same bytes on every machine (``created`` honours
SOURCE_DATE_EPOCH). ``group`` is left out where the row is a ranked one of its season.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from argue_bench.errors import Code, DataError, Finding, UsageError
from argue_bench.leaderboard.formats.layout import GROUPS, SETTINGS
from argue_bench.leaderboard.formats.names import is_season, wrong_with_system
from argue_bench.records.atomic import atomic_write
from argue_bench.records.display import describe, escape
from argue_bench.records.untrusted import Limits, open_bounded, parse

SCHEMA = 1
LIMITS = Limits(line_bytes=5_000_000, file_bytes=5_000_000, depth=8)
OPEN = ("author", "commit", "gold_digest")
"""Null where nobody said, as in a local scoring or an imported result."""
SCORE = ("value", "low", "high", "n", "failed")
WRITTEN = "Results are written by 'board score' and never edited: take the file as it was."


@dataclass(frozen=True)
class Setting:
    """The scores of one setting, and by metric text what they were made from."""

    signature: Mapping[str, Mapping[str, str]]
    scores: Mapping[str, Mapping[str, float | int | None]]
    """Full key to ``{value, low, high, n, failed}``; None is what was not counted or not said."""


@dataclass(frozen=True)
class Result:
    """All that is known of one system in one season."""

    season: str
    system: str
    settings: Mapping[str, Setting]
    submission: Mapping[str, str] = field(default_factory=dict)
    """Path inside the folder of submissions to SHA-256."""
    gold_digest: str | None = None
    author: str | None = None
    commit: str | None = None
    group: str = ""
    created: str = ""

    def to_json(self) -> dict[str, Any]:
        found: dict[str, Any] = {
            "schema": SCHEMA,
            "season": self.season,
            "system": self.system,
            "author": self.author,
            "commit": self.commit,
            "submission": dict(self.submission),
            "gold_digest": self.gold_digest,
            "settings": {
                name: {
                    "signature": {text: dict(parts) for text, parts in one.signature.items()},
                    "scores": {key: dict(score) for key, score in one.scores.items()},
                }
                for name, one in self.settings.items()
            },
            "created": self.created,
        }
        return found | ({"group": self.group} if self.group else {})

    def changed_files(
        self, digests: Mapping[str, str], private: bool = False
    ) -> list[tuple[str, str, str]]:
        """Files that differ from the scored ones: (path, digest now or an empty text, as scored).

        The answers of a private submission are not published, so they may be missing.
        """
        return [
            (path, digests.get(path, ""), scored)
            for path, scored in sorted(self.submission.items())
            if digests.get(path, scored if private and not path.startswith("metadata/") else "")
            != scored
        ]

    @property
    def path(self) -> Path:
        """Where it lies inside the folder of submissions."""
        return Path("results", self.season, f"{self.system}.json")


@dataclass(frozen=True)
class Version:
    """A result as it once stood on the results branch: the bytes that were signed, and their signature."""

    result: Result
    content: bytes
    signature: bytes


def canonical(value: Any) -> bytes:
    """The bytes of a JSON value that are hashed and signed. Raises ValueError on NaN."""
    options: dict[str, Any] = {"sort_keys": True, "separators": (",", ":")}
    return json.dumps(value, **options, ensure_ascii=False, allow_nan=False).encode()


def now() -> str:
    """The time in UTC, to the second; SOURCE_DATE_EPOCH where that is set. Raises UsageError."""
    given = os.environ.get("SOURCE_DATE_EPOCH")
    try:
        seconds = time.time() if given is None else int(given)
        return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))
    except (ValueError, OverflowError, OSError):
        raise UsageError(f"SOURCE_DATE_EPOCH is {given!r}; expected seconds since 1970") from None


def write_result(folder: Path, result: Result) -> Path:
    """Writes ``results/SEASON/SYSTEM.json`` in its exact bytes. Raises DataError."""
    path = folder / result.path
    refuse_links(folder, result.path)
    with atomic_write(path) as file:
        file.write(canonical(result.to_json()).decode())
    return path


def refuse_links(folder: Path, inside: Path) -> None:
    """Raises DataError where a folder on the way to a file is a link: nothing is written through."""
    for parent in inside.parents[:-1]:
        if (folder / parent).is_symlink():
            hint = "Put a real folder there."
            why = "this is a link; nothing is written through it"
            raise DataError.of(Code.SYMLINK, why, folder / parent, hint=hint)


def read_result(path: Path) -> Result:
    """A results file, checked. Raises DataError with every finding at once."""
    label = str(path)
    with open_bounded(path, LIMITS, label) as file:
        raw = file.read(LIMITS.file_bytes + 1)
    return parse_result(raw, path)


def parse_result(raw: bytes, path: Path) -> Result:
    """The same from the bytes of a file that lies at this path. Raises DataError."""
    label = str(path)
    value = parse(raw, label, None, LIMITS)
    findings = check_result(value, label)
    if not findings and canonical(value) != raw:
        why = "these are not the canonical bytes of its values"
        findings = [Finding(Code.RESULT_BYTES, why, label, hint=WRITTEN)]
    if not findings and Path(value["season"], f"{value['system']}.json").parts != path.parts[-2:]:
        why = f"it is of {value['season']}/{value['system']}, which is not where it lies"
        hint = "Put it where it says, or take the file as it was written."
        findings = [Finding(Code.RESULT_PLACE, why, label, hint=hint)]
    if findings:
        raise DataError(findings)
    settings = {
        name: Setting(one["signature"], one["scores"]) for name, one in value["settings"].items()
    }
    rest = {key: value[key] for key in value.keys() - {"schema", "settings"}}
    return Result(settings=settings, **rest)


def check_result(value: Any, label: str) -> list[Finding]:
    """What is wrong with the value of a results file, by hand; the JSON schema says the same."""
    keys = {
        "schema",
        "season",
        "system",
        "author",
        "commit",
        "submission",
        "gold_digest",
        "settings",
        "created",
    }
    if not isinstance(value, dict) or not keys <= value.keys() <= keys | {"group"}:
        what = f"expected an object with the keys {', '.join(sorted(keys))}"
        return [Finding(Code.RESULT_SHAPE, f"this is no results file; {what}", label, hint=WRITTEN)]
    forms = {
        "schema": (
            value["schema"] == SCHEMA and type(value["schema"]) is int,
            f"{SCHEMA}, the layout that this version reads",
        ),
        "season": (is_season(value["season"]), "a name of the form [a-z0-9][a-z0-9.-]{0,63}"),
        "system": (
            isinstance(value["system"], str) and not wrong_with_system(value["system"]),
            "the name of a system, [a-z0-9][a-z0-9-]{1,63} and none of the board's own",
        ),
        "submission": (_texts(value["submission"]), "an object of paths and their SHA-256"),
        "settings": (
            isinstance(value["settings"], dict) and value["settings"].keys() <= set(SETTINGS),
            f"an object with some of the keys {', '.join(SETTINGS)}",
        ),
        "group": (
            value.get("group", GROUPS[0]) in GROUPS,
            f"one of {', '.join(GROUPS)}, or no such key",
        ),
        **{
            key: (value[key] is None or isinstance(value[key], str), "a text, or null")
            for key in OPEN
        },
        "created": (isinstance(value["created"], str), "a time such as 2027-01-31T12:00:00Z"),
    }
    findings = [
        Finding(
            Code.RESULT_VALUE,
            f"{key} is {describe(value[key])}; expected {what}",
            label,
            path=f"/{key}",
            hint=WRITTEN,
        )
        for key, (fits, what) in forms.items()
        if not fits
    ]
    if forms["settings"][0]:
        for name, one in value["settings"].items():
            findings += _check_setting(one, label, f"/settings/{name}")
    return findings


def _check_setting(one: Any, label: str, path: str) -> list[Finding]:
    if not isinstance(one, dict) or one.keys() != {"signature", "scores"}:
        why = f"this is {describe(one)}; expected an object with the keys signature and scores"
        return [Finding(Code.RESULT_SHAPE, why, label, path=path, hint=WRITTEN)]
    findings = []
    signature, scores = one["signature"], one["scores"]
    if not isinstance(signature, dict) or not all(map(_texts, signature.values())):
        why = "expected an object from the text of a metric to an object of texts"
        findings.append(
            Finding(Code.RESULT_VALUE, why, label, path=f"{path}/signature", hint=WRITTEN)
        )
    wrong = [k for k, v in scores.items() if not _score(v)] if isinstance(scores, dict) else [""]
    if wrong:
        which = f"the score '{escape(wrong[0])}' is none" if wrong[0] else "these are no scores"
        why = f"{which}; expected {{{', '.join(SCORE)}}} of numbers or null"
        findings.append(Finding(Code.RESULT_SCORE, why, label, path=f"{path}/scores", hint=WRITTEN))
    return findings


def _score(score: Any) -> bool:
    return (
        isinstance(score, dict)
        and score.keys() == set(SCORE)
        and all(
            value is None or (isinstance(value, int | float) and not isinstance(value, bool))
            for value in score.values()
        )
    )


def _texts(value: Any) -> bool:
    return isinstance(value, dict) and all(isinstance(inner, str) for inner in value.values())
