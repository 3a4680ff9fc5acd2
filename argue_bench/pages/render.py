"""How does data become files? Templates that always escape, and a writer that leaves alone what is
already right: a page is rendered again only if its data, its template or the strings changed.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from importlib.resources import files
from pathlib import Path
from typing import Any

from argue_bench import __version__
from argue_bench.errors import Code, DataError, UsageError
from argue_bench.pages import safe
from argue_bench.pages.columns import format_score
from argue_bench.records.atomic import atomic_write
from argue_bench.records.untrusted import GOLD_LIMITS, read_json

MARK = ".argue-bench-site.json"
"""Which pages stand here and what they were made from; also the sign that the folder is ours."""


SCHEMA_END = ".schema.json"
Made = Callable[[], Mapping[str, Any]]


class Strings:
    """All words of the interface, by key. ``t("board.n", n=3)`` fills what stands in braces."""

    def __init__(self, language: str = "en") -> None:
        self.text = (files("argue_bench.site_files") / f"strings.{language}.json").read_text(
            "utf-8"
        )
        self.words: Mapping[str, str] = json.loads(self.text)

    def __call__(self, key: str, /, **values: Any) -> str:
        return self.words[key].format(**values) if values else self.words[key]

    def get(self, key: str, default: str) -> str:
        return self.words.get(key, default)


@dataclass
class Pages:
    """A folder of pages being written."""

    out: Path
    t: Strings = field(default_factory=Strings)
    written: int = 0
    kept: int = 0
    _now: dict[str, str] = field(default_factory=dict)

    @cached_property
    def _before(self) -> dict[str, str]:
        with suppress(DataError):
            found = read_json(self.out / MARK, GOLD_LIMITS)
            if isinstance(found, dict):
                return {str(k): str(v) for k, v in found.items()}
        return {}

    def check_place(self) -> None:
        """Raises UsageError where the folder holds something that is not such a site."""
        if self.out.is_dir() and any(self.out.iterdir()) and not (self.out / MARK).is_file():
            raise UsageError(
                f"{self.out} holds files that are not of a site made here; name another folder"
            )
        if self.out.exists() and not self.out.is_dir():
            raise UsageError(f"{self.out} is a file; name a folder")
        if not (self.out / MARK).is_file():
            with atomic_write(self.out / MARK) as file:
                file.write("{}\n")

    @cached_property
    def environment(self) -> Any:
        from jinja2 import Environment, FunctionLoader, StrictUndefined

        made = Environment(
            loader=FunctionLoader(_template),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
            keep_trailing_newline=True,
        )
        made.policies["json.dumps_kwargs"] = {"sort_keys": False}
        made.globals.update(t=self.t, version=__version__, asset=self.assets)
        made.filters.update(score=format_score, host=safe.host, whole=_whole)
        return made

    @cached_property
    def assets(self) -> Mapping[str, str]:
        """Static file to its name with a digest, so that caches never show an old one."""
        names = {}
        for item in sorted((files("argue_bench.site_files") / "static").iterdir(), key=str):
            if item.is_file():
                stem, _, end = item.name.rpartition(".")
                names[item.name] = (
                    f"{stem}.{hashlib.sha256(item.read_bytes()).hexdigest()[:8]}.{end}"
                )
        return names

    @cached_property
    def _making(self) -> str:
        """A digest of all that moves a page besides its data."""
        parts = [__version__, self.t.text, json.dumps(self.assets, sort_keys=True)]
        folder = files("argue_bench.site_files") / "templates"
        parts += [item.read_text("utf-8") for item in sorted(folder.iterdir(), key=str)]
        for source in sorted(Path(__file__).parent.rglob("*.py")):
            parts.append(source.read_text("utf-8"))
        return hashlib.sha256("\0".join(parts).encode()).hexdigest()

    def page(
        self, path: str, template: str, data: Mapping[str, Any] | Made, stamp: str = ""
    ) -> None:
        """Renders a template to a file, unless that would make what stands there already.

        ``data`` may be a function that makes it, called only where it must be; ``stamp`` then says
        what it is made from.
        """
        if not callable(data):
            stamp += _plain(data)
        key = _digest([self._making, path, template, stamp])
        if self._stands(path, key):
            return
        root = "../" * path.count("/")
        made = data() if callable(data) else data
        html = self.environment.get_template(template).render(
            **{"root": root, "path": path, **made}
        )
        self._write(path, html, key)

    def file(self, path: str, text: str) -> str:
        """Writes a file that was made elsewhere; returns a digest of it."""
        key = hashlib.sha256(text.encode()).hexdigest()
        if not self._stands(path, key):
            self._write(path, text, key)
        return key

    def data(self, path: str, value: Any) -> str:
        """Writes a JSON file without blanks; returns a digest of it."""
        return self.file(path, dump(value) + "\n")

    def static(self) -> None:
        """Copies the static files under their digested names; schemas beside the data."""
        folder = files("argue_bench.site_files") / "static"
        for name, digested in self.assets.items():
            if name.endswith(SCHEMA_END):
                self.file(f"data/v1/schema/{name}", (folder / name).read_text("utf-8"))
            else:
                self.file(f"assets/{digested}", _lean((folder / name).read_text("utf-8")))

    def keep_folder(self, folder: str, key: str) -> bool:
        """Keeps all pages under a folder where they were made from the same; whether it could."""
        if self._before.get(f"{folder}#") != self._made_of(key):
            return False
        there = {path: made for path, made in self._before.items() if path.startswith(folder)}
        if not all(path.endswith("#") or (self.out / path).is_file() for path in there):
            return False
        self._now.update(there)
        self.kept += len(there) - 1
        return True

    def note_folder(self, folder: str, key: str) -> None:
        """Notes what the pages under a folder were made from."""
        self._now[f"{folder}#"] = self._made_of(key)

    def _made_of(self, key: str) -> str:
        return _digest([self._making, key])

    def close(self) -> None:
        """Takes away pages of an earlier build that are none any more, and notes what stands."""
        for path in self._before.keys() - self._now.keys():
            with suppress(OSError):
                (self.out / path).unlink()
        with atomic_write(self.out / MARK) as file:
            file.write(json.dumps(self._now, sort_keys=True, indent=0) + "\n")

    def _stands(self, path: str, key: str) -> bool:
        self._now[path] = key
        if self._before.get(path) == key and (self.out / path).is_file():
            self.kept += 1
            return True
        return False

    def _write(self, path: str, text: str, key: str) -> None:
        inside = Path(path)
        if inside.is_absolute() or ".." in inside.parts:
            raise DataError.of(Code.PAGE_PATH, f"{path!r} leads out of the site", self.out)
        with atomic_write(self.out / inside) as file:
            file.write(text)
        self.written += 1


def _lean(text: str) -> str:
    """A script or style sheet without what only its editors need: indentation, comments on lines."""
    bare = re.sub(r"^ */\*.*?\*/\n", "", text, flags=re.MULTILINE | re.DOTALL)
    return "".join(line.lstrip(" ") for line in bare.splitlines(keepends=True))


def dump(value: Any) -> str:
    """JSON in the order in which the contract says it, which is the same every time."""
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def _digest(parts: Iterable[str]) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def _plain(data: Mapping[str, Any]) -> str:
    return json.dumps(data, sort_keys=True, default=str)


def _template(name: str) -> str | None:
    source = files("argue_bench.site_files") / "templates" / name
    return source.read_text("utf-8") if source.is_file() else None


def _whole(value: float | int) -> str:
    return f"{value:,.0f}" if float(value).is_integer() else f"{value:,.2f}"
