"""The sending of a submission: one commit of exactly its files.

The commit is made beside the working tree, on top of the board's main branch: nothing is checked
out, staged or changed. Other changes in the tree are a reason to stop, for a pull request that holds
them would be refused.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any

from argue_bench.errors import Code, DataError, MissingExtra, UnknownName, UsageError
from argue_bench.leaderboard.formats.layout import ROOT
from argue_bench.leaderboard.formats.metadata import read_metadata
from argue_bench.leaderboard.submitting.checking import files_of
from argue_bench.records.atomic import write_json

# Names that clones of a fork use, the board's own before the fork's.
BASES = ("upstream/main", "origin/main", "upstream/master", "origin/master")


@dataclass(frozen=True)
class Sent:
    """A branch that was, or would be, pushed."""

    branch: str
    commit: str
    files: tuple[str, ...]
    remote: str
    url: str
    base: str


def write_metadata(folder: Path, system: str, values: Mapping[str, Any]) -> Path:
    """A new metadata file, checked. Raises DataError with every finding, UsageError if it is there."""
    path = folder / "metadata" / f"{system}.json"
    if path.exists():
        raise UsageError(f"{path} is there already; edit it, or choose another name")
    write_json(path, values)
    _, findings = read_metadata(path, str(path), system)
    if errors := [one for one in findings if one.level == "error"]:
        path.unlink()
        raise DataError(errors)
    return path


def send_submission(
    folder: Path, system: str, remote: str = "origin", base: str = "", dry_run: bool = False
) -> Sent:
    """Pushes a branch with one commit of a system's files to a remote of the clone.

    Raises UsageError (no clone, a foreign one, other changes in it, no such remote or base) and
    DataError (the remote refuses).
    """
    try:
        import git
    except ImportError:
        raise MissingExtra("sending", "leaderboard") from None
    files = {path: place.read_bytes() for path, place in files_of(folder, system).items()}
    if not files:
        known = sorted(path.stem for path in folder.glob("metadata/*.json"))
        raise UnknownName("system", system, known or ["(none)"])
    try:
        repo = git.Repo(folder, search_parent_directories=True)
    except (git.InvalidGitRepositoryError, git.NoSuchPathError):
        raise UsageError(
            f"{folder} lies in no clone of a board. Fork the board and clone that"
        ) from None
    top = Path(str(repo.working_tree_dir)).resolve()
    if folder.resolve() != top / ROOT:
        raise UsageError(f"{folder} is not the folder {ROOT} at the top of its clone ({top})")
    ours = {f"{ROOT}/{path}": content for path, content in files.items()}
    _refuse_other_changes(repo, set(ours))
    start = _base(repo, base)
    if f"{ROOT}/season.json" not in {item.path for item in start.tree.traverse(depth=2)}:
        raise UsageError(f"{start.hexsha[:12]} is of no board: it has no {ROOT}/season.json")
    if remote not in {one.name for one in repo.remotes}:
        raise UnknownName("remote", remote, [one.name for one in repo.remotes] or ["(none)"])
    branch = f"submission/{system}"
    url = _url(repo.remote(remote).url, branch)
    if dry_run:
        return Sent(branch, "", tuple(sorted(ours)), remote, url, start.hexsha)
    commit = _commit(repo, start, ours, f"Submit {system}").hexsha
    try:
        # Forced: the branch is this system's alone, and a second try replaces the first.
        repo.git.push(remote, f"+{commit}:refs/heads/{branch}")
    except git.GitCommandError as error:
        why = "the remote did not take the branch: " + " ".join(str(error.stderr).split())[:300]
        hint = "Is it your fork, and may you push there?"
        raise DataError.of(Code.GIT_FAILED, why, remote, hint=hint) from None
    return Sent(branch, commit, tuple(sorted(ours)), remote, url, start.hexsha)


def _refuse_other_changes(repo: Any, ours: set[str]) -> None:
    """Refuses changes of other files; a new file outside the board's folders is the sender's
    own work and is ignored."""
    lines = repo.git.status("--porcelain", "-z", "--untracked-files=all").split("\0")
    others = sorted(
        line[3:]
        for line in lines
        if line and line[3:] not in ours
        # New files elsewhere in the clone are not part of the commit, so they may stay.
        if not line.startswith("?? ") or line.startswith(f"?? {ROOT}/")
    )
    if others:
        shown = ", ".join(others[:5]) + (f" and {len(others) - 5} more" if len(others) > 5 else "")
        raise UsageError(
            f"the clone has other changes: {shown}. Commit them elsewhere, or take them away; a "
            "pull request may hold the files of one system alone"
        )


def _base(repo: Any, base: str) -> Any:
    import git

    for name in [base] if base else BASES:
        try:
            return repo.commit(name)
        except (git.BadName, git.GitCommandError, ValueError, IndexError):
            continue
    raise UsageError(f"no commit {base or ' or '.join(BASES[:2])} is here; name one with --base")


def _commit(repo: Any, start: Any, files: Mapping[str, bytes], message: str) -> Any:
    """A commit beside the working tree, through an index of its own."""
    import git
    from gitdb import IStream

    index = git.IndexFile.new(repo, start.tree)
    for path, content in files.items():
        blob = repo.odb.store(IStream("blob", len(content), BytesIO(content)))
        entry = git.IndexEntry.from_base(git.BaseIndexEntry((0o100644, blob.binsha, 0, path)))
        index.entries[path, 0] = entry
    return git.Commit.create_from_tree(repo, index.write_tree(), message, [start], head=False)


def _url(address: str, branch: str) -> str:
    """Where the pull request is opened; empty for a remote on an unknown platform."""
    match = re.fullmatch(
        r"(?:https://(?:[^@/]+@)?github\.com/|git@github\.com:)([\w.-]+/[\w.-]+?)(?:\.git)?",
        address,
    )
    return f"https://github.com/{match[1]}/pull/new/{branch}" if match else ""
