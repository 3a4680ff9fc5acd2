"""The same perfect report in many forms. A row of them all goes over a board's whole path: it is accepted, flagged for
nothing, and has the scores of prose; a judge that knows what each sentence states gives every form every point."""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from itertools import cycle
from pathlib import Path

import pytest

from argue_bench import evaluate
from argue_bench.judges.functions import Given
from argue_bench.leaderboard.seasons.sealing import Terms
from argue_bench.loaders.answers import citation_indexes
from argue_bench.loaders.dataset import Dataset
from argue_bench.loaders.limits import text_length
from argue_bench.records import (
    Answers,
    Confirms,
    Document,
    Entails,
    Failed,
    FirstInstance,
    Gold,
    JudgeRequest,
    NeedsCitation,
    NegativeAssertion,
    Question,
)
from tests.leaderboard.repositories import (
    SEASON,
    SEED,
    TOPICS,
    Repository,
    new_repository,
    seal_world,
)
from tests.leaderboard.steps import Steps, with_secrets
from tools.core_set.oracle import Oracle
from tools.core_set.scripted import Reporter, ScriptedSentence
from tools.core_set.systems import synthetic_dataset
from tools.core_set.topic import GeneratedTopic
from tools.core_set.world import World

RANKED = ("argue.f1", "argue.nugget_coverage", "argue.sentence_support", "citations.f1")
WORLD = list(World(SEED, TOPICS).topics())
SET = synthetic_dataset(WORLD)


class Report:
    """A perfect report on a topic, its sentences by what they are about, and its documents by number."""

    def __init__(self, topic: GeneratedTopic) -> None:
        reporter = Reporter(topic, "perfect")
        told = [(one.subject.full["en"], reporter.cell(one)) for one in reporter.known]
        self.parts = {"Overview": [reporter.members()]}
        for name, sentence in sorted(told, key=lambda one: one[0]):
            self.parts.setdefault(name[0].upper() + name[1:], []).append(sentence)
        if unknown := reporter.negatives():
            self.parts["Open points"] = unknown
        self.sentences = [one for part in self.parts.values() for one in part]
        self.documents: Sequence[str] = topic.question.documents
        self.asked = topic.question.text
        self.title = topic.question.request.title if topic.question.request else ""
        cited = dict.fromkeys(id for one in self.sentences for id in one.cites)
        self.listed = {id: number for number, id in enumerate(cited, 1)}

    def cited(
        self, form: Callable[[str], str] = "[{}]".format, behind: str | None = None
    ) -> list[str]:
        """The sentences; ``behind``: what stands between a full stop and the citation after it."""
        return [_cited(one, form, behind) for one in self.sentences]

    def number(self, id: str) -> int:
        return self.documents.index(id) + 1

    def in_parts(self, head: str, line: str) -> str:
        lines = {
            name: [line.format(at, _cited(one)) for at, one in enumerate(part, 1)]
            for name, part in self.parts.items()
        }
        return "\n\n".join(head.format(name) + "\n".join(part) for name, part in lines.items())

    def with_list(self, mark: str, head: str, entry: str) -> str:
        said = " ".join(self.cited(lambda id: mark.format(self.listed[id])))
        entries = "\n".join(entry.format(number, id) for id, number in self.listed.items())
        return f"{said}\n\n{head}{entries}"


def _cited(
    one: ScriptedSentence, form: Callable[[str], str] = "[{}]".format, behind: str | None = None
) -> str:
    marks, words = "".join(map(form, one.cites)), one.text.rstrip(".")
    if not marks:
        return one.text
    return f"{words} {marks}." if behind is None else f"{words}.{behind}{marks}"


