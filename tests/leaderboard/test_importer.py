"""FanOutQA's real board in our layout, and what an import does with a hostile one."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from argue_bench.errors import DataError
from argue_bench.leaderboard.formats.layout import SETTINGS
from argue_bench.leaderboard.formats.results import parse_result
from argue_bench.leaderboard.publishing.importing import import_fanoutqa
from argue_bench.leaderboard.submitting.checking import check_submissions
from argue_bench.loaders import load
from tests.shared import shared

BOARD = ("data", "fanoutqa", "leaderboard-submissions")


@pytest.fixture(scope="module")
def imported(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str]]:
    out = tmp_path_factory.mktemp("imported")
    return out, import_fanoutqa(shared(*BOARD), out)


def _answers(out: Path) -> list[Path]:
    return sorted(out.glob("*-generations/*.jsonl"))


def _results(out: Path) -> list[Path]:
    return sorted(out.glob("results/*/*.json"))


def test_everything_came_over(imported: tuple[Path, list[str]]) -> None:
    out, systems = imported
    assert (len(_answers(out)), len(_results(out)), len(systems)) == (27, 16, 16)
    assert all(re.fullmatch(r"[a-z0-9][a-z0-9-]{1,63}", system) for system in systems)


def test_answers_are_copied_byte_for_byte(imported: tuple[Path, list[str]]) -> None:
    out, _ = imported
    for path in sorted(shared(*BOARD, "metadata").iterdir()):
        metadata = json.loads(path.read_text())
        system = path.stem.replace("_", "-").replace(".", "-")
        for setting in SETTINGS:
            link = metadata[f"{setting}_generations"]
            theirs = shared(*BOARD, f"{setting}-generations", link)
            ours = out / f"{setting}-generations" / f"{system}.jsonl"
            assert ours.read_bytes() == theirs.read_bytes()


@pytest.mark.slow
def test_each_open_book_file_reports_exactly_its_unknown_and_missing_ids(
    imported: tuple[Path, list[str]],
) -> None:
    out, _ = imported
    test = shared("data", "fanoutqa", "test.json")
    wanted = {question["id"] for question in json.loads(test.read_text())}
    checked = check_submissions(out, load("fanoutqa", "test", test), ("openbook",))
    short = 0
    for path in sorted(out.glob("openbook-generations/*.jsonl")):
        given = {json.loads(line)["id"] for line in path.read_text().splitlines()}
        entry = checked.entries[path.stem]
        mine = [finding for finding in entry.findings if finding.file == str(path)]
        unknown = [f.message for f in mine if f.code == "unknown-id"]
        assert unknown == [f"no question has the id {id!r}" for id in sorted(given - wanted)]
        assert len(unknown) == 1  # the question that was dropped from the set
        assert entry.answered["openbook"].missing == tuple(sorted(wanted - given))
        missing = [f.message for f in mine if f.code == "missing-ids"]
        assert len(missing) == (1 if wanted - given else 0)
        for message in missing:
            assert message.startswith(f"{len(wanted - given)} of 724 ")
            assert all(id in message for id in wanted - given)
        assert len(mine) == len(unknown) + len(missing)
        short += bool(missing)
    assert short == 6
    others = {f.code for f in checked.all_findings} - {"unknown-id", "missing-ids"}
    # The metadata name files of the other settings, too.
    assert others == {"no-such-file", "wrong-value"}


@pytest.mark.parametrize("setting", SETTINGS)
def test_results_keep_their_numbers_and_order(
    imported: tuple[Path, list[str]], setting: str
) -> None:
    out, _ = imported
    theirs = [json.loads(path.read_text()) for path in shared(*BOARD, "results").iterdir()]
    by_hand = sorted((one[setting]["gpt"], one["metadata"]["name"]) for one in theirs)
    ours = []
    for path in _results(out):
        result = parse_result(path.read_bytes(), path)
        assert (result.group, result.season) == ("published elsewhere", "fanoutqa-published")
        scores = result.settings[setting].scores
        name = json.loads((out / "metadata" / path.name).read_text())["name"]
        ours.append((scores["factuality.accuracy"]["value"], name))
        (same,) = [one[setting] for one in theirs if one["metadata"]["name"] == name]
        found = {key: score["value"] for key, score in scores.items()}
        assert found == {
            "accuracy(rules=fanoutqa).loose": same["acc"]["loose"],
            "accuracy(rules=fanoutqa).strict": same["acc"]["strict"],
            "bleurt.score": same["bleurt"],
            "factuality.accuracy": same["gpt"],
            **{
                f"rouge.{kind}_{part}": value
                for kind, parts in same["rouge"].items()
                for part, value in parts.items()
            },
        }
        assert all(
            score[key] is None
            for score in scores.values()
            for key in ("low", "high", "n", "failed")
        )
    assert sorted(ours) == by_hand


def test_signatures_say_only_what_is_known(imported: tuple[Path, list[str]]) -> None:
    first = _results(imported[0])[0]
    result = parse_result(first.read_bytes(), first)
    assert (result.author, result.commit, result.gold_digest) == (None, None, None)
    for one in result.settings.values():
        for text, parts in one.signature.items():
            assert parts["metric"] == text
            assert parts["n"] == "unknown"
            assert parts["version"] == "unknown"


# A board of theirs, spoilt in one place.

RESULT = {
    "metadata": {"name": "Fine"},
    "openbook": {
        "acc": {"loose": 0.5, "strict": 0},
        "rouge": {
            kind: {"precision": 0.1, "recall": 0.2, "fscore": 0.3}
            for kind in ("rouge1", "rouge2", "rougeL")
        },
        "bleurt": 0.4,
        "gpt": None,
    },
}


@pytest.fixture
def theirs(tmp_path: Path) -> Path:
    folder = tmp_path / "theirs"
    for name in ("metadata", "results", "openbook-generations", "closedbook-generations"):
        (folder / name).mkdir(parents=True)
    (folder / "openbook-generations" / "any Name.jsonl").write_text('{"id":"q","answer":"a"}\n')
    write(folder / "metadata" / "Fine_One.json", links(openbook="any Name.jsonl"))
    write(folder / "results" / "Fine_One.json", RESULT)
    return folder


def write(path: Path, value: Any) -> None:
    path.write_text(value if isinstance(value, str) else json.dumps(value))


def links(**settings: Any) -> dict[str, Any]:
    named = {f"{setting}_generations": settings.get(setting) for setting in SETTINGS}
    return {"name": "x"} | named


def test_names_become_slugs_and_absent_scores_stay_absent(theirs: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert import_fanoutqa(theirs, out) == ["fine-one"]
    assert (out / "openbook-generations" / "fine-one.jsonl").is_file()
    metadata = json.loads((out / "metadata" / "fine-one.json").read_text())
    assert metadata["openbook_generations"] == "fine-one.jsonl"
    assert metadata["closedbook_generations"] is None
    (made,) = _results(out)
    scores = parse_result(made.read_bytes(), made).settings["openbook"].scores
    assert scores["factuality.accuracy"]["value"] is None
    assert scores["accuracy(rules=fanoutqa).strict"]["value"] == 0


def spoilt_result(change: Callable[[dict[str, Any]], Any]) -> str:
    value = json.loads(json.dumps(RESULT))
    change(value)
    return json.dumps(value)


FAULTS: dict[str, tuple[str, Any, str]] = {
    "out of the folder": (
        "metadata/b.json",
        links(openbook="../metadata/b.json"),
        "metadata-value",
    ),
    "absolute": ("metadata/b.json", links(openbook="/etc/passwd"), "metadata-value"),
    "of another setting": ("metadata/b.json", links(closedbook="any Name.jsonl"), "metadata-value"),
    "a link": ("metadata/b.json", links(openbook="linked.jsonl"), "metadata-value"),
    "cut": ("metadata/b.json", "{", "not-json"),
    "a list": ("metadata/b.json", "[]", "wrong-shape"),
    "score a text": (
        "results/b.json",
        spoilt_result(lambda r: r["openbook"].update(gpt="0.9")),
        "wrong-shape",
    ),
    "score too high": (
        "results/b.json",
        spoilt_result(lambda r: r["openbook"].update(gpt=1.5)),
        "wrong-shape",
    ),
    "score missing": (
        "results/b.json",
        spoilt_result(lambda r: r["openbook"].pop("bleurt")),
        "wrong-shape",
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_file_that_is_not_theirs_is_named(theirs: Path, tmp_path: Path, fault: str) -> None:
    inside, content, code = FAULTS[fault]
    (theirs / "openbook-generations" / "linked.jsonl").symlink_to("/etc/passwd")
    write(theirs / inside, content)
    with pytest.raises(DataError, match=code) as raised:
        import_fanoutqa(theirs, tmp_path / "out")
    assert raised.value.findings[0].file == str(theirs / inside)


def test_a_folder_that_is_no_board(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="wrong-shape"):
        import_fanoutqa(tmp_path, tmp_path / "out")
