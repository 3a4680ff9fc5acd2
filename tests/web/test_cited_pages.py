"""Citations of web pages: what their states do to every figure, worked by hand."""

from __future__ import annotations

import re
from functools import partial
from typing import Any

import pytest

from argue_bench.eval import evaluate
from argue_bench.loaders.dataset import Dataset
from argue_bench.records import (
    Answer,
    Contexts,
    Document,
    Entails,
    Gold,
    Nugget,
    NuggetAnswer,
    Question,
    Source,
    SupportLevel,
    Verdict,
)
from argue_bench.records import Sentence as S
from argue_bench.web.snapshot import WebPage

STATES: dict[str, tuple[str, str]] = {
    "https://a.example/opened": ("read", "The bridge opened in 1931 to great joy."),
    "https://a.example/span": ("read", "Its span is 214 metres of steel."),
    "https://a.example/blocked": ("blocked", ""),
    "https://a.example/wall": (
        "paywalled",
        "The toll was two pence. Subscribe to continue reading.",
    ),
    "https://a.example/gone": ("gone", ""),
    "https://a.example/copy": ("gone", "Edith Marsh drew the plans of the bridge."),
    "https://a.example/invented": ("never_archived", ""),
}
PAGES = {
    key: WebPage(key, text, "", url=key, state=state)  # type: ignore[arg-type]
    for key, (state, text) in STATES.items()
}

NEVER_ASKED = WebPage("https://b.example/never-asked", "", state="not_looked_up")


def page(name: str) -> str:
    return f"https://a.example/{name}"


REPORT = (
    S("The bridge opened in 1931.", (page("opened"),)),  # right
    S("The span is 214 metres.", (page("opened"),)),  # wrong: the next page says so
    S("Its span is steel.", (page("span"), page("blocked"))),  # right, one left out
    S("The toll was two pence.", (page("wall"),)),  # left out
    S("Marsh drew the plans.", (page("copy"),)),  # right, on the archived copy
    S("Ferries ran before.", (page("gone"), page("invented"))),  # wrong twice
    S("Nobody cites this."),
    S("The king came.", ("https://b.example/never-asked",)),  # left out
)


def words(request: Any) -> Verdict:
    """Whether the source holds all words of the sentence that have four letters or more."""
    text = request.hypothesis if isinstance(request, Entails) else request.sentence
    wanted = set(re.findall(r"\w{4,}", text.lower()))
    yes = wanted <= set(re.findall(r"\w{4,}", request.premise_text.lower()))
    if isinstance(request, SupportLevel):
        return Verdict("full" if yes else "no")
    return Verdict("yes" if yes else "no")


def scores(metric: str, *reports: tuple[S, ...], judge: Any = None) -> dict[str, float | None]:
    """The scores of these reports, each the answer to a question of its own."""
    numbered = {f"q{n}": report for n, report in enumerate(reports)}
    dataset = Dataset(
        "web",
        "",
        tuple(Question(id, "What of the bridge?", gold=Gold()) for id in numbered),
        {**PAGES, NEVER_ASKED.id: NEVER_ASKED},
        collection=True,
    )
    answers = [
        Answer(id, " ".join(one.text for one in report), report) for id, report in numbered.items()
    ]
    report = evaluate(dataset, answers, [metric], judge=judge or words)
    assert not report.failures
    return {key.rpartition(".")[2]: score.value for key, score in report.scores.items()}


def test_the_states_of_pages_and_what_they_do() -> None:
    found = scores("sources", REPORT)
    # Ten citations of eight sentences: three right, three wrong on pages that were looked at or are lost
    # (1931's page on the span, gone, invented), three that nobody could look at.
    assert found["accuracy"] == pytest.approx(3 / 6)
    assert found["accuracy_low"] == pytest.approx(3 / 9)
    assert found["accuracy_high"] == pytest.approx(6 / 9)
    assert found["effective"] == 3
    assert found["uncited"] == pytest.approx(1 / 8)
    counts = {
        "read": 2,
        "gone": 2,
        "blocked": 1,
        "paywalled": 1,
        "never_archived": 1,
        "not_looked_up": 1,
    }
    for state, count in counts.items():
        assert found[state] == pytest.approx(count / 8), state
    assert found["empty"] == found["unreachable"] == found["unsupported"] == 0


def test_citations_leave_out_what_nobody_could_look_at_and_count_it() -> None:
    found = scores("citations", REPORT)
    # Sentences: 8 - 2 left out (the wall, the page that was not asked); supported: 1931, steel, Marsh.
    assert found["recall"] == pytest.approx(3 / 6)
    assert found["precision"] == pytest.approx(3 / 6)
    assert found["left_out"] == 2 + 3


def test_a_report_of_unreadable_pages_alone_has_no_score_rather_than_0() -> None:
    found = scores("citations", (S("The toll was two pence.", (page("wall"),)),))
    assert found["recall"] is None
    assert found["precision"] is None
    assert found["left_out"] == 2
    assert scores("sources", (S("It is.", (page("blocked"),)),))["accuracy"] is None


UNCITED = (S("Nothing is cited here."),)


def test_fact_by_its_program_pools_what_was_judged_and_by_its_paper_counts_every_fact() -> None:
    # Facts by page: read pages and the copy are judged (1931 twice, span, copy), three right.
    assert scores("citations(rules=fact-code)", REPORT, UNCITED) == {
        "accuracy": pytest.approx(3 / 4),
        "effective": 3,
        "total": 4,
        "unknown": 5,
        "uncited": 1,
    }
    assert scores("citations(rules=fact-paper)", REPORT, UNCITED) == {
        "accuracy": pytest.approx((3 / 9 + 0) / 2),
        "effective": 1.5,
        "unknown": 5,
        "uncited": 1,
    }


