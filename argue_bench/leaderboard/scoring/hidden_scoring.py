"""Hidden scoring: one submission against hidden gold. Signed, or refused with a code.

In order: is it the bundle of intake; is it right; are its answers new; may its author spend a run;
what does it score; does the ladder let it move. Only then is something written: the result, its
signature, the bands, the encrypted tallies, and the signed outcome that names them all by their
SHA-256. What the scorer prints or raises is caught and leaves encrypted; only codes are public.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import traceback
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from argue_bench.errors import Code, Finding, JudgeError, SubmissionError
from argue_bench.eval import Report
from argue_bench.judges import Judge
from argue_bench.leaderboard.formats.bundle import Bundle
from argue_bench.leaderboard.formats.canonical import canonical
from argue_bench.leaderboard.formats.git_objects import refusal
from argue_bench.leaderboard.formats.layout import DESCRIBED, UNCHANGED
from argue_bench.leaderboard.formats.ledger import (
    check_owner,
    is_over,
    owners,
    refuse_twice,
    runs_of,
)
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
from argue_bench.leaderboard.scoring.local_scoring import evaluate_setting, gold_digest, setting_of
from argue_bench.leaderboard.scoring.results_branch import (
    TALLIES,
    RankedColumns,
    ResultsBranch,
    seal_tallies,
)
from argue_bench.leaderboard.signing.keys import Keys, sign_bytes
from argue_bench.loaders.answers import as_answers
from argue_bench.loaders.dataset import Dataset
from argue_bench.records.digests import sha256_each
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
    judges: Mapping[str, str | Judge] = field(default_factory=dict)
    """By name, the default one's being empty; others are the season's."""
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

    The files are signed; the outcome has their digests and must be signed by `sign_outcome`.
    Raises UsageError where the board itself is wrong (season, keys).
    """
    season, state = job.season, job.state
    outcome = StepOutcome(
        "score",
        "refused",
        system=bundle.system,
        author=bundle.author,
        season=season.season,
        pr=bundle.pr,
        commit=bundle.commit,
        digest=digest,
        results=state.commit,
        quota=season.quota,
        date=now(),
        group=season.group,
        reason=job.again,
    )
    try:
        # Everything that intake checked is checked again: this job trusts the bundle's bytes alone.
        noticed = check_bundle(bundle, season, job.dataset)
        check_owner(state.events, bundle.system, bundle.author)
        outcome = replace(outcome, findings=summarise(noticed))
        about = json.loads(bundle.files[f"metadata/{bundle.system}.json"])
        if (status := about.get("status", "active")) != "active":
            return replace(outcome, state=status), {}
        if job.again:
            bundle = _as_scored(job, bundle)
        else:
            refuse_twice(state.events, digest, season.season)
            if files := _described(job, bundle, outcome.date):
                return replace(outcome, state=DESCRIBED, files=sha256_each(files)), files
        outcome = replace(outcome, runs=_check_rights(job, bundle))
    except SubmissionError as error:
        return replace(outcome, findings=summarise(error.findings)), {}
    diagnosis: list[str] = []
    try:
        with _silenced(diagnosis):
            run = _evaluate(job, bundle)
            outcome, files, notes = _decide(job, bundle, run, outcome)
        return outcome, {**files, DIAGNOSIS: seal_diagnosis(notes, job.secrets.key, digest)}
    except _Undefined:
        # Which answers a score applies to may hang on the gold: an answer to that is a run.
        findings = summarise([Finding(Code.SCORE_UNDEFINED), *noticed])
        return replace(outcome, state=UNCHANGED, findings=findings), {}
    except Exception as error:
        # A traceback may quote gold, so it leaves sealed, and only a code is said in public.
        diagnosis.append(traceback.format_exc())
        code = Code.JUDGE_FAILED if isinstance(error, JudgeError) else Code.SCORER_FAILED
        finding = Finding(code, "the scoring did not end; no run was used and nothing was kept")
        found = error.findings if isinstance(error, SubmissionError) else [finding]
        sealed = seal_diagnosis("\n".join(diagnosis), job.secrets.key, digest)
        return replace(outcome, state="failed", findings=summarise(found)), {DIAGNOSIS: sealed}


def sign_outcome(
    files: Mapping[str, bytes], outcome: StepOutcome, signing: str
) -> dict[str, bytes]:
    """The folder to hand on: what is recorded, the outcome and its signature."""
    return {**files, **_with_signature("score.json", outcome.to_bytes(), signing)}


def _as_scored(job: ScoringJob, bundle: Bundle) -> Bundle:
    """The files that a signed result was scored from, and no setting that the ladder held back.

    Raises SubmissionError where the bundle has others: that would be a run past quota and ladder.
    """
    digests = sha256_each(bundle.files)
    for version in job.state.versions(bundle.system, job.keys):
        if not version.result.changed_files(digests):
            scored = version.result.submission
            return replace(bundle, files={p: b for p, b in bundle.files.items() if p in scored})
    hint = "Score again what was scored; what is new is sent as a submission."
    raise refusal(Code.RESCORE_OTHER, file=f"metadata/{bundle.system}.json", hint=hint)


