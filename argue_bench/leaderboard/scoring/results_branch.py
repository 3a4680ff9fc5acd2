"""The results branch at one commit; every result is verified before it is believed."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import numpy as np

from argue_bench.errors import Code, DataError, SealError, SubmissionError
from argue_bench.leaderboard.formats.canonical import canonical
from argue_bench.leaderboard.formats.git_objects import Objects, TreeEntry, check_ref
from argue_bench.leaderboard.formats.layout import BRIDGES, ROOT
from argue_bench.leaderboard.formats.ledger import Event, ledger_at
from argue_bench.leaderboard.formats.results import Result, Version, parse_result
from argue_bench.leaderboard.signing.keys import Keys, seal, unseal, verify_signature
from argue_bench.stats.averages import Column, Columns

TALLIES = "tallies"
# Of all sealed tallies of a season: 1,000 systems of 1,000 questions have some 50 MB.
SEALED_BYTES = 500_000_000
# Looking further back costs a read of a tree each; nobody is scored so often in a season.
# Of one system's results that are looked at.
MOST_VERSIONS = 100
_NUMBER = np.dtype("<f8")


@dataclass(frozen=True)
class RankedColumns:
    """The counts behind the ranked score of one setting, question by question."""

    signature: Mapping[str, str]
    columns: Columns


@dataclass
class ResultsBranch:
    """The results branch at a commit; None where there is no branch yet."""

    objects: Objects
    season: str
    commit: str | None
    events: Sequence[Event]
    rows: Mapping[str, TreeEntry] = field(default_factory=dict)
    """The files of the season."""
    sealed: Mapping[str, TreeEntry] = field(default_factory=dict)

    def result(self, system: str, keys: Keys) -> Result | None:
        """A system's result as it stands; none where no key of the board verifies it."""
        version = self._version(self.rows, system, keys)
        return None if version is None else version.result

    def versions(self, system: str, keys: Keys | None) -> Iterator[Version]:
        """All versions of a system's result that verify, the newest first; without ``keys`` whoever signed them."""
        path = f"{ROOT}/results/{self.season}/{system}.json"
        changes = self.objects.changes(self.commit, path, MOST_VERSIONS) if self.commit else []
        for commit in changes:
            rows = self.objects.folder(commit, ROOT, "results", self.season)
            # One that can't be read is skipped, as one that does not verify: an older one may be what is sought.
            with suppress(SubmissionError):
                version = self._version(rows, system, keys)
                if version is not None:
                    yield version

    def _version(
        self, rows: Mapping[str, TreeEntry], system: str, keys: Keys | None
    ) -> Version | None:
        name = f"{system}.json"
        if name not in rows:
            return None
        oids = [rows[one].oid for one in (name, f"{name}.sig") if one in rows]
        content, *rest = self.objects.blobs(oids, 10_000_000)
        signature = rest[0] if rest else b""
        try:
            if keys is not None:
                verify_signature(content, signature, keys)
            result = parse_result(content, Path("results", self.season, name))
        except (SealError, DataError):
            return None
        return Version(result, content, signature)

    def bridges(self, keys: Keys) -> list[dict[str, Any]]:
        """The bridges of the season's re-scorings; none where no key of the board verifies them."""
        if BRIDGES not in self.rows:
            return []
        oids = [self.rows[one].oid for one in (BRIDGES, f"{BRIDGES}.sig") if one in self.rows]
        content, *rest = self.objects.blobs(oids, 10_000_000)
        # The key may be gone by which they were signed: then nothing is built upon them, and nothing stops.
        with suppress(SealError):
            verify_signature(content, rest[0] if rest else b"", keys)
            return cast("list[dict[str, Any]]", json.loads(content)["bridges"])
        return []

    def counted(self, systems: Sequence[str], key: str) -> dict[str, dict[str, RankedColumns]]:
        """System to setting to tallies, of those systems that have any."""
        there = [system for system in systems if f"{system}.sealed" in self.sealed]
        oids = [self.sealed[f"{system}.sealed"].oid for system in there]
        contents = zip(there, self.objects.blobs(oids, SEALED_BYTES), strict=True)
        return {name: open_tallies(raw, key, self.season, name) for name, raw in contents}

    @property
    def systems(self) -> list[str]:
        """Every system with tallies in the season."""
        return sorted(name.removesuffix(".sealed") for name in self.sealed)


def read_results_branch(objects: Objects, season: str, results: str) -> ResultsBranch:
    """The branch as it is at the remote now. Raises SubmissionError."""
    ref = check_ref(results)
    # One commit for the whole scoring: what is pushed meanwhile is seen when the decision is recorded.
    commit = objects.refs(ref).get(ref)
    if commit is None:
        return ResultsBranch(objects, season, None, [])
    objects.fetch([commit])
    events = ledger_at(objects, commit)
    rows = objects.folder(commit, ROOT, "results", season)
    sealed = objects.folder(commit, ROOT, "results", season, TALLIES)
    return ResultsBranch(objects, season, commit, events, rows, sealed)


def seal_tallies(
    settings: Mapping[str, RankedColumns], key: str, season: str, system: str
) -> bytes:
    """The encrypted file of a system's tallies: what they are, a line end, and their numbers.

    Its length is that of the questions and columns, whatever was counted: the size of a sealed file is public.
    """
    about = {
        setting: {
            "signature": dict(one.signature),
            "columns": {name: len(column.numerator) for name, column in one.columns.items()},
        }
        for setting, one in settings.items()
    }
    # Numbers as raw floats, all of one width: digits would make a file's length tell of its values.
    numbers = [part for setting in sorted(settings) for part in _parts(settings[setting])]
    plain = b"\n".join((canonical(about), b"".join(part.tobytes() for part in numbers)))
    return seal(plain, key, _purpose(season, system))


def open_tallies(raw: bytes, key: str, season: str, system: str) -> dict[str, RankedColumns]:
    """Raises SubmissionError where it does not open."""
    label = f"{system}.sealed"
    try:
        head, _, rest = unseal(raw, key, _purpose(season, system), label).partition(b"\n")
        about: dict[str, Any] = json.loads(head)
        numbers = np.frombuffer(rest, _NUMBER)
        found, at = {}, 0
        for setting, one in sorted(about.items()):
            columns = {}
            for name, length in sorted(one["columns"].items()):
                pair = numbers[at : at + 2 * length].astype(np.float64).reshape(2, length)
                columns[name] = Column(pair[0], pair[1])
                at += 2 * length
            found[setting] = RankedColumns(one["signature"], columns)
        return found
    except (SealError, DataError, ValueError, KeyError, TypeError, AttributeError):
        raise SubmissionError.of(
            Code.SEAL, "The encrypted tallies of a system do not open with this key", file=label
        ) from None


def plain_tallies(counted: Mapping[str, Mapping[str, RankedColumns]]) -> dict[str, Any]:
    """Tallies as JSON: system to setting to column to [numerators, denominators], question by question."""
    return {
        system: {
            setting: {
                name: [column.numerator.tolist(), column.denominator.tolist()]
                for name, column in one.columns.items()
            }
            for setting, one in settings.items()
        }
        for system, settings in counted.items()
    }


def _parts(one: RankedColumns) -> Iterator[np.ndarray]:
    for _, column in sorted(one.columns.items()):
        yield np.asarray(column.numerator, _NUMBER)
        yield np.asarray(column.denominator, _NUMBER)


def _purpose(season: str, system: str) -> str:
    return f"{season}/{TALLIES}/{system}"
