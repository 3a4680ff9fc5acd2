"""Options of the scripts: each says by ``--help`` what it measures, and does nothing else then."""

from __future__ import annotations

import argparse
import sys


def options(doc: str | None) -> argparse.ArgumentParser:
    """The parser of the script that is running, with its docstring as the help."""
    spec = sys.modules["__main__"].__spec__
    name = spec.name.removesuffix(".__main__") if spec else "benchmarks"
    shape = argparse.RawDescriptionHelpFormatter
    return argparse.ArgumentParser(f"python -m {name}", description=doc, formatter_class=shape)
