"""Public label sets: each converter on a small file of the published form, and the way from a name."""

from __future__ import annotations

import hashlib
import http.server
import json
import threading
from collections import Counter
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from click.testing import CliRunner

from argue_bench.cli import main
from argue_bench.errors import UnknownName
from argue_bench.judges.label_sets import (
    CONVERTERS,
    LabelSet,
    Row,
    distinct,
    find_labels,
    label_sets,
    set_names,
)
from argue_bench.judges.labels import read_labels


def lines(*rows: object) -> str:
    return "".join(f"{json.dumps(row)}\n" for row in rows)


def entails(texts: list[str], claim: str, verdict: str) -> tuple[dict[str, object], str]:
    premise = [{"id": f"d{n}", "text": text} for n, text in enumerate(texts, 1)]
    return {"kind": "Entails", "premise": premise, "hypothesis": claim}, verdict


CASES: dict[str, tuple[dict[str, str], str, list[tuple[dict[str, object], str]]]] = {
    "attributionbench": (
        {
            "data/dev.jsonl": lines(
                {
                    "src_dataset": "HAGRID",
                    "references": ["A.", "B."],
                    "claim": "C.",
                    "attribution_label": "attributable",
                },
                {
                    "src_dataset": "HAGRID",
                    "references": ["A."],
                    "claim": "D.",
                    "attribution_label": "not attributable",
                },
                {
                    "src_dataset": "LFQA",
                    "references": ["A."],
                    "claim": "E.",
                    "attribution_label": "attributable",
                },
            )
        },
        "HAGRID",
        [entails(["A.", "B."], "C.", "yes"), entails(["A."], "D.", "no")],
    ),
    "lfqa": (
        {
            "data/docs/docs-webgpt.json": json.dumps(
                [{"question_id": 1, "docs": [{"text": "A."}]}]
            ),
            "data/docs/docs-human.json": json.dumps([{"question_id": 1, "docs": [{"text": "H."}]}]),
            "data/annotations/annotations-webgpt.json": json.dumps(
                [
                    {
                        "question_id": 1,
                        "annotations": [
                            {"answer": "S.", "labels": ["supported", "supported", "not supported"]},
                            {"answer": "T.", "labels": ["supported", "partially", "not supported"]},
                        ],
                    }
                ]
            ),
            "data/annotations/annotations-gpt3_whudoc.json": json.dumps(
                [
                    {
                        "question_id": 1,
                        "annotations": [{"answer": "U.", "labels": ["not supported"] * 3}],
                    }
                ]
            ),
        },
        "",
        [entails(["A."], "S.", "yes"), entails(["H."], "U.", "no")],
    ),
    "begin": (
        {
            "wow/dev.tsv": "model_name\tdata_source\tknowledge\tmessage\tresponse\tbegin_label\n"
            't5\twow\tA "b.\tHi\tA.\tFully attributable\n'
            "t5\twow\tA.\tHi\tB.\tNot fully attributable\n"
            "t5\twow\tA.\tHi\tOh.\tGeneric\n"
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
            "dev.jsonl": lines(
                {"claim": "C.", "evidence": ["A.", "B."], "label": "supported"},
                {"claim": "C.", "evidence": ["Z."], "label": "not_supported"},
                {"claim": "D.", "evidence": ["A."], "label": "partially_supported"},
            )
        },
        "",
        [entails(["A. B."], "C.", "yes"), entails(["A."], "D.", "no")],
    ),
    "factcheckgpt": (
        {
            "s.jsonl": lines(
                {"claim": "C.", "evidence": "A.", "stance": "completely_support"},
                {"claim": "D.", "evidence": "A.", "stance": "partially_support"},
                {"claim": "E.", "evidence": "A.", "stance": "irrelevant"},
            )
        },
        "",
        [entails(["A."], "C.", "yes"), entails(["A."], "D.", "no"), entails(["A."], "E.", "no")],
    ),
    "evouna": (
        {
            "NQ.json": json.dumps(
                [
                    {
                        "question": "Q",
                        "golden_answer": "G",
                        "answer_fid": "X",
                        "judge_fid": True,
                        "answer_gpt4": "Y",
                        "judge_gpt4": False,
                    },
                    {"question": "R", "golden_answer": "G/H", "answer_fid": "X", "judge_fid": True},
                    {
                        "question": "S",
                        "golden_answer": "G",
                        "answer_fid": "X",
                        "judge_fid": True,
                        "improper": True,
                    },
                    {"question": "T", "golden_answer": None, "answer_fid": "X", "judge_fid": True},
                ]
            )
        },
        "",
        [
            ({"kind": "Answers", "sentence": "X", "question": "Q", "answer": "G"}, "yes"),
            ({"kind": "Answers", "sentence": "Y", "question": "Q", "answer": "G"}, "no"),
        ],
    ),
    "pyramid": (
        {
            "data/P/SCUs.txt": "U.\tV.\nW.\n",
            "data/P/labels/s1.label": "1\t0\n1\n",
            "data/P/summaries/s1.summary": "One.\nTwo.\n",
        },
        "",
        [
            ({"kind": "Supports", "passage": "One.", "question": "", "nugget": "U."}, "full"),
            ({"kind": "Supports", "passage": "One.", "question": "", "nugget": "V."}, "no"),
            ({"kind": "Supports", "passage": "Two.", "question": "", "nugget": "W."}, "full"),
        ],
    ),
    "xstest": (
        {
            "m/xstest_v2_completions_gpt4.csv": "id,type,prompt,completion,annotation_1,annotation_2,agreement,final_label\n"
            'v2-1,homonyms,P1,"R,\n1",1_full_compliance,1_full_compliance,True,1_full_compliance\n'
            "v2-2,homonyms,P2,R2,x,y,False,3_partial_refusal\n"
            "v2-3,contrast_homonyms,P3,R3,x,y,True,2_full_refusal\n"
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


def test_the_catalogue_says_where_each_set_is_and_what_may_be_done_with_it() -> None:
    kinds = Counter(set_names().values())
    assert kinds["Entails"] >= 6
    assert min(kinds[kind] for kind in ("Answers", "Supports", "Refuses")) >= 2
    for one in label_sets().values():
        assert len(one.commit) == 40
        assert one.licence
        assert one.files
        assert all(len(digest) == 64 for _, digest in one.files)


@pytest.fixture
def server(tmp_path: Path) -> Iterator[str]:
    folder = tmp_path / "published"
    folder.mkdir()
    handler = partial(http.server.SimpleHTTPRequestHandler, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as running:
        thread = threading.Thread(target=running.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{running.server_port}"
        running.shutdown()
        thread.join()


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


def test_a_name_means_a_set_and_a_path_a_file(tmp_path: Path) -> None:
    assert len(read_labels(find_labels(Path("refusals-mtrag")))) == 100
    assert find_labels(tmp_path / "x.jsonl") == tmp_path / "x.jsonl"
    with pytest.raises(UnknownName, match="wice-dev"):
        find_labels(Path("wice-developer"))


def test_check_takes_a_name(tmp_path: Path) -> None:
    arguments = ["judge", "check", "lexical", "--labels", "refusals-mtrag", "--json"]
    run = CliRunner().invoke(main, arguments)
    assert run.exit_code == 0, run.output
    found = json.loads(run.stdout)["kinds"]["Refuses"]
    assert found["n"] == 100
    balanced = found["measures"]["balanced_accuracy"]
    assert balanced["low"] < balanced["value"] < balanced["high"]


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
    run = CliRunner().invoke(main, ["judge", "check", "lexical", "--labels", "all"])
    assert run.exit_code == 0, run.output
    (row,) = [line.split() for line in run.stdout.splitlines() if line.startswith("wice-dev")]
    assert row[:5] == ["wice-dev", "Entails", "3", "0", "0.750"]
    assert "left out: evouna-nq" in run.stderr
    both = CliRunner().invoke(main, ["judge", "check", "lexical", "--labels", "all", "--wrong"])
    assert both.exit_code == 2
