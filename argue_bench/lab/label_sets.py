"""Public sets of verdicts that people gave, by name: ``judge check JUDGE --labels NAME``.

`label_sets.toml` says where each is published, at which commit, with which checksums and licence. Its
files are fetched once and turned into a label file in the cache; none of their rows is shipped. ``argue-bench list labels`` lists them.
"""

from __future__ import annotations

import csv
import io
import json
import re
import tomllib
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from argue_bench.cli.listing import Listing
from argue_bench.errors import Code, DataError, UnknownName, UsageError
from argue_bench.records.atomic import write_lines
from argue_bench.records.grouping import grouped
from argue_bench.records.untrusted import GOLD_LIMITS, read_bounded, read_json
from argue_bench.store.fetch import cache_folder, fetch_file

_ELSEWHERE = (
    "Of Span there is SQuAD 2.0 (https://rajpurkar.github.io/SQuAD-explorer/, CC BY-SA 4.0), and of Contradicts and "
    "Entails FaithBench (https://github.com/vectara/FaithBench, CC BY-NC-SA 4.0: to measure only), which you convert "
    "to label files yourself."
)


def list_labels() -> Listing:
    """The public sets of verdicts that people gave, for `list labels`, and the kinds of request without one."""
    from argue_bench.records import KINDS

    sets = label_sets() | SHIPPED
    data = {
        name: {
            "kind": one.kind,
            "about": one.about,
            "source": one.source,
            "commit": one.commit,
            "sha256": dict(one.files),
            "licence": one.licence,
            "access": "shipped" if name in SHIPPED else "your folder" if one.local else "public",
        }
        for name, one in sets.items()
    }
    summaries = {
        name: f"{one.kind}: {one.about} ({one.source} at {one.commit[:8]}{'; --labels ' + name + '=FOLDER' if one.local else ''}; licence: {one.licence})"
        for name, one in sets.items()
    }
    without = [kind for kind in KINDS if kind not in {one.kind for one in sets.values()}]
    note = f"No public set is read here of: {', '.join(without)}."
    return Listing(summaries, data, f"{note} {_ELSEWHERE}")


# A judge request as plain data, its verdict, and a note.
Row = tuple[dict[str, Any], str, str]
# The fetched files by their published path.
Files = Mapping[str, Path]
# Names that stand for several sets.
GROUPS = ("all", "llm-aggrefact")
_HERE = Path(__file__).parent
_SHIPPED = _HERE.parent / "data" / "labels"


@dataclass(frozen=True)
class LabelSet:
    """A published set. ``files`` are pairs of path and SHA-256; ``part`` names its rows in them.

    With the place "local" they are patterns of files in a folder of the user's.
    """

    kind: str
    about: str
    repository: str
    commit: str
    licence: str
    convert: str
    files: tuple[tuple[str, str], ...]
    part: str = ""
    place: str = "https://raw.githubusercontent.com"
    host: str = "github.com"

    @property
    def source(self) -> str:
        """Where it is published."""
        return f"https://{self.host}/{self.repository}"

    @property
    def local(self) -> bool:
        """Whether it is read from a folder that the user names."""
        return self.place == "local"

    def fetch(self) -> Files:
        """Downloads its files from where they were published, or takes them from the
        cache. Raises DataError."""
        place = f"labels/{self.repository}/{self.commit[:8]}"
        return {
            path: fetch_file(
                f"{self.place}/{self.repository}/{self.commit}/{path}", digest, f"{place}/{path}"
            )
            for path, digest in self.files
        }

    def rows(self) -> list[Row]:
        """Its labels, each request once. Raises DataError where it cannot be fetched."""
        return distinct(CONVERTERS[self.convert](self.fetch(), self.part))


# Sets whose rows come with the package.
SHIPPED = {
    "refusals-mtrag": LabelSet(
        kind="Refuses",
        about="answers from documents, of which some say that these do not tell; labelled for this package",
        repository="IBM/mt-rag-benchmark",
        commit="cc5b1d481b391181b89f7ced860308482e785463",
        licence="Apache-2.0",
        convert="",
        files=(),
    )
}


def label_sets() -> dict[str, LabelSet]:
    """All sets of the catalogue by name; ``parts`` of an entry are sets of their own."""
    known = tomllib.loads((_HERE / "label_sets.toml").read_text(encoding="utf-8"))
    found = {}
    for name, entry in known.items():
        given = {**entry, "files": tuple(map(tuple, entry["files"]))}
        for part in given.pop("parts", ()):
            found[f"{name}-{part.lower()}"] = LabelSet(**{**given, "part": part})
        if "parts" not in entry:
            found[name] = LabelSet(**given)
    return found


