"""The share of prompt tokens that a server's prefix cache can reuse, over 6,000 prompts on core's dev split.

Run by ``python -m benchmarks prefixes``. A cache as vLLM's holds blocks of 16 tokens, each known by all
that stands before it in the prompt; here it is endless, and prompts come in the order in which a run
sends them. Tokens are counted by cl100k where ``bpe-openai`` or ``tiktoken`` is installed, else taken
for words of up to four characters.
"""

from __future__ import annotations

import re
import sys
from collections.abc import AsyncIterator, Callable, Sequence

from argue_bench import load_dev
from argue_bench.baselines import generate
from argue_bench.eval import evaluate
from argue_bench.judges.base import Reply
from argue_bench.judges.lexical import Lexical
from argue_bench.judges.prompted.calls import Asking, CallMode, calls_of
from argue_bench.judges.prompted.prompts import our_prompts
from argue_bench.records import JudgeRequest
from benchmarks._options import options
from benchmarks._table import at_least, show

PROMPTS = 6_000
BLOCK = 16
LEAST = 0.88


class _Listening(Lexical):
    """The lexical judge, which notes what it was asked, in batches as a chat model gets them."""

    batch, reads_context = 40, True

    def __init__(self) -> None:
        super().__init__()
        self.heard: list[JudgeRequest] = []

    async def judge(self, requests: Sequence[JudgeRequest]) -> AsyncIterator[Reply]:
        self.heard += requests
        async for reply in super().judge(requests):
            yield reply


def _tokenizer() -> tuple[str, Callable[[str], Sequence[object]]]:
    try:
        import bpe_openai as tokens
    except ImportError:
        try:
            import tiktoken as tokens
        except ImportError:
            return "words of up to four characters", re.compile(r" ?\w{1,4}|\W").findall
    encoding = tokens.get_encoding("cl100k_base")
    return "cl100k", lambda text: list(encoding.encode(text))


def _reusable(
    prompts: Sequence[str], tokens: Callable[[str], Sequence[object]]
) -> tuple[float, float]:
    """The share of tokens in blocks that were seen before, and tokens in a prompt on average."""
    seen: set[int] = set()
    known = total = 0
    for prompt in prompts:
        found = tuple(tokens(prompt))
        total += len(found)
        chain = 0
        for start in range(0, len(found) - BLOCK + 1, BLOCK):
            chain = hash((chain, found[start : start + BLOCK]))
            known += BLOCK * (chain in seen)
            seen.add(chain)
    return known / total, total / len(prompts)


def requests_on_dev() -> list[JudgeRequest]:
    """What argue and citations ask of a baseline's answers to core's dev split, in their order."""
    dev, judge = load_dev(), _Listening()
    answers = list(generate("bm25-extractive", dev, "openbook"))
    evaluate(dev, answers, ["argue", "citations"], judge=judge)
    return judge.heard


def main() -> int:
    """1 where the limit is missed."""
    options(__doc__).parse_args()
    heard = requests_on_dev()
    name, tokens = _tokenizer()
    print(f"{PROMPTS:,} prompts, blocks of {BLOCK} tokens ({name}):")
    print(f"{'':20}{'reusable':>10}{'tokens each':>14}")
    shares = {}
    modes: tuple[CallMode, ...] = ("single", "batched")
    for mode in modes:
        asking = Asking(our_prompts(), b"a secret", mode)
        sent = [call.prompt(asking).sent for call in calls_of(heard, asking)][:PROMPTS]
        prompts = ["\n".join(message.text for message in one.messages) for one in sent]
        share, mean = _reusable(prompts, tokens)
        print(f"asking={mode:13}{share:10.1%}{mean:14.0f}")
        shares[mode] = share
    what = "prompt tokens that a prefix cache has"
    return show([at_least(what, 100 * shares["single"], 100 * LEAST, "%")])


if __name__ == "__main__":
    sys.exit(main())
