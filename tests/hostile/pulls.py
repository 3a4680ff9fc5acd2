"""Hostile pull requests as data: how each is made, and the codes that it must end in.

The numbers are rows of the list of weaknesses of boards that were run this way before.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable
from typing import Any

from argue_bench.leaderboard.intake.entries import PullRequest
from tests.leaderboard.boards import metadata
from tests.leaderboard.repositories import ROOT, Content, Repository, git

Maker = Callable[[Repository], PullRequest]
S = "my-system"
OPEN = f"{ROOT}/openbook-generations/{S}.jsonl"
CLOSED = f"{ROOT}/closedbook-generations/{S}.jsonl"
META = f"{ROOT}/metadata/{S}.json"
PROGRAM = "#!/bin/sh\ntouch /tmp/argue-bench-was-executed\n"
LINK = "120000"


def put(*pairs: tuple[str, Content], author: str = "1001") -> Maker:
    """An honest entry, with these files put over it."""
    return lambda r: r.pull(r.commit({**r.entry(S), **dict(pairs)}), author)


def alone(*pairs: tuple[str, Content]) -> Maker:
    """These files and nothing else."""
    return lambda r: r.pull(r.commit(dict(pairs)))


def said(**changes: Any) -> Maker:
    """An honest entry with other metadata."""
    return lambda r: r.send(S, **changes)


def raw(text: str | bytes) -> Maker:
    return put((META, text))


def answered(change: Callable[[str, tuple[str, ...]], str | bytes]) -> Maker:
    """An honest entry whose answers are spoilt: from the honest text and the ids."""
    return lambda r: r.pull(r.commit({**r.entry(S), OPEN: change(r.answers(), r.ids)}))


def first(line: Callable[[str], str]) -> Maker:
    """The first answer of an honest entry written otherwise."""
    return answered(lambda text, ids: line(ids[0]) + "\n" + text.split("\n", 1)[1])


def trees(make: Callable[[Repository, str], str]) -> Maker:
    """A commit of a tree written by hand over that of main; given the object of a program."""

    def pull(r: Repository) -> PullRequest:
        return r.pull(r.of_tree(make(r, r.blob(PROGRAM))))

    return pull


def top(r: Repository, *rows: tuple[str, str, str], without: str = "") -> str:
    """Main's top folder with further rows, in git's order by name."""
    there = [line.split(None, 3) for line in git(r.path, "ls-tree", "main").splitlines()]
    kept = [(mode.lstrip("0"), name, oid) for mode, _, oid, name in there if name != without]
    return r.tree(*sorted([*kept, *rows], key=lambda row: row[1]))


def under(r: Repository, *rows: tuple[str, str, str]) -> str:
    """Main's tree with further rows in the folder of submissions."""
    there = [line.split(None, 3) for line in git(r.path, "ls-tree", f"main:{ROOT}").splitlines()]
    taken = {name for mode, name, _ in rows if mode == "40000"}
    kept = [(mode.lstrip("0"), name, oid) for mode, _, oid, name in there if name not in taken]
    folder = r.tree(*sorted([*kept, *rows], key=lambda row: row[1]))
    return top(r, ("40000", ROOT, folder), without=ROOT)


def told(**facts: Any) -> Maker:
    """An honest pull request, and a platform that says something else."""
    return lambda r: dataclasses.replace(r.send(S), **facts)


def moved(r: Repository) -> PullRequest:
    """The head moves on after the review."""
    request = r.send(S)
    after = r.commit(r.entry(S, r.answers("Changed after the review.")))
    git(r.path, "update-ref", f"refs/pull/{request.pr}/head", after)
    return request


def unrelated(r: Repository) -> PullRequest:
    return r.pull(r.commit(r.entry(S), None))


def criss_cross(r: Repository) -> PullRequest:
    """Two points of departure, so that a change can hide from the comparison with one of them."""
    a = r.commit({"a.txt": "a"})
    b = r.commit({"b.txt": "b"})
    tree = git(r.path, "rev-parse", f"{a}^{{tree}}")
    one = git(r.path, "commit-tree", tree, "-p", a, "-p", b, "-m", "x")
    two = git(r.path, "commit-tree", tree, "-p", b, "-p", a, "-m", "y")
    r.merge(one)
    return r.pull(r.commit(r.entry(S), two))


def fifty(r: Repository) -> PullRequest:
    files: dict[str, Content] = {}
    for number in range(50):
        files |= r.entry(f"system-{number:02}")
    return r.pull(r.commit(files))