def sets_of(group: str, kinds: Collection[str]) -> list[str]:
    """The sets of these kinds that ``all`` or a common prefix of names means; none for any other word.

    ``all`` leaves out those that the user has to bring. A group may have their folder, as ``NAME=FOLDER``.
    """
    group, given, folder = group.partition("=")
    sets = label_sets() | SHIPPED
    names = [name for name, one in sets.items() if one.kind in kinds]
    if group == "all":
        return [name for name in names if not sets[name].local]
    members = [name for name in names if name.startswith(f"{group}-")] if group in GROUPS else []
    return [f"{name}{given}{folder}" for name in members]


def find_labels(named: Path) -> Path:
    """The label file of that path, or of the set of that name, which is fetched; ``NAME=FOLDER`` for a set that
    is read from a folder.

    Raises UnknownName where there is neither, DataError where a set cannot be fetched.
    """
    name, given, folder = str(named).partition("=")
    sets = label_sets()
    if given and name in sets and sets[name].local:
        return _from_folder(name, sets[name], Path(folder))
    if named.exists() or "#" in named.name or named.suffix or len(named.parts) > 1:
        return named
    name = str(named)
    if name in SHIPPED:
        return _SHIPPED / f"{name}.jsonl"
    if name in GROUPS:
        raise UsageError(f"{name} stands for several sets, which `judge card` takes")
    if name not in sets:
        raise UnknownName("label set", name, (*sets, *SHIPPED), see="argue-bench list labels")
    if sets[name].local:
        raise UsageError(
            f"{name} is read from a folder that you have: --labels {name}=FOLDER ({sets[name].source})"
        )
    path = cache_folder() / "labels" / f"{name}-{sets[name].commit[:8]}.jsonl"
    return path if path.exists() else _written(path, name, sets[name].rows())


def _from_folder(name: str, one: LabelSet, folder: Path) -> Path:
    """The label file made of the files in a folder; made anew each time, since they are the user's."""
    files = {path.name: path for pattern, _ in one.files for path in sorted(folder.glob(pattern))}
    try:
        rows = distinct(CONVERTERS[one.convert](files, one.part))
    except (KeyError, TypeError, ValueError, AttributeError):
        why = f"these are not the files of {name}: see docs/labels.md for their fields"
        raise DataError.of(Code.WRONG_SHAPE, why, folder) from None
    return _written(cache_folder() / "labels" / f"{name}-local.jsonl", name, rows)


def _written(path: Path, name: str, rows: Sequence[Row]) -> Path:
    if not rows:
        raise DataError.of(Code.EMPTY, f"no row of {name} is in its files", path.name)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_lines(path, (dict(zip(("ask", "verdict", "note"), row, strict=True)) for row in rows))
    return path


def distinct(rows: Iterator[Row]) -> list[Row]:
    """Each request once; requests with contradicting verdicts are left out."""
    found: dict[str, tuple[Row, set[str]]] = {}
    for row in rows:
        _, verdicts = found.setdefault(json.dumps(row[0]), (row, set()))
        verdicts.add(row[1])
    return [row for row, verdicts in found.values() if len(verdicts) == 1]


def _entails(documents: list[str], claim: str, supported: bool, note: str = "") -> Row:
    return (
        {
            "kind": "Entails",
            "premise": [{"id": f"d{n}", "text": text} for n, text in enumerate(documents, start=1)],
            "hypothesis": claim,
        },
        "yes" if supported else "no",
        note,
    )


def _text(path: Path) -> str:
    return read_bounded(path, GOLD_LIMITS).decode("utf-8")


def _lines(path: Path) -> Iterator[Any]:
    for line in _text(path).split("\n"):  # a text may hold U+2028, at which splitlines cuts
        if line.strip():
            yield json.loads(line)


def attributionbench(files: Files, part: str) -> Iterator[Row]:
    """AttributionBench (Li et al. 2024): the rows of one of the sets that it unites."""
    for path in files.values():
        for row in _lines(path):
            if row["src_dataset"] == part:
                yield _entails(
                    row["references"], row["claim"], row["attribution_label"] == "attributable"
                )


