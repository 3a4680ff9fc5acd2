"""Reports that cite the web: printed citation marks, reference lists, and what each mark supports."""

from __future__ import annotations

from argue_bench.text.web.addresses import identity_key
from argue_bench.text.web.marks import WebMark
from argue_bench.text.web.reading import WebReport, read_web_report, statements_of
from argue_bench.text.web.references import Reference

__all__ = ["Reference", "WebMark", "WebReport", "identity_key", "read_web_report", "statements_of"]
