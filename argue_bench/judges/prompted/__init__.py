"""Judges that put each request to a language model in a prompt.

``spec`` makes them from a spec, ``judge`` is the judge, ``prompts`` has the templates and quotes texts from
outside as data, ``calls`` makes calls of requests, ``replies`` says how replies look and reads them.
"""

from __future__ import annotations

from argue_bench.judges.prompted.judge import Prompted

__all__ = ["Prompted"]
