"""Judges that put each request to a language model in a prompt.

``spec`` makes them from a spec, ``judge`` is the judge, ``calls`` turns requests into prompts,
``quoting`` marks texts from outside as data, ``verdicts`` reads replies.
"""

from __future__ import annotations

from argue_bench.judges.prompted.judge import Prompted

__all__ = ["Prompted"]
