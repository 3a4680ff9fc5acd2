"""``argue-bench site build`` and ``view`` as an organiser meets them, with good input and bad."""

from __future__ import annotations

import json
import re
import shutil
import sys
from html import escape
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from argue_bench.cli import main
from argue_bench.errors import DataError, MissingExtra
from argue_bench.leaderboard.commands.site import build_site
from argue_bench.leaderboard.formats.canonical import canonical
from argue_bench.leaderboard.formats.names import SYSTEM
from argue_bench.leaderboard.screening.answers import MOST
from argue_bench.view.render import MARK, Pages
from tests.leaderboard.boards import metadata as valid_metadata
from tests.leaderboard.repositories import git
from tests.shared import ROOT, shared

SIGNATURE = {"argue": {"metric": "argue", "n": "8", "judge": "lexical"}}


def value(system: str, f1: float | None = 0.5) -> dict[str, Any]:
    score = {"value": f1, "low": None, "high": None, "n": 8, "failed": 0 if f1 is not None else 3}
    return {
        "schema": 1,
        "season": "local",
        "system": system,
        "author": None,
        "commit": None,
        "submission": {},
        "gold_digest": None,
        "created": "2027-01-01T00:00:00Z",
        "settings": {"openbook": {"signature": SIGNATURE, "scores": {"argue.f1": score}}},
    }


def put(folder: Path, system: str, result: Any, metadata: Any = None) -> Path:
    """Lays a result, and metadata as bytes or as what differs from those of an honest system."""
    path = folder / "results" / "local" / f"{system}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(result if isinstance(result, bytes) else canonical(result))
    if metadata is not None:
        about = folder / "metadata" / f"{system}.json"
        about.parent.mkdir(parents=True, exist_ok=True)
        about.write_bytes(
            metadata
            if isinstance(metadata, bytes)
            else json.dumps(valid_metadata(system, **metadata)).encode()
        )
    return path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A board with one good system; tests add a bad one."""
    board = tmp_path / "board"
    put(board, "good", value("good", 0.75), {"name": "Good system"})
    return board


def run(*args: str | Path) -> Result:
    return CliRunner().invoke(main, [str(arg) for arg in args], catch_exceptions=False)


def page(out: Path, path: str = "board/local/openbook.html") -> str:
    return (out / path).read_text("utf-8")


def test_a_flagged_row_says_on_the_board_and_on_its_page_what_was_seen(folder: Path) -> None:
    flagged = value("flagged", 0.9)
    flags = {**dict.fromkeys(MOST, 3), "guesses": 8, "of-another-version": 1}
    facts = {"median": 90, "longest": 200, "cut": 0, "verbatim": None, "flags": flags}
    flagged["settings"]["openbook"]["answers"] = facts
    put(folder, "flagged", flagged, {"name": "Flagged system"})
    out = folder / "site"
    build_site(folder, out)
    assert "Flagged system has the highest score in open book, 90.0 (" in page(out)
    assert "; the screening flagged its row; " in page(out)
    said = page(out, "system/local/flagged.html")
    told = re.findall(r"<li><b>([^<]+)</b> \((\d+)\)(: [^<]+)?\.</li>", said)
    assert [(name, int(many)) for name, many, _ in told] == sorted(flags.items())
    assert [name for name, _, why in told if not why] == ["of-another-version"]
    assert "screening" not in page(out, "system/local/good.html")


SCORE = {"value": 0.5, "low": None, "high": None, "n": 8, "failed": 0}
BAD = {
    "truncated": (b'{"schema": 1,', "not-json"),
    "empty": (b"", "not-json"),
    "a list": (b"[]", "wrong-shape"),
    "another schema": (canonical({**value("bad"), "schema": 99}), "wrong-value"),
    "not canonical": (json.dumps(value("bad"), indent=1).encode(), "not-canonical"),
    "another system's": (canonical(value("good")), "other-result"),
    "NaN": (canonical(value("bad")).replace(b"0.5", b"NaN"), "wrong-value"),
    "duplicate key": (b'{"schema":1,"schema":1}', "duplicate-key"),
    "deep": (b"[" * 100_000, "too-deep"),
}


@pytest.mark.parametrize("fault", BAD)
def test_a_bad_result_is_named_and_left_out(fault: str, folder: Path, tmp_path: Path) -> None:
    raw, code = BAD[fault]
    path = put(folder, "bad", raw)
    out = tmp_path / "site"
    done = run("site", "build", folder, "--out", out)
    assert done.exit_code == 0
    assert str(path) in done.stderr
    assert f"[{code}]" in done.stderr
    assert "Good system" in page(out)
    assert 'id="bad"' not in page(out)
    assert "bad.json" in page(out, "ledger.html")
    assert run("site", "build", folder, "--out", out, "--strict").exit_code == 1


def test_a_board_that_signs_believes_its_own_signatures(folder: Path, tmp_path: Path) -> None:
    """Signed by another program's Ed25519: verified, tampered with, and unsigned."""
    ed25519 = pytest.importorskip("cryptography.hazmat.primitives.asymmetric.ed25519")
    from cryptography.hazmat.primitives import serialization

    key = ed25519.Ed25519PrivateKey.generate()
    pem = key.public_key().public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
    )
    (folder / "keys").mkdir()
    (folder / "keys" / "board.pem").write_bytes(pem)
    for name in ("signed", "changed"):
        path = put(folder, name, value(name), {"name": name})
        path.with_name(f"{name}.json.sig").write_bytes(key.sign(path.read_bytes()))
    put(folder, "changed", value("changed", 0.99))
    _, findings = build_site(folder, tmp_path / "site")
    assert [f.code for f in findings if f.level == "error"] == ["bad-signature"]
    data = json.loads(page(tmp_path / "site", "data/v1/board/local/openbook.json"))
    told = {r["system"]: (s["group"], r["seal"]) for s in data["sections"] for r in s["rows"]}
    assert told == {"signed": ("", "verified"), "good": ("published elsewhere", "unsigned")}
    about = page(tmp_path / "site", "system/local/signed.html")
    assert "The signature of this result was verified." in about
    assert "openssl pkeyutl -verify" in about


