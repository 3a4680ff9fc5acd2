"""Speed of correctness metrics against the algorithms as published, with equal results.

Accuracy over 310 answers (those to FanOutQA's dev questions where the shared material is there, else
generated ones) against FanOutQA's released package, which is looked for where Python looks and in the folder
that ARGUE_BENCH_PEERS names (``pip install --no-deps --target DIR fanoutqa``); ROUGE over the same, padded
to 1,500 characters; STR-EM and ROUGE-Lsum over 948 entries shaped like ASQA's; texts built to stall a
tokenizer. The published algorithms of the other three are written out here from their descriptions.
"""

from __future__ import annotations

import importlib
import json
import os
import random
import re
import string
import sys
import tempfile
import time
import types
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from argue_bench.metrics.compat import alce, fanoutqa
from argue_bench.metrics.correctness.accuracy import Reader, leaves
from argue_bench.text import lemmas
from argue_bench.text.overlap import rouge_l, rouge_l_summary, rouge_n, stems
from benchmarks._table import Line, show
from tests.shared import SHARED

Row = tuple[Any, str]
WORDS = [
    "the",
    "of",
    "and",
    "in",
    "to",
    "a",
    "is",
    "was",
    "for",
    "on",
    "with",
    "as",
    "by",
    "at",
    "from",
    "that",
    "it",
    "his",
    "their",
    "which",
    "were",
    "are",
    "city",
    "river",
    "largest",
    "population",
    "capital",
    "northern",
    "founded",
    "century",
    "museum",
    "university",
    "players",
    "season",
    "known",
    "built",
    "between",
    "after",
    "before",
    "government",
    "industry",
    "region",
    "including",
    "national",
]
_NAMES = 4_000
"""How many names there are: in English text about every tenth word is a new one."""


def main() -> int:
    draw = random.Random(7)
    answered = _fanoutqa(draw)
    rows = [(gold, _padded(text, draw)) for gold, text in answered]
    entries = [_entry(draw) for _ in range(948)]
    label = (
        f"{len(rows)} answers, {sum(len(text) for _, text in rows) // len(rows):,} characters each"
    )
    table = [
        _compare(f"rouge, {label}", 7, _published_rouge(), _rouge, rows),
        _compare(f"str_em(rules=alce), {len(entries)} entries", 3, _published_em, _em, entries),
        _compare(f"rouge_lsum, {len(entries)} entries", 8, _published_lsum(), _lsum, entries),
    ]
    if (released := _released_accuracy()) is None:
        print(
            "FanOutQA's released scorer is not there: pip install --no-deps --target DIR fanoutqa,"
        )
        print("and name DIR by ARGUE_BENCH_PEERS; it is left out.\n")
    else:
        blocks = [answered[start : start + 32] for start in range(0, len(answered), 32)]
        name = f"accuracy(rules=fanoutqa), {len(answered)} answers"
        table.insert(0, _compare(name, 20, released, _accuracy, blocks))
    missed = show(
        Line(
            name,
            f"{ours:.2f} s",
            f"{wanted} x",
            equal and theirs / ours >= wanted,
            "as published",
            f"{theirs:.2f} s",
            f"{theirs / ours:.1f} x",
            note="" if equal else "OTHER OUTPUT",
        )
        for name, theirs, ours, wanted, equal in table
    )
    start = time.process_time()
    for gold, text in rows:
        reader = Reader(text)
        list(map(reader.finds, leaves(gold)))
    print(f"\naccuracy (typed), {label}: {time.process_time() - start:.2f} s")
    print("\n32,000 characters of        normal form   typed tokens")
    slowest = 0.0
    for name, text in _hostile():
        normal = _time(lambda text=text: fanoutqa.normal(text, "table"))  # type: ignore[misc]
        typed = _time(lambda text=text: Reader(text))  # type: ignore[misc]
        slowest = max(slowest, normal, typed)
        print(f"{name:26}  {normal:9.3f} s  {typed:11.3f} s")
    return int(missed > 0 or slowest >= 1)


def _compare(
    name: str,
    wanted: int,
    theirs: Callable[[Any], Any],
    ours: Callable[[Any], Any],
    rows: list[Any],
) -> tuple[str, float, float, int, bool]:
    """Both, row by row (or block by block) in turn, so that what else the machine does burdens both alike."""
    warm = rows[0][:2] if isinstance(rows[0], list) else rows[0]
    theirs(warm)
    ours(warm)
    spent = [0.0, 0.0]
    equal = True
    for row in rows:
        start = time.process_time()
        published = theirs(row)
        middle = time.process_time()
        made = ours(row)
        spent[0] += middle - start
        spent[1] += time.process_time() - middle
        equal = equal and published == made
    return name, *spent, wanted, equal  # type: ignore[return-value]


