"""How does a board begin? With a folder that can be pushed as it is, and two secrets that are not in it.

From a set in the core format with its gold, or from the folder of a season (`season new`): the layout
of submissions, season.json, topics without gold, sealed gold, the public key, workflows that call
argue-bench's own. Everything is written or nothing; the secrets go to a file outside of repositories.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

from argue_bench.errors import DataError, Finding, UsageError
from argue_bench.leaderboard.intake import PLACES, ROOT
from argue_bench.leaderboard.objects import OID
from argue_bench.leaderboard.seal import new_key, read_secret, refuse_repository, seal
from argue_bench.leaderboard.season import FILE
from argue_bench.leaderboard.season_new import SEALED, TOPICS, Terms, declared, purpose
from argue_bench.leaderboard.signing import FOLDER as KEYS
from argue_bench.leaderboard.signing import RETIRED, public_pem
from argue_bench.loaders.core import digest, load_folder, parse_gold

WORKFLOWS = ("submission-check", "submission-score", "site")
SECRETS = "board.env"
_SET_FILES = ("documents.jsonl", "questions.jsonl")


@dataclass(frozen=True)
class Founded:
    """What was written, and the file with its secrets."""

    folder: Path
    secrets: Path
    key_id: str
    topics: int


def found_board(
    out: Path, data: Path, terms: Terms, secrets: Path, package: str = "", key: Path | None = None
) -> Founded:
    """Writes a board for a set into ``out``; ``package`` is OWNER/NAME@COMMIT of argue-bench.

    ``key`` is the file with the key of a season's sealed gold, where ``data`` is a season's folder.
    Raises UsageError (``out`` is not empty, secrets in a repository) and DataError (the set).
    """
    terms.check()
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
            answers = read_secret(_needed(key), "key")
            for one in (FILE, SEALED):
                shutil.copyfile(data / one, board / one)
            shutil.copytree(data / TOPICS, board / TOPICS)
            season = json.loads((data / FILE).read_text(encoding="utf-8"))["season"]
        else:
            answers, season = new_key(), terms.season
            _own_set(data, board, terms, answers)
        key_name = _public(board, signing)
        title = terms.title or season
        _texts(stage, where, commit, title, season, load_folder(board / TOPICS).title)
        topics = len(load_folder(board / TOPICS))
        _secrets(secrets, answers, signing)
        shutil.copytree(stage, out, dirs_exist_ok=True)
    return Founded(out, secrets / SECRETS, key_name, topics)


def rotate(board: Path, secrets: Path) -> tuple[str, list[str]]:
    """A new signing key; those before verify what they signed, and nothing new. Id, and retired ids."""
    refuse_repository(secrets, "key")
    signing = new_key()
    _write_secret(secrets, f"SIGNING_KEY={signing}\n")
    old = sorted((board / KEYS).glob("*.pem"))
    (board / KEYS / RETIRED).mkdir(parents=True, exist_ok=True)
    for path in old:
        path.rename(board / KEYS / RETIRED / path.name)
    return _public(board, signing), [path.stem for path in old]


def _own_set(data: Path, board: Path, terms: Terms, key: str) -> None:
    """The set without its gold, the gold sealed, and season.json."""
    dataset = load_folder(data)
    if dataset.sealed:
        why = "the set has no gold.jsonl to seal"
        raise DataError(
            Finding("no-gold", why, str(data), remedy="Put gold.jsonl beside set.json.")
        )
    gold = (data / "gold.jsonl").read_bytes()
    parse_gold(gold, data / "gold.jsonl")
    (board / TOPICS).mkdir()
    contents = {name: (data / name).read_bytes() for name in _SET_FILES}
    for name, content in contents.items():
        (board / TOPICS / name).write_bytes(content)
    about = json.loads((data / "set.json").read_text(encoding="utf-8"))
    about["digest"] = digest(contents)
    (board / TOPICS / "set.json").write_text(_json(about), encoding="utf-8")
    (board / SEALED).write_bytes(seal(gold, key, purpose(terms.season)))
    season = {**declared(terms), "quota_days": None}
    (board / FILE).write_text(_json(season), encoding="utf-8")


def _texts(stage: Path, where: str, commit: str, title: str, season: str, set_: str) -> None:
    source = files("argue_bench") / "data" / "board"
    if where:
        folder = stage / ".github" / "workflows"
        folder.mkdir(parents=True)
        for name in WORKFLOWS:
            text = (source / f"{name}.yml.txt").read_text(encoding="utf-8")
            text = text.replace("PACKAGE", where).replace("COMMIT", commit)
            (folder / f"{name}.yml").write_text(text, encoding="utf-8")
    text = (source / "README.txt").read_text(encoding="utf-8")
    for word, value in (("TITLE", title), ("SEASON", season), ("SET", set_)):
        text = text.replace(word, value)
    (stage / "README.md").write_text(text, encoding="utf-8")


def _package(text: str) -> tuple[str, str]:
    import re

    if not text:
        return "", ""
    where, _, commit = text.partition("@")
    if not re.fullmatch(r"[A-Za-z0-9-]+/[A-Za-z0-9._-]+", where) or not OID.fullmatch(commit):
        raise UsageError(f"{text!r}: name argue-bench's repository as OWNER/NAME@COMMIT, 40 digits")
    return where, commit


def _needed(key: Path | None) -> Path:
    if key is None:
        raise UsageError("the season's gold is sealed: name the file with its key, --key-file")
    return key


def _public(board: Path, signing: str) -> str:
    name, pem = public_pem(signing)
    (board / KEYS).mkdir(exist_ok=True)
    (board / KEYS / f"{name}.pem").write_bytes(pem)
    return name


def _secrets(folder: Path, answers: str, signing: str) -> None:
    _write_secret(folder, f"ANSWERS_KEY={answers}\nSIGNING_KEY={signing}\n")


def _write_secret(folder: Path, text: str) -> None:
    """Readable by its owner alone; one that is there is not overwritten."""
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        handle = os.open(folder / SECRETS, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        raise UsageError(f"{folder / SECRETS} is there already, and is not overwritten") from None
    except OSError as error:
        why = f"the secrets can't be written: {error.strerror}"
        raise DataError(Finding("not-written", why, str(folder))) from None
    with os.fdopen(handle, "w") as file:
        file.write(text)


def _json(value: Any) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"
