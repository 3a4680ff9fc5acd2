"""The check of a whole board against its public keys, offline and without a secret.

It looks at every result and the bands of every season (signature by an active or a retired key,
canonical bytes, place), at the chain of the ledger, and at whether what the ledger says the board made is all
there: each result that is neither hidden nor unmerged, and bands that rank these very scores.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, cast

from argue_bench.errors import Code, DataError, Finding, SealError
from argue_bench.leaderboard.formats.layout import (
    BANDS,
    BRIDGES,
    DESCRIBED,
    LEDGER,
    MAIN_LEDGER,
    RANKS_STAY,
)
from argue_bench.leaderboard.formats.ledger import LIMITS as LEDGER_LIMITS
from argue_bench.leaderboard.formats.ledger import Event, hidden_systems, read_ledger
from argue_bench.leaderboard.formats.results import LIMITS, Result, parse_result
from argue_bench.leaderboard.signing.keys import Keys, verify_signature
from argue_bench.leaderboard.submitting.checking import is_file, is_folder
from argue_bench.records.grouping import grouped
from argue_bench.records.untrusted import parse_json, read_bounded, read_json

_RANKED = ("scored", "re-scored")
# Events with which a signed result came onto the branch.
_SIGNED = (*_RANKED, DESCRIBED)
Seal = Literal["verified", "unsigned", "unchecked", "broken"]


@dataclass(frozen=True)
class VerifiedFile:
    """The check of one file of results: its state, the key that signed it, and its problems."""

    path: str
    season: str
    # Empty for the bands and bridges of a season.
    system: str
    seal: Seal
    key: str = ""
    why: str = ""
    result: Result | None = None
    # What is wrong with one that is broken.
    code: Code = Code.BAD_SIGNATURE


def verify_board(folder: Path, keys: Keys) -> Iterator[VerifiedFile]:
    """Every result of a folder of submissions, by season and system. Raises nothing."""
    results = folder / "results"
    for season in sorted(results.iterdir()) if is_folder(results) else ():
        if is_folder(season):
            for path in sorted(season.glob("*.json")):
                yield verify_file(path, keys)


def verify_file(path: Path, keys: Keys | None) -> VerifiedFile:
    """One result. A signature that is there and fails is broken; one that is not there is none.

    Without ``keys`` what is signed stays unchecked.
    """
    whole = {BANDS: "settings", BRIDGES: "bridges"}.get(path.name, "")
    system, season = "" if whole else path.stem, path.parent.name
    where = f"results/{season}/{path.name}"
    try:
        if not is_file(path):
            return VerifiedFile(where, season, system, "broken", why="this is not a regular file")
        content = read_bounded(path, LIMITS, path.name)
        if whole:
            check_bands(content, where, season, whole)
        result = None if whole else parse_result(content, path)
        signature = path.with_name(f"{path.name}.sig")
        if keys is None or not signature.exists():
            state: Seal = "unchecked" if signature.exists() else "unsigned"
            return VerifiedFile(where, season, system, state, result=result)
        key = verify_signature(content, read_bounded(signature, LIMITS, signature.name), keys)
    except SealError as error:
        return VerifiedFile(where, season, system, "broken", why=str(error))
    except DataError as error:
        (first, *_) = error.findings
        return VerifiedFile(where, season, system, "broken", why=first.message, code=first.code)
    return VerifiedFile(where, season, system, "verified", key, result=result)


def verify_ledger(folder: Path) -> tuple[list[Event], list[Finding]]:
    """The events of a folder's ledgers, those of main first, and what is wrong with them."""
    events: list[Event] = []
    try:
        for path in (folder / MAIN_LEDGER, folder / LEDGER):
            if is_file(path):
                events += read_ledger(read_bounded(path, LEDGER_LIMITS), str(path))
    except DataError as error:
        return [], list(error.findings)
    return events, []


def compare_with_ledger(
    verified: Iterable[VerifiedFile], events: Iterable[Event], earlier: Collection[str] = ()
) -> list[Finding]:
    """Signed results that the last scoring of the ledger does not account for.

    Runs that the organiser imported have neither commit nor scoring.
    ``earlier`` are the paths of those that are shown as of a scoring before, for the last is not merged.
    """
    scored = grouped(((e.season, e.system), e) for e in events if e.event in _SIGNED)
    findings = []
    for one in verified:
        if one.seal != "verified" or one.result is None:
            continue
        there = scored.get((one.season, one.system), [])
        if not (there or one.result.commit):
            continue
        said = (one.result.commit, one.result.created)
        # New metadata leave a result of the commit and the time of its scoring; a new owner may have sent them.
        last = max((place for place, e in enumerate(there) if e.event in _RANKED), default=0)
        first = 0 if one.path in earlier else last
        places = [
            place
            for place, event in enumerate(there)
            if place >= first
            and said == (event.commit, event.date)
            and one.result.author in {later.author for later in there[place:]}
        ]
        if not places:
            other = "The ledger's last scoring has another author, commit or time"
            why = other if there else "The ledger holds no scoring of this result"
            findings.append(Finding(Code.LEDGER_OTHER, why, one.path))
        else:
            findings += _other_scores(one.path, one.result, there[: places[-1] + 1])
    return findings


def _other_scores(path: str, result: Result, events: Iterable[Event]) -> Iterator[Finding]:
    """The settings of a result whose last score in the ledger it does not hold."""
    told: dict[str, float | None] = {}
    for event in events:
        # A re-scoring tells all settings that stand; a scoring those that moved.
        told = {**({} if event.event == "re-scored" else told), **event.scores}
    for setting, value in told.items():
        held = result.settings.get(setting)
        values = [] if held is None else [score["value"] for score in held.scores.values()]
        if value not in values:
            why = f"the ledger says {value} for {setting}, and the signed result does not"
            yield Finding(Code.LEDGER_OTHER, why, path)


