"""The end of a season: the organiser publishes its secrets, and readers check them against the hashes.

`reveal` writes ``opened/`` (seed.txt, patterns.txt, gold.jsonl) once the secrets match what was
promised. `verify_season` checks a folder as far as its reader can: hashes and references always,
the sealed gold with the key, and after the end every byte, by generating the set again.
"""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import zip_longest
from pathlib import Path

from argue_bench.errors import ArgueBenchError, Code, DataError, Finding, SealError, UsageError
from argue_bench.leaderboard.formats.season import FILE, Sealed, Season, read_season
from argue_bench.leaderboard.seasons.sealing import gold_purpose
from argue_bench.leaderboard.signing.seal import MOST_BYTES, check_secret, unseal
from argue_bench.loaders.core import data_digest, embedded_folder, load_folder
from argue_bench.records.digests import sha256
from argue_bench.records.untrusted import Limits, read_bounded
from argue_bench.synthetic.world import DOCUMENTS, GOLD, QUESTIONS, SIZES, VERSION, World, write_set

OPENED, SEED, PATTERNS = "opened", "seed.txt", "patterns.txt"
_LIMITS = Limits(line_bytes=MOST_BYTES, file_bytes=MOST_BYTES)
_STAGE = ".opened.partial"


def sealed_season(folder: Path) -> tuple[Season, Sealed]:
    """The season of a folder that was made by `season new`. Raises DataError."""
    if not (folder / FILE).is_file():
        hint = "Name the folder that `argue-bench board season new` wrote."
        raise DataError.of(Code.NO_SUCH_FILE, "the folder has no season", folder / FILE, hint=hint)
    season = read_season(folder)
    if season.sealed is None:
        why = "the season has no sealed gold"
        hint = "Only a season made by `argue-bench board season new` has."
        raise DataError.of(Code.NOT_A_SEALED_SEASON, why, folder / FILE, hint=hint)
    return season, season.sealed


def sealed_gold(folder: Path, key: str) -> bytes:
    """The gold.jsonl of a season, opened with its key and compared with its hash.

    Raises DataError or SealError naming the file.
    """
    season, sealed = sealed_season(folder)
    path = folder / sealed.gold
    raw = read_bounded(path, _LIMITS)
    if sha256(raw) != sealed.file_sha256:
        raise DataError(_edited(path))
    try:
        gold = unseal(raw, key, gold_purpose(season.season), str(path))
    except SealError:
        raise SealError(
            f"{path}: it is the file that {FILE} names, and this key does not open it: the key is "
            "another one"
        ) from None
    if sha256(gold) != sealed.gold_sha256:
        raise DataError.of(Code.GOLD_HASH, file=path)
    return gold


def reveal(folder: Path, seed: str, pack: Path | None = None, workers: int = 1) -> Path:
    """Writes ``opened/`` with seed, patterns and gold, if they match the hashes in season.json.

    Raises DataError with all that does not match; UsageError where it is open already.
    """
    _, sealed = sealed_season(folder)
    target = folder / OPENED
    if target.exists():
        raise UsageError(f"{target} exists: this season has already been revealed")
    seed = check_secret(seed, "seed")
    if findings := list(_secrets(sealed, seed, pack, str(folder / FILE))):
        raise DataError(findings)
    stage = folder / _STAGE
    try:
        shutil.rmtree(stage, ignore_errors=True)
        stage.mkdir()
        (stage / SEED).write_text(f"{seed}\n", encoding="ascii")
        if pack:
            shutil.copyfile(pack, stage / PATTERNS)
        with tempfile.TemporaryDirectory(prefix="argue-bench-") as again:
            findings = list(_printed_again(folder, sealed, seed, pack, Path(again), workers))
            if findings:
                raise DataError(findings)
            shutil.copyfile(Path(again) / GOLD, stage / GOLD)
        stage.replace(target)
    except OSError as error:
        why = f"the season can't be opened here: {error.strerror or error}"
        raise DataError.of(Code.NOT_WRITTEN, why, target) from None
    finally:
        shutil.rmtree(stage, ignore_errors=True)
    return target


def verify_season(folder: Path, key: str = "", workers: int = 1) -> list[Finding]:
    """All problems of a season's folder; notices say what was verified.

    Raises DataError where the folder has no season.
    """
    season, sealed = sealed_season(folder)
    findings = _collect(_topics(folder, season, sealed)) + _collect(_sealed_file(folder, sealed))
    if key and not findings:
        findings += _collect(_with_key(folder, season, sealed, key))
    if (folder / OPENED).exists():
        findings += _collect(_opened(folder, sealed, workers))
    return findings


def _collect(check: Iterable[Finding]) -> list[Finding]:
    """The findings of a check, including the one that stops it."""
    findings = []
    try:
        for one in check:
            findings.append(one)
    except DataError as error:
        findings += error.findings
    return findings


def _topics(folder: Path, season: Season, sealed: Sealed) -> Iterator[Finding]:
    """The set's own checks (digest, shapes, references), and whether it is the promised one."""
    path = _set(folder, season)
    dataset = load_folder(path)
    again = "Get the folder again."
    if dataset.digest != sealed.set_digest:
        why = f"the set has the digest {dataset.digest}, promised was {sealed.set_digest}"
        yield Finding(Code.SET_DIGEST, why, str(path / "set.json"), hint=again)
    if len(dataset) != SIZES.get(str(sealed.size), sealed.size):
        why = f"the set has {len(dataset)} topics, and season.json gives the size {sealed.size!r}"
        yield Finding(Code.SET_SIZE, why, str(folder / FILE), hint=again)
    if not dataset.sealed:
        yield Finding(Code.GOLD_BESIDE, file=str(path / GOLD))


