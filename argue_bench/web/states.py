"""The state of a fetched address, and the effect of each state on scores.

    read            2xx and at least 200 characters of text (80 of Chinese, Japanese or Korean)
    empty           2xx without such a text, or a page that says that nothing is there
    paywalled       401, 402, or a text that ends at a login or subscription
    blocked         403, 405, 429, 451 and other refusals, a challenge for browsers, robots.txt
    gone            404 or 410
    never_archived  404 or 410, and an archive answers that it never had the page
    unreachable     no such host, TLS, time out, 5xx, endless redirects
    unsupported     a type or size that is not read
    not_looked_up   no snapshot holds it, the archive failed, or the rules forbid to ask

A citation of a page that is gone, or that never was in an archive, is not supported: a reader cannot
check it. The other pages without text are left out of shares, and counted.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Literal, get_args

from argue_bench.records.question import State

STATES: tuple[State, ...] = get_args(State)
EFFECTS: Mapping[State, str] = {
    "read": "judged",
    "empty": "left out",
    "paywalled": "left out",
    "blocked": "left out",
    "gone": "judged on its copy, unsupported without one",
    "never_archived": "unsupported",
    "unreachable": "left out; another day may differ (--retry)",
    "unsupported": "left out",
    "not_looked_up": "left out",
}
"""What becomes of a citation of an address in each state."""
# A banner or an error page has less; a Chinese character says as much as two or three letters.
ENOUGH, ENOUGH_IDEOGRAPHS = 200, 80
_IDEOGRAPH = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]")
_BY_STATUS: dict[int, State] = {
    401: "paywalled",
    402: "paywalled",
    404: "gone",
    408: "unreachable",
    410: "gone",
}
# Compiled by the first search: few who import this module read a page.
_NOT_THERE = (
    r"\b404\b|\bpage (?:was |could )?not (?:be )?found\b|\bnot found\b|no longer (?:exists|available)"
    r"|页面不存在|找不到.{0,6}页面|無法找到|ページが見つかりません"
)
_CHALLENGE = (
    r"just a moment|attention required|checking your browser|verify(?:ing)? (?:that )?you are (?:a )?human"
    r"|enable javascript and cookies|are you a robot|access denied|unusual traffic|captcha|安全验证"
)
_WALL = (
    r"(?:subscribe|log ?in|sign ?in|register|create an? (?:free )?account)[^.!?]{0,40}"
    r"\b(?:to|and) (?:continue|keep|read|unlock|access|view)"
    r"|already (?:a subscriber|have an account)|to continue reading|subscribers? only"
    r"|登录后(?:查看|阅读|继续)|订阅后|购买后阅读|会员专享"
)
_SHORT = 1_500
"""A page that says that it is missing, or asks for a human, says little else."""


def state_of_status(status: int) -> State:
    """The state after a last reply with this HTTP status; "read" and "gone" are looked at further."""
    if 200 <= status < 300:
        return "read"
    if status in _BY_STATUS:
        return _BY_STATUS[status]
    return "blocked" if 400 <= status < 500 else "unreachable"


def _says(words: str, text: str) -> bool:
    return re.search(words, text, re.IGNORECASE) is not None


def state_of_text(title: str, text: str) -> State:
    """The state of a page with status 2xx, by its text."""
    short = len(text) < _SHORT
    if short and (_says(_CHALLENGE, title) or _says(_CHALLENGE, text[:400])):
        return "blocked"
    if short and (_says(_NOT_THERE, title) or _says(_NOT_THERE, text[:200])):
        return "empty"
    # A paywall stands where the text breaks off; earlier it is an advertisement.
    if _says(_WALL, text[-400:]):
        return "paywalled"
    ideographs = len(_IDEOGRAPH.findall(text[: 4 * ENOUGH]))
    enough = len(text) >= ENOUGH or ideographs >= ENOUGH_IDEOGRAPHS
    return "read" if enough else "empty"


ArchiveAnswer = Mapping[str, Any] | Literal["failed"] | None
"""What an archive says of an address: its closest copy, None for none, "failed" for no answer."""


def state_of_missing(answer: ArchiveAnswer) -> State:
    """The state of an address with 404 or 410, by what the archive says of it."""
    if answer == "failed":
        return "not_looked_up"
    copy = answer if isinstance(answer, Mapping) and answer.get("available") else {}
    # A copy of an error page is none.
    good = str(copy.get("status", "200"))[:1] in ("2", "3")
    return "gone" if good and isinstance(copy.get("url"), str) and copy["url"] else "never_archived"
