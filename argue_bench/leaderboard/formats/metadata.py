"""``metadata/SYSTEM.json``: who made a system and how, checked before any of it is believed.

The keys are FanOutQA's (Zhu et al. 2024), and some of our own that may be left out. A file holds
one flat object; everything that is wrong with it is found at once, with the line of the key.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import Annotated, Any, cast
from unicodedata import category, normalize
from urllib.parse import urlsplit

from pydantic import AfterValidator, ConfigDict, Field

from argue_bench.errors import Code, DataError, Finding
from argue_bench.leaderboard.formats.layout import SETTINGS, STATUS, TYPES
from argue_bench.leaderboard.formats.names import (
    board_name,
    invisible,
    odd_sign,
    pattern,
    skeleton,
)
from argue_bench.records.display import escape
from argue_bench.records.untrusted import Limits, parse_json, read_bounded
from argue_bench.records.validation import Expect, Problem, Record, unexpected, validate

# The longest honest file has `details` of 20,000 characters in four bytes each.
LIMITS = Limits(line_bytes=100_000, file_bytes=100_000, depth=4)
_CODES: Mapping[Problem, Code] = {
    "shape": Code.WRONG_SHAPE,
    "missing": Code.KEY_MISSING,
}


@dataclass(frozen=True)
class Text:
    """A text of ``least`` to ``most`` visible characters, on one line unless ``lines``."""

    most: int
    lines: bool = False
    least: int = 1
    form: str = r"^[^\x00-\x1f\x7f]*$"
    """For the JSON schema, which can say less than the check."""
    shown: bool = False
    """Whether a row of the board shows it: then it holds no markup, and no signs that pass for the board's."""

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> Any:
        return AfterValidator(self._check).__get_pydantic_core_schema__(source, handler)

    def __get_pydantic_json_schema__(self, schema: Any, handler: Any) -> dict[str, Any]:
        bounds = {"minLength": self.least, "maxLength": self.most}
        return {**handler(schema), **bounds, **({} if self.lines else {"pattern": self.form})}

    def _check(self, value: str) -> str:
        hidden = invisible(value, "\n" if self.lines else "")
        odd = odd_sign(value) if self.shown else ""
        markup = self.shown and re.search(r"[<>`]|\]\(", value)
        faults = (
            (len(value.strip()) < self.least, "a text that is not empty", Code.METADATA_VALUE),
            (
                len(value) > self.most,
                f"at most {self.most:,} characters, not {len(value):,}",
                Code.METADATA_VALUE,
            ),
            (hidden, f"a text without {escape(hidden)}, which is not to be seen", Code.BAD_NAME),
            # More than any writing has reach into the lines above and below.
            (
                "MMM" in "".join(category(c)[:1] for c in normalize("NFC", value)),
                "a text with at most two marks upon a letter",
                Code.BAD_NAME,
            ),
            (markup, "a text without marks of HTML or Markdown (< > ` ]( )", Code.BAD_NAME),
            (odd, f"letters, digits and punctuation in plain form, not '{odd}'", Code.BAD_NAME),
        )
        for fault, words, code in faults:
            if fault:
                raise unexpected(words, code)
        return value


def is_https(value: str) -> bool:
    """Whether an address leads to HTTPS only, and says plainly where."""
    try:
        parts = urlsplit(value)
        fits = parts.scheme == "https" and parts.hostname and parts.port != 0
    except ValueError:
        return False
    # A user name before "@" would pass for the host; quotes and brackets end an attribute of a page.
    return bool(fits) and "@" not in parts.netloc and not re.search(r"[\s\"'<>\\^`{|}]", value)


def _is_day(value: str) -> bool:
    try:
        return re.fullmatch(r"\d{4}-\d\d-\d\d", value, re.ASCII) is not None and bool(
            date.fromisoformat(value)
        )
    except ValueError:
        return False


Address = Annotated[
    str,
    Text(2_000, form=r"^https://[^\s<>\\^`{|}\"'@/?#]+([/?#][^\s<>\\^`{|}\"']*)?$"),
    Expect("an https:// address without user name, blanks or quotes", is_https),
]
Link = (
    Annotated[
        str,
        pattern(r"^[a-z0-9][a-z0-9-]{1,63}\.jsonl$"),
        Expect("SYSTEM.jsonl, or null where there are no answers"),
    ]
    | None
)
Status = Annotated[str, Expect.one_of(*STATUS)]
_ANSWERS = [f"{setting}_generations" for setting in SETTINGS]


