"""The check of a submission for completeness and form, every finding at once.

A folder of submissions holds ``{closedbook,openbook,evidenceprovided}-generations/SYSTEM.jsonl``
and ``metadata/SYSTEM.json``. Nothing in it is believed: links are not followed, sizes are looked at
before anything is read, and one bad file never hides what is wrong with the others. The board runs
these very checks.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from argue_bench.errors import (
    Code,
    DataError,
    Finding,
    Level,
    UnknownName,
    UsageError,
)
from argue_bench.leaderboard.formats.bundle import paths_of
from argue_bench.leaderboard.formats.layout import (
    ARCHIVE,
    FOLDERS,
    PLACES,
    PUBLISHED,
    SETTINGS,
)
from argue_bench.leaderboard.formats.metadata import Metadata, check_names, read_metadata
from argue_bench.leaderboard.formats.names import board_name, system_name_fault
from argue_bench.records.atomic import write_json
from argue_bench.records.display import escape
from argue_bench.records.untrusted import Limits
from argue_bench.satellites import TREC_CHECK, import_text

if TYPE_CHECKING:
    from argue_bench.leaderboard.submitting.answer_files import Checked
    from argue_bench.loaders.answers import ParsedAnswer
    from argue_bench.loaders.dataset import Dataset
    from argue_bench.loaders.limits import AnswerLimits


def write_metadata(folder: Path, system: str, values: Mapping[str, Any]) -> Path:
    """A new metadata file, checked. Raises DataError with every finding, UsageError if it is there."""
    path = folder / "metadata" / f"{system}.json"
    if path.exists():
        raise UsageError(
            f"{path} is there already. Better answers need nothing here: put them in their place and send them; else "
            "edit it, or choose another name"
        )
    write_json(path, values)
    _, findings = read_metadata(path, str(path), system)
    if errors := [one for one in findings if one.level == "error"]:
        path.unlink()
        raise DataError(errors)
    return path


# Other files and folders of a board, which participants do not write; they are not read here.
BESIDE = frozenset(
    [
        *("README.md", "results", "ledger.jsonl", ".gitkeep", "season.json", "topics", "opened"),
        *("gold.jsonl.sealed", "keys", "judges", "labels", "runs", ARCHIVE, PUBLISHED),
    ]
)
# What a track's checker finds and the check of a submission finds too, in its own words.
_COVERED = frozenset({Code.MISSING_TOPICS, Code.NEW_TOPICS, Code.DUPLICATE_TOPICS, Code.LENGTH})


class AnswerCoverage(NamedTuple):
    """The coverage of one file of answers: which questions of the set it answers."""

    answered: int
    of: int
    missing: tuple[str, ...]


@dataclass
class CheckedSystem:
    """One system: its metadata, its files by setting, what was found out about them."""

    system: str
    metadata: Metadata | None = None
    places: list[Path] = field(default_factory=list)
    """Everything of its name that lies there, in the letters in which it lies there."""
    generations: dict[str, Path] = field(default_factory=dict)
    spoilt: set[str] = field(default_factory=set)
    """Settings where something lies that can't be read as a file."""
    answered: dict[str, AnswerCoverage] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)

    @property
    def ok(self) -> bool:
        return not _errors(self.findings)


@dataclass
class CheckedFolder:
    """The findings of a check: by system, and for the folder itself."""

    folder: Path
    entries: dict[str, CheckedSystem] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)

    @property
    def all_findings(self) -> list[Finding]:
        return [*self.findings, *(f for entry in self.entries.values() for f in entry.findings)]

    @property
    def ok(self) -> bool:
        return not _errors(self.all_findings)


