"""``python -m argue_bench`` is the command ``argue-bench``."""

from argue_bench.cli import main

main()
