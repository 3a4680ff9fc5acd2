"""What does a bundle score against hidden gold, and what of that is told? Signed, or refused with a code.

In order: is it the bundle of intake; is it right; are its answers new; may its author spend a run; what does
it score; does the ladder let it move. Only then is something written: the result, its signature, the bands, the
encrypted tallies, and the signed outcome that names them all by their SHA-256. What the scorer prints or raises
is caught; it leaves encrypted with what the organiser alone is told, and only codes are said.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import traceback
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from argue_bench.errors import Code, Finding, JudgeError, SubmissionError
from argue_bench.eval import Report, evaluate
from argue_bench.judges import Judge
from argue_bench.leaderboard.formats.bundle import Bundle
from argue_bench.leaderboard.formats.canonical import canonical
from argue_bench.leaderboard.formats.git_objects import refusal
from argue_bench.leaderboard.formats.layout import DESCRIBED, RUNS, SCORED
from argue_bench.leaderboard.formats.ledger import is_over, owners, runs_of
from argue_bench.leaderboard.formats.outcome import StepOutcome, summarise
from argue_bench.leaderboard.formats.results import Result, Setting, now
from argue_bench.leaderboard.formats.season import Season
from argue_bench.leaderboard.intake.pull_request import check_bundle
from argue_bench.leaderboard.scoring.diagnosis import BYTES as DIAGNOSIS_BYTES
from argue_bench.leaderboard.scoring.diagnosis import NAME as DIAGNOSIS
from argue_bench.leaderboard.scoring.diagnosis import seal_diagnosis
from argue_bench.leaderboard.scoring.disclosure import (
    RankedScore,
    disclose,
    find_ranked,
    improves,
    ranked_columns,
    round_scores,
)
from argue_bench.leaderboard.scoring.gold_overlap import Rate, gold_overlap, overlap_note
from argue_bench.leaderboard.scoring.local_scoring import gold_digest
from argue_bench.leaderboard.scoring.results_branch import (
    TALLIES,
    RankedColumns,
    ResultsBranch,
    seal_tallies,
)
from argue_bench.leaderboard.signing.keys import Keys, sign_bytes
from argue_bench.loaders.answers import as_answers
from argue_bench.loaders.dataset import Dataset
from argue_bench.metrics import parse
from argue_bench.stats.averages import Average, Columns

Banding = Callable[[str, Average, Mapping[str, Columns], int | None], dict[str, Any]]
"""(score, average, columns by system, decimals) to the bands of one setting."""


@dataclass(frozen=True)
class JobSecrets:
    """What opens tallies and signs; read from the environment by the caller, shown nowhere."""

    key: str = field(repr=False)
    signing: str = field(repr=False)


@dataclass(frozen=True)
class ScoringJob:
    """Everything that one scoring rests on."""

    season: Season
    dataset: Dataset
    """With its gold."""
    state: ResultsBranch
    keys: Keys
    secrets: JobSecrets
    banding: Banding
    judge: str | Judge = ""
    judges: Mapping[str, str | Judge] = field(default_factory=dict)
    again: str = ""
    """The reason of a re-scoring: quota and ladder then do not apply, and only what was scored is."""
    before: dict[str, dict[str, RankedColumns]] = field(default_factory=dict)
    """Tallies that a re-scoring of many made already, and that the branch has not yet."""


class _Undefined(Exception):
    """The ranked score of a setting applies to no answer."""


@dataclass(frozen=True)
class _Run:
    reports: Mapping[str, Report]
    ranked: RankedScore
    overlaps: Mapping[str, Rate]


def score_bundle(
    job: ScoringJob, bundle: Bundle, digest: str
) -> tuple[StepOutcome, dict[str, bytes]]:
    """The decision on a bundle, and the files to record. Never raises for what a stranger sent.

    The files are signed; the outcome has their digests and must be signed by the caller's
    `signed`. Raises UsageError where the board itself is wrong (season, keys).
    """
    outcome = StepOutcome(
        "score",
        "refused",
        system=bundle.system,
        author=bundle.author,
        season=job.season.season,
        pr=bundle.pr,
        commit=bundle.commit,
        digest=digest,
        results=job.state.commit,
        quota=job.season.quota,
        date=now(),
        group=job.season.group,
        reason=job.again,
    )
    try:
        noticed = check_bundle(bundle, job.season, job.dataset)
        _check_owner(job, bundle)
        status = _status(bundle)
        if status != "active":
            return replace(outcome, state=status, findings=summarise(noticed)), {}
        if job.again:
            bundle = _as_scored(job, bundle)
        else:
            _refuse_twice(job, digest)
        if not job.again and (files := _described(job, bundle, outcome.date)):
            digests = {path: _sha(content) for path, content in files.items()}
            return replace(
                outcome, state=DESCRIBED, findings=summarise(noticed), files=digests
            ), files
        spent = _check_rights(job, bundle)
    except SubmissionError as error:
        return replace(outcome, findings=summarise(error.findings)), {}
    outcome = replace(outcome, runs=spent, findings=summarise(noticed))
    diagnosis: list[str] = []
    try:
        with _silenced(diagnosis):
            run = _evaluate(job, bundle)
            outcome, files, notes = _decide(job, bundle, run, outcome)
        return outcome, {**files, DIAGNOSIS: seal_diagnosis(notes, job.secrets.key, digest)}
    except _Undefined:
        # Which answers a score applies to may hang on the gold: an answer to that is a run.
        finding = Finding(Code.SCORE_UNDEFINED)
        return replace(outcome, state=SCORED[1], findings=summarise([finding, *noticed])), {}
    except Exception as error:
        diagnosis.append(traceback.format_exc())
        code = Code.JUDGE_FAILED if isinstance(error, JudgeError) else Code.SCORER_FAILED
        finding = Finding(code, "the scoring did not end; no run was used and nothing was kept")
        findings = error.findings if isinstance(error, SubmissionError) else [finding]
        return replace(outcome, state="failed", findings=summarise(findings)), {
            DIAGNOSIS: seal_diagnosis("\n".join(diagnosis), job.secrets.key, digest)
        }


def sign_outcome(
    files: Mapping[str, bytes], outcome: StepOutcome, signing: str
) -> dict[str, bytes]:
    """The folder to hand on: what is recorded, the outcome and its signature."""
    content = outcome.to_bytes()
    return {**files, "score.json": content, "score.json.sig": sign_bytes(content, signing)}


def _status(bundle: Bundle) -> str:
    """What its maker says of a system: active, withdrawn or superseded."""
    about = json.loads(bundle.files[f"metadata/{bundle.system}.json"])  # checked before
    return str(about.get("status", "active"))


def _check_owner(job: ScoringJob, bundle: Bundle) -> None:
    if owners(job.state.events).get(bundle.system, bundle.author) != bundle.author:
        raise refusal(Code.FOREIGN_ENTRY)


def _as_scored(job: ScoringJob, bundle: Bundle) -> Bundle:
    """The files that a signed result was scored from, and no setting that the ladder held back.

    Raises SubmissionError where the bundle has others: that would be a run past quota and ladder.
    """
    there = {path: _sha(content) for path, content in bundle.files.items()}
    for version in job.state.versions(bundle.system, job.keys):
        scored = version.result.submission
        if not version.result.changed_files(there):
            return replace(bundle, files={p: b for p, b in bundle.files.items() if p in scored})
    why = "no signed result of this system was scored from these files"
    hint = "Score again what was scored; what is new is sent as a submission."
    raise refusal(Code.RESCORE_OTHER, why, f"metadata/{bundle.system}.json", hint)


def _described(job: ScoringJob, bundle: Bundle, date: str) -> dict[str, bytes]:
    """The result as it stands over new metadata; nothing where the answers or the gold are others."""
    try:
        before = job.state.result(bundle.system, job.keys)
    except SubmissionError:  # the scoring will say so, sealed
        return {}
    if before is None or before.gold_digest != gold_digest(job.dataset):
        return {}
    about = f"metadata/{bundle.system}.json"
    paths = {path: _sha(content) for path, content in bundle.files.items()}
    if {**before.submission, about: ""} != {**paths, about: ""}:
        return {}
    return _signed_result(
        replace(before, submission=paths, author=bundle.author, commit=bundle.commit, created=date),
        job.secrets.signing,
    )


def _refuse_twice(job: ScoringJob, digest: str) -> None:
    season = job.season.season
    if any(e.event in RUNS and e.digest == digest and e.season == season for e in job.state.events):
        raise refusal(Code.ALREADY_SCORED)


def _check_rights(job: ScoringJob, bundle: Bundle) -> int:
    """How many runs this author will have used. Raises SubmissionError."""
    events, season = job.state.events, job.season
    spent = len(runs_of(events, bundle.author, season.season, now(), season.quota_days))
    if job.again:
        return spent
    if is_over(events, season.season):
        raise refusal(Code.SEASON_CLOSED)
    if season.quota is not None and spent >= season.quota:
        per = "" if season.quota_days is None else f" in {season.quota_days} days"
        why = f"{spent} of {season.quota} scored runs{per} are used up"
        raise refusal(Code.QUOTA, why, hint="Failed checks cost nothing; scored runs do.")
    return spent + 1


def _evaluate(job: ScoringJob, bundle: Bundle) -> _Run:
    """A report a setting. Raises SubmissionError where the ranked score was not counted."""
    reports: dict[str, Report] = {}
    rates: dict[str, Rate] = {}
    judges = job.season.judge_specs({**({"": job.judge} if job.judge else {}), **job.judges})
    judge = judges.pop("")
    with tempfile.TemporaryDirectory(prefix="argue-bench-") as name:
        bundle.unpack(Path(name))
        for setting in job.season.settings:
            path = Path(name, f"{setting}-generations", f"{bundle.system}.jsonl")
            if path.is_file():
                answers = list(as_answers(path, job.dataset).values())
                rates[setting] = gold_overlap(answers, job.dataset)
                reports[setting] = evaluate(
                    job.dataset,
                    answers,
                    # Parsed here: evaluate would import a text `module:name`.
                    [parse(text) for text in job.season.metrics] or None,
                    judge=judge,
                    judges=judges,
                    system=bundle.system,
                )
    ranked = find_ranked(next(iter(reports.values())), job.season.ranked)
    ranks = [report.scores[ranked.key] for report in reports.values()]
    if any(score.failed and score.value is None for score in ranks):
        raise refusal(Code.JUDGE_FAILED)
    if any(score.value is None for score in ranks):
        raise _Undefined
    return _Run(reports, ranked, rates)


def _decide(
    job: ScoringJob, bundle: Bundle, run: _Run, outcome: StepOutcome
) -> tuple[StepOutcome, dict[str, bytes], str]:
    """What moves, the files that say so, and what the organiser alone is told."""
    season, state = job.season, job.state
    new = {
        setting: replace(ranked_columns(report, run.ranked), overlap=run.overlaps[setting])
        for setting, report in run.reports.items()
    }
    own = state.counted(state.systems, job.secrets.key) | job.before
    owner = owners(state.events)
    mine = [name for name in own if owner.get(name) == bundle.author]
    notes = "\n".join(
        overlap_note(
            setting,
            rate,
            [
                one.overlap
                for name in own
                if owner.get(name) != bundle.author
                if (one := own[name].get(setting)) is not None and one.overlap is not None
            ],
        )
        for setting, rate in run.overlaps.items()
    )
    hidden = season.rounding is not None and not job.again
    moved = {
        setting: not hidden
        or improves(one, run.ranked, [own[s][setting] for s in mine if setting in own[s]])
        for setting, one in new.items()
    }
    rows = {
        setting: round_scores(
            Setting(
                {text: dict(signature) for text, signature in report.signature.items()},
                {key: asdict(score) for key, score in report.scores.items()},
            ),
            season.rounding,
        )
        for setting, report in run.reports.items()
    }
    outcome = replace(
        outcome,
        ranked=run.ranked.key,
        state="scored" if any(moved.values()) else SCORED[1],
        settings={s: disclose(row, run.ranked, moved[s]) for s, row in rows.items()},
    )
    if not any(moved.values()):
        return outcome, {}, notes
    files = _files(job, bundle, outcome, {s: row for s, row in rows.items() if moved[s]})
    before = {} if job.again else own.get(bundle.system, {})
    kept = {s: one for s, one in before.items() if not moved.get(s)}
    own[bundle.system] = {**kept, **{s: one for s, one in new.items() if moved[s]}}
    if job.again:
        job.before[bundle.system] = own[bundle.system]
    files |= _statistics(job, bundle.system, run.ranked, own)
    digests = {path: _sha(content) for path, content in files.items()}
    return replace(outcome, files=digests), files, notes


def _files(
    job: ScoringJob, bundle: Bundle, outcome: StepOutcome, rows: Mapping[str, Setting]
) -> dict[str, bytes]:
    """The result with its signature; settings that did not move stay as they were."""
    before = None if job.again else job.state.result(bundle.system, job.keys)
    kept = {} if before is None else {s: one for s, one in before.settings.items() if s not in rows}
    paths = {
        path: _sha(content)
        for path, content in bundle.files.items()
        if path.startswith("metadata/") or path.partition("-generations/")[0] in rows
    }
    old = {} if before is None else dict(before.submission)
    result = Result(
        job.season.season,
        bundle.system,
        {**kept, **rows},
        {**old, **paths},
        gold_digest(job.dataset),
        bundle.author,
        bundle.commit,
        job.season.group,
        outcome.date,
    )
    return _signed_result(result, job.secrets.signing)


def _signed_result(result: Result, signing: str) -> dict[str, bytes]:
    content = canonical(result.to_json())
    path = result.path.as_posix()
    return {path: content, f"{path}.sig": sign_bytes(content, signing)}


def _statistics(
    job: ScoringJob,
    system: str,
    ranked: RankedScore,
    own: Mapping[str, Mapping[str, RankedColumns]],
) -> dict[str, bytes]:
    """The system's tallies, encrypted, and the bands of all settings, signed."""
    name = job.season.season
    bands = {}
    for setting in job.season.settings:
        mine = own[system].get(setting)
        there = {s: one[setting] for s, one in own.items() if setting in one}
        first = mine or next(iter(there.values()), None)
        alike = (
            {s: one.columns for s, one in there.items() if one.signature == first.signature}
            if first
            else {}
        )
        if alike:
            bands[setting] = job.banding(ranked.key, ranked.average, alike, job.season.rounding)
    content = canonical({"schema": 1, "season": name, "settings": bands})
    return {
        f"results/{name}/{TALLIES}/{system}.sealed": seal_tallies(
            own[system], job.secrets.key, name, system
        ),
        f"results/{name}/bands.json": content,
        f"results/{name}/bands.json.sig": sign_bytes(content, job.secrets.signing),
    }


def _sha(content: bytes) -> str:
    import hashlib

    return hashlib.sha256(content).hexdigest()


@contextmanager
def _silenced(kept: list[str]) -> Iterator[None]:
    """Whatever is printed inside, by Python or below it, is kept and not shown."""
    with tempfile.TemporaryFile() as sink, open(os.dup(sink.fileno()), "w", buffering=1) as text:
        sys.stdout.flush()
        sys.stderr.flush()
        saved = [os.dup(1), os.dup(2)]
        try:
            os.dup2(sink.fileno(), 1)
            os.dup2(sink.fileno(), 2)
            with redirect_stdout(text), redirect_stderr(text):
                yield
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            for number, old in zip((1, 2), saved, strict=True):
                os.dup2(old, number)
                os.close(old)
            sink.seek(0)
            kept.append(sink.read(DIAGNOSIS_BYTES).decode("utf-8", "replace"))
