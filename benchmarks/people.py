"""The lexical judge on what people labelled, and with each of its rules left out.

    python -m benchmarks people

1. Balanced accuracy, F1 and kappa on each set that lies in the folder of labels (``ARGUE_BENCH_LABELS``,
   else ``../shared/data/labels``), beside a judge that says yes to everything and the share of the
   hypothesis' words that the source holds, with one threshold for all sets.
2. What each rule earns: the same figures, verdicts on a generated world, and the share of attacks held,
   with the rule left out. An attack changes a sentence that was judged yes: its number, its year, or a
   denial put in.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

from argue_bench.judges.labels import Label, read_labels
from argue_bench.judges.lexical import compare, reading, rules, values, vocabulary
from argue_bench.judges.lexical.judge import RULES
from argue_bench.records import Answers, Entails, Refuses, Source
from argue_bench.stats.reliability import cohen_kappa, confusion
from benchmarks._options import options
from tests.judges.world_labels import labels as world_labels

FOLDER = Path(os.environ.get("ARGUE_BENCH_LABELS", "../shared/data/labels"))
SHIPPED = Path("argue_bench/data/labels")
RECALL = 0.65
_WORD = re.compile(r"\w+")
_NOTHING = re.compile(r"(?!)")
Pairs = Sequence[tuple[bool, bool]]


def main() -> None:
    """Prints the tables, in Markdown."""
    options(__doc__).parse_args()
    sets = {path.parent.name: path for path in sorted(FOLDER.glob("*/labels.jsonl"))}
    sets |= {path.stem: path for path in sorted(SHIPPED.glob("*.jsonl"))}
    known = {name: read_labels(path) for name, path in sets.items()}
    _show_judges(known)
    _show_rules({name: rows for name, rows in known.items() if rows[0].kind != "Refuses"})


def _show_judges(known: dict[str, list[Label]]) -> None:
    print("| set | kind | n | yes | balanced accuracy | F1 | kappa | always yes, F1 | words held |")
    print("|---|---|---|---|---|---|---|---|---|")
    for name, rows in known.items():
        halves = {"": rows}
        if any(row.verdict.note.startswith("tuning") for row in rows):
            halves = {
                f", {half}": [row for row in rows if row.verdict.note.startswith(half)]
                for half in ("tuning", "reported")
            }
        for half, some in halves.items():
            pairs = [(row.verdict.yes, _yes(row.request)) for row in some]
            words = "-"
            if not isinstance(some[0].request, Refuses):
                held = [(row.verdict.yes, _held(row.request) >= RECALL) for row in some]
                words = f"{balanced(held):.3f}"
            share = sum(right for right, _ in pairs) / len(pairs)
            cells = (f"{balanced(pairs):.3f}", f"{f1(pairs):.3f}", f"{_kappa(pairs):.2f}")
            always = f1([(right, True) for right, _ in pairs])
            print(
                f"| {name}{half} | {some[0].kind} | {len(some):,} | {share:.2f} | {' | '.join(cells)} "
                f"| {always:.3f} | {words} |"
            )


def _yes(request: Any) -> bool:
    return RULES[type(request)](request).yes


def _held(request: Any) -> float:
    """The share of the claim's words that the text holds."""
    entails = isinstance(request, Entails)
    claim = request.hypothesis if entails else request.answer
    text = request.premise_text if entails else request.sentence
    wanted = set(_WORD.findall(claim.lower()))
    return len(wanted & set(_WORD.findall(text.lower()))) / max(1, len(wanted))


def balanced(pairs: Pairs) -> float:
    """The mean of the shares of yes and of no that are right."""
    rates = []
    for truth in (True, False):
        some = [said for right, said in pairs if right == truth]
        rates.append(sum(said == truth for said in some) / max(1, len(some)))
    return sum(rates) / 2


def f1(pairs: Pairs) -> float:
    """F1 of yes."""
    hits = sum(right and said for right, said in pairs)
    total = sum(right + said for right, said in pairs)
    return 2 * hits / total if total else 0.0


