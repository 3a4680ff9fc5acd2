"""Data to files: templates that always escape, and a writer that leaves unchanged files alone.

A page is rendered again only if its data, its template, the texts or this code changed.
"""

from __future__ import annotations

import hashlib
import json
import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache, cached_property
from importlib.resources import files
from inspect import getfile
from pathlib import Path
from typing import Any, cast

from argue_bench.errors import Code, DataError, UsageError
from argue_bench.metrics.score_names import score_name
from argue_bench.records.atomic import refuse_links, write_json, write_text
from argue_bench.records.untrusted import GOLD_LIMITS, read_json
from argue_bench.version import __version__
from argue_bench.view import safe
from argue_bench.view.columns import format_score

# The names of pages: of the place in the set and of plain letters, and of the part of a long page.

# Sentences on one page of the sentence view.
SENTENCES = 150


def page_stems(ids: Sequence[str]) -> dict[str, str]:
    """Question id to the name of its pages, which tells the place in the set and the id."""
    return {id: f"{place:03d}-{page_slug(id)}" for place, id in enumerate(ids, 1)}


def page_slug(name: str) -> str:
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    # Ids may hold anything, also a slash or ..: only plain letters become the name of a file.
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:40] or "x"


def part_of(number: int) -> int:
    """On which page of the sentence view a sentence is, both counted from 1."""
    return max(0, number - 1) // SENTENCES + 1


def part_ending(part: int) -> str:
    """How the name of that page ends."""
    return f"-{part}" if part > 1 else ""


MARK = ".argue-bench-site.json"
"""The pages of a folder with a digest of the input of each; also the sign that the folder is ours."""
SITE = files("argue_bench.site_files")
Data = Mapping[str, Any] | Callable[[], Mapping[str, Any]]


class Strings:
    """All texts of the interface, by key. ``t("board.n", n=3)`` fills the braces of a text."""

    def __init__(self, language: str = "en") -> None:
        self.text = (SITE / f"strings.{language}.json").read_text("utf-8")
        self.words: Mapping[str, str] = json.loads(self.text)

    def __call__(self, key: str, /, **values: Any) -> str:
        return self.words[key].format(**values) if values else self.words[key]

    def get(self, key: str, default: str) -> str:
        return self.words.get(key, default)

    def part(self, start: str) -> dict[str, str]:
        """The texts whose keys begin with a prefix, by the rest of the key: for a script
        of the page."""
        return {k.removeprefix(start): v for k, v in self.words.items() if k.startswith(start)}


