"""Makes a new board: a folder that is ready to push, and two secrets outside it.

From a set in the core format with its gold, or from the folder of a season (`season new`): the
layout of submissions, season.json, topics without gold, sealed gold, the public key, what people
read and fill in, workflows that call argue-bench's own. Everything is written or nothing; the
secrets go to a file outside of repositories.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from argue_bench.errors import Code, DataError, UsageError
from argue_bench.leaderboard.formats.layout import FETCHED, PLACES, ROOT
from argue_bench.leaderboard.formats.names import OID
from argue_bench.leaderboard.formats.season import FILE, Season, read_season
from argue_bench.leaderboard.seasons.sealing import (
    SEALED,
    TOPICS,
    Terms,
    gold_purpose,
    refuse_few,
    season_terms,
)
from argue_bench.leaderboard.signing.keys import FOLDER as KEYS
from argue_bench.leaderboard.signing.keys import RETIRED, public_pem
from argue_bench.leaderboard.signing.seal import new_key, read_secret, refuse_repository, seal
from argue_bench.loaders import DATASETS
from argue_bench.loaders.core import data_digest, load_folder, parse_gold
from argue_bench.records.atomic import write_json

WORKFLOWS = tuple(
    f".github/workflows/{name}.yml"
    for name in ("submission-check", "submission-score", "site", "site-daily")
)
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
"""What a board says, by its place; ``data/board`` holds each under its own name and ``.txt``."""
MOST_DAYS = 365
LICENCE = re.compile(r"[A-Za-z0-9][A-Za-z0-9.+ -]{0,79}")
OWNER = re.compile(r"@[A-Za-z0-9-]+(?:/[A-Za-z0-9._-]+)?|[^\s@#]+@[^\s@#]+")
SECRETS = "board.env"
_SET_FILES = ("documents.jsonl", "questions.jsonl")


@dataclass(frozen=True)
class NewBoard:
    """The files that were written, and the file with the secrets."""

    folder: Path
    secrets: Path
    key_id: str
    topics: int


@dataclass(frozen=True)
class Promise:
    """What a board tells its participants: days until an answer, licence of answers that name none.

    ``owners`` are who must review a change of the board's own files: @user, @organisation/team, e-mail.
    """

    days: int = 7
    licence: str = "CC-BY-4.0"
    owners: tuple[str, ...] = ()

    def check(self) -> None:
        """Raises UsageError."""
        if not 1 <= self.days <= MOST_DAYS:
            raise UsageError(f"answers within {self.days} days: say 1 to {MOST_DAYS}")
        if not LICENCE.fullmatch(self.licence):
            raise UsageError(
                f"{self.licence!r} is not the name of a licence: write one like CC-BY-4.0"
            )
        for owner in self.owners:
            if not OWNER.fullmatch(owner):
                raise UsageError(
                    f"{owner!r} is not an owner: write @user, @organisation/team or an e-mail"
                )


def init_board(
    out: Path,
    data: Path,
    terms: Terms,
    secrets: Path,
    package: str = "",
    key: Path | None = None,
    promise: Promise = Promise(),
) -> NewBoard:
    """Writes a board for a set into ``out``; ``package`` is OWNER/NAME@COMMIT of argue-bench.

    ``key`` is the file with the key of a season's sealed gold, where ``data`` is a season's folder.
    Raises UsageError (``out`` is not empty, secrets in a repository, too few questions) and DataError (the set).
    """
    terms.check()
    promise.check()
    where, commit = _package(package)
    if out.exists() and any(path.name != ".git" for path in out.iterdir()):
        raise UsageError(f"{out} is not empty. Name another folder: a board is never overwritten")
    refuse_repository(secrets, "keys")
    if (secrets / SECRETS).exists():
        raise UsageError(f"{secrets / SECRETS} is there already, and is not overwritten")
    signing = new_key()
    with tempfile.TemporaryDirectory(prefix="argue-bench-") as name:
        stage = Path(name) / "board"
        board = stage / ROOT
        for place in PLACES:
            (board / place).mkdir(parents=True)
            (board / place / ".gitkeep").touch()
        if (data / SEALED).is_file():
            if terms != Terms():
                raise UsageError(
                    f"{data / FILE} says already what is scored and how: leave out --season, --title, "
                    "--setting, --metric, --judge, --ranked, --quota, --quota-days, --told, --step, --limit and "
                    "--over-limit"
                )
            if key is None:
                raise UsageError("the season's gold is sealed: name its key's file, --key-file")
            answers = read_secret(key, "key")
            for one in (FILE, SEALED):
                shutil.copyfile(data / one, board / one)
            shutil.copytree(data / TOPICS, board / TOPICS)
        else:
            answers = new_key()
            _own_set(_core_folder(data, terms, Path(name) / "set"), board, terms, answers)
        key_name = _public(board, signing)
        topics = len(load_folder(board / TOPICS))
        refuse_few(topics, read_season(board).told)
        # From the very commit, before argue-bench is published too.
        pinned = f" @ git+https://github.com/{where}@{commit}" if where else ""
        words = {**_words(board, promise), "INSTALL": f"argue-bench[leaderboard]{pinned}"}
        _texts(stage, words, TEXTS)
        if where:
            _texts(stage, {"PACKAGE": where, "COMMIT": commit}, WORKFLOWS)
        _write_secret(secrets, f"ANSWERS_KEY={answers}\nSIGNING_KEY={signing}\n")
        shutil.copytree(stage, out, dirs_exist_ok=True)
    return NewBoard(out, secrets / SECRETS, key_name, topics)


def rotate_key(board: Path, secrets: Path) -> tuple[str, list[str]]:
    """A new signing key; those before verify what they signed, and nothing new. Id, and retired ids."""
    refuse_repository(secrets, "key")
    signing = new_key()
    _write_secret(secrets, f"SIGNING_KEY={signing}\n")
    old = sorted((board / KEYS).glob("*.pem"))
    (board / KEYS / RETIRED).mkdir(parents=True, exist_ok=True)
    for path in old:
        path.rename(board / KEYS / RETIRED / path.name)
    return _public(board, signing), [path.stem for path in old]


def write_workflows(board: Path, package: str) -> list[Path]:
    """The board's workflows, new or in the place of older ones. Raises UsageError."""
    where, commit = _package(package)
    if not where:
        raise UsageError("name argue-bench's repository as OWNER/NAME@COMMIT, 40 digits")
    if not (board / ROOT / FILE).is_file():
        raise UsageError(f"{board} is not a board: it has no {ROOT}/{FILE}")
    _texts(board, {"PACKAGE": where, "COMMIT": commit}, WORKFLOWS)
    return [board / place for place in WORKFLOWS]