def _set(folder: Path, season: Season) -> Path:
    """Where questions and documents lie: beside season.json, or embedded in the package."""
    if season.path is None and season.set_name == "core":
        return embedded_folder(season.split)
    return season.path or folder


def _sealed_file(folder: Path, sealed: Sealed) -> Iterator[Finding]:
    path = folder / sealed.gold
    if sha256(read_bounded(path, _LIMITS)) != sealed.file_sha256:
        yield _edited(path)


def _with_key(folder: Path, season: Season, sealed: Sealed, key: str) -> Iterator[Finding]:
    """Whether the sealed gold opens, is the promised one, and fits questions and documents."""
    path, topics = folder / sealed.gold, _set(folder, season)
    try:
        content = sealed_gold(folder, key)
    except SealError as error:
        yield Finding(Code.SEAL, str(error).removeprefix(f"{path}: "), str(path))
        return
    with tempfile.TemporaryDirectory(prefix="argue-bench-") as private:
        files = {name: (topics / name).read_bytes() for name in (QUESTIONS, DOCUMENTS)}
        files[GOLD] = content
        for name, raw in files.items():
            (Path(private) / name).write_bytes(raw)
        about = json.loads((topics / "set.json").read_bytes()) | {"digest": data_digest(files)}
        (Path(private) / "set.json").write_text(json.dumps(about))
        try:
            load_folder(Path(private))
        except DataError as error:
            yield from (replace(one, file=f"{path} (opened)") for one in error.findings)


def _opened(folder: Path, sealed: Sealed, workers: int) -> Iterator[Finding]:
    """Whether seed and patterns are the promised ones and print these very bytes again."""
    opened = folder / OPENED
    pack = opened / PATTERNS if (opened / PATTERNS).is_file() else None
    path = opened / SEED
    try:
        seed = check_secret(read_bounded(path, _LIMITS).decode("ascii", "replace"), "seed")
    except UsageError as error:
        raise DataError.of(Code.BAD_SEED, str(error), path, 1) from None
    if wrong := list(_secrets(sealed, seed, pack, str(path))):
        raise DataError(wrong)
    if sha256(read_bounded(opened / GOLD, _LIMITS)) != sealed.gold_sha256:
        yield Finding(Code.GOLD_HASH, file=str(opened / GOLD))
    with tempfile.TemporaryDirectory(prefix="argue-bench-") as again:
        yield from _printed_again(folder, sealed, seed, pack, Path(again), workers)


def _secrets(sealed: Sealed, seed: str, pack: Path | None, where: str) -> Iterator[Finding]:
    """Whether seed and pattern file have the hashes of the first day."""
    if sealed.generator != VERSION:
        why = f"the season was printed by generator {sealed.generator}, this is {VERSION}"
        hint = "Use the version of argue-bench that it was made with."
        yield Finding(Code.GENERATOR, why, where, hint=hint)
    if sha256(seed.encode()) != sealed.seed_sha256:
        hint = "Give the seed that the season began with."
        yield Finding(Code.SEED_HASH, file=where, line=1, hint=hint)
    if pack is None and sealed.patterns_sha256:
        yield Finding(Code.PATTERNS_MISSING, file=where, hint="Name their file with --patterns.")
    elif pack is not None and not sealed.patterns_sha256:
        yield Finding(Code.PATTERNS_UNKNOWN, file=str(pack))
    elif pack is not None and sha256(read_bounded(pack, _LIMITS)) != sealed.patterns_sha256:
        yield Finding(Code.PATTERNS_HASH, file=str(pack), hint="Give the file as it was.")


def _printed_again(
    folder: Path, sealed: Sealed, seed: str, pack: Path | None, again: Path, workers: int
) -> Iterator[Finding]:
    """Prints the world into ``again`` and compares it byte by byte with what was published."""
    try:
        write_set(World(seed, sealed.size, pack), again, "test", again / GOLD, workers)
    except ArgueBenchError as error:
        yield Finding(Code.NOT_PRINTED, f"the world can't be printed again: {error}", str(folder))
        return
    season, _ = sealed_season(folder)
    topics = _set(folder, season)
    for name in (QUESTIONS, DOCUMENTS):
        yield from _difference(topics / name, again / name)
    if sha256((again / GOLD).read_bytes()) != sealed.gold_sha256:
        yield Finding(Code.GOLD_HASH, file=str(folder / FILE))
    opened = folder / OPENED / GOLD
    if opened.exists():
        yield from _difference(opened, again / GOLD)


def _difference(path: Path, printed: Path) -> Iterator[Finding]:
    """The first line on which a published file is not what the seed prints."""
    if not path.is_file():
        yield Finding(Code.NO_SUCH_FILE, file=str(path))
        return
    with path.open("rb") as one, printed.open("rb") as other:
        for number, (ours, theirs) in enumerate(zip_longest(one, other), 1):
            if ours != theirs:
                yield Finding(Code.NOT_AS_PRINTED, file=str(path), line=number)
                return


def _edited(path: Path) -> Finding:
    why = f"the sealed file is not the one that {FILE} names: it was edited, cut or exchanged"
    return Finding(Code.SEAL_HASH, why, str(path), hint="Get the season's folder again.")
