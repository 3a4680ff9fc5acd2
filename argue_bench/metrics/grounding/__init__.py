"""Grounding: answers that stay on their documents, and refuse where these hold no answer."""
