"""Git repositories read as data: objects are fetched into a bare repository, nothing is checked out.

A checkout would run what a stranger chose: hooks, filters and attributes, links out of the folder,
names that other systems read as their own. Objects are bytes; here git lists and prints them, in a
temporary bare repository with no configuration but ours: no hooks, no credential helpers, no
transports except HTTPS (and ``file://``, where the remote is one), objects checked as they come in,
and bounds on time, memory and disk. Commits and trees are fetched without blobs where the remote
can filter; blobs come one by one, when their names and modes are known to be right.
"""

from __future__ import annotations

import base64
import os
import re
import signal
import subprocess
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from urllib.parse import urlsplit

from argue_bench.errors import Code, DataError, SubmissionError
from argue_bench.leaderboard.formats.names import OID

REF = re.compile(r"refs/[A-Za-z0-9][A-Za-z0-9_.-]*(?:/[A-Za-z0-9][A-Za-z0-9_.-]*)+")
# A fetch of a board with thousands of entries takes seconds; five minutes end one that a stranger drags out.
SECONDS = 300
# Bounds of one git process: above what a board needs, below what a runner has.
DISK_BYTES = 2 << 30
# git maps whole packs, so its address space is larger than what it uses.
MEMORY_BYTES = 8 << 30
# Processes of this user that may run beside one git: a runner has some dozen.
PROCESSES = 4_096
# A hostile pack ends git, not the machine. A shell sets the bounds, because Python would copy its own process
# for that, which takes longer than git where it is large.
BOUNDED = (
    f"ulimit -c 0 && ulimit -f {DISK_BYTES >> 9} && ulimit -v {MEMORY_BYTES >> 10} "
    f'&& {{ ulimit -u {PROCESSES} || ulimit -p {PROCESSES}; }} 2>/dev/null && exec "$@"'
)
# Steps of git that may ask the remote.
NETWORK = ("ls-remote", "fetch", "push")
# 100,000 names of a folder at 255 bytes fit twice.
OUTPUT_BYTES = 64 << 20
# Names in one folder of a tree.
MOST_ENTRIES = 100_000
FILE, FOLDER = "100644", "40000"
# What `git log --raw -z` prints of a plain file that came or changed.
_VERSION = re.compile(rb":[0-7]+ 100644 [0-9a-f]+ ([0-9a-f]{40}) [A-Z]\0([^\0]+)\0")
_PASSED_ON = ("HTTPS_PROXY", "https_proxy", "SSL_CERT_FILE")
_CONFIG = {
    # Nothing that lies in a repository or on this machine starts a program.
    "core.hooksPath": "/dev/null",
    "core.fsmonitor": "false",
    "core.symlinks": "false",
    "core.bigFileThreshold": "16m",
    "core.attributesFile": "/dev/null",
    # Malformed objects are refused as they arrive: such have broken git itself before.
    "fetch.fsckObjects": "true",
    "transfer.fsckObjects": "true",
    "fetch.recurseSubmodules": "false",
    "submodule.recurse": "false",
    # Our token goes to one address; a redirect would carry it to another.
    "credential.helper": "",
    "http.followRedirects": "false",
    "protocol.version": "2",
    # "ext::" and "ssh://" start programs, so transports are named one by one.
    "protocol.allow": "never",
    "protocol.https.allow": "always",
    "gc.auto": "0",
    "maintenance.auto": "false",
}


@dataclass(frozen=True, slots=True)
class TreeEntry:
    """One name in a tree: its mode as git writes it, and the object."""

    mode: str
    oid: str


@contextmanager
def refusing() -> Iterator[None]:
    """Turns invalid data inside into the refusal of a submission."""
    try:
        yield
    except DataError as error:
        raise SubmissionError(error.findings) from None


def refusal(code: Code, message: str = "", file: str = "", hint: str = "") -> SubmissionError:
    """The error of one finding; the message is the code's meaning where none is given."""
    return SubmissionError.of(code, message, file, hint=hint)


def check_remote(remote: str) -> str:
    """The address, if git may talk to it: https://HOST/PATH or file:///PATH. Raises SubmissionError."""
    try:
        parts = urlsplit(remote)
        # No user name (it would pass for the host), no query, no blank: git must read the address as we do.
        plain = not parts.query and not parts.fragment and remote.isprintable()
        web = parts.scheme == "https" and parts.hostname and "@" not in parts.netloc
        local = parts.scheme == "file" and not parts.netloc and parts.path.startswith("/")
    except ValueError:
        plain = web = local = False
    if not plain or not (web or local) or " " in remote:
        raise refusal(Code.BAD_ARGUMENT, "The remote is neither https://HOST/PATH nor file:///PATH")
    return remote


