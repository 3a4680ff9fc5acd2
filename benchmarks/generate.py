"""Speed of generating: answers over a slow server, prompts for FanOutQA.

Run by ``python -m benchmarks generate``. The server (tests/models/server.py) answers after 100 ms over real
HTTP on loopback in a process of its own; with 64 requests at a time that allows 640 answers a second, and
the whole of ``generate`` runs: prompts, HTTP, post-processing, store, file. Prompts are written for 724
questions with the pages of their evidence (made up, 7 pages of 30,000 characters each, cached on disk),
10 passages each; pages are the same for some questions, as in FanOutQA.
"""

from __future__ import annotations

import asyncio
import itertools
import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from argue_bench.baselines.forms import Prompter, PromptOptions, load_form
from argue_bench.baselines.generating import Generator
from argue_bench.loaders.dataset import Dataset
from argue_bench.models.chat import Chat
from argue_bench.records import Evidence, Question
from benchmarks._options import options
from tests.models.server import ChatServer

DELAY_MS, AT_ONCE, ANSWERS = 100, 64, 12_000
QUESTIONS, PAGES, PAGE, DIFFERENT = 724, 7, 30_000, 4_000


def answers(folder: Path) -> float:
    """Answers a second."""
    server = subprocess.Popen(
        [sys.executable, "-m", "benchmarks.generate", "serve"],
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert server.stdout is not None
        url = server.stdout.readline().strip()
        questions = tuple(Question(f"q{n}", f"What is known of thing {n}?") for n in range(ANSWERS))
        dataset = Dataset("bench", "dev", questions)
        known = {"ARGUE_BENCH_BASE_URL": url, "ARGUE_BENCH_MAX_CONCURRENCY": str(AT_ONCE)}
        prompter = Prompter(dataset, "closedbook", load_form("alce-closedbook"))
        made = Generator(dataset, prompter, Chat("server", "m", known=known), folder / "a.jsonl")
        began = time.perf_counter()
        done = asyncio.run(made.run())
        assert done.answered == ANSWERS, done
        return ANSWERS / (time.perf_counter() - began)
    finally:
        server.terminate()
        server.wait()


def prompts(folder: Path) -> float:
    """Seconds for the prompts of all questions."""
    draw = random.Random(1)
    words = [f"w{n}" for n in range(30_000)]
    weights = list(itertools.accumulate(1 / (n + 1) for n in range(len(words))))
    cache = folder / "wikicache"  # as FanOutQA publishes its pages
    cache.mkdir(parents=True)
    pages = [Evidence(n, n + 1, f"Page {n}", "") for n in range(1, DIFFERENT + 1)]
    long = " ".join(draw.choices(words, cum_weights=weights, k=400_000))
    for page in pages:
        at = draw.randrange(len(long) - PAGE)
        (cache / f"{page.pageid}-dated.md").write_text(long[at : at + PAGE])
    questions = tuple(
        Question(
            f"q{n}",
            " ".join(draw.choices(words, cum_weights=weights, k=15)),
            evidence=tuple(draw.sample(pages, PAGES)),
        )
        for n in range(QUESTIONS)
    )
    os.environ["FANOUTQA_CACHE_DIR"] = os.environ["ARGUE_BENCH_CACHE"] = str(folder)
    prompter = Prompter(
        Dataset("fanoutqa", "test", questions),
        "evidenceprovided",
        load_form("fanoutqa"),
        PromptOptions(ndoc=10),
    )
    began = time.perf_counter()
    made = [prompter.prompt(question) for question in questions]
    took = time.perf_counter() - began
    assert all(len(one.documents) + one.left_out == 10 for one in made)
    return took


async def serve() -> None:
    """The server alone: a paragraph with citations for every prompt."""
    said = "The first thing is known [1]. The second is known as well [2][3]. No more is known."
    chat = ChatServer(delay=DELAY_MS / 1000, model=lambda body: said, keep=False)
    server = await chat.start()
    print(chat.url, flush=True)
    await server.serve_forever()


def main() -> None:
    """Prints a table."""
    parser = options(__doc__)
    parser.add_argument("part", nargs="?", choices=("serve",), help="the server alone")
    if parser.parse_args().part:
        asyncio.run(serve())
        return
    allowed = 1000 / DELAY_MS * AT_ONCE
    with tempfile.TemporaryDirectory() as name:
        rate = answers(Path(name))
        print(
            f"answers a second, {DELAY_MS} ms, {AT_ONCE} at once   {rate:8.0f}   "
            f"{100 * rate / allowed:.0f} % of the {allowed:.0f} that the server allows"
        )
    with tempfile.TemporaryDirectory() as name:
        took = prompts(Path(name))
        print(f"prompts for {QUESTIONS} questions, 10 passages each  {took:8.1f} s")


if __name__ == "__main__":
    main()