def _time(work: Callable[[], Any]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def _released_accuracy() -> Callable[[list[Row]], list[tuple[float, list[str]]]] | None:
    """The released program itself, with its model loaded; None where it is not there."""
    import spacy

    if folder := os.environ.get("ARGUE_BENCH_PEERS"):
        sys.path.append(folder)
    # On import it makes a folder below the user's home.
    os.environ["HOME"] = tempfile.mkdtemp()
    try:
        import fanoutqa as released
    except ImportError:
        return None
    # Its package ``eval`` imports BLEURT, which string accuracy does not need.
    package = types.ModuleType("fanoutqa.eval")
    package.__path__ = [str(Path(released.__file__).with_name("eval"))]
    sys.modules["fanoutqa.eval"] = package
    scorer = importlib.import_module("fanoutqa.eval.string")
    model, load = lemmas.lemma_versions("model")["lemmas"].split()[0], spacy.load
    spacy.load = lambda *_: load(model)
    scorer.normalize("The model is loaded now.")
    spacy.load = load

    def score(block: list[Row]) -> list[tuple[float, list[str]]]:
        found = [scorer.answer_in_text(_thawed(gold), text) for gold, text in block]
        return [(one.score, one.missing) for one in found]

    return score


def _thawed(gold: Any) -> Any:
    return list(map(_thawed, gold)) if isinstance(gold, tuple) else gold


def _accuracy(block: list[Row]) -> list[tuple[float, list[str]]]:
    fanoutqa.read_ahead(block, "model")
    found = [fanoutqa.answer_in_text(gold, text) for gold, text in block]
    return [(one.score, list(one.missing)) for one in found]


def _published_rouge() -> Callable[[Row], Any]:
    from rouge_score import rouge_scorer

    scorer = rouge_scorer.RougeScorer(["rouge1", "rouge2", "rougeL"], use_stemmer=True)
    return lambda row: [
        tuple(score) for score in scorer.score(fanoutqa.as_text(row[0]), row[1]).values()
    ]


def _rouge(row: Row) -> Any:
    wanted, given = stems(fanoutqa.as_text(row[0])), stems(row[1])
    found = (rouge_n(wanted, given, 1), rouge_n(wanted, given, 2), rouge_l(wanted, given))
    return list(map(tuple, found))


def _published_em(entry: dict[str, Any]) -> list[bool]:
    """Normalises the output again for every pair."""
    punctuation = set(string.punctuation)

    def normal(text: str) -> str:
        text = "".join(char for char in text.lower() if char not in punctuation)
        return " ".join(re.sub(r"\b(a|an|the)\b", " ", text).split())

    def found(aliases: list[str]) -> bool:
        body = normal(entry["output"])
        return any(normal(alias) in body for alias in aliases)

    return [found(aliases) for aliases in entry["pairs"]]


def _em(entry: dict[str, Any]) -> list[bool]:
    return alce.str_em(entry["pairs"], entry["output"])


def _published_lsum() -> Callable[[dict[str, Any]], Any]:
    from rouge_score import rouge_scorer

    scorer = rouge_scorer.RougeScorer(["rougeLsum"], use_stemmer=True)
    return lambda entry: [
        tuple(scorer.score("\n".join(one), "\n".join(entry["sentences"]))["rougeLsum"])
        for one in entry["references"]
    ]


def _lsum(entry: dict[str, Any]) -> Any:
    return [tuple(rouge_l_summary(one, entry["sentences"])) for one in entry["references"]]


def _fanoutqa(draw: random.Random) -> list[Row]:
    path = SHARED / "data" / "fanoutqa" / "dev.json"
    answers = SHARED / "vectors" / "fanoutqa" / "answers_a.jsonl"
    if path.exists() and answers.exists():
        lines = answers.read_text(encoding="utf-8").splitlines()
        given = {row["id"]: row["answer"] for row in map(json.loads, lines)}
        questions = json.loads(path.read_text(encoding="utf-8"))
        pairs = [(question["answer"], given[question["id"]]) for question in questions]
    else:
        pairs = []
        for _ in range(310):
            gold = {_name(draw): draw.randrange(10**7) for _ in range(5)}
            pairs.append((gold, "; ".join(f"{key}: {value:,}" for key, value in gold.items())))
    return pairs


def _padded(text: str, draw: random.Random) -> str:
    while len(text) < 1450:
        text += " " + _sentence(draw)
    return text


def _entry(draw: random.Random) -> dict[str, Any]:
    sentences = [_sentence(draw) for _ in range(6)]
    output = " ".join(sentences)
    names = [[_name(draw), _name(draw)] for _ in range(draw.choice((3, 4, 4)))]
    return {
        "sentences": sentences,
        "output": f"{output} {names[0][1]}.",
        "pairs": names,
        "references": [[_sentence(draw) for _ in range(4)] for _ in range(2)],
    }


def _sentence(draw: random.Random) -> str:
    words = [draw.choice(WORDS) if draw.random() < 0.7 else _name(draw) for _ in range(17)]
    return f"{' '.join(words).capitalize()}, {draw.randrange(2000):,}."


def _name(draw: random.Random) -> str:
    name = random.Random(int(_NAMES * draw.random() ** 2))
    return "".join(name.choice("bdfklmnprst") + name.choice("aeiou") for _ in range(3)).title()


def _hostile() -> Iterator[tuple[str, str]]:
    for name, piece in (
        ("commas", ","),
        ("quotes", '"'),
        ("brackets", "[("),
        ("&", "&"),
        ("emoji", "\U0001f389"),
        ("digits", "7"),
        ("digits and commas", "1,"),
        ("dots and commas", "...,"),
        ("smileys", ":)"),
    ):
        yield name, piece * (32_000 // len(piece))


if __name__ == "__main__":
    sys.exit(main())
