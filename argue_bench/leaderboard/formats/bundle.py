"""The bundle: one file with one digest that carries one submission from step to step.

    argue-bench bundle 1
    {"author", "base", "commit", "files": {path: {bytes, sha256}}, "pr", "schema", "system"}
    the files' bytes, in the order of their paths, with nothing between or after them

The second line is canonical JSON. No archive format can be tricked: paths are those of the
layout or the bundle is refused, and sizes are known before anything is read. The bundle's digest is
the SHA-256 of the whole file. A private submission has the same form, with commit and pull request
null.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from argue_bench.errors import Code
from argue_bench.leaderboard.formats.canonical import Codes, canonical, parse_canonical
from argue_bench.leaderboard.formats.fields import AuthorId, CommitId, Count, Digest, SystemName
from argue_bench.leaderboard.formats.git_objects import refusal, refusing
from argue_bench.leaderboard.formats.layout import SETTINGS
from argue_bench.leaderboard.formats.metadata import LIMITS as METADATA_LIMITS
from argue_bench.leaderboard.formats.names import AUTHOR, DIGEST
from argue_bench.records.digests import sha256
from argue_bench.records.untrusted import DEFAULT_LIMITS, Limits, read_bounded
from argue_bench.records.validation import Expect, strict

_CODES = Codes(Code.NOT_CANONICAL, Code.NOT_CANONICAL, Code.NOT_CANONICAL)
MAGIC = b"argue-bench bundle 1\n"
# Four files at most, with names of 64 letters and their digests: some 800 bytes.
MANIFEST_BYTES = 10_000
# Three files of answers at the reader's own bound, and metadata.
SUBMISSION_BYTES = 400_000_000
LIMITS = Limits(line_bytes=MANIFEST_BYTES, file_bytes=SUBMISSION_BYTES + MANIFEST_BYTES, depth=4)


@strict
@dataclass(frozen=True)
class FileEntry:
    """One file of a bundle."""

    bytes: Count
    sha256: Digest


@strict
@dataclass(frozen=True)
class Manifest:
    """The second line of a bundle."""

    system: SystemName
    author: AuthorId
    pr: Annotated[int, Field(ge=1, lt=1 << 53), Expect("the number of a pull request")] | None
    commit: CommitId | None
    base: CommitId | None
    files: Annotated[
        Mapping[str, FileEntry], Field(min_length=1), Expect("an object of {bytes, sha256}")
    ]
    schema: Literal[1]


@dataclass(frozen=True)
class Bundle:
    """One submission: whose it is, where it came from, and its files by path."""

    system: str
    author: str
    files: Mapping[str, bytes] = field(repr=False)
    pr: int | None = None
    commit: str | None = None
    base: str | None = None

    @property
    def answers(self) -> str:
        """One digest of the files of answers, whatever the metadata and the commit."""
        files = {p: sha256(raw) for p, raw in self.files.items() if not p.startswith("metadata/")}
        return sha256(canonical(files))

    def to_bytes(self) -> bytes:
        files = {
            path: FileEntry(len(content), sha256(content)) for path, content in self.files.items()
        }
        manifest = Manifest(self.system, self.author, self.pr, self.commit, self.base, files, 1)
        contents = b"".join(self.files[path] for path in sorted(self.files))
        return MAGIC + canonical(asdict(manifest)) + b"\n" + contents

    def unpack(self, folder: Path) -> None:
        """Writes the files where the layout has them; the folder must be ours and empty."""
        for path, content in self.files.items():
            place = folder / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(content)


def paths_of(system: str) -> dict[str, int]:
    """Every path that a submission of this system may hold, and how many bytes at most."""
    answers = {f"{one}-generations/{system}.jsonl": DEFAULT_LIMITS.file_bytes for one in SETTINGS}
    return {f"metadata/{system}.json": METADATA_LIMITS.file_bytes, **answers}


def check_author(text: str) -> str:
    """An author's id. Raises SubmissionError."""
    if not AUTHOR.fullmatch(text):
        raise refusal(Code.BAD_ARGUMENT, "The author's id holds characters that ids must not hold")
    return text


def read_bundle(path: Path, expect: str = "") -> Bundle:
    """The bundle in a file, if its digest is the one expected. Raises SubmissionError."""
    with refusing():
        raw = read_bounded(path, LIMITS, "bundle")
    if expect and (not DIGEST.fullmatch(expect) or sha256(raw) != expect):
        raise refusal(
            Code.BUNDLE_DIGEST, "The bundle is not the one that intake made", file="bundle"
        )
    return parse_bundle(raw)


def parse_bundle(raw: bytes) -> Bundle:
    """The bundle in these bytes; ``parse_bundle(b.to_bytes()) == b``. Raises SubmissionError."""
    if not raw.startswith(MAGIC):
        raise refusal(Code.WRONG_SHAPE, "this is not a bundle", "bundle")
    # The manifest ends within its bound, or nothing after it is looked at.
    end = raw.find(b"\n", len(MAGIC), len(MAGIC) + MANIFEST_BYTES)
    if end < 0:
        raise refusal(Code.WRONG_SHAPE, "the bundle has no manifest", "bundle")
    hint = "Make the bundle again: nothing in it is edited."
    line = raw[len(MAGIC) : end]
    with refusing():
        about = parse_canonical(Manifest, line, LIMITS, _CODES, "bundle", 2, hint=hint)
    allowed = paths_of(about.system)
    if not about.files.keys() <= allowed.keys():
        why = "the manifest names files of other systems"
        raise refusal(Code.NOT_CANONICAL, why, "bundle", hint)
    files: dict[str, bytes] = {}
    at = end + 1
    # In the order of paths, as `to_bytes` wrote them: nothing says where a file begins but the sizes before it.
    for path, entry in sorted(about.files.items()):
        if entry.bytes > allowed[path]:
            why = f"the manifest gives a file more than {allowed[path]:,} bytes"
            raise refusal(Code.NOT_CANONICAL, why, "bundle", hint)
        files[path] = raw[at : at + entry.bytes]
        at += entry.bytes
        if sha256(files[path]) != entry.sha256:
            raise refusal(
                Code.BUNDLE_DIGEST, "A file of the bundle differs from its manifest", file=path
            )
    # Bytes after the last file would be signed and stored without being looked at.
    if at != len(raw):
        raise refusal(
            Code.BUNDLE_DIGEST, "The bundle holds more than its manifest lists", file="bundle"
        )
    return Bundle(about.system, about.author, files, about.pr, about.commit, about.base)