@cache
def _environment() -> Any:
    """The templates, each compiled once in a process."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    made = Environment(
        loader=FileSystemLoader(str(SITE / "templates")),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    made.policies["json.dumps_kwargs"] = {"sort_keys": False}
    made.globals.update(t=Strings(), version=__version__, asset=_assets())
    made.filters.update(score=format_score, host=safe.host)
    made.filters["whole"] = lambda n: f"{n:,.0f}" if float(n).is_integer() else f"{n:,.2f}"
    made.filters.update(unbroken=_unbroken, named=lambda key: score_name(key)[0] if key else "")
    made.filters["part"] = lambda number: part_ending(part_of(number))
    return made


@cache
def _assets() -> Mapping[str, str]:
    """Static file to its name with a digest, so that caches never show an old one."""
    names = {}
    for item in sorted((SITE / "static").iterdir(), key=str):
        if item.is_file():
            stem, _, ending = item.name.rpartition(".")
            digest = hashlib.sha256(item.read_bytes()).hexdigest()[:8]
            names[item.name] = f"{stem}.{digest}.{ending}"
    return names


@dataclass
class Pages:
    """A folder of pages being written."""

    out: Path
    t: Strings = field(default_factory=Strings)
    shell: Mapping[str, Any] = field(default_factory=dict)
    """What every page is given besides its own data."""
    written: int = 0
    unchanged: int = 0
    now: dict[str, str] = field(default_factory=dict)
    _framed: tuple[Any, str] = (None, "")

    @cached_property
    def before(self) -> dict[str, str]:
        with suppress(DataError):
            found = read_json(self.out / MARK, GOLD_LIMITS)
            if isinstance(found, dict):
                return {str(k): str(v) for k, v in found.items()}
        return {}

    def check_place(self) -> None:
        """Raises UsageError where the folder has files of something else: a build deletes old pages."""
        if self.out.exists() and not self.out.is_dir():
            raise UsageError(f"{self.out} is a file; name a folder")
        # The mark says that a build of ours made the folder, so that old pages in it may be deleted.
        if (self.out / MARK).is_file():
            return
        if self.out.is_dir() and any(self.out.iterdir()):
            raise UsageError(
                f"{self.out} holds files that are not of a site made here; name another folder"
            )
        write_text(self.out / MARK, "{}\n")

    @cached_property
    def making(self) -> str:
        """A digest of everything that changes a page, apart from its data."""
        templates = sorted((SITE / "templates").iterdir(), key=str)
        own = {Path(__file__).parent, Path(getfile(type(self))).parent}
        sources = sorted(path for folder in own for path in folder.rglob("*.py"))
        parts = [__version__, self.t.text, json.dumps(_assets(), sort_keys=True)]
        return digest([*parts, *(item.read_text("utf-8") for item in (*templates, *sources))])

    @property
    def frame(self) -> str:
        """A digest of what all pages of a site share."""
        if self._framed[0] is not self.shell:
            self._framed = (self.shell, digest([self.making, dump(self.shell)]))
        return self._framed[1]

    def render(self, template: str, **data: Any) -> str:
        return cast("str", _environment().get_template(template).render({**self.shell, **data}))

    def page(self, path: str, template: str, data: Data, stamp: str = "") -> None:
        """Renders a template to a file, unless the file was made from the same already.

        ``data`` may be a function that makes it, called only where it must be; ``stamp`` then says
        what the data is made from.
        """
        if not callable(data):
            stamp = json.dumps(data, sort_keys=True, default=str)
        key = digest([self.frame, path, template, stamp])
        if not self._is_current(path, key):
            made = data() if callable(data) else data
            about = {"root": "../" * path.count("/"), "path": path}
            self._write(path, self.render(template, **{**about, **made}), key)

    def file(self, path: str, text: str) -> str:
        """Writes a file that was made elsewhere; returns its digest."""
        key = hashlib.sha256(text.encode()).hexdigest()
        if not self._is_current(path, key):
            self._write(path, text, key)
        return key

    def data(self, path: str, value: Any) -> str:
        """Writes a JSON file without blanks; returns a digest of it."""
        return self.file(path, dump(value) + "\n")

    def static(self) -> None:
        """Copies the static files under their digested names; schemas beside the data."""
        for name, digested in _assets().items():
            item, path = SITE / "static" / name, f"assets/{digested}"
            if name.endswith(".schema.json"):
                self.file(f"data/v1/schema/{name}", item.read_text("utf-8"))
            elif name.endswith(".png"):
                self.now[path] = digested
                self._place(path).unlink(missing_ok=True)  # what lies there may be a link
                self._place(path).write_bytes(item.read_bytes())
            else:
                self.file(path, bare(item.read_text("utf-8")))

    def close(self) -> None:
        """Deletes pages of an earlier build that this one does not have, and notes what there is."""
        # What an earlier build wrote and this one did not is of a system or question that is gone.
        # The notes of the earlier build may come with a foreign folder: all are checked first.
        for place in [self._place(path) for path in self.before.keys() - self.now.keys()]:
            with suppress(OSError):
                place.unlink()
        write_json(self.out / MARK, self.now, indent=0, sort_keys=True)

    def _is_current(self, path: str, key: str) -> bool:
        self.now[path] = key
        if self.before.get(path) == key and (self.out / path).is_file():
            self.unchanged += 1
            return True
        return False

    def _write(self, path: str, text: str, key: str) -> None:
        write_text(self._place(path), text)
        self.written += 1

    def _place(self, path: str) -> Path:
        inside = Path(path)
        if inside.is_absolute() or ".." in inside.parts:
            raise DataError.of(Code.BAD_NAME, f"{path!r} leads out of the site", self.out)
        refuse_links(self.out, inside)
        return self.out / inside


def dump(value: Any) -> str:
    """Compact JSON in the order of the data, which is the same every time; what is no number is null.

    By pydantic's writer, which takes a third of the time: a site has megabytes of numbers.
    """
    from pydantic_core import to_json

    return to_json(value, inf_nan_mode="null").decode()


def digest(parts: Iterable[str]) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def bare(text: str) -> str:
    """A style sheet or script without indentation and comments on lines of their own."""
    bare = re.sub(r"^ */\*.*?\*/\n", "", text, flags=re.MULTILINE | re.DOTALL)
    return "".join(line.lstrip(" ") for line in bare.splitlines(keepends=True))


def _unbroken(text: str) -> Any:
    """A sentence whose days stay on one line each."""
    from markupsafe import Markup, escape

    return Markup(
        re.sub(r"\d{4}-\d\d-\d\d", r'<span class="unbroken">\g<0></span>', str(escape(text)))
    )
