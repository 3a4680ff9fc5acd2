"""Writes the table of Chinese characters that are written in another form elsewhere, from Unicode's own list.

    python -m tools.han Unihan_Variants.txt

The file is of Unicode's Unihan database (unicode.org/Public/UCD). Of each traditional character that has one simplified
form, both are kept.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

TABLE = Path(__file__).parents[1] / "argue_bench" / "leaderboard" / "screening" / "han.json"
_ROW = re.compile(r"^U\+(\w+)\tkSimplifiedVariant\tU\+(\w+)$", re.MULTILINE)


def main() -> int:
    if len(sys.argv) != 2:
        print(__doc__)
        return 2
    rows = _ROW.findall(Path(sys.argv[1]).read_text(encoding="utf-8"))
    # Those of the block that people write; the others are of dictionaries.
    pairs = sorted((chr(int(one, 16)), chr(int(to, 16))) for one, to in rows if one != to)
    kept = [pair for pair in pairs if all("\u4e00" <= char <= "\u9fff" for char in pair)]
    value = {"traditional": "".join(a for a, _ in kept), "simplified": "".join(b for _, b in kept)}
    TABLE.write_text(json.dumps(value, ensure_ascii=False, indent=0) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