QUEUES = {
    "[]": "The queue is empty.",
    "{}": "not at hand",
    "[1]": "not at hand",
    "x": "not at hand",
    '[{"a": {"b": [1]}}]': "[1]",
}


@pytest.mark.parametrize("told", QUEUES)
def test_a_queue_of_any_shape(told: str, folder: Path, tmp_path: Path) -> None:
    path = folder / "results" / "queue.json"
    path.write_text(told)
    done = run("site", "build", folder, "--out", tmp_path / "site")
    assert done.exit_code == 0
    assert QUEUES[told] in page(tmp_path / "site", "queue.html")
    assert (str(path) in done.stderr) == (QUEUES[told] == "not at hand")
    assert ("[wrong-shape]" in done.stderr) == (told in ("{}", "[1]"))


def test_signatures_that_nothing_here_can_check_stop_the_build(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "keys").mkdir()
    # None makes Python's import fail, as where the package is not installed.
    monkeypatch.setitem(sys.modules, "cryptography", None)
    monkeypatch.setitem(sys.modules, "cryptography.hazmat.primitives", None)
    monkeypatch.setitem(sys.modules, "cryptography.hazmat.primitives.asymmetric", None)
    with pytest.raises(MissingExtra, match=r"argue-bench\[leaderboard\]"):
        build_site(folder, tmp_path / "site")


@pytest.mark.parametrize("name", ["core", "own"])
def test_wherever_scores_of_core_stand_it_says_what_they_are_not(
    name: str, folder: Path, tmp_path: Path
) -> None:
    about = {
        "schema": 1,
        "season": "local",
        "set": {"name": name, "split": "test", "path": "."},
        "settings": ["openbook"],
        "metrics": ["argue"],
        "judge": "lexical",
        "ranked": "argue.f1",
        "group": "rehearsal",
    }
    (folder / "season.json").write_text(json.dumps(about))
    build_site(folder, tmp_path / "site")
    for path in ("index.html", "board/local/openbook.html", "system/local/good.html", "data.html"):
        text = page(tmp_path / "site", path)
        assert text.count("not how good a system is on real documents") == (name == "core")
        assert (
            text.count("This is a rehearsal, which ranks no systems: its gold or key is public")
            == 1
        )