def check_submissions(
    folder: Path,
    dataset: Dataset,
    settings: Collection[str] = SETTINGS,
    system: str = "",
    limits: AnswerLimits | None = None,
) -> CheckedFolder:
    """Checks every submission in a folder, or only one system's, against the ids of a set.

    ``limits`` are the season's; without them the requests' own hold.
    Memory does not grow with the length of the files. Raises UnknownName where ``system`` has no
    file there; everything else is a finding.
    """
    if not folder.is_dir():
        why, hint = "The folder does not exist", "Name the folder of submissions."
        return CheckedFolder(
            folder, findings=[Finding(Code.NO_SUCH_FILE, why, label(folder), hint=hint)]
        )
    checked = CheckedFolder(folder)
    systems, system = dict(sorted(_scan(folder, checked).items())), board_name(system)
    if system and system not in systems:
        raise UnknownName("system", system, list(systems) or ["(none)"])
    for entry in systems.values():
        _read_metadata(entry, folder)
    names = [
        (name, entry.metadata.name, label(folder, "metadata", f"{name}.json"))
        for name, entry in systems.items()
        if entry.metadata is not None
    ]
    if system:  # what lies about of others is not this system's affair
        checked.findings = [
            one for one in checked.findings if one.code in (Code.SYMLINK, Code.UNREADABLE)
        ]
        systems = {system: systems[system]}
    checked.entries = systems
    for finding in check_names(names):
        if owner := systems.get(Path(finding.file).stem):
            owner.findings.append(finding)
    from argue_bench.leaderboard.formats.season import reading_limits
    from argue_bench.leaderboard.submitting.answer_files import answer_check
    from argue_bench.loaders.limits import OVER_LIMIT, AnswerLimits

    limits = limits or AnswerLimits()
    # Runs of a track may cite a collection of which the set holds a part.
    check = answer_check(dataset, limits, own=not limits.track)
    for entry in systems.values():
        read = reading_limits(limits, dataset)
        _check_entry(entry, folder, dataset, settings, check, OVER_LIMIT[limits.over], read)
        if limits.track:
            _check_track(entry, folder, dataset, limits.track)
    if not systems:
        checked.findings.append(
            Finding(
                Code.EMPTY,
                "No submission is here",
                label(folder),
                hint="Put answers and metadata there; see docs/submit.md.",
                level="notice",
            )
        )
    return checked


def label(folder: Path, *inside: str) -> str:
    """A path as findings print it: on one line, and never beginning with a workflow command."""
    return escape(re.sub(r"\A(?=:)", "./", "/".join([str(folder), *inside])), 300)


def _scan(folder: Path, checked: CheckedFolder) -> dict[str, CheckedSystem]:
    """The systems that have files in the folder. Nothing is opened."""
    systems: dict[str, CheckedSystem] = {}
    for path in _listed(folder):
        where = label(folder, path.name)
        if path.name not in PLACES:
            if path.name not in BESIDE:
                checked.findings.append(
                    Finding(
                        Code.UNEXPECTED_FILE,
                        "this has no place in a submission",
                        where,
                        hint="Remove it.",
                    )
                )
        elif not is_folder(path):
            code = Code.SYMLINK if path.is_symlink() else Code.UNREADABLE
            checked.findings.append(
                Finding(
                    code,
                    "this is not a plain folder, and was not looked into",
                    where,
                    hint="Put a real folder there.",
                )
            )
        else:
            files = (file for file in _listed(path) if file.name != ".gitkeep")
            checked.findings += filter(None, (_place(file, folder, systems) for file in files))
    return systems


