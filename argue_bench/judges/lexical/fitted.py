"""A file of thresholds that `judge fit` wrote, read again."""

from __future__ import annotations

from pathlib import Path

from argue_bench.errors import Code, DataError
from argue_bench.judges.lexical import thresholds as at
from argue_bench.records.untrusted import read_json


def read_thresholds(path: Path) -> dict[str, float]:
    """The thresholds of such a file. Raises DataError: no such file, other rules, an unknown name, a value that is not a share."""
    value = read_json(path)
    value = value if isinstance(value, dict) else {}
    fitted = value["lexical"] if isinstance(value.get("lexical"), dict) else {}
    wrong = ""
    if not fitted:
        wrong = "the file holds no thresholds of the lexical judge"
    elif value.get("rules") != at.RULES:
        wrong = (
            f"the thresholds are of its rules {value.get('rules')!r:.20}, which are now {at.RULES}"
        )
    elif unknown := [name for name in fitted if name not in at.FITTED]:
        wrong = f"it has no threshold {unknown[0]!r:.40}"
    elif bad := [name for name, share in fitted.items() if not _is_share(share)]:
        wrong = f"{bad[0]} is not a share from 0 to 1"
    if wrong:
        hint = "Make one with: argue-bench judge fit lexical --labels FILE --out THRESHOLDS"
        raise DataError.of(Code.THRESHOLDS, wrong, path, hint=hint)
    return {name: float(share) for name, share in fitted.items()}


def _is_share(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1