FORMS: dict[str, Callable[[Report], str]] = {
    "prose": lambda r: " ".join(r.cited("[{}]".format)),
    "a list": lambda r: "\n".join(f"- {one}" for one in r.cited("[{}]".format)),
    "lines": lambda r: "\n".join(r.cited("[{}]".format)),
    "numbers under headings": lambda r: r.in_parts("## {}\n\n", "{}. {}"),
    "headings": lambda r: r.in_parts("# {}\n\n", "{1}"),
    "bold headings": lambda r: r.in_parts("**{}**\n", "* {1}"),
    "a table of findings": lambda r: (
        "| Finding |\n|---|\n" + "\n".join(f"| {one} |" for one in r.cited("[{}]".format))
    ),
    "a column of sources": lambda r: (
        "| Finding | Source |\n|---|---|\n"
        + "\n".join(
            f"| {one.text} | {''.join(f'[{id}]' for id in one.cites)} |" for one in r.sentences
        )
    ),
    "bold names": lambda r: " ".join(r.cited("[{}]".format)).replace("The ", "**The** "),
    "code beside": lambda r: (
        " ".join(r.cited("[{}]".format)) + "\n\n```python\nprint(sorted([3, 1, 2]))\n```"
    ),
    "in a fence": lambda r: f"```markdown\n{r.in_parts('## {}' + chr(10), '- {1}')}\n```",
    "courtesies": lambda r: " ".join(r.cited("[{}]".format)) + "\n\nI hope this helps!",
    "behind the full stop": lambda r: " ".join(r.cited("[{}]".format, " ")),
    "right behind it": lambda r: " ".join(r.cited("[{}]".format, "")),
    "by number": lambda r: " ".join(r.cited(lambda id: f"[{r.number(id)}]")),
    "by number, behind": lambda r: " ".join(r.cited(lambda id: f"[{r.number(id)}]", "")),
    "documents in words": lambda r: " ".join(r.cited(lambda id: f"[Document {r.number(id)}]")),
    "links to notes": lambda r: " ".join(r.cited(lambda id: f"[{r.number(id)}](#{id})")),
    "wide brackets": lambda r: " ".join(r.cited(lambda id: f"【{r.number(id)}】")),
    "raised": lambda r: " ".join(r.cited(lambda id: f"<sup>{r.number(id)}</sup>", "")),
    "footnotes": lambda r: r.with_list("[^{}]", "", "[^{}]: {}"),
    "a list of references": lambda r: r.with_list("[{}]", "## References\n\n", "[{}] {}"),
}


def _rows(r: Report, head: str, line: str, source: Callable[[str], str]) -> str:
    """A table; ``line`` has the place of a number, a sentence and its sources."""
    filled = (
        line.format(at, one.text, ", ".join(map(source, one.cites)) or "–")
        for at, one in enumerate(r.sentences, 1)
    )
    return "\n".join([head, re.sub(r"[^|]+", "---", head), *filled])


def _under(r: Report, cited: str, bare: str) -> list[str]:
    """The sentences; ``cited`` has the place of one and of its sources, ``bare`` of one without any."""
    return [
        cited.format(one.text, "".join(map("[{}]".format, one.cites)))
        if one.cites
        else bare.format(one.text)
        for one in r.sentences
    ]


def _prose(r: Report) -> str:
    return " ".join(r.cited("[{}]".format))


