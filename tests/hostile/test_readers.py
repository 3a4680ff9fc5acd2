"""Readers of bundles, outcomes and ledgers: any bytes end in a value or in codes, never otherwise."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from argue_bench.errors import DataError, Finding, SubmissionError
from argue_bench.leaderboard.formats.bundle import Bundle, paths_of, read_bundle
from argue_bench.leaderboard.formats.canonical import canonical
from argue_bench.leaderboard.formats.git_objects import check_ref, check_remote
from argue_bench.leaderboard.formats.ledger import read_ledger
from argue_bench.leaderboard.formats.outcome import Disclosed, StepOutcome, parse_outcome, summarise
from argue_bench.leaderboard.publishing.comment import MARK, write_comment
from argue_bench.records.digests import sha256

GOOD = Bundle("my-system", "1001", {"metadata/my-system.json": b"{}"}, 7, "ab" * 20, "cd" * 20)
OUTCOME = StepOutcome(
    "score",
    "scored",
    system="my-system",
    author="1",
    season="s",
    pr=7,
    settings={"openbook": Disclosed(True, 0.5, 0.4, 0.6)},
    ranked="argue.f1",
    runs=1,
    quota=3,
    digest="ab" * 32,
)
HOSTILE = [
    "@everyone",
    "#1",
    "Fixes #1",
    "![x](https://evil.example/a.png)",
    "[x](javascript:alert(1))",
    "<img src=x onerror=alert(1)>",
    "<!-- x -->",
    "`` ` ``",
    "a|b",
    "\n::set-output name=x::y",
    "\r\n# Head",
    "> [!IMPORTANT]",
    "\u202egnp",
    "https://evil.example",
    "x" * 10_000,
    "```",
]


def contents() -> st.SearchStrategy[dict[str, bytes]]:
    paths = st.sampled_from(sorted(paths_of("my-system")))
    return st.dictionaries(paths, st.binary(max_size=200), min_size=1)


def read(folder: Path, raw: bytes, expect: str | None = None) -> Bundle:
    (folder / "bundle").write_bytes(raw)
    return read_bundle(folder / "bundle", expect)


@given(contents(), st.none() | st.integers(1, 10**6))
def test_a_bundle_comes_back_as_it_was(
    tmp_path_factory: pytest.TempPathFactory, files: dict[str, bytes], pr: int | None
) -> None:
    bundle = replace(GOOD, files=files, pr=pr)
    raw = bundle.to_bytes()
    folder = tmp_path_factory.mktemp("bundle")
    assert read(folder, raw, sha256(raw)) == bundle
    for other in ("00" * 32, ""):
        with pytest.raises(SubmissionError, match="bundle-digest"):
            read(folder, raw, other)


SPOILT: dict[str, dict[str, object]] = {
    "another system's file": {"files": {"metadata/other.json": "e30="}},
    "a path upward": {"files": {"metadata/../x.json": "e30="}},
    "an absolute path": {"files": {"/etc/passwd": "e30="}},
    "no files": {"files": {}},
    "a file that is no text": {"files": {"metadata/my-system.json": 7}},
    "a file that is not Base64": {"files": {"metadata/my-system.json": "e3=0"}},
    "a system of two dots": {"system": ".."},
    "a reserved system": {"system": "con"},
    "an author of two lines": {"author": "1\n2"},
    "a branch for a commit": {"commit": "main"},
    "no number": {"pr": 0},
    "another version": {"schema": 2},
    "one key more": {"extra": 1},
}


@pytest.mark.parametrize("name", SPOILT)
def test_a_bundle_says_only_what_it_may(tmp_path: Path, name: str) -> None:
    about = json.loads(GOOD.to_bytes()) | SPOILT[name]
    with pytest.raises(SubmissionError) as caught:
        read(tmp_path, canonical(about))
    assert caught.value.findings[0].code in ("wrong-shape", "wrong-value", "not-canonical")


@given(st.binary(max_size=300))
def test_any_bytes_are_no_outcome(raw: bytes) -> None:
    with pytest.raises(DataError):
        parse_outcome(raw, "score.json")


@given(
    st.sampled_from(sorted(StepOutcome.__annotations__)),
    st.sampled_from(
        ["\n::x::", 1e300, -1, [], {}, True, ["a"], {"a": "b"}, "../../x", "x" * 2_000, "@all"]
    ),
)
def test_an_outcome_of_other_forms_is_refused(key: str, value: object) -> None:
    from argue_bench.leaderboard.formats.canonical import canonical

    raw = json.loads(OUTCOME.to_bytes())
    raw[key] = value
    try:
        read = parse_outcome(canonical(raw), "score.json")
    except DataError:
        return
    shown = write_comment(read)
    assert "\n::" not in shown
    assert "@all" not in shown


@given(st.binary(max_size=200))
def test_any_bytes_are_a_ledger_or_a_finding(raw: bytes) -> None:
    try:
        read_ledger(raw)
    except DataError:
        return


@pytest.mark.parametrize("text", HOSTILE)
def test_a_comment_says_nothing_in_a_strangers_words(text: str) -> None:
    findings = [Finding("unknown-id", text, text, 1, hint=text)]
    outcome = replace(OUTCOME, state="refused", findings=summarise(findings), settings={})
    shown = write_comment(outcome)
    assert shown.startswith(MARK)
    body = shown.removeprefix(MARK)
    outside = "".join(part for n, part in enumerate(body.split("`")) if n % 2 == 0)
    assert body.count("`") % 2 == 0
    for mark in ("@", "#", "<", "](", "::", "://", "evil", "IMPORTANT", "\u202e"):
        assert mark not in outside
    assert "<!--" not in body
    assert len(shown) < 5_000


@given(st.text(max_size=60))
def test_remotes_and_branches_are_plain(text: str) -> None:
    for check in (check_remote, check_ref):
        try:
            good = check(text)
        except SubmissionError:
            continue
        assert not good.startswith("-")
        assert "\n" not in good
        assert " " not in good


def test_a_comment_is_never_too_long() -> None:
    findings = [Finding(f"code-{n}", "x" * 290, "f" * 140, n) for n in range(5_000)]
    shown = write_comment(replace(OUTCOME, findings=summarise(findings)))
    assert len(shown) <= 65_300
    assert "4,950 more" in shown