def test_scholarqa_counts_a_page_with_a_title_alone_half(monkeypatch: pytest.MonkeyPatch) -> None:
    titled = WebPage(page("blocked"), "", "The bridge opened in 1931", state="blocked")
    monkeypatch.setitem(PAGES, page("blocked"), titled)
    report = (
        S("The bridge opened in 1931.", (page("blocked"),)),
        S("Its span is steel.", (page("span"),)),
    )
    found = scores("citations(rules=scholarqa)", report)
    assert found["recall"] == pytest.approx((0.5 + 1) / 2)
    assert found["precision"] == pytest.approx((0.5 + 1) / 2)


def test_deepscholar_reads_the_numbers_of_the_reports_own_list() -> None:
    text = (
        "The bridge opened in 1931 to great joy, as the papers all did say [1]. "
        "Its span is 214 metres of steel, which was a record in the country [2].\n\n"
        "## References\n[1] https://a.example/opened - Opened\n[2] https://a.example/opened - Opened\n"
    )

    dataset = Dataset("web", "", (Question("q", "What?", gold=Gold()),), PAGES, collection=True)

    def opened(request: Any) -> Verdict:
        return Verdict(
            "yes" if "1931" in request.hypothesis and "1931" in request.premise_text else "no"
        )

    report = evaluate(dataset, [Answer("q", text)], ["citations(rules=deepscholar)"], judge=opened)
    found = {key.rpartition(".")[2]: score.value for key, score in report.scores.items()}
    assert found == {"cite_p": 0.5, "claim_coverage": 0.5}


def long_page(name: str, *sentences: str) -> WebPage:
    """A page of some 40,000 characters of which a judge reads three passages; the last hold ``sentences``."""
    filler = [
        f"Paragraph {n} of {name} speaks of ferries, tides and nets. " * 12 for n in range(60)
    ]
    text = "\n\n".join([*filler, *sentences])
    return WebPage(page(name), text, "The Bridge", url=page(name), passages=3)


def test_of_long_contexts_a_judge_reads_the_best_passages_of_all_of_them_together() -> None:
    toll, span = (
        "The toll was two pence for a horse until 1948.",
        "The span is 214 metres of steel.",
    )
    pages = [long_page(f"p{n}") for n in range(5)]
    pages += [long_page("toll", toll), long_page("span", span)]
    plain = Document("note", "A note that somebody provided.", "")
    lost = WebPage(page("lost"), "", state="blocked", passages=3)
    contexts = Contexts([*pages, lost, plain])
    found = contexts.read_for("The toll for a horse was two pence, and the span is 214 metres.")
    assert {one.id for one in found} >= {page("toll"), page("span"), "note"}
    assert page("lost") not in {one.id for one in contexts.documents}
    texts = {one.id: one.text for one in found}
    assert toll in texts[page("toll")]
    assert span in texts[page("span")]
    assert texts["note"] == plain.text
    assert sum(map(len, texts.values())) < 3 * 1_000 + 200
    whole = Contexts([WebPage("k", "Short.", "T", passages=3), plain])
    assert [one.text for one in whole.read_for("A toll?")] == ["T\nShort.", plain.text]
    assert not Contexts([lost])


@pytest.mark.parametrize(
    "metric",
    [
        "citations",
        "sources",
        "support",
        "support(citations=all)",
        "faithfulness",
        "faithfulness(claims=atomic)",
        "context_precision",
        "context_recall",
        "context_relevance",
        "relevance",
        "argue",
        *(f"citations(rules={r})" for r in ("fact-code", "fact-paper", "scholarqa", "deepscholar")),
    ],
)
def test_no_metric_hands_a_judge_a_long_page_whole(metric: str) -> None:
    toll = "The toll of the old bridge was two pence for a horse until 1948."
    documents = {one.id: one for one in (long_page("toll", toll), long_page("other"))}
    sizes: list[int] = []

    def judge(request: Any) -> Verdict:
        read = [
            one.text
            for value in map(partial(getattr, request), request.__dataclass_fields__)
            for one in (value if isinstance(value, tuple) else (value,))
            if isinstance(one, Source)
        ]
        sizes.extend([sum(map(len, read))] if read else [])
        said = {
            "SupportLevel": "no",
            "RelevanceGrade": "3",
            "ListClaims": toll,
            "Contradicts": "no",
        }
        return Verdict(
            said.get(type(request).__name__, "no" if "Refuses" in str(request) else "yes")
        )

    nugget = Nugget("n", "What was the toll?", (NuggetAnswer("two pence", tuple(documents)),))
    gold = Gold(answer=toll, nuggets=(nugget,))
    dataset = Dataset("w", "", (Question("q", "What was the toll?", gold=gold),), documents)
    text = f"{toll} [1]\n\n[1]: {page('toll')}"  # deepscholar reads the marks of the text
    answer = Answer(
        "q", text, (S(toll, (page("toll"), page("other"))), S("It is old.", (page("other"),)))
    )
    report = evaluate(dataset, [answer], [metric], judge=judge)
    assert not report.failures
    if metric != "context_relevance":  # its requests are sentences, of the passages alone
        assert sizes
        assert max(sizes) < 2 * (3 * 1_000 + 100)


def test_support_leaves_out_pages_that_nobody_could_read() -> None:
    """Of eight sentences two cite nothing else; three of the five others that cite are right."""

    def judge(request: Any) -> Verdict:
        return words(request) if isinstance(request, SupportLevel) else Verdict("no")

    found = scores("support(citations=all)", REPORT, judge=judge)
    assert found["precision"] == pytest.approx(3 / 5)
    assert found["recall"] == pytest.approx(3 / 6)
    assert found["uncited"] == pytest.approx(1 / 6)
