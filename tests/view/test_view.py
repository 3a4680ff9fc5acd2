"""The report viewer: what was judged is what is shown, and labels come back as a label file."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from argue_bench import from_rows, load
from argue_bench.cli import main
from argue_bench.errors import DataError
from argue_bench.eval import evaluate
from argue_bench.eval.run import read_entries, read_header, read_reports
from argue_bench.judges.base import Counts
from argue_bench.judges.recorded import read_labels
from argue_bench.lab.labels import read_all_labels
from argue_bench.lab.labels_page import WholeQuestions, draw_questions, draw_sample, label_page
from argue_bench.loaders import read_answers
from argue_bench.records import KINDS, Answer, JudgeRequest, Sentence, Verdict, request_from_json
from argue_bench.text import read_answer
from argue_bench.view.answer_text import mark_words, passage, shown, words_of
from argue_bench.view.compare import write_comparison
from argue_bench.view.pages import write_viewer
from tests.shared import ROOT

RUNS = ROOT / "argue_bench/data/core/sample-runs"
SAMPLE = load("core", split="sample")


def make_run(
    folder: Path, name: str = "careless", metrics: tuple[str, ...] = ("argue", "accuracy")
) -> Path:
    answers = read_answers(RUNS / f"{name}.jsonl", SAMPLE, "auto")
    run = folder / f"{name}.run"
    evaluate(SAMPLE, answers.values(), list(metrics), judge="lexical", out=run)
    return run


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_run(tmp_path_factory.mktemp("run"))


@pytest.fixture(scope="module")
def pages(run: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("view") / "pages"
    done = write_viewer(run, SAMPLE, out, label=label_page(150, None, ()))
    assert (done.topics, done.requests, done.findings) == (8, 150, [])
    return out


def data(pages: Path) -> list[dict[str, Any]]:
    return [
        json.loads(path.read_text("utf-8")) for path in sorted((pages / "data/v1").glob("*.json"))
    ]


def test_every_topic_has_its_pages(pages: Path) -> None:
    stems = [f"{n:03d}-{q.id}" for n, q in enumerate(SAMPLE, 1)]
    for stem in stems:
        assert (pages / f"{stem}.html").is_file()
        assert (pages / f"{stem}-sentences.html").is_file()
    front = (pages / "index.html").read_text("utf-8")
    assert all(f'href="{stem}.html"' in front for stem in stems)
    for page in [front, *((pages / f"{stem}.html").read_text("utf-8") for stem in stems)]:
        assert page.count("far too small to rank systems") == 1


def test_fates_add_up_to_what_was_counted(run: Path, pages: Path) -> None:
    """The pages' fates against the tallies of the run file: two ways to the same numbers."""
    tallies = {entry.answer.id: entry.tallies["argue"] for entry in read_entries(run)}
    for topic in data(pages):
        fates = [sentence["outcome"] for sentence in topic["sentences"]]
        counted = tallies[topic["id"]]
        assert counted is not None
        assert fates.count("supported") == counted["correctly_cited_sentences"].numerator
        assert len(fates) == counted["sentences"].numerator
        assert sum(n["correct"] for n in topic["nuggets"]) == counted["correct_nuggets"].numerator
        attested = [c["attested"] for s in topic["sentences"] for c in s["citations"]]
        assert attested.count(True) == counted["supporting_citations"].numerator


def test_without_its_store_a_run_is_shown_without_judgments(run: Path, tmp_path: Path) -> None:
    alone = tmp_path / "alone.run"
    alone.write_bytes(run.read_bytes())
    done = write_viewer(alone, SAMPLE, tmp_path / "pages")
    assert [finding.code for finding in done.findings] == ["not-judged"]
    page = (tmp_path / "pages" / "001-flood-toll.html").read_text("utf-8")
    assert "The toll was later raised to eleven." in page
    assert "No verdicts were kept for this answer" in page
    with pytest.raises(DataError, match="no verdicts to label"):
        write_viewer(alone, SAMPLE, tmp_path / "labels", label=label_page(10, None, ()))


def test_another_set_is_refused(run: Path, tmp_path: Path) -> None:
    from dataclasses import replace

    other = replace(SAMPLE, declared_digest="sha256:" + "0" * 64)
    with pytest.raises(DataError, match="core-sample"):
        write_viewer(run, other, tmp_path / "pages")


