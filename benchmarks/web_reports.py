"""Reports that cite the web: how fast they are read, how often the chosen passages hold what supports.

    reading    MB of report text a second, and CPU time as a multiple of one plain regex pass
    passages   labelled claims of whose supporting text most is among the passages that BM25 chooses of a long page

Exits 1 where reading costs more than 25 regex passes, or the passages hold it for fewer than 90 %.
The real reports and the labels of people (WiCE, Kamoi et al. 2023) are read from the shared material.
"""

from __future__ import annotations

import json
import random
import re
import sys
import time
from collections.abc import Callable

from argue_bench.judges.recorded import read_labels
from argue_bench.records import Contexts, Entails
from argue_bench.web.snapshot import WebPage
from argue_bench.web.text import read_web_report
from benchmarks._options import options
from benchmarks._table import Line, at_least, at_most, show
from tests.shared import SHARED

PLAIN = re.compile(r"\[\d+\]|https?://\S+|[.!?]\s")
MOST_PASSES, LEAST_RECALL = 25.0, 0.9
PAGE = 100_000


def seconds(work: object, times: int = 5) -> float:
    """The least CPU time of several runs."""
    found = []
    for _ in range(times):
        start = time.process_time()
        work()  # type: ignore[operator]
        found.append(time.process_time() - start)
    return min(found)


def reading() -> Line:
    """How fast reports are read."""
    path = SHARED / "vectors" / "web_reports" / "reports.jsonl"
    texts = [json.loads(line)["article"] for line in path.read_text(encoding="utf-8").splitlines()]
    size = sum(len(text.encode()) for text in texts) / 1e6
    ours = seconds(lambda: [read_web_report(text) for text in texts])
    plain = seconds(lambda: [PLAIN.findall(text) for text in texts])
    print(f"reading: {size / ours:.1f} MB/s")
    return at_most("web reports read, times a regex pass", ours / plain, MOST_PASSES, "x")


def of_one(parts: list[str], claim: str, most: int) -> str:
    """What a judge reads of one long page."""
    return WebPage("page", "\n\n".join(parts), passages=most).evidence(claim).text


def of_five(parts: list[str], claim: str, most: int) -> str:
    """What a judge reads of five pages that were provided together."""
    pages = [
        WebPage(f"page{n}", "\n\n".join(parts[n::5]), passages=most)
        for n in range(min(5, len(parts)))
    ]
    return "\n".join(source.text for source in Contexts(pages).read_for(claim))


def passages(name: str, chosen: Callable[[list[str], str, int], str]) -> Line:
    """How often the chosen passages of long pages hold the text that supports a claim."""
    asked = [
        label.request
        for label in read_labels(SHARED / "data" / "labels" / "wice-dev" / "labels.jsonl")
        if isinstance(label.request, Entails) and label.verdict.yes
    ]
    texts = list(dict.fromkeys(one.text for request in asked for one in request.premise))
    draw = random.Random(22)
    shares = {}
    for most in (4, 8, 16):
        held = 0
        for request in asked:
            own = [one.text for one in request.premise]
            parts: list[str] = []
            for text in draw.sample(texts, len(texts)):
                if sum(map(len, parts)) > PAGE:
                    break
                parts += [text] if text not in own else []
            for text in own:
                parts.insert(draw.randrange(len(parts) + 1), text)
            read = chosen(parts, request.hypothesis, most)
            pieces = [
                piece
                for text in own
                for piece in re.split(r"(?<=[.!?])\s+", text)
                if len(piece) > 20
            ]
            held += 2 * sum(piece in read for piece in pieces) >= len(pieces)
        shares[most] = recall = held / len(asked)
        print(
            f"passages: {most:2} of {name}, {PAGE:,} characters, hold most of the labelled text for "
            f"{recall:.1%} of {len(asked):,} claims"
        )
    what = f"support among 8 passages of {name}"
    return at_least(what, 100 * shares[8], 100 * LEAST_RECALL, "%")


def main() -> int:
    """1 where a limit is missed."""
    options(__doc__).parse_args()
    if not SHARED.is_dir():
        print(f"left out: {SHARED} is not here")
        return 0
    lines = [reading(), passages("a page", of_one), passages("five pages together", of_five)]
    return show(lines)


if __name__ == "__main__":
    sys.exit(main())