ODD = {
    "no signature": ({"argue.f1": SCORE}, {}),
    "not the ranked score": ({"str_em.hit": SCORE}, {"str_em": {"metric": "str_em"}}),
    "no scores": ({}, SIGNATURE),
    "unsigned metric": ({"argue.f1": SCORE, "length.words": SCORE}, SIGNATURE),
}


@pytest.mark.parametrize("odd", ODD)
def test_an_odd_result_shows_its_gaps_and_never_fails_the_rest(
    odd: str, folder: Path, tmp_path: Path
) -> None:
    scores, signature = ODD[odd]
    settings = {"openbook": {"signature": signature, "scores": scores}}
    put(folder, "odd", {**value("odd"), "settings": settings})
    assert run("site", "build", folder, "--out", tmp_path / "site").exit_code == 0
    assert "Good system" in page(tmp_path / "site")
    assert 'id="odd"' in page(tmp_path / "site")
    assert "odd" in page(tmp_path / "site", "system/local/odd.html")


def bands(**more: Any) -> dict[str, Any]:
    """Two systems in two bands, by hand, as ``compare --bands`` writes them."""
    rows = [
        {
            "system": name,
            "value": f1,
            "band": band,
            "rank_low": band,
            "rank_high": high,
            "p_below_leader": p,
        }
        for name, f1, band, high, p in (("good", 0.75, 1, 2, None), ("worse", 0.5, 2, 2, "<0.01"))
    ]
    return {
        "systems": rows,
        "score": "argue.f1",
        "test": "paired permutation",
        "alpha": 0.05,
        "correction": "holm",
        "n": 8,
        "resamples": 1000,
        "resolvable": 0.123,
        **more,
    }


def two(folder: Path, told: Any) -> Path:
    put(folder, "worse", value("worse", 0.5), {"name": "Worse"})
    path = folder / "results/local/bands.json"
    path.write_text(told if isinstance(told, str) else json.dumps(told))
    return path


def test_bands_of_a_hidden_split_are_shown(folder: Path, tmp_path: Path) -> None:
    two(folder, {"schema": 1, "season": "local", "settings": {"openbook": bands()}})
    _, findings = build_site(folder, tmp_path / "site")
    assert not [finding for finding in findings if finding.level == "error"]
    text = page(tmp_path / "site")
    assert "Gaps under 12.3 points are within noise on these questions" in text
    assert '<td class="rank" data-v="1">1–2</td>' in text
    assert '<tr id="worse" class="band"' in text
    assert "paired permutation test at alpha = 0.05, correction: holm, n = 8" in text


def test_what_is_on_no_page_ranks_nobody(folder: Path, tmp_path: Path) -> None:
    """Runs that were never merged, or are hidden, stand in the signed bands for good; by hand, .25 > .141."""
    shown = {"good": (0.75, 0.65, 0.85), "worse": (0.5, 0.4, 0.6)}
    scored = {"ghost": (0.95, 0.9, 0.98), "worse": (0.9, 0.8, 0.95), "good": shown["good"]}
    rows = [
        {"system": name, "band": 1, "rank_low": 1, "rank_high": 3, "p_below_leader": None}
        | dict(zip(("value", "low", "high"), one, strict=True))
        for name, one in scored.items()
    ]
    made = bands(step=5, better="higher", systems=rows)
    two(folder, {"schema": 1, "season": "local", "settings": {"openbook": made}})
    for name, (told, low, high) in shown.items():
        result = value(name, told)
        result["settings"]["openbook"]["scores"]["argue.f1"] |= {"low": low, "high": high}
        put(folder, name, result)
    build_site(folder, tmp_path / "site")
    text = page(tmp_path / "site")
    assert "ghost" not in text
    assert re.findall(r'<td class="rank" data-v="(\d)">(.*?)</td>', text) == [
        ("1", "1"),
        ("2", "2"),
    ]


@pytest.mark.parametrize(
    "told",
    [
        "no json",
        [],
        {"settings": 1},
        {"settings": {"openbook": {"systems": 1}}},
        {"settings": {"openbook": {"systems": []}}},
        {"settings": {"openbook": bands(alpha="x")}},
    ],
)
def test_bad_bands_are_named_and_the_board_stands(told: Any, folder: Path, tmp_path: Path) -> None:
    path = two(folder, told)
    done = run("site", "build", folder, "--out", tmp_path / "site")
    assert done.exit_code == 0
    assert str(path) in done.stderr
    assert "No ranks: without a significance test" in page(tmp_path / "site")


