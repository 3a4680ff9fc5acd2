"""Makes a new board: a folder that is ready to push, and two secrets outside it.

From a set in the core format with its gold: the layout of submissions, season.json, topics without gold, sealed gold, the public key, what people
read and fill in, workflows that call argue-bench's own. Everything is written or nothing; the
secrets go to a file outside of repositories.
"""

from __future__ import annotations

import json
import re
import shutil
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from argue_bench.errors import UsageError
from argue_bench.leaderboard.formats.layout import PLACES, ROOT, write_files
from argue_bench.leaderboard.formats.names import OID
from argue_bench.leaderboard.formats.season import FILE, read_season
from argue_bench.leaderboard.seasons.real_data import (
    BOARD_METRICS,
    SeasonData,
    asked_in_a_run,
    fits_into_an_answer,
    track_board,
    track_set,
)
from argue_bench.leaderboard.seasons.sealing import (
    TOPICS,
    Terms,
    packed_note,
    refuse_few,
    seal_set,
)
from argue_bench.leaderboard.signing.keys import FOLDER as KEYS
from argue_bench.leaderboard.signing.keys import (
    RETIRED,
    new_key,
    public_pem,
    refuse_repository,
    write_secret,
)
from argue_bench.loaders.answers import misread_ids
from argue_bench.loaders.core import load_folder

WORKFLOWS = tuple(
    f".github/workflows/{name}.yml"
    for name in ("submission-check", "submission-score", "site", "site-daily")
)
# What a board says, by its place; ``data/board`` holds each under its own name and ``.txt``.
TEXTS = (
    "README.md",
    "docs/operate.md",
    ".gitattributes",
    ".github/CODEOWNERS",
    ".github/pull_request_template.md",
    ".github/ISSUE_TEMPLATE/config.yml",
    ".github/ISSUE_TEMPLATE/entry.yml",
    ".github/ISSUE_TEMPLATE/submission.yml",
)
# What the texts of a new board promise, to be edited there: an answer within so many days, and the licence of
# answers whose metadata name none.
ANSWER_DAYS, LICENCE = 7, "CC-BY-4.0"
SECRETS = "board.env"


@dataclass(frozen=True)
class NewBoard:
    """The files that were written, and the file with the secrets."""

    folder: Path
    secrets: Path
    key_id: str
    topics: int
    notes: tuple[str, ...]
    """What its organiser must know of the data."""


def init_board(
    out: Path,
    data: SeasonData,
    terms: Terms,
    secrets: Path,
    package: str = "",
) -> NewBoard:
    """Writes a board for a set into ``out``; ``package`` is OWNER/NAME@COMMIT of argue-bench.

    Raises UsageError (``out`` is not empty, secrets in a repository, too few questions) and DataError (the set).
    """
    terms.check()
    where, commit = _package(package)
    # A fresh clone of an empty repository is as good as an empty folder.
    if out.exists() and any(path.name != ".git" for path in out.iterdir()):
        raise UsageError(f"{out} is not empty. Name another folder: a board is never overwritten")
    refuse_repository(secrets, "keys")
    if (secrets / SECRETS).exists():
        raise UsageError(f"{secrets / SECRETS} is there already, and is not overwritten")
    signing = new_key()
    data = data if terms.track else data.in_settings(terms.settings)
    # In a temporary folder first, so that a set that is refused leaves nothing behind.
    with tempfile.TemporaryDirectory(prefix="argue-bench-") as name:
        stage = Path(name) / "board"
        board = stage / ROOT
        write_files(board, {f"{place}/.gitkeep": b"" for place in PLACES})
        answers = new_key()
        folder = _core_folder(data, terms, Path(name) / "set")
        seal_set(folder, board, terms, answers)
        key_name = _public(board, signing)
        topics = len(load_folder(board / TOPICS))
        refuse_few(topics, read_season(board).told)
        # From the very commit, before argue-bench is published too.
        pinned = f" @ git+https://github.com/{where}@{commit}" if where else ""
        words = {
            **_words(board, load_folder(folder).title),
            "INSTALL": f"argue-bench[leaderboard]{pinned}",
        }
        _texts(stage, words, TEXTS)
        if where:
            _texts(stage, {"PACKAGE": where, "COMMIT": commit}, WORKFLOWS)
        notes = (
            *data.notes,
            packed_note(board),
            fits_into_an_answer(folder, terms.limit),
            misread_ids(load_folder(folder)),
            asked_in_a_run(folder, terms),
            *(
                f"The board counts {text}, {why}. Name {instead} in its place."
                for text, (instead, why) in BOARD_METRICS.items()
                if text in terms.metrics
            ),
        )
        # Before the board appears: a board whose key was lost could never be scored.
        write_secret(secrets / SECRETS, f"ANSWERS_KEY={answers}\nSIGNING_KEY={signing}\n".encode())
        shutil.copytree(stage, out, dirs_exist_ok=True)
    return NewBoard(out, secrets / SECRETS, key_name, topics, tuple(filter(None, notes)))