def _kappa(pairs: Pairs) -> float:
    return cohen_kappa(confusion([(str(right), str(said)) for right, said in pairs])) or 0.0


def _no_names(*_: object, **__: object) -> bool:
    return True


LEFT_OUT: dict[str, tuple[tuple[Any, str, Any], ...]] = {
    "nothing": (),
    "names must be there": ((rules, "has_name", _no_names),),
    "values must be there": ((rules, "unmatched", lambda *_: []),),
    "values may lie apart": ((rules, "scattered", lambda *_: iter(())),),
    "denial": ((rules, "opposed", lambda *_: False),),
    "opposites": ((vocabulary, "ANTONYMS", {}),),
    "another year": ((rules, "another_year", lambda *_: None),),
    "another subject": ((rules, "_another_subject", lambda *_: ""),),
    "French": ((reading.Reading, "french", None),),
    "bare lists": (
        (rules, "is_list", lambda _: False),
        (rules, "stated", lambda sentences, _: range(len(sentences))),
    ),
    "units": ((values, "_UNIT", _NOTHING), (values, "_MONEY_SIGN", _NOTHING)),
    "numbers in words": (
        (vocabulary, "NUMBERS", {}),
        (values, "_SPELLED", frozenset()),
        (values, "_STARTS", frozenset(vocabulary.MONTHS)),
    ),
    "initials": ((compare, "_initials", lambda *_: "\0"),),
    "answers letter by letter": ((rules, "_is_in", lambda *_: False),),
    "stop words": ((vocabulary, "STOP", frozenset()),),
}


@contextmanager
def _without(changes: Iterable[tuple[Any, str, Any]]) -> Any:
    patches = [patch.object(*change) for change in changes]
    for one in patches:
        one.start()
    _forget()
    yield
    for one in patches:
        one.stop()
    _forget()


def _forget() -> None:
    reading.forget_readings()
    values.amount_of.cache_clear()


def _show_rules(known: dict[str, list[Label]]) -> None:
    world = [(label.request, label.right == "yes") for label in world_labels(topics=6)]
    print(f"\n| left out | {' | '.join(known)} | world, Entails | world, Answers |", end="")
    print(f" {' | '.join(f'{name} held' for name in ATTACKS)} |")
    print(f"|{'---|' * (3 + len(known) + len(ATTACKS))}")
    for rule, changes in LEFT_OUT.items():
        with _without(changes):
            cells = [
                balanced([(row.verdict.yes, _yes(row.request)) for row in rows])
                for rows in known.values()
            ]
            for kind in (Entails, Answers):
                some = [(right, _yes(asked)) for asked, right in world if type(asked) is kind]
                cells.append(balanced(some))
            cells += [_share_held(attack, world) for attack in ATTACKS.values()]
        print(f"| {rule} | {' | '.join(f'{100 * cell:.1f}' for cell in cells)} |", flush=True)


def _change_number(sentence: str) -> str:
    return re.sub(
        r"\b(\d[\d,.]*\d|\d)\b",
        lambda m: m[0][:-1] + str((int(m[0][-1]) + 3) % 10),
        sentence,
        count=1,
    )


def _change_year(sentence: str) -> str:
    return re.sub(r"\b(1[89]\d\d|20\d\d)\b", lambda m: str(int(m[0]) - 1), sentence, count=1)


def _deny(sentence: str) -> str:
    return re.sub(r"\b(was|were|is|are|has|had)\b", r"\1 not", sentence, count=1)


ATTACKS: dict[str, Callable[[str], str]] = {
    "number": _change_number,
    "year": _change_year,
    "denial": _deny,
}


def _share_held(attack: Callable[[str], str], world: list[tuple[Any, bool]]) -> float:
    """Of attacks on sentences that are judged yes, the share that is judged no."""
    held = []
    for asked, right in world:
        if (
            right
            and isinstance(asked, Entails)
            and (changed := attack(asked.hypothesis)) != asked.hypothesis
        ):
            premise = tuple(Source(one.id, one.text) for one in asked.premise)
            held.append(not _yes(Entails(premise, changed)))
    return sum(held) / max(1, len(held))


if __name__ == "__main__":
    main()
