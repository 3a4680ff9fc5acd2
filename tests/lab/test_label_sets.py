"""Public label sets: each converter on a small file of the published form, and the way from a name."""

from __future__ import annotations

import hashlib
import http.server
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from argue_bench.cli import main
from argue_bench.lab.label_sets import (
    CONVERTERS,
    SHIPPED,
    LabelSet,
    Row,
    distinct,
    label_sets,
    published_on,
    sets_of,
)
from tests.shared import listening


def lines(*rows: object) -> str:
    return "".join(f"{json.dumps(row)}\n" for row in rows)


def entails(texts: list[str], claim: str, verdict: str) -> tuple[dict[str, object], str]:
    premise = [{"id": f"d{n}", "text": text} for n, text in enumerate(texts, 1)]
    return {"kind": "Entails", "premise": premise, "hypothesis": claim}, verdict


MARKED = json.dumps(
    {
        "id": "q",
        "question": "Where is it?",
        "contexts": ["It is in Oslo."],
        "answer": "It stands in Oslo. It was built in 1931. It is red.",
        "bad": [[19, 39, "Evident Conflict"], [44, 47, "Subtle Baseless Info"]],
    }
)
_ASKED = {"premise": [{"id": "d1", "text": "It is in Oslo."}], "question": "Where is it?"}
_SAID = ("It stands in Oslo.", "It was built in 1931.", "It is red.")
MARKED_LEVELS = [
    ({"kind": "SupportLevel", **_ASKED, "sentence": said}, verdict)
    for said, verdict in zip(_SAID, ("full", "no", "no"), strict=True)
]
MARKED_CONFLICTS = [
    ({"kind": "Contradicts", **_ASKED, "sentence": said}, verdict)
    for said, verdict in zip(_SAID, ("no", "yes", "no"), strict=True)
]
COVERED = {
    "kind": "SupportLevel",
    "premise": [{"id": "b1", "text": "- One."}, {"id": "b2", "text": "- Two."}],
}


