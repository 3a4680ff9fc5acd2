"""Thresholds fitted to labels: found where people want more, refused where nothing is gained."""

from __future__ import annotations

import asyncio
import json
import random
from pathlib import Path

import pytest
from click.testing import CliRunner

from argue_bench.cli import main
from argue_bench.errors import DataError
from argue_bench.judges import as_judge
from argue_bench.judges.base import judge_in_batches
from argue_bench.judges.checks.fit import fit_lexical, reason_of, write_thresholds
from argue_bench.judges.labels import read_all_labels
from argue_bench.judges.lexical import thresholds
from argue_bench.judges.lexical.thresholds import read_thresholds
from argue_bench.records import Entails, Source, Verdict, request_to_json

WORDS = [
    "harbour",
    "lantern",
    "meadow",
    "copper",
    "violin",
    "orchard",
    "thunder",
    "saddle",
    "whisper",
    "marble",
    "canyon",
    "ribbon",
    "feather",
    "kettle",
    "walnut",
    "glacier",
    "pepper",
    "hammer",
]


def planted(n: int, least: float, seed: int = 1) -> list[tuple[Entails, str]]:
    """Sentences of ten words of which a source holds some; people want a share of ``least``."""
    rng = random.Random(seed)
    made = []
    for at in range(n):
        words = rng.sample(WORDS, 10)
        held = rng.randint(4, 10)
        source = Source(
            f"d{at}", f"the {' and '.join(rng.sample(words[:held], held))} stood there."
        )
        claim = Entails((source,), f"the {' and '.join(words)} stood there.")
        made.append((claim, "yes" if held / 10 >= least else "no"))
    return made


def write(path: Path, labels: list[tuple[Entails, str]]) -> Path:
    lines = ({"ask": request_to_json(one), "verdict": verdict} for one, verdict in labels)
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def verdicts(spec: str, requests: list[Entails]) -> list[str]:
    async def ask() -> dict[str, str]:
        return {
            request.key: str(reply.value)
            async for request, reply in judge_in_batches(as_judge(spec), requests)
            if isinstance(reply, Verdict)
        }

    found = asyncio.run(ask())
    return [found[request.key] for request in requests]


