"""What the screening says of games, and what they earn: refused, held, flagged or passed.

    python -m benchmarks.screening [--questions N]

Every game of `benchmarks.gaming`, words squeezed out of a baseline's sentences, and a copied row are sent to a
board on core's dev split, which ranks by argue.f1: by the lexical judge, and by one that reads
(`benchmarks.gaming.reader`). Honest baselines stand beside them. Then it counts the honest rows of published systems
that are held, where their files are there: MT-RAG's three and FanOutQA's 27. Exits 1 where more than 2 in
100 honest rows are held or refused.
"""

from __future__ import annotations

import inspect
import json
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice

from argue_bench import evaluate
from argue_bench.baselines import generate
from argue_bench.judges.functions import JudgeFunction
from argue_bench.leaderboard.formats.season import Season, SetEntry
from argue_bench.leaderboard.screening.answers import (
    HONEST,
    facts_of,
    screen_flags,
)
from argue_bench.leaderboard.screening.copies import screen_copies
from argue_bench.leaderboard.submitting.checking import mass_empty
from argue_bench.loaders import load
from argue_bench.loaders.answers import as_answers, citation_indexes
from argue_bench.loaders.dataset import Dataset
from argue_bench.loaders.limits import AnswerLimits, cut_at_limit, text_length, within_limits
from argue_bench.records import Request
from argue_bench.text.statements import claim_sentences
from argue_bench.text.vocabulary import STOP
from benchmarks._options import options
from benchmarks.gaming import games, sets
from benchmarks.gaming.reader import reading_judge
from benchmarks.gaming.sets import SHARED
from tools.core_set.world import EMBEDDED, World

SEASON = Season("s1", SetEntry("core", "dev"), sentences=100)
Texts = Mapping[str, str]


def main() -> int:
    parser = options(__doc__)
    parser.add_argument("--questions", type=int, default=80, help="the first N of core's dev split")
    dataset = load("core", "dev")[: parser.parse_args().questions]
    reader = reading_judge(islice(World(*EMBEDDED["dev"][:2]).topics(), len(dataset)))
    rows = dict(entries(dataset))
    leader = _lines(rows["nearest-sentences"])
    print("| answers | decided | argue.f1, lexical | argue.f1, a judge that reads |")
    print("|---|---|---|---|")
    honest: dict[str, list[str]] = {"baselines": []}
    for name, texts in rows.items():
        others: Others = [("nearest-sentences", lambda: leader)] if "copied" in name else []
        said = decide(texts, dataset, others)
        if name in HONEST:
            honest["baselines"].append(said)
        points = [earned(texts, dataset, judge) for judge in ("lexical", reader)]
        print(f"| {name} | {said} | {points[0]:.1f} | {points[1]:.1f} |", flush=True)
    for name, dataset, files in published():
        honest.setdefault(name, [])
        for file, texts in files.items():
            beside = [(f"another, {o}", partial(_lines, t)) for o, t in files.items() if o != file]
            honest[name].append(decide(texts, dataset, beside))
    print("\n| honest rows | held or refused | answers flagged, at most in a row |\n|---|---|---|")
    for name, decided in honest.items():
        shares = sorted((kind, float(many)) for kind, many in _SHARE.findall(" ".join(decided)))
        most = ", ".join(f"{kind} {many:g} %" for kind, many in dict(shares).items())
        print(f"| {len(decided)} {name} | {sum(map(_stopped, decided))} | {most or 'none'} |")
    every = [one for decided in honest.values() for one in decided]
    return sum(map(_stopped, every)) > 0.02 * len(every)


_SHARE = re.compile(r"(\w+) ([\d.]+) %")


def _stopped(decided: str) -> bool:
    return decided.startswith(("held", "refused"))


def published() -> Iterator[tuple[str, Dataset, Mapping[str, Texts]]]:
    """Rows of published systems that were never made for a board of ours, those of one setting together."""
    if (SHARED / "mtrag").is_dir():
        said = json.loads((SHARED / "mtrag" / "mtrag_eval.json").read_text("utf-8"))["evaluations"]
        systems = {one["model_id"] for one in said}
        yield (
            "systems of MT-RAG",
            sets.mtrag(),
            {
                system: {o["task_id"]: o["model_response"] for o in said if o["model_id"] == system}
                for system in sorted(systems)
            },
        )
    for folder in sorted(SHARED.glob("fanoutqa/leaderboard-submissions/*-generations")):
        test = load("fanoutqa", "test", SHARED / "fanoutqa" / "test.json")
        files: dict[str, Texts] = {}
        for path in sorted(folder.glob("*.jsonl")):
            rows = map(json.loads, path.read_text("utf-8").splitlines())
            files[path.stem] = {r["id"]: r["answer"] for r in rows if r["id"] in test.by_id}
        yield "files of FanOutQA", test, files


