"""The front page of the repository's own site: its numbers are those of the committed files, its sentences follow from them."""

from __future__ import annotations

import json
import re
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from scipy.stats import binomtest, chi2_contingency

import argue_bench as ab
from argue_bench.leaderboard.commands.site import build_site
from argue_bench.pages import build
from argue_bench.stats.permutation import holm
from argue_bench.stats.proportion import share_tests
from tests.shared import ROOT

BOARD = ROOT / "leaderboard-submissions"
FIGURES = build.figures()
QUESTIONS = 724


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("site")
    build_site(BOARD, out)
    return out


def text(page: Path) -> str:
    """The words of a page as one line."""
    main = page.read_text("utf-8").partition("<main")[2].partition("</main")[0]
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", f"<main{main}")).split())


def test_published_shares_have_intervals_and_ties(site: Path) -> None:
    """FanOutQA's counts, read off its own files, against scipy's Wilson interval and chi-square."""
    results = sorted((BOARD / "published/fanoutqa/results/fanoutqa-published").glob("*.json"))
    told = {one["system"]: one for one in map(json.loads, (p.read_text("utf-8") for p in results))}
    for setting in ("closedbook", "openbook", "evidenceprovided"):
        board = json.loads((site / f"data/v1/board/fanoutqa-published/{setting}.json").read_text())
        rows = [row for section in board["sections"] for row in section["rows"]]
        counts = {}
        for row in rows:
            scores = told[row["system"]]["settings"][setting]["scores"]
            counts[row["system"]] = round(scores["factuality.accuracy"]["value"] * QUESTIONS)
            found = row["scores"]["factuality.accuracy"]
            ends = binomtest(counts[row["system"]], QUESTIONS).proportion_ci(method="wilson")
            assert (found["low"], found["high"]) == pytest.approx((ends.low, ends.high))
            # A mean of graded values is no count: its interval is not known.
            assert row["scores"]["rouge.rouge1_fscore"]["low"] is None
        names = list(counts)
        pairs = [(a, b) for n, a in enumerate(names) for b in names[n + 1 :]]
        tables = [[[counts[x], QUESTIONS - counts[x]] for x in pair] for pair in pairs]
        p = holm([chi2_contingency(table, correction=False).pvalue for table in tables])
        apart = {frozenset(pair) for pair, one in zip(pairs, p, strict=True) if one < 0.05}
        for row in rows:
            own = counts[row["system"]]
            others = [name for name in names if frozenset((row["system"], name)) in apart]
            better = sum(counts[name] > own for name in others)
            assert row["standing"]["best"] == 1 + better
            assert row["standing"]["worst"] == len(names) - (len(others) - better)
    # Two shares without spread are alike, or as unlike as can be.
    assert share_tests([1.0, 1.0, 0.0], [QUESTIONS] * 3) == pytest.approx([1.0, 0.0, 0.0])
    page = text(site / "board/fanoutqa-published/openbook.html")
    assert (
        "GPT-4o has the highest score in open book, 36.5 (Judged accuracy); 724 questions" in page
    )
    assert "leads" not in page
    assert "unknown" not in page


def with_figures(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, name: str, **changes: Any) -> str:
    made = {**FIGURES, name: {**FIGURES[name], **changes}}
    monkeypatch.setattr(build, "figures", lambda: made)
    build_site(BOARD, tmp_path / "site")
    return text(tmp_path / "site/index.html")


PAIR = {"of": ["GPT-4o", "People"]}
LOW, HIGH = ({"ours": [x] * 3, "people": [y] * 3} for x, y in ((0.2, 0.3), (0.8, 0.9)))


@pytest.mark.parametrize(
    ("name", "changes", "said"),
    [
        ("mtrag", {"ours": [0.59, 0.48, 0.69]}, "mean (.59, Spearman’s ρ) as closely as one rater"),
        (
            "mtrag",
            {"ours": [0.9, 0.8, 0.95]},
            "mean (.90, Spearman’s ρ) more closely than one rater",
        ),
        (
            "mtrag",
            {"ours": [0.2, 0.1, 0.3]},
            "mean (.20, Spearman’s ρ) less closely than one rater",
        ),
        ("mtrag", {"shift": [0.1, 0.05, 0.15]}, "10.0 points higher than people (5.0 to 15.0)"),
        ("mtrag", {"shift": [0.01, -0.02, 0.04]}, "Its level is theirs (2.0 to 4.0 points off)"),
        (
            "mtrag",
            {
                "systems": [{"system": "GPT-4o", **LOW}, {"system": "People", **HIGH}],
                "pairs": [{**PAIR, "ours": 0.01, "people": 0.01}],
            },
            "People tell 1 of 1 pairs of systems apart, the score 1 of these, never in the other order.",
        ),
        (
            "mtrag",
            {
                "systems": [
                    {"system": "GPT-4o", "ours": HIGH["ours"], "people": LOW["people"]},
                    {"system": "People", "ours": LOW["ours"], "people": HIGH["people"]},
                ],
                "pairs": [{**PAIR, "ours": 0.01, "people": 0.01}],
            },
            "the score 1 of these, 1 in the other order.",
        ),
    ],
)
def test_sentences_follow_from_the_figures(
    name: str, changes: dict[str, Any], said: str, monkeypatch: Any, tmp_path: Path
) -> None:
    assert said in with_figures(monkeypatch, tmp_path, name, **changes)


