"""Chat models of providers, from the request to the text of its reply.

client      `Chat`: sends requests, retries, stops; reserves budget before every call
dialects    what a provider's API wants and gives: OpenAI's, Azure's, Anthropic's
connection  one HTTP call, bounded in time and size
patience    when a call is tried again, and when a run is given up
pace        requests and tokens a minute
"""

from argue_bench.models.chat.client import Chat, Decoding

__all__ = ["Chat", "Decoding"]
