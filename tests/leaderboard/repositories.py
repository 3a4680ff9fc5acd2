"""A board as a bare repository, with pull requests at refs/pull/N/head, all real git."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from argue_bench.leaderboard.intake.entries import PullRequest
from argue_bench.leaderboard.seasons.sealing import Terms, seal_set
from argue_bench.leaderboard.signing.keys import new_key, public_pem
from argue_bench.loaders import load
from tests.leaderboard.boards import metadata
from tools.core_set.world import World, write_set

ROOT = "leaderboard-submissions"
SEED = "ab" * 32
SIGNING = "17" * 32
OTHER_SIGNING = "18" * 32
SEASON = "toy"
TOPICS = 24
QUOTA = 2
WHO = {
    f"GIT_{role}_{key}": value
    for role in ("AUTHOR", "COMMITTER")
    for key, value in (
        ("NAME", "Ada"),
        ("EMAIL", "ada@example.org"),
        ("DATE", "2026-01-01T00:00:00Z"),
    )
}

Content = bytes | str | tuple[str, bytes | str] | None
"""Bytes of a plain file; (mode, bytes or object name); None takes a file away."""


def git(folder: Path, *arguments: str, given: bytes = b"", **extra: str) -> str:
    environment = {
        **os.environ,
        **WHO,
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
        **extra,
    }
    done = subprocess.run(
        ["git", *arguments],
        cwd=folder,
        input=given,
        capture_output=True,
        env=environment,
        check=False,
    )
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode().strip()


@dataclass
class Repository:
    """A bare repository and the secrets of its season."""

    path: Path
    key: str
    signing: str = SIGNING
    pulls: int = 0
    ids: tuple[str, ...] = ()
    folder: Path = field(default_factory=Path)
    """The trusted folder of submissions, as a checkout of main has it."""

    def copy(self, folder: Path) -> Repository:
        """The same, in a folder of its own."""
        shutil.copytree(self.path.parent, folder)
        return replace(self, path=folder / self.path.name, folder=folder / "trusted" / ROOT)

    @property
    def remote(self) -> str:
        return f"file://{self.path}"

    @property
    def main(self) -> str:
        return git(self.path, "rev-parse", "refs/heads/main")

    def blob(self, content: bytes | str) -> str:
        raw = content.encode() if isinstance(content, str) else content
        return git(self.path, "hash-object", "-w", "--stdin", given=raw)

    def commit(self, files: Mapping[str, Content], parent: str | None = "main") -> str:
        """A commit with these changes over its parent."""
        index = {"GIT_INDEX_FILE": str(self.path / "index.test")}
        if parent is None:
            git(self.path, "read-tree", "--empty", **index)
        else:
            git(self.path, "read-tree", parent, **index)
        lines = b""
        for name, content in files.items():
            mode, inside = content if isinstance(content, tuple) else ("100644", content)
            if inside is None:
                mode, oid = "0", "0" * 40
            else:
                oid = str(inside) if mode == "160000" else self.blob(inside)
            lines += f"{mode} {oid}\t".encode() + name.encode("utf-8", "surrogateescape") + b"\0"
        git(self.path, "update-index", "-z", "--index-info", given=lines, **index)
        return self.of_tree(git(self.path, "write-tree", **index), parent)

    def of_tree(self, tree: str, parent: str | None = "main") -> str:
        parents = [] if parent is None else ["-p", parent]
        return git(self.path, "commit-tree", tree, *parents, "-m", "x")

    def tree(self, *rows: tuple[str, str, str]) -> str:
        """A tree of (mode, name, object), however wrong."""
        raw = b"".join(f"{mode} {name}\0".encode() + bytes.fromhex(oid) for mode, name, oid in rows)
        return git(
            self.path, "hash-object", "-t", "tree", "-w", "--stdin", "--literally", given=raw
        )

    def pull(self, commit: str, author: str = "1001") -> PullRequest:
        """A new pull request with this head."""
        self.pulls += 1
        git(self.path, "update-ref", f"refs/pull/{self.pulls}/head", commit)
        return PullRequest(self.remote, self.pulls, commit, self.main, author)

    def send(self, system: str, author: str = "1001", **options: Any) -> PullRequest:
        """An honest pull request."""
        return self.pull(self.commit(self.entry(system, **options)), author)

    def entry(self, system: str, answers: str | None = None, **changes: Any) -> dict[str, Content]:
        return {
            f"{ROOT}/openbook-generations/{system}.jsonl": answers or self.answers(),
            f"{ROOT}/metadata/{system}.json": json.dumps(metadata(system, **changes)),
        }

    def answers(self, text: str = "Nothing is known.") -> str:
        return "".join(json.dumps({"id": id, "answer": text}) + "\n" for id in self.ids)

    def merge(self, commit: str) -> None:
        git(self.path, "update-ref", "refs/heads/main", commit)

    def at(self, ref: str, path: str) -> bytes:
        done = subprocess.run(
            ["git", "cat-file", "blob", f"{ref}:{ROOT}/{path}"],
            cwd=self.path,
            capture_output=True,
            check=True,
        )
        return done.stdout


def new_repository(folder: Path, template: Path, key: str) -> Repository:
    """A board of the season in ``template``, with one system that somebody else owns on main."""
    folder.mkdir(parents=True)
    path, board = folder / "base.git", folder / "trusted" / ROOT
    git(folder, "init", "--quiet", "--bare", "--initial-branch=main", str(path))
    git(path, "config", "uploadpack.allowFilter", "true")
    dataset = load("core", "test", template / "topics")
    made = Repository(path, key, ids=tuple(dataset.by_id), folder=board)
    name, pem = public_pem(SIGNING)
    files: dict[str, Content] = {
        f"{ROOT}/{one.relative_to(template).as_posix()}": one.read_bytes()
        for one in sorted(template.rglob("*"))
        if one.is_file()
    }
    files[f"{ROOT}/keys/{name}.pem"] = pem
    files["README.md"] = "A board.\n"
    files[".github/workflows/score.yml"] = "on: push\n"
    files["argue_bench/eval.py"] = "print('trusted')\n"
    files |= made.entry("veteran")
    git(path, "update-ref", "refs/heads/main", made.commit(files, None))
    for name_, content in files.items():
        place = folder / "trusted" / name_
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content if isinstance(content, bytes) else str(content).encode())
    return made


def make_template(folder: Path, **changes: Any) -> str:
    """The season that every repository here begins with; returns its key."""
    terms = Terms(SEASON, title="Toy", metrics=("argue", "accuracy"), quota=QUOTA, **changes)
    return seal_world(folder, SEED, TOPICS, terms)


def seal_world(folder: Path, seed: str, topics: int, terms: Terms, key: str = "") -> str:
    """The folder of a season on a printed set, with its gold sealed; returns the key."""
    key = key or new_key()
    with TemporaryDirectory() as name:
        write_set(World(seed, topics), Path(name), "test", Path(name) / "gold.jsonl")
        seal_set(Path(name), folder, terms, key)
    return key