def test_a_board_that_signs_believes_its_own_bands(folder: Path, tmp_path: Path) -> None:
    ed25519 = pytest.importorskip("cryptography.hazmat.primitives.asymmetric.ed25519")
    from cryptography.hazmat.primitives import serialization

    key = ed25519.Ed25519PrivateKey.generate()
    (folder / "keys").mkdir()
    (folder / "keys" / "board.pem").write_bytes(
        key.public_key().public_bytes(
            serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
        )
    )
    path = two(folder, {"schema": 1, "season": "local", "settings": {"openbook": bands()}})
    seal = path.with_name("bands.json.sig")
    for signature, shown in (
        (None, 0),
        (key.sign(b"other bytes"), 0),
        (key.sign(path.read_bytes()), 1),
    ):
        if signature is not None:
            seal.write_bytes(signature)
        _, findings = build_site(folder, tmp_path / "site")
        assert [f.code for f in findings if f.code == "bad-signature"] == ["bad-signature"] * (
            1 - shown
        )
        assert page(tmp_path / "site").count("12.3 points") == shown


def test_ledger_and_queue_are_shown_and_no_author(folder: Path, tmp_path: Path) -> None:
    ledger = folder / "results" / "ledger.jsonl"
    event = {
        "event": "scored",
        "system": "good",
        "season": "local",
        "date": "2027-01-01T00:00:00Z",
        "author": "4711",
        "reason": "first run",
    }
    ledger.write_text(json.dumps(event) + "\n")
    queue = [
        {"number": 12, "author": "someone", "since": "2027-01-02"},
        {"number": 7, "own": "<i>"},
    ]
    (folder / "results" / "queue.json").write_text(json.dumps(queue))
    _, findings = build_site(folder, tmp_path / "site")
    text = page(tmp_path / "site", "ledger.html")
    assert "first run" in text
    waits = page(tmp_path / "site", "queue.html")
    heads = re.findall(r'<th scope="col">([^<]*)</th>', waits)
    assert heads == ["Pull request", "From", "Since", "own"]
    day = '<td class="unbroken">'
    assert f"<tr><td>12</td><td>someone</td>{day}2027-01-02</td><td>–</td></tr>" in waits
    assert f"<tr><td>7</td><td>–</td>{day}–</td><td>&lt;i&gt;</td></tr>" in waits
    for one in (text, waits):
        assert re.findall(r'<li><a href="(\w+).html"', one)[-2:] == ["ledger", "queue"]
    assert "first run" in page(tmp_path / "site", "system/local/good.html")
    assert "4711" not in text
    assert any(finding.file == str(ledger) for finding in findings)  # it is not chained


def test_a_row_says_how_many_runs_its_author_spent_and_nothing_where_nobody_counted(
    folder: Path, tmp_path: Path
) -> None:
    put(folder, "good", value("good") | {"author": "4711"})
    build_site(folder, tmp_path / "before")
    shown = re.compile(r"runs:\s(\d+)")
    for place in ("board/local/openbook.html", "system/local/good.html"):
        assert not shown.search(page(tmp_path / "before", place))
        assert "Scored runs of its author" not in page(tmp_path / "before", place)
    events = [
        *(("scored", "local", "4711"), ("unchanged", "local", "4711")),
        *(
            ("expired", "local", "4711"),
            ("re-scored", "local", "4711"),
            ("withdrawn", "local", "4711"),
        ),
        *(
            ("scored", "other", "4711"),
            ("scored", "local", "12"),
            ("scored", "local", None),
            ("scored", [], {}),
        ),
    ]
    lines = [
        {"event": event, "season": season, "author": author} for event, season, author in events
    ]
    (folder / "results" / "ledger.jsonl").write_text("".join(json.dumps(x) + "\n" for x in lines))
    build_site(folder, tmp_path / "site")
    assert shown.findall(page(tmp_path / "site", "board/local/openbook.html")) == ["3"]
    assert "<dt>Scored runs of its author in the season</dt><dd>3</dd>" in page(
        tmp_path / "site", "system/local/good.html"
    )