def entries(dataset: Dataset) -> Iterator[tuple[str, Texts]]:
    """Names and answers: honest baselines, then games, each within the length that its question allows."""
    honest = {}
    for name in HONEST:
        honest[name] = {r["id"]: r["answer"] for r in generate(name, dataset, "evidenceprovided")}
        yield name, honest[name]
    best = honest["nearest-sentences"]
    yield "copied, a blank after each", {id: f"{text} " for id, text in best.items()}
    for how, sign in (
        ("copied, a letter like a dot for each blank", "\ua78f"),
        ("copied, no blanks", ""),
    ):
        yield how, {id: re.sub(r"(?<![.!?\]]) (?!\[)", sign, t) for id, t in best.items()}
    squeezed = {id: squeezed_out(text) for id, text in best.items()}
    yield "small words squeezed out", {id: " ".join(words) for id, words in squeezed.items()}
    lines = {
        id: "\n".join(f"- {' '.join(words[at : at + 5])}" for at in range(0, len(words), 5))
        for id, words in squeezed.items()
    }
    yield "the same, in lines of five words", lines
    longer = (replace(q, request=replace(q.request or Request(), limit=9_000)) for q in dataset)
    much = replace(dataset, questions=tuple(longer))
    rows = list(generate("nearest-sentences", much, "evidenceprovided"))
    for how, say in SAID.items():
        yield how, dict(items(dataset, rows, say, FRENCH if "French" in how else ""))
    for name, play in inspect.getmembers(games, inspect.isfunction):
        if play.__module__ == games.__name__ and not name.startswith("_"):
            yield (
                name,
                {
                    q.id: _fitting(
                        play(q, dataset.documents_of(q)), q.request.limit if q.request else None
                    )
                    for q in dataset
                },
            )


def items(
    dataset: Dataset, rows: Sequence[Mapping[str, str]], say: Callable[[str], str], head: str
) -> Iterator[tuple[str, str]]:
    """As many of the sentences of these longer answers as fit, each said in another way on a line of its own."""
    index = citation_indexes(dataset)
    for row in rows:
        question = dataset.by_id[row["id"]]
        limit = question.request.limit if question.request else None
        text = head
        for sentence, cited in re.findall(r"(\S.*?) (\[[^\[\]]+\])\.", row["answer"]):
            more = f"{text}- {say(sentence)} {cited}.\n"
            if limit is None or text_length(more, index(question)) <= limit:
                text = more
        yield row["id"], text.rstrip()


def squeezed_out(sentence: str, least: float = 0) -> list[str]:
    """The words of a sentence without small ones, but for so many as this share of what stands before them."""
    kept, small = list[str](), 0
    for word in sentence.split():
        if word.lower().strip(".,") in STOP:
            if small >= least * (len(kept) + 1):
                continue
            small += 1
        kept.append(word)
    return kept


def _fields(sentence: str) -> str:
    """Cells of six words, the first of them a label."""
    words = squeezed_out(sentence)
    cells = [" ".join(words[at : at + 6]) for at in range(0, len(words), 6)]
    return "; ".join(cells).replace(" ", ": ", 1)


def _without_vowels(word: str) -> str:
    return word[0] + re.sub("[aeiou]", "", word[1:])


def _threes(words: Sequence[str]) -> Iterator[Sequence[str]]:
    return (words[at : at + 3] for at in range(0, len(words), 3))


def _slips(sentence: str) -> str:
    """The words without small ones, every third of them without its first vowel."""
    words = squeezed_out(sentence)
    words[2::3] = (word[0] + re.sub("[aeiou]", "", word[1:], count=1) for word in words[2::3])
    return " ".join(words)


FRENCH = "Voici les faits que nous avons dans les documents pour cette question, avec une source pour chacun.\n"
SAID: Mapping[str, Callable[[str], str]] = {
    "its sentences as items": str,
    "items, squeezed, below a French sentence": lambda one: " ".join(squeezed_out(one)),
    "items, squeezed but for one word in five": lambda one: " ".join(squeezed_out(one, 0.2)),
    "items, squeezed, in fields of six words": _fields,
    "items, squeezed, every third word without a vowel": _slips,
    "items without vowels": lambda one: " ".join(map(_without_vowels, one.split())),
    "items without vowels, three words as one": lambda one: " ".join(
        "".join(map(_without_vowels, three)) for three in _threes(one.split())
    ),
    "items without blanks": lambda one: "".join(word[0].upper() + word[1:] for word in one.split()),
}


Others = Sequence[tuple[str, Callable[[], bytes]]]
"""Names of other rows, and what reads each."""


def decide(texts: Texts, dataset: Dataset, others: Others) -> str:
    """The decision in words, with what was seen."""
    given = as_answers([{"id": id, "answer": text} for id, text in texts.items()], dataset)
    cut = within_limits(given, dataset, SEASON.limits).cut
    kept = [answer for id, answer in given.items() if id not in cut]
    said = sum(bool(claim_sentences(answer.sentences, citing=True)) for answer in kept)
    if 2 * said < len(dataset):
        return f"refused: {mass_empty(len(dataset) - said, len(dataset), '').message}"
    facts = facts_of(kept, dataset, len(cut))
    seen: dict[str, list[str]] = {"held": [], "flagged": []}
    for one in screen_flags(facts, len(dataset), "", False):
        name = one.message.rpartition(": ")[2]
        seen[one.code].append(f"{name} {round(100 * facts.flags[name] / len(dataset), 1):g} %")
    for one in screen_copies(kept, others, dataset, AnswerLimits(), "", False):
        seen[one.code].append("names the other row")
    return (
        "; ".join(f"{code}: {', '.join(names)}" for code, names in seen.items() if names)
        or "passed"
    )


def earned(texts: Texts, dataset: Dataset, judge: str | JudgeFunction = "lexical") -> float:
    """argue.f1 in points, by this judge."""
    rows = [{"id": id, "answer": text} for id, text in texts.items()]
    report = evaluate(dataset, rows, metrics=["argue"], judge=judge)
    return 100 * (report.scores["argue.f1"].value or 0.0)


def _fitting(text: str, limit: int | None) -> str:
    return text if limit is None else cut_at_limit(text, limit)


def _lines(texts: Texts) -> bytes:
    return b"".join(json.dumps({"id": i, "answer": t}).encode() + b"\n" for i, t in texts.items())


if __name__ == "__main__":
    sys.exit(main())