def lfqa(files: Files, part: str) -> Iterator[Row]:
    """LFQA-Verification (Chen et al. 2023): yes where most of three people say "supported"."""
    docs = {
        origin: {
            row["question_id"]: [one["text"] for one in row["docs"]]
            for row in read_json(files[f"data/docs/docs-{origin}.json"])
        }
        for origin in ("webgpt", "human")
    }
    for name, path in files.items():
        if "annotations" not in name:
            continue
        given = docs["human" if "whudoc" in name else "webgpt"]
        for row in read_json(path):
            for one in row["annotations"]:
                # A tie of three unlike labels is no majority and left out.
                label, votes = Counter(one["labels"]).most_common(1)[0]
                if 2 * votes > len(one["labels"]):
                    yield _entails(
                        given[row["question_id"]],
                        one["answer"],
                        label == "supported",
                        Path(name).stem,
                    )


def begin(files: Files, part: str) -> Iterator[Row]:
    """BEGIN (Dziri et al. 2022): yes where the reply is fully attributable to the knowledge."""
    for path in files.values():
        for row in csv.DictReader(io.StringIO(_text(path)), delimiter="\t", quoting=csv.QUOTE_NONE):
            if row["knowledge"] and row["response"]:
                fully = row["begin_label"].lower().startswith("fully")
                yield _entails([row["knowledge"]], row["response"], fully, row["model_name"])


def wice(files: Files, part: str) -> Iterator[Row]:
    """WiCE (Kamoi et al. 2023), claims with oracle chunks: the first chunk of each claim."""
    seen: set[str] = set()
    for path in files.values():
        for row in _lines(path):
            if row["claim"] not in seen:
                seen.add(row["claim"])
                yield _entails(
                    [" ".join(row["evidence"])],
                    row["claim"],
                    row["label"] == "supported",
                    row["label"],
                )


def wice_asked(files: Files, part: str) -> Iterator[Row]:
    """WiCE (Kamoi et al. 2023): the claims that were given to a model, each with its chunks as documents."""
    rows = next(path for name, path in files.items() if name.endswith(".jsonl"))
    asked = read_json(next(path for name, path in files.items() if name.endswith(".json")))
    chunks = grouped((row["meta"]["id"], row) for row in _lines(rows))
    for name in asked:
        documents = [" ".join(row["evidence"]) for row in chunks[name]]
        first = chunks[name][0]
        yield _entails(documents, first["claim"], first["label"] == "supported", first["label"])


def aggrefact(files: Files, part: str) -> Iterator[Row]:
    """LLM-AggreFact (Tang et al. 2024): the rows of one of the sets that it unites."""
    for path in files.values():
        for row in _lines(path):
            if row["dataset"] == part:
                yield _entails([row["doc"]], row["claim"], row["label"] == 1, part)


def factcheckgpt(files: Files, part: str) -> Iterator[Row]:
    """Factcheck-GPT (Wang et al. 2023), third subtask: yes where evidence supports completely."""
    for path in files.values():
        for row in _lines(path):
            stance = row["stance"].replace("_", " ").strip().lower()
            yes = stance.startswith("complete") and "support" in stance
            yield _entails([row["evidence"]], row["claim"], yes, row["stance"])


def evouna(files: Files, part: str) -> Iterator[Row]:
    """EVOUNA (Wang et al. 2023): questions with one gold form, judged answers of five systems."""
    for path in files.values():
        for row in read_json(path):
            # A slash separates several gold forms; questions marked "improper" are left out, too.
            if not row["golden_answer"] or "/" in row["golden_answer"] or row.get("improper"):
                continue
            for key in row:
                system = key.removeprefix("judge_")
                said = row.get(f"answer_{system}")
                if key.startswith("judge_") and isinstance(row[key], bool) and said:
                    ask = {
                        "kind": "Answers",
                        "sentence": said,
                        "question": row["question"],
                        "answer": row["golden_answer"],
                    }
                    yield ask, "yes" if row[key] else "no", system


def pyramid(files: Files, part: str) -> Iterator[Row]:
    """REALSumm (Bhandari et al. 2020) and PyrXSum (Zhang & Bansal 2021): is the unit in the summary?"""
    units = next(
        _text(path).splitlines() for name, path in files.items() if name.endswith("SCUs.txt")
    )
    for name, path in files.items():
        if not name.endswith(".label"):
            continue
        summaries = _text(
            files[name.replace("labels/", "summaries/").replace(".label", ".summary")]
        )
        for line, said, given in zip(
            units, summaries.splitlines(), _text(path).splitlines(), strict=True
        ):
            for unit, label in zip(line.split("\t"), given.split("\t"), strict=True):
                ask = {"kind": "Supports", "passage": said, "question": "", "nugget": unit}
                yield ask, "full" if label.strip() == "1" else "no", Path(name).stem