def test_the_ledger_tells_scores_in_points(folder: Path, tmp_path: Path) -> None:
    """By setting, with one decimal; what was not counted is a dash, what is no score stays as it is."""
    event = {"event": "scored", "system": "good", "season": "local", "date": "2027-01-31T12:00:00Z"}
    told: tuple[Any, ...] = (
        {"openbook": 0.263, "closedbook": None},
        {},
        {"openbook": "<b>"},
        [1],
        {"openbook": 1e90},
    )
    lines = [json.dumps({**event, "scores": scores}) + "\n" for scores in told]
    (folder / "results" / "ledger.jsonl").write_text("".join(lines))
    build_site(folder, tmp_path / "site")
    text = page(tmp_path / "site", "ledger.html")
    assert text.count('<td class="unbroken">2027-01-31 12:00:00 UTC</td>') == 5
    rows = [
        re.sub(r"<[^>]*>", "", row).strip() for row in re.findall(r"<tr><td.*?</tr>", text, re.S)
    ]
    shown = [row.partition("local")[2].strip() for row in rows]
    assert re.sub(" +", " ", shown[0]) == "Open book 26.3, Closed book –"
    assert shown[1] == "–"
    assert "scores: {&#39;openbook&#39;: &#39;&lt;b&gt;&#39;}" in shown[2]
    assert "scores: [1]" in shown[3]
    assert "scores:" in shown[4]
    assert "openbook" not in shown[0]


def test_the_queue_links_to_pull_requests_of_the_organisers_repository(
    folder: Path, tmp_path: Path
) -> None:
    evil = "https://evil.example/pull/1"
    numbers = [12, "13", "14/../x", -1, 0, True, 1.5, None, [15], 10**30, evil]
    rows = [{"number": one, "link": evil, "repository": evil} for one in numbers]
    (folder / "results" / "queue.json").write_text(json.dumps(rows))
    words = ("site", "build", folder, "--out", tmp_path / "site")
    assert run(*words).exit_code == 0
    assert '<a href="https:' not in page(tmp_path / "site", "queue.html")  # nobody named one
    own = "https://example.org/board/"
    assert run(*words, "--repository", "example/board", "--url", own).exit_code == 0
    text = page(tmp_path / "site", "queue.html")
    link = '<a href="https://github.com/example/board/pull/12" rel="noopener">#12</a>'
    assert f"<td>{link}</td>" in text
    assert text.count('<a href="https:') == 2  # and the repository in the footer
    for wrong in ("evil", "https://evil.example/x", "a/b/c", "a b/c", 'a/"b'):
        assert run(*words, "--repository", wrong, "--url", own).exit_code == 2


def declare(folder: Path, **more: Any) -> None:
    about = {
        "schema": 1,
        "season": "local",
        "set": {"name": "own", "split": "test", "path": "."},
        "settings": ["closedbook", "openbook"],
        "metrics": ["argue"],
        "judge": "lexical",
        "ranked": "argue.f1",
        **more,
    }
    (folder / "season.json").write_text(json.dumps(about))


@pytest.mark.parametrize("title", ["Long reports & <b>sources</b>", ""])
def test_a_board_is_called_what_its_organiser_calls_it(
    title: str, folder: Path, tmp_path: Path
) -> None:
    declare(folder, title=title)
    build_site(folder, tmp_path / "site")
    shown = escape(title) or "argue-bench"
    for path in (
        "index.html",
        "board/local/openbook.html",
        "system/local/good.html",
        "queue.html",
        "metrics.html",
        "submit.html",
        "404.html",
    ):
        text = page(tmp_path / "site", path)
        head = text.partition("<title>")[2].partition("</title>")[0]
        assert head.count(shown) == 1, path
        assert f"</svg>{shown}</a>" in text
        assert "Made by argue-bench" in text.partition("<footer")[2]


