"""Bytes, and processor time, that a verdict store takes for a verdict: added, found again, merged.

Run by ``python -m benchmarks stores``. The requests are those that argue and citations make of a
baseline's answers to core's dev split. Each verdict has the request that is sent for it to a chat model, and
a reply as OpenAI's servers word it, with an id, a time and counts of its own. Verdicts are added 1,024 at a
time, as the judge's wrapper does; each is committed. The script exits 1 where a limit is missed in the best
of its rounds: other work on the machine slows each of them by chance.
"""

from __future__ import annotations

import json
import random
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from argue_bench.judges.prompted.calls import Asking, calls_of
from argue_bench.judges.prompted.prompts import our_prompts
from argue_bench.models.chat import Chat
from argue_bench.records import JudgeRequest, Verdict
from argue_bench.store import Author, Store
from argue_bench.store.file import merge_stores
from benchmarks._options import options
from benchmarks._table import Line, at_most, show
from benchmarks.prefixes import requests_on_dev

COUNT, AT_ONCE, ROUNDS = 8_192, 1_024, 3
MOST_BYTES = 1000
MOST_PLAIN, MOST_WITH_REPLY, MOST_MERGED = 100.0, 400.0, 30.0
"""Microseconds of processor time a verdict."""
JUDGE = Author.of("openai/gpt-4o-mini", {"model": "gpt-4o-mini", "temperature": "0"})

Row = tuple[JudgeRequest, Verdict]


def _reply(chance: random.Random, content: str, tokens_in: int) -> str:
    """A reply as OpenAI's servers word it."""
    token = "".join(chance.choices("ABCDEFabcdefghijklmnopqrstuvwxyz0123456789", k=29))
    tokens_out = len(content) // 3
    usage = {
        "prompt_tokens": tokens_in,
        "completion_tokens": tokens_out,
        "total_tokens": tokens_in + tokens_out,
        "prompt_tokens_details": {"cached_tokens": 0, "audio_tokens": 0},
        "completion_tokens_details": {
            "reasoning_tokens": 0,
            "audio_tokens": 0,
            "accepted_prediction_tokens": 0,
            "rejected_prediction_tokens": 0,
        },
    }
    message: dict[str, Any] = {
        "role": "assistant",
        "content": content,
        "refusal": None,
        "annotations": [],
    }
    choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": "stop"}
    whole = {
        "id": f"chatcmpl-{token}",
        "object": "chat.completion",
        "created": 1_760_000_000 + chance.randrange(10**6),
        "model": "gpt-4o-mini-2024-07-18",
        "choices": [choice],
        "usage": usage,
        "service_tier": "default",
        "system_fingerprint": "fp_" + f"{chance.randrange(16**10):010x}",
    }
    return json.dumps(whole, indent=2)


def _rows(requests: Sequence[JudgeRequest]) -> Iterator[Row]:
    """A verdict for each request, with what was sent and what came back."""
    chance = random.Random(1)
    known = {"OPENAI_API_KEY": "k", "OPENAI_BASE_URL": "http://localhost/v1"}
    chat = Chat("openai", "gpt-4o-mini", known=known)
    asking = Asking(our_prompts(), b"a secret", keyed=False)
    for call in calls_of(requests, asking):
        (request,) = call.requests
        sent = json.dumps(dict(chat.wording(call.prompt(asking).sent)), ensure_ascii=False)
        word = chance.choice(("yes", "no"))
        reply = _reply(chance, json.dumps({"verdict": word}), len(sent) // 4)
        assert request.key  # the wrapper looks a verdict up by it before it has one to add
        yield request, Verdict(word, "", sent, reply)


def _added(path: Path, rows: Sequence[Row]) -> None:
    with Store(path) as store:
        for start in range(0, len(rows), AT_ONCE):
            store.add_all(JUDGE, rows[start : start + AT_ONCE])


def _found(path: Path, rows: Sequence[Row]) -> None:
    with Store(path) as store:
        for start in range(0, len(rows), AT_ONCE):
            found = store.find(JUDGE, [row[0] for row in rows[start : start + AT_ONCE]])
            assert len(found) == len(rows[start : start + AT_ONCE])


def _microseconds(work: Callable[[], object], count: int) -> float:
    began = time.process_time()
    work()
    return (time.process_time() - began) / count * 1e6


def _round(folder: Path, kept: Sequence[Row], plain: Sequence[Row]) -> dict[str, float]:
    """Microseconds a verdict, by what is done."""
    count, half = len(kept), len(kept) // 2
    parts = [folder / "first", folder / "second"]
    for part, rows in zip(parts, (kept[:half], kept[half:]), strict=True):
        _added(part, rows)
    took = {
        "added, without a reply": _microseconds(lambda: _added(folder / "plain", plain), count),
        "added, with its reply": _microseconds(lambda: _added(folder / "kept", kept), count),
        "found again": _microseconds(lambda: _found(folder / "kept", kept), count),
        "merged": _microseconds(lambda: merge_stores(folder / "merged", parts), count),
    }
    with Store(folder / "merged", write=False) as merged:
        assert len(merged) == count
    return took


def main() -> int:
    """1 where a limit is missed."""
    options(__doc__).parse_args()
    kept = list(_rows(list(dict.fromkeys(requests_on_dev()))[:COUNT]))
    plain = [(request, Verdict(verdict.value)) for request, verdict in kept]
    best: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as folder:
        for number in range(ROUNDS):
            place = Path(folder) / str(number)
            place.mkdir()
            for name, took in _round(place, kept, plain).items():
                best[name] = min(took, best.get(name, took))
        each = (Path(folder) / "0" / "kept").stat().st_size / len(kept)
    most = {
        "added, without a reply": MOST_PLAIN,
        "added, with its reply": MOST_WITH_REPLY,
        "merged": MOST_MERGED,
    }
    raw = sum(len(verdict.prompt) + len(verdict.reply) for _, verdict in kept) / len(kept)
    print(f"{len(kept):,} verdicts; prompt and reply have {raw:,.0f} characters on average")
    unit = "\N{MICRO SIGN}s"
    lines = [at_most(f"verdict {name}", best[name], limit, unit) for name, limit in most.items()]
    found = Line("verdict found again", f"{best['found again']:.1f} {unit}")
    return show([at_most("verdict in a store", each, MOST_BYTES, "bytes", digits=0), *lines, found])


if __name__ == "__main__":
    sys.exit(main())
