"""The sending of a submission, as one commit of exactly its files on top of the board's main branch.

The commit is made beside the working tree: nothing is checked out, staged or changed. Other changes in the tree are a
reason to stop, for a pull request that holds them would be refused.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from io import BytesIO
from pathlib import Path

from argue_bench.errors import Code, DataError, UnknownName, UsageError, needing
from argue_bench.leaderboard.formats.layout import ROOT
from argue_bench.leaderboard.formats.names import board_name
from argue_bench.leaderboard.submitting.checking import files_of
from argue_bench.loaders.findings import few

with needing("sending", "leaderboard"):
    import git
    from gitdb import IStream

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


# A clone may come from somebody else, with programs that git would start.
_OWN_CODE_OFF = {
    "GIT_CONFIG_COUNT": "2",
    "GIT_CONFIG_KEY_0": "core.fsmonitor",
    "GIT_CONFIG_VALUE_0": "false",
    "GIT_CONFIG_KEY_1": "core.hooksPath",
    "GIT_CONFIG_VALUE_1": os.devnull,
}


def send_submission(
    folder: Path, system: str, remote: str = "origin", base: str = "", dry_run: bool = False
) -> Sent:
    """Pushes a branch with one commit of a system's files to a remote of the clone.

    Raises UsageError (no clone, a foreign one, other changes in it, no such remote or base) and
    DataError (the remote refuses).
    """
    system = board_name(system)
    places = files_of(folder, system)
    if not places:
        known = sorted(path.stem for path in folder.glob("metadata/*.json"))
        raise UnknownName("system", system, known or ["(none)"])
    try:
        repo = git.Repo(folder, search_parent_directories=True)
        repo.git.update_environment(**_OWN_CODE_OFF)
    except (git.InvalidGitRepositoryError, git.NoSuchPathError):
        raise UsageError(
            f"{folder} lies in no clone of a board. Fork the board and clone that"
        ) from None
    top = Path(str(repo.working_tree_dir)).resolve()
    if folder.resolve() != top / ROOT:
        raise UsageError(f"{folder} is not the folder {ROOT} at the top of its clone ({top})")
    ours = {f"{ROOT}/{path}": place.read_bytes() for path, place in places.items()}
    # A name with capitals lies in the tree as it is written, and is sent in small letters.
    _refuse_other_changes(
        repo,
        ours.keys()
        | {f"{ROOT}/{place.relative_to(folder).as_posix()}" for place in places.values()},
    )
    start = _base(repo, base)
    if not repo.git.ls_tree("--full-tree", start.hexsha, f"{ROOT}/season.json"):
        raise UsageError(f"{start.hexsha[:12]} is of no board: it has no {ROOT}/season.json")
    if remote not in {one.name for one in repo.remotes}:
        raise UnknownName("remote", remote, [one.name for one in repo.remotes] or ["(none)"])
    branch = f"submission/{system}"
    url = _url(repo.remote(remote).url, branch)
    sent = Sent(branch, "", tuple(sorted(ours)), remote, url, start.hexsha)
    if dry_run:
        return sent
    commit = _commit(repo, start, ours, f"Submit {system}").hexsha
    try:
        # Forced: the branch is this system's alone, and a second try replaces the first.
        repo.git.push(remote, f"+{commit}:refs/heads/{branch}")
    except git.GitCommandError as error:
        raise DataError.of(
            Code.GIT_FAILED,
            f"the remote did not take the branch: {' '.join(str(error.stderr).split())[:300]}",
            remote,
            hint="Is it your fork, and may you push there?",
        ) from None
    return replace(sent, commit=commit)


def _refuse_other_changes(repo: git.Repo, ours: set[str]) -> None:
    """Refuses changes of other files; a new file outside the board's folders is the sender's
    own work and is ignored."""
    changed = repo.git.status("--porcelain", "-z", "--untracked-files=all", "--no-renames")
    others = sorted(
        line[3:]
        for line in changed.split("\0")
        if line and line[3:] not in ours
        # New files elsewhere in the clone are not part of the commit, so they may stay.
        if not line.startswith("?? ") or line.startswith(f"?? {ROOT}/")
    )
    if others:
        raise UsageError(
            f"the clone has other changes: {few(others, 5)}. Commit them elsewhere, or take them away; a "
            "pull request may hold the files of one system alone"
        )


def _base(repo: git.Repo, base: str) -> git.Commit:
    for name in [base] if base else BASES:
        try:
            return repo.commit(name)
        except (git.BadName, git.GitCommandError, ValueError, IndexError):
            continue
    raise UsageError(f"no commit {base or ' or '.join(BASES[:2])} is here; name one with --base")


def _commit(
    repo: git.Repo, start: git.Commit, files: Mapping[str, bytes], message: str
) -> git.Commit:
    """A commit beside the working tree, through an index of its own."""
    index = git.IndexFile.new(repo, start.tree)
    for path, content in files.items():
        blob = repo.odb.store(IStream("blob", len(content), BytesIO(content)))
        index.entries[path, 0] = git.IndexEntry.from_base(
            git.BaseIndexEntry((0o100644, blob.binsha, 0, path))
        )
    return git.Commit.create_from_tree(repo, index.write_tree(), message, [start], head=False)


def _url(address: str, branch: str) -> str:
    """Where the pull request is opened; empty for a remote on an unknown platform."""
    match = re.fullmatch(
        r"(?:https://(?:[^@/]+@)?github\.com/|git@github\.com:)([\w.-]+/[\w.-]+?)(?:\.git)?",
        address,
    )
    return f"https://github.com/{match[1]}/pull/new/{branch}" if match else ""
