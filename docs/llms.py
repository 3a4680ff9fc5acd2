"""Print llms.txt, the documentation's contents for language models (llmstxt.org), from mkdocs.yml.

usage: python docs/llms.py

Each page of the navigation is named with its Markdown, which docs/releases.sh puts beside the pages, and with the
paragraph that its reader sees first.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

DOCS = Path(__file__).parent


def lines(nav: list[dict[str, Any]]) -> Iterator[str]:
    for entry in nav:
        ((title, below),) = entry.items()
        if isinstance(below, str):
            yield f"- [{title}]({below}): {opening(DOCS / below)}"
        else:
            yield from ("", f"## {title}", "", *lines(below))


def opening(page: Path) -> str:
    """The first paragraph of a page on one line, its links as words."""
    text = re.sub(r"<!--.*?-->|^#[^\n]*$", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)
    parts = (part.strip() for part in text.split("\n\n"))
    first = next((one for one in parts if one[:1].isalpha() or re.match(r"`[^`]|\*\*|\[", one)), "")
    return re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", " ".join(first.split()))


if __name__ == "__main__":
    # BaseLoader reads a tag such as !ENV as what stands behind it, which is of no interest here.
    config = yaml.load((DOCS.parent / "mkdocs.yml").read_text(encoding="utf-8"), yaml.BaseLoader)
    print(f"# {config['site_name']}\n\n> {config.get('site_description', '')}\n")
    print("\n".join(lines(config.get("nav", []))))