@pytest.mark.parametrize(
    ("about", "says", "not_said"),
    [
        (
            {"name": "ferrow", "split": "spring", "path": "topics"},
            "generate --dataset leaderboard-submissions/topics --system",
            "--dataset core",
        ),
        (
            {"name": "core", "split": "test"},
            "generate --dataset core --split test --system",
            "topics",
        ),
    ],
)
def test_the_page_for_participants_names_the_set_of_this_board(
    about: dict[str, str], says: str, not_said: str, folder: Path, tmp_path: Path
) -> None:
    declare(folder, set=about, settings=["closedbook"])
    build_site(folder, tmp_path / "site")
    text = page(tmp_path / "site", "submit.html").partition("<main")[2].replace("\\\n  ", "")
    assert says in text
    assert "--setting closedbook --out leaderboard-submissions/closedbook-generations/" in text
    assert "submission check --system my-system" in text
    assert "argue-bench[leaderboard]" in text
    assert not_said not in text


def test_a_board_without_systems_says_what_to_do(tmp_path: Path) -> None:
    board = tmp_path / "board"
    board.mkdir()
    declare(board, title="A new board")
    done = run("site", "build", board, "--out", tmp_path / "site", "--strict")
    assert (done.exit_code, done.stderr) == (0, "")
    text = page(tmp_path / "site", "index.html")
    assert "<h2>A new board</h2>" in text
    assert "No systems yet on own (test), ranked by ARGUE F1." in text
    assert "A system appears here once" in text
    assert "Open settings: Closed book, Open book." in text
    assert '<a class="more" href="submit.html">' in text
    assert "<dt>Boards</dt><dd>none yet</dd>" in page(tmp_path / "site", "data.html")
    put(board, "first", value("first"), {"name": "First"})
    build_site(board, tmp_path / "site")
    text = page(tmp_path / "site", "index.html")
    assert "One system on own (test), ranked by ARGUE F1." in text
    assert "A system appears here once" not in text