def rotate_key(board: Path, secrets: Path) -> tuple[str, list[str]]:
    """A new signing key; those before verify what they signed, and nothing new. Id, and retired ids.

    Raises UsageError.
    """
    _must_be_board(board)
    refuse_repository(secrets, "key")
    signing = new_key()
    write_secret(secrets / SECRETS, f"SIGNING_KEY={signing}\n".encode())
    old = sorted((board / KEYS).glob("*.pem"))
    (board / KEYS / RETIRED).mkdir(parents=True, exist_ok=True)
    for path in old:
        path.rename(board / KEYS / RETIRED / path.name)
    return _public(board, signing), [path.stem for path in old]


def _must_be_board(folder: Path) -> None:
    if not (folder / FILE).is_file():
        raise UsageError(f"{folder} is not a board's folder: it has no {FILE}")


def write_workflows(board: Path, package: str) -> list[Path]:
    """The board's workflows, new or in the place of older ones. Raises UsageError."""
    where, commit = _package(package)
    if not where:
        raise UsageError("name argue-bench's repository as OWNER/NAME@COMMIT, 40 digits")
    _must_be_board(board / ROOT)
    _texts(board, {"PACKAGE": where, "COMMIT": commit}, WORKFLOWS)
    return [board / place for place in WORKFLOWS]


def _core_folder(data: SeasonData, terms: Terms, out: Path) -> Path:
    """The set's folder; ``out`` is filled with one where ``data`` is a named set or a track's own files."""
    if terms.track is None or (data.path / "set.json").is_file():
        return data.write(out)
    write_files(out, track_set(track_board(terms.track), data.path))
    return out


def _words(board: Path, title: str) -> dict[str, str]:
    """The text for each word in capitals of the templates."""
    season = read_season(board)
    about = json.loads((board / TOPICS / "set.json").read_text(encoding="utf-8"))
    per = f" in {season.quota_days} days" if season.quota_days else ""
    licence = about.get("licence")
    return {
        "TITLE": season.title or season.season,
        "SEASON": season.season,
        "SET": title,
        "DAYS": f"{ANSWER_DAYS} days",
        "QUOTA": f"A scored run counts: {season.quota} for each author{per}."
        if season.quota
        else "",
        "LENGTH": f"{season.limit:,} {season.unit} where a question sets no limit, and {season.sentences} sentences",
        "FORM": f"Files of answers are runs of its track: `submission check RUN --track {season.track}` "
        "says what is wrong with one."
        if season.track
        else "An answer is a list, its items parted by commas, other signs or lines, numbered or not; "
        "headings and announcements around it do not count, and any other sentence is one more item."
        if season.ranked.startswith("qampari")
        else "",
        "OVERLIMIT": "counts as unanswered"
        if season.over_limit == "unscored"
        else "is cut at the last sentence that fits",
        "LICENCE": LICENCE,
        "OWNERS": "# name an owner here, such as @you",
        "SETLICENCE": f"Questions and documents: {licence}."
        if isinstance(licence, str) and licence
        else "",
    }


def _texts(stage: Path, words: Mapping[str, str], places: Iterable[str]) -> None:
    """Writes texts, every word filled in at one go."""
    # In one pass, so that a word in a title is not filled in again.
    word = re.compile(rf"\b({'|'.join(words)})\b")
    for place in places:
        name = Path(place).name
        stem = name.lstrip(".") if not name.endswith(".md") else Path(name).stem
        source = files("argue_bench") / "data" / "board" / f"{stem}.txt"
        filled = word.sub(lambda match: words[match[1]], source.read_text(encoding="utf-8"))
        lines = [line.rstrip() for line in filled.rstrip().splitlines()]
        write_files(stage, {place: ("\n".join(lines) + "\n").encode()})


def _package(text: str) -> tuple[str, str]:
    if not text:
        return "", ""
    where, _, commit = text.partition("@")
    if not re.fullmatch(r"[A-Za-z0-9-]+/[A-Za-z0-9._-]+", where) or not OID.fullmatch(commit):
        raise UsageError(f"{text!r}: name argue-bench's repository as OWNER/NAME@COMMIT, 40 digits")
    return where, commit


def _public(board: Path, signing: str) -> str:
    name, pem = public_pem(signing)
    write_files(board / KEYS, {f"{name}.pem": pem})
    return name
