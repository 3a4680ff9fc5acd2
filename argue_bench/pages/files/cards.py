"""A board as a picture of 1200 x 630 points, which other sites show beside a link to it.

Pillow draws it with the shipped font (extra ``[cards]``), in the same bytes on every machine with the
same Pillow. A name in letters that the font lacks is replaced by the system's short name.
"""

from __future__ import annotations

import io
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from argue_bench.errors import MissingExtra
from argue_bench.pages.columns import format_score

SIZE = (1200, 630)
ROWS = 6
PAPER, INK, SOFT, LINE, ACCENT, BAR = (
    "#fcfcfa",
    "#1b1f23",
    "#5a6169",
    "#e2e2dc",
    "#0b6b62",
    "#b5d8d2",
)
Json = Mapping[str, Any]


def can_draw() -> bool:
    """Whether Pillow is there."""
    try:
        _modules()
    except MissingExtra:
        return False
    return True


def card_input(board: Json, setting: str, sentence: str) -> dict[str, Any]:
    """All data of a board's picture; its bytes depend on nothing else."""
    column = next((c for c in board["columns"] if c["ranked"]), None)
    section = next(iter(board["sections"]), None)
    rows = []
    for row in section["rows"] if section and column else ():
        score = row["scores"].get(column["key"]) if column else None
        if score and score["value"] is not None:
            kept = {part: score[part] for part in ("value", "low", "high")}
            rows.append({"name": row["name"], "system": row["system"], **kept})
    unit = column["unit"] if column else "share"
    about = {"title": board["title"], "setting": setting, "sentence": sentence, "unit": unit}
    return {**about, "rows": rows[:ROWS]}


def draw_card(given: Json) -> bytes:
    """The picture as PNG. Raises MissingExtra."""
    image, draw_module = _modules()[:2]
    picture = image.new("RGB", SIZE, PAPER)
    draw = draw_module.Draw(picture)
    draw.rectangle((0, 0, SIZE[0], 14), fill=ACCENT)
    title = f"{_printable(given['title'], 'Leaderboard')}: {given['setting']}"
    draw.text((60, 52), _fit(draw, title, 50, 1080), INK, font=_font(50))
    lines = _wrapped(draw, _printable(given["sentence"], ""), 28, 1080)[:2]
    for place, line in enumerate(lines):
        draw.text((60, 124 + 38 * place), line, SOFT, font=_font(28))
    top = 230 if len(lines) > 1 else 206
    for place, row in enumerate(given["rows"]):
        y = top + 62 * place
        name = _printable(row["name"], row["system"])
        draw.text((60, y), _fit(draw, name, 28, 430), INK, font=_font(28))
        draw.text(
            (620, y), format_score(row["value"], given["unit"]), INK, font=_font(28), anchor="ra"
        )
        if given["unit"] == "share" and 0 <= row["value"] <= 1:
            draw.line((660, y + 17, 1140, y + 17), LINE, 2)
            if row["low"] is not None and row["high"] is not None:
                ends = [660 + 480 * min(max(row[part], 0), 1) for part in ("low", "high")]
                draw.rounded_rectangle((ends[0], y + 9, ends[1], y + 25), 8, fill=BAR)
            at = 660 + 480 * row["value"]
            draw.ellipse((at - 9, y + 8, at + 9, y + 26), fill=ACCENT, outline=PAPER, width=2)
    draw.text((1140, 604), "argue-bench", SOFT, font=_font(22), anchor="rs")
    out = io.BytesIO()
    picture.quantize(32).save(out, "PNG", optimize=False, compress_level=9)
    return out.getvalue()


def _fit(draw: Any, words: str, size: int, width: int) -> str:
    """The words, cut so that they are no wider."""
    cut = words
    while cut and draw.textlength(cut, font=_font(size)) > width:
        cut = cut[:-2].rstrip() + "…" if len(cut) > 2 else ""
    return cut


def _wrapped(draw: Any, words: str, size: int, width: int) -> list[str]:
    lines = [""]
    for word in words.split():
        longer = f"{lines[-1]} {word}".strip()
        if draw.textlength(longer, font=_font(size)) <= width:
            lines[-1] = longer
        else:
            lines.append(_fit(draw, word, size, width))
    return lines


@cache
def _letters() -> frozenset[str]:
    """The characters that the font draws otherwise than one that it lacks."""
    font = _font(20)
    lacking = bytes(font.getmask("\U000e0041"))
    known = range(0x20, 0x2300)
    return frozenset(chr(c) for c in known if c == 0x20 or bytes(font.getmask(chr(c))) != lacking)


def _printable(words: str, otherwise: str) -> str:
    return words if set(words) - {"\u00a0"} <= _letters() else otherwise


@cache
def _font(size: int) -> Any:
    path = files("argue_bench") / "data" / "fonts" / "DejaVuSans.ttf"
    # Without Raqm, which some machines have and others not, letters stand at the same places.
    module = _modules()[2]
    return module.truetype(str(path), size, layout_engine=module.Layout.BASIC)


def _modules() -> tuple[Any, Any, Any]:
    try:
        from PIL import Image, ImageDraw, ImageFont
    except ImportError:
        raise MissingExtra("pictures of boards", "cards") from None
    return Image, ImageDraw, ImageFont