def test_a_folder_of_other_files_is_not_written_over(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.tex").write_text("years of work")
    done = run("site", "build", folder, "--out", tmp_path / "mine")
    assert done.exit_code == 2
    assert [path.name for path in (tmp_path / "mine").iterdir()] == ["thesis.tex"]


def test_fanoutqa_has_its_own_order_and_numbers(tmp_path: Path) -> None:
    """The 16 published results: each board in the order of sorting the files by hand."""
    source = shared("data", "fanoutqa", "leaderboard-submissions")
    assert run("board", "import", source, "--out", tmp_path / "fo").exit_code == 0
    assert run("site", "build", tmp_path / "fo", "--out", tmp_path / "site").exit_code == 0
    files = sorted((source / "results").glob("*.json"))  # ties stand in the order of the names
    published = [json.loads(path.read_text("utf-8")) for path in files]
    assert len(published) == 16
    for setting in ("closedbook", "openbook", "evidenceprovided"):
        by_hand = sorted(
            (
                (r[setting]["gpt"], r["metadata"]["name"], r[setting])
                for r in published
                if r.get(setting)
            ),
            key=lambda row: -row[0],
        )
        html = page(tmp_path / "site", f"board/fanoutqa-published/{setting}.html")
        assert "Published elsewhere" in html
        rows = re.findall(r'<tr id="[^"]*".*?</tr>', html, re.S)
        names = [re.search(r'class="who">.*?<a [^>]*>(.*?)</a>', row, re.S)[1] for row in rows]  # type: ignore[index]
        assert names == [name for _, name, _ in by_hand]
        for row, (judged, _, scored) in zip(rows, by_hand, strict=True):
            rouge = [scored["rouge"][kind]["fscore"] for kind in ("rouge1", "rouge2", "rougeL")]
            window = next(r["metadata"]["context"] for r in published if r.get(setting) is scored)
            assert not window or f'data-v="{window}">{window:,}<' in row
            for number in (
                judged,
                scored["acc"]["loose"],
                scored["acc"]["strict"],
                *rouge,
                scored["bleurt"],
            ):
                assert f">{100 * number:.1f}<" in row


def people_board(folder: Path) -> None:
    """Three runs that people wrote, scored on the sample with their run files kept."""
    from argue_bench.leaderboard.formats.season import read_season
    from argue_bench.leaderboard.scoring.scored_settings import Judging, score_folder

    settings = ("closedbook", "openbook", "evidenceprovided")
    (folder / "metadata").mkdir(parents=True)
    (folder / "evidenceprovided-generations").mkdir()
    season = {
        "schema": 1,
        "season": "people",
        "set": {"name": "core", "split": "sample"},
        "settings": ["evidenceprovided"],
        "metrics": ["argue"],
        "judge": "lexical",
        "ranked": "argue.f1",
        "title": "People wrote these",
    }
    (folder / "season.json").write_text(json.dumps(season))
    for name in ("careful", "careless", "refuses"):
        source = ROOT / f"argue_bench/data/core/sample-runs/{name}.jsonl"
        shutil.copy(source, folder / "evidenceprovided-generations" / f"{name}.jsonl")
        about = {
            "name": name,
            "authors": "people",
            "url": None,
            "citation": "people, 2026",
            "type": "OTHER",
            "context": 0,
            "is_trained_for_function_calling": False,
            **{f"{s}_generations": None for s in settings},
            "evidenceprovided_generations": f"{name}.jsonl",
        }
        (folder / "metadata" / f"{name}.json").write_text(json.dumps(about))
    declared = read_season(folder)
    scored = score_folder(
        folder, declared, declared.load(), folder, Judging({}, runs=folder / "runs")
    )
    assert [one.problem or one.findings for one in scored] == [(), (), ()]


def test_runs_give_bands_topics_and_reports(tmp_path: Path) -> None:
    """The page says which systems really differ, and why a score is what it is."""
    board, site = tmp_path / "board", tmp_path / "site"
    people_board(board)
    build_site(board, site)
    data = json.loads(page(site, "data/v1/board/people/evidenceprovided.json"))
    rows = {row["system"]: row for row in data["sections"][0]["rows"]}
    assert data["bands"]["resolves"] > 0.1  # eight questions tell little apart
    assert rows["careful"]["standing"]["band"] < rows["careless"]["standing"]["band"]
    assert rows["careless"]["standing"]["p"].startswith("<")
    assert "Deaths in the 2021 flood" in page(site, rows["careful"]["view"])
    heat = page(site, "topics/people/evidenceprovided.html")
    assert "ferry-cause" in heat
    link = re.search(r'href="../../(question/people/evidenceprovided/[^"#]+)#careless"', heat)
    assert link is not None
    question = page(site, link[1])
    assert "What a good answer contains" in question
    for name in ("careful", "careless", "refuses"):
        article = question.partition(f'<article id="{name}"')[2].partition("</article>")[0]
        report = re.search(r'href="../../../(view/[^"]+)">every judgment', article)
        assert report is not None
        assert (site / report[1]).is_file()
    scores = page(site, "data/v1/scores/people/evidenceprovided/careful.js")
    told = [
        row["values"]["careful"]
        for row in json.loads(page(site, "data/v1/topics/people/evidenceprovided.json"))["topics"]
    ]
    assert scores.startswith('addScores("careful",[')
    assert [round(one, 6) for one in told] == json.loads(scores[len('addScores("careful",') : -3])
    # A system may be called tray, nothing or questions: what is not a system's has a form that no name can have.
    for shown in (page(site, "board/people/evidenceprovided.html"), question):
        ids = re.findall(r' id="([^"]*)"', shown)
        assert len(ids) == len({*ids})
        assert {*filter(SYSTEM.fullmatch, ids)} == {*rows}
    scripts = (site / "data/v1/scores/people/evidenceprovided").glob("*.js")
    assert {*filter(SYSTEM.fullmatch, (one.stem for one in scripts))} == {*rows}
    for made in (site / rows["careful"]["view"]).parent.glob("*.html"):  # and back again
        back = 'href="../../../../board/people/evidenceprovided.html#careful"'
        assert back in made.read_text("utf-8"), made
        assert "</svg>People wrote these</a>" in made.read_text("utf-8"), made
    assert "<title>careful · People wrote these</title>" in page(site, rows["careful"]["view"])
    built, _ = build_site(board, site)
    assert built.written == 0
    runs = board / "runs/people/evidenceprovided"
    shutil.copy(runs / "careful.run", runs / "careless.run")
    _, findings = build_site(board, site)
    assert "other-result" in [finding.code for finding in findings]


def test_questions_of_a_sealed_set_are_shown_and_no_score_on_them(tmp_path: Path) -> None:
    board, site = tmp_path / "board", tmp_path / "site"
    board.mkdir()
    shutil.copy(ROOT / "leaderboard-submissions/season.json", board)
    put(board, "good", {**value("good", 0.75), "season": "season-0"}, {"name": "Good system"})
    (board / "results/local").rename(board / "results/season-0")
    build_site(board, site)
    told = page(site, "topics/season-0/openbook.html")
    assert "stay hidden until the answers are revealed" in told
    assert told.count("<li id=") == 400
    data = json.loads(page(site, "data/v1/topics/season-0/openbook.json"))
    assert {(row["mean"], row["best"], *row["values"], *row["gold"]) for row in data["topics"]} == {
        (None, None)
    }
    assert not (site / "question").exists()
    assert not (site / "data/v1/scores").exists()


def test_rows_committed_on_main_are_shown_where_the_results_branch_has_none(tmp_path: Path) -> None:
    """Season 0 of this repository: fetched beside a repository without results, verified, and shown."""
    repository, out = tmp_path / "repository", tmp_path / "fetched"
    board = repository / "leaderboard-submissions"
    shutil.copytree(ROOT / "leaderboard-submissions", board)
    git(repository, "init", "--quiet", "--initial-branch=main")
    git(repository, "add", "leaderboard-submissions")
    git(repository, "commit", "--quiet", "--message", "x")
    git(tmp_path, "clone", "--quiet", "--bare", "repository", "bare")
    words = ("board", "fetch", board, "--remote", (tmp_path / "bare").as_uri())
    words = (*words, "--results", "leaderboard-results", "--out")
    assert run(*words, tmp_path / "whole").exit_code == 0
    assert run("board", "verify", tmp_path / "whole").exit_code == 0
    # The branch's own ledger, once it has begun, stands beside that of main, and may hide its rows.
    decided = ("board", "ledger", "--remote", (tmp_path / "bare").as_uri(), "--season", "season-0")
    decided = (*decided, "--system", "lead-sentences", "--add", "hidden", "--reason", "too old")
    assert run(*decided).exit_code == 0
    assert "season-0/lead-sentences" in run(*words, tmp_path / "begun").stderr
    assert not list((tmp_path / "begun/results/season-0").glob("lead-sentences*"))
    assert run("board", "verify", tmp_path / "begun").exit_code == 0
    changed = board / "results/season-0/stuffing.json"
    changed.write_bytes(changed.read_bytes().replace(b'"failed":0', b'"failed":1', 1))
    done = run(*words, out)
    assert "season-0/stuffing.json" in done.stderr
    build_site(out, tmp_path / "site")
    told = page(tmp_path / "site", "board/season-0/evidenceprovided.html")
    assert "A rehearsal, which ranks nobody: " in told
    assert 'id="stuffing"' not in told
    assert "The signature of this result was verified." in page(
        tmp_path / "site", "system/season-0/bm25-extractive.html"
    )


def test_no_page_is_written_or_deleted_through_a_link(tmp_path: Path) -> None:
    """A folder of pages may come from somebody else, and git keeps links."""
    other, out = tmp_path / "x", tmp_path / "out"
    other.mkdir()
    (other / "mine.html").write_text("mine")
    out.mkdir()
    (out / MARK).write_text(json.dumps({"l/mine.html": ""}))
    (out / "l").symlink_to(other)
    (out / "assets").symlink_to(other)
    with pytest.raises(DataError, match="nothing is written through it"):
        Pages(out).close()
    with pytest.raises(DataError, match="nothing is written through it"):
        Pages(out).static()
    assert [path.name for path in other.iterdir()] == ["mine.html"]


@pytest.mark.parametrize("outside", ["../x", "{out}/../x", "board/../../x"])
def test_notes_of_an_earlier_build_delete_nothing_outside_the_site(
    tmp_path: Path, outside: str
) -> None:
    other, out = tmp_path / "x", tmp_path / "out"
    other.write_text("mine")
    out.mkdir()
    (out / MARK).write_text(json.dumps({"old.html": "", outside.format(out=out): ""}))
    (out / "old.html").write_text("old")
    with pytest.raises(DataError, match="leads out of the site"):
        Pages(out).close()
    assert other.read_text() == "mine"
    assert (out / "old.html").exists()
