"""FanOutQA's normal form of a text under its own name."""

from argue_bench.published.fanoutqa.accuracy import normal


def normalize(text: object) -> str:
    """A text as FanOutQA's accuracy compares it (see `argue_bench.published.fanoutqa.accuracy`).

    Raises MissingExtra where spaCy or its model is not installed.
    """
    return normal(text)
