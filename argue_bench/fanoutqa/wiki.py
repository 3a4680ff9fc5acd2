"""FanOutQA's doors to Wikipedia under their own names."""

from argue_bench.published.fanoutqa.wikipedia import wiki_content, wiki_search

__all__ = ["wiki_content", "wiki_search"]
