"""What lists of guesses earn by scores that count strings, and by the gold of other questions, which tells them.

    python -m benchmarks.guesses [--write]

Half of FanOutQA's dev questions (``../shared/data/fanoutqa``) are a board, once in ALCE's form, and the gold of the other half is
what the guesser knows. An answer holds 40 % of its gold, and guesses behind it: one list for all questions, the commonest
strings first; or one for each, of the questions most like it. ``--write`` puts the table into docs/security.md. With
``../shared`` also FanOutQA's published files, 120 answers of each, by the gold of the dev questions most like theirs.
"""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from statistics import fmean

from argue_bench import evaluate
from argue_bench.leaderboard.formats.season import Season, SetEntry
from argue_bench.leaderboard.scoring.chance import LIKE, MOST, chance
from argue_bench.loaders import load
from argue_bench.loaders.answers import as_answers
from argue_bench.loaders.dataset import Dataset
from argue_bench.metrics import parse
from argue_bench.records import Gold, Question, ShortAnswer
from argue_bench.records.question import leaves
from benchmarks._options import options

DATA, DOCS, MARK, END = (
    Path("../shared/data/fanoutqa"),
    Path("docs/security.md"),
    "<!-- python -m benchmarks.guesses --write -->\n",
    "<!-- end of guesses -->",
)
KNOWN, SAMPLED = 0.4, 120
ACCURACY, STR_EM = "accuracy(rules=fanoutqa-lookup,text=plain)", "str_em(rules=alce,lines=all)"


def strings(question: Question) -> list[str]:
    return [] if question.gold is None else [*leaves(question.gold.answer)]


def words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.lower()))


def fitting(texts: Iterable[str], room: int) -> list[str]:
    """The first of these texts that fit into so many characters, with commas between."""
    found = []
    for text in dict.fromkeys(texts):
        if len(text) + 2 <= room:
            found.append(text)
            room -= len(text) + 2
    return found


def nearest(question: Question, others: Iterable[Question]) -> list[Question]:
    own = words(question.text)
    return sorted(others, key=lambda o: -len(own & words(o.text)) / (1 + len(words(o.text))))


def rows(known: list[Question], asked: list[Question]) -> Iterator[tuple[str, Mapping[str, str]]]:
    """The rows by name: the answer to each question, by its id."""
    common = [one for one, _ in Counter(x for q in known for x in strings(q)).most_common()]
    letters = random.Random(5)

    def struck(text: str) -> str:
        return re.sub(
            r"\w$", lambda w: f"{w[0]}\u0336{''.join(letters.choices('abcdef', k=2))}", text
        )

    def near(room: int) -> Callable[[Question], list[str]]:
        return lambda q: fitting((x for o in nearest(q, known) for x in strings(o)), room)

    one = fitting(common, 1_500)
    lists: dict[str, Callable[[Question], list[str]]] = {
        "as they are": lambda _: [],
        "and one list of 1,500 characters": lambda _: one,
        "the same, its words struck through": lambda _: [*map(struck, one)],
        "the same, three words in a row as one": lambda _: [
            "".join(one[at : at + 3]) for at in range(0, len(one), 3)
        ],
        "and 800 characters for each question, of those most like it": near(800),
        "and 300 characters so": near(300),
        "and the list of 1,500 in every fourth answer": lambda q: one if q in asked[::4] else [],
    }
    for name, listed in lists.items():
        texts = {}
        for question in asked:
            own = strings(question)
            half = random.Random(question.id).sample(own, round(KNOWN * len(own)))
            texts[question.id] = ". ".join(
                filter(None, (", ".join(half), ", ".join(listed(question))))
            )
        yield name, texts
    yield "the gold itself", {question.id: ", ".join(strings(question)) for question in asked}


def as_alce(question: Question) -> Question:
    short = tuple(ShortAnswer("", (one,)) for one in strings(question))
    return replace(question, gold=Gold(short_answers=short))


def table(dev: Dataset) -> Iterator[str]:
    yield "| answers | `accuracy`, FanOutQA's | by other gold | `str_em`, ALCE's | by other gold | the row shows |"
    yield "|---|---|---|---|---|---|"
    questions = [*dev]
    random.Random(1).shuffle(questions)
    known, asked = questions[:155], questions[155:]
    boards = {
        "accuracy": (ACCURACY, "loose", replace(dev, questions=tuple(asked))),
        "str_em": (STR_EM, "recall", replace(dev, questions=tuple(map(as_alce, asked)))),
    }
    for name, texts in rows(known, asked):
        cells, shown = [], []
        for short, (text, score, board) in boards.items():
            season = Season("s", SetEntry("x"), metrics=(text,), ranked=f"{text}.{score}")
            answers = [
                *as_answers([{"id": i, "answer": x} for i, x in texts.items()], board).values()
            ]
            value = evaluate(board, answers, [parse(text)]).scores[season.ranked].value or 0.0
            earned, gold = chance(season, board, answers) or (0.0, 0.0)
            cells += [f"{100 * value:.1f}", f"{100 * earned:.1f}"]
            shown += [short] * (earned > gold + MOST)
        flag = "`guesses`" if len(shown) == 2 else " ".join(f"by `{one}`" for one in shown)
        yield f"| {name} | {' | '.join(cells)} | {flag} |".replace("|  |", "| |")


def published(dev: Dataset) -> Iterator[tuple[str, float]]:
    """Each published file, and what its answers earn by the gold of the dev questions most like theirs."""
    metric = parse(ACCURACY)
    test = load("fanoutqa", "test", DATA / "test.json").by_id
    for path in sorted((DATA / "leaderboard-submissions").glob("*-generations/*.jsonl")):
        lines = (json.loads(line) for line in path.read_text("utf-8").splitlines())
        given = [one for one in lines if one["id"] in test]
        some = random.Random(7).sample(given, SAMPLED)
        near = [nearest(test[one["id"]], dev)[:LIKE] for one in some]
        values = []
        for place in range(LIKE):
            board = tuple(replace(o[place], id=x["id"]) for x, o in zip(some, near, strict=True))
            answers = [{"id": x["id"], "answer": str(x["answer"])[:4_000]} for x in some]
            report = evaluate(replace(dev, questions=board), answers, [metric])
            values.append(report.scores[f"{ACCURACY}.loose"].value or 0.0)
        yield f"{path.parent.name}/{path.name}", fmean(values)


def main() -> int:
    parser = options(__doc__)
    parser.add_argument(
        "--write", action="store_true", help="write the table into docs/security.md"
    )
    write = parser.parse_args().write
    if not DATA.is_dir():
        print(f"{DATA} is not there: nothing is measured")
        return 0
    dev = load("fanoutqa", "dev", DATA / "dev.json")
    lines = [*table(dev)]
    print("\n".join(lines))
    if write:
        before, _, rest = DOCS.read_text("utf-8").partition(MARK)
        after = rest.partition(END)[2]
        DOCS.write_text("\n".join((before + MARK.strip(), *lines, END)) + after, "utf-8")
    for name, earned in published(dev):
        print(f"{100 * earned:5.1f}  {name}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