def _described(job: ScoringJob, bundle: Bundle, date: str) -> dict[str, bytes]:
    """The result as it stands over new metadata; nothing where the answers or the gold are others."""
    try:
        before = job.state.result(bundle.system, job.keys)
    except SubmissionError:  # the scoring will say so, sealed
        return {}
    if before is None or before.gold_digest != gold_digest(job.dataset):
        return {}
    about = f"metadata/{bundle.system}.json"
    digests = sha256_each(bundle.files)
    if {**before.submission, about: ""} != {**digests, about: ""}:
        return {}
    result = replace(
        before, submission=digests, author=bundle.author, commit=bundle.commit, created=date
    )
    return _signed_result(result, job.secrets.signing)


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
    """A report for each setting. Raises SubmissionError where the ranked score was not counted."""
    reports: dict[str, Report] = {}
    rates: dict[str, Rate] = {}
    with tempfile.TemporaryDirectory(prefix="argue-bench-") as name:
        bundle.unpack(Path(name))
        for setting in job.season.settings:
            path = Path(name, f"{setting}-generations", f"{bundle.system}.jsonl")
            if path.is_file():
                answers = list(as_answers(path, job.dataset).values())
                rates[setting] = gold_overlap(answers, job.dataset)
                reports[setting] = evaluate_setting(
                    job.season, job.dataset, answers, job.judges, bundle.system
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
    """What moves, the files that say so, and the notes for the organiser alone."""
    season, state, ranked = job.season, job.state, run.ranked
    new = {
        setting: replace(ranked_columns(report, ranked), overlap=run.overlaps[setting])
        for setting, report in run.reports.items()
    }
    tallies = state.counted(state.systems, job.secrets.key) | job.before
    owner = owners(state.events)
    own = [one for name, one in tallies.items() if owner.get(name) == bundle.author]
    others = [one for name, one in tallies.items() if owner.get(name) != bundle.author]
    notes = "\n".join(
        overlap_note(
            setting, rate, [o.overlap for one in others if (o := one.get(setting)) and o.overlap]
        )
        for setting, rate in run.overlaps.items()
    )
    # The ladder guards hidden gold against being read off score by score; a re-scoring of what was
    # scored already tells nothing new of the author's making.
    free = season.rounding is None or bool(job.again)
    moved = {
        setting: free or improves(one, ranked, [o[setting] for o in own if setting in o])
        for setting, one in new.items()
    }
    rows = {s: round_scores(setting_of(one), season.rounding) for s, one in run.reports.items()}
    outcome = replace(
        outcome,
        ranked=ranked.key,
        state="scored" if any(moved.values()) else UNCHANGED,
        settings={s: disclose(row, ranked, moved[s]) for s, row in rows.items()},
    )
    if not any(moved.values()):
        return outcome, {}, notes
    files = _result(job, bundle, outcome, {s: row for s, row in rows.items() if moved[s]})
    before = {} if job.again else tallies.get(bundle.system, {})
    tallies[bundle.system] = {**before, **{s: one for s, one in new.items() if moved[s]}}
    if job.again:
        job.before[bundle.system] = tallies[bundle.system]
    files |= _statistics(job, bundle.system, ranked, tallies)
    return replace(outcome, files=sha256_each(files)), files, notes


def _result(
    job: ScoringJob, bundle: Bundle, outcome: StepOutcome, rows: Mapping[str, Setting]
) -> dict[str, bytes]:
    """The result with its signature; settings that did not move stay as they were."""
    before = None if job.again else job.state.result(bundle.system, job.keys)
    scored = {
        path: content
        for path, content in bundle.files.items()
        if path.startswith("metadata/") or path.partition("-generations/")[0] in rows
    }
    result = Result(
        job.season.season,
        bundle.system,
        {**(before.settings if before else {}), **rows},
        {**(before.submission if before else {}), **sha256_each(scored)},
        gold_digest(job.dataset),
        bundle.author,
        bundle.commit,
        job.season.group,
        outcome.date,
    )
    return _signed_result(result, job.secrets.signing)


def _signed_result(result: Result, signing: str) -> dict[str, bytes]:
    return _with_signature(result.path.as_posix(), canonical(result.to_json()), signing)


def _with_signature(path: str, content: bytes, signing: str) -> dict[str, bytes]:
    return {path: content, f"{path}.sig": sign_bytes(content, signing)}


def _statistics(
    job: ScoringJob,
    system: str,
    ranked: RankedScore,
    tallies: Mapping[str, Mapping[str, RankedColumns]],
) -> dict[str, bytes]:
    """The system's tallies, encrypted, and the bands of all settings, signed."""
    name = job.season.season
    bands = {}
    for setting in job.season.settings:
        there = {s: one[setting] for s, one in tallies.items() if setting in one}
        if there:
            # Only scores that were made alike are compared: like the scored one, or like the first.
            signature = (there.get(system) or next(iter(there.values()))).signature
            columns = {s: one.columns for s, one in there.items() if one.signature == signature}
            bands[setting] = job.banding(ranked.key, ranked.average, columns, job.season.rounding)
    content = canonical({"schema": 1, "season": name, "settings": bands})
    sealed = seal_tallies(tallies[system], job.secrets.key, name, system)
    return {
        f"results/{name}/{TALLIES}/{system}.sealed": sealed,
        **_with_signature(f"results/{name}/bands.json", content, job.secrets.signing),
    }


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