def _place(file: Path, folder: Path, systems: dict[str, CheckedSystem]) -> Finding | None:
    """Adds a file to its system, or reports that it is in the wrong place."""
    kind = FOLDERS.get(file.parent.name, "metadata")
    ending = ".json" if kind == "metadata" else ".jsonl"
    where = label(folder, file.parent.name, file.name)
    system = board_name(file.name).removesuffix(ending)
    if not file.name.endswith(ending):
        return Finding(Code.UNEXPECTED_FILE, f"not a {ending} file", where, hint="Remove it.")
    if why := system_name_fault(system):
        return Finding(
            Code.BAD_NAME,
            f"its name '{escape(system)}' {why}",
            where,
            hint="Rename it: 2 to 64 small letters, digits and '-', no '-' first.",
        )
    entry = systems.setdefault(system, CheckedSystem(system))
    entry.places.append(file)
    if not is_file(file):
        # A link may lead anywhere, and a pipe never ends: neither is opened.
        code, why = (
            (Code.SYMLINK, "this is a link and was not followed")
            if file.is_symlink()
            else (Code.UNREADABLE, "this is not a regular file")
        )
        entry.spoilt.add(kind)
        entry.findings.append(Finding(code, why, where, hint="Put the file itself there."))
    elif kind != "metadata":
        entry.generations[kind] = file
    return None


def _read_metadata(entry: CheckedSystem, folder: Path) -> None:
    own = folder / "metadata" / f"{entry.system}.json"
    path = next((one for one in entry.places if one.parent == own.parent), own)
    where = label(folder, "metadata", path.name)
    if capitals := check_capitals((one.name for one in entry.places), entry.system, label(folder)):
        entry.findings.append(capitals)
    if is_file(path) and is_folder(path.parent):
        entry.metadata, findings = read_metadata(path, where, entry.system)
        entry.findings += findings
    elif "metadata" not in entry.spoilt:
        entry.findings.append(
            Finding(
                Code.NO_SUCH_FILE,
                "A system has answers but no metadata file",
                file=where,
                hint=f"Write it: argue-bench submission init --system {entry.system}",
            )
        )


def check_capitals(names: Iterable[str], system: str, folder: str) -> Finding | None:
    """A notice where files of a system have capitals in their names, an error where these tell them apart."""
    mine = sorted({one.partition(".")[0] for one in names})
    where = f"{folder}/metadata/{mine[0]}.json"
    if len(mine) > 1:
        return Finding(
            Code.BAD_NAME,
            f"{' and '.join(mine)} are one name on the board",
            where,
            hint="Give all files one name.",
        )
    why = f"capitals become small letters: the system is {system} on the board"
    return None if mine == [system] else Finding(Code.BAD_NAME, why, where, level="notice")


def _check_entry(
    entry: CheckedSystem,
    folder: Path,
    dataset: Dataset,
    settings: Collection[str],
    check: Callable[[ParsedAnswer], Checked],
    spared: str,
    limits: Limits,
) -> None:
    """Answers first, then what they are linked by; findings on coverage stand before all others."""
    from argue_bench.leaderboard.formats.season import SPOIL_NOTHING
    from argue_bench.leaderboard.submitting.answer_files import check_answer_file, coverage

    covered: list[Finding] = []
    others: list[Finding] = []
    ids = dataset.by_id.keys()
    for setting, path in entry.generations.items():
        where = label(folder, f"{setting}-generations", path.name)
        if setting not in settings:
            # It may lie there since a season that had it, and nobody may take away what is merged.
            why, hint = f"the season has no setting {setting}", "It is left out."
            level: Level = "error" if entry.generations.keys().isdisjoint(settings) else "warning"
            others.append(Finding(Code.WRONG_VALUE, why, where, hint=hint, level=level))
            continue
        idle: dict[str, str] = {}

        def looked(row: ParsedAnswer, idle: dict[str, str] = idle) -> Checked:
            found = check(row)
            idle |= {row.id: found.idle} if found.idle else {}
            return found

        seen, findings = check_answer_file(path, ids, limits, where, looked, spared)
        # Sets lose questions, and systems skip some: neither costs the other answers their scores.
        covered += coverage(seen, dataset, where, "warning")
        if 2 * (said := len(seen) - len(idle)) < len(ids):
            covered.append(mass_empty(len(ids) - said, len(ids), where, idle))
        others += [
            replace(one, **SPOIL_NOTHING.get(one.code, {}))
            for one in findings
            if (one.code, setting) != (Code.NO_CITATION, "closedbook")
        ]
        entry.answered[setting] = AnswerCoverage(len(seen), len(ids), tuple(sorted(ids - seen)))
    entry.findings = [*covered, *others, *entry.findings, *_check_links(entry, folder)]


