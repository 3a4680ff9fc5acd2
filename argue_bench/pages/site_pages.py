"""The writer of a site's pages: besides pages, pictures of their data and folders that are kept as they are."""

from __future__ import annotations

import base64
import hashlib
from typing import Any

from argue_bench.pages.columns import score_cell
from argue_bench.view.render import SITE, Pages, bare, digest


class SitePages(Pages):
    """A folder of a site's pages being written."""

    def render(self, template: str, **data: Any) -> str:
        return super().render(template, cell=score_cell, **data)

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