class MetadataFile(Record):
    """leaderboard-submissions/metadata/SYSTEM.json: who made a system and what it is."""

    model_config = ConfigDict(
        json_schema_extra={"anyOf": [{"properties": {k: {"type": "string"}}} for k in _ANSWERS]}
    )

    name: Annotated[str, Text(80, form=r"^[^\x00-\x1f\x7f<>`]*$", shown=True)]
    """The name that the board shows."""
    authors: Annotated[str, Text(10_000)]
    """Who made it, as they want to be named."""
    url: Address | None
    """A page about the system; null if there is none."""
    citation: Annotated[str, Text(1_000, shown=True)]
    """Short citation, such as "Zhu et al., 2024"."""
    type: Annotated[str, Expect.one_of(*TYPES)]
    """FOUNDATION: a model as published. FINETUNE: trained further. PROMPT: a prompt or pipeline
    around a model. OTHER: anything else."""
    context: Annotated[int, Field(ge=0, le=10**9)]
    """Size of the context window in tokens; 0 if the system has none."""
    is_trained_for_function_calling: bool
    """Whether the model was trained to call functions."""
    closedbook_generations: Link
    """Name of the file in closedbook-generations/ that holds the answers; null if there is none."""
    openbook_generations: Link
    """Name of the file in openbook-generations/; null if there is none."""
    evidenceprovided_generations: Link
    """Name of the file in evidenceprovided-generations/; null if there is none."""
    details: Annotated[str, Text(20_000, lines=True, least=0)] | None = None
    """Anything a reader should know: model identifier, prompt, settings."""
    base_model: Annotated[str, Text(200, shown=True)] = ""
    """The model under the system."""
    organisation: Annotated[str, Text(100, shown=True)] = ""
    """The company, university or group behind the system."""
    open_weights: bool | None = None
    """Whether anybody can download the model's weights; null where the system has no model."""
    parameters: Annotated[float, Field(gt=0, le=10**6)] | None = None
    """Size of the model in thousand million parameters, 70 for "70B"; null if it is not public."""
    retriever: Annotated[str, Text(200)] = ""
    """What finds the documents, such as "BM25" or the name of an embedding model."""
    paper: Address | None = None
    """A paper that describes the system."""
    code: Address | None = None
    """Where its code can be read."""
    tokens: Annotated[float, Field(ge=0, le=10**15)] = 0
    """Tokens read and written for all answers together."""
    cost: Annotated[float, Field(ge=0, le=10**12)] = 0
    """What all answers cost, in US dollars."""
    training_overlap: Annotated[str, Text(5_000, lines=True)] = ""
    """What of this data set the system has seen in training; "none" if nothing is known."""
    judges_used: Annotated[
        tuple[Annotated[str, Text(200)], ...],
        Field(max_length=100),
        Expect("a list of at most 100 texts, each once", lambda names: len({*names}) == len(names)),
    ] = ()
    """Judges that were used while building the system."""
    licence: Annotated[str, Text(128)] = ""
    """SPDX name of the licence of the answers."""
    anonymous_until: Annotated[
        str,
        Expect("a day such as 2027-01-31", _is_day),
        pattern(r"^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$"),
    ] = ""
    """The day until which the board hides the authors."""
    status: Status = "active"
    """active: on the board. withdrawn: its authors took it back. superseded: a newer entry of
    theirs replaces it."""


@dataclass(frozen=True)
class Metadata:
    """A checked metadata file. ``values`` holds its keys as they stand there."""

    system: str
    values: Mapping[str, Any]

    @property
    def name(self) -> str:
        return str(self.values["name"])

    def link(self, setting: str) -> str | None:
        """The file of generations that it names for a setting."""
        return cast("str | None", self.values.get(f"{setting}_generations"))


def read_metadata(path: Path, label: str, system: str) -> tuple[Metadata | None, list[Finding]]:
    """The metadata in a file and its problems; None where it cannot be used at all.

    Links are checked for their form: each names the system's own file. Raises nothing.
    """
    try:
        # Notepad writes a mark at the head of a file, which is no part of the JSON.
        raw = read_bounded(path, LIMITS, label)
        value = parse_json(raw.removeprefix(b"\xef\xbb\xbf"), label, None, LIMITS)
    except DataError as error:
        return None, list(error.findings)
    findings: list[Finding] = []
    try:
        validate(MetadataFile, value, Code.METADATA_VALUE, label, codes=_CODES)
    except DataError as error:
        if not isinstance(value, dict):
            return None, [replace(one, line=1) for one in error.findings]
        findings += error.findings
    usable = not findings
    links = [_check_link(value.get(key), key, system, label) for key in _ANSWERS]
    findings += filter(None, links)
    # The JSON reader gives no places, so the line of a finding is that of its key.
    lines = _lines(raw)
    keys = [re.split(r"[.\[]", one.path.removeprefix("$."))[0] for one in findings]
    placed = [replace(one, line=lines.get(k)) for one, k in zip(findings, keys, strict=True)]
    return (Metadata(system, value) if usable and not any(links) else None), placed


def _check_link(link: Any, key: str, system: str, label: str) -> Finding | None:
    """A link may be null, or the system's own file of that setting."""
    if not isinstance(link, str) or board_name(link) == f"{system}.jsonl":
        return None
    hint = f"Write {system}.jsonl, or null where there are no answers."
    why = f"{key} is '{escape(link)}', which is not this system's file"
    return Finding(Code.METADATA_VALUE, why, label, None, f"$.{key}", hint)


def check_names(known: Sequence[tuple[str, str, str]]) -> list[Finding]:
    """Warnings where two systems look alike: (system, display name, label of its file)."""
    # A system that looks like another by its own name and by its display name is told once.
    findings: dict[tuple[str, str], Finding] = {}
    first: dict[str, tuple[str, str]] = {}
    for system, name, label in known:
        for what, look in (("system", system), ("name", name)):
            # A name of signs alone is what it is.
            if not (bones := skeleton(look) or look.strip()):
                continue
            # The first of two look-alikes is left alone: the later one is told to choose another name.
            # A display name may also be what another system is called.
            other, other_look = first.setdefault(bones, (system, look))
            if other != system:
                why = f"the {what} '{escape(look)}' looks like '{escape(other_look)}' of {other}"
                hint = "Choose another, so that readers can tell them apart."
                findings.setdefault(
                    (system, other),
                    Finding(Code.BAD_NAME, why, label, hint=hint, level="warning"),
                )
    return [*findings.values()]


def _lines(raw: bytes) -> dict[str, int]:
    """The line of each key, by the first place where it stands before a colon."""
    lines: dict[str, int] = {}
    for match in re.finditer(rb'"([A-Za-z_]{1,40})"\s*:', raw):
        lines.setdefault(match[1].decode(), raw.count(b"\n", 0, match.start()) + 1)
    return lines