def foreign(r: Repository) -> PullRequest:
    """A system whose owner is on record."""
    from argue_bench.leaderboard.formats.ledger import Event
    from argue_bench.leaderboard.publishing.record import RecordTarget, record_events

    event = Event("scored", "2026-01-01T00:00:00Z", "toy", S, "7")
    record_events(RecordTarget(r.remote), [event])
    return r.send(S, author="1001")


def stale(r: Repository) -> PullRequest:
    """An old fork that lacks what was merged since: not what it lacks, what it changes counts."""
    old = r.main
    r.merge(r.commit(r.entry("newcomer")))
    return r.pull(r.commit({**r.entry(S), f"{ROOT}/metadata/veteran.json": "{}"}, old))


def broken_ledger(r: Repository) -> PullRequest:
    r_commit = r.commit({f"{ROOT}/results/ledger.jsonl": '{"event": "scored"}\n'})
    git(r.path, "update-ref", "refs/heads/leaderboard-results", r_commit)
    return r.send(S)


def bomb(r: Repository) -> PullRequest:
    """Ten folders deep, ten names each: ten thousand million files to whoever lists them all."""
    oid = r.blob("x")
    tree = r.tree(*[("100644", f"f{n}", oid) for n in range(10)])
    for _ in range(9):
        tree = r.tree(*[("40000", f"d{n}", tree) for n in range(10)])
    return r.pull(r.of_tree(under(r, ("40000", "zz", tree))))


def many(r: Repository) -> PullRequest:
    """More names in one folder than anybody has."""
    oid = r.blob("{}")
    folder = r.tree(*[("100644", f"s{n:06}.json", oid) for n in range(100_001)])
    return r.pull(r.of_tree(under(r, ("40000", "zz-generations", folder))))


def twice(r: Repository, oid: str) -> str:
    return r.tree(("100644", "README.md", oid), ("100644", "README.md", oid))


def inside(r: Repository, *rows: tuple[str, str, str]) -> PullRequest:
    """An honest entry, with further or other rows among the answers, however wrong."""
    commit = r.commit(r.entry(S))
    place = "openbook-generations"
    there = [
        line.split(None, 3)
        for line in git(r.path, "ls-tree", f"{commit}:{ROOT}/{place}").splitlines()
    ]
    taken = {name for _, name, _ in rows}
    kept = [(m.lstrip("0"), name, o) for m, _, o, name in there if name not in taken]
    folder = r.tree(*sorted([*kept, *rows], key=lambda row: row[1]))
    oid = git(r.path, "rev-parse", f"{commit}:{ROOT}/metadata")
    return r.pull(r.of_tree(under(r, ("40000", place, folder), ("40000", "metadata", oid))))


def replaced(r: Repository) -> PullRequest:
    """The board's own repository says that the hostile head is an honest commit."""
    request = put(("sitecustomize.py", PROGRAM))(r)
    git(r.path, "update-ref", f"refs/replace/{request.sha}", r.commit(r.entry(S)))
    return request


def tagged(r: Repository) -> PullRequest:
    """The head is a tag that points at a commit."""
    commit = r.commit(r.entry(S))
    about = f"object {commit}\ntype commit\ntag x\ntagger A <a@example.org> 1767225600 +0000\n\nx\n"
    return r.pull(git(r.path, "hash-object", "-t", "tag", "-w", "--stdin", given=about.encode()))


def merged_link(r: Repository) -> PullRequest:
    """What the pull request leaves alone is a link on main, and its sender owns the system."""
    from argue_bench.leaderboard.formats.ledger import Event
    from argue_bench.leaderboard.publishing.record import RecordTarget, record_events

    record_events(
        RecordTarget(r.remote), [Event("scored", "2026-01-01T00:00:00Z", "toy", S, "1001")]
    )
    r.merge(r.commit({**r.entry(S), CLOSED: (LINK, "/etc/passwd")}))
    return r.send(S, answers=r.answers("Another answer."))


GOOD = metadata(S)
LONG = "x" * 2_100_000

