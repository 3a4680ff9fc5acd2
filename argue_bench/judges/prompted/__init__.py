"""Judges that ask a language model: prompts, what to believe of a reply, and how to keep texts in their place.

``spec`` makes them from words, ``judge`` is the judge, ``calls`` turns asks into requests, ``frame`` keeps
texts from outside what they are, ``verdicts`` reads replies.
"""

from __future__ import annotations

from argue_bench.judges.prompted.judge import Estimate, Prompted

__all__ = ["Estimate", "Prompted"]