# What models, products and people write besides.
WRITTEN: dict[str, Callable[[Report], str]] = {
    "a table that counts its rows": lambda r: _rows(
        r, "| # | Finding | Source |", "| {} | {} | {} |", "[{}]".format
    ),
    "a column of ids": lambda r: _rows(r, "| Finding | Source |", "| {1} | {2} |", str),
    "a column of numbers": lambda r: _rows(
        r, "| No. | Finding | Ref. |", "| {} | {} | {} |", lambda id: str(r.number(id))
    ),
    "paragraphs of HTML": lambda r: "".join(f"<p>{one}</p>" for one in r.cited()),
    "a list of HTML": lambda r: (
        "<ul>\n" + "\n".join(f"<li>{one}</li>" for one in r.cited()) + "\n</ul>"
    ),
    "breaks of HTML": lambda r: "<br>".join(r.cited()),
    "a folded part of HTML": lambda r: (
        f"<details><summary>Report</summary>\n\n{_prose(r)}\n\n</details>"
    ),
    "tags around the answer": lambda r: f"<answer>\n{_prose(r)}\n</answer>",
    "tags around what is cited": lambda r: " ".join(
        f'<cite index="{",".join(f"{r.number(id)}-1" for id in one.cites)}">{one.text.rstrip(".")}</cite>.'
        if one.cites
        else one.text
        for one in r.sentences
    ),
    "raised ids": lambda r: " ".join(r.cited("<sup>[{}]</sup>".format, "")),
    "labels that count": lambda r: "\n\n".join(
        f"**Point {at}:** {one}" for at, one in enumerate(r.cited(), 1)
    ),
    "the word document before ids": lambda r: " ".join(r.cited("[Document: {}]".format)),
    "passages in round brackets": lambda r: " ".join(
        r.cited(lambda id: f"(Passage {r.number(id)})")
    ),
    "chunks": lambda r: " ".join(r.cited(lambda id: f"[Chunk {r.number(id)}]")),
    "sources below items": lambda r: "\n".join(
        f"- {one.text}\n  Source: {', '.join(one.cites)}" if one.cites else f"- {one.text}"
        for one in r.sentences
    ),
    "lines of 80 columns": lambda r: textwrap.fill(_prose(r), 80),
    "items of 60 columns": lambda r: "\n".join(
        textwrap.fill(f"- {one}", 60, subsequent_indent="  ") for one in r.cited()
    ),
    "a source behind each sentence": lambda r: " ".join(_under(r, "{} Source: {}.", "{}")),
    "evidence below items": lambda r: "\n".join(_under(r, "- {}\n  - Evidence: {}", "- {}")),
    "claims and evidence": lambda r: "\n\n".join(_under(r, "{}\n**Evidence:** {}", "{}")),
    "sentences in a cell": lambda r: (
        "| Findings |\n|---|\n"
        + "\n".join(f"| {' '.join(map(_cited, one))} |" for one in r.parts.values())
    ),
    "bullets in a cell": lambda r: (
        "| Findings |\n|---|\n"
        + "\n".join(
            f"| {'<br>'.join(f'• {_cited(each)}' for each in one)} |" for one in r.parts.values()
        )
    ),
    "a fence behind an announcement": lambda r: (
        f"Here is the report:\n\n```markdown\n# Report\n\n{_prose(r)}\n```\n\nLet me know if you need more."
    ),
    "quotes around all": lambda r: f"“{_prose(r)}”",
    "an announcement": lambda r: f"Below is a report on {r.title}.\n\n{_prose(r)}",
    "a note on its sources": lambda r: (
        f"{_prose(r)}\n\nNote: This report is based solely on the provided documents."
    ),
    "an offer": lambda r: (
        f"{_prose(r)}\n\nLet me know if you would like more details on any of these points!"
    ),
    "a last line of sources": lambda r: (
        f"{_prose(r)}\n\n*Sources: {', '.join(f'[{id}]' for id in r.listed)}*"
    ),
    "a table of sources": lambda r: r.with_list(
        "[{}]", "## Sources\n\n| # | Document |\n|---|---|\n", "| {} | {} |"
    ),
    "the question over it": lambda r: f"**Question:** {r.asked}\n\n**Answer:** {_prose(r)}",
}
REPORTS = {topic.id: Report(topic) for topic in WORLD}
# Bold words, bullets and tables are signs that a reader sees; a way of citing is none.
CITING = [
    *("behind the full stop", "right behind it", "by number", "by number, behind"),
    *("documents in words", "wide brackets", "raised", "footnotes", "a list of references"),
]


# Every third topic: a form costs the same on all.
SOME = SET[::3]


def rows(form: str) -> list[dict[str, str]]:
    write = (FORMS | WRITTEN)[form]
    return [{"id": one.id, "answer": write(REPORTS[one.id])} for one in SOME]