def test_the_home_of_the_own_site(site: Path) -> None:
    """Every section is there, with the numbers of its file; the rehearsal has no ranks and no place among them."""
    page = text(site / "index.html")
    for one in FIGURES["mtrag"]["systems"] + FIGURES["ragtruth"]["systems"]:
        people, ours = ([f"{100 * x:.1f}" for x in one[name]] for name in ("people", "ours"))
        row = f"{one['system']} {people[0]} {people[1]}–{people[2]} {ours[0]} {ours[1]}–{ours[2]}"
        assert row in page
    sets = [one for one in FIGURES["lexical"]["sets"] if one["kind"] == "Entails"]
    lost = []
    for one in sets:
        ours, words = (
            found["balanced_accuracy"] for found in (one["measures"], one["floors"]["token recall"])
        )
        assert f"{one['set']} {100 * ours['value']:.1f} " in page
        if words["value"] > ours["value"]:
            lost.append(one["set"])
    assert f"higher than our judge on {len(lost)} of {len(sets)} sets: {', '.join(lost)}." in page
    assert all(model in page for model in FIGURES["published"]["models"])
    assert "System (16)" in page
    assert "Runs (26)" in page
    assert "SCIAI_03_02_Three has the highest score in open book, 24.0" in page
    assert "leads" not in page
    assert page.index("Does it agree with people?") < page.index("Rehearsal: season 0")
    board = json.loads((site / "data/v1/board/season-0/evidenceprovided.json").read_text())
    assert board["bands"] is None
    html = (site / "index.html").read_text("utf-8")
    nav = html.partition("<nav")[2].partition("</nav")[0]
    assert "ledger" not in nav
    # What a visitor reads beside tables, quotations and the citation.
    prose = re.sub(r"(?s)<(table|blockquote|cite|pre|caption|svg)\b.*?</\1>", " ", html)
    words = re.sub(r"<[^>]*>", " ", prose.partition('id="Main">')[2].partition("</main")[0]).split()
    assert len(words) <= 350


def test_the_answer_shown_is_marked_as_the_judge_marks_it() -> None:
    one = FIGURES["mtrag"]["example"]
    row = {
        "question": one["question"],
        "contexts": [f"{one['source']['title']}\n{one['source']['text']}"],
        "answer": " ".join(s["text"] for s in one["sentences"]),
    }
    dataset, answers = ab.from_rows([row])
    failed = ab.evaluate(dataset, answers, ["faithfulness"]).failed_sentences()
    marked = {n for n, s in enumerate(one["sentences"], 1) if s["outcome"] != "supported"}
    assert {flag.number for flag in failed} == marked == {3}
    assert failed[0].reason == one["sentences"][2]["reason"]


def test_documents_have_the_numbers_of_the_files() -> None:
    """Read by a parser of their own, not by what wrote them."""
    rows = {}
    for name in ("docs/judges.md", "benchmarks/README.md"):
        for line in (ROOT / name).read_text("utf-8").splitlines():
            cells = [cell.strip() for cell in line.strip("| ").split(" | ")]
            rows[cells[0], len(cells)] = cells
    for one in FIGURES["lexical"]["sets"]:
        value = one["measures"]["balanced_accuracy"]["value"]
        assert float(rows[one["set"], 6][3]) == pytest.approx(value, abs=5e-4)
    for name, one in FIGURES["lexical-fit"]["measured"].items():
        told = rows[name, 11]
        assert [int(cell.replace(",", "")) for cell in told[1:4]] == [
            one["sentences"],
            one["bad"],
            one["flags"][0],
        ]
        assert float(told[9]) == pytest.approx(one["balanced_accuracy"], abs=5e-4)
    ours, raters = FIGURES["mtrag"]["ours"][0], [one[0] for one in FIGURES["mtrag"]["one_rater"]]
    assert float(rows["`faithfulness`, lexical judge", 3][1]) == pytest.approx(ours, abs=5e-3)
    said = (ROOT / "docs/rows.md").read_text("utf-8")
    told = re.search(r"On (\d+) answers of MT-RAG.* by (\.\d\d), .* by (\.\d\d) to (\.\d\d)", said)
    assert told is not None
    assert int(told[1]) == FIGURES["mtrag"]["answers"]
    assert [float(one) for one in told.groups()[1:]] == pytest.approx(
        [ours, min(raters), max(raters)], abs=5e-3
    )