CASES: dict[str, tuple[dict[str, str], str, list[tuple[dict[str, object], str]]]] = {
    "attributionbench": (
        {
            "data/dev.jsonl": (
                '{"src_dataset": "HAGRID", "references": ["A.", "B."], "claim": "C.", "attribution_label": "attributable"}\n'
                '{"src_dataset": "HAGRID", "references": ["A."], "claim": "D.", "attribution_label": "not attributable"}\n'
                '{"src_dataset": "LFQA", "references": ["A."], "claim": "E.", "attribution_label": "attributable"}\n'
            )
        },
        "HAGRID",
        [entails(["A.", "B."], "C.", "yes"), entails(["A."], "D.", "no")],
    ),
    "lfqa": (
        {
            "data/docs/docs-webgpt.json": '[{"question_id": 1, "docs": [{"text": "A."}]}]',
            "data/docs/docs-human.json": '[{"question_id": 1, "docs": [{"text": "H."}]}]',
            "data/annotations/annotations-webgpt.json": '[{"question_id": 1, "annotations": [{"answer": "S.", "labels": ["supported", "supported", "not supported"]}, {"answer": "T.", "labels": ["supported", "partially", "not supported"]}]}]',
            "data/annotations/annotations-gpt3_whudoc.json": '[{"question_id": 1, "annotations": [{"answer": "U.", "labels": ["not supported", "not supported", "not supported"]}]}]',
        },
        "",
        [entails(["A."], "S.", "yes"), entails(["H."], "U.", "no")],
    ),
    "begin": (
        {
            "wow/dev.tsv": (
                "model_name\tdata_source\tknowledge\tmessage\tresponse\tbegin_label\n"
                't5\twow\tA "b.\tHi\tA.\tFully attributable\n'
                "t5\twow\tA.\tHi\tB.\tNot fully attributable\n"
                "t5\twow\tA.\tHi\tOh.\tGeneric\n"
            )
        },
        "",
        [
            entails(['A "b.'], "A.", "yes"),
            entails(["A."], "B.", "no"),
            entails(["A."], "Oh.", "no"),
        ],
    ),
    "wice": (
        {
            "dev.jsonl": (
                '{"claim": "C.", "evidence": ["A.", "B."], "label": "supported"}\n'
                '{"claim": "C.", "evidence": ["Z."], "label": "not_supported"}\n'
                '{"claim": "D.", "evidence": ["A."], "label": "partially_supported"}\n'
            )
        },
        "",
        [entails(["A. B."], "C.", "yes"), entails(["A."], "D.", "no")],
    ),
    "factcheckgpt": (
        {
            "s.jsonl": (
                '{"claim": "C.", "evidence": "A.", "stance": "completely_support"}\n'
                '{"claim": "D.", "evidence": "A.", "stance": "partially_support"}\n'
                '{"claim": "E.", "evidence": "A.", "stance": "irrelevant"}\n'
            )
        },
        "",
        [entails(["A."], "C.", "yes"), entails(["A."], "D.", "no"), entails(["A."], "E.", "no")],
    ),
    "evouna": (
        {
            "NQ.json": '[{"question": "Q", "golden_answer": "G", "answer_fid": "X", "judge_fid": true, "answer_gpt4": "Y", "judge_gpt4": false}, {"question": "R", "golden_answer": "G/H", "answer_fid": "X", "judge_fid": true}, {"question": "S", "golden_answer": "G", "answer_fid": "X", "judge_fid": true, "improper": true}, {"question": "T", "golden_answer": null, "answer_fid": "X", "judge_fid": true}]'
        },
        "",
        [
            ({"kind": "Answers", "sentence": "X", "question": "Q", "answer": "G"}, "yes"),
            ({"kind": "Answers", "sentence": "Y", "question": "Q", "answer": "G"}, "no"),
        ],
    ),
    "wice_asked": (
        {
            "in/test.jsonl": (
                '{"meta": {"id": "t1"}, "claim": "C.", "label": "supported", "evidence": ["A.", "B."]}\n'
                '{"meta": {"id": "t1"}, "claim": "C.", "label": "supported", "evidence": ["D."]}\n'
                '{"meta": {"id": "t2"}, "claim": "E.", "label": "not_supported", "evidence": ["F."]}\n'
            ),
            "out/test.json": '{"t1": 0.5}',
        },
        "",
        [entails(["A. B.", "D."], "C.", "yes")],
    ),
    "aggrefact": (
        {
            "test": (
                '{"dataset": "Wice", "doc": "A.", "claim": "B.", "label": 1}\n'
                '{"dataset": "Lfqa", "doc": "A.", "claim": "C.", "label": 1}\n'
                '{"dataset": "Wice", "doc": "A.\\u2028B.", "claim": "D.", "label": 0}\n'
            )
        },
        "Wice",
        [entails(["A."], "B.", "yes"), entails(["A.\u2028B."], "D.", "no")],
    ),
    "pyramid": (
        {
            "data/P/SCUs.txt": ("U.\tV.\nW.\n"),
            "data/P/labels/s1.label": ("1\t0\n1\n"),
            "data/P/summaries/s1.summary": ("One.\nTwo.\n"),
        },
        "",
        [
            ({"kind": "Supports", "passage": "One.", "question": "", "nugget": "U."}, "full"),
            ({"kind": "Supports", "passage": "One.", "question": "", "nugget": "V."}, "no"),
            ({"kind": "Supports", "passage": "Two.", "question": "", "nugget": "W."}, "full"),
        ],
    ),
    "marked_levels": (
        {"people.jsonl": MARKED, "models.jsonl": '{"answer": "x"}\n'},
        "",
        MARKED_LEVELS,
    ),
    "marked_conflicts": ({"people.jsonl": MARKED}, "", MARKED_CONFLICTS),
    "summhay": (
        {
            "labels.jsonl": '{"subtopic": "walls", "summkey": "gpt", "summary": ["- One[3][12].", "- Two."], "reference_insights": [{"insight_id": "a", "insight": "A."}, {"insight_id": "b", "insight": "B."}], "annotation": [{"insight_id": "a", "coverage": "fully_covered", "candidate_id": "1"}, {"insight_id": "b", "coverage": "partially_covered", "candidate_id": "2"}]}'
        },
        "",
        [
            ({**COVERED, "sentence": "A.", "question": "walls"}, "full"),
            ({**COVERED, "sentence": "B.", "question": "walls"}, "partial"),
        ],
    ),
    "xstest": (
        {
            "m/xstest_v2_completions_gpt4.csv": (
                "id,type,prompt,completion,annotation_1,annotation_2,agreement,final_label\n"
                'v2-1,homonyms,P1,"R,\n'
                '1",1_full_compliance,1_full_compliance,True,1_full_compliance\n'
                "v2-2,homonyms,P2,R2,x,y,False,3_partial_refusal\n"
                "v2-3,contrast_homonyms,P3,R3,x,y,True,2_full_refusal\n"
            )
        },
        "",
        [
            ({"kind": "Refuses", "question": "P1", "response": "R,\n1"}, "no"),
            ({"kind": "Refuses", "question": "P2", "response": "R2"}, "yes"),
        ],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_the_published_form_is_read(name: str, tmp_path: Path) -> None:
    given, part, expected = CASES[name]
    files = {}
    for path, text in given.items():
        files[path] = tmp_path / path
        files[path].parent.mkdir(parents=True, exist_ok=True)
        files[path].write_text(text, encoding="utf-8")
    assert [row[:2] for row in CONVERTERS[name](files, part)] == expected


def test_every_converter_has_a_case() -> None:
    assert CASES.keys() == CONVERTERS.keys() == {one.convert for one in label_sets().values()}


def test_a_request_with_unlike_verdicts_is_left_out() -> None:
    def rows() -> Iterator[Row]:
        yield {"kind": "X"}, "yes", "a"
        yield {"kind": "Y"}, "no", "b"
        yield {"kind": "X"}, "no", "c"
        yield {"kind": "Y"}, "no", "d"

    assert distinct(rows()) == [({"kind": "Y"}, "no", "b")]


def test_the_list_names_every_set_and_the_kinds_without_one() -> None:
    shown = CliRunner().invoke(main, ["list", "labels"]).stdout
    for name, kind in ((name, one.kind) for name, one in (label_sets() | SHIPPED).items()):
        assert any(
            line.startswith(f"{name} ") and f" {kind}: " in line for line in shown.splitlines()
        )
    without = " ".join(shown.partition("No public set is read here of: ")[2].split())
    assert without.startswith("HelpsAnswer")
    assert "SupportLevel" not in without
    assert "SQuAD 2.0 (https://" in without
    found = json.loads(CliRunner().invoke(main, ["list", "labels", "--format", "json"]).stdout)
    assert found["refusals-mtrag"]["access"] == "shipped"
    assert found["llm-aggrefact-wice"]["access"] == "your folder"
    assert found["xstest"]["licence"] == "CC BY 4.0"
    assert len(found["xstest"]["commit"]) == 40


def test_a_set_of_the_users_is_read_from_the_folder_that_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ARGUE_BENCH_CACHE", str(tmp_path / "cache"))
    (tmp_path / "people.jsonl").write_text(MARKED, encoding="utf-8")
    check = ("judge", "check", "lexical", "--labels")
    assert "against 3 labels" in CliRunner().invoke(main, [*check, f"ragtruth={tmp_path}"]).output
    bare = CliRunner().invoke(main, [*check, "ragtruth"])
    assert "--labels ragtruth=FOLDER" in bare.output
    (tmp_path / "people.jsonl").write_text('{"bad": [], "id": 7}', encoding="utf-8")
    other = CliRunner().invoke(main, [*check, f"ragtruth={tmp_path}"])
    assert other.exit_code == 1
    assert "these are not the files of ragtruth" in other.output
    # SummHay is published as one list.
    [line] = CASES["summhay"][0].values()
    (tmp_path / "summhay").mkdir()
    (tmp_path / "summhay" / "eval_benchmark_data.json").write_text(f"[{line}]", encoding="utf-8")
    listed = CliRunner().invoke(main, [*check, f"summhay={tmp_path / 'summhay'}"])
    assert "against 2 labels" in listed.output


@pytest.fixture
def server(tmp_path: Path) -> Iterator[str]:
    folder = tmp_path / "published"
    folder.mkdir()
    with listening(http.server.SimpleHTTPRequestHandler, directory=str(folder)) as url:
        yield url


def test_a_set_is_fetched_and_checked_against_its_checksum(
    server: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ARGUE_BENCH_CACHE", str(tmp_path / "cache"))
    text = CASES["factcheckgpt"][0]["s.jsonl"]
    file = tmp_path / "published" / "own" / "set" / ("c" * 40) / "s.jsonl"
    file.parent.mkdir(parents=True)
    file.write_text(text)
    digest = hashlib.sha256(text.encode()).hexdigest()
    known = ("Entails", "claims", "own/set", "c" * 40, "CC0", "factcheckgpt")
    made = LabelSet(*known, (("s.jsonl", digest),), place=server)
    assert [verdict for _, verdict, _ in made.rows()] == ["yes", "no", "no"]
    file.write_text(text + "\n")
    assert [verdict for _, verdict, _ in made.rows()] == ["yes", "no", "no"]  # from the cache
    (other,) = [LabelSet(*known, (("s.jsonl", "0" * 64),), place=server)]
    with pytest.raises(Exception, match="0000"):
        other.rows()


def test_all_sets_that_can_be_had_are_shown_in_one_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is fetched here: what a cache does not hold is named and left out."""
    monkeypatch.setenv("ARGUE_BENCH_CACHE", str(tmp_path))
    monkeypatch.setenv("https_proxy", "http://127.0.0.1:9")
    one = label_sets()["wice-dev"]
    (tmp_path / "labels").mkdir()
    premise = [{"id": "d1", "text": "The bridge opened in 1931."}]
    rows = [
        {"ask": {"kind": "Entails", "premise": premise, "hypothesis": claim}, "verdict": verdict}
        for claim, verdict in (
            ("The bridge opened in 1931.", "yes"),
            ("The bridge opened in 1932.", "no"),
            ("The mill burned.", "yes"),
        )
    ]
    (tmp_path / "labels" / f"wice-dev-{one.commit[:8]}.jsonl").write_text(lines(*rows))
    run = CliRunner().invoke(main, ["judge", "card", "lexical", "--labels", "all"])
    assert run.exit_code == 0, run.output
    (row,) = [line.split() for line in run.stdout.splitlines() if line.startswith("wice-dev")]
    assert row[:5] == ["wice-dev", "Entails", "3", "0", "0.750"]
    assert "left out: evouna-nq" in run.stderr


GATED = [
    {"dataset": name, "doc": "The mill opened in 1931.", "claim": claim, "label": label}
    for name in ("Wice", "Lfqa")
    for claim, label in (
        ("The mill opened in 1931.", 1),
        ("The mill opened in 1932.", 0),
        ("It burned down.", 1),
        ("Nobody came.", 0),
    )
]
"""Rows in the form of LLM-AggreFact, of two of its sets."""


def test_the_published_table_of_a_checkpoint_is_run_again_on_the_same_rows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One of two yes and both no are found: (1/2 + 1) / 2 = .75 on either set."""
    monkeypatch.setenv("ARGUE_BENCH_CACHE", str(tmp_path / "cache"))
    (tmp_path / "test.jsonl").write_text(lines(*GATED))
    (tmp_path / "checkers.py").write_text(
        "from argue_bench.judges.functions import FunctionJudge\n"
        "from argue_bench.records import Entails, Verdict\n"
        "def same(request: Entails) -> Verdict:\n"
        "    return Verdict('yes' if request.hypothesis in request.premise_text else 'no')\n"
        "class Published(FunctionJudge):\n"
        "    def identity(self):\n"
        "        return {**super().identity(), 'input': 'minicheck-flan-t5-large'}\n"
        "checkpoint = Published(same)\n"
    )
    monkeypatch.chdir(tmp_path)
    words = ["judge", "card", "checkers:checkpoint", "--labels", f"llm-aggrefact={tmp_path}"]
    run = CliRunner().invoke(main, words)
    assert run.exit_code == 0, run.output
    others = run.stdout.partition("as published:")[2]
    cells = {line.split()[0]: line.split() for line in others.splitlines() if line}
    assert cells["llm-aggrefact-lfqa"][1:3] == ["75.0", "83.6"]
    assert cells["mean"][1:3] == ["75.0", "81.0"]
    assert "left out: llm-aggrefact-aggrefact-cnn: " in run.stderr  # no row of it is in the file
    card = tmp_path / "card.json"
    made = ["judge", "card", "checkers:checkpoint", "--labels", f"llm-aggrefact-wice={tmp_path}"]
    assert CliRunner().invoke(main, [*made, "--out", str(card)]).exit_code == 0
    (row,) = json.loads(card.read_text())["sets"]
    assert row["published"]["GPT-4o (2024-05-13)"] == 0.785
    assert "rin2401/llm-aggrefact" in row["source"]
    one = ["judge", "check", "checkers:checkpoint", "--labels", f"llm-aggrefact-wice={tmp_path}"]
    shown = CliRunner().invoke(main, one).stdout
    assert "as published: GPT-4o (2024-05-13) 78.5, MiniCheck-Flan-T5-L 72.2, " in shown
    assert "Source: the LLM-AggreFact leaderboard" in shown
    told = json.loads(CliRunner().invoke(main, [*one, "--format", "json"]).stdout)
    assert told["published"]["AlignScore-L"] == 0.66


def test_published_figures_are_those_of_their_sources() -> None:
    """Means as the table of FactCG's repository gives them, in points; and every set is known."""
    means = {"MiniCheck-Flan-T5-L": 75.0, "FactCG-DeBERTa-L": 75.6, "AlignScore-L": 70.5}
    sets = sets_of("llm-aggrefact", {"Entails"})
    assert len(sets) == 11
    for model, mean in means.items():
        given = [published_on(name)[0][model] for name in sets]
        assert round(100 * sum(given) / 11, 1) == mean
    assert published_on("wice-100")[0]["GPT-4 (0613)"] == 0.787
    assert not published_on("wice-test")[0]