@pytest.fixture(scope="module")
def board(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    """A board that tells every score, so that a lost tenth of a point is seen."""
    folder = tmp_path_factory.mktemp("honest")
    terms = Terms(
        SEASON, metrics=("argue", "citations", "accuracy"), quota=None, told="all", sentences=100
    )
    key = seal_world(folder / "season", SEED, TOPICS, terms)
    return new_repository(folder / "board", folder / "season", key)


def row(board: Repository, name: str, forms: Sequence[str], folder: Path) -> dict[str, float]:
    """The scores of an accepted row, which nothing is said against; its answers take turns with the forms."""
    written = zip(REPORTS.items(), cycle(forms))
    answers = "".join(
        json.dumps({"id": id, "answer": FORMS[form](one)}, ensure_ascii=False) + "\n"
        for (id, one), form in written
    )
    steps = Steps(board, board.send(name, answers=answers), folder / name)
    outcome = steps.whole()
    assert outcome["state"] == "scored"
    assert outcome["findings"] == []
    result = json.loads(board.at("leaderboard-results", f"results/{SEASON}/{name}.json"))
    setting = result["settings"]["openbook"]
    assert not setting["answers"].get("flags")
    return {key: setting["scores"][key]["value"] for key in RANKED}


# Under a column's name a sentence is "Finding: ...", of which the lexical judge knows 96 of 100 again.
ROWS = [one for one in FORMS if one not in ("prose", "a table of findings", "a column of sources")]


def test_a_row_in_all_these_forms_earns_what_prose_earns(
    board: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_secrets(monkeypatch, board)
    prose = row(board, "prose", ["prose"], tmp_path)
    assert min(prose.values()) > 0.8
    assert len(ROWS) <= TOPICS
    assert row(board, "forms", ROWS, tmp_path) == prose


def reading_judge() -> Callable[[JudgeRequest], Given]:
    """The oracle, which finds the statements that it knows under a table's column too; other texts state nothing."""
    oracle = Oracle()
    for topic in WORLD:
        oracle.learn(topic, REPORTS[topic.id].sentences)
    known = [one.text for report in REPORTS.values() for one in report.sentences]

    def read(text: str) -> str:
        return next((one for one in known if text.endswith(one)), text)

    def judge(request: JudgeRequest) -> Given:
        match request:
            case Entails():
                request = replace(request, hypothesis=read(request.hypothesis))
            case FirstInstance():
                previous = tuple(map(read, request.previous))
                request = replace(request, sentence=read(request.sentence), previous=previous)
            case Answers() | Confirms() | NeedsCitation() | NegativeAssertion():
                request = replace(request, sentence=read(request.sentence))
        said = oracle.verdict(request)
        return False if isinstance(said, Failed) else said

    return judge


@cache
def by_lexical(form: str) -> dict[str, float]:
    report = evaluate(SOME, rows(form), metrics=["argue"])
    return {key: report.value(key) for key in RANKED[:3]}


@pytest.mark.parametrize("form", WRITTEN)
def test_what_people_write_besides_costs_nothing(form: str) -> None:
    """By the lexical judge, which reads words alone; a label, a tag or a frame are none of the report's."""
    lost = {key: by_lexical("prose")[key] - value for key, value in by_lexical(form).items()}
    # Behind a label the sentence before is no longer read for whom a sentence is about.
    assert max(lost.values()) < (0.02 if form == "labels that count" else 0.005), lost


@pytest.mark.parametrize("form", FORMS | WRITTEN)
def test_a_judge_that_knows_what_is_stated_gives_every_point(form: str) -> None:
    report = evaluate(SOME, rows(form), metrics=["argue"], judge=reading_judge())
    assert report.scores["argue.f1"].value == 1.0
    assert not report.failures


@pytest.mark.parametrize("form", CITING)
def test_no_way_of_citing_makes_an_answer_longer(form: str) -> None:
    """Whoever writes up to the limit may cite as others do: a longer answer would count as none."""
    index = citation_indexes(SET)
    for question in SET:
        plain, cited = (FORMS[one](REPORTS[question.id]) for one in ("prose", form))
        own = index(question)
        # Two blank lines lie between a text and its list.
        assert text_length(cited.rstrip(), own) <= text_length(plain, own) + cited.count("\n") + 1


GERMAN = {
    "Prosa": "Die Brücke wurde 1931 eröffnet [a]. Sie ist 412 Meter lang [b].",
    "Liste": "- Die Brücke wurde 1931 eröffnet [a].\n- Sie ist 412 Meter lang [b].",
    "Überschriften": "## Eröffnung\n\nDie Brücke wurde 1931 eröffnet [1].\n\n## Länge\n\nSie ist 412 Meter lang [2].",
}
JAPANESE = {
    "散文": "橋は1931年に開通しました[a]。長さは412メートルです[b]。",
    "箇条書き": "- 橋は1931年に開通しました[a]。\n- 長さは412メートルです[b]。",
    "見出し": "## 開通\n\n橋は1931年に開通しました。[1]\n\n## 長さ\n\n長さは412メートルです【2】。",
}
SOURCES = {
    "de": ("Die Brücke wurde 1931 eröffnet.", "Sie ist 412 Meter lang."),
    "ja": ("橋は1931年に開通しました。", "長さは412メートルです。"),
}


def quoted(request: JudgeRequest) -> Given:
    """Whether a sentence stands in its source, word for word, in any language; a short one may follow its question."""
    assert isinstance(request, Entails)
    return any(request.hypothesis.endswith(one.text) for one in request.premise)


@pytest.mark.parametrize(("language", "forms"), [("de", GERMAN), ("ja", JAPANESE)])
def test_other_languages_are_read_in_every_form(language: str, forms: dict[str, str]) -> None:
    documents = {
        id: Document(id, text, language=language)
        for id, text in zip("ab", SOURCES[language], strict=True)
    }
    asked = Question("q", "Was?", documents=("a", "b"), language=language, gold=Gold(answer="1931"))
    one = Dataset("other", "dev", (asked,), documents)
    found = {
        form: evaluate(
            one, [{"id": "q", "answer": text}], metrics=["citations"], judge=quoted
        ).scores
        for form, text in forms.items()
    }
    assert {form: scores["citations.f1"].value for form, scores in found.items()} == dict.fromkeys(
        forms, 1.0
    )