def check_oid(text: str, what: str) -> str:
    """The name of a commit in full. Raises SubmissionError."""
    if not OID.fullmatch(text):
        raise refusal(Code.BAD_ARGUMENT, f"the {what} is not given by 40 hexadecimal digits")
    return text


def check_ref(text: str) -> str:
    """A full or short name of a branch as a full one. Raises SubmissionError."""
    full = text if text.startswith("refs/") else f"refs/heads/{text}"
    # Git refuses these too; but a name that begins with "-" would be an option before git looks at it.
    if not REF.fullmatch(full) or ".." in full or full.endswith((".lock", ".")):
        raise refusal(Code.BAD_ARGUMENT, "The branch has a name that git would not take literally")
    return full


class Objects:
    """A bare repository in a temporary folder, and one remote."""

    def __init__(
        self, remote: str, folder: Path, token: str = "", seconds: float | None = None
    ) -> None:
        self.remote, self._folder = check_remote(remote), folder
        self._token, self._seconds = token, seconds or SECONDS
        self._run(["init", "--quiet", "--bare", "--template=", "."], Code.GIT_FAILED)
        for key, value in (
            ("remote.origin.url", remote),
            ("remote.origin.promisor", "true"),
            ("remote.origin.partialclonefilter", "blob:none"),
            ("core.repositoryformatversion", "1"),
            ("extensions.partialClone", "origin"),
        ):
            self._run(["config", key, value], Code.GIT_FAILED)

    def refs(self, *names: str) -> dict[str, str]:
        """The commits of these refs, where the remote has them."""
        out = self._run(["ls-remote", "--refs", "origin", *names], Code.NOT_FETCHED)
        pairs = (line.split("\t") for line in out.decode("utf-8", "replace").splitlines())
        return {name: oid for oid, name in pairs if name in names}

    def fetch(self, oids: Iterable[str], *options: str) -> None:
        """Fetches objects, without blobs unless they are named. Raises SubmissionError."""
        wanted = sorted(set(oids))
        if wanted:
            arguments = ["fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--no-auto-gc"]
            arguments += ["--filter=blob:none", *options]
            self._run([*arguments, "origin", *wanted], Code.NOT_FETCHED)

    def merge_base(self, one: str, other: str) -> str:
        """The one commit both grew from. Raises SubmissionError where there is none, or several."""
        found = self._run(["merge-base", "--all", one, other], Code.GIT_REFUSED).split()
        # With several points of departure a change could hide behind whichever one is compared with.
        if len(found) != 1:
            hint = "Rebase onto the board's main branch."
            why = f"the branch has {len(found)} points of departure from the board's"
            raise refusal(Code.GIT_REFUSED, why, hint=hint)
        return found[0].decode()

    def is_ancestor(self, old: str, new: str) -> bool:
        return self._start(["merge-base", "--is-ancestor", old, new])[0] == 0

    def changes(self, commit: str, path: str, most: int) -> list[str]:
        """The last commits up to this one that changed a path, the newest first."""
        return self._run(["rev-list", f"--max-count={most}", commit, "--", path]).decode().split()

    def versions(self, commit: str, path: str) -> list[tuple[str, str]]:
        """Each plain file under ``path`` as the branch up to this commit ever had it, the newest first: its path and its blob."""
        form = ["--first-parent", "-m", "--raw", "--no-abbrev", "--no-renames", "--format=", "-z"]
        # Of what was merged in one step git tells the outcome: how a stranger's branch came there costs nothing.
        found = _VERSION.findall(self._run(["log", *form, commit, "--", path]))
        return [(name.decode("utf-8", "backslashreplace"), oid.decode()) for oid, name in found]

    def kind(self, oid: str) -> str:
        """commit, tree, blob or tag; empty where the object is not here."""
        word = self._inspect([oid], "%(objecttype)")[0]
        return "" if "missing" in word else word

    def tree(self, treeish: str) -> dict[str, TreeEntry]:
        """One folder, not those in it. Names that are not UTF-8 keep their bytes as escapes."""
        return self._entries(["ls-tree", "-z", treeish])

    def _entries(self, arguments: Sequence[str]) -> dict[str, TreeEntry]:
        rows: dict[str, TreeEntry] = {}
        for line in filter(None, self._run(arguments).split(b"\0")):
            about, _, name = line.partition(b"\t")
            mode, _, oid = about.decode().split(" ")
            # Bytes that are no UTF-8 become escapes, which no allowed name has: so they are refused by name.
            rows[name.decode("utf-8", "backslashreplace")] = TreeEntry(mode.lstrip("0"), oid)
        if len(rows) > MOST_ENTRIES:
            raise refusal(Code.TOO_MANY, f"more than {MOST_ENTRIES:,} files in one folder")
        return rows

    def files(self, treeish: str, *paths: str) -> dict[str, TreeEntry]:
        """Every file below one folder, or those at these paths, by its posix path from there."""
        return self._entries(["ls-tree", "-r", "-z", treeish, "--", *paths])

    def folder(self, commit: str, *path: str) -> dict[str, TreeEntry]:
        """The folder at a path of a commit; empty where there is none."""
        rows = self.tree(commit)
        for name in path:
            row = rows.get(name)
            if row is None or row.mode != FOLDER:
                return {}
            rows = self.tree(row.oid)
        return rows

    def blobs(self, oids: Sequence[str], most: int) -> list[bytes]:
        """The contents of these blobs, fetched where they are missing. Raises
        SubmissionError above ``most``."""
        if not oids:
            return []
        self._bring(oids)
        found = [line.split() for line in self._inspect(oids, "%(objecttype) %(objectsize)")]
        if any(len(one) != 2 or one[0] != "blob" for one in found):
            raise refusal(Code.NOT_FETCHED, "an object of the submission is not there")
        if (total := sum(int(one[1]) for one in found)) > most:
            why = f"the files have {total:,} bytes together, at most {most:,} are read"
            raise refusal(Code.TOO_LARGE, why, hint="Shorten the answers.")
        # git prints the size of each blob on a line before it: at most 20 digits.
        bound = most + 20 * len(found)
        out = self._run(["cat-file", "--batch=%(objectsize)"], given=_lines(oids), most=bound)
        contents, at = [], 0
        for _, size in found:
            at = out.index(b"\n", at) + 1
            contents.append(out[at : at + int(size)])
            at += int(size) + 1
        return contents

    def sizes(self, oids: Sequence[str]) -> list[int]:
        """How many bytes each of these blobs has, before any of them is read."""
        self._bring(oids)
        return [int(s) if s.isdigit() else -1 for s in self._inspect(oids, "%(objectsize)")]

    def _inspect(self, oids: Iterable[str], form: str) -> list[str]:
        out = self._run(["cat-file", f"--batch-check={form}"], given=_lines(oids))
        return out.decode("utf-8", "replace").splitlines()

    def _bring(self, oids: Sequence[str]) -> None:
        here = self._run(["cat-file", "--batch-all-objects", "--batch-check=%(objectname)"])
        self.fetch(set(oids) - set(here.decode().split()))

    # writing: our own trees and commits, never a stranger's

    def write(self, content: bytes) -> str:
        """A new blob."""
        return self._run(["hash-object", "-w", "--stdin"], given=content).decode().strip()

    def replace(self, commit: str | None, files: Mapping[str, str]) -> str:
        """A new tree: the commit's tree with these files (posix path to blob) added or replaced."""
        index = {"GIT_INDEX_FILE": str(self._folder / "index.board")}
        self._run(["read-tree", commit or "--empty"], extra=index)
        lines = "".join(f"{FILE} {oid}\t{path}\0" for path, oid in files.items())
        self._run(["update-index", "-z", "--index-info"], given=lines.encode(), extra=index)
        # Blobs of others were never fetched, so they are missing here.
        return self._run(["write-tree", "--missing-ok"], extra=index).decode().strip()

    def commit(self, tree: str, parent: str | None, message: str, when: str) -> str:
        """A commit by the board; ``when`` is UTC as `results.now` gives it."""
        who = {
            f"GIT_{role}_{key}": value
            for role in ("AUTHOR", "COMMITTER")
            for key, value in (("NAME", "board"), ("EMAIL", "board@localhost"), ("DATE", when))
        }
        arguments = ["commit-tree", tree, *([] if parent is None else ["-p", parent])]
        return self._run(arguments, given=message.encode(), extra=who).decode().strip()

    def push(self, commit: str, ref: str) -> bool:
        """Moves a branch forward; False where another job moved it first. Never forces."""
        return self._start(["push", "--quiet", "--no-verify", "origin", f"{commit}:{ref}"])[0] == 0

    def _run(
        self,
        arguments: Sequence[str],
        code: Code = Code.GIT_FAILED,
        given: bytes = b"",
        extra: Mapping[str, str] = MappingProxyType({}),
        most: int = OUTPUT_BYTES,
    ) -> bytes:
        """The output of git. Its error messages are not passed on: only a code is."""
        failed, printed, told = self._start(arguments, given, extra, most + 1)
        if failed:
            raise _complaint(code, arguments[0], told)
        if len(printed) > most:
            raise refusal(Code.TOO_MANY, "git printed more than is ever read")
        return printed

    def _start(
        self,
        arguments: Sequence[str],
        given: bytes = b"",
        extra: Mapping[str, str] = MappingProxyType({}),
        most: int = 0,
    ) -> tuple[int, bytes, bytes]:
        """The exit code of git, the first ``most`` bytes of what it prints, and what it complains of."""
        # Into a file and not a pipe: what git prints is bounded by the disk's limit, and never in our memory.
        with tempfile.TemporaryFile(dir=self._folder) as out:
            try:
                # A group of its own: what git started would go on without it, as `index-pack` does with a whole pack.
                with subprocess.Popen(
                    ["/bin/sh", "-c", BOUNDED, "git", "git", *arguments],
                    cwd=self._folder,
                    env={**self._environment(arguments[0] in NETWORK), **extra},
                    stdin=subprocess.PIPE,
                    stdout=out,
                    stderr=subprocess.PIPE,
                    start_new_session=True,
                ) as running:
                    try:
                        _, told = running.communicate(given, self._seconds)
                    finally:
                        with suppress(ProcessLookupError):
                            os.killpg(running.pid, signal.SIGKILL)
            except subprocess.TimeoutExpired:
                raise refusal(
                    Code.GIT_FAILED, f"git took more than {self._seconds} seconds"
                ) from None
            except OSError:
                raise refusal(Code.GIT_FAILED) from None
            out.seek(0)
            return running.returncode, out.read(most), told

    def _environment(self, network: bool) -> dict[str, str]:
        """The environment of git: of ours it has the search path, the proxy and the
        certificates; secrets go into a header, never on a command line."""
        config = dict(_CONFIG)
        if not network:
            # What is missing is fetched by name (`fetch`), and never by git on its own: from a shallow
            # remote each such fetch would start the next.
            config["protocol.https.allow"] = "never"
        elif self.remote.startswith("file:"):
            config["protocol.file.allow"] = "always"
        if network and self._token and not self.remote.startswith("file:"):
            basic = base64.b64encode(f"x-access-token:{self._token}".encode()).decode()
            config[f"http.{self.remote}.extraHeader"] = f"Authorization: Basic {basic}"
        environment = {
            "PATH": os.environ.get("PATH", os.defpath),
            "HOME": str(self._folder),
            "LC_ALL": "C",
            "TZ": "UTC",
            "GIT_DIR": str(self._folder),
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_ATTR_NOSYSTEM": "1",
            "GIT_TERMINAL_PROMPT": "0",
            "GIT_NO_REPLACE_OBJECTS": "1",
            "GIT_PROTOCOL_FROM_USER": "0",
            "GIT_CONFIG_COUNT": str(len(config)),
            # Nothing else of our environment: it holds the secrets of the job.
            **{one: os.environ[one] for one in _PASSED_ON if one in os.environ},
        }
        for at, (key, value) in enumerate(config.items()):
            environment |= {f"GIT_CONFIG_KEY_{at}": key, f"GIT_CONFIG_VALUE_{at}": value}
        return environment


@contextmanager
def open_objects(remote: str, seconds: float | None = None) -> Iterator[Objects]:
    """A temporary repository, deleted afterwards; a step of git may take so many ``seconds``. The token for the
    remote is in GH_TOKEN."""
    check_remote(remote)
    with tempfile.TemporaryDirectory(prefix="argue-bench-git-") as folder:
        yield Objects(remote, Path(folder), os.environ.get("GH_TOKEN", ""), seconds)


def _lines(oids: Iterable[str]) -> bytes:
    return "".join(f"{oid}\n" for oid in oids).encode()


def _complaint(code: Code, step: str, stderr: bytes) -> SubmissionError:
    # What git prints may repeat names that a stranger chose, so only a code leaves this module.
    if step == "fetch" and re.search(rb"fsck|error in (?:tree|commit|tag|blob)|hasDot", stderr):
        return refusal(Code.GIT_REFUSED, "git's own check refuses an object of the branch")
    return refusal(code)