PULLS: dict[str, tuple[Maker, list[str]]] = {
    # what else a pull request changes (4, 7, 24)
    "a workflow": (
        put((".github/workflows/score.yml", "on: pull_request_target\n")),
        ["outside-submission"],
    ),
    "a new workflow": (put((".github/workflows/mine.yml", "on: push\n")), ["outside-submission"]),
    "the scorer": (put(("argue_bench/eval.py", "print(1)")), ["outside-submission"]),
    "a module beside": (put(("sitecustomize.py", PROGRAM)), ["outside-submission"]),
    "attributes": (put((".gitattributes", "* filter=x\n")), ["outside-submission"]),
    "modules of git": (
        put((".gitmodules", '[submodule "x"]\n path = x\n url = https://example.org/x\n')),
        ["outside-submission"],
    ),
    "its own results": (put((f"{ROOT}/results/toy/{S}.json", "{}")), ["results-edited"]),
    "results alone": (alone((f"{ROOT}/results/toy/ghost.json", "{}")), ["results-edited"]),
    "the ledger": (put((f"{ROOT}/results/ledger.jsonl", "{}\n")), ["results-edited"]),
    "a snapshot": (put((f"{ROOT}/archive/2026-01-01/index.json", "{}")), ["results-edited"]),
    "a public key": (put((f"{ROOT}/keys/mine.pem", "x")), ["board-file"]),
    "the season": (put((f"{ROOT}/season.json", "{}")), ["board-file"]),
    "the sealed gold": (put((f"{ROOT}/gold.jsonl.sealed", "x")), ["board-file"]),
    "the topics": (put((f"{ROOT}/topics/questions.jsonl", "{}")), ["board-file"]),
    "a program in the folder": (put((f"{ROOT}/run.py", PROGRAM)), ["unexpected-file"]),
    "a program among answers": (
        put((f"{ROOT}/openbook-generations/{S}.py", PROGRAM)),
        ["unexpected-file"],
    ),
    "nothing": (lambda r: r.pull(r.main), ["empty"]),
    "somebody else's entry": (foreign, ["system-taken"]),
    "an entry whose owner nobody knows": (
        alone((f"{ROOT}/metadata/veteran.json", "{}")),
        ["system-taken"],
    ),
    "somebody else's entry beside": (
        put((f"{ROOT}/metadata/veteran.json", "{}")),
        ["many-systems"],
    ),
    "somebody else's answers taken away": (
        put((f"{ROOT}/openbook-generations/veteran.jsonl", None)),
        ["deleted", "many-systems"],
    ),
    "a stale fork that changes others": (stale, ["many-systems"]),
    "fifty systems": (fifty, ["many-systems"]),
    "the whole folder replaced by a file": (
        lambda r: r.pull(r.of_tree(top(r, ("100644", ROOT, r.blob("x")), without=ROOT))),
        ["odd-mode"],
    ),
    "the whole folder taken away": (lambda r: r.pull(r.of_tree(top(r, without=ROOT))), ["deleted"]),
    # kinds of files (9 to 13)
    "answers are a link": (put((OPEN, (LINK, "/etc/passwd"))), ["symlink"]),
    "answers are a link upward": (put((OPEN, (LINK, "../../../.git/config"))), ["symlink"]),
    "answers are endless": (put((OPEN, (LINK, "/dev/zero"))), ["symlink"]),
    "metadata are a link": (put((META, (LINK, "veteran.json"))), ["symlink"]),
    "the folder of metadata is a link": (
        lambda r: r.pull(r.of_tree(_instead(r, "metadata", LINK, r.blob("/tmp")))),
        ["symlink"],
    ),
    "the folder of submissions is a link": (
        lambda r: r.pull(r.of_tree(top(r, (LINK, ROOT, r.blob("/tmp")), without=ROOT))),
        ["symlink"],
    ),
    "answers are a repository": (put((OPEN, ("160000", "ab" * 20))), ["odd-mode"]),
    "the folder is a repository": (
        lambda r: r.pull(r.of_tree(_instead(r, "metadata", "160000", "ab" * 20))),
        ["odd-mode"],
    ),
    "answers are a program": (put((OPEN, ("100755", PROGRAM))), ["odd-mode"]),
    "metadata are a program": (put((META, ("100755", "{}"))), ["odd-mode"]),
    "answers are a folder": (put((OPEN, None), (f"{OPEN}/a", "x")), ["unreadable"]),
    # names (16, and what runners obey: 14)
    "a name of two dots": (
        trees(lambda r, oid: top(r, ("40000", "..", r.tree(("100644", "x", oid))))),
        ["git-refused"],
    ),
    "two dots inside": (trees(lambda r, oid: under(r, ("100644", "..", oid))), ["git-refused"]),
    "one dot": (trees(lambda r, oid: under(r, ("100644", ".", oid))), ["git-refused"]),
    "git's own folder": (
        trees(lambda r, oid: top(r, ("40000", ".git", r.tree(("100644", "config", oid))))),
        ["git-refused"],
    ),
    "git's own folder for Windows": (
        trees(lambda r, oid: top(r, ("40000", "GIT~1", r.tree(("100644", "config", oid))))),
        ["git-refused"],
    ),
    "git's own folder for Macs": (
        trees(lambda r, oid: top(r, ("40000", ".g\u200cit", r.tree(("100644", "config", oid))))),
        ["git-refused"],
    ),
    "a slash in a name": (
        trees(lambda r, oid: under(r, ("100644", "metadata/x.json", oid))),
        ["git-refused"],
    ),
    "an absolute name": (trees(lambda r, oid: under(r, ("100644", "/etc", oid))), ["git-refused"]),
    "an empty name": (trees(lambda r, oid: under(r, ("100644", "", oid))), ["not-fetched"]),
    "one name twice": (trees(twice), ["git-refused"]),
    "a backslash": (put((f"{ROOT}/metadata/..\\x.json", "{}")), ["bad-name"]),
    "a twin by case": (put((f"{ROOT}/metadata/My-System.json", "{}")), ["bad-name"]),
    "a twin folder by case": (put((f"{ROOT}/Metadata/{S}.json", "{}")), ["unexpected-file"]),
    "a cyrillic name": (put((f"{ROOT}/metadata/\u0441laude.json", "{}")), ["bad-name"]),
    "a reserved name": (put((f"{ROOT}/metadata/con.json", "{}")), ["bad-name"]),
    "an option as a name": (put((f"{ROOT}/metadata/-rf.json", "{}")), ["bad-name"]),
    "a hidden name": (put((f"{ROOT}/metadata/.hidden.json", "{}")), ["bad-name"]),
    "a name of 65 letters": (put((f"{ROOT}/metadata/{'a' * 65}.json", "{}")), ["bad-name"]),
    "a line break in a name": (put((f"{ROOT}/metadata/x\n::add-mask::a.json", "{}")), ["bad-name"]),
    "a command as a name": (put((f"{ROOT}/::stop-commands::x", "{}")), ["unexpected-file"]),
    "a command at the top": (put(("::set-output name=digest::x", "{}")), ["outside-submission"]),
    "an escape in a name": (put((f"{ROOT}/metadata/\x1b[31m.json", "{}")), ["bad-name"]),
    "a name that is no UTF-8": (put((f"{ROOT}/metadata/\udcff\udcfe.json", "{}")), ["bad-name"]),
    "markup in a name": (put((f"{ROOT}/metadata/<img src=x>.json", "{}")), ["bad-name"]),
    "a name of the board's own": (lambda r: r.send("bands"), ["bad-name"]),
    # objects that are not what their names say
    "a folder that is called a file": (
        lambda r: inside(r, ("100644", f"{S}.jsonl", r.tree(("100644", "x", r.blob("x"))))),
        ["not-fetched"],
    ),
    "a file that is called a folder": (
        lambda r: r.pull(r.of_tree(under(r, ("40000", "metadata", r.blob("{}"))))),
        ["not-fetched"],
    ),
    "a file that is nowhere": (
        lambda r: inside(r, ("100644", f"{S}.jsonl", "ab" * 20)),
        ["not-fetched"],
    ),
    "a program by another mode": (
        lambda r: inside(r, ("100711", f"{S}.jsonl", r.blob(PROGRAM))),
        ["odd-mode"],
    ),
    "a mode with noughts": (
        lambda r: inside(r, ("0100644", f"{S}.jsonl", r.blob("{}"))),
        ["git-refused"],
    ),
    "names in no order": (
        trees(lambda r, oid: r.tree(("100644", "b", oid), ("100644", "a", oid))),
        ["git-refused"],
    ),
    "a tag for a head": (tagged, ["bad-argument"]),
    "a folder for a head": (
        lambda r: r.pull(git(r.path, "rev-parse", "main^{tree}")),
        ["bad-argument"],
    ),
    "a file for a head": (lambda r: r.pull(r.blob("x")), ["bad-argument"]),
    "a head that is replaced": (replaced, ["outside-submission"]),
    "a link that main has already": (merged_link, ["symlink"]),
    # the history (34, 38)
    "the head moved after the review": (moved, ["head-moved"]),
    "no common history": (unrelated, ["git-refused"]),
    "two points of departure": (criss_cross, ["git-refused"]),
    "another pull request's number": (told(pr=999), ["head-moved"]),
    "no number": (told(pr=0), ["bad-argument"]),
    "a negative number": (told(pr=-1), ["bad-argument"]),
    "a branch for a head": (told(sha="main"), ["bad-argument"]),
    "a short head": (told(sha="abcdef1"), ["bad-argument"]),
    "an option for a head": (
        told(sha="--upload-pack=touch /tmp/argue-bench-was-executed"),
        ["bad-argument"],
    ),
    "an option for a base": (told(base="--output=/tmp/argue-bench-was-executed"), ["bad-argument"]),
    "a base that is not there": (told(base="ab" * 20), ["not-fetched"]),
    "an author of two lines": (told(author="1\n2"), ["bad-argument"]),
    "no author": (told(author=""), ["bad-argument"]),
    "an option for a branch": (told(results="--receive-pack=x"), ["bad-argument"]),
    "a branch that leaves its folder": (told(results="refs/heads/../../x"), ["bad-argument"]),
    "a ledger that was tampered with": (broken_ledger, ["wrong-shape"]),
    # protocol tricks
    "a program for a remote": (
        told(remote="ext::sh -c touch% /tmp/argue-bench-was-executed"),
        ["bad-argument"],
    ),
    "ssh with an option": (told(remote="ssh://-oProxyCommand=touch/x"), ["bad-argument"]),
    "a path for a remote": (told(remote="/etc"), ["bad-argument"]),
    "an option for a remote": (told(remote="--upload-pack=touch /tmp/x"), ["bad-argument"]),
    "a password in the remote": (
        told(remote="https://user:secret@example.org/x.git"),
        ["bad-argument"],
    ),
    "plain http": (told(remote="http://example.org/x.git"), ["bad-argument"]),
    "a remote on another machine": (told(remote="file://example.org/x.git"), ["bad-argument"]),
    "a remote that is not there": (told(remote="file:///nowhere/x.git"), ["not-fetched"]),
    # too much (13, 22, 25, 28)
    "folders without end": (bomb, ["unexpected-file"]),
    "names without end": (many, ["unexpected-file"]),
    "metadata of 100 kB": (raw(json.dumps(GOOD | {"details": "x" * 100_000})), ["too-large"]),
    "lines of 2 MB": (
        answered(lambda _, ids: "".join(f'{{"id": "{id}", "answer": "{LONG}"}}\n' for id in ids)),
        ["mass-empty"],
    ),
    "as many brackets as a line holds": (first(lambda id: "[" * 199_000), ["too-deep"]),
    "metadata of 60 MB of nothing": (raw(b"\0" * 60_000_000), ["too-large"]),
    "a number as long as a line": (
        first(lambda id: f'{{"id": "{id}", "answer": "a", "n": 0.{"9" * 199_000}}}'),
        ["wrong-value"],
    ),
    "a million line breaks": (answered(lambda text, ids: text + "\n" * 1_000_000), ["too-many"]),
    "metadata of brackets": (raw("[" * 50_000), ["too-deep"]),
    "metadata of braces": (raw('{"a":' * 10_000), ["too-deep"]),
    # What a file may hold is the table of `tests/leaderboard/test_submission`: the board runs that check.
    "a number that is none": (raw(json.dumps(GOOD | {"context": float("nan")})), ["wrong-value"]),
    "an id twice": (
        answered(lambda text, ids: text + text.split("\n", 1)[0] + "\n"),
        ["duplicate-id"],
    ),
    "answers of another setting": (
        said(openbook_generations="../evidenceprovided-generations/veteran.jsonl"),
        ["metadata-value"],
    ),
    "answers of somebody else": (said(openbook_generations="veteran.jsonl"), ["metadata-value"]),
    "an absolute path": (said(openbook_generations="/etc/passwd"), ["metadata-value"]),
}


def _instead(r: Repository, place: str, mode: str, oid: str) -> str:
    """Main's tree with something else at one place of the folder of submissions."""
    there = [line.split(None, 3) for line in git(r.path, "ls-tree", f"main:{ROOT}").splitlines()]
    kept = [(m.lstrip("0"), name, o) for m, _, o, name in there if name != place]
    folder = r.tree(*sorted([*kept, (mode, place, oid)], key=lambda row: row[1]))
    return top(r, ("40000", ROOT, folder), without=ROOT)
