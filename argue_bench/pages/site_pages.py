"""The writer of a site's pages: of a board only the rows that changed are rendered again.

With a thousand systems a board is built again in seconds after one result.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Callable, Mapping
from typing import Any

from argue_bench.pages.columns import score_cell
from argue_bench.view.render import SITE, Data, Pages, bare, digest, dump

_ROW = re.compile(r'<tr id="([a-z0-9-]+)".*?</tr>', re.DOTALL)


class SitePages(Pages):
    """A folder of a site's pages being written."""

    def render(self, template: str, **data: Any) -> str:
        return super().render(template, cell=score_cell, **data)

    def page(self, path: str, template: str, data: Data, stamp: str = "") -> None:
        """As `Pages.page`; a page that is kept keeps the notes on its rows."""
        super().page(path, template, data, stamp)
        if rows := self.before.get(f"{path}#rows"):
            self.now.setdefault(f"{path}#rows", rows)

    def kept_rows(self, path: str, stamps: Mapping[str, Any]) -> Mapping[str, Any]:
        """The rows of the earlier page at a path that were made from the same, by their ids.

        ``stamps`` says what every row is made from now, and is noted for the next build.
        """
        from markupsafe import Markup

        made = {id: digest([self.frame, dump(given)])[:32] for id, given in stamps.items()}
        earlier = dict(one.split(":") for one in self.before.get(f"{path}#rows", "").split())
        self.now[f"{path}#rows"] = " ".join(f"{id}:{key}" for id, key in made.items())
        # A row whose data, texts and templates are the same is taken from the page that is there.
        same = {id for id, key in made.items() if earlier.get(id) == key}
        if not same or not (self.out / path).is_file():
            return {}
        found = _ROW.finditer((self.out / path).read_text("utf-8"))
        return {row[1]: Markup(row[0]) for row in found if row[1] in same}

    def addresses(self) -> list[str]:
        """The pages of this build that a reader may want to find; reports lie under their system."""
        hidden = ("view/", "404.html", "archive/")
        return [path for path in self.now if path.endswith(".html") and not path.startswith(hidden)]

    def derived(self, path: str, stamp: str, make: Callable[[], str]) -> None:
        """Writes a file that follows from data with this stamp alone; makes it only where it must."""
        key = digest([self.frame, path, stamp])
        if not self._is_current(path, key):
            self._write(path, make(), key)

    def own_style(self) -> dict[str, str]:
        """The style sheet for a page that does not know where it lies, with what its policy must allow."""
        style = bare((SITE / "static" / "site.css").read_text("utf-8"))
        digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
        return {"style": style, "allowed": f" 'sha256-{digest}'"}

    def keep_folder(self, folder: str, key: str) -> bool:
        """Keeps all pages under a folder where they were made from the same; whether it could."""
        there = {path: made for path, made in self.before.items() if path.startswith(folder)}
        complete = all(path.endswith("#") or (self.out / path).is_file() for path in there)
        if not complete or there.get(f"{folder}#") != digest([self.making, key]):
            return False
        self.now.update(there)
        self.unchanged += len(there) - 1
        return True

    def note_folder(self, folder: str, key: str) -> None:
        """Records the input of the pages under a folder."""
        self.now[f"{folder}#"] = digest([self.making, key])
