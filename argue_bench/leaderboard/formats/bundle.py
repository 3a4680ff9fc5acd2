"""The bundle: one file with one digest that carries one submission from step to step.

It is canonical JSON, {"author", "base", "commit", "files": {path: Base64}, "pr", "schema", "system"}. No archive
format can be tricked: paths are those of the layout or the bundle is refused. Its digest is the SHA-256 of
the whole file.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from argue_bench.errors import Code
from argue_bench.leaderboard.formats.canonical import canonical, parse_canonical
from argue_bench.leaderboard.formats.git_objects import refusal, refusing
from argue_bench.leaderboard.formats.layout import SETTINGS, write_files
from argue_bench.leaderboard.formats.metadata import LIMITS as METADATA_LIMITS
from argue_bench.leaderboard.formats.names import AuthorId, CommitId, SystemName
from argue_bench.records.digests import sha256
from argue_bench.records.untrusted import DEFAULT_LIMITS, Limits, read_bounded
from argue_bench.records.validation import Expect, strict

# Three files of answers at the reader's own bound, and metadata.
SUBMISSION_BYTES = 400_000_000
# Base64 writes four characters for three bytes.
_BYTES = SUBMISSION_BYTES * 4 // 3 + 10_000
LIMITS = Limits(line_bytes=_BYTES, file_bytes=_BYTES, depth=3)


@strict
@dataclass(frozen=True)
class _Written:
    """A bundle as its file has it."""

    system: SystemName
    author: AuthorId
    files: Annotated[
        Mapping[str, Annotated[str, Field(pattern="^[A-Za-z0-9+/]*={0,2}$")]],
        Field(min_length=1),
        Expect("an object from paths to Base64"),
    ]
    pr: Annotated[int, Field(ge=1, lt=1 << 53), Expect("the number of a pull request")] | None
    commit: CommitId | None
    base: CommitId | None
    schema: Literal[1] = 1


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
        """One digest of the answers by setting, whatever their system is called, the metadata and the commit."""
        parts = ((path.partition("-generations/"), raw) for path, raw in self.files.items())
        return sha256(canonical({name: sha256(raw) for (name, rest, _), raw in parts if rest}))

    def to_bytes(self) -> bytes:
        files = {path: b64encode(content).decode() for path, content in self.files.items()}
        return canonical(
            asdict(_Written(self.system, self.author, files, self.pr, self.commit, self.base))
        )

    def unpack(self, folder: Path) -> None:
        """Writes the files where the layout has them; the folder must be ours and empty."""
        write_files(folder, self.files)


def paths_of(system: str) -> dict[str, int]:
    """Every path that a submission of this system may hold, and how many bytes at most."""
    return {
        f"metadata/{system}.json": METADATA_LIMITS.file_bytes,
        **{f"{one}-generations/{system}.jsonl": DEFAULT_LIMITS.file_bytes for one in SETTINGS},
    }


def read_bundle(path: Path, expect: str | None = None) -> Bundle:
    """The bundle in a file, if its digest is the one expected. Raises SubmissionError."""
    with refusing():
        raw = read_bounded(path, LIMITS, "bundle")
        # A job whose output was lost hands on an empty digest, which must not pass for "any".
        if expect is not None and sha256(raw) != expect:
            raise refusal(
                Code.BUNDLE_DIGEST, "The bundle is not the one that intake made", "bundle"
            )
        hint = "Make the bundle again: nothing in it is edited."
        about = parse_canonical(_Written, raw, LIMITS, "bundle", required=("schema",), hint=hint)
        if not about.files.keys() <= paths_of(about.system).keys():
            raise refusal(
                Code.NOT_CANONICAL, "the bundle names files of other systems", "bundle", hint
            )
        try:
            files = {p: b64decode(text, validate=True) for p, text in about.files.items()}
        except ValueError:
            raise refusal(Code.NOT_CANONICAL, "a file is not Base64", "bundle", hint) from None
    return Bundle(about.system, about.author, files, about.pr, about.commit, about.base)