def _core_folder(data: Path, terms: Terms, out: Path) -> Path:
    """The set's folder; ``out`` is filled with one where ``data`` holds a track's own files."""
    if terms.track is None or (data / "set.json").is_file():
        return data
    from argue_bench.leaderboard.seasons.tracks import track_board, track_set

    made = track_set(track_board(terms.track), data)
    out.mkdir()
    for file, content in made.items():
        (out / file).write_bytes(content)
    return out


def _own_set(data: Path, board: Path, terms: Terms, key: str) -> None:
    """The set without its gold, the gold sealed, and season.json."""
    dataset = load_folder(data)
    if dataset.sealed:
        raise DataError.of(Code.NO_GOLD, file=data, hint="Put gold.jsonl beside set.json.")
    gold = (data / "gold.jsonl").read_bytes()
    parse_gold(gold, data / "gold.jsonl")
    (board / TOPICS).mkdir()
    about = json.loads((data / "set.json").read_text(encoding="utf-8"))
    if dataset.name in DATASETS and dataset.name != "core":
        why = f"the set's name, {dataset.name}, belongs to a data set of argue-bench"
        hint = "Choose another name in set.json."
        raise DataError.of(Code.SET_NAME, why, data / "set.json", hint=hint)
    contents = {name: (data / name).read_bytes() for name in _SET_FILES}
    for name, content in contents.items():
        (board / TOPICS / name).write_bytes(content)
    about["digest"] = data_digest(contents)
    write_json(board / TOPICS / "set.json", about)
    (board / SEALED).write_bytes(seal(gold, key, gold_purpose(terms.season)))
    season = {**season_terms(terms), "quota_days": terms.quota_days}
    if dataset.name != "core":
        season["set"] = {"name": dataset.name, "split": dataset.split, "path": TOPICS}
    write_json(board / FILE, season)