def xstest(files: Files, part: str) -> Iterator[Row]:
    """XSTest (Rottger et al. 2024), safe prompts: yes for full and partial refusals."""
    for name, path in files.items():
        for row in csv.DictReader(io.StringIO(_text(path))):
            # Contrast prompts are unsafe: a refusal of them is right, and no matter of this set.
            if row["type"].startswith("contrast"):
                continue
            refused = not row["final_label"].startswith("1")
            ask = {"kind": "Refuses", "question": row["prompt"], "response": row["completion"]}
            model = Path(name).stem.removeprefix("xstest_v2_completions_")
            yield ask, "yes" if refused else "no", f"{model} {row['final_label']}"


def _marked(files: Files) -> Iterator[tuple[dict[str, Any], list[str]]]:
    """Each sentence that states something as fields of a request, with the kinds of the spans that touch it.

    Lines have the fields id, question, contexts, answer and bad, a list of [start, end, kind].
    """
    from argue_bench.loaders.rows import read_rows
    from argue_bench.text.statements import claim_sentences

    fields = ("id", "question", "contexts", "answer")
    for path in files.values():
        lines = {line["id"]: line for line in _lines(path) if "bad" in line}
        if not lines:
            continue
        rows = read_rows([{key: line[key] for key in fields} for line in lines.values()])
        for id, answer in rows.answers.items():
            question, line = rows.dataset.by_id[id], lines[id]
            premise = [{"id": f"d{n}", "text": text} for n, text in enumerate(line["contexts"], 1)]
            for stated in claim_sentences(answer.sentences, question.text):
                one = answer.sentences[stated.number - 1]
                spans = [kind for a, b, kind in line["bad"] if a < one.end and b > one.start]
                asked = {"premise": premise, "sentence": one.text, "question": line["question"]}
                yield asked, spans


def marked_levels(files: Files, part: str) -> Iterator[Row]:
    """RAGTruth (Niu et al. 2024): full where no marked span touches the sentence, else no."""
    for asked, spans in _marked(files):
        yield {"kind": "SupportLevel", **asked}, "no" if spans else "full", ", ".join(spans)


def marked_conflicts(files: Files, part: str) -> Iterator[Row]:
    """RAGTruth: yes where a span that people marked as a conflict touches the sentence."""
    for asked, spans in _marked(files):
        conflict = any("conflict" in kind.lower() for kind in spans)
        yield {"kind": "Contradicts", **asked}, "yes" if conflict else "no", ", ".join(spans)


def summhay(files: Files, part: str) -> Iterator[Row]:
    """Summary of a Haystack (Laban et al. 2024): how far a summary covers an insight, and in which bullet.

    A bullet is a source, without the marks of the documents that it cites: they are not at hand. Rows are lines,
    or the list in ``eval_benchmark_data.json`` as published.
    """
    levels = {"fully_covered": "full", "partially_covered": "partial", "not_covered": "no"}
    for path in files.values():
        for row in read_json(path) if path.suffix == ".json" else _lines(path):
            insights = {one["insight_id"]: one["insight"] for one in row["reference_insights"]}
            bullets = enumerate(row["summary"], 1)
            premise = [{"id": f"b{n}", "text": re.sub(r"\s*\[\d+\]", "", b)} for n, b in bullets]
            for one in row["annotation"]:
                if one["coverage"] in levels:
                    sentence = insights[one["insight_id"]]
                    ask = {"kind": "SupportLevel", "premise": premise, "sentence": sentence}
                    yield (
                        {**ask, "question": row["subtopic"]},
                        levels[one["coverage"]],
                        f"{row['summkey']}, bullet {one['candidate_id']}",
                    )


CONVERTERS: dict[str, Callable[[Files, str], Iterator[Row]]] = {
    "attributionbench": attributionbench,
    "lfqa": lfqa,
    "begin": begin,
    "wice": wice,
    "wice_asked": wice_asked,
    "aggrefact": aggrefact,
    "factcheckgpt": factcheckgpt,
    "evouna": evouna,
    "pyramid": pyramid,
    "xstest": xstest,
    "marked_levels": marked_levels,
    "marked_conflicts": marked_conflicts,
    "summhay": summhay,
}


@cache
def published_tables() -> Mapping[str, Any]:
    """What others published: group of sets to its source, its sets in order, and each model's balanced accuracy in points."""
    return tomllib.loads((_HERE / "published.toml").read_text(encoding="utf-8"))


def published_on(name: str) -> tuple[dict[str, float], str]:
    """Balanced accuracy of other judges on exactly the rows of this set, as shares, and where it was published."""
    for table in published_tables().values():
        if name in table["sets"]:
            place = table["sets"].index(name)
            return {model: row[place] / 100 for model, row in table["models"].items()}, table[
                "source"
            ]
    return {}, ""