def mass_empty(
    lacking: int, of: int, path: str, idle: Mapping[str, str] = MappingProxyType({})
) -> Finding:
    """The error of a file that leaves most questions open: it would ask the gold about the few that are there.

    ``idle``: answers that are there by their ids, and why nothing of them could be scored.
    """
    first = {why: id for id, why in reversed([*idle.items()])}
    told = (
        f"{n:,} {why}, the first to {escape(first[why], 80)!r}"
        for why, n in Counter(idle.values()).most_common()
    )
    lack = f"{lacking:,} of {of:,} questions have no answer that could be scored"
    why = ": ".join(filter(None, (lack, "; ".join(told))))
    hint = "Answer every question within the limit, in sentences or lists; a refusal is a sentence."
    return Finding(Code.MASS_EMPTY, why, path, hint=hint)


def _check_track(entry: CheckedSystem, folder: Path, dataset: Dataset, track: str) -> None:
    """What the track's own checker finds in the files, beside what was found already."""
    requests = {question.id: question.request for question in dataset if question.request}
    known = {(finding.file, finding.line) for finding in entry.findings if finding.line}
    for setting, path in entry.generations.items():
        where = label(folder, f"{setting}-generations", path.name)
        entry.findings += [
            replace(finding, file=where)
            for finding in import_text(TREC_CHECK)(path, track, topics=requests).findings
            if finding.code not in _COVERED and (where, finding.line) not in known
        ]


def _check_links(entry: CheckedSystem, folder: Path) -> list[Finding]:
    """Whether metadata and files agree on which settings there are."""
    if entry.metadata is None:
        return []
    where = label(folder, "metadata", f"{entry.system}.json")
    findings = []
    for setting in SETTINGS:
        file = f"{setting}-generations/{entry.system}.jsonl"
        linked = entry.metadata.link(setting) is not None
        if setting not in entry.spoilt and linked != (setting in entry.generations):
            why, hint = (
                (
                    f"it names answers for {setting}, but {file} is not there",
                    "Add the file, or write null.",
                )
                if linked
                else (
                    f"{file} is there, but {setting}_generations is null",
                    f"Write {entry.system}.jsonl, or remove the file.",
                )
            )
            findings.append(Finding(Code.NO_SUCH_FILE, why, where, hint=hint))
    if not entry.generations and not entry.spoilt and not findings:
        published = any(folder.glob(f"results/*/{entry.system}.json"))
        level: Level = "notice" if published else "error"
        why = "no answers belong to these metadata"
        hint = "Its results are shown as published elsewhere." if published else "Add answers."
        findings.append(Finding(Code.NO_SUCH_FILE, why, where, hint=hint, level=level))
    return findings


def is_file(path: Path) -> bool:
    """Whether a regular file lies at this very path."""
    return os.path.isfile(path) and not os.path.islink(path)


def is_folder(path: Path) -> bool:
    """Whether a folder lies at this very path."""
    return os.path.isdir(path) and not os.path.islink(path)


def files_of(folder: Path, system: str) -> dict[str, Path]:
    """The files of a system in a folder of submissions by their paths on the board."""
    places = {path: folder / path for path in paths_of(system)}
    # A system whose files have capitals has them in all of its names (`intake`).
    if not is_file(places[f"metadata/{system}.json"]):
        places |= {
            f"{place}/{board_name(one.name)}": one
            for place in PLACES
            for one in _listed(folder / place)
            if board_name(one.name).partition(".")[0] == system
        }
    return {path: place for path, place in places.items() if is_file(place)}


def _listed(folder: Path) -> list[Path]:
    try:
        return sorted(folder.iterdir())
    except OSError:
        return []


def _errors(findings: Iterable[Finding]) -> bool:
    return any(finding.level == "error" for finding in findings)