def _words(board: Path, promise: Promise) -> dict[str, str]:
    """The text for each word in capitals of the templates."""
    season = read_season(board)
    about = json.loads((board / TOPICS / "set.json").read_text(encoding="utf-8"))
    per = f" in {season.quota_days} days" if season.quota_days else ""
    licence = about.get("licence")
    return {
        "TITLE": season.title or season.season,
        "SEASON": season.season,
        "SET": load_folder(board / TOPICS).title,
        "DAYS": "a day" if promise.days == 1 else f"{promise.days} days",
        "QUOTA": f"A scored run counts: {season.quota} for each author{per}."
        if season.quota
        else "",
        "LENGTH": f"{season.limit:,} {season.unit} where a question sets no limit",
        "FORM": _form_words(season),
        "OVERLIMIT": "is refused"
        if season.over_limit == "refuse"
        else "is cut at the last sentence that fits",
        "LICENCE": promise.licence,
        "OWNERS": " ".join(promise.owners) or "# name an owner here, such as @you",
        "SETLICENCE": f"Questions and documents: {licence}."
        if isinstance(licence, str) and licence
        else "",
    }


def _form_words(season: Season) -> str:
    """What participants are told of the form of answers: a track's runs, pages of the web that are cited."""
    said = []
    if season.track:
        check = f"`submission check RUN --track {season.track}`"
        said.append(f"Files of answers are runs of its track: {check} says what is wrong with one.")
    if season.sources == FETCHED:
        said.append(
            "Answers cite web pages by address; the board fetches each once, before it scores."
        )
    elif season.sources is not None:
        said.append("Answers cite web pages by address; all are scored by one snapshot of these.")
    return " ".join(said)


def _texts(stage: Path, words: Mapping[str, str], places: Iterable[str]) -> None:
    """Writes texts, every word filled in at one go."""
    source = files("argue_bench") / "data" / "board"
    word = re.compile(rf"\b({'|'.join(words)})\b")
    for place in places:
        name = Path(place).name
        stem = name.lstrip(".") if not name.endswith(".md") else Path(name).stem
        text = (source / f"{stem}.txt").read_text(encoding="utf-8")
        path = stage / place
        path.parent.mkdir(parents=True, exist_ok=True)
        filled = word.sub(lambda match: words[match[1]], text)
        lines = [line.rstrip() for line in filled.rstrip().splitlines()]
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _package(text: str) -> tuple[str, str]:
    if not text:
        return "", ""
    where, _, commit = text.partition("@")
    if not re.fullmatch(r"[A-Za-z0-9-]+/[A-Za-z0-9._-]+", where) or not OID.fullmatch(commit):
        raise UsageError(f"{text!r}: name argue-bench's repository as OWNER/NAME@COMMIT, 40 digits")
    return where, commit


def _public(board: Path, signing: str) -> str:
    name, pem = public_pem(signing)
    (board / KEYS).mkdir(exist_ok=True)
    (board / KEYS / f"{name}.pem").write_bytes(pem)
    return name


def _write_secret(folder: Path, text: str) -> None:
    """Readable by its owner alone; one that is there is not overwritten."""
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        handle = os.open(folder / SECRETS, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        raise UsageError(
            f"{folder / SECRETS} is there already, and is not overwritten. Name another folder"
        ) from None
    except OSError as error:
        why = f"the secrets can't be written: {error.strerror}"
        raise DataError.of(Code.NOT_WRITTEN, why, folder) from None
    with os.fdopen(handle, "w") as file:
        file.write(text)