@pytest.fixture(scope="module")
def strict(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Sixty labels by people who want nine words of ten."""
    return write(tmp_path_factory.mktemp("fit") / "labels.jsonl", planted(60, 0.9))


def test_people_who_want_more_raise_the_threshold(strict: Path, tmp_path: Path) -> None:
    labels = read_all_labels([strict])
    [found] = fit_lexical(labels, resamples=500)
    assert (found.threshold, found.kinds, found.n) == ("ENTAILS", ("Entails",), 60)
    assert found.fitted["ENTAILS"] > thresholds.ENTAILS
    # In the proportion of the judge's own two values.
    assert found.fitted["ENTAILS_TELLING"] == pytest.approx(
        found.fitted["ENTAILS"] * 0.5 / 0.58, abs=1e-4
    )
    assert found.gain is not None
    assert found.low is not None
    assert 0 < found.low < found.gain
    file = tmp_path / "own.json"
    write_thresholds(file, [found], labels)
    # Tried on labels that it has never seen.
    unseen = planted(200, 0.9, seed=2)
    right = {
        spec: sum(
            said == verdict
            for said, (_, verdict) in zip(
                verdicts(spec, [r for r, _ in unseen]), unseen, strict=True
            )
        )
        for spec in ("lexical", f"lexical:{file}")
    }
    assert right[f"lexical:{file}"] > right["lexical"] + 30


def test_a_gain_that_may_be_none_is_refused(tmp_path: Path) -> None:
    requests = [request for request, _ in planted(60, 0.9)]
    own = list(zip(requests, verdicts("lexical", requests), strict=True))
    [found] = fit_lexical(read_all_labels([write(tmp_path / "own.jsonl", own)]), resamples=300)
    assert not found.fitted
    assert "interval holds 0" in found.reason
    assert found.before == 1.0


def test_a_loss_is_not_called_a_gain_that_may_be_none() -> None:
    """A threshold of its own is chosen on nine tenths and can do worse than the judge's on the rest."""
    assert reason_of(0.01, 0.2) == ""
    assert "interval holds 0" in reason_of(-0.1, 0.2)
    assert reason_of(-0.2, -0.1) == "the judge's own threshold is the better one"


@pytest.mark.parametrize(
    ("n", "reason"), [(12, "12 labels are too few"), (40, "each verdict needs 5")]
)
def test_too_few_labels_are_refused(n: int, reason: str, tmp_path: Path) -> None:
    some = [(request, "yes") for request, _ in planted(n, 0.9)]
    [found] = fit_lexical(read_all_labels([write(tmp_path / "few.jsonl", some)]), resamples=100)
    assert found.reason.startswith(reason)
    assert found.after is None


def test_the_digest_of_thresholds_is_in_the_identity(strict: Path, tmp_path: Path) -> None:
    one, other = tmp_path / "one.json", tmp_path / "other.json"
    for file, share in ((one, 0.7), (other, 0.8)):
        about = {"lexical": {"ENTAILS": share}, "rules": thresholds.RULES}
        file.write_text(json.dumps(about))
    plain, first, second = (
        as_judge(spec).identity() for spec in ("lexical", f"lexical:{one}", f"lexical:{other}")
    )
    assert "thresholds" not in plain
    assert first["thresholds"] != second["thresholds"]
    assert {**plain, "thresholds": first["thresholds"]} == first


def test_own_thresholds_leave_other_judges_alone(tmp_path: Path) -> None:
    file = tmp_path / "own.json"
    file.write_text(json.dumps({"lexical": {"ENTAILS": 1.0}, "rules": thresholds.RULES}))
    requests = [request for request, _ in planted(20, 0.9)]
    before = verdicts("lexical", requests)
    assert verdicts(f"lexical:{file}", requests) != before
    assert verdicts("lexical", requests) == before
    assert thresholds.FITTED["ENTAILS"] == thresholds.ENTAILS


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ([], "holds no thresholds"),
        ({"lexical": {}}, "holds no thresholds"),
        ({"lexical": {"ENTAILS": 0.5}, "rules": "1"}, "of its rules '1'"),
        ({"lexical": {"WINDOW": 0.5}}, "no threshold 'WINDOW'"),
        ({"lexical": {"ENTAILS": 2}}, "ENTAILS is not a share"),
        ({"lexical": {"ENTAILS": True}}, "ENTAILS is not a share"),
    ],
)
def test_a_file_that_is_none_of_thresholds_is_refused(
    value: object, message: str, tmp_path: Path
) -> None:
    if isinstance(value, dict):
        value = {"rules": thresholds.RULES, **value}
    file = tmp_path / "own.json"
    file.write_text(json.dumps(value))
    with pytest.raises(DataError, match=message) as error:
        read_thresholds(file)
    assert [str(one.code) for one in error.value.findings] == ["thresholds"]


def test_the_command_writes_a_judge_or_refuses(strict: Path, tmp_path: Path) -> None:
    file = tmp_path / "own.json"
    command = ["judge", "fit", "lexical", "--labels", str(strict), "--out", str(file)]
    done = CliRunner().invoke(main, command)
    assert done.exit_code == 0, done.output
    assert f"--judge lexical:{file}" in done.output
    checked = CliRunner().invoke(
        main, ["judge", "check", f"lexical:{file}", "--labels", str(strict), "--json"]
    )
    assert json.loads(checked.stdout)["kinds"]["Entails"]["accuracy"] > 0.9
    few = write(tmp_path / "few.jsonl", planted(12, 0.9))
    refused = CliRunner().invoke(main, ["judge", "fit", "lexical", "--labels", str(few)])
    assert refused.exit_code == 1
    assert "refused: 12 labels are too few" in refused.output
