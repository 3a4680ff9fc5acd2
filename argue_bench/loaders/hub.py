"""Rows of published data sets, and Parquet files, through Hugging Face's `datasets` (extra [hf])."""

from __future__ import annotations

from typing import Any

from argue_bench.errors import Code, DataError, MissingExtra


def hub_rows(*words: str, hint: str, **options: str) -> Any:
    """What ``datasets.load_dataset`` gives for these words and options.

    Every way in which it fails is a DataError with the hint. Raises MissingExtra.
    """
    try:
        import datasets
    except ImportError:
        raise MissingExtra("reading Parquet files and the hub", "hf") from None
    try:
        return datasets.load_dataset(*words, **options)
    except Exception as error:  # datasets, pyarrow and the hub's client raise of every kind
        place = options.get("data_files", f"https://huggingface.co/datasets/{words[0]}")
        reason = f"{type(error).__name__}: {str(error).partition(chr(10))[0]:.200}"
        message = f"the rows can't be read: {reason}"
        raise DataError.of(Code.NOT_FETCHED, message, place, hint=hint) from None
