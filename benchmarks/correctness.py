"""Speed of correctness metrics beside the released programs, with equal results.

Accuracy over 64 answers and ROUGE over 310 (those to FanOutQA's dev questions where the shared material is there, else
generated ones) against FanOutQA's released package, and, padded to 1,500 characters, against
rouge-score, with ours forgetting every stem before each answer; STR-EM over 948 entries shaped like ASQA's against
ALCE's own function, and ROUGE-Lsum against rouge-score as ALCE calls it; stems against nltk's; texts built to stall
a tokenizer. How the peers are had: benchmarks/_peers.py.
"""

from __future__ import annotations

import importlib
import importlib.util
import json
import os
import random
import sys
import tempfile
import time
import types
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from argue_bench.metrics.correctness.accuracy import Reader
from argue_bench.published.alce import correctness as alce
from argue_bench.published.alce.rouge_lsum import rouge_l_summary
from argue_bench.published.fanoutqa import accuracy as fanoutqa
from argue_bench.published.fanoutqa import accuracy as lemmas
from argue_bench.records import Question
from argue_bench.records.question import as_text, leaves
from argue_bench.text import overlap
from argue_bench.text.overlap import porter_stem, porter_stems, rouge_l, rouge_n
from benchmarks._options import options
from benchmarks._peers import find_peers, interleaved, present
from benchmarks._table import Line, at_most, compared, show
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
RELEASED = 64
"""Answers that FanOutQA's released program is given: it takes more than half a second for each."""
ENTRIES = 948
_NAMES = 4_000
"""How many names there are: in English text about every tenth word is a new one."""


def main() -> int:
    """1 where a limit is missed."""
    options(__doc__).parse_args()
    lines = present((_accuracies, _rouges, _str_ems, _lsums, _stemming))
    slowest = 0.0
    print("32,000 characters of        normal form   typed tokens")
    for name, text in _hostile():
        normal = _time(partial(fanoutqa.normal, text, "table"))
        typed = _time(partial(Reader, text))
        slowest = max(slowest, normal, typed)
        print(f"{name:26}  {normal:9.3f} s  {typed:11.3f} s")
    print()
    return show([*lines, at_most("the slowest of 32,000 hostile characters", slowest, 1.0, "s")])


def _accuracies() -> list[Line]:
    answered = _fanoutqa(random.Random(7))[:RELEASED]
    blocks = [answered[start : start + 32] for start in range(0, len(answered), 32)]
    start = time.process_time()
    for gold, text in answered:
        reader = Reader(text, Question("q", ""))
        list(map(reader.finds, leaves(gold)))
    typed = Line(f"accuracy, {len(answered)} answers", f"{time.process_time() - start:.3f} s")
    name = f"accuracy(rules=fanoutqa), {len(answered)} answers"
    return [_compare(name, "fanoutqa", 20, _released_accuracy(), _accuracy, blocks), typed]


def _rouges() -> list[Line]:
    draw = random.Random(7)
    rows = [(gold, _padded(text, draw)) for gold, text in _fanoutqa(draw)]
    name = f"FanOutQA's ROUGE, {len(rows)} answers, stems cold"
    return [_compare(name, "rouge-score", 7, _published_rouge(), _rouge, rows)]


def _str_ems() -> list[Line]:
    return [_compare(f"STR-EM, {ENTRIES} entries", "ALCE", 4, _published_em(), _em, _entries())]


def _lsums() -> list[Line]:
    name = f"ROUGE-Lsum, {ENTRIES} entries, stems cold"
    return [_compare(name, "rouge-score", 8, _published_lsum(), _lsum, _entries())]


def _entries() -> list[dict[str, Any]]:
    draw = random.Random(9)
    return [_entry(draw) for _ in range(ENTRIES)]


def _compare(
    name: str,
    peer: str,
    wanted: int,
    theirs: Callable[[Any], Any],
    ours: Callable[[Any], Any],
    rows: list[Any],
) -> Line:
    """Both, row by row (or block by block) in turn, so that what else the machine does burdens both alike."""
    warm = rows[0][:2] if isinstance(rows[0], list) else rows[0]
    theirs(warm)
    ours(warm)
    overlap._stem.cache_clear()
    published_took = ours_took = 0.0
    equal = True
    for row in rows:
        start = time.process_time()
        published = theirs(row)
        middle = time.process_time()
        made = ours(row)
        published_took += middle - start
        ours_took += time.process_time() - middle
        equal = equal and published == made
    return compared(name, peer, published_took, ours_took, wanted, equal=equal)


def _stemming() -> list[Line]:
    from nltk.stem.porter import PorterStemmer

    draw = random.Random(3)
    endings = ["", "s", "ed", "ing", "ation", "ational", "iveness", "ies", "ly", "able"]
    made = {
        "".join(draw.choices("bcdfglmnprst") + draw.choices("aeiouy") + draw.choices("lmnrst"))
        + draw.choice(["", "al", "er", "om"])
        + draw.choice(endings)
        for _ in range(30_000)
    }
    vocabulary = sorted(made)
    peer = PorterStemmer()
    ours, other, one, two = interleaved(
        lambda: [porter_stem(word) for word in vocabulary],
        lambda: [peer.stem(word) for word in vocabulary],
    )
    return [
        compared(f"stems of {len(vocabulary):,} words", "nltk", other, ours, 1.0, equal=one == two)
    ]


def _time(work: Callable[[], Any]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def _released_accuracy() -> Callable[[list[Row]], list[tuple[float, list[str]]]]:
    """The released program itself, with its model loaded. Raises ImportError where it is not there."""
    import spacy

    # On import it makes a folder below the user's home.
    os.environ["HOME"] = tempfile.mkdtemp()
    import fanoutqa as released

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
    return lambda row: [tuple(score) for score in scorer.score(as_text(row[0]), row[1]).values()]


def _rouge(row: Row) -> Any:
    overlap._stem.cache_clear()
    wanted, given = porter_stems(as_text(row[0])), porter_stems(row[1])
    found = (rouge_n(wanted, given, 1), rouge_n(wanted, given, 2), rouge_l(wanted, given))
    return list(map(tuple, found))


def _published_em() -> Callable[[dict[str, Any]], list[bool]]:
    """ALCE's own function, whose file imports a model's libraries, which it does not need."""
    folder = find_peers()
    if folder is None or not (folder / "ALCE" / "eval.py").is_file():
        raise ImportError("ALCE's eval.py is not there")
    import nltk  # noqa: F401  before the stand-ins, which scipy would take for the real ones
    from rouge_score import rouge_scorer  # noqa: F401

    unused = ("AutoModelForSeq2SeqLM", "AutoTokenizer", "pipeline", "float16")
    lacking = [name for name in ("torch", "transformers") if importlib.util.find_spec(name) is None]
    for name in lacking:
        sys.modules[name] = types.ModuleType(name)
        vars(sys.modules[name]).update(dict.fromkeys(unused))
    sys.path.insert(0, str(folder / "ALCE"))
    exact_presence = importlib.import_module("eval").exact_presence
    sys.path.pop(0)
    for name in lacking:
        del sys.modules[name]
    return lambda entry: [exact_presence(names, entry["output"]) for names in entry["pairs"]]


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
