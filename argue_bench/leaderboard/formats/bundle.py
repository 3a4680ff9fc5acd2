"""What passes from one step to the next? One file, with one digest, that holds one submission.

    argue-bench bundle 1
    {"author", "base", "commit", "files": {path: {bytes, sha256}}, "pr", "schema", "system"}
    the files' bytes, in the order of their paths, with nothing between or after them

The second line is canonical JSON. There is no archive format to be tricked: paths are those of the
layout or the bundle is refused, sizes are known before anything is read. The digest is SHA-256 over the
whole file. A private submission is sent in the same form; then commit and pull request are null.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from argue_bench.errors import Code, DataError, SubmissionError
from argue_bench.leaderboard.formats.git_objects import refusal
from argue_bench.leaderboard.formats.layout import SETTINGS
from argue_bench.leaderboard.formats.metadata import LIMITS as METADATA_LIMITS
from argue_bench.leaderboard.formats.names import AUTHOR, DIGEST, OID, wrong_with_system
from argue_bench.leaderboard.formats.results import canonical
from argue_bench.records.untrusted import DEFAULT_LIMITS, Limits, open_bounded, parse

MAGIC = b"argue-bench bundle 1\n"
SCHEMA = 1
MANIFEST_BYTES = 10_000
SUBMISSION_BYTES = 400_000_000
LIMITS = Limits(line_bytes=MANIFEST_BYTES, file_bytes=SUBMISSION_BYTES + MANIFEST_BYTES, depth=4)


@dataclass(frozen=True)
class Bundle:
    """One submission: whose it is, where it came from, and its files by path."""

    system: str
    author: str
    files: Mapping[str, bytes] = field(repr=False)
    pr: int | None = None
    commit: str | None = None
    base: str | None = None

    def to_bytes(self) -> bytes:
        manifest = {
            "schema": SCHEMA,
            "system": self.system,
            "author": self.author,
            "pr": self.pr,
            "commit": self.commit,
            "base": self.base,
            "files": {
                path: {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}
                for path, content in self.files.items()
            },
        }
        contents = b"".join(self.files[path] for path in sorted(self.files))
        return MAGIC + canonical(manifest) + b"\n" + contents

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
        raise refusal(Code.AUTHOR_FORM, "the author's id is not 1 to 64 of [A-Za-z0-9_.-]")
    return text


def bundle_digest(raw: bytes) -> str:
    return hashlib.sha256(raw).hexdigest()


def read_bundle(path: Path, expect: str = "") -> Bundle:
    """The bundle in a file, if its digest is the one expected. Raises SubmissionError."""
    try:
        with open_bounded(path, LIMITS, "bundle") as file:
            raw = file.read(LIMITS.file_bytes + 1)
    except DataError as error:
        raise SubmissionError(error.findings) from None
    if expect and (not DIGEST.fullmatch(expect) or bundle_digest(raw) != expect):
        raise refusal(Code.BUNDLE_DIGEST, "this is not the bundle that intake made", "bundle")
    return parse_bundle(raw)


def parse_bundle(raw: bytes) -> Bundle:
    """The bundle in these bytes; ``parse_bundle(b.to_bytes()) == b``. Raises SubmissionError."""
    if not raw.startswith(MAGIC):
        raise refusal(Code.BUNDLE_SHAPE, "this is no bundle", "bundle")
    end = raw.find(b"\n", len(MAGIC), len(MAGIC) + MANIFEST_BYTES)
    if end < 0:
        raise refusal(Code.BUNDLE_SHAPE, "the bundle has no manifest", "bundle")
    line = raw[len(MAGIC) : end]
    try:
        value = parse(line, "bundle", 2, LIMITS)
    except DataError as error:
        raise SubmissionError(error.findings) from None
    if (why := _wrong(value)) or canonical(value) != line:
        why = why or "the manifest is not the canonical bytes of its values"
        hint = "Make the bundle again: nothing in it is edited."
        raise refusal(Code.BUNDLE_MANIFEST, why, "bundle", hint)
    files: dict[str, bytes] = {}
    at = end + 1
    for path, about in sorted(value["files"].items()):
        files[path] = raw[at : at + about["bytes"]]
        at += about["bytes"]
        if bundle_digest(files[path]) != about["sha256"]:
            raise refusal(
                Code.BUNDLE_FILE, "a file of the bundle is not what its manifest says", path
            )
    if at != len(raw):
        raise refusal(Code.BUNDLE_REST, "the bundle holds more than its manifest says", "bundle")
    return Bundle(
        value["system"], value["author"], files, value["pr"], value["commit"], value["base"]
    )


def _wrong(value: Any) -> str:
    """What is wrong with a manifest, in words."""
    keys = {"schema", "system", "author", "pr", "commit", "base", "files"}
    if not isinstance(value, dict) or value.keys() != keys:
        return f"the manifest has not exactly the keys {', '.join(sorted(keys))}"
    if type(value["schema"]) is not int or value["schema"] != SCHEMA:
        return "the manifest is of another version"
    if not isinstance(value["system"], str) or wrong_with_system(value["system"]):
        return "the system has no proper name"
    if not isinstance(value["author"], str) or not AUTHOR.fullmatch(value["author"]):
        return "the author has no proper id"
    for key in ("commit", "base"):
        given = value[key]
        if given is not None and not (isinstance(given, str) and OID.fullmatch(given)):
            return f"the {key} is no full name of a commit"
    if value["pr"] is not None and not (type(value["pr"]) is int and 0 < value["pr"] < 1 << 53):
        return "the number of the pull request is none"
    return _wrong_files(value["files"], paths_of(value["system"]))


def _wrong_files(files: Any, allowed: Mapping[str, int]) -> str:
    if not isinstance(files, dict) or not files or not files.keys() <= allowed.keys():
        return "the manifest names other files than those of its system"
    for path, about in files.items():
        fits = (
            isinstance(about, dict)
            and about.keys() == {"bytes", "sha256"}
            and type(about["bytes"]) is int
            and 0 <= about["bytes"] <= allowed[path]
            and isinstance(about["sha256"], str)
            and DIGEST.fullmatch(about["sha256"])
        )
        if not fits:
            return "a file of the manifest has no proper size or digest"
    return ""