def test_labels_are_drawn_evenly_and_the_same_each_time(run: Path) -> None:
    store = run.parent / read_header(run).store
    sample, strata = draw_sample(store, most=30)
    assert (sample, strata) == draw_sample(store, most=30)
    assert len({json.dumps(request, sort_keys=True) for request in sample}) == 30
    kinds = {kind for kind, _ in strata}
    assert {request["kind"] for request in sample} == kinds
    from collections import Counter

    counts = Counter(request["kind"] for request in sample)
    small = min(sum(n for (k, _), n in strata.items() if k == kind) for kind in kinds)
    assert min(counts.values()) >= min(small, 30 // len(strata))


def test_the_asks_on_the_page_make_a_label_file(pages: Path, tmp_path: Path) -> None:
    page = (pages / "label.html").read_text("utf-8")
    (block,) = re.findall(
        r'<script type="application/json" id="requests">(.*?)</script>', page, re.S
    )
    requests = json.loads(block)
    assert len(requests) == 150
    path = tmp_path / "labels.jsonl"
    path.write_text(
        "".join(
            json.dumps({"ask": a["ask"], "verdict": a["verdicts"][0]}) + "\n" for a in requests
        ),
        "utf-8",
    )
    labels = read_labels(path)
    assert len(labels) == 150
    assert all(type(label.request) in KINDS.values() for label in labels)


def test_a_passage_is_where_the_words_are() -> None:
    text = (
        "Nothing here. " * 60
        + "The river rose 6.71 m at Quenholt in the night. "
        + "Nor here. " * 60
    )
    found = passage(text, "At Quenholt the river rose by 6.71 m.", 120)
    shown = "".join(piece for piece, _ in found)
    assert "6.71 m at Quenholt" in shown
    assert len(shown) < 130
    assert {piece for piece, hit in found if hit} == {"river", "rose", "6.71", "Quenholt"}


@pytest.mark.parametrize("text", ["", "x", "a b", "é" * 500, "one 1,000 two"])
def test_marking_loses_nothing(text: str) -> None:
    assert "".join(piece for piece, _ in mark_words(text, words_of("one 1,000 é"))) == text


def test_a_report_of_500_sentences_stays_small(tmp_path: Path) -> None:
    answer = " ".join(
        f"Sentence number {n} says that {n} people lived at Quenholt near the river [D{n % 30 + 1:02d}]."
        for n in range(500)
    )
    run = tmp_path / "long.run"
    evaluate(
        SAMPLE, [{"id": "flood-toll", "answer": answer}], ["argue"], only_answered=True, out=run
    )
    write_viewer(run, SAMPLE, tmp_path / "pages")
    topic = json.loads((tmp_path / "pages/data/v1/001-flood-toll.json").read_text("utf-8"))
    assert len(topic["sentences"]) == 500
    assert (tmp_path / "pages/001-flood-toll.html").stat().st_size < 200_000
    for end in ("", "-2", "-3", "-4"):
        path = tmp_path / f"pages/001-flood-toll-sentences{end}.html"
        assert path.stat().st_size < 200_000
    assert 'id="s151"' in (tmp_path / "pages/001-flood-toll-sentences-2.html").read_text("utf-8")


class Talkative:
    """A judge by shape that says yes to everything, with what went over the wire."""

    name, kinds, batch, counts = "talkative", frozenset(KINDS.values()), 64, Counts()

    def identity(self) -> dict[str, str]:
        return {"prompt": "v7"}

    async def judge(
        self, requests: Sequence[JudgeRequest]
    ) -> AsyncIterator[tuple[JudgeRequest, Verdict]]:
        for request in requests:
            text = f"<b>request</b> for {type(request).__name__} \u202e"
            yield request, Verdict("yes", "because", text, '{"verdict": "yes"} </pre><script>')


def test_raw_replies_stand_in_a_file_of_their_own(tmp_path: Path) -> None:
    run = tmp_path / "said.run"
    answer = "Eleven people died [D03]. The toll was raised [D05]."
    evaluate(
        SAMPLE,
        [{"id": "flood-toll", "answer": answer}],
        ["argue"],
        judge=Talkative(),
        only_answered=True,
        out=run,
    )
    write_viewer(run, SAMPLE, tmp_path / "pages")
    sentences = (tmp_path / "pages/001-flood-toll-sentences.html").read_text("utf-8")
    replies = (tmp_path / "pages/001-flood-toll-replies.html").read_text("utf-8")
    assert "talkative prompt:v7" in sentences
    keys = set(re.findall(r"-replies\.html#(k[0-9a-f]{16})", sentences))
    assert keys
    assert all(f'id="{key}"' in replies for key in keys)
    assert "&lt;b&gt;request&lt;/b&gt; for Entails ⟨U+202E⟩" in replies
    assert "because" in sentences
    assert "request</b>" not in sentences
    assert "<script>" not in replies.replace('<script src="', "")
    reread = next(iter(read_entries(run)))
    assert replies.count('class="raw"') == len(set(reread.requests["argue"]))


def test_several_runs_in_one_file_stand_side_by_side(run: Path, tmp_path: Path) -> None:
    header, *lines = run.read_text("utf-8").splitlines()
    both = [header]
    for name in ("First run", "../second"):
        for line in lines:
            entry = json.loads(line)
            entry["answer"]["run"] = name
            both.append(json.dumps(entry))
    path = tmp_path / "both.run"
    path.write_text("\n".join(both) + "\n", "utf-8")
    (tmp_path / read_header(run).store).write_bytes(
        (run.parent / read_header(run).store).read_bytes()
    )
    done = write_viewer(path, SAMPLE, tmp_path / "pages")
    assert done.topics == 16
    front = (tmp_path / "pages/index.html").read_text("utf-8")
    for folder in ("01-first-run", "02-second"):
        assert f'href="{folder}/index.html"' in front
        assert (tmp_path / "pages" / folder / "001-flood-toll.html").is_file()


def test_counts_are_counts_and_what_does_not_apply_is_a_dash(tmp_path: Path) -> None:
    """ferry-cause and its like: 1 of 1 is a share, 1 citation is a count, and nothing is 0 that was
    not counted."""
    run = make_run(tmp_path, metrics=("argue", "citations", "grounding", "length"))
    write_viewer(run, SAMPLE, tmp_path / "pages")
    seen = set()
    for topic in data(tmp_path / "pages"):
        units = {(m["metric"], s["name"]): s["unit"] for m in topic["metrics"] for s in m["scores"]}
        assert units["argue", "sentences"] == units["citations", "correct"] == "count"
        assert units["citations", "supported"] == units["length", "words"] == "count"
        assert units["citations", "recall"] == units["argue", "nugget coverage"] == "share"
        assert (
            units["grounding", "answered"]
            == units["grounding", "citation precision strict"]
            == "share"
        )
        heads = [(one["metric"], one["name"]) for one in topic["main_scores"]]
        assert heads[:4] == [
            ("argue", name)
            for name in ("f1", "nugget coverage", "sentence support", "citation support")
        ]
        assert not {name for _, name in heads} & {"correct", "citations", "supported", "sentences"}
        if not topic["answerable"]:
            seen |= {one["name"] for one in topic["main_scores"] if one["value"] is None}
            place = next((tmp_path / "pages").glob(f"*-{topic['id']}.html"))
            assert '<span title="does not apply to this question">–</span>' in place.read_text()
    assert {"recall", "precision"} <= seen


def test_whole_questions_are_drawn_with_every_request(run: Path, tmp_path: Path) -> None:
    header = read_header(run)
    metrics = list(next(iter(read_reports(run).values())).metrics.values())
    entries = list(read_entries(run))
    store = run.parent / header.store

    def drawn(**how: Any) -> list[Any]:
        return draw_questions(store, entries, SAMPLE, metrics, WholeQuestions(**how))

    three = drawn(questions=3)
    ids = list(dict.fromkeys(line["question"] for line in three))
    assert len(ids) == 3
    keys = {key for e in entries if e.answer.id in ids for ks in e.requests.values() for key in ks}
    closed = {
        request.key
        for line in three
        if isinstance((request := request_from_json(dict(line["ask"]))).verdicts, tuple)
    }
    assert closed <= keys
    # The first questions of a larger sample are those of a smaller one.
    assert list(dict.fromkeys(line["question"] for line in drawn(questions=5)))[:3] == ids


def test_what_is_labelled_is_not_asked_again(run: Path, tmp_path: Path) -> None:
    metrics = list(next(iter(read_reports(run).values())).metrics.values())
    entries, store = list(read_entries(run)), run.parent / read_header(run).store
    whole = draw_questions(store, entries, SAMPLE, metrics, WholeQuestions(2))
    file = tmp_path / "labels.jsonl"
    lines = [{**line, "verdict": KINDS[line["ask"]["kind"]].verdicts[0]} for line in whole]  # type: ignore[index]
    file.write_text("".join(json.dumps(line) + "\n" for line in lines[: len(lines) // 2]))
    rest = draw_questions(
        store, entries, SAMPLE, metrics, WholeQuestions(2, labels=read_all_labels([file]))
    )
    asked = {json.dumps(line["ask"], sort_keys=True) for line in rest}
    assert asked.isdisjoint(
        json.dumps(one["ask"], sort_keys=True) for one in lines[: len(lines) // 2]
    )
    assert {json.dumps(one["ask"], sort_keys=True) for one in lines[len(lines) // 2 :]} <= asked


def test_the_command_asks_about_whole_questions(run: Path, tmp_path: Path) -> None:
    command = ["view", str(run), "--dataset", "core", "--split", "sample", "--out", str(tmp_path)]
    done = CliRunner().invoke(main, [*command, "--label", "--questions", "2"])
    assert done.exit_code == 0, done.output
    page = (tmp_path / "label.html").read_text("utf-8")
    assert "judgments of 2 questions, drawn at random" in page
    (block,) = re.findall(
        r'<script type="application/json" id="requests">(.*?)</script>', page, re.S
    )
    assert len({line["question"] for line in json.loads(block)}) == 2
    without = CliRunner().invoke(main, [*command, "--questions", "2"])
    assert without.exit_code == 2
    assert "go with --label" in without.output


def test_rows_have_their_scores_under_their_names_and_reasons_under_their_signs(
    tmp_path: Path,
) -> None:
    rows = [
        {"question": "A?", "contexts": ["The mill is red."], "answer": "The mill is red."},
        {"question": "B?", "contexts": ["It has 8 rooms."], "answer": "I do not know."},
        {"question": "C?", "contexts": ["It has 8 rooms."], "answer": "It has 9 rooms."},
    ]
    dataset, answers = from_rows(rows)
    evaluate(dataset, answers, out=tmp_path / "run")
    write_viewer(tmp_path / "run", dataset, tmp_path / "pages")
    front = (tmp_path / "pages/index.html").read_text("utf-8")
    table = front.partition("<tbody>")[2].partition("</tbody>")[0]
    cells = [re.findall(r"<td>(.*?)</td>", row)[:2] for row in table.split("</tr>")[:3]]
    assert cells == [["100.0", "100.0"], ["–", "0.0"], ["0.0", "100.0"]]
    assert front.index("Faithfulness</dt>") < front.index("Questions answered</dt>")
    refusing = (tmp_path / "pages/002-row-2.html").read_text("utf-8")
    assert refusing.index(">Faithfulness</dt>") < refusing.index(">Questions answered</dt>")
    wrong = (tmp_path / "pages/003-row-3.html").read_text("utf-8")
    assert '<small class="why">it says 8, not 9</small>' in wrong
    assert "citations: 0" not in (tmp_path / "pages/003-row-3-sentences.html").read_text("utf-8")


def test_a_courtesy_is_shown_as_left_out_and_a_bare_yes_with_what_it_was_judged_with(
    tmp_path: Path,
) -> None:
    answer = "Yes. Here is what I found.\n\nThe mill is red. Hope this helps!"
    rows = tmp_path / "rows.jsonl"
    rows.write_text(
        json.dumps({"question": "Is it?", "contexts": ["The mill is red."], "answer": answer})
    )
    done = CliRunner().invoke(main, ["evaluate", str(rows), "--out", str(tmp_path / "run")])
    assert done.exit_code == 0, done.output
    assert (
        "of the words are left out, since they state nothing: 2 sentences such as " in done.stderr
    )
    assert "such as row-1: Here is what I found." in done.stderr
    assert re.search(r"faithfulness.supported +100.0", done.stdout)
    viewed = ["view", str(tmp_path / "run"), "--out", str(tmp_path / "pages")]
    assert CliRunner().invoke(main, viewed).exit_code == 0
    page = (tmp_path / "pages/001-row-1.html").read_text("utf-8")
    assert re.findall(r'class="s-(\w+)"', page) == ["supported", "unstated"] * 2


def test_an_answer_is_shown_as_it_would_look_and_never_as_html() -> None:
    text = "## Halls\n\n- **Open** [1] <b>now</b>.\n- It is [old](javascript:alert(1)).\n\n| A |\n|-|\n| x |"
    parts = shown(read_answer("q", text, [("d1", "One")]))
    tags = [part.tag for part in parts if part.tag and not part.close]
    assert tags == [
        "h3",
        "ul",
        "li",
        "strong",
        "li",
        "table",
        "thead",
        "tr",
        "th",
        "tbody",
        "tr",
        "td",
    ]
    words = {n: "".join(p.text for p in parts if p.n == n).strip() for n in (1, 2, 3)}
    assert words == {1: "Open <b>now</b>.", 2: "It is [old](javascript:alert(1)).", 3: "x"}
    assert shown(Answer("q", "It is old ⸦.", (Sentence("It is old ⸦."),))) == []


def test_a_row_is_shown_in_the_words_of_its_reader(tmp_path: Path) -> None:
    rows = [
        {
            "question": "When did it open?",
            "contexts": ["It **opened** in 1931.\r\nIt has\t8 rooms."],
            "answer": "It was **not** opened in 1931.\n\n| what | how many |\n|---|---|\n| rooms | 8 |",
        },
        {"question": "B?", "contexts": ["The mill is red."], "answer": "The mill is red."},
    ]
    dataset, answers = from_rows(rows)
    evaluate(dataset, answers, ["faithfulness"], out=tmp_path / "run")
    done = write_viewer(tmp_path / "run", dataset, tmp_path / "pages")
    assert (done.topics, done.kind) == (2, "rows")
    page = (tmp_path / "pages/001-row-1.html").read_text("utf-8")
    assert re.findall(r"<h1[^>]*>(.*?)</h1>", page) == ["When did it open?"]
    assert page.count("When did it open?</p>") == 0
    assert "<title>When did it open? ·" in page
    assert 'class="s-contradicted"' in page
    assert 'title="contradicted by its sources">≠</abbr>' in page
    assert "<table><thead><tr><th>what" in re.sub(r"\s*<(?=/?t)", "<", page)
    assert "It opened in 1931.\nIt has 8 rooms." in page
    assert "U+000" not in page
    front = (tmp_path / "pages/index.html").read_text("utf-8")
    assert "<h2>Rows</h2>" in front
    assert "opic" not in front.partition("<main")[2].replace("topics", "")
    flagged = '<a href="001-row-1.html#s1">It was not opened in 1931.</a><small>'
    assert flagged in front
    assert front.partition(flagged)[2].partition("</small>")[0].endswith("When did it open?")
    value = front.partition('<dl class="strip">')[2].partition("</div>")[0]
    assert re.search(r"<dd>[\d.]+ <small [^>]*>[\d.]+–[\d.]+</small>", value)


def test_two_runs_are_tested_against_each_other(tmp_path: Path) -> None:
    runs, sets = [], []
    for name, share in (("one", 1), ("other", 0)):
        rows = [
            {
                "question": f"Question {n}?",
                "contexts": [f"House {n} is red."],
                "answer": f"House {n} is red." if share or n < 3 else "The tower fell in 1850.",
            }
            for n in range(20)
        ]
        dataset, answers = from_rows(rows)
        evaluate(dataset, answers, ["faithfulness"], out=tmp_path / name)
        runs.append(tmp_path / name)
        sets.append(dataset)
    done = write_comparison(runs, sets, tmp_path / "pages")
    assert (done.topics, done.kind) == (40, "rows")
    page = (tmp_path / "pages/index.html").read_text("utf-8")
    row = page.partition('title="faithfulness.supported"')[2].partition("</tr>")[0]
    cells = [re.sub("<[^>]*>", "", cell) for cell in re.findall(r"<td[^>]*>(.*?)</td>", row)]
    assert cells[0] == "100.0"
    assert cells[-1] == "17 / 3 / 0"
    assert "<b>+85.0</b>" in row
    assert cells[4] == "&lt;.001"
    assert " to +" in cells[3]