def find_unsigned(
    verified: Collection[VerifiedFile], events: Iterable[Event] = (), declared: str = ""
) -> list[Finding]:
    """Files without a signature in seasons of which the board signed anything, here or by its ledger.

    Of the season that is ``declared`` to be signed too, though the ledger was taken away with all signatures.
    """
    signed = {
        declared,
        *(one.season for one in verified if one.seal == "verified"),
        *(event.season for event in events if event.event in _SIGNED),
    }
    hint = (
        "Take the file away, or the season's signatures have been taken away: get the branch again."
    )
    return [
        Finding(
            Code.BAD_SIGNATURE,
            "A result of a season that the board signs is unsigned",
            file=one.path,
            hint=hint,
        )
        for one in verified
        if one.seal == "unsigned" and one.season in signed
    ]


def find_missing(
    folder: Path,
    verified: Collection[VerifiedFile],
    events: Sequence[Event],
    left_out: Collection[str] = (),
) -> Iterator[Finding]:
    """Results and bands that the ledger says the board made, and that are not there.

    Hidden systems are not looked for, nor are paths ``left_out``; beside merged submissions, only what is merged.
    """
    known = {one.path for one in verified} | set(left_out)
    merged = folder / "metadata"
    ranked = {event.season for event in events if event.event in _RANKED}
    wanted = [
        f"results/{season}/{system}.json"
        for season, system in sorted({(e.season, e.system) for e in events if e.event in _SIGNED})
        if not is_folder(merged) or is_file(merged / f"{system}.json")
        if system not in hidden_systems(events, season)
    ]
    shown = {one.season for one in verified if one.system} & ranked
    for path in [*wanted, *(f"results/{season}/{BANDS}" for season in sorted(shown))]:
        if path not in known:
            yield Finding(
                Code.LEDGER_OTHER,
                "A file that the board signed by its ledger is not there",
                file=path,
                hint="It has been taken away: get the branch again.",
            )


def compare_with_bands(
    folder: Path,
    verified: Collection[VerifiedFile],
    events: Sequence[Event],
    earlier: Collection[str] = (),
) -> Iterator[Finding]:
    """Signed results that the signed bands of their season rank by another score, or not at all.

    A warning where the ledger says of what came later that the bands stayed as they were, and where a result
    without a rank is made otherwise than all that are ranked: by a judge that a bridge leads from, or a scorer before.
    """
    for bands in verified:
        if bands.seal != "verified" or Path(bands.path).name != BANDS:
            continue
        content = read_bounded(folder / bands.path, LIMITS, bands.path)
        settings = parse_json(content, bands.path, None, LIMITS)["settings"]
        own = [event for event in events if event.season == bands.season]
        late, recorded = _ranked_later(own), {event.system for event in own}
        results = [
            one.result
            for one in verified
            if one.season == bands.season
            and one.seal == "verified"
            and one.path not in earlier
            and one.result is not None
            and (one.result.commit or one.system in recorded)  # what was imported has no rank
        ]
        for one in results:
            for why, apart in _other_ranks(settings, one, results):
                found = Finding(Code.OTHER_RESULT, why, bands.path)
                yield replace(found, level="warning") if apart or one.system in late else found


def _ranked_later(events: Sequence[Event]) -> set[str]:
    """Systems of which anything was recorded after the bands were last made anew."""
    made = [e.event == "scored" and e.reason != RANKS_STAY for e in events]
    last = max((place for place, one in enumerate(made) if one), default=-1)
    return {event.system for event in events[last + 1 :]}


def signed_bridges(path: Path, seen: VerifiedFile | None) -> list[dict[str, Any]]:
    """The bridges in the file at a path; none unless the board signed it."""
    if seen is None or seen.seal != "verified":
        return []
    return cast("list[dict[str, Any]]", read_json(path, LIMITS)["bridges"])


def _other_ranks(
    settings: Mapping[str, Any], result: Result, results: Iterable[Result]
) -> Iterator[tuple[str, bool]]:
    """The differences between the bands of each setting and a result, and whether it rightly stands apart."""
    for setting, held in result.settings.items():
        bands = settings.get(setting, {"score": "", "systems": []})
        ranks = {row["system"]: row["value"] for row in bands["systems"]}
        said, there = held.scores.get(bands["score"]), ranks.get(result.system)
        if there is None:
            metric, _, _ = bands["score"].rpartition(".")
            made = [
                one.settings[setting].signature.get(metric)
                for one in results
                if one.system in ranks and setting in one.settings
            ]
            apart = bool(made) and held.signature.get(metric) not in made
            why = f": made otherwise; board rescore --system {result.system}" if apart else ""
            yield f"{result.system} has no rank in {setting}{why}", apart
        elif said is not None and not math.isclose(there, said["value"] or 0, abs_tol=1e-6):
            why = f"is ranked by {there} in {setting}; its result says {said['value']}"
            yield f"{result.system} {why}", False


def check_bands(content: bytes, where: str, season: str, holds: str = "settings") -> None:
    """Bands and bridges are signed as results are, so they say of which season they are. Raises DataError."""
    value = parse_json(content, where, None, LIMITS)
    if not isinstance(value, dict) or value.keys() != {"schema", "season", holds}:
        raise DataError.of(
            Code.WRONG_SHAPE,
            "A bands.json or bridges.json is not as the board writes it",
            file=where,
        )
    if value["season"] != season:
        raise DataError.of(
            Code.OTHER_RESULT,
            "The bands belong to another season than the folder they lie in",
            file=where,
        )
